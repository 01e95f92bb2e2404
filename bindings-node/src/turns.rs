//! What the host of a run needs beside asks and answers.

#![expect(clippy::needless_pass_by_value, reason = "napi gives arguments by value")]

use napi::bindgen_prelude::External;
use napi_derive::napi;
use swingbridge_core::runner::{TurnRefusal, idempotency_key, is_computer_kind};

use crate::convert;
use crate::errors::{Fault, refused};
use crate::run::Run;
use crate::session::{Session, Work};

/// Answers pending functions of the open turn in their place; `outputs` is the JSON list of their
/// output items. Gives the ids of their calls.
#[napi]
pub(crate) fn supply_outputs(
    session: &External<Session>,
    outputs: String,
) -> Result<Vec<String>, Fault> {
    with_run(session, |run| run.supply_outputs(&convert::value(&outputs)))
}

/// Queues a text of the user, as JSON, to follow the outputs of the open turn.
#[napi]
pub(crate) fn append_user_text(session: &External<Session>, text: String) -> Result<(), Fault> {
    with_run(session, |run| run.append_user_text(&convert::value(&text)))
}

/// What every checkpoint of the open run says, while one is to be saved: the JSON text of `{run_id,
/// max_steps, tools, output_override_names}`.
#[napi]
pub(crate) fn checkpoint_frame(session: &External<Session>) -> Option<String> {
    match &session.lock().work {
        Some(Work::Run(run)) => run.checkpoint_frame(),
        _ => None,
    }
}

/// Ends the open run because nobody looks at its turns any more.
#[napi]
pub(crate) fn let_go(session: &External<Session>) {
    session.let_go();
}

/// The idempotency key of one step, if the caller gave `given`.
#[napi]
pub(crate) fn step_key(given: String, step: i64) -> String {
    idempotency_key(&given, u64::try_from(step).unwrap_or_default())
}

/// Whether a tool of this type is a computer, which this process has to work for.
#[napi]
pub(crate) fn is_computer_tool(kind: String) -> bool {
    is_computer_kind(&kind)
}

fn with_run<T>(
    session: &Session,
    work: impl FnOnce(&mut Run) -> Result<T, TurnRefusal>,
) -> Result<T, Fault> {
    match &mut session.lock().work {
        Some(Work::Run(run)) => work(run).map_err(refused),
        _ => Err(refused(TurnRefusal::TurnOver)),
    }
}
