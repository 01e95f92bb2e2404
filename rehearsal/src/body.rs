//! Bodies that leave in pieces, and bodies that break off.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// Pieces that are written one by one, and an end or a break.
pub(crate) struct Pieces {
    rest: VecDeque<Bytes>,
    /// The length of a plain body; a stream has none.
    length: Option<u64>,
    breaks: bool,
    /// The piece before is on its way; it goes out alone.
    pauses: bool,
}

impl Pieces {
    pub(crate) fn plain(body: Bytes, breaks: bool) -> Self {
        let length = Some(body.len() as u64);
        let sent = if breaks { body.slice(..body.len() / 2) } else { body };
        Self { rest: VecDeque::from([sent]), length, breaks, pauses: false }
    }

    /// Each piece is written by itself; with `split` the pieces are of so many bytes.
    pub(crate) fn stream(pieces: Vec<String>, split: Option<usize>, breaks: bool) -> Self {
        let rest = match split {
            None => pieces.into_iter().map(Bytes::from).collect(),
            Some(size) => {
                let all = Bytes::from(pieces.concat());
                let starts = (0..all.len()).step_by(size);
                starts.map(|at| all.slice(at..all.len().min(at + size))).collect()
            }
        };
        Self { rest, length: None, breaks, pauses: false }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        // Between two pieces the transport gets a chance to write.
        if std::mem::take(&mut self.pauses) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Some(piece) = self.rest.pop_front() {
            self.pauses = true;
            if let Some(length) = self.length.filter(|_| !self.breaks) {
                self.length = Some(length - piece.len() as u64);
            }
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        Poll::Ready(self.breaks.then(|| Err(io::ErrorKind::ConnectionAborted.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && !self.breaks
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
