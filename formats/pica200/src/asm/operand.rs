//! Operands: registers, selectors, conditions, numbers.

use super::{AsmCause, Assembler, Result, unknown};
use crate::descriptor::IDENTITY;
use crate::inst::Inst;
use crate::opcode::Field;
use crate::register::{COMPARISONS, VECTOR_REGISTERS};

/// A register file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum File {
    Output,
    Input,
    Temporary,
    Float,
    Int,
    Bool,
}

impl File {
    /// Letter and number of registers of each file.
    const ALL: [(File, char, usize); 6] = [
        (File::Output, 'o', VECTOR_REGISTERS),
        (File::Input, 'v', VECTOR_REGISTERS),
        (File::Temporary, 'r', VECTOR_REGISTERS),
        (File::Float, 'c', crate::register::FLOAT_UNIFORMS),
        (File::Int, 'i', crate::register::INT_UNIFORMS),
        (File::Bool, 'b', crate::register::BOOL_UNIFORMS),
    ];

    /// Number of registers.
    #[expect(clippy::indexing_slicing, reason = "the table has a row for each variant, in their order")]
    pub fn size(self) -> usize {
        File::ALL[self as usize].2
    }
}

/// A register operand with index, selector and sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Register {
    pub file: File,
    pub index: u8,
    /// Field value of the address register; 0 for none.
    pub address: u8,
    pub selector: [u8; 4],
    /// Components in the selector, for destinations.
    pub mask: [bool; 4],
    pub negated: bool,
}

impl Register {
    pub fn plain(file: File, index: u8) -> Register {
        Register { file, index, address: 0, selector: IDENTITY, mask: [true; 4], negated: false }
    }

    /// Its number as a source; `None` if the file cannot be read.
    pub fn source_number(self) -> Option<u8> {
        match self.file {
            File::Input => Some(self.index),
            File::Temporary => self.index.checked_add(0x10),
            File::Float => self.index.checked_add(0x20),
            _ => None,
        }
    }

    /// Its components in the order of the register, as a write mask has them.
    pub fn names_in_order(self) -> bool {
        self.selector.is_sorted()
    }

    /// Whether only a wide source can encode it.
    pub fn is_wide(self) -> bool {
        self.file == File::Float
    }
}

/// Description of numbers in messages.
const INTEGER: &str = "a decimal or hexadecimal integer";

/// A decimal or hexadecimal number.
pub(super) fn integer(text: &str) -> Result<i64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let value = match digits {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    value.map_or_else(|| unknown("number", text, INTEGER), Ok)
}

/// A selector of one to four components, as a selector and as a mask.
pub(super) fn selector(text: &str) -> Result<([u8; 4], [bool; 4])> {
    let component = |c: char| match c.to_ascii_lowercase() {
        'x' | 'r' | 's' => Some(0),
        'y' | 'g' | 't' => Some(1),
        'z' | 'b' | 'p' => Some(2),
        'w' | 'a' | 'q' => Some(3),
        _ => None,
    };
    let parts: Option<Vec<u8>> = text.chars().map(component).collect();
    let parts = parts.filter(|parts| (1..=4).contains(&parts.len()));
    let Some(parts) = parts else { return unknown("selector", text, "one to four of `xyzw`") };
    let at = |index: usize| parts.get(index).or(parts.last()).copied().unwrap_or_default();
    let mask = [0, 1, 2, 3].map(|component| parts.contains(&component));
    Ok((std::array::from_fn(at), mask))
}

/// The component that a selector reads for `component`.
fn pick([x, y, z, w]: [u8; 4], component: u8) -> u8 {
    match component {
        0 => x,
        1 => y,
        2 => z,
        _ => w,
    }
}

/// Field value of an address register.
fn address_register(text: &str) -> Option<u8> {
    match text.to_ascii_lowercase().as_str() {
        "a0" | "a0.x" => Some(1),
        "a1" | "a0.y" => Some(2),
        "al" | "a2" | "lcnt" => Some(3),
        _ => None,
    }
}

/// The contents of brackets: an address register, an offset, or both.
fn index(text: &str) -> Result<(u8, i64)> {
    let text = text.trim();
    if let Some(address) = address_register(text) {
        return Ok((address, 0));
    }
    let sign = text.find(['+', '-']).filter(|at| *at > 0);
    if let Some((name, rest)) = sign.and_then(|at| text.split_at_checked(at)) {
        let Some(address) = address_register(name.trim()) else {
            return unknown("address register", name.trim(), "`a0.x`, `a0.y` or `aL`");
        };
        let (negative, digits) = match rest.strip_prefix('-') {
            Some(digits) => (true, digits.trim()),
            None => (false, rest.strip_prefix('+').unwrap_or(rest).trim()),
        };
        let offset = integer(digits)?;
        let offset = if negative { offset.checked_neg() } else { Some(offset) };
        return offset.map_or_else(|| unknown("number", digits, INTEGER), |offset| Ok((address, offset)));
    }
    Ok((0, integer(text)?))
}

impl Assembler<'_> {
    /// A register or an alias.
    pub(super) fn register(&self, text: &str) -> Result<Register> {
        let (negated, body) = match text.strip_prefix('-') {
            Some(body) => (true, body.trim()),
            None => (false, text),
        };
        let (name, bracket, rest) = split_brackets(body)?;
        let (name, suffix) = match (bracket, name.split_once('.')) {
            (None, Some((name, suffix))) => (name, suffix),
            _ => (name, rest.strip_prefix('.').unwrap_or(rest)),
        };
        let mut register = self.named(name.trim())?;
        if let Some(bracket) = bracket {
            let (address, offset) = index(bracket)?;
            let moved = i64::from(register.index).saturating_add(offset);
            let size = register.file.size() as i64;
            let fits = u8::try_from(moved).ok().filter(|_| moved < size);
            let Some(moved) = fits else {
                return unknown("register", text, "an index inside the registers");
            };
            if address != 0 && register.file != File::Float {
                let (what, expected) = ("addressed relatively", "a float uniform");
                return Err(AsmCause::Place { text: text.to_owned(), what, expected }.at(text));
            }
            register.index = moved;
            register.address = address;
        }
        if !suffix.is_empty() {
            let (chosen, named) = selector(suffix)?;
            let inner = register.selector;
            register.selector = chosen.map(|component| pick(inner, component));
            register.mask = [0, 1, 2, 3]
                .map(|component| inner.iter().zip(named).any(|(inner, named)| named && *inner == component));
        }
        register.negated ^= negated;
        Ok(register)
    }

    /// A register without index, selector and sign.
    fn named(&self, name: &str) -> Result<Register> {
        if let Some(alias) = self.unit.aliases.get(name) {
            return Ok(*alias);
        }
        let mut letters = name.chars();
        let letter = letters.next().map(|letter| letter.to_ascii_lowercase());
        let file = File::ALL.iter().find(|row| Some(row.1) == letter);
        let number = letters.as_str().parse::<usize>().ok();
        match file.zip(number).filter(|(row, number)| *number < row.2) {
            Some((row, number)) => Ok(Register::plain(row.0, number as u8)),
            None => unknown("register", name, "o0–15, v0–15, r0–15, c0–95, i0–3, b0–15 or an alias"),
        }
    }

    /// A boolean uniform.
    pub(super) fn bool_uniform(&self, text: &str) -> Result<u16> {
        self.uniform(text, File::Bool, "a boolean uniform")
    }

    /// An integer uniform.
    pub(super) fn int_uniform(&self, text: &str) -> Result<u16> {
        self.uniform(text, File::Int, "an integer uniform")
    }

    fn uniform(&self, text: &str, file: File, expected: &'static str) -> Result<u16> {
        let register = self.register(text)?;
        if register.file == file && !register.negated {
            return Ok(register.index.into());
        }
        Err(AsmCause::Place { text: text.to_owned(), what: "tested", expected }.at(text))
    }
}

/// Splits into the name, the contents of brackets, and the rest.
fn split_brackets(text: &str) -> Result<(&str, Option<&str>, &str)> {
    let Some((name, rest)) = text.split_once('[') else { return Ok((text, None, "")) };
    match rest.split_once(']') {
        Some((inside, rest)) => Ok((name, Some(inside), rest.trim())),
        None => unknown("operand", text, "a closing bracket"),
    }
}

/// The field value of a comparison.
pub(super) fn comparison(text: &str) -> Result<u16> {
    let found = COMPARISONS.iter().position(|(_, name)| name.eq_ignore_ascii_case(text));
    found.map_or_else(|| unknown("comparison", text, "eq, ne, lt, le, gt or ge"), |index| Ok(index as u16))
}

/// Sets the fields of a condition: `cmp.x`, `cmp.y` or both, each with an optional `!`, joined by `&&` or
/// `||`.
pub(super) fn condition(inst: Inst, text: &str) -> Result<Inst> {
    let flag = |text: &str| {
        let text = text.trim();
        let name = text.trim_start_matches('!');
        let expected = text.chars().take_while(|c| *c == '!').count().is_multiple_of(2);
        match name.trim().to_ascii_lowercase().as_str() {
            "cmp.x" => Ok((Field::RefX, expected)),
            "cmp.y" => Ok((Field::RefY, expected)),
            _ => unknown("condition", text, "`cmp.x` or `cmp.y`"),
        }
    };
    let reference = |inst: Inst, (field, expected): (Field, bool)| inst.with(field, expected.into());
    // The reference value of an unused code is 1, in text and encoding.
    let inst = inst.with(Field::RefX, 1).with(Field::RefY, 1);
    let Some((first, rest)) = text.find(['&', '|']).and_then(|at| text.split_at_checked(at)) else {
        let tested = flag(text)?;
        let alone = if tested.0 == Field::RefX { 2 } else { 3 };
        return Ok(reference(inst, tested).with(Field::Combine, alone));
    };
    let (joint, second) = rest.split_at_checked(1).unwrap_or((rest, ""));
    let second = second.strip_prefix(joint).unwrap_or(second);
    let (first, second) = (flag(first)?, flag(second)?);
    if first.0 == second.0 {
        return unknown("condition", text, "`cmp.x` and `cmp.y` once each");
    }
    let inst = reference(reference(inst, first), second);
    Ok(inst.with(Field::Combine, u16::from(joint == "&")))
}
