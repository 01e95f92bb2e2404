//! A scripted host for runs: it holds the history as a pump does, performs each ask as a scenario
//! says and writes down what it was asked.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;
use swingbridge_core::json::{Json, RawJson};
use swingbridge_core::runner::{
    CallOutput, FunctionCall, HistoryUpdate, ModelResponse, RunMachine, RunPlan, StreamEvent,
    TurnRequest, TurnView, is_replayed,
};
use swingbridge_core::{Answer, Ask, Failure, Reply};

use super::compare::{object, set, text, texts};
use super::computer_host::output_item;
use super::host::Script;
use super::run_host::{functions, put, refused};
use super::run_records::{browser_output, checkpoint_record, request_record, response_events};
use super::run_wire::Mirror;
use super::tags::{Skip, untag};
use super::vectors::Manner;

pub(crate) struct RunHost<'s> {
    pub(crate) input: &'s Value,
    pub(crate) params: &'s Json<'static>,
    pub(crate) tools: &'s Json<'static>,
    pub(crate) script: Script<'s>,
    pub(crate) history: Vec<Json<'static>>,
    /// The items of the response at hand, and the outputs that were made for them.
    pub(crate) items: Vec<Json<'static>>,
    pub(crate) returned: Vec<Json<'static>>,
    /// The items that the open stream completed.
    pub(crate) streamed: BTreeMap<i64, Json<'static>>,
    /// What the request before carried.
    pub(crate) sent: Option<Vec<Json<'static>>>,
    events: VecDeque<Json<'static>>,
    event: Json<'static>,
    requests_made: usize,
    pub(crate) response: Json<'static>,
    function_outputs: BTreeMap<String, Json<'static>>,
    mirror: Mirror,
    requests: Vec<Json<'static>>,
    saves: Vec<Json<'static>>,
    compacts: Vec<Json<'static>>,
    turns: Vec<Json<'static>>,
}

impl<'s> RunHost<'s> {
    pub(crate) fn new(
        input: &'s Value,
        params: &'s Json<'static>,
        tools: &'s Json<'static>,
        manner: Manner,
    ) -> Result<Self, Skip> {
        let browser = input["tools"].get("browser").unwrap_or(&Value::Null);
        let checkpoint = input["options"]["ledger"].get("resume_from");
        let mut history = match checkpoint.map(|from| untag(&from["history"])).transpose()? {
            Some(Json::List(items)) => items,
            _ => Vec::new(),
        };
        match params.field("input") {
            Some(Json::List(items)) => history.extend(items.iter().cloned()),
            Some(prompt) => {
                history.push(object([("role", text("user")), ("content", prompt.clone())]));
            }
            None => {}
        }
        let mut script = Script::new(browser, &input["options"]["cancel_at"], manner);
        script.computer = [&input["tools"]["computer"], &input["options"]];
        let mirror = Mirror::new(params, &history, tools);
        Ok(Self {
            mirror,
            input,
            params,
            tools,
            script,
            history,
            items: Vec::new(),
            returned: Vec::new(),
            streamed: BTreeMap::new(),
            sent: None,
            events: VecDeque::new(),
            event: Json::Null,
            requests_made: 0,
            response: Json::Null,
            function_outputs: BTreeMap::new(),
            requests: Vec::new(),
            saves: Vec::new(),
            compacts: Vec::new(),
            turns: Vec::new(),
        })
    }

    pub(crate) fn drive(mut self, plan: RunPlan) -> Result<Json<'static>, Skip> {
        let mut machine = RunMachine::begin(plan, false, 0, self.script.cancelled);
        let mut closed = false;
        while !machine.ask().is_end() && !closed {
            let answer = if let Ask::Turn(turn) = machine.ask() {
                self.note_turn(&turn);
                closed = self.act_at_turn(&mut machine)?;
                Answer::Seen
            } else {
                let attempted = machine.outcome().attempted.to_vec();
                self.perform(&machine.ask(), &attempted)?
            };
            if !closed {
                let reply = Reply { answer, cancelled: self.script.cancelled, now: 0 };
                machine.answer(machine.ask_id(), reply).expect("the scripted host keeps the law");
            }
        }
        let mut record = self.end_record(&machine, closed);
        set(&mut record, "requests", Json::List(self.requests));
        set(&mut record, "trace", texts(&self.script.trace));
        set(&mut record, "driver_calls", Json::List(self.script.driver_calls));
        set(&mut record, "turns", Json::List(self.turns));
        if !self.saves.is_empty() {
            set(&mut record, "saves", Json::List(self.saves));
        }
        if !self.compacts.is_empty() {
            set(&mut record, "compacts", Json::List(self.compacts));
        }
        if self.input["late_supply"] == true {
            let late = object([("type", text("function_call_output"))]);
            let supply = machine.supply_outputs(&Json::List(vec![late])).is_ok();
            let append = machine.append_user_text(&text("x")).is_ok();
            let late = [("supply_outputs", said(supply)), ("append_user_text", said(append))];
            set(&mut record, "late_supply", object(late));
        }
        Ok(record)
    }

    fn end_record(&self, machine: &RunMachine, closed: bool) -> Json<'static> {
        let id = self.response.field("id").cloned().unwrap_or(Json::Null);
        match machine.ask() {
            _ if closed => {
                let value = object([("final_id", Json::Null), ("closed", Json::Bool(true))]);
                object([("ok", Json::Bool(true)), ("value", value)])
            }
            Ask::Finished(_) => {
                let value = object([("final_id", id), ("closed", Json::Bool(false))]);
                object([("ok", Json::Bool(true)), ("value", value)])
            }
            Ask::Stopped(stop) => {
                let cancelled = self.script.cancelled && stop.is_cancellation();
                let mut record = refused(if cancelled { "cancelled" } else { "run_stops" });
                set(&mut record, "attempted", texts(machine.outcome().attempted));
                set(&mut record, "completed", texts(machine.outcome().completed));
                record
            }
            other => panic!("a run ended with {other:?}"),
        }
    }

    fn perform(&mut self, ask: &Ask<'_>, attempted: &[String]) -> Result<Answer<'static>, Skip> {
        let options = &self.input["options"];
        match ask {
            Ask::Send(request) => self.send(request),
            Ask::ReadEvent => Ok(self.read_event()),
            Ask::DeliverEvent => {
                let kind = self.event.field("type").and_then(Json::as_str).unwrap_or_default();
                self.script.trace.push(format!("event:{kind}"));
                Ok(Answer::Seen)
            }
            Ask::ReviewEarly { call_id } => {
                self.script.trace.push(format!("before_early_call:{call_id}"));
                self.answer_of("before_early_call", &options["before_early_call"])
            }
            Ask::ApproveMcp { id, imported } => {
                self.script.trace.push(format!("approve_mcp:{id}"));
                let answer = self.answer_of("approve_mcp", &options["approve_mcp"])?;
                if let (Answer::Value(decision @ Json::Bool(_)), Some(at)) = (&answer, imported) {
                    set(&mut self.history[at.answer_at], "approve", decision.clone());
                    self.mirror.decide(at.answer_at, &self.history[at.answer_at]);
                }
                Ok(answer)
            }
            Ask::CallFunction(call) | Ask::StartFunction(call) => {
                let answer = self.call_function(call)?;
                if matches!(ask, Ask::StartFunction(_)) { Ok(Answer::Seen) } else { Ok(answer) }
            }
            Ask::AwaitFunction { call_id } => Ok(match self.function_outputs.get(*call_id) {
                Some(output) => Answer::Value(output.clone()),
                None => Answer::Failed(Failure::Untold),
            }),
            Ask::Measure { update, from } => {
                self.apply(*update);
                Ok(Answer::Value(Json::List(self.history[*from..].to_vec())))
            }
            Ask::Save(checkpoint) => {
                self.apply(checkpoint.update);
                self.script.trace.push(format!("save:{}", checkpoint.phase.as_str()));
                self.saves.push(checkpoint_record(self, checkpoint));
                self.script.reach("save");
                let fails = options["ledger"]["raises_at"].as_u64() == Some(checkpoint.revision);
                Ok(if fails { Answer::Failed(Failure::Untold) } else { Answer::Seen })
            }
            Ask::Compact(request) => {
                self.script.trace.push("compact".to_owned());
                let snapshot = request.snapshot;
                let sent = super::run_records::projected(&self.history, request.projection);
                self.compacts.push(object([
                    ("eligible_call_ids", texts(&snapshot.eligible_call_ids)),
                    ("input_bytes", Json::from(snapshot.input_bytes)),
                    ("input_images", Json::from(snapshot.input_images)),
                    ("history_types", super::run_records::kinds(&sent)),
                ]));
                self.script.reach("compact");
                self.decide(&snapshot.eligible_call_ids)
            }
            other => {
                self.script.wire_call = self.running_call(attempted);
                self.script.perform(other)
            }
        }
    }

    /// What a callback returns whose answer is looked at whole.
    fn answer_of(&mut self, callback: &str, behaviours: &Value) -> Result<Answer<'static>, Skip> {
        let step = self.script.reach(callback);
        let behaviour = match behaviours.as_array() {
            Some(list) => &list[step.min(list.len() - 1)],
            None => behaviours,
        };
        match behaviour.get("raises") {
            Some(kind) => self.script.play(&serde_json::json!({ "$raises": kind })),
            None => self.script.play(&behaviour["returns"]),
        }
    }

    fn decide(&mut self, eligible: &[String]) -> Result<Answer<'static>, Skip> {
        let script = &self.input["options"]["context_budget"]["compact"];
        if let Some(kind) = script.get("raises") {
            return self.script.play(&serde_json::json!({ "$raises": kind }));
        }
        if let Some(decision) = script.get("decision") {
            return self.script.play(decision);
        }
        let drop = match &script["drop"] {
            Value::Number(count) => {
                let count = count.as_u64().and_then(|count| usize::try_from(count).ok());
                texts(&eligible[..count.expect("a count").min(eligible.len())])
            }
            Value::Array(_) => untag(&script["drop"])?,
            _ => texts(eligible),
        };
        let mut decision = object([("drop_call_ids", drop)]);
        if let Some(summary) = script.get("summary") {
            set(&mut decision, "summary", untag(summary)?);
        }
        Ok(Answer::Value(decision))
    }

    /// The item of the call that was begun last.
    fn running_call(&self, attempted: &[String]) -> Json<'static> {
        let is_running = |item: &&Json<'static>| {
            attempted.last().map(String::as_str) == item.field("call_id").and_then(Json::as_str)
        };
        let mut items = self.items.iter().chain(self.streamed.values());
        items.find(is_running).expect("the running call").clone()
    }

    fn apply(&mut self, update: HistoryUpdate<'_>) {
        self.mirror.update(update);
        for output in update.outputs {
            let item = self.call_output(output);
            self.returned.push(item);
        }
        if update.commits {
            self.history.append(&mut self.items);
            self.history.append(&mut self.returned);
        }
        for words in update.texts {
            let content = Json::Text(words.clone());
            self.history.push(object([("role", text("user")), ("content", content)]));
        }
    }

    fn send(&mut self, request: &TurnRequest<'_>) -> Result<Answer<'static>, Skip> {
        self.apply(request.update);
        self.script.trace.push("request".to_owned());
        let record = request_record(self, request);
        self.mirror.check(request, self.sent.as_deref().unwrap_or_default());
        self.requests.push(record);
        self.requests_made += 1;
        self.script.reach("request");
        let number = self.requests_made - 1;
        let body = match self.input["responses"].get(number) {
            Some(body) if body.get("http_status").is_none() => untag(body)?,
            // A failed request, or one more than the scenario has answers for.
            _ => return Ok(Answer::Failed(Failure::Untold)),
        };
        if request.streams {
            self.streamed.clear();
            let given = self.input["streams"].get(number).filter(|events| events.is_array());
            self.events = match given {
                Some(events) => match untag(events)? {
                    Json::List(events) => events.into(),
                    _ => VecDeque::new(),
                },
                None => response_events(&body),
            };
            return Ok(Answer::Streaming);
        }
        Ok(Answer::Response(ModelResponse { body: self.take(body) }))
    }

    /// Keeps a response, as a pump does.
    fn take(&mut self, body: Json<'static>) -> Json<'static> {
        let items = body.field("output").and_then(Json::as_list).unwrap_or_default();
        self.items = items.iter().cloned().map(as_replayed).collect();
        self.mirror.take_response(&body);
        self.response = body.clone();
        self.streamed.clear();
        body
    }

    fn read_event(&mut self) -> Answer<'static> {
        let Some(event) = self.events.pop_front() else { return Answer::StreamEnded };
        self.event = event.clone();
        match event.field("type").and_then(Json::as_str) {
            Some("response.output_item.done") => {
                let index = event.field("output_index").and_then(Json::as_int).unwrap_or(-1);
                let item = event.field("item").cloned().unwrap_or(Json::Null);
                self.streamed.insert(index, as_replayed(item));
            }
            Some("response.completed") => {
                let response = event.field("response").cloned().unwrap_or(Json::Null);
                self.take(response);
            }
            _ => {}
        }
        Answer::Event(StreamEvent { body: event })
    }

    fn call_output(&mut self, output: &CallOutput) -> Json<'static> {
        let (call_id, output) = match output {
            CallOutput::Computer(output) => return output_item(output),
            CallOutput::Mcp { request_id, approve } => {
                return object([
                    ("type", text("mcp_approval_response")),
                    ("approval_request_id", text(request_id)),
                    ("approve", Json::Bool(*approve)),
                ]);
            }
            CallOutput::Browser(output) => (output.call_id.clone(), browser_output(output)),
            CallOutput::Function { call_id } => {
                let held = self.function_outputs.get(call_id);
                (call_id.clone(), held.expect("the host holds the output").clone())
            }
        };
        object([
            ("type", text("function_call_output")),
            ("call_id", text(&call_id)),
            ("output", output),
        ])
    }

    fn call_function(&mut self, call: &FunctionCall<'_>) -> Result<Answer<'static>, Skip> {
        self.script.trace.push(format!("function:{}", call.name));
        let arguments = RawJson::parse(call.arguments).expect("the core checked the arguments");
        self.script.driver_calls.push(object([
            ("function", text(call.name)),
            ("arguments", as_a_host_parses(arguments)),
        ]));
        self.script.reach("function");
        let function = functions(self.input).nth(call.index).expect("a registered function");
        assert_eq!(function["name"], call.name);
        let answer = match function.get("behaviour") {
            None => Answer::Value(text("done")),
            Some(behaviour) => match behaviour.get("raises") {
                Some(kind) => self.script.play(&serde_json::json!({ "$raises": kind }))?,
                None => self.script.play(&behaviour["returns"])?,
            },
        };
        if let Answer::Value(value) = &answer {
            self.mirror.keep(call.call_id, value);
            self.function_outputs.insert(call.call_id.to_owned(), value.clone());
        }
        Ok(answer)
    }

    fn note_turn(&mut self, turn: &TurnView<'_>) {
        self.script.trace.push("turn".to_owned());
        self.turns.push(object([
            ("step", Json::Int(i64::try_from(turn.step).expect("a small step"))),
            ("final", Json::Bool(turn.is_final)),
            ("tools_executed", Json::Bool(turn.tools_executed)),
            ("attempted", texts(turn.attempted)),
            ("completed", texts(turn.completed)),
            ("response_id", self.response.field("id").expect("an id").clone()),
        ]));
        self.script.reach("turn");
    }

    /// Does what the scenario does at this turn; whether it closes the iterator there.
    fn act_at_turn(&mut self, machine: &mut RunMachine) -> Result<bool, Skip> {
        let actions = &self.input["turn_actions"][self.turns.len() - 1];
        let turn = self.turns.last_mut().expect("a turn");
        if let Some(attempts) = actions["supply_outputs"].as_array() {
            let mut outcomes = Vec::new();
            for outputs in attempts {
                let outputs = untag(outputs)?;
                let supplied = machine.supply_outputs(&outputs);
                for call_id in supplied.iter().flatten() {
                    let items = outputs.as_list().unwrap_or_default().iter();
                    let mut given = items.filter(|item| {
                        item.field("call_id").and_then(Json::as_str) == Some(call_id)
                    });
                    let output = given.next().and_then(|item| item.field("output"));
                    let output = output.expect("an accepted output").clone();
                    self.mirror.keep(call_id, &output);
                    self.function_outputs.insert(call_id.clone(), output);
                }
                outcomes.push(said(supplied.is_ok()));
            }
            set(turn, "supply", Json::List(outcomes));
        }
        if let Some(attempts) = actions["append_user_text"].as_array() {
            let mut outcomes = Vec::new();
            for words in attempts {
                outcomes.push(said(machine.append_user_text(&untag(words)?).is_ok()));
            }
            set(turn, "append", Json::List(outcomes));
        }
        Ok(actions["close"] == true)
    }
}

fn said(accepted: bool) -> Json<'static> {
    text(if accepted { "accepted" } else { "refused" })
}

fn as_replayed(item: Json<'static>) -> Json<'static> {
    let kind = item.field("type").and_then(Json::as_str).unwrap_or_default().to_owned();
    let Json::Object(mut fields) = item else { return item };
    fields.retain(|(name, _)| is_replayed(&kind, name));
    Json::Object(fields)
}

/// As both hosts parse: the last of equal names counts, and a number too large is infinite.
fn as_a_host_parses(raw: RawJson<'_>) -> Json<'static> {
    if let Some(text) = raw.as_text() {
        return Json::Text(text.into_owned());
    }
    if let Some(items) = raw.as_list() {
        return Json::List(items.into_iter().map(as_a_host_parses).collect());
    }
    if let Some(fields) = raw.as_object() {
        let mut object = Json::Object(Vec::new());
        for (name, value) in fields {
            put(&mut object, &name, Some(as_a_host_parses(value)));
        }
        return object;
    }
    match (raw.as_bool(), raw.as_int()) {
        (Some(value), _) => Json::Bool(value),
        (_, Some(value)) => Json::Int(value),
        _ if raw.is_null() => Json::Null,
        _ => Json::Float(raw.text().parse().expect("a number")),
    }
}
