//! The signals that ask a rehearsal to end.

use std::io;

pub(crate) enum Asked {
    /// By the terminal, which asks every program that runs in it.
    Interrupted,
    Terminated,
}

/// They are listened to from when this is made, so that none ends the process by itself.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// The terminal is gone.
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let interrupt = signal(SignalKind::interrupt())?;
        let hang_up = signal(SignalKind::hangup())?;
        Ok(Self { interrupt, terminate: signal(SignalKind::terminate())?, hang_up })
    }

    pub(crate) async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => Asked::Interrupted,
            _ = self.terminate.recv() => Asked::Terminated,
            _ = self.hang_up.recv() => Asked::Terminated,
        }
    }
}

#[cfg(not(unix))]
pub(crate) struct Signals(tokio::signal::windows::CtrlC, tokio::signal::windows::CtrlBreak);

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn listen() -> io::Result<Self> {
        use tokio::signal::windows::{ctrl_break, ctrl_c};
        Ok(Self(ctrl_c()?, ctrl_break()?))
    }

    /// Windows gives both to every program of the console.
    pub(crate) async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.0.recv() => Asked::Interrupted,
            _ = self.1.recv() => Asked::Interrupted,
        }
    }
}
