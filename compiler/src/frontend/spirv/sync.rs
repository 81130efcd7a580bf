//! Barriers and atomics.

use spirv::{MemorySemantics, Scope};

use super::pointer::{Pointer, Root};
use super::translate::Translator;
use super::types::Kind;
use super::words::Inst;
use crate::error::{CompileError, GroupError};
use crate::frontend::kit::buffers::{self, Atomic};
use crate::frontend::kit::{compute, coverage};
use crate::ir::build::alu::IntCond;
use crate::ir::builder::Builder;
use crate::ir::function::Access;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

/// How a float atomic combines the old value with its operand.
pub(super) type Combine = fn(&mut Builder<'_, '_>, Src, Src) -> Src;

impl<'a> Translator<'_, 'a> {
    /// `OpMemoryBarrier`.
    pub(super) fn memory_barrier(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let memory = self.semantics(inst.word(1)?)?;
        compute::fence(&mut self.kit, memory);
        Ok(())
    }

    /// An atomic with the fences that its semantics demand: one before it if it releases memory, one after it if it acquires
    /// memory. `order` is the operand that holds the semantics; the operand before it is the scope.
    pub(super) fn ordered(
        &mut self,
        inst: &Inst<'a>,
        order: usize,
        atomic: impl FnOnce(&mut Self, &Inst<'a>) -> Result<(), CompileError>,
    ) -> Result<(), CompileError> {
        let (scope, semantics) = (inst.word(order - 1)?, inst.word(order)?);
        let ordering = MemorySemantics::from_bits_truncate(self.constant(semantics)?);
        let alone =
            matches!(Scope::from_u32(self.constant(scope)?), Some(Scope::Subgroup | Scope::Invocation));
        let memory = if alone { Access::empty() } else { self.semantics(semantics)? };
        let both = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::SEQUENTIALLY_CONSISTENT;
        if ordering.intersects(MemorySemantics::RELEASE | both) {
            compute::fence(&mut self.kit, memory);
        }
        atomic(self, inst)?;
        if ordering.intersects(MemorySemantics::ACQUIRE | both) {
            compute::fence(&mut self.kit, memory);
        }
        Ok(())
    }

    /// `OpAtomicLoad`.
    pub(super) fn atomic_load(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let pointer = self.pointer(inst.word(2)?)?;
        let leaves = self.load(pointer, Access::VOLATILE)?;
        self.define_leaves(inst, leaves)
    }

    /// `OpAtomicStore`.
    pub(super) fn atomic_store(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let pointer = self.pointer(inst.word(0)?)?;
        let (_, data) = self.eval().value(inst.word(3)?)?;
        self.store(pointer, data, Access::VOLATILE)
    }

    /// `OpAtomicCompareExchange`.
    pub(super) fn atomic_compare_exchange(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let new = self.eval().scalar(inst.word(6)?)?;
        let expected = self.eval().scalar(inst.word(7)?)?;
        self.atomic(inst, Atomic::CompareExchange, &[new, expected])
    }

    /// `OpAtomicExchange`, also of half floats.
    pub(super) fn atomic_exchange(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        match self.is_half(inst)? {
            true => self.float_atomic(inst, |_, _, y| y),
            false => self.atomic_with_operand(inst, Atomic::Exchange),
        }
    }

    /// An atomic whose operand the instruction has.
    pub(super) fn atomic_with_operand(
        &mut self,
        inst: &Inst<'a>,
        atomic: Atomic,
    ) -> Result<(), CompileError> {
        let operand = self.eval().scalar(inst.word(5)?)?;
        self.atomic(inst, atomic, &[operand])
    }

    /// A constant operand: a scope, semantics, a cluster size.
    pub(super) fn constant(&mut self, id: u32) -> Result<u32, CompileError> {
        let value = self.eval().scalar(id)?.as_imm();
        value.map(|bits| bits as u32).ok_or_else(|| CompileError::from(GroupError::NotConstant { id }))
    }

    /// The memory that takes part.
    fn semantics(&mut self, id: u32) -> Result<Access, CompileError> {
        let semantics = MemorySemantics::from_bits_truncate(self.constant(id)?);
        let mut memory = Access::empty();
        let device = MemorySemantics::UNIFORM_MEMORY | MemorySemantics::CROSS_WORKGROUP_MEMORY;
        memory.set(Access::DEVICE, semantics.intersects(device));
        memory.set(Access::LOCAL, semantics.contains(MemorySemantics::WORKGROUP_MEMORY));
        memory.set(Access::IMAGE, semantics.contains(MemorySemantics::IMAGE_MEMORY));
        Ok(memory)
    }

    /// Loads of texels see what was done to memory through the pointer.
    pub(super) fn fence_texels(&mut self, pointer: &Pointer<'a>) {
        if pointer.texel {
            self.kit.b.effect(IrOp::FenceTexels, &[], &[1]);
        }
    }

    /// Invocations of a SIMD-group run in step, so a barrier among them only orders memory.
    pub(super) fn control_barrier(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let scope = self.constant(inst.word(0)?)?;
        let memory = self.semantics(inst.word(2)?)?;
        match Scope::from_u32(scope) {
            Some(Scope::Subgroup | Scope::Invocation) => compute::fence(&mut self.kit, memory),
            Some(Scope::Workgroup) => {
                compute::barrier(&mut self.kit, memory);
            }
            // Vulkan has no others in these stages.
            _ => return Err(GroupError::BarrierScope { scope }.into()),
        }
        Ok(())
    }

    /// An atomic on a word.
    pub(super) fn atomic(
        &mut self,
        inst: &Inst<'a>,
        atomic: Atomic,
        operands: &[Src],
    ) -> Result<(), CompileError> {
        let ty = self.eval().ty(inst.word(0)?)?;
        if !matches!(self.values.types.kind(ty), Kind::Int { bits: 32 } | Kind::Float { bits: 32 }) {
            return Err(GroupError::AtomicWidth { op: inst.op }.into());
        }
        let pointer = self.pointer(inst.word(2)?)?;
        if pointer.ty != ty || operands.iter().any(|operand| self.kit.b.f.width(*operand) != 32) {
            return Err(GroupError::AtomicType { op: inst.op }.into());
        }
        let guard = coverage::guard(&mut self.kit);
        let old = self.atomic_word(pointer, atomic, operands)?;
        let old = coverage::end_guard_with(&mut self.kit, guard, old);
        self.define_leaves(inst, &[old])
    }

    /// Exchanges what was last seen for what comes of it, until nobody else has changed it in between.
    pub(super) fn float_atomic(&mut self, inst: &Inst<'a>, combine: Combine) -> Result<(), CompileError> {
        let ty = self.eval().ty(inst.word(0)?)?;
        let bits = match self.values.types.kind(ty) {
            Kind::Float { bits: bits @ (16 | 32) } => bits,
            _ => {
                return Err(GroupError::FloatAtomicWidth { op: inst.op }.into());
            }
        };
        let mut pointer = self.pointer(inst.word(2)?)?;
        let operand = self.eval().scalar(inst.word(5)?)?;
        if pointer.ty != ty || self.kit.b.f.width(operand) != bits {
            return Err(GroupError::AtomicType { op: inst.op }.into());
        }
        let shift = if bits == 16 { Some(self.word_around(&mut pointer)) } else { None };
        let guard = coverage::guard(&mut self.kit);
        let seen = self.kit.vars.add(&[32]);
        let first = self.atomic_word(pointer, Atomic::Or, &[Src::imm32(0)])?;
        self.kit.vars.write(&self.kit.b, seen, first);
        let blocks = self.kit.b.begin_loop();
        self.kit.vars.open_loop(blocks.header);
        let expected = self.kit.vars.read(&mut self.kit.b, seen);
        let wanted = match shift {
            None => combine(&mut self.kit.b, expected, operand),
            Some(shift) => {
                let old = half_of(&mut self.kit.b, expected, shift);
                let new = combine(&mut self.kit.b, old, operand);
                with_half(&mut self.kit.b, expected, new, shift)
            }
        };
        let old = self.atomic_word(pointer, Atomic::CompareExchange, &[wanted, expected])?;
        self.kit.vars.write(&self.kit.b, seen, old);
        let is_done = self.kit.b.icmp(IntCond::EQ, old, expected);
        self.kit.b.begin_if(is_done);
        self.kit.b.jump(blocks.after);
        self.kit.b.begin_else();
        self.kit.b.end_if();
        self.kit.b.end_loop();
        self.kit.vars.close_loop(self.kit.b.f);
        let old = self.kit.vars.read(&mut self.kit.b, seen);
        let old = coverage::end_guard_with(&mut self.kit, guard, old);
        let old = shift.map_or(old, |shift| half_of(&mut self.kit.b, old, shift));
        self.define_leaves(inst, &[old])
    }

    /// Whether an atomic is on a half float.
    fn is_half(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        let ty = self.eval().ty(inst.word(0)?)?;
        Ok(matches!(self.values.types.kind(ty), Kind::Float { bits: 16 }))
    }

    /// Moves a pointer to a half word back to the word it lies in; gives the half's distance from the word's lowest bit.
    fn word_around(&mut self, pointer: &mut Pointer<'a>) -> Src {
        let fixed = Src::imm32(pointer.fixed);
        let mut offset = pointer.offset.map_or(fixed, |offset| self.kit.b.iadd(offset, fixed));
        if let Root::Buffer { base, identity: None } = pointer.root {
            // The address itself may be odd.
            let wide = self.kit.b.uconv(offset, 64);
            let address = self.kit.b.iadd(base, wide);
            offset = self.kit.b.uconv(address, 32);
            let odd = self.kit.b.and(offset, Src::imm32(2));
            let odd = self.kit.b.uconv(odd, 64);
            pointer.root = Root::Buffer { base: self.kit.b.isub(address, odd), identity: None };
            (pointer.fixed, pointer.offset) = (0, None);
        } else {
            let start = self.kit.b.and(offset, Src::imm32(!2));
            (pointer.fixed, pointer.offset) = (0, Some(start));
        }
        let odd = self.kit.b.and(offset, Src::imm32(2));
        self.kit.b.shl(odd, Src::imm32(3))
    }

    /// An atomic on the word a pointer points to; gives the old value.
    fn atomic_word(
        &mut self,
        pointer: Pointer<'a>,
        atomic: Atomic,
        operands: &[Src],
    ) -> Result<Src, CompileError> {
        let fixed = Src::imm32(pointer.fixed);
        let offset = pointer.offset.map_or(fixed, |offset| self.kit.b.iadd(offset, fixed));
        let base = match pointer.root {
            Root::Local => None,
            Root::Buffer { base, .. } => Some(base),
            _ => return Err(GroupError::NotShared.into()),
        };
        let checked = self.checked(pointer.root, offset, Type::B32);
        checked.begin(&mut self.kit);
        let old = buffers::atomic_unguarded(&mut self.kit, base, checked.offset, atomic, operands);
        let old = checked.end_with(&mut self.kit, old);
        self.fence_texels(&pointer);
        Ok(old)
    }
}

/// The half word of `word` at bit `shift`.
fn half_of(b: &mut Builder<'_, '_>, word: Src, shift: Src) -> Src {
    let moved = b.ushr(word, shift);
    b.uconv(moved, 16)
}

/// `word` with another half word at bit `shift`.
fn with_half(b: &mut Builder<'_, '_>, word: Src, half: Src, shift: Src) -> Src {
    let mask = b.shl(Src::imm32(0xffff), shift);
    let kept = b.not(mask);
    let kept = b.and(word, kept);
    let wide = b.uconv(half, 32);
    let moved = b.shl(wide, shift);
    b.or(kept, moved)
}
