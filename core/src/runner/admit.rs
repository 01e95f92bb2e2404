//! What a run may be asked for, checked before the first request.

use super::choice::{ToolChoice, is_computer_kind};
use super::early::EarlyTools;
use super::fault::AdmissionError;
use super::mcp::McpServers;
use super::options::{DEFAULT_MAX_STEPS, Flags, RunOptions};
use super::plan::{Callbacks, RunPlan, Start};
use crate::browser::{Member, Selection};
use crate::computer::ComputerOptions;
use crate::json::Json;

const ENCRYPTED_REASONING: &str = "reasoning.encrypted_content";

/// A function that the caller registered.
#[derive(Clone, Debug)]
pub struct FunctionSpec {
    pub(crate) name: String,
    /// Who may call it; `None` for anyone.
    pub(crate) callers: Option<Vec<String>>,
    pub(crate) allows_override: bool,
    pub(crate) is_independent: bool,
}

/// A kind of tool that the service itself runs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ServerTool {
    WebSearch,
    FileSearch,
    CodeInterpreter,
    ImageGeneration,
}

/// The tools of one runner, checked at its construction.
#[derive(Clone, Debug, Default)]
pub struct RunnerTools {
    browser: Option<Selection>,
    functions: Vec<FunctionSpec>,
    has_computer: bool,
    early_tools: EarlyTools,
}

/// A function as the caller registers it.
#[derive(Clone, Copy, Debug)]
pub struct FunctionDeclaration<'j> {
    pub tool: &'j Json<'j>,
    /// Whether the caller may supply its outputs.
    pub allows_override: bool,
    /// Whether it may run beside a stream and beside others of its kind.
    pub is_independent: bool,
}

impl RunnerTools {
    /// `functions` are the declarations, in the caller's order.
    pub fn new(
        browser: Option<Selection>,
        functions: &[FunctionDeclaration<'_>],
    ) -> Result<Self, AdmissionError> {
        let mut specs: Vec<FunctionSpec> = Vec::with_capacity(functions.len());
        for declaration in functions {
            let spec = FunctionSpec::read(declaration)?;
            if specs.iter().any(|other| other.name == spec.name) {
                return Err(AdmissionError::FunctionTwice(spec.name));
            }
            let member = Member::from_tool(&spec.name);
            if member.zip(browser.as_ref()).is_some_and(|(member, browser)| browser.has(member)) {
                return Err(AdmissionError::BrowserToolName(spec.name));
            }
            specs.push(spec);
        }
        Ok(Self { browser, functions: specs, ..Self::default() })
    }

    /// The same tools and a computer.
    #[must_use]
    pub fn with_computer(self) -> Self {
        Self { has_computer: true, ..self }
    }

    /// Says which calls may run before their response is complete.
    pub fn with_early_execution(self, early: &Json<'_>) -> Result<Self, AdmissionError> {
        let is_tool = |name: &str| {
            let is_member = Member::from_tool(name)
                .zip(self.browser.as_ref())
                .is_some_and(|(member, browser)| browser.has(member));
            is_member || self.functions.iter().any(|function| function.name == name)
        };
        let early_tools = EarlyTools::read(early, is_tool)?;
        Ok(Self { early_tools, ..self })
    }

    /// Admits a run. `params` are the request parameters; of their values only what rules read, but
    /// `tools` whole, and `input` whole with a ledger or a context budget.
    pub fn admit(
        &self,
        params: &Json<'_>,
        options: &RunOptions<'_>,
    ) -> Result<RunPlan, AdmissionError> {
        self.plan(params, options, ToolChoice::read)
    }

    /// Admits the computer-only loop: one computer, no other tool; a forced choice counts for the
    /// first request (C-7).
    pub fn admit_computer_run(
        params: &Json<'_>,
        max_steps: Json<'_>,
    ) -> Result<RunPlan, AdmissionError> {
        let tools = Self { has_computer: true, ..Self::default() };
        let options = RunOptions { max_steps, ..RunOptions::default() };
        let plan =
            tools.plan(params, &options, |choice, _| ToolChoice::read_computer_only(choice))?;
        if plan.has_server_tools() {
            return Err(AdmissionError::OtherTools);
        }
        Ok(RunPlan { reports_requests: false, ..plan })
    }

    fn plan(
        &self,
        params: &Json<'_>,
        options: &RunOptions<'_>,
        read_choice: impl FnOnce(Option<&Json<'_>>, bool) -> Option<ToolChoice>,
    ) -> Result<RunPlan, AdmissionError> {
        if !params.is_object() {
            return Err(AdmissionError::Params);
        }
        refuse_foreign_state(params)?;
        if !matches!(params.field("input"), Some(Json::Text(_) | Json::Held(_) | Json::List(_))) {
            return Err(AdmissionError::Input);
        }
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
        let plan = RunPlan {
            browser: self.browser.clone(),
            functions: self.functions.clone(),
            server_tools,
            mcp,
            choice,
            computer: self.has_computer.then(ComputerOptions::default),
            reports_requests: true,
            container,
            declares_computer: computers > 0,
            include: read_include(params)?,
            max_steps: DEFAULT_MAX_STEPS,
            flags: Flags::read(options)?,
            early_tools: self.early_tools.clone(),
            callbacks: Callbacks::default(),
            ledger: None,
            budget: None,
            start: Start::default(),
        };
        plan.with_options(options, params)
    }
}

impl FunctionSpec {
    fn read(declaration: &FunctionDeclaration<'_>) -> Result<Self, AdmissionError> {
        let tool = declaration.tool;
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
        Ok(Self {
            name,
            callers,
            allows_override: declaration.allows_override,
            is_independent: declaration.is_independent,
        })
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
