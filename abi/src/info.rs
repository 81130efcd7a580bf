//! Information about a compiled shader for drivers.

use std::fmt;

use crate::feedback::Feedback;
use crate::fragment::{CoefficientSource, FragmentInfo};
use crate::geometry::GeometryInfo;
use crate::kernel::KernelInfo;
use crate::layout::{InterfaceReads, UniformRange};
use crate::linking::KnownOutput;
use crate::mesh::MeshInfo;
use crate::pipeline::PipelineLayout;
use crate::target::Target;
use crate::tessellation::TessellationInfo;
use crate::textures::{SamplerBinding, TextureBinding};
use crate::varyings::OutputLayout;
use crate::vertex::{Attribute, Output, OutputStore, RunsAs, Varying, stack_attribute_bytes};
use crate::words::{FragmentControl, FragmentEffects};

/// A pipeline stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Stage {
    /// Vertex shader.
    Vertex,
    /// Fragment shader.
    Fragment,
    /// Compute shader.
    #[default]
    Compute,
}

impl Stage {
    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::Fragment => "fragment",
            Stage::Compute => "compute",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The role of a piece of machine code within its program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PartRole {
    /// The shader proper.
    #[default]
    Main,
    /// Runs before main in the same invocation.
    Prolog,
    /// Runs after main in the same invocation.
    Epilog,
    /// Runs once per draw or dispatch and writes uniforms.
    Preamble,
}

impl PartRole {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            PartRole::Main => "main part",
            PartRole::Prolog => "prolog",
            PartRole::Epilog => "epilog",
            PartRole::Preamble => "preamble",
        }
    }
}

impl fmt::Display for PartRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The properties of a compiled shader that the driver needs to launch it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShaderInfo {
    /// Pipeline stage.
    pub stage: Stage,
    /// The chip that the code is for.
    pub target: Target,
    /// Entry point that the code was compiled from.
    pub entry_point: String,
    /// Highest half register used by the main part, plus one.
    pub gpr_halves: u16,
    /// Highest half register used by the preamble, plus one; 0 if there is none.
    pub preamble_gpr_halves: u16,
    /// Uniform half-words in use: those in `uniforms` and those that a preamble writes.
    pub uniform_halves: u16,
    /// Ranges of the uniform file that the driver fills, ascending and disjoint; of a whole shader, those that it reads.
    pub uniforms: Vec<UniformRange>,
    /// The contents of the texture state registers, from 0 on.
    pub textures: Vec<TextureBinding>,
    /// The contents of the sampler state registers, from 0 on.
    pub samplers: Vec<SamplerBinding>,
    /// The layout of the descriptor sets, if the shader reads them from memory.
    pub layout: Option<PipelineLayout>,
    /// Workgroup size (compute).
    pub workgroup_size: [u32; 3],
    /// Threadgroup memory in bytes (compute).
    pub local_bytes: u32,
    /// Stack memory per lane of the main part in bytes, including spills and local arrays.
    pub scratch_bytes: u32,
    /// Stack memory of the preamble in bytes.
    pub preamble_scratch_bytes: u32,
    /// The constant section, to be placed in memory aligned to 16 bytes; empty if unused.
    pub constants: Vec<u8>,
    /// Values of the promoted uniforms.
    pub promoted: Vec<u8>,
    /// The shader writes device memory.
    pub writes_memory: bool,
    /// The shader contains a workgroup barrier.
    pub uses_barrier: bool,
    /// The hardware stage in which it runs (vertex).
    pub runs_as: RunsAs,
    /// Attributes read, by number (vertex).
    pub attributes: Vec<Attribute>,
    /// Output slots written, ascending, for an unknown fragment shader (vertex), or in memory (geometry).
    pub varyings: Vec<Varying>,
    /// The instructions that write them, by position in the code (vertex).
    pub output_stores: Vec<OutputStore>,
    /// The varyings whose values are the same for all vertices of a draw (vertex): see [`crate::linking`].
    pub known_outputs: Vec<KnownOutput>,
    /// The uniforms with a fixed place that it reads.
    pub reads: InterfaceReads,
    /// The outputs captured by transform feedback (vertex, geometry).
    pub feedback: Feedback,
    /// The modes of a geometry shader, which is a compute shader of the hardware.
    pub geometry: Option<GeometryInfo>,
    /// Properties of a tessellation control shader, which is a compute shader of the hardware, or of an evaluation
    /// shader, which is a vertex shader.
    pub tessellation: Option<TessellationInfo>,
    /// Properties of a task or mesh shader, which is a compute shader of the hardware.
    pub mesh: Option<MeshInfo>,
    /// The arguments of an OpenCL kernel, which is a compute shader.
    pub kernel: Option<KernelInfo>,
    /// The main part is the whole shader: it includes attribute fetch and colour stores.
    pub whole: bool,
    /// Properties of fragment shaders.
    pub fragment: FragmentInfo,
}

impl ShaderInfo {
    /// Whether the part with `role` continues in another one, without `stop`. Prologs do, and so do the main
    /// parts of fragment shaders, which continue with an epilog or the next iteration of the loop over
    /// samples; other whole shaders end.
    pub fn goes_on(&self, role: PartRole) -> bool {
        match role {
            PartRole::Prolog => true,
            PartRole::Main => self.stage == Stage::Fragment && (!self.whole || self.fragment.sample_shading),
            PartRole::Epilog | PartRole::Preamble => false,
        }
    }

    /// Whether the prolog allocates the stack frame of the main part, because attributes are in it.
    pub fn frame_from_prolog(&self) -> bool {
        self.stage == Stage::Vertex && !self.whole && stack_attribute_bytes(self.attributes.len() as u32) != 0
    }

    /// Whether adjacent triangles may be shaded together: no lane reads other pixels' lanes, and memory is
    /// not written (Mesa 25.0).
    pub fn merges_triangles(&self) -> bool {
        !self.fragment.needs_helpers && !self.writes_memory
    }

    /// The control word of a fragment program that these facts describe, parts around the main part included.
    pub fn fragment_control(&self) -> FragmentControl {
        let FragmentInfo { late_tests, reads_targets, stores_targets, .. } = self.fragment;
        FragmentControl::new(&FragmentEffects {
            reads_targets: reads_targets != 0,
            stores_targets,
            late_tests,
            writes_memory: self.writes_memory,
            merges_triangles: self.merges_triangles(),
        })
    }

    /// The slots of a vertex shader's outputs for a fragment shader that reads `inputs`.
    pub fn output_layout(&self, inputs: &[CoefficientSource]) -> OutputLayout {
        let outputs: Vec<Output> = self.varyings.iter().map(|varying| varying.output).collect();
        OutputLayout::new(&outputs, inputs)
    }

    /// End of the half-words that the driver fills.
    pub fn filled_halves(&self) -> u16 {
        self.uniforms.iter().map(|range| range.start + range.halves).max().unwrap_or(0)
    }
}
