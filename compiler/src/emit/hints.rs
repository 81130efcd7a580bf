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

use agx_isa::desc::{Effects, Role, Unit};
use agx_isa::inst::{Halves, Inst, MAX_OPERANDS, OperandFlags, Size};
use arrayvec::ArrayVec;

use crate::ir::watch::Watch;
use crate::regalloc::file::{FILE_HALVES, HalfSet};

/// Marks the operands of a block. `may_discard` means that nothing reads a register after the block.
pub fn mark(insts: &mut [Inst], may_discard: bool, watch: &Watch) {
    let (read, read_by_alu) = (HalfSet::EMPTY, HalfSet::EMPTY);
    let mut later = Later { read, read_by_alu, discarded: [0; REGISTERS] };
    let (mut results, mut sources) = (Registers::new(), Registers::new());
    for index in (0..insts.len()).rev() {
        watch.visit(1);
        let inst = &mut insts[index];
        let is_alu = inst.op.desc().unit != Unit::None;
        gather(inst, Role::Dst, &mut results);
        gather(inst, Role::Src, &mut sources);
        if is_alu {
            hint_all(inst, &results, OperandFlags::CACHE, &later.read_by_alu);
        }
        let written = later.overwrite(inst, &results);
        if is_alu {
            hint_all(inst, &sources, OperandFlags::CACHE, &later.read_by_alu);
        }
        match (may_discard, is_alu) {
            (true, true) => later.discard(inst, index, &sources, &written),
            (true, false) => later.keep(insts, index),
            (false, _) => {}
        }
        let mut read = |halves: Halves| {
            later.read.insert_all(halves.clone());
            if is_alu {
                later.read_by_alu.insert_all(halves);
            }
        };
        // Instructions that change the mask also read registers that are not operands.
        match insts[index].op.desc().effects.contains(Effects::MASK) {
            true => insts[index].each_read(read),
            false => sources.iter().for_each(|(_, halves)| read(halves.clone())),
        }
    }
}

/// 32-bit registers of the file.
const REGISTERS: usize = FILE_HALVES as usize / 2;

/// Register operands of an instruction and the half registers that they denote.
type Registers = ArrayVec<(usize, Halves), MAX_OPERANDS>;

/// Collects into `registers` the register operands of `role`.
fn gather(inst: &Inst, role: Role, registers: &mut Registers) {
    registers.clear();
    for (operand, _) in inst.op.desc().with_role(role) {
        if let Some(halves) = inst.operand_halves(operand) {
            registers.push((operand, halves));
        }
    }
}

/// Gives `hint` to the operands that lie within `set` and can carry it.
fn hint_all(inst: &mut Inst, operands: &Registers, hint: OperandFlags, set: &HalfSet) {
    if set.is_empty() {
        return;
    }
    let within = operands.iter().filter(|(_, halves)| set.has_all(halves));
    for operand in within.map(|(operand, _)| *operand) {
        let desc = &inst.op.desc().operands[operand];
        if desc.kind.takes_hint(&inst.operands[operand], hint, desc.width()) {
            inst.operands[operand].flags |= hint;
        }
    }
}

/// Facts about the instructions after the current one.
struct Later {
    /// Half registers that are read before they are written.
    read: HalfSet,
    /// The same, for reads by ALU instructions.
    read_by_alu: HalfSet,
    /// The index of the instruction that discards each 32-bit register, plus one; 0 for none.
    discarded: [u32; REGISTERS],
}

impl Later {
    /// Removes the results of `inst` from the registers read later. Returns them.
    fn overwrite(&mut self, inst: &Inst, results: &Registers) -> HalfSet {
        let mut written = HalfSet::EMPTY;
        let mut overwrite = |halves: Halves| {
            self.read.remove_all(halves.clone());
            self.read_by_alu.remove_all(halves.clone());
            // Only whole registers: the other half may have been live before.
            let registers =
                usize::from(halves.start.div_ceil(2))..usize::from(halves.end.min(FILE_HALVES) / 2);
            if let Some(discarded) = self.discarded.get_mut(registers) {
                discarded.fill(0);
            }
            written.insert_all(halves);
        };
        // Calls and changes of the mask also write registers that are not operands.
        match inst.op.desc().effects.intersects(Effects::MASK | Effects::JUMP) {
            true => inst.each_written(overwrite),
            false => results.iter().for_each(|(_, halves)| overwrite(halves.clone())),
        }
        written
    }

    /// Discards the 32-bit sources that nothing reads later, unless the instruction overwrites them itself.
    fn discard(&mut self, inst: &mut Inst, index: usize, sources: &Registers, written: &HalfSet) {
        for (operand, halves) in sources {
            let (operand, half) = (*operand, usize::from(halves.start));
            let is_last = !self.read.has_any(halves) && !written.has_any(halves);
            if is_last && inst.operands[operand].size == Size::B32 && halves.len() == 2 {
                let before = inst.operands[operand];
                hint_one(inst, operand);
                if inst.operands[operand] != before {
                    self.discarded[half / 2] = index as u32 + 1;
                }
            }
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

/// Sets the discard hint of source `operand` if its encoding has one.
fn hint_one(inst: &mut Inst, operand: usize) {
    let desc = &inst.op.desc().operands[operand];
    if desc.kind.takes_hint(&inst.operands[operand], OperandFlags::DISCARD, desc.width()) {
        inst.operands[operand].flags |= OperandFlags::DISCARD;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_isa::asm::parse_inst;

    /// The instructions of a block with their hints.
    fn marked(texts: &[&str], may_discard: bool) -> Vec<String> {
        let mut insts: Vec<Inst> = texts.iter().map(|text| parse_inst(text).unwrap()).collect();
        mark(&mut insts, may_discard, &Watch::default());
        insts.iter().map(ToString::to_string).collect()
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
