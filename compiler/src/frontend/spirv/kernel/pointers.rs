//! Pointers of kernels as values, and their conversions.
//!
//! A pointer into device memory is its address. A pointer into the memory of the workgroup or of the lane is the offset there
//! with a bit of the upper half set, so that it is not null, and so that a generic pointer tells its memory.

use spirv::StorageClass;

use super::super::pointer::{Pointer, Root};
use super::super::types::{Layout, Ty};
use super::super::values::Values;
use crate::error::{CompileError, MemoryError};
use crate::frontend::kit::limits::MAX_SCRATCH_BYTES;
use crate::ir::build::alu::IntCond;
use crate::ir::function::Access;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

/// What is wrong with a use of a variable as one of another type.
pub(in super::super) const UNREAD: &str = "a variable in registers is read as one of another type";

/// Alignment of variables in the lane's memory.
const STACK_ALIGN: u32 = 16;

/// The bit of the upper half of a pointer into the memory of the workgroup.
pub(in super::super) const LOCAL: u32 = 1 << 30;

/// The bit of the upper half of a pointer into the memory of the lane.
pub(in super::super) const PRIVATE: u32 = 1 << 29;

/// The scalars of a pointer as a value; `None` for one without an address.
pub(in super::super) fn value<'a>(v: &mut Values<'_, 'a>, pointer: &Pointer<'a>) -> Option<&'a [Src]> {
    let offset = offset(v, pointer);
    let address = match pointer.root {
        Root::Local => tagged(v, offset, LOCAL),
        Root::Private => tagged(v, offset, PRIVATE),
        Root::Buffer { base, .. } | Root::Generic { address: base } => moved(v, base, offset),
        _ => return None,
    };
    Some(v.bump.alloc_slice_copy(&[address]))
}

/// The offset of a pointer in bytes.
pub(in super::super) fn offset(v: &mut Values<'_, '_>, pointer: &Pointer<'_>) -> Src {
    let fixed = Src::imm32(pointer.fixed);
    match pointer.offset {
        Some(offset) if pointer.fixed == 0 => offset,
        Some(offset) => v.kit.b.iadd(offset, fixed),
        None => fixed,
    }
}

fn tagged(v: &mut Values<'_, '_>, offset: Src, tag: u32) -> Src {
    v.kit.b.collect(Type::B64, &[offset, Src::imm32(tag)])
}

/// `address` and a signed offset.
pub(in super::super) fn moved(v: &mut Values<'_, '_>, address: Src, offset: Src) -> Src {
    if offset.as_imm() == Some(0) {
        return address;
    }
    let wide = v.kit.b.sconv(offset, 64);
    v.kit.b.iadd(address, wide)
}

/// The pointee of a pointer of type `ty` given as a value.
pub(in super::super) fn at<'a>(
    v: &mut Values<'_, 'a>,
    (class, pointee, ty): (StorageClass, Ty, Ty),
    address: Src,
) -> Pointer<'a> {
    let mut access = Access::empty();
    let mut offset = None;
    let root = match class {
        StorageClass::Workgroup | StorageClass::Function => {
            offset = Some(v.kit.b.uconv(address, 32));
            if class == StorageClass::Workgroup { Root::Local } else { Root::Private }
        }
        StorageClass::Generic => Root::Generic { address },
        _ => {
            access = Access::SIGNED;
            access.set(Access::READONLY, class == StorageClass::UniformConstant);
            Root::Buffer { base: address, limit: None }
        }
    };
    let align = v.types.natural(pointee).1.max(1);
    Pointer { pointer: Some(ty), offset, align, ..Pointer::new(root, pointee, Layout::Natural, access) }
}

/// Takes memory of the lane for a variable.
pub(in super::super) fn in_stack<'a>(v: &mut Values<'_, 'a>, ty: Ty) -> Result<Pointer<'a>, CompileError> {
    let bytes = v.types.natural(ty).0;
    let start = v.kit.memory.stack_bytes.next_multiple_of(STACK_ALIGN);
    let skipped = start.saturating_sub(v.kit.memory.stack_bytes);
    v.kit.memory.take_stack(skipped.saturating_add(bytes.next_multiple_of(4)));
    if v.kit.memory.scratch_bytes > MAX_SCRATCH_BYTES {
        return Err(MemoryError::Stack { most: MAX_SCRATCH_BYTES }.into());
    }
    Ok(Pointer { fixed: start, ..Pointer::new(Root::Private, ty, Layout::Natural, Access::empty()) })
}

/// The upper half of a generic pointer.
pub(in super::super) fn upper(v: &mut Values<'_, '_>, address: Src) -> Src {
    let halves = v.kit.b.split(address, Type::B32, 2);
    halves.get(1).copied().unwrap_or(Src::imm32(0))
}

/// Whether a generic pointer points into the memory that `tag` marks.
pub(in super::super) fn is_tagged(v: &mut Values<'_, '_>, upper: Src, tag: u32) -> Src {
    let bit = v.kit.b.and(upper, Src::imm32(tag));
    v.kit.b.icmp(IntCond::NE, bit, Src::imm32(0))
}
