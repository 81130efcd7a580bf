//! AGAL programs on the reference machine, compared with the interpreter of the format.
//!
//! [`vertices`] and [`fragments`] compile and run a program. [`compare`] compares results with the interpreter's,
//! [`oracle`] does so for generated inputs. [`case`] reads programs with inputs and expected outputs from files
//! (`docs/agal.md` describes the format).

pub mod case;
pub mod compare;
pub mod fragments;
pub mod inputs;
pub mod oracle;
pub mod texture;
pub mod vertices;

use agx_agal::{Mode, Program, Shader};
use agx_compiler::internal::frontend::language::AGAL;
use agx_compiler::{CompileKey, Input};

use crate::outcome::Outcome;

/// Byte code as an input of the compiler.
pub fn input(bytes: &[u8]) -> Input<'_> {
    Input::new(&AGAL, bytes)
}

/// The validated shader of byte code, in the compiler's tolerant mode.
///
/// # Errors
/// An error in the program.
pub fn shader(bytes: &[u8]) -> Result<Shader, Outcome> {
    let program = Program::read(bytes).map_err(|error| Outcome::Fail(error.to_string()))?;
    program.check(Mode::Tolerant).map_err(|violation| Outcome::Fail(violation.to_string()))
}

/// Constants in the driver's memory layout: all registers that the shader may read.
pub(crate) fn constant_bytes(shader: &Shader, constants: &[[f32; 4]]) -> Vec<u8> {
    let count = usize::from(shader.interface.constants).max(constants.len()).max(1);
    let zeros = std::iter::repeat(&[0.0; 4]);
    constants.iter().chain(zeros).take(count).flatten().flat_map(|word| word.to_le_bytes()).collect()
}

/// A key for running programs, with the options of `key`.
pub(crate) fn validated(key: &CompileKey) -> CompileKey {
    let mut key = key.clone();
    key.validate = true;
    key
}
