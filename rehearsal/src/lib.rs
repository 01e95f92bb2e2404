//! A scripted Responses endpoint for rehearsals (D-8): it answers with the turns of a script, plain
//! and as a stream, and refuses what the real service would refuse. It listens on 127.0.0.1 only.
//!
//! The format of scripts is in `docs/rehearsal.md`.

#![forbid(unsafe_code)]

mod answer;
mod background;
mod body;
pub mod command;
mod events;
mod expect;
mod fields;
mod items;
mod origin;
mod placeholders;
mod response;
mod script;
mod server;
mod session;
mod signals;
mod teller;
mod transcript;
mod turn;
mod yaml;
mod yaml_bounds;

pub use background::Background;
pub use fields::{Problem, ScriptFault};
pub use script::Script;
pub use server::{Listener, Options, Server};
pub use session::Seen;
pub use transcript::create as create_transcript;
