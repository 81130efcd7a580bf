//! Limits of all front ends, which bound time and memory on hostile input.

use crate::error::{CompileError, KitError};

/// Maximum nesting of calls.
pub const MAX_CALL_DEPTH: usize = 256;

/// Maximum nesting of constructs after inlining: the hardware counts levels in 16 bits, and a construct may
/// need two.
pub const MAX_NESTING: u32 = 1 << 14;

/// Maximum number of translated instructions; functions count once per call.
pub const MAX_INSTRUCTIONS: usize = 1 << 22;

/// Maximum size of push constants that are read from the uniform file, in bytes.
pub const MAX_PUSH_CONSTANT_BYTES: u32 = 256;

/// Maximum size of an invocation's stack memory in bytes: the hardware maps fewer than 32,767 words, of which
/// ten are reserved, and the number must be a multiple of four (applegpu, Mesa 25.0).
pub const MAX_SCRATCH_BYTES: u32 = 4 * (32_764 - 10);

/// Maximum size of workgroup memory in bytes (Metal feature set tables, Apple7 and Apple8).
pub const MAX_LOCAL_BYTES: u32 = 32 << 10;

/// Maximum size of the constant section in bytes.
pub const MAX_CONSTANT_BYTES: u32 = 1 << 20;

/// Maximum number of invocations in a workgroup.
pub const MAX_INVOCATIONS: u64 = 1024;

/// Counts translated instructions and constructs against [`MAX_INSTRUCTIONS`] and [`MAX_NESTING`].
#[derive(Default)]
pub struct Budget {
    instructions: usize,
    nesting: u32,
}

impl Budget {
    /// Counts an instruction.
    ///
    /// # Errors
    /// Too many instructions.
    pub fn count(&mut self) -> Result<(), CompileError> {
        self.instructions = self.instructions.saturating_add(1);
        if self.instructions > MAX_INSTRUCTIONS {
            return Err(KitError::Instructions { most: MAX_INSTRUCTIONS }.into());
        }
        Ok(())
    }

    /// Enters a construct.
    ///
    /// # Errors
    /// Constructs nest too deeply.
    pub fn open(&mut self) -> Result<(), CompileError> {
        self.nesting = self.nesting.saturating_add(1);
        if self.nesting > MAX_NESTING {
            return Err(KitError::Nesting { most: MAX_NESTING }.into());
        }
        Ok(())
    }

    /// Leaves a construct.
    pub fn close(&mut self) {
        self.nesting = self.nesting.saturating_sub(1);
    }
}
