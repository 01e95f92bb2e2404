//! Addresses of a page driver: what may be opened, and which pages may be shown (B-30, B-32).
//!
//! The same WHATWG parser judges both, and every reported URL (see `url.rs`). A driver passes on
//! what it was asked to open and where a page is, and decides nothing: two languages' own parsers
//! do not agree about hostile addresses.

use thiserror::Error;
use url::{ParseError, Url};

use super::url::{authority, is_web, report_observed};
use crate::json::Text;
use crate::json::text::is_space;

/// The address of an empty tab, and what is reported of a tab whose page is not shown.
pub const BLANK_ADDRESS: &str = "about:blank";

/// Why an address is not opened, in words for the model. It ends no call and reaches no caller, so
/// it has no code.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum AddressFault {
    #[error("Only absolute http and https addresses and about:blank can be opened.")]
    Unsupported,
    #[error("The address is malformed.")]
    Malformed,
    #[error("An address must name a host, without a user name or password.")]
    NoPlainHost,
}

/// Whether a driver may open an address.
///
/// Besides what the parser refuses, nothing is opened that a policy may have read as another host
/// than the one that the browser would contact: white space, controls and backslashes, which the
/// parser removes or turns round, missing slashes, user names, and unpaired surrogates, which are
/// replaced on the way to the browser.
pub fn check_address(address: &Text<'_>) -> Result<(), AddressFault> {
    let raw = address.as_str().ok_or(AddressFault::Malformed)?;
    if raw == BLANK_ADDRESS {
        return Ok(());
    }
    if raw.contains(is_repaired) {
        return Err(AddressFault::Unsupported);
    }
    let authority = authority(raw).ok_or(AddressFault::Unsupported)?;
    let url = Url::parse(raw).map_err(|error| match error {
        ParseError::EmptyHost => AddressFault::NoPlainHost,
        ParseError::RelativeUrlWithoutBase => AddressFault::Unsupported,
        _ => AddressFault::Malformed,
    })?;
    if !is_web(&url) {
        return Err(AddressFault::Unsupported);
    }
    if authority.contains('@') { Err(AddressFault::NoPlainHost) } else { Ok(()) }
}

fn is_repaired(c: char) -> bool {
    is_space(c) || c.is_control() || c == '\\'
}

/// What a driver makes of the address that a page is at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PageKind {
    /// It is read, reported and acted upon.
    Shown,
    /// The browser's own page for an address that did not load.
    Failed,
    /// It stays out of sight: the model sees a blank tab.
    Refused,
}

impl PageKind {
    /// A page is shown if its address can be reported: one report with another address would be
    /// refused as a whole.
    pub fn of(address: &Text<'_>) -> Self {
        if report_observed(address).is_some() {
            return Self::Shown;
        }
        let url = address.as_str().and_then(|raw| Url::parse(raw).ok());
        match url {
            Some(url) if url.scheme() == "chrome-error" => Self::Failed,
            _ => Self::Refused,
        }
    }

    /// Its name in every language.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}

// What is opened and shown is in `conformance/addresses.json`; here is what a file cannot hold.
#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str) -> Result<(), AddressFault> {
        check_address(&Text::from(raw))
    }

    #[test]
    fn unpaired_surrogates_are_malformed_wherever_they_stand() {
        for before in ["", "http://a", "http://a/", "http://a/?", "http://a/#"] {
            let units: Vec<u16> = before.encode_utf16().chain([0xd800]).collect();
            let address = Text::from_utf16(&units);
            assert_eq!(check_address(&address), Err(AddressFault::Malformed), "{before}");
            assert_eq!(PageKind::of(&address), PageKind::Refused, "{before}");
        }
    }

    #[test]
    fn the_size_of_an_address_does_not_matter() {
        const LENGTH: usize = 1 << 17;
        let long = |before: &str, piece: &str| [before, &piece.repeat(LENGTH)].concat();
        assert_eq!(check(&long("http://a/", "b")), Ok(()));
        assert_eq!(check(&long("http://a/?", "é")), Ok(()));
        assert_eq!(check(&long("http://", "a@")), Err(AddressFault::NoPlainHost));
        assert_eq!(check(&long("http://a", " ")), Err(AddressFault::Unsupported));
        assert_eq!(check(&long("", "http:")), Err(AddressFault::Unsupported));
        assert_eq!(check(&long("http://", "[")), Err(AddressFault::Malformed));
        // The parts of the parser that look at a host label by label, and at labels letter by letter.
        for piece in ["é", "é.", "xn--a.", "%61", "0.", "-"] {
            check(&long("http://", piece)).unwrap_or_default();
        }
        assert_eq!(PageKind::of(&Text::from(long("data:text/html,", "a"))), PageKind::Refused);
        assert_eq!(PageKind::of(&Text::from(long("http://a/", "b"))), PageKind::Shown);
    }
}
