//! Source lines: `OpLine`, and `DebugLine` of the non-semantic and OpenCL debug information sets.

use super::module::Def;
use super::values::Values;
use super::words::Inst;
use crate::error::CompileError;

/// `DebugSource`: names a file.
pub(super) const DEBUG_SOURCE: u32 = 35;

/// `DebugLine` and `DebugNoLine`.
const DEBUG_LINE: u32 = 103;
const DEBUG_NO_LINE: u32 = 104;

/// Whether an instruction set is debug information with these instruction numbers.
pub(super) fn is_debug_set(name: &str) -> bool {
    name.starts_with("NonSemantic.Shader.DebugInfo") || name == "OpenCL.DebugInfo.100"
}

/// Sets the source line of the following instructions.
pub(super) fn line<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (line, column) = (inst.word(1)?, inst.word(2)?);
    set_line(v, inst.word(0)?, line, column);
    Ok(())
}

fn set_line(v: &mut Values<'_, '_>, file: u32, line: u32, column: u32) {
    let name = match v.defs.get(file as usize) {
        Some(Def::Text(name)) => name,
        _ => "",
    };
    v.kit.b.line = v.kit.b.f.sources.number(name, line, column);
}

/// An instruction of a debug information set; only lines are used.
pub(super) fn debug_instruction<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    match inst.word(3)? {
        DEBUG_LINE => {
            let number = |t: &mut Values<'_, 'a>, index| -> Result<u32, CompileError> {
                let value = t.eval().scalar(inst.word(index)?)?.as_imm();
                Ok(value.map_or(0, |bits| bits as u32))
            };
            let (line, column) = (number(v, 5)?, number(v, 7)?);
            set_line(v, inst.word(4)?, line, column);
        }
        DEBUG_NO_LINE => v.kit.b.line = 0,
        _ => {}
    }
    Ok(())
}

/// Attaches the location of the current instruction to `error`: its source line if known, else its word.
pub(super) fn locate<'a>(v: &Values<'_, 'a>, inst: &Inst<'a>, error: CompileError) -> CompileError {
    inst.locate(at_line(v, error))
}

fn at_line(v: &Values<'_, '_>, error: CompileError) -> CompileError {
    v.kit.b.f.sources.locate(v.kit.b.line, error)
}
