//! Control flow of machine code from the view of a lane.
//!
//! Inactive lanes skip instructions until a mask instruction brings their level back to 0, so a lane's path differs
//! from the order of the code. A state is an instruction together with the lane's level (`r0l`). Following the effect
//! of mask instructions on levels gives the exact paths, except that every condition may be true or false.

use agx_isa::desc::Effects;
use agx_isa::disasm::{Line, Piece, disassemble};
use agx_isa::{Inst, Opcode};
use rustc_hash::FxHashMap;

/// With more states than this, levels are ignored.
const MAX_STATES: usize = 1 << 18;

/// Maximum level; the hardware's counter has 16 bits, and compiled code stays far below.
const MAX_LEVEL: u16 = 255;

/// An instruction and the level of the lane before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// Index of the instruction in [`Flow::lines`].
    pub line: usize,
    /// The lane's `r0l`.
    level: u16,
    /// The lane executes it.
    pub is_active: bool,
}

/// Instructions that a lane executes from the first to the last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Indices of its instructions.
    pub lines: std::ops::Range<usize>,
    /// Blocks that a lane may execute next, ascending; `true` marks back edges.
    pub successors: Vec<(usize, bool)>,
}

/// The states of a program and the transitions between them.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The program.
    pub lines: Vec<Line>,
    /// Every state that a lane can be in.
    pub states: Vec<State>,
    /// States that follow each.
    pub successors: Vec<Vec<usize>>,
}

impl Flow {
    /// The flow of `code` from its first instruction.
    pub fn new(code: &[u8]) -> Flow {
        let lines = disassemble(code);
        let exact = Flow::follow(&lines, true);
        let (states, successors) = match exact {
            Some(found) => found,
            None => Flow::follow(&lines, false).unwrap_or_default(),
        };
        Flow { lines, states, successors }
    }

    /// `None` if there are too many states.
    fn follow(lines: &[Line], by_level: bool) -> Option<(Vec<State>, Vec<Vec<usize>>)> {
        let has_masks = lines.iter().any(is_mask);
        let (mut states, mut successors) = (Vec::new(), Vec::new());
        let mut known: FxHashMap<State, usize> = FxHashMap::default();
        if !lines.is_empty() {
            let first = State { line: 0, level: 0, is_active: true };
            known.insert(first, 0);
            states.push(first);
        }
        let mut at = 0;
        while let Some(state) = states.get(at).copied() {
            let mut next = Vec::new();
            for mut following in step(lines, state, has_masks) {
                if !by_level {
                    (following.level, following.is_active) = (0, true);
                }
                let index = *known.entry(following).or_insert_with(|| {
                    states.push(following);
                    states.len() - 1
                });
                if !next.contains(&index) {
                    next.push(index);
                }
            }
            successors.push(next);
            at += 1;
            if by_level && states.len() > MAX_STATES {
                return None;
            }
        }
        Some((states, successors))
    }

    /// The program as blocks that lanes execute, in the order of the code. Unreachable instructions are in no block.
    pub fn blocks(&self) -> Vec<Block> {
        let reached = self.reached();
        let mut starts = vec![false; self.lines.len() + 1];
        for (state, following) in self.states.iter().zip(&self.successors) {
            for next in following.iter().filter_map(|index| self.states.get(*index)) {
                let falls = next.line == state.line + 1;
                if !falls || self.lines.get(state.line).is_some_and(ends_block) {
                    starts[next.line] = true;
                }
            }
        }
        let mut blocks: Vec<Block> = Vec::new();
        for line in (0..self.lines.len()).filter(|line| reached[*line]) {
            match blocks.last_mut() {
                Some(block) if block.lines.end == line && !starts[line] => block.lines.end += 1,
                _ => blocks.push(Block { lines: line..line + 1, successors: Vec::new() }),
            }
        }
        self.connect(&mut blocks);
        blocks
    }

    /// For each instruction, whether a lane can execute it.
    pub fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.lines.len()];
        for state in self.states.iter().filter(|state| state.is_active) {
            reached[state.line] = true;
        }
        reached
    }

    fn connect(&self, blocks: &mut [Block]) {
        let mut of_line = vec![usize::MAX; self.lines.len()];
        for (index, block) in blocks.iter().enumerate() {
            of_line[block.lines.clone()].fill(index);
        }
        for (index, state) in self.states.iter().enumerate().filter(|(_, state)| state.is_active) {
            let Some(block) = blocks.get_mut(of_line[state.line]) else { continue };
            if block.lines.end != state.line + 1 {
                continue;
            }
            for target in self.executed_next(index) {
                let edge = (of_line[target], target <= state.line);
                if !block.successors.contains(&edge) {
                    block.successors.push(edge);
                }
            }
        }
        blocks.iter_mut().for_each(|block| block.successors.sort_unstable());
    }

    /// Instructions that a lane in state `from` may execute next, after those that it skips while inactive.
    fn executed_next(&self, from: usize) -> Vec<usize> {
        let mut seen = vec![from];
        let mut work = self.successors.get(from).cloned().unwrap_or_default();
        let mut found = Vec::new();
        while let Some(index) = work.pop() {
            let Some(state) = self.states.get(index) else { continue };
            if state.is_active {
                found.push(state.line);
            } else if !seen.contains(&index) {
                seen.push(index);
                work.extend(self.successors.get(index).into_iter().flatten());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn inst(line: &Line) -> Option<&Inst> {
    match &line.piece {
        Piece::Inst(inst) => Some(inst),
        Piece::Unknown(_) => None,
    }
}

fn is_mask(line: &Line) -> bool {
    inst(line).is_some_and(|inst| inst.op.desc().effects.contains(Effects::MASK))
}

/// Whether control may continue elsewhere than at the next instruction.
fn ends_block(line: &Line) -> bool {
    let ends = Effects::MASK | Effects::JUMP | Effects::STOP;
    inst(line).is_some_and(|inst| inst.op.desc().effects.intersects(ends))
}

/// The states after `state`.
fn step(lines: &[Line], state: State, has_masks: bool) -> Vec<State> {
    let Some(line) = lines.get(state.line) else { return Vec::new() };
    let Some(inst) = inst(line) else { return Vec::new() };
    let effects = inst.op.desc().effects;
    if effects.contains(Effects::STOP) || inst.op == Opcode::Ret {
        return Vec::new();
    }
    let next = (state.line + 1 < lines.len()).then_some(state.line + 1);
    if effects.contains(Effects::MASK) {
        let at = |level: u16| next.map(|line| State { line, level, is_active: level == 0 });
        return masked(inst, state.level).into_iter().filter_map(at).collect();
    }
    let target = line.target().and_then(|pc| lines.binary_search_by_key(&pc, |line| line.pc).ok());
    let places = match (inst.op, state.is_active) {
        // Some lane is active here.
        (Opcode::JmpAny, true) => [target, None],
        (Opcode::JmpNone, true) => [next, None],
        _ => [next, target],
    };
    let levels = match state.is_active && has_masks {
        true => levels_after(inst, state.level),
        false => vec![state.level],
    };
    let of = |line: usize| levels.iter().map(move |level| State { line, level: *level, ..state });
    places.into_iter().flatten().flat_map(of).collect()
}

/// Levels of a lane after a mask instruction at `level`, for both outcomes of its condition.
fn masked(inst: &Inst, level: u16) -> Vec<u16> {
    let nest = inst.modifier("nest") as u16;
    let always = agx_isa::alias::Alias::of(inst).is_some();
    let either = |holds: u16, fails: u16| if always { vec![holds] } else { vec![holds, fails] };
    match inst.op {
        Opcode::IfIcmp | Opcode::IfFcmp if level == 0 => either(0, 1),
        Opcode::IfIcmp | Opcode::IfFcmp => vec![(level + nest).min(MAX_LEVEL)],
        Opcode::ElseIcmp | Opcode::ElseFcmp => match level {
            0 => vec![nest],
            1 => either(0, 1),
            _ => vec![level],
        },
        Opcode::WhileIcmp | Opcode::WhileFcmp if level < nest => either(0, nest),
        Opcode::PopExec => vec![level.saturating_sub(nest)],
        _ => vec![level],
    }
}

/// Levels that an active lane may leave in `r0l` for the next mask instruction.
fn levels_after(inst: &Inst, level: u16) -> Vec<u16> {
    if !inst.registers_written().any(|halves| halves.contains(&0)) {
        return vec![level];
    }
    let immediate = |name: &str| inst.operand(name).filter(|source| source.tag == agx_isa::inst::Tag::Imm);
    let names: &[&str] = match inst.op {
        Opcode::Ldimm16 => &["a"],
        Opcode::Icsel | Opcode::Fcsel => &["x", "y"],
        _ => &[],
    };
    let levels: Vec<u16> = names
        .iter()
        .filter_map(|name| immediate(name))
        .map(|source| (source.value as u16).min(MAX_LEVEL))
        .collect();
    if levels.is_empty() || levels.len() < names.len() { vec![0, 1, level] } else { levels }
}

#[cfg(test)]
mod tests {
    use agx_isa::asm::assemble;

    use super::*;

    fn blocks(text: &str) -> Vec<(std::ops::Range<usize>, Vec<(usize, bool)>)> {
        let flow = Flow::new(&assemble(text).unwrap());
        flow.blocks().into_iter().map(|block| (block.lines, block.successors)).collect()
    }

    #[test]
    fn arms_of_an_if_are_alternatives() {
        let text = "if_icmp.ult r1, 5, nest 1\n mov r2, 1\n else_exec nest 1\n mov r2, 2\n pop_exec nest 1\n stop\n trap";
        let expected = [
            (0..1, vec![(1, false), (2, false)]),
            (1..3, vec![(3, false)]),
            (3..5, vec![(3, false)]),
            (5..6, vec![]),
        ];
        assert_eq!(blocks(text), expected);
    }

    #[test]
    fn a_loop_goes_back_and_breaks_leave_it() {
        // A loop whose body exits when r1 reaches 10, as the compiler writes it.
        let text = "ldimm16 r0l, 0\n push_exec nest 1\n L0: iadd r1, r1, 1\n icsel.ugt r0l, r1, 10, 1, 0\n \
                    pop_exec\n jmp_any L0\n pop_exec nest 1\n stop";
        let found = blocks(text);
        let body = found.iter().position(|(lines, _)| lines.contains(&2)).unwrap();
        let jump = found.iter().position(|(lines, _)| lines.contains(&5)).unwrap();
        let after = found.iter().position(|(lines, _)| lines.contains(&7)).unwrap();
        assert_eq!(found[body].1, [(jump, false), (after, false)], "{found:?}");
        assert_eq!(found[jump].1, [(body, true)], "{found:?}");
        assert!(
            found.iter().all(|(lines, _)| !lines.contains(&6)),
            "no lane is active at the pop: {found:?}"
        );
    }

    #[test]
    fn code_without_masks_uses_r0l_as_data() {
        assert_eq!(blocks("ldimm16 r0l, 7\n stop"), [(0..2, vec![])]);
        assert_eq!(blocks(""), []);
    }
}
