//! Rehearsals over real HTTP, by the native client (D-8).

mod support;

use serde_json::{Value, json};
use support::{
    Record, asking, client, client_with, go_on, raw, said, send, start, start_with, stream,
};
use swingbridge_client::{ClientError, ConnectionFault};
use swingbridge_rehearsal::{Options, Script, Server};
use tokio::io::AsyncReadExt;

const LOOP: &str = r"
turns:
  - reasoning: look first
    function_call: { name: lookup, arguments: { id: 7 } }
  - expect: { output_for: call_1_1, output_contains: { call_1_1: found } }
    browser_read_page: { filter: interactive }
  - message: All is well.
";

#[tokio::test]
async fn a_script_is_played_turn_by_turn() {
    let server = start(LOOP).await;
    let client = client(&server);
    let mut body = asking("go");
    let first = send(&client, &body).await.expect("a response");
    assert_eq!(first["id"], "resp_1");
    assert_eq!((&first["status"], &first["model"]), (&json!("completed"), &json!("m")));
    let output = first["output"].as_array().expect("items");
    assert_eq!(output[0]["summary"], json!([{"type": "summary_text", "text": "look first"}]));
    assert_eq!(output[1]["name"], "lookup");
    assert_eq!(output[1]["arguments"], r#"{"id":7}"#);
    go_on(&mut body, &first, "found it");
    let second = send(&client, &body).await.expect("a response");
    let arguments = second["output"][0]["arguments"].as_str().expect("a text");
    let arguments: Value = serde_json::from_str(arguments).expect("JSON");
    assert_eq!(arguments, json!({"filter": "interactive", "tab_id": null}));
    go_on(&mut body, &second, "{}");
    assert_eq!(server.turns_left(), 1);
    let last = send(&client, &body).await.expect("a response");
    assert_eq!(last["output"][0]["content"][0]["text"], "All is well.");
    assert!(last["usage"]["total_tokens"].as_u64().is_some_and(|tokens| tokens > 10));
    go_on(&mut body, &last, "");
    let fault = send(&client, &body).await.expect_err("the script is over");
    assert_eq!(said(&fault).2.as_deref(), Some("rehearsal_over"));
    let seen = server.requests();
    let turns: Vec<_> = seen.iter().map(|seen| (seen.status, seen.turn)).collect();
    assert_eq!(turns, [(200, Some(0)), (200, Some(1)), (200, Some(2)), (400, None)]);
    assert!(seen.iter().all(|seen| seen.path == "/v1/responses" && seen.idempotency_key.is_some()));
    assert_eq!(serde_json::from_slice::<Value>(&seen[0].body).expect("JSON"), asking("go"));
    server.stop().await.expect("an end");
}

#[tokio::test]
async fn a_stream_says_the_same_as_a_plain_reply() {
    let script = r"
turns:
  - output:
      - reasoning: [one, two]
      - message: { text: 'A text of some length, with é and 😀 in it.', phase: commentary }
      - message: { refusal: I will not. }
      - function_call: { name: f, arguments: { a: 'long enough for two deltas' } }
      - computer_call: [{ type: wait }]
      - web_search_call: { action: { type: search, query: q } }
      - mcp_call: { server_label: s, name: n, arguments: { a: 1 }, output: o }
";
    let plain = send(&client(&start(script).await), &asking("go")).await.expect("a response");
    for split in [None, Some(1), Some(7)] {
        let split = split.map_or(String::new(), |bytes| format!("    split_bytes: {bytes}\n"));
        let server = start(&format!("{script}{split}")).await;
        let (events, fault) = stream(&client(&server), &asking("go")).await;
        assert_eq!(fault, None);
        let numbers: Vec<_> =
            events.iter().map(|event| event["sequence_number"].as_u64()).collect();
        assert_eq!(numbers, (0..events.len() as u64).map(Some).collect::<Vec<_>>());
        assert_eq!(events[0]["type"], "response.created");
        assert_eq!(events[0]["response"]["output"], json!([]));
        let last = events.last().expect("events");
        assert_eq!(last["type"], "response.completed");
        assert_eq!(last["response"]["output"], plain["output"]);
        let done: Vec<_> = events
            .iter()
            .filter(|event| event["type"] == "response.output_item.done")
            .map(|event| event["item"].clone())
            .collect();
        assert_eq!(Value::from(done), plain["output"]);
        for (kind, field) in [
            ("response.output_text", "text"),
            ("response.refusal", "refusal"),
            ("response.function_call_arguments", "arguments"),
            ("response.mcp_call_arguments", "arguments"),
            ("response.reasoning_summary_text", "text"),
        ] {
            let of = |end: &str, field: &str| -> String {
                let kind = format!("{kind}.{end}");
                let events = events.iter().filter(|event| event["type"] == *kind);
                events.map(|event| event[field].as_str().expect("a text")).collect()
            };
            assert!(!of("done", field).is_empty(), "{kind}");
            assert_eq!(of("delta", "delta"), of("done", field), "{kind}");
        }
    }
}

/// A script may write items that no model would send, so that a program can be tried with them.
#[tokio::test]
async fn parts_that_are_none_are_streamed_as_they_are() {
    let script = r"
turns:
  - response: { id: 8, status: 7, output: [1, null, x, { content: { a: 1 } }, { content: [x, 5, null, [1]], summary: [3], type: mcp_call, arguments: 5 }] }
";
    let server = start(script).await;
    let (events, fault) = stream(&client(&server), &asking("go")).await;
    assert_eq!(fault, None);
    let last = &events.last().expect("events")["response"];
    assert_eq!(last["output"][4]["content"], json!(["x", 5, null, [1]]));
}

#[tokio::test]
async fn other_ends_of_a_response_are_told_as_the_service_does() {
    let script = r"
turns:
  - { status: incomplete, message: half, usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } }
  - { status: failed }
";
    for streams in [false, true] {
        let server = start(script).await;
        let client = client(&server);
        let mut ends = Vec::new();
        for kind in ["response.incomplete", "response.failed"] {
            ends.push(if streams {
                let (events, _) = stream(&client, &asking("go")).await;
                let last = events.last().expect("events").clone();
                assert_eq!(last["type"], kind);
                last["response"].clone()
            } else {
                send(&client, &asking("go")).await.expect("a response")
            });
        }
        assert_eq!(ends[0]["status"], "incomplete");
        assert_eq!(ends[0]["incomplete_details"]["reason"], "max_output_tokens");
        assert_eq!(ends[0]["usage"]["total_tokens"], 3);
        assert_eq!(ends[1]["status"], "failed");
        assert_eq!(ends[1]["error"]["code"], "server_error");
    }
}

#[tokio::test]
async fn errors_are_answers_that_a_client_gets_over() {
    let script = r"
turns:
  - error: { status: 429, code: rate_limit_exceeded, message: slow down, retry_after: 3 }
  - { error: { status: 500 }, delay_ms: 1 }
  - message: at last
  - error: { status: 404, code: model_not_found, param: model, type: x, message: no such model }
";
    let server = start(script).await;
    let client = client(&server);
    let response = send(&client, &asking("go")).await.expect("a response");
    assert_eq!(response["output"][0]["content"][0]["text"], "at last");
    let keys: Vec<_> = server.requests().into_iter().map(|seen| seen.idempotency_key).collect();
    assert!(keys.len() == 3 && keys.iter().all(|key| *key == keys[0]));
    let fault = send(&client, &asking("go")).await.expect_err("a fault");
    let found = fault.service().expect("a status");
    assert_eq!((found.status, found.kind.as_deref()), (404, Some("x")));
    assert_eq!(
        (found.param.as_deref(), found.code.as_deref()),
        (Some("model"), Some("model_not_found"))
    );
}

#[tokio::test]
async fn an_error_may_come_within_a_stream() {
    let record = Record::default();
    let script = "turns: [{ error: { status: 503, code: c, message: m, as_event: true } }]";
    let server = start_with(script, record.options()).await;
    let (events, fault) = stream(&client(&server), &asking("go")).await;
    let event =
        json!({"type": "error", "sequence_number": 0, "code": "c", "message": "m", "param": null});
    assert_eq!((events, fault), (vec![event.clone()], None));
    let replay = Script::from_transcript(&record.text()).expect("a script");
    let server = Server::start(replay, Options::default()).await.expect("a server");
    assert_eq!(stream(&client(&server), &asking("go")).await.0, [event]);
    let server = start(script).await;
    let mut plain = support::request(&asking("go"));
    plain.max_retries = Some(0);
    let fault = client(&server).send(plain).await.expect_err("a fault");
    assert_eq!(said(&fault), (503, "m".to_owned(), Some("c".to_owned())));
}

#[tokio::test]
async fn a_cut_breaks_the_connection() {
    let script = "turns: [{ message: some text, cut_after_events: 4 }, { message: more }]";
    let lost = Some(ClientError::Connection(ConnectionFault::LostWithin));
    let server = start(script).await;
    let client = client(&server);
    let (events, fault) = stream(&client, &asking("go")).await;
    assert_eq!((events.len(), fault), (4, lost.clone()));
    let (events, fault) = stream(&client, &asking("go")).await;
    assert_eq!(
        (events.last().expect("events")["type"].as_str(), fault),
        (Some("response.completed"), None)
    );
    let server = start(script).await;
    assert_eq!(send(&support::client(&server), &asking("go")).await.err(), lost);
}

#[tokio::test]
async fn what_is_not_as_expected_is_refused_and_takes_no_turn() {
    let script = r"
turns:
  - expect:
      text: [Book, table]
      no_text: secret
      tool: [lookup, shop, computer]
      no_tool: delete
      stream: false
    message: done
";
    let server = start(script).await;
    let client = client(&server);
    let mut body = asking("Book a table");
    body["instructions"] = "be brief".into();
    body["tools"] = json!([
        {"type": "function", "name": "lookup", "parameters": {}},
        {"type": "mcp", "server_label": "shop", "server_url": "https://example.com"},
        {"type": "computer"},
    ]);
    for (change, missed) in [
        (("instructions", json!("the secret")), "no text \"secret\" in the input"),
        (("input", json!("a table")), "the text \"Book\" in the input"),
        (("tools", json!([{"type": "computer"}])), "a declared tool \"lookup\""),
        (
            ("tools", json!([{"type": "function", "name": "computer"}])),
            "a declared tool \"lookup\"",
        ),
    ] {
        let mut changed = body.clone();
        changed[change.0] = change.1;
        let fault = send(&client, &changed).await.expect_err("a refusal");
        let (status, message, code) = said(&fault);
        assert_eq!((status, code.as_deref()), (400, Some("expectation_failed")));
        assert_eq!(message, format!("turn 1 expects {missed}, which the request does not have"));
    }
    body["stream"] = true.into();
    let fault = send(&client, &body).await.expect_err("a refusal");
    assert!(said(&fault).1.contains("a request for a plain reply"));
    body["stream"] = false.into();
    send(&client, &body).await.expect("all is as expected");
}

#[tokio::test]
async fn what_the_service_refuses_is_refused() {
    let server = start(LOOP).await;
    let client = client(&server);
    let mut body = asking("go");
    let first = send(&client, &body).await.expect("a response");
    go_on(&mut body, &first, "found it");
    let without = |index: usize| {
        let mut body = body.clone();
        body["input"].as_array_mut().expect("a list").remove(index);
        body
    };
    for (changed, param, code) in [
        (json!({"input": "hi"}), "model", Some("missing_required_parameter")),
        (without(3), "input[2].call_id", None),
        (without(2), "input[2].call_id", None),
        // The reasoning that led to the call: the server remembers.
        (without(1), "input[1]", None),
    ] {
        let fault = send(&client, &changed).await.expect_err("a refusal");
        let found = fault.service().expect("a status");
        assert_eq!(
            (found.status, found.param.as_deref(), found.code.as_deref()),
            (400, Some(param), code)
        );
        assert_eq!(found.kind.as_deref(), Some("invalid_request_error"));
    }
    let fault = client.send(swingbridge_client::Request::new("responses", vec!["{".into()])).await;
    assert_eq!(said(&fault.expect_err("a refusal")).1, "the body is not JSON");
    send(&client, &body).await.expect("the turn was not taken");
}

#[tokio::test]
async fn references_of_a_page_are_filled_in() {
    let script = r#"
turns:
  - browser_read_page: { filter: interactive }
  - browser_type: { target: "${ref:Your \"name\"}", text: Robin }
"#;
    let server = start(script).await;
    let client = client(&server);
    let mut body = asking("go");
    let first = send(&client, &body).await.expect("a response");
    let mut other = body.clone();
    go_on(&mut other, &first, r#"{"ok":true,"result":"no elements"}"#);
    let fault = send(&client, &other).await.expect_err("a refusal");
    assert_eq!(said(&fault).2.as_deref(), Some("expectation_failed"));
    let report = json!({"ok": true, "result": {"elements": [
        {"ref": "e1", "role": "button", "label": "Send"},
        {"ref": "e\"2", "role": "textbox", "label": "Your \"name\""},
    ]}});
    go_on(&mut body, &first, &report.to_string());
    let second = send(&client, &body).await.expect("a response");
    let arguments = second["output"][0]["arguments"].as_str().expect("a text");
    let arguments: Value = serde_json::from_str(arguments).expect("JSON");
    assert_eq!(arguments, json!({"target": "e\"2", "text": "Robin", "tab_id": null}));
}

#[tokio::test]
async fn words_of_an_output_are_filled_in() {
    let script = r#"
turns:
  - function_call: { name: look_up }
  - message: "It is ${after:Number:}, not ${later} or ${after."
"#;
    let read = json!({"ok": true, "result": "Booked\nNumber: A-7\nFriday"}).to_string();
    for (output, wanted) in [
        (read.as_str(), Some("It is A-7, not ${later} or ${after.")),
        ("Number:  B9\n", Some("It is B9, not ${later} or ${after.")),
        ("Number: ", None),
        ("no such thing", None),
    ] {
        let server = start(script).await;
        let client = client(&server);
        let mut body = asking("Number: of the question");
        let first = send(&client, &body).await.expect("a response");
        go_on(&mut body, &first, output);
        match (send(&client, &body).await, wanted) {
            (Ok(response), Some(wanted)) => {
                assert_eq!(response["output"][0]["content"][0]["text"], wanted);
            }
            (Err(fault), None) => {
                assert_eq!(said(&fault).2.as_deref(), Some("expectation_failed"));
            }
            (found, _) => unreachable!("{found:?}"),
        }
    }
}

#[tokio::test]
async fn a_script_that_repeats_serves_several_runs_at_once() {
    let server = start(&format!("repeat: true\n{LOOP}")).await;
    let runs: Vec<_> = (0..8)
        .map(|_| {
            let client = client(&server);
            tokio::spawn(async move {
                let mut body = asking("go");
                for _ in 0..3 {
                    let response = send(&client, &body).await.expect("a response");
                    go_on(&mut body, &response, "found it");
                }
                body["input"].as_array().expect("a list").last().cloned()
            })
        })
        .collect();
    let mut ids = Vec::new();
    for run in runs {
        let last = run.await.expect("a run").expect("an item");
        assert_eq!(last["content"][0]["text"], "All is well.");
        ids.push(last["id"].as_str().expect("an id").to_owned());
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 8, "each pass has ids of its own");
}

#[tokio::test]
async fn a_transcript_is_a_script() {
    let record = Record::default();
    let script = r"
turns:
  - function_call: { name: lookup }
  - error: { status: 503, message: busy, retry_after: 2 }
  - message: done
";
    let server = start_with(script, record.options()).await;
    let run = async |server: &Server, key: &str| {
        let client = client_with(server, key);
        let mut body = asking("go");
        body["tools"] = json!([{"type": "mcp", "server_label": "s", "server_url": "https://x",
            "authorization": "hunter2", "headers": {"x": "hunter2"}}]);
        body["tool_choice"] =
            json!({"type": "mcp", "server_label": "s", "authorization": "hunter2"});
        body["tools"][0]["server_url"] = json!("https://u:hunter2@x/?key=hunter2");
        let mut responses = Vec::new();
        for _ in 0..2 {
            let response = send(&client, &body).await.expect("a response");
            go_on(&mut body, &response, "found");
            responses.push(response);
        }
        responses
    };
    let fault = send(&client(&server), &json!({"model": "m"})).await.expect_err("a refusal");
    assert_eq!(fault.code(), "bad_request");
    let first = run(&server, "sk-hunter2").await;
    server.stop().await.expect("nothing was lost");
    let text = record.text();
    assert_eq!(text.lines().count(), 4);
    assert!(!text.contains("hunter2"), "{text}");
    let replay = Script::from_transcript(&text).expect("a script");
    assert_eq!(replay.turns(), 3, "a refusal is no turn");
    let server = Server::start(replay, Options::default()).await.expect("a server");
    assert_eq!(run(&server, "another").await, first);
    assert_eq!(server.turns_left(), 0);
}

#[tokio::test]
async fn a_transcript_that_cannot_be_written_is_told() {
    /// Has room for a few bytes, and for more again later.
    #[derive(Clone, Default)]
    struct Full(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let mut written = self.0.lock().expect("a lock");
            if written.len() == 8 {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            let bytes = &bytes[..bytes.len().min(8)];
            written.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let full = Full::default();
    let options = Options { transcript: Some(Box::new(full.clone())), ..Options::default() };
    let server = start_with(LOOP, options).await;
    send(&client(&server), &asking("go")).await.expect("the rehearsal goes on");
    // What came behind half a line could not be told from it.
    full.0.lock().expect("a lock").clear();
    let refused = send(&client(&server), &asking("go")).await;
    assert_eq!(refused.expect_err("no output for the call").code(), "bad_request");
    assert!(full.0.lock().expect("a lock").is_empty(), "nothing more is recorded");
    let fault = server.stop().await.expect_err("a lost line");
    assert_eq!(fault.kind(), std::io::ErrorKind::StorageFull);
}

#[tokio::test]
async fn only_the_endpoint_and_only_the_key_are_served() {
    let options =
        Options { api_key: Some("right".to_owned()), keeps_bodies: false, ..Options::default() };
    let server = start_with(LOOP, options).await;
    let fault = send(&client(&server), &asking("go")).await.expect_err("a refusal");
    assert_eq!(
        (fault.code(), said(&fault).2.as_deref()),
        ("authentication_failed", Some("invalid_api_key"))
    );
    let client = client_with(&server, "right");
    let other =
        client.send(swingbridge_client::Request::new("chat/completions", vec!["{}".into()]));
    assert_eq!(other.await.expect_err("a refusal").code(), "not_found");
    let get =
        "GET /v1/responses HTTP/1.1\r\nhost: x\r\napi-key: right\r\nconnection: close\r\n\r\n";
    let answer = raw(&server, get).await;
    assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
    send(&client, &asking("go")).await.expect("a response");
    let seen = server.requests();
    assert!(seen.len() == 4 && seen.iter().all(|seen| seen.body.is_empty()));
}

/// Any page can send to 127.0.0.1, and one whose name it has rebound could read the answer.
#[tokio::test]
async fn a_page_from_elsewhere_is_refused_and_takes_no_turn() {
    let server = start(LOOP).await;
    let body = asking("go").to_string();
    let asked = async |origin: &str| {
        let request = format!(
            "POST /v1/responses HTTP/1.1\r\nhost: evil.example\r\norigin: {origin}\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        raw(&server, &request).await
    };
    for origin in ["http://evil.example", "null"] {
        let answer = asked(origin).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
        assert!(answer.contains("origin_not_local"), "{answer}");
    }
    assert_eq!(server.turns_left(), 3);
    assert!(asked("http://localhost:3000").await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn a_body_has_a_largest_size() {
    let server = start(LOOP).await;
    let head = "POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\n";
    let answer = raw(&server, head).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert_eq!(server.turns_left(), 3);
}

#[tokio::test]
async fn a_server_is_on_this_machine_only_and_ends() {
    let server = start(LOOP).await;
    let address = server.url()[7..].trim_end_matches("/v1").to_owned();
    assert!(address.starts_with("127.0.0.1:"));
    let mut idle = tokio::net::TcpStream::connect(&address).await.expect("a server");
    send(&client(&server), &asking("go")).await.expect("a response");
    server.stop().await.expect("an end");
    assert_eq!(idle.read(&mut [0; 8]).await.ok(), Some(0), "its connections are closed");
    let again = tokio::net::TcpListener::bind(&address).await;
    assert!(again.is_ok(), "the port is free");
    let dropped = start(LOOP).await;
    let address = dropped.url()[7..].trim_end_matches("/v1").to_owned();
    let mut idle = tokio::net::TcpStream::connect(&address).await.expect("a server");
    drop(dropped);
    assert_eq!(idle.read(&mut [0; 8]).await.unwrap_or(0), 0);
}
