//! Narrows fragment input reads to the components in use.
//!
//! A front end reads a variable as a whole. Each component takes registers and a coefficient, which the
//! hardware computes for every triangle, even if no `split` result uses it.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::uses::uses;
use crate::ir::rewrite::map_some;
use crate::ir::table::ScratchSide;
use crate::ir::vectors::taken_apart;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Src, Type, Value};

/// How a vector is read.
#[derive(Clone, Copy, Default)]
struct Read {
    /// Mask of the components that are read.
    components: u16,
    /// Splits into its components.
    splits: u32,
    /// The narrow vector that replaces it, and its first component.
    narrow: Option<(Value, u8)>,
}

impl Read {
    /// The first component that is read, and the number of components up to the last one; `None` if nothing
    /// is read.
    fn extent(&self) -> Option<(u32, u32)> {
        let last = self.components.checked_ilog2()?;
        let first = self.components.trailing_zeros();
        Some((first, last + 1 - first))
    }
}

/// Whether an instruction reads an input, or the components of one.
fn is_subject(data: &InstData<'_>) -> bool {
    matches!(data.op, Op::Ir(IrOp::Interpolate | IrOp::Split))
}

/// The first and the number of the components in use, if an instruction reads an input that has others.
fn in_use(
    f: &Function<'_>,
    data: &InstData<'_>,
    reads: &ScratchSide<'_, Value, Read>,
    uses: &ScratchSide<'_, Value, u32>,
) -> Option<(u32, u32)> {
    let dst = data.dst().filter(|_| data.op == Op::Ir(IrOp::Interpolate))?;
    let extent = reads[dst].extent().filter(|_| reads[dst].splits == uses[dst]);
    extent.filter(|(_, count)| *count != u32::from(f.ty(dst).comps))
}

/// Narrows fragment input reads to the components in use.
pub(super) fn narrow(f: &mut Function<'_>, scratch: &Bump) {
    let uses = uses(f, scratch);
    let insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts).copied();
    let subjects = ArenaVec::from_iter_in(insts.filter(|inst| is_subject(&f.insts[*inst])), scratch);
    let mut reads: ScratchSide<'_, Value, Read> = ScratchSide::later_in(scratch, f.values.len());
    for data in subjects.iter().map(|inst| &f.insts[*inst]) {
        let Some((vector, components)) = taken_apart(f, data) else { continue };
        let read = (0..).zip(components).filter(|(_, component)| uses[**component] != 0);
        reads[vector].components |= read.fold(0, |bits, (at, _): (u16, _)| bits | 1 << at);
        reads[vector].splits += 1;
    }
    if !subjects.iter().any(|inst| in_use(f, &f.insts[*inst], &reads, &uses).is_some()) {
        return;
    }
    map_some(f, is_subject, |r, inst| {
        let data = r.f.insts[inst];
        match data.op {
            Op::Ir(IrOp::Interpolate) => {
                let (Some(dst), [input, mode, place]) = (data.dst(), data.mods) else { return Rewrite::Keep };
                let Some((first, count)) = in_use(r.f, &data, &reads, &uses) else { return Rewrite::Keep };
                let ty = Type::vector(r.f.ty(dst).bits, count as u8);
                let narrow = r.value(IrOp::Interpolate, ty, data.srcs, &[input + first, *mode, *place]);
                reads[dst].narrow = Some((narrow, first as u8));
                Rewrite::Remove
            }
            Op::Ir(IrOp::Split) => {
                let vector = data.srcs.first().and_then(|src| src.as_value());
                let Some((narrow, first)) = vector.and_then(|vector| reads[vector].narrow) else {
                    return Rewrite::Keep;
                };
                let count = usize::from(r.f.ty(narrow).comps);
                let parts = &data.dsts[usize::from(first)..usize::from(first) + count];
                r.push(if count == 1 { IrOp::Copy } else { IrOp::Split }, parts, &[Src::value(narrow)], &[]);
                Rewrite::Remove
            }
            _ => Rewrite::Keep,
        }
    });
}
