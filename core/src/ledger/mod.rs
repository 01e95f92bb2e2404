//! Saved runs: what a checkpoint keeps, and when a run may go on from one (L-1, L-3, L-4).
//!
//! A checkpoint is one object with exactly these fields, in this order and under these names in
//! every language ([`FIELDS`]). Python may resume what Node saved and the other way round (P-5).
//!
//! | field | type | meaning |
//! | --- | --- | --- |
//! | `version` | integer | The form of the checkpoint; always 1. |
//! | `run_id` | text, not empty | The caller's name of the run. |
//! | `revision` | integer, 0 to 2^53 - 1 | Counts the saves of the run, resumptions included; the first is 1. |
//! | `phase` | `boundary`, `pending`, `final` | `boundary`: no work is open. `pending`: work is known, or the service may be doing some. `final`: the run is over. |
//! | `max_steps` | integer, 1 to 2^53 - 1 | Requests that the whole run may make. |
//! | `consumed_requests` | integer, 0 to `max_steps` | Requests made, the one that follows this save included. |
//! | `tools` | list of objects | The tools of each request, without secrets ([`redacted_tools`]). |
//! | `output_override_names` | list of texts | Functions whose outputs the caller may supply. |
//! | `history` | list of items | All input of the next request; outputs of pending work are not in it yet. |
//! | `attempted_call_ids` | list of texts | Calls and approval requests whose effect was begun, oldest first. |
//! | `returned_call_ids` | list of texts | Those of them whose effect has returned. |
//! | `pending_items` | list of items | The output of the response whose work is open; empty at a boundary. |
//! | `returned_outputs` | list of items | Outputs of pending work so far; empty at a boundary. |
//! | `final_response` | object or null | The response that ended the run, its `tools` without secrets ([`saved_tools`]); null before. |

mod equal;
mod observation;
mod redact;
mod resume;
mod start;

#[cfg(test)]
mod tests;

pub(crate) use redact::redacted_tools;
pub use redact::saved_tools;
pub(crate) use resume::{Given, resume};
pub(crate) use start::{LedgerStart, next_revision};

/// The fields of a checkpoint, in the order in which it is written.
pub(crate) const FIELDS: [&str; 14] = [
    "version",
    "run_id",
    "revision",
    "phase",
    "max_steps",
    "consumed_requests",
    "tools",
    "output_override_names",
    "history",
    "attempted_call_ids",
    "returned_call_ids",
    "pending_items",
    "returned_outputs",
    "final_response",
];

/// The form of checkpoint that this version writes and reads.
pub(crate) const VERSION: i64 = 1;

/// Both hosts hold integers up to here exactly (2^53 - 1).
pub(crate) const MAX_COUNT: u64 = 9_007_199_254_740_991;
