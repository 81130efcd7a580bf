//! Rows of bits of one width, in one allocation.

/// A matrix of bits: one row for each block, one column for each tracked value.
#[derive(Clone, Debug, Default)]
pub struct BitMatrix {
    words: Vec<u64>,
    words_per_row: usize,
}

impl BitMatrix {
    /// `rows` × `columns` bits, all clear.
    pub fn new(rows: usize, columns: usize) -> Self {
        let words_per_row = columns.div_ceil(64);
        BitMatrix { words: vec![0; rows * words_per_row], words_per_row }
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.words_per_row..(row + 1) * self.words_per_row]
    }

    fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.words[row * self.words_per_row..(row + 1) * self.words_per_row]
    }

    /// Sets a bit; says whether it was clear.
    pub fn insert(&mut self, row: usize, column: usize) -> bool {
        let word = &mut self.row_mut(row)[column / 64];
        let before = *word;
        *word |= 1 << (column % 64);
        *word != before
    }

    /// Whether a bit is set.
    pub fn contains(&self, row: usize, column: usize) -> bool {
        self.row(row)[column / 64] >> (column % 64) & 1 != 0
    }

    /// Columns set in a row, ascending.
    pub fn columns(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        self.row(row).iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        })
    }

    /// Adds row `from` of `other` to row `into`; says whether that changed anything.
    pub fn union_row(&mut self, into: usize, other: &BitMatrix, from: usize) -> bool {
        let mut changed = false;
        for (word, more) in self.row_mut(into).iter_mut().zip(other.row(from)) {
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
        for ((word, more), less) in self.row_mut(into).iter_mut().zip(other.row(from)).zip(without.row(from))
        {
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
