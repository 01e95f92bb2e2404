//! How many bytes a value has as compact JSON in UTF-8, as `JSON.stringify` would write it.

use super::{Json, MAX_DEPTH};

/// The bytes of `value`; `None` if it has a part with no such form: an unpaired surrogate, a number
/// that is not finite, a host value, a text that stays with the host, or more nesting than any host
/// parses. Of equal names in an object each counts.
pub fn stringified_len(value: &Json<'_>) -> Option<u64> {
    len(value, MAX_DEPTH)
}

fn len(value: &Json<'_>, depth: usize) -> Option<u64> {
    match value {
        Json::Null => Some(4),
        Json::Bool(value) => Some(if *value { 4 } else { 5 }),
        Json::Int(value) => Some(u64::from(value.is_negative()) + digits(value.unsigned_abs())),
        Json::Float(value) => float_len(*value),
        Json::Text(text) => text.as_str().map(quoted_len),
        Json::List(items) => {
            let depth = depth.checked_sub(1)?;
            items.iter().try_fold(frame(items.len()), |sum, item| Some(sum + len(item, depth)?))
        }
        Json::Object(fields) => {
            let depth = depth.checked_sub(1)?;
            fields.iter().try_fold(frame(fields.len()), |sum, (name, value)| {
                Some(sum + quoted_len(name) + 1 + len(value, depth)?)
            })
        }
        Json::Held(_) | Json::Foreign => None,
    }
}

/// The brackets and the commas between `count` parts.
fn frame(count: usize) -> u64 {
    2 + (count as u64).saturating_sub(1)
}

/// The bytes of a text with its quotes.
pub(crate) fn quoted_len(text: &str) -> u64 {
    let escapes: u64 = text
        .bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
            0..0x20 => 5,
            _ => 0,
        })
        .sum();
    text.len() as u64 + escapes + 2
}

fn digits(value: u64) -> u64 {
    u64::from(value.checked_ilog10().unwrap_or(0)) + 1
}

/// The length of ECMAScript's shortest spelling of a number.
fn float_len(value: f64) -> Option<u64> {
    if !value.is_finite() {
        return None;
    }
    if value == 0.0 {
        return Some(1);
    }
    // `d.ddde-7`: the shortest digits, which both languages choose alike.
    let spelled = format!("{:e}", value.abs());
    let (mantissa, exponent) = spelled.split_once('e')?;
    let exponent: i64 = exponent.parse().ok()?;
    let count = mantissa.bytes().filter(u8::is_ascii_digit).count() as u64;
    let magnitude = exponent.unsigned_abs();
    let fraction = u64::from(count > 1);
    let unsigned = match exponent {
        0..21 => (magnitude + 1).max(count) + u64::from(count > magnitude + 1),
        -6..0 => 1 + magnitude + count,
        _ => count + fraction + 2 + digits(magnitude),
    };
    Some(unsigned + u64::from(value.is_sign_negative()))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::json::{Held, Text, parse};

    /// What `JSON.stringify` writes for each.
    const NUMBERS: &[(f64, &str)] = &[
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (0.1, "0.1"),
        (123.456, "123.456"),
        (100.0, "100"),
        (1e-6, "0.000001"),
        (1.5e-6, "0.0000015"),
        (1e-7, "1e-7"),
        (1.25e-10, "1.25e-10"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (9_007_199_254_740_993.0, "9007199254740992"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
    ];

    #[test]
    fn numbers_are_spelled_as_by_stringify() {
        for (value, spelled) in NUMBERS {
            assert_eq!(float_len(*value), Some(spelled.len() as u64), "{spelled}");
        }
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(float_len(value), None);
        }
        for int in [0, 7, 10, -10, i64::MAX, i64::MIN] {
            assert_eq!(stringified_len(&Json::Int(int)), Some(int.to_string().len() as u64));
        }
    }

    #[test]
    fn texts_have_the_short_escapes_and_raw_letters() {
        for (text, bytes) in
            [("", 2), ("é😀", 8), ("\n\"\\\r\t\u{8}\u{c}", 16), ("\u{1}\u{1f}", 14), ("\u{7f}/", 4)]
        {
            assert_eq!(quoted_len(text), bytes, "{text:?}");
        }
    }

    #[test]
    fn structures_count_brackets_commas_and_colons() {
        for json in ["[]", "{}", "[1,[2,{\"a\":null}],true,false]", "{\"a\":1,\"b\":\"x\"}"] {
            let value = parse(json).expect("JSON");
            assert_eq!(stringified_len(&value), Some(json.len() as u64), "{json}");
        }
    }

    #[test]
    fn what_has_no_json_form_has_no_size() {
        let held = Json::Held(Held { head: Cow::Borrowed("x"), handle: 1 });
        let unpaired = Json::Text(Text::from_wtf8(vec![0xed, 0xa0, 0x80]));
        let mut deep = Json::Null;
        for _ in 0..=MAX_DEPTH {
            deep = Json::List(vec![deep]);
        }
        for value in [held, unpaired, Json::Foreign, Json::Float(f64::NAN), deep] {
            assert_eq!(stringified_len(&Json::List(vec![value])), None);
        }
    }
}
