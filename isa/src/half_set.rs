//! Sets of half registers, used by the validator, the allocator, the emulator and reports.

use std::fmt;

use crate::inst::Halves;

/// Number of words: one bit for each half register of the file.
const WORDS: usize = 4;

/// Half registers of the file.
const HALVES: u16 = 64 * WORDS as u16;

/// A set of half registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HalfSet([u64; WORDS]);

impl HalfSet {
    /// No half register.
    pub const EMPTY: HalfSet = HalfSet([0; WORDS]);

    /// `count` half registers starting at `start`; those past the end of the file are omitted.
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
    #[inline]
    pub fn and(self, other: HalfSet) -> HalfSet {
        HalfSet(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Elements of either.
    #[inline]
    pub fn or(self, other: HalfSet) -> HalfSet {
        HalfSet(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Elements of this set only.
    #[inline]
    pub fn without(self, other: HalfSet) -> HalfSet {
        HalfSet(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Whether it has no elements.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// Whether all of `other` is in it.
    #[inline]
    pub fn contains(self, other: HalfSet) -> bool {
        other.without(self).is_empty()
    }

    /// The lowest element.
    #[inline]
    pub fn first(self) -> Option<u16> {
        let word = self.0.iter().position(|bits| *bits != 0)?;
        Some(word as u16 * 64 + self.0[word].trailing_zeros() as u16)
    }

    /// The highest element.
    #[inline]
    pub fn last(self) -> Option<u16> {
        let word = self.0.iter().rposition(|bits| *bits != 0)?;
        Some(word as u16 * 64 + 63 - self.0[word].leading_zeros() as u16)
    }

    /// The elements that are set in `words`, one bit per half register.
    pub const fn from_words(words: [u64; WORDS]) -> HalfSet {
        HalfSet(words)
    }

    /// Each element increased by 1; those beyond the file are dropped.
    #[inline]
    pub fn raised_by_one(self) -> HalfSet {
        let below = |word: usize| word.checked_sub(1).map_or(0, |below| self.0[below] >> 63);
        HalfSet(std::array::from_fn(|word| self.0[word] << 1 | below(word)))
    }

    /// Each element decreased by `count`; those below 0 are dropped.
    #[inline]
    fn lowered(self, count: u16) -> HalfSet {
        if (1..64).contains(&count) {
            let next = |word: usize| self.0.get(word + 1).map_or(0, |bits| bits << (64 - count));
            return HalfSet(std::array::from_fn(|word| self.0[word] >> count | next(word)));
        }
        let (words, bits) = (usize::from(count / 64), count % 64);
        let at = |word: usize| self.0.get(word).copied().unwrap_or(0);
        HalfSet(std::array::from_fn(|word| {
            let low = at(word + words) >> bits;
            if bits == 0 { low } else { low | at(word + words + 1) << (64 - bits) }
        }))
    }

    /// Elements at which a run of `count` elements begins, aligned to `align` (1, 2 or 4).
    #[inline]
    pub fn runs(self, count: u16, align: u16) -> HalfSet {
        let mut starts = self;
        let mut covered = 1;
        while covered < count {
            let step = covered.min(count - covered);
            starts = starts.and(starts.lowered(step));
            covered += step;
        }
        starts.and(HalfSet([aligned_bits(align); WORDS]))
    }

    /// The first element of [`HalfSet::runs`].
    #[inline]
    pub fn first_run(self, count: u16, align: u16) -> Option<u16> {
        if count > 64 {
            return self.runs(count, align).first();
        }
        for (word, bits) in self.0.iter().enumerate().filter(|(_, bits)| **bits != 0) {
            // A run may end in the next word.
            let next = self.0.get(word + 1).copied().unwrap_or(0);
            let mut starts = u128::from(next) << 64 | u128::from(*bits);
            let mut covered = 1;
            while covered < count {
                let step = covered.min(count - covered);
                starts &= starts >> step;
                covered += step;
            }
            let found = starts as u64 & aligned_bits(align);
            if found != 0 {
                return Some(word as u16 * 64 + found.trailing_zeros() as u16);
            }
        }
        None
    }

    /// Adds the half register `half`, which is ignored if it is beyond the file.
    #[inline]
    pub fn insert(&mut self, half: u16) {
        if half < HALVES {
            self.0[usize::from(half / 64)] |= 1 << (half % 64);
        }
    }

    /// The word that contains a range, with a mask of its bits, if the range does not cross a word boundary.
    #[inline]
    fn within(halves: &Halves) -> Option<(usize, u64)> {
        let (start, end) = (u32::from(halves.start), u32::from(halves.end));
        let (count, bit) = (end.wrapping_sub(start), start % 64);
        let is_within = start < u32::from(HALVES) && count < 64 && bit + count <= 64;
        is_within.then(|| ((start / 64) as usize % WORDS, ((1 << count) - 1) << bit))
    }

    /// The words that a range of at most 64 half registers covers, with masks of its bits; those beyond the
    /// file are omitted.
    #[inline]
    fn touched(halves: &Halves) -> [(usize, u64); 2] {
        let count = halves.end.saturating_sub(halves.start);
        let (word, bit) = (usize::from(halves.start / 64), u32::from(halves.start % 64));
        let mask = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
        [(word, mask << bit), (word + 1, if bit == 0 { 0 } else { mask >> (64 - bit) })]
    }

    /// Adds a range; half registers beyond the file are ignored.
    #[inline]
    pub fn insert_all(&mut self, halves: Halves) {
        if let Some((word, bits)) = Self::within(&halves) {
            self.0[word] |= bits;
            return;
        }
        insert_across_words(self, halves);
    }

    /// Removes a range.
    #[inline]
    pub fn remove_all(&mut self, halves: Halves) {
        if let Some((word, bits)) = Self::within(&halves) {
            self.0[word] &= !bits;
            return;
        }
        remove_across_words(self, halves);
    }

    /// Whether a half register of a range is an element.
    #[inline]
    pub fn has_any(&self, halves: &Halves) -> bool {
        if let Some((word, bits)) = Self::within(halves) {
            return self.0[word] & bits != 0;
        }
        has_any_across_words(self, halves)
    }

    /// Whether all half registers of a range are elements; those beyond the file are ignored.
    #[inline]
    pub fn has_all(&self, halves: &Halves) -> bool {
        if let Some((word, bits)) = Self::within(halves) {
            return bits & !self.0[word] == 0;
        }
        has_all_across_words(self, halves)
    }

    /// Whether `half` is an element.
    #[inline]
    pub fn has(&self, half: u16) -> bool {
        half < HALVES && self.0[usize::from(half / 64)] >> (half % 64) & 1 == 1
    }

    /// The first of `halves` that is an element.
    pub fn first_of(&self, mut halves: Halves) -> Option<u16> {
        halves.find(|half| self.has(*half))
    }

    /// Adds the elements of `other`.
    #[inline]
    pub fn join(&mut self, other: &HalfSet) {
        *self = self.or(*other);
    }

    /// Number of elements.
    pub fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

/// Prints registers in order: `r3l` for a single lower half, `r4..r7` for a run of whole registers.
impl fmt::Display for HalfSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        let mut register = 0;
        while register < 128 {
            let is_whole =
                |register: u16| register < 128 && self.has(2 * register) && self.has(2 * register + 1);
            let end = (register..128).take_while(|next| is_whole(*next)).count() as u16 + register;
            match (end - register, self.has(2 * register), self.has(2 * register + 1)) {
                (0, false, false) => {}
                (0, true, _) => write!(f, "{separator}r{register}l")?,
                (0, _, _) => write!(f, "{separator}r{register}h")?,
                (1, ..) => write!(f, "{separator}r{register}")?,
                _ => write!(f, "{separator}r{register}..r{}", end - 1)?,
            }
            if end > register || self.has(2 * register) || self.has(2 * register + 1) {
                separator = " ";
            }
            register = end.max(register + 1);
        }
        Ok(())
    }
}

/// The bits of a word at positions that are multiples of `align` (1, 2 or 4).
const fn aligned_bits(align: u16) -> u64 {
    match align {
        1 => u64::MAX,
        2 => 0x5555_5555_5555_5555,
        _ => 0x1111_1111_1111_1111,
    }
}

/// Like [`HalfSet::insert_all`], for a range that may cross a word boundary.
#[inline(never)]
fn insert_across_words(set: &mut HalfSet, halves: Halves) {
    if halves.len() > 64 {
        return halves.for_each(|half| set.insert(half));
    }
    for (word, bits) in HalfSet::touched(&halves) {
        if let Some(known) = set.0.get_mut(word) {
            *known |= bits;
        }
    }
}

/// Like [`HalfSet::remove_all`], for a range that may cross a word boundary.
#[inline(never)]
fn remove_across_words(set: &mut HalfSet, halves: Halves) {
    if halves.len() > 64 {
        *set = set.without(HalfSet::range(halves.start, halves.len() as u16));
        return;
    }
    for (word, bits) in HalfSet::touched(&halves) {
        if let Some(known) = set.0.get_mut(word) {
            *known &= !bits;
        }
    }
}

/// Like [`HalfSet::has_any`], for a range that may cross a word boundary.
#[inline(never)]
fn has_any_across_words(set: &HalfSet, halves: &Halves) -> bool {
    if halves.len() > 64 {
        return !set.and(HalfSet::range(halves.start, halves.len() as u16)).is_empty();
    }
    HalfSet::touched(halves)
        .iter()
        .any(|(word, bits)| set.0.get(*word).is_some_and(|known| known & bits != 0))
}

/// Like [`HalfSet::has_all`], for a range that may cross a word boundary.
#[inline(never)]
fn has_all_across_words(set: &HalfSet, halves: &Halves) -> bool {
    if halves.len() > 64 {
        return set.contains(HalfSet::range(halves.start, halves.len() as u16));
    }
    HalfSet::touched(halves)
        .iter()
        .all(|(word, bits)| set.0.get(*word).is_none_or(|known| bits & !known == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_their_elements() {
        for start in 0..=256 {
            for count in [0, 1, 2, 4, 63, 64, 65, 128, 256] {
                let set = HalfSet::range(start, count);
                let mut inserted = HalfSet::EMPTY;
                inserted.insert_all(start..start + count);
                assert_eq!(inserted, set, "{start}+{count}");
                assert!(set.has_all(&(start..start + count)));
                assert_eq!(set.has_any(&(start..start + count)), !set.is_empty());
                let mut rest = HalfSet::range(0, 256);
                rest.remove_all(start..start + count);
                assert_eq!(rest, HalfSet::range(0, 256).without(set), "{start}+{count}");
                for half in 0..256 {
                    let expected = (start..start + count).contains(&half);
                    let is_in = set.has(half);
                    assert_eq!(is_in, expected, "{half} in {start}+{count}");
                }
            }
        }
    }

    #[test]
    fn sets_print_as_registers() {
        let mut set = HalfSet::range(8, 8);
        set.insert(7);
        set.insert(HALVES);
        assert_eq!((set.len(), set.has(7), set.has(HALVES)), (9, true, false));
        assert_eq!(set.to_string(), "r3h r4..r7");
        set.remove_all(8..10);
        assert_eq!(set.to_string(), "r3h r5..r7");
    }
}
