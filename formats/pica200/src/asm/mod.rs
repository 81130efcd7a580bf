//! Assembles picasso's syntax.
//!
//! What picasso documents is accepted: procedures, `.else`, `.end`, aliases, allocation of inputs, outputs and uniforms,
//! constants, geometry modes, and NOPs inserted where the hardware needs one before a block ends. Beyond that:
//!
//! * `@12` is the address 12, and a label denotes its address wherever a procedure does.
//! * `call first, end`, `callc`, `callu`, `ifc` and `ifu` with `first, end` after their other operands, and `for i0, last`, name
//!   their range instead of opening a block.
//! * `.word 0x…` is an instruction word; `.opdesc 0x…` adds an operand descriptor, and `{3}` after the operands of an instruction
//!   says that its descriptor is number 3.
//! * `.entry @5 @9` gives entry and end as addresses; `.fvec name[4] c8` and its like name the register.
//! * `.nonop` switches the padding off.

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

/// Why a text does not assemble.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("line {line}: {cause}")]
pub struct AsmError {
    /// Which of the texts, from 0.
    pub source_index: usize,
    /// The line, from 1; 0 for what concerns all of the text.
    pub line: usize,
    /// What is wrong.
    pub cause: AsmCause,
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum AsmCause {
    /// A word is not one of those that may stand there.
    #[error("unknown {what} `{text}`; expected {expected}")]
    Unknown {
        /// What should be there.
        what: &'static str,
        /// What is there.
        text: String,
        /// What may be there.
        expected: &'static str,
    },
    /// There are more or fewer operands than the instruction or directive takes.
    #[error("`{name}` takes {expected} operands, not {found}")]
    Operands {
        /// The instruction or directive.
        name: String,
        /// How many it takes.
        expected: &'static str,
        /// How many there are.
        found: usize,
    },
    /// A name is defined twice.
    #[error("`{0}` is defined twice")]
    Duplicate(String),
    /// Nothing bears a name.
    #[error("there is no {what} `{name}`")]
    Undefined {
        /// What is looked for.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A register cannot stand where it does.
    #[error("`{text}` cannot be {what}; expected {expected}")]
    Place {
        /// The operand.
        text: String,
        /// Its place.
        what: &'static str,
        /// What may be there.
        expected: &'static str,
    },
    /// Blocks do not match.
    #[error("`{0}` without a block it belongs to")]
    Unmatched(&'static str),
    /// A block is not closed.
    #[error("a block is not closed by `.end`")]
    Open,
    /// Something does not fit.
    #[error("{what}: {count} where {limit} fit")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        count: usize,
        /// How many may be.
        limit: usize,
    },
}

type Result<T> = std::result::Result<T, AsmCause>;

/// Assembles one text.
///
/// # Errors
/// [`AsmError`] with the first line that is wrong.
pub fn assemble(text: &str) -> std::result::Result<Container, AsmError> {
    assemble_all(&[text])
}

/// Assembles texts into one program, with a shader for each that does not say `.nodvle`. Procedures are shared, and so are
/// the uniforms of vertex shaders.
///
/// # Errors
/// [`AsmError`] with the first line that is wrong.
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

/// A word of the program before its targets and descriptor are known.
struct Item {
    /// The instruction; none for a raw word.
    inst: Option<Inst>,
    word: u32,
    descriptor: Option<Descriptor>,
    /// The number of the descriptor, if the text gives one.
    fixed: Option<usize>,
    reference: Reference,
    /// Text and line it is from.
    at: (usize, usize),
}

/// What an instruction refers to by name.
enum Reference {
    None,
    /// A procedure, or a label from which control does not come back.
    Name(String),
    /// First instruction and the address after the last.
    Range(String, String),
}

/// An open block.
struct Block {
    kind: BlockKind,
    /// Address of the instruction that opened it, or of a procedure's first.
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

/// What belongs to one text.
#[derive(Default)]
struct Unit {
    shader: Shader,
    aliases: BTreeMap<String, Register>,
    entry: Option<String>,
    no_shader: bool,
    no_padding: bool,
    /// Registers in use: inputs, outputs, and constants from the top of the uniforms.
    used: directive::Used,
    /// The constant array that is open.
    array: Vec<[f32; 4]>,
}

/// An assembly under way.
#[derive(Default)]
struct Assembler {
    items: Vec<Item>,
    /// Start and size of procedures.
    procedures: BTreeMap<String, (usize, usize)>,
    labels: BTreeMap<String, usize>,
    blocks: Vec<Block>,
    /// A block was just closed, so that another cannot end here.
    after_block: bool,
    /// Descriptors with given numbers.
    descriptors: Vec<Descriptor>,
    /// Uniforms of vertex shaders by name: first register and number, kept across texts.
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
    /// Reads a line.
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

    /// Inserts a NOP before a block ends, where the hardware would overlook the end.
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
