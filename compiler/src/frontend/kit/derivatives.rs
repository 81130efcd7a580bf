//! Derivatives: differences between the lanes of a quad.

use agx_abi::Stage;
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;

pub use super::compute::Quads;
use super::{Kit, compute};
use crate::ir::build::alu::IntCond;
use crate::ir::op::mods;
use crate::ir::{Arithmetic, Build, IrOp, Src, Type};

/// A direction in a quad.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    /// To the right.
    X,
    /// Down.
    Y,
}

/// Whether the stage has quads for derivatives.
pub fn has_quads(kit: &Kit<'_, '_>) -> bool {
    match kit.stage {
        Stage::Fragment => true,
        Stage::Compute => kit.compute.quads.is_some(),
        Stage::Vertex => false,
    }
}

/// The derivative of a float in a direction, in a stage that has quads.
pub fn derivative(kit: &mut Kit<'_, '_>, axis: Axis, x: Src) -> Src {
    let ty = Type::scalar(kit.b.f.width(x));
    if kit.stage == Stage::Fragment {
        kit.fragment.info.needs_helpers = true;
        let op = if axis == Axis::X { Opcode::Dfdx } else { Opcode::Dfdy };
        return Src::value(kit.b.value(op, ty, &[x], &mods(op)));
    }
    let bit = Src::imm32(if axis == Axis::X { 1 } else { 2 });
    let other = Src::value(kit.b.value(IrOp::ReadLaneXor, ty, &[x, bit], &[]));
    let difference = kit.b.fsub(other, x);
    let lane = compute::register(kit, Sr::THREAD_INDEX);
    let own = kit.b.and(lane, bit);
    let is_first = kit.b.icmp(IntCond::EQ, own, Src::imm32(0));
    let opposite = kit.b.fneg(difference);
    kit.b.select(is_first, difference, opposite)
}
