//! The native client: it hands requests to `swingbridge-client`, waits without the interpreter's lock,
//! and gives what came as objects that are read when somebody looks (N-1, N-2, N-4).

mod faults;
mod native_client;
mod pending;
mod per_process;
mod request;
mod runtime;
mod stream;

pub(crate) use native_client::NativeClient;
pub(crate) use pending::PendingReply;
pub(crate) use per_process::Owned;
pub(crate) use request::{CallTerms, NativeRequest};
pub(crate) use runtime::end_requests;
pub(crate) use stream::{NativeStream, PendingEvent};
