//! Streams of events over real sockets (N-2, N-3).

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use support::{KEY, STREAM, Server, answer, gzip, request, soon};
use swingbridge_client::{
    Client, ClientError, ConnectionFault, EventStream, StreamEvent, TimeoutFault,
};
use tokio::io::AsyncWriteExt;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

async fn rest(stream: &mut EventStream) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    while let Some(event) = soon(stream.next()).await.expect("a whole stream") {
        events.push(event);
    }
    events
}

fn data(events: &[StreamEvent]) -> Vec<&str> {
    events.iter().map(|event| event.data.as_str()).collect()
}

async fn open(server: &Server) -> EventStream {
    server.client().open_stream(request("{}")).await.expect("a stream")
}

#[tokio::test]
async fn events_come_in_order_with_their_names() {
    let text = format!("{STREAM}event: a\ndata: {{\"n\":1}}\n\n: beat\n\ndata: 2\r\n\r\n");
    let mut server = Server::start(move |mut wire| {
        let text = text.clone();
        async move {
            wire.hear().await;
            wire.say(text).await;
        }
    })
    .await;
    let mut stream = open(&server).await;
    assert_eq!(stream.request_id(), Some("req_1"));
    let events = rest(&mut stream).await;
    assert_eq!(data(&events), ["{\"n\":1}", "2"]);
    assert_eq!(events[0].event.as_deref(), Some("a"));
    assert_eq!(events[1].event, None);
    let heard = server.heard().await;
    assert_eq!(heard.header("accept"), Some("text/event-stream"));
    assert_eq!(heard.header("accept-encoding"), Some("identity"));
}

/// Lets a server go on, step by step.
fn gate() -> (UnboundedSender<()>, Arc<Mutex<UnboundedReceiver<()>>>) {
    let (go, gone) = unbounded_channel();
    (go, Arc::new(Mutex::new(gone)))
}

/// Each event is there before the next one is written: nothing waits for a fuller buffer.
#[tokio::test]
async fn an_event_comes_as_soon_as_it_is_whole() {
    let (go, gate) = gate();
    let server = Server::start(move |mut wire| {
        let gate = gate.clone();
        async move {
            wire.hear().await;
            wire.say(STREAM).await;
            for event in ["data: é\n\n", "data: 2\n\n"] {
                for byte in event.as_bytes() {
                    wire.say([*byte]).await;
                }
                gate.lock().await.recv().await;
            }
        }
    })
    .await;
    let mut stream = open(&server).await;
    for expected in ["é", "2"] {
        assert_eq!(soon(stream.next()).await.expect("an event").expect("an event").data, expected);
        go.send(()).expect("the server");
    }
    assert_eq!(soon(stream.next()).await, Ok(None));
}

#[tokio::test]
async fn done_ends_the_stream_and_the_connection_serves_on() {
    let body = "data: 1\n\ndata: [DONE]\n\n";
    let bytes = answer(200, "content-type: text/event-stream\r\n", body);
    let server = Server::answering(vec![bytes]).await;
    let client = server.client();
    let mut stream = client.open_stream(request("{}")).await.expect("a stream");
    assert_eq!(data(&rest(&mut stream).await), ["1"]);
    assert_eq!(soon(stream.next()).await, Ok(None), "and it stays at its end");
    client.open_stream(request("{}")).await.expect("another stream");
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn done_ends_a_stream_that_the_server_keeps_open() {
    let mut server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.say(format!("{STREAM}data: 1\n\ndata: [DONE]\n\ndata: 2\n\n")).await;
        wire.watch().await;
    })
    .await;
    let mut stream = open(&server).await;
    assert_eq!(data(&rest(&mut stream).await), ["1"]);
    server.closed().await;
}

#[tokio::test]
async fn events_that_came_together_need_no_waiting() {
    let server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.say(format!("{STREAM}data: 1\n\ndata: 2\n\n")).await;
    })
    .await;
    let mut stream = open(&server).await;
    assert_eq!(stream.next_ready(), None, "nothing was read yet");
    assert_eq!(soon(stream.next()).await.expect("an event").expect("an event").data, "1");
    assert_eq!(stream.next_ready().expect("it came with the first").data, "2");
    assert_eq!(stream.next_ready(), None);
    assert_eq!(soon(stream.next()).await, Ok(None));
}

#[tokio::test]
async fn an_error_event_is_an_event() {
    let server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.say(format!("{STREAM}event: error\ndata: {{\"type\":\"error\"}}\n\n")).await;
    })
    .await;
    let events = rest(&mut open(&server).await).await;
    assert_eq!(events[0].event.as_deref(), Some("error"));
}

#[tokio::test]
async fn an_error_in_the_place_of_an_event_ends_the_stream() {
    let error =
        "event: error\ndata: {\"error\":{\"code\":\"c\",\"message\":\"bad sk-test-key\"}}\n\n";
    let text = format!("data: {{\"type\":\"a\",\"error\":{{}}}}\n\n{error}data: 2\n\n");
    let server = Server::start(move |mut wire| {
        let text = text.replace("sk-test-key", KEY);
        async move {
            wire.hear().await;
            wire.say(format!("{STREAM}{text}")).await;
        }
    })
    .await;
    let mut stream = open(&server).await;
    assert!(soon(stream.next()).await.is_ok_and(|event| event.is_some()));
    let Err(ClientError::Stream(fault)) = soon(stream.next()).await else { panic!("a fault") };
    assert_eq!(fault.code.as_deref(), Some("c"));
    assert_eq!(fault.message.as_deref(), Some("bad (hidden)"));
    assert_eq!(fault.request_id.as_deref(), Some("req_1"));
    assert_eq!(soon(stream.next()).await, Ok(None));
}

#[tokio::test]
async fn what_is_no_stream_is_refused() {
    for kind in ["", "content-type: application/json\r\n", "content-type: text/event-streams\r\n"] {
        let mut server = Server::answering(vec![answer(200, kind, "data: 1\n\n")]).await;
        let fault = server.client().open_stream(request("{}")).await.expect_err("a fault");
        assert_eq!(fault, ClientError::NotAStream, "{kind}");
        assert_eq!(server.rest().len(), 1);
    }
    let kind = "content-type: Text/Event-Stream;charset=utf-8\r\n";
    let server = Server::answering(vec![answer(200, kind, "data: 1\n\n")]).await;
    assert_eq!(data(&rest(&mut open(&server).await).await), ["1"]);
}

#[tokio::test]
async fn a_compressed_stream_is_read_and_a_truncated_one_is_a_fault() {
    let packed = gzip(&b"data: abcdefgh\n\n".repeat(10));
    let head = "content-type: text/event-stream\r\ncontent-encoding: gzip\r\n";
    let server = Server::answering(vec![answer(200, head, &packed)]).await;
    assert_eq!(rest(&mut open(&server).await).await.len(), 10);
    let server = Server::answering(vec![answer(200, head, &packed[..packed.len() - 9])]).await;
    let mut stream = open(&server).await;
    let fault = loop {
        match soon(stream.next()).await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it was cut"),
            Err(fault) => break fault,
        }
    };
    assert_eq!(fault, ClientError::Decode);
}

#[tokio::test]
async fn chunks_with_trailers_are_read() {
    let text = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n\
        7\r\ndata: 1\r\n2\r\n\n\n\r\n0\r\nx-end: 1\r\n\r\n";
    let server = Server::answering(vec![text.as_bytes().to_vec()]).await;
    assert_eq!(data(&rest(&mut open(&server).await).await), ["1"]);
}

#[tokio::test]
async fn a_stream_that_stalls_is_given_up() {
    let tiny = Duration::from_millis(50);
    let mut server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.say(STREAM).await;
        wire.watch().await;
    })
    .await;
    let mut impatient = server.config();
    impatient.timeouts.idle = tiny;
    let impatient = Client::new(impatient).expect("a client");
    let mut hasty = request("{}");
    hasty.idle = Some(tiny);
    for (client, request) in [(impatient, request("{}")), (server.client(), hasty)] {
        let mut stream = client.open_stream(request).await.expect("a stream");
        assert_eq!(soon(stream.next()).await, Err(ClientError::Timeout(TimeoutFault::Idle)));
        assert_eq!(soon(stream.next()).await, Ok(None));
        server.closed().await;
    }
}

/// Without a length, the end of a connection is all that there is of an end.
async fn half_closed(text: &'static str) -> Server {
    Server::start(move |mut wire| async move {
        wire.hear().await;
        wire.say(format!("{STREAM}{text}")).await;
        wire.stream.shutdown().await.expect("half a close");
        wire.watch().await;
    })
    .await
}

#[tokio::test]
async fn a_half_closed_stream_has_ended() {
    for text in ["data: 1\n\n", "data: 1\n\n: beat", "data: 1\n\ndata: [DONE]"] {
        let mut server = half_closed(text).await;
        assert_eq!(data(&rest(&mut open(&server).await).await), ["1"], "{text:?}");
        server.closed().await;
    }
}

/// Who reads the events would take what is there for all that there was.
#[tokio::test]
async fn a_stream_that_ends_within_an_event_was_lost() {
    let lost = ClientError::Connection(ConnectionFault::LostWithin);
    for text in ["data: 1\n\ndata: 2\n", "data: 1\n\ndata: {\"a", "data: 1\n\nevent: x\nda"] {
        let mut server = half_closed(text).await;
        let mut stream = open(&server).await;
        assert_eq!(soon(stream.next()).await.expect("an event").expect("an event").data, "1");
        assert_eq!(soon(stream.next()).await, Err(lost.clone()), "{text:?}");
        assert_eq!(soon(stream.next()).await, Ok(None));
        server.closed().await;
    }
}

#[tokio::test]
async fn an_event_over_the_limit_ends_the_stream_after_those_before_it() {
    let mut server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.say(format!("{STREAM}data: 1\n\ndata: {}\n\ndata: 3\n\n", "x".repeat(200))).await;
        wire.watch().await;
    })
    .await;
    let mut config = server.config();
    config.limits.event = 100;
    let client = Client::new(config).expect("a client");
    let mut stream = client.open_stream(request("{}")).await.expect("a stream");
    assert_eq!(soon(stream.next()).await.expect("an event").expect("an event").data, "1");
    assert_eq!(soon(stream.next()).await, Err(ClientError::EventTooLarge));
    assert_eq!(soon(stream.next()).await, Ok(None));
    server.closed().await;
}

#[tokio::test]
async fn a_dropped_stream_closes_the_socket() {
    let mut server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.say(format!("{STREAM}data: 1\n\n")).await;
        wire.watch().await;
    })
    .await;
    let mut stream = open(&server).await;
    soon(stream.next()).await.expect("an event").expect("an event");
    drop(stream);
    server.closed().await;
}

/// A `next` that is given up loses nothing: `select!` and timeouts are how callers wait.
#[tokio::test]
async fn a_dropped_next_loses_no_event() {
    let (go, gate) = gate();
    let server = Server::start(move |mut wire| {
        let gate = gate.clone();
        async move {
            wire.hear().await;
            wire.say(format!("{STREAM}data: 1")).await;
            gate.lock().await.recv().await;
            wire.say("\n\ndata: 2\n\n").await;
        }
    })
    .await;
    let mut stream = open(&server).await;
    for _ in 0..3 {
        tokio::select! {
            biased;
            event = stream.next() => panic!("too early: {event:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    go.send(()).expect("the server");
    assert_eq!(data(&rest(&mut stream).await), ["1", "2"]);
}

#[tokio::test]
async fn large_streams_come_whole() {
    let server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.say(STREAM).await;
        for number in 0..20_000 {
            wire.say(format!("event: response.output_text.delta\ndata: {number}\n\n")).await;
        }
    })
    .await;
    let events = rest(&mut open(&server).await).await;
    assert_eq!(events.len(), 20_000);
    assert!(events.iter().enumerate().all(|(number, event)| event.data == number.to_string()));
}
