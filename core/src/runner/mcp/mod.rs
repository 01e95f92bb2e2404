//! Remote MCP servers: what a run may let them do, and what was approved.
//!
//! The service calls the servers, so a response only reports what happened or asks before it does.
//! [`McpServers`] holds what the caller declared and [`McpApprovals`] what a human answered; an item
//! counts only if both agree with it.

mod approvals;
mod history;
mod items;
mod policy;
#[cfg(test)]
mod tests;

pub(crate) use approvals::McpApprovals;
pub(crate) use history::AskAgain;
pub(crate) use items::McpRequest;

use self::items::{McpCall, ToolUse, required_text};
use self::policy::{AllowedTools, Approval, ApprovalPolicy};
use super::choice::ToolChoice;
use super::fault::AdmissionError;
use crate::error::Stop;
use crate::json::Json;

/// The declared servers of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct McpServers(Vec<McpServer>);

#[derive(Clone, Debug)]
struct McpServer {
    label: String,
    approval: ApprovalPolicy,
    allowed: AllowedTools,
}

/// An item that passed; its id must still be new to the run.
#[derive(Debug)]
pub(crate) enum McpItem {
    /// The tools of a server. Nothing was done.
    Listed { id: String },
    /// The service has called a tool, and was allowed to.
    Called { id: String },
    /// To be asked in output order among the local calls. Its id counts as an item id and as a call
    /// id: the receipts name it.
    Asked(McpRequest),
}

/// Whether an item of this kind belongs to a server, for [`McpServers::inspect`].
pub(crate) fn is_mcp_item(kind: &str) -> bool {
    matches!(kind, "mcp_list_tools" | "mcp_call" | "mcp_approval_request")
}

impl McpServers {
    /// Reads the declarations of type `mcp` among `tools`, with all their fields.
    pub(crate) fn read(tools: &[Json<'_>]) -> Result<Self, AdmissionError> {
        let mut servers: Vec<McpServer> = Vec::new();
        let is_server = |tool: &&Json<'_>| tool.field("type").and_then(Json::as_str) == Some("mcp");
        for tool in tools.iter().filter(is_server) {
            let server = McpServer::read(tool)?;
            if servers.iter().any(|other| other.label == server.label) {
                return Err(AdmissionError::McpServerTwice(server.label));
            }
            servers.push(server);
        }
        Ok(Self(servers))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks an item of a response. A call uses up the approval that it names.
    ///
    /// Approvals must hold what was answered before this response: an approval that the response
    /// itself asks for cannot cover a call in it.
    pub(crate) fn inspect(
        &self,
        kind: &str,
        item: &Json<'_>,
        choice: &ToolChoice,
        approvals: &mut McpApprovals,
    ) -> Result<McpItem, Stop> {
        match kind {
            "mcp_list_tools" => self.inspect_list(item),
            "mcp_call" => self.inspect_call(item, choice, approvals),
            "mcp_approval_request" => self.inspect_request(item, choice),
            _ => Err(Stop::ResponseUnsupported),
        }
    }

    /// The service lists the tools of every declared server whatever the choice is, so the choice
    /// does not count here.
    fn inspect_list(&self, item: &Json<'_>) -> Result<McpItem, Stop> {
        let id = required_text(item, "id").ok_or(Stop::ResponseMalformed)?;
        let label = required_text(item, "server_label").ok_or(Stop::ResponseMalformed)?;
        self.server(&label).ok_or(Stop::ChoiceViolated)?;
        if !items::is_completed(item) {
            return Err(Stop::ResponseIncomplete);
        }
        items::is_tool_list(item).then_some(McpItem::Listed { id }).ok_or(Stop::ResponseMalformed)
    }

    fn inspect_call(
        &self,
        item: &Json<'_>,
        choice: &ToolChoice,
        approvals: &mut McpApprovals,
    ) -> Result<McpItem, Stop> {
        let call = McpCall::read(item).ok_or(Stop::ResponseMalformed)?;
        let needed = self.rule(&call.used, choice)?;
        if !items::is_completed(item) {
            return Err(Stop::ResponseIncomplete);
        }
        if !items::is_call_output(item) {
            return Err(Stop::ResponseMalformed);
        }
        match &call.approval_request_id {
            Some(request) if !approvals.consume(request, &call.used) => Err(Stop::McpNotApproved),
            None if needed == Approval::Needed => Err(Stop::McpNotApproved),
            _ => Ok(McpItem::Called { id: call.id }),
        }
    }

    fn inspect_request(&self, item: &Json<'_>, choice: &ToolChoice) -> Result<McpItem, Stop> {
        let request = McpRequest::read(item).ok_or(Stop::ResponseMalformed)?;
        match self.rule(&request.used, choice)? {
            Approval::NotNeeded => Err(Stop::McpApprovalNotNeeded),
            Approval::Needed | Approval::Either => Ok(McpItem::Asked(request)),
        }
    }

    /// Whether the tool needs approval; `Err` if it may not be used at all.
    fn rule(&self, used: &ToolUse, choice: &ToolChoice) -> Result<Approval, Stop> {
        if !choice.allows_mcp(&used.server_label, &used.name) {
            return Err(Stop::ChoiceViolated);
        }
        let server = self.server(&used.server_label).ok_or(Stop::ChoiceViolated)?;
        if !server.allowed.allows(&used.name) {
            return Err(Stop::ChoiceViolated);
        }
        Ok(server.approval.rule(&used.name))
    }

    fn server(&self, label: &str) -> Option<&McpServer> {
        self.0.iter().find(|server| server.label == label)
    }
}

impl McpServer {
    fn read(tool: &Json<'_>) -> Result<Self, AdmissionError> {
        // An empty label cannot name a server: no request that carries one is answered.
        let label = required_text(tool, "server_label")
            .filter(|label| !label.is_empty())
            .ok_or(AdmissionError::McpServerLabel)?;
        let Some(approval) = ApprovalPolicy::read(tool.field("require_approval")) else {
            return Err(AdmissionError::McpRequireApproval(label));
        };
        let Some(allowed) = AllowedTools::read(tool.field("allowed_tools")) else {
            return Err(AdmissionError::McpAllowedTools(label));
        };
        Ok(Self { label, approval, allowed })
    }
}
