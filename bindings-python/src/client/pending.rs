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
    task: AbortHandle,
}

impl<T: Send + 'static> Awaited<T> {
    pub(super) fn spawn(
        process: &'static Process,
        work: impl Future<Output = T> + Send + 'static,
        wake: Py<PyAny>,
    ) -> Self {
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
        Self { outcome, task: task.abort_handle() }
    }

    pub(super) fn take(&self) -> Option<T> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn cancel(&self) {
        self.task.abort();
    }
}

/// Nobody waits any more: what is under way is dropped, and its socket closed.
impl<T> Drop for Awaited<T> {
    fn drop(&mut self) {
        self.task.abort();
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
        process: &'static Process,
        work: impl Future<Output = Done> + Send + 'static,
        wake: Py<PyAny>,
        client: Py<NativeClient>,
    ) -> Self {
        let awaited = Awaited::spawn(process, work, wake);
        Self { awaited: Owned::new(awaited), client }
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
