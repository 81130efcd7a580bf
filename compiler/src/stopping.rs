//! Stops a compilation in the middle of a pass.
//!
//! Passes say what they visit ([`Watch::visit`]), and every so often the caller is asked whether the result is still wanted.
//! If not, the stack is unwound up to [`guarded`], which makes the error of it. No pass has to be left by hand, and what
//! half a pass leaves behind is never seen: the function is dropped, its memory is the caller's scratch memory.
//!
//! *Rationale:* rust-analyzer cancels its queries in this way. Flags that every loop tests would need every pass to cope
//! with analyses that ended early. Where panics abort, the answer counts between passes alone.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::error::{CompileError, InputError};
use crate::ir::Function;
use crate::ir::watch::{Stopped, Watch};
use crate::limits::CompileLimits;

/// Does `work` on `f`, which is watched meanwhile.
///
/// # Errors
/// Those of `work`; that it was stopped.
pub fn guarded<'a, T>(
    f: &mut Function<'a>,
    limits: &CompileLimits,
    work: impl FnOnce(&mut Function<'a>) -> Result<T, CompileError>,
) -> Result<T, CompileError> {
    f.watch = Watch::new(limits.question());
    let result = caught(f.watch.is_on(), || work(f));
    f.watch = Watch::default();
    result
}

/// Does `work`, which makes a function that watches itself by [`watch`].
///
/// # Errors
/// Those of `work`; that it was stopped.
pub fn guarded_reading<'a, T>(
    limits: &CompileLimits,
    work: impl FnOnce() -> Result<(Function<'a>, T), CompileError>,
) -> Result<(Function<'a>, T), CompileError> {
    let (mut f, rest) = caught(limits.question().is_some(), work)?;
    f.watch = Watch::default();
    Ok((f, rest))
}

/// Has `f` watched. To be called within [`guarded_reading`].
pub fn watch(f: &mut Function<'_>, limits: &CompileLimits) {
    f.watch = Watch::new(limits.question());
}

fn caught<T>(is_watched: bool, work: impl FnOnce() -> Result<T, CompileError>) -> Result<T, CompileError> {
    if !is_watched {
        return work();
    }
    // What was half done is dropped or, like scratch memory, reset before it is used again.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(reason) if reason.is::<Stopped>() => Err(InputError::Stopped.into()),
        Err(reason) => resume_unwind(reason),
    }
}
