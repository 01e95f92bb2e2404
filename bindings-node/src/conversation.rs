//! The history of a run on the native client, which stays here as JSON text: items are kept as they came,
//! requests are laid out from their texts, and JavaScript sees what one of its callbacks looks at.

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use napi::bindgen_prelude::External;
use napi_derive::napi;
use swingbridge_client::laid_out;
use swingbridge_core::json::{Json, RawJson};
use swingbridge_core::runner::TurnRequest;
use swingbridge_core::wire::{Kept, Wire};

use crate::client::WholeReply;
use crate::convert;
use crate::errors::{Fault, params_unreadable};

/// One run's conversation.
pub(crate) struct Conversation(Mutex<Talk>);

pub(crate) struct Talk {
    wire: Wire,
    texts: Texts,
    last: Option<(String, Option<String>)>,
    /// Whether items are worked on before their response is complete.
    is_early: bool,
}

/// What the next update of the history takes in.
#[derive(Default)]
struct Texts {
    held: HashMap<u32, String>,
    returned: HashMap<String, String>,
}

impl Kept for Texts {
    fn held(&self, handle: u32) -> Option<&str> {
        self.held.get(&handle).map(String::as_str)
    }

    fn returned(&self, call_id: &str) -> Option<&str> {
        self.returned.get(call_id).map(String::as_str)
    }
}

impl Conversation {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Talk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").finish_non_exhaustive()
    }
}

impl Talk {
    /// Updates the history and lays the request out. To be called once for each request.
    pub(crate) fn request(&mut self, request: &TurnRequest<'_>) -> Vec<Bytes> {
        self.wire.update(request.update, &self.texts);
        self.texts = Texts::default();
        laid_out(self.wire.body(request))
    }

    /// Takes the items of a response, and gives what the core reads of it.
    pub(crate) fn take_response<'t>(
        &mut self,
        text: &'t str,
        request_id: Option<String>,
    ) -> Json<'t> {
        let Ok(raw) = RawJson::parse(text) else { return Json::Foreign };
        self.wire.take_response(raw);
        self.last = Some((text.to_owned(), request_id));
        convert::value(text)
    }

    /// Keeps the response that a stream ended with, which failed or is incomplete.
    pub(crate) fn keep_ending(&mut self, text: &str, request_id: Option<String>) {
        if text.starts_with('{') {
            self.last = Some((text.to_owned(), request_id));
        }
    }

    pub(crate) fn is_early(&self) -> bool {
        self.is_early
    }

    /// Takes an item that a stream completed.
    pub(crate) fn take_item(&mut self, index: u64, item: RawJson<'_>) {
        self.wire.take_item(index, item);
    }
}

/// The conversation of a run with these parameters, as JSON; `local_tools` is the JSON list of the tools
/// that the caller did not declare, `is_early` whether the run is eager.
#[napi]
pub(crate) fn open_conversation(
    params: String,
    local_tools: String,
    is_early: bool,
) -> Result<External<Conversation>, Fault> {
    let tools = RawJson::parse(&local_tools).ok().and_then(RawJson::as_list).unwrap_or_default();
    let tools = tools.into_iter().map(|tool| tool.text().into()).collect();
    let wire = Wire::new(&params, tools).map_err(|_| params_unreadable())?;
    let talk = Talk { wire, texts: Texts::default(), last: None, is_early };
    Ok(External::new(Conversation(Mutex::new(talk))))
}

/// Keeps a source (`image_url` or `file_id`) of the image whose snapshot has this place.
#[napi]
pub(crate) fn keep_source(
    conversation: &External<Conversation>,
    place: u32,
    source: String,
    text: String,
) {
    if let Some(handle) = convert::handle_of(place, &source) {
        conversation.lock().texts.held.insert(handle, text);
    }
}

/// Keeps what a function returned, or what was supplied for it, as JSON.
#[napi]
pub(crate) fn keep_output(conversation: &External<Conversation>, call_id: String, output: String) {
    conversation.lock().texts.returned.insert(call_id, output);
}

/// The JSON of the item of the response at hand, or of its stream, that is of one of these kinds and has
/// this text in this field.
#[napi]
pub(crate) fn item_with(
    conversation: &External<Conversation>,
    kinds: Vec<String>,
    field: String,
    text: String,
) -> Option<String> {
    let talk = conversation.lock();
    let is_wanted = |item: &str| {
        let item = convert::value(item);
        let has = |name: &str| item.field(name).and_then(Json::as_str);
        has(&field) == Some(text.as_str())
            && has("type").is_some_and(|kind| kinds.iter().any(|wanted| wanted == kind))
    };
    talk.wire.item(is_wanted).map(str::to_owned)
}

/// The JSON of an item of the history.
#[napi]
pub(crate) fn history_item(conversation: &External<Conversation>, index: u32) -> Option<String> {
    conversation.lock().wire.history_item(index as usize).map(str::to_owned)
}

/// Puts another item in the place of one of the history.
#[napi]
pub(crate) fn set_history_item(conversation: &External<Conversation>, index: u32, item: String) {
    conversation.lock().wire.set_history_item(index as usize, item);
}

/// The last response, if there was one.
#[napi]
pub(crate) fn last_response(conversation: &External<Conversation>) -> Option<WholeReply> {
    let (body, request_id) = conversation.lock().last.clone()?;
    Some(WholeReply { body, request_id })
}
