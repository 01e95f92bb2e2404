//! A whole reply, read with limits.

use std::fmt;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use crate::attempt::fault_within;
use crate::client::deadline_after;
use crate::error::{ClientError, TimeoutFault};

/// What the service answered with success.
#[derive(Clone, Eq, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    pub status: u16,
    pub request_id: Option<String>,
    /// Decompressed, as it came, but for a byte order mark.
    pub body: Bytes,
}

/// How long the reading of a body may take, and how large it may be.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) deadline: Instant,
    pub(crate) idle: Duration,
    pub(crate) size: usize,
}

/// The next portion of a body; `None` at its end.
pub(crate) async fn next_portion(
    response: &mut Response,
    bounds: Bounds,
) -> Result<Option<Bytes>, ClientError> {
    let idle = deadline_after(bounds.idle);
    match timeout_at(idle.min(bounds.deadline), response.chunk()).await {
        Ok(portion) => portion.map_err(|error| fault_within(&error)),
        Err(_) if idle < bounds.deadline => Err(ClientError::Timeout(TimeoutFault::Idle)),
        Err(_) => Err(ClientError::Timeout(TimeoutFault::Request)),
    }
}

pub(crate) async fn read_body(
    response: &mut Response,
    bounds: Bounds,
) -> Result<Bytes, ClientError> {
    let announced = response.content_length().and_then(|size| usize::try_from(size).ok());
    if announced.is_some_and(|size| size > bounds.size) {
        return Err(ClientError::ReplyTooLarge);
    }
    let Some(first) = next_portion(response, bounds).await? else { return Ok(Bytes::new()) };
    // Most replies are one portion: it is handed on as it is.
    let Some(second) = next_portion(response, bounds).await? else {
        return if first.len() > bounds.size { Err(ClientError::ReplyTooLarge) } else { Ok(first) };
    };
    // What a service announces reserves no more than this.
    let mut body = BytesMut::with_capacity(announced.unwrap_or(0).min(1 << 20));
    body.extend_from_slice(&first);
    let mut next = Some(second);
    while let Some(portion) = next {
        if body.len() + portion.len() > bounds.size {
            return Err(ClientError::ReplyTooLarge);
        }
        body.extend_from_slice(&portion);
        next = next_portion(response, bounds).await?;
    }
    Ok(body.freeze())
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("status", &self.status)
            .field("request_id", &self.request_id)
            .field("body", &self.body.len())
            .finish()
    }
}
