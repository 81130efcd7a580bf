//! Barriers and atomics.

use agx_isa::table::names::ATOMICS;
use spirv::{MemorySemantics, Op, Scope};

use super::module::Def;
use super::pointers::{Pointer, Root};
use super::translate::Translator;
use super::types::{Kind, Ty};
use super::words::Inst;
use crate::error::CompileError;
use crate::frontend::kit::coverage;
use crate::ir::build::alu::IntCond;
use crate::ir::builder::Builder;
use crate::ir::function::Access;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;

/// Atomics that give back the old value: the hardware's name and the constant operand, where the operand is implied.
const ATOMIC_TABLE: &[(Op, &str, Option<u32>)] = &[
    (Op::AtomicExchange, "xchg", None),
    (Op::AtomicIIncrement, "add", Some(1)),
    (Op::AtomicIDecrement, "add", Some(u32::MAX)),
    (Op::AtomicIAdd, "add", None),
    (Op::AtomicISub, "sub", None),
    (Op::AtomicSMin, "imin", None),
    (Op::AtomicUMin, "umin", None),
    (Op::AtomicSMax, "imax", None),
    (Op::AtomicUMax, "umax", None),
    (Op::AtomicAnd, "and", None),
    (Op::AtomicOr, "or", None),
    (Op::AtomicXor, "xor", None),
];

/// How a float atomic combines the old value with its operand.
type Combine = fn(&mut Builder<'_, '_>, Src, Src) -> Src;

/// Atomics on floats, which the machine does not have.
const FLOAT_ATOMICS: &[(Op, Combine)] = &[
    (Op::AtomicFAddEXT, |b, x, y| b.fadd(x, y)),
    (Op::AtomicFMinEXT, |b, x, y| b.fmin(x, y)),
    (Op::AtomicFMaxEXT, |b, x, y| b.fmax(x, y)),
];

/// The hardware's code of an atomic.
fn atomic_code(name: &str) -> u32 {
    ATOMICS.iter().position(|known| *known == name).expect("invariant: the hardware has the atomic") as u32
}

impl<'a> Translator<'_, 'a> {
    /// Translates barriers, atomics and operations across lanes; false for other instructions.
    pub(super) fn synchronize(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        match inst.op {
            Op::ControlBarrier => self.control_barrier(inst)?,
            Op::MemoryBarrier => {
                let memory = self.semantics(inst.word(1)?)?;
                self.fence(memory);
            }
            Op::AtomicLoad => {
                let pointer = self.pointer(inst.word(2)?)?;
                let leaves = self.load(pointer, Access::VOLATILE)?;
                let ty = self.eval().ty(inst.word(0)?)?;
                let leaves = self.eval().checked(ty, leaves)?;
                self.define(inst.word(1)?, Def::Value(ty, leaves))?;
            }
            Op::AtomicStore => {
                let pointer = self.pointer(inst.word(0)?)?;
                let (_, data) = self.eval().value(inst.word(3)?)?;
                self.store(pointer, data, Access::VOLATILE)?;
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                let new = self.eval().scalar(inst.word(6)?)?;
                let expected = self.eval().scalar(inst.word(7)?)?;
                self.atomic(inst, "cmpxchg", &[new, expected])?;
            }
            Op::AtomicExchange if self.is_half(inst)? => self.float_atomic(inst, |_, _, y| y)?,
            op => match ATOMIC_TABLE.iter().find(|(known, ..)| *known == op) {
                Some((_, name, implied)) => {
                    let operand = match implied {
                        Some(number) => Src::imm32(*number),
                        None => self.eval().scalar(inst.word(5)?)?,
                    };
                    self.atomic(inst, name, &[operand])?;
                }
                None => match FLOAT_ATOMICS.iter().find(|(known, _)| *known == op) {
                    Some((_, combine)) => self.float_atomic(inst, *combine)?,
                    None => return self.lanes(inst),
                },
            },
        }
        Ok(true)
    }

    /// A constant operand: a scope, semantics, a cluster size.
    pub(super) fn constant(&mut self, id: u32) -> Result<u32, CompileError> {
        let value = self.eval().scalar(id)?.as_imm();
        value
            .map(|bits| bits as u32)
            .ok_or_else(|| CompileError::invalid("a scope or semantics is not constant"))
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

    fn fence(&mut self, memory: Access) {
        if !memory.is_empty() {
            self.kit.b.effect(IrOp::FenceMemory, &[], &[memory.bits()]);
        }
    }

    /// Invocations of a SIMD-group run in step, so a barrier among them only orders memory.
    fn control_barrier(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let scope = self.constant(inst.word(0)?)?;
        let memory = self.semantics(inst.word(2)?)?;
        match Scope::from_u32(scope) {
            Some(Scope::Subgroup | Scope::Invocation) => self.fence(memory),
            Some(Scope::Workgroup) => {
                self.kit.memory.uses_barrier = true;
                self.kit.b.effect(IrOp::ControlBarrier, &[], &[memory.bits()]);
            }
            // Vulkan has no others in these stages.
            _ => return Err(CompileError::invalid(format!("a barrier of execution scope {scope}"))),
        }
        Ok(())
    }

    fn atomic(&mut self, inst: &Inst<'a>, name: &str, operands: &[Src]) -> Result<(), CompileError> {
        let ty = self.eval().ty(inst.word(0)?)?;
        if !matches!(self.types.kind(ty), Kind::Int { bits: 32 } | Kind::Float { bits: 32 }) {
            return Err(CompileError::unsupported(
                "atomics on other than 32-bit words: the machine's atomics have 32 bits",
            ));
        }
        let pointer = self.pointer(inst.word(2)?)?;
        if pointer.ty != ty || operands.iter().any(|operand| self.kit.b.f.width(*operand) != 32) {
            return Err(CompileError::invalid("the operands are not of the type pointed to"));
        }
        let guard = coverage::guard(&mut self.kit);
        let old = self.atomic_word(pointer, atomic_code(name), operands)?;
        let old = coverage::end_guard_with(&mut self.kit, guard, old);
        self.define_scalar(inst, ty, old)
    }

    /// Exchanges what was last seen for what comes of it, until nobody else has changed it in between.
    fn float_atomic(&mut self, inst: &Inst<'a>, combine: Combine) -> Result<(), CompileError> {
        let ty = self.eval().ty(inst.word(0)?)?;
        let bits = match self.types.kind(ty) {
            Kind::Float { bits: bits @ (16 | 32) } => bits,
            _ => {
                return Err(CompileError::unsupported(
                    "float atomics on other than 16 and 32 bits: the machine exchanges at most 32 bits at once",
                ));
            }
        };
        let mut pointer = self.pointer(inst.word(2)?)?;
        let operand = self.eval().scalar(inst.word(5)?)?;
        if pointer.ty != ty || self.kit.b.f.width(operand) != bits {
            return Err(CompileError::invalid("the operands are not of the type pointed to"));
        }
        let shift = if bits == 16 { Some(self.word_around(&mut pointer)) } else { None };
        let guard = coverage::guard(&mut self.kit);
        let seen = self.kit.vars.add(&[32]);
        let first = self.atomic_word(pointer, atomic_code("or"), &[Src::imm32(0)])?;
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
        let old = self.atomic_word(pointer, atomic_code("cmpxchg"), &[wanted, expected])?;
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
        self.define_scalar(inst, ty, old)
    }

    /// Whether an atomic is on a half float.
    fn is_half(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        let ty = self.eval().ty(inst.word(0)?)?;
        Ok(matches!(self.types.kind(ty), Kind::Float { bits: 16 }))
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

    fn define_scalar(&mut self, inst: &Inst<'a>, ty: Ty, scalar: Src) -> Result<(), CompileError> {
        let leaves = self.bump.alloc_slice_copy(&[scalar]);
        let leaves = self.eval().checked(ty, leaves)?;
        self.define(inst.word(1)?, Def::Value(ty, leaves))
    }

    /// An atomic on the word a pointer points to; gives the old value.
    fn atomic_word(
        &mut self,
        pointer: Pointer<'a>,
        code: u32,
        operands: &[Src],
    ) -> Result<Src, CompileError> {
        let fixed = Src::imm32(pointer.fixed);
        let offset = pointer.offset.map_or(fixed, |offset| self.kit.b.iadd(offset, fixed));
        let mut srcs = Vec::with_capacity(4);
        let op = match pointer.root {
            Root::Local => IrOp::AtomicLocal,
            Root::Buffer { base, .. } => {
                self.kit.memory.writes_memory = true;
                srcs.push(base);
                IrOp::AtomicGlobal
            }
            _ => return Err(CompileError::invalid("an atomic on memory that is not shared")),
        };
        srcs.push(offset);
        srcs.push(self.kit.b.collect(Type::vector(32, operands.len() as u8), operands));
        let old = self.kit.b.value(op, Type::B32, &srcs, &[code]);
        self.fence_texels(&pointer);
        Ok(Src::value(old))
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
