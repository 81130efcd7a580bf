//! Reads of acceleration structures (`agx_abi::acceleration`).

use agx_abi::acceleration::{HEADER_BYTES, NODE_BYTES};

use super::super::values::Values;
use crate::frontend::kit::bounds;
use crate::ir::builder::Builder;
use crate::ir::function::Access;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

/// Alignment of what is read together, in bytes.
const ALIGNMENT: u32 = 16;

/// Words at a byte after an address.
pub(super) fn words<const N: usize>(v: &mut Values<'_, '_>, address: Src, byte: u32) -> [Src; N] {
    let ty = Type::vector(32, N as u8);
    let align = ALIGNMENT.min(1 << byte.trailing_zeros().min(4));
    let asked = bounds::Access { base: address, offset: (Src::imm32(byte), ALIGNMENT), ty };
    let checked = bounds::unchecked_load(&mut v.kit, asked);
    let srcs = [checked.base, checked.offset];
    let loaded = v.kit.b.value(IrOp::LoadGlobal, ty, &srcs, &[Access::READONLY.bits(), align]);
    let parts = v.kit.b.split(Src::value(loaded), Type::B32, N);
    std::array::from_fn(|at| parts.get(at).copied().unwrap_or(Src::imm32(0)))
}

/// `address` and a multiple of `bytes`.
fn scaled(b: &mut Builder<'_, '_>, address: Src, count: Src, bytes: u32) -> Src {
    let count = b.uconv(count, 64);
    let product = b.imul(count, Src::imm(bytes.into(), 64));
    b.iadd(address, product)
}

/// The address of a node, less the header.
pub(super) fn node(b: &mut Builder<'_, '_>, structure: Src, number: Src) -> Src {
    scaled(b, structure, number, NODE_BYTES)
}

/// The address of a leaf of a structure with a number of nodes.
pub(super) fn leaf(b: &mut Builder<'_, '_>, structure: Src, nodes: Src, number: Src, bytes: u32) -> Src {
    let end = scaled(b, structure, nodes, NODE_BYTES);
    let start = b.iadd(end, Src::imm(HEADER_BYTES.into(), 64));
    scaled(b, start, number, bytes)
}
