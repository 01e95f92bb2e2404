//! Reading the fields of a script, so that each mistake is told with its place.

use serde_json::{Map, Value};
use thiserror::Error;

/// What is wrong with a script, and where.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("{place}: {problem}")]
pub struct ScriptFault {
    /// For example `turns[2].expect`, or a line of the text.
    pub place: String,
    pub problem: Problem,
}

#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    #[error("this is not well-formed")]
    Syntax,
    #[error("there must be one document")]
    Documents,
    #[error("this is nested too deeply, or repeats too much by aliases")]
    Bounds,
    #[error("this is missing")]
    Missing,
    #[error("there is no such key")]
    Unknown,
    #[error("this value does not have the form that the key takes")]
    Form,
    #[error("these keys exclude each other")]
    Conflict,
    #[error("there is no such browser member")]
    Member,
}

impl Problem {
    /// A stable name.
    pub fn code(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Documents => "documents",
            Self::Bounds => "bounds",
            Self::Missing => "missing",
            Self::Unknown => "unknown",
            Self::Form => "form",
            Self::Conflict => "conflict",
            Self::Member => "member",
        }
    }
}

pub(crate) fn fault<T>(place: impl Into<String>, problem: Problem) -> Result<T, ScriptFault> {
    let place: String = place.into();
    let place = if place.is_empty() { "script".to_owned() } else { place };
    Err(ScriptFault { place, problem })
}

/// The keys of one mapping. Each is taken once; what is left over is unknown.
pub(crate) struct Fields {
    place: String,
    rest: Map<String, Value>,
}

impl Fields {
    pub(crate) fn of(value: Value, place: &str) -> Result<Self, ScriptFault> {
        match value {
            Value::Object(rest) => Ok(Self { place: place.to_owned(), rest }),
            _ => fault(place, Problem::Form),
        }
    }

    pub(crate) fn place(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.rest.contains_key(key)
    }

    /// The value of a key, if it is there and not null.
    pub(crate) fn take(&mut self, key: &str) -> Option<Value> {
        self.rest.remove(key).filter(|value| !value.is_null())
    }

    pub(crate) fn read<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Result<Option<T>, ScriptFault> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match read(value) {
            Some(value) => Ok(Some(value)),
            None => fault(self.place(key), Problem::Form),
        }
    }

    pub(crate) fn text(&mut self, key: &str) -> Result<Option<String>, ScriptFault> {
        self.read(key, into_text)
    }

    /// One text, or a list of texts.
    pub(crate) fn texts(&mut self, key: &str) -> Result<Vec<String>, ScriptFault> {
        let texts = self.read(key, |value| match value {
            Value::Array(list) => list.into_iter().map(into_text).collect(),
            value => into_text(value).map(|text| vec![text]),
        })?;
        Ok(texts.unwrap_or_default())
    }

    pub(crate) fn count(&mut self, key: &str) -> Result<Option<u64>, ScriptFault> {
        self.read(key, |value| value.as_u64())
    }

    pub(crate) fn flag(&mut self, key: &str) -> Result<Option<bool>, ScriptFault> {
        self.read(key, |value| value.as_bool())
    }

    /// What is left, for keys that are not known by name.
    pub(crate) fn into_rest(self) -> Map<String, Value> {
        self.rest
    }

    pub(crate) fn finish(self) -> Result<(), ScriptFault> {
        match self.rest.keys().next() {
            None => Ok(()),
            Some(key) => fault(self.place(key), Problem::Unknown),
        }
    }
}

pub(crate) fn into_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}
