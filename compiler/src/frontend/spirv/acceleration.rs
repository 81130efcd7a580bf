//! Acceleration structures, whose value is their address. A descriptor of one is that of a buffer.

use spirv::Decoration;

use super::arith;
use super::module::{Def, Global};
use super::pointer::{Pointer, Root};
use super::types::{Kind, Layout};
use super::values::Values;
use super::words::Inst;
use crate::error::{CompileError, MemoryError, ValueError};
use crate::frontend::kit::buffers::{self, BufferElement};
use crate::frontend::kit::robustness::Bounds;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// The pointer to a variable that holds acceleration structures; `None` for variables of other types.
pub(super) fn structure_variable<'a>(
    v: &mut Values<'_, 'a>,
    global: &Global<'a>,
) -> Result<Option<Pointer<'a>>, CompileError> {
    let (elem, is_array) = match v.types.kind(global.ty) {
        Kind::Array { elem, .. } | Kind::RuntimeArray { elem, .. } => (elem, true),
        _ => (global.ty, false),
    };
    if !matches!(v.types.kind(elem), Kind::AccelerationStructure) {
        return Ok(None);
    }
    let number = |decoration| {
        let number = v.module.decorations.of(global.id, decoration);
        number.ok_or(MemoryError::NoDecoration { id: global.id, decoration })
    };
    let (set, binding) = (number(Decoration::DescriptorSet)?, number(Decoration::Binding)?);
    let (is_uniform, bounds) = (false, Bounds::Unchecked);
    let root = if is_array {
        Root::BufferArray { set, binding, is_uniform, bounds }
    } else {
        let buffer = BufferElement { set, binding, element: Src::imm32(0), is_uniform, bounds };
        Root::Buffer { base: buffers::address(&mut v.kit, buffer), limit: None }
    };
    Ok(Some(Pointer::new(root, global.ty, Layout::Explicit, Access::READONLY)))
}

/// Loads an acceleration structure, whose value is its address; returns false for pointers to other things.
pub(super) fn load_structure<'a>(
    v: &mut Values<'_, 'a>,
    id: u32,
    pointer: &Pointer<'a>,
) -> Result<bool, CompileError> {
    match (v.types.kind(pointer.ty), pointer.root) {
        (Kind::AccelerationStructure, Root::Buffer { base, .. }) => {
            let leaves = v.bump.alloc_slice_copy(&[base]);
            v.define(id, Def::Value(pointer.ty, leaves))?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// `OpConvertUToAccelerationStructureKHR`, from an integer of 64 bits or two words.
pub(super) fn structure_of_address<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let id = inst.word(2)?;
    let (_, leaves) = v.eval().value(id)?;
    let address = match leaves {
        [wide] if v.kit.b.f.width(*wide) == 64 => *wide,
        [low, high] if v.kit.b.f.width(*low) == 32 => arith::join(&mut v.kit.b, *low, *high),
        _ => return Err(ValueError::NotAnAddress { id }.into()),
    };
    v.define_leaves(inst, &[address])
}
