//! Computer calls: native actions and the machine of one call.

mod action;
mod call;
mod mapping;
mod picture;
mod screenshot;

pub use action::{ACTIONS, ActionKind, ActionSpec, ComputerAction};
pub use call::{CheckedCall, ComputerCall, ComputerOptions, ComputerOutput, SafetyCheck};
pub use mapping::{Mapping, MappingFault};
pub use picture::{MAX_PATCHES, MAX_SIDE, PATCH, Picture, PictureFault, fit};
pub use screenshot::Screenshot;
