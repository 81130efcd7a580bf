//! The module as words: header, byte order, and bounds-checked instructions.

use bumpalo::Bump;
use spirv::Op;

use super::numbers;
use crate::error::{CompileError, Location, ModuleError};

/// Words of the header: magic, version, generator, id bound, schema.
const HEADER_WORDS: usize = 5;

/// Maximum number of words of a module (16 MiB).
pub const MAX_MODULE_WORDS: usize = 1 << 22;

/// Highest accepted id bound, the limit of the specification.
pub const MAX_ID_BOUND: u32 = 0x3f_ffff;

/// A module's words in the host's byte order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a> {
    words: &'a [u32],
    /// Exclusive upper bound of ids.
    pub bound: u32,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inst<'a> {
    /// Opcode.
    pub op: Op,
    /// Operand words, without the first word of the instruction.
    pub operands: &'a [u32],
    /// Offset of the first word in the module.
    pub offset: usize,
}

impl<'a> Words<'a> {
    /// Reads the header of a module in either byte order.
    pub fn new(bump: &'a Bump, bytes: &[u8]) -> Result<Self, CompileError> {
        let swapped = match bytes.first_chunk::<4>() {
            Some(magic) if u32::from_le_bytes(*magic) == spirv::MAGIC_NUMBER => false,
            Some(magic) if u32::from_be_bytes(*magic) == spirv::MAGIC_NUMBER => true,
            Some(word) => return Err(ModuleError::NotSpirv { found: u32::from_le_bytes(*word) }.into()),
            None => return Err(ModuleError::Header { words: 0 }.into()),
        };
        if !bytes.len().is_multiple_of(4) {
            return Err(ModuleError::PartialWord { bytes: bytes.len() }.into());
        }
        if bytes.len() / 4 > MAX_MODULE_WORDS {
            return Err(ModuleError::TooLong { words: bytes.len() / 4, most: MAX_MODULE_WORDS }.into());
        }
        let word =
            |chunk: &[u8; 4]| if swapped { u32::from_be_bytes(*chunk) } else { u32::from_le_bytes(*chunk) };
        let (chunks, _) = bytes.as_chunks::<4>();
        let words: &[u32] = bump.alloc_slice_fill_iter(chunks.iter().map(word));
        let &[_, version, _, bound, _, ..] = words else {
            return Err(ModuleError::Header { words: words.len() }.into());
        };
        if version >> 16 != 1 {
            return Err(at_word(CompileError::from(ModuleError::Version { word: version }), 1));
        }
        if bound > MAX_ID_BOUND {
            return Err(at_word(CompileError::from(ModuleError::IdBound { bound, most: MAX_ID_BOUND }), 3));
        }
        Ok(Words { words, bound })
    }

    /// The instructions starting at word `offset`.
    pub fn instructions_from(self, offset: usize) -> Instructions<'a> {
        Instructions { rest: self.words.get(offset..).unwrap_or(&[]), offset }
    }

    /// All instructions.
    pub fn instructions(self) -> Instructions<'a> {
        self.instructions_from(HEADER_WORDS)
    }
}

fn at_word(error: CompileError, offset: usize) -> CompileError {
    error.at(Location::Word { offset, opcode: None })
}

/// The name of an opcode in the specification.
pub(super) fn name(op: Op) -> String {
    format!("Op{op:?}")
}

/// Reads instructions in sequence; an instruction out of bounds is an error, which ends the sequence.
#[derive(Clone, Debug)]
pub(super) struct Instructions<'a> {
    /// The words that are not read yet.
    rest: &'a [u32],
    /// Their offset in the module.
    offset: usize,
}

impl Instructions<'_> {
    /// Word offset of the next instruction.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Inst<'a>, CompileError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (first, rest) = self.rest.split_first()?;
        let (first, offset) = (*first, self.offset);
        let length = (first >> 16) as usize;
        let parts = rest.split_at_checked(length.wrapping_sub(1));
        let (Some((operands, rest)), Some(op)) = (parts, numbers::numbered(first & 0xffff)) else {
            self.rest = &[];
            return Some(Err(invalid_instruction(offset, first, parts.is_some())));
        };
        (self.rest, self.offset) = (rest, offset.wrapping_add(length));
        Some(Ok(Inst { op, operands, offset }))
    }
}

/// The error for an instruction that begins with the word `first` but is not valid.
#[cold]
fn invalid_instruction(offset: usize, first: u32, has_operands: bool) -> CompileError {
    let number = first & 0xffff;
    if has_operands {
        return at_word(CompileError::from(ModuleError::UnknownOpcode { number }), offset);
    }
    let opcode = Op::from_u32(number).map(name);
    CompileError::from(ModuleError::Truncated { words: (first >> 16) as usize })
        .at(Location::Word { offset, opcode })
}

impl<'a> Inst<'a> {
    /// Operand `index`.
    #[inline]
    pub fn word(&self, index: usize) -> Result<u32, CompileError> {
        self.operands.get(index).copied().ok_or_else(|| self.missing(index))
    }

    #[cold]
    fn missing(&self, index: usize) -> CompileError {
        self.locate(CompileError::from(ModuleError::MissingOperand { index, count: self.operands.len() }))
    }

    /// Operands from `index` on; empty if there are fewer.
    pub fn rest(&self, index: usize) -> &'a [u32] {
        self.operands.get(index..).unwrap_or(&[])
    }

    /// Attaches this instruction's location to `error`, unless it has one.
    pub fn locate(&self, error: CompileError) -> CompileError {
        error.at(Location::Word { offset: self.offset, opcode: Some(name(self.op)) })
    }

    /// A literal string that starts at operand `index`, and the index of the operand after it.
    pub fn string(&self, index: usize) -> Result<(String, usize), CompileError> {
        let words = self.rest(index);
        let mut bytes = Vec::with_capacity(words.len().saturating_mul(size_of::<u32>()));
        for (next, word) in (index.saturating_add(1)..).zip(words) {
            for byte in word.to_le_bytes() {
                if byte == 0 {
                    let text = String::from_utf8(bytes);
                    let text = text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into());
                    return Ok((text, next));
                }
                bytes.push(byte);
            }
        }
        Err(self.locate(CompileError::from(ModuleError::UnterminatedString)))
    }
}
