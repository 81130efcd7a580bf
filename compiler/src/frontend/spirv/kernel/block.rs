//! The block of a kernel's arguments.

use agx_abi::{ArgumentKind, KernelInfo, UniformSource};

use super::super::arith::join;
use super::super::owners::Memory;
use super::super::values::Values;
use super::access::{Space, load_at};
use crate::error::CompileError;
use crate::frontend::kit::limits::MAX_PUSH_CONSTANT_BYTES;
use crate::ir::Arithmetic;
use crate::ir::function::Access;
use crate::ir::src::Src;
use crate::ir::types::Type;

/// What is known of the kernel so far.
pub(in super::super) fn state<'m>(m: &'m mut Memory<'_>) -> Result<&'m mut KernelInfo, CompileError> {
    m.kernel.as_deref_mut().ok_or_else(|| CompileError::internal("a kernel without arguments"))
}

/// A word of an argument that the driver provides.
pub(in super::super) fn implicit_word<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    kind: ArgumentKind,
    component: u32,
) -> Result<Src, CompileError> {
    let bytes = if kind == ArgumentKind::WorkDimension { 4 } else { 12 };
    let offset = implicit(m, kind, bytes)?;
    Ok(block_scalar(v, offset.wrapping_add(component.min(2).wrapping_mul(4)), 32))
}

/// The place of an argument that the driver provides.
pub(in super::super) fn implicit(
    m: &mut Memory<'_>,
    kind: ArgumentKind,
    bytes: u32,
) -> Result<u32, CompileError> {
    let info = state(m)?;
    let known = info.implicit(kind).map(|argument| argument.offset);
    Ok(known.unwrap_or_else(|| info.place(String::new(), kind, (bytes, bytes.min(8)))))
}

/// A scalar of the block at a multiple of its size.
pub(in super::super) fn block_scalar(v: &mut Values<'_, '_>, at: u32, bits: u8) -> Src {
    let end = at.saturating_add(u32::from(bits) / 8);
    if end > MAX_PUSH_CONSTANT_BYTES {
        let base = v.kit.uniforms.get(UniformSource::PushConstantAddress, 0, 64);
        let space = Space::Device { base, access: Access::READONLY };
        let ty = if bits == 64 { Type::vector(32, 2) } else { Type::scalar(bits) };
        let parts = load_at(v, space, Src::imm32(at), ty, u32::from(bits) / 8);
        return match *parts {
            [low, high] => join(&mut v.kit.b, low, high),
            _ => parts.first().copied().unwrap_or(Src::imm(0, bits)),
        };
    }
    match bits {
        64 => {
            let [low, high] = v.kit.uniforms.push_address(at);
            join(&mut v.kit.b, low, high)
        }
        8 => {
            let word = v.kit.uniforms.push_constant(at & !3, 32);
            let byte = v.kit.b.ushr(word, Src::imm32((at & 3).saturating_mul(8)));
            v.kit.b.uconv(byte, 8)
        }
        bits => v.kit.uniforms.push_constant(at, bits),
    }
}
