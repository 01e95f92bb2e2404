//! The threads on which requests run.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};

/// They wait for sockets and encrypt; JavaScript never waits for them.
const THREADS: usize = 2;

/// Made by the first request and shared by all environments of the process. It is never shut down: its
/// idle threads hold no event loop, so that a process with open connections can end.
pub(crate) fn runtime() -> Option<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let make = || {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("swingbridge").enable_all().build().ok()
    };
    RUNTIME.get_or_init(make).as_ref()
}
