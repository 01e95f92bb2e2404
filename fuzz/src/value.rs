//! Values that a host may hand over.

use std::borrow::Cow;

use arbitrary::Arbitrary;
use swingbridge_core::json::{Held, Json, Text, read_fields};

/// Any value, with field names that rules read.
#[derive(Arbitrary, Clone, Debug)]
pub enum Tree {
    Null,
    Bool(bool),
    Int(i64),
    Small(u8),
    Float(f64),
    Text(String),
    /// One of the words that rules know.
    Word(u8),
    Unpaired(u8),
    Held(String),
    List(Vec<Tree>),
    Object(Vec<(u8, Tree)>),
    Foreign,
}

const WORDS: &[&str] = &[
    "completed",
    "assistant",
    "message",
    "function_call",
    "output_text",
    "button",
    "listbox",
    "input_image",
    "high",
    "https://example.com/",
    "about:blank",
    "tab_opened",
    "refused",
    "none",
    "t1",
    "",
];

impl Tree {
    pub fn to_json(&self) -> Json<'static> {
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Int(value) => Json::Int(*value),
            Self::Small(value) => Json::Int(i64::from(*value)),
            Self::Float(value) => Json::Float(*value),
            Self::Text(text) => Json::Text(Text::from(text.clone())),
            Self::Word(index) => Json::Text(Text::from(WORDS[usize::from(*index) % WORDS.len()])),
            Self::Unpaired(low) => {
                // U+D800 and after, three bytes each.
                let bytes = vec![b'a', 0xed, 0xa0 | (low >> 6), 0x80 | (low & 0x3f)];
                Json::Text(Text::from_wtf8(bytes))
            }
            Self::Held(head) => Json::Held(Held { head: Cow::Owned(head.clone()), handle: 0 }),
            Self::List(items) => Json::List(items.iter().map(Self::to_json).collect()),
            Self::Object(fields) => {
                let names = read_fields();
                let field = |(name, value): &(u8, Self)| {
                    (Cow::Borrowed(names[usize::from(*name) % names.len()]), value.to_json())
                };
                Json::Object(fields.iter().map(field).collect())
            }
            Self::Foreign => Json::Foreign,
        }
    }
}
