//! What function tools that are made of a typed schema take from the core.

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]

use napi::bindgen_prelude::Utf16String;
use napi_derive::napi;
use swingbridge_core::json::Text;
use swingbridge_core::tools::{self, Defaults};

use crate::errors::{Fault, tool};

/// The strict form of the JSON schema of arguments, both as text. `defaultsImplied`: every field that is
/// not required has a default, written or not.
#[napi]
pub(crate) fn strict_schema(schema: String, defaults_implied: bool) -> Result<String, Fault> {
    let defaults = if defaults_implied { Defaults::Implied } else { Defaults::Written };
    tools::strict_schema(&schema, defaults).map_err(|fault| tool(&fault))
}

/// Throws if no tool may be called so.
#[napi(ts_args_type = "name: string")]
pub(crate) fn check_tool_name(name: Utf16String) -> Result<(), Fault> {
    tools::check_tool_name(&Text::from_utf16(&name)).map_err(|fault| tool(&fault))
}

/// The name of a tool that is called as a class is. Throws if nothing is left of the class's.
#[napi(ts_args_type = "className: string")]
pub(crate) fn tool_name_of(class_name: Utf16String) -> Result<String, Fault> {
    tools::tool_name_of(&Text::from_utf16(&class_name)).map_err(|fault| tool(&fault))
}
