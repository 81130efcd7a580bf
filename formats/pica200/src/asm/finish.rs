//! Final steps: addresses of procedures, and numbers of descriptors.

use super::operand::integer;
use super::place::Name;
use super::{AsmCause, AsmError, Assembled, Assembler, Item, Place, Reference, Unit};
use crate::container::Container;
use crate::descriptor::Descriptor;
use crate::opcode::{Field, Format, Opcode};
use crate::program::{MAX_CODE, MAX_DESCRIPTORS, Output, Program, Semantic, Stage};
use crate::register::{Dest, Source};

/// Number of descriptors that a multiply-add can encode.
const NARROW: usize = 32;

type Result<T> = std::result::Result<T, AsmError>;

impl Assembler<'_> {
    /// Checks that a text is complete.
    pub(super) fn close_unit(&mut self, source_index: usize) -> Result<()> {
        if let Some(block) = self.blocks.last() {
            return Err(AsmError { place: block.place, cause: AsmCause::Open });
        }
        let mut unit = std::mem::take(&mut self.unit);
        if unit.sets_emission && !unit.is_vertex {
            unit.shader.stage = Stage::Geometry;
        }
        unit.place = Place { source_index, ..Place::default() };
        self.units.push(unit);
        Ok(())
    }

    /// The address of a label or procedure, or the number after `@`.
    fn address(&self, name: &Name) -> Result<usize> {
        let failed = |cause| AsmError { place: name.place, cause };
        if let Some(number) = name.text.strip_prefix('@') {
            let address = integer(number).map_err(|fault| failed(fault.cause))?;
            let fits = usize::try_from(address).ok().filter(|address| *address < 2 * MAX_CODE);
            return fits.ok_or_else(|| {
                let (what, expected) = ("address", "a number below 8192");
                failed(AsmCause::Unknown { what, text: name.text.clone(), expected })
            });
        }
        let procedure = self.procedures.get(&name.text).map(|(start, _)| *start);
        let found = procedure.or_else(|| self.labels.get(&name.text).copied());
        found.ok_or_else(|| undefined("procedure or label", name))
    }

    /// The range an instruction refers to: start and length.
    fn range(&self, item: &Item, opcode: Opcode) -> Result<Option<(usize, usize)>> {
        match &item.reference {
            Reference::None => Ok(None),
            Reference::Range(name, end) => {
                let (first, end) = (self.address(name)?, self.address(end)?);
                let what = "first instruction of a range";
                let length = end.checked_sub(first).ok_or(AsmError {
                    place: name.place,
                    cause: AsmCause::Limit { what, count: first, limit: end },
                })?;
                Ok(Some((first, length)))
            }
            Reference::Name(name) if opcode.desc().format == Format::Loop => {
                Ok(Some((self.address(name)?, 0)))
            }
            Reference::Name(name) if matches!(opcode, Opcode::Jmpc | Opcode::Jmpu) => {
                Ok(Some((self.address(name)?, 0)))
            }
            Reference::Name(name) => match self.procedures.get(&name.text) {
                Some(range) => Ok(Some(*range)),
                None => Err(undefined("procedure", name)),
            },
        }
    }

    /// Numbers the descriptors. Multiply-adds come first, because they can encode only 32 numbers.
    fn number_descriptors(&mut self) -> Result<Vec<Descriptor>> {
        let mut table = std::mem::take(&mut self.descriptors);
        let given = table.len();
        let is_narrow = |item: &Item| {
            let format = item.inst.map(|inst| inst.opcode.desc().format);
            matches!(format, Some(Format::MultiplyAdd | Format::MultiplyAddInverted))
        };
        for narrow in [true, false] {
            let limit = if narrow { NARROW } else { MAX_DESCRIPTORS };
            for item in self.items.iter_mut().filter(|item| is_narrow(item) == narrow) {
                let (Some(descriptor), Some(inst)) = (item.descriptor, item.inst) else { continue };
                let number = match item.fixed {
                    Some(number) => number,
                    None => find_or_add(&mut table, descriptor, relevant(inst.opcode), given),
                };
                let number = Some(number).filter(|number| *number < limit);
                let count = table.len();
                let what = if narrow { "operand descriptors of `mad`" } else { "operand descriptors" };
                let cause = AsmCause::Limit { what, count, limit };
                let number = number.ok_or(AsmError { place: item.place, cause })?;
                item.inst = Some(inst.with(Field::Descriptor, number as u16));
                item.fixed = Some(number);
            }
        }
        for item in &self.items {
            check_fixed(item, &table)?;
        }
        Ok(table)
    }

    /// Assembles the container.
    pub(super) fn finish(mut self) -> Result<Assembled> {
        let descriptors = self.number_descriptors()?;
        let code = self.items.iter().map(|item| self.word_of(item)).collect::<Result<Vec<u32>>>()?;
        let whole = |cause| AsmError { place: Place::default(), cause };
        if code.is_empty() && descriptors.is_empty() {
            return Err(whole(AsmCause::Empty));
        }
        if code.len() > MAX_CODE {
            let cause = AsmCause::Limit { what: "instructions", count: code.len(), limit: MAX_CODE };
            return Err(whole(cause));
        }
        let places = self.items.iter().map(|item| item.place).collect();
        let program = Program { code, descriptors };
        let mut container = Container { program, shaders: Vec::new() };
        for mut unit in std::mem::take(&mut self.units) {
            if unit.no_shader {
                continue;
            }
            let (start, end) = self.entry_range(&unit, container.program.code.len())?;
            (unit.shader.entry, unit.shader.end) = (start as u32, end as u32);
            (unit.shader.input_mask, unit.shader.output_mask) = masks(&container.program, unit.shader.entry);
            // As in picasso, only shaders with uniforms of their own merge their outputs.
            let is_dummy = |output: &Output| output.semantic == Semantic::Dummy;
            unit.shader.merges_outputs =
                unit.used.has_own_uniforms() && unit.shader.outputs.iter().any(is_dummy);
            container.shaders.push(unit.shader);
        }
        Ok(Assembled { container, places, warnings: self.statement.warnings })
    }

    /// Start and end of the entry: the named procedure, or `main`, or all of a text without procedures.
    fn entry_range(&self, unit: &Unit, words: usize) -> Result<(usize, usize)> {
        let main = Name { text: "main".to_owned(), place: unit.place };
        let name = match &unit.entry {
            Some((start, Some(end))) => return Ok((self.address(start)?, self.address(end)?)),
            Some((name, None)) => name,
            None => &main,
        };
        match self.procedures.get(&name.text) {
            Some((start, size)) => match start.checked_add(*size) {
                Some(end) => Ok((*start, end)),
                None => Err(AsmError {
                    place: name.place,
                    cause: AsmCause::Limit { what: "instructions", count: *size, limit: MAX_CODE },
                }),
            },
            None if unit.entry.is_none() && self.procedures.is_empty() => {
                Ok((self.labels.get("main").copied().unwrap_or(0), words))
            }
            None => Ok((self.address(name)?, words)),
        }
    }

    fn word_of(&self, item: &Item) -> Result<u32> {
        let Some(mut inst) = item.inst else { return Ok(item.word) };
        let limit = |what, count, limit| {
            let cause = AsmCause::Limit { what, count, limit };
            AsmError { place: item.place, cause }
        };
        if let Some((start, length)) = self.range(item, inst.opcode)? {
            if start > 0xfff {
                return Err(limit("address", start, 0xfff));
            }
            inst = inst.with(Field::Target, start as u16);
            if length > 0xff {
                return Err(limit("instructions of a range", length, 0xff));
            }
            if matches!(inst.opcode.desc().format, Format::Call | Format::Conditional | Format::Uniform)
                && inst.opcode != Opcode::Jmpu
            {
                inst = inst.with(Field::Count, length as u16);
            }
        }
        Ok(inst.encode())
    }
}

/// An undefined name.
fn undefined(what: &'static str, name: &Name) -> AsmError {
    AsmError { place: name.place, cause: AsmCause::Undefined { what, name: name.text.clone() } }
}

/// The bits of a descriptor that an instruction reads.
fn relevant(opcode: Opcode) -> u32 {
    let bits = Descriptor::relevant(opcode.desc().format.sources());
    if opcode == Opcode::Cmp { bits & !0xf } else { bits }
}

/// The index of the first descriptor with equal relevant bits; appends one if there is none.
fn find_or_add(table: &mut Vec<Descriptor>, wanted: Descriptor, relevant: u32, given: usize) -> usize {
    let agrees = |known: &Descriptor| (known.0 ^ wanted.0) & relevant == 0;
    if let Some(index) = table.iter().position(agrees) {
        return index;
    }
    debug_assert!(table.len() >= given, "the table only grows");
    let index = table.len();
    table.push(wanted);
    index
}

/// Checks that an instruction with an explicit descriptor number agrees with that descriptor.
fn check_fixed(item: &Item, table: &[Descriptor]) -> Result<()> {
    let (Some(descriptor), Some(inst), Some(number)) = (item.descriptor, item.inst, item.fixed) else {
        return Ok(());
    };
    let known = table.get(number);
    if known.is_some_and(|known| (known.0 ^ descriptor.0) & relevant(inst.opcode) == 0) {
        return Ok(());
    }
    let cause = AsmCause::Unknown {
        what: "descriptor",
        text: format!("{{{number}}}"),
        expected: "one that has the mask and selectors of the operands",
    };
    Err(AsmError { place: item.place, cause })
}

/// Inputs that reachable instructions read, and outputs that they write.
fn masks(program: &Program, entry: u32) -> (u16, u16) {
    let reached = crate::validate::reachable(program, entry);
    let (mut inputs, mut outputs) = (0, 0);
    for (address, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
        let Some(inst) = program.inst(address as u32) else { continue };
        for number in 1..=3 {
            if let Some(Source::Input(index)) = inst.source(number) {
                inputs |= 1 << index;
            }
        }
        if let Some(Dest::Output(index)) = inst.dest() {
            outputs |= 1 << index;
        }
    }
    (inputs, outputs)
}
