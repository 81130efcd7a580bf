//! The shape of a table row: everything known of one instruction, as plain `const` data.

use bitflags::bitflags;

use crate::inst::Operand;
use crate::operand::Style;
use crate::semantics::Pure;

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

bitflags! {
    /// How a row makes its result, beside what its semantics compute.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Results: u8 {
        /// A float of 32 bits, which a destination of 16 bits receives rounded, at no cost.
        const ROUNDED = 1 << 0;
        /// An integer, of which a destination of 16 bits receives the low half as long as it does not saturate.
        const CUT = 1 << 1;
        /// A float whose last bit is not known: no source states the accuracy.
        const INEXACT = 1 << 2;
    }
}

/// The chain an instruction stays in order with.
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

/// The unit that executes an instruction.
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

/// The cost of an instruction whose modifier `modifier` is `value`, in place of the row's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CostVariant {
    /// Name of the modifier.
    pub modifier: &'static str,
    /// The value it applies to.
    pub value: u32,
    /// Cycles until the result can be used.
    pub latency: u8,
    /// Cycles the unit is busy.
    pub throughput: u8,
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

/// How many registers a register operand denotes. The operand itself is the first of them; the others follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// Exactly this many of the operand's size.
    Fixed(u8),
    /// One for each set bit of the modifier `mask`; packed formats (8, 12, 13) always have 4, 3 and 3.
    Mask,
    /// The modifier `count`, where 0 means 4.
    CountField,
    /// As many as the modifier `dim` asks for, layer and sample slots included.
    Coordinates,
    /// What the modifier `lod_mode` asks for.
    Lod,
    /// Two for compare-and-exchange (modifier `op` = 3), else one.
    Exchange,
    /// Depth and stencil by the modifiers `z` and `s`.
    DepthStencil,
    /// A shadow reference, an offset, or both.
    CompareOffset,
}

/// How much of the uniform file an operand may read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// No uniform: copy it to a register first.
    None,
    /// Half-words 0..256.
    Low,
    /// Half-words 0..512.
    All,
}

/// Where the sign of a narrow integer source comes from when it is widened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// The operand's flags say whether it has one.
    Flagged,
    /// It is extended from the source's own size, whatever the flags say.
    Own,
    /// As `Own` where the modifier `cond` is a comparison of signed integers ([`SIGNED_CONDITION`]), else as `Flagged`.
    OfCondition,
}

/// The bit of an integer condition that compares signed.
pub const SIGNED_CONDITION: u32 = 4;

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
    /// How many bits those are.
    pub bits: u32,
    /// The value a fresh instruction has: the required constant of a modifier, [`Operand::NONE`] for registers.
    pub default: Operand,
    /// How many registers it denotes.
    pub count: Count,
    /// Uniform registers it may name: what compilers are known to use, not what the encoding can say.
    pub reach: Reach,
    /// How it is widened, if it is an integer.
    pub sign: Sign,
    /// The largest constant that fresh code has here. Larger ones decode, but sources place their bits differently.
    pub largest: u32,
}

impl OperandDesc {
    /// An operand of one register, default absent (registers) or 0 (modifiers).
    pub(crate) const fn new(
        name: &'static str,
        role: Role,
        kind: crate::operand::OperandKind,
        pieces: &'static [Piece],
    ) -> OperandDesc {
        let default = match role {
            Role::Mod | Role::Unknown => Operand::imm(0),
            Role::Dst | Role::Src => Operand::NONE,
        };
        OperandDesc {
            name,
            role,
            kind,
            pieces,
            bits: crate::field::width(pieces),
            default,
            count: Count::Fixed(1),
            reach: Reach::All,
            sign: Sign::Flagged,
            largest: u32::MAX,
        }
    }

    /// The same with another default.
    pub(crate) const fn default(mut self, value: u32) -> OperandDesc {
        self.default = Operand::imm(value);
        self
    }

    /// The same standing for several registers.
    pub(crate) const fn count(mut self, count: Count) -> OperandDesc {
        self.count = count;
        self
    }

    /// The same with another reach into the uniform file.
    pub(crate) const fn reach(mut self, reach: Reach) -> OperandDesc {
        self.reach = reach;
        self
    }

    /// The same widened otherwise.
    pub(crate) const fn sign(mut self, sign: Sign) -> OperandDesc {
        self.sign = sign;
        self
    }

    /// The same with no constants above `largest` in fresh code.
    pub(crate) const fn up_to(mut self, largest: u32) -> OperandDesc {
        self.largest = largest;
        self
    }

    /// Width of the field in bits.
    pub const fn width(&self) -> u32 {
        self.bits
    }
}

/// Everything known of one instruction.
#[derive(Clone, Copy, Debug)]
pub struct InstDesc {
    /// The family it belongs to: the name of a file of the table.
    pub family: &'static str,
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
    /// Every bit that means something: `mask`, the operands' bits and the L bit. All others must be zero.
    pub known: u128,
    /// Operands: destinations first, then sources, then modifiers, then unknown bits.
    pub operands: &'static [OperandDesc],
    /// Where the operands of each role end.
    pub(crate) role_ends: [u8; 4],
    /// Operands whose form depends on bits of others, a bit each by index.
    pub(crate) contextual: u32,
    /// Fresh instructions have 0 for every modifier.
    pub zero_defaults: bool,
    /// The operand that is the target of a branch.
    pub target: Option<usize>,
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
    /// Another cost when a modifier has a certain value.
    pub variant: Option<CostVariant>,
    /// What it computes, for rows whose results depend on their sources alone.
    pub pure: Option<Pure>,
    /// How it makes its result.
    pub results: Results,
    /// Where the facts come from.
    pub source: &'static str,
    /// What is assumed rather than known; empty when nothing is.
    pub assumed: &'static str,
    /// How applegpu writes it: a template of [`crate::dialect`]; empty where it has no text of its own.
    pub applegpu: &'static str,
    /// No instruction of the kind is in any published set of encodings that the tests know.
    pub unseen: bool,
}

impl Length {
    /// Bytes of the longest form.
    pub const fn longest(self) -> u8 {
        match self {
            Length::Fixed(bytes) => bytes,
            Length::Extensible { long, .. } => long,
        }
    }
}

impl InstDesc {
    /// A synchronous row without operands or effects.
    pub(crate) const fn new(value: u128, mask: u128, length: Length) -> InstDesc {
        let known = match length {
            Length::Fixed(_) => mask,
            Length::Extensible { l_bit, .. } => mask | 1 << l_bit,
        };
        InstDesc {
            family: "",
            name: "",
            doc: "",
            value,
            mask,
            length,
            known,
            operands: &[],
            role_ends: [0; 4],
            contextual: 0,
            zero_defaults: true,
            target: None,
            effects: Effects::empty(),
            order: OrderClass::None,
            wait: WaitBehaviour::Sync,
            unit: Unit::None,
            latency: 0,
            throughput: 0,
            variant: None,
            pure: None,
            results: Results::empty(),
            source: "",
            assumed: "",
            applegpu: "",
            unseen: false,
        }
    }

    pub(crate) const fn named(
        mut self,
        family: &'static str,
        name: &'static str,
        doc: &'static str,
    ) -> InstDesc {
        self.family = family;
        self.name = name;
        self.doc = doc.trim_ascii();
        self
    }

    pub(crate) const fn operands(mut self, operands: &'static [OperandDesc]) -> InstDesc {
        self.operands = operands;
        let mut i = 0;
        while i < operands.len() {
            self.known |= crate::field::covered(operands[i].pieces);
            if operands[i].kind.contextual {
                self.contextual |= 1 << i;
            }
            if matches!(operands[i].kind.style, Style::Target) {
                self.target = Some(i);
            }
            if matches!(operands[i].role, Role::Mod) && operands[i].default.value != 0 {
                self.zero_defaults = false;
            }
            let mut role = operands[i].role as usize;
            i += 1;
            while role < self.role_ends.len() {
                self.role_ends[role] = i as u8;
                role += 1;
            }
        }
        self
    }

    pub(crate) const fn effects(mut self, effects: Effects, order: OrderClass) -> InstDesc {
        self.effects = effects;
        self.order = order;
        self
    }

    pub(crate) const fn asynchronous(mut self) -> InstDesc {
        self.wait = WaitBehaviour::Async;
        self
    }

    pub(crate) const fn cost(mut self, unit: Unit, latency: u8, throughput: u8) -> InstDesc {
        self.unit = unit;
        self.latency = latency;
        self.throughput = throughput;
        self
    }

    pub(crate) const fn cost_when(
        mut self,
        modifier: &'static str,
        value: u32,
        latency: u8,
        throughput: u8,
    ) -> InstDesc {
        self.variant = Some(CostVariant { modifier, value, latency, throughput });
        self
    }

    pub(crate) const fn pure(mut self, pure: Pure) -> InstDesc {
        self.pure = Some(pure);
        self
    }

    /// A float that a destination of 16 bits receives rounded.
    pub(crate) const fn rounded(mut self) -> InstDesc {
        self.results = self.results.union(Results::ROUNDED);
        self
    }

    /// An integer of which a destination of 16 bits receives the low half.
    pub(crate) const fn cut(mut self) -> InstDesc {
        self.results = self.results.union(Results::CUT);
        self
    }

    /// A float function of unknown accuracy, computed as the nearest float.
    pub(crate) const fn inexact(mut self) -> InstDesc {
        self.results = self.results.union(Results::INEXACT);
        self.assumed("correctly rounded; no source gives the accuracy")
    }

    pub(crate) const fn source(mut self, source: &'static str) -> InstDesc {
        self.source = source;
        self
    }

    pub(crate) const fn applegpu(mut self, template: &'static str) -> InstDesc {
        self.applegpu = template;
        self
    }

    pub(crate) const fn unseen(mut self) -> InstDesc {
        self.unseen = true;
        self
    }

    pub(crate) const fn assumed(mut self, assumed: &'static str) -> InstDesc {
        self.assumed = assumed;
        self
    }

    /// Whether a fresh instruction takes the long form.
    pub const fn prefers_long(&self) -> bool {
        matches!(self.length, Length::Extensible { prefer_long: true, .. })
    }

    /// Index in the row of the first operand of `role`, and of the one after the last.
    #[inline]
    pub const fn role_bounds(&self, role: Role) -> (usize, usize) {
        let start = if role as usize == 0 { 0 } else { self.role_ends[role as usize - 1] };
        (start as usize, self.role_ends[role as usize] as usize)
    }

    /// The operands of `role`, with their index in the row.
    #[inline]
    pub fn with_role(
        &self,
        role: Role,
    ) -> impl DoubleEndedIterator<Item = (usize, &'static OperandDesc)> + ExactSizeIterator + Clone + use<>
    {
        let (start, end) = self.role_bounds(role);
        let operands = self.operands;
        (start..end).map(move |index| (index, &operands[index]))
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
