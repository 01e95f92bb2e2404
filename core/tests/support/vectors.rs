//! The conformance data: measured scenarios, the record that counts, known gaps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use swingbridge_core::json::Json;

use super::compare::{difference, drop_unstable};
use super::tags::{Skip, untag};

const FACES: &[&str] = &["rust", "python-sync", "python-async", "node"];

/// One scenario, and what the two published packages did with it.
pub(crate) struct Vector {
    pub(crate) id: String,
    pub(crate) input: Value,
    python: Value,
    node: Value,
    mixed: Value,
    recommend: Option<String>,
}

/// How a Rust host plays something that each host language does in its own way.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Manner {
    Python,
    Node,
}

pub(crate) fn conformance() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance")
}

pub(crate) fn load(kind: &str) -> Vec<Vector> {
    let path = conformance().join("vectors").join(format!("{kind}.jsonl"));
    let data = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // Only "\n" ends a line: the text inside a vector may hold other line separators.
    data.split('\n').filter(|line| !line.is_empty()).map(parse).collect()
}

fn parse(line: &str) -> Vector {
    let mut raw: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let python = raw["python"].take();
    let node = if raw["node"] == "same" { python.clone() } else { raw["node"].take() };
    Vector {
        id: raw["id"].as_str().expect("an id").to_owned(),
        input: raw["input"].take(),
        python,
        node,
        mixed: raw["mixed"].take(),
        recommend: (raw["agree"] == false)
            .then(|| raw["recommend"].as_str().expect("advice").to_owned()),
    }
}

impl Vector {
    /// The records that pass, each with the manner in which the host plays the scenario.
    fn accepted(&self) -> Vec<(Manner, Vec<&Value>)> {
        let (python, node) = (&self.python, &self.node);
        match self.recommend.as_deref() {
            None | Some("python") => vec![(Manner::Python, vec![python])],
            Some("node") => vec![(Manner::Python, vec![node])],
            Some("mixed") => vec![(Manner::Python, vec![&self.mixed])],
            Some("either") => vec![(Manner::Python, vec![python, node])],
            // Each binding follows the package of its own language; what they hand to the core
            // differs, and the core gives each its own record.
            Some("host") => vec![(Manner::Python, vec![python]), (Manner::Node, vec![node])],
            Some(other) => panic!("{}: no record is named by {other}", self.id),
        }
    }

    /// Runs the scenario in every manner and compares; the first difference, if there is one.
    fn check(
        &self,
        run: impl Fn(&Value, Manner) -> Result<Json<'static>, Skip>,
    ) -> Result<Option<String>, Skip> {
        for (manner, records) in self.accepted() {
            let actual = drop_unstable(run(&self.input, manner)?);
            let mut differences = Vec::new();
            for record in records {
                let record = drop_unstable(untag(record)?);
                differences.extend(difference(&record, &actual));
                if differences.is_empty() {
                    break;
                }
            }
            if differences.len() > 1
                || (differences.len() == 1 && self.recommend.as_deref() != Some("either"))
            {
                return Ok(Some(format!("{manner:?}: {}", differences.join(" / "))));
            }
        }
        Ok(None)
    }
}

/// What became of a kind's vectors.
#[derive(Debug, Default, Eq, PartialEq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) gaps: usize,
    pub(crate) skipped: BTreeMap<Skip, usize>,
}

/// Runs all vectors; fails if one that is no known gap differs, or if one that is does not.
pub(crate) fn check_all<'v>(
    vectors: impl IntoIterator<Item = &'v Vector>,
    gaps: &BTreeSet<String>,
    run: impl Fn(&Value, Manner) -> Result<Json<'static>, Skip>,
) -> Tally {
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for vector in vectors {
        match (vector.check(&run), gaps.contains(&vector.id)) {
            (Ok(None), false) => tally.passed += 1,
            (Ok(Some(_)), true) => tally.gaps += 1,
            (Err(reason), _) => *tally.skipped.entry(reason).or_default() += 1,
            (Ok(None), true) => failures.push(format!("{}: a listed gap passes", vector.id)),
            (Ok(Some(found)), false) => failures.push(format!("{}: {found}", vector.id)),
        }
    }
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), failures.join("\n"));
    tally
}

/// The ids that the Rust face is known to answer otherwise.
pub(crate) fn gaps() -> BTreeSet<String> {
    let text = std::fs::read_to_string(conformance().join("known_gaps.json")).expect("known gaps");
    let entries: Vec<Value> = serde_json::from_str(&text).expect("a list");
    let mut ids = BTreeSet::new();
    for entry in entries {
        let id = entry["id"].as_str().expect("an id").to_owned();
        let faces = entry["faces"].as_array().expect("faces");
        assert!(
            !faces.is_empty() && entry["reason"].as_str().is_some_and(|reason| !reason.is_empty()),
            "{id}"
        );
        for face in faces {
            assert!(face.as_str().is_some_and(|face| FACES.contains(&face)), "{id}: {face}");
        }
        if faces.iter().any(|face| face == "rust") {
            assert!(ids.insert(id.clone()), "{id} is listed twice");
        }
    }
    ids
}
