//! The same run as JSON text: every request that is laid out from fragments says what the host's
//! objects say.

use std::collections::BTreeMap;

use swingbridge_core::json::{Json, RawJson, Writer};
use swingbridge_core::runner::{HistoryUpdate, TurnRequest};
use swingbridge_core::wire::{Fragment, Kept, Wire};

use super::compare::{difference, object, parsed, text};
use super::host::settle_words;

/// The text form of a scripted run; nothing if its parameters are no JSON text.
pub(crate) struct Mirror {
    wire: Option<Wire>,
    returned: Returned,
}

/// What functions returned, as JSON text, by call id.
#[derive(Default)]
struct Returned(BTreeMap<String, String>);

impl Kept for Returned {
    fn held(&self, _handle: u32) -> Option<&str> {
        None
    }

    fn returned(&self, call_id: &str) -> Option<&str> {
        self.0.get(call_id).map(String::as_str)
    }
}

impl Mirror {
    pub(crate) fn new(params: &Json<'static>, history: &[Json<'static>], tools: &Json<'_>) -> Self {
        let Json::Object(fields) = params else {
            return Self { wire: None, returned: Returned::default() };
        };
        let mut fields = fields.clone();
        fields.retain(|(name, _)| name != "input" && name != "tools");
        fields.push(("input".into(), Json::List(history.to_vec())));
        let local: Vec<Fragment> =
            tools.as_list().unwrap_or_default().iter().map(|tool| json_text(tool).into()).collect();
        let wire = Wire::new(&json_text(&Json::Object(fields)), local).ok();
        Self { wire, returned: Returned::default() }
    }

    pub(crate) fn keep(&mut self, call_id: &str, output: &Json<'_>) {
        self.returned.0.insert(call_id.to_owned(), json_text(output));
    }

    pub(crate) fn take_response(&mut self, body: &Json<'_>) {
        let body = json_text(body);
        if let (Some(wire), Ok(raw)) = (&mut self.wire, RawJson::parse(&body)) {
            wire.take_response(raw);
        }
    }

    pub(crate) fn decide(&mut self, answer_at: usize, item: &Json<'_>) {
        if let Some(wire) = &mut self.wire {
            wire.set_history_item(answer_at, json_text(item));
        }
    }

    pub(crate) fn update(&mut self, update: HistoryUpdate<'_>) {
        if let Some(wire) = &mut self.wire {
            wire.update(update, &self.returned);
        }
    }

    /// The body that the fragments make has the same items, and the caller's own fields.
    pub(crate) fn check(&self, request: &TurnRequest<'_>, sent: &[Json<'static>]) {
        let Some(wire) = &self.wire else { return };
        let body = wire.body(request).concat();
        let body = parsed(&body);
        let items = body.field("input").and_then(Json::as_list).expect("a list of items");
        let items: Vec<Json<'static>> = items.iter().cloned().map(settled).collect();
        let found = difference(&Json::List(sent.to_vec()), &Json::List(items));
        assert_eq!(found, None, "the text of a request differs from its objects");
        let streams = body.field("stream").and_then(Json::as_bool) == Some(true);
        assert_eq!(streams, request.streams);
        assert!(body.field("tools").is_some() && body.field("include").is_some());
    }
}

/// With marks in the place of the words that the core wrote, as in the host's items.
fn settled(item: Json<'static>) -> Json<'static> {
    let blocks = item.field("output").and_then(Json::as_list);
    let first = blocks.and_then(<[_]>::first).and_then(|block| block.field("text"));
    let Some(words) = first.and_then(Json::as_str) else { return item };
    let Ok(payload) = swingbridge_core::json::parse(words) else { return item };
    if payload.field("ok").is_none() {
        return item;
    }
    let mut payload = payload.into_owned();
    settle_words(&mut payload);
    let mut blocks = blocks.unwrap_or_default().to_vec();
    let json = object([("$json", payload)]);
    blocks[0] = object([("type", text("input_text")), ("text", json)]);
    object([
        ("type", text("function_call_output")),
        ("call_id", item.field("call_id").cloned().unwrap_or(Json::Null)),
        ("output", Json::List(blocks)),
    ])
}

fn json_text(value: &Json<'_>) -> String {
    let mut out = Writer::default();
    out.json(value);
    out.finish()
}
