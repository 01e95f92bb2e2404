//! Sequences of responses and host actions against one run.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use arbitrary::Arbitrary;
use swingbridge_core::json::{Json, parse};
use swingbridge_core::runner::{
    FunctionDeclaration, ModelResponse, RunMachine, RunOptions, RunnerTools,
};
use swingbridge_core::{Answer, Ask, AskId, Misuse, Reply};

use super::call::{Act, How, everything, good_answer};
use super::value::Tree;

/// One run, what the model answers and what the host does.
#[derive(Arbitrary, Clone, Debug)]
pub struct RunScript {
    pub max_steps: u8,
    pub observed: bool,
    pub responses: Vec<Vec<Item>>,
    pub acts: Vec<Act>,
}

/// One item of a response. Ids are few, so that they repeat.
#[derive(Arbitrary, Clone, Debug)]
pub enum Item {
    Message,
    Lookup(u8),
    BadArguments(u8),
    Click(u8),
    Read(u8),
    Other(Tree),
}

impl Item {
    fn to_json(&self) -> Json<'static> {
        let call = |id: u8, name: &str, arguments: &str| {
            let mut json = String::new();
            let _ = write!(
                json,
                r#"{{"type":"function_call","id":"i{id}","call_id":"c{id}","name":"{name}","#
            );
            let _ = write!(json, r#""arguments":{}}}"#, quoted(arguments));
            json
        };
        let json = match self {
            Self::Message => r#"{"type":"message","id":"m","role":"assistant",
                "status":"completed","content":[]}"#
                .to_owned(),
            Self::Lookup(id) => call(*id, "lookup", "{}"),
            Self::BadArguments(id) => call(*id, "lookup", "[]"),
            Self::Click(id) => call(*id, "browser_click", r#"{"target":"e","tab_id":null}"#),
            Self::Read(id) => call(*id, "browser_read_page", r#"{"tab_id":null,"filter":"all"}"#),
            Self::Other(tree) => return tree.to_json(),
        };
        parse(&json).expect("an item").into_owned()
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}

impl RunScript {
    /// Whatever happens: a typed result, each call at most once, receipts in order, an end.
    pub fn check(&self) {
        let declaration = parse(r#"{"type":"function","name":"lookup"}"#).expect("a tool");
        let lookup = FunctionDeclaration {
            tool: &declaration,
            allows_override: false,
            is_independent: false,
        };
        let tools = RunnerTools::new(Some(everything(&[])), &[lookup]).expect("tools");
        let max_steps = i64::from(self.max_steps % 8) + 1;
        let params = parse(r#"{"input":"hi"}"#).expect("params");
        let options = RunOptions { max_steps: Json::Int(max_steps), ..RunOptions::default() };
        let plan = tools.admit(&params, &options).expect("a plan");
        let mut machine = RunMachine::begin(plan, self.observed, 0, false);
        let mut responses = self.responses.iter();
        let mut acts = self.acts.iter();
        let mut called = BTreeSet::new();
        let mut open = None;
        for _ in 0..4_096 {
            let id = machine.ask_id();
            if open != Some(id) {
                note(&machine.ask(), &mut called, max_steps);
            }
            open = Some(id);
            if machine.ask().is_end() {
                break;
            }
            let act = acts.next();
            let answer = match (&machine.ask(), act) {
                (Ask::Send(_), Some(Act { how: How::Well, .. }) | None) => {
                    respond(responses.next())
                }
                (ask, Some(act)) => act.how.answer(ask),
                (ask, None) => good_answer(ask),
            };
            let cancelled = act.is_some_and(|act| act.cancelled);
            let now = act.map_or(0, |act| u64::from(act.now));
            match machine.answer(id, Reply { answer, cancelled, now }) {
                Ok(()) => assert_eq!(machine.ask_id(), AskId(id.0 + 1)),
                Err(misuse) => {
                    assert_eq!(misuse, Misuse::WrongKind);
                    assert_eq!(machine.ask_id(), id);
                }
            }
        }
        assert!(machine.ask().is_end(), "no end after many answers");
        let outcome = machine.outcome();
        let unique: BTreeSet<&String> = outcome.attempted.iter().collect();
        assert_eq!(unique.len(), outcome.attempted.len(), "each call is begun once");
        assert!(outcome.attempted.starts_with(outcome.completed));
        assert!(outcome.attempted.len() - outcome.completed.len() <= 1);
        let late = machine.answer(machine.ask_id(), Reply::new(Answer::Seen));
        assert_eq!(late, Err(Misuse::Ended));
    }
}

fn note(ask: &Ask<'_>, called: &mut BTreeSet<String>, max_steps: i64) {
    match ask {
        Ask::CallFunction(call) => {
            assert!(called.insert(call.call_id.to_owned()), "{} is called twice", call.call_id);
        }
        Ask::Send(request) => {
            assert!(i64::try_from(request.step).is_ok_and(|step| step <= max_steps));
        }
        _ => {}
    }
}

fn respond(items: Option<&Vec<Item>>) -> Answer<'static> {
    let message = vec![Item::Message];
    let items = items.unwrap_or(&message).iter().map(Item::to_json).collect();
    let body = Json::Object(vec![
        ("status".into(), Json::Text("completed".into())),
        ("output".into(), Json::List(items)),
    ]);
    Answer::Response(ModelResponse { body })
}
