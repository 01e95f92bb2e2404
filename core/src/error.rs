//! Why a machine stops, and how a host can misuse one.

use thiserror::Error;

use crate::ask::AskId;

/// Names the variants of an error for the hosts. One table is the match and the list: no variant
/// lacks a name, and no name escapes the tests that want a class for it in each language.
macro_rules! codes {
    ($error:ident { $($variant:pat => $code:literal,)+ }) => {
        impl $error {
            /// Every name that [`code`](Self::code) gives.
            pub const CODES: &'static [&'static str] = &[$($code),+];

            /// A stable name, the same in every language.
            #[allow(clippy::trivially_copy_pass_by_ref, reason = "some of the errors are large")]
            pub fn code(&self) -> &'static str {
                match self { $($variant => $code,)+ }
            }
        }
    };
}
pub(crate) use codes;

/// Why there is no output. Carries no content of pages, arguments or drivers.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum Stop {
    // The caller's call.
    #[error("the call is not a completed call of an enabled browser tool")]
    CallUnavailable,
    #[error("the call has a missing or malformed field")]
    CallMalformed,
    // The driver's contract.
    #[error("the browser state could not be read")]
    StateFailed,
    #[error("the driver reported an invalid browser state")]
    StateInvalid,
    #[error("the driver's change history went backwards or was rewritten")]
    StateRewritten,
    #[error("the driver returned an invalid result")]
    ResultInvalid,
    #[error("the driver returned an invalid page read")]
    ReadInvalid,
    #[error("the driver returned an invalid image")]
    ImageInvalid,
    #[error("the driver returned an invalid file outcome")]
    FileOutcomeInvalid,
    #[error("the driver returned an invalid script result")]
    ScriptResultInvalid,
    // The caller's wish.
    #[error("cancelled before anything was done")]
    CancelledBefore,
    #[error("cancelled while something was being done; its outcome is unknown")]
    CancelledDuring,
    // The computer call.
    #[error("the computer call is malformed or has an action that is not supported")]
    ComputerCallInvalid,
    #[error("the pending safety checks were not approved")]
    SafetyNotApproved,
    #[error("an action was not approved")]
    ActionNotApproved,
    #[error("the driver failed to perform an action")]
    ActionFailed,
    #[error("the screenshot could not be taken")]
    ScreenshotFailed,
    #[error("the driver returned an invalid screenshot")]
    ScreenshotInvalid,
    // The run.
    #[error("the request failed")]
    RequestFailed,
    #[error("the response is not completed")]
    ResponseIncomplete,
    #[error("the response has an item that this run cannot handle")]
    ResponseUnsupported,
    #[error("the response has a malformed item")]
    ResponseMalformed,
    #[error("a call id or an item id of this run is repeated")]
    IdentityRepeated,
    #[error("the response has neither a call nor a final message")]
    NoFinalMessage,
    #[error("the last allowed request asked for more work")]
    StepLimit,
    #[error("the arguments of a function call are not a JSON object")]
    FunctionArguments,
    #[error("a function failed")]
    FunctionFailed,
    #[error("a function returned an invalid output")]
    FunctionOutput,
    #[error("the response used a tool outside the tool choice")]
    ChoiceViolated,
    #[error("an MCP tool was called without the approval that it needs")]
    McpNotApproved,
    #[error("approval was asked for an MCP tool that needs none")]
    McpApprovalNotNeeded,
    #[error("approve_mcp is not given, failed or returned neither true nor false")]
    McpUndecided,
    #[error("the MCP approvals in the history do not fit together or to the declared servers")]
    McpHistory,
    #[error("an item of the history cannot be replayed, or is without its call or output")]
    HistoryInvalid,
    #[error("the next request is over the context budget")]
    ContextOverBudget,
    #[error("the compact callback failed")]
    CompactionFailed,
    #[error("the compact callback returned an invalid decision")]
    CompactionInvalid,
    #[error("the run was cancelled")]
    RunCancelled,
    #[error("the model failed to answer")]
    ResponseFailed,
    // The stream.
    #[error("the stream reported an error")]
    StreamError,
    #[error("the stream ended before the response was complete")]
    StreamEnded,
    #[error("the stream has a malformed event")]
    StreamMalformed,
    #[error("a streamed item changed after it was complete")]
    StreamChanged,
    #[error("on_event failed")]
    EventNotDelivered,
    #[error("before_early_call failed or answered neither \"execute\" nor \"defer\"")]
    EarlyUndecided,
    // What the caller keeps.
    #[error("the ledger failed to save a checkpoint")]
    SaveFailed,
    #[error("the ledger has no revision left for another checkpoint")]
    RevisionsExhausted,
    #[error("a browser call of a run with a ledger failed; look at the page before going on")]
    BrowserCallFailed,
}

codes! {
    Stop {
        Self::CallUnavailable => "call_unavailable",
        Self::CallMalformed => "call_malformed",
        Self::StateFailed => "state_failed",
        Self::StateInvalid => "state_invalid",
        Self::StateRewritten => "state_rewritten",
        Self::ResultInvalid => "result_invalid",
        Self::ReadInvalid => "read_invalid",
        Self::ImageInvalid => "image_invalid",
        Self::FileOutcomeInvalid => "file_outcome_invalid",
        Self::ScriptResultInvalid => "script_result_invalid",
        Self::CancelledBefore => "cancelled_before_effect",
        Self::CancelledDuring => "cancelled_effect_unknown",
        Self::ComputerCallInvalid => "computer_call_invalid",
        Self::SafetyNotApproved => "safety_not_approved",
        Self::ActionNotApproved => "action_not_approved",
        Self::ActionFailed => "action_failed",
        Self::ScreenshotFailed => "screenshot_failed",
        Self::ScreenshotInvalid => "screenshot_invalid",
        Self::RequestFailed => "request_failed",
        Self::ResponseIncomplete => "response_incomplete",
        Self::ResponseUnsupported => "response_unsupported",
        Self::ResponseMalformed => "response_malformed",
        Self::IdentityRepeated => "identity_repeated",
        Self::NoFinalMessage => "no_final_message",
        Self::StepLimit => "step_limit",
        Self::FunctionArguments => "function_arguments_invalid",
        Self::FunctionFailed => "function_failed",
        Self::FunctionOutput => "function_output_invalid",
        Self::ChoiceViolated => "tool_choice_violated",
        Self::McpNotApproved => "mcp_not_approved",
        Self::McpApprovalNotNeeded => "mcp_approval_not_needed",
        Self::McpUndecided => "mcp_approval_undecided",
        Self::McpHistory => "mcp_history_invalid",
        Self::HistoryInvalid => "history_invalid",
        Self::ContextOverBudget => "context_over_budget",
        Self::CompactionFailed => "compaction_failed",
        Self::CompactionInvalid => "compaction_invalid",
        Self::RunCancelled => "run_cancelled",
        Self::ResponseFailed => "response_failed",
        Self::StreamError => "stream_error",
        Self::StreamEnded => "stream_ended",
        Self::StreamMalformed => "stream_malformed",
        Self::StreamChanged => "stream_item_changed",
        Self::EventNotDelivered => "event_not_delivered",
        Self::EarlyUndecided => "early_undecided",
        Self::SaveFailed => "save_failed",
        Self::RevisionsExhausted => "revisions_exhausted",
        Self::BrowserCallFailed => "browser_call_failed",
    }
}

impl Stop {
    pub fn is_cancellation(self) -> bool {
        matches!(self, Self::CancelledBefore | Self::CancelledDuring | Self::RunCancelled)
    }
}

/// A host that drives a machine wrongly. A pump that sees one of these has a bug.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum Misuse {
    #[error("the answer is for ask {given:?} but {open:?} is open")]
    WrongAsk { given: AskId, open: AskId },
    #[error("the answer is not of the kind that was asked for")]
    WrongKind,
    #[error("the machine is at its end")]
    Ended,
}

codes! {
    Misuse {
        Self::WrongAsk { .. } => "wrong_ask",
        Self::WrongKind => "wrong_answer_kind",
        Self::Ended => "machine_ended",
    }
}
