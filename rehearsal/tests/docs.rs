//! The examples of `docs/rehearsal.md` are scripts, and the first one plays as it says.

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

mod support;

use serde_json::json;
use support::{asking, client, go_on, send, start};
use swingbridge_rehearsal::Script;

fn examples() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rehearsal.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let blocks = page.split("```yaml\n").skip(1);
    blocks.map(|block| block.split("```").next().expect("a block").to_owned()).collect()
}

#[test]
fn every_example_is_a_script() {
    let turns: Vec<_> =
        examples().iter().map(|text| Script::from_yaml(text).expect("a script").turns()).collect();
    assert_eq!(turns, [4, 7]);
}

#[tokio::test]
async fn the_first_example_plays() {
    let server = start(&examples()[0]).await;
    let client = client(&server);
    let mut body = asking("Book a table for Robin.");
    let tool = |name: &str| json!({"type": "function", "name": name, "parameters": {}});
    body["tools"] = json!([tool("browser_read_page"), tool("browser_type"), tool("browser_click")]);
    let read = json!({"ok": true, "result": {"version": 1, "text": "", "omitted": [], "elements": [
        {"ref": "e1", "role": "textbox", "label": "Name"},
        {"ref": "e2", "role": "button", "label": "Book"},
    ]}});
    let first = send(&client, &body).await.expect("a response");
    go_on(&mut body, &first, &read.to_string());
    let second = send(&client, &body).await.expect("a response");
    let arguments = second["output"][1]["arguments"].as_str().expect("a text");
    assert!(arguments.contains(r#""target":"e2""#), "{arguments}");
    go_on(&mut body, &second, r#"{"ok":true}"#);
    let last = send(&client, &body).await.expect("a response");
    assert_eq!(last["output"][0]["content"][0]["text"], "The table is booked.");
    assert_eq!((server.turns_left(), server.requests().len()), (0, 4));
}
