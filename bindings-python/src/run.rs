//! One run under way.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBoolMethods, PyString, PyTuple};
use swingbridge_core::json::Json;
use swingbridge_core::runner::{ModelResponse, RunMachine, StreamEvent, TurnRefusal};
use swingbridge_core::{Answer, Ask};

use crate::convert::{HostValue, Terms};
use crate::errors;
use crate::history::History;
use crate::lease::Lease;
use crate::received::{AnyEvent, AnyResponse, Manner};
use crate::run_ask::{OpenRun, awaits, stopped};
use crate::step::{Open, Slot, failure};

/// A run. Each answer gives the next ask.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct Run {
    slot: Slot<OpenRun>,
    lease: Lease,
    manner: Manner,
    /// Whether the open stream has given the whole response.
    is_whole: AtomicBool,
    /// Whether whoever drove the run has let go of it.
    is_over: AtomicBool,
}

impl Run {
    pub(crate) fn begin(
        py: Python<'_>,
        machine: RunMachine,
        history: History,
        lease: Lease,
        manner: Manner,
    ) -> PyResult<(Self, Bound<'_, PyTuple>)> {
        let run = Self {
            slot: Slot::new(OpenRun { open: Open::new(machine), history }),
            lease,
            manner,
            is_whole: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        };
        let ask = run.step(py, |_| Ok(()))?;
        Ok((run, ask))
    }

    fn step<'py>(
        &self,
        py: Python<'py>,
        work: impl FnOnce(&mut OpenRun) -> PyResult<()>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.slot.lend(|run| {
            work(run)?;
            match self.lease.follow(run.open.machine()) {
                Ok(()) => run.ask(py),
                Err(refusal) => stopped(py, run.open.machine().ask_id().0, &refusal),
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
        self.step(py, |run| run.open.answer(id, answer, cancelled, now))
    }

    /// The turn of that ask is open for who looks at it.
    fn at_turn<R>(
        &self,
        id: u64,
        work: impl FnOnce(&mut OpenRun) -> Result<R, TurnRefusal>,
    ) -> PyResult<R> {
        self.slot.lend(|run| {
            let is_open =
                run.open.machine().ask_id().0 == id && !self.is_over.load(Ordering::Relaxed);
            let done = if is_open { work(run) } else { Err(TurnRefusal::TurnOver) };
            done.map_err(errors::turn)
        })
    }
}

#[pymethods]
impl Run {
    /// The ids of the calls that were begun and of those that have an output.
    fn call_ids(&self) -> PyResult<(Vec<String>, Vec<String>)> {
        self.slot.lend(|run| {
            let outcome = run.open.machine().outcome();
            Ok((outcome.attempted.to_vec(), outcome.completed.to_vec()))
        })
    }

    /// Which call of the run the open ask belongs to, to tell it from the one before.
    fn call_number(&self) -> PyResult<usize> {
        self.slot.lend(|run| Ok(run.open.machine().outcome().attempted.len()))
    }

    /// The client's own last response.
    #[pyo3(signature = () -> "Any")]
    fn response(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.slot.lend(|run| Ok(run.history.response().map(|own| own.clone_ref(py))))
    }

    /// Whether requests and responses are text, for the native client.
    fn sends_text(&self) -> bool {
        self.manner.reads_text
    }

    /// Whether the open stream has given the whole response, so that nothing more of it is read.
    fn is_whole(&self) -> bool {
        self.is_whole.load(Ordering::Relaxed)
    }

    /// Gives the toolset back to others, wherever the run was. Its turns are over.
    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.lease.end();
    }

    /// Ends a run whose open ask was cut short, and gives the next ask. A function that was started
    /// is to be awaited all the same.
    #[pyo3(signature = (now) -> "tuple[Any, ...]")]
    fn abandon<'py>(&self, py: Python<'py>, now: u64) -> PyResult<Bound<'py, PyTuple>> {
        self.step(py, |run| {
            let answer = match run.open.machine().ask() {
                // The record was shown; what follows it is not to be begun.
                Ask::Emit(_) => Answer::Seen,
                ask if ask.is_end() || awaits(&ask) => return Ok(()),
                _ => Answer::Cancelled,
            };
            let id = run.open.machine().ask_id().0;
            run.open.answer(id, answer, true, now)
        })
    }

    #[pyo3(signature = (id, response, cancelled, now) -> "tuple[Any, ...]")]
    fn answer_response<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        response: Bound<'py, PyAny>,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let received = AnyResponse::read(response, &self.manner)?;
        self.step(py, |run| {
            run.take(py, &received)?;
            received.with_body(|body| {
                let answer = Answer::Response(ModelResponse { body });
                run.open.answer(id, answer, cancelled, now)
            })
        })
    }

    /// The stream of the response is open.
    #[pyo3(signature = (id, cancelled, now) -> "tuple[Any, ...]")]
    fn answer_streaming<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.is_whole.store(false, Ordering::Relaxed);
        self.step(py, |run| {
            run.open_stream(py);
            run.open.answer(id, Answer::Streaming, cancelled, now)
        })
    }

    #[pyo3(signature = (id, event, cancelled, now) -> "tuple[Any, ...]")]
    fn answer_event<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        event: Bound<'py, PyAny>,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let event = AnyEvent::read(&event, &self.manner)?;
        if event.has_response() {
            self.is_whole.store(true, Ordering::Relaxed);
        }
        self.step(py, |run| {
            run.take_event(py, &event)?;
            event.with_body(|body| {
                run.open.answer(id, Answer::Event(StreamEvent { body }), cancelled, now)
            })
        })
    }

    #[pyo3(signature = (id, cancelled, now) -> "tuple[Any, ...]")]
    fn answer_stream_ended<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.answer(py, id, Answer::StreamEnded, cancelled, now)
    }

    /// Measures what is new in the history.
    #[pyo3(signature = (id, cancelled, now) -> "tuple[Any, ...]")]
    fn answer_measured<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.step(py, |run| {
            let added = run.added(py);
            let added: Vec<_> =
                added.into_iter().map(|item| HostValue::read(item, Terms::WHOLE)).collect();
            let items = added.iter().map(|item| item.json(&mut Vec::new())).collect();
            run.open.answer(id, Answer::Value(Json::List(items)), cancelled, now)
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
        self.step(py, |run| {
            let (function, imported) = match run.open.machine().ask() {
                Ask::CallFunction(call) => (Some(call.call_id.to_owned()), None),
                Ask::AwaitFunction { call_id } => (Some(call_id.to_owned()), None),
                Ask::ApproveMcp { imported, .. } => (None, imported),
                _ => (None, None),
            };
            let decision = value.cast_exact::<PyBool>().ok().map(PyBoolMethods::is_true);
            let before = run.open.machine().outcome().completed.len();
            let value = run.open.answer_value(id, value, cancelled, now)?;
            if let (Some(at), Some(approve)) = (imported, decision) {
                run.history.decide_again(py, at.answer_at, approve)?;
            }
            // Calls that are answered already may have been completed with it.
            let completed = &run.open.machine().outcome().completed[before..];
            match function.filter(|id| completed.contains(id)) {
                Some(call_id) => run.history.keep(py, call_id, &value),
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

    /// Answers pending functions of the turn of that ask in their place. Raises `TurnError`.
    #[pyo3(signature = (id, outputs: "object"))]
    fn supply_outputs(&self, py: Python<'_>, id: u64, outputs: Bound<'_, PyAny>) -> PyResult<()> {
        let terms = Terms { hold: true, ..Terms::EXACT };
        let outputs = HostValue::read(outputs, terms);
        let call_ids = self.at_turn(id, |run| {
            let outputs = outputs.json(&mut Vec::new());
            run.open.machine_mut().supply_outputs(&outputs)
        })?;
        self.slot.lend(|run| run.history.keep_supplied(py, call_ids, &outputs))
    }

    /// Queues a text of the user at the turn of that ask. Raises `TurnError`.
    #[pyo3(signature = (id, text: "object"))]
    fn append_user_text(&self, id: u64, text: Bound<'_, PyAny>) -> PyResult<()> {
        let text = HostValue::read(text, Terms::EXACT);
        self.at_turn(id, |run| run.open.machine_mut().append_user_text(&text.json(&mut Vec::new())))
    }
}
