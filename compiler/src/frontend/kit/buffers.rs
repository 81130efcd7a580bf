//! Buffers and workgroup memory: loads, stores and atomics of 32-bit words, and vectors of constant buffers.

use agx_abi::UniformSource;
use agx_abi::layout::DESCRIPTOR_BYTES;
use agx_abi::pipeline::BindingAccess;
use agx_isa::table::names::ATOMICS;

use super::descriptors::{self, Element, Place};
use super::robustness::Bounds;
use super::{Kit, coverage};
use crate::error::KitError;
use crate::ir::{Access, Arithmetic, Build, IrOp, Src, Type};

/// Bytes of a vector of four words.
const VECTOR_BYTES: u32 = 16;

/// Memory that a shader accesses.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// 64-bit address; `None` for workgroup memory.
    base: Option<Src>,
    access: Access,
    binding: (u32, u32),
}

impl Buffer {
    /// A buffer of constants, which nothing writes while the shader runs. All of it must be readable, because
    /// loads may be moved ahead of the conditions that guard them.
    pub fn uniform(kit: &mut Kit<'_, '_>, set: u32, binding: u32) -> Buffer {
        let mut access = Access::READONLY;
        access.set(Access::SPECULATABLE, is_always_valid(kit, set, binding));
        Buffer { access, ..Buffer::storage(kit, set, binding) }
    }

    /// A buffer for reading and writing.
    pub fn storage(kit: &mut Kit<'_, '_>, set: u32, binding: u32) -> Buffer {
        let base = address(kit, BufferElement::only(set, binding));
        Buffer { base: Some(base), access: Access::empty(), binding: (set, binding) }
    }

    /// The workgroup's memory, with the first `bytes` bytes in use.
    pub fn local(kit: &mut Kit<'_, '_>, bytes: u32) -> Buffer {
        kit.memory.local_bytes = kit.memory.local_bytes.max(bytes);
        Buffer { base: None, access: Access::empty(), binding: (0, 0) }
    }

    /// The same memory, with all accesses volatile: ordered and never merged.
    pub fn volatile(self) -> Buffer {
        Buffer { access: Access::VOLATILE, ..self }
    }

    /// The 64-bit address; `None` for workgroup memory.
    pub(crate) fn address(self) -> Option<Src> {
        self.base
    }

    /// Size in bytes, 32 bits; 0 for workgroup memory.
    pub fn size(self, kit: &mut Kit<'_, '_>) -> Src {
        let (set, binding) = self.binding;
        match self.base {
            Some(_) => size(kit, BufferElement::only(set, binding)),
            None => Src::imm32(0),
        }
    }
}

/// An element of a binding of buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BufferElement {
    /// Descriptor set.
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// The element: a constant or an integer of at most 32 bits.
    pub element: Src,
    /// Whether it is a uniform buffer.
    pub is_uniform: bool,
    /// The behaviour of accesses out of bounds.
    pub bounds: Bounds,
}

impl BufferElement {
    /// The buffer of a binding that is not an array, with unchecked accesses.
    fn only(set: u32, binding: u32) -> BufferElement {
        let bounds = Bounds::Unchecked;
        BufferElement { set, binding, element: Src::imm32(0), is_uniform: false, bounds }
    }

    /// The location of the descriptor or contents, if the program reads them itself.
    fn place(self, kit: &mut Kit<'_, '_>) -> Option<Place> {
        let BufferElement { set, binding, element, .. } = self;
        let (fixed, index) = match element.as_imm() {
            Some(constant) => (constant as u32, None),
            None => (0, Some(kit.b.uconv(element, 32))),
        };
        descriptors::place(kit, Element { set, binding, fixed, index })
    }
}

/// Whether the buffer can be read regardless of the conditions that guard its loads.
pub(crate) fn is_always_valid(kit: &mut Kit<'_, '_>, set: u32, binding: u32) -> bool {
    kit.bindings.in_memory(set, binding).is_none_or(|layout| layout.access != BindingAccess::PartiallyBound)
}

/// The 64-bit address of a buffer.
pub(crate) fn address(kit: &mut Kit<'_, '_>, buffer: BufferElement) -> Src {
    let BufferElement { set, binding, element, .. } = buffer;
    let Some(place) = buffer.place(kit) else {
        return match element.as_imm() {
            Some(element) => {
                let source = UniformSource::BufferAddress { set, binding, element: element as u32 };
                kit.uniforms.get(source, 0, 64)
            }
            None => record(kit, buffer, 0, Type::B64),
        };
    };
    let (start, extra) = match place.parts() {
        None => (place.base, place.element),
        Some(parts) => {
            let words = place.load(kit, parts.buffer, Type::vector(32, 2));
            let start = kit.b.collect(Type::B64, &[words]);
            let Some(offset) = dynamic_offset(kit, place, buffer) else { return start };
            (start, offset)
        }
    };
    let extra = kit.b.uconv(extra, 64);
    kit.b.iadd(start, extra)
}

/// The dynamic offset of a buffer, if it has one.
fn dynamic_offset(kit: &mut Kit<'_, '_>, place: Place, buffer: BufferElement) -> Option<Src> {
    let first = place.layout.dynamic_offset?;
    match buffer.element.as_imm() {
        Some(element) => {
            let source = UniformSource::DynamicOffset { index: first.wrapping_add(element as u32) };
            Some(kit.uniforms.get(source, 0, 32))
        }
        None => {
            let BufferElement { set, binding, .. } = buffer;
            kit.bindings.refused.get_or_insert(KitError::DynamicOffset { set, binding });
            None
        }
    }
}

/// The size of a buffer in bytes, 32 bits.
pub(crate) fn size(kit: &mut Kit<'_, '_>, buffer: BufferElement) -> Src {
    let BufferElement { set, binding, element, .. } = buffer;
    match (buffer.place(kit), element.as_imm()) {
        (Some(place), _) => match place.parts() {
            Some(parts) => place.load(kit, parts.buffer.wrapping_add(SIZE_OFFSET), Type::B32),
            None => Src::imm32(place.layout.stride),
        },
        (None, Some(element)) => {
            kit.uniforms.get(UniformSource::BufferSize { set, binding, element: element as u32 }, 0, 32)
        }
        (None, None) => record(kit, buffer, SIZE_OFFSET, Type::B32),
    }
}

/// Byte offset of the size in a buffer descriptor.
const SIZE_OFFSET: u32 = 8;

/// A field of a record in the table of a binding that the driver fills: the address at 0, the size at 8.
fn record(kit: &mut Kit<'_, '_>, buffer: BufferElement, at: u32, ty: Type) -> Src {
    let BufferElement { set, binding, element, .. } = buffer;
    let table = kit.uniforms.get(UniformSource::DescriptorTable { set, binding }, 0, 64);
    let index = kit.b.uconv(element, 32);
    let scaled = kit.b.shl(index, Src::imm32(DESCRIPTOR_BYTES.trailing_zeros()));
    let offset = kit.b.iadd(scaled, Src::imm32(at));
    let words = Type::vector(32, ty.bits / 32);
    let loaded = kit.b.value(IrOp::LoadGlobal, words, &[table, offset], &[Access::READONLY.bits(), 8]);
    kit.b.collect(ty, &[Src::value(loaded)])
}

/// The greatest power of two, up to the size of a vector, that divides `offset`; the size of a word if that
/// is unknown.
fn alignment(offset: Src) -> u32 {
    match offset.as_imm() {
        Some(0) => VECTOR_BYTES,
        Some(offset) => (1 << offset.trailing_zeros().min(4)).min(VECTOR_BYTES),
        None => 4,
    }
}

/// Loads `count` words, at most 4, starting at byte `offset`.
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

/// The word at byte `offset`.
pub fn load_word(kit: &mut Kit<'_, '_>, from: Buffer, offset: Src) -> Src {
    load(kit, from, offset, 1).first().copied().unwrap_or(Src::imm32(0))
}

/// Loads vector number `index` of four words: `c[index]` in older shader languages. The index is 32 bits,
/// constant or computed.
pub fn load_vec4(kit: &mut Kit<'_, '_>, from: Buffer, index: Src) -> [Src; 4] {
    let offset = kit.b.shl(index, Src::imm32(VECTOR_BYTES.trailing_zeros()));
    let words = load_aligned(kit, from, offset, 4, VECTOR_BYTES);
    std::array::from_fn(|at| words.get(at).copied().unwrap_or(Src::NONE))
}

/// Stores words, at most 4, starting at byte `offset`. Helper lanes store nothing.
pub fn store(kit: &mut Kit<'_, '_>, to: Buffer, offset: Src, words: &[Src]) {
    let data = kit.b.collect(Type::vector(32, words.len() as u8), words);
    let align = alignment(offset);
    let Some(base) = to.base else {
        kit.b.effect(IrOp::StoreLocal, &[data, offset], &[align]);
        return;
    };
    let guard = coverage::guard_store(kit);
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
    /// Stores the first operand if the word equals the second.
    CompareExchange,
}

impl Atomic {
    /// The hardware's name.
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

    /// The hardware's code.
    pub(crate) fn code(self) -> u32 {
        let code = ATOMICS.iter().position(|known| *known == self.name());
        code.expect("invariant: the hardware has the atomic") as u32
    }
}

/// An atomic operation on the word at byte `offset`; returns the old word. Helper lanes have no effect and
/// get 0.
pub fn atomic(kit: &mut Kit<'_, '_>, on: Buffer, offset: Src, atomic: Atomic, operands: &[Src]) -> Src {
    let guard = coverage::guard(kit);
    let old = atomic_unguarded(kit, on.base, offset, atomic, operands);
    coverage::end_guard_with(kit, guard, old)
}

/// An atomic operation in all lanes, at an address or in workgroup memory.
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
