//! Operands: sources with swizzle and modifiers; destinations with masks, clamps and predicates.

use agx_tgsi::{
    Detail, Dst, File, Index, Indirect, Instruction, Opcode, Saturate, Src as Source, Type as Kind,
};

use super::program::Program;
use super::registers::{Component, Number, equals, reachable, select};
use crate::error::{CompileError, TgsiError};
use crate::frontend::four;
use crate::frontend::kit::{Kit, buffers};
use crate::ir::build::alu::IntCond;
use crate::ir::{Arithmetic, Build, Src, Type};

/// Descriptor set of constant buffers.
const CONSTANTS: u32 = 0;

/// Sign bit of a word.
const SIGN: u32 = 1 << 31;

/// How an operand's bits are interpreted.
fn kind_of(opcode: Opcode, number: usize) -> Kind {
    use Opcode::*;
    match (opcode, number) {
        (Ldexp | Dldexp, 1) | (InterpSample, 1) | (ReadInvoc, 1) | (Tg4, 1) | (SampleIMs, 2) => Kind::Signed,
        (U64shl | I64shr | U64shr, 1) | (Ucmp, 0) | (Atomfadd, 1) => Kind::Unsigned,
        (Store | Load, _) => Kind::Bits,
        _ => opcode.info().takes,
    }
}

impl Program<'_> {
    /// A component of a source with its modifiers, 32 bits.
    pub fn fetch(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        number: usize,
        component: u8,
    ) -> Src {
        let Some(src) = instruction.srcs.get(number) else { return Src::imm32(0) };
        let kind = kind_of(instruction.opcode, number);
        let word = self.raw(kit, src, component);
        modified(kit, word, src, kind)
    }

    /// The components in `mask` of a source; others are zero.
    pub fn fetch_mask(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        number: usize,
        mask: u8,
    ) -> [Src; 4] {
        std::array::from_fn(|component| match mask & 1 << component {
            0 => Src::imm32(0),
            _ => self.fetch(kit, instruction, number, component as u8),
        })
    }

    /// All components of a source.
    pub fn fetch_all(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction, number: usize) -> [Src; 4] {
        self.fetch_mask(kit, instruction, number, 0xf)
    }

    /// A 64-bit pair of a source, xy or zw, with its modifiers.
    pub fn fetch_pair(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        number: usize,
        pair: u8,
    ) -> Src {
        let Some(src) = instruction.srcs.get(number) else { return Src::imm(0, 64) };
        let words = [pair << 1, pair << 1 | 1].map(|component| self.raw(kit, src, component));
        let mut joined = join(kit, words);
        match kind_of(instruction.opcode, number) {
            Kind::Double => {
                joined = if src.absolute { kit.b.fabs(joined) } else { joined };
                if src.negate { kit.b.fneg(joined) } else { joined }
            }
            _ if src.negate => kit.b.ineg(joined),
            _ => joined,
        }
    }

    /// A component of a source's register, after the swizzle.
    pub fn raw(&self, kit: &mut Kit<'_, '_>, src: &Source, component: u8) -> Src {
        let component = four::of(src.swizzle, component);
        let number = self.register_number(kit, src.file, src.index);
        match src.file {
            File::Constant | File::ConstantBuffer => self.constant(kit, src.dimension, number, component),
            File::Immediate => self.immediate(kit, number, component),
            File::ImmediateArray => self.immediate_array(kit, number, component),
            File::Input | File::SystemValue => self.input(kit, src.file, number, component),
            file => match self.file(file) {
                Some(registers) => registers.read(kit, Component { number, component }),
                None => Src::imm32(0),
            },
        }
    }

    /// The register number that an index yields.
    pub fn number(&self, kit: &mut Kit<'_, '_>, index: Index) -> Number {
        let Some(indirect) = index.indirect else {
            return Number::Fixed(u32::try_from(index.offset).unwrap_or(u32::MAX));
        };
        let base = self.address_value(kit, indirect);
        Number::Computed(kit.b.iadd(base, Src::imm32(index.offset as u32)))
    }

    /// The register number that an index yields, clamped to the array that the index names, or else to the
    /// file. Constants are not clamped: out of range, they read as zeros.
    pub fn register_number(&self, kit: &mut Kit<'_, '_>, file: File, index: Index) -> Number {
        let number = self.number(kit, index);
        let Number::Computed(computed) = number else { return number };
        match reachable(self.shader, file, index.array) {
            Some((first, last)) if !matches!(file, File::Constant | File::ConstantBuffer) => {
                let from_first = kit.b.isub(computed, Src::imm32(first));
                let within = kit.b.umin(from_first, Src::imm32(last.saturating_sub(first)));
                Number::Computed(kit.b.iadd(within, Src::imm32(first)))
            }
            _ => number,
        }
    }

    fn address_value(&self, kit: &mut Kit<'_, '_>, indirect: Indirect) -> Src {
        let source = Source {
            file: indirect.file,
            dimension: None,
            index: Index::fixed(indirect.index),
            swizzle: [indirect.component; 4],
            negate: false,
            absolute: false,
            place: agx_tgsi::Place::default(),
        };
        self.raw(kit, &source, 0)
    }

    /// A component of a vector of a constant buffer.
    fn constant(
        &self,
        kit: &mut Kit<'_, '_>,
        dimension: Option<Index>,
        number: Number,
        component: u8,
    ) -> Src {
        let buffer = dimension.map_or(Number::Fixed(0), |index| self.number(kit, index));
        let of = |kit: &mut Kit<'_, '_>, binding: u32| {
            let buffer = buffers::Buffer::uniform(kit, CONSTANTS, binding);
            let number = match number {
                Number::Fixed(number) => {
                    return four::of(buffers::load_vec4(kit, buffer, Src::imm32(number)), component);
                }
                Number::Computed(number) => number,
            };
            // Undeclared registers read as zeros, as in Direct3D 9; the driver binds the declared ones.
            let count = self.constant_count(binding);
            let exists = kit.b.icmp(IntCond::ULT, number, Src::imm32(count));
            let within = kit.b.umin(number, Src::imm32(count.saturating_sub(1)));
            let word = four::of(buffers::load_vec4(kit, buffer, within), component);
            kit.b.select(exists, word, Src::imm32(0))
        };
        match buffer {
            Number::Fixed(binding) => of(kit, binding),
            Number::Computed(buffer) => {
                let declared =
                    self.shader.of_file(File::Constant).filter_map(|declaration| declaration.dimension);
                let count = declared.max().unwrap_or(0).saturating_add(1);
                select(kit, buffer, count, of)
            }
        }
    }

    /// Number of registers of a constant buffer up to the last declared one.
    fn constant_count(&self, buffer: u32) -> u32 {
        let declared = self.shader.of_file(File::Constant).chain(self.shader.of_file(File::ConstantBuffer));
        let of_buffer = declared.filter(|declaration| declaration.dimension.unwrap_or(0) == buffer);
        of_buffer.map(|declaration| declaration.range.last.saturating_add(1)).max().unwrap_or(0)
    }

    fn immediate(&self, kit: &mut Kit<'_, '_>, number: Number, component: u8) -> Src {
        let immediates = &self.shader.immediates;
        let word = |at: u32| immediates.get(at as usize).map_or(0, |each| four::of(each.words, component));
        match number {
            Number::Fixed(number) => Src::imm32(word(number)),
            Number::Computed(number) => {
                select(kit, number, immediates.len() as u32, |_, at| Src::imm32(word(at)))
            }
        }
    }

    fn immediate_array(&self, kit: &mut Kit<'_, '_>, number: Number, component: u8) -> Src {
        let word = |at: u32| {
            let found = self.shader.of_file(File::ImmediateArray).find_map(|declaration| {
                let Detail::Values(values) = &declaration.detail else { return None };
                values.get(at.checked_sub(declaration.range.first)? as usize)
            });
            found.map_or(0, |value| four::of(*value, component))
        };
        match number {
            Number::Fixed(number) => Src::imm32(word(number)),
            Number::Computed(number) => {
                let count = self.shader.size_of(File::ImmediateArray);
                select(kit, number, count, |_, at| Src::imm32(word(at)))
            }
        }
    }

    fn input(&self, kit: &mut Kit<'_, '_>, file: File, number: Number, component: u8) -> Src {
        let word = |at: u32| {
            let words = self.inputs.get(&(file, at));
            words.and_then(|words| four::of(*words, component)).unwrap_or(Src::imm32(0))
        };
        match number {
            Number::Fixed(number) => word(number),
            Number::Computed(number) => select(kit, number, self.shader.size_of(file), |_, at| word(at)),
        }
    }

    /// Writes a result to the components of the destination's mask that are present.
    pub fn store(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction, value: [Option<Src>; 4]) {
        let Some(dst) = instruction.dsts.first() else { return };
        let clamped = value.map(|word| word.map(|word| clamp(kit, instruction.saturate, word)));
        self.store_to(kit, instruction, dst, clamped);
    }

    /// Writes one word to all components of the mask.
    pub fn replicate(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction, word: Src) {
        self.store(kit, instruction, [Some(word); 4]);
    }

    /// Writes components without clamping them.
    pub fn store_to(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        dst: &Dst,
        value: [Option<Src>; 4],
    ) {
        let Some(registers) = self.file(dst.file) else { return };
        let number = self.register_number(kit, dst.file, dst.index);
        for component in written(dst.mask) {
            let Some(word) = four::of(value, component) else { continue };
            let at = Component { number, component };
            let word = match self.allowed(kit, instruction, component) {
                Some(allowed) => {
                    let old = registers.read(kit, at);
                    kit.b.select(allowed, word, old)
                }
                None => word,
            };
            registers.write(kit, at, word);
        }
    }

    /// Whether the instruction's predicate enables a component: a boolean.
    fn allowed(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction, component: u8) -> Option<Src> {
        let predicate = instruction.predicate?;
        let component = four::of(predicate.swizzle, component);
        let at = Component { number: Number::Fixed(predicate.index), component };
        let word = self.file(File::Predicate)?.read(kit, at);
        let condition = if predicate.negate { IntCond::EQ } else { IntCond::NE };
        Some(kit.b.icmp(condition, word, Src::imm32(0)))
    }

    /// Address registers: ARL, ARR, UARL, ARA, PUSHA, POPA.
    pub fn address(&mut self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        match instruction.opcode {
            Opcode::Pusha => {
                let first = kit.vars.add(&[32; 4]);
                for component in 0..4 {
                    let word = self.fetch(kit, instruction, 0, component);
                    kit.vars.write(&kit.b, first.at(component.into()), word);
                }
                self.stack.push(first);
            }
            Opcode::Popa => {
                let first = self.stack.pop().ok_or_else(|| {
                    CompileError::from(TgsiError::Feature {
                        what: "POPA without a preceding PUSHA in the text",
                        why: "the stack is resolved at compile time",
                    })
                })?;
                let value = [0, 1, 2, 3].map(|at| Some(kit.vars.read(&mut kit.b, first.at(at))));
                self.store(kit, instruction, value);
            }
            Opcode::Ara => {
                let [x, y, z, w] = self.fetch_all(kit, instruction, 0);
                let (first, second) = (kit.b.iadd(x, z), kit.b.iadd(y, w));
                self.store(kit, instruction, [first, second, first, second].map(Some));
            }
            opcode => {
                let mask = instruction.dsts.first().map_or(0, |dst| dst.mask);
                let words = self.fetch_mask(kit, instruction, 0, mask);
                let value = words.map(|word| {
                    let rounded = match opcode {
                        Opcode::Arl => kit.b.floor(word),
                        Opcode::Arr => kit.b.rint(word),
                        _ => return Some(word),
                    };
                    Some(kit.b.float_to_int(rounded, true, 32))
                });
                self.store(kit, instruction, value);
            }
        }
        Ok(())
    }

    /// The candidates of an index among several resources: a known one, or each with the condition that it is
    /// selected.
    pub fn choices(&self, kit: &mut Kit<'_, '_>, number: Number, count: u32) -> Vec<(u32, Option<Src>)> {
        match number {
            Number::Fixed(number) => vec![(number, None)],
            Number::Computed(number) => (0..count).map(|at| (at, Some(equals(kit, number, at)))).collect(),
        }
    }
}

/// The components of a mask.
pub(super) fn written(mask: u8) -> impl Iterator<Item = u8> {
    (0..4).filter(move |component| mask & 1 << component != 0)
}

/// Two words combined into 64 bits.
pub(super) fn join(kit: &mut Kit<'_, '_>, words: [Src; 2]) -> Src {
    if let [Some(low), Some(high)] = words.map(|word| word.as_imm()) {
        return Src::imm(low & 0xffff_ffff | high << 32, 64);
    }
    kit.b.collect(Type::B64, &words)
}

/// 64 bits as two words.
pub(super) fn halves(kit: &mut Kit<'_, '_>, wide: Src) -> [Src; 2] {
    if let Some(bits) = wide.as_imm() {
        return [Src::imm32(bits as u32), Src::imm32((bits >> 32) as u32)];
    }
    kit.b.split_into(wide, Type::B32)
}

/// A word with its operand's absolute value and negation applied.
fn modified(kit: &mut Kit<'_, '_>, word: Src, src: &Source, kind: Kind) -> Src {
    match kind {
        Kind::Float => {
            let word = if src.absolute { kit.b.fabs(word) } else { word };
            if src.negate { kit.b.fneg(word) } else { word }
        }
        Kind::Bits => {
            let word = if src.absolute { kit.b.and(word, Src::imm32(!SIGN)) } else { word };
            if src.negate { kit.b.xor(word, Src::imm32(SIGN)) } else { word }
        }
        _ if src.negate => kit.b.ineg(word),
        _ => word,
    }
}

/// A float clamped according to `_SAT` and `_SATNV`; NaN becomes the lower bound.
pub(super) fn clamp(kit: &mut Kit<'_, '_>, saturate: Saturate, word: Src) -> Src {
    match saturate {
        Saturate::No => word,
        Saturate::ZeroOne => kit.b.fsat(word),
        Saturate::MinusOneOne => {
            let above = kit.b.fmax(word, Src::f32(-1.0));
            kit.b.fmin(above, Src::f32(1.0))
        }
    }
}
