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

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

mod directive;
mod finish;
mod instruction;
mod operand;

use std::collections::BTreeMap;

use thiserror::Error;

use crate::container::Container;
use crate::descriptor::Descriptor;
use crate::inst::Inst;
use crate::opcode::Opcode;
use crate::program::Shader;
use operand::Register;

/// An error with its place in the text.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("line {line}: {cause}")]
pub struct AsmError {
    /// Index of the text.
    pub source_index: usize,
    /// The line, counted from 1; 0 for errors that concern the whole text.
    pub line: usize,
    /// The error.
    pub cause: AsmCause,
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

type Result<T> = std::result::Result<T, AsmCause>;

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
    let mut assembler = Assembler::default();
    for (source_index, text) in texts.iter().enumerate() {
        assembler.unit = Unit::default();
        for (number, line) in (1..).zip(text.lines()) {
            assembler.at = (source_index, number);
            assembler.line(line).map_err(|cause| AsmError { source_index, line: number, cause })?;
        }
        assembler.at = (source_index, 0);
        let closed = assembler.close_unit();
        closed.map_err(|cause| AsmError { source_index, line: 0, cause })?;
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
    /// Its text and line.
    at: (usize, usize),
}

/// The target of an instruction.
enum Reference {
    None,
    /// A procedure, or a label for a jump without return.
    Name(String),
    /// First instruction, and the address after the last.
    Range(String, String),
}

/// An open block.
struct Block {
    kind: BlockKind,
    /// Address of the first instruction.
    start: usize,
    /// Address of the first instruction of the else part.
    other: Option<usize>,
    name: String,
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
    entry: Option<String>,
    no_shader: bool,
    no_padding: bool,
    /// Registers in use: inputs, outputs, and constants from the top of the uniforms.
    used: directive::Used,
    /// The open constant array.
    array: Vec<[f32; 4]>,
}

/// State of the assembler.
#[derive(Default)]
struct Assembler {
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
    at: (usize, usize),
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

impl Assembler {
    /// Assembles a line.
    fn line(&mut self, line: &str) -> Result<()> {
        let mut text = line.split(';').next().unwrap_or_default().trim();
        while let Some((label, rest)) = text.split_once(':') {
            let label = label.trim();
            if !is_name(label) {
                let expected = "letters, digits and `_`";
                return Err(AsmCause::Unknown { what: "label", text: label.to_owned(), expected });
            }
            if self.labels.insert(label.to_owned(), self.items.len()).is_some() {
                return Err(AsmCause::Duplicate(label.to_owned()));
            }
            text = rest.trim();
        }
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match name.strip_prefix('.') {
            _ if name.is_empty() => Ok(()),
            Some(directive) => self.directive(directive, rest.trim()),
            None => self.instruction(name, rest.trim()),
        }
    }

    /// Appends an instruction.
    fn push(&mut self, inst: Inst, descriptor: Option<Descriptor>, reference: Reference) {
        let item = Item { inst: Some(inst), word: 0, descriptor, fixed: None, reference, at: self.at };
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

/// Whether a text is a name: letters, digits, `_` and `$`, not beginning with a digit.
fn is_name(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    text.chars().all(letter) && text.chars().next().is_some_and(|c| !c.is_ascii_digit())
}
