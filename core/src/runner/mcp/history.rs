//! Approvals in a history that the caller brought.

use std::collections::BTreeMap;

use super::items::{self, McpCall, McpRequest};
use super::policy::Approval;
use super::{McpApprovals, McpServers};
use crate::error::Stop;
use crate::json::Json;

use super::super::choice::ToolChoice;

/// What a history says about approvals.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    /// What was answered and stays: refusals, and approvals that a call has used.
    pub(crate) approvals: McpApprovals,
    /// Approved requests that no completed call has used, in the order of their answers. They count
    /// for nothing until they are decided again.
    pub(crate) unused: Vec<AskAgain>,
}

/// An approval that somebody gave to an earlier run; this run asks for its own.
#[derive(Debug)]
pub(crate) struct AskAgain {
    pub(crate) request: McpRequest,
    /// Where in the history the request is, for the copy that the callback gets.
    pub(crate) request_at: usize,
    /// Where in the history the answer is; its `approve` becomes the new decision.
    pub(crate) answer_at: usize,
}

impl McpServers {
    /// Reads `history`: the items of a resumed ledger, then those of `params.input`.
    ///
    /// Requests, answers and calls must belong together, also those of servers that are no longer
    /// declared. What is asked again must be something that this run may be asked.
    pub(crate) fn imported<'j, 'v: 'j>(
        &self,
        history: impl IntoIterator<Item = &'j Json<'v>>,
    ) -> Result<Imported, Stop> {
        let mut reader = HistoryReader::default();
        for (at, item) in history.into_iter().enumerate() {
            reader.item(at, item).ok_or(Stop::McpHistory)?;
        }
        let imported = reader.finish().ok_or(Stop::McpHistory)?;
        for AskAgain { request, .. } in &imported.unused {
            // The choice is for what the model picks now; this was picked before.
            match self.rule(&request.used, &ToolChoice::Any) {
                Ok(Approval::Needed | Approval::Either) => {}
                Ok(Approval::NotNeeded) | Err(_) => return Err(Stop::McpHistory),
            }
        }
        Ok(imported)
    }
}

#[derive(Default)]
struct HistoryReader {
    /// Requests that are not answered yet, and where they are.
    open: BTreeMap<String, (usize, McpRequest)>,
    approvals: McpApprovals,
    approved: Vec<AskAgain>,
}

impl HistoryReader {
    fn item(&mut self, at: usize, item: &Json<'_>) -> Option<()> {
        match item.field("type").and_then(Json::as_str) {
            Some("mcp_approval_request") => self.request(at, item),
            Some("mcp_approval_response") => self.answer(at, item),
            Some("mcp_call") => self.call(item),
            _ => Some(()),
        }
    }

    fn request(&mut self, at: usize, item: &Json<'_>) -> Option<()> {
        let request = McpRequest::read(item)?;
        let is_new = !self.approvals.has(&request.id) && !self.open.contains_key(&request.id);
        self.open.insert(request.id.clone(), (at, request));
        is_new.then_some(())
    }

    fn answer(&mut self, at: usize, item: &Json<'_>) -> Option<()> {
        let id = item.field("approval_request_id")?.as_str()?;
        let approve = item.field("approve")?.as_bool()?;
        let (request_at, request) = self.open.remove(id)?;
        self.approvals.decide(&request, approve);
        if approve {
            self.approved.push(AskAgain { request, request_at, answer_at: at });
        }
        Some(())
    }

    /// A call that failed or is not over has not used its approval up, as far as anybody knows.
    fn call(&mut self, item: &Json<'_>) -> Option<()> {
        if item.field("approval_request_id").is_none_or(Json::is_null) {
            return Some(());
        }
        let call = McpCall::read(item)?;
        let request = call.approval_request_id?;
        if items::is_completed(item) {
            self.approvals.consume(&request, &call.used).then_some(())
        } else {
            self.approvals.covers(&request, &call.used).then_some(())
        }
    }

    fn finish(self) -> Option<Imported> {
        let Self { open, mut approvals, approved: mut unused } = self;
        unused.retain(|again| approvals.withdraw(&again.request));
        open.is_empty().then_some(Imported { approvals, unused })
    }
}
