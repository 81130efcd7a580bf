//! Operand kinds: the forms that an operand may take, and their layouts.
//!
//! A kind is a list of [`Form`]s, plain data. The bits of an operand, gathered by the row's pieces (low part
//! first), are its *raw* value. A form specifies which raw bits select it, which hold the number and which
//! are flags; all other raw bits must be zero. A few forms also depend on bits elsewhere in the instruction
//! (the size of select sources is the destination's; the LOD is a register or a uniform depending on the LOD
//! mode): those are the context bits.
//!
//! Layouts: applegpu's descriptors, Mesa 25.0's AGX packer and AGX2.xml, which agree except where the error
//! sheet (docs/errata.md) notes a difference.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use thiserror::Error;

use crate::field::low_bits;
use crate::inst::{Operand, OperandFlags, Size, Tag};

/// Why an operand does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum OperandError {
    /// The operand is absent but required.
    #[error("it is missing")]
    Missing,
    /// No form has this kind of operand.
    #[error("this kind of operand is not allowed here")]
    Tag,
    /// No form of this kind has the size.
    #[error("this size is not allowed here")]
    Size,
    /// A modifier or hint that the form does not support.
    #[error("this modifier or hint is not allowed here")]
    Flags,
    /// The number does not fit the field.
    #[error("the number is out of range")]
    Range,
    /// A register index without the alignment that the form requires.
    #[error("the register is not aligned")]
    Alignment,
    /// Another operand of the instruction excludes this form.
    #[error("it does not agree with the other operands of the instruction")]
    Context,
}

/// A flag of a form: raw bit `bit` equals `set` if the operand has `flag`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlagBit {
    /// The flag.
    pub flag: OperandFlags,
    /// Its bit in the raw value.
    pub bit: u8,
    /// The bit's value if the operand has the flag.
    pub set: bool,
}

/// One possible form of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// The kind of operand.
    pub tag: Tag,
    /// Its size.
    pub size: Size,
    /// The number is in raw bits 0..bits, except those that `select_mask` covers.
    pub bits: u8,
    /// The number is the field shifted left by this amount.
    pub scale: u8,
    /// Whether the field is two's complement.
    pub signed: bool,
    /// Mask of the raw bits that select this form.
    pub select_mask: u64,
    /// Their values.
    pub select_value: u64,
    /// Mask of the instruction bits that select this form.
    pub context_mask: u128,
    /// Their values.
    pub context_value: u128,
    /// Flags with separate bits.
    pub flags: &'static [FlagBit],
    /// Flags implied by the form.
    pub implied: OperandFlags,
    /// Position of the two-bit register-cache hint (1 none, 2 cache, 3 discard; 0 is undefined).
    pub hint: Option<u8>,
    /// Raw bits the form uses.
    pub used: u64,
    /// Flags the form can carry.
    allowed: OperandFlags,
    /// Bits that encoding needs.
    prepared: Prepared,
}

/// Bits of a form, prepared for encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Prepared {
    /// Raw bits that are set if the operand has no flags.
    unflagged: u64,
    /// Bits that no number has whose field is the number itself; all but 0 need a closer look if the field is scaled
    /// or signed.
    special: u64,
}

const fn form(tag: Tag, size: Size, bits: u8) -> Form {
    Form {
        tag,
        size,
        bits,
        scale: 0,
        signed: false,
        select_mask: 0,
        select_value: 0,
        context_mask: 0,
        context_value: 0,
        flags: &[],
        implied: OperandFlags::empty(),
        hint: None,
        used: low_bits(bits),
        allowed: OperandFlags::empty(),
        prepared: Prepared { unflagged: 0, special: !low_bits(bits) },
    }
}

impl Form {
    const fn select(mut self, mask: u64, value: u64) -> Form {
        self.select_mask = mask;
        self.select_value = value;
        self.used |= mask;
        self.prepared.special |= mask;
        self
    }

    const fn context(mut self, mask: u128, value: u128) -> Form {
        self.context_mask = mask;
        self.context_value = value;
        self
    }

    const fn hint(mut self, at: u8) -> Form {
        self.hint = Some(at);
        self.allowed = self.allowed.union(OperandFlags::CACHE).union(OperandFlags::DISCARD);
        self.used |= 3 << at;
        self.prepared.unflagged |= NO_HINT << at;
        self
    }

    const fn flags(mut self, flags: &'static [FlagBit]) -> Form {
        self.flags = flags;
        let mut rest = flags;
        while let [flag, after @ ..] = rest {
            self.used |= 1 << flag.bit;
            self.prepared.unflagged |= (!flag.set as u64) << flag.bit;
            self.allowed = self.allowed.union(flag.flag);
            rest = after;
        }
        self
    }

    const fn implies(mut self, flags: OperandFlags) -> Form {
        self.implied = flags;
        self.allowed = self.allowed.union(flags);
        self
    }

    const fn scaled(mut self, scale: u8) -> Form {
        self.scale = scale;
        self.prepared.special = u64::MAX;
        self
    }

    const fn signed(mut self) -> Form {
        self.signed = true;
        self.prepared.special = u64::MAX;
        self
    }

    /// Flags the form can carry.
    pub fn allowed_flags(&self) -> OperandFlags {
        self.allowed
    }

    #[inline]
    fn allows(&self, flags: OperandFlags) -> bool {
        self.allowed.contains(flags) && flags.contains(self.implied)
    }

    #[inline]
    fn decode(&self, raw: u64, len: u32) -> Option<Operand> {
        if raw & self.select_mask != self.select_value || raw & !self.used != 0 {
            return None;
        }
        let mut flags = self.implied;
        if let Some(at) = self.hint {
            match raw >> at & 3 {
                1 => {}
                2 => flags = flags.union(OperandFlags::CACHE),
                3 => flags = flags.union(OperandFlags::DISCARD),
                _ => return None,
            }
        }
        for bit in self.flags {
            if (raw >> bit.bit & 1 == 1) == bit.set {
                flags = flags.union(bit.flag);
            }
        }
        let bits = u32::from(self.bits).min(len);
        let field = raw & low_bits(bits as u8) & !self.select_mask;
        // The sign is bit `bits` of twice the field.
        let value = if self.signed && field << 1 >> bits & 1 == 1 {
            field as u32 | (u64::MAX << bits) as u32
        } else {
            field as u32
        };
        Some(Operand { tag: self.tag, size: self.size, flags, value: value << self.scale })
    }

    /// The field of a number in an operand of `len` bits.
    #[inline(never)]
    fn checked_field(&self, value: u32, len: u32) -> Result<u64, OperandError> {
        let bits = u32::from(self.bits).min(len);
        let field = self.field(value, bits)?;
        if field >> bits != 0 {
            return Err(OperandError::Range);
        }
        if field & self.select_mask != 0 {
            let above = field & self.select_mask & !0x1 != 0;
            return Err(if above { OperandError::Range } else { OperandError::Alignment });
        }
        Ok(field)
    }

    /// The number `value` in units of the form, or in two's complement of `bits` bits.
    fn field(&self, value: u32, bits: u32) -> Result<u64, OperandError> {
        if u64::from(value) & low_bits(self.scale) != 0 {
            return Err(OperandError::Alignment);
        }
        if !self.signed {
            return Ok(u64::from(value >> self.scale));
        }
        let number = i64::from(value as i32);
        let half = 1_i64 << bits.min(32) >> 1;
        if !(half.wrapping_neg()..half).contains(&number) {
            return Err(OperandError::Range);
        }
        Ok(number as u64 & low_bits(bits as u8))
    }

    #[inline(always)]
    fn encode(&self, operand: &Operand, len: u32) -> Result<u64, OperandError> {
        let mut field = u64::from(operand.value);
        if field & self.prepared.special | field >> len.min(32) != 0 {
            field = self.checked_field(operand.value, len)?;
        }
        let mut raw = field | self.select_value | self.prepared.unflagged;
        if !operand.flags.is_empty() {
            if let Some(at) = self.hint {
                raw ^= (NO_HINT ^ hint_code(operand.flags)?) << at;
            }
            for bit in self.flags {
                raw ^= u64::from(operand.flags.contains(bit.flag)) << bit.bit;
            }
        }
        Ok(raw)
    }
}

/// The register-cache hint of an operand without one.
const NO_HINT: u64 = 1;

fn hint_code(flags: OperandFlags) -> Result<u64, OperandError> {
    match (flags.contains(OperandFlags::CACHE), flags.contains(OperandFlags::DISCARD)) {
        (false, false) => Ok(NO_HINT),
        (true, false) => Ok(2),
        (false, true) => Ok(3),
        (true, true) => Err(OperandError::Flags),
    }
}

/// How an operand is written in assembly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// A register, uniform, state register or integer immediate in operand position.
    Plain,
    /// Like `Plain`; immediates are minifloats.
    Float,
    /// A number after its name: `shift 2`. Omitted if it equals the row's default.
    Number,
    /// A mnemonic suffix out of a list of names; values without a name are written as numbers.
    Names(&'static [&'static str]),
    /// A mnemonic suffix that is the operand's name if the bit is set.
    Flag,
    /// A component mask: the suffix `xyzw` without the absent components.
    Components,
    /// A branch target: a label, or a signed byte distance.
    Target,
    /// A special-register number.
    Special,
    /// An integer in operand position.
    Integer,
}

/// A kind of operand: its forms and how it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperandKind {
    /// Name, for the reference and error messages.
    pub name: &'static str,
    /// Forms, tried in order.
    pub forms: &'static [Form],
    /// How it is written.
    pub style: Style,
    /// Whether a form depends on instruction bits outside the operand.
    pub contextual: bool,
    /// Whether the field is simply the number, so that no form needs to be selected.
    pub plain: bool,
    /// What a constant denotes: a number, or, if no form takes numbers, a state or coefficient register.
    pub constant: Tag,
    /// Whether a form takes signed numbers.
    pub takes_signed: bool,
    /// Index of the first form of each tag and size, plus one; 0 if there is none.
    first: ByForm,
    /// Flags that all forms of registers can carry, and those that some can.
    by_registers: (OperandFlags, OperandFlags),
}

/// Number of tags and of sizes.
const TAGS: usize = Tag::Coefficient as usize + 1;
const SIZES: usize = Size::B64 as usize + 1;

/// A number for each tag and size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ByForm([[u8; SIZES]; TAGS]);

impl ByForm {
    #[expect(clippy::indexing_slicing, reason = "there is a row for every tag, with a number for every size")]
    #[inline(always)]
    const fn get(&self, tag: Tag, size: Size) -> u8 {
        self.0[tag as usize][size as usize]
    }

    #[expect(clippy::indexing_slicing, reason = "there is a row for every tag, with a number for every size")]
    const fn set(&mut self, tag: Tag, size: Size, number: u8) {
        self.0[tag as usize][size as usize] = number;
    }
}

impl OperandKind {
    const fn new(name: &'static str, style: Style, forms: &'static [Form]) -> OperandKind {
        let mut contextual = false;
        let mut first = ByForm([[0; SIZES]; TAGS]);
        let mut by_registers = (OperandFlags::all(), OperandFlags::empty());
        let (mut constant, mut takes_numbers, mut takes_signed) = (Tag::Imm, false, false);
        let mut left = forms;
        while let [before @ .., form] = left {
            match form.tag {
                Tag::Imm => (takes_numbers, takes_signed) = (true, takes_signed || form.signed),
                Tag::Coefficient | Tag::TextureState | Tag::SamplerState => constant = form.tag,
                Tag::None | Tag::Reg | Tag::Uniform => {}
            }
            if matches!(form.tag, Tag::Reg) {
                by_registers =
                    (by_registers.0.intersection(form.allowed), by_registers.1.union(form.allowed));
            }
            first.set(form.tag, form.size, left.len() as u8);
            contextual |= form.context_mask != 0;
            left = before;
        }
        if takes_numbers {
            constant = Tag::Imm;
        }
        let plain = false;
        OperandKind { name, forms, style, contextual, plain, constant, takes_signed, first, by_registers }
    }

    const fn number(name: &'static str, style: Style) -> OperandKind {
        OperandKind { plain: true, ..OperandKind::new(name, style, NUMBER_FORMS) }
    }

    /// Decodes `raw`, `len` bits wide, in the instruction `word`; `None` if no form matches.
    #[inline]
    pub fn decode(&self, raw: u64, len: u32, word: u128) -> Option<Operand> {
        if self.plain {
            return Some(Operand::imm(raw as u32));
        }
        for form in self.forms {
            if word & form.context_mask == form.context_value
                && let Some(operand) = form.decode(raw, len)
            {
                return Some(operand);
            }
        }
        None
    }

    /// Encodes an operand of `len` bits; `word` holds the bits of the operands that others depend on.
    #[inline]
    pub fn encode(&self, operand: &Operand, len: u32, word: u128) -> Result<u64, OperandError> {
        self.encode_form(operand, len, |form| word & form.context_mask == form.context_value)
    }

    /// Encodes an operand of `len` bits whose form depends on no other operand.
    #[inline(always)]
    pub(crate) fn encode_alone(&self, operand: &Operand, len: u32) -> Result<u64, OperandError> {
        self.encode_form(operand, len, |_| true)
    }

    /// Like [`OperandKind::encode_alone`], for modifiers, most of which are numbers.
    #[inline(always)]
    pub(crate) fn encode_modifier(&self, operand: &Operand, len: u32) -> Result<u64, OperandError> {
        match self.plain_number(operand, len) {
            Some(number) => Ok(number),
            None => self.encode_checked(operand, len),
        }
    }

    #[inline(never)]
    fn encode_checked(&self, operand: &Operand, len: u32) -> Result<u64, OperandError> {
        self.encode_alone(operand, len)
    }

    /// The number that `operand` is, if the field of `len` bits is simply the number.
    #[inline(always)]
    fn plain_number(&self, operand: &Operand, len: u32) -> Option<u64> {
        let is_it = self.plain && operand.is_number() && u64::from(operand.value) >> len.min(32) == 0;
        is_it.then_some(u64::from(operand.value))
    }

    /// Checks an operand by itself, for a field of `len` bits: whether some form accepts it.
    pub fn check(&self, operand: &Operand, len: u32) -> Result<(), OperandError> {
        match self.plain_number(operand, len) {
            Some(_) => Ok(()),
            None => self.encode_alone(operand, len).map(|_| ()),
        }
    }

    /// Whether `operand`, a register that the kind accepts in a field of `len` bits, may also have the hint `hint`.
    #[inline]
    pub fn takes_hint(&self, operand: &Operand, hint: OperandFlags, len: u32) -> bool {
        let (by_all, by_some) = self.by_registers;
        let has_hint = operand.flags.intersects(OperandFlags::CACHE.union(OperandFlags::DISCARD));
        by_some.contains(hint)
            && (by_all.contains(hint) && !has_hint || self.check(&operand.with(hint), len).is_ok())
    }

    #[inline(always)]
    fn encode_form(
        &self,
        operand: &Operand,
        len: u32,
        in_context: impl Fn(&Form) -> bool,
    ) -> Result<u64, OperandError> {
        // Usually the first form of the operand's tag and size accepts it.
        let first = usize::from(self.first.get(operand.tag, operand.size)).wrapping_sub(1);
        if let Some(form) = self.forms.get(first)
            && form.allows(operand.flags)
            && in_context(form)
            && let Ok(raw) = form.encode(operand, len)
        {
            return Ok(raw);
        }
        self.encode_otherwise(operand, len, first.wrapping_add(1), in_context)
    }

    /// Encodes an operand that no form before number `next` accepts.
    #[inline(never)]
    fn encode_otherwise(
        &self,
        operand: &Operand,
        len: u32,
        next: usize,
        in_context: impl Fn(&Form) -> bool,
    ) -> Result<u64, OperandError> {
        for form in self.forms.get(next..).unwrap_or(&[]) {
            let is_it = form.tag == operand.tag && form.size == operand.size && form.allows(operand.flags);
            if is_it
                && in_context(form)
                && let Ok(raw) = form.encode(operand, len)
            {
                return Ok(raw);
            }
        }
        Err(self.reason_against(operand, len, in_context))
    }

    /// The reason why no form accepts an operand: that of the closest form.
    #[cold]
    fn reason_against(
        &self,
        operand: &Operand,
        len: u32,
        in_context: impl Fn(&Form) -> bool,
    ) -> OperandError {
        let mut best = if operand.tag == Tag::None { OperandError::Missing } else { OperandError::Tag };
        for form in self.forms {
            if form.tag != operand.tag {
                continue;
            }
            let failure = if form.size != operand.size {
                OperandError::Size
            } else if !form.allows(operand.flags) {
                OperandError::Flags
            } else if !in_context(form) {
                OperandError::Context
            } else {
                form.encode(operand, len).err().unwrap_or(OperandError::Context)
            };
            if best == OperandError::Tag || best == OperandError::Missing || best == OperandError::Size {
                best = failure;
            }
        }
        best
    }

    /// Whether some form of the kind has `tag`.
    pub fn takes(&self, tag: Tag) -> bool {
        self.forms.iter().any(|form| form.tag == tag)
    }

    /// An operand that the kind accepts in every context, if there is one: the first form that fits `word`.
    pub fn example(&self, word: u128) -> Operand {
        let fits = |form: &&Form| word & form.context_mask == form.context_value;
        match self.forms.iter().find(fits) {
            Some(form) => Operand { tag: form.tag, size: form.size, ..Operand::NONE },
            None => Operand::NONE,
        }
    }
}

const fn flag(flag: OperandFlags, bit: u8) -> FlagBit {
    FlagBit { flag, bit, set: true }
}

const NONE: Form = form(Tag::None, Size::B32, 0);
const IMM8: Form = form(Tag::Imm, Size::B32, 8);
/// A 32-bit or 64-bit register has an even half index: its low bit is a selector with value 0.
const REG16: Form = form(Tag::Reg, Size::B16, 8);
const REG32: Form = form(Tag::Reg, Size::B32, 8).select(1, 0);

const CACHE: OperandFlags = OperandFlags::CACHE;
const DISCARD: OperandFlags = OperandFlags::DISCARD;
const SX: OperandFlags = OperandFlags::SX;
const ZX: OperandFlags = OperandFlags::ZX;
const ABS: OperandFlags = OperandFlags::ABS;
const NEG: OperandFlags = OperandFlags::NEG;
const WIDE: OperandFlags = OperandFlags::WIDE;

/// ALU destination. Raw: half index 0..8, size32 8, cache 9.
pub const ALU_DST: OperandKind = OperandKind::new(
    "ALU destination",
    Style::Plain,
    &[
        form(Tag::Reg, Size::B16, 8).select(0x100, 0).flags(&[flag(CACHE, 9)]),
        form(Tag::Reg, Size::B32, 8).select(0x101, 0x100).flags(&[flag(CACHE, 9)]),
        form(Tag::Reg, Size::B32, 8).select(0x101, 0x101).flags(&[flag(CACHE, 9)]).implies(WIDE),
    ],
);

/// ALU destination that may be 64 bits wide: size32 with an odd index means 64 bits at the index below.
pub const ALU_DST64: OperandKind = OperandKind::new(
    "ALU destination up to 64 bits",
    Style::Plain,
    &[
        form(Tag::Reg, Size::B16, 8).select(0x100, 0).flags(&[flag(CACHE, 9)]),
        form(Tag::Reg, Size::B32, 8).select(0x101, 0x100).flags(&[flag(CACHE, 9)]),
        form(Tag::Reg, Size::B64, 8).select(0x101, 0x101).flags(&[flag(CACHE, 9)]),
    ],
);

/// 16-bit destination. Raw: half index 0..8, cache 8.
pub const DST16: OperandKind =
    OperandKind::new("16-bit destination", Style::Plain, &[REG16.flags(&[flag(CACHE, 8)])]);

/// 32-bit destination. Raw: half index 0..8, cache 8.
pub const DST32: OperandKind =
    OperandKind::new("32-bit destination", Style::Plain, &[REG32.flags(&[flag(CACHE, 8)])]);

/// Register with a size bit and no hint. Raw: half index 0..8, size32 8.
pub const SIZED: OperandKind = OperandKind::new(
    "sized register",
    Style::Plain,
    &[form(Tag::Reg, Size::B16, 8).select(0x100, 0), form(Tag::Reg, Size::B32, 8).select(0x101, 0x100)],
);

/// 32-bit destination that may be absent. Raw: half index 0..8, present 8.
pub const OPTIONAL32: OperandKind = OperandKind::new(
    "optional 32-bit destination",
    Style::Plain,
    &[NONE.select(0x100, 0), form(Tag::Reg, Size::B32, 8).select(0x101, 0x100)],
);

/// Destination with a size bit that may be absent. Raw: half index 0..8, present 8, size32 9.
pub const OPTIONAL_SIZED: OperandKind = OperandKind::new(
    "optional destination",
    Style::Plain,
    &[
        NONE.select(0x300, 0),
        form(Tag::Reg, Size::B16, 8).select(0x300, 0x100),
        form(Tag::Reg, Size::B32, 8).select(0x301, 0x300),
    ],
);

/// 32-bit register by half index.
pub const REGISTER32: OperandKind = OperandKind::new("32-bit register", Style::Plain, &[REG32]);

/// 16-bit register by half index.
pub const REGISTER16: OperandKind = OperandKind::new("16-bit register", Style::Plain, &[REG16]);

/// 32-bit register by register number.
pub const REGISTER_NUMBER: OperandKind =
    OperandKind::new("32-bit register number", Style::Plain, &[form(Tag::Reg, Size::B32, 7).scaled(1)]);

const ALU_IMM: Form = IMM8.select(0xf00, 0);
const ALU_U16: Form = form(Tag::Uniform, Size::B16, 9).select(0xe00, 0x400);
const ALU_U32: Form = form(Tag::Uniform, Size::B32, 9).select(0xe01, 0x600);
const ALU_R16: Form = REG16.select(0xc00, 0).hint(8);
const ALU_R32: Form = REG16.sized(Size::B32).select(0xc01, 0x800).hint(8);
const ALU_R32_AS_64: Form = REG16.sized(Size::B32).select(0xc01, 0xc00).hint(8).implies(WIDE);
const ALU_R16_AS_32: Form = REG16.select(0xc01, 0x800).hint(8).implies(WIDE);
const ALU_R64: Form = REG16.sized(Size::B64).select(0xc01, 0xc00).hint(8);

impl Form {
    const fn sized(mut self, size: Size) -> Form {
        self.size = size;
        self
    }
}

/// Integer source of 16 or 32 bits. Raw: value 0..8, flags t0 t1 t2 t3 at 8..12.
pub const ALU_SRC: OperandKind = OperandKind::new(
    "ALU source",
    Style::Plain,
    &[ALU_R32, ALU_IMM, ALU_U32, ALU_R16, ALU_U16, ALU_R32_AS_64],
);

/// Integer source of 16 bits (shuffle indices).
pub const ALU_SRC16: OperandKind =
    OperandKind::new("16-bit ALU source", Style::Plain, &[ALU_R16, ALU_IMM, ALU_U16, ALU_R16_AS_32]);

const SX12: &[FlagBit] = &[flag(SX, 12)];

/// Multiplier source: as an ALU source, with sign extension at raw bit 12.
pub const MUL_SRC: OperandKind = OperandKind::new(
    "multiplier source",
    Style::Plain,
    &[
        ALU_R32.flags(SX12),
        ALU_IMM.flags(SX12),
        ALU_U32.flags(SX12),
        ALU_R16.flags(SX12),
        ALU_U16.flags(SX12),
        ALU_R32_AS_64.flags(SX12),
    ],
);

/// Adder source: a multiplier source that may be a 64-bit register.
pub const ADD_SRC: OperandKind = OperandKind::new(
    "adder source",
    Style::Plain,
    &[
        ALU_R32.flags(SX12),
        ALU_IMM.flags(SX12),
        ALU_U32.flags(SX12),
        ALU_R64.flags(SX12),
        ALU_R16.flags(SX12),
        ALU_U16.flags(SX12),
    ],
);

const ABS_NEG12: &[FlagBit] = &[flag(ABS, 12), flag(NEG, 13)];
const ABS_NEG11: &[FlagBit] = &[flag(ABS, 11), flag(NEG, 12)];

/// Float source of 16 or 32 bits. Raw: as an ALU source, abs 12, neg 13.
pub const FLOAT_SRC: OperandKind = OperandKind::new(
    "float source",
    Style::Float,
    &[
        ALU_R32.flags(ABS_NEG12),
        ALU_IMM.flags(ABS_NEG12),
        ALU_U32.flags(ABS_NEG12),
        ALU_R16.flags(ABS_NEG12),
        ALU_U16.flags(ABS_NEG12),
        ALU_R32_AS_64.flags(ABS_NEG12),
    ],
);

/// Half-float source. Raw: value 0..8, three flags 8..11, abs 11, neg 12.
pub const HALF_SRC: OperandKind = OperandKind::new(
    "half source",
    Style::Float,
    &[
        REG16.select(0x400, 0).hint(8).flags(ABS_NEG11),
        IMM8.select(0x700, 0).flags(ABS_NEG11),
        form(Tag::Uniform, Size::B16, 9).select(0x600, 0x400).flags(ABS_NEG11),
    ],
);

/// Bit 8 of the instruction is the size of the destination, and of both results a select chooses from.
const SIZE32: u128 = 1 << 8;

/// A value of a select: raw bits of the destination's size. Raw: value 0..8, three flags 8..11.
pub const SELECT_SRC: OperandKind = OperandKind::new(
    "select source",
    Style::Plain,
    &[
        REG16.sized(Size::B32).select(0x401, 0).hint(8).context(SIZE32, SIZE32),
        IMM8.select(0x700, 0x400),
        REG16.select(0x400, 0).hint(8).context(SIZE32, 0),
        form(Tag::Uniform, Size::B32, 9).select(0x601, 0x600).context(SIZE32, SIZE32),
        form(Tag::Uniform, Size::B16, 9).select(0x600, 0x600).context(SIZE32, 0),
    ],
);

/// 64-bit base address. Raw: half index 0..8 (even), uniform 8. Only the low half of the uniform file is reachable.
pub const MEMORY_BASE: OperandKind = OperandKind::new(
    "memory base",
    Style::Plain,
    &[form(Tag::Reg, Size::B64, 8).select(0x101, 0), form(Tag::Uniform, Size::B64, 8).select(0x101, 0x100)],
);

/// Index or byte offset. Raw: value 0..16, immediate 16, zero-extend 17.
///
/// A register without `SX` is zero-extended. An immediate is signed, with `ZX` unsigned.
pub const MEMORY_INDEX: OperandKind = OperandKind::new(
    "memory index",
    Style::Plain,
    &[
        form(Tag::Imm, Size::B32, 16).signed().select(0x3_0000, 0x1_0000),
        form(Tag::Reg, Size::B32, 8).select(0x1_ff01, 0).flags(&[FlagBit { flag: SX, bit: 17, set: false }]),
        form(Tag::Imm, Size::B32, 16).select(0x3_0000, 0x3_0000).implies(ZX),
    ],
);

/// Half-word of the uniform file to store to. Raw: value 0..16, immediate 16, zero-extend 17.
pub const UNIFORM_INDEX: OperandKind = OperandKind::new(
    "uniform-file index",
    Style::Plain,
    &[
        form(Tag::Uniform, Size::B16, 9).select(0x3_fe00, 0x1_0000),
        form(Tag::Reg, Size::B32, 8).select(0x1_ff01, 0).flags(&[FlagBit { flag: SX, bit: 17, set: false }]),
    ],
);

/// Base of local memory. Raw: half index 0..8, then bit 8 (index bit 8 of a uniform, or "zero"), uniform 9.
pub const LOCAL_BASE: OperandKind = OperandKind::new(
    "local-memory base",
    Style::Plain,
    &[
        REG16.select(0x300, 0),
        form(Tag::Imm, Size::B32, 0).select(0x3ff, 0x100),
        form(Tag::Uniform, Size::B16, 9).select(0x200, 0x200),
    ],
);

/// Index into local memory. Raw: value 0..16, immediate 16.
pub const LOCAL_INDEX: OperandKind = OperandKind::new(
    "local-memory index",
    Style::Plain,
    &[form(Tag::Imm, Size::B32, 16).signed().select(0x1_0000, 0x1_0000), REG16.select(0x1_ff00, 0)],
);

/// Texture-state register, 7 bits.
pub const TEXTURE_STATE: OperandKind =
    OperandKind::new("texture-state register", Style::Plain, &[form(Tag::TextureState, Size::B32, 7)]);

/// Sampler-state register, 7 bits.
pub const SAMPLER_STATE: OperandKind =
    OperandKind::new("sampler-state register", Style::Plain, &[form(Tag::SamplerState, Size::B32, 7)]);

/// 64-bit uniform base in steps of two 64-bit registers.
pub const HEAP_BASE: OperandKind =
    OperandKind::new("heap base", Style::Plain, &[form(Tag::Uniform, Size::B64, 5).scaled(2)]);

/// Byte offset of a descriptor. Raw: 31 bits, immediate 31.
pub const HEAP_OFFSET: OperandKind = OperandKind::new(
    "heap offset",
    Style::Plain,
    &[
        form(Tag::Reg, Size::B32, 8).select(0xffff_ff01, 0),
        form(Tag::Imm, Size::B32, 31).select(0x8000_0000, 0x8000_0000),
    ],
);

/// Coordinate vector. Raw: half index 0..8, 16-bit 8, last use 9.
pub const COORDINATES: OperandKind = OperandKind::new(
    "coordinates",
    Style::Plain,
    &[
        form(Tag::Reg, Size::B32, 8).select(0x101, 0).flags(&[flag(DISCARD, 9)]),
        form(Tag::Reg, Size::B16, 8).select(0x100, 0x100).flags(&[flag(DISCARD, 9)]),
    ],
);

const LOD_MODE: u128 = 0xf << 52;
const fn lod_mode(mode: u128) -> u128 {
    mode << 52
}

/// Level of detail, bias or gradients, depending on the LOD mode at bits 52..56: nothing, 16-bit uniforms,
/// 16-bit registers or 32-bit gradient vectors.
pub const LOD: OperandKind = OperandKind::new(
    "level of detail",
    Style::Plain,
    &[
        form(Tag::None, Size::B32, 0).context(LOD_MODE, lod_mode(0)),
        form(Tag::Uniform, Size::B16, 8).context(LOD_MODE, lod_mode(1)),
        form(Tag::Uniform, Size::B16, 8).context(LOD_MODE, lod_mode(2)),
        form(Tag::Uniform, Size::B16, 8).context(LOD_MODE, lod_mode(9)),
        form(Tag::Reg, Size::B16, 8).context(LOD_MODE, lod_mode(5)),
        form(Tag::Reg, Size::B16, 8).context(LOD_MODE, lod_mode(6)),
        form(Tag::Reg, Size::B16, 8).context(LOD_MODE, lod_mode(13)),
        REG32.context(LOD_MODE, lod_mode(4)),
        REG32.context(LOD_MODE, lod_mode(12)),
    ],
);

/// Texture: a state register, a 16-bit register holding its number, or a 32-bit byte offset from the heap base.
/// Raw: value 0..8, kind 8..10.
pub const TEXTURE: OperandKind = OperandKind::new(
    "texture",
    Style::Plain,
    &[
        form(Tag::TextureState, Size::B32, 8).select(0x300, 0),
        REG16.select(0x300, 0x100),
        form(Tag::Reg, Size::B32, 8).select(0x301, 0x300),
    ],
);

const BINDLESS: u128 = 3 << 38;

/// Heap base of a bindless texture (texture kind 3 at bits 38..40), absent otherwise.
pub const TEXTURE_HEAP: OperandKind = OperandKind::new(
    "texture heap base",
    Style::Plain,
    &[
        form(Tag::Uniform, Size::B64, 5).scaled(2).context(BINDLESS, BINDLESS),
        form(Tag::None, Size::B32, 0).context(BINDLESS, 0),
        form(Tag::None, Size::B32, 0).context(BINDLESS, 1 << 38),
    ],
);

/// Sampler: a state register or a 16-bit register holding its number. Raw: value 0..8, register 8.
pub const SAMPLER: OperandKind = OperandKind::new(
    "sampler",
    Style::Plain,
    &[form(Tag::SamplerState, Size::B32, 8).select(0x100, 0), REG16.select(0x100, 0x100)],
);

const COMPARE: u128 = 1 << 23;
const OFFSET: u128 = 1 << 91;

/// Shadow reference and packed texel offset: a 32-bit register if there is a comparison (followed by the
/// offset), a 16-bit one for an offset alone.
pub const COMPARE_OFFSET: OperandKind = OperandKind::new(
    "reference and offset",
    Style::Plain,
    &[
        form(Tag::None, Size::B32, 0).context(COMPARE | OFFSET, 0),
        REG16.context(COMPARE | OFFSET, OFFSET),
        REG32.context(COMPARE, COMPARE),
    ],
);

/// Level of an image. Raw: value 0..8, immediate 8.
pub const IMAGE_LOD: OperandKind =
    OperandKind::new("image level", Style::Plain, &[IMM8.select(0x100, 0x100), REG16.select(0x100, 0)]);

/// Pixel coordinates, two 16-bit registers, or absent for the pixel of the thread. Raw: half index 0..8, explicit 8.
pub const TILE_COORDINATES: OperandKind =
    OperandKind::new("tile coordinates", Style::Plain, &[NONE.select(0x100, 0), REG16.select(0x100, 0x100)]);

/// Sample mask of tile access. Raw: value 0..8, register 8.
pub const SAMPLE_MASK: OperandKind =
    OperandKind::new("sample mask", Style::Plain, &[IMM8.select(0x100, 0), REG16.select(0x100, 0x100)]);

/// Sample mask of coverage operations. Raw: value 0..8, immediate 8 (the opposite of tile access).
pub const DISCARD_MASK: OperandKind =
    OperandKind::new("coverage mask", Style::Plain, &[IMM8.select(0x100, 0x100), REG16.select(0x100, 0)]);

const DEPTH: u128 = 1 << 29;

/// Depth (32 bits) then stencil (16 bits), or stencil alone.
pub const DEPTH_STENCIL: OperandKind = OperandKind::new(
    "depth and stencil",
    Style::Plain,
    &[REG16.context(DEPTH, 0), REG32.context(DEPTH, DEPTH)],
);

/// Output slot of a varying. Raw: value 0..8, immediate 8.
pub const SLOT: OperandKind =
    OperandKind::new("output slot", Style::Plain, &[IMM8.select(0x100, 0x100), REG16.select(0x100, 0)]);

/// Coefficient register, or a 16-bit register holding its number. Raw: value 0..8, register 8.
pub const COEFFICIENT: OperandKind = OperandKind::new(
    "coefficient",
    Style::Plain,
    &[form(Tag::Coefficient, Size::B32, 8).select(0x100, 0), REG16.select(0x100, 0x100)],
);

/// Coefficient register by number only.
pub const COEFFICIENT_NUMBER: OperandKind =
    OperandKind::new("coefficient number", Style::Plain, &[form(Tag::Coefficient, Size::B32, 8)]);

const INTERPOLATION: u128 = 3 << 48;

/// Sample number of an interpolation, depending on the interpolation mode at bits 48..50.
pub const SAMPLE_INDEX: OperandKind = OperandKind::new(
    "sample index",
    Style::Plain,
    &[
        form(Tag::None, Size::B32, 0).context(INTERPOLATION, 0),
        IMM8.context(INTERPOLATION, 1 << 48),
        form(Tag::None, Size::B32, 0).context(INTERPOLATION, 2 << 48),
        REG16.context(INTERPOLATION, 3 << 48),
    ],
);

/// Address or descriptor registers of asynchronous copies. Raw: number 0..N, uniform at the top bit of 7 or 9.
pub const COPY_REGISTER: OperandKind = OperandKind::new(
    "copy register",
    Style::Plain,
    &[form(Tag::Reg, Size::B64, 6).select(0x41, 0), form(Tag::Uniform, Size::B64, 6).select(0x41, 0x40)],
);

/// First descriptor register of an asynchronous copy. Raw: half index 0..8, uniform 8.
pub const COPY_DESCRIPTOR: OperandKind = OperandKind::new(
    "copy descriptor",
    Style::Plain,
    &[form(Tag::Reg, Size::B32, 8).select(0x101, 0), form(Tag::Uniform, Size::B32, 8).select(0x101, 0x100)],
);

const NUMBER_FORMS: &[Form] = &[form(Tag::Imm, Size::B32, 32)];
const SIGNED_FORMS: &[Form] = &[form(Tag::Imm, Size::B32, 32).signed()];

/// An unsigned number written after its name.
pub const NUMBER: OperandKind = OperandKind::number("number", Style::Number);
/// An unsigned integer in operand position.
pub const INTEGER: OperandKind = OperandKind::number("integer", Style::Integer);
/// A signed integer in operand position.
pub const SIGNED: OperandKind = OperandKind::new("signed integer", Style::Integer, SIGNED_FORMS);
/// One bit, written as a suffix if set.
pub const FLAG: OperandKind = OperandKind::number("flag", Style::Flag);
/// Component mask, bit 0 = x.
pub const COMPONENTS: OperandKind = OperandKind::number("component mask", Style::Components);
/// Signed distance in bytes from the first byte of the instruction.
pub const TARGET: OperandKind = OperandKind::new("branch target", Style::Target, SIGNED_FORMS);
/// Special-register number.
pub const SPECIAL: OperandKind = OperandKind::number("special register", Style::Special);

/// A number with names.
pub const fn names(names: &'static [&'static str]) -> OperandKind {
    OperandKind::number("choice", Style::Names(names))
}
