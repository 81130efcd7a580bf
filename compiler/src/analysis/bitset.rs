//! Rows of bits of one width, in one allocation.

/// A matrix of bits: one row for each block, one column for each tracked value.
#[derive(Clone, Debug, Default)]
pub struct BitMatrix {
    words: Vec<u64>,
    words_per_row: usize,
    /// The words of each row that may have bits, from and to: where thousands of values live in one block each, rows
    /// are nearly empty.
    spans: Vec<(u32, u32)>,
}

impl BitMatrix {
    /// `rows` × `columns` bits, all clear.
    pub fn new(rows: usize, columns: usize) -> Self {
        let words_per_row = columns.div_ceil(64);
        BitMatrix {
            words: vec![0; rows * words_per_row],
            words_per_row,
            spans: vec![(words_per_row as u32, 0); rows],
        }
    }

    /// Words `from` to `to` of a row.
    fn part(&self, row: usize, (from, to): (u32, u32)) -> &[u64] {
        let start = row * self.words_per_row;
        &self.words[start + from.min(to) as usize..start + to as usize]
    }

    fn part_mut(&mut self, row: usize, (from, to): (u32, u32)) -> &mut [u64] {
        let start = row * self.words_per_row;
        &mut self.words[start + from.min(to) as usize..start + to as usize]
    }

    /// Makes the span of a row contain `span`.
    fn widen(&mut self, row: usize, (from, to): (u32, u32)) {
        let span = &mut self.spans[row];
        *span = (span.0.min(from), span.1.max(to));
    }

    /// Sets a bit; says whether it was clear.
    pub fn insert(&mut self, row: usize, column: usize) -> bool {
        let at = (column / 64) as u32;
        self.widen(row, (at, at + 1));
        let word = &mut self.words[row * self.words_per_row + column / 64];
        let before = *word;
        *word |= 1 << (column % 64);
        *word != before
    }

    /// Whether a bit is set.
    pub fn contains(&self, row: usize, column: usize) -> bool {
        self.words[row * self.words_per_row + column / 64] >> (column % 64) & 1 != 0
    }

    /// Columns set in a row, ascending.
    pub fn columns(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let span = self.spans[row];
        (span.0 as usize..).zip(self.part(row, span)).flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        })
    }

    /// Columns set in one of two rows and clear in the other, ascending, with whether the first has them.
    pub fn differences(&self, a: usize, b: usize) -> impl Iterator<Item = (usize, bool)> + '_ {
        let span = (self.spans[a].0.min(self.spans[b].0), self.spans[a].1.max(self.spans[b].1));
        let words = self.part(a, span).iter().zip(self.part(b, span));
        (span.0 as usize..).zip(words).flat_map(|(index, (a, b))| {
            let mut rest = a ^ b;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some((index * 64 + bit, a >> bit & 1 != 0))
            })
        })
    }

    /// Number of bits that are set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Adds row `from` of `other` to row `into`; says whether that changed anything.
    pub fn union_row(&mut self, into: usize, other: &BitMatrix, from: usize) -> bool {
        let mut changed = false;
        let span = other.spans[from];
        self.widen(into, span);
        for (word, more) in self.part_mut(into, span).iter_mut().zip(other.part(from, span)) {
            changed |= *more & !*word != 0;
            *word |= more;
        }
        changed
    }

    /// Adds to row `into` what row `from` of `other` has and row `from` of `without` has not; says whether that changed
    /// anything.
    pub fn union_row_without(
        &mut self,
        into: usize,
        other: &BitMatrix,
        without: &BitMatrix,
        from: usize,
    ) -> bool {
        let mut changed = false;
        let span = other.spans[from];
        self.widen(into, span);
        let words = other.part(from, span).iter().zip(without.part(from, span));
        for (word, (more, less)) in self.part_mut(into, span).iter_mut().zip(words) {
            let more = more & !less;
            changed |= more & !*word != 0;
            *word |= more;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_independent_sets() {
        let mut bits = BitMatrix::new(3, 130);
        assert!(bits.insert(1, 0) && bits.insert(1, 129) && bits.insert(2, 64));
        assert!(!bits.insert(1, 129));
        assert_eq!(bits.columns(1).collect::<Vec<_>>(), [0, 129]);
        assert_eq!(bits.columns(0).count(), 0);
        assert!(bits.contains(2, 64) && !bits.contains(2, 63));
        assert_eq!(bits.differences(1, 2).collect::<Vec<_>>(), [(0, true), (64, false), (129, true)]);
        assert_eq!(bits.count(), 3);
    }

    #[test]
    fn unions_report_change() {
        let (mut a, mut b, mut c) = (BitMatrix::new(1, 70), BitMatrix::new(1, 70), BitMatrix::new(1, 70));
        b.insert(0, 69);
        b.insert(0, 3);
        c.insert(0, 3);
        assert!(a.union_row_without(0, &b, &c, 0));
        assert_eq!(a.columns(0).collect::<Vec<_>>(), [69]);
        assert!(a.union_row(0, &b, 0));
        assert!(!a.union_row(0, &b, 0));
    }
}
