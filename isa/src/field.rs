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

/// Number of moves to the low half of the instruction word that most fields do not exceed.
const LOW_MOVES: usize = 4;

/// Maximum number of other moves of a field.
const MAX_MOVES: usize = 6;

/// Bits of a field that keep their distances, and lie in the same half of the instruction word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Move {
    /// The bits of the field.
    mask: u32,
    /// How far they turn to the left in a half.
    turn: u8,
}

impl Move {
    #[inline(always)]
    fn apply(&self, raw: u64) -> u64 {
        (raw & u64::from(self.mask)).rotate_left(u32::from(self.turn))
    }
}

/// How a field is written to the instruction word: its pieces, prepared for encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moves {
    /// The first ones to the low half; unused ones move no bits.
    low: [Move; LOW_MOVES],
    /// The others, and whether they go to the high half.
    rest: [(Move, bool); MAX_MOVES],
    /// Number of the others.
    count: u8,
}

impl Moves {
    /// The moves that write `pieces`, of at most 32 bits in all.
    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
    #[expect(clippy::arithmetic_side_effects, reason = "evaluated at compile time")]
    pub(crate) const fn of(mut pieces: &[Piece]) -> Moves {
        assert!(width(pieces) <= 32, "a field has at most 32 bits");
        let none = Move { mask: 0, turn: 0 };
        let mut moves = Moves { low: [none; LOW_MOVES], rest: [(none, false); MAX_MOVES], count: 0 };
        let (mut from, mut low) = (0, 0);
        while let [piece, rest @ ..] = pieces {
            let mut at = piece.lo;
            let mut left = piece.len;
            while left > 0 {
                // A piece may begin in the low half and end in the high one.
                let len = if at < 64 && at + left > 64 { 64 - at } else { left };
                let part = Move { mask: (low_bits(len) << from) as u32, turn: (at + 64 - from) % 64 };
                if at < 64 && low < LOW_MOVES {
                    moves.low[low] = part;
                    low += 1;
                } else {
                    moves.rest[moves.count as usize] = (part, at >= 64);
                    moves.count += 1;
                }
                (at, from, left) = (at + len, from + len, left - len);
            }
            pieces = rest;
        }
        moves
    }

    /// Adds a field with value `raw` to the low and the high half of an instruction word that is 0 there; bits of `raw`
    /// past the field's width are dropped.
    #[inline(always)]
    pub(crate) fn deposit(&self, raw: u64, halves: &mut [u64; 2]) {
        let [a, b, c, d] = &self.low;
        let [low, _] = halves;
        *low |= a.apply(raw) | b.apply(raw) | c.apply(raw) | d.apply(raw);
        if self.count > 0 {
            self.deposit_rest(raw, halves);
        }
    }

    #[inline(never)]
    fn deposit_rest(&self, raw: u64, [low, high]: &mut [u64; 2]) {
        for (part, is_high) in self.rest.get(..usize::from(self.count)).unwrap_or(&[]) {
            *if *is_high { &mut *high } else { &mut *low } |= part.apply(raw);
        }
    }
}

/// The instruction bits of a field with value `raw`; bits of `raw` past the field's width are dropped.
#[cfg(test)]
pub(crate) fn deposit(pieces: &[Piece], raw: u64) -> u128 {
    let mut word = [0; 2];
    Moves::of(pieces).deposit(raw, &mut word);
    u128::from(word[1]) << 64 | u128::from(word[0])
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
        let across = [Piece { lo: 62, len: 5 }, Piece { lo: 0, len: 1 }];
        assert_eq!(deposit(&across, 0b11_0110), 0b10110 << 62 | 1);
    }
}
