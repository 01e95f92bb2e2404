//! A request's body as it leaves: fragments, one after another, that are never joined to a whole.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use swingbridge_core::wire::Fragment;

/// Shorter fragments are sent together with their neighbours: a system call would cost more.
const SHORT: usize = 16 << 10;

/// Lays out a body that the core gave in fragments: the long ones are shared with it, what is between
/// them is copied into one piece.
pub fn laid_out(fragments: Vec<Fragment>) -> Vec<Bytes> {
    let mut pieces = Vec::new();
    let mut short = BytesMut::new();
    for fragment in fragments {
        if fragment.len() < SHORT {
            short.extend_from_slice(fragment.as_bytes());
        } else {
            pieces.push(short.split().freeze());
            pieces.push(Bytes::from_owner(Shared(fragment)));
        }
    }
    pieces.push(short.freeze());
    pieces
}

struct Shared(Fragment);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// The body as it is sent. The sum of the pieces is the content-length.
#[derive(Debug)]
pub struct Fragments {
    rest: std::vec::IntoIter<Bytes>,
    left: u64,
}

impl Fragments {
    /// Shares the bytes with `pieces`.
    pub fn of(pieces: &[Bytes]) -> Self {
        // Empty ones would say that more is to come.
        let pieces: Vec<_> = pieces.iter().filter(|piece| !piece.is_empty()).cloned().collect();
        let left = pieces.iter().map(|piece| piece.len() as u64).sum();
        Self { rest: pieces.into_iter(), left }
    }
}

impl Body for Fragments {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.rest.next();
        if let Some(piece) = &piece {
            self.left -= piece.len() as u64;
        }
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_fragments_are_shared_and_what_is_between_them_is_one_piece() {
        let long: Fragment = "x".repeat(SHORT).into();
        let fragments = ["[", "1", ","].map(Fragment::from);
        let mut body = fragments.to_vec();
        body.extend([long.clone(), ",".into(), long.clone(), "]".into()]);
        let whole = body.concat();
        let pieces = laid_out(body);
        assert_eq!(pieces.concat(), whole.as_bytes());
        let lengths: Vec<_> = pieces.iter().map(Bytes::len).collect();
        assert_eq!(lengths, [3, SHORT, 1, SHORT, 1]);
        assert!([1, 3].iter().all(|at| pieces[*at].as_ptr() == long.as_ptr()));
    }
}
