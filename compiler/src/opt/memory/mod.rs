//! Uses what is known of memory.
//!
//! Loads are marked as far as they read memory that nothing writes or that is always readable ([`known`]). In a walk in program
//! order, loads whose value is known are replaced by it ([`forward`]). Stores whose data is never read are removed
//! ([`dead_stores`]); what computed it, and ifs and loops that have no effect without them, are left to other passes.
//!
//! Before: stage source. After: the same.

mod dead_stores;
mod forward;
mod known;

use crate::context::Context;
use crate::ir::Function;

/// Replaces loads whose value is known, and removes stores whose data is not read.
pub fn opt_memory(f: &mut Function<'_>, context: &mut Context<'_>) {
    known::mark_loads(f);
    forward::replace_loads(f);
    dead_stores::remove_stores(f, context.facts.frame);
}
