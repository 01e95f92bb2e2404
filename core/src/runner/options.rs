//! What the caller gives to one run besides the request (R-1, R-30, R-34, R-50, L-1).

use super::fault::AdmissionError;
use crate::json::Json;

/// The most requests of a run if the caller does not say.
pub const DEFAULT_MAX_STEPS: u64 = 20;
/// How many independent functions run at once if the caller does not say.
pub const DEFAULT_MAX_CONCURRENT_CALLS: i64 = 2;

/// The options of one run, as the host has them; what is null was not given.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Debug)]
pub struct RunOptions<'j> {
    pub max_steps: Json<'j>,
    pub stream: Json<'j>,
    pub eager: Json<'j>,
    /// Here null is a wrong value, as in the published helpers.
    pub max_concurrent_calls: Json<'j>,
    pub finish_at_limit: Json<'j>,
    /// `{run_id, resume_from?}`, whole; the function that saves stays with the host.
    pub ledger: Option<Json<'j>>,
    /// With names in `snake_case`; `compact` is [`Json::Foreign`] if it can be called.
    pub context_budget: Option<Json<'j>>,
    /// All tools of each request, whole; only read with a ledger.
    pub tools: Json<'j>,
    pub approves_mcp: bool,
    pub reviews_early: bool,
    pub delivers_events: bool,
    /// Whether somebody iterates over the turns.
    pub yields_turns: bool,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        Self {
            max_steps: Json::Null,
            stream: Json::Null,
            eager: Json::Null,
            max_concurrent_calls: Json::Int(DEFAULT_MAX_CONCURRENT_CALLS),
            finish_at_limit: Json::Null,
            ledger: None,
            context_budget: None,
            tools: Json::Null,
            approves_mcp: false,
            reviews_early: false,
            delivers_events: false,
            yields_turns: false,
        }
    }
}

/// The options that are read by themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    /// `None` if the caller does not say.
    pub(crate) max_steps: Option<u64>,
    pub(crate) streams: bool,
    pub(crate) eager: bool,
    pub(crate) max_concurrent: u64,
    pub(crate) finish_at_limit: bool,
}

impl Flags {
    pub(crate) fn read(options: &RunOptions<'_>) -> Result<Self, AdmissionError> {
        let streams = flag(&options.stream).ok_or(AdmissionError::Option("stream"))?;
        let eager = flag(&options.eager).ok_or(AdmissionError::Option("eager"))?;
        if eager && !streams {
            return Err(AdmissionError::EagerWithoutStream);
        }
        let max_steps = match &options.max_steps {
            Json::Null => None,
            steps => Some(positive(steps).ok_or(AdmissionError::MaxSteps)?),
        };
        Ok(Self {
            max_steps,
            streams,
            eager,
            max_concurrent: positive(&options.max_concurrent_calls)
                .ok_or(AdmissionError::Option("max_concurrent_calls"))?,
            finish_at_limit: flag(&options.finish_at_limit)
                .ok_or(AdmissionError::Option("finish_at_limit"))?,
        })
    }
}

/// A flag that may be left out.
fn flag(given: &Json<'_>) -> Option<bool> {
    match given {
        Json::Null => Some(false),
        given => given.as_bool(),
    }
}

fn positive(given: &Json<'_>) -> Option<u64> {
    given.as_int().and_then(|count| u64::try_from(count).ok()).filter(|count| *count > 0)
}
