//! Whether a run may go on from a checkpoint (L-3, P-5).

use std::collections::BTreeSet;

use super::equal::is_same;
use super::observation::is_observation;
use super::{FIELDS, MAX_COUNT, VERSION};
use crate::json::{Json, Text, parse};
use crate::runner::{AdmissionError, Identities};

/// What the resumed run is given, and what the checkpoint must agree with.
#[derive(Debug)]
pub(crate) struct Given<'g> {
    pub(crate) run_id: &'g Text<'g>,
    /// `None` if the caller leaves it to the checkpoint.
    pub(crate) max_steps: Option<u64>,
    /// From [`redacted_tools`](super::redacted_tools).
    pub(crate) tools: &'g str,
    /// Functions whose outputs the caller may supply, in any order.
    pub(crate) overrides: &'g [String],
    /// `params.input`.
    pub(crate) fresh_input: &'g Json<'g>,
}

/// What a checkpoint says.
#[derive(Debug)]
pub(crate) struct Resumed<'c> {
    /// Of the checkpoint; the next save has the next one.
    pub(crate) revision: u64,
    pub(crate) max_steps: u64,
    /// At most `max_steps`. If there are no requests left the run is admitted and stops, with the
    /// receipts of the checkpoint.
    pub(crate) consumed_requests: u64,
    /// Each once, and each answered in the history; the history may have more answers.
    pub(crate) attempted: Vec<String>,
    /// The same ids, in the order in which they returned.
    pub(crate) returned: Vec<String>,
    /// Its items are yet to be checked one by one. None of its ids is there twice.
    pub(crate) history: &'c [Json<'c>],
}

/// Checks a checkpoint field by field, then against the run that is to go on from it. Every fault is
/// found before anything is saved or sent.
pub(crate) fn resume<'c>(
    checkpoint: &'c Json<'c>,
    given: &Given<'_>,
) -> Result<Resumed<'c>, AdmissionError> {
    check_fields(checkpoint)?;
    if field(checkpoint, "version")?.as_int() != Some(VERSION) {
        return Err(AdmissionError::Checkpoint("version"));
    }
    check_boundary(checkpoint)?;
    let max_steps = count(checkpoint, "max_steps", 1, MAX_COUNT)?;
    let resumed = Resumed {
        // The next save must have a number too.
        revision: count(checkpoint, "revision", 0, MAX_COUNT - 1)?,
        max_steps,
        consumed_requests: count(checkpoint, "consumed_requests", 0, max_steps)?,
        attempted: names(checkpoint, "attempted_call_ids")?,
        returned: names(checkpoint, "returned_call_ids")?,
        history: list(checkpoint, "history")?,
    };
    check_receipts(&resumed)?;
    check_agreement(checkpoint, given, &resumed)?;
    if !is_observation(given.fresh_input) {
        return Err(AdmissionError::NoObservation);
    }
    Ok(resumed)
}

fn check_fields(checkpoint: &Json<'_>) -> Result<(), AdmissionError> {
    let Json::Object(fields) = checkpoint else {
        return Err(AdmissionError::Checkpoint("version"));
    };
    if fields.iter().any(|(name, _)| !FIELDS.contains(&name.as_ref())) {
        return Err(AdmissionError::CheckpointField);
    }
    FIELDS.iter().try_for_each(|name| field(checkpoint, name).map(|_| ()))
}

/// Nothing is open: work of unknown outcome is to be reconciled outside first.
fn check_boundary(checkpoint: &Json<'_>) -> Result<(), AdmissionError> {
    match field(checkpoint, "phase")?.as_str() {
        Some("boundary") => {}
        Some("pending" | "final") => return Err(AdmissionError::CheckpointPhase),
        _ => return Err(AdmissionError::Checkpoint("phase")),
    }
    for name in ["pending_items", "returned_outputs"] {
        if !list(checkpoint, name)?.is_empty() {
            return Err(AdmissionError::CheckpointPhase);
        }
    }
    match field(checkpoint, "final_response")? {
        Json::Null => Ok(()),
        Json::Object(_) => Err(AdmissionError::CheckpointPhase),
        _ => Err(AdmissionError::Checkpoint("final_response")),
    }
}

/// At a boundary each attempted call has returned, and its answer is in the history.
fn check_receipts(resumed: &Resumed<'_>) -> Result<(), AdmissionError> {
    Identities::of_items(resumed.history).ok_or(AdmissionError::Checkpoint("history"))?;
    let attempted: BTreeSet<&str> = resumed.attempted.iter().map(String::as_str).collect();
    let returned: BTreeSet<&str> = resumed.returned.iter().map(String::as_str).collect();
    let answered: BTreeSet<&str> = resumed.history.iter().filter_map(answered_id).collect();
    (attempted == returned && returned.is_subset(&answered))
        .then_some(())
        .ok_or(AdmissionError::CheckpointReceipts)
}

/// The call, or the request for approval, that the item answers.
fn answered_id<'j>(item: &'j Json<'_>) -> Option<&'j str> {
    let name = match item.field("type").and_then(Json::as_str)? {
        "function_call_output" | "computer_call_output" => "call_id",
        "mcp_approval_response" => "approval_request_id",
        _ => return None,
    };
    item.field(name).and_then(Json::as_str)
}

fn check_agreement(
    checkpoint: &Json<'_>,
    given: &Given<'_>,
    resumed: &Resumed<'_>,
) -> Result<(), AdmissionError> {
    let run_id = field(checkpoint, "run_id")?
        .as_text()
        .filter(|run_id| !run_id.is_empty())
        .ok_or(AdmissionError::Checkpoint("run_id"))?;
    let saved_overrides = names(checkpoint, "output_override_names")?;
    let saved: BTreeSet<&String> = saved_overrides.iter().collect();
    let overrides: BTreeSet<&String> = given.overrides.iter().collect();
    list(checkpoint, "tools")?;
    let agrees = |name, is_agreed: bool| {
        is_agreed.then_some(()).ok_or(AdmissionError::CheckpointMismatch(name))
    };
    agrees("run_id", run_id.as_bytes() == given.run_id.as_bytes())?;
    agrees("max_steps", given.max_steps.is_none_or(|steps| steps == resumed.max_steps))?;
    agrees("output_override_names", saved == overrides)?;
    let tools = parse(given.tools).map_err(|_| AdmissionError::LedgerTools)?;
    // A raw URL, and a credential that should not have been saved, are differences as well.
    agrees("tools", is_same(field(checkpoint, "tools")?, &tools))
}

fn field<'c, 'v>(
    checkpoint: &'c Json<'v>,
    name: &'static str,
) -> Result<&'c Json<'v>, AdmissionError> {
    checkpoint.field(name).ok_or(AdmissionError::Checkpoint(name))
}

fn list<'c, 'v>(
    checkpoint: &'c Json<'v>,
    name: &'static str,
) -> Result<&'c [Json<'v>], AdmissionError> {
    field(checkpoint, name)?.as_list().ok_or(AdmissionError::Checkpoint(name))
}

fn count(
    checkpoint: &Json<'_>,
    name: &'static str,
    least: u64,
    most: u64,
) -> Result<u64, AdmissionError> {
    field(checkpoint, name)?
        .as_int()
        .and_then(|count| u64::try_from(count).ok())
        .filter(|count| (least..=most).contains(count))
        .ok_or(AdmissionError::Checkpoint(name))
}

/// A list of texts, each there once.
fn names(checkpoint: &Json<'_>, name: &'static str) -> Result<Vec<String>, AdmissionError> {
    let names: Option<Vec<String>> =
        list(checkpoint, name)?.iter().map(|name| name.as_str().map(str::to_owned)).collect();
    let names = names.ok_or(AdmissionError::Checkpoint(name))?;
    let once: BTreeSet<&String> = names.iter().collect();
    if once.len() != names.len() {
        return Err(AdmissionError::Checkpoint(name));
    }
    Ok(names)
}
