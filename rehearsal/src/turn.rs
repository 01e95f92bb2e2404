//! One turn of a script.

use std::time::Duration;

use hyper::header::HeaderValue;
use serde_json::{Value, json};

use crate::expect::Expectation;
use crate::fields::{Fields, Problem, ScriptFault, fault};
use crate::items::{self, Numbering};

#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) expects: Vec<Expectation>,
    pub(crate) answer: Answer,
    pub(crate) delivery: Delivery,
}

#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Output {
        items: Vec<Value>,
        status: Status,
        usage: Option<Value>,
    },
    /// A whole response object, as it is.
    Whole(Value),
    Error(ErrorAnswer),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Status {
    Completed,
    Incomplete,
    Failed,
}

#[derive(Clone, Debug)]
pub(crate) struct ErrorAnswer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) retry_after: Option<String>,
    /// A stream begins well and then tells of the error in an event.
    pub(crate) as_event: bool,
}

/// How an answer goes over the wire.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delivery {
    pub(crate) delay: Duration,
    /// The connection breaks after so many events; a plain answer breaks in its middle.
    pub(crate) cut_after: Option<usize>,
    /// A stream leaves in pieces of so many bytes, wherever that cuts it.
    pub(crate) split: Option<usize>,
}

impl Turn {
    pub(crate) fn read(value: Value, index: usize) -> Result<Self, ScriptFault> {
        let place = format!("turns[{index}]");
        let mut fields = Fields::of(value, &place)?;
        let expects = match fields.take("expect") {
            None => Vec::new(),
            Some(value) => Expectation::read_all(Fields::of(value, &fields.place("expect"))?)?,
        };
        let size = |count: u64| usize::try_from(count).ok();
        let delivery = Delivery {
            delay: Duration::from_millis(fields.count("delay_ms")?.unwrap_or(0)),
            cut_after: fields.count("cut_after_events")?.and_then(size),
            split: fields.count("split_bytes")?.and_then(size).map(|bytes| bytes.max(1)),
        };
        let answer = read_answer(fields, index + 1)?;
        Ok(Self { expects, answer, delivery })
    }
}

/// An error, a whole response, a list of items, or one item that is written right here.
fn read_answer(mut fields: Fields, number: usize) -> Result<Answer, ScriptFault> {
    let here = fields.place("");
    let place = here.trim_end_matches('.').to_owned();
    if let Some(value) = fields.take("error") {
        let error = read_error(Fields::of(value, &fields.place("error"))?)?;
        fields.finish()?;
        return Ok(Answer::Error(error));
    }
    if let Some(value) = fields.take("response") {
        let is_response = value.get("output").is_some_and(Value::is_array);
        if !is_response {
            return fault(fields.place("response"), Problem::Form);
        }
        fields.finish()?;
        return Ok(Answer::Whole(value));
    }
    let mut numbering = Numbering::of_turn(number);
    // All further keys of a whole item are its own, also one that a turn has.
    if fields.has("type") {
        let item = Value::Object(fields.into_rest());
        let items = vec![items::build("item", item, &place, &mut numbering)?];
        return Ok(Answer::Output { items, status: Status::Completed, usage: None });
    }
    let status = fields.read("status", |value| match value.as_str()? {
        "completed" => Some(Status::Completed),
        "incomplete" => Some(Status::Incomplete),
        "failed" => Some(Status::Failed),
        _ => None,
    })?;
    let usage = fields.read("usage", |value| value.is_object().then_some(value))?;
    let mut built = Vec::new();
    if let Some(list) = fields.take("output") {
        let below = fields.place("output");
        let Value::Array(list) = list else { return fault(below, Problem::Form) };
        fields.finish()?;
        for (index, item) in list.into_iter().enumerate() {
            let below = format!("{below}[{index}]");
            built.push(items::one(Fields::of(item, &below)?, &below, &mut numbering)?);
        }
    } else {
        // Reasoning comes before what it leads to.
        if let Some(reasoning) = fields.take("reasoning") {
            let below = fields.place("reasoning");
            built.push(items::build("reasoning", reasoning, &below, &mut numbering)?);
        }
        let rest = fields.into_rest();
        match rest.len() {
            0 => {}
            1 => built.push(items::one(
                Fields::of(Value::Object(rest), &place)?,
                &place,
                &mut numbering,
            )?),
            _ => {
                let unknown = rest.keys().find(|key| !items::is_item(key));
                return match unknown {
                    Some(key) => fault(format!("{place}.{key}"), Problem::Unknown),
                    None => fault(place, Problem::Conflict),
                };
            }
        }
    }
    if built.is_empty() && status.is_none() {
        return fault(place, Problem::Missing);
    }
    Ok(Answer::Output { items: built, status: status.unwrap_or(Status::Completed), usage })
}

/// The statuses of errors. Those below say that an answer is to come, or that it is one.
pub(crate) fn error_status(value: &Value) -> Option<u16> {
    let status = u16::try_from(value.as_u64()?).ok()?;
    Some(status).filter(|status| (300..=599).contains(status))
}

pub(crate) fn can_be_header(text: &str) -> bool {
    HeaderValue::from_str(text).is_ok()
}

fn read_error(mut fields: Fields) -> Result<ErrorAnswer, ScriptFault> {
    let status = fields.read("status", |value| error_status(&value))?;
    let Some(status) = status else { return fault(fields.place("status"), Problem::Missing) };
    let retry_after = fields.read("retry_after", |value| match value {
        Value::String(text) => Some(text).filter(|text| can_be_header(text)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })?;
    let kind = match status {
        429 => "rate_limit_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    };
    let body = json!({"error": {
        "message": fields.text("message")?.unwrap_or_else(|| "the script says so".to_owned()),
        "type": fields.text("type")?.unwrap_or_else(|| kind.to_owned()),
        "param": fields.text("param")?,
        "code": fields.text("code")?,
    }});
    let as_event = fields.flag("as_event")?.unwrap_or(false);
    fields.finish()?;
    Ok(ErrorAnswer { status, body, retry_after, as_event })
}
