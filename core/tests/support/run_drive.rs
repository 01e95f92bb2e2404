//! Short ways to drive a run.

use swingbridge_core::browser::Selection;
use swingbridge_core::diagnostic::Diagnostic;
use swingbridge_core::json::Json;
use swingbridge_core::runner::{
    CallOutput, FunctionDeclaration, ModelResponse, RunMachine, RunOptions, RunPlan, RunnerTools,
};
use swingbridge_core::{Answer, Ask, Reply, Stop};

use super::compare::parsed;
use super::drive::{Kind, good_answer, kind};

pub(crate) const MESSAGE: &str = r#"{"type":"message","id":"m1","role":"assistant",
    "status":"completed","content":[{"type":"output_text","text":"done","annotations":[]}]}"#;

pub(crate) const CLICK: &str = r#"{"target":"e1","tab_id":null}"#;
pub(crate) const READ: &str = r#"{"tab_id":null,"filter":"all"}"#;

/// A completed function call; its item id is made from its call id.
pub(crate) fn call(call_id: &str, name: &str, arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).expect("a text");
    format!(
        r#"{{"type":"function_call","id":"item_{call_id}","call_id":"{call_id}","name":"{name}",
            "arguments":{arguments},"status":"completed"}}"#
    )
}

pub(crate) fn lookup(call_id: &str) -> String {
    call(call_id, "lookup", "{}")
}

pub(crate) fn click(call_id: &str) -> String {
    call(call_id, "browser_click", CLICK)
}

pub(crate) fn read(call_id: &str) -> String {
    call(call_id, "browser_read_page", READ)
}

/// A completed response with these items.
pub(crate) fn response<T: AsRef<str>>(items: &[T]) -> Json<'static> {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    parsed(&format!(r#"{{"id":"r","status":"completed","output":[{}]}}"#, items.join(",")))
}

pub(crate) fn last() -> Json<'static> {
    response(&[MESSAGE])
}

pub(crate) fn tools(browser: Option<Selection>, functions: &[&str]) -> RunnerTools {
    let declare = |name: &&str| parsed(&format!(r#"{{"type":"function","name":"{name}"}}"#));
    let declarations: Vec<_> = functions.iter().map(declare).collect();
    let declarations: Vec<_> = declarations
        .iter()
        .map(|tool| FunctionDeclaration { tool, allows_override: false, is_independent: false })
        .collect();
    RunnerTools::new(browser, &declarations).expect("tools")
}

pub(crate) fn plan(tools: &RunnerTools, params: &str, max_steps: i64) -> RunPlan {
    let options = RunOptions { max_steps: Json::Int(max_steps), ..RunOptions::default() };
    tools.admit(&parsed(params), &options).expect("an admitted run")
}

/// A run with a browser with all members and the functions `lookup` and `note`.
pub(crate) fn begin() -> RunMachine {
    begin_with(r#"{"model":"m","input":"hi"}"#, 20)
}

pub(crate) fn begin_with(params: &str, max_steps: i64) -> RunMachine {
    let tools = tools(Some(super::drive::everything()), &["lookup", "note"]);
    RunMachine::begin(plan(&tools, params, max_steps), false, 0, false)
}

/// What a finished run left behind.
#[derive(Debug)]
pub(crate) struct Driven {
    pub(crate) asks: Vec<Kind>,
    pub(crate) records: Vec<Diagnostic>,
    pub(crate) attempted: Vec<String>,
    pub(crate) completed: Vec<String>,
    pub(crate) steps: u64,
    /// The outputs that each request after the first carried.
    pub(crate) outputs: Vec<Vec<Output>>,
    pub(crate) end: Result<(), Stop>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    pub(crate) call_id: String,
    /// The payload of a browser output.
    pub(crate) payload: Option<Json<'static>>,
}

impl Driven {
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.asks.iter().filter(|ask| **ask == kind).count()
    }
}

/// Drives a run to its end; `answer` gets the number of the ask, from 0, and the ask.
pub(crate) fn drive(
    mut machine: RunMachine,
    mut answer: impl FnMut(usize, &Ask<'_>) -> Reply<'static>,
) -> Driven {
    let mut driven = Driven {
        asks: Vec::new(),
        records: Vec::new(),
        attempted: Vec::new(),
        completed: Vec::new(),
        steps: 0,
        outputs: Vec::new(),
        end: Ok(()),
    };
    loop {
        let ask = machine.ask();
        driven.asks.push(kind(&ask));
        match &ask {
            Ask::Finished(_) => break,
            Ask::Stopped(stop) => {
                driven.end = Err(**stop);
                break;
            }
            Ask::Emit(record) => driven.records.push((*record).clone()),
            Ask::Send(request) if request.step > 1 => {
                driven.outputs.push(request.update.outputs.iter().map(Output::of).collect());
            }
            _ => {}
        }
        let reply = answer(driven.asks.len() - 1, &ask);
        let id = machine.ask_id();
        machine.answer(id, reply).expect("the host keeps the law");
        assert!(driven.asks.len() < 512, "a run ends");
    }
    let outcome = machine.outcome();
    driven.attempted = outcome.attempted.to_vec();
    driven.completed = outcome.completed.to_vec();
    driven.steps = outcome.steps;
    driven
}

impl Output {
    fn of(output: &CallOutput) -> Self {
        match output {
            CallOutput::Browser(output) => {
                Self { call_id: output.call_id.clone(), payload: Some(parsed(&output.text)) }
            }
            CallOutput::Function { call_id } => Self { call_id: call_id.clone(), payload: None },
            output => panic!("no run here has {output:?}"),
        }
    }

    pub(crate) fn failed(&self) -> bool {
        let payload = self.payload.as_ref().expect("a browser output");
        payload.field("ok") == Some(&Json::Bool(false))
    }
}

/// Answers requests with these responses in turn and everything else well.
pub(crate) fn host(responses: Vec<Json<'static>>) -> impl FnMut(&Ask<'_>) -> Answer<'static> {
    let mut responses = responses.into_iter();
    move |ask| match ask {
        Ask::Send(_) => {
            let body = responses.next().expect("no more requests than responses");
            Answer::Response(ModelResponse { body })
        }
        other => good_answer(other),
    }
}

/// Drives a run in which the model answers so and everything else goes well.
pub(crate) fn drive_well(machine: RunMachine, responses: Vec<Json<'static>>) -> Driven {
    let mut host = host(responses);
    drive(machine, |_, ask| Reply::new(host(ask)))
}
