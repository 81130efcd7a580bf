//! Lowers `store_varying` and `store_cull` to the hardware's store; a program without outputs signals that.
//!
//! * An output that is the same for all vertices of a draw is noted in the shader's information: the fragment shader of the
//!   pipeline can read the value itself, and the vertex shader need not store it ([`agx_abi::linking`]).
//! * The hardware lacks cull distances, so the vertex shader stores a flag for each: 0 if the distance is negative, else 1. A
//!   primitive is culled if a cull distance is negative at all its vertices: the prolog of the fragment shader kills primitives
//!   whose flag is 0 at every vertex, which is the case where all coefficients of the flag are 0 (Mesa 25.0 does the same).
//!
//! Before: stage source. After: the same; no `store_varying`, `store_cull`.

use agx_abi::linking::KnownOutput;
use agx_abi::vertex::{Output, RunsAs};
use agx_abi::{ShaderInfo, Stage as ShaderStage};
use agx_isa::table::Opcode;
use agx_isa::table::names::FloatCondition;

use crate::analysis::draw_words::draw_word;
use crate::error::CompileError;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::rewrite::map_some;
use crate::ir::{Block, Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src};

/// Lowers stores of vertex outputs of the shader that `info` describes.
///
/// # Errors
/// Stores outside the last block, where their order is that of the program, are an internal error.
pub fn lower_varyings(f: &mut Function<'_>, info: &mut ShaderInfo) -> Result<(), CompileError> {
    let Some(exit) = f.layout.last().map(|segment| segment.block) else { return Ok(()) };
    let may_store = [IrOp::StoreVarying, IrOp::StoreCull].into_iter().any(|op| f.present.may_have_op(op));
    let stores = if may_store { lower_stores(f, exit, info) } else { Stores::default() };
    if stores.elsewhere {
        return Err(CompileError::internal("lower_varyings: an output is stored before the last block"));
    }
    if !stores.any && info.stage == ShaderStage::Vertex && info.runs_as == RunsAs::Vertex {
        let none = f.make_inst(Opcode::NoVar, &[], &[], &mods(Opcode::NoVar), 0);
        // If the end is unreachable, the block ends with a halt.
        let end = f.block(exit).insts.len() - usize::from(f.terminator(exit).is_some());
        f.block_mut(exit).insts.insert(end, none);
    }
    Ok(())
}

/// The stores of a function.
#[derive(Default)]
struct Stores {
    any: bool,
    /// Some are not in the last block.
    elsewhere: bool,
}

/// Lowers the stores of a function whose last block is `exit`.
fn lower_stores(f: &mut Function<'_>, exit: Block, info: &mut ShaderInfo) -> Stores {
    let mut stores = Stores::default();
    let is_store = |data: &InstData<'_>| matches!(data.op, Op::Ir(IrOp::StoreVarying | IrOp::StoreCull));
    map_some(f, is_store, |r, inst| {
        let data = r.f.insts[inst];
        let &[number, slot] = data.srcs else { return Rewrite::Keep };
        stores.any = true;
        stores.elsewhere |= r.block != exit;
        let word = if data.op == Op::Ir(IrOp::StoreCull) { keeps(r, number) } else { number };
        info.known_outputs.extend(known_output(r.f, info, word, slot));
        r.push(Opcode::StVar, &[], &[word, slot], &mods(Opcode::StVar));
        Rewrite::Remove
    });
    stores
}

/// The flag of a cull distance.
fn keeps(r: &mut Rewriter<'_, '_>, distance: Src) -> Src {
    let zero = Src::imm32(0);
    let cond = mods(IrOp::Fcmp).with(key::FLOAT_COND, FloatCondition::GREATER_OR_EQUAL);
    let keeps = r.alu(IrOp::Fcmp, 1, &[distance, zero], &cond);
    r.alu(IrOp::Select, 32, &[keeps, Src::imm32(1.0_f32.to_bits()), zero], &[])
}

/// The output in `slot`, if a fragment shader can read it, and `word` is the same for all vertices of a draw.
fn known_output(f: &Function<'_>, info: &ShaderInfo, word: Src, slot: Src) -> Option<KnownOutput> {
    let written = info.varyings.iter().find(|varying| Some(u64::from(varying.slot)) == slot.as_imm());
    let output =
        written.map(|varying| varying.output).filter(|output| matches!(output, Output::User { .. }))?;
    draw_word(f, &info.uniforms, word).map(|value| KnownOutput { output, value })
}
