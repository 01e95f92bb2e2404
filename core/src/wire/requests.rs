//! A run's history and requests as the JSON text that goes over the wire.
//!
//! For clients that send text: an item is kept as it came and is never parsed again, and a request is
//! laid out from fragments, so that a turn costs what it adds. What the host would hold as objects
//! (`docs/driving.md`, "What the host holds") is here.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::json::{Json, JsonFault, RawJson, Text, Writer};
use crate::runner::{
    CallOutput, HistoryUpdate, Projection, ProjectionPart, TurnRequest, is_computer_kind,
    is_replayed,
};

/// The JSON text of one item, shared by every request that carries it.
pub type Fragment = Arc<str>;

/// Fields of the parameters that a request writes itself.
const OWN_FIELDS: &[&str] = &["input", "include", "tools", "tool_choice", "truncation", "stream"];

/// The history of one run, and what each of its requests says besides.
pub struct Wire {
    /// `{` and the caller's fields, each with a comma behind it.
    head: Fragment,
    tool_choice: Option<Fragment>,
    truncation: Option<Fragment>,
    stream: Option<Fragment>,
    local_tools: Vec<Fragment>,
    declared_tools: Vec<DeclaredTool>,
    history: Vec<Fragment>,
    items: Vec<Fragment>,
    returned: Vec<Fragment>,
    streamed: BTreeMap<u64, Fragment>,
}

/// A tool that the caller declared.
struct DeclaredTool {
    text: Fragment,
    /// Whether this process works for it.
    is_local: bool,
}

/// What the host keeps for outputs.
pub trait Kept {
    /// The text behind a handle; `None` if there is none.
    fn held(&self, handle: u32) -> Option<&str>;
    /// JSON text of what a function returned, or of what was supplied for it.
    fn returned(&self, call_id: &str) -> Option<&str>;
}

impl Wire {
    /// `params` is JSON text of the admitted parameters, `local_tools` that of the tools of the
    /// browser, the functions and the computer that the caller did not declare.
    pub fn new(params: &str, local_tools: Vec<Fragment>) -> Result<Self, JsonFault> {
        let fields = RawJson::parse(params)?.as_object().ok_or(JsonFault)?;
        let find = |name: &str| fields.iter().rev().find(|(field, _)| field == name);
        // A null that was given is sent.
        let given = |name: &str| find(name).map(|(_, value)| *value);
        let mut head = String::from("{");
        for (name, value) in &fields {
            if !OWN_FIELDS.contains(&name.as_ref()) {
                let mut quoted = Writer::default();
                quoted.str(name);
                head.push_str(&quoted.finish());
                head.push(':');
                head.push_str(value.text());
                head.push(',');
            }
        }
        let input = given("input").filter(|input| !input.is_null()).ok_or(JsonFault)?;
        let history = match input.as_list() {
            Some(items) => items.into_iter().map(fragment).collect(),
            None => vec![user_message(input.text())],
        };
        let declared = given("tools").and_then(RawJson::as_list).unwrap_or_default();
        Ok(Self {
            head: head.into(),
            tool_choice: given("tool_choice").map(fragment),
            truncation: given("truncation").map(fragment),
            stream: given("stream").map(fragment),
            local_tools,
            declared_tools: declared.into_iter().map(DeclaredTool::read).collect(),
            history,
            items: Vec::new(),
            returned: Vec::new(),
            streamed: BTreeMap::new(),
        })
    }

    /// Keeps the items of a response, given its JSON text.
    pub fn take_response(&mut self, response: RawJson<'_>) {
        let output = response.as_object().and_then(|fields| {
            let output = fields.iter().rev().find(|(name, _)| name == "output");
            output.and_then(|(_, output)| output.as_list())
        });
        self.items = output.unwrap_or_default().into_iter().map(replayed).collect();
        self.streamed.clear();
    }

    /// Keeps a completed item of the open stream.
    pub fn take_item(&mut self, index: u64, item: RawJson<'_>) {
        self.streamed.insert(index, replayed(item));
    }

    /// The item of the response at hand, or of the open stream, that `is_wanted` is true for.
    pub fn item(&self, is_wanted: impl Fn(&str) -> bool) -> Option<&str> {
        self.items
            .iter()
            .chain(self.streamed.values())
            .map(AsRef::as_ref)
            .find(|item| is_wanted(item))
    }

    /// An item of the history.
    pub fn history_item(&self, index: usize) -> Option<&str> {
        self.history.get(index).map(AsRef::as_ref)
    }

    /// Puts another text in the place of an item of the history.
    pub fn set_history_item(&mut self, index: usize, item: String) {
        if let Some(place) = self.history.get_mut(index) {
            *place = item.into();
        }
    }

    /// Applies what changed. To be called once for each ask that carries an update.
    pub fn update(&mut self, update: HistoryUpdate<'_>, kept: &impl Kept) {
        self.returned.extend(update.outputs.iter().map(|output| output_item(output, kept)));
        if update.commits {
            self.history.append(&mut self.items);
            self.history.append(&mut self.returned);
        }
        for text in update.texts {
            let mut out = Writer::default();
            out.text(text);
            self.history.push(user_message(&out.finish()));
        }
    }

    /// The body of a request, in pieces: to be sent one after the other.
    pub fn body(&self, request: &TurnRequest<'_>) -> Vec<Fragment> {
        let mut body = Vec::with_capacity(2 * self.history.len() + 8);
        body.push(self.head.clone());
        body.push(Fragment::from("\"input\":["));
        self.input(request.projection, &mut body);
        let mut rest = String::from("],\"include\":");
        let mut include = Writer::default();
        include.list(|out| request.include.iter().for_each(|name| out.item(|out| out.str(name))));
        rest.push_str(&include.finish());
        let withholds = request.withholds_tools;
        let local = if withholds { &[] } else { &self.local_tools[..] };
        let declared = self.declared_tools.iter().filter(|tool| !(withholds && tool.is_local));
        let tools: Vec<&str> =
            local.iter().chain(declared.map(|tool| &tool.text)).map(AsRef::as_ref).collect();
        if !tools.is_empty() || !request.withholds_tools {
            rest.push_str(",\"tools\":[");
            rest.push_str(&tools.join(","));
            rest.push(']');
        }
        match &self.tool_choice {
            // It goes with the tools.
            _ if request.withholds_tools => {}
            _ if request.relaxes_choice => rest.push_str(",\"tool_choice\":\"auto\""),
            Some(choice) => push_field(&mut rest, "tool_choice", choice),
            None => {}
        }
        match &self.truncation {
            _ if request.disables_truncation => rest.push_str(",\"truncation\":\"disabled\""),
            Some(truncation) => push_field(&mut rest, "truncation", truncation),
            None => {}
        }
        match &self.stream {
            _ if request.streams => rest.push_str(",\"stream\":true"),
            Some(stream) => push_field(&mut rest, "stream", stream),
            None => {}
        }
        rest.push('}');
        body.push(rest.into());
        body
    }

    fn input(&self, projection: Option<&Projection>, body: &mut Vec<Fragment>) {
        let comma = Fragment::from(",");
        let start = body.len();
        let mut push = |item: Fragment| {
            if body.len() > start {
                body.push(comma.clone());
            }
            body.push(item);
        };
        match projection {
            None => self.history.iter().cloned().for_each(push),
            Some(projection) => {
                for part in &projection.parts {
                    match part {
                        ProjectionPart::Items(range) => {
                            let items = self.history.get(range.clone()).unwrap_or_default();
                            items.iter().cloned().for_each(&mut push);
                        }
                        ProjectionPart::UserText(text) => {
                            let mut out = Writer::default();
                            out.str(text);
                            push(user_message(&out.finish()));
                        }
                    }
                }
            }
        }
    }
}

impl DeclaredTool {
    fn read(tool: RawJson<'_>) -> Self {
        let kind = tool.as_object().and_then(|fields| {
            let kind = fields.iter().rev().find(|(name, _)| name == "type");
            kind.and_then(|(_, kind)| kind.as_text())
        });
        let kind = kind.as_ref().and_then(Text::as_str);
        Self { text: fragment(tool), is_local: kind.is_some_and(is_computer_kind) }
    }
}

fn push_field(out: &mut String, name: &str, value: &str) {
    out.push_str(",\"");
    out.push_str(name);
    out.push_str("\":");
    out.push_str(value);
}

fn fragment(raw: RawJson<'_>) -> Fragment {
    raw.text().into()
}

/// `content` is JSON text.
fn user_message(content: &str) -> Fragment {
    format!("{{\"role\":\"user\",\"content\":{content}}}").into()
}

/// An output item without the fields that do not go back; as it came if all do.
fn replayed(item: RawJson<'_>) -> Fragment {
    let Some(fields) = item.as_object() else { return fragment(item) };
    let kind = fields.iter().rev().find(|(name, _)| name == "type").map(|(_, kind)| *kind);
    let kind = kind.and_then(RawJson::as_text);
    let kind = kind.as_ref().and_then(Text::as_str).unwrap_or_default();
    if fields.iter().all(|(name, _)| is_replayed(kind, name)) {
        return fragment(item);
    }
    let mut out = Writer::with_capacity(item.text().len());
    out.object(|out| {
        for (name, value) in fields.iter().filter(|(name, _)| is_replayed(kind, name)) {
            out.field(name, |out| out.raw(value.text()));
        }
    });
    out.finish().into()
}

/// The item that answers a call.
fn output_item(output: &CallOutput, kept: &impl Kept) -> Fragment {
    let mut out = Writer::default();
    out.object(|item| match output {
        CallOutput::Browser(output) => {
            function_output(item, &output.call_id, |out| {
                out.list(|blocks| {
                    blocks.item(|out| {
                        out.object(|block| {
                            block.field("type", |out| out.str("input_text"));
                            block.field("text", |out| out.str(&output.text));
                        });
                    });
                    if let Some(image) = &output.image {
                        blocks.item(|out| {
                            out.object(|block| {
                                for (name, value) in image.fields() {
                                    block.field(name, |out| write(out, value, kept));
                                }
                            });
                        });
                    }
                });
            });
        }
        CallOutput::Function { call_id } => {
            function_output(item, call_id, |out| out.raw(kept.returned(call_id).unwrap_or("null")));
        }
        CallOutput::Mcp { request_id, approve } => {
            item.field("type", |out| out.str("mcp_approval_response"));
            item.field("approval_request_id", |out| out.str(request_id));
            item.field("approve", |out| out.bool(*approve));
        }
        CallOutput::Computer(output) => {
            item.field("type", |out| out.str("computer_call_output"));
            item.field("call_id", |out| out.str(&output.call_id));
            item.field("output", |out| {
                out.object(|picture| {
                    picture.field("type", |out| out.str("computer_screenshot"));
                    let screenshot = &output.screenshot;
                    let sources =
                        [("image_url", &screenshot.image_url), ("file_id", &screenshot.file_id)];
                    for (name, source) in sources {
                        if let Some(source) = source {
                            picture.field(name, |out| write(out, source, kept));
                        }
                    }
                });
            });
            item.field("acknowledged_safety_checks", |out| {
                out.list(|checks| {
                    for check in &output.acknowledged {
                        checks.item(|out| {
                            out.object(|entry| {
                                entry.field("id", |out| out.str(&check.id));
                                entry.field("code", |out| nullable(out, check.code.as_deref()));
                                entry.field("message", |out| {
                                    nullable(out, check.message.as_deref());
                                });
                            });
                        });
                    }
                });
            });
        }
    });
    out.finish().into()
}

fn function_output(item: &mut Writer, call_id: &str, output: impl FnOnce(&mut Writer)) {
    item.field("type", |out| out.str("function_call_output"));
    item.field("call_id", |out| out.str(call_id));
    item.field("output", output);
}

fn nullable(out: &mut Writer, text: Option<&str>) {
    match text {
        Some(text) => out.str(text),
        None => out.null(),
    }
}

/// Writes a value with the texts that stayed with the host.
pub fn write(out: &mut Writer, value: &Json<'_>, kept: &impl Kept) {
    match value {
        Json::Held(held) => nullable(out, kept.held(held.handle)),
        Json::List(items) => out.list(|out| {
            for item in items {
                out.item(|out| write(out, item, kept));
            }
        }),
        Json::Object(fields) => out.object(|out| {
            for (name, value) in fields {
                out.field(name, |out| write(out, value, kept));
            }
        }),
        plain => out.json(plain),
    }
}

/// Never the texts: they are the whole run, credentials included.
impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wire")
            .field("history", &self.history.len())
            .field("items", &self.items.len())
            .field("returned", &self.returned.len())
            .finish_non_exhaustive()
    }
}
