//! Makes fragment shaders that write memory run whether or not their samples pass the tests.
//!
//! Unless the shader requests early tests, its writes must happen even for samples that the tests reject. The
//! hardware rejects samples early wherever it can, except if the shader writes a depth; so the shader writes
//! the depth that its samples have anyway (Mesa 25.0 does the same).
//!
//! Before: stage source. After: the same.

use agx_abi::Stage;
use agx_abi::fragment::DepthLayout;
use agx_isa::desc::{Effects, OrderClass};
use agx_isa::table::Opcode;

use super::coverage::shaded_samples;
use crate::context::Context;
use crate::error::CompileError;
use crate::ir::op::mods;
use crate::ir::vocabulary::{Input, Mode, Place};
use crate::ir::{Build, Builder, Function, InstData, IrOp, Op, Src, Type};

/// Forces late tests in fragment shaders that write memory.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_frag_sidefx(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let fragment = &mut context.facts.info.fragment;
    let is_main = context.facts.info.stage == Stage::Fragment
        && !context.facts.is_beside_main
        && !context.facts.info.whole;
    if !is_main || fragment.early_tests || !any(f, writes_memory) {
        return Ok(());
    }
    if any(f, |data| matches!(data.op, Op::Ir(IrOp::WriteDepth | IrOp::WriteStencil))) {
        return Ok(());
    }
    let exit = f.layout.last().map(|segment| segment.block);
    // A program that never reaches its end never stores a colour either.
    let Some(exit) = exit.filter(|exit| f.terminator(*exit).is_none()) else { return Ok(()) };
    fragment.depth_layout = DepthLayout::Unchanged;
    let shaded = shaded_samples(f);
    let mut b = Builder::at(f, exit);
    let place = |place: Place| [Input::DEPTH.0, Mode::Linear as u32, place as u32];
    let depth = if shaded.as_value().is_some() {
        let sample = b.value(Opcode::Ffs, Type::B16, &[shaded], &mods(Opcode::Ffs));
        b.value(IrOp::Interpolate, Type::B32, &[Src::value(sample)], &place(Place::Sample))
    } else {
        b.value(IrOp::Interpolate, Type::B32, &[], &place(Place::Centre))
    };
    b.effect(IrOp::WriteDepth, &[Src::value(depth)], &[]);
    Ok(())
}

fn any(f: &Function<'_>, is: impl Fn(&InstData<'_>) -> bool) -> bool {
    f.blocks_in_order().any(|block| f.block(block).insts.iter().any(|inst| is(&f.insts[*inst])))
}

/// Whether others can observe the instruction's writes: true for all writes except stores to the lane's
/// stack.
fn writes_memory(data: &InstData<'_>) -> bool {
    data.effects().contains(Effects::WRITES_MEMORY)
        && data.op.order() == OrderClass::Memory
        && !matches!(data.op, Op::Ir(IrOp::StoreScratch) | Op::Hw(Opcode::StackStore))
}
