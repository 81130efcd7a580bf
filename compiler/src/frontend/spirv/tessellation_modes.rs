//! Execution modes of tessellation shaders.

use agx_abi::tessellation::{Domain, MAX_PATCH_VERTICES, PatchLayout, Spacing, TessellationInfo};
use spirv::{ExecutionMode, ExecutionModel};

use crate::error::{CompileError, StageError};

const DOMAINS: &[(ExecutionMode, Domain)] = &[
    (ExecutionMode::Triangles, Domain::Triangles),
    (ExecutionMode::Quads, Domain::Quads),
    (ExecutionMode::Isolines, Domain::Isolines),
];

const SPACINGS: &[(ExecutionMode, Spacing)] = &[
    (ExecutionMode::SpacingEqual, Spacing::Equal),
    (ExecutionMode::SpacingFractionalEven, Spacing::FractionalEven),
    (ExecutionMode::SpacingFractionalOdd, Spacing::FractionalOdd),
];

const ORDERS: &[(ExecutionMode, bool)] =
    &[(ExecutionMode::VertexOrderCw, true), (ExecutionMode::VertexOrderCcw, false)];

/// Which of the tessellation shaders an entry point is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TessellationKind {
    /// A control shader.
    Control,
    /// An evaluation shader.
    Evaluation,
}

impl TessellationKind {
    /// That of an execution model, if it is one.
    pub fn of(model: u32) -> Option<TessellationKind> {
        match ExecutionModel::from_u32(model)? {
            ExecutionModel::TessellationControl => Some(TessellationKind::Control),
            ExecutionModel::TessellationEvaluation => Some(TessellationKind::Evaluation),
            _ => None,
        }
    }
}

/// The modes of the tessellation shader with function `function`, out of those of the module: function, mode, operands.
pub(super) fn modes(
    module: &[(u32, u32, &[u32])],
    function: u32,
    kind: TessellationKind,
) -> Result<TessellationInfo, CompileError> {
    let mode = |mode: ExecutionMode| {
        module.iter().find(|known| (known.0, known.1) == (function, mode as u32)).map(|known| known.2)
    };
    let vertices = mode(ExecutionMode::OutputVertices).and_then(|operands| operands.first()).copied();
    let vertices = match (kind, vertices) {
        (TessellationKind::Control, Some(vertices @ 1..=MAX_PATCH_VERTICES)) => vertices,
        (TessellationKind::Control, Some(vertices)) => {
            return Err(StageError::PatchVertices { vertices, most: MAX_PATCH_VERTICES }.into());
        }
        (TessellationKind::Control, None) => return Err(StageError::NoPatchVertices.into()),
        (TessellationKind::Evaluation, _) => 0,
    };
    Ok(TessellationInfo {
        record: PatchLayout { vertices, ..PatchLayout::default() },
        domain: DOMAINS.iter().find(|row| mode(row.0).is_some()).map(|row| row.1),
        spacing: SPACINGS.iter().find(|row| mode(row.0).is_some()).map(|row| row.1),
        clockwise: ORDERS.iter().find(|row| mode(row.0).is_some()).map(|row| row.1),
        points: mode(ExecutionMode::PointMode).is_some(),
        ..TessellationInfo::default()
    })
}
