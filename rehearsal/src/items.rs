//! Output items from their short forms.

use serde_json::{Map, Value, json};
use swingbridge_core::browser::{FieldKind, Member};

use crate::fields::{Fields, Problem, ScriptFault, fault, into_text};

/// Items that need no more than a type, an id and, if they have one, a status: their kind, the
/// beginning of their ids, and whether they have a status.
const PLAIN: &[(&str, &str, bool)] = &[
    ("code_interpreter_call", "ci", true),
    ("compaction", "cmp", false),
    ("file_search_call", "fs", true),
    ("image_generation_call", "ig", true),
    ("mcp_approval_request", "mcpr", false),
    ("mcp_call", "mcp", true),
    ("mcp_list_tools", "mcpl", false),
    ("web_search_call", "ws", true),
];

/// Gives ids to items that have none: those of turn 2 are `call_2_1`, `call_2_2` and so on.
pub(crate) struct Numbering {
    turn: usize,
    calls: usize,
    items: usize,
}

impl Numbering {
    pub(crate) fn of_turn(turn: usize) -> Self {
        Self { turn, calls: 0, items: 0 }
    }

    fn call(&mut self) -> String {
        self.calls += 1;
        format!("call_{}_{}", self.turn, self.calls)
    }

    fn item(&mut self, prefix: &str) -> String {
        self.items += 1;
        format!("{prefix}_{}_{}", self.turn, self.items)
    }
}

/// One item: a mapping of one short form, or a whole item with its `type`.
pub(crate) fn one(
    fields: Fields,
    place: &str,
    numbering: &mut Numbering,
) -> Result<Value, ScriptFault> {
    let rest = fields.into_rest();
    if rest.contains_key("type") {
        return build("item", Value::Object(rest), place, numbering);
    }
    let mut entries = rest.into_iter();
    match (entries.next(), entries.next()) {
        (Some((kind, value)), None) => build(&kind, value, &format!("{place}.{kind}"), numbering),
        (None, _) => fault(place, Problem::Missing),
        (Some(_), Some(_)) => fault(place, Problem::Conflict),
    }
}

/// Whether a key of a script is an output item.
pub(crate) fn is_item(key: &str) -> bool {
    ["item", "message", "reasoning", "function_call", "computer_call"].contains(&key)
        || key.starts_with("browser_")
        || PLAIN.iter().any(|(name, ..)| *name == key)
}

pub(crate) fn build(
    kind: &str,
    value: Value,
    place: &str,
    numbering: &mut Numbering,
) -> Result<Value, ScriptFault> {
    match kind {
        "item" => match value {
            Value::Object(item) if item.get("type").is_some_and(Value::is_string) => {
                Ok(Value::Object(item))
            }
            _ => fault(place, Problem::Form),
        },
        "message" => message(short(value, "text"), place, numbering),
        "reasoning" => reasoning(short(value, "summary"), place, numbering),
        "function_call" => function_call(value, place, numbering),
        "computer_call" => computer_call(value, place, numbering),
        tool if tool.starts_with("browser_") => browser_call(tool, value, place, numbering),
        kind => match PLAIN.iter().find(|(name, ..)| *name == kind) {
            Some((kind, prefix, has_status)) => {
                plain(kind, prefix, *has_status, value, place, numbering)
            }
            None => fault(place, Problem::Unknown),
        },
    }
}

/// A text or a list stands for the mapping that has it under its usual key; `true` for an empty one.
fn short(value: Value, key: &str) -> Value {
    match value {
        Value::String(_) | Value::Array(_) => json!({ key: value }),
        Value::Bool(true) => json!({}),
        value => value,
    }
}

fn message(value: Value, place: &str, numbering: &mut Numbering) -> Result<Value, ScriptFault> {
    let mut fields = Fields::of(value, place)?;
    let part = match (fields.text("text")?, fields.text("refusal")?) {
        (Some(text), None) => json!({"type": "output_text", "text": text, "annotations": []}),
        (None, Some(refusal)) => json!({"type": "refusal", "refusal": refusal}),
        (None, None) => return fault(fields.place("text"), Problem::Missing),
        (Some(_), Some(_)) => return fault(place, Problem::Conflict),
    };
    let id = fields.text("id")?.unwrap_or_else(|| numbering.item("msg"));
    let mut item = json!({
        "type": "message", "id": id, "role": "assistant", "status": "completed", "content": [part],
    });
    if let Some(phase) = fields.text("phase")? {
        item["phase"] = phase.into();
    }
    fields.finish()?;
    Ok(item)
}

fn reasoning(value: Value, place: &str, numbering: &mut Numbering) -> Result<Value, ScriptFault> {
    let mut fields = Fields::of(value, place)?;
    let summary: Vec<Value> = fields
        .texts("summary")?
        .into_iter()
        .map(|text| json!({"type": "summary_text", "text": text}))
        .collect();
    let id = fields.text("id")?.unwrap_or_else(|| numbering.item("rs"));
    let sealed = fields.text("encrypted_content")?.unwrap_or_else(|| format!("sealed {id}"));
    fields.finish()?;
    Ok(json!({"type": "reasoning", "id": id, "summary": summary, "encrypted_content": sealed}))
}

fn function_call(
    value: Value,
    place: &str,
    numbering: &mut Numbering,
) -> Result<Value, ScriptFault> {
    let mut fields = Fields::of(value, place)?;
    let Some(name) = fields.text("name")? else {
        return fault(fields.place("name"), Problem::Missing);
    };
    let arguments = fields.read("arguments", arguments_text)?.unwrap_or_else(|| "{}".to_owned());
    let id = fields.text("id")?.unwrap_or_else(|| numbering.item("fc"));
    let call_id = fields.text("call_id")?.unwrap_or_else(|| numbering.call());
    fields.finish()?;
    Ok(call_item(&id, &call_id, &name, &arguments))
}

/// Arguments are written as a mapping, or as the text itself where it is to be wrong.
fn arguments_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Object(_) => Some(value.to_string()),
        _ => None,
    }
}

fn call_item(id: &str, call_id: &str, name: &str, arguments: &str) -> Value {
    json!({
        "type": "function_call", "id": id, "call_id": call_id, "name": name,
        "arguments": arguments, "status": "completed",
    })
}

/// The arguments alone; fields that may be null and are left out are null.
fn browser_call(
    tool: &str,
    value: Value,
    place: &str,
    numbering: &mut Numbering,
) -> Result<Value, ScriptFault> {
    let Some(member) = Member::from_tool(tool) else { return fault(place, Problem::Member) };
    let mut arguments = match value {
        Value::Object(arguments) => arguments,
        Value::Null => Map::new(),
        _ => return fault(place, Problem::Form),
    };
    for field in member.spec().fields {
        if matches!(field.kind, FieldKind::OptionalText | FieldKind::OptionalReference) {
            arguments.entry(field.name).or_insert(Value::Null);
        }
    }
    let arguments = Value::Object(arguments).to_string();
    Ok(call_item(&numbering.item("fc"), &numbering.call(), tool, &arguments))
}

fn computer_call(
    value: Value,
    place: &str,
    numbering: &mut Numbering,
) -> Result<Value, ScriptFault> {
    let mut fields = Fields::of(short(value, "actions"), place)?;
    let list = |value: Value| value.is_array().then_some(value);
    let actions = fields.read("actions", list)?;
    let action = fields.read("action", |value| value.is_object().then_some(value))?;
    let checks = fields.read("pending_safety_checks", list)?.unwrap_or_else(|| json!([]));
    let mut item = json!({
        "type": "computer_call",
        "id": fields.text("id")?.unwrap_or_else(|| numbering.item("cu")),
        "call_id": fields.text("call_id")?.unwrap_or_else(|| numbering.call()),
        "status": "completed",
        "pending_safety_checks": checks,
    });
    match (actions, action) {
        (Some(actions), None) => item["actions"] = actions,
        (None, Some(action)) => item["action"] = action,
        (None, None) => return fault(fields.place("actions"), Problem::Missing),
        (Some(_), Some(_)) => return fault(place, Problem::Conflict),
    }
    fields.finish()?;
    Ok(item)
}

fn plain(
    kind: &str,
    prefix: &str,
    has_status: bool,
    value: Value,
    place: &str,
    numbering: &mut Numbering,
) -> Result<Value, ScriptFault> {
    let Value::Object(mut item) = value else { return fault(place, Problem::Form) };
    item.insert("type".to_owned(), kind.into());
    if !item.contains_key("id") {
        item.insert("id".to_owned(), numbering.item(prefix).into());
    }
    if has_status {
        item.entry("status").or_insert_with(|| "completed".into());
    }
    if kind == "compaction" {
        let sealed = item.get("id").cloned().and_then(into_text).unwrap_or_default();
        item.entry("encrypted_content").or_insert_with(|| format!("sealed {sealed}").into());
    }
    if let Some(arguments) = item.get_mut("arguments").filter(|value| value.is_object()) {
        *arguments = arguments.to_string().into();
    }
    Ok(Value::Object(item))
}
