//! The measured scenarios for whole runs.

mod support;

use std::collections::BTreeMap;

use support::run_host::run;
use support::tags::TYPED_OPTION;
use support::vectors::{Tally, check_all, gaps, load};

#[test]
fn runs() {
    let vectors = load("runner");
    let tally = check_all(&vectors, &gaps(), run);
    let skipped = BTreeMap::from([(TYPED_OPTION, 4)]);
    assert_eq!(tally, Tally { passed: 661, gaps: 8, skipped });
}
