//! Which requests were approved, and which approvals a call has used up.

use std::collections::BTreeMap;

use super::items::{McpRequest, ToolUse};

/// The answered requests of a run, by the id of the request.
#[derive(Clone, Debug, Default)]
pub(crate) struct McpApprovals(BTreeMap<String, Answered>);

#[derive(Clone, Debug)]
struct Answered {
    used: ToolUse,
    standing: Standing,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Standing {
    Approved,
    Refused,
    Consumed,
}

impl McpApprovals {
    /// Notes what the caller decided; ids are new to the run, so nothing is decided twice.
    pub(crate) fn decide(&mut self, request: &McpRequest, approve: bool) {
        let standing = if approve { Standing::Approved } else { Standing::Refused };
        self.0.insert(request.id.clone(), Answered { used: request.used.clone(), standing });
    }

    /// Whether the request was approved for exactly this use and no call has used it up; from now
    /// on one has.
    pub(super) fn consume(&mut self, request: &str, used: &ToolUse) -> bool {
        let covers = self.covers(request, used);
        if let Some(answered) = self.0.get_mut(request).filter(|_| covers) {
            answered.standing = Standing::Consumed;
        }
        covers
    }

    /// Whether the request was approved for exactly this use and no call has used it up.
    pub(super) fn covers(&self, request: &str, used: &ToolUse) -> bool {
        self.0.get(request).is_some_and(|answered| {
            answered.standing == Standing::Approved && answered.used == *used
        })
    }

    /// Takes an approval back if no call has used it up; says whether it was taken back.
    pub(super) fn withdraw(&mut self, request: &McpRequest) -> bool {
        let unused = self.covers(&request.id, &request.used);
        if unused {
            self.0.remove(&request.id);
        }
        unused
    }

    pub(super) fn has(&self, request: &str) -> bool {
        self.0.contains_key(request)
    }
}
