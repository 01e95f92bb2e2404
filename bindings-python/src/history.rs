//! What a host holds of a run, as objects or as text.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use swingbridge_core::Misuse;
use swingbridge_core::json::Json;
use swingbridge_core::runner::{ImportedRequest, TurnRequest};

use crate::conversation::Conversation;
use crate::convert::HostValue;
use crate::copies::plain;
use crate::errors;
use crate::objects::{self, HeldTexts};
use crate::text_conversation::TextConversation;

/// What `before_early_call` and `approve_mcp` are shown.
const EARLY_CALLS: &[&str] = &["function_call", "computer_call"];
const MCP_REQUESTS: &[&str] = &["mcp_approval_request"];

pub(crate) enum History {
    /// For any client, and for what saves or measures the history.
    Objects(Box<Conversation>),
    /// For the native client.
    Text(Box<TextConversation>),
}

impl History {
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    /// The history as objects. One of text is for runs that neither save nor measure it.
    pub(crate) fn objects(&mut self) -> PyResult<&mut Conversation> {
        match self {
            Self::Objects(objects) => Ok(objects),
            Self::Text(_) => Err(errors::misuse(Misuse::WrongKind)),
        }
    }

    pub(crate) fn text(&mut self) -> PyResult<&mut TextConversation> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Objects(_) => Err(errors::misuse(Misuse::WrongKind)),
        }
    }

    /// The client's own last response.
    pub(crate) fn keep_ending(&mut self, response: Py<PyAny>) {
        match self {
            Self::Objects(objects) => objects.response = Some(response),
            Self::Text(text) => text.response = Some(response),
        }
    }

    pub(crate) fn response(&self) -> Option<&Py<PyAny>> {
        match self {
            Self::Objects(objects) => objects.response(),
            Self::Text(text) => text.response.as_ref(),
        }
    }

    /// The arguments of the client's method.
    pub(crate) fn request<'py>(
        &mut self,
        py: Python<'py>,
        request: &TurnRequest<'_>,
        held: &HeldTexts,
    ) -> PyResult<Bound<'py, PyDict>> {
        match self {
            Self::Objects(objects) => {
                objects.apply(py, request.update, held)?;
                objects.request(py, request)
            }
            Self::Text(text) => text.request(py, request, held),
        }
    }

    /// What of the response at hand may have computer calls.
    pub(crate) fn calls<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        match self {
            Self::Objects(objects) => objects.calls.bind(py).clone(),
            Self::Text(text) => text.calls.bind(py).clone(),
        }
    }

    /// A copy of the streamed call of that id.
    pub(crate) fn streamed_call<'py>(
        &self,
        py: Python<'py>,
        call_id: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self {
            Self::Objects(objects) => {
                copied(objects.find(py, EARLY_CALLS, intern!(py, "call_id"), call_id))
            }
            Self::Text(text) => text.find(py, EARLY_CALLS, "call_id", call_id),
        }
    }

    /// A copy of the request for approval of that id.
    pub(crate) fn approval_request<'py>(
        &self,
        py: Python<'py>,
        id: &str,
        imported: Option<ImportedRequest>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match (self, imported) {
            (Self::Objects(objects), Some(at)) => {
                copied(objects.history.bind(py).get_item(at.request_at).ok())
            }
            (Self::Objects(objects), None) => {
                copied(objects.find(py, MCP_REQUESTS, intern!(py, "id"), id))
            }
            (Self::Text(text), Some(at)) => text.history_item(py, at.request_at),
            (Self::Text(text), None) => text.find(py, MCP_REQUESTS, "id", id),
        }
    }

    /// Writes a decision that was given again into the history.
    pub(crate) fn decide_again(
        &mut self,
        py: Python<'_>,
        index: usize,
        approve: bool,
    ) -> PyResult<()> {
        match self {
            Self::Objects(objects) => objects.decide_again(py, index, approve),
            Self::Text(text) => {
                text.decide_again(index, approve);
                Ok(())
            }
        }
    }

    /// Keeps what a function returned, so that later changes of it change nothing.
    pub(crate) fn keep(
        &mut self,
        py: Python<'_>,
        call_id: String,
        value: &HostValue<'_>,
    ) -> PyResult<()> {
        match self {
            Self::Objects(objects) => {
                let mut held = Vec::new();
                let value = value.json(&mut held);
                objects.keep(call_id, objects::json(py, &value, &held)?);
            }
            Self::Text(text) => text.keep(py, call_id, value),
        }
        Ok(())
    }

    /// Keeps the outputs that the caller supplied for these calls.
    pub(crate) fn keep_supplied(
        &mut self,
        py: Python<'_>,
        call_ids: Vec<String>,
        outputs: &HostValue<'_>,
    ) -> PyResult<()> {
        let mut held = Vec::new();
        let outputs = outputs.json(&mut held);
        for call_id in call_ids {
            let is_for = |output: &&Json<'_>| {
                output.field("call_id").and_then(Json::as_str) == Some(&call_id)
            };
            let given = outputs.as_list().unwrap_or_default().iter().rev().find(is_for);
            let Some(output) = given.and_then(|given| given.field("output")) else { continue };
            match self {
                Self::Objects(objects) => {
                    objects.keep(call_id, objects::json(py, output, &held)?);
                }
                Self::Text(text) => text.keep_json(py, call_id, output, &held),
            }
        }
        Ok(())
    }

    /// A stream begins: what it completes comes one by one.
    pub(crate) fn open_stream(&mut self, py: Python<'_>) {
        match self {
            Self::Objects(objects) => objects.open_stream(py),
            Self::Text(text) => text.open_stream(py),
        }
    }
}

fn copied(item: Option<Bound<'_, PyAny>>) -> PyResult<Option<Bound<'_, PyAny>>> {
    item.map(|item| plain(item, false)).transpose()
}
