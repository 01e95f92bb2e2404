//! The client of one service.

use std::env;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyType;
use swingbridge_client::{Auth, Client, ClientConfig, Given, HeaderChange, Sensitive, Timeouts};

use super::faults::{self, Fault};
use super::pending::{Done, PendingReply};
use super::per_process::PerProcess;
use super::request::{NativeRequest, seconds};
use super::runtime::Process;
use super::stream::NativeStream;
use crate::errors;
use crate::json_object::{JsonObject, JsonText};

/// What a client is made of, as `swingbridge.client.Settings` has it. What is `None` comes from the
/// environment or is the default.
#[derive(FromPyObject)]
struct Settings {
    api_key: Option<String>,
    auth: Option<String>,
    base_url: Option<String>,
    organization: Option<String>,
    project: Option<String>,
    api_version: Option<String>,
    /// Seconds to connect, for a request, and between bytes.
    times: (f64, f64, f64),
    max_retries: u32,
    default_headers: Vec<HeaderChange>,
    default_query: Vec<(String, String)>,
    uses_proxies: bool,
}

impl Settings {
    fn config(self) -> PyResult<ClientConfig> {
        let given = Given {
            api_key: self.api_key.map(Sensitive::new),
            auth: self.auth.map(|auth| match auth.as_str() {
                "api-key" => Auth::ApiKeyHeader,
                "none" => Auth::None,
                _ => Auth::Bearer,
            }),
            base_url: self.base_url,
            organization: self.organization,
            project: self.project,
            api_version: self.api_version,
        };
        let config = ClientConfig::from_env(given, |name| env::var(name).ok());
        let mut config = config.map_err(|fault| faults::configuration(&fault))?;
        let (connect, request, idle) = self.times;
        config.timeouts =
            Timeouts { connect: seconds(connect), request: seconds(request), idle: seconds(idle) };
        config.max_retries = self.max_retries;
        config.default_headers = self.default_headers;
        config.default_query.extend(self.default_query);
        config.uses_proxies = self.uses_proxies;
        Ok(config)
    }
}

/// Sends requests to one service. It holds the key, which nothing shows.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct NativeClient {
    config: ClientConfig,
    /// `None` once it is closed.
    clients: PerProcess<Mutex<Option<Client>>>,
    is_closed: AtomicBool,
    reply_kind: Py<PyType>,
    event_kind: Py<PyType>,
}

#[pymethods]
impl NativeClient {
    /// Replies and events become objects of these classes. Raises `ConfigurationError`.
    #[new]
    #[pyo3(signature = (settings: "object", reply_kind: "type[JsonObject]", event_kind: "type[JsonObject]"))]
    fn new(
        settings: Settings,
        reply_kind: Bound<'_, PyType>,
        event_kind: Bound<'_, PyType>,
    ) -> PyResult<Self> {
        let client = Self {
            config: settings.config()?,
            clients: PerProcess::new(),
            is_closed: AtomicBool::new(false),
            reply_kind: reply_kind.unbind(),
            event_kind: event_kind.unbind(),
        };
        client.client()?;
        Ok(client)
    }

    /// Where it sends, without path and query.
    fn origin(&self) -> String {
        self.config.origin()
    }

    /// Sends a request and waits for the reply, or for the beginning of the stream.
    #[pyo3(signature = (request) -> "Any")]
    fn send<'py>(&self, py: Python<'py>, request: &NativeRequest) -> PyResult<Bound<'py, PyAny>> {
        let work = self.work(request)?;
        let done = Process::current()?.wait(py, work)?;
        self.result(py, done)
    }

    /// Begins to send a request; `wake` is called once, by another thread, when it is over.
    #[pyo3(signature = (request, wake: "object"))]
    fn start(
        slf: Bound<'_, Self>,
        request: &NativeRequest,
        wake: Py<PyAny>,
    ) -> PyResult<PendingReply> {
        let py = slf.py();
        let work = slf.get().work(request)?;
        PendingReply::spawn(py, work, wake, slf.unbind())
    }

    /// Sends nothing any more. Idle connections close once no request under way needs them.
    fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        if let Some(client) = self.clients.get() {
            client.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }

    /// Whether `close` was called.
    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }
}

impl NativeClient {
    fn client(&self) -> PyResult<Client> {
        let client = self.clients.get_or_try_make(|| {
            let client = Client::new(self.config.clone());
            let client = client.map_err(|fault| faults::configuration(&fault))?;
            PyResult::Ok(Mutex::new(Some(client)))
        })?;
        let client = client.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let closed = || errors::closed("the client is closed", "client_closed");
        client.filter(|_| !self.is_closed()).ok_or_else(closed)
    }

    fn work(&self, request: &NativeRequest) -> PyResult<impl Future<Output = Done> + Send + use<>> {
        let (client, streams) = (self.client()?, request.streams());
        let request = request.request.clone();
        Ok(async move {
            if streams {
                Done::Stream(client.open_stream(request).await.map(Box::new))
            } else {
                Done::Reply(client.send(request).await)
            }
        })
    }

    /// What a request came to, as the caller gets it.
    pub(super) fn result<'py>(&self, py: Python<'py>, done: Done) -> PyResult<Bound<'py, PyAny>> {
        match done {
            Done::Reply(reply) => {
                let reply = reply.map_err(|error| faults::raised(py, &error))?;
                let request_id = reply.request_id.clone();
                let text = std::str::from_utf8(&reply.body).ok();
                let text = text.and_then(|text| JsonText::object(text.into()));
                let text = text.ok_or_else(|| Fault::Reply.raised(py))?;
                JsonObject::of_kind(self.reply_kind.bind(py), text, request_id)
            }
            Done::Stream(stream) => {
                let stream = stream.map_err(|error| faults::raised(py, &error))?;
                let stream = NativeStream::new(stream, self.event_kind.clone_ref(py));
                Ok(Bound::new(py, stream)?.into_any())
            }
        }
    }
}
