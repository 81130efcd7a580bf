//! Interface of compiled PICA200 programs.
//!
//! # Uniforms
//!
//! All uniforms are in one buffer at ([`SET`], [`UNIFORMS`]), [`UNIFORM_BYTES`] bytes: 96 float vectors, four
//! integer vectors with a word for each component, and a word with boolean uniform n in bit n.
//! [`uniform_block`] encodes it. The constants of a container are not part of the code: the driver writes
//! them to the buffer, as the console's system does.
//!
//! # Vertex programs
//!
//! Input register v*n* is the attribute at location *n*. Outputs that the container maps become the position
//! and the locations of [`Semantic`]; others are dropped. For a program without an output map, and with the
//! option `raw_outputs`, o0 is the position and o*n* is at location *n*.
//!
//! # Geometry programs
//!
//! They are compute shaders: invocation *n* of the grid, in workgroups of [`GEOMETRY_WORKGROUP`], runs for primitive *n*.
//!
//! The buffer at ([`SET`], [`GEOMETRY_INPUT`]) begins with four words: number of primitives, input vectors of
//! each, maximum number of primitives that an invocation may complete, 0. The input of the primitives
//! follows, 16 bytes per vector. In mode point, vector *k* is input register v*k*. In mode variable it
//! replaces uniform c*k*: c0 holds the number of vertices in every component. In mode fixed it replaces the
//! uniform *k* after the first that the container names.
//!
//! In the buffer at ([`SET`], [`GEOMETRY_OUTPUT`]) each invocation has a range: four words, the first of
//! which is the number of primitives completed, then room for as many as the input allows. An invocation may
//! complete more than fit; these are counted but not stored. A primitive is four words, in which bit 0 of the
//! first word is set if its winding is inverted, then three vertices. A vertex is a word for each slot of
//! [`ShaderInfo::varyings`](crate::ShaderInfo::varyings), in order.

/// Descriptor set of all buffers.
pub const SET: u32 = 0;
/// Binding of the uniforms.
pub const UNIFORMS: u32 = 0;
/// Binding of the input of a geometry program.
pub const GEOMETRY_INPUT: u32 = 1;
/// Binding of the output of a geometry program.
pub const GEOMETRY_OUTPUT: u32 = 2;

/// Float uniforms.
pub const FLOAT_UNIFORMS: usize = 96;
/// Integer uniforms.
pub const INT_UNIFORMS: usize = 4;
/// Boolean uniforms.
pub const BOOL_UNIFORMS: usize = 16;

/// Byte offset of the first float uniform; 16 bytes each.
pub const FLOAT_OFFSET: u32 = 0;
/// Byte offset of the first integer uniform; 16 bytes each.
pub const INT_OFFSET: u32 = FLOAT_OFFSET + 16 * FLOAT_UNIFORMS as u32;
/// Byte offset of the word with the boolean uniforms.
pub const BOOL_OFFSET: u32 = INT_OFFSET + 16 * INT_UNIFORMS as u32;
/// Size of the uniform buffer in bytes.
pub const UNIFORM_BYTES: u32 = BOOL_OFFSET + 16;

/// Workgroup size of a geometry program.
pub const GEOMETRY_WORKGROUP: u32 = 32;
/// Size in bytes of the headers in the buffers of geometry programs: of the input, of an invocation's range,
/// of a primitive.
pub const GEOMETRY_HEAD_BYTES: u32 = 16;

/// Size in bytes of a completed primitive whose vertices have `words` words.
pub const fn primitive_bytes(words: u32) -> u32 {
    GEOMETRY_HEAD_BYTES + 3 * 4 * words
}

/// Size in bytes of the range of an invocation that may complete `capacity` primitives.
pub const fn stretch_bytes(words: u32, capacity: u32) -> u32 {
    GEOMETRY_HEAD_BYTES + capacity * primitive_bytes(words)
}

/// The meaning of an output of a vertex program other than the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Semantic {
    /// Quaternion of the normal.
    NormalQuaternion,
    /// Colour.
    Color,
    /// Texture coordinates of unit 0; the third is for cube and projected textures.
    TexCoord0,
    /// Texture coordinates of unit 1.
    TexCoord1,
    /// Texture coordinates of unit 2.
    TexCoord2,
    /// View vector.
    View,
}

impl Semantic {
    /// The location at which a fragment shader reads it.
    pub const fn location(self) -> u32 {
        self as u32
    }

    /// Its number of components.
    pub const fn components(self) -> u32 {
        match self {
            Semantic::NormalQuaternion | Semantic::Color => 4,
            Semantic::TexCoord0 | Semantic::View => 3,
            Semantic::TexCoord1 | Semantic::TexCoord2 => 2,
        }
    }
}

/// The bytes of the uniform buffer.
pub fn uniform_block(
    float: &[[f32; 4]; FLOAT_UNIFORMS],
    int: &[[u8; 4]; INT_UNIFORMS],
    bool: &[bool; BOOL_UNIFORMS],
) -> Vec<u8> {
    let mut bytes: Vec<u8> = float.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
    bytes.extend(int.iter().flatten().flat_map(|value| u32::from(*value).to_le_bytes()));
    let mask = bool.iter().rev().fold(0u32, |mask, value| mask << 1 | u32::from(*value));
    bytes.extend(mask.to_le_bytes());
    bytes.resize(UNIFORM_BYTES as usize, 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniforms_are_at_their_offsets() {
        let mut float = [[0.0; 4]; FLOAT_UNIFORMS];
        let (mut int, mut bool) = ([[0; 4]; INT_UNIFORMS], [false; BOOL_UNIFORMS]);
        float[95][3] = 2.5;
        int[3] = [1, 2, 3, 255];
        bool[0] = true;
        bool[15] = true;
        let bytes = uniform_block(&float, &int, &bool);
        let word = |at: u32| {
            let at = at as usize;
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        assert_eq!(bytes.len(), UNIFORM_BYTES as usize);
        assert_eq!(word(FLOAT_OFFSET + 16 * 95 + 12), 2.5f32.to_bits());
        assert_eq!([0, 4, 8, 12].map(|at| word(INT_OFFSET + 48 + at)), [1, 2, 3, 255]);
        assert_eq!(word(BOOL_OFFSET), 0x8001);
    }

    #[test]
    fn a_stretch_holds_its_primitives() {
        assert_eq!(primitive_bytes(8), 16 + 3 * 32);
        assert_eq!(stretch_bytes(8, 2), 16 + 2 * 112);
    }
}
