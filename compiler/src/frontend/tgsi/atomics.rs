//! Atomic operations on buffers, shared memory and images.

use agx_tgsi::{Instruction, Opcode};

use super::memory::{Named, Words, coordinates, image, is_image};
use super::program::Program;
use crate::error::CompileError;
use crate::frontend::kit::buffers::{Atomic, atomic_unguarded};
use crate::frontend::kit::{Kit, coverage, images};
use crate::ir::build::alu::IntCond;
use crate::ir::{Arithmetic, Build, IrOp, Src};

/// A word in memory: the address of a buffer, or `None` for shared memory, and the byte offset.
#[derive(Clone, Copy)]
struct Word {
    base: Option<Src>,
    offset: Src,
    /// Whether the word is a texel, so that texel loads must see writes.
    is_texel: bool,
    /// Whether the texel is in its image, if that matters.
    is_inside: Option<Src>,
}

impl Program<'_> {
    /// ATOM*.
    ///
    /// # Errors
    /// Memory and images that do not exist.
    pub fn atomic(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        let Some(src) = instruction.srcs.first() else { return Ok(()) };
        let named = Named { file: src.file, dimension: src.dimension, index: src.index };
        let number = self.resource_number(kit, named);
        let count = self.declared(named.file);
        let at = self.fetch_all(kit, instruction, 1);
        let operands = [2, 3].map(|operand| self.fetch(kit, instruction, operand, 0));
        let result = kit.vars.add(&[32]);
        kit.vars.write(&kit.b, result, Src::imm32(0));
        for (unit, is_here) in self.choices(kit, number, count) {
            if let Some(is_here) = is_here {
                kit.b.begin_if(is_here);
            }
            let word = self.word(kit, instruction, named, unit, at)?;
            if let Some(is_inside) = word.is_inside {
                kit.b.begin_if(is_inside);
            }
            let guard = coverage::guard(kit);
            let old = update(kit, instruction.opcode, word, operands);
            if word.is_texel {
                kit.b.effect(IrOp::FenceTexels, &[], &[0]);
            }
            let old = coverage::end_guard_with(kit, guard, old);
            kit.vars.write(&kit.b, result, old);
            for _ in word.is_inside.iter().chain(&is_here) {
                kit.b.begin_else();
                kit.b.end_if();
            }
        }
        let old = kit.vars.read(&mut kit.b, result);
        self.replicate(kit, instruction, old);
        Ok(())
    }

    fn word(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        named: Named,
        unit: u32,
        at: [Src; 4],
    ) -> Result<Word, CompileError> {
        if !is_image(named.file) {
            let Words { buffer, offset } = self.words(kit, instruction, named, unit, at[0])?;
            return Ok(Word { base: buffer.address(), offset, is_texel: false, is_inside: None });
        }
        let shape = self.image_shape(unit, instruction.memory.as_ref())?;
        let (coords, sample) = coordinates(shape, at);
        let place = (coords.as_slice(), sample.unwrap_or(Src::imm32(0)));
        let is_inside = images::is_inside(kit, image(unit), shape, place);
        let (base, offset) = images::texel_address(kit, image(unit), shape, place);
        Ok(Word { base: Some(base), offset, is_texel: true, is_inside })
    }
}

/// Performs the operation on a word; returns the old value.
fn update(kit: &mut Kit<'_, '_>, opcode: Opcode, word: Word, [operand, other]: [Src; 2]) -> Src {
    let atomic = match opcode {
        Opcode::Atomuadd => Atomic::Add,
        Opcode::Atomxchg => Atomic::Exchange,
        Opcode::Atomand => Atomic::And,
        Opcode::Atomor => Atomic::Or,
        Opcode::Atomxor => Atomic::Xor,
        Opcode::Atomumin => Atomic::Umin,
        Opcode::Atomumax => Atomic::Umax,
        Opcode::Atomimin => Atomic::Imin,
        Opcode::Atomimax => Atomic::Imax,
        // The new word comes first, then the comparand.
        Opcode::Atomcas => {
            return atomic_unguarded(kit, word.base, word.offset, Atomic::CompareExchange, &[other, operand]);
        }
        _ => return exchange(kit, opcode, word, operand),
    };
    atomic_unguarded(kit, word.base, word.offset, atomic, &[operand])
}

/// Operations that the hardware lacks: a compare-and-exchange loop, repeated until no other invocation
/// changed the word in between.
fn exchange(kit: &mut Kit<'_, '_>, opcode: Opcode, word: Word, operand: Src) -> Src {
    let seen = kit.vars.add(&[32]);
    let first = atomic_unguarded(kit, word.base, word.offset, Atomic::Or, &[Src::imm32(0)]);
    kit.vars.write(&kit.b, seen, first);
    let blocks = kit.b.begin_loop();
    kit.vars.open_loop(blocks.header);
    let expected = kit.vars.read(&mut kit.b, seen);
    let wanted = updated(kit, opcode, expected, operand);
    let old = atomic_unguarded(kit, word.base, word.offset, Atomic::CompareExchange, &[wanted, expected]);
    kit.vars.write(&kit.b, seen, old);
    let is_done = kit.b.icmp(IntCond::EQ, old, expected);
    kit.b.begin_if(is_done);
    kit.b.jump(blocks.after);
    kit.b.begin_else();
    kit.b.end_if();
    kit.b.end_loop();
    kit.vars.close_loop(kit.b.f);
    kit.vars.read(&mut kit.b, seen)
}

/// The new value of a word.
fn updated(kit: &mut Kit<'_, '_>, opcode: Opcode, old: Src, operand: Src) -> Src {
    let one = Src::imm32(1);
    match opcode {
        Opcode::Atomfadd => kit.b.fadd(old, operand),
        Opcode::AtomincWrap => {
            let next = kit.b.iadd(old, one);
            let is_last = kit.b.icmp(IntCond::UGE, old, operand);
            kit.b.select(is_last, Src::imm32(0), next)
        }
        _ => {
            let previous = kit.b.isub(old, one);
            // 0 and values above the operand both wrap: 0 - 1 is above everything.
            let wraps = kit.b.icmp(IntCond::UGE, previous, operand);
            kit.b.select(wraps, operand, previous)
        }
    }
}
