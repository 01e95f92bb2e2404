//! The computer's part of the scripted host.

use serde_json::Value;
use swingbridge_core::computer::{
    ACTIONS, ComputerAction, ComputerCall, ComputerOptions, ComputerOutput, SafetyCheck,
};
use swingbridge_core::json::{Json, Text};
use swingbridge_core::{Answer, Ask, Reply};

use super::compare::{object, set, text, texts};
use super::host::Script;
use super::tags::{Skip, untag};
use super::vectors::Manner;

impl Script<'_> {
    /// Performs one ask of a computer call.
    pub(crate) fn perform_computer(&mut self, ask: &Ask<'_>) -> Result<Answer<'static>, Skip> {
        let [driver, callbacks] = self.computer;
        match ask {
            Ask::ApproveSafety { .. } => {
                self.trace.push("approve_safety_checks".to_owned());
                self.follow("approve_safety_checks", &callbacks["approve_safety_checks"])
            }
            Ask::ReviewAction { action, .. } => {
                let kind = action.map_or("screenshot", |action| action.kind.name());
                self.trace.push(format!("before_action:{kind}"));
                self.follow("before_action", &callbacks["before_action"])
            }
            Ask::ActOnComputer { index, action } => {
                let action = action.expect("an action of the call");
                let method = action.kind.name();
                self.trace.push(format!("driver:{method}"));
                self.driver_calls.push(object([
                    ("method", text(method)),
                    ("action", self.wire_action(*index, action)),
                ]));
                self.reach("driver");
                let raises = driver["driver_raises"].as_array().into_iter().flatten();
                let failure = serde_json::json!({ "$raises": "error" });
                let raises = raises.into_iter().any(|name| name == method);
                self.play(if raises { &failure } else { &Value::Null })
            }
            Ask::TakeScreenshot => {
                self.trace.push("driver:screenshot".to_owned());
                self.driver_calls.push(object([("method", text("screenshot"))]));
                self.reach("driver");
                let good = serde_json::json!({
                    "type": "computer_screenshot",
                    "image_url": "data:image/png;base64,AA==",
                });
                self.play(driver.get("screenshot").unwrap_or(&good))
            }
            other => panic!("a call asked for {other:?}"),
        }
    }

    /// What the driver gets: the action of the wire, and over it the fields that the core settled.
    fn wire_action(&self, index: usize, settled: &ComputerAction) -> Json<'static> {
        let actions = self.wire_call.field("actions").and_then(Json::as_list);
        let action = match actions {
            Some(actions) => actions.get(index),
            None => self.wire_call.field("action"),
        };
        let mut action = action.expect("an action of the call").clone();
        for (name, value) in &settled.fields {
            let wire = action.field(name).cloned().unwrap_or(Json::Null);
            set(&mut action, name, lay_over(wire, value));
        }
        action
    }
}

/// Point by point in a path: a point may have further fields as well.
fn lay_over(wire: Json<'static>, settled: &Json<'static>) -> Json<'static> {
    match (wire, settled) {
        (Json::List(points), Json::List(settled)) => {
            let laid = points.into_iter().zip(settled).map(|(wire, point)| lay_over(wire, point));
            Json::List(laid.collect())
        }
        (mut point @ Json::Object(_), Json::Object(_)) => {
            for axis in ["x", "y"] {
                set(&mut point, axis, settled.field(axis).expect("a coordinate").clone());
            }
            point
        }
        _ => settled.clone(),
    }
}

pub(crate) fn computer_options(callbacks: &Value) -> ComputerOptions {
    ComputerOptions {
        approves_safety_checks: callbacks.get("approve_safety_checks").is_some(),
        reviews_actions: callbacks.get("before_action").is_some(),
        observed: false,
    }
}

/// The item that goes back for a computer call.
pub(crate) fn output_item(output: &ComputerOutput) -> Json<'static> {
    let mut screenshot = object([("type", text("computer_screenshot"))]);
    let sources =
        [("image_url", &output.screenshot.image_url), ("file_id", &output.screenshot.file_id)];
    for (name, source) in sources {
        if let Some(source) = source {
            set(&mut screenshot, name, source.clone());
        }
    }
    object([
        ("type", text("computer_call_output")),
        ("call_id", text(&output.call_id)),
        ("output", screenshot),
        (
            "acknowledged_safety_checks",
            Json::List(output.acknowledged.iter().map(acknowledged).collect()),
        ),
    ])
}

fn acknowledged(check: &SafetyCheck) -> Json<'static> {
    let optional = |words: &Option<String>| {
        words.as_ref().map_or(Json::Null, |words| Json::Text(Text::from(words.clone())))
    };
    object([
        ("id", text(&check.id)),
        ("code", optional(&check.code)),
        ("message", optional(&check.message)),
    ])
}

/// The record of one computer scenario.
pub(crate) fn run(input: &Value, manner: Manner) -> Result<Json<'static>, Skip> {
    let missing = |name: &str| {
        input["missing_methods"].as_array().is_some_and(|names| names.iter().any(|n| n == name))
    };
    if ACTIONS.iter().any(|action| missing(action.name)) {
        return Ok(object([
            ("ok", Json::Bool(false)),
            ("error_class", text("constructor_rejects")),
            ("trace", Json::List(Vec::new())),
        ]));
    }
    let mut script = Script::new(&Value::Null, &input["cancel_at"], manner);
    script.computer = [input, input];
    script.wire_call = untag(&input["call"])?;
    let options = computer_options(input);
    let mut machine = ComputerCall::begin(&script.wire_call, options, 0, script.cancelled);
    while !machine.ask().is_end() {
        let answer = script.perform(&machine.ask())?;
        let reply = Reply { answer, cancelled: script.cancelled, now: 0 };
        machine.answer(machine.ask_id(), reply).expect("the scripted host keeps the law");
    }
    let mut record = match machine.ask() {
        Ask::ComputerOutput(output) => {
            let value = object([("output", output_item(output))]);
            object([("ok", Json::Bool(true)), ("value", value)])
        }
        Ask::Stopped(stop) => {
            let cancelled = script.cancelled && stop.is_cancellation();
            let class = if cancelled { "cancelled" } else { "run_stops" };
            object([("ok", Json::Bool(false)), ("error_class", text(class))])
        }
        other => panic!("a computer call ended with {other:?}"),
    };
    set(&mut record, "trace", texts(&script.trace));
    set(&mut record, "driver_calls", Json::List(script.driver_calls));
    Ok(record)
}
