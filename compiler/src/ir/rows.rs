//! Tables indexed by number.

use std::ops::{Index, IndexMut};

/// Rows by number. The numbers come from the front end itself, never from its input without a check: access to a missing
/// row is an internal error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rows<V> {
    rows: Vec<V>,
}

impl<V: Clone> Rows<V> {
    /// `count` rows equal to `row`.
    pub fn filled(count: usize, row: V) -> Self {
        Rows::of(vec![row; count])
    }
}

impl<V> Rows<V> {
    /// These rows.
    pub fn of(rows: Vec<V>) -> Self {
        Rows { rows }
    }

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

impl<V> Default for Rows<V> {
    fn default() -> Self {
        Rows::of(Vec::new())
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
        self.rows.get(number).expect("invariant: the row exists")
    }
}

impl<V> IndexMut<usize> for Rows<V> {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut V {
        self.rows.get_mut(number).expect("invariant: the row exists")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "invariant: the row exists")]
    fn reading_a_missing_row_is_an_error() {
        let _ = Rows::filled(2, 7)[2];
    }

    #[test]
    #[should_panic(expected = "invariant: the row exists")]
    fn writing_a_missing_row_is_an_error() {
        Rows::filled(2, 7)[2] = 8;
    }
}
