//! WGSL's `discard`: a demotion.
//!
//! The invocation goes on as a helper with the statement after `discard`. naga writes `OpKill` instead, and nothing after it,
//! so [`mark`] replaces the statement before the module is written, by a memory barrier, which no other statement of
//! WGSL becomes, and [`demote`] replaces the barrier in the words.

use naga::{Barrier, Block, Module, Statement};
use spirv::Op;

/// Words of the header of a module.
const HEADER_WORDS: usize = 5;

/// Replaces the discards of a validated module by marks.
pub(super) fn mark(module: &mut Module) {
    let functions = module.functions.iter_mut().map(|(_, function)| &mut function.body);
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function.body);
    let mut open: Vec<&mut Block> = functions.chain(entries).collect();
    while let Some(block) = open.pop() {
        for statement in block.iter_mut() {
            match statement {
                Statement::Kill => *statement = Statement::MemoryBarrier(Barrier::empty()),
                Statement::Block(inner) => open.push(inner),
                Statement::If { accept, reject, .. } => open.extend([accept, reject]),
                Statement::Switch { cases, .. } => open.extend(cases.iter_mut().map(|case| &mut case.body)),
                Statement::Loop { body, continuing, .. } => open.extend([body, continuing]),
                _ => {}
            }
        }
    }
}

/// Replaces the marks in a module's words by demotions.
pub(super) fn demote(words: &mut [u32]) {
    let mut rest = words.get_mut(HEADER_WORDS..).unwrap_or_default();
    while let Some(first) = rest.first().copied() {
        let (op, count) = (first & 0xffff, (first >> 16).max(1) as usize);
        let Some((inst, after)) = rest.split_at_mut_checked(count) else { break };
        if op == Op::MemoryBarrier as u32 {
            inst.fill(1 << 16 | Op::Nop as u32);
            if let Some(head) = inst.first_mut() {
                *head = 1 << 16 | Op::DemoteToHelperInvocation as u32;
            }
        }
        rest = after;
    }
}
