//! Votes, ballots and exchange between the invocations of a subgroup.

use agx_tgsi::{Instruction, Opcode};

use super::operands::written;
use super::program::Program;
use super::values::truth;
use crate::frontend::four;
use crate::frontend::kit::{Kit, coverage};
use crate::ir::build::alu::IntCond;
use crate::ir::{Arithmetic, Build, IrOp, Src, Type};
use agx_abi::occupancy::SUBGROUP_SIZE;

impl Program<'_> {
    /// VOTE_*, BALLOT, READ_*.
    pub fn lanes(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) {
        let zero = Src::imm32(0);
        let word = match instruction.opcode {
            Opcode::ReadFirst | Opcode::ReadInvoc => return self.read_lane(kit, instruction),
            Opcode::Ballot => {
                let is_set = self.is_set(kit, instruction);
                let lanes = ballot(kit, is_set);
                self.store(kit, instruction, [lanes, zero, zero, zero].map(Some));
                return;
            }
            Opcode::VoteAny => {
                let is_set = self.is_set(kit, instruction);
                let lanes = ballot(kit, is_set);
                kit.b.icmp(IntCond::NE, lanes, zero)
            }
            Opcode::VoteAll => {
                let is_set = self.is_set(kit, instruction);
                let is_clear = kit.b.not(is_set);
                let lanes = ballot(kit, is_clear);
                kit.b.icmp(IntCond::EQ, lanes, zero)
            }
            _ => {
                let value = self.fetch(kit, instruction, 0, 0);
                let first = first_lane(kit);
                let other = moved(kit, IrOp::Broadcast, value, first);
                let differs = kit.b.icmp(IntCond::NE, value, other);
                let lanes = ballot(kit, differs);
                kit.b.icmp(IntCond::EQ, lanes, zero)
            }
        };
        let word = truth(kit, word);
        self.replicate(kit, instruction, word);
    }

    fn is_set(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Src {
        let word = self.fetch(kit, instruction, 0, 0);
        kit.b.icmp(IntCond::NE, word, Src::imm32(0))
    }

    /// The value of the first active invocation, or of a given one.
    fn read_lane(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) {
        let Some(dst) = instruction.dsts.first() else { return };
        let (op, lane) = if instruction.opcode == Opcode::ReadFirst {
            (IrOp::Broadcast, first_lane(kit))
        } else {
            let lane = self.fetch(kit, instruction, 1, 0);
            (IrOp::ReadLane, kit.b.and(lane, Src::imm32(SUBGROUP_SIZE - 1)))
        };
        let mut value = [None; 4];
        for component in written(dst.mask) {
            let word = self.fetch(kit, instruction, 0, component);
            four::set(&mut value, component, Some(moved(kit, op, word, lane)));
        }
        self.store(kit, instruction, value);
    }
}

/// The word in which bit i is set if lane i is active, takes part and the boolean holds there.
fn ballot(kit: &mut Kit<'_, '_>, holds: Src) -> Src {
    let part = coverage::takes_part(kit);
    let holds = kit.b.and(holds, part);
    Src::value(kit.b.value(IrOp::Ballot, Type::B32, &[holds], &[]))
}

/// The number of the first active lane.
fn first_lane(kit: &mut Kit<'_, '_>) -> Src {
    let active = ballot(kit, Src::imm(1, 1));
    let negated = kit.b.ineg(active);
    let lowest = kit.b.and(active, negated);
    kit.b.most_significant_bit(lowest)
}

fn moved(kit: &mut Kit<'_, '_>, op: IrOp, value: Src, lane: Src) -> Src {
    Src::value(kit.b.value(op, Type::B32, &[value, lane], &[]))
}
