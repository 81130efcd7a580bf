//! Lowers structured control flow to execution-mask instructions.
//!
//! Each lane counts in `r0l` the levels that it must leave before it becomes active again; 0 is active. An if
//! adds a level, and so does a scope; a loop adds one, or two if lanes can wait at its end for the next
//! iteration (continue). A jump sets the count to the number of levels up to and including the one that its
//! target closes, so one instruction leaves any number of constructs, and the closing `pop_exec`s reactivate
//! the lane at the right place. A lane that ends early counts one level more than are open and is reactivated
//! for the `stop`, at which no lane may be masked off.
//!
//! | construct | begins | middle | ends |
//! |---|---|---|---|
//! | if | `if_*cmp 1` | `else_exec 1` unless an arm is empty | `pop_exec 1` |
//! | scope | `push_exec 1` if lanes may be inactive | | `pop_exec 1` |
//! | loop | `push_exec k` if lanes may be inactive | | `while` true `2` if k = 2, `jmp_any`, `pop_exec k` |
//!
//! Parallel copies have been lowered and `r0l` is not allocated. Afterwards all branch targets are explicit
//! blocks, and only waits are missing.
//!
//! Before: stage allocated. After: stage final.

mod costs;
mod merge_pops;

use agx_isa::table::Opcode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::error::CompileError;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{
    Block, ConstructEnd, Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Src, Stage, Type, Value,
};
use crate::regalloc::{Allocation, Reg};

use costs::{Costs, SKIP_COST, SKIP_COST_LEFT};

/// Largest level that fits the immediate of a select.
const MAX_SELECTED_LEVEL: u32 = 255;

/// Lowers if, loop, scope, jump and halt.
///
/// # Errors
/// A jump to a block that is not a target of an open construct is an internal error.
pub fn lower_control_flow(f: &mut Function<'_>, allocation: &mut Allocation) -> Result<(), CompileError> {
    if let [only] = *f.layout {
        // Nothing is nested, and the end of the code stands for the `halt`.
        if f.terminator(only.block).is_some() {
            f.block_mut(only.block).insts.pop();
        }
        f.stage = Stage::Final;
        return Ok(());
    }
    f.with_scratch(|f, scratch| lower(f, allocation, scratch))
}

/// Lowers a function of several blocks.
fn lower(f: &mut Function<'_>, allocation: &mut Allocation, scratch: &Bump) -> Result<(), CompileError> {
    let (segments, ends) = (f.layout.len(), f.construct_ends());
    let plans = plan_ifs(f, &ends, scratch);
    let mut lowering = Lowering {
        costs: Costs::of(f, allocation, plans, scratch),
        plans,
        ends,
        places: places(f, scratch),
        continued: continued_loops(f, scratch),
        open: ArenaVec::new_in(scratch),
        starts: ArenaVec::new_in(scratch),
        lanes_may_be_off: false,
        lanes_have_ended: false,
        allocation,
        masks: false,
    };
    for index in 0..segments {
        f.watch.visit(1);
        lowering.segment(f, index)?;
    }
    let masks = lowering.masks;
    for start in lowering.starts.chunk_by(|(a, _), (b, _)| a == b) {
        f.block_mut(start[0].0).insts.splice(0..0, start.iter().map(|(_, inst)| *inst));
    }
    merge_pops::merge_pops(f);
    if masks {
        let clear = lowering.set_level(f, Src::imm(0, 16));
        let entry = f.entry();
        let place = f.block(entry).insts.iter().take_while(|inst| is_preload(f, **inst)).count();
        f.block_mut(entry).insts.insert(place, clear);
    }
    f.stage = Stage::Final;
    Ok(())
}

fn is_preload(f: &Function<'_>, inst: Inst) -> bool {
    f.insts[inst].op == Op::Ir(IrOp::Preload)
}

fn places<'s>(f: &Function<'_>, scratch: &'s Bump) -> ScratchSide<'s, Block, usize> {
    let mut places = ScratchSide::new_in(scratch, f.blocks.len());
    for (index, segment) in f.layout.iter().enumerate() {
        places[segment.block] = index;
    }
    places
}

/// How an if is lowered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Plan {
    /// The then-arm has instructions; the else-arm may be empty.
    #[default]
    Arms,
    /// Only the else-arm has instructions: the condition is inverted and it becomes the then-arm.
    ElseOnly,
    /// Both arms are empty.
    Nothing,
    /// The then-arm only jumps: lanes leave where the condition holds, and the else-arm is not nested.
    LeaveThen,
    /// The else-arm only jumps, and the then-arm is not nested.
    LeaveElse,
}

/// A construct that is open.
#[derive(Clone, Copy)]
struct Open {
    seam: Seam,
    levels: u32,
    /// Header of a loop, first block of the else-arm of an if.
    header: Block,
    /// The block after the construct.
    after: Block,
    plan: Plan,
    /// The else-arm has begun.
    in_else: bool,
}

impl Open {
    fn is_in_leaving_arm(&self) -> bool {
        match self.plan {
            Plan::LeaveThen => !self.in_else,
            Plan::LeaveElse => self.in_else,
            _ => false,
        }
    }
}

struct Lowering<'l> {
    /// Plan of the if that begins after each segment.
    plans: &'l [Plan],
    /// For each segment that begins a construct: its end.
    ends: Vec<Option<ConstructEnd>>,
    /// Segment of each block.
    places: ScratchSide<'l, Block, usize>,
    /// What the segments cost when no lane is active.
    costs: Costs<'l>,
    /// Headers of loops in which lanes wait for the next iteration.
    continued: ScratchSide<'l, Block, bool>,
    open: ArenaVec<'l, Open>,
    /// Instructions to insert at the starts of blocks, in program order.
    starts: ArenaVec<'l, (Block, Inst)>,
    lanes_may_be_off: bool,
    /// Some lanes have ended early and count one level more than are open.
    lanes_have_ended: bool,
    allocation: &'l mut Allocation,
    masks: bool,
}

/// For each segment that begins an if: how to lower it.
fn plan_ifs<'s>(f: &Function<'_>, ends: &[Option<ConstructEnd>], scratch: &'s Bump) -> &'s [Plan] {
    let ends = ends.iter().enumerate();
    let plan = |(index, end): (usize, &Option<ConstructEnd>)| end.map(|end| plan_if(f, index, end));
    scratch.alloc_slice_fill_iter(ends.map(|end| plan(end).unwrap_or_default()))
}

fn plan_if(f: &Function<'_>, index: usize, end: ConstructEnd) -> Plan {
    if f.layout[index].seam != Seam::If {
        return Plan::default();
    }
    // The block of an arm that consists of one block.
    let single = |first: usize, last: usize| (first == last).then(|| f.layout[first].block);
    let then = single(index + 1, end.otherwise);
    let otherwise = single(end.otherwise + 1, end.close);
    let is_empty = |arm: Option<Block>| arm.is_some_and(|block| f.block(block).insts.is_empty());
    let leaves = |arm: Option<Block>| arm.is_some_and(|block| only_leaves(f, block));
    match () {
        () if is_empty(then) && is_empty(otherwise) => Plan::Nothing,
        () if leaves(then) => Plan::LeaveThen,
        () if leaves(otherwise) => Plan::LeaveElse,
        () if is_empty(then) => Plan::ElseOnly,
        () => Plan::Arms,
    }
}

fn only_leaves(f: &Function<'_>, block: Block) -> bool {
    matches!(f.block(block).insts.as_slice(), [inst] if f.insts[*inst].op == Op::Ir(IrOp::Jump))
}

/// Loops with a continue from elsewhere than the end of the body.
fn continued_loops<'s>(f: &Function<'_>, scratch: &'s Bump) -> ScratchSide<'s, Block, bool> {
    let mut continued: ScratchSide<'_, Block, bool> = ScratchSide::new_in(scratch, f.blocks.len());
    let mut is_header: ScratchSide<'_, Block, bool> = ScratchSide::new_in(scratch, f.blocks.len());
    let mut open: ArenaVec<'_, Block> = ArenaVec::new_in(scratch);
    for (index, segment) in f.layout.iter().enumerate() {
        if let Some(target) = f.terminator(segment.block).and_then(|inst| f.insts[inst].target()) {
            let at_end = segment.seam == Seam::EndLoop && open.last() == Some(&target);
            continued[target] |= is_header[target] && !at_end;
        }
        match segment.seam {
            Seam::Loop => {
                let header = f.layout[index + 1].block;
                is_header[header] = true;
                open.push(header);
            }
            Seam::EndLoop => {
                open.pop();
            }
            _ => {}
        }
    }
    continued
}

impl Lowering<'_> {
    fn segment(&mut self, f: &mut Function<'_>, index: usize) -> Result<(), CompileError> {
        let (block, seam) = (f.layout[index].block, f.layout[index].seam);
        self.guard_barriers(f, block);
        self.leave(f, block, seam, index)?;
        match seam {
            Seam::If => self.begin_if(f, index),
            Seam::Else => self.begin_else(f, index),
            Seam::Loop | Seam::Scope => self.begin(f, index),
            Seam::EndIf | Seam::EndLoop | Seam::EndScope => self.end(f, index)?,
            Seam::End => self.end_program(f, block),
        }
        Ok(())
    }

    /// Reactivates all lanes at the end of the part, including those that have ended early.
    fn end_program(&mut self, f: &mut Function<'_>, block: Block) {
        if !self.lanes_have_ended {
            return;
        }
        let update = self.mask(f, Opcode::PopExec, &[], 1);
        let insts = &f.block(block).insts;
        let exports =
            insts.iter().rev().take_while(|inst| f.insts[**inst].op == Op::Ir(IrOp::Export)).count();
        let place = insts.len() - exports;
        f.block_mut(block).insts.insert(place, update);
    }

    /// Replaces a jump or halt at the end of `block`.
    fn leave(
        &mut self,
        f: &mut Function<'_>,
        block: Block,
        seam: Seam,
        index: usize,
    ) -> Result<(), CompileError> {
        let Some(inst) = f.terminator(block) else { return Ok(()) };
        let data = f.insts[inst];
        let last = index + 1 == f.layout.len();
        let unreachable = block != f.entry() && f.block(block).preds.is_empty();
        let level = match data.op {
            Op::Ir(IrOp::Halt) if last || unreachable => None,
            Op::Ir(IrOp::Halt) => Some(self.open.iter().map(|open| open.levels).sum::<u32>() + 1),
            Op::Ir(IrOp::Jump) => {
                let target = data.target().unwrap_or(block);
                let open = self.open.last();
                let falls_there = match seam {
                    Seam::EndLoop => open.is_some_and(|open| open.header == target),
                    Seam::EndScope => open.is_some_and(|open| open.after == target),
                    _ => false,
                };
                if falls_there { None } else { Some(self.level_of(target)?) }
            }
            _ => return Ok(()),
        };
        f.block_mut(block).insts.pop();
        if self.open.last().is_some_and(Open::is_in_leaving_arm) {
            // The lanes have already left at the if.
            return Ok(());
        }
        if let Some(level) = level {
            let ends = data.op == Op::Ir(IrOp::Halt);
            self.lanes_may_be_off |= ends;
            self.lanes_have_ended |= ends;
            let set = self.set_level(f, Src::imm(u64::from(level), 16));
            let update = self.mask(f, Opcode::PopExec, &[], 0);
            f.block_mut(block).insts.extend([set, update]);
        }
        Ok(())
    }

    /// The count that makes a lane leave from inside the open constructs to `target`.
    fn level_of(&self, target: Block) -> Result<u32, CompileError> {
        let mut level = 0;
        for open in self.open.iter().rev() {
            match open.seam {
                Seam::Loop if open.header == target => return Ok(level + open.levels - 1),
                Seam::Loop | Seam::Scope if open.after == target => return Ok(level + open.levels),
                _ => level += open.levels,
            }
        }
        Err(CompileError::internal(format!(
            "lower_control_flow: {target} is not a target of an open construct"
        )))
    }

    fn begin_if(&mut self, f: &mut Function<'_>, index: usize) {
        let (block, plan) = (f.layout[index].block, self.plans[index]);
        let leaves = match plan {
            Plan::LeaveThen => f.layout.get(index + 1),
            Plan::LeaveElse => self.end_of(index).and_then(|end| f.layout.get(end.close)),
            _ => None,
        };
        let target =
            leaves.and_then(|segment| f.terminator(segment.block)).and_then(|inst| f.insts[inst].target());
        let level =
            target.and_then(|target| self.level_of(target).ok()).filter(|level| *level <= MAX_SELECTED_LEVEL);
        let plan = match (plan, level) {
            (Plan::LeaveThen | Plan::LeaveElse, None) => Plan::Arms,
            (plan, _) => plan,
        };
        let condition = f.block_mut(block).insts.pop();
        match (plan, level, condition) {
            (Plan::LeaveThen | Plan::LeaveElse, Some(level), Some(condition)) => {
                self.leave_if(f, block, f.insts[condition], level, plan == Plan::LeaveElse);
                self.skip_rest(f, index);
            }
            (Plan::Nothing, ..) | (_, _, None) => {}
            (plan, _, Some(condition)) => self.enter_if(f, index, condition, plan),
        }
        let levels = u32::from(matches!(plan, Plan::Arms | Plan::ElseOnly));
        let (header, after) = self
            .end_of(index)
            .map_or((block, block), |end| (f.layout[end.otherwise + 1].block, f.layout[end.close + 1].block));
        self.open.push(Open { seam: Seam::If, levels, header, after, plan, in_else: false });
    }

    /// Keeps the conditional instruction at the end of the block, inverted if only the else-arm has
    /// instructions, and adds a jump over the arm if that pays off.
    fn enter_if(&mut self, f: &mut Function<'_>, index: usize, condition: Inst, plan: Plan) {
        self.masks = true;
        let block = f.layout[index].block;
        if plan == Plan::ElseOnly {
            let data = f.insts[condition];
            let mods: Vec<u32> = data
                .op
                .mod_names()
                .zip(data.mods)
                .map(|(name, value)| if name == "inv" { value ^ 1 } else { *value })
                .collect();
            f.insts[condition].mods = f.alloc(&mods);
        }
        f.block_mut(block).insts.push(condition);
        let Some(end) = self.end_of(index) else { return };
        let (before, last) =
            if plan == Plan::ElseOnly { (end.otherwise, end.close) } else { (index, end.otherwise) };
        if let Some(jump) = self.skip_arm(f, before, last) {
            f.block_mut(block).insts.push(jump);
        }
    }

    /// The seams of the construct that begins after segment `index`.
    fn end_of(&self, index: usize) -> Option<ConstructEnd> {
        self.ends[index].filter(|end| end.close + 1 < self.ends.len())
    }

    /// A jump over the arm after segment `before` to segment `last`, if that pays off.
    fn skip_arm(&self, f: &mut Function<'_>, before: usize, last: usize) -> Option<Inst> {
        let target = f.layout.get(last + 1)?.block;
        self.costs.skips(before).then(|| self.push(f, Opcode::JmpNone, &[], &[], &[target.0]))
    }

    /// Guards barriers against an empty mask: a barrier must not be executed when no lane arrives at it,
    /// because other SIMD-groups of the workgroup may not arrive either. A loop whose lanes wait for the next
    /// iteration needs no guard: the waiting lanes have not arrived at the barrier, so no lane may arrive
    /// (Vulkan requires uniform control flow at barriers).
    fn guard_barriers(&mut self, f: &mut Function<'_>, block: Block) {
        let is_barrier = |inst: &Inst| f.insts[*inst].op == Op::Hw(Opcode::Barrier);
        if !f.block(block).insts.iter().any(is_barrier) {
            return;
        }
        let Some((target, _)) = self.next_reconvergence() else { return };
        let insts = f.take_insts(block);
        let mut guarded = f.inst_list();
        for inst in insts {
            if f.insts[inst].op == Op::Hw(Opcode::Barrier) {
                guarded.push(self.push(f, Opcode::JmpNone, &[], &[], &[target.0]));
            }
            guarded.push(inst);
        }
        f.block_mut(block).insts = guarded;
    }

    /// The next reconvergence point, and the cost from which a jump to it pays off when no lane is active.
    /// Lanes that wait at a loop's end for the next iteration reconverge in the middle of a block, so there
    /// is no such point.
    fn next_reconvergence(&self) -> Option<(Block, u32)> {
        let open = self.open.iter().rev().find(|open| open.levels != 0)?;
        match open.seam {
            Seam::If if open.in_else => Some((open.after, SKIP_COST)),
            Seam::If => Some((open.header, SKIP_COST)),
            Seam::Loop if open.levels == 2 => None,
            _ => Some((open.after, SKIP_COST_LEFT)),
        }
    }

    /// Jumps to the next reconvergence point if all lanes have left at the end of segment `index` and the
    /// code in between is long enough.
    fn skip_rest(&self, f: &mut Function<'_>, index: usize) {
        let Some((target, skip_cost)) = self.next_reconvergence() else { return };
        if self.places[target].checked_sub(1).is_some_and(|last| self.costs.between(index, last) >= skip_cost)
        {
            let jump = self.push(f, Opcode::JmpNone, &[], &[], &[target.0]);
            let block = f.layout[index].block;
            f.block_mut(block).insts.push(jump);
        }
    }

    /// Makes lanes whose comparison holds (or, if `inverted`, does not hold) leave to `level`.
    fn leave_if(
        &mut self,
        f: &mut Function<'_>,
        block: Block,
        condition: InstData<'_>,
        level: u32,
        inverted: bool,
    ) {
        self.masks = true;
        let float = condition.op == Op::Hw(Opcode::IfFcmp);
        let leaves_where_false = (condition.get(key::INV)) != inverted;
        let cond = condition.get(key::COND);
        if level == 1 {
            let op = if float { Opcode::WhileFcmp } else { Opcode::WhileIcmp };
            let mods = mods(op).with(key::COND, cond).with(key::INV, !leaves_where_false).with(key::NEST, 1);
            let inst = self.push(f, op, &[], condition.srcs, &mods);
            f.block_mut(block).insts.push(inst);
            return;
        }
        let op = if float { Opcode::Fcsel } else { Opcode::Icsel };
        let (stay, leave) = (Src::imm(0, 16), Src::imm(u64::from(level), 16));
        let [x, y] = if leaves_where_false { [stay, leave] } else { [leave, stay] };
        let counter = self.nesting_counter(f);
        let srcs = [condition.srcs[0], condition.srcs[1], x, y];
        let select = self.push(f, op, &[counter], &srcs, &mods(op).with(key::COND, cond));
        let update = self.mask(f, Opcode::PopExec, &[], 0);
        f.block_mut(block).insts.extend([select, update]);
    }

    fn begin_else(&mut self, f: &mut Function<'_>, index: usize) {
        let Some(open) = self.open.last_mut() else { return };
        open.in_else = true;
        let plan = open.plan;
        let empty =
            f.layout[index + 1].seam == Seam::EndIf && f.block(f.layout[index + 1].block).insts.is_empty();
        if plan == Plan::Arms && !empty {
            let arm = f.layout[index + 1].block;
            let toggle = self.mask(f, Opcode::ElseFcmp, &[Src::f32(0.0), Src::f32(0.0)], 1);
            self.starts.push((arm, toggle));
            let close = self.closing_else(f, index);
            let jump = close.and_then(|close| self.skip_arm(f, index, close));
            self.starts.extend(jump.map(|jump| (arm, jump)));
        }
    }

    /// The segment that ends the else-arm which begins after segment `index`.
    fn closing_else(&self, f: &Function<'_>, index: usize) -> Option<usize> {
        let after = self.open.last()?.after;
        self.places[after]
            .checked_sub(1)
            .filter(|close| *close > index && f.layout[*close].seam == Seam::EndIf)
    }

    fn begin(&mut self, f: &mut Function<'_>, index: usize) {
        let (block, seam) = (f.layout[index].block, f.layout[index].seam);
        let header = f.layout[index + 1].block;
        let levels = if seam == Seam::Loop && self.continued[header] { 2 } else { 1 };
        if self.lanes_may_be_off || !self.open.is_empty() {
            let push = self.mask(f, Opcode::IfFcmp, &[Src::f32(0.0), Src::f32(0.0)], levels);
            f.block_mut(block).insts.push(push);
        }
        let after = self.end_of(index).map_or(block, |end| f.layout[end.close + 1].block);
        self.open.push(Open { seam, levels, header, after, plan: Plan::Arms, in_else: false });
    }

    fn end(&mut self, f: &mut Function<'_>, index: usize) -> Result<(), CompileError> {
        let unbalanced =
            || CompileError::internal("lower_control_flow: a construct ends without having begun");
        let open = self.open.pop().ok_or_else(unbalanced)?;
        let block = f.layout[index].block;
        if open.seam == Seam::Loop {
            if open.levels == 2 {
                let revive = self.mask(f, Opcode::WhileIcmp, &[Src::imm(0, 16), Src::imm(0, 16)], 2);
                f.block_mut(block).insts.push(revive);
            }
            let repeat = self.push(f, Opcode::JmpAny, &[], &[], &[open.header.0]);
            f.block_mut(block).insts.push(repeat);
        }
        if open.levels != 0 {
            let pop = self.mask(f, Opcode::PopExec, &[], open.levels);
            self.starts.push((f.layout[index + 1].block, pop));
        }
        Ok(())
    }

    /// An execution-mask instruction with nesting `nest` and the condition "equal".
    fn mask(&mut self, f: &mut Function<'_>, op: Opcode, srcs: &[Src], nest: u32) -> Inst {
        self.masks = true;
        self.push(f, op, &[], srcs, &mods(op).with(key::NEST, nest))
    }

    fn set_level(&mut self, f: &mut Function<'_>, level: Src) -> Inst {
        let counter = self.nesting_counter(f);
        self.push(f, Opcode::Ldimm16, &[counter], &[level], &mods(Opcode::Ldimm16))
    }

    /// A value in `r0l`.
    fn nesting_counter(&mut self, f: &mut Function<'_>) -> Value {
        let counter = f.add_value(Type::B16);
        self.allocation.reg[counter] = Some(Reg { half: agx_abi::registers::NESTING_COUNTER });
        counter
    }

    fn push(&self, f: &mut Function<'_>, op: Opcode, dsts: &[Value], srcs: &[Src], mods: &[u32]) -> Inst {
        f.make_inst(op, dsts, srcs, mods, 0)
    }
}
