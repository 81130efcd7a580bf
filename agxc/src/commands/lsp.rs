//! `agxc lsp`: a language server for editors.

use clap::ArgMatches;

use super::{Arg, Takes, arg};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::language_server;

/// Options of this command.
pub const ARGS: &[Arg] =
    &[arg("stdio", Takes::Nothing, "Use standard input and output; they are used without it too")];

/// Serves an editor until it ends.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    language_server::run(options, context)
}
