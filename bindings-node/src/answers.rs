//! Answers: each says how one ask ended, and gives the next.

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use napi::bindgen_prelude::External;
use napi_derive::napi;
use swingbridge_core::json::{Json, Text};
use swingbridge_core::runner::{EventReads, ModelResponse, StreamEvent, reads_of_event};
use swingbridge_core::{Answer, Failure};

use crate::convert;
use crate::errors::Fault;
use crate::session::Session;

/// Answers with what the driver or a function returned: the JSON text of its snapshot. `place` is
/// where the host keeps the sources of an image.
#[napi]
pub(crate) fn answer_value(
    session: &External<Session>,
    ask: u32,
    value: String,
    place: u32,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    session.answer(ask, Answer::Value(convert::result(&value, place)), cancelled, now)
}

/// Answers that the host did what was asked for and that what it returned does not count.
#[napi]
pub(crate) fn answer_done(
    session: &External<Session>,
    ask: u32,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    session.answer(ask, Answer::Value(Json::Null), cancelled, now)
}

/// Answers whether a consent callback returned exactly true.
#[napi]
pub(crate) fn answer_verdict(
    session: &External<Session>,
    ask: u32,
    approved: bool,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    session.answer(ask, Answer::Verdict(approved), cancelled, now)
}

/// Answers with what the model responded: the JSON text of the fields that rules read.
#[napi]
pub(crate) fn answer_response(
    session: &External<Session>,
    ask: u32,
    response: String,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    let body = convert::value(&response);
    session.answer(ask, Answer::Response(ModelResponse { body }), cancelled, now)
}

/// Answers that the response comes as a stream, which is open.
#[napi]
pub(crate) fn answer_streaming(
    session: &External<Session>,
    ask: u32,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    session.answer(ask, Answer::Streaming, cancelled, now)
}

/// What the rules read of the events of a kind: `type` for nothing but that, `item` for `output_index`
/// and `item`, `response`, and `ending` for nothing but the type while its `response` is kept.
#[napi]
pub(crate) fn event_reads(kind: String) -> &'static str {
    match reads_of_event(&kind) {
        EventReads::Type => "type",
        EventReads::Item => "item",
        EventReads::Response => "response",
        EventReads::Ending => "ending",
    }
}

/// Answers with the next event: the JSON text of what rules read of it.
#[napi]
pub(crate) fn answer_event(
    session: &External<Session>,
    ask: u32,
    event: String,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    let body = convert::value(&event);
    session.answer(ask, Answer::Event(StreamEvent { body }), cancelled, now)
}

/// Kinds of events that hosts have seen, so that an event of which only the kind is read crosses as a
/// number: streams have many thousands of them.
static KINDS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The service may invent kinds, but they are not all kept.
const MOST_KINDS: usize = 256;

/// The number of a kind for `answerEventKind`; undefined if there are too many.
#[napi]
pub(crate) fn event_kind(kind: String) -> Option<u32> {
    let mut kinds = KINDS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = kinds.iter().position(|known| *known == kind);
    let at = known.or_else(|| {
        (kinds.len() < MOST_KINDS).then(|| {
            kinds.push(kind);
            kinds.len() - 1
        })
    })?;
    u32::try_from(at).ok()
}

/// Answers with an event of which nothing but its kind is read.
#[napi]
pub(crate) fn answer_event_kind(
    session: &External<Session>,
    ask: u32,
    kind: u32,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    let kinds = KINDS.lock().unwrap_or_else(PoisonError::into_inner);
    let kind = usize::try_from(kind).ok().and_then(|at| kinds.get(at));
    let name = kind.map_or(Json::Foreign, |kind| Json::Text(Text::from(kind.as_str())));
    let body = Json::Object(vec![(Cow::Borrowed("type"), name)]);
    session.answer(ask, Answer::Event(StreamEvent { body }), cancelled, now)
}

/// Answers that the stream has no more events.
#[napi]
pub(crate) fn answer_stream_ended(
    session: &External<Session>,
    ask: u32,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    session.answer(ask, Answer::StreamEnded, cancelled, now)
}

/// Answers that the host's code failed; `told` are words that it allows the model to read, as JSON:
/// they may have unpaired surrogates.
#[napi]
pub(crate) fn answer_failed(
    session: &External<Session>,
    ask: u32,
    told: Option<String>,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    let failure = match told.as_deref().map(convert::value) {
        Some(Json::Text(words)) => Failure::Told(words.into_owned()),
        _ => Failure::Untold,
    };
    session.answer(ask, Answer::Failed(failure), cancelled, now)
}

/// Answers that what was asked for is done and has nothing to tell: a record was seen, a checkpoint
/// saved, an event delivered, a function started, a turn shown.
#[napi]
pub(crate) fn answer_seen(
    session: &External<Session>,
    ask: u32,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    session.answer(ask, Answer::Seen, cancelled, now)
}

/// Answers that the host does not wait any longer for code that still runs. The session stays busy
/// until `release` says that the code is over (B-51).
#[napi]
pub(crate) fn answer_abandoned(
    session: &External<Session>,
    ask: u32,
    now: i64,
) -> Result<String, Fault> {
    session.lock().left_running += 1;
    session.answer(ask, Answer::Cancelled, true, now)
}

/// Says that the code that was abandoned is over.
#[napi]
pub(crate) fn release(session: &External<Session>) {
    let mut open = session.lock();
    open.left_running = open.left_running.saturating_sub(1);
    session.leave_if_over(&mut open);
}
