//! The stable names of all errors, and the list by which both languages prove that each has a class.

mod support;

use std::collections::BTreeSet;

use support::golden::assert_committed;
use support::sources::sources;
use swingbridge_core::browser::{ArgumentFault, SelectionError};
use swingbridge_core::computer::{MappingFault, PictureFault};
use swingbridge_core::gate::GateError;
use swingbridge_core::json::Writer;
use swingbridge_core::keys::KeyFault;
use swingbridge_core::runner::{AdmissionError, TurnRefusal};
use swingbridge_core::tools::ToolFault;
use swingbridge_core::{AskId, Misuse, Stop};

/// Each family of errors with its codes.
const FAMILIES: &[(&str, &[&str])] = &[
    ("stop", Stop::CODES),
    ("misuse", Misuse::CODES),
    ("gate", GateError::CODES),
    ("selection", SelectionError::CODES),
    ("admission", AdmissionError::CODES),
    ("turn", TurnRefusal::CODES),
    ("argument", ArgumentFault::CODES),
    ("keys", KeyFault::CODES),
    ("mapping", MappingFault::CODES),
    ("picture", PictureFault::CODES),
    ("tool", ToolFault::CODES),
];

#[test]
fn each_code_is_one_snake_case_name() {
    let mut seen = BTreeSet::new();
    for (family, codes) in FAMILIES {
        assert!(!codes.is_empty(), "{family}");
        for code in *codes {
            let words = code.split('_');
            let is_word = |word: &str| {
                !word.is_empty()
                    && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            };
            assert!(words.clone().all(is_word), "{family}: {code}");
            assert!(seen.insert(code), "{code} names two errors");
        }
    }
}

#[test]
fn the_families_are_all_errors_of_the_core_that_have_codes() {
    let is_table = |line: &str| line.ends_with("codes! {") && !line.contains("macro_rules");
    let tables: usize =
        sources().iter().map(|(_, text)| text.lines().filter(|line| is_table(line)).count()).sum();
    assert_eq!(tables, FAMILIES.len());
}

#[test]
fn the_committed_list_is_the_list() {
    let mut out = Writer::default();
    out.object(|families| {
        for (family, codes) in FAMILIES {
            families.field(family, |out| {
                out.list(|list| codes.iter().for_each(|code| list.item(|out| out.str(code))));
            });
        }
    });
    let json: serde_json::Value = serde_json::from_str(&out.finish()).expect("JSON");
    let pretty = serde_json::to_string_pretty(&json).expect("JSON");
    assert_committed("conformance/error_codes.json", &format!("{pretty}\n"));
}

#[test]
fn codes_and_words_are_of_the_error() {
    assert_eq!(Stop::RunCancelled.code(), "run_cancelled");
    assert!(Stop::RunCancelled.is_cancellation() && !Stop::StepLimit.is_cancellation());
    let wrong = Misuse::WrongAsk { given: AskId(1), open: AskId(2) };
    assert_eq!(wrong.code(), "wrong_ask");
    assert_eq!(wrong.to_string(), "the answer is for ask AskId(1) but AskId(2) is open");
    assert_eq!(SelectionError::Twice("click").code(), "member_named_twice");
    assert_eq!(GateError::Busy.code(), "busy");
}
