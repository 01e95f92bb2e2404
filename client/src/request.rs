//! What a caller sends.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::config::names;
use crate::headers::HeaderChange;

/// One `POST` of JSON to a path below the base address.
#[derive(Clone, Default)]
pub struct Request {
    /// For example `responses`.
    pub path: String,
    /// The JSON text in fragments; a retry sends the same bytes again without copying them.
    pub body: Vec<Bytes>,
    /// The same for all attempts; a random one if none is given.
    pub idempotency_key: Option<String>,
    /// Instead of the client's own number.
    pub max_retries: Option<u32>,
    /// They win over the client's; one without a value takes the client's away.
    pub headers: Vec<HeaderChange>,
    /// Wins over the client's.
    pub query: Vec<(String, String)>,
    /// Instead of the client's own time for a request.
    pub timeout: Option<Duration>,
    /// Instead of the client's own time between two portions of bytes.
    pub idle: Option<Duration>,
}

impl Request {
    pub fn new(path: impl Into<String>, body: Vec<Bytes>) -> Self {
        Self { path: path.into(), body, ..Self::default() }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("body", &self.body.iter().map(Bytes::len).sum::<usize>())
            .field("max_retries", &self.max_retries)
            .field("headers", &names(&self.headers))
            .field("query", &names(&self.query))
            .field("timeout", &self.timeout)
            .field("idle", &self.idle)
            .finish_non_exhaustive()
    }
}
