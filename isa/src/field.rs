//! Scattered bit fields: reading and writing the pieces of an operand in an instruction word.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use crate::desc::Piece;

/// Maximum number of bits of an instruction.
pub const MAX_BITS: u32 = 96;

/// Total number of bits of all pieces.
pub const fn width(mut pieces: &[Piece]) -> u32 {
    let mut total = 0u32;
    while let [piece, rest @ ..] = pieces {
        total = total.saturating_add(piece.len as u32);
        pieces = rest;
    }
    total
}

/// The instruction bits the pieces cover.
pub const fn covered(mut pieces: &[Piece]) -> u128 {
    let mut bits = 0;
    while let [piece, rest @ ..] = pieces {
        bits |= (low_bits(piece.len) as u128) << piece.lo;
        pieces = rest;
    }
    bits
}

/// A mask of the lowest `count` bits, fewer than 64. A power of two is at least 1, so the subtraction does
/// not wrap.
#[inline]
pub(crate) const fn low_bits(count: u8) -> u64 {
    (1u64 << count).wrapping_sub(1)
}

/// The value of a field, low part first.
#[inline]
pub fn extract(word: u128, pieces: &[Piece]) -> u64 {
    let mut raw = 0;
    for piece in pieces.iter().rev() {
        raw = raw << piece.len | (word >> piece.lo) as u64 & low_bits(piece.len);
    }
    raw
}

/// The instruction bits of a field with value `raw`; bits of `raw` past the field's width are dropped.
#[inline]
pub fn deposit(pieces: &[Piece], raw: u64) -> u128 {
    // In two halves: 128-bit shifts take several instructions on the host.
    let (mut low, mut high) = (0u64, 0u64);
    let mut rest = raw;
    for piece in pieces {
        let part = rest & low_bits(piece.len);
        let at = piece.lo & 63;
        if piece.lo < 64 {
            low |= part << at;
            high |= part >> 1 >> (at ^ 63);
        } else {
            high |= part << at;
        }
        rest >>= piece.len;
    }
    u128::from(high) << 64 | u128::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_read_and_written_low_part_first() {
        let pieces = [Piece { lo: 16, len: 6 }, Piece { lo: 58, len: 2 }, Piece { lo: 8, len: 1 }];
        let word = deposit(&pieces, 0b1_1010_0101);
        assert_eq!(word, 0b100101 << 16 | 0b10 << 58 | 1 << 8);
        assert_eq!(extract(word, &pieces), 0b1_1010_0101);
        assert_eq!(covered(&pieces), 0x3f << 16 | 3 << 58 | 1 << 8);
        assert_eq!(width(&pieces), 9);
    }
}
