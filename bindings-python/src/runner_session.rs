//! What lives as long as a runner: its tools and its gate; and how its runs begin.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use swingbridge_core::json::Json;
use swingbridge_core::runner::{FunctionDeclaration, RunMachine, RunOptions, RunnerTools};

use crate::client::CallTerms;
use crate::computer::{self, ComputerSession};
use crate::conversation::{Conversation, is_computer};
use crate::convert::{HostValue, Terms};
use crate::errors;
use crate::history::History;
use crate::lease::Lease;
use crate::received::Manner;
use crate::run::Run;
use crate::session::{BrowserSession, Door, Hold};
use crate::text_conversation::TextConversation;

/// The tools of a runner, and who may use it.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct RunnerSession {
    tools: RunnerTools,
    browser: Option<Py<BrowserSession>>,
    computer: Option<Py<ComputerSession>>,
    door: Door,
}

/// What the caller gave to one run besides the parameters, as `swingbridge.options.Given` has it.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(FromPyObject)]
pub(crate) struct Given<'py> {
    pub(crate) max_steps: Bound<'py, PyAny>,
    stream: Bound<'py, PyAny>,
    eager: Bound<'py, PyAny>,
    max_concurrent_calls: Bound<'py, PyAny>,
    finish_at_limit: Bound<'py, PyAny>,
    /// The run's name, and a copy of the checkpoint to go on from.
    ledger: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    context_budget: Option<Bound<'py, PyAny>>,
    approves_mcp: bool,
    reviews_early: bool,
    delivers_events: bool,
    yields_turns: bool,
    /// Whether there is an `approve_safety_checks` and a `before_action`.
    pub(crate) consents: (bool, bool),
    /// The header that names the idempotency key, and the key.
    idempotency: Option<(String, String)>,
    /// What the core is told of an output item, if that may be something else than the item.
    read_item: Option<Bound<'py, PyAny>>,
    /// The body and the rest of a request, if the native client sends it.
    native: Option<(Bound<'py, PyAny>, CallTerms)>,
}

impl<'py> Given<'py> {
    /// What the host holds of an admitted run.
    pub(crate) fn history(
        self,
        params: &Bound<'py, PyAny>,
        local_tools: Bound<'py, PyList>,
        has_computer: bool,
    ) -> PyResult<History> {
        let params = params.cast::<PyDict>()?;
        let tools = PyList::new(params.py(), local_tools)?;
        if has_computer && !declared(params)?.iter().any(is_computer) {
            tools.append(computer_tool(params.py())?)?;
        }
        let is_plain = self.ledger.is_none() && self.context_budget.is_none();
        if let Some((body, terms)) = self.native.filter(|_| is_plain) {
            let idempotency = self.idempotency.clone();
            if let Some(text) = TextConversation::begin(&body, &tools, terms, idempotency)? {
                return Ok(History::Text(Box::new(text)));
            }
        }
        let saved = match self.ledger {
            Some((_, checkpoint)) => match checkpoint.cast::<PyDict>() {
                Ok(checkpoint) => checkpoint.get_item("history")?,
                Err(_) => None,
            },
            None => None,
        };
        let saved = saved.and_then(|saved| saved.cast_into::<PyList>().ok());
        Conversation::begin(params, tools, saved, self.idempotency)
            .map(Box::new)
            .map(History::Objects)
    }
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
        let values: Vec<_> = functions
            .iter()
            .map(|function| HostValue::read(function.0.clone(), Terms::EXACT))
            .collect();
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
            let early = HostValue::read(early, Terms::WHOLE);
            let early = early.json(&mut held);
            tools = tools.with_early_execution(&early).map_err(errors::admission)?;
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

    /// Keeps the work that is going on from ending before what is returned ends.
    fn remain(&self) -> Hold {
        self.door.remain()
    }

    /// Refuses new work; "draining" while earlier work still runs.
    #[pyo3(signature = () -> "Any")]
    fn close(&self) -> &'static str {
        self.door.close()
    }

    /// Admits and begins a run, and gives its first ask. Raises `ConfigurationError`.
    ///
    /// `params` are a copy of the caller's, `local_tools` the tools of the browser and the functions.
    #[pyo3(signature = (params, local_tools: "list[Any]", given: "object", observed, now, cancelled) -> "tuple[Run, tuple[Any, ...]]")]
    #[expect(clippy::too_many_arguments, reason = "each is a fact that the pump has at hand")]
    fn begin<'py>(
        &self,
        py: Python<'py>,
        params: Bound<'py, PyAny>,
        local_tools: Bound<'py, PyList>,
        given: Given<'py>,
        observed: bool,
        now: u64,
        cancelled: bool,
    ) -> PyResult<(Run, Bound<'py, PyTuple>)> {
        let is_saved = given.ledger.is_some();
        let plan = {
            let whole: &[&str] = if is_saved || given.context_budget.is_some() {
                &["tools", "input"]
            } else {
                &["tools"]
            };
            let read = HostValue::read_with(params.clone(), Terms::EXACT, whole);
            let exact = |value: &Bound<'py, PyAny>| HostValue::read(value.clone(), Terms::EXACT);
            let all_tools = is_saved.then(|| self.all_tools(&params, &local_tools)).transpose()?;
            let all_tools = all_tools.map(|tools| HostValue::read(tools.into_any(), Terms::WHOLE));
            let flags = [
                &given.max_steps,
                &given.stream,
                &given.eager,
                &given.max_concurrent_calls,
                &given.finish_at_limit,
            ]
            .map(exact);
            let [max_steps, stream, eager, max_concurrent_calls, finish_at_limit] =
                flags.each_ref().map(|flag| flag.json(&mut Vec::new()));
            let whole = |value: &Bound<'py, PyAny>| HostValue::read(value.clone(), Terms::WHOLE);
            let ledger = given.ledger.as_ref().map(|(id, from)| (whole(id), whole(from)));
            let budget = given.context_budget.as_ref().map(whole);
            let options = RunOptions {
                max_steps,
                stream,
                eager,
                max_concurrent_calls,
                finish_at_limit,
                ledger: ledger.as_ref().map(|(id, from)| {
                    Json::Object(vec![
                        ("run_id".into(), id.json(&mut Vec::new())),
                        ("resume_from".into(), from.json(&mut Vec::new())),
                    ])
                }),
                context_budget: budget.as_ref().map(|budget| budget.json(&mut Vec::new())),
                tools: all_tools.as_ref().map_or(Json::Null, |tools| tools.json(&mut Vec::new())),
                approves_mcp: given.approves_mcp,
                reviews_early: given.reviews_early,
                delivers_events: given.delivers_events,
                yields_turns: given.yields_turns,
            };
            self.tools.admit(&read.json(&mut Vec::new()), &options)
        };
        let mut plan = plan.map_err(errors::admission)?;
        plan.set_computer_options(computer::options(given.consents, observed));
        let lease = Lease::new(
            self.browser.as_ref().map(|session| session.clone_ref(py)),
            self.computer.as_ref().map(|session| session.clone_ref(py)),
        );
        let read_item = given.read_item.clone().map(Bound::unbind);
        let history = given.history(&params, local_tools, self.computer.is_some())?;
        let manner = Manner { is_saved, read_item, reads_text: history.is_text() };
        let machine = RunMachine::begin(plan, observed, now, cancelled);
        Run::begin(py, machine, history, lease, manner)
    }
}

impl RunnerSession {
    /// The tools of each request (L-4).
    fn all_tools<'py>(
        &self,
        params: &Bound<'py, PyAny>,
        local_tools: &Bound<'py, PyList>,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = params.py();
        let tools = PyList::new(py, local_tools)?;
        let declared = params.cast::<PyDict>().map_or(Ok(Vec::new()), |params| declared(params))?;
        if self.computer.is_some() && !declared.iter().any(is_computer) {
            tools.append(computer_tool(py)?)?;
        }
        for tool in declared {
            tools.append(tool)?;
        }
        Ok(tools)
    }
}

fn declared<'py>(params: &Bound<'py, PyDict>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let tools = params.get_item("tools")?;
    let tools = tools.and_then(|tools| tools.cast_into::<PyList>().ok());
    Ok(tools.map(|tools| tools.iter().collect()).unwrap_or_default())
}

fn computer_tool(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let tool = PyDict::new(py);
    tool.set_item("type", "computer")?;
    Ok(tool)
}
