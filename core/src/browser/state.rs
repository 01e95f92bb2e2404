//! The tab report of a driver, checked and cut to what may be seen (B-30, B-32, B-33).

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::member::MAX_SAFE_INTEGER;
use super::url::{report_legacy, report_observed};
use crate::json::text::cut;
use crate::json::{Json, Text, Writer};

pub(crate) const TITLE_BYTES: usize = 1_024;
pub(crate) const TAB_ID_BYTES: usize = 128;

/// What a driver reported, as the model may see it.
#[derive(Clone, Debug, PartialEq)]
pub struct BrowserState {
    tabs: Vec<Tab>,
    observation: Option<Observation>,
}

#[derive(Clone, Debug, PartialEq)]
struct Tab {
    id: Text<'static>,
    title: Text<'static>,
    url: String,
    active: bool,
}

/// Version 1 of the observation metadata.
#[derive(Clone, Debug, PartialEq)]
struct Observation {
    sequence: i64,
    dropped: i64,
    title_truncated: bool,
    changes: Vec<Change>,
}

#[derive(Clone, Debug, PartialEq)]
struct Change {
    kind: ChangeKind,
    tab_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct ChangeKind {
    name: &'static str,
    /// The extra field of the kind and its word.
    detail: Option<(&'static str, &'static str)>,
}

impl BrowserState {
    /// Reads a report; `None` if it breaks any rule. No reason is given: the text of a report is
    /// private, and a driver whose report is wrong cannot be trusted with the next action.
    pub fn read(report: &Json<'_>) -> Option<Self> {
        let observation = match report.field("observation") {
            Some(observation) => Some(Observation::read(observation)?),
            None => None,
        };
        let mut state = Self { tabs: Vec::new(), observation };
        let tabs = report.field("tabs")?.as_list()?;
        state.tabs.reserve(tabs.len());
        for tab in tabs {
            let tab = state.read_tab(tab)?;
            state.tabs.push(tab);
        }
        let ids: BTreeSet<&[u8]> = state.tabs.iter().map(|tab| tab.id.as_bytes()).collect();
        let active = state.tabs.iter().filter(|tab| tab.active).count();
        let unique = ids.len() == state.tabs.len();
        (unique && (state.tabs.is_empty() || active == 1)).then_some(state)
    }

    fn read_tab(&mut self, tab: &Json<'_>) -> Option<Tab> {
        let id = tab.field("id")?.as_text()?;
        let title = tab.field("title")?.as_text()?;
        let url = tab.field("url")?.as_text()?;
        let active = tab.field("active")?.as_bool()?;
        let Some(observation) = &mut self.observation else {
            return Some(Tab {
                id: id.clone().into_owned(),
                title: title.clone().into_owned(),
                url: report_legacy(url)?,
                active,
            });
        };
        let id = id.as_str().filter(|id| is_tab_id(id))?;
        let title = title.as_str()?;
        let reported = cut(title, TITLE_BYTES);
        observation.title_truncated |= reported.len() < title.len();
        Some(Tab {
            id: Text::from(id.to_owned()),
            title: Text::from(reported.to_owned()),
            url: report_observed(url)?,
            active,
        })
    }

    /// Whether `self` may follow `before`: history is only ever added to (B-33).
    pub fn follows(&self, before: &Self) -> bool {
        match (&before.observation, &self.observation) {
            (Some(before), Some(after)) => after.follows(before),
            (Some(_), None) => false,
            (None, _) => true,
        }
    }

    /// The report, for bindings whose objects cross as objects.
    pub fn to_json(&self) -> Json<'_> {
        let mut fields =
            vec![field("tabs", Json::List(self.tabs.iter().map(Tab::to_json).collect()))];
        fields.extend(self.observation.as_ref().map(|seen| field("observation", seen.to_json())));
        Json::Object(fields)
    }

    pub fn write(&self, out: &mut Writer) {
        out.json(&self.to_json());
    }
}

fn field<'j>(name: &'static str, value: Json<'j>) -> (Cow<'j, str>, Json<'j>) {
    (Cow::Borrowed(name), value)
}

fn text(text: &str) -> Json<'_> {
    Json::Text(Text::from(text))
}

fn is_tab_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= TAB_ID_BYTES
}

impl Tab {
    fn to_json(&self) -> Json<'_> {
        Json::Object(vec![
            field("id", Json::Text(self.id.borrow())),
            field("title", Json::Text(self.title.borrow())),
            field("url", text(&self.url)),
            field("active", Json::Bool(self.active)),
        ])
    }
}

impl Observation {
    fn read(report: &Json<'_>) -> Option<Self> {
        let number = |name: &str| {
            report.field(name)?.as_int().filter(|int| (0..=MAX_SAFE_INTEGER).contains(int))
        };
        if report.field("version")?.as_int() != Some(1) {
            return None;
        }
        let sequence = number("sequence")?;
        let dropped = number("dropped_changes")?;
        let title_truncated = report.field("title_truncated")?.as_bool()?;
        let changes = report.field("changes")?.as_list()?;
        let changes: Vec<Change> = changes
            .iter()
            .zip(dropped + 1..)
            .map(|(change, sequence)| Change::read(change, sequence))
            .collect::<Option<_>>()?;
        let count = i64::try_from(changes.len()).ok()?;
        (sequence == dropped.checked_add(count)?).then_some(Self {
            sequence,
            dropped,
            title_truncated,
            changes,
        })
    }

    fn follows(&self, before: &Self) -> bool {
        if self.sequence < before.sequence || self.dropped < before.dropped {
            return false;
        }
        // Both lists hold the changes after their own `dropped`; where they overlap they agree.
        let gone = usize::try_from(self.dropped - before.dropped).unwrap_or(usize::MAX);
        let kept = before.changes.get(gone..).unwrap_or_default();
        self.changes.starts_with(kept)
    }

    fn to_json(&self) -> Json<'_> {
        let changes = self.changes.iter().zip(self.dropped + 1..);
        let changes = changes.map(|(change, sequence)| change.to_json(sequence)).collect();
        Json::Object(vec![
            field("version", Json::Int(1)),
            field("sequence", Json::Int(self.sequence)),
            field("dropped_changes", Json::Int(self.dropped)),
            field("title_truncated", Json::Bool(self.title_truncated)),
            field("changes", Json::List(changes)),
        ])
    }
}

/// A kind of change; some have a field that details them with one of its words.
type KnownChange = (&'static str, Option<(&'static str, &'static [&'static str])>);

const CHANGES: &[KnownChange] = &[
    ("tab_opened", None),
    ("tab_closed", None),
    ("tab_switched", None),
    ("navigation", None),
    ("navigation_refused", Some(("reason", &["policy", "unsupported"]))),
    ("dialog_dismissed", Some(("kind", &["alert", "confirm", "prompt", "beforeunload", "other"]))),
    ("download", Some(("status", &["blocked", "started", "completed", "failed"]))),
];

impl Change {
    fn read(report: &Json<'_>, sequence: i64) -> Option<Self> {
        if report.field("sequence")?.as_int()? != sequence {
            return None;
        }
        let kind = report.field("type")?.as_str()?;
        let (name, detail) = CHANGES.iter().find(|(name, _)| *name == kind)?;
        let detail = match detail {
            Some((field, words)) => {
                let word = report.field(field)?.as_str()?;
                Some((*field, *words.iter().find(|known| **known == word)?))
            }
            None => None,
        };
        let tab_id = match report.field("tab_id")? {
            // A download or a refusal may belong to no tab that is left.
            Json::Null if detail.is_some() => None,
            tab_id => Some(tab_id.as_str().filter(|id| is_tab_id(id))?.to_owned()),
        };
        Some(Self { kind: ChangeKind { name, detail }, tab_id })
    }

    fn to_json(&self, sequence: i64) -> Json<'_> {
        let mut fields = vec![
            field("type", text(self.kind.name)),
            field("sequence", Json::Int(sequence)),
            field("tab_id", self.tab_id.as_deref().map_or(Json::Null, text)),
        ];
        fields.extend(self.kind.detail.map(|(name, word)| field(name, text(word))));
        Json::Object(fields)
    }
}
