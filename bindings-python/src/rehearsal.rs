//! The rehearsal server beside a Python program, and its command (D-8).
//!
//! The server has threads of its own, which never enter Python. What waits for them, or for the disk
//! that a transcript goes to, waits without the interpreter's lock.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{mem, thread};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use swingbridge_rehearsal::{
    Background, Options, Problem, Script, ScriptFault, Seen, command, create_transcript,
};

use crate::client::Owned;
use crate::errors;
use crate::json_text::json_text;

/// A server that listens. A process that was forked from the one that made it can do nothing with it.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct NativeRehearsal {
    stage: Owned<Mutex<Stage>>,
}

enum Stage {
    Open(Background),
    /// What had come when its end was asked for.
    Stopped {
        requests: Vec<Seen>,
        turns_left: usize,
    },
}

#[pymethods]
impl NativeRehearsal {
    /// Returns once it listens. `script` is a text or plain objects; with `replays` it is the text of
    /// a transcript. Raises `ScriptError` and `OSError`.
    #[new]
    #[pyo3(signature = (script: "object", replays, port, api_key, transcript: "object", keeps_bodies))]
    fn new(
        py: Python<'_>,
        script: Bound<'_, PyAny>,
        replays: bool,
        port: u16,
        api_key: Option<String>,
        transcript: Option<PathBuf>,
        keeps_bodies: bool,
    ) -> PyResult<Self> {
        let script = read(script, replays).map_err(|fault| errors::script(&fault))?;
        let server = py.detach(|| {
            let transcript = transcript.as_deref().map(record).transpose()?;
            let options = Options { port, api_key, transcript, keeps_bodies, on_request: None };
            Background::start(script, options).map_err(Failure::from)
        });
        let server = server.map_err(|failure| failure.raised(py))?;
        Ok(Self { stage: Owned::new(Mutex::new(Stage::Open(server))) })
    }

    /// The base address for clients. Raises `ClosedError` once it is stopped.
    fn url(&self, py: Python<'_>) -> PyResult<String> {
        let url = self.ask(py, |stage| match stage {
            Stage::Open(server) => Some(server.url()),
            Stage::Stopped { .. } => None,
        })?;
        url.ok_or_else(|| errors::closed("the rehearsal was stopped", "rehearsal_stopped"))
    }

    /// How many turns of the script, or of its latest pass, were not taken.
    fn turns_left(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, |stage| match stage {
            Stage::Open(server) => server.turns_left(),
            Stage::Stopped { turns_left, .. } => *turns_left,
        })
    }

    /// All requests so far, the refused ones included.
    fn requests(&self, py: Python<'_>) -> PyResult<Vec<RehearsedRequest>> {
        let requests = self.ask(py, |stage| match stage {
            Stage::Open(server) => server.requests(),
            Stage::Stopped { requests, .. } => requests.clone(),
        })?;
        Ok(requests.into_iter().map(RehearsedRequest).collect())
    }

    /// Ends all connections and gives the port back; does nothing the second time, and in a process
    /// that was forked. Raises `OSError` if a line of the transcript was lost.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        let stopped = py.detach(|| self.take().map_or(Ok(()), Background::stop));
        stopped.map_err(|error| Failure::from(error).raised(py))
    }
}

impl NativeRehearsal {
    fn ask<T: Send>(&self, py: Python<'_>, about: impl Fn(&Stage) -> T + Sync) -> PyResult<T> {
        let told = py.detach(|| self.lock().map(|stage| about(&stage)));
        told.ok_or_else(|| {
            let words = "the rehearsal belongs to the process that this one was forked from";
            errors::closed(words, "rehearsal_of_other_process")
        })
    }

    /// `None` in a process that was forked.
    fn lock(&self) -> Option<MutexGuard<'_, Stage>> {
        let stage = self.stage.get()?;
        Some(stage.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The server, once; what it has to tell stays here.
    fn take(&self) -> Option<Background> {
        let mut stage = self.lock()?;
        let Stage::Open(server) = &*stage else { return None };
        let (requests, turns_left) = (server.requests(), server.turns_left());
        match mem::replace(&mut *stage, Stage::Stopped { requests, turns_left }) {
            Stage::Open(server) => Some(server),
            Stage::Stopped { .. } => None,
        }
    }
}

impl Drop for NativeRehearsal {
    /// The collector may run in any thread, also in one of the client's, which must not end a server.
    fn drop(&mut self) {
        let Some(mut stage) = self.lock() else { return };
        // Nothing is asked of the server: it may be waiting for the disk.
        let none = Stage::Stopped { requests: Vec::new(), turns_left: 0 };
        let stage = mem::replace(&mut *stage, none);
        if matches!(stage, Stage::Open(_)) {
            thread::spawn(move || drop(stage));
        }
    }
}

/// A request that came to a rehearsal, and what it was answered (D-8).
#[pyclass(frozen, module = "swingbridge.rehearsal")]
pub(crate) struct RehearsedRequest(Seen);

#[pymethods]
impl RehearsedRequest {
    /// The path that was asked for, without the query.
    #[getter]
    fn path(&self) -> &str {
        &self.0.path
    }

    /// The `Idempotency-Key` that it was sent with.
    #[getter]
    fn idempotency_key(&self) -> Option<&str> {
        self.0.idempotency_key.as_deref()
    }

    /// The body; empty if bodies are not kept.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.body)
    }

    /// The status of the answer.
    #[getter]
    fn status(&self) -> u16 {
        self.0.status
    }

    /// The turn that answered, from 0; None if it was refused.
    #[getter]
    fn turn(&self) -> Option<usize> {
        self.0.turn
    }

    /// Why it was refused; None if it was not.
    #[getter]
    fn refusal(&self) -> Option<&str> {
        self.0.refusal.as_deref()
    }

    /// The body read as JSON. Raises `ValueError` if it is none, or was not kept.
    #[pyo3(signature = () -> "Any")]
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.body(py),))
    }

    fn __repr__(&self) -> String {
        let Self(Seen { status, body, .. }) = self;
        let turn = self.0.turn.map_or_else(|| "None".to_owned(), |turn| turn.to_string());
        format!("<RehearsedRequest status={status} turn={turn} body={} bytes>", body.len())
    }
}

/// Runs the command line `swingbridge ...`, the name of the program being its first argument, and
/// returns the exit code. Listens to the signals of the process until the command is over.
#[pyfunction]
#[pyo3(signature = (arguments: "list[str]"))]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| command::run(arguments))
}

fn read(script: Bound<'_, PyAny>, replays: bool) -> Result<Script, ScriptFault> {
    let unreadable = || ScriptFault { place: "script".to_owned(), problem: Problem::Form };
    let text = match script.cast_into::<PyString>() {
        Ok(text) => text.to_cow().ok().map(Cow::into_owned),
        Err(other) => json_text(other.into_inner()),
    };
    let text = text.ok_or_else(unreadable)?;
    if replays { Script::from_transcript(&text) } else { Script::from_yaml(&text) }
}

fn record(path: &Path) -> Result<Box<dyn Write + Send>, Failure> {
    match create_transcript(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(Failure { error, path: Some(path.into()) }),
    }
}

/// What went wrong with the socket or with a file.
struct Failure {
    error: io::Error,
    path: Option<OsString>,
}

impl Failure {
    /// As `OSError`, which is of the class that belongs to the code of the system if there is one.
    fn raised(self, py: Python<'_>) -> PyErr {
        let Some(code) = self.error.raw_os_error() else { return self.error.into() };
        if cfg!(windows) {
            return PyOSError::new_err((0, self.error.to_string(), self.path, code));
        }
        let words = py.import("os").and_then(|os| os.getattr("strerror")?.call1((code,)));
        match words {
            Ok(words) => PyOSError::new_err((code, words.unbind(), self.path)),
            Err(error) => error,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self { error, path: None }
    }
}
