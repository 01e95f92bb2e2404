//! Tagged values of the conformance data, as the Rust face can hold them.

use std::borrow::Cow;

use serde_json::Value;
use swingbridge_core::json::{Json, Text};

/// Why a scenario cannot be built in Rust. Each is counted; none is passed over in silence.
pub(crate) type Skip = &'static str;

/// A subclass, a wrapper or a tuple: Rust has one text, one list and one object.
pub(crate) const HOST_TYPE: Skip = "a type of one host language";
/// Options are typed: a list of names is a list of valid texts, a flag is a boolean.
pub(crate) const TYPED_OPTION: Skip = "an option of a type that it does not have in Rust";

/// The value that `tagged` stands for; nothing is null.
pub(crate) fn untag(tagged: &Value) -> Result<Json<'static>, Skip> {
    Ok(untag_or_nothing(tagged)?.unwrap_or(Json::Null))
}

/// The value that `tagged` stands for, or `None` for `$undefined`.
pub(crate) fn untag_or_nothing(tagged: &Value) -> Result<Option<Json<'static>>, Skip> {
    Ok(Some(match tagged {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(int) => Json::Int(int),
            None => Json::Float(number.as_f64().expect("serde_json holds finite numbers")),
        },
        Value::String(text) => Json::Text(Text::from(text.clone())),
        Value::Array(items) => Json::List(items.iter().map(untag).collect::<Result<_, _>>()?),
        Value::Object(fields) => match fields.iter().next() {
            Some((tag, content)) if tag.starts_with('$') => return untag_tag(tag, content, tagged),
            _ => {
                let mut object = Vec::with_capacity(fields.len());
                for (name, value) in fields {
                    if let Some(value) = untag_or_nothing(value)? {
                        object.push((Cow::Owned(name.clone()), value));
                    }
                }
                Json::Object(object)
            }
        },
    }))
}

fn untag_tag(tag: &str, content: &Value, whole: &Value) -> Result<Option<Json<'static>>, Skip> {
    Ok(Some(match tag {
        "$undefined" => return Ok(None),
        "$utf16" => Json::Text(from_utf16(content)),
        "$repeat" => {
            let count = content[1].as_u64().and_then(|count| usize::try_from(count).ok());
            text_of(&wtf8(&content[0])?.repeat(count.expect("a count")))
        }
        "$concat" => {
            let parts = content.as_array().expect("a list of texts").iter().map(wtf8);
            text_of(&parts.collect::<Result<Vec<_>, _>>()?.concat())
        }
        "$number" => Json::Float(content.as_str().and_then(|name| name.parse().ok()).expect("NaN")),
        // Bytes are no JSON value in either host, so the Rust face has a form for them.
        "$host" if content == "bytes" => Json::Foreign,
        "$host" => return Err(HOST_TYPE),
        // In a record: the parsed text of an output.
        "$json" => Json::Object(vec![(Cow::Borrowed("$json"), untag(content)?)]),
        // In a record: what is known of a text that the package wrote.
        "$generated" => Json::Object(vec![(Cow::Borrowed("$generated"), untag(content)?)]),
        _ => panic!("an unknown tag in {whole}"),
    }))
}

fn wtf8(tagged: &Value) -> Result<Vec<u8>, Skip> {
    Ok(untag(tagged)?.as_text().expect("a text").as_bytes().to_vec())
}

fn text_of(bytes: &[u8]) -> Json<'static> {
    Json::Text(Text::from_wtf8(bytes.to_vec()))
}

/// Text of UTF-16 code units; halves without a partner become three bytes of WTF-8 each.
fn from_utf16(units: &Value) -> Text<'static> {
    let units = units.as_array().expect("code units").iter();
    let units = units.map(|unit| unit.as_u64().and_then(|unit| u16::try_from(unit).ok()));
    let mut bytes = Vec::new();
    for decoded in char::decode_utf16(units.map(|unit| unit.expect("a code unit"))) {
        match decoded {
            Ok(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(half) => {
                let [high, low] = half.unpaired_surrogate().to_be_bytes();
                bytes.push(0xe0 | (high >> 4));
                bytes.push(0x80 | ((high & 0x0f) << 2) | (low >> 6));
                bytes.push(0x80 | (low & 0x3f));
            }
        }
    }
    Text::from_wtf8(bytes)
}
