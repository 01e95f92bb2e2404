//! What a script cannot know beforehand: the references of elements on a page. `${ref:Name}` in a
//! script stands for the reference that the latest read of a page gave to the element with that label.

use serde_json::Value;

const OPEN: &str = "${ref:";

/// Fills the placeholders of an item from the outputs in the request; gives a label that no read has.
pub(crate) fn fill(item: &mut Value, request: &Value) -> Result<(), String> {
    match item {
        Value::String(text) if text.contains(OPEN) => {
            *text = fill_text(text, request)?;
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, request)),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                // Arguments are JSON in a text: what is filled in must be written as JSON again.
                let parsed = match value {
                    Value::String(text) if name == "arguments" && text.contains(OPEN) => {
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

fn fill_text(text: &str, request: &Value) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        let Some((label, after)) = after.split_once('}') else { break };
        filled.push_str(before);
        filled.push_str(&reference(label, request).ok_or(label)?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
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
