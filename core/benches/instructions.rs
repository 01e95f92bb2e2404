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
use swingbridge_core::runner::{ModelResponse, RunMachine, RunnerTools};
use swingbridge_core::{Answer, Ask, Reply};

const CALLS: u64 = 200;

/// What is counted, and how many instructions it may take.
struct Scenario {
    name: &'static str,
    ceiling: u64,
    values: fn() -> Vec<Json<'static>>,
    call: fn(&Selection, Vec<Json<'static>>),
}

const SCENARIOS: &[Scenario] = &[
    Scenario { name: "click", ceiling: 33_000, values: click_values, call: click },
    Scenario { name: "read of 200 elements", ceiling: 700_000, values: read_values, call: read },
    Scenario {
        name: "screenshot of 1 MB",
        ceiling: 32_000,
        values: screenshot_values,
        call: screenshot,
    },
    Scenario { name: "turn with a function", ceiling: 15_000, values: turn_values, call: turn },
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
    for _ in 0..CALLS {
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
    println!("{:<24}{:>14}{:>12}", "core", "instructions", "ceiling");
    let mut is_within = true;
    for scenario in SCENARIOS {
        let counted = instructions(scenario.name, "calls")
            .zip(instructions(scenario.name, "values"))
            .map(|(calls, values)| calls.saturating_sub(values) / CALLS);
        let Some(counted) = counted else {
            println!("{:<24}callgrind gave no count", scenario.name);
            return ExitCode::FAILURE;
        };
        let verdict = if counted > scenario.ceiling { "  too many" } else { "" };
        is_within &= counted <= scenario.ceiling;
        println!("{:<24}{counted:>14}{:>12}{verdict}", scenario.name, scenario.ceiling);
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

fn turn(_: &Selection, values: Vec<Json<'static>>) {
    let declaration = json(r#"{"type":"function","name":"lookup"}"#);
    let plan = RunnerTools::new(None, &[declaration])
        .and_then(|tools| tools.admit(&json(r#"{"input":"hi"}"#), &Json::Null))
        .unwrap_or_else(|error| give_up(&error));
    let mut machine = RunMachine::begin(plan, false, 0, false);
    for value in values {
        let answer = match machine.ask() {
            Ask::Send(_) => Answer::Response(ModelResponse { body: value }),
            _ => Answer::Value(value),
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
