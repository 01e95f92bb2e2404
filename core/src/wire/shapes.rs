//! The shapes of input items (D-8).

use super::fault::{RequestFault, RequestRule};
use crate::computer::{CheckedCall, SafetyCheck, Screenshot};
use crate::json::Json;
use crate::runner::items::{
    has, is_input_part, is_message_part, is_reasoning, is_status, is_text, kind_of, list_of,
    may_have, text_of,
};
use crate::runner::server::{is_well_formed, tool_of};

/// What an item is to the others.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Role {
    Plain,
    /// It names an item that is elsewhere.
    Reference,
    /// A call that an item of this type answers.
    Call {
        answered_by: &'static str,
    },
    Output {
        kind: &'static str,
    },
    McpRequest,
    McpAnswer,
}

/// Calls that a client performs, and the type of their outputs.
const CALLS: &[(&str, &str)] = &[
    ("function_call", "function_call_output"),
    ("computer_call", "computer_call_output"),
    ("custom_tool_call", "custom_tool_call_output"),
    ("local_shell_call", "local_shell_call_output"),
    ("shell_call", "shell_call_output"),
    ("apply_patch_call", "apply_patch_call_output"),
];

/// Reads one item; `place` is where it stands.
pub(super) fn read_item(item: &Json<'_>, place: &str) -> Result<Role, RequestFault> {
    let at = |field: &str| format!("{place}.{field}");
    let malformed = |field: &str| Err(RequestFault::new(RequestRule::Malformed, at(field)));
    if !item.is_object() {
        return Err(RequestFault::new(RequestRule::Malformed, place));
    }
    let kind = match item.field("type") {
        // The short form of a message leaves its type out.
        None if item.field("role").is_some() => "message",
        None => return Err(RequestFault::new(RequestRule::Missing, at("type"))),
        Some(kind) => match kind.as_str() {
            Some(kind) => kind,
            None => return malformed("type"),
        },
    };
    if !may_have(item, "id", is_text) {
        return malformed("id");
    }
    if let Some((call, output)) =
        CALLS.iter().find(|(call, output)| [*call, *output].contains(&kind))
    {
        require(item, "call_id", place, |id| id.as_str().is_some_and(|id| !id.is_empty()))?;
        return if kind == *call {
            check_call(item, kind, place)?;
            Ok(Role::Call { answered_by: output })
        } else {
            check_output(item, kind, place)?;
            Ok(Role::Output { kind: output })
        };
    }
    let whole = |is_valid: bool, role| {
        if is_valid { Ok(role) } else { Err(RequestFault::new(RequestRule::Malformed, place)) }
    };
    match kind {
        "message" => check_message(item, place).map(|()| Role::Plain),
        "reasoning" => {
            require(item, "id", place, is_text)?;
            require(item, "summary", place, |summary| summary.as_list().is_some())?;
            whole(is_reasoning(item), Role::Plain)
        }
        "compaction" | "compaction_summary" => {
            require(item, "encrypted_content", place, is_text).map(|()| Role::Plain)
        }
        "item_reference" => require(item, "id", place, is_text).map(|()| Role::Reference),
        "mcp_list_tools" => {
            require(item, "server_label", place, is_text)?;
            require(item, "tools", place, |tools| list_of(tools, Json::is_object))?;
            Ok(Role::Plain)
        }
        "mcp_call" | "mcp_approval_request" => {
            for field in ["id", "server_label", "name", "arguments"] {
                require(item, field, place, is_text)?;
            }
            Ok(if kind == "mcp_call" { Role::Plain } else { Role::McpRequest })
        }
        "mcp_approval_response" => {
            require(item, "approval_request_id", place, is_text)?;
            require(item, "approve", place, |approve| approve.as_bool().is_some())?;
            Ok(Role::McpAnswer)
        }
        kind => match tool_of(kind) {
            Some(tool) => {
                require(item, "id", place, is_text)?;
                whole(is_well_formed(tool, item, None), Role::Plain)
            }
            None => Err(RequestFault::new(RequestRule::UnknownKind, at("type"))),
        },
    }
}

/// A field that must be there and be right.
pub(super) fn require(
    object: &Json<'_>,
    field: &str,
    place: &str,
    check: impl Fn(&Json<'_>) -> bool,
) -> Result<(), RequestFault> {
    let rule = match object.field(field) {
        None | Some(Json::Null) => RequestRule::Missing,
        Some(value) if check(value) => return Ok(()),
        Some(_) => RequestRule::Malformed,
    };
    Err(RequestFault::new(rule, format!("{place}.{field}")))
}

/// Each role says its own kind of parts: the model's words come back as `output_text`, everybody
/// else's are `input_text`.
fn check_message(item: &Json<'_>, place: &str) -> Result<(), RequestFault> {
    let wrong = |rule, field: String| Err(RequestFault::new(rule, format!("{place}.{field}")));
    let by_model = match text_of(item, "role") {
        Some("assistant") => true,
        Some("user" | "system" | "developer") => false,
        Some(_) => return wrong(RequestRule::UnknownKind, "role".to_owned()),
        None => return wrong(RequestRule::Missing, "role".to_owned()),
    };
    if !may_have(item, "status", is_status) {
        return wrong(RequestRule::Malformed, "status".to_owned());
    }
    let parts = match item.field("content") {
        Some(content) if is_text(content) => return Ok(()),
        Some(Json::List(parts)) => parts,
        Some(value) if !value.is_null() => {
            return wrong(RequestRule::Malformed, "content".to_owned());
        }
        _ => return wrong(RequestRule::Missing, "content".to_owned()),
    };
    for (index, part) in parts.iter().enumerate() {
        let (is_known, is_right) = match kind_of(part) {
            Some("output_text") => (by_model, is_output_text(part)),
            Some("refusal") => (by_model, is_message_part(part)),
            Some("input_text" | "input_image" | "input_file") => (!by_model, is_input_part(part)),
            _ => (false, false),
        };
        if !is_known {
            return wrong(RequestRule::UnknownKind, format!("content[{index}].type"));
        }
        if !is_right {
            return wrong(RequestRule::Malformed, format!("content[{index}]"));
        }
    }
    Ok(())
}

/// Notes are the service's to add, so they may be missing.
fn is_output_text(part: &Json<'_>) -> bool {
    has(part, "text", is_text) && part.field("annotations").is_none_or(|_| is_message_part(part))
}

fn check_call(item: &Json<'_>, kind: &str, place: &str) -> Result<(), RequestFault> {
    match kind {
        "function_call" => {
            require(item, "name", place, is_text)?;
            require(item, "arguments", place, is_text)
        }
        "custom_tool_call" => {
            require(item, "name", place, is_text)?;
            require(item, "input", place, is_text)
        }
        "computer_call" if CheckedCall::read(item).is_none() => {
            Err(RequestFault::new(RequestRule::Malformed, place))
        }
        _ => Ok(()),
    }
}

fn check_output(item: &Json<'_>, kind: &str, place: &str) -> Result<(), RequestFault> {
    match kind {
        "computer_call_output" => {
            require(item, "output", place, |output| Screenshot::read(output).is_some())?;
            let are_checks =
                |checks: &Json<'_>| list_of(checks, |check| SafetyCheck::read(check).is_some());
            if may_have(item, "acknowledged_safety_checks", are_checks) {
                return Ok(());
            }
            let field = format!("{place}.acknowledged_safety_checks");
            Err(RequestFault::new(RequestRule::Malformed, field))
        }
        "function_call_output" | "custom_tool_call_output" => {
            require(item, "output", place, |output| {
                is_text(output) || list_of(output, is_input_part)
            })
        }
        _ => require(item, "output", place, |_| true),
    }
}
