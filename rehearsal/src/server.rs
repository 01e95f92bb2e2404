//! The endpoint: `POST …/responses` on 127.0.0.1.

use std::convert::Infallible;
use std::fmt;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::header::AUTHORIZATION;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use crate::answer::Answered;
use crate::body::Pieces;
use crate::origin;
use crate::script::Script;
use crate::session::{Seen, Session};
use crate::transcript;

/// Is called with each request.
pub type Listener = Box<dyn FnMut(&Seen) + Send>;

/// More than histories with many pictures need.
const LARGEST_BODY: usize = 512 << 20;
const PAUSE: Duration = Duration::from_millis(20);

/// How a server is set up.
pub struct Options {
    /// 0 for any that is free.
    pub port: u16,
    /// The key that requests must show; without it any will do, and none.
    pub api_key: Option<String>,
    /// Where each request and its answer is recorded as a line of JSON.
    pub transcript: Option<Box<dyn Write + Send>>,
    /// Whether [`Server::requests`] has the bodies; they can be large.
    pub keeps_bodies: bool,
    /// Is told of each request, before its answer leaves.
    pub on_request: Option<Listener>,
}

impl Default for Options {
    fn default() -> Self {
        Self { port: 0, api_key: None, transcript: None, keeps_bodies: true, on_request: None }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("port", &self.port)
            .field("keeps_bodies", &self.keeps_bodies)
            .finish_non_exhaustive()
    }
}

/// A server at work. Dropping it ends it.
pub struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    /// Ends the server when it is dropped.
    end: Option<oneshot::Sender<()>>,
    work: JoinHandle<()>,
}

struct State {
    session: Session,
    options: Options,
    seen: Vec<Seen>,
    /// Why a line could not be recorded.
    lost: Option<io::Error>,
}

impl Server {
    /// Listens on 127.0.0.1 and serves on the runtime that this is called in.
    pub async fn start(script: Script, options: Options) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let address = listener.local_addr()?;
        let session = Session::new(script);
        let state = State { session, options, seen: Vec::new(), lost: None };
        let state = Arc::new(Mutex::new(state));
        let (end, ended) = oneshot::channel();
        let work = tokio::spawn(serve(listener, state.clone(), ended));
        Ok(Self { address, state, end: Some(end), work })
    }

    /// The base address for clients.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// All requests so far, the refused ones included.
    pub fn requests(&self) -> Vec<Seen> {
        lock(&self.state).seen.clone()
    }

    /// How many turns of the script, or of its latest pass, were not taken yet.
    pub fn turns_left(&self) -> usize {
        lock(&self.state).session.turns_left()
    }

    /// Ends all connections and gives the port back. Fails if a line of the transcript was lost.
    pub async fn stop(mut self) -> io::Result<()> {
        self.end.take();
        // It ends by itself, and nobody ends it otherwise.
        let _ = (&mut self.work).await;
        lock(&self.state).lost.take().map_or(Ok(()), Err)
    }
}

async fn serve(listener: TcpListener, state: Arc<Mutex<State>>, mut ended: oneshot::Receiver<()>) {
    // Dropping the set at the end ends the connections.
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = &mut ended => break,
            Some(_) = connections.join_next() => continue,
        };
        // A connection that is gone before it was accepted is no reason to end. A lack of descriptors
        // passes when others close.
        let Ok((stream, _)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        let state = state.clone();
        connections.spawn(async move {
            // Events are small and must not wait for each other.
            let _ = stream.set_nodelay(true);
            let service = service_fn(move |request| {
                let state = state.clone();
                async move { Ok::<_, Infallible>(respond(request, &state).await) }
            });
            // A client may leave at any time; that is its own affair.
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
    connections.shutdown().await;
}

async fn respond(request: Request<Incoming>, state: &Mutex<State>) -> Response<Pieces> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    // The body is read in any case, so that the connection can serve on.
    let body = match collect(body).await {
        Ok(body) => body,
        Err(refusal) => return refusal.into_http(),
    };
    let key = header("idempotency-key").map(str::to_owned);
    let shown = header(AUTHORIZATION.as_str())
        .and_then(|value| value.strip_prefix("Bearer "))
        .or_else(|| header("api-key"));
    let answered = {
        let mut state = lock(state);
        let is_welcome = state.options.api_key.as_deref().is_none_or(|key| shown == Some(key));
        let mut answered = if !origin::is_local(&head.headers) {
            let said = "a rehearsal serves programs, and no page from another place";
            Answered::refusal(403, said, None, Some("origin_not_local"))
        } else if !is_welcome {
            let code = Some("invalid_api_key");
            Answered::refusal(401, "the API key is not the one of this rehearsal", None, code)
        } else if !path.ends_with("/responses") {
            Answered::refusal(404, "a rehearsal has only …/responses", None, None)
        } else if head.method != Method::POST {
            Answered::refusal(405, "a rehearsal takes only POST", None, None)
        } else {
            state.session.answer(&body, key.as_deref())
        };
        answered.id = format!("req_{}", state.seen.len() + 1);
        state.record(path, key, body, &answered);
        answered
    };
    sleep(answered.delivery.delay).await;
    answered.into_http()
}

async fn collect(body: Incoming) -> Result<Bytes, Answered> {
    let too_large = || Answered::refusal(413, "a rehearsal takes no body of this size", None, None);
    if body.size_hint().lower() > LARGEST_BODY as u64 {
        return Err(too_large());
    }
    match Limited::new(body, LARGEST_BODY).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(fault) if fault.is::<LengthLimitError>() => Err(too_large()),
        Err(_) => Err(Answered::refusal(400, "the body broke off", None, None)),
    }
}

impl State {
    fn record(&mut self, path: String, key: Option<String>, body: Bytes, answered: &Answered) {
        // A line that was written in part is the last one: what followed it could not be read.
        if self.lost.is_none()
            && let Some(transcript) = &mut self.options.transcript
        {
            let line = transcript::line(&body, answered);
            let written = transcript.write_all(line.as_bytes()).and_then(|()| transcript.flush());
            if let Err(error) = written {
                self.lost = Some(error);
            }
        }
        let body = if self.options.keeps_bodies { body } else { Bytes::new() };
        let (status, turn) = (answered.status, answered.turn);
        let refusal = answered.why_refused();
        let seen = Seen { path, idempotency_key: key, body, status, turn, refusal };
        if let Some(tell) = &mut self.options.on_request {
            tell(&seen);
        }
        self.seen.push(seen);
    }
}

/// A thread that died while it held the state left it as it was between two requests or records.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}
