//! `agxc`: the command line of the AGX compiler.

use std::process::ExitCode;

fn main() -> ExitCode {
    agxc::main()
}
