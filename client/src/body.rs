//! A request's body as it was given: fragments that leave one after another and are never joined.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The sum of the fragments is the content-length.
pub(crate) struct Fragments {
    rest: std::vec::IntoIter<Bytes>,
    left: u64,
}

impl Fragments {
    /// Shares the bytes with `fragments`.
    pub(crate) fn of(fragments: &[Bytes]) -> Self {
        // Empty ones would say that more is to come.
        let fragments: Vec<_> = fragments.iter().filter(|part| !part.is_empty()).cloned().collect();
        let left = fragments.iter().map(|part| part.len() as u64).sum();
        Self { rest: fragments.into_iter(), left }
    }
}

impl Body for Fragments {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let part = self.rest.next();
        if let Some(part) = &part {
            self.left -= part.len() as u64;
        }
        Poll::Ready(part.map(|part| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
