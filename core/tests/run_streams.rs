//! Streaming, early and independent work (R-30 to R-35), told as scenarios.

mod support;

use std::collections::VecDeque;

use support::compare::{parsed, set};
use support::drive::good_state;
use support::fuzz::item::{Edit, events};
use support::run_drive::{MESSAGE, call, click, last, lookup, response};
use support::stage::{Stage, and_cancelled, failed, value};
use swingbridge_core::diagnostic::UsageSummary;
use swingbridge_core::json::Json;
use swingbridge_core::{Answer, Reply, Stop};

const SAME: &[&str] = &["send 1", "call c1", "call c2", "send 2", "finished"];

fn beside(call_id: &str) -> String {
    call(call_id, "beside", "{}")
}

fn two_lookups() -> Vec<Json<'static>> {
    vec![response(&[lookup("c1"), lookup("c2")]), last()]
}

/// R-30: without `eager` a stream only shows the response as it comes.
#[test]
fn effects_wait_for_the_completed_response() {
    let played = Stage::new(two_lookups()).streaming(false).play();
    assert_eq!(played.words(), SAME);
    assert_eq!(played.at("call c1"), 7, "after all six events");
}

#[test]
fn eager_runs_each_completed_item_before_the_next_event() {
    let played = Stage::new(two_lookups()).streaming(true).play();
    assert_eq!(played.words(), SAME);
    assert_eq!((played.at("call c1"), played.at("call c2")), (4, 7));
}

#[test]
fn each_event_is_delivered_once_before_it_counts() {
    let mut stage = Stage::new(two_lookups()).streaming(true);
    stage.options.delivers_events = true;
    let played = stage.play();
    let reads = played.trace.iter().filter(|word| *word == "read").count();
    let delivered = played.trace.iter().filter(|word| *word == "deliver").count();
    assert_eq!((reads, delivered), (10, 10));
    assert_eq!(played.trace[played.at("call c1") - 1], "deliver");
    let mut stage = Stage::new(two_lookups()).streaming(true);
    stage.options.delivers_events = true;
    let played = stage.reply(|word| if word == "deliver" { failed() } else { None }).play();
    assert_eq!(played.end, Some(Err(Stop::EventNotDelivered)));
    assert!(played.attempted.is_empty());
}

/// A stream that is cut short anywhere stops the run, and what was done stays on the receipts (R-35).
#[test]
fn a_stream_cut_at_every_event_keeps_its_receipts() {
    let body = response(&[lookup("c1"), lookup("c2")]);
    for cut in 0..6 {
        let stream = events(&body, &[Edit::Cut(cut)]);
        let played = Stage::new(vec![body.clone()]).streaming(true).streams(vec![stream]).play();
        assert_eq!(played.end, Some(Err(Stop::StreamEnded)), "at {cut}");
        let done: &[&str] = match cut {
            0..=2 => &[],
            3..=4 => &["c1"],
            _ => &["c1", "c2"],
        };
        assert_eq!(played.completed, done, "at {cut}");
        assert_eq!(played.attempted, done, "at {cut}");
    }
}

/// R-31: after the first gap everything waits for the whole response.
#[test]
fn events_out_of_order_wait() {
    let body = response(&[lookup("c1"), lookup("c2")]);
    let mut stream = events(&body, &[]);
    // created, added 0, done 0, added 1, done 1, completed
    stream.swap(2, 4);
    let played =
        Stage::new(vec![body.clone(), last()]).streaming(true).streams(vec![stream]).play();
    assert_eq!(played.words(), SAME);
    assert_eq!(played.at("call c1"), 7);
}

#[test]
fn an_item_that_comes_twice_or_changes_stops_with_the_receipts() {
    let body = response(&[lookup("c1"), lookup("c2")]);
    let mut repeated = events(&body, &[]);
    repeated.insert(3, repeated[2].clone());
    let mut changed = body.clone();
    if let Json::Object(fields) = &mut changed
        && let Some((_, Json::List(items))) = fields.iter_mut().find(|(name, _)| name == "output")
    {
        set(&mut items[0], "arguments", Json::Text(r#"{"a":1}"#.into()));
    }
    let mut other = events(&body, &[]);
    set(other.back_mut().expect("an event"), "response", changed);
    let mut shorter = events(&body, &[]);
    set(shorter.back_mut().expect("an event"), "response", response(&[lookup("c1")]));
    for (stream, completed) in
        [(repeated, &["c1"][..]), (other, &["c1", "c2"]), (shorter, &["c1", "c2"])]
    {
        let played = Stage::new(vec![body.clone()]).streaming(true).streams(vec![stream]).play();
        assert_eq!(played.end, Some(Err(Stop::StreamChanged)));
        assert_eq!(played.completed, completed);
    }
}

/// Of equal names the last one counts, in an item of the stream as in that of the response.
#[test]
fn an_item_with_repeated_names_is_compared_by_what_counts() {
    let item = |more: &str| {
        format!(
            r#"{{"type":"function_call","id":"fc_c1","call_id":"c1","name":"lookup","arguments":"{{}}",
               "status":"completed","beyond":1{more}}}"#
        )
    };
    let end_of = |streamed: &str, complete: &str| {
        let body = response(&[item(complete)]);
        let mut stream = events(&body, &[]);
        // created, added, done, completed
        set(&mut stream[2], "item", parsed(&item(streamed)));
        Stage::new(vec![body, last()]).streaming(true).streams(vec![stream]).play().end
    };
    let twice = r#","beyond":2"#;
    assert_eq!(end_of(twice, twice), Some(Ok(())));
    assert_eq!(end_of(r#","beyond":1"#, ""), Some(Ok(())));
    let changed = Some(Err(Stop::StreamChanged));
    assert_eq!(end_of(twice, ""), changed);
    assert_eq!(end_of("", twice), changed);
    assert_eq!(end_of(r#","beyond":1"#, r#","more":1"#), changed);
    assert_eq!(end_of(r#","more":1"#, r#","beyond":1"#), changed);
}

#[test]
fn every_way_in_which_a_stream_ends_badly_is_told_apart_and_reported() {
    let event = |json: &str| VecDeque::from([parsed(json)]);
    for (stream, stop) in [
        (event(r#"{"type":"response.incomplete","response":{}}"#), Stop::ResponseIncomplete),
        (event(r#"{"type":"response.failed","response":{}}"#), Stop::ResponseFailed),
        (event(r#"{"type":"error","message":"m"}"#), Stop::StreamError),
        (event(r#"{"type":"response.completed"}"#), Stop::StreamMalformed),
        (event(r#"{"kind":"x"}"#), Stop::StreamMalformed),
        (event("null"), Stop::StreamMalformed),
        (VecDeque::from([parsed(r#"{"type":"response.created"}"#)]), Stop::StreamEnded),
    ] {
        let played =
            Stage::new(vec![last()]).streaming(false).observed().streams(vec![stream]).play();
        assert_eq!(played.end, Some(Err(stop)));
        assert_eq!(played.records(), ["request:api_failed"], "{stop}");
    }
    let played = Stage::new(vec![last()])
        .streaming(false)
        .observed()
        .reply(|word| if word == "read" { failed() } else { None })
        .play();
    assert_eq!(played.end, Some(Err(Stop::RequestFailed)));
    assert_eq!(played.records(), ["request:api_failed"]);
}

/// R-60, R-61: what a request cost that was given up nobody knows, and a summary says so.
#[test]
fn a_request_that_is_given_up_is_reported() {
    let played = Stage::new(vec![last()])
        .streaming(false)
        .observed()
        .reply(|word| (word == "read").then(|| Reply::new(Answer::Cancelled)))
        .play();
    assert_eq!(played.end, Some(Err(Stop::RunCancelled)));
    assert_eq!(played.records(), ["request:cancelled"]);
    let mut summary = UsageSummary::default();
    summary.add("responses", "request", "cancelled", None);
    assert!(summary.is_incomplete());
}

/// R-32: the first call that may not run early defers all that follow.
#[test]
fn an_allow_list_changes_timing_only() {
    let items = [lookup("c1"), click("c2"), lookup("c3")];
    let responses = || vec![response(&items), last()];
    let order = ["call c1", "state", "confirm", "act click", "state", "call c3"];
    for (early, before_the_end) in [
        ("{}", 0),
        (r#"{"functions":["browser_click"]}"#, 0),
        (r#"{"functions":["lookup"]}"#, 1),
        (r#"{"functions":["lookup","browser_click"]}"#, 3),
    ] {
        let played = Stage::new(responses()).streaming(true).early(early).play();
        let words = played.words();
        assert_eq!(words[1..7], order, "{early}");
        let next = played.at("send 2");
        let last = played.trace[..next].iter().rposition(|word| word == "read").expect("events");
        let early_calls = ["call c1", "act click", "call c3"]
            .iter()
            .filter(|word| played.at(word) < last)
            .count();
        assert_eq!(early_calls, before_the_end, "{early}");
    }
}

#[test]
fn a_review_defers_or_executes_and_cannot_widen() {
    let decide = |decision: &'static str, early: &'static str| {
        let mut stage = Stage::new(two_lookups()).streaming(true).early(early);
        stage.options.reviews_early = true;
        let decision = Json::Text(decision.into());
        stage
            .reply(
                move |word| {
                    if word.starts_with("review") { value(decision.clone()) } else { None }
                },
            )
            .play()
    };
    let played = decide("execute", "null");
    assert_eq!(
        played.words(),
        ["send 1", "review c1", "call c1", "review c2", "call c2", "send 2", "finished"]
    );
    let played = decide("defer", "null");
    assert_eq!(played.words()[..3], ["send 1", "review c1", "call c1"]);
    assert_eq!(played.at("call c1"), 8, "c2 is deferred without being asked about");
    let played = decide("execute", r#"{"functions":[]}"#);
    assert_eq!(played.words(), SAME);
    for wrong in ["Execute", "", "deny"] {
        assert_eq!(decide(wrong, "null").end, Some(Err(Stop::EarlyUndecided)), "{wrong}");
    }
}

/// R-35: with a tool that the service runs everything waits for the whole response.
#[test]
fn declared_server_tools_make_local_work_wait() {
    let params = r#"{"input":"hi","tools":[{"type":"web_search"}]}"#;
    let played = Stage::new(two_lookups()).params(params).streaming(true).play();
    assert_eq!(played.at("call c1"), 7);
}

#[test]
fn the_last_allowed_request_runs_nothing_early() {
    let played = Stage::new(two_lookups()).streaming(true).at_most(1).play();
    assert_eq!(played.end, Some(Err(Stop::StepLimit)));
    assert!(played.attempted.is_empty());
}

#[test]
fn independent_functions_run_beside_the_stream_in_groups() {
    let items = ["c1", "c2", "c3"].map(beside);
    let mut stage = Stage::new(vec![response(&items), last()]).streaming(true);
    stage.options.max_concurrent_calls = Json::Int(2);
    let played = stage.play();
    let group = ["start c1", "start c2", "await c1", "await c2", "start c3", "await c3"];
    assert_eq!(played.words()[1..7], group);
    assert_eq!(played.trace[played.at("start c1") + 1], "read", "the stream goes on");
    assert_eq!(played.completed, ["c1", "c2", "c3"]);
}

#[test]
fn ordered_work_waits_for_what_was_started() {
    let items = [beside("c1"), lookup("c2"), beside("c3")];
    let played = Stage::new(vec![response(&items), last()]).streaming(true).play();
    let order = ["start c1", "await c1", "call c2", "start c3", "await c3", "send 2", "finished"];
    assert_eq!(played.words()[1..], order);
}

#[test]
fn with_a_ledger_or_a_limit_of_one_nothing_runs_beside() {
    let responses = || vec![response(&[beside("c1"), beside("c2")]), last()];
    let mut stage = Stage::new(responses()).streaming(true);
    stage.options.max_concurrent_calls = Json::Int(1);
    assert_eq!(stage.play().words(), SAME);
    let played = Stage::new(responses()).streaming(true).ledger(parsed(r#"{"run_id":"r"}"#)).play();
    let words: Vec<&str> =
        played.words().into_iter().filter(|word| !word.starts_with("save")).collect();
    assert_eq!(words, SAME);
}

/// Where a run leaves its good way: at an ask of this word, or of this number.
type Out = fn(&str, usize) -> Option<Reply<'static>>;

/// R-34: whatever stops the run, what was started is awaited and keeps its receipt.
#[test]
fn what_was_started_is_awaited_on_every_way_out() {
    let items = [beside("c1"), beside("c2"), lookup("c3")];
    let ways: &[(Out, Stop, &[&str])] = &[
        (
            |word, _| if word == "start c2" { and_cancelled(Answer::Seen) } else { None },
            Stop::RunCancelled,
            &["c1", "c2"],
        ),
        (|word, _| if word == "start c2" { failed() } else { None }, Stop::FunctionFailed, &["c1"]),
        (|word, _| if word == "await c1" { failed() } else { None }, Stop::FunctionFailed, &["c2"]),
        (
            |word, _| if word == "await c1" { value(Json::Null) } else { None },
            Stop::FunctionOutput,
            &["c2"],
        ),
        (
            |word, _| {
                let done = Answer::Value(Json::Text("done".into()));
                if word == "await c1" { and_cancelled(done) } else { None }
            },
            Stop::RunCancelled,
            &["c1", "c2"],
        ),
        (
            |word, _| (word == "await c1").then(|| Reply::new(Answer::Cancelled)),
            Stop::RunCancelled,
            &["c2"],
        ),
        (
            |word, at| if word == "read" && at == 6 { failed() } else { None },
            Stop::RequestFailed,
            &["c1"],
        ),
    ];
    for (way, stop, completed) in ways {
        let mut stage = Stage::new(vec![response(&items), last()]).streaming(true);
        stage.options.max_concurrent_calls = Json::Int(3);
        let mut at = 0;
        let played = stage
            .reply(|word| {
                at += 1;
                way(word, at)
            })
            .play();
        assert_eq!(played.end, Some(Err(*stop)), "{:?}", played.trace);
        assert_eq!(played.completed, *completed, "{:?}", played.trace);
        assert!(!played.trace.contains(&"call c3".to_owned()));
    }
}

#[test]
fn a_failed_call_stops_the_stream_after_what_was_started() {
    let items = [beside("c1"), call("c2", "lookup", "[]")];
    let played = Stage::new(vec![response(&items)]).streaming(true).play();
    assert_eq!(played.words()[1..], ["start c1", "await c1", "stopped function_arguments_invalid"]);
    assert_eq!(played.completed, ["c1"]);
}

#[test]
fn early_browser_and_computer_calls_are_ordered_and_a_failure_skips() {
    let screen = r#"{"type":"computer_call","id":"i3","call_id":"c3","status":"completed",
        "actions":[{"type":"wait"}]}"#;
    let items = [click("c1"), click("c2"), screen.to_owned()];
    let mut acts = 0;
    let played = Stage::new(vec![response(&items), last()])
        .streaming(true)
        .reply(|word| {
            if word == "state" {
                return value(good_state());
            }
            acts += usize::from(word == "act click");
            if word == "act click" && acts == 1 { failed() } else { None }
        })
        .play();
    let order = ["state", "confirm", "act click", "state", "state", "computer 0", "screenshot"];
    assert_eq!(played.words()[1..8], order);
    assert_eq!(played.completed, ["c1", "c2", "c3"]);
    assert_eq!(played.end, Some(Ok(())));
}

#[test]
fn a_message_that_is_streamed_ends_the_run() {
    let played = Stage::new(vec![response(&[MESSAGE])]).streaming(true).play();
    assert_eq!(played.words(), ["send 1", "finished"]);
}
