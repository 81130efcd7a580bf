//! Restores that definitions dominate their uses, where edges were added that bypass definitions.
//!
//! A value whose definition is bypassed becomes a variable, which is 0 on paths without the definition: there its value
//! does not matter. A vector becomes a variable for each component.

use bumpalo::Bump;

use super::{Variable, Variables};
use crate::analysis::dominance::{Dominance, dominance};
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Side, Src, Type, Value};

/// Where each value is defined.
type Homes<'s> = ScratchSide<'s, Value, Option<Block>>;

/// A read of a value: the instruction, the number of its source, and where it reads; a phi reads at the end of a
/// predecessor.
#[derive(Clone, Copy)]
struct Read {
    inst: Inst,
    index: usize,
    value: Value,
    at: Block,
}

/// Makes definitions dominate their uses. Requires current edges, and leaves them as they are.
pub(crate) fn repair_dominance(f: &mut Function<'_>) {
    f.with_scratch(|f, scratch| {
        let (tree, homes) = (dominance(f, scratch), homes(f, scratch));
        let bypassed: Vec<Read> =
            reads(f).into_iter().filter(|read| is_bypassed(&tree, &homes, read)).collect();
        if bypassed.is_empty() {
            return;
        }
        let mut repair =
            Repair { vars: Variables::new(), made: Side::new(f.values.len()), patches: Vec::new(), f };
        for read in &bypassed {
            repair.define(read.value, &homes);
        }
        for read in bypassed {
            repair.replace(read);
        }
        repair.finish();
    });
}

fn homes<'s>(f: &Function<'_>, scratch: &'s Bump) -> Homes<'s> {
    let mut homes = ScratchSide::new_in(scratch, f.values.len());
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            f.insts[*inst].dsts.iter().for_each(|dst| homes[*dst] = Some(block));
        }
    }
    homes
}

fn reads(f: &Function<'_>) -> Vec<Read> {
    let mut reads = Vec::new();
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            let data = &f.insts[*inst];
            for (index, src) in data.srcs.iter().enumerate() {
                let pred = data.mods.get(index).filter(|_| data.op == Op::Ir(IrOp::Phi));
                let at = pred.map_or(block, |pred| Block(*pred));
                reads.extend(src.as_value().map(|value| Read { inst: *inst, index, value, at }));
            }
        }
    }
    reads
}

/// Whether a path to the read bypasses the definition.
fn is_bypassed(tree: &Dominance<'_>, homes: &Homes<'_>, read: &Read) -> bool {
    homes[read.value].is_some_and(|home| {
        home != read.at
            && tree.is_reachable(read.at)
            && (!tree.is_reachable(home) || tree.meet(home, read.at) != home)
    })
}

struct Repair<'f, 'a> {
    f: &'f mut Function<'a>,
    vars: Variables,
    /// The first of the variables for the components of a value.
    made: Side<Value, Option<Variable>>,
    /// Sources of phis that take what a variable has at the end of the predecessor.
    patches: Vec<(Inst, usize, Src)>,
}

impl<'a> Repair<'_, 'a> {
    /// Makes variables of a value.
    fn define(&mut self, value: Value, homes: &Homes<'_>) {
        let (Some(home), None) = (homes[value], self.made[value]) else { return };
        let ty = self.f.ty(value);
        let first = self.vars.add(&vec![ty.bits; ty.comps.into()]);
        self.made[value] = Some(first);
        if ty.comps == 1 {
            return self.vars.define(home, first, value.into());
        }
        let parts: Vec<Value> = (0..ty.comps).map(|_| self.f.add_value(Type::scalar(ty.bits))).collect();
        for (index, part) in (0..).zip(&parts) {
            self.vars.define(home, first.at(index), (*part).into());
        }
        let line = self.f.values[value].def.map_or(0, |def| self.f.insts[def].line);
        let split = self.f.make_inst(IrOp::Split, &parts, &[value.into()], &[], line);
        let def = self.f.values[value].def;
        let phis = self.f.phi_count(home);
        let insts = &mut self.f.block_mut(home).insts;
        let at = insts.iter().position(|inst| Some(*inst) == def).map_or(0, |at| at.saturating_add(1));
        insts.insert(at.max(phis), split);
    }

    /// Replaces a read of a value by one of its variables.
    fn replace(&mut self, read: Read) {
        let Some(first) = self.made[read.value] else { return };
        let ty = self.f.ty(read.value);
        let parts: Vec<Src> =
            (0..ty.comps.into()).map(|index| self.vars.at_end(self.f, read.at, first.at(index))).collect();
        let data = self.f.insts[read.inst];
        let is_phi = data.op == Op::Ir(IrOp::Phi);
        match (parts.as_slice(), data.srcs.get(read.index)) {
            ([part], _) if is_phi => self.patches.push((read.inst, read.index, *part)),
            ([part], Some(src)) if src.flags.is_empty() => self.set_source(read.inst, read.index, *part),
            (parts, Some(src)) => {
                // What replaces it may be a constant, which has no modifiers.
                let op = if parts.len() == 1 { IrOp::Mov } else { IrOp::Collect };
                let whole = self.f.add_value(ty);
                let inst = self.f.make_inst(op, &[whole], parts, &[], data.line);
                let before = if is_phi { self.f.terminator(read.at) } else { Some(read.inst) };
                let insts = &mut self.f.block_mut(read.at).insts;
                let at = insts.iter().position(|other| Some(*other) == before).unwrap_or(insts.len());
                insts.insert(at, inst);
                self.set_source(read.inst, read.index, Src { flags: src.flags, ..Src::value(whole) });
            }
            (_, None) => {}
        }
    }

    fn set_source(&mut self, inst: Inst, index: usize, src: Src) {
        let data = self.f.insts[inst];
        let srcs = self.f.bump.alloc_slice_copy(data.srcs);
        if let Some(place) = srcs.get_mut(index) {
            *place = src;
        }
        self.f.set_inst(inst, InstData { srcs, ..data });
    }

    /// Builds the phis of the variables.
    fn finish(mut self) {
        self.vars.settle();
        for (inst, index, src) in std::mem::take(&mut self.patches) {
            let zero =
                self.f.insts[inst].dst().map_or(Src::bool(false), |dst| Src::imm(0, self.f.ty(dst).bits));
            let src = self.vars.resolve(src);
            self.set_source(inst, index, if src == Src::NONE { zero } else { src });
        }
        self.vars.finish(self.f, |src| src);
    }
}
