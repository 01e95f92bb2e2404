//! Strict forms of schemas and names of tools (R-11): `conformance/strict_schemas.json`.

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

mod support;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use support::vectors::conformance;
use swingbridge_core::json::{RawJson, Text};
use swingbridge_core::tools::{
    Defaults, SchemaFault, ToolFault, check_tool_name, strict_schema, tool_name_of,
};

const BOTH: [Defaults; 2] = [Defaults::Written, Defaults::Implied];

fn file() -> String {
    std::fs::read_to_string(conformance().join("strict_schemas.json")).expect("the file")
}

/// A field in the text of the file, where names keep their order and numbers their spelling.
fn field<'a>(object: RawJson<'a>, name: &str) -> Option<RawJson<'a>> {
    let mut fields = object.as_object().expect("an object").into_iter();
    fields.find(|(field, _)| field == name).map(|(_, value)| value)
}

fn list<'a>(object: RawJson<'a>, name: &str) -> Vec<RawJson<'a>> {
    field(object, name).and_then(RawJson::as_list).expect("a list")
}

fn text(value: RawJson<'_>) -> String {
    value.as_text().expect("a text").lossy().into_owned()
}

/// What a case says of libraries that write their defaults, and of others.
fn wanted<T>(case: RawJson<'_>, read: impl Fn(RawJson<'_>) -> T) -> [Result<T, String>; 2] {
    let strict = |name| field(case, name).map(|value| Ok(read(value)));
    let refused = || {
        let fault = text(field(case, "refused").expect("an outcome"));
        Err(format!("a strict tool cannot have such arguments: {fault}"))
    };
    let written = strict("strict").unwrap_or_else(refused);
    let implied = strict("implied").or_else(|| strict("strict")).unwrap_or_else(refused);
    [written, implied]
}

fn outcome(schema: &str, defaults: Defaults) -> Result<String, String> {
    strict_schema(schema, defaults).map_err(|fault| fault.to_string())
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn schemas_have_their_strict_form_or_a_fault_with_its_place() {
    let file = file();
    for case in list(RawJson::parse(&file).expect("JSON"), "schemas") {
        let schema = field(case, "schema").expect("a schema").text();
        let got = BOTH.map(|defaults| outcome(schema, defaults).map(|text| value(&text)));
        assert_eq!(got, wanted(case, |strict| value(strict.text())), "{}", case.text());
    }
}

#[test]
fn texts_stay_as_they_are_where_no_rule_reads_them() {
    let file = file();
    for case in list(RawJson::parse(&file).expect("JSON"), "texts") {
        let schema = text(field(case, "text").expect("a text"));
        let got = BOTH.map(|defaults| outcome(&schema, defaults));
        assert_eq!(got, wanted(case, text), "{}", case.text());
    }
}

#[test]
fn every_fault_has_a_case() {
    use SchemaFault::{
        Combined, Dangling, Malformed, NoObject, Open, Optional, TooDeep, Tuple, Undescribed,
    };
    let file = file();
    let all =
        [Combined, Dangling, Malformed, NoObject, Open, Optional, TooDeep, Tuple, Undescribed];
    for fault in all {
        assert!(file.contains(&format!("{fault}\"")), "{fault:?}");
    }
}

#[test]
fn names_are_taken_made_or_refused() {
    let file = file();
    let names = field(RawJson::parse(&file).expect("JSON"), "names").expect("names");
    for name in list(names, "accepted").into_iter().map(text) {
        assert_eq!(check_tool_name(&Text::from(name)), Ok(()));
    }
    for name in list(names, "refused").into_iter().map(text) {
        assert_eq!(check_tool_name(&Text::from(name)), Err(ToolFault::Name));
    }
    for pair in list(names, "of_classes") {
        let [class, name] = &pair.as_list().expect("a pair")[..] else { panic!("a pair") };
        assert_eq!(tool_name_of(&Text::from(text(*class))), Ok(text(*name)));
    }
    for class in list(names, "of_no_class").into_iter().map(text) {
        assert_eq!(tool_name_of(&Text::from(class)), Err(ToolFault::NameOfNothing));
    }
    let unpaired = Text::from_utf16(&[0xd800]);
    assert_eq!(check_tool_name(&unpaired), Err(ToolFault::Name));
    assert_eq!(tool_name_of(&unpaired), Err(ToolFault::NameOfNothing));
}

#[test]
fn a_huge_schema_is_no_trouble() {
    let names: Vec<String> = (0..20_000).map(|at| format!("field {at}")).collect();
    let properties: Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({"enum": names[..2]}))).collect();
    let schema = json!({"type": "object", "properties": properties, "description": names});
    let strict = value(&outcome(&schema.to_string(), Defaults::Implied).expect("a strict form"));
    assert_eq!(strict["description"], json!(names));
    assert_eq!(strict["required"].as_array().map(Vec::len), Some(names.len()));
}

#[test]
fn nesting_of_thousands_of_levels_is_refused() {
    for (open, close) in [("[", "]"), ("{\"items\":", "}"), ("{\"anyOf\":[", "]}")] {
        let inner = format!("{}true{}", open.repeat(5_000), close.repeat(5_000));
        let schema = format!(r#"{{"type":"object","properties":{{"a":{inner}}}}}"#);
        for defaults in BOTH {
            assert!(strict_schema(&schema, defaults).is_err(), "{open}");
        }
    }
}

// --- any schema ----------------------------------------------------------------------------------

/// Schemas, most of which have a strict form, and now and then what is none.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!({"type": "string", "default": "x"}),
        json!({"type": ["integer", "null"]}),
        json!({"$ref": "#/$defs/a", "title": "A"}),
        json!({"$ref": "#/$defs/a", "default": {}}),
        json!(true),
    ]);
    let wrong = prop::sample::select(vec![json!(null), json!(5), json!("a"), json!([]), json!({})]);
    let leaf = prop_oneof![20 => leaf, 1 => wrong];
    leaf.prop_recursive(5, 32, 4, |inner| {
        let parts = prop::collection::vec(inner.clone(), 1..3);
        let one_of = prop_oneof![Just("anyOf"), Just("oneOf"), Just("allOf"), Just("prefixItems")];
        prop_oneof![
            4 => object_of(inner.clone()),
            2 => (parts, one_of).prop_map(|(parts, name)| json!({name: parts, "title": "Parts"})),
            2 => inner.prop_map(|items| json!({"type": "array", "items": items, "default": []})),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    (object_of(schema()), prop::option::of(schema())).prop_map(|(mut object, definition)| {
        if let Some(definition) = definition {
            object["$defs"] = json!({"a": definition});
        }
        object
    })
}

fn object_of(part: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let further = prop::option::weighted(0.2, prop::bool::weighted(0.1));
    let name = prop::sample::select(vec!["a", "b", "default", "oneOf", "$ref"]);
    let properties = prop::collection::btree_map(name, part, 0..4);
    (properties, prop::bool::weighted(0.7), further).prop_map(
        |(properties, is_required, further)| {
            let names: Vec<_> = properties.keys().copied().collect();
            let mut object = json!({"type": "object", "properties": properties});
            if is_required {
                object["required"] = json!(names);
            }
            if let Some(further) = further {
                object["additionalProperties"] = json!(further);
            }
            object
        },
    )
}

/// Whether all objects are closed and require all of their fields.
fn is_strict(schema: &Value) -> bool {
    let Value::Object(fields) = schema else { return schema.is_boolean() };
    let none = Map::new();
    let parts = |name| fields.get(name).and_then(Value::as_object).unwrap_or(&none);
    let is_closed = || {
        let names: Vec<&String> = parts("properties").keys().collect();
        fields["additionalProperties"] == false && fields["required"] == json!(names)
    };
    let branches = fields.get("anyOf").and_then(Value::as_array);
    let banned = ["allOf", "default", "oneOf", "prefixItems"];
    (fields.get("type") != Some(&json!("object")) || is_closed())
        && banned.iter().all(|name| !fields.contains_key(*name))
        && ["properties", "$defs"].iter().all(|name| parts(name).values().all(is_strict))
        && fields.get("items").is_none_or(is_strict)
        && branches.into_iter().flatten().all(is_strict)
}

proptest! {
    #[test]
    fn a_strict_form_is_strict_and_its_own(schema in arguments()) {
        for defaults in BOTH {
            let Ok(strict) = strict_schema(&schema.to_string(), defaults) else { continue };
            prop_assert!(is_strict(&value(&strict)), "{schema} {strict}");
            for again in BOTH {
                prop_assert_eq!(strict_schema(&strict, again), Ok(strict.clone()));
            }
        }
    }

    #[test]
    fn libraries_that_write_no_defaults_get_the_same_or_more(schema in arguments()) {
        let schema = schema.to_string();
        if let written @ Ok(_) = strict_schema(&schema, Defaults::Written) {
            prop_assert_eq!(strict_schema(&schema, Defaults::Implied), written);
        }
    }
}
