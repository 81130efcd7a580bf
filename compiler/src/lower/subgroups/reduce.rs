//! Reductions and scans.
//!
//! The hardware reduces 16 and 32 bits over the active lanes of the SIMD-group or the quad. Other clusters are
//! reduced one after the other, with the identity as contribution of the lanes outside. For 64 bits, bitwise
//! operations are split into words, sums into three parts small enough that 32 of them do not overflow a word,
//! and extrema compare the upper words first. The rest (products, scans of 64-bit extrema) reads one lane after
//! the other; 64-bit floats have become loops ([`super::loops`]). Booleans are counted in ballots.

use agx_abi::occupancy::SUBGROUP_SIZE;
use agx_isa::table::Opcode;
use agx_isa::table::names::{IntCondition, Reduction, Shuffle, Truth};

use super::{Group, active_lanes, by_words, lane_index, shuffle_constant};
use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::vocabulary::INTEGER_PRODUCT;
use crate::ir::{Arithmetic, Build, Builder, IrOp, Op, Rewriter, Src, Type};

/// A kind of reduction.
pub(super) struct Kind {
    code: Reduction,
    /// Operations that combine two values: for 16 bits, for 32 or fewer, for 64.
    ops: [Op; 3],
    /// Truth table, if the operation is bitwise.
    table: Option<Truth>,
    /// The identity, by logarithm of the width in bytes.
    identity: [u64; 4],
    /// Narrow values are sign-extended.
    signed: bool,
    /// The operands are floats.
    floats: bool,
}

const fn kind(code: Reduction, ops: [Op; 3], table: Option<Truth>, identity: [u64; 4], signed: bool) -> Kind {
    Kind { code, ops, table, identity, signed, floats: false }
}

const fn floats(code: Reduction, ops: [Op; 3], identity: [u64; 4]) -> Kind {
    Kind { floats: true, ..kind(code, ops, None, identity, false) }
}

const fn ir(op: IrOp) -> [Op; 3] {
    [Op::Ir(op); 3]
}

const BITOP: [Op; 3] = [Op::Hw(Opcode::Bitop); 3];
const ONES: [u64; 4] = [0xff, 0xffff, 0xffff_ffff, u64::MAX];
const NO_FLOAT: u64 = 0;

#[rustfmt::skip]
static KINDS: &[Kind] = &[
    kind(Reduction::AND, BITOP, Some(Truth::AND), ONES, false),
    kind(Reduction::OR, BITOP, Some(Truth::OR), [0; 4], false),
    kind(Reduction::XOR, BITOP, Some(Truth::XOR), [0; 4], false),
    kind(Reduction::IADD, [Op::Hw(Opcode::Iadd); 3], None, [0; 4], false),
    kind(INTEGER_PRODUCT, ir(IrOp::Imul), None, [1; 4], false),
    kind(Reduction::SMIN, ir(IrOp::Imin), None, [0x7f, 0x7fff, 0x7fff_ffff, i64::MAX as u64], true),
    kind(Reduction::SMAX, ir(IrOp::Imax), None, [0x80, 0x8000, 0x8000_0000, 1 << 63], true),
    kind(Reduction::UMIN, ir(IrOp::Umin), None, ONES, false),
    kind(Reduction::UMAX, ir(IrOp::Umax), None, [0; 4], false),
    floats(Reduction::FADD, [Op::Hw(Opcode::Hadd), Op::Hw(Opcode::Fadd), Op::Ir(IrOp::Fadd64)], [NO_FLOAT, 0x8000, 0x8000_0000, 1 << 63]),
    floats(Reduction::FMUL, [Op::Hw(Opcode::Hmul), Op::Hw(Opcode::Fmul), Op::Ir(IrOp::Fmul64)], [NO_FLOAT, 0x3c00, 0x3f80_0000, 0x3ff0 << 48]),
    floats(Reduction::FMIN, ir(IrOp::Fmin), [NO_FLOAT, 0x7c00, 0x7f80_0000, 0x7ff0 << 48]),
    floats(Reduction::FMAX, ir(IrOp::Fmax), [NO_FLOAT, 0xfc00, 0xff80_0000, 0xfff0 << 48]),
];

impl Kind {
    pub(super) fn find(code: Reduction) -> Result<&'static Kind, CompileError> {
        let kind = KINDS.iter().find(|kind| kind.code == code);
        kind.ok_or_else(|| CompileError::internal(format!("lower_subgroups: unknown reduction {code:?}")))
    }

    /// Whether the operands are floats.
    pub(super) fn is_float(&self) -> bool {
        self.floats
    }

    pub(super) fn identity(&self, bits: u8) -> Src {
        Src::imm(self.identity[bits.trailing_zeros().saturating_sub(3).min(3) as usize], bits)
    }

    /// The first summand of an exclusive scan of 64-bit floats, and its result in the first active lane: SPIR-V
    /// defines zero for sums, where lanes that do not take part contribute minus zero.
    pub(super) fn scan_start(&self) -> Src {
        if self.code == Reduction::FADD { Src::imm(0, 64) } else { self.identity(64) }
    }

    /// Combines two 64-bit floats.
    pub(super) fn join(&self, b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
        b.alu(self.ops[2], 64, &[x, y], &self.ops[2].default_mods())
    }

    fn combine(&self, r: &mut Rewriter<'_, '_>, a: Src, b: Src) -> Src {
        let bits = r.f.width(a);
        if bits == 8 {
            let extend = if self.signed { IrOp::Sconv } else { IrOp::Uconv };
            let [a, b] = [a, b].map(|byte| r.op(extend, 16, &[byte]));
            let wide = self.combine(r, a, b);
            return r.op(IrOp::Uconv, 8, &[wide]);
        }
        if let Some(table) = self.table {
            return r.bitop(a, b, table);
        }
        let op = match bits {
            16 => self.ops[0],
            64 => self.ops[2],
            _ => self.ops[1],
        };
        r.op(op, bits, &[a, b])
    }
}

/// Which lanes are combined.
#[derive(Clone, Copy)]
enum Span {
    /// Those of the cluster of a given number of lanes.
    Cluster(u32),
    /// Those below this lane.
    Below,
}

/// Combines the active lanes of each cluster.
pub(super) fn reduce(
    r: &mut Rewriter<'_, '_>,
    group: Group,
    code: Reduction,
    cluster: u32,
    x: Src,
) -> Result<Src, CompileError> {
    let span = match cluster {
        1 => return Ok(x),
        2 | 4 | 8 | 16 => Span::Cluster(cluster),
        _ => Span::Cluster(SUBGROUP_SIZE),
    };
    Ok(combine_span(r, group, Kind::find(code)?, span, x))
}

/// Combines the active lanes below this one, and this one if `inclusive`.
pub(super) fn scan(
    r: &mut Rewriter<'_, '_>,
    group: Group,
    code: Reduction,
    inclusive: bool,
    x: Src,
) -> Result<Src, CompileError> {
    let kind = Kind::find(code)?;
    let below = combine_span(r, group, kind, Span::Below, x);
    Ok(if inclusive { kind.combine(r, below, x) } else { below })
}

fn combine_span(r: &mut Rewriter<'_, '_>, group: Group, kind: &Kind, span: Span, x: Src) -> Src {
    let bits = r.f.width(x);
    if kind.code == INTEGER_PRODUCT {
        return one_by_one(r, group, kind, span, x);
    }
    match (bits, kind.code) {
        (1, _) => booleans(r, kind, span, x),
        (8, _) => {
            let wide = r.op(if kind.signed { IrOp::Sconv } else { IrOp::Uconv }, 16, &[x]);
            let wide = words_span(r, group, kind, span, wide);
            // If no lane takes part, an extremum is the 16-bit one.
            let capped = match kind.code {
                Reduction::SMIN => r.op(IrOp::Imin, 16, &[wide, Src::imm(0x7f, 16)]),
                Reduction::SMAX => r.op(IrOp::Imax, 16, &[wide, Src::imm(0xff80, 16)]),
                _ => wide,
            };
            r.op(IrOp::Uconv, 8, &[capped])
        }
        (64, _) if kind.table.is_some() => by_words(r, x, |r, word| words_span(r, group, kind, span, word)),
        (64, Reduction::IADD) => sum(r, group, kind, span, x),
        (64, Reduction::SMIN | Reduction::SMAX | Reduction::UMIN | Reduction::UMAX)
            if !matches!(span, Span::Below) =>
        {
            extremum(r, group, kind, span, x)
        }
        (64, _) => one_by_one(r, group, kind, span, x),
        _ => words_span(r, group, kind, span, x),
    }
}

/// A reduction or exclusive scan of the hardware, of 16 or 32 bits.
pub(super) fn hardware(r: &mut Rewriter<'_, '_>, op: Opcode, code: Reduction, prefix: bool, x: Src) -> Src {
    let mods = mods(op).with(key::REDUCTION, code).with(key::PREFIX, prefix);
    Src::value(r.value(op, Type::scalar(r.f.width(x)), &[x], &mods))
}

/// Combines values of 16 or 32 bits.
fn words_span(r: &mut Rewriter<'_, '_>, group: Group, kind: &Kind, span: Span, x: Src) -> Src {
    match span {
        Span::Below => hardware(r, Opcode::SimdReduce, kind.code, true, x),
        Span::Cluster(SUBGROUP_SIZE) => hardware(r, Opcode::SimdReduce, kind.code, false, x),
        Span::Cluster(4) => hardware(r, Opcode::QuadReduce, kind.code, false, x),
        Span::Cluster(2) => clusters(r, kind, Opcode::QuadReduce, 2, 2, x),
        Span::Cluster(size) => clusters(r, kind, Opcode::SimdReduce, size, group.lanes.div_ceil(size), x),
    }
}

/// Reduces each of `count` clusters of `size` lanes, within the span of one hardware reduction.
fn clusters(r: &mut Rewriter<'_, '_>, kind: &Kind, op: Opcode, size: u32, count: u32, x: Src) -> Src {
    let bits = r.f.width(x);
    let lane = lane_index(r);
    let number = r.op(IrOp::Ushr, 32, &[lane, Src::imm32(size.trailing_zeros())]);
    let number = if op == Opcode::QuadReduce { r.and(number, Src::imm32(1)) } else { number };
    let mut result = Src::imm(0, bits);
    for cluster in 0..count {
        let is_own = r.icmp(IntCond::EQ, number, Src::imm32(cluster));
        let part = r.select(is_own, x, kind.identity(bits));
        let total = hardware(r, op, kind.code, false, part);
        result = r.select(is_own, total, result);
    }
    result
}

/// Mask of the lanes of the span, active or not.
fn lanes_of(r: &mut Rewriter<'_, '_>, span: Span) -> Src {
    let lane = lane_index(r);
    match span {
        Span::Below => {
            let own = r.op(IrOp::Shl, 32, &[Src::imm32(1), lane]);
            r.op(Opcode::Isub, 32, &[own, Src::imm32(1)])
        }
        Span::Cluster(SUBGROUP_SIZE) => Src::imm32(u32::MAX),
        Span::Cluster(size) => {
            let first = r.and(lane, Src::imm32(!(size - 1)));
            r.op(IrOp::Shl, 32, &[Src::imm32((1 << size) - 1), first])
        }
    }
}

/// And: no lane has 0; or: some lane has 1; exclusive or: an odd number of lanes has 1.
fn booleans(r: &mut Rewriter<'_, '_>, kind: &Kind, span: Span, x: Src) -> Src {
    let is_and = kind.code == Reduction::AND;
    let voter = if is_and { r.xor(x, Src::bool(true)) } else { x };
    let votes = Src::value(r.value(IrOp::Ballot, Type::B32, &[voter], &[]));
    let lanes = lanes_of(r, span);
    let votes = r.and(votes, lanes);
    if kind.table == Some(Truth::XOR) {
        let count = r.op(Opcode::Popcnt, 32, &[votes]);
        let odd = r.and(count, Src::imm32(1));
        return r.icmp(IntCond::NE, odd, Src::imm32(0));
    }
    r.icmp(IntCond::new(IntCondition::EQUAL, !is_and), votes, Src::imm32(0))
}

/// Bits of the lower parts of a 64-bit sum: 32 numbers of 27 bits fit in a word when added.
const PART_BITS: u32 = 27;

fn sum(r: &mut Rewriter<'_, '_>, group: Group, kind: &Kind, span: Span, x: Src) -> Src {
    let mut total = Src::imm(0, 64);
    for part in 0..3 {
        let amount = Src::imm32(part * PART_BITS);
        let moved = r.op(IrOp::Ushr, 64, &[x, amount]);
        let low = r.op(IrOp::Uconv, 32, &[moved]);
        let digits = r.and(low, Src::imm32((1 << PART_BITS) - 1));
        let digits = words_span(r, group, kind, span, digits);
        let wide = r.op(IrOp::Uconv, 64, &[digits]);
        let placed = r.op(IrOp::Shl, 64, &[wide, amount]);
        total = r.op(Opcode::Iadd, 64, &[total, placed]);
    }
    total
}

/// The extremum of the upper words, and then that of the lower words among the lanes with it.
fn extremum(r: &mut Rewriter<'_, '_>, group: Group, kind: &Kind, span: Span, x: Src) -> Src {
    let is_minimum = matches!(kind.code, Reduction::SMIN | Reduction::UMIN);
    let unsigned = KINDS
        .iter()
        .find(|other| other.code == if is_minimum { Reduction::UMIN } else { Reduction::UMAX })
        .unwrap_or(kind);
    let [low, high] = r.words(x);
    let best = words_span(r, group, kind, span, high);
    let has_best = r.icmp(IntCond::EQ, high, best);
    let low = r.select(has_best, low, unsigned.identity(32));
    let low = words_span(r, group, unsigned, span, low);
    r.join([low, best])
}

/// Combines the lanes in ascending order, each read by a constant index.
fn one_by_one(r: &mut Rewriter<'_, '_>, group: Group, kind: &Kind, span: Span, x: Src) -> Src {
    let bits = r.f.width(x);
    let lanes = lanes_of(r, span);
    let active = active_lanes(r);
    let wanted = r.and(lanes, active);
    let mut result = kind.identity(bits);
    for lane in 0..group.lanes {
        let value = by_words(r, x, |r, word| shuffle_constant(r, Shuffle::INDEX, word, lane));
        let moved = r.op(IrOp::Ushr, 32, &[wanted, Src::imm32(lane)]);
        let bit = r.and(moved, Src::imm32(1));
        let takes_part = r.icmp(IntCond::NE, bit, Src::imm32(0));
        let value = r.select(takes_part, value, kind.identity(bits));
        result = kind.combine(r, result, value);
    }
    result
}
