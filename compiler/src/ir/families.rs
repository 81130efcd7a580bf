//! Families of operations: sets that a lowering removes, and that other passes require to be gone.
//!
//! A stage determines which operations may occur at all. Within a stage, families order the lowerings: each
//! removes some, and the validator checks that they stay removed ([`Function::removed`]).

use agx_isa::table::Opcode;

use super::entity::Inst;
use super::function::{Function, InstData};
use super::op::{IrOp, Op};

/// Words of the set: one bit for every hardware and every IR-only operation.
const WORDS: usize = 4;

/// A set of operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ops([u64; WORDS]);

impl Ops {
    /// No operation.
    pub(crate) const NONE: Ops = Ops([0; WORDS]);

    /// The set with `op`.
    pub(crate) const fn with(mut self, op: Op) -> Ops {
        let index = op.index();
        self.0[index / 64] |= 1 << (index % 64);
        self
    }

    pub(crate) const fn of(ops: &[IrOp]) -> Ops {
        let mut set = Ops::NONE;
        let mut at = 0;
        while at < ops.len() {
            set = set.with(Op::Ir(ops[at]));
            at += 1;
        }
        set
    }

    /// Whether `op` is in the set.
    #[inline]
    pub(crate) const fn contains(&self, op: Op) -> bool {
        let index = op.index();
        self.0[index / 64] >> (index % 64) & 1 != 0
    }

    fn insert(&mut self, other: Ops) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }

    fn intersects(&self, other: &Ops) -> bool {
        self.0.iter().zip(other.0).fold(0, |common, (word, other)| common | word & other) != 0
    }
}

/// The operations that a function may contain: each operation that was ever built for it, and whether scalars
/// of 8 or 64 bits were. A pass that acts on a few operations can be skipped if none of them may occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Present {
    ops: Ops,
    /// The union of the widths among [`RARE_WIDTHS`].
    widths: u8,
}

/// The widths of scalars that are recorded.
const RARE_WIDTHS: u8 = 8 | 64;

impl Present {
    /// Records an instruction. Values are recorded when they are created.
    #[inline]
    pub fn note(&mut self, data: &InstData<'_>) {
        let index = data.op.index();
        self.ops.0[index / 64] |= 1 << (index % 64);
        let widths = match data.srcs {
            [] => 0,
            [a] => a.bits,
            [a, b] => a.bits | b.bits,
            srcs => srcs.iter().fold(0, |widths, src| widths | src.bits),
        };
        self.note_widths(widths);
    }

    /// Records the width of a value, constant or uniform, or several, which are powers of two, as their union.
    #[inline]
    pub fn note_widths(&mut self, widths: u8) {
        self.widths |= widths & RARE_WIDTHS;
    }

    /// Whether scalars of `bits` bits may occur; tracked for 8 and 64 only.
    pub fn has_width(&self, bits: u8) -> bool {
        bits & RARE_WIDTHS == 0 || self.widths & bits != 0
    }

    /// Whether an operation of `family` may occur.
    pub fn may_have(&self, family: &Family) -> bool {
        let operations = &family.operations;
        self.ops.intersects(&operations.any)
            || (self.has_width(8) && self.ops.intersects(&operations.bits8))
            || (self.has_width(64) && self.ops.intersects(&operations.bits64))
    }

    /// Whether `op` may occur.
    pub fn may_have_op(&self, op: impl Into<Op>) -> bool {
        self.ops.contains(op.into())
    }
}

/// A set of operations, each of any width or only on scalars of 8 or 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Operations {
    any: Ops,
    bits8: Ops,
    bits64: Ops,
}

impl Operations {
    /// No operation.
    pub const NONE: Operations = Operations { any: Ops::NONE, bits8: Ops::NONE, bits64: Ops::NONE };

    const fn of(ops: &[IrOp]) -> Operations {
        Operations { any: Ops::of(ops), ..Operations::NONE }
    }

    const fn and_of_64_bits(self, ops: &[IrOp]) -> Operations {
        Operations { bits64: Ops::of(ops), ..self }
    }

    const fn and_bitop_of_64_bits(self) -> Operations {
        Operations { bits64: self.bits64.with(Op::Hw(Opcode::Bitop)), ..self }
    }

    const fn of_8_bits(ops: &[IrOp]) -> Operations {
        Operations { bits8: Ops::of(ops), ..Operations::NONE }
    }

    /// Adds the operations of `other`.
    pub fn insert(&mut self, other: Operations) {
        self.any.insert(other.any);
        self.bits8.insert(other.bits8);
        self.bits64.insert(other.bits64);
    }

    /// All operations of the set, whatever their widths.
    pub(crate) fn of_any_width(&self) -> Ops {
        let mut all = self.any;
        all.insert(self.bits8);
        all.insert(self.bits64);
        all
    }

    /// Whether an instruction of `f` is in the set.
    pub fn contain(&self, f: &Function<'_>, data: &InstData<'_>) -> bool {
        let has = |bits: u8| {
            data.dsts.iter().any(|dst| f.ty(*dst).bits == bits)
                || data.srcs.iter().any(|src| f.width(*src) == bits)
        };
        self.any.contains(data.op)
            || (self.bits8.contains(data.op) && has(8))
            || (self.bits64.contains(data.op) && has(64))
    }
}

/// Operations that one lowering removes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Family {
    /// Their name in the plural or as a mass noun: "no …".
    pub name: &'static str,
    /// The operations.
    pub operations: Operations,
}

impl Family {
    /// Whether one of them may occur in `f`. If this depends on widths, the instructions of `f` are checked: in most
    /// functions, only addresses have 64 bits.
    #[inline]
    pub fn may_occur(&self, f: &Function<'_>) -> bool {
        f.present.ops.intersects(&self.operations.any) || f.present.may_have(self) && self.occurs(f)
    }

    /// Whether an instruction of `f` is one of them.
    #[inline(never)]
    fn occurs(&self, f: &Function<'_>) -> bool {
        let listed = self.operations.of_any_width();
        let is_one = |inst: &Inst| {
            let data = &f.insts[*inst];
            listed.contains(data.op) && self.operations.contain(f, data)
        };
        f.blocks_in_order().any(|block| f.block(block).insts.iter().any(is_one))
    }
}

macro_rules! families {
    ($($(#[$doc:meta])* $id:ident $name:literal = $operations:expr;)*) => {
        $($(#[$doc])* pub static $id: Family = Family { name: $name, operations: $operations };)*
    };
}

families! {
    /// Results of test kernels.
    KEEPS "`keep`" = Operations::of(&[IrOp::Keep]);
    /// Values that must not depend on optimisation.
    INVARIANTS "`invariant`" = Operations::of(&[IrOp::Invariant]);
    /// Subgroup operations without a direct hardware counterpart.
    CROSS_LANE "subgroup operations except `ballot`" = Operations::of(&[
        IrOp::Broadcast, IrOp::ReadLane, IrOp::ReadLaneXor, IrOp::ReadLaneUp, IrOp::ReadLaneDown,
        IrOp::QuadBroadcast, IrOp::Reduce, IrOp::Scan,
    ]);
    /// Arithmetic of 64-bit floats.
    FLOAT64 "64-bit float arithmetic" = Operations::of(&[
        IrOp::Fadd64, IrOp::Fmul64, IrOp::Ffma64, IrOp::Fround64, IrOp::IntToFloat, IrOp::FloatToInt,
    ]).and_of_64_bits(&[
        IrOp::Fconv, IrOp::Fdiv, IrOp::Fsqrt, IrOp::Fcmp, IrOp::Fmin, IrOp::Fmax, IrOp::Fneg, IrOp::Fabs,
        IrOp::Fsat, IrOp::Fsin, IrOp::Fcos,
    ]);
    /// Arithmetic of 8-bit integers. Selection reintroduces bitwise operations, as moves and masks.
    INT8 "8-bit arithmetic" = Operations::of_8_bits(&[
        IrOp::Icmp, IrOp::Imin, IrOp::Imax, IrOp::Umin, IrOp::Umax, IrOp::Udiv, IrOp::Umod, IrOp::Sdiv,
        IrOp::Srem, IrOp::Smod, IrOp::Umulh, IrOp::Smulh, IrOp::Imul, IrOp::Shl, IrOp::Ushr, IrOp::Sshr,
    ]);
    /// Quotients and remainders.
    DIVISIONS "integer division" =
        Operations::of(&[IrOp::Udiv, IrOp::Umod, IrOp::Sdiv, IrOp::Srem, IrOp::Smod]);
    /// High halves of products.
    HIGH_PRODUCTS "high products" = Operations::of(&[IrOp::Umulh, IrOp::Smulh]);
    /// Quotients and roots of floats.
    FLOAT_DIVISIONS "float division or square root" = Operations::of(&[IrOp::Fdiv, IrOp::Fsqrt]);
    /// Sines and cosines.
    TRIGONOMETRY "sine or cosine" = Operations::of(&[IrOp::Fsin, IrOp::Fcos]);
    /// Arithmetic of 64-bit integers that the hardware does not perform on register pairs.
    INT64 "64-bit arithmetic except sums" = Operations::NONE.and_of_64_bits(&[
        IrOp::Imul, IrOp::Shl, IrOp::Ushr, IrOp::Sshr, IrOp::Select, IrOp::Umin, IrOp::Umax, IrOp::Imin,
        IrOp::Imax, IrOp::Icmp,
    ]).and_bitop_of_64_bits();
    /// Barriers and fences.
    BARRIERS "barriers of the IR" =
        Operations::of(&[IrOp::ControlBarrier, IrOp::FenceMemory, IrOp::FenceTexels]);
    /// Accesses to threadgroup memory.
    LOCAL "`load_local`, `store_local`, `atomic_local`" =
        Operations::of(&[IrOp::LoadLocal, IrOp::StoreLocal, IrOp::AtomicLocal]);
    /// Outputs of vertex shaders.
    VARYINGS "`store_varying`, `store_cull`" = Operations::of(&[IrOp::StoreVarying, IrOp::StoreCull]);
    /// Sample operations of fragment shaders.
    DISCARDS "`discard`, `kill_samples`, `write_depth`, `write_stencil`" =
        Operations::of(&[IrOp::Discard, IrOp::KillSamples, IrOp::WriteDepth, IrOp::WriteStencil]);
    /// Lanes that the program has ended.
    RETIREMENTS "`retire`" = Operations::of(&[IrOp::Retire]);
    /// Fragment inputs.
    INTERPOLATIONS "`interpolate`" = Operations::of(&[IrOp::Interpolate]);
    /// Accesses to textures and images.
    TEXTURES "`sample`, `load_texture`, `store_image`" =
        Operations::of(&[IrOp::Sample, IrOp::LoadTexture, IrOp::StoreImage]);
    /// Accesses to stack memory.
    SCRATCH "`load_scratch`, `store_scratch`" = Operations::of(&[IrOp::LoadScratch, IrOp::StoreScratch]);
    /// Subgroup operations that a uniform operand simplifies.
    LANES "subgroup operations" = Operations::of(&[
        IrOp::Ballot, IrOp::Broadcast, IrOp::ReadLane, IrOp::ReadLaneXor, IrOp::ReadLaneUp, IrOp::ReadLaneDown,
        IrOp::QuadBroadcast, IrOp::Reduce, IrOp::Scan,
    ]);
    /// Loads and stores, except of texels.
    ACCESSES "loads and stores" = Operations::of(&[
        IrOp::LoadGlobal, IrOp::StoreGlobal, IrOp::LoadLocal, IrOp::StoreLocal, IrOp::LoadScratch,
        IrOp::StoreScratch,
    ]);
    /// Stores, except of texels.
    STORES "stores" = Operations::of(&[IrOp::StoreGlobal, IrOp::StoreLocal, IrOp::StoreScratch]);
    /// Accesses to device memory.
    GLOBAL "`load_global`, `store_global`, `atomic_global`" =
        Operations::of(&[IrOp::LoadGlobal, IrOp::StoreGlobal, IrOp::AtomicGlobal]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Src, Type};
    use bumpalo::Bump;

    #[test]
    fn the_set_has_room_for_every_operation() {
        assert!(IrOp::ALL.len() + Opcode::ALL.len() <= 64 * WORDS);
    }

    #[test]
    fn widths_decide() {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "f");
        let wide = f.add_value(Type::B64);
        let narrow = f.add_value(Type::B32);
        let inst = f.make_inst(IrOp::Imul, &[wide], &[Src::value(wide), Src::value(wide)], &[], 0);
        assert!(INT64.operations.contain(&f, &f.insts[inst]) && !INT8.operations.contain(&f, &f.insts[inst]));
        let inst = f.make_inst(IrOp::Imul, &[narrow], &[Src::value(narrow), Src::value(narrow)], &[], 0);
        assert!(!INT64.operations.contain(&f, &f.insts[inst]));
        let inst = f.make_inst(IrOp::Udiv, &[narrow], &[Src::value(narrow), Src::value(narrow)], &[], 0);
        assert!(DIVISIONS.operations.contain(&f, &f.insts[inst]));
    }
}
