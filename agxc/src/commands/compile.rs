//! `agxc compile`.

use agx_abi::PartRole;
use agx_compiler::{CompiledShader, Compiler, Scratch};
use clap::ArgMatches;

use super::{Arg, Takes, arg};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::{self, File};
use crate::{key, listing, output, shader_json};

/// Options of this command alone.
pub const ARGS: &[Arg] = &[
    arg("emit", Takes::Choice(&["asm", "bin", "json"]), "What to write"),
    arg("print-key", Takes::Nothing, "Print the compile key as JSON and stop"),
];

/// Compiles one shader and writes what `--emit` asks for.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let target = options.get_one::<String>("output").map(String::as_str);
    if options.get_flag("print-key") {
        let (chip, key) = key::from_options(options)?;
        return output::text(target, &key::to_json(chip, &key));
    }
    let file = read(options, context)?;
    let shader = shader(&file, options)?;
    match options.get_one::<String>("emit").map_or("asm", String::as_str) {
        "bin" => output::binary(target, shader.part(PartRole::Main).unwrap_or_default()),
        "json" => {
            let (chip, _) = key::from_options(options)?;
            output::text(target, &format!("{:#}\n", shader_json::shader(&shader, chip)))
        }
        _ => output::text(target, &listing::shader(&shader)),
    }
}

/// Reads the input that the options name.
pub fn read(options: &ArgMatches, context: &mut Context) -> Result<File, Failure> {
    let name = options.get_one::<String>("FILE").map_or("-", String::as_str);
    input::read(name, options.get_one::<String>("kind").map(String::as_str), context)
}

/// Compiles `file` under the key of the options.
pub fn shader(file: &File, options: &ArgMatches) -> Result<CompiledShader, Failure> {
    let (target, key) = key::from_options(options)?;
    let result = Compiler::new(target).compile(&mut Scratch::default(), file.shader()?, &key);
    result.map_err(|error| Diagnostic::from_compiler(error, &file.name).into())
}
