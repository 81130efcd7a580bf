//! The uniform registers that code reads.

use std::ops::Range;

use agx_abi::layout::UNIFORM_HALVES;
use agx_isa::inst::Size;

use crate::ir::Src;

/// Bits of a word.
const BITS: u16 = u64::BITS as u16;

/// The half-words of the uniform file that code reads.
#[derive(Clone, Copy, Default, Debug)]
pub struct UniformReads([u64; UNIFORM_HALVES.div_ceil(BITS) as usize]);

impl UniformReads {
    /// Adds the half-words that `src` reads, if it is a uniform register.
    #[inline]
    pub fn note(&mut self, src: Src) {
        if let Some(start) = src.as_uniform() {
            for half in start..start + u16::from(Size::for_bits(src.bits).halves()) {
                if let Some(word) = self.0.get_mut(usize::from(half / BITS)) {
                    *word |= 1 << (half % BITS);
                }
            }
        }
    }

    /// Adds those that other code reads.
    pub fn add(&mut self, other: &UniformReads) {
        self.0.iter_mut().zip(&other.0).for_each(|(to, from)| *to |= from);
    }

    /// Whether a half-word of `halves` is read.
    pub fn has_any(&self, mut halves: Range<u16>) -> bool {
        halves.any(|half| {
            self.0.get(usize::from(half / BITS)).is_some_and(|word| word >> (half % BITS) & 1 != 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_cover_all_half_words_of_a_register() {
        let mut reads = UniformReads::default();
        for src in [Src::uniform(62, 64), Src::uniform(7, 16), Src::imm32(100), Src::NONE] {
            reads.note(src);
        }
        let read: Vec<u16> = (0..UNIFORM_HALVES).filter(|half| reads.has_any(*half..half + 1)).collect();
        assert_eq!(read, [7, 62, 63, 64, 65]);
        assert!(reads.has_any(0..8) && !reads.has_any(8..62) && !reads.has_any(66..UNIFORM_HALVES));
    }
}
