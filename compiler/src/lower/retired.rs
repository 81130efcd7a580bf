//! Lets lanes that the program has ended leave the loops that nobody else executes.
//!
//! Such a lane goes on as a helper, so that the derivatives of its neighbours stay right. Nothing promises that a loop then
//! ends for it: the discard may have been the only way out, or may have kept the loop from values without an end. So where
//! lanes that are not retired are gone from a loop, the retired ones leave it at the next iteration, as if by a break. A
//! loop whose number of iterations constants determine ends for every lane and stays as it is.
//!
//! The new exits may bypass definitions of values that are read after the loop; there the values of lanes that took
//! such an exit do not matter.
//!
//! Before: stage source. After: the same; no `retire`.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use bumpalo::Bump;

use crate::analysis::iterations::has_known_iterations;
use crate::ir::build::alu::IntCond;
use crate::ir::op::mods;
use crate::ir::{
    Arithmetic, Block, Build, Builder, Function, Inst, InstData, IrOp, Op, Seam, Segment, Src, Type, Value,
    key,
};
use crate::ssa::dominance_repair::repair_dominance;
use crate::ssa::{Variable, Variables};

/// Lowers `retire`.
pub fn lower_retired(f: &mut Function<'_>) {
    if !f.blocks_in_order().any(|block| retires(f, block)) {
        return;
    }
    f.with_scratch(|f, scratch| {
        let loops = loops_of_retired(f, scratch);
        // Later loops first: the new segments are behind the beginnings of those that follow.
        let exits: Vec<Exit> = loops.into_iter().rev().filter_map(|start| add_exit(f, start)).collect();
        if !exits.is_empty() {
            f.compute_cfg();
            connect(f, &exits);
        }
    });
    for block in f.blocks_in_order() {
        let mut insts = f.take_insts(block);
        insts.retain(|inst| !is_retire(&f.insts[*inst]));
        f.block_mut(block).insts = insts;
    }
}

fn is_retire(data: &InstData<'_>) -> bool {
    data.op == Op::Ir(IrOp::Retire)
}

fn retires(f: &Function<'_>, block: Block) -> bool {
    f.block(block).insts.iter().any(|inst| is_retire(&f.insts[*inst]))
}

/// Which lanes are retired, as a variable.
struct Retired {
    vars: Variables,
    retired: Variable,
    /// Instructions that retire lanes under a condition, with their block and the value that then tells who is retired.
    conditions: Vec<(Block, Inst, Value)>,
}

impl Retired {
    /// The variable, defined at the ends of blocks that retire lanes. Requires current edges.
    fn of(f: &mut Function<'_>) -> Retired {
        let mut vars = Variables::new();
        let retired = vars.add(&[1]);
        let mut conditions = Vec::new();
        for block in f.blocks_in_order() {
            let insts = f.block(block).insts.iter().copied();
            let found: Vec<Inst> = insts.filter(|inst| is_retire(&f.insts[*inst])).collect();
            if found.iter().any(|inst| f.insts[*inst].srcs[0].as_imm() == Some(1)) {
                vars.define(block, retired, Src::bool(true));
                continue;
            }
            for inst in found {
                let value = f.add_value(Type::BOOL);
                vars.define(block, retired, value.into());
                conditions.push((block, inst, value));
            }
        }
        Retired { vars, retired, conditions }
    }
}

/// The segments after which loops begin that retired lanes may execute, and which may not end for them.
fn loops_of_retired(f: &mut Function<'_>, scratch: &Bump) -> Vec<usize> {
    let mut starts: Vec<usize> = (0..f.layout.len()).filter(|at| f.layout[*at].seam == Seam::Loop).collect();
    if starts.is_empty() {
        return starts;
    }
    let Retired { mut vars, retired, .. } = Retired::of(f);
    let headers = starts.iter().map(|start| f.layout[start + 1].block).collect::<Vec<_>>();
    let read: Vec<Src> = headers.iter().map(|header| vars.at_end(f, *header, retired)).collect();
    vars.settle();
    let mut read = read.into_iter().map(|src| vars.resolve(src).as_imm() != Some(0));
    starts.retain(|_| read.next() == Some(true));
    starts.retain(|start| !has_known_iterations(f, *start, scratch));
    starts
}

/// A new exit of a loop.
struct Exit {
    /// Its header, which decides.
    header: Block,
    /// The arm that leaves.
    arm: Block,
    /// The block after the loop.
    after: Block,
}

/// Adds an exit without a condition to the header of the loop that begins after segment `start`.
fn add_exit(f: &mut Function<'_>, start: usize) -> Option<Exit> {
    let (at, layout) = (start + 1, f.layout);
    let Segment { block: header, seam } = layout[at];
    let after = layout[f.construct_ends()[start]?.close + 1].block;
    let [arm, otherwise, rest] = [(); 3].map(|()| f.add_block());
    let new = [(header, Seam::If), (arm, Seam::Else), (otherwise, Seam::EndIf), (rest, seam)];
    let new = new.map(|(block, seam)| Segment { block, seam });
    f.set_layout(&[&layout[..at], &new, &layout[at + 1..]].concat());
    let phis = f.phi_count(header);
    let mut insts = f.take_insts(header);
    let moved = insts.split_off(phis);
    (f.block_mut(header).insts, f.block_mut(rest).insts) = (insts, moved);
    rename_predecessor(f, header, rest);
    let leave = f.make_inst(IrOp::Jump, &[], &[], &[after.0], 0);
    f.block_mut(arm).insts.push(leave);
    Some(Exit { header, arm, after })
}

/// Lets all phis take from `rest` what they took from `header`.
fn rename_predecessor(f: &mut Function<'_>, header: Block, rest: Block) {
    for block in f.blocks_in_order() {
        for index in 0..f.phi_count(block) {
            let inst = f.block(block).insts[index];
            let data = f.insts[inst];
            if data.mods.contains(&header.0) {
                let renamed = data.mods.iter().map(|from| if *from == header.0 { rest.0 } else { *from });
                let mods = f.bump.alloc_slice_fill_iter(renamed);
                f.set_inst(inst, InstData { mods, ..data });
            }
        }
    }
}

/// Gives the new exits their conditions, and phis the values that arrive by them.
fn connect(f: &mut Function<'_>, exits: &[Exit]) {
    exits.iter().for_each(|exit| add_inputs(f, exit));
    let Retired { mut vars, retired, conditions } = Retired::of(f);
    let mut patches = Vec::new();
    let mut last: Option<(Block, Value)> = None;
    for (block, inst, value) in conditions {
        let before = match last.filter(|(other, _)| *other == block) {
            Some((_, earlier)) => earlier.into(),
            None => at_start(f, &mut vars, block, retired, &mut patches),
        };
        last = Some((block, value));
        let (dsts, srcs) = (f.alloc(&[value]), f.alloc(&[f.insts[inst].srcs[0], before]));
        let mods = mods(Opcode::Bitop).with(key::TABLE, Truth::OR);
        let (mods, line) = (f.alloc(&mods), f.insts[inst].line);
        f.set_inst(inst, InstData { op: Opcode::Bitop.into(), dsts, srcs, mods, line });
    }
    for exit in exits {
        let retired = vars.at_end(f, exit.header, retired);
        let mut b = Builder::at(f, exit.header);
        let other = b.not(retired);
        let others = Src::value(b.value(IrOp::Ballot, Type::B32, &[other], &[]));
        let is_alone = b.icmp(IntCond::EQ, others, Src::imm32(0));
        let leaves = b.and(retired, is_alone);
        b.effect(IrOp::If, &[leaves], &[]);
    }
    vars.settle();
    for (phi, index, src) in patches {
        let data = f.insts[phi];
        let srcs = f.bump.alloc_slice_copy(data.srcs);
        let src = vars.resolve(src);
        srcs[index] = if src == Src::NONE { Src::bool(false) } else { src };
        f.set_inst(phi, InstData { srcs, ..data });
    }
    vars.finish(f, |src| src);
    repair_dominance(f);
}

/// What a variable that `block` assigns has at its beginning. Sources of a new phi are listed in `patches`.
fn at_start(
    f: &mut Function<'_>,
    vars: &mut Variables,
    block: Block,
    variable: Variable,
    patches: &mut Vec<(Inst, usize, Src)>,
) -> Src {
    let preds: Vec<Block> = f.block(block).preds.iter().copied().collect();
    match preds.as_slice() {
        [] => Src::bool(false),
        [pred] => vars.at_end(f, *pred, variable),
        preds => {
            let dst = f.add_value(Type::BOOL);
            let sources = vec![Src::bool(false); preds.len()];
            let from: Vec<u32> = preds.iter().map(|pred| pred.0).collect();
            let phi = f.make_inst(IrOp::Phi, &[dst], &sources, &from, 0);
            for (index, pred) in preds.iter().enumerate() {
                patches.push((phi, index, vars.at_end(f, *pred, variable)));
            }
            f.block_mut(block).insts.insert(0, phi);
            dst.into()
        }
    }
}

/// Lets the phis of the block after the loop take by the new exit what they take by another one.
fn add_inputs(f: &mut Function<'_>, exit: &Exit) {
    for index in 0..f.phi_count(exit.after) {
        let inst = f.block(exit.after).insts[index];
        let data = f.insts[inst];
        let Some(input) = data.srcs.first().copied() else { continue };
        let srcs = f.alloc(&[data.srcs, &[input]].concat());
        let mods = f.alloc(&[data.mods, &[exit.arm.0]].concat());
        f.set_inst(inst, InstData { srcs, mods, ..data });
    }
}
