//! Runs: bounded loops of requests and the local work that the responses ask for.

mod admit;
mod choice;
mod identity;
mod machine;
#[cfg_attr(not(test), expect(dead_code, unused_imports, reason = "the machine uses it"))]
mod mcp;
mod response;
mod server;

pub use admit::{AdmissionError, DEFAULT_MAX_STEPS, FunctionSpec, RunPlan, RunnerTools};
pub(crate) use identity::Identities;
pub use machine::{CallOutput, FunctionCall, RunMachine, RunOutcome, TurnRequest};
pub use response::{ModelResponse, is_replayed};
