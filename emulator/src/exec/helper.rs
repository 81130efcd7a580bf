//! Instructions of the scratch helper program: doorbells, and mapping of blocks.

use agx_isa::inst::Inst;
use agx_isa::key;
use agx_isa::table::Opcode;

use crate::core::Core;
use crate::exec::fields::Fields;
use crate::findings::{FindingKind, Observation};
use crate::group::Group;
use crate::helper;
use crate::registers::{Dst, lanes_of};

/// Kinds of instructions of the helper program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Helper {
    Doorbell { number: u32 },
    Map { slot: u32, data: Dst },
    Unmap { slot: u32, dst: Dst },
}

impl Helper {
    /// Resolves the operands.
    pub(crate) fn new(inst: &Inst) -> Option<Helper> {
        let fields = Fields::new(inst);
        Some(match inst.op {
            Opcode::Doorbell => Helper::Doorbell { number: fields.number(key::A) },
            Opcode::Map => {
                Helper::Map { slot: fields.number(key::SLOT), data: Dst::new(fields.get(key::DATA))? }
            }
            Opcode::Unmap => {
                Helper::Unmap { slot: fields.number(key::SLOT), dst: Dst::new(fields.get(key::DST))? }
            }
            _ => return None,
        })
    }

    /// Executes the instruction, which runs in one lane.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let Some(lane) = lanes_of(group.exec).next() else { return Ok(()) };
        let state: &mut helper::Helper = core
            .helper
            .as_deref_mut()
            .ok_or(FindingKind::Unsupported("an operation of the scratch helper outside it"))?;
        match *self {
            Helper::Doorbell { number } if state.ring(number) => {}
            Helper::Doorbell { .. } => {
                return Err(FindingKind::Unsupported("a doorbell of unknown meaning").into());
            }
            Helper::Map { slot, data } => state.map(slot, group.read(data.half, data.size, lane) as u32),
            Helper::Unmap { slot, dst } => {
                let block = state.unmap(slot);
                group.write(dst, u64::from(block), lane);
            }
        }
        Ok(())
    }
}
