//! The rules of a request as a whole: calls and their outputs, ids, and reasoning (D-8).

use std::collections::{BTreeMap, BTreeSet};

use super::fault::{RequestFault, RequestRule};
use super::shapes::{Role, read_item};
use super::tools::check_tools;
use crate::json::Json;
use crate::runner::items::{has, is_text, kind_of, list_of, may_have, text_of};

/// Which items came out of which reasoning: a service knows this of what it has answered.
#[derive(Clone, Debug, Default)]
pub struct ReasoningBonds(BTreeMap<String, String>);

impl ReasoningBonds {
    /// Learns from the output items of a response.
    pub fn learn(&mut self, output: &[Json<'_>]) {
        for pair in output.windows(2) {
            let ids = [&pair[0], &pair[1]].map(|item| text_of(item, "id"));
            if let ([Some(reasoning), Some(item)], Some("reasoning")) = (ids, kind_of(&pair[0])) {
                self.0.insert(item.to_owned(), reasoning.to_owned());
            }
        }
    }
}

/// Checks a whole request: its own fields, its tools, and its input item by item.
pub fn check_request(body: &Json<'_>, bonds: &ReasoningBonds) -> Result<(), RequestFault> {
    if !body.is_object() {
        return Err(RequestFault::new(RequestRule::NotAnObject, "body"));
    }
    check_fields(body)?;
    check_tools(body)?;
    let Some(items) = body.field("input").and_then(Json::as_list) else { return Ok(()) };
    // With these the service has earlier items that the request does not show.
    let continues = ["previous_response_id", "conversation"]
        .iter()
        .any(|name| body.field(name).is_some_and(|value| !value.is_null()));
    let mut reader = Reader { continues, ..Reader::default() };
    for (index, item) in items.iter().enumerate() {
        reader.item(index, item)?;
    }
    reader.finish()?;
    check_reasoning(items, bonds)
}

/// What a field may be.
type Form<'f> = &'f dyn Fn(&Json<'_>) -> bool;

/// Text, true or false, whole numbers, and what a choice of tools may be.
fn check_fields(body: &Json<'_>) -> Result<(), RequestFault> {
    let wrong = |rule, name: &str| Err(RequestFault::new(rule, name));
    let given = |name: &str| body.field(name).is_some_and(|value| !value.is_null());
    if !given("model") && !given("prompt") {
        return wrong(RequestRule::Missing, "model");
    }
    if !given("input")
        && !given("prompt")
        && !given("previous_response_id")
        && !given("conversation")
    {
        return wrong(RequestRule::Missing, "input");
    }
    if given("previous_response_id") && given("conversation") {
        return wrong(RequestRule::Conflict, "previous_response_id");
    }
    let is_bool = |value: &Json<'_>| value.as_bool().is_some();
    let is_count = |value: &Json<'_>| value.as_int().is_some_and(|int| int > 0);
    let forms: &[(&[&str], Form<'_>)] = &[
        (&["model", "previous_response_id", "prompt_cache_key", "safety_identifier"], &is_text),
        (&["stream", "store", "background", "parallel_tool_calls"], &is_bool),
        (&["max_output_tokens", "max_tool_calls"], &is_count),
        (&["metadata", "prompt", "reasoning", "text"], &|value| value.is_object()),
        (&["include"], &|value| list_of(value, is_text)),
        (&["instructions"], &|value| is_text(value) || value.as_list().is_some()),
        (&["input"], &|value| is_text(value) || value.as_list().is_some_and(|l| !l.is_empty())),
        (&["tool_choice"], &is_tool_choice),
    ];
    for (names, check) in forms {
        if let Some(name) = names.iter().find(|name| !may_have(body, name, check)) {
            return wrong(RequestRule::Malformed, name);
        }
    }
    Ok(())
}

fn is_tool_choice(choice: &Json<'_>) -> bool {
    matches!(choice.as_str(), Some("none" | "auto" | "required")) || kind_of(choice).is_some()
}

#[derive(Default)]
struct Reader<'j> {
    continues: bool,
    ids: BTreeSet<&'j str>,
    /// Calls by their call id: what kind of output they want, where they are, whether they have it.
    calls: BTreeMap<&'j str, (&'static str, usize, bool)>,
    /// MCP requests that have no answer.
    requests: BTreeSet<&'j str>,
}

impl<'j> Reader<'j> {
    fn item(&mut self, index: usize, item: &'j Json<'_>) -> Result<(), RequestFault> {
        let place = format!("input[{index}]");
        let at = |field: &str| format!("{place}.{field}");
        let part = read_item(item, &place)?;
        let id = text_of(item, "id").filter(|_| part != Role::Reference);
        if id.is_some_and(|id| !self.ids.insert(id)) {
            return Err(RequestFault::new(RequestRule::Repeated, at("id")));
        }
        match part {
            Role::Plain | Role::Reference => Ok(()),
            Role::Call { answered_by } => {
                let call_id = text_of(item, "call_id").unwrap_or_default();
                match self.calls.insert(call_id, (answered_by, index, false)) {
                    None => Ok(()),
                    Some(_) => Err(RequestFault::new(RequestRule::Repeated, at("call_id"))),
                }
            }
            Role::Output { kind } => {
                let call_id = text_of(item, "call_id").unwrap_or_default();
                let rule = match self.calls.get_mut(call_id) {
                    Some((wanted, _, answered)) if *wanted == kind => {
                        if !std::mem::replace(answered, true) {
                            return Ok(());
                        }
                        RequestRule::SecondOutput
                    }
                    None if self.continues => return Ok(()),
                    _ => RequestRule::OutputWithoutCall,
                };
                Err(RequestFault::new(rule, at("call_id")))
            }
            Role::McpRequest => {
                self.requests.extend(id);
                Ok(())
            }
            Role::McpAnswer => {
                let request = text_of(item, "approval_request_id").unwrap_or_default();
                if self.requests.remove(request) || self.continues {
                    return Ok(());
                }
                let rule = RequestRule::AnswerWithoutRequest;
                Err(RequestFault::new(rule, at("approval_request_id")))
            }
        }
    }

    fn finish(self) -> Result<(), RequestFault> {
        let open = self.calls.values().filter(|(_, _, answered)| !answered);
        match open.map(|(_, index, _)| *index).min() {
            None => Ok(()),
            Some(index) => {
                let place = format!("input[{index}].call_id");
                Err(RequestFault::new(RequestRule::CallWithoutOutput, place))
            }
        }
    }
}

/// Reasoning stands right before what it led to, and what it led to is not sent without it.
fn check_reasoning(items: &[Json<'_>], bonds: &ReasoningBonds) -> Result<(), RequestFault> {
    for (index, item) in items.iter().enumerate() {
        let fault = |rule| Err(RequestFault::new(rule, format!("input[{index}]")));
        if kind_of(item) == Some("reasoning") && !items.get(index + 1).is_some_and(is_by_model) {
            return fault(RequestRule::ReasoningAlone);
        }
        let Some(wanted) = text_of(item, "id").and_then(|id| bonds.0.get(id)) else { continue };
        let before = index.checked_sub(1).map(|before| &items[before]);
        if !before.is_some_and(|before| has(before, "id", |id| id.as_str() == Some(wanted))) {
            return fault(RequestRule::ReasoningMissing);
        }
    }
    Ok(())
}

/// Whether the model made the item, so that it may follow from reasoning.
fn is_by_model(item: &Json<'_>) -> bool {
    match kind_of(item) {
        None | Some("message") => text_of(item, "role") == Some("assistant"),
        Some("item_reference" | "mcp_approval_response") => false,
        Some(kind) => !kind.ends_with("_output"),
    }
}
