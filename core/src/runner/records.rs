//! Content-free records of a run: its requests, its functions and the approvals of remote tools.
//!
//! What a browser or a computer call reports comes from its own machine. Nothing is made, not even a
//! copy of a name, if nobody observes.

use super::machine::RunMachine;
use super::mcp::McpRequest;
use super::response::{ModelResponse, Refusal, Work, is_function_output};
use crate::answer::Answer;
use crate::diagnostic::{Api, Diagnostic, Reason, Stage, Usage};
use crate::error::Stop;

/// Of a name of a remote tool.
const LONGEST_NAME: usize = 128;

/// What a record of a call names: the call, and the function or the tool of a remote server.
#[derive(Debug)]
pub(crate) struct NamedCall {
    pub(crate) call_id: String,
    /// Empty if it cannot be told.
    pub(crate) member: String,
}

impl RunMachine {
    pub(super) fn report_response(&mut self, response: &ModelResponse<'_>) {
        let usage = if self.observed { response.usage() } else { None };
        self.report_request(Reason::Completed, usage);
    }

    /// Each request is reported once, however it ends.
    pub(super) fn report_request(&mut self, reason: Reason, usage: Option<Usage>) {
        self.is_requested = false;
        if self.plan.reports_requests {
            self.report(Stage::Request, reason, self.requested_at, None, usage);
        }
    }

    /// A request that was not read to its end fails with the run.
    pub(super) fn report_abandoned(&mut self, stop: Stop) {
        if self.is_requested {
            let reason = if stop.is_cancellation() { Reason::Cancelled } else { Reason::ApiFailed };
            self.report_request(reason, None);
        }
    }

    pub(super) fn report_step_limit(&mut self) {
        self.report(Stage::Run, Reason::StepLimit, self.requested_at, None, None);
    }

    /// What a function came to that began at that time: it returned, whatever that is worth, or it
    /// did not.
    pub(super) fn report_function(
        &mut self,
        call_id: &str,
        answer: &Answer<'_>,
        cancelled: bool,
        began: u64,
    ) {
        if !self.observed {
            return;
        }
        let reason = match answer {
            Answer::Value(_) => Reason::Completed,
            Answer::Cancelled => Reason::Cancelled,
            _ if cancelled => Reason::Cancelled,
            _ => Reason::DriverFailed,
        };
        let named = self.named_function(call_id);
        self.report(Stage::Action, reason, began, Some(named), None);
        if matches!(answer, Answer::Value(value) if !is_function_output(value)) {
            let named = self.named_function(call_id);
            self.report(Stage::Output, Reason::InvalidOutput, self.now, Some(named), None);
        }
    }

    /// What the callback answered to a request of a remote server; `None` for neither yes nor no.
    pub(super) fn report_approval(
        &mut self,
        request: Option<NamedCall>,
        decision: Option<bool>,
        is_cancelled: bool,
    ) {
        let reason = match decision {
            _ if is_cancelled => Reason::Cancelled,
            Some(true) => Reason::Completed,
            Some(false) => Reason::Refused,
            None => Reason::PolicyFailed,
        };
        self.report(Stage::Approval, reason, self.began, request, None);
    }

    /// The call because of which a response was refused. Judging takes no time of the host's.
    pub(super) fn report_refusal(&mut self, refusal: Refusal) {
        if let Some(named) = refusal.call {
            let (stage, reason) = match refusal.stop {
                Stop::McpUndecided => (Stage::Approval, Reason::PolicyFailed),
                _ => (Stage::Arguments, Reason::InvalidInput),
            };
            self.report(stage, reason, self.now, Some(named), None);
        }
    }

    fn named_function(&self, call_id: &str) -> NamedCall {
        let call = self.response.calls.iter().find(|call| call.call_id == call_id);
        let member = match call.map(|call| &call.work) {
            Some(Work::Function { index, .. }) => self.plan.functions[*index].name.clone(),
            // Only functions are looked for.
            _ => String::new(),
        };
        NamedCall { call_id: call_id.to_owned(), member }
    }

    fn report(
        &mut self,
        stage: Stage,
        reason: Reason,
        began: u64,
        named: Option<NamedCall>,
        usage: Option<Usage>,
    ) {
        if !self.observed {
            return;
        }
        let (call_id, member) = named.map(|named| (named.call_id, named.member)).unzip();
        let member = member.filter(|member| !member.is_empty());
        self.records.push_back(Diagnostic {
            api: Api::Responses,
            stage,
            reason,
            call_id,
            member,
            duration: self.now.saturating_sub(began),
            usage,
        });
    }
}

impl McpRequest {
    /// The name comes from the model: what is no name of a tool may be any text, and is not repeated.
    pub(super) fn named(&self) -> NamedCall {
        let name = &self.used.name;
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
        let is_name = name.len() <= LONGEST_NAME && name.chars().all(is_plain);
        let member = if is_name { name.clone() } else { String::new() };
        NamedCall { call_id: self.id.clone(), member }
    }
}
