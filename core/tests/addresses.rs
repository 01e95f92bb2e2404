//! What a page driver opens, shows and reports (B-30, B-32): `conformance/addresses.json`.

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

mod support;

use serde_json::Value;
use support::vectors::conformance;
use swingbridge_core::browser::{AddressFault, PageKind, check_address, safe_title};
use swingbridge_core::json::Text;

fn cases() -> Value {
    let text = std::fs::read_to_string(conformance().join("addresses.json")).expect("the file");
    serde_json::from_str(&text).expect("JSON")
}

fn texts(list: &Value) -> Vec<&str> {
    let texts = list.as_array().expect("a list").iter();
    texts.map(|text| text.as_str().expect("a text")).collect()
}

#[test]
fn addresses_are_opened_or_refused_with_a_reason() {
    let mut faults = Vec::new();
    for group in cases()["addresses"].as_array().expect("groups") {
        for url in texts(&group["urls"]) {
            let fault = check_address(&Text::from(url)).err();
            let words = fault.map(|fault| fault.to_string());
            assert_eq!(words.as_deref(), group["problem"].as_str(), "{url:?}");
            assert!(!words.unwrap_or_default().contains("planted"), "{url:?}");
            faults.extend(fault.filter(|fault| !faults.contains(fault)));
        }
    }
    let all = [AddressFault::Unsupported, AddressFault::Malformed, AddressFault::NoPlainHost];
    assert_eq!(faults, all, "a reason without a case");
}

#[test]
fn pages_are_shown_if_their_address_can_be_reported() {
    let cases = cases();
    for kind in [PageKind::Shown, PageKind::Failed, PageKind::Refused] {
        for url in texts(&cases["pages"][kind.name()]) {
            assert_eq!(PageKind::of(&Text::from(url)), kind, "{url:?}");
        }
    }
}

#[test]
fn titles_lose_what_may_be_private() {
    for pair in cases()["titles"].as_array().expect("pairs") {
        let [title, safe] = texts(pair)[..] else { panic!("a pair: {pair}") };
        assert_eq!(safe_title(&Text::from(title)), (safe.to_owned(), false), "{title:?}");
    }
}
