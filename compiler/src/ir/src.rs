//! Sources: the operands that an instruction reads.

use agx_isa::inst::OperandFlags;

use super::entity::Value;

/// The kind of a source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum SrcKind {
    /// An absent optional source.
    #[default]
    None,
    /// An SSA value.
    Value,
    /// A constant; any bits up to the Lowered stage, an encodable one from Machine on.
    Imm,
    /// A uniform register by half-word index.
    Uniform,
}

/// A source: 16 bytes, compared and hashed by content, starting with the most discriminating field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Src {
    /// Value id, constant bits (zero-extended) or half-word index.
    pub payload: u64,
    /// Its kind.
    pub kind: SrcKind,
    /// Width in bits of an immediate or uniform; 0 for values, whose type has it.
    pub bits: u8,
    /// Modifiers, for hardware operations only: ABS and NEG on float sources, SX on integer sources.
    pub flags: OperandFlags,
}

impl Src {
    /// An absent source.
    pub const NONE: Src = Src { kind: SrcKind::None, bits: 0, flags: OperandFlags::empty(), payload: 0 };

    /// A value.
    pub const fn value(value: Value) -> Src {
        Src { kind: SrcKind::Value, bits: 0, flags: OperandFlags::empty(), payload: value.0 as u64 }
    }

    /// A constant of `bits` bits; excess high bits are dropped.
    pub const fn imm(payload: u64, bits: u8) -> Src {
        let payload = if bits >= 64 { payload } else { payload & ((1 << bits) - 1) };
        Src { kind: SrcKind::Imm, bits, flags: OperandFlags::empty(), payload }
    }

    /// A 32-bit constant.
    pub const fn imm32(payload: u32) -> Src {
        Src::imm(payload as u64, 32)
    }

    /// A 32-bit float constant.
    pub const fn f32(number: f32) -> Src {
        Src::imm32(number.to_bits())
    }

    /// A boolean constant.
    pub const fn bool(truth: bool) -> Src {
        Src::imm(truth as u64, 1)
    }

    /// A uniform register of `bits` bits at half-word `half`.
    pub const fn uniform(half: u16, bits: u8) -> Src {
        Src { kind: SrcKind::Uniform, bits, flags: OperandFlags::empty(), payload: half as u64 }
    }

    /// The value, if this is one.
    pub fn as_value(self) -> Option<Value> {
        (self.kind == SrcKind::Value).then_some(Value(self.payload as u32))
    }

    /// The constant, if this is one (modifiers not applied).
    pub fn as_imm(self) -> Option<u64> {
        (self.kind == SrcKind::Imm).then_some(self.payload)
    }

    /// The half-word index, if this is a uniform.
    pub fn as_uniform(self) -> Option<u16> {
        (self.kind == SrcKind::Uniform).then_some(self.payload as u16)
    }

    /// The same source with `flags` toggled.
    pub const fn with(mut self, flags: OperandFlags) -> Src {
        self.flags = self.flags.union(flags);
        self
    }

    /// The same source without modifiers.
    pub const fn plain(mut self) -> Src {
        self.flags = OperandFlags::empty();
        self
    }
}

impl From<Value> for Src {
    fn from(value: Value) -> Src {
        Src::value(value)
    }
}
