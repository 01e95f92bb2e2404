//! Short ways to drive one browser call.

use swingbridge_core::browser::{
    ArgumentText, BrowserCall, CallFields, CallStatus, MEMBERS, Member, Selection, SelectionOptions,
};
use swingbridge_core::diagnostic::Diagnostic;
use swingbridge_core::json::Json;
use swingbridge_core::runner::{ModelResponse, StreamEvent};
use swingbridge_core::{Answer, Ask, Failure, Misuse, Reply, Stop};

use super::compare::parsed;
pub(crate) use super::fuzz::good::{good_arguments, good_result, good_state};

/// A toolset with all 28 members.
pub(crate) fn everything() -> Selection {
    confirming(&[])
}

/// A toolset with all 28 members that asks before it reads with these.
pub(crate) fn confirming(reads: &[Member]) -> Selection {
    let names = MEMBERS.iter().map(|spec| spec.name.to_owned());
    let reads = reads.iter().map(|member| member.name().to_owned());
    let options = SelectionOptions {
        members: Some(names.collect()),
        additional_members: None,
        confirm_reads: Some(reads.collect()),
        has_confirm: true,
        has_url_policy: true,
    };
    Selection::new(&options, |_| true).expect("a selection of everything")
}

pub(crate) fn members() -> impl Iterator<Item = Member> {
    MEMBERS.iter().map(|spec| spec.member)
}

/// A completed call of the member.
pub(crate) fn call<'c>(tool: &'c str, arguments: &'c str) -> CallFields<'c> {
    CallFields {
        kind: Some("function_call"),
        name: Some(tool),
        call_id: Some("call_1"),
        arguments: ArgumentText::Valid(arguments),
        status: CallStatus::Text("completed"),
    }
}

pub(crate) fn begin(selection: &Selection, member: Member, arguments: &str) -> BrowserCall {
    BrowserCall::begin(selection, &call(member.spec().tool, arguments), false, 0, false)
}

pub(crate) fn begin_good(selection: &Selection, member: Member) -> BrowserCall {
    begin(selection, member, good_arguments(member))
}

/// What an ask is about, without its content.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    ReadState,
    ReviewUrl,
    Confirm,
    Act,
    Send,
    CallFunction,
    Emit,
    Output,
    Finished,
    Stopped,
    /// Of a run that does more than these short ways drive.
    Other,
}

pub(crate) fn kind(ask: &Ask<'_>) -> Kind {
    match ask {
        Ask::ReadState => Kind::ReadState,
        Ask::ReviewUrl { .. } => Kind::ReviewUrl,
        Ask::Confirm { .. } => Kind::Confirm,
        Ask::Act { .. } => Kind::Act,
        Ask::Send(_) => Kind::Send,
        Ask::CallFunction(_) => Kind::CallFunction,
        Ask::Emit(_) => Kind::Emit,
        Ask::Output(_) => Kind::Output,
        Ask::Finished(_) => Kind::Finished,
        Ask::Stopped(_) => Kind::Stopped,
        _ => Kind::Other,
    }
}

/// The answer of a host in which everything goes well.
pub(crate) fn good_answer(ask: &Ask<'_>) -> Answer<'static> {
    match ask {
        Ask::ReadState => Answer::Value(good_state()),
        Ask::ReviewUrl { .. } | Ask::Confirm { .. } => Answer::Verdict(true),
        Ask::Act { member, .. } => Answer::Value(good_result(*member)),
        Ask::CallFunction(_) => Answer::Value(Json::Text("done".into())),
        Ask::Emit(_) => Answer::Seen,
        other => panic!("nothing to answer to {other:?}"),
    }
}

/// One answer of each kind, with what the kinds are called in a failing test.
pub(crate) fn every_answer() -> Vec<Answer<'static>> {
    vec![
        Answer::Value(Json::Null),
        Answer::Verdict(true),
        Answer::Verdict(false),
        Answer::Response(ModelResponse { body: Json::Null }),
        Answer::Streaming,
        Answer::Event(StreamEvent { body: Json::Null }),
        Answer::StreamEnded,
        Answer::Seen,
        Answer::Failed(Failure::Told("words".to_owned().into())),
        Answer::Failed(Failure::Untold),
        Answer::Cancelled,
    ]
}

/// Whether a browser call takes an answer of this kind to this ask.
pub(crate) fn fits(ask: Kind, answer: &Answer<'_>) -> bool {
    match (ask, answer) {
        (Kind::Emit, answer) => matches!(answer, Answer::Seen),
        (Kind::Output | Kind::Finished | Kind::Stopped, _) => false,
        (_, Answer::Failed(_) | Answer::Cancelled) => true,
        (Kind::ReadState | Kind::Act | Kind::CallFunction, answer) => {
            matches!(answer, Answer::Value(_))
        }
        (Kind::ReviewUrl | Kind::Confirm, answer) => matches!(answer, Answer::Verdict(_)),
        (Kind::Send, answer) => matches!(answer, Answer::Response(_)),
        (Kind::Other, _) => panic!("an ask that these tests do not know"),
    }
}

/// What a finished call left behind.
#[derive(Debug)]
pub(crate) struct Driven {
    pub(crate) asks: Vec<Kind>,
    pub(crate) records: Vec<Diagnostic>,
    /// The output's text, or why there is none.
    pub(crate) end: Result<String, Stop>,
}

impl Driven {
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.asks.iter().filter(|ask| **ask == kind).count()
    }

    pub(crate) fn output(&self) -> Json<'static> {
        parsed(self.end.as_ref().expect("an output"))
    }
}

/// Drives a call to its end; `answer` gets the number of the ask, from 0, and the ask.
pub(crate) fn drive(
    mut machine: BrowserCall,
    mut answer: impl FnMut(usize, &Ask<'_>) -> Reply<'static>,
) -> Driven {
    let mut asks = Vec::new();
    let mut records = Vec::new();
    loop {
        let ask = machine.ask();
        asks.push(kind(&ask));
        match ask {
            Ask::Output(output) => {
                return Driven { asks, records, end: Ok(output.text.clone()) };
            }
            Ask::Stopped(stop) => return Driven { asks, records, end: Err(*stop) },
            Ask::Emit(record) => records.push(record.clone()),
            _ => {}
        }
        let reply = answer(asks.len() - 1, &ask);
        let id = machine.ask_id();
        machine.answer(id, reply).expect("the host keeps the law");
        assert!(asks.len() < 32, "a call ends");
    }
}

/// Drives a call in which everything goes well.
pub(crate) fn drive_well(machine: BrowserCall) -> Driven {
    drive(machine, |_, ask| Reply::new(good_answer(ask)))
}

/// Answers with an open ask's id.
pub(crate) fn answer(machine: &mut BrowserCall, answer: Answer<'_>) -> Result<(), Misuse> {
    machine.answer(machine.ask_id(), Reply::new(answer))
}
