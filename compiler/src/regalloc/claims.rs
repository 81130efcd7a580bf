//! Registers that are better left to values to come.
//!
//! * A vector whose first part is placed needs the registers behind it.
//! * The values of the next iteration of a loop are computed in the registers of the phis at its header, which are free once the
//!   values of this iteration have been read for the last time.
//! * A part of a vector that ended may be a part of another one: the coordinates of nine texels have three columns. It stays in
//!   its register if the one behind it remains free.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::entity::{Block, Value};
use crate::ir::table::ScratchSide;

use super::file::HalfSet;

/// The registers that are claimed at a point of the program.
pub struct Claims<'s> {
    /// Registers kept for vectors.
    kept: HalfSet,
    /// The loops around the current block, and the registers of their phis.
    loops: ArenaVec<'s, (Block, HalfSet)>,
    /// Parts of vectors that ended which others will have, and the registers of the other parts.
    beside: ArenaVec<'s, (Value, HalfSet)>,
    /// Number of vectors to come that collect a value.
    vectors: ScratchSide<'s, Value, u32>,
}

impl<'s> Claims<'s> {
    /// Nothing is claimed in a function of `values` values.
    pub fn new_in(scratch: &'s Bump, values: usize) -> Self {
        Claims {
            kept: HalfSet::EMPTY,
            loops: ArenaVec::new_in(scratch),
            beside: ArenaVec::new_in(scratch),
            vectors: ScratchSide::later_in(scratch, values),
        }
    }

    /// Notes that a vector to come collects `value`.
    pub fn add_vector(&mut self, value: Value) {
        self.vectors[value] += 1;
    }

    /// Notes that a vector that collects `value` is placed.
    pub fn end_vector(&mut self, value: Value) {
        self.vectors[value] -= 1;
    }

    /// Forgets what was claimed in a block: another one begins.
    pub fn enter_block(&mut self) {
        self.kept = HalfSet::EMPTY;
        self.beside.clear();
    }

    /// A loop begins, whose phis are in `places`.
    pub fn enter_loop(&mut self, header: Block, places: HalfSet) {
        self.loops.push((header, places));
    }

    /// A loop ends.
    pub fn leave_loop(&mut self, header: Block) {
        self.loops.retain(|(other, _)| *other != header);
    }

    /// Keeps registers for a vector.
    pub fn keep(&mut self, half: u16, halves: u16) {
        self.kept = self.kept.or(HalfSet::range(half, halves));
    }

    /// The vector at `half` is defined: its register no longer needs to be kept.
    pub fn release(&mut self, half: u16, halves: u16) {
        self.kept = self.kept.without(HalfSet::range(half, halves));
    }

    /// Half registers kept for vectors.
    pub fn kept(&self) -> HalfSet {
        self.kept
    }

    /// A vector ended of which `part` stays: claims the registers of the others, if another vector will have it.
    pub fn keep_beside(&mut self, part: Value, others: HalfSet) {
        if self.vectors[part] > 0 {
            self.beside.push((part, others));
        }
    }

    /// Forgets the parts that end.
    pub fn end_parts(&mut self, ends: impl Fn(Value) -> bool) {
        if !self.beside.is_empty() {
            self.beside.retain(|(part, _)| !ends(*part));
        }
    }

    /// Half registers that others should take only if no others below the highest one in use are free.
    pub fn preferred_by_others(&self) -> HalfSet {
        let loops = self.loops.iter().map(|(_, places)| *places);
        loops.chain(self.beside.iter().map(|(_, places)| *places)).fold(HalfSet::EMPTY, HalfSet::or)
    }
}
