//! Factors sums of products, and multiplies shared or uniform factors first.
//!
//! A sum whose terms have factors in common needs fewer multiplications when they are factored out:
//! `n·s·(l·t) + m·s·(k·t)`, the dot product of two normalised vectors, becomes `s·t·(n·l + m·k)`. In a
//! product of three or more factors, uniform factors come first, so that the preamble multiplies them, then
//! those that other products share, so that `opt_cse` merges their products.
//!
//! A blend of two values, `x·(1 − t) + y·t`, becomes `x + t·(y − x)`: one operation less if `y` is a product,
//! and a selection if `t` is selected as 0 or 1 by a condition. Uniform terms of a sum are added first, for
//! the preamble.
//!
//! A pair of factors that several sums would contain is taken out, although that alone saves nothing, and a
//! reciprocal root times a sum with the root needs no root.
//!
//! Only operations whose result has a single use, in the same block, are rebuilt; uniform ones, which the
//! preamble executes once, are not. Rounding differs: the pass does nothing if a function or an `exact` forbids contraction,
//! or if signed zeros, infinities or NaNs are significant.
//!
//! Before: stage source. After: the same.

mod blend;
mod pairs;
mod roots;
mod summary;
mod terms;

use agx_isa::table::Opcode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::may_regroup;
use crate::analysis::exact::exact_values;
use crate::analysis::movable::MovableValues;
use crate::ir::build::alu::FloatCond;
use crate::ir::key;
use crate::ir::rewrite::map_some;
use crate::ir::{
    Arithmetic, Block, Build, Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, ScratchSide, Side, Src,
    Type, Value,
};
use blend::{Blend, condition_of_step, is_complement, is_step};
use pairs::{Pairs, cancel, has_pair};
use roots::RootProduct;
use summary::{Has, Kind, Summary};
use terms::{Group, Leaves, Term, Terms, best_group, may_repeat};

/// Factors sums of products, and multiplies shared or uniform factors first.
pub fn opt_factor(f: &mut Function<'_>) {
    let is_free = may_regroup(f);
    if !is_free || !(f.present.may_have_op(Opcode::Fmul) || f.present.may_have_op(Opcode::Fadd)) {
        return;
    }
    f.with_scratch(factor_all);
}

fn factor_all(f: &mut Function<'_>, scratch: &Bump) {
    let mut chains = Chains::of(f, scratch);
    if !chains.any {
        return;
    }
    map_some(f, may_be_plain, |r, inst| {
        let Some((op, _)) = chains.operation(r.f, inst) else { return Rewrite::Keep };
        let data = r.f.insts[inst];
        let Some(dst) = data.dst().filter(|dst| !chains.exact[*dst]) else { return Rewrite::Keep };
        let result = chains.visit(r, op, dst, &data);
        if result.is_none() {
            chains.note(r.f, op, dst, &data);
        }
        result.map_or(Rewrite::Keep, Rewrite::Forward)
    });
}

/// Minimum number of terms of a sum for which shared pairs of factors are counted: two pairs.
const FEWEST_OF_PAIRS: usize = 4;

/// The role of a value in its only use.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Part {
    /// Something else, or there are several uses.
    #[default]
    None,
    /// A factor of a product.
    Factor,
    /// A term of a sum.
    Term,
}

/// The uses of a value.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Reader {
    uses: u32,
    /// The block that defines the value, counted from 1.
    home: u32,
}

impl Reader {
    /// A single reader of a value defined in `home`, which may be its square.
    fn only(home: Block, is_square: bool) -> Reader {
        Reader { uses: 1 + u32::from(is_square), home: home.0 + 1 }
    }
}

/// The products that contain a value, each counted once.
#[derive(Clone, Copy, Default)]
struct Products {
    /// Number of products of the function.
    all: u16,
    /// Number of products of three or more factors.
    longer: u16,
}

/// An operation of chains, or a negation, and its block.
struct Operation {
    inst: Inst,
    block: Block,
}

/// Whether there may be a factor that is selected as 0 or 1 by a condition.
fn may_select(f: &Function<'_>) -> bool {
    f.present.may_have_op(IrOp::Select)
}

/// The structure of nested products and sums.
struct Chains<'s> {
    parts: ScratchSide<'s, Value, Part>,
    exact: Side<Value, bool>,
    /// Factors of products with another, uniform factor.
    scaled: ScratchSide<'s, Value, bool>,
    uniform: MovableValues<'s>,
    /// Number of products that contain each value.
    products: ScratchSide<'s, Value, Products>,
    /// For each examined product or sum, its operation if it is [`plain`] and not uniform.
    kinds: ScratchSide<'s, Inst, Option<Option<Opcode>>>,
    /// Summaries of the products and sums visited so far.
    summaries: ScratchSide<'s, Value, Summary>,
    /// There is a chain that may be improved.
    any: bool,
    /// There may be blends.
    may_blend: bool,
    /// There may be reciprocal roots.
    may_have_roots: bool,
    /// The pairs of factors that several sums share, once they are needed.
    pairs: Option<Pairs>,
}

/// Whether an instruction may be one of [`plain`].
fn may_be_plain(data: &InstData<'_>) -> bool {
    matches!(data.op, Op::Hw(Opcode::Fmul | Opcode::Fadd | Opcode::Ffma))
}

/// The operation of a plain 32-bit product, sum, or sum with a product.
fn plain(f: &Function<'_>, data: &InstData<'_>) -> Option<Opcode> {
    let Op::Hw(op @ (Opcode::Fmul | Opcode::Fadd | Opcode::Ffma)) = data.op else { return None };
    let is_plain =
        !data.get(key::SAT) && data.srcs.iter().all(|src| src.flags.is_empty() && f.width(*src) == 32);
    (is_plain && f.ty(data.dst()?) == Type::B32).then_some(op)
}

impl<'s> Chains<'s> {
    fn of(f: &Function<'_>, scratch: &'s Bump) -> Chains<'s> {
        let mut chains = Chains {
            parts: ScratchSide::new_in(scratch, f.values.len()),
            exact: exact_values(f),
            scaled: ScratchSide::new_in(scratch, f.values.len()),
            uniform: MovableValues::new_in(scratch, f),
            products: ScratchSide::later_in(scratch, f.values.len()),
            kinds: ScratchSide::new_in(scratch, f.insts.len()),
            summaries: ScratchSide::later_in(scratch, f.values.len()),
            any: false,
            may_blend: may_select(f) || f.present.may_have_op(IrOp::Fneg),
            may_have_roots: [Opcode::Rsqrt, Opcode::Rsqrts].iter().any(|op| f.present.may_have_op(*op)),
            pairs: None,
        };
        let (readers, operations) = chains.find_uniform(f, scratch);
        chains.find_parts(f, &readers, &operations);
        if chains.any {
            chains.count_factors(f, &operations);
        }
        chains
    }

    /// Determines which values are uniform, and how values are used. Lists the operations of chains.
    fn find_uniform(
        &mut self,
        f: &Function<'_>,
        scratch: &'s Bump,
    ) -> (ScratchSide<'s, Value, Reader>, ArenaVec<'s, Operation>) {
        let mut readers: ScratchSide<'_, Value, Reader> = ScratchSide::new_in(scratch, f.values.len());
        let mut operations = ArenaVec::new_in(scratch);
        for segment in f.layout {
            for inst in &f.block(segment.block).insts {
                let data = &f.insts[*inst];
                let is_uniform = self.uniform.note(data, true);
                for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                    readers[value].uses += 1;
                }
                for dst in data.dsts {
                    readers[*dst].home = segment.block.0 + 1;
                }
                let is_operation = if may_be_plain(data) {
                    let kind = if is_uniform { None } else { plain(f, data) };
                    self.kinds[*inst] = Some(kind);
                    kind.is_some()
                } else {
                    data.op == Op::Ir(IrOp::Fneg)
                };
                if is_operation {
                    operations.push(Operation { inst: *inst, block: segment.block });
                }
            }
        }
        (readers, operations)
    }

    /// The sources of a plain 32-bit product, sum, or sum with a product.
    #[inline(always)]
    fn operation<'a>(&self, f: &Function<'a>, inst: Inst) -> Option<(Opcode, &'a [Src])> {
        // Instructions built since are not in the table.
        let kind = self.kinds[inst].unwrap_or_else(|| plain(f, &f.insts[inst]))?;
        Some((kind, f.insts[inst].srcs))
    }

    fn is_uniform(&self, src: Src) -> bool {
        self.uniform.has(src)
    }

    /// Determines the role of each value in its use, users first.
    fn find_parts(
        &mut self,
        f: &Function<'_>,
        readers: &ScratchSide<'_, Value, Reader>,
        operations: &[Operation],
    ) {
        for Operation { inst, block } in operations.iter().rev() {
            let data = &f.insts[*inst];
            let own = data.dst().map_or(Part::None, |dst| self.parts[dst]);
            let is_negation = data.op == Op::Ir(IrOp::Fneg);
            let operation =
                self.operation(f, *inst).filter(|_| data.dst().is_some_and(|dst| !self.exact[dst]));
            self.any |= match operation {
                Some((Opcode::Fmul, _)) => own != Part::None,
                Some((_, srcs)) => own == Part::Term && srcs.iter().any(|src| self.is_uniform(*src)),
                None => false,
            };
            if operation.is_none() && !(is_negation && own != Part::None) {
                continue;
            }
            for (index, src) in data.srcs.iter().enumerate() {
                let part = match operation {
                    Some((Opcode::Fmul, _)) => Part::Factor,
                    Some((Opcode::Ffma, _)) if index < 2 => Part::Factor,
                    Some(_) => Part::Term,
                    None if is_negation && src.flags.is_empty() => own,
                    None => Part::None,
                };
                let is_square = own == Part::Term && part == Part::Factor && self.is_scaled_square(f, data);
                if let Some(value) = src.as_value()
                    && readers[value] == Reader::only(*block, is_square)
                    && !self.uniform.has(*src)
                {
                    self.parts[value] = part;
                    self.scaled[value] = part == Part::Factor && self.is_scaled(data, own, index);
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

    /// Whether a factor of a product, or of a negation's operand, is accompanied by a uniform factor.
    fn is_scaled(&self, data: &InstData<'_>, own: Part, index: usize) -> bool {
        let beside = if data.srcs.len() > 1 { data.srcs.get(1 - index).copied() } else { None };
        let is_outer = own == Part::Factor && data.op != Op::Hw(Opcode::Ffma);
        beside.is_some_and(|src| self.is_uniform(src))
            || is_outer && data.dst().is_some_and(|dst| self.scaled[dst])
    }

    fn count_factors(&mut self, f: &Function<'_>, operations: &[Operation]) {
        for Operation { inst, .. } in operations {
            let is_factor =
                |data: &InstData<'_>| data.dst().is_none_or(|dst| self.parts[dst] == Part::Factor);
            let factors = match self.operation(f, *inst) {
                Some((Opcode::Fmul, srcs)) if !is_factor(&f.insts[*inst]) => srcs,
                Some((Opcode::Ffma, srcs)) => &srcs[..2],
                _ => continue,
            };
            if !self.is_longer(factors) {
                self.count_leaves(factors);
                continue;
            }
            let mut term = Term::default();
            if self.multiply(f, &mut term, factors, &mut true).is_some() {
                self.count_leaves(&term.leaves);
            }
        }
    }

    /// Counts the factors of a product, each once.
    fn count_leaves(&mut self, leaves: &[Src]) {
        for (at, leaf) in leaves.iter().enumerate() {
            if let Some(value) = leaf.as_value().filter(|_| !leaves[..at].contains(leaf)) {
                let products = &mut self.products[value];
                products.all = products.all.saturating_add(1);
                products.longer = products.longer.saturating_add(u16::from(leaves.len() > 2));
            }
        }
    }

    /// Whether a product has more factors than its last operation shows.
    fn is_longer(&self, srcs: &[Src]) -> bool {
        srcs.iter().any(|src| src.as_value().is_some_and(|value| self.parts[value] == Part::Factor))
    }

    /// Adds the factors of the product of `srcs` to `term`, and clears `relaxed` if an intermediate product is not relaxed;
    /// `None` if there are too many.
    fn multiply(&self, f: &Function<'_>, term: &mut Term, srcs: &[Src], relaxed: &mut bool) -> Option<()> {
        let mut pending: Leaves = Leaves::new();
        srcs.iter().try_for_each(|src| pending.try_push(*src).ok())?;
        while let Some(src) = pending.pop() {
            let value =
                src.as_value().filter(|value| self.parts[*value] == Part::Factor && src.flags.is_empty());
            let def = value.and_then(|value| f.values[value].def);
            match def.map(|def| (self.operation(f, def), &f.insts[def])) {
                Some((Some((Opcode::Fmul, srcs)), data))
                    if !data.dst().is_some_and(|dst| self.exact[dst]) =>
                {
                    srcs.iter().try_for_each(|src| pending.try_push(*src).ok())?;
                    *relaxed &= data.dst().is_some_and(|dst| f.values[dst].relaxed);
                }
                Some((None, data)) if data.op == Op::Ir(IrOp::Fneg) && f.width(data.srcs[0]) == 32 => {
                    term.negative = !term.negative;
                    pending.try_push(data.srcs[0]).ok()?;
                }
                _ => term.leaves.try_push(src).ok()?,
            }
        }
        Some(())
    }

    /// Adds the terms of a sum to `terms`, and returns whether a product is not fused with an addition
    /// because it is added to another product.
    fn sum<'a>(
        &self,
        f: &Function<'a>,
        data: &InstData<'a>,
        terms: &mut Terms,
        relaxed: &mut bool,
    ) -> Option<bool> {
        let mut pending: arrayvec::ArrayVec<(Src, bool), 16> = arrayvec::ArrayVec::new();
        let mut has_bare_product = self.adds_products(f, data);
        self.add(f, data, false, terms, &mut pending, relaxed)?;
        while let Some((src, negative)) = pending.pop() {
            let value =
                src.as_value().filter(|value| self.parts[*value] == Part::Term && src.flags.is_empty());
            let def = value.and_then(|value| f.values[value].def);
            let def = def.filter(|def| f.insts[*def].dst().is_some_and(|dst| !self.exact[dst]));
            match def.map(|def| (self.operation(f, def), &f.insts[def])) {
                Some((Some((Opcode::Fmul, srcs)), data)) => {
                    self.multiply(f, new_term(terms, negative)?, srcs, relaxed)?;
                    *relaxed &= data.dst().is_some_and(|dst| f.values[dst].relaxed);
                }
                Some((Some(_), data)) => {
                    *relaxed &= data.dst().is_some_and(|dst| f.values[dst].relaxed);
                    has_bare_product |= self.adds_products(f, data);
                    self.add(f, data, negative, terms, &mut pending, relaxed)?;
                }
                Some((None, data)) if data.op == Op::Ir(IrOp::Fneg) && f.width(data.srcs[0]) == 32 => {
                    pending.try_push((data.srcs[0], !negative)).ok()?;
                }
                _ => new_term(terms, negative)?.leaves.push(src),
            }
        }
        Some(has_bare_product)
    }

    /// Whether all operands of an addition are products, or negations of products, with no other use.
    fn adds_products(&self, f: &Function<'_>, data: &InstData<'_>) -> bool {
        let term = |src: Src| {
            let value = src.as_value().filter(|value| self.parts[*value] == Part::Term)?;
            f.values[value].def.map(|def| &f.insts[def])
        };
        let is_product = |src: &Src| {
            let negated = term(*src).filter(|data| data.op == Op::Ir(IrOp::Fneg)).map(|data| data.srcs[0]);
            term(negated.unwrap_or(*src)).is_some_and(|data| data.op == Op::Hw(Opcode::Fmul))
        };
        let summands = if data.op == Op::Hw(Opcode::Ffma) { &data.srcs[2..] } else { data.srcs };
        summands.iter().all(is_product)
    }

    /// Adds the operands of a sum, or of a sum with a product.
    fn add(
        &self,
        f: &Function<'_>,
        data: &InstData<'_>,
        negative: bool,
        terms: &mut Terms,
        pending: &mut arrayvec::ArrayVec<(Src, bool), 16>,
        relaxed: &mut bool,
    ) -> Option<()> {
        let is_fused = data.op == Op::Hw(Opcode::Ffma);
        let summands = if is_fused { &data.srcs[2..] } else { data.srcs };
        if is_fused {
            self.multiply(f, new_term(terms, negative)?, &data.srcs[..2], relaxed)?;
        }
        // Reversed, so that the first one is popped first.
        summands.iter().rev().try_for_each(|src| pending.try_push((*src, negative)).ok())
    }

    /// Whether two terms of a sum may have a common factor: the sum has more terms than its last operation
    /// shows, or that operation adds a factor of its product.
    fn may_share(&self, srcs: &[Src]) -> bool {
        let is = |src: &Src, part: Part| src.as_value().is_some_and(|value| self.parts[value] == part);
        match srcs {
            [a, b, c] => is(c, Part::Term) || is(a, Part::Factor) || is(b, Part::Factor) || c == a || c == b,
            _ => srcs.iter().any(|src| is(src, Part::Term)),
        }
    }

    /// The replacement of the last operation of a chain, if there is a shorter form.
    fn visit(
        &mut self,
        r: &mut Rewriter<'_, '_>,
        op: Opcode,
        dst: Value,
        data: &InstData<'_>,
    ) -> Option<Src> {
        let mut relaxed = r.f.values[dst].relaxed;
        match (op, self.parts[dst]) {
            (Opcode::Fmul, part @ (Part::None | Part::Term))
                if self.is_longer(data.srcs)
                    || may_select(r.f)
                        && data.srcs.iter().any(|src| condition_of_step(r.f, *src).is_some()) =>
            {
                let mut term = Term::default();
                self.multiply(r.f, &mut term, data.srcs, &mut relaxed)?;
                if self.may_have_roots
                    && let Some(root) = RootProduct::take(self, r.f, &mut term)
                {
                    return Maker { chains: self, r, relaxed }.root_product(&root, term, part);
                }
                if part == Part::None && conditional_factor(r.f, &term).is_some() {
                    return Some(Maker { chains: self, r, relaxed }.conditional_product(term));
                }
                let ordered = self.ordered(&term)?;
                let result = Maker { chains: self, r, relaxed }.product(&ordered);
                if let Some(value) = result.as_value() {
                    self.parts[value] = part;
                }
                Some(result)
            }
            (Opcode::Fadd | Opcode::Ffma, Part::None | Part::Factor)
                if self.may_share(data.srcs) && self.summary(r.f, op, data).may_be_shorter() =>
            {
                let mut terms = Terms::new();
                let has_bare_product = self.sum(r.f, data, &mut terms, &mut relaxed)?;
                let scaled = self.scaled[dst];
                Maker { chains: self, r, relaxed }.shorter_sum(&mut terms, has_bare_product, scaled)
            }
            _ => None,
        }
    }

    /// The rank of a factor: constants, then uniform ones, then by descending number of products that share
    /// it.
    fn rank(&self, leaf: Src) -> (u8, u16) {
        match leaf.as_value() {
            None if leaf.as_imm().is_some() => (0, 0),
            Some(value) if !self.uniform.has(value.into()) => {
                (2, u16::MAX - self.products[value].longer.max(1))
            }
            _ => (1, 0),
        }
    }

    /// The number of products of three or more factors that contain this one.
    fn count(&self, leaf: Src) -> u16 {
        leaf.as_value().map_or(0, |value| self.products[value].longer)
    }

    /// The factors in multiplication order, if that creates a partial product for the preamble or for other
    /// products to share.
    fn ordered(&self, term: &Term) -> Option<Term> {
        if term.leaves.len() < 3 {
            return None;
        }
        // Early factors come first in the order, so their number suffices.
        let is_early = |leaf: &&Src| self.rank(**leaf) < (2, u16::MAX - 1);
        let early = term.leaves.iter().filter(is_early).count();
        let uniform = term.leaves.iter().filter(|leaf| self.is_uniform(**leaf)).count();
        if early < 2 || uniform == term.leaves.len() {
            return None;
        }
        let mut ordered = term.clone();
        ordered.leaves.sort_by_key(|leaf| self.rank(*leaf));
        // A single uniform factor that fewer products share than the other early factors comes after those.
        if let [first, second, third, ..] = &ordered.leaves[..early]
            && first.as_imm().is_none()
            && self.is_uniform(*first)
            && !self.is_uniform(*second)
            && self.count(*first) < self.count(*third)
        {
            ordered.leaves[..early].rotate_left(1);
            return Some(ordered);
        }
        (early < ordered.leaves.len() || uniform > 1).then_some(ordered)
    }
}

impl Chains<'_> {
    /// Records the summary of an instruction that is not replaced.
    fn note(&mut self, f: &Function<'_>, op: Opcode, dst: Value, data: &InstData<'_>) {
        if self.parts[dst] != Part::None {
            self.summaries[dst] = self.summary(f, op, data);
        }
    }

    /// The summary of a product or sum.
    fn summary(&self, f: &Function<'_>, op: Opcode, data: &InstData<'_>) -> Summary {
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
            let (src, part) = in_role(self, f, *src, Part::Factor);
            if let Some(value) = part {
                let known = self.summaries[value];
                if known.kind == Kind::Product {
                    summary.merge(known);
                    continue;
                }
                if known.kind == Kind::None && self.may_continue(f, value) {
                    summary.has |= Has::UNKNOWN;
                }
            }
            if self.may_blend && is_complement(f, src) {
                summary.has |= Has::COMPLEMENT;
            }
            summary.add(src, false);
        }
        summary
    }

    /// Adds a summand; returns whether it is a product.
    fn add_term(&self, f: &Function<'_>, summary: &mut Summary, src: Src) -> bool {
        let (src, part) = in_role(self, f, src, Part::Term);
        let known = part.map_or(Summary::default(), |value| self.summaries[value]);
        match (known.kind, part) {
            (Kind::Product, Some(value)) => {
                summary.add_product(known, self.uniform.has(value.into()));
                return true;
            }
            (Kind::Sum, _) => {
                summary.merge(known);
                return false;
            }
            (Kind::None, Some(value)) if self.may_continue(f, value) => summary.has |= Has::UNKNOWN,
            _ => {}
        }
        summary.has |= Has::SINGLE;
        summary.add(src, self.is_uniform(src));
        false
    }

    /// Whether a chain may continue through a value without a summary.
    fn may_continue(&self, f: &Function<'_>, value: Value) -> bool {
        let Some(def) = f.values[value].def else { return false };
        self.operation(f, def).is_some() || f.insts[def].op == Op::Ir(IrOp::Fneg)
    }
}

/// `src` without negations of chains, and its value if that has the role `part`.
#[inline(always)]
fn in_role(chains: &Chains<'_>, f: &Function<'_>, src: Src, part: Part) -> (Src, Option<Value>) {
    match src.as_value().filter(|value| chains.parts[*value] == part) {
        Some(value) if chains.summaries[value].kind == Kind::None => behind_negations(chains, f, src, part),
        value => (src, value),
    }
}

/// Like [`in_role`], for a value without a summary.
#[inline(never)]
fn behind_negations(chains: &Chains<'_>, f: &Function<'_>, mut src: Src, part: Part) -> (Src, Option<Value>) {
    loop {
        let Some(value) = src.as_value().filter(|value| chains.parts[*value] == part) else {
            return (src, None);
        };
        let def = f.values[value].def.map(|def| &f.insts[def]).filter(|_| !chains.exact[value]);
        match def.filter(|data| data.op == Op::Ir(IrOp::Fneg) && f.width(data.srcs[0]) == 32) {
            Some(negation) => src = negation.srcs[0],
            None => return (src, Some(value)),
        }
    }
}

/// Adds a term without factors to a sum; `None` if there are too many.
fn new_term(terms: &mut Terms, negative: bool) -> Option<&mut Term> {
    terms.try_push(Term { negative, ..Term::default() }).ok()?;
    terms.last_mut()
}

/// The first factor that is selected as 0 or 1 by a condition, the condition, and whether the factor is 1 if
/// it holds.
fn conditional_factor(f: &Function<'_>, term: &Term) -> Option<(usize, (Src, bool))> {
    term.leaves.iter().enumerate().find_map(|(at, leaf)| Some((at, condition_of_step(f, *leaf)?)))
}

/// Builds new sums and products.
struct Maker<'m, 's, 'f, 'a> {
    chains: &'m mut Chains<'s>,
    r: &'m mut Rewriter<'f, 'a>,
    /// The results are relaxed.
    relaxed: bool,
}

impl Maker<'_, '_, '_, '_> {
    fn made(&mut self, src: Src) -> Src {
        if let Some(value) = src.as_value().filter(|_| self.relaxed) {
            self.r.f.relax(value);
        }
        src
    }

    fn product(&mut self, term: &Term) -> Src {
        let mut product: Option<Src> = None;
        for leaf in &term.leaves {
            product = Some(match product {
                None => *leaf,
                Some(before) => {
                    // Constants come last.
                    let (a, b) = if before.as_imm().is_some() { (*leaf, before) } else { (before, *leaf) };
                    let next = self.r.op(Opcode::Fmul, 32, &[a, b]);
                    if let Some(value) = next.as_value() {
                        if self.chains.is_uniform(a) && self.chains.is_uniform(b) {
                            self.chains.uniform.add(value);
                        }
                        self.chains.parts[value] = Part::Factor;
                    }
                    self.made(next)
                }
            });
        }
        let product = product.unwrap_or(Src::f32(1.0));
        if !term.negative {
            return product;
        }
        let negated = self.r.alu(IrOp::Fneg, 32, &[product], &[]);
        self.made(negated)
    }

    /// The product of the other factors with `scale + scale · c · root`, where `scale` may be 1.
    fn root_product(&mut self, root: &RootProduct, mut term: Term, part: Part) -> Option<Src> {
        let one = root.scale.unwrap_or(Src::f32(1.0));
        let product = self.product(&root.factors());
        let sum = self.r.fadd(product, one);
        term.leaves.try_push(self.made(sum)).ok()?;
        let ordered = self.chains.ordered(&term).unwrap_or(term);
        let result = self.product(&ordered);
        if let Some(value) = result.as_value() {
            self.chains.parts[value] = part;
        }
        Some(result)
    }

    /// The product of the other factors where all that are 0 or 1 by a condition are 1, and 0 elsewhere.
    fn conditional_product(&mut self, mut term: Term) -> Src {
        let mut conditions: Leaves = Leaves::new();
        let mut are_one = 0u32;
        while let Some((at, (condition, is_one))) = conditional_factor(self.r.f, &term) {
            are_one |= u32::from(is_one) << conditions.len();
            conditions.push(condition);
            term.leaves.remove(at);
        }
        let ordered = self.chains.ordered(&term).unwrap_or(term);
        let mut product = self.product(&ordered);
        for (index, condition) in conditions.into_iter().enumerate() {
            let zero = Src::f32(0.0);
            let is_one = are_one >> index & 1 == 1;
            let (then, otherwise) = if is_one { (product, zero) } else { (zero, product) };
            let selected = self.r.select(condition, then, otherwise);
            product = self.made(selected);
        }
        product
    }

    /// The sum with blends rewritten as steps between the values, common factors taken out, and uniform terms
    /// added first, if that is shorter. `scaled` means that the sum is multiplied by a uniform factor.
    fn shorter_sum(&mut self, terms: &mut Terms, has_bare_product: bool, scaled: bool) -> Option<Src> {
        // A product that is not fused with an addition can be fused with a term that is not a product.
        let mut changed = has_bare_product && terms.iter().any(|term| term.leaves.len() == 1);
        changed |= self.add_uniform(terms)?;
        while self.chains.may_blend
            && let Some(blend) = Blend::take(self.r.f, terms, |src| self.chains.is_uniform(src))
        {
            self.blend(blend, terms)?;
            changed = true;
        }
        while let Some(group) = self.next_group(terms, scaled) {
            let (mut inner, common) = group.split(terms);
            cancel(self.chains, self.r.f, &mut inner);
            let inner = self.sum(&mut inner);
            let mut leaves = common;
            leaves.try_push(inner).ok()?;
            terms.try_push(Term { negative: false, leaves }).ok()?;
            changed = true;
        }
        if !changed && has_bare_product {
            changed = self.select_product(terms);
        }
        // Factors that scale the products of several sums are multiplied first.
        changed |= terms.iter().any(|term| self.chains.ordered(term).is_some());
        changed.then(|| self.sum(terms))
    }

    /// The next terms to take common factors out of, if that saves an operation.
    fn next_group(&mut self, terms: &Terms, scaled: bool) -> Option<Group> {
        if !may_repeat(terms) {
            return None;
        }
        if self.chains.pairs.is_none() && terms.len() >= FEWEST_OF_PAIRS && has_pair(terms) {
            self.chains.pairs = Some(Pairs::of(self.chains, self.r.f));
        }
        let products = |src: Src| src.as_value().map_or(0, |value| self.chains.products[value].all);
        let is_uniform = |src: Src| self.chains.is_uniform(src);
        let pairs = self.chains.pairs.as_ref();
        let are_shared =
            |first: &Term, second: &Term| pairs.is_some_and(|pairs| pairs.are_shared(first, second));
        best_group(terms, is_uniform, products, are_shared, scaled)
    }

    /// Replaces a product with a factor that is 0 or 1 by a condition by a selection: one product of a sum of products is
    /// not fused with an addition. Returns whether there is one.
    fn select_product(&mut self, terms: &mut Terms) -> bool {
        let is_conditional = |term: &Term| conditional_factor(self.r.f, term).is_some();
        let Some(at) = terms.iter().position(is_conditional) else { return false };
        let term = terms.remove(at);
        let selected = self.conditional_product(term);
        terms.push(Term { negative: false, leaves: std::iter::once(selected).collect() });
        true
    }

    /// Replaces uniform terms by their sum, for the preamble, if there are several and other terms; returns
    /// whether it did.
    fn add_uniform(&mut self, terms: &mut Terms) -> Option<bool> {
        let is_uniform = |term: &Term| term.leaves.iter().all(|leaf| self.chains.is_uniform(*leaf));
        let count = terms.iter().filter(|term| is_uniform(term)).count();
        if count < 2 || count == terms.len() {
            return Some(false);
        }
        let (mut uniform, others): (Terms, Terms) = terms.drain(..).partition(is_uniform);
        *terms = others;
        let sum = self.sum(&mut uniform);
        if let Some(value) = sum.as_value() {
            self.chains.uniform.add(value);
        }
        terms.try_push(Term { negative: false, leaves: std::iter::once(sum).collect() }).ok()?;
        Some(true)
    }

    /// `first + step · (second − first)`; a step that is selected as 0 or 1 by a condition becomes a
    /// selection.
    fn blend(&mut self, blend: Blend, terms: &mut Terms) -> Option<()> {
        let Blend { negative, opposite, step, mut common, first, second } = blend;
        if first.is_empty() && second.is_empty() && !opposite {
            return terms.try_push(Term { negative, leaves: common }).ok();
        }
        let first = self.product(&Term { negative: false, leaves: first });
        let second = self.product(&Term { negative: opposite, leaves: second });
        let mut condition = condition_of_step(self.r.f, step);
        if condition.is_none() && is_step(self.r.f, step) {
            condition = Some((self.r.fcmp(FloatCond::EQ, step, Src::f32(0.0)), false));
        }
        if let Some((condition, is_one)) = condition {
            let (then, otherwise) = if is_one { (second, first) } else { (first, second) };
            let selected = self.r.select(condition, then, otherwise);
            let selected = self.made(selected);
            common.try_push(selected).ok()?;
            return terms.try_push(Term { negative, leaves: common }).ok();
        }
        let difference = match (first.as_imm(), second.as_imm()) {
            (Some(first), Some(second)) => {
                let [first, second] = [first, second].map(|bits| f32::from_bits(bits as u32));
                Src::f32(second - first)
            }
            _ => {
                let negated = self.r.fneg(first);
                let (a, b) = if second.as_imm().is_some() { (negated, second) } else { (second, negated) };
                let difference = self.r.fadd(a, b);
                self.made(difference)
            }
        };
        let change = Term { negative: false, leaves: [step, difference].into_iter().collect() };
        let start = Term { negative: false, leaves: std::iter::once(first).collect() };
        if common.is_empty() {
            terms.try_push(Term { negative, ..start }).ok()?;
            return terms.try_push(Term { negative, ..change }).ok();
        }
        let inner = self.sum(&mut [start, change].into_iter().collect());
        common.try_push(inner).ok()?;
        terms.try_push(Term { negative, leaves: common }).ok()
    }

    /// Adds single terms first, so that each product is fused with the preceding sum.
    fn sum(&mut self, terms: &mut Terms) -> Src {
        terms.sort_by_key(|term| term.leaves.len() > 1);
        let mut sum: Option<Src> = None;
        for term in terms.iter() {
            let summand = match self.chains.ordered(term) {
                Some(ordered) => self.product(&ordered),
                None => self.product(term),
            };
            sum = Some(match sum {
                None => summand,
                Some(before) => {
                    let (a, b) =
                        if before.as_imm().is_some() { (summand, before) } else { (before, summand) };
                    let next = match (a.as_imm(), b.as_imm()) {
                        (Some(a), Some(b)) => Src::f32(f32::from_bits(a as u32) + f32::from_bits(b as u32)),
                        _ => self.r.fadd(a, b),
                    };
                    self.made(next)
                }
            });
        }
        sum.unwrap_or(Src::f32(0.0))
    }
}
