//! Equality of values that went through a store and perhaps another language.

#![expect(clippy::float_cmp, reason = "a stored number comes back exactly or is another number")]

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::json::Json;

/// Whether both are the same JSON value: the order of fields does not count, the order of a list
/// does, and `1` is `1.0`, which JavaScript does not tell apart.
///
/// A value with no JSON form equals nothing. A text that stayed with the host equals nothing either,
/// since most of it cannot be seen here.
pub(super) fn is_same(one: &Json<'_>, other: &Json<'_>) -> bool {
    match (one, other) {
        (Json::Null, Json::Null) => true,
        (Json::Bool(one), Json::Bool(other)) => one == other,
        (Json::Int(one), Json::Int(other)) => one == other,
        (Json::Float(one), Json::Float(other)) => one == other,
        (Json::Int(int), Json::Float(float)) | (Json::Float(float), Json::Int(int)) => {
            is_same_number(*int, *float)
        }
        (Json::Text(one), Json::Text(other)) => one == other,
        (Json::List(one), Json::List(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            let (one, other) = (by_name(one), by_name(other));
            one.len() == other.len()
                && one.iter().zip(&other).all(|((name, value), (other_name, other_value))| {
                    name == other_name && is_same(value, other_value)
                })
        }
        _ => false,
    }
}

#[expect(clippy::cast_precision_loss, reason = "an integer that is no double is refused before")]
fn is_same_number(int: i64, float: f64) -> bool {
    // Beyond 2^53 several integers become the same double.
    int.unsigned_abs() <= super::MAX_COUNT && int as f64 == float
}

/// The fields that count, by name.
fn by_name<'o, 'v>(fields: &'o [(Cow<'v, str>, Json<'v>)]) -> BTreeMap<&'o str, &'o Json<'v>> {
    fields.iter().map(|(name, value)| (name.as_ref(), value)).collect()
}
