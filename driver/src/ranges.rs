//! Allocates ranges of addresses and frees them.

use std::collections::BTreeMap;

/// Free ranges: first byte to length, disjoint and not adjacent.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    free: BTreeMap<u64, u64>,
}

impl Ranges {
    /// All of `start..end` is free.
    pub fn new([start, end]: [u64; 2]) -> Ranges {
        Ranges { free: BTreeMap::from([(start, end.saturating_sub(start))]) }
    }

    /// The lowest free `bytes` bytes that start at a multiple of `alignment`, a power of two.
    pub fn take(&mut self, bytes: u64, alignment: u64) -> Option<u64> {
        let fits = |(start, len): (&u64, &u64)| {
            let at = start.next_multiple_of(alignment.max(1));
            let end = at.checked_add(bytes)?;
            (end <= start + len).then_some((*start, *len, at))
        };
        let (start, len, at) = self.free.iter().find_map(fits)?;
        self.split((start, len), at, bytes);
        Some(at)
    }

    /// Takes `bytes` bytes from `at` on, if all of them are free.
    pub fn take_at(&mut self, at: u64, bytes: u64) -> Option<()> {
        let (start, len) = self.free.range(..=at).next_back().map(|(start, len)| (*start, *len))?;
        let end = at.checked_add(bytes)?;
        (end <= start + len).then(|| self.split((start, len), at, bytes))
    }

    /// Takes bytes from a free range.
    fn split(&mut self, (start, len): (u64, u64), at: u64, bytes: u64) {
        self.free.remove(&start);
        let (end, after) = (start + len, at + bytes);
        if at > start {
            self.free.insert(start, at - start);
        }
        if end > after {
            self.free.insert(after, end - after);
        }
    }

    /// Frees a range that [`Ranges::take`] returned.
    pub fn give(&mut self, start: u64, bytes: u64) {
        let (mut start, mut bytes) = (start, bytes);
        if let Some((before, len)) = self.free.range(..start).next_back().map(|(at, len)| (*at, *len))
            && before + len == start
        {
            self.free.remove(&before);
            (start, bytes) = (before, len + bytes);
        }
        if let Some(len) = self.free.remove(&(start + bytes)) {
            bytes += len;
        }
        self.free.insert(start, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_ranges_are_taken_once() {
        let mut ranges = Ranges::new([100, 200]);
        assert_eq!(ranges.take_at(150, 20), Some(()));
        for (at, bytes) in [(150, 1), (140, 11), (169, 10), (90, 20), (190, 11), (200, 1), (170, u64::MAX)] {
            assert_eq!(ranges.take_at(at, bytes), None, "{at} {bytes}");
        }
        assert_eq!([ranges.take_at(170, 30), ranges.take_at(100, 50)], [Some(()); 2]);
        assert_eq!(ranges.take(1, 1), None);
        ranges.give(150, 20);
        assert_eq!(ranges.take(20, 1), Some(150));
    }

    #[test]
    fn ranges_are_aligned_disjoint_and_joined_again() {
        let mut ranges = Ranges::new([3, 100]);
        assert_eq!([ranges.take(8, 8), ranges.take(4, 16), ranges.take(5, 1)], [Some(8), Some(16), Some(3)]);
        assert_eq!(ranges.take(81, 1), None);
        ranges.give(8, 8);
        ranges.give(3, 5);
        assert_eq!(ranges.take(13, 1), Some(3));
        ranges.give(3, 13);
        ranges.give(16, 4);
        assert_eq!(ranges.take(97, 1), Some(3));
        assert_eq!(ranges.take(1, 1), None);
    }
}
