//! What no error may repeat: services quote the request, and some of them its key.

use std::sync::Arc;

use url::Url;

use crate::headers::{HeaderChange, IDEMPOTENCY_KEY};
use crate::sensitive::Sensitive;

const HIDDEN: &str = "(hidden)";
/// A shorter text guards nothing, such as the key of a server that asks for any; to take it out would
/// garble every word that it stands in.
const SHORTEST: usize = 4;
/// A header or a part of a query with one of these words in its name has a secret.
const WORDS: &[&str] = &[
    "apikey",
    "auth",
    "authorization",
    "code",
    "cookie",
    "credential",
    "key",
    "password",
    "secret",
    "sig",
    "signature",
    "token",
];

/// The key of a client, and the secrets among its headers and in its addresses. Shows none of them.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Arc<[String]>);

impl Secrets {
    pub(crate) fn new(key: Sensitive<String>, headers: &[HeaderChange], url: &Url) -> Self {
        let query = url.query_pairs().into_owned().collect::<Vec<_>>();
        Self::default().adding([key.into_inner()]).with(headers, &query)
    }

    /// With those of one request.
    pub(crate) fn with(&self, headers: &[HeaderChange], query: &[(String, String)]) -> Self {
        let headers = headers.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let query = query.iter().map(|(name, value)| (name, value));
        let values = headers.chain(query).filter(|(name, _)| is_secret(name));
        // What follows `Bearer`, and the whole in case that it is no scheme.
        self.clone().adding(values.flat_map(|(_, value)| {
            let bare = value.split_once(' ').map(|(_, bare)| bare.trim());
            [Some(value.as_str()), bare].into_iter().flatten().map(str::to_owned)
        }))
    }

    fn adding(self, values: impl IntoIterator<Item = String>) -> Self {
        // Around a header's value white space is sent and not read.
        let values = values.into_iter().map(|value| value.trim().to_owned());
        let mut new = values.filter(|value| value.len() >= SHORTEST).peekable();
        if new.peek().is_none() {
            return self;
        }
        let mut all: Vec<String> = self.0.iter().cloned().chain(new).collect();
        // A secret within another one would leave the rest of that one.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        all.dedup();
        Self(all.into())
    }

    /// The text without them.
    pub(crate) fn hide(&self, text: String) -> String {
        self.0.iter().fold(text, |text, secret| {
            if text.contains(secret.as_str()) {
                text.replace(secret.as_str(), HIDDEN)
            } else {
                text
            }
        })
    }
}

fn is_secret(name: &str) -> bool {
    let words = name.split(|mark: char| !mark.is_ascii_alphanumeric());
    !name.eq_ignore_ascii_case(IDEMPOTENCY_KEY.as_str())
        && words.into_iter().any(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(headers: &[(&str, Option<&str>)], query: &[(&str, &str)], text: &str) -> String {
        let own = |text: &str| text.to_owned();
        let headers: Vec<_> =
            headers.iter().map(|(name, value)| (own(name), value.map(own))).collect();
        let query: Vec<_> = query.iter().map(|(name, value)| (own(name), own(value))).collect();
        let url =
            Url::parse("http://127.0.0.1/?sig=from-address&version=1-preview").expect("an address");
        Secrets::new("sk-key".into(), &[], &url).with(&headers, &query).hide(text.to_owned())
    }

    #[test]
    fn keys_of_every_origin_are_taken_out() {
        let headers = [
            ("Authorization", Some("Bearer from-header")),
            ("X-Api-Key", Some("own-key")),
            ("helicone-auth", Some("own-auth")),
            ("api-key", None),
        ];
        let query = [("access_token", "from-query")];
        let text = "sk-key from-header Bearer from-header own-key own-auth from-query from-address";
        assert_eq!(hidden(&headers, &query, text), ["(hidden)"; 7].join(" "));
    }

    #[test]
    fn a_key_is_known_without_the_white_space_around_it() {
        let url = Url::parse("http://127.0.0.1/").expect("an address");
        let secrets = Secrets::new(" sk-key\t".into(), &[], &url);
        assert_eq!(secrets.hide("of sk-key.".to_owned()), "of (hidden).");
    }

    #[test]
    fn what_is_no_secret_stays() {
        let headers = [
            ("X-Title", Some("booking")),
            ("idempotency-key", Some("step-1")),
            ("x-author", Some("Robin")),
            ("x-key", Some("x")),
        ];
        let text = "booking step-1 Robin x 1-preview 2025-01-01";
        assert_eq!(hidden(&headers, &[("api-version", "2025-01-01")], text), text);
    }

    #[test]
    fn a_secret_within_another_leaves_nothing_of_it() {
        let headers = [("x-key", Some("sk-key-2"))];
        assert_eq!(hidden(&headers, &[], "sk-key-2 sk-key"), "(hidden) (hidden)");
    }
}
