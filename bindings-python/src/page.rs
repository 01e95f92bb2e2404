//! What the page drivers take from the core.

use pyo3::prelude::*;
use pyo3::types::PyString;
use swingbridge_core::browser::{self, PAGE_SCRIPT, PageKind};

use crate::convert::text;

/// The script that a page driver evaluates to read a page and to find its elements again.
#[pyfunction]
pub(crate) fn page_script() -> &'static str {
    PAGE_SCRIPT
}

/// Why an address is not opened, in words for the model; None if it may be (B-30).
#[pyfunction]
#[pyo3(signature = (url: "str"))]
pub(crate) fn address_problem(url: Bound<'_, PyString>) -> PyResult<Option<String>> {
    Ok(browser::check_address(&text(&url)?).err().map(|fault| fault.to_string()))
}

/// What a driver makes of the address that a page is at: "shown", "refused", or "failed" for the
/// browser's own page for an address that did not load (B-32).
#[pyfunction]
#[pyo3(signature = (url: "str"))]
pub(crate) fn page_kind(url: Bound<'_, PyString>) -> PyResult<&'static str> {
    Ok(PageKind::of(&text(&url)?).name())
}

/// A title that may be reported, and whether it was cut (B-30, B-32).
#[pyfunction]
#[pyo3(signature = (title: "str"))]
pub(crate) fn safe_title(title: Bound<'_, PyString>) -> PyResult<(String, bool)> {
    Ok(browser::safe_title(&text(&title)?))
}
