//! Copy propagation.
//!
//! Replaces uses of a copy by uses of its source: `mov`, conversions to the same width, phis with identical
//! inputs, `collect` of all parts of one `split` in order, and `split` of a `collect` of parts of the same
//! types. The copies become unused or are removed at once.
//!
//! Part of `opt_simplify`.

use crate::ir::{InstData, IrOp, Op, Rewrite, Rewriter, Src, SrcKind};

/// Forwards the source of an instruction that is a copy.
#[inline(always)]
pub(super) fn visit(rewriter: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    // Few instructions can be copies.
    if may_copy(data.op) { forward(rewriter, data) } else { Rewrite::Keep }
}

/// Whether an operation may be a copy.
#[inline(always)]
pub(super) fn may_copy(op: Op) -> bool {
    use IrOp::{Collect, Fconv, Mov, Phi, Sconv, Split, Uconv};
    matches!(op, Op::Ir(Mov | Uconv | Sconv | Fconv | Phi | Collect | Split))
}

/// Like [`visit`], for an operation that may copy.
#[inline(never)]
fn forward(rewriter: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    match data.op {
        Op::Ir(IrOp::Mov | IrOp::Uconv | IrOp::Sconv | IrOp::Fconv) => same_width(rewriter, data),
        Op::Ir(IrOp::Phi) => trivial_phi(rewriter, data),
        Op::Ir(IrOp::Collect) => collect_of_split(rewriter, data),
        Op::Ir(IrOp::Split) => split_of_collect(rewriter, data),
        _ => Rewrite::Keep,
    }
}

fn same_width(rewriter: &Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    match (data.srcs, data.dst()) {
        ([src], Some(dst)) if src.flags.is_empty() && rewriter.f.src_ty(*src) == rewriter.f.ty(dst) => {
            Rewrite::Forward(*src)
        }
        _ => Rewrite::Keep,
    }
}

/// A phi with one source other than itself. The rewriter resolves loop-carried inputs that are forwarded
/// later in program order, so a chain of such phis may need another run.
fn trivial_phi(rewriter: &Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    let Some(dst) = data.dst() else { return Rewrite::Keep };
    let mut only = None;
    for src in data.srcs.iter().map(|src| rewriter.resolve(*src)) {
        if src.as_value() == Some(dst) || only == Some(src) {
            continue;
        }
        if only.is_some() {
            return Rewrite::Keep;
        }
        only = Some(src);
    }
    only.map_or(Rewrite::Keep, Rewrite::Forward)
}

/// `collect` of one source of its own type, or of every part of one vector in order.
fn collect_of_split(rewriter: &Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    let (Some(dst), Some(first)) = (data.dst(), data.srcs.first()) else { return Rewrite::Keep };
    let ty = rewriter.f.ty(dst);
    if data.srcs.len() == 1 && rewriter.f.src_ty(*first) == ty {
        return Rewrite::Forward(*first);
    }
    if let Some(constant) = constant_parts(rewriter, data.srcs) {
        return if ty.comps == 1 { Rewrite::Forward(Src::imm(constant, ty.bits)) } else { Rewrite::Keep };
    }
    let Some(split) = rewriter.f.def(*first).filter(|def| def.op == Op::Ir(IrOp::Split)) else {
        return Rewrite::Keep;
    };
    let same = split.dsts.len() == data.srcs.len()
        && split
            .dsts
            .iter()
            .zip(data.srcs)
            .all(|(part, src)| src.as_value() == Some(*part) && src.flags.is_empty());
    match split.srcs {
        [whole] if same && rewriter.f.src_ty(*whole) == ty => Rewrite::Forward(*whole),
        _ => Rewrite::Keep,
    }
}

/// The parts as one number of at most 64 bits, if all of them are constants.
fn constant_parts(rewriter: &Rewriter<'_, '_>, parts: &[Src]) -> Option<u64> {
    let (mut bits, mut at) = (0u64, 0u32);
    for part in parts {
        let width = u32::from(rewriter.f.width(*part));
        if part.kind != SrcKind::Imm || at + width > 64 {
            return None;
        }
        bits |= part.payload << at;
        at += width;
    }
    Some(bits)
}

/// Each result of the split of a constant or of a matching collect is the part itself.
fn split_of_collect(rewriter: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    let [whole] = data.srcs else { return Rewrite::Keep };
    if let (Some(bits), true) = (whole.as_imm(), whole.flags.is_empty()) {
        let mut at = 0;
        for part in data.dsts {
            let width = rewriter.f.ty(*part).bits;
            rewriter.forward(*part, Src::imm(bits.checked_shr(at).unwrap_or(0), width));
            at += u32::from(width);
        }
        return Rewrite::Remove;
    }
    if let (Some(half), true) = (whole.as_uniform(), whole.flags.is_empty()) {
        let mut at = half;
        for part in data.dsts {
            let ty = rewriter.f.ty(*part);
            rewriter.forward(*part, Src::uniform(at, ty.bits));
            at += ty.halves();
        }
        return Rewrite::Remove;
    }
    if let ([dst], true) = (data.dsts, whole.flags.is_empty())
        && rewriter.f.ty(*dst) == rewriter.f.src_ty(*whole)
    {
        return Rewrite::Forward(*whole);
    }
    let Some(collect) = rewriter.f.def(*whole).filter(|def| def.op == Op::Ir(IrOp::Collect)) else {
        return Rewrite::Keep;
    };
    let same = collect.srcs.len() == data.dsts.len()
        && collect
            .srcs
            .iter()
            .zip(data.dsts)
            .all(|(src, dst)| rewriter.f.src_ty(*src) == rewriter.f.ty(*dst));
    if !same {
        return Rewrite::Keep;
    }
    for (src, dst) in collect.srcs.iter().zip(data.dsts) {
        rewriter.forward(*dst, *src);
    }
    Rewrite::Remove
}
