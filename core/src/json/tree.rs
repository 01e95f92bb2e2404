//! JSON text to a [`Json`] tree, for hosts whose objects cross cheaper as text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::raw::Name;
use super::{Json, JsonFault, RawJson, Text};

/// The deepest nesting that a value from a host or from the wire may have.
pub const MAX_DEPTH: usize = 128;

/// Parses JSON text; strings borrow from it where they have no escapes.
///
/// The fast way refuses unpaired surrogates and numbers that no float holds, which are rare; text
/// that has one is read level by level instead. Such a number is infinite, as it is to the parsers of
/// both hosts. Deeper nesting than [`MAX_DEPTH`] is a fault either way.
pub fn parse(text: &str) -> Result<Json<'_>, JsonFault> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(_) if has_surrogate_escape(text) || has_long_number(text) => {
            RawJson::parse(text).and_then(|raw| build(raw, MAX_DEPTH))
        }
        Err(_) => Err(JsonFault),
    }
}

fn has_surrogate_escape(text: &str) -> bool {
    text.as_bytes()
        .windows(3)
        .any(|bytes| bytes[..2] == *b"\\u" && bytes[2].eq_ignore_ascii_case(&b'd'))
}

/// Whether there may be a number with an exponent of three digits, or with as many digits as make a
/// float infinite.
fn has_long_number(text: &str) -> bool {
    const DIGITS: usize = 309;
    let mut run = 0;
    let mut before = b' ';
    let mut is_exponent = false;
    for byte in text.bytes() {
        if byte.is_ascii_digit() {
            run += 1;
            if run >= DIGITS || (is_exponent && run >= 3) {
                return true;
            }
        } else {
            let sign_of_exponent = byte == b'+' && before.eq_ignore_ascii_case(&b'e');
            is_exponent = byte.eq_ignore_ascii_case(&b'e') || sign_of_exponent;
            run = 0;
        }
        before = byte;
    }
    false
}

fn build(raw: RawJson<'_>, depth: usize) -> Result<Json<'_>, JsonFault> {
    let depth = depth.checked_sub(1).ok_or(JsonFault)?;
    if let Some(text) = raw.as_text() {
        return Ok(Json::Text(text));
    }
    if let Some(items) = raw.as_list() {
        let items: Result<_, _> = items.into_iter().map(|item| build(item, depth)).collect();
        return items.map(Json::List);
    }
    if let Some(fields) = raw.as_object() {
        let fields: Result<_, _> =
            fields.into_iter().map(|(name, value)| Ok((name, build(value, depth)?))).collect();
        return fields.map(Json::Object);
    }
    match serde_json::from_str(raw.text()) {
        Ok(value) => Ok(value),
        Err(_) => raw.text().parse().map(Json::Float).map_err(|_| JsonFault),
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Json::Int(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "beyond 2^63 no rule accepts the number")]
    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(value).map_or(Json::Float(value as f64), Json::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Json::Float(value))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Json::Text(Text::Valid(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Json::Text(Text::Valid(Cow::Owned(text.to_owned()))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(Name(name)) = map.next_key()? {
            fields.push((name, map.next_value()?));
        }
        Ok(Json::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_no_float_holds_is_infinite() {
        let digits = "9".repeat(400);
        for (text, sign) in
            [("1e400", 1.0), ("-1E+400", -1.0), ("12.5e0000999", 1.0), (digits.as_str(), 1.0)]
        {
            let infinite = Json::Float(f64::INFINITY * sign);
            assert_eq!(parse(text), Ok(infinite.clone()), "{text}");
            let inside = format!(r#"{{"a":[{text}],"b":"x"}}"#);
            let inside = parse(&inside).expect("JSON");
            assert_eq!(inside.field("a"), Some(&Json::List(vec![infinite])));
            assert_eq!(inside.field("b").and_then(Json::as_str), Some("x"));
        }
        assert_eq!(parse("1e-400"), Ok(Json::Float(0.0)));
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for text in ["1e400x", "inf", "[1e400", "nan", "1e", "+1e400", "{\"a\":1e400 1}"] {
            assert_eq!(parse(text), Err(JsonFault), "{text}");
        }
        let deep = format!("{}1e400{}", "[".repeat(200), "]".repeat(200));
        assert_eq!(parse(&deep), Err(JsonFault));
    }
}
