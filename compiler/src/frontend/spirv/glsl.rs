//! The extended instructions of GLSL.

use super::translate::Translator;
use super::words::Inst;
use crate::error::CompileError;

impl<'a> Translator<'_, 'a> {
    /// Translates an extended instruction.
    pub(super) fn glsl(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let number = inst.word(3)?;
        Err(CompileError::unsupported(format!("extended instruction {number}")))
    }
}
