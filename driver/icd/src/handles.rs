//! Handles: what the application holds of our objects.
//!
//! A handle is the address of a box with a shared object in it. The loader looks into those of dispatchable objects, which
//! therefore begin with a word of its own.

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
use ash::vk;
use ash::vk::Handle;

use crate::objects::{
    CommandPool, DescriptorPool, Device, Framebuffer, Instance, PhysicalDevice, Pipeline, Queue, RenderPass,
    ShaderModule, Swapchain, UpdateTemplate,
};

/// The word that the loader wants at the start of dispatchable objects (`ICD_LOADER_MAGIC`).
const MAGIC: usize = 0x01cd_c0de;

/// A dispatchable object.
#[repr(C)]
struct Dispatchable<T> {
    magic: usize,
    object: Arc<T>,
}

/// A handle and the object behind it.
pub(crate) trait Object: Handle + Copy {
    type Of: 'static;
}

/// A handle that the loader looks into.
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

/// A handle of an object.
pub(crate) fn give<H: Object>(object: Arc<H::Of>) -> H {
    H::from_raw(Box::into_raw(Box::new(object)) as u64)
}

/// The object of a handle; `None` of a null handle.
pub(crate) fn object<'a, H: Object>(handle: H) -> Option<&'a Arc<H::Of>> {
    let pointer = handle.as_raw() as *const Arc<H::Of>;
    // SAFETY: valid usage: the handle is null or one that `give` made and `take` did not get.
    unsafe { pointer.as_ref() }
}

/// The object of a handle that is not null.
pub(crate) fn shared<H: Object>(handle: H) -> Result<Arc<H::Of>, agx_driver::Error> {
    object(handle).cloned().ok_or(agx_driver::Error::Invalid { what: "a handle is null" })
}

/// The object of a handle that is destroyed.
pub(crate) fn take<H: Object>(handle: H) -> Option<Arc<H::Of>> {
    let pointer = handle.as_raw() as *mut Arc<H::Of>;
    // SAFETY: as above, and nobody uses the handle any more.
    (!pointer.is_null()).then(|| unsafe { *Box::from_raw(pointer) })
}

/// A handle of a dispatchable object.
pub(crate) fn give_dispatched<H: Dispatched>(object: Arc<H::Of>) -> H {
    H::from_raw(Box::into_raw(Box::new(Dispatchable { magic: MAGIC, object })) as u64)
}

/// The object of a dispatchable handle.
///
/// # Safety
/// The handle is one that `give_dispatched` made and that was not taken.
pub(crate) unsafe fn dispatched_object<'a, H: Dispatched>(handle: H) -> &'a Arc<H::Of> {
    let pointer = handle.as_raw() as *const Dispatchable<H::Of>;
    // SAFETY: the caller's promise.
    unsafe { &(*pointer).object }
}

/// The object of a dispatchable handle that a structure or an array names.
pub(crate) fn named<'a, H: Dispatched + 'a>(handle: H) -> &'a Arc<H::Of> {
    // SAFETY: valid usage: the handle is one that the driver gave and that was not destroyed.
    unsafe { dispatched_object(handle) }
}

/// The object of a dispatchable handle that is destroyed.
pub(crate) fn take_dispatched<H: Dispatched>(handle: H) -> Option<Arc<H::Of>> {
    let pointer = handle.as_raw() as *mut Dispatchable<H::Of>;
    // SAFETY: valid usage: the handle is null, or one that the driver gave and that nobody uses any more.
    (!pointer.is_null()).then(|| unsafe { Box::from_raw(pointer) }.object)
}
