//! Who may ask. Any page of the web can send requests to 127.0.0.1, and with a name that it has made to
//! point there it could read what is answered. A browser says in the header `Origin` of each POST whose
//! page asks; programs send no such header.

use std::net::IpAddr;

use hyper::HeaderMap;
use hyper::header::ORIGIN;
use hyper::http::Uri;

/// Whether the request is none of a page from elsewhere.
pub(crate) fn is_local(headers: &HeaderMap) -> bool {
    headers.get_all(ORIGIN).iter().all(|origin| {
        let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
        let host = origin.as_ref().filter(|origin| origin.scheme().is_some()).and_then(Uri::host);
        host.is_some_and(is_this_machine)
    })
}

fn is_this_machine(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(origins: &[&str]) -> bool {
        let headers = origins.iter().map(|origin| (ORIGIN, origin.parse().expect("a value")));
        is_local(&headers.collect())
    }

    #[test]
    fn pages_of_this_machine_may_ask() {
        assert!(local(&[]));
        for origin in [
            "http://localhost:3000",
            "https://app.localhost",
            "http://127.0.0.1",
            "http://[::1]:80",
        ] {
            assert!(local(&[origin]), "{origin}");
        }
    }

    #[test]
    fn pages_from_elsewhere_may_not() {
        for origin in [
            "",
            "null",
            "localhost",
            "http://evil.example",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://notlocalhost",
            "http://192.168.0.1",
            "file://",
        ] {
            assert!(!local(&[origin]), "{origin}");
        }
        assert!(!local(&["http://localhost", "http://evil.example"]));
    }
}
