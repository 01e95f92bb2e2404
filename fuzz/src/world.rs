//! A host of runs: it holds what a pump holds, and checks at every ask what must hold.

use std::collections::{BTreeMap, BTreeSet};

use swingbridge_core::diagnostic::{Api, Diagnostic, Reason, Stage};
use swingbridge_core::json::{Json, parse, stringified_len};
use swingbridge_core::runner::{
    CallOutput, Checkpoint, HistoryUpdate, PendingItems, Phase, Projection, ProjectionPart,
    RunMachine, RunOutcome, TurnRequest, is_replayed,
};
use swingbridge_core::{Answer, Ask};

use super::item::{json, object, text};

/// What the host knows of a run.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Default)]
pub struct World {
    pub history: Vec<Json<'static>>,
    items: Vec<Json<'static>>,
    returned: Vec<Json<'static>>,
    streamed: BTreeMap<i64, Json<'static>>,
    outputs: BTreeMap<String, Json<'static>>,
    /// The input of each request, and its step.
    pub requests: Vec<Vec<Json<'static>>>,
    pub steps: Vec<u64>,
    /// Whether somebody observes, and how many requests were reported.
    pub observed: bool,
    reported: usize,
    reports_limit: bool,
    /// Functions and approvals of remote tools that are over, and those that were reported.
    over: BTreeSet<String>,
    reported_calls: BTreeSet<String>,
    /// Responses that came, whole.
    pub responses: usize,
    /// What was done outside, in order; each once.
    pub effects: Vec<String>,
    done: BTreeSet<String>,
    pub saves: Vec<Saved>,
    /// Of the last save.
    pub revision: u64,
    saved: Option<(Vec<String>, Vec<String>)>,
    save_failed: bool,
    pub has_ledger: bool,
    started: BTreeSet<String>,
    /// The most that may be started at once.
    pub most_started: usize,
    /// The most bytes that a request may have, if they are bounded.
    pub most_bytes: Option<u64>,
    model: Model,
}

/// A checkpoint, and how far the run was.
#[derive(Debug)]
pub struct Saved {
    pub phase: Phase,
    pub checkpoint: Json<'static>,
    pub responses: usize,
    pub effects: usize,
}

impl Saved {
    /// The history.
    pub fn items(&self) -> &[Json<'static>] {
        self.checkpoint.field("history").and_then(Json::as_list).unwrap_or_default()
    }
}

/// What the history must become, from what went in and out alone.
#[derive(Clone, Debug, Default)]
struct Model {
    history: Vec<Expected>,
    /// Of the response at hand.
    items: Vec<Json<'static>>,
    /// The answers of the response's calls.
    answers: BTreeMap<String, Json<'static>>,
    texts: Vec<Json<'static>>,
}

#[derive(Clone, Debug)]
enum Expected {
    Item(Json<'static>),
    /// The output of a call, whatever it is.
    Output(String),
}

/// What an answer means to the host if it is accepted.
#[derive(Debug)]
pub enum Noted {
    Nothing,
    Response(Json<'static>),
    Event(Json<'static>),
    Saved(bool),
    Started(String),
    /// A function has returned, or not. It may have been awaited.
    Function {
        call_id: String,
        value: Option<Json<'static>>,
        awaited: bool,
    },
    Decided {
        id: String,
        answer_at: Option<usize>,
        approve: Json<'static>,
    },
}

impl Noted {
    pub fn of(ask: &Ask<'_>, answer: &Answer<'_>) -> Self {
        let value = || match answer {
            Answer::Value(value) => Some(value.clone().into_owned()),
            _ => None,
        };
        match (ask, answer) {
            (Ask::Send(_), Answer::Response(response)) => {
                Self::Response(response.body.clone().into_owned())
            }
            (Ask::ReadEvent, Answer::Event(event)) => Self::Event(event.body.clone().into_owned()),
            (Ask::Save(_), answer) => Self::Saved(matches!(answer, Answer::Seen)),
            (Ask::StartFunction(call), Answer::Seen) => Self::Started(call.call_id.to_owned()),
            (Ask::CallFunction(call), _) => {
                Self::Function { call_id: call.call_id.to_owned(), value: value(), awaited: false }
            }
            (Ask::AwaitFunction { call_id }, _) => {
                Self::Function { call_id: (*call_id).to_owned(), value: value(), awaited: true }
            }
            (Ask::ApproveMcp { id, imported }, Answer::Value(Json::Bool(approve))) => {
                let answer_at = imported.map(|at| at.answer_at);
                Self::Decided { id: (*id).to_owned(), answer_at, approve: Json::Bool(*approve) }
            }
            _ => Self::Nothing,
        }
    }
}

impl World {
    /// A run that begins with this history.
    pub fn new(history: Vec<Json<'static>>) -> Self {
        let expected = history.iter().cloned().map(Expected::Item).collect();
        let model = Model { history: expected, ..Model::default() };
        Self { history, model, most_started: 1, ..Self::default() }
    }

    /// Does what an ask wants of the host besides its answer, once for each ask.
    pub fn perform(&mut self, machine: &RunMachine) {
        let outcome = machine.outcome();
        check_receipts(&outcome);
        let ask = machine.ask();
        if self.save_failed {
            assert!(matches!(ask, Ask::Stopped(_) | Ask::Emit(_)), "{ask:?} after a refused save");
        }
        if let Some((attempted, returned)) = &self.saved
            && !matches!(ask, Ask::Save(_) | Ask::Stopped(_))
        {
            assert_eq!(attempted, outcome.attempted, "saved before {ask:?}");
            assert_eq!(returned, outcome.completed, "saved before {ask:?}");
        }
        match &ask {
            Ask::Send(request) => self.send(request),
            Ask::Measure { update, from } => {
                self.apply(*update);
                assert!(*from <= self.history.len());
            }
            Ask::Save(checkpoint) => self.save(checkpoint),
            Ask::Emit(record) => self.note_record(record),
            Ask::Finished(_) | Ask::Stopped(_) => self.check_records(),
            Ask::CallFunction(call) | Ask::StartFunction(call) => {
                self.effect(&format!("function {}", call.call_id), call.call_id, &outcome);
            }
            Ask::Act { member, .. } => {
                let call_id = outcome.attempted.last().expect("a call");
                self.effect(&format!("act {call_id} {member:?}"), call_id, &outcome);
            }
            Ask::ActOnComputer { index, .. } => {
                let call_id = outcome.attempted.last().expect("a call");
                self.effect(&format!("computer {call_id} {index}"), call_id, &outcome);
            }
            Ask::ApproveMcp { id, imported: None } => {
                self.effect(&format!("approve {id}"), id, &outcome);
            }
            Ask::ApproveMcp { id, imported: Some(at) } => {
                assert!(self.done.insert(format!("again {id}")), "{id} is asked again twice");
                let is = |at: usize, name: &str| self.history[at].field(name) == Some(&text(id));
                assert!(is(at.request_at, "id") && is(at.answer_at, "approval_request_id"));
            }
            _ => {}
        }
        if !matches!(ask, Ask::StartFunction(_) | Ask::AwaitFunction { .. }) && is_effect(&ask) {
            assert!(self.started.is_empty(), "{ask:?} beside started functions");
        }
        assert!(self.started.len() <= self.most_started);
        assert!(!ask.is_end() || self.started.is_empty(), "the end leaves functions running");
    }

    /// After an answer was accepted.
    pub fn after(&mut self, noted: Noted, machine: &RunMachine) {
        let outcome = machine.outcome();
        match noted {
            Noted::Nothing => {}
            Noted::Response(body) => self.take(&body),
            Noted::Event(event) => self.take_event(&event),
            Noted::Saved(well) => self.save_failed = !well,
            Noted::Started(call_id) => {
                assert!(outcome.attempted.contains(&call_id));
                self.started.insert(call_id);
            }
            Noted::Function { call_id, value, awaited } => {
                self.over.insert(format!("function {call_id}"));
                if awaited {
                    assert!(self.started.remove(&call_id), "{call_id} was not started");
                }
                if self.keep(&call_id, value) {
                    assert!(outcome.completed.contains(&call_id), "{call_id} has returned");
                }
            }
            Noted::Decided { id, answer_at, approve } => {
                self.over.insert(format!("approval {id}"));
                self.decide(&id, answer_at, approve);
            }
        }
    }

    /// An output for each function of the response at hand that was not attempted.
    pub fn open_functions(&self, attempted: &[String]) -> Vec<Json<'static>> {
        let is_open = |item: &&Json<'static>| {
            item.field("type") == Some(&text("function_call"))
                && matches!(item.field("name").and_then(Json::as_str), Some("lookup" | "beside"))
                && call_of(item).is_some_and(|id| attempted.iter().all(|other| other != id))
        };
        let output = |item: &Json<'static>| {
            object([
                ("type", text("function_call_output")),
                ("call_id", item.field("call_id").expect("an id").clone()),
                ("output", text("supplied")),
            ])
        };
        self.items.iter().filter(is_open).map(output).collect()
    }

    /// The caller supplied outputs at a turn.
    pub fn supplied(&mut self, call_ids: &[String], outputs: &Json<'static>) {
        let items = outputs.as_list().unwrap_or_default();
        for call_id in call_ids {
            let item = items.iter().find(|item| item.field("call_id") == Some(&text(call_id)));
            let output = item.and_then(|item| item.field("output")).expect("an output").clone();
            self.keep(call_id, Some(output));
        }
    }

    /// The caller appended a text at a turn.
    pub fn appended(&mut self, words: &Json<'static>) {
        self.model.texts.push(user_message(words.clone()));
    }

    /// What a function returned; whether it is an output.
    fn keep(&mut self, call_id: &str, value: Option<Json<'static>>) -> bool {
        let is_output = matches!(&value, Some(Json::Text(words)) if words.as_str().is_some())
            || matches!(&value, Some(Json::Held(_)))
            || matches!(&value, Some(Json::List(blocks)) if blocks.is_empty());
        if let Some(value) = value {
            self.model.answers.insert(call_id.to_owned(), value.clone());
            self.outputs.insert(call_id.to_owned(), value);
        }
        is_output
    }

    fn decide(&mut self, id: &str, answer_at: Option<usize>, approve: Json<'static>) {
        match answer_at {
            None => drop(self.model.answers.insert(id.to_owned(), approve)),
            Some(at) => {
                let answer = object([
                    ("type", text("mcp_approval_response")),
                    ("approval_request_id", text(id)),
                    ("approve", approve),
                ]);
                self.history[at] = answer.clone();
                self.model.history[at] = Expected::Item(answer);
            }
        }
    }

    fn take(&mut self, body: &Json<'static>) {
        let items = body.field("output").and_then(Json::as_list).unwrap_or_default();
        self.items = items.iter().map(as_replayed).collect();
        self.model.items.clone_from(&self.items);
        self.streamed.clear();
        self.responses += 1;
    }

    fn take_event(&mut self, event: &Json<'static>) {
        match event.field("type").and_then(Json::as_str) {
            Some("response.output_item.done") => {
                let index = event.field("output_index").and_then(Json::as_int).unwrap_or(-1);
                let item = event.field("item").unwrap_or(&Json::Null);
                self.streamed.insert(index, as_replayed(item));
            }
            Some("response.completed") => {
                if let Some(response) = event.field("response") {
                    self.take(response);
                }
            }
            _ => {}
        }
    }

    fn effect(&mut self, effect: &str, call_id: &str, outcome: &RunOutcome<'_>) {
        assert!(self.done.insert(effect.to_owned()), "{effect} happens twice");
        assert!(self.saved.is_some() || !self.has_ledger, "{effect} before the first save");
        assert!(outcome.attempted.iter().any(|id| id == call_id), "{effect} is no attempt");
        assert!(outcome.completed.iter().all(|id| id != call_id), "{effect} is over");
        self.effects.push(effect.to_owned());
    }

    fn apply(&mut self, update: HistoryUpdate<'_>) {
        for output in update.outputs {
            let item = self.output_item(output);
            self.returned.push(item);
        }
        if update.commits {
            self.history.append(&mut self.items);
            self.history.append(&mut self.returned);
        }
        for words in update.texts {
            self.history.push(user_message(Json::Text(words.clone())));
        }
    }

    fn output_item(&self, output: &CallOutput) -> Json<'static> {
        let call = |kind: &str, call_id: &str, output: Json<'static>| {
            object([("type", text(kind)), ("call_id", text(call_id)), ("output", output)])
        };
        match output {
            CallOutput::Browser(output) => {
                call("function_call_output", &output.call_id, text(&output.text))
            }
            CallOutput::Computer(output) => {
                let picture = json(r#"{"type":"computer_screenshot","file_id":"f"}"#);
                call("computer_call_output", &output.call_id, picture)
            }
            CallOutput::Function { call_id } => {
                let value = self.outputs.get(call_id).expect("what the function returned");
                call("function_call_output", call_id, value.clone())
            }
            CallOutput::Mcp { request_id, approve } => object([
                ("type", text("mcp_approval_response")),
                ("approval_request_id", text(request_id)),
                ("approve", Json::Bool(*approve)),
            ]),
        }
    }

    fn note_record(&mut self, record: &Diagnostic) {
        let call = |what: &str| format!("{what} {}", record.call_id.as_deref().expect("a call"));
        match (record.api, record.stage, record.reason) {
            (Api::Responses, Stage::Request, _) => self.reported += 1,
            (Api::Responses, Stage::Action, _) => {
                assert!(self.done.contains(&call("function")), "no such function was called");
                assert!(self.reported_calls.insert(call("function")), "a function is told twice");
            }
            (Api::Responses, Stage::Approval, _) => {
                assert!(self.reported_calls.insert(call("approval")), "an approval is told twice");
            }
            (Api::Responses, Stage::Output, Reason::InvalidOutput) => {
                assert!(self.reported_calls.contains(&call("function")), "it returned first");
            }
            (Api::Responses, Stage::Arguments, Reason::InvalidInput) => {
                assert!(!self.done.contains(&call("function")), "refused arguments are not used");
            }
            (Api::Responses, Stage::Run, Reason::StepLimit) => {
                assert!(
                    !std::mem::replace(&mut self.reports_limit, true),
                    "the limit is told once"
                );
            }
            (api, ..) => assert_ne!(api, Api::Responses),
        }
    }

    /// R-60: each request that was sent, and each call and approval that is over, has been reported.
    fn check_records(&self) {
        if self.observed {
            assert_eq!(self.reported, self.requests.len(), "requests are untold");
            assert!(self.over.is_subset(&self.reported_calls), "a call is untold");
        }
    }

    fn send(&mut self, request: &TurnRequest<'_>) {
        self.check_records();
        assert_eq!(self.reports_limit, self.observed && request.withholds_tools);
        self.steps.push(request.step);
        self.apply(request.update);
        self.streamed.clear();
        assert!(self.items.is_empty() && self.returned.is_empty(), "the response is not over");
        self.model.commit();
        self.model.check(&self.history);
        let input = projected(&self.history, request.projection);
        if let Some(most) = self.most_bytes {
            let bytes = stringified_len(&Json::List(input.clone()));
            assert!(bytes.is_some_and(|bytes| bytes <= most), "{bytes:?} of {most} bytes");
        }
        self.requests.push(input);
    }

    fn save(&mut self, checkpoint: &Checkpoint<'_>) {
        self.apply(checkpoint.update);
        let made = self.checkpoint(checkpoint);
        assert_eq!(checkpoint.revision, self.revision + 1, "revisions count up by one");
        self.revision = checkpoint.revision;
        let pending = made.field("returned_outputs").and_then(Json::as_list).expect("a list");
        let returned: BTreeSet<&str> = checkpoint.returned.iter().map(String::as_str).collect();
        assert!(pending.iter().all(|item| returned.contains(answered(item))));
        if checkpoint.pending == PendingItems::Response {
            assert!(self.items == self.model.items, "the work of the response is not over");
        }
        if checkpoint.pending == PendingItems::Response || checkpoint.phase == Phase::Final {
            self.model.check(&self.history);
        } else {
            let mut model = self.model.clone();
            model.commit();
            model.check(&self.history);
        }
        if checkpoint.phase == Phase::Boundary {
            assert_eq!(checkpoint.attempted.len(), checkpoint.returned.len());
        }
        self.saved = Some((checkpoint.attempted.to_vec(), checkpoint.returned.to_vec()));
        self.saves.push(Saved {
            phase: checkpoint.phase,
            checkpoint: made,
            responses: self.responses,
            effects: self.effects.len(),
        });
    }

    fn checkpoint(&self, checkpoint: &Checkpoint<'_>) -> Json<'static> {
        let is_pending = checkpoint.phase == Phase::Pending;
        let pending = match checkpoint.pending {
            PendingItems::None => Vec::new(),
            PendingItems::Response => self.items.clone(),
            PendingItems::Streamed(count) => {
                let count = usize::try_from(count).expect("a count");
                assert!(count <= self.streamed.len());
                self.streamed.values().take(count).cloned().collect()
            }
        };
        let texts = |ids: &[String]| Json::List(ids.iter().map(|id| text(id)).collect());
        let is_final = checkpoint.phase == Phase::Final;
        object([
            ("version", Json::Int(1)),
            ("run_id", Json::Text(checkpoint.run_id.clone())),
            ("revision", Json::from(checkpoint.revision)),
            ("phase", text(checkpoint.phase.as_str())),
            ("max_steps", Json::from(checkpoint.max_steps)),
            ("consumed_requests", Json::from(checkpoint.consumed_requests)),
            ("tools", parse(checkpoint.tools).expect("JSON").into_owned()),
            ("output_override_names", texts(checkpoint.output_override_names)),
            ("history", Json::List(self.history.clone())),
            ("attempted_call_ids", texts(checkpoint.attempted)),
            ("returned_call_ids", texts(checkpoint.returned)),
            ("pending_items", Json::List(pending)),
            (
                "returned_outputs",
                Json::List(if is_pending { self.returned.clone() } else { vec![] }),
            ),
            ("final_response", if is_final { json("{}") } else { Json::Null }),
        ])
    }
}

impl Model {
    /// The response before, its outputs in output order, then the texts.
    fn commit(&mut self) {
        let items = std::mem::take(&mut self.items);
        let calls: Vec<String> = items.iter().filter_map(call_of).map(str::to_owned).collect();
        self.history.extend(items.into_iter().map(Expected::Item));
        for call_id in calls {
            let expected = match self.answers.remove(&call_id) {
                Some(approve @ Json::Bool(_)) => Expected::Item(object([
                    ("type", text("mcp_approval_response")),
                    ("approval_request_id", text(&call_id)),
                    ("approve", approve),
                ])),
                Some(output) => Expected::Item(object([
                    ("type", text("function_call_output")),
                    ("call_id", text(&call_id)),
                    ("output", output),
                ])),
                None => Expected::Output(call_id),
            };
            self.history.push(expected);
        }
        self.history.extend(std::mem::take(&mut self.texts).into_iter().map(Expected::Item));
    }

    fn check(&self, history: &[Json<'static>]) {
        assert_eq!(self.history.len(), history.len(), "each change is told once");
        for (expected, item) in self.history.iter().zip(history) {
            match expected {
                Expected::Item(expected) => assert!(expected == item, "another item"),
                Expected::Output(call_id) => assert_eq!(answered(item), call_id),
            }
        }
    }
}

fn check_receipts(outcome: &RunOutcome<'_>) {
    let attempted: BTreeSet<&String> = outcome.attempted.iter().collect();
    let completed: BTreeSet<&String> = outcome.completed.iter().collect();
    assert_eq!(attempted.len(), outcome.attempted.len(), "each call is begun once");
    assert_eq!(completed.len(), outcome.completed.len(), "each call is completed once");
    assert!(completed.is_subset(&attempted));
}

fn is_effect(ask: &Ask<'_>) -> bool {
    matches!(
        ask,
        Ask::CallFunction(_) | Ask::Act { .. } | Ask::ActOnComputer { .. } | Ask::ApproveMcp { .. }
    )
}

/// The call that an item asks for.
fn call_of<'j>(item: &'j Json<'static>) -> Option<&'j str> {
    match item.field("type").and_then(Json::as_str)? {
        "function_call" | "computer_call" => item.field("call_id")?.as_str(),
        "mcp_approval_request" => item.field("id")?.as_str(),
        _ => None,
    }
}

/// The call that an item answers.
fn answered<'j>(item: &'j Json<'static>) -> &'j str {
    let id = item.field("call_id").or_else(|| item.field("approval_request_id"));
    id.and_then(Json::as_str).expect("an output names its call")
}

/// The items that a request carries.
pub fn projected(history: &[Json<'static>], projection: Option<&Projection>) -> Vec<Json<'static>> {
    let Some(projection) = projection else { return history.to_vec() };
    let mut items = Vec::new();
    for part in &projection.parts {
        match part {
            ProjectionPart::Items(range) => items.extend_from_slice(&history[range.clone()]),
            ProjectionPart::UserText(words) => items.push(user_message(text(words))),
        }
    }
    items
}

pub fn user_message(content: Json<'static>) -> Json<'static> {
    object([("role", text("user")), ("content", content)])
}

fn as_replayed(item: &Json<'static>) -> Json<'static> {
    let kind = item.field("type").and_then(Json::as_str).unwrap_or_default();
    let Json::Object(fields) = item else { return item.clone() };
    Json::Object(fields.iter().filter(|(name, _)| is_replayed(kind, name)).cloned().collect())
}
