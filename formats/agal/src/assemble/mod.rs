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
use crate::program::{Program, Stage, Version};
use crate::rule::Rule;
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

/// Assembles `text`.
///
/// # Errors
///
/// The first syntax error.
pub fn assemble(text: &str, options: AssembleOptions) -> Result<Program, AssembleError> {
    let (mut version, mut stage) = (options.version, options.stage);
    if let Some((directive, line)) = first_line(text)
        && let Some(found) = Line::new(directive, line).directive()?
    {
        (version, stage) = (Some(found.0), Some(found.1));
    }
    let stage = stage.unwrap_or_else(|| infer_stage(text));
    let mut tokens = Vec::new();
    for (line, number) in lines(text) {
        if line::content(line).to_ascii_lowercase().starts_with(".agal") {
            continue;
        }
        tokens.extend(Line::new(line, number).token(stage)?);
    }
    let mut program = Program { version: Version::V1, stage, tokens };
    program.version = version.unwrap_or_else(|| lowest_version(&program));
    Ok(program)
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
    Line::new(line, 1).token(stage).ok().flatten()
}

/// Infers the stage: a program that names registers of vertex programs is a vertex program.
fn infer_stage(text: &str) -> Stage {
    let vertex = ["va", "vc", "vt", "op", "vo", "iid"];
    let mut words = text
        .lines()
        .map(line::content)
        .flat_map(|line| line.split([' ', '\t', ',', '[', '.']))
        .map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase());
    if words.any(|word| vertex.contains(&word.as_str())) { Stage::Vertex } else { Stage::Fragment }
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
    Version::ALL.into_iter().find(fits).unwrap_or(Version::V3)
}
