//! AGAL programs on the reference machine, beside the interpreter of their own format.
//!
//! [`vertices`] and [`fragments`] compile a program and run it; [`compare`] says whether the interpreter gives the same,
//! [`oracle`] for inputs that it chooses; [`case`] reads programs with inputs and expected outputs from files (`docs/agal.md` has the format).

pub mod case;
pub mod compare;
pub mod fragments;
pub mod inputs;
pub mod oracle;
pub mod texture;
pub mod vertices;

use agx_agal::{Mode, Program, Shader};
use agx_compiler::internal::frontend::door::AGAL;
use agx_compiler::{CompileKey, Input};

use crate::outcome::Outcome;

/// Byte code as an input of the compiler.
pub fn input(bytes: &[u8]) -> Input<'_> {
    Input::new(&AGAL, bytes)
}

/// The checked shader of byte code, as tolerantly as the compiler reads it.
///
/// # Errors
/// What is wrong with the program.
pub fn shader(bytes: &[u8]) -> Result<Shader, Outcome> {
    let program = Program::read(bytes).map_err(|error| Outcome::Fail(error.to_string()))?;
    program.check(Mode::Tolerant).map_err(|violation| Outcome::Fail(violation.to_string()))
}

/// Constants as the driver puts them into memory: all registers that the shader may read.
pub(crate) fn constant_bytes(shader: &Shader, constants: &[[f32; 4]]) -> Vec<u8> {
    let count = usize::from(shader.interface.constants).max(constants.len()).max(1);
    let zeros = std::iter::repeat(&[0.0; 4]);
    constants.iter().chain(zeros).take(count).flatten().flat_map(|word| word.to_le_bytes()).collect()
}

/// A key for programs that run with inputs of `key`'s options.
pub(crate) fn validated(key: &CompileKey) -> CompileKey {
    let mut key = key.clone();
    key.validate = true;
    key
}
