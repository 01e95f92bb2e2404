//! A client at a rehearsal, and the loop that a run is.

#![allow(dead_code, reason = "each test crate uses its own part of this")]
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that cannot go on fails its test")]

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use swingbridge_client::{Backoff, Client, ClientConfig, ClientError, Request};
use swingbridge_rehearsal::{Options, Script, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(crate) async fn start(script: &str) -> Server {
    start_with(script, Options::default()).await
}

pub(crate) async fn start_with(script: &str, options: Options) -> Server {
    let script = Script::from_yaml(script).expect("a script");
    Server::start(script, options).await.expect("a server")
}

pub(crate) fn client(server: &Server) -> Client {
    client_with(server, "any")
}

pub(crate) fn client_with(server: &Server, key: &str) -> Client {
    let mut config = ClientConfig::new(key);
    config.base_url = server.url();
    config.uses_proxies = false;
    let tiny = Duration::from_millis(1);
    config.backoff = Backoff { first: tiny, longest: tiny, longest_asked: tiny };
    Client::new(config).expect("a client")
}

pub(crate) fn request(body: &Value) -> Request {
    Request::new("responses", vec![body.to_string().into()])
}

pub(crate) fn asking(text: &str) -> Value {
    json!({"model": "m", "input": [{"role": "user", "content": text}]})
}

pub(crate) async fn send(client: &Client, body: &Value) -> Result<Value, ClientError> {
    let reply = client.send(request(body)).await?;
    Ok(serde_json::from_slice(&reply.body).expect("JSON"))
}

/// The events of a stream, and the fault that it ended with.
pub(crate) async fn stream(client: &Client, body: &Value) -> (Vec<Value>, Option<ClientError>) {
    let mut body = body.clone();
    body["stream"] = true.into();
    let mut stream = client.open_stream(request(&body)).await.expect("a stream");
    let mut events = Vec::new();
    loop {
        match stream.next().await {
            Ok(Some(event)) => {
                let value: Value = serde_json::from_str(&event.data).expect("JSON");
                assert_eq!(event.event.as_deref(), value["type"].as_str());
                events.push(value);
            }
            Ok(None) => return (events, None),
            Err(fault) => return (events, Some(fault)),
        }
    }
}

/// Appends what a response brought and an output for each of its calls.
pub(crate) fn go_on(body: &mut Value, response: &Value, output: &str) {
    let input = body["input"].as_array_mut().expect("a list");
    let items = response["output"].as_array().expect("a list");
    input.extend(items.iter().cloned());
    for item in items.iter().filter(|item| item["type"] == "function_call") {
        input.push(json!({
            "type": "function_call_output", "call_id": item["call_id"], "output": output,
        }));
    }
}

pub(crate) fn said(fault: &ClientError) -> (u16, String, Option<String>) {
    let said = fault.service().expect("a status");
    (said.status, said.message.clone().expect("a message"), said.code.clone())
}

/// Sends bytes and reads until the server closes.
pub(crate) async fn raw(server: &Server, request: &str) -> String {
    let address = server.url()[7..].trim_end_matches("/v1").to_owned();
    let mut stream = TcpStream::connect(address).await.expect("a server");
    stream.write_all(request.as_bytes()).await.expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    answer
}

/// A transcript in memory.
#[derive(Clone, Default)]
pub(crate) struct Record(Arc<Mutex<Vec<u8>>>);

impl Record {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("a lock").clone()).expect("text")
    }

    pub(crate) fn options(&self) -> Options {
        Options { transcript: Some(Box::new(self.clone())), ..Options::default() }
    }
}

impl Write for Record {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Write::write(&mut *self.0.lock().expect("a lock"), bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
