//! The front-end kit: the language-independent layer between shader languages and the IR.
//!
//! A front end decodes its language, creates a [`Kit`], builds the shader into [`Kit::b`], and calls
//! [`Kit::finish`]. The kit uses the interface defined in `agx_abi`, which determines the contents of
//! registers, uniforms and state registers.
//!
//! | module | subject |
//! |---|---|
//! | [`uniforms`] | uniform registers: addresses and sizes of buffers, push constants |
//! | [`vertex`] | attributes, vertex and instance numbers, output slots |
//! | [`fragment`] | varyings, position and other inputs; colours, depth, stencil, sample mask |
//! | [`feedback`] | outputs that transform feedback captures |
//! | [`geometry`] | vertices of the input primitive, emitted vertices |
//! | [`tessellation`] | records of patches, numbers of invocations and patches, domain points |
//! | [`mesh`] | workgroups of task and mesh shaders, their payloads, vertices and primitives |
//! | [`coverage`] | discard, helper lanes, effects that helper lanes must not have |
//! | [`compute`] | place in the grid, quads of invocations, clearing workgroup memory |
//! | [`derivatives`] | derivatives in a quad |
//! | [`textures`] | numbering of textures and samplers, what descriptors say |
//! | [`sampling`], [`images`] | samples; texels by integer coordinates, sizes |
//! | [`conversion`] | colours from Y′CbCr |
//! | [`buffers`] | loads, stores and atomics in buffers and workgroup memory |
//! | [`robustness`], [`bounds`] | results of accesses out of bounds; the checks of buffer accesses |
//! | [`control`] | structured control flow from any reducible graph |
//! | [`lines`] | source positions |
//! | [`limits`] | limits that all front ends keep |
//!
//! Scalar arithmetic is on the builder ([`crate::ir::build::alu`]).
//! [`Variables`](crate::ssa::Variables) provides mutable variables: registers of a shader language
//! become variables, written and read in program order, from which SSA form is constructed.
//!
//! # A front end
//!
//! A vertex shader that transforms attribute 0 by four vectors of a constant buffer:
//!
//! ```
//! use agx_abi::{ShaderInfo, Stage};
//! use agx_compiler::internal::frontend::kit::{Kit, buffers, vertex};
//! use agx_compiler::internal::ir::{Arithmetic, Function, Src};
//! use agx_compiler::{CompileError, CompileKey};
//! use bumpalo::Bump;
//!
//! fn transform<'a>(bump: &'a Bump, key: &CompileKey) -> Result<(Function<'a>, ShaderInfo), CompileError> {
//!     let mut function = Function::new(bump, "main");
//!     let mut kit = Kit::start(&mut function, Stage::Vertex, key);
//!     // Inputs must be declared before anything is built: their registers are read at the start.
//!     vertex::begin(&mut kit, (0..4).map(|component| (0, component)))?;
//!     let position = [0, 1, 2, 3].map(|component| vertex::attribute(&mut kit, 0, component).unwrap_or(Src::f32(0.0)));
//!     let matrix = buffers::Buffer::uniform(&mut kit, 0, 0);
//!     let mut outputs = Vec::new();
//!     for row in 0..4 {
//!         // For relative addressing in the language, the index would be a computed `Src`.
//!         let coefficients = buffers::load_vec4(&mut kit, matrix, Src::imm32(row));
//!         let mut sum = kit.b.fmul(position[0], coefficients[0]);
//!         for (x, y) in position.into_iter().zip(coefficients).skip(1) {
//!             sum = kit.b.ffma(x, y, sum);
//!         }
//!         outputs.push((vertex::VertexOutput::Position(row), sum));
//!     }
//!     vertex::end(&mut kit, &outputs)?;
//!     let info = kit.finish("main")?;
//!     Ok((function, info))
//! }
//! let bump = Bump::new();
//! let (function, info) = transform(&bump, &CompileKey::default())?;
//! assert_eq!(info.varyings.len(), 4);
//! # Ok::<(), CompileError>(())
//! ```
//!
//! A fragment shader calls [`fragment::begin`], [`fragment::varying`], [`sampling::sample`],
//! [`coverage::discard`] and [`fragment::end`]; a compute shader sets [`Kit::compute`], reads
//! [`compute::input`] and uses [`buffers`] and [`images`].

pub mod barycentric;
pub mod bounds;
pub mod buffers;
pub mod compute;
pub mod control;
pub mod conversion;
pub mod coverage;
pub mod derivatives;
pub(crate) mod descriptors;
pub mod feedback;
pub mod fragment;
mod fragment_modes;
pub mod geometry;
pub mod images;
pub mod limits;
pub mod lines;
mod linking;
pub mod mesh;
pub mod robustness;
pub mod sampling;
pub mod tessellation;
pub mod textures;
pub mod uniforms;
pub mod vertex;

use agx_abi::{ShaderInfo, Stage};

use self::compute::ComputeStage;
use self::fragment::FragmentStage;
use self::geometry::GeometryStage;
use self::mesh::MeshStage;
use self::robustness::Robustness;
use self::tessellation::TessellationStage;
use self::textures::Bindings;
use self::uniforms::Uniforms;
use self::vertex::VertexStage;
use crate::error::CompileError;
use crate::ir::{Builder, Function};
use crate::ssa::Variables;
use crate::ssa::dominance_repair::repair_dominance;
use crate::{CompileKey, CompileLimits, stopping};

/// A shader under construction.
pub struct Kit<'f, 'a> {
    /// Appends to the function.
    pub b: Builder<'f, 'a>,
    /// Mutable scalars of the shader.
    pub vars: Variables,
    /// Uniform registers in use.
    pub uniforms: Uniforms,
    /// Texture and sampler state registers in use.
    pub bindings: Bindings,
    /// Memory in use.
    pub memory: MemoryUse,
    /// The behaviour of buffer accesses out of bounds.
    pub(crate) robustness: Robustness,
    /// Limits of the compilation.
    pub(crate) limits: CompileLimits,
    /// The stage.
    pub stage: Stage,
    /// State of vertex shaders.
    pub vertex: VertexStage,
    /// State of fragment shaders.
    pub fragment: FragmentStage,
    /// State of compute shaders.
    pub compute: ComputeStage,
    /// State of the stages that the hardware lacks.
    pub software: SoftwareStages,
}

/// State of the stages that the hardware lacks: at most one of them.
#[derive(Default)]
pub struct SoftwareStages {
    /// Geometry shaders, which are compute shaders.
    pub geometry: Option<Box<GeometryStage>>,
    /// Tessellation shaders, which are compute or vertex shaders.
    pub tessellation: Option<Box<TessellationStage>>,
    /// Task and mesh shaders, which are compute shaders.
    pub mesh: Option<Box<MeshStage>>,
}

/// A shader's use of memory other than buffers and textures, and its effects on memory.
#[derive(Default)]
pub struct MemoryUse {
    /// Bytes of workgroup memory.
    pub local_bytes: u32,
    /// Bytes of stack memory of an invocation.
    pub scratch_bytes: u32,
    /// Those in use now: a function's memory is free after a call.
    pub stack_bytes: u32,
    /// The constant section.
    pub constants: Vec<u8>,
    /// The shader writes device memory.
    pub writes_memory: bool,
    /// The shader has barriers.
    pub uses_barrier: bool,
}

impl MemoryUse {
    /// Takes stack memory; returns its first byte.
    pub fn take_stack(&mut self, bytes: u32) -> u32 {
        let first = self.stack_bytes;
        self.stack_bytes = first.saturating_add(bytes);
        self.scratch_bytes = self.scratch_bytes.max(self.stack_bytes);
        first
    }
}

impl<'f, 'a> Kit<'f, 'a> {
    /// Starts a shader of `stage` in `function`, which must be empty.
    pub fn start(function: &'f mut Function<'a>, stage: Stage, key: &CompileKey) -> Self {
        stopping::watch(function, &key.limits);
        Kit {
            b: Builder::start(function),
            vars: Variables::new(),
            uniforms: Uniforms::default(),
            bindings: Bindings::new(key),
            memory: MemoryUse::default(),
            robustness: key.robustness,
            limits: key.limits.clone(),
            stage,
            vertex: VertexStage::new(key),
            fragment: FragmentStage::new(stage, key),
            compute: ComputeStage { has_base: key.workgroup_base, ..ComputeStage::default() },
            software: SoftwareStages::default(),
        }
    }

    /// Finishes the function: assigns uniforms and converts variables to values. Every construct must be
    /// closed, and the outputs of a vertex or fragment shader built ([`vertex::end`], [`fragment::end`]).
    ///
    /// # Errors
    /// Too many uniforms.
    pub fn finish(self, entry_point: &str) -> Result<ShaderInfo, CompileError> {
        if let Some(error) = self.bindings.refused {
            return Err(error.into());
        }
        let placement = self.uniforms.place()?;
        let readable = self.uniforms.readable(&placement);
        let Kit { b, vars, bindings, memory, stage, vertex, fragment, compute, software, .. } = self;
        let function = b.finish();
        let workgroup_size = (stage == Stage::Compute).then_some(compute.workgroup_size);
        function.declared.workgroup_size = workgroup_size;
        function.declared.readable = readable;
        vars.finish(function, |src| placement.map(src));
        if fragment.coverage.has_bypasses {
            function.compute_cfg();
            repair_dominance(function);
        }
        Ok(ShaderInfo {
            stage,
            runs_as: vertex.runs_as,
            attributes: vertex.attributes,
            varyings: vertex.varyings,
            feedback: vertex.feedback.info,
            geometry: software.geometry.map(|stage| stage.info),
            tessellation: software.tessellation.map(|stage| stage.info),
            mesh: software.mesh.map(|stage| stage.info),
            fragment: fragment.info,
            entry_point: entry_point.to_owned(),
            uniform_halves: placement.halves(),
            uniforms: placement.ranges,
            textures: bindings.textures,
            samplers: bindings.samplers,
            layout: bindings.layout,
            workgroup_size: compute.workgroup_size,
            local_bytes: memory.local_bytes,
            scratch_bytes: memory.scratch_bytes,
            constants: memory.constants,
            writes_memory: memory.writes_memory,
            uses_barrier: memory.uses_barrier,
            ..ShaderInfo::default()
        })
    }
}
