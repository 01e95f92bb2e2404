//! Whole runs told as scenarios: a script for the model and the callbacks, virtual time, and every ask
//! written down as a word or two.

use std::collections::VecDeque;

use swingbridge_core::computer::ComputerOptions;
use swingbridge_core::diagnostic::Diagnostic;
use swingbridge_core::json::Json;
use swingbridge_core::runner::{
    AdmissionError, FunctionDeclaration, ModelResponse, RunMachine, RunOptions, RunPlan,
    RunnerTools, StreamEvent,
};
use swingbridge_core::{Answer, Ask, Failure, Reply, Stop};

use super::compare::parsed;
use super::drive::everything;
use super::fuzz::call::good_answer;
use super::fuzz::item::events;
use super::fuzz::world::{Noted, World, user_message};

/// How much time passes with each answer.
pub(crate) const TICK: u64 = 10;

/// `lookup`, `note` whose outputs the caller may supply, and `beside` and `along` that are
/// independent; all members of the browser, and a computer.
pub(crate) fn stage_tools(early: &str) -> RunnerTools {
    let names = ["lookup", "note", "beside", "along"];
    let tools = names.map(|name| parsed(&format!(r#"{{"type":"function","name":"{name}"}}"#)));
    let declared: Vec<FunctionDeclaration<'_>> = names
        .iter()
        .zip(&tools)
        .map(|(name, tool)| FunctionDeclaration {
            tool,
            allows_override: *name == "note",
            is_independent: matches!(*name, "beside" | "along"),
        })
        .collect();
    RunnerTools::new(Some(everything()), &declared)
        .expect("tools")
        .with_computer()
        .with_early_execution(&parsed(early))
        .expect("tools that may run early")
}

/// Replies that differ from a good one, by the word for the ask.
type Replies<'s> = dyn FnMut(&str) -> Option<Reply<'static>> + 's;
/// What who iterates does at a turn of this step; true closes the iteration.
type Turns<'s> = dyn FnMut(&mut RunMachine, &mut World, u64) -> bool + 's;

/// A scenario.
pub(crate) struct Stage<'s> {
    early: &'static str,
    params: Json<'static>,
    pub(crate) options: RunOptions<'static>,
    observed: bool,
    responses: VecDeque<Json<'static>>,
    streams: VecDeque<VecDeque<Json<'static>>>,
    /// The events to come of the open stream.
    open: VecDeque<Json<'static>>,
    reply: Box<Replies<'s>>,
    turn: Box<Turns<'s>>,
}

/// What a scenario came to.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) trace: Vec<String>,
    pub(crate) records: Vec<Diagnostic>,
    pub(crate) world: World,
    pub(crate) attempted: Vec<String>,
    pub(crate) completed: Vec<String>,
    /// `None` if the iteration was closed.
    pub(crate) end: Option<Result<(), Stop>>,
}

impl<'s> Stage<'s> {
    /// The model gives these responses in turn.
    pub(crate) fn new(responses: Vec<Json<'static>>) -> Self {
        Self {
            early: "null",
            params: parsed(r#"{"input":[{"role":"user","content":"hi"}]}"#),
            options: RunOptions { approves_mcp: true, ..RunOptions::default() },
            observed: false,
            responses: responses.into(),
            streams: VecDeque::new(),
            open: VecDeque::new(),
            reply: Box::new(|_| None),
            turn: Box::new(|_, _, _| false),
        }
    }

    pub(crate) fn params(self, params: &str) -> Self {
        Self { params: parsed(params), ..self }
    }

    pub(crate) fn streaming(mut self, eager: bool) -> Self {
        self.options.stream = Json::Bool(true);
        self.options.eager = Json::Bool(eager);
        self
    }

    pub(crate) fn early(self, early: &'static str) -> Self {
        Self { early, ..self }
    }

    pub(crate) fn at_most(mut self, max_steps: i64) -> Self {
        self.options.max_steps = Json::Int(max_steps);
        self
    }

    pub(crate) fn ledger(mut self, ledger: Json<'static>) -> Self {
        self.options.ledger = Some(ledger);
        self.options.tools = parsed("[]");
        self
    }

    pub(crate) fn observed(self) -> Self {
        Self { observed: true, ..self }
    }

    /// The events of the streams in the place of those that a service sends.
    pub(crate) fn streams(self, streams: Vec<VecDeque<Json<'static>>>) -> Self {
        Self { streams: streams.into(), ..self }
    }

    /// Replies that differ from a good one, by the word for the ask.
    pub(crate) fn reply(self, reply: impl FnMut(&str) -> Option<Reply<'static>> + 's) -> Self {
        Self { reply: Box::new(reply), ..self }
    }

    /// What who iterates does at a turn of this step; true closes the iteration.
    pub(crate) fn turns(
        mut self,
        turn: impl FnMut(&mut RunMachine, &mut World, u64) -> bool + 's,
    ) -> Self {
        self.options.yields_turns = true;
        Self { turn: Box::new(turn), ..self }
    }

    fn admit(&self) -> Result<RunPlan, AdmissionError> {
        let mut plan = stage_tools(self.early).admit(&self.params, &self.options)?;
        plan.set_computer_options(ComputerOptions {
            approves_safety_checks: false,
            reviews_actions: false,
            observed: self.observed,
        });
        Ok(plan)
    }

    pub(crate) fn refusal(&self) -> AdmissionError {
        self.admit().expect_err("a refusal")
    }

    fn world(&self) -> World {
        let ledger = self.options.ledger.as_ref();
        let checkpoint = ledger.and_then(|ledger| ledger.field("resume_from"));
        let saved = checkpoint.and_then(|checkpoint| checkpoint.field("history")?.as_list());
        let mut history = saved.unwrap_or_default().to_vec();
        match self.params.field("input") {
            Some(Json::List(items)) => history.extend(items.iter().cloned()),
            Some(words) => history.push(user_message(words.clone())),
            None => {}
        }
        let mut world = World::new(history);
        world.has_ledger = ledger.is_some();
        world.observed = self.observed;
        let count = |value: Option<i64>| value.and_then(|count| u64::try_from(count).ok());
        let revision = checkpoint.and_then(|checkpoint| checkpoint.field("revision")?.as_int());
        world.revision = count(revision).unwrap_or(0);
        let most = count(self.options.max_concurrent_calls.as_int()).unwrap_or(1);
        world.most_started = usize::try_from(most).expect("a small limit");
        let budget = self.options.context_budget.as_ref();
        world.most_bytes = count(budget.and_then(|it| it.field("max_input_bytes")?.as_int()));
        world
    }

    pub(crate) fn play(mut self) -> Played {
        let plan = self.admit().expect("an admitted run");
        let mut world = self.world();
        let mut machine = RunMachine::begin(plan, self.observed, 0, false);
        let (mut trace, mut records, mut now) = (Vec::new(), Vec::new(), 0);
        let end = loop {
            world.perform(&machine);
            let told = word(&machine.ask());
            trace.push(told.clone());
            match machine.ask() {
                Ask::Finished(_) => break Some(Ok(())),
                Ask::Stopped(stop) => break Some(Err(*stop)),
                Ask::Emit(record) => records.push(record.clone()),
                Ask::Turn(turn) => {
                    let step = turn.step;
                    if (self.turn)(&mut machine, &mut world, step) {
                        break None;
                    }
                }
                _ => {}
            }
            now += TICK;
            let reply = (self.reply)(&told)
                .unwrap_or_else(|| Reply::new(self.answer(&machine.ask(), &world)));
            let noted = Noted::of(&machine.ask(), &reply.answer);
            machine.answer(machine.ask_id(), Reply { now, ..reply }).expect("a right answer");
            world.after(noted, &machine);
            assert!(trace.len() < 100_000, "a run ends");
        };
        let outcome = machine.outcome();
        let (attempted, completed) = (outcome.attempted.to_vec(), outcome.completed.to_vec());
        Played { trace, records, world, attempted, completed, end }
    }

    fn answer(&mut self, ask: &Ask<'_>, world: &World) -> Answer<'static> {
        match ask {
            Ask::Send(request) => {
                let body = self.responses.pop_front().expect("no more requests than responses");
                if !request.streams {
                    return Answer::Response(ModelResponse { body });
                }
                self.open = self.streams.pop_front().unwrap_or_else(|| events(&body, &[]));
                Answer::Streaming
            }
            Ask::ReadEvent => match self.open.pop_front() {
                Some(body) => Answer::Event(StreamEvent { body }),
                None => Answer::StreamEnded,
            },
            Ask::Measure { from, .. } => Answer::Value(Json::List(world.history[*from..].to_vec())),
            other => good_answer(other),
        }
    }
}

impl Played {
    /// The trace without the reading of events.
    pub(crate) fn words(&self) -> Vec<&str> {
        let is_told = |word: &&str| !matches!(*word, "read" | "deliver");
        self.trace.iter().map(String::as_str).filter(is_told).collect()
    }

    pub(crate) fn at(&self, word: &str) -> usize {
        let found = self.trace.iter().position(|told| told == word);
        found.unwrap_or_else(|| panic!("no {word} in {:?}", self.trace))
    }

    pub(crate) fn records(&self) -> Vec<String> {
        let word =
            |record: &Diagnostic| format!("{}:{}", record.stage.as_str(), record.reason.as_str());
        self.records.iter().map(word).collect()
    }
}

fn word(ask: &Ask<'_>) -> String {
    match ask {
        Ask::ReadState => "state".to_owned(),
        Ask::ReviewUrl { .. } => "policy".to_owned(),
        Ask::Confirm { .. } => "confirm".to_owned(),
        Ask::Act { member, .. } => format!("act {}", member.name()),
        Ask::ApproveSafety { .. } => "safety".to_owned(),
        Ask::ReviewAction { index, .. } => format!("before {index}"),
        Ask::ActOnComputer { index, .. } => format!("computer {index}"),
        Ask::TakeScreenshot => "screenshot".to_owned(),
        Ask::Send(request) if request.withholds_tools => format!("send {} bare", request.step),
        Ask::Send(request) => format!("send {}", request.step),
        Ask::ReadEvent => "read".to_owned(),
        Ask::DeliverEvent => "deliver".to_owned(),
        Ask::ReviewEarly { call_id } => format!("review {call_id}"),
        Ask::CallFunction(call) => format!("call {}", call.call_id),
        Ask::StartFunction(call) => format!("start {}", call.call_id),
        Ask::AwaitFunction { call_id } => format!("await {call_id}"),
        Ask::ApproveMcp { id, imported: None } => format!("approve {id}"),
        Ask::ApproveMcp { id, imported: Some(_) } => format!("again {id}"),
        Ask::Measure { from, .. } => format!("measure {from}"),
        Ask::Compact(_) => "compact".to_owned(),
        Ask::Save(checkpoint) => format!(
            "save {} {}/{}",
            checkpoint.phase.as_str(),
            checkpoint.returned.len(),
            checkpoint.attempted.len()
        ),
        Ask::Turn(turn) if turn.is_final => format!("turn {} final", turn.step),
        Ask::Turn(turn) => format!("turn {}", turn.step),
        Ask::Emit(record) => format!("emit {}", record.stage.as_str()),
        Ask::Finished(_) => "finished".to_owned(),
        Ask::Stopped(stop) => format!("stopped {}", stop.code()),
        other => panic!("no run asks {other:?}"),
    }
}

// What a scenario replies where it replies at all.

#[allow(clippy::unnecessary_wraps, reason = "it stands beside None")]
pub(crate) fn failed() -> Option<Reply<'static>> {
    Some(Reply::new(Answer::Failed(Failure::Untold)))
}

#[allow(clippy::unnecessary_wraps, reason = "it stands beside None")]
pub(crate) fn value(value: Json<'static>) -> Option<Reply<'static>> {
    Some(Reply::new(Answer::Value(value)))
}

/// The answer, and word that the caller has cancelled meanwhile.
#[allow(clippy::unnecessary_wraps, reason = "it stands beside None")]
pub(crate) fn and_cancelled(answer: Answer<'static>) -> Option<Reply<'static>> {
    Some(Reply { cancelled: true, ..Reply::new(answer) })
}
