//! The measured scenarios for browser and computer calls: what the published packages did, the core does.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use support::host::run;
use support::tags::{HOST_TYPE, TYPED_OPTION};
use support::vectors::{Tally, check_all, gaps, load};

const KINDS: &[&str] = &[
    "arguments",
    "state",
    "read",
    "image",
    "outcome",
    "approval",
    "selection",
    "computer",
    "runner",
];

#[test]
fn computer() {
    let tally = check_all(&load("computer"), &gaps(), support::computer_host::run);
    assert_eq!(tally, Tally { passed: 337, gaps: 0, skipped: BTreeMap::new() });
}

fn check(kind: &str, passed: usize, skipped: &[(&'static str, usize)]) {
    let tally = check_all(&load(kind), &gaps(), run);
    let skipped: BTreeMap<_, _> = skipped.iter().copied().collect();
    assert_eq!(tally, Tally { passed, gaps: 0, skipped });
}

#[test]
fn arguments() {
    check("arguments", 1177, &[]);
}

#[test]
fn state() {
    check("state", 554, &[(HOST_TYPE, 9)]);
}

#[test]
fn read() {
    check("read", 281, &[(HOST_TYPE, 17)]);
}

#[test]
fn image() {
    check("image", 117, &[(HOST_TYPE, 5)]);
}

#[test]
fn outcome() {
    check("outcome", 110, &[(HOST_TYPE, 6)]);
}

#[test]
fn approval() {
    check("approval", 161, &[]);
}

#[test]
fn selection() {
    check("selection", 197, &[(HOST_TYPE, 5), (TYPED_OPTION, 20)]);
}

#[test]
fn every_known_gap_is_a_vector() {
    let ids: BTreeSet<String> =
        KINDS.iter().flat_map(|kind| load(kind)).map(|vector| vector.id).collect();
    assert!(gaps().is_subset(&ids));
}
