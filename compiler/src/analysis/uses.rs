//! Counts the uses of values.

use bumpalo::Bump;

use crate::ir::entity::Value;
use crate::ir::function::Function;
use crate::ir::table::ScratchSide;

/// The number of operands in blocks of the layout that read each value, allocated in `scratch`.
pub fn uses<'s>(f: &Function<'_>, scratch: &'s Bump) -> ScratchSide<'s, Value, u32> {
    let mut uses: ScratchSide<'_, Value, u32> = ScratchSide::new_in(scratch, f.values.len());
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            for value in f.insts[*inst].srcs.iter().filter_map(|src| src.as_value()) {
                uses[value] += 1;
            }
        }
    }
    uses
}
