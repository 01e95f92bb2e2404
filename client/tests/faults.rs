//! Services and networks that do not do as they should (N-2).

mod support;

use std::time::Duration;

use support::{Server, answer, gzip, request, soon};
use swingbridge_client::{Client, ClientError, ConnectionFault, TimeoutFault};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

const WITHIN: ClientError = ClientError::Connection(ConnectionFault::LostWithin);

#[tokio::test]
async fn every_status_has_its_fault() {
    let body = r#"{"error":{"message":"no","type":"t","param":"input","code":"c"}}"#;
    for (status, code) in [
        (400, "bad_request"),
        (401, "authentication_failed"),
        (403, "permission_denied"),
        (404, "not_found"),
        (409, "conflict"),
        (422, "unprocessable"),
        (429, "rate_limited"),
        (500, "server_failed"),
        (503, "server_failed"),
        (529, "server_failed"),
        (304, "redirected"),
        (408, "status_unexpected"),
        (413, "status_unexpected"),
    ] {
        // A 304 has no body.
        let body = if status == 304 { "" } else { body };
        let server = Server::answering(vec![answer(status, "x-request-id: req_9\r\n", body)]).await;
        let mut request = request("{}");
        request.max_retries = Some(0);
        let fault = server.client().send(request.clone()).await.expect_err("a fault");
        assert_eq!(fault.code(), code, "{status}");
        assert!(fault.to_string().contains(&status.to_string()) || status == 304, "{fault}");
        let said = fault.service().expect("what the service said");
        assert_eq!((said.status, said.request_id.as_deref()), (status, Some("req_9")));
        if !body.is_empty() {
            let texts = [&said.code, &said.kind, &said.param, &said.message];
            assert_eq!(texts.map(Option::as_deref), ["c", "t", "input", "no"].map(Some));
        }
        let streamed = server.client().open_stream(request).await.expect_err("a fault");
        assert_eq!(streamed, fault);
    }
}

/// The status is known before the body, and stays known whatever becomes of it.
#[tokio::test]
async fn a_status_survives_its_body() {
    let head = "HTTP/1.1 400 x\r\ncontent-length: 100\r\n";
    let cut = format!("{head}\r\n{{\"error\"");
    let packed = format!("{head}content-encoding: gzip\r\n\r\nnot gzip");
    let huge = answer(400, "", vec![b' '; 80 << 10]);
    for bytes in [cut.into_bytes(), packed.into_bytes(), huge] {
        let server = Server::start(move |mut wire| {
            let bytes = bytes.clone();
            async move {
                wire.hear().await;
                wire.say(bytes).await;
            }
        })
        .await;
        let fault = server.client().send(request("{}")).await.expect_err("a fault");
        assert_eq!(fault.code(), "bad_request");
        assert_eq!(fault.service().and_then(|said| said.message.as_deref()), None);
    }
}

#[tokio::test]
async fn a_reply_that_breaks_off_is_a_fault() {
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"a\":1}";
    let chunk = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n";
    let garbage = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";
    for (bytes, resets) in
        [(cut, true), (cut, false), (chunk, true), (chunk, false), (garbage, false)]
    {
        let mut server = Server::start(move |mut wire| async move {
            wire.hear().await;
            wire.say(bytes).await;
            if resets {
                wire.reset();
            }
        })
        .await;
        let fault = server.client().send(request("{}")).await.expect_err("a fault");
        // A reset may overtake the bytes that were sent before it; then no answer came, and it was
        // asked for again.
        let before = ClientError::Connection(ConnectionFault::LostBefore);
        assert!(fault == WITHIN || (resets && fault == before), "{fault:?}");
        assert!(
            resets || server.rest().len() == 1,
            "an answer that had begun is not asked for again"
        );
    }
}

#[tokio::test]
async fn a_server_that_closes_its_half_has_ended() {
    let mut server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.say("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\"").await;
        wire.stream.shutdown().await.expect("half a close");
        wire.watch().await;
    })
    .await;
    assert_eq!(server.client().send(request("{}")).await, Err(WITHIN));
    server.closed().await;
}

#[tokio::test]
async fn a_reply_without_a_length_ends_with_its_connection() {
    let server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.say("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"a\":1}").await;
    })
    .await;
    assert_eq!(server.client().send(request("{}")).await.expect("a reply").body, "{\"a\":1}");
}

#[tokio::test]
async fn a_reply_that_stalls_is_given_up() {
    let mut server = Server::start(|mut wire| async move {
        wire.hear().await;
        wire.say("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n").await;
        wire.watch().await;
    })
    .await;
    let mut config = server.config();
    config.timeouts.idle = Duration::from_millis(50);
    let fault = Client::new(config).expect("a client").send(request("{}")).await;
    assert_eq!(fault, Err(ClientError::Timeout(TimeoutFault::Idle)));
    server.closed().await;
}

/// Bytes that trickle in forever, in the head and in the body, keep nobody longer than the request's
/// time.
#[tokio::test]
async fn a_reply_that_trickles_is_given_up() {
    for beginning in
        ["HTTP/1.1 200 OK\r\nx: ", "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n"]
    {
        let mut server = Server::start(move |mut wire| async move {
            wire.hear().await;
            wire.say(beginning).await;
            let mut beat = tokio::time::interval(Duration::from_millis(5));
            while wire.stream.write_all(b" ").await.is_ok() {
                beat.tick().await;
            }
            wire.watch().await;
        })
        .await;
        let mut request = request("{}");
        request.timeout = Some(Duration::from_millis(300));
        request.max_retries = Some(0);
        let fault = server.client().send(request).await;
        assert_eq!(fault, Err(ClientError::Timeout(TimeoutFault::Request)));
        server.closed().await;
    }
}

#[tokio::test]
async fn what_cannot_be_unpacked_is_a_fault() {
    let packed = gzip(&b"{\"text\":\"abcdefgh\"}".repeat(100));
    let broken = [&packed[..packed.len() - 12], b"not gzip at all"];
    for bytes in broken {
        let bytes = answer(200, "content-encoding: gzip\r\n", bytes);
        let server = Server::answering(vec![bytes]).await;
        assert_eq!(server.client().send(request("{}")).await, Err(ClientError::Decode));
    }
}

#[tokio::test]
async fn a_reply_over_the_limit_is_not_kept() {
    let zeros = vec![b'0'; 100_000];
    let plain = answer(200, "", &zeros[..2_000]);
    let packed = answer(200, "content-encoding: gzip\r\n", gzip(&zeros));
    let mut chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7d0\r\n".to_vec();
    chunked.extend_from_slice(&zeros[..2_000]);
    chunked.extend_from_slice(b"\r\n0\r\n\r\n");
    for bytes in [plain, packed, chunked] {
        let server = Server::answering(vec![bytes]).await;
        let mut config = server.config();
        config.limits.reply = 1_999;
        let fault = Client::new(config).expect("a client").send(request("{}")).await;
        assert_eq!(fault, Err(ClientError::ReplyTooLarge));
    }
    let server = Server::answering(vec![answer(200, "", &zeros[..2_000])]).await;
    let mut config = server.config();
    config.limits.reply = 2_000;
    Client::new(config).expect("a client").send(request("{}")).await.expect("it is within");
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_key_stays_here() {
    let elsewhere = Server::answering(vec![answer(200, "", "{}")]).await;
    for status in [301, 302, 303, 307, 308] {
        let to = format!("location: {}/responses\r\n", elsewhere.url);
        let server = Server::answering(vec![answer(status, &to, "")]).await;
        let fault = server.client().send(request("{}")).await.expect_err("a fault");
        assert_eq!(fault.code(), "redirected");
        let shown = format!("{fault} {fault:?}");
        assert!(!shown.contains("127.0.0.1"), "{shown}");
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn a_dropped_future_closes_the_socket() {
    let mut server = Server::start(|mut wire| async move {
        wire.hear().await;
        if wire.index == 1 {
            wire.say("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{").await;
        }
        wire.watch().await;
    })
    .await;
    let client = server.client();
    for _ in 0..2 {
        let client = client.clone();
        let task = tokio::spawn(async move { client.send(request("{}")).await });
        server.heard().await;
        task.abort();
        assert!(soon(task).await.expect_err("it was given up").is_cancelled());
        server.closed().await;
    }
}

#[tokio::test]
async fn an_upload_can_be_given_up() {
    let mut server = Server::start(|wire| async move {
        wire.stream.readable().await.expect("the beginning of a request");
        wire.watch().await;
    })
    .await;
    let client = server.client();
    let mut large = request("{}");
    large.body = vec![bytes::Bytes::from(vec![b' '; 64 << 20]); 16];
    large.timeout = Some(Duration::from_millis(20));
    large.max_retries = Some(0);
    let fault = client.send(large).await;
    assert_eq!(fault, Err(ClientError::Timeout(TimeoutFault::Request)));
    server.closed().await;
}

#[tokio::test]
async fn nobody_there_is_a_fault_of_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    drop(listener);
    let server = Server::answering(vec![answer(200, "", "{}")]).await;
    let mut config = server.config();
    config.base_url = url;
    let fault = Client::new(config.clone()).expect("a client").send(request("{}")).await;
    assert_eq!(fault, Err(ClientError::Connection(ConnectionFault::Refused)));
    config.base_url = "http://no-such-host.invalid/v1".to_owned();
    let fault = Client::new(config).expect("a client").send(request("{}")).await;
    assert_eq!(fault, Err(ClientError::Connection(ConnectionFault::Name)));
}

#[tokio::test]
async fn an_answer_that_is_no_http_is_a_fault() {
    let mut server = Server::answering(vec![b"SSH-2.0-x\r\n\r\n".to_vec()]).await;
    let fault = server.client().send(request("{}")).await;
    assert_eq!(fault, Err(WITHIN));
    assert_eq!(server.rest().len(), 1);
}
