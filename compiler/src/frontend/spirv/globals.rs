//! Module-scope variables: resources, workgroup memory, private variables, and built-in inputs.

use agx_abi::Stage;
use spirv::{BuiltIn, Decoration, StorageClass};

use super::interface::{self, Leaf, Slot};
use super::module::Global;
use super::owners::Memory;
use super::pointer::{Pointer, Root};
use super::types::{Kind, Layout, MatrixLayout, Ty};
use super::values::Values;
use super::{acceleration, constant_tables, kernel, memory, resources, tile_image, variables};
use crate::error::{CompileError, KernelError, MemoryError, StageError, TypeError};
use crate::frontend::kit;
use crate::frontend::kit::bounds::Limit;
use crate::frontend::kit::buffers::{self, BufferElement};
use crate::frontend::kit::compute::{self, ComputeInput, LaneInput};
use crate::frontend::kit::limits::MAX_LOCAL_BYTES;
use crate::ir::Arithmetic;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// Alignment of variables in workgroup memory.
const LOCAL_ALIGN: u32 = 16;

/// The kit's input for a component of a built-in.
type Component = fn(u32) -> ComputeInput;

/// Built-in inputs of compute shaders.
const INPUTS: &[(BuiltIn, Component)] = &[
    (BuiltIn::WorkgroupId, ComputeInput::WorkgroupId),
    (BuiltIn::NumWorkgroups, ComputeInput::WorkgroupCount),
    (BuiltIn::WorkgroupSize, ComputeInput::WorkgroupSize),
    (BuiltIn::LocalInvocationId, ComputeInput::LocalInvocationId),
    (BuiltIn::LocalInvocationIndex, |_| ComputeInput::LocalInvocationIndex),
    (BuiltIn::GlobalInvocationId, ComputeInput::GlobalInvocationId),
    (BuiltIn::SubgroupId, |_| ComputeInput::SubgroupId),
    (BuiltIn::NumSubgroups, |_| ComputeInput::SubgroupCount),
];

/// Built-in lane inputs, which all stages have.
const LANE_INPUTS: &[(BuiltIn, LaneInput)] = &[
    (BuiltIn::SubgroupLocalInvocationId, LaneInput::Index),
    (BuiltIn::SubgroupSize, LaneInput::Count),
    (BuiltIn::SubgroupEqMask, LaneInput::EqMask),
    (BuiltIn::SubgroupGeMask, LaneInput::GeMask),
    (BuiltIn::SubgroupGtMask, LaneInput::GtMask),
    (BuiltIn::SubgroupLeMask, LaneInput::LeMask),
    (BuiltIn::SubgroupLtMask, LaneInput::LtMask),
];

/// Built-ins that are 0 in all stages: there is one device, and the shading rate is one fragment per pixel.
const CONSTANT_INPUTS: [BuiltIn; 2] = [BuiltIn::DeviceIndex, BuiltIn::ShadingRateKHR];

/// The variable that holds built-in inputs: one, or those of a block; `None` for unsupported inputs, which are errors only
/// where they are used.
pub(super) fn input<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    global: &Global<'a>,
) -> Result<Option<Pointer<'a>>, CompileError> {
    let Ok(leaves) = interface::leaves(v.module, global) else { return Ok(None) };
    let mut scalars = Vec::with_capacity(leaves.len());
    for leaf in &leaves {
        let Slot::BuiltIn { built_in, index } = leaf.slot else { return Ok(None) };
        let value = match v.types.is_kernel {
            true => kernel::built_ins::scalar(m, v, built_in, index)?,
            false => None,
        };
        let Some(value) = value.or_else(|| scalar(v, built_in, index)) else { return Ok(None) };
        if leaf.bits != 32 && !v.types.is_kernel {
            return Err(MemoryError::BuiltInType { id: global.id, built_in }.into());
        }
        scalars.push(v.kit.b.uconv(value, leaf.bits));
    }
    let pointer = variables::allocate(m, v, global.id, global.ty)?;
    memory::store(v, &pointer, &scalars, Access::empty())?;
    Ok(Some(pointer))
}

fn scalar(v: &mut Values<'_, '_>, built_in: BuiltIn, component: u32) -> Option<Src> {
    match INPUTS.iter().find(|(known, _)| *known == built_in) {
        Some((_, input)) => Some(compute::input(&mut v.kit, input(component))),
        None if built_in == BuiltIn::DrawIndex => kit::mesh::draw(&v.kit),
        None => lane_built_in(v, built_in, component),
    }
}

/// Why an input cannot be used: the stage lacks a built-in, or the input has no place in the interface.
fn unusable_input(v: &Values<'_, '_>, global: &Global<'_>) -> MemoryError {
    let is_known = |built_in: BuiltIn| {
        let is_of_stage = INPUTS.iter().any(|(known, _)| *known == built_in);
        is_of_stage && v.kit.stage == Stage::Compute || is_in_all_stages(built_in)
    };
    let lacking = |leaf: &Leaf| match leaf.slot {
        Slot::BuiltIn { built_in, .. } if !is_known(built_in) => Some(built_in),
        _ => None,
    };
    let own = v.module.decorations.of(global.id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
    let leaves = || interface::leaves(v.module, global).unwrap_or_default();
    match own.or_else(|| leaves().iter().find_map(lacking)) {
        Some(built_in) => MemoryError::BuiltIn { id: global.id, built_in },
        None => MemoryError::NotInInterface { id: global.id, stage: v.kit.stage.name() },
    }
}

/// Whether all stages have a built-in.
fn is_in_all_stages(built_in: BuiltIn) -> bool {
    CONSTANT_INPUTS.contains(&built_in) || LANE_INPUTS.iter().any(|(known, _)| *known == built_in)
}

/// A component of a built-in that all stages have.
pub(super) fn lane_built_in(v: &mut Values<'_, '_>, built_in: BuiltIn, component: u32) -> Option<Src> {
    if CONSTANT_INPUTS.contains(&built_in) {
        return Some(Src::imm32(0));
    }
    let (_, input) = LANE_INPUTS.iter().find(|(known, _)| *known == built_in)?;
    // Masks have additional words for lanes that do not exist.
    Some(if component == 0 { compute::lane_input(&mut v.kit, *input) } else { Src::imm32(0) })
}

/// The pointer to a module-scope variable.
pub(super) fn global<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    index: usize,
) -> Result<&'a Pointer<'a>, CompileError> {
    if let Some(pointer) = m.globals[index] {
        return Ok(pointer);
    }
    let global = *v.module.globals.get(index).ok_or_else(|| CompileError::internal("a missing variable"))?;
    let pointer = match global.class {
        StorageClass::UniformConstant if v.types.is_kernel => constant_tables::constant(m, v, &global)?,
        StorageClass::CrossWorkgroup => return Err(KernelError::ProgramVariable { id: global.id }.into()),
        StorageClass::Input if v.types.is_kernel => kernel_input(m, v, &global)?,
        StorageClass::Uniform | StorageClass::StorageBuffer => buffer(v, &global)?,
        StorageClass::PushConstant => {
            Pointer::new(Root::PushConstants, global.ty, Layout::Explicit, Access::READONLY)
        }
        StorageClass::UniformConstant => match acceleration::structure_variable(v, &global)? {
            Some(pointer) => pointer,
            None => resources::resource_variable(v, &global)?,
        },
        StorageClass::TileImageEXT => tile_image::tile_image_variable(v, &global)?,
        StorageClass::TaskPayloadWorkgroupEXT => {
            return Err(StageError::NoPayload { id: global.id }.into());
        }
        StorageClass::Workgroup => workgroup_variable(v, &global)?,
        StorageClass::Input => return Err(unusable_input(v, &global).into()),
        class => return Err(TypeError::StorageClass { class, id: global.id }.into()),
    };
    let pointer = &*v.bump.alloc(Pointer { pointer: Some(global.pointer), ..pointer });
    // Built-ins of kernels are computed where they are read: a kernel may not need all of them.
    let is_repeated = global.class == StorageClass::Input;
    // An address read from a descriptor is read again in each block; the reads later move to the preamble.
    let is_computed = matches!(pointer.root, Root::Buffer { base, .. } if base.as_value().is_some());
    m.globals[index] = Some(pointer).filter(|_| !is_computed && !is_repeated);
    Ok(pointer)
}

/// A built-in of a kernel.
fn kernel_input<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    global: &Global<'a>,
) -> Result<Pointer<'a>, CompileError> {
    input(m, v, global)?.ok_or_else(|| unusable_input(v, global).into())
}

fn buffer<'a>(v: &mut Values<'_, 'a>, global: &Global<'a>) -> Result<Pointer<'a>, CompileError> {
    let decorations = &v.module.decorations;
    let number = |decoration: Decoration| {
        decorations
            .of(global.id, decoration)
            .ok_or_else(|| CompileError::from(MemoryError::NoDecoration { id: global.id, decoration }))
    };
    let (set, binding) = (number(Decoration::DescriptorSet)?, number(Decoration::Binding)?);
    let mut access = Access::empty();
    let is_uniform = global.class == StorageClass::Uniform && !is_buffer_block(v, global.ty);
    let stays = decorations.has(global.id, Decoration::NonWritable)
        && !decorations.has(global.id, Decoration::Aliased);
    access.set(Access::READONLY, is_uniform || stays);
    let ordered = [Decoration::Volatile, Decoration::Coherent];
    access.set(Access::VOLATILE, ordered.iter().any(|decoration| decorations.has(global.id, *decoration)));
    let robustness = v.kit.robustness;
    let bounds = if is_uniform { robustness.uniform } else { robustness.storage };
    let root = match v.types.kind(global.ty) {
        Kind::Array { .. } | Kind::RuntimeArray { .. } => {
            Root::BufferArray { set, binding, is_uniform, bounds }
        }
        _ => {
            // The contents of a uniform block are readable, whether or not they are read.
            let is_there = is_uniform && buffers::is_always_valid(&mut v.kit, set, binding);
            access.set(Access::SPECULATABLE, is_there && !access.contains(Access::VOLATILE));
            let buffer = BufferElement { set, binding, element: Src::imm32(0), is_uniform, bounds };
            let base = buffers::address(&mut v.kit, buffer);
            if access.contains(Access::SPECULATABLE) && base.as_uniform().is_some() {
                let bytes = v.types.explicit_end(global.ty, MatrixLayout::default())?;
                v.kit.uniforms.note_readable(base, bytes);
            }
            Root::Buffer { base, limit: Some(Limit::Buffer(buffer)) }
        }
    };
    Ok(Pointer::new(root, global.ty, Layout::Explicit, access))
}

fn is_buffer_block(v: &Values<'_, '_>, ty: Ty) -> bool {
    let inner = match v.types.kind(ty) {
        Kind::Array { elem, .. } | Kind::RuntimeArray { elem, .. } => elem,
        _ => ty,
    };
    v.module.is_buffer_block(inner)
}

/// Allocates workgroup memory. Blocks with an explicit layout share one location, as their extension
/// specifies.
fn workgroup_variable<'a>(v: &mut Values<'_, 'a>, global: &Global<'a>) -> Result<Pointer<'a>, CompileError> {
    let is_block = v.module.is_block(global.ty);
    let (fixed, layout, bytes) = if is_block {
        (0, Layout::Explicit, v.types.explicit_end(global.ty, MatrixLayout::default())?)
    } else {
        let fixed = v.kit.memory.local_bytes.next_multiple_of(LOCAL_ALIGN);
        (fixed, Layout::Natural, v.types.natural(global.ty).0)
    };
    v.kit.memory.local_bytes = v.kit.memory.local_bytes.max(fixed.saturating_add(bytes));
    if v.kit.memory.local_bytes > MAX_LOCAL_BYTES {
        return Err(MemoryError::Workgroup { most: MAX_LOCAL_BYTES }.into());
    }
    Ok(Pointer { fixed, ..Pointer::new(Root::Local, global.ty, layout, Access::empty()) })
}

/// Fills the workgroup variables that have an initializer, which can only be null, with zeros: the
/// invocations store words in turn, then all wait for each other.
pub(super) fn zero_workgroup_memory<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
) -> Result<(), CompileError> {
    for (index, variable) in v.module.globals.iter().enumerate() {
        if variable.class == StorageClass::Workgroup && !v.types.is_kernel && variable.init.is_some() {
            global(m, v, index)?;
        }
    }
    let bytes = v.kit.memory.local_bytes.next_multiple_of(4);
    v.kit.memory.local_bytes = bytes;
    if bytes == 0 {
        return Ok(());
    }
    compute::clear_local(&mut v.kit, bytes);
    Ok(())
}
