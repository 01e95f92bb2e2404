//! The state machines of swingbridge. This crate performs nothing: it has no I/O, no async, no
//! clock, no environment and no host types. It *asks*, and a host *answers*.
//!
//! ```text
//! ┌───────────────────────────── the driving law ─────────────────────────────┐
//! │ A machine has exactly one open ask. The host performs it at most once and  │
//! │ answers it exactly once, naming its id. A failure is an answer; a          │
//! │ cancellation is an answer. The next ask does not exist before that.        │
//! └────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Every pump is this loop, and holds no policy:
//!
//! 1. take the open ask ([`browser::BrowserCall::ask`], [`runner::RunMachine::ask`]);
//! 2. if it is an end, return the output or raise the stop;
//! 3. perform it: call the driver, the callback, the model or the observer;
//! 4. note whether the caller has cancelled, and the time if anybody observes;
//! 5. answer with the ask's id; go to 1.
//!
//! See `docs/driving.md` for what each ask expects.

#![forbid(unsafe_code)]

pub mod browser;
pub mod computer;
pub mod diagnostic;
pub mod gate;
pub mod json;
pub mod keys;
pub mod limits;
pub mod runner;
pub mod sse;
pub mod tools;
pub mod wire;

mod answer;
mod ask;
mod error;
mod ledger;

pub use answer::{Answer, Failure, Reply};
pub use ask::{Ask, AskId};
pub use error::{Misuse, Stop};
pub use ledger::saved_tools;
