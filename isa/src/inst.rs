//! A machine instruction as a value: what decoding gives and what encoding takes.
//!
//! An [`Inst`] is an opcode and its operands *in row order*: operand `i` is described by
//! `op.desc().operands[i]`. Destinations, sources, modifiers (condition, shift amount, component mask …) and the named
//! unknown bits are all operands, so that nothing of an encoding is lost and all code over instructions is generic.

use bitflags::bitflags;

use crate::table::Opcode;

/// Most operands a row may have (texture instructions have the most).
pub const MAX_OPERANDS: usize = 24;

/// Width of a register operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Size {
    /// One half register.
    B16,
    /// Two half registers.
    #[default]
    B32,
    /// Four half registers.
    B64,
}

impl Size {
    /// Width in bits.
    pub const fn bits(self) -> u8 {
        16 << self as u8
    }

    /// Width in half registers.
    pub const fn halves(self) -> u8 {
        1 << self as u8
    }

    /// The size that holds a value of `bits` bits: 1, 8 and 16 live in a half register.
    pub const fn for_bits(bits: u8) -> Size {
        match bits {
            0..=16 => Size::B16,
            17..=32 => Size::B32,
            _ => Size::B64,
        }
    }
}

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Tag {
    /// Absent: an optional operand that is not there.
    #[default]
    None,
    /// An immediate. `value` is the number itself, sign-extended to 32 bits where the kind is signed. For float
    /// sources it is the encoded minifloat (imm8): see [`crate::minifloat`].
    Imm,
    /// A general-purpose register. `value` is the half index: r5l = 10, r5h = 11, r5 = 10, r5_r6 = 10.
    Reg,
    /// A uniform register. `value` is the half-word index 0..512.
    Uniform,
    /// A texture-state register. `value` is its number.
    TextureState,
    /// A sampler-state register. `value` is its number.
    SamplerState,
    /// A coefficient register. `value` is its number.
    Coefficient,
}

bitflags! {
    /// Modifiers and hints on one operand.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct OperandFlags: u8 {
        /// Keep the value in the register cache.
        const CACHE = 1 << 0;
        /// Drop the value from the register cache without writing it back.
        const DISCARD = 1 << 1;
        /// Absolute value; applied before negation.
        const ABS = 1 << 2;
        /// Negation.
        const NEG = 1 << 3;
        /// Sign-extend (integer sources).
        const SX = 1 << 4;
    }
}

/// One operand of an [`Inst`], eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Operand {
    /// What the operand is.
    pub tag: Tag,
    /// Width of one element (registers and uniforms only; immediates say [`Size::B32`]).
    pub size: Size,
    /// Modifiers and hints.
    pub flags: OperandFlags,
    /// Index or number: see [`Tag`].
    pub value: u32,
}

impl Operand {
    /// No operand.
    pub const NONE: Operand = Operand { tag: Tag::None, size: Size::B32, flags: OperandFlags::empty(), value: 0 };

    /// An immediate.
    pub const fn imm(value: u32) -> Operand {
        Operand { tag: Tag::Imm, size: Size::B32, flags: OperandFlags::empty(), value }
    }

    /// A register by half index.
    pub const fn reg(half: u8, size: Size) -> Operand {
        Operand { tag: Tag::Reg, size, flags: OperandFlags::empty(), value: half as u32 }
    }

    /// A uniform register by half-word index.
    pub const fn uniform(half: u16, size: Size) -> Operand {
        Operand { tag: Tag::Uniform, size, flags: OperandFlags::empty(), value: half as u32 }
    }

    /// The same operand with `flags` added.
    pub const fn with(mut self, flags: OperandFlags) -> Operand {
        self.flags = self.flags.union(flags);
        self
    }
}

/// One machine instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inst {
    /// The row of the table.
    pub op: Opcode,
    /// Encode in the long form even when the short one would do (the L bit). The encoder chooses the long form by
    /// itself whenever a bit beyond the short form is set.
    pub long: bool,
    /// Operands in row order; entries past the row's operand count are [`Operand::NONE`].
    pub operands: [Operand; MAX_OPERANDS],
}

impl Inst {
    /// An instruction with the row's default modifiers (its required constants), no registers, and the form the row
    /// prefers.
    pub fn new(op: Opcode) -> Inst {
        let desc = op.desc();
        let mut operands = [Operand::NONE; MAX_OPERANDS];
        for (operand, desc) in operands.iter_mut().zip(desc.operands) {
            *operand = desc.default;
        }
        Inst { op, long: desc.prefers_long(), operands }
    }
}
