//! What a turn expects of the request that it answers.

use std::fmt;

use serde_json::Value;

use crate::fields::{Fields, Problem, ScriptFault, fault};

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Expectation {
    /// A text somewhere in the instructions or the input.
    Text(String),
    NoText(String),
    /// An output for a call.
    OutputFor(String),
    /// An output for a call, with a text somewhere in it.
    OutputContains(String, String),
    /// A declared tool: its name, its server label, or else its type.
    Tool(String),
    NoTool(String),
    Stream(bool),
}

impl Expectation {
    pub(crate) fn read_all(mut fields: Fields) -> Result<Vec<Self>, ScriptFault> {
        let mut all: Vec<Self> = Vec::new();
        all.extend(fields.texts("text")?.into_iter().map(Self::Text));
        all.extend(fields.texts("no_text")?.into_iter().map(Self::NoText));
        all.extend(fields.texts("output_for")?.into_iter().map(Self::OutputFor));
        if let Some(value) = fields.take("output_contains") {
            let Value::Object(outputs) = value else {
                return fault(fields.place("output_contains"), Problem::Form);
            };
            for (call_id, text) in outputs {
                let Value::String(text) = text else {
                    return fault(fields.place("output_contains"), Problem::Form);
                };
                all.push(Self::OutputContains(call_id, text));
            }
        }
        all.extend(fields.texts("tool")?.into_iter().map(Self::Tool));
        all.extend(fields.texts("no_tool")?.into_iter().map(Self::NoTool));
        all.extend(fields.flag("stream")?.map(Self::Stream));
        fields.finish()?;
        Ok(all)
    }

    /// Whether the request is as expected. `suffix` is what ids of the script end with in this pass.
    pub(crate) fn is_met(&self, request: &Value, suffix: &str) -> bool {
        let said = |text: &str| {
            ["instructions", "input"].iter().any(|field| contains(&request[*field], text))
        };
        let output = |call_id: &str| {
            let call_id = format!("{call_id}{suffix}");
            let items = request["input"].as_array()?;
            items.iter().find(|item| is_output(item) && item["call_id"] == *call_id)
        };
        match self {
            Self::Text(text) => said(text),
            Self::NoText(text) => !said(text),
            Self::OutputFor(call_id) => output(call_id).is_some(),
            Self::OutputContains(call_id, text) => {
                output(call_id).is_some_and(|item| contains(&item["output"], text))
            }
            Self::Tool(name) => declares(request, name),
            Self::NoTool(name) => !declares(request, name),
            Self::Stream(streams) => request["stream"].as_bool().unwrap_or(false) == *streams,
        }
    }
}

pub(crate) fn is_output(item: &Value) -> bool {
    item["type"].as_str().is_some_and(|kind| kind.ends_with("_output"))
}

fn contains(value: &Value, text: &str) -> bool {
    texts(value).iter().any(|said| said.contains(text))
}

/// All texts that stand somewhere in a value.
pub(crate) fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

impl Expectation {
    /// The field of the request that it is about.
    pub(crate) fn param(&self) -> &'static str {
        match self {
            Self::Text(_) | Self::NoText(_) | Self::OutputFor(_) | Self::OutputContains(..) => {
                "input"
            }
            Self::Tool(_) | Self::NoTool(_) => "tools",
            Self::Stream(_) => "stream",
        }
    }
}

fn declares(request: &Value, name: &str) -> bool {
    request["tools"].as_array().is_some_and(|tools| {
        tools.iter().any(|tool| {
            let own = ["name", "server_label"].iter().find_map(|field| tool[*field].as_str());
            own.or_else(|| tool["type"].as_str()) == Some(name)
        })
    })
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "the text {text:?} in the input"),
            Self::NoText(text) => write!(f, "no text {text:?} in the input"),
            Self::OutputFor(call_id) => write!(f, "an output for {call_id}"),
            Self::OutputContains(call_id, text) => {
                write!(f, "an output for {call_id} with the text {text:?}")
            }
            Self::Tool(name) => write!(f, "a declared tool {name:?}"),
            Self::NoTool(name) => write!(f, "no declared tool {name:?}"),
            Self::Stream(true) => f.write_str("a request for a stream"),
            Self::Stream(false) => f.write_str("a request for a plain reply"),
        }
    }
}
