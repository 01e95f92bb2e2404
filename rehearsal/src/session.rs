//! Which turn answers which request.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::Value;
use swingbridge_core::json::{Json, parse};
use swingbridge_core::wire::{ReasoningBonds, check_request};

use crate::answer::Answered;
use crate::placeholders::{Unfilled, fill};
use crate::response::response;
use crate::script::Script;
use crate::turn::{Answer, Turn};

/// A request that came, and what it was answered.
#[derive(Clone)]
#[non_exhaustive]
pub struct Seen {
    pub path: String,
    pub idempotency_key: Option<String>,
    /// Empty if bodies are not kept.
    pub body: Bytes,
    pub status: u16,
    /// The turn that answered, from 0; a refusal takes none.
    pub turn: Option<usize>,
    /// Why it was refused.
    pub refusal: Option<String>,
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seen")
            .field("body", &self.body.len())
            .field("status", &self.status)
            .field("turn", &self.turn)
            .finish_non_exhaustive()
    }
}

/// The passes through a script that are under way. A script is passed once, or again and again if it
/// repeats, also by several runs at the same time: a request belongs to the pass whose ids it carries.
pub(crate) struct Session {
    script: Script,
    /// The next turn of each pass.
    passes: Vec<usize>,
    /// The passes by the ids that they gave out, and by the keys of their requests.
    known: BTreeMap<String, usize>,
    bonds: ReasoningBonds,
}

impl Session {
    pub(crate) fn new(script: Script) -> Self {
        Self {
            script,
            passes: Vec::new(),
            known: BTreeMap::new(),
            bonds: ReasoningBonds::default(),
        }
    }

    /// How many turns of the latest pass are left.
    pub(crate) fn turns_left(&self) -> usize {
        self.script.turns.len() - self.passes.last().copied().unwrap_or(0)
    }

    /// Answers a request: refuses it, or takes the next turn of its pass.
    pub(crate) fn answer(&mut self, body: &[u8], key: Option<&str>) -> Answered {
        let text = std::str::from_utf8(body).ok();
        let read =
            text.and_then(|text| Some((parse(text).ok()?, serde_json::from_str(text).ok()?)));
        let Some((tree, request)): Option<(Json<'_>, Value)> = read else {
            return Answered::refusal(400, "the body is not JSON", None, None);
        };
        if let Err(fault) = check_request(&tree, &self.bonds) {
            let code = fault.rule.service_code();
            return Answered::refusal(400, &fault.to_string(), Some(&fault.param), code);
        }
        let pass = self.pass_of(&request, key);
        let number = self.passes.get(pass).copied().unwrap_or(0);
        let Some(turn) = self.script.turns.get(number).cloned() else {
            let said = "all turns of the script were taken";
            return Answered::refusal(400, said, None, Some("rehearsal_over"));
        };
        // The first pass has the ids of the script as they are.
        let suffix = if pass == 0 { String::new() } else { format!("_p{}", pass + 1) };
        let refuse = |what: &str, param: &str| {
            let said =
                format!("turn {} expects {what}, which the request does not have", number + 1);
            Answered::refusal(400, &said, Some(param), Some("expectation_failed"))
        };
        if let Some(missed) = turn.expects.iter().find(|wish| !wish.is_met(&request, &suffix)) {
            return refuse(&missed.to_string(), missed.param());
        }
        match play(turn, number, &suffix, &request) {
            Err(unfilled) => refuse(&unfilled.to_string(), "input"),
            Ok(answered) => {
                self.passes.resize(self.passes.len().max(pass + 1), 0);
                self.passes[pass] += 1;
                self.remember(&answered.body, pass);
                if let Some(key) = key {
                    self.known.insert(key.to_owned(), pass);
                }
                answered
            }
        }
    }

    /// The pass that the request goes on with, or a new one.
    fn pass_of(&self, request: &Value, key: Option<&str>) -> usize {
        let by_key = key.and_then(|key| self.known.get(key));
        let previous = request["previous_response_id"].as_str();
        let items = request["input"].as_array().map_or(&[][..], Vec::as_slice);
        let ids =
            items.iter().rev().flat_map(|item| [item["call_id"].as_str(), item["id"].as_str()]);
        let mut ids = ids.chain([previous]).flatten();
        let known = by_key.or_else(|| ids.find_map(|id| self.known.get(id))).copied();
        match known {
            Some(pass) => pass,
            None if self.script.repeats => self.passes.len(),
            None => 0,
        }
    }

    fn remember(&mut self, response: &Value, pass: usize) {
        let output = response["output"].as_array().map_or(&[][..], Vec::as_slice);
        let ids = output.iter().flat_map(|item| [&item["id"], &item["call_id"]]);
        for id in ids.chain([&response["id"]]).filter_map(Value::as_str) {
            self.known.insert(id.to_owned(), pass);
        }
        let texts: Vec<String> = output.iter().map(Value::to_string).collect();
        let items: Vec<Json<'_>> = texts.iter().filter_map(|text| parse(text).ok()).collect();
        self.bonds.learn(&items);
    }
}

/// Lays a turn out, unless the request does not have what a placeholder stands for.
fn play(turn: Turn, number: usize, suffix: &str, request: &Value) -> Result<Answered, Unfilled> {
    let (status, body, retry_after) = match turn.answer {
        Answer::Error(error) if error.as_event && request["stream"] == true => {
            (200, error.body, None)
        }
        Answer::Error(error) => (error.status, error.body, error.retry_after),
        Answer::Whole(mut whole) => {
            rename(&mut whole, suffix);
            (200, whole, None)
        }
        Answer::Output { mut items, status, usage } => {
            for item in &mut items {
                rename(item, suffix);
                fill(item, request)?;
            }
            let id = format!("resp_{}{suffix}", number + 1);
            (200, response(&id, request, &items, status, usage), None)
        }
    };
    Ok(Answered {
        status,
        body,
        retry_after,
        turn: Some(number),
        streams: status == 200 && request["stream"] == true,
        delivery: turn.delivery,
        id: String::new(),
    })
}

/// Puts the suffix of a pass to the ids of an item, or of a response and its items.
fn rename(value: &mut Value, suffix: &str) {
    if suffix.is_empty() {
        return;
    }
    for field in ["id", "call_id"] {
        if let Some(Value::String(id)) = value.get_mut(field) {
            id.push_str(suffix);
        }
    }
    if let Some(Value::Array(items)) = value.get_mut("output") {
        items.iter_mut().filter(|item| item.is_object()).for_each(|item| rename(item, suffix));
    }
}
