//! AGAL, the byte code of Flash's Stage3D.
//!
//! `agx_agal` reads and checks a program; this front end translates the checked instructions with the kit.
//! Registers that a program writes become variables, one scalar per component; blocks become ifs.
//! `agx_abi::agal` defines where constants, textures and samplers are bound. The input is byte code, or
//! assembler text.

mod instruction;
mod options;
mod registers;
mod sampling;

use agx_abi::{ShaderInfo, Stage};
use agx_agal::{AssembleOptions, Mode, Program, Rule, Shader as Checked, assemble};
use bumpalo::Bump;

use self::options::Options;
use self::registers::Registers;
use super::kit::{Kit, limits};
use super::{FrontEnd, Input, Shader};
use crate::CompileKey;
use crate::error::{AgalError, CompileError, InputError, Location};
use crate::ir::Function;

pub use self::options::OPTIONS;

/// The front end of AGAL.
pub struct Agal;

/// The name of the only entry point.
const ENTRY_POINT: &str = "main";

/// The first byte of byte code, with which text cannot begin.
const MAGIC: u8 = 0xa0;

impl FrontEnd for Agal {
    fn read<'a>(
        &self,
        bump: &'a Bump,
        input: Input<'_>,
        key: &CompileKey,
    ) -> Result<Shader<'a>, CompileError> {
        let options = Options::new(key)?;
        let mode = if options.strict { Mode::Strict } else { Mode::Tolerant };
        let shader = program(input)?.check(mode).map_err(violation)?;
        let stage = wanted_stage(&shader, key)?;
        let mut function = Function::new(bump, ENTRY_POINT);
        // 0 · ∞ is NaN, and unwritten temporaries are zero.
        function.special_values = true;
        let info = translate(&mut function, stage, &shader, (key, &options))?;
        Ok((function, info))
    }
}

/// Whether an input is assembler text: its first line is the directive that names version and stage. Byte
/// code is recognised by its magic number.
pub fn recognises(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(agx_agal::has_directive)
}

/// The program of bytes or text.
fn program(input: Input<'_>) -> Result<Program, CompileError> {
    if input.bytes.first() == Some(&MAGIC) {
        return Program::read(input.bytes).map_err(|error| match error.is_unsupported() {
            true => AgalError::ReadUnsupported { error }.into(),
            false => AgalError::Read { error }.into(),
        });
    }
    let stage = input.stage.and_then(|stage| match stage {
        Stage::Vertex => Some(agx_agal::Stage::Vertex),
        Stage::Fragment => Some(agx_agal::Stage::Fragment),
        Stage::Compute => None,
    });
    let options = AssembleOptions { version: None, stage };
    assemble(input.text()?, options).map_err(|error| {
        let location = Location::Text { line: error.line as u32, column: error.column as u32 };
        CompileError::from(AgalError::Assembly { what: error.message }).at(location)
    })
}

fn violation(violation: agx_agal::Violation) -> CompileError {
    let limit = matches!(violation.rule, Rule::TokenLimit | Rule::RegisterLimit | Rule::NestingTooDeep);
    if limit { AgalError::Limit { violation }.into() } else { AgalError::Rule { violation }.into() }
}

/// The stage of the program, which must match the key's.
fn wanted_stage(shader: &Checked, key: &CompileKey) -> Result<Stage, CompileError> {
    let stage = match shader.stage {
        agx_agal::Stage::Vertex => Stage::Vertex,
        agx_agal::Stage::Fragment => Stage::Fragment,
    };
    if let Some(wanted) = key.stage.filter(|wanted| *wanted != stage) {
        let (found, wanted) = (stage.name(), wanted.name());
        return Err(InputError::WrongStage { expected: wanted, found }.into());
    }
    if let Some(name) = key.entry_point.as_deref().filter(|name| *name != ENTRY_POINT) {
        return Err(InputError::UnknownEntry { name: name.to_owned(), expected: "`main`" }.into());
    }
    Ok(stage)
}

fn translate(
    function: &mut Function<'_>,
    stage: Stage,
    shader: &Checked,
    (key, options): (&CompileKey, &Options),
) -> Result<ShaderInfo, CompileError> {
    let mut kit = Kit::start(function, stage, key);
    let mut registers = Registers::begin(&mut kit, shader)?;
    let mut blocks = instruction::Blocks::default();
    let mut budget = limits::Budget::default();
    for instruction in &shader.instructions {
        budget.count()?;
        instruction::translate(&mut kit, &mut registers, &mut blocks, (instruction, options))?;
    }
    registers.end(&mut kit, shader, options)?;
    kit.finish(ENTRY_POINT)
}

#[cfg(test)]
mod tests;
