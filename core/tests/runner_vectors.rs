//! The measured scenarios for whole runs, as far as this version runs them.

mod support;

use std::collections::BTreeMap;

use serde_json::Value;
use support::run_host::run;
use support::tags::TYPED_OPTION;
use support::vectors::{Tally, check_all, load};

/// Why a scenario needs more than this version has; `None` if it does not.
fn needs(input: &Value) -> Option<&'static str> {
    const OPTIONS: &[&str] = &[
        "ledger",
        "context_budget",
        "stream",
        "eager",
        "record_events",
        "max_concurrent_calls",
        "before_early_call",
        "approve_mcp",
    ];
    let has = |part: &str, name: &str| input[part].get(name).is_some();
    let declared = input["params"]["tools"].as_array();
    if let Some(option) = OPTIONS.iter().find(|option| has("options", option)) {
        return Some(option);
    }
    if input.get("streams").is_some() {
        return Some("stream");
    }
    if input.get("turn_actions").is_some() {
        return Some("turn_actions");
    }
    if has("tools", "early_execution") {
        return Some("early_execution");
    }
    if declared.is_some_and(|tools| tools.iter().any(|tool| tool["type"] == "mcp")) {
        return Some("mcp");
    }
    None
}

/// Scenarios that this version answers otherwise on purpose.
const OTHERWISE: &[(&str, &str)] = &[
    (
        "runner/allowed_callers/direct/absent~2",
        "allowed_callers that is no list is refused at construction, not at the first call",
    ),
    (
        "runner/server/fs/attributes_nested",
        "attributes have names of the caller's own, so no host hands over their values",
    ),
];

#[test]
fn runs() {
    let vectors = load("runner");
    let within = vectors.iter().filter(|vector| needs(&vector.input).is_none());
    let otherwise = OTHERWISE.iter().map(|(id, _)| (*id).to_owned()).collect();
    let tally = check_all(within, &otherwise, run);
    let skipped = BTreeMap::from([(TYPED_OPTION, 4)]);
    assert_eq!(tally, Tally { passed: 263, gaps: OTHERWISE.len(), skipped });
}

#[test]
fn what_is_left_out_is_counted() {
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in load("runner").iter().filter_map(|vector| needs(&vector.input)) {
        *left_out.entry(reason).or_default() += 1;
    }
    let expected = BTreeMap::from([
        ("approve_mcp", 62),
        ("before_early_call", 1),
        ("context_budget", 81),
        ("eager", 1),
        ("early_execution", 14),
        ("ledger", 130),
        ("max_concurrent_calls", 7),
        ("mcp", 36),
        ("stream", 51),
        ("turn_actions", 21),
    ]);
    assert_eq!(left_out, expected);
}
