//! Plain Python objects as JSON text.

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyString};
use swingbridge_core::json::{Json, Writer};

use crate::convert::{HostValue, Terms};

/// The JSON text of a plain value; `None` if it has none: another object, a number that is not finite
/// or has more than 64 bits, a key that is no text.
pub(crate) fn json_text(value: Bound<'_, PyAny>) -> Option<String> {
    let value = HostValue::read(value, Terms::WHOLE);
    let mut held: Vec<Py<PyString>> = Vec::new();
    let value = value.json(&mut held);
    has_form(&value).then(|| {
        let mut out = Writer::default();
        out.json(&value);
        out.finish()
    })
}

fn has_form(value: &Json<'_>) -> bool {
    match value {
        Json::Foreign => false,
        Json::Float(number) => number.is_finite(),
        Json::List(items) => items.iter().all(has_form),
        Json::Object(fields) => fields.iter().all(|(_, value)| has_form(value)),
        Json::Null | Json::Bool(_) | Json::Int(_) | Json::Text(_) | Json::Held(_) => true,
    }
}
