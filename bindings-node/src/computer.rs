//! Computer toolsets: one call, and the loop that has nothing but a computer.

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]

use napi::bindgen_prelude::External;
use napi_derive::napi;
use swingbridge_core::computer::{ACTIONS, CheckedCall, ComputerCall, ComputerOptions};
use swingbridge_core::runner::{RunMachine, RunnerTools};

use crate::convert;
use crate::errors::{Fault, admission};
use crate::run::{Gates, Run};
use crate::session::{Session, Tools, Work, clock};

/// The methods that a computer driver must have (C-1).
#[napi]
pub(crate) fn computer_methods() -> Vec<&'static str> {
    ACTIONS.iter().map(|action| action.name).collect()
}

/// Makes the session of a computer toolset.
#[napi]
pub(crate) fn open_computer() -> External<Session> {
    External::new(Session::new(Tools::Computer))
}

/// Whether a call, as JSON text, may be run (C-2, C-3).
#[napi]
pub(crate) fn is_computer_call(call: String) -> bool {
    CheckedCall::read(&convert::value(&call)).is_some()
}

/// Begins a computer call, as `beginCall` does. `call` is its JSON text, `consents` the callbacks that
/// the caller gave: 1 for safety checks, 2 for actions.
#[napi]
pub(crate) fn begin_computer_call(
    session: &External<Session>,
    call: String,
    consents: u32,
    observed: bool,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    session.enter()?;
    let call = convert::value(&call);
    let options = ComputerOptions { observed, ..options(consents) };
    let machine = ComputerCall::begin(&call, options, clock(now), cancelled);
    Ok(session.begin(Work::Computer(Box::new(machine))))
}

/// Begins a run that has nothing but a computer, as `beginRun` does (C-7).
#[napi]
pub(crate) fn begin_computer_run(
    session: &External<Session>,
    params: String,
    max_steps: String,
    consents: u32,
    observed: bool,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    let (params, max_steps) = (convert::value(&params), convert::value(&max_steps));
    let mut plan =
        RunnerTools::admit_computer_run(&params, max_steps).map_err(|error| admission(&error))?;
    plan.set_computer_options(options(consents));
    let adds_computer = !plan.declares_computer();
    session.enter()?;
    let machine = RunMachine::begin(plan, observed, clock(now), cancelled);
    // The run is the toolset's own work, so it has passed the gate already.
    Ok(session.begin(Work::Run(Box::new(Run::begin(machine, Gates::default(), adds_computer)))))
}

pub(crate) fn options(consents: u32) -> ComputerOptions {
    ComputerOptions {
        approves_safety_checks: consents & 1 != 0,
        reviews_actions: consents & 2 != 0,
        ..ComputerOptions::default()
    }
}
