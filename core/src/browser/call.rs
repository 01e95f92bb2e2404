//! The machine of one browser call.
//!
//! ```text
//! begin ─► (confirm read) ─► state ─► (review URL) ─► (confirm) ─► act ─► state ─► output
//!              │ no             │ bad arguments, no consent, failure ──────┘
//!              └► output without state
//! ```
//!
//! Cancellation ends it from anywhere; a state or a result that breaks its contract stops it.

use std::collections::VecDeque;

use super::arguments::{ArgumentFault, Arguments};
use super::context::ActionContext;
use super::file::FileOutcome;
use super::image::InputImage;
use super::member::{Effect, Member, ResultKind};
use super::output::{BrowserOutput, Outcome};
use super::read::{ReadShape, project};
use super::selection::Selection;
use super::state::BrowserState;
use crate::answer::{Answer, Failure, Reply};
use crate::ask::{Ask, AskId};
use crate::diagnostic::{Api, Diagnostic, Reason, Stage};
use crate::error::{Misuse, Stop};
use crate::json::{Json, Text, Writer};

const READ_REFUSED: &str = "The application did not allow this read.";
const ACTION_REFUSED: &str = "The application did not allow this action.";
const URL_REFUSED: &str = "The application does not allow this address.";
const ACTION_FAILED: &str = "The browser action failed.";
const SKIPPED: &str = "Not run because an earlier browser call of this response failed.";

/// A function call as it came from the wire. A field that the host could not read as valid text is
/// `None`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallFields<'c> {
    pub kind: Option<&'c str>,
    pub name: Option<&'c str>,
    pub call_id: Option<&'c str>,
    pub arguments: ArgumentText<'c>,
    pub status: CallStatus<'c>,
}

/// The `arguments` of a call.
#[derive(Clone, Copy, Default)]
pub enum ArgumentText<'c> {
    Valid(&'c str),
    /// Text with unpaired surrogates: the wire cannot carry it, so the call is not what was sent.
    Unpaired,
    #[default]
    NotText,
}

/// The `status` of a call.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum CallStatus<'c> {
    /// Absent or null: taken as completed.
    #[default]
    Unset,
    Text(&'c str),
    NotText,
}

/// Runs one call. See the module's picture.
#[derive(Debug)]
pub struct BrowserCall {
    member: Option<Member>,
    call_id: String,
    arguments: Result<Arguments, ArgumentFault>,
    position: Position,
    ask: u64,
    before: Option<BrowserState>,
    /// What will be told once the final state is known.
    outcome: Option<Outcome>,
    /// Whether the driver was asked to change something.
    touched: bool,
    observed: bool,
    /// When the current stage began.
    since: u64,
    records: VecDeque<Diagnostic>,
}

#[derive(Debug)]
enum Position {
    ConfirmRead,
    StateBefore,
    ReviewUrl,
    Confirm,
    Act,
    StateAfter,
    Output(BrowserOutput),
    Stopped(Stop),
}

impl BrowserCall {
    /// Begins a call. `now` is the host's time; `cancelled` says whether the caller has already
    /// asked for the work to end.
    pub fn begin(
        selection: &Selection,
        fields: &CallFields<'_>,
        observed: bool,
        now: u64,
        cancelled: bool,
    ) -> Self {
        let mut call = Self::new(fields, observed, now);
        let member = match fields.enabled_member(selection) {
            Ok(member) => member,
            Err(stop) => {
                call.position = Position::Stopped(stop);
                return call;
            }
        };
        call.member = Some(member);
        if cancelled {
            call.position = Position::Stopped(Stop::CancelledBefore);
            return call;
        }
        call.arguments = match fields.arguments {
            ArgumentText::Valid(text) => Arguments::parse(member, text),
            ArgumentText::Unpaired | ArgumentText::NotText => Err(ArgumentFault::NotAnObject),
        };
        if selection.confirms_read(member) {
            call.position = Position::ConfirmRead;
            if call.arguments.is_err() {
                call.record(Stage::Approval, Reason::PolicyFailed, now);
                call.end_without_state();
            }
        }
        call
    }

    /// Begins a call that is not run because an earlier one of its response failed: the state is
    /// read once and the model is told (R-4).
    pub fn begin_skipped(fields: &CallFields<'_>, now: u64, cancelled: bool) -> Self {
        let mut call = Self::new(fields, false, now);
        call.position = if cancelled {
            Position::Stopped(Stop::CancelledBefore)
        } else {
            call.outcome = Some(Outcome::Error(Text::from(SKIPPED)));
            Position::StateAfter
        };
        call
    }

    fn new(fields: &CallFields<'_>, observed: bool, now: u64) -> Self {
        Self {
            member: None,
            call_id: fields.call_id.unwrap_or_default().to_owned(),
            arguments: Err(ArgumentFault::NotAnObject),
            position: Position::StateBefore,
            ask: 0,
            before: None,
            outcome: None,
            touched: false,
            observed,
            since: now,
            records: VecDeque::new(),
        }
    }

    pub fn ask_id(&self) -> AskId {
        AskId(self.ask)
    }

    /// The open ask, or the end.
    pub fn ask(&self) -> Ask<'_> {
        if let Some(record) = self.records.front() {
            return Ask::Emit(record);
        }
        match (&self.position, self.action()) {
            (Position::StateBefore | Position::StateAfter, _) => Ask::ReadState,
            (Position::ConfirmRead | Position::Confirm, Some((context, _))) => {
                Ask::Confirm { context }
            }
            (Position::ReviewUrl, Some((context, Some(url)))) => Ask::ReviewUrl { context, url },
            (Position::Act, Some((context, _))) => {
                Ask::Act { member: context.member, arguments: context.arguments }
            }
            (Position::Output(output), _) => Ask::Output(output),
            (Position::Stopped(stop), _) => Ask::Stopped(stop),
            // These positions are entered with validated arguments only.
            (_, _) => Ask::Stopped(&Stop::CallMalformed),
        }
    }

    fn action(&self) -> Option<(ActionContext<'_>, Option<&Text<'static>>)> {
        let arguments = self.arguments.as_ref().ok()?;
        let context = ActionContext {
            member: self.member?,
            arguments,
            state: self.before.as_ref(),
            call_id: &self.call_id,
        };
        Some((context, arguments.field("url").and_then(Json::as_text)))
    }

    /// Answers the open ask.
    pub fn answer(&mut self, id: AskId, reply: Reply<'_>) -> Result<(), Misuse> {
        if id != self.ask_id() {
            return Err(Misuse::WrongAsk { given: id, open: self.ask_id() });
        }
        if self.records.is_empty() {
            self.step(reply)?;
        } else {
            self.seen(&reply)?;
        }
        self.ask += 1;
        Ok(())
    }

    fn seen(&mut self, reply: &Reply<'_>) -> Result<(), Misuse> {
        if !matches!(reply.answer, Answer::Seen) {
            return Err(Misuse::WrongKind);
        }
        self.records.pop_front();
        self.since = reply.now;
        let at_end = matches!(self.position, Position::Output(_) | Position::Stopped(_));
        if reply.cancelled && !at_end {
            self.cancel();
        }
        Ok(())
    }

    fn step(&mut self, reply: Reply<'_>) -> Result<(), Misuse> {
        let Reply { answer, cancelled, now } = reply;
        match self.position {
            Position::Output(_) | Position::Stopped(_) => return Err(Misuse::Ended),
            _ if !self.accepts(&answer) => return Err(Misuse::WrongKind),
            // The driver was called, whatever came of it.
            Position::Act => self.touched = self.changes(),
            _ => {}
        }
        match self.position {
            _ if cancelled || matches!(answer, Answer::Cancelled) => self.end_cancelled(now),
            Position::Output(_) | Position::Stopped(_) => {}
            Position::ConfirmRead => self.after_read_consent(&answer, now),
            Position::StateBefore => self.after_first_state(&answer, now),
            Position::ReviewUrl => self.after_review(answer, now),
            Position::Confirm => self.after_consent(answer, now),
            Position::Act => self.after_action(answer, now),
            Position::StateAfter => self.after_final_state(&answer),
        }
        self.since = now;
        Ok(())
    }

    fn changes(&self) -> bool {
        self.member.is_some_and(|member| member.spec().effect.changes())
    }

    fn accepts(&self, answer: &Answer<'_>) -> bool {
        match answer {
            Answer::Failed(_) | Answer::Cancelled => true,
            Answer::Value(_) => matches!(
                self.position,
                Position::StateBefore | Position::Act | Position::StateAfter
            ),
            Answer::Verdict(_) => matches!(
                self.position,
                Position::ConfirmRead | Position::ReviewUrl | Position::Confirm
            ),
            _ => false,
        }
    }

    fn after_read_consent(&mut self, answer: &Answer<'_>, now: u64) {
        if self.is_approved(answer, now) {
            self.position = Position::StateBefore;
        } else {
            self.end_without_state();
        }
    }

    fn after_first_state(&mut self, answer: &Answer<'_>, now: u64) {
        match read_state(answer) {
            Ok(state) => self.before = Some(state),
            Err(stop) => {
                self.position = Position::Stopped(stop);
                return;
            }
        }
        match (&self.arguments, self.member) {
            (Ok(arguments), Some(member)) => {
                let has_url = arguments.field("url").is_some_and(|url| !url.is_null());
                self.position = match member.spec().effect {
                    Effect::Visit if has_url => Position::ReviewUrl,
                    effect if effect.needs_confirm() => Position::Confirm,
                    _ if member == Member::ListTabs => {
                        self.record(Stage::Action, Reason::Completed, now);
                        self.outcome = Some(Outcome::Result { ok: true, json: "null".to_owned() });
                        Position::StateAfter
                    }
                    _ => Position::Act,
                };
            }
            (Err(fault), _) => {
                let words = format!("Invalid arguments: {fault}.");
                self.record(Stage::Arguments, Reason::InvalidInput, now);
                self.finish_with(Outcome::Error(Text::from(words)));
            }
            (Ok(_), None) => self.position = Position::Stopped(Stop::CallMalformed),
        }
    }

    fn after_review(&mut self, answer: Answer<'_>, now: u64) {
        // A URL that passes is not an approval yet: that is said once, after `confirm`.
        if matches!(answer, Answer::Verdict(true)) {
            self.position = Position::Confirm;
        } else {
            self.is_approved(&answer, now);
            self.finish_with(told_or(answer, URL_REFUSED));
        }
    }

    fn after_consent(&mut self, answer: Answer<'_>, now: u64) {
        if self.is_approved(&answer, now) {
            self.position = Position::Act;
        } else {
            self.finish_with(told_or(answer, ACTION_REFUSED));
        }
    }

    /// Only exactly true approves (B-20).
    fn is_approved(&mut self, answer: &Answer<'_>, now: u64) -> bool {
        let reason = match answer {
            Answer::Verdict(true) => Reason::Completed,
            Answer::Verdict(false) => Reason::Refused,
            _ => Reason::PolicyFailed,
        };
        self.record(Stage::Approval, reason, now);
        reason == Reason::Completed
    }

    fn after_action(&mut self, answer: Answer<'_>, now: u64) {
        let Some(member) = self.member else { return };
        match answer {
            Answer::Value(value) => match take_result(member, &value) {
                Ok(outcome) => {
                    self.record(Stage::Action, Reason::Completed, now);
                    self.finish_with(outcome);
                }
                Err(stop) => {
                    self.record(Stage::Output, Reason::InvalidOutput, now);
                    self.position = Position::Stopped(stop);
                }
            },
            answer => {
                self.record(Stage::Action, Reason::DriverFailed, now);
                self.finish_with(told_or(answer, ACTION_FAILED));
            }
        }
    }

    fn after_final_state(&mut self, answer: &Answer<'_>) {
        let state = match read_state(answer) {
            Ok(state) => state,
            Err(stop) => {
                self.position = Position::Stopped(stop);
                return;
            }
        };
        if self.before.as_ref().is_some_and(|before| !state.follows(before)) {
            self.position = Position::Stopped(Stop::StateRewritten);
            return;
        }
        let outcome = self.outcome.take().unwrap_or(Outcome::Error(Text::from(ACTION_FAILED)));
        let call_id = std::mem::take(&mut self.call_id);
        self.position = Position::Output(BrowserOutput::new(call_id, Some(&state), outcome));
    }

    fn finish_with(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
        self.position = Position::StateAfter;
    }

    /// The one fixed refusal of a read: no content, no state (B-22).
    fn end_without_state(&mut self) {
        let call_id = std::mem::take(&mut self.call_id);
        let outcome = Outcome::Error(Text::from(READ_REFUSED));
        self.position = Position::Output(BrowserOutput::new(call_id, None, outcome));
    }

    fn end_cancelled(&mut self, now: u64) {
        match self.position {
            Position::ConfirmRead | Position::ReviewUrl | Position::Confirm => {
                self.record(Stage::Approval, Reason::Cancelled, now);
            }
            Position::Act => self.record(Stage::Action, Reason::Cancelled, now),
            _ => {}
        }
        self.cancel();
    }

    fn cancel(&mut self) {
        let stop = if self.touched { Stop::CancelledDuring } else { Stop::CancelledBefore };
        self.position = Position::Stopped(stop);
    }

    fn record(&mut self, stage: Stage, reason: Reason, now: u64) {
        if !self.observed {
            return;
        }
        self.records.push_back(Diagnostic {
            api: Api::Browser,
            stage,
            reason,
            call_id: Some(self.call_id.clone()),
            member: self.member.map(|member| member.name().to_owned()),
            duration: now.saturating_sub(self.since),
            usage: None,
        });
    }
}

impl CallFields<'_> {
    /// The enabled member that this completed call names (B-3).
    fn enabled_member(&self, selection: &Selection) -> Result<Member, Stop> {
        let completed = match self.status {
            CallStatus::Unset => true,
            CallStatus::Text(status) => status == "completed",
            CallStatus::NotText => false,
        };
        let member = self.name.and_then(Member::from_tool).filter(|member| selection.has(*member));
        match member {
            Some(member) if completed && self.kind == Some("function_call") => {
                let unsendable = matches!(self.arguments, ArgumentText::Unpaired);
                if self.call_id.is_none() || unsendable {
                    return Err(Stop::CallMalformed);
                }
                Ok(member)
            }
            _ => Err(Stop::CallUnavailable),
        }
    }
}

impl std::fmt::Debug for ArgumentText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Valid(_) => "argument text",
            Self::Unpaired => "unpaired surrogates",
            Self::NotText => "no text",
        })
    }
}

/// What the model reads of a refusal or a failure: the words that the host's code chose for it
/// (B-47), or else a sentence of our own.
fn told_or(answer: Answer<'_>, otherwise: &'static str) -> Outcome {
    Outcome::Error(match answer {
        Answer::Failed(Failure::Told(words)) => words,
        _ => Text::from(otherwise),
    })
}

fn read_state(answer: &Answer<'_>) -> Result<BrowserState, Stop> {
    match answer {
        Answer::Value(report) => BrowserState::read(report).ok_or(Stop::StateInvalid),
        _ => Err(Stop::StateFailed),
    }
}

/// Checks and copies what the driver returned, before anything else runs (B-46).
fn take_result(member: Member, value: &Json<'_>) -> Result<Outcome, Stop> {
    let read = |shape, fault| {
        project(value, shape).map(|json| Outcome::Result { ok: true, json }).ok_or(fault)
    };
    let with_elements = |elements| ReadShape { elements, scopes: false };
    match member.spec().result {
        ResultKind::Plain | ResultKind::State => plain(value).ok_or(Stop::ResultInvalid),
        ResultKind::Read | ResultKind::TextRead if !value.is_object() => {
            plain(value).ok_or(Stop::ReadInvalid)
        }
        ResultKind::Read => read(with_elements(true), Stop::ReadInvalid),
        ResultKind::TextRead | ResultKind::DiagnosticRead => {
            read(with_elements(false), Stop::ReadInvalid)
        }
        ResultKind::ScopedRead => {
            read(ReadShape { elements: true, scopes: true }, Stop::ReadInvalid)
        }
        ResultKind::Script => {
            value.as_str().and_then(|_| plain(value)).ok_or(Stop::ScriptResultInvalid)
        }
        ResultKind::Image => InputImage::read(value).map(Outcome::Image).ok_or(Stop::ImageInvalid),
        ResultKind::File => FileOutcome::read(value)
            .map(|outcome| Outcome::Result { ok: outcome.is_completed(), json: outcome.to_json() })
            .ok_or(Stop::FileOutcomeInvalid),
    }
}

/// Text or nothing (B-40).
fn plain(value: &Json<'_>) -> Option<Outcome> {
    let mut out = Writer::default();
    match value {
        Json::Null => out.null(),
        Json::Text(text) => out.text(text),
        _ => return None,
    }
    Some(Outcome::Result { ok: true, json: out.finish() })
}
