//! Runs: bounded loops of requests and the local work that the responses ask for.

mod admit;
mod asks;
mod budget;
mod choice;
mod early;
mod fault;
mod history;
mod idempotency;
mod identity;
pub(crate) mod items;
mod machine;
mod mcp;
mod options;
mod plan;
mod records;
mod response;
pub(crate) mod server;
mod steps;
mod turn;

pub use admit::{FunctionDeclaration, FunctionSpec, RunnerTools};
pub use asks::{
    CallOutput, Checkpoint, CompactRequest, FunctionCall, HistoryUpdate, ImportedRequest,
    PendingItems, Phase, RunOutcome, StreamEvent, TurnRequest, TurnView,
};
pub use budget::{BudgetSnapshot, Projection, ProjectionPart};
pub use choice::is_computer_kind;
pub use early::{EventReads, reads_of_event};
pub use fault::AdmissionError;
pub use idempotency::idempotency_key;
pub(crate) use identity::Identities;
pub use machine::RunMachine;
pub use options::{DEFAULT_MAX_CONCURRENT_CALLS, DEFAULT_MAX_STEPS, RunOptions};
pub use plan::RunPlan;
pub use response::{ModelResponse, is_replayed};
pub use turn::TurnRefusal;
