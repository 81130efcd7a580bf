//! Uniform instructions that compute the same in different arms, which value numbering does not merge because neither
//! dominates the other. The preamble computes each once.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::Uniform;
use crate::ir::row_table::{Entry, RowTable, hash_row, same_row};
use crate::ir::{Function, Inst, InstData, IrOp, Op, ScratchSide, Src, Value};

/// For each value that a uniform instruction computes, the first one that is always the same.
pub struct Equals<'s> {
    first: ScratchSide<'s, Value, Option<Value>>,
    /// The values that are the same as an earlier one, with that one.
    merged: ArenaVec<'s, (Value, Value)>,
}

impl<'s> Equals<'s> {
    /// No value is known to be the same as another one.
    pub fn none(scratch: &'s Bump) -> Equals<'s> {
        Equals { first: ScratchSide::later_in(scratch, 0), merged: ArenaVec::new_in(scratch) }
    }

    /// Compares the uniform instructions of `f`.
    pub fn of(f: &Function<'_>, uniform: &Uniform<'_>, scratch: &'s Bump) -> Equals<'s> {
        let insts = || f.blocks_in_order().flat_map(|block| &f.block(block).insts);
        let insts = || insts().copied().filter(|inst| uniform.insts[*inst]);
        let first = ScratchSide::later_in(scratch, f.values.len());
        let mut equals = Equals { first, merged: ArenaVec::new_in(scratch) };
        let mut table = RowTable::<()>::with_room(insts().count(), scratch);
        // Sources that have been replaced by the first of equal values.
        let mut srcs_of: ScratchSide<'_, Inst, Option<&[Src]>> =
            ScratchSide::later_in(scratch, f.insts.len());
        for inst in insts() {
            let data = f.insts[inst];
            // Phis depend on conditions, too.
            if data.op == Op::Ir(IrOp::Phi) || uniform.is_guarded(&data) {
                continue;
            }
            if data.srcs.iter().any(|src| equals.src(src) != *src) {
                srcs_of[inst] =
                    Some(&*scratch.alloc_slice_fill_iter(data.srcs.iter().map(|src| equals.src(src))));
            }
            let row = |inst: Inst| {
                let data = &f.insts[inst];
                InstData { srcs: srcs_of[inst].unwrap_or(data.srcs), ..*data }
            };
            let data = row(inst);
            let hash = hash_row(&data);
            let (at, first) = table.place(hash, |known| same_row(f, &row(known), &data));
            if first.is_free() {
                table.take(at, Entry { inst, note: (), hash });
                continue;
            }
            for (value, first) in data.dsts.iter().zip(f.insts[first.inst].dsts) {
                equals.first[*value] = Some(*first);
                equals.merged.push((*value, *first));
            }
        }
        equals
    }

    /// Leaves the first of equal candidates.
    pub fn merge(&self, candidates: &mut ArenaVec<'_, (Value, u32)>, scratch: &Bump) {
        if self.merged.is_empty() {
            return;
        }
        let mut is_known = ScratchSide::<'_, Value, bool>::later_in(scratch, self.merged.len());
        candidates.retain_mut(|(value, _)| {
            *value = self.value(*value);
            !std::mem::replace(&mut is_known[*value], true)
        });
    }

    /// Gives equal values the home of the first one.
    pub fn share(&self, homes: &mut ScratchSide<'_, Value, Option<Src>>) {
        for (value, first) in &self.merged {
            homes[*value] = homes[*first];
        }
    }

    /// The first value that is the same as `value`.
    pub fn value(&self, value: Value) -> Value {
        self.first[value].unwrap_or(value)
    }

    /// `src`, with the first value that is the same.
    pub fn src(&self, src: &Src) -> Src {
        match src.as_value() {
            Some(value) => Src { flags: src.flags, ..Src::value(self.value(value)) },
            None => *src,
        }
    }
}
