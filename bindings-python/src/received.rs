//! What a client answers: responses and events, read of it what rules read.

use pyo3::exceptions::PyException;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use swingbridge_core::Misuse;
use swingbridge_core::json::{Json, Text};
use swingbridge_core::runner::{EventReads, reads_of_event};

use crate::convert::{HostValue, Terms};
use crate::copies::{found, plain};
use crate::errors;
use crate::text_received::{TextEvent, TextResponse};

/// How a client's answers are read.
pub(crate) struct Manner {
    /// Whether responses are saved, so that all of them is read.
    pub(crate) is_saved: bool,
    /// What the core is told of an item, if that may be something else than the item itself.
    pub(crate) read_item: Option<Py<PyAny>>,
    /// Whether they are the native client's, and are taken in as text.
    pub(crate) reads_text: bool,
}

/// A response of any client.
pub(crate) enum AnyResponse<'py> {
    Objects(Received<'py>),
    Text(TextResponse<'py>),
}

impl<'py> AnyResponse<'py> {
    pub(crate) fn read(own: Bound<'py, PyAny>, manner: &Manner) -> PyResult<Self> {
        if manner.reads_text {
            TextResponse::read(own, manner)?.map(Self::Text).ok_or_else(not_native)
        } else {
            Received::read(own, manner).map(Self::Objects)
        }
    }

    /// The response for the core.
    pub(crate) fn with_body<R>(&self, use_it: impl FnOnce(Json<'_>) -> R) -> R {
        match self {
            Self::Objects(received) => received.with_body(use_it),
            Self::Text(received) => received.with_body(use_it),
        }
    }
}

/// An event of the stream of any client.
pub(crate) enum AnyEvent<'py> {
    Objects(Event<'py>),
    Text(TextEvent<'py>),
}

impl<'py> AnyEvent<'py> {
    pub(crate) fn read(own: &Bound<'py, PyAny>, manner: &Manner) -> PyResult<Self> {
        if manner.reads_text {
            TextEvent::read(own, manner)?.map(Self::Text).ok_or_else(not_native)
        } else {
            Event::read(own, manner).map(Self::Objects)
        }
    }

    pub(crate) fn has_response(&self) -> bool {
        match self {
            Self::Objects(event) => event.response.is_some(),
            Self::Text(event) => event.response.is_some(),
        }
    }

    /// The response that the stream ends with, if it failed or is incomplete.
    pub(crate) fn ending(&self) -> Option<&Bound<'py, PyAny>> {
        match self {
            Self::Objects(event) => event.ending.as_ref(),
            Self::Text(event) => event.ending.as_ref(),
        }
    }

    /// The event for the core.
    pub(crate) fn with_body<R>(&self, use_it: impl FnOnce(Json<'_>) -> R) -> R {
        match self {
            Self::Objects(event) => event.with_body(use_it),
            Self::Text(event) => event.with_body(use_it),
        }
    }
}

fn not_native() -> PyErr {
    errors::misuse(Misuse::WrongKind)
}

impl Manner {
    fn told<'py>(&self, item: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match &self.read_item {
            Some(read) => read.bind(item.py()).call1((item,)),
            None => Ok(item),
        }
    }
}

/// A response, with what rules read of it as plain objects.
pub(crate) struct Received<'py> {
    own: Bound<'py, PyAny>,
    /// Empty if it could not be read: the core says what is missing.
    read: Bound<'py, PyDict>,
    items: Vec<Bound<'py, PyAny>>,
    whole: Option<Bound<'py, PyAny>>,
}

impl<'py> Received<'py> {
    /// Reads a response. An error is none of the client's.
    pub(crate) fn read(own: Bound<'py, PyAny>, manner: &Manner) -> PyResult<Self> {
        let py = own.py();
        let read = PyDict::new(py);
        let mut received = Self { own, read, items: Vec::new(), whole: None };
        match received.read_fields(manner) {
            Ok(()) => {}
            Err(error) if error.is_instance_of::<PyException>(py) => {
                received.read.clear();
                received.items.clear();
                received.whole = None;
            }
            Err(error) => return Err(error),
        }
        if manner.read_item.is_some() && !received.items.is_empty() {
            let told = received.items.iter().map(|item| manner.told(item.clone()));
            let told = told.collect::<PyResult<Vec<_>>>()?;
            received.read.set_item(intern!(py, "output"), told)?;
        }
        Ok(received)
    }

    fn read_fields(&mut self, manner: &Manner) -> PyResult<()> {
        let py = self.own.py();
        if manner.is_saved {
            self.whole = fields_of(&self.own)?;
        }
        for name in [intern!(py, "status"), intern!(py, "output"), intern!(py, "usage")] {
            if let Some(value) = field(self.whole.as_ref().unwrap_or(&self.own), name)? {
                self.read.set_item(name, plain(value, false)?)?;
            }
        }
        let output = self.read.get_item(intern!(py, "output"))?;
        let output = output.and_then(|output| output.cast_into::<PyList>().ok());
        self.items = output.map(|output| output.iter().collect()).unwrap_or_default();
        Ok(())
    }

    /// The client's own object.
    pub(crate) fn own(&self) -> &Bound<'py, PyAny> {
        &self.own
    }

    /// All of it as plain objects, if it is to be saved.
    pub(crate) fn whole(&self) -> Option<&Bound<'py, PyAny>> {
        self.whole.as_ref()
    }

    /// The output items.
    pub(crate) fn items(&self) -> &[Bound<'py, PyAny>] {
        &self.items
    }

    fn value(&self) -> HostValue<'py> {
        self.value_on(Terms::EXACT)
    }

    fn value_on(&self, terms: Terms) -> HostValue<'py> {
        HostValue::read(self.read.clone().into_any(), terms)
    }

    /// The response for the core.
    pub(crate) fn with_body<R>(&self, use_it: impl FnOnce(Json<'_>) -> R) -> R {
        use_it(self.value().json(&mut Vec::new()))
    }
}

/// All fields of a response as plain objects, also of one that is neither a dict nor a model.
fn fields_of<'py>(own: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let copy = plain(own.clone(), false)?;
    if copy.is_instance_of::<PyDict>() {
        return Ok(Some(copy));
    }
    match found(own, intern!(own.py(), "__dict__"))? {
        Some(fields) => plain(fields, false).map(Some),
        None => Ok(None),
    }
}

/// An event of a stream, with what rules read of it as plain objects.
pub(crate) struct Event<'py> {
    kind: Option<Bound<'py, PyString>>,
    index: Option<Bound<'py, PyAny>>,
    pub(crate) item: Option<Bound<'py, PyAny>>,
    /// What the core is told of the item.
    told: Option<Bound<'py, PyAny>>,
    pub(crate) response: Option<Received<'py>>,
    /// The response that the stream ends with, if it failed or is incomplete.
    pub(crate) ending: Option<Bound<'py, PyAny>>,
}

impl<'py> Event<'py> {
    /// Reads an event; what cannot be read is not there. An error is none of the client's.
    pub(crate) fn read(event: &Bound<'py, PyAny>, manner: &Manner) -> PyResult<Self> {
        let py = event.py();
        let mut read =
            Self { kind: None, index: None, item: None, told: None, response: None, ending: None };
        let kind = readable(py, field(event, intern!(py, "type")))?;
        read.kind = kind.and_then(|kind| kind.cast_into::<PyString>().ok());
        let reads = read.kind.as_ref().and_then(|kind| kind.to_str().ok()).map(reads_of_event);
        match reads {
            None | Some(EventReads::Type) => {}
            Some(EventReads::Ending) => {
                read.ending = readable(py, field(event, intern!(py, "response")))?;
            }
            Some(EventReads::Item) => {
                read.index = readable(py, field(event, intern!(py, "output_index")))?;
                let item = field(event, intern!(py, "item"));
                let item = item.and_then(|item| item.map(|item| plain(item, false)).transpose());
                read.item = readable(py, item)?;
                read.told = read.item.clone().map(|item| manner.told(item)).transpose()?;
            }
            Some(EventReads::Response) => {
                let response = readable(py, field(event, intern!(py, "response")))?;
                read.response =
                    response.map(|response| Received::read(response, manner)).transpose()?;
            }
        }
        Ok(read)
    }

    /// The place of its item in the response.
    pub(crate) fn item_index(&self) -> Option<u64> {
        let index = self.index.as_ref()?;
        let exact = HostValue::read(index.clone(), Terms::EXACT);
        exact.json(&mut Vec::new()).as_int().and_then(|index| u64::try_from(index).ok())
    }

    /// The event for the core.
    pub(crate) fn with_body<R>(&self, use_it: impl FnOnce(Json<'_>) -> R) -> R {
        let index = self.index.clone().map(|index| HostValue::read(index, Terms::EXACT));
        // Whole: an item must not change in any field once it was worked on.
        let item = self.told.clone().map(|item| HostValue::read(item, Terms::WHOLE));
        let response = self.response.as_ref().map(|response| response.value_on(Terms::WHOLE));
        let mut fields = Vec::with_capacity(2);
        if let Some(kind) = self.kind.as_ref().and_then(|kind| kind.to_str().ok()) {
            fields.push(("type".into(), Json::Text(Text::from(kind))));
        }
        let parts = [("output_index", &index), ("item", &item), ("response", &response)];
        for (name, value) in parts {
            if let Some(value) = value {
                fields.push((name.into(), value.json(&mut Vec::new())));
            }
        }
        use_it(Json::Object(fields))
    }
}

/// A field of a dict or an attribute of an object, if it has one.
fn field<'py>(
    value: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match value.cast::<PyDict>() {
        Ok(fields) => fields.get_item(name),
        Err(_) => found(value, name),
    }
}

/// What an ordinary error keeps from being read is not there.
fn readable<'py>(
    py: Python<'py>,
    value: PyResult<Option<Bound<'py, PyAny>>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match value {
        Err(error) if error.is_instance_of::<PyException>(py) => Ok(None),
        value => value,
    }
}
