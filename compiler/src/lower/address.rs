//! Lowers `load_global`, `store_global` and `atomic_global` to the hardware's `load`, `store` and `atomic`.
//!
//! The hardware adds to a 64-bit base an index in elements with an additional left shift of 0 to 2. The byte
//! offset is therefore decomposed into a sum of multiples, divided by the largest unit that divides all of
//! them, and rebuilt; equal parts of nearby accesses become identical, so that `opt_cse` merges them. A part
//! that something else reads as well, or that the iterations of a loop share, is not rebuilt if it is a multiple
//! of the unit as a whole. Offsets are below 2^32 and multiples of the element size (Vulkan's alignment rules),
//! so dividing before the wrap changes nothing. The index of a `signed` access is sign-extended.
//!
//! Before: stage source. After: stage lowered; no `load_global`, `store_global`, `atomic_global`.

use agx_abi::Target;
use agx_isa::inst::OperandFlags;
use agx_isa::table::Opcode;
use agx_isa::table::names::{Coherency, Format};
use arrayvec::ArrayVec;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::homes::homes;
use crate::analysis::uses::uses;
use crate::error::CompileError;
use crate::ir::families::GLOBAL;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{
    Access, Build, Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, ScratchSide, Seam, Src, SrcKind,
    Type, Value,
};

/// Maximum number of terms that an offset is decomposed into.
const MAX_TERMS: usize = 4;

/// Maximum number of decomposition steps.
const MAX_STEPS: usize = 16;

/// Maximum number of components of a memory instruction.
const MAX_COMPONENTS: u8 = 4;

/// Largest constant that an integer operand encodes.
const MAX_IMMEDIATE: i32 = 255;

/// Largest index shift of the hardware.
const MAX_SHIFT: u32 = 2;

/// Lowers accesses to device memory.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_address(f: &mut Function<'_>, target: Target) -> Result<(), CompileError> {
    f.with_scratch(|f, scratch| {
        let uses = if has_sums(f) { reads(f, scratch) } else { Uses::later_in(scratch, f.values.len()) };
        GLOBAL.map(f, |r, inst| lower(r, &uses, inst, target));
    });
    Ok(())
}

/// Whether the offset of an access has several terms, each of which may have other readers.
fn has_sums(f: &Function<'_>) -> bool {
    let has_sum = |inst: &Inst| {
        let data = &f.insts[*inst];
        let offset = match data.op {
            Op::Ir(IrOp::LoadGlobal | IrOp::AtomicGlobal) => data.srcs[1],
            Op::Ir(IrOp::StoreGlobal) => data.srcs[2],
            _ => return false,
        };
        offset.as_value().is_some() && Linear::of_parts(f, offset, 0, |_| false).terms.len() > 1
    };
    f.layout.iter().any(|segment| f.block(segment.block).insts.iter().any(has_sum))
}

/// The number of readers of each value; empty if no sum needs them.
type Uses<'s> = ScratchSide<'s, Value, u32>;

/// Counts the readers of each value. A reader in a loop that the value is not defined in counts as two: the next iteration
/// reads the value again.
fn reads<'s>(f: &Function<'_>, scratch: &'s Bump) -> Uses<'s> {
    let mut uses = uses(f, scratch);
    if f.layout.iter().all(|segment| segment.seam != Seam::Loop) {
        return uses;
    }
    let (homes, mut loops) = (homes(f, scratch), ArenaVec::new_in(scratch));
    for (index, segment) in f.layout.iter().enumerate() {
        if let Some(start) = loops.last() {
            let srcs = f.block(segment.block).insts.iter().flat_map(|inst| f.insts[*inst].srcs);
            let from_outside = srcs.filter_map(|src| src.as_value()).filter(|value| homes[*value] <= *start);
            from_outside.for_each(|value| uses[value] += 1);
        }
        match segment.seam {
            Seam::Loop => loops.push(index),
            Seam::EndLoop => drop(loops.pop()),
            _ => {}
        }
    }
    uses
}

fn lower(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, inst: Inst, target: Target) -> Rewrite {
    let data = r.f.insts[inst];
    match data.op {
        Op::Ir(IrOp::LoadGlobal) => lower_load(r, uses, &data),
        Op::Ir(IrOp::StoreGlobal) => lower_store(r, uses, &data),
        Op::Ir(IrOp::AtomicGlobal) => lower_atomic(r, uses, &data, target),
        _ => Rewrite::Keep,
    }
}

/// The vector type that the hardware transfers: 64-bit components are pairs of words.
pub(super) fn memory_type(ty: Type) -> Type {
    if ty.bits == 64 { Type::vector(32, ty.comps * 2) } else { ty }
}

/// Format of integer elements of `bits`.
pub(super) fn element_format(bits: u8) -> Format {
    match bits {
        8 => Format::I8,
        16 => Format::I16,
        _ => Format::I32,
    }
}

/// Splits `ty` into pieces that one instruction can transfer: first component and type of each.
pub(super) fn pieces(ty: Type) -> impl Iterator<Item = (u8, Type)> {
    let ty = memory_type(ty);
    (0..ty.comps)
        .step_by(usize::from(MAX_COMPONENTS))
        .map(move |first| (first, Type::vector(ty.bits, MAX_COMPONENTS.min(ty.comps - first))))
}

/// Defines `dst` by loading its pieces with `load(rewriter, piece value, byte offset of the piece)`.
pub(super) fn load_pieces<'f, 'a>(
    r: &mut Rewriter<'f, 'a>,
    dst: Value,
    mut load: impl FnMut(&mut Rewriter<'f, 'a>, Value, u32),
) {
    let ty = r.f.ty(dst);
    if memory_type(ty) == ty && ty.comps <= MAX_COMPONENTS {
        load(r, dst, 0);
        return;
    }
    let mut parts: Vec<Src> = Vec::new();
    for (first, piece) in pieces(ty) {
        let value = r.f.add_value(piece);
        load(r, value, u32::from(first) * u32::from(piece.bits / 8));
        parts.push(value.into());
    }
    r.push(IrOp::Collect, &[dst], &parts, &[]);
}

/// Stores the pieces of `data` with `store(rewriter, piece, byte offset of the piece)`.
pub(super) fn store_pieces<'f, 'a>(
    r: &mut Rewriter<'f, 'a>,
    data: Src,
    mut store: impl FnMut(&mut Rewriter<'f, 'a>, Src, u32),
) {
    let ty = r.f.src_ty(data);
    if memory_type(ty) == ty && ty.comps <= MAX_COMPONENTS {
        store(r, data, 0);
        return;
    }
    let values: Vec<(u8, Value)> = pieces(ty).map(|(first, piece)| (first, r.f.add_value(piece))).collect();
    let dsts: Vec<Value> = values.iter().map(|(_, value)| *value).collect();
    r.push(IrOp::Split, &dsts, &[data], &[]);
    let bytes = u32::from(memory_type(ty).bits / 8);
    for (first, value) in values {
        store(r, value.into(), u32::from(first) * bytes);
    }
}

/// A base whose words are in a pair of uniform registers, as the pair.
fn in_uniforms(f: &Function<'_>, base: Src) -> Src {
    let Some(words) = f.def(base).filter(|data| data.op == Op::Ir(IrOp::Collect)) else { return base };
    match *words.srcs {
        [low, high]
            if low.kind == SrcKind::Uniform
                && low.payload.is_multiple_of(4)
                && [low.bits, high.bits] == [32; 2]
                && high == (Src { payload: low.payload + 2, ..low }) =>
        {
            Src::uniform(low.payload as u16, 64)
        }
        _ => base,
    }
}

fn lower_load(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, data: &InstData<'_>) -> Rewrite {
    let (base, offset) = (in_uniforms(r.f, data.srcs[0]), data.srcs[1]);
    let access = data.get(key::ACCESS);
    load_pieces(r, data.dsts[0], |r, dst, bytes| {
        let ty = r.f.ty(dst);
        let (index, shift) = element_index(r, uses, offset, bytes, ty.bits / 8, access);
        let mods = access_mods(Opcode::Load, ty, shift);
        r.push(Opcode::Load, &[dst], &[base, index], &mods);
    });
    Rewrite::Remove
}

fn lower_store(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, data: &InstData<'_>) -> Rewrite {
    let (base, offset) = (in_uniforms(r.f, data.srcs[1]), data.srcs[2]);
    let access = data.get(key::ACCESS);
    store_pieces(r, data.srcs[0], |r, piece, bytes| {
        let ty = r.f.src_ty(piece);
        let (index, shift) = element_index(r, uses, offset, bytes, ty.bits / 8, access);
        let mods = access_mods(Opcode::Store, ty, shift);
        r.push(Opcode::Store, &[], &[piece, base, index], &mods);
    });
    Rewrite::Remove
}

/// The index with the flag that extends its sign, if the offset is signed.
fn extended(index: Src, access: Access) -> Src {
    if access.contains(Access::SIGNED) && index.as_imm().is_none() {
        index.with(OperandFlags::SX)
    } else {
        index
    }
}

fn access_mods(op: Opcode, ty: Type, shift: u32) -> crate::ir::op::Mods {
    let mask = (1 << ty.comps) - 1;
    mods(op).with(key::FORMAT, element_format(ty.bits)).with(key::MASK, mask).with(key::SHIFT, shift)
}

/// The index of an atomic is in words and not shifted. Chips with several clusters need the wider coherency
/// (Mesa 25.0 sets its bit only on those).
fn lower_atomic(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, data: &InstData<'_>, target: Target) -> Rewrite {
    let [base, offset, operand] = [in_uniforms(r.f, data.srcs[0]), data.srcs[1], data.srcs[2]];
    let linear = Linear::of(r.f, uses, offset, 0, 4);
    let index = match linear.is_multiple(4) {
        true => linear.divided(4).build(r),
        false => r.alu(IrOp::Ushr, 32, &[offset, Src::imm(2, 16)], &[]),
    };
    let coherency = if target.has_several_clusters() { Coherency::ALL } else { Coherency::DIE };
    r.push(
        Opcode::Atomic,
        data.dsts,
        &[operand, base, index],
        &mods(Opcode::Atomic).with(key::ATOMIC, data.get(key::ATOMIC)).with(key::COHERENCY, coherency),
    );
    Rewrite::Remove
}

/// The index and shift that address byte `offset + bytes` in elements of `element` bytes. The sign of a signed offset is
/// kept and extended.
fn element_index(
    r: &mut Rewriter<'_, '_>,
    uses: &Uses<'_>,
    offset: Src,
    bytes: u32,
    element: u8,
    access: Access,
) -> (Src, u32) {
    let element = u32::from(element);
    let linear = Linear::of(r.f, uses, offset, bytes, element);
    if let Some((divided, shift)) = linear.scaled(element) {
        return (extended(divided.build(r), access), shift);
    }
    let sum = if bytes == 0 { offset } else { add(r, offset, Src::imm32(bytes)) };
    let op = if access.contains(Access::SIGNED) { IrOp::Sshr } else { IrOp::Ushr };
    let index = r.alu(op, 32, &[sum, Src::imm(u64::from(element.trailing_zeros()), 16)], &[]);
    (extended(index, access), 0)
}

/// A sum of multiples of sources and a constant, all modulo 2^32.
#[derive(Clone)]
pub(crate) struct Linear {
    pub terms: ArrayVec<(Src, i32), MAX_TERMS>,
    pub constant: i32,
}

/// A part of a sum.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub src: Src,
    /// The factor by which the sum contains it.
    factor: i32,
    /// Something else reads it too, or reads a part of the sum that contains it.
    is_shared: bool,
}

impl Linear {
    /// Decomposes `offset + bytes`, to be divided by `element`. What something else reads as well is not decomposed
    /// without need: it would have to be computed again.
    fn of(f: &Function<'_>, uses: &Uses<'_>, offset: Src, bytes: u32, element: u32) -> Linear {
        let full = Linear::of_parts(f, offset, bytes, |_| false);
        if full.terms.len() < 2 {
            return full;
        }
        let kept = Linear::of_parts(f, offset, bytes, |part| {
            part.is_shared |= part.src.as_value().is_some_and(|value| uses[value] > 1);
            part.is_shared && part.factor % element as i32 == 0
        });
        // A part that is kept must not hide a constant, which another one may cancel.
        if kept.constant == full.constant && kept.is_multiple(element as i32) { kept } else { full }
    }

    /// Decomposes `offset + bytes` as far as `is_whole` does not hold for a part. The parts of a shared part are shared.
    pub(crate) fn of_parts(
        f: &Function<'_>,
        offset: Src,
        bytes: u32,
        mut is_whole: impl FnMut(&mut Part) -> bool,
    ) -> Linear {
        let mut linear = Linear { terms: ArrayVec::new(), constant: bytes as i32 };
        let mut pending: ArrayVec<Part, MAX_STEPS> = ArrayVec::new();
        pending.push(Part { src: offset, factor: 1, is_shared: false });
        for _ in 0..MAX_STEPS {
            let Some(mut part) = pending.pop() else { return linear };
            let Part { src, factor, .. } = part;
            if let Some(imm) = src.as_imm() {
                linear.constant = linear.constant.wrapping_add((imm as i32).wrapping_mul(factor));
                continue;
            }
            match summands(f, src).filter(|_| !is_whole(&mut part)) {
                Some(parts) if pending.len() + parts.len() + linear.terms.len() <= MAX_TERMS => {
                    pending.extend(parts.iter().rev().map(|(src, times)| Part {
                        src: *src,
                        factor: times.wrapping_mul(factor),
                        is_shared: part.is_shared,
                    }));
                }
                _ if linear.add_term(src, factor) => {}
                _ => return Linear::opaque(offset, bytes),
            }
        }
        if pending.is_empty() { linear } else { Linear::opaque(offset, bytes) }
    }

    /// `offset + bytes` without decomposing `offset`.
    fn opaque(offset: Src, bytes: u32) -> Linear {
        Linear { terms: [(offset, 1)].into_iter().collect(), constant: bytes as i32 }
    }

    /// The index of elements of `element` bytes, and the shift that the hardware applies to it; `None` if the sum is
    /// not a multiple of the element.
    pub(crate) fn scaled(&self, element: u32) -> Option<(Linear, u32)> {
        // The hardware's shift is used if it makes scaling unnecessary. Otherwise accesses to members of one record should
        // use the same shift, so that they share the scaled offset.
        let has = |unit: i32| self.terms.iter().any(|(_, factor)| *factor == unit);
        let fits = |shift: &u32| {
            let unit = (element << shift) as i32;
            self.is_multiple(unit) && (*shift == 0 || has(unit))
        };
        let shift = (0..=MAX_SHIFT).rev().find(fits)?;
        Some((self.divided((element << shift) as i32), shift))
    }

    /// Whether the constant and the factors of all terms are multiples of `unit`.
    pub(crate) fn is_multiple(&self, unit: i32) -> bool {
        self.constant % unit == 0 && self.terms.iter().all(|(_, factor)| factor % unit == 0)
    }

    /// The sum divided by `unit`, of which it is a multiple.
    fn divided(&self, unit: i32) -> Linear {
        Linear {
            terms: self.terms.iter().map(|(src, factor)| (*src, factor / unit)).collect(),
            constant: self.constant / unit,
        }
    }

    fn add_term(&mut self, src: Src, factor: i32) -> bool {
        if let Some((_, times)) = self.terms.iter_mut().find(|(known, _)| *known == src) {
            *times = times.wrapping_add(factor);
            return true;
        }
        self.terms.try_push((src, factor)).is_ok()
    }

    /// Builds the sum. A single addition takes a constant and a shifted source; otherwise the constant is
    /// added last, so that accesses which differ only in it share the rest.
    fn build(&self, r: &mut Rewriter<'_, '_>) -> Src {
        let constant = Src::imm32(self.constant as u32);
        if let ([(src, factor @ (2 | 4 | 8 | 16))], 1..=MAX_IMMEDIATE) =
            (self.terms.as_slice(), self.constant)
        {
            return add_multiple(r, Some(constant), *src, *factor);
        }
        let mut sum: Option<Src> = None;
        for (src, factor) in &self.terms {
            sum = Some(add_multiple(r, sum, *src, *factor));
        }
        match sum {
            Some(sum) if self.constant != 0 => add(r, sum, constant),
            Some(sum) => sum,
            None => constant,
        }
    }
}

/// The summands of `src`, each with its factor; `None` if it is not a sum, or a product or shift by a
/// constant.
fn summands(f: &Function<'_>, src: Src) -> Option<ArrayVec<(Src, i32), 2>> {
    let data = f.def(src)?;
    if f.width(src) != 32 || data.srcs.iter().any(|src| !src.flags.is_empty() || f.width(*src) > 32) {
        return None;
    }
    let constant = |index: usize| data.srcs[index].as_imm().map(|imm| imm as i32);
    let parts: &[(Src, i32)] = match data.op {
        Op::Hw(Opcode::Iadd) if !data.get(key::SAT) && data.get(key::SHIFT) <= 4 => {
            &[(data.srcs[0], 1), (data.srcs[1], 1 << data.get(key::SHIFT))]
        }
        Op::Hw(Opcode::Isub) if !data.get(key::SAT) && data.get(key::SHIFT) == 0 => {
            &[(data.srcs[0], 1), (data.srcs[1], -1)]
        }
        Op::Hw(Opcode::Imadd) if !data.get(key::SAT) && data.get(key::SHIFT) == 0 => {
            &[(data.srcs[0], constant(1)?), (data.srcs[2], 1)]
        }
        Op::Ir(IrOp::Imul) => match (constant(0), constant(1)) {
            (_, Some(factor)) => &[(data.srcs[0], factor)],
            (Some(factor), _) => &[(data.srcs[1], factor)],
            _ => return None,
        },
        Op::Ir(IrOp::Shl) => &[(data.srcs[0], 1i32.checked_shl(constant(1)? as u32)?)],
        _ => return None,
    };
    // A narrower source would be extended by the operation that reads it, and the new reader might extend
    // differently.
    let same_width = parts.iter().all(|(part, _)| part.as_imm().is_some() || f.width(*part) == 32);
    same_width.then(|| parts.iter().copied().collect())
}

fn add(r: &mut Rewriter<'_, '_>, a: Src, b: Src) -> Src {
    r.op(Opcode::Iadd, 32, &[a, b])
}

/// `sum + src * factor`.
fn add_multiple(r: &mut Rewriter<'_, '_>, sum: Option<Src>, src: Src, factor: i32) -> Src {
    let zero = Src::imm(0, 16);
    match (sum, factor) {
        (None, 1) => src,
        (sum, -1) => r.op(Opcode::Isub, 32, &[sum.unwrap_or(zero), src]),
        (sum, 1 | 2 | 4 | 8 | 16) => {
            let mods = mods(Opcode::Iadd).with(key::SHIFT, factor.trailing_zeros());
            r.alu(Opcode::Iadd, 32, &[sum.unwrap_or(zero), src], &mods)
        }
        (None, factor) if factor > 0 && factor.count_ones() == 1 => {
            r.alu(IrOp::Shl, 32, &[src, Src::imm(u64::from(factor.trailing_zeros()), 16)], &[])
        }
        (sum, factor) => {
            let srcs = [src, Src::imm32(factor as u32), sum.unwrap_or(zero)];
            r.op(Opcode::Imadd, 32, &srcs)
        }
    }
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;
    use crate::ir::Builder;

    #[test]
    fn atomics_reach_all_clusters_where_there_are_several() {
        for (target, coherency) in [(Target::G13G, Coherency::DIE), (Target::G13X, Coherency::ALL)] {
            let bump = Bump::new();
            let mut f = Function::new(&bump, "atomic");
            let mut b = Builder::start(&mut f);
            b.effect(IrOp::AtomicGlobal, &[Src::uniform(0, 64), Src::imm32(8), Src::imm32(1)], &[0]);
            b.finish();
            lower_address(&mut f, target).unwrap();
            let inst = f.insts[f.block(f.entry()).insts[0]];
            assert_eq!((inst.op, inst.get(key::COHERENCY)), (Op::Hw(Opcode::Atomic), coherency));
        }
    }
}
