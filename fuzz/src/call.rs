//! Sequences of host actions against one browser call.

use arbitrary::Arbitrary;
use swingbridge_core::browser::{
    ArgumentText, BrowserCall, CallFields, CallStatus, MEMBERS, Member, Selection, SelectionOptions,
};
use swingbridge_core::json::{Json, parse};
use swingbridge_core::runner::{ModelResponse, StreamEvent};
use swingbridge_core::{Answer, Ask, AskId, Failure, Misuse, Reply};

use super::good::{good_arguments, good_result, good_state};
use super::item::{json, object, text};
use super::value::Tree;

/// What a host does at one ask.
#[derive(Arbitrary, Clone, Debug)]
pub struct Act {
    pub how: How,
    pub cancelled: bool,
    pub now: u32,
    /// Answers this many asks too late or too early before the right one.
    pub wrong_id: Option<u8>,
}

#[derive(Arbitrary, Clone, Debug)]
pub enum How {
    Well,
    Value(Tree),
    Verdict(bool),
    Response(Tree),
    Streaming,
    Event(Tree),
    StreamEnded,
    Seen,
    Told(String),
    Untold,
    Cancelled,
}

/// One call and what its host does.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Arbitrary, Clone, Debug)]
pub struct CallScript {
    pub member: u8,
    /// `None` for arguments that the member takes.
    pub arguments: Option<String>,
    pub confirms_read: bool,
    pub skipped: bool,
    pub observed: bool,
    pub cancelled: bool,
    pub acts: Vec<Act>,
}

impl How {
    pub fn answer(&self, ask: &Ask<'_>) -> Answer<'static> {
        match self {
            Self::Well => good_answer(ask),
            Self::Value(tree) => Answer::Value(tree.to_json()),
            Self::Verdict(verdict) => Answer::Verdict(*verdict),
            Self::Response(tree) => Answer::Response(ModelResponse { body: tree.to_json() }),
            Self::Streaming => Answer::Streaming,
            Self::Event(tree) => Answer::Event(StreamEvent { body: tree.to_json() }),
            Self::StreamEnded => Answer::StreamEnded,
            Self::Seen => Answer::Seen,
            Self::Told(words) => Answer::Failed(Failure::Told(words.clone().into())),
            Self::Untold => Answer::Failed(Failure::Untold),
            Self::Cancelled => Answer::Cancelled,
        }
    }
}

/// What a well-behaved host answers, whatever it holds; at the end, where nothing fits, it is told so.
pub fn good_answer(ask: &Ask<'_>) -> Answer<'static> {
    match ask {
        Ask::ReadState => Answer::Value(good_state()),
        Ask::Act { member, .. } => Answer::Value(good_result(*member)),
        Ask::CallFunction(_) | Ask::AwaitFunction { .. } => Answer::Value(text("done")),
        Ask::ActOnComputer { .. } => Answer::Value(Json::Null),
        Ask::TakeScreenshot => {
            Answer::Value(json(r#"{"type":"computer_screenshot","file_id":"f"}"#))
        }
        Ask::ReviewEarly { .. } => Answer::Value(text("execute")),
        Ask::ApproveMcp { .. } => Answer::Value(Json::Bool(true)),
        Ask::Compact(request) => {
            let ids = request.snapshot.eligible_call_ids.iter().map(|id| text(id));
            Answer::Value(object([("drop_call_ids", Json::List(ids.collect()))]))
        }
        Ask::Emit(_) | Ask::DeliverEvent | Ask::StartFunction(_) | Ask::Save(_) | Ask::Turn(_) => {
            Answer::Seen
        }
        _ => Answer::Verdict(true),
    }
}

pub(super) fn everything(confirm_reads: &[Member]) -> Selection {
    let options = SelectionOptions {
        members: Some(MEMBERS.iter().map(|spec| spec.name.to_owned()).collect()),
        additional_members: None,
        confirm_reads: Some(confirm_reads.iter().map(|read| read.name().to_owned()).collect()),
        has_confirm: true,
        has_url_policy: true,
    };
    Selection::new(&options, |_| true).expect("a selection of everything")
}

/// What was asked for and approved on the way.
#[derive(Default)]
struct Seen {
    acts: usize,
    states: usize,
    reviewed: bool,
    confirmed: bool,
}

impl CallScript {
    /// Whatever the host does: a typed result, at most one effect, none without its consent, an end.
    pub fn check(&self) {
        let member = MEMBERS[usize::from(self.member) % MEMBERS.len()].member;
        let mut machine = self.begin(member);
        let mut seen = Seen::default();
        let mut acts = self.acts.iter();
        for _ in 0..64 {
            if machine.ask().is_end() {
                break;
            }
            seen.note(&machine.ask());
            if let Some(act) = acts.next() {
                step(&mut machine, act, &mut seen);
            } else {
                let answer = good_answer(&machine.ask());
                seen.note_answer(&machine.ask(), &answer);
                machine.answer(machine.ask_id(), Reply::new(answer)).expect("a good answer");
            }
        }
        assert_end(&mut machine);
        assert!(seen.acts <= 1 && seen.states <= 2, "{} acts", seen.acts);
    }

    fn begin(&self, member: Member) -> BrowserCall {
        let spec = member.spec();
        let is_read = spec.effect == swingbridge_core::browser::Effect::Read;
        let reads: &[Member] = if self.confirms_read && is_read { &[member] } else { &[] };
        let arguments = self.arguments.as_deref().unwrap_or(good_arguments(member));
        let fields = CallFields {
            kind: Some("function_call"),
            name: Some(spec.tool),
            call_id: Some("call_1"),
            arguments: ArgumentText::Valid(arguments),
            status: CallStatus::Unset,
        };
        if self.skipped {
            BrowserCall::begin_skipped(&fields, 0, self.cancelled)
        } else {
            let tools = everything(reads);
            BrowserCall::begin(&tools, &fields, self.observed, 0, self.cancelled)
        }
    }
}

fn step(machine: &mut BrowserCall, act: &Act, seen: &mut Seen) {
    let open = machine.ask_id();
    if let Some(offset) = act.wrong_id {
        let given = AskId(open.0.wrapping_add(u64::from(offset) + 1));
        let refused = machine.answer(given, Reply::new(Answer::Seen));
        assert_eq!(refused, Err(Misuse::WrongAsk { given, open }));
    }
    let answer = act.how.answer(&machine.ask());
    let mut before = Seen::default();
    before.note_answer(&machine.ask(), &answer);
    let reply = Reply { answer, cancelled: act.cancelled, now: u64::from(act.now) };
    match machine.answer(open, reply) {
        Ok(()) => {
            assert_eq!(machine.ask_id(), AskId(open.0 + 1));
            seen.reviewed |= before.reviewed;
            seen.confirmed |= before.confirmed;
        }
        Err(misuse) => {
            assert_eq!(misuse, Misuse::WrongKind);
            assert_eq!(machine.ask_id(), open, "the ask is still open");
            seen.unnote(&machine.ask());
        }
    }
}

impl Seen {
    fn note(&mut self, ask: &Ask<'_>) {
        match ask {
            Ask::ReadState => self.states += 1,
            Ask::Act { member, arguments } => {
                self.acts += 1;
                let effect = member.spec().effect;
                assert!(!effect.needs_confirm() || self.confirmed, "{member:?} without consent");
                let has_url = arguments.field("url").is_some_and(|url| !url.is_null());
                let visits = effect == swingbridge_core::browser::Effect::Visit;
                assert!(!visits || !has_url || self.reviewed, "{member:?} without a policy");
            }
            _ => {}
        }
    }

    /// An answer that was refused leaves the ask open; it is noted again.
    fn unnote(&mut self, ask: &Ask<'_>) {
        match ask {
            Ask::ReadState => self.states -= 1,
            Ask::Act { .. } => self.acts -= 1,
            _ => {}
        }
    }

    fn note_answer(&mut self, ask: &Ask<'_>, answer: &Answer<'_>) {
        if matches!(answer, Answer::Verdict(true)) {
            self.reviewed |= matches!(ask, Ask::ReviewUrl { .. });
            self.confirmed |= matches!(ask, Ask::Confirm { .. });
        }
    }
}

fn assert_end(machine: &mut BrowserCall) {
    match machine.ask() {
        Ask::Output(output) => {
            let payload = parse(&output.text).expect("the core writes JSON");
            assert_eq!(payload.field("ok"), Some(&Json::Bool(output.ok)));
            let has_error = payload.field("error").is_some();
            assert!(!(has_error && output.ok), "an error is no success");
        }
        Ask::Stopped(stop) => assert!(!stop.code().is_empty()),
        other => panic!("no end after many answers: {other:?}"),
    }
    let late = machine.answer(machine.ask_id(), Reply::new(Answer::Seen));
    assert_eq!(late, Err(Misuse::Ended));
}
