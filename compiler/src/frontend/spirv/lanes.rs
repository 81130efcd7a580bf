//! Operations across the lanes of a subgroup, which is a SIMD-group.
//!
//! Votes and everything about ballots are integer arithmetic on the word a ballot gives. Values move by the IR's
//! operations, which `lower_subgroups` makes the machine's.

use agx_isa::sr::Sr;
use spirv::{GroupOperation, Op, Scope};

use super::translate::Translator;
use super::types::Kind;
use super::words::Inst;
use crate::error::{CompileError, GroupError, ValueError};
use crate::frontend::kit::compute::SUBGROUP_SIZE;
use crate::ir::build::alu::{FloatCond, IntCond};
use crate::ir::builder::Builder;
use crate::ir::op::{IrOp, mods};
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::vocabulary::reduction_code;
use crate::ir::{Arithmetic, Build, key};
use agx_isa::table::Opcode;

/// In which lanes a boolean must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Vote {
    /// In all active ones.
    All,
    /// In one of them.
    Any,
}

/// Lanes of a quad.
const QUAD_SIZE: u32 = 4;

fn lane(b: &mut Builder<'_, '_>) -> Src {
    Src::value(b.value(Opcode::Mfsr, Type::B32, &[], &mods(Opcode::Mfsr).with(key::SR, Sr::LANE)))
}

/// The word whose bit i says that lane i is active and the boolean holds there.
pub(super) fn ballot(b: &mut Builder<'_, '_>, truth: Src) -> Src {
    Src::value(b.value(IrOp::Ballot, Type::B32, &[truth], &[]))
}

fn is_zero(b: &mut Builder<'_, '_>, word: Src) -> Src {
    b.icmp(IntCond::EQ, word, Src::imm32(0))
}

/// Index of the lowest bit set.
pub(super) fn lowest(b: &mut Builder<'_, '_>, word: Src) -> Src {
    let negated = b.ineg(word);
    let bit = b.and(word, negated);
    b.most_significant_bit(bit)
}

/// The value of `x` in the lane or at the distance that `amount` says.
pub(super) fn moved(b: &mut Builder<'_, '_>, op: IrOp, x: Src, amount: Src) -> Src {
    let ty = Type::scalar(b.f.width(x));
    Src::value(b.value(op, ty, &[x, amount], &[]))
}

/// Whether this is the first active lane: no lane below it is.
fn elect(b: &mut Builder<'_, '_>) -> Src {
    let active = ballot(b, Src::bool(true));
    let below = lanes_before(b, false);
    let earlier = b.and(active, below);
    is_zero(b, earlier)
}

/// Bits of the lanes before this one, with it or without.
fn lanes_before(b: &mut Builder<'_, '_>, inclusive: bool) -> Src {
    let lane = lane(b);
    let own = b.shl(Src::imm32(if inclusive { 2 } else { 1 }), lane);
    b.isub(own, Src::imm32(1))
}

/// The bit of `word` at `position`, as a boolean.
fn bit(b: &mut Builder<'_, '_>, word: Src, position: Src) -> Src {
    let position = b.uconv(position, 32);
    let moved = b.ushr(word, position);
    let bit = b.and(moved, Src::imm32(1));
    b.icmp(IntCond::NE, bit, Src::imm32(0))
}

/// The numbers of partitioned group operations.
const PARTITIONED_REDUCE: u32 = 6;
const PARTITIONED_INCLUSIVE_SCAN: u32 = 7;
const PARTITIONED_EXCLUSIVE_SCAN: u32 = 8;

/// The operation within a part, and its last modifier, for the number of a group operation.
fn within_parts(number: u32) -> Option<(IrOp, u32)> {
    match number {
        PARTITIONED_REDUCE => Some((IrOp::Reduce, SUBGROUP_SIZE)),
        PARTITIONED_INCLUSIVE_SCAN => Some((IrOp::Scan, 1)),
        PARTITIONED_EXCLUSIVE_SCAN => Some((IrOp::Scan, 0)),
        _ => None,
    }
}

impl<'a> Translator<'_, 'a> {
    /// Moves a value between lanes; the lane or distance follows it.
    pub(super) fn move_between_lanes(
        &mut self,
        inst: &Inst<'a>,
        op: IrOp,
        index: usize,
    ) -> Result<Vec<Src>, CompileError> {
        self.check_scope(inst, index)?;
        let amount = self.amount(inst.word(index + 1)?)?;
        self.each(inst, index, |b, x| moved(b, op, x, amount))
    }

    /// Whether this is the first active lane.
    pub(super) fn elect(&mut self, inst: &Inst<'a>) -> Result<Src, CompileError> {
        self.check_scope(inst, 3)?;
        Ok(elect(&mut self.kit.b))
    }

    /// The scope must be the subgroup; the older instructions, whose first operand is at index 2, have none.
    fn check_scope(&mut self, inst: &Inst<'a>, first_operand: usize) -> Result<(), CompileError> {
        if first_operand == 2 {
            return Ok(());
        }
        let scope = self.constant(inst.word(2)?)?;
        match Scope::from_u32(scope) {
            Some(Scope::Subgroup) => Ok(()),
            // Vulkan has no others.
            _ => Err(GroupError::GroupScope { scope }.into()),
        }
    }

    /// A lane or distance, in 32 bits.
    fn amount(&mut self, id: u32) -> Result<Src, CompileError> {
        let amount = self.eval().scalar(id)?;
        match self.kit.b.f.width(amount) {
            1 => Err(GroupError::Lane { id }.into()),
            _ => Ok(self.kit.b.uconv(amount, 32)),
        }
    }

    /// Does something with every scalar of an operand.
    fn each(
        &mut self,
        inst: &Inst<'a>,
        index: usize,
        act: impl Fn(&mut Builder<'_, '_>, Src) -> Src,
    ) -> Result<Vec<Src>, CompileError> {
        let (_, leaves) = self.eval().value(inst.word(index)?)?;
        Ok(leaves.iter().map(|leaf| act(&mut self.kit.b, *leaf)).collect())
    }

    fn boolean(&mut self, inst: &Inst<'a>, index: usize) -> Result<Src, CompileError> {
        self.check_scope(inst, index)?;
        let truth = self.eval().scalar(inst.word(index)?)?;
        match self.kit.b.f.width(truth) {
            1 => Ok(truth),
            _ => Err(ValueError::NotABoolean { id: inst.word(index)? }.into()),
        }
    }

    /// Whether the boolean operand holds in all active lanes, or in any.
    pub(super) fn vote(&mut self, inst: &Inst<'a>, index: usize, vote: Vote) -> Result<Src, CompileError> {
        let truth = self.boolean(inst, index)?;
        let counted = if vote == Vote::All { self.kit.b.not(truth) } else { truth };
        let word = ballot(&mut self.kit.b, counted);
        let none = is_zero(&mut self.kit.b, word);
        Ok(if vote == Vote::All { none } else { self.kit.b.not(none) })
    }

    /// The instruction has no scope.
    pub(super) fn quad_vote(&mut self, inst: &Inst<'a>, name: &str) -> Result<Src, CompileError> {
        let truth = self.boolean(inst, 2)?;
        let code = reduction_code(name).expect("invariant: the hardware has the reduction");
        Ok(Src::value(self.kit.b.value(IrOp::Reduce, Type::BOOL, &[truth], &[code, QUAD_SIZE])))
    }

    /// Whether a value is the same in all active lanes.
    pub(super) fn all_equal(&mut self, inst: &Inst<'a>, index: usize) -> Result<Src, CompileError> {
        self.check_scope(inst, index)?;
        let (ty, leaves) = self.eval().value(inst.word(index)?)?;
        let scalar = self.values.types.scalar_and_count(ty)?.0;
        let is_float = matches!(self.values.types.kind(scalar), Kind::Float { .. });
        let b = &mut self.kit.b;
        let active = ballot(b, Src::bool(true));
        let first = lowest(b, active);
        let mut same = Src::bool(true);
        for leaf in leaves {
            let other = moved(b, IrOp::Broadcast, *leaf, first);
            let equal = match b.f.width(*leaf) {
                1 => b.xnor(*leaf, other),
                _ if is_float => b.fcmp(FloatCond::EQ, *leaf, other),
                _ => b.icmp(IntCond::EQ, *leaf, other),
            };
            same = if same == Src::bool(true) { equal } else { b.and(same, equal) };
        }
        let differs = b.not(same);
        let word = ballot(b, differs);
        Ok(is_zero(b, word))
    }

    /// The lanes in which a boolean holds.
    pub(super) fn ballot(&mut self, inst: &Inst<'a>, index: usize) -> Result<Vec<Src>, CompileError> {
        let truth = self.boolean(inst, index)?;
        let zero = Src::imm32(0);
        Ok(vec![ballot(&mut self.kit.b, truth), zero, zero, zero])
    }

    /// The value in the first active lane.
    pub(super) fn first(&mut self, inst: &Inst<'a>, index: usize) -> Result<Vec<Src>, CompileError> {
        self.check_scope(inst, index)?;
        let active = ballot(&mut self.kit.b, Src::bool(true));
        let first = lowest(&mut self.kit.b, active);
        self.each(inst, index, |b, x| moved(b, IrOp::Broadcast, x, first))
    }

    /// Swaps within the rows, the columns or the diagonals of a quad.
    pub(super) fn quad_swap(&mut self, inst: &Inst<'a>) -> Result<Vec<Src>, CompileError> {
        self.check_scope(inst, 3)?;
        let direction = self.constant(inst.word(4)?)?;
        if direction > 2 {
            return Err(GroupError::Direction { direction }.into());
        }
        self.each(inst, 3, |b, x| moved(b, IrOp::ReadLaneXor, x, Src::imm32(direction + 1)))
    }

    /// Reads from the lane `delta` further, going around within the cluster.
    pub(super) fn rotate(&mut self, inst: &Inst<'a>) -> Result<Vec<Src>, CompileError> {
        self.check_scope(inst, 3)?;
        let delta = self.amount(inst.word(4)?)?;
        let cluster = match inst.rest(5) {
            [id, ..] => self.cluster_size(*id)?,
            [] => SUBGROUP_SIZE,
        };
        let b = &mut self.kit.b;
        let own = lane(b);
        let mask = Src::imm32(cluster - 1);
        let delta = b.and(delta, mask);
        let (place, outside) = (b.and(own, mask), b.and(own, Src::imm32(!(cluster - 1))));
        let moved_place = b.iadd(place, delta);
        if let Some(constant) = delta.as_imm() {
            let goes_around = b.icmp(IntCond::UGE, moved_place, Src::imm32(cluster));
            let back = Src::imm32(cluster - constant as u32);
            return self.each(inst, 3, |b, x| {
                let (above, below) =
                    (moved(b, IrOp::ReadLaneDown, x, delta), moved(b, IrOp::ReadLaneUp, x, back));
                b.select(goes_around, below, above)
            });
        }
        let wrapped = b.and(moved_place, mask);
        let source = b.or(wrapped, outside);
        self.each(inst, 3, |b, x| moved(b, IrOp::ReadLane, x, source))
    }

    /// The constant size of a cluster, at most that of a subgroup.
    fn cluster_size(&mut self, id: u32) -> Result<u32, CompileError> {
        match self.constant(id)? {
            size if size.is_power_of_two() => Ok(size.min(SUBGROUP_SIZE)),
            size => Err(GroupError::ClusterSize { size }.into()),
        }
    }

    fn group_operation(&mut self, inst: &Inst<'a>) -> Result<GroupOperation, CompileError> {
        self.check_scope(inst, 3)?;
        let number = inst.word(3)?;
        GroupOperation::from_u32(number)
            .ok_or_else(|| CompileError::from(GroupError::UnknownOperation { number }))
    }

    /// A reduction or scan.
    pub(super) fn arithmetic(&mut self, inst: &Inst<'a>, name: &str) -> Result<Vec<Src>, CompileError> {
        let operation = self.group_operation(inst)?;
        let parts = within_parts(inst.word(3)?);
        let code = reduction_code(name).expect("invariant: the table names reductions");
        let (op, last) = match operation {
            GroupOperation::Reduce => (IrOp::Reduce, SUBGROUP_SIZE),
            GroupOperation::ClusteredReduce => (IrOp::Reduce, self.cluster_size(inst.word(5)?)?),
            GroupOperation::ExclusiveScan => (IrOp::Scan, 0),
            GroupOperation::InclusiveScan => (IrOp::Scan, 1),
            _ => return self.partitioned(inst, name, code, parts),
        };
        self.check_operand(inst, name)?;
        self.each(inst, 4, |b, x| {
            let ty = Type::scalar(b.f.width(x));
            Src::value(b.value(op, ty, &[x], &[code, last]))
        })
    }

    /// An operation within the parts that the operand after the value tells.
    fn partitioned(
        &mut self,
        inst: &Inst<'a>,
        name: &str,
        code: u32,
        parts: Option<(IrOp, u32)>,
    ) -> Result<Vec<Src>, CompileError> {
        let (op, last) = parts.ok_or_else(|| GroupError::Operation { op: inst.op })?;
        self.check_operand(inst, name)?;
        let (_, [mask, ..]) = self.eval().value(inst.word(5)?)? else {
            return Err(GroupError::NotABallot.into());
        };
        let (_, leaves) = self.eval().value(inst.word(4)?)?;
        Ok(leaves.iter().map(|leaf| self.combine_part(*leaf, *mask, op, [code, last])).collect())
    }

    /// Logical operations take booleans, arithmetic of floats takes floats, the others integers.
    fn check_operand(&mut self, inst: &Inst<'a>, name: &str) -> Result<(), CompileError> {
        let (ty, _) = self.eval().value(inst.word(4)?)?;
        let scalar = self.values.types.scalar_and_count(ty)?.0;
        let is_logical = matches!(
            inst.op,
            Op::GroupNonUniformLogicalAnd | Op::GroupNonUniformLogicalOr | Op::GroupNonUniformLogicalXor
        );
        let fits = match self.values.types.kind(scalar) {
            Kind::Bool => is_logical,
            Kind::Float { .. } => name.starts_with('f'),
            Kind::Int { .. } => !is_logical && !name.starts_with('f'),
            _ => false,
        };
        if fits { Ok(()) } else { Err(GroupError::OperandType { name: name.to_owned() }.into()) }
    }

    /// Questions about a ballot, whose lanes are all in its first word.
    pub(super) fn ballot_query(&mut self, inst: &Inst<'a>) -> Result<Src, CompileError> {
        self.check_scope(inst, 3)?;
        let index = if inst.op == Op::GroupNonUniformBallotBitCount { 4 } else { 3 };
        let (_, [word, ..]) = self.eval().value(inst.word(index)?)? else {
            return Err(GroupError::NotABallot.into());
        };
        let word = *word;
        if self.kit.b.f.width(word) != 32 {
            return Err(GroupError::NotABallot.into());
        }
        Ok(match inst.op {
            Op::GroupNonUniformBallotBitCount => {
                let counted = match self.group_operation(inst)? {
                    GroupOperation::Reduce => word,
                    operation @ (GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan) => {
                        let before =
                            lanes_before(&mut self.kit.b, operation == GroupOperation::InclusiveScan);
                        self.kit.b.and(word, before)
                    }
                    _ => return Err(GroupError::BallotCount.into()),
                };
                self.kit.b.popcnt(counted)
            }
            Op::GroupNonUniformBallotFindLSB => lowest(&mut self.kit.b, word),
            Op::GroupNonUniformBallotFindMSB => self.kit.b.most_significant_bit(word),
            Op::GroupNonUniformInverseBallot => {
                let own = lane(&mut self.kit.b);
                bit(&mut self.kit.b, word, own)
            }
            _ => {
                let position = self.amount(inst.word(4)?)?;
                bit(&mut self.kit.b, word, position)
            }
        })
    }
}
