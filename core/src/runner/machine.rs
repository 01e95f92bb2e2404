//! The machine of one run: requests, and the work that each response asks for (R-1, R-4).
//!
//! ```text
//! (ask again for approvals) ─► (measure ─► compact) ─► (save) ─► send ─► inspect ─┬─► turn ─► work ─┐
//!            ▲                                                   read event ─► …  │                 │
//!            └────────────────── call by call, in output order ◄───────────────────────────────────┘
//!                                                        no calls ─► (save) ─► turn ─► finished
//! ```
//!
//! A browser or computer call is a machine of its own whose asks bubble up. Nothing of a response runs
//! before the whole response was inspected, unless the caller allows early work, and nothing of the
//! last allowed response runs at all. With a ledger each effect stands between two saves.
//!
//! This file has the state, the asks and the answers; `steps` goes from one to the next.

use std::collections::{BTreeSet, VecDeque};

use super::asks::{
    CallOutput, Checkpoint, CompactRequest, FunctionCall, HistoryUpdate, ImportedRequest,
    PendingItems, Phase, RunOutcome, TurnRequest, TurnView,
};
use super::budget::{Budget, BudgetSnapshot};
use super::choice::ToolChoice;
use super::early::{EarlyItems, EventMeaning};
use super::identity::Identities;
use super::mcp::{AskAgain, McpApprovals};
use super::plan::RunPlan;
use super::response::{PlannedCall, Work};
use super::turn::{self, TurnRefusal};
use crate::answer::{Answer, Reply};
use crate::ask::{Ask, AskId};
use crate::browser::BrowserCall;
use crate::computer::ComputerCall;
use crate::diagnostic::Diagnostic;
use crate::error::{Misuse, Stop};
use crate::json::{Json, Text};

/// Runs one task. See the module's picture.
#[derive(Debug)]
pub struct RunMachine {
    pub(super) plan: RunPlan,
    pub(super) position: Position,
    ask: u64,
    pub(super) step: u64,
    pub(super) response: ResponseWork,
    /// While a response is streamed whose items may be worked on before it is complete.
    pub(super) early: Option<EarlyItems>,
    pub(super) identities: Identities,
    pub(super) approvals: McpApprovals,
    /// Of the given history, to be asked for again.
    pub(super) unused_approvals: Vec<AskAgain>,
    /// Whether the budget knows the whole history.
    pub(super) is_measured: bool,
    pub(super) attempted: Vec<String>,
    pub(super) completed: Vec<String>,
    /// Texts of the user that wait for the end of the turn.
    texts: Vec<Text<'static>>,
    pub(super) revision: u64,
    pub(super) observed: bool,
    /// When the last request was sent.
    pub(super) requested_at: u64,
    /// When the open function or approval began.
    pub(super) began: u64,
    /// The time of the last answer.
    pub(super) now: u64,
    /// Whether a request was sent whose end was not reported yet.
    pub(super) is_requested: bool,
    /// To be given out before anything new is begun.
    pub(super) records: VecDeque<Diagnostic>,
}

/// The response at hand.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Debug, Default)]
pub(super) struct ResponseWork {
    pub(super) calls: Vec<PlannedCall>,
    /// Of the first calls, in output order.
    pub(super) outputs: Vec<CallOutput>,
    /// How many of the outputs the host was told of.
    told: usize,
    /// Calls that were started and not awaited yet, in output order: those after the outputs.
    pub(super) started: VecDeque<StartedCall>,
    /// Whether a browser call of this response failed: the later ones are skipped.
    pub(super) browser_failed: bool,
    /// The calls that the caller has answered.
    pub(super) supplied: BTreeSet<String>,
    /// Whether the host has its items, because it was found good.
    pub(super) is_held: bool,
    pub(super) is_final: bool,
    /// How many calls ran while it was streamed.
    pub(super) ran_early: usize,
    /// Whether all its work is done, so that it goes to the history with the next update.
    pub(super) is_over: bool,
}

/// A function that runs beside the stream.
#[derive(Debug)]
pub(super) struct StartedCall {
    pub(super) call_id: String,
    pub(super) began: u64,
}

#[derive(Debug)]
pub(super) enum Position {
    /// Between two asks: what is to be done.
    Do(Next),
    Reapprove(usize),
    Measure,
    Compact(BudgetSnapshot),
    Save(Phase, Next),
    Send,
    Read,
    Deliver(EventMeaning),
    Review,
    Turn,
    Browser(Box<BrowserCall>),
    Computer(Box<ComputerCall>),
    Function,
    Mcp,
    Start,
    /// For the first of the started calls.
    Await(Next),
    Finished,
    Stopped(Stop),
}

/// What follows an ask.
#[derive(Debug)]
pub(super) enum Next {
    /// The approval of that number in the given history.
    Reapprove(usize),
    /// The request, now that it is known to be within the budget.
    Admit,
    Send,
    Read,
    /// What a streamed call is to become.
    Early,
    /// The inspection of the whole response.
    Inspect(Json<'static>),
    Turn,
    /// The current call, from its beginning, or the end of the response's work.
    Call,
    /// The current call, now that it counts as attempted.
    Begin,
    /// The request after the response at hand.
    Continue,
    Stop(Stop),
}

impl RunMachine {
    pub fn begin(mut plan: RunPlan, observed: bool, now: u64, cancelled: bool) -> Self {
        let start = std::mem::take(&mut plan.start);
        let position = match start.refusal {
            _ if cancelled => Position::Stopped(Stop::RunCancelled),
            Some(stop) => Position::Stopped(stop),
            None => Position::Do(Next::Reapprove(0)),
        };
        let mut machine = Self {
            plan,
            position,
            ask: 0,
            step: start.consumed_requests + 1,
            response: ResponseWork::default(),
            early: None,
            identities: start.identities,
            approvals: start.approvals,
            unused_approvals: start.unused_approvals,
            is_measured: true,
            attempted: start.attempted,
            completed: start.returned,
            texts: Vec::new(),
            revision: start.revision,
            observed,
            requested_at: now,
            began: now,
            now,
            is_requested: false,
            records: VecDeque::new(),
        };
        machine.settle(now);
        machine
    }

    pub fn ask_id(&self) -> AskId {
        AskId(self.ask)
    }

    /// The open ask, or the end.
    pub fn ask(&self) -> Ask<'_> {
        if let Some(record) = self.open_record() {
            return Ask::Emit(record);
        }
        match &self.position {
            Position::Reapprove(index) => match self.unused_approvals.get(*index) {
                Some(again) => Ask::ApproveMcp {
                    id: &again.request.id,
                    imported: Some(ImportedRequest {
                        request_at: again.request_at,
                        answer_at: again.answer_at,
                    }),
                },
                // The position is entered for requests that are there.
                None => Ask::Stopped(&Stop::ResponseUnsupported),
            },
            Position::Measure => Ask::Measure {
                update: self.update(),
                from: self.plan.budget.as_ref().map_or(0, Budget::known_items),
            },
            Position::Compact(snapshot) => Ask::Compact(CompactRequest {
                snapshot,
                projection: self.plan.budget.as_ref().and_then(Budget::projection),
            }),
            Position::Save(phase, _) => self.save_ask(*phase),
            Position::Send => Ask::Send(self.request()),
            Position::Read => Ask::ReadEvent,
            Position::Deliver(_) => Ask::DeliverEvent,
            Position::Review => Ask::ReviewEarly { call_id: self.current_id() },
            Position::Turn => Ask::Turn(self.turn()),
            Position::Browser(call) => call.ask(),
            Position::Computer(call) => call.ask(),
            Position::Function => self.function_ask(Ask::CallFunction),
            Position::Start => self.function_ask(Ask::StartFunction),
            Position::Mcp => Ask::ApproveMcp { id: self.current_id(), imported: None },
            Position::Await(_) => Ask::AwaitFunction {
                call_id: self.response.started.front().map_or("", |call| &call.call_id),
            },
            Position::Finished => Ask::Finished(self.outcome()),
            Position::Stopped(stop) => Ask::Stopped(stop),
            // `settle` leaves no such position behind.
            Position::Do(_) => Ask::Stopped(&Stop::ResponseUnsupported),
        }
    }

    /// What has been attempted and completed so far.
    pub fn outcome(&self) -> RunOutcome<'_> {
        RunOutcome { steps: self.step, attempted: &self.attempted, completed: &self.completed }
    }

    /// Answers pending functions of the open turn in their place (R-21); what was supplied at this turn
    /// before counts no more. Gives the ids of their calls; the host keeps the outputs by these.
    pub fn supply_outputs(&mut self, outputs: &Json<'_>) -> Result<Vec<String>, TurnRefusal> {
        self.require_open_turn()?;
        let pending = &self.response.calls[self.response.outputs.len()..];
        if pending.is_empty() {
            return Err(TurnRefusal::NothingPending);
        }
        let call_ids = turn::read_outputs(outputs, pending, |index| {
            self.plan.functions[index].allows_override
        })?;
        self.response.supplied = call_ids.iter().cloned().collect();
        Ok(call_ids)
    }

    /// Queues a text of the user, to follow the outputs of the open turn (R-22).
    pub fn append_user_text(&mut self, text: &Json<'_>) -> Result<(), TurnRefusal> {
        self.require_open_turn()?;
        self.texts.push(turn::read_text(text)?);
        Ok(())
    }

    fn require_open_turn(&self) -> Result<(), TurnRefusal> {
        match self.position {
            Position::Turn if self.response.is_final => Err(TurnRefusal::TurnFinal),
            Position::Turn => Ok(()),
            _ => Err(TurnRefusal::TurnOver),
        }
    }

    fn request(&self) -> TurnRequest<'_> {
        TurnRequest {
            step: self.step,
            include: self.plan.include(),
            relaxes_choice: self.step > 1 && self.plan.choice == ToolChoice::ForcedFirst,
            update: self.update(),
            projection: self.plan.budget.as_ref().and_then(Budget::projection),
            streams: self.plan.flags.streams,
            retries: self.plan.ledger.is_none() && self.plan.mcp.is_empty(),
            withholds_tools: self.withholds_tools(),
            disables_truncation: self.plan.budget.is_some(),
        }
    }

    /// Whether the request at hand is the last one and has to bring the run to an end.
    pub(super) fn withholds_tools(&self) -> bool {
        self.plan.flags.finish_at_limit && self.step >= self.plan.max_steps
    }

    fn update(&self) -> HistoryUpdate<'_> {
        let work = &self.response;
        // Texts follow the outputs of their turn.
        let is_clear = work.is_over || !work.is_held;
        HistoryUpdate {
            outputs: &work.outputs[work.told..],
            commits: work.is_over,
            texts: if is_clear { &self.texts } else { &[] },
        }
    }

    /// The host was told of the update.
    fn told(&mut self) {
        if self.response.is_over || !self.response.is_held {
            self.texts.clear();
        }
        if self.response.is_over {
            // What the turn that may follow shows is kept.
            self.response = ResponseWork {
                is_final: self.response.is_final,
                ran_early: self.response.ran_early,
                ..ResponseWork::default()
            };
        } else {
            self.response.told = self.response.outputs.len();
        }
    }

    fn save_ask(&self, phase: Phase) -> Ask<'_> {
        let pending = match (&self.early, phase) {
            (Some(early), Phase::Pending) => PendingItems::Streamed(early.in_order()),
            (None, Phase::Pending) if self.response.is_held => PendingItems::Response,
            _ => PendingItems::None,
        };
        match &self.plan.ledger {
            Some(ledger) => Ask::Save(Checkpoint {
                update: self.update(),
                run_id: &ledger.run_id,
                revision: self.revision + 1,
                phase,
                max_steps: self.plan.max_steps,
                consumed_requests: self.step,
                tools: &ledger.tools,
                output_override_names: &ledger.overrides,
                attempted: &self.attempted,
                returned: &self.completed,
                pending,
            }),
            // The position is entered with a ledger only.
            None => Ask::Stopped(&Stop::SaveFailed),
        }
    }

    fn turn(&self) -> TurnView<'_> {
        TurnView {
            step: self.step,
            is_final: self.response.is_final,
            tools_executed: self.response.ran_early > 0,
            tools_withheld: self.withholds_tools(),
            attempted: &self.attempted,
            completed: &self.completed,
        }
    }

    fn function_ask<'m>(&'m self, ask: impl FnOnce(FunctionCall<'m>) -> Ask<'m>) -> Ask<'m> {
        match self.current().map(|call| (&call.work, &call.call_id)) {
            Some((Work::Function { index, arguments }, call_id)) => ask(FunctionCall {
                index: *index,
                name: &self.plan.functions[*index].name,
                call_id,
                arguments,
            }),
            // The position is entered for function calls only.
            _ => Ask::Stopped(&Stop::ResponseUnsupported),
        }
    }

    /// The first call that has neither an output nor been started.
    pub(super) fn current(&self) -> Option<&PlannedCall> {
        self.response.calls.get(self.response.outputs.len() + self.response.started.len())
    }

    pub(super) fn current_id(&self) -> &str {
        self.current().map_or("", |call| &call.call_id)
    }

    /// Answers the open ask.
    pub fn answer(&mut self, id: AskId, reply: Reply<'_>) -> Result<(), Misuse> {
        if id != self.ask_id() {
            return Err(Misuse::WrongAsk { given: id, open: self.ask_id() });
        }
        let now = reply.now;
        self.now = now;
        if self.open_record().is_none() {
            self.step(reply)?;
        } else {
            self.seen(&reply)?;
        }
        self.settle(now);
        self.ask += 1;
        Ok(())
    }

    /// The record to give out. What was done is saved before anybody is told of it.
    fn open_record(&self) -> Option<&Diagnostic> {
        let record = self.records.front()?;
        let is_unsaved = matches!(self.position, Position::Save(..))
            && self.response.told < self.response.outputs.len();
        (!is_unsaved).then_some(record)
    }

    fn seen(&mut self, reply: &Reply<'_>) -> Result<(), Misuse> {
        if !matches!(reply.answer, Answer::Seen) {
            return Err(Misuse::WrongKind);
        }
        self.records.pop_front();
        if reply.cancelled && !self.is_over() {
            self.stop(Stop::RunCancelled);
        }
        Ok(())
    }

    /// Whether there is nothing left to ask.
    fn is_over(&self) -> bool {
        match self.position {
            Position::Finished | Position::Stopped(_) => true,
            Position::Do(Next::Turn) => self.response.is_final && !self.plan.callbacks.yields_turns,
            _ => false,
        }
    }

    fn step(&mut self, reply: Reply<'_>) -> Result<(), Misuse> {
        let cancelled = reply.cancelled;
        if !self.takes(&reply.answer) {
            return Err(match self.position {
                Position::Finished | Position::Stopped(_) => Misuse::Ended,
                _ => Misuse::WrongKind,
            });
        }
        match &mut self.position {
            Position::Browser(call) => {
                call.answer(call.ask_id(), reply)?;
                self.after_call(cancelled);
                return Ok(());
            }
            Position::Computer(call) => {
                call.answer(call.ask_id(), reply)?;
                self.after_call(cancelled);
                return Ok(());
            }
            Position::Save(..) | Position::Measure => self.told(),
            Position::Send => {
                self.told();
                self.response = ResponseWork::default();
                self.is_requested = true;
            }
            _ => {}
        }
        let position = std::mem::replace(&mut self.position, Position::Send);
        match (position, reply.answer) {
            // What a function returned is a receipt, whatever else happens.
            (Position::Function, answer) => self.after_function(&answer, cancelled),
            (Position::Await(next), answer) => self.after_await(&answer, next, cancelled),
            (Position::Start, answer) => self.after_start(&answer, cancelled),
            (Position::Mcp, answer) => self.after_approval(&answer, cancelled),
            (Position::Reapprove(index), answer) => {
                self.after_reapproval(&answer, index, cancelled);
            }
            (Position::Save(_, next), answer) => self.after_save(&answer, next, cancelled),
            // Who looks at the last turn cannot cancel any more.
            (Position::Turn, _) if self.response.is_final => self.position = Position::Finished,
            (Position::Send, Answer::Response(response)) => {
                self.after_response(response.body, cancelled);
            }
            (_, Answer::Cancelled) => self.stop(Stop::RunCancelled),
            (_, _) if cancelled => self.stop(Stop::RunCancelled),
            (Position::Turn, _) => self.after_turn(),
            (Position::Measure, answer) => self.after_measure(&answer),
            (Position::Compact(_), answer) => self.after_compact(&answer),
            (Position::Send, Answer::Streaming) => self.begin_stream(),
            (Position::Read, Answer::Event(event)) => self.after_event(event.body),
            (Position::Read, Answer::StreamEnded) => self.fail_request(Stop::StreamEnded),
            (Position::Deliver(_), Answer::Failed(_)) => self.stop(Stop::EventNotDelivered),
            (Position::Deliver(meaning), _) => self.take_event(meaning),
            (Position::Review, answer) => self.after_review(&answer),
            // A request, or the reading of its stream.
            (_, _) => self.fail_request(Stop::RequestFailed),
        }
        Ok(())
    }

    /// Whether an answer is of a kind that the open ask has.
    fn takes(&self, answer: &Answer<'_>) -> bool {
        match (answer, &self.position) {
            (Answer::Failed(_) | Answer::Cancelled, Position::Finished | Position::Stopped(_)) => {
                return false;
            }
            // Whoever looks at a turn asks for the next one or leaves.
            (Answer::Failed(_), Position::Turn) => return false,
            (Answer::Failed(_) | Answer::Cancelled, _) => return true,
            _ => {}
        }
        match self.position {
            // These check their answers themselves.
            Position::Browser(_) | Position::Computer(_) => true,
            Position::Send if self.plan.flags.streams => matches!(answer, Answer::Streaming),
            Position::Send => matches!(answer, Answer::Response(_)),
            Position::Read => matches!(answer, Answer::Event(_) | Answer::StreamEnded),
            Position::Turn | Position::Deliver(_) | Position::Save(..) | Position::Start => {
                matches!(answer, Answer::Seen)
            }
            Position::Finished | Position::Stopped(_) | Position::Do(_) => false,
            _ => matches!(answer, Answer::Value(_)),
        }
    }

    /// Ends the run, after what was started is over: its receipts are not lost.
    pub(super) fn stop(&mut self, stop: Stop) {
        self.position = if self.response.started.is_empty() {
            self.report_abandoned(stop);
            Position::Stopped(stop)
        } else {
            Position::Await(Next::Stop(stop))
        };
    }
}
