//! The options of a run, from the texts in which they cross.

use std::borrow::Cow;

use swingbridge_core::json::Json;
use swingbridge_core::runner::RunOptions;

use crate::convert;

/// `options` is an object whose fields are those of [`RunOptions`], those that were given, and
/// `compacts`: whether the context budget has a callback. `ledger` is `{run_id, resume_from?}` and
/// `tools` the list of all tools; both have a text of their own, because they may be large.
pub(crate) fn run_options<'t>(
    options: &'t str,
    ledger: Option<&'t str>,
    tools: Option<&'t str>,
) -> RunOptions<'t> {
    let mut given = Given::read(options);
    let compacts = given.flag("compacts");
    let defaults = RunOptions::default();
    RunOptions {
        max_steps: given.take("max_steps").unwrap_or(Json::Null),
        stream: given.take("stream").unwrap_or(Json::Null),
        eager: given.take("eager").unwrap_or(Json::Null),
        max_concurrent_calls: given
            .take("max_concurrent_calls")
            .unwrap_or(defaults.max_concurrent_calls),
        finish_at_limit: given.take("finish_at_limit").unwrap_or(Json::Null),
        ledger: ledger.map(convert::value),
        context_budget: given
            .take("context_budget")
            .map(|budget| if compacts { with_compact(budget) } else { budget }),
        tools: tools.map_or(Json::Null, convert::value),
        approves_mcp: given.flag("approves_mcp"),
        reviews_early: given.flag("reviews_early"),
        delivers_events: given.flag("delivers_events"),
        yields_turns: given.flag("yields_turns"),
    }
}

fn with_compact(budget: Json<'_>) -> Json<'_> {
    match budget {
        Json::Object(mut fields) => {
            fields.push((Cow::Borrowed("compact"), Json::Foreign));
            Json::Object(fields)
        }
        other => other,
    }
}

struct Given<'t>(Vec<(Cow<'t, str>, Json<'t>)>);

impl<'t> Given<'t> {
    fn read(options: &'t str) -> Self {
        match convert::value(options) {
            Json::Object(fields) => Self(fields),
            _ => Self(Vec::new()),
        }
    }

    fn take(&mut self, name: &str) -> Option<Json<'t>> {
        let at = self.0.iter().position(|(field, _)| field == name)?;
        Some(self.0.swap_remove(at).1)
    }

    fn flag(&mut self, name: &str) -> bool {
        self.take(name).is_some_and(|value| value.as_bool() == Some(true))
    }
}
