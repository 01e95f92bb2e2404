//! A stream of events that has begun (N-2, N-3).

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use reqwest::Response;
use swingbridge_core::sse::{SseEnd, SseEvent, SseParser};
use tokio::time::Instant;

use crate::client::deadline_after;
use crate::error::{ClientError, ConnectionFault};
use crate::reply::{Bounds, next_portion};
use crate::secrets::Secrets;
use crate::service::{ServiceFault, is_error_event};

/// For how long, and for how many bytes, the end of the body is awaited after `[DONE]`.
const FAREWELL_TIME: Duration = Duration::from_millis(250);
const FAREWELL_SIZE: usize = 4 << 10;

/// The events of one response. Dropping it closes the socket; a stream that is read to its end leaves
/// the connection to the next request.
pub struct EventStream {
    /// `None` once nothing more is to be read.
    response: Option<Response>,
    /// What is to be filled if the service tells of a fault.
    bare: ServiceFault,
    secrets: Secrets,
    parser: SseParser,
    idle: Duration,
    events: VecDeque<SseEvent>,
    /// What follows the events that came before it.
    fault: Option<ClientError>,
}

impl EventStream {
    pub(crate) fn new(
        response: Response,
        bare: ServiceFault,
        secrets: Secrets,
        idle: Duration,
        limit: usize,
    ) -> Self {
        Self {
            response: Some(response),
            bare,
            secrets,
            parser: SseParser::new(limit),
            idle,
            events: VecDeque::new(),
            fault: None,
        }
    }

    pub fn request_id(&self) -> Option<&str> {
        self.bare.request_id.as_deref()
    }

    /// The next event if its bytes are here already, so that nobody has to wait for it.
    pub fn next_ready(&mut self) -> Option<SseEvent> {
        self.events.pop_front()
    }

    /// The next event; `None` after `[DONE]` or at the end. An event of the type `error` is an event; an
    /// error in the place of one, as a service sends that cannot go on, is a fault. A future that is
    /// dropped loses no event. A fault comes once, and after it the stream is at its end.
    pub async fn next(&mut self) -> Result<Option<SseEvent>, ClientError> {
        loop {
            if let Some(event) = self.next_ready() {
                return Ok(Some(event));
            }
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
            if self.parser.is_done()
                && let Some(response) = self.response.take()
            {
                see_off(response).await;
            }
            let Some(response) = &mut self.response else { return Ok(None) };
            let bounds = Bounds { deadline: never(), idle: self.idle, size: usize::MAX };
            match next_portion(response, bounds).await {
                Ok(Some(bytes)) => self.take(&bytes),
                Ok(None) => self.end(),
                Err(fault) => self.fail(fault),
            }
        }
    }

    /// A stream without a length ends with its connection, however that ended: within an event it was
    /// not the service that ended it.
    fn end(&mut self) {
        let parser = std::mem::replace(&mut self.parser, SseParser::new(0));
        match parser.finish() {
            SseEnd::Cut => self.fail(ClientError::Connection(ConnectionFault::LostWithin)),
            SseEnd::Done | SseEnd::Complete => self.response = None,
        }
    }

    /// Further events that are here already, so that a host can take them over together.
    pub fn ready(&mut self) -> impl Iterator<Item = SseEvent> {
        self.events.drain(..)
    }

    fn take(&mut self, bytes: &[u8]) {
        let mut events = Vec::new();
        let outcome = self.parser.feed(bytes, &mut events);
        for event in events {
            // Data of no length only keeps the connection alive.
            if event.data.is_empty() {
                continue;
            }
            if is_error_event(event.event.as_deref(), &event.data) {
                let mut fault = self.bare.clone();
                fault.fill(event.data.as_bytes(), &self.secrets);
                return self.fail(ClientError::Stream(Box::new(fault)));
            }
            self.events.push_back(event);
        }
        if outcome.is_err() {
            self.fail(ClientError::EventTooLarge);
        }
    }

    fn fail(&mut self, fault: ClientError) {
        self.response = None;
        self.fault = Some(fault);
    }
}

/// Reads the end that follows `[DONE]`, so that the connection can serve another request.
async fn see_off(mut response: Response) {
    let bounds = Bounds {
        deadline: deadline_after(FAREWELL_TIME),
        idle: FAREWELL_TIME,
        size: FAREWELL_SIZE,
    };
    let mut left = FAREWELL_SIZE;
    while let Ok(Some(bytes)) = next_portion(&mut response, bounds).await {
        match left.checked_sub(bytes.len()) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

fn never() -> Instant {
    deadline_after(Duration::MAX)
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("request_id", &self.bare.request_id)
            .field("ended", &self.response.is_none())
            .finish_non_exhaustive()
    }
}
