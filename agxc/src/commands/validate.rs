//! `agxc validate`: does machine code keep the rules of the machine?

use agx_abi::PartRole;
use agx_compiler::ShaderPart;
use agx_isa::validate::{Limits, Part, validate};
use clap::ArgMatches;

use super::{Arg, Takes, arg, asm, compile, disasm};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::{File, Kind};
use crate::listing;

/// Options of this command alone.
pub const ARGS: &[Arg] = &[
    arg("registers", Takes::Value("HALVES"), "Half registers the code may use; 256 when absent"),
    arg("uniforms", Takes::Value("HALVES"), "Uniform half-words the code may use; 512 when absent"),
    arg(
        "part",
        Takes::Value("PART"),
        "Which part raw code is: main (the default), preamble, prolog or epilog",
    ),
    arg("goes-on", Takes::Nothing, "Another part follows raw code, which need not stop"),
];

/// Checks a program, or every part of a shader; says nothing when all is well.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let file = compile::read(options, context)?;
    let problems = match file.kind {
        Kind::Assembly => problems(&asm::code(&file)?, limits(options)?, &file, ""),
        Kind::Code | Kind::Hex => problems(&disasm::code(&file)?, limits(options)?, &file, ""),
        _ => of_shader(&file, options)?,
    };
    if problems.is_empty() { Ok(()) } else { Err(Failure::Problems(problems)) }
}

fn limits(options: &ArgMatches) -> Result<Limits, Failure> {
    let limit =
        |name: &str, machine: u16| match options.get_one::<String>(name) {
            None => Ok(machine),
            Some(text) => text.parse().ok().filter(|halves| *halves <= machine).ok_or_else(|| {
                Failure::usage(format!("--{name} wants a number up to {machine}, not `{text}`"))
            }),
        };
    let part = match options.get_one::<String>("part") {
        None => Part::Main,
        Some(name) => Part::from_name(name).ok_or_else(|| {
            let names = Part::ALL.map(|(name, _)| name).join(", ");
            Failure::usage(format!("unknown part `{name}`; expected one of {names}"))
        })?,
    };
    Ok(Limits {
        register_halves: limit("registers", Limits::MACHINE.register_halves)?,
        uniform_halves: limit("uniforms", Limits::MACHINE.uniform_halves)?,
        part,
        goes_on: options.get_flag("goes-on"),
    })
}

/// Compiles a shader and checks each part against what the compiler says it uses.
fn of_shader(file: &File, options: &ArgMatches) -> Result<Vec<Diagnostic>, Failure> {
    let shader = compile::shader(file, options)?;
    let limits = |part: &ShaderPart| {
        let (kind, register_halves) = match part.role {
            PartRole::Preamble => (Part::Preamble, shader.info.preamble_gpr_halves),
            PartRole::Prolog => (Part::Prolog, shader.info.gpr_halves),
            PartRole::Epilog => (Part::Epilog, shader.info.gpr_halves),
            PartRole::Main => (Part::Main, shader.info.gpr_halves),
        };
        let goes_on = shader.info.goes_on(part.role);
        Limits { register_halves, uniform_halves: shader.info.uniform_halves, part: kind, goes_on }
    };
    let parts = shader.parts.iter();
    Ok(parts
        .flat_map(|part| problems(&part.code, limits(part), file, listing::role_name(part.role)))
        .collect())
}

fn problems(code: &[u8], limits: Limits, file: &File, part: &str) -> Vec<Diagnostic> {
    let space = if part.is_empty() { "" } else { " " };
    let problem = |finding: &agx_isa::validate::Finding| {
        let text = format!("{part}{space}{:#06x} `{}`: {}", finding.pc, finding.text, finding.problem);
        Diagnostic::new(302, text).in_file(&file.name)
    };
    validate(code, limits).iter().map(problem).collect()
}
