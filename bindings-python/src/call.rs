//! One browser call under way.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use swingbridge_core::Answer;
use swingbridge_core::browser::{self, ArgumentText, CallFields, CallStatus, Selection};

use crate::step::{Open, Slot, failure};

/// A browser call. Each answer gives the next ask.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct BrowserCall(Slot<Open<browser::BrowserCall>>);

impl BrowserCall {
    pub(crate) fn begin<'py>(
        py: Python<'py>,
        selection: &Selection,
        call: &Bound<'py, PyAny>,
        (observed, now, cancelled): (bool, u64, bool),
    ) -> PyResult<(Self, Bound<'py, PyTuple>)> {
        let parts = CallParts::read(call)?;
        let machine =
            browser::BrowserCall::begin(selection, &parts.fields(), observed, now, cancelled);
        let call = Self(Slot::new(Open::new(machine)));
        let ask = call.0.lend(|open| open.ask(py))?;
        Ok((call, ask))
    }
}

#[pymethods]
impl BrowserCall {
    /// Which call it is in its run; here the only one.
    #[expect(clippy::unused_self, reason = "a pump asks a call as it asks a run")]
    fn call_number(&self) -> usize {
        0
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
        self.0.lend(|open| {
            open.answer_value(id, value, cancelled, now)?;
            open.ask(py)
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

impl BrowserCall {
    fn answer<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        answer: Answer<'_>,
        cancelled: bool,
        now: u64,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.0.lend(|open| {
            open.answer(id, answer, cancelled, now)?;
            open.ask(py)
        })
    }
}

/// The fields of a call that the core reads, as the host holds them.
#[derive(Default)]
struct CallParts<'py> {
    kind: Option<Bound<'py, PyAny>>,
    name: Option<Bound<'py, PyAny>>,
    call_id: Option<Bound<'py, PyAny>>,
    arguments: Option<Bound<'py, PyAny>>,
    status: Option<Bound<'py, PyAny>>,
}

const PARTS: [&str; 5] = ["type", "name", "call_id", "arguments", "status"];

impl<'py> CallParts<'py> {
    fn read(call: &Bound<'py, PyAny>) -> PyResult<Self> {
        let mut parts = Self::default();
        if let Ok(fields) = call.cast::<PyDict>() {
            // Not looked up by name: a lookup may call the `__eq__` of other keys.
            for (name, value) in fields.iter() {
                if let Ok(name) = name.cast_exact::<PyString>() {
                    parts.put(name.to_str().unwrap_or_default(), value);
                }
            }
        } else {
            for name in PARTS {
                // Whatever keeps an attribute from being read, the call does not have it.
                match call.getattr(name) {
                    Ok(value) => parts.put(name, value),
                    Err(error) if is_exception(call.py(), &error) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(parts)
    }

    fn put(&mut self, name: &str, value: Bound<'py, PyAny>) {
        let part = match name {
            "type" => &mut self.kind,
            "name" => &mut self.name,
            "call_id" => &mut self.call_id,
            "arguments" => &mut self.arguments,
            "status" => &mut self.status,
            _ => return,
        };
        *part = Some(value);
    }

    fn fields(&self) -> CallFields<'_> {
        CallFields {
            kind: text(self.kind.as_ref()).valid(),
            name: text(self.name.as_ref()).valid(),
            call_id: text(self.call_id.as_ref()).valid(),
            arguments: match text(self.arguments.as_ref()) {
                Part::Valid(text) => ArgumentText::Valid(text),
                Part::Unpaired => ArgumentText::Unpaired,
                Part::Unset | Part::NotText => ArgumentText::NotText,
            },
            status: match text(self.status.as_ref()) {
                Part::Valid(text) => CallStatus::Text(text),
                Part::Unset => CallStatus::Unset,
                Part::Unpaired | Part::NotText => CallStatus::NotText,
            },
        }
    }
}

enum Part<'a> {
    /// Absent or None.
    Unset,
    Valid(&'a str),
    Unpaired,
    NotText,
}

impl<'a> Part<'a> {
    fn valid(self) -> Option<&'a str> {
        match self {
            Self::Valid(text) => Some(text),
            _ => None,
        }
    }
}

fn text<'a>(part: Option<&'a Bound<'_, PyAny>>) -> Part<'a> {
    match part.filter(|part| !part.is_none()) {
        None => Part::Unset,
        Some(part) => match part.cast::<PyString>() {
            Ok(text) => text.to_str().map_or(Part::Unpaired, Part::Valid),
            Err(_) => Part::NotText,
        },
    }
}

/// Whether it is an ordinary error and not a request to end the program.
fn is_exception(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<pyo3::exceptions::PyException>(py)
}
