//! Instructions that the preamble can execute once for all invocations, if their sources are the same for all of them.

use agx_isa::table::Opcode;
use agx_isa::table::names::LodMode;

use crate::ir::key;
use crate::ir::{Access, InstData, IrOp, Op};

/// Whether the preamble can execute the instruction once for all invocations; `always` means that every
/// invocation executes it.
pub(crate) fn is_movable(data: &InstData<'_>, always: bool) -> bool {
    match data.op {
        Op::Ir(IrOp::Collect | IrOp::Split) => true,
        Op::Ir(IrOp::LoadGlobal) => {
            let access = data.get(key::ACCESS);
            access.contains(Access::READONLY) && (always || access.contains(Access::SPECULATABLE))
        }
        Op::Hw(Opcode::Smpf | Opcode::Smpi) => depends_on_operands(data),
        op => op.is_computed(),
    }
}

/// Whether the result of a texture instruction depends on its operands only: it reads an explicit level, or the first
/// level at integer coordinates, and not an image that the shader may write.
fn depends_on_operands(data: &InstData<'_>) -> bool {
    let level = data.get(key::LOD_MODE);
    match data.op {
        Op::Hw(Opcode::Smpi) => {
            !data.get(key::IMAGE) && (level == LodMode::AUTO || level == LodMode::EXPLICIT)
        }
        _ => level == LodMode::EXPLICIT,
    }
}
