//! Compiles shaders and runs them on the reference machine as a driver would; errors become outcomes.

use agx_abi::pipeline::{BindingAccess, PipelineLayout, SetLayout};
use agx_abi::{PartRole, Target};
use agx_compiler::link::LinkedProgram;
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::launch::textures::{SamplerResource, TextureResource};
use agx_emulator::launch::{BufferBinding, Launch, LaunchError, ShadeLaunch, StageProgram, VertexLaunch};
use agx_emulator::{Finding, FindingKind, Framebuffer, MemoryOrder, Options, Report, Tests};
use agx_isa::disasm::{Line, Piece, disassemble};
use agx_isa::table::Opcode;
use agx_isa::validate::{Limits, validate};

use crate::amber::pipeline::Bound;
use crate::outcome::Outcome;

/// Maximum number of instructions of a SIMD-group before a run is considered endless.
const MAX_STEPS: u64 = 20_000_000;

/// Maximum number of sets, bindings per set and elements per binding in shaders of the suites.
const SETS: u32 = 8;
const BINDINGS: u32 = 64;
const ELEMENTS: u32 = 32;

/// A layout with every binding that a shader may have, with this access.
pub fn layout_of_all(access: BindingAccess) -> PipelineLayout {
    let set = |set| {
        let mut layout = SetLayout::of_descriptors(set, (0..BINDINGS).map(|binding| (binding, ELEMENTS)));
        layout.bindings.iter_mut().for_each(|binding| binding.access = access);
        layout
    };
    PipelineLayout { sets: (0..SETS).map(set).collect() }
}

/// Compiles for the default target.
///
/// # Errors
/// The outcome that is not a pass.
pub fn compile(input: Input<'_>, key: &CompileKey) -> Result<CompiledShader, Outcome> {
    Compiler::new(Target::default()).compile(&mut Scratch::default(), input, key).map_err(Outcome::from)
}

/// A buffer that is not an array element.
pub fn storage_buffer(set: u32, binding: u32, bytes: Vec<u8>, writable: bool) -> BufferBinding {
    BufferBinding { set, binding, element: 0, bytes, writable }
}

/// The resources of a dispatch.
#[derive(Default)]
pub struct Resources<'r> {
    /// Buffers, which the shader may write.
    pub buffers: &'r mut [BufferBinding],
    /// Textures and images, which the shader may write.
    pub textures: &'r mut [TextureResource],
    /// Samplers.
    pub samplers: &'r [SamplerResource],
    /// Push constants.
    pub push_constants: &'r [u8],
}

/// Dispatches a compute shader on the strict machine, and copies the new contents back to the buffers.
///
/// # Errors
/// The outcome that is not a pass: every finding of the machine is a failure, except for features that it does not
/// model.
pub fn launch(
    shader: &CompiledShader,
    buffers: &mut [BufferBinding],
    push_constants: &[u8],
    workgroups: [u32; 3],
    seed: u64,
) -> Result<Report, Outcome> {
    let resources = Resources { buffers, push_constants, ..Resources::default() };
    launch_with(shader, resources, workgroups, seed)
}

/// Every run is strict, with relaxed memory order determined by the seed.
fn options(seed: u64) -> Options {
    Options { seed, max_steps: MAX_STEPS, memory_order: MemoryOrder::Relaxed, ..Options::default() }
}

/// As [`launch`], with textures and samplers.
///
/// # Errors
/// As [`launch`].
pub fn launch_with(
    shader: &CompiledShader,
    resources: Resources<'_>,
    workgroups: [u32; 3],
    seed: u64,
) -> Result<Report, Outcome> {
    let code = shader
        .part(PartRole::Main)
        .ok_or_else(|| Outcome::Fail("the compiled shader has no main part".into()))?;
    let launch = Launch {
        code,
        preamble: shader.part(PartRole::Preamble),
        info: &shader.info,
        buffers: resources.buffers,
        textures: resources.textures,
        samplers: resources.samplers,
        push_constants: resources.push_constants,
        arguments: &[],
        results: &mut [],
        workgroups,
        options: options(seed),
    };
    outcome(launch.run())
}

/// A linked program for a draw or for shading, with the shader that is its main part.
pub fn stage<'a>(
    shader: &'a CompiledShader,
    program: &'a LinkedProgram,
    push_constants: &'a [u8],
) -> StageProgram<'a> {
    StageProgram {
        code: &program.code,
        preamble: shader.part(PartRole::Preamble),
        info: &shader.info,
        scratch_bytes: program.scratch_bytes,
        push_constants,
    }
}

/// Runs a vertex shader that was compiled as a compute shader, and returns the words of its outputs.
///
/// # Errors
/// As [`launch`].
pub fn vertices(launch: VertexLaunch<'_>) -> Result<Vec<u8>, Outcome> {
    let (words, report) = match launch.run() {
        Ok((words, report)) => (words, Ok(report)),
        Err(error) => (Vec::new(), Err(error)),
    };
    outcome(report).map(|_| words)
}

/// Every finding of the machine is a failure, except for features that it does not model.
pub fn outcome(result: Result<Report, LaunchError>) -> Result<Report, Outcome> {
    match result {
        Ok(report) => match report.findings.first() {
            None => Ok(report),
            Some(finding) => Err(of_finding(finding)),
        },
        Err(LaunchError::Stopped(stop)) => Err(of_finding(&stop.finding)),
        Err(error) => Err(Outcome::Fail(format!("launch: {error}"))),
    }
}

/// Shades a rectangle with a linked fragment program on the strict machine, and copies the new contents back to the
/// buffers.
///
/// # Errors
/// As [`launch`].
pub fn shade(
    shader: &CompiledShader,
    program: &LinkedProgram,
    bound: &mut Bound<'_>,
    rectangle: [u32; 4],
    framebuffer: &mut Framebuffer,
    seed: u64,
) -> Result<Report, Outcome> {
    let launch = ShadeLaunch {
        fragment: stage(shader, program, &bound.push_constants),
        buffers: &mut bound.buffers,
        textures: &mut [],
        samplers: &[],
        targets: &mut [],
        blend_constant: [0.0; 4],
        stipple: None,
        rectangle,
        depth: 0.0,
        tests: Tests::default(),
        late_tests: program.late_tests,
        options: options(seed),
    };
    outcome(launch.run(framebuffer))
}

/// Checks a linked program by the rules of the instruction set.
///
/// # Errors
/// The first violated rule, as a failure.
pub fn validate_program(program: &LinkedProgram) -> Result<(), Outcome> {
    let limits = Limits {
        register_halves: program.gpr_halves,
        uniform_halves: program.uniform_halves,
        ..Limits::MACHINE
    };
    match validate(&program.code, limits).first() {
        None => Ok(()),
        Some(finding) => Err(Outcome::Fail(format!("linked program: {finding}"))),
    }
}

/// Number of instructions of a program that compute, access memory or branch. Waits and moves are not counted, because
/// they depend on scheduling and register allocation.
pub fn instructions(code: &[u8]) -> usize {
    let counts = |line: &Line| match line.piece {
        Piece::Inst(inst) => inst.op != Opcode::Wait && !inst.to_string().starts_with("mov "),
        Piece::Unknown(_) => true,
    };
    disassemble(code).iter().filter(|line| counts(line)).count()
}

/// The outcome for a finding.
fn of_finding(finding: &Finding) -> Outcome {
    match finding.kind {
        FindingKind::Unsupported(_) => Outcome::Unsupported(format!("machine: {finding}")),
        _ => Outcome::Fail(format!("strict: {finding}")),
    }
}
