//! A rehearsal beside a program without a runtime.

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;

use swingbridge_rehearsal::{Background, Options, Script};

fn ask(url: &str) -> String {
    let address = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/v1"));
    let mut stream = TcpStream::connect(address.expect("an address")).expect("a connection");
    let body = r#"{"model":"m","input":"go"}"#;
    let request = format!(
        "POST /v1/responses HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        address.expect("an address"),
        body.len(),
    );
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn it_serves_and_tells_of_each_request() {
    let script = Script::from_yaml("turns: [{ message: one }]").expect("a script");
    let (told, heard) = channel();
    let tell = move |seen: &swingbridge_rehearsal::Seen| {
        told.send((seen.status, seen.refusal.clone())).expect("a listener");
    };
    let options = Options { on_request: Some(Box::new(tell)), ..Options::default() };
    let server = Background::start(script, options).expect("a server");
    let url = server.url();
    assert!(ask(&url).starts_with("HTTP/1.1 200"));
    assert_eq!(server.turns_left(), 0);
    assert!(ask(&url).starts_with("HTTP/1.1 400"));
    assert_eq!(heard.recv().expect("the first"), (200, None));
    let (status, refusal) = heard.recv().expect("the second");
    assert_eq!(status, 400);
    assert_eq!(refusal.as_deref(), Some("all turns of the script were taken"));
    assert_eq!(server.requests()[1].refusal, refusal);
    server.stop().expect("an end");
    let address = url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    assert!(TcpStream::connect(address).is_err(), "the port is given back");
}

#[test]
fn dropping_it_ends_it() {
    let script = Script::from_yaml("turns: [{ message: one }]").expect("a script");
    let server = Background::start(script, Options::default()).expect("a server");
    let address = server.url().replace("http://", "").replace("/v1", "");
    drop(server);
    assert!(TcpStream::connect(address).is_err());
}
