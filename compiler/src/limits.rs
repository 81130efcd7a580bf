//! Limits of a compilation: its size, and whether it is cancelled.
//!
//! Limits are checked between passes and, while a module is read, every few instructions; cancellation is
//! also checked within passes (`watch.rs`). Exceeding a limit ends the compilation with an error of kind
//! *limit*. The memory of the compilation is the caller's scratch memory, which the next compilation reuses.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use agx_abi::stored::{Reader, Stored, StoredError};

use crate::error::{CompileError, InputError};
use crate::ir::Function;
use crate::ir::watch::ShouldStop;

/// Instructions of a module read between two checks.
const STRIDE: u32 = 64;

/// Limits of a compilation. They determine whether compilation succeeds and never affect the code: keys that
/// differ only in limits are equal.
#[derive(Clone, Default)]
pub struct CompileLimits {
    /// Maximum number of IR instructions created in total, including those that passes replace.
    pub instructions: Option<u32>,
    /// Maximum bytes of scratch memory.
    pub memory_bytes: Option<usize>,
    should_stop: Option<ShouldStop>,
}

impl CompileLimits {
    /// Sets a cancellation callback, which is called repeatedly; when it returns true, the compilation ends
    /// within about a thousand visited instructions. It is called less often where panics abort, and while
    /// WGSL or GLSL is parsed.
    ///
    /// Cancellation unwinds the compiler's stack without calling the panic hook.
    pub fn with_should_stop(
        self,
        should_stop: impl Fn() -> bool + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
    ) -> CompileLimits {
        CompileLimits { should_stop: Some(Arc::new(should_stop)), ..self }
    }

    /// Checks a function under construction or between passes.
    ///
    /// # Errors
    /// A limit is exceeded, or the callback requests cancellation.
    #[inline]
    pub(crate) fn check(&self, f: &Function<'_>) -> Result<(), CompileError> {
        match self {
            CompileLimits { instructions: None, memory_bytes: None, should_stop: None } => Ok(()),
            _ => self.check_each(f),
        }
    }

    fn check_each(&self, f: &Function<'_>) -> Result<(), CompileError> {
        let made = f.insts.len();
        if let Some(most) = self.instructions.filter(|most| made > *most as usize) {
            return Err(InputError::TooManyInstructions { most }.into());
        }
        let used = || f.bump.allocated_bytes() + f.insts.allocated_bytes() + f.values.allocated_bytes();
        if let Some(most) = self.memory_bytes.filter(|most| used() > *most) {
            return Err(InputError::TooMuchMemory { most }.into());
        }
        match &self.should_stop {
            Some(should_stop) if should_stop() => Err(InputError::Stopped.into()),
            _ => Ok(()),
        }
    }

    /// The cancellation callback, if any.
    pub(crate) fn should_stop(&self) -> Option<ShouldStop> {
        self.should_stop.clone()
    }

    /// Calls [`CompileLimits::check`] once per [`STRIDE`] calls, which `count` counts.
    pub(crate) fn check_sometimes(&self, count: &mut u32, f: &Function<'_>) -> Result<(), CompileError> {
        *count += 1;
        if count.is_multiple_of(STRIDE) { self.check(f) } else { Ok(()) }
    }
}

impl fmt::Debug for CompileLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompileLimits")
            .field("instructions", &self.instructions)
            .field("memory_bytes", &self.memory_bytes)
            .field("should_stop", &self.should_stop.is_some())
            .finish()
    }
}

impl PartialEq for CompileLimits {
    fn eq(&self, _: &CompileLimits) -> bool {
        true
    }
}

impl Eq for CompileLimits {}

impl Hash for CompileLimits {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// Limits are not stored, because they do not affect code.
impl Stored for CompileLimits {
    fn write(&self, _: &mut Vec<u8>) {}

    fn read(_: &mut Reader<'_>) -> Result<Self, StoredError> {
        Ok(CompileLimits::default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::{CompileKey, Compiler, ErrorKind, Input, Scratch};

    fn kernel(sums: u32) -> String {
        let line = |at: u32| format!("    %{}:32 = fmul %{}, %0\n", at + 1, at);
        let body: String = (0..sums).map(line).collect();
        format!("kernel @long(%0:32) stage source {{\nb0:\n{body}    keep %{sums}\n}}\n")
    }

    fn refused(limits: CompileLimits) -> String {
        let key = CompileKey { limits, ..CompileKey::default() };
        let text = kernel(400);
        let error = Compiler::default().compile(&mut Scratch::default(), Input::ir(&text), &key);
        let error = error.expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Limit);
        error.message()
    }

    #[test]
    fn limits_are_enforced() {
        let instructions = refused(CompileLimits { instructions: Some(300), ..CompileLimits::default() });
        assert_eq!(instructions, "more than 300 IR instructions");
        let memory = refused(CompileLimits { memory_bytes: Some(1000), ..CompileLimits::default() });
        assert_eq!(memory, "more than 1000 bytes of scratch memory");
    }

    #[test]
    fn a_compilation_can_be_stopped_and_the_memory_used_again() {
        let asked = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&asked);
        let limits =
            CompileLimits::default().with_should_stop(move || count.fetch_add(1, Ordering::Relaxed) == 20);
        let key = CompileKey { limits, ..CompileKey::default() };
        let (compiler, mut scratch, text) = (Compiler::default(), Scratch::default(), kernel(30));
        let error = compiler.compile(&mut scratch, Input::ir(&text), &key).expect_err("stopped");
        assert_eq!(
            (error.kind(), error.message().as_str()),
            (ErrorKind::Limit, "the compilation was stopped")
        );
        assert_eq!(asked.load(Ordering::Relaxed), 21, "nothing is asked afterwards");
        let again = compiler.compile(&mut scratch, Input::ir(&text), &CompileKey::default());
        let fresh = compiler.compile(&mut Scratch::default(), Input::ir(&text), &CompileKey::default());
        assert_eq!(again, fresh);
    }

    #[test]
    fn limits_do_not_change_keys() {
        let limits = CompileLimits { instructions: Some(3), ..CompileLimits::default() };
        let key = CompileKey { limits, ..CompileKey::default() };
        assert_eq!(key, CompileKey::default());
        assert_eq!(key.stable_hash(), CompileKey::default().stable_hash());
    }
}
