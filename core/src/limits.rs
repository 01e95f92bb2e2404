//! Limits that the drivers of both languages keep (D-1, D-2). A range is `(least, most)`, ends
//! included.

/// How long a caller may let a page driver wait for an action or a navigation, in milliseconds. Not
/// zero: Playwright takes that for "without end".
pub const PAGE_TIMEOUT_MS: (u32, u32) = (1, 60_000);

/// How long a caller may let a computer driver pause, in milliseconds.
pub const PAUSE_MS: (u32, u32) = (0, 30_000);

/// The most tabs. A page opens windows as it likes; a person would not follow more.
pub const TAB_LIMIT: u32 = 32;

/// The most frames of a page that are read, besides the main one.
pub const FRAME_LIMIT: u32 = 32;

/// The most keys that are pressed at once.
pub const KEY_LIMIT: u32 = 16;
