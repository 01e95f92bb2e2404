//! Calls that run while their response is still being streamed (R-30 … R-35).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::fault::AdmissionError;
use super::items::text_of;
use crate::error::Stop;
use crate::json::Json;

/// Which calls may run early.
#[derive(Clone, Debug, Default)]
pub(crate) enum EarlyTools {
    #[default]
    All,
    Only {
        functions: BTreeSet<String>,
        computer: bool,
    },
}

impl EarlyTools {
    /// Reads `early_execution`; `is_tool` says whether a local function tool has a name.
    pub(crate) fn read(
        given: &Json<'_>,
        is_tool: impl Fn(&str) -> bool,
    ) -> Result<Self, AdmissionError> {
        let fields = match given {
            Json::Null => return Ok(Self::All),
            Json::Object(fields) => fields,
            _ => return Err(AdmissionError::EarlyExecution),
        };
        let mut functions = BTreeSet::new();
        let mut computer = false;
        for (name, value) in fields {
            match name.as_ref() {
                "functions" => {
                    for entry in value.as_list().ok_or(AdmissionError::EarlyExecution)? {
                        let name = entry.as_str().ok_or(AdmissionError::EarlyExecution)?;
                        if !is_tool(name) || !functions.insert(name.to_owned()) {
                            return Err(AdmissionError::EarlyExecution);
                        }
                    }
                }
                "computer" => computer = value.as_bool().ok_or(AdmissionError::EarlyExecution)?,
                _ => return Err(AdmissionError::EarlyExecution),
            }
        }
        Ok(Self::Only { functions, computer })
    }

    pub(crate) fn allows_function(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only { functions, .. } => functions.contains(name),
        }
    }

    pub(crate) fn allows_computer(&self) -> bool {
        match self {
            Self::All => true,
            Self::Only { computer, .. } => *computer,
        }
    }
}

/// What the rules read of the events of one kind.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EventReads {
    /// Nothing but the type.
    Type,
    /// `output_index` and `item`.
    Item,
    /// `response`.
    Response,
    /// Nothing but the type, and the stream is over without a complete response: whoever catches the
    /// error that the run stops with may look at `response`.
    Ending,
}

/// What the rules read of the events of a kind. Hosts leave the rest of an event alone.
pub fn reads_of_event(kind: &str) -> EventReads {
    match kind {
        "response.output_item.done" => EventReads::Item,
        "response.completed" => EventReads::Response,
        "response.failed" | "response.incomplete" => EventReads::Ending,
        _ => EventReads::Type,
    }
}

/// What an event means for the run.
#[derive(Debug)]
pub(crate) enum EventMeaning {
    /// Nothing.
    Progress,
    /// An item is complete.
    Item { index: Option<u64>, item: Json<'static> },
    /// The response is complete.
    Completed(Json<'static>),
    /// The stream is over without a complete response.
    Ended(Stop),
}

impl EventMeaning {
    /// `early` says whether items are read before their response is complete.
    pub(crate) fn read(body: Json<'_>, early: bool) -> Result<Self, Stop> {
        let kind = text_of(&body, "type").ok_or(Stop::StreamMalformed)?;
        Ok(match kind {
            "response.output_item.done" if early => {
                let index = body.field("output_index").and_then(Json::as_int);
                let index = index.and_then(|index| u64::try_from(index).ok());
                let item = into_field(body, "item").ok_or(Stop::StreamMalformed)?;
                // An item without an id could not be recognised when it comes again.
                text_of(&item, "id").ok_or(Stop::StreamMalformed)?;
                Self::Item { index, item: item.into_owned() }
            }
            "response.completed" => {
                let response = into_field(body, "response").ok_or(Stop::StreamMalformed)?;
                Self::Completed(response.into_owned())
            }
            "response.incomplete" => Self::Ended(Stop::ResponseIncomplete),
            "response.failed" => Self::Ended(Stop::ResponseFailed),
            "error" => Self::Ended(Stop::StreamError),
            _ => Self::Progress,
        })
    }
}

/// The field itself, so that a long response is not copied.
fn into_field<'j>(object: Json<'j>, name: &str) -> Option<Json<'j>> {
    let Json::Object(fields) = object else { return None };
    fields.into_iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// The open stream of a run that may run calls early.
#[derive(Debug, Default)]
pub(crate) struct EarlyItems {
    done: BTreeMap<u64, Json<'static>>,
    in_order: u64,
    has_gap: bool,
    ids: BTreeSet<String>,
    call_ids: BTreeSet<String>,
}

impl EarlyItems {
    /// Takes a completed item; gives it back if it follows those before without a gap, so that it
    /// may be worked on. After the first gap none does.
    pub(crate) fn take(
        &mut self,
        index: Option<u64>,
        item: Json<'static>,
    ) -> Result<Option<&Json<'static>>, Stop> {
        let index = index.ok_or(Stop::StreamMalformed)?;
        let Entry::Vacant(place) = self.done.entry(index) else { return Err(Stop::StreamChanged) };
        let item = place.insert(item);
        self.has_gap |= index != self.in_order;
        self.in_order += u64::from(!self.has_gap);
        Ok((!self.has_gap).then_some(item))
    }

    /// How many items came in order.
    pub(crate) fn in_order(&self) -> u64 {
        self.in_order
    }

    /// Takes the ids of an item; false if one of them came before in this stream.
    pub(crate) fn take_ids(&mut self, ids: &[String], call_ids: &[String]) -> bool {
        ids.iter().all(|id| self.ids.insert(id.clone()))
            && call_ids.iter().all(|id| self.call_ids.insert(id.clone()))
    }

    /// Whether the response has exactly the items that were completed in the stream.
    pub(crate) fn are_those_of(&self, response: &Json<'_>) -> bool {
        let items = response.field("output").and_then(Json::as_list).unwrap_or_default();
        items.len() == self.done.len()
            && items.iter().zip(self.done.values()).all(|(item, done)| same(item, done))
    }
}

/// Whether two values say the same, whatever the order of their fields.
fn same(one: &Json<'_>, other: &Json<'_>) -> bool {
    match (one, other) {
        (Json::List(one), Json::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        // Of equal names the last one counts on both sides, and neither may have one more.
        (Json::Object(fields), Json::Object(others)) => {
            let agree = |name: &str| match (one.field(name), other.field(name)) {
                (Some(one), Some(other)) => same(one, other),
                _ => false,
            };
            fields.iter().all(|(name, _)| agree(name))
                && others.iter().all(|(name, _)| one.field(name).is_some())
        }
        // What the host holds is told apart by its beginning: the numbers are only its places.
        (Json::Held(one), Json::Held(other)) => one.head == other.head,
        _ => one == other,
    }
}
