//! Stacks in variables, for programs that are too large to expand. The newest entry is at index 0; an entry
//! whose end is 0 is empty, because no range ends at address 0.

use agx_pica200::{Inst, Opcode};

use super::expand::{CALLS, IFS, LOOPS};
use super::uniforms;
use crate::frontend::kit::Kit;
use crate::ir::build::alu::IntCond;
use crate::ir::{Arithmetic, Src};
use crate::ssa::Variable;

/// The words of a loop stack entry: end, body, remaining iterations, step, outer counter.
const LOOP_WORDS: usize = 5;

/// Variables of the stacks.
pub(super) struct Stacks {
    /// The next address.
    next: Variable,
    /// The address after the last instruction.
    successor: Variable,
    /// Whether the last instruction leaves a loop.
    breaks: Variable,
    /// End and return of each call; end and continuation of each if; the words of each loop.
    calls: Variable,
    ifs: Variable,
    loops: Variable,
}

/// A stack: its first variable, entries, and words of an entry.
#[derive(Clone, Copy)]
struct Stack {
    first: Variable,
    entries: usize,
    words: usize,
}

impl Stack {
    fn at(self, entry: usize, word: usize) -> Variable {
        self.first.at(entry.wrapping_mul(self.words).wrapping_add(word) as u32)
    }

    fn read(self, kit: &mut Kit<'_, '_>, entry: usize, word: usize) -> Src {
        kit.vars.read(&mut kit.b, self.at(entry, word))
    }

    /// If `cond` holds, moves every entry to the next older index and writes `words` to the newest.
    fn push(self, kit: &mut Kit<'_, '_>, cond: Src, words: &[Src]) {
        for entry in (0..self.entries).rev() {
            for word in 0..self.words {
                let new = match entry {
                    0 => words.get(word).copied().unwrap_or(Src::imm32(0)),
                    _ => self.read(kit, entry.saturating_sub(1), word),
                };
                self.set(kit, cond, (entry, word), new);
            }
        }
    }

    /// If `cond` holds, removes the newest entry.
    fn pop(self, kit: &mut Kit<'_, '_>, cond: Src) {
        for entry in 0..self.entries {
            for word in 0..self.words {
                let older = match entry.saturating_add(1) {
                    last if last == self.entries => Src::imm32(0),
                    older => self.read(kit, older, word),
                };
                self.set(kit, cond, (entry, word), older);
            }
        }
    }

    fn set(self, kit: &mut Kit<'_, '_>, cond: Src, (entry, word): (usize, usize), value: Src) {
        let old = self.read(kit, entry, word);
        let new = kit.b.select(cond, value, old);
        kit.vars.write(&kit.b, self.at(entry, word), new);
    }
}

impl Stacks {
    /// Empty stacks.
    pub fn new(kit: &mut Kit<'_, '_>) -> Stacks {
        let mut words = |count: usize| kit.vars.add(&vec![32; count]);
        Stacks {
            next: words(1),
            successor: words(1),
            calls: words(2 * CALLS),
            ifs: words(2 * IFS),
            loops: words(LOOP_WORDS * LOOPS),
            breaks: kit.vars.add(&[1]),
        }
    }

    fn calls(&self) -> Stack {
        Stack { first: self.calls, entries: CALLS, words: 2 }
    }

    fn ifs(&self) -> Stack {
        Stack { first: self.ifs, entries: IFS, words: 2 }
    }

    fn loops(&self) -> Stack {
        Stack { first: self.loops, entries: LOOPS, words: LOOP_WORDS }
    }

    /// Whether the next address is below `limit`.
    pub fn is_below(&self, kit: &mut Kit<'_, '_>, limit: u32) -> Src {
        let next = kit.vars.read(&mut kit.b, self.next);
        kit.b.icmp(IntCond::ULT, next, Src::imm32(limit))
    }

    /// Continues at `address` unless a range ends there.
    pub fn fall(&self, kit: &mut Kit<'_, '_>, address: u32) {
        self.go(kit, address, Src::imm32(address), Src::imm(0, 1));
    }

    fn go(&self, kit: &mut Kit<'_, '_>, successor: u32, next: Src, breaks: Src) {
        kit.vars.write(&kit.b, self.next, next);
        kit.vars.write(&kit.b, self.successor, Src::imm32(successor));
        kit.vars.write(&kit.b, self.breaks, breaks);
    }

    /// Executes a control instruction that takes effect if `acts` holds. `counter` is aL.
    pub fn control(
        &self,
        kit: &mut Kit<'_, '_>,
        (inst, address): (&Inst, u32),
        acts: Src,
        counter: Variable,
    ) {
        let successor = address.saturating_add(1);
        let [after, target, end] = [successor, inst.target(), inst.range_end()].map(Src::imm32);
        let (mut next, mut breaks) = (after, Src::imm(0, 1));
        match inst.opcode {
            Opcode::Break | Opcode::Breakc => breaks = acts,
            Opcode::Jmpc | Opcode::Jmpu => next = kit.b.select(acts, target, after),
            Opcode::Ifu | Opcode::Ifc => {
                next = kit.b.select(acts, after, target);
                self.ifs().push(kit, acts, &[target, end]);
            }
            Opcode::Loop => {
                let [count, first, step] =
                    [0, 1, 2].map(|component| uniforms::int(kit, inst.int_uniform(), component));
                let around = kit.vars.read(&mut kit.b, counter);
                let around = kit.b.and(around, Src::imm32(0xff));
                let last = Src::imm32(inst.target().saturating_add(1));
                self.loops().push(kit, acts, &[last, after, count, step, around]);
                kit.vars.write(&kit.b, counter, first);
            }
            _ => {
                next = kit.b.select(acts, target, after);
                self.calls().push(kit, acts, &[end, after]);
            }
        }
        self.go(kit, successor, next, breaks);
    }

    /// Pops ended ranges from the stacks.
    pub fn pop(&self, kit: &mut Kit<'_, '_>, counter: Variable) {
        let successor = kit.vars.read(&mut kit.b, self.successor);
        self.pop_calls(kit, successor);
        let ifs = self.ifs();
        let end = ifs.read(kit, 0, 0);
        let ends = kit.b.icmp(IntCond::EQ, end, successor);
        let follow = ifs.read(kit, 0, 1);
        self.continue_at(kit, ends, follow);
        ifs.pop(kit, ends);
        self.pop_loop(kit, successor, counter);
    }

    /// If `cond` holds, sets the next address to `next`.
    fn continue_at(&self, kit: &mut Kit<'_, '_>, cond: Src, next: Src) {
        let old = kit.vars.read(&mut kit.b, self.next);
        let new = kit.b.select(cond, next, old);
        kit.vars.write(&kit.b, self.next, new);
    }

    fn pop_calls(&self, kit: &mut Kit<'_, '_>, successor: Src) {
        let calls = self.calls();
        let (mut at, mut ends) = (successor, Src::imm(1, 1));
        for popped in 1..=CALLS {
            let end = calls.read(kit, 0, 0);
            let matches = kit.b.icmp(IntCond::EQ, end, at);
            ends = kit.b.and(ends, matches);
            // The return of the fourth is not executed.
            if popped < CALLS {
                let back = calls.read(kit, 0, 1);
                at = kit.b.select(ends, back, at);
                self.continue_at(kit, ends, back);
            }
            calls.pop(kit, ends);
        }
    }

    fn pop_loop(&self, kit: &mut Kit<'_, '_>, successor: Src, counter: Variable) {
        let loops = self.loops();
        let [end, body, remaining, step, around] = [0, 1, 2, 3, 4].map(|word| loops.read(kit, 0, word));
        let breaks = kit.vars.read(&mut kit.b, self.breaks);
        let aloft = kit.vars.read(&mut kit.b, counter);
        let b = &mut kit.b;
        let matches = b.icmp(IntCond::EQ, end, successor);
        let exists = b.icmp(IntCond::NE, end, Src::imm32(0));
        let ends = b.or(matches, breaks);
        let ends = b.and(ends, exists);
        let more = b.icmp(IntCond::NE, remaining, Src::imm32(0));
        let stays = b.not(breaks);
        let again = b.and(more, stays);
        let again = b.and(again, ends);
        let stepped = b.iadd(aloft, step);
        let stepped = b.select(ends, stepped, aloft);
        let less = b.isub(remaining, Src::imm32(1));
        let goes = b.not(again);
        let leaves = b.and(ends, goes);
        let outer = loops.read(kit, 1, 0);
        let is_inner = kit.b.icmp(IntCond::NE, outer, Src::imm32(0));
        let restores = kit.b.and(leaves, is_inner);
        let stepped = kit.b.select(restores, around, stepped);
        kit.vars.write(&kit.b, counter, stepped);
        loops.set(kit, again, (0, 2), less);
        self.continue_at(kit, again, body);
        self.continue_at(kit, leaves, end);
        loops.pop(kit, leaves);
    }
}
