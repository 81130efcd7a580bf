//! The disassembler: prints text that assembles to the same bytes.

use std::fmt::Write as _;

use crate::assemble::assemble_line;
use crate::opcode::Semantics;
use crate::program::{Program, Stage};
use crate::register::RegisterFile;
use crate::sampler::{DIMENSION, FILTER, FLAGS, FORMAT, MIP, SAMPLER_WORDS, WRAP};
use crate::token::{DestinationWord, SamplerField, SourceWord, Token};

/// The text of a program, which assembles to the same bytes. Tokens with nonzero reserved bits cannot be
/// expressed in the syntax and are printed as `.token` with their bytes.
pub fn disassemble(program: &Program) -> String {
    let mut text = format!(".agal {} {}\n", program.version.number(), program.stage.name());
    for token in &program.tokens {
        let line = instruction(token, program.stage);
        if assemble_line(&line, program.stage) == Some(*token) {
            text.push_str(&line);
        } else {
            text.push_str(&raw(token));
            text.push_str(" // ");
            text.push_str(&line);
        }
        text.push('\n');
    }
    text
}

/// A `.token` directive for the bytes of a token.
fn raw(token: &Token) -> String {
    let mut bytes = Vec::new();
    bytes.extend(token.opcode.row().code.to_le_bytes());
    bytes.extend(token.destination.0.to_le_bytes());
    bytes.extend(token.source1.0.to_le_bytes());
    bytes.extend(token.source2.0.to_le_bytes());
    bytes.iter().fold(String::from(".token "), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn instruction(token: &Token, stage: Stage) -> String {
    let row = token.opcode.row();
    let operands = row.operands();
    let mut parts = Vec::new();
    if operands.destination {
        parts.push(destination(token.destination, stage));
    }
    if operands.sources > 0 {
        parts.push(source(token.source1, stage));
    }
    if operands.sources > 1 {
        parts.push(match row.semantics {
            Semantics::Texture => sampler(SamplerField(token.source2.0), stage),
            _ => source(token.source2, stage),
        });
    }
    if parts.is_empty() { row.name.to_owned() } else { format!("{} {}", row.name, parts.join(", ")) }
}

/// A register's name; `?` for an unknown file.
fn register(file: u8, number: u16, stage: Stage) -> String {
    RegisterFile::from_number(file).map_or_else(|| "?".to_owned(), |file| file.register_name(stage, number))
}

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

fn letter(component: u8) -> char {
    LETTERS.get(usize::from(component)).copied().unwrap_or('?')
}

fn destination(word: DestinationWord, stage: Stage) -> String {
    let name = register(word.file(), word.register(), stage);
    if word.mask() == 15 {
        return name;
    }
    let written = (0..4).filter(|component| word.mask() >> component & 1 == 1).map(letter);
    format!("{name}.{}", written.collect::<String>())
}

fn source(word: SourceWord, stage: Stage) -> String {
    let file = RegisterFile::from_number(word.file());
    let name = if word.is_relative() {
        let prefix = file.map_or("?", |file| file.prefix(stage));
        let index = register(word.index_file(), word.register(), stage);
        let component = letter(word.index_component());
        match word.offset() {
            0 => format!("{prefix}[{index}.{component}]"),
            offset => format!("{prefix}[{index}.{component}+{offset}]"),
        }
    } else {
        register(word.file(), word.register(), stage)
    };
    name + &swizzle(word.swizzle())
}

/// The shortest text of a swizzle, whose last component repeats; empty for the identity.
fn swizzle(components: [u8; 4]) -> String {
    if components == [0, 1, 2, 3] {
        return String::new();
    }
    let last = components[3];
    let repeated = components.iter().rev().take_while(|component| **component == last).count();
    let shown = components.iter().take(5 - repeated).map(|component| letter(*component));
    format!(".{}", shown.collect::<String>())
}

fn sampler(field: SamplerField, stage: Stage) -> String {
    let mut words: Vec<String> = Vec::new();
    for (shift, always) in [(DIMENSION, true), (WRAP, true), (FILTER, true), (MIP, true), (FORMAT, false)] {
        let value = field.nibble(shift);
        let row = SAMPLER_WORDS.iter().find(|row| row.shift == shift && row.value == value);
        if always || value != 0 {
            words.push(row.map_or("?", |row| row.word).to_owned());
        }
    }
    let flags = SAMPLER_WORDS.iter().filter(|row| row.shift == FLAGS && field.nibble(FLAGS) & row.value != 0);
    words.extend(flags.map(|row| row.word.to_owned()));
    if field.bias_eighths() != 0 {
        words.push((f32::from(field.bias_eighths()) / 8.0).to_string());
    }
    format!("{} <{}>", register(field.file(), field.register(), stage), words.join(", "))
}
