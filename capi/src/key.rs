//! Compilers and keys.

use agx_abi::pipeline::{
    BindingAccess, BindingLayout, DescriptorForm, DescriptorParts, PipelineLayout, SetLayout,
};
use agx_abi::{Stage, Target};
use agx_compiler::{Bounds, CompileKey, Compiler, Scratch};

use crate::error::AgxError;

/// A compiler for one chip, with the memory that compilations reuse. One per thread.
pub struct AgxCompiler {
    pub(crate) compiler: Compiler,
    pub(crate) scratch: Scratch,
}

impl AgxCompiler {
    /// A compiler for the chip `name`; the default one if that is empty.
    pub(crate) fn new(name: &str) -> Result<AgxCompiler, AgxError> {
        let target = match name {
            "" => Some(Target::default()),
            name => Target::from_name(name),
        };
        let target = target.ok_or_else(|| AgxError::argument(format!("unknown target `{name}`")))?;
        Ok(AgxCompiler { compiler: Compiler::new(target), scratch: Scratch::default() })
    }
}

/// Everything that affects the code besides the input.
pub struct AgxKey(pub(crate) CompileKey);

/// Stages of shaders.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxStage {
    /// Vertex shaders.
    Vertex = 0,
    /// Fragment shaders.
    Fragment = 1,
    /// Compute shaders.
    Compute = 2,
}

impl From<Stage> for AgxStage {
    fn from(stage: Stage) -> AgxStage {
        match stage {
            Stage::Vertex => AgxStage::Vertex,
            Stage::Fragment => AgxStage::Fragment,
            Stage::Compute => AgxStage::Compute,
        }
    }
}

/// Behaviour of buffer accesses out of bounds.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxBounds {
    /// Undefined: the program makes none.
    Unchecked = 0,
    /// They access some byte of the buffer (Vulkan's `robustBufferAccess`).
    Clamped = 1,
    /// Loads return zeros, stores and atomics are dropped (`robustBufferAccess2`).
    Exact = 2,
}

/// How the descriptors of a binding are accessed.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxAccess {
    /// By the driver, before the program starts.
    Constant = 0,
    /// By the program; every descriptor with a constant index must be valid.
    Memory = 1,
    /// By the program; descriptors that are not used may be invalid.
    PartiallyBound = 2,
}

/// `dynamic_offset` of bindings without dynamic offsets.
pub const AGX_NO_DYNAMIC_OFFSET: u32 = u32::MAX;

/// The layout of a pipeline layout's binding in the memory of its set.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxBinding {
    /// Descriptor set.
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// Byte offset of element 0 in the set.
    pub offset: u32,
    /// Distance between elements in bytes.
    pub stride: u32,
    /// A number of `AgxAccess`.
    pub access: u32,
    /// Number of the first of the elements' dynamic offsets, or `AGX_NO_DYNAMIC_OFFSET`.
    pub dynamic_offset: u32,
    /// Whether the element is the contents of a uniform block; the offsets below are then ignored.
    pub is_inline: bool,
    /// Byte offset in the element of a buffer: 64-bit address, 32-bit size.
    pub buffer: u32,
    /// Byte offset of a texture.
    pub texture: u32,
    /// Byte offset of an image for stores.
    pub image: u32,
    /// Byte offset of the 16-bit number of a sampler.
    pub sampler: u32,
}

/// The value with this number, in an enumeration of this interface or of Vulkan.
pub(crate) fn numbered<T: Copy>(what: &str, values: &[T], number: u32) -> Result<T, AgxError> {
    let found = usize::try_from(number).ok().and_then(|at| values.get(at)).copied();
    found.ok_or_else(|| {
        AgxError::argument(format!("{what} {number}: expected a number less than {}", values.len()))
    })
}

/// The stage with this number.
pub(crate) fn stage(number: u32) -> Result<Stage, AgxError> {
    numbered("stage", &[Stage::Vertex, Stage::Fragment, Stage::Compute], number)
}

/// The bounds with this number.
pub(crate) fn bounds(number: u32) -> Result<Bounds, AgxError> {
    numbered("bounds", &[Bounds::Unchecked, Bounds::Clamped, Bounds::Exact], number)
}

/// A binding with all descriptors in memory.
pub(crate) fn default_binding(set: u32, binding: u32) -> AgxBinding {
    let DescriptorParts { buffer, texture, image, sampler } = DescriptorParts::ALL;
    AgxBinding {
        set,
        binding,
        offset: 0,
        stride: DescriptorParts::ALL_BYTES,
        access: AgxAccess::Memory as u32,
        dynamic_offset: AGX_NO_DYNAMIC_OFFSET,
        is_inline: false,
        buffer,
        texture,
        image,
        sampler,
    }
}

/// The layout of a pipeline with these bindings.
pub(crate) fn layout(bindings: &[AgxBinding]) -> Result<PipelineLayout, AgxError> {
    let accesses = [BindingAccess::Constant, BindingAccess::Memory, BindingAccess::PartiallyBound];
    let mut layout = PipelineLayout::default();
    for found in bindings {
        let AgxBinding { buffer, texture, image, sampler, .. } = *found;
        let parts = DescriptorParts { buffer, texture, image, sampler };
        let binding = BindingLayout {
            binding: found.binding,
            offset: found.offset,
            stride: found.stride,
            form: if found.is_inline { DescriptorForm::Inline } else { DescriptorForm::Descriptors(parts) },
            access: numbered("access", &accesses, found.access)?,
            dynamic_offset: (found.dynamic_offset != AGX_NO_DYNAMIC_OFFSET).then_some(found.dynamic_offset),
        };
        match layout.sets.iter_mut().find(|set| set.set == found.set) {
            Some(set) => set.bindings.push(binding),
            None => layout.sets.push(SetLayout { set: found.set, bindings: vec![binding] }),
        }
    }
    Ok(layout)
}
