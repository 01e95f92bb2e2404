//! Images in an item.

use crate::json::Json;
use crate::runner::items::kind_of;

/// The images that an item shows to the model: in the content of a message, in what a function
/// returned, or the screenshot of a computer call.
pub(super) fn images_in(item: &Json<'_>) -> u64 {
    let blocks = |name: &str| {
        let blocks = item.field(name).and_then(Json::as_list).unwrap_or_default();
        blocks.iter().filter(|block| kind_of(block) == Some("input_image")).count() as u64
    };
    match kind_of(item) {
        None | Some("message") => blocks("content"),
        Some("function_call_output") => blocks("output"),
        Some("computer_call_output") => 1,
        Some(_) => 0,
    }
}
