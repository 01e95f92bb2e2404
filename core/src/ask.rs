//! What a machine asks of its host.

use crate::browser::{ActionContext, Arguments, BrowserOutput, Member};
use crate::computer::{ComputerAction, ComputerOutput, SafetyCheck};
use crate::diagnostic::Diagnostic;
use crate::error::Stop;
use crate::runner::{
    Checkpoint, CompactRequest, FunctionCall, HistoryUpdate, ImportedRequest, RunOutcome,
    TurnRequest, TurnView,
};

/// Names one ask; the answer must carry it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct AskId(pub u64);

/// One thing to do, or the end. A machine has exactly one open ask at any time; the next one does
/// not exist until this one is answered.
#[derive(Debug)]
#[non_exhaustive]
pub enum Ask<'m> {
    /// Call the driver's `state`. Answer: [`Answer::Value`](crate::Answer::Value).
    ReadState,
    /// Call `url_policy(context, url)`. Answer: [`Answer::Verdict`](crate::Answer::Verdict).
    ReviewUrl { context: ActionContext<'m>, url: &'m crate::json::Text<'static> },
    /// Call `confirm(context)`. Answer: [`Answer::Verdict`](crate::Answer::Verdict).
    Confirm { context: ActionContext<'m> },
    /// Call the driver's method of that name, once. Answer: [`Answer::Value`](crate::Answer::Value).
    Act { member: Member, arguments: &'m Arguments },
    /// Call `approve_safety_checks(call)` with a copy of the call. Answer:
    /// [`Answer::Verdict`](crate::Answer::Verdict).
    ApproveSafety { checks: &'m [SafetyCheck] },
    /// Call `before_action(action)` with a copy of the call's action of that index, or of
    /// `{type: "screenshot"}` if there is none. Answer: [`Answer::Verdict`](crate::Answer::Verdict).
    ReviewAction { index: usize, action: Option<&'m ComputerAction> },
    /// Call the driver's method of the action's name with the action, once. What it returns does not
    /// count. Answer: [`Answer::Value`](crate::Answer::Value).
    ActOnComputer { index: usize, action: Option<&'m ComputerAction> },
    /// Call the driver's `screenshot`. Answer: [`Answer::Value`](crate::Answer::Value).
    TakeScreenshot,
    /// Send one request to the model. Answer: [`Answer::Response`](crate::Answer::Response), or
    /// [`Answer::Streaming`](crate::Answer::Streaming) if the request streams.
    Send(TurnRequest<'m>),
    /// Read the next event of the stream. Answer: [`Answer::Event`](crate::Answer::Event), or
    /// [`Answer::StreamEnded`](crate::Answer::StreamEnded).
    ReadEvent,
    /// Give a copy of the event that was read last to `on_event`. Answer:
    /// [`Answer::Seen`](crate::Answer::Seen).
    DeliverEvent,
    /// Call `before_early_call(call)` with a copy of the streamed call of that id. Answer:
    /// [`Answer::Value`](crate::Answer::Value).
    ReviewEarly { call_id: &'m str },
    /// Call a registered function, once. Answer: [`Answer::Value`](crate::Answer::Value).
    CallFunction(FunctionCall<'m>),
    /// Begin to call a registered function, once, and do not wait for it. Answer:
    /// [`Answer::Seen`](crate::Answer::Seen).
    StartFunction(FunctionCall<'m>),
    /// Wait for a function that was started. Answer: [`Answer::Value`](crate::Answer::Value).
    AwaitFunction { call_id: &'m str },
    /// Call `approve_mcp(request)` with a copy of the request of that id, which is in the last
    /// response, or in the given history if it is `imported`. Answer:
    /// [`Answer::Value`](crate::Answer::Value).
    ApproveMcp { id: &'m str, imported: Option<ImportedRequest> },
    /// Update the history and tell its items from that index on, whole. Answer:
    /// [`Answer::Value`](crate::Answer::Value) with their list.
    Measure { update: HistoryUpdate<'m>, from: usize },
    /// Call `compact(snapshot)`. Answer: [`Answer::Value`](crate::Answer::Value).
    Compact(CompactRequest<'m>),
    /// Update the history and save a checkpoint. Answer: [`Answer::Seen`](crate::Answer::Seen).
    Save(Checkpoint<'m>),
    /// Show the turn to who iterates. Answer: [`Answer::Seen`](crate::Answer::Seen) once that one asks
    /// for the next.
    Turn(TurnView<'m>),
    /// Give a record to the observer; what it does changes nothing. Answer:
    /// [`Answer::Seen`](crate::Answer::Seen).
    Emit(&'m Diagnostic),
    /// The browser call is over and this is its output.
    Output(&'m BrowserOutput),
    /// The computer call is over and this is its output.
    ComputerOutput(&'m ComputerOutput),
    /// The run is over and this is its final response.
    Finished(RunOutcome<'m>),
    /// The machine stopped; there is no output.
    Stopped(&'m Stop),
}

impl Ask<'_> {
    /// Whether the machine is at its end: nothing is to be done or answered any more.
    pub fn is_end(&self) -> bool {
        matches!(
            self,
            Self::Output(_) | Self::ComputerOutput(_) | Self::Finished(_) | Self::Stopped(_)
        )
    }
}
