//! What lives as long as a toolset or a runner: its selection, its tools and its gate.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use swingbridge_core::browser::{MEMBERS, Selection, SelectionOptions};
use swingbridge_core::gate::{CloseStatus, Gate};
use swingbridge_core::json::{self, Json};

use crate::call::BrowserCall;
use crate::{errors, objects};

/// The members that a toolset exposes, and who may use it (B-2, B-50).
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct BrowserSession {
    pub(crate) selection: Selection,
    tools: Json<'static>,
    door: Door,
}

#[pymethods]
impl BrowserSession {
    /// `implemented` names the driver's methods. Raises `ConfigurationError`.
    #[new]
    #[pyo3(signature = (implemented: "list[str]", members: "list[str] | None", additional_members: "list[str] | None", confirm_reads: "list[str] | None", has_confirm, has_url_policy))]
    fn new(
        implemented: Vec<String>,
        members: Option<Vec<Bound<'_, PyString>>>,
        additional_members: Option<Vec<Bound<'_, PyString>>>,
        confirm_reads: Option<Vec<Bound<'_, PyString>>>,
        has_confirm: bool,
        has_url_policy: bool,
    ) -> PyResult<Self> {
        let options = SelectionOptions {
            members: members.map(names),
            additional_members: additional_members.map(names),
            confirm_reads: confirm_reads.map(names),
            has_confirm,
            has_url_policy,
        };
        let has = |name: &str| implemented.iter().any(|known| known == name);
        let selection = Selection::new(&options, has).map_err(errors::selection)?;
        let tools = selection.tools_json();
        let tools = json::parse(&tools).map_or(Json::Null, Json::into_owned);
        Ok(Self { selection, tools, door: Door::default() })
    }

    /// The names of the exposed members, in the order of the tools.
    fn members(&self) -> Vec<&'static str> {
        self.selection.members().iter().map(|member| member.name()).collect()
    }

    /// The function tools, made anew (B-4).
    #[pyo3(signature = () -> "list[Any]")]
    fn tools<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        Ok(objects::json(py, &self.tools, &[])?.cast_into()?)
    }

    /// Begins work, which lasts as long as what is returned. Raises `BusyError` or `ClosedError`.
    pub(crate) fn enter(&self) -> PyResult<Hold> {
        self.door.enter()
    }

    /// Refuses new work; "draining" while earlier work still runs.
    #[pyo3(signature = () -> "Any")]
    fn close(&self) -> &'static str {
        self.door.close()
    }

    /// Begins a call, a dict or an object with the same attributes, and gives its first ask.
    #[pyo3(signature = (call, observed, now, cancelled) -> "tuple[BrowserCall, tuple[Any, ...]]")]
    fn begin<'py>(
        &self,
        py: Python<'py>,
        call: &Bound<'py, PyAny>,
        observed: bool,
        now: u64,
        cancelled: bool,
    ) -> PyResult<(BrowserCall, Bound<'py, PyTuple>)> {
        BrowserCall::begin(py, &self.selection, call, (observed, now, cancelled))
    }
}

/// The names of all members, in the order of the member table (B-1).
#[pyfunction]
pub(crate) fn browser_members() -> Vec<&'static str> {
    MEMBERS.iter().map(|spec| spec.name).collect()
}

/// A name with unpaired surrogates is no member's, however it is spelled here.
fn names(names: Vec<Bound<'_, PyString>>) -> Vec<String> {
    names.iter().map(|name| name.to_string_lossy().into_owned()).collect()
}

/// The core's gate behind a lock that is held for nothing else.
#[derive(Clone, Default)]
pub(crate) struct Door(Arc<Mutex<Entrance>>);

#[derive(Default)]
struct Entrance {
    gate: Gate,
    /// Code that was left running by the work that is going on.
    remaining: usize,
    /// Whether that work itself is over.
    is_left: bool,
}

impl Door {
    pub(crate) fn enter(&self) -> PyResult<Hold> {
        self.entrance().gate.enter().map_err(errors::gate)?;
        Ok(Hold(Mutex::new(Some((self.clone(), Part::Work)))))
    }

    /// Keeps the work that is going on from ending before what is returned ends.
    pub(crate) fn remain(&self) -> Hold {
        self.entrance().remaining += 1;
        Hold(Mutex::new(Some((self.clone(), Part::LeftRunning))))
    }

    pub(crate) fn close(&self) -> &'static str {
        let status: CloseStatus = self.entrance().gate.close();
        status.as_str()
    }

    fn leave(&self, part: Part) {
        let mut entrance = self.entrance();
        match part {
            Part::Work => entrance.is_left = true,
            Part::LeftRunning => entrance.remaining -= 1,
        }
        if entrance.is_left && entrance.remaining == 0 {
            entrance.is_left = false;
            entrance.gate.leave();
        }
    }

    fn entrance(&self) -> std::sync::MutexGuard<'_, Entrance> {
        // A few numbers, right at any moment.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Work that is going on. It ends with the `with` block, or with this object if no block was reached:
/// an interrupt at any moment leaves the gate free.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct Hold(Mutex<Option<(Door, Part)>>);

#[derive(Clone, Copy)]
enum Part {
    Work,
    LeftRunning,
}

#[pymethods]
impl Hold {
    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error: "object"))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {
        self.end();
    }
}

impl Hold {
    fn end(&self) {
        // Taken out, so that a second end is not the end of someone else's work.
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((door, part)) = held {
            door.leave(part);
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.end();
    }
}
