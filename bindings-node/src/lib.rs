//! The Node face of the core: each function converts, locks, steps the machine and maps the error.
//! The rules are in `swingbridge-core`, the loop that performs asks is in `ts/pump.ts`.
//!
//! What crosses, and why, was measured (Node 24, one crossing): a free function with an `External`
//! handle costs 0.16 µs where a class method costs 0.34 µs; a text costs 0.1 µs and 3 ns per ten
//! characters, while an object costs 0.1 µs for each of its properties. So a host value crosses as the
//! JSON text of a strict snapshot (`ts/snapshot.ts`), and an ask comes back as one text whose first
//! character is its kind (see [`convert`]). Pixels do not cross.
//!
//! The core is synchronous. What waits for a service runs on threads of its own and gives a promise
//! ([`exchange`]). Handles belong to the thread of the environment that made them.

#![deny(unsafe_code)]

mod answers;
mod client;
mod computer;
mod conversation;
mod convert;
mod errors;
mod events;
mod exchange;
mod function_tool;
mod options;
mod page;
mod rehearsal;
mod run;
mod run_asks;
mod runtime;
mod session;
mod talk;
mod tools;
mod turns;
mod usage;
