//! A machine instruction as a value: the result of decoding and the input of encoding.
//!
//! An [`Inst`] is an opcode and its operands *in row order*: operand `i` is described by
//! `op.desc().operands[i]`. Destinations, sources, modifiers (condition, shift amount, component mask …) and
//! the named unknown bits are all operands, so that no part of an encoding is lost and all code over
//! instructions is generic.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use bitflags::bitflags;

use crate::desc::{Count, Effects, OperandDesc, OrderClass, Role, WaitBehaviour};
use crate::table::Opcode;

/// Maximum number of operands of a row (that of texture instructions).
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

    /// The size that holds a value of `bits` bits: 1, 8 and 16 take a half register.
    pub const fn for_bits(bits: u8) -> Size {
        match bits {
            0..=16 => Size::B16,
            17..=32 => Size::B32,
            _ => Size::B64,
        }
    }
}

/// The kind of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Tag {
    /// Absent: an omitted optional operand.
    #[default]
    None,
    /// An immediate. `value` is the number itself, sign-extended to 32 bits if the kind is signed. For float
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
    pub struct OperandFlags: u16 {
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
        /// Zero-extend an immediate index that would otherwise be signed (memory and stack operations).
        const ZX = 1 << 5;
        /// The encoding specifies the next larger size, which the operation does not support: the hardware
        /// uses the size given here (applegpu's model; Mesa emits such operands).
        const WIDE = 1 << 6;
    }
}

/// One operand of an [`Inst`], eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
pub struct Operand {
    /// The kind.
    pub tag: Tag,
    /// Width of one element (registers and uniforms only; immediates use [`Size::B32`]).
    pub size: Size,
    /// Modifiers and hints.
    pub flags: OperandFlags,
    /// Index or number: see [`Tag`].
    pub value: u32,
}

impl Operand {
    /// No operand.
    pub const NONE: Operand =
        Operand { tag: Tag::None, size: Size::B32, flags: OperandFlags::empty(), value: 0 };

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

    /// Whether it is [`Operand::imm`] of some number.
    #[inline]
    pub(crate) const fn is_number(&self) -> bool {
        self.bits() as u32 == Operand::imm(0).bits() as u32
    }

    /// All of it as a number: different operands have different numbers. Comparing these takes one step.
    #[inline]
    pub(crate) const fn bits(&self) -> u64 {
        self.tag as u64
            | (self.size as u64) << 8
            | (self.flags.bits() as u64) << 16
            | (self.value as u64) << 32
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
    /// Encode in the long form even if the short one suffices (the L bit). The encoder selects the long form
    /// itself whenever a bit beyond the short form is set.
    pub long: bool,
    /// Operands in row order; entries past the row's operand count are [`Operand::NONE`].
    pub operands: [Operand; MAX_OPERANDS],
}

impl Inst {
    /// An instruction with the row's default modifiers (its required constants), no registers, and the row's
    /// preferred form.
    #[inline]
    pub fn new(op: Opcode) -> Inst {
        *op.fresh()
    }

    /// Appends [`Inst::new`] to a list, to be given its operands there.
    #[inline]
    pub fn append(list: &mut Vec<Inst>, op: Opcode) -> Option<&mut Inst> {
        list.extend_from_slice(std::slice::from_ref(op.fresh()));
        list.last_mut()
    }
}

/// The half registers that an operand covers.
pub type Halves = std::ops::Range<u16>;

/// The nesting counter, read and written by every mask instruction.
const NESTING_COUNTER: Halves = 0..1;
/// The register for the return address of calls: r1.
const LINK: Halves = 2..4;

impl Inst {
    /// The operand `name`, if the row has one.
    pub fn operand(&self, name: &str) -> Option<Operand> {
        self.op.desc().operand_index(name).and_then(|i| self.operands.get(i).copied())
    }

    /// The value of the modifier `name`; 0 if the row has none.
    pub fn modifier(&self, name: &str) -> u32 {
        self.operand(name).map_or(0, |operand| operand.value)
    }

    /// The value of the modifier at `index`; 0 if there is none.
    #[inline]
    fn value_at(&self, index: Option<usize>) -> u32 {
        index.and_then(|index| self.operands.get(index)).map_or(0, |operand| operand.value)
    }

    /// The wait group that the instruction names; 0 if it names none.
    #[inline]
    pub(crate) fn group(&self) -> u32 {
        self.value_at(self.op.desc().derived.group)
    }

    /// Sets the operand `name`, if the row has one.
    pub fn set(&mut self, name: &str, operand: Operand) {
        if let Some(i) = self.op.desc().operand_index(name)
            && let Some(slot) = self.operands.get_mut(i)
        {
            *slot = operand;
        }
    }

    /// The operands of the row: index, value, description.
    pub fn specified(&self) -> impl Iterator<Item = (usize, &Operand, &'static OperandDesc)> {
        let operands = self.operands.iter().zip(self.op.desc().operands);
        operands.enumerate().map(|(index, (operand, spec))| (index, operand, spec))
    }

    /// How many registers of its size operand `index` denotes: 1 except for vectors.
    #[inline]
    pub fn operand_count(&self, index: usize) -> u16 {
        let desc = self.op.desc();
        let Some(spec) = desc.operands.get(index) else { return 0 };
        match spec.count {
            Count::Fixed(count) | Count::UpTo(count) => u16::from(count),
            Count::Mask => match self.value_at(desc.derived.format) {
                8 => 4,
                12 | 13 => 3,
                _ => self.value_at(desc.derived.mask).count_ones() as u16,
            },
            Count::CountField => match self.modifier("count") {
                0 => 4,
                count => count as u16,
            },
            // A block store without explicit coordinates takes only the layer.
            Count::Coordinates if self.operand("explicit").is_some_and(|explicit| explicit.value == 0) => 1,
            Count::Coordinates => coordinate_slots(self.modifier("dim"), self.modifier("query") != 0),
            Count::Lod => lod_registers(self.modifier("lod_mode"), self.modifier("dim")),
            Count::Exchange if self.modifier("op") == 3 => 2,
            Count::Exchange => 1,
            Count::DepthStencil => 1,
            Count::CompareOffset => 1,
        }
    }

    /// The half registers that operand `index` covers; `None` if it is not a register. Textures write four
    /// registers regardless of their mask and with `sparse` one more, and depth is followed by stencil.
    #[inline]
    pub fn operand_halves(&self, index: usize) -> Option<Halves> {
        self.halves_of(index, self.op.desc().operands.get(index)?)
    }

    /// Like [`Inst::operand_halves`], given the description of the operand.
    #[inline]
    pub fn halves_of(&self, index: usize, spec: &OperandDesc) -> Option<Halves> {
        let operand = self.operands.get(index)?;
        if operand.tag != Tag::Reg {
            return None;
        }
        let start = operand.value as u16;
        if spec.count == Count::Fixed(1) {
            return Some(start..start.saturating_add(u16::from(operand.size.halves())));
        }
        self.vector_halves(index, operand, spec)
    }

    /// Like [`Inst::operand_halves`], for an operand that may denote several registers.
    fn vector_halves(&self, index: usize, operand: &Operand, spec: &OperandDesc) -> Option<Halves> {
        let clobbers_four = matches!(self.op, Opcode::Smpf | Opcode::Smpi) && spec.role == Role::Dst;
        let residency = u16::from(clobbers_four && self.modifier("sparse") != 0);
        let count = if clobbers_four { 4_u16.saturating_add(residency) } else { self.operand_count(index) };
        let both = |a: &str, b: &str| u16::from(self.modifier(a) != 0 && self.modifier(b) != 0);
        let trailing = match spec.count {
            Count::DepthStencil => both("z", "s"),
            Count::CompareOffset => both("compare", "offset"),
            Count::Lod => u16::from(self.modifier("lod_mode") == 12),
            _ => 0,
        };
        let start = operand.value as u16;
        let halves = count.saturating_mul(u16::from(operand.size.halves())).saturating_add(trailing);
        Some(start..start.saturating_add(halves))
    }

    /// Half registers written, in operand order, including implicit ones (nesting counter, link register).
    pub fn registers_written(&self) -> impl Iterator<Item = Halves> + '_ {
        let mask = self.op.desc().effects.contains(Effects::MASK).then_some(NESTING_COUNTER);
        let link = matches!(self.op, Opcode::Call | Opcode::CallReg).then_some(LINK);
        self.registers_of(Role::Dst).chain(mask).chain(link)
    }

    /// Half registers read, in operand order, including implicit ones.
    pub fn registers_read(&self) -> impl Iterator<Item = Halves> + '_ {
        let mask = self.op.desc().effects.contains(Effects::MASK).then_some(NESTING_COUNTER);
        self.registers_of(Role::Src).chain(mask)
    }

    fn registers_of(&self, role: Role) -> impl Iterator<Item = Halves> + '_ {
        self.op.desc().with_role(role).filter_map(|(index, spec)| self.halves_of(index, spec))
    }

    /// Calls `act` with each element of [`Inst::registers_written`].
    #[inline]
    pub fn each_written(&self, act: impl FnMut(Halves)) {
        let link = matches!(self.op, Opcode::Call | Opcode::CallReg).then_some(LINK);
        self.each_register(Role::Dst, link, act);
    }

    /// Calls `act` with each element of [`Inst::registers_read`].
    #[inline]
    pub fn each_read(&self, act: impl FnMut(Halves)) {
        self.each_register(Role::Src, None, act);
    }

    #[inline]
    fn each_register(&self, role: Role, link: Option<Halves>, mut act: impl FnMut(Halves)) {
        let desc = self.op.desc();
        for (index, spec) in desc.with_role(role) {
            if let Some(halves) = self.halves_of(index, spec) {
                act(halves);
            }
        }
        if desc.effects.contains(Effects::MASK) {
            act(NESTING_COUNTER);
        }
        if let Some(link) = link {
            act(link);
        }
    }

    /// Signed distance in bytes of the branch target from the first byte of the instruction, if it has one.
    pub fn target(&self) -> Option<i32> {
        let operand = self.operands.get(self.op.desc().target?)?;
        Some(operand.value as i32)
    }

    /// The order chain of the instruction: that of its row, or of the special register it reads.
    pub fn order(&self) -> OrderClass {
        let special = self.operand("sr").and_then(|operand| crate::sr::by_number(operand.value));
        special.map_or(self.op.desc().order, |register| register.order)
    }

    /// The wait group in which the instruction occupies a slot, if it is asynchronous.
    #[inline]
    pub fn wait_group(&self) -> Option<u32> {
        (self.op.desc().wait == WaitBehaviour::Async).then(|| self.group())
    }
}

/// 32-bit slots of texture coordinates: the coordinates, then one slot for layer and sample number. Queries take no
/// layer (Mesa 25.0).
fn coordinate_slots(dim: u32, query: bool) -> u16 {
    let (coordinates, extra) = match dim {
        0 => (1, 0),
        1 => (1, 1),
        3 | 4 | 8 => (2, 1),
        5 | 6 => (3, 0),
        7 => (3, 1),
        _ => (2_u16, 0),
    };
    coordinates.saturating_add(if query { 0 } else { extra })
}

/// Registers of the LOD operand: derivatives interleave x and y of each coordinate; bias or LOD with a minimum is a pair.
fn lod_registers(mode: u32, dim: u32) -> u16 {
    match mode {
        4 | 12 => coordinate_slots(dim, true).saturating_mul(2),
        9 | 13 => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::parse_inst;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, some of one")]
    fn registers_read_and_written() {
        type Case = (&'static str, &'static [Halves], &'static [Halves]);
        let cases: &[Case] = &[
            ("fadd r1, r2, r3h", &[2..4], &[4..6, 7..8]),
            ("iadd r4_r5, r6_r7, u3", &[8..12], &[12..16]),
            ("load.i16.xyw r4l_r4h_r5l, r0_r1, r2", &[8..11], &[0..4, 4..6]),
            ("load.rgb9e5.x r4_r5_r6, u0_u1, 0", &[8..14], &[]),
            ("atomic.cmpxchg r1, r2_r3, u0_u1, 0", &[2..4], &[4..8]),
            ("atomic.add _, r2, u0_u1, 0", &[], &[4..6]),
            ("smpf.2d_array.x.grad r0, r4_r5_r6, r8_r9_r10_r11, ts0, _, ss0, _", &[0..8], &[8..14, 16..24]),
            ("smpi.2d.x.auto_lod.offset r0l, r4_r5, _, r7, u0_u1, ss0, r3h", &[0..4], &[8..12, 14..16, 7..8]),
            ("zs_emit.z.s 255, r2", &[], &[4..7]),
            ("iter.center r0_r1_r2_r3, cf0, _, count 0", &[0..8], &[]),
            ("if_icmp.ult r1, r2l, nest 1", &[0..1], &[2..4, 4..5, 0..1]),
            ("call +6", &[2..4], &[]),
            ("simd_matrix_fmadd32 r0_r1, r2_r3, r4_r5, r0_r1", &[0..4], &[4..8, 8..12, 0..4]),
        ];
        for (text, written, read) in cases {
            let inst = parse_inst(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(inst.registers_written().collect::<Vec<_>>(), *written, "{text}");
            assert_eq!(inst.registers_read().collect::<Vec<_>>(), *read, "{text}");
            let (mut each_written, mut each_read) = (Vec::new(), Vec::new());
            inst.each_written(|halves| each_written.push(halves));
            inst.each_read(|halves| each_read.push(halves));
            assert_eq!((each_written.as_slice(), each_read.as_slice()), (*written, *read), "{text}");
        }
    }

    #[test]
    fn special_registers_have_order_classes() {
        let order = |text| parse_inst(text).map(|inst| inst.order());
        assert_eq!(order("mfsr r0, coverage_mask"), Ok(OrderClass::Coverage));
        assert_eq!(order("mfsr r0, core_index"), Ok(OrderClass::None));
        assert_eq!(order("barrier"), Ok(OrderClass::Barrier));
    }
}
