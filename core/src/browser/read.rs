//! Structured reads: `BrowserReadV1` and its scoped form (B-41 … B-43).

use std::collections::BTreeSet;

use crate::json::{Json, Writer};

const LABEL_BYTES: usize = 256;
const VALUE_BYTES: usize = 512;

const ROLES: &[&str] = &["button", "textbox", "combobox", "checkbox", "radio", "slider", "listbox"];
const OMISSIONS: &[&str] = &[
    "report_limit",
    "text_limit",
    "target_limit",
    "work_limit",
    "frame_limit",
    "unsupported_root",
    "unsupported_control",
    "remote_action",
    "private",
    "value",
    "name_limit",
];

/// What a kind of read may hold besides text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadShape {
    pub(crate) elements: bool,
    pub(crate) scopes: bool,
}

/// Checks a report and gives its known fields as JSON; unknown fields are dropped. `None` if it
/// breaks a rule, without a reason: page content must not get into errors.
pub(crate) fn project(report: &Json<'_>, shape: ReadShape) -> Option<String> {
    if report.field("version")?.as_int()? != 1 {
        return None;
    }
    let text = report.field("text")?.as_str()?;
    let elements = report.field("elements")?.as_list()?;
    let omitted = report.field("omitted")?.as_list()?;
    if !shape.elements && !elements.is_empty() {
        return None;
    }
    let scopes = if shape.scopes { Some(report.field("scopes")?.as_list()?) } else { None };
    let mut refs = BTreeSet::new();
    let mut out = Writer::with_capacity(64 + text.len() + 128 * elements.len());
    let mut valid = true;
    out.object(|read| {
        read.field("version", |out| out.int(1));
        read.field("text", |out| out.str(text));
        read.field("elements", |out| {
            out.list(|list| {
                valid &= elements
                    .iter()
                    .all(|element| write_element(list, element, &mut refs).is_some());
            });
        });
        read.field("omitted", |out| {
            out.list(|list| valid &= write_omissions(list, omitted).is_some());
        });
        if let Some(scopes) = scopes {
            read.field("scopes", |out| {
                out.list(|list| {
                    valid &=
                        scopes.iter().all(|scope| write_scope(list, scope, &mut refs).is_some());
                });
            });
        }
    });
    valid.then(|| out.finish())
}

fn write_element<'j>(
    list: &mut Writer,
    element: &'j Json<'_>,
    refs: &mut BTreeSet<&'j str>,
) -> Option<()> {
    let reference = label(element.field("ref")?)?;
    let role = word(element.field("role")?, ROLES)?;
    let name = label(element.field("label")?)?;
    let value = optional(element, "value", |value| limited(value, VALUE_BYTES))?;
    let checked = match role {
        "checkbox" | "radio" => optional(element, "checked", Json::as_bool)?,
        _ => None,
    };
    let options = optional(element, "options", Json::as_list)?;
    if !refs.insert(reference) {
        return None;
    }
    let mut valid = true;
    list.item(|out| {
        out.object(|element| {
            element.field("ref", |out| out.str(reference));
            element.field("role", |out| out.str(role));
            element.field("label", |out| out.str(name));
            if let Some(value) = value {
                element.field("value", |out| out.str(value));
            }
            if let Some(options) = options {
                element.field("options", |out| {
                    out.list(|list| {
                        valid =
                            options.iter().all(|option| write_option(list, option, role).is_some());
                    });
                });
            }
            if let Some(checked) = checked {
                element.field("checked", |out| out.bool(checked));
            }
        });
    });
    valid.then_some(())
}

fn write_option(list: &mut Writer, option: &Json<'_>, role: &str) -> Option<()> {
    let name = label(option.field("label")?)?;
    let value = limited(option.field("value")?, VALUE_BYTES)?;
    let selected = match role {
        "listbox" => optional(option, "selected", Json::as_bool)?,
        _ => None,
    };
    list.item(|out| {
        out.object(|option| {
            option.field("label", |out| out.str(name));
            option.field("value", |out| out.str(value));
            if let Some(selected) = selected {
                option.field("selected", |out| out.bool(selected));
            }
        });
    });
    Some(())
}

fn write_omissions(list: &mut Writer, omitted: &[Json<'_>]) -> Option<()> {
    let mut seen = BTreeSet::new();
    for code in omitted {
        let code = word(code, OMISSIONS)?;
        if !seen.insert(code) {
            return None;
        }
        list.item(|out| out.str(code));
    }
    Some(())
}

/// A scope's reference must differ from every other reference, element references included.
fn write_scope<'j>(
    list: &mut Writer,
    scope: &'j Json<'_>,
    refs: &mut BTreeSet<&'j str>,
) -> Option<()> {
    let reference = label(scope.field("ref")?)?;
    let name = label(scope.field("label")?)?;
    if !refs.insert(reference) {
        return None;
    }
    list.item(|out| {
        out.object(|scope| {
            scope.field("ref", |out| out.str(reference));
            scope.field("label", |out| out.str(name));
        });
    });
    Some(())
}

/// A field that may be absent; the outer `None` says that it is there and wrong.
#[expect(
    clippy::option_option,
    reason = "wrong, absent and given are three answers; `?` ends on the first"
)]
fn optional<'j, 'v, T>(
    object: &'j Json<'v>,
    name: &str,
    read: impl FnOnce(&'j Json<'v>) -> Option<T>,
) -> Option<Option<T>> {
    match object.field(name) {
        Some(value) => read(value).map(Some),
        None => Some(None),
    }
}

fn label<'j>(value: &'j Json<'_>) -> Option<&'j str> {
    limited(value, LABEL_BYTES).filter(|label| !label.is_empty())
}

fn limited<'j>(value: &'j Json<'_>, limit: usize) -> Option<&'j str> {
    value.as_str().filter(|text| text.len() <= limit)
}

fn word(value: &Json<'_>, words: &'static [&'static str]) -> Option<&'static str> {
    let given = value.as_str()?;
    words.iter().find(|word| **word == given).copied()
}
