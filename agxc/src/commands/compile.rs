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
    arg(
        "emit",
        Takes::Value("WHAT"),
        "What to write: asm (default), bin, json, ir, ir-after=PASS, divergence",
    ),
    arg("print-key", Takes::Nothing, "Print the compile key as JSON and stop"),
];

/// Compiles one shader and writes what `--emit` asks for.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let target = options.get_one::<String>("output").map(String::as_str);
    if options.get_flag("print-key") {
        let (chip, key) = key::from_options(options)?;
        return output::text(target, &key::to_json(chip, &key));
    }
    let wanted = options.get_one::<String>("emit").map_or("asm", String::as_str);
    let emit = Emit::from_option(wanted).ok_or_else(|| {
        Failure::usage(format!("`{wanted}` cannot be emitted: asm, bin, json, ir, ir-after=PASS, divergence"))
    })?;
    let file = read(options, context)?;
    if let Emit::Ir(pass) = emit {
        return output::text(target, &ir(&file, options, pass)?);
    }
    if emit == Emit::Divergence {
        return output::text(target, &divergence(&file, options)?);
    }
    let shader = shader(&file, options)?;
    match emit {
        Emit::Binary => output::binary(target, shader.part(PartRole::Main).unwrap_or_default()),
        Emit::Json => {
            let (chip, _) = key::from_options(options)?;
            output::text(target, &format!("{:#}\n", shader_json::shader(&shader, chip)))
        }
        Emit::Assembly | Emit::Ir(_) | Emit::Divergence => output::text(target, &listing::shader(&shader)),
    }
}

/// What `--emit` asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Emit<'o> {
    Assembly,
    Binary,
    Json,
    /// The IR, as read or after the last run of a pass.
    Ir(Option<&'o str>),
    /// The IR with remarks on what differs between lanes.
    Divergence,
}

impl<'o> Emit<'o> {
    fn from_option(text: &'o str) -> Option<Emit<'o>> {
        match text {
            "asm" => Some(Emit::Assembly),
            "bin" => Some(Emit::Binary),
            "json" => Some(Emit::Json),
            "ir" => Some(Emit::Ir(None)),
            "divergence" => Some(Emit::Divergence),
            _ => text.strip_prefix("ir-after=").map(|pass| Emit::Ir(Some(pass))),
        }
    }
}

fn ir(file: &File, options: &ArgMatches, pass: Option<&str>) -> Result<String, Failure> {
    if let Some(name) = pass {
        super::pass::find(name)?;
    }
    let (target, key) = key::from_options(options)?;
    let input = file.shader(key.stage)?;
    let result = Compiler::new(target).compile_to_ir(&mut Scratch::default(), input, &key, pass);
    result.map_err(|error| Diagnostic::from_compiler(error, &file.name).into())
}

fn divergence(file: &File, options: &ArgMatches) -> Result<String, Failure> {
    let (target, key) = key::from_options(options)?;
    let input = file.shader(key.stage)?;
    let result = Compiler::new(target).divergence_text(&mut Scratch::default(), input, &key);
    result.map_err(|error| Diagnostic::from_compiler(error, &file.name).into())
}

/// Reads the input that the options name.
pub fn read(options: &ArgMatches, context: &mut Context) -> Result<File, Failure> {
    let name = options.get_one::<String>("FILE").map_or("-", String::as_str);
    input::read(name, options.get_one::<String>("kind").map(String::as_str), context)
}

/// Compiles `file` under the key of the options.
pub fn shader(file: &File, options: &ArgMatches) -> Result<CompiledShader, Failure> {
    let (target, key) = key::from_options(options)?;
    let result = Compiler::new(target).compile(&mut Scratch::default(), file.shader(key.stage)?, &key);
    let mut shader = result.map_err(|error| Diagnostic::from_compiler(error, &file.name))?;
    for name in shader.sources.files.iter_mut().filter(|name| input::is_the_input(name)) {
        name.clone_from(&file.name);
    }
    Ok(shader)
}
