//! Where divergence comes from: what an operation makes of its sources.

use agx_abi::Stage;
use agx_abi::occupancy::SUBGROUP_SIZE;
use agx_isa::desc::Effects;
use agx_isa::sr::{self, Sharing, Sr};
use agx_isa::table::Opcode;
use agx_isa::table::names::{LodMode, Shuffle, Span};

use crate::ir::key;
use crate::ir::{Access, InstData, IrOp, Op};

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
        Op::Hw(Opcode::Mfsr) => register(data.get(key::SR), stage),
        Op::Ir(IrOp::Preload) => Kind::Divergent,
        Op::Ir(IrOp::LoadGlobal) => {
            // One access serves all lanes, unless somebody writes meanwhile.
            let access = data.get(key::ACCESS);
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

/// Registers of unknown meaning may differ.
fn register(register: Sr, stage: Stage) -> Kind {
    match sr::by_number(register.0.into()).map(|row| row.sharing) {
        Some(Sharing::Uniform) => Kind::Uniform,
        Some(Sharing::UniformInCompute) if stage == Stage::Compute => Kind::Uniform,
        _ => Kind::Divergent,
    }
}

/// Whether the level of a sample comes from the coordinates of the quad.
fn takes_quad(data: &InstData<'_>) -> bool {
    let mode = data.get(key::LOD_MODE);
    data.get(key::QUERY) || matches!(mode, LodMode::AUTO | LodMode::BIAS)
}

/// Operations that read other lanes.
fn across(data: &InstData<'_>) -> Kind {
    match data.op {
        Op::Ir(IrOp::Ballot | IrOp::Broadcast) => Kind::Uniform,
        Op::Ir(IrOp::Reduce) if data.get(key::CLUSTER) >= SUBGROUP_SIZE => Kind::Uniform,
        Op::Ir(IrOp::ReadLane) => Kind::LikeIndex,
        Op::Hw(Opcode::IcmpBallot | Opcode::FcmpBallot) if data.get(key::SPAN) == Span::SIMD => Kind::Uniform,
        Op::Hw(Opcode::SimdReduce) if !data.get(key::PREFIX) => Kind::Uniform,
        Op::Hw(Opcode::Shuffle)
            if data.get(key::SPAN) == Span::SIMD && data.get(key::SHUFFLE) == Shuffle::INDEX =>
        {
            Kind::LikeIndex
        }
        _ => Kind::Divergent,
    }
}
