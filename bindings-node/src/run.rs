//! A run and the toolsets it borrows.

use std::sync::{Arc, Mutex, PoisonError};

use swingbridge_core::gate::{Gate, GateError};
use swingbridge_core::json::Json;
use swingbridge_core::runner::{HistoryUpdate, RunMachine, RunOutcome, TurnRefusal, TurnRequest};
use swingbridge_core::{Ask, AskId, Misuse, Reply};

use crate::convert;
use crate::run_asks::{ToldIds, checkpoint_frame, run_ask};

/// The gate of a toolset, which a runner with that toolset has to pass as well.
pub(crate) type SharedGate = Arc<Mutex<Gate>>;

pub(crate) fn with_gate<T>(gate: &SharedGate, work: impl FnOnce(&mut Gate) -> T) -> T {
    work(&mut gate.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The gates of the toolsets that a run borrows.
#[derive(Clone, Default)]
pub(crate) struct Gates {
    pub(crate) browser: Option<SharedGate>,
    pub(crate) computer: Option<SharedGate>,
}

/// A run that holds a toolset's gate while one of its calls is open, and no longer: between them others
/// may use the toolset, and closing it ends the run at its next call (B-50).
pub(crate) struct Run {
    machine: RunMachine,
    gates: Gates,
    /// Whether the requests have to declare the computer.
    adds_computer: bool,
    told: ToldIds,
    holder: Option<Holder>,
    refused: Option<GateError>,
    /// Whether the host knows its requests without being told what they carry.
    sends_itself: bool,
}

/// The call that holds a gate, by its place among the attempted calls.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Holder {
    Browser(usize),
    Computer(usize),
}

impl Run {
    pub(crate) fn begin(machine: RunMachine, gates: Gates, adds_computer: bool) -> Self {
        let told = ToldIds::default();
        let (holder, refused) = (None, None);
        Self { machine, gates, adds_computer, told, holder, refused, sends_itself: false }
    }

    pub(crate) fn sends_itself(&mut self) {
        self.sends_itself = true;
    }

    /// What `read` makes of the request that is asked for; `None` at any other ask.
    pub(crate) fn request<T>(&self, read: impl FnOnce(&TurnRequest<'_>) -> T) -> Option<T> {
        match self.machine.ask() {
            Ask::Send(request) => Some(read(&request)),
            _ => None,
        }
    }

    pub(crate) fn answer(&mut self, id: AskId, reply: Reply<'_>) -> Result<(), Misuse> {
        self.machine.answer(id, reply)?;
        self.pass_gate();
        Ok(())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.refused.is_some() || self.machine.ask().is_end()
    }

    pub(crate) fn outcome(&self) -> RunOutcome<'_> {
        self.machine.outcome()
    }

    /// The text of the open ask, which is to be told once.
    pub(crate) fn ask(&mut self) -> Option<String> {
        let outcome = Some(self.machine.outcome());
        if let Some(error) = &self.refused {
            return Some(convert::stopped(error.code(), &error.to_string(), outcome));
        }
        let ask = match self.machine.ask() {
            Ask::Send(request) if self.sends_itself => Ask::Send(untold(request)),
            ask => ask,
        };
        run_ask(&ask, self.adds_computer, &mut self.told).or_else(|| convert::ask(&ask, outcome))
    }

    /// What all checkpoints of the run have in common, while one is to be saved.
    pub(crate) fn checkpoint_frame(&self) -> Option<String> {
        match self.machine.ask() {
            Ask::Save(checkpoint) => Some(checkpoint_frame(&checkpoint)),
            _ => None,
        }
    }

    pub(crate) fn supply_outputs(
        &mut self,
        outputs: &Json<'_>,
    ) -> Result<Vec<String>, TurnRefusal> {
        self.machine.supply_outputs(outputs)
    }

    pub(crate) fn append_user_text(&mut self, text: &Json<'_>) -> Result<(), TurnRefusal> {
        self.machine.append_user_text(text)
    }

    /// Gives the toolset back.
    pub(crate) fn leave(&mut self) {
        if let Some(gate) = self.holder.take().and_then(|holder| self.gate_of(holder)) {
            with_gate(gate, Gate::leave);
        }
    }

    fn gate_of(&self, holder: Holder) -> Option<&SharedGate> {
        match holder {
            Holder::Browser(_) => self.gates.browser.as_ref(),
            Holder::Computer(_) => self.gates.computer.as_ref(),
        }
    }

    fn pass_gate(&mut self) {
        let call = self.machine.outcome().attempted.len();
        let wanted = match self.machine.ask() {
            Ask::ReadState | Ask::ReviewUrl { .. } | Ask::Confirm { .. } | Ask::Act { .. } => {
                Some(Holder::Browser(call))
            }
            Ask::ApproveSafety { .. }
            | Ask::ReviewAction { .. }
            | Ask::ActOnComputer { .. }
            | Ask::TakeScreenshot => Some(Holder::Computer(call)),
            // A record may belong to the open call; after a stop the driver may still be running.
            Ask::Emit(_) | Ask::Stopped(_) => self.holder,
            _ => None,
        };
        if wanted == self.holder {
            return;
        }
        self.leave();
        if let Some(gate) = wanted.and_then(|holder| self.gate_of(holder)) {
            match with_gate(gate, Gate::enter) {
                Ok(()) => self.holder = wanted,
                Err(error) => self.refused = Some(error),
            }
        }
    }
}

/// A request without what it carries.
fn untold(request: TurnRequest<'_>) -> TurnRequest<'_> {
    let update = HistoryUpdate { outputs: &[], commits: false, texts: &[] };
    TurnRequest { update, projection: None, ..request }
}
