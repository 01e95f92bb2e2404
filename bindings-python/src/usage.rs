//! The token counts of runs, added up.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use swingbridge_core::diagnostic::{self, Usage};

use crate::convert::{HostValue, Terms};

/// Adds up the token counts of the requests that it is shown: give it as `on_diagnostic`, to one run
/// or to several.
///
/// A request whose counts are not known is counted in `requests` and makes the totals `incomplete`.
#[pyclass(frozen, module = "swingbridge")]
pub(crate) struct UsageSummary(Mutex<diagnostic::UsageSummary>);

#[pymethods]
impl UsageSummary {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// Adds a record, if it is about a request.
    #[pyo3(signature = (record: "object"))]
    fn __call__(&self, record: Bound<'_, PyAny>) {
        let read = HostValue::read(record, Terms::WHOLE);
        let mut held = Vec::new();
        let record = read.json(&mut held);
        let word = |name: &str| record.field(name).and_then(|value| value.as_str()).unwrap_or("");
        let usage = record.field("usage").and_then(|usage| {
            let count = |name: &str| u64::try_from(usage.field(name)?.as_int()?).ok();
            Some(Usage {
                input_tokens: count("input_tokens")?,
                output_tokens: count("output_tokens")?,
                total_tokens: count("total_tokens")?,
            })
        });
        self.summary(|summary| summary.add(word("api"), word("stage"), word("reason"), usage));
    }

    /// Requests that were completed or failed.
    #[getter]
    fn requests(&self) -> u64 {
        self.summary(|summary| summary.requests)
    }

    /// Those of them whose counts are known. The totals are of these.
    #[getter]
    fn counted(&self) -> u64 {
        self.summary(|summary| summary.counted)
    }

    #[getter]
    fn input_tokens(&self) -> u64 {
        self.summary(|summary| summary.totals.input_tokens)
    }

    #[getter]
    fn output_tokens(&self) -> u64 {
        self.summary(|summary| summary.totals.output_tokens)
    }

    #[getter]
    fn total_tokens(&self) -> u64 {
        self.summary(|summary| summary.totals.total_tokens)
    }

    /// Whether the totals lack the counts of some request.
    #[getter]
    fn incomplete(&self) -> bool {
        self.summary(|summary| summary.is_incomplete())
    }

    fn __repr__(&self) -> String {
        self.summary(|summary| {
            let totals = summary.totals;
            format!(
                "UsageSummary(requests={}, counted={}, input_tokens={}, output_tokens={}, \
                 total_tokens={})",
                summary.requests,
                summary.counted,
                totals.input_tokens,
                totals.output_tokens,
                totals.total_tokens,
            )
        })
    }
}

impl UsageSummary {
    fn summary<R>(&self, use_it: impl FnOnce(&mut diagnostic::UsageSummary) -> R) -> R {
        // Sums, right at any moment.
        use_it(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
