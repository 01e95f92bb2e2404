//! `swingbridge rehearse` as a process of its own (D-8).

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};

use serde_json::{Value, json};
use swingbridge_client::{Client, ClientConfig, Request};

const TWO: &str = "turns: [{ message: one }, { message: two }]";

/// A folder of one test's own, with a script in it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str, script: &str) -> Self {
        let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&place).expect("a folder");
        fs::write(place.join("script.yaml"), script).expect("a script");
        Self(place)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_swingbridge"));
        command.arg("rehearse").args(arguments).current_dir(&self.0);
        command
    }

    fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command")
    }

    /// A rehearsal that tells its address.
    fn start(&self, arguments: &[&str]) -> Rehearsal {
        let mut rehearsal = self.spawn(arguments);
        let first = rehearsal.line();
        first.split_whitespace().nth(2).expect("an address").clone_into(&mut rehearsal.url);
        rehearsal
    }

    fn spawn(&self, arguments: &[&str]) -> Rehearsal {
        let mut command = self.command(arguments);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the command");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        Rehearsal { child, lines, url: String::new() }
    }
}

struct Rehearsal {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    url: String,
}

impl Rehearsal {
    fn ask(&self, key: &str, input: &str) -> Result<Value, u16> {
        let mut config = ClientConfig::new(key);
        config.base_url.clone_from(&self.url);
        config.uses_proxies = false;
        config.max_retries = 0;
        let client = Client::new(config).expect("a client");
        let body = json!({"model": "m", "input": input}).to_string();
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        match runtime.block_on(client.send(Request::new("responses", vec![body.into()]))) {
            Ok(reply) => Ok(serde_json::from_slice(&reply.body).expect("JSON")),
            Err(fault) => Err(fault.service().expect("a status").status),
        }
    }

    fn line(&mut self) -> String {
        self.lines.next().expect("a line").expect("text")
    }

    #[cfg(unix)]
    fn end(mut self, signal: rustix::process::Signal) -> (ExitStatus, Vec<String>) {
        let id = i32::try_from(self.child.id()).expect("an id");
        let process = rustix::process::Pid::from_raw(id).expect("an id");
        rustix::process::kill_process(process, signal).expect("a signal");
        let rest = self.lines.map(|line| line.expect("text")).collect();
        (self.child.wait().expect("an end"), rest)
    }
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("text")
}

#[cfg(unix)]
#[test]
fn it_serves_until_it_is_interrupted() {
    use rustix::process::Signal;
    for signal in [Signal::INT, Signal::TERM] {
        let place = Place::new(&format!("serves-{}", signal.as_raw()), TWO);
        let mut rehearsal = place.start(&["script.yaml"]);
        assert!(rehearsal.url.starts_with("http://127.0.0.1:"), "{}", rehearsal.url);
        assert_eq!(rehearsal.ask("any", "go").expect("a response")["id"], "resp_1");
        assert_eq!(rehearsal.line(), "200 turn 1");
        let (status, rest) = rehearsal.end(signal);
        assert_eq!(rest, ["turns left: 1 of 2"]);
        assert_eq!(status.code(), Some(1));
    }
}

#[cfg(unix)]
#[test]
fn it_may_be_ended_as_soon_as_it_has_told_its_address() {
    let place = Place::new("at-once", TWO);
    let (status, rest) = place.start(&["script.yaml"]).end(rustix::process::Signal::INT);
    assert_eq!(rest, ["turns left: 2 of 2"]);
    assert_eq!(status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_script_that_was_played_whole_is_a_success() {
    let place = Place::new("whole", TWO);
    let _ = fs::remove_file(place.0.join("run.jsonl"));
    let rehearsal = place.start(&["script.yaml", "--transcript", "run.jsonl"]);
    for _ in 0..2 {
        rehearsal.ask("any", "go").expect("a response");
    }
    let (status, rest) = rehearsal.end(rustix::process::Signal::INT);
    assert_eq!(rest, ["200 turn 1", "200 turn 2"]);
    assert_eq!(status.code(), Some(0));

    let rehearsal = place.start(&["--replay", "run.jsonl"]);
    let response = rehearsal.ask("any", "something else").expect("a response");
    assert_eq!(response["output"][0]["content"][0]["text"], "one");
    let (status, _) = rehearsal.end(rustix::process::Signal::INT);
    assert_eq!(status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_request_too_many_is_no_success() {
    let place = Place::new("too-many", "turns: [{ message: one }]");
    let rehearsal = place.start(&["script.yaml"]);
    assert!(rehearsal.ask("any", "go").is_ok());
    assert_eq!(rehearsal.ask("any", "go"), Err(400));
    let (status, rest) = rehearsal.end(rustix::process::Signal::INT);
    let refused = "400 refused: all turns of the script were taken";
    assert_eq!(rest, ["200 turn 1", refused, "requests refused: 1"]);
    assert_eq!(status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_key_can_be_asked_for_and_is_not_told() {
    let place = Place::new("key", TWO);
    let mut rehearsal = place.start(&["script.yaml", "--api-key", "right-key"]);
    assert_eq!(rehearsal.ask("wrong-key", "go"), Err(401));
    assert!(rehearsal.ask("right-key", "go").is_ok());
    let refused = rehearsal.line();
    assert!(refused.starts_with("401 refused: "), "{refused}");
    assert!(!refused.contains("-key"), "{refused}");
    rehearsal.end(rustix::process::Signal::INT);
}

#[cfg(unix)]
#[test]
fn a_command_runs_within_it() {
    let place = Place::new("within", TWO);
    let shown = "echo $OPENAI_BASE_URL $OPENAI_API_KEY; exit 7";
    let output = place.output(&["script.yaml", "--", "sh", "-c", shown]);
    let said = text(&output.stderr);
    let url = said.split_whitespace().nth(2).expect("an address");
    assert_eq!(text(&output.stdout), format!("{url} sk-rehearsal-0000\n"));
    assert_eq!(output.status.code(), Some(7), "its own code comes first");

    let output = place.output(&["script.yaml", "--", "sh", "-c", "exit 0"]);
    assert_eq!(output.status.code(), Some(1), "both turns are left");

    let output = place.output(&["script.yaml", "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(output.status.code(), Some(128 + 9));

    let output = place.output(&["script.yaml", "--", "./no-such-program"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("\nswingbridge: ./no-such-program: "));
}

#[cfg(unix)]
#[test]
fn an_end_is_passed_on_to_the_command() {
    let place = Place::new("passed-on", TWO);
    let script = "trap 'echo told; exit 5' TERM; echo ready; n=0; \
                  while [ $n -lt 6000 ]; do n=$((n + 1)); sleep 0.01; done";
    let mut rehearsal = place.spawn(&["script.yaml", "--", "sh", "-c", script]);
    assert_eq!(rehearsal.line(), "ready");
    let (status, rest) = rehearsal.end(rustix::process::Signal::TERM);
    assert_eq!(rest, ["told"]);
    assert_eq!(status.code(), Some(5));
}

#[test]
fn what_cannot_be_held_is_told() {
    let place = Place::new("told", "turns: [{ mesage: one }]");
    let output = place.output(&["script.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert_eq!(said, "swingbridge: script.yaml: turns[0].mesage: there is no such key\n");
    for arguments in [&["missing.yaml"][..], &["--replay", "script.yaml"], &[], &["a", "--nothing"]]
    {
        let output = place.output(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
    let output = place.output(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("--transcript"));
}

#[test]
fn nothing_is_written_over() {
    let place = Place::new("over", TWO);
    let linked = place.0.join("linked.jsonl");
    let _ = fs::remove_file(&linked);
    fs::hard_link(place.0.join("script.yaml"), linked).expect("a link");
    for transcript in ["./script.yaml", "linked.jsonl"] {
        let output = place.output(&["script.yaml", "--transcript", transcript]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).starts_with(&format!("swingbridge: {transcript}: ")));
        assert_eq!(fs::read_to_string(place.0.join("script.yaml")).expect("the script"), TWO);
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_is_slow_stops_nothing() {
    let long = "x".repeat(30_000);
    let place =
        Place::new("slow", &format!("turns: [{{ expect: {{ text: {long} }}, message: a }}]"));
    let rehearsal = place.start(&["script.yaml"]);
    for _ in 0..8 {
        // More than a pipe holds, and nobody reads it.
        assert_eq!(rehearsal.ask("any", "go"), Err(400));
    }
    let Rehearsal { mut child, lines, .. } = rehearsal;
    let id = i32::try_from(child.id()).expect("an id");
    let process = rustix::process::Pid::from_raw(id).expect("an id");
    rustix::process::kill_process(process, rustix::process::Signal::HUP).expect("a signal");
    assert_eq!(child.wait().expect("an end").code(), Some(1));
    drop(lines);
}

#[test]
fn a_port_that_is_taken_is_told() {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let output = Place::new("taken", TWO).output(&["script.yaml", "--port", &port]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with(&format!("swingbridge: port {port}: ")));
}
