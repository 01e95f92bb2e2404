//! Plain Python objects as JSON text.

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyString};
use swingbridge_core::json::{NoForm, Writer};

use crate::convert::{HostValue, Terms};

/// The JSON text of a plain value; `None` if it has none.
pub(crate) fn json_text(value: Bound<'_, PyAny>) -> Option<String> {
    written(value).ok()
}

/// The JSON text of a plain value, or what of it has none.
pub(crate) fn written(value: Bound<'_, PyAny>) -> Result<String, NoForm> {
    let value = HostValue::read(value, Terms::WHOLE);
    let mut held: Vec<Py<PyString>> = Vec::new();
    let value = value.json(&mut held);
    value.check_form()?;
    let mut out = Writer::default();
    out.json(&value);
    Ok(out.finish())
}
