//! The input rules of the service, each broken once (D-8).

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

use swingbridge_core::json::parse;
use swingbridge_core::wire::{ReasoningBonds, RequestFault, RequestRule as Rule, check_request};

const CALL: &str =
    r#"{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"}"#;
const OUTPUT: &str = r#"{"type":"function_call_output","call_id":"c1","output":"done"}"#;
const REASONING: &str = r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}"#;
const ANSWER: &str = r#"{"type":"message","id":"msg_1","role":"assistant","status":"completed",
    "content":[{"type":"output_text","text":"hi","annotations":[]}]}"#;
const COMPUTER: &str = r#"{"type":"computer_call","id":"cu_1","call_id":"c2","status":"completed",
    "pending_safety_checks":[],"actions":[{"type":"wait"}]}"#;
const SCREENSHOT: &str = r#"{"type":"computer_call_output","call_id":"c2",
    "output":{"type":"computer_screenshot","image_url":"data:,x"},"acknowledged_safety_checks":[]}"#;
const REQUEST: &str = r#"{"type":"mcp_approval_request","id":"mcpr_1","server_label":"s","name":"n",
    "arguments":"{}"}"#;
const APPROVAL: &str =
    r#"{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}"#;

fn check(body: &str) -> Result<(), RequestFault> {
    check_request(&parse(body).expect("JSON"), &ReasoningBonds::default())
}

fn check_items(items: &[&str]) -> Result<(), RequestFault> {
    check(&format!(r#"{{"model":"m","input":[{}]}}"#, items.join(",")))
}

fn fault(outcome: Result<(), RequestFault>) -> (Rule, String) {
    let fault = outcome.expect_err("a fault");
    (fault.rule, fault.param)
}

#[track_caller]
fn refused(items: &[&str], rule: Rule, param: &str) {
    assert_eq!(fault(check_items(items)), (rule, param.to_owned()), "{items:?}");
}

#[test]
fn right_requests_pass() {
    for body in [
        r#"{"model":"m","input":"hi"}"#,
        r#"{"prompt":{"id":"p"}}"#,
        r#"{"model":"m","previous_response_id":"r"}"#,
        r#"{"model":"m","input":"hi","stream":true,"store":null,"include":["a"],"tool_choice":"auto",
            "tools":[{"type":"function","name":"f-1","parameters":{},"strict":true},
            {"type":"mcp","server_label":"s","server_url":"https://x"},{"type":"computer"},
            {"type":"mcp","server_label":"s","connector_id":"c"},{"type":"web_search"},
            {"type":"code_interpreter","container":"c"},
            {"type":"file_search","vector_store_ids":["v"]},{"type":"of tomorrow"}]}"#,
    ] {
        assert_eq!(check(body), Ok(()), "{body}");
    }
    let history = [
        r#"{"role":"user","content":"hi"}"#,
        r#"{"role":"developer","content":[{"type":"input_text","text":"a"},
            {"type":"input_image","image_url":"data:,x","detail":"auto"}]}"#,
        REASONING,
        CALL,
        COMPUTER,
        SCREENSHOT,
        OUTPUT,
        REQUEST,
        APPROVAL,
        r#"{"type":"mcp_call","id":"mcp_1","server_label":"s","name":"n","arguments":"{}","output":"o"}"#,
        r#"{"type":"mcp_list_tools","id":"mcpl_1","server_label":"s","tools":[]}"#,
        r#"{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}}"#,
        r#"{"type":"compaction","id":"cmp_1","encrypted_content":"x"}"#,
        r#"{"type":"item_reference","id":"msg_1"}"#,
        r#"{"type":"custom_tool_call","call_id":"c3","name":"n","input":"i"}"#,
        r#"{"type":"custom_tool_call_output","call_id":"c3","output":[{"type":"input_text","text":"x"}]}"#,
        ANSWER,
        r#"{"role":"assistant","content":[{"type":"output_text","text":"short"},
            {"type":"refusal","refusal":"no"}]}"#,
    ];
    assert_eq!(check_items(&history), Ok(()));
}

#[test]
fn fields_of_the_request_are_checked() {
    for (body, rule, param) in [
        ("[]", Rule::NotAnObject, "body"),
        (r#"{"input":"hi"}"#, Rule::Missing, "model"),
        (r#"{"model":"m"}"#, Rule::Missing, "input"),
        (r#"{"model":"m","input":[]}"#, Rule::Malformed, "input"),
        (r#"{"model":1,"input":"hi"}"#, Rule::Malformed, "model"),
        (r#"{"model":"m","input":"hi","stream":"yes"}"#, Rule::Malformed, "stream"),
        (r#"{"model":"m","input":"hi","tool_choice":"any"}"#, Rule::Malformed, "tool_choice"),
        (
            r#"{"model":"m","input":"hi","max_output_tokens":0}"#,
            Rule::Malformed,
            "max_output_tokens",
        ),
        (r#"{"model":"m","input":"hi","include":[1]}"#, Rule::Malformed, "include"),
        (
            r#"{"model":"m","previous_response_id":"r","conversation":"c"}"#,
            Rule::Conflict,
            "previous_response_id",
        ),
    ] {
        assert_eq!(fault(check(body)), (rule, param.to_owned()), "{body}");
    }
}

#[test]
fn tools_are_checked() {
    let tools = |tools: &str| check(&format!(r#"{{"model":"m","input":"hi","tools":{tools}}}"#));
    let function = r#"{"type":"function","name":"f","parameters":{}}"#;
    for (list, rule, param) in [
        ("{}".to_owned(), Rule::Malformed, "tools"),
        ("[1]".to_owned(), Rule::Malformed, "tools[0]"),
        ("[{}]".to_owned(), Rule::Missing, "tools[0].type"),
        (r#"[{"type":"function"}]"#.to_owned(), Rule::Missing, "tools[0].name"),
        (r#"[{"type":"function","name":""}]"#.to_owned(), Rule::Malformed, "tools[0].name"),
        (r#"[{"type":"function","name":"a b"}]"#.to_owned(), Rule::Malformed, "tools[0].name"),
        (
            r#"[{"type":"function","function":{"name":"f"}}]"#.to_owned(),
            Rule::Missing,
            "tools[0].name",
        ),
        (
            r#"[{"type":"function","name":"f","parameters":"{}"}]"#.to_owned(),
            Rule::Malformed,
            "tools[0].parameters",
        ),
        (
            r#"[{"type":"function","name":"f","strict":1}]"#.to_owned(),
            Rule::Malformed,
            "tools[0].strict",
        ),
        (format!("[{function},{function}]"), Rule::Repeated, "tools[1].name"),
        (r#"[{"type":"mcp","server_label":"s"}]"#.to_owned(), Rule::Missing, "tools[0].server_url"),
        (r#"[{"type":"code_interpreter"}]"#.to_owned(), Rule::Missing, "tools[0].container"),
    ] {
        assert_eq!(fault(tools(&list)), (rule, param.to_owned()), "{list}");
    }
}

#[test]
fn shapes_of_items_are_checked() {
    refused(&["1"], Rule::Malformed, "input[0]");
    refused(&["{}"], Rule::Missing, "input[0].type");
    refused(&[r#"{"type":1}"#], Rule::Malformed, "input[0].type");
    refused(&[r#"{"type":"telepathy"}"#], Rule::UnknownKind, "input[0].type");
    refused(&[r#"{"role":"tool","content":"x"}"#], Rule::UnknownKind, "input[0].role");
    refused(&[r#"{"type":"message","content":"x"}"#], Rule::Missing, "input[0].role");
    refused(&[r#"{"role":"user"}"#], Rule::Missing, "input[0].content");
    refused(&[r#"{"role":"user","content":1}"#], Rule::Malformed, "input[0].content");
    refused(&[r#"{"type":"reasoning","summary":[]}"#], Rule::Missing, "input[0].id");
    refused(&[r#"{"type":"reasoning","id":"r"}"#], Rule::Missing, "input[0].summary");
    refused(&[r#"{"type":"compaction"}"#], Rule::Missing, "input[0].encrypted_content");
    refused(&[r#"{"type":"item_reference"}"#], Rule::Missing, "input[0].id");
    refused(
        &[r#"{"type":"function_call","call_id":"c","name":"f"}"#],
        Rule::Missing,
        "input[0].arguments",
    );
    refused(
        &[r#"{"type":"function_call","call_id":"c","name":"f","arguments":{}}"#],
        Rule::Malformed,
        "input[0].arguments",
    );
    refused(
        &[r#"{"type":"function_call","name":"f","arguments":"{}"}"#],
        Rule::Missing,
        "input[0].call_id",
    );
    refused(
        &[CALL, r#"{"type":"function_call_output","call_id":"c1"}"#],
        Rule::Missing,
        "input[1].output",
    );
    refused(
        &[CALL, r#"{"type":"function_call_output","call_id":"c1","output":{"a":1}}"#],
        Rule::Malformed,
        "input[1].output",
    );
    refused(
        &[r#"{"type":"computer_call","call_id":"c","id":"i","status":"completed"}"#],
        Rule::Malformed,
        "input[0]",
    );
    refused(
        &[COMPUTER, r#"{"type":"computer_call_output","call_id":"c2","output":"x"}"#],
        Rule::Malformed,
        "input[1].output",
    );
    refused(
        &[r#"{"type":"mcp_approval_response","approval_request_id":"m","approve":"yes"}"#],
        Rule::Malformed,
        "input[0].approve",
    );
    refused(
        &[r#"{"type":"web_search_call","id":"w","status":"completed"}"#],
        Rule::Malformed,
        "input[0]",
    );
}

#[test]
fn each_role_says_its_own_parts() {
    let said = |role: &str, part: &str| format!(r#"{{"role":"{role}","content":[{part}]}}"#);
    let input = r#"{"type":"input_text","text":"x"}"#;
    let output = r#"{"type":"output_text","text":"x"}"#;
    for (role, part) in [
        ("assistant", input),
        ("user", output),
        ("user", "{}"),
        ("user", r#"{"type":"text","text":"x"}"#),
    ] {
        refused(&[&said(role, part)], Rule::UnknownKind, "input[0].content[0].type");
    }
    let part = r#"{"type":"input_text","text":"x"},{"type":"input_text"}"#;
    refused(&[&said("user", part)], Rule::Malformed, "input[0].content[1]");
    refused(&[&said("user", r#"{"type":"input_image"}"#)], Rule::Malformed, "input[0].content[0]");
}

#[test]
fn calls_and_outputs_are_paired_and_in_order() {
    refused(&[CALL], Rule::CallWithoutOutput, "input[0].call_id");
    refused(&[OUTPUT], Rule::OutputWithoutCall, "input[0].call_id");
    refused(&[OUTPUT, CALL], Rule::OutputWithoutCall, "input[0].call_id");
    refused(&[CALL, OUTPUT, OUTPUT], Rule::SecondOutput, "input[2].call_id");
    let other = SCREENSHOT.replace("c2", "c1");
    refused(&[CALL, &other], Rule::OutputWithoutCall, "input[1].call_id");
    refused(&[APPROVAL], Rule::AnswerWithoutRequest, "input[0].approval_request_id");
    refused(
        &[REQUEST, APPROVAL, APPROVAL],
        Rule::AnswerWithoutRequest,
        "input[2].approval_request_id",
    );
    // What an earlier response brought is not in this request.
    for item in [OUTPUT, SCREENSHOT, APPROVAL] {
        let body = format!(r#"{{"model":"m","previous_response_id":"r","input":[{item}]}}"#);
        assert_eq!(check(&body), Ok(()));
    }
    let body = format!(r#"{{"model":"m","previous_response_id":"r","input":[{CALL}]}}"#);
    assert_eq!(fault(check(&body)).0, Rule::CallWithoutOutput);
}

#[test]
fn ids_are_used_once() {
    let again = CALL.replace("fc_1", "fc_2");
    refused(&[CALL, OUTPUT, &again, OUTPUT], Rule::Repeated, "input[2].call_id");
    let again = CALL.replace("c1", "c9");
    refused(&[CALL, OUTPUT, &again], Rule::Repeated, "input[2].id");
    refused(&[ANSWER, ANSWER], Rule::Repeated, "input[1].id");
    let reference = r#"{"type":"item_reference","id":"msg_1"}"#;
    assert_eq!(check_items(&[ANSWER, reference, reference]), Ok(()));
}

#[test]
fn reasoning_stands_before_what_it_led_to() {
    let user = r#"{"role":"user","content":"go on"}"#;
    let more = REASONING.replace("rs_1", "rs_2");
    refused(&[REASONING], Rule::ReasoningAlone, "input[0]");
    refused(&[REASONING, user], Rule::ReasoningAlone, "input[0]");
    refused(&[CALL, REASONING, OUTPUT], Rule::ReasoningAlone, "input[1]");
    assert_eq!(check_items(&[REASONING, &more, CALL, OUTPUT]), Ok(()));
    assert_eq!(check_items(&[user, REASONING, ANSWER]), Ok(()));
}

#[test]
fn what_reasoning_led_to_is_not_sent_without_it() {
    let mut bonds = ReasoningBonds::default();
    let output = [REASONING, CALL, ANSWER].map(|item| parse(item).expect("JSON"));
    bonds.learn(&output);
    let check = |items: &[&str]| {
        let body = format!(r#"{{"model":"m","input":[{}]}}"#, items.join(","));
        check_request(&parse(&body).expect("JSON"), &bonds)
    };
    assert_eq!(check(&[REASONING, CALL, OUTPUT, ANSWER]), Ok(()));
    assert_eq!(check(&[ANSWER]), Ok(()), "only the item right after it is bound");
    let missing = (Rule::ReasoningMissing, "input[0]".to_owned());
    assert_eq!(fault(check(&[CALL, OUTPUT])), missing);
    let foreign = REASONING.replace("rs_1", "rs_9");
    let missing = (Rule::ReasoningMissing, "input[1]".to_owned());
    assert_eq!(fault(check(&[&foreign, CALL, OUTPUT])), missing);
}

#[test]
fn faults_say_where_and_never_what() {
    let fault = check_items(&[r#"{"role":"hunter2","content":"hunter2"}"#]).expect_err("a fault");
    assert_eq!(fault.to_string(), "there is nothing of this type at this place (input[0].role)");
    assert!(!format!("{fault:?}").contains("hunter2"));
    assert_eq!(fault.rule.service_code(), Some("invalid_value"));
    assert_eq!(Rule::CallWithoutOutput.service_code(), None);
}
