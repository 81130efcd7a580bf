//! Compiles shaders to AGX machine code.
//!
//! Compilation is a single path: input bytes, one IR, a table of passes, machine code. See
//! [`Compiler::compile`] for the entry point, and [`link`] for the parts that a draw adds to vertex and
//! fragment shaders.
//!
//! ```
//! use agx_abi::{PartRole, Stage, Target};
//! use agx_compiler::{CompileKey, Compiler, Input, Scratch};
//!
//! # // A compute shader without instructions, in workgroups of 64×1×1.
//! # let words: [u32; 35] = [
//! #     0x0723_0203, 0x1_0000, 0, 5, 0, // the header, with the bound of the ids
//! #     2 << 16 | 17, 1, // OpCapability Shader
//! #     3 << 16 | 14, 0, 1, // OpMemoryModel Logical GLSL450
//! #     5 << 16 | 15, 5, 1, 0x6e69_616d, 0, // OpEntryPoint GLCompute %1 "main"
//! #     6 << 16 | 16, 1, 17, 64, 1, 1, // OpExecutionMode %1 LocalSize 64 1 1
//! #     2 << 16 | 19, 2, // %2 = OpTypeVoid
//! #     3 << 16 | 33, 3, 2, // %3 = OpTypeFunction %2
//! #     5 << 16 | 54, 2, 1, 0, 3, // %1 = OpFunction %2 None %3
//! #     2 << 16 | 248, 4, // %4 = OpLabel
//! #     1 << 16 | 253, // OpReturn
//! #     1 << 16 | 56, // OpFunctionEnd
//! # ];
//! # let module: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
//! // `module` has the bytes of a SPIR-V module, for instance of a file `shader.spv`.
//! let compiler = Compiler::new(Target::G13G);
//! // Compilations of a thread share memory.
//! let mut scratch = Scratch::default();
//! let mut key = CompileKey::default();
//! key.stage = Some(Stage::Compute);
//! key.entry_point = Some("main".to_owned());
//! let shader = compiler.compile(&mut scratch, Input::spirv(&module), &key)?;
//! assert_eq!(shader.info.workgroup_size, [64, 1, 1]);
//! assert!(shader.part(PartRole::Main).is_some_and(|code| !code.is_empty()));
//! # Ok::<(), agx_compiler::CompileError>(())
//! ```
//!
//! [`FRONT_ENDS`] lists the languages. [`Input::spirv`], [`Input::wgsl`] and [`Input::glsl`] have functions of their own;
//! other languages are named, as in `Input::new(Language::find("agal")?, bytes)`. The features `wgsl`, `glsl`, `agal`,
//! `pica200` and `tgsi` select those that are built.
//!
//! `examples/driver.rs` does what a driver does, from two shaders to the words of a draw; `docs/driver.md` of the project
//! is the guide for authors of drivers. `examples/compile.rs` is a small complete program.
//!
//! Two types are called `Target`: [`agx_abi::Target`] is a chip, [`link::Target`] a render target of a draw. Programs
//! that use both rename one, as in `use agx_abi::Target as Chip`.

// With some languages disabled, the code that only they use is not dead.
#![cfg_attr(
    not(all(feature = "agal", feature = "pica200", feature = "tgsi")),
    allow(dead_code, reason = "languages are features")
)]

mod analysis;
mod cache;
mod context;
mod emit;
mod error;
mod frontend;
#[doc(hidden)]
pub mod internal;
mod ir;
mod limits;
pub mod link;
mod lower;
mod opt;
mod pipeline;
mod regalloc;
mod schedule;
mod ssa;
mod stats;
mod stopping;
mod texts;

use crate::error::InputError;
use agx_abi::fragment::CoefficientSource;
use agx_abi::layout::UNIFORM_HALVES;
use agx_abi::linking::{MovedSteps, VertexOutputs};
use agx_abi::occupancy::MAX_GPR_HALVES;
use agx_abi::pipeline::PipelineLayout;
use agx_abi::tessellation::{PatchLayout, Rows};
use agx_abi::tile::TilePass;
use agx_abi::{MeshKind, PartRole, ShaderInfo, Stage, Target};
use bumpalo::Bump;
use context::{Context, Facts};
use emit::Tracking;
use lower::Frame;
use pipeline::{Options, Phase, Stop};

pub use cache::{BUILD_ID, CacheError};
pub use error::{CODES, CompileError, ErrorKind, ErrorRow, Example, Location};
pub use frontend::kit::conversion::{ColourModel, Conversion};
pub use frontend::kit::geometry::GeometryKey;
pub use frontend::kit::robustness::{Bounds, Robustness};
pub use frontend::{FRONT_ENDS, Input, Language};
pub use ir::{Position, Sources};
pub use limits::CompileLimits;
pub use stats::{Binding, FIGURES, Figure, Statistics};
pub use texts::Texts;

/// Everything that affects the code besides the input: equal keys and inputs give equal bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct CompileKey {
    /// Entry point; `None` selects the only one of the given stage.
    pub entry_point: Option<String>,
    /// Stage of the entry point; `None` accepts any.
    pub stage: Option<Stage>,
    /// Values of specialization constants by id, as raw bits (booleans 0 or 1).
    pub spec_constants: Vec<(u32, u64)>,
    /// Options of the input's language by name: see [`Language::options`].
    pub options: Vec<(String, u64)>,
    /// Names of optional passes to skip.
    pub disabled_passes: Vec<String>,
    /// Maximum half registers per thread, for experiments with occupancy and tests of spilling; `None`
    /// derives the limit from the workgroup size. A limit too small for a single instruction is an error.
    pub max_gpr_halves: Option<u16>,
    /// Where the driver places descriptors; without it the driver fills addresses and state registers.
    pub layout: Option<PipelineLayout>,
    /// The behaviour of buffer accesses out of bounds.
    pub robustness: Robustness,
    /// Compile a vertex shader as a compute shader of the hardware, for geometry stages in software: one
    /// invocation of the grid per vertex (x) and instance (y), with outputs in memory.
    pub vertex_as_compute: bool,
    /// A vertex shader compiled as a compute shader stores the outputs that its module captures
    /// ([`agx_abi::ShaderInfo::feedback`]) instead of all of them.
    pub captures_outputs: bool,
    /// How a geometry shader is joined to its draw; `None` reads the vertex shader's outputs in the slots
    /// that [`agx_abi::vertex::assign_slots`] gives those that the shader reads.
    pub geometry: Option<GeometryKey>,
    /// A vertex shader compiled as a compute shader stores its outputs in these rows, which a tessellation control
    /// shader reads ([`agx_abi::TessellationInfo::inputs`]), instead of in slots; other outputs are not stored.
    pub stored_rows: Option<Rows>,
    /// Selects tessellation entry points: with stage `compute` the control shader, with stage `vertex` the evaluation
    /// shader. The record of a patch is that of the control shader ([`agx_abi::TessellationInfo::record`]); `None` is one
    /// with the rows that the evaluation shader declares. Control shaders have their own.
    pub tessellation: Option<PatchLayout>,
    /// Selects task or mesh shaders, which are compute shaders of the hardware: with stage `compute`, only entry points of
    /// this kind.
    pub mesh: Option<MeshKind>,
    /// The varyings that the fragment shader following a vertex shader reads
    /// ([`agx_abi::fragment::FragmentInfo::coefficients`]), if known: other varyings are not stored, and
    /// these are stored in the slots of their layout. `None` stores all of them. Flags of cull distances are
    /// always stored: prologs of fragment shaders read them.
    pub fragment_inputs: Option<Vec<CoefficientSource>>,
    /// Operations on outputs that the fragment shader following a vertex shader leaves to it
    /// ([`agx_abi::fragment::FragmentInfo::moved`]).
    pub moved: Vec<MovedSteps>,
    /// The outputs of the vertex shader before a fragment shader, if it is always the same: the fragment shader reads
    /// known values itself, inputs that are not written are undefined, and the vertex shader must be compiled with the
    /// [operations](agx_abi::fragment::FragmentInfo::moved) that are left to it. See [`agx_abi::linking`].
    pub vertex_outputs: Option<VertexOutputs>,
    /// Run a fragment shader per sample even if it does not request it.
    pub sample_shading: bool,
    /// Apply a level bias to samplers, given by the driver ([`agx_abi::UniformSource::SamplerBias`]), because
    /// hardware samplers have none. Not for shaders with a layout.
    pub sampler_bias: bool,
    /// Give a sampler that is combined with textures of several bindings one state register for each of them
    /// ([`agx_abi::SamplerBinding::Paired`]), because the encoding of border colours depends on the format.
    /// Not for shaders with a layout.
    pub pairs_samplers: bool,
    /// Texel buffers may have texels of three 32-bit components, a format that the hardware lacks: the shader loads
    /// those of [`agx_abi::textures::BUFFER_TRIPLES_WORD`] from memory.
    pub texel_triples: bool,
    /// Convert the colours of these combined image samplers from Y′CbCr. Not for shaders with a layout.
    pub conversions: Vec<Conversion>,
    /// Number workgroups from a base given by the driver ([`agx_abi::UniformSource::WorkgroupBase`]).
    pub workgroup_base: bool,
    /// The size of the workgroups of an OpenCL kernel that does not fix it; `None` is the size that the kernel hints at, or 64
    /// work-items.
    pub workgroup_size: Option<[u32; 3]>,
    /// The render pass of a fragment shader that reads render targets as tile images or input attachments;
    /// other shaders do not depend on it.
    pub tile: Option<TilePass>,
    /// Keep every value on the stack: store it where it is defined and load it at each use. For tests.
    pub spill_everything: bool,
    /// Order instructions at random with this seed, as far as dependences allow. For tests.
    pub schedule_seed: Option<u64>,
    /// Run the validator after every pass and the checkers after register allocation.
    pub validate: bool,
    /// Limits on the size of the compilation, and its cancellation.
    pub limits: CompileLimits,
    /// Follow source variables to the machine code: see `internal::tracking`. The code is the same.
    pub(crate) tracks_variables: bool,
}

/// Machine code of one part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ShaderPart {
    /// The role of the part within its program.
    pub role: PartRole,
    /// The code. The main part of a fragment shader continues in the epilog that follows it; other parts end
    /// with `stop`.
    pub code: Vec<u8>,
    /// Where source positions begin in the code, in ascending order; empty when the input has no line
    /// information.
    pub lines: Vec<LineRow>,
}

/// A row of a part's line table: the code from a byte offset on comes from a source position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineRow {
    /// First byte of an instruction.
    pub offset: u32,
    /// Number of the position in [`CompiledShader::sources`].
    pub position: u32,
}

impl ShaderPart {
    /// A part without line information.
    pub fn new(role: PartRole, code: Vec<u8>) -> ShaderPart {
        ShaderPart { role, code, lines: Vec::new() }
    }

    /// Number of the source position that the code at byte `offset` comes from.
    pub fn position_at(&self, offset: usize) -> Option<u32> {
        let after = self.lines.partition_point(|row| row.offset as usize <= offset);
        self.lines[..after].last().map(|row| row.position)
    }
}

/// A compiled shader.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct CompiledShader {
    /// Main part first.
    pub parts: Vec<ShaderPart>,
    /// The information for the driver.
    pub info: ShaderInfo,
    /// Statistics of the main part.
    pub stats: Statistics,
    /// The source positions that line tables refer to.
    pub sources: Sources,
}

impl CompiledShader {
    /// Code of the part with `role`, if there is one.
    pub fn part(&self, role: PartRole) -> Option<&[u8]> {
        self.parts.iter().find(|part| part.role == role).map(|part| part.code.as_slice())
    }
}

/// Memory that compilations reuse. One per thread.
pub struct Scratch {
    bump: Bump,
}

/// Initial size of the arena in bytes, sufficient for small shaders.
const SCRATCH_BYTES: usize = 32 << 10;

impl Default for Scratch {
    fn default() -> Self {
        Scratch { bump: Bump::with_capacity(SCRATCH_BYTES) }
    }
}

/// A compiler for one target. Immutable and shareable between threads.
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    target: Target,
}

impl Compiler {
    /// A compiler for `target`.
    pub fn new(target: Target) -> Self {
        Compiler { target }
    }

    /// The target chip.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Compiles `input`.
    ///
    /// # Errors
    /// [`CompileError`] describes the problem and its location, and whether the input is invalid or
    /// unsupported.
    pub fn compile(
        &self,
        scratch: &mut Scratch,
        input: Input<'_>,
        key: &CompileKey,
    ) -> Result<CompiledShader, CompileError> {
        let _span =
            tracing::debug_span!("compile", target = self.target.name(), bytes = input.bytes.len()).entered();
        scratch.bump.reset();
        let (f, info) = frontend::read(&scratch.bump, input, key)?;
        self.finish(f, self.main_facts(info, key).into(), input, None)
    }

    /// Compiles a function that a front end read from `input`, beginning with a phase.
    fn finish(
        &self,
        f: ir::Function<'_>,
        context: Context<'_>,
        input: Input<'_>,
        from: Option<Phase>,
    ) -> Result<CompiledShader, CompileError> {
        self.finish_tracked(f, context, input, from).map(|(shader, _)| shader)
    }

    /// Like [`Compiler::finish`], with the source variables of the main part if they are followed.
    fn finish_tracked(
        &self,
        mut f: ir::Function<'_>,
        mut context: Context<'_>,
        input: Input<'_>,
        from: Option<Phase>,
    ) -> Result<(CompiledShader, Option<Box<Tracking>>), CompileError> {
        let emitted = run_and_emit(&mut f, &mut context, from);
        let mut code = emitted.map_err(|error| frontend::located(input, error))?;
        let tracking = code.tracking.take();
        let Context { facts: Facts { key, mut info, target, .. }, back_end } = context;
        info.target = target;
        info.uniform_halves = info.uniform_halves.max(info.filled_halves());
        let stats = stopping::guarded(&mut f, &key.limits, |f| Ok(emit::statistics(f, &code, &info)))?;
        let mut stats = Statistics { spills: back_end.spills, fills: back_end.fills, ..stats };
        info.reads = link::reads(&code, &info.uniforms);
        let mut reads = code.uniforms;
        let mut parts = vec![ShaderPart { role: PartRole::Main, code: code.bytes, lines: code.lines }];
        info.output_stores = code.output_stores;
        if let Some(mut preamble) = f.preamble.take() {
            preamble.memory = std::mem::take(&mut f.memory);
            let (code, used) = self.compile_preamble(*preamble, key)?;
            info.reads = info.reads | link::reads(&code, &info.uniforms);
            reads.add(&code.uniforms);
            stats.preamble_instructions = code.insts.len() as u32;
            // A preamble that spills must request all registers (Mesa 25.0).
            let spills = used.scratch_bytes != 0;
            info.preamble_gpr_halves = if spills { MAX_GPR_HALVES } else { used.gpr_halves };
            info.preamble_scratch_bytes = used.scratch_bytes;
            parts.push(ShaderPart { role: PartRole::Preamble, code: code.bytes, lines: code.lines });
        }
        if info.whole {
            // No other part reads the interface's uniforms.
            info.uniforms.retain(|range| reads.has_any(range.start..range.start + range.halves));
        }
        Ok((CompiledShader { parts, info, stats, sources: f.sources }, tracking))
    }

    /// Facts for compiling a main part.
    fn main_facts<'k>(&self, info: ShaderInfo, key: &'k CompileKey) -> Facts<'k> {
        let end = emit::End::of(&info, PartRole::Main);
        let frame = if info.frame_from_prolog() { Frame::Opened } else { Frame::Own };
        Facts { info, end, frame, ..Facts::new(self.target, key) }
    }

    /// Compiles a preamble, which may write only the uniform registers that the main part left free. Its
    /// operations already went through the earlier phases in the main part. It runs once, so low register use
    /// gains nothing; the key's register limit applies to the main part only.
    fn compile_preamble(
        &self,
        mut f: ir::Function<'_>,
        key: &CompileKey,
    ) -> Result<(emit::Code, ShaderInfo), CompileError> {
        let info =
            ShaderInfo { workgroup_size: [1; 3], uniform_halves: UNIFORM_HALVES, ..ShaderInfo::default() };
        let key = CompileKey { max_gpr_halves: None, spill_everything: false, ..key.clone() };
        let end = emit::End::Preamble;
        let mut context = Context::from(Facts { info, end, ..Facts::new(self.target, &key) });
        let code = run_and_emit(&mut f, &mut context, Some(Phase::Place))?;
        Ok((code, context.facts.info))
    }

    /// The IR of `input` at a point of its compilation.
    ///
    /// # Errors
    /// Same as [`Compiler::compile`]; an unknown name is invalid.
    pub fn compile_to_ir(
        &self,
        scratch: &mut Scratch,
        input: Input<'_>,
        key: &CompileKey,
        point: IrPoint<'_>,
    ) -> Result<String, CompileError> {
        scratch.bump.reset();
        let (mut f, info) = frontend::read(&scratch.bump, input, key)?;
        let stop = match point {
            IrPoint::Start => None,
            IrPoint::Before(name) => Some((name, Stop::before(name))),
            IrPoint::After(name) => Some((name, Stop::after(name))),
        };
        if let Some((name, stop)) = stop {
            let unknown = || CompileError::from(InputError::UnknownPhase { name: name.to_owned() });
            let stop = stop.ok_or_else(unknown)?;
            let mut context = self.main_facts(info, key).into();
            pipeline::run(&mut f, &mut context, Options { stop, ..options(key) })?;
        }
        Ok(f.to_string())
    }

    /// The optimised IR of `input` before instruction selection, with remarks on divergence: see
    /// `analysis/divergence`.
    ///
    /// # Errors
    /// Same as [`Compiler::compile`].
    pub fn divergence_text(
        &self,
        scratch: &mut Scratch,
        input: Input<'_>,
        key: &CompileKey,
    ) -> Result<String, CompileError> {
        scratch.bump.reset();
        let (mut f, info) = frontend::read(&scratch.bump, input, key)?;
        let stage = info.stage;
        let mut context = Facts { info, ..Facts::new(self.target, key) }.into();
        let stop = Stop::AfterPhase(Phase::Uniform);
        pipeline::run(&mut f, &mut context, Options { stop, ..options(key) })?;
        let notes = analysis::divergence::divergence(&f, stage).notes(&f);
        Ok(f.with_notes(&notes).to_string())
    }
}

/// A point of a compilation at which its IR can be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IrPoint<'n> {
    /// After the front end.
    Start,
    /// Before the phase, or the last run of the pass, with this name.
    Before(&'n str),
    /// After it.
    After(&'n str),
}

/// The pipeline options of the key.
fn options(key: &CompileKey) -> Options<'_> {
    Options { disabled: &key.disabled_passes, validate: key.validate, ..Options::default() }
}

/// Runs the pipeline on `f`, beginning with a phase, and encodes the result.
fn run_and_emit(
    f: &mut ir::Function<'_>,
    context: &mut Context<'_>,
    from: Option<Phase>,
) -> Result<emit::Code, CompileError> {
    let _span = tracing::debug_span!("part", name = f.name, stage = ?context.facts.info.stage).entered();
    pipeline::run(f, context, Options { from, ..options(context.facts.key) })?;
    let limits = &context.facts.key.limits;
    let code =
        stopping::guarded(f, limits, |f| emit::emit(f, &context.back_end.allocation, context.facts.end))?;
    tracing::debug!(
        bytes = code.bytes.len(),
        instructions = code.insts.len(),
        gpr_halves = context.facts.info.gpr_halves,
        spills = context.back_end.spills,
        "compiled"
    );
    Ok(code)
}
