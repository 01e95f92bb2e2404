//! Failures of the native client as exceptions of `swingbridge.api_errors`, each with its stable code.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use swingbridge_client::{ClientError, ConfigFault};

use crate::errors;

/// An answer that is no answer, and what else the client crate cannot know of.
#[derive(Clone, Copy)]
pub(crate) enum Fault {
    /// The body is no JSON object.
    Reply,
    /// An event is none.
    Event,
    /// Another thread reads the stream.
    StreamInUse,
    /// The stream was begun by a process that forked this one.
    OtherProcess,
}

impl Fault {
    pub(crate) fn raised(self, py: Python<'_>) -> PyErr {
        let (words, code) = match self {
            Self::Reply => ("the reply is not a JSON object", "reply_not_json"),
            Self::Event => ("an event of the stream is not a JSON object", "event_not_json"),
            Self::StreamInUse => ("another thread or task is reading the stream", "stream_in_use"),
            Self::OtherProcess => (
                "the stream belongs to the process that this one was forked from",
                "stream_of_other_process",
            ),
        };
        made(py, words, code, &PyDict::new(py))
    }
}

pub(crate) fn raised(py: Python<'_>, error: &ClientError) -> PyErr {
    let facts = PyDict::new(py);
    if let Err(fault) = fill(&facts, error) {
        return fault;
    }
    let words = match error.service().and_then(|fault| fault.message.as_ref()) {
        Some(said) => format!("{error}: {said}"),
        None => error.to_string(),
    };
    made(py, &words, error.code(), &facts)
}

fn fill(facts: &Bound<'_, PyDict>, error: &ClientError) -> PyResult<()> {
    let Some(fault) = error.service() else { return Ok(()) };
    // What has begun with success has no status that tells of the failure.
    let is_status = !matches!(error, ClientError::Stream(_) | ClientError::Reply(_));
    facts.set_item("status", is_status.then_some(fault.status))?;
    facts.set_item("request_id", fault.request_id.as_deref())?;
    facts.set_item("service_message", fault.message.as_deref())?;
    facts.set_item("service_code", fault.code.as_deref())?;
    facts.set_item("service_type", fault.kind.as_deref())?;
    facts.set_item("param", fault.param.as_deref())
}

fn made(py: Python<'_>, words: &str, code: &str, facts: &Bound<'_, PyDict>) -> PyErr {
    let made = py
        .import("swingbridge.api_errors")
        .and_then(|module| module.getattr("error_of"))
        .and_then(|error_of| error_of.call((words, code), Some(facts)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// What cannot be made, or asked for, with what the caller gave.
pub(crate) fn configuration(fault: &ConfigFault) -> PyErr {
    errors::configuration(fault.to_string(), fault.code())
}

pub(crate) fn setup() -> PyErr {
    configuration(&ConfigFault::SetupFailed)
}
