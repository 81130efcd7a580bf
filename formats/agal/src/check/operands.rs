//! Registers that instructions read and write.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use std::ops::Range;

use super::Checker;
use crate::opcode::{OpcodeRow, Semantics};
use crate::program::Stage;
use crate::register::RegisterFile;
use crate::rule::{Field, Rule, Violation};
use crate::sampler::DIMENSION;
use crate::shader::{Index, Read, Write};
use crate::token::{DestinationWord, IDENTITY, SamplerField, SourceWord, Token};

impl Checker<'_> {
    fn file(&mut self, number: u8, field: Field) -> Result<RegisterFile, Violation> {
        match RegisterFile::from_number(number) {
            Some(file) => Ok(file),
            None => {
                let rule = Rule::UnknownFile;
                let adobe = rule.row().adobe;
                Err(Violation { rule, token: self.at, field, found: number.into(), adobe })
            }
        }
    }

    /// Checks a register number; the instruction uses `reach` registers from there on.
    pub(super) fn bounds(
        &mut self,
        file: RegisterFile,
        register: u16,
        reach: u16,
        field: Field,
    ) -> Result<(), Violation> {
        let last = u32::from(register.saturating_add(reach).saturating_sub(1));
        let count = u32::from(file.count(self.program.stage, self.program.version));
        let row = file.row();
        let rule = if last >= u32::from(row.tolerated) {
            Rule::RegisterLimit
        } else if last >= count {
            Rule::RegisterBounds
        } else {
            return Ok(());
        };
        self.note_numbered(rule, field, last.into(), Some(row.bounds_error))
    }

    /// Checks a source other than a sampler; the instruction reads its components at `positions`.
    pub(super) fn source(
        &mut self,
        row: &OpcodeRow,
        word: SourceWord,
        positions: u8,
        field: Field,
    ) -> Result<Read, Violation> {
        self.require(word.reserved() != 0, Rule::ReservedBits, field, word.reserved())?;
        let file = self.file(word.file(), field)?;
        self.readable(file, field, word)?;
        let second = field == Field::Source2;
        let reach = match row.semantics {
            Semantics::Matrix { rows, .. } if second => u16::from(rows),
            _ => 1,
        };
        let swizzle = word.swizzle();
        let scalar = swizzle == [swizzle[0]; 4];
        let bits = u64::from(word.swizzle_bits());
        self.require(row.scalar_sources() && !scalar, Rule::SwizzleNotScalar, field, bits)?;
        let swizzled = reach > 1 && word.swizzle_bits() != IDENTITY;
        self.require(swizzled, Rule::MatrixSwizzle, field, bits)?;
        if word.is_relative() {
            return self.relative(file, word, reach, field);
        }
        self.require(word.relative_only() != 0, Rule::DirectWithIndex, field, word.relative_only())?;
        self.bounds(file, word.register(), reach, field)?;
        let read = Read { file, register: word.register(), swizzle, index: None };
        self.record(&read, components(&read, positions), reach, field)?;
        Ok(read)
    }

    fn readable(&mut self, file: RegisterFile, field: Field, word: SourceWord) -> Result<(), Violation> {
        let fragment = self.program.stage == Stage::Fragment;
        let rule = match file {
            RegisterFile::Sampler => Rule::SamplerAsSource,
            RegisterFile::Output | RegisterFile::Depth => Rule::OutputRead,
            RegisterFile::Attribute if fragment => Rule::AttributeInFragment,
            RegisterFile::Instance if fragment => Rule::InstanceInFragment,
            RegisterFile::Varying if !fragment => Rule::VaryingReadInVertex,
            _ => return Ok(()),
        };
        self.note(rule, field, word.register().into())
    }

    fn relative(
        &mut self,
        file: RegisterFile,
        word: SourceWord,
        reach: u16,
        field: Field,
    ) -> Result<Read, Violation> {
        let fragment = self.program.stage == Stage::Fragment;
        let register = u64::from(word.register());
        self.require(fragment, Rule::RelativeInFragment, field, register)?;
        if file != RegisterFile::Constant {
            let rule = Rule::RelativeFile;
            let found = word.file().into();
            return Err(Violation { rule, token: self.at, field, found, adobe: rule.row().adobe });
        }
        let index_file = self.file(word.index_file(), field)?;
        match index_file {
            RegisterFile::Attribute if !fragment => {}
            RegisterFile::Constant | RegisterFile::Temporary => {}
            RegisterFile::Varying if fragment => {
                self.note(Rule::IndexFile, field, word.index_file().into())?;
            }
            _ => {
                let rule = Rule::IndexFile;
                let found = word.index_file().into();
                return Err(Violation { rule, token: self.at, field, found, adobe: rule.row().adobe });
            }
        }
        self.bounds(index_file, word.register(), 1, field)?;
        let index = Index { file: index_file, register: word.register(), component: word.index_component() };
        let inner =
            Read { file: index_file, register: index.register, swizzle: [index.component; 4], index: None };
        self.record(&inner, 1 << index.component, 1, field)?;
        let offset = u16::from(word.offset());
        let all = RegisterFile::Constant.count(self.program.stage, self.program.version);
        self.interface.relative = true;
        self.interface.constants = self.interface.constants.max(all).max(offset.saturating_add(reach));
        Ok(Read { file, register: offset, swizzle: word.swizzle(), index: Some(index) })
    }

    /// Records that a direct source reads `components` of a register.
    fn record(&mut self, read: &Read, components: u8, reach: u16, field: Field) -> Result<(), Violation> {
        let end = read.register.saturating_add(reach);
        let registers = usize::from(read.register)..usize::from(end);
        let interface = &mut self.interface;
        match read.file {
            RegisterFile::Attribute => mark(&mut interface.attributes, registers, components),
            RegisterFile::Constant => interface.constants = interface.constants.max(end),
            RegisterFile::Varying => mark(&mut interface.varyings_read, registers, components),
            RegisterFile::Instance => interface.instance = true,
            RegisterFile::Temporary => {
                interface.temporaries = interface.temporaries.max(end);
                for register in registers {
                    self.temporary(register, components, field)?;
                }
            }
            RegisterFile::Output | RegisterFile::Sampler | RegisterFile::Depth => {}
        }
        Ok(())
    }

    fn temporary(&mut self, register: usize, components: u8, field: Field) -> Result<(), Violation> {
        let written = self.written.get(register).copied().unwrap_or(0);
        let rule = if written == 0 { Rule::TemporaryUnwritten } else { Rule::ComponentUnwritten };
        self.require(components & !written != 0, rule, field, register as u64)
    }

    /// Checks the destination.
    pub(super) fn written_register(
        &mut self,
        row: &OpcodeRow,
        word: DestinationWord,
    ) -> Result<Write, Violation> {
        let field = Field::Destination;
        self.require(word.reserved() != 0, Rule::ReservedBits, field, word.reserved().into())?;
        let file = self.file(word.file(), field)?;
        self.writable(file, word)?;
        self.bounds(file, word.register(), 1, field)?;
        let excess = word.mask() & !row.result_mask();
        self.require(excess != 0, Rule::MaskHasW, field, word.mask().into())?;
        let mask = word.mask() & row.result_mask();
        let write = Write { file, register: word.register(), mask };
        self.record_write(&write)?;
        Ok(write)
    }

    fn writable(&mut self, file: RegisterFile, word: DestinationWord) -> Result<(), Violation> {
        let fragment = self.program.stage == Stage::Fragment;
        let rule = match file {
            RegisterFile::Attribute => Rule::AttributeWritten,
            RegisterFile::Constant => Rule::ConstantWritten,
            RegisterFile::Sampler => Rule::SamplerWritten,
            RegisterFile::Instance => Rule::InstanceWritten,
            RegisterFile::Varying if fragment => Rule::VaryingInFragment,
            RegisterFile::Depth if !fragment => Rule::DepthInVertex,
            _ => return Ok(()),
        };
        self.note(rule, Field::Destination, word.register().into())
    }

    fn record_write(&mut self, write: &Write) -> Result<(), Violation> {
        let first = usize::from(write.register);
        let register = first..first.saturating_add(1);
        let field = Field::Destination;
        match write.file {
            RegisterFile::Temporary => {
                self.interface.temporaries = self.interface.temporaries.max(write.register.saturating_add(1));
                mark(&mut self.written, register, write.mask);
            }
            RegisterFile::Varying => mark(&mut self.interface.varyings_written, register, write.mask),
            RegisterFile::Depth => {
                self.require(write.mask != 1, Rule::DepthMask, field, write.mask.into())?;
                self.in_block(write)?;
                self.interface.depth |= write.has(0);
            }
            RegisterFile::Output => {
                self.in_block(write)?;
                self.colour(write)?;
                mark(&mut self.interface.outputs, register, write.mask);
            }
            _ => {}
        }
        Ok(())
    }

    fn in_block(&mut self, write: &Write) -> Result<(), Violation> {
        let open = self.blocks.any_open();
        self.require(open, Rule::OutputInBlock, Field::Destination, write.register.into())
    }

    fn colour(&mut self, write: &Write) -> Result<(), Violation> {
        if self.program.stage == Stage::Vertex {
            return Ok(());
        }
        let before = self.interface.outputs.get(usize::from(write.register)).copied().unwrap_or(0);
        let field = Field::Destination;
        self.require(write.mask != 15, Rule::ColourMask, field, write.mask.into())?;
        self.require(before != 0, Rule::ColourTwice, field, write.register.into())
    }
}

/// Adds components to the masks of some registers.
fn mark(masks: &mut [u8], registers: Range<usize>, components: u8) {
    masks.get_mut(registers).into_iter().flatten().for_each(|mask| *mask |= components);
}

/// The lowest `count` bits.
fn low_bits(count: u8) -> u8 {
    !u8::MAX.checked_shl(count.into()).unwrap_or(0)
}

/// The positions of a token's sources that its opcode reads.
pub(super) fn positions(row: &OpcodeRow, token: &Token) -> u8 {
    match row.semantics {
        Semantics::Dot(count) | Semantics::Matrix { columns: count, .. } => low_bits(count),
        Semantics::Cross | Semantics::Normalize => 0b0111,
        Semantics::If(_) => 0b1111,
        Semantics::Kill => 0b0001,
        Semantics::Texture if SamplerField(token.source2.0).nibble(DIMENSION) == 0 => 0b0011,
        Semantics::Texture => 0b0111,
        _ => token.destination.mask(),
    }
}

/// The components of a register that a source reads at `positions`.
fn components(read: &Read, positions: u8) -> u8 {
    let read = read.swizzle.iter().enumerate().filter(|(at, _)| positions >> at & 1 == 1);
    read.fold(0, |mask, (_, component)| mask | 1 << component)
}
