//! The graph of a program with the stacks in variables: a loop that dispatches to the block of the next
//! address, executes it, and pops ended ranges from the stacks. Its size is proportional to the program,
//! regardless of the program's control flow.

use agx_pica200::validate::reachable;
use agx_pica200::{Opcode, Program};

use super::expand::instruction;
use super::flow::{Exit, Flow, Op, Test};
use crate::error::CompileError;
use crate::frontend::kit::control::Node;

/// The node that dispatches to the block of the next address.
const DISPATCH: Node = 1;
/// The node that pops ended ranges from the stacks.
const POP: Node = 2;

/// The graph of a program from `entry` on.
///
/// # Errors
/// A word that may be reachable has no known opcode.
pub(super) fn machine(program: &Program, entry: u32) -> Result<Flow, CompileError> {
    let mut flow = Flow { has_stacks: true, ..Flow::default() };
    flow.add(vec![Op::Fall(entry)], Exit::Go(DISPATCH));
    flow.add(Vec::new(), Exit::End);
    flow.add(vec![Op::Pop], Exit::Go(DISPATCH));
    let starts = starts(program, entry)?;
    let mut blocks = Vec::new();
    for (address, _) in starts.iter().enumerate().filter(|(_, starts)| **starts) {
        let node = block(program, &starts, &mut flow, address as u32)?;
        blocks.push((address as u32, node));
    }
    let end = flow.add(Vec::new(), Exit::End);
    blocks.push((program.code.len() as u32, end));
    let choice = choose(&mut flow, blocks);
    flow.blocks[DISPATCH].exit = Exit::Go(choice);
    Ok(flow.compact())
}

/// The reachable addresses at which a block starts: those that control may reach other than from the
/// preceding instruction, and those at which a range may end.
fn starts(program: &Program, entry: u32) -> Result<Vec<bool>, CompileError> {
    let reached = reachable(program, entry);
    let mut starts = vec![false; program.code.len()];
    let mut mark = |address: u32| {
        if let Some(start) = starts.get_mut(address as usize) {
            *start = true;
        }
    };
    mark(entry);
    for (address, _) in (0..).zip(&reached).filter(|(_, reached)| **reached) {
        let Some(inst) = instruction(program, address)? else { continue };
        match inst.opcode {
            Opcode::Jmpc | Opcode::Jmpu => mark(inst.target()),
            Opcode::Call | Opcode::Callc | Opcode::Callu | Opcode::Ifu | Opcode::Ifc => {
                mark(inst.target());
                mark(inst.range_end());
            }
            Opcode::Loop => mark(inst.target().saturating_add(1)),
            Opcode::Break | Opcode::Breakc => {}
            _ => continue,
        }
        mark(address.saturating_add(1));
    }
    starts.iter_mut().zip(&reached).for_each(|(start, reached)| *start &= *reached);
    Ok(starts)
}

/// The node of the block that starts at an address.
fn block(program: &Program, starts: &[bool], flow: &mut Flow, start: u32) -> Result<Node, CompileError> {
    let mut ops = Vec::new();
    let mut address = start;
    loop {
        let Some(inst) = instruction(program, address)? else {
            return Ok(flow.add(ops, Exit::End));
        };
        match inst.opcode {
            Opcode::End => return Ok(flow.add(ops, Exit::End)),
            opcode if is_control(opcode) => {
                ops.push(Op::Control(address));
                break;
            }
            Opcode::Nop => {}
            _ => ops.push(Op::Inst(address)),
        }
        address = address.saturating_add(1);
        if starts.get(address as usize).copied().unwrap_or(true) {
            ops.push(Op::Fall(address));
            break;
        }
    }
    Ok(flow.add(ops, Exit::Go(POP)))
}

fn is_control(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Jmpc
            | Opcode::Jmpu
            | Opcode::Call
            | Opcode::Callc
            | Opcode::Callu
            | Opcode::Ifu
            | Opcode::Ifc
            | Opcode::Loop
            | Opcode::Break
            | Opcode::Breakc
    )
}

/// A tree of tests that branches to the block of the next address. Addresses past the last one go to the last
/// one.
fn choose(flow: &mut Flow, mut level: Vec<(u32, Node)>) -> Node {
    while level.len() > 1 {
        let mut next = Vec::with_capacity(level.len().div_ceil(2));
        for pair in level.chunks(2) {
            next.push(match *pair {
                [(low, yes), (address, no)] => {
                    (low, flow.add(Vec::new(), Exit::Branch(Test::AddressBelow(address), yes, no)))
                }
                [single] => single,
                _ => continue,
            });
        }
        level = next;
    }
    level.first().map_or(DISPATCH, |(_, node)| *node)
}
