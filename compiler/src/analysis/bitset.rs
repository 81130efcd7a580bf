//! Bit matrices: rows of equal width in one allocation.

/// A matrix of bits: one row for each block, one column for each tracked value.
#[derive(Clone, Debug, Default)]
pub struct BitMatrix {
    /// For each row its words, then a bit for each of them that may be non-zero, its touched mask: if thousands of values
    /// each live in one block, rows are nearly empty.
    words: Vec<u64>,
    rows: usize,
    words_per_row: usize,
    touched_per_row: usize,
}

/// The indices of the set bits, ascending.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(bit)
    })
}

/// The columns set in a row.
pub struct Columns<'m> {
    matrix: &'m BitMatrix,
    row: usize,
    /// A row whose columns are left out.
    without: Option<(&'m BitMatrix, usize)>,
    /// The part of the touched mask after the current one.
    part: usize,
    /// The rest of the current part of the touched mask.
    touched: u64,
    /// The first column of the current word.
    start: usize,
    /// The rest of the current word.
    bits: u64,
}

impl Columns<'_> {
    /// Goes to the next word that is not empty; returns whether there is one.
    #[inline(never)]
    fn next_word(&mut self) -> bool {
        loop {
            while self.touched == 0 {
                if self.part >= self.matrix.touched_per_row {
                    return false;
                }
                self.touched = self.matrix.touched(self.row, self.part);
                self.part += 1;
            }
            let index = (self.part - 1) * 64 + self.touched.trailing_zeros() as usize;
            self.touched &= self.touched - 1;
            let without = self.without.map_or(0, |(matrix, row)| matrix.word(row, index));
            self.bits = self.matrix.word(self.row, index) & !without;
            if self.bits != 0 {
                self.start = index * 64;
                return true;
            }
        }
    }
}

impl Iterator for Columns<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.bits == 0 && !self.next_word() {
            return None;
        }
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(self.start + bit)
    }
}

/// Number of touched words out of 64 from which all 64 are processed, because the host vectorises that.
const DENSE: u32 = 8;

/// A mask with a bit for each of up to 64 words in which the two rows differ.
fn differing(a: &[u64], b: &[u64]) -> u64 {
    let pairs = a.iter().zip(b).enumerate();
    pairs.fold(0, |bits, (at, (a, b))| bits | u64::from(a != b) << at)
}

impl BitMatrix {
    /// `rows` × `columns` bits, all clear.
    pub fn new(rows: usize, columns: usize) -> Self {
        let words_per_row = columns.div_ceil(64);
        let touched_per_row = words_per_row.div_ceil(64);
        let words = vec![0; rows * (words_per_row + touched_per_row)];
        BitMatrix { words, rows, words_per_row, touched_per_row }
    }

    /// The place of the first word of a row.
    fn start(&self, row: usize) -> usize {
        row * (self.words_per_row + self.touched_per_row)
    }

    fn word(&self, row: usize, index: usize) -> u64 {
        self.words[self.start(row) + index]
    }

    /// Which words of a row may be non-zero: a mask for the 64 words starting at `64 * part`.
    fn touched(&self, row: usize, part: usize) -> u64 {
        self.words[self.start(row) + self.words_per_row + part]
    }

    /// Adds bits to a word of a row; returns whether the word changed.
    fn add(&mut self, row: usize, index: usize, bits: u64) -> bool {
        let start = self.start(row);
        let word = &mut self.words[start + index];
        let changed = bits & !*word != 0;
        *word |= bits;
        self.words[start + self.words_per_row + index / 64] |= 1 << (index % 64);
        changed
    }

    /// Sets a bit; returns whether it was clear.
    pub fn insert(&mut self, row: usize, column: usize) -> bool {
        self.add(row, column / 64, 1 << (column % 64))
    }

    /// Whether a bit is set.
    pub fn contains(&self, row: usize, column: usize) -> bool {
        self.word(row, column / 64) >> (column % 64) & 1 != 0
    }

    /// Columns set in a row, ascending.
    #[inline]
    pub fn columns(&self, row: usize) -> Columns<'_> {
        self.columns_without(row, None)
    }

    /// Columns set in row `row`, and clear in the row of another matrix with as many columns if there is one, ascending.
    #[inline]
    pub fn columns_without<'m>(&'m self, row: usize, without: Option<(&'m BitMatrix, usize)>) -> Columns<'m> {
        Columns { matrix: self, row, without, part: 0, touched: 0, start: 0, bits: 0 }
    }

    /// Calls `act` with each column set in exactly one of two rows, ascending, and whether the first row has it.
    #[inline]
    pub fn each_difference(&self, a: usize, b: usize, mut act: impl FnMut(usize, bool)) {
        for part in 0..self.touched_per_row {
            let touched = self.touched(a, part) | self.touched(b, part);
            // Most words of two dense rows are equal.
            let differ = match self.is_dense(touched) {
                true => differing(self.part(a, part), self.part(b, part)),
                false => touched,
            };
            for index in ones(differ).map(|index| part * 64 + index) {
                let word = self.word(a, index);
                ones(word ^ self.word(b, index)).for_each(|bit| act(index * 64 + bit, word >> bit & 1 != 0));
            }
        }
    }

    /// Whether to process all words of a part of a row rather than only those in `touched`.
    fn is_dense(&self, touched: u64) -> bool {
        !self.is_narrow() && touched.count_ones() >= DENSE
    }

    /// Whether rows have so few words that all are processed.
    fn is_narrow(&self) -> bool {
        self.words_per_row <= DENSE as usize
    }

    /// Adds `more` to each word of a row; returns whether that changed anything.
    fn union_words(&mut self, row: usize, more: impl Fn(usize) -> u64) -> bool {
        let mut changed = false;
        for index in 0..self.words_per_row {
            let more = more(index);
            if more != 0 {
                changed |= self.add(row, index, more);
            }
        }
        changed
    }

    /// The words of a row that `part` of its touched mask covers.
    fn part(&self, row: usize, part: usize) -> &[u64] {
        let start = self.start(row);
        &self.words[start + part * 64..start + self.words_per_row.min(part * 64 + 64)]
    }

    /// Adds `more` to the words of a part of a row; returns whether that changed anything.
    fn add_part(&mut self, row: usize, part: usize, touched: u64, more: impl Iterator<Item = u64>) -> bool {
        let start = self.start(row);
        self.words[start + self.words_per_row + part] |= touched;
        let end = start + self.words_per_row.min(part * 64 + 64);
        let mut changed = 0;
        for (word, more) in self.words[start + part * 64..end].iter_mut().zip(more) {
            changed |= more & !*word;
            *word |= more;
        }
        changed != 0
    }

    /// Adds row `from` of `other` to row `into`; returns whether that changed anything.
    pub fn union_row(&mut self, into: usize, other: &BitMatrix, from: usize) -> bool {
        if self.is_narrow() {
            return self.union_words(into, |index| other.word(from, index));
        }
        let mut changed = false;
        for part in 0..other.touched_per_row {
            let touched = other.touched(from, part);
            if self.is_dense(touched) {
                changed |= self.add_part(into, part, touched, other.part(from, part).iter().copied());
                continue;
            }
            for index in ones(touched).map(|index| part * 64 + index) {
                changed |= self.add(into, index, other.word(from, index));
            }
        }
        changed
    }

    /// Adds to row `into` what row `from` of `other` has and row `from` of `without` has not; returns whether that changed
    /// anything.
    pub fn union_row_without(
        &mut self,
        into: usize,
        other: &BitMatrix,
        without: &BitMatrix,
        from: usize,
    ) -> bool {
        if self.is_narrow() {
            return self.union_words(into, |index| other.word(from, index) & !without.word(from, index));
        }
        let mut changed = false;
        for part in 0..other.touched_per_row {
            let touched = other.touched(from, part);
            if self.is_dense(touched) {
                let pairs = other.part(from, part).iter().zip(without.part(from, part));
                changed |= self.add_part(into, part, touched, pairs.map(|(word, without)| word & !without));
                continue;
            }
            for index in ones(touched).map(|index| part * 64 + index) {
                let more = other.word(from, index) & !without.word(from, index);
                if more != 0 {
                    changed |= self.add(into, index, more);
                }
            }
        }
        changed
    }

    /// Number of bits that are set.
    pub fn count(&self) -> usize {
        let parts = (0..self.rows).flat_map(|row| (0..self.touched_per_row).map(move |part| (row, part)));
        let words = parts.flat_map(|(row, part)| {
            ones(self.touched(row, part)).map(move |index| self.word(row, part * 64 + index))
        });
        words.map(|word| word.count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_and_sparse_rows_join_alike() {
        // 70 words, of which some rows touch many and others few.
        let columns = 70 * 64;
        let (mut from, mut without) = (BitMatrix::new(2, columns), BitMatrix::new(2, columns));
        for row in [0, 1] {
            let step = if row == 0 { 64 } else { 1024 };
            (0..columns).step_by(step).for_each(|column| _ = from.insert(row, column + 3));
            without.insert(row, 3);
            without.insert(row, 69 * 64 + 3);
        }
        for row in [0, 1] {
            let mut into = BitMatrix::new(2, columns);
            assert!(into.union_row_without(1, &from, &without, row));
            assert!(!into.union_row_without(1, &from, &without, row), "nothing new");
            let expected: Vec<usize> = from.columns(row).filter(|at| !without.contains(row, *at)).collect();
            assert_eq!(into.columns(1).collect::<Vec<_>>(), expected);
            let missing: Vec<usize> = from.columns(row).filter(|at| without.contains(row, *at)).collect();
            assert!(into.union_row(1, &from, row) && !into.union_row(1, &from, row));
            assert_eq!(into.columns(1).count(), from.columns(row).count(), "{missing:?}");
            assert_eq!((into.columns(0).count(), into.count()), (0, from.columns(row).count()));
        }
        let mut differing = Vec::new();
        from.each_difference(0, 1, |column, is_first| differing.push((column, is_first)));
        let expected: Vec<_> =
            from.columns(0).filter(|at| !from.contains(1, *at)).map(|at| (at, true)).collect();
        assert_eq!(differing, expected);
    }

    #[test]
    fn rows_are_independent_sets() {
        let mut bits = BitMatrix::new(3, 130);
        assert!(bits.insert(1, 0) && bits.insert(1, 129) && bits.insert(2, 64));
        assert!(!bits.insert(1, 129));
        assert_eq!(bits.columns(1).collect::<Vec<_>>(), [0, 129]);
        assert_eq!(bits.columns(0).count(), 0);
        assert!(bits.contains(2, 64) && !bits.contains(2, 63));
        let mut differences = Vec::new();
        bits.each_difference(1, 2, |column, is_first| differences.push((column, is_first)));
        assert_eq!(differences, [(0, true), (64, false), (129, true)]);
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
