//! The Vulkan device. The process ends after one shader, so nothing is destroyed: the system frees everything.

use ash::vk;

use crate::Error;

/// A device with all its features enabled.
pub struct Device {
    /// Functions of the device.
    pub functions: ash::Device,
    /// Its only queue, of family [`Device::family`].
    pub queue: vk::Queue,
    /// Family of the queue, which supports compute.
    pub family: u32,
    /// A host-coherent type of memory.
    pub memory_type: u32,
    /// Keeps the library loaded.
    _entry: ash::Entry,
}

impl Device {
    /// Opens the first device of type CPU.
    ///
    /// # Errors
    /// No Vulkan library, no driver, or no such device.
    pub fn open() -> Result<Device, Error> {
        // SAFETY: loads the system's Vulkan loader.
        let entry = unsafe { ash::Entry::load() }?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let create = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: the structures live through the call.
        let instance = unsafe { entry.create_instance(&create, None) }?;
        let physical = find_processor(&instance)?;
        // SAFETY: the handle is the instance's.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let computes =
            |family: &vk::QueueFamilyProperties| family.queue_flags.contains(vk::QueueFlags::COMPUTE);
        let family = families.iter().position(computes).ok_or("no queue can compute")? as u32;
        let functions = create_device(&instance, physical, family)?;
        // SAFETY: the device was created with this queue.
        let queue = unsafe { functions.get_device_queue(family, 0) };
        let memory_type = find_memory(&instance, physical)?;
        Ok(Device { functions, queue, family, memory_type, _entry: entry })
    }
}

impl Device {
    /// An image with its own memory, and a view of all of it.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn image(
        &self,
        create: &vk::ImageCreateInfo<'_>,
        view: vk::ImageViewType,
        aspect: vk::ImageAspectFlags,
    ) -> Result<(vk::Image, vk::ImageView), Error> {
        // SAFETY: all handles are this device's, and the structures live through the calls.
        unsafe {
            let image = self.functions.create_image(create, None)?;
            let needs = self.functions.get_image_memory_requirements(image);
            let memory = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(needs.memory_type_bits.trailing_zeros());
            self.functions.bind_image_memory(image, self.functions.allocate_memory(&memory, None)?, 0)?;
            let create = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(view)
                .format(create.format)
                .subresource_range(whole(aspect));
            Ok((image, self.functions.create_image_view(&create, None)?))
        }
    }

    /// Records that the contents of an image are undefined, and that it can be used for everything.
    pub fn prepare_image(&self, command: vk::CommandBuffer, image: vk::Image, aspect: vk::ImageAspectFlags) {
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let barrier = vk::ImageMemoryBarrier::default()
            .image(image)
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(vk::ImageLayout::GENERAL)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
            .subresource_range(whole(aspect));
        let none = vk::DependencyFlags::empty();
        // SAFETY: all handles are this device's, and the command buffer is being recorded.
        unsafe { self.functions.cmd_pipeline_barrier(command, all, all, none, &[], &[], &[barrier]) };
    }

    /// Records commands and waits until they are complete.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn execute(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<(), Error> {
        let functions = &self.functions;
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(self.family);
        // SAFETY: all handles are this device's, and nothing else uses the queue.
        unsafe {
            let pool = functions.create_command_pool(&pool, None)?;
            let allocate =
                vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = functions.allocate_command_buffers(&allocate)?;
            let command = *commands.first().ok_or("no command buffer")?;
            functions.begin_command_buffer(command, &vk::CommandBufferBeginInfo::default())?;
            record(command);
            functions.end_command_buffer(command)?;
            let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
            functions.queue_submit(self.queue, &submits, vk::Fence::null())?;
            functions.queue_wait_idle(self.queue)?;
        }
        Ok(())
    }
}

/// All of an image.
fn whole(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: aspect,
        base_mip_level: 0,
        level_count: vk::REMAINING_MIP_LEVELS,
        base_array_layer: 0,
        layer_count: vk::REMAINING_ARRAY_LAYERS,
    }
}

fn find_processor(instance: &ash::Instance) -> Result<vk::PhysicalDevice, Error> {
    // SAFETY: the instance is alive.
    let devices = unsafe { instance.enumerate_physical_devices() }?;
    let processor = devices.into_iter().find(|device| {
        // SAFETY: the handle is the instance's.
        let properties = unsafe { instance.get_physical_device_properties(*device) };
        properties.device_type == vk::PhysicalDeviceType::CPU
    });
    processor.ok_or_else(|| "no Vulkan device is a processor".into())
}

fn create_device(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    family: u32,
) -> Result<ash::Device, Error> {
    let mut features_1_1 = vk::PhysicalDeviceVulkan11Features::default();
    let mut features_1_2 = vk::PhysicalDeviceVulkan12Features::default();
    let mut features_1_3 = vk::PhysicalDeviceVulkan13Features::default();
    let mut features = vk::PhysicalDeviceFeatures2::default()
        .push_next(&mut features_1_1)
        .push_next(&mut features_1_2)
        .push_next(&mut features_1_3);
    // SAFETY: the handle is the instance's, and the chain consists of structures that Vulkan 1.3 knows.
    unsafe { instance.get_physical_device_features2(physical, &mut features) };
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
    let create = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut features);
    // SAFETY: the device supports the requested features, and the structures live through the call.
    Ok(unsafe { instance.create_device(physical, &create, None) }?)
}

fn find_memory(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<u32, Error> {
    // SAFETY: the handle is the instance's.
    let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
    let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let found = memory.memory_types_as_slice().iter().position(|kind| kind.property_flags.contains(wanted));
    Ok(found.ok_or("no memory is visible to the host")? as u32)
}
