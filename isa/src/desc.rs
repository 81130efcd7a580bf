//! The shape of a table row: everything known of one instruction, as plain `const` data.

use bitflags::bitflags;

use crate::inst::Operand;
use crate::semantics::PureFn;

/// A piece of a bit field: `len` bits from bit `lo` of the instruction (bit 0 = least significant bit of byte 0).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Lowest bit.
    pub lo: u8,
    /// Number of bits.
    pub len: u8,
}

/// What an operand is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Registers written.
    Dst,
    /// Registers, uniforms or immediates read as data.
    Src,
    /// A number that changes what the instruction does: condition, shift, mask, format, target …
    Mod,
    /// Bits that exist, keep their value through decode and encode, and whose meaning nobody knows.
    Unknown,
}

bitflags! {
    /// What a row does beside writing its destinations.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Effects: u16 {
        /// Reads device, local or stack memory.
        const READS_MEMORY = 1 << 0;
        /// Writes device, local or stack memory, an image or the tile.
        const WRITES_MEMORY = 1 << 1;
        /// Changes the execution mask or `r0l`.
        const MASK = 1 << 2;
        /// May change the program counter.
        const JUMP = 1 << 3;
        /// Ends the program on this path.
        const STOP = 1 << 4;
        /// Orders memory or lanes against each other.
        const BARRIER = 1 << 5;
        /// Kills samples, runs tests or writes fragment results.
        const COVERAGE = 1 << 6;
        /// The result depends on other lanes of the SIMD-group or quad.
        const CROSS_LANE = 1 << 7;
        /// Writes machine state that is not a GPR or memory (uniforms, texture state, stack pointer, varyings).
        const STATE = 1 << 8;
    }
}

/// The chain an instruction stays in order with (isa.md §3.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderClass {
    /// Free to move.
    None,
    /// Coverage class: derivatives, tile access, sample masks, coverage special registers.
    Coverage,
    /// Barriers and pixel waits: nothing of any class moves across.
    Barrier,
    /// Memory in program order.
    Memory,
    /// Control flow: never moves.
    Control,
}

/// How results become visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitBehaviour {
    /// Interlocked: the next instruction sees the result.
    Sync,
    /// Scoreboarded: occupies a slot of the wait group named by the modifier `group` until a `wait` on that group.
    Async,
}

/// The unit that executes an instruction (isa.md §4.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Not an ALU operation, or one without a known cost.
    None,
    /// 32-bit float pipe.
    F32,
    /// 16-bit float pipe.
    F16,
    /// Select, compare, integer, bitwise pipe.
    Scib,
    /// Integer multiply, shift, complex pipe.
    Ic,
}

/// Length of the encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// Always this many bytes.
    Fixed(u8),
    /// `short` bytes when bit `l_bit` is 0 (the omitted bits read as 0), `long` when it is 1.
    Extensible {
        /// Bytes of the short form.
        short: u8,
        /// Bytes of the long form.
        long: u8,
        /// Position of the L bit.
        l_bit: u8,
        /// The form a fresh instruction takes: compilers never use the short form of some memory operations.
        prefer_long: bool,
    },
}

bitflags! {
    /// Chips of the two known generations.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct ChipSet: u8 {
        /// M1.
        const G13G = 1 << 0;
        /// M1 Pro, Max, Ultra.
        const G13X = 1 << 1;
        /// M2.
        const G14G = 1 << 2;
        /// M2 Pro, Max, Ultra.
        const G14X = 1 << 3;
    }
}

/// One operand of a row.
#[derive(Clone, Copy, Debug)]
pub struct OperandDesc {
    /// Name, unique within the row (`dst`, `a`, `b`, `shift`, `cond` …).
    pub name: &'static str,
    /// What the operand is for.
    pub role: Role,
    /// How its bits are laid out and which forms are legal.
    pub kind: crate::operand::OperandKind,
    /// Its bits, low part first.
    pub pieces: &'static [Piece],
    /// The value a fresh instruction has: the required constant of a modifier, [`Operand::NONE`] for registers.
    pub default: Operand,
}

/// Everything known of one instruction.
#[derive(Clone, Copy, Debug)]
pub struct InstDesc {
    /// Mnemonic.
    pub name: &'static str,
    /// One or two sentences.
    pub doc: &'static str,
    /// Instruction bits that identify the row, with `mask`.
    pub value: u128,
    /// Which bits identify the row.
    pub mask: u128,
    /// Length of the encoding.
    pub length: Length,
    /// Operands: destinations first, then sources, then modifiers, then unknown bits.
    pub operands: &'static [OperandDesc],
    /// What it does beside writing its destinations.
    pub effects: Effects,
    /// The chain it stays in order with.
    pub order: OrderClass,
    /// How results become visible.
    pub wait: WaitBehaviour,
    /// Executing unit.
    pub unit: Unit,
    /// Cycles until the result can be used.
    pub latency: u8,
    /// Cycles the unit is busy.
    pub throughput: u8,
    /// What it computes, for rows whose results depend on their sources alone.
    pub pure: Option<PureFn>,
    /// Chips that have it.
    pub chips: ChipSet,
    /// Where the facts come from: sections of docs/isa-sources.md.
    pub source: &'static str,
    /// What is assumed rather than known; empty when nothing is.
    pub assumed: &'static str,
}

impl InstDesc {
    /// Whether a fresh instruction takes the long form.
    pub const fn prefers_long(&self) -> bool {
        matches!(self.length, Length::Extensible { prefer_long: true, .. })
    }

    /// The operands of `role`, with their index in the row.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = (usize, &'static OperandDesc)> {
        self.operands.iter().enumerate().filter(move |(_, operand)| operand.role == role)
    }

    /// Index in the row of the operand called `name`.
    pub fn operand_index(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|operand| operand.name == name)
    }

    /// No effect beside the destinations, and the same result for the same sources.
    pub const fn is_pure(&self) -> bool {
        self.effects.is_empty() && matches!(self.order, OrderClass::None)
    }
}
