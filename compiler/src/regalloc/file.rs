//! The register file while it is handed out: who owns which half register.

use crate::ir::entity::Value;

use super::shapes::Shape;

/// Half registers of the machine.
pub const FILE_HALVES: u16 = 256;

/// A set of half registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HalfSet([u64; 4]);

impl HalfSet {
    /// No half register.
    pub const EMPTY: HalfSet = HalfSet([0; 4]);

    /// `count` half registers from `start`; those past the end of the file are left out.
    #[inline]
    pub fn range(start: u16, count: u16) -> HalfSet {
        let (word, bit) = (usize::from(start / 64), start % 64);
        let mut set = [0; 4];
        if count > 64 {
            let below = |end: u16| {
                let bits = |word: usize| end.saturating_sub(word as u16 * 64).min(64);
                HalfSet(std::array::from_fn(|word| {
                    u64::MAX.checked_shr(64 - u32::from(bits(word))).unwrap_or(0)
                }))
            };
            return below(start.saturating_add(count)).without(below(start));
        }
        let mask = if count == 64 { u64::MAX } else { (1 << count) - 1 };
        if let Some(bits) = set.get_mut(word) {
            *bits = mask << bit;
        }
        if bit + count > 64
            && let Some(bits) = set.get_mut(word + 1)
        {
            *bits = mask >> (64 - bit);
        }
        HalfSet(set)
    }

    /// Elements of both.
    pub fn and(self, other: HalfSet) -> HalfSet {
        HalfSet(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Elements of either.
    pub fn or(self, other: HalfSet) -> HalfSet {
        HalfSet(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Elements of this set only.
    pub fn without(self, other: HalfSet) -> HalfSet {
        HalfSet(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Whether it has no elements.
    pub fn is_empty(self) -> bool {
        self == HalfSet::EMPTY
    }

    /// Whether all of `other` is in it.
    pub fn contains(self, other: HalfSet) -> bool {
        other.without(self).is_empty()
    }

    /// The lowest element.
    pub fn first(self) -> Option<u16> {
        let word = self.0.iter().position(|bits| *bits != 0)?;
        Some(word as u16 * 64 + self.0[word].trailing_zeros() as u16)
    }

    /// The highest element.
    pub fn last(self) -> Option<u16> {
        let word = self.0.iter().rposition(|bits| *bits != 0)?;
        Some(word as u16 * 64 + 63 - self.0[word].leading_zeros() as u16)
    }

    /// Each element `count` lower; what would fall below 0 is dropped.
    fn lowered(self, count: u16) -> HalfSet {
        let (words, bits) = (usize::from(count / 64), count % 64);
        let at = |word: usize| self.0.get(word).copied().unwrap_or(0);
        HalfSet(std::array::from_fn(|word| {
            let low = at(word + words) >> bits;
            if bits == 0 { low } else { low | at(word + words + 1) << (64 - bits) }
        }))
    }

    /// Elements where a run of `count` elements begins that is aligned to `align` (1, 2 or 4).
    pub fn runs(self, count: u16, align: u16) -> HalfSet {
        let mut starts = self;
        let mut covered = 1;
        while covered < count {
            let step = covered.min(count - covered);
            starts = starts.and(starts.lowered(step));
            covered += step;
        }
        let pattern = match align {
            1 => u64::MAX,
            2 => 0x5555_5555_5555_5555,
            _ => 0x1111_1111_1111_1111,
        };
        starts.and(HalfSet([pattern; 4]))
    }
}

/// Who owns which half register.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    owner: [Option<Value>; FILE_HALVES as usize],
    free: HalfSet,
}

impl Default for RegisterFile {
    fn default() -> Self {
        RegisterFile { owner: [None; FILE_HALVES as usize], free: HalfSet::range(0, FILE_HALVES) }
    }
}

impl RegisterFile {
    /// An empty file.
    pub fn new() -> Self {
        RegisterFile::default()
    }

    /// Half registers without owner.
    pub fn free(&self) -> HalfSet {
        self.free
    }

    /// Owner of a half register.
    pub fn owner(&self, half: u16) -> Option<Value> {
        self.owner[usize::from(half)]
    }

    /// Whether `halves` half registers from `start` exist and have no owner.
    pub fn is_free(&self, start: u16, halves: u16) -> bool {
        start + halves <= FILE_HALVES && self.free.contains(HalfSet::range(start, halves))
    }

    /// Gives free half registers to `value`.
    pub fn take(&mut self, value: Value, start: u16, halves: u16) {
        debug_assert!(self.is_free(start, halves), "{value} at half {start}");
        self.owner[usize::from(start)..usize::from(start + halves)].fill(Some(value));
        self.free = self.free.without(HalfSet::range(start, halves));
    }

    /// Frees half registers.
    pub fn release(&mut self, start: u16, halves: u16) {
        self.owner[usize::from(start)..usize::from(start + halves)].fill(None);
        self.free = self.free.or(HalfSet::range(start, halves));
    }

    /// Frees all.
    pub fn clear(&mut self) {
        *self = RegisterFile::new();
    }
}

/// The best place for `shape` within `free`: the lowest one, except that a single half register fills up a pair whose
/// other half is taken if there is one.
pub fn lowest_place(free: HalfSet, shape: Shape) -> Option<u16> {
    if shape.halves == 1 {
        let whole_pairs = free.runs(2, 2);
        let halves_of_pairs = whole_pairs.or(raised_by_one(whole_pairs));
        if let Some(half) = free.without(halves_of_pairs).first() {
            return Some(half);
        }
    }
    free.runs(shape.halves, shape.align).first()
}

fn raised_by_one(set: HalfSet) -> HalfSet {
    // The elements are even, so no bit leaves its word.
    HalfSet(set.0.map(|word| word << 1))
}

/// The highest place for `shape` within `free`.
pub fn highest_place(free: HalfSet, shape: Shape) -> Option<u16> {
    free.runs(shape.halves, shape.align).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_their_elements() {
        for start in 0..=256 {
            for count in [0, 1, 2, 4, 63, 64, 65, 128, 256] {
                let set = HalfSet::range(start, count);
                for half in 0..256 {
                    let expected = (start..start + count).contains(&half);
                    let is_in = set.0[usize::from(half / 64)] >> (half % 64) & 1 == 1;
                    assert_eq!(is_in, expected, "{half} in {start}+{count}");
                }
            }
        }
    }

    #[test]
    fn runs_are_found_across_words_and_aligned() {
        let free = HalfSet::range(61, 9);
        assert_eq!(free.runs(9, 1).first(), Some(61));
        assert_eq!(free.runs(8, 2).first(), Some(62));
        assert_eq!(free.runs(4, 4).first(), Some(64));
        assert_eq!(free.runs(9, 2), HalfSet::EMPTY);
        assert_eq!(HalfSet::range(0, 256).runs(256, 4).first(), Some(0));
        assert_eq!(HalfSet::range(200, 56).runs(4, 4).last(), Some(252));
        assert!(HalfSet::range(10, 0).is_empty());
    }

    #[test]
    fn runs_agree_with_a_slow_search() {
        let mut seed = 1u64;
        for _ in 0..200 {
            let free = HalfSet(std::array::from_fn(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                seed | seed >> 7 | seed << 13
            }));
            for (count, align) in [(1, 1), (2, 2), (3, 1), (4, 4), (6, 2), (16, 4)] {
                let fits = |start: u16| start + count <= 256 && free.contains(HalfSet::range(start, count));
                let slow: Vec<u16> = (0..256).step_by(align).filter(|start| fits(*start)).collect();
                let starts = free.runs(count, align as u16);
                assert_eq!((starts.first(), starts.last()), (slow.first().copied(), slow.last().copied()));
            }
        }
    }

    #[test]
    fn a_half_fills_up_a_pair() {
        let mut file = RegisterFile::new();
        file.take(Value(1), 0, 2);
        file.take(Value(2), 5, 1);
        assert_eq!(lowest_place(file.free(), Shape { halves: 1, align: 1 }), Some(4));
        file.take(Value(3), 4, 1);
        assert_eq!(lowest_place(file.free(), Shape { halves: 1, align: 1 }), Some(2));
        file.release(0, 2);
        assert_eq!(lowest_place(file.free(), Shape { halves: 4, align: 4 }), Some(0));
    }
}
