//! What a host holds of a run whose client sends text: the history stays JSON text from its arrival to
//! every later request, and only what a callback or a driver looks at becomes an object.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use swingbridge_core::json::{Json, RawJson, Writer, parse};
use swingbridge_core::runner::{
    AdmissionError, CallOutput, HistoryUpdate, TurnRequest, idempotency_key,
};
use swingbridge_core::wire::{Kept, Wire, write};

use crate::client::{CallTerms, NativeRequest};
use crate::convert::HostValue;
use crate::errors;
use crate::json_text::{json_text, written};
use crate::objects::{self, HeldTexts};
use crate::text_received::TextResponse;

pub(crate) struct TextConversation {
    wire: Wire,
    terms: CallTerms,
    /// The header that names a request's idempotency key, and the key.
    idempotency: Option<(String, String)>,
    /// JSON text of what functions returned, or the caller supplied for them, by call id. It goes with
    /// the item that is made of it.
    outputs: HashMap<String, String>,
    /// The computer calls of the last response, or of its stream, as objects: their driver looks at
    /// them.
    pub(crate) calls: Py<PyList>,
    /// The client's last response.
    pub(crate) response: Option<Py<PyAny>>,
}

struct KeptTexts<'a, 'py> {
    py: Python<'py>,
    held: &'a HeldTexts,
    outputs: &'a HashMap<String, String>,
}

impl Kept for KeptTexts<'_, '_> {
    fn held(&self, handle: u32) -> Option<&str> {
        self.held.get(handle as usize)?.bind(self.py).to_str().ok()
    }

    fn returned(&self, call_id: &str) -> Option<&str> {
        self.outputs.get(call_id).map(String::as_str)
    }
}

impl TextConversation {
    /// `None` if the tools have no JSON form. Raises `ConfigurationError` if the parameters have none:
    /// this client could not send them in any way.
    pub(crate) fn begin(
        body: &Bound<'_, PyAny>,
        local_tools: &Bound<'_, PyList>,
        terms: CallTerms,
        idempotency: Option<(String, String)>,
    ) -> PyResult<Option<Self>> {
        let params = written(body.clone());
        let params =
            params.map_err(|fault| errors::admission(AdmissionError::ParamsForm(fault)))?;
        let tools: Option<Vec<_>> =
            local_tools.iter().map(|tool| json_text(tool).map(Into::into)).collect();
        let wire = tools.and_then(|tools| Wire::new(&params, tools).ok());
        let calls = PyList::empty(body.py()).unbind();
        Ok(wire.map(|wire| Self {
            wire,
            terms,
            idempotency,
            outputs: HashMap::new(),
            calls,
            response: None,
        }))
    }

    /// Does what the core says that changed, and gives the request to send.
    pub(crate) fn request<'py>(
        &mut self,
        py: Python<'py>,
        request: &TurnRequest<'_>,
        held: &HeldTexts,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.apply(py, request.update, held);
        let header = self.idempotency.as_ref().filter(|_| request.step > 1);
        let header = header.map(|(name, key)| (name.clone(), idempotency_key(key, request.step)));
        let body = self.wire.body(request);
        let request =
            NativeRequest::of_run(body, &self.terms, header, request.retries, request.streams);
        let arguments = PyDict::new(py);
        arguments.set_item("request", Bound::new(py, request)?)?;
        Ok(arguments)
    }

    fn apply(&mut self, py: Python<'_>, update: HistoryUpdate<'_>, held: &HeldTexts) {
        let kept = KeptTexts { py, held, outputs: &self.outputs };
        self.wire.update(update, &kept);
        for output in update.outputs {
            if let CallOutput::Function { call_id } = output {
                self.outputs.remove(call_id);
            }
        }
    }

    /// Keeps the output of a call.
    pub(crate) fn keep(&mut self, py: Python<'_>, call_id: String, value: &HostValue<'_>) {
        let mut held = Vec::new();
        let value = value.json(&mut held);
        self.keep_json(py, call_id, &value, &held);
    }

    pub(crate) fn keep_json(
        &mut self,
        py: Python<'_>,
        call_id: String,
        value: &Json<'_>,
        held: &HeldTexts,
    ) {
        let mut out = Writer::default();
        write(&mut out, value, &KeptTexts { py, held, outputs: &HashMap::new() });
        self.outputs.insert(call_id, out.finish());
    }

    /// A stream begins: what it completes comes one by one.
    pub(crate) fn open_stream(&mut self, py: Python<'_>) {
        self.calls = PyList::empty(py).unbind();
    }

    /// Keeps an item that the stream completed.
    pub(crate) fn take_item(
        &mut self,
        py: Python<'_>,
        index: u64,
        item: RawJson<'_>,
    ) -> PyResult<()> {
        self.wire.take_item(index, item);
        self.keep_call(py, item)
    }

    /// Keeps the response and its items for the next request.
    pub(crate) fn take_response(
        &mut self,
        py: Python<'_>,
        received: &TextResponse<'_>,
    ) -> PyResult<()> {
        self.response = Some(received.own.clone().unbind());
        self.calls = PyList::empty(py).unbind();
        let Some(response) = received.raw() else { return Ok(()) };
        self.wire.take_response(response);
        for item in find(response, "output").and_then(RawJson::as_list).unwrap_or_default() {
            self.keep_call(py, item)?;
        }
        Ok(())
    }

    fn keep_call(&self, py: Python<'_>, item: RawJson<'_>) -> PyResult<()> {
        if has_text(item, "type", "computer_call") {
            self.calls.bind(py).append(object(py, item.text())?)?;
        }
        Ok(())
    }

    /// The item of the response at hand that is of one of these kinds and whose field `name` is `id`, as
    /// an object. Items may have unknown fields: one of another kind may look like it.
    pub(crate) fn find<'py>(
        &self,
        py: Python<'py>,
        kinds: &[&str],
        name: &str,
        id: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let is_wanted = |item: &str| {
            RawJson::parse(item).is_ok_and(|item| {
                has_text(item, name, id) && kinds.iter().any(|kind| has_text(item, "type", kind))
            })
        };
        self.wire.item(is_wanted).map(|item| object(py, item)).transpose()
    }

    /// An item of the history, as an object.
    pub(crate) fn history_item<'py>(
        &self,
        py: Python<'py>,
        index: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.wire.history_item(index).map(|item| object(py, item)).transpose()
    }

    /// Writes a decision that was given again into the history.
    pub(crate) fn decide_again(&mut self, index: usize, approve: bool) {
        let item = self.wire.history_item(index).and_then(|item| RawJson::parse(item).ok());
        let Some(fields) = item.and_then(RawJson::as_object) else { return };
        let mut out = Writer::default();
        out.object(|out| {
            for (name, value) in fields.iter().filter(|(name, _)| name != "approve") {
                out.field(name, |out| out.raw(value.text()));
            }
            out.field("approve", |out| out.bool(approve));
        });
        self.wire.set_history_item(index, out.finish());
    }
}

/// The field of an object, the last of that name.
pub(crate) fn find<'a>(object: RawJson<'a>, name: &str) -> Option<RawJson<'a>> {
    let fields = object.as_object()?;
    fields.into_iter().rev().find(|(field, _)| field == name).map(|(_, value)| value)
}

fn has_text(item: RawJson<'_>, name: &str, wanted: &str) -> bool {
    let text = find(item, name).and_then(RawJson::as_text);
    text.is_some_and(|text| text.as_str() == Some(wanted))
}

fn object<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    objects::json(py, &parse(text).unwrap_or(Json::Null), &[])
}
