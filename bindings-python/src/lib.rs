//! The native half of the Python package `swingbridge`.
//!
//! It converts, locks, steps a machine of `swingbridge-core` and maps its errors; it decides
//! nothing. The pumps in `python/swingbridge/` (`browser.py`, `computer.py`, `pump.py` and
//! `async_pump.py`) perform what the machines ask, by the law in `docs/driving.md`. What a host holds
//! of a run, its history and the items at hand, is held here (`conversation.rs`), so that a request or
//! a checkpoint is made without a line of Python.
//!
//! An ask crosses as a tuple: its kind (one of the constants of this module), its id, and what the
//! host needs to perform it.

#![forbid(unsafe_code)]
// Reason: pyo3 hands methods owned or borrowed Python handles by its own rules.
#![allow(clippy::needless_pass_by_value)]

mod call;
mod client;
mod computer;
mod conversation;
mod convert;
mod copies;
mod errors;
mod function_tool;
mod history;
mod json_object;
mod json_text;
mod lease;
mod objects;
mod page;
mod received;
mod rehearsal;
mod run;
mod run_ask;
mod runner_session;
mod session;
mod step;
mod text_conversation;
mod text_received;
mod tools;
mod usage;

use pyo3::pymodule;

#[pymodule]
mod _core {
    use crate::step;

    #[pymodule_export]
    use crate::call::BrowserCall;
    #[pymodule_export]
    use crate::client::{
        NativeClient, NativeRequest, NativeStream, PendingEvent, PendingReply, end_requests,
    };
    #[pymodule_export]
    use crate::computer::{ComputerCall, ComputerSession, computer_methods};
    #[pymodule_export]
    use crate::copies::{detached, plain};
    #[pymodule_export]
    use crate::function_tool::{check_tool_name, strict_schema, tool_name_of};
    #[pymodule_export]
    use crate::json_object::JsonObject;
    #[pymodule_export]
    use crate::page::{address_problem, page_kind, page_script, safe_title};
    #[pymodule_export]
    use crate::rehearsal::{NativeRehearsal, RehearsedRequest, run_command};
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::runner_session::RunnerSession;
    #[pymodule_export]
    use crate::session::{BrowserSession, Hold, browser_members};
    #[pymodule_export]
    use crate::tools::{CoordinateMapping, Picture, chord, fit};
    #[pymodule_export]
    use crate::usage::UsageSummary;

    #[pymodule_export]
    const MAX_PATCHES: u64 = swingbridge_core::computer::MAX_PATCHES;
    #[pymodule_export]
    const MAX_SIDE: u32 = swingbridge_core::computer::MAX_SIDE;

    #[pymodule_export]
    const BLANK_ADDRESS: &str = swingbridge_core::browser::BLANK_ADDRESS;
    #[pymodule_export]
    const FRAME_LIMIT: u32 = swingbridge_core::limits::FRAME_LIMIT;
    #[pymodule_export]
    const KEY_LIMIT: u32 = swingbridge_core::limits::KEY_LIMIT;
    #[pymodule_export]
    const PAGE_TIMEOUT_MS: (u32, u32) = swingbridge_core::limits::PAGE_TIMEOUT_MS;
    #[pymodule_export]
    const PAUSE_MS: (u32, u32) = swingbridge_core::limits::PAUSE_MS;
    #[pymodule_export]
    const TAB_LIMIT: u32 = swingbridge_core::limits::TAB_LIMIT;

    #[pymodule_export]
    const READ_STATE: u8 = step::READ_STATE;
    #[pymodule_export]
    const ACT: u8 = step::ACT;
    #[pymodule_export]
    const CONFIRM: u8 = step::CONFIRM;
    #[pymodule_export]
    const REVIEW_URL: u8 = step::REVIEW_URL;
    #[pymodule_export]
    const EMIT: u8 = step::EMIT;
    #[pymodule_export]
    const SEND: u8 = step::SEND;
    #[pymodule_export]
    const CALL_FUNCTION: u8 = step::CALL_FUNCTION;
    #[pymodule_export]
    const OUTPUT: u8 = step::OUTPUT;
    #[pymodule_export]
    const FINISHED: u8 = step::FINISHED;
    #[pymodule_export]
    const STOPPED: u8 = step::STOPPED;
    #[pymodule_export]
    const APPROVE_SAFETY: u8 = step::APPROVE_SAFETY;
    #[pymodule_export]
    const REVIEW_ACTION: u8 = step::REVIEW_ACTION;
    #[pymodule_export]
    const ACT_ON_COMPUTER: u8 = step::ACT_ON_COMPUTER;
    #[pymodule_export]
    const TAKE_SCREENSHOT: u8 = step::TAKE_SCREENSHOT;
    #[pymodule_export]
    const COMPUTER_OUTPUT: u8 = step::COMPUTER_OUTPUT;
    #[pymodule_export]
    const READ_EVENT: u8 = step::READ_EVENT;
    #[pymodule_export]
    const DELIVER_EVENT: u8 = step::DELIVER_EVENT;
    #[pymodule_export]
    const REVIEW_EARLY: u8 = step::REVIEW_EARLY;
    #[pymodule_export]
    const START_FUNCTION: u8 = step::START_FUNCTION;
    #[pymodule_export]
    const AWAIT_FUNCTION: u8 = step::AWAIT_FUNCTION;
    #[pymodule_export]
    const APPROVE_MCP: u8 = step::APPROVE_MCP;
    #[pymodule_export]
    const MEASURE: u8 = step::MEASURE;
    #[pymodule_export]
    const COMPACT: u8 = step::COMPACT;
    #[pymodule_export]
    const SAVE: u8 = step::SAVE;
    #[pymodule_export]
    const TURN: u8 = step::TURN;
}
