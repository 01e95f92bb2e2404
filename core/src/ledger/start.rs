//! What the caller gives as `ledger` (L-1).

use super::MAX_COUNT;
use crate::json::{Json, Text};
use crate::runner::AdmissionError;

/// The caller's `ledger`, without the function that saves: that one stays with the host.
#[derive(Debug)]
pub(crate) struct LedgerStart<'l> {
    /// Not empty. It may be blank, and may hold unpaired surrogates: it never goes to the service.
    pub(crate) run_id: Text<'static>,
    /// The checkpoint to go on from, unchecked.
    pub(crate) resume_from: Option<&'l Json<'l>>,
}

impl<'l> LedgerStart<'l> {
    /// Reads `{run_id, resume_from?}`; a null checkpoint is none.
    pub(crate) fn read(ledger: &'l Json<'l>) -> Result<Self, AdmissionError> {
        if !ledger.is_object() {
            return Err(AdmissionError::Ledger);
        }
        let run_id = ledger
            .field("run_id")
            .and_then(Json::as_text)
            .filter(|run_id| !run_id.is_empty())
            .ok_or(AdmissionError::LedgerRunId)?;
        Ok(Self {
            run_id: run_id.clone().into_owned(),
            resume_from: ledger.field("resume_from").filter(|checkpoint| !checkpoint.is_null()),
        })
    }
}

/// The number of the save after `revision`; `None` if both hosts could not hold it, so that the run
/// stops instead of saving.
pub(crate) fn next_revision(revision: u64) -> Option<u64> {
    (revision < MAX_COUNT).then(|| revision + 1)
}
