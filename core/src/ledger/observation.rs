//! What shows a resumed run how the world is now (L-3).

use crate::json::Json;
use crate::json::text::is_blank;

/// Whether the input of a resumed run says anything: a text, or at least one message of the user
/// with a text, a picture or a file. Instructions and messages of the model are no observation.
pub(super) fn is_observation(input: &Json<'_>) -> bool {
    match input {
        Json::List(items) => items.iter().any(is_telling_message),
        input => is_telling_text(input),
    }
}

fn is_telling_message(item: &Json<'_>) -> bool {
    let is_message = match item.field("type") {
        None => true,
        Some(kind) => kind.as_str() == Some("message"),
    };
    is_message
        && item.field("role").and_then(Json::as_str) == Some("user")
        && item.field("content").is_some_and(|content| match content {
            Json::List(parts) => parts.iter().any(is_telling_part),
            content => is_telling_text(content),
        })
}

fn is_telling_part(part: &Json<'_>) -> bool {
    let has_source =
        |names: &[&str]| names.iter().any(|name| part.field(name).is_some_and(is_telling_text));
    match part.field("type").and_then(Json::as_str) {
        Some("input_text") => part.field("text").is_some_and(is_telling_text),
        Some("input_image") => has_source(&["image_url", "file_id"]),
        Some("input_file") => has_source(&["file_data", "file_id", "file_url"]),
        _ => false,
    }
}

/// A text that is not blank and that the wire can carry.
fn is_telling_text(value: &Json<'_>) -> bool {
    match value {
        Json::Held(held) => !is_blank(&held.head),
        value => value.as_str().is_some_and(|text| !is_blank(text)),
    }
}
