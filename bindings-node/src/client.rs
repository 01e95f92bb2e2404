//! The native client (N-1, N-2): its settings, and whole replies.

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use napi::Env;
use napi::bindgen_prelude::{Either, External, Function, Object};
use napi_derive::napi;
use swingbridge_client::{Auth, Client, ClientConfig, Given, HeaderChange, Reply, Request};
use swingbridge_core::json::{Json, RawJson};

use crate::convert;
use crate::errors::{Fault, settings_invalid};
use crate::exchange::{Exchange, Failure, promise};

/// The path of all requests, below the base address.
const RESPONSES: &str = "responses";

/// A client and its connections. Shows nothing: its headers have the key.
pub(crate) struct Sender(pub(crate) Client);

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// A whole reply, as it came.
#[napi(object, object_from_js = false)]
pub(crate) struct WholeReply {
    pub body: String,
    pub request_id: Option<String>,
}

/// Makes a client of `settings`, JSON of those that are given: `api_key`, `auth` (`bearer`, `api-key` or
/// `none`), `base_url`, `organization`, `project`, `api_version`, `timeout` (milliseconds), `max_retries`,
/// `trust_env`, and the pairs `headers`, where null takes a header away, and `query`. `variable` reads the
/// environment for the rest. Connects to nothing yet.
#[napi]
pub(crate) fn open_client(
    settings: String,
    variable: Function<'_, String, Option<String>>,
) -> Result<External<Sender>, Fault> {
    let settings = convert::value(&settings);
    let given = Given {
        api_key: text(&settings, "api_key").map(Into::into),
        auth: text(&settings, "auth").map(|auth| match auth.as_str() {
            "api-key" => Auth::ApiKeyHeader,
            "none" => Auth::None,
            _ => Auth::Bearer,
        }),
        base_url: text(&settings, "base_url"),
        organization: text(&settings, "organization"),
        project: text(&settings, "project"),
        api_version: text(&settings, "api_version"),
    };
    let variable = |name: &str| variable.call(name.to_owned()).ok().flatten();
    let mut config =
        ClientConfig::from_env(given, variable).map_err(|fault| settings_invalid(&fault))?;
    if let Some(time) = milliseconds(&settings, "timeout") {
        config.timeouts.request = time;
    }
    if let Some(count) = count(&settings, "max_retries") {
        config.max_retries = count;
    }
    config.uses_proxies = settings.field("trust_env").and_then(Json::as_bool) != Some(false);
    config.default_headers = changes(&settings, "headers");
    config.default_query.extend(pairs(&settings, "query"));
    let client = Client::new(config).map_err(|fault| settings_invalid(&fault))?;
    Ok(External::new(Sender(client)))
}

/// Sends a body of JSON text and resolves with the reply, or with the JSON of what failed. `options` is
/// JSON of what is given of `timeout`, `max_retries`, `idempotency_key`, `headers` and `query`.
#[napi(ts_return_type = "Promise<WholeReply | string>")]
pub(crate) fn send_request<'e>(
    env: &'e Env,
    client: &External<Sender>,
    exchange: &External<Exchange>,
    body: String,
    options: String,
) -> napi::Result<Object<'e>> {
    let client = client.0.clone();
    let request = request(vec![Bytes::from(body)], &options);
    let work = async move { readable(client.send(request).await?) };
    promise(env, exchange, work, |outcome| match outcome {
        Ok(reply) => Either::A(WholeReply {
            body: String::from_utf8_lossy(&reply.body).into_owned(),
            request_id: reply.request_id,
        }),
        Err(failure) => Either::B(failure.text()),
    })
}

/// The reply if it is a JSON object.
pub(crate) fn readable(reply: Reply) -> Result<Reply, Failure> {
    // As in Python: what is no UTF-8 is no JSON.
    let text = std::str::from_utf8(&reply.body).ok();
    match text.and_then(|text| RawJson::parse(text).ok()) {
        Some(raw) if raw.text().starts_with('{') => Ok(reply),
        _ => Err(Failure::ReplyNotJson(reply.request_id)),
    }
}

/// A request with the `options` of `sendRequest`.
pub(crate) fn request(body: Vec<Bytes>, options: &str) -> Request {
    let options = convert::value(options);
    let mut request = Request::new(RESPONSES, body);
    request.timeout = milliseconds(&options, "timeout");
    request.max_retries = count(&options, "max_retries");
    request.idempotency_key = text(&options, "idempotency_key");
    request.headers = changes(&options, "headers");
    request.query = pairs(&options, "query");
    request
}

fn text(fields: &Json<'_>, name: &str) -> Option<String> {
    fields.field(name).and_then(Json::as_str).map(str::to_owned)
}

fn count(fields: &Json<'_>, name: &str) -> Option<u32> {
    fields.field(name).and_then(Json::as_int).and_then(|count| u32::try_from(count).ok())
}

fn milliseconds(fields: &Json<'_>, name: &str) -> Option<Duration> {
    let time = fields.field(name).and_then(Json::as_int)?;
    u64::try_from(time).ok().map(Duration::from_millis)
}

/// The field is a list of pairs of texts.
fn pairs(fields: &Json<'_>, name: &str) -> Vec<(String, String)> {
    changes(fields, name).into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The field is a list of pairs of texts; the second one may be null.
fn changes(fields: &Json<'_>, name: &str) -> Vec<HeaderChange> {
    let list = fields.field(name).and_then(Json::as_list).unwrap_or_default();
    let pair = |pair: &Json<'_>| match pair.as_list()? {
        [name, value] => Some((name.as_str()?.to_owned(), value.as_str().map(str::to_owned))),
        _ => None,
    };
    list.iter().filter_map(pair).collect()
}
