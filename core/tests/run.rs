//! The driving law for runs: what each response leads to, and how a run ends.

mod support;

use support::compare::parsed;
use support::drive::{Kind, every_answer, everything, fits, kind};
use support::run_drive::{
    CLICK, Driven, MESSAGE, begin, begin_with, call, click, drive, drive_well, host, last, lookup,
    plan, read, response, tools,
};
use swingbridge_core::diagnostic::{Diagnostic, Stage, Usage};
use swingbridge_core::json::Json;
use swingbridge_core::runner::{FunctionDeclaration, ModelResponse, RunMachine, RunnerTools};
use swingbridge_core::{Answer, Ask, AskId, Failure, Misuse, Reply, Stop};

use Kind::{Act, CallFunction, Confirm, Finished, ReadState, Send, Stopped};

fn assert_stopped(driven: &Driven, stop: Stop, attempted: &[&str], completed: &[&str]) {
    assert_eq!(driven.end, Err(stop), "{:?}", driven.asks);
    assert_eq!(driven.attempted, attempted, "{stop}");
    assert_eq!(driven.completed, completed, "{stop}");
}

#[test]
fn a_final_message_ends_the_run() {
    let driven = drive_well(begin(), vec![last()]);
    assert_eq!(driven.asks, [Send, Finished]);
    assert_eq!(driven.steps, 1);
    assert!(driven.attempted.is_empty());
}

#[test]
fn a_chain_of_functions_sends_each_output_with_the_next_request() {
    let responses =
        vec![response(&[lookup("c1")]), response(&[lookup("c2"), lookup("c3")]), last()];
    let driven = drive_well(begin(), responses);
    let chain = [Send, CallFunction, Send, CallFunction, CallFunction, Send, Finished];
    assert_eq!(driven.asks, chain);
    assert_eq!(driven.attempted, ["c1", "c2", "c3"]);
    assert_eq!(driven.completed, ["c1", "c2", "c3"]);
    let ids = |outputs: &[support::run_drive::Output]| {
        outputs.iter().map(|output| output.call_id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        driven.outputs.iter().map(|outputs| ids(outputs)).collect::<Vec<_>>(),
        [vec!["c1".to_owned()], vec!["c2".to_owned(), "c3".to_owned()]]
    );
}

#[test]
fn a_function_call_names_what_was_registered() {
    let mut machine = begin();
    let body = response(&[call("c1", "note", r#"{"a":1}"#)]);
    let reply = Reply::new(Answer::Response(ModelResponse { body }));
    machine.answer(machine.ask_id(), reply).expect("a response");
    let Ask::CallFunction(call) = machine.ask() else { panic!("a function to call") };
    assert_eq!((call.index, call.name, call.call_id), (1, "note", "c1"));
    assert_eq!(call.arguments, r#"{"a":1}"#);
}

#[test]
fn a_browser_failure_skips_the_later_browser_calls_and_nothing_else() {
    let items = [lookup("c1"), click("c2"), lookup("c3"), read("c4"), click("c5"), lookup("c6")];
    let mut well = host(vec![response(&items), last()]);
    let driven = drive(begin(), |_, ask| match ask {
        Ask::Act { .. } => Reply::new(Answer::Failed(Failure::Untold)),
        other => Reply::new(well(other)),
    });
    assert_eq!(driven.end, Ok(()));
    let first = [Send, CallFunction, ReadState, Confirm, Act, ReadState, CallFunction];
    assert_eq!(driven.asks[..7], first);
    assert_eq!(driven.asks[7..], [ReadState, ReadState, CallFunction, Send, Finished]);
    assert_eq!(driven.completed, ["c1", "c2", "c3", "c4", "c5", "c6"], "each gets an output");
    let failed: Vec<bool> = driven.outputs[0]
        .iter()
        .filter(|output| output.payload.is_some())
        .map(support::run_drive::Output::failed)
        .collect();
    assert_eq!(failed, [true, true, true]);
}

#[test]
fn the_next_response_may_use_the_browser_again_after_a_failure() {
    let mut well = host(vec![response(&[click("c1")]), response(&[click("c2")]), last()]);
    let mut acts = 0;
    let driven = drive(begin(), |_, ask| match ask {
        Ask::Act { .. } if acts == 0 => {
            acts += 1;
            Reply::new(Answer::Failed(Failure::Untold))
        }
        other => Reply::new(well(other)),
    });
    assert_eq!(driven.count(Act), 2);
    assert!(driven.outputs[0][0].failed() && !driven.outputs[1][0].failed());
}

#[test]
fn a_file_outcome_that_is_not_completed_skips_like_a_failure() {
    let upload = call("c1", "browser_upload_file", r#"{"grant_id":"g"}"#);
    let mut well = host(vec![response(&[upload, click("c2")]), last()]);
    let refused = r#"{"version":1,"status":"refused","effect":"none","cleanup":"not_started"}"#;
    let driven = drive(begin(), |_, ask| match ask {
        Ask::Act { .. } => Reply::new(Answer::Value(parsed(refused))),
        other => Reply::new(well(other)),
    });
    assert_eq!(driven.count(Act), 1);
    assert!(driven.outputs[0].iter().all(support::run_drive::Output::failed));
}

#[test]
fn nothing_runs_of_the_last_allowed_response() {
    for items in [vec![lookup("c1")], vec![click("c1")], vec![lookup("c1"), MESSAGE.to_owned()]] {
        let driven = drive_well(begin_with(r#"{"input":"hi"}"#, 1), vec![response(&items)]);
        assert_eq!(driven.asks, [Send, Stopped]);
        assert_stopped(&driven, Stop::StepLimit, &[], &[]);
    }
    let responses = vec![response(&[lookup("c1")]), response(&[lookup("c2")])];
    let driven = drive_well(begin_with(r#"{"input":"hi"}"#, 2), responses);
    assert_stopped(&driven, Stop::StepLimit, &["c1"], &["c1"]);
    let driven = drive_well(begin_with(r#"{"input":"hi"}"#, 1), vec![last()]);
    assert_eq!(driven.end, Ok(()), "a final message needs no further request");
}

/// A response is inspected whole: one bad item, wherever it is, and nothing of it runs.
#[test]
fn a_bad_item_anywhere_stops_before_any_call() {
    let unknown_function = call("c9", "unknown", "{}");
    let bad_arguments = call("c9", "lookup", "[]");
    let not_json = call("c9", "lookup", "{");
    let twice = lookup("c1");
    let bad = [
        (r#"{"type":"rocket","id":"x"}"#, Stop::ResponseUnsupported),
        (unknown_function.as_str(), Stop::ResponseUnsupported),
        (bad_arguments.as_str(), Stop::FunctionArguments),
        (not_json.as_str(), Stop::FunctionArguments),
        (twice.as_str(), Stop::IdentityRepeated),
        ("null", Stop::ResponseMalformed),
        (r#""text""#, Stop::ResponseMalformed),
        (r#"{"id":"x"}"#, Stop::ResponseMalformed),
        (r#"{"type":"message","id":"x"}"#, Stop::ResponseMalformed),
        (r#"{"type":"reasoning","id":"x"}"#, Stop::ResponseMalformed),
        (r#"{"type":"function_call","call_id":"c9","name":"lookup"}"#, Stop::ResponseMalformed),
    ];
    let good = [lookup("c1"), click("c2")];
    for (item, stop) in bad {
        for position in 0..=good.len() {
            let mut items: Vec<&str> = good.iter().map(String::as_str).collect();
            items.insert(position, item);
            let driven = drive_well(begin(), vec![response(&items)]);
            assert_eq!(driven.asks, [Send, Stopped], "{item} at {position}");
            assert_stopped(&driven, stop, &[], &[]);
        }
    }
}

#[test]
fn ids_are_new_to_the_whole_run() {
    let reasoning = r#"{"type":"reasoning","id":"item_c1","summary":[]}"#;
    let repeats = [
        response(&[lookup("c1")]),
        response(&[reasoning, &lookup("c2")]),
        response(&[reasoning, MESSAGE]),
    ];
    for repeat in repeats {
        let driven = drive_well(begin(), vec![response(&[lookup("c1")]), repeat]);
        assert_stopped(&driven, Stop::IdentityRepeated, &["c1"], &["c1"]);
    }
    let same_call = lookup("c1").replace("item_c1", "item_c2");
    let driven = drive_well(begin(), vec![response(&[lookup("c1"), same_call])]);
    assert_stopped(&driven, Stop::IdentityRepeated, &[], &[]);
}

#[test]
fn ids_are_new_to_the_given_history_as_well() {
    let history = |items: &str| format!(r#"{{"model":"m","input":[{items}]}}"#);
    let twice = format!("{MESSAGE},{MESSAGE}");
    let driven = drive_well(begin_with(&history(&twice), 20), Vec::new());
    assert_eq!(driven.asks, [Stopped]);
    assert_stopped(&driven, Stop::IdentityRepeated, &[], &[]);
    let driven =
        drive_well(begin_with(&history(&lookup("c1")), 20), vec![response(&[lookup("c1")])]);
    assert_stopped(&driven, Stop::IdentityRepeated, &[], &[]);
    let reference = r#"{"type":"item_reference","id":"m1"},{"type":"item_reference","id":"m1"}"#;
    let driven = drive_well(begin_with(&history(reference), 20), vec![last()]);
    assert_eq!(driven.end, Ok(()), "a reference is no item");
}

#[test]
fn a_response_that_is_not_completed_stops() {
    for (status, stop) in [
        (r#""failed""#, Stop::ResponseFailed),
        (r#""incomplete""#, Stop::ResponseIncomplete),
        (r#""in_progress""#, Stop::ResponseIncomplete),
        ("null", Stop::ResponseIncomplete),
        ("1", Stop::ResponseIncomplete),
    ] {
        let body = parsed(&format!(r#"{{"status":{status},"output":[{MESSAGE}]}}"#));
        let driven = drive_well(begin(), vec![body]);
        assert_stopped(&driven, stop, &[], &[]);
    }
    for output in ["null", "{}", r#""""#] {
        let body = parsed(&format!(r#"{{"status":"completed","output":{output}}}"#));
        let driven = drive_well(begin(), vec![body]);
        assert_stopped(&driven, Stop::ResponseMalformed, &[], &[]);
    }
}

#[test]
fn a_response_without_a_call_needs_a_final_message() {
    let commentary = MESSAGE.replace(r#""id":"m1""#, r#""id":"m1","phase":"commentary""#);
    let reasoning = r#"{"type":"reasoning","id":"r1","summary":[]}"#.to_owned();
    for items in [vec![], vec![commentary], vec![reasoning]] {
        let driven = drive_well(begin(), vec![response(&items)]);
        assert_stopped(&driven, Stop::NoFinalMessage, &[], &[]);
    }
}

#[test]
fn a_choice_of_no_tool_allows_no_call() {
    let params = r#"{"input":"hi","tool_choice":"none","tools":[{"type":"web_search"}]}"#;
    let search = r#"{"type":"web_search_call","id":"ws","status":"completed",
        "action":{"type":"search","query":"q"}}"#;
    for item in [lookup("c1"), click("c1"), search.to_owned()] {
        let driven = drive_well(begin_with(params, 20), vec![response(&[item])]);
        assert_stopped(&driven, Stop::ChoiceViolated, &[], &[]);
    }
    assert_eq!(drive_well(begin_with(params, 20), vec![last()]).end, Ok(()));
}

#[test]
fn a_tool_of_the_service_must_be_declared_and_completed() {
    let declared = r#"{"input":"hi","tools":[{"type":"web_search"}]}"#;
    let search = |status: &str| {
        format!(
            r#"{{"type":"web_search_call","id":"ws","status":{status},
                "action":{{"type":"search","query":"q"}}}}"#
        )
    };
    let finished = search(r#""completed""#);
    let driven = drive_well(begin_with(declared, 20), vec![response(&[&finished])]);
    assert_eq!(driven.end, Ok(()), "its result is what there is to show");
    let driven = drive_well(begin(), vec![response(&[&finished, MESSAGE])]);
    assert_stopped(&driven, Stop::ChoiceViolated, &[], &[]);
    for status in [r#""failed""#, r#""in_progress""#, r#""searching""#, "null"] {
        let items = [search(status), lookup("c1")];
        let driven = drive_well(begin_with(declared, 20), vec![response(&items)]);
        assert_stopped(&driven, Stop::ResponseIncomplete, &[], &[]);
    }
}

#[test]
fn allowed_callers_are_kept() {
    let tool = parsed(r#"{"type":"function","name":"f","allowed_callers":["programmatic"]}"#);
    let function =
        FunctionDeclaration { tool: &tool, allows_override: false, is_independent: false };
    let tools = RunnerTools::new(None, &[function]).expect("tools");
    let begin = || RunMachine::begin(plan(&tools, r#"{"input":"hi"}"#, 20), false, 0, false);
    let by_program = r#"{"type":"function_call","id":"i","call_id":"c1","name":"f","arguments":"{}",
        "caller":{"type":"program","caller_id":"p"}}"#;
    let direct = call("c1", "f", "{}");
    let driven = drive_well(begin(), vec![response(&[by_program]), last()]);
    assert_eq!(driven.completed, ["c1"]);
    let driven = drive_well(begin(), vec![response(&[direct])]);
    assert_stopped(&driven, Stop::ChoiceViolated, &[], &[]);
}

#[test]
fn a_function_that_fails_or_returns_no_output_stops_with_its_receipt() {
    let items = [lookup("c1"), lookup("c2"), lookup("c3")];
    let ends = [
        (Answer::Failed(Failure::Untold), Stop::FunctionFailed),
        (Answer::Failed(Failure::Told("secret".to_owned().into())), Stop::FunctionFailed),
        (Answer::Value(Json::Null), Stop::FunctionOutput),
        (Answer::Value(Json::Int(1)), Stop::FunctionOutput),
        (Answer::Value(Json::Foreign), Stop::FunctionOutput),
        (Answer::Cancelled, Stop::RunCancelled),
    ];
    for (end, stop) in ends {
        let mut end = Some(end);
        let mut well = host(vec![response(&items)]);
        let driven = drive(begin(), |number, ask| match ask {
            // The first function is ask 1.
            Ask::CallFunction(_) if number == 2 => Reply::new(end.take().expect("once")),
            other => Reply::new(well(other)),
        });
        assert_stopped(&driven, stop, &["c1", "c2"], &["c1"]);
        assert_eq!(driven.count(CallFunction), 2, "the third one never ran");
    }
}

#[test]
fn a_state_or_result_that_breaks_its_contract_stops_the_run_with_its_receipt() {
    for (kind, stop) in [(ReadState, Stop::StateInvalid), (Act, Stop::ResultInvalid)] {
        let mut well = host(vec![response(&[lookup("c1"), click("c2"), lookup("c3")])]);
        let driven = drive(begin(), |_, ask| {
            let wrong = support::drive::kind(ask) == kind;
            Reply::new(if wrong { Answer::Value(Json::Bool(true)) } else { well(ask) })
        });
        assert_stopped(&driven, stop, &["c1", "c2"], &["c1"]);
    }
}

#[test]
fn a_failed_request_stops() {
    let driven = drive(begin(), |_, _| Reply::new(Answer::Failed(Failure::Untold)));
    assert_stopped(&driven, Stop::RequestFailed, &[], &[]);
}

/// The work of a run with everything in it, for the tests that stop it at each place.
fn busy_responses() -> Vec<Json<'static>> {
    vec![response(&[lookup("c1"), click("c2"), read("c3")]), response(&[lookup("c4")]), last()]
}

#[test]
fn cancellation_at_every_ask_stops_with_what_was_attempted_and_completed() {
    let whole = drive_well(begin(), busy_responses());
    assert_eq!(whole.end, Ok(()));
    for position in 0..whole.asks.len() - 1 {
        let mut well = host(busy_responses());
        let driven = drive(begin(), |number, ask| Reply {
            answer: well(ask),
            cancelled: number == position,
            now: 0,
        });
        assert_eq!(driven.end, Err(Stop::RunCancelled), "at {position}");
        assert_eq!(driven.asks[..=position], whole.asks[..=position]);
        assert_eq!(driven.asks[position + 1..], [Stopped], "at {position}");
        assert!(whole.attempted.starts_with(&driven.attempted));
        assert!(driven.attempted.starts_with(&driven.completed));
        assert!(driven.attempted.len() - driven.completed.len() <= 1);
    }
}

#[test]
fn a_cancelled_answer_at_every_ask_stops() {
    let whole = drive_well(begin(), busy_responses());
    for position in 0..whole.asks.len() - 1 {
        let mut well = host(busy_responses());
        let driven = drive(begin(), |number, ask| {
            Reply::new(if number == position { Answer::Cancelled } else { well(ask) })
        });
        assert_eq!(driven.end, Err(Stop::RunCancelled), "at {position}");
        assert_eq!(driven.asks[position + 1..], [Stopped]);
    }
}

#[test]
fn a_run_that_is_cancelled_before_it_begins_sends_nothing() {
    let tools = tools(None, &[]);
    let plan = plan(&tools, r#"{"input":"hi"}"#, 1);
    let driven = drive_well(RunMachine::begin(plan, true, 0, true), Vec::new());
    assert_eq!(driven.asks, [Stopped]);
    assert_stopped(&driven, Stop::RunCancelled, &[], &[]);
}

#[test]
fn misuse_is_refused_at_every_ask_and_changes_nothing() {
    let whole = drive_well(begin(), busy_responses());
    for position in 0..whole.asks.len() {
        for wrong in every_answer() {
            let mut machine = begin();
            let mut well = host(busy_responses());
            for _ in 0..position {
                let good = Reply::new(well(&machine.ask()));
                machine.answer(machine.ask_id(), good).expect("a right answer");
            }
            let open = machine.ask_id();
            let given = AskId(open.0 + 1);
            let other = machine.answer(given, Reply::new(Answer::Seen));
            assert_eq!(other, Err(Misuse::WrongAsk { given, open }));
            if !fits(whole.asks[position], &wrong) {
                let at_end = machine.ask().is_end();
                let expected = if at_end { Misuse::Ended } else { Misuse::WrongKind };
                assert_eq!(machine.answer(open, Reply::new(wrong)), Err(expected));
                assert_eq!(machine.ask_id(), open);
                assert_eq!(kind(&machine.ask()), whole.asks[position]);
            }
        }
    }
}

#[test]
fn include_is_the_callers_and_what_replay_needs() {
    let tools = tools(None, &[]);
    let include = |params| plan(&tools, params, 1).include().to_vec();
    assert_eq!(include(r#"{"input":"hi"}"#), ["reasoning.encrypted_content"]);
    let params = r#"{"input":"hi","include":["a","reasoning.encrypted_content","a"]}"#;
    assert_eq!(include(params), ["a", "reasoning.encrypted_content"]);
}

#[test]
fn each_completed_request_is_reported_with_its_usage_before_its_work() {
    let tools = tools(Some(everything()), &["lookup"]);
    let body = |usage: &str, items: &str| {
        parsed(&format!(r#"{{"status":"completed","output":[{items}],"usage":{usage}}}"#))
    };
    let counts = r#"{"input_tokens":1,"output_tokens":2,"total_tokens":3,"other":{}}"#;
    let partial = r#"{"input_tokens":1,"output_tokens":2.5,"total_tokens":3}"#;
    let mut well = host(vec![body(counts, &lookup("c1")), body(partial, MESSAGE)]);
    let mut now = 0;
    let machine = RunMachine::begin(plan(&tools, r#"{"input":"hi"}"#, 20), true, 0, false);
    let driven = drive(machine, |_, ask| {
        now += 7;
        Reply { answer: well(ask), cancelled: false, now }
    });
    let emit = Kind::Emit;
    assert_eq!(driven.asks, [Send, emit, CallFunction, emit, Send, emit, Finished]);
    let usage = Usage { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    let is_request = |record: &&Diagnostic| record.stage == Stage::Request;
    let requests: Vec<_> = driven.records.iter().filter(is_request).collect();
    let reported: Vec<_> = requests.iter().map(|record| record.usage).collect();
    assert_eq!(reported, [Some(usage), None]);
    for record in requests {
        let words = (record.api.as_str(), record.stage.as_str(), record.reason.as_str());
        assert_eq!(words, ("responses", "request", "completed"));
        assert_eq!((record.duration, &record.call_id), (7, &None));
    }
}

#[test]
fn a_read_that_is_refused_outright_is_an_output_without_an_ask() {
    let tools = tools(
        Some(support::drive::confirming(&[swingbridge_core::browser::Member::ReadPage])),
        &[],
    );
    let machine = RunMachine::begin(plan(&tools, r#"{"input":"hi"}"#, 20), false, 0, false);
    let items = [call("c1", "browser_read_page", "[]"), call("c2", "browser_click", CLICK)];
    let driven = drive_well(machine, vec![response(&items), last()]);
    assert_eq!(driven.asks, [Send, ReadState, Send, Finished]);
    assert_eq!(driven.completed, ["c1", "c2"]);
}
