//! Converts an if on a conjunction of conditions to nested ifs.
//!
//! The hardware compares and branches in one instruction, so each comparison of `if (a < b && c < d)` costs
//! one instruction as a separate if. Combined into one boolean, it takes one more instruction: the
//! comparisons, and the if on their result. One instruction closes all nested ifs. An if that acts only where
//! `a || b` is false acts where both are false.
//!
//! This requires that the other arm is empty and that no phi selects between the arms: it would be reached
//! from several ifs.
//!
//! Before: stage source. After: the same.

use arrayvec::ArrayVec;

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use bumpalo::Bump;

use crate::analysis::uses::uses;
use crate::ir::key;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Segment, Src, Type, Value};

/// Maximum number of conditions of one if that are nested.
const MAX_CONDITIONS: usize = 4;

/// Converts an if on a conjunction of conditions to nested ifs.
pub fn opt_nest_conditions(f: &mut Function<'_>) {
    let joins = |inst: &Inst| table(f, *inst).is_some();
    if f.layout.len() <= 1 || !f.layout.iter().any(|segment| f.block(segment.block).insts.iter().any(joins)) {
        return;
    }
    let plans = f.with_scratch(|f, scratch| plans(f, scratch));
    if plans.is_empty() {
        return;
    }
    let mut nester = Nester { plans: plans.into_iter().peekable(), open: Vec::new(), out: Vec::new(), f };
    nester.walk();
    nester.f.set_layout(&nester.out);
    f.compute_cfg();
}

/// The table of a conjunction or disjunction of booleans.
fn table(f: &Function<'_>, inst: Inst) -> Option<Truth> {
    let data = &f.insts[inst];
    let is_join = data.op == Op::Hw(Opcode::Bitop) && f.ty(data.dst()?) == Type::BOOL;
    is_join.then(|| data.get(key::TABLE)).filter(|table| matches!(*table, Truth::AND | Truth::OR))
}

/// A planned conversion of an if.
struct Plan {
    /// The segment that opens it.
    at: usize,
    conditions: ArrayVec<Src, MAX_CONDITIONS>,
    /// The first arm is the empty one: the second arm is executed if no condition holds.
    swapped: bool,
}

/// An open if, by positions in the layout.
struct Open {
    at: usize,
    else_at: usize,
}

/// The ifs to convert, in layout order.
fn plans(f: &Function<'_>, scratch: &Bump) -> Vec<Plan> {
    let uses = uses(f, scratch);
    let (mut open, mut plans) = (Vec::new(), Vec::new());
    for (at, segment) in f.layout.iter().enumerate() {
        match segment.seam {
            Seam::If => open.push(Open { at, else_at: at }),
            Seam::Else => {
                if let Some(open) = open.last_mut() {
                    open.else_at = at;
                }
            }
            Seam::EndIf => plans.extend(open.pop().and_then(|open| plan(f, &uses, &open, at))),
            _ => {}
        }
    }
    plans.sort_by_key(|plan| plan.at);
    plans
}

fn plan(f: &Function<'_>, uses: &ScratchSide<'_, Value, u32>, open: &Open, end: usize) -> Option<Plan> {
    let is_empty = |at: usize| f.block(f.layout[at].block).insts.is_empty();
    let join = f.layout.get(end + 1)?.block;
    let swapped = match (open.else_at + 1 == end && is_empty(end), open.at + 1 == open.else_at) {
        (true, _) => false,
        (false, true) if is_empty(open.else_at) => true,
        _ => return None,
    };
    if f.phi_count(join) > 0 {
        return None;
    }
    let condition = f.insts[f.terminator(f.layout[open.at].block)?].srcs[0];
    let conditions = conditions(f, uses, condition, if swapped { Truth::OR } else { Truth::AND })?;
    // A complement is free in a comparison only.
    let compared = conditions.iter().filter(|condition| is_comparison(f, uses, **condition)).count();
    let is_shorter = if swapped { compared == conditions.len() } else { compared > 0 };
    is_shorter.then_some(Plan { at: open.at, conditions, swapped })
}

/// Whether `condition` is a comparison with no other use.
fn is_comparison(f: &Function<'_>, uses: &ScratchSide<'_, Value, u32>, condition: Src) -> bool {
    let is_only = condition.as_value().is_some_and(|value| uses[value] == 1);
    is_only && f.def(condition).is_some_and(|data| matches!(data.op, Op::Ir(IrOp::Icmp | IrOp::Fcmp)))
}

/// The conditions that `condition` combines by `wanted`, in order, if there are several.
fn conditions(
    f: &Function<'_>,
    uses: &ScratchSide<'_, Value, u32>,
    condition: Src,
    wanted: Truth,
) -> Option<ArrayVec<Src, MAX_CONDITIONS>> {
    let mut found = ArrayVec::new();
    let mut pending: ArrayVec<Src, MAX_CONDITIONS> = ArrayVec::new();
    pending.push(condition);
    while let Some(src) = pending.pop() {
        let def = src.as_value().filter(|value| uses[*value] == 1).and_then(|value| f.values[value].def);
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

/// An open nested if in the new layout.
struct Nested {
    /// Number of ifs beyond the first.
    extra: usize,
    /// The empty first arm, which now follows the other one.
    moved: Option<Block>,
}

struct Nester<'f, 'a> {
    f: &'f mut Function<'a>,
    plans: std::iter::Peekable<std::vec::IntoIter<Plan>>,
    open: Vec<Nested>,
    out: Vec<Segment>,
}

impl Nester<'_, '_> {
    fn walk(&mut self) {
        let mut segments = self.f.layout.iter().copied().enumerate();
        while let Some((at, segment)) = segments.next() {
            match segment.seam {
                Seam::If => match self.plans.next_if(|plan| plan.at == at) {
                    Some(plan) => {
                        let empty = if plan.swapped { segments.next() } else { None };
                        self.begin(segment.block, &plan, empty.map(|(_, segment)| segment.block));
                    }
                    None => {
                        self.open.push(Nested { extra: 0, moved: None });
                        self.out.push(segment);
                    }
                },
                Seam::Else => {
                    let extra = self.open.last().map_or(0, |open| open.extra);
                    self.end_arm(segment.block, extra);
                }
                Seam::EndIf => match self.open.pop() {
                    Some(Nested { extra, moved: Some(empty) }) => {
                        self.end_arm(segment.block, extra);
                        self.out.push(Segment { block: empty, seam: Seam::EndIf });
                    }
                    _ => self.out.push(segment),
                },
                _ => self.out.push(segment),
            }
        }
    }

    /// Opens the ifs of a plan, the first one in place of the one that ends `head`.
    fn begin(&mut self, head: Block, plan: &Plan, moved: Option<Block>) {
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
        self.open.push(Nested { extra: plan.conditions.len() - 1, moved });
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

    /// Ends the first arm of the innermost if with `last`, and closes all ifs except the outermost.
    fn end_arm(&mut self, last: Block, extra: usize) {
        self.out.push(Segment { block: last, seam: Seam::Else });
        for _ in 0..extra {
            for seam in [Seam::EndIf, Seam::Else] {
                let block = self.f.add_block();
                self.out.push(Segment { block, seam });
            }
        }
    }
}
