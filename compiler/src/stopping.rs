//! Stops a compilation within a pass.
//!
//! Passes report the instructions they visit ([`Watch::visit`]), and the caller's callback is called at
//! intervals. If it requests cancellation, the stack unwinds up to [`guarded`], which returns an error.
//! Passes need no early exits, and the state of an interrupted pass is never observed: the function is
//! dropped, and its memory is the caller's scratch memory.
//! *Rationale:* rust-analyzer cancels its queries in this way. If every loop tested a flag, every pass would
//! have to handle analyses that ended early. Where panics abort, cancellation takes effect only between
//! passes.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::error::{CompileError, InputError};
use crate::ir::Function;
use crate::ir::watch::{Stopped, Watch};
use crate::limits::CompileLimits;

/// Runs `work` on `f` with cancellation enabled.
///
/// # Errors
/// The errors of `work`; cancellation.
pub fn guarded<'a, T>(
    f: &mut Function<'a>,
    limits: &CompileLimits,
    work: impl FnOnce(&mut Function<'a>) -> Result<T, CompileError>,
) -> Result<T, CompileError> {
    f.watch = Watch::new(limits.should_stop());
    let result = caught(f.watch.is_on(), || work(f));
    f.watch = Watch::default();
    result
}

/// Runs `work`, which creates a function and enables cancellation for it with [`watch`].
///
/// # Errors
/// The errors of `work`; cancellation.
pub fn guarded_reading<'a, T>(
    limits: &CompileLimits,
    work: impl FnOnce() -> Result<(Function<'a>, T), CompileError>,
) -> Result<(Function<'a>, T), CompileError> {
    let (mut f, rest) = caught(limits.should_stop().is_some(), work)?;
    f.watch = Watch::default();
    Ok((f, rest))
}

/// Enables cancellation for `f`. To be called within [`guarded_reading`].
pub fn watch(f: &mut Function<'_>, limits: &CompileLimits) {
    f.watch = Watch::new(limits.should_stop());
}

fn caught<T>(is_watched: bool, work: impl FnOnce() -> Result<T, CompileError>) -> Result<T, CompileError> {
    if !is_watched {
        return work();
    }
    // Interrupted work is dropped or, like scratch memory, reset before it is used again.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(reason) if reason.is::<Stopped>() => Err(InputError::Stopped.into()),
        Err(reason) => resume_unwind(reason),
    }
}
