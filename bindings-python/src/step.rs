//! One step of a machine: take it, answer, put it back, give the next ask.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use swingbridge_core::browser::{BrowserCall, ResultKind};
use swingbridge_core::computer::ComputerAction;
use swingbridge_core::json::Text;
use swingbridge_core::runner::{CallOutput, RunMachine, TurnRequest};
use swingbridge_core::{Answer, Ask, AskId, Failure, Misuse, Reply};

use crate::convert::{HostValue, Terms, wtf8};
use crate::{computer, errors, objects};

// The kinds of asks. Those up to EMIT are performed by a toolset, the rest by who began the work.

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
/// `(SEND, id, include, outputs, relaxes_choice)`: append the items of the response before and these
/// output items to the history and send a request; answer the response. If the last is true the
/// request says `tool_choice: "auto"`.
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
    /// Copies of what functions returned, by call id, until the request that has them is made.
    returned: Vec<(String, Py<PyAny>)>,
    /// The computer call, or the items of the response that has it, as plain objects.
    calls: Option<Py<PyAny>>,
}

/// The place of a machine between its steps.
///
/// A step takes the machine out and puts it back at its end, so no lock is held while objects are
/// made or read: even a finalizer that steps the same machine gets an error instead of a deadlock.
/// A machine whose step panicked does not come back.
pub(crate) struct Slot<M>(Mutex<Option<Box<Open<M>>>>);

impl<M: Machine> Slot<M> {
    pub(crate) fn new(machine: M) -> Self {
        Self(Mutex::new(Some(Box::new(Open {
            machine,
            held: Vec::new(),
            returned: Vec::new(),
            calls: None,
        }))))
    }

    /// Lends the machine to `work`; an error if it is lent already.
    pub(crate) fn lend<R>(&self, work: impl FnOnce(&mut Open<M>) -> PyResult<R>) -> PyResult<R> {
        let mut open = self.lock().take().ok_or_else(errors::overlap)?;
        let done = work(&mut open);
        *self.lock() = Some(open);
        done
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Box<Open<M>>>> {
        // A panic between two steps leaves the slot as it was.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M: Machine> Open<M> {
    pub(crate) fn machine(&self) -> &M {
        &self.machine
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
            Ask::Send(request) => self.send(py, id, request)?,
            Ask::CallFunction(call) => {
                (CALL_FUNCTION, id, call.index, call.arguments, call.call_id).into_pyobject(py)?
            }
            Ask::Emit(record) => (EMIT, id, objects::diagnostic(py, record)?).into_pyobject(py)?,
            Ask::Output(output) => {
                (OUTPUT, id, objects::output(py, output, &self.held)?).into_pyobject(py)?
            }
            Ask::Finished(_) => (FINISHED, id).into_pyobject(py)?,
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

    fn send<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        request: TurnRequest<'_>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let outputs = PyList::empty(py);
        for output in request.update.outputs {
            match output {
                CallOutput::Browser(output) => {
                    outputs.append(objects::output(py, output, &self.held)?)?;
                }
                CallOutput::Function { call_id } => {
                    let kept = self.returned.iter().find(|(kept, _)| kept == call_id);
                    let kept = kept.map(|(_, value)| value.bind(py).clone());
                    outputs.append(objects::function_output(py, call_id, kept)?)?;
                }
                CallOutput::Computer(output) => {
                    outputs.append(computer::output(py, output, &self.held)?)?;
                }
                CallOutput::Mcp { .. } => return Err(errors::misuse(Misuse::WrongKind)),
            }
        }
        (SEND, id, request.include, outputs, request.relaxes_choice).into_pyobject(py)
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

    /// Keeps a copy of what a function returned, so that its later changes change nothing.
    pub(crate) fn keep(
        &mut self,
        call_id: String,
        value: &HostValue<'_>,
        py: Python<'_>,
    ) -> PyResult<()> {
        let value = value.json(&mut self.held);
        let copy = objects::json(py, &value, &self.held)?;
        self.returned.push((call_id, copy.unbind()));
        Ok(())
    }

    /// Lets go of what is kept for a request, once that was made.
    pub(crate) fn release(&mut self) {
        self.held.clear();
        self.returned.clear();
    }
}

/// How the value that answers an ask is to be read.
fn terms(ask: &Ask<'_>) -> Terms {
    match ask {
        Ask::Act { member, .. } => {
            let result = member.spec().result;
            Terms { exact: result.takes_exact_types(), hold: result == ResultKind::Image }
        }
        Ask::CallFunction(_) => Terms { exact: true, hold: true },
        Ask::TakeScreenshot => Terms { exact: false, hold: true },
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
