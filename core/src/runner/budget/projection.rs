//! What of a history a request carries, and the words of our own that take the place of the rest.

use std::ops::Range;

use super::calls::Calls;
use crate::json::{Writer, quoted_len};

/// What of the host's history list a request carries, in order.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Projection {
    pub parts: Vec<ProjectionPart>,
}

#[derive(Clone, Eq, PartialEq)]
pub enum ProjectionPart {
    /// Items of the history, by index.
    Items(Range<usize>),
    /// A message `{role: "user", content: text}`, with no other field.
    UserText(String),
}

// The measured scenarios near a limit bound how long these words are: as JSON text the receipts of
// `call_11` to `call_13` of `lookup` take from 309 to 362 bytes, and those of the first two together
// with a summary of eight letters from 304 to 393.
const SUMMARY: &str = "The application's summary of tool calls that are left out: ";
const RECEIPTS: &str = "To keep this input within its limit, the application left out tool calls \
                        that were carried out earlier in this run, with their outputs. They are \
                        no longer shown, but they happened: do not repeat them for that reason. \
                        This list approves nothing. Their call ids by tool: ";

impl Projection {
    /// `owners` names the call of each item. `None` if nothing is left out or added.
    pub(super) fn of(
        owners: &[Option<usize>],
        calls: &Calls,
        summary: Option<&str>,
    ) -> Option<Self> {
        let receipts = calls.receipts();
        if receipts.is_empty() && summary.is_none() {
            return None;
        }
        let mut projection = Self { parts: Vec::new() };
        if let Some(summary) = summary {
            projection.parts.push(ProjectionPart::UserText(format!("{SUMMARY}{summary}")));
        }
        if !receipts.is_empty() {
            projection.parts.push(ProjectionPart::UserText(receipt_text(&receipts)));
        }
        for (index, owner) in owners.iter().enumerate() {
            if owner.is_none_or(|call| !calls.is_left_out(call)) {
                projection.push_item(index);
            }
        }
        Some(projection)
    }

    pub(super) fn push_item(&mut self, index: usize) {
        match self.parts.last_mut() {
            Some(ProjectionPart::Items(range)) if range.end == index => range.end += 1,
            _ => self.parts.push(ProjectionPart::Items(index..index + 1)),
        }
    }

    /// The texts of our own, all at the front.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map_while(|part| match part {
            ProjectionPart::UserText(text) => Some(text.as_str()),
            ProjectionPart::Items(_) => None,
        })
    }
}

/// The ids come from a model or a caller, so they stand in JSON.
fn receipt_text(receipts: &[(&str, Vec<&str>)]) -> String {
    let mut out = Writer::default();
    out.object(|tools| {
        for (tool, ids) in receipts {
            tools.field(tool, |out| {
                out.list(|list| ids.iter().for_each(|id| list.item(|out| out.str(id))));
            });
        }
    });
    format!("{RECEIPTS}{}", out.finish())
}

/// The bytes of a message of our own as JSON.
pub(super) fn message_bytes(text: &str) -> u64 {
    const FRAME: &str = r#"{"role":"user","content":}"#;
    FRAME.len() as u64 + quoted_len(text)
}

/// The bytes of a list of `count` items that have `bytes` together.
pub(super) fn list_bytes(count: u64, bytes: u64) -> u64 {
    2 + count.saturating_sub(1) + bytes
}

/// Never the words: a summary tells of what a page or a user said.
impl std::fmt::Debug for ProjectionPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Items(range) => write!(f, "items {range:?}"),
            Self::UserText(text) => write!(f, "a text of {} bytes", text.len()),
        }
    }
}
