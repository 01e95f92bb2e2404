//! The driving law for one browser call: order, misuse, failures and cancellation at every ask.

mod support;

use support::drive::{
    Driven, Kind, answer, begin, begin_good, call, confirming, drive, drive_well, every_answer,
    everything, fits, good_answer, good_arguments, good_state, kind, members,
};
use swingbridge_core::browser::{BrowserCall, Effect, Member};
use swingbridge_core::gate::{CloseStatus, Gate, GateError};
use swingbridge_core::json::Json;
use swingbridge_core::{Answer, Ask, AskId, Failure, Misuse, Reply, Stop};

/// The asks of a call in which everything goes well.
fn order(member: Member, confirms_read: bool) -> Vec<Kind> {
    use Kind::{Act, Confirm, Output, ReadState, ReviewUrl};
    match member.spec().effect {
        _ if member == Member::ListTabs && confirms_read => {
            vec![Confirm, ReadState, ReadState, Output]
        }
        _ if member == Member::ListTabs => vec![ReadState, ReadState, Output],
        Effect::Read if confirms_read => vec![Confirm, ReadState, Act, ReadState, Output],
        Effect::Read => vec![ReadState, Act, ReadState, Output],
        Effect::PrivateRead | Effect::Change => vec![ReadState, Confirm, Act, ReadState, Output],
        Effect::Visit => vec![ReadState, ReviewUrl, Confirm, Act, ReadState, Output],
    }
}

/// Each member in each way in which it can be begun, with the asks that are to come.
fn scripts() -> Vec<(Member, BrowserCall, Vec<Kind>)> {
    let mut scripts = Vec::new();
    for member in members() {
        scripts.push((member, begin_good(&everything(), member), order(member, false)));
        if member.spec().effect == Effect::Read {
            let tools = confirming(&[member]);
            scripts.push((member, begin_good(&tools, member), order(member, true)));
        }
    }
    scripts
}

/// The asks that are answered, without the end.
fn answered(order: &[Kind]) -> usize {
    order.len() - 1
}

fn rebegin(member: Member, order: &[Kind]) -> BrowserCall {
    let reads: &[Member] = if order[0] == Kind::Confirm { &[member] } else { &[] };
    begin_good(&confirming(reads), member)
}

#[test]
fn asks_come_in_the_order_of_the_law() {
    for (member, machine, order) in scripts() {
        let driven = drive_well(machine);
        assert_eq!(driven.asks, order, "{member:?}");
        assert_eq!(driven.output().field("ok"), Some(&Json::Bool(true)), "{member:?}");
    }
}

#[test]
fn a_new_tab_without_an_address_needs_no_url_policy_but_consent() {
    let machine = begin(&everything(), Member::NewTab, r#"{"url":null}"#);
    let asks = drive_well(machine).asks;
    assert_eq!(asks, [Kind::ReadState, Kind::Confirm, Kind::Act, Kind::ReadState, Kind::Output]);
}

#[test]
fn an_answer_of_the_wrong_kind_is_refused_and_changes_nothing() {
    for (member, _, order) in scripts() {
        for position in 0..order.len() {
            for wrong in every_answer() {
                let mut machine = rebegin(member, &order);
                for _ in 0..position {
                    let good = good_answer(&machine.ask());
                    answer(&mut machine, good).expect("a right answer");
                }
                if fits(order[position], &wrong) {
                    continue;
                }
                let (id, shown) = (machine.ask_id(), format!("{:?}", machine.ask()));
                let expected =
                    if machine.ask().is_end() { Misuse::Ended } else { Misuse::WrongKind };
                assert_eq!(answer(&mut machine, wrong), Err(expected), "{member:?} {position}");
                assert_eq!(machine.ask_id(), id, "the ask is still open");
                assert_eq!(format!("{:?}", machine.ask()), shown);
                let rest: Vec<Kind> = drive_well(machine).asks;
                assert_eq!(rest, order[position..], "{member:?} goes on as if nothing was said");
            }
        }
    }
}

#[test]
fn an_answer_with_another_id_is_refused() {
    for (member, mut machine, order) in scripts() {
        for _ in 0..answered(&order) {
            let open = machine.ask_id();
            for given in [AskId(open.0 + 1), AskId(open.0.wrapping_sub(1)), AskId(u64::MAX)] {
                let good = Reply::new(good_answer(&machine.ask()));
                let refused = machine.answer(given, good);
                assert_eq!(refused, Err(Misuse::WrongAsk { given, open }), "{member:?}");
            }
            let good = good_answer(&machine.ask());
            answer(&mut machine, good).expect("the right id");
        }
        assert!(machine.ask().is_end());
    }
}

#[test]
fn a_second_answer_to_the_same_ask_is_refused() {
    for (member, mut machine, order) in scripts() {
        for _ in 0..answered(&order) {
            let id = machine.ask_id();
            let good = good_answer(&machine.ask());
            machine.answer(id, Reply::new(good)).expect("the first answer");
            let again = machine.answer(id, Reply::new(Answer::Failed(Failure::Untold)));
            let open = machine.ask_id();
            assert_ne!(open, id);
            assert_eq!(again, Err(Misuse::WrongAsk { given: id, open }), "{member:?}");
        }
    }
}

#[test]
fn the_end_stays_and_takes_no_answer() {
    for (member, mut machine, order) in scripts() {
        for _ in 0..answered(&order) {
            let good = good_answer(&machine.ask());
            answer(&mut machine, good).expect("a right answer");
        }
        let end = format!("{:?}", machine.ask());
        for late in every_answer() {
            assert_eq!(answer(&mut machine, late), Err(Misuse::Ended), "{member:?}");
        }
        assert_eq!(format!("{:?}", machine.ask()), end);
    }
}

/// Cancellation that is seen after an ask ends the call there; what was answered does not count.
#[test]
fn cancellation_at_every_ask_ends_the_call() {
    for (member, _, order) in scripts() {
        for position in 0..answered(&order) {
            for given in [Given::Good, Given::Failed, Given::Cancelled] {
                let driven = drive(rebegin(member, &order), |number, ask| {
                    let cancelled = number == position;
                    let answer = if cancelled { given.answer(ask) } else { good_answer(ask) };
                    Reply { answer, cancelled, now: 0 }
                });
                assert_cancelled(&driven, member, &order, position);
            }
        }
    }
}

/// The host's own cancellation coming out of a call is an answer that ends the call as well.
#[test]
fn a_cancelled_answer_ends_the_call_without_the_flag() {
    for (member, _, order) in scripts() {
        for position in 0..answered(&order) {
            let driven = drive(rebegin(member, &order), |number, ask| {
                let cut = number == position;
                Reply::new(if cut { Answer::Cancelled } else { good_answer(ask) })
            });
            assert_cancelled(&driven, member, &order, position);
        }
    }
}

#[derive(Clone, Copy)]
enum Given {
    Good,
    Failed,
    Cancelled,
}

impl Given {
    fn answer(self, ask: &Ask<'_>) -> Answer<'static> {
        match self {
            Self::Good => good_answer(ask),
            Self::Failed => Answer::Failed(Failure::Told("words".to_owned().into())),
            Self::Cancelled => Answer::Cancelled,
        }
    }
}

fn assert_cancelled(driven: &Driven, member: Member, order: &[Kind], position: usize) {
    let touched = member.spec().effect.changes() && order[..=position].contains(&Kind::Act);
    let stop = if touched { Stop::CancelledDuring } else { Stop::CancelledBefore };
    assert_eq!(driven.end, Err(stop), "{member:?} at {position}");
    assert_eq!(driven.asks[..=position], order[..=position], "{member:?}");
    assert_eq!(driven.asks[position + 1..], [Kind::Stopped], "{member:?} at {position}");
}

#[test]
fn a_call_that_is_cancelled_before_it_begins_asks_nothing() {
    for member in members() {
        let fields = call(member.spec().tool, good_arguments(member));
        let tools = confirming(&[]);
        let driven = drive_well(BrowserCall::begin(&tools, &fields, true, 0, true));
        assert_eq!(driven.asks, [Kind::Stopped]);
        assert_eq!(driven.end, Err(Stop::CancelledBefore));
        let skipped = drive_well(BrowserCall::begin_skipped(&fields, 0, true));
        assert_eq!(skipped.end, Err(Stop::CancelledBefore));
    }
}

/// A failed state read stops; a failed consent or effect is told to the model with the state.
#[test]
fn a_failure_at_every_ask_has_its_one_consequence() {
    for (member, _, order) in scripts() {
        for position in 0..answered(&order) {
            let driven = drive(rebegin(member, &order), |number, ask| {
                let fails = number == position;
                let failure = Answer::Failed(Failure::Untold);
                Reply::new(if fails { failure } else { good_answer(ask) })
            });
            let asks = &driven.asks[position..];
            match order[position] {
                Kind::ReadState => {
                    assert_eq!(driven.end, Err(Stop::StateFailed), "{member:?} at {position}");
                    assert_eq!(asks, [Kind::ReadState, Kind::Stopped]);
                }
                // Nothing was read yet, so nothing may be told of the state (B-22).
                Kind::Confirm if position == 0 => {
                    assert_eq!(asks, [Kind::Confirm, Kind::Output]);
                    assert_eq!(driven.output().field("state"), None);
                }
                _ => {
                    assert_eq!(asks[1..], [Kind::ReadState, Kind::Output], "{member:?}");
                    assert!(driven.output().field("state").is_some());
                }
            }
            if driven.end.is_ok() {
                assert_eq!(driven.output().field("ok"), Some(&Json::Bool(false)));
            }
            let acted = driven.count(Kind::Act);
            assert_eq!(acted, usize::from(order[..=position].contains(&Kind::Act)), "{member:?}");
        }
    }
}

#[test]
fn a_refusal_is_followed_by_no_effect() {
    for (member, _, order) in scripts() {
        for position in 0..answered(&order) {
            if !matches!(order[position], Kind::Confirm | Kind::ReviewUrl) {
                continue;
            }
            let driven = drive(rebegin(member, &order), |number, ask| {
                let refused = number == position;
                Reply::new(if refused { Answer::Verdict(false) } else { good_answer(ask) })
            });
            assert_eq!(driven.count(Kind::Act), 0, "{member:?}");
            assert_eq!(driven.output().field("ok"), Some(&Json::Bool(false)));
            let asked_later = driven.asks[position + 1..].contains(&Kind::Confirm);
            assert!(!asked_later, "a refusal is not appealed");
        }
    }
}

/// Invalid arguments are told before anybody is asked, and after the state was read (B-12).
#[test]
fn arguments_are_checked_before_consent_and_effect() {
    for member in members() {
        for arguments in ["", "[]", r#"{"nothing":1}"#, "{\"tab_id\":"] {
            let driven = drive_well(begin(&everything(), member, arguments));
            assert_eq!(driven.asks, [Kind::ReadState, Kind::ReadState, Kind::Output]);
            let output = driven.output();
            let words = output.field("error").and_then(Json::as_str).expect("words");
            assert!(words.starts_with("Invalid arguments: "), "{words}");
        }
        if member.spec().effect == Effect::Read {
            let driven = drive_well(begin(&confirming(&[member]), member, "[]"));
            assert_eq!(driven.asks, [Kind::Output], "the fixed refusal of a read");
            assert_eq!(driven.output().field("state"), None);
        }
    }
}

#[test]
fn each_call_acts_at_most_once_and_reads_the_state_before_and_after() {
    for (member, machine, order) in scripts() {
        let driven = drive_well(machine);
        assert_eq!(driven.count(Kind::ReadState), 2, "{member:?}");
        assert!(driven.count(Kind::Act) <= 1);
        let acts = order.iter().position(|kind| *kind == Kind::Act);
        if let Some(acts) = acts {
            assert!(order[..acts].contains(&Kind::ReadState));
            assert!(order[acts..].contains(&Kind::ReadState));
        }
    }
}

#[test]
fn an_invalid_state_stops_before_and_after_the_effect() {
    let bad = || Answer::Value(Json::Null);
    for (member, _, order) in scripts() {
        for position in (0..answered(&order)).filter(|at| order[*at] == Kind::ReadState) {
            let driven = drive(rebegin(member, &order), |number, ask| {
                Reply::new(if number == position { bad() } else { good_answer(ask) })
            });
            assert_eq!(driven.end, Err(Stop::StateInvalid), "{member:?}");
        }
    }
}

#[test]
fn a_result_that_breaks_its_contract_stops_before_the_state_is_read_again() {
    for (member, _, order) in scripts() {
        let Some(position) = order.iter().position(|kind| *kind == Kind::Act) else { continue };
        let driven = drive(rebegin(member, &order), |number, ask| {
            let wrong = Answer::Value(Json::Foreign);
            Reply::new(if number == position { wrong } else { good_answer(ask) })
        });
        assert!(driven.end.is_err(), "{member:?}");
        assert_eq!(driven.asks[position..], [Kind::Act, Kind::Stopped]);
    }
}

#[test]
fn a_skipped_call_reads_the_state_once_and_does_nothing() {
    for member in members() {
        let fields = call(member.spec().tool, good_arguments(member));
        let driven = drive_well(BrowserCall::begin_skipped(&fields, 0, false));
        assert_eq!(driven.asks, [Kind::ReadState, Kind::Output]);
        let output = driven.output();
        assert_eq!(output.field("ok"), Some(&Json::Bool(false)));
        assert!(output.field("state").is_some() && output.field("error").is_some());
    }
}

#[test]
fn a_call_that_is_not_enabled_asks_nothing() {
    let only_click = swingbridge_core::browser::SelectionOptions {
        members: Some(vec!["click".to_owned()]),
        has_confirm: true,
        ..Default::default()
    };
    let tools = swingbridge_core::browser::Selection::new(&only_click, |_| true).expect("one");
    let arguments = good_arguments(Member::Hover);
    for tool in ["browser_hover", "browser_", "click", "browser_Click", ""] {
        let machine = BrowserCall::begin(&tools, &call(tool, arguments), true, 0, false);
        assert_eq!(kind(&machine.ask()), Kind::Stopped, "{tool}");
        assert!(matches!(machine.ask(), Ask::Stopped(Stop::CallUnavailable)));
    }
}

#[test]
fn a_consent_context_shows_what_will_be_done_and_what_was_seen() {
    let mut machine = begin_good(&everything(), Member::Navigate);
    answer(&mut machine, Answer::Value(good_state())).expect("a state");
    let Ask::ReviewUrl { context, url } = machine.ask() else { panic!("a URL to review") };
    assert_eq!(url.as_str(), Some("https://example.com/a"));
    let shown = support::compare::written(|out| context.write(out));
    let expected = support::compare::parsed(
        r#"{"member":"navigate",
            "arguments":{"url":"https://example.com/a","tab_id":null},
            "state":{"tabs":[{"id":"t1","title":"T","url":"https://example.com","active":true}]},
            "call_id":"call_1"}"#,
    );
    assert_eq!(support::compare::difference(&expected, &shown), None);
}

#[test]
fn a_gate_lets_one_in_and_nobody_after_it_was_closed() {
    let mut gate = Gate::default();
    assert_eq!(gate.enter(), Ok(()));
    assert_eq!(gate.enter(), Err(GateError::Busy));
    assert_eq!(gate.close(), CloseStatus::Draining);
    assert_eq!(gate.enter(), Err(GateError::Closed), "waiting would not help");
    gate.leave();
    assert_eq!(gate.close(), CloseStatus::Closed);
    assert_eq!(gate.enter(), Err(GateError::Closed));
}
