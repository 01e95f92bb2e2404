//! What a model wrote, a page showed or a driver said is in no error, no record and no debug text.

#![allow(clippy::expect_used, clippy::panic, reason = "a helper that cannot go on fails its test")]

mod support;

use std::fmt::Debug;

use support::compare::parsed;
use support::drive::{call, confirming, drive, everything, good_answer, members};
use support::run_drive::{self, begin_with, plan, response, tools};
use swingbridge_core::browser::{
    ArgumentFault, Arguments, BrowserCall, BrowserState, CallFields, FieldKind, Member, Selection,
};
use swingbridge_core::computer::{ComputerCall, ComputerOptions};
use swingbridge_core::json::{Json, RawJson, Text, parse};
use swingbridge_core::runner::{ModelResponse, RunMachine};
use swingbridge_core::{Answer, Ask, Failure, Reply};

const SECRET: &str = "hunter2";

fn assert_silent(what: &str, value: &dyn Debug) {
    for text in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(!text.contains(SECRET), "{what} shows a secret: {text}");
    }
}

/// Arguments of the member with a secret in every text that may be any text.
fn arguments(member: Member) -> String {
    let fields = member.spec().fields.iter().map(|field| {
        let value = match field.kind {
            FieldKind::Text
            | FieldKind::OptionalText
            | FieldKind::VisibleText
            | FieldKind::Source
            | FieldKind::Reference
            | FieldKind::OptionalReference => format!("\"{}{SECRET}\"", url_of(field.name)),
            FieldKind::Texts | FieldKind::HeldKeys => format!(r#"["{SECRET}"]"#),
            FieldKind::OneOf(words) => format!("\"{}\"", words[0]),
            FieldKind::Int { min, .. } => min.to_string(),
            FieldKind::IntOneOf(ints) => ints[0].to_string(),
            FieldKind::Bool => "true".to_owned(),
            FieldKind::Modifiers => "[]".to_owned(),
            FieldKind::Region => "[0,0,1,1]".to_owned(),
            FieldKind::Path => r#"[{"x":1,"y":1},{"x":2,"y":2}]"#.to_owned(),
        };
        format!("\"{}\":{value}", field.name)
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn url_of(field: &str) -> &'static str {
    if field == "url" { "https://example.com/" } else { "" }
}

fn state() -> Json<'static> {
    parsed(&format!(
        r#"{{"tabs":[{{"id":"t1","title":"{SECRET}","active":true,
            "url":"https://{SECRET}@example.com/{SECRET}?{SECRET}#{SECRET}"}}],
            "observation":{{"version":1,"sequence":0,"dropped_changes":0,
            "title_truncated":false,"changes":[]}}}}"#
    ))
}

/// Results of every shape; each member takes one of them or stops.
fn results() -> Vec<Json<'static>> {
    let read = format!(
        r#"{{"version":1,"text":"{SECRET}","omitted":[],"scopes":[],
            "elements":[{{"ref":"{SECRET}","role":"button","label":"{SECRET}","value":"{SECRET}"}}]}}"#
    );
    let image = format!(r#"{{"type":"input_image","image_url":"data:,{SECRET}"}}"#);
    let file = format!(r#"{{"version":1,"status":"{SECRET}"}}"#);
    let text = format!("\"{SECRET}\"");
    [read, image, file, text].iter().map(|json| parsed(json)).collect()
}

fn answers(ask: &Ask<'_>) -> Vec<Answer<'static>> {
    let told = || Answer::Failed(Failure::Told(SECRET.to_owned().into()));
    match ask {
        Ask::ReadState => vec![Answer::Value(state()), told()],
        Ask::Act { .. } | Ask::CallFunction(_) => {
            let results = results().into_iter().map(Answer::Value);
            results.chain([told()]).collect()
        }
        Ask::Confirm { .. } | Ask::ReviewUrl { .. } => vec![Answer::Verdict(true), told()],
        Ask::Emit(_) => vec![Answer::Seen],
        other => panic!("nothing to answer to {other:?}"),
    }
}

fn selections(member: Member) -> Vec<Selection> {
    let is_read = member.spec().effect == swingbridge_core::browser::Effect::Read;
    if is_read { vec![everything(), confirming(&[member])] } else { vec![everything()] }
}

/// Every way through a call in which each ask gets each of its answers once.
#[test]
fn a_call_shows_nothing_on_any_way() {
    let mut endings = 0;
    for member in members() {
        for selection in selections(member) {
            let text = arguments(member);
            assert!(Arguments::parse(member, &text).is_ok(), "{text}");
            let fields = call(member.spec().tool, &text);
            assert_silent("the fields", &fields);
            let mut ways: Vec<Vec<usize>> = vec![Vec::new()];
            while let Some(way) = ways.pop() {
                endings += follow(&selection, &fields, &way, &mut ways);
            }
        }
    }
    assert!(endings > 200, "{endings} ways");
}

/// Follows a way and then adds the ways that go on from its end. Returns 1 if it was an end.
fn follow(
    selection: &Selection,
    fields: &CallFields<'_>,
    way: &[usize],
    ways: &mut Vec<Vec<usize>>,
) -> usize {
    let mut machine = BrowserCall::begin(selection, fields, true, 0, false);
    for choice in way {
        assert_silent("the machine", &machine);
        assert_silent("an ask", &machine.ask());
        if let Ask::Confirm { context } | Ask::ReviewUrl { context, .. } = machine.ask() {
            assert_silent("a context", &context);
        }
        let answer = answers(&machine.ask()).swap_remove(*choice);
        let reply = Reply::new(answer);
        assert_silent("an answer", &reply);
        machine.answer(machine.ask_id(), reply).expect("a right answer");
    }
    assert_silent("the machine", &machine);
    assert_silent("an ask", &machine.ask());
    match machine.ask() {
        Ask::Stopped(stop) => {
            assert!(!stop.to_string().contains(SECRET));
            1
        }
        Ask::Output(_) => 1,
        ask => {
            ways.extend((0..answers(&ask).len()).map(|choice| [way, &[choice]].concat()));
            0
        }
    }
}

#[test]
fn records_show_nothing() {
    for member in members() {
        let text = arguments(member);
        let machine =
            BrowserCall::begin(&everything(), &call(member.spec().tool, &text), true, 0, false);
        let driven = drive(machine, |_, ask| {
            Reply::new(if let Ask::ReadState = ask {
                Answer::Value(state())
            } else if let Ask::Act { .. } = ask {
                Answer::Failed(Failure::Told(SECRET.to_owned().into()))
            } else {
                good_answer(ask)
            })
        });
        assert_silent("the records", &driven.records);
        assert!(driven.records.iter().all(|record| record.call_id.as_deref() == Some("call_1")));
    }
}

#[test]
fn refused_arguments_are_told_without_what_was_written() {
    let written = [
        SECRET.to_owned(),
        format!(r#"{{"{SECRET}":1}}"#),
        format!(r#"{{"target":["{SECRET}"],"tab_id":null}}"#),
        format!(r#"{{"target":"{SECRET}"}}"#),
    ];
    let mut faults = Vec::new();
    for text in &written {
        let fault = Arguments::parse(Member::Click, text).expect_err("a fault");
        assert_silent("a fault", &fault);
        assert!(!fault.to_string().contains(SECRET));
        faults.push(fault);
    }
    let expected = [
        ArgumentFault::NotAnObject,
        ArgumentFault::Unknown,
        ArgumentFault::Invalid("target"),
        ArgumentFault::Missing("tab_id"),
    ];
    assert_eq!(faults, expected);
}

#[test]
fn values_show_their_kind_only() {
    let text = format!(r#"{{"{SECRET}":["{SECRET}"]}}"#);
    assert_silent("a value", &parse(&text));
    assert_silent("raw text", &RawJson::parse(&text));
    assert_silent("a text", &Text::from(SECRET));
    assert_silent("a state", &BrowserState::read(&state()).expect("a state"));
    assert_silent("a response", &ModelResponse { body: parsed(&text) });
    assert_silent("a fault", &parse(SECRET));
    assert_silent("arguments", &Arguments::parse(Member::Type, &arguments(Member::Type)));
}

#[test]
fn a_run_shows_nothing_at_any_ask() {
    let function = run_drive::call("c1", "lookup", &format!(r#"{{"a":"{SECRET}"}}"#));
    let typed = run_drive::call("c2", "browser_type", &arguments(Member::Type));
    let message = run_drive::MESSAGE.replace("done", SECRET);
    let params = format!(r#"{{"input":"{SECRET}","instructions":"{SECRET}"}}"#);
    let tools = tools(Some(everything()), &["lookup"]);
    let plan = plan(&tools, &params, 20);
    assert_silent("a plan", &plan);
    let mut machine = RunMachine::begin(plan, true, 0, false);
    let mut bodies = vec![response(&[message]), response(&[function, typed])];
    let mut asks = 0;
    while !machine.ask().is_end() {
        asks += 1;
        assert_silent("the machine", &machine);
        assert_silent("an ask", &machine.ask());
        let answer = match machine.ask() {
            Ask::Send(_) => {
                Answer::Response(ModelResponse { body: bodies.pop().expect("a response") })
            }
            Ask::CallFunction(_) => Answer::Value(Json::Text(SECRET.into())),
            Ask::ReadState => Answer::Value(state()),
            Ask::Act { .. } => Answer::Failed(Failure::Told(SECRET.to_owned().into())),
            ref other => good_answer(other),
        };
        assert_silent("an answer", &answer);
        machine.answer(machine.ask_id(), Reply::new(answer)).expect("a right answer");
    }
    assert_eq!(asks, 12);
    assert_silent("the machine", &machine);
}

#[test]
fn a_run_that_stops_shows_nothing() {
    let bad_items = [
        format!(r#"{{"type":"{SECRET}"}}"#),
        run_drive::call("c1", SECRET, "{}"),
        run_drive::call("c1", "lookup", SECRET),
        format!(r#"{{"type":"message","id":"m","role":"{SECRET}"}}"#),
    ];
    for item in bad_items {
        let driven =
            run_drive::drive_well(begin_with(r#"{"input":"hi"}"#, 20), vec![response(&[item])]);
        let stop = driven.end.expect_err("a stop");
        assert!(!stop.to_string().contains(SECRET) && !format!("{stop:?}").contains(SECRET));
    }
}

#[test]
fn a_computer_call_shows_nothing_at_any_ask() {
    let call = parsed(&format!(
        r#"{{"type":"computer_call","id":"i","call_id":"c","status":"completed",
            "pending_safety_checks":[{{"id":"s","code":"{SECRET}","message":"{SECRET}"}}],
            "actions":[{{"type":"type","text":"{SECRET}"}},
                       {{"type":"keypress","keys":["{SECRET}"]}}]}}"#
    ));
    let options =
        ComputerOptions { approves_safety_checks: true, reviews_actions: true, observed: true };
    let mut machine = ComputerCall::begin(&call, options, 0, false);
    let mut asks = 0;
    while !machine.ask().is_end() {
        asks += 1;
        assert_silent("the machine", &machine);
        assert_silent("an ask", &machine.ask());
        let answer = match machine.ask() {
            Ask::Emit(_) => Answer::Seen,
            Ask::ApproveSafety { .. } | Ask::ReviewAction { .. } => Answer::Verdict(true),
            Ask::TakeScreenshot => Answer::Value(parsed(&format!(
                r#"{{"type":"computer_screenshot","image_url":"data:,{SECRET}"}}"#
            ))),
            _ => Answer::Value(Json::Null),
        };
        machine.answer(machine.ask_id(), Reply::new(answer)).expect("a right answer");
    }
    assert!(matches!(machine.ask(), Ask::ComputerOutput(_)), "{:?}", machine.ask());
    assert!(asks > 7, "{asks} asks");
    assert_silent("the machine", &machine);
    assert_silent("the output", &machine.ask());
}
