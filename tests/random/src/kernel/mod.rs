//! Random kernels that are valid by construction: 32 lanes with data of their own, all widths, memory, nested ifs and
//! scopes, counted loops with breaks and continues over several levels.
//!
//! What is kept of floats is exact but for the bits of a NaN, the sign of a zero and what is flushed; so floats have
//! results of their own and never become integers but by conversion.

mod control;
mod memory;
mod operations;
mod writer;

use crate::entropy::Entropy;

pub use self::operations::Kind;
use self::writer::Writer;

/// Lanes of a kernel: a whole SIMD-group.
pub const LANES: usize = 32;

/// The special register that holds a lane's place in the grid.
pub const LANE_REGISTER: u32 = 80;

/// Words every lane may read, first in memory.
pub const SHARED_WORDS: usize = 128;

/// Words that are a lane's own, after the shared ones.
pub const OWN_WORDS: usize = 16;

/// What a kernel leaves: kinds in the order of the results of a lane, eight bytes each, after the lanes' own words.
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

/// Makes a kernel by the choices of `entropy`.
pub fn any_kernel(entropy: &mut Entropy<'_>) -> Kernel {
    let mut writer = Writer::new();
    writer.begin_lane();
    writer.body(entropy, 6);
    writer.end_lane(entropy);
    Kernel { text: writer.finish() }
}

/// Makes a kernel that does little but access the lane's own words.
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
