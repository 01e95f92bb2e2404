//! Sizes, projections and hostile decisions; the measured scenarios are played as whole runs.

use super::*;
use crate::json::parse;

fn text(text: &str) -> Json<'static> {
    Json::Text(text.to_owned().into())
}

/// The input of the next request; its size is what the budget says.
fn projected(budget: &Budget, history: &[Json<'static>]) -> Vec<Json<'static>> {
    let whole = [ProjectionPart::Items(0..history.len())];
    let parts = budget.projection().map_or(&whole[..], |projection| &projection.parts);
    let mut input = Vec::new();
    for part in parts {
        match part {
            ProjectionPart::Items(range) => input.extend_from_slice(&history[range.clone()]),
            ProjectionPart::UserText(words) => input.push(message(words)),
        }
    }
    let list = Json::List(input.clone());
    assert_eq!(stringified_len(&list), Some(budget.snapshot().input_bytes));
    assert_eq!(input.iter().map(images_in).sum::<u64>(), budget.snapshot().input_images);
    input
}

fn message(words: &str) -> Json<'static> {
    Json::Object(vec![("role".into(), text("user")), ("content".into(), text(words))])
}

fn json(json: &str) -> Json<'_> {
    parse(json).expect("JSON")
}

fn budget(max_bytes: u64, max_images: u64) -> Budget {
    let config = Json::Object(vec![
        ("max_input_bytes".into(), Json::Int(max_bytes.try_into().expect("small"))),
        ("max_input_images".into(), Json::Int(max_images.try_into().expect("small"))),
        ("compact".into(), Json::Foreign),
    ]);
    Budget::read(&config, &json("{}"), None).expect("a budget")
}

/// A call of `f` with an output of `size` letters.
fn pair(id: &str, size: usize) -> [Json<'static>; 2] {
    let call = Json::Object(vec![
        ("type".into(), text("function_call")),
        ("call_id".into(), text(id)),
        ("name".into(), text("f")),
        ("arguments".into(), text("{}")),
    ]);
    let output = Json::Object(vec![
        ("type".into(), text("function_call_output")),
        ("call_id".into(), text(id)),
        ("output".into(), text(&"x".repeat(size))),
    ]);
    [call, output]
}

#[test]
fn what_was_left_out_stays_out_and_adds_up() {
    let mut budget = budget(2000, 0);
    let mut history = vec![message("hi")];
    budget.extend(&history).expect("a message");
    let mut add = |budget: &mut Budget, id: &str| {
        let pair = pair(id, 900);
        budget.extend(&pair).expect("a pair");
        history.extend(pair);
        history.clone()
    };
    add(&mut budget, "a");
    let history = add(&mut budget, "b");
    assert!(!budget.fits());
    assert_eq!(budget.snapshot().eligible_call_ids, ["a", "b"]);
    budget.decide(&json(r#"{"drop_call_ids":["a"],"summary":"first"}"#)).expect("fits");
    projected(&budget, &history);

    let history = add(&mut budget, "c");
    assert!(!budget.fits());
    assert_eq!(budget.snapshot().eligible_call_ids, ["b", "c"]);
    // The call that is out already cannot be named again.
    let again = budget.decide(&json(r#"{"drop_call_ids":["a"]}"#));
    assert_eq!(again, Err(Stop::CompactionInvalid));
    budget.decide(&json(r#"{"drop_call_ids":["b"],"summary":null}"#)).expect("fits");
    let input = projected(&budget, &history);
    assert_eq!(input.len(), 5);
    let words = |at: usize| input[at].field("content").and_then(Json::as_str).expect("words");
    assert!(words(0).ends_with("first"), "the summary stays");
    assert!(words(1).ends_with(r#"{"f":["a","b"]}"#), "{}", words(1));

    let more = [message("next"), message("and")];
    budget.extend(&more).expect("messages");
    let history: Vec<_> = history.into_iter().chain(more).collect();
    assert_eq!(
        budget.projection().map(|projection| projection.parts[2..].to_vec()),
        Some(vec![ProjectionPart::Items(0..1), ProjectionPart::Items(5..9)])
    );
    projected(&budget, &history);
}

#[test]
fn decisions_of_a_wrong_form_stop() {
    let held = Json::Held(crate::json::Held { head: "a".into(), handle: 0 });
    let unpaired = parse(r#"{"drop_call_ids":["a"],"summary":"\ud800"}"#).expect("JSON");
    let mut wrong: Vec<Json<'_>> = vec![Json::Foreign, held.clone(), unpaired];
    wrong.push(Json::Object(vec![("drop_call_ids".into(), Json::List(vec![held]))]));
    for text in [
        "null",
        "[]",
        "{}",
        r#"{"drop_call_ids":null}"#,
        r#"{"drop_call_ids":"a"}"#,
        r#"{"drop_call_ids":{"a":1}}"#,
        r#"{"drop_call_ids":[1]}"#,
        r#"{"drop_call_ids":[null]}"#,
        r#"{"drop_call_ids":["a","a"]}"#,
        r#"{"drop_call_ids":["b"]}"#,
        r#"{"drop_call_ids":["\ud800"]}"#,
        r#"{"drop_call_ids":["a"],"summary":1}"#,
        r#"{"drop_call_ids":["a"],"dropCallIds":[]}"#,
    ] {
        wrong.push(json(text));
    }
    for decision in wrong {
        let mut budget = budget(500, 0);
        budget.extend(&pair("a", 600)).expect("a pair");
        assert_eq!(budget.decide(&decision), Err(Stop::CompactionInvalid));
    }
    let mut budget = budget(500, 0);
    budget.extend(&pair("a", 600)).expect("a pair");
    let summary = "s".repeat(600);
    let long = Json::Object(vec![
        ("drop_call_ids".into(), Json::List(vec![text("a")])),
        ("summary".into(), text(&summary)),
    ]);
    assert_eq!(budget.decide(&long), Err(Stop::ContextOverBudget));
}

#[test]
fn limits_of_a_wrong_type_are_refused() {
    let admitted = |config: &Json<'_>| Budget::read(config, &json("{}"), None).map(|_| ());
    for wrong in ["null", "true", "1.0", "\"5\"", "-1", "[1]", "{}", "1e300", "9223372036854775808"]
    {
        for field in ["max_input_bytes", "max_input_images", "keep_recent_screenshots"] {
            let mut fields = vec![
                ("max_input_bytes".into(), Json::Int(5)),
                ("max_input_images".into(), Json::Int(5)),
            ];
            fields.push((field.into(), json(wrong)));
            assert!(admitted(&Json::Object(fields)).is_err(), "{field}: {wrong}");
        }
    }
    for wrong in ["null", "[]", "1", "\"x\""] {
        assert!(admitted(&json(wrong)).is_err(), "{wrong}");
    }
    assert!(admitted(&Json::Foreign).is_err());
    let largest = format!("{{\"max_input_bytes\":{},\"max_input_images\":0}}", i64::MAX);
    assert!(admitted(&json(&largest)).is_ok());
}

#[test]
fn native_shortening_excludes_a_budget() {
    let config = json(r#"{"max_input_bytes":5,"max_input_images":0}"#);
    for (params, name) in [
        (r#"{"truncation":"auto"}"#, "truncation"),
        (r#"{"truncation":[]}"#, "truncation"),
        (r#"{"context_management":[{"type":"compaction"}]}"#, "context_management"),
        (r#"{"context_management":"x"}"#, "context_management"),
        (r#"{"context_management":false}"#, "context_management"),
        (r#"{"extra_body":{"truncation":"auto"}}"#, "truncation"),
    ] {
        let refused = Budget::read(&config, &json(params), None).err();
        assert_eq!(refused, Some(AdmissionError::ContextBudgetAndNative(name)), "{params}");
    }
    let off =
        r#"{"truncation":null,"context_management":null,"extra_body":{"context_management":[]}}"#;
    assert!(Budget::read(&config, &json(off), None).is_ok());
}

#[test]
fn items_that_cannot_be_sent_or_paired_stop() {
    let [call, output] = pair("a", 1);
    let unpaired = json(r#"{"role":"user","content":"\ud800"}"#);
    let mut deep = Json::Null;
    for _ in 0..200 {
        deep = Json::List(vec![deep]);
    }
    let screen = json(r#"{"type":"computer_call_output","call_id":"a","output":{}}"#);
    for (items, stop) in [
        (vec![unpaired], Stop::HistoryInvalid),
        (vec![Json::Foreign], Stop::HistoryInvalid),
        (vec![deep], Stop::HistoryInvalid),
        (vec![output.clone()], Stop::HistoryInvalid),
        (vec![call.clone(), screen], Stop::HistoryInvalid),
        (vec![call.clone(), output.clone(), output.clone()], Stop::HistoryInvalid),
        (vec![call.clone(), call.clone()], Stop::IdentityRepeated),
        (vec![json(r#"{"type":"function_call","call_id":"a"}"#)], Stop::HistoryInvalid),
        (vec![json(r#"{"type":"function_call","name":"a"}"#)], Stop::HistoryInvalid),
        (vec![json(r#"{"type":"computer_call","call_id":1}"#)], Stop::HistoryInvalid),
    ] {
        assert_eq!(budget(9999, 0).extend(&items), Err(stop), "{items:?}");
    }
    // A call that has no output yet cannot be left out.
    let mut open = budget(5, 0);
    open.extend(&[call]).expect("a call");
    assert!(open.snapshot().eligible_call_ids.is_empty());
}

#[test]
fn ids_of_any_kind_are_counted_as_they_are_sent() {
    let ids = ["", "\"", "\n\u{1}é😀", "{\"f\":[\"x\"]}", "a, b"];
    let mut budget = budget(1200, 0);
    let history: Vec<_> = ids.iter().flat_map(|id| pair(id, 500)).collect();
    budget.extend(&history).expect("pairs");
    let named = Json::List(ids.iter().map(|id| text(id)).collect());
    budget.decide(&Json::Object(vec![("drop_call_ids".into(), named)])).expect("fits");
    let input = projected(&budget, &history);
    let words = input[0].field("content").and_then(Json::as_str).expect("words");
    let list = &words[words.find('{').expect("a list")..];
    let read = parse(list).expect("JSON");
    let read = read.field("f").and_then(Json::as_list).expect("ids");
    assert!(read.iter().map(|id| id.as_str().expect("an id")).eq(ids));
}
