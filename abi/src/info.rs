//! What a driver must know of a compiled shader.

use crate::feedback::Feedback;
use crate::fragment::{CoefficientSource, FragmentInfo};
use crate::layout::UniformRange;
use crate::pipeline::PipelineLayout;
use crate::textures::{SamplerBinding, TextureBinding};
use crate::varyings::OutputLayout;
use crate::vertex::{Attribute, DrawNumbers, Output, OutputStore, RunsAs, Varying, stack_attribute_bytes};

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

/// What a piece of machine code is within its program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PartRole {
    /// The shader proper.
    #[default]
    Main,
    /// Runs before main in the same invocation.
    Prolog,
    /// Runs after main in the same invocation.
    Epilog,
    /// Runs once for a draw or dispatch and writes uniforms.
    Preamble,
}

/// Facts of a compiled shader that the driver needs to launch it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShaderInfo {
    /// Pipeline stage.
    pub stage: Stage,
    /// Entry point the code was made from.
    pub entry_point: String,
    /// Highest half register used by the main part, plus one.
    pub gpr_halves: u16,
    /// Highest half register used by the preamble, plus one; 0 when there is none.
    pub preamble_gpr_halves: u16,
    /// Uniform half-words in use: those of `uniforms` and those a preamble writes.
    pub uniform_halves: u16,
    /// Ranges of the uniform file that the driver fills, ascending and disjoint.
    pub uniforms: Vec<UniformRange>,
    /// What the texture state registers hold, from 0 on.
    pub textures: Vec<TextureBinding>,
    /// What the sampler state registers hold, from 0 on.
    pub samplers: Vec<SamplerBinding>,
    /// Where the sets' descriptors are, if the shader reads them from memory.
    pub layout: Option<PipelineLayout>,
    /// Workgroup size (compute).
    pub workgroup_size: [u32; 3],
    /// Threadgroup memory in bytes (compute).
    pub local_bytes: u32,
    /// Stack memory per lane of the main part in bytes, spilling and local arrays included.
    pub scratch_bytes: u32,
    /// Stack memory of the preamble in bytes.
    pub preamble_scratch_bytes: u32,
    /// The constant section, to be placed in memory aligned to 16 bytes; empty when not used.
    pub constants: Vec<u8>,
    /// Values of the promoted uniforms.
    pub promoted: Vec<u8>,
    /// The shader writes device memory.
    pub writes_memory: bool,
    /// The shader contains a workgroup barrier.
    pub uses_barrier: bool,
    /// How the hardware runs it (vertex).
    pub runs_as: RunsAs,
    /// Attributes read, by number (vertex).
    pub attributes: Vec<Attribute>,
    /// Output slots written, ascending, before a fragment shader is known (vertex).
    pub varyings: Vec<Varying>,
    /// Where they are written, by place in the code (vertex).
    pub output_stores: Vec<OutputStore>,
    /// What of the draw's numbers is read (vertex).
    pub draw_numbers: DrawNumbers,
    /// What transform feedback captures (vertex).
    pub feedback: Feedback,
    /// The main part is all of the shader: attributes are fetched and colours stored in it.
    pub whole: bool,
    /// What only fragment shaders have.
    pub fragment: FragmentInfo,
}

impl ShaderInfo {
    /// Whether the part with `role` continues in another one, without `stop`: prologs do, and the main parts of fragment
    /// shaders, which an epilog follows, or the next round of the loop over samples; other whole shaders end.
    pub fn goes_on(&self, role: PartRole) -> bool {
        match role {
            PartRole::Prolog => true,
            PartRole::Main => self.stage == Stage::Fragment && (!self.whole || self.fragment.sample_shading),
            PartRole::Epilog | PartRole::Preamble => false,
        }
    }

    /// Whether the prolog opens the stack frame of the main part, because attributes are in it.
    pub fn frame_from_prolog(&self) -> bool {
        self.stage == Stage::Vertex && !self.whole && stack_attribute_bytes(self.attributes.len() as u32) != 0
    }

    /// Whether neighbouring triangles may be shaded together: no lane works across pixels, and memory is not written (Mesa
    /// 25.0).
    pub fn merges_triangles(&self) -> bool {
        !self.fragment.needs_helpers && !self.writes_memory
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
