//! Values that came from a host or from the wire, kept as they were written.
//!
//! [`Json`] is what a binding builds from a host value: it borrows where it can, keeps integers and
//! other numbers apart, holds text that is not valid Unicode (a JavaScript or Python string can have
//! unpaired surrogates) and has a mark for host values with no JSON form. [`RawJson`] reads argument
//! text lazily, field by field, where the spelling of a number matters.

mod fields;
mod raw;
mod size;
pub(crate) mod text;
mod tree;
mod write;

pub use fields::{HELD_HEAD, HOST_DEPTH, HOST_VALUES, is_read_field, read_field, read_fields};
pub use raw::{JsonFault, RawJson};
pub(crate) use size::quoted_len;
pub use size::stringified_len;
pub use text::Text;
pub use tree::{MAX_DEPTH, parse};
pub use write::Writer;

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

/// A value handed over by a host.
#[derive(Clone, PartialEq)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// Any number that is not an integer of 64 bits, or was not written as one.
    Float(f64),
    Text(Text<'a>),
    /// A text that stays with the host; only its beginning is here (images are not copied).
    Held(Held<'a>),
    List(Vec<Json<'a>>),
    /// Fields in the order of the host; the last of equal names counts.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
    /// A host value that has no JSON form: a function, a foreign object, a subclass where only the
    /// exact type is accepted. Every rule refuses it; a field that no rule reads may hold it.
    Foreign,
}

/// What of a value has no JSON form that every host reads back as it was.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum NoForm {
    #[error("a number that is not finite, or a whole number beyond 64 bits (with its sign)")]
    Number,
    #[error("a value that is no plain data: another object, or a key that is no text")]
    Value,
}

/// A long text that the host keeps: its first characters and a number by which the host finds it.
#[derive(Clone, PartialEq)]
pub struct Held<'a> {
    pub head: Cow<'a, str>,
    pub handle: u32,
}

impl<'a> Json<'a> {
    /// Whether all of it has a JSON form. A host tells an integer that is too large as an infinite number.
    pub fn check_form(&self) -> Result<(), NoForm> {
        match self {
            Json::Foreign => Err(NoForm::Value),
            Json::Float(number) if !number.is_finite() => Err(NoForm::Number),
            Json::List(items) => items.iter().try_for_each(Json::check_form),
            Json::Object(fields) => fields.iter().try_for_each(|(_, value)| value.check_form()),
            _ => Ok(()),
        }
    }

    /// The field `name`, or `None` if this is no object or has no such field.
    pub fn field(&self, name: &str) -> Option<&Json<'a>> {
        match self {
            Json::Object(fields) => {
                fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Json<'a>]> {
        match self {
            Json::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&Text<'a>> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text if it is valid Unicode.
    pub fn as_str(&self) -> Option<&str> {
        self.as_text().and_then(Text::as_str)
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// An integer; a boolean is never one, nor is `1.0` where the host tells them apart.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Json::Int(value) => Some(*value),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Json::Object(_))
    }

    pub fn into_owned(self) -> Json<'static> {
        match self {
            Json::Null => Json::Null,
            Json::Bool(value) => Json::Bool(value),
            Json::Int(value) => Json::Int(value),
            Json::Float(value) => Json::Float(value),
            Json::Text(text) => Json::Text(text.into_owned()),
            Json::Held(held) => {
                Json::Held(Held { head: Cow::Owned(held.head.into_owned()), handle: held.handle })
            }
            Json::List(items) => Json::List(items.into_iter().map(Json::into_owned).collect()),
            Json::Object(fields) => Json::Object(
                fields
                    .into_iter()
                    .map(|(key, value)| (Cow::Owned(key.into_owned()), value.into_owned()))
                    .collect(),
            ),
            Json::Foreign => Json::Foreign,
        }
    }
}

/// The kind of the value, never its content: host values may be private.
impl fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Int(_) => "integer",
            Json::Float(_) => "number",
            Json::Text(_) | Json::Held(_) => "text",
            Json::List(_) => "list",
            Json::Object(_) => "object",
            Json::Foreign => "foreign value",
        })
    }
}

impl fmt::Debug for Held<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "held text {}", self.handle)
    }
}

impl From<u64> for Json<'_> {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or(Json::Null, Json::Int)
    }
}

impl From<usize> for Json<'_> {
    fn from(value: usize) -> Self {
        i64::try_from(value).map_or(Json::Null, Json::Int)
    }
}
