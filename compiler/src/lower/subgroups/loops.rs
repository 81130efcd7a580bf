//! Lowers reductions and scans of 64-bit floats to loops over the lanes.
//!
//! A sum of two 64-bit floats is thousands of instructions, so all lanes share one instance: each iteration
//! adds one lane, in ascending order, and lanes that do not take part contribute the identity.

use agx_abi::occupancy::SUBGROUP_SIZE;
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;

use super::Group;
use super::reduce::Kind;
use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Arithmetic, Block, Build, Builder, Function, InstData, IrOp, Op, Seam, Segment, Src, Type};

/// Lowers the reductions and scans of 64-bit floats to loops.
///
/// # Errors
/// A reduction of an unknown kind is an internal error.
pub(super) fn make_loops(f: &mut Function<'_>, group: Group) -> Result<(), CompileError> {
    let mut position = 0;
    while let Some(segment) = f.layout.get(position).copied() {
        let insts = &f.block(segment.block).insts;
        if let Some(at) = insts.iter().position(|inst| is_long(f, &f.insts[*inst])) {
            make_loop(f, group, position, at)?;
        }
        position += 1;
    }
    Ok(())
}

/// Whether an instruction combines 64-bit floats of several lanes.
fn is_long(f: &Function<'_>, data: &InstData<'_>) -> bool {
    let cluster_of_one = data.op == Op::Ir(IrOp::Reduce) && data.get(key::CLUSTER) == 1;
    matches!(data.op, Op::Ir(IrOp::Reduce | IrOp::Scan))
        && !cluster_of_one
        && data.dst().is_some_and(|dst| f.ty(dst).bits == 64)
        && Kind::find(data.get(key::REDUCTION)).is_ok_and(Kind::is_float)
}

/// The blocks of a loop between the instructions before a reduction and those after it.
struct Blocks {
    header: Block,
    /// The arm that leaves the loop.
    leave: Block,
    latch: Block,
    after: Block,
}

/// Replaces instruction `at` of the block at `position` of the layout.
fn make_loop(f: &mut Function<'_>, group: Group, position: usize, at: usize) -> Result<(), CompileError> {
    let Segment { block, seam } = f.layout[position];
    let mut rest = f.block_mut(block).insts.split_off(at);
    let data = f.insts[rest.remove(0)];
    let kind = Kind::find(data.get(key::REDUCTION))?;
    let [header, leave, stay, latch, after] = [(); 5].map(|()| f.add_block());
    let blocks = Blocks { header, leave, latch, after };
    move_phi_inputs(f, block, after);
    let mut b = Builder::at(f, block);
    b.line = data.line;
    let wanted = lanes_taking_part(&mut b, &data);
    let total = iterate(f, (group, kind), &blocks, &data, (block, wanted));
    let result = f.make_inst(IrOp::Mov, data.dsts, &[total], &[], data.line);
    rest.insert(0, result);
    f.block_mut(after).insts = rest;
    let segments = [
        (block, Seam::Loop),
        (header, Seam::If),
        (leave, Seam::Else),
        (stay, Seam::EndIf),
        (latch, Seam::EndLoop),
        (after, seam),
    ];
    let (before, behind) = (&f.layout[..position], &f.layout[position + 1..]);
    f.set_layout(&[before, &segments.map(|(block, seam)| Segment { block, seam }), behind].concat());
    Ok(())
}

/// Makes phis that named `block` as predecessor name `after`, where the block's end has moved.
fn move_phi_inputs(f: &mut Function<'_>, block: Block, after: Block) {
    for reader in f.blocks_in_order() {
        for index in 0..f.phi_count(reader) {
            let inst = f.block(reader).insts[index];
            let mods = f.insts[inst].mods;
            if mods.contains(&block.0) {
                let moved: Vec<u32> =
                    mods.iter().map(|pred| if *pred == block.0 { after.0 } else { *pred }).collect();
                f.insts[inst].mods = f.alloc(&moved);
            }
        }
    }
}

fn lane_index(b: &mut Builder<'_, '_>) -> Src {
    b.value(Opcode::Mfsr, Type::B32, &[], &mods(Opcode::Mfsr).with(key::SR, Sr::LANE)).into()
}

/// A mask of the active lanes that the result combines.
fn lanes_taking_part(b: &mut Builder<'_, '_>, data: &InstData<'_>) -> Src {
    let active = Src::value(b.value(IrOp::Ballot, Type::B32, &[Src::bool(true)], &[]));
    let chosen = match data.op {
        Op::Ir(IrOp::Reduce) if data.get(key::CLUSTER) >= SUBGROUP_SIZE => return active,
        Op::Ir(IrOp::Reduce) => {
            let size = data.get(key::CLUSTER);
            let lane = lane_index(b);
            let first = b.and(lane, Src::imm32(!(size - 1)));
            b.shl(Src::imm32((1 << size) - 1), first)
        }
        // The lanes below this one, and this one in an inclusive scan: 2 << 31 is 0.
        _ => {
            let lane = lane_index(b);
            let above = b.shl(Src::imm32(if data.get(key::INCLUSIVE) { 2 } else { 1 }), lane);
            b.isub(above, Src::imm32(1))
        }
    };
    b.and(active, chosen)
}

/// Builds the loop after the block `before`; returns the combination of the lanes in `wanted`.
fn iterate(
    f: &mut Function<'_>,
    (group, kind): (Group, &Kind),
    blocks: &Blocks,
    data: &InstData<'_>,
    (before, wanted): (Block, Src),
) -> Src {
    let (number, total) = (f.add_value(Type::B32), f.add_value(Type::B64));
    let mut b = Builder::at(f, blocks.header);
    b.line = data.line;
    let value = Src::value(b.value(IrOp::Broadcast, Type::B64, &[data.srcs[0], number.into()], &[]));
    let moved = b.ushr(wanted, number.into());
    let bit = b.and(moved, Src::imm32(1));
    let takes_part = b.icmp(IntCond::NE, bit, Src::imm32(0));
    let value = b.select(takes_part, value, kind.identity(64));
    let combined = kind.join(&mut b, total.into(), value);
    let next = b.iadd(number.into(), Src::imm32(1));
    let is_last = b.icmp(IntCond::EQ, next, Src::imm32(group.lanes));
    b.effect(IrOp::If, &[is_last], &[]);
    let inputs = [before.0, blocks.latch.0];
    let is_exclusive = data.op == Op::Ir(IrOp::Scan) && !data.get(key::INCLUSIVE);
    let start = if is_exclusive { kind.scan_start() } else { kind.identity(64) };
    for (at, (phi, first, later)) in
        [(number, Src::imm32(0), next), (total, start, combined)].into_iter().enumerate()
    {
        let inst = f.make_inst(IrOp::Phi, &[phi], &[first, later], &inputs, data.line);
        f.block_mut(blocks.header).insts.insert(at, inst);
    }
    let jump = f.make_inst(IrOp::Jump, &[], &[], &[blocks.after.0], data.line);
    f.block_mut(blocks.leave).insts.push(jump);
    combined
}
