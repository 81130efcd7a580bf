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

#[cfg(test)]
mod tests {
    use super::*;
    use agx_random::Random;

    #[test]
    fn every_kernel_is_valid() {
        let mut random = Random::new(11);
        let wanted =
            ["loop {", "scope {", "phi", "jump", "halt\n    }", "load_global", "store_global", ":64", ":16"];
        let mut seen = [0; 9];
        for _ in 0..300 {
            let data = random.bytes(512);
            let text = any_kernel(&mut Entropy::new(&data)).text;
            let bump = bumpalo::Bump::new();
            let functions = agx_compiler::internal::ir::parse(&bump, &text)
                .unwrap_or_else(|error| panic!("{error}\n{text}"));
            let checked = agx_compiler::internal::ir::validate(&functions[0], functions[0].stage);
            assert!(checked.is_ok(), "{checked:?}\n{text}");
            for (seen, wanted) in seen.iter_mut().zip(wanted) {
                *seen += usize::from(text.contains(wanted));
            }
        }
        for (seen, wanted) in seen.iter().zip(wanted) {
            assert!(*seen > 30, "{seen} of 300 kernels with `{wanted}`");
        }
    }
}
