//! Hostile declarations, items and histories of MCP servers; the measured scenarios are played as whole
//! runs.

use super::history::Imported;
use super::{McpApprovals, McpRequest, McpServers};
use crate::error::Stop;
use crate::json::{Json, parse};
use crate::runner::choice::ToolChoice;
use crate::runner::{AdmissionError, Identities};

#[test]
fn a_label_is_a_text_that_no_other_server_has() {
    let labels = [r#""""#, "1", "null", "[]", "{}", r#""\ud800""#];
    for label in labels {
        let tool = format!(r#"{{"type":"mcp","server_label":{label}}}"#);
        assert_eq!(read(&[&tool]).err(), Some(AdmissionError::McpServerLabel), "{label}");
    }
    assert_eq!(read(&[r#"{"type":"mcp"}"#]).err(), Some(AdmissionError::McpServerLabel));
    let server = r#"{"type":"mcp","server_label":"s"}"#;
    let twice = Some(AdmissionError::McpServerTwice("s".to_owned()));
    assert_eq!(read(&[server, r#"{"type":"web_search"}"#, server]).err(), twice);
    assert!(read(&[r#"{"type":"web_search","server_label":1}"#]).expect("no server").is_empty());
}

#[test]
fn forms_that_are_not_known_are_refused() {
    let policies = [
        r#""sometimes""#,
        r#""Never""#,
        r#""never\ud800""#,
        "true",
        "0",
        "[]",
        r#"["t"]"#,
        r#"{"nevr":{}}"#,
        r#"{"never":{},"other":1}"#,
        r#"{"never":"t"}"#,
        r#"{"never":["t"]}"#,
        r#"{"never":true}"#,
        r#"{"never":{"tool_name":["t"]}}"#,
        r#"{"never":{"tool_names":null}}"#,
        r#"{"never":{"tool_names":"t"}}"#,
        r#"{"never":{"tool_names":["t",1]}}"#,
        r#"{"never":{"tool_names":["\udc00"]}}"#,
        r#"{"never":{"read_only":null}}"#,
        r#"{"never":{"read_only":1}}"#,
        r#"{"always":{"read_only":"true"},"never":{}}"#,
    ];
    for policy in policies {
        let tool = declared(&format!(r#""require_approval":{policy}"#));
        let refusal = AdmissionError::McpRequireApproval("s".to_owned());
        assert_eq!(read(&[&tool]).err(), Some(refusal), "{policy}");
    }
    let allowed = [
        r#""t""#,
        "true",
        "1.0",
        "[1]",
        r#"["t",null]"#,
        r#"{"tool_names":null}"#,
        r#"{"names":["t"]}"#,
        r#"{"read_only":[]}"#,
    ];
    for allowed in allowed {
        let tool = declared(&format!(r#""allowed_tools":{allowed}"#));
        let refusal = AdmissionError::McpAllowedTools("s".to_owned());
        assert_eq!(read(&[&tool]).err(), Some(refusal), "{allowed}");
    }
}

#[test]
fn a_host_value_without_json_form_is_refused() {
    for name in ["server_label", "require_approval", "allowed_tools"] {
        let mut fields = vec![("type", "mcp".into()), ("server_label", "s".into())];
        fields.push((name, Json::Foreign));
        assert!(McpServers::read(&[object(fields)]).is_err(), "{name}");
    }
}

#[test]
fn annotations_leave_the_decision_to_the_service() {
    for policy in [r#"{"always":{"read_only":false}}"#, r#"{"never":{"read_only":true}}"#, "{}"] {
        let mut run = Run::of(&format!(r#""require_approval":{policy}"#));
        assert!(run.inspect(REQUEST).is_ok(), "{policy}");
        assert!(run.inspect(CALL).is_ok(), "{policy}");
    }
    let other = r#""require_approval":{"never":{"read_only":true,"tool_names":["u"]}}"#;
    assert_eq!(Run::of(other).inspect(CALL), Err(Stop::McpNotApproved));
}

#[test]
fn an_approval_covers_one_call_of_exactly_what_was_asked() {
    let call = |changes: &str| with(APPROVED_CALL, changes);
    for changes in [
        r#""name":"u""#,
        r#""server_label":"other""#,
        r#""arguments":"{ }""#,
        r#""approval_request_id":"ask_2""#,
        r#""approval_request_id":"""#,
        r#""approval_request_id":null"#,
    ] {
        let mut run = Run::of("").approve(REQUEST, true);
        assert_eq!(run.inspect(&call(changes)), Err(Stop::McpNotApproved), "{changes}");
    }
    let mut run = Run::of("").approve(REQUEST, true);
    assert_eq!(run.inspect(APPROVED_CALL), Ok(()));
    assert_eq!(run.inspect(&call(r#""id":"call_2""#)), Err(Stop::McpNotApproved));
    let mut refused = Run::of("").approve(REQUEST, false);
    assert_eq!(refused.inspect(APPROVED_CALL), Err(Stop::McpNotApproved));
    // An approval that is not needed does not cover anything either.
    let mut free = Run::of(r#""require_approval":"never""#);
    assert_eq!(free.inspect(APPROVED_CALL), Err(Stop::McpNotApproved));
}

#[test]
fn a_call_that_is_not_over_leaves_the_approval() {
    for changes in [r#""status":"failed""#, r#""status":null"#, r#""error":{"code":1}"#] {
        let mut run = Run::of("").approve(REQUEST, true);
        let unfinished = with(APPROVED_CALL, changes);
        assert_eq!(run.inspect(&unfinished), Err(Stop::ResponseIncomplete), "{changes}");
        assert_eq!(run.inspect(APPROVED_CALL), Ok(()), "{changes}");
    }
}

#[test]
fn fields_of_other_types_are_malformed() {
    let wrong = ["null", "1", "1.0", "true", "[]", "{}", r#""\udfff""#];
    for (item, names) in [
        (REQUEST, &["id", "server_label", "name", "arguments"][..]),
        (CALL, &["id", "server_label", "name", "arguments"]),
        (LIST, &["id", "server_label", "tools"]),
    ] {
        for name in names {
            for value in wrong.iter().filter(|value| (*name, **value) != ("tools", "[]")) {
                let item = with(item, &format!(r#""{name}":{value}"#));
                let stop = Run::of(FREE).inspect(&item);
                assert_eq!(stop, Err(Stop::ResponseMalformed), "{item}");
            }
        }
    }
    for changes in [r#""output":1"#, r#""output":["o"]"#, r#""approval_request_id":1"#] {
        let stop = Run::of(FREE).inspect(&with(CALL, changes));
        assert_eq!(stop, Err(Stop::ResponseMalformed), "{changes}");
    }
    for tool in ["1", "null", "{}", r#"{"name":"t"}"#, r#"{"input_schema":{}}"#] {
        let stop = Run::of("").inspect(&with(LIST, &format!(r#""tools":[{tool}]"#)));
        assert_eq!(stop, Err(Stop::ResponseMalformed), "{tool}");
    }
    let empty_name = with(REQUEST, r#""name":"""#);
    assert_eq!(Run::of(FREE).inspect(&empty_name), Err(Stop::ResponseMalformed));
}

#[test]
fn the_choice_binds_calls_and_requests_but_not_lists() {
    let named = |name: &str| format!(r#"{{"type":"mcp","server_label":"s"{name}}}"#);
    let choices = [
        (named(""), true),
        (named(r#","name":null"#), true),
        (named(r#","name":"t""#), true),
        (named(r#","name":"u""#), false),
        (named(r#","name":1"#), false),
        (r#"{"type":"mcp","server_label":"other"}"#.to_owned(), false),
        (r#"{"type":"mcp"}"#.to_owned(), false),
        (r#"{"type":"web_search"}"#.to_owned(), false),
        (r#""required""#.to_owned(), true),
        (r#""none""#.to_owned(), false),
        (
            r#"{"type":"allowed_tools","mode":"required","tools":[{"type":"mcp","server_label":"s"}]}"#
                .to_owned(),
            true,
        ),
    ];
    for (choice, is_allowed) in choices {
        let choice = parse(&choice).expect("JSON");
        let choice = ToolChoice::read(Some(&choice), true).expect("a choice");
        let mut run = Run { choice, ..Run::of(FREE) };
        let expected = if is_allowed { Ok(()) } else { Err(Stop::ChoiceViolated) };
        assert_eq!(run.inspect(CALL), expected, "{:?}", run.choice);
        assert_eq!(run.inspect(REQUEST), expected, "{:?}", run.choice);
        assert_eq!(run.inspect(LIST), Ok(()), "{:?}", run.choice);
    }
}

#[test]
fn a_history_keeps_what_is_settled_and_asks_for_the_rest() {
    let asked = |history: &[&str]| {
        let imported = import("", history).expect("a sound history");
        imported.unused.iter().map(|again| (again.request_at, again.answer_at)).collect::<Vec<_>>()
    };
    assert_eq!(asked(&[REQUEST, YES]), [(0, 1)]);
    assert_eq!(asked(&[REQUEST, NO]), []);
    assert_eq!(asked(&[REQUEST, YES, APPROVED_CALL]), []);
    assert_eq!(asked(&[REQUEST, YES, &with(APPROVED_CALL, r#""status":"failed""#)]), [(0, 1)]);
    assert_eq!(asked(&[CALL, LIST, "1", "null", r#"{"type":1}"#]), []);
    let second = |item: &str| with(item, r#""id":"ask_2","approval_request_id":"ask_2""#);
    let (request, yes) = (second(REQUEST), second(YES));
    assert_eq!(asked(&[REQUEST, &request, &yes, YES]), [(1, 2), (0, 3)]);
    // What is settled no longer needs the server.
    for history in [&[REQUEST, NO][..], &[REQUEST, YES, APPROVED_CALL]] {
        let history: Vec<Json<'_>> = history.iter().map(|i| parse(i).expect("JSON")).collect();
        assert!(McpServers::default().imported(&history).expect("sound").unused.is_empty());
    }
}

#[test]
fn an_imported_approval_counts_for_nothing_until_it_is_given_again() {
    let Imported { approvals, unused } = import("", &[REQUEST, YES]).expect("a sound history");
    let mut run = Run { approvals, ..Run::of("") };
    assert_eq!(run.inspect(APPROVED_CALL), Err(Stop::McpNotApproved));
    run.approvals.decide(&unused[0].request, true);
    assert_eq!(run.inspect(APPROVED_CALL), Ok(()));
}

#[test]
fn a_history_that_does_not_fit_together_stops_the_run() {
    let other_call = with(APPROVED_CALL, r#""arguments":"[]""#);
    let second_call = with(APPROVED_CALL, r#""id":"call_2""#);
    let foreign = with(REQUEST, r#""server_label":"x""#);
    let histories: &[&[&str]] = &[
        &[YES],
        &[REQUEST],
        &[YES, REQUEST],
        &[REQUEST, REQUEST, YES],
        &[REQUEST, YES, REQUEST],
        &[REQUEST, YES, YES],
        &[REQUEST, YES, NO],
        &[REQUEST, NO, APPROVED_CALL],
        &[REQUEST, APPROVED_CALL, YES],
        &[REQUEST, YES, APPROVED_CALL, &second_call],
        &[REQUEST, YES, &other_call],
        &[APPROVED_CALL],
        &[&foreign, YES],
    ];
    for history in histories {
        assert_eq!(import("", history).err(), Some(Stop::McpHistory), "{history:?}");
    }
    for declared in [FREE, r#""allowed_tools":["u"]"#] {
        let policy = declared.replace("{}", r#""never""#);
        assert_eq!(import(&policy, &[REQUEST, YES]).err(), Some(Stop::McpHistory), "{declared}");
    }
    for (item, name) in [
        (REQUEST, "id"),
        (REQUEST, "server_label"),
        (REQUEST, "name"),
        (REQUEST, "arguments"),
        (YES, "approval_request_id"),
        (YES, "approve"),
        (APPROVED_CALL, "approval_request_id"),
        (APPROVED_CALL, "name"),
    ] {
        for value in ["1", "1.0", "[]", "{}", r#""\ud800""#] {
            let broken = with(item, &format!(r#""{name}":{value}"#));
            let history =
                [REQUEST, YES, APPROVED_CALL].map(|i| if i == item { &*broken } else { i });
            assert_eq!(import("", &history).err(), Some(Stop::McpHistory), "{broken}");
        }
    }
}

#[test]
fn a_request_in_the_history_takes_a_call_id() {
    let history = [REQUEST, YES].map(|item| parse(item).expect("JSON"));
    let mut seen = Identities::of_items(&history).expect("ids that are there once");
    assert!(!seen.add(&[], &["ask_1".to_owned()]));
}

#[test]
fn arguments_are_not_in_debug_output() {
    let secret = with(REQUEST, r#""arguments":"hunter2""#);
    let request = McpRequest::read(&parse(&secret).expect("JSON")).expect("a request");
    assert!(!format!("{request:?}").contains("hunter2"));
}

/// A declaration that leaves approval to the service.
const FREE: &str = r#""require_approval":{}"#;
const REQUEST: &str = r#"{"type":"mcp_approval_request","id":"ask_1","server_label":"s","name":"t","arguments":"{}"}"#;
const YES: &str =
    r#"{"type":"mcp_approval_response","approval_request_id":"ask_1","approve":true}"#;
const NO: &str =
    r#"{"type":"mcp_approval_response","approval_request_id":"ask_1","approve":false}"#;
const CALL: &str = r#"{"type":"mcp_call","id":"call_1","server_label":"s","name":"t","arguments":"{}","output":"o"}"#;
const APPROVED_CALL: &str = r#"{"type":"mcp_call","id":"call_1","server_label":"s","name":"t","arguments":"{}","output":"o","approval_request_id":"ask_1"}"#;
const LIST: &str = r#"{"type":"mcp_list_tools","id":"list_1","server_label":"s","tools":[{"name":"t","input_schema":null}]}"#;

struct Run {
    servers: McpServers,
    approvals: McpApprovals,
    choice: ToolChoice,
}

impl Run {
    /// With the server `s`, declared with these further fields, and the server `other`.
    fn of(fields: &str) -> Self {
        let servers = read(&[&declared(fields), r#"{"type":"mcp","server_label":"other"}"#]);
        Self {
            servers: servers.expect("servers"),
            approvals: McpApprovals::default(),
            choice: ToolChoice::Any,
        }
    }

    fn approve(mut self, request: &str, approve: bool) -> Self {
        let request = McpRequest::read(&parse(request).expect("JSON")).expect("a request");
        self.approvals.decide(&request, approve);
        self
    }

    fn inspect(&mut self, item: &str) -> Result<(), Stop> {
        let item = parse(item).expect("JSON");
        let kind = item.field("type").and_then(Json::as_str).expect("a kind");
        self.servers.inspect(kind, &item, &self.choice, &mut self.approvals).map(drop)
    }
}

fn import(fields: &str, history: &[&str]) -> Result<Imported, Stop> {
    let history: Vec<Json<'_>> = history.iter().map(|item| parse(item).expect("JSON")).collect();
    Run::of(fields).servers.imported(&history)
}

fn read(tools: &[&str]) -> Result<McpServers, AdmissionError> {
    let tools: Vec<Json<'_>> = tools.iter().map(|tool| parse(tool).expect("JSON")).collect();
    McpServers::read(&tools)
}

fn declared(fields: &str) -> String {
    with(r#"{"type":"mcp","server_label":"s"}"#, fields)
}

/// The object with further fields; the last of equal names counts.
fn with(object: &str, fields: &str) -> String {
    let open = object.strip_suffix('}').expect("an object");
    if fields.is_empty() { object.to_owned() } else { format!("{open},{fields}}}") }
}

fn object<'v>(fields: Vec<(&'v str, Json<'v>)>) -> Json<'v> {
    Json::Object(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

impl<'v> From<&'v str> for Json<'v> {
    fn from(text: &'v str) -> Self {
        Json::Text(text.into())
    }
}
