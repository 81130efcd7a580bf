//! Source positions: each instruction carries the number of its position.

use super::Kit;
use crate::error::CompileError;

/// Sets the source position of the following instructions; column 0 means unknown.
pub fn set(kit: &mut Kit<'_, '_>, file: &str, line: u32, column: u32) {
    kit.b.line = kit.b.f.sources.number(file, line, column);
}

/// Clears the source position of the following instructions.
pub fn clear(kit: &mut Kit<'_, '_>) {
    kit.b.line = 0;
}

/// Attaches the current source position to `error`, unless it has a location already.
pub fn locate(kit: &Kit<'_, '_>, error: CompileError) -> CompileError {
    kit.b.f.sources.locate(kit.b.line, error)
}
