//! What a run may be asked for, checked before the first request.

use thiserror::Error;

use crate::browser::{Member, Selection};
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
    pub(crate) max_steps: u64,
    /// Whether the choice forbids every tool.
    pub(crate) no_tools: bool,
    include: Vec<String>,
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
    #[error("this tool_choice would never let the run end, or is not supported; use auto or none")]
    ToolChoice,
    #[error("max_steps must be a positive integer")]
    MaxSteps,
}

impl AdmissionError {
    pub fn code(&self) -> &'static str {
        match self {
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
            Self::ToolChoice => "tool_choice_invalid",
            Self::MaxSteps => "max_steps_invalid",
        }
    }
}

/// The tools of one runner, checked at its construction.
#[derive(Clone, Debug)]
pub struct RunnerTools {
    browser: Option<Selection>,
    functions: Vec<FunctionSpec>,
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
        Ok(Self { browser, functions: specs })
    }

    /// Admits a run. `params` are the request parameters; only their form is read here.
    pub fn admit(
        &self,
        params: &Json<'_>,
        max_steps: &Json<'_>,
    ) -> Result<RunPlan, AdmissionError> {
        if !params.is_object() {
            return Err(AdmissionError::Params);
        }
        refuse_foreign_state(params)?;
        match params.field("input") {
            Some(Json::Text(_) | Json::Held(_) | Json::List(_)) => {}
            _ => return Err(AdmissionError::Input),
        }
        let server_tools = read_tools(params)?;
        if server_tools.contains(&ServerTool::ImageGeneration)
            && params.field("store").and_then(Json::as_bool) == Some(false)
        {
            return Err(AdmissionError::ImageGenerationNotStored);
        }
        let no_tools = match params.field("tool_choice") {
            None | Some(Json::Null) => false,
            Some(choice) => match choice.as_str() {
                Some("auto") => false,
                Some("none") => true,
                _ => return Err(AdmissionError::ToolChoice),
            },
        };
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
            max_steps,
            no_tools,
            include: read_include(params)?,
        })
    }
}

impl RunPlan {
    /// The `include` of each request: the caller's, once each, and the encrypted reasoning without
    /// which a history cannot be replayed.
    pub fn include(&self) -> &[String] {
        &self.include
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

fn read_tools(params: &Json<'_>) -> Result<Vec<ServerTool>, AdmissionError> {
    let tools = match params.field("tools") {
        None | Some(Json::Null) => return Ok(Vec::new()),
        Some(tools) => tools.as_list().ok_or(AdmissionError::Tools)?,
    };
    tools
        .iter()
        .map(|tool| match tool.field("type").and_then(Json::as_str) {
            None | Some("function") => Err(AdmissionError::Tools),
            Some(kind) => ServerTool::from_kind(kind)
                .ok_or_else(|| AdmissionError::ToolUnsupported(kind.chars().take(64).collect())),
        })
        .collect()
}

impl ServerTool {
    fn from_kind(kind: &str) -> Option<Self> {
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
