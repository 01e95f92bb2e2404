//! Runs: bounded loops of requests and the local work that the responses ask for.

mod admit;
#[cfg_attr(not(test), expect(dead_code, reason = "the machine is to use it"))]
mod budget;
mod choice;
#[cfg_attr(not(test), expect(dead_code, reason = "the machine is to use it"))]
mod history;
mod identity;
mod items;
mod machine;
mod response;
mod server;
#[cfg(test)]
mod test_vectors;

pub use admit::{AdmissionError, DEFAULT_MAX_STEPS, FunctionSpec, RunPlan, RunnerTools};
pub use budget::{BudgetSnapshot, Projection, ProjectionPart};
pub use machine::{CallOutput, FunctionCall, RunMachine, RunOutcome, TurnRequest};
pub use response::{ModelResponse, is_replayed};
