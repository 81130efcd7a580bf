//! Programs: shaders linked with what the state of a draw asks for.

use agx_abi::fragment::MAX_TARGETS;
use agx_abi::tile::ColourFormat;
use agx_abi::vertex_format::VertexFormat;
use agx_compiler::CompileKey;
use agx_compiler::link::{
    AttributeKey, Blend, BlendOp, Equation, Factor, FragmentState, LinkedProgram, LogicOp, Parts, Target,
    VertexPrologKey, link,
};

use crate::bytes::AgxText;
use crate::error::AgxError;
use crate::key::{AgxCompiler, numbered};
use crate::shader::AgxShader;

/// A program, ready to run. It does not change.
pub struct AgxProgram(pub(crate) LinkedProgram);

/// `divisor` of attributes of which every vertex has its own.
pub const AGX_PER_VERTEX: u32 = u32::MAX;

/// `logic_op` of states without.
pub const AGX_NO_LOGIC_OP: u32 = u32::MAX;

/// Where a vertex attribute comes from.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxAttribute {
    /// Its location.
    pub location: u32,
    /// Format of elements: Vulkan's name without `VK_FORMAT_`.
    pub format: AgxText,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Instances that share an element, 0 for all, `AGX_PER_VERTEX` for one that advances by vertex.
    pub divisor: u32,
    /// Bytes that the address of the first element is a multiple of.
    pub alignment: u32,
}

/// How some components of a target are blended, in numbers of Vulkan's enumerations.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxEquation {
    /// What the source is multiplied by: a `VkBlendFactor`.
    pub source: u32,
    /// What the destination is multiplied by: a `VkBlendFactor`.
    pub destination: u32,
    /// How the products are combined: a `VkBlendOp`, not one of the advanced ones.
    pub op: u32,
}

/// A render target.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxTarget {
    /// Its format: Vulkan's name without `VK_FORMAT_`; empty for none.
    pub format: AgxText,
    /// Components written, bit 0 red.
    pub write_mask: u8,
    /// Colours are blended as the equations say, instead of replaced.
    pub blends: bool,
    /// Of red, green and blue.
    pub colour: AgxEquation,
    /// Of alpha.
    pub alpha: AgxEquation,
}

/// The state of a draw that its fragment program depends on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxFragmentState {
    /// The targets of the pass, 8 at most.
    pub targets: *const AgxTarget,
    /// How many there are.
    pub target_count: usize,
    /// Samples of a pixel: 1, 2 or 4.
    pub samples: u8,
    /// A `VkLogicOp`, or `AGX_NO_LOGIC_OP`.
    pub logic_op: u32,
    /// The alpha of target 0 becomes coverage.
    pub alpha_to_coverage: bool,
    /// Alpha is 1 from then on.
    pub alpha_to_one: bool,
    /// Samples that the API lets through, bit 0 the first.
    pub sample_mask: u8,
}

/// What a driver must know of a program.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxProgramInfo {
    /// Half registers.
    pub gpr_halves: u16,
    /// Uniform half-words in use.
    pub uniform_halves: u16,
    /// Stack memory of a lane in bytes.
    pub scratch_bytes: u32,
    /// Render targets that the program reads, bit 0 the first.
    pub reads_targets: u8,
    /// The program stores to render targets in the tile.
    pub stores_targets: bool,
    /// The program decides when samples are tested.
    pub late_tests: bool,
    /// The program writes device memory.
    pub writes_memory: bool,
    /// Neighbouring triangles may be shaded together.
    pub merges_triangles: bool,
    /// The program reads base vertex or base instance.
    pub reads_base: bool,
    /// The program reads the number of the draw.
    pub reads_draw: bool,
    /// The rasterizer need not run the program for what is overdrawn or has no colour.
    pub tag_write_disable: bool,
    /// Coefficient registers that the program needs after those of its main part.
    pub appended_coefficients: usize,
    /// Sampler state registers that the program needs after those of its main part.
    pub appended_samplers: usize,
}

impl From<&LinkedProgram> for AgxProgramInfo {
    fn from(program: &LinkedProgram) -> AgxProgramInfo {
        AgxProgramInfo {
            gpr_halves: program.gpr_halves,
            uniform_halves: program.uniform_halves,
            scratch_bytes: program.scratch_bytes,
            reads_targets: program.reads_targets,
            stores_targets: program.stores_targets,
            late_tests: program.late_tests,
            writes_memory: program.writes_memory,
            merges_triangles: program.merges_triangles,
            reads_base: program.draw_numbers.base,
            reads_draw: program.draw_numbers.draw,
            tag_write_disable: program.fragment_control().tag_write_disable,
            appended_coefficients: program.appended.coefficients.len(),
            appended_samplers: program.appended.samplers.len(),
        }
    }
}

/// An attribute of a vertex program, by location.
pub(crate) type Attribute = (u32, AttributeKey);

/// An attribute whose format is called `format`.
pub(crate) fn attribute(found: &AgxAttribute, format: &str) -> Result<Attribute, AgxError> {
    let format = VertexFormat::from_name(format)
        .ok_or_else(|| AgxError::argument(format!("unknown vertex attribute format `{format}`")))?;
    let divisor = (found.divisor != AGX_PER_VERTEX).then_some(found.divisor);
    let AgxAttribute { stride, alignment, .. } = *found;
    Ok((found.location, AttributeKey { format, stride, divisor, alignment, location: 0 }))
}

fn equation(found: &AgxEquation) -> Result<Equation, AgxError> {
    Ok(Equation {
        source: numbered("blend factor", Factor::ALL, found.source)?,
        destination: numbered("blend factor", Factor::ALL, found.destination)?,
        op: numbered("blend operation", BlendOp::ALL, found.op)?,
    })
}

/// A target whose format is called `format`; `None` for one without.
pub(crate) fn target(found: &AgxTarget, format: &str) -> Result<Option<Target>, AgxError> {
    if format.is_empty() {
        return Ok(None);
    }
    let format = ColourFormat::from_name(format)
        .ok_or_else(|| AgxError::argument(format!("unknown colour format `{format}`")))?;
    let mut target = Target { write_mask: found.write_mask, ..Target::new(format) };
    if found.blends {
        target.blend =
            Some(Blend { colour: equation(&found.colour)?, alpha: equation(&found.alpha)? }.into());
    }
    Ok(Some(target))
}

/// The state of a draw to these targets.
pub(crate) fn state(found: &AgxFragmentState, targets: &[Option<Target>]) -> Result<FragmentState, AgxError> {
    let mut state = FragmentState {
        samples: found.samples,
        alpha_to_coverage: found.alpha_to_coverage,
        alpha_to_one: found.alpha_to_one,
        sample_mask: found.sample_mask,
        ..FragmentState::default()
    };
    if targets.len() > state.targets.len() {
        return Err(AgxError::argument(format!(
            "{} targets: there are {MAX_TARGETS} at most",
            targets.len()
        )));
    }
    state.targets[..targets.len()].copy_from_slice(targets);
    if found.logic_op != AGX_NO_LOGIC_OP {
        state.logic_op = Some(numbered("logic operation", LogicOp::ALL, found.logic_op)?);
    }
    Ok(state)
}

/// The program of a vertex shader, whose outputs a fragment shader reads.
pub(crate) fn vertex(
    compiler: &mut AgxCompiler,
    shader: &AgxShader,
    fragment: Option<&AgxShader>,
    attributes: &[Attribute],
) -> Result<AgxProgram, AgxError> {
    let source =
        |location| attributes.iter().find(|(known, _)| *known == location).map(|(_, attribute)| *attribute);
    let AgxCompiler { compiler, scratch } = compiler;
    let info = &shader.0.info;
    let prolog = match info.attributes.is_empty() {
        true => None,
        false => {
            let key = VertexPrologKey::new(info, source);
            Some(compiler.vertex_prolog(scratch, &key, &CompileKey::default())?)
        }
    };
    let inputs = fragment.map_or(&[][..], |fragment| &fragment.0.info.fragment.coefficients);
    let outputs = info.output_layout(inputs);
    let parts = Parts { prolog: prolog.as_ref(), outputs: Some(&outputs), ..Parts::new(&shader.0) };
    Ok(AgxProgram(link(&parts)?))
}

/// The program of a fragment shader.
pub(crate) fn fragment(
    compiler: &mut AgxCompiler,
    shader: &AgxShader,
    state: &FragmentState,
) -> Result<AgxProgram, AgxError> {
    let AgxCompiler { compiler, scratch } = compiler;
    Ok(AgxProgram(compiler.fragment_program(scratch, &shader.0, state, &CompileKey::default())?))
}
