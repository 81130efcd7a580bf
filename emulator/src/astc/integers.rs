//! Sequences of bounded integers: each has some bits of its own, and a digit in base 3 or 5 that a group shares.

/// The digits that groups share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Digits {
    None,
    /// Base 3: five digits in 8 bits.
    Trits,
    /// Base 5: three digits in 7 bits.
    Quints,
}

/// A range of integers from 0: the bits of each, and its digit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) bits: u32,
    pub(super) digits: Digits,
}

/// An integer: the digit, and the bits below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Integer {
    pub(super) digit: u32,
    pub(super) bits: u32,
}

/// For each integer of a group, the bits of the packed digits that follow its own bits.
const TRIT_BITS: [u32; 5] = [2, 2, 1, 2, 1];
const QUINT_BITS: [u32; 3] = [3, 2, 2];

impl Range {
    /// Bits of a sequence.
    pub(super) fn size(self, count: u32) -> u32 {
        self.bits * count
            + match self.digits {
                Digits::None => 0,
                Digits::Trits => (8 * count).div_ceil(5),
                Digits::Quints => (7 * count).div_ceil(3),
            }
    }

    /// The integer at `index` of a sequence in the low bits of `sequence`. Bits after the sequence must be 0.
    pub(super) fn integer(self, sequence: u128, index: u32) -> Integer {
        match self.digits {
            Digits::None => Integer { digit: 0, bits: take(sequence, index * self.bits, self.bits) },
            Digits::Trits => self.grouped(sequence, index, &TRIT_BITS, trits),
            Digits::Quints => self.grouped(sequence, index, &QUINT_BITS, quints),
        }
    }

    /// The integer of a group whose members are followed by `parts` of the packed digits.
    fn grouped<const N: usize>(
        self,
        sequence: u128,
        index: u32,
        parts: &[u32; N],
        unpack: fn(u32) -> [u32; N],
    ) -> Integer {
        let (group, member) = (index / N as u32, index as usize % N);
        let each: u32 = self.bits * N as u32 + parts.iter().sum::<u32>();
        let mut at = group * each;
        let (mut packed, mut shift, mut bits) = (0, 0, 0);
        for (place, part) in parts.iter().enumerate() {
            if place == member {
                bits = take(sequence, at, self.bits);
            }
            packed |= take(sequence, at + self.bits, *part) << shift;
            at += self.bits + part;
            shift += part;
        }
        Integer { digit: unpack(packed)[member], bits }
    }
}

/// The `count` bits from bit `at` on, of which those past the end are 0.
pub(super) fn take(bits: u128, at: u32, count: u32) -> u32 {
    bits.checked_shr(at).unwrap_or(0) as u32 & ((1 << count) - 1)
}

/// The `count` bits of a word from bit `at` on.
pub(super) fn bits(word: u32, at: u32, count: u32) -> u32 {
    word >> at & ((1 << count) - 1)
}

/// Five digits of base 3 from 8 bits.
fn trits(packed: u32) -> [u32; 5] {
    let (low, [third, fourth]) = match (bits(packed, 2, 3), bits(packed, 5, 2)) {
        (7, high) => (high << 2 | bits(packed, 7, 1) << 4 | bits(packed, 0, 2), [2, 2]),
        (_, 3) => (bits(packed, 0, 5), [bits(packed, 7, 1), 2]),
        (_, high) => (bits(packed, 0, 5), [high, bits(packed, 7, 1)]),
    };
    let pair = |at: u32| bits(low, at + 1, 1) << 1 | bits(low, at, 1) & !bits(low, at + 1, 1);
    let [zeroth, first, second] = match (bits(low, 0, 2), bits(low, 2, 2)) {
        (3, _) => [pair(2), bits(low, 4, 1), 2],
        (_, 3) => [bits(low, 0, 2), 2, 2],
        (_, middle) => [pair(0), middle, bits(low, 4, 1)],
    };
    [zeroth, first, second, third, fourth]
}

/// Three digits of base 5 from 7 bits.
fn quints(packed: u32) -> [u32; 3] {
    let (low, second) = match (bits(packed, 1, 2), bits(packed, 5, 2)) {
        (3, 0) => {
            let first = bits(packed, 0, 1);
            return [4, 4, first << 2 | (bits(packed, 3, 2) & if first == 1 { 0 } else { 3 })];
        }
        (3, high) => (bits(packed, 3, 2) << 3 | (3 - high) << 1 | bits(packed, 0, 1), 4),
        (_, high) => (bits(packed, 0, 5), high),
    };
    match bits(low, 0, 3) {
        5 => [bits(low, 3, 2), 4, second],
        zeroth => [zeroth, bits(low, 3, 2), second],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_of_digits_has_a_code() {
        let mut seen = [false; 243];
        for digits in (0..256).map(trits) {
            assert!(digits.iter().all(|digit| *digit < 3), "{digits:?}");
            seen[digits.iter().fold(0, |sum, digit| 3 * sum + *digit as usize)] = true;
        }
        assert!(seen.iter().all(|seen| *seen));
        let mut seen = [false; 125];
        for digits in (0..128).map(quints) {
            assert!(digits.iter().all(|digit| *digit < 5), "{digits:?}");
            seen[digits.iter().fold(0, |sum, digit| 5 * sum + *digit as usize)] = true;
        }
        assert!(seen.iter().all(|seen| *seen));
    }

    #[test]
    fn digits_follow_the_bits_of_their_integers() {
        let plain = Range { bits: 3, digits: Digits::None };
        assert_eq!(plain.integer(0b101_011, 1), Integer { digit: 0, bits: 0b101 });
        // Two bits of each integer, with the packed digits 0b0000_0001 between them: the first digit is 1.
        let trits = Range { bits: 2, digits: Digits::Trits };
        assert_eq!(trits.integer(0b10_01_11, 0), Integer { digit: 1, bits: 0b11 });
        assert_eq!(trits.integer(0b10_01_11, 1), Integer { digit: 0, bits: 0b10 });
        let quints = Range { bits: 0, digits: Digits::Quints };
        assert_eq!(quints.integer(0b000_0011, 0), Integer { digit: 3, bits: 0 });
        assert_eq!([trits.size(5), trits.size(1), quints.size(3), quints.size(4)], [18, 4, 7, 10]);
    }
}
