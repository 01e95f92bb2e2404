//! Streams of events (N-2, N-3): read by the threads of the client, taken by JavaScript in batches.

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use napi::Env;
use napi::bindgen_prelude::{Either, External, Object};
use napi_derive::napi;
use swingbridge_client::{EventStream, StreamEvent};
use swingbridge_core::json::RawJson;
use tokio::time::timeout;

use crate::client::{Sender, request};
use crate::exchange::{Exchange, Failure, promise};
use crate::runtime::runtime;

/// The events of one response. Closed or dropped, it closes its socket.
pub(crate) struct Source {
    request_id: Option<String>,
    /// `None` while it is being read, and when nothing more is to be read.
    stream: Arc<Mutex<Option<EventStream>>>,
    ready: Arc<Mutex<VecDeque<StreamEvent>>>,
    /// What follows the events that are ready.
    failure: Arc<Mutex<Option<Failure>>>,
    /// The event that a run was answered with last.
    last: Mutex<Option<StreamEvent>>,
}

impl Source {
    pub(crate) fn new(stream: EventStream) -> Self {
        Self {
            request_id: stream.request_id().map(str::to_owned),
            stream: Arc::new(Mutex::new(Some(stream))),
            ready: Arc::default(),
            failure: Arc::default(),
            last: Mutex::default(),
        }
    }

    pub(crate) fn request_id(&self) -> Option<String> {
        self.request_id.clone()
    }

    /// The events that were read and not taken yet.
    pub(crate) fn ready(&self) -> MutexGuard<'_, VecDeque<StreamEvent>> {
        lock(&self.ready)
    }

    pub(crate) fn take(&self) -> Option<StreamEvent> {
        self.ready().pop_front()
    }

    /// Keeps an event for who wants to see it.
    pub(crate) fn keep(&self, event: StreamEvent) {
        *lock(&self.last) = Some(event);
    }

    pub(crate) fn last(&self) -> Option<String> {
        lock(&self.last).as_ref().map(|event| event.data.clone())
    }

    /// Nothing that follows is of interest; read to its end, the connection serves on.
    pub(crate) fn see_off(&self) {
        if let (Some(mut stream), Some(runtime)) = (lock(&self.stream).take(), runtime()) {
            runtime.spawn(async move { timeout(FAREWELL_TIME, stream.next()).await });
        }
    }
}

/// For how long the end of a stream is awaited whose response is complete.
const FAREWELL_TIME: Duration = Duration::from_millis(500);

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").finish_non_exhaustive()
    }
}

/// As `sendRequest`, for a body that asks for a stream: resolves with its source once it has begun.
#[napi(ts_return_type = "Promise<ExternalObject<Source> | string>")]
pub(crate) fn open_events<'e>(
    env: &'e Env,
    client: &External<Sender>,
    exchange: &External<Exchange>,
    body: String,
    options: String,
) -> napi::Result<Object<'e>> {
    let client = client.0.clone();
    let request = request(vec![Bytes::from(body)], &options);
    let work = async move { Ok(client.open_stream(request).await?) };
    promise(env, exchange, work, |outcome| match outcome {
        Ok(stream) => Either::A(External::new(Source::new(stream))),
        Err(failure) => Either::B(failure.text()),
    })
}

#[napi]
pub(crate) fn request_id_of(source: &External<Source>) -> Option<String> {
    source.request_id()
}

fn is_object(event: &StreamEvent) -> bool {
    RawJson::parse(&event.data).is_ok_and(|raw| raw.text().starts_with('{'))
}

/// Resolves with null once there are events to take, with "" at the end of the stream, or with the JSON
/// of what failed. One wait at a time.
#[napi(ts_return_type = "Promise<string | null>")]
pub(crate) fn await_events<'e>(
    env: &'e Env,
    source: &External<Source>,
    exchange: &External<Exchange>,
) -> napi::Result<Object<'e>> {
    let (place, ready) = (source.stream.clone(), source.ready.clone());
    let (failure, request_id) = (source.failure.clone(), source.request_id());
    let work = async move {
        if let Some(failure) = lock(&failure).take() {
            return Err(failure);
        }
        // Within the task, so that an abort closes the socket.
        let Some(mut stream) = lock(&place).take() else { return Ok(false) };
        let Some(first) = stream.next().await? else { return Ok(false) };
        if !is_object(&first) {
            return Err(Failure::EventNotJson(request_id));
        }
        lock(&ready).push_back(first);
        for event in stream.ready() {
            if !is_object(&event) {
                *lock(&failure) = Some(Failure::EventNotJson(request_id));
                return Ok(true);
            }
            lock(&ready).push_back(event);
        }
        *lock(&place) = Some(stream);
        Ok(true)
    };
    promise(env, exchange, work, |outcome: Result<bool, Failure>| match outcome {
        Ok(true) => None,
        Ok(false) => Some(String::new()),
        Err(failure) => Some(failure.text()),
    })
}

/// The data of the events that are at hand.
#[napi]
pub(crate) fn take_events(source: &External<Source>) -> Vec<String> {
    source.ready().drain(..).map(|event| event.data).collect()
}

/// Lets go of the connection; nobody waits for events.
#[napi]
pub(crate) fn close_events(source: &External<Source>) {
    drop(lock(&source.stream).take());
}
