//! The machine of one run: requests, and the work that each response asks for (R-1, R-4).
//!
//! ```text
//! send ─► inspect ─► work, call by call, in output order ─► send …
//!           └ no calls ─► finished
//! ```
//!
//! A browser call is a machine of its own whose asks bubble up. Nothing of a response runs before
//! the whole response was inspected, and nothing of the last allowed response runs at all.

use super::admit::RunPlan;
use super::choice::ToolChoice;
use super::identity::Identities;
use super::response::{Inspection, ModelResponse, PlannedCall, Work, is_function_output};
use crate::answer::{Answer, Reply};
use crate::ask::{Ask, AskId};
use crate::browser::{BrowserCall, BrowserOutput};
use crate::computer::{ComputerCall, ComputerOptions, ComputerOutput};
use crate::diagnostic::{Api, Diagnostic, Reason, Stage};
use crate::error::{Misuse, Stop};

/// A request to send: the whole history, which the host holds, after it has appended the items of
/// the response before and then these outputs.
#[derive(Clone, Copy, Debug)]
pub struct TurnRequest<'m> {
    /// Counts from 1.
    pub step: u64,
    pub include: &'m [String],
    /// Whether the request must say `tool_choice: "auto"` whatever the caller asked for: a forced
    /// choice was for the first request only.
    pub relaxes_choice: bool,
    pub outputs: &'m [CallOutput],
}

/// The answer to one call, in output order.
#[derive(Debug)]
pub enum CallOutput {
    Browser(BrowserOutput),
    Computer(ComputerOutput),
    /// The host holds what the function returned, under the call's id.
    Function {
        call_id: String,
    },
}

/// A function to call with the object in `arguments` (JSON text).
#[derive(Clone, Copy)]
pub struct FunctionCall<'m> {
    /// Which of the registered functions.
    pub index: usize,
    pub name: &'m str,
    pub call_id: &'m str,
    pub arguments: &'m str,
}

/// What a run has done when it ends (R-8). Ids only.
#[derive(Clone, Copy, Debug)]
pub struct RunOutcome<'m> {
    pub steps: u64,
    pub attempted: &'m [String],
    pub completed: &'m [String],
}

/// Runs one task. See the module's picture.
#[derive(Debug)]
pub struct RunMachine {
    plan: RunPlan,
    position: Position,
    ask: u64,
    step: u64,
    calls: Vec<PlannedCall>,
    outputs: Vec<CallOutput>,
    /// Whether a browser call of the current response failed: the later ones are skipped.
    browser_failed: bool,
    identities: Identities,
    attempted: Vec<String>,
    completed: Vec<String>,
    observed: bool,
    since: u64,
    record: Option<Diagnostic>,
}

#[derive(Debug)]
enum Position {
    Send,
    Browser(Box<BrowserCall>),
    Computer(Box<ComputerCall>),
    Function,
    Finished,
    Stopped(Stop),
}

impl RunMachine {
    pub fn begin(mut plan: RunPlan, observed: bool, now: u64, cancelled: bool) -> Self {
        let history = plan.history.take();
        let position = match history {
            _ if cancelled => Position::Stopped(Stop::RunCancelled),
            Some(_) => Position::Send,
            None => Position::Stopped(Stop::IdentityRepeated),
        };
        Self {
            plan,
            position,
            ask: 0,
            step: 1,
            calls: Vec::new(),
            outputs: Vec::new(),
            browser_failed: false,
            identities: history.unwrap_or_default(),
            attempted: Vec::new(),
            completed: Vec::new(),
            observed,
            since: now,
            record: None,
        }
    }

    pub fn ask_id(&self) -> AskId {
        AskId(self.ask)
    }

    /// The open ask, or the end.
    pub fn ask(&self) -> Ask<'_> {
        if let Some(record) = &self.record {
            return Ask::Emit(record);
        }
        match &self.position {
            Position::Send => Ask::Send(TurnRequest {
                step: self.step,
                include: self.plan.include(),
                relaxes_choice: self.step > 1 && self.plan.choice == ToolChoice::ForcedFirst,
                outputs: &self.outputs,
            }),
            Position::Browser(call) => call.ask(),
            Position::Computer(call) => call.ask(),
            Position::Function => self.function_ask(),
            Position::Finished => Ask::Finished(self.outcome()),
            Position::Stopped(stop) => Ask::Stopped(stop),
        }
    }

    /// What has been attempted and completed so far.
    pub fn outcome(&self) -> RunOutcome<'_> {
        RunOutcome { steps: self.step, attempted: &self.attempted, completed: &self.completed }
    }

    fn function_ask(&self) -> Ask<'_> {
        match self.current().map(|call| (&call.work, &call.call_id)) {
            Some((Work::Function { index, arguments }, call_id)) => {
                Ask::CallFunction(FunctionCall {
                    index: *index,
                    name: &self.plan.functions[*index].name,
                    call_id,
                    arguments,
                })
            }
            // The position is entered for function calls only.
            _ => Ask::Stopped(&Stop::ResponseUnsupported),
        }
    }

    fn current(&self) -> Option<&PlannedCall> {
        self.calls.get(self.outputs.len())
    }

    /// Answers the open ask.
    pub fn answer(&mut self, id: AskId, reply: Reply<'_>) -> Result<(), Misuse> {
        if id != self.ask_id() {
            return Err(Misuse::WrongAsk { given: id, open: self.ask_id() });
        }
        if self.record.is_some() {
            self.seen(&reply)?;
        } else {
            self.step(reply)?;
        }
        self.ask += 1;
        Ok(())
    }

    fn seen(&mut self, reply: &Reply<'_>) -> Result<(), Misuse> {
        if !matches!(reply.answer, Answer::Seen) {
            return Err(Misuse::WrongKind);
        }
        self.record = None;
        self.since = reply.now;
        if reply.cancelled && !matches!(self.position, Position::Finished | Position::Stopped(_)) {
            self.position = Position::Stopped(Stop::RunCancelled);
        }
        Ok(())
    }

    fn step(&mut self, reply: Reply<'_>) -> Result<(), Misuse> {
        let (cancelled, now) = (reply.cancelled, reply.now);
        match &mut self.position {
            Position::Finished | Position::Stopped(_) => return Err(Misuse::Ended),
            Position::Browser(call) => {
                call.answer(call.ask_id(), reply)?;
                self.after_call(now, cancelled);
            }
            Position::Computer(call) => {
                call.answer(call.ask_id(), reply)?;
                self.after_call(now, cancelled);
            }
            Position::Send => {
                let Reply { answer, .. } = reply;
                match answer {
                    Answer::Response(_) | Answer::Failed(_) | Answer::Cancelled => {}
                    _ => return Err(Misuse::WrongKind),
                }
                self.after_response(answer, now, cancelled);
            }
            Position::Function => {
                match &reply.answer {
                    Answer::Value(_) | Answer::Failed(_) | Answer::Cancelled => {}
                    _ => return Err(Misuse::WrongKind),
                }
                self.after_function(&reply);
            }
        }
        Ok(())
    }

    fn after_response(&mut self, answer: Answer<'_>, now: u64, cancelled: bool) {
        let response = match answer {
            Answer::Response(response) => response,
            Answer::Cancelled => return self.stop(Stop::RunCancelled),
            _ if cancelled => return self.stop(Stop::RunCancelled),
            _ => return self.stop(Stop::RequestFailed),
        };
        self.observe(&response, now);
        if cancelled {
            return self.stop(Stop::RunCancelled);
        }
        match response.inspect(&self.plan).and_then(|found| self.admit_response(found)) {
            Ok(()) => self.next_call(now, false),
            Err(stop) => self.stop(stop),
        }
    }

    fn admit_response(&mut self, found: Inspection) -> Result<(), Stop> {
        if !self.identities.add(&found.item_ids, &found.call_ids) {
            return Err(Stop::IdentityRepeated);
        }
        if found.calls.is_empty() && !found.is_final() {
            return Err(Stop::NoFinalMessage);
        }
        if !found.calls.is_empty() && self.step >= self.plan.max_steps {
            return Err(Stop::StepLimit);
        }
        self.calls = found.calls;
        self.outputs.clear();
        self.browser_failed = false;
        Ok(())
    }

    fn observe(&mut self, response: &ModelResponse<'_>, now: u64) {
        if self.observed && self.plan.reports_requests {
            self.record = Some(Diagnostic {
                api: Api::Responses,
                stage: Stage::Request,
                reason: Reason::Completed,
                call_id: None,
                member: None,
                duration: now.saturating_sub(self.since),
                usage: response.usage(),
            });
        }
    }

    /// Moves to the next call of the response, or to the next request, or to the end.
    fn next_call(&mut self, now: u64, cancelled: bool) {
        if cancelled {
            return self.stop(Stop::RunCancelled);
        }
        while let Some(call) = self.current() {
            let position = self.begin_call(call, now);
            let call_id = call.call_id.clone();
            self.attempted.push(call_id);
            self.position = position;
            // A call may be over before it asks anything: a read that is refused outright.
            match self.call_output() {
                Some(output) => self.complete(output),
                None => return,
            }
        }
        if self.calls.is_empty() {
            self.position = Position::Finished;
        } else {
            self.step += 1;
            self.since = now;
            self.position = Position::Send;
        }
    }

    fn begin_call(&self, call: &PlannedCall, now: u64) -> Position {
        match (call.fields(), &self.plan.browser) {
            (Some(fields), Some(_)) if self.browser_failed => {
                Position::Browser(Box::new(BrowserCall::begin_skipped(&fields, now, false)))
            }
            (Some(fields), Some(tools)) => Position::Browser(Box::new(BrowserCall::begin(
                tools,
                &fields,
                self.observed,
                now,
                false,
            ))),
            _ => self.begin_other(call, now),
        }
    }

    fn begin_other(&self, call: &PlannedCall, now: u64) -> Position {
        match &call.work {
            Work::Computer(checked) => {
                let options = ComputerOptions {
                    observed: self.observed,
                    ..self.plan.computer.unwrap_or_default()
                };
                Position::Computer(Box::new(ComputerCall::begin_checked(
                    checked.clone(),
                    options,
                    now,
                )))
            }
            _ => Position::Function,
        }
    }

    /// Goes on if a browser or computer call is over.
    fn after_call(&mut self, now: u64, cancelled: bool) {
        if let Some(output) = self.call_output() {
            self.complete(output);
            self.next_call(now, cancelled);
        }
    }

    /// The output of a browser or computer call that is over. One that stopped stops the run.
    fn call_output(&mut self) -> Option<CallOutput> {
        let ask = match &self.position {
            Position::Browser(call) => call.ask(),
            Position::Computer(call) => call.ask(),
            _ => return None,
        };
        match ask {
            Ask::Output(output) => Some(CallOutput::Browser(output.clone())),
            Ask::ComputerOutput(output) => Some(CallOutput::Computer(output.clone())),
            Ask::Stopped(stop) => {
                let stop = if stop.is_cancellation() { Stop::RunCancelled } else { *stop };
                self.stop(stop);
                None
            }
            _ => None,
        }
    }

    fn after_function(&mut self, reply: &Reply<'_>) {
        let call_id = self.current().map(|call| call.call_id.clone()).unwrap_or_default();
        match &reply.answer {
            Answer::Value(value) if is_function_output(value) => {
                self.complete(CallOutput::Function { call_id });
                self.next_call(reply.now, reply.cancelled);
            }
            _ if reply.cancelled => self.stop(Stop::RunCancelled),
            Answer::Value(_) => self.stop(Stop::FunctionOutput),
            Answer::Cancelled => self.stop(Stop::RunCancelled),
            _ => self.stop(Stop::FunctionFailed),
        }
    }

    fn complete(&mut self, output: CallOutput) {
        self.browser_failed |= matches!(&output, CallOutput::Browser(output) if !output.ok);
        if let Some(call) = self.current() {
            let call_id = call.call_id.clone();
            self.completed.push(call_id);
        }
        self.outputs.push(output);
    }

    fn stop(&mut self, stop: Stop) {
        self.position = Position::Stopped(stop);
    }
}

/// Never the arguments: the model wrote them for the function only.
impl std::fmt::Debug for FunctionCall<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FunctionCall")
            .field("index", &self.index)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
