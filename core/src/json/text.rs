//! Text of a host, which may hold unpaired surrogates.

use std::borrow::Cow;
use std::fmt;

/// A host string. JavaScript and Python strings may hold unpaired surrogates; several fields pass
/// them on unchanged, others refuse them, so they are kept (as WTF-8) until a rule decides.
#[derive(Clone, Eq, PartialEq)]
pub enum Text<'a> {
    Valid(Cow<'a, str>),
    /// WTF-8 bytes with at least one unpaired surrogate.
    Unpaired(Cow<'a, [u8]>),
}

impl Text<'_> {
    /// From WTF-8 bytes, as `serde_json` gives for escaped surrogates.
    pub fn from_wtf8(bytes: Vec<u8>) -> Text<'static> {
        match String::from_utf8(bytes) {
            Ok(text) => Text::Valid(Cow::Owned(text)),
            Err(error) => Text::Unpaired(Cow::Owned(error.into_bytes())),
        }
    }

    /// From UTF-16 code units, as JavaScript keeps text.
    pub fn from_utf16(units: &[u16]) -> Text<'static> {
        if let Ok(text) = String::from_utf16(units) {
            return Text::from(text);
        }
        let mut bytes = Vec::with_capacity(units.len() * 3);
        for decoded in char::decode_utf16(units.iter().copied()) {
            match decoded {
                Ok(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                Err(unpaired) => {
                    // Three bytes, as UTF-8 would have it: 4, 6 and 6 bits, the first 4 always D.
                    let [high, low] = unpaired.unpaired_surrogate().to_be_bytes();
                    let middle = (high & 0x0f) << 2 | low >> 6;
                    bytes.extend_from_slice(&[0xed, 0x80 | middle, 0x80 | low & 0x3f]);
                }
            }
        }
        Text::Unpaired(Cow::Owned(bytes))
    }

    /// The text with one U+FFFD for each unpaired surrogate.
    pub fn lossy(&self) -> Cow<'_, str> {
        let bytes = match self {
            Text::Valid(text) => return Cow::Borrowed(text),
            Text::Unpaired(bytes) => bytes,
        };
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            // What is not UTF-8 is a surrogate, and each of its three bytes is a chunk of its own.
            if chunk.invalid().first() == Some(&0xed) {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Cow::Owned(text)
    }

    /// The text if it is valid Unicode scalar values.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Text::Valid(text) => Some(text),
            Text::Unpaired(_) => None,
        }
    }

    /// UTF-8 bytes, or WTF-8 bytes where surrogates are unpaired.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Text::Valid(text) => text.as_bytes(),
            Text::Unpaired(bytes) => bytes,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.as_bytes().is_empty()
    }

    /// The same text, borrowed.
    pub fn borrow(&self) -> Text<'_> {
        match self {
            Text::Valid(text) => Text::Valid(Cow::Borrowed(text)),
            Text::Unpaired(bytes) => Text::Unpaired(Cow::Borrowed(bytes)),
        }
    }

    pub fn into_owned(self) -> Text<'static> {
        match self {
            Text::Valid(text) => Text::Valid(Cow::Owned(text.into_owned())),
            Text::Unpaired(bytes) => Text::Unpaired(Cow::Owned(bytes.into_owned())),
        }
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text::Valid(Cow::Borrowed(text))
    }
}

impl From<String> for Text<'static> {
    fn from(text: String) -> Self {
        Text::Valid(Cow::Owned(text))
    }
}

/// Never the content: host text may be private.
impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "text of {} bytes", self.as_bytes().len())
    }
}

/// Whether a text has nothing but white space. A character counts as white space if Python's or
/// JavaScript's set has it: the two differ in U+001C…U+001F, U+0085 and U+FEFF, and a text that
/// one of the hosts calls blank is refused in both.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// The number of UTF-8 bytes of `text` after runs of white space have become one space and the ends
/// are trimmed, counted with the white-space set of `space`.
pub(crate) fn collapsed_len(text: &str, space: impl Fn(char) -> bool) -> usize {
    text.split(space)
        .filter(|word| !word.is_empty())
        .map(|word| word.len() + 1)
        .sum::<usize>()
        .saturating_sub(1)
}

pub(crate) fn is_space(c: char) -> bool {
    is_javascript_space(c) || is_python_space(c)
}

pub(crate) fn is_python_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

pub(crate) fn is_javascript_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// The longest beginning of `text` of at most `limit` bytes that ends at a character boundary.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
