//! High halves of products.
//!
//! The hardware's multiply-add takes 32-bit factors and gives a 64-bit result, so the high word of a product
//! is the upper register of a pair. 16-bit products are computed in 32 bits, 64-bit products from four
//! partial ones. Where a block also needs the low word of such a product, it takes the lower register.
//!
//! Before: stage source; no 8-bit arithmetic; no integer division. After: the same; no high products.

use agx_isa::inst::OperandFlags;
use agx_isa::table::Opcode;
use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use crate::error::CompileError;
use crate::ir::families::HIGH_PRODUCTS;
use crate::ir::rewrite::map_some;
use crate::ir::{Arithmetic, Block, Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src, SrcKind};

/// Replaces `umulh` and `smulh`.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_multiply_high(f: &mut Function<'_>) -> Result<(), CompileError> {
    if !HIGH_PRODUCTS.may_occur(f) {
        return Ok(());
    }
    let blocks = f.blocks_in_order();
    let insts = blocks.flat_map(|block| f.block(block).insts.iter().map(move |inst| (block, *inst)));
    let all: HashSet<Product, FxBuildHasher> =
        insts.filter_map(|(block, inst)| Product::of_high(f, block, &f.insts[inst])).collect();
    let mut computed: HashMap<Product, [Src; 2], FxBuildHasher> = HashMap::default();
    let is_subject = |data: &InstData<'_>| matches!(data.op, Op::Ir(IrOp::Umulh | IrOp::Smulh | IrOp::Imul));
    map_some(f, is_subject, |r, inst| {
        let data = r.f.insts[inst];
        let high = Product::of_high(r.f, r.block, &data);
        let low = || Product::of_low(r.f, r.block, &data).find(|product| all.contains(product));
        if let Some(product) = high.or_else(low) {
            let words = *computed.entry(product).or_insert_with(|| product.words(r));
            return Rewrite::Forward(words[usize::from(high.is_some())]);
        }
        match data.op {
            Op::Ir(IrOp::Imul) => Rewrite::Keep,
            op => Rewrite::Forward(multiply_high(r, data.srcs[0], data.srcs[1], op == Op::Ir(IrOp::Smulh))),
        }
    });
    Ok(())
}

/// The product of two words in a block, with 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Product {
    block: Block,
    factors: [Src; 2],
    signed: bool,
}

impl Product {
    fn new(block: Block, data: &InstData<'_>, signed: bool) -> Product {
        let mut factors = [data.srcs[0], data.srcs[1]];
        factors.sort_unstable_by_key(|src| (src.kind == SrcKind::Imm, src.payload));
        Product { block, factors, signed }
    }

    /// That whose high word an operation gives.
    fn of_high(f: &Function<'_>, block: Block, data: &InstData<'_>) -> Option<Product> {
        let is_high = matches!(data.op, Op::Ir(IrOp::Umulh | IrOp::Smulh)) && f.width(data.srcs[0]) == 32;
        is_high.then(|| Product::new(block, data, data.op == Op::Ir(IrOp::Smulh)))
    }

    /// Those whose low word an operation gives.
    fn of_low(f: &Function<'_>, block: Block, data: &InstData<'_>) -> impl Iterator<Item = Product> {
        let is_low = data.op == Op::Ir(IrOp::Imul) && f.width(data.srcs[0]) == 32;
        [false, true].into_iter().filter(move |_| is_low).map(move |signed| Product::new(block, data, signed))
    }

    /// Computes its words, the low one first.
    fn words(self, r: &mut Rewriter<'_, '_>) -> [Src; 2] {
        let [a, b] = self.factors;
        let product = wide_product(r, a, b, Src::imm32(0), self.signed);
        r.words(product)
    }
}

/// The high half of the product of two integers of 16, 32 or 64 bits.
pub(super) fn multiply_high(r: &mut Rewriter<'_, '_>, a: Src, b: Src, signed: bool) -> Src {
    match (r.f.width(a), signed) {
        (64, false) => unsigned_quad(r, a, b),
        (64, true) => signed_quad(r, a, b),
        (32, _) => {
            let product = wide_product(r, a, b, Src::imm32(0), signed);
            r.words(product)[1]
        }
        (width, _) => {
            let flags = if signed { OperandFlags::SX } else { OperandFlags::empty() };
            let product = r.op(Opcode::Imadd, 32, &[a.with(flags), b.with(flags), Src::imm32(0)]);
            let high = r.op(IrOp::Ushr, 32, &[product, Src::imm32(u32::from(width))]);
            r.op(IrOp::Uconv, width, &[high])
        }
    }
}

/// Schoolbook multiplication; no sum of a partial product and a carried word exceeds 64 bits.
fn unsigned_quad(r: &mut Rewriter<'_, '_>, a: Src, b: Src) -> Src {
    let ([a_low, a_high], [b_low, b_high]) = (r.words(a), r.words(b));
    let lowest = wide_product(r, a_low, b_low, Src::imm32(0), false);
    let carry = r.words(lowest)[1];
    let middle = wide_product(r, a_low, b_high, carry, false);
    let [middle_low, middle_high] = r.words(middle);
    let other = wide_product(r, a_high, b_low, middle_low, false);
    let carry = r.words(other)[1];
    let highest = wide_product(r, a_high, b_high, middle_high, false);
    r.op(Opcode::Iadd, 64, &[highest, carry])
}

/// A negative factor is treated as itself plus 2^64, so the other factor is subtracted from the high half.
fn signed_quad(r: &mut Rewriter<'_, '_>, a: Src, b: Src) -> Src {
    let mut high = unsigned_quad(r, a, b);
    for (factor, other) in [(a, b), (b, a)] {
        let factor_high = r.words(factor)[1];
        let mask = r.op(IrOp::Sshr, 32, &[factor_high, Src::imm32(31)]);
        let other = r.words(other).map(|word| r.and(word, mask));
        let other = r.join(other);
        high = r.op(Opcode::Isub, 64, &[high, other]);
    }
    high
}

/// The 64-bit product of two words plus `addend`.
pub(super) fn wide_product(r: &mut Rewriter<'_, '_>, a: Src, b: Src, addend: Src, signed: bool) -> Src {
    let (a, b) = if signed { (sign_extended(a), sign_extended(b)) } else { (a, b) };
    r.op(Opcode::Imadd, 64, &[a, b, addend])
}

/// A word read as signed. A non-negative constant needs no flag, so that it can stay an immediate.
fn sign_extended(src: Src) -> Src {
    match src.as_imm() {
        Some(bits) if bits >> (src.bits - 1) == 0 => src,
        _ => src.with(OperandFlags::SX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower_int8;
    use crate::lower::lower_int64;
    use crate::lower::test_arithmetic::{Case, check_where};

    #[test]
    fn agrees_with_its_semantics_at_every_width() {
        for op in [IrOp::Umulh, IrOp::Smulh] {
            for width in [8, 16, 32, 64] {
                let case = Case::new(op, width, &[width, width], &[]);
                let lowered = |_: &Function<'_>, data: &InstData<'_>| data.op != Op::Ir(op);
                check_where(&case, &[lower_int8, lower_multiply_high, lower_int64], lowered, |_| true);
            }
        }
    }
}
