//! Objects that exist only in the Vulkan layer of the driver.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};

use agx_driver::cache::PipelineCache;
use agx_driver::descriptor::Pool;
use agx_driver::graphics::{GraphicsInfo, GraphicsPipeline, LibraryStages};
use agx_driver::memory::{Allocation, lock};
use agx_driver::pipeline::{ComputePipeline, Module};
use agx_driver::transfer::Resolve;
use agx_driver::view::ImageView;
use agx_node::Placed;
use ash::vk;

/// An instance: it has one physical device.
pub(crate) struct Instance {
    pub(crate) physical: vk::PhysicalDevice,
}

/// A physical device.
pub(crate) struct PhysicalDevice {
    /// The minor number of the version that the application requested.
    pub(crate) minor: u32,
    /// Whether the application asked for more colour spaces (`VK_EXT_swapchain_colorspace`).
    pub(crate) has_spaces: bool,
}

/// A device.
pub(crate) struct Device {
    pub(crate) device: Arc<agx_driver::device::Device>,
    pub(crate) queue: OnceLock<vk::Queue>,
    /// The minor number of the version that the application requested.
    pub(crate) minor: u32,
    /// Names of the enabled extensions.
    pub(crate) extensions: BTreeSet<String>,
    /// Mappings that applications have of their own, by the handle of the memory; `None` without `VK_EXT_map_memory_placed`.
    pub(crate) placed: Option<Mutex<BTreeMap<u64, Placed>>>,
    /// Whether pipeline caches keep modules (`VK_EXT_shader_module_identifier`).
    pub(crate) keeps_modules: bool,
}

impl Device {
    pub(crate) fn new(
        device: Arc<agx_driver::device::Device>,
        minor: u32,
        extensions: BTreeSet<String>,
    ) -> Device {
        let placed = extensions.contains("VK_EXT_map_memory_placed").then(Mutex::default);
        let keeps_modules = extensions.contains("VK_EXT_shader_module_identifier");
        Device { device, queue: OnceLock::new(), minor, extensions, placed, keeps_modules }
    }
}

impl std::ops::Deref for Device {
    type Target = Arc<agx_driver::device::Device>;

    fn deref(&self) -> &Self::Target {
        &self.device
    }
}

/// The queue of a device.
pub(crate) struct Queue {
    pub(crate) device: Arc<agx_driver::device::Device>,
}

/// Code of shaders.
pub(crate) struct ShaderModule {
    pub(crate) code: Arc<Module>,
}

/// A pipeline.
pub(crate) struct Pipeline {
    pub(crate) kind: PipelineKind,
    /// What it was made of, if that was captured and not released.
    pub(crate) captured: Mutex<Option<Box<PipelineCache>>>,
}

/// A pipeline of one of the kinds.
pub(crate) enum PipelineKind {
    /// A compute pipeline.
    Compute(Arc<ComputePipeline>),
    /// A graphics pipeline.
    Graphics(Arc<GraphicsPipeline>),
    /// Parts of a graphics pipeline (`VK_EXT_graphics_pipeline_library`).
    Library(Box<Library>),
}

/// Parts of a graphics pipeline, which are compiled when all of them are known.
pub(crate) struct Library {
    /// The parts that it has.
    pub(crate) parts: vk::GraphicsPipelineLibraryFlagsEXT,
    /// Their state.
    pub(crate) info: GraphicsInfo,
    /// Their shaders.
    pub(crate) stages: LibraryStages,
}

/// A descriptor pool and its sets.
pub(crate) struct DescriptorPool {
    pub(crate) pool: Pool,
    pub(crate) sets: Mutex<Vec<vk::DescriptorSet>>,
}

/// A command pool and its command buffers.
#[derive(Default)]
pub(crate) struct CommandPool {
    pub(crate) buffers: Mutex<Vec<vk::CommandBuffer>>,
}

impl CommandPool {
    /// Removes a command buffer.
    pub(crate) fn forget(&self, buffer: vk::CommandBuffer) {
        lock(&self.buffers).retain(|known| *known != buffer);
    }
}

/// An update template.
pub(crate) struct UpdateTemplate {
    pub(crate) entries: Vec<vk::DescriptorUpdateTemplateEntry>,
    /// The bind point for pushed descriptors.
    pub(crate) point: vk::PipelineBindPoint,
}

/// An attachment of a render pass.
pub(crate) struct Attachment {
    pub(crate) format: vk::Format,
    /// Load operations: of colour or depth, and of stencil.
    pub(crate) load: [vk::AttachmentLoadOp; 2],
    /// Store operations.
    pub(crate) store: [vk::AttachmentStoreOp; 2],
}

/// A subpass, with numbers of attachments.
#[derive(Default)]
pub(crate) struct Subpass {
    pub(crate) colours: Vec<Option<u32>>,
    pub(crate) resolves: Vec<Option<u32>>,
    pub(crate) depth: Option<u32>,
    /// Attachments to which depth and stencil are resolved.
    pub(crate) depth_resolves: [Option<(u32, Resolve)>; 2],
    pub(crate) inputs: Vec<Option<u32>>,
    pub(crate) views: u32,
}

impl Subpass {
    /// Of which of its aspects, depth and stencil, nothing is resolved to an attachment to which the other one is resolved.
    pub(crate) fn unresolved(&self, attachment: u32) -> [bool; 2] {
        let [depth, stencil] =
            self.depth_resolves.map(|resolve| resolve.map(|(to, _)| to) == Some(attachment));
        [!depth && stencil, depth && !stencil]
    }

    /// Whether it reads or writes an attachment.
    pub(crate) fn uses(&self, attachment: u32) -> bool {
        let lists = [&self.colours, &self.resolves, &self.inputs].into_iter().flatten();
        let depth = self.depth_resolves.iter().flatten().map(|(to, _)| *to).chain(self.depth);
        lists.copied().flatten().chain(depth).any(|used| used == attachment)
    }

    /// Views that it draws to; all if it has none.
    pub(crate) fn view_bits(&self) -> u32 {
        if self.views == 0 { u32::MAX } else { self.views }
    }
}

/// A render pass.
pub(crate) struct RenderPass {
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) subpasses: Vec<Subpass>,
}

/// Attachments of a render pass.
pub(crate) struct Framebuffer {
    pub(crate) views: Vec<Arc<ImageView>>,
    pub(crate) layers: u32,
}

/// A swapchain and the handles of its images.
pub(crate) struct Swapchain {
    pub(crate) swapchain: agx_driver::swapchain::Swapchain,
    pub(crate) images: Vec<vk::Image>,
}

/// A pointer to mapped memory.
pub(crate) fn pointer(memory: &Allocation, offset: u64) -> *mut std::ffi::c_void {
    memory.pointer().wrapping_add(offset as usize).cast_mut().cast()
}

/// Private data by object.
pub(crate) type PrivateData = Mutex<BTreeMap<u64, u64>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_resolved_attachments_have_an_unresolved_aspect() {
        let of = |depth_resolves| Subpass { depth_resolves, ..Subpass::default() };
        let to = |attachment| Some((attachment, Resolve::Mean));
        assert_eq!(of([to(3), None]).unresolved(3), [false, true]);
        assert_eq!(of([None, to(3)]).unresolved(3), [true, false]);
        assert_eq!(of([to(3), to(3)]).unresolved(3), [false; 2]);
        assert_eq!(of([to(3), None]).unresolved(2), [false; 2]);
    }
}
