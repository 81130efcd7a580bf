//! What products and sums consist of, in a few bits: mostly they show that nothing can be shorter.

use agx_isa::table::Opcode;
use bitflags::bitflags;

use super::{Chains, Part};
use crate::ir::{Function, InstData, IrOp, Op, Src, Value};

bitflags! {
    /// What there is in a sum or product.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    struct Has: u8 {
        /// What nothing is noted of.
        const UNKNOWN = 1 << 0;
        /// A term that is no product.
        const SINGLE = 1 << 1;
        /// An addition of nothing but products.
        const BARE_PRODUCT = 1 << 2;
        /// A factor that may occur twice.
        const REPEATED = 1 << 3;
        /// A product of three factors or more.
        const LONG = 1 << 4;
        /// A factor that may be the complement of another.
        const COMPLEMENT = 1 << 5;
    }
}

/// What was summed up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Kind {
    /// Nothing yet.
    #[default]
    None,
    Product,
    Sum,
}

/// What a product or sum consists of, down to where chains end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Summary {
    kind: Kind,
    has: Has,
    /// Terms of a sum or factors of a product.
    count: u16,
    /// Terms that are uniform.
    uniform: u16,
    /// The factors, by the low bits of what they are.
    seen: u64,
}

impl Summary {
    fn new(kind: Kind) -> Summary {
        Summary { kind, ..Summary::default() }
    }

    /// Whether a sum may have a shorter form: see [`Maker::shorter_sum`](super::Maker::shorter_sum).
    pub(super) fn may_be_shorter(self) -> bool {
        self.has.intersects(Has::UNKNOWN | Has::REPEATED | Has::LONG | Has::COMPLEMENT)
            || self.has.contains(Has::SINGLE | Has::BARE_PRODUCT)
            || (self.uniform >= 2 && self.uniform < self.count)
    }

    fn see(&mut self, seen: u64) {
        if self.seen & seen != 0 {
            self.has |= Has::REPEATED;
        }
        self.seen |= seen;
    }

    /// Adds what there is in a part.
    fn merge(&mut self, part: Summary) {
        self.has |= part.has;
        self.see(part.seen);
    }

    fn add_product(&mut self, product: Summary, is_uniform: bool) {
        self.merge(product);
        if product.count > 2 {
            self.has |= Has::LONG;
        }
        self.count += 1;
        self.uniform += u16::from(is_uniform);
    }
}

impl Chains {
    /// Notes what an instruction consists of that stays as it is.
    pub(super) fn note(&mut self, f: &Function<'_>, op: Opcode, dst: Value, data: &InstData<'_>) {
        if self.parts[dst] != Part::None {
            self.summaries[dst] = self.summary(f, op, data);
        }
    }

    /// What a product or sum consists of.
    pub(super) fn summary(&self, f: &Function<'_>, op: Opcode, data: &InstData<'_>) -> Summary {
        if op == Opcode::Fmul {
            return self.product_summary(f, data.srcs);
        }
        let (factors, summands) = data.srcs.split_at(if op == Opcode::Ffma { 2 } else { 0 });
        let mut summary = Summary::new(Kind::Sum);
        if !factors.is_empty() {
            let is_uniform = factors.iter().all(|src| self.is_uniform(*src));
            summary.add_product(self.product_summary(f, factors), is_uniform);
        }
        let mut are_products = true;
        for src in summands {
            are_products &= self.add_term(f, &mut summary, *src);
        }
        if are_products {
            summary.has |= Has::BARE_PRODUCT;
        }
        summary
    }

    fn product_summary(&self, f: &Function<'_>, factors: &[Src]) -> Summary {
        let mut summary = Summary::new(Kind::Product);
        for src in factors {
            let part = src.as_value().filter(|value| self.parts[*value] == Part::Factor);
            match part.map(|value| (value, self.summaries[value])) {
                Some((_, product)) if product.kind == Kind::Product => {
                    summary.merge(product);
                    summary.count += product.count;
                    continue;
                }
                Some((value, none)) if none.kind == Kind::None && self.may_go_on(f, value) => {
                    summary.has |= Has::UNKNOWN;
                }
                _ => {}
            }
            if self.may_blend && is_sum_or_selection(f, *src) {
                summary.has |= Has::COMPLEMENT;
            }
            summary.count += 1;
            summary.see(1 << (src.payload % 64));
        }
        summary
    }

    /// Adds a summand; whether it is a product.
    fn add_term(&self, f: &Function<'_>, summary: &mut Summary, src: Src) -> bool {
        let part = src.as_value().filter(|value| self.parts[*value] == Part::Term);
        let known = part.map_or(Summary::default(), |value| self.summaries[value]);
        match (known.kind, part) {
            (Kind::Product, Some(value)) => {
                summary.add_product(known, self.uniform[value]);
                return true;
            }
            (Kind::Sum, _) => {
                summary.merge(known);
                summary.count += known.count;
                summary.uniform += known.uniform;
                return false;
            }
            (Kind::None, Some(value)) if self.may_go_on(f, value) => summary.has |= Has::UNKNOWN,
            _ => {}
        }
        summary.has |= Has::SINGLE;
        summary.count += 1;
        summary.uniform += u16::from(self.is_uniform(src));
        summary.see(1 << (src.payload % 64));
        false
    }

    /// Whether a chain may go on through a value that nothing is noted of.
    fn may_go_on(&self, f: &Function<'_>, value: Value) -> bool {
        let Some(def) = f.values[value].def else { return false };
        self.operation(f, def).is_some() || f.insts[def].op == Op::Ir(IrOp::Fneg)
    }
}

fn is_sum_or_selection(f: &Function<'_>, src: Src) -> bool {
    let def = src.as_value().and_then(|value| f.values[value].def);
    def.is_some_and(|def| matches!(f.insts[def].op, Op::Hw(Opcode::Fadd) | Op::Ir(IrOp::Select)))
}
