//! The assembler.
//!
//! ```text
//! L0:                                            ; a label
//!     ffma.sat r0, r1.abs, -2.5, u7.neg          ; destination, then sources; floats for float operands
//!     load.i32.xyz r4_r5_r6, u0_u1, r2, shift 2  ; vectors are written out; modifiers follow by name
//!     icsel.slt r0h, r1, 7, 1, 0                 ; choices are suffixes of the mnemonic
//!     jmp_none L0                                ; or a signed distance in bytes: +12
//!     <unknown 0x1234>                           ; two bytes that are not an instruction
//! ```
//!
//! * Registers: `r5` is 32 bits wide, `r5l` and `r5h` are its halves, `r4_r5` is a 64-bit register or a vector. Uniforms
//!   the same with `u`; `ts0` texture state, `ss0` sampler state, `cf0` coefficient; `_` is an absent operand.
//! * Operand flags: `.abs .neg .sx .zx .wide .cache .discard`.
//! * Suffixes of the mnemonic, in any order: choices by their names, flags that are set, component masks
//!   (`.xyzw`, `.none`), and `.long` or `.short` if the encoding has a form other than the preferred one.
//! * Other modifiers by name and number, omitted if they have their default value.
//! * A comment runs from `;` to the end of the line.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use std::collections::BTreeMap;

use thiserror::Error;

use crate::alias::Alias;
use crate::desc::{Length, OperandDesc, Role};
use crate::disasm::{FLAG_NAMES, NO_COMPONENTS, in_operand_position};
use crate::encode::{EncodeError, encode};
use crate::inst::{Inst, Operand, OperandFlags, Size, Tag};
use crate::operand::Style;
use crate::table::Opcode;
use crate::{minifloat, sr};

/// Why text does not assemble.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct AsmError {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// A problem in the text.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Problem {
    /// Something else was expected here.
    #[error("expected {expected}, found {}", shown(found))]
    Expected {
        /// The expected text.
        expected: String,
        /// The text found; empty at the end of the line.
        found: String,
    },
    /// A label is defined twice.
    #[error("the label `{0}` is defined twice")]
    Duplicate(String),
    /// A label is not defined.
    #[error("the label `{0}` is not defined")]
    Undefined(String),
    /// The instruction has no encoding.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// The text found, in words if it is the end of a line.
fn shown(found: &str) -> String {
    if found.is_empty() { "the end of the line".to_owned() } else { format!("`{found}`") }
}

type Result<T> = std::result::Result<T, AsmError>;

/// Assembles a program.
///
/// # Errors
/// Gives line and column, what was expected there and what was found.
pub fn assemble(text: &str) -> Result<Vec<u8>> {
    let mut items = Vec::new();
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    let mut pc = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let mut cursor = Cursor { text: line.split(';').next().unwrap_or_default(), at: 0, line: number };
        while let Some(name) = cursor.label() {
            if labels.insert(name, pc).is_some() {
                return Err(cursor.problem(Problem::Duplicate(name.into())));
            }
        }
        if cursor.is_at_end() {
            continue;
        }
        let column = cursor.at;
        let item = statement(&mut cursor)?;
        let len = match &item {
            Item::Raw(_, len) => *len,
            Item::Inst(inst, _) => {
                encode(inst).map_err(|error| cursor.problem_at(column, error.into()))?.len()
            }
        };
        items.push((item, pc, number, column));
        pc = pc.saturating_add(len);
    }
    finish(&items, &labels, pc)
}

/// Parses one instruction without a label as its target.
///
/// # Errors
/// Same as [`assemble`].
pub fn parse_inst(text: &str) -> Result<Inst> {
    let mut cursor = Cursor { text, at: 0, line: 1 };
    let start = cursor.at;
    match statement(&mut cursor)? {
        Item::Inst(inst, None) => Ok(inst),
        _ => Err(cursor.expected_at(start, "an instruction without a label")),
    }
}

#[expect(clippy::large_enum_variant, reason = "one a line, and nearly all are instructions")]
enum Item<'a> {
    /// An instruction, and the operand and name of the label it refers to.
    Inst(Inst, Option<(usize, &'a str)>),
    /// Bytes that are not an instruction: value, number of bytes.
    Raw(u16, usize),
}

fn finish(
    items: &[(Item<'_>, usize, usize, usize)],
    labels: &BTreeMap<&str, usize>,
    size: usize,
) -> Result<Vec<u8>> {
    let mut code = Vec::with_capacity(size);
    for (item, pc, line, column) in items {
        let problem = |problem: Problem| AsmError { line: *line, column: column.saturating_add(1), problem };
        match item {
            Item::Raw(value, len) => code.extend(value.to_le_bytes().into_iter().take(*len)),
            Item::Inst(inst, label) => {
                let mut inst = *inst;
                if let Some((operand, name)) = label {
                    let found = labels.get(name).zip(inst.operands.get_mut(*operand));
                    let (target, operand) =
                        found.ok_or_else(|| problem(Problem::Undefined((*name).into())))?;
                    operand.value = (*target as u32).wrapping_sub(*pc as u32);
                }
                code.extend_from_slice(&encode(&inst).map_err(|error| problem(error.into()))?);
            }
        }
    }
    Ok(code)
}

/// A position in a line.
struct Cursor<'a> {
    text: &'a str,
    /// Byte offset: a character boundary or the end of the text.
    at: usize,
    line: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Takes `bytes` bytes of whole characters, or the rest of the text if that is shorter.
    fn advance(&mut self, bytes: usize) -> &'a str {
        let rest = self.rest();
        let (taken, _) = rest.split_at_checked(bytes).unwrap_or((rest, ""));
        self.at = self.at.saturating_add(taken.len());
        taken
    }

    fn skip_space(&mut self) {
        self.take(char::is_whitespace);
    }

    fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.rest().is_empty()
    }

    fn problem(&self, problem: Problem) -> AsmError {
        self.problem_at(self.at, problem)
    }

    fn problem_at(&self, at: usize, problem: Problem) -> AsmError {
        AsmError { line: self.line, column: at.saturating_add(1), problem }
    }

    fn expected(&self, expected: impl Into<String>) -> AsmError {
        self.expected_at(self.at, expected)
    }

    fn expected_at(&self, at: usize, expected: impl Into<String>) -> AsmError {
        let rest = self.text.get(at..).unwrap_or_default();
        let word = rest.split([' ', ',', '\t']).next().filter(|word| !word.is_empty());
        let found = word.map_or_else(|| rest.trim_start().chars().take(1).collect(), ToOwned::to_owned);
        self.problem_at(at, Problem::Expected { expected: expected.into(), found })
    }

    /// Takes characters while `accept` holds.
    fn take(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.advance(end)
    }

    fn word(&mut self) -> &'a str {
        self.take(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn accept(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.advance(token.len());
        }
        found
    }

    fn label(&mut self) -> Option<&'a str> {
        self.skip_space();
        let start = self.at;
        let name = self.word();
        if !name.is_empty() && self.rest().starts_with(':') {
            self.advance(1);
            return Some(name);
        }
        self.at = start;
        None
    }

    /// An unsigned number, decimal or hexadecimal, of at most 32 bits.
    fn number(&mut self) -> Result<u32> {
        self.skip_space();
        let start = self.at;
        let digits = self.word();
        let parsed = match digits.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        parsed.map_err(|_| self.expected_at(start, "a number"))
    }
}

fn statement<'a>(cursor: &mut Cursor<'a>) -> Result<Item<'a>> {
    if cursor.accept("<unknown") {
        return raw(cursor);
    }
    let start = cursor.at;
    let name = cursor.word();
    let alias = Alias::from_name(name);
    let Some(op) = alias.map(|alias| alias.op).or_else(|| Opcode::from_name(name)) else {
        return Err(cursor.expected_at(start, "an instruction"));
    };
    let mut parser = Parser::new(op, alias);
    parser.suffixes(cursor)?;
    parser.operands(cursor)?;
    parser.shapes(cursor)?;
    Ok(Item::Inst(parser.inst, parser.label))
}

fn raw<'a>(cursor: &mut Cursor<'a>) -> Result<Item<'a>> {
    cursor.skip_space();
    let start = cursor.at;
    let value = cursor.number()?;
    // As many bytes as pairs of digits after 0x.
    let len = cursor.at.saturating_sub(start).saturating_sub(2) / 2;
    let value = u16::try_from(value).map_err(|_| cursor.expected_at(start, "at most two bytes"))?;
    if !matches!(len, 1 | 2) || !cursor.accept(">") {
        return Err(cursor.expected_at(start, "two or four hexadecimal digits and `>`"));
    }
    Ok(Item::Raw(value, len))
}

/// Registers as written: kind, first register, count.
struct Registers {
    operand: Operand,
    count: u16,
    column: usize,
    /// The operand they belong to.
    name: &'static str,
}

struct Parser<'a> {
    inst: Inst,
    alias: Option<&'static Alias>,
    label: Option<(usize, &'a str)>,
    /// Register lists, whose sizes are determined once all modifiers are known.
    lists: Vec<(usize, Registers)>,
    form: Option<bool>,
}

impl<'a> Parser<'a> {
    fn new(op: Opcode, alias: Option<&'static Alias>) -> Self {
        let mut inst = Inst::new(op);
        for (operand, spec) in inst.operands.iter_mut().zip(op.desc().operands) {
            // If a choice has an empty name, its absence selects it.
            if let Style::Names(names) = spec.kind.style
                && let Some(silent) = names.iter().position(|name| name.is_empty())
            {
                operand.value = silent as u32;
            }
        }
        for (name, value) in alias.map_or(&[][..], |alias| alias.fixed) {
            inst.set(name, *value);
        }
        Parser { inst, alias, label: None, lists: Vec::new(), form: None }
    }

    fn specs(&self) -> &'static [OperandDesc] {
        self.inst.op.desc().operands
    }

    fn suffixes(&mut self, cursor: &mut Cursor<'a>) -> Result<()> {
        while cursor.rest().starts_with('.') {
            cursor.advance(1);
            let start = cursor.at;
            let suffix = cursor.word();
            match suffix {
                "long" | "short" if matches!(self.inst.op.desc().length, Length::Extensible { .. }) => {
                    self.form = Some(suffix == "long");
                }
                _ => {
                    let mut operands = self.specs().iter().zip(&mut self.inst.operands);
                    let found = operands.find_map(|(spec, operand)| Some((operand, named(spec, suffix)?)));
                    let Some((operand, value)) = found else {
                        let expected = format!("a suffix of `{}`", self.inst.op.name());
                        return Err(cursor.expected_at(start, expected));
                    };
                    operand.value = value;
                }
            }
        }
        if let Some(form) = self.form {
            self.inst.long = form;
        }
        Ok(())
    }

    fn operands(&mut self, cursor: &mut Cursor<'a>) -> Result<()> {
        let alias = self.alias;
        let mut separator_needed = false;
        let in_order = self.specs().iter().enumerate().filter(|(_, spec)| {
            in_operand_position(spec.kind.style) && alias.is_none_or(|alias| !alias.fixes(spec.name))
        });
        for (i, spec) in in_order {
            if separator_needed && !cursor.accept(",") {
                return Err(cursor.expected(format!("`,` and operand `{}`", spec.name)));
            }
            separator_needed = true;
            cursor.skip_space();
            self.operand(cursor, i, spec)?;
        }
        while !cursor.is_at_end() {
            if separator_needed && !cursor.accept(",") {
                return Err(cursor.expected("`,` or the end of the line"));
            }
            separator_needed = true;
            self.modifier(cursor)?;
        }
        Ok(())
    }

    fn modifier(&mut self, cursor: &mut Cursor<'a>) -> Result<()> {
        cursor.skip_space();
        let start = cursor.at;
        let name = cursor.word();
        let found = self
            .specs()
            .iter()
            .position(|spec| spec.name == name && matches!(spec.role, Role::Mod | Role::Unknown));
        let Some(i) = found else {
            return Err(cursor.expected_at(start, format!("a modifier of `{}`", self.inst.op.name())));
        };
        let column = cursor.at;
        let operand = Operand::imm(cursor.number()?);
        self.store(cursor, i, operand, column)
    }

    fn store(&mut self, cursor: &Cursor<'a>, i: usize, operand: Operand, column: usize) -> Result<()> {
        let found = self.specs().get(i).zip(self.inst.operands.get_mut(i));
        let (spec, place) = found.ok_or_else(|| cursor.expected_at(column, "an operand"))?;
        spec.kind.check(&operand, spec.width()).map_err(|reason| {
            let error = EncodeError::Operand { inst: self.inst.op.name(), operand: spec.name, reason };
            cursor.problem_at(column, error.into())
        })?;
        *place = operand;
        Ok(())
    }

    fn operand(&mut self, cursor: &mut Cursor<'a>, i: usize, spec: &'static OperandDesc) -> Result<()> {
        let start = cursor.at;
        match spec.kind.style {
            Style::Target => return self.target(cursor, i),
            Style::Special => return self.special(cursor, i),
            _ => {}
        }
        let rest = cursor.rest();
        if rest.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') {
            let mut operand = immediate(cursor, spec)?;
            operand.flags = flags(cursor)?;
            return self.store(cursor, i, operand, start);
        }
        if rest.starts_with('_') {
            cursor.advance(1);
            return self.store(cursor, i, Operand::NONE, start);
        }
        let mut registers = register_list(cursor, spec)?;
        registers.operand.flags = flags(cursor)?;
        self.lists.push((i, registers));
        Ok(())
    }

    fn target(&mut self, cursor: &mut Cursor<'a>, i: usize) -> Result<()> {
        let start = cursor.at;
        if let Some(sign) = ['+', '-'].into_iter().find(|sign| cursor.rest().starts_with(*sign)) {
            cursor.advance(1);
            let distance = cursor.number()?;
            let value = if sign == '-' { distance.wrapping_neg() } else { distance };
            return self.store(cursor, i, Operand::imm(value), start);
        }
        let name = cursor.word();
        if name.is_empty() {
            return Err(cursor.expected("a label or a signed distance"));
        }
        self.label = Some((i, name));
        Ok(())
    }

    fn special(&mut self, cursor: &mut Cursor<'a>, i: usize) -> Result<()> {
        let start = cursor.at;
        let name = cursor.take(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        let number = name.strip_prefix("sr").and_then(|digits| digits.parse().ok());
        match number.or_else(|| sr::by_name(name).map(|register| register.number.into())) {
            Some(value) => self.store(cursor, i, Operand::imm(value), start),
            None => Err(cursor.expected_at(start, "a special register")),
        }
    }

    /// Determines sizes: a list is a vector with the number of registers given by the modifiers, or one
    /// 64-bit register.
    fn shapes(&mut self, cursor: &Cursor<'a>) -> Result<()> {
        for (i, list) in std::mem::take(&mut self.lists) {
            let wanted = self.inst.operand_count(i).max(1);
            let mut operand = list.operand;
            if Some(list.count) == wanted.checked_mul(2) && operand.size == Size::B32 {
                operand.size = Size::B64;
            } else if list.count != wanted {
                let expected = format!("{wanted} consecutive registers for `{}`", list.name);
                return Err(cursor.expected_at(list.column, expected));
            }
            self.store(cursor, i, operand, list.column)?;
        }
        Ok(())
    }
}

/// The value of a modifier whose name is the suffix, if any.
fn named(spec: &OperandDesc, suffix: &str) -> Option<u32> {
    match spec.kind.style {
        Style::Names(names) => names.iter().position(|name| *name == suffix).map(|i| i as u32),
        Style::Flag => (spec.name == suffix).then_some(1),
        Style::Components if suffix == NO_COMPONENTS => Some(0),
        Style::Components => components(suffix),
        _ => None,
    }
}

fn components(suffix: &str) -> Option<u32> {
    let mut mask = 0;
    for letter in suffix.chars() {
        let bit = 1 << "xyzw".find(letter)?;
        if mask >= bit {
            return None;
        }
        mask |= bit;
    }
    (mask != 0).then_some(mask)
}

fn immediate(cursor: &mut Cursor<'_>, spec: &OperandDesc) -> Result<Operand> {
    let start = cursor.at;
    let negative = cursor.accept("-");
    if !negative {
        cursor.accept("+");
    }
    if spec.kind.style == Style::Float {
        let digits = cursor.take(|c| c.is_ascii_digit());
        let mut end = cursor.at;
        let fraction = cursor.rest().strip_prefix('.');
        if !digits.is_empty() && fraction.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            cursor.advance(1);
            cursor.take(|c| c.is_ascii_digit());
            end = cursor.at;
        }
        let value = cursor.text.get(start..end).and_then(|text| text.parse::<f32>().ok());
        let code = value.and_then(minifloat::encode);
        return code
            .map(|code| Operand::imm(code.into()))
            .ok_or_else(|| cursor.expected_at(start, "a float of the form m/64 or (16..31) * 2^(-6..0)"));
    }
    let value = cursor.number()?;
    Ok(Operand::imm(if negative { value.wrapping_neg() } else { value }))
}

fn flags(cursor: &mut Cursor<'_>) -> Result<OperandFlags> {
    let mut flags = OperandFlags::empty();
    while cursor.rest().starts_with('.') {
        cursor.advance(1);
        let start = cursor.at;
        let name = cursor.word();
        match FLAG_NAMES.iter().find(|(other, _)| *other == name) {
            Some((_, flag)) => flags |= *flag,
            None => return Err(cursor.expected_at(start, "an operand flag")),
        }
    }
    Ok(flags)
}

/// Prefixes of register names, longer ones before their own prefixes.
const PREFIXES: &[(&str, Tag)] = &[
    ("ts", Tag::TextureState),
    ("ss", Tag::SamplerState),
    ("cf", Tag::Coefficient),
    ("r", Tag::Reg),
    ("u", Tag::Uniform),
];

fn register_list(cursor: &mut Cursor<'_>, spec: &OperandDesc) -> Result<Registers> {
    let column = cursor.at;
    let text = cursor.word();
    let mut first: Option<Operand> = None;
    let mut count: u16 = 0;
    for name in text.split('_') {
        let register = register(name)
            .ok_or_else(|| cursor.expected_at(column, format!("a register or number for `{}`", spec.name)))?;
        let follows = first.is_none_or(|first| {
            let next = u32::from(count).checked_mul(first.size.halves().into());
            let next = next.and_then(|halves| first.value.checked_add(halves));
            (register.tag, register.size, Some(register.value)) == (first.tag, first.size, next)
        });
        if !follows {
            return Err(cursor.expected_at(column, "consecutive registers"));
        }
        first = first.or(Some(register));
        count = count.checked_add(1).ok_or_else(|| cursor.expected_at(column, "consecutive registers"))?;
    }
    let operand = first.ok_or_else(|| cursor.expected_at(column, "a register"))?;
    Ok(Registers { operand, count, column, name: spec.name })
}

fn register(name: &str) -> Option<Operand> {
    let (digits, tag) = PREFIXES.iter().find_map(|(prefix, tag)| Some((name.strip_prefix(prefix)?, *tag)))?;
    if !matches!(tag, Tag::Reg | Tag::Uniform) {
        return Some(Operand { tag, value: digits.parse::<u8>().ok()?.into(), ..Operand::NONE });
    }
    let (digits, size, offset) = match (digits.strip_suffix('l'), digits.strip_suffix('h')) {
        (Some(digits), _) => (digits, Size::B16, 0),
        (_, Some(digits)) => (digits, Size::B16, 1),
        _ => (digits, Size::B32, 0),
    };
    // A range may end past the file; the encoding limits its first register.
    let number: u16 = digits.parse().ok()?;
    Some(Operand { tag, size, value: u32::from(number) << 1 | offset, ..Operand::NONE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_round_trip() {
        for text in [
            "fadd r0, r1.abs.neg, u3h",
            "fadd.sat r0l.cache, 1.5, -0.0",
            "ffma.long r5, r6.discard, r7, 0.25",
            "iadd r4_r5, r0.sx, 255, shift 4",
            "isub.sat r0l, u9l, r3h.sx",
            "mov r3, u200",
            "bitop r0, r1, r2, table 3",
            "shl r0, r1, 3",
            "bfi r0, 1, r1, 3, width 31",
            "icsel.sgt r0h, r1, 7, 255, r4h.discard",
            "fcsel.ltn r0, r1, r2, r1, r2",
            "load.i32.xyz r4_r5_r6, u0_u1, r2.sx, shift 2, group 1",
            "load.i16.none r4l, r0_r1, -5",
            "store.f16.xw.coherent r4l_r4h, r7_r8, 65535.zx",
            "atomic.cmpxchg r4, r6_r7, u0_u1, r2",
            "atomic.add.coherent _, r6, u0_u1, 3",
            "lload.i8.x r1h, 0, 0",
            "uniform_store.i16.xy r0l_r0h, u128l",
            "mfsr r0, thread_index_in_simdgroup",
            "mfsr r0l, sr200",
            "jmp_any -12",
            "ret r1",
            "smpf.2d.xy.lod.compare r0_r1, r4_r5, r9h, ts3, _, ss1, r12",
            "smpi.2d_array.xyzw.auto_lod r0_r1_r2_r3, r4_r5_r6, _, r9, u4_u5, ss0, _, group 1",
            "st_tile.u8norm.xyzw r0_r1_r2_r3, 255, _",
            "zs_emit.z.s 255, r4",
            "iter.sample r0_r1, cf3, 2, count 2",
            "if_icmp.slt.inv r0, 3, nest 1",
            "push_exec nest 2",
            "ballot r0",
            "wait 1",
        ] {
            let inst = parse_inst(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(inst.to_string(), text);
            let bytes = encode(&inst).unwrap_or_else(|error| panic!("{text}: {error}"));
            let (back, _) = crate::decode(&bytes).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(back.to_string(), text);
        }
    }

    #[test]
    fn errors_name_place_and_expectation() {
        for (text, expected) in [
            ("nop", "line 1, column 1: expected an instruction, found `nop`"),
            (
                "stop\n  fadd r0, r1",
                "line 2, column 14: expected `,` and operand `b`, found the end of the line",
            ),
            (
                "fadd r0, r1, 1.03",
                "line 1, column 14: expected a float of the form m/64 or (16..31) * 2^(-6..0), found `1.03`",
            ),
            ("fadd.foo r0, r1, r2", "line 1, column 6: expected a suffix of `fadd`, found `foo`"),
            (
                "fadd r0, r1.sx, r2",
                "line 1, column 10: operand `a` of `fadd`: this modifier or hint is not allowed here",
            ),
            ("jmp_any nowhere", "line 1, column 1: the label `nowhere` is not defined"),
            ("a: stop\na: stop", "line 2, column 3: the label `a` is defined twice"),
            (
                "load.i32.xy r0, u0_u1, 0",
                "line 1, column 13: expected 2 consecutive registers for `dst`, found `r0`",
            ),
            ("load.i32.x r0, u0_u2, 0", "line 1, column 16: expected consecutive registers, found `u0_u2`"),
            (
                "load.i32.x r0, u128_u129, 0",
                "line 1, column 16: operand `base` of `load`: the number is out of range",
            ),
            ("mov r0, r1, r2", "line 1, column 13: expected a modifier of `bitop`, found `r2`"),
            ("wait 2", "line 1, column 6: operand `group` of `wait`: the number is out of range"),
            ("stop.long", "line 1, column 6: expected a suffix of `stop`, found `long`"),
        ] {
            let error = assemble(text).expect_err(text);
            assert_eq!(error.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn labels_become_distances() {
        let code = assemble("L0: jmp_none L1\n stop\nL1: jmp_any L0 ; back\n").unwrap();
        assert_eq!(code, [0x20, 0xc0, 8, 0, 0, 0, 0x88, 0, 0x00, 0xc0, 0xf8, 0xff, 0xff, 0xff]);
        assert_eq!(
            crate::disasm::listing(&code, false),
            "L0:\n    jmp_none L1\n    stop\nL1:\n    jmp_any L0\n"
        );
    }
}
