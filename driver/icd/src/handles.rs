//! Handles: the application's references to objects.
//!
//! A handle is the address of a shared object, of which it owns a reference. The loader uses the first word of dispatchable
//! objects, so their handles are addresses of boxes that begin with a reserved word.

use std::sync::{Arc, Mutex};

use agx_driver::acceleration::AccelerationStructure;
use agx_driver::buffer::Buffer;
use agx_driver::cache::PipelineCache;
use agx_driver::command::CommandBuffer;
use agx_driver::descriptor::{PipelineLayout, Set, SetLayout};
use agx_driver::image::Image;
use agx_driver::memory::Allocation;
use agx_driver::pipeline_binary::PipelineBinary;
use agx_driver::query::QueryPool;
use agx_driver::sampler::Sampler;
use agx_driver::sequences::{ProgramSet, SequenceLayout};
use agx_driver::shader_object::ShaderObject;
use agx_driver::surface::Surface;
use agx_driver::sync::{Event, Sync};
use agx_driver::view::{BufferView, ImageView};
use agx_driver::ycbcr::YcbcrConversion;
use ash::vk;
use ash::vk::Handle;

use crate::newer::{IndirectCommandsLayoutHandle, IndirectExecutionSetHandle, PipelineBinaryHandle};
use crate::objects::{
    CommandPool, DescriptorPool, Device, Framebuffer, Instance, PhysicalDevice, Pipeline, Queue, RenderPass,
    ShaderModule, Swapchain, UpdateTemplate,
};

/// The first word of dispatchable objects, as the loader requires (`ICD_LOADER_MAGIC`).
const MAGIC: usize = 0x01cd_c0de;

/// A dispatchable object.
#[repr(C)]
struct Dispatchable<T> {
    magic: usize,
    object: T,
}

/// A handle and its object.
pub(crate) trait Object: Handle + Copy {
    type Of: 'static;
}

/// A dispatchable handle.
pub(crate) trait Dispatched: Handle + Copy {
    type Of: 'static;
    /// What commands get of it.
    type Lent<'a>;

    /// # Safety
    /// The object outlives the commands that use it. If `Lent` is a mutable reference, no other reference to the object exists
    /// during a command.
    unsafe fn lend<'a>(object: *mut Self::Of) -> Self::Lent<'a>;
}

/// Commands share the object.
macro_rules! shared {
    ($($object:ident)*) => {
        $(impl Dispatched for vk::$object {
            type Of = Arc<$object>;
            type Lent<'a> = &'a Arc<$object>;

            unsafe fn lend<'a>(object: *mut Self::Of) -> Self::Lent<'a> {
                // SAFETY: the caller's promise.
                unsafe { &*object }
            }
        })*
    };
}

shared! { Instance PhysicalDevice Device Queue }

/// Applications synchronise access to command buffers: a command has its own alone.
impl Dispatched for vk::CommandBuffer {
    type Of = CommandBuffer;
    type Lent<'a> = &'a mut CommandBuffer;

    unsafe fn lend<'a>(object: *mut Self::Of) -> Self::Lent<'a> {
        // SAFETY: the caller's promise.
        unsafe { &mut *object }
    }
}

macro_rules! objects {
    ($($handle:ident $object:ty;)*) => {
        $(impl Object for vk::$handle {
            type Of = $object;
        })*
    };
}

impl Object for PipelineBinaryHandle {
    type Of = PipelineBinary;
}

impl Object for IndirectCommandsLayoutHandle {
    type Of = SequenceLayout;
}

impl Object for IndirectExecutionSetHandle {
    type Of = ProgramSet;
}

objects! {
    DeviceMemory Allocation;
    AccelerationStructureKHR AccelerationStructure;
    DeferredOperationKHR ();
    Buffer Buffer;
    BufferView BufferView;
    Image Image;
    ImageView ImageView;
    Sampler Sampler;
    SamplerYcbcrConversion YcbcrConversion;
    ShaderModule ShaderModule;
    PipelineCache PipelineCache;
    ShaderEXT ShaderObject;
    PipelineLayout PipelineLayout;
    Pipeline Pipeline;
    DescriptorSetLayout SetLayout;
    DescriptorPool DescriptorPool;
    DescriptorSet Set;
    DescriptorUpdateTemplate UpdateTemplate;
    RenderPass RenderPass;
    Framebuffer Framebuffer;
    CommandPool CommandPool;
    Fence Sync;
    Semaphore Sync;
    Event Event;
    QueryPool QueryPool;
    SurfaceKHR Box<dyn Surface>;
    SwapchainKHR Swapchain;
    PrivateDataSlot Mutex<std::collections::BTreeMap<u64, u64>>;
}

/// Creates a handle for an object, which owns a reference to it.
pub(crate) fn give<H: Object>(object: Arc<H::Of>) -> H {
    H::from_raw(Arc::into_raw(object) as u64)
}

/// The object of a handle; `None` for a null handle.
pub(crate) fn object<'a, H: Object>(handle: H) -> Option<&'a H::Of> {
    let pointer = handle.as_raw() as *const H::Of;
    // SAFETY: valid usage: the handle is null, or was made by `give` and not passed to `take`.
    unsafe { pointer.as_ref() }
}

/// A reference of its own to the object of a handle; `None` for a null handle.
pub(crate) fn owned<H: Object>(handle: H) -> Option<Arc<H::Of>> {
    let pointer = handle.as_raw() as *const H::Of;
    (!pointer.is_null()).then(|| {
        // SAFETY: as above, so that the handle owns a reference; another one is added to it.
        unsafe {
            Arc::increment_strong_count(pointer);
            Arc::from_raw(pointer)
        }
    })
}

/// The error for a handle that must not be null.
const NULL: agx_driver::Error = agx_driver::Error::Invalid { what: "a handle is null" };

/// As [`object`], for a handle that must not be null.
pub(crate) fn known<'a, H: Object>(handle: H) -> Result<&'a H::Of, agx_driver::Error> {
    match object(handle) {
        Some(object) => Ok(object),
        None => Err(NULL),
    }
}

/// As [`owned`], for a handle that must not be null.
pub(crate) fn shared<H: Object>(handle: H) -> Result<Arc<H::Of>, agx_driver::Error> {
    match owned(handle) {
        Some(object) => Ok(object),
        None => Err(NULL),
    }
}

/// The reference of a handle that is being destroyed.
pub(crate) fn take<H: Object>(handle: H) -> Option<Arc<H::Of>> {
    let pointer = handle.as_raw() as *const H::Of;
    // SAFETY: as above, and the handle is not used afterwards.
    (!pointer.is_null()).then(|| unsafe { Arc::from_raw(pointer) })
}

/// Creates a handle for a dispatchable object.
pub(crate) fn give_dispatched<H: Dispatched>(object: H::Of) -> H {
    H::from_raw(Box::into_raw(Box::new(Dispatchable { magic: MAGIC, object })) as u64)
}

/// The object of a dispatchable handle.
///
/// # Safety
/// The handle was made by `give_dispatched` and not destroyed, and its object may be lent ([`Dispatched::lend`]).
pub(crate) unsafe fn dispatched_object<'a, H: Dispatched>(handle: H) -> H::Lent<'a> {
    let pointer = handle.as_raw() as *mut Dispatchable<H::Of>;
    // SAFETY: the caller's promise.
    unsafe { H::lend(&raw mut (*pointer).object) }
}

/// The object of a dispatchable handle in a structure or an array.
pub(crate) fn named<'a, H: Dispatched + 'a>(handle: H) -> H::Lent<'a> {
    // SAFETY: valid usage: the driver made the handle, it was not destroyed, and it is not that of the command itself.
    unsafe { dispatched_object(handle) }
}

/// The object of a dispatchable handle that is being destroyed.
pub(crate) fn take_dispatched<H: Dispatched>(handle: H) -> Option<H::Of> {
    let pointer = handle.as_raw() as *mut Dispatchable<H::Of>;
    // SAFETY: valid usage: the handle is null, or the driver made it, and it is not used afterwards.
    (!pointer.is_null()).then(|| unsafe { Box::from_raw(pointer) }.object)
}
