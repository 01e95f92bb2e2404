//! The asks of a run, as tuples.

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyTuple};
use swingbridge_core::runner::RunMachine;
use swingbridge_core::{Ask, AskId, Misuse, Reply};

use crate::history::History;
use crate::received::{AnyEvent, AnyResponse, Received};
use crate::step::{
    APPROVE_MCP, AWAIT_FUNCTION, CALL_FUNCTION, COMPACT, DELIVER_EVENT, FINISHED, MEASURE, Machine,
    Open, READ_EVENT, REVIEW_EARLY, SAVE, SEND, START_FUNCTION, STOPPED, TURN,
};
use crate::text_received::TextResponse;

/// A run's machine and what the host holds of it.
pub(crate) struct OpenRun {
    pub(crate) open: Open<RunMachine>,
    pub(crate) history: History,
}

impl OpenRun {
    pub(crate) fn ask<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Self { open, history } = self;
        let id = open.machine().ask_id().0;
        match open.machine().ask() {
            Ask::ReadEvent => (READ_EVENT, id).into_pyobject(py),
            Ask::DeliverEvent => (DELIVER_EVENT, id).into_pyobject(py),
            Ask::Send(request) => {
                let body = history.request(py, &request, open.held())?;
                (SEND, id, body, request.retries, request.streams).into_pyobject(py)
            }
            Ask::CallFunction(call) => {
                (CALL_FUNCTION, id, call.index, call.arguments, call.call_id).into_pyobject(py)
            }
            Ask::StartFunction(call) => {
                (START_FUNCTION, id, call.index, call.arguments, call.call_id).into_pyobject(py)
            }
            Ask::AwaitFunction { call_id } => (AWAIT_FUNCTION, id, call_id).into_pyobject(py),
            Ask::ReviewEarly { call_id } => {
                (REVIEW_EARLY, id, history.streamed_call(py, call_id)?).into_pyobject(py)
            }
            Ask::ApproveMcp { id: request, imported } => {
                let request = history.approval_request(py, request, imported)?;
                (APPROVE_MCP, id, request).into_pyobject(py)
            }
            Ask::Measure { update, .. } => {
                history.objects()?.apply(py, update, open.held())?;
                (MEASURE, id).into_pyobject(py)
            }
            Ask::Compact(request) => {
                let snapshot = history.objects()?.snapshot(py, &request)?;
                (COMPACT, id, snapshot).into_pyobject(py)
            }
            Ask::Save(checkpoint) => {
                let conversation = history.objects()?;
                conversation.apply(py, checkpoint.update, open.held())?;
                (SAVE, id, conversation.checkpoint(py, &checkpoint)?).into_pyobject(py)
            }
            Ask::Turn(turn) => (
                TURN,
                id,
                turn.step,
                turn.is_final,
                turn.tools_executed,
                turn.tools_withheld,
                PyTuple::new(py, turn.attempted)?,
                PyTuple::new(py, turn.completed)?,
            )
                .into_pyobject(py),
            Ask::Finished(_) => (FINISHED, id).into_pyobject(py),
            _ => open.ask(py),
        }
    }

    /// Takes a response in.
    pub(crate) fn take(&mut self, py: Python<'_>, received: &AnyResponse<'_>) -> PyResult<()> {
        self.open.release();
        match received {
            AnyResponse::Objects(received) => self.take_objects(py, received),
            AnyResponse::Text(received) => self.take_text(py, received),
        }
    }

    pub(crate) fn open_stream(&mut self, py: Python<'_>) {
        self.open.release();
        self.history.open_stream(py);
        self.keep_calls(py);
    }

    /// Takes in what an event completes.
    pub(crate) fn take_event(&mut self, py: Python<'_>, event: &AnyEvent<'_>) -> PyResult<()> {
        if let Some(ending) = event.ending() {
            self.history.keep_ending(ending.clone().unbind());
        }
        match event {
            AnyEvent::Objects(event) => {
                if let (Some(index), Some(item)) = (event.item_index(), &event.item) {
                    self.history.objects()?.take_item(index, item)?;
                }
                event.response.as_ref().map_or(Ok(()), |response| self.take_objects(py, response))
            }
            AnyEvent::Text(event) => {
                if let Some((Some(index), item)) = event.item() {
                    self.history.text()?.take_item(py, index, item)?;
                }
                event.response.as_ref().map_or(Ok(()), |response| self.take_text(py, response))
            }
        }
    }

    fn take_objects(&mut self, py: Python<'_>, received: &Received<'_>) -> PyResult<()> {
        self.history.objects()?.take(py, received)?;
        self.keep_calls(py);
        Ok(())
    }

    fn take_text(&mut self, py: Python<'_>, received: &TextResponse<'_>) -> PyResult<()> {
        self.history.text()?.take_response(py, received)?;
        self.keep_calls(py);
        Ok(())
    }

    fn keep_calls(&mut self, py: Python<'_>) {
        self.open.keep_calls(Some(self.history.calls(py).into_any()));
    }

    /// The items of the history that the core does not know yet.
    pub(crate) fn added<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        let History::Objects(conversation) = &self.history else { return Vec::new() };
        let history = conversation.history.bind(py);
        match self.open.machine().ask() {
            Ask::Measure { from, .. } => history.get_slice(from, history.len()).iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// A function that was started is to be awaited.
pub(crate) fn awaits(ask: &Ask<'_>) -> bool {
    matches!(ask, Ask::AwaitFunction { .. })
}

/// The run ends because a toolset is busy or closed.
pub(crate) fn stopped<'py>(
    py: Python<'py>,
    id: u64,
    refusal: &PyErr,
) -> PyResult<Bound<'py, PyTuple>> {
    let refusal = refusal.value(py);
    (STOPPED, id, refusal.getattr("code")?, refusal.str()?).into_pyobject(py)
}

impl Machine for RunMachine {
    fn ask(&self) -> Ask<'_> {
        self.ask()
    }

    fn ask_id(&self) -> AskId {
        self.ask_id()
    }

    fn answer(&mut self, id: AskId, reply: Reply<'_>) -> Result<(), Misuse> {
        self.answer(id, reply)
    }

    fn call_id(&self) -> Option<&str> {
        self.outcome().attempted.last().map(String::as_str)
    }
}
