//! Nesting of blocks.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use super::Checker;
use crate::opcode::{OpcodeRow, Semantics};
use crate::rule::{Field, Rule, Violation};

/// Maximum nesting of blocks. Adobe's limit is not documented; its assembler has a limit of 4, and real
/// shaders nest deeper.
const MAX_NESTING: usize = 16;

/// An open block.
#[derive(Clone, Copy)]
struct Block {
    /// `els` was found.
    alternative: bool,
    /// Its current part is empty so far.
    empty: bool,
}

/// The open blocks, outermost first.
#[derive(Default)]
pub(super) struct Blocks(Vec<Block>);

impl Blocks {
    pub(super) fn any_open(&self) -> bool {
        !self.0.is_empty()
    }
}

impl Checker<'_> {
    /// Updates the open blocks for an instruction.
    pub(super) fn blocks(&mut self, row: &OpcodeRow) -> Result<(), Violation> {
        match row.semantics {
            Semantics::If(_) => self.open(),
            Semantics::Else => self.alternative(),
            Semantics::EndIf => self.close(),
            _ => {
                self.fill();
                Ok(())
            }
        }
    }

    fn fill(&mut self) {
        if let Some(block) = self.blocks.0.last_mut() {
            block.empty = false;
        }
    }

    fn open(&mut self) -> Result<(), Violation> {
        self.fill();
        self.blocks.0.push(Block { alternative: false, empty: true });
        let depth = self.blocks.0.len();
        self.require(depth > MAX_NESTING, Rule::NestingTooDeep, Field::Opcode, depth as u64)
    }

    fn alternative(&mut self) -> Result<(), Violation> {
        let open = self.blocks.0.pop().filter(|block| !block.alternative);
        self.require(open.is_none(), Rule::ElseWithoutIf, Field::Opcode, 0)?;
        self.require(open.is_some_and(|block| block.empty), Rule::EmptyBlock, Field::Opcode, 0)?;
        self.blocks.0.push(Block { alternative: true, empty: true });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Violation> {
        let open = self.blocks.0.pop();
        self.require(open.is_none(), Rule::EndIfWithoutIf, Field::Opcode, 0)?;
        self.require(open.is_some_and(|block| block.empty), Rule::EmptyBlock, Field::Opcode, 0)
    }

    /// Checks that every block is closed at the end.
    pub(super) fn closed(&mut self) -> Result<(), Violation> {
        let open = self.blocks.0.len();
        self.require(open > 0, Rule::OpenBlock, Field::Program, open as u64)
    }
}
