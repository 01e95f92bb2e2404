//! Outcomes of `upload_file` and `download_file` (B-45).

use crate::json::{Json, Writer};

const PAIRS: &[(&str, &str)] = &[
    ("completed", "completed"),
    ("refused", "none"),
    ("unknown", "unknown"),
    ("interrupted", "none"),
    ("interrupted", "unknown"),
];
const CLEANUPS: &[&str] = &["not_started", "pending", "completed"];

/// What became of a file transfer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct FileOutcome {
    status: &'static str,
    effect: &'static str,
    cleanup: &'static str,
}

impl FileOutcome {
    /// Exactly the four fields, in one of the allowed pairs; `None` otherwise.
    pub(crate) fn read(report: &Json<'_>) -> Option<Self> {
        let Json::Object(fields) = report else { return None };
        let known = ["version", "status", "effect", "cleanup"];
        if fields.iter().any(|(name, _)| !known.contains(&name.as_ref())) {
            return None;
        }
        if report.field("version")?.as_int()? != 1 {
            return None;
        }
        let status = report.field("status")?.as_str()?;
        let effect = report.field("effect")?.as_str()?;
        let cleanup = report.field("cleanup")?.as_str()?;
        let (status, effect) = PAIRS.iter().find(|pair| **pair == (status, effect))?;
        let cleanup = CLEANUPS.iter().find(|known| **known == cleanup)?;
        Some(Self { status, effect, cleanup })
    }

    pub(crate) fn is_completed(self) -> bool {
        self.status == "completed"
    }

    pub(crate) fn to_json(self) -> String {
        let mut out = Writer::default();
        out.object(|outcome| {
            outcome.field("version", |out| out.int(1));
            outcome.field("status", |out| out.str(self.status));
            outcome.field("effect", |out| out.str(self.effect));
            outcome.field("cleanup", |out| out.str(self.cleanup));
        });
        out.finish()
    }
}
