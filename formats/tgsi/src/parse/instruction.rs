//! `5: MAD_SAT TEMP[0].xyz, IN[0], CONST[1], -IMM[0].xxxx`.

use super::cursor::Cursor;
use super::operand;
use crate::error::ParseError;
use crate::model::{Access, Instruction, Saturate, Texture};
use crate::names::{File, Qualifier, Target};
use crate::opcode::{Class, Opcode};

/// Maximum number of offsets of a texture operation.
const MAX_OFFSETS: usize = 4;

/// The parts of a mnemonic.
struct Mnemonic {
    opcode: Opcode,
    saturate: Saturate,
    is_precise: bool,
}

/// Reads an instruction.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Instruction, ParseError> {
    cursor.skip();
    let place = cursor.place();
    let label = label(cursor);
    let predicate = if cursor.eat(b'(') { Some(operand::predicate(cursor)?) } else { None };
    let expected = match label {
        Some(_) => "an opcode",
        None => "`DCL`, `IMM`, `PROPERTY`, a label or an opcode",
    };
    let name = cursor.word_as(mnemonic);
    let Mnemonic { opcode, saturate, is_precise } = name.ok_or_else(|| cursor.unexpected(expected))?;
    let mut instruction = Instruction {
        opcode,
        label,
        predicate,
        saturate,
        is_precise,
        dsts: Vec::new(),
        srcs: Vec::new(),
        texture: None,
        memory: None,
        target: None,
        place,
    };
    operands(cursor, &mut instruction)?;
    if opcode.has_target() || opcode.info().class == Class::View {
        instruction.texture = Some(texture(cursor, opcode)?);
    }
    if opcode.has_memory() {
        instruction.memory = Some(access(cursor)?);
    }
    if opcode.has_label() {
        instruction.target = target(cursor)?;
    }
    Ok(instruction)
}

/// Whether an instruction follows, judged by its name.
pub(super) fn begins(cursor: &Cursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    label(&mut ahead);
    ahead.word_as(mnemonic).is_some()
}

/// A number and a colon.
fn label(cursor: &mut Cursor<'_>) -> Option<u32> {
    let mut ahead = cursor.clone();
    let number = ahead.unsigned("a label").ok()?;
    ahead.eat(b':').then(|| {
        *cursor = ahead;
        number
    })
}

fn mnemonic(word: &str) -> Option<Mnemonic> {
    let mut found = Mnemonic { opcode: Opcode::Nop, saturate: Saturate::No, is_precise: false };
    let mut name = word.to_ascii_uppercase();
    loop {
        if let Some(opcode) = Opcode::from_name(&name) {
            found.opcode = opcode;
            return Some(found);
        }
        let (rest, suffix) = name.rsplit_once('_')?;
        match suffix {
            "SAT" => found.saturate = Saturate::ZeroOne,
            "SATNV" => found.saturate = Saturate::MinusOneOne,
            "PRECISE" => found.is_precise = true,
            _ => return None,
        }
        name = rest.to_owned();
    }
}

/// The minimum number of sources in any edition or driver.
fn least_sources(opcode: Opcode) -> usize {
    match opcode {
        Opcode::Emit | Opcode::Endprim => 0,
        Opcode::Tg4 => 2,
        Opcode::SampleInfo => 1,
        _ => usize::from(opcode.info().srcs),
    }
}

fn operands(cursor: &mut Cursor<'_>, instruction: &mut Instruction) -> Result<(), ParseError> {
    let opcode = instruction.opcode;
    let info = opcode.info();
    for number in 0..info.dsts {
        if number > 0 {
            cursor.expect(b',')?;
        }
        instruction.dsts.push(operand::destination(cursor)?);
    }
    for number in 0..usize::from(info.srcs) {
        let is_first = number == 0 && info.dsts == 0;
        if number >= least_sources(opcode) && !has_another(cursor, instruction, is_first) {
            break;
        }
        if !is_first {
            cursor.expect(b',')?;
        }
        instruction.srcs.push(operand::source(cursor)?);
    }
    Ok(())
}

/// Whether another optional source follows.
fn has_another(cursor: &Cursor<'_>, instruction: &Instruction, is_first: bool) -> bool {
    let last = instruction.srcs.last();
    if instruction.opcode == Opcode::Tg4 && last.is_some_and(|src| src.file == File::Sampler) {
        return false;
    }
    let mut ahead = cursor.clone();
    (is_first || ahead.eat(b',')) && operand::is_source(&ahead)
}

/// Target and offsets.
fn texture(cursor: &mut Cursor<'_>, opcode: Opcode) -> Result<Texture, ParseError> {
    let mut texture = Texture { target: Target::Unknown, offsets: Vec::new() };
    if opcode.has_target() {
        cursor.expect(b',')?;
        let target = cursor.word_as(Target::from_name);
        texture.target =
            target.ok_or_else(|| cursor.unexpected("a texture target (`2D`, `CUBE`, `SHADOW2D`, …)"))?;
    }
    while texture.offsets.len() < MAX_OFFSETS && cursor.eat(b',') {
        texture.offsets.push(operand::offset(cursor)?);
    }
    Ok(texture)
}

/// Qualifiers, target and format.
fn access(cursor: &mut Cursor<'_>) -> Result<Access, ParseError> {
    let mut access = Access::default();
    while cursor.eat(b',') {
        if let Some(qualifier) = cursor.word_as(Qualifier::from_name) {
            access.qualifiers |= 1 << qualifier as u8;
        } else if let Some(target) = cursor.word_as(Target::from_name) {
            access.target = Some(target);
        } else if let Some(format) = cursor.word_as(format_name) {
            access.format = Some(format);
        } else {
            return Err(cursor.unexpected("a memory qualifier, a texture target or a format"));
        }
    }
    Ok(access)
}

/// A format name, with the prefix as in dumps.
pub(super) fn format_name(word: &str) -> Option<String> {
    let upper = word.to_ascii_uppercase();
    let name = upper.strip_prefix("PIPE_FORMAT_").unwrap_or(&upper);
    let is_name =
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.contains(|c: char| c.is_ascii_digit());
    (is_name || name == "NONE").then(|| format!("PIPE_FORMAT_{name}"))
}

/// A colon and an instruction number.
fn target(cursor: &mut Cursor<'_>) -> Result<Option<u32>, ParseError> {
    let mut ahead = cursor.clone();
    ahead.eat(b',');
    if !ahead.eat(b':') {
        return Ok(None);
    }
    *cursor = ahead;
    cursor.unsigned("the number of an instruction").map(Some)
}
