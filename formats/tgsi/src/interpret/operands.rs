//! Registers: reads sources with their modifiers, and writes destinations under masks and predicates.

use super::{Machine, Resource, Vector};
use crate::model::{Dst, Index, Indirect, Instruction, Saturate, Src};
use crate::names::File;
use crate::opcode::{Opcode, Type};

/// The type of an operand.
fn type_of(instruction: &Instruction, number: usize) -> Type {
    use Opcode::*;
    let opcode = instruction.opcode;
    match (opcode, number) {
        (Ldexp | Dldexp, 1) => Type::Signed,
        (U64shl | I64shr | U64shr, 1) => Type::Unsigned,
        (Ucmp, 0) => Type::Unsigned,
        (InterpSample, 1) | (ReadInvoc, 1) | (Tg4, 1) | (SampleIMs, 2) => Type::Signed,
        (Store | Load, _) => Type::Bits,
        (Atomfadd, 1) => Type::Unsigned,
        _ => opcode.info().takes,
    }
}

/// Index of a file among the temporaries of an invocation.
fn temporary(file: File) -> Option<usize> {
    match file {
        File::Temporary => Some(0),
        File::HalfTemporary => Some(1),
        File::TemporaryArray => Some(2),
        _ => None,
    }
}

impl Machine<'_, '_> {
    /// The value of an address register.
    fn address_value(&self, lane: usize, indirect: Indirect) -> i64 {
        let register = self.register(lane, indirect.file, 0, i64::from(indirect.index));
        i64::from(register[usize::from(indirect.component)] as i32)
    }

    /// The value of an index.
    pub(super) fn index(&self, lane: usize, index: Index) -> i64 {
        let base = index.indirect.map_or(0, |indirect| self.address_value(lane, indirect));
        base + i64::from(index.offset)
    }

    /// The register number for an index. A computed number is clamped to the array that the index names, or
    /// else to the file. The world handles constants that are out of range.
    pub(super) fn register_number(&self, lane: usize, file: File, index: Index) -> i64 {
        let number = self.index(lane, index);
        if index.indirect.is_none() || matches!(file, File::Constant | File::ConstantBuffer) {
            return number;
        }
        let array = index.array;
        let named = self.shader.of_file(file).find(|known| array != 0 && known.array == Some(array));
        let (first, last) = match (file, named) {
            (File::Immediate, _) => (0, self.shader.immediates.len() as i64 - 1),
            (_, Some(known)) => (i64::from(known.range.first), i64::from(known.range.last)),
            (_, None) => (0, i64::from(self.shader.size_of(file)) - 1),
        };
        if (first..=last).contains(&number) { number } else { last }
    }

    fn register(&self, lane: usize, file: File, dimension: i64, number: i64) -> Vector {
        let state = &self.lanes[lane];
        let from = |registers: &[Vector]| {
            usize::try_from(number).ok().and_then(|at| registers.get(at)).copied().unwrap_or_default()
        };
        let unsigned = u32::try_from(number).unwrap_or(u32::MAX);
        match file {
            File::Constant | File::ConstantBuffer => {
                self.world.constant(u32::try_from(dimension).unwrap_or(u32::MAX), number)
            }
            File::Input => self.world.input(lane, unsigned),
            File::SystemValue => self.world.system(lane, unsigned),
            File::Output => from(&state.outputs),
            File::Address => from(&state.addresses),
            File::Predicate => from(&state.predicates),
            File::Immediate => {
                let at = usize::try_from(number).ok();
                at.and_then(|at| self.shader.immediates.get(at)).map_or([0; 4], |immediate| immediate.words)
            }
            File::ImmediateArray => self.immediate_array(number),
            _ => temporary(file).map_or([0; 4], |at| from(&state.temporaries[at])),
        }
    }

    fn immediate_array(&self, number: i64) -> Vector {
        let found =
            self.shader.of_file(File::ImmediateArray).find_map(|declaration| match &declaration.detail {
                crate::model::Detail::Values(values) => {
                    let at = usize::try_from(number - i64::from(declaration.range.first)).ok()?;
                    values.get(at).copied()
                }
                _ => None,
            });
        found.unwrap_or_default()
    }

    /// The value of a source before its swizzle.
    fn raw(&self, lane: usize, src: &Src) -> Vector {
        let dimension = src.dimension.map_or(0, |index| self.index(lane, index));
        self.register(lane, src.file, dimension, self.register_number(lane, src.file, src.index))
    }

    /// The value of a source after swizzle and modifiers.
    pub(super) fn fetch(&self, lane: usize, instruction: &Instruction, number: usize) -> Vector {
        let Some(src) = instruction.srcs.get(number) else { return [0; 4] };
        modify(self.raw(lane, src), src, type_of(instruction, number))
    }

    /// The resource of an operand.
    pub(super) fn resource(
        &self,
        lane: usize,
        file: File,
        dimension: Option<Index>,
        index: Index,
    ) -> Resource {
        let buffer = dimension.map_or(0, |dimension| self.index(lane, dimension));
        let clamp = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
        Resource { file, buffer: clamp(buffer), number: clamp(self.index(lane, index)) }
    }

    /// Writes a result to a destination, clamped by the instruction's saturation.
    pub(super) fn store(&mut self, lane: usize, instruction: &Instruction, number: usize, value: Vector) {
        let Some(dst) = instruction.dsts.get(number) else { return };
        let value = value.map(|word| saturate(instruction, word));
        self.store_bits(lane, instruction, dst, dst.mask, value);
    }

    /// Writes the components of a mask, without clamping.
    pub(super) fn store_bits(
        &mut self,
        lane: usize,
        instruction: &Instruction,
        dst: &Dst,
        mask: u8,
        value: Vector,
    ) {
        let at = usize::try_from(self.register_number(lane, dst.file, dst.index)).unwrap_or(usize::MAX);
        let allowed = self.allowed(lane, instruction);
        let state = &mut self.lanes[lane];
        let registers = match dst.file {
            File::Output => &mut state.outputs,
            File::Address => &mut state.addresses,
            File::Predicate => &mut state.predicates,
            file => match temporary(file) {
                Some(number) => &mut state.temporaries[number],
                None => return,
            },
        };
        let Some(register) = registers.get_mut(at) else { return };
        for component in (0..4).filter(|component| mask & allowed & 1 << component != 0) {
            register[component] = value[component];
        }
    }

    /// The components for which the instruction's predicate is true.
    fn allowed(&self, lane: usize, instruction: &Instruction) -> u8 {
        let Some(predicate) = instruction.predicate else { return 0xf };
        let register = self.register(lane, File::Predicate, 0, i64::from(predicate.index));
        let is_set = |component: usize| {
            let word = register[usize::from(predicate.swizzle[component])];
            (word != 0) != predicate.negate
        };
        (0..4).filter(|component| is_set(*component)).fold(0, |mask, component| mask | 1 << component)
    }

    /// Executes ARL, ARR, UARL, ARA, PUSHA and POPA.
    pub(super) fn address(&mut self, instruction: &Instruction, active: &[usize]) {
        for lane in active.iter().copied() {
            let a = self.fetch(lane, instruction, 0);
            let float = |word: u32| f32::from_bits(word);
            let value = match instruction.opcode {
                Opcode::Arl => a.map(|word| float(word).floor() as i32 as u32),
                Opcode::Arr => a.map(|word| float(word).round_ties_even() as i32 as u32),
                Opcode::Ara => {
                    let (x, y) = (a[0].wrapping_add(a[2]), a[1].wrapping_add(a[3]));
                    [x, y, x, y]
                }
                Opcode::Pusha => {
                    self.lanes[lane].stack.extend(a);
                    continue;
                }
                Opcode::Popa => {
                    let stack = &mut self.lanes[lane].stack;
                    let mut value = [0; 4];
                    for component in value.iter_mut().rev() {
                        *component = stack.pop().unwrap_or(0);
                    }
                    value
                }
                _ => a,
            };
            self.store(lane, instruction, 0, value);
        }
    }
}

/// Swizzle, absolute value and sign.
pub(super) fn modify(register: Vector, src: &Src, kind: Type) -> Vector {
    let mut value = src.swizzle.map(|component| register[usize::from(component & 3)]);
    match kind {
        Type::Float | Type::Bits => {
            for word in &mut value {
                *word = if src.absolute { *word & !SIGN } else { *word };
                *word = if src.negate { *word ^ SIGN } else { *word };
            }
        }
        Type::Signed | Type::Unsigned => {
            for word in &mut value {
                *word = if src.negate { word.wrapping_neg() } else { *word };
            }
        }
        Type::Double => {
            for word in [1, 3] {
                let word = &mut value[word];
                *word = if src.absolute { *word & !SIGN } else { *word };
                *word = if src.negate { *word ^ SIGN } else { *word };
            }
        }
        Type::Signed64 | Type::Unsigned64 if src.negate => {
            for pair in [0, 2] {
                let bits = super::wide::join(value, pair).wrapping_neg();
                (value[pair], value[pair + 1]) = (bits as u32, (bits >> 32) as u32);
            }
        }
        Type::Signed64 | Type::Unsigned64 => {}
    }
    value
}

const SIGN: u32 = 1 << 31;

/// Clamps a component by the instruction's saturation; a NaN becomes the lower bound.
fn saturate(instruction: &Instruction, word: u32) -> u32 {
    let low = match instruction.saturate {
        Saturate::No => return word,
        Saturate::ZeroOne => 0.0f32,
        Saturate::MinusOneOne => -1.0,
    };
    let value = f32::from_bits(word);
    let clamped = if value > low { value.min(1.0) } else { low };
    clamped.to_bits()
}
