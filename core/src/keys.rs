//! Key names: what a model writes to what a page driver understands (D-2).

use std::borrow::Cow;

use thiserror::Error;

/// Modifiers that change what the other keys of a chord mean.
const MODIFIERS: &[&str] = &["Control", "Alt", "Meta", "Shift"];

/// Names without case, spaces, hyphens and underscores, and the key each stands for. Keys are called
/// as `KeyboardEvent.key` or `KeyboardEvent.code` call them, which is what Playwright takes.
const NAMES: &[(&str, &[&str])] = &[
    ("Control", &["control", "ctrl", "ctl", "controlleft", "controlright"]),
    ("Alt", &["alt", "option", "opt", "altleft", "altright"]),
    ("Meta", &["meta", "cmd", "command", "win", "windows", "super", "os", "metaleft", "metaright"]),
    ("Shift", &["shift", "shiftleft", "shiftright"]),
    ("Enter", &["enter", "return", "numpadenter"]),
    ("Escape", &["escape", "esc"]),
    ("Tab", &["tab"]),
    ("Space", &["space", "spacebar"]),
    ("Backspace", &["backspace", "bksp"]),
    ("Delete", &["delete", "del"]),
    ("Insert", &["insert", "ins"]),
    ("Home", &["home"]),
    ("End", &["end"]),
    ("PageUp", &["pageup", "pgup"]),
    ("PageDown", &["pagedown", "pgdn", "pgdown"]),
    ("ArrowUp", &["arrowup", "up"]),
    ("ArrowDown", &["arrowdown", "down"]),
    ("ArrowLeft", &["arrowleft", "left"]),
    ("ArrowRight", &["arrowright", "right"]),
    ("CapsLock", &["capslock", "caps"]),
    ("NumLock", &["numlock"]),
    ("ScrollLock", &["scrolllock"]),
    ("PrintScreen", &["printscreen", "prtsc", "prtscn"]),
    ("Pause", &["pause", "break"]),
    ("ContextMenu", &["contextmenu", "menu", "apps"]),
    ("+", &["plus"]),
    ("-", &["minus"]),
    ("=", &["equal", "equals"]),
    (",", &["comma"]),
    (".", &["period", "dot"]),
    ("/", &["slash"]),
    ("\\", &["backslash"]),
    (";", &["semicolon"]),
    ("'", &["quote", "apostrophe"]),
    ("`", &["backquote", "grave"]),
    ("[", &["bracketleft"]),
    ("]", &["bracketright"]),
];

const FUNCTION_KEYS: u8 = 24;

/// Why keys cannot be pressed.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum KeyFault {
    #[error("no keys are given")]
    None,
    #[error(
        "key {0} is not known; use a single character, F1 to F24, or one of: Control, Alt, Shift, Meta, Enter, \
         Escape, Tab, Space, Backspace, Delete, Insert, Home, End, PageUp, PageDown, ArrowUp, ArrowDown, \
         ArrowLeft, ArrowRight, CapsLock, PrintScreen, Pause, ContextMenu"
    )]
    /// Counts from 1.
    Unknown(usize),
}

crate::error::codes! {
    KeyFault {
        Self::None => "keys_empty",
        Self::Unknown(_) => "key_unknown",
    }
}

/// The keys of a chord in the order in which they are pressed; they are released in reverse. A name
/// may itself be a chord written with plus signs (`Ctrl+Shift+T`). Letters of a chord with a modifier
/// other than Shift are lower case: `CTRL` and `A` select all, they do not type a capital.
pub fn chord<'k>(names: impl IntoIterator<Item = &'k str>) -> Result<Vec<String>, KeyFault> {
    let mut keys = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        for part in parts(name) {
            let key = normalize(part).ok_or(KeyFault::Unknown(index + 1))?;
            keys.push(key.into_owned());
        }
    }
    if keys.is_empty() {
        return Err(KeyFault::None);
    }
    let holds = |modifier: &str| keys.iter().any(|key| key == modifier);
    let is_shortcut = MODIFIERS.iter().any(|modifier| *modifier != "Shift" && holds(modifier));
    if is_shortcut {
        for key in &mut keys {
            if key.len() == 1 {
                key.make_ascii_lowercase();
            }
        }
    }
    // A modifier works only while it is held, so it goes down before the keys it changes.
    keys.sort_by_key(|key| !MODIFIERS.contains(&key.as_str()));
    keys.dedup();
    Ok(keys)
}

/// One key's name as a driver understands it.
pub fn normalize(name: &str) -> Option<Cow<'_, str>> {
    let mut characters = name.chars();
    match (characters.next()?, characters.next()) {
        (' ', None) => return Some(Cow::Borrowed("Space")),
        (character, None) if !character.is_control() => return Some(Cow::Borrowed(name)),
        _ => {}
    }
    let plain: String = name
        .chars()
        .filter(|c| !matches!(c, ' ' | '-' | '_'))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    if let Some((key, _)) = NAMES.iter().find(|(_, names)| names.contains(&plain.as_str())) {
        return Some(Cow::Borrowed(key));
    }
    let digits = |prefix: &str| plain.strip_prefix(prefix).filter(|rest| !rest.is_empty());
    if let Some(number) = digits("f").and_then(|digits| digits.parse::<u8>().ok()) {
        return (1..=FUNCTION_KEYS).contains(&number).then(|| Cow::Owned(format!("F{number}")));
    }
    // `KeyA`, `Digit1`, `Numpad1`: the character itself.
    ["key", "digit", "numpad"].iter().find_map(|prefix| {
        let rest = digits(prefix)?;
        let is_one = rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_one.then(|| Cow::Owned(rest.to_owned()))
    })
}

/// The parts of a chord that is written as one name. A plus sign alone, or at the end, is a key.
fn parts(name: &str) -> Vec<&str> {
    if name.chars().count() < 2 || !name.contains('+') {
        return vec![name];
    }
    let (body, last) = match name.strip_suffix("++") {
        Some(body) => (body, Some("+")),
        None => (name, None),
    };
    body.split('+').map(str::trim).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::{KeyFault, chord, normalize};

    #[test]
    fn aliases_of_models_and_platforms_are_known() {
        let pairs = [
            ("Esc", "Escape"),
            ("RETURN", "Enter"),
            ("Del", "Delete"),
            ("PgDn", "PageDown"),
            ("page_up", "PageUp"),
            ("Cmd", "Meta"),
            ("Win", "Meta"),
            ("Option", "Alt"),
            ("CTRL", "Control"),
            ("left", "ArrowLeft"),
            ("f12", "F12"),
            (" ", "Space"),
            ("a", "a"),
            ("É", "É"),
            ("KeyQ", "q"),
            ("Digit7", "7"),
        ];
        for (given, key) in pairs {
            assert_eq!(normalize(given).as_deref(), Some(key), "{given}");
        }
    }

    #[test]
    fn unknown_names_are_refused() {
        for name in ["", "Hyper", "F0", "F25", "KeyAB", "\u{0}", "Ctrl+", "++"] {
            assert!(chord([name]).is_err(), "{name:?}");
        }
        assert_eq!(chord([]), Err(KeyFault::None));
        assert_eq!(chord(["a", "Hyper"]), Err(KeyFault::Unknown(2)));
    }

    #[test]
    fn chords_hold_modifiers_first_and_do_not_type_capitals() {
        assert_eq!(chord(["A", "CTRL"]).unwrap(), ["Control", "a"]);
        assert_eq!(chord(["Ctrl+Shift+T"]).unwrap(), ["Control", "Shift", "t"]);
        assert_eq!(chord(["Shift", "A"]).unwrap(), ["Shift", "A"]);
        assert_eq!(chord(["A"]).unwrap(), ["A"]);
        assert_eq!(chord(["+"]).unwrap(), ["+"]);
        assert_eq!(chord(["Ctrl++"]).unwrap(), ["Control", "+"]);
    }
}
