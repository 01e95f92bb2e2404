//! The command without a package around it.

use std::process::ExitCode;

fn main() -> ExitCode {
    swingbridge_rehearsal::command::run(std::env::args_os()).into()
}
