//! Execution modes of geometry shaders.

use agx_abi::GeometryInfo;
use spirv::ExecutionMode;

use crate::error::{CompileError, StageError};

/// Vertices of the input primitives, by execution mode.
const INPUTS: &[(ExecutionMode, u32)] = &[
    (ExecutionMode::InputPoints, 1),
    (ExecutionMode::InputLines, 2),
    (ExecutionMode::Triangles, 3),
    (ExecutionMode::InputLinesAdjacency, 4),
    (ExecutionMode::InputTrianglesAdjacency, 6),
];

/// Corners of the output primitives, by execution mode.
const OUTPUTS: &[(ExecutionMode, u32)] = &[
    (ExecutionMode::OutputPoints, 1),
    (ExecutionMode::OutputLineStrip, 2),
    (ExecutionMode::OutputTriangleStrip, 3),
];

/// Maximum number of vertices of an invocation, and of invocations of a primitive.
pub const MAX_VERTICES: u32 = 1024;

/// The modes of the geometry shader with function `function`, out of those of the module: function, mode, operands.
/// `streams` tells whether it may emit to several streams.
pub(super) fn modes(
    module: &[(u32, u32, &[u32])],
    function: u32,
    streams: bool,
) -> Result<GeometryInfo, CompileError> {
    let mode = |mode: ExecutionMode| {
        module.iter().find(|known| (known.0, known.1) == (function, mode as u32)).map(|known| known.2)
    };
    let row = |rows: &[(ExecutionMode, u32)]| rows.iter().find(|row| mode(row.0).is_some()).map(|row| row.1);
    let number = |given: ExecutionMode| mode(given).and_then(|operands| operands.first()).copied();
    let modes = (row(INPUTS), row(OUTPUTS), number(ExecutionMode::OutputVertices));
    let (Some(input_vertices), Some(corners), Some(max_vertices)) = modes else {
        return Err(StageError::GeometryModes.into());
    };
    let invocations = number(ExecutionMode::Invocations).unwrap_or(1);
    if invocations == 0 || invocations > MAX_VERTICES || max_vertices > MAX_VERTICES {
        return Err(StageError::GeometrySize { invocations, max_vertices, most: MAX_VERTICES }.into());
    }
    Ok(GeometryInfo { input_vertices, corners, invocations, max_vertices, streams })
}
