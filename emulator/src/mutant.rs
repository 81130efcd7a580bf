//! Deliberately broken operations. The tests are good if one of them fails for every mutant.

use agx_isa::table::Opcode;

use crate::core::Core;
use crate::exec::{Action, Flow};
use crate::findings::Observation;
use crate::group::Group;
use crate::program::Op;
use crate::registers::lanes_of;

/// The fault of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Does nothing.
    Skip,
    /// Inverts the lowest bit of each written register.
    Flip,
    /// Swaps the first two sources of a pure operation.
    Swap,
    /// Treats the modifiers of a pure operation as 0.
    NoModifiers,
    /// Ignores sign extension, absolute value and negation of a pure operation's sources.
    NoFlags,
}

/// One broken operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// The operation.
    pub op: Opcode,
    /// Its fault.
    pub fault: Fault,
}

impl Fault {
    /// All faults.
    pub const ALL: [Fault; 5] = [Fault::Skip, Fault::Flip, Fault::Swap, Fault::NoModifiers, Fault::NoFlags];

    /// Executes the operation with the fault.
    #[cold]
    pub(crate) fn run(self, op: &Op, group: &mut Group, core: &mut Core<'_>) -> Result<Flow, Observation> {
        let exec = group.exec;
        match (self, &op.action) {
            (Fault::Skip, _) => Ok(Flow::Next),
            (Fault::Swap | Fault::NoModifiers | Fault::NoFlags, Action::Alu(alu)) => {
                alu.broken(self).run(group, core);
                Ok(Flow::Next)
            }
            (Fault::Flip, action) => {
                let flow = action.run(group, core, op.next())?;
                for half in op.strict.writes.iter().step_by(2) {
                    lanes_of(exec).for_each(|lane| group.set_half(*half, lane, group.half(*half, lane) ^ 1));
                }
                Ok(flow)
            }
            (_, action) => action.run(group, core, op.next()),
        }
    }
}
