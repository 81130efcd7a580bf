//! Execution modes of mesh shaders.

use agx_abi::mesh::{MAX_PRIMITIVES, MAX_VERTICES};
use agx_abi::{MeshInfo, MeshKind};
use spirv::ExecutionMode;

use crate::error::{CompileError, StageError};

/// Corners of the primitives, by execution mode.
const PRIMITIVES: &[(ExecutionMode, u32)] = &[
    (ExecutionMode::OutputPoints, 1),
    (ExecutionMode::OutputLinesEXT, 2),
    (ExecutionMode::OutputTrianglesEXT, 3),
];

/// The modes of the task or mesh shader with function `function`, out of those of the module: function, mode, operands.
pub(super) fn modes(
    module: &[(u32, u32, &[u32])],
    function: u32,
    kind: MeshKind,
) -> Result<MeshInfo, CompileError> {
    let info = MeshInfo { kind, ..MeshInfo::default() };
    if kind == MeshKind::Task {
        return Ok(info);
    }
    let mode = |mode: ExecutionMode| {
        module.iter().find(|known| (known.0, known.1) == (function, mode as u32)).map(|known| known.2)
    };
    let number = |given: ExecutionMode| mode(given).and_then(|operands| operands.first()).copied();
    let corners = PRIMITIVES.iter().find(|row| mode(row.0).is_some()).map(|row| row.1);
    let sizes = (number(ExecutionMode::OutputVertices), number(ExecutionMode::OutputPrimitivesEXT));
    let (Some(corners), (Some(vertices), Some(primitives))) = (corners, sizes) else {
        return Err(StageError::MeshModes.into());
    };
    if vertices > MAX_VERTICES || primitives > MAX_PRIMITIVES {
        let (most_vertices, most_primitives) = (MAX_VERTICES, MAX_PRIMITIVES);
        return Err(StageError::MeshSize { vertices, primitives, most_vertices, most_primitives }.into());
    }
    Ok(MeshInfo { corners, vertices, primitives, ..info })
}
