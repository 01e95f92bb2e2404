//! What a service writes into the body of an error.

use std::fmt;

use serde_json::Value;

/// Services quote the request in their messages, which can be long.
const LONGEST_MESSAGE: usize = 2_000;
const LONGEST_NAME: usize = 200;
const HIDDEN: &str = "(hidden)";

/// A status and what the service said about it. The key of the client is taken out of every text.
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
    /// (once or twice), a flat one, a bare text, or `detail`; anything else says nothing.
    pub(crate) fn fill(&mut self, body: &[u8], secret: &str) {
        let Ok(body) = serde_json::from_slice::<Value>(body) else { return };
        let mut error = &body;
        while let Some(inner) = error.get("error").filter(|inner| !inner.is_null()) {
            error = inner;
        }
        let text = |value: Option<&Value>, longest: usize| {
            let text = match value? {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                _ => return None,
            };
            Some(cut(hide(text, secret), longest)).filter(|text| !text.is_empty())
        };
        let name = |field: &str| text(error.get(field), LONGEST_NAME);
        self.code = name("code");
        self.kind = name("type");
        self.param = name("param");
        let said = match error {
            Value::String(_) => Some(error),
            _ => error.get("message").or_else(|| error.get("detail")),
        };
        self.message = text(said, LONGEST_MESSAGE);
    }
}

pub(crate) fn hide(text: String, secret: &str) -> String {
    if secret.is_empty() || !text.contains(secret) { text } else { text.replace(secret, HIDDEN) }
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
        fault.fill(body.as_bytes(), "sk-key");
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
        assert!(rest.iter().all(|text| text.as_deref() == Some(HIDDEN)));
    }

    #[test]
    fn debug_text_quotes_nothing() {
        let fault = read(r#"{"error":{"message":"hunter2","param":"hunter2","code":"c"}}"#);
        let shown = format!("{fault:?}");
        assert!(shown.contains("\"c\"") && !shown.contains("hunter2"), "{shown}");
    }
}
