//! Which attempts are made again, and with what (N-2, R-7).

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use support::{Server, answer, request, soon};
use swingbridge_client::{Backoff, Client, ClientError, ConnectionFault};

const BUSY: &str =
    r#"{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}"#;

#[tokio::test]
async fn a_storm_passes_and_every_attempt_is_the_same_request() {
    let storm = vec![
        answer(429, "retry-after: 30\r\n", BUSY),
        answer(500, "retry-after-ms: 40000\r\n", "oops"),
        answer(503, "retry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n", ""),
        answer(409, "", BUSY),
        answer(408, "", BUSY),
        answer(200, "", "{\"ok\":1}"),
    ];
    let mut server = Server::answering(storm).await;
    let mut request = request("{\"a\":1}");
    request.max_retries = Some(5);
    let reply = server.client().send(request).await.expect("a reply");
    assert_eq!(reply.body, "{\"ok\":1}");
    let heard = server.rest();
    assert_eq!(heard.len(), 6);
    let same: BTreeSet<_> = heard.iter().map(|heard| (&heard.head, &heard.body)).collect();
    assert_eq!(same.len(), 1, "one key and one body in all attempts");
    assert_eq!(server.connections(), 1, "the answers were read to their ends");
}

#[tokio::test]
async fn the_last_answer_of_a_storm_is_the_fault() {
    let storm = vec![answer(500, "", "oops"), answer(502, "", "oops"), answer(429, "", BUSY)];
    let mut server = Server::answering(storm).await;
    let fault = server.client().send(request("{}")).await.expect_err("a fault");
    assert_eq!(fault.code(), "rate_limited");
    assert_eq!(fault.service().and_then(|said| said.message.as_deref()), Some("slow down"));
    assert_eq!(server.rest().len(), 3, "two retries are the default");
}

#[tokio::test]
async fn none_is_made_where_none_may_be() {
    for (bytes, retries, code) in [
        (answer(400, "", ""), 5, "bad_request"),
        (answer(429, "x-should-retry: false\r\n", ""), 5, "rate_limited"),
        (answer(500, "", ""), 0, "server_failed"),
    ] {
        let mut server = Server::answering(vec![bytes]).await;
        let mut request = request("{}");
        request.max_retries = Some(retries);
        let fault = server.client().send(request).await.expect_err("a fault");
        assert_eq!(fault.code(), code);
        assert_eq!(server.rest().len(), 1, "{code}");
    }
}

#[tokio::test]
async fn a_service_may_ask_for_another_attempt() {
    let bytes = vec![answer(400, "x-should-retry: true\r\n", ""), answer(200, "", "{}")];
    let mut server = Server::answering(bytes).await;
    server.client().send(request("{}")).await.expect("a reply");
    assert_eq!(server.rest().len(), 2);
}

#[tokio::test]
async fn a_connection_that_breaks_before_an_answer_is_tried_again() {
    for breaks in ["reset", "close", "part of a head"] {
        let mut server = Server::start(move |mut wire| async move {
            wire.hear().await;
            match (wire.index, breaks) {
                (2, _) => wire.say(answer(200, "connection: close\r\n", "{}")).await,
                (_, "reset") => wire.reset(),
                (_, "close") => {}
                _ => wire.say("HTTP/1.1 200 O").await,
            }
        })
        .await;
        server.client().send(request("{}")).await.expect("a reply");
        let keys: BTreeSet<_> = server
            .rest()
            .iter()
            .map(|heard| heard.header("idempotency-key").expect("a key").to_owned())
            .collect();
        assert_eq!((server.connections(), keys.len()), (3, 1), "{breaks}");
    }
}

#[tokio::test]
async fn a_connection_that_keeps_breaking_is_a_fault() {
    let mut server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.reset();
    })
    .await;
    let fault = server.client().send(request("{}")).await.expect_err("a fault");
    assert_eq!(fault, ClientError::Connection(ConnectionFault::LostBefore));
    assert_eq!(server.rest().len(), 3);
}

#[tokio::test]
async fn a_stream_is_tried_again_only_before_it_has_begun() {
    let chunk = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n\
        9\r\ndata: 1\n\n\r\n";
    let mut server = Server::start(move |mut wire| async move {
        wire.hear().await;
        if wire.index == 0 {
            wire.say(answer(503, "connection: close\r\n", "")).await;
        } else {
            wire.say(chunk).await;
        }
    })
    .await;
    let mut stream = server.client().open_stream(request("{}")).await.expect("a stream");
    assert_eq!(soon(stream.next()).await.expect("an event").expect("an event").data, "1");
    let lost = ClientError::Connection(ConnectionFault::LostWithin);
    assert_eq!(soon(stream.next()).await, Err(lost));
    assert_eq!(soon(stream.next()).await, Ok(None), "after the fault nothing comes");
    assert_eq!(server.rest().len(), 2);
}

/// A service that is slow to answer may be at work; a second request would be a second piece of work.
#[tokio::test]
async fn an_answer_that_is_late_is_not_asked_for_again() {
    let mut server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.watch().await;
    })
    .await;
    let mut request = request("{}");
    request.timeout = Some(Duration::from_millis(50));
    let fault = server.client().send(request).await.expect_err("a fault");
    assert_eq!(fault.code(), "request_timeout");
    assert_eq!(server.connections(), 1);
    server.closed().await;
}

#[tokio::test]
async fn giving_up_ends_a_wait() {
    let mut server = Server::answering(vec![answer(503, "retry-after: 3600\r\n", "")]).await;
    let mut config = server.config();
    let hour = Duration::from_secs(3_600);
    config.backoff = Backoff { first: hour, longest: hour, longest_asked: hour };
    let client = Client::new(config).expect("a client");
    let ended = Arc::new(AtomicBool::new(false));
    let task = tokio::spawn({
        let ended = ended.clone();
        async move {
            let outcome = client.send(request("{}")).await;
            ended.store(true, Ordering::SeqCst);
            outcome
        }
    });
    server.heard().await;
    task.abort();
    assert!(soon(task).await.expect_err("it was given up").is_cancelled());
    assert!(!ended.load(Ordering::SeqCst));
}
