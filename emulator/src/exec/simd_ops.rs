//! Operations across lanes: ballots, shuffles, reductions, prefixes, derivatives.

use agx_isa::inst::{Inst, OperandFlags, Size};
use agx_isa::key;
use agx_isa::semantics::PureFn;
use agx_isa::table::Opcode;

use crate::core::Core;
use crate::exec::alu::{Compare, combine};
use crate::exec::fields::Fields;
use crate::findings::FindingKind;
use crate::group::{Group, LANES, PerLane};
use crate::registers::{Dst, Src, lanes_of};

/// A ballot: bit i of the result is set when lane i is active and its comparison holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ballot {
    dst: Dst,
    compare: Compare,
    whole_group: bool,
}

impl Ballot {
    /// Resolves a ballot over the SIMD-group or the quad.
    pub(crate) fn new(inst: &Inst, select: Opcode) -> Option<Ballot> {
        let fields = Fields::new(inst);
        Some(Ballot {
            dst: Dst::new(fields.get(key::DST))?,
            compare: Compare::new(inst, select)?,
            whole_group: fields.flag(key::SIMD),
        })
    }

    /// Writes the ballot to the active lanes. A quad's ballot is in the low four bits.
    pub(crate) fn run(&self, group: &mut Group, core: &Core<'_>) {
        let held = self.compare.holds(group, core, group.exec);
        let mut result = [u64::from(held); LANES];
        if !self.whole_group {
            for (lane, value) in result.iter_mut().enumerate() {
                *value = u64::from(held >> (lane & !3) & 0xf);
            }
        }
        group.scatter(self.dst, &result, group.exec);
    }
}

/// How a shuffle turns lane and index into a source lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pattern {
    Index,
    Xor,
    Up,
    Down,
    RotateUp,
}

/// A shuffle over the SIMD-group or the quad.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shuffle {
    dst: Dst,
    data: Src,
    index: Src,
    pattern: Pattern,
    whole_group: bool,
}

impl Shuffle {
    /// Resolves a shuffle; `None` for combinations nobody has seen.
    pub(crate) fn new(inst: &Inst) -> Option<Shuffle> {
        let fields = Fields::new(inst);
        let pattern = match (fields.number(key::OP), fields.flag(key::ROTATE)) {
            (0, false) => Pattern::Index,
            (1, false) => Pattern::Xor,
            (2, false) => Pattern::Up,
            (3, false) => Pattern::Down,
            (2, true) => Pattern::RotateUp,
            _ => return None,
        };
        let dst = Dst::new(fields.get(key::DST))?;
        Some(Shuffle {
            dst,
            data: fields.source(key::A),
            index: fields.source(key::B),
            pattern,
            whole_group: fields.flag(key::SIMD),
        })
    }

    /// Lanes whose index takes part: those of every quad with an active lane.
    pub(crate) fn index_lanes(group: &Group) -> u32 {
        lanes_of(group.exec).fold(0, |lanes, lane| lanes | 0xf << (lane & !3)) & group.lanes
    }

    /// The index register, for strict mode.
    pub(crate) fn index(&self) -> &Src {
        &self.index
    }

    /// Moves values between lanes; inactive lanes can be read.
    pub(crate) fn run(&self, group: &mut Group, core: &Core<'_>) {
        let data = group.gather(core.uniforms, &self.data);
        let mut index = group.gather(core.uniforms, &self.index);
        // Lanes that were never started add nothing: Mesa's kernels of a single thread shuffle by a register that only
        // their own lane has written.
        for (lane, value) in index.iter_mut().enumerate() {
            *value &= 0_u64.wrapping_sub(u64::from(group.lanes >> lane & 1));
        }
        let mut result = data;
        for lane in lanes_of(group.exec) {
            let from = if self.whole_group {
                self.group_source(lane, &index)
            } else {
                self.quad_source(lane, &index)
            };
            if let Some(from) = from {
                result[lane] = data[from];
            }
        }
        group.scatter(self.dst, &result, group.exec);
    }

    /// The position within a quad comes from all four indices of that quad, ored together (applegpu's model); `None`
    /// keeps the lane's own value.
    fn group_source(&self, lane: usize, index: &PerLane<u64>) -> Option<usize> {
        let amount = index[lane] as u16 as usize;
        match self.pattern {
            Pattern::Index => (amount < LANES).then(|| (amount & !3) + quad_or(index, amount >> 2)),
            Pattern::Down => {
                let from = lane + amount;
                (from < LANES).then(|| rotated(lane, index, from, true))
            }
            Pattern::Up => lane.checked_sub(amount).map(|from| rotated(lane, index, from, false)),
            Pattern::RotateUp => Some(rotated(lane, index, lane.wrapping_sub(amount) & 31, false)),
            Pattern::Xor => {
                let from = lane ^ amount;
                (from < LANES).then(|| (from & !3) + ((lane & 3) ^ quad_or(index, from >> 2)))
            }
        }
    }

    /// Within a quad each lane's own index counts (assumed: only the 32-lane forms were measured).
    fn quad_source(&self, lane: usize, index: &PerLane<u64>) -> Option<usize> {
        let amount = index[lane] as usize & 3;
        let position = lane & 3;
        let from = match self.pattern {
            Pattern::Index => amount,
            Pattern::Xor => position ^ amount,
            Pattern::Up => position.checked_sub(amount)?,
            Pattern::Down => Some(position + amount).filter(|from| *from < 4)?,
            Pattern::RotateUp => position.wrapping_sub(amount) & 3,
        };
        Some((lane & !3) + from)
    }
}

/// The low two bits of the indices of a quad, ored.
fn quad_or(index: &PerLane<u64>, quad: usize) -> usize {
    index[quad * 4..quad * 4 + 4].iter().fold(0, |all, value| all | *value as usize & 3)
}

/// The lane of `from`'s quad that the quad's rotation moves to the reading lane's position.
fn rotated(lane: usize, index: &PerLane<u64>, from: usize, down: bool) -> usize {
    let rotation = quad_or(index, from >> 2);
    let position = if down { (lane & 3) + rotation } else { (lane & 3).wrapping_sub(rotation) };
    (from & !3) + (position & 3)
}

/// A reduction or exclusive prefix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduce {
    dst: Dst,
    data: Src,
    operation: Operation,
    prefix: bool,
    whole_group: bool,
}

/// The operation that combines two values.
#[derive(Clone, Copy, Debug)]
struct Operation {
    kind: Kind,
    /// Float additions and multiplications, 16 and 32 bits wide.
    float: Option<[PureFn; 2]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    And,
    FloatAdd,
    Or,
    FloatMul,
    Xor,
    FloatMin,
    FloatMax,
    Add,
    SignedMin,
    SignedMax,
    UnsignedMin,
    UnsignedMax,
}

/// Code, operation (applegpu).
const KINDS: [(u32, Kind); 12] = [
    (0, Kind::And),
    (1, Kind::FloatAdd),
    (2, Kind::Or),
    (3, Kind::FloatMul),
    (4, Kind::Xor),
    (5, Kind::FloatMin),
    (7, Kind::FloatMax),
    (16, Kind::Add),
    (20, Kind::SignedMin),
    (22, Kind::SignedMax),
    (28, Kind::UnsignedMin),
    (30, Kind::UnsignedMax),
];

impl Operation {
    fn new(code: u32) -> Option<Operation> {
        let (_, kind) = *KINDS.iter().find(|(known, _)| *known == code)?;
        let pure = |half: Opcode, word: Opcode| Some([half.desc().pure?.one, word.desc().pure?.one]);
        let float = match kind {
            Kind::FloatAdd => Some(pure(Opcode::Hadd, Opcode::Fadd)?),
            Kind::FloatMul => Some(pure(Opcode::Hmul, Opcode::Fmul)?),
            _ => None,
        };
        Some(Operation { kind, float })
    }

    /// The value that changes nothing.
    fn identity(self, width: u8) -> u64 {
        let ones = (1_u64 << width) - 1;
        let half = width == 16;
        match self.kind {
            Kind::And | Kind::UnsignedMin => ones,
            Kind::Or | Kind::Xor | Kind::Add | Kind::UnsignedMax | Kind::FloatAdd => 0,
            Kind::FloatMul => {
                if half {
                    0x3c00
                } else {
                    0x3f80_0000
                }
            }
            Kind::FloatMin => {
                if half {
                    0x7c00
                } else {
                    0x7f80_0000
                }
            }
            Kind::FloatMax => {
                if half {
                    0xfc00
                } else {
                    0xff80_0000
                }
            }
            Kind::SignedMin => ones >> 1,
            Kind::SignedMax => (ones >> 1) + 1,
        }
    }

    fn apply(self, width: u8, a: u64, b: u64) -> u64 {
        let signed = |value: u64| {
            if width == 16 { i64::from(value as u16 as i16) } else { i64::from(value as u32 as i32) }
        };
        let ones = (1_u64 << width) - 1;
        match self.kind {
            Kind::And => a & b,
            Kind::Or => a | b,
            Kind::Xor => a ^ b,
            Kind::Add => a.wrapping_add(b) & ones,
            Kind::UnsignedMin => a.min(b),
            Kind::UnsignedMax => a.max(b),
            Kind::SignedMin => {
                if signed(a) <= signed(b) {
                    a
                } else {
                    b
                }
            }
            Kind::SignedMax => {
                if signed(a) >= signed(b) {
                    a
                } else {
                    b
                }
            }
            Kind::FloatMin => float_pick(width, a, b, |a, b| a < b),
            Kind::FloatMax => float_pick(width, a, b, |a, b| a > b),
            Kind::FloatAdd | Kind::FloatMul => match self.float {
                Some([half, _]) if width == 16 => combine(half, width, a, b, &[0]),
                Some([_, word]) => combine(word, width, a, b, &[0]),
                None => a,
            },
        }
    }
}

/// `a` when it is chosen over `b` or `b` is NaN.
fn float_pick(width: u8, a: u64, b: u64, chosen: fn(f32, f32) -> bool) -> u64 {
    let float = |bits: u64| {
        if width == 16 { half::f16::from_bits(bits as u16).to_f32() } else { f32::from_bits(bits as u32) }
    };
    if chosen(float(a), float(b)) || float(b).is_nan() { a } else { b }
}

impl Reduce {
    /// Resolves a reduction or prefix over the SIMD-group or the quad; `None` for unknown operations.
    pub(crate) fn new(inst: &Inst, whole_group: bool) -> Option<Reduce> {
        let fields = Fields::new(inst);
        Some(Reduce {
            dst: Dst::new(fields.get(key::DST))?,
            data: fields.source(key::A),
            operation: Operation::new(fields.number(key::OP))?,
            prefix: fields.flag(key::PREFIX),
            whole_group,
        })
    }

    /// Combines the active lanes in lane order (the order float rounding sees on hardware is not known).
    pub(crate) fn run(&self, group: &mut Group, core: &Core<'_>) {
        let values = group.gather(core.uniforms, &self.data);
        let width = if self.data.size == Size::B16 { 16 } else { 32 };
        let cluster = if self.whole_group { LANES } else { 4 };
        let mut result = [0; LANES];
        for start in (0..LANES).step_by(cluster) {
            let members = start..start + cluster;
            let mut total = self.operation.identity(width);
            for lane in members.clone().filter(|lane| group.exec >> lane & 1 != 0) {
                result[lane] = total;
                total = self.operation.apply(width, total, values[lane]);
            }
            if !self.prefix {
                result[members].fill(total);
            }
        }
        group.scatter(self.dst, &result, group.exec);
    }
}

/// A quad derivative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Derivative {
    dst: Dst,
    data: Src,
    vertical: bool,
    subtract: PureFn,
    saturate: u32,
}

impl Derivative {
    /// Resolves `dfdx` or `dfdy`.
    pub(crate) fn new(inst: &Inst, vertical: bool) -> Option<Derivative> {
        let fields = Fields::new(inst);
        Some(Derivative {
            dst: Dst::new(fields.get(key::DST))?,
            data: fields.source(key::A),
            vertical,
            subtract: Opcode::Fadd.desc().pure?.one,
            saturate: fields.number(key::SAT),
        })
    }

    /// The difference within the lane's row or column of the quad; the quad's lanes are (0,0) (1,0) (0,1) (1,1).
    pub(crate) fn run(&self, group: &mut Group, core: &Core<'_>) {
        use agx_isa::semantics::{PureArgs, Source};
        let values = group.gather(core.uniforms, &self.data);
        let bit = if self.vertical { 2 } else { 1 };
        let mut result = [0; LANES];
        for lane in lanes_of(group.exec) {
            let (near, far) = (values[lane & !bit], values[lane | bit]);
            let width = self.data.size.bits();
            let flags = self.data.flags;
            let minus = Source { bits: near, width, flags: flags.symmetric_difference(OperandFlags::NEG) };
            let sources = [Source { bits: far, width, flags }, minus];
            let dst_width = self.dst.size.bits();
            result[lane] =
                (self.subtract)(&PureArgs { dst_width, sources: &sources, mods: &[self.saturate] });
        }
        group.scatter(self.dst, &result, group.exec);
    }
}

/// Reports, in strict mode, a shuffle whose index is undefined in a lane that affects the result.
pub(crate) fn observe_shuffle(shuffle: &Shuffle, group: &Group, core: &mut Core<'_>) {
    let Some(half) = shuffle.index().register().filter(|_| shuffle.whole_group) else { return };
    let undefined = Shuffle::index_lanes(group) & !group.defined[usize::from(half)];
    if undefined != 0 {
        core.note(FindingKind::UnwrittenRegister(half), undefined.trailing_zeros() as usize);
    }
}
