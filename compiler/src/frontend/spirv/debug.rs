//! Source lines: `OpLine`, and `DebugLine` of the non-semantic and OpenCL debug information.

use super::module::Def;
use super::translate::Translator;
use super::words::Inst;
use crate::error::CompileError;

/// `DebugSource`: names a file.
pub(super) const DEBUG_SOURCE: u32 = 35;

/// `DebugLine` and `DebugNoLine`.
const DEBUG_LINE: u32 = 103;
const DEBUG_NO_LINE: u32 = 104;

/// Whether an instruction set is debug information in which the numbers above mean that.
pub(super) fn is_debug_set(name: &str) -> bool {
    name.starts_with("NonSemantic.Shader.DebugInfo") || name == "OpenCL.DebugInfo.100"
}

impl<'a> Translator<'_, 'a> {
    /// What follows comes from this line.
    pub(super) fn line(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (line, column) = (inst.word(1)?, inst.word(2)?);
        self.set_line(inst.word(0)?, line, column);
        Ok(())
    }

    fn set_line(&mut self, file: u32, line: u32, column: u32) {
        let name = match self.values.defs.get(file as usize) {
            Some(Def::Text(name)) => name,
            _ => "",
        };
        self.kit.b.line = self.kit.b.f.sources.number(name, line, column);
    }

    /// An instruction of the debug information; only lines matter here.
    pub(super) fn debug_instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        match inst.word(3)? {
            DEBUG_LINE => {
                let number = |t: &mut Self, index| -> Result<u32, CompileError> {
                    let value = t.eval().scalar(inst.word(index)?)?.as_imm();
                    Ok(value.map_or(0, |bits| bits as u32))
                };
                let (line, column) = (number(self, 5)?, number(self, 7)?);
                self.set_line(inst.word(4)?, line, column);
            }
            DEBUG_NO_LINE => self.kit.b.line = 0,
            _ => {}
        }
        Ok(())
    }

    /// Gives `error` the place of what is being translated: its source line if the module tells it, else its word.
    pub(super) fn locate(&self, inst: &Inst<'a>, error: CompileError) -> CompileError {
        inst.locate(self.at_line(error))
    }

    pub(super) fn at_line(&self, error: CompileError) -> CompileError {
        self.kit.b.f.sources.locate(self.kit.b.line, error)
    }
}
