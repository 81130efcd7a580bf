//! Removes exits that a loop takes after 2^64 iterations.
//!
//! Translators that must bound every loop, such as naga and Tint, add a 64-bit counter in two halves, which starts at one
//! end of its range and leaves the loop at the other end:
//!
//! ```text
//! low  = phi #-1, low - 1
//! high = phi #-1, high - (low == 0)
//! if high == 0 && low == 0 { break }
//! ```
//!
//! No program runs that long, so the condition is false. It becomes a constant, and later passes remove the test and the
//! counter. Without them, the loop may have a known number of iterations. The exit stays if the loop has no other one.
//!
//! Before: stage source. After: the same.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;

use crate::ir::key;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, Seam, Side, Src, Type, Value};

/// All ones in 32 bits.
const ONES: u64 = 0xffff_ffff;

/// Removes exits that a loop takes after 2^64 iterations.
pub fn opt_loop_bounds(f: &mut Function<'_>) {
    if !f.layout.iter().any(|segment| segment.seam == Seam::Loop) {
        return;
    }
    for inst in Walk::of(f).never {
        let data = f.insts[inst];
        f.insts[inst] = InstData { srcs: f.alloc(&[Src::bool(false)]), ..data };
    }
}

/// A loop around the current position of the walk.
struct Open {
    header: Block,
    /// Position of its header in the layout.
    first: usize,
    /// Ifs that leave after 2^64 iterations of it.
    bounds: Vec<Inst>,
    /// The first and the last position that other jumps in it lead to.
    targets: (usize, usize),
}

/// A walk through the layout.
struct Walk<'f, 'a> {
    f: &'f Function<'a>,
    places: Side<Block, usize>,
    open: Vec<Open>,
    /// Ifs whose condition never holds, in loops that have another exit.
    never: Vec<Inst>,
}

impl<'f, 'a> Walk<'f, 'a> {
    fn of(f: &'f Function<'a>) -> Walk<'f, 'a> {
        let mut places = Side::new(f.blocks.len());
        for (index, segment) in f.layout.iter().enumerate() {
            places[segment.block] = index;
        }
        let mut walk = Walk { f, places, open: Vec::new(), never: Vec::new() };
        // Position of the arm of an exit that is never taken.
        let mut arm = None;
        for (index, segment) in f.layout.iter().enumerate() {
            if arm != Some(index) {
                walk.jump(segment.block);
            }
            match segment.seam {
                Seam::Loop => walk.enter(index + 1),
                Seam::EndLoop => walk.leave(index),
                Seam::If if walk.bounds(index) => arm = Some(index + 1),
                _ => {}
            }
        }
        walk
    }

    fn enter(&mut self, first: usize) {
        let Some(segment) = self.f.layout.get(first) else { return };
        self.open.push(Open { header: segment.block, first, bounds: Vec::new(), targets: (first, first) });
    }

    /// Closes the innermost loop, whose last segment is `last`.
    fn leave(&mut self, last: usize) {
        let Some(closed) = self.open.pop() else { return };
        let (earliest, latest) = closed.targets;
        if earliest < closed.first || latest > last {
            self.never.extend(closed.bounds);
        }
        self.reach(earliest, latest);
    }

    /// Notes where the jump at the end of `block` leads.
    fn jump(&mut self, block: Block) {
        let target = self.f.terminator(block).and_then(|inst| self.f.insts[inst].target());
        if let Some(target) = target {
            let place = self.places[target];
            self.reach(place, place);
        }
    }

    fn reach(&mut self, earliest: usize, latest: usize) {
        if let Some(around) = self.open.last_mut() {
            around.targets = (around.targets.0.min(earliest), around.targets.1.max(latest));
        }
    }

    /// Whether the if after segment `index` has one block as its first arm and leaves the innermost loop after 2^64
    /// iterations.
    fn bounds(&mut self, index: usize) -> bool {
        let f = self.f;
        let Some(around) = self.open.last_mut() else { return false };
        let Some(inst) = f.terminator(f.layout[index].block) else { return false };
        let is_short =
            f.layout.get(index + 1).is_some_and(|arm| matches!(arm.seam, Seam::Else | Seam::EndIf));
        let never =
            is_short && f.insts[inst].srcs.first().is_some_and(|src| never_holds(f, around.header, *src));
        if never {
            around.bounds.push(inst);
        }
        never
    }
}

/// Whether `condition` holds only when a 64-bit counter of the loop at `header` has gone through its whole range.
fn never_holds(f: &Function<'_>, header: Block, condition: Src) -> bool {
    let halves = || {
        let join = f.def(condition).filter(|data| data.op == Op::Hw(Opcode::Bitop))?;
        let is_and = f.ty(join.dst()?) == Type::BOOL && join.get(key::TABLE) == Truth::AND;
        let [a, b] = join.srcs else { return None };
        let ((a, end), (b, other)) = (compared(f, *a)?, compared(f, *b)?);
        (is_and && end == other).then_some((a, b, end))
    };
    halves().is_some_and(|(a, b, end)| {
        let counter = |low, high| Counter { f, header, end }.has_halves(low, high).is_some_and(|has| has);
        counter(a, b) || counter(b, a)
    })
}

/// The value and the constant that `condition` compares for equality.
fn compared(f: &Function<'_>, condition: Src) -> Option<(Value, u64)> {
    let data = f.def(condition).filter(|data| data.op == Op::Ir(IrOp::Icmp) && is_plain(data))?;
    Some((data.srcs[0].as_value()?, data.srcs[1].as_imm()?))
}

/// Whether an instruction has only default modifiers, and so do its sources.
fn is_plain(data: &InstData<'_>) -> bool {
    data.mods.iter().all(|field| *field == 0) && data.srcs.iter().all(|src| *src == src.plain())
}

/// A 64-bit counter in two halves.
struct Counter<'f, 'a> {
    f: &'f Function<'a>,
    /// Header of the loop whose iterations it counts.
    header: Block,
    /// Both halves at its end: zero if it counts down, all ones if it counts up.
    end: u64,
}

impl Counter<'_, '_> {
    /// Both halves at its start.
    const fn start(&self) -> u64 {
        ONES - self.end
    }

    /// Whether `low` and `high` are the halves of the counter.
    fn has_halves(&self, low: Value, high: Value) -> Option<bool> {
        if self.end != 0 && self.end != ONES {
            return None;
        }
        let (next_low, next_high) = (self.next(low)?, self.next(high)?);
        let step = self.step(next_low, low)?.as_imm()?;
        let carry = self.carry(self.step(next_high, high)?)?;
        let carries =
            carry == (low, self.end) || Some(carry.0) == next_low.as_value() && carry.1 == self.start();
        Some(step == 1 && carries)
    }

    /// The value of a half in the next iteration, if the half is a phi of the header that begins at the start.
    fn next(&self, half: Value) -> Option<Src> {
        let f = self.f;
        let inst = f.values[half].def?;
        let data = f.insts[inst];
        let insts = &f.block(self.header).insts;
        let is_of_header = data.op == Op::Ir(IrOp::Phi) && insts[..f.phi_count(self.header)].contains(&inst);
        let mut next = None;
        for src in data.srcs {
            match src.as_imm() {
                Some(first) if first == self.start() && src.bits == 32 => {}
                None if next.is_none_or(|next| next == *src) => next = Some(*src),
                _ => return None,
            }
        }
        next.filter(|_| is_of_header)
    }

    /// What `next` adds to `half`, or subtracts if the counter counts down.
    fn step(&self, next: Src, half: Value) -> Option<Src> {
        let data = self.f.def(next).filter(is_plain)?;
        let [a, b] = *data.srcs else { return None };
        let (from, step) = if b == Src::value(half) { (b, a) } else { (a, b) };
        let down = self.end == 0;
        match data.op {
            _ if from != Src::value(half) => None,
            Op::Hw(Opcode::Isub) if down && from == a => Some(step),
            Op::Hw(Opcode::Iadd) if !down => Some(step),
            Op::Hw(Opcode::Iadd) => step.as_imm().filter(|step| *step == ONES).map(|_| Src::imm32(1)),
            _ => None,
        }
    }

    /// The comparison of which `src` is the truth as a number.
    fn carry(&self, src: Src) -> Option<(Value, u64)> {
        let data = self.f.def(src)?;
        match (data.op, data.srcs) {
            (Op::Ir(IrOp::Uconv), [truth]) => compared(self.f, *truth),
            (Op::Ir(IrOp::Select), [truth, one, zero]) => {
                let is_truth = one.as_imm() == Some(1) && zero.as_imm() == Some(0);
                compared(self.f, *truth).filter(|_| is_truth)
            }
            _ => None,
        }
    }
}
