//! Programs: shaders linked with the parts required by the state of a draw.

use agx_abi::Stage;
use agx_abi::fragment::{CoefficientSource, MAX_TARGETS, cull_flags};
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

/// A complete program. Immutable.
pub struct AgxProgram(pub(crate) LinkedProgram);

/// `divisor` of attributes that advance per vertex.
pub const AGX_PER_VERTEX: u32 = u32::MAX;

/// `logic_op` of states without a logic operation.
pub const AGX_NO_LOGIC_OP: u32 = u32::MAX;

/// The source of a vertex attribute.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxAttribute {
    /// Its location in the module; a wide attribute also provides the location after it.
    pub location: u32,
    /// Format of elements: Vulkan's name without `VK_FORMAT_`.
    pub format: AgxText,
    /// Distance between elements in bytes.
    pub stride: u32,
    /// Number of instances that share an element, 0 for all, `AGX_PER_VERTEX` for attributes that advance per
    /// vertex.
    pub divisor: u32,
    /// Alignment of the first element's address in bytes.
    pub alignment: u32,
}

/// The blend equation of some components of a target, in numbers of Vulkan's enumerations.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxEquation {
    /// The factor of the source: a `VkBlendFactor`.
    pub source: u32,
    /// The factor of the destination: a `VkBlendFactor`.
    pub destination: u32,
    /// The operation that combines the products: a `VkBlendOp`, not an advanced one.
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
    /// Whether colours are blended by the equations instead of replaced.
    pub blends: bool,
    /// For red, green and blue.
    pub colour: AgxEquation,
    /// For alpha.
    pub alpha: AgxEquation,
}

/// The state of a draw that its fragment program depends on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxFragmentState {
    /// The targets of the pass, at most 8.
    pub targets: *const AgxTarget,
    /// Number of targets.
    pub target_count: usize,
    /// Samples of a pixel: 1, 2 or 4.
    pub samples: u8,
    /// A `VkLogicOp`, or `AGX_NO_LOGIC_OP`.
    pub logic_op: u32,
    /// The alpha of target 0 becomes coverage.
    pub alpha_to_coverage: bool,
    /// Alpha is replaced by 1 afterwards.
    pub alpha_to_one: bool,
    /// Samples that the API's sample mask keeps, bit 0 the first.
    pub sample_mask: u8,
    /// Whether pixels are discarded by the stipple pattern that the root descriptor names.
    pub stipple: bool,
    /// Whether fragments are counted at the address in the root descriptor.
    pub counts: bool,
    /// The vertex shader, whose cull distances discard primitives; null if it has none.
    pub vertex: *const AgxShader,
}

/// Information about a program for its driver.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxProgramInfo {
    /// Half-registers.
    pub gpr_halves: u16,
    /// Uniform half-words in use.
    pub uniform_halves: u16,
    /// Stack memory of a lane in bytes.
    pub scratch_bytes: u32,
    /// Render targets that the program reads, bit 0 the first.
    pub reads_targets: u8,
    /// The program stores to render targets in the tile.
    pub stores_targets: bool,
    /// The program determines when samples are tested.
    pub late_tests: bool,
    /// The program writes device memory.
    pub writes_memory: bool,
    /// Adjacent triangles may be shaded together.
    pub merges_triangles: bool,
    /// The program reads base vertex or base instance.
    pub reads_base: bool,
    /// The program reads the number of the draw.
    pub reads_draw: bool,
    /// The rasteriser need not run the program for fragments that are overdrawn or write no colour.
    pub tag_write_disable: bool,
    /// Number of coefficient registers that the program needs in addition to those of its main part.
    pub appended_coefficients: usize,
    /// Number of sampler state registers that the program needs in addition to those of its main part.
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
            reads_base: program.reads.base,
            reads_draw: program.reads.draw,
            tag_write_disable: program.fragment_control().tag_write_disable,
            appended_coefficients: program.appended.coefficients.len(),
            appended_samplers: program.appended.samplers.len(),
        }
    }
}

/// An attribute with the format `format`.
pub(crate) fn attribute(found: &AgxAttribute, format: &str) -> Result<AttributeKey, AgxError> {
    let format = VertexFormat::from_name(format)
        .ok_or_else(|| AgxError::argument(format!("unknown vertex attribute format `{format}`")))?;
    let divisor = (found.divisor != AGX_PER_VERTEX).then_some(found.divisor);
    let AgxAttribute { location, stride, alignment, .. } = *found;
    Ok(AttributeKey { location, format, stride, divisor, alignment, exact: false })
}

/// An attribute of which each vertex has its own element; an unknown format is aligned to bytes.
pub(crate) fn default_attribute(location: u32, format: AgxText, name: &str, stride: u32) -> AgxAttribute {
    let known = VertexFormat::from_name(name);
    let alignment = known.map_or(1, |known| AttributeKey::new(location, known, stride).alignment);
    AgxAttribute { location, format, stride, divisor: AGX_PER_VERTEX, alignment }
}

/// A target that takes colours unchanged.
pub(crate) fn default_target(format: AgxText) -> AgxTarget {
    // `VK_BLEND_FACTOR_ONE`, `VK_BLEND_FACTOR_ZERO`, `VK_BLEND_OP_ADD`.
    let replace = AgxEquation { source: 1, destination: 0, op: 0 };
    AgxTarget { format, write_mask: 0xf, blends: false, colour: replace, alpha: replace }
}

/// One sample, no targets, nothing discarded.
pub(crate) fn default_state() -> AgxFragmentState {
    let FragmentState { samples, sample_mask, .. } = FragmentState::default();
    AgxFragmentState {
        targets: std::ptr::null(),
        target_count: 0,
        samples,
        logic_op: AGX_NO_LOGIC_OP,
        alpha_to_coverage: false,
        alpha_to_one: false,
        sample_mask,
        stipple: false,
        counts: false,
        vertex: std::ptr::null(),
    }
}

fn equation(found: &AgxEquation) -> Result<Equation, AgxError> {
    Ok(Equation {
        source: numbered("blend factor", Factor::ALL, found.source)?,
        destination: numbered("blend factor", Factor::ALL, found.destination)?,
        op: numbered("blend operation", BlendOp::ALL, found.op)?,
    })
}

/// A target with the format `format`; `None` if it is empty.
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

/// The state of a draw with these targets, and the vertex shader whose cull distances discard primitives.
pub(crate) fn state(
    found: &AgxFragmentState,
    targets: &[Option<Target>],
    vertex: Option<&AgxShader>,
) -> Result<FragmentState, AgxError> {
    let mut state = FragmentState::default();
    state.samples = found.samples;
    state.alpha_to_coverage = found.alpha_to_coverage;
    state.alpha_to_one = found.alpha_to_one;
    state.sample_mask = found.sample_mask;
    state.stipple = found.stipple;
    state.counts = found.counts;
    state.culled = vertex.iter().flat_map(|vertex| cull_flags(&vertex.0.info.varyings)).collect();
    if targets.len() > state.targets.len() {
        return Err(AgxError::argument(format!("{} targets: expected at most {MAX_TARGETS}", targets.len())));
    }
    state.targets[..targets.len()].copy_from_slice(targets);
    if found.logic_op != AGX_NO_LOGIC_OP {
        state.logic_op = Some(numbered("logic operation", LogicOp::ALL, found.logic_op)?);
    }
    Ok(state)
}

/// Looks up the attribute at a location.
pub(crate) fn source_of(attributes: &[AttributeKey]) -> impl Fn(u32) -> Option<AttributeKey> {
    |location| attributes.iter().find(|known| known.location == location).copied()
}

/// Checks that no location has two attributes.
pub(crate) fn check_attributes(attributes: &[AttributeKey]) -> Result<(), AgxError> {
    for (at, found) in attributes.iter().enumerate() {
        if attributes[..at].iter().any(|known| known.location == found.location) {
            return Err(AgxError::argument(format!("location {} has two attributes", found.location)));
        }
    }
    Ok(())
}

/// The program of a vertex shader, whose outputs a fragment shader reads.
pub(crate) fn vertex(
    compiler: &mut AgxCompiler,
    shader: &AgxShader,
    fragment: Option<&AgxShader>,
    attributes: &[AttributeKey],
) -> Result<AgxProgram, AgxError> {
    let AgxCompiler { compiler, scratch } = compiler;
    shader.expect(Stage::Vertex, "the shader")?;
    let info = &shader.0.info;
    let key = VertexPrologKey::new(info, source_of(attributes));
    let prolog = match key.is_needed() && !info.whole {
        true => Some(compiler.vertex_prolog(scratch, &key, &CompileKey::default())?),
        false => None,
    };
    let inputs = inputs_of(fragment)?.unwrap_or_default();
    let outputs = info.output_layout(inputs);
    let parts = Parts { prolog: prolog.as_ref(), outputs: Some(&outputs), ..Parts::new(&shader.0) };
    Ok(AgxProgram(link(&parts)?))
}

/// The inputs of a fragment shader, if there is one.
pub(crate) fn inputs_of(fragment: Option<&AgxShader>) -> Result<Option<&[CoefficientSource]>, AgxError> {
    let Some(fragment) = fragment else { return Ok(None) };
    fragment.expect(Stage::Fragment, "the fragment shader")?;
    Ok(Some(&fragment.0.info.fragment.coefficients))
}

/// The program of a fragment shader.
pub(crate) fn fragment(
    compiler: &mut AgxCompiler,
    shader: &AgxShader,
    state: &FragmentState,
) -> Result<AgxProgram, AgxError> {
    let AgxCompiler { compiler, scratch } = compiler;
    shader.expect(Stage::Fragment, "the shader")?;
    Ok(AgxProgram(compiler.fragment_program(scratch, &shader.0, state, &CompileKey::default())?))
}
