//! Sequences of responses, events and host actions against one run.

use std::collections::VecDeque;

use arbitrary::Arbitrary;
use swingbridge_core::computer::ComputerOptions;
use swingbridge_core::json::{Json, Text};
use swingbridge_core::runner::{
    AdmissionError, FunctionDeclaration, ModelResponse, Phase, RunMachine, RunOptions, RunPlan,
    RunnerTools, StreamEvent,
};
use swingbridge_core::{Answer, Ask, AskId, Misuse, Reply, Stop};

use super::call::{Act, How, everything, good_answer};
use super::item::{Edit, Item, Sheet, events, json, object, text};
use super::value::Tree;
use super::world::{Noted, Saved, World, user_message};

/// One run, what the model answers and what the host does.
#[derive(Arbitrary, Clone, Debug)]
pub struct RunScript {
    pub setup: Setup,
    pub responses: Vec<Vec<Item>>,
    /// What happens to the stream of each response.
    pub edits: Vec<Vec<Edit>>,
    pub turns: Vec<TurnAct>,
    pub acts: Vec<Act>,
}

/// What the caller gives.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Arbitrary, Clone, Debug)]
pub struct Setup {
    pub max_steps: u8,
    pub observed: bool,
    pub streams: bool,
    pub eager: bool,
    pub most_started: u8,
    pub finishes_at_limit: bool,
    pub has_ledger: bool,
    /// Hundreds of bytes.
    pub budget: Option<u8>,
    pub has_mcp: bool,
    pub imports_approval: bool,
    pub reviews_early: bool,
    pub delivers_events: bool,
    pub yields_turns: bool,
}

/// What who iterates does at a turn.
#[derive(Arbitrary, Clone, Debug)]
pub struct TurnAct {
    pub supplies: bool,
    pub tree: Option<Tree>,
    pub text: Option<String>,
    pub closes: bool,
}

/// How a run ended.
#[derive(Debug, PartialEq)]
pub enum End {
    Finished,
    Stopped(Stop),
    Closed,
}

impl Setup {
    fn params(&self) -> Json<'static> {
        let tools = if self.has_mcp { r#"[{"type":"mcp","server_label":"s"}]"# } else { "[]" };
        let mut input = vec![user_message(text("hi"))];
        if self.has_mcp && self.imports_approval {
            input.push(json(
                r#"{"type":"mcp_approval_request","id":"given","server_label":"s","name":"t",
                    "arguments":"{}"}"#,
            ));
            input.push(json(
                r#"{"type":"mcp_approval_response","approval_request_id":"given","approve":true}"#,
            ));
        }
        object([("input", Json::List(input)), ("tools", json(tools))])
    }

    fn admit(
        &self,
        params: &Json<'static>,
        checkpoint: Option<&Json<'static>>,
    ) -> Result<RunPlan, AdmissionError> {
        let lookup = json(r#"{"type":"function","name":"lookup"}"#);
        let beside = json(r#"{"type":"function","name":"beside"}"#);
        let declare = |tool, is_independent| FunctionDeclaration {
            tool,
            allows_override: true,
            is_independent,
        };
        let functions = [declare(&lookup, false), declare(&beside, true)];
        let tools = RunnerTools::new(Some(everything(&[])), &functions)?.with_computer();
        let mut ledger = object([("run_id", text("run"))]);
        if let (Json::Object(fields), Some(checkpoint)) = (&mut ledger, checkpoint) {
            fields.push(("resume_from".into(), checkpoint.clone()));
        }
        let options = RunOptions {
            max_steps: Json::Int(self.most_steps()),
            stream: Json::Bool(self.streams),
            eager: Json::Bool(self.eager && self.streams),
            max_concurrent_calls: Json::from(self.most_started()),
            finish_at_limit: Json::Bool(self.finishes_at_limit),
            ledger: self.has_ledger.then_some(ledger),
            context_budget: self.most_bytes().map(|bytes| {
                object([
                    ("max_input_bytes", Json::from(bytes)),
                    ("max_input_images", Json::Int(4)),
                    ("compact", Json::Foreign),
                ])
            }),
            tools: Json::List(vec![lookup.clone(), beside.clone()]),
            approves_mcp: true,
            reviews_early: self.reviews_early,
            delivers_events: self.delivers_events,
            yields_turns: self.yields_turns,
        };
        let mut plan = tools.admit(params, &options)?;
        plan.set_computer_options(ComputerOptions {
            approves_safety_checks: true,
            reviews_actions: true,
            observed: self.observed,
        });
        Ok(plan)
    }

    fn most_steps(&self) -> i64 {
        i64::from(self.max_steps % 8) + 1
    }

    fn most_started(&self) -> usize {
        usize::from(self.most_started % 4) + 1
    }

    fn most_bytes(&self) -> Option<u64> {
        self.budget.map(|hundreds| u64::from(hundreds) * 100 + 300)
    }
}

impl RunScript {
    /// Whatever happens: a typed result, each effect at most once and told of in time, receipts and a
    /// history that are true, an end.
    pub fn check(&self) {
        self.run(None);
    }

    /// Lets a run with a ledger go well, then goes on from each of its boundaries: the same is asked
    /// of the model and done outside as without the break.
    pub fn check_resumption(&self) {
        let script = self.going_well();
        let (whole, end) = script.run(None);
        for saved in whole.saves.iter().filter(|saved| saved.phase == Phase::Boundary) {
            let (resumed, resumed_end) = script.run(Some(saved));
            let at = saved.items().len();
            let consumed = saved.checkpoint.field("consumed_requests").and_then(Json::as_int);
            if let Some(step) = resumed.steps.first() {
                let before = i64::try_from(step - 1).ok();
                assert_eq!(before, consumed, "requests are counted on");
            }
            let expected = whole.requests.iter().skip(saved.responses);
            for (expected, request) in expected.zip(&resumed.requests) {
                let mut request = request.clone();
                request.remove(at);
                assert!(*expected == request, "another request after a break");
            }
            // A break costs a request: nobody knows whether the last one was sent.
            if resumed_end != End::Stopped(Stop::StepLimit) {
                assert_eq!(resumed.effects, whole.effects[saved.effects..]);
                assert_eq!(resumed_end, end);
            }
        }
    }

    /// A run with a ledger that nobody disturbs, and in which each turn is the same.
    fn going_well(&self) -> Self {
        let setup = Setup {
            max_steps: 7,
            has_ledger: true,
            budget: None,
            imports_approval: false,
            finishes_at_limit: false,
            ..self.setup.clone()
        };
        let supplies = self.turns.first().is_some_and(|turn| turn.supplies);
        let turn = TurnAct { supplies, tree: None, text: None, closes: false };
        Self { setup, acts: Vec::new(), turns: vec![turn; 16], ..self.clone() }
    }

    fn run(&self, from: Option<&Saved>) -> (World, End) {
        let resumed = from.map(|saved| (&saved.checkpoint, saved.responses));
        self.try_run(resumed).expect("a run that is admitted")
    }

    /// Goes on from a checkpoint after which so many responses have come, or begins.
    fn try_run(
        &self,
        from: Option<(&Json<'static>, usize)>,
    ) -> Result<(World, End), AdmissionError> {
        let mut params = self.setup.params();
        let mut history = params.field("input").and_then(Json::as_list).expect("items").to_vec();
        if let Some((checkpoint, _)) = from {
            let now = vec![user_message(text("now"))];
            let tools = params.field("tools").expect("tools").clone();
            params = object([("input", Json::List(now.clone())), ("tools", tools)]);
            let items = checkpoint.field("history").and_then(Json::as_list);
            history = [items.unwrap_or_default(), &now].concat();
        }
        let plan = self.setup.admit(&params, from.map(|(checkpoint, _)| checkpoint))?;
        let mut world = World::new(history);
        world.has_ledger = self.setup.has_ledger;
        world.observed = self.setup.observed;
        world.most_started = self.setup.most_started();
        world.most_bytes = self.setup.most_bytes();
        let revision = from.and_then(|(checkpoint, _)| checkpoint.field("revision")?.as_int());
        world.revision = revision.and_then(|revision| u64::try_from(revision).ok()).unwrap_or(0);
        let mut driver = Driver {
            setup: &self.setup,
            answers: Answers::new(self, from.map_or(0, |(_, responses)| responses)),
            acts: self.acts.iter(),
            turns: self.turns.iter(),
        };
        let end = driver.drive(RunMachine::begin(plan, self.setup.observed, 0, false), &mut world);
        Ok((world, end))
    }
}

/// A checkpoint that somebody changed.
#[derive(Arbitrary, Clone, Debug)]
pub struct CheckpointScript {
    pub run: RunScript,
    pub save: u8,
    pub changes: Vec<(u8, Change)>,
}

/// What became of a field.
#[derive(Arbitrary, Clone, Debug)]
pub enum Change {
    Gone,
    Other(Tree),
    /// Of a list: an item more, one less, or one changed.
    More(Tree),
    Less(u8),
    Item(u8, Tree),
}

impl CheckpointScript {
    /// A checkpoint is refused, or a run goes on from it and keeps the law.
    pub fn check(&self) {
        let script = self.run.going_well();
        let (whole, _) = script.run(None);
        let Some(saved) = whole.saves.get(usize::from(self.save) % whole.saves.len().max(1)) else {
            return;
        };
        let Json::Object(mut fields) = saved.checkpoint.clone() else { return };
        for (field, change) in &self.changes {
            if fields.is_empty() {
                break;
            }
            let at = usize::from(*field) % fields.len();
            match change {
                Change::Gone => drop(fields.remove(at)),
                Change::Other(tree) => fields[at].1 = tree.to_json(),
                change => change.apply(&mut fields[at].1),
            }
        }
        // What the model answers then does not fit as a rule; that is for the run to find out.
        let script =
            Self { run: RunScript { acts: self.run.acts.clone(), ..script }, ..self.clone() };
        let _ = script.run.try_run(Some((&Json::Object(fields), saved.responses)));
    }
}

impl Change {
    fn apply(&self, value: &mut Json<'static>) {
        let Json::List(items) = value else { return };
        match self {
            Self::More(tree) => items.push(tree.to_json()),
            Self::Less(at) if !items.is_empty() => {
                drop(items.remove(usize::from(*at) % items.len()));
            }
            Self::Item(at, tree) if !items.is_empty() => {
                let at = usize::from(*at) % items.len();
                items[at] = tree.to_json();
            }
            _ => {}
        }
    }
}

struct Driver<'s> {
    setup: &'s Setup,
    answers: Answers<'s>,
    acts: std::slice::Iter<'s, Act>,
    turns: std::slice::Iter<'s, TurnAct>,
}

impl Driver<'_> {
    fn drive(&mut self, mut machine: RunMachine, world: &mut World) -> End {
        let mut performed = None;
        for _ in 0..8_192 {
            let id = machine.ask_id();
            if performed != Some(id) {
                world.perform(&machine);
                if let Ask::Send(request) = machine.ask() {
                    let most = self.setup.most_steps();
                    assert!(i64::try_from(request.step).is_ok_and(|step| step <= most));
                }
                performed = Some(id);
                if matches!(machine.ask(), Ask::Turn(_)) && self.act_at_turn(&mut machine, world) {
                    return End::Closed;
                }
            }
            match machine.ask() {
                Ask::Finished(_) => return end(&mut machine, End::Finished),
                Ask::Stopped(stop) => {
                    let stop = End::Stopped(*stop);
                    return end(&mut machine, stop);
                }
                _ => self.answer(id, &mut machine, world),
            }
        }
        panic!("no end after many answers")
    }

    fn answer(&mut self, id: AskId, machine: &mut RunMachine, world: &mut World) {
        let act = self.acts.next();
        if let Some(offset) = act.and_then(|act| act.wrong_id) {
            let given = AskId(id.0.wrapping_add(u64::from(offset) + 1));
            let refused = machine.answer(given, Reply::new(Answer::Seen));
            assert_eq!(refused, Err(Misuse::WrongAsk { given, open: id }));
        }
        let shown = format!("{:?}", machine.ask());
        let answer = match act {
            None | Some(Act { how: How::Well, .. }) => self.answers.answer(&machine.ask(), world),
            Some(act) => act.how.answer(&machine.ask()),
        };
        let cancelled = act.is_some_and(|act| act.cancelled);
        let now = act.map_or(0, |act| u64::from(act.now));
        let noted = Noted::of(&machine.ask(), &answer);
        match machine.answer(id, Reply { answer, cancelled, now }) {
            Ok(()) => {
                assert_eq!(machine.ask_id(), AskId(id.0 + 1));
                world.after(noted, machine);
            }
            Err(misuse) => {
                assert_eq!(misuse, Misuse::WrongKind);
                assert_eq!(machine.ask_id(), id, "the ask is still open");
                assert_eq!(format!("{:?}", machine.ask()), shown);
            }
        }
    }

    /// Whether the iteration is closed.
    fn act_at_turn(&mut self, machine: &mut RunMachine, world: &mut World) -> bool {
        let Some(act) = self.turns.next() else { return false };
        if let Some(tree) = &act.tree {
            let outputs = tree.to_json();
            if let Ok(call_ids) = machine.supply_outputs(&outputs) {
                world.supplied(&call_ids, &outputs);
            }
        }
        if act.supplies {
            let outputs = Json::List(world.open_functions(machine.outcome().attempted));
            if let Ok(call_ids) = machine.supply_outputs(&outputs) {
                assert_eq!(call_ids.len(), outputs.as_list().unwrap_or_default().len());
                world.supplied(&call_ids, &outputs);
            }
        }
        if let Some(words) = &act.text {
            let words = Json::Text(Text::from(words.clone()));
            if machine.append_user_text(&words).is_ok() {
                world.appended(&words);
            }
        }
        act.closes
    }
}

/// At the end nothing is answered or appended any more.
fn end(machine: &mut RunMachine, end: End) -> End {
    let late = machine.answer(machine.ask_id(), Reply::new(Answer::Seen));
    assert_eq!(late, Err(Misuse::Ended));
    assert!(machine.append_user_text(&text("late")).is_err());
    assert!(machine.supply_outputs(&Json::List(Vec::new())).is_err());
    end
}

/// What a model and a host answer if all goes well.
struct Answers<'s> {
    script: &'s RunScript,
    sheet: Sheet,
    /// How many responses were given.
    given: usize,
    events: VecDeque<Json<'static>>,
}

impl<'s> Answers<'s> {
    fn new(script: &'s RunScript, given: usize) -> Self {
        let mut sheet = Sheet::default();
        for items in script.responses.iter().take(given) {
            sheet.response(items);
        }
        Self { script, sheet, given, events: VecDeque::new() }
    }

    fn answer(&mut self, ask: &Ask<'_>, world: &World) -> Answer<'static> {
        match ask {
            Ask::Send(request) => {
                let body = self.respond();
                if !request.streams {
                    return Answer::Response(ModelResponse { body });
                }
                let edits = self.script.edits.get(self.given - 1);
                self.events = events(&body, edits.map_or(&[], Vec::as_slice));
                Answer::Streaming
            }
            Ask::ReadEvent => match self.events.pop_front() {
                Some(body) => Answer::Event(StreamEvent { body }),
                None => Answer::StreamEnded,
            },
            Ask::Measure { from, .. } => Answer::Value(Json::List(world.history[*from..].to_vec())),
            other => good_answer(other),
        }
    }

    /// The next response; after the last one a final message.
    fn respond(&mut self) -> Json<'static> {
        self.given += 1;
        let last = vec![Item::Message];
        self.sheet.response(self.script.responses.get(self.given - 1).unwrap_or(&last))
    }
}
