//! The client: requests, attempts and what comes of them (N-1, N-2, R-7).

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, HeaderValue, Method};
use reqwest::Response;
use tokio::time::{Instant, sleep};
use url::{Host, Url};

use crate::body::Fragments;
use crate::config::{ClientConfig, ConfigFault, Limits, Timeouts, set_query};
use crate::error::{ClientError, RequestFault};
use crate::reply::{Bounds, Reply, read_body};
use crate::request::Request;
use crate::retry::{Advice, Backoff, Outcome};
use crate::secrets::Secrets;
use crate::service::{ServiceFault, is_error_reply};
use crate::stream::EventStream;
use crate::{attempt, headers, random, tls};

/// What is read of the body of an error, and for how long: its status is known already.
const ERROR_BODY_SIZE: usize = 64 << 10;
const ERROR_BODY_TIME: Duration = Duration::from_secs(10);
const LONGEST_REQUEST_ID: usize = 200;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// Where services say what they call a request, the last one Azure.
const REQUEST_IDS: &[&str] = &["x-request-id", "apim-request-id"];

/// Sends requests to one service. Clones share the connections.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    http: reqwest::Client,
    base_url: Url,
    headers: HeaderMap,
    secrets: Secrets,
    /// Whether the default headers say that no idempotency key is sent.
    withholds_key: bool,
    timeouts: Timeouts,
    limits: Limits,
    max_retries: u32,
    backoff: Backoff,
}

impl Client {
    /// Connects to nothing yet and needs no runtime.
    pub fn new(config: ClientConfig) -> Result<Self, ConfigFault> {
        let base_url = config.read_base_url()?;
        let headers = headers::of_client(&config)?;
        let secrets = Secrets::new(config.api_key, &config.default_headers, &base_url);
        let withheld = headers::is_withheld(&config.default_headers, &headers::IDEMPOTENCY_KEY);
        let withholds_key = withheld.unwrap_or(false);
        let mut http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::configuration(&config.extra_roots)?)
            // A redirect could carry the key to another host.
            .redirect(reqwest::redirect::Policy::none())
            // Attempts are counted here, in one place.
            .retry(reqwest::retry::never())
            .connect_timeout(config.timeouts.connect)
            .referer(false);
        // A proxy is for what is elsewhere: this machine's own services are not asked through one.
        if !config.uses_proxies || is_this_machine(&base_url) {
            http = http.no_proxy();
        }
        Ok(Self(Arc::new(Inner {
            http: http.build().map_err(|_| ConfigFault::SetupFailed)?,
            base_url,
            headers,
            secrets,
            withholds_key,
            timeouts: config.timeouts,
            limits: config.limits,
            max_retries: config.max_retries,
            backoff: config.backoff,
        })))
    }

    /// Sends a request and reads the whole reply. Dropping the future closes the socket.
    pub async fn send(&self, request: Request) -> Result<Reply, ClientError> {
        let prepared = self.prepare(&request)?;
        let secrets = self.secrets(&request);
        let (mut response, deadline) = self.begin(&request, prepared, &secrets).await?;
        let (idle, size) = (self.idle_time(&request), self.0.limits.reply);
        let body = read_body(&mut response, Bounds { deadline, idle, size }).await?;
        // Some servers begin their text with a mark that is no JSON.
        let body = if body.starts_with(BYTE_ORDER_MARK) {
            body.slice(BYTE_ORDER_MARK.len()..)
        } else {
            body
        };
        let bare = bare_fault(&response, &secrets);
        if body.len() <= ERROR_BODY_SIZE && is_error_reply(&body) {
            let mut fault = bare;
            fault.fill(&body, &secrets);
            return Err(ClientError::Reply(Box::new(fault)));
        }
        Ok(Reply { status: bare.status, request_id: bare.request_id, body })
    }

    /// Sends a request and hands over the stream once it has begun; from there on nothing is tried
    /// again.
    pub async fn open_stream(&self, request: Request) -> Result<EventStream, ClientError> {
        let mut prepared = self.prepare(&request)?;
        headers::want_events(&mut prepared.headers);
        let secrets = self.secrets(&request);
        let (response, _) = self.begin(&request, prepared, &secrets).await?;
        if !headers::is_event_stream(response.headers()) {
            return Err(ClientError::NotAStream);
        }
        let fault = bare_fault(&response, &secrets);
        let (idle, limit) = (self.idle_time(&request), self.0.limits.event);
        Ok(EventStream::new(response, fault, secrets, idle, limit))
    }

    fn withholds_key(&self, request: &Request) -> bool {
        let said = headers::is_withheld(&request.headers, &headers::IDEMPOTENCY_KEY);
        said.unwrap_or(self.0.withholds_key)
    }

    fn idle_time(&self, request: &Request) -> Duration {
        request.idle.unwrap_or(self.0.timeouts.idle)
    }

    fn prepare(&self, request: &Request) -> Result<Prepared, ClientError> {
        let mut url = self.0.base_url.clone();
        let path = request.path.trim_matches('/');
        let leads_out = path.split('/').any(is_dots);
        if path.is_empty() || leads_out {
            return Err(ClientError::Request(RequestFault::Path));
        }
        url.set_path(&format!("{}/{path}", url.path().trim_end_matches('/')));
        set_query(&mut url, &request.query);
        let mut headers = self.0.headers.clone();
        headers::set(&mut headers, &request.headers)
            .ok_or(ClientError::Request(RequestFault::Header))?;
        // One key for all attempts, so that a service that saw an earlier one knows the request.
        if let Some(key) = &request.idempotency_key {
            let key = HeaderValue::try_from(key)
                .map_err(|_| ClientError::Request(RequestFault::Header))?;
            headers.insert(headers::IDEMPOTENCY_KEY, key);
        } else if !headers.contains_key(headers::IDEMPOTENCY_KEY) && !self.withholds_key(request) {
            let key = HeaderValue::try_from(random::idempotency_key()?)
                .map_err(|_| ClientError::Request(RequestFault::Header))?;
            headers.insert(headers::IDEMPOTENCY_KEY, key);
        }
        // Nothing to send would go out without a length, which some servers refuse.
        if request.body.iter().all(Bytes::is_empty) {
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        Ok(Prepared { url, headers })
    }

    /// Attempts until one has success or none is left. Gives the end of the attempt's time as well.
    async fn begin(
        &self,
        request: &Request,
        prepared: Prepared,
        secrets: &Secrets,
    ) -> Result<(Response, Instant), ClientError> {
        let time = request.timeout.unwrap_or(self.0.timeouts.request);
        let max = request.max_retries.unwrap_or(self.0.max_retries);
        let mut retries = 0;
        loop {
            let deadline = deadline_after(time);
            let message = prepared.message(request);
            let (outcome, fault) = match attempt::send(&self.0.http, message, deadline).await {
                Ok(response) if response.status().is_success() => return Ok((response, deadline)),
                Ok(response) => {
                    let outcome = outcome_of(&response);
                    (outcome, self.read_fault(response, deadline, secrets).await)
                }
                Err(fault) if attempt::is_unanswered(&fault) => (Outcome::Unanswered, fault),
                Err(fault) => return Err(fault),
            };
            match self.0.backoff.wait(outcome, retries, max, random::luck()?) {
                Some(wait) => sleep(wait).await,
                None => return Err(fault),
            }
            retries += 1;
        }
    }

    /// The status is the fault; what the body adds is welcome and not needed.
    async fn read_fault(
        &self,
        mut response: Response,
        deadline: Instant,
        secrets: &Secrets,
    ) -> ClientError {
        let mut fault = bare_fault(&response, secrets);
        let bounds = Bounds {
            deadline: deadline.min(deadline_after(ERROR_BODY_TIME)),
            idle: self.0.timeouts.idle,
            size: ERROR_BODY_SIZE,
        };
        if let Ok(body) = read_body(&mut response, bounds).await {
            fault.fill(&body, secrets);
        }
        ClientError::of_status(fault)
    }

    fn secrets(&self, request: &Request) -> Secrets {
        self.0.secrets.with(&request.headers, &request.query)
    }
}

/// What the head of an answer says.
fn bare_fault(response: &Response, secrets: &Secrets) -> ServiceFault {
    let headers = response.headers();
    let id = REQUEST_IDS.iter().find_map(|name| headers.get(*name));
    let id = id
        .and_then(|id| id.to_str().ok())
        .filter(|id| (1..=LONGEST_REQUEST_ID).contains(&id.len()));
    let id = id.map(|id| secrets.hide(id.to_owned()));
    ServiceFault::bare(response.status().as_u16(), id)
}

/// What all attempts have in common.
struct Prepared {
    url: Url,
    headers: HeaderMap,
}

impl Prepared {
    fn message(&self, request: &Request) -> reqwest::Request {
        let mut message = reqwest::Request::new(Method::POST, self.url.clone());
        *message.headers_mut() = self.headers.clone();
        *message.body_mut() = Some(reqwest::Body::wrap(Fragments::of(&request.body)));
        message
    }
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// What the parser of addresses takes for `.` or `..`.
fn is_dots(part: &str) -> bool {
    let plain = part.to_ascii_lowercase().replace("%2e", ".");
    part.contains('\\') || plain == "." || plain == ".."
}

fn outcome_of(response: &Response) -> Outcome {
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    Outcome::Status(response.status().as_u16(), Advice::read(header, SystemTime::now()))
}

/// A time that no clock can hold is a year.
pub(crate) fn deadline_after(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or_else(|| now + Duration::from_secs(365 * 24 * 3_600))
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("timeouts", &self.0.timeouts)
            .field("max_retries", &self.0.max_retries)
            .finish_non_exhaustive()
    }
}
