//! Items of tools that the service ran, checked field by field before they are replayed.

use super::admit::ServerTool;
use super::items::{has, is_text, kind_of, list_of, may_have};
use crate::json::Json;

/// The tool that an item of this kind belongs to.
pub(crate) fn tool_of(kind: &str) -> Option<ServerTool> {
    match kind {
        "web_search_call" => Some(ServerTool::WebSearch),
        "file_search_call" => Some(ServerTool::FileSearch),
        "code_interpreter_call" => Some(ServerTool::CodeInterpreter),
        "image_generation_call" => Some(ServerTool::ImageGeneration),
        _ => None,
    }
}

/// Whether the item has the fields of its kind. `container` is the container that the declaration
/// names, if it names one.
pub(crate) fn is_well_formed(tool: ServerTool, item: &Json<'_>, container: Option<&str>) -> bool {
    match tool {
        ServerTool::WebSearch => item.field("action").is_some_and(is_search_action),
        ServerTool::FileSearch => {
            has(item, "queries", |queries| list_of(queries, is_text))
                && may_have(item, "results", |results| list_of(results, is_search_result))
        }
        ServerTool::CodeInterpreter => {
            // These two must be there, but may be null.
            let nullable = |name: &str, check: fn(&Json<'_>) -> bool| {
                has(item, name, |value| value.is_null() || check(value))
            };
            nullable("code", is_text)
                && nullable("outputs", |outputs| list_of(outputs, is_code_output))
                && has(item, "container_id", |id| {
                    id.as_str().is_some_and(|id| container.is_none_or(|named| named == id))
                })
        }
        ServerTool::ImageGeneration => {
            has(item, "result", is_text)
                && may_have(item, "action", |action| {
                    matches!(action.as_str(), Some("auto" | "generate" | "edit"))
                })
                && ["background", "output_format", "quality", "revised_prompt", "size"]
                    .iter()
                    .all(|name| may_have(item, name, is_text))
        }
    }
}

fn is_search_action(action: &Json<'_>) -> bool {
    match kind_of(action) {
        Some("search") => {
            may_have(action, "query", is_text)
                && may_have(action, "queries", |queries| list_of(queries, is_text))
                && may_have(action, "sources", |sources| list_of(sources, is_source))
        }
        Some("open_page") => may_have(action, "url", is_text),
        Some("find_in_page" | "find") => {
            has(action, "pattern", is_text) && has(action, "url", is_text)
        }
        _ => false,
    }
}

fn is_source(source: &Json<'_>) -> bool {
    match kind_of(source) {
        Some("url") => has(source, "url", is_text),
        Some("api") => has(source, "name", is_text),
        _ => false,
    }
}

fn is_search_result(result: &Json<'_>) -> bool {
    result.is_object()
        && ["file_id", "filename", "text"].iter().all(|name| may_have(result, name, is_text))
        && may_have(result, "score", is_number)
        // Attributes have names of the caller's own; they are replayed unread.
        && may_have(result, "attributes", Json::is_object)
}

fn is_code_output(output: &Json<'_>) -> bool {
    match kind_of(output) {
        Some("logs") => has(output, "logs", is_text),
        Some("image") => has(output, "url", is_text),
        _ => false,
    }
}

fn is_number(value: &Json<'_>) -> bool {
    matches!(value, Json::Int(_) | Json::Float(_))
}
