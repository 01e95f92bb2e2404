//! Requests that run beside JavaScript, and the promises of what comes of them.

use std::fmt;
use std::future::Future;
use std::sync::{Mutex, PoisonError};

use napi::Env;
use napi::bindgen_prelude::{External, Object, ToNapiValue};
use napi_derive::napi;
use swingbridge_client::ClientError;
use swingbridge_core::json::Writer;
use tokio::task::AbortHandle;

use crate::runtime::runtime;

/// One request, or one wait for the events of a stream: what an abort ends. Dropped, as at the end of
/// its environment, it ends it too.
#[derive(Default)]
pub(crate) struct Exchange(Mutex<Option<AbortHandle>>);

impl Exchange {
    fn replace(&self, task: Option<AbortHandle>) -> Option<AbortHandle> {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), task)
    }

    /// Ends the work: the future is dropped, which closes its socket.
    fn abort(&self) {
        if let Some(task) = self.replace(None) {
            task.abort();
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.abort();
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").finish_non_exhaustive()
    }
}

/// Begins an exchange that does nothing yet.
#[napi]
pub(crate) fn new_exchange() -> External<Exchange> {
    External::new(Exchange::default())
}

/// Ends what the exchange is at; its promise is resolved with the fault `aborted`.
#[napi]
pub(crate) fn abort_exchange(exchange: &External<Exchange>) {
    exchange.abort();
}

/// Why an exchange gave nothing.
pub(crate) enum Failure {
    Client(ClientError),
    Aborted,
    /// A reply that is no JSON object, with the service's name of the request.
    ReplyNotJson(Option<String>),
    /// An event that is no JSON object.
    EventNotJson(Option<String>),
    /// The system gave no thread to wait on.
    NoThreads,
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl Failure {
    /// JSON of `{code, message}` and what there is of `status`, `request_id`, `service_code`, `type`,
    /// `param` and `said`, which the service wrote.
    pub(crate) fn text(&self) -> String {
        let error = match self {
            Self::Client(error) => error,
            Self::Aborted => return plain("aborted", "the request was aborted", None),
            Self::NoThreads => return plain("no_threads", "the system gave no threads", None),
            Self::ReplyNotJson(id) => {
                return plain("reply_not_json", "the reply is not a JSON object", id.as_deref());
            }
            Self::EventNotJson(id) => {
                let message = "an event of the stream is not a JSON object";
                return plain("event_not_json", message, id.as_deref());
            }
        };
        let mut out = Writer::with_capacity(256);
        out.object(|fields| {
            fields.field("code", |out| out.str(error.code()));
            fields.field("message", |out| out.str(&error.to_string()));
            let Some(service) = error.service() else { return };
            // What has begun with success has no status that tells of the failure.
            if !matches!(error, ClientError::Stream(_) | ClientError::Reply(_)) {
                fields.field("status", |out| out.int(i64::from(service.status)));
            }
            let texts = [
                ("request_id", &service.request_id),
                ("service_code", &service.code),
                ("type", &service.kind),
                ("param", &service.param),
                ("said", &service.message),
            ];
            for (name, text) in texts {
                if let Some(text) = text {
                    fields.field(name, |out| out.str(text));
                }
            }
        });
        out.finish()
    }
}

fn plain(code: &str, message: &str, request_id: Option<&str>) -> String {
    let mut out = Writer::default();
    out.object(|fields| {
        fields.field("code", |out| out.str(code));
        fields.field("message", |out| out.str(message));
        if let Some(id) = request_id {
            fields.field("request_id", |out| out.str(id));
        }
    });
    out.finish()
}

/// Runs `work` until it is over or the exchange is aborted, and gives a promise of what `settle` makes of
/// its outcome, on the thread of JavaScript. An event loop stays alive for as long as such a promise is
/// open, and no longer.
pub(crate) fn promise<'e, T, V>(
    env: &'e Env,
    exchange: &Exchange,
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
    settle: impl FnOnce(Result<T, Failure>) -> V + Send + 'static,
) -> napi::Result<Object<'e>>
where
    T: Send + 'static,
    V: ToNapiValue + 'static,
{
    let (deferred, promise) = env.create_deferred()?;
    let settle = move |outcome| move |_: Env| Ok(settle(outcome));
    let Some(runtime) = runtime() else {
        deferred.resolve(settle(Err(Failure::NoThreads)));
        return Ok(promise);
    };
    let task = runtime.spawn(work);
    drop(exchange.replace(Some(task.abort_handle())));
    runtime.spawn(async move {
        // A task that did not come to its end was aborted.
        deferred.resolve(settle(task.await.unwrap_or(Err(Failure::Aborted))));
    });
    Ok(promise)
}
