//! What the page drivers take from the core.

use napi_derive::napi;
use swingbridge_core::browser::PAGE_SCRIPT;

/// The script that a page driver evaluates to read a page and to find its elements again.
#[napi]
pub(crate) fn page_script() -> &'static str {
    PAGE_SCRIPT
}
