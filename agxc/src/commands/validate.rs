//! `agxc validate`: checks machine code against the rules of the hardware.

use agx_abi::PartRole;
use agx_compiler::{CompiledShader, ShaderPart};
use agx_isa::validate::{Limits, Part, validate};
use clap::ArgMatches;

use super::{Arg, KEY, SOURCE, TARGET, Takes, arg, asm, compile, disasm, has_effect, option_names};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure, Problems};
use crate::input::{File, Kind};
use crate::{assembly, key};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("registers", Takes::Value("HALVES"), "Half-registers the code may use [default: 256]"),
    arg("uniforms", Takes::Value("HALVES"), "Uniform half-words the code may use [default: 512]"),
    compile::WHOLE,
    arg(
        "part",
        Takes::Value("PART"),
        "The kind of part of raw code: main (default), preamble, prolog, epilog",
    ),
    arg(
        "continues",
        Takes::Nothing,
        "The code continues in another part and need not end with `stop` (prologs, fragment main parts)",
    ),
];

/// Checks a program, or every part of every entry point of a shader; prints nothing when the code is valid.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let name = options.get_one::<String>("FILE").map_or("-", String::as_str);
    let mut problems = Problems::default();
    check(name, options, context, &mut problems)?;
    problems.result()
}

/// Adds every finding in a file of machine code, assembly or a shader to `problems`.
pub fn check(
    name: &str,
    options: &ArgMatches,
    context: &mut Context,
    problems: &mut Problems,
) -> Result<(), Failure> {
    let (given, draw) = (limits(options)?, key::draw(options)?);
    compile::each_entry(name, options, context, problems, |file, unit, _| {
        if matches!(file.kind, Kind::Code | Kind::Hex | Kind::Assembly) {
            // Machine code without specialization constants has a message of its own.
            let compiling = option_names(&[TARGET, KEY, SOURCE]).filter(|name| *name != "spec");
            for option in ["whole"].into_iter().chain(compiling) {
                has_effect(options, option, false, "on machine code")?;
            }
        }
        let found = match file.kind {
            Kind::Code | Kind::Hex => findings(&disasm::code(file)?, given, file, ""),
            Kind::Assembly => of_assembly(file, given, options)?,
            _ => {
                for option in ["registers", "uniforms", "part", "continues"] {
                    has_effect(options, option, false, "on shaders, whose limits the compiler reports")?;
                }
                of_shader(&unit.compile(file, draw.as_ref())?, file, &unit.called("", ' '))
            }
        };
        if found.is_empty() { Ok(()) } else { Err(Failure::Problems(found)) }
    })?;
    Ok(())
}

/// Every finding in the parts of a listing.
fn of_assembly(file: &File, given: Limits, options: &ArgMatches) -> Result<Vec<Diagnostic>, Failure> {
    let parts = asm::parts(file)?;
    has_effect(options, "part", parts.len() == 1, "on a listing that names its parts")?;
    let chosen = options.get_one::<String>("part").map(|_| given.part);
    let limits = |part: &assembly::Part| Limits {
        part: chosen.unwrap_or(kind(part.role)),
        goes_on: given.goes_on || part.continues,
        ..given
    };
    let name = |part: &assembly::Part| if parts.len() == 1 { "" } else { assembly::role_name(part.role) };
    let found = parts.iter().map(|part| findings(&part.code, limits(part), file, name(part)));
    Ok(found.flatten().collect())
}

fn limits(options: &ArgMatches) -> Result<Limits, Failure> {
    let limit = |name: &str, most: u16| match options.get_one::<String>(name) {
        None => Ok(most),
        Some(text) => text.parse().ok().filter(|halves| *halves <= most).ok_or_else(|| {
            Failure::usage(format!("--{name}: expected a number from 0 to {most}, found `{text}`"))
        }),
    };
    Ok(Limits {
        register_halves: limit("registers", Limits::MACHINE.register_halves)?,
        uniform_halves: limit("uniforms", Limits::MACHINE.uniform_halves)?,
        part: options
            .get_one::<String>("part")
            .map_or(Ok(PartRole::Main), |name| assembly::role(name))
            .map(kind)?,
        goes_on: options.get_flag("continues"),
    })
}

/// The validator's word for a role.
fn kind(role: PartRole) -> Part {
    match role {
        PartRole::Main => Part::Main,
        PartRole::Preamble => Part::Preamble,
        PartRole::Prolog => Part::Prolog,
        PartRole::Epilog => Part::Epilog,
    }
}

/// Checks each part of a shader against the counts that the compiler reports. The preamble has a separate register count.
/// `entry` is the name of the entry point after a space, if the file has several.
fn of_shader(shader: &CompiledShader, file: &File, entry: &str) -> Vec<Diagnostic> {
    let limits = |part: &ShaderPart| Limits {
        register_halves: match part.role {
            PartRole::Preamble => shader.info.preamble_gpr_halves,
            _ => shader.info.gpr_halves,
        },
        uniform_halves: shader.info.uniform_halves,
        part: kind(part.role),
        goes_on: shader.info.goes_on(part.role),
    };
    let name =
        |part: &ShaderPart| format!("{entry} {}", assembly::role_name(part.role)).trim_start().to_owned();
    let parts = shader.parts.iter();
    parts.flat_map(|part| findings(&part.code, limits(part), file, &name(part))).collect()
}

fn findings(code: &[u8], limits: Limits, file: &File, part: &str) -> Vec<Diagnostic> {
    let space = if part.is_empty() { "" } else { " " };
    let problem = |finding: &agx_isa::validate::Finding| {
        let text = format!("{part}{space}{:#06x} `{}`: {}", finding.pc, finding.text, finding.problem);
        Diagnostic::new(302, text).in_file(&file.name)
    };
    validate(code, limits).iter().map(problem).collect()
}
