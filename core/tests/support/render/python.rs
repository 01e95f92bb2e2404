//! `_inputs.py`: typed dicts of the arguments, and the lists of members.

use std::fmt::Write as _;

use swingbridge_core::browser::{Field, FieldKind, MEMBERS, MODIFIERS, MemberSpec};

use super::{Words, and, input_name, quoted, sentences, wrap};

const WORDS: Words = Words { nothing: "None", largest: "2**53 - 1" };

const HEAD: &str = r#""""Arguments of the browser members, as drivers and callbacks get them (B-10, B-11, B-53).

Every field is always there; where a field may be absent for the model it is None here. Texts are
plain `str`, lists plain `list`, integers never `bool` or `float`. What is outside the limits below
is refused before a driver or a callback is called (B-12).
"""

# Written from the member table of the core. After a change of the table, write it again with
#   UPDATE=1 cargo test -p swingbridge-core --test generated

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict
"#;

pub(crate) fn inputs() -> String {
    let mut out = HEAD.to_owned();
    names(&mut out, "BrowserMember: TypeAlias = Literal", ('[', ']'), MEMBERS.iter());
    out.push_str(
        "\"\"\"The name of a browser member, and of the driver method for it (B-1).\"\"\"\n",
    );
    let tuple = "tuple[BrowserMember, ...] = ";
    names(&mut out, &format!("BROWSER_MEMBERS: {tuple}"), ('(', ')'), MEMBERS.iter());
    out.push_str("\"\"\"All members, in the order in which their tools are listed (B-1).\"\"\"\n");
    let defaults = MEMBERS.iter().filter(|spec| spec.default);
    names(&mut out, &format!("DEFAULT_BROWSER_MEMBERS: {tuple}"), ('(', ')'), defaults);
    out.push_str(
        "\"\"\"The members that a toolset exposes without being asked, if the driver has them \
         (B-1, B-2).\"\"\"\n",
    );
    point(&mut out);
    let mut written: Vec<&str> = Vec::new();
    for spec in &MEMBERS {
        match input_name(spec.member) {
            Some(name) if !written.contains(&name) => {
                written.push(name);
                class(&mut out, name);
            }
            _ => {}
        }
    }
    out
}

fn names<'t>(
    out: &mut String,
    declaration: &str,
    (open, close): (char, char),
    specs: impl Iterator<Item = &'t MemberSpec>,
) {
    let _ = write!(out, "\n{declaration}{open}\n");
    for spec in specs {
        let _ = writeln!(out, "    \"{}\",", spec.name);
    }
    let _ = writeln!(out, "{close}");
}

fn point(out: &mut String) {
    let _ = write!(
        out,
        r#"

class BrowserPoint(TypedDict):
    """A point of `drag_path`, in CSS pixels of the whole viewport (B-11).

    Attributes:
        x: From the left edge. An integer from 0 to {largest}.
        y: From the top edge. An integer from 0 to {largest}.
    """

    x: int
    y: int
"#,
        largest = WORDS.largest
    );
}

fn class(out: &mut String, name: &str) {
    let sharing: Vec<&MemberSpec> =
        MEMBERS.iter().filter(|spec| input_name(spec.member) == Some(name)).collect();
    let fields = shared_fields(&sharing);
    let members = and(&sharing.iter().map(|spec| format!("`{}`", spec.name)).collect::<Vec<_>>());
    let _ = write!(out, "\n\nclass {name}(TypedDict):\n    \"\"\"Arguments of {members} (B-11).\n");
    out.push_str("\n    Attributes:\n");
    for field in fields {
        let mut text = sentences(field, &WORDS);
        if text.is_empty() {
            text = choices(field.kind);
        }
        let never = never_null(field, &sharing);
        if !never.is_empty() {
            let _ = write!(text, " Never None for {}.", and(&never));
        }
        let label = format!("        {}: ", field.name);
        let _ = writeln!(out, "{label}{}", wrap(&text, label.len(), 12));
    }
    out.push_str("    \"\"\"\n\n");
    for field in fields {
        let _ = writeln!(out, "    {}: {}", field.name, type_of(field.kind));
    }
}

/// The words or numbers of a field that needs no description beside them.
fn choices(kind: FieldKind) -> String {
    let choices: Vec<String> = match kind {
        FieldKind::OneOf(words) => words.iter().map(ToString::to_string).collect(),
        FieldKind::IntOneOf(ints) => ints.iter().map(ToString::to_string).collect(),
        kind => panic!("{kind:?} says nothing by itself"),
    };
    let (last, first) = choices.split_last().expect("choices");
    format!("{} or {last}.", first.join(", "))
}

/// The fields of members that share a shape: the widest where one of them takes null and one does
/// not.
fn shared_fields<'t>(sharing: &[&'t MemberSpec]) -> &'t [Field] {
    let first = sharing[0];
    for other in sharing {
        assert_eq!(first.fields.len(), other.fields.len(), "{}", other.name);
        for (field, same) in first.fields.iter().zip(other.fields) {
            let kinds = (field.kind, same.kind);
            let narrower = kinds == (FieldKind::OptionalText, FieldKind::Text);
            assert!(field.name == same.name && (kinds.0 == kinds.1 || narrower), "{}", other.name);
        }
    }
    first.fields
}

fn never_null(field: &Field, sharing: &[&MemberSpec]) -> Vec<String> {
    sharing
        .iter()
        .filter(|spec| spec.fields.iter().any(|f| f.name == field.name && f.kind != field.kind))
        .map(|spec| format!("`{}`", spec.name))
        .collect()
}

fn type_of(kind: FieldKind) -> String {
    let literal = |words: &[&str]| format!("Literal[{}]", quoted(words, '"').join(", "));
    match kind {
        FieldKind::Text | FieldKind::VisibleText | FieldKind::Source | FieldKind::Reference => {
            "str".to_owned()
        }
        FieldKind::OptionalText | FieldKind::OptionalReference => "str | None".to_owned(),
        FieldKind::OneOf(words) => literal(words),
        FieldKind::Int { .. } => "int".to_owned(),
        FieldKind::IntOneOf(ints) => {
            let ints: Vec<String> = ints.iter().map(ToString::to_string).collect();
            format!("Literal[{}]", ints.join(", "))
        }
        FieldKind::Bool => "bool".to_owned(),
        FieldKind::Texts | FieldKind::HeldKeys => "list[str]".to_owned(),
        FieldKind::Modifiers => format!("list[{}]", literal(MODIFIERS)),
        FieldKind::Region => "list[int]".to_owned(),
        FieldKind::Path => "list[BrowserPoint]".to_owned(),
    }
}
