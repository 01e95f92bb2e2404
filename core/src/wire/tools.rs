//! The tools that a request declares (D-8).

use std::collections::BTreeSet;

use super::fault::{RequestFault, RequestRule};
use super::shapes::require;
use crate::json::Json;
use crate::runner::items::{is_text, kind_of, may_have, text_of};
use crate::tools::is_tool_name;

const LONGEST_NAME: usize = 128;

pub(super) fn check_tools(body: &Json<'_>) -> Result<(), RequestFault> {
    let tools = match body.field("tools") {
        None | Some(Json::Null) => return Ok(()),
        Some(Json::List(tools)) => tools,
        Some(_) => return Err(RequestFault::new(RequestRule::Malformed, "tools")),
    };
    let mut names = BTreeSet::new();
    for (index, tool) in tools.iter().enumerate() {
        let place = format!("tools[{index}]");
        if !tool.is_object() {
            return Err(RequestFault::new(RequestRule::Malformed, place));
        }
        require(tool, "type", &place, is_text)?;
        match kind_of(tool) {
            Some("function") => {
                check_function(tool, &place)?;
                if text_of(tool, "name").is_some_and(|name| !names.insert(name)) {
                    return Err(RequestFault::new(RequestRule::Repeated, format!("{place}.name")));
                }
            }
            Some("mcp") => {
                require(tool, "server_label", &place, is_text)?;
                if tool.field("connector_id").is_none_or(Json::is_null) {
                    require(tool, "server_url", &place, is_text)?;
                }
            }
            Some("code_interpreter") => require(tool, "container", &place, |_| true)?,
            Some("file_search") => {
                require(tool, "vector_store_ids", &place, |ids| ids.as_list().is_some())?;
            }
            // Others have no field that they must have, or are newer than this list.
            _ => {}
        }
    }
    Ok(())
}

fn check_function(tool: &Json<'_>, place: &str) -> Result<(), RequestFault> {
    let is_name =
        |name: &Json<'_>| name.as_str().is_some_and(|name| is_tool_name(name, LONGEST_NAME));
    require(tool, "name", place, is_name)?;
    let malformed =
        |field: &str| Err(RequestFault::new(RequestRule::Malformed, format!("{place}.{field}")));
    if !may_have(tool, "parameters", Json::is_object) {
        return malformed("parameters");
    }
    if !may_have(tool, "strict", |strict| strict.as_bool().is_some()) {
        return malformed("strict");
    }
    if may_have(tool, "description", is_text) { Ok(()) } else { malformed("description") }
}
