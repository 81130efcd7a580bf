//! Converts an if on a conjunction of conditions to nested ifs.
//!
//! The hardware compares and branches in one instruction, so each comparison of `if (a < b && c < d)` costs
//! one instruction as a separate if. Combined into one boolean, it takes one more instruction: the
//! comparisons, and the if on their result. One instruction closes all nested ifs. An if that acts only where
//! `a || b` is false acts where both are false.
//!
//! This requires that the other arm is empty, since it would be executed after several ifs. Phis between the arms become
//! one phi for each if.
//!
//! Before: stage source. After: the same.

use arrayvec::ArrayVec;

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use bumpalo::Bump;

use crate::analysis::repeatable::repeatable;
use crate::analysis::uses::uses;
use crate::ir::key;
use crate::ir::{
    Block, ConstructEnd, Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Segment, Src, Type, Value,
};

/// Maximum number of conditions of one if that are nested.
const MAX_CONDITIONS: usize = 4;

/// Converts an if on a conjunction of conditions to nested ifs.
pub fn opt_nest_conditions(f: &mut Function<'_>) {
    if !f.layout.iter().any(|segment| segment.seam == Seam::If && is_joined(f, segment.block)) {
        return;
    }
    let plans = f.with_scratch(|f, scratch| plans(f, scratch));
    if plans.is_empty() {
        return;
    }
    let mut nester = Nester { out: Vec::new(), f };
    nester.walk(&plans);
    nester.f.set_layout(&nester.out);
}

/// Whether the if that ends a block is on a conjunction or disjunction.
fn is_joined(f: &Function<'_>, block: Block) -> bool {
    let condition = f.terminator(block).and_then(|inst| f.insts[inst].srcs.first()?.as_value());
    let def = condition.and_then(|value| f.values[value].def);
    def.is_some_and(|def| table(f, def).is_some())
}

/// The table of a conjunction or disjunction of booleans.
fn table(f: &Function<'_>, inst: Inst) -> Option<Truth> {
    let data = &f.insts[inst];
    let is_join = data.op == Op::Hw(Opcode::Bitop) && f.ty(data.dst()?) == Type::BOOL;
    is_join.then(|| data.get(key::TABLE)).filter(|table| matches!(*table, Truth::AND | Truth::OR))
}

/// How values are used.
struct Uses<'s> {
    counts: ScratchSide<'s, Value, u32>,
    repeatable: ScratchSide<'s, Value, bool>,
}

impl Uses<'_> {
    /// Whether `value` has a single use.
    fn is_single(&self, value: Value) -> bool {
        self.counts[value] == 1
    }
}

/// A planned conversion of an if, by positions in the layout.
struct Plan {
    /// The segment that opens it.
    at: usize,
    /// The segments that end its arms.
    else_at: usize,
    end: usize,
    /// The block after it.
    join: Block,
    conditions: ArrayVec<Src, MAX_CONDITIONS>,
    /// The first arm is the empty one: the second arm is executed if no condition holds.
    swapped: bool,
}

/// The ifs to convert.
fn plans(f: &Function<'_>, scratch: &Bump) -> Vec<Plan> {
    let uses = Uses { counts: uses(f, scratch), repeatable: repeatable(f, scratch) };
    let ends = f.construct_ends();
    let ifs = ends.iter().enumerate().filter(|(at, _)| f.layout[*at].seam == Seam::If);
    ifs.filter_map(|(at, ends)| plan(f, &uses, at, ends.as_ref()?)).collect()
}

fn plan(f: &Function<'_>, uses: &Uses<'_>, at: usize, ends: &ConstructEnd) -> Option<Plan> {
    let (else_at, end) = (ends.otherwise, ends.close);
    let is_empty = |at: usize| f.block(f.layout[at].block).insts.is_empty();
    let join = f.layout.get(end + 1)?.block;
    let swapped = match (else_at + 1 == end && is_empty(end), at + 1 == else_at) {
        (true, _) => false,
        (false, true) if is_empty(else_at) => true,
        _ => return None,
    };
    let condition = f.insts[f.terminator(f.layout[at].block)?].srcs[0];
    let conditions = conditions(f, uses, condition, if swapped { Truth::OR } else { Truth::AND })?;
    // A complement is free in a comparison only.
    let compared = conditions.iter().filter(|condition| is_comparison(f, uses, **condition)).count();
    let wanted = if swapped { conditions.len() } else { 1 };
    // Each further empty arm would copy what a phi there reads.
    let copies = copies(f, join) * (conditions.len() - 1);
    let is_shorter = compared >= wanted && compared > copies;
    is_shorter.then_some(Plan { at, else_at, end, join, conditions, swapped })
}

/// Number of phis of `join` that need a copy in the empty arm of an if. Values that they read there mostly have their register.
fn copies(f: &Function<'_>, join: Block) -> usize {
    let phis = f.block(join).insts[..f.phi_count(join)].iter();
    let is_copied = |inst: &&Inst| {
        let mut inputs = f.insts[**inst].phi_inputs();
        let other = inputs.find(|(block, _)| f.block(*block).insts.is_empty());
        other.is_some_and(|(_, src)| src.as_value().is_none())
    };
    phis.filter(is_copied).count()
}

/// Whether `condition` is a comparison with no other use, or one that is repeated for each.
fn is_comparison(f: &Function<'_>, uses: &Uses<'_>, condition: Src) -> bool {
    let is_only = condition.as_value().is_some_and(|value| uses.is_single(value) || uses.repeatable[value]);
    is_only && f.def(condition).is_some_and(|data| matches!(data.op, Op::Ir(IrOp::Icmp | IrOp::Fcmp)))
}

/// The conditions that `condition` combines by `wanted`, in order, if there are several.
fn conditions(
    f: &Function<'_>,
    uses: &Uses<'_>,
    condition: Src,
    wanted: Truth,
) -> Option<ArrayVec<Src, MAX_CONDITIONS>> {
    let mut found = ArrayVec::new();
    let mut pending: ArrayVec<Src, MAX_CONDITIONS> = ArrayVec::new();
    pending.push(condition);
    while let Some(src) = pending.pop() {
        let def = src.as_value().filter(|value| uses.is_single(*value)).and_then(|value| f.values[value].def);
        let joined = def.filter(|inst| table(f, *inst) == Some(wanted)).map(|inst| f.insts[inst].srcs);
        match joined {
            Some([a, b]) if found.len() + pending.len() + 2 <= MAX_CONDITIONS => {
                pending.push(*b);
                pending.push(*a);
            }
            _ => found.push(src),
        }
    }
    (found.len() > 1).then_some(found)
}

struct Nester<'f, 'a> {
    f: &'f mut Function<'a>,
    /// The new layout.
    out: Vec<Segment>,
}

impl Nester<'_, '_> {
    fn walk(&mut self, plans: &[Plan]) {
        let layout = self.f.layout;
        let mut plan_at: Vec<Option<&Plan>> = vec![None; layout.len()];
        for plan in plans {
            [plan.at, plan.else_at, plan.end].into_iter().for_each(|at| plan_at[at] = Some(plan));
        }
        for (segment, plan) in layout.iter().zip(plan_at) {
            match (segment.seam, plan) {
                (_, None) => self.out.push(*segment),
                (Seam::If, Some(plan)) => self.begin(segment.block, plan),
                (Seam::Else, Some(plan)) if !plan.swapped => self.end_arm(segment.block, plan),
                // An empty first arm comes last.
                (Seam::Else, _) => {}
                (_, Some(plan)) if plan.swapped => {
                    self.end_arm(segment.block, plan);
                    self.out.push(Segment { block: layout[plan.else_at].block, seam: segment.seam });
                }
                (_, Some(_)) => self.out.push(*segment),
            }
        }
    }

    /// Opens the ifs of a plan, the first one in place of the one that ends `head`.
    fn begin(&mut self, head: Block, plan: &Plan) {
        let terminator = self.f.block_mut(head).insts.pop();
        let line = terminator.map_or(0, |inst| self.f.insts[inst].line);
        let mut conditions = Vec::with_capacity(plan.conditions.len());
        for condition in &plan.conditions {
            conditions.push(if plan.swapped { self.complement(head, *condition) } else { *condition });
        }
        for (index, condition) in conditions.into_iter().enumerate() {
            let block = if index == 0 { head } else { self.f.add_block() };
            let branch = self.f.make_inst(IrOp::If, &[], &[condition], &[], line);
            self.f.block_mut(block).insts.push(branch);
            self.out.push(Segment { block, seam: Seam::If });
        }
    }

    /// The complement of `condition`, a comparison.
    fn complement(&mut self, head: Block, condition: Src) -> Src {
        let Some(data) = self.f.def(condition) else { return condition };
        let other = self.f.add_value(Type::BOOL);
        let mods = self.f.alloc(&[data.mods[0], data.mods[1] ^ 1]);
        let dsts = self.f.alloc(&[other]);
        let inst = self.f.add_inst(InstData { dsts, mods, ..data });
        self.f.block_mut(head).insts.push(inst);
        other.into()
    }

    /// Ends the first arm of the ifs of a plan with `last`, and closes all of them except the outermost.
    fn end_arm(&mut self, mut last: Block, plan: &Plan) {
        self.out.push(Segment { block: last, seam: Seam::Else });
        for _ in 1..plan.conditions.len() {
            let [empty, inner] = [(); 2].map(|()| self.f.add_block());
            self.out.push(Segment { block: empty, seam: Seam::EndIf });
            self.out.push(Segment { block: inner, seam: Seam::Else });
            self.select_inner(plan.join, [last, empty], inner);
            last = inner;
        }
    }

    /// Lets the phis of `join` read the value of the first of two arms through phis of `inner`, where the second arm
    /// has the value of the other predecessor of `join`.
    fn select_inner(&mut self, join: Block, arms: [Block; 2], inner: Block) {
        for index in 0..self.f.phi_count(join) {
            let phi = self.f.block(join).insts[index];
            let data = self.f.insts[phi];
            let (&[first, second], &[from, _]) = (data.srcs, data.mods) else { continue };
            let is_first = from == arms[0].0;
            let (chosen, other) = if is_first { (first, second) } else { (second, first) };
            let value = self.f.add_value_like(data.dsts[0]);
            let made =
                self.f.make_inst(IrOp::Phi, &[value], &[chosen, other], &arms.map(|arm| arm.0), data.line);
            self.f.block_mut(inner).insts.push(made);
            let index = usize::from(!is_first);
            let bump = self.f.bump;
            let (srcs, mods) = (bump.alloc_slice_copy(data.srcs), bump.alloc_slice_copy(data.mods));
            (srcs[index], mods[index]) = (value.into(), inner.0);
            self.f.insts[phi] = InstData { srcs, mods, ..data };
        }
    }
}
