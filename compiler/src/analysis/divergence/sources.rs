//! Where divergence comes from: what an operation makes of its sources.

use agx_abi::Stage;
use agx_isa::desc::Effects;
use agx_isa::table::Opcode;

use crate::ir::vocabulary::LodMode;
use crate::ir::{Access, InstData, IrOp, Op};

/// Special registers that are the same in all lanes of a SIMD-group: position and size of the workgroup, sizes of the
/// dispatch, core and slot, and the number of the SIMD-group (applegpu, Mesa 25.0).
const UNIFORM_REGISTERS: &[u32] = &[0, 1, 4, 5, 6, 8, 9, 10, 12, 13, 14, 20, 21, 53];

/// The third position of the workgroup; in fragments the layer, which belongs to the primitive.
const POSITION_Z: u32 = 2;

/// Lanes of a SIMD-group.
const LANES: u32 = 32;

/// How the results of an operation differ between lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// They never do.
    Uniform,
    /// They may whatever the sources are.
    Divergent,
    /// They do where the sources do.
    LikeSources,
    /// They do where the second source, the index of a lane, does.
    LikeIndex,
}

/// How the results of `data` differ.
pub(super) fn kind(data: &InstData<'_>, stage: Stage) -> Kind {
    match data.op {
        Op::Hw(Opcode::Mfsr) => register(data.modifier("sr"), stage),
        Op::Ir(IrOp::Preload) => Kind::Divergent,
        Op::Ir(IrOp::LoadGlobal) => {
            // One access serves all lanes, unless somebody writes meanwhile.
            let access = Access::from_bits_truncate(data.modifier("access"));
            if access.contains(Access::VOLATILE) { Kind::Divergent } else { Kind::LikeSources }
        }
        Op::Ir(IrOp::LoadLocal) => Kind::LikeSources,
        Op::Ir(IrOp::LoadTexture) if data.is_pure() => Kind::LikeSources,
        // Levels that come from the quad differ where lanes are masked.
        Op::Ir(IrOp::Sample) if !takes_quad(data) => Kind::LikeSources,
        op if op.effects() == Effects::CROSS_LANE => across(data),
        op if op.is_pure() => Kind::LikeSources,
        _ => Kind::Divergent,
    }
}

fn register(number: u32, stage: Stage) -> Kind {
    let uniform = UNIFORM_REGISTERS.contains(&number) || (number == POSITION_Z && stage == Stage::Compute);
    if uniform { Kind::Uniform } else { Kind::Divergent }
}

/// Whether the level of a sample comes from the coordinates of the quad.
fn takes_quad(data: &InstData<'_>) -> bool {
    let mode = data.modifier("lod_mode");
    data.modifier("query") != 0 || mode == LodMode::Auto as u32 || mode == LodMode::Bias as u32
}

/// Operations that read other lanes.
fn across(data: &InstData<'_>) -> Kind {
    match data.op {
        Op::Ir(IrOp::Ballot | IrOp::Broadcast) => Kind::Uniform,
        Op::Ir(IrOp::Reduce) if data.modifier("cluster") >= LANES => Kind::Uniform,
        Op::Ir(IrOp::ReadLane) => Kind::LikeIndex,
        Op::Hw(Opcode::IcmpBallot | Opcode::FcmpBallot) if data.modifier("simd") != 0 => Kind::Uniform,
        Op::Hw(Opcode::SimdReduce) if data.modifier("prefix") == 0 => Kind::Uniform,
        Op::Hw(Opcode::Shuffle) if data.modifier("simd") != 0 && data.modifier("op") == 0 => Kind::LikeIndex,
        _ => Kind::Divergent,
    }
}
