//! Checks of single items that a response brings and a history holds.

use crate::browser::{is_cache_breakpoint, is_image_source};
use crate::error::Stop;
use crate::json::{Json, MAX_DEPTH, RawJson};

/// The states of an item that is not a call.
const STATUSES: &[&str] = &["in_progress", "completed", "incomplete"];
/// The texts and the integers that each kind of annotation must have.
const ANNOTATIONS: &[(&str, &[&str], &[&str])] = &[
    ("file_citation", &["file_id", "filename"], &["index"]),
    ("url_citation", &["title", "url"], &["start_index", "end_index"]),
    (
        "container_file_citation",
        &["container_id", "file_id", "filename"],
        &["start_index", "end_index"],
    ),
    ("file_path", &["file_id"], &["index"]),
];

/// A part of what the model said.
pub(crate) fn is_message_part(part: &Json<'_>) -> bool {
    match kind_of(part) {
        Some("output_text") => {
            has(part, "text", is_text)
                && has(part, "annotations", |notes| list_of(notes, is_annotation))
        }
        Some("refusal") => has(part, "refusal", is_text),
        _ => false,
    }
}

fn is_annotation(note: &Json<'_>) -> bool {
    ANNOTATIONS.iter().find(|(name, ..)| Some(*name) == kind_of(note)).is_some_and(
        |(_, texts, ints)| {
            texts.iter().all(|name| has(note, name, is_text))
                && ints.iter().all(|name| has(note, name, |int| int.as_int().is_some()))
        },
    )
}

/// A part of what a caller said: text, or an image or a file with a source.
pub(crate) fn is_input_part(part: &Json<'_>) -> bool {
    let is_part = match kind_of(part) {
        Some("input_text") => has(part, "text", is_text),
        Some("input_image") => {
            has_source(part, &["image_url", "file_id"], is_image_source)
                && may_have(part, "detail", |detail| {
                    matches!(detail.as_str(), Some("auto" | "low" | "high" | "original"))
                })
        }
        Some("input_file") => {
            has_source(part, &["file_data", "file_id", "file_url"], is_text)
                && may_have(part, "filename", is_text)
        }
        _ => false,
    };
    is_part && may_have(part, "prompt_cache_breakpoint", is_cache_breakpoint)
}

/// Whether one of the fields is there; null stands for an absent one.
fn has_source(part: &Json<'_>, names: &[&str], check: fn(&Json<'_>) -> bool) -> bool {
    names.iter().all(|name| may_have(part, name, check))
        && names.iter().any(|name| has(part, name, check))
}

pub(crate) fn is_reasoning(item: &Json<'_>) -> bool {
    let parts = |parts: &Json<'_>, kind: &str| {
        list_of(parts, |part| kind_of(part) == Some(kind) && has(part, "text", is_text))
    };
    may_have(item, "status", is_status)
        && has(item, "summary", |summary| parts(summary, "summary_text"))
        && may_have(item, "content", |content| parts(content, "reasoning_text"))
        && may_have(item, "encrypted_content", is_text)
}

pub(crate) fn is_status(status: &Json<'_>) -> bool {
    status.as_str().is_some_and(|status| STATUSES.contains(&status))
}

pub(crate) fn is_phase(phase: &Json<'_>) -> bool {
    matches!(phase.as_str(), Some("final_answer" | "commentary"))
}

/// The caller in the words of `allowed_callers`.
pub(crate) fn read_caller(caller: Option<&Json<'_>>) -> Result<&'static str, Stop> {
    let Some(caller) = caller.filter(|caller| !caller.is_null()) else { return Ok("direct") };
    match kind_of(caller) {
        Some("direct") => Ok("direct"),
        Some("program") if has(caller, "caller_id", is_text) => Ok("programmatic"),
        _ => Err(Stop::ResponseMalformed),
    }
}

/// A JSON object that is not nested too deeply for the hosts' parsers.
pub(crate) fn is_argument_object(text: &str) -> bool {
    RawJson::parse(text).ok().is_some_and(|raw| raw.text().starts_with('{'))
        && nesting(text) <= MAX_DEPTH
}

/// How deeply valid JSON text is nested.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

pub(crate) fn kind_of<'j>(item: &'j Json<'_>) -> Option<&'j str> {
    text_of(item, "type")
}

pub(crate) fn text_of<'j>(item: &'j Json<'_>, name: &str) -> Option<&'j str> {
    item.field(name).and_then(Json::as_str)
}

pub(crate) fn has<'j, 'v>(
    object: &'j Json<'v>,
    name: &str,
    check: impl Fn(&'j Json<'v>) -> bool,
) -> bool {
    object.field(name).is_some_and(check)
}

/// Whether a field is absent, null or as it should be.
pub(crate) fn may_have<'j, 'v>(
    object: &'j Json<'v>,
    name: &str,
    check: impl Fn(&'j Json<'v>) -> bool,
) -> bool {
    object.field(name).is_none_or(|value| value.is_null() || check(value))
}

pub(crate) fn list_of<'j, 'v>(value: &'j Json<'v>, check: impl Fn(&'j Json<'v>) -> bool) -> bool {
    value.as_list().is_some_and(|items| items.iter().all(check))
}

/// Valid Unicode: the wire cannot carry unpaired surrogates. A text that stays with the host is
/// checked there.
pub(crate) fn is_text(value: &Json<'_>) -> bool {
    value.as_str().is_some() || matches!(value, Json::Held(_))
}
