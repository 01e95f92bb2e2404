//! A scripted host for browser calls: it performs each ask as a scenario says and writes down what
//! it was asked.

use std::collections::BTreeMap;

use serde_json::Value;
use swingbridge_core::browser::{
    ArgumentText, BrowserCall, BrowserOutput, CallFields, CallStatus, InputImage, MEMBERS, Member,
    Selection, SelectionOptions,
};
use swingbridge_core::json::{Json, Text};
use swingbridge_core::{Answer, Ask, Failure, Reply};

use super::compare::{object, parsed, set, text, texts, written};
use super::tags::{Skip, TYPED_OPTION, untag, untag_or_nothing};
use super::vectors::Manner;

/// The words of the driver's own error, which the model is meant to read.
const CALLER_TEXT: &str = "the scripted driver refused: tag 7c1d";

/// What the driver and the callbacks of one scenario do, and what was asked of them.
pub(crate) struct Script<'s> {
    browser: &'s Value,
    /// What the computer driver does, and what the callbacks for it do.
    pub(crate) computer: [&'s Value; 2],
    /// The computer call that is running, as it came from the wire.
    pub(crate) wire_call: Json<'static>,
    manner: Manner,
    cancel_at: Option<&'s str>,
    seen: BTreeMap<String, usize>,
    pub(crate) trace: Vec<String>,
    pub(crate) driver_calls: Vec<Json<'static>>,
    contexts: Vec<Json<'static>>,
    declined: bool,
    driver_failed: bool,
    pub(crate) cancelled: bool,
}

impl<'s> Script<'s> {
    pub(crate) fn new(browser: &'s Value, cancel_at: &'s Value, manner: Manner) -> Self {
        let mut script = Self {
            browser,
            computer: [&Value::Null; 2],
            wire_call: Json::Null,
            manner,
            cancel_at: cancel_at.as_str(),
            seen: BTreeMap::new(),
            trace: Vec::new(),
            driver_calls: Vec::new(),
            contexts: Vec::new(),
            declined: false,
            driver_failed: false,
            cancelled: false,
        };
        script.reach("start");
        script
    }

    /// Performs one ask of a browser call.
    pub(crate) fn perform(&mut self, ask: &Ask<'_>) -> Result<Answer<'static>, Skip> {
        match ask {
            Ask::ReadState => {
                self.trace.push("state".to_owned());
                let step = self.reach("state");
                let empty = serde_json::json!([{ "tabs": [] }]);
                let states = self.browser.get("states").unwrap_or(&empty);
                self.play(nth(states, step))
            }
            Ask::Confirm { context } => {
                let phase =
                    if context.is_before_read() { "confirm:before_read" } else { "confirm" };
                self.trace.push(phase.to_owned());
                let context = written(|out| context.write(out));
                self.contexts.push(object([("callback", text("confirm")), ("context", context)]));
                self.behave("confirm")
            }
            Ask::ReviewUrl { context, url } => {
                self.trace.push("url_policy".to_owned());
                self.contexts.push(object([
                    ("callback", text("url_policy")),
                    ("context", written(|out| context.write(out))),
                    ("url", Json::Text((*url).clone())),
                ]));
                self.behave("url_policy")
            }
            Ask::Act { member, arguments } => {
                self.trace.push(format!("driver:{}", member.name()));
                self.driver_calls.push(object([
                    ("method", text(member.name())),
                    ("arguments", written(|out| arguments.write(out))),
                ]));
                self.reach("driver");
                let result = self.result(*member);
                self.driver_failed = result.get("$raises").is_some();
                self.play(&result)
            }
            Ask::Emit(_) => Ok(Answer::Seen),
            other => self.perform_computer(other),
        }
    }

    fn result(&self, member: Member) -> Value {
        let by_member = self.browser.get("results").and_then(|results| results.get(member.name()));
        match by_member.or_else(|| self.browser.get("result")) {
            Some(result) => result.clone(),
            None => default_result(member.name()),
        }
    }

    fn behave(&mut self, callback: &str) -> Result<Answer<'static>, Skip> {
        let approve = serde_json::json!({ "returns": true });
        let behaviours = self.browser.get(callback).unwrap_or(&approve).clone();
        self.follow(callback, &behaviours)
    }

    /// What a callback answers at its next call.
    pub(crate) fn follow(
        &mut self,
        callback: &str,
        behaviours: &Value,
    ) -> Result<Answer<'static>, Skip> {
        let step = self.reach(callback);
        let behaviour = if behaviours.is_array() { nth(behaviours, step) } else { behaviours };
        if let Some(kind) = behaviour.get("raises") {
            self.declined = true;
            return Ok(self.raise(kind));
        }
        // A host's answer is compared with its own true; nothing else is an approval.
        let approved = behaviour["returns"] == true;
        untag(&behaviour["returns"])?;
        self.declined |= !approved;
        Ok(Answer::Verdict(approved))
    }

    pub(crate) fn play(&self, scripted: &Value) -> Result<Answer<'static>, Skip> {
        match scripted.get("$raises") {
            Some(kind) => Ok(self.raise(kind)),
            None => untag(scripted).map(|value| Answer::Value(self.as_handed_over(value))),
        }
    }

    /// A JavaScript number has no spelling: what its host hands over for `1.0` is an integer.
    fn as_handed_over(&self, value: Json<'static>) -> Json<'static> {
        match value {
            #[expect(clippy::cast_possible_truncation, reason = "small integers in the data")]
            Json::Float(float) if self.manner == Manner::Node && float.fract() == 0.0 => {
                Json::Int(float as i64)
            }
            Json::List(items) => {
                Json::List(items.into_iter().map(|item| self.as_handed_over(item)).collect())
            }
            Json::Object(fields) => {
                let fields = fields.into_iter();
                Json::Object(
                    fields.map(|(name, value)| (name, self.as_handed_over(value))).collect(),
                )
            }
            other => other,
        }
    }

    fn raise(&self, kind: &Value) -> Answer<'static> {
        match kind.as_str() {
            Some("browser_error") => Answer::Failed(Failure::Told(CALLER_TEXT.to_owned().into())),
            // Node takes a cancellation that nobody asked for as any other failure.
            Some("cancelled") if self.manner == Manner::Python || self.cancelled => {
                Answer::Cancelled
            }
            Some("error" | "cancelled") => Answer::Failed(Failure::Untold),
            _ => panic!("an unknown failure {kind}"),
        }
    }

    /// Counts a call, from 0, and throws the switch where the scenario says so.
    pub(crate) fn reach(&mut self, event: &str) -> usize {
        let count = self.seen.entry(event.to_owned()).or_default();
        *count += 1;
        let numbered = format!("{event}#{count}");
        self.cancelled |=
            self.cancel_at.is_some_and(|at| at == event && *count == 1 || at == numbered);
        *count - 1
    }

    fn class_of_error(&self, payload: &Json<'_>) -> &'static str {
        // By what was asked of the host, so an error that came for another reason than its class
        // says is not taken for it.
        if self.driver_failed {
            "action_error"
        } else if !self.driver_calls.is_empty() {
            "unclassified"
        } else if self.declined {
            "refused"
        } else if !self.contexts.is_empty() {
            "unclassified"
        } else if payload.field("state").is_some() {
            "argument_error"
        } else {
            "unavailable_or_read_refused"
        }
    }
}

/// The record of one browser scenario.
pub(crate) fn run(input: &Value, manner: Manner) -> Result<Json<'static>, Skip> {
    if let Some(constant) = input.get("constant") {
        return Ok(constant_record(constant));
    }
    let Ok(selection) = Selection::new(&options(input)?, |name| implements(input, name)) else {
        let refused = [("ok", Json::Bool(false)), ("error_class", text("constructor_rejects"))];
        let mut record = object(refused);
        set(&mut record, "trace", Json::List(Vec::new()));
        return Ok(record);
    };
    if input.get("member").is_none() {
        let value = declared(&selection, input["record_schema"] == true);
        let trace = ("trace", Json::List(Vec::new()));
        return Ok(object([("ok", Json::Bool(true)), ("value", value), trace]));
    }
    let unobserved = execute(input, &selection, manner, false)?;
    let observed = execute(input, &selection, manner, true)?;
    assert_eq!(unobserved, observed, "an observer changes nothing");
    Ok(observed)
}

fn execute(
    input: &Value,
    selection: &Selection,
    manner: Manner,
    observed: bool,
) -> Result<Json<'static>, Skip> {
    let mut script = Script::new(input, &input["cancel_at"], manner);
    let call = call_item(input)?;
    let mut machine = BrowserCall::begin(selection, &fields(&call), observed, 0, script.cancelled);
    while !machine.ask().is_end() {
        let answer = script.perform(&machine.ask())?;
        let reply = Reply { answer, cancelled: script.cancelled, now: 0 };
        machine.answer(machine.ask_id(), reply).expect("the scripted host keeps the law");
    }
    let mut record = match machine.ask() {
        Ask::Output(output) => output_record(output, &script),
        Ask::Stopped(stop) => {
            let cancelled = script.cancelled && stop.is_cancellation();
            let class = if cancelled { "cancelled" } else { "run_stops" };
            object([("ok", Json::Bool(false)), ("error_class", text(class))])
        }
        other => panic!("a browser call ended with {other:?}"),
    };
    set(&mut record, "trace", texts(&script.trace));
    set(&mut record, "driver_calls", Json::List(script.driver_calls));
    if input["record_contexts"] == true {
        set(&mut record, "contexts", Json::List(script.contexts));
    }
    Ok(record)
}

fn output_record(output: &BrowserOutput, script: &Script<'_>) -> Json<'static> {
    let mut payload = parsed(&output.text);
    assert_eq!(payload.field("ok"), Some(&Json::Bool(output.ok)));
    let mut content = vec!["input_text"];
    content.extend(output.image.iter().map(|_| "input_image"));
    let content = texts(content);
    if settle_words(&mut payload) {
        let class = text(script.class_of_error(&payload));
        return object([
            ("ok", Json::Bool(false)),
            ("error_class", class),
            ("payload", payload),
            ("content", content),
        ]);
    }
    let mut value = object([
        ("payload", payload),
        ("content", content),
        ("call_id", text(&output.call_id)),
        ("type", text("function_call_output")),
    ]);
    if let Some(image) = &output.image {
        set(&mut value, "image", image_json(image));
    }
    object([("ok", Json::Bool(true)), ("value", value)])
}

/// Puts whose words they are in the place of an error's words. Returns whether there is an error.
pub(crate) fn settle_words(payload: &mut Json<'static>) -> bool {
    let Some(error) = payload.field("error") else { return false };
    let words = error.as_str().expect("an error is a text");
    assert!(!words.is_empty());
    let whose = if words == CALLER_TEXT { "caller" } else { "fixed" };
    set(payload, "error", text(whose));
    true
}

pub(crate) fn image_json(image: &InputImage) -> Json<'static> {
    let fields = image.fields().iter();
    Json::Object(fields.map(|(name, value)| ((*name).into(), value.clone())).collect())
}

fn constant_record(constant: &Value) -> Json<'static> {
    let all = constant == "BROWSER_MEMBERS";
    assert!(all || constant == "DEFAULT_BROWSER_MEMBERS", "{constant}");
    let names = MEMBERS.iter().filter(|spec| all || spec.default).map(|spec| spec.name);
    object([("ok", Json::Bool(true)), ("value", object([("tools", texts(names))]))])
}

pub(crate) fn options(input: &Value) -> Result<SelectionOptions, Skip> {
    let only = input.get("member").map(|member| Value::Array(vec![member.clone()]));
    let members = match input.get("members").or(only.as_ref()) {
        Some(members) if members != "default" => names(members)?,
        _ => None,
    };
    Ok(SelectionOptions {
        members,
        additional_members: names(&input["additional_members"])?,
        confirm_reads: names(&input["confirm_reads"])?,
        has_confirm: input.get("confirm").is_none_or(|confirm| !confirm.is_null()),
        has_url_policy: input.get("url_policy").is_none_or(|policy| !policy.is_null()),
    })
}

fn names(option: &Value) -> Result<Option<Vec<String>>, Skip> {
    match untag(option)? {
        Json::Null => Ok(None),
        Json::List(items) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned).ok_or(TYPED_OPTION))
            .collect::<Result<_, _>>()
            .map(Some),
        _ => Err(TYPED_OPTION),
    }
}

pub(crate) fn implements(input: &Value, name: &str) -> bool {
    match input.get("implements").and_then(Value::as_array) {
        _ if name == "state" => input["state_method"] != false,
        Some(names) => names.iter().any(|given| given == name),
        None => input["member"] == name,
    }
}

fn call_item(input: &Value) -> Result<Json<'static>, Skip> {
    let member = input["member"].as_str().expect("a member");
    let mut call = object([
        ("type", text("function_call")),
        ("name", text(&format!("browser_{member}"))),
        ("arguments", untag(&input["arguments"])?),
        ("call_id", text("call_1")),
        ("status", text("completed")),
    ]);
    for (name, value) in input["call"].as_object().into_iter().flatten() {
        let Json::Object(fields) = &mut call else { panic!("the call is an object") };
        fields.retain(|(field, _)| field != name);
        if let Some(value) = untag_or_nothing(value)? {
            fields.push((name.clone().into(), value));
        }
    }
    Ok(call)
}

fn fields<'c>(call: &'c Json<'static>) -> CallFields<'c> {
    let field = |name| call.field(name).and_then(Json::as_str);
    CallFields {
        kind: field("type"),
        name: field("name"),
        call_id: field("call_id"),
        arguments: match call.field("arguments") {
            Some(Json::Text(Text::Valid(text))) => ArgumentText::Valid(text),
            Some(Json::Text(Text::Unpaired(_))) => ArgumentText::Unpaired,
            _ => ArgumentText::NotText,
        },
        status: match call.field("status") {
            None | Some(Json::Null) => CallStatus::Unset,
            Some(status) => status.as_str().map_or(CallStatus::NotText, CallStatus::Text),
        },
    }
}

fn declared(selection: &Selection, with_schema: bool) -> Json<'static> {
    let tools = parsed(&selection.tools_json());
    let tools = tools.as_list().expect("a list of tools");
    let name = |tool: &Json<'static>| tool.field("name").and_then(Json::as_str).map(str::to_owned);
    let names: Vec<String> = tools.iter().map(|tool| name(tool).expect("a name")).collect();
    let mut value = object([("tools", texts(&names))]);
    if with_schema {
        let by_name = |part: &dyn Fn(&Json<'static>) -> Json<'static>| {
            let fields = names.iter().zip(tools);
            Json::Object(fields.map(|(name, tool)| (name.clone().into(), part(tool))).collect())
        };
        let field = |tool: &Json<'static>, name| tool.field(name).expect("a field").clone();
        let schema = |tool: &Json<'static>| without_descriptions(field(tool, "parameters"));
        set(&mut value, "schema", by_name(&schema));
        set(&mut value, "strict", by_name(&|tool| field(tool, "strict")));
        set(&mut value, "required_order", by_name(&|tool| field(&schema(tool), "required")));
    }
    value
}

fn without_descriptions(schema: Json<'static>) -> Json<'static> {
    match schema {
        Json::List(items) => Json::List(items.into_iter().map(without_descriptions).collect()),
        Json::Object(fields) => Json::Object(
            fields
                .into_iter()
                .filter(|(name, _)| name != "description")
                .map(|(name, value)| (name, without_descriptions(value)))
                .collect(),
        ),
        other => other,
    }
}

fn nth(items: &Value, step: usize) -> &Value {
    let items = items.as_array().expect("a list");
    &items[step.min(items.len() - 1)]
}

fn default_result(member: &str) -> Value {
    use serde_json::json;
    match member {
        "find" | "read_page" | "get_page_text" | "run_script" => json!("t"),
        "read_diagnostics" => json!({ "version": 1, "text": "t", "elements": [], "omitted": [] }),
        "read_page_scoped" => {
            json!({ "version": 1, "text": "t", "elements": [], "omitted": [], "scopes": [] })
        }
        "screenshot" | "zoom" => {
            json!({ "type": "input_image", "image_url": "data:image/png;base64,AA==" })
        }
        "upload_file" | "download_file" => {
            json!({ "version": 1, "status": "completed", "effect": "completed", "cleanup": "completed" })
        }
        _ => Value::Null,
    }
}
