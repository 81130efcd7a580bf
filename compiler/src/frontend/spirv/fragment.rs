//! Inputs and outputs of fragment shaders.

use super::interface::Leaf;
use super::stage::Output;
use super::translate::Translator;
use crate::error::CompileError;
use crate::ir::src::Src;

impl<'a> Translator<'_, 'a> {
    /// The scalars of an input; nothing when one is not supported.
    pub(super) fn fragment_inputs(&mut self, _leaves: &[Leaf]) -> Result<Option<Vec<Src>>, CompileError> {
        Err(CompileError::unsupported("fragment shaders"))
    }

    pub(super) fn fragment_outputs(&mut self, _outputs: &[Output]) -> Result<(), CompileError> {
        Err(CompileError::unsupported("fragment shaders"))
    }
}
