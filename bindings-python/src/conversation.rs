//! What a host holds of a run (docs/driving.md): its history, the items at hand, and what is sent.
//!
//! The items of the history are kept once and shared by the requests: a copy for each request would
//! cost more with each.

use std::collections::{BTreeMap, HashMap};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use swingbridge_core::json::parse;
use swingbridge_core::runner::{
    CallOutput, Checkpoint, CompactRequest, HistoryUpdate, PendingItems, Phase, Projection,
    ProjectionPart, TurnRequest, idempotency_key, is_computer_kind, is_replayed,
};
use swingbridge_core::saved_tools;

use crate::convert::{HostValue, Terms};
use crate::copies::plain;
use crate::objects::HeldTexts;
use crate::received::Received;
use crate::{computer, objects};

pub(crate) struct Conversation {
    /// The parameters of each request, without `input` and `tools`.
    body: Py<PyDict>,
    /// The tools of the browser and the computer and the functions.
    local_tools: Py<PyList>,
    /// The tools that the parameters declare.
    declared_tools: Py<PyList>,
    /// The header that names a request's idempotency key, and the key.
    idempotency: Option<(String, String)>,
    pub(crate) history: Py<PyList>,
    /// The items of the last response, or those that its stream completed, for who looks for one.
    pub(crate) calls: Py<PyList>,
    items: Py<PyList>,
    streamed: BTreeMap<u64, Py<PyAny>>,
    returned: Py<PyList>,
    /// What functions returned, or the caller supplied for them, by call id.
    outputs: HashMap<String, Py<PyAny>>,
    /// The client's own last response.
    pub(crate) response: Option<Py<PyAny>>,
    /// The same as plain objects, if it is to be saved.
    whole_response: Option<Py<PyAny>>,
    /// What a checkpoint says of the tools, once that was parsed.
    saved_tools: Option<Py<PyAny>>,
}

impl Conversation {
    /// `params` are a copy of the admitted parameters and are taken apart; `saved` are the items of
    /// the checkpoint that is resumed.
    pub(crate) fn begin<'py>(
        params: &Bound<'py, PyDict>,
        local_tools: Bound<'py, PyList>,
        saved: Option<Bound<'py, PyList>>,
        idempotency: Option<(String, String)>,
    ) -> PyResult<Self> {
        let py = params.py();
        let body = params.copy()?;
        let input = take(&body, intern!(py, "input"))?;
        let declared = take(&body, intern!(py, "tools"))?;
        let declared = declared.and_then(|tools| tools.cast_into::<PyList>().ok());
        let history = PyList::empty(py);
        let append = |items: Bound<'py, PyList>| extend(&history, &items);
        if let Some(saved) = saved {
            append(saved)?;
        }
        match input.map(Bound::cast_into::<PyList>) {
            Some(Ok(items)) => append(items)?,
            Some(Err(text)) => history.append(user_message(py, text.into_inner())?)?,
            None => {}
        }
        Ok(Self {
            body: body.unbind(),
            local_tools: local_tools.unbind(),
            declared_tools: declared.unwrap_or_else(|| PyList::empty(py)).unbind(),
            idempotency,
            history: history.unbind(),
            calls: PyList::empty(py).unbind(),
            items: PyList::empty(py).unbind(),
            streamed: BTreeMap::new(),
            returned: PyList::empty(py).unbind(),
            outputs: HashMap::new(),
            response: None,
            whole_response: None,
            saved_tools: None,
        })
    }

    /// Does what the core says that changed. Each change is told once.
    pub(crate) fn apply(
        &mut self,
        py: Python<'_>,
        update: HistoryUpdate<'_>,
        held: &HeldTexts,
    ) -> PyResult<()> {
        for output in update.outputs {
            let item = self.output(py, output, held)?;
            self.returned.bind(py).append(item)?;
        }
        let history = self.history.bind(py);
        if update.commits {
            extend(history, self.items.bind(py))?;
            extend(history, self.returned.bind(py))?;
            self.items = PyList::empty(py).unbind();
            self.returned = PyList::empty(py).unbind();
        }
        for text in update.texts {
            history.append(user_message(py, objects::text(py, text)?.into_any())?)?;
        }
        Ok(())
    }

    fn output<'py>(
        &self,
        py: Python<'py>,
        output: &CallOutput,
        held: &HeldTexts,
    ) -> PyResult<Bound<'py, PyDict>> {
        match output {
            CallOutput::Browser(output) => objects::output(py, output, held),
            CallOutput::Computer(output) => computer::output(py, output, held),
            CallOutput::Function { call_id } => {
                let kept = self.outputs.get(call_id).map(|value| value.bind(py).clone());
                objects::function_output(py, call_id, kept)
            }
            CallOutput::Mcp { request_id, approve } => {
                let item = PyDict::new(py);
                item.set_item(intern!(py, "type"), intern!(py, "mcp_approval_response"))?;
                item.set_item(intern!(py, "approval_request_id"), request_id)?;
                item.set_item(intern!(py, "approve"), approve)?;
                Ok(item)
            }
        }
    }

    /// Keeps a copy of the output of a call, so that later changes of it change nothing.
    pub(crate) fn keep(&mut self, call_id: String, output: Bound<'_, PyAny>) {
        self.outputs.insert(call_id, output.unbind());
    }

    /// The parameters of a request. A client may keep and change what it is given: the next request
    /// does not know of it.
    pub(crate) fn request<'py>(
        &self,
        py: Python<'py>,
        request: &TurnRequest<'_>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let body = plain(self.body.bind(py).clone().into_any(), false)?.cast_into::<PyDict>()?;
        if request.withholds_tools {
            take(&body, intern!(py, "tool_choice"))?;
        } else if request.relaxes_choice {
            body.set_item(intern!(py, "tool_choice"), intern!(py, "auto"))?;
        }
        if request.disables_truncation {
            body.set_item(intern!(py, "truncation"), intern!(py, "disabled"))?;
        }
        body.set_item(intern!(py, "tools"), self.tools(py, request.withholds_tools)?)?;
        body.set_item(intern!(py, "include"), request.include)?;
        body.set_item(intern!(py, "input"), self.projected(py, request.projection)?)?;
        if request.streams {
            body.set_item(intern!(py, "stream"), true)?;
        }
        if let Some((name, key)) = self.idempotency.as_ref().filter(|_| request.step > 1) {
            let headers = match body.get_item(intern!(py, "extra_headers"))? {
                Some(headers) if headers.is_instance_of::<PyDict>() => headers.cast_into()?,
                _ => PyDict::new(py),
            };
            headers.set_item(name, idempotency_key(key, request.step))?;
            body.set_item(intern!(py, "extra_headers"), headers)?;
        }
        Ok(body)
    }

    fn tools<'py>(&self, py: Python<'py>, withholds: bool) -> PyResult<Bound<'py, PyAny>> {
        let declared = self.declared_tools.bind(py);
        let tools = PyList::empty(py);
        if !withholds {
            extend(&tools, self.local_tools.bind(py))?;
        }
        for tool in declared {
            if !withholds || !is_computer(&tool) {
                tools.append(tool)?;
            }
        }
        plain(tools.into_any(), false)
    }

    fn projected<'py>(
        &self,
        py: Python<'py>,
        projection: Option<&Projection>,
    ) -> PyResult<Bound<'py, PyList>> {
        let history = self.history.bind(py);
        let Some(projection) = projection else {
            return Ok(history.get_slice(0, history.len()));
        };
        let items = PyList::empty(py);
        for part in &projection.parts {
            match part {
                ProjectionPart::Items(range) => {
                    extend(&items, &history.get_slice(range.start, range.end))?;
                }
                ProjectionPart::UserText(words) => {
                    items.append(user_message(py, PyString::new(py, words).into_any())?)?;
                }
            }
        }
        Ok(items)
    }

    /// What `compact` is asked about.
    pub(crate) fn snapshot<'py>(
        &self,
        py: Python<'py>,
        request: &CompactRequest<'_>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let history = self.projected(py, request.projection)?;
        let snapshot = PyDict::new(py);
        snapshot.set_item(intern!(py, "history"), plain(history.into_any(), false)?)?;
        let numbers = request.snapshot;
        snapshot.set_item(intern!(py, "eligible_call_ids"), &numbers.eligible_call_ids)?;
        snapshot.set_item(intern!(py, "input_bytes"), numbers.input_bytes)?;
        snapshot.set_item(intern!(py, "input_images"), numbers.input_images)?;
        Ok(snapshot)
    }

    /// A complete copy of a checkpoint (L-1), with the fields in their order.
    pub(crate) fn checkpoint<'py>(
        &mut self,
        py: Python<'py>,
        checkpoint: &Checkpoint<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Checkpoint { phase, .. } = *checkpoint;
        let pending = match checkpoint.pending {
            PendingItems::None => PyList::empty(py),
            PendingItems::Response => self.items.bind(py).clone(),
            PendingItems::Streamed(count) => {
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                PyList::new(py, self.streamed.values().take(count))?
            }
        };
        let returned = match phase {
            Phase::Pending => self.returned.bind(py).clone(),
            Phase::Boundary | Phase::Final => PyList::empty(py),
        };
        let tools = self.tools_to_save(py, checkpoint.tools)?;
        let last = self.whole_response.as_ref().filter(|_| phase == Phase::Final);
        let saved = PyDict::new(py);
        saved.set_item(intern!(py, "version"), 1)?;
        saved.set_item(intern!(py, "run_id"), objects::text(py, checkpoint.run_id)?)?;
        saved.set_item(intern!(py, "revision"), checkpoint.revision)?;
        saved.set_item(intern!(py, "phase"), phase.as_str())?;
        saved.set_item(intern!(py, "max_steps"), checkpoint.max_steps)?;
        saved.set_item(intern!(py, "consumed_requests"), checkpoint.consumed_requests)?;
        saved.set_item(intern!(py, "tools"), tools)?;
        let names = checkpoint.output_override_names;
        saved.set_item(intern!(py, "output_override_names"), names)?;
        saved.set_item(intern!(py, "history"), &self.history)?;
        saved.set_item(intern!(py, "attempted_call_ids"), checkpoint.attempted)?;
        saved.set_item(intern!(py, "returned_call_ids"), checkpoint.returned)?;
        saved.set_item(intern!(py, "pending_items"), pending)?;
        saved.set_item(intern!(py, "returned_outputs"), returned)?;
        saved.set_item(intern!(py, "final_response"), last)?;
        let copy = plain(saved.into_any(), false)?;
        if let Ok(last) = copy.get_item(intern!(py, "final_response"))?.cast_into::<PyDict>() {
            hide_secrets(&last)?;
        }
        Ok(copy)
    }

    fn tools_to_save<'py>(&mut self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(tools) = &self.saved_tools {
            return Ok(tools.bind(py).clone());
        }
        let tools = parse(text).unwrap_or(swingbridge_core::json::Json::Null);
        let tools = objects::json(py, &tools, &[])?;
        self.saved_tools = Some(tools.clone().unbind());
        Ok(tools)
    }

    /// A stream begins: what it completes comes one by one.
    pub(crate) fn open_stream(&mut self, py: Python<'_>) {
        self.streamed.clear();
        self.calls = PyList::empty(py).unbind();
    }

    /// Keeps an item that the stream completed.
    pub(crate) fn take_item(&mut self, index: u64, item: &Bound<'_, PyAny>) -> PyResult<()> {
        let item = replayed(item)?;
        self.calls.bind(item.py()).append(&item)?;
        self.streamed.insert(index, item.unbind());
        Ok(())
    }

    /// Keeps the response and its items for the next request.
    pub(crate) fn take(&mut self, py: Python<'_>, received: &Received<'_>) -> PyResult<()> {
        let items = PyList::empty(py);
        for item in received.items() {
            items.append(replayed(item)?)?;
        }
        self.streamed.clear();
        self.calls = items.clone().unbind();
        self.items = items.unbind();
        self.response = Some(received.own().clone().unbind());
        self.whole_response = received.whole().map(|whole| whole.clone().unbind());
        Ok(())
    }

    pub(crate) fn response(&self) -> Option<&Py<PyAny>> {
        self.response.as_ref()
    }

    /// The item of the response at hand that is of one of these kinds and whose field `name` is `id`. Items
    /// may have unknown fields: one of another kind may look like it.
    pub(crate) fn find<'py>(
        &self,
        py: Python<'py>,
        kinds: &[&str],
        name: &Bound<'py, PyString>,
        id: &str,
    ) -> Option<Bound<'py, PyAny>> {
        let has = |item: &Bound<'py, PyAny>| {
            let item = item.cast::<PyDict>().ok()?;
            let kind = item.get_item(intern!(py, "type")).ok().flatten()?;
            let value = item.get_item(name).ok().flatten()?;
            let is_wanted = kinds.contains(&kind.cast::<PyString>().ok()?.to_str().ok()?);
            Some(is_wanted && value.cast::<PyString>().ok()?.to_str().ok()? == id)
        };
        self.calls.bind(py).iter().find(|item| has(item) == Some(true))
    }

    /// Writes a decision that was given again into the history.
    pub(crate) fn decide_again(&self, py: Python<'_>, index: usize, approve: bool) -> PyResult<()> {
        let answer = self.history.bind(py).get_item(index)?.cast_into::<PyDict>()?;
        answer.set_item(intern!(py, "approve"), approve)
    }
}

/// The tools that a response repeats may have credentials of their servers (L-4).
fn hide_secrets(response: &Bound<'_, PyDict>) -> PyResult<()> {
    let py = response.py();
    let name = intern!(py, "tools");
    let Some(tools) = response.get_item(name)?.filter(|tools| !tools.is_none()) else {
        return Ok(());
    };
    let read = HostValue::read(tools, Terms::WHOLE);
    match saved_tools(&read.json(&mut Vec::new())).as_deref().map(parse) {
        Some(Ok(tools)) => response.set_item(name, objects::json(py, &tools, &[])?),
        _ => response.del_item(name),
    }
}

/// The declared tool is a computer.
pub(crate) fn is_computer(tool: &Bound<'_, PyAny>) -> bool {
    let kind = tool.cast::<PyDict>().ok().and_then(|tool| {
        let kind = tool.get_item(intern!(tool.py(), "type")).ok().flatten()?;
        kind.cast_into::<PyString>().ok()
    });
    kind.is_some_and(|kind| kind.to_str().is_ok_and(is_computer_kind))
}

/// An output item as it goes back to the service, a dict of its own.
fn replayed<'py>(item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = item.py();
    let Ok(fields) = item.cast::<PyDict>() else { return Ok(item.clone()) };
    let kind = fields.get_item(intern!(py, "type"))?;
    let kind = kind.and_then(|kind| kind.cast_into::<PyString>().ok());
    let kind = kind.as_ref().and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kept = fields.copy()?;
    for name in fields.keys() {
        let is_left_out = name
            .cast::<PyString>()
            .is_ok_and(|name| name.to_str().is_ok_and(|name| !is_replayed(kind, name)));
        if is_left_out {
            kept.del_item(name)?;
        }
    }
    Ok(kept.into_any())
}

fn user_message<'py>(py: Python<'py>, text: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let message = PyDict::new(py);
    message.set_item(intern!(py, "role"), intern!(py, "user"))?;
    message.set_item(intern!(py, "content"), text)?;
    Ok(message)
}

fn take<'py>(
    object: &Bound<'py, PyDict>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let value = object.get_item(name)?;
    if value.is_some() {
        object.del_item(name)?;
    }
    Ok(value)
}

fn extend<'py>(list: &Bound<'py, PyList>, items: &Bound<'py, PyList>) -> PyResult<()> {
    let end = list.len();
    list.set_slice(end, end, items)
}
