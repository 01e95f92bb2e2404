//! What a run asks of its host, beside what its calls ask.

use super::budget::{BudgetSnapshot, Projection};
use crate::browser::BrowserOutput;
use crate::computer::ComputerOutput;
use crate::json::{Json, Text};

/// Where in the given history an approval is that has to be given again.
#[derive(Clone, Copy, Debug)]
pub struct ImportedRequest {
    /// The index of the request.
    pub request_at: usize,
    /// The index of its answer. The host writes the new decision into its `approve`.
    pub answer_at: usize,
}

/// What changed in the host's history since it was told last. Each change is told exactly once: with
/// the first [`Save`](crate::Ask::Save), [`Measure`](crate::Ask::Measure) or
/// [`Send`](crate::Ask::Send) after it. This is also the whole difference between two checkpoints.
#[derive(Clone, Copy, Debug)]
pub struct HistoryUpdate<'m> {
    /// Outputs that were made: to be appended to those of the response at hand.
    pub outputs: &'m [CallOutput],
    /// Whether the items of the response at hand, and then its outputs, are to be appended to the
    /// history.
    pub commits: bool,
    /// Texts to be appended to the history after that, each as a user message.
    pub texts: &'m [Text<'static>],
}

/// A request to send, after the history was updated.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Clone, Copy, Debug)]
pub struct TurnRequest<'m> {
    /// Counts from 1 over the whole run, over all its processes.
    pub step: u64,
    pub include: &'m [String],
    /// Whether the request must say `tool_choice: "auto"` whatever the caller asked for: a forced
    /// choice was for the first request only.
    pub relaxes_choice: bool,
    pub update: HistoryUpdate<'m>,
    /// Which part of the history goes along; `None` for all of it.
    pub projection: Option<&'m Projection>,
    pub streams: bool,
    /// Whether the client may send the request again by itself. It may not where that could repeat
    /// an effect that nobody would know of.
    pub retries: bool,
    /// Whether the local tools are left out, so that the model has to come to an end.
    pub withholds_tools: bool,
    /// Whether the request says `truncation: "disabled"`: with a budget the caller decides what is
    /// left out, not the service.
    pub disables_truncation: bool,
}

/// The answer to one call, in output order.
#[derive(Debug)]
pub enum CallOutput {
    Browser(BrowserOutput),
    Computer(ComputerOutput),
    /// The host holds what the function returned, or what the caller supplied for it, under the
    /// call's id.
    Function {
        call_id: String,
    },
    /// `{type: "mcp_approval_response", approval_request_id, approve}`.
    Mcp {
        request_id: String,
        approve: bool,
    },
}

/// A function to call with the object in `arguments` (JSON text).
#[derive(Clone, Copy)]
pub struct FunctionCall<'m> {
    /// Which of the registered functions.
    pub index: usize,
    pub name: &'m str,
    pub call_id: &'m str,
    pub arguments: &'m str,
}

/// What a run has done when it ends. Ids only.
#[derive(Clone, Copy, Debug)]
pub struct RunOutcome<'m> {
    pub steps: u64,
    pub attempted: &'m [String],
    pub completed: &'m [String],
}

/// A turn, as who iterates sees it.
#[derive(Clone, Copy, Debug)]
pub struct TurnView<'m> {
    pub step: u64,
    /// Whether the run ends with this response.
    pub is_final: bool,
    /// Whether calls of this response were run while it was streamed.
    pub tools_executed: bool,
    /// Whether the request of this turn was sent without the local tools.
    pub tools_withheld: bool,
    pub attempted: &'m [String],
    pub completed: &'m [String],
}

/// What `compact` is asked about.
#[derive(Clone, Copy, Debug)]
pub struct CompactRequest<'m> {
    pub snapshot: &'m BudgetSnapshot,
    /// What of the history the next request would carry; `None` for all of it.
    pub projection: Option<&'m Projection>,
}

/// A checkpoint to save (L-1): what the host puts together with its history.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint<'m> {
    pub update: HistoryUpdate<'m>,
    pub run_id: &'m Text<'static>,
    pub revision: u64,
    pub phase: Phase,
    pub max_steps: u64,
    pub consumed_requests: u64,
    /// JSON text of the tools, without secrets (L-4).
    pub tools: &'m str,
    pub output_override_names: &'m [String],
    pub attempted: &'m [String],
    pub returned: &'m [String],
    pub pending: PendingItems,
}

/// How far a checkpoint's work has come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Phase {
    /// All work is done: the run may be resumed from here.
    Boundary,
    /// Work is under way, or its outcome would be unknown after a crash.
    Pending,
    /// The run is over; the checkpoint has the final response.
    Final,
}

impl Phase {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Boundary => "boundary",
            Self::Pending => "pending",
            Self::Final => "final",
        }
    }
}

/// Which items a checkpoint shows as pending, with the outputs that were made for them so far.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PendingItems {
    None,
    /// Those of the last response.
    Response,
    /// The first completed items of the open stream, so many.
    Streamed(u64),
}

/// An event of a stream, as far as rules read it.
#[derive(Debug)]
pub struct StreamEvent<'h> {
    /// The event's `type`, `output_index`, `item` and `response`, as far as
    /// [`reads_of_event`](super::reads_of_event) says that they are read.
    pub body: Json<'h>,
}

/// Never the arguments: the model wrote them for the function only.
impl std::fmt::Debug for FunctionCall<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FunctionCall")
            .field("index", &self.index)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
