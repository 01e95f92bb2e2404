//! The runtime that requests run on: one for each process, made when it is first needed.
//!
//! Its threads move bytes and keep no interpreter alive. They enter Python for one thing alone, to wake
//! an event loop, and not at all once the interpreter begins to end: from then on entering it would
//! end the thread in the middle of its work.

use std::future::{Future, pending};
use std::pin::pin;
use std::sync::{OnceLock, PoisonError, RwLock};
use std::thread::{self, ThreadId};
use std::time::Duration;

use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::block_in_place;
use tokio::time::timeout;

use super::faults;
use super::per_process::PerProcess;

/// How often a waiting thread looks for signals such as Ctrl-C.
const SIGNAL_TICK: Duration = Duration::from_millis(40);
const MOST_THREADS: usize = 4;

static CURRENT: PerProcess<Process> = PerProcess::new();

/// What belongs to one process.
pub(crate) struct Process {
    runtime: Runtime,
    /// Read while a thread of the runtime is in Python; true once the interpreter begins to end.
    is_over: RwLock<bool>,
    /// The thread that ends it.
    ending: OnceLock<ThreadId>,
}

impl Process {
    pub(crate) fn current() -> PyResult<&'static Self> {
        CURRENT.get_or_try_make(Self::new)
    }

    fn new() -> PyResult<Self> {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("swingbridge")
            .enable_all()
            .build()
            .map_err(|_| faults::setup())?;
        Ok(Self { runtime, is_over: RwLock::new(false), ending: OnceLock::new() })
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Waits without the interpreter's lock. A signal handler that raises ends the wait, and the work
    /// is dropped (N-4).
    pub(crate) fn wait<T: Send>(
        &self,
        py: Python<'_>,
        work: impl Future<Output = T> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let mut work = pin!(work);
            let done = loop {
                if let Ok(done) = self.block_on(async { timeout(SIGNAL_TICK, work.as_mut()).await })
                {
                    break Ok(done);
                }
                // Outside of the runtime: a handler may send requests of its own.
                match Python::try_attach(check_signals) {
                    Some(Ok(())) => {}
                    Some(Err(raised)) => break Err(raised),
                    None => self.block_on(pending()),
                }
            };
            if self.is_left_behind() {
                // A daemon thread of a program that has ended: there is no interpreter to go back to.
                self.block_on(pending::<()>());
            }
            done
        })
    }

    /// Also in a thread of the runtime: where it wakes a loop, Python may run finalizers, and those may
    /// send requests.
    fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        if Handle::try_current().is_ok() {
            block_in_place(|| self.runtime.block_on(work))
        } else {
            self.runtime.block_on(work)
        }
    }

    /// Enters Python from a thread of the runtime, if it can still be entered.
    pub(crate) fn enter(&self, work: impl FnOnce(Python<'_>)) {
        let is_over = self.is_over.read().unwrap_or_else(PoisonError::into_inner);
        if !*is_over {
            Python::try_attach(work);
        }
    }

    /// Whether the interpreter ends, so that no thread of the runtime will enter it.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.get().is_some()
    }

    fn is_left_behind(&self) -> bool {
        self.ending.get().is_some_and(|ending| *ending != thread::current().id())
    }

    fn end(&self, py: Python<'_>) {
        let _ = self.ending.set(thread::current().id());
        // A thread that is in Python may be waiting for the lock of the interpreter.
        py.detach(|| *self.is_over.write().unwrap_or_else(PoisonError::into_inner) = true);
    }
}

/// Runs the handlers of signals that came.
fn check_signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// The interpreter begins to end: for `atexit`.
#[pyfunction]
pub(crate) fn end_requests(py: Python<'_>) {
    if let Some(process) = CURRENT.get() {
        process.end(py);
    }
}
