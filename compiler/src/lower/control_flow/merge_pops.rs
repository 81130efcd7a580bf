//! Where constructs end one after the other, one `pop_exec` closes them all.

use agx_isa::table::Opcode;

use crate::ir::key;
use crate::ir::{Block, Function, Inst, Op, Side};

/// Most levels that one instruction closes.
const MAX_NEST: u32 = 3;

/// Closes constructs that end together by one instruction, unless something jumps in between.
pub(super) fn merge_pops(f: &mut Function<'_>) {
    let targets = targets(f);
    // The next block that has instructions, where nothing jumps to it or to what is before it.
    let mut next: Option<Block> = None;
    for index in (0..f.layout.len()).rev() {
        let block = f.layout[index].block;
        if targets[block] {
            next = None;
        } else if !f.block(block).insts.is_empty() && !next.is_some_and(|next| merge(f, block, next)) {
            next = Some(block);
        }
    }
}

/// Makes the instruction at the start of `next` close what the only one of `block` closes, too.
fn merge(f: &mut Function<'_>, block: Block, next: Block) -> bool {
    let ([inner], Some(outer)) = (&f.block(block).insts[..], f.block(next).insts.first().copied()) else {
        return false;
    };
    let (Some(inner), Some(levels)) = (levels(f, *inner), levels(f, outer)) else { return false };
    if inner + levels > MAX_NEST {
        return false;
    }
    f.block_mut(block).insts.clear();
    let data = f.insts[outer];
    let names = data.op.mod_names().zip(data.mods);
    let mods: Vec<u32> =
        names.map(|(name, value)| if name == "nest" { inner + levels } else { *value }).collect();
    f.insts[outer].mods = f.alloc(&mods);
    true
}

/// Levels that `inst` closes, if it does.
fn levels(f: &Function<'_>, inst: Inst) -> Option<u32> {
    let data = f.insts[inst];
    (data.op == Op::Hw(Opcode::PopExec)).then(|| data.get(key::NEST)).filter(|levels| *levels != 0)
}

/// Blocks that something jumps to.
fn targets(f: &Function<'_>) -> Side<Block, bool> {
    let mut targets = Side::new(f.blocks.len());
    for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
        let data = f.insts[*inst];
        if let (Op::Hw(Opcode::JmpNone | Opcode::JmpAny), [target]) = (data.op, data.mods) {
            targets[Block(*target)] = true;
        }
    }
    targets
}
