//! The requests of a run on the native client: what the core asks for is sent, and answered with what
//! came, without a detour over JavaScript's objects.

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]
#![expect(clippy::too_many_arguments, reason = "an object would cross property by property")]

use std::borrow::Cow;
use std::fmt;

use napi::Env;
use napi::bindgen_prelude::{Either3, External, Object};
use napi_derive::napi;
use swingbridge_client::{EventStream, StreamEvent};
use swingbridge_core::json::{Json, RawJson, Text};
use swingbridge_core::runner::{self, EventReads, ModelResponse, reads_of_event};
use swingbridge_core::{Answer, Misuse};

use crate::client::{Sender, readable, request};
use crate::conversation::{Conversation, Talk};
use crate::errors::{Fault, misuse};
use crate::events::Source;
use crate::exchange::{Exchange, promise};
use crate::run_asks::READ_EVENT;
use crate::session::{Session, Work};

/// A whole reply that no one has looked at.
pub(crate) struct Reply(swingbridge_client::Reply);

impl Reply {
    fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0.body)
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

enum Came {
    Whole(swingbridge_client::Reply),
    Stream(Box<EventStream>),
}

/// Arguments that are no object, so that the core refuses them.
const REFUSED: &str = "null";

/// Tells the open run that its requests are sent by `sendTurn`, so that its asks need not say what they
/// carry.
#[napi]
pub(crate) fn sends_itself(session: &External<Session>) {
    if let Some(Work::Run(run)) = &mut session.lock().work {
        run.sends_itself();
    }
}

/// Updates the conversation and sends the request that the open run asks for. Resolves with the reply,
/// with the source of its stream, or with the JSON of what failed. `options` are those of `sendRequest`.
#[napi(ts_return_type = "Promise<ExternalObject<Reply> | ExternalObject<Source> | string>")]
pub(crate) fn send_turn<'e>(
    env: &'e Env,
    session: &External<Session>,
    conversation: &External<Conversation>,
    client: &External<Sender>,
    exchange: &External<Exchange>,
    options: String,
) -> Result<Object<'e>, Fault> {
    let asked = match &session.lock().work {
        Some(Work::Run(run)) => {
            run.request(|asked| (conversation.lock().request(asked), asked.streams))
        }
        _ => None,
    };
    let (body, streams) = asked.ok_or_else(|| misuse(Misuse::WrongKind))?;
    let request = request(body, &options);
    let client = client.0.clone();
    let work = async move {
        Ok(if streams {
            Came::Stream(Box::new(client.open_stream(request).await?))
        } else {
            Came::Whole(readable(client.send(request).await?)?)
        })
    };
    promise(env, exchange, work, |outcome| match outcome {
        Ok(Came::Whole(reply)) => Either3::A(External::new(Reply(reply))),
        Ok(Came::Stream(stream)) => Either3::B(External::new(Source::new(*stream))),
        Err(failure) => Either3::C(failure.text()),
    })
    .map_err(|_| misuse(Misuse::WrongKind))
}

/// The JSON list of the function calls of a reply.
#[napi]
pub(crate) fn calls_in_reply(reply: &External<Reply>) -> String {
    let text = reply.text();
    let items = RawJson::parse(&text).ok().and_then(|response| field(response, "output"));
    list_of_calls(items.and_then(RawJson::as_list).unwrap_or_default())
}

/// Answers with a whole reply. `refused` are the calls of typed functions whose arguments were refused.
#[napi]
pub(crate) fn answer_reply(
    session: &External<Session>,
    conversation: &External<Conversation>,
    ask: u32,
    reply: &External<Reply>,
    refused: Vec<String>,
    cancelled: bool,
    now: i64,
) -> Result<String, Fault> {
    let text = reply.text();
    let mut body = conversation.lock().take_response(&text, reply.0.request_id.clone());
    refuse_calls(&mut body, &refused);
    session.answer(ask, Answer::Response(ModelResponse { body }), cancelled, now)
}

/// The JSON list of the function calls of the event that is next at hand; "[]" for one of which no items
/// are read.
#[napi]
pub(crate) fn calls_in_event(
    conversation: &External<Conversation>,
    source: &External<Source>,
) -> String {
    let is_early = conversation.lock().is_early();
    let ready = source.ready();
    let event = ready.front().and_then(|event| RawJson::parse(&event.data).ok());
    let items = event.and_then(|event| match reads_of(event) {
        EventReads::Item if is_early => field(event, "item").map(|item| vec![item]),
        EventReads::Type | EventReads::Item | EventReads::Ending => None,
        EventReads::Response => {
            field(event, "response").and_then(|response| field(response, "output"))?.as_list()
        }
    });
    list_of_calls(items.unwrap_or_default())
}

/// What came of events.
#[napi(object, object_from_js = false)]
pub(crate) struct Answered {
    /// The next ask.
    pub ask: String,
    /// How many asks were answered.
    pub count: u32,
    /// Whether there are more events at hand.
    pub more: bool,
}

/// Answers with events at hand, one after another for as long as the run asks for the next, but not with
/// more than `most`. There must be one. `refused` are as for `answerReply`.
#[napi]
pub(crate) fn answer_events(
    session: &External<Session>,
    conversation: &External<Conversation>,
    ask: u32,
    source: &External<Source>,
    most: u32,
    refused: Vec<String>,
    cancelled: bool,
    now: i64,
) -> Result<Answered, Fault> {
    let mut talk = conversation.lock();
    let mut answered = Answered { ask: String::new(), count: 0, more: false };
    loop {
        let event = source.take().ok_or_else(|| misuse(Misuse::WrongKind))?;
        let mut body = read_event(&event, &mut talk, source);
        refuse_calls(&mut body, &refused);
        let id = ask + answered.count;
        let answer = Answer::Event(runner::StreamEvent { body });
        answered.ask = session.answer(id, answer, cancelled, now)?;
        answered.count += 1;
        source.keep(event);
        answered.more = !source.ready().is_empty();
        if !answered.more || answered.ask != READ_EVENT || answered.count >= most {
            return Ok(answered);
        }
    }
}

/// The JSON of the event that was answered with last.
#[napi]
pub(crate) fn last_event(source: &External<Source>) -> Option<String> {
    source.last()
}

/// What the core reads of an event, whose items the conversation takes.
fn read_event<'t>(event: &'t StreamEvent, talk: &mut Talk, source: &Source) -> Json<'t> {
    let Ok(raw) = RawJson::parse(&event.data) else { return Json::Foreign };
    let Some(kind) = field(raw, "type").and_then(RawJson::as_text) else { return Json::Foreign };
    let mut fields = Vec::with_capacity(3);
    match reads_of(raw) {
        EventReads::Item if talk.is_early() => {
            let (index, item) = (field(raw, "output_index"), field(raw, "item"));
            let place = index.and_then(RawJson::as_int).and_then(|at| u64::try_from(at).ok());
            if let (Some(place), Some(item)) = (place, item) {
                talk.take_item(place, item);
            }
            let value = |raw: RawJson<'t>| crate::convert::value(raw.text());
            fields.extend(index.map(|index| (Cow::Borrowed("output_index"), value(index))));
            fields.extend(item.map(|item| (Cow::Borrowed("item"), value(item))));
        }
        EventReads::Response => {
            source.see_off();
            let response = field(raw, "response").map_or("null", RawJson::text);
            let body = talk.take_response(response, source.request_id());
            fields.push((Cow::Borrowed("response"), body));
        }
        EventReads::Ending => {
            let response = field(raw, "response").map_or("null", RawJson::text);
            talk.keep_ending(response, source.request_id());
        }
        EventReads::Type | EventReads::Item => {}
    }
    fields.push((Cow::Borrowed("type"), Json::Text(kind)));
    Json::Object(fields)
}

fn reads_of(event: RawJson<'_>) -> EventReads {
    let kind = field(event, "type").and_then(RawJson::as_text);
    kind.as_ref().and_then(Text::as_str).map_or(EventReads::Type, reads_of_event)
}

fn field<'t>(object: RawJson<'t>, name: &str) -> Option<RawJson<'t>> {
    let fields = object.as_object()?;
    fields.iter().rev().find(|(field, _)| field == name).map(|(_, value)| *value)
}

fn list_of_calls(items: Vec<RawJson<'_>>) -> String {
    let is_call = |item: &&RawJson<'_>| {
        let kind = field(**item, "type").and_then(RawJson::as_text);
        kind.as_ref().and_then(Text::as_str) == Some("function_call")
    };
    let calls: Vec<&str> = items.iter().filter(is_call).map(|item| item.text()).collect();
    format!("[{}]", calls.join(","))
}

/// Tells the arguments of these calls as none, wherever the calls are.
fn refuse_calls(value: &mut Json<'_>, refused: &[String]) {
    if refused.is_empty() {
        return;
    }
    match value {
        Json::List(items) => items.iter_mut().for_each(|item| refuse_calls(item, refused)),
        Json::Object(fields) => {
            let is_refused = |(name, value): &(Cow<'_, str>, Json<'_>)| {
                name == "call_id"
                    && value.as_str().is_some_and(|id| refused.iter().any(|call| call == id))
            };
            let names_refused = fields.iter().any(is_refused);
            for (name, value) in fields {
                if names_refused && name == "arguments" {
                    *value = Json::Text(Text::from(REFUSED));
                } else {
                    refuse_calls(value, refused);
                }
            }
        }
        _ => {}
    }
}
