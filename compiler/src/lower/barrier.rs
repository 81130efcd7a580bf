//! Lowers `control_barrier` and `fence_memory` to the hardware's barrier sequences.
//!
//! The sequences are those of Mesa 25.0's AGX compiler; the individual effect of each fence instruction is
//! not known.
//!
//! Before: stage source. After: the same; no barriers of the IR.

use agx_abi::Stage;
use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::ir::families::BARRIERS;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Access, Build, Function, IrOp, Op, Rewrite, Rewriter};

/// Lowers barriers and fences.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_barrier(f: &mut Function<'_>, stage: Stage) -> Result<(), CompileError> {
    let loads_texels = loads_texels(f);
    BARRIERS.map(f, |r, inst| {
        let data = r.f.insts[inst];
        let control = match data.op {
            Op::Ir(IrOp::FenceTexels) => {
                if loads_texels {
                    fence_texels(r, data.mods[0] != 0, stage);
                }
                return Rewrite::Remove;
            }
            Op::Ir(IrOp::ControlBarrier) => true,
            Op::Ir(IrOp::FenceMemory) => false,
            _ => return Rewrite::Keep,
        };
        let memory = Access::from_bits_truncate(data.mods[0]);
        if memory.contains(Access::DEVICE) {
            push(r, Opcode::MemoryBarrier);
        }
        if memory.contains(Access::IMAGE) {
            push(r, Opcode::ImageBarrier1);
            push(r, Opcode::ImageBarrier2);
        }
        if control {
            push(r, Opcode::Barrier);
        }
        if memory.contains(Access::IMAGE) {
            push(r, Opcode::ImageBarrier3);
            push(r, Opcode::ImageBarrier4);
        }
        Rewrite::Remove
    });
    Ok(())
}

/// Whether the function loads images that shaders also store to.
fn loads_texels(f: &Function<'_>) -> bool {
    let mut insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts);
    insts.any(|inst| {
        let data = f.insts[*inst];
        data.op == Op::Ir(IrOp::LoadTexture) && data.get(key::ACCESS).contains(Access::IMAGE)
    })
}

/// Orders image stores, or memory, before later texel loads.
fn fence_texels(r: &mut Rewriter<'_, '_>, from_memory: bool, stage: Stage) {
    use Opcode::{
        FlushMemoryToTexture, ImageBarrier1, ImageBarrier2, ImageBarrier3, ImageBarrier4, MemoryBarrier,
        MemoryBarrier2,
    };
    let sequence: &[Opcode] = match (from_memory, stage) {
        (true, _) => &[
            MemoryBarrier,
            MemoryBarrier2,
            ImageBarrier1,
            ImageBarrier2,
            ImageBarrier3,
            ImageBarrier4,
            FlushMemoryToTexture,
        ],
        (false, Stage::Fragment) => &[ImageBarrier1, ImageBarrier2, FlushMemoryToTexture, ImageBarrier3],
        (false, _) => &[ImageBarrier1, ImageBarrier2, ImageBarrier3, ImageBarrier4],
    };
    sequence.iter().for_each(|op| push(r, *op));
}

fn push(r: &mut Rewriter<'_, '_>, op: Opcode) {
    r.push(op, &[], &[], &mods(op));
}
