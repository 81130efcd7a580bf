//! `agxc debug`: steps through a shader, for editors and on terminals.

use std::io::IsTerminal as _;

use clap::ArgMatches;

use super::{Arg, Takes, arg};
use crate::context::Context;
use crate::debugger::{Subject, dap, terminal};
use crate::diagnostic::Failure;

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("terminal", Takes::Nothing, "Read commands, one a line, even if standard input is redirected"),
    arg(
        "command",
        Takes::Values("COMMAND"),
        "Run this command; without --terminal the session ends after the last",
    ),
];

/// Options that select a vertex or fragment of a scene.
pub const SCENES: &[Arg] = &[
    arg(
        "draw",
        Takes::Value("NUMBER"),
        "The draw of a scene, from 0 [default: the last with the pixel, the first with the vertex]",
    ),
    arg("pixel", Takes::Value("X,Y"), "Debug a fragment of this pixel of a scene"),
    arg(
        "fragment",
        Takes::Value("NUMBER"),
        "The fragment among the shaded ones of the pixel in its draw, from 0 [default: the last]",
    ),
    arg("vertex", Takes::Value("NUMBER"), "Debug this vertex of a scene"),
    arg("instance", Takes::Value("NUMBER"), "The instance of the vertex [default: 0]"),
];

/// Debugs a shader.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let commands: Vec<&str> =
        options.get_many::<String>("command").into_iter().flatten().map(String::as_str).collect();
    let reads = options.get_flag("terminal") || commands.is_empty() && std::io::stdin().is_terminal();
    match reads || !commands.is_empty() {
        true => terminal::run(&Subject::open(options, context)?, &commands, reads),
        false => dap::run(options, context),
    }
}
