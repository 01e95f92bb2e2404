//! Token counts of runs, added up.

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]

use std::sync::{Mutex, PoisonError};

use napi::bindgen_prelude::External;
use napi_derive::napi;
use swingbridge_core::diagnostic::{Usage, UsageSummary};

/// A summary, behind a handle.
#[derive(Debug, Default)]
pub(crate) struct UsageTotals(Mutex<UsageSummary>);

impl UsageTotals {
    fn with<T>(&self, work: impl FnOnce(&mut UsageSummary) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Makes an empty summary.
#[napi]
pub(crate) fn open_usage() -> External<UsageTotals> {
    External::new(UsageTotals::default())
}

/// Adds a record, if it is about a request. `counts` are its input, output and total tokens.
#[napi]
pub(crate) fn add_usage(
    totals: &External<UsageTotals>,
    api: String,
    stage: String,
    reason: String,
    counts: Option<Vec<i64>>,
) {
    let counts = counts.and_then(|counts| <[i64; 3]>::try_from(counts).ok());
    let count = |value: i64| u64::try_from(value).unwrap_or_default();
    let usage = counts.map(|[input, output, total]| Usage {
        input_tokens: count(input),
        output_tokens: count(output),
        total_tokens: count(total),
    });
    totals.with(|summary| summary.add(&api, &stage, &reason, usage));
}

/// The requests, those whose counts are known, and their input, output and total tokens.
#[napi]
pub(crate) fn usage_totals(totals: &External<UsageTotals>) -> Vec<i64> {
    let summary = totals.with(|summary| *summary);
    let Usage { input_tokens, output_tokens, total_tokens } = summary.totals;
    [summary.requests, summary.counted, input_tokens, output_tokens, total_tokens]
        .map(|count| i64::try_from(count).unwrap_or(i64::MAX))
        .to_vec()
}

/// Whether the totals lack the counts of some request.
#[napi]
pub(crate) fn usage_is_incomplete(totals: &External<UsageTotals>) -> bool {
    totals.with(|summary| summary.is_incomplete())
}
