//! The measured scenarios, for unit tests of parts that no host drives yet.

use super::admit::{RunPlan, RunnerTools};
use crate::browser::{Selection, SelectionOptions};
use crate::json::{Json, parse};

const RUNNER: &str = include_str!("../../../conformance/vectors/runner.jsonl");

pub(crate) struct Vector {
    pub(crate) id: String,
    raw: Json<'static>,
}

/// The scenarios whose id begins with `prefix` (without `runner/`).
pub(crate) fn vectors(prefix: &str) -> Vec<Vector> {
    let begins = format!("{{\"id\":\"runner/{prefix}");
    let lines = RUNNER.split('\n').filter(|line| line.starts_with(&begins));
    let found: Vec<Vector> = lines
        .map(|line| {
            let raw = parse(line).expect("JSON");
            Vector { id: raw.field("id").and_then(Json::as_str).expect("an id").to_owned(), raw }
        })
        .collect();
    assert!(!found.is_empty(), "{prefix}");
    found
}

impl Vector {
    /// What `path` leads to in the scenario.
    pub(crate) fn input(&self, path: &[&str]) -> Option<&Json<'static>> {
        path.iter().try_fold(self.raw.field("input")?, |value, name| value.field(name))
    }

    pub(crate) fn history(&self) -> &[Json<'static>] {
        self.input(&["params", "input"]).and_then(Json::as_list).expect("a list")
    }

    /// The record that counts.
    pub(crate) fn record(&self) -> &Json<'static> {
        let of_node = self.raw.field("recommend").and_then(Json::as_str) == Some("node");
        self.raw.field(if of_node { "node" } else { "python" }).expect("a record")
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.record().field("ok").and_then(Json::as_bool).expect("ok")
    }

    pub(crate) fn error_class(&self) -> Option<&str> {
        self.record().field("error_class").and_then(Json::as_str)
    }

    pub(crate) fn browser(&self) -> Option<Selection> {
        let names = self.input(&["tools", "browser", "members"])?.as_list()?;
        let members = names.iter().map(|name| name.as_str().expect("a name").to_owned()).collect();
        let options = SelectionOptions {
            members: Some(members),
            has_confirm: true,
            has_url_policy: true,
            ..SelectionOptions::default()
        };
        Some(Selection::new(&options, |_| true).expect("members"))
    }

    pub(crate) fn plan(&self) -> RunPlan {
        let functions = self.input(&["tools", "functions"]).and_then(Json::as_list);
        let declarations: Vec<Json<'_>> = functions
            .unwrap_or_default()
            .iter()
            .map(|function| {
                let name = function.field("name").expect("a name").clone();
                Json::Object(vec![
                    ("type".into(), Json::Text("function".into())),
                    ("name".into(), name),
                ])
            })
            .collect();
        let tools = RunnerTools::new(self.browser(), &declarations).expect("tools");
        let has_computer = self.input(&["tools", "computer"]).is_some();
        let tools = if has_computer { tools.with_computer() } else { tools };
        tools.admit(self.input(&["params"]).expect("params"), &Json::Null).expect("a plan")
    }
}
