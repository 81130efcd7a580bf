//! Final steps: addresses of procedures, and numbers of descriptors.

use super::operand::integer;
use super::{AsmCause, AsmError, Assembler, Item, Reference, Result};
use crate::container::Container;
use crate::descriptor::Descriptor;
use crate::opcode::{Field, Format, Opcode};
use crate::program::{MAX_CODE, MAX_DESCRIPTORS, Program};
use crate::register::{Dest, Source};

/// Number of descriptors that a multiply-add can encode.
const NARROW: usize = 32;

impl Assembler {
    /// Checks that a text is complete.
    pub(super) fn close_unit(&mut self) -> Result<()> {
        if !self.blocks.is_empty() {
            return Err(AsmCause::Open);
        }
        self.units.push(std::mem::take(&mut self.unit));
        Ok(())
    }

    /// The address of a label or procedure, or the number after `@`.
    fn address(&self, name: &str) -> Result<usize> {
        if let Some(number) = name.strip_prefix('@') {
            let address = integer(number)?;
            let fits = usize::try_from(address).ok().filter(|address| *address < 2 * MAX_CODE);
            return fits.ok_or(AsmCause::Unknown {
                what: "address",
                text: name.to_owned(),
                expected: "a number below 8192",
            });
        }
        let procedure = self.procedures.get(name).map(|(start, _)| *start);
        let found = procedure.or_else(|| self.labels.get(name).copied());
        found.ok_or_else(|| AsmCause::Undefined { what: "procedure or label", name: name.to_owned() })
    }

    /// The range an instruction refers to: start and length.
    fn range(&self, item: &Item, opcode: Opcode) -> Result<Option<(usize, usize)>> {
        match &item.reference {
            Reference::None => Ok(None),
            Reference::Range(first, end) => {
                let (first, end) = (self.address(first)?, self.address(end)?);
                let length = end.checked_sub(first).ok_or(AsmCause::Limit {
                    what: "first instruction of a range",
                    count: first,
                    limit: end,
                })?;
                Ok(Some((first, length)))
            }
            Reference::Name(name) if opcode.desc().format == Format::Loop => {
                Ok(Some((self.address(name)?, 0)))
            }
            Reference::Name(name) if matches!(opcode, Opcode::Jmpc | Opcode::Jmpu) => {
                Ok(Some((self.address(name)?, 0)))
            }
            Reference::Name(name) => match self.procedures.get(name) {
                Some(range) => Ok(Some(*range)),
                None => Err(AsmCause::Undefined { what: "procedure", name: name.clone() }),
            },
        }
    }

    /// Numbers the descriptors. Multiply-adds come first, because they can encode only 32 numbers.
    fn number_descriptors(&mut self) -> std::result::Result<Vec<Descriptor>, AsmError> {
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
                let (source_index, line) = item.at;
                let number = number.ok_or(AsmError { source_index, line, cause })?;
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
    pub(super) fn finish(mut self) -> std::result::Result<Container, AsmError> {
        let descriptors = self.number_descriptors()?;
        let mut code = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let (source_index, line) = item.at;
            let word = self.word_of(item).map_err(|cause| AsmError { source_index, line, cause })?;
            code.push(word);
        }
        let whole = |cause| AsmError { source_index: 0, line: 0, cause };
        if code.len() > MAX_CODE {
            let cause = AsmCause::Limit { what: "instructions", count: code.len(), limit: MAX_CODE };
            return Err(whole(cause));
        }
        let program = Program { code, descriptors };
        let mut container = Container { program, shaders: Vec::new() };
        for (source_index, mut unit) in std::mem::take(&mut self.units).into_iter().enumerate() {
            if unit.no_shader {
                continue;
            }
            let range = self.entry_range(unit.entry.as_deref(), container.program.code.len());
            let (start, end) = range.map_err(|cause| AsmError { source_index, line: 0, cause })?;
            (unit.shader.entry, unit.shader.end) = (start as u32, end as u32);
            (unit.shader.input_mask, unit.shader.output_mask) = masks(&container.program, unit.shader.entry);
            unit.shader.merges_outputs =
                unit.shader.outputs.iter().any(|output| output.semantic == crate::Semantic::Dummy)
                    && unit.shader.stage == crate::Stage::Geometry;
            container.shaders.push(unit.shader);
        }
        Ok(container)
    }

    /// Start and end of the entry: the named procedure, or `main`, or all of a text without procedures.
    fn entry_range(&self, entry: Option<&str>, words: usize) -> Result<(usize, usize)> {
        if let Some((start, end)) = entry.and_then(|text| text.split_once(char::is_whitespace)) {
            return Ok((self.address(start.trim())?, self.address(end.trim())?));
        }
        let name = entry.unwrap_or("main");
        match self.procedures.get(name) {
            Some((start, size)) => match start.checked_add(*size) {
                Some(end) => Ok((*start, end)),
                None => Err(AsmCause::Limit { what: "instructions", count: *size, limit: MAX_CODE }),
            },
            None if entry.is_none() && self.procedures.is_empty() => {
                Ok((self.labels.get("main").copied().unwrap_or(0), words))
            }
            None => Ok((self.address(name)?, words)),
        }
    }

    fn word_of(&self, item: &Item) -> Result<u32> {
        let Some(mut inst) = item.inst else { return Ok(item.word) };
        if let Some((start, length)) = self.range(item, inst.opcode)? {
            if start > 0xfff {
                return Err(AsmCause::Limit { what: "address", count: start, limit: 0xfff });
            }
            inst = inst.with(Field::Target, start as u16);
            if length > 0xff {
                return Err(AsmCause::Limit { what: "instructions of a range", count: length, limit: 0xff });
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
fn check_fixed(item: &Item, table: &[Descriptor]) -> std::result::Result<(), AsmError> {
    let (Some(descriptor), Some(inst), Some(number)) = (item.descriptor, item.inst, item.fixed) else {
        return Ok(());
    };
    let known = table.get(number);
    if known.is_some_and(|known| (known.0 ^ descriptor.0) & relevant(inst.opcode) == 0) {
        return Ok(());
    }
    let (source_index, line) = item.at;
    let cause = AsmCause::Unknown {
        what: "descriptor",
        text: format!("{{{number}}}"),
        expected: "one that has the mask and selectors of the operands",
    };
    Err(AsmError { source_index, line, cause })
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
