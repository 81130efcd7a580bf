//! Facts about accesses to device, threadgroup and stack memory, for optimisations.

use agx_isa::desc::Effects;
use agx_isa::table::Opcode;

use crate::ir::key;
use crate::ir::{Access, Build, Function, InstData, IrOp, Op, Src, Type};

/// An address space; different spaces do not alias.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Space {
    Device,
    Threadgroup,
    /// Private to the lane.
    Stack,
}

/// The location of an access: base address (device memory only), the variable part of the byte offset with an
/// optional left shift, and the constant part.
/// Offsets are sums modulo 2^32, but an access in bounds does not wrap: locations with equal bases and roots are as far
/// apart as their constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Location {
    pub space: Space,
    pub base: Src,
    pub root: Option<Src>,
    pub shift: u32,
    pub offset: i32,
}

impl Location {
    fn of(f: &Function<'_>, space: Space, base: Src, offset: Src) -> Location {
        if let Some(constant) = offset.as_imm() {
            return Location { space, base, root: None, shift: 0, offset: constant as i32 };
        }
        let (outer, constant) = split_sum(f, offset);
        // A shifted sum is the sum of its shifted terms.
        if let Some((inner, shift)) = shifted(f, outer) {
            let (root, inner) = split_sum(f, inner);
            let offset = constant.wrapping_add(inner << shift);
            return Location { space, base, root: Some(root), shift, offset };
        }
        Location { space, base, root: Some(outer), shift: 0, offset: constant }
    }

    /// Whether the distance between the two locations is a known constant.
    pub(crate) fn is_comparable(&self, other: &Location) -> bool {
        self.space == other.space
            && self.base == other.base
            && (self.root, self.shift) == (other.root, other.shift)
    }
}

/// Splits a 32-bit number into a root and the constant that is added last.
pub(crate) fn split_sum(f: &Function<'_>, src: Src) -> (Src, i32) {
    match f.def(src) {
        Some(sum)
            if sum.op == Op::Hw(Opcode::Iadd)
                && sum.mods.iter().all(|modifier| *modifier == 0)
                && f.width(sum.srcs[0]) == 32
                && sum.srcs[0].flags.is_empty() =>
        {
            sum.srcs[1].as_imm().map_or((src, 0), |constant| (sum.srcs[0], constant as i32))
        }
        _ => (src, 0),
    }
}

/// The operand and amount of a left shift by a constant.
pub(crate) fn shifted(f: &Function<'_>, src: Src) -> Option<(Src, u32)> {
    let data = f.def(src).filter(|data| data.op == Op::Ir(IrOp::Shl) && f.width(data.srcs[0]) == 32)?;
    let amount = data.srcs[1].as_imm().filter(|amount| *amount < 32)?;
    data.srcs[0].flags.is_empty().then_some((data.srcs[0], amount as u32))
}

/// A load or store that may be moved and merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryAccess {
    pub location: Location,
    pub ty: Type,
    pub flags: Access,
    /// Alignment in bytes.
    pub align: u32,
}

impl MemoryAccess {
    /// The access of a load that is not volatile.
    pub(crate) fn of_load(f: &Function<'_>, data: &InstData<'_>) -> Option<MemoryAccess> {
        let (space, base, offset) = match (data.op, data.srcs) {
            (Op::Ir(IrOp::LoadGlobal), [base, offset]) => (Space::Device, *base, *offset),
            (Op::Ir(IrOp::LoadLocal), [offset]) => (Space::Threadgroup, Src::NONE, *offset),
            (Op::Ir(IrOp::LoadScratch), [offset]) => (Space::Stack, Src::NONE, *offset),
            _ => return None,
        };
        Self::of(f, data, f.ty(data.dsts[0]), Location::of(f, space, base, offset))
    }

    /// The access of a store that is not volatile.
    pub(crate) fn of_store(f: &Function<'_>, data: &InstData<'_>) -> Option<MemoryAccess> {
        let (space, base, offset) = match (data.op, data.srcs) {
            (Op::Ir(IrOp::StoreGlobal), [_, base, offset]) => (Space::Device, *base, *offset),
            (Op::Ir(IrOp::StoreLocal), [_, offset]) => (Space::Threadgroup, Src::NONE, *offset),
            (Op::Ir(IrOp::StoreScratch), [_, offset]) => (Space::Stack, Src::NONE, *offset),
            _ => return None,
        };
        Self::of(f, data, f.src_ty(data.srcs[0]), Location::of(f, space, base, offset))
    }

    fn of(f: &Function<'_>, data: &InstData<'_>, ty: Type, location: Location) -> Option<MemoryAccess> {
        debug_assert!(data.dsts.iter().all(|dst| f.ty(*dst) == ty));
        let flags = data.get(key::ACCESS);
        let access = MemoryAccess { location, ty, flags, align: data.get(key::ALIGN) };
        (!flags.contains(Access::VOLATILE) && ty.bits >= 8).then_some(access)
    }

    pub(crate) fn is_readonly(&self) -> bool {
        self.flags.contains(Access::READONLY)
    }

    /// Bytes of a component.
    pub(crate) fn stride(&self) -> i64 {
        i64::from(self.ty.bits / 8)
    }

    /// First byte and the byte after the last, relative to the root.
    pub(crate) fn range(&self) -> (i64, i64) {
        let first = i64::from(self.location.offset);
        (first, first + i64::from(self.ty.total_bits() / 8))
    }

    /// Whether the two accesses are known not to overlap.
    pub(crate) fn is_disjoint(&self, other: &MemoryAccess) -> bool {
        let ((a_first, a_end), (b_first, b_end)) = (self.range(), other.range());
        if self.location.space != other.location.space {
            return true;
        }
        self.location.is_comparable(&other.location) && (a_end <= b_first || b_end <= a_first)
    }
}

/// Whether an instruction other than a plain load or store may change device or threadgroup memory, or allow
/// others to change it.
pub(crate) fn disturbs_memory(data: &InstData<'_>) -> bool {
    let own = matches!(data.op, Op::Ir(IrOp::StoreScratch | IrOp::LoadScratch));
    !own && data.effects().intersects(Effects::WRITES_MEMORY | Effects::BARRIER)
}

/// The components of a vector as separate sources.
pub(crate) fn components<'a>(r: &mut crate::ir::Rewriter<'_, 'a>, vector: Src) -> &'a [Src] {
    let ty = r.f.src_ty(vector);
    if ty.comps == 1 {
        return r.f.alloc(&[vector]);
    }
    if let Some(collect) = r.f.def(vector)
        && collect.op == Op::Ir(IrOp::Collect)
        && collect.srcs.len() == usize::from(ty.comps)
    {
        return collect.srcs;
    }
    let bump = r.f.bump;
    let parts = bump.alloc_slice_fill_with(ty.comps.into(), |_| r.f.add_value(Type::scalar(ty.bits)));
    r.push(IrOp::Split, parts, &[vector], &[]);
    bump.alloc_slice_fill_iter(parts.iter().map(|part| Src::value(*part)))
}

/// One value of several components.
pub(crate) fn vector(r: &mut crate::ir::Rewriter<'_, '_>, parts: &[Src]) -> Src {
    match parts {
        [part] => *part,
        _ => {
            let ty = Type::vector(r.f.width(parts[0]), parts.len() as u8);
            Src::value(r.value(IrOp::Collect, ty, parts, &[]))
        }
    }
}
