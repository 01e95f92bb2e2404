//! Why a runner or a run is refused.

use thiserror::Error;

use crate::json::NoForm;

/// Why a runner or a run is refused. All faults are the caller's configuration.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum AdmissionError {
    #[error("a function needs a declaration of type function with a name")]
    FunctionDeclaration,
    #[error("the function name {0:?} is used twice")]
    FunctionTwice(String),
    #[error("the function name {0:?} is the name of an enabled browser tool")]
    BrowserToolName(String),
    #[error("allowed_callers of {0:?} must be a list of texts")]
    AllowedCallers(String),
    #[error("params must be an object")]
    Params,
    #[error("params cannot be written as JSON: they have {0}")]
    ParamsForm(NoForm),
    #[error("params.{0} cannot be used in a run")]
    Param(&'static str),
    #[error("params.input must be a text or a list")]
    Input,
    #[error("params.include must be a list of texts")]
    Include,
    #[error("params.tools must be a list of tools of the service; functions are registered")]
    Tools,
    #[error("params.tools has a tool that this version does not run: {0:?}")]
    ToolUnsupported(String),
    #[error("image_generation needs stored responses; store is false")]
    ImageGenerationNotStored,
    #[error("an MCP server needs a server_label that is a text")]
    McpServerLabel,
    #[error("the server_label {0:?} is used twice")]
    McpServerTwice(String),
    #[error("require_approval of the MCP server {0:?} has a form that is not known")]
    McpRequireApproval(String),
    #[error("allowed_tools of the MCP server {0:?} has a form that is not known")]
    McpAllowedTools(String),
    #[error("this tool_choice always forces a local tool, so the run could never end")]
    ToolChoice,
    #[error("max_steps must be a positive integer")]
    MaxSteps,
    #[error("the option {0} has a wrong value")]
    Option(&'static str),
    #[error("eager needs stream: without one there is nothing to be early for")]
    EagerWithoutStream,
    #[error(
        "early_execution must be an object with functions (names of tools, once each) and computer"
    )]
    EarlyExecution,
    #[error("params.tools declares a computer that the runner does not have")]
    NoComputer,
    #[error("params.tools declares more than one computer")]
    TwoComputers,
    #[error("a computer run takes no other tool than the computer")]
    OtherTools,
    // The ledger.
    #[error("ledger must be an object with run_id, save and perhaps resume_from")]
    Ledger,
    #[error("ledger.run_id must be a text that is not empty")]
    LedgerRunId,
    #[error("a tool has a value that a checkpoint cannot keep")]
    LedgerTools,
    #[error("the server_url of an MCP tool is not a URL")]
    McpUrl,
    #[error("ledger.resume_from.{0} is missing or malformed")]
    Checkpoint(&'static str),
    #[error("ledger.resume_from has a field that no checkpoint has")]
    CheckpointField,
    #[error("ledger.resume_from is no completed boundary; reconcile what is pending first")]
    CheckpointPhase,
    #[error("ledger.resume_from has receipts that its history does not bear out")]
    CheckpointReceipts,
    #[error("ledger.resume_from.{0} is not that of this run")]
    CheckpointMismatch(&'static str),
    #[error("a resumed run needs a message of the user in params.input about how things are now")]
    NoObservation,
    #[error("context_budget {0}")]
    ContextBudget(&'static str),
    #[error("a context budget cannot be combined with params.{0}")]
    ContextBudgetAndNative(&'static str),
    #[error("item {0} of the history cannot be replayed, or has no output or no call of its own")]
    History(usize),
}

crate::error::codes! {
    AdmissionError {
        Self::FunctionDeclaration => "function_declaration",
        Self::FunctionTwice(_) => "function_named_twice",
        Self::BrowserToolName(_) => "function_named_as_browser_tool",
        Self::AllowedCallers(_) => "allowed_callers",
        Self::Params => "params_not_an_object",
        Self::ParamsForm(_) => "params_not_json",
        Self::Param(_) => "param_not_allowed",
        Self::Input => "input_invalid",
        Self::Include => "include_invalid",
        Self::Tools => "tools_invalid",
        Self::ToolUnsupported(_) => "tool_unsupported",
        Self::ImageGenerationNotStored => "image_generation_not_stored",
        Self::McpServerLabel => "mcp_server_label",
        Self::McpServerTwice(_) => "mcp_server_named_twice",
        Self::McpRequireApproval(_) => "mcp_require_approval",
        Self::McpAllowedTools(_) => "mcp_allowed_tools",
        Self::ToolChoice => "tool_choice_invalid",
        Self::MaxSteps => "max_steps_invalid",
        Self::Option(_) => "option_invalid",
        Self::EagerWithoutStream => "eager_without_stream",
        Self::EarlyExecution => "early_execution_invalid",
        Self::NoComputer => "computer_missing",
        Self::TwoComputers => "computer_declared_twice",
        Self::OtherTools => "computer_run_other_tools",
        Self::Ledger => "ledger_invalid",
        Self::LedgerRunId => "ledger_run_id",
        Self::LedgerTools => "ledger_tools_invalid",
        Self::McpUrl => "mcp_url_invalid",
        Self::Checkpoint(_) => "checkpoint_invalid",
        Self::CheckpointField => "checkpoint_field_unknown",
        Self::CheckpointPhase => "checkpoint_not_a_boundary",
        Self::CheckpointReceipts => "checkpoint_receipts",
        Self::CheckpointMismatch(_) => "checkpoint_mismatch",
        Self::NoObservation => "observation_missing",
        Self::ContextBudget(_) => "context_budget_invalid",
        Self::ContextBudgetAndNative(_) => "context_budget_and_native",
        Self::History(_) => "saved_history_invalid",
    }
}
