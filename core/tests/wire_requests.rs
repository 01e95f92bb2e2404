//! What a request says besides its history, when it is laid out from text.

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

use swingbridge_core::runner::{HistoryUpdate, TurnRequest};
use swingbridge_core::wire::Wire;

fn first() -> TurnRequest<'static> {
    TurnRequest {
        step: 1,
        include: &[],
        relaxes_choice: false,
        update: HistoryUpdate { outputs: &[], commits: false, texts: &[] },
        projection: None,
        streams: false,
        retries: true,
        withholds_tools: false,
        disables_truncation: false,
    }
}

fn body(params: &str, local: &[&str], request: &TurnRequest<'_>) -> String {
    let local = local.iter().map(|tool| (*tool).into()).collect();
    Wire::new(params, local).expect("parameters").body(request).concat()
}

#[test]
fn what_the_caller_gave_is_sent_as_it_was_given() {
    let params = r#"{"model":"m","input":"hi","tool_choice":null,"truncation":null,"stream":false,"store":null}"#;
    assert_eq!(
        body(params, &[], &first()),
        r#"{"model":"m","store":null,"input":[{"role":"user","content":"hi"}],"include":[],"tools":[],"tool_choice":null,"truncation":null,"stream":false}"#
    );
    let changed =
        TurnRequest { relaxes_choice: true, streams: true, disables_truncation: true, ..first() };
    assert_eq!(
        body(params, &[], &changed),
        r#"{"model":"m","store":null,"input":[{"role":"user","content":"hi"}],"include":[],"tools":[],"tool_choice":"auto","truncation":"disabled","stream":true}"#
    );
}

#[test]
fn without_the_local_tools_a_declared_computer_is_left_out_too() {
    let tools = |computer: &str| {
        format!(
            r#"{{"input":"hi","tools":[{{"type":"web_search"}},{computer}],"tool_choice":"auto"}}"#
        )
    };
    for computer in [r#"{"type":"computer"}"#, r#"{"type":"computer_use_preview","x":1}"#] {
        for relaxes_choice in [true, false] {
            let withheld = TurnRequest { withholds_tools: true, relaxes_choice, ..first() };
            let shown = body(&tools(computer), &[r#"{"type":"function"}"#], &withheld);
            assert!(shown.contains(r#""tools":[{"type":"web_search"}]"#), "{shown}");
            assert!(!shown.contains("tool_choice"), "{shown}");
        }
        let shown = body(&tools(computer), &[r#"{"type":"function"}"#], &first());
        let all = format!(r#""tools":[{{"type":"function"}},{{"type":"web_search"}},{computer}]"#);
        assert!(shown.contains(&all), "{shown}");
    }
}
