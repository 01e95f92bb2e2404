//! Titles of pages, made fit to be reported (B-30, B-32).

use std::borrow::Cow;

use super::state::TITLE_BYTES;
use crate::json::Text;
use crate::json::text::{cut, is_space};

/// A title on one line, at most 1,024 UTF-8 bytes, and whether it was cut.
///
/// Addresses lose everything after the host, and mail addresses are masked: page titles often
/// repeat both. Controls and marks that turn the direction of text round are left out, unpaired
/// surrogates become U+FFFD.
pub fn safe_title(title: &Text<'_>) -> (String, bool) {
    let mut text = title.lossy();
    if text.contains(is_hidden) {
        text = Cow::Owned(text.replace(is_hidden, ""));
    }
    let masked = mask_mail(&mask_addresses(&text));
    let mut words = masked.split(is_space).filter(|word| !word.is_empty());
    let mut line = words.next().unwrap_or_default().to_owned();
    for word in words {
        line.push(' ');
        line.push_str(word);
    }
    let is_cut = line.len() > TITLE_BYTES;
    let kept = cut(&line, TITLE_BYTES).len();
    line.truncate(kept);
    (line, is_cut)
}

/// Controls that are no white space, bidirectional marks, and the byte order mark.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{8}'
            | '\u{e}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    )
}

/// Leaves the host of what follows any `://`. The words before it are not judged: a page writes
/// what it likes, and the more is taken for an address, the less is repeated.
fn mask_addresses(text: &str) -> String {
    const MARK: &str = "://";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(MARK) {
        out.push_str(before);
        out.push_str(MARK);
        let is_end = |c: char| is_space(c) || matches!(c, '<' | '>' | '"' | '\'');
        let (address, next) = after.split_at(after.find(is_end).unwrap_or(after.len()));
        let authority = address.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        out.push_str(host);
        rest = next;
    }
    out.push_str(rest);
    out
}

/// Puts `[address]` in the place of each mail address: a name, and a domain with a dot in it.
fn mask_mail(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('@') {
        let name = before.rfind(is_outside_mail).map_or(0, |at| {
            // `rfind` gives the beginning of a character of `before`.
            at + before[at..].chars().next().map_or(0, char::len_utf8)
        });
        let domain = &after[..after.find(is_outside_mail).unwrap_or(after.len())];
        let domain = domain.trim_end_matches('.');
        if name < before.len() && domain.rfind('.').is_some_and(|dot| dot > 0) {
            out.push_str(&before[..name]);
            out.push_str("[address]");
            rest = &after[domain.len()..];
        } else {
            out.push_str(before);
            out.push('@');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

fn is_outside_mail(c: char) -> bool {
    const MARKS: &str = "@<>()[],;:\"'";
    is_space(c) || MARKS.contains(c)
}

// What is masked is in `conformance/addresses.json`; here is what a file cannot hold.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_cut_between_characters() {
        let cut = |title: &str| safe_title(&Text::from(title));
        assert_eq!(
            cut(&["a", &"é".repeat(512)].concat()),
            (["a", &"é".repeat(511)].concat(), true)
        );
        assert_eq!(cut(&"😀".repeat(300)), ("😀".repeat(256), true));
    }

    #[test]
    fn an_unpaired_surrogate_is_one_replacement() {
        let title = Text::from_utf16(&[0x61, 0xd800, 0xd83d, 0xde00, 0xdc00, 0xdc00]);
        assert_eq!(safe_title(&title), ("a\u{fffd}😀\u{fffd}\u{fffd}".to_owned(), false));
    }

    #[test]
    fn the_time_for_a_title_grows_with_its_length_alone() {
        for piece in ["a@", "@", "a.", "://", "://a@", "a@b.c", " ", "\u{feff}", "(", "é"] {
            let (safe, _) = safe_title(&Text::from(piece.repeat(1 << 17)));
            assert!(safe.len() <= TITLE_BYTES, "{piece}");
        }
    }
}
