//! Buffers and workgroup memory: loads, stores and atomics of 32-bit words, and vectors of constant buffers.

use agx_abi::UniformSource;
use agx_isa::table::names::ATOMICS;

use super::{Kit, coverage};
use crate::ir::{Access, Arithmetic, Build, IrOp, Src, Type};

/// Bytes of a vector of four words.
const VECTOR_BYTES: u32 = 16;

/// Memory that a shader reads or writes.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// 64-bit address; none of workgroup memory.
    base: Option<Src>,
    access: Access,
    binding: (u32, u32),
}

impl Buffer {
    /// A buffer of constants: nobody writes it while the shader runs. All that is read of it must be there, because loads may be
    /// moved before the conditions under which they are reached.
    pub fn uniform(kit: &mut Kit<'_, '_>, set: u32, binding: u32) -> Buffer {
        Buffer { access: Access::READONLY | Access::SPECULATABLE, ..Buffer::storage(kit, set, binding) }
    }

    /// A buffer that is read and written.
    pub fn storage(kit: &mut Kit<'_, '_>, set: u32, binding: u32) -> Buffer {
        let source = UniformSource::BufferAddress { set, binding, element: 0 };
        let base = kit.uniforms.get(source, 0, 64);
        Buffer { base: Some(base), access: Access::empty(), binding: (set, binding) }
    }

    /// The workgroup's memory, of which the first `bytes` bytes are used.
    pub fn local(kit: &mut Kit<'_, '_>, bytes: u32) -> Buffer {
        kit.memory.local_bytes = kit.memory.local_bytes.max(bytes);
        Buffer { base: None, access: Access::empty(), binding: (0, 0) }
    }

    /// The same memory, of which every access is ordered and none is merged with another.
    pub fn volatile(self) -> Buffer {
        Buffer { access: Access::VOLATILE, ..self }
    }

    /// The 64-bit address; none of workgroup memory.
    pub(crate) fn address(self) -> Option<Src> {
        self.base
    }

    /// Size in bytes, 32 bits; 0 of workgroup memory.
    pub fn size(self, kit: &mut Kit<'_, '_>) -> Src {
        let (set, binding) = self.binding;
        match self.base {
            Some(_) => kit.uniforms.get(UniformSource::BufferSize { set, binding, element: 0 }, 0, 32),
            None => Src::imm32(0),
        }
    }
}

/// The greatest power of two, up to a vector's bytes, that divides `offset`; a word's where it is not known.
fn alignment(offset: Src) -> u32 {
    match offset.as_imm() {
        Some(0) => VECTOR_BYTES,
        Some(offset) => (1 << offset.trailing_zeros().min(4)).min(VECTOR_BYTES),
        None => 4,
    }
}

/// `count` words, at most 4, from byte `offset` on.
pub fn load(kit: &mut Kit<'_, '_>, from: Buffer, offset: Src, count: u8) -> Vec<Src> {
    load_aligned(kit, from, offset, count, alignment(offset))
}

fn load_aligned(kit: &mut Kit<'_, '_>, from: Buffer, offset: Src, count: u8, align: u32) -> Vec<Src> {
    let ty = Type::vector(32, count);
    let loaded = match from.base {
        None => kit.b.value(IrOp::LoadLocal, ty, &[offset], &[align]),
        Some(base) => kit.b.value(IrOp::LoadGlobal, ty, &[base, offset], &[from.access.bits(), align]),
    };
    kit.b.split(Src::value(loaded), Type::B32, usize::from(count)).to_vec()
}

/// Vector number `index` of four words: `c[index]` of the old shader languages. The index is 32 bits, constant or computed.
pub fn load_vec4(kit: &mut Kit<'_, '_>, from: Buffer, index: Src) -> [Src; 4] {
    let offset = kit.b.shl(index, Src::imm32(VECTOR_BYTES.trailing_zeros()));
    let words = load_aligned(kit, from, offset, 4, VECTOR_BYTES);
    [words[0], words[1], words[2], words[3]]
}

/// Stores words, at most 4, from byte `offset` on. Helper lanes store nothing.
pub fn store(kit: &mut Kit<'_, '_>, to: Buffer, offset: Src, words: &[Src]) {
    let data = kit.b.collect(Type::vector(32, words.len() as u8), words);
    let align = alignment(offset);
    let Some(base) = to.base else {
        kit.b.effect(IrOp::StoreLocal, &[data, offset], &[align]);
        return;
    };
    let guard = coverage::guard(kit);
    kit.memory.writes_memory = true;
    kit.b.effect(IrOp::StoreGlobal, &[data, base, offset], &[to.access.bits(), align]);
    coverage::end_guard(kit, guard);
}

/// An atomic operation on a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atomic {
    /// Stores the operand.
    Exchange,
    /// Adds it.
    Add,
    /// Subtracts it.
    Sub,
    /// The smaller, signed.
    Imin,
    /// The smaller, unsigned.
    Umin,
    /// The larger, signed.
    Imax,
    /// The larger, unsigned.
    Umax,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Stores the first operand where the word equals the second.
    CompareExchange,
}

impl Atomic {
    /// The hardware's name of it.
    fn name(self) -> &'static str {
        match self {
            Atomic::Exchange => "xchg",
            Atomic::Add => "add",
            Atomic::Sub => "sub",
            Atomic::Imin => "imin",
            Atomic::Umin => "umin",
            Atomic::Imax => "imax",
            Atomic::Umax => "umax",
            Atomic::And => "and",
            Atomic::Or => "or",
            Atomic::Xor => "xor",
            Atomic::CompareExchange => "cmpxchg",
        }
    }

    /// The hardware's code of it.
    pub(crate) fn code(self) -> u32 {
        let code = ATOMICS.iter().position(|known| *known == self.name());
        code.expect("invariant: the hardware has the atomic") as u32
    }
}

/// An atomic operation on the word at byte `offset`; gives the old word. Helper lanes do nothing and have 0.
pub fn atomic(kit: &mut Kit<'_, '_>, on: Buffer, offset: Src, atomic: Atomic, operands: &[Src]) -> Src {
    let guard = coverage::guard(kit);
    let old = atomic_unguarded(kit, on.base, offset, atomic, operands);
    coverage::end_guard_with(kit, guard, old)
}

/// The same in all lanes, at an address or in workgroup memory.
pub(crate) fn atomic_unguarded(
    kit: &mut Kit<'_, '_>,
    base: Option<Src>,
    offset: Src,
    atomic: Atomic,
    operands: &[Src],
) -> Src {
    let mut srcs = Vec::with_capacity(3);
    let op = match base {
        None => IrOp::AtomicLocal,
        Some(base) => {
            kit.memory.writes_memory = true;
            srcs.push(base);
            IrOp::AtomicGlobal
        }
    };
    srcs.push(offset);
    srcs.push(kit.b.collect(Type::vector(32, operands.len() as u8), operands));
    Src::value(kit.b.value(op, Type::B32, &srcs, &[atomic.code()]))
}
