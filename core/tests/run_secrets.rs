//! What a caller configured, a user said, a model wrote or a function returned is in no debug text of a
//! whole run, in no error, and no credential is in a checkpoint (R-8, L-4).

#![allow(clippy::expect_used, clippy::panic, reason = "a helper that cannot go on fails its test")]

mod support;

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;

use support::compare::{object, parsed, set, text};
use support::fuzz::call::good_answer;
use support::fuzz::item::events;
use support::fuzz::world::{Noted, World};
use support::run_drive::{call, response};
use support::stage::stage_tools;
use swingbridge_core::computer::ComputerOptions;
use swingbridge_core::json::{Json, parse};
use swingbridge_core::runner::{
    AdmissionError, FunctionDeclaration, ModelResponse, RunMachine, RunOptions, RunnerTools,
    StreamEvent, TurnRefusal,
};
use swingbridge_core::wire::Wire;
use swingbridge_core::{Answer, Ask, Reply};

const SECRET: &str = "hunter2";

fn assert_silent(what: &str, value: &dyn Debug) {
    for text in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(!text.contains(SECRET), "{what} shows a secret: {text}");
    }
}

/// Declarations with a secret wherever a caller may put one.
fn declared_tools() -> Json<'static> {
    parsed(&format!(
        r#"[{{"type":"mcp","server_label":"s","authorization":"{SECRET}",
            "headers":{{"x-key":"{SECRET}","{SECRET}":"y"}},
            "server_url":"https://{SECRET}:{SECRET}@mcp.example/?api_key={SECRET}&sig={SECRET}#{SECRET}"}},
           {{"type":"code_interpreter","container":{{"type":"auto","network_policy":{{
            "type":"allowlist","allowed_domains":["a.example"],
            "domain_secrets":[{{"domain":"a.example","name":"n","value":"{SECRET}"}}]}}}}}}]"#
    ))
}

fn params(with_tools: bool) -> Json<'static> {
    let mut params = parsed(&format!(
        r#"{{"input":[{{"role":"user","content":"{SECRET}"}}],"instructions":"{SECRET}"}}"#
    ));
    if with_tools {
        set(&mut params, "tools", declared_tools());
    }
    params
}

fn responses(with_tools: bool) -> Vec<Json<'static>> {
    let arguments = format!(r#"{{"a":"{SECRET}"}}"#);
    let quoted = serde_json::to_string(&arguments).expect("a text");
    let computer = format!(
        r#"{{"type":"computer_call","id":"i4","call_id":"c4","status":"completed",
            "pending_safety_checks":[{{"id":"s","code":"{SECRET}","message":"{SECRET}"}}],
            "actions":[{{"type":"type","text":"{SECRET}"}}]}}"#
    );
    let typed = format!(r#"{{"text":"{SECRET}","target":"{SECRET}","tab_id":null}}"#);
    let mut items = vec![
        call("c1", "beside", &arguments),
        call("c2", "note", &arguments),
        call("c3", "browser_type", &typed),
        computer,
    ];
    if with_tools {
        items.push(format!(
            r#"{{"type":"mcp_approval_request","id":"ask","server_label":"s","name":"t",
                "arguments":{quoted}}}"#
        ));
    }
    let message = format!(
        r#"{{"type":"message","id":"m","role":"assistant","status":"completed",
            "content":[{{"type":"output_text","text":"{SECRET}","annotations":[]}}]}}"#
    );
    let more = [call("c5", "lookup", &arguments)];
    vec![response(&items), response(&more), response(&[message])]
}

fn answer(ask: &Ask<'_>, world: &World) -> Answer<'static> {
    match ask {
        Ask::CallFunction(_) | Ask::AwaitFunction { .. } => {
            Answer::Value(text(&format!("{SECRET} {}", "x".repeat(900))))
        }
        Ask::TakeScreenshot => Answer::Value(parsed(&format!(
            r#"{{"type":"computer_screenshot","image_url":"data:,{SECRET}"}}"#
        ))),
        Ask::Compact(request) => {
            let ids = request.snapshot.eligible_call_ids.iter().map(|id| text(id));
            let dropped = Json::List(ids.collect());
            Answer::Value(object([("drop_call_ids", dropped), ("summary", text(SECRET))]))
        }
        Ask::Measure { from, .. } => Answer::Value(Json::List(world.history[*from..].to_vec())),
        other => good_answer(other),
    }
}

/// Drives a run; whatever is asked, nothing is shown.
fn drive(with_tools: bool, options: &RunOptions<'_>) -> World {
    let params = params(with_tools);
    let mut plan = stage_tools("null").admit(&params, options).expect("a plan");
    plan.set_computer_options(ComputerOptions {
        approves_safety_checks: true,
        reviews_actions: true,
        observed: true,
    });
    assert_silent("a plan", &plan);
    let mut world =
        World::new(params.field("input").and_then(Json::as_list).expect("items").to_vec());
    world.observed = true;
    world.has_ledger = options.ledger.is_some();
    world.most_started = 2;
    let mut machine = RunMachine::begin(plan, true, 0, false);
    let mut bodies: VecDeque<_> = responses(with_tools).into();
    let mut stream = VecDeque::new();
    loop {
        world.perform(&machine);
        assert_silent("the machine", &machine);
        assert_silent("an ask", &machine.ask());
        let answer = match machine.ask() {
            ask if ask.is_end() => break,
            Ask::Send(request) => {
                let body = bodies.pop_front().expect("a response");
                stream = events(&body, &[]);
                if request.streams {
                    Answer::Streaming
                } else {
                    Answer::Response(ModelResponse { body })
                }
            }
            Ask::ReadEvent => {
                Answer::Event(StreamEvent { body: stream.pop_front().expect("an event") })
            }
            Ask::Turn(turn) => {
                if !turn.is_final {
                    speak(&mut machine, &mut world);
                }
                Answer::Seen
            }
            ref ask => answer(ask, &world),
        };
        assert_silent("an answer", &answer);
        let noted = Noted::of(&machine.ask(), &answer);
        machine.answer(machine.ask_id(), Reply::new(answer)).expect("a right answer");
        world.after(noted, &machine);
    }
    assert!(matches!(machine.ask(), Ask::Finished(_)), "{:?}", machine.ask());
    world
}

fn speak(machine: &mut RunMachine, world: &mut World) {
    machine.append_user_text(&text(SECRET)).expect("an open turn");
    world.appended(&text(SECRET));
    let outputs = parsed(&format!(
        r#"[{{"type":"function_call_output","call_id":"c2","output":"{SECRET}"}}]"#
    ));
    if let Ok(supplied) = machine.supply_outputs(&outputs) {
        world.supplied(&supplied, &outputs);
    }
}

#[test]
fn a_run_shows_nothing_at_any_ask() {
    for streams in [false, true] {
        for ledger in [false, true] {
            for with_tools in [false, true] {
                let options = RunOptions {
                    stream: Json::Bool(streams),
                    eager: Json::Bool(streams),
                    ledger: ledger.then(|| parsed(r#"{"run_id":"r"}"#)),
                    context_budget: Some(object([
                        ("max_input_bytes", Json::Int(3_500)),
                        ("max_input_images", Json::Int(9)),
                        ("compact", Json::Foreign),
                    ])),
                    tools: declared_tools(),
                    approves_mcp: true,
                    reviews_early: true,
                    delivers_events: true,
                    yields_turns: true,
                    ..RunOptions::default()
                };
                let world = drive(with_tools, &options);
                assert_eq!(world.requests.len(), 3);
                assert_eq!(ledger, !world.saves.is_empty());
                for saved in &world.saves {
                    let tools = saved.checkpoint.field("tools").expect("tools");
                    let tools = support::compare::show(tools);
                    assert!(tools.contains("mcp") && tools.contains("a.example"), "{tools}");
                    assert!(!tools.contains(SECRET), "{tools}");
                }
            }
        }
    }
}

#[test]
fn refusals_of_runs_show_nothing() {
    let plain = params(false);
    let with = |name: &'static str, json: &str| {
        let mut params = plain.clone();
        set(&mut params, name, parsed(&json.replace("SECRET", SECRET)));
        params
    };
    let mcp =
        |fields: &str| with("tools", &format!(r#"[{{"type":"mcp","server_label":"s",{fields}}}]"#));
    let refused = |params: &Json<'static>, options: &RunOptions<'_>| {
        let refusal = stage_tools("null").admit(params, options).expect_err("a refusal");
        assert_told(&refusal);
    };
    let options = RunOptions::default();
    for params in [
        with("include", r#"[{"SECRET":1}]"#),
        with("conversation", r#""SECRET""#),
        with("extra_body", r#"{"input":"SECRET"}"#),
        with("tool_choice", r#"{"type":"function","name":"SECRET"}"#),
        mcp(r#""require_approval":"SECRET""#),
        mcp(r#""allowed_tools":"SECRET""#),
        mcp(r#""require_approval":{"never":{"SECRET":[]}}"#),
    ] {
        refused(&params, &options);
    }
    let ledger = |ledger: &str, tools: &str| RunOptions {
        ledger: Some(parsed(&ledger.replace("SECRET", SECRET))),
        tools: parsed(&tools.replace("SECRET", SECRET)),
        ..RunOptions::default()
    };
    for options in [
        ledger(r#""SECRET""#, "[]"),
        ledger(r#"{"run_id":["SECRET"]}"#, "[]"),
        ledger(r#"{"run_id":"r"}"#, r#"[{"type":"mcp","server_url":"SECRET"}]"#),
        ledger(r#"{"run_id":"r"}"#, r#"["SECRET"]"#),
        ledger(r#"{"run_id":"r","resume_from":"SECRET"}"#, "[]"),
        ledger(r#"{"run_id":"r","resume_from":{"SECRET":"SECRET"}}"#, "[]"),
    ] {
        refused(&plain, &options);
    }
    let budget = parsed(r#"{"max_input_bytes":1,"max_input_images":0,"compact":"x"}"#);
    refused(&plain, &RunOptions { context_budget: Some(budget), ..RunOptions::default() });
}

/// Every field of a checkpoint holds the secret in turn.
#[test]
fn refused_checkpoints_show_nothing() {
    let options = RunOptions {
        ledger: Some(parsed(r#"{"run_id":"r"}"#)),
        tools: parsed("[]"),
        ..RunOptions::default()
    };
    let world = drive(false, &options);
    let saved =
        world.saves.iter().find(|saved| saved.effects > 0 && saved.phase.as_str() == "boundary");
    let Json::Object(fields) = &saved.expect("a boundary").checkpoint else { return };
    for (at, (name, value)) in fields.iter().enumerate() {
        for wrong in [text(SECRET), parsed(&format!(r#"["{SECRET}"]"#)), {
            parsed(&format!(r#"[{{"type":"{SECRET}","id":"{SECRET}"}}]"#))
        }] {
            let mut fields = fields.clone();
            assert!(fields[at].1 == *value);
            fields[at].1 = wrong;
            let mut ledger = parsed(r#"{"run_id":"r"}"#);
            set(&mut ledger, "resume_from", Json::Object(fields));
            let options =
                RunOptions { ledger: Some(ledger), tools: parsed("[]"), ..RunOptions::default() };
            let refusal = stage_tools("null").admit(&params(false), &options);
            assert_told(&refusal.err().unwrap_or_else(|| panic!("{name} may be anything")));
        }
    }
}

fn assert_told(refusal: &AdmissionError) {
    assert_silent("a refusal", refusal);
    assert!(!refusal.to_string().contains(SECRET), "{refusal}");
}

#[test]
fn refusals_of_turns_show_nothing() {
    let mut machine = {
        let options = RunOptions { yields_turns: true, ..RunOptions::default() };
        let plan = stage_tools("null").admit(&params(false), &options).expect("a plan");
        RunMachine::begin(plan, false, 0, false)
    };
    let body = response(&[call("c1", "note", "{}")]);
    let reply = Reply::new(Answer::Response(ModelResponse { body }));
    machine.answer(machine.ask_id(), reply).expect("a response");
    let silent = |refusal: TurnRefusal| {
        assert_silent("a refusal", &refusal);
        assert!(!refusal.to_string().contains(SECRET));
    };
    for outputs in [
        format!(r#""{SECRET}""#),
        format!(r#"[{{"{SECRET}":1}}]"#),
        format!(r#"[{{"type":"function_call_output","call_id":"{SECRET}","output":"x"}}]"#),
        format!(r#"[{{"type":"function_call_output","call_id":"c1","output":["{SECRET}"]}}]"#),
    ] {
        silent(machine.supply_outputs(&parsed(&outputs)).expect_err("a refusal"));
    }
    let said = parsed(&format!(r#"["{SECRET}"]"#));
    silent(machine.append_user_text(&said).expect_err("a refusal"));
}

#[test]
fn functions_and_wires_show_nothing() {
    let tool = parse(r#"{"type":"function","name":"f","description":"hunter2"}"#).expect("JSON");
    let declaration =
        FunctionDeclaration { tool: &tool, allows_override: false, is_independent: false };
    assert_silent("a declaration", &declaration);
    assert_silent("tools", &RunnerTools::new(None, &[declaration]).expect("tools"));
    let mut fields = params(true);
    set(&mut fields, "tool_choice", text(SECRET));
    let local: Arc<str> = format!(r#"{{"description":"{SECRET}"}}"#).into();
    let mut out = swingbridge_core::json::Writer::default();
    out.json(&fields);
    let wire = Wire::new(&out.finish(), vec![local]).expect("a wire");
    assert_silent("a wire", &wire);
}
