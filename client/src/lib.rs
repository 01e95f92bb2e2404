//! The native client: requests to a Responses endpoint, their retries and their streams (N-1, N-2).
//!
//! It decides nothing about a run: what a request says and what follows from a reply belongs to the
//! core. It brings no runtime either: its futures run on whatever tokio runtime polls them, dropping
//! one closes its socket, and nothing is logged.
//!
//! A body is given as fragments and leaves as such: they are never joined, so that a long history
//! costs no second copy.

#![forbid(unsafe_code)]

mod attempt;
mod body;
mod client;
mod codes;
mod config;
mod error;
mod headers;
mod random;
mod reply;
mod request;
mod retry;
mod secrets;
mod sensitive;
mod service;
mod stream;
mod tls;

pub use body::{Fragments, laid_out};
pub use client::Client;
pub use config::{Auth, ClientConfig, ConfigFault, Given, Limits, Timeouts};
pub use error::{ClientError, ConnectionFault, RequestFault, TimeoutFault};
pub use headers::HeaderChange;
pub use reply::Reply;
pub use request::Request;
pub use retry::{Advice, Backoff, Outcome};
pub use sensitive::Sensitive;
pub use service::ServiceFault;
pub use stream::EventStream;
pub use swingbridge_core::sse::SseEvent as StreamEvent;
