//! What a model answers: the items of a response, and the events that stream it.

use std::collections::VecDeque;

use arbitrary::Arbitrary;
use swingbridge_core::json::{Json, parse};

use super::value::Tree;

/// One item of a response. Each has ids of its own, but for those that repeat one.
#[derive(Arbitrary, Clone, Debug)]
pub enum Item {
    Message,
    Commentary,
    Lookup,
    /// Of a function that may run beside others.
    Beside,
    BadArguments,
    /// A call with the ids of an earlier one.
    Again(u8),
    Click,
    Read,
    Screen,
    /// A request for approval, and a call that uses the last one up.
    McpAsk,
    McpCall,
    Other(Tree),
}

/// Numbers the items of a run.
#[derive(Debug, Default)]
pub struct Sheet {
    items: usize,
    last_ask: Option<String>,
}

impl Sheet {
    /// A completed response with these items.
    pub fn response(&mut self, items: &[Item]) -> Json<'static> {
        let items = items.iter().map(|item| self.item(item)).collect();
        object([
            ("id", text("r")),
            ("status", text("completed")),
            ("output", Json::List(items)),
            ("usage", json(r#"{"input_tokens":1,"output_tokens":2,"total_tokens":3}"#)),
        ])
    }

    fn item(&mut self, item: &Item) -> Json<'static> {
        self.items += 1;
        let number = self.items;
        let call = |number: usize, name: &str, arguments: &str| {
            object([
                ("type", text("function_call")),
                ("id", text(&format!("i{number}"))),
                ("call_id", text(&format!("c{number}"))),
                ("name", text(name)),
                ("arguments", text(arguments)),
            ])
        };
        match item {
            Item::Message => message(number, "final_answer"),
            Item::Commentary => message(number, "commentary"),
            Item::Lookup => call(number, "lookup", "{}"),
            Item::Beside => call(number, "beside", r#"{"a":[1]}"#),
            Item::BadArguments => call(number, "lookup", "[]"),
            Item::Again(earlier) => call(usize::from(*earlier) % number + 1, "lookup", "{}"),
            Item::Click => call(number, "browser_click", r#"{"target":"e","tab_id":null}"#),
            Item::Read => call(number, "browser_read_page", r#"{"tab_id":null,"filter":"all"}"#),
            Item::Screen => object([
                ("type", text("computer_call")),
                ("id", text(&format!("i{number}"))),
                ("call_id", text(&format!("c{number}"))),
                ("status", text("completed")),
                ("pending_safety_checks", json(r#"[{"id":"s","code":"c","message":"m"}]"#)),
                ("actions", json(r#"[{"type":"wait"},{"type":"type","text":"t"}]"#)),
            ]),
            Item::McpAsk => {
                let id = format!("ask{number}");
                self.last_ask = Some(id.clone());
                mcp("mcp_approval_request", &id)
            }
            Item::McpCall => {
                let mut call = mcp("mcp_call", &format!("i{number}"));
                if let (Json::Object(fields), Some(ask)) = (&mut call, self.last_ask.take()) {
                    fields.push(("approval_request_id".into(), text(&ask)));
                }
                call
            }
            Item::Other(tree) => tree.to_json(),
        }
    }
}

fn message(number: usize, phase: &str) -> Json<'static> {
    object([
        ("type", text("message")),
        ("id", text(&format!("m{number}"))),
        ("role", text("assistant")),
        ("status", text("completed")),
        ("phase", text(phase)),
        ("content", json(r#"[{"type":"output_text","text":"t","annotations":[]}]"#)),
    ])
}

fn mcp(kind: &str, id: &str) -> Json<'static> {
    object([
        ("type", text(kind)),
        ("id", text(id)),
        ("server_label", text("s")),
        ("name", text("t")),
        ("arguments", text("{}")),
    ])
}

/// What happens to the events of one stream on their way.
#[derive(Arbitrary, Clone, Debug)]
pub enum Edit {
    Cut(u8),
    Drop(u8),
    Swap(u8),
    Repeat(u8),
    Insert(u8, Tree),
    /// Another item, index or response in the place of that of an event.
    Alter(u8, u8, Tree),
}

/// The events of a response, edited.
pub fn events(response: &Json<'static>, edits: &[Edit]) -> VecDeque<Json<'static>> {
    let event = |kind: &str, name: &'static str, value: Json<'static>| {
        object([("type", text(kind)), (name, value)])
    };
    let mut events = vec![event("response.created", "response", Json::Null)];
    let items = response.field("output").and_then(Json::as_list).unwrap_or_default();
    for (index, item) in items.iter().enumerate() {
        for kind in ["response.output_item.added", "response.output_item.done"] {
            let mut event = event(kind, "item", item.clone());
            if let Json::Object(fields) = &mut event {
                fields.push(("output_index".into(), Json::from(index)));
            }
            events.push(event);
        }
    }
    events.push(event("response.completed", "response", response.clone()));
    for edit in edits {
        apply(edit, &mut events);
    }
    events.into()
}

fn apply(edit: &Edit, events: &mut Vec<Json<'static>>) {
    if events.is_empty() {
        return;
    }
    let at = |index: &u8| usize::from(*index) % events.len();
    match edit {
        Edit::Cut(index) => events.truncate(at(index)),
        Edit::Drop(index) => drop(events.remove(at(index))),
        Edit::Swap(index) => {
            let (one, other) = (at(index), (at(index) + 1) % events.len());
            events.swap(one, other);
        }
        Edit::Repeat(index) => {
            let again = events[at(index)].clone();
            events.push(again);
        }
        Edit::Insert(index, tree) => {
            let index = at(index);
            events.insert(index, tree.to_json());
        }
        Edit::Alter(index, field, tree) => {
            let index = at(index);
            if let Json::Object(fields) = &mut events[index] {
                let count = fields.len().max(1);
                if let Some(field) = fields.get_mut(usize::from(*field) % count) {
                    field.1 = tree.to_json();
                }
            }
        }
    }
}

pub fn object<const N: usize>(fields: [(&'static str, Json<'static>); N]) -> Json<'static> {
    Json::Object(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

pub fn text(text: &str) -> Json<'static> {
    Json::Text(text.to_owned().into())
}

pub fn json(text: &str) -> Json<'static> {
    parse(text).expect("JSON").into_owned()
}
