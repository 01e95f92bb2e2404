//! Streams of events.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyType;
use swingbridge_client::{ClientError, EventStream, StreamEvent};
use tokio::sync::Notify;

use super::faults::{self, Fault};
use super::pending::Awaited;
use super::per_process::Owned;
use super::runtime::Process;
use crate::json_object::{JsonObject, JsonText};

/// The events of a response that is being streamed. It closes with its end, with the first failure, with
/// a wait that is cut short, and when it is let go of.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct NativeStream {
    shared: Owned<Shared>,
    kind: Py<PyType>,
    request_id: Option<String>,
}

/// The stream, which the waiting for its next event takes out of its place.
#[derive(Clone)]
struct Shared {
    place: Arc<Mutex<Place>>,
    closing: Arc<Notify>,
}

enum Place {
    Open(Box<EventStream>),
    /// Somebody waits for the next event.
    Taken,
    Closed,
}

type Next = Result<Option<StreamEvent>, ClientError>;

impl Shared {
    fn swap(&self, place: Place) -> Place {
        mem::replace(&mut *self.place.lock().unwrap_or_else(PoisonError::into_inner), place)
    }

    /// Waits for the next event. A wait that is dropped closes the stream.
    async fn next(self, stream: Box<EventStream>) -> Next {
        let mut taken = TakenStream { shared: self, stream: Some(stream) };
        let closing = taken.shared.closing.clone();
        let Some(stream) = &mut taken.stream else { return Ok(None) };
        let next = tokio::select! {
            next = stream.next() => next,
            () = closing.notified() => Ok(None),
        };
        if matches!(next, Ok(Some(_))) {
            taken.give_back();
        }
        next
    }
}

struct TakenStream {
    shared: Shared,
    stream: Option<Box<EventStream>>,
}

impl TakenStream {
    fn give_back(&mut self) {
        let mut place = self.shared.place.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Place::Taken, Some(stream)) = (&*place, self.stream.take()) {
            *place = Place::Open(stream);
        }
    }
}

impl Drop for TakenStream {
    fn drop(&mut self) {
        if self.stream.is_some() {
            self.shared.swap(Place::Closed);
        }
    }
}

impl NativeStream {
    pub(super) fn new(stream: Box<EventStream>, kind: Py<PyType>) -> Self {
        let request_id = stream.request_id().map(str::to_owned);
        let place = Arc::new(Mutex::new(Place::Open(stream)));
        let shared = Owned::new(Shared { place, closing: Arc::default() });
        Self { shared, kind, request_id }
    }

    fn shared(&self, py: Python<'_>) -> PyResult<&Shared> {
        self.shared.get().ok_or_else(|| Fault::OtherProcess.raised(py))
    }

    /// Takes the stream out of its place; `None` if it is closed.
    fn take(&self, py: Python<'_>) -> PyResult<Option<(Shared, Box<EventStream>)>> {
        let shared = self.shared(py)?;
        let mut place = shared.place.lock().unwrap_or_else(PoisonError::into_inner);
        match mem::replace(&mut *place, Place::Taken) {
            Place::Open(stream) => Ok(Some((shared.clone(), stream))),
            Place::Closed => {
                *place = Place::Closed;
                Ok(None)
            }
            Place::Taken => {
                drop(place);
                Err(Fault::StreamInUse.raised(py))
            }
        }
    }

    fn event<'py>(&self, py: Python<'py>, next: Next) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(event) = next.map_err(|error| faults::raised(py, &error))? else {
            return Ok(None);
        };
        let Some(text) = JsonText::object(event.data.into()) else {
            self.close();
            return Err(Fault::Event.raised(py));
        };
        JsonObject::of_kind(self.kind.bind(py), text, self.request_id.clone()).map(Some)
    }
}

#[pymethods]
impl NativeStream {
    /// The next event if its bytes are here already; None if it has to be waited for.
    #[pyo3(signature = () -> "Any")]
    fn ready<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let event = {
            let place = &self.shared(py)?.place;
            let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
            match &mut *place {
                Place::Open(stream) => stream.next_ready(),
                Place::Taken | Place::Closed => None,
            }
        };
        self.event(py, Ok(event))
    }

    /// Waits for the next event; None at the end.
    #[pyo3(signature = () -> "Any")]
    fn wait<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some((shared, stream)) = self.take(py)? else { return Ok(None) };
        let next = Process::current()?.wait(py, shared.next(stream))?;
        self.event(py, next)
    }

    /// Begins to wait for the next event; `wake` is called once, by another thread, when it is there.
    /// None if the stream is closed.
    #[pyo3(signature = (wake: "object"))]
    fn start(slf: Bound<'_, Self>, wake: Py<PyAny>) -> PyResult<Option<PendingEvent>> {
        let py = slf.py();
        let Some((shared, stream)) = slf.get().take(py)? else { return Ok(None) };
        let awaited = Awaited::spawn(py, Process::current()?, shared.next(stream), wake)?;
        Ok(Some(PendingEvent { awaited: Owned::new(awaited), stream: slf.unbind() }))
    }

    /// Closes the socket, whoever waits for an event.
    fn close(&self) {
        if let Some(shared) = self.shared.get() {
            shared.swap(Place::Closed);
            shared.closing.notify_one();
        }
    }

    /// What the service called the request.
    #[getter]
    fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }
}

/// An event that is being waited for.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct PendingEvent {
    awaited: Owned<Awaited<Next>>,
    stream: Py<NativeStream>,
}

#[pymethods]
impl PendingEvent {
    /// The event; None at the end of the stream, or before it is there.
    #[pyo3(signature = () -> "Any")]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let next = self.awaited.get().and_then(Awaited::take);
        self.stream.get().event(py, next.unwrap_or(Ok(None)))
    }

    /// Stops waiting; the stream is closed.
    fn cancel(&self) {
        self.stream.get().close();
        if let Some(awaited) = self.awaited.get() {
            awaited.cancel();
        }
    }
}
