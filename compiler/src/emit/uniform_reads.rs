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

    /// Whether a half-word of `halves` is read.
    pub fn has_any(&self, mut halves: Range<u16>) -> bool {
        halves.any(|half| self.0.get(usize::from(half / BITS)).is_some_and(|word| word >> (half % BITS) & 1 != 0))
    }
}
