//! The parser of server-sent events, line by line of the standard (N-3).

#![allow(clippy::expect_used, reason = "a helper that cannot go on fails its test")]

mod support;

use support::fuzz::sse::{parse_in_portions, read_whole};
use swingbridge_core::sse::{SseEnd, SseEvent, SseFault, SseParser};

const LIMIT: usize = 1_000;

fn event(event: Option<&str>, data: &str) -> SseEvent {
    SseEvent { event: event.map(str::to_owned), data: data.to_owned() }
}

/// The events of a stream and how it ended, the same for every cut into two.
fn parse(bytes: &[u8]) -> (Vec<SseEvent>, SseEnd) {
    let (events, end) = parse_in_portions(bytes, &[], LIMIT);
    for at in 0..=bytes.len() {
        let mut parser = SseParser::new(LIMIT);
        let mut cut = Vec::new();
        parser.feed(&bytes[..at], &mut cut).expect("small");
        parser.feed(&[], &mut cut).expect("small");
        parser.feed(&bytes[at..], &mut cut).expect("small");
        assert!(cut == events, "cut at {at}");
        assert_eq!(Ok(parser.finish()), end, "cut at {at}");
    }
    assert!(read_whole(bytes) == events);
    (events, end.expect("small"))
}

fn data_of(bytes: &[u8]) -> Vec<String> {
    parse(bytes).0.into_iter().map(|event| event.data).collect()
}

#[test]
fn every_line_end_ends_a_line() {
    for end in ["\n", "\r", "\r\n"] {
        let text = format!("event: a{end}data: 1{end}{end}data: 2{end}{end}");
        let (events, how) = parse(text.as_bytes());
        assert!(events == [event(Some("a"), "1"), event(None, "2")], "{end:?}");
        assert_eq!(how, SseEnd::Complete);
    }
    assert_eq!(data_of(b"data: 1\r\ndata: 2\r\rdata: 3\n\r\n"), ["1\n2", "3"]);
}

#[test]
fn data_may_have_many_lines_and_none() {
    assert_eq!(data_of(b"data: a\ndata:b\ndata:  c\ndata\n\n"), ["a\nb\n c\n"]);
    assert_eq!(data_of(b"data\n\ndata:\n\ndata: \n\n"), ["", "", ""]);
    assert_eq!(data_of(b"event: x\n\nevent: y\nid: 1\n\n"), [""; 0]);
    assert_eq!(data_of(b"data: a:b: c\n\n"), ["a:b: c"]);
}

#[test]
fn a_name_is_of_its_event_alone() {
    let (events, _) =
        parse(b"event: a\nevent: b\ndata: 1\n\nevent: c\n\ndata: 2\n\nevent\ndata: 3\n\n");
    assert!(events == [event(Some("b"), "1"), event(None, "2"), event(None, "3")]);
}

#[test]
fn comments_and_other_fields_are_read_over() {
    assert_eq!(
        data_of(b": hello\n:\n\nid: 1\nretry: 5\nData: no\n data: no\ndata : no\ndata: yes\n\n"),
        ["yes"]
    );
    assert_eq!(data_of(b"data: 1\n: in between\ndata: 2\n\n"), ["1\n2"]);
}

#[test]
fn one_byte_order_mark_may_begin_the_stream() {
    assert_eq!(data_of(b"\xEF\xBB\xBFdata: 1\n\n"), ["1"]);
    assert_eq!(data_of(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: 1\n\ndata: 2\n\n"), ["2"]);
    assert_eq!(data_of(b"\ndata: 1\n\n\xEF\xBB\xBFdata: 2\n\n"), ["1"]);
}

#[test]
fn characters_survive_every_cut_and_broken_ones_are_replaced() {
    assert_eq!(data_of("data: é€😀\n\n".as_bytes()), ["é€😀"]);
    assert_eq!(data_of(b"data: a\xF0\x9F\x98\ndata: \xFFb\n\n"), ["a\u{fffd}\n\u{fffd}b"]);
}

#[test]
fn done_ends_the_stream() {
    let (events, end) = parse(b"data: 1\n\ndata: [DONE]\n\ndata: 2\n\n");
    assert!(events == [event(None, "1")]);
    assert_eq!(end, SseEnd::Done);
    assert_eq!(data_of(b"data: [DONE] \n\ndata: \"[DONE]\"\n\n"), ["[DONE] ", "\"[DONE]\""]);
    let mut parser = SseParser::new(LIMIT);
    let mut events = Vec::new();
    parser.feed(b"data: [DONE]\n", &mut events).expect("small");
    assert!(!parser.is_done(), "the event has not ended");
    parser.feed(b"\n", &mut events).expect("small");
    assert!(parser.is_done() && events.is_empty());
}

#[test]
fn an_event_without_its_blank_line_is_dropped() {
    for tail in ["data: 2", "data: 2\n", "event: x", "event: x\n", "dat", "data: [DONE]\ndata: 2"] {
        let (events, end) = parse(format!("data: 1\n\n{tail}").as_bytes());
        assert!(events == [event(None, "1")], "{tail:?}");
        assert_eq!(end, SseEnd::Cut, "{tail:?}");
    }
    assert_eq!(parse(b"").1, SseEnd::Complete);
    for tail in [": c\n", ": c"] {
        assert_eq!(parse(format!("data: 1\n\n{tail}").as_bytes()).1, SseEnd::Complete, "{tail:?}");
    }
    // Some services do not end their last word.
    for tail in ["data: [DONE]\n", "data: [DONE]", "data:[DONE]"] {
        assert_eq!(parse(format!("data: 1\n\n{tail}").as_bytes()).1, SseEnd::Done, "{tail:?}");
    }
}

#[test]
fn the_limit_holds_for_the_line_and_what_was_gathered() {
    let outcome = |bytes: &[u8], limit| parse_in_portions(bytes, &[3], limit);
    assert_eq!(outcome(b"data: 1234\n\n", 10).1, Ok(SseEnd::Complete));
    let (events, end) = outcome(b"data: 1\n\ndata: 12345\n\n", 10);
    assert!(events == [event(None, "1")] && end == Err(SseFault::TooLarge));
    // A line that never ends, and an event that never does.
    assert_eq!(outcome(&[b'x'; 11], 10).1, Err(SseFault::TooLarge));
    assert_eq!(outcome(&b"data: 1\n".repeat(3), 10).1, Err(SseFault::TooLarge));
    assert_eq!(outcome(&b"data: 1\n\n".repeat(30), 10).0.len(), 30);
    let mut parser = SseParser::new(10);
    assert_eq!(parser.feed(&[b'x'; 11], &mut Vec::new()), Err(SseFault::TooLarge));
    assert_eq!(parser.finish(), SseEnd::Cut);
}

#[test]
fn nothing_shows_what_was_streamed() {
    let shown = format!("{:?} {:?}", event(Some("hunter2"), "hunter2"), SseParser::new(1));
    assert!(!shown.contains("hunter2"), "{shown}");
}
