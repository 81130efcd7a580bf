//! Removes tests of conditions whose value is known.
//!
//! * In the arms of an if, and after an if with an arm that leaves, its condition is a constant, and so are
//!   the conditions that it implies.
//! * If an arm determines, by a constant, the direction of the if after its join, and the arm of that if only
//!   jumps, the first arm jumps directly:
//!
//! ```text
//! if a { …; stop = true } else { … } if stop { break }   becomes   if a { …; break } else { … }
//! ```
//!
//! `opt_copy_prop` and `opt_simplify_control` clean up the remaining ifs and phis.
//!
//! Before: stage source. After: the same.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use arrayvec::ArrayVec;

use crate::ir::key;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, Seam, Side, Src, Value, end_of_region};

/// Maximum number of parts into which a condition is decomposed.
const MAX_PARTS: usize = 8;

/// Replaces known conditions and threads jumps.
pub fn opt_jump_threading(f: &mut Function<'_>) {
    if f.layout.iter().all(|segment| segment.seam != Seam::If) {
        return;
    }
    Conditions { known: Side::default(), learnt: Vec::new(), frames: Vec::new() }.walk(f);
    thread(f);
}

/// An open construct.
struct Frame {
    /// Number of known conditions when it opened.
    mark: usize,
    /// The condition of an if.
    condition: Option<Value>,
    then_leaves: bool,
    /// The block after it.
    after: Option<Block>,
}

/// The known conditions at the current point.
struct Conditions {
    known: Side<Value, Option<bool>>,
    /// Known conditions in the order in which they were learnt.
    learnt: Vec<Value>,
    frames: Vec<Frame>,
}

impl Conditions {
    fn walk(&mut self, f: &mut Function<'_>) {
        let ends = f.construct_ends();
        for (index, end) in ends.into_iter().enumerate() {
            let segment = f.layout[index];
            let condition = f.terminator(segment.block).and_then(|inst| f.insts[inst].srcs.first().copied());
            if !self.learnt.is_empty() {
                self.use_in(f, segment.block);
            }
            let leaves = segment.seam != Seam::If && f.terminator(segment.block).is_some();
            match segment.seam {
                Seam::If | Seam::Loop | Seam::Scope => {
                    let condition = condition.and_then(Src::as_value).filter(|_| segment.seam == Seam::If);
                    let after = end.and_then(|end| f.layout.get(end.close + 1)).map(|after| after.block);
                    self.frames.push(Frame { mark: self.learnt.len(), condition, then_leaves: false, after });
                    self.learn(f, condition, true);
                }
                Seam::Else => self.cross_else(f, segment.block, leaves),
                Seam::EndIf | Seam::EndLoop | Seam::EndScope => {
                    self.use_in_exit_phis(f, segment.block);
                    let Some(frame) = self.frames.pop() else { continue };
                    self.forget(frame.mark);
                    if frame.then_leaves != leaves {
                        self.learn(f, frame.condition, leaves);
                    }
                }
                Seam::End => {}
            }
        }
    }

    fn cross_else(&mut self, f: &mut Function<'_>, block: Block, leaves: bool) {
        self.use_in_exit_phis(f, block);
        let Some(frame) = self.frames.last_mut() else { return };
        frame.then_leaves = leaves;
        let (mark, condition) = (frame.mark, frame.condition);
        self.forget(mark);
        self.learn(f, condition, false);
    }

    fn learn(&mut self, f: &Function<'_>, condition: Option<Value>, truth: bool) {
        let mut pending: ArrayVec<(Src, bool), MAX_PARTS> = ArrayVec::new();
        pending.extend(condition.map(|value| (Src::value(value), truth)));
        for _ in 0..MAX_PARTS {
            let Some((src, truth)) = pending.pop() else { return };
            let Some(value) = src.as_value().filter(|value| self.known[*value].is_none()) else { continue };
            self.known[value] = Some(truth);
            self.learnt.push(value);
            let Some(data) = f.def(src).filter(|data| data.op == Op::Hw(Opcode::Bitop)) else { continue };
            match (data.get(key::TABLE), truth) {
                (Truth::NOT, _) => {
                    let _ = pending.try_push((data.srcs[0], !truth));
                }
                (Truth::AND, true) | (Truth::OR, false) => {
                    let _ = data.srcs.iter().all(|src| pending.try_push((*src, truth)).is_ok());
                }
                _ => {}
            }
        }
    }

    fn forget(&mut self, mark: usize) {
        for value in self.learnt.drain(mark.min(self.learnt.len())..) {
            self.known[value] = None;
        }
    }

    fn constant(&self, src: Src) -> Option<Src> {
        src.as_value().and_then(|value| self.known[value]).map(Src::bool)
    }

    /// Replaces known conditions in the instructions of a block, except phis, which read at the ends of
    /// predecessors.
    fn use_in(&self, f: &mut Function<'_>, block: Block) {
        for index in f.phi_count(block)..f.block(block).insts.len() {
            let inst = f.block(block).insts[index];
            self.use_in_inst(f, inst, |_| true);
        }
    }

    /// Replaces conditions known at the end of `block` in the phis of the block after the construct that ends
    /// there.
    fn use_in_exit_phis(&self, f: &mut Function<'_>, block: Block) {
        let after = self.frames.last().and_then(|frame| frame.after).filter(|_| !self.learnt.is_empty());
        let Some(after) = after else { return };
        for index in 0..f.phi_count(after) {
            let inst = f.block(after).insts[index];
            self.use_in_inst(f, inst, |from| from == Some(block));
        }
    }

    fn use_in_inst(&self, f: &mut Function<'_>, inst: Inst, applies: impl Fn(Option<Block>) -> bool) {
        let data = f.insts[inst];
        if data.srcs.iter().all(|src| self.constant(*src).is_none()) {
            return;
        }
        let from = |index: usize| match data.op {
            Op::Ir(IrOp::Phi) => data.mods.get(index).map(|block| Block(*block)),
            _ => None,
        };
        let replace = |(index, src): (usize, &Src)| match self.constant(*src) {
            Some(constant) if applies(from(index)) => constant,
            _ => *src,
        };
        let srcs: Vec<Src> = data.srcs.iter().enumerate().map(replace).collect();
        f.insts[inst].srcs = f.alloc(&srcs);
    }
}

/// An if whose condition is a phi with a constant input, and whose corresponding arm only jumps.
struct Decided {
    /// The end of an arm of the preceding if, whose constant selects the jump.
    from: Block,
    join: Block,
    /// The arm that jumps, and its target.
    jumps: Block,
    target: Block,
}

/// Lets arms jump directly to the target that they determine.
fn thread(f: &mut Function<'_>) {
    let mut open: Vec<Block> = Vec::new();
    let mut found = Vec::new();
    for index in 0..f.layout.len() {
        let segment = f.layout[index];
        match segment.seam {
            Seam::If => open.push(Block(u32::MAX)),
            Seam::Else => {
                open.pop();
                open.push(segment.block);
            }
            Seam::Loop | Seam::Scope => open.push(Block(u32::MAX)),
            Seam::EndIf => {
                let then_end = open.pop();
                found.extend(then_end.and_then(|then_end| decided(f, index, [then_end, segment.block])));
            }
            Seam::EndLoop | Seam::EndScope => {
                open.pop();
            }
            Seam::End => {}
        }
    }
    if found.is_empty() {
        return;
    }
    let positions = Positions::new(f);
    found.retain(|decided| positions.is_dead_at_target(f, decided));
    found.iter().for_each(|decided| jump(f, decided));
}

/// Positions of blocks in the layout, and the last block that reads each value.
struct Positions {
    of: Side<Block, usize>,
    last_use: Side<Value, usize>,
}

impl Positions {
    fn new(f: &Function<'_>) -> Positions {
        let mut of: Side<Block, usize> = Side::new(f.blocks.len());
        f.blocks_in_order().enumerate().for_each(|(at, block)| of[block] = at);
        let mut last_use: Side<Value, usize> = Side::new(f.values.len());
        for block in f.blocks_in_order() {
            for inst in &f.block(block).insts {
                let data = f.insts[*inst];
                for (index, src) in data.srcs.iter().enumerate() {
                    let Some(value) = src.as_value() else { continue };
                    // A phi reads at the end of its predecessor.
                    let reader = if data.op == Op::Ir(IrOp::Phi) { Block(data.mods[index]) } else { block };
                    last_use[value] = last_use[value].max(of[reader]);
                }
            }
        }
        Positions { of, last_use }
    }

    /// Whether the phis of the join have no use at the target or after it. The new edge bypasses the join,
    /// which contains only phis, to a target after it; blocks in between are still reached only through the
    /// join, regardless of other arms that jump.
    fn is_dead_at_target(&self, f: &Function<'_>, decided: &Decided) -> bool {
        let phis = &f.block(decided.join).insts[..f.phi_count(decided.join)];
        let mut values = phis.iter().filter_map(|inst| f.insts[*inst].dst());
        let target = self.of[decided.target];
        target < self.of[decided.join] || values.all(|value| self.last_use[value] < target)
    }
}

/// The decision that the arms ending with `ends` at segment `index` make for the if after them.
fn decided(f: &Function<'_>, index: usize, ends: [Block; 2]) -> Option<Decided> {
    let join = f.layout.get(index + 1).filter(|join| join.seam == Seam::If)?.block;
    let insts = &f.block(join).insts;
    let phis = f.phi_count(join);
    if insts.len() != phis + 1 || phis == 0 {
        return None;
    }
    let condition = f.insts[*insts.last()?].srcs.first()?.as_value()?;
    let phi = insts[..phis].iter().map(|inst| f.insts[*inst]).find(|phi| phi.dst() == Some(condition))?;
    // At least one arm must remain that reaches the join.
    if phi.srcs.len() < 2 {
        return None;
    }
    let arms = [only_jumps(f, index + 2, Seam::Else), else_arm(f, index + 2)];
    phi.phi_inputs().find_map(|(from, src)| {
        let (jumps, target) = arms[usize::from(src.as_imm()? & 1 == 0)]?;
        (ends.contains(&from) && f.terminator(from).is_none()).then_some(Decided {
            from,
            join,
            jumps,
            target,
        })
    })
}

/// The block of segment `index` and its jump target, if the segment ends with `seam` and contains only the
/// jump.
fn only_jumps(f: &Function<'_>, index: usize, seam: Seam) -> Option<(Block, Block)> {
    let segment = f.layout.get(index).filter(|segment| segment.seam == seam)?;
    match f.block(segment.block).insts.as_slice() {
        [only] => Some((segment.block, f.insts[*only].target()?)),
        _ => None,
    }
}

/// Like [`only_jumps`] for the second arm of the if whose first arm begins at segment `index`.
fn else_arm(f: &Function<'_>, index: usize) -> Option<(Block, Block)> {
    let end = end_of_region(f.layout, index);
    if f.layout[end].seam == Seam::Else { only_jumps(f, end + 1, Seam::EndIf) } else { None }
}

/// Ends the arm with the jump. The phis of the join lose an input, those of the target gain one.
fn jump(f: &mut Function<'_>, decided: &Decided) {
    let joined: Vec<InstData<'_>> =
        f.block(decided.join).insts[..f.phi_count(decided.join)].iter().map(|inst| f.insts[*inst]).collect();
    for index in 0..f.phi_count(decided.target) {
        let inst = f.block(decided.target).insts[index];
        let data = f.insts[inst];
        let Some(src) = data.phi_input_from(decided.jumps) else { continue };
        let phi = joined.iter().find(|phi| phi.dst().is_some() && phi.dst() == src.as_value());
        let src = phi.and_then(|phi| phi.phi_input_from(decided.from)).unwrap_or(src);
        let inputs: Vec<(Block, Src)> = data.phi_inputs().chain([(decided.from, src)]).collect();
        f.set_inst(inst, data.with_inputs(f, &inputs));
    }
    for (index, data) in joined.into_iter().enumerate() {
        let inst = f.block(decided.join).insts[index];
        let kept: Vec<(Block, Src)> = data.phi_inputs().filter(|(from, _)| *from != decided.from).collect();
        f.set_inst(inst, data.with_inputs(f, &kept));
    }
    let inst = f.make_inst(IrOp::Jump, &[], &[], &[decided.target.0], 0);
    f.block_mut(decided.from).insts.push(inst);
}
