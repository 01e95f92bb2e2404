//! TLS with certificates of one's own, and HTTP/2 over it (N-1).

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

mod support;

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use support::{Server, answer, request, soon};
use swingbridge_client::{Client, ClientConfig, ClientError, ConnectionFault, Request};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// Says what version it was asked in and sends the body back.
async fn echo(
    request: hyper::Request<hyper::body::Incoming>,
) -> Result<hyper::Response<Full<Bytes>>, Infallible> {
    let version = format!("{:?}", request.version());
    let length = request.headers().get("content-length").cloned();
    let body = request.into_body().collect().await.expect("a body").to_bytes();
    let mut response = hyper::Response::new(Full::new(body));
    response.headers_mut().insert("x-request-id", version.parse().expect("a header"));
    response.headers_mut().extend([(hyper::header::ETAG, length.expect("a length"))]);
    Ok(response)
}

/// The address of a server that speaks the protocol, and its certificate.
async fn serve(protocol: &'static [u8]) -> (String, Bytes) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).expect("a key");
    let mut tls =
        ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .expect("a certificate");
    tls.alpn_protocols = vec![protocol.to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                let io = TokioIo::new(stream);
                let echo = service_fn(echo);
                if protocol == b"h2" {
                    let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                    let _ = http.serve_connection(io, echo).await;
                } else {
                    let http = hyper::server::conn::http1::Builder::new();
                    let _ = http.serve_connection(io, echo).await;
                }
            });
        }
    });
    (format!("https://localhost:{port}/v1"), Bytes::copy_from_slice(cert.der()))
}

fn config(url: &str) -> ClientConfig {
    let mut config = ClientConfig::new("sk");
    url.clone_into(&mut config.base_url);
    config.uses_proxies = false;
    config.backoff = support::quick();
    config
}

#[tokio::test]
async fn both_versions_are_spoken_over_tls() {
    for (protocol, version) in [(&b"h2"[..], "HTTP/2.0"), (b"http/1.1", "HTTP/1.1")] {
        let (url, root) = serve(protocol).await;
        let mut config = config(&url);
        config.extra_roots = vec![root];
        let client = Client::new(config).expect("a client");
        let large = Bytes::from(vec![b'x'; 1 << 20]);
        let body = vec![Bytes::from_static(b"["), large, Bytes::from_static(b"]")];
        let expected = body.concat();
        let reply = soon(client.send(Request::new("responses", body))).await.expect("a reply");
        assert_eq!(reply.request_id.as_deref(), Some(version));
        assert!(reply.body == expected);
    }
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    let (url, _) = serve(b"http/1.1").await;
    let fault = Client::new(config(&url)).expect("a client").send(request("{}")).await;
    assert_eq!(fault, Err(ClientError::Connection(ConnectionFault::Tls)));
}

#[tokio::test]
async fn a_server_without_tls_is_refused() {
    let server = Server::start(|mut wire| async move {
        wire.say(answer(200, "", "{}")).await;
        wire.watch().await;
    })
    .await;
    let url = server.url.replace("http://", "https://");
    let fault = Client::new(config(&url)).expect("a client").send(request("{}")).await;
    assert_eq!(fault, Err(ClientError::Connection(ConnectionFault::Tls)));
}
