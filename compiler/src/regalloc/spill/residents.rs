//! The values in registers.

use std::ops::{Deref, DerefMut};

use super::is_repeatable;
use crate::ir::entity::Value;
use crate::ir::function::Function;

/// A value in a register, under its current name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resident {
    pub value: Value,
    pub name: Value,
    /// Half registers of the value.
    pub halves: u32,
    /// It may be computed again instead of being loaded, as far as is known in the current block.
    pub is_repeatable: bool,
    /// Position of its next use, see [`LocalUses::next`](super::local::LocalUses::next).
    pub next: u32,
}

impl Resident {
    pub fn new(f: &Function<'_>, value: Value, name: Value, next: u32) -> Resident {
        let is_repeatable = may_repeat(f, value);
        Resident { value, name, halves: u32::from(f.ty(value).halves()), is_repeatable, next }
    }
}

/// Whether a value may be computed again where its operands are in registers.
pub(super) fn may_repeat(f: &Function<'_>, value: Value) -> bool {
    f.values[value].def.is_some_and(|def| is_repeatable(&f.insts[def]))
}

/// The name of `value` among those resident.
pub(super) fn find(resident: &[Resident], value: Value) -> Option<Value> {
    resident.iter().find(|resident| resident.value == value).map(|resident| resident.name)
}

/// Values in registers, and how many half registers they occupy.
#[derive(Default, Debug)]
pub(super) struct Residents {
    list: Vec<Resident>,
    halves: u32,
}

impl Residents {
    /// Half registers that they occupy.
    pub fn halves(&self) -> u32 {
        self.halves
    }

    pub fn push(&mut self, resident: Resident) {
        self.halves += resident.halves;
        self.list.push(resident);
    }

    pub fn extend(&mut self, residents: impl Iterator<Item = Resident>) {
        residents.for_each(|resident| self.push(resident));
    }

    pub fn clear(&mut self) {
        self.list.clear();
        self.halves = 0;
    }

    /// Removes the one at `index`, whose place the last one takes.
    pub fn swap_remove(&mut self, index: usize) {
        self.halves -= self.list.swap_remove(index).halves;
    }

    /// Keeps those for which `stays` returns true.
    pub fn retain_mut(&mut self, mut stays: impl FnMut(&mut Resident) -> bool) {
        let halves = &mut self.halves;
        self.list.retain_mut(|resident| {
            let stays = stays(resident);
            *halves -= if stays { 0 } else { resident.halves };
            stays
        });
    }
}

impl Deref for Residents {
    type Target = [Resident];

    fn deref(&self) -> &[Resident] {
        &self.list
    }
}

impl DerefMut for Residents {
    fn deref_mut(&mut self) -> &mut [Resident] {
        &mut self.list
    }
}
