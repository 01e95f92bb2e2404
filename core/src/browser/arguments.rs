//! Arguments of a call: from the model's text to exactly the member's fields (B-10 … B-12).

use std::borrow::Cow;

use thiserror::Error;

use super::member::{
    Field, FieldKind, HELD_KEY_BYTES, HELD_KEYS, MAX_SAFE_INTEGER, MODIFIERS, Member, PATH_POINTS,
    REFERENCE_BYTES, VISIBLE_TEXT_BYTES,
};
use crate::json::text::{collapsed_len, is_blank, is_javascript_space, is_python_space};
use crate::json::{Json, RawJson, Text, Writer};

/// The validated arguments of one call. They are fixed here: what is approved is what is done.
#[derive(Clone, Debug)]
pub struct Arguments {
    fields: Vec<(&'static str, Json<'static>)>,
}

/// Why arguments are refused. Carries field names of the table, never what the model wrote.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum ArgumentFault {
    #[error("the arguments are not a JSON object")]
    NotAnObject,
    #[error("the field {0} is missing")]
    Missing(&'static str),
    #[error("there is a field that this tool does not have")]
    Unknown,
    #[error("the field {0} does not have the required type, form or range")]
    Invalid(&'static str),
}

crate::error::codes! {
    ArgumentFault {
        Self::NotAnObject => "arguments_not_an_object",
        Self::Missing(_) => "argument_missing",
        Self::Unknown => "argument_unknown",
        Self::Invalid(_) => "argument_invalid",
    }
}

impl Arguments {
    /// Checks the text against the fields of `member`.
    pub fn parse(member: Member, text: &str) -> Result<Self, ArgumentFault> {
        let given = RawJson::parse(text)
            .ok()
            .and_then(RawJson::as_object)
            .ok_or(ArgumentFault::NotAnObject)?;
        let known = member.spec().fields;
        if given.iter().any(|(name, _)| known.iter().all(|field| field.name != name)) {
            return Err(ArgumentFault::Unknown);
        }
        let mut fields = Vec::with_capacity(known.len());
        for field in known {
            let (_, value) = given
                .iter()
                .rev()
                .find(|(name, _)| name == field.name)
                .ok_or(ArgumentFault::Missing(field.name))?;
            let value = check(field, *value).ok_or(ArgumentFault::Invalid(field.name))?;
            fields.push((field.name, value));
        }
        Ok(Self { fields })
    }

    pub fn fields(&self) -> &[(&'static str, Json<'static>)] {
        &self.fields
    }

    pub fn field(&self, name: &str) -> Option<&Json<'static>> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    pub fn write(&self, out: &mut Writer) {
        out.object(|object| {
            for (name, value) in &self.fields {
                object.field(name, |out| out.json(value));
            }
        });
    }
}

fn check(field: &Field, value: RawJson<'_>) -> Option<Json<'static>> {
    match field.kind {
        FieldKind::Text => text(value).map(Json::Text),
        FieldKind::OptionalText => optional(value, text),
        FieldKind::VisibleText => {
            text(value).filter(|text| text.as_str().is_some_and(is_visible)).map(Json::Text)
        }
        FieldKind::Source => valid(value, usize::MAX).map(Json::Text),
        FieldKind::Reference => valid(value, REFERENCE_BYTES).map(Json::Text),
        FieldKind::OptionalReference => optional(value, |value| valid(value, REFERENCE_BYTES)),
        FieldKind::OneOf(words) => one_of(value, words).map(Json::Text),
        FieldKind::Int { min, max } => {
            value.as_int().filter(|int| (min..=max).contains(int)).map(Json::Int)
        }
        FieldKind::IntOneOf(ints) => value.as_int().filter(|int| ints.contains(int)).map(Json::Int),
        FieldKind::Bool => value.as_bool().map(Json::Bool),
        FieldKind::Texts => list(value, text),
        FieldKind::Modifiers => list(value, |item| one_of(item, MODIFIERS)).filter(all_different),
        FieldKind::HeldKeys => list(value, |item| valid(item, HELD_KEY_BYTES))
            .filter(|keys| has_items(keys, HELD_KEYS))
            .filter(all_different),
        FieldKind::Region => region(value),
        FieldKind::Path => list_of(value, point).filter(|path| has_items(path, PATH_POINTS)),
    }
}

fn text(value: RawJson<'_>) -> Option<Text<'static>> {
    value.as_text().map(Text::into_owned)
}

/// Non-empty valid Unicode of at most `limit` bytes.
fn valid(value: RawJson<'_>, limit: usize) -> Option<Text<'static>> {
    text(value)
        .filter(|text| text.as_str().is_some_and(|text| !text.is_empty() && text.len() <= limit))
}

/// Visible, and within the limit in both hosts' ideas of white space: the stricter one decides.
fn is_visible(text: &str) -> bool {
    let bytes = collapsed_len(text, is_python_space).max(collapsed_len(text, is_javascript_space));
    !is_blank(text) && bytes <= VISIBLE_TEXT_BYTES
}

fn optional(
    value: RawJson<'_>,
    check: impl Fn(RawJson<'_>) -> Option<Text<'static>>,
) -> Option<Json<'static>> {
    if value.is_null() { Some(Json::Null) } else { check(value).map(Json::Text) }
}

fn one_of(value: RawJson<'_>, words: &[&'static str]) -> Option<Text<'static>> {
    let given = value.as_text()?;
    words.iter().find(|word| given.as_str() == Some(word)).map(|word| Text::from(*word))
}

fn list(
    value: RawJson<'_>,
    item: impl Fn(RawJson<'_>) -> Option<Text<'static>>,
) -> Option<Json<'static>> {
    list_of(value, |value| item(value).map(Json::Text))
}

fn list_of(
    value: RawJson<'_>,
    item: impl Fn(RawJson<'_>) -> Option<Json<'static>>,
) -> Option<Json<'static>> {
    value.as_list()?.into_iter().map(item).collect::<Option<Vec<_>>>().map(Json::List)
}

fn has_items(value: &Json<'_>, (min, max): (usize, usize)) -> bool {
    value.as_list().is_some_and(|items| (min..=max).contains(&items.len()))
}

fn all_different(value: &Json<'static>) -> bool {
    let items = value.as_list().unwrap_or_default();
    items.iter().enumerate().all(|(index, item)| !items[..index].contains(item))
}

fn coordinate(value: RawJson<'_>) -> Option<i64> {
    value.as_int().filter(|int| (0..=MAX_SAFE_INTEGER).contains(int))
}

fn region(value: RawJson<'_>) -> Option<Json<'static>> {
    let edges: Vec<i64> = value.as_list()?.into_iter().map(coordinate).collect::<Option<_>>()?;
    match edges[..] {
        [left, top, right, bottom] if right > left && bottom > top => {
            Some(Json::List(edges.into_iter().map(Json::Int).collect()))
        }
        _ => None,
    }
}

fn point(value: RawJson<'_>) -> Option<Json<'static>> {
    let given = value.as_object()?;
    if given.iter().any(|(name, _)| name != "x" && name != "y") {
        return None;
    }
    let axis = |axis: &'static str| {
        let (_, value) = given.iter().rev().find(|(name, _)| name == axis)?;
        Some((Cow::Borrowed(axis), Json::Int(coordinate(*value)?)))
    };
    Some(Json::Object(vec![axis("x")?, axis("y")?]))
}
