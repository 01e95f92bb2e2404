//! The member table as declarations of each host language.

pub(crate) mod python;
pub(crate) mod typescript;

use swingbridge_core::browser::{
    Field, FieldKind, HELD_KEY_BYTES, HELD_KEYS, MAX_SAFE_INTEGER, Member, PATH_POINTS,
    REFERENCE_BYTES, VISIBLE_TEXT_BYTES,
};

/// Both formatters break lines here.
const WIDTH: usize = 100;

/// The name under which both languages' users know the arguments of a member. Members of the same
/// shape share a name; `list_tabs` has no driver method and no name.
fn input_name(member: Member) -> Option<&'static str> {
    Some(match member {
        Member::Navigate => "NavigateInput",
        Member::ReadPage => "ReadPageInput",
        Member::GetPageText | Member::Screenshot | Member::SwitchTab | Member::CloseTab => {
            "TabInput"
        }
        Member::Find => "FindInput",
        Member::Click | Member::Hover | Member::ScrollTo => "ClickInput",
        Member::Type => "TypeInput",
        Member::Key => "KeyInput",
        Member::Scroll => "ScrollInput",
        Member::SelectOption => "SelectOptionInput",
        Member::Zoom => "ZoomInput",
        Member::NewTab => "NewTabInput",
        Member::ListTabs => return None,
        Member::WaitFor => "WaitForInput",
        Member::HoverAt => "HoverAtInput",
        Member::SetChecked => "SetCheckedInput",
        Member::ClickAt => "ClickAtInput",
        Member::DragPath => "DragPathInput",
        Member::HoldKeys => "HoldKeysInput",
        Member::ReadPageScoped => "ReadPageScopedInput",
        Member::ReadDiagnostics => "ReadDiagnosticsInput",
        Member::RunScript => "RunScriptInput",
        Member::UploadFile | Member::DownloadFile => "BrowserFileInput",
    })
}

/// How a language spells what the rules speak of.
struct Words {
    nothing: &'static str,
    largest: &'static str,
}

/// What the field means and what it may hold, where its type does not say it.
fn sentences(field: &Field, words: &Words) -> String {
    let meaning = field.description.map(|text| text.replace("null", words.nothing));
    let rule = rule(field.kind, words);
    [meaning, rule].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn rule(kind: FieldKind, words: &Words) -> Option<String> {
    let largest = words.largest;
    Some(match kind {
        FieldKind::Text
        | FieldKind::OptionalText
        | FieldKind::OneOf(_)
        | FieldKind::IntOneOf(_)
        | FieldKind::Bool
        | FieldKind::Texts => return None,
        FieldKind::VisibleText => format!(
            "At most {VISIBLE_TEXT_BYTES} UTF-8 bytes, with each run of white space counted as one \
             space and none at the ends."
        ),
        FieldKind::Source => "Not empty, of any length.".to_owned(),
        FieldKind::Reference | FieldKind::OptionalReference => {
            format!("Not empty, at most {REFERENCE_BYTES} UTF-8 bytes.")
        }
        FieldKind::Int { min, max } if max == MAX_SAFE_INTEGER => {
            format!("An integer from {min} to {largest}.")
        }
        FieldKind::Int { min, max } => format!("An integer from {min} to {max}."),
        FieldKind::Modifiers => "Each at most once.".to_owned(),
        FieldKind::HeldKeys => format!(
            "{} to {} different names, none empty, each at most {HELD_KEY_BYTES} UTF-8 bytes.",
            HELD_KEYS.0, HELD_KEYS.1
        ),
        FieldKind::Region => format!("Four integers from 0 to {largest}."),
        FieldKind::Path => format!("{} to {} points.", PATH_POINTS.0, PATH_POINTS.1),
    })
}

/// Breaks a text into lines of at most [`WIDTH`] characters; the first one has `taken` characters
/// before it, the others `indent`.
fn wrap(text: &str, taken: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut column = taken;
    for word in text.split(' ') {
        let breaks = column + word.len() + 1 > WIDTH && !out.is_empty();
        if breaks {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if !out.is_empty() {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.len();
    }
    out
}

fn quoted(words: &[&str], quote: char) -> Vec<String> {
    words.iter().map(|word| format!("{quote}{word}{quote}")).collect()
}

fn and(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
