//! Hostile values at every field of a checkpoint, and what tools keep of themselves; the measured
//! scenarios are played as whole runs.

use std::borrow::Cow;

use super::{FIELDS, Given, LedgerStart, MAX_COUNT, next_revision, redacted_tools, resume};
use crate::json::{Json, Text, parse};
use crate::runner::AdmissionError;

const URL: &str = "https://mcp.example/";

fn checkpoint() -> Json<'static> {
    parse(
        r#"{"version":1,"run_id":"run_1","revision":5,"phase":"boundary","max_steps":20,
        "consumed_requests":1,"tools":[{"type":"function","name":"lookup"}],
        "output_override_names":["b","a"],"history":[{"role":"user","content":"hi"},
        {"type":"function_call","id":"fc_1","call_id":"","name":"lookup","arguments":"{}"},
        {"type":"function_call_output","call_id":"","output":"done"},
        {"type":"mcp_approval_request","id":"ask_1"},
        {"type":"mcp_approval_response","approval_request_id":"ask_1","approve":true}],
        "attempted_call_ids":["","ask_1"],"returned_call_ids":["ask_1",""],
        "pending_items":[],"returned_outputs":[],"final_response":null}"#,
    )
    .expect("JSON")
}

fn resumed(checkpoint: &Json<'_>) -> Result<(), AdmissionError> {
    let tools = r#"[{"name":"lookup","type":"function"}]"#;
    let overrides = ["a".to_owned(), "b".to_owned()];
    let (run_id, now) = (Text::from("run_1"), Json::Text(Text::from("now")));
    let given =
        Given { run_id: &run_id, max_steps: None, tools, overrides: &overrides, fresh_input: &now };
    resume(checkpoint, &given).map(|resumed| {
        assert_eq!((resumed.revision, resumed.max_steps, resumed.consumed_requests), (5, 20, 1));
        assert_eq!((resumed.attempted.len(), resumed.returned.len()), (2, 2));
        assert_eq!(resumed.history.len(), 5);
    })
}

fn with_field(name: &str, value: Json<'static>) -> Json<'static> {
    let Json::Object(mut fields) = checkpoint() else { unreachable!("an object") };
    fields.retain(|(field, _)| field != name);
    fields.push((Cow::Owned(name.to_owned()), value));
    Json::Object(fields)
}

fn json(text: &'static str) -> Json<'static> {
    parse(text).expect("JSON")
}

#[test]
fn the_order_of_fields_names_and_receipts_does_not_count() {
    assert_eq!(resumed(&checkpoint()), Ok(()));
}

#[test]
fn a_value_of_another_type_is_refused_at_every_field() {
    let hostile = [
        Json::Foreign,
        Json::Bool(true),
        Json::Float(f64::NAN),
        Json::Float(1.0),
        Json::Float(1e300),
        Json::Int(i64::MAX),
        Json::Int(i64::MIN),
        Json::Text(Text::Unpaired(Cow::Borrowed(b"\xed\xa0\x80"))),
        Json::Text(Text::from("")),
        json("[1]"),
        json("[null]"),
        json(r#"["\ud800"]"#),
        json(r#"[["call_1"]]"#),
        json(r#"{"0":"call_1"}"#),
        Json::List(vec![Json::Foreign]),
    ];
    for name in FIELDS {
        for value in &hostile {
            // Items of the history are checked elsewhere; these have receipts without an answer.
            assert!(resumed(&with_field(name, value.clone())).is_err(), "{name}: {value:?}");
        }
        let Json::Object(mut fields) = checkpoint() else { unreachable!("an object") };
        fields.retain(|(field, _)| field != name);
        assert_eq!(resumed(&Json::Object(fields)), Err(AdmissionError::Checkpoint(name)));
    }
    for value in hostile {
        assert!(resumed(&value).is_err(), "{value:?}");
    }
}

#[test]
fn faults_have_their_own_codes() {
    use AdmissionError as Error;
    let cases = [
        ("note", json("null"), Error::CheckpointField),
        ("phase", json(r#""pending""#), Error::CheckpointPhase),
        ("phase", json(r#""Boundary""#), Error::Checkpoint("phase")),
        ("pending_items", json("[{}]"), Error::CheckpointPhase),
        ("returned_outputs", json("[{}]"), Error::CheckpointPhase),
        ("final_response", json("{}"), Error::CheckpointPhase),
        ("consumed_requests", json("21"), Error::Checkpoint("consumed_requests")),
        ("revision", json("9007199254740991"), Error::Checkpoint("revision")),
        ("max_steps", json("9007199254740992"), Error::Checkpoint("max_steps")),
        ("run_id", json(r#""run_2""#), Error::CheckpointMismatch("run_id")),
        ("tools", json("[]"), Error::CheckpointMismatch("tools")),
        ("output_override_names", json(r#"["a"]"#), mismatch("output_override_names")),
        ("output_override_names", json(r#"["a","a"]"#), Error::Checkpoint("output_override_names")),
        ("attempted_call_ids", json("[]"), Error::CheckpointReceipts),
        ("attempted_call_ids", json(r#"["",""]"#), Error::Checkpoint("attempted_call_ids")),
        ("history", json("[]"), Error::CheckpointReceipts),
        ("history", json(r#"[{"id":"x"},{"id":"x"}]"#), Error::Checkpoint("history")),
    ];
    for (name, value, error) in cases {
        assert_eq!(resumed(&with_field(name, value)), Err(error), "{name}");
    }
}

fn mismatch(name: &'static str) -> AdmissionError {
    AdmissionError::CheckpointMismatch(name)
}

#[test]
fn a_request_for_approval_is_no_answer_to_it() {
    let history = r#"[{"type":"function_call_output","call_id":""},
        {"type":"mcp_approval_request","id":"ask_1"}]"#;
    assert_eq!(
        resumed(&with_field("history", json(history))),
        Err(AdmissionError::CheckpointReceipts)
    );
}

#[test]
fn a_run_without_requests_left_is_admitted_and_a_last_revision_stops() {
    assert!(admission_of("consumed_requests", json("20")).is_ok());
    assert!(admission_of("revision", json("9007199254740990")).is_ok());
    assert_eq!(next_revision(MAX_COUNT - 1), Some(MAX_COUNT));
    assert_eq!(next_revision(MAX_COUNT), None);
}

fn admission_of(name: &str, value: Json<'static>) -> Result<(), AdmissionError> {
    let checkpoint = with_field(name, value);
    let given = Given {
        run_id: &Text::from("run_1"),
        max_steps: Some(20),
        tools: r#"[{"type":"function","name":"lookup"}]"#,
        overrides: &["a".to_owned(), "b".to_owned()],
        fresh_input: &Json::Text(Text::from("now")),
    };
    resume(&checkpoint, &given).map(|_| ())
}

#[test]
fn numbers_of_tools_compare_by_value() {
    let same = |one: &str, other: &str| {
        super::equal::is_same(&parse(one).expect("JSON"), &parse(other).expect("JSON"))
    };
    assert!(same(r#"{"a":1,"b":[0.5]}"#, r#"{"b":[0.5],"a":1.0}"#));
    assert!(same("-0.0", "0") && same("2.5", "2.50"));
    assert!(!same("9007199254740993", "9007199254740992.0"));
    assert!(!same("[1,2]", "[2,1]") && !same("true", "1") && !same("null", "{}"));
    assert!(!same(r#"{"a":null}"#, "{}") && !same("{}", r#"{"a":null}"#));
    assert!(!same(r#""\ud800""#, r#""\ud801""#) && same(r#""\ud800""#, r#""\ud800""#));
    assert!(!super::equal::is_same(&Json::Foreign, &Json::Foreign));
}

fn kept(tool: &str) -> Result<String, AdmissionError> {
    redacted_tools(&[parse(tool).expect("JSON")])
}

fn kept_url(url: &str) -> String {
    let tool = Json::Object(vec![
        (Cow::Borrowed("type"), Json::Text(Text::from("mcp"))),
        (Cow::Borrowed("server_url"), Json::Text(Text::from(url.to_owned()))),
    ]);
    redacted_tools(&[tool]).expect("a URL")
}

#[test]
fn rotating_credentials_keep_the_fingerprint_and_all_else_changes_it() {
    let plain = kept_url(URL);
    for same in ["HTTPS://MCP.example:443", "https://u:p@mcp.example/#f", " https://mcp.example/\n"]
    {
        assert_eq!(kept_url(same), plain, "{same}");
    }
    for other in ["http://mcp.example/", "https://mcp.example/a", "https://mcp.example/?tokens=1"] {
        assert_ne!(kept_url(other), plain, "{other}");
    }
    let masked = kept_url("https://mcp.example/?Api_Key=1&x=a%20b");
    assert_eq!(kept_url("https://mcp.example/?Api_Key=%20&x=a+b"), masked);
    for other in ["?Api_Key=1&x=c", "?Api_Key=1", "?x=a+b&Api_Key=1", "?api-key=1&x=a+b"] {
        assert_ne!(kept_url(&format!("https://mcp.example/{other}")), masked, "{other}");
    }
}

#[test]
fn no_secret_is_kept() {
    let mcp = kept(
        r#"{"headers":{"x":"SECRET"},"type":"mcp","authorization":"SECRET","server_label":"s",
        "server_url":"https://SECRET@mcp.example/?sig=SECRET#SECRET","allowed_tools":["a"]}"#,
    )
    .expect("a tool");
    assert!(mcp.starts_with(r#"[{"type":"mcp","server_label":"s","server_url":"sha256:"#), "{mcp}");
    assert!(mcp.ends_with(r#"","allowed_tools":["a"]}]"#), "{mcp}");
    let code = kept(
        r#"{"type":"code_interpreter","container":{"type":"auto","network_policy":{"type":"allowlist",
        "allowed_domains":["a.example"],"domain_secrets":[{"value":"SECRET","name":"n",
        "domain":"a.example","more":"SECRET"}]}}}"#,
    );
    let expected = r#"[{"type":"code_interpreter","container":{"type":"auto","network_policy":{"type":"allowlist","allowed_domains":["a.example"],"domain_secrets":[{"domain":"a.example","name":"n"}]}}}]"#;
    assert_eq!(code.as_deref(), Ok(expected));
}

#[test]
fn tools_of_other_kinds_and_connectors_are_kept_as_they_are() {
    for tool in [
        r#"{"type":"mcp","server_label":"s","connector_id":"c"}"#,
        r#"{"type":"mcp","server_label":"s","server_url":null}"#,
        r#"{"strict":false,"type":"function","headers":{"x":1},"name":"\ud800","limit":0.5}"#,
        r#"{"type":"code_interpreter","container":"c","domain_secrets":null}"#,
        "{}",
    ] {
        assert_eq!(kept(tool), Ok(format!("[{tool}]")));
    }
    assert_eq!(redacted_tools(&[]).as_deref(), Ok("[]"));
}

#[test]
fn tools_that_no_checkpoint_can_keep_are_refused() {
    let object = |value| Json::Object(vec![(Cow::Borrowed("a"), value)]);
    let mut deep = Json::Null;
    for _ in 0..1_000 {
        deep = Json::List(vec![deep]);
    }
    for tool in
        [Json::Null, object(Json::Foreign), object(Json::Float(f64::INFINITY)), object(deep)]
    {
        assert_eq!(redacted_tools(&[tool]), Err(AdmissionError::LedgerTools));
    }
    for secrets in ["{\"v\":\"SECRET\"}", "[\"SECRET\"]", "\"SECRET\""] {
        let tool =
            format!(r#"{{"type":"code_interpreter","container":{{"domain_secrets":{secrets}}}}}"#);
        assert_eq!(kept(&tool), Err(AdmissionError::LedgerTools), "{secrets}");
    }
    for url in
        ["1", "\"\"", "\"not a url\"", "\"https://\"", "\"\\ud800\"", "[\"https://a.example\"]"]
    {
        let tool = format!(r#"{{"type":"mcp","server_url":{url}}}"#);
        assert_eq!(kept(&tool), Err(AdmissionError::McpUrl), "{url}");
    }
}

#[test]
fn the_deepest_tool_that_is_kept_can_be_read_again() {
    let nested = |levels: usize| format!(r#"{{"a":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
    let deepest = kept(&nested(124)).expect("124 lists in an object");
    assert!(parse(&format!(r#"{{"tools":{deepest}}}"#)).is_ok());
    assert!(parse(&format!(r#"{{"tools":[{deepest}]}}"#)).is_err());
    assert_eq!(kept(&nested(125)), Err(AdmissionError::LedgerTools));
}

#[test]
fn what_says_nothing_is_no_observation() {
    let is_observation = |input: &str| super::observation::is_observation(&json_of(input));
    for input in [
        r#""\u200b""#,
        r#"[{"role":"user","content":[{"type":"input_text","text":" "},
            {"type":"input_image","file_id":"f"}]}]"#,
        r#"[null,{"role":"user","content":"now"},7]"#,
    ] {
        assert!(is_observation(input), "{input}");
    }
    for input in [
        "null",
        "\"\"",
        r#"" \ufeff\u0085\u001c""#,
        "{}",
        "[[]]",
        r#"[{"role":"developer","content":"x"}]"#,
        r#"[{"role":["user"],"content":"x"}]"#,
        r#"[{"type":"function_call_output","role":"user","content":"x"}]"#,
        r#"[{"type":null,"role":"user","content":"x"}]"#,
        r#"[{"role":"user","content":null}]"#,
        r#"[{"role":"user","content":["x"]}]"#,
        r#"[{"role":"user","content":[{"type":"output_text","text":"x"}]}]"#,
        r#"[{"role":"user","content":[{"type":"input_image","image_url":null,"detail":"auto"}]}]"#,
        r#"[{"role":"user","content":[{"type":"input_file","filename":"x","file_id":""}]}]"#,
        r#"[{"role":"user","content":"\ud800"}]"#,
    ] {
        assert!(!is_observation(input), "{input}");
    }
}

fn json_of(text: &str) -> Json<'static> {
    parse(text).expect("JSON").into_owned()
}

#[test]
fn run_ids_are_texts_that_are_not_empty() {
    let read = |run_id: Json<'static>| {
        let ledger = Json::Object(vec![(Cow::Borrowed("run_id"), run_id)]);
        LedgerStart::read(&ledger).map(|start| start.run_id.as_bytes().to_vec())
    };
    assert_eq!(read(Json::Text(Text::from(" "))), Ok(b" ".to_vec()));
    let lone: &[u8] = b"\xed\xa0\x80";
    assert_eq!(read(Json::Text(Text::Unpaired(Cow::Borrowed(lone)))), Ok(lone.to_vec()));
    for run_id in [Json::Text(Text::from("")), Json::Int(1), Json::Null, Json::Foreign] {
        assert_eq!(read(run_id), Err(AdmissionError::LedgerRunId));
    }
    assert_eq!(LedgerStart::read(&Json::Null).err(), Some(AdmissionError::Ledger));
    let started = json(r#"{"run_id":"r","resume_from":null}"#);
    assert!(LedgerStart::read(&started).is_ok_and(|start| start.resume_from.is_none()));
    let resuming = json(r#"{"run_id":"r","resume_from":false}"#);
    assert!(LedgerStart::read(&resuming).is_ok_and(|start| start.resume_from.is_some()));
}

/// L-4: a response repeats the tools of its request, with whatever the service keeps of them.
#[test]
fn tools_of_a_response_are_kept_without_secrets_or_not_at_all() {
    let tools = parse(
        r#"[{"type":"mcp","server_label":"s","server_url":"https://u:pw@x.test/?token=SECRET",
            "headers":{"k":"SECRET"},"authorization":"SECRET"},{"type":"function","name":"f"}]"#,
    )
    .expect("JSON");
    let saved = super::saved_tools(&tools).expect("tools");
    assert!(!saved.contains("SECRET") && !saved.contains("pw@"), "{saved}");
    assert!(saved.contains("sha256:") && saved.contains(r#"{"type":"function","name":"f"}"#));
    for broken in
        ["null", "{}", r#"[{"type":"mcp","server_label":"s","server_url":"no url"}]"#, "[1]"]
    {
        assert_eq!(super::saved_tools(&parse(broken).expect("JSON")), None, "{broken}");
    }
}
