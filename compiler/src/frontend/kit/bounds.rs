//! Accesses to buffers outside of what is bound, for keys that ask for robust ones.
//!
//! An access that is outside moves to the buffer's first bytes, of which the driver has 16 readable whatever the buffer's
//! size. That is all that `robustBufferAccess` of Vulkan asks for, and costs an instruction for each access, because the number
//! that its index must be below is computed by the preamble. `robustBufferAccess2` also wants zeros from loads: of few
//! components an instruction for each, of more a selection of the address, which may be that of zeros
//! ([`UniformSource::Zeros`]). Stores and atomics stand in an if.
//!
//! Of uniform buffers, the bytes up to the next multiple of 64 after the size are readable, 64 at least, and count as inside
//! (`robustUniformBufferAccessSizeAlignment`): loads at constant offsets in the first 64 bytes need no check, others share
//! one for 64 bytes, which the preamble makes. Offsets have 32 bits, as in every access.

use agx_abi::UniformSource;
use agx_abi::layout::{BLOCK_GRANULE_BYTES, ZEROS_BYTES};

use super::Kit;
use super::buffers::{self, BufferElement};
use super::robustness::Bounds;
use crate::analysis::memory::{shifted, split_sum};
use crate::ir::build::alu::IntCond;
use crate::ir::{Arithmetic, Src, Type};

/// First bytes of every buffer that are readable.
const READABLE_BYTES: u32 = 16;

/// What is added to the size of a buffer does not wrap up to so much (`UniformSource::BufferSize`).
const LARGEST_SIZE_ROUNDING: u32 = 64;

/// A load of at least so many components selects its address; one of fewer selects each component.
const MANY_COMPONENTS: u8 = 3;

/// An access that was checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked {
    /// The address that the offset is added to.
    pub base: Src,
    /// The byte offset that is accessed.
    pub offset: Src,
    /// Whether it is the one that was asked for; nothing where that does not matter.
    pub is_inside: Option<Src>,
}

/// A load that is to be checked, or an effect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// The buffer's address.
    pub base: Src,
    /// The first byte, and the power of two that divides what of it is computed.
    pub offset: (Src, u32),
    /// What is accessed.
    pub ty: Type,
}

impl Access {
    fn bytes(self) -> u32 {
        (u32::from(self.ty.bits) / 8).saturating_mul(self.ty.comps.into())
    }

    fn unchecked(self) -> Checked {
        Checked { base: self.base, offset: self.offset.0, is_inside: None }
    }
}

/// Checks a load. Of uniform buffers, the bytes of one granule are inside together.
pub(crate) fn load(kit: &mut Kit<'_, '_>, buffer: Option<BufferElement>, load: Access) -> Checked {
    let Some(buffer) = buffer.filter(|buffer| buffer.bounds != Bounds::Unchecked) else {
        return load.unchecked();
    };
    let size = buffers::size(kit, buffer);
    let offset = Offset::of(kit, load.offset.0);
    // An inline block has exactly its bytes.
    let granule = match buffer.is_uniform && size.as_imm().is_none() {
        true => offset.granule(load.offset.1),
        false => 1,
    };
    let within = granule.saturating_sub(1);
    let reach = offset.constant.saturating_add(load.bytes().saturating_sub(1)) & !within;
    let Some(variable) = offset.variable else {
        return fixed_load(kit, buffer, load, offset.constant, reach, size, granule);
    };
    let is_inside = variable.is_inside(kit, reach, size);
    if buffer.bounds == Bounds::Clamped {
        let offset = variable.clamped(kit, load, offset, is_inside);
        return Checked { offset, is_inside: None, ..load.unchecked() };
    }
    let start = offset.constant & !within;
    if load.ty.comps < MANY_COMPONENTS && start == offset.constant {
        let offset = variable.clamped(kit, load, offset, is_inside);
        return Checked { offset, is_inside: Some(is_inside), ..load.unchecked() };
    }
    let bytes = variable.bytes(kit);
    let bytes = kit.b.iadd(bytes, Src::imm32(start));
    let bytes = kit.b.uconv(bytes, 64);
    let there = kit.b.iadd(load.base, bytes);
    let base = or_zeros(kit, is_inside, there);
    Checked { base, offset: Src::imm32(offset.constant.saturating_sub(start)), is_inside: None }
}

/// Checks a load from a known byte on. The first granule of a uniform buffer is always there.
fn fixed_load(
    kit: &mut Kit<'_, '_>,
    buffer: BufferElement,
    load: Access,
    constant: u32,
    reach: u32,
    size: Src,
    granule: u32,
) -> Checked {
    if granule > 1 && reach == 0 {
        return load.unchecked();
    }
    let is_inside = kit.b.icmp(IntCond::ULT, Src::imm32(reach), size);
    let exact = buffer.bounds == Bounds::Exact;
    if exact && constant.checked_add(load.bytes()).is_some_and(|end| end <= ZEROS_BYTES) {
        return Checked { base: or_zeros(kit, is_inside, load.base), ..load.unchecked() };
    }
    if !exact && granule > 1 && constant >= reach {
        let start = kit.b.select(is_inside, Src::imm32(reach), Src::imm32(0));
        let start = kit.b.uconv(start, 64);
        let base = kit.b.iadd(load.base, start);
        return Checked { base, offset: Src::imm32(constant.saturating_sub(reach)), is_inside: None };
    }
    let offset = kit.b.select(is_inside, load.offset.0, Src::imm32(0));
    Checked { offset, is_inside: exact.then_some(is_inside), ..load.unchecked() }
}

/// Checks an effect, which happens inside only or, where bounds are clamped, elsewhere.
pub(crate) fn effect(kit: &mut Kit<'_, '_>, buffer: Option<BufferElement>, effect: Access) -> Checked {
    let Some(buffer) = buffer.filter(|buffer| buffer.bounds != Bounds::Unchecked) else {
        return effect.unchecked();
    };
    let size = buffers::size(kit, buffer);
    let offset = Offset::of(kit, effect.offset.0);
    let reach = offset.constant.saturating_add(effect.bytes().saturating_sub(1));
    let is_inside = match offset.variable {
        Some(variable) => variable.is_inside(kit, reach, size),
        None => kit.b.icmp(IntCond::ULT, Src::imm32(reach), size),
    };
    match (buffer.bounds, offset.variable) {
        (Bounds::Exact, _) => Checked { is_inside: Some(is_inside), ..effect.unchecked() },
        (_, Some(variable)) => {
            let offset = variable.clamped(kit, effect, offset, is_inside);
            Checked { offset, ..effect.unchecked() }
        }
        (_, None) => {
            let offset = kit.b.select(is_inside, effect.offset.0, Src::imm32(0));
            Checked { offset, ..effect.unchecked() }
        }
    }
}

/// `address` where `is_inside`, otherwise that of zeros.
fn or_zeros(kit: &mut Kit<'_, '_>, is_inside: Src, address: Src) -> Src {
    let zeros = kit.uniforms.get(UniformSource::Zeros, 0, 64);
    kit.b.select(is_inside, address, zeros)
}

/// A byte offset: what is computed of it, and a constant.
#[derive(Clone, Copy)]
struct Offset {
    variable: Option<Variable>,
    constant: u32,
}

/// The computed part of an offset: an index, shifted to the left.
#[derive(Clone, Copy)]
struct Variable {
    index: Src,
    shift: u32,
}

impl Offset {
    fn of(kit: &Kit<'_, '_>, offset: Src) -> Offset {
        if let Some(constant) = offset.as_imm() {
            return Offset { variable: None, constant: constant as u32 };
        }
        let (rest, constant) = split_sum(kit.b.f, offset);
        let (index, shift) = shifted(kit.b.f, rest).unwrap_or((rest, 0));
        Offset { variable: Some(Variable { index, shift }), constant: constant as u32 }
    }

    /// Bytes that are inside together: of each so many from a multiple of theirs on, if `align` divides what is computed.
    fn granule(self, align: u32) -> u32 {
        let align = self.variable.map_or(BLOCK_GRANULE_BYTES, |variable| align.max(1 << variable.shift));
        align.min(BLOCK_GRANULE_BYTES)
    }
}

impl Variable {
    /// Whether byte `reach` after the computed part is inside.
    fn is_inside(self, kit: &mut Kit<'_, '_>, reach: u32, size: Src) -> Src {
        let element = 1u32.wrapping_shl(self.shift);
        if reach < element && (2..=LARGEST_SIZE_ROUNDING).contains(&element) {
            let rounded = kit.b.iadd(size, Src::imm32(element.saturating_sub(1).saturating_sub(reach)));
            let count = kit.b.ushr(rounded, Src::imm32(self.shift));
            return kit.b.icmp(IntCond::ULT, self.index, count);
        }
        let most = kit.b.umax(size, Src::imm32(reach));
        let starts = kit.b.isub(most, Src::imm32(reach));
        let bytes = self.bytes(kit);
        kit.b.icmp(IntCond::ULT, bytes, starts)
    }

    fn bytes(self, kit: &mut Kit<'_, '_>) -> Src {
        kit.b.shl(self.index, Src::imm32(self.shift))
    }

    /// The offset of an access where it is inside; among the first bytes otherwise.
    fn clamped(self, kit: &mut Kit<'_, '_>, access: Access, offset: Offset, is_inside: Src) -> Src {
        if self.shift > 0 && offset.constant.saturating_add(access.bytes()) <= READABLE_BYTES {
            let index = kit.b.select(is_inside, self.index, Src::imm32(0));
            let bytes = kit.b.shl(index, Src::imm32(self.shift));
            return kit.b.iadd(bytes, Src::imm32(offset.constant));
        }
        kit.b.select(is_inside, access.offset.0, Src::imm32(0))
    }
}

impl Checked {
    /// What was loaded, or zero outside.
    pub fn loaded(&self, kit: &mut Kit<'_, '_>, part: Src) -> Src {
        match self.is_inside {
            Some(is_inside) => {
                let zero = Src::imm(0, kit.b.f.width(part));
                kit.b.select(is_inside, part, zero)
            }
            None => part,
        }
    }

    /// Opens an if around an effect that must not happen outside.
    pub fn begin(&self, kit: &mut Kit<'_, '_>) {
        if let Some(is_inside) = self.is_inside {
            kit.b.begin_if(is_inside);
        }
    }

    /// Closes it.
    pub fn end(&self, kit: &mut Kit<'_, '_>) {
        if self.is_inside.is_some() {
            kit.b.begin_else();
            kit.b.end_if();
        }
    }

    /// Closes it; the scalar `result` is 0 outside.
    pub fn end_with(&self, kit: &mut Kit<'_, '_>, result: Src) -> Src {
        if self.is_inside.is_none() {
            return result;
        }
        let variable = kit.vars.add(&[kit.b.f.width(result)]);
        kit.vars.write(&kit.b, variable, result);
        self.end(kit);
        kit.vars.read(&mut kit.b, variable)
    }
}
