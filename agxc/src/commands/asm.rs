//! `agxc asm`: assembly to machine code.

use agx_compiler::Location;
use agx_isa::asm::{AsmError, assemble};
use clap::ArgMatches;

use super::{Arg, Takes, arg, compile};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::{File, Kind};
use crate::output;

/// Options of this command alone.
pub const ARGS: &[Arg] = &[arg("hex", Takes::Nothing, "Write the bytes as hexadecimal text")];

/// Assembles one text.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let file = compile::read(options, context)?;
    let code = code(&file)?;
    let target = options.get_one::<String>("output").map(String::as_str);
    match options.get_flag("hex") {
        true => output::text(target, &(output::hex(&code) + "\n")),
        false => output::binary(target, &code),
    }
}

/// The machine code of a file of assembly.
pub fn code(file: &File) -> Result<Vec<u8>, Failure> {
    match file.kind {
        Kind::Assembly => assemble(file.text()?).map_err(|error| rejected(&error, &file.name)),
        kind => Err(file.problem(101, &format!("assembly is wanted here, and this is {}", kind.name()))),
    }
}

fn rejected(error: &AsmError, file: &str) -> Failure {
    let location = Location::Text { line: error.line as u32, column: error.column as u32 };
    Diagnostic::new(301, error.problem.to_string()).in_file(file).at(location).into()
}
