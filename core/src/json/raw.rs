//! Lazy reading of JSON text, one level at a time.
//!
//! Argument text comes from the model. Its numbers must keep their spelling (`1.0` is no integer),
//! its strings may hold escaped unpaired surrogates, and fields that no rule knows must not be
//! descended into, however deep they are. `serde_json` does the scanning; this module only looks at
//! one level of the raw text at a time.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use thiserror::Error;

use super::Text;

/// The text is not JSON.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("the text is not valid JSON")]
pub struct JsonFault;

/// A JSON value still in its text.
#[derive(Clone, Copy)]
pub struct RawJson<'a>(&'a RawValue);

impl<'a> RawJson<'a> {
    /// Checks that `text` is exactly one JSON value.
    pub fn parse(text: &'a str) -> Result<Self, JsonFault> {
        serde_json::from_str::<&RawValue>(text).map(Self).map_err(|_| JsonFault)
    }

    /// The value as it was written.
    pub fn text(self) -> &'a str {
        self.0.get()
    }

    pub fn is_null(self) -> bool {
        self.text() == "null"
    }

    pub fn as_bool(self) -> Option<bool> {
        match self.text() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// An integer written without a fraction or an exponent.
    pub fn as_int(self) -> Option<i64> {
        let text = self.text();
        let digits = text.strip_prefix('-').unwrap_or(text);
        // JSON has no sign, fraction or exponent outside numbers, so digits alone are an integer.
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        text.parse().ok()
    }

    pub fn as_text(self) -> Option<Text<'a>> {
        if !self.text().starts_with('"') {
            return None;
        }
        let mut reader = serde_json::Deserializer::from_str(self.text());
        reader.deserialize_bytes(TextVisitor).ok()
    }

    pub fn as_list(self) -> Option<Vec<RawJson<'a>>> {
        if !self.text().starts_with('[') {
            return None;
        }
        let items: Vec<&'a RawValue> = serde_json::from_str(self.text()).ok()?;
        Some(items.into_iter().map(Self).collect())
    }

    /// The fields in the order of the text; the last of equal names counts. `None` if this is no
    /// object or if a name has an unpaired surrogate (no rule knows such a name).
    pub fn as_object(self) -> Option<Vec<(Cow<'a, str>, RawJson<'a>)>> {
        if !self.text().starts_with('{') {
            return None;
        }
        let mut reader = serde_json::Deserializer::from_str(self.text());
        reader.deserialize_map(FieldsVisitor).ok()
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(match std::str::from_utf8(bytes) {
            Ok(text) => Text::Valid(Cow::Borrowed(text)),
            Err(_) => Text::Unpaired(Cow::Borrowed(bytes)),
        })
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Text::from_wtf8(bytes.to_vec()))
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Vec<(Cow<'de, str>, RawJson<'de>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(Name(name)) = map.next_key()? {
            fields.push((name, RawJson(map.next_value()?)));
        }
        Ok(fields)
    }
}

/// A field name that borrows from the text where it has no escapes.
pub(super) struct Name<'a>(pub(super) Cow<'a, str>);

impl<'de> serde::Deserialize<'de> for Name<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        reader.deserialize_str(NameVisitor)
    }
}

/// Never the content: argument text may be private.
impl fmt::Debug for RawJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JSON text of {} bytes", self.text().len())
    }
}
