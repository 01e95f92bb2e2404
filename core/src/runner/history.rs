//! The check of a given history: `params.input` or a checkpoint's, before a run with a ledger or a
//! context budget trusts it (R-5, R-50, L-3).

use std::collections::{BTreeMap, BTreeSet};

use super::fault::AdmissionError;
use super::items::{
    has, is_argument_object, is_input_part, is_message_part, is_phase, is_reasoning, is_status,
    is_text, kind_of, list_of, may_have, read_caller, text_of,
};
use super::plan::RunPlan;
use super::response::is_function_output;
use super::server::{is_well_formed, tool_of};
use crate::browser::Member;
use crate::computer::{CheckedCall, SafetyCheck, Screenshot};
use crate::error::Stop;
use crate::json::{Json, stringified_len};

/// Why a history cannot be used. Each names the item by its index.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum HistoryFault {
    /// No object, or of a kind or with a field that this run cannot replay.
    Item(usize),
    /// An item id or a call id that an earlier item has.
    Repeated(usize),
    /// An output without its call before it, of another kind than its call, or a second one.
    Unexpected(usize),
    /// A call without an output.
    Unresolved(usize),
}

impl HistoryFault {
    /// With a ledger the history is the caller's wrong use: nothing was saved or begun.
    pub(crate) fn admission(self) -> AdmissionError {
        let (Self::Item(at) | Self::Repeated(at) | Self::Unexpected(at) | Self::Unresolved(at)) =
            self;
        AdmissionError::History(at)
    }

    /// With a context budget alone the run stops.
    pub(crate) fn stop(self) -> Stop {
        match self {
            Self::Repeated(_) => Stop::IdentityRepeated,
            Self::Item(_) | Self::Unexpected(_) | Self::Unresolved(_) => Stop::HistoryInvalid,
        }
    }
}

/// Checks every item field by field; each call must have one output, somewhere after it.
pub(crate) fn check_history(items: &[Json<'_>], plan: &RunPlan) -> Result<(), HistoryFault> {
    let mut reader = Reader { plan, ids: BTreeSet::new(), calls: BTreeMap::new() };
    for (index, item) in items.iter().enumerate() {
        reader.read(index, item)?;
    }
    match reader.calls.values().filter(|call| !call.answered).map(|call| call.index).min() {
        None => Ok(()),
        Some(index) => Err(HistoryFault::Unresolved(index)),
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Plain,
    Call(Tool),
    Output(Tool),
    Reference,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Tool {
    Function,
    Computer,
}

#[derive(Debug)]
struct Call {
    index: usize,
    tool: Tool,
    answered: bool,
}

struct Reader<'p, 'j> {
    plan: &'p RunPlan,
    ids: BTreeSet<&'j str>,
    calls: BTreeMap<&'j str, Call>,
}

impl<'j> Reader<'_, 'j> {
    fn read(&mut self, index: usize, item: &'j Json<'_>) -> Result<(), HistoryFault> {
        // What has no JSON form can be neither saved nor measured, in whatever field it is.
        let kind = check_item(item, self.plan)
            .filter(|_| stringified_len(item).is_some())
            .ok_or(HistoryFault::Item(index))?;
        // A reference names an item that is elsewhere.
        let id = text_of(item, "id").filter(|_| kind != Kind::Reference);
        if id.is_some_and(|id| !self.ids.insert(id)) {
            return Err(HistoryFault::Repeated(index));
        }
        let call_id = text_of(item, "call_id").unwrap_or_default();
        match kind {
            Kind::Call(tool) => {
                let call = Call { index, tool, answered: false };
                if self.calls.insert(call_id, call).is_some() {
                    return Err(HistoryFault::Repeated(index));
                }
            }
            Kind::Output(tool) => match self.calls.get_mut(call_id) {
                Some(call) if call.tool == tool && !call.answered => call.answered = true,
                _ => return Err(HistoryFault::Unexpected(index)),
            },
            Kind::Plain | Kind::Reference => {}
        }
        Ok(())
    }
}

fn check_item(item: &Json<'_>, plan: &RunPlan) -> Option<Kind> {
    let kind = match item.field("type") {
        // The short form of a message leaves its type out.
        None if item.is_object() => "message",
        kind => kind?.as_str()?,
    };
    let (is_valid, kind) = match kind {
        "message" => (is_message(item), Kind::Plain),
        "reasoning" => (has(item, "id", is_text) && is_reasoning(item), Kind::Plain),
        "compaction" => {
            (may_have(item, "id", is_text) && has(item, "encrypted_content", is_text), Kind::Plain)
        }
        "item_reference" => (has(item, "id", is_text), Kind::Reference),
        "function_call" => (is_function_call(item, plan), Kind::Call(Tool::Function)),
        "function_call_output" => (is_call_output(item), Kind::Output(Tool::Function)),
        "computer_call" => {
            let is_valid = plan.computer.is_some() && CheckedCall::read(item).is_some();
            (is_valid, Kind::Call(Tool::Computer))
        }
        "computer_call_output" => {
            (plan.computer.is_some() && is_computer_output(item), Kind::Output(Tool::Computer))
        }
        // What is left of these is read where approvals are (`mcp::history`).
        "mcp_list_tools" | "mcp_call" | "mcp_approval_request" | "mcp_approval_response" => {
            (may_have(item, "id", is_text), Kind::Plain)
        }
        kind => (is_server_item(item, kind, plan), Kind::Plain),
    };
    is_valid.then_some(kind)
}

/// A message of the caller, or of the model: replayed as it came, or in the short form.
fn is_message(item: &Json<'_>) -> bool {
    let is_content = |check: fn(&Json<'_>) -> bool| {
        has(item, "content", |content| is_text(content) || list_of(content, check))
    };
    let content = match text_of(item, "role") {
        Some("assistant") if item.field("id").is_some() => {
            has(item, "content", |content| list_of(content, is_message_part))
        }
        Some("assistant") => is_content(is_spoken_part),
        Some("user" | "system" | "developer") => is_content(is_input_part),
        _ => false,
    };
    content
        && item.field("id").is_none_or(is_text)
        && may_have(item, "status", is_status)
        && may_have(item, "phase", is_phase)
}

/// What a caller says the model said; notes are the service's to add.
fn is_spoken_part(part: &Json<'_>) -> bool {
    let is_bare = kind_of(part) == Some("output_text") && part.field("annotations").is_none();
    (is_bare && has(part, "text", is_text)) || is_message_part(part) || is_input_part(part)
}

fn is_function_call(item: &Json<'_>, plan: &RunPlan) -> bool {
    let Some(name) = text_of(item, "name") else { return false };
    let browser = plan.browser.as_ref();
    let is_known = plan.functions.iter().any(|function| function.name == name)
        || Member::from_tool(name).zip(browser).is_some_and(|(member, tools)| tools.has(member));
    is_known
        && item.field("id").is_none_or(is_text)
        && has(item, "call_id", |id| id.as_str().is_some())
        && has(item, "arguments", |text| text.as_str().is_some_and(is_argument_object))
        && may_have(item, "status", |status| status.as_str() == Some("completed"))
        && may_have(item, "namespace", |space| space.as_str() == Some(name))
        && may_have(item, "async", |value| value.as_bool().is_some())
        && read_caller(item.field("caller")).is_ok()
}

fn is_call_output(item: &Json<'_>) -> bool {
    has(item, "call_id", |id| id.as_str().is_some())
        && has(item, "output", is_function_output)
        && may_have(item, "id", is_text)
        && may_have(item, "status", is_status)
        && read_caller(item.field("caller")).is_ok()
}

fn is_computer_output(item: &Json<'_>) -> bool {
    has(item, "call_id", |id| id.as_str().is_some())
        && has(item, "output", |output| Screenshot::read(output).is_some())
        && may_have(item, "acknowledged_safety_checks", |checks| {
            list_of(checks, |check| SafetyCheck::read(check).is_some())
        })
        && may_have(item, "id", is_text)
        && may_have(item, "status", is_status)
}

/// An item of a declared tool of the service, completed and without an error. What the tool
/// choice allows now does not count for what was done before.
fn is_server_item(item: &Json<'_>, kind: &str, plan: &RunPlan) -> bool {
    tool_of(kind).is_some_and(|tool| {
        plan.server_tools.contains(&tool)
            && has(item, "id", is_text)
            && text_of(item, "status") == Some("completed")
            && item.field("error").is_none_or(Json::is_null)
            && is_well_formed(tool, item, plan.container.as_deref())
    })
}

#[cfg(test)]
mod tests;
