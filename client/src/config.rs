//! What a client is made of: where it sends, as whom, and how long it waits (N-1).

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use thiserror::Error;
use url::Url;

use crate::codes::codes;
use crate::headers::HeaderChange;
use crate::retry::Backoff;
use crate::sensitive::Sensitive;

const BASE_URL: &str = "https://api.openai.com/v1";
const API_VERSION: &str = "api-version";

/// How the key is shown to the service.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Auth {
    /// `Authorization: Bearer …`
    #[default]
    Bearer,
    /// `api-key: …`, as Azure wants it.
    ApiKeyHeader,
    /// Nothing: a server of one's own may ask for no key.
    None,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Timeouts {
    /// Until a connection stands.
    pub connect: Duration,
    /// From the start of one attempt to the end of its reply, or to the beginning of its stream.
    pub request: Duration,
    /// Between two portions of bytes of a reply or a stream. A model may think for minutes.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let ten_minutes = Duration::from_secs(600);
        Self { connect: Duration::from_secs(5), request: ten_minutes, idle: ten_minutes }
    }
}

/// How many bytes the client holds for one answer of a service.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// A whole reply, after decompression.
    pub reply: usize,
    /// One event of a stream; the last one repeats the whole response.
    pub event: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { reply: 512 << 20, event: 256 << 20 }
    }
}

/// What [`Client::new`](crate::Client::new) takes.
#[derive(Clone)]
#[non_exhaustive]
pub struct ClientConfig {
    pub api_key: Sensitive<String>,
    pub auth: Auth,
    pub base_url: String,
    pub organization: Option<String>,
    pub project: Option<String>,
    pub timeouts: Timeouts,
    pub limits: Limits,
    pub max_retries: u32,
    pub backoff: Backoff,
    /// Stand on every request; a header of the same name on the request itself wins. One without a
    /// value takes away what the client sends by itself.
    pub default_headers: Vec<HeaderChange>,
    /// Stands in every address, for example `api-version`; the query of a request wins.
    pub default_query: Vec<(String, String)>,
    /// Whether `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` count.
    pub uses_proxies: bool,
    /// Certificates (DER) that are trusted besides those of the system.
    pub extra_roots: Vec<Bytes>,
}

/// What a caller gave; the environment fills the rest.
#[derive(Clone, Default)]
pub struct Given {
    pub api_key: Option<Sensitive<String>>,
    /// Without it a bearer, or the header of Azure if there is an `api_version`.
    pub auth: Option<Auth>,
    pub base_url: Option<String>,
    pub organization: Option<String>,
    pub project: Option<String>,
    /// Stands in every address as `api-version`, as Azure wants it.
    pub api_version: Option<String>,
}

/// What is wrong with a configuration. Never shows a value.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum ConfigFault {
    #[error("no API key is given and OPENAI_API_KEY is not set")]
    ApiKeyMissing,
    #[error("the API key has characters that a header cannot carry, such as a line end")]
    ApiKeyInvalid,
    #[error("base_url is not an http or https address")]
    BaseUrlInvalid,
    #[error("base_url has a user name or a password; give the key as api_key or in a header")]
    BaseUrlCredentials,
    #[error("organization or project has characters that a header cannot carry")]
    AccountInvalid,
    #[error(
        "a default header has a name or a value that cannot be sent, or is set by the client itself"
    )]
    HeaderInvalid,
    #[error("an extra root certificate cannot be read")]
    RootInvalid,
    #[error("TLS or the connections could not be set up")]
    SetupFailed,
}

codes! {
    ConfigFault {
        Self::ApiKeyMissing => "api_key_missing",
        Self::ApiKeyInvalid => "api_key_invalid",
        Self::BaseUrlInvalid => "base_url_invalid",
        Self::BaseUrlCredentials => "base_url_credentials",
        Self::AccountInvalid => "account_invalid",
        Self::HeaderInvalid => "default_header_invalid",
        Self::RootInvalid => "root_certificate_invalid",
        Self::SetupFailed => "client_setup_failed",
    }
}

impl ClientConfig {
    /// The defaults for the service itself.
    pub fn new(api_key: impl Into<Sensitive<String>>) -> Self {
        Self {
            api_key: api_key.into(),
            auth: Auth::default(),
            base_url: BASE_URL.to_owned(),
            organization: None,
            project: None,
            timeouts: Timeouts::default(),
            limits: Limits::default(),
            max_retries: 2,
            backoff: Backoff::default(),
            default_headers: Vec::new(),
            default_query: Vec::new(),
            uses_proxies: true,
            extra_roots: Vec::new(),
        }
    }

    /// What is given, and for the rest the variables `OPENAI_API_KEY`, `OPENAI_BASE_URL`,
    /// `OPENAI_ORG_ID` and `OPENAI_PROJECT_ID` as `get` reads them. An empty one counts as not set.
    pub fn from_env(
        given: Given,
        get: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigFault> {
        let set = |name: &str| get(name).filter(|value| !value.trim().is_empty());
        let usual = if given.api_version.is_some() { Auth::ApiKeyHeader } else { Auth::Bearer };
        let auth = given.auth.unwrap_or(usual);
        let api_key = match given.api_key.or_else(|| set("OPENAI_API_KEY").map(Sensitive::new)) {
            Some(key) if !key.expose().trim().is_empty() => key,
            _ if auth == Auth::None => Sensitive::default(),
            _ => return Err(ConfigFault::ApiKeyMissing),
        };
        let mut config = Self::new(api_key);
        config.auth = auth;
        if let Some(base_url) = given.base_url.or_else(|| set("OPENAI_BASE_URL")) {
            config.base_url = base_url;
        }
        config.organization = given.organization.or_else(|| set("OPENAI_ORG_ID"));
        config.project = given.project.or_else(|| set("OPENAI_PROJECT_ID"));
        let version = given.api_version.map(|version| (API_VERSION.to_owned(), version));
        config.default_query.extend(version);
        Ok(config)
    }

    /// The scheme, the host and the port of `base_url`, which alone hold no secret; empty if it is no
    /// address.
    pub fn origin(&self) -> String {
        let url = Url::parse(self.base_url.trim());
        url.map(|url| url.origin().ascii_serialization()).unwrap_or_default()
    }

    /// The address below which all paths stand, with the default query.
    pub(crate) fn read_base_url(&self) -> Result<Url, ConfigFault> {
        let text = self.base_url.trim();
        let mut url = Url::parse(text).map_err(|_| ConfigFault::BaseUrlInvalid)?;
        if !is_spelt_out(text)
            || !matches!(url.scheme(), "http" | "https")
            || !url.has_host()
            || url.fragment().is_some()
        {
            return Err(ConfigFault::BaseUrlInvalid);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ConfigFault::BaseUrlCredentials);
        }
        set_query(&mut url, &self.default_query);
        Ok(url)
    }
}

/// Whether the parser has nothing to repair that could name another host than the one a person reads.
fn is_spelt_out(address: &str) -> bool {
    let is_repaired = |c: char| c.is_ascii_control() || c == '\\';
    let after = address.split_once("://").map(|(_, after)| after);
    after.is_some_and(|after| !after.starts_with('/')) && !address.contains(is_repaired)
}

/// Adds to the query, in the place of what has the same names; nothing leaves the address as it is,
/// without a lonely `?`.
pub(crate) fn set_query(url: &mut Url, pairs: &[(String, String)]) {
    if pairs.is_empty() {
        return;
    }
    let is_new = |name: &str| pairs.iter().any(|(new, _)| new == name);
    if url.query_pairs().any(|(name, _)| is_new(&name)) {
        let kept: Vec<(String, String)> = url
            .query_pairs()
            .filter(|(name, _)| !is_new(name))
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        url.query_pairs_mut().clear().extend_pairs(kept);
    }
    url.query_pairs_mut().extend_pairs(pairs);
}

/// Names without values: a header, a query and an address may hold secrets.
pub(crate) fn names<V>(pairs: &[(String, V)]) -> Vec<&str> {
    pairs.iter().map(|(name, _)| name.as_str()).collect()
}

impl fmt::Debug for ClientConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientConfig")
            .field("auth", &self.auth)
            .field("timeouts", &self.timeouts)
            .field("limits", &self.limits)
            .field("max_retries", &self.max_retries)
            .field("default_headers", &names(&self.default_headers))
            .field("default_query", &names(&self.default_query))
            .field("uses_proxies", &self.uses_proxies)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Given").field("auth", &self.auth).finish_non_exhaustive()
    }
}
