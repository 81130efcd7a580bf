//! One instruction of one SIMD-group.

use crate::core::Core;
use crate::exec::Flow;
use crate::findings::Observation;
use crate::group::Group;
use crate::program::Op;
use crate::strict;

/// Executes `op`, with the checks of strict mode if enabled. The caller updates the program counter.
#[inline]
pub(crate) fn step(
    op: &Op,
    group: &mut Group,
    core: &mut Core<'_>,
    observe: bool,
) -> Result<Flow, Observation> {
    let exec = group.exec;
    let mutant =
        core.launch.mutant.filter(|mutant| op.inst.as_ref().is_some_and(|inst| inst.op == mutant.op));
    if !observe && mutant.is_none() {
        return op.action.run(group, core, op.next());
    }
    strict::before(op, group, core);
    let flow = match mutant {
        Some(mutant) => mutant.fault.run(op, group, core)?,
        None => op.action.run(group, core, op.next())?,
    };
    strict::after(op, exec, group, core);
    Ok(flow)
}
