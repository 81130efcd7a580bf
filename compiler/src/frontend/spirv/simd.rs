//! Ballot words, and moves between lanes.

use agx_isa::sr::Sr;
use agx_isa::table::Opcode;

use crate::ir::build::alu::IntCond;
use crate::ir::builder::Builder;
use crate::ir::op::{IrOp, mods};
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build, key};

/// The number of this lane.
pub(super) fn lane(b: &mut Builder<'_, '_>) -> Src {
    Src::value(b.value(Opcode::Mfsr, Type::B32, &[], &mods(Opcode::Mfsr).with(key::SR, Sr::LANE)))
}

/// The word in which bit i is set if lane i is active and the boolean holds there.
pub(super) fn ballot(b: &mut Builder<'_, '_>, truth: Src) -> Src {
    Src::value(b.value(IrOp::Ballot, Type::B32, &[truth], &[]))
}

/// Whether a word is zero.
pub(super) fn is_zero(b: &mut Builder<'_, '_>, word: Src) -> Src {
    b.icmp(IntCond::EQ, word, Src::imm32(0))
}

/// Index of the lowest set bit.
pub(super) fn lowest(b: &mut Builder<'_, '_>, word: Src) -> Src {
    let negated = b.ineg(word);
    let bit = b.and(word, negated);
    b.most_significant_bit(bit)
}

/// The value of `x` in the lane, or at the distance, given by `amount`.
pub(super) fn moved(b: &mut Builder<'_, '_>, op: IrOp, x: Src, amount: Src) -> Src {
    let ty = Type::scalar(b.f.width(x));
    Src::value(b.value(op, ty, &[x, amount], &[]))
}

/// Mask of the lanes before this one, optionally including it.
pub(super) fn lanes_before(b: &mut Builder<'_, '_>, inclusive: bool) -> Src {
    let lane = lane(b);
    let own = b.shl(Src::imm32(if inclusive { 2 } else { 1 }), lane);
    b.isub(own, Src::imm32(1))
}

/// The bit of `word` at `position`, as a boolean.
pub(super) fn bit(b: &mut Builder<'_, '_>, word: Src, position: Src) -> Src {
    let position = b.uconv(position, 32);
    let moved = b.ushr(word, position);
    let bit = b.and(moved, Src::imm32(1));
    b.icmp(IntCond::NE, bit, Src::imm32(0))
}
