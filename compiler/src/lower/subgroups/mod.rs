//! Lowers subgroup operations.
//!
//! The hardware's shuffle needs an index that agrees in the four lanes of a quad: its two low bits are
//! combined over all lanes of the quad, including inactive ones (applegpu). A constant index is always safe,
//! so constants are used wherever possible. A divergent lane index takes four shuffles, one for each position
//! in a quad, and selects; [`super::lower_divergent_shuffle`] later handles inactive lanes. Lanes past the
//! end of a workgroup cannot be handled that way, so where such lanes share a quad with others, each lane is
//! read in turn.
//!
//! 64-bit values are moved by words, smaller ones in half registers. Reductions are in [`reduce`], operations on values that
//! all lanes share in [`uniform`].
//!
//! Before: stage source. After: the same; no subgroup operations except `ballot`.

mod loops;
mod reduce;
mod uniform;

use agx_abi::occupancy::SUBGROUP_SIZE;
use agx_abi::{ShaderInfo, Stage};
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;
use agx_isa::table::names::{Reduction, Shuffle, Span};

use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::families::CROSS_LANE;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Arithmetic, Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src, Type};

/// Lowers subgroup operations.
///
/// # Errors
/// A reduction of an unknown kind is an internal error.
pub fn lower_subgroups(f: &mut Function<'_>, info: &ShaderInfo) -> Result<(), CompileError> {
    let group = Group::of(info);
    uniform::simplify(f, info.stage);
    loops::make_loops(f, group)?;
    CROSS_LANE.try_map(f, |r, inst| {
        let data = r.f.insts[inst];
        Ok(lower(r, group, &data)?.map_or(Rewrite::Keep, Rewrite::Forward))
    })
}

/// The lanes that exist.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// Maximum number of lanes in a SIMD-group of the workgroup.
    lanes: u32,
    /// All lanes of every quad exist.
    whole_quads: bool,
}

impl Group {
    /// For compute shaders from the workgroup size; fragments come in quads; for vertices nothing is known.
    fn of(info: &ShaderInfo) -> Group {
        let invocations = info.workgroup_size.iter().fold(1u32, |all, size| all.saturating_mul(*size));
        match (info.stage, invocations) {
            (Stage::Compute, 1..) => {
                Group { lanes: invocations.min(SUBGROUP_SIZE), whole_quads: invocations.is_multiple_of(4) }
            }
            (stage, _) => Group { lanes: SUBGROUP_SIZE, whole_quads: stage == Stage::Fragment },
        }
    }
}

fn lower(r: &mut Rewriter<'_, '_>, group: Group, data: &InstData<'_>) -> Result<Option<Src>, CompileError> {
    let Op::Ir(op) = data.op else { return Ok(None) };
    let srcs = data.srcs;
    Ok(Some(match op {
        IrOp::Broadcast => by_words(r, srcs[0], |r, x| broadcast(r, group, x, srcs[1])),
        IrOp::ReadLane => by_words(r, srcs[0], |r, x| read_lane(r, group, x, srcs[1])),
        IrOp::ReadLaneXor => relative(r, group, srcs, Shuffle::XOR),
        IrOp::ReadLaneUp => relative(r, group, srcs, Shuffle::UP),
        IrOp::ReadLaneDown => relative(r, group, srcs, Shuffle::DOWN),
        IrOp::QuadBroadcast => by_words(r, srcs[0], |r, x| quad_broadcast(r, x, srcs[1])),
        IrOp::Reduce => reduce::reduce(r, group, data.get(key::REDUCTION), data.get(key::CLUSTER), srcs[0])?,
        IrOp::Scan => reduce::scan(r, group, data.get(key::REDUCTION), data.get(key::INCLUSIVE), srcs[0])?,
        _ => return Ok(None),
    }))
}

/// What changes no result of a reduction with this code, for operands of `bits` bits; `None` for unknown codes.
pub(crate) fn identity(code: u32, bits: u8) -> Option<Src> {
    let identity = reduce::Kind::find(Reduction::new(code)).ok()?.identity(bits);
    Some(if bits == 1 { Src::imm(identity.payload & 1, 1) } else { identity })
}

/// Moves a value of any width as values of 16 or 32 bits.
fn by_words<'f, 'a>(
    r: &mut Rewriter<'f, 'a>,
    x: Src,
    mut move_word: impl FnMut(&mut Rewriter<'f, 'a>, Src) -> Src,
) -> Src {
    match r.f.width(x) {
        64 => {
            let moved = r.words(x).map(|word| move_word(r, word));
            r.join(moved)
        }
        bits @ (1 | 8) => {
            let half = r.op(IrOp::Uconv, 16, &[x]);
            let moved = move_word(r, half);
            match bits {
                1 => r.icmp(IntCond::NE, moved, Src::imm(0, 16)),
                _ => r.op(IrOp::Uconv, 8, &[moved]),
            }
        }
        _ => move_word(r, x),
    }
}

/// A hardware shuffle of 16 or 32 bits by a 16-bit index.
fn shuffle(r: &mut Rewriter<'_, '_>, kind: Shuffle, x: Src, index: Src) -> Src {
    let mods = mods(Opcode::Shuffle).with(key::SHUFFLE, kind);
    Src::value(r.value(Opcode::Shuffle, Type::scalar(r.f.width(x)), &[x, index], &mods))
}

/// The value of one constant lane.
fn shuffle_constant(r: &mut Rewriter<'_, '_>, kind: Shuffle, x: Src, index: u32) -> Src {
    shuffle(r, kind, x, Src::imm(u64::from(index), 16))
}

fn lane_index(r: &mut Rewriter<'_, '_>) -> Src {
    let mods = mods(Opcode::Mfsr).with(key::SR, Sr::LANE);
    Src::value(r.value(Opcode::Mfsr, Type::B32, &[], &mods))
}

/// The mask of active lanes.
fn active_lanes(r: &mut Rewriter<'_, '_>) -> Src {
    Src::value(r.value(IrOp::Ballot, Type::B32, &[Src::bool(true)], &[]))
}

/// The value of lane `lane`, which is uniform. In an incomplete quad, a sum to which other lanes contribute
/// 0.
fn broadcast(r: &mut Rewriter<'_, '_>, group: Group, x: Src, lane: Src) -> Src {
    if let Some(lane) = lane.as_imm() {
        return shuffle_constant(r, Shuffle::INDEX, x, lane as u32 % SUBGROUP_SIZE);
    }
    if group.whole_quads {
        let index = r.op(IrOp::Uconv, 16, &[lane]);
        return shuffle(r, Shuffle::INDEX, x, index);
    }
    let bits = r.f.width(x);
    let own = lane_index(r);
    let is_own = r.icmp(IntCond::EQ, own, lane);
    let only = r.select(is_own, x, Src::imm(0, bits));
    reduce::hardware(r, Opcode::SimdReduce, Reduction::OR, false, only)
}

/// The value of lane `lane`, which may be divergent.
fn read_lane(r: &mut Rewriter<'_, '_>, group: Group, x: Src, lane: Src) -> Src {
    if let Some(lane) = lane.as_imm() {
        return shuffle_constant(r, Shuffle::INDEX, x, lane as u32 % SUBGROUP_SIZE);
    }
    if !group.whole_quads {
        return read_each_lane(r, group, x, lane);
    }
    let index = r.op(IrOp::Uconv, 16, &[lane]);
    let quad = r.and(index, Src::imm(0xfffc, 16));
    let places = [0, 1, 2, 3].map(|place| {
        let index = r.or(quad, Src::imm(place, 16));
        shuffle(r, Shuffle::INDEX, x, index)
    });
    choose_place(r, index, places)
}

/// Selects one of four values by the two low bits of `index`.
fn choose_place(r: &mut Rewriter<'_, '_>, index: Src, places: [Src; 4]) -> Src {
    let (_bits, width) = (r.f.width(places[0]), r.f.width(index));
    let is_set = |r: &mut Rewriter<'_, '_>, bit: u64| {
        let bit = r.and(index, Src::imm(bit, width));
        r.icmp(IntCond::NE, bit, Src::imm(0, width))
    };
    let (odd, upper) = (is_set(r, 1), is_set(r, 2));
    let low = r.select(odd, places[1], places[0]);
    let high = r.select(odd, places[3], places[2]);
    r.select(upper, high, low)
}

fn read_each_lane(r: &mut Rewriter<'_, '_>, group: Group, x: Src, lane: Src) -> Src {
    let _bits = r.f.width(x);
    let mut result = shuffle_constant(r, Shuffle::INDEX, x, 0);
    for number in 1..group.lanes {
        let value = shuffle_constant(r, Shuffle::INDEX, x, number);
        let is_it = r.icmp(IntCond::EQ, lane, Src::imm32(number));
        result = r.select(is_it, value, result);
    }
    result
}

/// The value of a lane whose index is relative to this lane's.
fn relative(r: &mut Rewriter<'_, '_>, group: Group, srcs: &[Src], kind: Shuffle) -> Src {
    if let Some(amount) = srcs[1].as_imm() {
        return by_words(r, srcs[0], |r, x| shuffle_constant(r, kind, x, amount as u32 % SUBGROUP_SIZE));
    }
    let own = lane_index(r);
    let lane = match kind {
        Shuffle::XOR => r.xor(own, srcs[1]),
        Shuffle::UP => r.op(Opcode::Isub, 32, &[own, srcs[1]]),
        _ => r.op(Opcode::Iadd, 32, &[own, srcs[1]]),
    };
    by_words(r, srcs[0], |r, x| read_lane(r, group, x, lane))
}

fn quad_broadcast(r: &mut Rewriter<'_, '_>, x: Src, lane: Src) -> Src {
    let within_quad = |r: &mut Rewriter<'_, '_>, place: u64| {
        let mods = mods(Opcode::Shuffle).with(key::SHUFFLE, Shuffle::INDEX).with(key::SPAN, Span::QUAD);
        Src::value(r.value(Opcode::Shuffle, Type::scalar(r.f.width(x)), &[x, Src::imm(place, 16)], &mods))
    };
    match lane.as_imm() {
        Some(lane) => within_quad(r, lane & 3),
        None => {
            let places = [0, 1, 2, 3].map(|place| within_quad(r, place));
            choose_place(r, lane, places)
        }
    }
}
