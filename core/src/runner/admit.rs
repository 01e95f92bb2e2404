//! What a run may be asked for, checked before the first request.

use thiserror::Error;

use super::choice::{ToolChoice, is_computer_kind};
use super::identity::Identities;
use super::mcp::McpServers;
use crate::browser::{Member, Selection};
use crate::computer::ComputerOptions;
use crate::json::Json;

/// Requests of a run if the caller does not say.
pub const DEFAULT_MAX_STEPS: u64 = 20;
const ENCRYPTED_REASONING: &str = "reasoning.encrypted_content";

/// A function that the caller registered.
#[derive(Clone, Debug)]
pub struct FunctionSpec {
    pub(crate) name: String,
    /// Who may call it; `None` for anyone.
    pub(crate) callers: Option<Vec<String>>,
}

/// A kind of tool that the service itself runs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ServerTool {
    WebSearch,
    FileSearch,
    CodeInterpreter,
    ImageGeneration,
}

/// An admitted run.
#[derive(Debug)]
pub struct RunPlan {
    pub(crate) browser: Option<Selection>,
    pub(crate) functions: Vec<FunctionSpec>,
    pub(crate) server_tools: Vec<ServerTool>,
    pub(crate) mcp: McpServers,
    pub(crate) max_steps: u64,
    pub(crate) choice: ToolChoice,
    /// What the caller gave for computer calls; `None` without a computer.
    pub(crate) computer: Option<ComputerOptions>,
    /// Whether each request is reported to the observer.
    pub(crate) reports_requests: bool,
    /// The container that code must run in, if the declaration names one.
    pub(crate) container: Option<String>,
    declares_computer: bool,
    include: Vec<String>,
    /// The ids of the given history; `None` if one of them is there twice.
    pub(crate) history: Option<Identities>,
}

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

/// The tools of one runner, checked at its construction.
#[derive(Clone, Debug)]
pub struct RunnerTools {
    browser: Option<Selection>,
    functions: Vec<FunctionSpec>,
    has_computer: bool,
}

impl RunnerTools {
    /// `functions` are the declarations, in the caller's order.
    pub fn new(browser: Option<Selection>, functions: &[Json<'_>]) -> Result<Self, AdmissionError> {
        let mut specs: Vec<FunctionSpec> = Vec::with_capacity(functions.len());
        for tool in functions {
            let spec = FunctionSpec::read(tool)?;
            if specs.iter().any(|other| other.name == spec.name) {
                return Err(AdmissionError::FunctionTwice(spec.name));
            }
            let member = Member::from_tool(&spec.name);
            if member.zip(browser.as_ref()).is_some_and(|(member, browser)| browser.has(member)) {
                return Err(AdmissionError::BrowserToolName(spec.name));
            }
            specs.push(spec);
        }
        Ok(Self { browser, functions: specs, has_computer: false })
    }

    /// The same tools and a computer.
    #[must_use]
    pub fn with_computer(self) -> Self {
        Self { has_computer: true, ..self }
    }

    /// Admits a run. `params` are the request parameters; only their form is read here.
    pub fn admit(
        &self,
        params: &Json<'_>,
        max_steps: &Json<'_>,
    ) -> Result<RunPlan, AdmissionError> {
        self.plan(params, max_steps, ToolChoice::read)
    }

    /// Admits the computer-only loop: one computer, no other tool; a forced choice counts for the
    /// first request (C-7).
    pub fn admit_computer_run(
        params: &Json<'_>,
        max_steps: &Json<'_>,
    ) -> Result<RunPlan, AdmissionError> {
        let tools = Self { browser: None, functions: Vec::new(), has_computer: true };
        let plan =
            tools.plan(params, max_steps, |choice, _| ToolChoice::read_computer_only(choice))?;
        if plan.has_server_tools() {
            return Err(AdmissionError::OtherTools);
        }
        Ok(RunPlan { reports_requests: false, ..plan })
    }

    fn plan(
        &self,
        params: &Json<'_>,
        max_steps: &Json<'_>,
        read_choice: impl FnOnce(Option<&Json<'_>>, bool) -> Option<ToolChoice>,
    ) -> Result<RunPlan, AdmissionError> {
        if !params.is_object() {
            return Err(AdmissionError::Params);
        }
        refuse_foreign_state(params)?;
        let history = match params.field("input") {
            Some(input @ (Json::Text(_) | Json::Held(_) | Json::List(_))) => {
                Identities::of_history(input)
            }
            _ => return Err(AdmissionError::Input),
        };
        let Declared { server_tools, mcp, computers, container } = Declared::read(params)?;
        if computers > 1 {
            return Err(AdmissionError::TwoComputers);
        }
        if computers > 0 && !self.has_computer {
            return Err(AdmissionError::NoComputer);
        }
        if server_tools.contains(&ServerTool::ImageGeneration)
            && params.field("store").and_then(Json::as_bool) == Some(false)
        {
            return Err(AdmissionError::ImageGenerationNotStored);
        }
        let has_server_tools = !server_tools.is_empty() || !mcp.is_empty();
        let choice = read_choice(params.field("tool_choice"), has_server_tools)
            .ok_or(AdmissionError::ToolChoice)?;
        let max_steps = match max_steps {
            Json::Null => DEFAULT_MAX_STEPS,
            steps => steps
                .as_int()
                .and_then(|steps| u64::try_from(steps).ok())
                .filter(|steps| *steps > 0)
                .ok_or(AdmissionError::MaxSteps)?,
        };
        Ok(RunPlan {
            browser: self.browser.clone(),
            functions: self.functions.clone(),
            server_tools,
            mcp,
            max_steps,
            choice,
            computer: self.has_computer.then(ComputerOptions::default),
            reports_requests: true,
            container,
            declares_computer: computers > 0,
            include: read_include(params)?,
            history,
        })
    }
}

impl RunPlan {
    /// The `include` of each request: the caller's, once each, and the encrypted reasoning without
    /// which a history cannot be replayed.
    pub fn include(&self) -> &[String] {
        &self.include
    }

    /// Whether the service itself may do something; local work then waits for the whole response
    ///
    pub(crate) fn has_server_tools(&self) -> bool {
        !self.server_tools.is_empty() || !self.mcp.is_empty()
    }

    /// Whether `params.tools` has a computer already, so that none is to be added.
    pub fn declares_computer(&self) -> bool {
        self.declares_computer
    }

    /// Says what the caller gave for computer calls.
    pub fn set_computer_options(&mut self, options: ComputerOptions) {
        if self.computer.is_some() {
            self.computer = Some(options);
        }
    }
}

impl FunctionSpec {
    fn read(tool: &Json<'_>) -> Result<Self, AdmissionError> {
        if tool.field("type").and_then(Json::as_str) != Some("function") {
            return Err(AdmissionError::FunctionDeclaration);
        }
        let name = tool
            .field("name")
            .and_then(Json::as_str)
            .ok_or(AdmissionError::FunctionDeclaration)?
            .to_owned();
        let callers = match tool.field("allowed_callers") {
            None | Some(Json::Null) => None,
            Some(callers) => match texts(callers) {
                Some(callers) => Some(callers),
                None => return Err(AdmissionError::AllowedCallers(name)),
            },
        };
        Ok(Self { name, callers })
    }
}

fn refuse_foreign_state(params: &Json<'_>) -> Result<(), AdmissionError> {
    let is_set = |name: &str| params.field(name).is_some_and(|value| !value.is_null());
    let is_on = |name: &str| {
        params.field(name).is_some_and(|value| !matches!(value, Json::Null | Json::Bool(false)))
    };
    for name in ["stream", "background"] {
        if is_on(name) {
            return Err(AdmissionError::Param(name));
        }
    }
    for name in ["conversation", "previous_response_id"] {
        if is_set(name) {
            return Err(AdmissionError::Param(name));
        }
    }
    match params.field("extra_body") {
        None | Some(Json::Null) => Ok(()),
        Some(Json::Object(fields)) if fields.iter().all(|(name, _)| !is_owned(name)) => Ok(()),
        Some(_) => Err(AdmissionError::Param("extra_body")),
    }
}

/// Fields of a request that the runner writes or depends on.
fn is_owned(name: &str) -> bool {
    const OWNED: &[&str] = &[
        "background",
        "conversation",
        "include",
        "input",
        "model",
        "previous_response_id",
        "store",
        "stream",
        "tool_choice",
        "tools",
    ];
    OWNED.contains(&name)
}

/// What `params.tools` declares.
#[derive(Default)]
struct Declared {
    server_tools: Vec<ServerTool>,
    mcp: McpServers,
    computers: usize,
    container: Option<String>,
}

impl Declared {
    fn read(params: &Json<'_>) -> Result<Self, AdmissionError> {
        let mut declared = Self::default();
        let tools = match params.field("tools") {
            None | Some(Json::Null) => return Ok(declared),
            Some(tools) => tools.as_list().ok_or(AdmissionError::Tools)?,
        };
        for tool_entry in tools {
            match tool_entry.field("type").and_then(Json::as_str) {
                None | Some("function") => return Err(AdmissionError::Tools),
                Some(kind) if is_computer_kind(kind) => declared.computers += 1,
                Some("mcp") => {}
                Some(kind) => {
                    let tool = ServerTool::from_kind(kind).ok_or_else(|| {
                        AdmissionError::ToolUnsupported(kind.chars().take(64).collect())
                    })?;
                    declared.server_tools.push(tool);
                    if tool == ServerTool::CodeInterpreter {
                        let named = tool_entry.field("container").and_then(Json::as_str);
                        declared.container = named.map(str::to_owned);
                    }
                }
            }
        }
        declared.mcp = McpServers::read(tools)?;
        Ok(declared)
    }
}

impl ServerTool {
    pub(crate) fn from_kind(kind: &str) -> Option<Self> {
        match kind {
            "file_search" => Some(Self::FileSearch),
            "code_interpreter" => Some(Self::CodeInterpreter),
            "image_generation" => Some(Self::ImageGeneration),
            // The service dates variants of this tool: web_search_preview_2025_03_11 and so on.
            kind if kind == "web_search" || kind.starts_with("web_search_") => {
                Some(Self::WebSearch)
            }
            _ => None,
        }
    }
}

fn read_include(params: &Json<'_>) -> Result<Vec<String>, AdmissionError> {
    let mut include = match params.field("include") {
        None | Some(Json::Null) => Vec::new(),
        Some(given) => texts(given).ok_or(AdmissionError::Include)?,
    };
    include.push(ENCRYPTED_REASONING.to_owned());
    let mut once: Vec<String> = Vec::with_capacity(include.len());
    for entry in include {
        if !once.contains(&entry) {
            once.push(entry);
        }
    }
    Ok(once)
}

fn texts(value: &Json<'_>) -> Option<Vec<String>> {
    value.as_list()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}
