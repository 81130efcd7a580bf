//! Task and mesh shaders, which run as compute shaders: the hardware has no such stages.
//!
//! A driver runs these programs for a draw:
//!
//! 1. The task shader, if there is one, with a workgroup for each workgroup of the draw. Each stores a record of
//!    [`MeshInfo::task_bytes`] at [`crate::UniformSource::TaskRecords`]: the number of mesh workgroups that it emits in x, y
//!    and z, and its payload at byte [`PAYLOAD`].
//! 2. The mesh shader, with a workgroup for each workgroup of the draw, or for each that the task shader emits. Each
//!    has its place in the results: a record of [`MeshInfo::record_bytes`] at [`crate::UniformSource::VertexOutputs`],
//!    [`MeshInfo::vertex_bytes`] of vertices at [`crate::UniformSource::GeometryVertices`], and
//!    [`MeshInfo::index_bytes`] of indices at [`crate::UniformSource::GeometryIndices`]. Indices are numbers of vertices of
//!    the launch; primitives that are culled, or not there, have [restart indices](crate::geometry::RESTART).
//! 3. The vertex shader that draws the vertices of geometry shaders ([`crate::geometry`]) draws these too.
//!
//! Both are launched with workgroups along x only. [`crate::UniformSource::WorkgroupTable`] tells which these are: it has
//! a [header](TABLE_HEADER_BYTES), and an [entry](TABLE_ENTRY_BYTES) for each task workgroup, or a single one.

use crate::vertex::MAX_SLOTS;

/// Bytes of the header of a table of workgroups: the number of entries, the number of the first workgroup of the launch among
/// those of the draw, the bytes of a record of a task workgroup, and the number of the draw.
pub const TABLE_HEADER_BYTES: u32 = 16;

/// Bytes of an entry of a table of workgroups: the number of workgroups before it, and its workgroups in x, y and z.
pub const TABLE_ENTRY_BYTES: u32 = 16;

/// First byte of the payload in the record of a task workgroup, after the numbers of workgroups that it emits.
pub const PAYLOAD: u32 = 16;

/// Maximum number of bytes of a payload.
pub const MAX_PAYLOAD_BYTES: u32 = 16384;

/// Maximum number of vertices of a mesh workgroup.
pub const MAX_VERTICES: u32 = 256;

/// Maximum number of primitives of a mesh workgroup.
pub const MAX_PRIMITIVES: u32 = 256;

/// Maximum number of words of the outputs of a vertex and of a primitive together.
pub const MAX_WORDS: u32 = MAX_SLOTS;

/// Which of the shaders of a mesh pipeline a shader is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MeshKind {
    /// A task shader.
    Task,
    /// A mesh shader.
    #[default]
    Mesh,
}

impl MeshKind {
    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            MeshKind::Task => "task",
            MeshKind::Mesh => "mesh",
        }
    }
}

/// Properties of a task or mesh shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct MeshInfo {
    /// Which of them it is.
    pub kind: MeshKind,
    /// Vertices of a primitive: 1 point, 2 line, 3 triangle.
    pub corners: u32,
    /// Maximum number of vertices of a workgroup.
    pub vertices: u32,
    /// Maximum number of primitives of a workgroup.
    pub primitives: u32,
    /// Words of the outputs of a vertex.
    pub vertex_words: u32,
    /// Words of the outputs of a primitive.
    pub primitive_words: u32,
    /// Words of a vertex of a primitive, if primitives have outputs that fragments read or the rasteriser needs: each
    /// primitive then has vertices of its own. 0 if primitives share the vertices of the workgroup.
    pub drawn_words: u32,
    /// Bytes of the payload.
    pub payload_bytes: u32,
}

/// Bytes of a word.
const WORD: u32 = 4;

impl MeshInfo {
    /// Bytes of the record of a task workgroup.
    pub fn task_bytes(&self) -> u32 {
        PAYLOAD + self.payload_bytes.next_multiple_of(16)
    }

    /// Bytes of the outputs of all primitives of a workgroup.
    pub fn primitive_bytes(&self) -> u32 {
        WORD * self.primitive_words * self.primitives
    }

    /// Bytes of the outputs of all vertices of a workgroup.
    pub fn stored_vertex_bytes(&self) -> u32 {
        WORD * self.vertex_words * self.vertices
    }

    /// Bytes of the record of a workgroup: the outputs of its primitives, then those of its vertices if they are not drawn
    /// themselves.
    pub fn record_bytes(&self) -> u32 {
        let vertices = if self.drawn_words == 0 { 0 } else { self.stored_vertex_bytes() };
        self.primitive_bytes() + vertices
    }

    /// Number of vertices of a workgroup that can be drawn.
    pub fn drawn_vertices(&self) -> u32 {
        if self.drawn_words == 0 { self.vertices } else { self.primitives * self.corners }
    }

    /// Bytes of the vertices of a workgroup that can be drawn.
    pub fn vertex_bytes(&self) -> u32 {
        let words = if self.drawn_words == 0 { self.vertex_words } else { self.drawn_words };
        WORD * words * self.drawn_vertices()
    }

    /// Number of indices of a workgroup.
    pub fn indices(&self) -> u32 {
        self.primitives * self.corners
    }

    /// Bytes of the indices of a workgroup.
    pub fn index_bytes(&self) -> u32 {
        crate::geometry::INDEX_BYTES * self.indices()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_share_vertices_unless_they_have_outputs_of_their_own() {
        let info =
            MeshInfo { corners: 3, vertices: 64, primitives: 126, vertex_words: 8, ..MeshInfo::default() };
        let bytes = |info: MeshInfo| [info.record_bytes(), info.vertex_bytes(), info.index_bytes()];
        assert_eq!(bytes(info), [0, 64 * 32, 126 * 12]);
        let culls = MeshInfo { primitive_words: 1, ..info };
        assert_eq!(bytes(culls), [126 * 4, 64 * 32, 126 * 12]);
        let own = MeshInfo { primitive_words: 2, drawn_words: 9, ..info };
        assert_eq!(bytes(own), [126 * 8 + 64 * 32, 126 * 3 * 36, 126 * 12]);
    }

    #[test]
    fn payloads_are_aligned() {
        let bytes = |payload_bytes| MeshInfo { payload_bytes, ..MeshInfo::default() }.task_bytes();
        assert_eq!([bytes(0), bytes(1), bytes(16), bytes(MAX_PAYLOAD_BYTES)], [16, 32, 32, 16400]);
    }

    #[test]
    fn the_largest_sizes_fit_32_bits() {
        let most = MeshInfo {
            corners: 3,
            vertices: MAX_VERTICES,
            primitives: MAX_PRIMITIVES,
            vertex_words: MAX_WORDS,
            primitive_words: MAX_WORDS,
            drawn_words: MAX_WORDS,
            payload_bytes: MAX_PAYLOAD_BYTES,
            ..MeshInfo::default()
        };
        assert_eq!(most.vertex_bytes(), 3 << 18);
        assert_eq!(most.record_bytes(), 2 << 18);
    }
}
