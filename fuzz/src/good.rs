//! What a well-behaved model and driver say about each member.

use swingbridge_core::browser::Member;
use swingbridge_core::json::{Json, parse};

/// Arguments that the member takes.
pub fn good_arguments(member: Member) -> &'static str {
    match member {
        Member::Navigate => r#"{"url":"https://example.com/a","tab_id":null}"#,
        Member::ReadPage => r#"{"tab_id":null,"filter":"all"}"#,
        Member::GetPageText | Member::Screenshot => r#"{"tab_id":null}"#,
        Member::Find => r#"{"query":"q","tab_id":null}"#,
        Member::Click | Member::Hover | Member::ScrollTo => r#"{"target":"e1","tab_id":null}"#,
        Member::Type => r#"{"text":"t","target":null,"tab_id":null}"#,
        Member::Key => r#"{"keys":["Enter"],"tab_id":null}"#,
        Member::Scroll => r#"{"direction":"down","amount":10,"tab_id":null}"#,
        Member::SelectOption => r#"{"target":"e1","values":["v"],"tab_id":null}"#,
        Member::Zoom => r#"{"tab_id":null,"region":[0,0,10,10]}"#,
        Member::NewTab => r#"{"url":"https://example.com/b"}"#,
        Member::ListTabs => "{}",
        Member::SwitchTab | Member::CloseTab => r#"{"tab_id":"t1"}"#,
        Member::WaitFor => r#"{"text":"t","timeout_ms":1,"tab_id":null}"#,
        Member::HoverAt => r#"{"tab_id":null,"x":1,"y":2}"#,
        Member::SetChecked => r#"{"tab_id":null,"target":"e1","checked":true}"#,
        Member::ClickAt => {
            r#"{"tab_id":null,"x":1,"y":2,"button":"left","click_count":1,"keys":[]}"#
        }
        Member::DragPath => r#"{"tab_id":null,"path":[{"x":1,"y":2},{"x":3,"y":4}],"keys":[]}"#,
        Member::HoldKeys => r#"{"tab_id":null,"keys":["a"],"duration_ms":1}"#,
        Member::ReadPageScoped => r#"{"tab_id":null,"root":null,"depth":1,"filter":"all"}"#,
        Member::ReadDiagnostics => r#"{"tab_id":null,"source":"console","limit":1}"#,
        Member::RunScript => r#"{"tab_id":null,"source":"1","timeout_ms":1}"#,
        Member::UploadFile | Member::DownloadFile => r#"{"grant_id":"g"}"#,
    }
}

/// What the driver method of the member may return.
pub fn good_result(member: Member) -> Json<'static> {
    json(match member {
        Member::ReadPage | Member::ReadDiagnostics => {
            r#"{"version":1,"text":"t","elements":[],"omitted":[]}"#
        }
        Member::GetPageText | Member::Find | Member::RunScript => r#""t""#,
        Member::ReadPageScoped => {
            r#"{"version":1,"text":"t","elements":[],"omitted":[],"scopes":[]}"#
        }
        Member::Screenshot | Member::Zoom => {
            r#"{"type":"input_image","image_url":"data:image/png;base64,AA=="}"#
        }
        Member::UploadFile | Member::DownloadFile => {
            r#"{"version":1,"status":"completed","effect":"completed","cleanup":"completed"}"#
        }
        _ => "null",
    })
}

/// A state with one tab.
pub fn good_state() -> Json<'static> {
    json(r#"{"tabs":[{"id":"t1","title":"T","url":"https://example.com/secret","active":true}]}"#)
}

fn json(text: &'static str) -> Json<'static> {
    parse(text).unwrap_or(Json::Foreign)
}
