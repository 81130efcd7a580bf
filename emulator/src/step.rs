//! One instruction of one SIMD-group.

use crate::core::Core;
use crate::exec::Flow;
use crate::findings::Observation;
use crate::group::Group;
use crate::program::Op;
use crate::strict;

/// Executes `op`, with strict mode's observations when asked for. The program counter is the caller's to move.
#[inline]
pub(crate) fn step(
    op: &Op,
    group: &mut Group,
    core: &mut Core<'_>,
    observe: bool,
) -> Result<Flow, Observation> {
    let exec = group.exec;
    if !observe {
        return op.action.run(group, core, op.next());
    }
    strict::before(op, group, core);
    let flow = op.action.run(group, core, op.next())?;
    strict::after(op, exec, group, core);
    Ok(flow)
}
