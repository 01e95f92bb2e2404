//! What a script cannot know beforehand. `${ref:Name}` in a script stands for the reference that the
//! latest read of a page gave to the element with that label, `${after:Number}` for the word that stands
//! after that text in the latest output which has it.

use serde_json::Value;
use thiserror::Error;

use crate::expect::{is_output, texts};

/// What no output in the request has; it is told in the words of the script.
#[derive(Debug, Error)]
pub(crate) enum Unfilled {
    #[error("a read of a page with the element {0:?}")]
    Reference(String),
    #[error("an output with the text {0:?} and a word after it")]
    After(String),
}

/// Fills the placeholders of an item from the outputs in the request.
pub(crate) fn fill(item: &mut Value, request: &Value) -> Result<(), Unfilled> {
    match item {
        Value::String(text) if Placeholder::first(text).is_some() => {
            *text = fill_text(text, request)?;
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, request)),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                // Arguments are JSON in a text: what is filled in must be written as JSON again.
                let parsed = match value {
                    Value::String(text)
                        if name == "arguments" && Placeholder::first(text).is_some() =>
                    {
                        serde_json::from_str::<Value>(text).ok()
                    }
                    _ => None,
                };
                if let Some(mut arguments) = parsed {
                    fill(&mut arguments, request)?;
                    *value = arguments.to_string().into();
                } else {
                    fill(value, request)?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn fill_text(text: &str, request: &Value) -> Result<String, Unfilled> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, placeholder, after)) = Placeholder::first(rest) {
        filled.push_str(before);
        filled.push_str(&placeholder.value(request)?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

enum Placeholder<'a> {
    Reference(&'a str),
    After(&'a str),
}

impl<'a> Placeholder<'a> {
    /// The first one of a text, between what is before and what is after it.
    fn first(text: &'a str) -> Option<(&'a str, Self, &'a str)> {
        let mut from = 0;
        loop {
            let start = from + text[from..].find("${")?;
            let inside = &text[start + 2..];
            let (kind, named) = inside.split_once(':')?;
            let (name, after) = named.split_once('}')?;
            match kind {
                "ref" => return Some((&text[..start], Self::Reference(name), after)),
                "after" => return Some((&text[..start], Self::After(name), after)),
                _ => from = start + 2,
            }
        }
    }

    fn value(&self, request: &Value) -> Result<String, Unfilled> {
        match *self {
            Self::Reference(label) => {
                reference(label, request).ok_or_else(|| Unfilled::Reference(label.to_owned()))
            }
            Self::After(text) => {
                word_after(text, request).ok_or_else(|| Unfilled::After(text.to_owned()))
            }
        }
    }
}

fn word_after(text: &str, request: &Value) -> Option<String> {
    let items = request["input"].as_array()?;
    items.iter().rev().filter(|item| is_output(item)).find_map(|item| {
        texts(&item["output"]).into_iter().find_map(|said| {
            // A report is JSON in a text, and a line of the page no line of it.
            let report = serde_json::from_str(said).ok();
            let within = report.as_ref().map_or_else(Vec::new, texts);
            within.into_iter().chain([said]).find_map(|said| {
                let word = said.split_once(text)?.1.split_whitespace().next()?;
                Some(word.to_owned())
            })
        })
    })
}

fn reference(label: &str, request: &Value) -> Option<String> {
    let items = request["input"].as_array()?;
    items.iter().rev().filter(|item| item["type"] == "function_call_output").find_map(|item| {
        let report: Value = serde_json::from_str(report_text(&item["output"])?).ok()?;
        let elements = report["result"]["elements"].as_array()?;
        let element = elements.iter().find(|element| element["label"] == label)?;
        element["ref"].as_str().map(str::to_owned)
    })
}

/// A browser output begins with the report as text.
fn report_text(output: &Value) -> Option<&str> {
    match output {
        Value::String(text) => Some(text),
        Value::Array(parts) => parts.first()?["text"].as_str(),
        _ => None,
    }
}
