//! A scripted host for runs: what a scenario gives to the runner and to the run.

use std::borrow::Cow;

use serde_json::Value;
use swingbridge_core::browser::Selection;
use swingbridge_core::json::Json;
use swingbridge_core::runner::{FunctionDeclaration, RunOptions, RunnerTools};

use super::compare::{object, parsed, set, text};
use super::computer_host::computer_options;
use super::host::{implements, options};
use super::run_script::RunHost;
use super::tags::{Skip, TYPED_OPTION, untag, untag_or_nothing};
use super::vectors::Manner;

/// The record of one run.
pub(crate) fn run(input: &Value, manner: Manner) -> Result<Json<'static>, Skip> {
    let declarations = declarations(input)?;
    let Ok(tools) = tools(input, &declarations) else {
        return Ok(object([
            ("ok", Json::Bool(false)),
            ("error_class", text("constructor_rejects")),
        ]));
    };
    let params = untag(&input["params"])?;
    let given = &input["options"];
    for name in ["max_steps", "max_concurrent_calls"] {
        if given[name].is_null() && given.get(name).is_some() && manner == Manner::Node {
            // In Node a given null is no number; the binding says so before the core is asked.
            return Err(TYPED_OPTION);
        }
    }
    let tool_list = all_tools(input, &params, &declarations)?;
    let admitted = tools.admit(&params, &run_options(input, tool_list.clone(), manner)?);
    let mut record = match admitted {
        Ok(mut plan) => {
            plan.set_computer_options(computer_options(given));
            RunHost::new(input, &params, &tool_list, manner)?.drive(plan)?
        }
        Err(_) => refused("admission_rejects"),
    };
    let parts = ["requests", "trace", "driver_calls", "turns"];
    for part in parts {
        if record.field(part).is_none() {
            set(&mut record, part, Json::List(Vec::new()));
        }
    }
    Ok(record)
}

fn run_options(
    input: &Value,
    tools: Json<'static>,
    manner: Manner,
) -> Result<RunOptions<'static>, Skip> {
    let given = &input["options"];
    let option = |name: &str| untag(&given[name]).map(|value| as_host_number(value, manner));
    let ledger = match given.get("ledger") {
        None => None,
        Some(ledger) => {
            let mut options = object([("run_id", untag(&ledger["run_id"])?)]);
            if let Some(checkpoint) = ledger.get("resume_from") {
                let checkpoint = as_host_number(untag(checkpoint)?, manner);
                set(&mut options, "resume_from", checkpoint);
            }
            Some(options)
        }
    };
    let context_budget = match given.get("context_budget") {
        None => None,
        Some(budget) => Some(as_host_number(budget_config(budget)?, manner)),
    };
    let defaults = RunOptions::default();
    Ok(RunOptions {
        max_steps: option("max_steps")?,
        stream: option("stream")?,
        eager: option("eager")?,
        max_concurrent_calls: match given.get("max_concurrent_calls") {
            None => defaults.max_concurrent_calls,
            Some(_) => option("max_concurrent_calls")?,
        },
        finish_at_limit: Json::Null,
        ledger,
        context_budget,
        tools,
        approves_mcp: given.get("approve_mcp").is_some(),
        reviews_early: given.get("before_early_call").is_some(),
        delivers_events: given["record_events"] == true,
        yields_turns: true,
    })
}

/// A script for `compact` stands for a function.
fn budget_config(budget: &Value) -> Result<Json<'static>, Skip> {
    let mut config = untag(&without_compact(budget))?;
    let compact = match budget.get("compact") {
        None => return Ok(config),
        Some(compact) => match compact.get("$literal") {
            Some(literal) => untag(literal)?,
            None if compact.is_null() => Json::Null,
            None => Json::Foreign,
        },
    };
    put(&mut config, "compact", Some(compact));
    Ok(config)
}

fn without_compact(budget: &Value) -> Value {
    let mut budget = budget.clone();
    if let Some(budget) = budget.as_object_mut() {
        budget.remove("compact");
    }
    budget
}

pub(crate) fn refused(class: &str) -> Json<'static> {
    object([("ok", Json::Bool(false)), ("error_class", text(class))])
}

fn tools(input: &Value, declarations: &[Json<'static>]) -> Result<RunnerTools, Skip> {
    let browser = match input["tools"].get("browser") {
        Some(browser) => {
            let selection = Selection::new(&options(browser)?, |name| implements(browser, name));
            Some(selection.map_err(|_| "refused")?)
        }
        None => None,
    };
    let flag = |function: &Value, name: &str| function[name] == true;
    let declarations: Vec<FunctionDeclaration<'_>> = functions(input)
        .zip(declarations)
        .map(|(function, tool)| FunctionDeclaration {
            tool,
            allows_override: flag(function, "allow_output_override"),
            is_independent: flag(function, "independent"),
        })
        .collect();
    let tools = RunnerTools::new(browser, &declarations).map_err(|_| "refused")?;
    let tools = if has_computer(input) { tools.with_computer() } else { tools };
    tools.with_early_execution(&untag(&input["tools"]["early_execution"])?).map_err(|_| "refused")
}

fn has_computer(input: &Value) -> bool {
    input["tools"].get("computer").is_some()
}

pub(crate) fn functions(input: &Value) -> impl Iterator<Item = &Value> {
    input["tools"]["functions"].as_array().into_iter().flatten()
}

/// What the caller registers: the default declaration and what the scenario lays over it.
fn declarations(input: &Value) -> Result<Vec<Json<'static>>, Skip> {
    let declare = |function: &Value| {
        for flag in ["allow_output_override", "independent"] {
            // These stay in the host, which checks their type.
            if function.get(flag).is_some_and(|value| !value.is_boolean()) {
                return Err(TYPED_OPTION);
            }
        }
        let parameters = parsed(r#"{"type":"object","properties":{}}"#);
        let mut tool = object([("type", text("function")), ("parameters", parameters)]);
        set(&mut tool, "name", untag(&function["name"])?);
        set(&mut tool, "strict", Json::Bool(false));
        for (name, value) in function["declaration"].as_object().into_iter().flatten() {
            put(&mut tool, name, untag_or_nothing(value)?);
        }
        Ok(tool)
    };
    functions(input).map(declare).collect()
}

pub(crate) fn put(target: &mut Json<'static>, name: &str, value: Option<Json<'static>>) {
    let Json::Object(fields) = target else { panic!("an object") };
    fields.retain(|(field, _)| field != name);
    fields.extend(value.map(|value| (Cow::Owned(name.to_owned()), value)));
}

/// A JavaScript number has no spelling.
fn as_host_number(value: Json<'static>, manner: Manner) -> Json<'static> {
    match value {
        #[expect(clippy::cast_possible_truncation, reason = "small integers in the data")]
        Json::Float(float) if manner == Manner::Node && float.fract() == 0.0 => {
            Json::Int(float as i64)
        }
        Json::List(items) => {
            Json::List(items.into_iter().map(|item| as_host_number(item, manner)).collect())
        }
        Json::Object(fields) => {
            let fields = fields.into_iter();
            Json::Object(
                fields.map(|(name, value)| (name, as_host_number(value, manner))).collect(),
            )
        }
        other => other,
    }
}

/// The tools of each request: those of the browser, the functions, what the caller declares, and the
/// computer.
fn all_tools(
    input: &Value,
    params: &Json<'static>,
    declarations: &[Json<'static>],
) -> Result<Json<'static>, Skip> {
    let mut tools = Vec::new();
    if let Some(browser) = input["tools"].get("browser") {
        let selection = Selection::new(&options(browser)?, |name| implements(browser, name));
        if let Ok(selection) = selection {
            tools.extend(parsed(&selection.tools_json()).as_list().unwrap_or_default().to_vec());
        }
    }
    tools.extend(declarations.iter().cloned());
    let declared = params.field("tools").and_then(Json::as_list).unwrap_or_default();
    tools.extend(declared.iter().cloned());
    let is_computer = |tool: &Json<'static>| {
        tool.field("type").and_then(Json::as_str).is_some_and(|kind| kind.starts_with("computer"))
    };
    if has_computer(input) && !tools.iter().any(is_computer) {
        tools.push(object([("type", text("computer"))]));
    }
    Ok(Json::List(tools))
}
