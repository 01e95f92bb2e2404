//! The script that page drivers evaluate to read a page and to find its elements again (D-1).
//!
//! It stands here because both faces' drivers run it: one reading of a page, in every language.

/// One function expression; see `page/open.js` for what it takes and gives.
pub const PAGE_SCRIPT: &str = concat!(
    include_str!("page/open.js"),
    include_str!("page/text.js"),
    include_str!("page/visible.js"),
    include_str!("page/controls.js"),
    include_str!("page/references.js"),
    include_str!("page/reading.js"),
    include_str!("page/search.js"),
    include_str!("page/operations.js"),
);
