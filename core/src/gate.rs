//! Who may use a session: one at a time, and nobody after it was closed (B-50, R-6).

use thiserror::Error;

/// The state of one toolset or runner.
#[derive(Debug, Default)]
pub struct Gate {
    busy: bool,
    closed: bool,
}

/// Why work cannot begin.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum GateError {
    #[error("another call is still running")]
    Busy,
    #[error("it has been closed")]
    Closed,
}

crate::error::codes! {
    GateError {
        Self::Busy => "busy",
        Self::Closed => "closed",
    }
}

/// What `close` found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CloseStatus {
    Closed,
    /// Work that began earlier is still running and may have effects.
    Draining,
}

impl CloseStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Draining => "draining",
        }
    }
}

impl Gate {
    /// Begins work. Closed outranks busy: waiting would not help.
    pub fn enter(&mut self) -> Result<(), GateError> {
        if self.closed {
            return Err(GateError::Closed);
        }
        if self.busy {
            return Err(GateError::Busy);
        }
        self.busy = true;
        Ok(())
    }

    /// Ends the work that `enter` began.
    pub fn leave(&mut self) {
        self.busy = false;
    }

    pub fn close(&mut self) -> CloseStatus {
        self.closed = true;
        if self.busy { CloseStatus::Draining } else { CloseStatus::Closed }
    }
}
