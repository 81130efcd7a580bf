//! Geometry shaders, which run as compute shaders: the hardware has no such stage.
//!
//! A driver runs three programs for a draw. The vertex shader runs as a compute shader with an invocation for each
//! vertex of each primitive, and stores its outputs at [`crate::UniformSource::VertexOutputs`]. The geometry
//! shader runs with [`GeometryInfo::invocations`] invocations for each primitive along x and the instances along
//! y. Each invocation has room for [`GeometryInfo::max_vertices`] vertices, whose words are in the slots of
//! [`crate::ShaderInfo::varyings`], at [`crate::UniformSource::GeometryVertices`], and for
//! [`GeometryInfo::indices`] indices at [`crate::UniformSource::GeometryIndices`]. The third program is a vertex
//! shader of the hardware, which draws the indices as a list with restarts: it loads the words of its vertex.

/// Bytes of an index.
pub const INDEX_BYTES: u32 = 4;

/// The index in places without a primitive.
pub const RESTART: u32 = u32::MAX;

/// Maximum number of streams.
pub const MAX_STREAMS: u32 = 4;

/// [`crate::vertex::Output::Stream`] in places without a vertex, and of vertices that complete no primitive.
pub const NO_STREAM: u32 = u32::MAX;

/// Threads of a workgroup of a geometry shader.
pub const WORKGROUP: u32 = 64;

/// The modes of a geometry shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct GeometryInfo {
    /// Vertices of an input primitive, including adjacent ones.
    pub input_vertices: u32,
    /// Vertices of an output primitive: 1 point, 2 line, 3 triangle.
    pub corners: u32,
    /// Invocations for each primitive.
    pub invocations: u32,
    /// Maximum number of vertices that an invocation emits, to all streams together.
    pub max_vertices: u32,
    /// Whether vertices are emitted to several streams. [`crate::vertex::Output::Stream`] in memory tells the stream of the
    /// primitive that a vertex completes, and [`crate::vertex::Output::StreamCorner`] its corners; the indices are those of the
    /// drawn stream.
    pub streams: bool,
}

impl GeometryInfo {
    /// Number of indices of an invocation: those of the primitive that each vertex may complete.
    pub fn indices(&self) -> u32 {
        let before = self.corners.saturating_sub(1);
        self.max_vertices.saturating_sub(before).saturating_mul(self.corners)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_vertex_after_the_first_ones_may_complete_a_primitive() {
        let indices = |corners, max_vertices| {
            GeometryInfo { corners, max_vertices, ..GeometryInfo::default() }.indices()
        };
        assert_eq!([indices(1, 4), indices(2, 4), indices(3, 4), indices(3, 2)], [4, 6, 6, 0]);
    }
}
