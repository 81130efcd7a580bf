//! Checks tokens and makes a shader of them.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

mod blocks;
mod operands;
mod texture;

use blocks::Blocks;

use crate::opcode::{OpcodeRow, Semantics};
use crate::program::{Program, Stage};
use crate::register::RegisterFile;
use crate::rule::{Field, Rule, Violation};
use crate::shader::{Instruction, Interface, Read, Shader, TextureUse, Write};
use crate::token::Token;

/// Which rules are enforced.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mode {
    /// Accepts what existing writers emit.
    #[default]
    Tolerant,
    /// Enforces every rule.
    Strict,
}

impl Mode {
    /// Whether a program that breaks `rule` is rejected.
    pub fn refuses(self, rule: Rule) -> bool {
        self == Mode::Strict || rule.row().tolerance.is_empty()
    }
}

/// Maximum number of tokens in any mode, as in Adobe's assembler.
const TOKEN_LIMIT: usize = 4096;

impl Program {
    /// Checks every rule and returns the program as instructions.
    ///
    /// # Errors
    ///
    /// The first violation that `mode` does not tolerate.
    pub fn check(&self, mode: Mode) -> Result<Shader, Violation> {
        let mut checker = Checker::new(self, mode);
        checker.size()?;
        for (index, token) in self.tokens.iter().enumerate() {
            checker.at = Some(index);
            checker.instruction(index, token)?;
        }
        checker.at = None;
        checker.finish()
    }
}

/// State of the walk over the tokens.
struct Checker<'p> {
    program: &'p Program,
    mode: Mode,
    /// The current token.
    at: Option<usize>,
    violations: Vec<Violation>,
    interface: Interface,
    /// Written components of each temporary.
    written: Vec<u8>,
    blocks: Blocks,
    instructions: Vec<Instruction>,
}

impl<'p> Checker<'p> {
    fn new(program: &'p Program, mode: Mode) -> Self {
        let written = vec![0; usize::from(RegisterFile::Temporary.row().tolerated)];
        let blocks = Blocks::default();
        let instructions = Vec::with_capacity(program.tokens.len().min(TOKEN_LIMIT));
        let (violations, interface) = (Vec::new(), Interface::default());
        Checker { program, mode, at: None, violations, interface, written, blocks, instructions }
    }

    /// Records a violation, or rejects the program.
    fn note(&mut self, rule: Rule, field: Field, found: u64) -> Result<(), Violation> {
        self.note_numbered(rule, field, found, rule.row().adobe)
    }

    fn note_numbered(
        &mut self,
        rule: Rule,
        field: Field,
        found: u64,
        adobe: Option<u16>,
    ) -> Result<(), Violation> {
        let violation = Violation { rule, token: self.at, field, found, adobe };
        if self.mode.refuses(rule) {
            return Err(violation);
        }
        self.violations.push(violation);
        Ok(())
    }

    /// Records a violation if `broken`.
    fn require(&mut self, broken: bool, rule: Rule, field: Field, found: u64) -> Result<(), Violation> {
        if broken { self.note(rule, field, found) } else { Ok(()) }
    }

    fn size(&mut self) -> Result<(), Violation> {
        let count = self.program.tokens.len();
        let limit = self.program.version.max_tokens();
        self.require(count > TOKEN_LIMIT, Rule::TokenLimit, Field::Program, count as u64)?;
        self.require(count > limit, Rule::TooManyTokens, Field::Program, count as u64)?;
        self.require(count == 0, Rule::EmptyProgram, Field::Program, 0)
    }

    fn instruction(&mut self, index: usize, token: &Token) -> Result<(), Violation> {
        let row = token.opcode.row();
        let code = u64::from(row.code);
        self.require(!row.stages.contains(self.program.stage), Rule::OpcodeStage, Field::Opcode, code)?;
        self.require(row.since > self.program.version, Rule::OpcodeVersion, Field::Opcode, code)?;
        self.blocks(row)?;
        let (sources, texture) = self.sources(row, token)?;
        self.pair(row, &sources)?;
        self.context(row, &sources)?;
        let write = self.destination(row, token)?;
        self.interface.kills |= matches!(row.semantics, Semantics::Kill);
        self.instructions.push(Instruction { token: index, opcode: row.opcode, write, sources, texture });
        Ok(())
    }

    fn sources(&mut self, row: &OpcodeRow, token: &Token) -> Result<([Read; 2], TextureUse), Violation> {
        let words = [(token.source1, Field::Source1), (token.source2, Field::Source2)];
        let used = usize::from(row.operands().sources);
        let positions = operands::positions(row, token);
        let mut sources = [Read::NONE; 2];
        let mut texture = TextureUse::NONE;
        for (slot, ((word, field), source)) in words.into_iter().zip(&mut sources).enumerate() {
            if slot >= used {
                self.require(word.0 != 0, Rule::UnusedSource, field, word.0)?;
            } else if slot == 1 && matches!(row.semantics, Semantics::Texture) {
                texture = self.texture(row, word)?;
            } else {
                *source = self.source(row, word, positions, field)?;
            }
        }
        Ok((sources, texture))
    }

    /// Checks the rules about both sources together.
    fn pair(&mut self, row: &OpcodeRow, sources: &[Read; 2]) -> Result<(), Violation> {
        if row.operands().sources != 2 || matches!(row.semantics, Semantics::Texture) {
            return Ok(());
        }
        let [first, second] = sources;
        let constants = first.file == RegisterFile::Constant && second.file == RegisterFile::Constant;
        let relative = first.index.is_some() && second.index.is_some();
        self.require(constants && !relative, Rule::BothConstants, Field::Source2, second.register.into())?;
        self.require(relative, Rule::BothRelative, Field::Source2, second.register.into())?;
        let same = row.scalar_sources() && first == second;
        self.require(same, Rule::ConstantCondition, Field::Source2, second.register.into())
    }

    /// Checks the rules about derivatives and textures in blocks.
    fn context(&mut self, row: &OpcodeRow, sources: &[Read; 2]) -> Result<(), Violation> {
        if !self.blocks.any_open() {
            return Ok(());
        }
        let code = u64::from(row.code);
        let derivative = matches!(row.semantics, Semantics::Derivative(_));
        self.require(derivative, Rule::DerivativeInBlock, Field::Opcode, code)?;
        let computed = row.opcode == crate::Opcode::Tex && sources[0].file != RegisterFile::Varying;
        self.require(computed, Rule::ComputedTexInBlock, Field::Source1, sources[0].register.into())
    }

    fn destination(&mut self, row: &OpcodeRow, token: &Token) -> Result<Write, Violation> {
        let word = token.destination;
        if !row.operands().destination {
            self.require(word.0 != 0, Rule::DestinationNotZero, Field::Destination, word.0.into())?;
            return Ok(Write::NOTHING);
        }
        if word.mask() == 0 {
            self.note(Rule::MaskZero, Field::Destination, word.0.into())?;
            return Ok(Write::NOTHING);
        }
        self.written_register(row, word)
    }

    fn finish(mut self) -> Result<Shader, Violation> {
        self.closed()?;
        let outputs = self.interface.outputs;
        let (rule, incomplete) = match self.program.stage {
            Stage::Vertex => (Rule::VertexOutputIncomplete, outputs[0] != 15),
            Stage::Fragment => {
                let partial = outputs.iter().any(|mask| !matches!(mask, 0 | 15));
                (Rule::FragmentOutputIncomplete, outputs == [0; 4] || partial)
            }
        };
        self.require(incomplete, rule, Field::Program, outputs[0].into())?;
        self.interface.textures.sort_by_key(|texture| texture.register);
        Ok(Shader {
            version: self.program.version,
            stage: self.program.stage,
            instructions: self.instructions,
            interface: self.interface,
            violations: self.violations,
        })
    }
}
