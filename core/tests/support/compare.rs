//! Records in one spelling, and where two of them differ.

use std::borrow::Cow;

use swingbridge_core::json::{Json, Text, Writer};

pub(crate) fn object<const N: usize>(fields: [(&'static str, Json<'static>); N]) -> Json<'static> {
    Json::Object(fields.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect())
}

pub(crate) fn text(text: &str) -> Json<'static> {
    Json::Text(Text::from(text.to_owned()))
}

pub(crate) fn texts<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> Json<'static> {
    Json::List(items.into_iter().map(|item| text(item.as_ref())).collect())
}

/// Sets a field of an object.
pub(crate) fn set(target: &mut Json<'static>, name: &'static str, value: Json<'static>) {
    let Json::Object(fields) = target else { panic!("{name} is set on a {target:?}") };
    fields.retain(|(field, _)| field != name);
    fields.push((Cow::Borrowed(name), value));
}

/// The JSON that `write` writes, as a value.
pub(crate) fn written(write: impl FnOnce(&mut Writer)) -> Json<'static> {
    let mut out = Writer::default();
    write(&mut out);
    parsed(&out.finish())
}

/// JSON text of the core, as a value.
pub(crate) fn parsed(json: &str) -> Json<'static> {
    swingbridge_core::json::parse(json).expect("the core writes JSON").into_owned()
}

/// A record without the parts in which two right implementations may differ.
pub(crate) fn drop_unstable(record: Json<'static>) -> Json<'static> {
    let Json::Object(fields) = record else { return record };
    let fields =
        fields.into_iter().filter(|(name, _)| name != "exception" && name != "diagnostics");
    Json::Object(
        fields
            .map(|(name, value)| {
                let value = match name.as_ref() {
                    "value" => settle_value(value),
                    "payload" => drop_null_result(value),
                    "driver_calls" => drop_null_keys(value),
                    "saves" => match value {
                        Json::List(saves) => {
                            Json::List(saves.into_iter().map(settle_value).collect())
                        }
                        value => value,
                    },
                    _ => value,
                };
                (name, value)
            })
            .collect(),
    )
}

fn settle_value(value: Json<'static>) -> Json<'static> {
    let Json::Object(fields) = value else { return value };
    let fields = fields.into_iter().map(|(name, value)| {
        let value = match (name.as_ref(), value) {
            ("payload", payload) => drop_null_result(payload),
            // The set of tools matters, the order does not. A repeated name still shows.
            ("tools", Json::List(mut tools)) => {
                tools.sort_by_key(show);
                Json::List(tools)
            }
            (_, value) => value,
        };
        (name, value)
    });
    Json::Object(fields.collect())
}

/// In an action, no keys and null are the same.
fn drop_null_keys(calls: Json<'static>) -> Json<'static> {
    let Json::List(calls) = calls else { return calls };
    let settle = |call: Json<'static>| {
        let Json::Object(fields) = call else { return call };
        let fields = fields.into_iter().map(|(name, value)| match value {
            Json::Object(mut action) if name == "action" => {
                action.retain(|(name, value)| !(name == "keys" && value.is_null()));
                (name, Json::Object(action))
            }
            value => (name, value),
        });
        Json::Object(fields.collect())
    };
    Json::List(calls.into_iter().map(settle).collect())
}

fn drop_null_result(payload: Json<'static>) -> Json<'static> {
    let Json::Object(mut fields) = payload else { return payload };
    fields.retain(|(name, value)| !(name == "result" && value.is_null()));
    Json::Object(fields)
}

/// The first place where the two differ, as a sentence; `None` if they mean the same.
pub(crate) fn difference(expected: &Json<'_>, actual: &Json<'_>) -> Option<String> {
    walk("record", expected, actual)
}

fn walk(path: &str, expected: &Json<'_>, actual: &Json<'_>) -> Option<String> {
    let differs = || Some(format!("{path}: expected {}, got {}", show(expected), show(actual)));
    match (expected, actual) {
        (Json::Object(left), Json::Object(right)) => {
            let names = left.iter().chain(right).map(|(name, _)| name.as_ref());
            for name in names {
                let path = format!("{path}.{name}");
                match (expected.field(name), actual.field(name)) {
                    (Some(left), Some(right)) => {
                        if let Some(found) = walk(&path, left, right) {
                            return Some(found);
                        }
                    }
                    (Some(left), _) => {
                        return Some(format!("{path}: missing, expected {}", show(left)));
                    }
                    (None, right) => {
                        return Some(format!(
                            "{path}: not expected, got {}",
                            right.map_or_else(String::new, show)
                        ));
                    }
                }
            }
            // The core never writes a field twice.
            (left.len() != right.len()).then(|| format!("{path}: a field is there twice"))
        }
        (Json::List(left), Json::List(right)) if left.len() == right.len() => left
            .iter()
            .zip(right)
            .enumerate()
            .find_map(|(index, (left, right))| walk(&format!("{path}[{index}]"), left, right)),
        (Json::Int(_) | Json::Float(_), Json::Int(_) | Json::Float(_)) => {
            if number(expected) == number(actual) { None } else { differs() }
        }
        _ if expected == actual => None,
        _ => differs(),
    }
}

/// Numbers compare by value: `1`, `1.0`, `0` and `-0`.
fn number(value: &Json<'_>) -> Option<i128> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Json::Int(int) => Some(i128::from(*int)),
        #[expect(clippy::cast_possible_truncation, reason = "checked to be an exact integer")]
        Json::Float(float) if float.fract() == 0.0 && float.abs() <= EXACT => Some(*float as i128),
        // Other floats keep their bits beside the integers.
        Json::Float(float) => Some(i128::from(float.to_bits()) << 64),
        _ => None,
    }
}

pub(crate) fn show(value: &Json<'_>) -> String {
    let mut out = Writer::default();
    out.json(value);
    let text = out.finish();
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}
