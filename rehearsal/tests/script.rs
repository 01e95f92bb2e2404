//! The format of scripts: what is read, and how mistakes are told (D-8).

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

use swingbridge_rehearsal::{Problem, Script, ScriptFault};

fn fault(text: &str) -> (String, Problem) {
    let ScriptFault { place, problem } = Script::from_yaml(text).expect_err("a fault");
    (place, problem)
}

#[track_caller]
fn refused(turn: &str, place: &str, problem: Problem) {
    let found = fault(&format!("turns:\n  - {turn}\n"));
    assert_eq!(found, (format!("turns[0]{place}"), problem), "{turn}");
}

#[test]
fn every_short_form_is_read() {
    let script = r#"
repeat: false
turns:
  - message: hi
  - message: { text: hi, id: msg_x, phase: final_answer }
  - { reasoning: true, message: hi }
  - reasoning: { summary: [a, b], encrypted_content: x, id: rs_x }
  - function_call: { name: f, arguments: '{"not": json', call_id: c, id: fc_x }
  - browser_list_tabs:
  - computer_call: { action: { type: wait }, pending_safety_checks: [{ id: s }], id: i, call_id: c }
  - { type: message, id: m, role: assistant, status: completed, content: [] }
  - output:
      - { type: of tomorrow }
      - item: { type: of tomorrow }
      - mcp_list_tools: { server_label: s, tools: [] }
      - mcp_approval_request: { server_label: s, name: n, arguments: { a: 1 } }
      - compaction: {}
      - code_interpreter_call: { code: x, outputs: [], container_id: c }
      - image_generation_call: { result: aGk= }
      - file_search_call: { queries: [q] }
  - { status: failed }
  - response: { id: r, output: [] }
  - error: { status: 429, retry_after: "Sun, 06 Nov 1994 08:49:37 GMT" }
  - { message: hi, delay_ms: 10, cut_after_events: 0, split_bytes: 3 }
"#;
    assert_eq!(Script::from_yaml(script).expect("a script").turns(), 13);
    let json = r#"{"turns": [{"message": "JSON is YAML as well \ud83d\ude00"}]}"#;
    assert_eq!(Script::from_yaml(json).expect("a script").turns(), 1);
}

#[test]
fn mistakes_of_a_script_are_told_with_their_place() {
    assert_eq!(fault("turns: [\n"), ("line 2".to_owned(), Problem::Syntax));
    assert_eq!(fault("turns: []\nturns: []"), ("line 2".to_owned(), Problem::Syntax));
    assert_eq!(fault(""), ("script".to_owned(), Problem::Documents));
    assert_eq!(fault("a: 1\n---\nb: 2"), ("script".to_owned(), Problem::Documents));
    refused("{ message: hi, cut_after_event: 2 }", ".cut_after_event", Problem::Unknown);
    refused("{ expct: { text: a }, message: hi }", ".expct", Problem::Unknown);
    refused("{ message: hi, compaction: {} }", "", Problem::Conflict);
    assert_eq!(fault("[]"), ("script".to_owned(), Problem::Form));
    assert_eq!(fault("{}"), ("turns".to_owned(), Problem::Missing));
    assert_eq!(fault("turns: []"), ("turns".to_owned(), Problem::Missing));
    assert_eq!(fault("turns: {}"), ("turns".to_owned(), Problem::Form));
    assert_eq!(fault("turn: []\nturns: []"), ("turn".to_owned(), Problem::Unknown));
    assert_eq!(fault("turns: [{message: .inf}]").1, Problem::Form);
    assert_eq!(fault("turns: [{1: a}]").1, Problem::Form);
}

/// A script is somebody's file: it must not bring down the process that holds the rehearsal.
#[test]
fn a_script_is_neither_too_deep_nor_too_large() {
    let deep = |open: &str, close: &str, times: usize| {
        format!("turns: {}x{}", open.repeat(times), close.repeat(times))
    };
    let bounds = ("script".to_owned(), Problem::Bounds);
    for text in [
        deep("[", "]", 130),
        deep("{a: ", "}", 130),
        format!("turns:\n{}x", "- ".repeat(100_000)),
        format!("{}x", "? ".repeat(100_000)),
        (0..3_000).fold("turns:\n".to_owned(), |text, at| text + &" ".repeat(at) + "-\n"),
    ] {
        assert_eq!(fault(&text), bounds, "{}", &text[..40]);
    }
    assert_eq!(fault(&deep("[", "]", 100)).1, Problem::Form, "which is deep enough");
    // By aliases, which are short.
    let link = |at: usize| format!("  - &a{at} {}*a{}{}\n", "[".repeat(60), at - 1, "]".repeat(60));
    let chain: String = (1..4).map(link).collect();
    assert_eq!(fault(&format!("turns:\n  - &a0 x\n{chain}")), bounds);
    let long = format!("turns:\n  - &a {}\n{}", "x".repeat(1 << 20), "  - *a\n".repeat(300));
    assert_eq!(fault(&long), bounds);
    let again = "turns:\n  - &a { message: hi }\n  - *a\n";
    assert_eq!(Script::from_yaml(again).expect("a script").turns(), 2);
    assert_eq!(fault("turns: &a [*a]"), ("turns[0]".to_owned(), Problem::Form));
}

#[test]
fn mistakes_of_a_turn_are_told_with_their_place() {
    refused("{}", "", Problem::Missing);
    refused("hi", "", Problem::Form);
    refused("{ mesage: hi }", ".mesage", Problem::Unknown);
    refused("{ message: hi, function_call: { name: f } }", "", Problem::Conflict);
    refused("{ message: 1 }", ".message", Problem::Form);
    refused("{ message: { text: a, refusal: b } }", ".message", Problem::Conflict);
    refused("{ message: { txt: a } }", ".message.text", Problem::Missing);
    refused("{ message: { text: a, txt: b } }", ".message.txt", Problem::Unknown);
    refused("{ function_call: {} }", ".function_call.name", Problem::Missing);
    refused(
        "{ function_call: { name: f, arguments: 1 } }",
        ".function_call.arguments",
        Problem::Form,
    );
    refused("{ browser_fly: {} }", ".browser_fly", Problem::Member);
    refused("{ browser_click: e1 }", ".browser_click", Problem::Form);
    refused("{ computer_call: {} }", ".computer_call.actions", Problem::Missing);
    refused("{ computer_call: { action: {}, actions: [] } }", ".computer_call", Problem::Conflict);
    refused("{ item: { id: x } }", ".item", Problem::Form);
    refused("{ output: hi }", ".output", Problem::Form);
    refused("{ output: [{}] }", ".output[0]", Problem::Missing);
    refused("{ output: [{ message: a, reasoning: b }] }", ".output[0]", Problem::Conflict);
    refused("{ output: [{ message: a }], message: b }", ".message", Problem::Unknown);
    refused("{ response: {} }", ".response", Problem::Form);
    refused("{ error: {} }", ".error.status", Problem::Missing);
    refused("{ error: { status: 200 } }", ".error.status", Problem::Form);
    refused("{ error: { status: 101 } }", ".error.status", Problem::Form);
    refused(
        r#"{ error: { status: 429, retry_after: "1\n2" } }"#,
        ".error.retry_after",
        Problem::Form,
    );
    refused("{ error: { status: 400 }, message: hi }", ".message", Problem::Unknown);
    refused("{ message: hi, delay_ms: -1 }", ".delay_ms", Problem::Form);
    refused("{ message: hi, status: done }", ".status", Problem::Form);
    refused("{ message: hi, expect: { txt: a } }", ".expect.txt", Problem::Unknown);
    refused("{ message: hi, expect: { text: 1 } }", ".expect.text", Problem::Form);
    refused(
        "{ message: hi, expect: { output_contains: { c: 1 } } }",
        ".expect.output_contains",
        Problem::Form,
    );
}

#[test]
fn a_transcript_is_read_line_by_line() {
    let fault = |text: &str| {
        let fault = Script::from_transcript(text).expect_err("a fault");
        (fault.place, fault.problem)
    };
    let turn = r#"{"turn": 0, "status": 200, "response": {"output": []}}"#;
    assert_eq!(
        Script::from_transcript(&format!("{turn}\n\n{turn}\n")).expect("a script").turns(),
        2
    );
    assert_eq!(fault(""), ("turns".to_owned(), Problem::Missing));
    assert_eq!(fault(&format!("{turn}\n{{")), ("line 2".to_owned(), Problem::Syntax));
    assert_eq!(fault(r#"{"turn": 0}"#), ("line 1.response".to_owned(), Problem::Missing));
    assert_eq!(
        fault(r#"{"turn": 0, "response": {}}"#),
        ("line 1.response".to_owned(), Problem::Form)
    );
    // A line that somebody has edited says nothing that cannot be sent.
    for status in ["0", "101", "204", "600", "70000", "\"200\""] {
        let line = format!(r#"{{"turn": 0, "status": {status}, "response": {{"error": {{}}}}}}"#);
        assert_eq!(fault(&line), ("line 1.status".to_owned(), Problem::Form), "{status}");
    }
    let busy = r#"{"turn": 0, "status": 429, "response": {"error": {}}, "retry_after": "1\n2"}"#;
    assert_eq!(fault(busy), ("line 1.retry_after".to_owned(), Problem::Form));
}

#[test]
fn a_mistake_reads_well() {
    let fault = Script::from_yaml("turns: [{ mesage: hi }]").expect_err("a fault");
    assert_eq!(fault.to_string(), "turns[0].mesage: there is no such key");
}
