//! The machine of one computer call.
//!
//! ```text
//! begin ─► (approve safety checks) ─► { (before action) ─► act } … ─► (before screenshot) ─► screenshot ─► output
//! ```
//!
//! The whole call is checked before anything is asked. Anything that is not approved, fails or breaks
//! its contract stops it: there is no output without a picture of the end (C-2 … C-6).

use std::collections::VecDeque;

use super::action::{ActionKind, ComputerAction};
use super::screenshot::Screenshot;
use crate::answer::{Answer, Reply};
use crate::ask::{Ask, AskId};
use crate::diagnostic::{Api, Diagnostic, Reason, Stage};
use crate::error::{Misuse, Stop};
use crate::json::Json;

/// What the caller gave besides the call.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComputerOptions {
    pub approves_safety_checks: bool,
    pub reviews_actions: bool,
    pub observed: bool,
}

/// A pending safety check, as it is acknowledged.
#[derive(Clone, PartialEq)]
pub struct SafetyCheck {
    pub id: String,
    pub code: Option<String>,
    pub message: Option<String>,
}

/// What goes back to the model for one call.
#[derive(Clone, Debug, PartialEq)]
pub struct ComputerOutput {
    pub call_id: String,
    pub screenshot: Screenshot,
    /// All checks that were pending; each was approved.
    pub acknowledged: Vec<SafetyCheck>,
}

/// A computer call that may be run.
#[derive(Clone, Debug)]
pub struct CheckedCall {
    pub call_id: String,
    /// The id of the item.
    pub id: String,
    actions: Vec<ComputerAction>,
    checks: Vec<SafetyCheck>,
}

/// Runs one call. See the module's picture.
#[derive(Debug)]
pub struct ComputerCall {
    call: CheckedCall,
    options: ComputerOptions,
    position: Position,
    /// Whether an action was handed to the driver.
    touched: bool,
    ask: u64,
    since: u64,
    records: VecDeque<Diagnostic>,
}

#[derive(Debug)]
enum Position {
    Safety,
    /// Consent for the action of that index; one past the last is the final picture.
    Review(usize),
    Act(usize),
    Screenshot,
    Output(ComputerOutput),
    Stopped(Stop),
}

impl CheckedCall {
    /// Checks a call from the wire; `None` if any part of it breaks a rule (C-2, C-3).
    pub fn read(call: &Json<'_>) -> Option<Self> {
        let text = |name: &str| call.field(name)?.as_str().map(str::to_owned);
        if text("type")? != "computer_call" || text("status")? != "completed" {
            return None;
        }
        let actions = match (call.field("action"), call.field("actions")) {
            (Some(action), None) => vec![ComputerAction::read(action)?],
            (None, Some(actions)) => actions
                .as_list()?
                .iter()
                .map(ComputerAction::read)
                .collect::<Option<Vec<_>>>()
                .filter(|actions| !actions.is_empty())?,
            _ => return None,
        };
        let checks = match call.field("pending_safety_checks") {
            // Only a call of the older form must say that there are none.
            None if call.field("actions").is_some() => Vec::new(),
            checks => checks?.as_list()?.iter().map(SafetyCheck::read).collect::<Option<_>>()?,
        };
        Some(Self { call_id: text("call_id")?, id: text("id")?, actions, checks })
    }

    pub fn checks(&self) -> &[SafetyCheck] {
        &self.checks
    }
}

impl SafetyCheck {
    pub(crate) fn read(check: &Json<'_>) -> Option<Self> {
        let optional = |name: &str| match check.field(name) {
            None | Some(Json::Null) => Some(None),
            Some(value) => value.as_str().map(|text| Some(text.to_owned())),
        };
        let id = check.field("id")?.as_str()?.to_owned();
        Some(Self { id, code: optional("code")?, message: optional("message")? })
    }
}

impl ComputerCall {
    pub fn begin(call: &Json<'_>, options: ComputerOptions, now: u64, cancelled: bool) -> Self {
        let checked = CheckedCall::read(call);
        let stop = if checked.is_none() {
            Some(Stop::ComputerCallInvalid)
        } else {
            cancelled.then_some(Stop::CancelledBefore)
        };
        let call = checked.unwrap_or(CheckedCall {
            call_id: String::new(),
            id: String::new(),
            actions: Vec::new(),
            checks: Vec::new(),
        });
        Self::start(call, options, now, stop)
    }

    /// Begins a call that was checked before.
    pub(crate) fn begin_checked(call: CheckedCall, options: ComputerOptions, now: u64) -> Self {
        Self::start(call, options, now, None)
    }

    fn start(call: CheckedCall, options: ComputerOptions, now: u64, stop: Option<Stop>) -> Self {
        let mut machine = Self {
            call,
            options,
            position: Position::Safety,
            touched: false,
            ask: 0,
            since: now,
            records: VecDeque::new(),
        };
        match stop {
            Some(stop) => machine.position = Position::Stopped(stop),
            None if machine.call.checks.is_empty() => machine.next_action(0),
            None if !options.approves_safety_checks => {
                machine.record(Stage::Approval, Reason::Refused, None, now);
                machine.position = Position::Stopped(Stop::SafetyNotApproved);
            }
            None => {}
        }
        machine
    }

    pub fn ask_id(&self) -> AskId {
        AskId(self.ask)
    }

    /// The open ask, or the end.
    pub fn ask(&self) -> Ask<'_> {
        if let Some(record) = self.records.front() {
            return Ask::Emit(record);
        }
        match &self.position {
            Position::Safety => Ask::ApproveSafety { checks: &self.call.checks },
            Position::Review(index) => {
                Ask::ReviewAction { index: *index, action: self.action(*index) }
            }
            Position::Act(index) => {
                Ask::ActOnComputer { index: *index, action: self.action(*index) }
            }
            Position::Screenshot => Ask::TakeScreenshot,
            Position::Output(output) => Ask::ComputerOutput(output),
            Position::Stopped(stop) => Ask::Stopped(stop),
        }
    }

    /// The action of that index, or `None` for the final picture.
    fn action(&self, index: usize) -> Option<&ComputerAction> {
        self.call.actions.get(index)
    }

    /// Answers the open ask.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an answer is used up, as with every machine"
    )]
    pub fn answer(&mut self, id: AskId, reply: Reply<'_>) -> Result<(), Misuse> {
        if id != self.ask_id() {
            return Err(Misuse::WrongAsk { given: id, open: self.ask_id() });
        }
        if self.records.is_empty() {
            self.step(&reply)?;
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

    fn step(&mut self, reply: &Reply<'_>) -> Result<(), Misuse> {
        let now = reply.now;
        match self.position {
            Position::Output(_) | Position::Stopped(_) => return Err(Misuse::Ended),
            _ if !self.accepts(&reply.answer) => return Err(Misuse::WrongKind),
            _ if reply.cancelled || matches!(reply.answer, Answer::Cancelled) => {
                self.end_cancelled(now);
            }
            Position::Safety => {
                if self.is_approved(reply, None) {
                    self.next_action(0);
                } else {
                    self.position = Position::Stopped(Stop::SafetyNotApproved);
                }
            }
            Position::Review(index) => self.after_review(index, reply),
            Position::Act(index) => self.after_action(index, reply),
            Position::Screenshot => self.after_screenshot(reply),
        }
        self.since = now;
        Ok(())
    }

    fn accepts(&self, answer: &Answer<'_>) -> bool {
        match answer {
            Answer::Failed(_) | Answer::Cancelled => true,
            Answer::Verdict(_) => {
                matches!(self.position, Position::Safety | Position::Review(_))
            }
            Answer::Value(_) => {
                matches!(self.position, Position::Act(_) | Position::Screenshot)
            }
            _ => false,
        }
    }

    /// Goes on with the action of that index, or with the final picture. A picture inside a batch is
    /// reviewed but not taken: one is taken at the end.
    fn next_action(&mut self, mut index: usize) {
        let ends_with_picture =
            self.call.actions.last().is_some_and(|last| last.kind == ActionKind::Screenshot);
        self.position = loop {
            let is_past_end = index >= self.call.actions.len();
            if self.options.reviews_actions && !(is_past_end && ends_with_picture) {
                break Position::Review(index);
            }
            if is_past_end {
                break Position::Screenshot;
            }
            if self.kind(index) != ActionKind::Screenshot {
                break Position::Act(index);
            }
            index += 1;
        };
    }

    fn kind(&self, index: usize) -> ActionKind {
        self.action(index).map_or(ActionKind::Screenshot, |action| action.kind)
    }

    fn after_review(&mut self, index: usize, reply: &Reply<'_>) {
        let kind = self.kind(index);
        if !self.is_approved(reply, Some(kind)) {
            self.position = Position::Stopped(Stop::ActionNotApproved);
            return;
        }
        if index >= self.call.actions.len() {
            self.position = Position::Screenshot;
        } else if kind == ActionKind::Screenshot {
            self.next_action(index + 1);
        } else {
            self.position = Position::Act(index);
        }
    }

    fn after_action(&mut self, index: usize, reply: &Reply<'_>) {
        self.touched = true;
        let kind = self.kind(index);
        // What the method returned does not count: it acted or it raised.
        if matches!(reply.answer, Answer::Value(_)) {
            self.record(Stage::Action, Reason::Completed, Some(kind), reply.now);
            self.next_action(index + 1);
        } else {
            self.record(Stage::Action, Reason::DriverFailed, Some(kind), reply.now);
            self.position = Position::Stopped(Stop::ActionFailed);
        }
    }

    fn after_screenshot(&mut self, reply: &Reply<'_>) {
        let kind = Some(ActionKind::Screenshot);
        let screenshot = match &reply.answer {
            Answer::Value(report) => Screenshot::read(report).ok_or(Stop::ScreenshotInvalid),
            _ => Err(Stop::ScreenshotFailed),
        };
        match screenshot {
            Ok(screenshot) => {
                self.record(Stage::Action, Reason::Completed, kind, reply.now);
                self.position = Position::Output(ComputerOutput {
                    call_id: self.call.call_id.clone(),
                    screenshot,
                    acknowledged: std::mem::take(&mut self.call.checks),
                });
            }
            Err(stop) => {
                self.record(Stage::Action, Reason::DriverFailed, kind, reply.now);
                self.position = Position::Stopped(stop);
            }
        }
    }

    /// Only exactly true approves (C-4).
    fn is_approved(&mut self, reply: &Reply<'_>, kind: Option<ActionKind>) -> bool {
        let reason = match reply.answer {
            Answer::Verdict(true) => Reason::Completed,
            Answer::Verdict(false) => Reason::Refused,
            _ => Reason::PolicyFailed,
        };
        self.record(Stage::Approval, reason, kind, reply.now);
        reason == Reason::Completed
    }

    fn end_cancelled(&mut self, now: u64) {
        let (stage, kind) = match self.position {
            Position::Act(index) => {
                self.touched = true;
                (Stage::Action, Some(self.kind(index)))
            }
            Position::Screenshot => (Stage::Action, Some(ActionKind::Screenshot)),
            Position::Review(index) => (Stage::Approval, Some(self.kind(index))),
            _ => (Stage::Approval, None),
        };
        self.record(stage, Reason::Cancelled, kind, now);
        self.cancel();
    }

    fn cancel(&mut self) {
        let stop = if self.touched { Stop::CancelledDuring } else { Stop::CancelledBefore };
        self.position = Position::Stopped(stop);
    }

    fn record(&mut self, stage: Stage, reason: Reason, kind: Option<ActionKind>, now: u64) {
        if !self.options.observed {
            return;
        }
        self.records.push_back(Diagnostic {
            api: Api::Computer,
            stage,
            reason,
            call_id: Some(self.call.call_id.clone()),
            member: kind.map(|kind| kind.name().to_owned()),
            duration: now.saturating_sub(self.since),
            usage: None,
        });
    }
}

/// Never the words of a check: they may quote the page.
impl std::fmt::Debug for SafetyCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SafetyCheck")
    }
}
