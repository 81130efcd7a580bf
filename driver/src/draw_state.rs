//! State of draws, from pipelines and from commands.

use std::sync::Arc;

use agx_abi::fragment::{MAX_TARGETS, pack_sample_positions, standard_sample_positions};
use agx_abi::tile::ColourFormat;
pub use agx_compiler::link::{AdvancedBlend, ColourSource};
use agx_compiler::link::{
    AdvancedOp, Blend, BlendOp, Blending, Equation, Factor, FragmentState, LogicOp, Overlap, Target,
};
use ash::vk;

use crate::Error;
use crate::dirty::Dirty;

/// A vertex attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AttributeInfo {
    /// Location.
    pub location: u32,
    /// Number of its buffer.
    pub binding: u32,
    /// Format of elements.
    pub format: vk::Format,
    /// First byte.
    pub offset: u32,
}

/// A vertex buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BindingInfo {
    /// Number.
    pub binding: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Number of instances per element, 0 if all instances share one; `None` for an element per vertex.
    pub divisor: Option<u32>,
}

/// Address and bytes of the vertex buffers by number.
pub type VertexBuffers = [(u64, u64); MAX_VERTEX_BUFFERS];

/// Maximum number of vertex buffers.
pub const MAX_VERTEX_BUFFERS: usize = 32;

/// Vertex input state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct VertexInput {
    /// Attributes.
    pub attributes: Vec<AttributeInfo>,
    /// Vertex buffers.
    pub bindings: Vec<BindingInfo>,
}

/// Rasteriser state.
#[derive(Clone, Copy, Debug, Default)]
pub struct RasterInfo {
    /// Whether rasterisation is disabled.
    pub discard: bool,
    /// Whether depth is clamped.
    pub clamp: bool,
    /// Whether primitives are clipped at the near and far planes; by default they are if depth is not clamped.
    pub clip: Option<bool>,
    /// The part of triangles that is drawn.
    pub polygon: vk::PolygonMode,
    /// Culled faces.
    pub cull: vk::CullModeFlags,
    /// Whether front faces run clockwise.
    pub clockwise: bool,
    /// Whether depth is biased.
    pub biased: bool,
    /// The depth bias.
    pub bias: DepthBias,
    /// Whether the last vertex is the provoking vertex, instead of the first.
    pub provoking_last: bool,
    /// The stream of a geometry shader whose primitives are drawn.
    pub stream: u32,
    /// Width of lines.
    pub line_width: f32,
    /// Whether lines are requested to be Bresenham's. They always are.
    pub bresenham: bool,
}

/// A depth bias.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct DepthBias {
    /// Constant factor, clamp and slope factor.
    pub factors: [f32; 3],
    /// Whether the constant factor counts steps of normalised depth of 24 bits, also in depth of floats.
    pub normalised: bool,
    /// Whether it counts the smallest steps of normalised depth, instead of twice as large ones, which Vulkan allows.
    pub exact: bool,
}

impl RasterInfo {
    /// Whether primitives are clipped at the near and far planes.
    pub fn clips(&self) -> bool {
        self.clip.unwrap_or(!self.clamp)
    }
}

/// Depth and stencil state.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthInfo {
    /// Whether depth is tested.
    pub test: bool,
    /// Comparison of the depth test.
    pub compare: vk::CompareOp,
    /// Whether depth is written.
    pub write: bool,
    /// Whether stencil is tested.
    pub stencil: bool,
    /// Stencil of front faces and of back faces.
    pub faces: [vk::StencilOpState; 2],
}

/// Multisample state.
#[derive(Clone, Copy, Debug)]
pub struct SampleInfo {
    /// Samples per pixel.
    pub count: u32,
    /// The sample mask.
    pub mask: u32,
    /// Whether alpha becomes coverage.
    pub alpha_to_coverage: bool,
    /// Whether alpha becomes one.
    pub alpha_to_one: bool,
    /// Whether samples are at `places` instead of the standard positions.
    pub is_placed: bool,
    /// Positions of the samples: see [`pack_sample_positions`].
    pub places: u32,
}

/// Positions of the samples of a pixel that an application names, in sixteenths of a pixel: see [`pack_sample_positions`].
pub fn sample_positions(positions: impl Iterator<Item = [f32; 2]>) -> u32 {
    let rounded = |at: f32| (16.0 * f64::from(at)).round().clamp(0.0, 15.0) / 16.0;
    let positions: Vec<[f64; 2]> = positions.take(4).map(|position| position.map(rounded)).collect();
    pack_sample_positions(&positions)
}

impl SampleInfo {
    /// Positions of the samples of a pass with `samples` of them.
    pub(crate) fn positions(&self, samples: u32) -> u32 {
        match self.is_placed {
            true => self.places,
            false => pack_sample_positions(standard_sample_positions(samples)),
        }
    }
}

impl Default for SampleInfo {
    fn default() -> Self {
        SampleInfo {
            count: 1,
            mask: u32::MAX,
            alpha_to_coverage: false,
            alpha_to_one: false,
            is_placed: false,
            places: 0,
        }
    }
}

/// Blend state.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlendInfo {
    /// Blending and written components of each target.
    pub targets: [vk::PipelineColorBlendAttachmentState; MAX_TARGETS as usize],
    /// Targets whose operation is an advanced one, with it.
    pub advanced: [Option<AdvancedBlend>; MAX_TARGETS as usize],
    /// The colour that each target takes.
    pub sources: [ColourSource; MAX_TARGETS as usize],
    /// Targets that are not written, bit 0 the first.
    pub closed: u32,
    /// Whether the logic operation replaces blending.
    pub logic: bool,
    /// The logic operation.
    pub logic_op: vk::LogicOp,
    /// Blend constant.
    pub constants: [f32; 4],
}

/// State of patches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PatchInfo {
    /// Vertices of a patch.
    pub vertices: u32,
    /// Whether the second coordinate of domains points up, instead of down.
    pub points_up: bool,
}

/// State that commands can set.
#[derive(Clone, Debug, Default)]
pub struct DrawState {
    /// Vertex input.
    pub input: Arc<VertexInput>,
    /// Primitive topology.
    pub topology: vk::PrimitiveTopology,
    /// Whether the highest index starts a new strip.
    pub restart: bool,
    /// Patches.
    pub patch: PatchInfo,
    /// Rasteriser state.
    pub raster: RasterInfo,
    /// Depth and stencil.
    pub depth: DepthInfo,
    /// Viewports.
    pub viewports: Vec<vk::Viewport>,
    /// Scissors.
    pub scissors: Vec<vk::Rect2D>,
    /// Samples.
    pub samples: SampleInfo,
    /// Blending.
    pub blending: BlendInfo,
}

/// Formats of the targets.
pub type TargetFormats = [Option<ColourFormat>; MAX_TARGETS as usize];

/// Copies a part of a state; returns what has changed.
pub type Take = fn(&mut DrawState, &DrawState) -> Dirty;

/// Copies a value; returns what has changed if it is another.
fn assign<T: Clone + PartialEq>(to: &mut T, from: &T, dirty: Dirty) -> Dirty {
    if to == from {
        return Dirty::NONE;
    }
    to.clone_from(from);
    dirty
}

/// The parts of a pipeline's state, each with the dynamic states that disable it: a part takes effect if none of them
/// is dynamic. Parts of which fragment programs are made change with the pipeline, whose programs are others.
const ROWS: &[(&[vk::DynamicState], Take)] = {
    use vk::DynamicState as D;
    &[
        (&[D::VERTEX_INPUT_EXT], |to, from| assign(&mut to.input, &from.input, Dirty::PROGRAMS)),
        (&[D::PRIMITIVE_TOPOLOGY], |to, from| assign(&mut to.topology, &from.topology, Dirty::RASTER)),
        (&[D::PRIMITIVE_RESTART_ENABLE], |to, from| assign(&mut to.restart, &from.restart, Dirty::RASTER)),
        (&[D::PATCH_CONTROL_POINTS_EXT], |to, from| {
            assign(&mut to.patch.vertices, &from.patch.vertices, Dirty::RASTER)
        }),
        (&[D::TESSELLATION_DOMAIN_ORIGIN_EXT], |to, from| {
            assign(&mut to.patch.points_up, &from.patch.points_up, Dirty::RASTER)
        }),
        (&[D::VIEWPORT, D::VIEWPORT_WITH_COUNT], |to, from| {
            let numbers = |v: &vk::Viewport| [v.x, v.y, v.width, v.height, v.min_depth, v.max_depth];
            if to.viewports.iter().map(numbers).eq(from.viewports.iter().map(numbers)) {
                return Dirty::NONE;
            }
            to.viewports.clone_from(&from.viewports);
            Dirty::VIEWS
        }),
        (&[D::SCISSOR, D::SCISSOR_WITH_COUNT], |to, from| {
            assign(&mut to.scissors, &from.scissors, Dirty::VIEWS)
        }),
        (&[D::RASTERIZER_DISCARD_ENABLE], |to, from| {
            assign(&mut to.raster.discard, &from.raster.discard, Dirty::RASTER)
        }),
        (&[D::DEPTH_CLAMP_ENABLE_EXT], |to, from| {
            assign(&mut to.raster.clamp, &from.raster.clamp, Dirty::RASTER | Dirty::VIEWS)
        }),
        (&[D::DEPTH_CLIP_ENABLE_EXT], |to, from| {
            assign(&mut to.raster.clip, &from.raster.clip, Dirty::RASTER)
        }),
        (&[D::POLYGON_MODE_EXT], |to, from| {
            assign(&mut to.raster.polygon, &from.raster.polygon, Dirty::RASTER)
        }),
        (&[D::CULL_MODE], |to, from| assign(&mut to.raster.cull, &from.raster.cull, Dirty::RASTER)),
        (&[D::FRONT_FACE], |to, from| {
            assign(&mut to.raster.clockwise, &from.raster.clockwise, Dirty::RASTER)
        }),
        (&[D::DEPTH_BIAS_ENABLE], |to, from| assign(&mut to.raster.biased, &from.raster.biased, Dirty::BIAS)),
        (&[D::DEPTH_BIAS], |to, from| assign(&mut to.raster.bias, &from.raster.bias, Dirty::BIAS)),
        (&[D::PROVOKING_VERTEX_MODE_EXT], |to, from| {
            assign(&mut to.raster.provoking_last, &from.raster.provoking_last, Dirty::RASTER)
        }),
        (&[D::RASTERIZATION_STREAM_EXT], |to, from| {
            assign(&mut to.raster.stream, &from.raster.stream, Dirty::RASTER)
        }),
        (&[D::LINE_WIDTH], |to, from| {
            assign(&mut to.raster.line_width, &from.raster.line_width, Dirty::RASTER)
        }),
        (&[D::LINE_RASTERIZATION_MODE_EXT], |to, from| {
            assign(&mut to.raster.bresenham, &from.raster.bresenham, Dirty::RASTER)
        }),
        (&[D::DEPTH_TEST_ENABLE], |to, from| assign(&mut to.depth.test, &from.depth.test, Dirty::DEPTH)),
        (&[D::DEPTH_COMPARE_OP], |to, from| assign(&mut to.depth.compare, &from.depth.compare, Dirty::DEPTH)),
        (&[D::DEPTH_WRITE_ENABLE], |to, from| assign(&mut to.depth.write, &from.depth.write, Dirty::DEPTH)),
        (&[D::STENCIL_TEST_ENABLE], |to, from| {
            assign(&mut to.depth.stencil, &from.depth.stencil, Dirty::DEPTH)
        }),
        (&[D::STENCIL_OP], |to, from| {
            faces(to, from, |to, from| {
                assign(&mut to.fail_op, &from.fail_op, Dirty::DEPTH)
                    | assign(&mut to.pass_op, &from.pass_op, Dirty::DEPTH)
                    | assign(&mut to.depth_fail_op, &from.depth_fail_op, Dirty::DEPTH)
                    | assign(&mut to.compare_op, &from.compare_op, Dirty::DEPTH)
            })
        }),
        (&[D::STENCIL_COMPARE_MASK], |to, from| {
            faces(to, from, |to, from| assign(&mut to.compare_mask, &from.compare_mask, Dirty::DEPTH))
        }),
        (&[D::STENCIL_WRITE_MASK], |to, from| {
            faces(to, from, |to, from| assign(&mut to.write_mask, &from.write_mask, Dirty::DEPTH))
        }),
        (&[D::STENCIL_REFERENCE], |to, from| {
            faces(to, from, |to, from| assign(&mut to.reference, &from.reference, Dirty::DEPTH))
        }),
        (&[D::RASTERIZATION_SAMPLES_EXT], |to, from| {
            assign(&mut to.samples.count, &from.samples.count, Dirty::PROGRAMS)
        }),
        (&[D::SAMPLE_LOCATIONS_ENABLE_EXT], |to, from| {
            assign(&mut to.samples.is_placed, &from.samples.is_placed, Dirty::PROGRAMS)
        }),
        (&[D::SAMPLE_LOCATIONS_EXT], |to, from| {
            assign(&mut to.samples.places, &from.samples.places, Dirty::PROGRAMS)
        }),
        (&[D::SAMPLE_MASK_EXT], |to, from| assign(&mut to.samples.mask, &from.samples.mask, Dirty::PROGRAMS)),
        (&[D::ALPHA_TO_COVERAGE_ENABLE_EXT], |to, from| {
            assign(&mut to.samples.alpha_to_coverage, &from.samples.alpha_to_coverage, Dirty::PROGRAMS)
        }),
        (&[D::ALPHA_TO_ONE_ENABLE_EXT], |to, from| {
            assign(&mut to.samples.alpha_to_one, &from.samples.alpha_to_one, Dirty::PROGRAMS)
        }),
        (&[D::LOGIC_OP_ENABLE_EXT], |to, from| {
            assign(&mut to.blending.logic, &from.blending.logic, Dirty::PROGRAMS)
        }),
        (&[D::LOGIC_OP_EXT], |to, from| {
            assign(&mut to.blending.logic_op, &from.blending.logic_op, Dirty::PROGRAMS)
        }),
        (&[D::COLOR_WRITE_ENABLE_EXT], |to, from| {
            assign(&mut to.blending.closed, &from.blending.closed, Dirty::PROGRAMS)
        }),
        (&[D::BLEND_CONSTANTS], |to, from| {
            assign(&mut to.blending.constants, &from.blending.constants, Dirty::CONSTANTS)
        }),
        (&[D::COLOR_BLEND_ENABLE_EXT], |to, from| {
            targets(to, from, |to, from| to.blend_enable = from.blend_enable)
        }),
        (&[D::COLOR_WRITE_MASK_EXT], |to, from| {
            targets(to, from, |to, from| to.color_write_mask = from.color_write_mask)
        }),
        (&[D::COLOR_BLEND_EQUATION_EXT], |to, from| {
            targets(to, from, |to, from| {
                let kept = (to.blend_enable, to.color_write_mask);
                *to = *from;
                (to.blend_enable, to.color_write_mask) = kept;
            })
        }),
        (&[], |to, from| assign(&mut to.blending.sources, &from.blending.sources, Dirty::PROGRAMS)),
        (&[D::COLOR_BLEND_EQUATION_EXT, D::COLOR_BLEND_ADVANCED_EXT], |to, from| {
            assign(&mut to.blending.advanced, &from.blending.advanced, Dirty::PROGRAMS)
        }),
    ]
};

/// Dynamic states on which fragment programs depend.
const OF_FRAGMENTS: &[vk::DynamicState] = &[
    vk::DynamicState::RASTERIZATION_SAMPLES_EXT,
    vk::DynamicState::SAMPLE_MASK_EXT,
    vk::DynamicState::ALPHA_TO_COVERAGE_ENABLE_EXT,
    vk::DynamicState::ALPHA_TO_ONE_ENABLE_EXT,
    vk::DynamicState::LOGIC_OP_ENABLE_EXT,
    vk::DynamicState::LOGIC_OP_EXT,
    vk::DynamicState::COLOR_WRITE_ENABLE_EXT,
    vk::DynamicState::COLOR_BLEND_ENABLE_EXT,
    vk::DynamicState::COLOR_WRITE_MASK_EXT,
    vk::DynamicState::COLOR_BLEND_EQUATION_EXT,
    vk::DynamicState::COLOR_BLEND_ADVANCED_EXT,
];

/// Whether commands set a state on which fragment programs depend.
pub fn changes_fragments(dynamic: &[vk::DynamicState]) -> bool {
    dynamic.iter().any(|state| OF_FRAGMENTS.contains(state))
}

fn faces(
    to: &mut DrawState,
    from: &DrawState,
    take: impl Fn(&mut vk::StencilOpState, &vk::StencilOpState) -> Dirty,
) -> Dirty {
    let faces = to.depth.faces.iter_mut().zip(&from.depth.faces);
    faces.fold(Dirty::NONE, |dirty, (to, from)| dirty | take(to, from))
}

fn targets(
    to: &mut DrawState,
    from: &DrawState,
    take: impl Fn(&mut vk::PipelineColorBlendAttachmentState, &vk::PipelineColorBlendAttachmentState),
) -> Dirty {
    to.blending.targets.iter_mut().zip(&from.blending.targets).for_each(|(to, from)| take(to, from));
    Dirty::PROGRAMS
}

impl DrawState {
    /// The state before any command; memory of lists is kept.
    pub(crate) fn clear(&mut self) {
        let (mut viewports, mut scissors) =
            (std::mem::take(&mut self.viewports), std::mem::take(&mut self.scissors));
        viewports.clear();
        scissors.clear();
        let is_blank = self.input.attributes.is_empty() && self.input.bindings.is_empty();
        let input = if is_blank { self.input.clone() } else { Arc::default() };
        *self = DrawState {
            input,
            viewports,
            scissors,
            topology: Default::default(),
            restart: false,
            patch: PatchInfo::default(),
            raster: RasterInfo::default(),
            depth: DepthInfo::default(),
            samples: SampleInfo::default(),
            blending: BlendInfo::default(),
        };
    }

    /// The parts of a pipeline's state that do not depend on its dynamic states.
    pub fn fixed_parts(dynamic: &[vk::DynamicState]) -> Vec<Take> {
        let is_fixed = |states: &[vk::DynamicState]| !states.iter().any(|state| dynamic.contains(state));
        ROWS.iter().filter(|(states, _)| is_fixed(states)).map(|(_, take)| *take).collect()
    }

    /// The same for a pipeline that draws meshes: it has no state of vertices.
    pub fn fixed_parts_of_meshes(dynamic: &[vk::DynamicState]) -> Vec<Take> {
        use vk::DynamicState as D;
        let of_vertices = [D::VERTEX_INPUT_EXT, D::PRIMITIVE_TOPOLOGY, D::PRIMITIVE_RESTART_ENABLE];
        DrawState::fixed_parts(&[dynamic, &of_vertices].concat())
    }

    /// Copies parts of the state of a pipeline that is bound; returns what has changed.
    pub fn take(&mut self, from: &DrawState, parts: &[Take]) -> Dirty {
        parts.iter().fold(Dirty::PROGRAMS, |dirty, take| dirty | take(self, from))
    }

    /// The state on which a fragment program depends, for targets of these formats.
    ///
    /// # Errors
    /// Unknown blend factor or operation.
    pub fn fragment(&self, formats: &TargetFormats) -> Result<FragmentState, Error> {
        let BlendInfo { targets, advanced, sources, closed, logic, logic_op, .. } = &self.blending;
        let mut state = FragmentState::default();
        state.samples = self.samples.count as u8;
        state.logic_op = LogicOp::ALL.get(logic_op.as_raw() as usize).copied().filter(|_| *logic);
        state.alpha_to_coverage = self.samples.alpha_to_coverage;
        state.alpha_to_one = self.samples.alpha_to_one;
        state.sample_mask = self.samples.mask as u8;
        for (at, ((slot, format), given)) in state.targets.iter_mut().zip(formats).zip(targets).enumerate() {
            let Some(format) = *format else { continue };
            let mut target = Target { source: sources[at], ..Target::new(format) };
            target.write_mask = if closed >> at & 1 == 0 { given.color_write_mask.as_raw() as u8 } else { 0 };
            if given.blend_enable == vk::TRUE && !format.is_integer() {
                let blending = match advanced.get(at).copied().flatten() {
                    Some(advanced) => Blending::Advanced(advanced),
                    None => blend(given)?.into(),
                };
                target.blend = Some(blending);
            }
            *slot = Some(target);
        }
        Ok(state)
    }
}

/// An advanced operation, for a source and a destination that are premultiplied or not; `None` for another operation.
pub fn advanced_blend(
    op: vk::BlendOp,
    [source_premultiplied, destination_premultiplied]: [bool; 2],
    overlap: vk::BlendOverlapEXT,
) -> Option<AdvancedBlend> {
    let number = op.as_raw().checked_sub(vk::BlendOp::ZERO_EXT.as_raw())?;
    let op = *AdvancedOp::ALL.get(usize::try_from(number).ok()?)?;
    let overlap = Overlap::ALL.get(overlap.as_raw() as usize).copied().unwrap_or_default();
    Some(AdvancedBlend { source_premultiplied, destination_premultiplied, overlap, ..AdvancedBlend::new(op) })
}

fn blend(given: &vk::PipelineColorBlendAttachmentState) -> Result<Blend, Error> {
    let colour = equation(given.src_color_blend_factor, given.dst_color_blend_factor, given.color_blend_op)?;
    let alpha = equation(given.src_alpha_blend_factor, given.dst_alpha_blend_factor, given.alpha_blend_op)?;
    Ok(Blend { colour, alpha })
}

/// Factors and operations are in Vulkan's order.
fn equation(
    source: vk::BlendFactor,
    destination: vk::BlendFactor,
    op: vk::BlendOp,
) -> Result<Equation, Error> {
    let unknown = Error::Unsupported { what: "this blend factor or operation" };
    let factor = |factor: vk::BlendFactor| Factor::ALL.get(factor.as_raw() as usize).copied();
    let op = BlendOp::ALL.get(op.as_raw() as usize).copied();
    match (factor(source), factor(destination), op) {
        (Some(source), Some(destination), Some(op)) => Ok(Equation { source, destination, op }),
        _ => Err(unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_where_the_application_places_them() {
        let places = sample_positions([[0.0, 0.5], [0.96875, 2.0]].into_iter());
        // Sixteenths, x in the low half of a byte; the last one is at 15.
        assert_eq!(places, 0xff80);
        let samples = SampleInfo { places, ..SampleInfo::default() };
        assert_eq!(samples.positions(2), 0x44cc, "standard positions");
        assert_eq!(SampleInfo { is_placed: true, ..samples }.positions(2), 0xff80);
    }

    #[test]
    fn meshes_leave_the_state_of_vertices() {
        let mut given = DrawState::default();
        given.raster.cull = vk::CullModeFlags::BACK;
        let mut state = DrawState::default();
        (state.topology, state.restart) = (vk::PrimitiveTopology::TRIANGLE_FAN, true);
        state.take(&given, &DrawState::fixed_parts_of_meshes(&[]));
        assert_eq!((state.topology, state.restart), (vk::PrimitiveTopology::TRIANGLE_FAN, true));
        assert_eq!(state.raster.cull, vk::CullModeFlags::BACK);
        state.take(&given, &DrawState::fixed_parts(&[]));
        assert!(!state.restart);
    }

    #[test]
    fn what_is_dynamic_stays_and_the_rest_is_taken() {
        let mut given = DrawState::default();
        given.raster.clamp = true;
        given.raster.cull = vk::CullModeFlags::BACK;
        given.depth.faces[1].reference = 7;
        given.depth.faces[1].compare_mask = 3;
        given.blending.targets[2].blend_enable = vk::TRUE;
        given.blending.targets[2].src_color_blend_factor = vk::BlendFactor::ONE;
        let mut state = DrawState::default();
        let dynamic = [
            vk::DynamicState::CULL_MODE,
            vk::DynamicState::STENCIL_REFERENCE,
            vk::DynamicState::COLOR_BLEND_ENABLE_EXT,
        ];
        let parts = DrawState::fixed_parts(&dynamic);
        let changed = state.take(&given, &parts);
        assert!(changed.intersects(Dirty::VIEWS) && !changed.intersects(Dirty::BIAS));
        assert_eq!(state.take(&given, &parts), Dirty::PROGRAMS);
        assert!(state.raster.clamp && !state.raster.clips());
        assert_eq!(state.raster.cull, vk::CullModeFlags::NONE);
        assert_eq!((state.depth.faces[1].reference, state.depth.faces[1].compare_mask), (0, 3));
        let target = state.blending.targets[2];
        assert_eq!((target.blend_enable, target.src_color_blend_factor), (vk::FALSE, vk::BlendFactor::ONE));
    }

    #[test]
    fn other_viewports_and_scissors_of_a_pipeline_are_changes() {
        let parts = DrawState::fixed_parts(&[]);
        let mut state = DrawState::default();
        let mut given = DrawState::default();
        state.take(&given, &parts);
        for width in [8.0, 16.0] {
            given.viewports = vec![vk::Viewport { width, ..vk::Viewport::default() }];
            assert_eq!(state.take(&given, &parts), Dirty::PROGRAMS | Dirty::VIEWS);
            assert_eq!(state.take(&given, &parts), Dirty::PROGRAMS);
        }
        given.scissors = vec![vk::Rect2D::default()];
        assert_eq!(state.take(&given, &parts), Dirty::PROGRAMS | Dirty::VIEWS);
    }

    #[test]
    fn advanced_operations_have_vulkans_numbers() {
        let of = |op| {
            advanced_blend(op, [true; 2], vk::BlendOverlapEXT::CONJOINT)
                .map(|blend| (blend.op, blend.overlap))
        };
        assert_eq!(of(vk::BlendOp::MULTIPLY_EXT), Some((AdvancedOp::Multiply, Overlap::Conjoint)));
        assert_eq!(of(vk::BlendOp::BLUE_EXT), Some((AdvancedOp::Blue, Overlap::Conjoint)));
        assert_eq!(of(vk::BlendOp::MAX), None);
    }

    #[test]
    fn closed_targets_are_not_written() {
        let mut state = DrawState::default();
        for target in &mut state.blending.targets {
            target.color_write_mask = vk::ColorComponentFlags::RGBA;
        }
        state.blending.closed = 2;
        let formats = [Some(ColourFormat::Rgba8Unorm); MAX_TARGETS as usize];
        let made = state.fragment(&formats).expect("a state");
        let masks = made.targets.map(|target| target.map_or(0, |target| target.write_mask));
        assert_eq!(masks[..3], [15, 0, 15]);
        assert_eq!(made.logic_op, None);
    }
}
