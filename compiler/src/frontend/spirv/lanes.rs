//! Operations on a subgroup, which is a SIMD-group.
//!
//! Votes and ballot operations are integer arithmetic on the ballot word. Other operations use the IR's
//! subgroup operations, which `lower_subgroups` lowers.

use spirv::{GroupOperation, Op, Scope};

use super::types::Kind;
use super::values::Values;
use super::words::Inst;
use super::{partition, simd};
use crate::error::{CompileError, GroupError, ValueError};
use crate::frontend::kit::coverage;
use crate::ir::build::alu::{FloatCond, IntCond};
use crate::ir::builder::Builder;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::vocabulary::reduction_code;
use crate::ir::{Arithmetic, Build};
use crate::lower::subgroups::identity;
use agx_abi::occupancy::SUBGROUP_SIZE;

/// The lanes in which a boolean must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Vote {
    /// All active lanes.
    All,
    /// At least one active lane.
    Any,
}

/// Lanes of a quad.
const QUAD_SIZE: u32 = 4;

/// The numbers of partitioned group operations.
const PARTITIONED_REDUCE: u32 = 6;
const PARTITIONED_INCLUSIVE_SCAN: u32 = 7;
const PARTITIONED_EXCLUSIVE_SCAN: u32 = 8;

/// The IR operation within a part for a group operation's number, and its last modifier.
fn within_parts(number: u32) -> Option<(IrOp, u32)> {
    match number {
        PARTITIONED_REDUCE => Some((IrOp::Reduce, SUBGROUP_SIZE)),
        PARTITIONED_INCLUSIVE_SCAN => Some((IrOp::Scan, 1)),
        PARTITIONED_EXCLUSIVE_SCAN => Some((IrOp::Scan, 0)),
        _ => None,
    }
}

/// Moves a value between lanes; the lane or distance is the next operand.
pub(super) fn move_between_lanes<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    op: IrOp,
    index: usize,
) -> Result<Vec<Src>, CompileError> {
    check_scope(v, inst, index)?;
    let amount = amount(v, inst.word(index.saturating_add(1))?)?;
    each(v, inst, index, |b, x| simd::moved(b, op, x, amount))
}

/// The mask of the active lanes that take part in an operation; if there are none, of all active lanes.
pub(super) fn participants(v: &mut Values<'_, '_>) -> Src {
    let part = coverage::takes_part(&mut v.kit);
    let b = &mut v.kit.b;
    let lanes = simd::ballot(b, part);
    if part == Src::bool(true) {
        return lanes;
    }
    let (all, none) = (simd::ballot(b, Src::bool(true)), simd::is_zero(b, lanes));
    b.select(none, all, lanes)
}

/// Whether this is the first active lane.
pub(super) fn elect<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<Src, CompileError> {
    check_scope(v, inst, 3)?;
    let (part, lanes) = (coverage::takes_part(&mut v.kit), participants(v));
    let b = &mut v.kit.b;
    let below = simd::lanes_before(b, false);
    let earlier = b.and(lanes, below);
    let is_first = simd::is_zero(b, earlier);
    Ok(b.and(is_first, part))
}

/// Checks that the scope is the subgroup; the older instructions, whose first operand is at index 2, have no
/// scope.
fn check_scope<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    first_operand: usize,
) -> Result<(), CompileError> {
    if first_operand == 2 {
        return Ok(());
    }
    let scope = v.constant(inst.word(2)?)?;
    match Scope::from_u32(scope) {
        Some(Scope::Subgroup) => Ok(()),
        // Vulkan allows no other scopes.
        _ => Err(GroupError::GroupScope { scope }.into()),
    }
}

/// A lane or distance, in 32 bits.
fn amount(v: &mut Values<'_, '_>, id: u32) -> Result<Src, CompileError> {
    let amount = v.eval().scalar(id)?;
    match v.kit.b.f.width(amount) {
        1 => Err(GroupError::Lane { id }.into()),
        _ => Ok(v.kit.b.uconv(amount, 32)),
    }
}

/// Applies `act` to every scalar of an operand.
fn each<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    index: usize,
    act: impl Fn(&mut Builder<'_, '_>, Src) -> Src,
) -> Result<Vec<Src>, CompileError> {
    let (_, leaves) = v.eval().value(inst.word(index)?)?;
    Ok(leaves.iter().map(|leaf| act(&mut v.kit.b, *leaf)).collect())
}

fn boolean<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>, index: usize) -> Result<Src, CompileError> {
    check_scope(v, inst, index)?;
    let truth = v.eval().scalar(inst.word(index)?)?;
    match v.kit.b.f.width(truth) {
        1 => Ok(truth),
        _ => Err(ValueError::NotABoolean { id: inst.word(index)? }.into()),
    }
}

/// Whether the boolean operand holds in all active lanes, or in any.
pub(super) fn vote<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    index: usize,
    vote: Vote,
) -> Result<Src, CompileError> {
    let truth = boolean(v, inst, index)?;
    let counted = if vote == Vote::All { v.kit.b.not(truth) } else { truth };
    let part = coverage::takes_part(&mut v.kit);
    let counted = v.kit.b.and(counted, part);
    let word = simd::ballot(&mut v.kit.b, counted);
    let none = simd::is_zero(&mut v.kit.b, word);
    Ok(if vote == Vote::All { none } else { v.kit.b.not(none) })
}

/// A vote within a quad; the instruction has no scope.
pub(super) fn quad_vote<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    name: &str,
) -> Result<Src, CompileError> {
    let truth = boolean(v, inst, 2)?;
    let code = reduction_code(name).expect("invariant: the hardware has the reduction");
    Ok(Src::value(v.kit.b.value(IrOp::Reduce, Type::BOOL, &[truth], &[code, QUAD_SIZE])))
}

/// Whether a value is the same in all active lanes.
pub(super) fn all_equal<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    index: usize,
) -> Result<Src, CompileError> {
    check_scope(v, inst, index)?;
    let (ty, leaves) = v.eval().value(inst.word(index)?)?;
    let scalar = v.types.scalar_and_count(ty)?.0;
    let is_float = matches!(v.types.kind(scalar), Kind::Float { .. });
    let (part, lanes) = (coverage::takes_part(&mut v.kit), participants(v));
    let b = &mut v.kit.b;
    let first = simd::lowest(b, lanes);
    let mut same = Src::bool(true);
    for leaf in leaves {
        let other = simd::moved(b, IrOp::Broadcast, *leaf, first);
        let equal = match b.f.width(*leaf) {
            1 => b.xnor(*leaf, other),
            _ if is_float => b.fcmp(FloatCond::EQ, *leaf, other),
            _ => b.icmp(IntCond::EQ, *leaf, other),
        };
        same = if same == Src::bool(true) { equal } else { b.and(same, equal) };
    }
    let differs = b.not(same);
    let differs = b.and(differs, part);
    let word = simd::ballot(b, differs);
    Ok(simd::is_zero(b, word))
}

/// The lanes in which a boolean holds.
pub(super) fn ballot<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    index: usize,
) -> Result<Vec<Src>, CompileError> {
    let truth = boolean(v, inst, index)?;
    let part = coverage::takes_part(&mut v.kit);
    let truth = v.kit.b.and(truth, part);
    let zero = Src::imm32(0);
    Ok(vec![simd::ballot(&mut v.kit.b, truth), zero, zero, zero])
}

/// The value in the first active lane.
pub(super) fn first<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    index: usize,
) -> Result<Vec<Src>, CompileError> {
    check_scope(v, inst, index)?;
    let lanes = participants(v);
    let first = simd::lowest(&mut v.kit.b, lanes);
    each(v, inst, index, |b, x| simd::moved(b, IrOp::Broadcast, x, first))
}

/// Swaps horizontally, vertically or diagonally within a quad.
pub(super) fn quad_swap<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<Vec<Src>, CompileError> {
    check_scope(v, inst, 3)?;
    let direction = v.constant(inst.word(4)?)?;
    if direction > 2 {
        return Err(GroupError::Direction { direction }.into());
    }
    each(v, inst, 3, |b, x| simd::moved(b, IrOp::ReadLaneXor, x, Src::imm32(direction.saturating_add(1))))
}

/// Reads from the lane `delta` further, wrapping around within the cluster.
pub(super) fn rotate<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<Vec<Src>, CompileError> {
    check_scope(v, inst, 3)?;
    let delta = amount(v, inst.word(4)?)?;
    let cluster = match inst.rest(5) {
        [id, ..] => cluster_size(v, *id)?,
        [] => SUBGROUP_SIZE,
    };
    let b = &mut v.kit.b;
    let own = simd::lane(b);
    let last = cluster.saturating_sub(1);
    let mask = Src::imm32(last);
    let delta = b.and(delta, mask);
    let (place, outside) = (b.and(own, mask), b.and(own, Src::imm32(!last)));
    let moved_place = b.iadd(place, delta);
    if let Some(constant) = delta.as_imm() {
        let goes_around = b.icmp(IntCond::UGE, moved_place, Src::imm32(cluster));
        let back = Src::imm32(cluster.wrapping_sub(constant as u32));
        return each(v, inst, 3, |b, x| {
            let (above, below) =
                (simd::moved(b, IrOp::ReadLaneDown, x, delta), simd::moved(b, IrOp::ReadLaneUp, x, back));
            b.select(goes_around, below, above)
        });
    }
    let wrapped = b.and(moved_place, mask);
    let source = b.or(wrapped, outside);
    each(v, inst, 3, |b, x| simd::moved(b, IrOp::ReadLane, x, source))
}

/// The constant size of a cluster, at most that of a subgroup.
fn cluster_size(v: &mut Values<'_, '_>, id: u32) -> Result<u32, CompileError> {
    match v.constant(id)? {
        size if size.is_power_of_two() => Ok(size.min(SUBGROUP_SIZE)),
        size => Err(GroupError::ClusterSize { size }.into()),
    }
}

fn group_operation<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<GroupOperation, CompileError> {
    check_scope(v, inst, 3)?;
    let number = inst.word(3)?;
    GroupOperation::from_u32(number)
        .ok_or_else(|| CompileError::from(GroupError::UnknownOperation { number }))
}

/// A reduction or scan.
pub(super) fn arithmetic<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    name: &str,
) -> Result<Vec<Src>, CompileError> {
    let operation = group_operation(v, inst)?;
    let parts = within_parts(inst.word(3)?);
    let code = reduction_code(name).expect("invariant: the table names reductions");
    let (op, last) = match operation {
        GroupOperation::Reduce => (IrOp::Reduce, SUBGROUP_SIZE),
        GroupOperation::ClusteredReduce => (IrOp::Reduce, cluster_size(v, inst.word(5)?)?),
        GroupOperation::ExclusiveScan => (IrOp::Scan, 0),
        GroupOperation::InclusiveScan => (IrOp::Scan, 1),
        _ => return partitioned(v, inst, name, code, parts),
    };
    check_operand(v, inst, name)?;
    let part = coverage::takes_part(&mut v.kit);
    each(v, inst, 4, |b, x| {
        let ty = Type::scalar(b.f.width(x));
        let x = contribution(b, code, part, x);
        Src::value(b.value(op, ty, &[x], &[code, last]))
    })
}

/// What a lane contributes to a reduction or scan: the identity of the operation if it does not take part.
fn contribution(b: &mut Builder<'_, '_>, code: u32, part: Src, x: Src) -> Src {
    let identity = identity(code, b.f.width(x)).filter(|_| part != Src::bool(true));
    identity.map_or(x, |identity| b.select(part, x, identity))
}

/// An operation within the parts that the operand after the value specifies.
fn partitioned<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    name: &str,
    code: u32,
    parts: Option<(IrOp, u32)>,
) -> Result<Vec<Src>, CompileError> {
    let (op, last) = parts.ok_or(GroupError::Operation { op: inst.op })?;
    check_operand(v, inst, name)?;
    let (_, [mask, ..]) = v.eval().value(inst.word(5)?)? else {
        return Err(GroupError::NotABallot.into());
    };
    let (_, leaves) = v.eval().value(inst.word(4)?)?;
    let part = coverage::takes_part(&mut v.kit);
    let combine = |leaf: &Src| {
        let leaf = contribution(&mut v.kit.b, code, part, *leaf);
        partition::combine_part(v, leaf, *mask, op, [code, last])
    };
    Ok(leaves.iter().map(combine).collect())
}

/// Checks the operand's type: logical operations take booleans, float arithmetic takes floats, others
/// integers.
fn check_operand<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>, name: &str) -> Result<(), CompileError> {
    let (ty, _) = v.eval().value(inst.word(4)?)?;
    let scalar = v.types.scalar_and_count(ty)?.0;
    let is_logical = matches!(
        inst.op,
        Op::GroupNonUniformLogicalAnd | Op::GroupNonUniformLogicalOr | Op::GroupNonUniformLogicalXor
    );
    let fits = match v.types.kind(scalar) {
        Kind::Bool => is_logical,
        Kind::Float { .. } => name.starts_with('f'),
        Kind::Int { .. } => !is_logical && !name.starts_with('f'),
        _ => false,
    };
    if fits { Ok(()) } else { Err(GroupError::OperandType { name: name.to_owned() }.into()) }
}

/// Queries about a ballot, whose lanes are all in its first word.
pub(super) fn ballot_query<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<Src, CompileError> {
    check_scope(v, inst, 3)?;
    let index = if inst.op == Op::GroupNonUniformBallotBitCount { 4 } else { 3 };
    let (_, [word, ..]) = v.eval().value(inst.word(index)?)? else {
        return Err(GroupError::NotABallot.into());
    };
    let word = *word;
    if v.kit.b.f.width(word) != 32 {
        return Err(GroupError::NotABallot.into());
    }
    Ok(match inst.op {
        Op::GroupNonUniformBallotBitCount => {
            let counted = match group_operation(v, inst)? {
                GroupOperation::Reduce => word,
                operation @ (GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan) => {
                    let before = simd::lanes_before(&mut v.kit.b, operation == GroupOperation::InclusiveScan);
                    v.kit.b.and(word, before)
                }
                _ => return Err(GroupError::BallotCount.into()),
            };
            v.kit.b.popcnt(counted)
        }
        Op::GroupNonUniformBallotFindLSB => simd::lowest(&mut v.kit.b, word),
        Op::GroupNonUniformBallotFindMSB => v.kit.b.most_significant_bit(word),
        Op::GroupNonUniformInverseBallot => {
            let own = simd::lane(&mut v.kit.b);
            simd::bit(&mut v.kit.b, word, own)
        }
        _ => {
            let position = amount(v, inst.word(4)?)?;
            simd::bit(&mut v.kit.b, word, position)
        }
    })
}
