//! Handles: the application's references to objects.
//!
//! A handle is the address of a box with a shared object. The loader uses the first word of dispatchable objects, so
//! they begin with a reserved word.

use std::sync::{Arc, Mutex};

use agx_driver::buffer::Buffer;
use agx_driver::cache::PipelineCache;
use agx_driver::command::CommandBuffer;
use agx_driver::descriptor::{PipelineLayout, Set, SetLayout};
use agx_driver::image::Image;
use agx_driver::memory::Allocation;
use agx_driver::query::QueryPool;
use agx_driver::sampler::Sampler;
use agx_driver::shader_object::ShaderObject;
use agx_driver::surface::Surface;
use agx_driver::sync::{Event, Sync};
use agx_driver::view::{BufferView, ImageView};
use agx_driver::ycbcr::YcbcrConversion;
use ash::vk;
use ash::vk::Handle;

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
    object: Arc<T>,
}

/// A handle and its object.
pub(crate) trait Object: Handle + Copy {
    type Of: 'static;
}

/// A dispatchable handle.
pub(crate) trait Dispatched: Handle + Copy {
    type Of: 'static;
}

macro_rules! objects {
    ($kind:ident: $($handle:ident $object:ty;)*) => {
        $(impl $kind for vk::$handle {
            type Of = $object;
        })*
    };
}

objects! { Dispatched:
    Instance Instance;
    PhysicalDevice PhysicalDevice;
    Device Device;
    Queue Queue;
    CommandBuffer CommandBuffer;
}

objects! { Object:
    DeviceMemory Allocation;
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

/// Creates a handle for an object.
pub(crate) fn give<H: Object>(object: Arc<H::Of>) -> H {
    H::from_raw(Box::into_raw(Box::new(object)) as u64)
}

/// The object of a handle; `None` for a null handle.
pub(crate) fn object<'a, H: Object>(handle: H) -> Option<&'a Arc<H::Of>> {
    let pointer = handle.as_raw() as *const Arc<H::Of>;
    // SAFETY: valid usage: the handle is null, or was made by `give` and not passed to `take`.
    unsafe { pointer.as_ref() }
}

/// The object of a handle that must not be null.
pub(crate) fn shared<H: Object>(handle: H) -> Result<Arc<H::Of>, agx_driver::Error> {
    object(handle).cloned().ok_or(agx_driver::Error::Invalid { what: "a handle is null" })
}

/// The object of a handle that is being destroyed.
pub(crate) fn take<H: Object>(handle: H) -> Option<Arc<H::Of>> {
    let pointer = handle.as_raw() as *mut Arc<H::Of>;
    // SAFETY: as above, and the handle is not used afterwards.
    (!pointer.is_null()).then(|| unsafe { *Box::from_raw(pointer) })
}

/// Creates a handle for a dispatchable object.
pub(crate) fn give_dispatched<H: Dispatched>(object: Arc<H::Of>) -> H {
    H::from_raw(Box::into_raw(Box::new(Dispatchable { magic: MAGIC, object })) as u64)
}

/// The object of a dispatchable handle.
///
/// # Safety
/// The handle was made by `give_dispatched` and not destroyed.
pub(crate) unsafe fn dispatched_object<'a, H: Dispatched>(handle: H) -> &'a Arc<H::Of> {
    let pointer = handle.as_raw() as *const Dispatchable<H::Of>;
    // SAFETY: the caller's promise.
    unsafe { &(*pointer).object }
}

/// The object of a dispatchable handle in a structure or an array.
pub(crate) fn named<'a, H: Dispatched + 'a>(handle: H) -> &'a Arc<H::Of> {
    // SAFETY: valid usage: the driver made the handle, and it was not destroyed.
    unsafe { dispatched_object(handle) }
}

/// The object of a dispatchable handle that is being destroyed.
pub(crate) fn take_dispatched<H: Dispatched>(handle: H) -> Option<Arc<H::Of>> {
    let pointer = handle.as_raw() as *mut Dispatchable<H::Of>;
    // SAFETY: valid usage: the handle is null, or the driver made it, and it is not used afterwards.
    (!pointer.is_null()).then(|| unsafe { Box::from_raw(pointer) }.object)
}
