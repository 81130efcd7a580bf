//! Directives.

use std::collections::BTreeMap;

use super::operand::{File, Register, integer, selector};
use super::place::Statement;
use super::{
    AsmCause, Assembler, Block, BlockKind, Item, NAME, Reference, Result, is_name, split_operands, unknown,
};
use crate::descriptor::Descriptor;
use crate::f24;
use crate::opcode::Field;
use crate::program::{
    BOOL_BASE, Constant, FLOAT_BASE, GeometryMode, INT_BASE, Output, Semantic, Stage, Uniform,
};

/// Registers that a text has allocated.
#[derive(Default)]
pub(super) struct Used {
    /// Mask of inputs.
    inputs: u16,
    /// Mask of outputs.
    outputs: u16,
    /// Constants allocated from the top of float and of integer uniforms.
    constants: [usize; 2],
    /// The uniforms of a geometry shader, which are not shared.
    own: Option<Shared>,
}

impl Used {
    /// Whether the uniforms are not shared with vertex shaders.
    pub fn has_own_uniforms(&self) -> bool {
        self.own.is_some()
    }

    /// The first free output register, with a mask.
    fn next_output(&self, mask: &str) -> Result<Register> {
        let index = self.outputs.trailing_ones() as usize;
        let limit = File::Output.size();
        if index >= limit {
            let cause = AsmCause::Limit { what: "outputs", count: index.saturating_add(1), limit };
            return Err(cause.into());
        }
        let (selector, mask) = selector(mask)?;
        Ok(Register { selector, mask, ..Register::plain(File::Output, index as u8) })
    }
}

/// Uniforms by name, with the first free register of each file.
#[derive(Default)]
pub(super) struct Shared {
    names: BTreeMap<String, (File, u8, usize)>,
    /// First free float, integer and boolean uniform.
    free: [usize; 3],
}

impl Shared {
    /// First free uniform of a file.
    fn free(&mut self, file: File) -> &mut usize {
        let [float, int, bool] = &mut self.free;
        match file {
            File::Int => int,
            File::Bool => bool,
            _ => float,
        }
    }
}

/// First and last of `size` registers from `first` on, as numbered in tables of uniforms.
fn numbers(file: File, first: u8, size: usize, what: &'static str) -> Result<(u16, u16)> {
    let base = match file {
        File::Int => INT_BASE,
        File::Bool => BOOL_BASE,
        File::Float => FLOAT_BASE,
        _ => 0,
    };
    let count = usize::from(first).saturating_add(size);
    let limit = file.size();
    let number = |register: usize| u16::try_from(register).ok()?.checked_add(base);
    let last = count.checked_sub(1).filter(|last| *last < limit);
    let range = number(first.into()).zip(last.and_then(number));
    range.ok_or(AsmCause::Limit { what, count, limit }.into())
}

/// Splits into name and the values in parentheses.
fn values(text: &str) -> Result<(&str, Vec<&str>)> {
    let parts = text.split_once('(').and_then(|(name, rest)| Some((name.trim(), rest.strip_suffix(')')?)));
    match parts {
        Some((name, inside)) => {
            let parts = split_operands(inside);
            if parts.len() == 4 {
                return Ok((name, parts));
            }
            Err(AsmCause::Operands { name: name.to_owned(), expected: "four", found: parts.len() }.at(text))
        }
        None => unknown("constant", text, "a name and four numbers in parentheses"),
    }
}

fn floats(parts: &[&str]) -> Result<[f32; 4]> {
    let mut vector = [0.0; 4];
    for (slot, text) in vector.iter_mut().zip(parts) {
        // As in C, the suffix of single precision may follow the number.
        let number = text.strip_suffix(['f', 'F']).filter(|number| number.ends_with(is_part_of_number));
        *slot = number.unwrap_or(text).parse().or_else(|_| unknown("number", text, "a float"))?;
    }
    Ok(vector)
}

/// An operand of a directive whose operands are separated by blanks: as in picasso, a comma may follow it.
fn without_comma(text: &str) -> &str {
    text.trim_end_matches(',')
}

/// The bytes of an integer uniform: as in picasso, the low eight bits of each number.
fn ints(statement: &mut Statement<'_>, parts: &[&str]) -> Result<[u8; 4]> {
    let mut vector = [0; 4];
    for (slot, text) in vector.iter_mut().zip(parts) {
        let value = integer(text)?;
        *slot = value as u8;
        if !(-128..=255).contains(&value) {
            statement.warn(text, format!("only the low eight bits of `{text}` count: {slot}"));
        }
    }
    Ok(vector)
}

fn is_part_of_number(c: char) -> bool {
    c.is_ascii_digit() || c == '.'
}

/// Parses `name[size] register`; size and register are optional, and blanks may be inside the brackets.
fn declaration(text: &str) -> Result<(&str, usize, Option<&str>)> {
    let blank = text.find(char::is_whitespace).unwrap_or(text.len());
    let end = match (text.find('['), text.find(']')) {
        (Some(open), Some(close)) if open < blank => close.saturating_add(1),
        _ => blank,
    };
    let (head, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let register = Some(rest.trim()).filter(|rest| !rest.is_empty());
    let (name, size) = match head.split_once('[') {
        None => (head, 1),
        Some((name, size)) => {
            let size = integer(size.trim_end_matches(']').trim())?;
            let fits = usize::try_from(size).ok().filter(|size| (1..=96).contains(size));
            (name, fits.map_or_else(|| unknown("size", text, "1 to 96"), Ok)?)
        }
    };
    if is_name(name) { Ok((name, size, register)) } else { unknown("name", name, NAME) }
}

impl Assembler<'_> {
    /// Parses a directive without its point.
    pub(super) fn directive(&mut self, name: &str, rest: &str) -> Result<()> {
        match name.to_ascii_lowercase().as_str() {
            "proc" => self.procedure(rest),
            "else" => self.other(),
            "end" => self.end(),
            "alias" => self.alias(rest),
            "fvec" => self.uniforms(rest, File::Float),
            "ivec" => self.uniforms(rest, File::Int),
            "bool" => self.uniforms(rest, File::Bool),
            "constf" | "consti" => self.constant(rest, name.ends_with(['i', 'I'])),
            "constfa" => self.array(rest),
            "setf" | "seti" => self.set(rest),
            "setb" => self.set_bool(rest),
            "in" => self.input(rest),
            "out" => self.output(rest),
            "entry" => self.entry(rest),
            "gsh" => self.geometry(rest),
            "vsh" if rest.is_empty() => {
                self.unit.is_vertex = true;
                Ok(())
            }
            "nodvle" => {
                self.unit.no_shader = true;
                Ok(())
            }
            "nonop" => {
                self.unit.no_padding = true;
                Ok(())
            }
            "word" => self.word(rest),
            "opdesc" => self.descriptor(rest),
            _ => unknown("directive", name, "a directive of picasso, `.word`, `.opdesc`, `.vsh` or `.nonop`"),
        }
    }

    fn word(&mut self, rest: &str) -> Result<()> {
        for text in rest.split_whitespace() {
            let word = integer(text)?;
            let word = u32::try_from(word).or_else(|_| unknown("word", text, "32 bits"))?;
            let (inst, descriptor, fixed, reference) = (None, None, None, Reference::None);
            let place = self.statement.place_of(text);
            self.items.push(Item { inst, word, descriptor, fixed, reference, place });
            self.after_block = false;
        }
        Ok(())
    }

    fn descriptor(&mut self, rest: &str) -> Result<()> {
        for text in rest.split_whitespace() {
            let bits = integer(text)?;
            let bits = u32::try_from(bits).or_else(|_| unknown("descriptor", text, "32 bits"))?;
            self.descriptors.push(Descriptor(bits));
        }
        Ok(())
    }

    fn procedure(&mut self, name: &str) -> Result<()> {
        if !is_name(name) {
            return unknown("name", name, NAME);
        }
        if self.procedures.contains_key(name) {
            return Err(AsmCause::Duplicate(name.to_owned()).at(name));
        }
        let start = self.items.len();
        self.blocks.push(Block::new(BlockKind::Procedure, start, name, self.statement.place));
        Ok(())
    }

    fn other(&mut self) -> Result<()> {
        let open = self.blocks.last().filter(|block| block.kind == BlockKind::If && block.other.is_none());
        let start = open.map(|block| block.start).ok_or(AsmCause::Unmatched(".else"))?;
        self.pad(BlockKind::If, start);
        let at = self.items.len();
        if let Some(block) = self.blocks.last_mut() {
            block.other = Some(at);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let block = self.blocks.pop().ok_or(AsmCause::Unmatched(".end"))?;
        if block.kind == BlockKind::Array {
            return self.close_array(&block.name, block.other);
        }
        self.pad(block.kind, block.start);
        let end = self.items.len();
        if block.kind == BlockKind::Procedure {
            let size = end.checked_sub(block.start).ok_or(AsmCause::Unmatched(".end"))?;
            self.procedures.insert(block.name, (block.start, size));
            return Ok(());
        }
        let other = block.other.unwrap_or(end);
        let length = end.checked_sub(other).ok_or(AsmCause::Unmatched(".else"))?;
        let last = end.checked_sub(1).ok_or(AsmCause::Unmatched(".end"))?;
        let patch = |inst: crate::Inst| match block.kind {
            BlockKind::Loop => inst.with(Field::Target, last as u16),
            _ => inst.with(Field::Target, other as u16).with(Field::Count, length as u16),
        };
        if length > 0xff {
            let cause = AsmCause::Limit { what: "instructions after `.else`", count: length, limit: 0xff };
            return Err(cause.into());
        }
        if let Some(item) = self.items.get_mut(block.start) {
            item.inst = item.inst.map(patch);
        }
        self.after_block = true;
        Ok(())
    }

    fn define(&mut self, name: &str, register: Register) -> Result<()> {
        if !is_name(name) {
            return unknown("name", name, NAME);
        }
        match self.unit.aliases.insert(name.to_owned(), register) {
            None => Ok(()),
            Some(_) => Err(AsmCause::Duplicate(name.to_owned()).at(name)),
        }
    }

    fn alias(&mut self, rest: &str) -> Result<()> {
        let Some((name, text)) = rest.split_once(char::is_whitespace) else {
            return unknown("alias", rest, "a name and a register");
        };
        let register = self.register(without_comma(text.trim()))?;
        self.define(name, register)
    }

    /// Declares uniforms at given registers, or at the next free ones.
    fn uniforms(&mut self, rest: &str, file: File) -> Result<()> {
        for text in split_operands(rest.trim_end_matches(',')) {
            let (name, size, place) = declaration(text)?;
            let first = match place {
                Some(place) => self.register(place)?.index,
                None => self.allocate(name, size, file)?,
            };
            let register = Register::plain(file, first);
            let (first, last) = numbers(file, first, size, "uniforms")?;
            self.define(name, register)?;
            if !name.starts_with('_') {
                self.unit.shader.uniforms.push(Uniform { name: name.replace('$', "."), first, last });
            }
        }
        Ok(())
    }

    fn allocate(&mut self, name: &str, size: usize, file: File) -> Result<u8> {
        let table = self.unit.used.own.as_mut().unwrap_or(&mut self.shared);
        if let Some(&(known, first, length)) = table.names.get(name) {
            if known == file && length == size {
                return Ok(first);
            }
            return Err(AsmCause::Duplicate(name.to_owned()).at(name));
        }
        let [float_constants, int_constants] = self.unit.used.constants;
        let constants = match file {
            File::Int => int_constants,
            File::Bool => 0,
            _ => float_constants,
        };
        let first = *table.free(file);
        let count = first.saturating_add(size);
        let limit = file.size().saturating_sub(constants);
        if count > limit {
            return Err(AsmCause::Limit { what: "uniforms", count, limit }.at(name));
        }
        *table.free(file) = count;
        table.names.insert(name.to_owned(), (file, first as u8, size));
        Ok(first as u8)
    }

    /// Allocates registers for constants, downwards from the last.
    fn allocate_constants(&mut self, size: usize, is_int: bool) -> Result<u8> {
        let file = if is_int { File::Int } else { File::Float };
        let free = *self.unit.used.own.as_mut().unwrap_or(&mut self.shared).free(file);
        let [float_constants, int_constants] = &mut self.unit.used.constants;
        let taken = if is_int { int_constants } else { float_constants };
        let count = taken.saturating_add(size);
        let Some(first) = file.size().checked_sub(count).filter(|first| *first >= free) else {
            let limit = file.size().saturating_sub(free);
            return Err(AsmCause::Limit { what: "constants", count, limit }.into());
        };
        *taken = count;
        Ok(first as u8)
    }

    fn set_float(&mut self, register: u8, value: [f32; 4]) {
        let value = value.map(f24::from_f32);
        self.unit.shader.constants.push(Constant::Float { register, value });
    }

    fn constant(&mut self, rest: &str, is_int: bool) -> Result<()> {
        let (name, parts) = values(rest)?;
        if is_int {
            let value = ints(&mut self.statement, &parts)?;
            let register = self.allocate_constants(1, true)?;
            self.unit.shader.constants.push(Constant::Int { register, value });
            return self.define(name, Register::plain(File::Int, register));
        }
        let value = floats(&parts)?;
        let register = self.allocate_constants(1, false)?;
        self.set_float(register, value);
        self.define(name, Register::plain(File::Float, register))
    }

    /// `.constfa name[size]` opens an array, `.constfa (…)` adds an element.
    fn array(&mut self, rest: &str) -> Result<()> {
        if rest.starts_with('(') {
            if self.blocks.last().is_none_or(|block| block.kind != BlockKind::Array) {
                return Err(AsmCause::Unmatched(".constfa").into());
            }
            let element = floats(&values(rest)?.1)?;
            self.unit.array.push(element);
            return Ok(());
        }
        let (name, size) = match rest.strip_suffix("[]") {
            Some(name) => (name.trim(), None),
            None => declaration(rest).map(|(name, size, _)| (name, Some(size)))?,
        };
        self.unit.array.clear();
        self.blocks.push(Block::new(BlockKind::Array, 0, name, self.statement.place));
        if let Some(block) = self.blocks.last_mut() {
            block.other = size;
        }
        Ok(())
    }

    fn close_array(&mut self, name: &str, size: Option<usize>) -> Result<()> {
        let mut elements = std::mem::take(&mut self.unit.array);
        let size = size.unwrap_or(elements.len());
        if elements.len() > size || size == 0 {
            return Err(AsmCause::Limit { what: "elements", count: elements.len(), limit: size }.into());
        }
        elements.resize(size, [0.0; 4]);
        let first = self.allocate_constants(size, false)?;
        for (register, value) in (first..).zip(elements) {
            self.set_float(register, value);
        }
        self.define(name, Register::plain(File::Float, first))
    }

    fn set(&mut self, rest: &str) -> Result<()> {
        let (name, parts) = values(rest)?;
        let register = self.register(name)?;
        match register.file {
            File::Float => {
                let value = floats(&parts)?;
                self.set_float(register.index, value);
            }
            File::Int => {
                let value = ints(&mut self.statement, &parts)?;
                self.unit.shader.constants.push(Constant::Int { register: register.index, value });
            }
            _ => {
                let (what, expected) = ("set", "a float or integer uniform");
                return Err(AsmCause::Place { text: name.to_owned(), what, expected }.at(name));
            }
        }
        Ok(())
    }

    fn set_bool(&mut self, rest: &str) -> Result<()> {
        let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let register = self.bool_uniform(without_comma(name))? as u8;
        let value = match value.trim().to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => true,
            "false" | "off" | "0" => false,
            _ => return unknown("value", value.trim(), "`true` or `false`"),
        };
        self.unit.shader.constants.push(Constant::Bool { register, value });
        Ok(())
    }

    fn input(&mut self, rest: &str) -> Result<()> {
        let (name, size, place) = declaration(rest)?;
        let first = match place {
            Some(place) => self.register(without_comma(place))?.index,
            None => self.unit.used.inputs.trailing_ones() as u8,
        };
        let register = Register::plain(File::Input, first);
        let (first, last) = numbers(File::Input, first, size, "inputs")?;
        for index in first..=last {
            self.unit.used.inputs |= 1 << index;
        }
        self.define(name, register)?;
        self.unit.shader.uniforms.push(Uniform { name: name.replace('$', "."), first, last });
        Ok(())
    }

    /// `.out name semantic[.mask] [register[.mask]]`.
    fn output(&mut self, rest: &str) -> Result<()> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let (name, semantic, place) = match words.as_slice() {
            [name, semantic] => (*name, *semantic, None),
            [name, semantic, place] => (*name, *semantic, Some(*place)),
            _ => {
                let found = words.len();
                let cause = AsmCause::Operands { name: ".out".to_owned(), expected: "two or three", found };
                return Err(cause.into());
            }
        };
        let (kind, own_mask) = semantic.split_once('.').unwrap_or((semantic, "xyzw"));
        let Some(known) = Semantic::by_name(kind) else {
            return unknown("output", kind, "position, normalquat, color, texcoord0 to 2, view or dummy");
        };
        let (text, register) = match place {
            Some(place) => (place, self.register(without_comma(place))?),
            None => (semantic, self.unit.used.next_output(own_mask)?),
        };
        if register.file != File::Output {
            let (what, expected) = ("an output", "o0 to o15");
            return Err(AsmCause::Place { text: text.to_owned(), what, expected }.at(text));
        }
        self.statement.check_order(text, register);
        self.unit.used.outputs |= 1 << register.index;
        let named = register.mask.iter().enumerate().filter(|(_, named)| **named);
        let mask = named.fold(0, |bits, (index, _)| bits | 1 << index);
        self.unit.shader.outputs.push(Output { semantic: known, register: register.index, mask });
        if name == "-" { Ok(()) } else { self.define(name, Register::plain(File::Output, register.index)) }
    }

    fn entry(&mut self, rest: &str) -> Result<()> {
        if rest.is_empty() {
            return unknown("entry", rest, "a procedure");
        }
        self.unit.entry = Some(match rest.split_once(char::is_whitespace) {
            Some((start, end)) => (self.statement.name(start), Some(self.statement.name(end.trim()))),
            None => (self.statement.name(rest), None),
        });
        Ok(())
    }

    /// `.gsh point first`, `.gsh variable first vertices`, `.gsh fixed first start vertices`.
    fn geometry(&mut self, rest: &str) -> Result<()> {
        self.unit.shader.stage = Stage::Geometry;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let Some((mode, words)) = words.split_first() else { return Ok(()) };
        // picasso still accepts the older names of two modes.
        let mode = match mode.to_ascii_lowercase().as_str() {
            "subdivision" => "variable",
            "particle" => "fixed",
            _ => mode,
        };
        let known = GeometryMode::ALL.iter().find(|row| row.1.eq_ignore_ascii_case(mode));
        let Some((known, _)) = known else { return unknown("mode", mode, "point, variable or fixed") };
        let Some((first, rest)) = words.split_first().filter(|(_, rest)| rest.len() == *known as usize)
        else {
            let expected = match known {
                GeometryMode::Point => "one",
                GeometryMode::Variable => "two",
                GeometryMode::Fixed => "three",
            };
            let found = words.len();
            return Err(AsmCause::Operands { name: ".gsh".to_owned(), expected, found }.into());
        };
        let float = |text: &str| self.register(without_comma(text)).map(|register| register.index);
        let vertices = |text: &str| {
            let count = integer(text)?;
            u8::try_from(count).or_else(|_| unknown("number of vertices", text, "0 to 255"))
        };
        let first = float(first)?;
        let mut geometry = self.unit.shader.geometry;
        geometry.mode = *known;
        match rest {
            [start, count] => {
                geometry.fixed_start = float(start)?;
                geometry.fixed_vertices = vertices(count)?;
            }
            [count] => geometry.variable_vertices = vertices(count)?,
            _ => {}
        }
        self.unit.shader.geometry = geometry;
        let free = [usize::from(first), 0, 0];
        self.unit.used.own = Some(Shared { names: BTreeMap::new(), free });
        Ok(())
    }
}
