//! What services of other makers do otherwise: addresses, headers, errors, streams (N-1, N-2).

mod support;

use support::{KEY, STREAM, Server, answer, request, soon};
use swingbridge_client::{
    Auth, Client, ClientConfig, ClientError, Given, HeaderChange, ServiceFault,
};

fn change(name: &str, value: Option<&str>) -> HeaderChange {
    (name.to_owned(), value.map(str::to_owned))
}

fn said(fault: &ClientError) -> &ServiceFault {
    #[expect(clippy::expect_used, reason = "a helper that cannot go on fails its test")]
    fault.service().expect("what the service said")
}

#[tokio::test]
async fn the_path_stands_below_the_base_address_of_each() {
    let mut server = Server::answering(vec![answer(200, "", "{}")]).await;
    let root = server.url.trim_end_matches("/v1").to_owned();
    for (base, path) in [
        ("", "/responses"),
        ("/", "/responses"),
        ("/v1", "/v1/responses"),
        ("/v1/", "/v1/responses"),
        ("/api/v1", "/api/v1/responses"),
        ("/openai/v1/", "/openai/v1/responses"),
        (
            "/openai?api-version=2025-03-01-preview",
            "/openai/responses?api-version=2025-03-01-preview",
        ),
        ("/openai/deployments/d?api-version=1", "/openai/deployments/d/responses?api-version=1"),
    ] {
        let mut config = server.config();
        config.base_url = format!("{root}{base}");
        Client::new(config).expect("a client").send(request("{}")).await.expect("a reply");
        assert_eq!(server.heard().await.request_line(), format!("POST {path} HTTP/1.1"), "{base}");
    }
}

#[tokio::test]
async fn a_query_wins_over_the_one_before() {
    let mut server = Server::answering(vec![answer(200, "", "{}")]).await;
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut config = server.config();
    config.base_url = format!("{}?api-version=1&keep=a%20b", server.url);
    config.default_query = vec![pair("api-version", "2"), pair("many", "1"), pair("many", "2")];
    let client = Client::new(config).expect("a client");
    let mut request = request("{}");
    client.send(request.clone()).await.expect("a reply");
    request.query = vec![pair("api-version", "3")];
    client.send(request).await.expect("a reply");
    let line = |query| format!("POST /v1/responses?{query} HTTP/1.1");
    let first = line("keep=a+b&api-version=2&many=1&many=2");
    assert_eq!(server.heard().await.request_line(), first);
    let second = line("keep=a+b&many=1&many=2&api-version=3");
    assert_eq!(server.heard().await.request_line(), second);
}

#[test]
fn an_api_version_shows_the_key_as_azure_wants_it() {
    let given = |auth, version: Option<&str>| {
        let api_version = version.map(str::to_owned);
        let given = Given { api_key: Some(KEY.into()), auth, api_version, ..Given::default() };
        let config = ClientConfig::from_env(given, |_| None).expect("a configuration");
        (config.auth, config.default_query)
    };
    let query = vec![("api-version".to_owned(), "preview".to_owned())];
    assert_eq!(given(None, None), (Auth::Bearer, Vec::new()));
    assert_eq!(given(None, Some("preview")), (Auth::ApiKeyHeader, query.clone()));
    assert_eq!(given(Some(Auth::Bearer), Some("preview")), (Auth::Bearer, query));
}

#[tokio::test]
async fn a_header_without_a_value_takes_one_away() {
    let mut server = Server::answering(vec![answer(200, "", "{}")]).await;
    let mut config = server.config();
    config.organization = Some("org".to_owned());
    config.default_headers = vec![
        change("x-one", Some("1")),
        change("X-Two", Some("2")),
        change("OpenAI-Organization", None),
        change("idempotency-key", None),
        change("x-absent", None),
    ];
    let client = Client::new(config).expect("a client");
    let mut request = request("{}");
    client.send(request.clone()).await.expect("a reply");
    request.headers = vec![
        change("x-two", None),
        change("authorization", None),
        change("Idempotency-Key", Some("given")),
    ];
    client.send(request).await.expect("a reply");
    let names = ["x-one", "x-two", "openai-organization", "idempotency-key", "authorization"];
    let bearer = format!("Bearer {KEY}");
    let heard = server.heard().await;
    assert_eq!(
        names.map(|name| heard.header(name)),
        [Some("1"), Some("2"), None, None, Some(bearer.as_str())]
    );
    let heard = server.heard().await;
    assert_eq!(names.map(|name| heard.header(name)), [Some("1"), None, None, Some("given"), None]);
}

#[tokio::test]
async fn an_error_with_a_status_of_success_is_no_response() {
    let error = r#"{"error":{"code":502,"message":"the provider failed","metadata":{"raw":"x"}}}"#;
    let failed =
        r#"{"id":"r","object":"response","status":"failed","error":{"code":"server_error"}}"#;
    let answers = [error, failed].map(|body| answer(200, "x-request-id: req_1\r\n", body));
    let mut server = Server::answering(answers.to_vec()).await;
    let client = server.client();
    let fault = client.send(request("{}")).await.expect_err("a fault");
    assert_eq!((fault.code(), said(&fault).status), ("reply_is_error", 200));
    assert_eq!(said(&fault).code.as_deref(), Some("502"));
    assert_eq!(said(&fault).message.as_deref(), Some("the provider failed"));
    assert_eq!(said(&fault).request_id.as_deref(), Some("req_1"));
    let reply = client.send(request("{}")).await.expect("a response that failed is a response");
    assert_eq!(reply.body, failed.as_bytes());
    assert_eq!(server.rest().len(), 2, "an answer is not asked for again");
}

#[tokio::test]
async fn what_keeps_a_stream_alive_is_no_event() {
    let text = format!(
        "{STREAM}: OPENROUTER PROCESSING\n\nevent: ping\ndata:\n\n: ping - 2025\n\ndata: {{\"n\":1}}\n\n\
         event: keepalive\ndata: {{\"type\":\"keepalive\"}}\n\ndata: [DONE]\n\n"
    );
    let server = Server::answering(vec![text.into_bytes()]).await;
    let mut stream = server.client().open_stream(request("{}")).await.expect("a stream");
    let mut seen = Vec::new();
    while let Some(event) = soon(stream.next()).await.expect("no fault") {
        seen.push(event.data);
    }
    assert_eq!(seen, [r#"{"n":1}"#, r#"{"type":"keepalive"}"#]);
}

#[tokio::test]
async fn an_error_in_the_place_of_an_event_is_a_fault() {
    for (event, code) in [
        (r#"data: {"error":{"message":"no","code":500}}"#, Some("500")),
        (r#"data: {"error":"no"}"#, None),
        (
            r#"data: {"object":"error","message":"no","type":"BadRequestError","code":400}"#,
            Some("400"),
        ),
        ("event: error\ndata: {\"message\":\"no\",\"code\":\"c\"}", Some("c")),
    ] {
        let text = format!("{STREAM}data: {{\"n\":1}}\n\n{event}\n\ndata: {{\"n\":2}}\n\n");
        let server = Server::answering(vec![text.into_bytes()]).await;
        let mut stream = server.client().open_stream(request("{}")).await.expect("a stream");
        assert!(soon(stream.next()).await.is_ok_and(|event| event.is_some()));
        let fault = soon(stream.next()).await.expect_err("a fault");
        assert_eq!(
            (fault.code(), said(&fault).code.as_deref()),
            ("stream_failed", code),
            "{event}"
        );
        assert_eq!(said(&fault).message.as_deref(), Some("no"), "{event}");
        assert!(soon(stream.next()).await.is_ok_and(|event| event.is_none()), "and nothing more");
    }
}

/// A service that says back what it heard.
#[tokio::test]
async fn keys_in_headers_and_queries_are_taken_out_of_what_a_service_says() {
    let echo =
        r#"{"error":{"message":"Bearer own-bearer own-token own-query","code":"own-token"}}"#;
    let server = Server::answering(vec![answer(401, "x-request-id: own-bearer\r\n", echo)]).await;
    let mut config = server.config();
    config.default_headers = vec![change("Authorization", Some("Bearer own-bearer"))];
    let mut request = request("{}");
    request.headers = vec![change("x-token", Some("own-token"))];
    request.query = vec![("key".to_owned(), "own-query".to_owned())];
    let client = Client::new(config).expect("a client");
    for streams in [false, true] {
        let fault = if streams {
            client.open_stream(request.clone()).await.map(drop).expect_err("a fault")
        } else {
            client.send(request.clone()).await.map(drop).expect_err("a fault")
        };
        let said = said(&fault);
        assert_eq!(said.message.as_deref(), Some("(hidden) (hidden) (hidden)"));
        assert_eq!(said.code.as_deref(), Some("(hidden)"));
        assert_eq!(said.request_id.as_deref(), Some("(hidden)"));
    }
}
