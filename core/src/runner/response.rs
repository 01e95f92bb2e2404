//! A model's response, inspected whole before any of its work begins.

use super::items::{
    has, is_argument_object, is_message_part, is_phase, is_reasoning, kind_of, list_of, may_have,
    read_caller, text_of,
};
use super::mcp::{McpApprovals, McpItem, McpRequest, is_mcp_item};
use super::plan::RunPlan;
use super::records::NamedCall;
use super::server::{is_well_formed, tool_of};
use crate::browser::{ArgumentText, CallFields, CallStatus, Member};
use crate::computer::CheckedCall;
use crate::diagnostic::Usage;
use crate::error::Stop;
use crate::json::{Json, Text};

/// A response as the host received it. The host keeps the items for replay; the core reads them.
#[derive(Debug)]
pub struct ModelResponse<'h> {
    /// The whole response object; fields that no rule reads may be left out.
    pub body: Json<'h>,
}

/// Whether a field of an output item goes back to the service with the history. All do, known or
/// not, but for one that the service adds to these items and does not take back.
pub fn is_replayed(kind: &str, field: &str) -> bool {
    !(field == "created_by" && matches!(kind, "function_call" | "compaction"))
}

/// One call that a response asks for, in output order.
#[derive(Debug)]
pub(crate) struct PlannedCall {
    pub(crate) call_id: String,
    pub(crate) work: Work,
}

pub(crate) enum Work {
    Browser { name: String, arguments: String },
    Function { index: usize, arguments: String },
    Computer(CheckedCall),
    Mcp(McpRequest),
}

/// Never the arguments: the model wrote them for a tool only.
impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Browser { name, .. } => write!(f, "a call of {name}"),
            Self::Function { index, .. } => write!(f, "a call of function {index}"),
            Self::Computer(_) => f.write_str("a computer call"),
            Self::Mcp(_) => f.write_str("an MCP request"),
        }
    }
}

/// Why nothing of a response is done.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) stop: Stop,
    /// The call that it is about, if it is one call of a function or a remote tool.
    pub(crate) call: Option<NamedCall>,
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        Self { stop, call: None }
    }
}

/// What a response asks for.
#[derive(Debug, Default)]
pub(crate) struct Inspection {
    pub(crate) calls: Vec<PlannedCall>,
    /// Item ids and call ids, which must be new to the run.
    pub(crate) item_ids: Vec<String>,
    pub(crate) call_ids: Vec<String>,
    /// Why the run stops although the items are worth keeping: the service's own tool failed.
    pub(crate) failure: Option<Stop>,
    has_final_message: bool,
    has_server_item: bool,
}

impl Inspection {
    /// What one completed item of a stream asks for.
    pub(crate) fn of_item(
        item: &Json<'_>,
        plan: &RunPlan,
        approvals: &mut McpApprovals,
    ) -> Result<Self, Refusal> {
        let mut found = Self::default();
        inspect_item(item, plan, approvals, &mut found)?;
        Ok(found)
    }

    /// Whether the run ends with this response: there is nothing left to do, and something to show.
    pub(crate) fn is_final(&self) -> bool {
        self.calls.is_empty()
            && self.failure.is_none()
            && (self.has_final_message || self.has_server_item)
    }
}

impl ModelResponse<'_> {
    pub(crate) fn inspect(
        &self,
        plan: &RunPlan,
        approvals: &mut McpApprovals,
    ) -> Result<Inspection, Refusal> {
        match text_of(&self.body, "status") {
            Some("completed") => {}
            Some("failed") => return Err(Stop::ResponseFailed.into()),
            _ => return Err(Stop::ResponseIncomplete.into()),
        }
        let items =
            self.body.field("output").and_then(Json::as_list).ok_or(Stop::ResponseMalformed)?;
        let mut found = Inspection::default();
        for item in items {
            inspect_item(item, plan, approvals, &mut found)?;
        }
        Ok(found)
    }

    /// Token counts, if all three are there and are counts.
    pub(crate) fn usage(&self) -> Option<Usage> {
        let usage = self.body.field("usage")?;
        let count = |name: &str| u64::try_from(usage.field(name)?.as_int()?).ok();
        Some(Usage {
            input_tokens: count("input_tokens")?,
            output_tokens: count("output_tokens")?,
            total_tokens: count("total_tokens")?,
        })
    }
}

fn inspect_item(
    item: &Json<'_>,
    plan: &RunPlan,
    approvals: &mut McpApprovals,
    found: &mut Inspection,
) -> Result<(), Refusal> {
    let kind = kind_of(item).ok_or(Stop::ResponseMalformed)?;
    match kind {
        "message" => {
            found.item_ids.push(required_text(item, "id")?);
            found.has_final_message |= inspect_message(item).ok_or(Stop::ResponseMalformed)?;
        }
        "reasoning" => {
            found.item_ids.push(required_text(item, "id")?);
            is_reasoning(item).then_some(()).ok_or(Stop::ResponseMalformed)?;
        }
        "compaction" => {
            found.item_ids.push(required_text(item, "id")?);
            required_text(item, "encrypted_content")?;
        }
        "function_call" => inspect_call(item, plan, found)?,
        "computer_call" => inspect_computer_call(item, plan, found)?,
        kind if is_mcp_item(kind) => inspect_mcp_item(item, kind, plan, approvals, found)?,
        kind => inspect_server_item(item, kind, plan, found)?,
    }
    Ok(())
}

/// Whether a well-formed message is a final one.
fn inspect_message(item: &Json<'_>) -> Option<bool> {
    let is_well_formed = text_of(item, "role") == Some("assistant")
        && text_of(item, "status") == Some("completed")
        && has(item, "content", |content| list_of(content, is_message_part))
        && may_have(item, "phase", is_phase);
    is_well_formed.then(|| text_of(item, "phase").is_none_or(|phase| phase == "final_answer"))
}

fn inspect_call(item: &Json<'_>, plan: &RunPlan, found: &mut Inspection) -> Result<(), Refusal> {
    // Services of other makers write null for an id that they do not give.
    if let Some(id) = item.field("id").filter(|id| !id.is_null()) {
        found.item_ids.push(id.as_str().ok_or(Stop::ResponseMalformed)?.to_owned());
    }
    let call_id = required_text(item, "call_id")?;
    let name = required_text(item, "name")?;
    let arguments = required_text(item, "arguments")?;
    match item.field("status") {
        None | Some(Json::Null) => {}
        Some(status) if status.as_str() == Some("completed") => {}
        Some(_) => return Err(Stop::ResponseIncomplete.into()),
    }
    may_have(item, "namespace", |space| space.as_str() == Some(&name))
        .then_some(())
        .ok_or(Stop::ResponseUnsupported)?;
    may_have(item, "async", |value| value.as_bool().is_some())
        .then_some(())
        .ok_or(Stop::ResponseMalformed)?;
    let caller = read_caller(item.field("caller"))?;
    if !plan.choice.allows_function(&name) {
        return Err(Stop::ChoiceViolated.into());
    }
    let work = plan_work(plan, name, arguments, caller).map_err(|stop| Refusal {
        stop,
        call: (stop == Stop::FunctionArguments).then(|| NamedCall {
            call_id: call_id.clone(),
            member: text_of(item, "name").unwrap_or_default().to_owned(),
        }),
    })?;
    found.call_ids.push(call_id.clone());
    found.calls.push(PlannedCall { call_id, work });
    Ok(())
}

fn plan_work(plan: &RunPlan, name: String, arguments: String, caller: &str) -> Result<Work, Stop> {
    let browser = plan.browser.as_ref();
    if Member::from_tool(&name).zip(browser).is_some_and(|(member, tools)| tools.has(member)) {
        // A browser tool declares no callers, so only the model itself may call it.
        return (caller == "direct")
            .then_some(Work::Browser { name, arguments })
            .ok_or(Stop::ChoiceViolated);
    }
    let index = plan
        .functions
        .iter()
        .position(|function| function.name == name)
        .ok_or(Stop::ResponseUnsupported)?;
    let callers = plan.functions[index].callers.as_ref();
    if callers.is_some_and(|callers| callers.iter().all(|allowed| allowed != caller)) {
        return Err(Stop::ChoiceViolated);
    }
    if !is_argument_object(&arguments) {
        return Err(Stop::FunctionArguments);
    }
    Ok(Work::Function { index, arguments })
}

fn inspect_computer_call(
    item: &Json<'_>,
    plan: &RunPlan,
    found: &mut Inspection,
) -> Result<(), Stop> {
    if plan.computer.is_none() {
        return Err(Stop::ResponseUnsupported);
    }
    if !plan.choice.allows_computer() {
        return Err(Stop::ChoiceViolated);
    }
    let call = CheckedCall::read(item).ok_or(Stop::ComputerCallInvalid)?;
    found.item_ids.push(call.id.clone());
    found.call_ids.push(call.call_id.clone());
    found.calls.push(PlannedCall { call_id: call.call_id.clone(), work: Work::Computer(call) });
    Ok(())
}

/// An item of a tool that the service ran: declared, completed and without an error.
fn inspect_server_item(
    item: &Json<'_>,
    kind: &str,
    plan: &RunPlan,
    found: &mut Inspection,
) -> Result<(), Stop> {
    let tool = tool_of(kind).ok_or(Stop::ResponseUnsupported)?;
    if !plan.server_tools.contains(&tool) || !plan.choice.allows_server(tool) {
        return Err(Stop::ChoiceViolated);
    }
    found.item_ids.push(required_text(item, "id")?);
    let completed = text_of(item, "status") == Some("completed");
    if !completed || item.field("error").is_some_and(|error| !error.is_null()) {
        found.failure.get_or_insert(Stop::ResponseIncomplete);
        return Ok(());
    }
    if !is_well_formed(tool, item, plan.container.as_deref()) {
        return Err(Stop::ResponseMalformed);
    }
    found.has_server_item = true;
    Ok(())
}

/// An item of a remote server, or a request for approval of what one is to do.
fn inspect_mcp_item(
    item: &Json<'_>,
    kind: &str,
    plan: &RunPlan,
    approvals: &mut McpApprovals,
    found: &mut Inspection,
) -> Result<(), Refusal> {
    match plan.mcp.inspect(kind, item, &plan.choice, approvals)? {
        McpItem::Listed { id } => found.item_ids.push(id),
        McpItem::Called { id } => {
            found.item_ids.push(id);
            found.has_server_item = true;
        }
        McpItem::Asked(request) if !plan.callbacks.approves_mcp => {
            return Err(Refusal { stop: Stop::McpUndecided, call: Some(request.named()) });
        }
        McpItem::Asked(request) => {
            found.item_ids.push(request.id.clone());
            found.call_ids.push(request.id.clone());
            let call_id = request.id.clone();
            found.calls.push(PlannedCall { call_id, work: Work::Mcp(request) });
        }
    }
    Ok(())
}

fn required_text(item: &Json<'_>, name: &str) -> Result<String, Stop> {
    text_of(item, name).map(str::to_owned).ok_or(Stop::ResponseMalformed)
}

impl PlannedCall {
    pub(crate) fn fields(&self) -> Option<CallFields<'_>> {
        match &self.work {
            Work::Browser { name, arguments } => Some(CallFields {
                kind: Some("function_call"),
                name: Some(name),
                call_id: Some(&self.call_id),
                arguments: ArgumentText::Valid(arguments),
                status: CallStatus::Unset,
            }),
            Work::Function { .. } | Work::Computer(_) | Work::Mcp(_) => None,
        }
    }
}

/// What an ordinary function may return: text, or a list of input blocks.
pub(crate) fn is_function_output(value: &Json<'_>) -> bool {
    match value {
        // The wire cannot carry unpaired surrogates.
        Json::Text(Text::Valid(_)) | Json::Held(_) => true,
        Json::List(blocks) => blocks.iter().all(is_block),
        _ => false,
    }
}

fn is_block(block: &Json<'_>) -> bool {
    let Json::Object(fields) = block else { return false };
    let (sources, details): (&[&str], &[&str]) = match kind_of(block) {
        Some("input_text") => (&["text"], &[]),
        Some("input_image") => (&["image_url", "file_id"], &["auto", "low", "high", "original"]),
        Some("input_file") => (&["file_data", "file_id", "file_url"], &["low", "high"]),
        _ => return false,
    };
    let is_image = sources.contains(&"image_url");
    let source = |value: &Json<'_>| matches!(value, Json::Text(Text::Valid(_)) | Json::Held(_));
    let mut has_source = false;
    let known = fields.iter().all(|(name, value)| match name.as_ref() {
        "type" => true,
        name if sources.contains(&name) => {
            has_source |= source(value);
            source(value) || (value.is_null() && name != "text")
        }
        "filename" => !is_image && !details.is_empty() && (source(value) || value.is_null()),
        "detail" if !details.is_empty() => {
            value.as_str().is_some_and(|detail| details.contains(&detail))
                || (is_image && value.is_null())
        }
        "prompt_cache_breakpoint" => value.is_null() || crate::browser::is_cache_breakpoint(value),
        _ => false,
    });
    known && has_source
}
