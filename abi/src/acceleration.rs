//! Acceleration structures: what drivers write to memory for ray queries, and compiled programs traverse.
//!
//! The hardware knows no such structure, so this layout is the project's own. A structure is a header, a tree of boxes, and the
//! records of its leaves, all at multiples of 16 bytes; addresses within it are relative, so that a copy of the bytes is a
//! structure too. The nodes are in depth-first order: the node after an inner one is its first child, and each node names the
//! one that follows its subtree. A traversal therefore needs no stack: it is a number of a node that only grows.
//!
//! A structure of the bottom level has leaves of [`LEAF_BYTES`], one for each triangle or box. One of the top level has leaves
//! of [`INSTANCE_BYTES`], one for each instance of a structure of the bottom level.

/// Bytes of the header, words at: number of nodes, number of leaves, [kind](StructureKind).
pub const HEADER_BYTES: u32 = 64;

/// Bytes of a node, words at: three floats, the smallest coordinates of the box; the number of the node that follows the subtree;
/// three floats, the largest coordinates; the number of the leaf, or [`INNER`].
pub const NODE_BYTES: u32 = 32;

/// The leaf of a node that has children.
pub const INNER: u32 = u32::MAX;

/// Bytes of a leaf of the bottom level: three vertices of three floats, each followed by a word: number of the geometry with
/// [`OPAQUE`], number of the primitive in the geometry, 0. Boxes have only the words.
pub const LEAF_BYTES: u32 = 48;

/// The bit of the geometry's word that is set if the geometry is opaque.
pub const OPAQUE: u32 = 1 << 31;

/// Bytes of an instance, fields at: [`WORLD_TO_OBJECT`], [`OBJECT_TO_WORLD`], [`STRUCTURE`], [`CUSTOM`], [`RECORD_OFFSET`],
/// [`INSTANCE_NUMBER`].
pub const INSTANCE_BYTES: u32 = 128;

/// Byte of an instance: the rows of a matrix of 3 × 4 floats from world to object space.
pub const WORLD_TO_OBJECT: u32 = 0;

/// Byte of an instance: the rows of a matrix of 3 × 4 floats from object to world space.
pub const OBJECT_TO_WORLD: u32 = 48;

/// Byte of an instance: the 64-bit address of its structure; 0 for none.
pub const STRUCTURE: u32 = 96;

/// Byte of an instance: 24 bits of the application, and 8 bits of visibility.
pub const CUSTOM: u32 = 104;

/// Byte of an instance: 24 bits of offset in a shader binding table, and 8 [flags](instance_flags).
pub const RECORD_OFFSET: u32 = 108;

/// Byte of an instance: its number.
pub const INSTANCE_NUMBER: u32 = 112;

/// Number of nodes of a structure with this many leaves. All of them fit into 32 bits below 2³¹ leaves.
pub const fn nodes(leaves: u32) -> u32 {
    leaves.saturating_mul(2).saturating_sub(1)
}

/// Bytes of a structure with this many leaves.
pub const fn structure_bytes(kind: StructureKind, leaves: u32) -> u64 {
    let nodes = nodes(leaves) as u64 * NODE_BYTES as u64;
    HEADER_BYTES as u64 + nodes + leaves as u64 * kind.leaf_bytes() as u64
}

/// The leaves of a structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StructureKind {
    /// Triangles.
    Triangles = 0,
    /// Boxes, within which the program decides what is hit.
    Boxes = 1,
    /// Instances of structures.
    Instances = 2,
}

impl StructureKind {
    /// Bytes of a leaf.
    pub const fn leaf_bytes(self) -> u32 {
        match self {
            StructureKind::Triangles | StructureKind::Boxes => LEAF_BYTES,
            StructureKind::Instances => INSTANCE_BYTES,
        }
    }
}

/// Flags of an instance (`VkGeometryInstanceFlagBitsKHR`).
pub mod instance_flags {
    /// Triangles are hit from both sides whatever the ray's flags.
    pub const TWO_SIDED: u32 = 1;
    /// Front faces are the others.
    pub const FLIPPED: u32 = 2;
    /// All geometries are opaque.
    pub const OPAQUE: u32 = 4;
    /// No geometry is opaque.
    pub const NOT_OPAQUE: u32 = 8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_structure_has_room_for_its_parts() {
        assert_eq!([nodes(0), nodes(1), nodes(5)], [0, 1, 9]);
        assert_eq!(structure_bytes(StructureKind::Triangles, 2), 64 + 3 * 32 + 2 * 48);
        assert_eq!(structure_bytes(StructureKind::Instances, 0), 64);
        // The records of leaves are at multiples of 16 bytes.
        assert!(HEADER_BYTES.is_multiple_of(16) && NODE_BYTES.is_multiple_of(16));
        assert!(LEAF_BYTES.is_multiple_of(16) && INSTANCE_BYTES.is_multiple_of(16));
    }
}
