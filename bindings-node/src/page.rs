//! What the page drivers take from the core.

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]

use napi::bindgen_prelude::Utf16String;
use napi_derive::napi;
use swingbridge_core::browser::{self, PAGE_SCRIPT, PageKind};
use swingbridge_core::json::Text;
use swingbridge_core::limits;

/// The script that a page driver evaluates to read a page and to find its elements again.
#[napi]
pub(crate) fn page_script() -> &'static str {
    PAGE_SCRIPT
}

/// The address of an empty tab, and what is reported of a tab whose page is not shown.
#[napi]
pub(crate) fn blank_address() -> &'static str {
    browser::BLANK_ADDRESS
}

/// Why an address is not opened, in words for the model; null if it may be (B-30).
#[napi(ts_args_type = "url: string")]
pub(crate) fn address_problem(url: Utf16String) -> Option<String> {
    browser::check_address(&Text::from_utf16(&url)).err().map(|fault| fault.to_string())
}

/// What a driver makes of the address that a page is at. `failed` is the browser's own page for an
/// address that did not load (B-32).
#[napi(ts_args_type = "url: string", ts_return_type = "'shown' | 'failed' | 'refused'")]
pub(crate) fn page_kind(url: Utf16String) -> &'static str {
    PageKind::of(&Text::from_utf16(&url)).name()
}

/// A title that may be reported, and whether it was cut (B-30, B-32).
#[napi(ts_args_type = "title: string", ts_return_type = "[title: string, isCut: boolean]")]
pub(crate) fn safe_title(title: Utf16String) -> (String, bool) {
    browser::safe_title(&Text::from_utf16(&title))
}

/// Limits that drivers keep. A range is its least and its most; times are in milliseconds.
#[napi(object)]
#[derive(Debug)]
pub(crate) struct DriverLimits {
    #[napi(ts_type = "[least: number, most: number]")]
    pub page_timeout: (u32, u32),
    #[napi(ts_type = "[least: number, most: number]")]
    pub pause: (u32, u32),
    pub tabs: u32,
    pub frames: u32,
    pub keys: u32,
}

/// The limits that drivers keep.
#[napi]
pub(crate) fn driver_limits() -> DriverLimits {
    DriverLimits {
        page_timeout: limits::PAGE_TIMEOUT_MS,
        pause: limits::PAUSE_MS,
        tabs: limits::TAB_LIMIT,
        frames: limits::FRAME_LIMIT,
        keys: limits::KEY_LIMIT,
    }
}
