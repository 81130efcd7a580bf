//! Semantics of pure operations, shared by the constant folder, the IR interpreter and the reference machine.
//!
//! Operations follow applegpu's emulator, whose author compared it with M1 hardware, as far as it covers
//! them; for others the row states the assumptions. Missing arguments read as zero, so that no input can
//! panic.

pub mod bits;
pub mod convert;
pub mod float;
pub mod integer;
pub mod kernels;
pub mod rounding;
pub mod select;

use crate::inst::OperandFlags;
use crate::table::Opcode;

/// A source in the form in which an operation reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// The value, zero-extended to 64 bits. A float immediate is given as the float it denotes, never as an
    /// imm8.
    pub bits: u64,
    /// Width in bits: 1, 8, 16, 32 or 64.
    pub width: u8,
    /// Modifiers; cache hints are ignored.
    pub flags: OperandFlags,
}

impl Source {
    /// The value of a missing source.
    pub const ZERO: Source = Source { bits: 0, width: 32, flags: OperandFlags::empty() };

    /// The value sign-extended from the source's own width.
    pub fn sign_extended(self) -> i64 {
        let unused = 64 - u32::from(self.width.clamp(1, 64));
        (self.bits << unused) as i64 >> unused
    }

    /// The value as the adder reads it: sign-extended with `SX`, else zero-extended.
    pub fn extended(self) -> i128 {
        if self.flags.contains(OperandFlags::SX) { self.sign_extended().into() } else { self.bits.into() }
    }
}

/// The inputs of a pure operation.
#[derive(Clone, Copy, Debug)]
pub struct PureArgs<'a> {
    /// Width of the destination in bits.
    pub dst_width: u8,
    /// Sources in row order.
    pub sources: &'a [Source],
    /// Modifiers (operands of role `Mod`) in row order.
    pub mods: &'a [u32],
}

impl PureArgs<'_> {
    /// Source `i`; zero if missing.
    pub fn source(&self, i: usize) -> Source {
        self.sources.get(i).copied().unwrap_or(Source::ZERO)
    }

    /// Modifier `i`; zero if missing.
    pub fn modifier(&self, i: usize) -> u32 {
        self.mods.get(i).copied().unwrap_or(0)
    }

    /// `value` truncated to the destination.
    pub fn truncate(&self, value: u64) -> u64 {
        value & width_mask(self.dst_width)
    }
}

/// A pure operation: the result is zero-extended from `dst_width` bits.
pub type PureFn = fn(&PureArgs<'_>) -> u64;

/// Lanes of a SIMD-group.
pub const LANES: usize = 32;
/// Maximum number of sources of a pure operation.
pub const MAX_SOURCES: usize = 4;

/// The inputs of a pure operation in all lanes.
#[derive(Clone, Copy, Debug)]
pub struct LaneArgs<'a> {
    /// Width of the destination in bits.
    pub dst_width: u8,
    /// Widths and flags of the sources in row order, without their bits; zeros after the last.
    pub sources: &'a [Source; MAX_SOURCES],
    /// The bits of each source, by lane.
    pub values: &'a [[u64; LANES]; MAX_SOURCES],
    /// Modifiers (operands of role `Mod`) in row order.
    pub mods: &'a [u32],
    /// Mask of the lanes to compute.
    pub exec: u32,
}

/// A pure operation in the lanes of `exec`; results of other lanes are unchanged.
pub type LanesFn = fn(&LaneArgs<'_>, &mut [u64; LANES]);

/// The semantics of an instruction that depends on its sources alone.
#[derive(Clone, Copy, Debug)]
pub struct Pure {
    /// For single values.
    pub one: PureFn,
    /// The same function for the lanes of a SIMD-group, compiled into a single loop.
    pub lanes: LanesFn,
}

/// Calls `one` for each lane of `exec`.
#[inline(always)]
pub(crate) fn over_lanes(
    one: impl Fn(&PureArgs<'_>) -> u64,
    args: &LaneArgs<'_>,
    results: &mut [u64; LANES],
) {
    let mut sources = *args.sources;
    for (lane, result) in results.iter_mut().enumerate() {
        if args.exec >> lane & 1 != 0 {
            for (source, values) in sources.iter_mut().zip(args.values) {
                source.bits = values[lane];
            }
            *result = one(&PureArgs { dst_width: args.dst_width, sources: &sources, mods: args.mods });
        }
    }
}

/// The [`Pure`] of a function over [`PureArgs`].
macro_rules! pure {
    ($one:path) => {
        $crate::semantics::Pure {
            one: $one,
            lanes: |args, results| $crate::semantics::over_lanes($one, args, results),
        }
    };
}
pub(crate) use pure;

/// A mask of the low `width` bits; all bits for 64 and more.
pub const fn width_mask(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The result of `op`; `None` if the row is not pure.
pub fn evaluate(op: Opcode, args: &PureArgs<'_>) -> Option<u64> {
    op.desc().pure.map(|pure| (pure.one)(args))
}
