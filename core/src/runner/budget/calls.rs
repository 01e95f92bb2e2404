//! The calls of a history with their outputs, and which of them must stay.

use std::collections::{BTreeMap, BTreeSet};

use crate::browser::{Member, Selection};
use crate::error::Stop;
use crate::json::Json;
use crate::runner::items::{kind_of, text_of};

/// How a receipt names calls of the computer, which have no tool name.
const COMPUTER: &str = "computer";

#[derive(Debug)]
pub(super) struct Calls {
    browser: Option<Selection>,
    all: Vec<Call>,
    by_id: BTreeMap<String, usize>,
    /// Calls whose output shows a screen, in the order of the outputs.
    screenshots: Vec<usize>,
    /// The last call of each kind that says how things stand now.
    last_browser: Option<usize>,
    last_computer: Option<usize>,
}

#[derive(Debug)]
struct Call {
    id: String,
    kind: Kind,
    /// Of the call and of its output.
    bytes: u64,
    images: u64,
    has_output: bool,
    /// Whether safety checks were asked or acknowledged.
    has_checks: bool,
    left_out: bool,
}

#[derive(Debug, Eq, PartialEq)]
enum Kind {
    Browser(String),
    Function(String),
    Computer,
}

impl Calls {
    pub(super) fn new(browser: Option<Selection>) -> Self {
        Self {
            browser,
            all: Vec::new(),
            by_id: BTreeMap::new(),
            screenshots: Vec::new(),
            last_browser: None,
            last_computer: None,
        }
    }

    /// Takes in an item; the number of the call that it belongs to, if it belongs to one.
    pub(super) fn add(
        &mut self,
        item: &Json<'_>,
        bytes: u64,
        images: u64,
    ) -> Result<Option<usize>, Stop> {
        match kind_of(item) {
            Some("function_call") => {
                let name = text_of(item, "name").ok_or(Stop::HistoryInvalid)?.to_owned();
                let is_browser = Member::from_tool(&name)
                    .zip(self.browser.as_ref())
                    .is_some_and(|(member, browser)| browser.has(member));
                let kind = if is_browser { Kind::Browser(name) } else { Kind::Function(name) };
                self.begin(item, kind, bytes).map(Some)
            }
            Some("computer_call") => self.begin(item, Kind::Computer, bytes).map(Some),
            Some("function_call_output" | "computer_call_output") => {
                self.end(item, bytes, images).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn begin(&mut self, item: &Json<'_>, kind: Kind, bytes: u64) -> Result<usize, Stop> {
        let id = text_of(item, "call_id").ok_or(Stop::HistoryInvalid)?.to_owned();
        let call = self.all.len();
        if self.by_id.insert(id.clone(), call).is_some() {
            return Err(Stop::IdentityRepeated);
        }
        self.all.push(Call {
            id,
            kind,
            bytes,
            images: 0,
            has_output: false,
            has_checks: has_entries(item, "pending_safety_checks"),
            left_out: false,
        });
        Ok(call)
    }

    fn end(&mut self, item: &Json<'_>, bytes: u64, images: u64) -> Result<usize, Stop> {
        let id = text_of(item, "call_id").ok_or(Stop::HistoryInvalid)?;
        let index = self.find(id).ok_or(Stop::HistoryInvalid)?;
        let call = &mut self.all[index];
        let is_computer = kind_of(item) == Some("computer_call_output");
        if call.has_output || is_computer != (call.kind == Kind::Computer) {
            return Err(Stop::HistoryInvalid);
        }
        call.has_output = true;
        call.has_checks |= has_entries(item, "acknowledged_safety_checks");
        call.bytes += bytes;
        call.images += images;
        match call.kind {
            Kind::Browser(_) => self.last_browser = Some(index),
            Kind::Computer => self.last_computer = Some(index),
            Kind::Function(_) => return Ok(index),
        }
        if images > 0 {
            self.screenshots.push(index);
        }
        Ok(index)
    }

    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    pub(super) fn id(&self, call: usize) -> &str {
        &self.all[call].id
    }

    pub(super) fn is_left_out(&self, call: usize) -> bool {
        self.all[call].left_out
    }

    /// The calls that may be left out, in order. What the model must still see is not among them:
    /// the newest observation of the browser and of the computer, the last `keep` screenshots of
    /// either, and every safety check.
    pub(super) fn eligible(&self, keep: usize) -> impl Iterator<Item = usize> + '_ {
        let shown = self.screenshots.len().saturating_sub(keep);
        let mut pinned: BTreeSet<usize> = self.screenshots[shown..].iter().copied().collect();
        pinned.extend(self.last_browser);
        pinned.extend(self.last_computer);
        self.all
            .iter()
            .enumerate()
            .filter(|(_, call)| call.has_output && !call.has_checks && !call.left_out)
            .map(|(index, _)| index)
            .filter(move |index| !pinned.contains(index))
    }

    /// Leaves out a call with its output; how many items, bytes and images that are.
    pub(super) fn leave_out(&mut self, index: usize) -> (u64, u64, u64) {
        let call = &mut self.all[index];
        call.left_out = true;
        (1 + u64::from(call.has_output), call.bytes, call.images)
    }

    /// The ids of all calls left out, by tool, each in the order of the history.
    pub(super) fn receipts(&self) -> Vec<(&str, Vec<&str>)> {
        let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
        let mut receipts: Vec<(&str, Vec<&str>)> = Vec::new();
        for call in self.all.iter().filter(|call| call.left_out) {
            let tool = match &call.kind {
                Kind::Browser(name) | Kind::Function(name) => name.as_str(),
                Kind::Computer => COMPUTER,
            };
            let position = *positions.entry(tool).or_insert(receipts.len());
            if position == receipts.len() {
                receipts.push((tool, Vec::new()));
            }
            receipts[position].1.push(&call.id);
        }
        receipts
    }
}

fn has_entries(item: &Json<'_>, name: &str) -> bool {
    item.field(name).and_then(Json::as_list).is_some_and(|entries| !entries.is_empty())
}
