//! JSON text out, in one fixed spelling: compact, fields in the order written, raw Unicode.

use super::{Json, Text};

/// Appends JSON to a string. Unpaired surrogates are written as `\uXXXX`, so the result is always
/// valid Unicode and reads back to the same value in both hosts.
#[derive(Debug, Default)]
pub struct Writer {
    out: String,
    /// Whether the next field or item needs a comma before it.
    follows: bool,
}

impl Writer {
    pub fn with_capacity(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes), follows: false }
    }

    pub fn finish(self) -> String {
        self.out
    }

    pub fn object(&mut self, body: impl FnOnce(&mut Self)) {
        self.nested('{', '}', body);
    }

    pub fn list(&mut self, body: impl FnOnce(&mut Self)) {
        self.nested('[', ']', body);
    }

    /// A field of the open object; `value` writes exactly one value.
    pub fn field(&mut self, name: &str, value: impl FnOnce(&mut Self)) {
        self.comma();
        self.quoted(name);
        self.out.push(':');
        value(self);
        self.follows = true;
    }

    /// An item of the open list; `value` writes exactly one value.
    pub fn item(&mut self, value: impl FnOnce(&mut Self)) {
        self.comma();
        value(self);
        self.follows = true;
    }

    pub fn text(&mut self, text: &Text<'_>) {
        match text {
            Text::Valid(text) => self.quoted(text),
            Text::Unpaired(bytes) => self.quoted_unpaired(bytes),
        }
    }

    pub fn str(&mut self, text: &str) {
        self.quoted(text);
    }

    pub fn bool(&mut self, value: bool) {
        self.out.push_str(if value { "true" } else { "false" });
    }

    pub fn int(&mut self, value: i64) {
        self.out.push_str(&value.to_string());
    }

    pub fn null(&mut self) {
        self.out.push_str("null");
    }

    /// A value that is JSON text already.
    pub fn raw(&mut self, json: &str) {
        self.out.push_str(json);
    }

    pub fn json(&mut self, value: &Json<'_>) {
        match value {
            // A float that no JSON number can spell cannot be built from JSON text and is refused
            // by every rule that reads floats; `null` is what both hosts write for it.
            Json::Null | Json::Foreign | Json::Held(_) => self.null(),
            Json::Bool(value) => self.bool(*value),
            Json::Int(value) => self.int(*value),
            Json::Float(value) => {
                self.out.push_str(&serde_json::to_string(value).unwrap_or_default());
            }
            Json::Text(text) => self.text(text),
            Json::List(items) => self.list(|list| {
                for item in items {
                    list.item(|out| out.json(item));
                }
            }),
            Json::Object(fields) => self.object(|object| {
                for (name, value) in fields {
                    object.field(name, |out| out.json(value));
                }
            }),
        }
    }

    fn nested(&mut self, open: char, close: char, body: impl FnOnce(&mut Self)) {
        self.out.push(open);
        self.follows = false;
        body(self);
        self.out.push(close);
        self.follows = true;
    }

    fn comma(&mut self) {
        if self.follows {
            self.out.push(',');
        }
    }

    fn quoted(&mut self, text: &str) {
        self.out.push('"');
        self.escaped(text);
        self.out.push('"');
    }

    fn escaped(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let (plain, tail) = rest.split_at(plain_len(rest));
            self.out.push_str(plain);
            let Some(byte) = tail.bytes().next() else { return };
            match byte {
                b'"' => self.out.push_str("\\\""),
                b'\\' => self.out.push_str("\\\\"),
                b'\n' => self.out.push_str("\\n"),
                b'\r' => self.out.push_str("\\r"),
                b'\t' => self.out.push_str("\\t"),
                byte => self.unit(u16::from(byte)),
            }
            rest = &tail[1..];
        }
    }

    fn quoted_unpaired(&mut self, bytes: &[u8]) {
        self.out.push('"');
        let mut rest = bytes;
        while !rest.is_empty() {
            let valid = match std::str::from_utf8(rest) {
                Ok(text) => text,
                Err(error) => std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
            };
            self.escaped(valid);
            rest = &rest[valid.len()..];
            // In WTF-8 what is not UTF-8 is a surrogate: three bytes, ED A0..BF xx.
            if let [first, second, third, tail @ ..] = rest {
                let unit = (u16::from(first & 0x0f) << 12)
                    | (u16::from(second & 0x3f) << 6)
                    | u16::from(third & 0x3f);
                self.unit(unit);
                rest = tail;
            } else {
                rest = &[];
            }
        }
        self.out.push('"');
    }

    fn unit(&mut self, unit: u16) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        self.out.push_str("\\u");
        for shift in [12, 8, 4, 0] {
            self.out.push(char::from(HEX[usize::from((unit >> shift) & 0xf)]));
        }
    }
}

/// How many bytes at the beginning need no escape. Looks at them in blocks, which compiles to vector
/// instructions: page text is long and has few escapes.
fn plain_len(text: &str) -> usize {
    const BLOCK: usize = 32;
    let needs_escape = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    let (blocks, _) = text.as_bytes().as_chunks::<BLOCK>();
    let plain = blocks
        .iter()
        .take_while(|block| !block.iter().fold(false, |found, byte| found | needs_escape(byte)))
        .count()
        * BLOCK;
    let rest = &text.as_bytes()[plain..];
    plain + rest.iter().position(needs_escape).unwrap_or(rest.len())
}
