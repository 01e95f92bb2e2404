//! The bodies of the fuzz targets: each takes an arbitrary input, drives the core with it and checks
//! what must hold whatever a model, a driver or a host does. `core/tests/support` includes this file, so
//! that the same bodies run where cargo-fuzz is not installed.

#![allow(clippy::expect_used, clippy::panic, reason = "a broken promise must end the run")]

pub mod call;
pub mod good;
pub mod item;
pub mod run;
pub mod sse;
pub mod text;
pub mod value;
pub mod world;
