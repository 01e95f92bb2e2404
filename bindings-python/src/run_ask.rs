//! The asks of a run, as tuples.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyTuple};
use swingbridge_core::runner::RunMachine;
use swingbridge_core::{Ask, AskId, Misuse, Reply};

use crate::conversation::Conversation;
use crate::convert::HostValue;
use crate::copies::plain;
use crate::received::{Event, Received};
use crate::step::{
    APPROVE_MCP, AWAIT_FUNCTION, CALL_FUNCTION, COMPACT, DELIVER_EVENT, FINISHED, MEASURE, Machine,
    Open, READ_EVENT, REVIEW_EARLY, SAVE, SEND, START_FUNCTION, STOPPED, TURN,
};

/// What `before_early_call` and `approve_mcp` are shown.
const EARLY_CALLS: &[&str] = &["function_call", "computer_call"];
const MCP_REQUESTS: &[&str] = &["mcp_approval_request"];

/// A run's machine and what the host holds of it.
pub(crate) struct OpenRun {
    pub(crate) open: Open<RunMachine>,
    pub(crate) conversation: Conversation,
}

impl OpenRun {
    pub(crate) fn ask<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Self { open, conversation } = self;
        let id = open.machine().ask_id().0;
        match open.machine().ask() {
            Ask::ReadEvent => (READ_EVENT, id).into_pyobject(py),
            Ask::DeliverEvent => (DELIVER_EVENT, id).into_pyobject(py),
            Ask::Send(request) => {
                conversation.apply(py, request.update, open.held())?;
                let body = conversation.request(py, &request)?;
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
                let call = conversation.find(py, EARLY_CALLS, intern!(py, "call_id"), call_id);
                (REVIEW_EARLY, id, copied(call)?).into_pyobject(py)
            }
            Ask::ApproveMcp { id: request, imported } => {
                let request = match imported {
                    Some(at) => conversation.history.bind(py).get_item(at.request_at).ok(),
                    None => conversation.find(py, MCP_REQUESTS, intern!(py, "id"), request),
                };
                (APPROVE_MCP, id, copied(request)?).into_pyobject(py)
            }
            Ask::Measure { update, .. } => {
                conversation.apply(py, update, open.held())?;
                (MEASURE, id).into_pyobject(py)
            }
            Ask::Compact(request) => {
                (COMPACT, id, conversation.snapshot(py, &request)?).into_pyobject(py)
            }
            Ask::Save(checkpoint) => {
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
    pub(crate) fn take(&mut self, py: Python<'_>, received: &Received<'_>) -> PyResult<()> {
        self.open.release();
        self.conversation.take(py, received)?;
        self.keep_calls(py);
        Ok(())
    }

    pub(crate) fn open_stream(&mut self, py: Python<'_>) {
        self.open.release();
        self.conversation.open_stream(py);
        self.keep_calls(py);
    }

    /// Takes in what an event completes.
    pub(crate) fn take_event(&mut self, py: Python<'_>, event: &Event<'_>) -> PyResult<()> {
        if let (Some(index), Some(item)) = (event.item_index(), &event.item) {
            self.conversation.take_item(index, item)?;
        }
        if let Some(response) = &event.response {
            self.conversation.take(py, response)?;
            self.keep_calls(py);
        }
        Ok(())
    }

    fn keep_calls(&mut self, py: Python<'_>) {
        let calls = self.conversation.calls.bind(py).clone();
        self.open.keep_calls(Some(calls.into_any()));
    }

    /// Keeps a copy of what a function returned.
    pub(crate) fn keep(
        &mut self,
        py: Python<'_>,
        call_id: String,
        value: &HostValue<'_>,
    ) -> PyResult<()> {
        let copy = self.open.copy(py, value)?;
        self.conversation.keep(call_id, copy);
        Ok(())
    }

    /// The items of the history that the core does not know yet.
    pub(crate) fn added<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        let history = self.conversation.history.bind(py);
        match self.open.machine().ask() {
            Ask::Measure { from, .. } => history.get_slice(from, history.len()).iter().collect(),
            _ => Vec::new(),
        }
    }
}

fn copied(item: Option<Bound<'_, PyAny>>) -> PyResult<Option<Bound<'_, PyAny>>> {
    item.map(|item| plain(item, false)).transpose()
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
