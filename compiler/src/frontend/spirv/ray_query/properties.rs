//! Properties of candidates and committed hits, as bits of a word.

/// It is a triangle.
pub(super) const TRIANGLE: u32 = 1;
/// It is within a box.
pub(super) const BOX: u32 = 2;
/// The front of the triangle is hit.
pub(super) const FRONT: u32 = 4;
/// The geometry is opaque for the ray.
pub(super) const IS_OPAQUE: u32 = 8;
