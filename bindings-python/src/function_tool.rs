//! What function tools that are made of a typed schema take from the core.

use pyo3::prelude::*;
use pyo3::types::PyString;
use swingbridge_core::tools::{self, Defaults, ToolFault};

use crate::convert::text;
use crate::errors;

/// The strict form of the JSON schema of arguments, both as text. `defaults_implied`: every field that
/// is not required has a default, written or not. Raises `ConfigurationError`.
#[pyfunction]
pub(crate) fn strict_schema(schema: &str, defaults_implied: bool) -> PyResult<String> {
    let defaults = if defaults_implied { Defaults::Implied } else { Defaults::Written };
    tools::strict_schema(schema, defaults).map_err(errors::tool)
}

/// Raises `ConfigurationError` if no tool may be called so.
#[pyfunction]
pub(crate) fn check_tool_name(name: Bound<'_, PyAny>) -> PyResult<()> {
    let name = name.cast_exact::<PyString>().map_err(|_| errors::tool(ToolFault::Name))?;
    tools::check_tool_name(&text(name)?).map_err(errors::tool)
}

/// The name of a tool that is called as a class is. Raises `ConfigurationError` if nothing is left.
#[pyfunction]
#[pyo3(signature = (class_name: "str"))]
pub(crate) fn tool_name_of(class_name: Bound<'_, PyString>) -> PyResult<String> {
    tools::tool_name_of(&text(&class_name)?).map_err(errors::tool)
}
