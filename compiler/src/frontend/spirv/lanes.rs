//! Operations across the lanes of a subgroup, which is a SIMD-group.
//!
//! Values move between lanes through ballots and reductions, which leave inactive lanes out. The machine's shuffles
//! read inactive lanes too and want an index that is good in all of them, so they are not used here.

use agx_isa::table::Opcode;
use agx_isa::table::names::REDUCTIONS;
use spirv::{GroupOperation, Op, Scope};

use super::globals::SUBGROUP_SIZE;
use super::module::Def;
use super::translate::Translator;
use super::words::Inst;
use crate::error::CompileError;
use crate::frontend::alu::{FloatCond, IntCond};
use crate::ir::builder::Builder;
use crate::ir::op::mods_with;
use crate::ir::src::Src;
use crate::ir::types::Type;

/// Arithmetic over lanes: the reduction of the hardware, and the operation that joins two values.
type Join = fn(&mut Builder<'_, '_>, Src, Src) -> Src;

/// Reductions by opcode.
const REDUCTION_TABLE: &[(Op, &str, Join)] = &[
    (Op::GroupNonUniformIAdd, "iadd", |b, x, y| b.iadd(x, y)),
    (Op::GroupNonUniformFAdd, "fadd", |b, x, y| b.fadd(x, y)),
    (Op::GroupNonUniformFMul, "fmul", |b, x, y| b.fmul(x, y)),
    (Op::GroupNonUniformSMin, "smin", |b, x, y| b.imin(x, y)),
    (Op::GroupNonUniformUMin, "umin", |b, x, y| b.umin(x, y)),
    (Op::GroupNonUniformFMin, "fmin", |b, x, y| b.fmin(x, y)),
    (Op::GroupNonUniformSMax, "smax", |b, x, y| b.imax(x, y)),
    (Op::GroupNonUniformUMax, "umax", |b, x, y| b.umax(x, y)),
    (Op::GroupNonUniformFMax, "fmax", |b, x, y| b.fmax(x, y)),
    (Op::GroupNonUniformBitwiseAnd, "and", |b, x, y| b.and(x, y)),
    (Op::GroupNonUniformBitwiseOr, "or", |b, x, y| b.or(x, y)),
    (Op::GroupNonUniformBitwiseXor, "xor", |b, x, y| b.xor(x, y)),
];

/// The special register with the lane's number.
const LANE: u32 = 52;

fn lane(b: &mut Builder<'_, '_>) -> Src {
    Src::value(b.value(Opcode::Mfsr, Type::B32, &[], &mods_with(Opcode::Mfsr, &[("sr", LANE)])))
}

/// The word whose bit i says that lane i is active and the boolean holds there.
fn ballot(b: &mut Builder<'_, '_>, truth: Src) -> Src {
    let half = b.uconv(truth, 16);
    let mods = mods_with(Opcode::IcmpBallot, &[("cond", 0), ("inv", 1)]);
    Src::value(b.value(Opcode::IcmpBallot, Type::B32, &[half, Src::imm(0, 16)], &mods))
}

fn is_zero(b: &mut Builder<'_, '_>, word: Src) -> Src {
    b.icmp(IntCond::EQ, word, Src::imm32(0))
}

/// The lowest bit set of a word.
fn lowest_bit(b: &mut Builder<'_, '_>, word: Src) -> Src {
    let negated = b.ineg(word);
    b.and(word, negated)
}

/// Whether this is the first active lane.
fn elect(b: &mut Builder<'_, '_>) -> Src {
    let active = ballot(b, Src::bool(true));
    let first = lowest_bit(b, active);
    let lane = lane(b);
    let own = b.shl(Src::imm32(1), lane);
    b.icmp(IntCond::EQ, first, own)
}

fn reduce(b: &mut Builder<'_, '_>, name: &str, x: Src, prefix: bool) -> Src {
    let code = REDUCTIONS
        .iter()
        .position(|known| *known == name)
        .expect("invariant: the hardware has the reduction");
    let mods = mods_with(Opcode::SimdReduce, &[("op", code as u32), ("prefix", u32::from(prefix))]);
    let ty = Type::scalar(b.f.width(x));
    Src::value(b.value(Opcode::SimdReduce, ty, &[x], &mods))
}

/// The value of `x` in the lane where `chosen` holds: the union over lanes of the value there and zeros elsewhere.
fn from_lane(b: &mut Builder<'_, '_>, x: Src, chosen: Src) -> Src {
    let bits = b.f.width(x);
    match bits {
        64 => {
            let (low, high) = super::arith::halves(b, x);
            let (low, high) = (from_lane(b, low, chosen), from_lane(b, high, chosen));
            super::arith::join(b, low, high)
        }
        1 | 8 => {
            let wide = b.uconv(x, 16);
            let moved = from_lane(b, wide, chosen);
            if bits == 1 { b.icmp(IntCond::NE, moved, Src::imm(0, 16)) } else { b.uconv(moved, 8) }
        }
        _ => {
            let only = b.select(chosen, x, Src::imm(0, bits));
            reduce(b, "or", only, false)
        }
    }
}

/// Lanes before this one, with it or without.
fn lanes_before(b: &mut Builder<'_, '_>, inclusive: bool) -> Src {
    let lane = lane(b);
    let own = b.shl(Src::imm32(if inclusive { 2 } else { 1 }), lane);
    b.isub(own, Src::imm32(1))
}

impl<'a> Translator<'_, 'a> {
    /// Translates operations across lanes; false for other instructions.
    pub(super) fn lanes(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        if let Some((_, name, join)) = REDUCTION_TABLE.iter().find(|(op, ..)| *op == inst.op) {
            self.arithmetic(inst, name, *join)?;
            return Ok(true);
        }
        let result = match inst.op {
            Op::GroupNonUniformElect => vec![elect(&mut self.b)],
            Op::GroupNonUniformAll => vec![self.vote(inst, 3, true)?],
            Op::GroupNonUniformAny => vec![self.vote(inst, 3, false)?],
            Op::SubgroupAllKHR => vec![self.vote(inst, 2, true)?],
            Op::SubgroupAnyKHR => vec![self.vote(inst, 2, false)?],
            Op::GroupNonUniformAllEqual => vec![self.all_equal(inst, 3)?],
            Op::SubgroupAllEqualKHR => vec![self.all_equal(inst, 2)?],
            Op::GroupNonUniformBallot => self.ballot(inst, 3)?,
            Op::SubgroupBallotKHR => self.ballot(inst, 2)?,
            Op::GroupNonUniformBroadcastFirst => self.broadcast(inst, 3, None)?,
            Op::SubgroupFirstInvocationKHR => self.broadcast(inst, 2, None)?,
            Op::GroupNonUniformBroadcast => self.broadcast(inst, 3, Some(inst.word(4)?))?,
            Op::GroupNonUniformLogicalAnd | Op::GroupNonUniformLogicalOr | Op::GroupNonUniformLogicalXor => {
                self.logical(inst)?
            }
            Op::GroupNonUniformInverseBallot
            | Op::GroupNonUniformBallotBitExtract
            | Op::GroupNonUniformBallotBitCount
            | Op::GroupNonUniformBallotFindLSB
            | Op::GroupNonUniformBallotFindMSB => vec![self.ballot_query(inst)?],
            _ => return Ok(false),
        };
        let ty = self.eval().ty(inst.word(0)?)?;
        let leaves = self.bump.alloc_slice_copy(&result);
        let leaves = self.eval().checked(ty, leaves)?;
        self.define(inst.word(1)?, Def::Value(ty, leaves))?;
        Ok(true)
    }

    fn check_scope(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let scope = self.constant(inst.word(2)?)?;
        match Scope::from_u32(scope) {
            Some(Scope::Subgroup) => Ok(()),
            _ => Err(CompileError::unsupported(format!("a group operation of scope {scope}"))),
        }
    }

    fn boolean(&mut self, inst: &Inst<'a>, index: usize) -> Result<Src, CompileError> {
        let truth = self.eval().scalar(inst.word(index)?)?;
        match self.b.f.width(truth) {
            1 => Ok(truth),
            _ => Err(CompileError::invalid("the operand is not a boolean")),
        }
    }

    /// Whether the boolean operand holds in all active lanes, or in any.
    fn vote(&mut self, inst: &Inst<'a>, index: usize, all: bool) -> Result<Src, CompileError> {
        let truth = self.boolean(inst, index)?;
        let counted = if all { self.b.not(truth) } else { truth };
        let word = ballot(&mut self.b, counted);
        let none = is_zero(&mut self.b, word);
        Ok(if all { none } else { self.b.not(none) })
    }

    fn all_equal(&mut self, inst: &Inst<'a>, index: usize) -> Result<Src, CompileError> {
        let (ty, leaves) = self.eval().value(inst.word(index)?)?;
        let is_float = self.eval().check_float(ty).is_ok();
        let first = elect(&mut self.b);
        let mut same = Src::bool(true);
        for leaf in leaves {
            let b = &mut self.b;
            let other = from_lane(b, *leaf, first);
            let equal = match b.f.width(*leaf) {
                1 => b.xnor(*leaf, other),
                _ if is_float => b.fcmp(FloatCond::EQ, *leaf, other),
                _ => b.icmp(IntCond::EQ, *leaf, other),
            };
            same = if same == Src::bool(true) { equal } else { b.and(same, equal) };
        }
        let differs = self.b.not(same);
        let word = ballot(&mut self.b, differs);
        Ok(is_zero(&mut self.b, word))
    }

    fn ballot(&mut self, inst: &Inst<'a>, index: usize) -> Result<Vec<Src>, CompileError> {
        let truth = self.boolean(inst, index)?;
        let zero = Src::imm32(0);
        Ok(vec![ballot(&mut self.b, truth), zero, zero, zero])
    }

    /// The value in the first active lane, or in the lane an operand names.
    fn broadcast(
        &mut self,
        inst: &Inst<'a>,
        index: usize,
        from: Option<u32>,
    ) -> Result<Vec<Src>, CompileError> {
        let (_, leaves) = self.eval().value(inst.word(index)?)?;
        let chosen = match from {
            None => elect(&mut self.b),
            Some(id) => {
                let wanted = self.eval().scalar(id)?;
                let wanted = self.b.uconv(wanted, 32);
                let lane = lane(&mut self.b);
                self.b.icmp(IntCond::EQ, lane, wanted)
            }
        };
        Ok(leaves.iter().map(|leaf| from_lane(&mut self.b, *leaf, chosen)).collect())
    }

    fn group_operation(&mut self, inst: &Inst<'a>) -> Result<GroupOperation, CompileError> {
        self.check_scope(inst)?;
        let number = inst.word(3)?;
        let operation = GroupOperation::from_u32(number)
            .ok_or_else(|| CompileError::invalid(format!("unknown group operation {number}")))?;
        if operation == GroupOperation::ClusteredReduce && self.constant(inst.word(5)?)? != SUBGROUP_SIZE {
            return Err(CompileError::unsupported("clusters of other than 32 lanes"));
        }
        Ok(operation)
    }

    fn arithmetic(&mut self, inst: &Inst<'a>, name: &str, join: Join) -> Result<(), CompileError> {
        let operation = self.group_operation(inst)?;
        let (ty, leaves) = self.eval().value(inst.word(4)?)?;
        let mut result = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let bits = self.b.f.width(*leaf);
            if bits != 16 && bits != 32 {
                return Err(CompileError::unsupported(format!("reductions of {bits}-bit values")));
            }
            result.push(match operation {
                GroupOperation::Reduce | GroupOperation::ClusteredReduce => {
                    reduce(&mut self.b, name, *leaf, false)
                }
                GroupOperation::ExclusiveScan => reduce(&mut self.b, name, *leaf, true),
                GroupOperation::InclusiveScan => {
                    let before = reduce(&mut self.b, name, *leaf, true);
                    join(&mut self.b, before, *leaf)
                }
                _ => return Err(CompileError::unsupported("partitioned group operations")),
            });
        }
        let leaves = self.bump.alloc_slice_copy(&result);
        self.define(inst.word(1)?, Def::Value(ty, leaves))
    }

    /// The lanes an operation of this kind counts.
    fn counted(&mut self, operation: GroupOperation, word: Src) -> Result<Src, CompileError> {
        match operation {
            GroupOperation::Reduce | GroupOperation::ClusteredReduce => Ok(word),
            GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan => {
                let before = lanes_before(&mut self.b, operation == GroupOperation::InclusiveScan);
                Ok(self.b.and(word, before))
            }
            _ => Err(CompileError::unsupported("partitioned group operations")),
        }
    }

    fn logical(&mut self, inst: &Inst<'a>) -> Result<Vec<Src>, CompileError> {
        let operation = self.group_operation(inst)?;
        let (_, leaves) = self.eval().value(inst.word(4)?)?;
        let mut result = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let is_and = inst.op == Op::GroupNonUniformLogicalAnd;
            let truth = if is_and { self.b.not(*leaf) } else { *leaf };
            let word = ballot(&mut self.b, truth);
            let word = self.counted(operation, word)?;
            let b = &mut self.b;
            result.push(if inst.op == Op::GroupNonUniformLogicalXor {
                let count = b.popcnt(word);
                let odd = b.and(count, Src::imm32(1));
                b.icmp(IntCond::NE, odd, Src::imm32(0))
            } else {
                let none = is_zero(b, word);
                if is_and { none } else { b.not(none) }
            });
        }
        Ok(result)
    }

    /// Questions about a ballot, whose lanes are all in its first word.
    fn ballot_query(&mut self, inst: &Inst<'a>) -> Result<Src, CompileError> {
        self.check_scope(inst)?;
        let index = if inst.op == Op::GroupNonUniformBallotBitCount { 4 } else { 3 };
        let (_, [word, ..]) = self.eval().value(inst.word(index)?)? else {
            return Err(CompileError::invalid("the operand is not a ballot"));
        };
        let word = *word;
        Ok(match inst.op {
            Op::GroupNonUniformBallotBitCount => {
                let operation = self.group_operation(inst)?;
                let word = self.counted(operation, word)?;
                self.b.popcnt(word)
            }
            Op::GroupNonUniformBallotFindLSB => {
                let lowest = lowest_bit(&mut self.b, word);
                self.b.most_significant_bit(lowest)
            }
            Op::GroupNonUniformBallotFindMSB => self.b.most_significant_bit(word),
            op => {
                let position = match op {
                    Op::GroupNonUniformInverseBallot => lane(&mut self.b),
                    _ => self.eval().scalar(inst.word(4)?)?,
                };
                let b = &mut self.b;
                let position = b.uconv(position, 32);
                let moved = b.ushr(word, position);
                let bit = b.and(moved, Src::imm32(1));
                b.icmp(IntCond::NE, bit, Src::imm32(0))
            }
        })
    }
}
