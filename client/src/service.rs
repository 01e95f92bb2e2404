//! What a service writes into the body of an error.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;
use swingbridge_core::json::{RawJson, Text};

use crate::secrets::Secrets;

/// Services quote the request in their messages, which can be long.
const LONGEST_MESSAGE: usize = 2_000;
const LONGEST_NAME: usize = 200;

/// A status and what the service said about it. Keys are taken out of every text.
#[derive(Clone, Eq, PartialEq)]
#[non_exhaustive]
pub struct ServiceFault {
    pub status: u16,
    pub code: Option<String>,
    /// The `type` of the service's error.
    pub kind: Option<String>,
    pub param: Option<String>,
    pub message: Option<String>,
    pub request_id: Option<String>,
}

impl ServiceFault {
    pub(crate) fn bare(status: u16, request_id: Option<String>) -> Self {
        Self { status, code: None, kind: None, param: None, message: None, request_id }
    }

    /// Reads what stands in the body: the shape of `OpenAI` and Azure, with the error below `error`
    /// (once or twice), a flat one, a bare text, or the `detail` of a gateway; anything else says
    /// nothing.
    pub(crate) fn fill(&mut self, body: &[u8], secrets: &Secrets) {
        let Ok(body) = serde_json::from_slice::<Value>(body) else { return };
        let mut error = &body;
        while let Some(inner) = inner_of(error) {
            error = inner;
        }
        let text = |value: Option<&Value>, longest: usize| {
            let text = match value? {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                _ => return None,
            };
            Some(cut(secrets.hide(text), longest)).filter(|text| !text.is_empty())
        };
        let name = |field: &str| text(error.get(field), LONGEST_NAME);
        self.code = name("code");
        self.kind = name("type");
        self.param = name("param");
        let said = match error {
            Value::String(_) => Some(error),
            _ => ["message", "detail", "msg"].iter().find_map(|name| error.get(name)),
        };
        self.message = text(said, LONGEST_MESSAGE);
    }
}

/// The part that says more. Of a list of complaints, the first.
fn inner_of(error: &Value) -> Option<&Value> {
    let said = error.get("error").filter(|inner| !inner.is_null());
    match said.or_else(|| error.get("detail").filter(|inner| !inner.is_string()))? {
        Value::Array(complaints) => complaints.first(),
        inner => Some(inner).filter(|inner| !inner.is_null()),
    }
}

/// Whether an event is an error in the place of one: an object with an `error` that has no type of
/// its own, one that says so by its name or its `object`, or an error within an event of that type.
pub(crate) fn is_error_event(name: Option<&str>, data: &str) -> bool {
    let is_named = name == Some("error");
    // Most events are spared a second reading.
    if !is_named && !data.contains("\"error\"") {
        return false;
    }
    let Some(said) = Said::read(data) else { return false };
    if !said.has_text("type") {
        return is_named || said.tells_error();
    }
    said.is("object", "error") || (said.is("type", "error") && said.has_error())
}

/// Whether a whole reply is an error, although its status is a success: no response has an error and
/// neither a status nor an output.
pub(crate) fn is_error_reply(body: &[u8]) -> bool {
    let said = std::str::from_utf8(body).ok().and_then(Said::read);
    said.is_some_and(|said| {
        said.tells_error() && !said.has_text("status") && said.field("output").is_none()
    })
}

/// The fields of an object.
struct Said<'t>(Vec<(Cow<'t, str>, RawJson<'t>)>);

impl<'t> Said<'t> {
    fn read(text: &'t str) -> Option<Self> {
        RawJson::parse(text).ok().and_then(RawJson::as_object).map(Self)
    }

    fn field(&self, name: &str) -> Option<RawJson<'t>> {
        self.0.iter().rev().find(|(field, _)| field == name).map(|(_, value)| *value)
    }

    fn is(&self, name: &str, text: &str) -> bool {
        let value = self.field(name).and_then(RawJson::as_text);
        value.as_ref().and_then(Text::as_str) == Some(text)
    }

    fn has_text(&self, name: &str) -> bool {
        self.field(name).is_some_and(|value| value.text().starts_with('"'))
    }

    fn has_error(&self) -> bool {
        self.field("error").is_some_and(|value| value.text().starts_with(['{', '"']))
    }

    fn tells_error(&self) -> bool {
        self.has_error() || self.is("object", "error")
    }
}

/// At most so many bytes, cut between characters.
fn cut(mut text: String, longest: usize) -> String {
    if text.len() > longest {
        let end = (0..=longest).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

/// Without the message and the parameter: both may quote the request.
impl fmt::Debug for ServiceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceFault")
            .field("status", &self.status)
            .field("code", &self.code)
            .field("kind", &self.kind)
            .field("request_id", &self.request_id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> ServiceFault {
        let mut fault = ServiceFault::bare(400, None);
        let url = url::Url::parse("http://127.0.0.1/").expect("an address");
        fault.fill(body.as_bytes(), &Secrets::new("sk-key".into(), &[], &url));
        fault
    }

    fn message(body: &str) -> Option<String> {
        read(body).message
    }

    #[test]
    fn every_shape_of_an_error_is_read() {
        let fault = read(
            r#"{"error":{"message":"m","type":"invalid_request_error","param":"input[0]","code":"c"}}"#,
        );
        let texts = [fault.code, fault.kind, fault.param, fault.message].map(Option::unwrap);
        assert_eq!(texts, ["c", "invalid_request_error", "input[0]", "m"]);
        let azure = read(r#"{"error":{"code":429,"message":"slow","innererror":{"code":"x"}}}"#);
        assert_eq!((azure.code.as_deref(), azure.message.as_deref()), (Some("429"), Some("slow")));
        assert_eq!(message(r#"{"error":{"error":{"message":"deep"}}}"#).as_deref(), Some("deep"));
        assert_eq!(message(r#"{"error":"plain"}"#).as_deref(), Some("plain"));
        assert_eq!(
            message(r#"{"object":"error","message":"flat","code":1}"#).as_deref(),
            Some("flat")
        );
        assert_eq!(message(r#"{"detail":"missing"}"#).as_deref(), Some("missing"));
        let detail = r#"{"detail":[{"type":"missing","loc":["body"],"msg":"Field required"}]}"#;
        assert_eq!(message(detail).as_deref(), Some("Field required"));
        let nested = read(r#"{"detail":{"error":{"message":"deeper","code":"c"}}}"#);
        assert_eq!(
            (nested.code.as_deref(), nested.message.as_deref()),
            (Some("c"), Some("deeper"))
        );
    }

    #[test]
    fn an_error_in_the_place_of_an_event_is_told_from_one() {
        for (name, data) in [
            (None, r#"{"error":{"message":"m"}}"#),
            (None, r#"{"error":"m"}"#),
            (None, r#"{"object":"error","message":"m","type":"BadRequestError","code":400}"#),
            (None, r#"{"type":"error","error":{"message":"m"}}"#),
            (Some("error"), r#"{"message":"m","code":400}"#),
        ] {
            assert!(is_error_event(name, data), "{data}");
        }
        for (name, data) in [
            (None, r#"{"type":"error","code":"c","message":"m"}"#),
            (Some("error"), r#"{"type":"error","code":"c","message":"m","error":null}"#),
            (None, r#"{"type":"response.failed","response":{"error":{"message":"m"}}}"#),
            (None, r#"{"type":"t","error":{"message":"m"}}"#),
            (None, r#"{"delta":"\"error\"","error":null}"#),
            (Some("error"), "no JSON"),
        ] {
            assert!(!is_error_event(name, data), "{data}");
        }
    }

    #[test]
    fn an_error_in_the_place_of_a_response_is_told_from_one() {
        for body in [r#"{"error":{"code":502}}"#, r#"{"error":"m"}"#, r#"{"object":"error"}"#] {
            assert!(is_error_reply(body.as_bytes()), "{body}");
        }
        for body in [
            r#"{"id":"r","status":"failed","error":{"code":"c"}}"#,
            r#"{"output":[],"error":{"code":"c"}}"#,
            r#"{"id":"r","error":null}"#,
            "[]",
        ] {
            assert!(!is_error_reply(body.as_bytes()), "{body}");
        }
    }

    #[test]
    fn what_says_nothing_is_nothing() {
        let nothing = ServiceFault::bare(400, None);
        for body in [
            "",
            "<html>",
            "null",
            "[]",
            "{}",
            r#"{"error":null}"#,
            r#"{"error":{"message":[1],"code":{}}}"#,
            r#"{"detail":[]}"#,
        ] {
            assert!(read(body) == nothing, "{body}");
        }
    }

    #[test]
    fn texts_are_cut_between_characters() {
        let long = "é".repeat(5_000);
        let fault = read(&format!(r#"{{"error":{{"message":"x{long}","code":"x{long}"}}}}"#));
        assert_eq!(fault.message.map(|text| text.len()), Some(1_999));
        assert_eq!(fault.code.map(|text| text.len()), Some(199));
    }

    #[test]
    fn the_key_is_taken_out() {
        let fault = read(
            r#"{"error":{"message":"bad sk-key!","type":"sk-key","param":"sk-key","code":"sk-key"}}"#,
        );
        assert_eq!(fault.message.as_deref(), Some("bad (hidden)!"));
        let rest = [fault.code, fault.kind, fault.param];
        assert!(rest.iter().all(|text| text.as_deref() == Some("(hidden)")));
    }

    #[test]
    fn debug_text_quotes_nothing() {
        let fault = read(r#"{"error":{"message":"hunter2","param":"hunter2","code":"c"}}"#);
        let shown = format!("{fault:?}");
        assert!(shown.contains("\"c\"") && !shown.contains("hunter2"), "{shown}");
    }
}
