//! A run's hold on its toolsets.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use swingbridge_core::Ask;
use swingbridge_core::runner::RunMachine;

use crate::computer::ComputerSession;
use crate::session::{BrowserSession, Hold};

/// A run's hold on its toolsets: on each during each of its calls, and at no other time (B-50).
#[derive(Default)]
pub(crate) struct Lease {
    browser: Option<Py<BrowserSession>>,
    computer: Option<Py<ComputerSession>>,
    held: Mutex<Option<Held>>,
}

/// A toolset that is held for the call of that number.
struct Held {
    tool: Tool,
    call: usize,
    /// Given back when it is dropped.
    _hold: Option<Hold>,
}

#[derive(Clone, Copy, PartialEq)]
enum Tool {
    Browser,
    Computer,
}

impl Lease {
    pub(crate) fn new(
        browser: Option<Py<BrowserSession>>,
        computer: Option<Py<ComputerSession>>,
    ) -> Self {
        Self { browser, computer, held: Mutex::default() }
    }

    /// Takes and gives back the toolsets as the run goes on. An error if one is busy or closed.
    pub(crate) fn follow(&self, machine: &RunMachine) -> PyResult<()> {
        let tool = match machine.ask() {
            Ask::Emit(_) => return Ok(()),
            Ask::ReadState | Ask::ReviewUrl { .. } | Ask::Confirm { .. } | Ask::Act { .. } => {
                Some(Tool::Browser)
            }
            Ask::ApproveSafety { .. }
            | Ask::ReviewAction { .. }
            | Ask::ActOnComputer { .. }
            | Ask::TakeScreenshot => Some(Tool::Computer),
            _ => None,
        };
        let wanted = tool.map(|tool| (tool, machine.outcome().attempted.len()));
        let mut held = self.held();
        if held.as_ref().map(|held| (held.tool, held.call)) == wanted {
            return Ok(());
        }
        *held = None;
        if let Some((tool, call)) = wanted {
            *held = Some(Held { tool, call, _hold: self.enter(tool)? });
        }
        Ok(())
    }

    pub(crate) fn end(&self) {
        *self.held() = None;
    }

    fn enter(&self, tool: Tool) -> PyResult<Option<Hold>> {
        match tool {
            Tool::Browser => self.browser.as_ref().map(|session| session.get().enter()).transpose(),
            Tool::Computer => {
                self.computer.as_ref().map(|session| session.get().enter()).transpose()
            }
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Option<Held>> {
        // One value, right at any moment.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
