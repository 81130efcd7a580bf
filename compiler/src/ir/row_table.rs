//! A hash table of instructions by row: operation, sources, modifiers and result types.

use std::hash::Hasher;

use bumpalo::Bump;
use rustc_hash::FxHasher;

use super::entity::Inst;
use super::function::{Function, InstData};
use super::src::Src;

/// Minimum table size.
const FEWEST_PLACES: usize = 16;

/// An instruction, what a pass notes of it, and the low bits of its row's hash, in which most rows differ.
#[derive(Clone, Copy)]
pub(crate) struct Entry<T> {
    pub inst: Inst,
    pub note: T,
    pub hash: u32,
}

impl<T: Default> Entry<T> {
    /// A free entry: no function has that many instructions.
    fn free() -> Entry<T> {
        Entry { inst: Inst(u32::MAX), note: T::default(), hash: 0 }
    }

    /// Whether the entry is free.
    #[inline(always)]
    pub fn is_free(&self) -> bool {
        self.inst.0 == u32::MAX
    }
}

/// An open-addressing hash table whose size is a power of two; at least a fourth of the entries are free. Collisions
/// move to the next free entry. It is never iterated.
pub(crate) struct RowTable<'s, T> {
    scratch: &'s Bump,
    /// The entries, at the indices that [`RowTable::place`] gives.
    pub entries: &'s mut [Entry<T>],
    /// Number of entries that may be occupied before the table grows.
    left: usize,
}

/// Number of occupied entries at which a table of `places` entries grows.
fn most_taken(places: usize) -> usize {
    places / 4 * 3 + 1
}

impl<'s, T: Copy + Default> RowTable<'s, T> {
    /// An empty table with room for `count` instructions.
    pub fn with_room(count: usize, scratch: &'s Bump) -> RowTable<'s, T> {
        let places = (count + count / 2).next_power_of_two().max(FEWEST_PLACES);
        let entries = scratch.alloc_slice_fill_copy(places, Entry::free());
        RowTable { scratch, entries, left: most_taken(places) }
    }

    /// The entry of an instruction that `is_known` accepts, or the free entry where one with this hash belongs, and its
    /// index.
    #[inline]
    pub fn place(&self, hash: u32, is_known: impl Fn(Inst) -> bool) -> (usize, Entry<T>) {
        let mask = self.entries.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let known = self.entries[at];
            if known.is_free() || known.hash == hash && is_known(known.inst) {
                return (at, known);
            }
            at = (at + 1) & mask;
        }
    }

    /// Occupies a free entry, and grows the table if needed.
    #[inline]
    pub fn take(&mut self, at: usize, entry: Entry<T>) {
        self.entries[at] = entry;
        self.left -= 1;
        if self.left == 0 {
            self.grow();
        }
    }

    /// Doubles the number of entries.
    #[cold]
    fn grow(&mut self) {
        let places = self.entries.len() * 2;
        self.left = most_taken(places) - most_taken(self.entries.len());
        let grown = self.scratch.alloc_slice_fill_copy(places, Entry::free());
        let before = std::mem::replace(&mut self.entries, grown);
        for known in before.iter().copied().filter(|known| !known.is_free()) {
            let mut at = known.hash as usize & (places - 1);
            while !self.entries[at].is_free() {
                at = (at + 1) & (places - 1);
            }
            self.entries[at] = known;
        }
    }
}

/// Equal for equal rows. Most rows with the same sources have the same modifiers, so that only the first counts.
pub(crate) fn hash_row(data: &InstData<'_>) -> u32 {
    let mut hasher = FxHasher::default();
    let modifier = data.mods.first().copied().unwrap_or(0);
    hasher.write_u64(u64::from(modifier) << 16 | data.op.index() as u64);
    // Most operations have one or two sources.
    match data.srcs {
        [a] => hash_src(&mut hasher, *a),
        [a, b] => [*a, *b].into_iter().for_each(|src| hash_src(&mut hasher, src)),
        srcs => srcs.iter().for_each(|src| hash_src(&mut hasher, *src)),
    }
    hasher.finish() as u32
}

/// Adds a source to a hash of a row.
#[inline(always)]
pub(crate) fn hash_src(hasher: &mut FxHasher, src: Src) {
    // The fields are combined in memory order, so the host can load all three at once.
    let what = u64::from(src.flags.bits()) | u64::from(src.bits) << 16 | (src.kind as u64) << 24;
    hasher.write_u64(src.payload ^ what << 32);
}

/// Whether two instructions are the same but for their results.
pub(crate) fn same_row(f: &Function<'_>, a: &InstData<'_>, b: &InstData<'_>) -> bool {
    a.op == b.op
        && a.srcs == b.srcs
        && a.mods == b.mods
        && a.dsts.len() == b.dsts.len()
        && a.dsts.iter().zip(b.dsts).all(|(a, b)| f.ty(*a) == f.ty(*b))
}
