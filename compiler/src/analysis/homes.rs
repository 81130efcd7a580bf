//! Where values are defined.

use bumpalo::Bump;

use crate::ir::{Function, ScratchSide, Value};

/// The segment that defines each value; parameters count as defined in the first one.
pub(crate) fn homes<'s>(f: &Function<'_>, scratch: &'s Bump) -> ScratchSide<'s, Value, usize> {
    let mut homes = ScratchSide::new_in(scratch, f.values.len());
    for (index, segment) in f.layout.iter().enumerate() {
        f.watch.visit(1);
        for dst in f.block(segment.block).insts.iter().flat_map(|inst| f.insts[*inst].dsts) {
            homes[*dst] = index;
        }
    }
    homes
}
