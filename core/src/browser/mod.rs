//! Browser calls: the member table and the machine of one call.

mod address;
mod arguments;
mod call;
mod context;
mod file;
mod image;
mod member;
mod output;
mod page;
mod read;
mod schema;
mod selection;
mod state;
mod title;
mod url;

pub use address::{AddressFault, BLANK_ADDRESS, PageKind, check_address};
pub use arguments::{ArgumentFault, Arguments};
pub use call::{ArgumentText, BrowserCall, CallFields, CallStatus};
pub use context::ActionContext;
pub use image::InputImage;
pub(crate) use image::{is_cache_breakpoint, is_image_source};
pub use member::{
    Effect, Field, FieldKind, HELD_KEY_BYTES, HELD_KEYS, MAX_SAFE_INTEGER, MEMBERS, MODIFIERS,
    Member, MemberSpec, PATH_POINTS, REFERENCE_BYTES, ResultKind, VISIBLE_TEXT_BYTES,
};
pub use output::BrowserOutput;
pub use page::PAGE_SCRIPT;
pub use selection::{Selection, SelectionError, SelectionOptions};
pub use state::BrowserState;
pub use title::safe_title;
