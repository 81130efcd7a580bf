//! `agxc run`: compiles a compute shader, runs it on the reference machine, checks and prints its buffers.

use agx_abi::{PartRole, Stage};
use agx_compiler::CompiledShader;
use agx_compiler::internal::frontend::language::IR;
use agx_compiler::internal::tracking::Tracking;
use agx_emulator::launch::BufferBinding;
use agx_emulator::{Profile, Report};
use clap::ArgMatches;

use super::run_plan::{After, Inputs, Plan};
use super::{Arg, Takes, arg, asm, compile, disasm, has_effect};
use crate::assembly::Part;
use crate::context::Context;
use crate::debugger::symbols;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::{File, Kind};
use crate::machine::{Job, Outcome};
use crate::report::{executed, html};
use crate::resources::Bindings;
use crate::values::{self, Element, Expectation, Slot, Values};
use crate::vertex::{self, Ran};
use crate::{assembly, input, kernel, lint, npy, output, pica, picture, texture};

/// Options for the inputs of a run.
pub const INPUTS: &[Arg] = &[
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
        "arg",
        Takes::Values("INDEX=SPEC"),
        "An argument of an OpenCL kernel: a buffer or a value like f32:1,2, or local:BYTES, or null",
    ),
    arg("groups", Takes::Value("X,Y,Z"), "Number of workgroups [default: 1,1,1]"),
    arg(
        "global-size",
        Takes::Value("X,Y,Z"),
        "Number of work-items of an OpenCL kernel, instead of --groups",
    ),
    arg("global-offset", Takes::Value("X,Y,Z"), "Number of its first work-item [default: 0,0,0]"),
    arg("code", Takes::Value("FILE"), "Run this assembly or machine code instead of the compiled code"),
    arg("seed", Takes::Value("NUMBER"), "Seed for the interleaving of SIMD-groups"),
    arg(
        "budget",
        Takes::Value("NUMBER"),
        "Stop the run after this number of instructions, counted over all SIMD-groups",
    ),
];

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg(
        "register",
        Takes::Values("NAME=VALUES"),
        "A register of a vertex shader: va0=1,2,3,1 vc4=… for AGAL, in0=… const4=… for TGSI, v0=… c4=… i0=3,0,1 b2=1 for PICA200, location0=… for other languages",
    ),
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
    arg("report", Takes::Nothing, "Print the numbers of instructions and cycles"),
    arg("profile", Takes::Nothing, "Print how often each instruction ran"),
    super::PROFILE_LINES,
    super::FOLDED,
    super::FLAME,
    super::EXECUTED,
    arg("trace", Takes::Nothing, "Write a line for every executed instruction to standard error"),
    arg("races", Takes::Nothing, "Detect data races, byte by byte (slow)"),
];

/// The kinds of programs, which have different options.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Kernel,
    Compute,
    Vertex,
    Pica,
}

impl Subject {
    fn plural(self) -> &'static str {
        match self {
            Subject::Kernel => "IR kernels",
            Subject::Compute => "compute shaders",
            Subject::Vertex => "vertex shaders",
            Subject::Pica => "PICA200 programs",
        }
    }
}

/// The kinds of programs on which an option has an effect; the others have one on all kinds.
const EFFECTS: &[(&str, &[Subject])] = &[
    ("args", &[Subject::Kernel]),
    ("results", &[Subject::Kernel]),
    ("register", &[Subject::Vertex, Subject::Pica]),
    ("groups", &[Subject::Kernel, Subject::Compute]),
    ("arg", &[Subject::Compute]),
    ("global-size", &[Subject::Compute]),
    ("global-offset", &[Subject::Compute]),
    ("code", &[Subject::Kernel, Subject::Compute]),
    ("profile-lines", &[Subject::Kernel, Subject::Compute]),
    ("folded", &[Subject::Kernel, Subject::Compute]),
    ("flame", &[Subject::Kernel, Subject::Compute]),
    ("executed", &[Subject::Kernel, Subject::Compute]),
    ("push", &[Subject::Kernel, Subject::Compute, Subject::Vertex]),
    ("texture", &[Subject::Kernel, Subject::Compute, Subject::Vertex]),
    ("image", &[Subject::Kernel, Subject::Compute, Subject::Vertex]),
    ("sampler", &[Subject::Kernel, Subject::Compute, Subject::Vertex]),
    ("expect", &[Subject::Kernel, Subject::Compute, Subject::Vertex]),
    ("dump", &[Subject::Kernel, Subject::Compute, Subject::Vertex]),
    ("save", &[Subject::Kernel, Subject::Compute, Subject::Vertex]),
    ("png", &[Subject::Kernel, Subject::Compute, Subject::Vertex]),
];

/// Rejects options that have no effect on a program of this kind.
fn check_effects(options: &ArgMatches, subject: Subject) -> Result<(), Failure> {
    has_effect(options, "tolerance", options.contains_id("expect"), "without --expect")?;
    EFFECTS.iter().try_for_each(|(option, subjects)| {
        has_effect(options, option, subjects.contains(&subject), &format!("on {}", subject.plural()))
    })
}

/// Compiles and runs a shader, then checks and prints its buffers.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let plan = Plan::from_options(options)?;
    let file = compile::read(options, context)?;
    if pica::is_pica200(&file) && options.get_many::<String>("buffer").is_none() {
        check_effects(options, Subject::Pica)?;
        let Ran { text, outcome, .. } = pica::run(&file, options, plan.inputs.machine)?;
        return finish(&file, options, &plan.after, (text, outcome), Bindings::default());
    }
    let mut shader = compile::shader(&file, options)?;
    match shader.info.stage {
        Stage::Vertex => {
            check_effects(options, Subject::Vertex)?;
            let Inputs { mut bindings, machine, .. } = plan.inputs;
            context.warnings.add(lint::unused_bindings(&file, &shader.info, &bindings))?;
            let Ran { text, outcome, warnings } = vertex::run(&file, options, &mut bindings, machine)?;
            context.warnings.add(warnings)?;
            finish(&file, options, &plan.after, (text, outcome), bindings)
        }
        Stage::Compute => {
            let is_kernel = file.kind.is(&IR);
            check_effects(options, if is_kernel { Subject::Kernel } else { Subject::Compute })?;
            if let Some(name) = options.get_one::<String>("code") {
                replace_code(&mut shader, name, context)?;
            }
            let mut plan = plan;
            kernel::prepare(options, &mut shader.info, &mut plan.inputs)?;
            context.warnings.add(lint::unused_bindings(&file, &shader.info, &plan.inputs.bindings))?;
            compute(&shader, &file, options, plan)
        }
        Stage::Fragment => {
            let message =
                "`run` supports compute and vertex shaders, not fragment shaders; `render` draws scenes";
            Err(file.problem(101, message))
        }
    }
}

/// Runs a compute shader or a kernel.
fn compute(shader: &CompiledShader, file: &File, options: &ArgMatches, plan: Plan) -> Result<(), Failure> {
    let Inputs { mut bindings, arguments, results: wanted, workgroups, machine } = plan.inputs;
    let job = Job {
        name: &file.name,
        samplers: &bindings.samplers,
        push_constants: &bindings.push_constants,
        arguments: &arguments,
        results: wanted.0,
        workgroups,
        options: machine,
    };
    let outcome = crate::machine::run(shader, &mut bindings.buffers, &mut bindings.textures, &job);
    let lines = by_line(shader, file, options, &outcome.report)?;
    let results = outcome.results.iter().flat_map(|word| wanted.1.low_bytes(*word));
    let printed = kernel::printed(&shader.info, &bindings.buffers);
    let printed = String::from_utf8_lossy(&printed);
    let text = values::print(&results.collect::<Vec<u8>>(), wanted.1) + &printed + &lines;
    finish(file, options, &plan.after, (text, outcome), bindings)
}

/// The profile by source line as text; writes its other forms.
fn by_line(
    shader: &CompiledShader,
    file: &File,
    options: &ArgMatches,
    report: &Report,
) -> Result<String, Failure> {
    let Some(profile) = &report.profile else { return Ok(String::new()) };
    let symbols = symbols::of(shader, &Tracking::default());
    if let Some(path) = options.get_one::<String>("folded") {
        output::text(Some(path), &executed::folded(&file.name, profile, &symbols))?;
    }
    if let Some(path) = options.get_one::<String>("flame") {
        let programs = std::iter::once((file.name.clone(), profile, &symbols));
        output::text(Some(path), &html::flame_file(programs))?;
    }
    if let Some(path) = options.get_one::<String>("executed") {
        let source = |name: &str, line: u32| file.line(name, line);
        let section = html::executed("Executed lines", profile, &symbols, source);
        output::text(Some(path), &html::executed_page(&file.name, &[section]))?;
    }
    if !options.get_flag("profile-lines") {
        return Ok(String::new());
    }
    let source = |name: &str, line: u32| file.line(name, line).map(str::to_owned);
    Ok(executed::text(&file.name, profile, &symbols, source))
}

/// Reports the outcome of a run, checks its buffers, and writes them and the run's own text.
fn finish(
    file: &File,
    options: &ArgMatches,
    after: &After,
    (own, outcome): (String, Outcome),
    bindings: Bindings,
) -> Result<(), Failure> {
    output::stderr_lines(&outcome.report.trace);
    if let Some(failure) = outcome.failure {
        return Err(failure);
    }
    let mut buffers = bindings.buffers;
    // Images can be dumped, checked and saved like buffers.
    buffers.extend(bindings.textures.into_iter().filter(|texture| texture.storage).map(texture::contents));
    check(&after.expectations, &buffers, after.tolerance, &file.name)?;
    let mut text = String::new();
    for (slot, element) in &after.dumps {
        text.push_str(&values::print(&find(&buffers, *slot)?.bytes, *element));
    }
    text.push_str(&own);
    text.push_str(&report(&outcome.report, options.get_flag("profile"), options.get_flag("report")));
    for (slot, element, path) in &after.saves {
        save(path, &find(&buffers, *slot)?.bytes, *element)?;
    }
    if let Some((slot, width, height, path)) = &after.picture {
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
pub fn replace_code(shader: &mut CompiledShader, name: &str, context: &mut Context) -> Result<(), Failure> {
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

/// The profile and the counts, if requested.
fn report(report: &Report, profile: bool, counts: bool) -> String {
    let profile = report.profile.as_ref().filter(|_| profile);
    let mut text = profile.map_or_else(String::new, Profile::text);
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
