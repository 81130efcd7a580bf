//! The Vulkan device. The process ends after one shader, so nothing is destroyed: the system takes it all back.

use ash::vk;

use crate::Error;

/// A device with everything enabled that it has.
pub struct Device {
    /// Functions of the device.
    pub functions: ash::Device,
    /// Its only queue, of family [`Device::family`].
    pub queue: vk::Queue,
    /// Family of the queue: it can compute.
    pub family: u32,
    /// A type of memory that the host sees without flushing.
    pub memory_type: u32,
    /// Keeps the library loaded.
    _entry: ash::Entry,
}

impl Device {
    /// Opens the first device that is a processor.
    ///
    /// # Errors
    /// No Vulkan library, no driver, or no such device.
    pub fn open() -> Result<Device, Error> {
        // SAFETY: the system's Vulkan loader is what its name says.
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
    // SAFETY: the features asked for are those the device has, and the structures live through the call.
    Ok(unsafe { instance.create_device(physical, &create, None) }?)
}

fn find_memory(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<u32, Error> {
    // SAFETY: the handle is the instance's.
    let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
    let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let found = memory.memory_types_as_slice().iter().position(|kind| kind.property_flags.contains(wanted));
    Ok(found.ok_or("no memory is visible to the host")? as u32)
}
