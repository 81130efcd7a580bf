//! Random kernels that are valid by construction: 32 lanes with their own data, all widths, memory, nested ifs and
//! scopes, counted loops with breaks and continues over several levels.
//!
//! Float results are compared exactly, except for the bits of NaNs, the sign of zeros, and flushed denormals. Floats
//! therefore have separate results, and become integers only by conversion.

mod control;
mod memory;
mod operations;
mod writer;

use crate::entropy::Entropy;

pub use self::operations::Kind;
use self::writer::Writer;

/// Lanes of a kernel: a whole SIMD-group.
pub const LANES: usize = 32;

/// The special register with a lane's position in the grid.
pub const LANE_REGISTER: u32 = 80;

/// Words that every lane may read, at the start of memory.
pub const SHARED_WORDS: usize = 128;

/// Words of each lane, after the shared ones.
pub const OWN_WORDS: usize = 16;

/// The results of a kernel: kinds in the order of the results of a lane, eight bytes each, after the lanes' own words.
pub const RESULTS: [Kind; 9] = [
    Kind::Int,
    Kind::Int,
    Kind::Int,
    Kind::Long,
    Kind::Short,
    Kind::Bool,
    Kind::Float,
    Kind::Float,
    Kind::Half,
];

/// Words of the memory of a kernel.
pub const MEMORY_WORDS: usize = SHARED_WORDS + LANES * (OWN_WORDS + 2 * RESULTS.len());

/// A kernel. Its parameters are the address of its memory and four words.
pub struct Kernel {
    /// The text.
    pub text: String,
}

/// Generates a kernel with choices from `entropy`.
pub fn any_kernel(entropy: &mut Entropy<'_>) -> Kernel {
    let mut writer = Writer::new();
    writer.begin_lane();
    writer.body(entropy, 6);
    writer.end_lane(entropy);
    Kernel { text: writer.finish() }
}

/// Generates a kernel that mainly accesses the lane's own words.
pub fn any_accesses(entropy: &mut Entropy<'_>) -> Kernel {
    let mut writer = Writer::new();
    writer.begin_lane();
    for _ in 0..14 {
        match entropy.below(5) {
            0 => writer.operation(entropy),
            1 | 2 => writer.load(entropy),
            _ => writer.store(entropy),
        }
    }
    writer.end_lane(entropy);
    Kernel { text: writer.finish() }
}
