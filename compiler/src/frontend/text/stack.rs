//! Runs naga on a stack that suffices for the nesting of the text.
//!
//! naga recurses over its input. The stack of the caller may be small (threads of a driver often have 64 KiB), so that
//! the stack is exchanged for a larger one where what remains of it is less than the text may need. Panics of naga
//! become errors.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::nesting::Nesting;
use crate::error::{CompileError, NagaError};
use crate::ir::watch::Stopped;

/// Levels of nesting that are accepted.
pub const MAX_DEPTH: usize = 1 << 14;

/// Declarations that are accepted.
pub const MAX_DECLARATIONS: usize = 1 << 18;

/// Bytes of a name. Instructions of SPIR-V have at most 65,535 words.
const MAX_NAME_BYTES: usize = 1 << 16;

/// Code without optimisation uses larger stack frames.
const FACTOR: usize = if cfg!(debug_assertions) { 16 } else { 1 };

/// Stack of the reader at a depth of zero, and of the 199 levels that naga's parser of WGSL counts itself.
const BASE_BYTES: usize = FACTOR << 20;

/// Stack of a level of nesting. A call in a call of GLSL, the most expensive one, takes 2.9 KB with optimisation and 43 KB without.
const LEVEL_BYTES: usize = FACTOR << 13;

/// Stack of a declaration in a chain of declarations.
const DECLARATION_BYTES: usize = FACTOR << 10;

/// Fails if the text exceeds a limit. `location` gives the place of a byte.
///
/// # Errors
/// The limit.
pub fn check(nesting: &Nesting, text: &str) -> Result<(), CompileError> {
    let fail = |error: NagaError, offset| Err(CompileError::from(error).at(super::location(text, offset)));
    if nesting.depth > MAX_DEPTH {
        return fail(NagaError::Nesting { depth: nesting.depth, most: MAX_DEPTH }, nesting.innermost.0);
    }
    if nesting.declarations > MAX_DECLARATIONS {
        return fail(NagaError::TextSize { what: "declarations", most: MAX_DECLARATIONS }, 0);
    }
    let (offset, length) = nesting.longest_word;
    if length > MAX_NAME_BYTES {
        return fail(NagaError::Long { what: "a name is too long", most: MAX_NAME_BYTES }, offset);
    }
    Ok(())
}

/// Runs `work`, which calls naga for a text with this nesting.
///
/// # Errors
/// The errors of `work`; a panic of naga.
pub fn run<T>(nesting: &Nesting, work: impl FnOnce() -> Result<T, CompileError>) -> Result<T, CompileError> {
    let depth = nesting.depth.min(MAX_DEPTH).saturating_mul(LEVEL_BYTES);
    let declarations = nesting.declarations.min(MAX_DECLARATIONS).saturating_mul(DECLARATION_BYTES);
    let bytes = BASE_BYTES.saturating_add(depth).saturating_add(declarations);
    // What naga has built so far is dropped.
    match catch_unwind(AssertUnwindSafe(|| stacker::maybe_grow(bytes, bytes, work))) {
        Ok(result) => result,
        Err(reason) if reason.is::<Stopped>() => resume_unwind(reason),
        Err(reason) => {
            let text = reason.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| reason.downcast_ref::<&str>().copied()).unwrap_or("panic");
            Err(NagaError::Reader { what: text.to_owned() }.into())
        }
    }
}
