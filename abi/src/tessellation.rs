//! Tessellation, which runs as compute shaders: the hardware has no such stages.
//!
//! A driver runs these programs for a draw of patches:
//!
//! 1. The vertex shader runs as a compute shader with an invocation for each vertex of each patch, and stores its
//!    outputs at [`crate::UniformSource::VertexOutputs`] in the [`Rows`] that the control shader reads
//!    ([`TessellationInfo::inputs`]).
//! 2. The control shader runs with [`PatchLayout::vertices`] invocations for each patch along x, and the instances
//!    along y. It stores a record of [`PatchLayout::bytes`] for each patch at
//!    [`crate::UniformSource::PatchOutputs`].
//! 3. The driver subdivides the patches by their levels. For each vertex it stores a [domain point](POINT_BYTES) at
//!    [`crate::UniformSource::DomainPoints`], and for each primitive the numbers of its points, as indices.
//! 4. The evaluation shader is the vertex shader of a draw of these indices.

use crate::vertex::Output;

/// Bytes of the start of a patch's record: the four outer levels, the two inner levels, 32-bit floats, the number of the
/// patch in its instance, and whether the control shader declares its domain to be triangles.
pub const HEADER_BYTES: u32 = 32;

/// Byte of the outer levels in a patch's record.
pub const OUTER_LEVELS: u32 = 0;

/// Byte of the inner levels in a patch's record.
pub const INNER_LEVELS: u32 = 16;

/// Byte of the number of the patch in a patch's record.
pub const PATCH_NUMBER: u32 = 24;

/// Byte of a word in a patch's record that is 1 if the control shader declares its domain to be triangles, else 0. The
/// evaluation shader needs it if it does not declare a domain itself.
pub const IS_TRIANGLE: u32 = 28;

/// Bytes of a row: a location, or four scalars of a built-in.
pub const ROW_BYTES: u32 = 16;

/// Bytes of a domain point: u and v, 32-bit floats, and the number of the patch counted through all instances.
pub const POINT_BYTES: u32 = 12;

/// Maximum number of vertices of a patch.
pub const MAX_PATCH_VERTICES: u32 = 32;

/// Maximum level of an edge.
pub const MAX_LEVEL: u32 = 64;

/// A row of a vertex or patch in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Row {
    /// The position.
    Position,
    /// The point size, in the first component.
    PointSize,
    /// Four clip distances: the first four, or the other ones.
    ClipDistances(u32),
    /// Four cull distances: the first four, or the other ones.
    CullDistances(u32),
    /// A location.
    Location(u32),
}

impl Row {
    /// The row and component of an output in memory; `None` for outputs of the last stage before the rasteriser alone.
    pub fn of(output: Output) -> Option<(Row, u32)> {
        Some(match output {
            Output::Position(component @ 0..4) => (Row::Position, component),
            Output::PointSize => (Row::PointSize, 0),
            Output::ClipDistance(index) => (Row::ClipDistances(index / 4), index % 4),
            Output::CullDistance(index) => (Row::CullDistances(index / 4), index % 4),
            Output::User { location, component } => (Row::Location(location), component),
            Output::Position(_)
            | Output::ReadClipDistance(_)
            | Output::Culled(_)
            | Output::ReadPosition(_)
            | Output::CornerPosition(_)
            | Output::LayerAndViewport
            | Output::Viewport
            | Output::PrimitiveId
            | Output::Stream
            | Output::StreamCorner(_) => return None,
        })
    }

    /// Whether the row is a location, and its bit in that word of [`Rows`]; `None` for numbers out of range.
    fn bit(self) -> Option<(bool, u32)> {
        match self {
            Row::Position => Some((false, 0)),
            Row::PointSize => Some((false, 1)),
            Row::ClipDistances(number @ 0..2) => Some((false, 2 + number)),
            Row::CullDistances(number @ 0..2) => Some((false, 4 + number)),
            Row::Location(number @ 0..64) => Some((true, number)),
            Row::ClipDistances(_) | Row::CullDistances(_) | Row::Location(_) => None,
        }
    }
}

/// The rows that a vertex or a patch has in memory: built-ins, then locations, both ascending.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Rows {
    /// Built-ins: bit 0 position, 1 point size, 2 and 3 clip distances, 4 and 5 cull distances.
    pub built_ins: u8,
    /// Locations, bit 0 the first.
    pub locations: u64,
}

impl Rows {
    /// Adds a row. Rows that do not exist are ignored.
    pub fn insert(&mut self, row: Row) {
        match row.bit() {
            Some((false, bit)) => self.built_ins |= 1 << bit,
            Some((true, bit)) => self.locations |= 1 << bit,
            None => {}
        }
    }

    /// Byte of a row in the record of a vertex or in the patch's part; `None` if it has none.
    pub fn byte(&self, row: Row) -> Option<u32> {
        let (is_location, bit) = row.bit()?;
        let (word, before) = match is_location {
            false => (u64::from(self.built_ins), 0),
            true => (self.locations, self.built_ins.count_ones()),
        };
        let lower = word & ((1 << bit) - 1);
        (word >> bit & 1 != 0).then(|| ROW_BYTES * (before + lower.count_ones()))
    }

    /// Number of bytes of all rows.
    pub fn bytes(&self) -> u32 {
        ROW_BYTES * (self.built_ins.count_ones() + self.locations.count_ones())
    }
}

/// The record of a patch in memory: the header, its own rows, then the rows of each vertex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PatchLayout {
    /// Rows of the patch; locations only.
    pub patch: Rows,
    /// Rows of each vertex.
    pub vertex: Rows,
    /// Number of vertices.
    pub vertices: u32,
}

impl PatchLayout {
    /// Byte of a vertex in the record.
    pub fn vertex_byte(&self, vertex: u32) -> u32 {
        HEADER_BYTES
            .saturating_add(self.patch.bytes())
            .saturating_add(vertex.saturating_mul(self.vertex.bytes()))
    }

    /// Number of bytes of the record.
    pub fn bytes(&self) -> u32 {
        self.vertex_byte(self.vertices)
    }
}

/// The shape of a domain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Domain {
    /// Triangles, in three barycentric coordinates.
    Triangles,
    /// Quads, in the unit square.
    Quads,
    /// Parallel lines in the unit square.
    Isolines,
}

impl Domain {
    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Domain::Triangles => "triangles",
            Domain::Quads => "quads",
            Domain::Isolines => "isolines",
        }
    }
}

/// How edges are divided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Spacing {
    /// Segments of equal length; levels are rounded up.
    Equal,
    /// An even number of segments, two of which may be shorter.
    FractionalEven,
    /// An odd number of segments, two of which may be shorter.
    FractionalOdd,
}

impl Spacing {
    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Spacing::Equal => "equal",
            Spacing::FractionalEven => "fractional_even",
            Spacing::FractionalOdd => "fractional_odd",
        }
    }
}

/// Properties of a control or evaluation shader. A mode that is `None` may be declared by the other shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TessellationInfo {
    /// The rows of its input vertices that a control shader reads.
    pub inputs: Rows,
    /// The record of a patch that a control shader stores, or that an evaluation shader loads.
    pub record: PatchLayout,
    /// Shape of the domain.
    pub domain: Option<Domain>,
    /// Division of edges.
    pub spacing: Option<Spacing>,
    /// Whether triangles are clockwise in the domain.
    pub clockwise: Option<bool>,
    /// Whether the result is a point for each vertex.
    pub points: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_ins_come_before_locations_and_absent_rows_take_no_space() {
        let mut rows = Rows::default();
        for row in [Row::Location(7), Row::Position, Row::CullDistances(1), Row::Location(2)] {
            rows.insert(row);
        }
        let bytes = [Row::Position, Row::CullDistances(1), Row::Location(2), Row::Location(7)]
            .map(|row| rows.byte(row));
        assert_eq!(bytes, [Some(0), Some(16), Some(32), Some(48)]);
        assert_eq!(
            [Row::PointSize, Row::Location(3), Row::Location(64)].map(|row| rows.byte(row)),
            [None; 3]
        );
        assert_eq!(rows.bytes(), 64);
    }

    #[test]
    fn the_vertices_of_a_patch_follow_its_own_rows() {
        let patch = Rows { built_ins: 0, locations: 0b11 };
        let vertex = Rows { built_ins: 1, locations: 0b1 };
        let layout = PatchLayout { patch, vertex, vertices: 3 };
        assert_eq!([layout.vertex_byte(0), layout.vertex_byte(2), layout.bytes()], [64, 128, 160]);
    }
}
