//! What an observer is told of a run's functions and of the approvals of remote tools: which records, in
//! which order, how long each stage took, and nothing that a call carries (R-60).

mod support;

use support::compare::{parsed, text};
use support::run_drive::{call, click, last, lookup, response};
use support::stage::{Played, Stage, TICK, and_cancelled, failed, value};
use swingbridge_core::diagnostic::Diagnostic;
use swingbridge_core::json::Json;
use swingbridge_core::{Answer, Reply, Stop};

const SECRET: &str = "hunter2";
const SERVER: &str = r#"{"input":"hi","tools":[{"type":"mcp","server_label":"s"}]}"#;

/// What replaces the good answer to the call, and the records of the call.
type Case = (fn() -> Option<Reply<'static>>, &'static [&'static str]);

fn ask(id: &str) -> String {
    format!(
        r#"{{"type":"mcp_approval_request","id":"{id}","server_label":"s","name":"t",
            "arguments":"{SECRET}"}}"#
    )
}

fn told(record: &Diagnostic) -> String {
    let words = format!("{}:{}", record.stage.as_str(), record.reason.as_str());
    match (&record.call_id, &record.member) {
        (Some(call_id), Some(member)) => format!("{words} {call_id} {member}"),
        _ => words,
    }
}

/// The records, each with what it names.
fn named(played: &Played) -> Vec<String> {
    assert!(!format!("{:?}", played.records).contains(SECRET), "{:?}", played.records);
    played.records.iter().map(told).collect()
}

fn secret() -> Option<Reply<'static>> {
    value(parsed(&format!(r#"["{SECRET}"]"#)))
}

#[allow(clippy::unnecessary_wraps, reason = "it stands beside None")]
fn cancelled() -> Option<Reply<'static>> {
    Some(Reply::new(Answer::Cancelled))
}

const FUNCTION_CASES: &[Case] = &[
    (|| value(text(SECRET)), &["action:completed c1 lookup"]),
    (|| and_cancelled(Answer::Value(text(SECRET))), &["action:completed c1 lookup"]),
    (secret, &["action:completed c1 lookup", "output:invalid_output c1 lookup"]),
    (failed, &["action:driver_failed c1 lookup"]),
    (cancelled, &["action:cancelled c1 lookup"]),
    (|| failed().map(|reply| Reply { cancelled: true, ..reply }), &["action:cancelled c1 lookup"]),
];

#[test]
fn each_function_is_reported_when_it_is_over() {
    for (reply, expected) in FUNCTION_CASES {
        let played = Stage::new(vec![response(&[lookup("c1")]), last()])
            .observed()
            .reply(|word| if word == "call c1" { reply() } else { None })
            .play();
        let records = named(&played);
        assert_eq!(records[0], "request:completed");
        let of_call = &records[1..=expected.len()];
        assert_eq!(of_call, *expected);
        let more: &[&str] = if played.end == Some(Ok(())) { &["request:completed"] } else { &[] };
        assert_eq!(records[1 + expected.len()..], *more, "{expected:?}");
    }
}

/// The same while the stream goes on, beside it or not; the request that was not read to its end
/// failed with the run.
#[test]
fn functions_that_run_early_are_reported_before_their_request() {
    for (name, word) in [("lookup", "call c1"), ("beside", "await c1")] {
        let body = response(&[call("c1", name, "{}"), lookup("c2")]);
        let played = |reply: fn() -> Option<Reply<'static>>| {
            Stage::new(vec![body.clone(), last()])
                .streaming(true)
                .observed()
                .reply(|told| if told == word { reply() } else { None })
                .play()
        };
        let action = |reason: &str| format!("action:{reason} c1 {name}");
        let well = named(&played(|| None));
        let second = "action:completed c2 lookup".to_owned();
        let ends = ["request:completed".to_owned(), "request:completed".to_owned()];
        assert_eq!(well, [&[action("completed"), second][..], &ends].concat());
        let api_failed = "request:api_failed".to_owned();
        assert_eq!(named(&played(failed)), [action("driver_failed"), api_failed.clone()]);
        let invalid = format!("output:invalid_output c1 {name}");
        assert_eq!(named(&played(secret)), [action("completed"), invalid, api_failed]);
        let given_up = "request:cancelled".to_owned();
        assert_eq!(named(&played(cancelled)), [action("cancelled"), given_up]);
    }
}

/// R-34: what was started is reported call by call, also after one has failed.
#[test]
fn started_functions_are_all_reported() {
    let items = [call("c1", "beside", "{}"), call("c2", "along", "{}")];
    let play = |failing: &'static str| {
        let mut stage = Stage::new(vec![response(&items), last()]).streaming(true).observed();
        stage.options.max_concurrent_calls = Json::Int(2);
        stage.reply(move |told| if told == failing { failed() } else { None }).play()
    };
    assert_eq!(
        named(&play("await c1")),
        ["action:driver_failed c1 beside", "action:completed c2 along", "request:api_failed"]
    );
    assert_eq!(
        named(&play("await c2")),
        ["action:completed c1 beside", "action:driver_failed c2 along", "request:api_failed"]
    );
    // One that could not be started: it was begun all the same.
    assert_eq!(
        named(&play("start c2")),
        ["action:driver_failed c2 along", "action:completed c1 beside", "request:api_failed"]
    );
}

/// Its own start counts, and not what ran beside it or the observer; the request takes as long as its
/// stream.
#[test]
fn durations_are_of_the_stage() {
    let items = [call("c1", "beside", "{}"), lookup("c2")];
    let played = Stage::new(vec![response(&items), last()]).streaming(true).observed().play();
    let durations: Vec<u64> = played.records.iter().map(|record| record.duration / TICK).collect();
    let at = |word: &str| u64::try_from(played.at(word)).expect("a small number");
    assert_eq!(
        durations,
        [
            at("await c1") + 1 - at("start c1"),
            1,
            at("emit request") - at("send 1"),
            at("finished") - 1 - at("send 2")
        ]
    );
}

/// R-10, R-11.
#[test]
fn refused_arguments_are_reported_with_their_call() {
    let arguments = format!(r#"["{SECRET}"]"#);
    let items = [lookup("c1"), call("c2", "note", &arguments), call("c3", "note", "[")];
    let play = |early| {
        let stage = Stage::new(vec![response(&items)]).observed();
        if early { stage.streaming(true).play() } else { stage.play() }
    };
    let refused = "arguments:invalid_input c2 note";
    assert_eq!(named(&play(false)), ["request:completed", refused]);
    assert_eq!(named(&play(true)), ["action:completed c1 lookup", refused, "request:api_failed"]);
}

/// R-41.
#[test]
fn each_decision_on_a_remote_tool_is_reported() {
    let cases: &[Case] = &[
        (|| value(Json::Bool(true)), &["approval:completed ask t"]),
        (|| value(Json::Bool(false)), &["approval:refused ask t"]),
        (secret, &["approval:policy_failed ask t"]),
        (failed, &["approval:policy_failed ask t"]),
        (cancelled, &["approval:cancelled ask t"]),
        (|| and_cancelled(Answer::Value(Json::Bool(true))), &["approval:cancelled ask t"]),
    ];
    let given = format!(
        r#"{{"input":[{},{{"type":"mcp_approval_response","approval_request_id":"ask",
            "approve":true}}],"tools":[{{"type":"mcp","server_label":"s"}}]}}"#,
        ask("ask")
    );
    for (reply, expected) in cases {
        let played = Stage::new(vec![response(&[ask("ask")]), last()])
            .params(SERVER)
            .observed()
            .reply(|word| if word == "approve ask" { reply() } else { None })
            .play();
        assert_eq!(named(&played)[1..2], **expected);
        assert_eq!(played.records[1].duration, TICK);
        // R-42: the same of one that is asked again, before the first request.
        let played = Stage::new(vec![last()])
            .params(&given)
            .observed()
            .reply(|word| if word == "again ask" { reply() } else { None })
            .play();
        assert_eq!(named(&played)[..1], **expected);
        assert_eq!(played.records[0].duration, TICK);
    }
}

/// What is no name of a tool may be any text of the model's.
#[test]
fn a_text_in_the_place_of_a_name_is_not_repeated() {
    for name in ["a b", "a\\nb", "é", &"x".repeat(129)] {
        let asked = ask("ask").replace(r#""t""#, &format!("\"{name}\""));
        let played = Stage::new(vec![response(&[asked]), last()])
            .params(SERVER)
            .observed()
            .reply(|word| if word == "approve ask" { value(Json::Bool(true)) } else { None })
            .play();
        let record = &played.records[1];
        let shown = (record.stage.as_str(), record.call_id.as_deref(), record.member.as_deref());
        assert_eq!(shown, ("approval", Some("ask"), None), "{name}");
    }
}

#[test]
fn a_remote_tool_that_nobody_can_approve_is_reported() {
    let mut stage = Stage::new(vec![response(&[ask("ask")])]).params(SERVER).observed();
    stage.options.approves_mcp = false;
    let played = stage.play();
    assert_eq!(played.end, Some(Err(Stop::McpUndecided)));
    assert_eq!(named(&played), ["request:completed", "approval:policy_failed ask t"]);
}

/// L-2: an observer never stands between an effect and its checkpoint.
#[test]
fn what_was_done_is_saved_before_it_is_told() {
    let play = |cancels: bool| {
        Stage::new(vec![response(&[lookup("c1"), click("c2")]), last()])
            .ledger(parsed(r#"{"run_id":"r"}"#))
            .observed()
            .reply(move |word| {
                if cancels && word == "emit action" { and_cancelled(Answer::Seen) } else { None }
            })
            .play()
    };
    let order = ["call c1", "save pending 1/1", "emit action", "save pending 1/2"];
    let played = play(false);
    let at = played.at("call c1");
    assert_eq!(played.trace[at..at + 4], order);
    let played = play(true);
    assert_eq!(played.end, Some(Err(Stop::RunCancelled)));
    assert_eq!(
        played.trace[at..],
        ["call c1", "save pending 1/1", "emit action", "stopped run_cancelled"]
    );
    assert_eq!((played.attempted, played.completed), (vec!["c1".into()], vec!["c1".into()]));
}

/// R-21: what nobody called is no stage.
#[test]
fn supplied_outputs_are_not_reported() {
    let output = parsed(r#"[{"type":"function_call_output","call_id":"c1","output":"own"}]"#);
    let played = Stage::new(vec![response(&[call("c1", "note", "{}")]), last()])
        .observed()
        .turns(|machine, world, step| {
            if step == 1 {
                let supplied = machine.supply_outputs(&output).expect("an override");
                world.supplied(&supplied, &output);
            }
            false
        })
        .play();
    assert_eq!(named(&played), ["request:completed", "request:completed"]);
}

/// Nobody who does not look is asked to.
#[test]
fn without_an_observer_nothing_is_told() {
    let items = [lookup("c1"), ask("ask"), call("c3", "note", "[")];
    for items in [&items[..2], &items] {
        let played = Stage::new(vec![response(items), last()]).params(SERVER).play();
        assert!(played.records.is_empty());
        assert!(!played.trace.iter().any(|word| word.starts_with("emit")), "{:?}", played.trace);
    }
}
