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
        self.free.remove(&start);
        let (end, after) = (start + len, at + bytes);
        if at > start {
            self.free.insert(start, at - start);
        }
        if end > after {
            self.free.insert(after, end - after);
        }
        Some(at)
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
