//! Items of tools that the service ran, checked field by field before they are replayed.

use super::admit::ServerTool;
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
            required(item, "queries", |queries| list_of(queries, is_text))
                && optional(item, "results", |results| list_of(results, is_search_result))
        }
        ServerTool::CodeInterpreter => {
            // These two must be there, but may be null.
            let nullable = |name: &str, check: fn(&Json<'_>) -> bool| {
                required(item, name, |value| value.is_null() || check(value))
            };
            nullable("code", is_text)
                && nullable("outputs", |outputs| list_of(outputs, is_code_output))
                && required(item, "container_id", |id| {
                    id.as_str().is_some_and(|id| container.is_none_or(|named| named == id))
                })
        }
        ServerTool::ImageGeneration => {
            required(item, "result", is_text)
                && optional(item, "action", |action| {
                    matches!(action.as_str(), Some("auto" | "generate" | "edit"))
                })
                && ["background", "output_format", "quality", "revised_prompt", "size"]
                    .iter()
                    .all(|name| optional(item, name, is_text))
        }
    }
}

fn is_search_action(action: &Json<'_>) -> bool {
    match action.field("type").and_then(Json::as_str) {
        Some("search") => {
            optional(action, "query", is_text)
                && optional(action, "queries", |queries| list_of(queries, is_text))
                && optional(action, "sources", |sources| list_of(sources, is_source))
        }
        Some("open_page") => optional(action, "url", is_text),
        Some("find_in_page" | "find") => {
            required(action, "pattern", is_text) && required(action, "url", is_text)
        }
        _ => false,
    }
}

fn is_source(source: &Json<'_>) -> bool {
    match source.field("type").and_then(Json::as_str) {
        Some("url") => required(source, "url", is_text),
        Some("api") => required(source, "name", is_text),
        _ => false,
    }
}

fn is_search_result(result: &Json<'_>) -> bool {
    result.is_object()
        && ["file_id", "filename", "text"].iter().all(|name| optional(result, name, is_text))
        && optional(result, "score", is_number)
        // Attributes have names of the caller's own; they are replayed unread.
        && optional(result, "attributes", Json::is_object)
}

fn is_code_output(output: &Json<'_>) -> bool {
    match output.field("type").and_then(Json::as_str) {
        Some("logs") => required(output, "logs", is_text),
        Some("image") => required(output, "url", is_text),
        _ => false,
    }
}

fn required<'j, 'v>(
    object: &'j Json<'v>,
    name: &str,
    check: impl Fn(&'j Json<'v>) -> bool,
) -> bool {
    object.field(name).is_some_and(check)
}

fn optional<'j, 'v>(
    object: &'j Json<'v>,
    name: &str,
    check: impl Fn(&'j Json<'v>) -> bool,
) -> bool {
    object.field(name).is_none_or(|value| value.is_null() || check(value))
}

fn list_of<'j, 'v>(value: &'j Json<'v>, check: impl Fn(&'j Json<'v>) -> bool) -> bool {
    value.as_list().is_some_and(|items| items.iter().all(check))
}

fn is_text(value: &Json<'_>) -> bool {
    value.as_str().is_some() || matches!(value, Json::Held(_))
}

fn is_number(value: &Json<'_>) -> bool {
    matches!(value, Json::Int(_) | Json::Float(_))
}
