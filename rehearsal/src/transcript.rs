//! What was asked and answered, one line of JSON for each request, and the way back to a script.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use crate::answer::Answered;
use crate::fields::{Fields, Problem, ScriptFault, fault, into_text};
use crate::response::without_secrets;
use crate::turn::{Answer, Delivery, ErrorAnswer, Turn, can_be_header, error_status};

/// Opens the file of a transcript. One that has something in it already is not written over: it may be
/// an earlier transcript, or the script itself.
pub fn create(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().append(true).create(true).open(path)?;
    let about = file.metadata()?;
    if about.is_file() && about.len() > 0 {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "there is a file that is not empty",
        ));
    }
    Ok(file)
}

/// One line. Tools lose what gives access to somebody's servers; headers are not recorded at all.
pub(crate) fn line(request: &[u8], answered: &Answered) -> String {
    let request: Value = serde_json::from_slice(request).unwrap_or(Value::Null);
    let request = without_secrets(&request);
    let line = json!({
        "turn": answered.turn,
        "request": request,
        "status": answered.status,
        "response": answered.body,
        "retry_after": answered.retry_after,
        "cut_after_events": answered.delivery.cut_after,
    });
    format!("{line}\n")
}

/// The turns that were taken; refusals were of the requests, not of the script.
pub(crate) fn turns(lines: &str) -> Result<Vec<Turn>, ScriptFault> {
    let mut turns = Vec::new();
    for (index, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("line {}", index + 1);
        let Ok(entry) = serde_json::from_str::<Value>(line) else {
            return fault(place, Problem::Syntax);
        };
        let mut fields = Fields::of(entry, &place)?;
        if fields.count("turn")?.is_none() {
            continue;
        }
        let Some(body) = fields.take("response") else {
            return fault(fields.place("response"), Problem::Missing);
        };
        let is_success = |value: &Value| (value == 200).then_some(200);
        let status =
            fields.read("status", |value| is_success(&value).or_else(|| error_status(&value)))?;
        let answer = match status.unwrap_or(200) {
            200 if body["output"].is_array() => Answer::Whole(body),
            200 if !body["error"].is_object() => {
                return fault(fields.place("response"), Problem::Form);
            }
            status => {
                let retry_after = fields.read("retry_after", |value| {
                    into_text(value).filter(|text| can_be_header(text))
                })?;
                // An error that came with success was an event; asked plainly, it is one of the server.
                let (as_event, status) = (status == 200, if status == 200 { 500 } else { status });
                Answer::Error(ErrorAnswer { status, body, retry_after, as_event })
            }
        };
        let cut_after = fields.count("cut_after_events")?.and_then(|n| usize::try_from(n).ok());
        let delivery = Delivery { cut_after, ..Delivery::default() };
        turns.push(Turn { expects: Vec::new(), answer, delivery });
    }
    Ok(turns)
}
