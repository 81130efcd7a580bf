//! Sources of divergence: how the divergence of an operation's results follows from its operands.

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
    /// Always uniform.
    Uniform,
    /// May differ whatever the sources are.
    Divergent,
    /// Divergent if a source is.
    LikeSources,
    /// Divergent if the second source, the index of a lane, is.
    LikeIndex,
}

/// How the results of `data` differ.
pub(super) fn kind(data: &InstData<'_>, stage: Stage) -> Kind {
    match data.op {
        Op::Hw(Opcode::Mfsr) => register(data.get(key::SR), stage),
        Op::Ir(IrOp::Preload) => Kind::Divergent,
        Op::Ir(IrOp::LoadGlobal) => {
            // One access serves all lanes, unless another invocation writes in between.
            let access = data.get(key::ACCESS);
            if access.contains(Access::VOLATILE) { Kind::Divergent } else { Kind::LikeSources }
        }
        Op::Ir(IrOp::LoadLocal) => Kind::LikeSources,
        Op::Ir(IrOp::LoadTexture) if data.is_pure() => Kind::LikeSources,
        // Levels computed from the quad differ where lanes are masked.
        Op::Ir(IrOp::Sample) if !takes_quad(data) => Kind::LikeSources,
        op if op.effects() == Effects::CROSS_LANE => across(data),
        _ if data.is_speculatable() => Kind::LikeSources,
        _ => Kind::Divergent,
    }
}

/// Registers of unknown meaning are divergent.
fn register(register: Sr, stage: Stage) -> Kind {
    match sr::by_number(register.0.into()).map(|row| row.sharing) {
        Some(Sharing::Uniform) => Kind::Uniform,
        Some(Sharing::UniformInCompute) if stage == Stage::Compute => Kind::Uniform,
        _ => Kind::Divergent,
    }
}

/// Whether a sample computes its level from the coordinates of the quad.
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
