//! Registers: variables, or stack memory if an address register selects them at run time.

use agx_tgsi::{File, Index, Instruction, Shader};

use crate::error::{CompileError, KitError};
use crate::frontend::kit::Kit;
use crate::frontend::kit::limits::MAX_SCRATCH_BYTES;
use crate::ir::{Arithmetic, Build, IrOp, Src, Type};
use crate::ssa::Variable;

/// Size of a register in bytes.
const REGISTER_BYTES: u32 = 16;

/// Registers kept in stack memory because they are indexed dynamically.
#[derive(Clone, Copy, Debug)]
struct Array {
    first: u32,
    last: u32,
    /// First byte on the stack.
    base: u32,
}

/// The registers of a file that a program writes.
pub(super) struct RegisterFile {
    file: File,
    /// Four variables for each register.
    first: Variable,
    count: u32,
    array: Option<Array>,
}

/// A component of a register.
#[derive(Clone, Copy)]
pub(super) struct Component {
    /// The register: a known number, or one that is computed, 32 bits.
    pub number: Number,
    /// The component.
    pub component: u8,
}

/// The number of a register.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Number {
    /// Known.
    Fixed(u32),
    /// Computed, 32 bits.
    Computed(Src),
}

impl RegisterFile {
    /// The registers of a file that the program declares.
    ///
    /// # Errors
    /// Too much stack memory.
    pub fn new(kit: &mut Kit<'_, '_>, shader: &Shader, file: File) -> Result<RegisterFile, CompileError> {
        let count = shader.size_of(file);
        let first = kit.vars.add(&vec![32; (count as usize).saturating_mul(4)]);
        let mut array = None;
        // Outputs and address registers are few, so selections suffice.
        let is_memory = matches!(file, File::Temporary | File::TemporaryArray | File::HalfTemporary);
        if let Some((first, last)) = indirect_range(shader, file).filter(|_| is_memory) {
            let bytes = last.saturating_sub(first).saturating_add(1).saturating_mul(REGISTER_BYTES);
            let base = kit.memory.take_stack(bytes);
            if kit.memory.scratch_bytes > MAX_SCRATCH_BYTES {
                return Err(KitError::IndexedRegisters { most: MAX_SCRATCH_BYTES }.into());
            }
            array = Some(Array { first, last, base });
        }
        Ok(RegisterFile { file, first, count, array })
    }

    /// The file.
    pub fn file(&self) -> File {
        self.file
    }

    fn word(&self, number: u32, component: u8) -> Variable {
        self.first.at(number << 2).at(component.into())
    }

    /// The variable of a component.
    pub fn variable(&self, number: u32, component: u8) -> Option<Variable> {
        (number < self.count).then(|| self.word(number, component))
    }

    /// Whether a component has been written anywhere so far.
    pub fn is_written(&self, kit: &Kit<'_, '_>, number: u32, component: u8) -> bool {
        self.variable(number, component).is_some_and(|variable| kit.vars.is_written(variable))
    }

    /// Reads a component; zero if the register does not exist.
    pub fn read(&self, kit: &mut Kit<'_, '_>, at: Component) -> Src {
        match at.number {
            Number::Fixed(number) => {
                if let Some(array) = self.array_of(number) {
                    let offset = Src::imm32(array.offset(number, at.component));
                    return load(kit, offset);
                }
                match self.variable(number, at.component) {
                    Some(variable) => kit.vars.read(&mut kit.b, variable),
                    None => Src::imm32(0),
                }
            }
            Number::Computed(number) => match self.array {
                Some(array) => {
                    let offset = array.computed(kit, number, at.component);
                    load(kit, offset)
                }
                None => self.select(kit, number, at.component),
            },
        }
    }

    /// Writes a component.
    pub fn write(&self, kit: &mut Kit<'_, '_>, at: Component, value: Src) {
        match at.number {
            Number::Fixed(number) => {
                if let Some(array) = self.array_of(number) {
                    let offset = Src::imm32(array.offset(number, at.component));
                    kit.b.effect(IrOp::StoreScratch, &[value, offset], &[]);
                } else if let Some(variable) = self.variable(number, at.component) {
                    kit.vars.write(&kit.b, variable, value);
                }
            }
            Number::Computed(number) => match self.array {
                Some(array) => {
                    let offset = array.computed(kit, number, at.component);
                    kit.b.effect(IrOp::StoreScratch, &[value, offset], &[]);
                }
                None => self.write_selected(kit, number, at.component, value),
            },
        }
    }

    fn array_of(&self, number: u32) -> Option<Array> {
        self.array.filter(|array| (array.first..=array.last).contains(&number))
    }

    /// A component of the register with a computed number, selected among all.
    fn select(&self, kit: &mut Kit<'_, '_>, number: Src, component: u8) -> Src {
        let each = |kit: &mut Kit<'_, '_>, at: u32| {
            let variable = self.word(at, component);
            kit.vars.read(&mut kit.b, variable)
        };
        select(kit, number, self.count, each)
    }

    fn write_selected(&self, kit: &mut Kit<'_, '_>, number: Src, component: u8, value: Src) {
        for at in 0..self.count {
            let variable = self.word(at, component);
            let old = kit.vars.read(&mut kit.b, variable);
            let is_here = equals(kit, number, at);
            let new = kit.b.select(is_here, value, old);
            kit.vars.write(&kit.b, variable, new);
        }
    }
}

impl Array {
    fn offset(self, number: u32, component: u8) -> u32 {
        let before = number.wrapping_sub(self.first).wrapping_mul(REGISTER_BYTES);
        self.base.wrapping_add(before).wrapping_add(u32::from(component) << 2)
    }

    /// The byte offset of a component of the register with a computed number within [`reachable`].
    fn computed(self, kit: &mut Kit<'_, '_>, number: Src, component: u8) -> Src {
        let from_first = kit.b.isub(number, Src::imm32(self.first));
        let byte = kit.b.shl(from_first, Src::imm32(REGISTER_BYTES.trailing_zeros()));
        kit.b.iadd(byte, Src::imm32(self.base.wrapping_add(u32::from(component) << 2)))
    }
}

fn load(kit: &mut Kit<'_, '_>, offset: Src) -> Src {
    Src::value(kit.b.value(IrOp::LoadScratch, Type::B32, &[offset], &[]))
}

/// Whether a computed number is `at`.
pub(super) fn equals(kit: &mut Kit<'_, '_>, number: Src, at: u32) -> Src {
    kit.b.icmp(crate::ir::build::alu::IntCond::EQ, number, Src::imm32(at))
}

/// The word for one of `count` items, selected by a computed number; the last one if it is out of range.
pub(super) fn select<'f, 'a>(
    kit: &mut Kit<'f, 'a>,
    number: Src,
    count: u32,
    mut each: impl FnMut(&mut Kit<'f, 'a>, u32) -> Src,
) -> Src {
    let mut result = Src::imm32(0);
    for at in (0..count).rev() {
        let word = each(kit, at);
        result = if at == count.saturating_sub(1) {
            word
        } else {
            let is_here = equals(kit, number, at);
            kit.b.select(is_here, word, result)
        };
    }
    result
}

/// Indices of a file in an instruction.
fn indices(instruction: &Instruction, file: File) -> impl Iterator<Item = Index> + '_ {
    let dsts = instruction.dsts.iter().map(|dst| (dst.file, dst.index));
    let srcs = instruction.srcs.iter().map(|src| (src.file, src.index));
    dsts.chain(srcs).filter(move |(found, _)| *found == file).map(|(_, index)| index)
}

/// First and last register of a file that computed addresses may reach: of the arrays that operands name, or
/// of the file.
pub(super) fn indirect_range(shader: &Shader, file: File) -> Option<(u32, u32)> {
    let mut range: Option<(u32, u32)> = None;
    let mut add = |first: u32, last: u32| {
        range = Some(range.map_or((first, last), |(low, high)| (low.min(first), high.max(last))));
    };
    for instruction in &shader.instructions {
        for index in indices(instruction, file).filter(|index| index.indirect.is_some()) {
            if let Some((first, last)) = reachable(shader, file, index.array) {
                add(first, last);
            }
        }
    }
    range
}

/// First and last register that a computed index may reach: of the array that it names, or of the file.
/// `None` if the file has no registers.
pub(super) fn reachable(shader: &Shader, file: File, array: u32) -> Option<(u32, u32)> {
    if file == File::Immediate {
        return Some((0, (shader.immediates.len() as u32).checked_sub(1)?));
    }
    let named = shader.of_file(file).find(|declaration| array != 0 && declaration.array == Some(array));
    match named {
        Some(declaration) => Some((declaration.range.first, declaration.range.last)),
        None => Some((0, shader.size_of(file).checked_sub(1)?)),
    }
}
