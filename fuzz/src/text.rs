//! Argument text and state reports.

use arbitrary::Arbitrary;
use swingbridge_core::browser::{Arguments, BrowserState, MEMBERS};
use swingbridge_core::json::{Json, Writer, parse};

use super::value::Tree;

/// Argument text for one member.
#[derive(Arbitrary, Clone, Debug)]
pub struct ArgumentText<'a> {
    pub member: u8,
    pub bytes: &'a [u8],
}

impl ArgumentText<'_> {
    /// Text is refused, or is exactly the fields of the member and stays what it is.
    pub fn check(&self) {
        let Ok(text) = std::str::from_utf8(self.bytes) else { return };
        let spec = &MEMBERS[usize::from(self.member) % MEMBERS.len()];
        let Ok(arguments) = Arguments::parse(spec.member, text) else { return };
        let names: Vec<&str> = arguments.fields().iter().map(|(name, _)| *name).collect();
        let expected: Vec<&str> = spec.fields.iter().map(|field| field.name).collect();
        assert_eq!(names, expected);
        let write = |arguments: &Arguments| {
            let mut out = Writer::default();
            arguments.write(&mut out);
            out.finish()
        };
        let written = write(&arguments);
        let again = Arguments::parse(spec.member, &written).expect("what was accepted is accepted");
        assert_eq!(write(&again), written);
    }
}

/// A state report: as text, or as a tree that comes closer to being one.
#[derive(Arbitrary, Clone, Debug)]
pub enum StateText<'a> {
    Text(&'a str),
    Tree(Tree),
    Tabs { tabs: Vec<Tab>, observation: Option<Tree> },
}

#[derive(Arbitrary, Clone, Debug)]
pub struct Tab {
    pub id: String,
    pub title: String,
    pub scheme: u8,
    pub rest: String,
    pub active: bool,
}

const SCHEMES: &[&str] = &["https://", "http://", "https:", "file:", "about:", "data:", ""];

impl StateText<'_> {
    /// A report is refused, or shows addresses without anything private.
    pub fn check(&self) {
        let report = match self {
            Self::Text(text) => match parse(text) {
                Ok(report) => report.into_owned(),
                Err(_) => return,
            },
            Self::Tree(tree) => tree.to_json(),
            Self::Tabs { tabs, observation } => {
                let tabs = Json::List(tabs.iter().map(Tab::to_json).collect());
                let mut fields = vec![("tabs".into(), tabs)];
                let observation = observation.as_ref().map(Tree::to_json);
                fields.extend(observation.map(|value| ("observation".into(), value)));
                Json::Object(fields)
            }
        };
        let Some(state) = BrowserState::read(&report) else { return };
        assert!(state.follows(&state));
        let mut out = Writer::default();
        state.write(&mut out);
        let text = out.finish();
        let shown = parse(&text).expect("the core writes JSON");
        let tabs = shown.field("tabs").and_then(Json::as_list).expect("tabs");
        let active = |tab: &&Json<'_>| tab.field("active") == Some(&Json::Bool(true));
        assert_eq!(tabs.iter().filter(active).count(), usize::from(!tabs.is_empty()));
        for tab in tabs {
            assert_nothing_private(tab.field("url").and_then(Json::as_str).expect("an address"));
        }
    }
}

impl Tab {
    fn to_json(&self) -> Json<'static> {
        let scheme = SCHEMES[usize::from(self.scheme) % SCHEMES.len()];
        let text = |text: &str| Json::Text(text.to_owned().into());
        Json::Object(vec![
            ("id".into(), text(&self.id)),
            ("title".into(), text(&self.title)),
            ("url".into(), text(&format!("{scheme}{}", self.rest))),
            ("active".into(), Json::Bool(self.active)),
        ])
    }
}

/// An address as it may be reported: an origin, `about:blank`, or a scheme.
pub fn assert_nothing_private(url: &str) {
    assert!(url.len() <= 2_048);
    if url == "about:blank" {
        return;
    }
    let (scheme, rest) = url.split_once(':').expect("a scheme");
    assert!(!scheme.is_empty() && scheme.is_ascii(), "{url}");
    if rest.is_empty() {
        return;
    }
    assert!(matches!(scheme, "http" | "https"), "{url}");
    let host = rest.strip_prefix("//").expect("an origin");
    assert!(!host.is_empty() && !host.contains(['@', '/', '?', '#', '\\', ' ']), "{url}");
}
