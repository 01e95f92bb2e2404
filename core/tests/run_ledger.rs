//! Saved and resumed runs (L-1 to L-5), told as scenarios. The stage's host checks at each ask that what
//! was begun and what has returned is saved, and that revisions count up by one.

mod support;

use support::compare::{object, parsed, set, text};
use support::run_drive::{CLICK, call, click, last, lookup, response};
use support::stage::{Stage, and_cancelled, failed};
use swingbridge_core::json::Json;
use swingbridge_core::runner::{AdmissionError, Phase};
use swingbridge_core::{Answer, Stop};

fn new_ledger() -> Json<'static> {
    parsed(r#"{"run_id":"r"}"#)
}

fn from(checkpoint: &Json<'static>) -> Json<'static> {
    object([("run_id", text("r")), ("resume_from", checkpoint.clone())])
}

fn two_turns() -> Vec<Json<'static>> {
    vec![response(&[lookup("c1"), click("c2")]), response(&[lookup("c3")]), last()]
}

/// L-2: before each request, when work is known, around each effect, at boundaries and at the end.
#[test]
fn everything_is_saved_before_and_after_it_happens() {
    let responses = vec![response(&[lookup("c1"), click("c2")]), last()];
    let played = Stage::new(responses).ledger(new_ledger()).turns(|_, _, _| false).play();
    assert_eq!(
        played.words(),
        [
            "save boundary 0/0",
            "send 1",
            "save pending 0/0",
            "turn 1",
            "save pending 0/1",
            "call c1",
            "save pending 1/1",
            "save pending 1/2",
            "state",
            "confirm",
            "act click",
            "state",
            "save pending 2/2",
            "save boundary 2/2",
            "save boundary 2/2",
            "send 2",
            "save final 2/2",
            "turn 2 final",
            "finished"
        ]
    );
    // A request counts as made from the save before it on.
    let consumed: Vec<_> = played
        .world
        .saves
        .iter()
        .filter_map(|saved| saved.checkpoint.field("consumed_requests").and_then(Json::as_int))
        .collect();
    assert_eq!(consumed, [1, 1, 1, 1, 1, 1, 1, 2, 2]);
}

/// A streamed response is pending from its first item on, as far as it has come.
#[test]
fn early_work_is_saved_with_the_items_that_have_come() {
    let responses = vec![response(&[lookup("c1"), lookup("c2")]), last()];
    let played = Stage::new(responses).streaming(true).ledger(new_ledger()).play();
    assert_eq!(
        played.words(),
        [
            "save boundary 0/0",
            "send 1",
            "save pending 0/0",
            "save pending 0/1",
            "call c1",
            "save pending 1/1",
            "save pending 1/2",
            "call c2",
            "save pending 2/2",
            "save boundary 2/2",
            "save boundary 2/2",
            "send 2",
            "save pending 2/2",
            "save final 2/2",
            "finished"
        ]
    );
    let lengths = |name: &str| -> Vec<usize> {
        let lists = played.world.saves.iter().filter_map(|saved| saved.checkpoint.field(name));
        lists.filter_map(Json::as_list).map(<[_]>::len).collect()
    };
    assert_eq!(lengths("pending_items"), [0, 1, 1, 1, 2, 2, 0, 0, 1, 0]);
    assert_eq!(lengths("returned_outputs"), [0, 0, 0, 1, 1, 2, 0, 0, 0, 0]);
    assert_eq!(lengths("history"), [1, 1, 1, 1, 1, 1, 5, 5, 5, 5]);
}

/// L-5: with MCP tools nobody can tell what the service did, so nothing is a boundary that may be gone
/// on from by itself.
#[test]
fn with_server_tools_each_request_is_pending() {
    let params = r#"{"input":"hi","tools":[{"type":"mcp","server_label":"s"}]}"#;
    let responses = vec![response(&[lookup("c1")]), last()];
    let played = Stage::new(responses).params(params).ledger(new_ledger()).play();
    for (at, word) in played.trace.iter().enumerate() {
        if word.starts_with("send") {
            assert!(played.trace[at - 1].starts_with("save pending"), "{:?}", played.trace);
        }
    }
    assert_eq!(played.end, Some(Ok(())));
}

/// Wherever saving fails nothing more happens, and the receipts say what did.
#[test]
fn nothing_happens_after_a_save_that_failed() {
    for streams in [false, true] {
        let stage = || {
            let stage = Stage::new(two_turns()).ledger(new_ledger());
            if streams { stage.streaming(true) } else { stage }
        };
        let whole = stage().play();
        for failing in 0..whole.world.saves.len() {
            for (reply, stop) in [
                (failed as fn() -> _, Stop::SaveFailed),
                (|| and_cancelled(Answer::Seen), Stop::RunCancelled),
                (|| and_cancelled(Answer::Cancelled), Stop::RunCancelled),
            ] {
                let mut saves = 0;
                let played = stage()
                    .reply(|word| {
                        saves += usize::from(word.starts_with("save"));
                        if word.starts_with("save") && saves == failing + 1 {
                            reply()
                        } else {
                            None
                        }
                    })
                    .play();
                assert_eq!(played.end, Some(Err(stop)), "{failing}");
                assert!(played.trace[played.trace.len() - 2].starts_with("save"));
                assert!(whole.trace.starts_with(&played.trace[..played.trace.len() - 1]));
                assert_eq!(played.world.effects, whole.world.effects[..played.world.effects.len()]);
            }
        }
    }
}

/// What has returned is saved even if the caller has cancelled meanwhile.
#[test]
fn a_function_that_returned_is_saved_before_the_run_is_cancelled() {
    let played = Stage::new(two_turns())
        .ledger(new_ledger())
        .reply(|word| {
            let done = || and_cancelled(Answer::Value(text("done")));
            if word == "call c1" { done() } else { None }
        })
        .play();
    let end = ["call c1", "save pending 1/1", "stopped run_cancelled"];
    assert_eq!(played.words()[4..], end);
    let saved = played.world.saves.last().expect("a save");
    let returned = saved.checkpoint.field("returned_outputs").and_then(Json::as_list);
    assert_eq!(returned.map(<[_]>::len), Some(1));
}

/// Nobody knows what became of the page: the caller looks before the run goes on.
#[test]
fn a_browser_failure_stops_a_saved_run_after_its_output_was_saved() {
    let played = Stage::new(two_turns())
        .ledger(new_ledger())
        .reply(|word| if word == "act click" { failed() } else { None })
        .play();
    assert_eq!(played.end, Some(Err(Stop::BrowserCallFailed)));
    assert_eq!(played.trace[played.trace.len() - 2], "save pending 2/2");
    assert_eq!(played.completed, ["c1", "c2"]);
}

/// L-3: the same is asked for after a break as without one, the observation apart.
#[test]
fn a_run_goes_on_from_each_boundary() {
    let whole = Stage::new(two_turns()).ledger(new_ledger()).play();
    let boundaries = whole.world.saves.iter().filter(|saved| saved.phase == Phase::Boundary);
    let mut resumed = 0;
    for saved in boundaries {
        let played = Stage::new(two_turns().split_off(saved.responses))
            .params(r#"{"input":[{"role":"user","content":"now"}]}"#)
            .ledger(from(&saved.checkpoint))
            .play();
        assert_eq!(played.end, Some(Ok(())));
        assert_eq!(played.world.effects, whole.world.effects[saved.effects..]);
        assert_eq!(played.completed, whole.completed, "receipts carry over");
        let first = &played.world.requests[0];
        assert_eq!(first[..saved.items().len()], *saved.items());
        assert_eq!(first.last().and_then(|item| item.field("content")), Some(&text("now")));
        resumed += 1;
    }
    assert_eq!(resumed, 5);
}

#[test]
fn ids_of_the_saved_run_stay_used() {
    let whole = Stage::new(two_turns()).ledger(new_ledger()).play();
    let boundary = |saved: &&support::fuzz::world::Saved| saved.phase == Phase::Boundary;
    let saved = whole.world.saves.iter().rfind(boundary).expect("a boundary");
    let again = response(&[call("c1", "browser_click", CLICK)]);
    let played =
        Stage::new(vec![again]).params(r#"{"input":"now"}"#).ledger(from(&saved.checkpoint)).play();
    assert_eq!(played.end, Some(Err(Stop::IdentityRepeated)));
}

#[test]
fn requests_are_counted_over_the_break() {
    let whole = Stage::new(two_turns()).at_most(3).ledger(new_ledger()).play();
    let last_boundary = whole.world.saves.iter().rfind(|saved| saved.phase == Phase::Boundary);
    let checkpoint = &last_boundary.expect("a boundary").checkpoint;
    let played =
        Stage::new(Vec::new()).params(r#"{"input":"now"}"#).ledger(from(checkpoint)).play();
    // The third request was about to be sent, and nobody knows whether it was.
    assert_eq!(played.words(), ["stopped step_limit"]);
    assert_eq!(played.completed, ["c1", "c2", "c3"]);
    let other =
        Stage::new(Vec::new()).params(r#"{"input":"now"}"#).at_most(4).ledger(from(checkpoint));
    assert_eq!(other.refusal(), AdmissionError::CheckpointMismatch("max_steps"));
}

/// No number is left for another checkpoint: the run stops and saves none.
#[test]
fn the_last_revision_is_the_last() {
    let whole = Stage::new(two_turns()).ledger(new_ledger()).play();
    let mut checkpoint = whole.world.saves[0].checkpoint.clone();
    set(&mut checkpoint, "revision", Json::Int(9_007_199_254_740_990));
    let played =
        Stage::new(two_turns()).params(r#"{"input":"now"}"#).ledger(from(&checkpoint)).play();
    assert_eq!(played.words(), ["save boundary 0/0", "send 2", "stopped revisions_exhausted"]);
}
