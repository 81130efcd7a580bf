//! ASTC blocks in the profile with a low range. A block that violates a rule of the format decodes to the error colour.
//!
//! Source: Khronos Data Format Specification 1.3, chapter 23 (ASTC compressed texture image formats).

mod colours;
mod integers;
mod mode;
mod partition;
mod weights;

use half::f16;

use colours::Ends;
use integers::{Range, take};
use mode::Weights;

/// Low bits of the block mode of a void-extent block, which has a single colour.
const ONE_COLOUR: u32 = 0x1fc;
/// An extent that is not given.
const NO_EXTENT: u32 = 0x1fff;
/// Minimum and maximum number of bits of a block's weights.
const WEIGHT_BITS: [u32; 2] = [24, 96];
const MOST_WEIGHTS: u32 = 64;
const MOST_PARTITIONS: usize = 4;
/// Maximum number of integers of all colour endpoints.
const MOST_INTEGERS: u32 = 18;
/// The texels of an invalid block.
const ERROR: [f32; 4] = [1.0, 0.0, 1.0, 1.0];

/// The channels of the texel at `at` in a block of `texels`: for sRGB formats, numbers of 8 bits before the curve, otherwise numbers
/// of 16 bits rounded to half floats.
pub(crate) fn texel(bytes: &[u8; 16], texels: [u32; 2], at: [u32; 2], srgb: bool) -> [f32; 4] {
    let block = u128::from_le_bytes(*bytes);
    let channels = match take(block, 0, 9) {
        ONE_COLOUR => one_colour(block),
        _ => Layout::new(block, texels).and_then(|layout| layout.texel(texels, at, srgb)),
    };
    channels.map_or(ERROR, |channels| channels.map(|channel| value(channel, srgb)))
}

/// A channel of 16 bits.
fn value(channel: u32, srgb: bool) -> f32 {
    match channel {
        _ if srgb => (channel >> 8) as f32 / 255.0,
        0xffff => 1.0,
        _ => {
            // The half float next to zero: the conversion rounds to the nearest.
            let exact = channel as f32 / 65536.0;
            let near = f16::from_f32(exact);
            let below = if near.to_f32() > exact { f16::from_bits(near.to_bits() - 1) } else { near };
            below.to_f32()
        }
    }
}

/// The channels of a block with a single colour; `None` if it is invalid.
fn one_colour(block: u128) -> Option<[u32; 4]> {
    let [low_s, high_s, low_t, high_t] = [12, 25, 38, 51].map(|at| take(block, at, 13));
    let everywhere = [low_s, high_s, low_t, high_t] == [NO_EXTENT; 4];
    // Two reserved bits are set; floats need the profile with a high range.
    let is_legal = take(block, 10, 2) == 3 && take(block, 9, 1) == 0;
    let is_legal = is_legal && (everywhere || low_s < high_s && low_t < high_t);
    is_legal.then(|| [64, 80, 96, 112].map(|at| take(block, at, 16)))
}

/// The parts of a block.
struct Layout {
    weights: Weights,
    /// The sequence of weights.
    steps: u128,
    partitions: u32,
    /// Selects the pattern of the partitions.
    seed: u32,
    /// The endpoint mode of each partition.
    modes: [u32; MOST_PARTITIONS],
    /// The channel whose weights are in the second plane.
    second_plane: Option<usize>,
    /// Encoding and sequence of the colours.
    range: Range,
    colours: u128,
}

impl Layout {
    /// The parts; `None` for an invalid block.
    fn new(block: u128, texels: [u32; 2]) -> Option<Layout> {
        let weights = Weights::new(take(block, 0, 11))?;
        let size = weights.range().size(weights.count());
        let fits = weights.size[0] <= texels[0] && weights.size[1] <= texels[1];
        if !fits || weights.count() > MOST_WEIGHTS || size < WEIGHT_BITS[0] || size > WEIGHT_BITS[1] {
            return None;
        }
        let partitions = take(block, 11, 2) + 1;
        if weights.dual && partitions == 4 {
            return None;
        }
        // Colours are between these bits.
        let (modes, start, mut end) = modes(block, partitions, 128 - size);
        let second_plane = weights.dual.then(|| {
            end -= 2;
            take(block, end, 2) as usize
        });
        let integers = modes[..partitions as usize].iter().map(|mode| colours::count(*mode)).sum();
        let size = end.checked_sub(start).filter(|_| integers <= MOST_INTEGERS)?;
        let range = colours::range(integers, size)?;
        Some(Layout {
            steps: weights::sequence(block, &weights),
            weights,
            partitions,
            seed: take(block, 13, 10),
            modes,
            second_plane,
            range,
            colours: block >> start & ((1 << range.size(integers)) - 1),
        })
    }

    /// The channels of a texel, of 16 bits; `None` if a mode is invalid.
    fn texel(&self, texels: [u32; 2], at: [u32; 2], srgb: bool) -> Option<[u32; 4]> {
        let mut all: [Ends; MOST_PARTITIONS] = Default::default();
        let mut first = 0;
        for (mode, ends) in self.modes.into_iter().zip(&mut all).take(self.partitions as usize) {
            *ends = colours::ends(mode, self.range, self.colours, first)?;
            first += colours::count(mode);
        }
        let partition = match self.partitions {
            1 => 0,
            count => partition::of_texel(self.seed, count, texels, at),
        };
        let [low, high] = all[partition];
        let [first, second] = weights::of_texel(&self.weights, self.steps, texels, at);
        Some([0, 1, 2, 3].map(|channel| {
            let weight = if self.second_plane == Some(channel) { second } else { first };
            let [low, high] = [low, high].map(|colour| widened(colour[channel], srgb));
            (low * (weights::ONE - weight) + high * weight + weights::ONE / 2) / weights::ONE
        }))
    }
}

/// A channel of 8 bits with 16.
fn widened(channel: u32, srgb: bool) -> u32 {
    channel << 8 | if srgb { 0x80 } else { channel }
}

/// The endpoint modes of a block whose weights begin at bit `end`, and the bits between which its colours are.
fn modes(block: u128, partitions: u32, end: u32) -> ([u32; MOST_PARTITIONS], u32, u32) {
    match (partitions, take(block, 23, 2)) {
        (1, _) => ([take(block, 13, 4); MOST_PARTITIONS], 17, end),
        (_, 0) => ([take(block, 25, 4); MOST_PARTITIONS], 29, end),
        (_, class) => {
            // Each partition's mode is of a class or the next one. What has no room in the header is below the weights.
            let more = 3 * partitions - 4;
            let end = end - more;
            let packed = take(block, 25, 4) | take(block, end, more) << 4;
            let mode = |partition: u32| {
                let higher = packed >> partition & 1;
                (class - 1 + higher) << 2 | packed >> (partitions + 2 * partition) & 3
            };
            ([0, 1, 2, 3].map(|partition| mode(partition.min(partitions - 1))), 29, end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_the_rules() {
        let legal = |block: u128, texels| texel(&block.to_le_bytes(), texels, [0, 0], false) != ERROR;
        let everywhere = ((1 << 52) - 1) << 12;
        assert!(legal(everywhere | 0xdfc, [4, 4]), "one colour");
        assert!(
            legal(1 << 51 | 1 << 25 | 0xdfc, [4, 4]) && !legal(0xdfc, [4, 4]),
            "an extent, and an empty one"
        );
        assert!(!legal(everywhere | 0x1fc, [4, 4]), "one colour without its reserved bits");
        assert!(!legal(0, [4, 4]), "a reserved mode");
        // 4×4 weights of 8 levels, one partition, two integers.
        let plain = 0b000_0101_0011;
        assert!(legal(plain, [4, 4]));
        assert!(!legal(0b001_0000_0100, [4, 4]), "a grid that is larger than the block");
        assert!(!legal(0b000_0000_0001, [4, 4]), "too few bits of weights");
        assert!(!legal(plain | 3 << 11 | 1 << 10, [4, 4]), "two planes and four partitions");
    }

    #[test]
    fn precision_is_that_of_the_format() {
        // 4×4 weights of 8 levels, all 3; one partition with two greys, 10 and 201.
        let weights = (0..16).fold(0_u128, |bits, _| bits << 3 | 3).reverse_bits();
        let block = (weights | 201 << 25 | 10 << 17 | 0b000_0101_0011).to_le_bytes();
        // 2688 · 37/64 + 51584 · 27/64 = 0x5b14, of which 8 bits are a number on the curve.
        assert_eq!(texel(&block, [4, 4], [1, 2], true)[0], 91.0 / 255.0);
        // 2570 · 37/64 + 51657 · 27/64 = 0x5aef, between the half floats 1454 and 1455 · 2⁻¹².
        let grey = 1454.0 / 4096.0;
        assert_eq!(texel(&block, [4, 4], [1, 2], false), [grey, grey, grey, 1.0]);
    }
}
