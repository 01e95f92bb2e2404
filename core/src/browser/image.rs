//! Input images from `screenshot` and `zoom` (B-44).

use crate::json::text::is_blank;
use crate::json::{Held, Json, Text};

const FIELDS: &[&str] = &["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"];
const DETAILS: &[&str] = &["auto", "low", "high", "original"];
const CACHE_TTLS: &[&str] = &["30m", "12h"];

/// A checked image: the fields that the driver gave, in its order. Sources that stay with the host
/// are [`Held`] there; everything else is a copy.
#[derive(Clone, Debug, PartialEq)]
pub struct InputImage {
    fields: Vec<(&'static str, Json<'static>)>,
}

impl InputImage {
    /// Checks an image and takes it out of the host's hands; `None` if it breaks a rule.
    pub(crate) fn read(report: &Json<'_>) -> Option<Self> {
        let Json::Object(given) = report else { return None };
        if report.field("type")?.as_str()? != "input_image" {
            return None;
        }
        let sources = [report.field("image_url"), report.field("file_id")];
        let named = sources.iter().flatten().filter(|source| !source.is_null()).count();
        if named == 0 || !sources.into_iter().flatten().all(is_source_or_null) {
            return None;
        }
        let detail = report.field("detail");
        let breakpoint = report.field("prompt_cache_breakpoint");
        if !detail.is_none_or(is_detail_or_null) || !breakpoint.is_none_or(is_breakpoint_or_null) {
            return None;
        }
        let mut fields: Vec<(&'static str, Json<'static>)> = Vec::with_capacity(given.len());
        for (name, _) in given {
            let known = FIELDS.iter().find(|known| *known == name)?;
            if fields.iter().all(|(name, _)| name != known) {
                fields.push((known, report.field(known)?.clone().into_owned()));
            }
        }
        Some(Self { fields })
    }

    pub fn fields(&self) -> &[(&'static str, Json<'static>)] {
        &self.fields
    }

    pub fn field(&self, name: &str) -> Option<&Json<'static>> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }
}

/// Of a held source only the head is looked at: a source whose first characters are all white space
/// is refused, whatever follows.
fn is_source_or_null(source: &Json<'_>) -> bool {
    source.is_null() || is_image_source(source)
}

pub(crate) fn is_image_source(source: &Json<'_>) -> bool {
    match source {
        Json::Text(Text::Valid(text)) | Json::Held(Held { head: text, .. }) => !is_blank(text),
        // A surrogate is no white space.
        Json::Text(Text::Unpaired(_)) => true,
        _ => false,
    }
}

fn is_detail_or_null(detail: &Json<'_>) -> bool {
    detail.is_null() || detail.as_str().is_some_and(|detail| DETAILS.contains(&detail))
}

fn is_breakpoint_or_null(breakpoint: &Json<'_>) -> bool {
    breakpoint.is_null() || is_cache_breakpoint(breakpoint)
}

/// `{mode: "explicit"}`, with an optional documented lifetime.
pub(crate) fn is_cache_breakpoint(breakpoint: &Json<'_>) -> bool {
    let Json::Object(fields) = breakpoint else { return false };
    breakpoint.field("mode").and_then(Json::as_str) == Some("explicit")
        && fields.iter().all(|(name, value)| match name.as_ref() {
            "mode" => true,
            "ttl" => value.as_str().is_some_and(|ttl| CACHE_TTLS.contains(&ttl)),
            _ => false,
        })
}
