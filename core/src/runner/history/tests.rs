use super::*;
use crate::json::parse;
use crate::runner::{FunctionDeclaration, RunOptions, RunnerTools};

fn plan(tools: &str) -> RunPlan {
    let declaration = parse(r#"{"type":"function","name":"f"}"#).expect("JSON");
    let function =
        FunctionDeclaration { tool: &declaration, allows_override: false, is_independent: false };
    let runner = RunnerTools::new(None, &[function]).expect("tools").with_computer();
    let params = format!(r#"{{"model":"m","input":"hi","tools":{tools}}}"#);
    runner.admit(&parse(&params).expect("JSON"), &RunOptions::default()).expect("a plan")
}

fn check(json: &str) -> Result<(), HistoryFault> {
    check_with(json, "[]")
}

fn check_with(json: &str, tools: &str) -> Result<(), HistoryFault> {
    check_history(parse(json).expect("JSON").as_list().expect("a list"), &plan(tools))
}

const CALL: &str = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#;
const OUTPUT: &str = r#"{"type":"function_call_output","call_id":"c","output":"x"}"#;
const SCREEN: &str = r#"{"type":"computer_call","id":"u","call_id":"d","status":"completed","actions":[{"type":"wait"}]}"#;

#[test]
fn calls_and_outputs_pair_once_and_in_order() {
    let second = OUTPUT.replace("\"x\"", "[]");
    for (items, expected) in [
        (vec![CALL, OUTPUT], Ok(())),
        (vec![OUTPUT, CALL], Err(HistoryFault::Unexpected(0))),
        (vec![CALL, OUTPUT, &second], Err(HistoryFault::Unexpected(2))),
        (vec![CALL, CALL, OUTPUT], Err(HistoryFault::Repeated(1))),
        (vec![CALL, OUTPUT, CALL], Err(HistoryFault::Repeated(2))),
        (vec![SCREEN, CALL, OUTPUT], Err(HistoryFault::Unresolved(0))),
    ] {
        assert_eq!(check(&format!("[{}]", items.join(","))), expected, "{items:?}");
    }
    let swapped = r#"{"type":"function_call_output","call_id":"d","output":"x"}"#;
    assert_eq!(check(&format!("[{SCREEN},{swapped}]")), Err(HistoryFault::Unexpected(1)));
}

#[test]
fn each_fault_has_an_error_of_both_kinds() {
    for fault in [
        HistoryFault::Item(3),
        HistoryFault::Repeated(3),
        HistoryFault::Unexpected(3),
        HistoryFault::Unresolved(3),
    ] {
        assert_eq!(fault.admission(), AdmissionError::History(3));
        let is_repeated = fault == HistoryFault::Repeated(3);
        let stop = if is_repeated { Stop::IdentityRepeated } else { Stop::HistoryInvalid };
        assert_eq!(fault.stop(), stop);
    }
}

/// A field, and values that break it.
type Broken = (&'static str, &'static [&'static str]);

/// One good item of each kind; after it, for each field, values that break it.
const ITEMS: &[(&str, &[Broken])] = &[
    (
        r#"{"role":"user","content":"x"}"#,
        &[
            ("role", &["null", "1", "\"tool\"", "[]"]),
            ("content", &["null", "1", "{}", "[1]", "[\"x\"]", "[{\"type\":\"output_text\"}]"]),
            ("id", &["null", "1", "{}"]),
            ("status", &["1", "\"done\""]),
            ("phase", &["1", "\"draft\""]),
            ("type", &["null", "1", "\"text\"", "\"\""]),
        ],
    ),
    (
        r#"{"role":"system","content":[{"type":"input_image","image_url":"u","file_id":null}]}"#,
        &[(
            "content",
            &[
                r#"[{"type":"input_image"}]"#,
                r#"[{"type":"input_image","image_url":" "}]"#,
                r#"[{"type":"input_image","image_url":"u","detail":"fine"}]"#,
                r#"[{"type":"input_file","filename":"f"}]"#,
                r#"[{"type":"input_text","text":null}]"#,
                r#"[{"type":"input_text","text":"x","prompt_cache_breakpoint":{"mode":"off"}}]"#,
            ],
        )],
    ),
    (
        r#"{"role":"assistant","content":[{"type":"output_text","text":"x"}]}"#,
        &[("id", &["\"m\""]), ("content", &[r#"[{"type":"output_text"}]"#])],
    ),
    (
        r#"{"type":"message","id":"m","role":"assistant","content":[{"type":"refusal","refusal":"x"}]}"#,
        &[("content", &["\"x\"", "null", r#"[{"type":"refusal"}]"#])],
    ),
    (
        r#"{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"x"}],"content":null}"#,
        &[
            ("id", &["null", "1"]),
            ("summary", &["null", "{}", "[1]"]),
            ("content", &["1", "[{}]"]),
            ("encrypted_content", &["1", "[]"]),
            ("status", &["\"done\""]),
        ],
    ),
    (
        r#"{"type":"compaction","encrypted_content":"e","id":null}"#,
        &[("encrypted_content", &["null", "1"]), ("id", &["1", "[]"])],
    ),
    (r#"{"type":"item_reference","id":"x"}"#, &[("id", &["null", "1"])]),
    (
        r#"{"type":"web_search_call","id":"w","status":"completed","action":{"type":"search"},"error":null}"#,
        &[
            ("id", &["null", "1"]),
            ("status", &["null", "\"failed\"", "\"in_progress\""]),
            ("action", &["null", "{}"]),
            ("error", &["\"x\"", "{}"]),
        ],
    ),
];

/// The same for calls, which need their outputs beside them.
const PAIRS: &[(&str, &str, &[Broken])] = &[
    (
        CALL,
        OUTPUT,
        &[
            ("id", &["null", "1"]),
            ("call_id", &["null", "1"]),
            ("name", &["null", "\"g\"", "\"browser_click\"", "1"]),
            ("arguments", &["null", "{}", "\"[]\"", "\"{\"", "\"{\\\"a\\\":NaN}\""]),
            ("status", &["\"incomplete\"", "\"in_progress\"", "1"]),
            ("namespace", &["\"g\"", "1"]),
            ("async", &["1"]),
            ("caller", &["1", "{}", "{\"type\":\"program\"}"]),
        ],
    ),
    (
        SCREEN,
        r#"{"type":"computer_call_output","call_id":"d","output":{"type":"computer_screenshot","file_id":"f"}}"#,
        &[
            ("id", &["null", "1"]),
            ("status", &["null", "\"incomplete\""]),
            ("actions", &["null", "[]", "[{\"type\":\"fly\"}]"]),
            ("action", &["{\"type\":\"wait\"}"]),
            ("pending_safety_checks", &["null", "[{}]"]),
        ],
    ),
];

/// And for the outputs.
const OUTPUTS: &[(&str, &str, &[Broken])] = &[
    (
        CALL,
        OUTPUT,
        &[
            ("id", &["1"]),
            ("call_id", &["null", "1"]),
            ("output", &["null", "1", "{}", "[{\"type\":\"x\"}]", "[1]"]),
            ("status", &["\"done\"", "1"]),
            ("caller", &["1"]),
        ],
    ),
    (
        SCREEN,
        r#"{"type":"computer_call_output","call_id":"d","output":{"type":"computer_screenshot","image_url":"u"},"acknowledged_safety_checks":null}"#,
        &[
            ("output", &["null", "\"u\"", "{\"type\":\"computer_screenshot\"}"]),
            ("acknowledged_safety_checks", &["1", "[{\"code\":\"c\"}]", "[{\"id\":1}]"]),
        ],
    ),
];

fn with(item: &str, field: &str, value: &str) -> String {
    format!("{},\"{field}\":{value}}}", item.strip_suffix('}').expect("an object"))
}

#[test]
fn every_field_is_checked() {
    let tools = r#"[{"type":"web_search"}]"#;
    let expect = |items: &[&str], at: Option<usize>| {
        let checked = check_with(&format!("[{}]", items.join(",")), tools);
        match at {
            None => assert!(checked.is_ok(), "{items:?}: {checked:?}"),
            Some(at) => assert_eq!(checked, Err(HistoryFault::Item(at)), "{items:?}"),
        }
    };
    for (item, fields) in ITEMS {
        expect(&[item], None);
        for (field, values) in *fields {
            values.iter().for_each(|value| expect(&[&with(item, field, value)], Some(0)));
        }
        expect(&[&with(item, "note", "[{\"any\":1.5}]")], None);
    }
    for (call, output, fields) in PAIRS {
        expect(&[call, output], None);
        for (field, values) in *fields {
            values.iter().for_each(|value| expect(&[&with(call, field, value), output], Some(0)));
        }
    }
    for (call, output, fields) in OUTPUTS {
        expect(&[call, output], None);
        for (field, values) in *fields {
            values.iter().for_each(|value| expect(&[call, &with(output, field, value)], Some(1)));
        }
    }
}

#[test]
fn strange_items_are_faults() {
    for item in ["null", "1", "\"x\"", "[]", "{}", "[[]]", "{\"type\":\"custom_tool_call\"}"] {
        assert_eq!(check(&format!("[{item}]")), Err(HistoryFault::Item(0)), "{item}");
    }
    for (surrogate, at) in [
        (r#"{"role":"user","content":"\ud800"}"#, 0),
        (r#"{"role":"user","content":[{"type":"input_text","text":"\udfff"}]}"#, 0),
        (r#"{"type":"function_call","call_id":"\ud800","name":"f","arguments":"{}"}"#, 0),
    ] {
        assert_eq!(check(&format!("[{surrogate}]")), Err(HistoryFault::Item(at)), "{surrogate}");
    }
    let foreign = [Json::Foreign];
    assert_eq!(check_history(&foreign, &plan("[]")), Err(HistoryFault::Item(0)));
    // In a field that no rule reads, too: it could not be saved.
    let mut message = parse(r#"{"role":"user","content":"x"}"#).expect("JSON");
    if let Json::Object(fields) = &mut message {
        fields.push(("metadata".into(), Json::Foreign));
    }
    assert_eq!(check_history(&[message], &plan("[]")), Err(HistoryFault::Item(0)));
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let arguments = format!("{{\\\"a\\\":{deep}}}");
    assert_eq!(check(&format!("[{}]", CALL.replace("{}", &arguments))), Err(HistoryFault::Item(0)));
}

#[test]
fn ids_repeat_only_in_references() {
    let message = r#"{"role":"user","content":"x","id":"a"}"#;
    let reference = r#"{"type":"item_reference","id":"a"}"#;
    assert!(check(&format!("[{message},{reference},{reference}]")).is_ok());
    let repeated = format!("[{message},{message}]");
    assert_eq!(check(&repeated), Err(HistoryFault::Repeated(1)));
    let empty = repeated.replace("\"a\"", "\"\"");
    assert_eq!(check(&empty), Err(HistoryFault::Repeated(1)));
}

#[test]
fn of_items_of_mcp_servers_only_the_id_is_read_here() {
    for kind in ["mcp_list_tools", "mcp_call", "mcp_approval_request", "mcp_approval_response"] {
        let item = format!(r#"{{"type":"{kind}","id":"a"}}"#);
        assert_eq!(check(&format!("[{item}]")), Ok(()));
        assert_eq!(check(&format!("[{item},{item}]")), Err(HistoryFault::Repeated(1)));
        assert_eq!(check(&format!("[{}]", with(&item, "id", "1"))), Err(HistoryFault::Item(0)));
    }
}
