//! Validity of ASTC blocks. A block that violates a rule of the format decodes to the error colour.
//!
//! Source: Khronos Data Format Specification 1.3, chapter 23 (ASTC compressed texture image formats).

/// Low bits of the block mode of a void-extent block, which has a single colour.
const ONE_COLOUR: u32 = 0x1fc;
/// Minimum and maximum number of bits of a block's weights.
const WEIGHT_BITS: [u32; 2] = [24, 96];
const MOST_WEIGHTS: u32 = 64;
/// Maximum number of integers of all colour endpoints.
const MOST_INTEGERS: u32 = 18;

/// Encoding of weights: bits per weight, and whether groups share a base-3 or base-5 digit. By range, from 2 levels to
/// 32.
const WEIGHT_RANGES: [(u32, Digits); 12] = {
    use Digits::{None, Quints, Trits};
    [
        (1, None),
        (0, Trits),
        (2, None),
        (0, Quints),
        (1, Trits),
        (3, None),
        (1, Quints),
        (2, Trits),
        (4, None),
        (2, Quints),
        (3, Trits),
        (5, None),
    ]
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Digits {
    None,
    Trits,
    Quints,
}

/// The weight grid of a block mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Weights {
    size: [u32; 2],
    /// Whether there are two planes.
    dual: bool,
    /// Index into [`WEIGHT_RANGES`].
    range: usize,
}

impl Weights {
    /// The grid of an 11-bit block mode; `None` if the mode is reserved.
    fn new(mode: u32) -> Option<Weights> {
        let bits = |at: u32, count: u32| mode >> at & ((1 << count) - 1);
        let (a, b) = (bits(5, 2), bits(7, 2));
        let (low, size) = match (bits(0, 2), bits(2, 2)) {
            (0, 0) => return None,
            (0, low) => (low, Weights::wide(a, b, bits(9, 2))?),
            (low, 0) => (low, [b + 4, a + 2]),
            (low, 1) => (low, [b + 8, a + 2]),
            (low, 2) => (low, [a + 2, b + 8]),
            (low, _) if b & 2 != 0 => (low, [(b & 1) + 2, a + 2]),
            (low, _) => (low, [a + 2, (b & 1) + 6]),
        };
        // Modes with grids of 6×6 and larger have no bits for two planes and higher ranges.
        let flags = if bits(0, 2) == 0 && b == 2 { 0 } else { bits(9, 2) };
        let range = (low << 1 | bits(4, 1)).checked_sub(2)? + 6 * (flags & 1);
        Some(Weights { size, dual: flags & 2 != 0, range: range as usize })
    }

    /// Sizes of the modes whose lowest bits are 0.
    fn wide(a: u32, b: u32, c: u32) -> Option<[u32; 2]> {
        match (b, a) {
            (0, _) => Some([12, a + 2]),
            (1, _) => Some([a + 2, 12]),
            (2, _) => Some([a + 6, c + 6]),
            (_, 0) => Some([6, 10]),
            (_, 1) => Some([10, 6]),
            _ => None,
        }
    }

    fn count(&self) -> u32 {
        self.size[0] * self.size[1] * if self.dual { 2 } else { 1 }
    }

    fn bits(&self) -> u32 {
        let (each, digits) = WEIGHT_RANGES[self.range];
        let shared = match digits {
            Digits::None => 0,
            Digits::Trits => (8 * self.count()).div_ceil(5),
            Digits::Quints => (7 * self.count()).div_ceil(3),
        };
        each * self.count() + shared
    }
}

/// Whether a block of this size is valid.
pub(crate) fn is_legal(bytes: &[u8; 16], texels: [u32; 2]) -> bool {
    let block = u128::from_le_bytes(*bytes);
    let bits = |at: u32, count: u32| (block >> at) as u32 & ((1 << count) - 1);
    if bits(0, 9) == ONE_COLOUR {
        // Two reserved bits are set; floats need the profile with a high range.
        return bits(10, 2) == 3 && bits(9, 1) == 0;
    }
    let Some(weights) = Weights::new(bits(0, 11)) else { return false };
    let (count, size) = (weights.count(), weights.bits());
    let fits = weights.size[0] <= texels[0] && weights.size[1] <= texels[1];
    if !fits || count > MOST_WEIGHTS || size < WEIGHT_BITS[0] || size > WEIGHT_BITS[1] {
        return false;
    }
    let partitions = bits(11, 2) + 1;
    if weights.dual && partitions == 4 {
        return false;
    }
    let (integers, mut used) = match (partitions, bits(23, 2)) {
        (1, _) => (2 * (bits(15, 2) + 1), 17),
        (_, 0) => (2 * partitions * (bits(27, 2) + 1), 29),
        (_, class) => {
            // Each partition's endpoints may also be of the next class.
            let higher = (bits(25, partitions)).count_ones();
            (2 * (partitions * class + higher), 29 + 3 * partitions - 4)
        }
    };
    if weights.dual {
        used += 2;
    }
    integers <= MOST_INTEGERS && used + size + (13 * integers).div_ceil(5) <= 128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_name_grids() {
        let grid = |size, dual, range| Some(Weights { size, dual, range });
        let cases = [
            // 4×2 with two levels; 12×2; 6×6; 6×10.
            (0b000_0000_0001, grid([4, 2], false, 0)),
            (0b000_0000_0100, grid([12, 2], false, 0)),
            (0b001_0000_0100, grid([6, 6], false, 0)),
            (0b001_1000_0100, grid([6, 10], false, 0)),
            // Bit 9 adds six ranges, bit 10 is the second plane.
            (0b110_0001_0011, grid([4, 2], true, 11)),
            (0b000_0000_0000, None),
            (0b001_1110_0100, None),
        ];
        for (mode, expected) in cases {
            assert_eq!(Weights::new(mode), expected, "{mode:#013b}");
        }
    }

    #[test]
    fn blocks_follow_the_rules() {
        let legal = |block: u128, texels| is_legal(&block.to_le_bytes(), texels);
        assert!(legal(0xdfc, [4, 4]), "one colour");
        assert!(!legal(0x1fc, [4, 4]), "one colour without its reserved bits");
        assert!(!legal(0, [4, 4]), "a reserved mode");
        // 4×4 weights of 8 levels, one partition, two integers.
        let plain = 0b000_0101_0011;
        assert!(legal(plain, [4, 4]));
        assert!(!legal(0b001_0000_0100, [4, 4]), "a grid that is larger than the block");
        assert!(!legal(0b000_0000_0001, [4, 4]), "too few bits of weights");
        assert!(!legal(plain | 3 << 11 | 1 << 10, [4, 4]), "two planes and four partitions");
    }
}
