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
use crate::ir::key;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Segment, Src, Type, Value};

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
    let mut nester = Nester { plans: plans.into_iter().peekable(), open: Vec::new(), out: Vec::new(), f };
    nester.walk();
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

/// Where values are used.
struct Uses<'s> {
    rows: ScratchSide<'s, Value, Row>,
    repeatable: ScratchSide<'s, Value, bool>,
}

/// The uses of a value; positions are in the layout.
#[derive(Clone, Copy, Default)]
struct Row {
    count: u32,
    /// The position of the last use in the order of the layout.
    last: u32,
    /// The position of the innermost loop that contains the definition; 0 if there is none.
    home: u32,
}

impl<'s> Uses<'s> {
    fn of(f: &Function<'_>, scratch: &'s Bump) -> Uses<'s> {
        let mut rows: ScratchSide<'_, Value, Row> = ScratchSide::new_in(scratch, f.values.len());
        let mut place_of: ScratchSide<'_, Block, u32> = ScratchSide::new_in(scratch, f.blocks.len());
        (0..).zip(f.layout).for_each(|(at, segment)| place_of[segment.block] = at);
        let mut loops = Loops::default();
        for (at, segment) in (0..).zip(f.layout) {
            let home = loops.innermost();
            for inst in &f.block(segment.block).insts {
                let data = &f.insts[*inst];
                if home != 0 {
                    data.dsts.iter().for_each(|dst| rows[*dst].home = home);
                }
                let is_phi = data.op == Op::Ir(IrOp::Phi);
                for (index, src) in data.srcs.iter().enumerate() {
                    let Some(value) = src.as_value() else { continue };
                    // A phi reads at the end of the predecessor.
                    let at = if is_phi { place_of[Block(data.mods[index])] } else { at };
                    let row = &mut rows[value];
                    row.count += 1;
                    row.last = row.last.max(at);
                }
            }
            loops.pass(at, segment.seam);
        }
        Uses { rows, repeatable: repeatable(f, scratch) }
    }

    /// Whether `value` has a single use.
    fn is_single(&self, value: Value) -> bool {
        self.rows[value].count == 1
    }

    /// Whether a phi after the position `end` may have the register of `src`, in a loop at position `home`.
    fn ends(&self, src: Src, end: usize, home: u32) -> bool {
        let row = src.as_value().map(|value| self.rows[value]);
        row.is_some_and(|row| row.last <= end as u32 && row.home == home)
    }
}

/// The positions of open loops.
#[derive(Default)]
struct Loops(Vec<u32>);

impl Loops {
    fn innermost(&self) -> u32 {
        self.0.last().copied().unwrap_or(0)
    }

    fn pass(&mut self, at: u32, seam: Seam) {
        match seam {
            Seam::Loop => self.0.push(at + 1),
            Seam::EndLoop => {
                self.0.pop();
            }
            _ => {}
        }
    }
}

/// A planned conversion of an if.
struct Plan {
    /// The segment that opens it.
    at: usize,
    /// The block after it.
    join: Block,
    conditions: ArrayVec<Src, MAX_CONDITIONS>,
    /// The first arm is the empty one: the second arm is executed if no condition holds.
    swapped: bool,
}

/// An open if, by positions in the layout.
struct Open {
    at: usize,
    else_at: usize,
    /// The innermost loop that contains it.
    home: u32,
}

/// The ifs to convert, in layout order.
fn plans(f: &Function<'_>, scratch: &Bump) -> Vec<Plan> {
    let uses = Uses::of(f, scratch);
    let (mut open, mut plans, mut loops) = (Vec::new(), Vec::new(), Loops::default());
    for (at, segment) in f.layout.iter().enumerate() {
        match segment.seam {
            Seam::If => open.push(Open { at, else_at: at, home: loops.innermost() }),
            Seam::Else => {
                if let Some(open) = open.last_mut() {
                    open.else_at = at;
                }
            }
            Seam::EndIf => plans.extend(open.pop().and_then(|open| plan(f, &uses, &open, at))),
            _ => {}
        }
        loops.pass(at as u32, segment.seam);
    }
    plans.sort_by_key(|plan| plan.at);
    plans
}

fn plan(f: &Function<'_>, uses: &Uses<'_>, open: &Open, end: usize) -> Option<Plan> {
    let is_empty = |at: usize| f.block(f.layout[at].block).insts.is_empty();
    let join = f.layout.get(end + 1)?.block;
    let swapped = match (open.else_at + 1 == end && is_empty(end), open.at + 1 == open.else_at) {
        (true, _) => false,
        (false, true) if is_empty(open.else_at) => true,
        _ => return None,
    };
    let condition = f.insts[f.terminator(f.layout[open.at].block)?].srcs[0];
    let conditions = conditions(f, uses, condition, if swapped { Truth::OR } else { Truth::AND })?;
    // A complement is free in a comparison only.
    let compared = conditions.iter().filter(|condition| is_comparison(f, uses, **condition)).count();
    let wanted = if swapped { conditions.len() } else { 1 };
    // Each further empty arm would copy what a phi there reads.
    let copies = copies(f, uses, open, end, join) * (conditions.len() - 1);
    let is_shorter = compared >= wanted && compared > copies;
    is_shorter.then_some(Plan { at: open.at, join, conditions, swapped })
}

/// Number of phis of `join` that need a copy in the empty arm of the if that ends at `end`.
fn copies(f: &Function<'_>, uses: &Uses<'_>, open: &Open, end: usize, join: Block) -> usize {
    let phis = f.block(join).insts[..f.phi_count(join)].iter();
    let is_empty = |block: Block| f.block(block).insts.is_empty();
    let is_copied = |inst: &&Inst| {
        let mut inputs = f.insts[**inst].phi_inputs();
        let other = inputs.find(|(block, _)| is_empty(*block)).map(|(_, src)| src);
        other.is_some_and(|src| !uses.ends(src, end, open.home))
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

/// An open if that became several in the new layout.
#[derive(Clone, Copy)]
struct Nested {
    /// Number of ifs beyond the first.
    extra: usize,
    /// The block after the outermost one.
    join: Block,
    /// The empty first arm, which now follows the other one.
    moved: Option<Block>,
}

struct Nester<'f, 'a> {
    f: &'f mut Function<'a>,
    plans: std::iter::Peekable<std::vec::IntoIter<Plan>>,
    /// Open ifs; `None` for those that stay as they are.
    open: Vec<Option<Nested>>,
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
                        self.open.push(None);
                        self.out.push(segment);
                    }
                },
                Seam::Else => match self.open.last().copied().flatten() {
                    Some(nested) => self.end_arm(segment.block, &nested),
                    None => self.out.push(segment),
                },
                Seam::EndIf => match self.open.pop().flatten() {
                    Some(nested @ Nested { moved: Some(empty), .. }) => {
                        self.end_arm(segment.block, &nested);
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
        self.open.push(Some(Nested { extra: plan.conditions.len() - 1, join: plan.join, moved }));
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
    fn end_arm(&mut self, mut last: Block, nested: &Nested) {
        self.out.push(Segment { block: last, seam: Seam::Else });
        for _ in 0..nested.extra {
            let [empty, inner] = [(); 2].map(|()| self.f.add_block());
            self.out.push(Segment { block: empty, seam: Seam::EndIf });
            self.out.push(Segment { block: inner, seam: Seam::Else });
            self.select_inner(nested.join, [last, empty], inner);
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
