//! Register-cache hints: which ALU operands are reused soon, and which are never read again.
//!
//! Hints are computed during emission, where registers are final and operands are the hardware's: IR values
//! carry no hints, and instructions no longer move.
//!
//! *cache* marks results and sources that a later ALU instruction of the block reads. *discard* drops a value
//! without writing it to the register file. It marks the last read of a 32-bit register, and only in
//! single-block programs after which nothing runs: the values of inactive lanes must survive, and so must
//! values that another part of the program reads. A value that an instruction outside the ALU reads, such as
//! a store in flight, is never discarded. A source has at most one hint (the hints: applegpu; no discards
//! under divergent control flow: Mesa).

use agx_isa::desc::{OperandDesc, Role, Unit};
use agx_isa::inst::{Halves, Inst, OperandFlags, Size};

use crate::ir::watch::Watch;
use crate::regalloc::file::{FILE_HALVES, HalfSet};

/// Marks the operands of a block. `may_discard` means that nothing reads a register after the block.
pub fn mark(insts: &mut [Inst], may_discard: bool, watch: &Watch) {
    if may_discard {
        Later::<true>::default().mark(insts, watch);
    } else {
        Later::<false>::default().mark(insts, watch);
    }
}

/// 32-bit registers of the file.
const REGISTERS: usize = FILE_HALVES as usize / 2;

/// Gives `hint` to a register operand if its encoding has one; returns whether it does.
#[inline]
fn hint(inst: &mut Inst, operand: usize, desc: &OperandDesc, hint: OperandFlags) -> bool {
    let takes_it = desc.kind.takes_hint(&inst.operands[operand], hint, desc.width());
    if takes_it {
        inst.operands[operand].flags |= hint;
    }
    takes_it
}

/// Facts about the instructions after the current one. Those that only discards need are kept if it `DISCARDS`.
struct Later<const DISCARDS: bool> {
    /// Half registers that are read before they are written, for discards.
    read: HalfSet,
    /// Half registers that ALU instructions read before they are written.
    read_by_alu: HalfSet,
    /// The index of the instruction that discards each 32-bit register, plus one; 0 for none.
    discarded: [u32; REGISTERS],
}

impl<const DISCARDS: bool> Default for Later<DISCARDS> {
    fn default() -> Self {
        Later { read: HalfSet::EMPTY, read_by_alu: HalfSet::EMPTY, discarded: [0; REGISTERS] }
    }
}

impl<const DISCARDS: bool> Later<DISCARDS> {
    /// Marks the operands of a block.
    fn mark(mut self, insts: &mut [Inst], watch: &Watch) {
        for index in (0..insts.len()).rev() {
            watch.visit(1);
            let inst = &mut insts[index];
            if inst.op.desc().unit != Unit::None {
                self.hint_alu(inst, index);
                continue;
            }
            // Calls and changes of the mask also access registers that are not operands.
            inst.each_written(|halves| self.overwrite(halves));
            if DISCARDS {
                self.keep(insts, index);
                insts[index].each_read(|halves| self.read.insert_all(halves));
            }
        }
    }

    /// Marks the operands of an ALU instruction, which has this index and accesses no other registers.
    fn hint_alu(&mut self, inst: &mut Inst, index: usize) {
        let (mut written, mut read) = (HalfSet::EMPTY, HalfSet::EMPTY);
        for (operand, desc) in inst.op.desc().with_role(Role::Dst) {
            let Some(halves) = inst.halves_of(operand, desc) else { continue };
            if self.read_by_alu.has_all(&halves) {
                hint(inst, operand, desc, OperandFlags::CACHE);
            }
            if DISCARDS {
                written.insert_all(halves.clone());
            }
            self.overwrite(halves);
        }
        for (operand, desc) in inst.op.desc().with_role(Role::Src) {
            let Some(halves) = inst.halves_of(operand, desc) else { continue };
            if self.read_by_alu.has_all(&halves) {
                hint(inst, operand, desc, OperandFlags::CACHE);
            }
            if DISCARDS && !written.has_any(&halves) {
                self.discard(inst, index, operand, desc, &halves);
            }
            read.insert_all(halves);
        }
        self.read_by_alu.join(&read);
        if DISCARDS {
            self.read.join(&read);
        }
    }

    /// Discards a source of instruction `index` if it is a 32-bit register that nothing reads later.
    fn discard(
        &mut self,
        inst: &mut Inst,
        index: usize,
        operand: usize,
        desc: &OperandDesc,
        halves: &Halves,
    ) {
        let is_whole = inst.operands[operand].size == Size::B32 && halves.len() == 2;
        let is_last = is_whole && !self.read.has_any(halves);
        if is_last && hint(inst, operand, desc, OperandFlags::DISCARD) {
            self.discarded[usize::from(halves.start) / 2] = index as u32 + 1;
        }
    }

    /// Removes registers that are written from those read later.
    fn overwrite(&mut self, halves: Halves) {
        self.read_by_alu.remove_all(halves.clone());
        if !DISCARDS {
            return;
        }
        self.read.remove_all(halves.clone());
        // Only whole registers: the other half may have been live before.
        let registers = usize::from(halves.start.div_ceil(2))..usize::from(halves.end.min(FILE_HALVES) / 2);
        if let Some(discarded) = self.discarded.get_mut(registers) {
            discarded.fill(0);
        }
    }

    /// Removes later discards of registers that instruction `index` reads.
    fn keep(&mut self, insts: &mut [Inst], index: usize) {
        let (earlier, rest) = insts.split_at_mut(index + 1);
        earlier[index].each_read(|halves| {
            for half in halves.filter(|half| *half < FILE_HALVES) {
                let by = std::mem::take(&mut self.discarded[usize::from(half) / 2]) as usize;
                // The discarding instruction comes later.
                let Some(inst) = by.checked_sub(index + 2).map(|after| &mut rest[after]) else { continue };
                for (operand, _) in inst.op.desc().with_role(Role::Src) {
                    if inst.operand_halves(operand).is_some_and(|halves| halves.contains(&half)) {
                        inst.operands[operand].flags.remove(OperandFlags::DISCARD);
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_isa::asm::parse_inst;
    use agx_isa::desc::Effects;
    use agx_isa::table::Opcode;

    /// The instructions of a block with their hints.
    fn marked(texts: &[&str], may_discard: bool) -> Vec<String> {
        let mut insts: Vec<Inst> = texts.iter().map(|text| parse_inst(text).unwrap()).collect();
        mark(&mut insts, may_discard, &Watch::default());
        insts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn alu_instructions_access_their_operands_alone() {
        let is_alu = |op: &&Opcode| op.desc().unit != Unit::None;
        for op in Opcode::ALL.iter().filter(is_alu) {
            assert!(!op.desc().effects.contains(Effects::MASK), "{}", op.name());
            assert!(!matches!(op, Opcode::Call | Opcode::CallReg));
        }
    }

    #[test]
    fn reused_alu_sources_are_cached_and_the_last_read_discards() {
        let texts = ["fadd r1, r2, r3", "fadd r4, r1, r2", "fadd r5, r4, r1"];
        let hinted = [
            "fadd r1.cache, r2.cache, r3.discard",
            "fadd r4.cache, r1.cache, r2.discard",
            "fadd r5, r4.discard, r1.discard",
        ];
        assert_eq!(marked(&texts, true), hinted);
        let without = ["fadd r1.cache, r2.cache, r3", "fadd r4.cache, r1.cache, r2", "fadd r5, r4, r1"];
        assert_eq!(marked(&texts, false), without);
    }

    #[test]
    fn values_with_other_readers_are_not_discarded() {
        let texts = ["store.i32.x r2, u0_u1, 0", "fadd r4, r2, r3", "store.i32.x r3, u0_u1, 1"];
        assert_eq!(marked(&texts, true)[1], "fadd r4, r2, r3");
        let texts = ["fadd r2, r2, r3", "mov r3, 0", "fadd r5, r2h, r3"];
        assert_eq!(
            marked(&texts, true)[0],
            "fadd r2, r2, r3.discard",
            "half of r2 is read later, and r2 is written"
        );
    }
}
