//! Tables whose rows live in an arena and never move.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

use super::entity::Entity;

/// Rows in a chunk. A growing arena vector would strand its old half at every doubling.
const CHUNK: usize = 256;

/// A table of `V` indexed by `K`, in chunks of an arena.
pub struct Table<'a, K, V> {
    bump: &'a Bump,
    chunks: Vec<BumpVec<'a, V>>,
    /// How often rows were added or handed out to be changed.
    changes: u32,
    key: PhantomData<K>,
}

impl<'a, K: Entity, V: Copy> Table<'a, K, V> {
    /// An empty table in `bump`.
    pub fn new(bump: &'a Bump) -> Self {
        Table { bump, chunks: Vec::new(), changes: 0, key: PhantomData }
    }

    /// Appends a row and returns its id.
    pub fn push(&mut self, row: V) -> K {
        const { assert!(!std::mem::needs_drop::<V>(), "rows are never dropped") };
        let index = self.len();
        self.changes = self.changes.wrapping_add(1);
        if index.is_multiple_of(CHUNK) {
            self.chunks.push(BumpVec::with_capacity_in(CHUNK, self.bump));
        }
        self.chunks[index / CHUNK].push(row);
        K::new(index)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    /// How often rows were added or handed out to be changed: two equal counts mean equal rows.
    pub fn changes(&self) -> u32 {
        self.changes
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Whether `key` names a row.
    pub fn contains(&self, key: K) -> bool {
        key.index() < self.len()
    }

    /// Every id, ascending.
    pub fn keys(&self) -> impl Iterator<Item = K> + use<K, V> {
        (0..self.len()).map(K::new)
    }
}

impl<K: Entity, V> Index<K> for Table<'_, K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.chunks[key.index() / CHUNK][key.index() % CHUNK]
    }
}

impl<K: Entity, V> IndexMut<K> for Table<'_, K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        self.changes = self.changes.wrapping_add(1);
        &mut self.chunks[key.index() / CHUNK][key.index() % CHUNK]
    }
}

/// A dense side table: one `V` for every entity, `V::default()` until set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side<K, V> {
    rows: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: Entity, V: Clone + Default> Side<K, V> {
    /// A side table with room for `len` entities.
    pub fn new(len: usize) -> Self {
        Side { rows: vec![V::default(); len], default: V::default(), key: PhantomData }
    }
}

impl<K: Entity, V: Clone + Default> Default for Side<K, V> {
    fn default() -> Self {
        Side::new(0)
    }
}

impl<K: Entity, V> Index<K> for Side<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        self.rows.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone + Default> IndexMut<K> for Side<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        if key.index() >= self.rows.len() {
            self.rows.resize(key.index() + 1, V::default());
        }
        &mut self.rows[key.index()]
    }
}
