//! What a scripted run writes down of requests and checkpoints, in the words of the vectors.

use std::collections::VecDeque;

use swingbridge_core::browser::BrowserOutput;
use swingbridge_core::json::Json;
use swingbridge_core::runner::{
    Checkpoint, PendingItems, Phase, Projection, ProjectionPart, TurnRequest,
};

use super::compare::{object, parsed, text, texts};
use super::host::{image_json, settle_words};
use super::run_host::put;
use super::run_script::RunHost;

/// The fields of every checkpoint.
const CHECKPOINT: &[&str] = &[
    "attempted_call_ids",
    "consumed_requests",
    "final_response",
    "history",
    "max_steps",
    "output_override_names",
    "pending_items",
    "phase",
    "returned_call_ids",
    "returned_outputs",
    "revision",
    "run_id",
    "tools",
    "version",
];

pub(crate) fn request_record(host: &mut RunHost<'_>, request: &TurnRequest<'_>) -> Json<'static> {
    let items = projected(&host.history, request.projection);
    let extends = host.sent.as_ref().filter(|sent| items.starts_with(sent)).map(Vec::len);
    let shown = items.iter().map(|item| with_marks(host, item));
    let (added, shown): (_, Vec<_>) = match extends {
        Some(sent) => ("appended", shown.skip(sent).collect()),
        None => ("input", shown.collect()),
    };
    let mut body = object([("include", texts(request.include))]);
    let Json::Object(params) = host.params else { panic!("params are an object") };
    for (name, value) in params {
        if !["model", "input", "tools", "include"].contains(&name.as_ref()) {
            put(&mut body, name, Some(value.clone()));
        }
    }
    if request.disables_truncation {
        put(&mut body, "truncation", Some(text("disabled")));
    }
    if request.streams {
        put(&mut body, "stream", Some(Json::Bool(true)));
    }
    let record = object([
        ("input_types", kinds(&items)),
        (added, Json::List(shown)),
        ("tools", tool_names(host.tools)),
        ("body", body),
    ]);
    host.sent = Some(items);
    record
}

/// The items that a request carries.
pub(crate) fn projected(
    history: &[Json<'static>],
    projection: Option<&Projection>,
) -> Vec<Json<'static>> {
    let Some(projection) = projection else { return history.to_vec() };
    let mut items = Vec::new();
    for part in &projection.parts {
        match part {
            ProjectionPart::Items(range) => items.extend_from_slice(&history[range.clone()]),
            ProjectionPart::UserText(words) => {
                items.push(object([("role", text("user")), ("content", text(words))]));
            }
        }
    }
    items
}

/// Puts a mark in the place of the words that the package itself wrote.
fn with_marks(host: &RunHost<'_>, item: &Json<'static>) -> Json<'static> {
    let words = item.field("content").and_then(Json::as_str);
    let is_given = host.history.iter().any(|given| given == item);
    let Some(words) = words.filter(|_| !is_given) else { return item.clone() };
    let call_ids = host.history.iter().filter_map(|item| item.field("call_id"));
    let mut mentions: Vec<&str> =
        call_ids.filter_map(Json::as_str).filter(|id| words.contains(id)).collect();
    mentions.sort_unstable();
    mentions.dedup();
    let summary = host.input["options"]["context_budget"]["compact"]["summary"].as_str();
    let generated = object([
        ("mentions", texts(mentions)),
        ("has_summary", Json::Bool(summary.is_some_and(|summary| words.contains(summary)))),
    ]);
    object([("role", text("user")), ("content", object([("$generated", generated)]))])
}

pub(crate) fn checkpoint_record(host: &RunHost<'_>, checkpoint: &Checkpoint<'_>) -> Json<'static> {
    let is_pending = checkpoint.phase == Phase::Pending;
    let pending: Vec<Json<'static>> = match checkpoint.pending {
        PendingItems::None => Vec::new(),
        PendingItems::Response => host.items.clone(),
        PendingItems::Streamed(count) => {
            let count = usize::try_from(count).expect("a small count");
            host.streamed.values().take(count).cloned().collect()
        }
    };
    let returned = if is_pending { &host.returned[..] } else { &[] };
    let tools = parsed(checkpoint.tools);
    let mcp: Vec<&Json<'static>> = tools
        .as_list()
        .expect("a list")
        .iter()
        .filter(|tool| tool.field("type").and_then(Json::as_str) == Some("mcp"))
        .collect();
    let urls = mcp.iter().filter_map(|tool| tool.field("server_url")).cloned().collect();
    let count = |value: u64| Json::Int(i64::try_from(value).expect("a small number"));
    object([
        ("phase", text(checkpoint.phase.as_str())),
        ("revision", count(checkpoint.revision)),
        ("consumed_requests", count(checkpoint.consumed_requests)),
        ("max_steps", count(checkpoint.max_steps)),
        ("attempted", texts(checkpoint.attempted)),
        ("returned", texts(checkpoint.returned)),
        ("pending_types", kinds(&pending)),
        ("returned_output_types", kinds(returned)),
        ("history_types", kinds(&host.history)),
        ("has_final", Json::Bool(checkpoint.phase == Phase::Final)),
        ("keys", texts(CHECKPOINT)),
        ("tools", tool_names(&tools)),
        ("server_urls", Json::List(urls)),
        ("mcp_keys", Json::List(mcp.into_iter().map(sorted_keys).collect())),
        ("output_override_names", texts(checkpoint.output_override_names)),
    ])
}

fn sorted_keys(object: &Json<'static>) -> Json<'static> {
    let Json::Object(fields) = object else { panic!("a tool is an object") };
    let mut names: Vec<&str> = fields.iter().map(|(name, _)| name.as_ref()).collect();
    names.sort_unstable();
    texts(names)
}

pub(crate) fn kinds(items: &[Json<'static>]) -> Json<'static> {
    texts(
        items
            .iter()
            .map(|item| item.field("type").and_then(Json::as_str).unwrap_or("message").to_owned()),
    )
}

fn tool_names(tools: &Json<'static>) -> Json<'static> {
    let name = |tool: &Json<'static>| {
        tool.field("name").or(tool.field("type")).and_then(Json::as_str).map(str::to_owned)
    };
    let mut names: Vec<String> =
        tools.as_list().expect("a list of tools").iter().filter_map(name).collect();
    names.sort();
    texts(names)
}

pub(crate) fn browser_output(output: &BrowserOutput) -> Json<'static> {
    let mut payload = parsed(&output.text);
    settle_words(&mut payload);
    let json = object([("$json", payload)]);
    let mut blocks = vec![object([("type", text("input_text")), ("text", json)])];
    blocks.extend(output.image.iter().map(image_json));
    Json::List(blocks)
}

/// The events by which a service streams a response.
pub(crate) fn response_events(body: &Json<'static>) -> VecDeque<Json<'static>> {
    let event = |kind: &str, response: Json<'static>| {
        object([("type", text(kind)), ("response", response)])
    };
    let mut created = body.clone();
    put(&mut created, "status", Some(text("in_progress")));
    put(&mut created, "output", Some(Json::List(Vec::new())));
    let mut events = VecDeque::from([event("response.created", created)]);
    let items = body.field("output").and_then(Json::as_list).unwrap_or_default();
    for (index, item) in items.iter().enumerate() {
        for kind in ["response.output_item.added", "response.output_item.done"] {
            events.push_back(object([
                ("type", text(kind)),
                ("output_index", Json::from(index)),
                ("item", item.clone()),
            ]));
        }
    }
    let kind = match body.field("status").and_then(Json::as_str) {
        Some("incomplete") => "response.incomplete",
        Some("failed") => "response.failed",
        _ => "response.completed",
    };
    events.push_back(event(kind, body.clone()));
    events
}
