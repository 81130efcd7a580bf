//! `agxc run`: compiles a compute shader, runs it on the reference machine, checks and prints its buffers.

use agx_abi::{PartRole, Stage};
use agx_compiler::CompiledShader;
use agx_compiler::internal::frontend::language::IR;
use agx_emulator::launch::BufferBinding;
use agx_emulator::{Profile, Report};
use clap::ArgMatches;

use super::run_plan::Plan;
use super::{Arg, Takes, arg, asm, compile, disasm, has_effect};
use crate::assembly::Part;
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::Kind;
use crate::machine::{self, Job};
use crate::values::{self, Element, Expectation, Slot, Values};
use crate::{assembly, input, npy, output, pica, picture, texture, vertex};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg(
        "buffer",
        Takes::Values("SET.BINDING=SPEC"),
        "A buffer: f32:1,2,3 u32:… zero:BYTES file:PATH (raw bytes or .npy)",
    ),
    arg(
        "texture",
        Takes::Values("SET.BINDING=SPEC"),
        "A texture: png:PATH, or FORMAT:[KIND:]SIZE:SPEC as for buffers, like r32f:2x2:f32:1,2,3,4 or r32ui:buffer:3:u32:1,2,3",
    ),
    arg("image", Takes::Values("SET.BINDING=SPEC"), "A storage image, specified like a texture"),
    arg(
        "sampler",
        Takes::Values("SET.BINDING=WORDS"),
        "A sampler: nearest or linear, clamp, repeat, mirror, levels_linear, compare_less, …",
    ),
    arg("push", Takes::Value("SPEC"), "Push constants, specified like a buffer"),
    arg("args", Takes::Value("SPEC"), "Arguments of an IR kernel: f32:1,2"),
    arg(
        "results",
        Takes::Value("COUNT[:TYPE]"),
        "Print the results of an IR kernel, as u32 unless a type is given",
    ),
    arg(
        "register",
        Takes::Values("NAME=VALUES"),
        "A register of a vertex shader: va0=1,2,3,1 vc4=… for AGAL, in0=… const4=… for TGSI, v0=… c4=… i0=3,0,1 b2=1 for PICA200, location0=… for other languages",
    ),
    arg("groups", Takes::Value("X,Y,Z"), "Number of workgroups [default: 1,1,1]"),
    arg(
        "expect",
        Takes::Values("SET.BINDING=SPEC"),
        "Expected contents of a buffer after the run; end the values with `,...` to compare only the first",
    ),
    arg("tolerance", Takes::Value("NUMBER"), "Allowed difference of floats, relative above one [default: 0]"),
    arg(
        "dump",
        Takes::Values("SET.BINDING[:TYPE]"),
        "Print a buffer after the run, as u32 unless a type is given",
    ),
    arg(
        "save",
        Takes::Values("SET.BINDING[:TYPE]=PATH"),
        "Write a buffer after the run: its bytes, or an array of TYPE when the path ends with .npy",
    ),
    arg(
        "png",
        Takes::Value("SET.BINDING:WIDTHxHEIGHT"),
        "Write a buffer of rgba8 words as a picture, to --output",
    ),
    arg("code", Takes::Value("FILE"), "Run this assembly or machine code instead of the compiled code"),
    arg("seed", Takes::Value("NUMBER"), "Seed for the interleaving of SIMD-groups"),
    arg(
        "budget",
        Takes::Value("NUMBER"),
        "Stop the run after this number of instructions, counted over all SIMD-groups",
    ),
    arg("report", Takes::Nothing, "Print the numbers of instructions and cycles"),
    arg("profile", Takes::Nothing, "Print how often each instruction ran"),
    arg("trace", Takes::Nothing, "Write a line for every executed instruction to standard error"),
    arg("races", Takes::Nothing, "Detect data races, byte by byte (slow)"),
];

/// Compiles and runs a shader, then checks and prints its buffers.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let plan = Plan::from_options(options)?;
    let file = compile::read(options, context)?;
    for option in ["args", "results"] {
        has_effect(options, option, file.kind.is(&IR), "on shaders other than IR kernels")?;
    }
    if pica::is_pica200(&file) && options.get_many::<String>("buffer").is_none() {
        let text = pica::run(&file, options, plan.machine)?;
        return output::text(options.get_one::<String>("output").map(String::as_str), &text);
    }
    let mut shader = compile::shader(&file, options)?;
    if shader.info.stage == Stage::Vertex {
        let mut buffers = plan.buffers;
        let text = vertex::run(&file, options, &mut buffers, plan.machine)?;
        return output::text(options.get_one::<String>("output").map(String::as_str), &text);
    }
    if shader.info.stage != Stage::Compute {
        let stage = shader.info.stage.name();
        let message =
            format!("`run` supports compute and vertex shaders, not {stage} shaders; `render` draws scenes");
        return Err(file.problem(101, &message));
    }
    if let Some(name) = options.get_one::<String>("code") {
        replace_code(&mut shader, name, context)?;
    }
    let mut buffers = plan.buffers;
    let mut textures = plan.textures;
    let job = Job {
        name: &file.name,
        samplers: &plan.samplers,
        push_constants: &plan.push_constants,
        arguments: &plan.arguments,
        results: plan.results.0,
        workgroups: plan.workgroups,
        options: plan.machine,
    };
    let outcome = machine::run(&shader, &mut buffers, &mut textures, &job);
    output::stderr_lines(&outcome.report.trace);
    if let Some(failure) = outcome.failure {
        return Err(failure);
    }
    // Images can be dumped, checked and saved like buffers.
    buffers.extend(textures.into_iter().filter(|texture| texture.storage).map(texture::contents));
    check(&plan.after.expectations, &buffers, plan.after.tolerance, &file.name)?;
    let mut text = String::new();
    for (slot, element) in &plan.after.dumps {
        text.push_str(&values::print(&find(&buffers, *slot)?.bytes, *element));
    }
    let results: Vec<u8> = outcome.results.iter().flat_map(|word| plan.results.1.low_bytes(*word)).collect();
    text.push_str(&values::print(&results, plan.results.1));
    text.push_str(&report(&outcome.report, options.get_flag("report")));
    for (slot, element, path) in &plan.after.saves {
        save(path, &find(&buffers, *slot)?.bytes, *element)?;
    }
    if let Some((slot, width, height, path)) = &plan.after.picture {
        picture::save(path, &find(&buffers, *slot)?.bytes, *width, *height)?;
        return output::stdout(text.as_bytes());
    }
    output::text(options.get_one::<String>("output").map(String::as_str), &text)
}

/// Compares buffers with their expected contents.
fn check(
    expectations: &[Expectation],
    buffers: &[BufferBinding],
    tolerance: f64,
    name: &str,
) -> Result<(), Failure> {
    for expectation in expectations {
        let found = &find(buffers, expectation.slot)?.bytes;
        if let Some(difference) = expectation.difference(found, tolerance) {
            let message = format!("buffer {}: {difference}", expectation.slot);
            return Err(Diagnostic::new(402, message).in_file(name).into());
        }
    }
    Ok(())
}

/// Writes a buffer to `path`.
fn save(path: &str, bytes: &[u8], element: Element) -> Result<(), Failure> {
    match path.ends_with(".npy") {
        true => output::binary(Some(path), &npy::write(&Values { element, bytes: bytes.to_vec() })),
        false => output::binary(Some(path), bytes),
    }
}

/// Replaces the parts that the file called `name` contains; the information for the driver is unchanged. Raw machine
/// code replaces the main part.
fn replace_code(shader: &mut CompiledShader, name: &str, context: &mut Context) -> Result<(), Failure> {
    let file = input::read(name, None, context)?;
    let parts = match file.kind {
        Kind::Assembly => asm::parts(&file)?,
        _ => vec![Part { role: PartRole::Main, continues: false, code: disasm::code(&file)? }],
    };
    for new in parts {
        let part = shader.parts.iter_mut().find(|part| part.role == new.role);
        let missing = || {
            let role = assembly::role_name(new.role);
            file.problem(303, &format!("the compiled shader has no part `{role}` to replace"))
        };
        part.ok_or_else(missing)?.code = new.code;
    }
    Ok(())
}

/// The counts if requested, and the profile if there is one.
fn report(report: &Report, counts: bool) -> String {
    let mut text = report.profile.as_ref().map_or_else(String::new, Profile::text);
    if counts {
        text.push_str(&format!(
            "{} instructions, {} lane instructions, {} cycles estimated, {} memory lines\n",
            report.instructions,
            report.lane_instructions,
            report.estimated_cycles(),
            report.lines
        ));
    }
    text
}

fn find(buffers: &[BufferBinding], slot: Slot) -> Result<&BufferBinding, Failure> {
    let same = |buffer: &&BufferBinding| {
        (buffer.set, buffer.binding, buffer.element) == (slot.set, slot.binding, slot.element)
    };
    buffers.iter().find(same).ok_or_else(|| Failure::usage(format!("no --buffer is bound at {slot}")))
}
