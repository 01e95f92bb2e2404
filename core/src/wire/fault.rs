//! What is wrong with a request, and where.

use std::fmt;

use thiserror::Error;

/// The first rule that a request breaks. Names the place, never what stands there.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("{rule} ({param})")]
pub struct RequestFault {
    pub rule: RequestRule,
    /// For example `input[3].call_id`.
    pub param: String,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum RequestRule {
    /// The body is no JSON object.
    NotAnObject,
    Missing,
    /// The value is of another type than the field takes, or of a form that it does not take.
    Malformed,
    /// An item, a part or a tool of a kind that there is not, or not at this place.
    UnknownKind,
    /// Fields that exclude each other.
    Conflict,
    /// Two items have one id, two calls one call id, or two functions one name.
    Repeated,
    /// A call has no output after it.
    CallWithoutOutput,
    /// An output has no call of its kind before it.
    OutputWithoutCall,
    /// A call has two outputs.
    SecondOutput,
    /// An answer to an MCP request that is not there, or is answered already.
    AnswerWithoutRequest,
    /// A reasoning item is not followed by what it led to.
    ReasoningAlone,
    /// An item is without the reasoning that led to it.
    ReasoningMissing,
}

impl RequestRule {
    /// The `code` that goes with it in an error of the service, if one does.
    pub fn service_code(self) -> Option<&'static str> {
        match self {
            Self::Missing => Some("missing_required_parameter"),
            Self::NotAnObject | Self::Malformed => Some("invalid_type"),
            Self::UnknownKind => Some("invalid_value"),
            Self::Conflict => Some("mutually_exclusive_parameters"),
            _ => None,
        }
    }
}

impl fmt::Display for RequestRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAnObject => "the body is not a JSON object",
            Self::Missing => "a required field is missing",
            Self::Malformed => "the value does not have the form that this field takes",
            Self::UnknownKind => "there is nothing of this type at this place",
            Self::Conflict => "two fields that exclude each other are given",
            Self::Repeated => "an id or a name is used twice",
            Self::CallWithoutOutput => "no output follows this call",
            Self::OutputWithoutCall => "no call of this kind stands before its output",
            Self::SecondOutput => "the call has an output already",
            Self::AnswerWithoutRequest => "no open MCP request stands before this answer",
            Self::ReasoningAlone => "a reasoning item is not followed by the item that it led to",
            Self::ReasoningMissing => "an item is sent without the reasoning item that led to it",
        })
    }
}

impl RequestFault {
    pub(super) fn new(rule: RequestRule, param: impl Into<String>) -> Self {
        Self { rule, param: param.into() }
    }
}
