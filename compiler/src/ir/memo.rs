//! Pure instructions that a builder has appended, so that it need not append them again where the first one is available.
//! `opt_cse` would merge them, after other passes had visited both.
//!
//! Only operations count that front ends often repeat: loads and their parts, arithmetic of addresses, comparisons and
//! negations. To find out that others are new would take longer than to merge the few that are not.

use agx_isa::table::Opcode;
use bumpalo::Bump;

use super::entity::Inst;
use super::families::Ops;
use super::function::{Function, InstData};
use super::op::{IrOp, Op};
use super::row_table::{Entry, RowTable, hash_row};
use super::types::Type;

/// The operations that are often repeated.
const REPEATED: Ops = Ops::of(&[IrOp::LoadGlobal, IrOp::Fneg, IrOp::Icmp, IrOp::Imul, IrOp::Shl])
    .with(Op::Hw(Opcode::Iadd))
    .with(Op::Hw(Opcode::Isub));

/// The instructions appended so far, each noted with the number of the region that contains it.
pub(super) struct Memo<'a>(RowTable<'a, u32>);

/// Where an instruction belongs among those appended.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    at: usize,
    /// The entry there: the same instruction in another region, or a free one.
    found: Entry<u32>,
    hash: u32,
}

impl Spot {
    /// The same instruction and its region, if it was appended.
    pub(super) fn known(self) -> Option<(Inst, u32)> {
        (!self.found.is_free()).then_some((self.found.inst, self.found.note))
    }
}

impl<'a> Memo<'a> {
    /// A memo of nothing, with room for `count` instructions.
    pub(super) fn with_room(count: usize, bump: &'a Bump) -> Memo<'a> {
        Memo(RowTable::with_room(count, bump))
    }

    /// Whether `op` is an operation that is often repeated.
    #[inline]
    pub(super) fn records(op: Op) -> bool {
        REPEATED.contains(op)
    }

    /// The spot of an instruction of `f` with `count` results of type `ty`, whose row has none yet; `None` if it is not pure.
    #[inline(never)]
    pub(super) fn spot(&self, f: &Function<'_>, row: &InstData<'_>, ty: Type, count: usize) -> Option<Spot> {
        if !row.is_pure() {
            return None;
        }
        let is_same = |known: Inst| {
            let known = &f.insts[known];
            known.op == row.op
                && known.srcs == row.srcs
                && known.mods == row.mods
                && known.dsts.len() == count
                && known.dsts.iter().all(|dst| f.ty(*dst) == ty)
        };
        let hash = hash_row(row);
        let (at, found) = self.0.place(hash, is_same);
        Some(Spot { at, found, hash })
    }

    /// Records an instruction that was appended in a region.
    pub(super) fn record(&mut self, spot: Spot, inst: Inst, region: u32) {
        let entry = Entry { inst, note: region, hash: spot.hash };
        match spot.known() {
            Some(_) => self.0.entries[spot.at] = entry,
            None => self.0.take(spot.at, entry),
        }
    }
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use crate::ir::{Access, Build, Builder, Function, IrOp, Src, Type, Value};

    fn negation(b: &mut Builder<'_, '_>, of: Value) -> Value {
        b.value(IrOp::Fneg, Type::B32, &[of.into()], &[])
    }

    #[test]
    fn an_operation_is_shared_where_its_region_is_open() {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "test");
        let [x, y, z] = [0; 3].map(|_| f.add_value(Type::B32));
        let mut b = Builder::start(&mut f);
        b.share(4);
        let first = negation(&mut b, x);
        assert_eq!(negation(&mut b, x), first);
        b.begin_if(Src::bool(true));
        assert_eq!(negation(&mut b, x), first, "it is available in an arm");
        let then = negation(&mut b, y);
        assert_eq!(negation(&mut b, y), then);
        b.begin_else();
        let otherwise = negation(&mut b, y);
        assert_ne!(otherwise, then, "the other arm has its own");
        b.end_if();
        let after = negation(&mut b, y);
        assert!(after != then && after != otherwise, "no arm dominates what follows");
        b.begin_loop();
        assert_eq!(negation(&mut b, y), after);
        let inner = negation(&mut b, z);
        b.end_loop();
        assert_ne!(negation(&mut b, z), inner);
    }

    #[test]
    fn only_loads_of_constant_memory_and_their_parts_are_shared() {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "test");
        let mut b = Builder::start(&mut f);
        b.share(4);
        let mut load = |access: Access| {
            let srcs = [Src::uniform(0, 64), Src::imm32(16)];
            let vector = b.value(IrOp::LoadGlobal, Type::vector(32, 2), &srcs, &[access.bits(), 4, 0]);
            (vector, b.split(vector.into(), Type::B32, 2))
        };
        assert_eq!(load(Access::READONLY), load(Access::READONLY));
        assert_ne!(load(Access::empty()), load(Access::empty()));
    }

    #[test]
    fn a_builder_shares_nothing_unless_asked() {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "test");
        let x = f.add_value(Type::B32);
        let mut b = Builder::start(&mut f);
        assert_ne!(negation(&mut b, x), negation(&mut b, x));
    }
}
