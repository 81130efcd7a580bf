//! The assembler: parses the syntax of AGALMiniAssembler.
//!
//! A line is an opcode, its operands separated by commas or blanks, and for texture opcodes settings between
//! `<` and `>`. `//` begins a comment. Upper and lower case are equivalent. Two directives make a text
//! self-contained:
//!
//! * `.agal VERSION STAGE` on the first line, as in `.agal 2 fragment`. Without it, version and stage come
//!   from the options; by default, the stage follows from the register names, and the version is the lowest
//!   that allows the program;
//! * `.token HEX`, a token as the 48 hexadecimal digits of its bytes, for tokens that the syntax cannot
//!   express.
//!
//! Adobe's assembler skips both with a warning. A swizzle of fewer than four components repeats its last.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

mod line;
mod operand;

use std::fmt;

use line::Line;

use crate::check::Mode;
use crate::opcode::Opcode;
use crate::program::{Program, Stage, Version};
use crate::register::RegisterFile;
use crate::rule::{Field, Rule};
use crate::token::Token;

/// Version and stage of a text without the directive `.agal`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AssembleOptions {
    /// Version of the byte code.
    pub version: Option<Version>,
    /// Kind of the program.
    pub stage: Option<Stage>,
}

/// A syntax error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AssembleError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// Description of the error.
    pub message: String,
}

impl fmt::Display for AssembleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for AssembleError {}

/// A place in a text.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Place {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

/// The places of the parts of a token; absent operands are at the opcode.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TokenPlaces {
    /// Its opcode.
    pub opcode: Place,
    /// Its destination, its first and its second source.
    pub operands: [Place; 3],
}

impl TokenPlaces {
    /// The place of a field.
    pub fn of(&self, field: Field) -> Place {
        let [destination, source1, source2] = self.operands;
        match field {
            Field::Destination => destination,
            Field::Source1 => source1,
            Field::Source2 | Field::Sampler => source2,
            Field::Program | Field::Opcode | Field::Linkage => self.opcode,
        }
    }
}

/// A program from a text, with the places of its tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assembled {
    /// The program.
    pub program: Program,
    /// The place of each token.
    pub places: Vec<TokenPlaces>,
}

/// Assembles `text`.
///
/// # Errors
///
/// The first syntax error; a text without instructions and without directive.
pub fn assemble(text: &str, options: AssembleOptions) -> Result<Program, AssembleError> {
    assemble_with_places(text, options).map(|assembled| assembled.program)
}

/// As [`assemble`], with the places of the tokens.
///
/// # Errors
///
/// As [`assemble`].
pub fn assemble_with_places(text: &str, options: AssembleOptions) -> Result<Assembled, AssembleError> {
    let (mut version, mut stage) = (options.version, options.stage);
    let mut has_directive = false;
    if let Some((directive, line)) = first_line(text)
        && let Some(found) = Line::new(directive, line).directive()?
    {
        (version, stage) = (Some(found.0), Some(found.1));
        has_directive = true;
    }
    let stage = stage.unwrap_or_else(|| infer_stage(text));
    let (mut tokens, mut places) = (Vec::new(), Vec::new());
    for (line, number) in lines(text) {
        if line::content(line).to_ascii_lowercase().starts_with(".agal") {
            continue;
        }
        if let Some((token, place)) = Line::new(line, number).token(stage)? {
            tokens.push(token);
            places.push(place);
        }
    }
    if tokens.is_empty() && !has_directive {
        let message = "expected instructions, found none".to_owned();
        return Err(AssembleError { line: 1, column: 1, message });
    }
    let mut program = Program { version: Version::V1, stage, tokens };
    program.version = version.unwrap_or_else(|| lowest_version(&program));
    Ok(Assembled { program, places })
}

/// The lines of a text with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.split(['\n', '\r', '\x0b', '\x0c']).zip(1..)
}

/// The first line with content.
fn first_line(text: &str) -> Option<(&str, usize)> {
    lines(text).find(|(line, _)| !line::content(line).is_empty())
}

/// Whether a text begins with the `.agal` directive.
pub fn has_directive(text: &str) -> bool {
    first_line(text)
        .is_some_and(|(line, number)| Line::new(line, number).directive().is_ok_and(|found| found.is_some()))
}

/// The token of one line of a program of `stage`.
pub(crate) fn assemble_line(line: &str, stage: Stage) -> Option<Token> {
    Line::new(line, 1).token(stage).ok().flatten().map(|(token, _)| token)
}

/// Infers the stage: a program that names registers of vertex programs is a vertex program, and so is one
/// that writes a varying and names no registers of fragment programs.
fn infer_stage(text: &str) -> Stage {
    let vertex = ["va", "vc", "vt", "vs", "op", "vo", "iid"];
    let fragment = ["fc", "ft", "fs", "oc", "fo", "od", "fd"];
    let names = |line| words(line).skip(1).map(file_name);
    let has = |known: &[&str]| {
        text.lines().map(line::content).flat_map(names).any(|name| known.contains(&name.as_str()))
    };
    if has(&vertex) || !has(&fragment) && text.lines().map(line::content).any(writes_varying) {
        Stage::Vertex
    } else {
        Stage::Fragment
    }
}

/// The words of a line: the opcode, then parts of operands.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ',', ';', '[', '.']).filter(|word| !word.is_empty())
}

/// The name of a register without its number, in lower case.
fn file_name(word: &str) -> String {
    word.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase()
}

/// Whether the destination of a line is a varying.
fn writes_varying(line: &str) -> bool {
    let mut words = words(line);
    let opcode = words.next().and_then(|word| Opcode::from_name(&word.to_ascii_lowercase()));
    let varying = RegisterFile::Varying.row();
    opcode.is_some_and(|opcode| opcode.row().operands().destination)
        && words
            .next()
            .map(file_name)
            .is_some_and(|name| name == varying.vertex || varying.aliases.contains(&name.as_str()))
}

/// The lowest version whose limits the program meets, or else the highest version.
fn lowest_version(program: &Program) -> Version {
    let limits = [Rule::OpcodeVersion, Rule::RegisterBounds, Rule::TooManyTokens];
    let fits = |version: &Version| {
        let candidate = Program { version: *version, ..program.clone() };
        candidate
            .check(Mode::Tolerant)
            .is_ok_and(|shader| !shader.violations.iter().any(|violation| limits.contains(&violation.rule)))
    };
    Version::ALL.into_iter().find(fits).unwrap_or(Version::V4)
}
