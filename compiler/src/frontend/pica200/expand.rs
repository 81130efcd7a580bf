//! Expands a program: creates a node for each address together with the state of the stacks when control
//! reaches it.
//!
//! The stacks are those of the hardware (3dbrew): four calls, eight ifs, four loops; a push onto a full stack
//! drops the oldest entry. After an instruction each stack is compared with the address of the next
//! instruction. Up to four calls end at once, the fourth without its return; then an if; then a loop. The
//! last match determines the next address.
//!
//! Programs call a procedure from few places, so the expansion is usually small. Recursion and ranges that
//! never match may make it large; then the caller keeps the stacks in variables.

use agx_pica200::{Inst, Opcode, Program};
use arrayvec::ArrayVec;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::flow::{Exit, Flow, Op, Test};
use crate::error::{CompileError, Location, PicaError};
use crate::frontend::kit::control::Node;

/// Entries of the call stack.
pub(super) const CALLS: usize = 4;
/// Entries of the if stack.
pub(super) const IFS: usize = 8;
/// Entries of the loop stack.
pub(super) const LOOPS: usize = 4;

/// Number of instructions by which an expansion may exceed twice the program's size.
const SLACK: usize = 1024;

/// A range that continues elsewhere when its end is reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Range {
    end: u32,
    next: u32,
}

/// An open loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Loop {
    body: u32,
    end: u32,
    int: usize,
}

/// An address with the contents of the stacks, oldest entry first.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    address: u32,
    calls: ArrayVec<Range, CALLS>,
    ifs: ArrayVec<Range, IFS>,
    loops: ArrayVec<Loop, LOOPS>,
}

/// Pushes onto a stack that drops its oldest entry when full. Returns whether one was dropped.
fn push<T, const N: usize>(stack: &mut ArrayVec<T, N>, entry: T) -> bool {
    let full = stack.is_full();
    if full {
        stack.remove(0);
    }
    stack.push(entry);
    full
}

/// An expansion in progress.
struct Expansion<'p> {
    program: &'p Program,
    flow: Flow,
    nodes: HashMap<State, Node, FxBuildHasher>,
    /// States whose nodes have not been filled yet.
    open: Vec<(State, Node)>,
}

/// The graph of a program from `entry` on; `None` if it is too large.
///
/// # Errors
/// A reachable word has no known opcode.
pub(super) fn expand(program: &Program, entry: u32) -> Result<Option<Flow>, CompileError> {
    let mut expansion =
        Expansion { program, flow: Flow::default(), nodes: HashMap::default(), open: Vec::new() };
    let state =
        State { address: entry, calls: ArrayVec::new(), ifs: ArrayVec::new(), loops: ArrayVec::new() };
    expansion.node(state);
    let limit = program.code.len().saturating_mul(2).saturating_add(SLACK);
    while let Some((state, node)) = expansion.open.pop() {
        expansion.fill(state, node)?;
        if expansion.nodes.len() > limit {
            return Ok(None);
        }
    }
    Ok(Some(expansion.flow.compact()))
}

/// The instruction at an address; `None` past the end of the program.
///
/// # Errors
/// Its opcode is unknown.
pub(super) fn instruction(program: &Program, address: u32) -> Result<Option<Inst>, CompileError> {
    let Some(word) = program.code.get(address as usize) else { return Ok(None) };
    Inst::decode(*word).map(Some).ok_or_else(|| {
        CompileError::from(PicaError::Word { word: *word })
            .at(Location::Word { offset: address as usize, opcode: None })
    })
}

/// The test of a conditional instruction; `None` if it is unconditional.
pub(super) fn test(inst: &Inst) -> Option<Test> {
    match inst.opcode {
        Opcode::Callc | Opcode::Ifc | Opcode::Jmpc | Opcode::Breakc => {
            Some(Test::Condition(inst.condition()))
        }
        Opcode::Callu | Opcode::Ifu | Opcode::Jmpu => {
            Some(Test::Bool { uniform: inst.bool_uniform(), expected: inst.expected_bool() })
        }
        _ => None,
    }
}

impl Expansion<'_> {
    /// The node of a state.
    fn node(&mut self, state: State) -> Node {
        if let Some(node) = self.nodes.get(&state) {
            return *node;
        }
        let node = self.flow.add(Vec::new(), Exit::End);
        self.nodes.insert(state.clone(), node);
        self.open.push((state, node));
        node
    }

    /// Fills the node of a state with its operations and its exit.
    fn fill(&mut self, state: State, node: Node) -> Result<(), CompileError> {
        let Some(inst) = instruction(self.program, state.address)? else { return Ok(()) };
        let mut ops = Vec::new();
        let exit = match (inst.opcode, test(&inst)) {
            (Opcode::End, _) => Exit::End,
            (_, Some(test)) => {
                ops.push(Op::At(state.address));
                let yes = self.outcome(state.clone(), &inst, true);
                let no = self.outcome(state, &inst, false);
                Exit::Branch(test, yes, no)
            }
            (_, None) => {
                if is_effect(inst.opcode) {
                    ops.push(Op::Inst(state.address));
                } else if inst.opcode == Opcode::Loop {
                    ops.push(Op::At(state.address));
                }
                Exit::Go(self.outcome(state, &inst, true))
            }
        };
        let block = &mut self.flow.blocks[node];
        (block.ops, block.exit) = (ops, exit);
        Ok(())
    }

    /// The successor node of an instruction, depending on whether it takes effect.
    fn outcome(&mut self, mut state: State, inst: &Inst, acts: bool) -> Node {
        let successor = state.address.saturating_add(1);
        let (mut next, mut breaks) = (successor, false);
        let mut ops = Vec::new();
        match inst.opcode {
            Opcode::Break | Opcode::Breakc => breaks = acts,
            Opcode::Jmpc | Opcode::Jmpu if acts => next = inst.target(),
            Opcode::Call | Opcode::Callc | Opcode::Callu if acts => {
                next = inst.target();
                push(&mut state.calls, Range { end: inst.range_end(), next: successor });
            }
            Opcode::Ifu | Opcode::Ifc if acts => {
                push(&mut state.ifs, Range { end: inst.target(), next: inst.range_end() });
            }
            Opcode::Ifu | Opcode::Ifc => next = inst.target(),
            Opcode::Loop => {
                let int = inst.int_uniform();
                if push(&mut state.loops, Loop { body: successor, end: inst.target().saturating_add(1), int })
                {
                    ops.push(Op::ForgetLoop);
                }
                ops.push(Op::EnterLoop { depth: state.loops.len().saturating_sub(1), int });
            }
            _ => {}
        }
        state.address = pop_ranges(&mut state, successor, next);
        self.end_of_loop(state, successor, breaks, ops)
    }

    /// Ends an iteration of the innermost loop, if one ends after the instruction.
    fn end_of_loop(&mut self, mut state: State, successor: u32, breaks: bool, mut ops: Vec<Op>) -> Node {
        let top = state.loops.last().copied().filter(|top| breaks || top.end == successor);
        let Some(top) = top else {
            let node = self.node(state);
            return if ops.is_empty() { node } else { self.flow.add(ops, Exit::Go(node)) };
        };
        let depth = state.loops.len().saturating_sub(1);
        ops.push(Op::StepLoop { int: top.int });
        let again = State { address: top.body, ..state.clone() };
        state.loops.pop();
        let after = self.node(State { address: top.end, ..state });
        let restore = if depth > 0 { vec![Op::Restore { depth }] } else { Vec::new() };
        if breaks {
            ops.extend(restore);
            return self.flow.add(ops, Exit::Go(after));
        }
        let again = self.node(again);
        let again = self.flow.add(vec![Op::Repeat { depth }], Exit::Go(again));
        let after = if restore.is_empty() { after } else { self.flow.add(restore, Exit::Go(after)) };
        self.flow.add(ops, Exit::Branch(Test::Iterations { depth }, again, after))
    }
}

/// Whether an instruction does more than transfer control.
fn is_effect(opcode: Opcode) -> bool {
    !matches!(opcode, Opcode::Nop | Opcode::Break | Opcode::Call | Opcode::Loop | Opcode::End)
}

/// Ends calls and an if after the instruction before `successor`. Returns the next address, which is `next`
/// if none ends.
fn pop_ranges(state: &mut State, successor: u32, mut next: u32) -> u32 {
    let mut at = successor;
    for popped in 1..=CALLS {
        let Some(call) = state.calls.last().copied().filter(|call| call.end == at) else { break };
        state.calls.pop();
        // The return of the fourth is not executed.
        if popped < CALLS {
            (next, at) = (call.next, call.next);
        }
    }
    if let Some(range) = state.ifs.last().copied().filter(|range| range.end == successor) {
        state.ifs.pop();
        next = range.next;
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Program {
        agx_pica200::assemble(text).expect("assembles").program
    }

    #[test]
    fn a_procedure_called_twice_has_its_instructions_twice() {
        let text = ".proc main\n call p\n call p\n end\n.end\n.proc p\n mov r0, v0\n mov r1, v1\n.end\n";
        let flow = expand(&program(text), 0).expect("known opcodes").expect("a small graph");
        assert_eq!(flow.blocks.len(), 1, "one way through");
        let insts = flow.blocks[0].ops.iter().filter(|op| matches!(op, Op::Inst(_))).count();
        assert_eq!(insts, 4);
    }

    #[test]
    fn recursion_from_many_places_exceeds_the_limit() {
        let again = "cmp v0, gt, gt, v0\n callc cmp.x, p\n mov r0, v0\n".repeat(16);
        let text = format!(".proc main\n call p\n end\n.end\n.proc p\n{again}.end\n");
        let program = program(&text);
        assert_eq!(expand(&program, 0).expect("known opcodes"), None);
        let flow = super::super::machine::machine(&program, 0).expect("known opcodes");
        assert!(flow.blocks.len() < 4 * program.code.len());
    }

    #[test]
    fn unreachable_words_are_not_checked() {
        let text = "mov r0, v0\nend\n.word 0x40000000\n";
        assert!(expand(&program(text), 0).is_ok());
        let error = expand(&program(text), 2).expect_err("an unknown opcode");
        assert_eq!(error.location, Location::Word { offset: 2, opcode: None });
    }
}
