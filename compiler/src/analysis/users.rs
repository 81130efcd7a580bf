//! The operands that read each value, kept while instructions are added and changed.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::{Function, Inst, ScratchSide, Src, Value};

/// An operand that reads a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Use {
    pub inst: Inst,
    /// Number of the operand.
    pub at: usize,
}

/// The uses of each value: a linked list per value, most recent first.
pub(crate) struct Users<'s> {
    /// Index of the last entry plus one; 0 for none.
    last: ScratchSide<'s, Value, u32>,
    /// A use, and the index of the preceding entry for the same value plus one.
    entries: ArenaVec<'s, (Use, u32)>,
}

impl<'s> Users<'s> {
    /// Those in the blocks of a function.
    pub(crate) fn of(f: &Function<'_>, scratch: &'s Bump) -> Users<'s> {
        // Most instructions have two sources.
        let entries = ArenaVec::with_capacity_in(2 * f.insts.len(), scratch);
        let mut users = Users { last: ScratchSide::new_in(scratch, f.values.len()), entries };
        for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
            users.note(*inst, f.insts[*inst].srcs);
        }
        users
    }

    /// Adds the operands of an instruction.
    pub(crate) fn note(&mut self, inst: Inst, srcs: &[Src]) {
        for (at, src) in srcs.iter().enumerate() {
            self.add(Use { inst, at }, *src);
        }
    }

    /// Adds an operand that is `src`.
    pub(crate) fn add(&mut self, reads: Use, src: Src) {
        if let Some(value) = src.as_value() {
            let place = self.entries.len() as u32 + 1;
            let before = std::mem::replace(&mut self.last[value], place);
            self.entries.push((reads, before));
        }
    }

    /// The operands that read `value` when they were added.
    pub(crate) fn get(&self, value: Value) -> impl Iterator<Item = Use> + use<'_, 's> {
        let mut at = self.last[value];
        std::iter::from_fn(move || {
            let (reads, before) = *self.entries.get((at as usize).checked_sub(1)?)?;
            at = before;
            Some(reads)
        })
    }

    /// The only instruction that reads `value`, by one operand.
    pub(crate) fn only(&self, value: Value) -> Option<Inst> {
        let mut users = self.get(value);
        let first = users.next()?;
        users.next().is_none().then_some(first.inst)
    }
}
