//! Types and stages.

use std::fmt;

/// Type of a value: bits of a component × number of components. Values are not typed as float or integer;
/// operations interpret them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Type {
    /// Bits of a component: 1, 8, 16, 32 or 64.
    pub bits: u8,
    /// Components, 1 to 16. Vectors exist only as operands or results of memory, texture and varying operations.
    pub comps: u8,
}

impl Type {
    /// A boolean.
    pub const BOOL: Type = Type::scalar(1);
    /// 16 bits.
    pub const B16: Type = Type::scalar(16);
    /// 32 bits.
    pub const B32: Type = Type::scalar(32);
    /// 64 bits: a pair of registers.
    pub const B64: Type = Type::scalar(64);

    /// One component of `bits`.
    pub const fn scalar(bits: u8) -> Type {
        Type { bits, comps: 1 }
    }

    /// `comps` components of `bits`.
    pub const fn vector(bits: u8, comps: u8) -> Type {
        Type { bits, comps }
    }

    /// Size in half registers. Values of 1 and 8 bits occupy a half register.
    pub const fn halves(self) -> u16 {
        (self.bits as u16).div_ceil(16) * self.comps as u16
    }

    /// Size in bits.
    pub const fn total_bits(self) -> u32 {
        self.bits as u32 * self.comps as u32
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.bits)?;
        if self.comps != 1 {
            write!(f, "x{}", self.comps)?;
        }
        Ok(())
    }
}

/// How far a function has been lowered. Each stage allows fewer operations than the previous one; the row of
/// an operation names the last stage it may appear in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Stage {
    /// From the front end to the hardware-independent optimisations: SSA, scalar, structured; every IR
    /// operation is allowed unless a lowering has removed it (`ir::families`).
    #[default]
    Source,
    /// Only operations with a direct hardware counterpart remain; booleans are still one bit wide.
    Lowered,
    /// Hardware operations, and `phi`, `collect`, `split`, `copy`, `preload`, `jump`, `halt`; no booleans.
    /// Constants and uniforms may still be used where the operand cannot encode them.
    Selected,
    /// Like Selected, with every operand legal for its row: widths, constants, uniforms.
    Machine,
    /// Every value has a register; `phi`, `collect`, `split` are gone.
    Allocated,
    /// Ready to encode: hardware operations only, waits inserted.
    Final,
}

impl Stage {
    /// Every stage in order, with its name in the text.
    pub const ALL: [(&'static str, Stage); 6] = [
        ("source", Stage::Source),
        ("lowered", Stage::Lowered),
        ("selected", Stage::Selected),
        ("machine", Stage::Machine),
        ("allocated", Stage::Allocated),
        ("final", Stage::Final),
    ];

    /// The name in the text.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}
