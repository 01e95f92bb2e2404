//! A scripted host for runs: it holds the history as a pump does, performs each ask as a scenario
//! says and writes down what it was asked.

use std::borrow::Cow;

use serde_json::Value;
use swingbridge_core::browser::{BrowserOutput, Selection};
use swingbridge_core::json::{Json, RawJson};
use swingbridge_core::runner::{
    CallOutput, FunctionCall, ModelResponse, RunMachine, RunPlan, RunnerTools, TurnRequest,
    is_replayed,
};
use swingbridge_core::{Answer, Ask, Reply};

use super::compare::{object, parsed, set, text, texts};
use super::computer_host::{computer_options, output_item};
use super::host::{Script, image_json, implements, options, settle_words};
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
    let max_steps = &input["options"]["max_steps"];
    if max_steps.is_null() && input["options"].get("max_steps").is_some() && manner == Manner::Node
    {
        // In Node a given null is no number; the binding says so before the core is asked.
        return Err(TYPED_OPTION);
    }
    let mut record = match tools.admit(&params, &untag(max_steps)?) {
        Ok(mut plan) => {
            plan.set_computer_options(computer_options(&input["options"]));
            RunHost::new(input, &params, &declarations, manner).drive(plan)?
        }
        Err(_) => refused("admission_rejects"),
    };
    for part in ["requests", "trace", "driver_calls", "turns"] {
        if record.field(part).is_none() {
            set(&mut record, part, Json::List(Vec::new()));
        }
    }
    Ok(record)
}

fn refused(class: &str) -> Json<'static> {
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
    let tools = RunnerTools::new(browser, declarations).map_err(|_| "refused")?;
    Ok(if has_computer(input) { tools.with_computer() } else { tools })
}

fn has_computer(input: &Value) -> bool {
    input["tools"].get("computer").is_some()
}

fn functions(input: &Value) -> impl Iterator<Item = &Value> {
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

fn put(target: &mut Json<'static>, name: &str, value: Option<Json<'static>>) {
    let Json::Object(fields) = target else { panic!("an object") };
    fields.retain(|(field, _)| field != name);
    fields.extend(value.map(|value| (Cow::Owned(name.to_owned()), value)));
}

struct RunHost<'s> {
    input: &'s Value,
    params: &'s Json<'static>,
    tool_names: Vec<String>,
    script: Script<'s>,
    history: Vec<Json<'static>>,
    /// How much of the history the request before had.
    sent: usize,
    responses: usize,
    response: Option<Json<'static>>,
    function_outputs: Vec<(String, Json<'static>)>,
    requests: Vec<Json<'static>>,
    turns: Vec<Json<'static>>,
}

impl<'s> RunHost<'s> {
    fn new(
        input: &'s Value,
        params: &'s Json<'static>,
        declarations: &[Json<'static>],
        manner: Manner,
    ) -> Self {
        let nothing = &Value::Null;
        let browser = input["tools"].get("browser").unwrap_or(nothing);
        let history = match params.field("input") {
            Some(Json::List(items)) => items.clone(),
            Some(prompt) => vec![object([("role", text("user")), ("content", prompt.clone())])],
            None => Vec::new(),
        };
        let mut tool_names: Vec<String> = declarations.iter().filter_map(tool_name).collect();
        let declared = params.field("tools").and_then(Json::as_list).unwrap_or_default();
        tool_names.extend(declared.iter().filter_map(tool_name));
        if let Ok(Ok(selection)) =
            options(browser).map(|given| Selection::new(&given, |name| implements(browser, name)))
        {
            let has_browser = input["tools"].get("browser").is_some();
            let members = selection.members().iter().filter(|_| has_browser);
            tool_names.extend(members.map(|member| member.spec().tool.to_owned()));
        }
        if has_computer(input) && !tool_names.iter().any(|name| name.starts_with("computer")) {
            tool_names.push("computer".to_owned());
        }
        tool_names.sort();
        let mut script = Script::new(browser, &input["options"]["cancel_at"], manner);
        script.computer = [&input["tools"]["computer"], &input["options"]];
        Self {
            input,
            params,
            tool_names,
            script,
            history,
            sent: 0,
            responses: 0,
            response: None,
            function_outputs: Vec::new(),
            requests: Vec::new(),
            turns: Vec::new(),
        }
    }

    fn drive(mut self, plan: RunPlan) -> Result<Json<'static>, Skip> {
        let mut machine = RunMachine::begin(plan, false, 0, self.script.cancelled);
        while !machine.ask().is_end() {
            let before = receipts(&machine);
            let is_request = matches!(machine.ask(), Ask::Send(_));
            let step = machine.outcome().steps;
            let answer = self.perform(&machine.ask(), machine.outcome().attempted)?;
            let reply = Reply { answer, cancelled: self.script.cancelled, now: 0 };
            machine.answer(machine.ask_id(), reply).expect("the scripted host keeps the law");
            if is_request {
                self.note_turn(&machine.ask(), step, before);
            }
        }
        let [attempted, completed] = receipts(&machine);
        let mut record = match machine.ask() {
            Ask::Finished(_) => {
                let response = self.response.as_ref().expect("a final response");
                let id = response.field("id").expect("an id").clone();
                let value = object([("final_id", id), ("closed", Json::Bool(false))]);
                object([("ok", Json::Bool(true)), ("value", value)])
            }
            Ask::Stopped(stop) => {
                let cancelled = self.script.cancelled && stop.is_cancellation();
                let mut record = refused(if cancelled { "cancelled" } else { "run_stops" });
                set(&mut record, "attempted", attempted);
                set(&mut record, "completed", completed);
                record
            }
            other => panic!("a run ended with {other:?}"),
        };
        set(&mut record, "requests", Json::List(self.requests));
        set(&mut record, "trace", texts(&self.script.trace));
        set(&mut record, "driver_calls", Json::List(self.script.driver_calls));
        set(&mut record, "turns", Json::List(self.turns));
        Ok(record)
    }

    fn perform(&mut self, ask: &Ask<'_>, attempted: &[String]) -> Result<Answer<'static>, Skip> {
        match ask {
            Ask::Send(request) => self.send(request),
            Ask::CallFunction(call) => self.call_function(call),
            other => {
                self.script.wire_call = self.running_call(attempted);
                self.script.perform(other)
            }
        }
    }

    /// The item of the call that was begun last.
    fn running_call(&self, attempted: &[String]) -> Json<'static> {
        let response = self.response.as_ref().expect("a response");
        let items = response.field("output").and_then(Json::as_list).expect("items");
        let is_running = |item: &&Json<'static>| {
            attempted.last().map(String::as_str) == item.field("call_id").and_then(Json::as_str)
        };
        items.iter().find(is_running).expect("the running call").clone()
    }

    /// Lays out the history: the items of the response before, then the outputs of its calls.
    fn send(&mut self, request: &TurnRequest<'_>) -> Result<Answer<'static>, Skip> {
        if let Some(response) = self.response.take() {
            let items = response.field("output").and_then(Json::as_list).unwrap_or_default();
            self.history.extend(items.iter().cloned().map(as_replayed));
        }
        for output in request.outputs {
            let item = self.call_output(output);
            self.history.push(item);
        }
        self.script.trace.push("request".to_owned());
        self.requests.push(self.request_record(request));
        self.sent = self.history.len();
        self.responses += 1;
        self.script.reach("request");
        match self.input["responses"].get(self.responses - 1) {
            Some(body) if body.get("http_status").is_none() => {
                let body = untag(body)?;
                self.response = Some(body.clone());
                Ok(Answer::Response(ModelResponse { body }))
            }
            // A failed request, or one more than the scenario has answers for.
            _ => Ok(Answer::Failed(swingbridge_core::Failure::Untold)),
        }
    }

    fn request_record(&self, request: &TurnRequest<'_>) -> Json<'static> {
        let kinds = self
            .history
            .iter()
            .map(|item| item.field("type").and_then(Json::as_str).unwrap_or("message").to_owned());
        let added = if self.sent == 0 { "input" } else { "appended" };
        let items = self.history[self.sent..].to_vec();
        let mut body = object([("include", texts(request.include))]);
        let Json::Object(params) = self.params else { panic!("params are an object") };
        for (name, value) in params {
            if !["model", "input", "tools", "include"].contains(&name.as_ref()) {
                put(&mut body, name, Some(value.clone()));
            }
        }
        object([
            ("input_types", texts(kinds)),
            (added, Json::List(items)),
            ("tools", texts(&self.tool_names)),
            ("body", body),
        ])
    }

    fn call_output(&mut self, output: &CallOutput) -> Json<'static> {
        let (call_id, output) = match output {
            CallOutput::Computer(output) => return output_item(output),
            CallOutput::Browser(output) => (output.call_id.clone(), browser_output(output)),
            CallOutput::Function { call_id } => {
                let held = self.function_outputs.iter().find(|(id, _)| id == call_id);
                (call_id.clone(), held.expect("the host holds the output").1.clone())
            }
        };
        object([
            ("type", text("function_call_output")),
            ("call_id", text(&call_id)),
            ("output", output),
        ])
    }

    fn call_function(&mut self, call: &FunctionCall<'_>) -> Result<Answer<'static>, Skip> {
        self.script.trace.push(format!("function:{}", call.name));
        let arguments = RawJson::parse(call.arguments).expect("the core checked the arguments");
        self.script.driver_calls.push(object([
            ("function", text(call.name)),
            ("arguments", as_a_host_parses(arguments)),
        ]));
        self.script.reach("function");
        let function = functions(self.input).nth(call.index).expect("a registered function");
        assert_eq!(function["name"], call.name);
        let answer = match function.get("behaviour") {
            None => Answer::Value(text("done")),
            Some(behaviour) => match behaviour.get("raises") {
                Some(kind) => self.script.play(&serde_json::json!({ "$raises": kind }))?,
                None => self.script.play(&behaviour["returns"])?,
            },
        };
        if let Answer::Value(value) = &answer {
            self.function_outputs.push((call.call_id.to_owned(), value.clone()));
        }
        Ok(answer)
    }

    /// An accepted response is a turn of the iterator, before any of its work.
    fn note_turn(&mut self, next: &Ask<'_>, step: u64, [attempted, completed]: [Json<'static>; 2]) {
        if matches!(next, Ask::Stopped(_)) {
            return;
        }
        self.script.trace.push("turn".to_owned());
        let response = self.response.as_ref().expect("an accepted response");
        self.turns.push(object([
            ("step", Json::Int(i64::try_from(step).expect("a small step"))),
            ("final", Json::Bool(matches!(next, Ask::Finished(_)))),
            ("tools_executed", Json::Bool(false)),
            ("attempted", attempted),
            ("completed", completed),
            ("response_id", response.field("id").expect("an id").clone()),
        ]));
    }
}

fn as_replayed(item: Json<'static>) -> Json<'static> {
    let kind = item.field("type").and_then(Json::as_str).unwrap_or_default().to_owned();
    let Json::Object(mut fields) = item else { return item };
    fields.retain(|(name, _)| is_replayed(&kind, name));
    Json::Object(fields)
}

fn receipts(machine: &RunMachine) -> [Json<'static>; 2] {
    let outcome = machine.outcome();
    [texts(outcome.attempted), texts(outcome.completed)]
}

fn tool_name(tool: &Json<'static>) -> Option<String> {
    tool.field("name").or(tool.field("type")).and_then(Json::as_str).map(str::to_owned)
}

fn browser_output(output: &BrowserOutput) -> Json<'static> {
    let mut payload = parsed(&output.text);
    settle_words(&mut payload);
    let json = object([("$json", payload)]);
    let mut blocks = vec![object([("type", text("input_text")), ("text", json)])];
    blocks.extend(output.image.iter().map(image_json));
    Json::List(blocks)
}

/// As both hosts parse: the last of equal names counts, and a number too large is infinite.
fn as_a_host_parses(raw: RawJson<'_>) -> Json<'static> {
    if let Some(text) = raw.as_text() {
        return Json::Text(text.into_owned());
    }
    if let Some(items) = raw.as_list() {
        return Json::List(items.into_iter().map(as_a_host_parses).collect());
    }
    if let Some(fields) = raw.as_object() {
        let mut object = Json::Object(Vec::new());
        for (name, value) in fields {
            put(&mut object, &name, Some(as_a_host_parses(value)));
        }
        return object;
    }
    match (raw.as_bool(), raw.as_int()) {
        (Some(value), _) => Json::Bool(value),
        (_, Some(value)) => Json::Int(value),
        _ if raw.is_null() => Json::Null,
        _ => Json::Float(raw.text().parse().expect("a number")),
    }
}
