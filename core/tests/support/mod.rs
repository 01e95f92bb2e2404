//! What the test crates share: the conformance data, a scripted host, and short ways to say things.

#![allow(dead_code, reason = "each test crate uses its own part of this")]
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that cannot go on fails its test")]

pub(crate) mod compare;
pub(crate) mod computer_host;
pub(crate) mod drive;
#[allow(unreachable_pub, reason = "it is a crate of its own where cargo-fuzz builds it")]
#[path = "../../../fuzz/src/lib.rs"]
pub(crate) mod fuzz;
pub(crate) mod golden;
pub(crate) mod host;
pub(crate) mod render;
pub(crate) mod run_drive;
pub(crate) mod run_host;
pub(crate) mod run_records;
pub(crate) mod run_script;
pub(crate) mod run_wire;
pub(crate) mod sources;
pub(crate) mod stage;
pub(crate) mod strategies;
pub(crate) mod tags;
pub(crate) mod vectors;
