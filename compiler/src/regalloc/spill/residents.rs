//! The values in registers.

use std::ops::Deref;

use super::is_repeatable;
use crate::analysis::next_use::NEVER;
use crate::ir::entity::Value;
use crate::ir::function::Function;
use crate::ir::table::Side;

/// A value in a register, under its current name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resident {
    pub value: Value,
    pub name: Value,
    /// Greater for values that are better to evict at equal distances: the larger, then the older.
    weight: u64,
    /// It may be computed again instead of being loaded, as far as is known in the current block.
    pub is_repeatable: bool,
    /// Position of its next use, see [`LocalUses::next`](super::local::LocalUses::next).
    pub next: u32,
}

impl Resident {
    pub fn new(f: &Function<'_>, value: Value, name: Value, next: u32) -> Resident {
        let weight = u64::from(f.ty(value).halves()) << 32 | u64::from(!value.0);
        Resident { value, name, weight, is_repeatable: may_repeat(f, value), next }
    }

    /// Half registers of the value.
    fn halves(&self) -> u32 {
        (self.weight >> 32) as u32
    }

    /// Greater for values that are better to evict: those at a greater distance, then by weight.
    pub fn rank(&self, distance: u32) -> u128 {
        u128::from(distance) << 64 | u128::from(self.weight)
    }
}

/// Whether a value may be computed again where its operands are in registers.
fn may_repeat(f: &Function<'_>, value: Value) -> bool {
    f.values[value].def.is_some_and(|def| is_repeatable(&f.insts[def]))
}

/// Values in registers, and how many half registers they occupy.
#[derive(Default, Debug)]
pub(super) struct Residents {
    list: Vec<Resident>,
    /// For each value, its place in the list plus one; 0 if it is not in a register.
    places: Side<Value, u32>,
    halves: u32,
}

impl Residents {
    /// Half registers that they occupy.
    pub fn halves(&self) -> u32 {
        self.halves
    }

    /// Index of a value.
    pub fn place(&self, value: Value) -> Option<usize> {
        (self.places[value] as usize).checked_sub(1)
    }

    /// The name of a value.
    pub fn name(&self, value: Value) -> Option<Value> {
        Some(self.list[self.place(value)?].name)
    }

    /// Adds a value that is not among them.
    pub fn push(&mut self, resident: Resident) {
        self.halves += resident.halves();
        self.list.push(resident);
        self.places[resident.value] = self.list.len() as u32;
    }

    pub fn extend(&mut self, residents: impl Iterator<Item = Resident>) {
        residents.for_each(|resident| self.push(resident));
    }

    pub fn clear(&mut self) {
        self.list.drain(..).for_each(|resident| self.places[resident.value] = 0);
        self.halves = 0;
    }

    /// Removes the one at `index`, whose place the last one takes.
    pub fn swap_remove(&mut self, index: usize) {
        let removed = self.list.swap_remove(index);
        self.halves -= removed.halves();
        self.places[removed.value] = 0;
        if let Some(moved) = self.list.get(index) {
            self.places[moved.value] = index as u32 + 1;
        }
    }

    /// Determines the next use of each by `next`, and whether it may be computed again.
    pub fn renew(&mut self, f: &Function<'_>, next: impl Fn(Value) -> u32) {
        for resident in &mut self.list {
            resident.next = next(resident.value);
            resident.is_repeatable = may_repeat(f, resident.value);
        }
    }

    /// Sets the next use of the one at `index`, or removes it if it is not used again.
    pub fn set_next(&mut self, index: usize, next: u32) {
        match next {
            NEVER => self.swap_remove(index),
            next => self.list[index].next = next,
        }
    }

    /// Records that the one at `index` cannot be computed again in the current block.
    pub fn forbid_repeating(&mut self, index: usize) {
        self.list[index].is_repeatable = false;
    }
}

impl Deref for Residents {
    type Target = [Resident];

    fn deref(&self) -> &[Resident] {
        &self.list
    }
}
