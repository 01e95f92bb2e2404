//! The headers of a request: the client's own, then the defaults, then the request's.

use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::config::{Auth, ClientConfig, ConfigFault};
use crate::sensitive::Sensitive;

const AGENT: &str = concat!("swingbridge/", env!("CARGO_PKG_VERSION"));
pub(crate) const API_KEY: HeaderName = HeaderName::from_static("api-key");
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const ORGANIZATION: HeaderName = HeaderName::from_static("openai-organization");
const PROJECT: HeaderName = HeaderName::from_static("openai-project");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

/// They say how the message is laid out, which is the transport's to know.
const FRAMING: &[HeaderName] =
    &[CONNECTION, CONTENT_LENGTH, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// What stands on every request of a client.
pub(crate) fn of_client(config: &ClientConfig) -> Result<HeaderMap, ConfigFault> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(ACCEPT, JSON);
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    if let Some((name, value)) = credentials(config.auth, &config.api_key)? {
        headers.insert(name, value);
    }
    for (name, value) in [(ORGANIZATION, &config.organization), (PROJECT, &config.project)] {
        if let Some(value) = value {
            headers.insert(name, value.parse().map_err(|_| ConfigFault::AccountInvalid)?);
        }
    }
    set(&mut headers, &config.default_headers).ok_or(ConfigFault::HeaderInvalid)?;
    Ok(headers)
}

fn credentials(
    auth: Auth,
    key: &Sensitive<String>,
) -> Result<Option<(HeaderName, HeaderValue)>, ConfigFault> {
    let (name, text) = match auth {
        Auth::None => return Ok(None),
        _ if key.expose().is_empty() => return Err(ConfigFault::ApiKeyMissing),
        Auth::Bearer => (AUTHORIZATION, format!("Bearer {}", key.expose())),
        Auth::ApiKeyHeader => (API_KEY, key.expose().clone()),
    };
    let mut value = HeaderValue::try_from(text).map_err(|_| ConfigFault::ApiKeyInvalid)?;
    value.set_sensitive(true);
    Ok(Some((name, value)))
}

/// A header and its value; without one, the header of this name is not sent.
pub type HeaderChange = (String, Option<String>);

/// Sets headers and takes them away, the last of equal names; `None` if one cannot be sent.
pub(crate) fn set(headers: &mut HeaderMap, given: &[HeaderChange]) -> Option<()> {
    for (name, value) in given {
        let name = HeaderName::try_from(name).ok()?;
        if FRAMING.contains(&name) {
            return None;
        }
        let Some(value) = value else {
            headers.remove(name);
            continue;
        };
        let mut value = HeaderValue::try_from(value).ok()?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Some(())
}

/// Whether the last word about a header takes it away; `None` if nothing is said about it.
pub(crate) fn is_withheld(given: &[HeaderChange], name: &HeaderName) -> Option<bool> {
    let same = |change: &&HeaderChange| change.0.eq_ignore_ascii_case(name.as_str());
    given.iter().rev().find(same).map(|(_, value)| value.is_none())
}

/// A stream is not compressed: that would hold events back on the way.
pub(crate) fn want_events(headers: &mut HeaderMap) {
    headers.insert(ACCEPT, EVENTS);
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
}

pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).is_some_and(|kind| {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("text/event-stream")
    })
}
