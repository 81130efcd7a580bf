//! Fuses pairs of operations into one hardware instruction.
//!
//! * A product that only feeds sums is fused with them: `ffma`, `hfma`, `imadd`, `imsub`. Floats only if the
//!   function allows contraction, and not through an `exact`, which marks operations for which SPIR-V forbids
//!   it.
//! * A sum of products and another term begins with that term: `(a * b + c * d) + e` becomes
//!   `a * b + (c * d + e)`, two operations instead of three. Mesa 25.0 does the same. Of floats, rounding differs, so this
//!   requires contraction.
//! * A left shift by up to four is fused with the addition or subtraction that reads it.
//! * The sign of a product or sum moves to its sources, if the sign of a zero sum is insignificant.
//! * The product of two reciprocal square roots is the reciprocal square root of a product, and the product of two
//!   exponentials the exponential of a sum, if both have no other use.
//! * A shift and a mask become the extraction or insertion of a field, two complementary shifts a funnel shift, and a left
//!   shift joined with a number below its lowest bit the insertion of a field.
//!
//! Runs late, after address formation has used the shifts and sums it can.
//!
//! Before: stage lowered. After: the same.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use arrayvec::ArrayVec;
use bumpalo::Bump;

use crate::analysis::users::Users;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::rewrite::map_some;
use crate::ir::{Arithmetic, Build, Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, Src};

/// Fuses products with sums, shifts with sums, and shifts with masks.
pub fn opt_fuse(f: &mut Function<'_>) {
    let has = |op: Opcode| f.present.may_have_op(op);
    let has_sums =
        [Opcode::Fadd, Opcode::Hadd, Opcode::Iadd, Opcode::Isub, Opcode::Bitop].into_iter().any(has);
    if has_sums
        || f.present.may_have_op(IrOp::Fneg)
        || has(Opcode::Fmul) && (has(Opcode::Rsqrt) || has(Opcode::Exp2))
    {
        f.with_scratch(fuse_all);
    }
}

fn fuse_all(f: &mut Function<'_>, scratch: &Bump) {
    let uses = Uses(Users::of(f, scratch));
    map_some(f, may_fuse, |r, inst| {
        let data = r.f.insts[inst];
        let fused = match data.op {
            Op::Hw(Opcode::Fadd) if r.f.contract => {
                FloatSum::new(&data, Opcode::Fmul, Opcode::Ffma).fuse(r, &uses)
            }
            Op::Hw(Opcode::Hadd) if r.f.contract => {
                FloatSum::new(&data, Opcode::Hmul, Opcode::Hfma).fuse(r, &uses)
            }
            Op::Hw(Opcode::Fmul) => product_of_functions(r, &uses, &data),
            Op::Hw(Opcode::Iadd | Opcode::Isub) => integer_sum(r, &uses, &data),
            Op::Ir(IrOp::Fneg) if r.f.contract => negation(r, &uses, &data),
            Op::Hw(Opcode::Bitop) => {
                field(r, &uses, &data).or_else(|| funnel(r, &data)).or_else(|| inserted(r, &uses, &data))
            }
            _ => None,
        };
        if fused.is_some() { Rewrite::Remove } else { Rewrite::Keep }
    });
}

/// Whether an operation may be fused with what computes its sources.
fn may_fuse(data: &InstData<'_>) -> bool {
    use Opcode::{Bitop, Fadd, Fmul, Hadd, Iadd, Isub};
    matches!(data.op, Op::Hw(Fadd | Hadd | Fmul | Iadd | Isub | Bitop) | Op::Ir(IrOp::Fneg))
}

/// Maximum number of products in a sum that is rebuilt.
const MAX_PRODUCTS: usize = 8;

/// Number of uses that are looked at: values with more are seldom products.
const MOST_USES: usize = 16;

/// The uses of all values.
struct Uses<'s>(Users<'s>);

impl Uses<'_> {
    /// Whether `src` has a single use.
    fn once(&self, src: Src) -> bool {
        self.count(src) == 1
    }

    /// The number of uses of `src`, up to a limit.
    fn count(&self, src: Src) -> usize {
        src.as_value().map_or(0, |value| self.0.get(value).take(MOST_USES).count())
    }

    /// Whether the product `src` becomes unused once the sums that read it have fused it.
    fn only_summed(&self, f: &Function<'_>, src: Src) -> bool {
        let is_sum = |inst: Inst| match f.insts[inst].op {
            Op::Hw(op) => matches!(op, Opcode::Fadd | Opcode::Hadd | Opcode::Iadd | Opcode::Isub),
            op => op == Op::Ir(IrOp::Fneg),
        };
        let all =
            |value| self.0.get(value).enumerate().all(|(at, reads)| at < MOST_USES && is_sum(reads.inst));
        src.as_value().is_some_and(all)
    }
}

/// The definition of `src` if it is `op` without source modifiers and with default modifiers.
fn defined_by<'a>(r: &Rewriter<'_, 'a>, src: Src, op: impl Into<Op>) -> Option<InstData<'a>> {
    let op = op.into();
    let data = &r.f.insts[r.f.values[src.as_value()?].def?];
    if data.op != op || !src.flags.is_empty() {
        return None;
    }
    let is_default = match op.zero_mods() {
        Some(_) => data.mods.iter().all(|code| *code == 0),
        None => *data.mods == *mods(op),
    };
    is_default.then_some(*data)
}

/// An addition of floats, with the operations of its width.
struct FloatSum<'s, 'a> {
    data: &'s InstData<'a>,
    multiply: Opcode,
    fused: Opcode,
    width: u8,
}

impl<'s, 'a> FloatSum<'s, 'a> {
    fn new(data: &'s InstData<'a>, multiply: Opcode, fused: Opcode) -> Self {
        FloatSum { data, multiply, fused, width: if multiply == Opcode::Fmul { 32 } else { 16 } }
    }

    fn fuse(&self, r: &mut Rewriter<'_, '_>, uses: &Uses<'_>) -> Option<()> {
        let [x, y] = [self.data.srcs[0], self.data.srcs[1]];
        let (own, other) = if uses.count(y) < uses.count(x) { (y, x) } else { (x, y) };
        if uses.count(other) > 1 && self.is_product(r, other) {
            // A product computed once can begin this sum and others that have no other product.
            let fused = uses.once(own).then(|| self.with_product(r, uses, own, other)).flatten();
            if let Some(done) = fused.or_else(|| self.with_chain(r, uses, own, other)) {
                return Some(done);
            }
        }
        self.with_product(r, uses, x, y)
            .or_else(|| self.with_product(r, uses, y, x))
            .or_else(|| self.with_chain(r, uses, x, y))
            .or_else(|| self.with_chain(r, uses, y, x))
    }

    /// Whether `src` is a product of the sum's width.
    fn is_product(&self, r: &Rewriter<'_, '_>, src: Src) -> bool {
        defined_by(r, src, self.multiply).is_some() && r.f.width(src) == self.width
    }

    /// `a * b + addend` for a product, possibly negated, that only sums read.
    fn with_product(
        &self,
        r: &mut Rewriter<'_, '_>,
        uses: &Uses<'_>,
        product: Src,
        addend: Src,
    ) -> Option<()> {
        let negated = defined_by(r, product, IrOp::Fneg);
        let inner = negated.map_or(product, |data| data.srcs[0]);
        if r.f.width(inner) != self.width {
            return None;
        }
        let factors = defined_by(r, inner, self.multiply)?.srcs;
        if !uses.only_summed(r.f, inner) || (negated.is_some() && !uses.only_summed(r.f, product)) {
            return None;
        }
        let first = signed(r, factors[0], negated.is_some());
        self.replace(r, [first, factors[1], addend])
    }

    /// Makes a sum of products with no other use begin with `addend`.
    fn with_chain(
        &self,
        r: &mut Rewriter<'_, '_>,
        uses: &Uses<'_>,
        products: Src,
        addend: Src,
    ) -> Option<()> {
        let is_relaxed =
            |r: &Rewriter<'_, '_>, src: Src| src.as_value().is_some_and(|value| r.f.values[value].relaxed);
        let mut factors: ArrayVec<([Src; 2], bool), MAX_PRODUCTS> = ArrayVec::new();
        let mut relaxed = self.data.dst().is_some_and(|dst| is_relaxed(r, dst.into()));
        let (mut at, mut negative) = (products, false);
        let innermost = loop {
            if let Some(negated) = defined_by(r, at, IrOp::Fneg).filter(|_| uses.once(at)) {
                (at, negative) = (negated.srcs[0], !negative);
            } else if let Some(data) = self.link(r, uses, at, self.fused) {
                factors.try_push(([data.srcs[0], data.srcs[1]], negative)).ok()?;
                relaxed &= is_relaxed(r, at);
                at = data.srcs[2];
            } else {
                let product = self.link(r, uses, at, self.multiply)?;
                break ([product.srcs[0], product.srcs[1]], negative);
            }
        };
        let (([last_a, last_b], last_negative), others) = factors.split_first()?;
        let mut total = addend;
        for ([a, b], negative) in std::iter::once(innermost).chain(others.iter().rev().copied()) {
            let a = signed(r, a, negative);
            total = r.alu(self.fused, self.width, &[a, b, total], &mods(self.fused));
            if let (true, Some(value)) = (relaxed, total.as_value()) {
                r.f.relax(value);
            }
        }
        let a = signed(r, *last_a, *last_negative);
        self.replace(r, [a, *last_b, total])
    }

    /// The definition of `at` if it is an `op` of the sum's width with a single use.
    fn link<'f>(&self, r: &Rewriter<'_, 'f>, uses: &Uses<'_>, at: Src, op: Opcode) -> Option<InstData<'f>> {
        defined_by(r, at, op).filter(|_| uses.once(at) && r.f.width(at) == self.width)
    }

    fn replace(&self, r: &mut Rewriter<'_, '_>, srcs: [Src; 3]) -> Option<()> {
        let mods = mods(self.fused).with(key::SAT, self.data.get(key::SAT));
        r.push(self.fused, self.data.dsts, &srcs, &mods);
        Some(())
    }
}

/// The source, negated in its own width if `negated`.
fn signed(r: &mut Rewriter<'_, '_>, src: Src, negated: bool) -> Src {
    let width = r.f.width(src);
    if negated { r.alu(IrOp::Fneg, width, &[src], &[]) } else { src }
}

/// Moves the sign of a product or sum with no other use to its sources, where it is free.
fn negation(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, negated: &InstData<'_>) -> Option<()> {
    let source = negated.srcs[0];
    let value = source.as_value().filter(|_| uses.once(source))?;
    let width = r.f.ty(value).bits;
    let (op, signs) = [(Opcode::Fmul, 1), (Opcode::Hmul, 1), (Opcode::Fadd, 2), (Opcode::Hadd, 2)]
        .into_iter()
        .find(|(op, _)| defined_by(r, source, *op).is_some())?;
    let data = r.f.def(source)?;
    if data.srcs.iter().any(|src| r.f.width(*src) != width) {
        return None;
    }
    let mut srcs = data.srcs.to_vec();
    for src in srcs.iter_mut().take(signs) {
        *src = r.alu(IrOp::Fneg, width, &[*src], &[]);
    }
    r.push(op, negated.dsts, &srcs, data.mods);
    Some(())
}

/// `rsqrt(a) · rsqrt(b)` as `rsqrt(a · b)`, and `exp2(a) · exp2(b)` as `exp2(a + b)`, in a function that allows other
/// rounding and more than the range of floats in between.
fn product_of_functions(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, product: &InstData<'_>) -> Option<()> {
    let [a, b] = [product.srcs[0], product.srcs[1]];
    let Op::Hw(op @ (Opcode::Rsqrt | Opcode::Exp2)) = r.f.def(a)?.op else { return None };
    let is_free = r.f.contract && !r.f.special_values && !r.f.has_exact && !product.get(key::SAT);
    if !is_free || !uses.once(a) || !uses.once(b) {
        return None;
    }
    let [a, b] = [defined_by(r, a, op)?.srcs[0], defined_by(r, b, op)?.srcs[0]];
    let argument = if op == Opcode::Rsqrt { r.fmul(a, b) } else { r.fadd(a, b) };
    r.push(op, product.dsts, &[argument], &mods(op));
    Some(())
}

fn integer_sum(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, sum: &InstData<'_>) -> Option<()> {
    let width = r.f.ty(*sum.dsts.first()?).bits;
    let plain = !sum.get(key::SAT) && sum.srcs.iter().all(|src| src.flags.is_empty());
    if !plain || sum.srcs.iter().any(|src| r.f.width(*src) != width) {
        return None;
    }
    let adds = sum.op == Op::Hw(Opcode::Iadd);
    let ([mut a, mut b], mut shift) = ([sum.srcs[0], sum.srcs[1]], sum.get(key::SHIFT));
    let mut changed = false;
    if shift == 0 && adds && small_shift(r, a).is_some() {
        (a, b) = (b, a);
    }
    if let (0, Some((inner, amount))) = (shift, small_shift(r, b)) {
        (b, shift, changed) = (inner, amount, true);
    }
    if let Some([x, y]) = product(r, uses, a, width) {
        let op = if adds { Opcode::Imadd } else { Opcode::Imsub };
        r.push(op, sum.dsts, &[x, y, b], &mods(op).with(key::SHIFT, shift));
        return Some(());
    }
    if let (0, true, Some([x, y])) = (shift, adds, product(r, uses, b, width)) {
        r.push(Opcode::Imadd, sum.dsts, &[x, y, a], &mods(Opcode::Imadd));
        return Some(());
    }
    if !changed {
        return None;
    }
    let op = if adds { Opcode::Iadd } else { Opcode::Isub };
    r.push(op, sum.dsts, &[a, b], &mods(op).with(key::SHIFT, shift));
    Some(())
}

/// The operand and amount of a left shift by one to four.
fn small_shift(r: &Rewriter<'_, '_>, src: Src) -> Option<(Src, u32)> {
    let data = defined_by(r, src, IrOp::Shl)?;
    let amount = data.srcs[1].as_imm().filter(|amount| (1..=4).contains(amount))?;
    (r.f.width(data.srcs[0]) <= 32).then_some((data.srcs[0], amount as u32))
}

/// The factors of a product that only sums read.
fn product(r: &Rewriter<'_, '_>, uses: &Uses<'_>, src: Src, width: u8) -> Option<[Src; 2]> {
    let factors = match defined_by(r, src, IrOp::Imul) {
        Some(data) if width <= 32 => [data.srcs[0], data.srcs[1]],
        _ => {
            let data = defined_by(r, src, Opcode::Imadd)?;
            (data.srcs[2].as_imm() == Some(0)).then_some([data.srcs[0], data.srcs[1]])?
        }
    };
    uses.only_summed(r.f, src).then_some(factors)
}

/// A mask applied to a shift with no other use, if it selects low bits of what is shifted right, or all that is left of low bits
/// shifted left.
fn field(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, mask: &InstData<'_>) -> Option<()> {
    let [shifted, wanted] = [mask.srcs[0], mask.srcs[1]];
    let wanted = wanted.as_imm().filter(|_| mask.get(key::TABLE) == Truth::AND && uses.once(shifted))?;
    let right = defined_by(r, shifted, IrOp::Ushr);
    let shift = right.or_else(|| defined_by(r, shifted, IrOp::Shl))?;
    let amount = match shift.srcs[1].as_imm() {
        Some(amount @ 0..32) => Src::imm(amount, 16),
        None if right.is_some() => shift.srcs[1],
        _ => return None,
    };
    let (op, ones) = match right {
        Some(_) => (Opcode::Bfeil, wanted),
        None => (Opcode::Bfi, wanted >> amount.payload),
    };
    if ones == 0 || ones >= 0x7fff_ffff || !(ones + 1).is_power_of_two() {
        return None;
    }
    let mods = mods(op).with(key::WIDTH, ones.count_ones());
    r.push(op, mask.dsts, &[Src::imm(0, 16), shift.srcs[0], amount], &mods);
    Some(())
}

/// The two parts of a shifted pair of words, combined.
fn funnel(r: &mut Rewriter<'_, '_>, join: &InstData<'_>) -> Option<()> {
    if !matches!(join.get(key::TABLE), Truth::OR | Truth::XOR) || r.f.ty(*join.dsts.first()?).bits != 32 {
        return None;
    }
    for (left, right) in [(join.srcs[0], join.srcs[1]), (join.srcs[1], join.srcs[0])] {
        let (Some(left), Some(right)) = (defined_by(r, left, IrOp::Shl), defined_by(r, right, IrOp::Ushr))
        else {
            continue;
        };
        let (Some(up), Some(down)) = (left.srcs[1].as_imm(), right.srcs[1].as_imm()) else { continue };
        let words = r.f.width(left.srcs[0]) == 32 && r.f.width(right.srcs[0]) == 32;
        if words && up != 0 && down != 0 && up + down == 32 {
            let mods = mods(Opcode::Extr);
            r.push(Opcode::Extr, join.dsts, &[right.srcs[0], left.srcs[0], Src::imm(down, 16)], &mods);
            return Some(());
        }
    }
    None
}

/// A shifted number with no other use, combined with one that has only bits below it.
fn inserted(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, join: &InstData<'_>) -> Option<()> {
    if !matches!(join.get(key::TABLE), Truth::OR | Truth::XOR) || r.f.ty(*join.dsts.first()?).bits != 32 {
        return None;
    }
    for (low, high) in [(join.srcs[0], join.srcs[1]), (join.srcs[1], join.srcs[0])] {
        let Some(shift) = defined_by(r, high, IrOp::Shl).filter(|_| uses.once(high)) else { continue };
        let Some(amount @ 1..32) = shift.srcs[1].as_imm() else { continue };
        if !low.flags.is_empty() || r.f.width(low) != 32 || u64::from(low_bits(r.f, low)) > amount {
            continue;
        }
        let room = 32 - amount as u32;
        let (number, width) = masked(r.f, shift.srcs[0]).unwrap_or((shift.srcs[0], 32));
        let width = width.min(low_bits(r.f, shift.srcs[0])).min(room);
        let mods = mods(Opcode::Bfi).with(key::WIDTH, width);
        r.push(Opcode::Bfi, join.dsts, &[low, number, Src::imm(amount, 16)], &mods);
        return Some(());
    }
    None
}

/// The number of which a mask selects low bits, and their number.
fn masked(f: &Function<'_>, src: Src) -> Option<(Src, u32)> {
    let data = f.def(src)?;
    let is_mask = data.op == Op::Hw(Opcode::Bitop) && data.get(key::TABLE) == Truth::AND;
    let [number, mask] = *data.srcs else { return None };
    let mask = mask.as_imm().filter(|mask| is_mask && (mask + 1).is_power_of_two() && *mask != 0)?;
    Some((number, mask.count_ones()))
}

/// Maximum number of fields of a word that are followed.
const MOST_FIELDS: usize = 8;

/// A number of low bits of a word outside which it is zero, from the operations that define it and its fields.
fn low_bits(f: &Function<'_>, src: Src) -> u32 {
    let (mut rest, mut most) = (src, 0);
    for _ in 0..MOST_FIELDS {
        let Some(data) = f.def(rest).filter(|data| data.op == Op::Hw(Opcode::Bfi)) else { break };
        let [base, _, amount] = *data.srcs else { return 32 };
        let width = data.get(key::WIDTH);
        let Some(amount) = amount.as_imm().filter(|amount| width != 0 && *amount < 32) else { return 32 };
        (rest, most) = (base, most.max(width + amount as u32));
    }
    most.max(low_bits_of_result(f, rest).unwrap_or(32)).min(32)
}

/// The same for the result of a single operation.
fn low_bits_of_result(f: &Function<'_>, src: Src) -> Option<u32> {
    let bits = |number: u64| u64::BITS - number.leading_zeros();
    if let Some(number) = src.as_imm() {
        return Some(bits(number));
    }
    let data = f.def(src)?;
    let last = data.srcs.last()?.as_imm();
    match data.op {
        Op::Hw(Opcode::Bitop) if data.get(key::TABLE) == Truth::AND => last.map(bits),
        Op::Ir(IrOp::Uconv) => Some(u32::from(f.width(data.srcs[0]))),
        Op::Ir(IrOp::Ushr) => last.filter(|amount| *amount < 32).map(|amount| 32 - amount as u32),
        Op::Hw(Opcode::Bfeil) if data.srcs[0].as_imm() == Some(0) => {
            Some(data.get(key::WIDTH)).filter(|width| *width != 0)
        }
        _ => None,
    }
}
