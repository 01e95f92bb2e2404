//! The URL of a tab, cut to what may be reported (B-32).
//!
//! One WHATWG parser decides what an address means. On top of it the raw text must already say
//! what the parser understood: an address that is only accepted after repairs (missing slashes,
//! backslashes, shortened or octal IPv4, escapes in the host) could read as another host to a
//! person or to a policy, so it is refused where the vectors show that either package does.

use std::borrow::Cow;

use url::{Host, Url};

use crate::json::Text;

/// The largest reported URL.
pub(crate) const URL_BYTES: usize = 2_048;
const LABEL_BYTES: usize = 63;

/// The reported URL of a tab without observation metadata: an origin, `about:blank`, or the scheme.
pub(crate) fn report_legacy(text: &Text<'_>) -> Option<String> {
    // As in both hosts' URL parsers.
    let raw = text.lossy();
    if raw == "about:blank" {
        return Some(raw.into_owned());
    }
    let url = Url::parse(&raw).ok()?;
    let reported = if is_web(&url) {
        let stripped = strip(&raw);
        let authority = Authority::split(&stripped)?;
        authority.is_plain_legacy(&url).then(|| origin(&url))??
    } else {
        format!("{}:", url.scheme())
    };
    within_limit(reported)
}

/// The reported URL of a tab with observation metadata: an origin or `about:blank`, nothing else.
pub(crate) fn report_observed(text: &Text<'_>) -> Option<String> {
    let raw = text.as_str()?;
    if raw == "about:blank" {
        return Some(raw.to_owned());
    }
    let url = Url::parse(raw).ok().filter(is_web)?;
    let authority = Authority::split(raw)?;
    authority.is_plain_observed(&url).then(|| origin(&url))?.and_then(within_limit)
}

pub(super) fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

fn within_limit(reported: String) -> Option<String> {
    (reported.len() <= URL_BYTES).then_some(reported)
}

/// `scheme://host[:port]`, without credentials, path, query and fragment.
fn origin(url: &Url) -> Option<String> {
    let host = url.host_str().filter(|host| !has_long_idn_label(host))?;
    let mut origin = [url.scheme(), "://", host].concat();
    if let Some(port) = url.port() {
        origin.push(':');
        origin.push_str(&port.to_string());
    }
    Some(origin)
}

/// Whether a label in other than ASCII letters is longer than the name system allows once it is
/// written in ASCII; the WHATWG parser lets it pass.
fn has_long_idn_label(host: &str) -> bool {
    host.split('.').any(|label| label.starts_with("xn--") && label.len() > LABEL_BYTES)
}

/// Removes what the WHATWG parser removes before it looks at a legacy address.
fn strip(raw: &str) -> Cow<'_, str> {
    const REMOVED: [char; 3] = ['\t', '\n', '\r'];
    let trimmed = raw.trim_matches(|c: char| c <= ' ');
    if trimmed.contains(REMOVED) {
        Cow::Owned(trimmed.replace(REMOVED, ""))
    } else {
        Cow::Borrowed(trimmed)
    }
}

/// The part of the raw text between the two slashes and the path; `None` if it is missing or empty.
pub(super) fn authority(raw: &str) -> Option<&str> {
    let (_, rest) = raw.split_once(':')?;
    let rest = rest.strip_prefix("//")?;
    rest.split(['/', '?', '#']).next().filter(|whole| !whole.is_empty())
}

/// The part of the raw text before the path, in pieces.
struct Authority<'a> {
    scheme: &'a str,
    whole: &'a str,
    user: &'a str,
    host: &'a str,
}

impl<'a> Authority<'a> {
    fn split(raw: &'a str) -> Option<Self> {
        let (scheme, _) = raw.split_once(':')?;
        let whole = authority(raw)?;
        let (user, host_port) = whole.rsplit_once('@').unwrap_or(("", whole));
        let host = match host_port.strip_prefix('[') {
            Some(_) => &host_port[..=host_port.find(']')?],
            None => host_port.split(':').next()?,
        };
        Some(Self { scheme, whole, user, host })
    }

    fn is_plain_legacy(&self, url: &Url) -> bool {
        // Brackets in the user part read as an IPv6 host to a splitting parser.
        if self.user.contains(['[', ']']) {
            return false;
        }
        match url.host() {
            // A leading zero means octal to one parser and decimal to another.
            Some(Host::Ipv4(_)) => !self.has_leading_zero(),
            _ => true,
        }
    }

    fn has_leading_zero(&self) -> bool {
        self.host.split('.').any(|part| {
            part.len() > 1 && part.starts_with('0') && !part[1..].starts_with(['x', 'X'])
        })
    }

    fn is_plain_observed(&self, url: &Url) -> bool {
        let is_repaired = |c: char| c <= ' ' || c == '\u{7f}' || c == '\\';
        if self.scheme.contains(is_repaired) || self.whole.contains(is_repaired) {
            return false;
        }
        match url.host() {
            Some(Host::Ipv4(address)) => self.host == address.to_string(),
            Some(Host::Ipv6(_)) => true,
            Some(Host::Domain(domain)) => !self.host.contains('%') && is_host_name(domain),
            None => false,
        }
    }
}

/// Labels of letters, digits, inner hyphens and inner underscores; one final dot is allowed.
fn is_host_name(domain: &str) -> bool {
    domain.strip_suffix('.').unwrap_or(domain).split('.').all(|label| {
        let inner = label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        let edges = [label.bytes().next(), label.bytes().next_back()];
        inner && edges.iter().all(|edge| edge.is_some_and(|b| b.is_ascii_alphanumeric()))
    })
}
