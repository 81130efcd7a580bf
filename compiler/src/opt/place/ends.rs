//! Code with which both arms of an if end.
//!
//! A phi of two results that the arms compute for it alone, by the same operation on sources that are equal but for one,
//! becomes a phi of that source, and one operation after it. The other sources are computed before the if or are constants.
//! So chains of equal operations leave the arms, the last one first.
//!
//! Hardware operations that may be executed anywhere leave, from the blocks at which the arms end. The source has no other
//! use and takes no more registers than the result, so that the phi takes none that were not in use. Operations that will be one
//! with what computes their source stay with it: sums of products, and whatever reads negated or converted numbers.

use agx_isa::table::Opcode;
use bumpalo::Bump;

use super::blocks::{Arm, Blocks};
use crate::analysis::uses::uses;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Src, Value};

/// Merges that with which both arms of ifs end.
pub(super) fn merge_ends(f: &mut Function<'_>, blocks: &Blocks<'_>, scratch: &Bump) {
    if !f.present.may_have_op(IrOp::Phi) {
        return;
    }
    let mut home = ScratchSide::new_in(scratch, f.insts.len());
    for block in f.blocks_in_order().filter(|block| blocks.at[*block].arm.is_some()) {
        f.block(block).insts.iter().for_each(|inst| home[*inst] = Some(block));
    }
    let mut merger = Merger { uses: uses(f, scratch), home, left: Vec::new(), moved: Vec::new(), f };
    for join in merger.f.blocks_in_order() {
        let phis = merger.f.phi_count(join);
        for index in 0..phis {
            while merger.arms(blocks, join, index).is_some_and(|arms| merger.merge(join, index, arms)) {}
        }
        merger.write(join, phis);
    }
    merger.clear();
}

/// The results that a phi chooses from, with the blocks that end the arms.
type Arms = [(Block, Src); 2];

struct Merger<'f, 's, 'a> {
    f: &'f mut Function<'a>,
    /// Number of operands that read each value.
    uses: ScratchSide<'s, Value, u32>,
    /// The block of each instruction of arms.
    home: ScratchSide<'s, Inst, Option<Block>>,
    /// Blocks that instructions have left, with repetitions.
    left: Vec<Block>,
    /// The instructions that move to the block at hand, the last one first.
    moved: Vec<Inst>,
}

impl<'a> Merger<'_, '_, 'a> {
    /// The inputs of a phi if they come from the two arms of an if.
    fn arms(&self, blocks: &Blocks<'_>, join: Block, index: usize) -> Option<Arms> {
        let phi = self.f.insts[self.f.block(join).insts[index]];
        let mut inputs = phi.phi_inputs();
        let arms = [inputs.next()?, inputs.next()?];
        let [first, second]: [Arm; 2] = [blocks.at[arms[0].0].arm?, blocks.at[arms[1].0].arm?];
        let are_arms = first.head == second.head && first.is_else != second.is_else;
        (are_arms && inputs.next().is_none()).then_some(arms)
    }

    /// Replaces a phi of two results by one of the source in which the operations differ; returns whether it did.
    fn merge(&mut self, join: Block, index: usize, arms: Arms) -> bool {
        let phi = self.f.block(join).insts[index];
        let Some([first, second]) = self.ends(&self.f.insts[phi], arms) else { return false };
        let data = self.f.insts[first];
        let Some(differing) = self.differing(&data, &self.f.insts[second]) else { return false };
        let other = self.f.insts[second].srcs[differing];
        let [(then, _), (otherwise, _)] = arms;
        let Some(source) = data.srcs[differing].as_value() else { return false };
        let chosen = self.f.add_value_like(source);
        self.uses[chosen] = 1;
        let old = self.f.insts[phi];
        let inputs = [(then, Src::value(source)), (otherwise, other.plain())];
        let dsts = self.f.alloc(&[chosen]);
        let new = InstData { dsts, ..old.with_inputs(self.f, &inputs) };
        self.f.set_inst(phi, new);
        let mut srcs = data.srcs.to_vec();
        srcs[differing] = Src { flags: data.srcs[differing].flags, ..Src::value(chosen) };
        let srcs = self.f.alloc(&srcs);
        self.f.set_inst(first, InstData { dsts: old.dsts, srcs, ..data });
        self.left.extend([then, otherwise]);
        (self.home[first], self.home[second]) = (Some(join), None);
        self.moved.push(first);
        true
    }

    /// Adds what moves to a block after its phis.
    fn write(&mut self, join: Block, phis: usize) {
        if self.moved.is_empty() {
            return;
        }
        let old = self.f.take_insts(join);
        let mut new = self.f.inst_list();
        new.extend(old.iter().take(phis).copied().chain(self.moved.drain(..).rev()));
        new.extend(old.iter().skip(phis));
        self.f.block_mut(join).insts = new;
    }

    /// Removes what has moved from the blocks that it left.
    fn clear(mut self) {
        self.left.sort_unstable();
        self.left.dedup();
        for block in self.left {
            self.f.block_mut(block).insts.retain(|inst| self.home[*inst] == Some(block));
        }
    }

    /// The instructions at the ends of the arms that compute what a phi reads, if nothing else reads it.
    fn ends(&self, phi: &InstData<'_>, arms: Arms) -> Option<[Inst; 2]> {
        let value = phi.dst()?;
        let end = |(block, src): (Block, Src)| {
            let result = src.as_value().filter(|result| self.uses[*result] == 1)?;
            let inst = self.f.values[result].def?;
            let is_alike = self.f.values[result].relaxed == self.f.values[value].relaxed;
            let data = &self.f.insts[inst];
            (self.home[inst] == Some(block) && is_alike && data.dsts.len() == 1 && data.is_speculatable())
                .then_some(inst)
        };
        Some([end(arms[0])?, end(arms[1])?])
    }

    /// The only source in which two instructions differ, if a phi can choose it.
    fn differing(&self, first: &InstData<'a>, second: &InstData<'a>) -> Option<usize> {
        if first.op != second.op || first.mods != second.mods || matches!(first.op, Op::Ir(_)) {
            return None;
        }
        let mut differing = (0..first.srcs.len()).filter(|at| first.srcs[*at] != second.srcs[*at]);
        let at = differing.next().filter(|_| first.srcs.len() == second.srcs.len())?;
        let [a, b] = [first.srcs[at], second.srcs[at]];
        let lives_for_it = |src: Src| src.as_value().is_some_and(|value| self.uses[value] == 1);
        let are_separate = !self.is_fused(first.op, a) && !self.is_fused(first.op, b);
        let fits = self.f.src_ty(a) == self.f.src_ty(b)
            && are_separate
            && self.f.src_ty(a).halves() <= self.f.ty(first.dst()?).halves()
            && a.flags == b.flags;
        (differing.next().is_none() && fits && lives_for_it(a) && lives_for_it(b)).then_some(at)
    }

    /// Whether an operation will be one with what computes its source.
    fn is_fused(&self, op: Op, src: Src) -> bool {
        let sums = [Opcode::Fadd, Opcode::Hadd, Opcode::Iadd, Opcode::Isub, Opcode::Bitop].map(Op::Hw);
        let Some(def) = self.f.def(src) else { return false };
        match def.op {
            Op::Hw(Opcode::Fmul | Opcode::Hmul | Opcode::Bitop) => sums.contains(&op),
            Op::Hw(_) | Op::Ir(IrOp::Phi | IrOp::Split) => false,
            Op::Ir(_) => def.is_pure(),
        }
    }
}
