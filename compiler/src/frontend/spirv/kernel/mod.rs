//! OpenCL's kernels: what all parts of the front end need to know of them.
//!
//! A kernel is a compute shader whose parameters are in a block of bytes ([`agx_abi::kernel`]). Its memory has the layout of C
//! (`types`), and every pointer is a number of 64 bits: an address in device memory, or a tagged offset in the memory of the
//! workgroup or of the lane (`pointers`). As long as a pointer's memory is known, it is described like all other pointers.

pub(super) mod access;
pub(super) mod block;
pub(super) mod built_ins;
pub(super) mod pointers;

use super::types::{Kind, Ty};
use super::values::Values;
use crate::error::{CompileError, KernelError};

/// The error for an operand that is not of the type that it must have.
pub(super) fn wrong(expected: &'static str) -> CompileError {
    KernelError::Operand { expected }.into()
}

/// Whether a value has floats.
pub(super) fn has_floats(v: &Values<'_, '_>, ty: Ty) -> Result<bool, CompileError> {
    let (scalar, _) = v.types.scalar_and_count(ty)?;
    Ok(matches!(v.types.kind(scalar), Kind::Float { .. }))
}

/// Whether an instruction of OpenCL.std writes its second result through a pointer to numbers.
pub(super) fn has_two_results(number: u32) -> bool {
    matches!(number, 30 | 31 | 36 | 45 | 52 | 58)
}
