//! Lowers `store_varying` to the hardware's store; a program without outputs signals that.
//!
//! Before: stage source; no `store_cull`. After: the same; no `store_varying`.

use agx_abi::vertex::RunsAs;
use agx_abi::{ShaderInfo, Stage as ShaderStage};
use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::ir::op::mods;
use crate::ir::{Block, Function, InstData, IrOp, Op};

/// Lowers stores of vertex outputs of the shader that `info` describes.
///
/// # Errors
/// Stores outside the last block, where their order is that of the program, are an internal error.
pub fn lower_varyings(f: &mut Function<'_>, info: &ShaderInfo) -> Result<(), CompileError> {
    let Some(exit) = f.layout.last().map(|segment| segment.block) else { return Ok(()) };
    let may_store = f.present.may_have_op(IrOp::StoreVarying);
    let stores = if may_store { lower_stores(f, exit) } else { Stores::default() };
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
fn lower_stores(f: &mut Function<'_>, exit: Block) -> Stores {
    let mut stores = Stores::default();
    let defaults = f.alloc(&mods(Opcode::StVar));
    for block in f.blocks_in_order() {
        for at in 0..f.block(block).insts.len() {
            let inst = f.block(block).insts[at];
            let data = f.insts[inst];
            if data.op == Op::Ir(IrOp::StoreVarying) {
                stores.any = true;
                stores.elsewhere |= block != exit;
                f.set_inst(inst, InstData { op: Opcode::StVar.into(), mods: defaults, ..data });
            }
        }
    }
    stores
}
