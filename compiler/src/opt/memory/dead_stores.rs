//! Removes stores to device, threadgroup and stack memory whose data is never read.
//!
//! A store is dead if a later store of its block writes at least the same bytes and no instruction in between
//! may read them, end a lane, or make them visible to others: a load that may alias, an atomic, a barrier, a
//! discard. Stores to threadgroup or stack memory are also dead if the function never reads that space,
//! unless another part reads the stack that this one opens. Stores through null pointers are dead, because no
//! buffer is there. Volatile stores stay.
//!
//! Part of `opt_memory`.

use crate::analysis::memory::{MemoryAccess, Space};
use crate::ir::families::STORES;
use crate::ir::{Function, Inst, InstData, IrOp, Op};
use crate::lower::Frame;

/// Maximum number of later stores tracked at a time.
const MAX_LATER: usize = 32;

/// Removes stores whose data is never read.
pub(super) fn remove_stores(f: &mut Function<'_>, frame: Frame) {
    if !STORES.may_occur(f) {
        return;
    }
    let unread = Unread::of(f, frame);
    for index in 0..f.layout.len() {
        let block = f.layout[index].block;
        let mut later: Vec<MemoryAccess> = Vec::new();
        let insts = f.block(block).insts.iter().rev();
        let dead: Vec<Inst> =
            insts.filter(|inst| is_dead(f, &f.insts[**inst], &unread, &mut later)).copied().collect();
        if !dead.is_empty() {
            // Both lists are ordered, the dead stores from the end.
            let mut dead = dead.into_iter().rev().peekable();
            f.block_mut(block).insts.retain(|inst| dead.next_if_eq(inst).is_none());
        }
    }
}

/// Memory spaces that the function never reads.
struct Unread {
    threadgroup: bool,
    stack: bool,
}

impl Unread {
    fn of(f: &Function<'_>, frame: Frame) -> Unread {
        let mut unread = Unread { threadgroup: true, stack: !matches!(frame, Frame::Shared(_)) };
        for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
            match f.insts[*inst].op {
                Op::Ir(IrOp::LoadLocal | IrOp::AtomicLocal) => unread.threadgroup = false,
                Op::Ir(IrOp::LoadScratch) => unread.stack = false,
                _ => {}
            }
        }
        unread
    }
}

/// Whether an instruction is a dead store given the `later` stores, which are updated.
fn is_dead(f: &Function<'_>, data: &InstData<'_>, unread: &Unread, later: &mut Vec<MemoryAccess>) -> bool {
    // Without later stores, other instructions change nothing.
    if later.is_empty()
        && !matches!(data.op, Op::Ir(IrOp::StoreGlobal | IrOp::StoreLocal | IrOp::StoreScratch))
    {
        return false;
    }
    if let Some(store) = MemoryAccess::of_store(f, data) {
        f.watch.visit(1);
        if is_to_null(data) {
            return true;
        }
        let is_unread = match store.location.space {
            Space::Device => false,
            Space::Threadgroup => unread.threadgroup,
            Space::Stack => unread.stack,
        };
        if is_unread || later.iter().any(|other| covers(other, &store)) {
            return true;
        }
        if later.len() < MAX_LATER {
            later.push(store);
        }
    } else if let Some(load) = MemoryAccess::of_load(f, data) {
        later.retain(|store| load.is_readonly() || store.is_disjoint(&load));
    } else if !data.only_observes() {
        later.clear();
    }
    false
}

/// Bytes from address 0 that no buffer contains.
const NULL_BYTES: u64 = 4096;

/// Whether a store is to a pointer that was never assigned or is null, which the source languages leave undefined.
fn is_to_null(data: &InstData<'_>) -> bool {
    let base = if data.op == Op::Ir(IrOp::StoreGlobal) { data.srcs[1].as_imm() } else { None };
    base.is_some_and(|base| base < NULL_BYTES)
}

/// Whether `later` writes every byte of `store`.
fn covers(later: &MemoryAccess, store: &MemoryAccess) -> bool {
    let ((first, end), (later_first, later_end)) = (store.range(), later.range());
    later.location.is_comparable(&store.location) && later_first <= first && end <= later_end
}
