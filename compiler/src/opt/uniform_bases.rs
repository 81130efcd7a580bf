//! Adds constants of offsets to uniform bases, so that the preamble adds them and accesses share an index.
//!
//! The members of a record in an array are at `base + (i · size + member)`. Each member needs an addition,
//! because an access adds only one index to its base. With the member added to the base, which is the same for all
//! invocations, the accesses have the index `i · size` in common:
//!
//! ```text
//! %1 = shl %0, #5                   %1 = shl %0, #5
//! %2 = iadd %1, #16            →    %4 = iadd u0_u1, #16
//! %3 = load_global u0_u1, %2        %3 = load_global %4, %1 access=signed
//! ```
//!
//! What remains of an offset may be negative, if the program adds a constant to a negative difference: the
//! access becomes `signed`. `lower_address` recognises the subtraction of the constant that this pass writes.
//!
//! Constants that an addition applies for free, and offsets that are uniform, are left alone, and so are atomics.
//!
//! Before: stage source. After: the same.

use std::cell::Cell;

use agx_isa::table::Opcode;
use arrayvec::ArrayVec;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::movable::MovableValues;
use crate::ir::key;
use crate::ir::rewrite::map_some;
use crate::ir::{
    Access, Build, Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, ScratchSide, Src, Type, Value,
};
use crate::lower::{Linear, Part};

/// Maximum number of bases that are added, each of which takes four half-words of the uniform file.
const MOST_BASES: usize = 16;

/// Maximum number of different indices that are considered.
const MOST_INDICES: usize = 32;

/// Maximum number of constants of an index that are considered.
const MOST_CONSTANTS: usize = 16;

/// Adds constants of offsets to uniform bases.
pub fn opt_uniform_bases(f: &mut Function<'_>) {
    let mut insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts);
    if insts.any(|inst| location(&f.insts[*inst]).is_some_and(|[_, offset]| offset.as_value().is_some())) {
        f.with_scratch(add_constants);
    }
}

fn add_constants(f: &mut Function<'_>, scratch: &Bump) {
    let (accesses, indices) = find(f, scratch);
    let mut bases = Bases { all: ArrayVec::new(), moved: ScratchSide::later_in(scratch, f.insts.len()) };
    for access in &accesses {
        let index = &indices[access.index];
        let moved = access.constant.wrapping_sub(index.kept());
        if moved != 0 && index.constants.contains(&access.constant) && bases.include(access.base, moved) {
            bases.moved[access.inst] = moved;
        }
    }
    if !bases.all.is_empty() {
        // Each access reads the sum of what it read, so that everything stays used.
        bases.apply(f);
    }
}

/// An access with a uniform base.
#[derive(Clone, Copy)]
struct Located {
    inst: Inst,
    base: Src,
    /// The number of its index.
    index: usize,
    /// The constant part of its offset in bytes.
    constant: i32,
}

/// The variable part of offsets, as `lower_address` computes it.
struct Index {
    linear: Linear,
    shift: u32,
    /// The different constants that are added to it, in bytes.
    constants: ArrayVec<i32, MOST_CONSTANTS>,
}

impl Index {
    /// The constant that the index keeps. An addition that scales the index adds one constant for free, unless
    /// other accesses need the index alone.
    fn kept(&self) -> i32 {
        let is_scaled = matches!(self.linear.terms.as_slice(), [(_, 2 | 4 | 8 | 16)]);
        match self.constants.first() {
            Some(first) if is_scaled && *first > 0 && !self.constants.contains(&0) => *first,
            _ => 0,
        }
    }
}

/// The accesses with uniform bases, and their indices.
fn find<'s>(f: &Function<'_>, scratch: &'s Bump) -> (ArenaVec<'s, Located>, ArenaVec<'s, Index>) {
    let mut uniform = MovableValues::new_in(scratch, f);
    let (mut accesses, mut indices) = (ArenaVec::new_in(scratch), ArenaVec::new_in(scratch));
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            let data = &f.insts[*inst];
            // The preamble computes uniform parts of an offset as a whole.
            let is_whole = |part: &mut Part| part.src.as_value().is_some() && uniform.has(part.src);
            if let Some((base, linear, element)) = locate(f, data, is_whole) {
                let varies = linear.terms.iter().any(|(term, _)| !uniform.has(*term));
                let index = (varies && uniform.has(base)).then(|| include(&mut indices, &linear, element));
                if let Some(index) = index.flatten() {
                    accesses.push(Located { inst: *inst, base, index, constant: linear.constant });
                }
            }
            uniform.note(data, true);
        }
    }
    (accesses, indices)
}

/// Base, offset and size of the elements of a load or store that one instruction performs.
fn locate(
    f: &Function<'_>,
    data: &InstData<'_>,
    is_whole: impl FnMut(&mut Part) -> bool,
) -> Option<(Src, Linear, u32)> {
    let [base, offset] = location(data)?;
    let ty = data.dst().map_or_else(|| f.src_ty(data.srcs[0]), |dst| f.ty(dst));
    // The index of bytes covers only half of the offsets if it is signed.
    if !matches!(ty.bits, 16 | 32) || ty.comps > 4 || offset.as_value().is_none() {
        return None;
    }
    let (linear, element) = (Linear::of_parts(f, offset, 0, is_whole), u32::from(ty.bits / 8));
    linear.is_multiple(element as i32).then_some((base, linear, element))
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

/// Adds the constant of an offset to its index, and returns the number of the index; `None` if there are too
/// many.
fn include(indices: &mut ArenaVec<'_, Index>, linear: &Linear, element: u32) -> Option<usize> {
    let variable = Linear { constant: 0, ..linear.clone() };
    let (variable, shift) = variable.scaled(element)?;
    let is_same = |index: &Index| index.shift == shift && index.linear.terms == variable.terms;
    let at = indices.iter().position(is_same).unwrap_or(indices.len());
    if at == MOST_INDICES {
        return None;
    }
    if at == indices.len() {
        indices.push(Index { linear: variable, shift, constants: ArrayVec::new() });
    }
    let constants = &mut indices[at].constants;
    if !constants.contains(&linear.constant) {
        constants.try_push(linear.constant).ok()?;
    }
    Some(at)
}

/// A base with a constant added.
struct Base {
    base: Src,
    constant: i32,
    sum: Option<Src>,
}

/// The bases to add.
struct Bases<'s> {
    all: ArrayVec<Base, MOST_BASES>,
    /// The constant that moves from the offset of each access to its base.
    moved: ScratchSide<'s, Inst, i32>,
}

impl Bases<'_> {
    /// Adds a base; false if there are too many.
    fn include(&mut self, base: Src, constant: i32) -> bool {
        let is_known = self.all.iter().any(|other| other.base == base && other.constant == constant);
        is_known || self.all.try_push(Base { base, constant, sum: None }).is_ok()
    }

    /// Builds sums with uniform registers before the first instruction that computes something, others after the definitions
    /// of the bases, and moves the constants of accesses.
    fn apply(&mut self, f: &mut Function<'_>) {
        let entry = f.entry();
        let values: ArrayVec<Value, MOST_BASES> =
            self.all.iter().filter_map(|sum| sum.base.as_value()).collect();
        let is_begun = Cell::new(false);
        let defines = |data: &InstData<'_>| data.dsts.iter().any(|dst| values.contains(dst));
        let is_subject = |data: &InstData<'_>| !is_begun.get() || location(data).is_some() || defines(data);
        map_some(f, is_subject, |r, inst| {
            let data = r.f.insts[inst];
            let computes = !matches!(data.op, Op::Ir(IrOp::Phi | IrOp::Preload));
            if computes && !is_begun.replace(true) && r.block == entry {
                self.build(r, |base| base.as_value().is_none());
            }
            self.rewrite(r, inst, &data)
        });
    }

    /// Builds the sums of the bases that `is_there` accepts.
    fn build(&mut self, r: &mut Rewriter<'_, '_>, is_there: impl Fn(Src) -> bool) {
        for sum in self.all.iter_mut().filter(|sum| sum.sum.is_none() && is_there(sum.base)) {
            let op = if sum.constant < 0 { Opcode::Isub } else { Opcode::Iadd };
            let constant = Src::imm32(sum.constant.unsigned_abs());
            sum.sum = Some(r.op(op, Type::B64.bits, &[sum.base, constant]));
        }
    }

    /// Moves the constant of an access to its base, and builds sums after the definitions of bases.
    fn rewrite(&mut self, r: &mut Rewriter<'_, '_>, inst: Inst, data: &InstData<'_>) -> Rewrite {
        let defines = |base: Src| base.as_value().is_some_and(|value| data.dsts.contains(&value));
        if self.all.iter().any(|sum| defines(sum.base)) {
            r.push(data.op, data.dsts, data.srcs, data.mods);
            self.build(r, defines);
            return Rewrite::Remove;
        }
        let moved = self.moved[inst];
        let at = data.srcs.len().checked_sub(2).filter(|_| moved != 0);
        let base = at.and_then(|at| {
            let is_it = |sum: &&Base| sum.base == data.srcs[at] && sum.constant == moved;
            self.all.iter().find(is_it).and_then(|sum| sum.sum)
        });
        let (Some(at), Some(base)) = (at, base) else { return Rewrite::Keep };
        let rest = r.op(Opcode::Iadd, 32, &[Src::imm32(moved.wrapping_neg() as u32), data.srcs[at + 1]]);
        let mut srcs: ArrayVec<Src, 3> = data.srcs.iter().copied().collect();
        srcs[at] = base;
        srcs[at + 1] = rest;
        let access = data.get(key::ACCESS) | Access::SIGNED;
        r.push(data.op, data.dsts, &srcs, &[access.bits(), data.get(key::ALIGN)]);
        Rewrite::Remove
    }
}
