//! What goes over the wire.
//!
//! [`Wire`] lays requests out from the text of their items. The rest tells what the service of
//! Responses asks of a request, for a stand-in that answers in its place (D-8): a run keeps these rules
//! by itself; here they are told from the service's side, about any request, so that a client
//! that breaks one hears of it before it meets the real service.

mod fault;
mod input_rules;
mod requests;
mod shapes;
mod tools;

pub use fault::{RequestFault, RequestRule};
pub use input_rules::{ReasoningBonds, check_request};
pub use requests::{Fragment, Kept, Wire, write};
