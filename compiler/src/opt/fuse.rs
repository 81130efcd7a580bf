//! Fuses pairs of operations into one hardware instruction.
//!
//! * A product that only feeds sums is fused with them: `ffma`, `hfma`, `imadd`, `imsub`. Floats only if the
//!   function allows contraction, and not through an `exact`, which marks operations for which SPIR-V forbids
//!   it.
//! * Twice a number, computed as a sum, counts as a product.
//! * A sum of products and another term begins with that term: `(a * b + c * d) + e` becomes
//!   `a * b + (c * d + e)`, two operations instead of three. Mesa 25.0 does the same. Of floats, rounding differs, so this
//!   requires contraction.
//! * A left shift by up to four is fused with the addition or subtraction that reads it.
//! * The sign of a product or sum moves to its sources, if the sign of a zero sum is insignificant.
//! * The product of two reciprocal square roots is the reciprocal square root of a product, and the product of two
//!   exponentials the exponential of a sum, if both have no other use.
//! * A sum with a constant that is only compared with another constant is not computed: the number is compared with the
//!   difference of the constants, if it is exact.
//! * A right shift and a mask become a field extraction, two complementary shifts a funnel shift.
//!
//! Runs late, after address formation has used the shifts and sums it can.
//!
//! Before: stage lowered. After: the same.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use arrayvec::ArrayVec;
use bumpalo::Bump;

use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::rewrite::map_some;
use crate::ir::{
    Arithmetic, Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, ScratchSide, Src, Value,
};

/// The 16-bit float 2.
const HALF_TWO: u16 = 0x4000;

/// Fuses products with sums, shifts with sums, and shifts with masks.
pub fn opt_fuse(f: &mut Function<'_>) {
    let has = |op: Opcode| f.present.may_have_op(op);
    let has_sums =
        [Opcode::Fadd, Opcode::Hadd, Opcode::Iadd, Opcode::Isub, Opcode::Bitop].into_iter().any(has);
    let has_others = f.present.may_have_op(IrOp::Fneg) || f.present.may_have_op(IrOp::Fcmp);
    if has_sums || has_others || has(Opcode::Fmul) && (has(Opcode::Rsqrt) || has(Opcode::Exp2)) {
        f.with_scratch(fuse_all);
    }
}

fn fuse_all(f: &mut Function<'_>, scratch: &Bump) {
    let uses = Uses::of(f, scratch);
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
            Op::Ir(IrOp::Fcmp) => compared_sum(r, &uses, &data),
            Op::Hw(Opcode::Bitop) => field(r, &uses, &data).or_else(|| funnel(r, &data)),
            _ => None,
        };
        if fused.is_some() { Rewrite::Remove } else { Rewrite::Keep }
    });
}

/// Whether an operation may be fused with what computes its sources.
fn may_fuse(data: &InstData<'_>) -> bool {
    use Opcode::{Bitop, Fadd, Fmul, Hadd, Iadd, Isub};
    matches!(data.op, Op::Hw(Fadd | Hadd | Fmul | Iadd | Isub | Bitop) | Op::Ir(IrOp::Fneg | IrOp::Fcmp))
}

/// Maximum number of products in a sum that is rebuilt.
const MAX_PRODUCTS: usize = 8;

/// The uses of a value.
#[derive(Clone, Copy, Default)]
struct Reads {
    /// Their number, up to a limit.
    count: u8,
    /// One of them is not an addition.
    by_others: bool,
}

/// The uses of all values.
struct Uses<'s>(ScratchSide<'s, Value, Reads>);

impl<'s> Uses<'s> {
    fn of(f: &Function<'_>, scratch: &'s Bump) -> Uses<'s> {
        let mut uses = ScratchSide::new_in(scratch, f.values.len());
        for block in f.blocks_in_order() {
            for inst in &f.block(block).insts {
                let data = &f.insts[*inst];
                let sum = matches!(
                    data.op,
                    Op::Hw(Opcode::Fadd | Opcode::Hadd | Opcode::Iadd | Opcode::Isub) | Op::Ir(IrOp::Fneg)
                );
                for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                    let reads: &mut Reads = &mut uses[value];
                    reads.count = reads.count.saturating_add(1);
                    reads.by_others |= !sum;
                }
            }
        }
        Uses(uses)
    }

    /// Whether `src` has a single use.
    fn once(&self, src: Src) -> bool {
        self.count(src) == 1
    }

    /// The number of uses of `src`, up to a limit.
    fn count(&self, src: Src) -> u8 {
        src.as_value().map_or(0, |value| self.0[value].count)
    }

    /// Whether the product `src` becomes unused once the sums that read it have fused it.
    fn only_summed(&self, src: Src) -> bool {
        src.as_value().is_some_and(|value| !self.0[value].by_others)
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
        let factors = match defined_by(r, inner, self.multiply) {
            Some(data) => [data.srcs[0], data.srcs[1]],
            None => self.doubled(r, inner)?,
        };
        if !uses.only_summed(inner) || (negated.is_some() && !uses.only_summed(product)) {
            return None;
        }
        let first = signed(r, factors[0], negated.is_some());
        self.replace(r, [first, factors[1], addend])
    }

    /// The factors of a sum of equal terms.
    fn doubled(&self, r: &Rewriter<'_, '_>, src: Src) -> Option<[Src; 2]> {
        let data = defined_by(r, src, self.data.op).filter(|data| data.srcs[0] == data.srcs[1])?;
        let two = if self.width == 32 { u64::from(2f32.to_bits()) } else { u64::from(HALF_TWO) };
        Some([data.srcs[0], Src::imm(two, self.width)])
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
    let value = source.as_value().filter(|value| uses.0[*value].count == 1)?;
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
    let argument = if op == Opcode::Rsqrt { r.fmul(a, b) } else { sum(r, uses, [a, b]) };
    r.push(op, product.dsts, &[argument], &mods(op));
    Some(())
}

/// The sum of two floats, fused with one that is a product with no other use.
fn sum(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, [a, b]: [Src; 2]) -> Src {
    let factors = [(a, b), (b, a)].into_iter().find_map(|(product, addend)| {
        let data = defined_by(r, product, Opcode::Fmul).filter(|_| uses.once(product))?;
        Some([data.srcs[0], data.srcs[1], addend])
    });
    match factors {
        Some(srcs) => r.op(Opcode::Ffma, 32, &srcs),
        None => r.fadd(a, b),
    }
}

/// A comparison of `x + a` with `b` as one of `x` with `b − a`: without the sum, no digit is lost. Where `b − a` is much
/// smaller than `b`, the rounding of the sum decides, and may be what the program asks for.
fn compared_sum(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, comparison: &InstData<'_>) -> Option<()> {
    let [sum, bound] = [comparison.srcs[0], comparison.srcs[1]];
    if !r.f.contract || r.f.special_values || r.f.has_exact || !uses.once(sum) {
        return None;
    }
    let data = defined_by(r, sum, Opcode::Fadd)?;
    let is_plain = |src: &Src| src.flags.is_empty() && r.f.width(*src) == 32;
    if !data.srcs.iter().chain(comparison.srcs).all(is_plain) {
        return None;
    }
    let [bound, added] =
        [bound, data.srcs[1]].map(|src| src.as_imm().map(|bits| f32::from_bits(bits as u32)));
    let bound = bound?;
    let difference = exact_difference(bound, added?).filter(|number| number.abs() >= bound.abs() / 2.0)?;
    let srcs = [data.srcs[0], Src::imm(difference.to_bits().into(), 32)];
    r.push(comparison.op, comparison.dsts, &srcs, comparison.mods);
    Some(())
}

/// `a − b` if it is a number that 32 bits represent exactly.
fn exact_difference(a: f32, b: f32) -> Option<f32> {
    let difference = a - b;
    let is_number = difference.is_normal() || difference == 0.0;
    let [a, b, wide] = [a, b, difference].map(f64::from);
    (is_number && a - wide == b && b + wide == a).then_some(difference)
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
        return integer_chain(r, uses, sum, [a, b]).or_else(|| integer_chain(r, uses, sum, [b, a]));
    }
    let op = if adds { Opcode::Iadd } else { Opcode::Isub };
    r.push(op, sum.dsts, &[a, b], &mods(op).with(key::SHIFT, shift));
    Some(())
}

/// Makes a sum of integer products with no other use begin with `addend`.
fn integer_chain(
    r: &mut Rewriter<'_, '_>,
    uses: &Uses<'_>,
    sum: &InstData<'_>,
    [products, addend]: [Src; 2],
) -> Option<()> {
    let width = r.f.ty(*sum.dsts.first()?).bits;
    if sum.op != Op::Hw(Opcode::Iadd) || sum.get(key::SHIFT) != 0 {
        return None;
    }
    let (mut at, mut factors) = (products, ArrayVec::<[Src; 2], MAX_PRODUCTS>::new());
    let innermost = loop {
        if !uses.once(at) || r.f.width(at) != width {
            return None;
        }
        if let Some(product) = product(r, uses, at, width) {
            break product;
        }
        let link = defined_by(r, at, Opcode::Imadd)?;
        factors.try_push([link.srcs[0], link.srcs[1]]).ok()?;
        at = link.srcs[2];
    };
    let ([last_a, last_b], others) = factors.split_first()?;
    let mut total = addend;
    for [a, b] in std::iter::once(innermost).chain(others.iter().rev().copied()) {
        total = r.op(Opcode::Imadd, width, &[a, b, total]);
    }
    r.push(Opcode::Imadd, sum.dsts, &[*last_a, *last_b, total], &mods(Opcode::Imadd));
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
    uses.only_summed(src).then_some(factors)
}

/// A mask of low bits applied to a right shift with no other use.
fn field(r: &mut Rewriter<'_, '_>, uses: &Uses<'_>, mask: &InstData<'_>) -> Option<()> {
    let ones = mask.srcs[1].as_imm().filter(|ones| *ones < 0x7fff_ffff && (ones + 1).is_power_of_two())?;
    let shift = defined_by(r, mask.srcs[0], IrOp::Ushr)
        .filter(|_| mask.get(key::TABLE) == Truth::AND && ones != 0 && uses.once(mask.srcs[0]))?;
    let amount = match shift.srcs[1].as_imm() {
        Some(amount @ 0..32) => Src::imm(amount, 16),
        Some(_) => return None,
        None => shift.srcs[1],
    };
    let zero = Src::imm(0, 16);
    let mods = mods(Opcode::Bfeil).with(key::WIDTH, ones.count_ones());
    r.push(Opcode::Bfeil, mask.dsts, &[zero, shift.srcs[0], amount], &mods);
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
