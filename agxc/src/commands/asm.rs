//! `agxc asm`: assembly to machine code.

use clap::ArgMatches;

use super::{Arg, Takes, arg, compile, has_effect};
use crate::assembly::{self, Part};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::input::{File, Kind};
use crate::{formats, output};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("hex", Takes::Nothing, "Write the bytes as hexadecimal text"),
    arg("part", Takes::Value("PART"), "The part to write, if the listing has several: main, preamble, …"),
];

/// Assembles one part of a text.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let file = compile::read(options, context)?;
    let target = options.get_one::<String>("output").map(String::as_str);
    if let Some(bytes) = formats::assemble(&file) {
        for option in ["hex", "part"] {
            has_effect(options, option, false, &format!("on {}", file.kind.name()))?;
        }
        return output::binary(target, &bytes?);
    }
    let code = chosen(&file, options.get_one::<String>("part").map(String::as_str))?.code;
    match options.get_flag("hex") {
        true => output::text(target, &(output::hex(&code) + "\n")),
        false => output::binary(target, &code),
    }
}

/// The part called `wanted`, or the only one.
fn chosen(file: &File, wanted: Option<&str>) -> Result<Part, Failure> {
    let role = wanted.map(assembly::role).transpose()?;
    let mut parts = parts(file)?;
    let names: Vec<&str> = parts.iter().map(|part| assembly::role_name(part.role)).collect();
    let names = names.join(", ");
    parts.retain(|part| role.is_none_or(|role| part.role == role));
    match (parts.pop(), parts.is_empty()) {
        (Some(part), true) => Ok(part),
        (Some(_), false) => {
            Err(file
                .problem(303, &format!("the listing has several parts ({names}); choose one with --part")))
        }
        (None, _) => Err(file.problem(
            303,
            &format!("the listing has no part `{}`; it has {names}", wanted.unwrap_or("main")),
        )),
    }
}

/// The parts of a file of assembly.
pub fn parts(file: &File) -> Result<Vec<Part>, Failure> {
    match file.kind {
        Kind::Assembly => assembly::parts(file.text()?, &file.name),
        kind => Err(file.problem(101, &format!("expected assembly, found {}", kind.name()))),
    }
}
