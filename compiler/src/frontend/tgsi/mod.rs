//! TGSI, the shader text of Gallium.
//!
//! `agx_tgsi` reads and checks the text; this folder translates. Registers are variables, or stack memory if
//! they are addressed through an address register (`registers`); calls are inlined while the graph of blocks
//! is built (`blocks`); each class of opcodes has its own file.
//!
//! # Bindings
//!
//! | register | set and binding |
//! |---|---|
//! | `CONST[n][…]` | buffer 0.n |
//! | `SAMP[n]`, `SVIEW[n]` | sampler 1.n, texture 1.n |
//! | `IMAGE[n]` | image 2.n |
//! | `BUFFER[n]` | buffer 3.n |
//! | `HWATOMIC[n][…]` | buffer 4.n |
//! | `MEMORY[n], GLOBAL` | buffer 5.n |
//! | `MEMORY[n], INPUT` | buffer 6.n |
//! | the height of the render target, for `FS_COORD_ORIGIN LOWER_LEFT` | the first float of buffer 7.0 |
//!
//! Vertex outputs and fragment inputs are matched by locations derived from their semantics (`semantics`);
//! `IN[n]` is the attribute with location n; `COLOR[n]` is render target n.

mod alu;
mod atomics;
mod blocks;
mod fragment;
mod lanes;
mod lookup;
mod memory;
mod operands;
mod pack;
mod program;
mod reads;
mod registers;
mod semantics;
mod stage;
mod texture;
mod translate;
mod values;
mod vector;
mod vertex;
mod wide;

#[cfg(test)]
mod tests;

use agx_abi::Stage;
use agx_tgsi::{Place, Processor, parse, validate};
use bumpalo::Bump;

use super::kit::Kit;
use super::{FrontEnd, Input, Shader};
use crate::CompileKey;
use crate::error::{CompileError, InputError, Location, TgsiError};
use crate::ir::Function;

/// The name of the text in line tables.
const FILE: &str = "tgsi";

/// Options of the language: name and meaning.
pub const OPTIONS: &[(&str, &str)] = &[
    ("flatshade", "1: inputs with COLOR interpolation are flat-shaded"),
    ("targets", "number of render targets that FS_COLOR0_WRITES_ALL_CBUFS writes; default 8"),
    ("block_width", "threads of a workgroup in x if the program does not specify it; default 1"),
    ("block_height", "threads of a workgroup in y if the program does not specify it; default 1"),
    ("block_depth", "threads of a workgroup in z if the program does not specify it; default 1"),
    ("second_if_nan", "1: MIN and MAX return their second operand if one is NaN; 0: the number"),
    ("shared_bytes", "bytes of shared memory, which the program does not specify; default 32768"),
];

/// The front end of TGSI.
pub struct Tgsi;

impl FrontEnd for Tgsi {
    fn read<'a>(
        &self,
        bump: &'a Bump,
        input: Input<'_>,
        key: &CompileKey,
    ) -> Result<Shader<'a>, CompileError> {
        read(bump, input.text()?, key)
    }

    fn located(&self, error: CompileError) -> CompileError {
        super::in_text(error)
    }
}

/// Whether an input is TGSI text: a processor's name followed by a statement.
pub fn recognises(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(agx_tgsi::is_tgsi)
}

/// The location of a register or instruction.
fn location(place: Place) -> Location {
    match place.line {
        0 => Location::Whole,
        line => Location::Text { line, column: place.column },
    }
}

/// Reads a program.
///
/// # Errors
/// Errors in the text, with line and column; programs of geometry and tessellation stages.
pub fn read<'a>(bump: &'a Bump, text: &str, key: &CompileKey) -> Result<Shader<'a>, CompileError> {
    let shader = parse(text).map_err(|error| {
        CompileError::from(TgsiError::Syntax {
            expected: error.expected.to_string(),
            found: error.found.to_string(),
        })
        .at(location(error.place))
    })?;
    let flow = validate(&shader).map_err(|error| {
        CompileError::from(TgsiError::Rule { fault: error.fault }).at(location(error.place))
    })?;
    let stage = stage_of(shader.processor)?;
    if let Some(wanted) = key.stage.filter(|wanted| *wanted != stage) {
        return Err(InputError::WrongStage { expected: wanted.name(), found: stage.name() }.into());
    }
    let mut function = Function::new(bump, "main");
    // LIT, POW, RSQ, MIN and others define their results for infinities and NaNs.
    function.special_values = true;
    let mut kit = Kit::start(&mut function, stage, key);
    translate::translate(&mut kit, &shader, &flow, key)?;
    let info = kit.finish("main")?;
    Ok((function, info))
}

fn stage_of(processor: Processor) -> Result<Stage, CompileError> {
    match processor {
        Processor::Vertex => Ok(Stage::Vertex),
        Processor::Fragment => Ok(Stage::Fragment),
        Processor::Compute => Ok(Stage::Compute),
        other => Err(TgsiError::Processor { name: other.name() }.into()),
    }
}
