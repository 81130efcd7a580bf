//! Instructions.

use super::operand::{File, Register, comparison, condition, integer};
use super::{AsmCause, Assembler, Block, BlockKind, Fault, Reference, Result, split_operands, unknown};
use crate::descriptor::Descriptor;
use crate::inst::Inst;
use crate::opcode::{Field, Format, Opcode};
use crate::register::Dest;

/// A wrong number of operands.
fn count(name: &str, operands: &[&str], expected: &'static str) -> Fault {
    AsmCause::Operands { name: name.to_owned(), expected, found: operands.len() }.at(name)
}

/// An operand that its position does not allow.
fn misplaced<T>(text: &str, what: &'static str, expected: &'static str) -> Result<T> {
    Err(AsmCause::Place { text: text.to_owned(), what, expected }.at(text))
}

/// Splits `{n}` off the end of an instruction's operands.
fn split_fixed(rest: &str) -> Result<(&str, Option<usize>)> {
    let Some((operands, number)) = rest.strip_suffix('}').and_then(|rest| rest.rsplit_once('{')) else {
        return Ok((rest, None));
    };
    let text = number.trim();
    let number = integer(text)?;
    let limit = crate::program::MAX_DESCRIPTORS;
    match usize::try_from(number).ok().filter(|number| *number < limit) {
        Some(number) => Ok((operands.trim(), Some(number))),
        None => unknown("descriptor", text, "a number below 128"),
    }
}

impl Assembler<'_> {
    /// Parses an instruction.
    pub(super) fn instruction(&mut self, name: &str, rest: &str) -> Result<()> {
        let Some(opcode) = Opcode::by_name(name) else {
            return unknown("instruction", name, "an instruction of the PICA200");
        };
        let (rest, fixed) = split_fixed(rest)?;
        let operands = split_operands(rest);
        match opcode.desc().format {
            Format::Plain if operands.is_empty() => self.push(Inst::new(opcode), None, Reference::None),
            Format::Plain => return Err(count(name, &operands, "no")),
            Format::AddressMove => self.address_move(name, &operands)?,
            Format::Compare => self.compare(name, &operands)?,
            format if format.has_descriptor() => self.arithmetic(name, opcode, &operands)?,
            Format::Break => {
                let [tested] = operands.as_slice() else { return Err(count(name, &operands, "one")) };
                self.push(condition(Inst::new(opcode), tested)?, None, Reference::None);
            }
            Format::SetEmit => self.set_emit(name, &operands)?,
            Format::Call => self.call(Inst::new(opcode), name, &operands)?,
            Format::Loop => self.open_loop(name, &operands)?,
            _ => self.conditional(name, opcode, &operands)?,
        }
        if let Some(item) = self.items.last_mut() {
            item.fixed = fixed;
        }
        Ok(())
    }

    /// Parses a source operand and sets its part of the descriptor.
    fn source(&self, text: &str, number: usize, descriptor: &mut Descriptor) -> Result<Register> {
        let register = self.register(text)?;
        if register.source_number().is_none() {
            return misplaced(text, "a source", "an input, a temporary or a float uniform");
        }
        *descriptor =
            descriptor.with_selector(number, register.selector).with_negation(number, register.negated);
        Ok(register)
    }

    /// Puts a source into its field; only the wide one can name a uniform.
    fn place(inst: Inst, number: usize, register: Register, text: &str) -> Result<Inst> {
        let wide = inst.opcode.desc().format.wide_source() == Some(number);
        if !wide && register.is_wide() {
            return misplaced(text, "a narrow source", "an input or a temporary");
        }
        let value = register.source_number().unwrap_or_default();
        let field = match number {
            1 => Field::Src1,
            2 => Field::Src2,
            _ => Field::Src3,
        };
        let inst = inst.with(field, value.into());
        Ok(if wide { inst.with(Field::Address, register.address.into()) } else { inst })
    }

    fn arithmetic(&mut self, name: &str, opcode: Opcode, operands: &[&str]) -> Result<()> {
        let sources = opcode.desc().format.sources();
        let Some((target, texts)) = operands.split_first().filter(|(_, texts)| texts.len() == sources) else {
            let expected = match sources {
                1 => "two",
                2 => "three",
                _ => "four",
            };
            return Err(count(name, operands, expected));
        };
        let dest = self.register(target)?;
        let number = match dest.file {
            File::Output => Dest::Output(dest.index).number(),
            File::Temporary => Dest::Temporary(dest.index).number(),
            _ => return misplaced(target, "a destination", "an output or a temporary"),
        };
        self.statement.check_order(target, dest);
        let mut descriptor = Descriptor(0).with_mask(dest.mask);
        let mut registers = Vec::with_capacity(sources);
        for (number, text) in (1..).zip(texts) {
            registers.push(self.source(text, number, &mut descriptor)?);
        }
        // The other source becomes the wide one if the last names a uniform and the one before it does not.
        let is_wide = |back: usize| {
            registers.len().checked_sub(back).and_then(|at| registers.get(at)).is_some_and(|r| r.is_wide())
        };
        let opcode = match opcode.inverted() {
            Some(inverted) if is_wide(1) && !is_wide(2) => inverted,
            _ => opcode,
        };
        let mut inst = Inst::new(opcode).with(Field::Dst, number.into());
        for (number, (register, text)) in (1..).zip(registers.into_iter().zip(texts)) {
            inst = Assembler::place(inst, number, register, text)?;
        }
        self.push(inst, Some(descriptor), Reference::None);
        Ok(())
    }

    fn address_move(&mut self, name: &str, operands: &[&str]) -> Result<()> {
        let [target, text] = operands else { return Err(count(name, operands, "two")) };
        let mask = match target.to_ascii_lowercase().as_str() {
            "a0" | "a0.x" => [true, false, false, false],
            "a1" | "a0.y" => [false, true, false, false],
            "a01" | "a0.xy" => [true, true, false, false],
            _ => return unknown("address register", target, "`a0.x`, `a0.y` or `a0.xy`"),
        };
        let mut descriptor = Descriptor(0).with_mask(mask);
        let register = self.source(text, 1, &mut descriptor)?;
        let inst = Assembler::place(Inst::new(Opcode::Mova), 1, register, text)?;
        self.push(inst, Some(descriptor), Reference::None);
        Ok(())
    }

    fn compare(&mut self, name: &str, operands: &[&str]) -> Result<()> {
        let [left, x, y, right] = operands else { return Err(count(name, operands, "four")) };
        let mut descriptor = Descriptor(0);
        let first = self.source(left, 1, &mut descriptor)?;
        let second = self.source(right, 2, &mut descriptor)?;
        let inst = Inst::new(Opcode::Cmp)
            .with(Field::CompareX, comparison(x)?)
            .with(Field::CompareY, comparison(y)?);
        let inst = Assembler::place(inst, 1, first, left)?;
        let inst = Assembler::place(inst, 2, second, right)?;
        self.push(inst, Some(descriptor), Reference::None);
        Ok(())
    }

    fn set_emit(&mut self, name: &str, operands: &[&str]) -> Result<()> {
        let ([text] | [text, _]) = operands else { return Err(count(name, operands, "one or two")) };
        let vertex = integer(text)?;
        if !(0..=3).contains(&vertex) {
            return unknown("vertex", text, "0 to 3");
        }
        let mut inst = Inst::new(Opcode::Setemit).with(Field::Vertex, vertex as u16);
        for flag in operands.get(1).into_iter().flat_map(|flags| flags.split_whitespace()) {
            inst = match flag.to_ascii_lowercase().as_str() {
                "prim" | "primitive" => inst.with(Field::Primitive, 1),
                "inv" | "invert" => inst.with(Field::Winding, 1),
                _ => return unknown("flag", flag, "`prim` or `inv`"),
            };
        }
        self.unit.sets_emission = true;
        self.push(inst, None, Reference::None);
        Ok(())
    }

    /// The procedure or range in a call's last operands.
    fn call(&mut self, inst: Inst, name: &str, operands: &[&str]) -> Result<()> {
        let reference = match operands {
            [procedure] => Reference::Name(self.statement.name(procedure)),
            [first, end] => Reference::Range(self.statement.name(first), self.statement.name(end)),
            _ => return Err(count(name, operands, "a procedure, or first and end address, as")),
        };
        self.push(inst, None, reference);
        Ok(())
    }

    fn open_loop(&mut self, name: &str, operands: &[&str]) -> Result<()> {
        let ([uniform] | [uniform, _]) = operands else { return Err(count(name, operands, "one or two")) };
        let inst = Inst::new(Opcode::Loop).with(Field::Int, self.int_uniform(uniform)?);
        match operands.get(1) {
            Some(last) => self.push(inst, None, Reference::Name(self.statement.name(last))),
            None => self.open(BlockKind::Loop, inst),
        }
        Ok(())
    }

    /// Appends the instruction that opens a block.
    fn open(&mut self, kind: BlockKind, inst: Inst) {
        self.blocks.push(Block::new(kind, self.items.len(), "", self.statement.place));
        self.push(inst, None, Reference::None);
    }

    /// Calls, ifs and jumps on a condition or a boolean uniform.
    fn conditional(&mut self, name: &str, opcode: Opcode, operands: &[&str]) -> Result<()> {
        let Some((tested, places)) = operands.split_first().filter(|(_, places)| places.len() <= 2) else {
            return Err(count(name, operands, "one to three"));
        };
        let mut inst = Inst::new(opcode);
        inst = if opcode.desc().format == Format::Conditional {
            condition(inst, tested)?
        } else {
            let negated = tested.strip_prefix('!').filter(|_| opcode == Opcode::Jmpu);
            let uniform = self.bool_uniform(negated.unwrap_or(tested).trim())?;
            inst.with(Field::Bool, uniform).with(Field::Count, negated.is_some().into())
        };
        match opcode {
            Opcode::Ifu | Opcode::Ifc if places.is_empty() => {
                self.open(BlockKind::If, inst);
                Ok(())
            }
            Opcode::Jmpc | Opcode::Jmpu => {
                let [place] = places else { return Err(count(name, operands, "two")) };
                self.push(inst, None, Reference::Name(self.statement.name(place)));
                Ok(())
            }
            Opcode::Ifu | Opcode::Ifc if places.len() != 2 => Err(count(name, operands, "one or three")),
            _ if places.is_empty() => Err(count(name, operands, "two or three")),
            _ => self.call(inst, name, places),
        }
    }
}
