//! What the native client answers to a run: text, of which the core is told what its rules read.

use pyo3::prelude::*;
use swingbridge_core::json::{Json, RawJson, Text, parse};
use swingbridge_core::runner::{EventReads, reads_of_event};

use crate::convert::{HostValue, Terms};
use crate::json_object::{JsonObject, JsonText};
use crate::objects;
use crate::received::Manner;
use crate::text_conversation::find;

/// A response.
pub(crate) struct TextResponse<'py> {
    pub(crate) own: Bound<'py, PyAny>,
    text: JsonText,
    /// Items, by their place, of which the core is told something else.
    told: Vec<(usize, HostValue<'py>)>,
}

impl<'py> TextResponse<'py> {
    /// `None` if it is none of the native client's.
    pub(crate) fn read(own: Bound<'py, PyAny>, manner: &Manner) -> PyResult<Option<Self>> {
        let Ok(object) = own.cast::<JsonObject>() else { return Ok(None) };
        let text = object.get().text().clone();
        let mut told = Vec::new();
        if manner.read_item.is_some() {
            let body = parse(text.as_str()).unwrap_or(Json::Null);
            let items = body.field("output").and_then(Json::as_list).unwrap_or_default();
            for (index, item) in items.iter().enumerate() {
                let other = told_of(own.py(), item, manner)?;
                told.extend(other.map(|other| (index, other)));
            }
        }
        Ok(Some(Self { own, text, told }))
    }

    pub(crate) fn raw(&self) -> Option<RawJson<'_>> {
        self.text.raw()
    }

    /// The response for the core.
    fn body(&self) -> Json<'_> {
        let mut body = parse(self.text.as_str()).unwrap_or(Json::Null);
        if let Json::Object(fields) = &mut body
            && let Some((_, Json::List(items))) =
                fields.iter_mut().rev().find(|(name, _)| name == "output")
        {
            for (index, other) in &self.told {
                if let Some(item) = items.get_mut(*index) {
                    *item = other.json(&mut Vec::new());
                }
            }
        }
        body
    }

    pub(crate) fn with_body<R>(&self, use_it: impl FnOnce(Json<'_>) -> R) -> R {
        use_it(self.body())
    }
}

/// An event of a stream.
pub(crate) struct TextEvent<'py> {
    text: JsonText,
    kind: Option<String>,
    reads: EventReads,
    /// What the core is told of its item, if that is something else.
    told: Option<HostValue<'py>>,
    pub(crate) response: Option<TextResponse<'py>>,
    /// The response that the stream ends with, if it failed or is incomplete.
    pub(crate) ending: Option<Bound<'py, PyAny>>,
}

impl<'py> TextEvent<'py> {
    /// `None` if it is none of the native client's.
    pub(crate) fn read(own: &Bound<'py, PyAny>, manner: &Manner) -> PyResult<Option<Self>> {
        let Ok(object) = own.cast::<JsonObject>() else { return Ok(None) };
        let text = object.get().text().clone();
        let kind = text.raw().and_then(|raw| find(raw, "type")).and_then(RawJson::as_text);
        let kind = kind.as_ref().and_then(Text::as_str).map(str::to_owned);
        let reads = kind.as_deref().map_or(EventReads::Type, reads_of_event);
        let mut event = Self { text, kind, reads, told: None, response: None, ending: None };
        match reads {
            EventReads::Item if manner.read_item.is_some() => {
                let item = event.item().and_then(|(_, item)| parse(item.text()).ok());
                let told = item.map(|item| told_of(own.py(), &item, manner));
                event.told = told.transpose()?.flatten();
            }
            EventReads::Type | EventReads::Item => {}
            EventReads::Ending => event.ending = own.getattr("response").ok(),
            EventReads::Response => {
                if event.text.raw().and_then(|raw| find(raw, "response")).is_some() {
                    event.response = TextResponse::read(own.getattr("response")?, manner)?;
                }
            }
        }
        Ok(Some(event))
    }

    /// Its completed item, with its place in the response if that is a number.
    pub(crate) fn item(&self) -> Option<(Option<u64>, RawJson<'_>)> {
        let raw = self.text.raw().filter(|_| self.reads == EventReads::Item)?;
        let index = find(raw, "output_index").and_then(RawJson::as_int);
        Some((index.and_then(|index| u64::try_from(index).ok()), find(raw, "item")?))
    }

    /// The event for the core.
    pub(crate) fn with_body<R>(&self, use_it: impl FnOnce(Json<'_>) -> R) -> R {
        let mut fields = Vec::with_capacity(3);
        let kind = self.kind.as_deref();
        fields.extend(kind.map(|kind| ("type".into(), Json::Text(Text::from(kind)))));
        if let Some((index, item)) = self.item() {
            fields.extend(index.map(|index| ("output_index".into(), Json::from(index))));
            let item = match &self.told {
                Some(told) => told.json(&mut Vec::new()),
                None => parse(item.text()).unwrap_or(Json::Null),
            };
            fields.push(("item".into(), item));
        }
        fields.extend(self.response.as_ref().map(|response| ("response".into(), response.body())));
        use_it(Json::Object(fields))
    }
}

/// What the core is told of an item, if that is something else than the item.
fn told_of<'py>(
    py: Python<'py>,
    item: &Json<'_>,
    manner: &Manner,
) -> PyResult<Option<HostValue<'py>>> {
    let is_call = item.field("type").and_then(Json::as_str) == Some("function_call");
    let Some(read) = manner.read_item.as_ref().filter(|_| is_call) else { return Ok(None) };
    let object = objects::json(py, item, &[])?;
    let told = read.bind(py).call1((&object,))?;
    Ok((!told.is(&object)).then(|| HostValue::read(told, Terms::WHOLE)))
}
