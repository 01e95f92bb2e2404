//! Server-sent events as they arrive (N-3): bytes in any portions become the events that the WHATWG
//! standard reads from the whole text.
//!
//! Of the standard, a client of one response needs no `id` and no `retry`: both are read over. On top
//! of it comes what services of this kind add: an event whose data is `[DONE]` ends the stream.

use thiserror::Error;

/// The data of the event by which a service says that nothing follows.
const DONE: &str = "[DONE]";
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One event of a stream.
#[derive(Clone, Eq, PartialEq)]
pub struct SseEvent {
    /// The name that the stream gave; without one the standard calls it `message`.
    pub event: Option<String>,
    /// The lines of data, joined by line feeds.
    pub data: String,
}

/// The name of the event, never its data: a model wrote it.
impl std::fmt::Debug for SseEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "an event with {} bytes of data", self.data.len())
    }
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SseEnd {
    /// By `[DONE]`.
    Done,
    /// After a whole event.
    Complete,
    /// Within an event, which is dropped.
    Cut,
}

#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum SseFault {
    #[error("an event of the stream is larger than the limit")]
    TooLarge,
}

/// A parser of one stream. It holds one line and one event, together never more bytes than the limit.
pub struct SseParser {
    limit: usize,
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    name: String,
    /// The data lines so far, each with its line feed.
    data: String,
    /// The last byte was a carriage return: a line feed that follows belongs to it.
    after_return: bool,
    /// No line has ended: a byte order mark may stand before the first one.
    first_line: bool,
    state: State,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum State {
    Open,
    Done,
    TooLarge,
}

impl std::fmt::Debug for SseParser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a parser that holds {} bytes", self.line.len() + self.gathered())
    }
}

impl SseParser {
    /// A parser that refuses an event whose line and data together have more than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            name: String::new(),
            data: String::new(),
            after_return: false,
            first_line: true,
            state: State::Open,
        }
    }

    /// Takes the next bytes and appends the events that they complete. Events that were complete
    /// before a fault are appended as well; after the fault, and after `[DONE]`, all bytes are ignored.
    pub fn feed(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), SseFault> {
        let mut rest = bytes;
        while self.state == State::Open && !rest.is_empty() {
            if std::mem::take(&mut self.after_return) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', rest) else {
                self.check_size(self.line.len() + rest.len());
                if self.state == State::Open {
                    self.line.extend_from_slice(rest);
                }
                break;
            };
            self.after_return = rest[end] == b'\r';
            self.end_line(&rest[..end], events);
            rest = &rest[end + 1..];
        }
        if self.state == State::TooLarge { Err(SseFault::TooLarge) } else { Ok(()) }
    }

    /// Whether `[DONE]` has come.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// The stream has no more bytes. An event that was not ended by a blank line is dropped; what can
    /// only be `[DONE]` or a comment is taken for whole.
    pub fn finish(mut self) -> SseEnd {
        let line = std::mem::take(&mut self.line);
        if line.starts_with(b"data:") {
            self.take_line(&line, &mut Vec::new());
        } else if !line.is_empty() && !line.starts_with(b":") {
            return SseEnd::Cut;
        }
        match self.state {
            State::Done => SseEnd::Done,
            State::Open if self.data.strip_suffix('\n') == Some(DONE) => SseEnd::Done,
            State::Open if self.gathered() == 0 => SseEnd::Complete,
            State::Open | State::TooLarge => SseEnd::Cut,
        }
    }

    fn end_line(&mut self, tail: &[u8], events: &mut Vec<SseEvent>) {
        self.check_size(self.line.len() + tail.len());
        if self.state != State::Open {
            return;
        }
        if self.line.is_empty() {
            self.take_line(tail, events);
        } else {
            let mut line = std::mem::take(&mut self.line);
            line.extend_from_slice(tail);
            self.take_line(&line, events);
            line.clear();
            self.line = line;
        }
    }

    fn take_line(&mut self, line: &[u8], events: &mut Vec<SseEvent>) {
        let line = match line.strip_prefix(BOM) {
            Some(line) if self.first_line => line,
            _ => line,
        };
        self.first_line = false;
        if line.is_empty() {
            self.dispatch(events);
            return;
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.data.push_str(&String::from_utf8_lossy(value));
                self.data.push('\n');
            }
            b"event" => {
                self.name.clear();
                self.name.push_str(&String::from_utf8_lossy(value));
            }
            // A comment has an empty name; `id` and `retry` serve reconnections, which there are not.
            _ => {}
        }
    }

    fn dispatch(&mut self, events: &mut Vec<SseEvent>) {
        let name = std::mem::take(&mut self.name);
        if self.data.is_empty() {
            return;
        }
        let mut data = std::mem::take(&mut self.data);
        data.pop();
        if data == DONE {
            self.state = State::Done;
            return;
        }
        events.push(SseEvent { event: Some(name).filter(|name| !name.is_empty()), data });
    }

    fn gathered(&self) -> usize {
        self.name.len() + self.data.len()
    }

    fn check_size(&mut self, line: usize) {
        if line.saturating_add(self.gathered()) > self.limit {
            self.state = State::TooLarge;
            self.line = Vec::new();
        }
    }
}
