//! The execution modes that entry points may have.

use spirv::ExecutionMode;

use crate::error::{CompileError, ModuleError};

/// Modes that are respected wherever they apply, and modes that only permit what the compiled code does not do. Every
/// other mode would change the meaning of the program.
const ACCEPTED: &[ExecutionMode] = &[
    // Fragments: tests, depth, and windows whose first row is the upper one.
    ExecutionMode::OriginUpperLeft,
    ExecutionMode::EarlyFragmentTests,
    ExecutionMode::DepthReplacing,
    ExecutionMode::DepthGreater,
    ExecutionMode::DepthLess,
    ExecutionMode::DepthUnchanged,
    ExecutionMode::StencilRefReplacingEXT,
    ExecutionMode::StencilRefUnchangedFrontAMD,
    ExecutionMode::StencilRefGreaterFrontAMD,
    ExecutionMode::StencilRefLessFrontAMD,
    ExecutionMode::StencilRefUnchangedBackAMD,
    ExecutionMode::StencilRefGreaterBackAMD,
    ExecutionMode::StencilRefLessBackAMD,
    // Fragments: interlocks order them by pixel, in the order of primitives; reads of attachments are coherent.
    ExecutionMode::PixelInterlockOrderedEXT,
    ExecutionMode::PixelInterlockUnorderedEXT,
    ExecutionMode::SampleInterlockOrderedEXT,
    ExecutionMode::SampleInterlockUnorderedEXT,
    ExecutionMode::ShadingRateInterlockOrderedEXT,
    ExecutionMode::ShadingRateInterlockUnorderedEXT,
    ExecutionMode::NonCoherentColorAttachmentReadEXT,
    ExecutionMode::NonCoherentDepthAttachmentReadEXT,
    ExecutionMode::NonCoherentStencilAttachmentReadEXT,
    // Geometry and tessellation.
    ExecutionMode::Invocations,
    ExecutionMode::InputPoints,
    ExecutionMode::InputLines,
    ExecutionMode::InputLinesAdjacency,
    ExecutionMode::Triangles,
    ExecutionMode::InputTrianglesAdjacency,
    ExecutionMode::OutputVertices,
    ExecutionMode::OutputPoints,
    ExecutionMode::OutputLineStrip,
    ExecutionMode::OutputTriangleStrip,
    ExecutionMode::Quads,
    ExecutionMode::Isolines,
    ExecutionMode::SpacingEqual,
    ExecutionMode::SpacingFractionalEven,
    ExecutionMode::SpacingFractionalOdd,
    ExecutionMode::VertexOrderCw,
    ExecutionMode::VertexOrderCcw,
    ExecutionMode::PointMode,
    ExecutionMode::Xfb,
    // Meshes.
    ExecutionMode::OutputPrimitivesEXT,
    ExecutionMode::OutputLinesEXT,
    ExecutionMode::OutputTrianglesEXT,
    // Kernels.
    ExecutionMode::LocalSizeHint,
    ExecutionMode::VecTypeHint,
    ExecutionMode::ContractionOff,
    // Workgroups, quads and subgroups. Every fragment is in a full quad.
    ExecutionMode::LocalSize,
    ExecutionMode::LocalSizeId,
    ExecutionMode::DerivativeGroupQuadsKHR,
    ExecutionMode::DerivativeGroupLinearKHR,
    ExecutionMode::QuadDerivativesKHR,
    ExecutionMode::RequireFullQuadsKHR,
    ExecutionMode::SubgroupUniformControlFlowKHR,
    ExecutionMode::MaximallyReconvergesKHR,
    // Floats: `float_controls` checks them further.
    ExecutionMode::DenormPreserve,
    ExecutionMode::DenormFlushToZero,
    ExecutionMode::SignedZeroInfNanPreserve,
    ExecutionMode::RoundingModeRTE,
    ExecutionMode::RoundingModeRTZ,
    ExecutionMode::FPFastMathDefault,
    // No buffer has more than 4 GiB.
    ExecutionMode::Shader64BitIndexingEXT,
];

/// Rejects modes of an entry point that are not supported.
pub(super) fn check(numbers: impl Iterator<Item = u32>) -> Result<(), CompileError> {
    for number in numbers {
        let Some(mode) = ExecutionMode::from_u32(number) else {
            return Err(ModuleError::UnknownMode { number }.into());
        };
        if !ACCEPTED.contains(&mode) {
            return Err(ModuleError::Mode { mode }.into());
        }
    }
    Ok(())
}
