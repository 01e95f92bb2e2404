//! Counts the instructions that the core spends on one call.
//!
//!     make bench-core        (or: cargo bench -p swingbridge-core)
//!
//! The program runs itself under `valgrind --tool=callgrind`, once with the calls and once with only
//! the values that a host would hand over, and prints the difference per call. Counts do not depend on
//! the machine's load, so they are held to a ceiling; they change with the compiler, hence the slack.
//! Without valgrind nothing is counted and nothing fails.

use std::hint::black_box;
use std::process::{Command, ExitCode};

use swingbridge_core::browser::{
    ArgumentText, BrowserCall, CallFields, CallStatus, MEMBERS, Selection, SelectionOptions,
};
use swingbridge_core::json::{Held, Json, parse};
use swingbridge_core::runner::{
    FunctionDeclaration, ModelResponse, RunMachine, RunOptions, RunnerTools, StreamEvent,
};
use swingbridge_core::{Answer, Ask, Reply};

/// What is counted, how often for one count, and how many instructions it may take.
struct Scenario {
    name: &'static str,
    times: u64,
    ceiling: u64,
    values: fn() -> Vec<Json<'static>>,
    call: fn(&Selection, Vec<Json<'static>>),
}

const SCENARIOS: &[Scenario] = &[
    Scenario { name: "click", times: 200, ceiling: 33_000, values: click_values, call: click },
    Scenario {
        name: "read of 200 elements",
        times: 200,
        ceiling: 700_000,
        values: read_values,
        call: read,
    },
    Scenario {
        name: "screenshot of 1 MB",
        times: 200,
        ceiling: 32_000,
        values: screenshot_values,
        call: screenshot,
    },
    Scenario {
        name: "turn with a function",
        times: 200,
        ceiling: 22_000,
        values: turn_values,
        call: turn,
    },
    Scenario {
        name: "the same with a ledger",
        times: 200,
        ceiling: 29_000,
        values: turn_values,
        call: saved_turn,
    },
    Scenario {
        name: "1,000 streamed texts",
        times: 20,
        ceiling: 950_000,
        values: stream_values,
        call: stream,
    },
    Scenario {
        name: "1,000 calls in a response",
        times: 5,
        ceiling: 11_500_000,
        values: calls_values,
        call: turn,
    },
    Scenario {
        name: "the same with a ledger and turns",
        times: 5,
        ceiling: 12_500_000,
        values: calls_values,
        call: saved_turn,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().position(|argument| argument == "--count") {
        Some(at) => count_me(&arguments[at + 1], arguments[at + 2] == "calls"),
        None => report(),
    }
}

fn count_me(name: &str, with_calls: bool) -> ExitCode {
    let Some(scenario) = SCENARIOS.iter().find(|scenario| scenario.name == name) else {
        return ExitCode::FAILURE;
    };
    let tools = everything();
    for _ in 0..scenario.times {
        let values = (scenario.values)();
        if with_calls {
            (scenario.call)(&tools, values);
        } else {
            black_box(values);
        }
    }
    ExitCode::SUCCESS
}

fn report() -> ExitCode {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("valgrind is not here: the core's instructions are not counted");
        return ExitCode::SUCCESS;
    }
    println!("{:<34}{:>14}{:>12}", "core", "instructions", "ceiling");
    let mut is_within = true;
    for scenario in SCENARIOS {
        let counted = instructions(scenario.name, "calls")
            .zip(instructions(scenario.name, "values"))
            .map(|(calls, values)| calls.saturating_sub(values) / scenario.times);
        let Some(counted) = counted else {
            println!("{:<34}callgrind gave no count", scenario.name);
            return ExitCode::FAILURE;
        };
        let verdict = if counted > scenario.ceiling { "  too many" } else { "" };
        is_within &= counted <= scenario.ceiling;
        println!("{:<34}{counted:>14}{:>12}{verdict}", scenario.name, scenario.ceiling);
    }
    if is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The instructions of one run of this program, from callgrind's summary.
fn instructions(name: &str, part: &str) -> Option<u64> {
    let program = std::env::current_exe().ok()?;
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--count", name, part])
        .output()
        .ok()?;
    if !run.status.success() {
        return None;
    }
    let log = String::from_utf8(run.stderr).ok()?;
    let line = log.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

// --- the scenarios -------------------------------------------------------------------------------

fn everything() -> Selection {
    let options = SelectionOptions {
        members: Some(MEMBERS.iter().map(|spec| spec.name.to_owned()).collect()),
        has_confirm: true,
        has_url_policy: true,
        ..SelectionOptions::default()
    };
    Selection::new(&options, |_| true).unwrap_or_else(|error| give_up(&error))
}

fn give_up<T>(error: &dyn std::fmt::Display) -> T {
    eprintln!("{error}");
    std::process::exit(1)
}

fn json(text: &'static str) -> Json<'static> {
    parse(text).unwrap_or_else(|error| give_up(&error))
}

fn state() -> Json<'static> {
    json(
        r#"{"tabs":[{"id":"t1","title":"A page","url":"https://example.com/a?b=c","active":true},
            {"id":"t2","title":"Another","url":"about:blank","active":false}]}"#,
    )
}

/// Drives a call; the driver's values are used in turn.
fn drive(tools: &Selection, tool: &str, arguments: &str, values: Vec<Json<'static>>) {
    let fields = CallFields {
        kind: Some("function_call"),
        name: Some(tool),
        call_id: Some("call_1"),
        arguments: ArgumentText::Valid(arguments),
        status: CallStatus::Text("completed"),
    };
    let mut values = values.into_iter();
    let mut machine = BrowserCall::begin(tools, &fields, false, 0, false);
    while !machine.ask().is_end() {
        let answer = match machine.ask() {
            Ask::Confirm { .. } => Answer::Verdict(true),
            _ => Answer::Value(values.next().unwrap_or(Json::Null)),
        };
        if let Err(misuse) = machine.answer(machine.ask_id(), Reply::new(answer)) {
            give_up::<()>(&misuse);
        }
    }
    if let Ask::Stopped(stop) = machine.ask() {
        give_up::<()>(stop);
    }
    black_box(machine);
}

fn click_values() -> Vec<Json<'static>> {
    vec![state(), Json::Null, state()]
}

fn click(tools: &Selection, values: Vec<Json<'static>>) {
    drive(tools, "browser_click", r#"{"target":"e12","tab_id":null}"#, values);
}

fn read_values() -> Vec<Json<'static>> {
    let element = |index: usize| {
        Json::Object(vec![
            ("ref".into(), Json::Text(format!("e{index}").into())),
            ("role".into(), Json::Text("button".into())),
            ("label".into(), Json::Text(format!("Button number {index}").into())),
            ("value".into(), Json::Text("value".into())),
        ])
    };
    let report = Json::Object(vec![
        ("version".into(), Json::Int(1)),
        ("text".into(), Json::Text("text of the page ".repeat(200).into())),
        ("elements".into(), Json::List((0..200).map(element).collect())),
        ("omitted".into(), Json::List(Vec::new())),
    ]);
    vec![state(), report, state()]
}

fn read(tools: &Selection, values: Vec<Json<'static>>) {
    drive(tools, "browser_read_page", r#"{"tab_id":null,"filter":"all"}"#, values);
}

/// The picture stays with the host; the core sees its beginning.
fn screenshot_values() -> Vec<Json<'static>> {
    let head = format!("data:image/png;base64,{}", "A".repeat(234)).into();
    let image = Json::Object(vec![
        ("type".into(), Json::Text("input_image".into())),
        ("image_url".into(), Json::Held(Held { head, handle: 0 })),
    ]);
    vec![state(), image, state()]
}

fn screenshot(tools: &Selection, values: Vec<Json<'static>>) {
    drive(tools, "browser_screenshot", r#"{"tab_id":null}"#, values);
}

fn turn_values() -> Vec<Json<'static>> {
    let work = json(
        r#"{"status":"completed","output":[{"type":"function_call","id":"i1","call_id":"c1",
            "name":"lookup","arguments":"{\"query\":\"q\"}","status":"completed"}]}"#,
    );
    let last = json(
        r#"{"status":"completed","output":[{"type":"message","id":"m1","role":"assistant",
            "status":"completed","content":[{"type":"output_text","text":"done",
            "annotations":[]}]}]}"#,
    );
    vec![work, Json::Text("found".into()), last]
}

fn calls_values() -> Vec<Json<'static>> {
    let call = |index: usize| {
        let text = |text: String| Json::Text(text.into());
        Json::Object(vec![
            ("type".into(), text("function_call".to_owned())),
            ("id".into(), text(format!("item_{index}"))),
            ("call_id".into(), text(format!("call_{index}"))),
            ("name".into(), text("lookup".to_owned())),
            ("arguments".into(), text(r#"{"query":"q"}"#.to_owned())),
        ])
    };
    let work = Json::Object(vec![
        ("status".into(), Json::Text("completed".into())),
        ("output".into(), Json::List((0..1_000).map(call).collect())),
    ]);
    let mut values = vec![work];
    values.extend((0..1_000).map(|_| Json::Text("found".into())));
    values.extend(turn_values().pop());
    values
}

/// Events of text, then the completed response.
fn stream_values() -> Vec<Json<'static>> {
    let delta =
        |_| Json::Object(vec![("type".into(), Json::Text("response.output_text.delta".into()))]);
    let mut events: Vec<Json<'static>> = (0..1_000).map(delta).collect();
    let completed = turn_values().pop().unwrap_or(Json::Null);
    events.push(Json::Object(vec![
        ("type".into(), Json::Text("response.completed".into())),
        ("response".into(), completed),
    ]));
    events
}

fn turn(_: &Selection, values: Vec<Json<'static>>) {
    run(&RunOptions::default(), values);
}

fn saved_turn(_: &Selection, values: Vec<Json<'static>>) {
    let options = RunOptions {
        ledger: Some(json(r#"{"run_id":"r"}"#)),
        tools: Json::List(Vec::new()),
        yields_turns: true,
        ..RunOptions::default()
    };
    run(&options, values);
}

fn stream(_: &Selection, values: Vec<Json<'static>>) {
    let options =
        RunOptions { stream: Json::Bool(true), delivers_events: true, ..RunOptions::default() };
    run(&options, values);
}

/// Drives a run; the values of the model, of its streams and of the functions are used in turn.
fn run(options: &RunOptions<'_>, values: Vec<Json<'static>>) {
    let declaration = json(r#"{"type":"function","name":"lookup"}"#);
    let function =
        FunctionDeclaration { tool: &declaration, allows_override: false, is_independent: false };
    let plan = RunnerTools::new(None, &[function])
        .and_then(|tools| tools.admit(&json(r#"{"input":"hi"}"#), options))
        .unwrap_or_else(|error| give_up(&error));
    let mut machine = RunMachine::begin(plan, false, 0, false);
    let mut values = values.into_iter();
    let mut next = || values.next().unwrap_or(Json::Null);
    while !machine.ask().is_end() {
        let answer = match machine.ask() {
            Ask::Send(request) if request.streams => Answer::Streaming,
            Ask::Send(_) => Answer::Response(ModelResponse { body: next() }),
            Ask::ReadEvent => Answer::Event(StreamEvent { body: next() }),
            Ask::CallFunction(_) => Answer::Value(next()),
            _ => Answer::Seen,
        };
        if let Err(misuse) = machine.answer(machine.ask_id(), Reply::new(answer)) {
            give_up::<()>(&misuse);
        }
    }
    if let Ask::Stopped(stop) = machine.ask() {
        give_up::<()>(stop);
    }
    black_box(machine);
}
