//! `swingbridge rehearse`: the command that the wheel and the npm package bring along.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use tokio::process::{Child, Command as Process};
use tokio::runtime::Builder;

use crate::script::Script;
use crate::server::{Options, Server};
use crate::session::Seen;
use crate::signals::{Asked, Signals};
use crate::teller::{Lines, Teller};
use crate::transcript::create as create_transcript;

/// The key that a program is given which runs in a rehearsal. It is no word: clients take the key out of
/// what a service says.
const KEY: &str = "sk-rehearsal-0000";

/// Exit codes of the command.
const NOT_AS_WRITTEN: u8 = 1;
const FAULT: u8 = 2;

#[derive(Parser)]
#[command(name = "swingbridge", bin_name = "swingbridge", version)]
#[command(about = "Give a model a browser or a desktop, safely.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Rehearse(Rehearse),
}

/// Answer requests with the turns of a script, on 127.0.0.1
///
/// Serves until it is interrupted, or until the given command ends. The exit code is 0 if all turns
/// of the script were taken and no request was refused, 1 if not, 2 if the rehearsal could not be held;
/// a command that fails gives its own. Tells of each request in a line of the standard output, or of the
/// standard error if a command runs.
#[derive(Args)]
struct Rehearse {
    /// The script (YAML or JSON), or with --replay a transcript
    file: PathBuf,
    /// Play the answers of a transcript again
    #[arg(long)]
    replay: bool,
    /// Where to listen; any free port if it is left out
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Accept only this key; any will do if it is left out
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,
    /// Record each request and its answer in this file, a line of JSON for each
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    #[arg(
        last = true,
        help = "A command to run meanwhile, with OPENAI_BASE_URL and OPENAI_API_KEY set for it"
    )]
    command: Vec<OsString>,
}

/// Runs the command line, its first argument being the name of the program, and gives the exit code.
/// Listens to the signals of the process and writes to its output.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    match Arguments::try_parse_from(arguments) {
        Ok(Arguments { command: Command::Rehearse(asked) }) => asked.run().unwrap_or_else(|said| {
            complain(said);
            FAULT
        }),
        Err(error) => {
            // Nobody reads what could not be written.
            let _ = error.print();
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => 0,
                _ => FAULT,
            }
        }
    }
}

impl Rehearse {
    fn run(self) -> Result<u8, String> {
        let teller = Teller::new(!self.command.is_empty());
        let ended = self.hold(&teller.lines());
        teller.finish();
        ended
    }

    fn hold(&self, lines: &Lines) -> Result<u8, String> {
        let script = self.script()?;
        let turns = script.turns();
        let transcript = self.transcript.as_deref().map(|path| -> Result<_, String> {
            let file = create_transcript(path).map_err(|error| about(path, &error))?;
            Ok(Box::new(file) as Box<dyn Write + Send>)
        });
        let heard = lines.clone();
        let options = Options {
            port: self.port,
            api_key: self.api_key.clone(),
            transcript: transcript.transpose()?,
            keeps_bodies: false,
            on_request: Some(Box::new(move |seen| report(seen, &heard))),
        };
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        runtime.block_on(async {
            // Whoever reads the address may end the rehearsal at once.
            let mut signals = Signals::listen().map_err(|error| error.to_string())?;
            let server = Server::start(script, options).await;
            let server = server.map_err(|error| format!("port {}: {error}", self.port))?;
            lines.tell(format_args!("listening on {} (turns: {turns})", server.url()));
            let ended = self.until_the_end(&server, &mut signals).await?;
            let left = server.turns_left();
            let refused = server.requests().iter().filter(|seen| seen.turn.is_none()).count();
            let lost = server.stop().await.err();
            if left > 0 {
                lines.tell(format_args!("turns left: {left} of {turns}"));
            }
            if refused > 0 {
                lines.tell(format_args!("requests refused: {refused}"));
            }
            if let Some(error) = lost {
                complain(format_args!("the transcript is not whole: {error}"));
                return Ok(ended.filter(|code| *code != 0).unwrap_or(FAULT));
            }
            Ok(match ended {
                None | Some(0) if left > 0 || refused > 0 => NOT_AS_WRITTEN,
                ended => ended.unwrap_or(0),
            })
        })
    }

    fn script(&self) -> Result<Script, String> {
        let text = fs::read_to_string(&self.file).map_err(|error| about(&self.file, &error))?;
        let read = if self.replay { Script::from_transcript } else { Script::from_yaml };
        read(&text).map_err(|fault| about(&self.file, &fault))
    }

    /// The exit code of the program that was to run, if there was one and nothing interrupted it.
    async fn until_the_end(
        &self,
        server: &Server,
        signals: &mut Signals,
    ) -> Result<Option<u8>, String> {
        let Some((program, arguments)) = self.command.split_first() else {
            signals.next().await;
            return Ok(None);
        };
        let mut child = Process::new(program)
            .args(arguments)
            .stdin(handed_on(io::stdin()))
            .stdout(handed_on(io::stdout()))
            .stderr(handed_on(io::stderr()))
            .env("OPENAI_BASE_URL", server.url())
            .env("OPENAI_API_KEY", self.api_key.as_deref().unwrap_or(KEY))
            .spawn()
            .map_err(|error| about(Path::new(program), &error))?;
        loop {
            tokio::select! {
                ended = child.wait() => {
                    return ended.map(|status| Some(code_of(status))).map_err(|error| error.to_string());
                }
                asked = signals.next() => match asked {
                    // The program was interrupted as well, and ends the rehearsal when it likes.
                    Asked::Interrupted => {}
                    Asked::Terminated => terminate(&mut child),
                },
            }
        }
    }
}

/// A stream of this process for the program. Node marks its own as not to be inherited, but a copy is.
#[cfg(unix)]
fn handed_on(stream: impl std::os::fd::AsFd) -> Stdio {
    stream.as_fd().try_clone_to_owned().map_or_else(|_| Stdio::inherit(), Stdio::from)
}

#[cfg(not(unix))]
fn handed_on<T>(_: T) -> Stdio {
    Stdio::inherit()
}

/// One line for each request.
fn report(seen: &Seen, lines: &Lines) {
    let status = seen.status;
    match (seen.turn, &seen.refusal) {
        (Some(turn), _) => lines.tell(format_args!("{status} turn {}", turn + 1)),
        (None, Some(why)) => lines.tell(format_args!("{status} refused: {why}")),
        (None, None) => lines.tell(format_args!("{status} refused")),
    }
}

/// The code of a program that a signal ended is that of a shell.
fn code_of(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

fn about(path: &Path, what: &dyn Display) -> String {
    format!("{}: {what}", path.display())
}

fn complain(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "swingbridge: {line}");
}

/// Passes on that this process is to end. A program that is gone is what was wanted.
#[cfg(unix)]
fn terminate(child: &mut Child) {
    let process = child.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?));
    if let Some(process) = process {
        let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
    }
}

#[cfg(not(unix))]
fn terminate(child: &mut Child) {
    let _ = child.start_kill();
}
