//! The function tool of a member, as JSON (B-4).

use super::member::{
    Field, FieldKind, HELD_KEYS, MAX_SAFE_INTEGER, MODIFIERS, MemberSpec, PATH_POINTS,
};
use crate::json::Writer;

/// Writes the strict function tool of a member.
pub(crate) fn write_tool(out: &mut Writer, spec: &MemberSpec) {
    out.object(|tool| {
        tool.field("type", |out| out.str("function"));
        tool.field("name", |out| out.str(spec.tool));
        tool.field("description", |out| out.str(spec.description));
        tool.field("strict", |out| out.bool(true));
        tool.field("parameters", |out| {
            out.object(|schema| {
                schema.field("type", |out| out.str("object"));
                schema.field("properties", |out| {
                    out.object(|properties| {
                        for field in spec.fields {
                            properties.field(field.name, |out| write_field(out, field));
                        }
                    });
                });
                schema.field("required", |out| {
                    out.list(|list| {
                        for field in spec.fields {
                            list.item(|out| out.str(field.name));
                        }
                    });
                });
                schema.field("additionalProperties", |out| out.bool(false));
            });
        });
    });
}

fn write_field(out: &mut Writer, field: &Field) {
    out.object(|schema| {
        write_kind(schema, field.kind);
        if let Some(description) = field.description {
            schema.field("description", |out| out.str(description));
        }
    });
}

fn write_kind(schema: &mut Writer, kind: FieldKind) {
    match kind {
        FieldKind::Text | FieldKind::VisibleText | FieldKind::Source | FieldKind::Reference => {
            schema.field("type", |out| out.str("string"));
        }
        FieldKind::OptionalText | FieldKind::OptionalReference => {
            schema.field("type", |out| write_words(out, &["string", "null"]));
        }
        FieldKind::OneOf(words) => write_word_type(schema, words),
        FieldKind::Int { min, max } => {
            schema.field("type", |out| out.str("integer"));
            schema.field("minimum", |out| out.int(min));
            schema.field("maximum", |out| out.int(max));
        }
        FieldKind::IntOneOf(ints) => {
            schema.field("type", |out| out.str("integer"));
            schema.field("enum", |out| {
                out.list(|list| ints.iter().for_each(|int| list.item(|out| out.int(*int))));
            });
        }
        FieldKind::Bool => schema.field("type", |out| out.str("boolean")),
        FieldKind::Texts => write_list(schema, FieldKind::Text, None),
        FieldKind::Modifiers => {
            write_list(schema, FieldKind::OneOf(MODIFIERS), Some((0, MODIFIERS.len())));
        }
        FieldKind::HeldKeys => write_list(schema, FieldKind::Text, Some(HELD_KEYS)),
        FieldKind::Region => write_list(schema, COORDINATE, Some((4, 4))),
        FieldKind::Path => {
            schema.field("type", |out| out.str("array"));
            schema.field("items", |out| out.object(write_point));
            write_length(schema, PATH_POINTS);
        }
    }
}

const COORDINATE: FieldKind = FieldKind::Int { min: 0, max: MAX_SAFE_INTEGER };

fn write_point(point: &mut Writer) {
    point.field("type", |out| out.str("object"));
    point.field("properties", |out| {
        out.object(|axes| {
            for axis in ["x", "y"] {
                axes.field(axis, |out| out.object(|schema| write_kind(schema, COORDINATE)));
            }
        });
    });
    point.field("required", |out| write_words(out, &["x", "y"]));
    point.field("additionalProperties", |out| out.bool(false));
}

fn write_word_type(schema: &mut Writer, words: &[&str]) {
    schema.field("type", |out| out.str("string"));
    schema.field("enum", |out| write_words(out, words));
}

fn write_words(out: &mut Writer, words: &[&str]) {
    out.list(|list| words.iter().for_each(|word| list.item(|out| out.str(word))));
}

fn write_list(schema: &mut Writer, item: FieldKind, length: Option<(usize, usize)>) {
    schema.field("type", |out| out.str("array"));
    schema.field("items", |out| out.object(|schema| write_kind(schema, item)));
    if let Some(length) = length {
        write_length(schema, length);
    }
}

fn write_length(schema: &mut Writer, (min, max): (usize, usize)) {
    for (name, value) in [("minItems", min), ("maxItems", max)] {
        schema.field(name, |out| out.json(&crate::json::Json::from(value)));
    }
}
