//! Limits that all front ends keep, so that time and memory stay bounded on hostile input.

use crate::error::{CompileError, KitError};

/// Deepest nesting of calls.
pub const MAX_CALL_DEPTH: usize = 256;

/// Most constructs around each other, calls inlined: the hardware counts levels in 16 bits, and a construct may need two.
pub const MAX_NESTING: u32 = 1 << 14;

/// Most instructions translated, those of functions called several times counted each time.
pub const MAX_INSTRUCTIONS: usize = 1 << 22;

/// Most bytes of push constants that are read from the uniform file.
pub const MAX_PUSH_CONSTANT_BYTES: u32 = 256;

/// Most bytes of stack memory of an invocation: the hardware maps fewer than 32,767 words, of which ten are reserved and the
/// number is a multiple of four (applegpu, Mesa 25.0).
pub const MAX_SCRATCH_BYTES: u32 = 4 * (32_764 - 10);

/// Most bytes of workgroup memory: what a threadgroup may have (Metal feature set tables, Apple7 and Apple8).
pub const MAX_LOCAL_BYTES: u32 = 32 << 10;

/// Most bytes of the constant section.
pub const MAX_CONSTANT_BYTES: u32 = 1 << 20;

/// Most invocations of a workgroup.
pub const MAX_INVOCATIONS: u64 = 1024;

/// Counts what is translated against [`MAX_INSTRUCTIONS`] and [`MAX_NESTING`].
#[derive(Default)]
pub struct Budget {
    instructions: usize,
    nesting: u32,
}

impl Budget {
    /// Counts an instruction.
    ///
    /// # Errors
    /// One instruction too many.
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
    /// Constructs nest too deep.
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
