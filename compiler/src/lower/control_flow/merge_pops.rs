//! Merges `pop_exec`s of constructs that end together.

use agx_isa::table::Opcode;

use crate::ir::key;
use crate::ir::{Block, Function, Inst, Op, Side};

/// Maximum number of levels that one instruction closes.
const MAX_NEST: u32 = 3;

/// Closes constructs that end together with one instruction, unless a jump targets a block in between.
pub(super) fn merge_pops(f: &mut Function<'_>) {
    let targets = targets(f);
    // The next block with instructions, provided that no jump targets it or an empty block before it.
    let mut next: Option<Block> = None;
    for index in (0..f.layout.len()).rev() {
        let block = f.layout[index].block;
        if !f.block(block).insts.is_empty() && !next.is_some_and(|next| merge(f, block, next)) {
            next = Some(block);
        }
        // Jumps to a block whose levels the next one closes go on there.
        if targets[block] {
            next = None;
        }
    }
}

/// Makes the instruction at the start of `next` also close the levels of the only instruction of `block`.
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

/// The number of levels that `inst` closes, if it closes any.
fn levels(f: &Function<'_>, inst: Inst) -> Option<u32> {
    let data = f.insts[inst];
    (data.op == Op::Hw(Opcode::PopExec)).then(|| data.get(key::NEST)).filter(|levels| *levels != 0)
}

/// Blocks that are targets of jumps.
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
