//! Tables of a kernel's module in constant memory.

use agx_abi::UniformSource;

use super::module::{Global, Init};
use super::owners::Memory;
use super::pointer::{Pointer, Root};
use super::types::Layout;
use super::values::Values;
use super::variables;
use crate::error::{CompileError, KernelError};
use crate::frontend::kit::uniforms;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// A table in the constant section.
pub(super) fn constant<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    global: &Global<'a>,
) -> Result<Pointer<'a>, CompileError> {
    let Some(Init::Constant(leaves)) = global.init else {
        return Err(KernelError::Initial { id: global.id }.into());
    };
    let zeros;
    let is_undefined = |leaf: &Src| *leaf == uniforms::undefined(leaf.bits);
    let leaves = if leaves.iter().any(is_undefined) {
        zeros = v.eval().zeros(global.ty)?;
        zeros
    } else {
        leaves
    };
    let fixed = variables::constant_array(m, v, global.ty, leaves)?;
    let base = v.kit.uniforms.get(UniformSource::ConstantAddress, 0, 64);
    let access = Access::READONLY | Access::SIGNED;
    let root = Root::Buffer { base, limit: None };
    Ok(Pointer { fixed, ..Pointer::new(root, global.ty, Layout::Natural, access) })
}
