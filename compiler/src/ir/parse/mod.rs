//! Parses the text form of functions. docs/ir.md has the grammar.
//!
//! The parser checks only what it needs to build a function: names, brackets, numbers. The validator checks
//! everything else, so that a text can express functions that violate its rules.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

mod scan;
#[cfg(test)]
mod tests;

use agx_abi::occupancy::MAX_THREADS;
use agx_isa::half::Half;
use agx_isa::inst::OperandFlags;
use bumpalo::Bump;

use self::scan::Scanner;
use crate::error::{CompileError, TextError};
use crate::ir::entity::{Block, Entity, Value};
use crate::ir::function::{Function, InstData, Readable, Seam, Segment, UnrollHint};
use crate::ir::op::{IrOp, Mods, Op};
use crate::ir::print::Registers;
use crate::ir::src::Src;
use crate::ir::table::Side;
use crate::ir::text::{
    ACCESS_NAMES, Alias, COMPONENT_NAMES, FLAG_NAMES, ModStyle, NO_RESULT_BITS, mod_style,
};
use crate::ir::types::{Stage, Type};

/// Ids may exceed the number of bytes of the text by this factor plus [`FREE_IDS`]: removed instructions
/// leave gaps in the numbering, but a short text must not cause a large allocation.
const IDS_PER_BYTE: usize = 4;

/// See [`IDS_PER_BYTE`].
const FREE_IDS: usize = 4096;

/// Maximum number of components of a value.
const MAX_COMPONENTS: u64 = 16;

/// Half registers and half-words of the uniform file.
const MAX_HALVES: u64 = 512;

/// Parses every function of `text`.
///
/// # Errors
/// Invalid input, with line and column.
pub fn parse<'a>(bump: &'a Bump, text: &str) -> Result<Vec<Function<'a>>, CompileError> {
    Ok(parse_with_registers(bump, text)?.into_iter().map(|(function, _)| function).collect())
}

/// Parses every function of `text` together with the registers assigned to its values.
///
/// # Errors
/// Invalid input, with line and column.
pub fn parse_with_registers<'a>(
    bump: &'a Bump,
    text: &str,
) -> Result<Vec<(Function<'a>, Registers)>, CompileError> {
    let mut scanner = Scanner { text, at: 0 };
    let mut functions = Vec::new();
    while scanner.skip_blank() {
        functions.push(FunctionParser::new(bump, &mut scanner).function()?);
    }
    Ok(functions)
}

/// Exclusive upper bound of workgroup extents in each dimension.
const MAX_EXTENT: u64 = MAX_THREADS as u64 + 1;

/// A function under construction.
struct FunctionParser<'s, 't, 'a> {
    scanner: &'s mut Scanner<'t>,
    f: Function<'a>,
    registers: Registers,
    block: Option<Block>,
    layout: Vec<Segment>,
    open: Vec<Seam>,
    in_layout: Side<Block, bool>,
    /// The hint of the loop whose header comes next.
    hint: Option<UnrollHint>,
    id_limit: u64,
}

impl<'s, 't, 'a> FunctionParser<'s, 't, 'a> {
    fn new(bump: &'a Bump, scanner: &'s mut Scanner<'t>) -> Self {
        let id_limit = (scanner.text.len().saturating_mul(IDS_PER_BYTE).saturating_add(FREE_IDS)) as u64;
        FunctionParser {
            scanner,
            f: Function::new(bump, ""),
            registers: Registers::new(0),
            block: None,
            layout: Vec::new(),
            open: Vec::new(),
            in_layout: Side::new(0),
            hint: None,
            id_limit,
        }
    }

    fn function(mut self) -> Result<(Function<'a>, Registers), CompileError> {
        self.head()?;
        loop {
            if !self.scanner.skip_blank() {
                return Err(self.scanner.expected("`}` before the end of the text"));
            }
            match self.scanner.peek() {
                Some('}') if self.open.is_empty() => break,
                Some('}') => self.close()?,
                Some('{') => self.seam(Seam::If, 1)?,
                Some('%') => self.instruction()?,
                _ => self.statement()?,
            }
        }
        self.seam(Seam::End, 1)?;
        self.f.set_layout(&self.layout);
        self.f.compute_cfg();
        Ok((self.f, self.registers))
    }

    fn head(&mut self) -> Result<(), CompileError> {
        self.scanner.expect("kernel")?;
        self.scanner.expect("@")?;
        let name = self.name()?;
        self.f.name = self.f.bump.alloc_str(&name);
        self.scanner.expect("(")?;
        self.scanner.skip_space();
        while !self.scanner.eat(")") {
            if !self.f.params.is_empty() {
                self.scanner.expect(",")?;
                self.scanner.skip_space();
            }
            let param = self.definition()?;
            self.f.params.push(param);
            self.scanner.skip_space();
        }
        self.scanner.skip_space();
        if self.scanner.eat("stage") {
            self.scanner.skip_space();
            let start = self.scanner.at;
            let name = self.scanner.word();
            let stage = Stage::ALL.iter().find(|(known, _)| *known == name);
            self.f.stage = stage.ok_or_else(|| self.scanner.error_at(start, unknown("stage", name)))?.1;
        }
        self.scanner.skip_space();
        self.f.contract = !self.scanner.eat("no_contract");
        self.scanner.skip_space();
        self.f.signed_zeros = self.scanner.eat("signed_zeros");
        self.scanner.skip_space();
        self.f.special_values = self.scanner.eat("special_values");
        self.scanner.skip_space();
        if self.scanner.eat("workgroup_size") {
            self.f.declared.workgroup_size = Some(self.workgroup_size()?);
        }
        self.scanner.skip_space();
        while self.scanner.eat("readable") {
            self.scanner.skip_space();
            let (address, _) = self.register('u')?;
            self.scanner.skip_space();
            let bytes = self.scanner.number("a size in bytes", u32::MAX.into())? as u32;
            self.f.declared.readable.push(Readable { address, bytes });
            self.scanner.skip_space();
        }
        self.scanner.expect("{")
    }

    /// Three counts; the size of a workgroup is their product.
    fn workgroup_size(&mut self) -> Result<[u32; 3], CompileError> {
        let mut size = [1u32; 3];
        for extent in &mut size {
            self.scanner.skip_space();
            let start = self.scanner.at;
            *extent = self.scanner.number("the extent of a workgroup", MAX_EXTENT)? as u32;
            if *extent == 0 {
                return Err(self.scanner.error_at(start, TextError::EmptyWorkgroup));
            }
        }
        Ok(size)
    }

    fn name(&mut self) -> Result<String, CompileError> {
        if !self.scanner.eat("\"") {
            return Ok(self.scanner.word().to_string());
        }
        let mut name = String::new();
        loop {
            let start = self.scanner.at;
            let letter = self.scanner.peek().filter(|letter| *letter != '\n');
            let letter = letter.ok_or_else(|| self.scanner.expected("`\"`"))?;
            self.scanner.skip(letter.len_utf8());
            match letter {
                '"' => return Ok(name),
                '\\' => {
                    let letter = self.scanner.peek().map_or_else(String::new, String::from);
                    let escaped = self.escape();
                    name.push(
                        escaped.ok_or_else(|| self.scanner.error_at(start, unknown("escape", &letter)))?,
                    );
                }
                other => name.push(other),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let letter = self.scanner.peek()?;
        self.scanner.skip(letter.len_utf8());
        match letter {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            '\\' | '"' | '\'' => Some(letter),
            'u' if self.scanner.eat("{") => {
                let digits = self.scanner.take_while(|letter| letter.is_ascii_hexdigit());
                let code = u32::from_str_radix(digits, 16).ok()?;
                if self.scanner.eat("}") { char::from_u32(code) } else { None }
            }
            _ => None,
        }
    }

    /// Ends the current block with `seam`, which is `length` bytes long in the text.
    fn seam(&mut self, seam: Seam, length: usize) -> Result<(), CompileError> {
        let block = self
            .block
            .take()
            .ok_or_else(|| self.scanner.error(order("expected a block before this bracket")))?;
        self.layout.push(Segment { block, seam });
        self.scanner.skip(length);
        match seam {
            Seam::If | Seam::Loop | Seam::Scope => self.open.push(seam),
            Seam::EndIf | Seam::EndLoop | Seam::EndScope => {
                self.open.pop();
            }
            Seam::Else | Seam::End => {}
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), CompileError> {
        let start = self.scanner.at;
        self.scanner.skip(1);
        self.scanner.skip_space();
        let otherwise = self.scanner.eat("else");
        if otherwise {
            self.scanner.expect("{")?;
        }
        let length = self.scanner.at.saturating_sub(start);
        self.scanner.at = start;
        match (self.open.last(), otherwise) {
            (Some(Seam::If), true) => self.seam(Seam::Else, length),
            (_, true) => Err(self.scanner.error(order("`else` without an if"))),
            (Some(Seam::Loop), false) => self.seam(Seam::EndLoop, 1),
            (Some(Seam::Scope), false) => self.seam(Seam::EndScope, 1),
            (_, false) => self.seam(Seam::EndIf, 1),
        }
    }

    /// A label, a loop or a scope, or an instruction without results.
    fn statement(&mut self) -> Result<(), CompileError> {
        let start = self.scanner.at;
        let word = self.scanner.word();
        if matches!(word, "loop" | "scope") {
            self.scanner.skip_space();
            if word == "loop" {
                self.hint = UnrollHint::ALL.into_iter().find(|hint| self.scanner.eat(hint.name()));
            }
            self.scanner.expect("{")?;
            let length = self.scanner.at.saturating_sub(start);
            self.scanner.at = start;
            return self.seam(if word == "loop" { Seam::Loop } else { Seam::Scope }, length);
        }
        let is_label =
            word.strip_prefix('b').is_some_and(|id| id.starts_with(|first: char| first.is_ascii_digit()));
        self.scanner.at = start;
        if is_label { self.label() } else { self.instruction() }
    }

    fn label(&mut self) -> Result<(), CompileError> {
        let start = self.scanner.at;
        let block = self.block_id()?;
        self.scanner.expect(":")?;
        if let Some(open) = self.block {
            return Err(self
                .scanner
                .error_at(start, order(format!("expected a bracket between {open} and {block}"))));
        }
        if self.in_layout[block] {
            return Err(self.scanner.error_at(start, order(format!("{block} is defined twice"))));
        }
        self.in_layout[block] = true;
        self.block = Some(block);
        // A loop begins with its header.
        if let Some(hint) = self.hint.take() {
            self.f.declared.unroll_hints[block] = Some(hint);
        }
        Ok(())
    }

    fn block_id(&mut self) -> Result<Block, CompileError> {
        if !self.scanner.eat("b") {
            return Err(self.scanner.expected("a block"));
        }
        let block = Block(self.scanner.number("a block's number", self.id_limit)? as u32);
        while self.f.blocks.len() <= block.index() {
            self.f.add_block();
        }
        Ok(block)
    }

    fn value_id(&mut self) -> Result<Value, CompileError> {
        if !self.scanner.eat("%") {
            return Err(self.scanner.expected("a value"));
        }
        let value = Value(self.scanner.number("a value's number", self.id_limit)? as u32);
        while self.f.values.len() <= value.index() {
            self.f.add_value(Type::B32);
        }
        Ok(value)
    }

    fn definition(&mut self) -> Result<Value, CompileError> {
        let value = self.value_id()?;
        self.scanner.expect(":")?;
        let bits = self.width()?;
        let comps = if self.scanner.eat("x") {
            self.scanner.number("the number of components", MAX_COMPONENTS + 1)? as u8
        } else {
            1
        };
        self.f.values[value].ty = Type::vector(bits, comps);
        self.f.present.note_widths(bits);
        let start = self.scanner.at;
        if self.scanner.eat("~") {
            self.f.relax(value);
            if !self.f.values[value].relaxed {
                return Err(self.scanner.error_at(start, TextError::Relaxed));
            }
        }
        if self.scanner.eat("@") {
            let (half, _) = self.register('r')?;
            self.registers[value] = Some(half);
        }
        Ok(value)
    }

    fn width(&mut self) -> Result<u8, CompileError> {
        let start = self.scanner.at;
        match self.scanner.number("a width", 65)? {
            bits @ (1 | 8 | 16 | 32 | 64) => Ok(bits as u8),
            _ => Err(self.scanner.error_at(start, TextError::Width)),
        }
    }

    /// A register of file `file`: its half index and width.
    fn register(&mut self, file: char) -> Result<(u16, u8), CompileError> {
        let letter = file.to_string();
        self.scanner.expect(&letter)?;
        if self.scanner.eat("[") {
            let half = self.scanner.number("a half-register", MAX_HALVES)? as u16;
            self.scanner.expect("]")?;
            self.scanner.expect(":")?;
            return Ok((half, self.width()?));
        }
        let number = self.scanner.number("a register", MAX_HALVES / 2)? as u16;
        let low = number << 1;
        if self.scanner.eat("l") {
            return Ok((low, 16));
        }
        if self.scanner.eat("h") {
            return Ok((low | 1, 16));
        }
        if !self.scanner.eat("_") {
            return Ok((low, 32));
        }
        self.scanner.expect(&letter)?;
        let start = self.scanner.at;
        if self.scanner.number("a register", MAX_HALVES / 2)? as u16 != number.saturating_add(1) {
            return Err(self.scanner.error_at(start, TextError::Pair));
        }
        Ok((low, 64))
    }

    fn instruction(&mut self) -> Result<(), CompileError> {
        let block = self
            .block
            .ok_or_else(|| self.scanner.error(order("expected a block before this instruction")))?;
        let mut dsts = Vec::new();
        if self.scanner.peek() == Some('%') {
            loop {
                dsts.push(self.definition()?);
                self.scanner.skip_space();
                if !self.scanner.eat(",") {
                    break;
                }
                self.scanner.skip_space();
            }
            self.scanner.expect("=")?;
            self.scanner.skip_space();
        }
        let start = self.scanner.at;
        let name = self.scanner.word();
        let alias = Alias::from_name(name);
        let op = alias.map(Alias::op).or_else(|| Op::from_name(name));
        let op = op.ok_or_else(|| self.scanner.error_at(start, unknown("operation", name)))?;
        let (srcs, mods) = match op {
            Op::Ir(IrOp::Phi) => self.phi_operands()?,
            Op::Ir(IrOp::Jump) => {
                self.scanner.skip_space();
                (Vec::new(), vec![self.block_id()?.0])
            }
            _ => {
                let mut srcs = self.sources()?;
                let bits = dsts.first().map_or(NO_RESULT_BITS, |dst| self.f.ty(*dst).bits);
                for (index, src) in alias.iter().flat_map(|alias| alias.sources(bits)) {
                    srcs.insert(index.min(srcs.len()), src);
                }
                (srcs, self.mods(op, alias)?.to_vec())
            }
        };
        if !self.scanner.at_statement_end() {
            return Err(self.scanner.expected("the end of the instruction"));
        }
        let (dsts, srcs, mods) = (self.f.alloc(&dsts), self.f.alloc(&srcs), self.f.alloc(&mods));
        let inst = self.f.add_inst(InstData { op, dsts, srcs, mods, line: 0 });
        self.f.block_mut(block).insts.push(inst);
        Ok(())
    }

    fn phi_operands(&mut self) -> Result<(Vec<Src>, Vec<u32>), CompileError> {
        let (mut srcs, mut mods) = (Vec::new(), Vec::new());
        if self.scanner.at_statement_end() {
            return Ok((srcs, mods));
        }
        loop {
            self.scanner.skip_space();
            mods.push(self.block_id()?.0);
            self.scanner.expect(":")?;
            self.scanner.skip_space();
            srcs.push(self.source()?);
            self.scanner.skip_space();
            if !self.scanner.eat(",") {
                return Ok((srcs, mods));
            }
        }
    }

    fn sources(&mut self) -> Result<Vec<Src>, CompileError> {
        let mut srcs = Vec::new();
        if self.scanner.at_statement_end() || self.at_modifier() {
            return Ok(srcs);
        }
        loop {
            self.scanner.skip_space();
            srcs.push(self.source()?);
            self.scanner.skip_space();
            if !self.scanner.eat(",") {
                return Ok(srcs);
            }
        }
    }

    /// Whether `name=` comes next.
    fn at_modifier(&self) -> bool {
        let name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        self.scanner.rest().trim_start_matches(name).starts_with('=')
    }

    fn source(&mut self) -> Result<Src, CompileError> {
        let mut flags = OperandFlags::empty();
        if self.scanner.eat("-") {
            flags |= OperandFlags::NEG;
        }
        let src = match self.scanner.peek() {
            Some('%') => Src::value(self.value_id()?),
            Some('#') => self.immediate()?,
            Some('u') => {
                let (half, bits) = self.register('u')?;
                let end = half.saturating_add(Type::scalar(bits).halves());
                let halves = &mut self.f.declared.uniform_halves;
                *halves = end.max(*halves);
                Src::uniform(half, bits)
            }
            _ if self.scanner.eat("_") => Src::NONE,
            _ if self.scanner.eat("true") => Src::bool(true),
            _ if self.scanner.eat("false") => Src::bool(false),
            _ => return Err(self.scanner.expected("a source")),
        };
        while self.scanner.eat(".") {
            let start = self.scanner.at;
            let name = self.scanner.word();
            let flag = FLAG_NAMES.iter().find(|(known, _)| *known == name);
            flags |= flag.ok_or_else(|| self.scanner.error_at(start, unknown("suffix", name)))?.1;
        }
        Ok(src.with(flags))
    }

    fn immediate(&mut self) -> Result<Src, CompileError> {
        let start = self.scanner.at;
        self.scanner.skip(1);
        let sign = if self.scanner.eat("-") { "-" } else { "" };
        let digits = self.scanner.digits();
        let bits = if self.scanner.eat(":") { self.width()? } else { 32 };
        number_bits(sign, digits, bits).map(|payload| Src::imm(payload, bits)).ok_or_else(|| {
            self.scanner.error_at(start, TextError::Number { text: format!("{sign}{digits}"), bits })
        })
    }

    fn mods(&mut self, op: Op, alias: Option<Alias>) -> Result<Mods, CompileError> {
        let mut mods = op.default_mods();
        for (index, value) in alias.iter().flat_map(|alias| alias.mods()) {
            if let Some(slot) = mods.get_mut(index) {
                *slot = value;
            }
        }
        while !self.scanner.at_statement_end() {
            let start = self.scanner.at;
            let name = self.scanner.word();
            if !self.scanner.eat("=") {
                return Err(self
                    .scanner
                    .error_at(start, TextError::Expected { what: "a modifier `name=value`".to_owned() }));
            }
            let is_free = |index: &usize| alias.is_none_or(|alias| !alias.fixes_mod(*index));
            let index = op.mod_index(name).filter(is_free);
            let missing = || self.scanner.error_at(start, unknown_of("modifier", op.name(), name));
            let index = index.ok_or_else(missing)?;
            let start = self.scanner.at;
            let text = self
                .scanner
                .take_while(|letter| !matches!(letter, ',' | ';' | '{' | '}') && !letter.is_whitespace());
            let value = mod_value(mod_style(op, index), text);
            let unknown = || self.scanner.error_at(start, unknown_of("value", name, text));
            let value = value.ok_or_else(unknown)?;
            if let Some(slot) = mods.get_mut(index) {
                *slot = value;
            }
        }
        Ok(mods)
    }
}

/// The bits of a number written as `sign` and `digits`.
fn number_bits(sign: &str, digits: &str, bits: u8) -> Option<u64> {
    let mask = 1u64.checked_shl(bits.into()).map_or(u64::MAX, |end| end.saturating_sub(1));
    if let Some(hex) = digits.strip_prefix("0x").filter(|_| sign.is_empty()) {
        return u64::from_str_radix(hex, 16).ok().filter(|number| *number <= mask);
    }
    if digits.contains(['.', 'e', 'E']) && digits.starts_with(|first: char| first.is_ascii_digit()) {
        let text = format!("{sign}{digits}");
        return match bits {
            16 => Some(u64::from(Half::from_f32(text.parse().ok()?).to_bits())),
            32 => Some(u64::from(text.parse::<f32>().ok()?.to_bits())),
            64 => Some(text.parse::<f64>().ok()?.to_bits()),
            _ => None,
        };
    }
    let number: u64 = digits.parse().ok()?;
    if sign.is_empty() {
        return Some(number).filter(|number| *number <= mask);
    }
    (number <= (mask / 2).saturating_add(1)).then_some(number.wrapping_neg() & mask)
}

fn mod_value(style: ModStyle, text: &str) -> Option<u32> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).ok();
    }
    if let Ok(number) = text.parse::<u32>() {
        return Some(number);
    }
    match style {
        ModStyle::Number => None,
        ModStyle::Names(names) => {
            let found = names.iter().position(|name| !name.is_empty() && *name == text);
            found.map(|value| value as u32)
        }
        ModStyle::Components => {
            text.chars().try_fold(0, |mask, letter| Some(mask | 1 << COMPONENT_NAMES.find(letter)?))
        }
        ModStyle::Access => text.split('|').try_fold(0, |access, name| {
            let flag = ACCESS_NAMES.iter().find(|(known, _)| *known == name)?.1;
            Some(access | flag.bits())
        }),
    }
}

fn unknown(what: &str, name: &str) -> TextError {
    TextError::Unknown { what: what.to_owned(), name: name.to_owned() }
}

fn unknown_of(what: &'static str, of: &str, name: &str) -> TextError {
    TextError::UnknownOf { what, of: of.to_owned(), name: name.to_owned() }
}

fn order(what: impl Into<String>) -> TextError {
    TextError::Order { what: what.into() }
}
