//! Turns, the last request, MCP, the context budget and records (R-1, R-20 to R-22, R-40 to R-42, R-50,
//! R-60, R-61), told as scenarios.

#![allow(clippy::expect_used, clippy::panic, reason = "a helper that cannot go on fails its test")]

mod support;

use support::compare::{object, parsed, text, texts};
use support::fuzz::world::World;
use support::run_drive::{MESSAGE, call, click, last, lookup, response};
use support::stage::{Played, Stage, TICK, and_cancelled, failed, value};
use swingbridge_core::diagnostic::{Usage, UsageSummary};
use swingbridge_core::json::{Json, Text};
use swingbridge_core::runner::{AdmissionError, RunMachine, TurnRefusal};
use swingbridge_core::{Answer, Reply, Stop};

fn note(call_id: &str) -> String {
    call(call_id, "note", "{}")
}

// --- turns ---------------------------------------------------------------------------------------

#[test]
fn a_turn_comes_between_a_response_and_its_work() {
    let played = Stage::new(vec![response(&[lookup("c1")]), last()]).turns(|_, _, _| false).play();
    let order = ["send 1", "turn 1", "call c1", "send 2", "turn 2 final", "finished"];
    assert_eq!(played.words(), order);
}

/// R-20.
#[test]
fn closing_at_a_turn_runs_nothing_further() {
    for closed in [1, 2, 3] {
        let responses = vec![response(&[lookup("c1")]), response(&[lookup("c2")]), last()];
        let played = Stage::new(responses).turns(|_, _, step| step == closed).play();
        assert_eq!(played.end, None);
        assert_eq!(u64::try_from(played.attempted.len()), Ok(closed - 1));
        assert_eq!(played.world.effects.len(), played.attempted.len());
    }
}

fn output_items(call_ids: &[&str]) -> Json<'static> {
    let output = |id: &&str| {
        parsed(&format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"own"}}"#))
    };
    Json::List(call_ids.iter().map(output).collect())
}

fn supply(
    machine: &mut RunMachine,
    world: &mut World,
    call_ids: &[&str],
) -> Result<Vec<String>, TurnRefusal> {
    let outputs = output_items(call_ids);
    let supplied = machine.supply_outputs(&outputs)?;
    world.supplied(&supplied, &outputs);
    Ok(supplied)
}

/// R-21.
#[test]
fn supplied_outputs_take_the_place_of_calls_that_allow_it() {
    let items = [note("c1"), lookup("c2"), note("c3"), click("c4")];
    let played = Stage::new(vec![response(&items), last()])
        .turns(|machine, world, step| {
            if step > 1 {
                assert_eq!(supply(machine, world, &["c1"]), Err(TurnRefusal::TurnFinal));
                return false;
            }
            for wrong in [&["c2"][..], &["c4"], &["c9"], &["c1", "c2"], &[""]] {
                let refused = supply(machine, world, wrong);
                assert_eq!(refused, Err(TurnRefusal::OutputNotAllowed), "{wrong:?}");
            }
            let twice = supply(machine, world, &["c1", "c1"]);
            assert_eq!(twice, Err(TurnRefusal::OutputTwice));
            for wrong in [
                "null",
                "{}",
                "[1]",
                r#"[{"type":"function_call_output","call_id":"c1"}]"#,
                r#"[{"type":"function_call_output","call_id":"c1","output":1}]"#,
                r#"[{"type":"function_call_output","call_id":"c1","output":"x","id":"y"}]"#,
                r#"[{"type":"function_call_output","call_id":"c1","output":"\ud800"}]"#,
            ] {
                let refused = machine.supply_outputs(&parsed(wrong));
                assert_eq!(refused, Err(TurnRefusal::OutputsMalformed), "{wrong}");
            }
            // Each set takes the place of the one before; one that is refused does not.
            assert_eq!(supply(machine, world, &["c1"]), Ok(vec!["c1".to_owned()]));
            assert_eq!(supply(machine, world, &[]), Ok(vec![]));
            assert_eq!(supply(machine, world, &["c3"]), Ok(vec!["c3".to_owned()]));
            assert!(supply(machine, world, &["c9"]).is_err());
            false
        })
        .play();
    let calls = ["call c1", "call c2", "state", "confirm", "act click", "state", "send 2"];
    assert_eq!(played.words()[2..9], calls);
    assert_eq!(played.completed, ["c1", "c2", "c3", "c4"]);
    let output = |at: usize| played.world.requests[1][at].field("output").cloned();
    // The user's message, the calls, then their outputs.
    assert_eq!((output(5), output(7)), (Some(text("done")), Some(text("own"))));
}

#[test]
fn a_thousand_outputs_may_be_supplied_at_once() {
    let ids: Vec<String> = (0..1_000).map(|at| format!("c{at}")).collect();
    let items: Vec<String> = ids.iter().map(|id| note(id)).collect();
    let named: Vec<&str> = ids.iter().map(String::as_str).collect();
    let played = Stage::new(vec![response(&items), last()])
        .turns(|machine, world, step| {
            assert!(step > 1 || supply(machine, world, &named) == Ok(ids.clone()));
            false
        })
        .play();
    assert_eq!(played.words(), ["send 1", "turn 1", "send 2", "turn 2 final", "finished"]);
    assert_eq!(played.completed, ids);
}

fn append(machine: &mut RunMachine, world: &mut World, words: &str) {
    machine.append_user_text(&text(words)).expect("an open turn");
    world.appended(&text(words));
}

/// R-22: whatever work is left of the response, and with a ledger or without.
#[test]
fn texts_of_the_user_follow_the_outputs_of_their_turn() {
    for streams in [false, true] {
        for ledger in [false, true] {
            let responses = vec![response(&[lookup("c1")]), response(&[lookup("c2")]), last()];
            let mut stage = Stage::new(responses);
            if streams {
                stage = stage.streaming(true);
            }
            if ledger {
                stage = stage.ledger(parsed(r#"{"run_id":"r"}"#));
            }
            let played = stage
                .turns(|machine, world, step| {
                    if step < 3 {
                        append(machine, world, "one");
                        append(machine, world, "two");
                    }
                    false
                })
                .play();
            let last = played.world.requests.last().expect("a request");
            let words: Vec<_> = last.iter().filter_map(|item| item.field("content")).collect();
            let said = [text("hi"), text("one"), text("two"), text("one"), text("two")];
            assert_eq!(words, said.iter().collect::<Vec<_>>(), "{streams} {ledger}");
            let kinds = last.iter().map(|item| item.field("type").is_some());
            let order = [false, true, true, false, false, true, true, false, false];
            assert_eq!(kinds.collect::<Vec<_>>(), order, "{streams} {ledger}");
        }
    }
}

#[test]
fn a_text_must_say_something_and_have_an_open_turn() {
    let played = Stage::new(vec![response(&[lookup("c1")]), last()])
        .turns(|machine, _, step| {
            let expected = if step > 1 { TurnRefusal::TurnFinal } else { TurnRefusal::TextInvalid };
            let unpaired = Json::Text(Text::from_wtf8(b"\xed\xa0\x80".to_vec()));
            for wrong in [text(""), text(" \n"), Json::Null, Json::Int(1), unpaired] {
                assert_eq!(machine.append_user_text(&wrong), Err(expected));
            }
            false
        })
        .play();
    assert_eq!(played.world.requests[1].len(), 3);
}

// --- the last request ----------------------------------------------------------------------------

/// With `finish_at_limit` the last allowed request goes out without the local tools.
#[test]
fn a_run_may_be_made_to_finish_at_its_limit() {
    for limit in [1, 3] {
        let mut responses: Vec<_> =
            (1..limit).map(|step| response(&[lookup(&format!("c{step}"))])).collect();
        responses.push(last());
        let mut stage = Stage::new(responses).at_most(limit).observed();
        stage.options.finish_at_limit = Json::Bool(true);
        let played = stage.play();
        assert_eq!(played.end, Some(Ok(())));
        let bare: Vec<_> = played.trace.iter().filter(|word| word.ends_with("bare")).collect();
        assert_eq!(bare, [&format!("send {limit} bare")]);
        let limits = played.records().iter().filter(|word| *word == "run:step_limit").count();
        assert_eq!(limits, 1);
        assert_eq!(played.trace[played.at(bare[0]) - 1], "emit run", "before the request");
    }
}

/// A model that asks for work although it has no tool for it stops the run as ever.
#[test]
fn a_withheld_tool_that_is_called_stops() {
    let mut stage = Stage::new(vec![response(&[lookup("c1")])]).at_most(1);
    stage.options.finish_at_limit = Json::Bool(true);
    let played = stage.play();
    assert_eq!(played.end, Some(Err(Stop::StepLimit)));
    assert!(played.attempted.is_empty());
}

/// Two records that are due with no other ask between them both come out.
#[test]
fn the_limit_does_not_hide_the_record_of_the_request_before() {
    let mut stage =
        Stage::new(vec![response(&[lookup("c1")]), last()]).streaming(true).at_most(2).observed();
    stage.options.finish_at_limit = Json::Bool(true);
    let played = stage.play();
    let expected = ["request:completed", "run:step_limit", "request:completed"];
    assert_eq!(played.records(), [&["action:completed"], &expected[..]].concat());
}

// --- records -------------------------------------------------------------------------------------

fn with_usage(items: &[&str], usage: &str) -> Json<'static> {
    parsed(&format!(
        r#"{{"id":"r","status":"completed","output":[{}],"usage":{usage}}}"#,
        items.join(",")
    ))
}

fn summary(played: &Played) -> UsageSummary {
    let mut summary = UsageSummary::default();
    for record in &played.records {
        let words = (record.api.as_str(), record.stage.as_str(), record.reason.as_str());
        summary.add(words.0, words.1, words.2, record.usage);
    }
    summary
}

const COUNTS: &str = r#"{"input_tokens":1,"output_tokens":2,"total_tokens":3}"#;

/// R-60, R-61: the same with a stream as without one.
#[test]
fn usage_adds_up_over_a_run() {
    let call = lookup("c1");
    for streams in [false, true] {
        let responses = vec![with_usage(&[&call], COUNTS), with_usage(&[MESSAGE], COUNTS)];
        let mut stage = Stage::new(responses).observed();
        if streams {
            stage = stage.streaming(true);
        }
        let played = stage.play();
        let summary = summary(&played);
        assert_eq!((summary.requests, summary.counted), (2, 2));
        assert!(!summary.is_incomplete());
        let totals = Usage { input_tokens: 2, output_tokens: 4, total_tokens: 6 };
        assert_eq!(summary.totals, totals);
    }
    let responses = vec![with_usage(&[&call], "null"), with_usage(&[MESSAGE], COUNTS)];
    let incomplete = summary(&Stage::new(responses).observed().play());
    assert_eq!((incomplete.requests, incomplete.counted), (2, 1));
    assert!(incomplete.is_incomplete());
}

#[test]
fn a_request_that_fails_is_reported_and_makes_the_summary_incomplete() {
    let played = Stage::new(vec![with_usage(&[&lookup("c1")], COUNTS), last()])
        .observed()
        .reply(|word| if word == "send 2" { failed() } else { None })
        .play();
    assert_eq!(played.end, Some(Err(Stop::RequestFailed)));
    assert_eq!(played.records(), ["request:completed", "action:completed", "request:api_failed"]);
    assert_eq!(played.records[2].duration, TICK);
    assert!(summary(&played).is_incomplete());
}

/// What the observer is told of is over before anything else begins.
#[test]
fn cancelled_at_a_record_a_run_has_attempted_nothing_more() {
    let played = Stage::new(vec![response(&[lookup("c1")])])
        .observed()
        .reply(|word| if word == "emit request" { and_cancelled(Answer::Seen) } else { None })
        .play();
    assert_eq!(played.words(), ["send 1", "emit request", "stopped run_cancelled"]);
    assert!(played.attempted.is_empty());
    let played = Stage::new(vec![last()])
        .observed()
        .reply(|word| if word == "emit request" { and_cancelled(Answer::Seen) } else { None })
        .play();
    assert_eq!(played.end, Some(Ok(())), "the response was there before");
}

/// A completed request is reported before the calls that it started are awaited.
#[test]
fn a_completed_stream_is_reported_before_its_calls_are_awaited() {
    let items = [call("c1", "beside", "{}")];
    let played = Stage::new(vec![response(&items), last()])
        .streaming(true)
        .observed()
        .reply(|word| if word == "await c1" { failed() } else { None })
        .play();
    let order = ["send 1", "start c1", "emit request", "await c1", "emit action"];
    assert_eq!(played.words(), [&order[..], &["stopped function_failed"]].concat());
}

// --- MCP -----------------------------------------------------------------------------------------

const SERVER: &str = r#"{"input":"hi","tools":[{"type":"mcp","server_label":"s"}]}"#;

fn mcp(kind: &str, id: &str, more: &str) -> String {
    format!(
        r#"{{"type":"{kind}","id":"{id}","server_label":"s","name":"t","arguments":"{{}}"{more}}}"#
    )
}

fn ask(id: &str) -> String {
    mcp("mcp_approval_request", id, "")
}

/// R-41.
#[test]
fn an_approval_is_asked_for_in_output_order_and_sent_with_the_outputs() {
    let used = mcp("mcp_call", "m2", r#","approval_request_id":"ask2""#);
    for (approve, end) in [(true, Ok(())), (false, Err(Stop::McpNotApproved))] {
        let items = [lookup("c1"), ask("ask2"), lookup("c3")];
        let played = Stage::new(vec![response(&items), response(&[&used])])
            .params(SERVER)
            .reply(|word| if word == "approve ask2" { value(Json::Bool(approve)) } else { None })
            .play();
        assert_eq!(played.words()[..5], ["send 1", "call c1", "approve ask2", "call c3", "send 2"]);
        assert_eq!(played.completed, ["c1", "ask2", "c3"]);
        assert_eq!(played.end, Some(end), "{approve}");
    }
}

#[test]
fn an_approval_that_is_not_decided_stops_with_its_receipt() {
    let undecided = [Json::Null, Json::Int(1), text("true"), Json::Foreign];
    let replies =
        undecided.into_iter().map(|answer| (Reply::new(Answer::Value(answer)), Stop::McpUndecided));
    let failed = [(failed().expect("a reply"), Stop::McpUndecided)];
    let cancelled = [
        (and_cancelled(Answer::Value(Json::Bool(true))).expect("a reply"), Stop::RunCancelled),
        (Reply::new(Answer::Cancelled), Stop::RunCancelled),
    ];
    for (reply, stop) in replies.chain(failed).chain(cancelled) {
        let mut reply = Some(reply);
        let played = Stage::new(vec![response(&[ask("ask1"), lookup("c2")])])
            .params(SERVER)
            .reply(|word| if word == "approve ask1" { reply.take() } else { None })
            .play();
        assert_eq!(played.end, Some(Err(stop)));
        assert_eq!((&*played.attempted, played.completed.len()), (&["ask1".to_owned()][..], 0));
    }
    let mut stage = Stage::new(vec![response(&[ask("ask1")])]).params(SERVER);
    stage.options.approves_mcp = false;
    let played = stage.play();
    assert_eq!(played.end, Some(Err(Stop::McpUndecided)));
    assert!(played.attempted.is_empty());
}

fn given_approval(id: &str) -> String {
    format!(
        r#"{},{{"type":"mcp_approval_response","approval_request_id":"{id}","approve":true}}"#,
        ask(id)
    )
}

/// R-42: before the first request, and before anything is saved.
#[test]
fn approvals_that_no_call_used_are_asked_for_again() {
    let params = format!(
        r#"{{"input":[{},{}],"tools":[{{"type":"mcp","server_label":"s"}}]}}"#,
        given_approval("a1"),
        given_approval("a2")
    );
    let used = mcp("mcp_call", "m1", r#","approval_request_id":"a1""#);
    for (refused, end) in [("again a2", Ok(())), ("again a1", Err(Stop::McpNotApproved))] {
        let played = Stage::new(vec![response(&[&used])])
            .params(&params)
            .ledger(parsed(r#"{"run_id":"r"}"#))
            .reply(|word| if word == refused { value(Json::Bool(false)) } else { None })
            .play();
        let order = ["again a1", "again a2", "save pending 0/0", "send 1"];
        assert_eq!(played.words()[..4], order);
        assert_eq!(played.end, Some(end));
    }
}

#[test]
fn an_imported_approval_without_a_callback_stops() {
    let params = format!(
        r#"{{"input":[{}],"tools":[{{"type":"mcp","server_label":"s"}}]}}"#,
        given_approval("a1")
    );
    let mut stage = Stage::new(Vec::new()).params(&params);
    stage.options.approves_mcp = false;
    assert_eq!(stage.play().words(), ["stopped mcp_approval_undecided"]);
}

// --- the context budget --------------------------------------------------------------------------

fn budget(most: i64) -> Json<'static> {
    object([
        ("max_input_bytes", Json::Int(most)),
        ("max_input_images", Json::Int(0)),
        ("compact", Json::Foreign),
    ])
}

/// R-50: the stage's host measures each request, which must not be over the budget.
#[test]
fn a_budget_compacts_before_a_request_that_would_be_over_it() {
    for ledger in [false, true] {
        let big = || value(text(&"x".repeat(500)));
        let mut responses: Vec<_> =
            (1..6).map(|step| response(&[lookup(&format!("c{step}"))])).collect();
        responses.push(last());
        let mut stage = Stage::new(responses);
        if ledger {
            stage = stage.ledger(parsed(r#"{"run_id":"r"}"#));
        }
        stage.options.context_budget = Some(budget(2_000));
        let played =
            stage.reply(move |word| if word.starts_with("call") { big() } else { None }).play();
        assert_eq!(played.end, Some(Ok(())));
        let compacts = played.trace.iter().filter(|word| *word == "compact").count();
        assert!((1..5).contains(&compacts), "{compacts}");
        let measures: Vec<_> =
            played.words().into_iter().filter(|word| word.starts_with("measure")).collect();
        assert_eq!(measures, ["measure 1", "measure 3", "measure 5", "measure 7", "measure 9"]);
    }
}

#[test]
fn a_budget_that_cannot_be_met_stops_before_the_request() {
    let decided = |decision: &str| value(parsed(decision));
    for (compact, stop) in [
        (None, Stop::ContextOverBudget),
        (decided(r#"{"drop_call_ids":[]}"#), Stop::ContextOverBudget),
        (decided("null"), Stop::CompactionInvalid),
        (decided(r#"{"drop_call_ids":["c2"]}"#), Stop::CompactionInvalid),
        (failed(), Stop::CompactionFailed),
    ] {
        let mut stage = Stage::new(vec![response(&[lookup("c1")]), last()]);
        let without = parsed(r#"{"max_input_bytes":300,"max_input_images":0}"#);
        stage.options.context_budget = Some(if compact.is_some() { budget(300) } else { without });
        let mut compact = compact;
        let played = stage
            .reply(|word| match word {
                "call c1" => value(text(&"x".repeat(500))),
                "compact" => compact.take(),
                _ => None,
            })
            .play();
        assert_eq!(played.end, Some(Err(stop)));
        assert_eq!((played.completed, played.world.requests.len()), (vec!["c1".to_owned()], 1));
    }
}

/// A refusal is one letter longer than the approval that was given before.
#[test]
fn a_refused_approval_counts_with_its_new_size() {
    let input = format!("[{}]", given_approval("a1"));
    let params = format!(r#"{{"input":{input},"tools":[{{"type":"mcp","server_label":"s"}}]}}"#);
    let size = swingbridge_core::json::stringified_len(&parsed(&input)).expect("a size");
    let most = i64::try_from(size).expect("a small size");
    for (approve, most, end) in [
        (true, most, Ok(())),
        (false, most, Err(Stop::ContextOverBudget)),
        (false, most + 1, Ok(())),
    ] {
        let mut stage = Stage::new(vec![last()]).params(&params);
        stage.options.context_budget =
            Some(parsed(&format!(r#"{{"max_input_bytes":{most},"max_input_images":0}}"#)));
        let played = stage
            .reply(move |word| if word == "again a1" { value(Json::Bool(approve)) } else { None })
            .play();
        assert_eq!(played.end, Some(end), "{approve} {most}");
    }
}

// --- options -------------------------------------------------------------------------------------

#[test]
fn options_of_a_wrong_form_are_refused_before_the_first_request() {
    let wrong = [text("1"), Json::Float(1.0), Json::Int(0), Json::Int(-1), Json::Bool(true)];
    for value in wrong {
        let mut stage = Stage::new(Vec::new());
        stage.options.max_steps = value.clone();
        assert_eq!(stage.refusal(), AdmissionError::MaxSteps, "{value:?}");
        let mut stage = Stage::new(Vec::new());
        stage.options.max_concurrent_calls = value.clone();
        let refused = AdmissionError::Option("max_concurrent_calls");
        assert_eq!(stage.refusal(), refused, "{value:?}");
    }
    for value in [text("true"), Json::Int(1), texts(["a"])] {
        let mut stage = Stage::new(Vec::new());
        stage.options.stream = value.clone();
        assert_eq!(stage.refusal(), AdmissionError::Option("stream"));
        let mut stage = Stage::new(Vec::new());
        stage.options.eager = value.clone();
        assert_eq!(stage.refusal(), AdmissionError::Option("eager"));
        let mut stage = Stage::new(Vec::new());
        stage.options.finish_at_limit = value;
        assert_eq!(stage.refusal(), AdmissionError::Option("finish_at_limit"));
    }
    let mut stage = Stage::new(Vec::new());
    stage.options.eager = Json::Bool(true);
    assert_eq!(stage.refusal(), AdmissionError::EagerWithoutStream);
}
