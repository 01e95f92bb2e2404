//! `members.ts`: the arguments of each member, and the lists of members.

use std::fmt::Write as _;

use swingbridge_core::browser::{Effect, FieldKind, MEMBERS, MODIFIERS, MemberSpec};

use super::{WIDTH, Words, quoted, sentences, wrap};

const WORDS: Words = Words { nothing: "null", largest: "2^53 - 1" };

const HEAD: &str = "\
// Written from the member table of the core. After a change of the table, write it again with
//   UPDATE=1 cargo test -p swingbridge-core --test generated

/** A point of `drag_path`, in CSS pixels of the whole viewport (B-11). */
export interface BrowserPoint {
  /** From the left edge. An integer from 0 to 2^53 - 1. */
  x: number;
  /** From the top edge. An integer from 0 to 2^53 - 1. */
  y: number;
}

/**
 * The arguments of each browser member, as drivers and callbacks get them (B-10, B-11). Every field
 * is always there; where a field may be absent for the model it is null here. What is outside the
 * limits below is refused before a driver or a callback is called (B-12).
 */
export interface BrowserArgumentsByMember {
";

const AFTER: &str = "}

/** The name of a browser member, and of the driver method for it (B-1). */
export type BrowserMember = keyof BrowserArgumentsByMember;

/** The arguments of one member (B-53). */
export type BrowserArguments<M extends BrowserMember> = BrowserArgumentsByMember[M];

";

pub(crate) fn members() -> String {
    let mut out = HEAD.to_owned();
    for spec in &MEMBERS {
        arguments(&mut out, spec);
    }
    out.push_str(AFTER);
    let reads: Vec<&str> =
        MEMBERS.iter().filter(|spec| spec.effect == Effect::Read).map(|spec| spec.name).collect();
    out.push_str(
        "/** A member that `confirmReads` may name (B-22). */\nexport type BrowserReadMember =",
    );
    for name in reads {
        let _ = write!(out, "\n  | '{name}'");
    }
    out.push_str(";\n");
    list(
        &mut out,
        "All members, in the order in which their tools are listed (B-1).",
        "BROWSER_MEMBERS",
        MEMBERS.iter(),
    );
    list(
        &mut out,
        "The members that a toolset exposes without being asked, if the driver has them (B-1, B-2).",
        "DEFAULT_BROWSER_MEMBERS",
        MEMBERS.iter().filter(|spec| spec.default),
    );
    out
}

fn arguments(out: &mut String, spec: &MemberSpec) {
    if spec.fields.is_empty() {
        let _ = writeln!(out, "  /** It has none. */\n  {}: Record<never, never>;", spec.name);
        return;
    }
    let _ = writeln!(out, "  {}: {{", spec.name);
    for field in spec.fields {
        let text = sentences(field, &WORDS);
        if !text.is_empty() {
            comment(out, &text, 4);
        }
        let _ = writeln!(out, "    {}: {};", field.name, type_of(field.kind));
    }
    out.push_str("  };\n");
}

fn comment(out: &mut String, text: &str, indent: usize) {
    let space = " ".repeat(indent);
    if indent + "/** ".len() + text.len() + " */".len() <= WIDTH {
        let _ = writeln!(out, "{space}/** {text} */");
        return;
    }
    let mark = " * ";
    let lines = wrap(text, indent + mark.len(), indent + mark.len());
    let _ = writeln!(out, "{space}/**");
    for line in lines.lines() {
        let _ = writeln!(out, "{space}{mark}{}", line.trim_start());
    }
    let _ = writeln!(out, "{space} */");
}

fn list<'t>(out: &mut String, text: &str, name: &str, specs: impl Iterator<Item = &'t MemberSpec>) {
    out.push('\n');
    comment(out, text, 0);
    let _ = writeln!(out, "export const {name}: readonly BrowserMember[] = Object.freeze([");
    for spec in specs {
        let _ = writeln!(out, "  '{}',", spec.name);
    }
    out.push_str("] as const);\n");
}

fn type_of(kind: FieldKind) -> String {
    let union = |words: &[&str]| quoted(words, '\'').join(" | ");
    match kind {
        FieldKind::Text | FieldKind::VisibleText | FieldKind::Source | FieldKind::Reference => {
            "string".to_owned()
        }
        FieldKind::OptionalText | FieldKind::OptionalReference => "string | null".to_owned(),
        FieldKind::OneOf(words) => union(words),
        FieldKind::Int { .. } => "number".to_owned(),
        FieldKind::IntOneOf(ints) => {
            ints.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ")
        }
        FieldKind::Bool => "boolean".to_owned(),
        FieldKind::Texts | FieldKind::HeldKeys => "string[]".to_owned(),
        FieldKind::Modifiers => format!("({})[]", union(MODIFIERS)),
        FieldKind::Region => "[number, number, number, number]".to_owned(),
        FieldKind::Path => "BrowserPoint[]".to_owned(),
    }
}
