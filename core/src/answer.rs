//! What a host answers.

use crate::json::{Json, Text};
use crate::runner::{ModelResponse, StreamEvent};

/// An answer, and what the host noticed while it worked for it.
#[derive(Debug)]
pub struct Reply<'h> {
    pub answer: Answer<'h>,
    /// Whether the caller has asked for the work to end, read after the ask was performed. It
    /// outranks every failure.
    pub cancelled: bool,
    /// Microseconds since any fixed moment; only differences count. Zero if nobody observes.
    pub now: u64,
}

impl<'h> Reply<'h> {
    /// A reply without cancellation or time.
    pub fn new(answer: Answer<'h>) -> Self {
        Self { answer, cancelled: false, now: 0 }
    }
}

/// The outcome of one ask.
#[derive(Debug)]
#[non_exhaustive]
pub enum Answer<'h> {
    /// What the driver or function returned.
    Value(Json<'h>),
    /// Whether a consent callback returned exactly true.
    Verdict(bool),
    /// What the model answered.
    Response(ModelResponse<'h>),
    /// The model's answer comes as a stream, which is open.
    Streaming,
    /// The next event of the stream.
    Event(StreamEvent<'h>),
    /// The stream has no more events.
    StreamEnded,
    /// Seen; nothing to tell.
    Seen,
    /// The host's code failed. It may have had an effect.
    Failed(Failure),
    /// The wait was cut short, or the host's own cancellation came out of it: what happened is
    /// unknown.
    Cancelled,
}

/// How the host's code failed.
#[derive(Clone, Eq, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// With words that the driver, or a consent callback, allows the model to read.
    Told(Text<'static>),
    /// In any other way; its words stay in the host.
    Untold,
}

/// Never the words: they are for the model only.
impl std::fmt::Debug for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Told(_) => "a failure told to the model",
            Self::Untold => "a failure",
        })
    }
}
