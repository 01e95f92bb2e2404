//! The bodies of the fuzz targets under pseudo-random input, always the same. `PROPTEST_CASES` sets
//! how many; `cargo fuzz` (see `fuzz/`) searches further.

mod support;

use arbitrary::{Arbitrary, Unstructured};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use support::drive::good_arguments;
use support::fuzz::call::CallScript;
use support::fuzz::run::{CheckpointScript, RunScript};
use support::fuzz::sse::SseBytes;
use support::fuzz::text::{ArgumentText, StateText};
use swingbridge_core::browser::MEMBERS;

const CASES: u32 = 2_000;

fn run<S: Strategy>(strategy: &S, check: impl Fn(S::Value)) {
    let given = std::env::var_os("PROPTEST_CASES").is_some();
    let defaults = Config::default();
    let cases = if given { defaults.cases } else { CASES };
    let config = Config { cases, failure_persistence: None, ..defaults };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let outcome = runner.run(strategy, |input| {
        check(input);
        Ok(())
    });
    if let Err(failure) = &outcome {
        println!("{failure}");
    }
    assert!(outcome.is_ok(), "an input breaks a promise");
}

/// Checks what `arbitrary` makes of any bytes, if that borrows none of them.
fn fuzz<Input: for<'a> Arbitrary<'a>>(check: impl Fn(Input)) {
    run(&bytes(), |bytes| {
        if let Ok(input) = Input::arbitrary_take_rest(Unstructured::new(&bytes)) {
            check(input);
        }
    });
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..1_024)
}

/// Argument text that was right before some of its bytes changed.
fn nearly_right() -> impl Strategy<Value = (u8, Vec<u8>)> {
    let byte = prop::sample::select(br#"{}[]",:\0159eE.-+ntu"#.to_vec());
    let edits = prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), byte), 0..4);
    (0..28_u8, edits).prop_map(|(index, edits)| {
        let mut text = good_arguments(MEMBERS[usize::from(index)].member).as_bytes().to_vec();
        for (at, inserts, byte) in edits {
            let at = at.index(text.len());
            if inserts {
                text.insert(at, byte);
            } else {
                text[at] = byte;
            }
        }
        (index, text)
    })
}

#[test]
fn arguments() {
    run(&bytes(), |bytes| {
        if let Ok(input) = ArgumentText::arbitrary_take_rest(Unstructured::new(&bytes)) {
            input.check();
        }
    });
    run(&nearly_right(), |(member, bytes)| ArgumentText { member, bytes: &bytes }.check());
}

#[test]
fn state() {
    run(&bytes(), |bytes| {
        if let Ok(input) = StateText::arbitrary_take_rest(Unstructured::new(&bytes)) {
            input.check();
        }
    });
}

#[test]
fn call_sequence() {
    fuzz(|input: CallScript| input.check());
}

#[test]
fn run_sequence() {
    fuzz(|input: RunScript| input.check());
}

#[test]
fn resumption() {
    fuzz(|input: RunScript| input.check_resumption());
}

#[test]
fn checkpoint() {
    fuzz(|input: CheckpointScript| input.check());
}

/// Bytes that look like a stream: its fields, its line ends, and pieces of characters.
fn nearly_stream() -> impl Strategy<Value = Vec<u8>> {
    let pieces: &[&[u8]] = &[
        b"data:",
        b"data: ",
        b"data",
        b"event: x",
        b"event",
        b"id: 7",
        b"retry: 1",
        b":",
        b" ",
        b"\n",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\r\n\r\n",
        b"{\"a\":1}",
        b"[DONE]",
        b"\xEF\xBB\xBF",
        b"\xEF\xBB",
        b"\xF0\x9F",
        b"\x98\x80",
        b"\xC3",
        b"\xA9",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40).prop_map(|p| p.concat())
}

#[test]
fn sse() {
    run(&bytes(), |bytes| {
        if let Ok(input) = SseBytes::arbitrary_take_rest(Unstructured::new(&bytes)) {
            input.check();
        }
    });
    let portions = prop::collection::vec(0..9_u8, 0..5);
    let limit = prop_oneof![0..80_u16, Just(u16::MAX)];
    run(&(nearly_stream(), portions, limit), |(bytes, portions, limit)| {
        SseBytes { portions, limit, bytes: &bytes }.check();
    });
}
