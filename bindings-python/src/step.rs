//! One step of a machine: take it, answer, put it back, give the next ask.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use swingbridge_core::browser::{BrowserCall, ResultKind};
use swingbridge_core::computer::ComputerAction;
use swingbridge_core::json::Text;
use swingbridge_core::{Answer, Ask, AskId, Failure, Misuse, Reply};

use crate::convert::{HostValue, Terms, wtf8};
use crate::{computer, errors, objects};

// The kinds of asks. Those up to EMIT are performed by a browser toolset, those from APPROVE_SAFETY to
// COMPUTER_OUTPUT by a computer toolset or not at all, the rest by a runner.

/// `(READ_STATE, id)`: call the driver's `state`; answer its value.
pub(crate) const READ_STATE: u8 = 0;
/// `(ACT, id, member, arguments)`: call the driver's method; answer its value.
pub(crate) const ACT: u8 = 1;
/// `(CONFIRM, id, context)`: call `confirm`; answer the verdict.
pub(crate) const CONFIRM: u8 = 2;
/// `(REVIEW_URL, id, context, url)`: call `url_policy`; answer the verdict.
pub(crate) const REVIEW_URL: u8 = 3;
/// `(EMIT, id, record)`: give the record to the observer; answer that it was seen.
pub(crate) const EMIT: u8 = 4;
/// `(SEND, id, request, retries, streams)`: send the request, these keyword arguments; answer the
/// response, or that it is streamed. Unless `retries` the client may not repeat it by itself.
pub(crate) const SEND: u8 = 5;
/// `(CALL_FUNCTION, id, index, arguments, call_id)`: call a function; answer its value.
pub(crate) const CALL_FUNCTION: u8 = 6;
/// `(OUTPUT, id, item)`: the end of a browser call.
pub(crate) const OUTPUT: u8 = 7;
/// `(FINISHED, id)`: the end of a run.
pub(crate) const FINISHED: u8 = 8;
/// `(STOPPED, id, code, words)`: an end without an output.
pub(crate) const STOPPED: u8 = 9;

// What a computer toolset performs. `call` and `action` are the host's own objects, to be copied;
// `fields` are the action's fields that rules read, to be laid over that copy.

/// `(APPROVE_SAFETY, id, call)`: call `approve_safety_checks`; answer the verdict.
pub(crate) const APPROVE_SAFETY: u8 = 10;
/// `(REVIEW_ACTION, id, action, fields)`: call `before_action`; answer the verdict. `action` is None
/// for the final picture.
pub(crate) const REVIEW_ACTION: u8 = 11;
/// `(ACT_ON_COMPUTER, id, action, fields)`: call the driver's method of the action's type; answer
/// that it returned.
pub(crate) const ACT_ON_COMPUTER: u8 = 12;
/// `(TAKE_SCREENSHOT, id)`: call the driver's `screenshot`; answer its value.
pub(crate) const TAKE_SCREENSHOT: u8 = 13;
/// `(COMPUTER_OUTPUT, id, item)`: the end of a computer call.
pub(crate) const COMPUTER_OUTPUT: u8 = 14;

// What else a runner performs. What a callback is given is made for it alone.

/// `(READ_EVENT, id)`: read the next event of the stream; answer it, or that there is none.
pub(crate) const READ_EVENT: u8 = 15;
/// `(DELIVER_EVENT, id)`: call `on_event` with a copy of that event; answer that it was seen.
pub(crate) const DELIVER_EVENT: u8 = 16;
/// `(REVIEW_EARLY, id, call)`: call `before_early_call`; answer its value.
pub(crate) const REVIEW_EARLY: u8 = 17;
/// `(START_FUNCTION, id, index, arguments, call_id)`: begin to call a function; answer that at once.
pub(crate) const START_FUNCTION: u8 = 18;
/// `(AWAIT_FUNCTION, id, call_id)`: wait for a function that was started; answer its value.
pub(crate) const AWAIT_FUNCTION: u8 = 19;
/// `(APPROVE_MCP, id, request)`: call `approve_mcp`; answer its value.
pub(crate) const APPROVE_MCP: u8 = 20;
/// `(MEASURE, id)`: let the core measure what is new in the history.
pub(crate) const MEASURE: u8 = 21;
/// `(COMPACT, id, snapshot)`: call `compact`; answer its value.
pub(crate) const COMPACT: u8 = 22;
/// `(SAVE, id, checkpoint)`: call `save`; answer that it returned.
pub(crate) const SAVE: u8 = 23;
/// `(TURN, id, step, is_final, tools_executed, tools_withheld, attempted, completed)`: show the turn;
/// answer that the next one is asked for.
pub(crate) const TURN: u8 = 24;

/// What a machine of the core has in common with the others.
pub(crate) trait Machine {
    fn ask(&self) -> Ask<'_>;
    fn ask_id(&self) -> AskId;
    fn answer(&mut self, id: AskId, reply: Reply<'_>) -> Result<(), Misuse>;
    /// The call that the machine is in, if it may have several.
    fn call_id(&self) -> Option<&str>;
}

/// A machine and what it needs of the host between its steps.
pub(crate) struct Open<M> {
    machine: M,
    /// Texts that did not cross, until the output that has them is made.
    held: Vec<Py<PyString>>,
    /// The computer call, or the items of the response that has it, as plain objects.
    calls: Option<Py<PyAny>>,
}

/// The place of a machine, with what belongs to it, between its steps.
///
/// A step takes it out and puts it back at its end, so no lock is held while objects are made or
/// read: even a finalizer that steps the same machine gets an error instead of a deadlock. What
/// panicked does not come back.
pub(crate) struct Slot<T>(Mutex<Option<Box<T>>>);

impl<T> Slot<T> {
    pub(crate) fn new(open: T) -> Self {
        Self(Mutex::new(Some(Box::new(open))))
    }

    /// Lends it to `work`; an error if it is lent already.
    pub(crate) fn lend<R>(&self, work: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        let mut open = self.lock().take().ok_or_else(errors::overlap)?;
        let done = work(&mut open);
        *self.lock() = Some(open);
        done
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Box<T>>> {
        // A panic between two steps leaves the slot as it was.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M: Machine> Open<M> {
    pub(crate) fn new(machine: M) -> Self {
        Self { machine, held: Vec::new(), calls: None }
    }

    pub(crate) fn machine(&self) -> &M {
        &self.machine
    }

    pub(crate) fn machine_mut(&mut self) -> &mut M {
        &mut self.machine
    }

    pub(crate) fn held(&self) -> &[Py<PyString>] {
        &self.held
    }

    /// Answers with what the driver or a function returned, and gives it as it was read.
    pub(crate) fn answer_value<'py>(
        &mut self,
        id: u64,
        value: Bound<'py, PyAny>,
        cancelled: bool,
        now: u64,
    ) -> PyResult<HostValue<'py>> {
        let value = HostValue::read(value, terms(&self.machine.ask()));
        let answer = Answer::Value(value.json(&mut self.held));
        self.answer(id, answer, cancelled, now)?;
        Ok(value)
    }

    /// Answers with anything that is not a value.
    pub(crate) fn answer(
        &mut self,
        id: u64,
        answer: Answer<'_>,
        cancelled: bool,
        now: u64,
    ) -> PyResult<()> {
        let reply = Reply { answer, cancelled, now };
        self.machine.answer(AskId(id), reply).map_err(errors::misuse)
    }

    pub(crate) fn ask<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let id = self.machine.ask_id().0;
        let ask = match self.machine.ask() {
            Ask::ReadState => (READ_STATE, id).into_pyobject(py)?,
            Ask::ReviewUrl { context, url } => {
                let context = objects::context(py, &context)?;
                (REVIEW_URL, id, context, objects::text(py, url)?).into_pyobject(py)?
            }
            Ask::Confirm { context } => {
                (CONFIRM, id, objects::context(py, &context)?).into_pyobject(py)?
            }
            Ask::Act { member, arguments } => {
                (ACT, id, member.name(), objects::arguments(py, arguments)?).into_pyobject(py)?
            }
            Ask::Emit(record) => (EMIT, id, objects::diagnostic(py, record)?).into_pyobject(py)?,
            Ask::Output(output) => {
                (OUTPUT, id, objects::output(py, output, &self.held)?).into_pyobject(py)?
            }
            Ask::Stopped(stop) => (STOPPED, id, stop.code(), stop.to_string()).into_pyobject(py)?,
            Ask::ApproveSafety { .. } => (APPROVE_SAFETY, id, self.call(py)).into_pyobject(py)?,
            Ask::ReviewAction { index, action } => {
                self.action(py, REVIEW_ACTION, id, index, action)?
            }
            Ask::ActOnComputer { index, action } => {
                self.action(py, ACT_ON_COMPUTER, id, index, action)?
            }
            Ask::TakeScreenshot => (TAKE_SCREENSHOT, id).into_pyobject(py)?,
            Ask::ComputerOutput(output) => {
                let item = computer::output(py, output, &self.held)?;
                (COMPUTER_OUTPUT, id, item).into_pyobject(py)?
            }
            // No other ask is in reach of these machines.
            _ => return Err(errors::misuse(Misuse::WrongKind)),
        };
        Ok(ask)
    }

    fn action<'py>(
        &self,
        py: Python<'py>,
        kind: u8,
        id: u64,
        index: usize,
        action: Option<&ComputerAction>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let wire = action.and_then(|_| computer::wire_action(self.call(py).as_ref(), index));
        (kind, id, wire, computer::action(py, action)?).into_pyobject(py)
    }

    /// The computer call that the machine is in.
    fn call<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyDict>> {
        computer::find(self.calls.as_ref()?.bind(py), self.machine.call_id())
    }

    /// Keeps the computer call that follows, or the items of the response that may have some.
    pub(crate) fn keep_calls(&mut self, calls: Option<Bound<'_, PyAny>>) {
        self.calls = calls.map(Bound::unbind);
    }

    /// Lets go of what is kept for a request, once that was made.
    pub(crate) fn release(&mut self) {
        self.held.clear();
    }
}

/// How the value that answers an ask is to be read.
fn terms(ask: &Ask<'_>) -> Terms {
    match ask {
        Ask::Act { member, .. } => {
            let result = member.spec().result;
            let hold = result == ResultKind::Image;
            Terms { exact: result.takes_exact_types(), hold, whole: false }
        }
        Ask::CallFunction(_) | Ask::AwaitFunction { .. } => Terms { hold: true, ..Terms::EXACT },
        Ask::ApproveMcp { .. } | Ask::ReviewEarly { .. } | Ask::Compact(_) => Terms::EXACT,
        Ask::TakeScreenshot => Terms { hold: true, ..Terms::default() },
        _ => Terms::default(),
    }
}

/// The words as they are, unpaired surrogates included.
fn told(words: &Bound<'_, PyString>) -> Option<Text<'static>> {
    match words.to_str() {
        Ok(valid) => Some(Text::from(valid.to_owned())),
        Err(_) => wtf8(words).ok().map(Text::from_wtf8),
    }
}

/// A failure, with the words that the driver lets the model read.
pub(crate) fn failure(words: Option<Bound<'_, PyString>>) -> Answer<'static> {
    Answer::Failed(match words {
        Some(words) => told(&words).map_or(Failure::Untold, Failure::Told),
        None => Failure::Untold,
    })
}

impl Machine for BrowserCall {
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
        None
    }
}
