//! The structure of a table row: all facts about one instruction, as plain `const` data.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use bitflags::bitflags;

use crate::field::Moves;
use crate::inst::Operand;
use crate::operand::Style;
use crate::semantics::Pure;
use crate::semantics::kernels::{Kernel, KernelFn, Kind};

/// A piece of a bit field: `len` bits from bit `lo` of the instruction (bit 0 = least significant bit of byte 0).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Lowest bit.
    pub lo: u8,
    /// Number of bits.
    pub len: u8,
}

/// The purpose of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Registers written.
    Dst,
    /// Registers, uniforms or immediates read as data.
    Src,
    /// A number that modifies the operation: condition, shift, mask, format, target …
    Mod,
    /// Bits of unknown meaning, preserved by decoding and encoding.
    Unknown,
}

bitflags! {
    /// Effects of a row besides writing its destinations.
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
        /// Kills samples or runs their tests: changes which samples are live and which lanes are helpers.
        const WRITES_COVERAGE = 1 << 6;
        /// The result depends on other lanes of the SIMD-group or quad.
        const CROSS_LANE = 1 << 7;
        /// Writes machine state that is not a GPR or memory (uniforms, texture state, stack pointer, varyings).
        const STATE = 1 << 8;
        /// Depends on which samples are live or which lanes are helpers, as stores do: those of helpers are dropped.
        const READS_COVERAGE = 1 << 9;
    }
}

bitflags! {
    /// How a row writes its result, in addition to its semantics.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Results: u8 {
        /// A 32-bit float, which a 16-bit destination receives rounded, at no cost.
        const ROUNDED = 1 << 0;
        /// An integer, of which a 16-bit destination receives the low half unless it saturates.
        const CUT = 1 << 1;
        /// A float whose last bit is uncertain: no source specifies the accuracy.
        const INEXACT = 1 << 2;
        /// It is written before all of `a` and `b` are read: it must share no register with them.
        const APART = 1 << 3;
    }
}

/// The order chain of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderClass {
    /// Free to move.
    None,
    /// Coverage class: derivatives, tile access, sample masks, coverage special registers.
    Coverage,
    /// Barriers and pixel waits: no instruction of any class moves across.
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

/// The cost of an instruction if its modifier `modifier` is `value`, instead of the row's.
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
        /// The preferred form of new instructions: compilers never use the short form of some memory
        /// operations.
        prefer_long: bool,
    },
}

/// How many registers a register operand denotes. The operand itself is the first of them; the others follow
/// consecutively.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// Exactly this many of the operand's size.
    Fixed(u8),
    /// This many of the operand's size. The last ones are not used if the format of the image lacks their components.
    UpTo(u8),
    /// One for each set bit of the modifier `mask`; packed formats (8, 12, 13) always have 4, 3 and 3.
    Mask,
    /// The modifier `count`, where 0 means 4.
    CountField,
    /// Determined by the modifier `dim`, including layer and sample slots.
    Coordinates,
    /// Determined by the modifier `lod_mode`.
    Lod,
    /// Two for compare-and-exchange (modifier `op` = 3), else one.
    Exchange,
    /// Depth and stencil, selected by the modifiers `z` and `s`.
    DepthStencil,
    /// A shadow reference, an offset, or both.
    CompareOffset,
}

/// The part of the uniform file that an operand may read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// No uniforms: they must be copied to a register first.
    None,
    /// Half-words 0..256.
    Low,
    /// Half-words 0..512.
    All,
}

/// How a narrow integer source is extended when it is widened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// The operand's flags determine whether its sign is extended.
    Flagged,
    /// It is sign-extended from the source's own size, regardless of the flags.
    Own,
    /// Like `Own` if the modifier `cond` is a comparison of signed integers ([`SIGNED_CONDITION`]), else as
    /// `Flagged`.
    OfCondition,
}

/// The bit of an integer condition that compares signed.
pub const SIGNED_CONDITION: u32 = 4;

/// One operand of a row.
#[derive(Clone, Copy, Debug)]
pub struct OperandDesc {
    /// Name, unique within the row (`dst`, `a`, `b`, `shift`, `cond` …).
    pub name: &'static str,
    /// Its purpose.
    pub role: Role,
    /// Its bit layout and legal forms.
    pub kind: crate::operand::OperandKind,
    /// Its bits, low part first.
    pub pieces: &'static [Piece],
    /// How the bits are written.
    pub(crate) moves: Moves,
    /// The number of bits.
    pub bits: u32,
    /// The value in new instructions: the required constant of a modifier, [`Operand::NONE`] for registers.
    pub default: Operand,
    /// The number of registers it denotes.
    pub count: Count,
    /// Uniform registers it may read: those that compilers are known to use, not all that can be encoded.
    pub reach: Reach,
    /// How it is extended, if it is an integer.
    pub sign: Sign,
    /// The largest constant in generated code. Larger ones decode, but sources disagree on the positions of
    /// their bits.
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
            moves: Moves::of(pieces),
            bits: crate::field::width(pieces),
            default,
            count: Count::Fixed(1),
            reach: Reach::All,
            sign: Sign::Flagged,
            largest: u32::MAX,
        }
    }

    /// Sets the default.
    pub(crate) const fn default(mut self, value: u32) -> OperandDesc {
        self.default = Operand::imm(value);
        self
    }

    /// Sets the number of registers.
    pub(crate) const fn count(mut self, count: Count) -> OperandDesc {
        self.count = count;
        self
    }

    /// Sets the reach into the uniform file.
    pub(crate) const fn reach(mut self, reach: Reach) -> OperandDesc {
        self.reach = reach;
        self
    }

    /// Sets the extension.
    pub(crate) const fn sign(mut self, sign: Sign) -> OperandDesc {
        self.sign = sign;
        self
    }

    /// Limits constants in generated code to `largest`.
    pub(crate) const fn up_to(mut self, largest: u32) -> OperandDesc {
        self.largest = largest;
        self
    }

    /// Width of the field in bits.
    pub const fn width(&self) -> u32 {
        self.bits
    }
}

/// Facts about a row that follow from its other fields: modifiers have their index, or `None` if the row has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Derived {
    /// Mask of the operands, by index, whose form depends on bits of others.
    pub(crate) contextual: u32,
    /// The wait group.
    pub(crate) group: Option<usize>,
    /// The mask of components.
    pub(crate) mask: Option<usize>,
    /// The format of elements in memory.
    pub(crate) format: Option<usize>,
    /// Whether the row accesses no register but its operands, of which each denotes one register.
    pub(crate) has_single_registers: bool,
    /// Whether its family is that of texture instructions.
    is_texture: bool,
}

/// All facts about one instruction.
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
    /// Mask of the bits that identify the row.
    pub mask: u128,
    /// Length of the encoding.
    pub length: Length,
    /// Mask of all defined bits: `mask`, the operands' bits and the L bit. All others must be zero.
    pub known: u128,
    /// Operands: destinations first, then sources, then modifiers, then unknown bits.
    pub operands: &'static [OperandDesc],
    /// The operands of each role.
    by_role: [&'static [OperandDesc]; 4],
    /// What follows from the other fields.
    pub(crate) derived: Derived,
    /// Whether all modifiers of new instructions are 0.
    pub zero_defaults: bool,
    /// The index of the branch target operand.
    pub target: Option<usize>,
    /// Its effects besides writing its destinations.
    pub effects: Effects,
    /// The order chain it belongs to.
    pub order: OrderClass,
    /// How results become visible.
    pub wait: WaitBehaviour,
    /// Executing unit.
    pub unit: Unit,
    /// Cycles until the result can be used.
    pub latency: u8,
    /// Cycles the unit is busy.
    pub throughput: u8,
    /// A different cost for a certain value of a modifier.
    pub variant: Option<CostVariant>,
    /// Its semantics, for rows whose results depend on their sources alone.
    pub pure: Option<Pure>,
    /// The same over the words of all lanes, for frequent operations.
    pub kernel: Option<Kernel>,
    /// How it writes its result.
    pub results: Results,
    /// Sources of the facts.
    pub source: &'static str,
    /// Assumptions; empty if there are none.
    pub assumed: &'static str,
    /// applegpu's spelling: a template of [`crate::dialect`]; empty if applegpu has none.
    pub applegpu: &'static str,
    /// Whether none of the published encodings that the tests use contains such an instruction.
    pub unseen: bool,
}

impl Length {
    /// Length of the longest form in bytes.
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
            by_role: [&[]; 4],
            derived: Derived {
                contextual: 0,
                group: None,
                mask: None,
                format: None,
                has_single_registers: true,
                is_texture: false,
            },
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
            kernel: None,
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
        self.derived.is_texture = matches!(family.as_bytes(), b"texture");
        self.name = name;
        self.doc = doc.trim_ascii();
        self
    }

    pub(crate) const fn operands(mut self, operands: &'static [OperandDesc]) -> InstDesc {
        self.operands = operands;
        // The end of the operands of each role.
        let mut ends = [0; 4];
        let mut rest = operands;
        while let [operand, after @ ..] = rest {
            let index = operands.len().saturating_sub(rest.len());
            self.known |= crate::field::covered(operand.pieces);
            if operand.kind.contextual {
                self.derived.contextual |= 1 << index;
            }
            if matches!(operand.kind.style, Style::Target) {
                self.target = Some(index);
            }
            match operand.name.as_bytes() {
                b"group" => self.derived.group = Some(index),
                b"mask" => self.derived.mask = Some(index),
                b"format" => self.derived.format = Some(index),
                _ => {}
            }
            self.derived.has_single_registers &= matches!(operand.count, Count::Fixed(1));
            if matches!(operand.role, Role::Mod) && operand.default.value != 0 {
                self.zero_defaults = false;
            }
            let end = index.saturating_add(1);
            let [dst, src, modifier, _] = ends;
            ends = match operand.role {
                Role::Dst => [end; 4],
                Role::Src => [dst, end, end, end],
                Role::Mod => [dst, src, end, end],
                Role::Unknown => [dst, src, modifier, end],
            };
            rest = after;
        }
        let [dst, src, modifier, _] = ends;
        let (registers, rest) = operands.split_at(src);
        let (results, sources) = registers.split_at(dst);
        let (modifiers, unknown) = rest.split_at(modifier.saturating_sub(src));
        self.by_role = [results, sources, modifiers, unknown];
        self
    }

    pub(crate) const fn effects(mut self, effects: Effects, order: OrderClass) -> InstDesc {
        self.effects = effects;
        // Masks and calls have registers that are not operands.
        self.derived.has_single_registers &= !effects.intersects(Effects::MASK.union(Effects::JUMP));
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

    pub(crate) const fn kernel(mut self, kind: Kind, run: KernelFn) -> InstDesc {
        self.kernel = Some(Kernel { kind, run });
        self
    }

    /// Marks the result as a float that a 16-bit destination receives rounded.
    pub(crate) const fn rounded(mut self) -> InstDesc {
        self.results = self.results.union(Results::ROUNDED);
        self
    }

    /// Marks the result as an integer of which a 16-bit destination receives the low half.
    pub(crate) const fn cut(mut self) -> InstDesc {
        self.results = self.results.union(Results::CUT);
        self
    }

    /// Marks the result as one that must share no register with the sources `a` and `b`.
    pub(crate) const fn apart(mut self) -> InstDesc {
        self.results = self.results.union(Results::APART);
        self
    }

    /// Marks a float function of unknown accuracy, which is modelled as correctly rounded.
    pub(crate) const fn inexact(mut self) -> InstDesc {
        self.results = self.results.union(Results::INEXACT);
        self.assumed("correctly rounded; no source specifies the accuracy")
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

    /// Whether it is a texture instruction.
    #[inline]
    pub const fn is_texture(&self) -> bool {
        self.derived.is_texture
    }

    /// Whether new instructions take the long form.
    pub const fn prefers_long(&self) -> bool {
        matches!(self.length, Length::Extensible { prefer_long: true, .. })
    }

    /// Index in the row of the first operand with `role`, and the index after the last.
    #[inline]
    pub const fn role_bounds(&self, role: Role) -> (usize, usize) {
        let [results, sources, modifiers, unknown] = self.by_role;
        let dst = results.len();
        let src = dst.saturating_add(sources.len());
        let modifier = src.saturating_add(modifiers.len());
        match role {
            Role::Dst => (0, dst),
            Role::Src => (dst, src),
            Role::Mod => (src, modifier),
            Role::Unknown => (modifier, modifier.saturating_add(unknown.len())),
        }
    }

    /// The operands of `role`, with their index in the row.
    #[inline]
    pub fn with_role(
        &self,
        role: Role,
    ) -> impl DoubleEndedIterator<Item = (usize, &'static OperandDesc)> + ExactSizeIterator + Clone + use<>
    {
        let [results, sources, modifiers, unknown] = self.by_role;
        let operands = match role {
            Role::Dst => results,
            Role::Src => sources,
            Role::Mod => modifiers,
            Role::Unknown => unknown,
        };
        let (start, _) = self.role_bounds(role);
        operands.iter().enumerate().map(move |(index, operand)| (index.wrapping_add(start), operand))
    }

    /// Index in the row of the operand `name`.
    pub fn operand_index(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|operand| operand.name == name)
    }

    /// Whether there are no effects besides the destinations, and equal sources give equal results.
    pub const fn is_pure(&self) -> bool {
        self.effects.is_empty() && matches!(self.order, OrderClass::None)
    }
}
