//! A response as the events of its stream.

use serde_json::{Value, json};

/// How many characters one delta has.
const DELTA: usize = 16;

/// The events in order, numbered, each with its name. An error in place of a response is an event of
/// its own.
pub(crate) fn events(response: &Value) -> Vec<Value> {
    let mut out = Events(Vec::new());
    if let Some(error) = response.get("error").filter(|_| response.get("output").is_none()) {
        let field = |name: &str| error[name].clone();
        let said = json!({
            "code": field("code"), "message": field("message"), "param": field("param"),
        });
        out.push("error", said);
        return out.0;
    }
    let mut begun = response.clone();
    for (field, value) in [
        ("status", json!("in_progress")),
        ("output", json!([])),
        ("usage", Value::Null),
        ("error", Value::Null),
        ("incomplete_details", Value::Null),
    ] {
        begun[field] = value;
    }
    out.push("response.created", json!({ "response": begun }));
    out.push("response.in_progress", json!({ "response": begun }));
    let items = response["output"].as_array().map_or(&[][..], Vec::as_slice);
    for (index, item) in items.iter().enumerate() {
        out.item(index, item);
    }
    let end = match response["status"].as_str() {
        Some("incomplete") => "response.incomplete",
        Some("failed") => "response.failed",
        _ => "response.completed",
    };
    out.push(end, json!({ "response": response }));
    out.0
}

struct Events(Vec<Value>);

impl Events {
    fn push(&mut self, kind: &str, mut event: Value) {
        event["type"] = kind.into();
        event["sequence_number"] = self.0.len().into();
        self.0.push(event);
    }

    fn item(&mut self, index: usize, item: &Value) {
        let mut begun = item.clone();
        if begun.get("status").is_some() {
            begun["status"] = "in_progress".into();
        }
        for (field, empty) in
            [("content", json!([])), ("summary", json!([])), ("arguments", json!(""))]
        {
            if begun.get(field).is_some() {
                begun[field] = empty;
            }
        }
        self.push("response.output_item.added", json!({"output_index": index, "item": begun}));
        let place = json!({"output_index": index, "item_id": item["id"]});
        for (part_index, part) in parts(&item["content"]) {
            self.part(&place, part_index, part);
        }
        for (part_index, part) in parts(&item["summary"]) {
            let place = with(&place, "summary_index", part_index.into());
            let empty = json!({"type": "summary_text", "text": ""});
            self.push("response.reasoning_summary_part.added", with(&place, "part", empty));
            self.text("response.reasoning_summary_text", &place, "text", &part["text"]);
            self.push("response.reasoning_summary_part.done", with(&place, "part", part.clone()));
        }
        match item["type"].as_str() {
            Some("function_call") => {
                let name = "response.function_call_arguments";
                self.text(name, &place, "arguments", &item["arguments"]);
            }
            Some("mcp_call") => {
                let name = "response.mcp_call_arguments";
                self.text(name, &place, "arguments", &item["arguments"]);
            }
            _ => {}
        }
        self.push("response.output_item.done", json!({"output_index": index, "item": item}));
    }

    /// A part of a message.
    fn part(&mut self, place: &Value, index: usize, part: &Value) {
        let place = with(place, "content_index", index.into());
        let field = if part["type"] == "refusal" { "refusal" } else { "text" };
        let mut begun = part.clone();
        begun[field] = "".into();
        self.push("response.content_part.added", with(&place, "part", begun));
        let name = if field == "text" { "response.output_text" } else { "response.refusal" };
        self.text(name, &place, field, &part[field]);
        self.push("response.content_part.done", with(&place, "part", part.clone()));
    }

    /// A text in deltas and then as a whole.
    fn text(&mut self, name: &str, place: &Value, field: &str, text: &Value) {
        let text = text.as_str().unwrap_or_default();
        let characters: Vec<char> = text.chars().collect();
        for delta in characters.chunks(DELTA) {
            let delta: String = delta.iter().collect();
            self.push(&format!("{name}.delta"), with(place, "delta", delta.into()));
        }
        self.push(&format!("{name}.done"), with(place, field, text.into()));
    }
}

/// The parts of a list; what a script wrote in the place of one has no events of its own.
fn parts(list: &Value) -> impl Iterator<Item = (usize, &Value)> {
    let parts = list.as_array().map_or(&[][..], Vec::as_slice);
    parts.iter().enumerate().filter(|(_, part)| part.is_object())
}

fn with(place: &Value, field: &str, value: Value) -> Value {
    let mut place = place.clone();
    place[field] = value;
    place
}

/// The events as the text of a stream.
pub(crate) fn text_of(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
}
