//! Computer calls: native actions and the machine of one call.

mod action;
mod call;
mod screenshot;

pub use action::{ACTIONS, ActionKind, ActionSpec, ComputerAction};
pub use call::{CheckedCall, ComputerCall, ComputerOptions, ComputerOutput, SafetyCheck};
pub use screenshot::Screenshot;
