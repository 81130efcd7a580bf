//! Tables: rows by id, and side tables of the same ids.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use bumpalo::Bump;

use super::entity::Entity;

/// Initial capacity in rows: most functions need no more.
pub(super) const FIRST_ROWS: usize = 1024;

/// Rows of a word of bits.
const ROWS_PER_WORD: usize = u64::BITS as usize;

/// Minimum number of rows of a side table that grows.
const FEWEST_SIDE_ROWS: usize = 32;

/// A table of `V` indexed by `K`. If it is `WATCHED`, it can record which rows change.
pub struct Table<K, V, const WATCHED: bool = false> {
    rows: Vec<V>,
    /// Counts additions of rows and mutable accesses.
    changes: u32,
    /// One bit for each row that existed at the last call of [`Table::watch`]: whether it was accessed mutably since.
    touched: Vec<u64>,
    key: PhantomData<K>,
}

impl<K: Entity, V: Copy, const WATCHED: bool> Table<K, V, WATCHED> {
    /// An empty table.
    pub fn new() -> Self {
        Table::with_room(FIRST_ROWS)
    }

    /// An empty table with room for `count` rows.
    pub fn with_room(count: usize) -> Self {
        Table { rows: Vec::with_capacity(count), changes: 0, touched: Vec::new(), key: PhantomData }
    }

    /// Appends a row and returns its id.
    #[inline]
    pub fn push(&mut self, row: V) -> K {
        const { assert!(!std::mem::needs_drop::<V>(), "rows are never dropped") };
        let index = self.rows.len();
        self.changes = self.changes.wrapping_add(1);
        self.rows.push(row);
        K::new(index)
    }

    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Number of additions of rows and mutable accesses: equal counts mean equal rows.
    pub fn changes(&self) -> u32 {
        self.changes
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes of memory that the rows take.
    pub fn allocated_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<V>()
    }

    /// Whether `key` names a row.
    pub fn contains(&self, key: K) -> bool {
        key.index() < self.len()
    }

    /// The ids of the rows for which `holds`, ascending.
    pub fn keys_where(&self, holds: impl Fn(&V) -> bool) -> impl Iterator<Item = K> {
        let rows = self.rows.iter().enumerate();
        rows.filter(move |(_, row)| holds(row)).map(|(index, _)| K::new(index))
    }

    /// Every id, ascending.
    pub fn keys(&self) -> impl Iterator<Item = K> + use<K, V, WATCHED> {
        (0..self.len()).map(K::new)
    }
}

impl<K: Entity, V: Copy> Table<K, V, true> {
    /// Starts to record which rows change.
    pub fn watch(&mut self) {
        let (words, rest) = (self.rows.len() / ROWS_PER_WORD, self.rows.len() % ROWS_PER_WORD);
        self.touched.clear();
        self.touched.resize(words, 0);
        // Rows that will be added count as touched.
        self.touched.push(u64::MAX << rest);
    }

    /// Whether the row was added or accessed mutably since the last call of [`Table::watch`], or that was never
    /// called.
    #[inline]
    pub fn is_touched(&self, key: K) -> bool {
        let index = key.index();
        self.touched.get(index / ROWS_PER_WORD).is_none_or(|word| word >> (index % ROWS_PER_WORD) & 1 != 0)
    }
}

impl<K: Entity, V: Copy, const WATCHED: bool> Default for Table<K, V, WATCHED> {
    fn default() -> Self {
        Table::new()
    }
}

impl<K: Entity, V, const WATCHED: bool> Index<K> for Table<K, V, WATCHED> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        &self.rows[key.index()]
    }
}

impl<K: Entity, V, const WATCHED: bool> IndexMut<K> for Table<K, V, WATCHED> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        let index = key.index();
        self.changes = self.changes.wrapping_add(1);
        if WATCHED && let Some(word) = self.touched.get_mut(index / ROWS_PER_WORD) {
            *word |= 1 << (index % ROWS_PER_WORD);
        }
        &mut self.rows[index]
    }
}

/// A dense side table: one `V` for every entity, `V::default()` until set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side<K, V> {
    rows: Vec<V>,
    /// Minimum number of rows once there are any.
    fewest: usize,
    default: V,
    key: PhantomData<K>,
}

impl<K: Entity, V: Clone + Default> Side<K, V> {
    /// A side table with room for `len` entities.
    pub fn new(len: usize) -> Self {
        Side {
            rows: vec![V::default(); len],
            fewest: FEWEST_SIDE_ROWS,
            default: V::default(),
            key: PhantomData,
        }
    }

    /// A side table for about `len` entities that allocates when the first row is set.
    pub fn later(len: usize) -> Self {
        Side { rows: Vec::new(), fewest: len.max(FEWEST_SIDE_ROWS), default: V::default(), key: PhantomData }
    }

    /// The row at `index`, past the current end.
    #[cold]
    fn grow(&mut self, index: usize) -> &mut V {
        // Usually the following rows are needed next.
        let rows = (index + 1).max(self.fewest).max(2 * self.rows.len());
        if self.rows.is_empty() {
            self.rows = vec![V::default(); rows];
        } else {
            self.rows.resize(rows, V::default());
        }
        &mut self.rows[index]
    }
}

impl<K: Entity, V: Clone + Default> Default for Side<K, V> {
    fn default() -> Self {
        Side::new(0)
    }
}

impl<K: Entity, V> Index<K> for Side<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        self.rows.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone + Default> IndexMut<K> for Side<K, V> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        let index = key.index();
        if index < self.rows.len() {
            return &mut self.rows[index];
        }
        self.grow(index)
    }
}

/// Like [`Side`], in memory that is freed after the pass.
pub struct ScratchSide<'s, K, V> {
    rows: &'s mut [V],
    scratch: &'s Bump,
    /// Minimum number of rows once there are any.
    fewest: usize,
    default: V,
    key: PhantomData<K>,
}

impl<'s, K: Entity, V: Copy + Default> ScratchSide<'s, K, V> {
    /// A side table with room for `len` entities.
    pub fn new_in(scratch: &'s Bump, len: usize) -> Self {
        let rows = scratch.alloc_slice_fill_copy(len, V::default());
        ScratchSide { rows, ..ScratchSide::later_in(scratch, 0) }
    }

    /// A side table for about `len` entities that allocates when the first row is set.
    pub fn later_in(scratch: &'s Bump, len: usize) -> Self {
        let fewest = len.max(FEWEST_SIDE_ROWS);
        ScratchSide { rows: &mut [], scratch, fewest, default: V::default(), key: PhantomData }
    }

    /// The row at `index`, past the current end.
    #[cold]
    fn grow(&mut self, index: usize) -> &mut V {
        // Usually the following rows are needed next.
        let count = (index + 1).max(self.fewest).max(2 * self.rows.len());
        let rows = self.scratch.alloc_slice_fill_copy(count, V::default());
        rows[..self.rows.len()].copy_from_slice(self.rows);
        self.rows = rows;
        &mut self.rows[index]
    }
}

impl<K: Entity, V> Index<K> for ScratchSide<'_, K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        self.rows.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Copy + Default> IndexMut<K> for ScratchSide<'_, K, V> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        let index = key.index();
        if index < self.rows.len() {
            return &mut self.rows[index];
        }
        self.grow(index)
    }
}
