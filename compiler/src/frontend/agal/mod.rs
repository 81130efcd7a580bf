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
use agx_agal::{
    AssembleOptions, Assembled, Mode, Program, Rule, Shader as Checked, TokenPlaces, assemble_with_places,
};
use bumpalo::Bump;

use self::options::Options;
use self::registers::Registers;
use super::kit::{Kit, limits, lines};
use super::{FrontEnd, Input, Shader};
use crate::CompileKey;
use crate::error::{AgalError, CompileError, InputError, Location};
use crate::ir::Function;

pub use self::options::OPTIONS;

/// The front end of AGAL.
pub struct Agal;

/// The name of the only entry point.
const ENTRY_POINT: &str = "main";

/// The name of the text in the list of source files: the language's name denotes the input itself.
const FILE: &str = "agal";

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
        let Assembled { program, places } = program(input)?;
        let shader = program.check(mode).map_err(|found| violation(found, &places))?;
        let stage = wanted_stage(&shader, key)?;
        let mut function = Function::new(bump, ENTRY_POINT);
        // 0 · ∞ is NaN, and unwritten temporaries are zero.
        function.special_values = true;
        let info = translate(&mut function, stage, (&shader, &places), (key, &options))?;
        Ok((function, info))
    }

    fn located(&self, error: CompileError) -> CompileError {
        super::in_text(error)
    }
}

/// Whether an input is assembler text: its first line is the directive that names version and stage. Byte
/// code is recognised by its magic number.
pub fn recognises(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(agx_agal::has_directive)
}

/// The program of bytes, without places, or of text.
fn program(input: Input<'_>) -> Result<Assembled, CompileError> {
    if input.bytes.first() == Some(&MAGIC) {
        return match Program::read(input.bytes) {
            Ok(program) => Ok(Assembled { program, places: Vec::new() }),
            Err(error) if error.is_unsupported() => Err(AgalError::ReadUnsupported { error }.into()),
            Err(error) => Err(AgalError::Read { error }.into()),
        };
    }
    let stage = input.stage.and_then(|stage| match stage {
        Stage::Vertex => Some(agx_agal::Stage::Vertex),
        Stage::Fragment => Some(agx_agal::Stage::Fragment),
        Stage::Compute => None,
    });
    let options = AssembleOptions { version: None, stage };
    assemble_with_places(input.text()?, options).map_err(|error| {
        let place = agx_agal::Place { line: error.line, column: error.column };
        CompileError::from(AgalError::Assembly { what: error.message }).at(location(place))
    })
}

fn location(place: agx_agal::Place) -> Location {
    Location::Text { line: place.line as u32, column: place.column as u32 }
}

/// The error for a violation: at its place in a text, with the number of its token in byte code.
fn violation(mut violation: agx_agal::Violation, places: &[TokenPlaces]) -> CompileError {
    let places = violation.token.and_then(|token| places.get(token));
    let place = places.map(|places| places.of(violation.field));
    if place.is_some() {
        violation.token = None;
    }
    let limit = matches!(violation.rule, Rule::TokenLimit | Rule::RegisterLimit | Rule::NestingTooDeep);
    let error: CompileError = match limit {
        true => AgalError::Limit { violation }.into(),
        false => AgalError::Rule { violation }.into(),
    };
    match place {
        Some(place) => error.at(location(place)),
        None => error,
    }
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
    (shader, places): (&Checked, &[TokenPlaces]),
    (key, options): (&CompileKey, &Options),
) -> Result<ShaderInfo, CompileError> {
    let mut kit = Kit::start(function, stage, key);
    let mut registers = Registers::begin(&mut kit, shader)?;
    let mut blocks = instruction::Blocks::default();
    let mut budget = limits::Budget::default();
    for instruction in &shader.instructions {
        budget.count()?;
        if let Some(TokenPlaces { opcode, .. }) = places.get(instruction.token) {
            lines::set(&mut kit, FILE, opcode.line as u32, opcode.column as u32);
        }
        instruction::translate(&mut kit, &mut registers, &mut blocks, (instruction, options))?;
    }
    lines::clear(&mut kit);
    registers.end(&mut kit, shader, options)?;
    kit.finish(ENTRY_POINT)
}

#[cfg(test)]
mod tests;
