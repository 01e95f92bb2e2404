//! What the test crates share: the conformance data, a scripted host, and short ways to say things.

#![allow(dead_code, reason = "each test crate uses its own part of this")]

pub(crate) mod compare;
pub(crate) mod drive;
pub(crate) mod host;
pub(crate) mod run_drive;
pub(crate) mod run_host;
pub(crate) mod tags;
pub(crate) mod vectors;
