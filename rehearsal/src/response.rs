//! The response object around the output items.

use serde_json::{Value, json};

use crate::turn::Status;

/// A response to `request`. It has no time and no randomness, so that a rehearsal is the same every
/// time.
pub(crate) fn response(
    id: &str,
    request: &Value,
    output: &[Value],
    status: Status,
    usage: Option<Value>,
) -> Value {
    let given = |field: &str, otherwise: Value| match &request[field] {
        Value::Null => otherwise,
        value => value.clone(),
    };
    let (status, error, incomplete) = match status {
        Status::Completed => ("completed", Value::Null, Value::Null),
        Status::Incomplete => ("incomplete", Value::Null, json!({"reason": "max_output_tokens"})),
        Status::Failed => {
            let error = json!({"code": "server_error", "message": "the script says so"});
            ("failed", error, Value::Null)
        }
    };
    let usage = usage.unwrap_or_else(|| estimate(request, output));
    json!({
        "id": id,
        "object": "response",
        "created_at": 0,
        "status": status,
        "background": false,
        "error": error,
        "incomplete_details": incomplete,
        "instructions": given("instructions", Value::Null),
        "max_output_tokens": given("max_output_tokens", Value::Null),
        "metadata": given("metadata", json!({})),
        "model": given("model", "rehearsal".into()),
        "output": output,
        "parallel_tool_calls": given("parallel_tool_calls", true.into()),
        "previous_response_id": given("previous_response_id", Value::Null),
        "store": given("store", true.into()),
        "temperature": given("temperature", json!(1.0)),
        "tool_choice": without_secrets(&given("tool_choice", "auto".into())),
        "tools": without_secrets(&given("tools", json!([]))),
        "top_p": given("top_p", json!(1.0)),
        "truncation": given("truncation", "disabled".into()),
        "usage": usage,
    })
}

/// Four characters are about a token; images and other long texts count by their bytes as well.
fn estimate(request: &Value, output: &[Value]) -> Value {
    let tokens = |value: &Value| text_bytes(value).div_ceil(4);
    let input = tokens(&request["input"]) + tokens(&request["instructions"]);
    let output: usize = output.iter().map(tokens).sum();
    json!({
        "input_tokens": input,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": input + output,
    })
}

fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_bytes).sum(),
        Value::Object(fields) => fields.values().map(text_bytes).sum(),
        _ => 0,
    }
}

/// Tools, or a request, without what gives access to somebody's servers.
pub(crate) fn without_secrets(tools: &Value) -> Value {
    match tools {
        Value::Array(items) => items.iter().map(without_secrets).collect(),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| {
                !matches!(name.as_str(), "authorization" | "headers" | "domain_secrets")
            })
            .map(|(name, value)| match value {
                // A user part, a query or a fragment may be a key.
                Value::String(url) if name == "server_url" && url.contains(['@', '?', '#']) => {
                    (name.clone(), "(hidden)".into())
                }
                value => (name.clone(), without_secrets(value)),
            })
            .collect(),
        value => value.clone(),
    }
}
