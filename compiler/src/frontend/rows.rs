//! Tables by number that answer for every number.

use std::ops::{Index, IndexMut};

/// Rows by number. A number without a row reads as the row that stands for all of them, and what is assigned to it is forgotten: a
/// front end that looks at a block or a variable that is not there may compile nonsense, but it does not panic. Where asserts are
/// compiled in, they tell.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Rows<V> {
    rows: Vec<V>,
    /// What numbers without a row read as.
    outside: V,
    /// Takes what is assigned to them.
    forgotten: V,
}

impl<V: Clone> Rows<V> {
    /// No rows, and what is read then.
    pub fn new(outside: V) -> Self {
        Rows::of(Vec::new(), outside)
    }

    /// So many rows equal to `row`, which is also read outside of them.
    pub fn filled(count: usize, row: V) -> Self {
        Rows::of(vec![row.clone(); count], row)
    }

    /// These rows, and what is read outside of them.
    pub fn of(rows: Vec<V>, outside: V) -> Self {
        Rows { rows, forgotten: outside.clone(), outside }
    }
}

impl<V> Rows<V> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Appends a row.
    pub fn push(&mut self, row: V) {
        self.rows.push(row);
    }

    /// A row, if there is one of this number.
    pub fn row(&self, number: usize) -> Option<&V> {
        self.rows.get(number)
    }

    /// The rows alone.
    pub fn into_vec(self) -> Vec<V> {
        self.rows
    }

    /// Every row.
    pub fn iter(&self) -> std::slice::Iter<'_, V> {
        self.rows.iter()
    }
}

impl<V> Extend<V> for Rows<V> {
    fn extend<I: IntoIterator<Item = V>>(&mut self, rows: I) {
        self.rows.extend(rows);
    }
}

impl<V> Index<usize> for Rows<V> {
    type Output = V;

    #[inline]
    fn index(&self, number: usize) -> &V {
        debug_assert!(number < self.rows.len(), "row {number} of {}", self.rows.len());
        self.rows.get(number).unwrap_or(&self.outside)
    }
}

impl<V: Clone> IndexMut<usize> for Rows<V> {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut V {
        debug_assert!(number < self.rows.len(), "row {number} of {}", self.rows.len());
        match self.rows.get_mut(number) {
            Some(row) => row,
            None => {
                self.forgotten = self.outside.clone();
                &mut self.forgotten
            }
        }
    }
}
