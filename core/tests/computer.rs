//! The law of a computer call: consent before effect, each action once and in order, and an end for
//! every wrong, missing or cancelled answer (C-2 to C-6).

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use swingbridge_core::computer::{ComputerAction, ComputerCall, ComputerOptions};
use swingbridge_core::json::{Json, parse};
use swingbridge_core::{Answer, Ask, AskId, Failure, Misuse, Reply, Stop};

const CALL: &str = r#"{
    "type": "computer_call", "id": "cu_1", "call_id": "call_1", "status": "completed",
    "pending_safety_checks": [{"id": "check", "code": "c", "message": "m"}],
    "actions": [
        {"type": "click", "x": 1, "y": 2, "button": "left"},
        {"type": "screenshot"},
        {"type": "type", "text": "a"}
    ]
}"#;
const SCREENSHOT: &str = r#"{"type": "computer_screenshot", "file_id": "f"}"#;

/// What the call asks for if everything is approved.
const ASKED: &[&str] = &[
    "approve",
    "review click",
    "act click",
    "review screenshot",
    "review type",
    "act type",
    "review screenshot",
    "picture",
];

fn begin(observed: bool) -> ComputerCall {
    let options = ComputerOptions { approves_safety_checks: true, reviews_actions: true, observed };
    ComputerCall::begin(&parse(CALL).unwrap(), options, 0, false)
}

fn name(ask: &Ask<'_>) -> String {
    let kind = |action: Option<&ComputerAction>| {
        action.map_or("screenshot", |action| action.kind.name()).to_owned()
    };
    match ask {
        Ask::ApproveSafety { .. } => "approve".to_owned(),
        Ask::ReviewAction { action, .. } => format!("review {}", kind(*action)),
        Ask::ActOnComputer { action, .. } => format!("act {}", kind(*action)),
        Ask::TakeScreenshot => "picture".to_owned(),
        Ask::Emit(record) => format!("emit {}", record.stage.as_str()),
        other => format!("{other:?}"),
    }
}

fn good(ask: &Ask<'_>) -> Answer<'static> {
    match ask {
        Ask::ApproveSafety { .. } | Ask::ReviewAction { .. } => Answer::Verdict(true),
        Ask::ActOnComputer { .. } => Answer::Value(Json::Null),
        Ask::TakeScreenshot => Answer::Value(parse(SCREENSHOT).unwrap()),
        _ => Answer::Seen,
    }
}

fn answer(call: &mut ComputerCall, answer: Answer<'_>, cancelled: bool) -> Result<(), Misuse> {
    call.answer(call.ask_id(), Reply { answer, cancelled, now: 0 })
}

/// Answers well until the ask of that number, counted without observers.
fn until(number: usize) -> ComputerCall {
    let mut call = begin(false);
    for _ in 0..number {
        let next = good(&call.ask());
        answer(&mut call, next, false).unwrap();
    }
    call
}

#[test]
fn a_good_call_asks_for_each_thing_once_and_in_order() {
    let mut call = begin(false);
    let mut asked = Vec::new();
    while !call.ask().is_end() {
        asked.push(name(&call.ask()));
        let next = good(&call.ask());
        answer(&mut call, next, false).unwrap();
    }
    assert_eq!(asked, ASKED);
    let Ask::ComputerOutput(output) = call.ask() else { panic!("an output") };
    assert_eq!(output.acknowledged.len(), 1);
    assert_eq!(answer(&mut call, Answer::Seen, false), Err(Misuse::Ended));
}

#[test]
fn cancelling_at_any_ask_ends_the_call_and_says_whether_something_was_done() {
    for (number, asked) in ASKED.iter().enumerate() {
        for told_with_the_answer in [true, false] {
            let mut call = until(number);
            let is_first_effect = number >= 2;
            let next = if told_with_the_answer { good(&call.ask()) } else { Answer::Cancelled };
            answer(&mut call, next, told_with_the_answer).unwrap();
            let Ask::Stopped(stop) = call.ask() else { panic!("stopped at {number}") };
            let expected =
                if is_first_effect { Stop::CancelledDuring } else { Stop::CancelledBefore };
            assert_eq!(*stop, expected, "{asked}");
        }
    }
}

#[test]
fn a_failure_or_a_refusal_at_any_ask_stops_the_call() {
    for (number, asked) in ASKED.iter().enumerate() {
        let stop = match asked.split(' ').next() {
            Some("approve") => Stop::SafetyNotApproved,
            Some("review") => Stop::ActionNotApproved,
            Some("act") => Stop::ActionFailed,
            _ => Stop::ScreenshotFailed,
        };
        let mut call = until(number);
        answer(&mut call, Answer::Failed(Failure::Untold), false).unwrap();
        assert!(matches!(call.ask(), Ask::Stopped(found) if *found == stop), "{asked}");
        if matches!(stop, Stop::SafetyNotApproved | Stop::ActionNotApproved) {
            let mut call = until(number);
            answer(&mut call, Answer::Verdict(false), false).unwrap();
            assert!(matches!(call.ask(), Ask::Stopped(found) if *found == stop), "{asked}");
        }
    }
}

#[test]
fn misuse_is_refused_and_the_right_answer_is_still_accepted() {
    for number in 0..ASKED.len() {
        let mut call = until(number);
        let before = name(&call.ask());
        let wrong_id = AskId(call.ask_id().0 + 1);
        let next = good(&call.ask());
        let refused = call.answer(wrong_id, Reply::new(next)).unwrap_err();
        assert!(matches!(refused, Misuse::WrongAsk { .. }));
        let wrong_kind = match good(&call.ask()) {
            Answer::Verdict(_) => Answer::Value(Json::Null),
            _ => Answer::Verdict(true),
        };
        assert_eq!(answer(&mut call, wrong_kind, false), Err(Misuse::WrongKind));
        assert_eq!(name(&call.ask()), before);
        let next = good(&call.ask());
        answer(&mut call, next, false).unwrap();
    }
}

#[test]
fn without_the_callbacks_that_are_needed_nothing_is_asked() {
    let call = ComputerCall::begin(&parse(CALL).unwrap(), ComputerOptions::default(), 0, false);
    assert!(matches!(call.ask(), Ask::Stopped(Stop::SafetyNotApproved)));
    let options = ComputerOptions { approves_safety_checks: true, ..ComputerOptions::default() };
    let call = ComputerCall::begin(&parse(CALL).unwrap(), options, 0, true);
    assert!(matches!(call.ask(), Ask::Stopped(Stop::CancelledBefore)));
}

#[test]
fn a_long_batch_of_pictures_is_no_deep_recursion() {
    let pictures = vec![r#"{"type":"screenshot"}"#; 200_000].join(",");
    let text = format!(
        r#"{{"type":"computer_call","id":"i","call_id":"c","status":"completed","actions":[{pictures}]}}"#
    );
    let call = ComputerCall::begin(&parse(&text).unwrap(), ComputerOptions::default(), 0, false);
    assert!(matches!(call.ask(), Ask::TakeScreenshot));
}
