//! Proxies from the environment (N-1). A process reads its environment once, so each case is a child.

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

mod support;

use std::process::Command;

use support::{KEY, Server, answer, quick, request};
use swingbridge_client::{Client, ClientConfig};

/// Runs `child` with these variables and no others that name a proxy; whether its request succeeded.
async fn run(variables: &[(&str, String)]) -> bool {
    let mut child = Command::new(std::env::current_exe().expect("this test"));
    child.args(["--exact", "child", "--ignored"]);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        child.env_remove(name).env_remove(name.to_lowercase());
    }
    child.envs(variables.iter().map(|(name, value)| (*name, value)));
    let output = tokio::task::spawn_blocking(move || child.output()).await.expect("a child");
    output.expect("a child").status.success()
}

#[tokio::test]
#[ignore = "the other tests run it, each with an environment of its own"]
async fn child() {
    let mut config = ClientConfig::new(KEY);
    config.base_url = "http://service.invalid/v1".to_owned();
    config.backoff = quick();
    let reply = Client::new(config).expect("a client").send(request("{}")).await;
    assert_eq!(reply.expect("a reply").body, "{}");
}

#[tokio::test]
async fn a_proxy_of_the_environment_is_used() {
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        let mut proxy = Server::answering(vec![answer(200, "", "{}")]).await;
        let address = proxy.url.trim_end_matches("/v1").to_owned();
        assert!(run(&[(variable, address)]).await, "{variable}");
        let heard = proxy.heard().await;
        assert_eq!(heard.request_line(), "POST http://service.invalid/v1/responses HTTP/1.1");
    }
}

#[tokio::test]
async fn hosts_may_be_kept_from_the_proxy() {
    let proxy = Server::answering(vec![answer(200, "", "{}")]).await;
    let address = proxy.url.trim_end_matches("/v1").to_owned();
    let none = ("NO_PROXY", "service.invalid".to_owned());
    assert!(!run(&[("HTTP_PROXY", address), none]).await, "there is no such host");
    assert_eq!(proxy.connections(), 0);
}
