//! Lines for whoever reads the command's output. Nobody waits for that reader: a rehearsal must answer,
//! and hear its signals, also if the output is a pipe that is full.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

/// Lines beyond so many that wait are dropped.
const MOST_WAITING: usize = 1_000;
/// For how long the last lines may take.
const FAREWELL: Duration = Duration::from_secs(1);

pub(crate) struct Teller {
    lines: Lines,
    /// Ends once the last line is written.
    written: Receiver<()>,
}

#[derive(Clone)]
pub(crate) struct Lines(SyncSender<String>);

impl Lines {
    pub(crate) fn tell(&self, line: impl Display) {
        let _ = self.0.try_send(line.to_string());
    }
}

impl Teller {
    /// Writes to the standard error if the standard output is that of another program.
    pub(crate) fn new(is_beside: bool) -> Self {
        let (lines, waiting) = sync_channel::<String>(MOST_WAITING);
        let (end, written) = channel();
        thread::spawn(move || {
            for line in waiting {
                // Output that nobody reads any more ends no rehearsal.
                let _ = if is_beside {
                    writeln!(io::stderr().lock(), "{line}")
                } else {
                    writeln!(io::stdout().lock(), "{line}")
                };
            }
            drop(end);
        });
        Self { lines: Lines(lines), written }
    }

    pub(crate) fn lines(&self) -> Lines {
        self.lines.clone()
    }

    pub(crate) fn finish(self) {
        drop(self.lines);
        let _ = self.written.recv_timeout(FAREWELL);
    }
}
