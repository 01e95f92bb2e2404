//! The fields of MCP items, in responses and in histories.

use std::fmt;

use crate::json::Json;
use crate::runner::items::{has, is_text, list_of, may_have, text_of};

/// A request of the service for approval of one call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct McpRequest {
    pub(crate) id: String,
    pub(crate) used: ToolUse,
}

/// What is approved, and what was done: both must be the same.
#[derive(Clone, Eq, PartialEq)]
pub(crate) struct ToolUse {
    pub(crate) server_label: String,
    pub(crate) name: String,
    /// The text as it came; two spellings of one value are two uses.
    pub(crate) arguments: String,
}

/// A call that the service reports.
pub(crate) struct McpCall {
    pub(crate) id: String,
    pub(crate) used: ToolUse,
    pub(crate) approval_request_id: Option<String>,
}

impl McpRequest {
    /// Unknown further fields are for the caller to see and are replayed.
    pub(crate) fn read(item: &Json<'_>) -> Option<Self> {
        let id = required_text(item, "id").filter(|id| !id.is_empty())?;
        let used = ToolUse::read(item)?;
        (!used.server_label.is_empty() && !used.name.is_empty()).then_some(Self { id, used })
    }

    /// What `approve_mcp` decided: exactly true or false, else nothing.
    pub(crate) fn decision(returned: &Json<'_>) -> Option<bool> {
        returned.as_bool()
    }
}

impl ToolUse {
    fn read(item: &Json<'_>) -> Option<Self> {
        Some(Self {
            server_label: required_text(item, "server_label")?,
            name: required_text(item, "name")?,
            arguments: required_text(item, "arguments")?,
        })
    }
}

/// Never the arguments: the model wrote them for a tool only.
impl fmt::Debug for ToolUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a use of {} at {}", self.name, self.server_label)
    }
}

impl McpCall {
    pub(crate) fn read(item: &Json<'_>) -> Option<Self> {
        let approval_request_id = match item.field("approval_request_id") {
            None | Some(Json::Null) => None,
            Some(id) => Some(id.as_str()?.to_owned()),
        };
        Some(Self {
            id: required_text(item, "id")?,
            used: ToolUse::read(item)?,
            approval_request_id,
        })
    }
}

/// Whether the item is over without an error. It may lack a status, but not carry an empty one.
pub(crate) fn is_completed(item: &Json<'_>) -> bool {
    item.field("status").is_none_or(|status| status.as_str() == Some("completed"))
        && item.field("error").is_none_or(Json::is_null)
}

/// Whether the output of a call is text, if it has any.
pub(crate) fn is_call_output(item: &Json<'_>) -> bool {
    may_have(item, "output", is_text)
}

/// Whether `tools` lists tools. A schema must be there but may be anything; annotations are replayed
/// unread.
pub(crate) fn is_tool_list(item: &Json<'_>) -> bool {
    has(item, "tools", |tools| list_of(tools, is_tool))
}

pub(crate) fn required_text(item: &Json<'_>, name: &str) -> Option<String> {
    text_of(item, name).map(str::to_owned)
}

fn is_tool(tool: &Json<'_>) -> bool {
    text_of(tool, "name").is_some()
        && tool.field("input_schema").is_some()
        && may_have(tool, "description", is_text)
}
