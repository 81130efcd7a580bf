//! Values in memory as lists of adjacent scalars.

use bumpalo::collections::Vec as ArenaVec;

use super::pointer::Pointer;
use super::types::{Kind, Layout, MatrixLayout, Ty, Types};
use super::values::Values;
use crate::error::{CompileError, MemoryError};
use crate::ir::build::alu::IntCond;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

/// Maximum number of components of a memory access.
const MAX_COMPONENTS: u32 = 4;

/// Adjacent scalars of one type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    /// Bytes from the start of the value.
    pub offset: u32,
    /// Number of scalars.
    pub count: u32,
    /// Width of each scalar as a value: 1 for booleans.
    pub bits: u8,
}

/// The chunks of a value of type `ty` in memory, in the order of its scalars. The recursion depth is the
/// nesting depth of types, which is limited.
pub(super) fn chunks(
    types: &Types<'_>,
    ty: Ty,
    layout: Layout,
    matrix: MatrixLayout,
    component_stride: u32,
    at: u32,
    out: &mut ArenaVec<'_, Chunk>,
) -> Result<(), CompileError> {
    match types.kind(ty) {
        Kind::Bool => out.push(Chunk { offset: at, count: 1, bits: 1 }),
        Kind::Pointer { .. } => {
            let mut offset = at;
            for bits in types.leaves(ty)? {
                out.push(Chunk { offset, count: 1, bits: *bits });
                offset = offset.wrapping_add(u32::from(*bits) / 8);
            }
        }
        Kind::Int { bits } | Kind::Float { bits } => out.push(Chunk { offset: at, count: 1, bits }),
        Kind::Bfloat16 => out.push(Chunk { offset: at, count: 1, bits: 16 }),
        Kind::Vector { elem, count } => {
            let bits = types.leaves(elem)?.first().copied().unwrap_or(32);
            let bytes = types.natural(elem).0;
            let (most, stride) = match component_stride {
                0 => (if bits == 64 { MAX_COMPONENTS / 2 } else { MAX_COMPONENTS }, bytes),
                stride => (1, stride),
            };
            for first in (0..count).step_by(most as usize) {
                let count = most.min(count.saturating_sub(first));
                out.push(Chunk { offset: at.wrapping_add(first.wrapping_mul(stride)), count, bits });
            }
        }
        Kind::Struct { members } => {
            for member in members {
                let offset = if layout == Layout::Natural { member.natural_offset } else { member.offset };
                chunks(types, member.ty, layout, member.matrix, 0, at.wrapping_add(offset), out)?;
            }
        }
        Kind::Array { count, .. } | Kind::Matrix { count, .. } => {
            let stride = types.stride(ty, layout, matrix)?;
            let (elem, _) = types.element(ty, 0)?;
            let is_row_major = matches!(types.kind(ty), Kind::Matrix { .. })
                && layout == Layout::Explicit
                && matrix.row_major;
            let across = if is_row_major { matrix.stride } else { 0 };
            for index in 0..count {
                let at = at.wrapping_add(index.wrapping_mul(stride));
                chunks(types, elem, layout, matrix, across, at, out)?;
            }
        }
        _ => return Err(MemoryError::NotInMemory.into()),
    }
    Ok(())
}

/// Width of a scalar in memory.
pub(super) fn memory_bits(bits: u8) -> u8 {
    if bits == 1 { 32 } else { bits }
}

/// The chunks of the pointee.
pub(super) fn chunks_of<'a>(
    v: &Values<'_, 'a>,
    pointer: &Pointer<'a>,
) -> Result<ArenaVec<'a, Chunk>, CompileError> {
    let mut list = ArenaVec::with_capacity_in(MAX_COMPONENTS as usize, v.bump);
    let Pointer { ty, layout, matrix, component_stride, .. } = *pointer;
    chunks(v.types, ty, layout, matrix, component_stride, 0, &mut list)?;
    Ok(list)
}

/// Converts loaded memory contents to scalars of `bits` bits.
pub(super) fn push_loaded(v: &mut Values<'_, '_>, parts: &[Src], bits: u8, result: &mut ArenaVec<'_, Src>) {
    match bits {
        64 => result.extend(parts.chunks(2).map(|pair| v.kit.b.collect(Type::B64, pair))),
        1 => result.extend(parts.iter().map(|word| v.kit.b.icmp(IntCond::NE, *word, Src::imm32(0)))),
        _ => result.extend_from_slice(parts),
    }
}
