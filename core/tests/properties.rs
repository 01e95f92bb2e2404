//! What holds for any input and any order of answers.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a strategy that cannot go on fails its test"
)]

mod support;

use std::time::Duration;

use proptest::prelude::*;
use serde_json::Value;
use support::compare::{difference, parsed};
use support::drive::{begin, drive_well, everything, good_arguments};
use support::fuzz::call::CallScript;
use support::fuzz::text::assert_nothing_private;
use support::strategies::{act, config, tree};
use support::tags::untag;
use swingbridge_core::browser::{Arguments, BrowserState, MEMBERS, Member};
use swingbridge_core::json::{Json, RawJson, Text, Writer, parse};

// --- sequences -----------------------------------------------------------------------------------

fn call_script() -> impl Strategy<Value = CallScript> {
    let flags =
        (any::<bool>(), prop::bool::weighted(0.1), any::<bool>(), prop::bool::weighted(0.02));
    let arguments = prop::option::weighted(0.1, any::<String>());
    (any::<u8>(), arguments, flags, prop::collection::vec(act(), 0..24)).prop_map(
        |(member, arguments, (confirms_read, skipped, observed, cancelled), acts)| CallScript {
            member,
            arguments,
            confirms_read,
            skipped,
            observed,
            cancelled,
            acts,
        },
    )
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_answers_in_any_order_give_a_typed_result(script in call_script()) {
        script.check();
    }
}

// --- JSON ----------------------------------------------------------------------------------------

fn json_text() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<i64>().prop_map(|int| int.to_string()),
        any::<f64>()
            .prop_filter("finite", |float| float.is_finite())
            .prop_map(|float| { serde_json::to_string(&float).expect("a number") }),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?",
    ];
    let text = prop_oneof![any::<String>(), "[\\\\\"/\u{0}-\u{1f}é😀]{0,12}"]
        .prop_map(|text| serde_json::to_string(&text).expect("a text"));
    let escaped = "\"(\\\\u[0-9a-f]{4}|\\\\[\"\\\\/bfnrt]|[a-z]){0,8}\"";
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        number,
        text.clone(),
        escaped
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        let field =
            (text.clone(), inner.clone()).prop_map(|(name, value)| format!("{name}: {value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(" ,"))),
            prop::collection::vec(field, 0..6)
                .prop_map(|fields| format!("{{{}}}", fields.join(","))),
        ]
    })
}

/// Reads the text level by level, as argument text is read.
fn exactly(raw: RawJson<'_>) -> Json<'static> {
    if let Some(text) = raw.as_text() {
        return Json::Text(text.into_owned());
    }
    if let Some(items) = raw.as_list() {
        return Json::List(items.into_iter().map(exactly).collect());
    }
    if let Some(fields) = raw.as_object() {
        let fields = fields.into_iter();
        return Json::Object(
            fields.map(|(name, value)| (name.into_owned().into(), exactly(value))).collect(),
        );
    }
    match (raw.as_bool(), raw.as_int()) {
        (Some(value), _) => Json::Bool(value),
        (_, Some(value)) => Json::Int(value),
        _ if raw.is_null() => Json::Null,
        _ => Json::Float(raw.text().parse().expect("a number")),
    }
}

/// The last of equal names counts, as in both hosts.
fn without_repeats(value: Json<'static>) -> Json<'static> {
    match value {
        Json::List(items) => Json::List(items.into_iter().map(without_repeats).collect()),
        Json::Object(fields) => {
            let mut kept: Vec<(std::borrow::Cow<'static, str>, Json<'static>)> = Vec::new();
            for (name, value) in fields {
                kept.retain(|(other, _)| *other != name);
                kept.push((name, without_repeats(value)));
            }
            Json::Object(kept)
        }
        other => other,
    }
}

fn is_tagged(text: &str) -> bool {
    // `untag` reads names that begin with a dollar sign as tags.
    text.contains('$')
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn parsing_fast_and_parsing_exactly_agree_with_serde_json(text in json_text()) {
        let fast = parse(&text).ok().map(|value| without_repeats(value.into_owned()));
        if let Ok(raw) = RawJson::parse(&text) {
            // The lazy way alone takes a number that no float holds.
            let exact = without_repeats(exactly(raw));
            if let Some(fast) = &fast {
                prop_assert_eq!(difference(&exact, fast), None);
            }
        } else {
            prop_assert!(fast.is_none());
        }
        if let (Ok(value), false) = (serde_json::from_str::<Value>(&text), is_tagged(&text)) {
            let value = untag(&value).expect("plain JSON");
            let fast = fast.expect("what serde_json takes is taken");
            prop_assert_eq!(difference(&value, &fast), None);
        }
    }

    #[test]
    fn any_bytes_are_json_to_both_or_to_none(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let text = String::from_utf8_lossy(&bytes);
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        prop_assert_eq!(RawJson::parse(&text).is_ok(), is_json);
        prop_assert!(is_json || parse(&text).is_err());
    }

    #[test]
    fn what_is_written_is_read_back(tree in tree()) {
        let value = tree.to_json();
        let mut out = Writer::default();
        out.json(&value);
        let read = parse(&out.finish()).expect("the core writes JSON").into_owned();
        prop_assert_eq!(difference(&as_written(value), &read), None);
    }
}

/// What JSON can say of a value: nothing stands for what has no form in it.
fn as_written(value: Json<'static>) -> Json<'static> {
    match value {
        Json::Foreign | Json::Held(_) => Json::Null,
        Json::Float(float) if !float.is_finite() => Json::Null,
        Json::List(items) => Json::List(items.into_iter().map(as_written).collect()),
        Json::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| (name, as_written(value)));
            Json::Object(fields.collect())
        }
        other => other,
    }
}

// --- arguments and states ------------------------------------------------------------------------

fn state(tab: &str, title: &str, url: Text<'static>, observed: bool) -> Json<'static> {
    let mut report = parsed(r#"{"tabs":[{"active":true}]}"#);
    if observed {
        report = parsed(
            r#"{"tabs":[{"active":true}],"observation":{"version":1,"sequence":0,
                "dropped_changes":0,"title_truncated":false,"changes":[]}}"#,
        );
    }
    let Json::Object(fields) = &mut report else { panic!("an object") };
    let Json::List(tabs) = &mut fields[0].1 else { panic!("tabs") };
    let Json::Object(fields) = &mut tabs[0] else { panic!("a tab") };
    fields.push(("id".into(), Json::Text(tab.to_owned().into())));
    fields.push(("title".into(), Json::Text(title.to_owned().into())));
    fields.push(("url".into(), Json::Text(url)));
    report
}

fn shown(report: &Json<'_>) -> Option<Json<'static>> {
    let state = BrowserState::read(report)?;
    Some(support::compare::written(|out| state.write(out)))
}

fn first_tab<'j>(state: &'j Json<'static>, field: &str) -> Option<&'j str> {
    state.field("tabs")?.as_list()?.first()?.field(field)?.as_str()
}

fn address() -> impl Strategy<Value = String> {
    let scheme = prop::sample::select(vec!["http", "https", "HTTPS", "ftp", "file", "data", "x"]);
    let slashes = prop::sample::select(vec!["://", ":", ":/", ":\\\\", ":///"]);
    let part = "[a-zA-Z0-9.@:/?#%\\[\\]\\\\ \u{9}éü。-]{0,24}";
    prop_oneof![
        any::<String>(),
        (scheme, slashes, part)
            .prop_map(|(scheme, slashes, rest)| format!("{scheme}{slashes}{rest}")),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_title_is_cut_at_a_character(title in "[aé€😀]{0,1400}") {
        let report = state("t1", &title, "about:blank".into(), true);
        let shown = shown(&report).expect("a valid state");
        let cut = first_tab(&shown, "title").expect("a title");
        prop_assert!(cut.len() <= 1_024 && title.starts_with(cut));
        let next = title[cut.len()..].chars().next();
        prop_assert!(next.is_none_or(|next| cut.len() + next.len_utf8() > 1_024), "cut too early");
        let truncated = shown.field("observation").and_then(|seen| seen.field("title_truncated"));
        prop_assert_eq!(truncated, Some(&Json::Bool(cut.len() < title.len())));
    }

    #[test]
    fn an_address_is_shown_without_anything_private(url in address(), observed in any::<bool>()) {
        if let Some(shown) = shown(&state("t1", "T", url.into(), observed)) {
            assert_nothing_private(first_tab(&shown, "url").expect("an address"));
        }
    }

    #[test]
    fn user_path_query_and_fragment_are_never_shown(
        user in "[a-z]{1,8}(:[a-z]{1,8})?",
        rest in "/marker[a-z0-9/]{0,9}\\?marker=[a-z]{1,9}#marker[a-z]{0,9}",
        observed in any::<bool>(),
    ) {
        let url = format!("https://marker{user}@example.com:8443{rest}");
        let shown = shown(&state("t1", "T", url.into(), observed)).expect("a valid state");
        prop_assert_eq!(first_tab(&shown, "url"), Some("https://example.com:8443"));
    }

    #[test]
    fn argument_text_never_panics(index in 0..MEMBERS.len(), text in any::<String>()) {
        let _ = Arguments::parse(MEMBERS[index].member, &text);
    }

    #[test]
    fn argument_json_never_panics(index in 0..MEMBERS.len(), text in json_text()) {
        let _ = Arguments::parse(MEMBERS[index].member, &text);
    }

    #[test]
    fn one_wrong_field_refuses_the_arguments(
        index in 0..MEMBERS.len(),
        field in any::<prop::sample::Index>(),
        value in prop::sample::select(vec!["{}", "1.5", "-1", "[[]]", "1e2", "\"\\ud800\\u0001\""]),
    ) {
        let member = MEMBERS[index].member;
        let mut good: Value = serde_json::from_str(good_arguments(member)).expect("JSON");
        let fields = good.as_object_mut().expect("an object");
        if !fields.is_empty() {
            let name = fields.keys().nth(field.index(fields.len())).expect("a field").clone();
            fields[&name] = Value::String("MARK".to_owned());
            let text = good.to_string().replace("\"MARK\"", value);
            // Some texts may hold what a number or a list may not.
            let is_free_text = ["target", "text", "tab_id", "url", "query"].contains(&name.as_str());
            if !(is_free_text && value.starts_with('"')) {
                prop_assert!(Arguments::parse(member, &text).is_err(), "{}", text);
            }
        }
    }
}

// --- size ----------------------------------------------------------------------------------------

/// A debug build takes a second of it; work that grows faster than its input would take minutes.
const QUICK: Duration = Duration::from_secs(20);

#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the core has no clock, its tests do"
)]
fn quickly<T>(work: impl FnOnce() -> T) -> T {
    let start = std::time::Instant::now();
    let result = work();
    assert!(start.elapsed() < QUICK, "took {:?}", start.elapsed());
    result
}

fn refused(member: Member, arguments: &str) -> String {
    let driven = quickly(|| drive_well(begin(&everything(), member, arguments)));
    let output = driven.output();
    assert_eq!(output.field("ok"), Some(&Json::Bool(false)));
    let words = output.field("error").and_then(Json::as_str).expect("words");
    assert!(words.len() < 200, "a short sentence");
    words.to_owned()
}

#[test]
fn huge_and_hostile_arguments_are_refused_quickly_with_a_short_sentence() {
    let ten_megabytes = "a".repeat(10_000_000);
    let unknown = format!(r#"{{"target":"e","tab_id":null,"extra":"{ten_megabytes}"}}"#);
    let wrong = format!(r#"{{"text":"{ten_megabytes}","timeout_ms":1,"tab_id":null}}"#);
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let deep_field = format!(r#"{{"target":{deep},"tab_id":null}}"#);
    let many = format!(r#"{{{}"tab_id":null}}"#, r#""target":1,"#.repeat(500_000));
    assert!(refused(Member::Click, &unknown).contains("a field that this tool does not have"));
    assert!(refused(Member::WaitFor, &wrong).contains("text"));
    for text in [deep.as_str(), &deep[..10_000], "NaN", "{\"target\":NaN,\"tab_id\":null}", "{"] {
        assert!(refused(Member::Click, text).contains("not a JSON object"), "{text:.40}");
    }
    let words = refused(Member::Click, &deep_field);
    assert!(words.contains("target") || words.contains("not a JSON object"), "{words}");
    assert!(refused(Member::Click, &many).contains("target"));
}

#[test]
fn text_without_a_limit_may_be_huge() {
    let source = "a".repeat(10_000_000);
    let arguments = format!(r#"{{"tab_id":null,"source":"{source}","timeout_ms":1}}"#);
    let driven = quickly(|| drive_well(begin(&everything(), Member::RunScript, &arguments)));
    assert_eq!(driven.output().field("ok"), Some(&Json::Bool(true)));
}

#[test]
fn the_last_of_equal_fields_counts() {
    let parse = |text| Arguments::parse(Member::Click, text);
    let last = parse(r#"{"target":"a","tab_id":null,"target":"b"}"#).expect("arguments");
    assert_eq!(last.field("target").and_then(Json::as_str), Some("b"));
    assert!(parse(r#"{"target":"a","tab_id":null,"target":1}"#).is_err());
}

#[test]
fn a_deep_value_of_the_wire_is_refused_and_not_followed() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(quickly(|| parse(&deep)).is_err());
    let unpaired = format!(r#"["\ud800",{deep}]"#);
    assert!(quickly(|| parse(&unpaired)).is_err());
}
