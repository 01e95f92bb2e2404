//! A script: what is answered, turn by turn.

use serde_json::Value;

use crate::fields::{Fields, Problem, ScriptFault, fault};
use crate::turn::Turn;
use crate::{transcript, yaml};

/// The turns of a rehearsal.
#[derive(Clone, Debug)]
pub struct Script {
    pub(crate) turns: Vec<Turn>,
    pub(crate) repeats: bool,
}

impl Script {
    /// Reads a script; JSON is YAML as well.
    pub fn from_yaml(text: &str) -> Result<Self, ScriptFault> {
        let mut fields = Fields::of(yaml::read(text)?, "")?;
        let repeats = fields.flag("repeat")?.unwrap_or(false);
        let Some(turns) = fields.take("turns") else { return fault("turns", Problem::Missing) };
        fields.finish()?;
        let Value::Array(turns) = turns else { return fault("turns", Problem::Form) };
        let turns: Vec<Turn> = turns
            .into_iter()
            .enumerate()
            .map(|(index, turn)| Turn::read(turn, index))
            .collect::<Result<_, _>>()?;
        Self::of(turns, repeats)
    }

    /// Reads what a server recorded: the same answers come again, whatever is asked.
    pub fn from_transcript(lines: &str) -> Result<Self, ScriptFault> {
        Self::of(transcript::turns(lines)?, false)
    }

    fn of(turns: Vec<Turn>, repeats: bool) -> Result<Self, ScriptFault> {
        if turns.is_empty() {
            fault("turns", Problem::Missing)
        } else {
            Ok(Self { turns, repeats })
        }
    }

    /// How many turns there are.
    pub fn turns(&self) -> usize {
        self.turns.len()
    }
}
