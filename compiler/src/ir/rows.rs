//! Tables indexed by number that never panic.

use std::ops::{Index, IndexMut};

/// Rows by number. Reading a missing row returns a default row, and writing to one has no effect: a front end
/// with a wrong block or variable number may generate wrong code, but it does not panic. Debug assertions
/// report such accesses.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Rows<V> {
    rows: Vec<V>,
    /// The row returned for missing numbers.
    outside: V,
    /// Receives assignments to missing numbers.
    forgotten: V,
}

impl<V: Clone> Rows<V> {
    /// No rows, with the row for missing numbers.
    pub fn new(outside: V) -> Self {
        Rows::of(Vec::new(), outside)
    }

    /// `count` rows equal to `row`, which is also the row for missing numbers.
    pub fn filled(count: usize, row: V) -> Self {
        Rows::of(vec![row.clone(); count], row)
    }

    /// These rows, with the row for missing numbers.
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

    /// The row with this number, if it exists.
    pub fn row(&self, number: usize) -> Option<&V> {
        self.rows.get(number)
    }

    /// The rows as a vector.
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
