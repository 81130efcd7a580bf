//! Allocates ranges of addresses and frees them.

/// Free ranges: first byte and length of each, ascending, disjoint and not adjacent.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    free: Vec<(u64, u64)>,
}

impl Ranges {
    /// All of `start..end` is free.
    pub fn new([start, end]: [u64; 2]) -> Ranges {
        Ranges { free: vec![(start, end.saturating_sub(start))] }
    }

    /// The lowest free `bytes` bytes that start at a multiple of `alignment`, a power of two.
    pub fn take(&mut self, bytes: u64, alignment: u64) -> Option<u64> {
        let mask = alignment.max(1) - 1;
        let (place, at) = self.free.iter().enumerate().find_map(|(place, (start, len))| {
            let at = start.checked_add(mask)? & !mask;
            (at.checked_add(bytes)? <= start + len).then_some((place, at))
        })?;
        self.split(place, at, bytes);
        Some(at)
    }

    /// Takes `bytes` bytes from `at` on, if all of them are free.
    pub fn take_at(&mut self, at: u64, bytes: u64) -> Option<()> {
        let place = self.free.partition_point(|(start, _)| *start <= at).checked_sub(1)?;
        let (start, len) = *self.free.get(place)?;
        (at.checked_add(bytes)? <= start + len).then(|| self.split(place, at, bytes))
    }

    /// Takes bytes from a free range.
    fn split(&mut self, place: usize, at: u64, bytes: u64) {
        let Some((start, len)) = self.free.get(place).copied() else { return };
        let (before, after) = ((start, at - start), (at + bytes, start + len - at - bytes));
        match (before.1, after.1) {
            (0, 0) => drop(self.free.remove(place)),
            (_, 0) => self.replace(place, before),
            (0, _) => self.replace(place, after),
            _ => {
                self.replace(place, before);
                self.free.insert(place + 1, after);
            }
        }
    }

    /// Frees a range that [`Ranges::take`] returned.
    pub fn give(&mut self, start: u64, bytes: u64) {
        let place = self.free.partition_point(|(known, _)| *known < start);
        let before = place.checked_sub(1).and_then(|before| self.free.get(before));
        let before = before.copied().filter(|(known, len)| known + len == start);
        let after = self.free.get(place).copied().filter(|(known, _)| *known == start + bytes);
        match (before, after) {
            (Some((first, len)), Some((_, more))) => {
                self.replace(place - 1, (first, len + bytes + more));
                self.free.remove(place);
            }
            (Some((first, len)), None) => self.replace(place - 1, (first, len + bytes)),
            (None, Some((_, more))) => self.replace(place, (start, bytes + more)),
            (None, None) => self.free.insert(place, (start, bytes)),
        }
    }

    fn replace(&mut self, place: usize, range: (u64, u64)) {
        if let Some(slot) = self.free.get_mut(place) {
            *slot = range;
        }
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
