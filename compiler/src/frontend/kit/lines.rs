//! Source positions: instructions carry the number of the position they come from.

use super::Kit;
use crate::error::CompileError;

/// What is built from here on comes from this position; column 0 is unknown.
pub fn set(kit: &mut Kit<'_, '_>, file: &str, line: u32, column: u32) {
    kit.b.line = kit.b.f.sources.number(file, line, column);
}

/// What is built from here on has no position.
pub fn clear(kit: &mut Kit<'_, '_>) {
    kit.b.line = 0;
}

/// `error` with the position of what is being built, unless it has a place already.
pub fn locate(kit: &Kit<'_, '_>, error: CompileError) -> CompileError {
    kit.b.f.sources.locate(kit.b.line, error)
}
