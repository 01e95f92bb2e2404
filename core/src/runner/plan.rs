//! An admitted run: what its rules need to know, whatever happens.

use super::admit::{FunctionSpec, ServerTool};
use super::budget::Budget;
use super::choice::ToolChoice;
use super::early::EarlyTools;
use super::fault::AdmissionError;
use super::history::check_history;
use super::identity::Identities;
use super::mcp::{AskAgain, McpApprovals, McpServers};
use super::options::{DEFAULT_MAX_STEPS, Flags, RunOptions};
use crate::browser::Selection;
use crate::computer::ComputerOptions;
use crate::error::Stop;
use crate::json::{Json, Text};
use crate::ledger::{Given, LedgerStart, redacted_tools, resume};

/// An admitted run.
#[derive(Debug)]
pub struct RunPlan {
    pub(crate) browser: Option<Selection>,
    pub(crate) functions: Vec<FunctionSpec>,
    pub(crate) server_tools: Vec<ServerTool>,
    pub(crate) mcp: McpServers,
    pub(crate) choice: ToolChoice,
    /// What the caller gave for computer calls; `None` without a computer.
    pub(crate) computer: Option<ComputerOptions>,
    /// Whether each request is reported to the observer.
    pub(crate) reports_requests: bool,
    /// The container that code must run in, if the declaration names one.
    pub(crate) container: Option<String>,
    pub(super) declares_computer: bool,
    pub(super) include: Vec<String>,
    pub(crate) max_steps: u64,
    pub(crate) flags: Flags,
    pub(crate) early_tools: EarlyTools,
    pub(crate) callbacks: Callbacks,
    pub(crate) ledger: Option<LedgerPlan>,
    pub(crate) budget: Option<Budget>,
    pub(crate) start: Start,
}

/// What the caller gave that can be called.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Callbacks {
    pub(crate) approves_mcp: bool,
    pub(crate) reviews_early: bool,
    pub(crate) delivers_events: bool,
    pub(crate) yields_turns: bool,
}

/// What every checkpoint of a run says.
#[derive(Debug)]
pub(crate) struct LedgerPlan {
    pub(crate) run_id: Text<'static>,
    /// JSON text.
    pub(crate) tools: String,
    pub(crate) overrides: Vec<String>,
}

/// Where a run begins.
#[derive(Debug, Default)]
pub(crate) struct Start {
    pub(crate) identities: Identities,
    pub(crate) approvals: McpApprovals,
    /// Approvals in the history that count for nothing until they are given again.
    pub(crate) unused_approvals: Vec<AskAgain>,
    pub(crate) revision: u64,
    pub(crate) consumed_requests: u64,
    pub(crate) attempted: Vec<String>,
    pub(crate) returned: Vec<String>,
    /// Why the run ends before it does anything.
    pub(crate) refusal: Option<Stop>,
}

impl RunPlan {
    /// The `include` of each request: the caller's, once each, and the encrypted reasoning without
    /// which a history cannot be replayed.
    pub fn include(&self) -> &[String] {
        &self.include
    }

    /// Whether the service itself may do something; local work then waits for the whole response
    ///
    pub(crate) fn has_server_tools(&self) -> bool {
        !self.server_tools.is_empty() || !self.mcp.is_empty()
    }

    /// Whether `params.tools` has a computer already, so that none is to be added.
    pub fn declares_computer(&self) -> bool {
        self.declares_computer
    }

    /// Takes what the caller gave to this run.
    pub(super) fn with_options(
        mut self,
        options: &RunOptions<'_>,
        params: &Json<'_>,
    ) -> Result<Self, AdmissionError> {
        self.flags = Flags::read(options)?;
        self.callbacks = Callbacks {
            approves_mcp: options.approves_mcp,
            reviews_early: options.reviews_early,
            delivers_events: options.delivers_events,
            yields_turns: options.yields_turns,
        };
        let input = params.field("input").ok_or(AdmissionError::Input)?;
        let message;
        let fresh: &[Json<'_>] = if let Json::List(items) = input {
            items
        } else {
            message = [user_message(input)];
            &message
        };
        let start = options.ledger.as_ref().map(LedgerStart::read).transpose()?;
        let mut saved: &[Json<'_>] = &[];
        self.max_steps = self.flags.max_steps.unwrap_or(DEFAULT_MAX_STEPS);
        if let Some(start) = start {
            let ledger = LedgerPlan {
                tools: redacted_tools(options.tools.as_list().ok_or(AdmissionError::Tools)?)?,
                overrides: self.override_names(),
                run_id: start.run_id,
            };
            if let Some(checkpoint) = start.resume_from {
                let given = Given {
                    run_id: &ledger.run_id,
                    max_steps: self.flags.max_steps,
                    tools: &ledger.tools,
                    overrides: &ledger.overrides,
                    fresh_input: input,
                };
                let resumed = resume(checkpoint, &given)?;
                self.max_steps = resumed.max_steps;
                self.start.revision = resumed.revision;
                self.start.consumed_requests = resumed.consumed_requests;
                self.start.attempted = resumed.attempted;
                self.start.returned = resumed.returned;
                saved = resumed.history;
            }
            self.ledger = Some(ledger);
        }
        let whole;
        let items = if saved.is_empty() {
            fresh
        } else {
            whole = saved.iter().chain(fresh).cloned().collect::<Vec<_>>();
            &whole
        };
        if let Some(config) = &options.context_budget {
            self.budget = Some(Budget::read(config, params, self.browser.as_ref())?);
        }
        self.read_history(items)?;
        Ok(self)
    }

    /// Checks what the history says, as far as anything depends on it.
    fn read_history(&mut self, items: &[Json<'_>]) -> Result<(), AdmissionError> {
        if self.ledger.is_some() || self.budget.is_some() {
            match check_history(items, self) {
                Ok(()) => {}
                Err(fault) if self.ledger.is_some() => return Err(fault.admission()),
                Err(fault) => {
                    self.start.refusal = Some(fault.stop());
                    return Ok(());
                }
            }
        }
        self.start.refusal = self.read_start(items).err();
        Ok(())
    }

    fn read_start(&mut self, items: &[Json<'_>]) -> Result<(), Stop> {
        let ids = Identities::of_items(items).ok_or(Stop::IdentityRepeated)?;
        self.start.identities = ids;
        let imported = self.mcp.imported(items)?;
        if !imported.unused.is_empty() && !self.callbacks.approves_mcp {
            return Err(Stop::McpUndecided);
        }
        self.start.approvals = imported.approvals;
        self.start.unused_approvals = imported.unused;
        if let Some(budget) = &mut self.budget {
            budget.extend(items)?;
        }
        if self.start.consumed_requests >= self.max_steps {
            return Err(Stop::StepLimit);
        }
        Ok(())
    }

    fn override_names(&self) -> Vec<String> {
        let allowing = self.functions.iter().filter(|function| function.allows_override);
        allowing.map(|function| function.name.clone()).collect()
    }

    /// Says what the caller gave for computer calls.
    pub fn set_computer_options(&mut self, options: ComputerOptions) {
        if self.computer.is_some() {
            self.computer = Some(options);
        }
    }
}

/// What a text as `params.input` stands for.
fn user_message<'j>(text: &Json<'j>) -> Json<'j> {
    let role = Json::Text(Text::from("user"));
    Json::Object(vec![("role".into(), role), ("content".into(), text.clone())])
}
