//! What the moves know of values, and the decomposition of values into sums of products.

use agx_isa::table::Opcode;
use arrayvec::ArrayVec;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::pairs::Pairs;
use super::sum::{Factors, Sum, Term};
use crate::analysis::exact::exact_values;
use crate::analysis::movable::MovableValues;
use crate::ir::key;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Src, Type, Value};

/// Maximum number of summands that wait for their decomposition.
const MOST_PENDING: usize = 16;

/// The role of a value in its only use, in the block that defines it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Part {
    /// Something else, or there are several uses.
    #[default]
    None,
    /// A factor of a product.
    Factor,
    /// A term of a sum.
    Term,
}

/// What is known of a value.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Known {
    /// The plain 32-bit product, sum, or sum with a product that computes it, if that may be rounded differently and the preamble
    /// could not compute it from the beginning.
    pub op: Option<Opcode>,
    pub part: Part,
    /// A sum or product reads it.
    pub is_read: bool,
    /// Number of operands that read it.
    pub uses: u32,
    /// The block that defines it, counted from 1.
    pub home: u32,
    /// Number of products that contain it, each counted once.
    pub products: u16,
    /// Number of those with three or more factors.
    pub longer: u16,
}

/// A sum, product or negation, and its block.
struct Operation {
    inst: Inst,
    block: Block,
    /// Its operation; `None` for a negation.
    op: Option<Opcode>,
}

/// What is known of the values of a function.
pub(super) struct Facts<'s> {
    values: ScratchSide<'s, Value, Known>,
    /// The values that the preamble can compute.
    pub uniform: MovableValues<'s>,
    /// There may be reciprocal roots.
    pub has_roots: bool,
    /// The sums, products and negations of the function as it was.
    operations: ArenaVec<'s, Operation>,
    /// The pairs of factors that several sums share, once they are needed.
    pairs: Option<Pairs>,
}

/// Whether an instruction may be one of [`plain`].
pub(super) fn may_be_plain(data: &InstData<'_>) -> bool {
    matches!(data.op, Op::Hw(Opcode::Fmul | Opcode::Fadd | Opcode::Ffma))
}

/// The operation of a plain 32-bit product, sum, or sum with a product.
fn plain(f: &Function<'_>, data: &InstData<'_>) -> Option<Opcode> {
    let Op::Hw(op @ (Opcode::Fmul | Opcode::Fadd | Opcode::Ffma)) = data.op else { return None };
    let is_plain =
        !data.get(key::SAT) && data.srcs.iter().all(|src| src.flags.is_empty() && f.width(*src) == 32);
    (is_plain && f.ty(data.dst()?) == Type::B32).then_some(op)
}

/// What a source negates in 32 bits.
#[inline]
pub(super) fn negated(f: &Function<'_>, src: Src) -> Option<Src> {
    let data = &f.insts[f.values[src.as_value()?].def?];
    let is_negation = data.op == Op::Ir(IrOp::Fneg) && src.flags.is_empty();
    is_negation.then(|| data.srcs[0]).filter(|inner| f.width(*inner) == 32)
}

/// A sum as the code computes it.
#[derive(Default)]
pub(super) struct Chain {
    pub sum: Sum,
    /// Everything in it is relaxed.
    pub relaxed: bool,
}

impl<'s> Facts<'s> {
    pub(super) fn of(f: &Function<'_>, uniform: MovableValues<'s>, scratch: &'s Bump) -> Facts<'s> {
        let mut facts = Facts {
            values: ScratchSide::new_in(scratch, f.values.len()),
            uniform,
            has_roots: [Opcode::Rsqrt, Opcode::Rsqrts].iter().any(|op| f.present.may_have_op(*op)),
            operations: ArenaVec::new_in(scratch),
            pairs: None,
        };
        let operations = facts.count_uses(f, scratch);
        facts.find_parts(f, &operations);
        facts.count_products(f, &operations);
        facts.operations = operations;
        facts
    }

    /// Counts the uses of values. Lists the sums, products and negations.
    fn count_uses(&mut self, f: &Function<'_>, scratch: &'s Bump) -> ArenaVec<'s, Operation> {
        let (exact, mut operations) = (exact_values(f), ArenaVec::new_in(scratch));
        for block in f.blocks_in_order() {
            for inst in &f.block(block).insts {
                let data = &f.insts[*inst];
                let may_change =
                    |dst: Option<Value>| dst.is_some_and(|dst| !self.is_uniform(dst.into()) && !exact[dst]);
                let op = if may_be_plain(data) && may_change(data.dst()) { plain(f, data) } else { None };
                let is_plain = op.is_some();
                for value in data.values() {
                    let known = &mut self.values[value];
                    known.uses += 1;
                    known.is_read |= is_plain;
                }
                for dst in data.dsts {
                    let known = &mut self.values[*dst];
                    (known.home, known.op) = (block.0 + 1, op);
                }
                if is_plain || data.op == Op::Ir(IrOp::Fneg) {
                    operations.push(Operation { inst: *inst, block, op });
                }
            }
        }
        operations
    }

    /// Determines the role of each value in its use, users first.
    fn find_parts(&mut self, f: &Function<'_>, operations: &[Operation]) {
        for Operation { inst, block, op } in operations.iter().rev() {
            let data = &f.insts[*inst];
            let own = data.dst().map_or(Part::None, |dst| self.values[dst].part);
            if op.is_none() && own == Part::None {
                continue;
            }
            for (index, src) in data.srcs.iter().enumerate() {
                let part = match op {
                    Some(Opcode::Fmul) => Part::Factor,
                    Some(Opcode::Ffma) if index < 2 => Part::Factor,
                    Some(_) => Part::Term,
                    None if src.flags.is_empty() => own,
                    None => Part::None,
                };
                let Some(value) = src.as_value().filter(|_| !self.is_uniform(*src)) else { continue };
                let is_square = own == Part::Term && part == Part::Factor && self.is_scaled_square(f, data);
                let known = self.values[value];
                if known.uses == 1 + u32::from(is_square) && known.home == block.0 + 1 {
                    self.values[value] = Known { part, ..known };
                }
            }
        }
    }

    /// Whether an operation multiplies a product that has a uniform factor by itself. Other terms of the sum may have the
    /// square of that factor.
    fn is_scaled_square(&self, f: &Function<'_>, data: &InstData<'_>) -> bool {
        let [a, b, ..] = data.srcs else { return false };
        let Some(factor) = f.def(*a).filter(|_| a == b) else { return false };
        factor.op == Op::Hw(Opcode::Fmul) && factor.srcs.iter().any(|src| self.is_uniform(*src))
    }

    /// Counts the products that contain each value.
    fn count_products(&mut self, f: &Function<'_>, operations: &[Operation]) {
        for Operation { inst, op, .. } in operations {
            let data = &f.insts[*inst];
            let factors = match op {
                Some(Opcode::Fmul) if !self.is(data.dst(), Part::Factor) => data.srcs,
                Some(Opcode::Ffma) => &data.srcs[..2],
                _ => continue,
            };
            if !factors.iter().any(|src| self.get(*src).part == Part::Factor) {
                self.count_factors(factors);
                continue;
            }
            let mut term = Term::default();
            if self.multiply(f, &mut term, factors, &mut true).is_some() {
                self.count_factors(&term.factors);
            }
        }
    }

    /// Counts the factors of a product, each once.
    fn count_factors(&mut self, factors: &[Src]) {
        for (at, factor) in factors.iter().enumerate() {
            if let Some(value) = factor.as_value().filter(|_| !factors[..at].contains(factor)) {
                let known = &mut self.values[value];
                known.products = known.products.saturating_add(1);
                known.longer = known.longer.saturating_add(u16::from(factors.len() > 2));
            }
        }
    }

    /// What is known of the value that `src` is.
    pub(super) fn get(&self, src: Src) -> Known {
        src.as_value().map_or(Known::default(), |value| self.values[value])
    }

    /// Whether a value has a role.
    fn is(&self, value: Option<Value>, part: Part) -> bool {
        value.is_some_and(|value| self.values[value].part == part)
    }

    pub(super) fn is_uniform(&self, src: Src) -> bool {
        self.uniform.has(src)
    }

    /// Notes that `src`, if it is a value, has a role or is uniform. It was built.
    pub(super) fn note(&mut self, f: &Function<'_>, src: Src, known: Known, is_uniform: bool) {
        if let Some(value) = src.as_value() {
            let op = f.def(src).and_then(|data| plain(f, &data));
            self.values[value] = Known { op, ..known };
            if is_uniform {
                self.uniform.add(value);
            }
        }
    }

    /// The operation that an instruction is, if it may be regrouped, and its sources.
    pub(super) fn operation<'a>(&self, f: &Function<'a>, inst: Inst) -> Option<(Opcode, &'a [Src])> {
        let data = &f.insts[inst];
        let dst = data.dst().filter(|dst| !self.uniform.has((*dst).into()))?;
        Some((self.values[dst].op?, data.srcs))
    }

    /// Counts the pairs of factors that sums would contain.
    pub(super) fn count_pairs(&mut self, f: &Function<'_>) {
        if self.pairs.is_some() {
            return;
        }
        let (mut pairs, mut chain) = (Pairs::default(), Chain::default());
        for Operation { inst, .. } in &self.operations {
            // Terms of other sums are counted with those.
            let is_product = self.operation(f, *inst).is_none_or(|(op, _)| op == Opcode::Fmul);
            if !is_product && !self.is(f.insts[*inst].dst(), Part::Term) {
                self.decompose(f, *inst, &mut chain).iter().for_each(|()| pairs.add(&chain.sum));
            }
        }
        self.pairs = Some(pairs);
    }

    /// Whether several sums contain what remains of two terms without the factor they share, as far as that was counted.
    pub(super) fn is_shared_pair(&self, first: &Term, second: &Term) -> bool {
        self.pairs.as_ref().is_some_and(|pairs| pairs.are_shared(first, second))
    }

    /// The operation that computes `src`, if it has a role.
    fn part<'a>(&self, f: &Function<'a>, src: Src, part: Part) -> Option<(Opcode, &'a [Src])> {
        let value = src.as_value().filter(|_| src.flags.is_empty())?;
        let op = Some(self.values[value]).filter(|known| known.part == part)?.op?;
        Some((op, f.insts[f.values[value].def?].srcs))
    }

    /// Adds the factors of the product of `srcs` to `term`, and clears `relaxed` if an intermediate product is not relaxed;
    /// `None` if there are too many.
    fn multiply(&self, f: &Function<'_>, term: &mut Term, srcs: &[Src], relaxed: &mut bool) -> Option<()> {
        let mut pending = Factors::new();
        srcs.iter().try_for_each(|src| pending.try_push(*src).ok())?;
        while let Some(src) = pending.pop() {
            if let Some(inner) = negated(f, src) {
                term.negative = !term.negative;
                pending.try_push(inner).ok()?;
                continue;
            }
            match self.part(f, src, Part::Factor).filter(|(op, _)| *op == Opcode::Fmul) {
                Some((_, srcs)) => {
                    srcs.iter().try_for_each(|src| pending.try_push(*src).ok())?;
                    *relaxed &= is_relaxed(f, src);
                }
                None => term.factors.try_push(src).ok()?,
            }
        }
        Some(())
    }

    /// Whether an operation on `srcs` has terms and factors beyond them, or may have factors in common.
    pub(super) fn is_chain(&self, srcs: &[Src]) -> bool {
        let repeats = matches!(srcs, [a, b, c] if c == a || c == b);
        repeats || srcs.iter().any(|src| self.get(*src).part != Part::None)
    }

    /// Finds the sum that an operation completes; `None` if it has too many terms or factors.
    pub(super) fn decompose(&self, f: &Function<'_>, inst: Inst, chain: &mut Chain) -> Option<()> {
        chain.sum.clear();
        chain.relaxed = f.insts[inst].dst().is_some_and(|dst| f.values[dst].relaxed);
        let mut pending: ArrayVec<(Src, bool), MOST_PENDING> = ArrayVec::new();
        self.add(f, self.operation(f, inst)?, false, chain, &mut pending)?;
        while let Some((src, negative)) = pending.pop() {
            if let Some(inner) = negated(f, src) {
                pending.try_push((inner, !negative)).ok()?;
            } else if let Some(operation) = self.part(f, src, Part::Term) {
                chain.relaxed &= is_relaxed(f, src);
                self.add(f, operation, negative, chain, &mut pending)?;
            } else {
                chain.sum.try_push(Term { negative, ..Term::of(src) }).ok()?;
            }
        }
        Some(())
    }

    /// Adds the product of an operation to a chain, and its summands to `pending`.
    fn add(
        &self,
        f: &Function<'_>,
        (op, srcs): (Opcode, &[Src]),
        negative: bool,
        chain: &mut Chain,
        pending: &mut ArrayVec<(Src, bool), MOST_PENDING>,
    ) -> Option<()> {
        let (factors, summands) = match op {
            Opcode::Fmul => (srcs, &[][..]),
            Opcode::Ffma => srcs.split_at(2),
            _ => (&[][..], srcs),
        };
        if !factors.is_empty() {
            let mut term = Term { negative, ..Term::default() };
            self.multiply(f, &mut term, factors, &mut chain.relaxed)?;
            chain.sum.try_push(term).ok()?;
        }
        // Reversed, so that the first one is popped first.
        summands.iter().rev().try_for_each(|src| pending.try_push((*src, negative)).ok())
    }
}

fn is_relaxed(f: &Function<'_>, src: Src) -> bool {
    src.as_value().is_some_and(|value| f.values[value].relaxed)
}
