//! What is sent.

use std::time::Duration;

use bytes::Bytes;
use pyo3::prelude::*;
use swingbridge_client::{HeaderChange, Request, laid_out};
use swingbridge_core::runner::AdmissionError;
use swingbridge_core::wire::Fragment;

use crate::errors;
use crate::json_text::written;

const PATH: &str = "responses";

/// What a call says besides the body, as `swingbridge.call_terms.CallTerms` has it.
#[derive(Clone, FromPyObject)]
pub(crate) struct CallTerms {
    headers: Vec<HeaderChange>,
    query: Vec<(String, String)>,
    /// Seconds.
    request_time: Option<f64>,
    /// Seconds.
    idle_time: Option<f64>,
    max_retries: Option<u32>,
}

/// A request, ready to be sent.
#[pyclass(frozen, module = "swingbridge._core")]
pub(crate) struct NativeRequest {
    pub(crate) request: Request,
    streams: bool,
}

#[pymethods]
impl NativeRequest {
    /// `body` are plain objects. Raises `ConfigurationError` if they have no JSON form.
    #[new]
    #[pyo3(signature = (body: "dict[str, Any]", terms: "object", streams))]
    fn new(body: Bound<'_, PyAny>, terms: CallTerms, streams: bool) -> PyResult<Self> {
        let text =
            written(body).map_err(|fault| errors::admission(AdmissionError::ParamsForm(fault)))?;
        Ok(Self { request: terms.request(vec![Bytes::from(text)]), streams })
    }

    /// Whether it asks for a stream.
    #[getter]
    pub(super) fn streams(&self) -> bool {
        self.streams
    }
}

impl NativeRequest {
    /// A request of a run. Without `retries` it is sent once; `header` stands above those of the
    /// terms.
    pub(crate) fn of_run(
        body: Vec<Fragment>,
        terms: &CallTerms,
        header: Option<(String, String)>,
        retries: bool,
        streams: bool,
    ) -> Self {
        let mut request = terms.request(laid_out(body));
        request.headers.extend(header.map(|(name, key)| (name, Some(key))));
        if !retries {
            request.max_retries = Some(0);
        }
        Self { request, streams }
    }
}

impl CallTerms {
    fn request(&self, body: Vec<Bytes>) -> Request {
        let mut request = Request::new(PATH, body);
        request.headers.clone_from(&self.headers);
        request.query.clone_from(&self.query);
        request.timeout = self.request_time.map(seconds);
        request.idle = self.idle_time.map(seconds);
        request.max_retries = self.max_retries;
        request
    }
}

/// Longer than any clock counts is as long as a clock counts.
pub(crate) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}
