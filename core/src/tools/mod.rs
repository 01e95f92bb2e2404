//! Declarations of strict function tools that are made of a typed schema.

mod name;
mod schema;
mod strict_schema;

use thiserror::Error;

use crate::error::codes;

pub(crate) use name::is_tool_name;
pub use name::{check_tool_name, tool_name_of};
pub use strict_schema::{Defaults, strict_schema};

/// Why there is no such tool.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum ToolFault {
    #[error("the name of a tool has 1 to 64 letters, digits, _ and -")]
    Name,
    #[error("the name of the class has nothing that a tool may be called; give a name")]
    NameOfNothing,
    /// `place` is the way from the arguments, in names of the schema.
    #[error("a strict tool cannot have such arguments: {place} {fault}")]
    Schema { place: String, fault: SchemaFault },
}

codes! {
    ToolFault {
        Self::Name | Self::NameOfNothing => "tool_name_invalid",
        Self::Schema { .. } => "tool_schema_invalid",
    }
}

/// What is wrong at a place of a schema.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum SchemaFault {
    #[error("are no object")]
    NoObject,
    #[error("may have fields of any name")]
    Open,
    #[error("may be left out; let it be null, or give it a default")]
    Optional,
    #[error("is required and not described")]
    Undescribed,
    #[error("are a tuple")]
    Tuple,
    #[error("have to fit several schemas at once")]
    Combined,
    #[error("refer to nothing that is there")]
    Dangling,
    #[error("are nested too deeply")]
    TooDeep,
    #[error("have no schema that can be read")]
    Malformed,
}
