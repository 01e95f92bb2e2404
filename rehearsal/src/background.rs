//! A server beside a host that has no runtime of its own: a Python or Node program, a plain test.

use std::fmt;
use std::io;

use tokio::runtime::{Builder, Runtime};

use crate::script::Script;
use crate::server::{Options, Server};
use crate::session::Seen;

/// A [`Server`] on a thread of its own. Its calls block, for no longer than it takes to listen or to
/// close; they must not be made in a runtime. Dropping it ends the server.
pub struct Background {
    // Before the runtime, so that it is dropped before it.
    server: Server,
    runtime: Runtime,
}

impl Background {
    /// Returns once the server listens.
    pub fn start(script: Script, options: Options) -> io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        let runtime =
            builder.worker_threads(1).thread_name("swingbridge-rehearsal").enable_all().build()?;
        let server = runtime.block_on(Server::start(script, options))?;
        Ok(Self { server, runtime })
    }

    /// The base address for clients.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// All requests so far, the refused ones included.
    pub fn requests(&self) -> Vec<Seen> {
        self.server.requests()
    }

    /// How many turns of the script, or of its latest pass, were not taken yet.
    pub fn turns_left(&self) -> usize {
        self.server.turns_left()
    }

    /// Ends all connections and gives the port back; see [`Server::stop`].
    pub fn stop(self) -> io::Result<()> {
        self.runtime.block_on(self.server.stop())
    }
}

impl fmt::Debug for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Background").field("server", &self.server).finish_non_exhaustive()
    }
}
