//! The declarations of both languages that say what the member table says.

mod support;

use support::golden::assert_committed;
use support::render::{python, typescript};

#[test]
fn the_python_inputs_are_the_tables() {
    assert_committed("bindings-python/python/swingbridge/_inputs.py", &python::inputs());
}

#[test]
fn the_typescript_members_are_the_tables() {
    assert_committed("bindings-node/ts/members.ts", &typescript::members());
}
