//! Runs: bounded loops of requests and the local work that the responses ask for.

mod admit;

mod budget;
mod choice;

mod history;
mod identity;
mod items;
mod machine;

mod mcp;
mod response;
mod server;
#[cfg(test)]
mod test_vectors;

pub use admit::{AdmissionError, DEFAULT_MAX_STEPS, FunctionSpec, RunPlan, RunnerTools};
pub(crate) use identity::Identities;
pub use budget::{BudgetSnapshot, Projection, ProjectionPart};
pub use machine::{CallOutput, FunctionCall, RunMachine, RunOutcome, TurnRequest};
pub use response::{ModelResponse, is_replayed};
