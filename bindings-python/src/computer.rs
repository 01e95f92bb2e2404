//! Computer calls: the session of a toolset, one call under way, and the computer-only loop.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use swingbridge_core::computer::{self, ComputerAction, ComputerOptions, ComputerOutput};
use swingbridge_core::runner::{RunMachine, RunnerTools};
use swingbridge_core::{Answer, Ask, AskId, Misuse, Reply};

use crate::convert::{HostValue, Terms};
use crate::errors;
use crate::lease::Lease;
use crate::objects::{self, HeldTexts};
use crate::received::Manner;
use crate::run::Run;
use crate::runner_session::Given;
use crate::session::{Door, Hold};
use crate::step::{Machine, Open, Slot, failure};

/// Who may use a computer toolset (B-50).
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct ComputerSession {
    door: Door,
}

#[pymethods]
impl ComputerSession {
    #[new]
    fn new() -> Self {
        Self { door: Door::default() }
    }

    /// Begins work, which lasts as long as what is returned. Raises `BusyError` or `ClosedError`.
    pub(crate) fn enter(&self) -> PyResult<Hold> {
        self.door.enter()
    }

    /// Keeps the work that is going on from ending before what is returned ends.
    fn remain(&self) -> Hold {
        self.door.remain()
    }

    /// Refuses new work; "draining" while earlier work still runs.
    #[pyo3(signature = () -> "Any")]
    fn close(&self) -> &'static str {
        self.door.close()
    }

    /// Begins a call, given as plain objects, and gives its first ask. `consents` says whether there
    /// is an `approve_safety_checks` and a `before_action`.
    #[pyo3(signature = (call, observed, now, cancelled, consents) -> "tuple[ComputerCall, tuple[Any, ...]]")]
    #[staticmethod]
    fn begin_call<'py>(
        py: Python<'py>,
        call: Bound<'py, PyAny>,
        observed: bool,
        now: u64,
        cancelled: bool,
        consents: (bool, bool),
    ) -> PyResult<(ComputerCall, Bound<'py, PyTuple>)> {
        let source = call.cast::<PyDict>().ok().cloned();
        let read = HostValue::read(call, Terms::default());
        let options = options(consents, observed);
        let machine =
            computer::ComputerCall::begin(&read.json(&mut Vec::new()), options, now, cancelled);
        let call = ComputerCall(Slot::new(Open::new(machine)));
        let ask = call.0.lend(|open| {
            open.keep_calls(source.map(Bound::into_any));
            open.ask(py)
        })?;
        Ok((call, ask))
    }

    /// Admits and begins a run of the computer alone, and gives its first ask (C-7). Raises
    /// `ConfigurationError`.
    #[pyo3(signature = (params, local_tools: "list[Any]", given: "object", observed, now, cancelled) -> "tuple[Run, tuple[Any, ...]]")]
    #[staticmethod]
    fn begin<'py>(
        py: Python<'py>,
        params: Bound<'py, PyAny>,
        local_tools: Bound<'py, PyList>,
        given: Given<'py>,
        observed: bool,
        now: u64,
        cancelled: bool,
    ) -> PyResult<(Run, Bound<'py, PyTuple>)> {
        let read = HostValue::read(params.clone(), Terms::EXACT);
        let max_steps = HostValue::read(given.max_steps.clone(), Terms::EXACT);
        let mut held = Vec::new();
        let plan =
            RunnerTools::admit_computer_run(&read.json(&mut held), max_steps.json(&mut held));
        let mut plan = plan.map_err(errors::admission)?;
        plan.set_computer_options(options(given.consents, observed));
        let history = given.history(&params, local_tools, true)?;
        let machine = RunMachine::begin(plan, observed, now, cancelled);
        // The toolset is taken for the whole run by who began it.
        let reads_text = history.is_text();
        let manner = Manner { is_saved: false, read_item: None, reads_text };
        Run::begin(py, machine, history, Lease::default(), manner)
    }
}

/// The methods that a computer driver has, each named as its action (C-1).
#[pyfunction]
pub(crate) fn computer_methods() -> Vec<&'static str> {
    computer::ACTIONS.iter().map(|spec| spec.name).collect()
}

/// A computer call. Each answer gives the next ask.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct ComputerCall(Slot<Open<computer::ComputerCall>>);

#[pymethods]
impl ComputerCall {
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

impl ComputerCall {
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

impl Machine for computer::ComputerCall {
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

/// What the caller gave: `approve_safety_checks`, `before_action`, an observer.
pub(crate) fn options(
    (approves_safety_checks, reviews_actions): (bool, bool),
    observed: bool,
) -> ComputerOptions {
    ComputerOptions { approves_safety_checks, reviews_actions, observed }
}

/// The call of that id among the plain objects of a response, or the only one.
pub(crate) fn find<'py>(
    calls: &Bound<'py, PyAny>,
    call_id: Option<&str>,
) -> Option<Bound<'py, PyDict>> {
    let Some(call_id) = call_id else { return calls.cast::<PyDict>().ok().cloned() };
    let has = |item: &Bound<'py, PyDict>, name: &str, wanted: &str| {
        let value = item.get_item(name).ok().flatten();
        let text = value.as_ref().and_then(|value| value.cast::<PyString>().ok());
        text.is_some_and(|text| text.to_str().is_ok_and(|text| text == wanted))
    };
    calls
        .cast::<PyList>()
        .ok()?
        .iter()
        .filter_map(|item| item.cast_into::<PyDict>().ok())
        .find(|item| has(item, "type", "computer_call") && has(item, "call_id", call_id))
}

/// The action of that index as the host holds it; `None` for the final picture.
pub(crate) fn wire_action<'py>(
    call: Option<&Bound<'py, PyDict>>,
    index: usize,
) -> Option<Bound<'py, PyAny>> {
    let call = call?;
    match call.get_item(intern!(call.py(), "actions")).ok()? {
        Some(actions) => actions.cast::<PyList>().ok()?.get_item(index).ok(),
        None if index == 0 => call.get_item(intern!(call.py(), "action")).ok()?,
        None => None,
    }
}

/// The fields that the rules read of an action, by name.
pub(crate) fn action<'py>(
    py: Python<'py>,
    action: Option<&ComputerAction>,
) -> PyResult<Bound<'py, PyDict>> {
    if let Some(action) = action {
        return objects::fields(py, &action.fields, &[]);
    }
    let fields = PyDict::new(py);
    fields.set_item(intern!(py, "type"), intern!(py, "screenshot"))?;
    Ok(fields)
}

/// A `computer_call_output` item (C-6).
pub(crate) fn output<'py>(
    py: Python<'py>,
    output: &ComputerOutput,
    held: &HeldTexts,
) -> PyResult<Bound<'py, PyDict>> {
    let picture = PyDict::new(py);
    picture.set_item(intern!(py, "type"), intern!(py, "computer_screenshot"))?;
    let sources = [
        (intern!(py, "image_url"), &output.screenshot.image_url),
        (intern!(py, "file_id"), &output.screenshot.file_id),
    ];
    for (name, source) in sources {
        if let Some(source) = source {
            picture.set_item(name, objects::json(py, source, held)?)?;
        }
    }
    let acknowledged = PyList::empty(py);
    for check in &output.acknowledged {
        let entry = PyDict::new(py);
        entry.set_item(intern!(py, "id"), &check.id)?;
        entry.set_item(intern!(py, "code"), check.code.as_deref())?;
        entry.set_item(intern!(py, "message"), check.message.as_deref())?;
        acknowledged.append(entry)?;
    }
    let item = PyDict::new(py);
    item.set_item(intern!(py, "type"), intern!(py, "computer_call_output"))?;
    item.set_item(intern!(py, "call_id"), &output.call_id)?;
    item.set_item(intern!(py, "output"), picture)?;
    item.set_item(intern!(py, "acknowledged_safety_checks"), acknowledged)?;
    Ok(item)
}
