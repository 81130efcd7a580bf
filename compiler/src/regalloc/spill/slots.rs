//! Assigns stack offsets to slots: slots with disjoint live ranges share memory.
//!
//! A *slot* is initially only a number: one for each value on the stack, and one or two for each phi of
//! slots. A *move* copies one slot to another, at the end of a predecessor or at the head of a phi's block.
//! Slots related by moves are coalesced if their live ranges permit it, those of the innermost loops first,
//! and the move is omitted. Then slots are assigned memory in the order of their first positions: memory of
//! slots that have ended is reused.
//!
//! Live ranges consist of stretches of positions. They are followed backward from each load through the
//! blocks in between; if this would visit more than a fixed number of blocks per instruction, a live range is
//! approximated by one stretch, from the store to the last load or to the end of the outermost loop around
//! that load which does not contain the store.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bumpalo::Bump;

use super::slot_lives::{Life, Lives, Stretch};
use crate::error::{BackEndError, CompileError};
use crate::ir::entity::{Block, Inst};
use crate::ir::function::Function;
use crate::ir::table::Side;

/// Range of immediate stack offsets in bytes.
const REACH_BYTES: u32 = 1 << 15;

/// Number of occupied places that are tried for a slot which fits into their gaps.
const TRIED_PLACES: usize = 8;

/// A stack slot that has no offset yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Size in 32-bit words.
    pub(super) words: u32,
    /// The block of the phi whose sources predecessors store here.
    pub(super) phi: Option<Block>,
}

/// The part of a slot that a load or store accesses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) slot: u32,
    /// Bytes from the start of the slot.
    pub(super) offset: u32,
}

/// Stores that copy one slot to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) from: u32,
    pub(super) to: u32,
    /// First of the added instructions among which the stores are.
    pub(super) first: Inst,
    /// The instruction after the last of them.
    pub(super) end: Inst,
    /// Number of loops around it.
    pub(super) depth: u32,
}

/// The slots of a function and their accesses.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    pub(super) all: Vec<Slot>,
    pub(super) accesses: Side<Inst, Option<Access>>,
    pub(super) moves: Vec<Move>,
    /// Slots of phis that keep their contents when control comes from a block.
    pub(super) kept: Side<Block, Vec<u32>>,
}

/// Assigned offsets.
pub(super) struct Places {
    /// Byte offset of each slot.
    pub(super) offset: Vec<u32>,
    /// Whether each move is omitted.
    pub(super) is_void: Vec<bool>,
    /// Bytes in use, including those in use before.
    pub(super) bytes: u32,
}

/// Assigns an offset to every slot, from byte `start` on.
///
/// # Errors
/// A limit if the stack exceeds the range of stack accesses.
pub(super) fn place_slots(f: &Function<'_>, slots: &Slots, start: u32) -> Result<Places, CompileError> {
    let scratch = &Bump::new();
    let lives = Lives::new_in(scratch, f, slots).all;
    let mut classes = Classes { scratch, parent: (0..).take(slots.all.len()).collect(), lives };
    let mut order: Vec<usize> = (0..slots.moves.len()).collect();
    order.sort_by_key(|index| Reverse(slots.moves[*index].depth));
    let mut is_void = vec![false; order.len()];
    for index in order {
        let Move { from, to, .. } = slots.moves[index];
        f.watch.visit(1);
        let same_size = slots.all[from as usize].words == slots.all[to as usize].words;
        is_void[index] = same_size && classes.join(from, to);
    }
    let mut file = StackFile::new_in(scratch, start);
    let mut roots: Vec<u32> =
        (0..).take(slots.all.len()).filter(|slot| classes.root(*slot) == *slot).collect();
    roots.sort_by_key(|slot| classes.lives[*slot as usize].first().copied());
    let mut place_of_root = vec![0; slots.all.len()];
    for root in roots {
        let life = &classes.lives[root as usize];
        f.watch.visit(1 + life.len() / 16);
        place_of_root[root as usize] = file.place(slots.all[root as usize].words, life)?;
    }
    let offset = (0..).take(slots.all.len()).map(|slot| place_of_root[classes.root(slot) as usize]).collect();
    Ok(Places { offset, is_void, bytes: start + 4 * file.words })
}

/// Classes of coalesced slots.
struct Classes<'s> {
    scratch: &'s Bump,
    parent: Vec<u32>,
    /// The live range of each root.
    lives: Vec<Life<'s>>,
}

impl Classes<'_> {
    fn root(&mut self, mut slot: u32) -> u32 {
        while self.parent[slot as usize] != slot {
            let above = self.parent[slot as usize];
            self.parent[slot as usize] = self.parent[above as usize];
            slot = above;
        }
        slot
    }

    /// Coalesces two slots unless their live ranges overlap; returns whether they are in one class.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return true;
        }
        let shorter = |root: u32| self.lives[root as usize].len();
        let (large, small) = if shorter(a) < shorter(b) { (b, a) } else { (a, b) };
        if overlap(&self.lives[large as usize], &self.lives[small as usize]) {
            return false;
        }
        let more = std::mem::replace(&mut self.lives[small as usize], Life::new_in(self.scratch));
        insert(&mut self.lives[large as usize], &more);
        self.parent[small as usize] = large;
        true
    }
}

/// Whether two live ranges overlap. Takes time proportional to the stretches of the second.
fn overlap(life: &[Stretch], other: &[Stretch]) -> bool {
    other.iter().any(|stretch| {
        let next = life.partition_point(|known| known.end < stretch.start);
        life.get(next).is_some_and(|known| known.start <= stretch.end)
    })
}

/// Adds stretches that do not overlap `life`, the last one first: each entry moves once.
fn insert(life: &mut Life<'_>, more: &[Stretch]) {
    let mut end = life.len();
    life.extend_from_slice_copy(more);
    for (added, stretch) in more.iter().enumerate().rev() {
        let place = life[..end].partition_point(|known| known.end < stretch.start);
        life.copy_within(place..end, place + added + 1);
        life[place + added] = *stretch;
        end = place;
    }
}

/// An allocated piece of stack memory.
struct Place<'s> {
    offset: u32,
    words: u32,
    /// The positions at which it is occupied.
    life: Life<'s>,
}

/// Stack memory during assignment.
struct StackFile<'s> {
    scratch: &'s Bump,
    start: u32,
    words: u32,
    places: Vec<Place<'s>>,
    /// Places by the positions at which they may become free, the first on top.
    busy: BinaryHeap<Reverse<(u32, usize)>>,
    /// Free places, by size in words.
    free: Vec<Vec<usize>>,
}

impl<'s> StackFile<'s> {
    /// Empty memory from byte `start` on.
    fn new_in(scratch: &'s Bump, start: u32) -> Self {
        StackFile { scratch, start, words: 0, places: Vec::new(), busy: BinaryHeap::new(), free: Vec::new() }
    }

    /// A place for the live range `life`; live ranges are placed in order of their first position.
    fn place(&mut self, words: u32, life: &[Stretch]) -> Result<u32, CompileError> {
        let (Some(first), Some(last)) = (life.first(), life.last()) else { return Ok(self.start) };
        while let Some(Reverse((end, index))) =
            self.busy.peek().copied().filter(|next| next.0.0 < first.start)
        {
            self.busy.pop();
            // A place that was filled again in its gaps is listed once per end.
            if self.places[index].life.last().is_some_and(|stretch| stretch.end == end) {
                let words = self.places[index].words as usize;
                self.free.resize_with(self.free.len().max(words + 1), Vec::new);
                self.free[words].push(index);
            }
        }
        let index = match self.find(words, life) {
            Some(index) => index,
            None => self.new_place(words)?,
        };
        self.busy.push(Reverse((last.end, index)));
        let place = &mut self.places[index];
        insert(&mut place.life, life);
        Ok(place.offset)
    }

    /// A free place, the smallest that is large enough, or one whose occupied positions do not overlap
    /// `life`.
    fn find(&mut self, words: u32, life: &[Stretch]) -> Option<usize> {
        let free = self.free.iter_mut().skip(words as usize).find_map(Vec::pop);
        free.or_else(|| {
            let fits = |index: &usize| {
                let place = &self.places[*index];
                place.words == words && !overlap(&place.life, life)
            };
            (0..self.places.len()).rev().take(TRIED_PLACES).find(fits)
        })
    }

    fn new_place(&mut self, words: u32) -> Result<usize, CompileError> {
        let offset = self.start + 4 * self.words;
        self.words += words;
        if self.start + 4 * self.words > REACH_BYTES {
            return Err(BackEndError::SpillStack { reach: REACH_BYTES }.into());
        }
        self.places.push(Place { offset, words, life: Life::new_in(self.scratch) });
        Ok(self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(stretches: &[(u32, u32)]) -> Vec<Stretch> {
        stretches.iter().map(|(start, end)| Stretch { start: *start, end: *end }).collect()
    }

    #[test]
    fn free_places_are_reused() {
        let scratch = Bump::new();
        let mut file = StackFile::new_in(&scratch, 8);
        let mut place = |words, stretches: &[(u32, u32)]| file.place(words, &life(stretches)).unwrap();
        assert_eq!(place(1, &[(0, 3), (20, 30)]), 8);
        assert_eq!(place(4, &[(1, 5)]), 12);
        assert_eq!(place(1, &[(3, 6)]), 28, "both places are in use");
        assert_eq!(place(1, &[(4, 19)]), 8, "fits into the gap");
        assert_eq!(place(1, &[(6, 9)]), 12, "the vector has gone");
        assert_eq!(place(2, &[(7, 8)]), 32, "a part of a place is not used again");
        assert_eq!(place(1, &[(25, 26)]), 28, "the first place lives on after its gap");
    }

    #[test]
    fn slots_are_merged_unless_their_live_ranges_overlap() {
        let scratch = &Bump::new();
        let lives = [life(&[(0, 4), (10, 12)]), life(&[(5, 9)]), life(&[(12, 13)]), life(&[(13, 14)])];
        let lives = lives.into_iter().map(|life| Life::from_iter_in(life, scratch)).collect();
        let mut classes = Classes { scratch, parent: vec![0, 1, 2, 3], lives };
        assert!(classes.join(0, 1) && classes.join(1, 0));
        assert!(!classes.join(1, 2), "12 is in both");
        assert!(classes.join(3, 1) && !classes.join(2, 3));
    }
}
