//! Values that must be computed as written.

use crate::ir::{Function, IrOp, Op, Side, Value};

/// The values that are sources of `exact` operations.
pub(crate) fn exact_values(f: &Function<'_>) -> Side<Value, bool> {
    let mut exact = Side::default();
    if !f.has_exact {
        return exact;
    }
    for inst in f.insts.keys() {
        let data = f.insts[inst];
        if let (Op::Ir(IrOp::Exact), [src]) = (data.op, data.srcs)
            && let Some(value) = src.as_value()
        {
            exact[value] = true;
        }
    }
    exact
}
