//! Decides which ifs `opt_simplify_control` converts to selects: those with short arms without effects, if the selects take no
//! more instructions than the construct.

use crate::ir::{Block, Function, InstData, IrOp, Op, Src, has_left};

/// Maximum cost, in about the cycles of a select, of both arms of an if that is flattened.
const BUDGET: u32 = 32;
/// Maximum number of phis of an if that become selects.
const MOST_PHIS: usize = 16;
/// Instructions of an if without its arms: its begin, else and end, and its share in setting up the execution mask.
const CONSTRUCT_COST: usize = 5;
/// The same if all lanes take the same arm, and skip the other one.
const UNIFORM_CONSTRUCT_COST: usize = 2;

/// Whether both arms of an if should be executed unconditionally. `resolve` gives the block that a source of a phi comes
/// from.
pub(super) fn can_flatten(
    f: &Function<'_>,
    condition: Src,
    arms: [Block; 2],
    join: Block,
    resolve: impl Fn(Block) -> Block,
) -> bool {
    let phis = &f.block(join).insts[..f.phi_count(join)];
    if phis.len() > MOST_PHIS || arms.iter().any(|arm| has_left(f, *arm)) {
        return false;
    }
    let becomes_select = |phi: &InstData<'_>| {
        let select = InstData { op: IrOp::Select.into(), ..*phi };
        phi.dst().is_some_and(|dst| f.ty(dst).comps == 1) && !f.removed.contain(f, &select)
    };
    phis.iter().all(|phi| becomes_select(&f.insts[*phi])) && are_cheap(f, arms) && {
        let inputs = phis.iter().filter_map(|phi| {
            let from = |arm| f.insts[*phi].phi_inputs().find(|(block, _)| resolve(*block) == arm);
            Some([from(arms[0])?.1, from(arms[1])?.1])
        });
        let construct = if is_uniform(f, condition) { UNIFORM_CONSTRUCT_COST } else { CONSTRUCT_COST };
        selects_pay(f, arms, inputs, construct)
    }
}

/// Whether a condition depends on uniform registers and constants only.
fn is_uniform(f: &Function<'_>, condition: Src) -> bool {
    match f.def(condition) {
        Some(data) => data.is_speculatable() && data.srcs.iter().all(|src| src.as_value().is_none()),
        None => condition.as_uniform().is_some(),
    }
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

/// Whether the selects take at most as many instructions as the construct and the copies that it needs instead.
fn selects_pay(
    f: &Function<'_>,
    arms: [Block; 2],
    inputs: impl Iterator<Item = [Src; 2]>,
    construct: usize,
) -> bool {
    let (mut selects, mut copies) = (0, 0);
    for [x, y] in inputs.filter(|[x, y]| x != y) {
        selects += 1;
        let is_computed = |src: Src, arm: Block| {
            let def = src.as_value().and_then(|value| f.values[value].def);
            def.is_some_and(|def| f.block(arm).insts.contains(&def))
        };
        // What an arm computes is in the right register, and so may be one value from before.
        let is_there = [is_computed(x, arms[0]), is_computed(y, arms[1])];
        let is_value = [x, y].map(|src| src.as_value().is_some());
        copies += match is_there {
            [true, true] => 0,
            [true, false] => usize::from(!is_value[1]),
            [false, true] => usize::from(!is_value[0]),
            [false, false] => 2 - usize::from(is_value[0] || is_value[1]),
        };
    }
    selects <= construct + copies
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
