//! The context budget of a run: how large the next request may be (R-50).
//!
//! ```text
//! extend ─► fits? ─► send
//!             └ no ─► (snapshot ─► compact ─► decide) ─► send
//! ```
//!
//! The history stays whole with the host and in the ledger; what a request carries of it is the
//! [`Projection`]. Calls that were left out stay out for the rest of the run. Sums run along, so that a
//! turn costs what it adds and not what came before.

mod calls;
mod config;
mod measure;
mod projection;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use self::calls::Calls;
use self::config::Limits;
use self::measure::images_in;
pub use self::projection::{Projection, ProjectionPart};
use self::projection::{list_bytes, message_bytes};
use super::fault::AdmissionError;
use crate::browser::Selection;
use crate::error::Stop;
use crate::json::{Json, stringified_len};

/// The limits of a run, and the size of what its next request would carry.
pub(crate) struct Budget {
    limits: Limits,
    /// Each item of the history, in order: which call it belongs to, if to one.
    owners: Vec<Option<usize>>,
    calls: Calls,
    /// Of the items that are not left out.
    kept_items: u64,
    kept_bytes: u64,
    kept_images: u64,
    /// The messages of our own, and their bytes.
    own_items: u64,
    own_bytes: u64,
    summary: Option<String>,
    projection: Option<Projection>,
}

/// What `compact` is told besides the history.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BudgetSnapshot {
    /// The calls that may be left out, in the order of the history.
    pub eligible_call_ids: Vec<String>,
    /// The bytes of the next request's `input` as compact JSON in UTF-8.
    pub input_bytes: u64,
    pub input_images: u64,
}

impl Budget {
    /// Reads `context_budget` with its names in `snake_case`. `compact` is
    /// [`Json::Foreign`](crate::json::Json::Foreign) if the caller gave one.
    pub(crate) fn read(
        config: &Json<'_>,
        params: &Json<'_>,
        browser: Option<&Selection>,
    ) -> Result<Self, AdmissionError> {
        Ok(Self {
            limits: Limits::read(config, params)?,
            owners: Vec::new(),
            calls: Calls::new(browser.cloned()),
            kept_items: 0,
            kept_bytes: 0,
            kept_images: 0,
            own_items: 0,
            own_bytes: 0,
            summary: None,
            projection: None,
        })
    }

    /// Takes in items that were appended to the history, whole. They were checked before; one that
    /// cannot be sent, or an output without its call, still stops the run.
    pub(crate) fn extend(&mut self, items: &[Json<'_>]) -> Result<(), Stop> {
        for item in items {
            let bytes = stringified_len(item).ok_or(Stop::HistoryInvalid)?;
            let images = images_in(item);
            let index = self.owners.len();
            self.owners.push(self.calls.add(item, bytes, images)?);
            self.kept_items += 1;
            self.kept_bytes += bytes;
            self.kept_images += images;
            if let Some(projection) = &mut self.projection {
                projection.push_item(index);
            }
        }
        Ok(())
    }

    /// An approval of the given history was refused now: its answer says `false` for `true` (R-42).
    pub(crate) fn note_refusal(&mut self) {
        self.kept_bytes += 1;
    }

    /// How many items of the history it knows.
    pub(crate) fn known_items(&self) -> usize {
        self.owners.len()
    }

    pub(crate) fn fits(&self) -> bool {
        self.input_bytes() <= self.limits.max_bytes && self.kept_images <= self.limits.max_images
    }

    /// Whether the caller gave `compact`. Without it a request that does not fit stops the run.
    pub(crate) fn compacts(&self) -> bool {
        self.limits.compacts
    }

    pub(crate) fn snapshot(&self) -> BudgetSnapshot {
        let eligible = self.calls.eligible(self.limits.keep_screenshots);
        BudgetSnapshot {
            eligible_call_ids: eligible.map(|call| self.calls.id(call).to_owned()).collect(),
            input_bytes: self.input_bytes(),
            input_images: self.kept_images,
        }
    }

    /// What of the history the next request carries; `None` for all of it.
    pub(crate) fn projection(&self) -> Option<&Projection> {
        self.projection.as_ref()
    }

    /// Applies what `compact` returned: `{drop_call_ids, summary?}`, and nothing else. Only eligible
    /// calls may be named, each once. A summary takes the place of the one before.
    pub(crate) fn decide(&mut self, decision: &Json<'_>) -> Result<(), Stop> {
        let Json::Object(fields) = decision else { return Err(Stop::CompactionInvalid) };
        if fields.iter().any(|(name, _)| !matches!(name.as_ref(), "drop_call_ids" | "summary")) {
            return Err(Stop::CompactionInvalid);
        }
        let summary = match decision.field("summary") {
            None | Some(Json::Null) => None,
            Some(summary) => Some(summary.as_str().ok_or(Stop::CompactionInvalid)?),
        };
        let dropped = self.named_calls(decision).ok_or(Stop::CompactionInvalid)?;
        for call in dropped {
            let (items, bytes, images) = self.calls.leave_out(call);
            self.kept_items -= items;
            self.kept_bytes -= bytes;
            self.kept_images -= images;
        }
        if let Some(summary) = summary.filter(|summary| !summary.is_empty()) {
            self.summary = Some(summary.to_owned());
        }
        self.projection = Projection::of(&self.owners, &self.calls, self.summary.as_deref());
        (self.own_items, self.own_bytes) = self.own_messages();
        if self.fits() { Ok(()) } else { Err(Stop::ContextOverBudget) }
    }

    fn named_calls(&self, decision: &Json<'_>) -> Option<BTreeSet<usize>> {
        let eligible: BTreeSet<usize> = self.calls.eligible(self.limits.keep_screenshots).collect();
        let mut named = BTreeSet::new();
        for id in decision.field("drop_call_ids")?.as_list()? {
            let call = self.calls.find(id.as_str()?)?;
            if !eligible.contains(&call) || !named.insert(call) {
                return None;
            }
        }
        Some(named)
    }

    fn own_messages(&self) -> (u64, u64) {
        let texts = self.projection.iter().flat_map(Projection::texts);
        texts.fold((0, 0), |(count, bytes), text| (count + 1, bytes + message_bytes(text)))
    }

    fn input_bytes(&self) -> u64 {
        list_bytes(self.kept_items + self.own_items, self.kept_bytes + self.own_bytes)
    }
}

/// Never the summary: it tells of what a page or a user said.
impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget")
            .field("limits", &self.limits)
            .field("items", &self.owners.len())
            .field("kept_bytes", &self.kept_bytes)
            .field("kept_images", &self.kept_images)
            .field("projection", &self.projection)
            .finish_non_exhaustive()
    }
}
