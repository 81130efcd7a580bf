//! Bounds checks of buffer accesses, for keys that require robustness.
//!
//! An access out of bounds is redirected to the buffer's first bytes, of which the driver makes 16 readable
//! regardless of the buffer's size. That satisfies Vulkan's `robustBufferAccess` and costs one instruction
//! per access, because the preamble computes the bound of the index. `robustBufferAccess2` also requires
//! loads to return zeros: with few components by one instruction each, with more by selecting the address,
//! which may be that of zeros ([`UniformSource::Zeros`]). Stores and atomics are inside an if.
//!
//! In uniform buffers, the bytes up to the next multiple of 64 after the size, at least 64, are readable and
//! count as inside (`robustUniformBufferAccessSizeAlignment`): loads at constant offsets in the first 64
//! bytes need no check, others share one check per 64 bytes, which the preamble computes. Offsets have 32
//! bits, as in every access.

use agx_abi::UniformSource;
use agx_abi::layout::{BLOCK_GRANULE_BYTES, ZEROS_BYTES};

use super::buffers::{self, BufferElement};
use super::robustness::Bounds;
use super::{Kit, coverage};
use crate::analysis::memory::{shifted, split_sum};
use crate::ir::build::alu::IntCond;
use crate::ir::{Arithmetic, Src, Type};

/// Number of bytes at the start of every buffer that are always readable.
const READABLE_BYTES: u32 = 16;

/// Adding up to this much to the size of a buffer does not wrap (`UniformSource::BufferSize`).
const LARGEST_SIZE_ROUNDING: u32 = 64;

/// A load with at least this many components selects its address; one with fewer selects each component.
const MANY_COMPONENTS: u8 = 3;

/// What limits accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    /// The size of a buffer.
    Buffer(BufferElement),
    /// A number of bytes, 32 bits.
    Bytes(Src, Bounds),
}

impl Limit {
    /// The behaviour of accesses out of bounds.
    fn bounds(self) -> Bounds {
        match self {
            Limit::Buffer(buffer) => buffer.bounds,
            Limit::Bytes(_, bounds) => bounds,
        }
    }

    /// Bytes, 32 bits.
    pub fn bytes(self, kit: &mut Kit<'_, '_>) -> Src {
        match self {
            Limit::Buffer(buffer) => buffers::size(kit, buffer),
            Limit::Bytes(bytes, _) => bytes,
        }
    }

    fn is_uniform(self) -> bool {
        matches!(self, Limit::Buffer(BufferElement { is_uniform: true, .. }))
    }
}

/// A checked access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked {
    /// The address that the offset is added to.
    pub base: Src,
    /// The byte offset to access.
    pub offset: Src,
    /// Whether the access is in bounds; `None` if that does not matter.
    pub is_inside: Option<Src>,
}

/// A load or an effect to be checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// The buffer's address.
    pub base: Src,
    /// The byte offset, and a power of two that divides its computed part.
    pub offset: (Src, u32),
    /// The type that is accessed.
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

/// Checks a load. In uniform buffers, the bytes of one granule are either all inside or all outside.
pub(crate) fn load(kit: &mut Kit<'_, '_>, limit: Option<Limit>, load: Access) -> Checked {
    let Some(limit) = limit.filter(|limit| limit.bounds() != Bounds::Unchecked) else {
        return load.unchecked();
    };
    let size = limit.bytes(kit);
    let offset = Offset::of(kit, load.offset.0);
    // An inline block has exactly its size.
    let granule = match limit.is_uniform() && size.as_imm().is_none() {
        true => offset.granule(load.offset.1),
        false => 1,
    };
    let within = granule.saturating_sub(1);
    let reach = offset.constant.saturating_add(load.bytes().saturating_sub(1)) & !within;
    let Some(variable) = offset.variable else {
        return fixed_load(kit, limit.bounds(), load, offset.constant, reach, size, granule);
    };
    let is_inside = variable.is_inside(kit, reach, size);
    if limit.bounds() == Bounds::Clamped {
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

/// Checks a load at a constant offset. The first granule of a uniform buffer always exists.
fn fixed_load(
    kit: &mut Kit<'_, '_>,
    bounds: Bounds,
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
    let exact = bounds == Bounds::Exact;
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

/// Checks an effect, which happens only in bounds or, if bounds are clamped, is redirected.
pub(crate) fn effect(kit: &mut Kit<'_, '_>, limit: Option<Limit>, effect: Access) -> Checked {
    let Some(limit) = limit.filter(|limit| limit.bounds() != Bounds::Unchecked) else {
        return effect.unchecked();
    };
    let size = limit.bytes(kit);
    let offset = Offset::of(kit, effect.offset.0);
    let reach = offset.constant.saturating_add(effect.bytes().saturating_sub(1));
    let is_inside = match offset.variable {
        Some(variable) => variable.is_inside(kit, reach, size),
        None => kit.b.icmp(IntCond::ULT, Src::imm32(reach), size),
    };
    match (limit.bounds(), offset.variable) {
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

/// A load at an address that is not bounds-checked: a lane that was killed reads zeros.
pub(crate) fn unchecked_load(kit: &mut Kit<'_, '_>, load: Access) -> Checked {
    let Some(ended) = coverage::has_ended(kit) else { return load.unchecked() };
    let goes_on = kit.b.not(ended);
    let base = or_zeros(kit, goes_on, load.base);
    let offset = kit.b.select(goes_on, load.offset.0, Src::imm32(0));
    Checked { base, offset, is_inside: None }
}

/// `address` if `is_inside`, otherwise the address of zeros.
fn or_zeros(kit: &mut Kit<'_, '_>, is_inside: Src, address: Src) -> Src {
    let zeros = kit.uniforms.get(UniformSource::Zeros, 0, 64);
    kit.b.select(is_inside, address, zeros)
}

/// A byte offset: a computed part and a constant.
#[derive(Clone, Copy)]
struct Offset {
    variable: Option<Variable>,
    constant: u32,
}

/// The computed part of an offset: an index with a left shift.
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

    /// The size of aligned groups of bytes that are in bounds together, if `align` divides the computed part.
    fn granule(self, align: u32) -> u32 {
        let align = self.variable.map_or(BLOCK_GRANULE_BYTES, |variable| align.max(1 << variable.shift));
        align.min(BLOCK_GRANULE_BYTES)
    }
}

impl Variable {
    /// Whether byte `reach` after the computed part is in bounds.
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

    /// The offset of an access if it is in bounds, otherwise an offset among the first bytes.
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
    /// The loaded component, or zero if out of bounds.
    pub fn loaded(&self, kit: &mut Kit<'_, '_>, part: Src) -> Src {
        match self.is_inside {
            Some(is_inside) => {
                let zero = Src::imm(0, kit.b.f.width(part));
                kit.b.select(is_inside, part, zero)
            }
            None => part,
        }
    }

    /// Opens an if around an effect that must not happen out of bounds.
    pub fn begin(&self, kit: &mut Kit<'_, '_>) {
        if let Some(is_inside) = self.is_inside {
            kit.b.begin_if(is_inside);
        }
    }

    /// Closes the if.
    pub fn end(&self, kit: &mut Kit<'_, '_>) {
        if self.is_inside.is_some() {
            kit.b.begin_else();
            kit.b.end_if();
        }
    }

    /// Closes the if; the scalar `result` is 0 if out of bounds.
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
