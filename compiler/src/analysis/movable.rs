//! Instructions that the preamble can execute once for all invocations, if their sources are the same for all of them.

use agx_isa::table::Opcode;
use agx_isa::table::names::LodMode;
use bumpalo::Bump;

use crate::ir::key;
use crate::ir::{Access, Function, InstData, IrOp, Op, ScratchSide, Src, SrcKind, Value};

/// Values that the preamble could compute, found in a walk in program order.
pub(crate) struct MovableValues<'s>(ScratchSide<'s, Value, bool>);

impl<'s> MovableValues<'s> {
    /// None so far.
    pub(crate) fn new_in(scratch: &'s Bump, f: &Function<'_>) -> Self {
        MovableValues(ScratchSide::new_in(scratch, f.values.len()))
    }

    /// Those of a function, where every block counts as executed by all invocations.
    pub(crate) fn of(f: &Function<'_>, scratch: &'s Bump) -> Self {
        let mut values = MovableValues::new_in(scratch, f);
        for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
            values.note(&f.insts[*inst], true);
        }
        values
    }

    /// Whether `src` is one of them, or no value.
    #[inline]
    pub(crate) fn has(&self, src: Src) -> bool {
        src.as_value().is_none_or(|value| self.0[value])
    }

    /// Adds the results of an instruction if the preamble could execute it, and returns whether it could; `always` means that
    /// every invocation executes it.
    pub(crate) fn note(&mut self, data: &InstData<'_>, always: bool) -> bool {
        let is_uniform = data.srcs.iter().all(|src| self.has(*src)) && is_movable(data, always);
        if is_uniform {
            data.dsts.iter().for_each(|dst| self.add(*dst));
        }
        is_uniform
    }

    /// Adds a value.
    pub(crate) fn add(&mut self, value: Value) {
        self.0[value] = true;
    }
}

/// Whether the preamble can execute the instruction once for all invocations; `always` means that every
/// invocation executes it.
pub(crate) fn is_movable(data: &InstData<'_>, always: bool) -> bool {
    match data.op {
        Op::Ir(IrOp::Collect | IrOp::Split) => true,
        Op::Ir(IrOp::LoadGlobal) => {
            let access = data.get(key::ACCESS);
            access.contains(Access::READONLY) && (always || access.contains(Access::SPECULATABLE))
        }
        Op::Hw(Opcode::Smpf | Opcode::Smpi) => depends_on_operands(data) && (always || !is_chosen(data)),
        op => op.is_computed(),
    }
}

/// Whether a texture is chosen by a computed index: there may be none where the program does not read it.
fn is_chosen(data: &InstData<'_>) -> bool {
    data.srcs[2].kind != SrcKind::Imm
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
