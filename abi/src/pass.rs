//! Background and end-of-tile programs: their uniforms and texture state registers.
//!
//! A *background program* runs for every pixel of a tile before the first draw and initialises the targets:
//! with a clear colour, or with the contents of an image. An *end-of-tile program* runs once per tile and
//! stores targets to images. Drivers give the hardware two of each: one pair for the pass, and one for
//! interruptions of the pass, which loads and stores every target (Mesa 26.1).
//!
//! The layout of the clear colours is that of Mesa 26.1; the state registers differ from Mesa's.

use crate::fragment::{MAX_TARGETS, UNIFORMS};
use crate::layout::{InterfaceUniform, UniformRange, UniformSource};

/// Half-words of a clear colour: four 32-bit components.
pub const CLEAR_COLOUR_HALVES: u16 = 8;

/// First half-word of the clear colour of a target, red first: a float, or an integer for formats of integers.
pub const fn clear_colour(target: u32) -> u16 {
    4 + CLEAR_COLOUR_HALVES * target as u16
}

/// The texture state register with the descriptor of a target: a texture to load it, an image to store it.
pub const fn state_register(target: u32) -> u8 {
    target as u8
}

/// Uniforms of a background program that clears targets, bit 0 the first: the heap of the render targets if
/// one of them is `spilled`, and the colours.
pub fn background_uniforms(cleared: u8, spilled: bool) -> Vec<UniformRange> {
    let heap = UNIFORMS.into_iter().take(1).filter(|_| spilled);
    let colours = (0..MAX_TARGETS).filter(|target| cleared >> target & 1 != 0).map(|target| UniformRange {
        start: clear_colour(target),
        halves: CLEAR_COLOUR_HALVES,
        source: UniformSource::Interface(InterfaceUniform::ClearColour { target }),
    });
    heap.chain(colours).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_colours_follow_the_heap_of_the_targets() {
        let ranges = background_uniforms(0b1000_0011, true);
        let places: Vec<_> = ranges.iter().map(|range| (range.start, range.halves)).collect();
        assert_eq!(places, [(0, 4), (4, 8), (12, 8), (60, 8)]);
        assert_eq!(background_uniforms(0b10, false).len(), 1);
    }
}
