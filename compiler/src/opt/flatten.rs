//! Decides which ifs `opt_simplify_control` converts to selects: those with few results and short arms without effects.

use crate::ir::{Block, Function, InstData, IrOp, Op, has_left};

/// Maximum cost, in about the cycles of a select, of both arms of an if that is flattened.
const BUDGET: u32 = 32;
/// Maximum number of phis of an if that become selects.
const MOST_PHIS: usize = 16;

/// Whether both arms of an if should be executed unconditionally.
pub(super) fn can_flatten(f: &Function<'_>, arms: [Block; 2], join: Block) -> bool {
    let phis = &f.block(join).insts[..f.phi_count(join)];
    if phis.len() > MOST_PHIS || arms.iter().any(|arm| has_left(f, *arm)) {
        return false;
    }
    let becomes_select = |phi: &InstData<'_>| {
        let select = InstData { op: IrOp::Select.into(), ..*phi };
        phi.dst().is_some_and(|dst| f.ty(dst).comps == 1) && !f.removed.contain(f, &select)
    };
    phis.iter().all(|phi| becomes_select(&f.insts[*phi])) && are_cheap(f, arms)
}

/// Whether both arms together are within the budget.
fn are_cheap(f: &Function<'_>, arms: [Block; 2]) -> bool {
    let mut insts = arms.iter().flat_map(|arm| &f.block(*arm).insts);
    insts
        .try_fold(0, |total, inst| {
            cost(&f.insts[*inst]).map(|cost| total + cost).filter(|total| *total <= BUDGET)
        })
        .is_some()
}

/// Whether an instruction of an arm takes the condition of the arm when the if becomes selects.
pub(super) fn takes_condition(data: &InstData<'_>) -> bool {
    matches!(data.op, Op::Ir(IrOp::Discard | IrOp::Retire))
}

/// The approximate cost of an instruction in cycles; `None` if it must not run unless its arm is taken.
fn cost(data: &InstData<'_>) -> Option<u32> {
    if takes_condition(data) {
        // It is combined with the condition of its arm.
        return Some(2);
    }
    data.is_speculatable().then(|| data.op.cycles())
}
