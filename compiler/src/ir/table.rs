//! Tables: rows by id, and side tables of the same ids.

use std::marker::PhantomData;
use std::ops::{DerefMut, Index, IndexMut};

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::entity::Entity;

/// Initial capacity in rows: most functions need no more.
pub(super) const FIRST_ROWS: usize = 1024;

/// Minimum number of rows of a side table that grows.
const FEWEST_SIDE_ROWS: usize = 32;

/// A table of `V` indexed by `K`.
pub struct Table<K, V> {
    rows: Vec<V>,
    /// Counts additions of rows and mutable accesses.
    changes: u32,
    key: PhantomData<K>,
}

impl<K: Entity, V: Copy> Table<K, V> {
    /// An empty table.
    pub fn new() -> Self {
        Table::with_room(FIRST_ROWS)
    }

    /// An empty table with room for `count` rows.
    pub fn with_room(count: usize) -> Self {
        Table { rows: Vec::with_capacity(count), changes: 0, key: PhantomData }
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
    pub fn keys(&self) -> impl Iterator<Item = K> + use<K, V> {
        (0..self.len()).map(K::new)
    }
}

impl<K: Entity, V: Copy> Default for Table<K, V> {
    fn default() -> Self {
        Table::new()
    }
}

impl<K: Entity, V> Index<K> for Table<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        &self.rows[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for Table<K, V> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        self.changes = self.changes.wrapping_add(1);
        &mut self.rows[key.index()]
    }
}

/// Memory for the rows of a side table.
pub trait SideRows<V>: DerefMut<Target = [V]> {
    /// Adds copies of `row` up to a number of rows.
    fn lengthen(&mut self, count: usize, row: V);
}

impl<V: Clone> SideRows<V> for Vec<V> {
    fn lengthen(&mut self, count: usize, row: V) {
        self.resize(count, row);
    }
}

impl<V: Clone> SideRows<V> for ArenaVec<'_, V> {
    fn lengthen(&mut self, count: usize, row: V) {
        self.resize(count, row);
    }
}

/// A dense side table: one `V` for every entity, `V::default()` until set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side<K, V, M = Vec<V>> {
    rows: M,
    /// Minimum number of rows once there are any.
    fewest: usize,
    default: V,
    key: PhantomData<K>,
}

/// A [`Side`] in memory that is freed after the pass.
pub type ScratchSide<'s, K, V> = Side<K, V, ArenaVec<'s, V>>;

impl<K: Entity, V: Clone + Default> Side<K, V> {
    /// A side table with room for `len` entities.
    pub fn new(len: usize) -> Self {
        Side { rows: vec![V::default(); len], ..Side::later(0) }
    }

    /// A side table for about `len` entities that allocates when the first row is set.
    pub fn later(len: usize) -> Self {
        let fewest = len.max(FEWEST_SIDE_ROWS);
        Side { rows: Vec::new(), fewest, default: V::default(), key: PhantomData }
    }
}

impl<'s, K: Entity, V: Copy + Default> ScratchSide<'s, K, V> {
    /// A side table with room for `len` entities.
    pub fn new_in(scratch: &'s Bump, len: usize) -> Self {
        let mut side = Side::later_in(scratch, 0);
        side.rows.resize(len, V::default());
        side
    }

    /// A side table for about `len` entities that allocates when the first row is set.
    pub fn later_in(scratch: &'s Bump, len: usize) -> Self {
        let fewest = len.max(FEWEST_SIDE_ROWS);
        Side { rows: ArenaVec::new_in(scratch), fewest, default: V::default(), key: PhantomData }
    }
}

impl<K, V: Clone + Default, M: SideRows<V>> Side<K, V, M> {
    /// The row at `index`, past the current end.
    #[cold]
    fn grow(&mut self, index: usize) -> &mut V {
        // Usually the following rows are needed next.
        let count = (index + 1).max(self.fewest).max(2 * self.rows.len());
        self.rows.lengthen(count, V::default());
        &mut self.rows[index]
    }
}

impl<K: Entity, V: Clone + Default> Default for Side<K, V> {
    fn default() -> Self {
        Side::new(0)
    }
}

impl<K: Entity, V, M: SideRows<V>> Index<K> for Side<K, V, M> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        self.rows.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone + Default, M: SideRows<V>> IndexMut<K> for Side<K, V, M> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        let index = key.index();
        if index < self.rows.len() {
            return &mut self.rows[index];
        }
        self.grow(index)
    }
}
