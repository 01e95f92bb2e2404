//! The core asks and never acts: no runtime, no host language, no clock, no randomness, no files.

mod support;

use std::collections::BTreeSet;
use std::process::Command;

use support::sources::sources;

/// Packages that act, or that belong to a host.
const FOREIGN: &[&str] = &[
    "async-std",
    "fastrand",
    "futures",
    "getrandom",
    "hyper",
    "libc",
    "mio",
    "napi",
    "pyo3",
    "rand",
    "reqwest",
    "rusqlite",
    "smol",
    "socket2",
    "tokio",
    "tokio-postgres",
    "ureq",
];

/// What the source may not name. `clippy.toml` knows the types behind some of them; this knows every
/// spelling.
const ACTS: &[&str] = &[
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::os",
    "std::process",
    "std::sync",
    "std::thread",
    "std::time",
    "async fn",
    ".await",
    "unsafe",
];

#[test]
fn the_core_depends_on_nothing_that_acts() {
    let cargo = option_env!("CARGO").unwrap_or("cargo");
    let tree = Command::new(cargo)
        .args(["tree", "--offline", "--prefix", "none", "--format", "{p}", "--edges", "normal"])
        .args(["--package", "swingbridge-core", "--target", "all"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).expect("text");
    let packages: BTreeSet<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| !name.is_empty())
        .collect();
    assert!(packages.contains("swingbridge-core") && packages.contains("serde_json"), "{tree}");
    let found: Vec<_> = FOREIGN.iter().filter(|name| packages.contains(**name)).collect();
    assert!(found.is_empty(), "the core depends on {found:?}");
    let asynchronous =
        packages.iter().find(|name| name.starts_with("tokio") || name.starts_with("pyo3"));
    assert_eq!(asynchronous, None);
}

#[test]
fn the_source_names_nothing_that_acts() {
    for (path, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            // Prose may speak of it, and the lint that forbids it must name it.
            let code = line.split("//").next().unwrap_or_default();
            // To share a text waits for nobody.
            if code.contains("forbid(unsafe_code)") || code == "use std::sync::Arc;" {
                continue;
            }
            let named = ACTS.iter().find(|word| code.contains(**word));
            assert_eq!(named, None, "{}:{}", path.display(), number + 1);
        }
    }
}

#[test]
fn the_crate_forbids_unsafe_code() {
    let (_, root) = sources()
        .into_iter()
        .find(|(path, _)| path.ends_with("src/lib.rs"))
        .expect("the root of the crate");
    assert!(root.contains("#![forbid(unsafe_code)]"));
}
