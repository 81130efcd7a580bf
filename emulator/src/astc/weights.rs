//! Weights of texels, interpolated in the grid of a block.

use super::integers::{Digits, Integer, Range};
use super::mode::Weights;

/// The largest weight.
pub(super) const ONE: u32 = 64;

/// The weights of the two planes for the texel at `at` of a block of `texels`; without a second plane both are equal.
///
/// `sequence` has the integers in its low bits.
pub(super) fn of_texel(weights: &Weights, sequence: u128, texels: [u32; 2], at: [u32; 2]) -> [u32; 2] {
    let [columns, rows] = weights.size;
    let place = |axis: usize| {
        let scale = (1024 + texels[axis] / 2) / (texels[axis] - 1);
        let along = (scale * at[axis] * (weights.size[axis] - 1) + 32) >> 6;
        (along >> 4, along & 0xf)
    };
    let ((column, right), (row, below)) = (place(0), place(1));
    let both = (right * below + 8) >> 4;
    let corners = [
        (column, row, 16 + both - right - below),
        (column + 1, row, right - both),
        (column, row + 1, below - both),
        (column + 1, row + 1, both),
    ];
    let planes = if weights.dual { 2 } else { 1 };
    let of_plane = |plane: u32| {
        let inside = corners.iter().filter(|(column, row, _)| *column < columns && *row < rows);
        let sum: u32 = inside
            .map(|(column, row, part)| {
                let index = (row * columns + column) * planes + plane;
                part * expanded(weights.range(), weights.range().integer(sequence, index))
            })
            .sum();
        (sum + 8) >> 4
    };
    [of_plane(0), of_plane(planes - 1)]
}

/// The bits of a block whose weights are in its highest bits, the highest first.
pub(super) fn sequence(block: u128, weights: &Weights) -> u128 {
    block.reverse_bits() & (u128::MAX >> (128 - weights.range().size(weights.count())))
}

/// A weight between 0 and [`ONE`].
fn expanded(range: Range, integer: Integer) -> u32 {
    let Integer { digit, bits } = integer;
    let high = bits >> 1;
    let narrow = match (range.digits, range.bits) {
        (Digits::None, 1) => 63 * bits,
        (Digits::None, 2) => 21 * bits,
        (Digits::None, 3) => 9 * bits,
        (Digits::None, count) => bits << (6 - count) | bits >> (2 * count - 6),
        (Digits::Trits, 0) => [0, 32, 63][digit as usize],
        (Digits::Quints, 0) => [0, 16, 32, 47, 63][digit as usize],
        (digits, count) => {
            let (step, offset) = match (digits, count) {
                (Digits::Trits, 1) => (50, 0),
                (Digits::Trits, 2) => (23, 0b100_0101 * high),
                (Digits::Trits, _) => (11, 0b10_0001 * high),
                (_, 1) => (28, 0),
                (_, _) => (13, 0b100_0010 * high),
            };
            let mask = 0x7f * (bits & 1);
            let sum = (digit * step + offset) ^ mask;
            mask & 0x20 | sum >> 2
        }
    };
    narrow + u32::from(narrow > 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_spread_from_zero_to_one() {
        let cases = [
            (1, Digits::None),
            (2, Digits::None),
            (3, Digits::None),
            (4, Digits::None),
            (5, Digits::None),
            (0, Digits::Trits),
            (1, Digits::Trits),
            (2, Digits::Trits),
            (3, Digits::Trits),
            (0, Digits::Quints),
            (1, Digits::Quints),
            (2, Digits::Quints),
        ];
        for (bits, digits) in cases {
            let count = match digits {
                Digits::None => 1,
                Digits::Trits => 3,
                Digits::Quints => 5,
            };
            let range = Range { bits, digits };
            let mut levels: Vec<u32> = (0..count)
                .flat_map(|digit| (0..1 << bits).map(move |bits| expanded(range, Integer { digit, bits })))
                .collect();
            levels.sort_unstable();
            let last = levels.len() as u32 - 1;
            for (at, level) in levels.iter().enumerate() {
                let ideal = f64::from(ONE * at as u32) / f64::from(last);
                assert!((f64::from(*level) - ideal).abs() <= 2.0, "{range:?}: {levels:?}");
            }
            assert_eq!((levels[0], levels[last as usize]), (0, ONE), "{range:?}");
        }
    }
}
