//! What an observer of a browser call is told, in which order, and how long each stage took.

mod support;

use support::drive::{
    Driven, Kind, answer, call, confirming, drive, everything, good_answer, good_arguments, kind,
    members,
};
use swingbridge_core::browser::{BrowserCall, Effect, Member};
use swingbridge_core::diagnostic::Diagnostic;
use swingbridge_core::json::Json;
use swingbridge_core::{Answer, Ask, Failure, Misuse, Reply, Stop};

use Kind::{Act, Confirm, Emit, Output, ReadState, ReviewUrl};

/// Which ask of which member gets which answer, and what is told of it.
type Case = (Member, Kind, fn() -> Reply<'static>, &'static [&'static str]);

/// Each answer takes this long, in the host's microseconds.
const TICK: u64 = 1_000;

fn begin(member: Member, arguments: &str, confirms_read: bool) -> BrowserCall {
    let tools = if confirms_read { confirming(&[member]) } else { everything() };
    BrowserCall::begin(&tools, &call(member.spec().tool, arguments), true, TICK, false)
}

/// Drives an observed call; `wrong` replaces the answer to the ask of this kind.
fn observe(machine: BrowserCall, wrong: Option<(Kind, fn() -> Reply<'static>)>) -> Driven {
    let mut now = TICK;
    drive(machine, |_, ask| {
        now += TICK;
        match wrong {
            Some((at, reply)) if at == kind(ask) => Reply { now, ..reply() },
            _ => Reply { now, ..Reply::new(good_answer(ask)) },
        }
    })
}

fn words(records: &[Diagnostic]) -> Vec<String> {
    let word = |record: &Diagnostic| {
        assert_eq!(record.api.as_str(), "browser");
        assert_eq!(record.call_id.as_deref(), Some("call_1"));
        assert_eq!(record.usage, None);
        format!("{}:{}", record.stage.as_str(), record.reason.as_str())
    };
    records.iter().map(word).collect()
}

#[test]
fn an_approved_action_is_reported_stage_by_stage() {
    for member in members() {
        let driven = observe(begin(member, good_arguments(member), false), None);
        let expected: &[&str] = match member.spec().effect {
            Effect::Read => &["action:completed"],
            _ => &["approval:completed", "action:completed"],
        };
        assert_eq!(words(&driven.records), expected, "{member:?}");
        for record in &driven.records {
            assert_eq!(record.member.as_deref(), Some(member.name()));
        }
    }
}

/// A record is emitted as soon as its stage is over: before the next thing is asked.
#[test]
fn a_record_comes_before_the_next_stage() {
    let driven = observe(begin(Member::Click, good_arguments(Member::Click), false), None);
    assert_eq!(driven.asks, [ReadState, Confirm, Emit, Act, Emit, ReadState, Output]);
}

#[test]
fn durations_are_of_the_stage_alone() {
    let mut now = 0;
    let mut steps = [5, 70, 900, 11_000, 900, 5].into_iter();
    let driven = drive(begin(Member::Click, good_arguments(Member::Click), false), |_, ask| {
        now += steps.next().expect("a step for each ask");
        Reply { now: TICK + now, ..Reply::new(good_answer(ask)) }
    });
    // What the observer itself took (900 each time) counts for no stage.
    let durations: Vec<u64> = driven.records.iter().map(|record| record.duration).collect();
    assert_eq!(durations, [70, 11_000]);
}

#[test]
fn a_clock_that_goes_backwards_gives_no_duration_below_zero() {
    let driven =
        drive(begin(Member::Click, good_arguments(Member::Click), false), |number, ask| {
            let now = TICK.saturating_sub(number as u64 * 400);
            Reply { now, ..Reply::new(good_answer(ask)) }
        });
    assert!(driven.records.iter().all(|record| record.duration == 0));
}

#[test]
fn each_way_to_fail_has_its_reason() {
    let failed = || Reply::new(Answer::Failed(Failure::Untold));
    let refused = || Reply::new(Answer::Verdict(false));
    let invalid = || Reply::new(Answer::Value(Json::Foreign));
    let cancelled = || Reply::new(Answer::Cancelled);
    let cases: &[Case] = &[
        (Member::Click, Confirm, refused, &["approval:refused"]),
        (Member::Click, Confirm, failed, &["approval:policy_failed"]),
        (Member::Click, Confirm, cancelled, &["approval:cancelled"]),
        (Member::Navigate, ReviewUrl, refused, &["approval:refused"]),
        (Member::Navigate, ReviewUrl, failed, &["approval:policy_failed"]),
        (Member::Navigate, ReviewUrl, cancelled, &["approval:cancelled"]),
        (Member::Click, Act, failed, &["approval:completed", "action:driver_failed"]),
        (Member::Click, Act, invalid, &["approval:completed", "output:invalid_output"]),
        (Member::Click, Act, cancelled, &["approval:completed", "action:cancelled"]),
        (Member::Click, ReadState, failed, &[]),
        (Member::ReadPage, Act, failed, &["action:driver_failed"]),
    ];
    for (member, at, reply, expected) in cases {
        let driven = observe(begin(*member, good_arguments(*member), false), Some((*at, *reply)));
        assert_eq!(words(&driven.records), *expected, "{member:?} {at:?}");
    }
}

#[test]
fn refused_arguments_are_reported() {
    let driven = observe(begin(Member::Click, "[]", false), None);
    assert_eq!(words(&driven.records), ["arguments:invalid_input"]);
    // A read that needs consent tells nobody why: not the observer either.
    let driven = observe(begin(Member::ReadPage, "[]", true), None);
    assert_eq!(words(&driven.records), ["approval:policy_failed"]);
    assert_eq!(driven.asks, [Emit, Output]);
}

#[test]
fn a_confirmed_read_is_reported() {
    let member = Member::ReadPage;
    let driven = observe(begin(member, good_arguments(member), true), None);
    assert_eq!(words(&driven.records), ["approval:completed", "action:completed"]);
    assert_eq!(driven.asks, [Confirm, Emit, ReadState, Act, Emit, ReadState, Output]);
}

/// An observer that fails answers like one that does not: there is one answer to a record.
#[test]
fn a_record_takes_no_other_answer_than_seen() {
    let mut machine = begin(Member::ReadPage, "[]", true);
    assert_eq!(kind(&machine.ask()), Emit);
    for wrong in support::drive::every_answer() {
        if !matches!(wrong, Answer::Seen) {
            assert_eq!(answer(&mut machine, wrong), Err(Misuse::WrongKind));
        }
    }
    assert_eq!(answer(&mut machine, Answer::Seen), Ok(()));
    assert_eq!(kind(&machine.ask()), Output);
}

/// Cancellation that is noticed while a record is given out ends the call, but not a call that is
/// over already.
#[test]
fn cancellation_while_a_record_is_given_out() {
    let at_emit = |member, arguments: &str, confirms_read| {
        drive(begin(member, arguments, confirms_read), |_, ask| {
            let cancelled = matches!(ask, Ask::Emit(_));
            Reply { answer: good_answer(ask), cancelled, now: 0 }
        })
    };
    let driven = at_emit(Member::Click, good_arguments(Member::Click), false);
    assert_eq!(driven.end, Err(Stop::CancelledBefore), "approved, but not done");
    assert_eq!(driven.count(Act), 0);
    let driven = at_emit(Member::ReadPage, "[]", true);
    assert!(driven.end.is_ok(), "the output was there before");
}
