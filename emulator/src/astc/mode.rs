//! Block modes: the grid of weights.

use super::integers::{Digits, Range, bits};

/// Encoding of weights, by range from 2 levels to 32.
const WEIGHT_RANGES: [Range; 12] = {
    use Digits::{None, Quints, Trits};
    const fn range(bits: u32, digits: Digits) -> Range {
        Range { bits, digits }
    }
    [
        range(1, None),
        range(0, Trits),
        range(2, None),
        range(0, Quints),
        range(1, Trits),
        range(3, None),
        range(1, Quints),
        range(2, Trits),
        range(4, None),
        range(2, Quints),
        range(3, Trits),
        range(5, None),
    ]
};

/// The weight grid of a block mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Weights {
    pub(super) size: [u32; 2],
    /// Whether there are two planes.
    pub(super) dual: bool,
    /// Index into [`WEIGHT_RANGES`].
    range: usize,
}

impl Weights {
    /// The grid of an 11-bit block mode; `None` if the mode is reserved.
    pub(super) fn new(mode: u32) -> Option<Weights> {
        let bits = |at, count| bits(mode, at, count);
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

    /// Number of weights of a plane.
    pub(super) fn of_plane(&self) -> u32 {
        self.size[0] * self.size[1]
    }

    /// Number of weights.
    pub(super) fn count(&self) -> u32 {
        self.of_plane() * if self.dual { 2 } else { 1 }
    }

    /// The encoding of each.
    pub(super) fn range(&self) -> Range {
        WEIGHT_RANGES[self.range]
    }
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
}
