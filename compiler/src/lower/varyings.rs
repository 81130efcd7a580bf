//! Outputs of vertex shaders: `store_varying` becomes the hardware's store; a program without outputs says so.
//!
//! Before: stage source; no `store_cull`. After: the same; no `store_varying`.

use agx_abi::vertex::RunsAs;
use agx_abi::{ShaderInfo, Stage as ShaderStage};
use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::ir::op::mods;
use crate::ir::{Build, Function, IrOp, Op, Rewrite};

/// Lowers stores of vertex outputs in the shader of which `info` tells.
///
/// # Errors
/// Stores anywhere but in the last block, where their order is that of the program, are an internal error.
pub fn lower_varyings(f: &mut Function<'_>, info: &ShaderInfo) -> Result<(), CompileError> {
    let Some(exit) = f.layout.last().map(|segment| segment.block) else { return Ok(()) };
    let mut elsewhere = false;
    let mut stores = false;
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        if data.op != Op::Ir(IrOp::StoreVarying) {
            return Rewrite::Keep;
        }
        elsewhere |= r.block != exit;
        stores = true;
        r.push(Opcode::StVar, &[], data.srcs, &mods(Opcode::StVar));
        Rewrite::Remove
    });
    if elsewhere {
        return Err(CompileError::internal("lower_varyings: an output is stored before the last block"));
    }
    if !stores && info.stage == ShaderStage::Vertex && info.runs_as == RunsAs::Vertex {
        let none = f.make_inst(Opcode::NoVar, &[], &[], &mods(Opcode::NoVar), 0);
        // Where nothing arrives at the end, the block halts.
        let end = f.block(exit).insts.len() - usize::from(f.terminator(exit).is_some());
        f.block_mut(exit).insts.insert(end, none);
    }
    Ok(())
}
