//! What the caller asks of a budget.

use crate::json::Json;
use crate::runner::AdmissionError;

const FIELDS: &[&str] =
    &["max_input_bytes", "max_input_images", "keep_recent_screenshots", "compact"];
/// What else would shorten a request, on the service's side.
const NATIVE: &[&str] = &["context_management", "truncation"];

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) max_bytes: u64,
    pub(super) max_images: u64,
    pub(super) keep_screenshots: usize,
    pub(super) compacts: bool,
}

impl Limits {
    pub(super) fn read(config: &Json<'_>, params: &Json<'_>) -> Result<Self, AdmissionError> {
        let Json::Object(fields) = config else {
            return Err(AdmissionError::ContextBudget("must be an object"));
        };
        if fields.iter().any(|(name, _)| !FIELDS.contains(&name.as_ref())) {
            return Err(AdmissionError::ContextBudget("has a field of an unknown name"));
        }
        refuse_native(params)?;
        if let Some(extra) = params.field("extra_body") {
            refuse_native(extra)?;
        }
        let max_bytes = count(config.field("max_input_bytes")).filter(|bytes| *bytes > 0);
        let keep = match config.field("keep_recent_screenshots") {
            None => Some(1),
            keep => count(keep),
        };
        Ok(Self {
            max_bytes: max_bytes.ok_or(AdmissionError::ContextBudget(
                "needs max_input_bytes, a positive integer",
            ))?,
            max_images: count(config.field("max_input_images")).ok_or(
                AdmissionError::ContextBudget("needs max_input_images, an integer from 0"),
            )?,
            keep_screenshots: keep.and_then(|keep| usize::try_from(keep).ok()).ok_or(
                AdmissionError::ContextBudget(
                    "has keep_recent_screenshots that is no integer from 0",
                ),
            )?,
            compacts: match config.field("compact") {
                None => false,
                Some(Json::Foreign) => true,
                Some(_) => {
                    return Err(AdmissionError::ContextBudget("has compact that is no function"));
                }
            },
        })
    }
}

fn count(value: Option<&Json<'_>>) -> Option<u64> {
    u64::try_from(value?.as_int()?).ok()
}

/// Two ways of shortening would each invalidate what the other keeps.
fn refuse_native(params: &Json<'_>) -> Result<(), AdmissionError> {
    for name in NATIVE {
        let is_off = match params.field(name) {
            None | Some(Json::Null) => true,
            Some(Json::List(rules)) => *name == "context_management" && rules.is_empty(),
            Some(value) => *name == "truncation" && value.as_str() == Some("disabled"),
        };
        if !is_off {
            return Err(AdmissionError::ContextBudgetAndNative(name));
        }
    }
    Ok(())
}
