//! What goes out, and what comes back when all is well (N-1, R-7).

mod support;

use bytes::Bytes;
use support::{KEY, Server, answer, gzip, request, soon};
use swingbridge_client::{Auth, Client, ClientError, Request, RequestFault};

#[tokio::test]
async fn a_reply_comes_back_as_it_is() {
    let body = "{\"id\": \"resp_1\",  \"ü\": 1}";
    let mut server = Server::answering(vec![answer(200, "x-request-id: req_7\r\n", body)]).await;
    let reply = server.client().send(request("{}")).await.expect("a reply");
    assert_eq!((reply.status, reply.request_id.as_deref()), (200, Some("req_7")));
    assert_eq!(reply.body, body);
    let heard = server.heard().await;
    assert_eq!(heard.request_line(), "POST /v1/responses HTTP/1.1");
    assert_eq!(heard.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(heard.header("content-type"), Some("application/json"));
    assert_eq!(heard.header("accept-encoding"), Some("gzip"));
    assert!(heard.header("user-agent").is_some_and(|agent| agent.starts_with("swingbridge/")));
    assert_eq!(heard.header("openai-organization"), None);
}

#[tokio::test]
async fn fragments_leave_unjoined_with_the_length_of_all() {
    let mut server = Server::answering(vec![answer(200, "", "{}")]).await;
    let parts = ["{\"input\":", "", "[1,", "2]", "}", ""].map(Bytes::from);
    let large = Bytes::from(vec![b' '; 3 << 20]);
    let body: Vec<Bytes> = parts.iter().cloned().chain([large]).collect();
    let expected: Vec<u8> = body.concat();
    server.client().send(Request::new("responses", body)).await.expect("a reply");
    let heard = server.heard().await;
    assert_eq!(heard.header("content-length"), Some(expected.len().to_string().as_str()));
    assert_eq!(heard.header("transfer-encoding"), None);
    assert!(heard.body == expected);
}

#[tokio::test]
async fn a_body_without_bytes_has_the_length_none() {
    let mut server = Server::answering(vec![answer(200, "", "{}")]).await;
    server.client().send(Request::new("responses", vec![Bytes::new()])).await.expect("a reply");
    assert_eq!(server.heard().await.header("content-length"), Some("0"));
}

#[tokio::test]
async fn headers_and_queries_add_up_and_the_nearest_wins() {
    let mut server = Server::answering(vec![answer(200, "", "{}")]).await;
    let mut config = server.config();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let header = |name: &str, value: &str| (name.to_owned(), Some(value.to_owned()));
    config.base_url = format!("{}/?tenant=a b", server.url);
    config.organization = Some("org-1".to_owned());
    config.project = Some("proj-1".to_owned());
    config.default_headers = vec![header("X-One", "default"), header("X-Two", "default")];
    config.default_query = vec![pair("api-version", "2025-04-01-preview")];
    let client = Client::new(config).expect("a client");
    let mut request = request("{}");
    request.path = "/responses/resp_1/cancel".to_owned();
    request.headers = vec![header("x-two", "request")];
    request.query = vec![pair("q", "&=ü")];
    client.send(request).await.expect("a reply");
    let heard = server.heard().await;
    assert_eq!(
        heard.request_line(),
        "POST /v1/responses/resp_1/cancel?tenant=a%20b&api-version=2025-04-01-preview&q=%26%3D%C3%BC \
         HTTP/1.1"
    );
    assert_eq!(heard.header("openai-organization"), Some("org-1"));
    assert_eq!(heard.header("openai-project"), Some("proj-1"));
    assert_eq!(heard.header("x-one"), Some("default"));
    assert_eq!(heard.headers("x-two").collect::<Vec<_>>(), ["request"]);
}

#[tokio::test]
async fn the_key_is_shown_in_the_way_of_the_service() {
    let mut server = Server::answering(vec![answer(200, "", "{}")]).await;
    for (auth, bearer, header) in [
        (Auth::Bearer, Some(format!("Bearer {KEY}")), None),
        (Auth::ApiKeyHeader, None, Some(KEY)),
        (Auth::None, None, None),
    ] {
        let mut config = server.config();
        config.auth = auth;
        Client::new(config).expect("a client").send(request("{}")).await.expect("a reply");
        let heard = server.heard().await;
        assert_eq!(heard.header("authorization"), bearer.as_deref());
        assert_eq!(heard.header("api-key"), header);
    }
}

#[tokio::test]
async fn each_request_has_a_key_of_its_own_or_the_given_one() {
    let mut server = Server::answering(vec![answer(200, "", "{}")]).await;
    let client = server.client();
    let mut keys = Vec::new();
    for given in [None, None, Some("step-1")] {
        let mut request = request("{}");
        request.idempotency_key = given.map(str::to_owned);
        client.send(request).await.expect("a reply");
        keys.push(server.heard().await.header("idempotency-key").expect("a key").to_owned());
    }
    assert_ne!(keys[0], keys[1]);
    assert_eq!(keys[0].len(), "swingbridge-".len() + 32);
    assert_eq!(keys[2], "step-1");
}

#[tokio::test]
async fn a_connection_serves_many_requests() {
    let server = Server::answering(vec![answer(200, "", "{}")]).await;
    let client = server.client();
    for _ in 0..5 {
        client.clone().send(request("{}")).await.expect("a reply");
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_byte_order_mark_is_no_part_of_a_reply() {
    let marked = [b"\xEF\xBB\xBF".as_slice(), b"{}"].concat();
    let server = Server::answering(vec![answer(200, "", marked)]).await;
    let reply = server.client().send(request("{}")).await.expect("a reply");
    assert_eq!(reply.body, "{}");
}

#[tokio::test]
async fn a_compressed_reply_is_read() {
    let text = "{\"text\":\"".to_owned() + &"long ".repeat(10_000) + "\"}";
    let packed = answer(200, "content-encoding: gzip\r\n", gzip(text.as_bytes()));
    let server = Server::answering(vec![packed]).await;
    let reply = server.client().send(request("{}")).await.expect("a reply");
    assert!(reply.body == text);
}

#[tokio::test]
async fn chunks_with_trailers_and_interim_answers_are_read() {
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n";
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-end\r\n\r\n\
        3;ext=1\r\n{\"a\r\n4\r\n\":1}\r\n0\r\nx-end: 1\r\n\r\n";
    let server = Server::answering(vec![format!("{interim}{chunked}").into_bytes()]).await;
    let client = server.client();
    for _ in 0..2 {
        let reply = client.send(request("{}")).await.expect("a reply");
        assert_eq!(reply.body, "{\"a\":1}");
    }
    assert_eq!(server.connections(), 1, "after trailers the connection is in step");
}

#[tokio::test]
async fn many_requests_at_once_do_not_mix() {
    let server = Server::start(|mut wire| async move {
        while let Some(heard) = wire.hear().await {
            wire.say(answer(200, "", heard.body)).await;
        }
    })
    .await;
    let client = server.client();
    let tasks: Vec<_> = (0..32)
        .map(|number: u32| {
            let client = client.clone();
            let body = Bytes::from(number.to_string());
            tokio::spawn(async move {
                let reply = client.send(Request::new("responses", vec![body.clone()])).await;
                assert_eq!(reply.expect("a reply").body, body);
            })
        })
        .collect();
    for task in tasks {
        soon(task).await.expect("a reply of its own");
    }
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_before_anything_is() {
    let server = Server::answering(vec![answer(200, "", "{}")]).await;
    let client = server.client();
    let path = |path: &str| Request::new(path, Vec::new());
    for bad in ["", "/", "..", "../v2/x", "a/../../x", "a/%2e%2E/x", "a/.", "a\\..\\b"] {
        let fault = client.send(path(bad)).await.expect_err("a fault");
        assert_eq!(fault, ClientError::Request(RequestFault::Path), "{bad}");
    }
    for (name, value) in [
        ("a b", "c"),
        ("x", "a\r\nb: c"),
        ("Content-Length", "5"),
        ("transfer-encoding", "chunked"),
        ("host", "x"),
    ] {
        let mut request = request("{}");
        request.headers = vec![(name.to_owned(), Some(value.to_owned()))];
        let fault = client.send(request).await.expect_err("a fault");
        assert_eq!(fault, ClientError::Request(RequestFault::Header), "{name}");
    }
    let mut request = request("{}");
    request.idempotency_key = Some("a\nb".to_owned());
    let fault = client.send(request).await.expect_err("a fault");
    assert_eq!(fault, ClientError::Request(RequestFault::Header));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_path_stays_below_the_base_address() {
    let mut server = Server::answering(vec![answer(200, "", "{}")]).await;
    let client = server.client();
    for (path, line) in [
        ("//example.com/x", "POST /v1/example.com/x HTTP/1.1"),
        ("https://example.com/x", "POST /v1/https://example.com/x HTTP/1.1"),
        ("responses?x=1#y", "POST /v1/responses%3Fx=1%23y HTTP/1.1"),
    ] {
        client.send(Request::new(path, Vec::new())).await.expect("a reply");
        assert_eq!(server.heard().await.request_line(), line);
    }
}

/// A client belongs to no runtime: one that was made outside of any serves several in turn.
#[test]
fn a_client_serves_several_runtimes() {
    let runtime =
        || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let serving =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let serving = serving.expect("a runtime");
    let server = serving.block_on(Server::answering(vec![answer(200, "", "{}")]));
    let client = server.client();
    for _ in 0..3 {
        // The runtime of the last connection is gone: the client makes a new one.
        runtime().block_on(soon(client.send(request("{}")))).expect("a reply");
    }
    assert_eq!(server.connections(), 3);
}
