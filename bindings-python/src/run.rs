//! One run under way.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use swingbridge_core::runner::{ModelResponse, RunMachine};
use swingbridge_core::{Answer, Ask};

use crate::computer::ComputerSession;
use crate::convert::{HostValue, Terms};
use crate::session::{BrowserSession, Hold};
use crate::step::{Open, STOPPED, Slot, failure};

/// A run. Each answer gives the next ask.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct Run {
    slot: Slot<RunMachine>,
    lease: Lease,
    adds_computer: bool,
}

impl Run {
    pub(crate) fn begin(
        py: Python<'_>,
        machine: RunMachine,
        lease: Lease,
        adds_computer: bool,
    ) -> PyResult<(Self, Bound<'_, PyTuple>)> {
        let run = Self { slot: Slot::new(machine), lease, adds_computer };
        let ask = run.step(py, |_| Ok(()))?;
        Ok((run, ask))
    }

    fn step<'py>(
        &self,
        py: Python<'py>,
        work: impl FnOnce(&mut Open<RunMachine>) -> PyResult<()>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.slot.lend(|open| {
            work(open)?;
            match self.lease.follow(open.machine()) {
                Ok(()) => open.ask(py),
                Err(refusal) => stopped(py, open.machine().ask_id().0, &refusal),
            }
        })
    }

    fn answer<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        answer: Answer<'_>,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.step(py, |open| open.answer(id, answer, cancelled, now))
    }
}

#[pymethods]
impl Run {
    /// The ids of the calls that were begun and of those that have an output.
    fn call_ids(&self) -> PyResult<(Vec<String>, Vec<String>)> {
        self.slot.lend(|open| {
            let outcome = open.machine().outcome();
            Ok((outcome.attempted.to_vec(), outcome.completed.to_vec()))
        })
    }

    /// Which call of the run the open ask belongs to, to tell it from the one before.
    fn call_number(&self) -> PyResult<usize> {
        self.slot.lend(|open| Ok(open.machine().outcome().attempted.len()))
    }

    /// Whether a computer is to be declared besides what the parameters declare (C-7).
    fn adds_computer(&self) -> bool {
        self.adds_computer
    }

    /// Gives the toolset back to others, wherever the run was.
    fn end(&self) {
        self.lease.end();
    }

    /// `body` has the fields of the response that a rule reads, as plain objects.
    #[pyo3(signature = (id, body: "dict[str, Any]", cancelled, now) -> "tuple[Any, ...]")]
    fn answer_response<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        body: Bound<'py, PyDict>,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.step(py, |open| {
            open.release();
            open.keep_calls(body.get_item("output")?);
            let body = HostValue::read(body.into_any(), Terms { exact: true, hold: false });
            let body = body.json(&mut Vec::new()).into_owned();
            open.answer(id, Answer::Response(ModelResponse { body }), cancelled, now)
        })
    }

    #[pyo3(signature = (id, value, cancelled, now) -> "tuple[Any, ...]")]
    fn answer_value<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        value: Bound<'py, PyAny>,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.step(py, |open| {
            let function = match open.machine().ask() {
                Ask::CallFunction(call) => Some(call.call_id.to_owned()),
                _ => None,
            };
            let value = open.answer_value(id, value, cancelled, now)?;
            match function.filter(|id| open.machine().outcome().completed.last() == Some(id)) {
                Some(call_id) => open.keep(call_id, &value, py),
                None => Ok(()),
            }
        })
    }

    #[pyo3(signature = (id, verdict, cancelled, now) -> "tuple[Any, ...]")]
    fn answer_verdict<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        verdict: bool,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.answer(py, id, Answer::Verdict(verdict), cancelled, now)
    }

    /// `words` are for the model; `None` if there are none.
    #[pyo3(signature = (id, words, cancelled, now) -> "tuple[Any, ...]")]
    fn answer_failed<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        words: Option<Bound<'py, PyString>>,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.answer(py, id, failure(words), cancelled, now)
    }

    #[pyo3(signature = (id, now) -> "tuple[Any, ...]")]
    fn answer_cancelled<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.answer(py, id, Answer::Cancelled, true, now)
    }

    #[pyo3(signature = (id, cancelled, now) -> "tuple[Any, ...]")]
    fn answer_seen<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.answer(py, id, Answer::Seen, cancelled, now)
    }
}

fn stopped<'py>(py: Python<'py>, id: u64, refusal: &PyErr) -> PyResult<Bound<'py, PyTuple>> {
    let refusal = refusal.value(py);
    (STOPPED, id, refusal.getattr("code")?, refusal.str()?).into_pyobject(py)
}

/// A run's hold on its toolsets: on each during each of its calls, and at no other time (B-50).
#[derive(Default)]
pub(crate) struct Lease {
    browser: Option<Py<BrowserSession>>,
    computer: Option<Py<ComputerSession>>,
    held: Mutex<Option<Held>>,
}

/// A toolset that is held for the call of that number.
struct Held {
    tool: Tool,
    call: usize,
    /// Given back when it is dropped.
    _hold: Option<Hold>,
}

#[derive(Clone, Copy, PartialEq)]
enum Tool {
    Browser,
    Computer,
}

impl Lease {
    pub(crate) fn new(
        browser: Option<Py<BrowserSession>>,
        computer: Option<Py<ComputerSession>>,
    ) -> Self {
        Self { browser, computer, held: Mutex::default() }
    }

    /// Takes and gives back the toolsets as the run goes on. An error if one is busy or closed.
    fn follow(&self, machine: &RunMachine) -> PyResult<()> {
        let tool = match machine.ask() {
            Ask::Emit(_) => return Ok(()),
            Ask::ReadState | Ask::ReviewUrl { .. } | Ask::Confirm { .. } | Ask::Act { .. } => {
                Some(Tool::Browser)
            }
            Ask::ApproveSafety { .. }
            | Ask::ReviewAction { .. }
            | Ask::ActOnComputer { .. }
            | Ask::TakeScreenshot => Some(Tool::Computer),
            _ => None,
        };
        let wanted = tool.map(|tool| (tool, machine.outcome().attempted.len()));
        let mut held = self.held();
        if held.as_ref().map(|held| (held.tool, held.call)) == wanted {
            return Ok(());
        }
        *held = None;
        if let Some((tool, call)) = wanted {
            *held = Some(Held { tool, call, _hold: self.enter(tool)? });
        }
        Ok(())
    }

    fn end(&self) {
        *self.held() = None;
    }

    fn enter(&self, tool: Tool) -> PyResult<Option<Hold>> {
        match tool {
            Tool::Browser => self.browser.as_ref().map(|session| session.get().enter()).transpose(),
            Tool::Computer => {
                self.computer.as_ref().map(|session| session.get().enter()).transpose()
            }
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Option<Held>> {
        // One value, right at any moment.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
