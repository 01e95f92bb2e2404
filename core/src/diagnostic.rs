//! Content-free records of what happened (B-52, R-60).

/// One record for an observer.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub api: Api,
    pub stage: Stage,
    pub reason: Reason,
    pub call_id: Option<String>,
    /// A browser member, an action, a function or the tool of a remote server.
    pub member: Option<String>,
    /// How long the stage took, in microseconds of the host's clock.
    pub duration: u64,
    pub usage: Option<Usage>,
}

/// Token counts of one request.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub total_tokens: u64,
}

/// The token counts of a run, added up from its records.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct UsageSummary {
    /// Requests that were completed, failed or were given up.
    pub requests: u64,
    /// Those whose counts are known. The totals are of these.
    pub counted: u64,
    pub totals: Usage,
}

impl UsageSummary {
    /// Adds a record, if it is about a request.
    pub fn add(&mut self, api: &str, stage: &str, reason: &str, usage: Option<Usage>) {
        let ends = [Reason::Completed, Reason::ApiFailed, Reason::Cancelled];
        let is_over = ends.map(Reason::as_str).contains(&reason);
        if api != Api::Responses.as_str() || stage != Stage::Request.as_str() || !is_over {
            return;
        }
        self.requests += 1;
        if let Some(usage) = usage {
            self.counted += 1;
            self.totals = Usage {
                input_tokens: self.totals.input_tokens.saturating_add(usage.input_tokens),
                output_tokens: self.totals.output_tokens.saturating_add(usage.output_tokens),
                total_tokens: self.totals.total_tokens.saturating_add(usage.total_tokens),
            };
        }
    }

    /// Whether the totals lack the counts of some request.
    pub fn is_incomplete(&self) -> bool {
        self.counted < self.requests
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub enum $name { $($variant,)* }

        impl $name {
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// Which helper the record is about.
    Api { Responses = "responses", Browser = "browser", Computer = "computer", }
}

words! {
    /// Which part of the work.
    Stage {
        Run = "run",
        Request = "request",
        Arguments = "arguments",
        Approval = "approval",
        Action = "action",
        Output = "output",
    }
}

words! {
    /// What became of it.
    Reason {
        Started = "started",
        Completed = "completed",
        Refused = "refused",
        Cancelled = "cancelled",
        InvalidInput = "invalid_input",
        InvalidOutput = "invalid_output",
        ApiFailed = "api_failed",
        DriverFailed = "driver_failed",
        PolicyFailed = "policy_failed",
        StepLimit = "step_limit",
        Busy = "busy",
        Closed = "closed",
    }
}
