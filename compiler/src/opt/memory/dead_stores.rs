//! Removes stores to device, threadgroup and stack memory whose data is never read.
//!
//! Stores to threadgroup or stack memory are dead if the function never reads that space, unless another part reads the stack
//! that this one opens. Stores through null pointers are dead, because no buffer is there. Volatile stores stay.
//!
//! Part of `opt_memory`.

use crate::analysis::memory::{MemoryAccess, Space};
use crate::ir::families::STORES;
use crate::ir::{Function, Inst, InstData, IrOp, Op};
use crate::lower::Frame;

/// Removes stores whose data is never read.
pub(super) fn remove_stores(f: &mut Function<'_>, frame: Frame) {
    if !STORES.may_occur(f) {
        return;
    }
    let unread = Unread::of(f, frame);
    for index in 0..f.layout.len() {
        let block = f.layout[index].block;
        let insts = f.block(block).insts.iter();
        let dead: Vec<Inst> = insts.filter(|inst| is_dead(f, &f.insts[**inst], &unread)).copied().collect();
        if !dead.is_empty() {
            // Both lists are ordered.
            let mut dead = dead.into_iter().peekable();
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

/// Whether an instruction is a dead store.
fn is_dead(f: &Function<'_>, data: &InstData<'_>, unread: &Unread) -> bool {
    MemoryAccess::of_store(f, data).is_some_and(|store| match store.location.space {
        Space::Device => is_to_null(data),
        Space::Threadgroup => unread.threadgroup,
        Space::Stack => unread.stack,
    })
}

/// Bytes from address 0 that no buffer contains.
const NULL_BYTES: u64 = 4096;

/// Whether a store is to a pointer that was never assigned or is null, which the source languages leave undefined.
fn is_to_null(data: &InstData<'_>) -> bool {
    let base = if data.op == Op::Ir(IrOp::StoreGlobal) { data.srcs[1].as_imm() } else { None };
    base.is_some_and(|base| base < NULL_BYTES)
}
