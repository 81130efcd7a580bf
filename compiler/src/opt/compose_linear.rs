//! Composes linear maps with uniform coefficients, so that the preamble multiplies the coefficients.
//!
//! `(uv · scale + offset) · size + centre` takes two operations for every invocation. The products `scale · size`
//! and `offset · size` are the same for all invocations: the preamble computes them, and the shader needs one
//! operation. The same applies to a vector that is multiplied by two matrices.
//!
//! A sum is composed if its operands are sums themselves, and the sum of the values at the end of those (its
//! *atoms*) takes no more operations, or fewer than it and the operands that nothing else reads. Sums that
//! nothing else reads are removed.
//!
//! Rounding differs, as in `opt_factor`: the pass does nothing if a function or an `exact` forbids contraction,
//! or if signed zeros, infinities or NaNs are significant. It leaves vertex shaders alone: programs draw the same
//! geometry with several shaders and expect equal positions, though they rarely declare them invariant; and the
//! product of two matrices takes the preamble longer than a small draw saves.
//!
//! Before: stage source. After: the same.

use agx_abi::Stage;
use agx_abi::layout::UNIFORM_HALVES;
use agx_isa::table::Opcode;
use arrayvec::ArrayVec;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::may_regroup;
use crate::analysis::exact::exact_values;
use crate::analysis::movable::MovableValues;
use crate::analysis::uses::uses;
use crate::context::Context;
use crate::ir::key;
use crate::ir::rewrite::map_some;
use crate::ir::{
    Arithmetic, Build, Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, ScratchSide, Side, Src, Type,
    Value,
};

/// Maximum number of terms of a sum.
const MOST_TERMS: usize = 8;

/// Maximum number of atoms of a sum.
const MOST_ATOMS: usize = 4;

/// Typical number of values of a function for each float sum or product, for preallocation.
const VALUES_PER_SUM: usize = 4;

/// Maximum number of coefficients, so that they fit in the uniform file beside the constants of the shader.
const MOST_COEFFICIENTS: usize = UNIFORM_HALVES as usize / 6;

/// Composes linear maps with uniform coefficients.
pub fn opt_compose_linear(f: &mut Function<'_>, context: &mut Context<'_>) {
    let is_vertex = context.facts.info.stage == Stage::Vertex;
    let is_free = may_regroup(f) && !is_vertex;
    let has = |op: Opcode| f.present.may_have_op(op);
    if is_free && (has(Opcode::Ffma) || has(Opcode::Fmul) && has(Opcode::Fadd)) {
        f.with_scratch(compose_all);
    }
}

fn compose_all(f: &mut Function<'_>, scratch: &Bump) {
    let mut maps = Maps::of(f, scratch);
    if !maps.sums.iter().any(Sum::is_composed) {
        return;
    }
    maps.find_needed(f);
    if maps.coefficients > MOST_COEFFICIENTS {
        if !maps.sums.iter().any(|sum| sum.composition == Composition::Shorter) {
            return;
        }
        maps.limit(scratch, f.values.len());
        maps.find_needed(f);
    }
    // Without coefficients, nothing is composed.
    if maps.coefficients > 0 {
        map_some(f, may_be_linear, |r, inst| maps.rewrite(r, inst));
    }
}

/// A product with a uniform factor.
#[derive(Clone, Copy)]
struct Term {
    operand: Value,
    /// `None` for 1.
    factor: Option<Src>,
    negative: bool,
    /// The operand is a product with a single use, which is fused with the sum.
    is_fused: bool,
}

impl Term {
    fn of(operand: Value, factor: Option<Src>, negative: bool) -> Term {
        Term { operand, factor, negative, is_fused: false }
    }
}

/// A uniform summand.
#[derive(Clone, Copy)]
struct Offset {
    term: Src,
    negative: bool,
}

/// Whether a sum is composed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Composition {
    /// It has no sums among its operands, or it takes fewer operations as it is.
    #[default]
    None,
    /// It takes as many operations composed; operands may become unused.
    AsLong,
    /// It takes fewer operations composed, with those of the operands that nothing else reads.
    Shorter,
}

/// A value as a sum of products with uniform factors.
#[derive(Clone, Copy, Default)]
struct Sum<'s> {
    terms: &'s [Term],
    offset: Option<Offset>,
    /// The values at the end of the sums among the operands if it is composed, else its operands.
    atoms: &'s [Value],
    composition: Composition,
    /// Number of operations that compute it, with the offset of a composed sum.
    operations: u32,
    has_offset: bool,
    /// Number of atoms that are products with a single use.
    products: u32,
    /// Number of operations that the composition of this sum, or of the sums whose terms are its terms, saves.
    gain: u32,
}

/// A sum whose terms are being gathered.
#[derive(Default)]
struct Draft {
    terms: ArrayVec<Term, MOST_TERMS>,
    offset: Option<Offset>,
    gain: u32,
}

impl Sum<'_> {
    fn is_composed(&self) -> bool {
        self.composition != Composition::None
    }
}

/// The coefficients of a sum by its atoms, `None` for 0, and its offset.
#[derive(Clone, Copy)]
struct Coefficients {
    factors: [Option<Src>; MOST_ATOMS],
    offset: Option<Src>,
}

/// The linear maps of a function.
struct Maps<'s> {
    scratch: &'s Bump,
    exact: Side<Value, bool>,
    uses: ScratchSide<'s, Value, u32>,
    uniform: MovableValues<'s>,
    /// For each value, its row in `sums` plus one.
    places: ScratchSide<'s, Value, u32>,
    sums: ArenaVec<'s, Sum<'s>>,
    /// Values that instructions read that are not composed.
    read: ScratchSide<'s, Value, bool>,
    /// Values whose coefficients composed sums use.
    wanted: ScratchSide<'s, Value, bool>,
    /// Sums that are computed as before where instructions read them.
    kept: ScratchSide<'s, Value, bool>,
    built: ScratchSide<'s, Value, Option<&'s Coefficients>>,
    /// Number of coefficients in the code that remains.
    coefficients: usize,
    /// They would be too many: only sums that become shorter are composed, up to the limit.
    is_limited: bool,
}

impl<'s> Maps<'s> {
    /// Finds the uniform values and the sums.
    fn of(f: &Function<'_>, scratch: &'s Bump) -> Maps<'s> {
        let mut maps = Maps {
            scratch,
            exact: exact_values(f),
            uses: uses(f, scratch),
            uniform: MovableValues::new_in(scratch, f),
            places: ScratchSide::new_in(scratch, f.values.len()),
            sums: ArenaVec::with_capacity_in(f.values.len() / VALUES_PER_SUM, scratch),
            read: ScratchSide::later_in(scratch, f.values.len()),
            wanted: ScratchSide::later_in(scratch, f.values.len()),
            kept: ScratchSide::later_in(scratch, f.values.len()),
            built: ScratchSide::later_in(scratch, f.values.len()),
            coefficients: 0,
            is_limited: false,
        };
        let mut depth = 0_u32;
        for segment in f.layout {
            for inst in &f.block(segment.block).insts {
                let data = &f.insts[*inst];
                if !maps.uniform.note(data, depth == 0)
                    && let Some(sum) = maps.sum(f, data)
                {
                    maps.add(data, sum);
                }
            }
            depth = segment.seam.depth_after(depth);
        }
        maps
    }

    fn add(&mut self, data: &InstData<'_>, sum: Sum<'s>) {
        if let Some(dst) = data.dst() {
            self.sums.push(sum);
            self.places[dst] = self.sums.len() as u32;
        }
    }

    /// The sum that computes a value.
    fn get(&self, value: Value) -> Option<&Sum<'s>> {
        self.sums.get((self.places[value] as usize).checked_sub(1)?)
    }

    fn is_uniform(&self, src: Src) -> bool {
        self.uniform.has(src)
    }

    /// The result of a float operation as a sum.
    fn sum(&self, f: &Function<'_>, data: &InstData<'_>) -> Option<Sum<'s>> {
        let dst = data.dst()?;
        if !is_linear(f, data) || self.exact[dst] {
            return None;
        }
        let mut draft = Draft::default();
        match (data.op, data.srcs) {
            (Op::Hw(Opcode::Fmul), [a, b]) => self.multiply(*a, *b, &mut draft)?,
            (Op::Hw(Opcode::Fadd), [a, b]) => {
                self.append(f, *a, false, &mut draft)?;
                self.append(f, *b, false, &mut draft)?;
            }
            (Op::Hw(Opcode::Ffma), [a, b, c]) => {
                self.append(f, *c, false, &mut draft)?;
                self.multiply(*a, *b, &mut draft)?;
            }
            (Op::Ir(IrOp::Fneg), [a]) => self.append(f, *a, true, &mut draft)?,
            _ => return None,
        }
        self.finish(&draft)
    }

    /// Appends a product of a uniform and another factor.
    fn multiply(&self, a: Src, b: Src, draft: &mut Draft) -> Option<()> {
        let (factor, operand) = if self.is_uniform(a) { (a, b) } else { (b, a) };
        let operand = operand.as_value().filter(|_| !self.uniform.has(operand))?;
        self.is_uniform(factor).then_some(())?;
        let term = match self.get(operand) {
            // A negation.
            Some(Sum { terms: [Term { operand, factor: None, negative, .. }], offset: None, .. }) => {
                Term::of(*operand, Some(factor), *negative)
            }
            _ => Term::of(operand, Some(factor), false),
        };
        draft.terms.try_push(term).ok()
    }

    /// Appends the terms of a summand; one with other uses is computed anyway, and is a term itself.
    fn append(&self, f: &Function<'_>, summand: Src, negative: bool, draft: &mut Draft) -> Option<()> {
        if self.is_uniform(summand) {
            let added = Offset { term: summand, negative };
            return draft.offset.replace(added).is_none().then_some(());
        }
        let operand = summand.as_value()?;
        let Some(sum) = self.get(operand).filter(|_| self.uses[operand] == 1) else {
            let is_product = || f.def(summand).is_some_and(|data| data.op == Op::Hw(Opcode::Fmul));
            let is_fused = self.uses[operand] == 1 && is_product();
            return draft.terms.try_push(Term { is_fused, ..Term::of(operand, None, negative) }).ok();
        };
        if let Some(added) = sum.offset {
            let added = Offset { negative: added.negative != negative, ..added };
            draft.offset.replace(added).is_none().then_some(())?;
        }
        draft.gain += sum.gain;
        sum.terms.iter().try_for_each(|term| {
            draft.terms.try_push(Term { negative: term.negative != negative, ..*term }).ok()
        })
    }

    /// The sum of the terms of `draft`, composed if that does not take more operations, or fewer with those of the operands
    /// that nothing else reads.
    fn finish(&self, draft: &Draft) -> Option<Sum<'s>> {
        let Draft { terms, offset, gain } = draft;
        let (mut plain, mut products, mut has_sums) = (0, 0, false);
        for term in terms {
            plain += u32::from(term.factor.is_none() && !term.is_fused);
            products += u32::from(term.is_fused);
            has_sums |= self.places[term.operand] != 0;
        }
        let has_offset = offset.is_some();
        let operations = count(terms.len(), plain, has_offset);
        let terms = self.scratch.alloc_slice_copy(terms);
        let sum =
            Sum { terms, offset: *offset, operations, has_offset, products, gain: *gain, ..Sum::default() };
        if has_sums && let Some(composed) = self.composed(&sum, plain) {
            return Some(composed);
        }
        let mut atoms: ArrayVec<Value, MOST_ATOMS> = ArrayVec::new();
        terms.iter().try_for_each(|term| include(&mut atoms, term.operand))?;
        Some(Sum { atoms: self.scratch.alloc_slice_copy(&atoms), ..sum })
    }

    /// `sum` composed, if that is as short. `plain` of its terms are no products.
    fn composed(&self, sum: &Sum<'s>, mut plain: u32) -> Option<Sum<'s>> {
        let mut atoms: ArrayVec<Value, MOST_ATOMS> = ArrayVec::new();
        let (mut has_offset, mut scaled, mut unshared) = (sum.has_offset, 0, 0);
        for term in sum.terms {
            let Some(inner) = self.get(term.operand) else {
                include(&mut atoms, term.operand)?;
                continue;
            };
            inner.atoms.iter().try_for_each(|atom| include(&mut atoms, *atom))?;
            plain -= u32::from(term.factor.is_none());
            has_offset |= inner.has_offset;
            // A product that is multiplied by a factor is not fused.
            scaled += inner.products;
            if self.uses[term.operand] == 1 {
                unshared += inner.operations;
            }
        }
        let operations = count(atoms.len(), plain, has_offset) + scaled;
        let apart = sum.operations + unshared;
        let composition = match operations {
            few if few + sum.gain < apart => Composition::Shorter,
            few if few == sum.operations => Composition::AsLong,
            _ => return None,
        };
        let gain = apart.saturating_sub(operations);
        let atoms = self.scratch.alloc_slice_copy(&atoms);
        let products = sum.products + scaled;
        Some(Sum { composition, atoms, operations, has_offset, products, gain, ..*sum })
    }

    /// Starts again with a limited number of coefficients.
    fn limit(&mut self, scratch: &'s Bump, values: usize) {
        for side in [&mut self.read, &mut self.wanted, &mut self.kept] {
            *side = ScratchSide::later_in(scratch, values);
        }
        (self.is_limited, self.coefficients) = (true, 0);
    }

    /// Determines which values are read by operations that stay, and which coefficients they need. Users come
    /// before definitions, except for phis.
    fn find_needed(&mut self, f: &Function<'_>) {
        for block in f.blocks_in_order() {
            let phis = f.block(block).insts.iter().take(f.phi_count(block));
            for value in phis.flat_map(|phi| f.insts[*phi].srcs).filter_map(|src| src.as_value()) {
                self.read[value] = true;
            }
        }
        for block in f.blocks_in_order().rev() {
            for inst in f.block(block).insts.iter().rev() {
                let data = &f.insts[*inst];
                let sum = data.dst().and_then(|dst| Some((dst, *self.get(dst)?)));
                match sum {
                    Some((dst, sum)) => self.need(data, dst, sum),
                    None => self.read_all(data),
                }
            }
        }
    }

    fn read_all(&mut self, data: &InstData<'_>) {
        let first_summand = match data.op {
            Op::Hw(Opcode::Fadd) => 0,
            Op::Hw(Opcode::Ffma) => 2,
            _ => data.srcs.len(),
        };
        for (index, src) in data.srcs.iter().enumerate() {
            let Some(value) = src.as_value() else { continue };
            self.read[value] = true;
            if index >= first_summand && self.places[value] != 0 && self.is_lengthened_product(value) {
                self.kept[value] = true;
            }
        }
    }

    /// Whether a value is a product that the sum which reads it would be fused with, but whose composition is
    /// a sum.
    fn is_lengthened_product(&self, value: Value) -> bool {
        let is_product = |sum: &&Sum<'_>| matches!(sum.terms, [Term { factor: Some(_), .. }]);
        let sum = self.get(value).filter(is_product).filter(|sum| sum.is_composed() && sum.offset.is_none());
        sum.is_some_and(|sum| sum.has_offset || sum.atoms.len() > 1) && self.uses[value] == 1
    }

    /// Determines what a sum needs.
    fn need(&mut self, data: &InstData<'_>, dst: Value, sum: Sum<'s>) {
        let is_allowed = match sum.composition {
            Composition::None => false,
            Composition::AsLong => !self.is_limited,
            Composition::Shorter => !self.is_limited || self.coefficients < MOST_COEFFICIENTS,
        };
        if !is_allowed {
            self.kept[dst] = true;
        }
        let (is_read, is_kept) = (self.read[dst], self.kept[dst]);
        if is_read && is_kept {
            self.read_all(data);
        }
        if !(self.wanted[dst] || is_read && !is_kept) {
            return;
        }
        self.wanted[dst] = true;
        if is_read && !is_kept {
            self.coefficients += sum.atoms.len() + usize::from(sum.has_offset);
        }
        for term in sum.terms {
            if sum.is_composed() && self.places[term.operand] != 0 {
                self.wanted[term.operand] = true;
            } else {
                self.read[term.operand] = true;
            }
        }
    }

    /// Replaces a sum that is composed, and removes one that only composed sums used.
    fn rewrite(&mut self, r: &mut Rewriter<'_, '_>, inst: Inst) -> Rewrite {
        let Some(dst) = r.f.insts[inst].dst() else { return Rewrite::Keep };
        let Some(sum) = self.get(dst).copied() else { return Rewrite::Keep };
        if self.wanted[dst] {
            let coefficients = self.coefficients(r, &sum);
            self.built[dst] = Some(self.scratch.alloc(coefficients));
            if self.read[dst] && !self.kept[dst] {
                return Rewrite::Forward(build(r, sum.atoms, &coefficients));
            }
        }
        if self.read[dst] { Rewrite::Keep } else { Rewrite::Remove }
    }

    /// Builds the coefficients of a sum.
    fn coefficients(&self, r: &mut Rewriter<'_, '_>, sum: &Sum<'s>) -> Coefficients {
        let offset = sum.offset.map(|offset| signed(r, offset.term, offset.negative));
        let mut result = Coefficients { factors: [None; MOST_ATOMS], offset };
        for term in sum.terms {
            let factor = signed(r, term.factor.unwrap_or(Src::f32(1.0)), term.negative);
            let inner = self.built[term.operand].filter(|_| sum.is_composed());
            let inner_atoms = self.get(term.operand).filter(|_| inner.is_some()).map(|inner| inner.atoms);
            for (at, atom) in inner_atoms.unwrap_or(&[term.operand]).iter().enumerate() {
                let scale = inner.map_or(Some(Src::f32(1.0)), |inner| inner.factors[at]);
                if let Some(place) = sum.atoms.iter().position(|other| other == atom) {
                    result.factors[place] = multiply_add(r, factor, scale, result.factors[place]);
                }
            }
            if let Some(inner) = inner {
                result.offset = multiply_add(r, factor, inner.offset, result.offset);
            }
        }
        result
    }
}

/// Number of operations of a sum of `terms` terms, of which `plain` are no products, and perhaps an offset.
fn count(terms: usize, plain: u32, has_offset: bool) -> u32 {
    let summands = plain + u32::from(has_offset);
    (terms as u32).saturating_sub(plain) + summands.saturating_sub(1)
}

/// Adds a value to a set; `None` if the set is full.
fn include(atoms: &mut ArrayVec<Value, MOST_ATOMS>, atom: Value) -> Option<()> {
    if atoms.contains(&atom) { Some(()) } else { atoms.try_push(atom).ok() }
}

/// Whether an operation may be a sum, product or negation.
fn may_be_linear(data: &InstData<'_>) -> bool {
    matches!(data.op, Op::Hw(Opcode::Fmul | Opcode::Fadd | Opcode::Ffma) | Op::Ir(IrOp::Fneg))
}

/// Whether an operation is a plain 32-bit sum, product or negation.
fn is_linear(f: &Function<'_>, data: &InstData<'_>) -> bool {
    may_be_linear(data)
        && !data.get(key::SAT)
        && data.dst().is_some_and(|dst| f.ty(dst) == Type::B32)
        && data.srcs.iter().all(|src| src.flags.is_empty() && f.width(*src) == 32)
}

/// `src` or its negation.
fn signed(r: &mut Rewriter<'_, '_>, src: Src, negative: bool) -> Src {
    match (negative, src.as_imm()) {
        (false, _) => src,
        (true, Some(bits)) => Src::f32(-f32::from_bits(bits as u32)),
        (true, None) => r.fneg(src),
    }
}

/// `factor · scale + sum`, where `None` is 0.
fn multiply_add(r: &mut Rewriter<'_, '_>, factor: Src, scale: Option<Src>, sum: Option<Src>) -> Option<Src> {
    let (one, minus_one) = (Src::f32(1.0), Src::f32(-1.0));
    let Some(scale) = scale.filter(|scale| !is_zero(*scale) && !is_zero(factor)) else { return sum };
    let product = match (factor.as_imm(), scale.as_imm()) {
        (Some(a), Some(b)) => Some(Src::f32(f32::from_bits(a as u32) * f32::from_bits(b as u32))),
        _ if factor == one => Some(scale),
        _ if scale == one => Some(factor),
        // Readers apply a sign for free.
        _ if scale == minus_one => Some(r.fneg(factor)),
        _ => None,
    };
    Some(match (product, sum) {
        (Some(product), None) => product,
        (Some(product), Some(sum)) => match (product.as_imm(), sum.as_imm()) {
            (Some(a), Some(b)) => Src::f32(f32::from_bits(a as u32) + f32::from_bits(b as u32)),
            _ => r.fadd(sum, product),
        },
        (None, None) => r.fmul(factor, scale),
        (None, Some(sum)) => r.op(Opcode::Ffma, 32, &[factor, scale, sum]),
    })
}

fn is_zero(src: Src) -> bool {
    src.as_imm().is_some_and(|bits| f32::from_bits(bits as u32) == 0.0)
}

/// Builds the sum of the atoms multiplied by their coefficients, and the offset.
fn build(r: &mut Rewriter<'_, '_>, atoms: &[Value], coefficients: &Coefficients) -> Src {
    let mut sum = coefficients.offset;
    for (atom, factor) in atoms.iter().zip(coefficients.factors) {
        // An atom may be a composed sum.
        let atom = r.resolve(Src::value(*atom));
        sum = multiply_add(r, atom, factor, sum);
    }
    sum.unwrap_or(Src::f32(0.0))
}
