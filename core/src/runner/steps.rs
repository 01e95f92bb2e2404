//! How a run goes on: from an answer to the next ask.

use super::asks::{CallOutput, Phase};
use super::early::{EarlyItems, EventMeaning};
use super::machine::{Next, Position, RunMachine, StartedCall};
use super::mcp::McpRequest;
use super::response::{Inspection, ModelResponse, Refusal, Work, is_function_output};
use crate::answer::Answer;
use crate::ask::Ask;
use crate::browser::BrowserCall;
use crate::computer::{ComputerCall, ComputerOptions};
use crate::diagnostic::Reason;
use crate::error::Stop;
use crate::json::Json;
use crate::ledger::next_revision;

impl RunMachine {
    /// Does what is to be done until there is something to ask. A loop, because a response may have
    /// any number of calls that ask nothing. A record is given out first: what comes after it could
    /// make another one, and begins a call that must not count as attempted if the observer is the
    /// last to be asked.
    pub(super) fn settle(&mut self, now: u64) {
        while self.records.is_empty()
            && let Position::Do(next) = &mut self.position
        {
            let next = std::mem::replace(next, Next::Send);
            self.proceed(next, now);
        }
    }

    fn go(&mut self, next: Next) {
        self.position = Position::Do(next);
    }

    /// With a ledger, saves before it goes on.
    fn save_then(&mut self, phase: Phase, next: Next) {
        match &self.plan.ledger {
            Some(_) if next_revision(self.revision).is_none() => {
                self.stop(Stop::RevisionsExhausted);
            }
            Some(_) => self.position = Position::Save(phase, next),
            None => self.go(next),
        }
    }

    fn proceed(&mut self, next: Next, now: u64) {
        match next {
            Next::Reapprove(index) if index < self.unused_approvals.len() => {
                self.began = now;
                self.position = Position::Reapprove(index);
            }
            Next::Reapprove(_) => self.open_request(),
            Next::Admit => {
                let is_uncertain = self.plan.has_server_tools();
                let phase = if is_uncertain { Phase::Pending } else { Phase::Boundary };
                self.save_then(phase, Next::Send);
            }
            Next::Send => {
                self.requested_at = now;
                self.position = Position::Send;
            }
            Next::Read => self.position = Position::Read,
            Next::Early => self.decide_early(),
            Next::Inspect(body) => self.inspect(&ModelResponse { body }),
            Next::Turn if self.plan.callbacks.yields_turns => self.position = Position::Turn,
            Next::Turn if self.response.is_final => self.position = Position::Finished,
            Next::Turn => self.after_turn(),
            Next::Call => self.next_call(),
            Next::Begin => self.begin_call(now),
            Next::Continue => {
                self.step += 1;
                self.open_request();
            }
            Next::Stop(stop) => self.stop(stop),
        }
    }

    fn open_request(&mut self) {
        if self.withholds_tools() {
            self.report_step_limit();
        }
        match &self.plan.budget {
            // Nothing was appended before the first request: the given history was measured at
            // admission.
            Some(_) if self.is_measured => self.check_budget(),
            Some(_) => self.position = Position::Measure,
            None => self.go(Next::Admit),
        }
        self.is_measured = false;
    }

    pub(super) fn after_measure(&mut self, answer: &Answer<'_>) {
        let items = match answer {
            Answer::Value(items) => items.as_list(),
            _ => None,
        };
        let measured = match (&mut self.plan.budget, items) {
            (Some(budget), Some(items)) => budget.extend(items),
            _ => Err(Stop::ResponseMalformed),
        };
        match measured {
            Ok(()) => self.check_budget(),
            Err(stop) => self.stop(stop),
        }
    }

    fn check_budget(&mut self) {
        match &self.plan.budget {
            Some(budget) if !budget.fits() && budget.compacts() => {
                self.position = Position::Compact(budget.snapshot());
            }
            Some(budget) if !budget.fits() => self.stop(Stop::ContextOverBudget),
            _ => self.go(Next::Admit),
        }
    }

    pub(super) fn after_compact(&mut self, answer: &Answer<'_>) {
        let decided = match (answer, &mut self.plan.budget) {
            (Answer::Value(decision), Some(budget)) => budget.decide(decision),
            _ => Err(Stop::CompactionFailed),
        };
        match decided {
            Ok(()) => self.go(Next::Admit),
            Err(stop) => self.stop(stop),
        }
    }

    pub(super) fn after_reapproval(&mut self, answer: &Answer<'_>, index: usize, cancelled: bool) {
        let is_cancelled = cancelled || matches!(answer, Answer::Cancelled);
        let decision = decision(answer);
        if self.observed {
            let named = self.unused_approvals.get(index).map(|again| again.request.named());
            self.report_approval(named, decision, is_cancelled);
        }
        match (decision, self.unused_approvals.get(index)) {
            _ if is_cancelled => self.stop(Stop::RunCancelled),
            (Some(approve), Some(again)) => {
                self.approvals.decide(&again.request, approve);
                if let (false, Some(budget)) = (approve, &mut self.plan.budget) {
                    budget.note_refusal();
                }
                self.go(Next::Reapprove(index + 1));
            }
            _ => self.stop(Stop::McpUndecided),
        }
    }

    pub(super) fn after_save(&mut self, answer: &Answer<'_>, next: Next, cancelled: bool) {
        match answer {
            Answer::Seen => self.revision += 1,
            Answer::Cancelled => return self.stop(Stop::RunCancelled),
            _ if cancelled => return self.stop(Stop::RunCancelled),
            _ => return self.stop(Stop::SaveFailed),
        }
        if cancelled {
            self.stop(Stop::RunCancelled);
        } else {
            self.go(next);
        }
    }

    // The response, whole or streamed.

    pub(super) fn after_response(&mut self, body: Json<'_>, cancelled: bool) {
        let response = ModelResponse { body };
        self.report_response(&response);
        if cancelled {
            return self.stop(Stop::RunCancelled);
        }
        self.inspect(&response);
    }

    fn inspect(&mut self, response: &ModelResponse<'_>) {
        let was_early = self.early.take();
        if was_early.is_some_and(|early| !early.are_those_of(&response.body)) {
            return self.stop(Stop::StreamChanged);
        }
        match response.inspect(&self.plan, &mut self.approvals) {
            Ok(found) => self.admit_response(found),
            Err(refusal) => self.refuse(refusal),
        }
    }

    fn admit_response(&mut self, found: Inspection) {
        if !self.identities.add(&found.item_ids, &found.call_ids) {
            return self.stop(Stop::IdentityRepeated);
        }
        if found.calls.is_empty() && !found.is_final() && found.failure.is_none() {
            return self.stop(Stop::NoFinalMessage);
        }
        if !found.calls.is_empty() && self.step >= self.plan.max_steps {
            return self.stop(Stop::StepLimit);
        }
        let work = &mut self.response;
        work.is_held = true;
        work.is_final = found.is_final();
        work.calls = found.calls;
        if let Some(stop) = found.failure {
            return self.save_then(Phase::Pending, Next::Stop(stop));
        }
        if self.response.is_final {
            self.save_then(Phase::Final, Next::Turn);
        } else if self.current().is_none() && self.plan.ledger.is_some() {
            self.response.is_over = true;
            self.save_then(Phase::Boundary, Next::Turn);
        } else {
            self.save_then(Phase::Pending, Next::Turn);
        }
    }

    fn refuse(&mut self, refusal: Refusal) {
        let stop = refusal.stop;
        self.report_refusal(refusal);
        self.stop(stop);
    }

    /// The request failed, or its stream ended without a complete response.
    pub(super) fn fail_request(&mut self, stop: Stop) {
        self.report_request(Reason::ApiFailed, None);
        self.stop(stop);
    }

    pub(super) fn after_turn(&mut self) {
        // The work of a response may all have been done while it was streamed, and saved.
        let next = if self.response.is_held { Next::Call } else { Next::Continue };
        self.go(next);
    }

    // Events.

    pub(super) fn begin_stream(&mut self) {
        // With tools that the service runs, local work waits for the whole response.
        let runs_early = self.plan.flags.eager && !self.plan.has_server_tools();
        self.early = runs_early.then(EarlyItems::default);
        self.position = Position::Read;
    }

    pub(super) fn after_event(&mut self, body: Json<'_>) {
        match EventMeaning::read(body, self.early.is_some()) {
            Err(stop) => self.fail_request(stop),
            Ok(meaning) if self.plan.callbacks.delivers_events => {
                self.position = Position::Deliver(meaning);
            }
            Ok(meaning) => self.take_event(meaning),
        }
    }

    pub(super) fn take_event(&mut self, meaning: EventMeaning) {
        match meaning {
            EventMeaning::Progress => self.position = Position::Read,
            EventMeaning::Item { index, item } => self.take_item(index, item),
            EventMeaning::Completed(body) => {
                let response = ModelResponse { body };
                // The request is over, whatever becomes of the calls that are awaited now.
                self.report_response(&response);
                self.settle_then(Next::Inspect(response.body));
            }
            EventMeaning::Ended(stop) => self.fail_request(stop),
        }
    }

    fn take_item(&mut self, index: Option<u64>, item: Json<'static>) {
        let Some(early) = &mut self.early else { return self.go(Next::Read) };
        let follows = match early.take(index, item) {
            Ok(Some(item)) => Inspection::of_item(item, &self.plan, &mut self.approvals),
            Ok(None) => return self.go(Next::Read),
            Err(stop) => return self.stop(stop),
        };
        let is_first = early.in_order() == 1;
        match follows {
            Err(refusal) => self.refuse(refusal),
            Ok(found) if !self.are_new(&found) => self.stop(Stop::IdentityRepeated),
            Ok(found) => {
                let has_call = !found.calls.is_empty();
                self.response.calls.extend(found.calls);
                let next = if has_call { Next::Early } else { Next::Read };
                if is_first {
                    self.save_then(Phase::Pending, next);
                } else {
                    self.go(next);
                }
            }
        }
    }

    fn are_new(&mut self, found: &Inspection) -> bool {
        self.identities.are_new(&found.item_ids, &found.call_ids)
            && self
                .early
                .as_mut()
                .is_some_and(|early| early.take_ids(&found.item_ids, &found.call_ids))
    }

    /// Whether the streamed call that was found last runs now. The first that does not defers all
    /// that follow, to keep their order.
    fn decide_early(&mut self) {
        if self.step >= self.plan.max_steps {
            return self.stop(Stop::StepLimit);
        }
        let is_last = self.response.outputs.len() + self.response.started.len() + 1
            == self.response.calls.len();
        let is_allowed = self.current().is_some_and(|call| match &call.work {
            Work::Browser { name, .. } => self.plan.early_tools.allows_function(name),
            Work::Function { index, .. } => {
                self.plan.early_tools.allows_function(&self.plan.functions[*index].name)
            }
            Work::Computer(_) => self.plan.early_tools.allows_computer(),
            Work::Mcp(_) => false,
        });
        if !is_last || !is_allowed {
            self.go(Next::Read);
        } else if self.plan.callbacks.reviews_early {
            self.position = Position::Review;
        } else {
            self.run_early();
        }
    }

    pub(super) fn after_review(&mut self, answer: &Answer<'_>) {
        let decision = match answer {
            Answer::Value(decision) => decision.as_str(),
            _ => None,
        };
        match decision {
            Some("execute") => self.run_early(),
            // The call stays in front of those that follow.
            Some("defer") => self.go(Next::Read),
            _ => self.stop(Stop::EarlyUndecided),
        }
    }

    fn run_early(&mut self) {
        self.response.ran_early += 1;
        if self.runs_beside() {
            let call_id = self.current_id().to_owned();
            self.attempted.push(call_id);
            self.began = self.now;
            self.position = Position::Start;
        } else {
            self.settle_then(Next::Call);
        }
    }

    /// Whether the current call may run while the stream goes on.
    fn runs_beside(&self) -> bool {
        let is_independent = self.current().is_some_and(|call| {
            matches!(call.work, Work::Function { index, .. }
                if self.plan.functions[index].is_independent)
        });
        is_independent && self.plan.ledger.is_none() && self.plan.flags.max_concurrent > 1
    }

    pub(super) fn after_start(&mut self, answer: &Answer<'_>, cancelled: bool) {
        let call_id = self.current_id().to_owned();
        if !matches!(answer, Answer::Seen) {
            self.report_function(&call_id, answer, cancelled, self.began);
            let is_cancelled = cancelled || matches!(answer, Answer::Cancelled);
            return self.stop(if is_cancelled { Stop::RunCancelled } else { Stop::FunctionFailed });
        }
        // Whatever happens, it is awaited now: its receipt is not lost.
        self.response.started.push_back(StartedCall { call_id, began: self.began });
        if cancelled {
            return self.stop(Stop::RunCancelled);
        }
        let count = u64::try_from(self.response.started.len()).unwrap_or(u64::MAX);
        if count >= self.plan.flags.max_concurrent {
            self.settle_then(Next::Read);
        } else {
            self.go(Next::Read);
        }
    }

    /// Waits for the calls that were started before it goes on.
    fn settle_then(&mut self, next: Next) {
        self.position = if self.response.started.is_empty() {
            Position::Do(next)
        } else {
            Position::Await(next)
        };
    }

    pub(super) fn after_await(&mut self, answer: &Answer<'_>, next: Next, cancelled: bool) {
        let failure = function_failure(answer, cancelled);
        if let Some(StartedCall { call_id, began }) = self.response.started.pop_front() {
            self.report_function(&call_id, answer, cancelled, began);
            if failure.is_none() {
                self.completed.push(call_id.clone());
                // If one before it failed there is no place for this one; the run ends.
                self.response.outputs.push(CallOutput::Function { call_id });
            }
        }
        let next = match (next, failure) {
            (Next::Stop(stop), _) | (_, Some(stop)) => Next::Stop(stop),
            (_, None) if cancelled => Next::Stop(Stop::RunCancelled),
            (next, None) => next,
        };
        self.settle_then(next);
    }

    // The calls.

    /// Begins with the current call, or ends the work of the response.
    fn next_call(&mut self) {
        if let Some(call) = self.current() {
            let call_id = call.call_id.clone();
            self.attempted.push(call_id);
            self.save_then(Phase::Pending, Next::Begin);
        } else {
            self.response.is_over = true;
            self.save_then(Phase::Boundary, Next::Continue);
        }
    }

    fn begin_call(&mut self, now: u64) {
        self.began = now;
        let Some(call) = self.current() else { return self.go(Next::Call) };
        if self.response.supplied.contains(&call.call_id) {
            let call_id = call.call_id.clone();
            return self.complete(CallOutput::Function { call_id }, false);
        }
        self.position = match (&call.work, call.fields(), &self.plan.browser) {
            (_, Some(fields), Some(_)) if self.response.browser_failed => {
                Position::Browser(Box::new(BrowserCall::begin_skipped(&fields, now, false)))
            }
            (_, Some(fields), Some(tools)) => Position::Browser(Box::new(BrowserCall::begin(
                tools,
                &fields,
                self.observed,
                now,
                false,
            ))),
            (Work::Computer(checked), ..) => {
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
            (Work::Mcp(_), ..) => Position::Mcp,
            _ => Position::Function,
        };
        // A call may be over before it asks anything: a read that is refused outright.
        self.after_call(false);
    }

    /// Goes on if a browser or computer call is over. One that stopped stops the run.
    pub(super) fn after_call(&mut self, cancelled: bool) {
        let ask = match &self.position {
            Position::Browser(call) => call.ask(),
            Position::Computer(call) => call.ask(),
            _ => return,
        };
        match ask {
            Ask::Output(output) => self.complete(CallOutput::Browser(output.clone()), cancelled),
            Ask::ComputerOutput(output) => {
                self.complete(CallOutput::Computer(output.clone()), cancelled);
            }
            Ask::Stopped(stop) => {
                let stop = if stop.is_cancellation() { Stop::RunCancelled } else { *stop };
                self.stop(stop);
            }
            _ => {}
        }
    }

    pub(super) fn after_function(&mut self, answer: &Answer<'_>, cancelled: bool) {
        let call_id = self.current_id().to_owned();
        self.report_function(&call_id, answer, cancelled, self.began);
        if let Some(stop) = function_failure(answer, cancelled) {
            return self.stop(stop);
        }
        self.complete(CallOutput::Function { call_id }, cancelled);
    }

    pub(super) fn after_approval(&mut self, answer: &Answer<'_>, cancelled: bool) {
        let request = match self.current().map(|call| &call.work) {
            Some(Work::Mcp(request)) => Some(request.clone()),
            _ => None,
        };
        let is_cancelled = cancelled || matches!(answer, Answer::Cancelled);
        let decision = decision(answer);
        if self.observed {
            self.report_approval(request.as_ref().map(McpRequest::named), decision, is_cancelled);
        }
        match (decision, request) {
            _ if is_cancelled => self.stop(Stop::RunCancelled),
            (Some(approve), Some(request)) => {
                self.approvals.decide(&request, approve);
                let request_id = request.id;
                self.complete(CallOutput::Mcp { request_id, approve }, false);
            }
            _ => self.stop(Stop::McpUndecided),
        }
    }

    /// The current call has its output.
    fn complete(&mut self, output: CallOutput, cancelled: bool) {
        self.response.browser_failed |=
            matches!(&output, CallOutput::Browser(output) if !output.ok);
        let call_id = self.current_id().to_owned();
        self.completed.push(call_id);
        self.response.outputs.push(output);
        // What is saved may be gone on with in another process, and nobody knows what became of
        // the page: the caller looks first.
        let must_stop = self.plan.ledger.is_some() && self.response.browser_failed;
        let next = match &self.early {
            _ if cancelled => Next::Stop(Stop::RunCancelled),
            _ if must_stop => Next::Stop(Stop::BrowserCallFailed),
            Some(_) => Next::Read,
            None => Next::Call,
        };
        self.save_then(Phase::Pending, next);
    }
}

/// Why a function has no output; `None` if it has one.
fn function_failure(answer: &Answer<'_>, cancelled: bool) -> Option<Stop> {
    match answer {
        Answer::Value(value) if is_function_output(value) => None,
        Answer::Cancelled => Some(Stop::RunCancelled),
        _ if cancelled => Some(Stop::RunCancelled),
        Answer::Value(_) => Some(Stop::FunctionOutput),
        _ => Some(Stop::FunctionFailed),
    }
}

/// Exactly true or exactly false.
fn decision(answer: &Answer<'_>) -> Option<bool> {
    match answer {
        Answer::Value(returned) => McpRequest::decision(returned),
        _ => None,
    }
}
