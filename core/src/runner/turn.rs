//! What who iterates may do at a turn.

use std::collections::BTreeSet;

use thiserror::Error;

use super::response::{PlannedCall, Work, is_function_output};
use crate::json::text::is_blank;
use crate::json::{Json, Text};

/// Why a turn takes no such output or text. Nothing was changed.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum TurnRefusal {
    #[error("the turn is over")]
    TurnOver,
    #[error("the run ends with this turn")]
    TurnFinal,
    #[error("no call of this turn is left to be answered")]
    NothingPending,
    #[error("outputs must be a list of function_call_output items with a call_id and an output")]
    OutputsMalformed,
    #[error("an output is for no pending function call that allows output overrides")]
    OutputNotAllowed,
    #[error("two outputs are for the same call")]
    OutputTwice,
    #[error("the text must be a string of valid Unicode that is not blank")]
    TextInvalid,
}

crate::error::codes! {
    TurnRefusal {
        Self::TurnOver => "turn_over",
        Self::TurnFinal => "turn_final",
        Self::NothingPending => "turn_nothing_pending",
        Self::OutputsMalformed => "supplied_outputs_malformed",
        Self::OutputNotAllowed => "supplied_output_not_allowed",
        Self::OutputTwice => "supplied_output_twice",
        Self::TextInvalid => "user_text_invalid",
    }
}

/// The ids of the calls that the outputs answer; each must be for one of the `pending` calls whose
/// function `may_override`.
pub(crate) fn read_outputs(
    outputs: &Json<'_>,
    pending: &[PlannedCall],
    may_override: impl Fn(usize) -> bool,
) -> Result<Vec<String>, TurnRefusal> {
    let outputs = outputs.as_list().ok_or(TurnRefusal::OutputsMalformed)?;
    let open: BTreeSet<&str> = pending
        .iter()
        .filter(|call| matches!(call.work, Work::Function { index, .. } if may_override(index)))
        .map(|call| call.call_id.as_str())
        .collect();
    let mut named = BTreeSet::new();
    let mut call_ids = Vec::with_capacity(outputs.len());
    for output in outputs {
        let call_id = read_output(output).ok_or(TurnRefusal::OutputsMalformed)?;
        if !open.contains(call_id) {
            return Err(TurnRefusal::OutputNotAllowed);
        }
        if !named.insert(call_id) {
            return Err(TurnRefusal::OutputTwice);
        }
        call_ids.push(call_id.to_owned());
    }
    Ok(call_ids)
}

fn read_output<'j>(output: &'j Json<'_>) -> Option<&'j str> {
    let Json::Object(fields) = output else { return None };
    let is_known = |name: &str| matches!(name, "type" | "call_id" | "output");
    let text = |name: &str| output.field(name).and_then(Json::as_str);
    let is_output = fields.len() == 3
        && fields.iter().all(|(name, _)| is_known(name))
        && text("type") == Some("function_call_output")
        && output.field("output").is_some_and(is_function_output);
    is_output.then(|| text("call_id")).flatten()
}

pub(crate) fn read_text(text: &Json<'_>) -> Result<Text<'static>, TurnRefusal> {
    match text.as_str() {
        Some(words) if !is_blank(words) => Ok(Text::from(words.to_owned())),
        _ => Err(TurnRefusal::TextInvalid),
    }
}
