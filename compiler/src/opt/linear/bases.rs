//! Constants of offsets move to uniform bases, for the preamble: `base + (i·size + member)` is `(base + member) + i·size`.
//!
//! The members of a record in an array each need an addition, because an access adds only one index to its base. With the
//! member added to the base, which is the same for all invocations, the accesses have the index `i·size` in common:
//!
//! ```text
//! %1 = shl %0, #5                   %1 = shl %0, #5
//! %2 = iadd %1, #16            →    %4 = iadd u0_u1, #16
//! %3 = load_global u0_u1, %2        %3 = load_global %4, %1 access=signed
//! ```
//!
//! What remains of an offset may be negative, if the program adds a constant to a negative difference: the
//! access becomes `signed`. `lower_address` recognises the subtraction of the constant that this move writes, and `opt_cse`
//! merges equal bases.
//!
//! Offsets that are uniform are left alone, and so are atomics.

use agx_isa::table::Opcode;
use arrayvec::ArrayVec;

use crate::analysis::movable::MovableValues;
use crate::ir::families::GLOBAL;
use crate::ir::key;
use crate::ir::rewrite::map_some;
use crate::ir::{Access, Build, Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, Src};
use crate::lower::{Linear, Part};

/// Maximum number of bases that are added, each of which takes four half-words of the uniform file.
const MOST_BASES: usize = 16;

/// Whether there are offsets to look at.
pub(super) fn has_offsets(f: &Function<'_>) -> bool {
    let mut insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts);
    let has_offset =
        |inst: &Inst| location(&f.insts[*inst]).is_some_and(|[_, offset]| offset.as_value().is_some());
    GLOBAL.may_occur(f) && insts.any(has_offset)
}

/// Adds constants of offsets to uniform bases.
pub(super) fn move_constants(f: &mut Function<'_>, uniform: &MovableValues<'_>) {
    let mut bases: ArrayVec<(Src, i32), MOST_BASES> = ArrayVec::new();
    let is_access = |data: &InstData<'_>| location(data).is_some();
    map_some(f, is_access, |r, inst| match constant(r.f, &r.f.insts[inst], uniform) {
        Some(base) if bases.contains(&base) || bases.try_push(base).is_ok() => move_constant(r, inst, base.1),
        _ => Rewrite::Keep,
    });
}

/// Moves a constant from the offset of an access to its base.
fn move_constant(r: &mut Rewriter<'_, '_>, inst: Inst, constant: i32) -> Rewrite {
    let data = r.f.insts[inst];
    let mut srcs: ArrayVec<Src, 3> = data.srcs.iter().copied().collect();
    let [.., base, offset] = &mut srcs[..] else { return Rewrite::Keep };
    let op = if constant < 0 { Opcode::Isub } else { Opcode::Iadd };
    *base = r.op(op, 64, &[*base, Src::imm32(constant.unsigned_abs())]);
    *offset = r.op(Opcode::Iadd, 32, &[Src::imm32(constant.wrapping_neg() as u32), *offset]);
    let access = data.get(key::ACCESS) | Access::SIGNED;
    r.push(data.op, data.dsts, &srcs, &[access.bits(), data.get(key::ALIGN)]);
    Rewrite::Remove
}

/// The uniform base of a load or store that one instruction performs, and the constant part of its offset in bytes; `None` if the
/// constant is zero or the offset is uniform.
fn constant(f: &Function<'_>, data: &InstData<'_>, uniform: &MovableValues<'_>) -> Option<(Src, i32)> {
    let [base, offset] = location(data)?;
    let ty = data.dst().map_or_else(|| f.src_ty(data.srcs[0]), |dst| f.ty(dst));
    // The index of bytes covers only half of the offsets if it is signed.
    if !matches!(ty.bits, 16 | 32) || ty.comps > 4 || offset.as_value().is_none() || !uniform.has(base) {
        return None;
    }
    // The preamble computes uniform parts of an offset as a whole.
    let is_whole = |part: &mut Part| part.src.as_value().is_some() && uniform.has(part.src);
    let (linear, element) = (Linear::of_parts(f, offset, 0, is_whole), u32::from(ty.bits / 8));
    let varies = linear.terms.iter().any(|(term, _)| !uniform.has(*term));
    let is_index = || Linear { constant: 0, ..linear.clone() }.scaled(element).is_some();
    (linear.constant != 0 && varies && linear.is_multiple(element as i32) && is_index())
        .then_some((base, linear.constant))
}

/// Base and offset of a load or store.
fn location(data: &InstData<'_>) -> Option<[Src; 2]> {
    match (data.op, data.srcs) {
        (Op::Ir(IrOp::LoadGlobal), [base, offset]) | (Op::Ir(IrOp::StoreGlobal), [_, base, offset]) => {
            Some([*base, *offset])
        }
        _ => None,
    }
}
