//! What a consent callback is told (B-20, B-22).

use super::arguments::Arguments;
use super::member::Member;
use super::state::BrowserState;
use crate::json::Writer;

/// The action that waits for consent. A binding makes a detached host object of it, so that editing
/// the object changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct ActionContext<'m> {
    pub member: Member,
    pub arguments: &'m Arguments,
    /// What the browser looked like before; `None` while nothing may be read yet.
    pub state: Option<&'m BrowserState>,
    pub call_id: &'m str,
}

impl ActionContext<'_> {
    /// Whether consent is asked before anything is read.
    pub fn is_before_read(&self) -> bool {
        self.state.is_none()
    }

    pub fn write(&self, out: &mut Writer) {
        out.object(|context| {
            if self.is_before_read() {
                context.field("phase", |out| out.str("before_read"));
            }
            context.field("member", |out| out.str(self.member.name()));
            context.field("arguments", |out| self.arguments.write(out));
            context.field("state", |out| match self.state {
                Some(state) => state.write(out),
                None => out.null(),
            });
            context.field("call_id", |out| out.str(self.call_id));
        });
    }
}
