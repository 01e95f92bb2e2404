//! Streams of server-sent events, cut anywhere.

use arbitrary::Arbitrary;
use swingbridge_core::sse::{SseEnd, SseEvent, SseFault, SseParser};

/// A stream and the portions in which it arrives.
#[derive(Arbitrary, Clone, Debug)]
pub struct SseBytes<'a> {
    /// Sizes of the portions, again and again; the rest comes at once when there are none.
    pub portions: Vec<u8>,
    pub limit: u16,
    pub bytes: &'a [u8],
}

/// What a parser made of a stream.
type Parsed = (Vec<SseEvent>, Result<SseEnd, SseFault>);

impl SseBytes<'_> {
    /// However the stream is cut, the events are those of the whole text, and the limit strikes at
    /// the same place.
    pub fn check(&self) {
        let limit = usize::from(self.limit);
        let cut = parse_in_portions(self.bytes, &self.portions, limit);
        assert_eq!(cut, parse_in_portions(self.bytes, &[], limit));
        assert_eq!(cut, parse_in_portions(self.bytes, &[1], limit));
        if cut.1.is_ok() {
            assert_eq!(cut.0, read_whole(self.bytes));
            assert!(cut.0.iter().all(|event| event.data.len() <= 3 * limit));
        }
    }
}

pub fn parse_in_portions(bytes: &[u8], portions: &[u8], limit: usize) -> Parsed {
    let mut parser = SseParser::new(limit);
    let mut events = Vec::new();
    let mut rest = bytes;
    let mut sizes = portions.iter().map(|size| usize::from(*size).max(1)).cycle();
    while !rest.is_empty() {
        let size = sizes.next().unwrap_or(rest.len()).min(rest.len());
        if let Err(fault) = parser.feed(&rest[..size], &mut events) {
            assert_eq!(parser.feed(rest, &mut events), Err(fault), "a fault stays");
            return (events, Err(fault));
        }
        rest = &rest[size..];
    }
    (events, Ok(parser.finish()))
}

/// The standard's algorithm over the whole text, as plainly as it can be written.
pub fn read_whole(bytes: &[u8]) -> Vec<SseEvent> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<&str> = text.split('\n').collect();
    // What follows the last line end is no line.
    lines.pop();
    let (mut events, mut name, mut data) = (Vec::new(), String::new(), String::new());
    for line in lines {
        if line.is_empty() {
            let (name, data) = (std::mem::take(&mut name), std::mem::take(&mut data));
            if data == "[DONE]\n" {
                return events;
            }
            if let Some(data) = data.strip_suffix('\n') {
                let event = (!name.is_empty()).then_some(name);
                events.push(SseEvent { event, data: data.to_owned() });
            }
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                data.push_str(value);
                data.push('\n');
            }
            "event" => value.clone_into(&mut name),
            _ => {}
        }
    }
    events
}
