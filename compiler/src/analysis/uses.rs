//! How often values are read.

use crate::ir::entity::Value;
use crate::ir::function::Function;
use crate::ir::table::Side;

/// The number of operands that read each value, in blocks of the layout.
pub fn uses(f: &Function<'_>) -> Side<Value, u32> {
    let mut uses: Side<Value, u32> = Side::new(f.values.len());
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            for value in f.insts[*inst].srcs.iter().filter_map(|src| src.as_value()) {
                uses[value] += 1;
            }
        }
    }
    uses
}
