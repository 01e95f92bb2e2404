//! The output item of a browser call (B-47).

use super::image::InputImage;
use super::state::BrowserState;
use crate::json::{Text, Writer};

/// What goes back to the model for one call.
#[derive(Clone, PartialEq)]
pub struct BrowserOutput {
    pub call_id: String,
    /// The `ok` of the text; false skips the later browser calls of the same response.
    pub ok: bool,
    /// JSON `{ok, state?, result?|error?}`.
    pub text: String,
    pub image: Option<InputImage>,
}

/// What became of a call, before the final state is known.
pub(crate) enum Outcome {
    /// JSON text of the result.
    Result {
        ok: bool,
        json: String,
    },
    Image(InputImage),
    /// Words for the model.
    Error(Text<'static>),
}

impl BrowserOutput {
    pub(crate) fn new(call_id: String, state: Option<&BrowserState>, outcome: Outcome) -> Self {
        let ok = match &outcome {
            Outcome::Result { ok, .. } => *ok,
            Outcome::Image(_) => true,
            Outcome::Error(_) => false,
        };
        let mut out = Writer::with_capacity(128);
        out.object(|payload| {
            payload.field("ok", |out| out.bool(ok));
            if let Some(state) = state {
                payload.field("state", |out| state.write(out));
            }
            match &outcome {
                Outcome::Result { json, .. } => payload.field("result", |out| out.raw(json)),
                Outcome::Error(words) => payload.field("error", |out| out.text(words)),
                Outcome::Image(_) => {}
            }
        });
        let image = match outcome {
            Outcome::Image(image) => Some(image),
            _ => None,
        };
        Self { call_id, ok, text: out.finish(), image }
    }
}

/// Never the content: it is for the model only.
impl std::fmt::Debug for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Result { .. } => "a result",
            Self::Image(_) => "an image",
            Self::Error(_) => "an error",
        })
    }
}

/// Never the text: it holds page content.
impl std::fmt::Debug for BrowserOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BrowserOutput").field("ok", &self.ok).finish_non_exhaustive()
    }
}
