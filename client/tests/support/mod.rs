//! A server of bytes on 127.0.0.1, so that a test says exactly what goes over the wire and when.

#![allow(dead_code, reason = "each test crate uses its own part of this")]
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that cannot go on fails its test")]

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use swingbridge_client::{Backoff, Client, ClientConfig, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub(crate) const KEY: &str = "sk-hunter2-key";

/// What is waited for comes, or the test fails; nothing depends on how long it takes.
pub(crate) async fn soon<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("it comes")
}

pub(crate) struct Server {
    pub(crate) url: String,
    accepted: Arc<AtomicUsize>,
    heard: UnboundedReceiver<Heard>,
    closed: UnboundedReceiver<usize>,
}

/// A request as it came.
#[derive(Clone)]
pub(crate) struct Heard {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct Wire {
    pub(crate) stream: TcpStream,
    /// The number of the connection, from 0.
    pub(crate) index: usize,
    buffer: Vec<u8>,
    heard: UnboundedSender<Heard>,
    closed: UnboundedSender<usize>,
}

impl Server {
    /// Serves each connection as the function says.
    pub(crate) async fn start<F, S>(serve: F) -> Self
    where
        F: Fn(Wire) -> S + Send + 'static,
        S: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let accepted = Arc::new(AtomicUsize::new(0));
        let (heard_tx, heard) = unbounded_channel();
        let (closed_tx, closed) = unbounded_channel();
        let count = accepted.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let index = count.fetch_add(1, Ordering::SeqCst);
                let (heard, closed) = (heard_tx.clone(), closed_tx.clone());
                tokio::spawn(serve(Wire { stream, index, buffer: Vec::new(), heard, closed }));
            }
        });
        Self { url, accepted, heard, closed }
    }

    /// Answers the requests, on whatever connections they come, with these bytes in turn; the last
    /// ones again and again.
    pub(crate) async fn answering(answers: Vec<Vec<u8>>) -> Self {
        let next = Arc::new(AtomicUsize::new(0));
        Self::start(move |mut wire| {
            let (answers, next) = (answers.clone(), next.clone());
            async move {
                while wire.hear().await.is_some() {
                    let turn = next.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1);
                    wire.say(&answers[turn]).await;
                }
            }
        })
        .await
    }

    pub(crate) fn connections(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    pub(crate) async fn heard(&mut self) -> Heard {
        soon(self.heard.recv()).await.expect("a request")
    }

    /// The requests that have come and were not asked for yet.
    pub(crate) fn rest(&mut self) -> Vec<Heard> {
        std::iter::from_fn(|| self.heard.try_recv().ok()).collect()
    }

    /// Waits until the client has closed a connection that the server watches.
    pub(crate) async fn closed(&mut self) {
        soon(self.closed.recv()).await.expect("a connection");
    }

    pub(crate) fn config(&self) -> ClientConfig {
        let mut config = ClientConfig::new(KEY);
        config.base_url.clone_from(&self.url);
        config.uses_proxies = false;
        config.backoff = quick();
        config
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.config()).expect("a client")
    }
}

/// Waits of no length that would be felt.
pub(crate) fn quick() -> Backoff {
    let tiny = Duration::from_millis(1);
    Backoff { first: tiny, longest: tiny, longest_asked: tiny }
}

impl Wire {
    /// The next request, whole; `None` when the client has closed.
    pub(crate) async fn hear(&mut self) -> Option<Heard> {
        let end = loop {
            if let Some(at) = self.buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break at + 4;
            }
            self.more().await?;
        };
        let text = String::from_utf8(self.buffer[..end].to_vec()).expect("a head");
        let mut heard = Heard { head: text, body: Vec::new() };
        let size: usize = heard.header("content-length").map_or(0, |n| n.parse().expect("a size"));
        while self.buffer.len() < end + size {
            self.more().await?;
        }
        heard.body = self.buffer[end..end + size].to_vec();
        self.buffer.drain(..end + size);
        let _ = self.heard.send(heard.clone());
        Some(heard)
    }

    async fn more(&mut self) -> Option<()> {
        match self.stream.read_buf(&mut self.buffer).await {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(()),
        }
    }

    pub(crate) async fn say(&mut self, bytes: impl AsRef<[u8]>) {
        // A client that has gone away does not listen.
        let _ = self.stream.write_all(bytes.as_ref()).await;
        let _ = self.stream.flush().await;
    }

    /// Waits until the client closes, and says so.
    pub(crate) async fn watch(mut self) {
        while self.more().await.is_some() {}
        let _ = self.closed.send(self.index);
    }

    /// Ends the connection with a reset.
    pub(crate) fn reset(self) {
        self.stream.set_zero_linger().expect("an option");
    }
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers(name).next()
    }

    pub(crate) fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        self.head.lines().filter_map(move |line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn request_line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }
}

/// An answer with its length.
pub(crate) fn answer(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut bytes =
        format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n{headers}\r\n", body.len())
            .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// The head of a stream whose end is the end of the connection.
pub(crate) const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
    x-request-id: req_1\r\nconnection: close\r\n\r\n";

pub(crate) fn request(body: &'static str) -> Request {
    Request::new("responses", vec![Bytes::from_static(body.as_bytes())])
}

pub(crate) fn gzip(data: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).expect("memory");
    encoder.finish().expect("memory")
}
