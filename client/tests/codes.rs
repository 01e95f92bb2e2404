//! The names of errors are the same in every language: each has a test that all of these have a class.

#![allow(clippy::disallowed_methods, reason = "the list is written when the environment says so")]

use swingbridge_client::{ClientError, ConfigFault};

#[test]
fn the_list_of_codes_is_up_to_date() {
    let codes = serde_json::json!({ "client": ClientError::CODES, "settings": ConfigFault::CODES });
    let expected = format!("{codes:#}\n");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance/client_error_codes.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &expected).expect("the list can be written");
    }
    let listed = std::fs::read_to_string(path).expect("the list can be read");
    assert!(listed == expected, "UPDATE=1 cargo test -p swingbridge-client --test codes");
}
