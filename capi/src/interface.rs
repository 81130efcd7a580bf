//! The interface of a shader to other stages: attributes, outputs, coefficients, and captured outputs.

use agx_abi::feedback::{CapturedOutput, Feedback, MAX_BUFFERS};
use agx_abi::fragment::{CoefficientSource, Corner, DepthLayout, FragmentInfo, Interpolation, MAX_TARGETS};
use agx_abi::vertex::{Attribute, Output, RunsAs, Varying};
use agx_abi::{ShaderInfo, Stage};

use crate::error::AgxError;
use crate::shader::AgxShader;

/// Number of render targets.
pub const AGX_MAX_TARGETS: usize = 8;

/// Number of buffers of transform feedback.
pub const AGX_MAX_FEEDBACK_BUFFERS: usize = 4;

// The header has numbers, not names of other crates.
const _: () = assert!(AGX_MAX_TARGETS == MAX_TARGETS as usize && AGX_MAX_FEEDBACK_BUFFERS == MAX_BUFFERS);

/// An attribute that a vertex shader reads. The position in the list is the attribute's number, which sources of uniform
/// ranges refer to.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxShaderAttribute {
    /// Its location in the module.
    pub location: u32,
    /// Components that the shader reads, bit 0 the first.
    pub components: u8,
}

impl From<&Attribute> for AgxShaderAttribute {
    fn from(attribute: &Attribute) -> AgxShaderAttribute {
        AgxShaderAttribute { location: attribute.location, components: attribute.components }
    }
}

/// Kinds of outputs of vertex and geometry shaders.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxOutputKind {
    /// A component of the clip-space position.
    Position = 0,
    /// The size of a point.
    PointSize = 1,
    /// A clip distance, against which primitives are clipped.
    ClipDistance = 2,
    /// A clip distance again, for fragment shaders to read.
    ReadClipDistance = 3,
    /// A cull distance, which only fragment shaders read.
    CullDistance = 4,
    /// The flag of a cull distance: 0 if it is negative, else 1.
    Culled = 5,
    /// Layer in the low half, viewport in the high half.
    LayerAndViewport = 6,
    /// The viewport again, for fragment shaders to read.
    Viewport = 7,
    /// The number of the primitive, for fragment shaders to read.
    PrimitiveId = 8,
    /// A component of a location.
    User = 9,
    /// The stream of the primitive that a vertex of a geometry shader completes.
    Stream = 10,
    /// The number of a corner of that primitive.
    StreamCorner = 11,
    /// x, y or w of the position again, for fragment shaders to interpolate.
    ReadPosition = 12,
    /// x, y or w of the position again, for fragment shaders to read of each vertex.
    CornerPosition = 13,
}

/// An output of a vertex or geometry shader: a word.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxOutput {
    /// Its kind.
    pub kind: AgxOutputKind,
    /// Its location; 0 for other kinds than `AGX_OUTPUT_KIND_USER`.
    pub location: u32,
    /// Number of the component or distance; 0 for kinds with one output.
    pub index: u32,
}

impl From<Output> for AgxOutput {
    fn from(output: Output) -> AgxOutput {
        let of = |kind, index| AgxOutput { kind, location: 0, index };
        match output {
            Output::Position(index) => of(AgxOutputKind::Position, index),
            Output::PointSize => of(AgxOutputKind::PointSize, 0),
            Output::ClipDistance(index) => of(AgxOutputKind::ClipDistance, index),
            Output::ReadClipDistance(index) => of(AgxOutputKind::ReadClipDistance, index),
            Output::CullDistance(index) => of(AgxOutputKind::CullDistance, index),
            Output::Culled(index) => of(AgxOutputKind::Culled, index),
            Output::LayerAndViewport => of(AgxOutputKind::LayerAndViewport, 0),
            Output::Viewport => of(AgxOutputKind::Viewport, 0),
            Output::PrimitiveId => of(AgxOutputKind::PrimitiveId, 0),
            Output::Stream => of(AgxOutputKind::Stream, 0),
            Output::StreamCorner(index) => of(AgxOutputKind::StreamCorner, index),
            Output::ReadPosition(index) => of(AgxOutputKind::ReadPosition, index),
            Output::CornerPosition(index) => of(AgxOutputKind::CornerPosition, index),
            Output::User { location, component } => {
                AgxOutput { kind: AgxOutputKind::User, location, index: component }
            }
        }
    }
}

/// An output slot that a vertex shader writes, or a word of a vertex that a geometry shader stores.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxVarying {
    /// Slot number, in words.
    pub slot: u16,
    /// Its contents.
    pub output: AgxOutput,
}

impl From<&Varying> for AgxVarying {
    fn from(varying: &Varying) -> AgxVarying {
        AgxVarying { slot: varying.slot, output: varying.output.into() }
    }
}

/// Kinds of values in coefficient registers.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxCoefficientKind {
    /// 1/w.
    OneOverW = 0,
    /// Depth.
    Depth = 1,
    /// Horizontal position within a point.
    PointX = 2,
    /// Vertical position within a point.
    PointY = 3,
    /// The viewport index.
    Viewport = 4,
    /// Number of the primitive.
    PrimitiveId = 5,
    /// A clip distance.
    ClipDistance = 6,
    /// A cull distance.
    CullDistance = 7,
    /// The flag of a cull distance.
    Culled = 8,
    /// A component of a location.
    User = 9,
    /// x, y or w of the position.
    Position = 10,
    /// x, y or w of the position of a vertex.
    CornerPosition = 11,
}

/// How a value is interpolated across a primitive.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxInterpolation {
    /// The value of the provoking vertex.
    Flat = 0,
    /// Linear in screen space.
    Linear = 1,
    /// Perspective-correct.
    Perspective = 2,
    /// The value of the first vertex.
    First = 3,
    /// The value of the second vertex of a triangle.
    Second = 4,
    /// The value of the last vertex.
    Third = 5,
}

/// The contents of a coefficient register of a fragment shader.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxCoefficient {
    /// Their kind.
    pub kind: AgxCoefficientKind,
    /// Location; 0 for other kinds than `AGX_COEFFICIENT_KIND_USER`.
    pub location: u32,
    /// Number of the component or distance; 0 for kinds with one value.
    pub index: u32,
    /// Their interpolation.
    pub interpolation: AgxInterpolation,
}

impl From<CoefficientSource> for AgxCoefficient {
    fn from(source: CoefficientSource) -> AgxCoefficient {
        let interpolation = match source.interpolation() {
            Interpolation::Flat => AgxInterpolation::Flat,
            Interpolation::Linear => AgxInterpolation::Linear,
            Interpolation::Perspective => AgxInterpolation::Perspective,
            Interpolation::Corner(Corner::First) => AgxInterpolation::First,
            Interpolation::Corner(Corner::Second) => AgxInterpolation::Second,
            Interpolation::Corner(Corner::Third) => AgxInterpolation::Third,
        };
        let of = |kind, index| AgxCoefficient { kind, location: 0, index, interpolation };
        match source {
            CoefficientSource::OneOverW => of(AgxCoefficientKind::OneOverW, 0),
            CoefficientSource::Depth => of(AgxCoefficientKind::Depth, 0),
            CoefficientSource::PointX => of(AgxCoefficientKind::PointX, 0),
            CoefficientSource::PointY => of(AgxCoefficientKind::PointY, 0),
            CoefficientSource::Viewport => of(AgxCoefficientKind::Viewport, 0),
            CoefficientSource::PrimitiveId => of(AgxCoefficientKind::PrimitiveId, 0),
            CoefficientSource::ClipDistance(index) => of(AgxCoefficientKind::ClipDistance, index),
            CoefficientSource::CullDistance(index) => of(AgxCoefficientKind::CullDistance, index),
            CoefficientSource::Culled(index) => of(AgxCoefficientKind::Culled, index),
            CoefficientSource::Position(index) => of(AgxCoefficientKind::Position, index),
            CoefficientSource::CornerPosition { component, .. } => {
                of(AgxCoefficientKind::CornerPosition, component)
            }
            CoefficientSource::User { location, component, .. } => {
                AgxCoefficient { location, ..of(AgxCoefficientKind::User, component) }
            }
        }
    }
}

/// The buffers in which transform feedback captures outputs of a vertex or geometry shader.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxFeedback {
    /// Bytes of a vertex in each buffer; 0 for buffers that are not used.
    pub strides: [u32; AGX_MAX_FEEDBACK_BUFFERS],
    /// The stream of a geometry shader whose vertices each buffer captures.
    pub streams: [u8; AGX_MAX_FEEDBACK_BUFFERS],
}

/// A captured output.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxCapturedOutput {
    /// Number of the buffer.
    pub buffer: u8,
    /// Byte offset in the vertex's part of the buffer.
    pub offset: u32,
    /// Size in bits: 8, 16 or 32.
    pub bits: u8,
    /// The output.
    pub output: AgxOutput,
}

impl From<&CapturedOutput> for AgxCapturedOutput {
    fn from(captured: &CapturedOutput) -> AgxCapturedOutput {
        let CapturedOutput { buffer, offset, bits, output } = *captured;
        AgxCapturedOutput { buffer, offset, bits, output: output.into() }
    }
}

/// Properties of a vertex shader.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxVertexInfo {
    /// It runs as a compute shader, with outputs in memory.
    pub runs_as_compute: bool,
    /// It reads base vertex or base instance.
    pub reads_base: bool,
    /// It reads the number of the draw.
    pub reads_draw: bool,
}

impl From<&ShaderInfo> for AgxVertexInfo {
    fn from(info: &ShaderInfo) -> AgxVertexInfo {
        AgxVertexInfo {
            runs_as_compute: info.runs_as == RunsAs::Compute,
            reads_base: info.reads.base,
            reads_draw: info.reads.draw,
        }
    }
}

/// How the depths that a shader writes relate to those of its primitive.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxDepthLayout {
    /// No guarantee.
    Any = 0,
    /// Not less.
    Greater = 1,
    /// Not greater.
    Less = 2,
    /// Equal.
    Unchanged = 3,
}

/// Properties of a fragment shader.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxFragmentInfo {
    /// For each target the components that are written, bit 0 the first, without an alpha that is always 1.
    pub components: [u8; AGX_MAX_TARGETS],
    /// The alpha of target 0 is 1.
    pub opaque: bool,
    /// The second entry of `components` is the second colour for dual-source blending.
    pub dual_source: bool,
    /// It writes a depth.
    pub writes_depth: bool,
    /// The declared layout of that depth.
    pub depth_layout: AgxDepthLayout,
    /// It writes a stencil value.
    pub writes_stencil: bool,
    /// It determines when samples are tested: it discards some, or writes depth or stencil.
    pub late_tests: bool,
    /// Tests always run before it.
    pub early_tests: bool,
    /// Helper lanes must run to the end.
    pub needs_helpers: bool,
    /// It runs for each sample.
    pub sample_shading: bool,
    /// Render targets that it reads or leaves as they are, bit 0 the first.
    pub reads_targets: u8,
    /// Overlapping fragments execute a part of it in order.
    pub interlock: bool,
}

impl From<&FragmentInfo> for AgxFragmentInfo {
    fn from(info: &FragmentInfo) -> AgxFragmentInfo {
        AgxFragmentInfo {
            components: info.components,
            opaque: info.opaque,
            dual_source: info.dual_source,
            writes_depth: info.writes_depth,
            depth_layout: match info.depth_layout {
                DepthLayout::Any => AgxDepthLayout::Any,
                DepthLayout::Greater => AgxDepthLayout::Greater,
                DepthLayout::Less => AgxDepthLayout::Less,
                DepthLayout::Unchanged => AgxDepthLayout::Unchanged,
            },
            writes_stencil: info.writes_stencil,
            late_tests: info.late_tests,
            early_tests: info.early_tests,
            needs_helpers: info.needs_helpers,
            sample_shading: info.sample_shading,
            reads_targets: info.reads_targets,
            interlock: info.interlock,
        }
    }
}

impl AgxShader {
    /// Properties of a vertex shader.
    pub(crate) fn vertex(&self) -> Result<AgxVertexInfo, AgxError> {
        self.expect(Stage::Vertex, "the shader")?;
        Ok((&self.0.info).into())
    }

    /// Properties of a fragment shader.
    pub(crate) fn fragment(&self) -> Result<AgxFragmentInfo, AgxError> {
        self.expect(Stage::Fragment, "the shader")?;
        Ok((&self.0.info.fragment).into())
    }

    /// The buffers in which outputs are captured.
    pub(crate) fn feedback(&self) -> AgxFeedback {
        let Feedback { strides, streams, .. } = self.0.info.feedback;
        AgxFeedback { strides, streams }
    }
}
