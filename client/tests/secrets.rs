//! Keys, addresses and what was sent stand in no debug text and no error.

mod support;

use std::error::Error;
use std::fmt::Debug;

use bytes::Bytes;
use support::{KEY, STREAM, Server, answer, request, soon};
use swingbridge_client::{
    Client, ClientConfig, ClientError, Given, HeaderChange, Request, Sensitive,
};

const SECRET: &str = "hunter2";

fn assert_silent(what: &str, value: &dyn Debug) {
    for shown in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(!shown.contains(SECRET), "{what}: {shown}");
    }
}

fn assert_silent_fault(what: &str, fault: &ClientError) {
    assert_silent(what, fault);
    let mut next: Option<&dyn Error> = Some(fault);
    while let Some(error) = next {
        assert!(!error.to_string().contains(SECRET), "{what}: {error}");
        next = error.source();
    }
}

fn pair() -> (String, String) {
    ("x-token".to_owned(), SECRET.to_owned())
}

fn change() -> HeaderChange {
    ("x-token".to_owned(), Some(SECRET.to_owned()))
}

#[test]
fn configurations_and_requests_show_names_only() {
    assert!(KEY.contains(SECRET));
    let mut config = ClientConfig::new(KEY);
    config.base_url = format!("https://{SECRET}:{SECRET}@example.com/{SECRET}");
    config.organization = Some(SECRET.to_owned());
    config.project = Some(SECRET.to_owned());
    config.default_headers = vec![change()];
    config.default_query = vec![pair()];
    assert_silent("a configuration", &config);
    assert!(format!("{config:?}").contains("x-token"));
    let fault = Client::new(config.clone()).expect_err("credentials in the address");
    assert_silent("a fault", &fault);
    config.base_url = format!("https://example.com/{SECRET}?{SECRET}");
    assert_silent("a client", &Client::new(config).expect("a client"));
    let given = Given {
        api_key: Some(KEY.into()),
        base_url: Some(SECRET.to_owned()),
        organization: Some(SECRET.to_owned()),
        project: Some(SECRET.to_owned()),
        ..Given::default()
    };
    assert_silent("what is given", &given);
    assert_silent("a key", &Sensitive::new(KEY));
    let mut request = Request::new(SECRET, vec![Bytes::from_static(SECRET.as_bytes())]);
    request.headers = vec![change()];
    request.query = vec![pair()];
    request.idempotency_key = Some(SECRET.to_owned());
    assert_silent("a request", &request);
}

#[tokio::test]
async fn replies_and_streams_show_sizes_only() {
    let server = Server::answering(vec![
        answer(200, "", SECRET),
        format!("{STREAM}event: {SECRET}\ndata: {SECRET}\n\n").into_bytes(),
    ])
    .await;
    let client = server.client();
    assert_silent("a reply", &client.send(request("{}")).await.expect("a reply"));
    let mut stream = client.open_stream(request("{}")).await.expect("a stream");
    assert_silent("a stream", &stream);
    assert_silent("an event", &soon(stream.next()).await.expect("an event"));
}

/// A service that says back what it heard, the key included.
#[tokio::test]
async fn faults_show_nothing_of_a_service_that_echoes() {
    let server = Server::start(|mut wire| async move {
        while let Some(heard) = wire.hear().await {
            let key = heard.header("authorization").expect("a key").replace("Bearer ", "");
            let body = format!(
                r#"{{"error":{{"message":"{key} {SECRET}","type":"{key}","code":"{key}","param":"{SECRET}"}}}}"#
            );
            wire.say(answer(401, &format!("x-request-id: {key}\r\n"), body)).await;
        }
    })
    .await;
    let fault = server.client().send(request("{}")).await.expect_err("a fault");
    assert_silent_fault("a status", &fault);
    let said = fault.service().expect("what the service said");
    assert!(said.message.as_ref().is_some_and(|text| !text.contains(KEY)));
}

#[tokio::test]
async fn faults_of_the_network_show_no_address() {
    let server = Server::start(|mut wire| async move {
        wire.hear().await;
        match wire.index {
            0 => wire.say("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{").await,
            1 => wire.say(SECRET).await,
            _ => wire.reset(),
        }
    })
    .await;
    let client = server.client();
    for _ in 0..3 {
        let mut request = request("{}");
        request.query = vec![pair()];
        request.max_retries = Some(0);
        let fault = client.send(request).await.expect_err("a fault");
        assert_silent_fault("a lost connection", &fault);
    }
    let mut config = server.config();
    config.base_url = format!("http://{SECRET}.invalid/{SECRET}");
    config.max_retries = 0;
    let fault = Client::new(config).expect("a client").send(request("{}")).await;
    assert_silent_fault("a name", &fault.expect_err("a fault"));
}
