//! Requests that an event loop waits for.
//!
//! The loop is woken by one call from a thread of the runtime; everything else happens in the loop's own
//! thread, in the task and the context that asked.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use swingbridge_client::{ClientError, EventStream, Reply};
use tokio::task::AbortHandle;

use super::native_client::NativeClient;
use super::per_process::Owned;
use super::runtime::Process;

/// What a request came to.
pub(crate) enum Done {
    Reply(Result<Reply, ClientError>),
    Stream(Result<Box<EventStream>, ClientError>),
}

/// Work of the runtime whose outcome is waited for.
pub(super) struct Awaited<T> {
    outcome: Arc<Mutex<Option<T>>>,
    /// `None` if it is over.
    task: Option<AbortHandle>,
}

impl<T: Send + 'static> Awaited<T> {
    pub(super) fn spawn(
        py: Python<'_>,
        process: &'static Process,
        work: impl Future<Output = T> + Send + 'static,
        wake: Py<PyAny>,
    ) -> PyResult<Self> {
        if process.is_ending() {
            // A loop that runs at the end of the program could not be woken any more: it waits here.
            let done = process.wait(py, work)?;
            wake.call0(py)?;
            return Ok(Self { outcome: Arc::new(Mutex::new(Some(done))), task: None });
        }
        let outcome = Arc::new(Mutex::new(None));
        let place = outcome.clone();
        let task = process.runtime().spawn(async move {
            let done = work.await;
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
            process.enter(move |py| {
                // The loop may be closed by now, and nobody waits any more.
                let _ = wake.call0(py);
            });
        });
        Ok(Self { outcome, task: Some(task.abort_handle()) })
    }

    pub(super) fn take(&self) -> Option<T> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<T> Awaited<T> {
    pub(super) fn cancel(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Nobody waits any more: what is under way is dropped, and its socket closed.
impl<T> Drop for Awaited<T> {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// A request under way.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct PendingReply {
    awaited: Owned<Awaited<Done>>,
    client: Py<NativeClient>,
}

impl PendingReply {
    pub(super) fn spawn(
        py: Python<'_>,
        work: impl Future<Output = Done> + Send + 'static,
        wake: Py<PyAny>,
        client: Py<NativeClient>,
    ) -> PyResult<Self> {
        let awaited = Awaited::spawn(py, Process::current()?, work, wake)?;
        Ok(Self { awaited: Owned::new(awaited), client })
    }
}

#[pymethods]
impl PendingReply {
    /// The reply or the stream, once; None before it is over.
    #[pyo3(signature = () -> "Any")]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let done = self.awaited.get().and_then(Awaited::take);
        done.map(|done| self.client.get().result(py, done)).transpose()
    }

    /// Gives the request up; its socket is closed.
    fn cancel(&self) {
        if let Some(awaited) = self.awaited.get() {
            awaited.cancel();
        }
    }
}
