//! Derivatives: differences between the lanes of a quad.

use agx_abi::Stage;
use agx_isa::table::Opcode;

use super::Kit;
pub use super::compute::Quads;
use crate::ir::op::mods;
use crate::ir::{Build, Src, Type};

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
    if kit.stage == Stage::Fragment {
        kit.fragment.info.needs_helpers = true;
    }
    let ty = Type::scalar(kit.b.f.width(x));
    let op = if axis == Axis::X { Opcode::Dfdx } else { Opcode::Dfdy };
    Src::value(kit.b.value(op, ty, &[x], &mods(op)))
}
