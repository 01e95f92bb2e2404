//! Ids that must be new to a run.

use std::collections::BTreeSet;

use crate::json::Json;

/// The item ids and call ids that a run has seen: in the caller's history and in each response.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identities {
    items: BTreeSet<String>,
    calls: BTreeSet<String>,
}

impl Identities {
    /// The ids in a history; `None` if one is there twice.
    pub(crate) fn of_items(history: &[Json<'_>]) -> Option<Self> {
        let mut seen = Self::default();
        let is_new = history.iter().all(|item| {
            let text = |name: &str| item.field(name).and_then(Json::as_str);
            let kind = text("type");
            // A reference names an item that is elsewhere.
            let id = text("id").filter(|_| kind != Some("item_reference"));
            let call_id = match kind {
                Some("function_call" | "computer_call") => text("call_id"),
                // The receipts name a request for approval beside the calls.
                Some("mcp_approval_request") => id,
                _ => None,
            };
            id.is_none_or(|id| seen.items.insert(id.to_owned()))
                && call_id.is_none_or(|id| seen.calls.insert(id.to_owned()))
        });
        is_new.then_some(seen)
    }

    /// Whether none of these ids was seen.
    pub(crate) fn are_new(&self, items: &[String], calls: &[String]) -> bool {
        items.iter().all(|id| !self.items.contains(id))
            && calls.iter().all(|id| !self.calls.contains(id))
    }

    /// Adds the ids of a response; false if one is not new.
    pub(crate) fn add(&mut self, items: &[String], calls: &[String]) -> bool {
        items.iter().all(|id| self.items.insert(id.clone()))
            && calls.iter().all(|id| self.calls.insert(id.clone()))
    }
}
