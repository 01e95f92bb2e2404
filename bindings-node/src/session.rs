//! Toolsets and runners: one session each, with at most one piece of work at a time.

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]
#![expect(clippy::too_many_arguments, reason = "an object would cross property by property")]

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use napi::bindgen_prelude::{Either3, External, Null, Undefined};
use napi_derive::napi;
use swingbridge_core::browser::{
    ArgumentText, BrowserCall, CallFields, CallStatus, Selection, SelectionOptions,
};
use swingbridge_core::computer::ComputerCall;
use swingbridge_core::gate::Gate;
use swingbridge_core::json::{HELD_HEAD, HOST_VALUES, Json, read_fields};
use swingbridge_core::runner::{
    FunctionDeclaration, RunMachine, RunOutcome, RunnerTools, is_replayed,
};
use swingbridge_core::{Answer, AskId, Misuse, Reply};

use crate::computer;
use crate::convert;
use crate::errors::{Fault, admission, busy_or_closed, configuration, misuse};
use crate::options::run_options;
use crate::run::{Gates, Run, SharedGate, with_gate};

/// One toolset or one runner.
pub(crate) struct Session {
    tools: Tools,
    gate: SharedGate,
    open: Mutex<Open>,
}

/// Nothing of the tools or of the work: both are private.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

pub(crate) enum Tools {
    Browser(Selection),
    Computer,
    Runner { tools: RunnerTools, gates: Gates },
}

#[derive(Default)]
pub(crate) struct Open {
    pub(crate) work: Option<Work>,
    /// How many pieces of code the host started and left running: the session is busy until they are
    /// over.
    pub(crate) left_running: u32,
    /// Whether the host cannot go on with the work.
    given_up: bool,
}

pub(crate) enum Work {
    Call(Box<BrowserCall>),
    Computer(Box<ComputerCall>),
    Run(Box<Run>),
}

impl Work {
    fn answer(&mut self, id: AskId, reply: Reply<'_>) -> Result<(), Misuse> {
        match self {
            Self::Call(call) => call.answer(id, reply),
            Self::Computer(call) => call.answer(id, reply),
            Self::Run(run) => run.answer(id, reply),
        }
    }

    fn is_over(&self) -> bool {
        match self {
            Self::Call(call) => call.ask().is_end(),
            Self::Computer(call) => call.ask().is_end(),
            Self::Run(run) => run.is_over(),
        }
    }

    /// What a run has done so far.
    fn outcome(&self) -> Option<RunOutcome<'_>> {
        match self {
            Self::Call(_) | Self::Computer(_) => None,
            Self::Run(run) => Some(run.outcome()),
        }
    }

    /// The text of the open ask, which is to be told once.
    fn ask(&mut self) -> String {
        match self {
            Self::Call(call) => convert::ask(&call.ask(), None),
            Self::Computer(call) => convert::ask(&call.ask(), None),
            Self::Run(run) => run.ask(),
        }
        // Only a machine that is newer than this binding asks what it has no text for.
        .unwrap_or_else(|| convert::stopped(Misuse::WrongKind.code(), "unknown ask", None))
    }
}

impl Session {
    pub(crate) fn new(tools: Tools) -> Self {
        Self { tools, gate: SharedGate::default(), open: Mutex::default() }
    }

    /// Passes the gate, which `begin` expects.
    pub(crate) fn enter(&self) -> Result<(), Fault> {
        with_gate(&self.gate, Gate::enter).map_err(busy_or_closed)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first ask of new work. The caller has entered the gate.
    pub(crate) fn begin(&self, mut work: Work) -> String {
        let mut open = self.lock();
        let ask = work.ask();
        open.work = Some(work);
        open.given_up = false;
        self.leave_if_over(&mut open);
        ask
    }

    pub(crate) fn answer(
        &self,
        ask: u32,
        answer: Answer<'_>,
        cancelled: bool,
        now: i64,
    ) -> Result<String, Fault> {
        let mut open = self.lock();
        let reply = Reply { answer, cancelled, now: clock(now) };
        let work = open.work.as_mut().ok_or_else(|| misuse(Misuse::Ended))?;
        work.answer(AskId(u64::from(ask)), reply).map_err(misuse)?;
        let ask = work.ask();
        self.leave_if_over(&mut open);
        Ok(ask)
    }

    /// Ends work that its host cannot go on with; the end has the receipts. `running` says whether code
    /// that the host started is not over.
    fn give_up(&self, code: &str, message: &str, running: bool) -> String {
        let mut open = self.lock();
        let outcome = open.work.as_ref().and_then(Work::outcome);
        let end = convert::stopped(code, message, outcome);
        open.given_up = true;
        open.left_running += u32::from(running);
        self.leave_if_over(&mut open);
        end
    }

    /// Ends work that nobody wants to go on with.
    pub(crate) fn let_go(&self) {
        let mut open = self.lock();
        open.given_up = true;
        self.leave_if_over(&mut open);
    }

    pub(crate) fn leave_if_over(&self, open: &mut Open) {
        let given_up = open.given_up;
        let is_over = open.work.as_ref().is_some_and(|work| given_up || work.is_over());
        if open.left_running == 0 && is_over {
            if let Some(Work::Run(mut run)) = open.work.take() {
                run.leave();
            }
            with_gate(&self.gate, Gate::leave);
        }
    }
}

/// Microseconds of the host's clock; 0 where nobody observes.
pub(crate) fn clock(now: i64) -> u64 {
    u64::try_from(now).unwrap_or_default()
}

/// The field names that a rule reads, for snapshots of whole trees.
#[napi]
pub(crate) fn host_fields() -> Vec<&'static str> {
    read_fields().to_vec()
}

/// The most values that one host value may unfold to.
#[napi]
pub(crate) fn host_values() -> u32 {
    u32::try_from(HOST_VALUES).unwrap_or(u32::MAX)
}

/// How many characters of a text that stays with the host cross.
#[napi]
pub(crate) fn held_head() -> u32 {
    u32::try_from(HELD_HEAD).unwrap_or(u32::MAX)
}

/// Whether a field of an output item goes back with the history.
#[napi]
pub(crate) fn is_replayed_field(kind: String, field: String) -> bool {
    is_replayed(&kind, &field)
}

/// Makes the session of a toolset; throws for options that the rules do not allow (B-1 … B-5).
/// `implemented` names the driver's methods, `state` included.
#[napi]
pub(crate) fn open_browser(
    members: Option<Vec<String>>,
    additional_members: Option<Vec<String>>,
    confirm_reads: Option<Vec<String>>,
    has_confirm: bool,
    has_url_policy: bool,
    implemented: Vec<String>,
) -> Result<External<Session>, Fault> {
    let options = SelectionOptions {
        members,
        additional_members,
        confirm_reads,
        has_confirm,
        has_url_policy,
    };
    let selection = Selection::new(&options, |name| implemented.iter().any(|has| has == name))
        .map_err(|error| configuration(&error))?;
    Ok(External::new(Session::new(Tools::Browser(selection))))
}

/// The declarations of a toolset's tools, as a JSON list.
#[napi]
pub(crate) fn tools_json(session: &External<Session>) -> String {
    match &session.tools {
        Tools::Browser(selection) => selection.tools_json(),
        Tools::Computer | Tools::Runner { .. } => "[]".to_owned(),
    }
}

/// Makes the session of a runner; throws for tools that the rules do not allow. `functions` is a
/// JSON list of `{tool, allows_override, is_independent}`, `early` the JSON of `{functions, computer}`
/// or null.
#[napi]
pub(crate) fn open_runner(
    browser: Option<&External<Session>>,
    computer: Option<&External<Session>>,
    functions: String,
    early: String,
) -> Result<External<Session>, Fault> {
    let selection = match browser.map(|session| &session.tools) {
        Some(Tools::Browser(selection)) => Some(selection.clone()),
        _ => None,
    };
    let gate = |session: &External<Session>| session.gate.clone();
    let gates = Gates { browser: browser.map(gate), computer: computer.map(gate) };
    let functions = convert::value(&functions);
    let declarations: Vec<_> =
        functions.as_list().unwrap_or_default().iter().map(declaration).collect();
    let tools = RunnerTools::new(selection, &declarations)
        .and_then(|tools| tools.with_early_execution(&convert::value(&early)))
        .map_err(|error| admission(&error))?;
    let tools = if computer.is_some() { tools.with_computer() } else { tools };
    Ok(External::new(Session::new(Tools::Runner { tools, gates })))
}

fn declaration<'j>(function: &'j Json<'j>) -> FunctionDeclaration<'j> {
    let is_set = |name: &str| function.field(name).and_then(Json::as_bool) == Some(true);
    FunctionDeclaration {
        tool: function.field("tool").unwrap_or(&Json::Null),
        allows_override: is_set("allows_override"),
        is_independent: is_set("is_independent"),
    }
}

/// Begins a browser call and gives its first ask, whose id is 0; each answer raises the id by one.
/// Throws if the session is busy or closed. A field of the call that is no well-formed text is
/// undefined. `text` is its `arguments`, null if they have unpaired surrogates. A `status` that is
/// there and no text is "".
#[napi]
pub(crate) fn begin_call(
    session: &External<Session>,
    kind: Option<String>,
    name: Option<String>,
    call_id: Option<String>,
    text: Either3<String, Null, Undefined>,
    status: Option<String>,
    observed: bool,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    let Tools::Browser(selection) = &session.tools else { return Err(misuse(Misuse::WrongKind)) };
    session.enter()?;
    let fields = CallFields {
        kind: kind.as_deref(),
        name: name.as_deref(),
        call_id: call_id.as_deref(),
        arguments: match &text {
            Either3::A(text) => ArgumentText::Valid(text),
            Either3::B(Null) => ArgumentText::Unpaired,
            Either3::C(()) => ArgumentText::NotText,
        },
        status: status.as_deref().map_or(CallStatus::Unset, CallStatus::Text),
    };
    let call = BrowserCall::begin(selection, &fields, observed, clock(now), cancelled);
    Ok(session.begin(Work::Call(Box::new(call))))
}

/// Begins a call that is not to be run because an earlier one of its response failed.
#[napi]
pub(crate) fn begin_skipped_call(
    session: &External<Session>,
    call_id: Option<String>,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    session.enter()?;
    let fields = CallFields { call_id: call_id.as_deref(), ..CallFields::default() };
    let call = BrowserCall::begin_skipped(&fields, clock(now), cancelled);
    Ok(session.begin(Work::Call(Box::new(call))))
}

/// Begins a run and gives its first ask, as `beginCall` does. `params`, `options`, `ledger` and `tools`
/// are JSON (see `options.rs`). `consents` are those for computer calls, as in `beginComputerCall`.
#[napi]
pub(crate) fn begin_run(
    session: &External<Session>,
    params: String,
    options: String,
    ledger: Option<String>,
    tools: Option<String>,
    consents: u32,
    observed: bool,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    let Tools::Runner { tools: runner, gates } = &session.tools else {
        return Err(misuse(Misuse::WrongKind));
    };
    let options = run_options(&options, ledger.as_deref(), tools.as_deref());
    let mut plan =
        runner.admit(&convert::value(&params), &options).map_err(|error| admission(&error))?;
    plan.set_computer_options(computer::options(consents));
    let adds_computer = gates.computer.is_some() && !plan.declares_computer();
    session.enter()?;
    let machine = RunMachine::begin(plan, observed, clock(now), cancelled);
    Ok(session.begin(Work::Run(Box::new(Run::begin(machine, gates.clone(), adds_computer)))))
}

/// Ends the open work of a pump that cannot go on, and gives that end: a stop with this code and
/// message. Whatever the host's code did may have had an effect. `running` says whether some of it is
/// not over: the session stays busy until `release` says that it is.
#[napi]
pub(crate) fn give_up(
    session: &External<Session>,
    code: String,
    message: String,
    running: bool,
) -> String {
    session.give_up(&code, &message, running)
}

/// Refuses new work and says whether some is still running (B-50).
#[napi]
pub(crate) fn close(session: &External<Session>) -> &'static str {
    with_gate(&session.gate, Gate::close).as_str()
}
