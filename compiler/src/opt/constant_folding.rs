//! Constant folding.
//!
//! Evaluates pure operations whose sources are all constant, with the semantics that the interpreter and the
//! hardware share. Canonicalises the order of sources of commutative operations, constants last, so that
//! later passes need to match only one form; comparisons are exchanged together with their condition.
//!
//! Part of `opt_simplify`.

use agx_isa::inst::MAX_OPERANDS;
use agx_isa::table::Opcode;
use agx_isa::table::names::{FloatCondition, IntCondition, Truth};
use arrayvec::ArrayVec;

use crate::ir::insert::fold;
use crate::ir::key;
use crate::ir::{Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, Src, SrcKind};

/// Folds an instruction on constants, or orders its sources.
#[inline(always)]
pub(super) fn visit<'a>(rewriter: &mut Rewriter<'_, 'a>, inst: Inst, data: &InstData<'a>) -> Rewrite {
    // Constants come last, so the first source usually shows whether there is anything to fold.
    let may_fold = data.srcs.first().is_none_or(|src| matches!(src.kind, SrcKind::Imm | SrcKind::None));
    if may_fold || !are_ordered(data) { fold_or_order(rewriter, inst, data) } else { Rewrite::Keep }
}

/// Like [`visit`], for an instruction that may be changed.
#[inline(never)]
fn fold_or_order<'a>(rewriter: &mut Rewriter<'_, 'a>, inst: Inst, data: &InstData<'a>) -> Rewrite {
    if let Some(dst) = data.dst() {
        let ty = rewriter.f.ty(dst);
        if let Some(constant) = fold(rewriter.f, data.op, ty, data.srcs, data.mods) {
            return Rewrite::Forward(constant);
        }
    }
    order_sources(rewriter.f, inst, data);
    Rewrite::Keep
}

/// How the first two sources of an operation may be exchanged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exchange {
    No,
    Free,
    /// A comparison: less and greater are swapped.
    Condition,
    /// A truth table: its rows for (1, 0) and (0, 1) are swapped.
    TruthTable,
}

fn exchange(data: &InstData<'_>) -> Exchange {
    use Opcode::{Bitop, Fadd, Ffma, Fmul, Hadd, Hfma, Hmul, Iadd, Imadd, Imsub};
    match data.op {
        Op::Hw(Fadd | Fmul | Hadd | Hmul | Ffma | Hfma | Imadd | Imsub) => Exchange::Free,
        Op::Hw(Iadd) if data.get(key::SHIFT) == 0 => Exchange::Free,
        Op::Hw(Bitop) => Exchange::TruthTable,
        Op::Ir(IrOp::Imul | IrOp::Imin | IrOp::Imax | IrOp::Umin | IrOp::Umax) => Exchange::Free,
        Op::Ir(IrOp::Umulh | IrOp::Smulh) => Exchange::Free,
        Op::Ir(IrOp::Icmp | IrOp::Fcmp) => Exchange::Condition,
        _ => Exchange::No,
    }
}

/// Whether the first two sources are in their order.
#[inline(always)]
fn are_ordered(data: &InstData<'_>) -> bool {
    match data.srcs {
        [a, b, ..] => rank(*a) <= rank(*b),
        _ => true,
    }
}

fn order_sources<'a>(f: &mut Function<'a>, inst: Inst, data: &InstData<'a>) {
    let [a, b, rest @ ..] = data.srcs else { return };
    if are_ordered(data) {
        return;
    }
    let exchange = match data.op {
        Op::Ir(IrOp::Fmin | IrOp::Fmax) if may_exchange_extremum(f, *a) => Exchange::Free,
        _ => exchange(data),
    };
    if exchange == Exchange::No {
        return;
    }
    let mods = match exchange {
        Exchange::Free => data.mods,
        _ => match exchanged_mods(exchange, data) {
            Some(mods) => f.alloc(&mods),
            None => return,
        },
    };
    let srcs = match rest {
        [] => f.alloc(&[*b, *a]),
        [c] => f.alloc(&[*b, *a, *c]),
        _ => return,
    };
    let exchanged = &mut f.insts[inst];
    (exchanged.srcs, exchanged.mods) = (srcs, mods);
}

/// Whether a constant may become the second source of an extremum: of two zeros, the second one is the result.
fn may_exchange_extremum(f: &Function<'_>, constant: Src) -> bool {
    let sign = 1 << (constant.bits.max(1) - 1);
    constant.as_imm().is_some_and(|bits| !f.signed_zeros || bits & !sign != 0)
}

/// Values in order of definition, then uniforms, then constants.
fn rank(src: Src) -> (u8, u64) {
    let kind = match src.kind {
        SrcKind::Value => 0,
        SrcKind::Uniform => 1,
        SrcKind::Imm => 2,
        SrcKind::None => 3,
    };
    (kind, src.payload)
}

/// The modifiers after exchanging the first two sources; `None` if there is no such form.
fn exchanged_mods(exchange: Exchange, data: &InstData<'_>) -> Option<ArrayVec<u32, MAX_OPERANDS>> {
    let mut mods = ArrayVec::try_from(data.mods).ok()?;
    match exchange {
        Exchange::No => return None,
        Exchange::Free => {}
        Exchange::TruthTable => {
            let table = mods.get_mut(data.op.mod_index("table")?)?;
            let exchanged = Truth::new(*table).exchanged();
            *table = exchanged.get();
            if !exchanged.is_sound() {
                // The two tables that do not depend on the first source alone are undefined in hardware
                // (applegpu).
                return None;
            }
        }
        Exchange::Condition => {
            let condition = mods.get_mut(data.op.mod_index("cond")?)?;
            *condition = match data.op {
                Op::Ir(IrOp::Icmp) => IntCondition::new(*condition).exchanged().get(),
                _ => FloatCondition::new(*condition).exchanged()?.get(),
            };
        }
    }
    Some(mods)
}
