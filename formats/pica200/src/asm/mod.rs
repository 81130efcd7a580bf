//! Assembler for picasso's syntax.
//!
//! picasso's documented syntax is accepted: procedures, `.else`, `.end`, aliases, allocation of inputs,
//! outputs and uniforms, constants, geometry modes, and automatic NOPs where the hardware needs one before
//! the end of a block. In addition:
//!
//! * `@12` is the address 12, and a label may be used in place of a procedure.
//! * `call first, end`, `callc`, `callu`, `ifc` and `ifu` with `first, end` after their other operands, and
//!   `for i0, last`, name their range instead of opening a block.
//! * `.word 0x…` is an instruction word; `.opdesc 0x…` adds an operand descriptor, and `{3}` after the
//!   operands of an instruction selects descriptor 3.
//! * `.entry @5 @9` gives entry and end as addresses; `.fvec name[4] c8` and similar directives name the
//!   register.
//! * `.nonop` disables the automatic NOPs.
//! * `.vsh` makes a text with `setemit` a vertex shader. Without it, and without `.gsh`, such a text is a
//!   geometry shader of mode point that shares the uniforms of vertex shaders, as in picasso.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

mod directive;
mod finish;
mod instruction;
mod operand;
mod place;

use std::collections::BTreeMap;

use thiserror::Error;

use crate::container::Container;
use crate::descriptor::Descriptor;
use crate::inst::Inst;
use crate::opcode::Opcode;
use crate::program::Shader;
use operand::Register;
pub use place::{AsmWarning, Place};
use place::{Name, Statement, column};

/// An error with its place in the text.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("{place}{cause}")]
pub struct AsmError {
    /// Its place.
    pub place: Place,
    /// The error.
    pub cause: AsmCause,
}

/// A program that was assembled, with the places of its words in the texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assembled {
    /// The program and its shaders.
    pub container: Container,
    /// The place of each word of the program.
    pub places: Vec<Place>,
    /// Likely mistakes, in the order of the text.
    pub warnings: Vec<AsmWarning>,
}

/// An error in a text.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum AsmCause {
    /// An unknown word.
    #[error("unknown {what} `{text}`; expected {expected}")]
    Unknown {
        /// Kind of the expected word.
        what: &'static str,
        /// The word.
        text: String,
        /// The accepted words.
        expected: &'static str,
    },
    /// A wrong number of operands.
    #[error("`{name}` takes {expected} operands, not {found}")]
    Operands {
        /// The instruction or directive.
        name: String,
        /// Expected number of operands.
        expected: &'static str,
        /// Number of operands.
        found: usize,
    },
    /// A name is defined twice.
    #[error("`{0}` is defined twice")]
    Duplicate(String),
    /// An undefined name.
    #[error("unknown {what} `{name}`")]
    Undefined {
        /// Kind of the name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// An operand that is not allowed in its position.
    #[error("`{text}` cannot be {what}; expected {expected}")]
    Place {
        /// The operand.
        text: String,
        /// Its position.
        what: &'static str,
        /// The accepted operands.
        expected: &'static str,
    },
    /// A directive or instruction outside of its kind of block.
    #[error("`{0}` outside of a block that allows it")]
    Unmatched(&'static str),
    /// A block that is not closed.
    #[error("a block is not closed by `.end`")]
    Open,
    /// A text without instructions.
    #[error("expected instructions, found none")]
    Empty,
    /// A limit is exceeded.
    #[error("{what}: {count}; expected at most {limit}")]
    Limit {
        /// What is counted.
        what: &'static str,
        /// The number found.
        count: usize,
        /// The maximum.
        limit: usize,
    },
}

/// An error in a statement, and where the statement's part that is at fault begins in memory.
struct Fault {
    cause: AsmCause,
    /// Address of the first byte; 0 if the whole statement is at fault.
    address: usize,
}

impl From<AsmCause> for Fault {
    fn from(cause: AsmCause) -> Fault {
        Fault { cause, address: 0 }
    }
}

impl AsmCause {
    /// This error, in `part` of a statement.
    fn at(self, part: &str) -> Fault {
        Fault { cause: self, address: part.as_ptr() as usize }
    }
}

/// An unknown word.
fn unknown<T>(what: &'static str, text: &str, expected: &'static str) -> Result<T> {
    Err(AsmCause::Unknown { what, text: text.to_owned(), expected }.at(text))
}

type Result<T> = std::result::Result<T, Fault>;

/// Assembles one text.
///
/// # Errors
/// [`AsmError`] for the first faulty line.
pub fn assemble(text: &str) -> std::result::Result<Container, AsmError> {
    assemble_all(&[text])
}

/// Assembles texts into one program, with a shader for each text without `.nodvle`. Texts share procedures
/// and the uniforms of vertex shaders.
///
/// # Errors
/// [`AsmError`] for the first faulty line.
pub fn assemble_all(texts: &[&str]) -> std::result::Result<Container, AsmError> {
    assemble_with_places(texts).map(|assembled| assembled.container)
}

/// As [`assemble_all`], with the places of the program's words, and warnings.
///
/// # Errors
/// [`AsmError`] for the first faulty line.
pub fn assemble_with_places(texts: &[&str]) -> std::result::Result<Assembled, AsmError> {
    let mut assembler = Assembler::default();
    for (source_index, text) in texts.iter().enumerate() {
        assembler.unit = Unit::default();
        for (number, line) in (1..).zip(text.lines()) {
            assembler.statement.place = Place { source_index, line: number, column: 1 };
            assembler.line(line).map_err(|Fault { cause, address }| {
                let place = assembler.statement.place;
                let column = column(line, address).unwrap_or(place.column);
                AsmError { place: Place { column, ..place }, cause }
            })?;
        }
        assembler.close_unit(source_index)?;
    }
    assembler.finish()
}

/// A word of the program with unresolved targets and descriptor.
struct Item {
    /// The instruction; `None` for a raw word.
    inst: Option<Inst>,
    word: u32,
    descriptor: Option<Descriptor>,
    /// The explicit descriptor number, if the text has one.
    fixed: Option<usize>,
    reference: Reference,
    place: Place,
}

/// The target of an instruction.
enum Reference {
    None,
    /// A procedure, or a label for a jump without return.
    Name(Name),
    /// First instruction, and the address after the last.
    Range(Name, Name),
}

/// An open block.
struct Block {
    kind: BlockKind,
    /// Address of the first instruction.
    start: usize,
    /// Address of the first instruction of the else part.
    other: Option<usize>,
    name: String,
    place: Place,
}

impl Block {
    /// A block that begins at `start`, with no else part so far.
    fn new(kind: BlockKind, start: usize, name: &str, place: Place) -> Block {
        Block { kind, start, other: None, name: name.to_owned(), place }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Procedure,
    If,
    Loop,
    /// Elements of a constant array.
    Array,
}

/// State of one text.
#[derive(Default)]
struct Unit {
    shader: Shader,
    aliases: BTreeMap<String, Register>,
    /// The entry, or its first and last address.
    entry: Option<(Name, Option<Name>)>,
    no_shader: bool,
    no_padding: bool,
    /// It has a `setemit`, which makes it a geometry shader unless it has `.vsh`.
    sets_emission: bool,
    is_vertex: bool,
    /// Registers in use: inputs, outputs, and constants from the top of the uniforms.
    used: directive::Used,
    /// The open constant array.
    array: Vec<[f32; 4]>,
    /// The text as a whole.
    place: Place,
}

/// State of the assembler.
#[derive(Default)]
struct Assembler<'t> {
    items: Vec<Item>,
    /// Start and size of procedures.
    procedures: BTreeMap<String, (usize, usize)>,
    labels: BTreeMap<String, usize>,
    blocks: Vec<Block>,
    /// A block has just been closed, so another cannot end here.
    after_block: bool,
    /// Descriptors with explicit numbers.
    descriptors: Vec<Descriptor>,
    /// Uniforms of vertex shaders by name, with first register and number; shared by all texts.
    shared: directive::Shared,
    unit: Unit,
    units: Vec<Unit>,
    statement: Statement<'t>,
}

/// Splits at commas outside parentheses.
fn split_operands(text: &str) -> Vec<&str> {
    let text = text.trim();
    if text.is_empty() {
        return Vec::new();
    }
    let mut depth = 0usize;
    let at = |c: char| {
        match c {
            '(' => depth = depth.saturating_add(1),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(at).map(str::trim).collect()
}

impl<'t> Assembler<'t> {
    /// Assembles a line.
    fn line(&mut self, line: &'t str) -> Result<()> {
        // A preprocessor's line marker.
        if line.trim_start().starts_with('#') {
            return Ok(());
        }
        let mut text = line.split(';').next().unwrap_or_default().trim();
        while let Some((label, rest)) = text.split_once(':') {
            let label = label.trim();
            if !is_name(label) {
                return unknown("label", label, NAME);
            }
            if self.labels.insert(label.to_owned(), self.items.len()).is_some() {
                return Err(AsmCause::Duplicate(label.to_owned()).at(label));
            }
            text = rest.trim();
        }
        self.statement.go_to(line, text);
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match name.strip_prefix('.') {
            _ if name.is_empty() => Ok(()),
            Some(directive) => self.directive(directive, rest.trim()),
            None => self.instruction(name, rest.trim()),
        }
    }

    /// Appends an instruction.
    fn push(&mut self, inst: Inst, descriptor: Option<Descriptor>, reference: Reference) {
        let place = self.statement.place;
        let item = Item { inst: Some(inst), word: 0, descriptor, fixed: None, reference, place };
        self.items.push(item);
        self.after_block = false;
    }

    /// Inserts a NOP before the end of a block where the hardware would miss the end.
    fn pad(&mut self, kind: BlockKind, start: usize) {
        let last = self.items.last().and_then(|item| item.inst).map(|inst| inst.opcode);
        let flows =
            matches!(last, Some(Opcode::Jmpc | Opcode::Jmpu | Opcode::Call | Opcode::Callc | Opcode::Callu));
        let breaks = kind == BlockKind::Loop && matches!(last, Some(Opcode::Break | Opcode::Breakc));
        let least = if kind == BlockKind::Procedure { 1 } else { 2 };
        let short = self.items.len().saturating_sub(start) < least;
        if !self.unit.no_padding && (self.after_block || flows || breaks || short) {
            self.push(Inst::new(Opcode::Nop), None, Reference::None);
        }
        self.after_block = false;
    }
}

/// Description of names in messages.
const NAME: &str = "letters, digits and `_`";

/// Whether a text is a name: letters, digits, `_` and `$`, not beginning with a digit.
fn is_name(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    text.chars().all(letter) && text.chars().next().is_some_and(|c| !c.is_ascii_digit())
}
