//! What lives as long as a toolset or a runner: its selection, its tools and its gate.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use swingbridge_core::browser::{MEMBERS, Selection, SelectionOptions};
use swingbridge_core::gate::{CloseStatus, Gate};
use swingbridge_core::json::{self, Json};
use swingbridge_core::runner::{self, FunctionDeclaration, RunMachine, RunOptions, RunnerTools};

use crate::call::BrowserCall;
use crate::computer::{self, ComputerSession};
use crate::convert::{HostValue, Terms};
use crate::run::{Lease, Run};
use crate::{errors, objects};

/// The members that a toolset exposes, and who may use it (B-2, B-50).
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct BrowserSession {
    selection: Selection,
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

/// Whether a field of an output item goes back to the service with the history.
#[pyfunction]
#[pyo3(signature = (kind: "str", field: "str"))]
pub(crate) fn is_replayed(kind: Bound<'_, PyString>, field: Bound<'_, PyString>) -> bool {
    runner::is_replayed(&kind.to_string_lossy(), &field.to_string_lossy())
}

/// A name with unpaired surrogates is no member's, however it is spelled here.
fn names(names: Vec<Bound<'_, PyString>>) -> Vec<String> {
    names.iter().map(|name| name.to_string_lossy().into_owned()).collect()
}

/// The tools of a runner, and who may use it.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct RunnerSession {
    tools: RunnerTools,
    browser: Option<Py<BrowserSession>>,
    computer: Option<Py<ComputerSession>>,
    door: Door,
}

#[pymethods]
impl RunnerSession {
    /// `functions` are declarations, each with whether its outputs may be supplied and whether it is
    /// independent. Raises `ConfigurationError`.
    #[new]
    #[pyo3(signature = (browser, functions: "list[tuple[Any, bool, bool]]", computer=None, early_execution=None))]
    fn new(
        browser: Option<Bound<'_, BrowserSession>>,
        functions: Vec<(Bound<'_, PyAny>, bool, bool)>,
        computer: Option<Bound<'_, ComputerSession>>,
        early_execution: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut held = Vec::new();
        let terms = Terms { exact: true, hold: false };
        let values: Vec<_> =
            functions.iter().map(|function| HostValue::read(function.0.clone(), terms)).collect();
        let tools: Vec<_> = values.iter().map(|tool| tool.json(&mut held)).collect();
        let declarations: Vec<_> = tools
            .iter()
            .zip(&functions)
            .map(|(tool, &(_, allows_override, is_independent))| FunctionDeclaration {
                tool,
                allows_override,
                is_independent,
            })
            .collect();
        let selection = browser.as_ref().map(|browser| browser.get().selection.clone());
        let mut tools = RunnerTools::new(selection, &declarations).map_err(errors::admission)?;
        if computer.is_some() {
            tools = tools.with_computer();
        }
        if let Some(early) = early_execution {
            let early = HostValue::read(early, terms);
            tools = tools.with_early_execution(&early.json(&mut held)).map_err(errors::admission)?;
        }
        Ok(Self {
            tools,
            browser: browser.map(Bound::unbind),
            computer: computer.map(Bound::unbind),
            door: Door::default(),
        })
    }

    /// Begins work, which lasts as long as what is returned. Raises `BusyError` or `ClosedError`.
    fn enter(&self) -> PyResult<Hold> {
        self.door.enter()
    }

    /// Refuses new work; "draining" while earlier work still runs.
    #[pyo3(signature = () -> "Any")]
    fn close(&self) -> &'static str {
        self.door.close()
    }

    /// Admits and begins a run, and gives its first ask. Raises `ConfigurationError`.
    #[pyo3(signature = (params, max_steps, observed, now, cancelled, consents=(false, false)) -> "tuple[Run, tuple[Any, ...]]")]
    #[expect(clippy::too_many_arguments, reason = "each is a fact that the pump has at hand")]
    fn begin<'py>(
        &self,
        py: Python<'py>,
        params: Bound<'py, PyAny>,
        max_steps: Bound<'py, PyAny>,
        observed: bool,
        now: u64,
        cancelled: bool,
        consents: (bool, bool),
    ) -> PyResult<(Run, Bound<'py, PyTuple>)> {
        let terms = Terms { exact: true, hold: false };
        let params = HostValue::read(params, terms);
        let max_steps = HostValue::read(max_steps, terms);
        let mut held = Vec::new();
        let options =
            RunOptions { max_steps: max_steps.json(&mut held), ..RunOptions::default() };
        let plan = self.tools.admit(&params.json(&mut held), &options);
        let mut plan = plan.map_err(errors::admission)?;
        plan.set_computer_options(computer::options(consents, observed));
        let adds_computer = self.computer.is_some() && !plan.declares_computer();
        let lease = Lease::new(
            self.browser.as_ref().map(|session| session.clone_ref(py)),
            self.computer.as_ref().map(|session| session.clone_ref(py)),
        );
        Run::begin(py, RunMachine::begin(plan, observed, now, cancelled), lease, adds_computer)
    }
}

/// The core's gate behind a lock that is held for nothing else.
#[derive(Clone, Default)]
pub(crate) struct Door(Arc<Mutex<Gate>>);

impl Door {
    pub(crate) fn enter(&self) -> PyResult<Hold> {
        self.gate().enter().map_err(errors::gate)?;
        Ok(Hold(Mutex::new(Some(self.clone()))))
    }

    pub(crate) fn close(&self) -> &'static str {
        let status: CloseStatus = self.gate().close();
        status.as_str()
    }

    fn gate(&self) -> std::sync::MutexGuard<'_, Gate> {
        // The gate is two flags, right at any moment.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Work that is going on. It ends with the `with` block, or with this object if no block was reached:
/// an interrupt at any moment leaves the gate free.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct Hold(Mutex<Option<Door>>);

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
        let door = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(door) = door {
            door.gate().leave();
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.end();
    }
}
