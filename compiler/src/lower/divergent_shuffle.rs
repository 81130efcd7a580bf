//! Shuffles with an index in a register, where lanes may be inactive.
//!
//! The hardware combines the low index bits of all lanes of a quad, including inactive ones, whose registers
//! hold stale values (applegpu). The index is therefore passed in a dedicated half register, `r0h`, which is
//! 0 in every lane except while an active lane uses it as an index (as in the Mesa 25.0 AGX compiler). Where
//! all lanes are active, outside every construct and before any lane has ended, the index can be in any
//! register.
//!
//! `r0h` is not allocated if the function [`shuffles_with_inactive_lanes`].
//!
//! Before: stage allocated. After: the same.

use agx_abi::registers;
use agx_isa::table::Opcode;
use agx_isa::table::names::Span;
use agx_isa::table::names::Truth;

use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Block, Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Side, Src, Type, Value};
use crate::regalloc::{Allocation, Reg};

/// The half register of the index, which depends on whether the shader runs per sample.
pub fn index_half(sample_shading: bool) -> u8 {
    if sample_shading { registers::LINK } else { registers::SAFE_SHUFFLE_INDEX }
}

/// Whether a shuffle reads its index from a register where lanes may be inactive.
pub fn shuffles_with_inactive_lanes(f: &Function<'_>) -> bool {
    if !f.present.may_have_op(Opcode::Shuffle) {
        return false;
    }
    let may_be_off = blocks_with_inactive_lanes(f);
    f.layout.iter().any(|segment| {
        may_be_off[segment.block]
            && f.block(segment.block).insts.iter().any(|inst| is_shuffle(&f.insts[*inst]))
    })
}

/// Blocks in which existing lanes may be inactive.
fn blocks_with_inactive_lanes(f: &Function<'_>) -> Side<Block, bool> {
    let mut may_be_off = Side::new(f.blocks.len());
    let (mut depth, mut has_ended) = (0u32, false);
    for segment in f.layout {
        may_be_off[segment.block] = depth != 0 || has_ended;
        has_ended |= f.terminator(segment.block).is_some_and(|inst| f.insts[inst].op == Op::Ir(IrOp::Halt));
        depth = segment.seam.depth_after(depth);
    }
    may_be_off
}

/// Whether this is a shuffle over the SIMD-group with its index in a register.
fn is_shuffle(data: &InstData<'_>) -> bool {
    data.op == Op::Hw(Opcode::Shuffle)
        && data.srcs.get(1).is_some_and(|index| index.as_value().is_some())
        && data.get(key::SPAN) == Span::SIMD
}

/// Passes the index of shuffles in the half register `half`.
pub fn lower_divergent_shuffle(f: &mut Function<'_>, allocation: &mut Allocation, half: u8) {
    if !shuffles_with_inactive_lanes(f) {
        return;
    }
    let (entry, may_be_off) = (f.entry(), blocks_with_inactive_lanes(f));
    let mut is_cleared = false;
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        if !is_cleared && r.block == entry && data.op != Op::Ir(IrOp::Preload) {
            is_cleared = true;
            set_index(r, (allocation, half), Src::imm(0, 16));
        }
        if !may_be_off[r.block] || !is_shuffle(&data) {
            return Rewrite::Keep;
        }
        let index = set_index(r, (allocation, half), data.srcs[1]);
        r.push(data.op, data.dsts, &[data.srcs[0], index.into()], data.mods);
        set_index(r, (allocation, half), Src::imm(0, 16));
        Rewrite::Remove
    });
}

/// Moves `src`, a register or a constant, to the index register.
fn set_index(r: &mut Rewriter<'_, '_>, (allocation, half): (&mut Allocation, u8), src: Src) -> Value {
    let place = r.f.add_value(Type::B16);
    allocation.reg[place] = Some(Reg { half });
    match src.as_imm() {
        Some(_) => r.push(Opcode::Ldimm16, &[place], &[src], &mods(Opcode::Ldimm16)),
        None => {
            let mods = mods(Opcode::Bitop).with(key::TABLE, Truth::FIRST);
            r.push(Opcode::Bitop, &[place], &[src, Src::imm(0, 16)], &mods)
        }
    };
    place
}
