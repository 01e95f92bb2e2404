//! What goes back over the wire.

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

use crate::body::Pieces;
use crate::events::{events, text_of};
use crate::turn::Delivery;

/// An answer before it is laid out.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    /// A response, or an error in the service's form.
    pub(crate) body: Value,
    pub(crate) retry_after: Option<String>,
    /// Of the turn that was taken; a refusal takes none.
    pub(crate) turn: Option<usize>,
    pub(crate) streams: bool,
    pub(crate) delivery: Delivery,
    pub(crate) id: String,
}

impl Answered {
    /// A refusal in the service's form.
    pub(crate) fn refusal(
        status: u16,
        message: &str,
        param: Option<&str>,
        code: Option<&str>,
    ) -> Self {
        let kind = if status == 401 { "authentication_error" } else { "invalid_request_error" };
        let error = json!({"message": message, "type": kind, "param": param, "code": code});
        Self {
            status,
            body: json!({ "error": error }),
            retry_after: None,
            turn: None,
            streams: false,
            delivery: Delivery::default(),
            id: String::new(),
        }
    }

    /// Why the request was refused, if it was.
    pub(crate) fn why_refused(&self) -> Option<String> {
        let message = self.body["error"]["message"].as_str();
        message.filter(|_| self.turn.is_none()).map(str::to_owned)
    }

    pub(crate) fn into_http(self) -> Response<Pieces> {
        let cut = self.delivery.cut_after;
        let (kind, body) = if self.streams {
            let mut pieces: Vec<String> = events(&self.body).iter().map(text_of).collect();
            let breaks = cut.is_some_and(|count| count < pieces.len());
            pieces.truncate(cut.unwrap_or(usize::MAX));
            (
                "text/event-stream; charset=utf-8",
                Pieces::stream(pieces, self.delivery.split, breaks),
            )
        } else {
            let body = Bytes::from(self.body.to_string());
            ("application/json", Pieces::plain(body, cut.is_some()))
        };
        let mut response = Response::new(body);
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        // A request that was not read whole has no number.
        if let Ok(id) = HeaderValue::try_from(self.id)
            && !id.is_empty()
        {
            headers.insert("x-request-id", id);
        }
        if let Some(Ok(wait)) = self.retry_after.map(HeaderValue::try_from) {
            headers.insert(RETRY_AFTER, wait);
        }
        response
    }
}
