//! The rehearsal server (D-8): servers in this process, and the command.

use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, mem};

use napi::Env;
use napi::bindgen_prelude::{Either, External, Null, Object, ToNapiValue, Uint8Array};
use napi_derive::napi;
use swingbridge_core::json::Writer;
use swingbridge_rehearsal::{
    Background, Options, Script, ScriptFault, Seen, command, create_transcript,
};

use crate::runtime::runtime;

/// A server. Dropped, as at the end of its environment, it ends.
#[derive(Clone)]
pub(crate) struct Rehearsal(Arc<Mutex<Stage>>);

enum Stage {
    Open(Background),
    /// What had come when the end was asked for.
    Stopped {
        seen: Vec<Seen>,
        turns_left: usize,
    },
}

impl Rehearsal {
    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server, if it was not taken before; what it has to tell stays here.
    fn take(&self) -> Option<Background> {
        let mut stage = self.stage();
        let Stage::Open(server) = &*stage else { return None };
        let stopped = Stage::Stopped { seen: server.requests(), turns_left: server.turns_left() };
        match mem::replace(&mut *stage, stopped) {
            Stage::Open(server) => Some(server),
            Stage::Stopped { .. } => None,
        }
    }
}

/// Nothing of the requests: they have what a page and a user said.
impl fmt::Debug for Rehearsal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rehearsal").finish_non_exhaustive()
    }
}

/// How a server is set up.
#[napi(object, object_to_js = false)]
pub(crate) struct RehearsalSettings {
    /// Whether the script is the text of a transcript.
    pub is_transcript: bool,
    /// 0 for any that is free.
    pub port: u16,
    pub api_key: Option<String>,
    /// The file in which requests and answers are recorded.
    pub transcript: Option<String>,
    pub keeps_bodies: bool,
}

/// A request that came.
#[napi(object, object_from_js = false)]
pub(crate) struct SeenRequest {
    pub path: String,
    pub idempotency_key: Option<String>,
    /// Empty if bodies are not kept.
    pub body: Uint8Array,
    pub status: u16,
    pub turn: Option<u32>,
    pub refusal: Option<String>,
}

impl From<Seen> for SeenRequest {
    fn from(seen: Seen) -> Self {
        Self {
            path: seen.path,
            idempotency_key: seen.idempotency_key,
            body: Vec::from(seen.body).into(),
            status: seen.status,
            turn: seen.turn.map(saturated),
            refusal: seen.refusal,
        }
    }
}

/// Starts a server with the text of a script. Resolves with its handle once it listens, or with the JSON
/// of what failed: `{code, message}` and the `place` in the script or the `syscall`.
#[napi(ts_return_type = "Promise<ExternalObject<Rehearsal> | string>")]
pub(crate) fn start_rehearsal(
    env: &Env,
    script: String,
    settings: RehearsalSettings,
) -> napi::Result<Object<'_>> {
    beside(env, move |has_threads| {
        let started = if has_threads { start(&script, settings) } else { Err(Fault::NoThreads) };
        match started {
            Ok(server) => {
                Either::A(External::new(Rehearsal(Arc::new(Mutex::new(Stage::Open(server))))))
            }
            Err(fault) => Either::B(fault.text()),
        }
    })
}

/// The base address for clients; null of a server that was stopped.
#[napi]
pub(crate) fn rehearsal_url(rehearsal: &External<Rehearsal>) -> Option<String> {
    match &*rehearsal.stage() {
        Stage::Open(server) => Some(server.url()),
        Stage::Stopped { .. } => None,
    }
}

/// The requests so far, without the first `known`.
#[napi]
pub(crate) fn rehearsal_requests(rehearsal: &External<Rehearsal>, known: u32) -> Vec<SeenRequest> {
    let seen = match &*rehearsal.stage() {
        Stage::Open(server) => server.requests(),
        Stage::Stopped { seen, .. } => seen.clone(),
    };
    let known = usize::try_from(known).unwrap_or(usize::MAX);
    seen.into_iter().skip(known).map(SeenRequest::from).collect()
}

/// How many turns were not taken.
#[napi]
pub(crate) fn rehearsal_turns_left(rehearsal: &External<Rehearsal>) -> u32 {
    saturated(match &*rehearsal.stage() {
        Stage::Open(server) => server.turns_left(),
        Stage::Stopped { turns_left, .. } => *turns_left,
    })
}

/// Ends the server. Resolves with null once its port is free, or with the JSON of what its transcript
/// failed with.
#[napi(ts_return_type = "Promise<string | null>")]
pub(crate) fn stop_rehearsal<'e>(
    env: &'e Env,
    rehearsal: &External<Rehearsal>,
) -> napi::Result<Object<'e>> {
    let rehearsal = Rehearsal::clone(rehearsal);
    beside(env, move |_| match rehearsal.take().map_or(Ok(()), Background::stop) {
        Ok(()) => Either::A(Null),
        Err(error) => Either::B(Fault::Io("write", error).text()),
    })
}

/// Runs the command line and gives its exit code. Blocks until the rehearsal is over, and listens to the
/// signals of the process.
#[napi]
pub(crate) fn rehearsal_command(arguments: Vec<String>) -> u8 {
    command::run(arguments.into_iter().map(OsString::from))
}

/// Why a server could not be started, or its transcript is not whole.
enum Fault {
    Script(ScriptFault),
    /// What was to be done with the system, in its own word.
    Io(&'static str, io::Error),
    /// The system gave no thread to wait on.
    NoThreads,
}

fn start(script: &str, settings: RehearsalSettings) -> Result<Background, Fault> {
    let read = if settings.is_transcript { Script::from_transcript } else { Script::from_yaml };
    let script = read(script).map_err(Fault::Script)?;
    let open = |path: String| match create_transcript(path.as_ref()) {
        Ok(file) => Ok(Box::new(file) as Box<dyn Write + Send>),
        Err(error) => Err(Fault::Io("open", error)),
    };
    let options = Options {
        port: settings.port,
        api_key: settings.api_key,
        transcript: settings.transcript.map(open).transpose()?,
        keeps_bodies: settings.keeps_bodies,
        on_request: None,
    };
    Background::start(script, options).map_err(|error| Fault::Io("listen", error))
}

impl Fault {
    fn text(&self) -> String {
        let mut out = Writer::default();
        out.object(|fields| {
            let (code, message) = match self {
                Self::Script(fault) => (fault.problem.code(), fault.to_string()),
                Self::Io(_, error) => (system_code(error.kind()), error.to_string()),
                Self::NoThreads => ("EAGAIN", "the system gave no threads".to_owned()),
            };
            fields.field("code", |out| out.str(code));
            fields.field("message", |out| out.str(&message));
            match self {
                Self::Script(fault) => fields.field("place", |out| out.str(&fault.place)),
                Self::Io(syscall, _) => fields.field("syscall", |out| out.str(syscall)),
                Self::NoThreads => {}
            }
        });
        out.finish()
    }
}

/// The name that Node gives to the fault on every system.
fn system_code(kind: io::ErrorKind) -> &'static str {
    use io::ErrorKind as Kind;
    match kind {
        Kind::AddrInUse => "EADDRINUSE",
        Kind::AddrNotAvailable => "EADDRNOTAVAIL",
        Kind::AlreadyExists => "EEXIST",
        Kind::IsADirectory => "EISDIR",
        Kind::NotADirectory => "ENOTDIR",
        Kind::NotFound => "ENOENT",
        Kind::OutOfMemory => "ENOMEM",
        Kind::PermissionDenied => "EACCES",
        Kind::ReadOnlyFilesystem => "EROFS",
        Kind::StorageFull => "ENOSPC",
        Kind::WouldBlock => "EAGAIN",
        _ => "UNKNOWN",
    }
}

/// Does `work` on a thread where it may block, which it is told, and gives a promise of what it gives. A
/// server that nobody waits for any more is dropped on that thread too.
fn beside<V: ToNapiValue + 'static>(
    env: &Env,
    work: impl FnOnce(bool) -> V + Send + 'static,
) -> napi::Result<Object<'_>> {
    let (deferred, promise) = env.create_deferred()?;
    let settle = move |has_threads| {
        let outcome = work(has_threads);
        move |_: Env| Ok(outcome)
    };
    match runtime() {
        Some(runtime) => drop(runtime.spawn_blocking(move || deferred.resolve(settle(true)))),
        None => deferred.resolve(settle(false)),
    }
    Ok(promise)
}

fn saturated(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
