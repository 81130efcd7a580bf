//! Written by `examples/generate.rs` from the Vulkan registry: entry points, their names, members of structures.

#![allow(
    clippy::all,
    unused_qualifications,
    deprecated,
    clippy::undocumented_unsafe_blocks,
    reason = "generated"
)]

/// A command.
#[derive(Clone, Copy)]
pub(crate) struct Command {
    /// Its function.
    pub(crate) function: Function,
    /// The type of its first parameter.
    pub(crate) first: First,
    /// The minor number of its version.
    pub(crate) minor: u32,
    /// The extensions that have it, if it is not of a version.
    pub(crate) extensions: &'static [&'static str],
}

/// The command of a name.
pub(crate) fn find(name: &str) -> Option<Command> {
    TABLE.iter().find(|(known, ..)| *known == name).map(|(_, function, first, minor, extensions)| Command {
        function: *function,
        first: *first,
        minor: *minor,
        extensions,
    })
}

/// The type of a command's first parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum First {
    /// None: it can be called without an instance.
    Nothing,
    /// An instance.
    Instance,
    /// A physical device.
    PhysicalDevice,
    /// A device, a queue or a command buffer.
    Device,
}

/// A function of any type.
pub(crate) type Function = unsafe extern "system" fn();

/// SAFETY of the casts: the loader calls each function with the parameters of its name.
static TABLE: &[(&str, Function, First, u32, &[&str])] = &[
    (
        "vkCreateInstance",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::create_instance)
        },
        First::Nothing,
        0,
        &[],
    ),
    (
        "vkDestroyInstance",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::destroy_instance)
        },
        First::Instance,
        0,
        &[],
    ),
    (
        "vkEnumeratePhysicalDevices",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::enumerate_physical_devices,
            )
        },
        First::Instance,
        0,
        &[],
    ),
    (
        "vkGetPhysicalDeviceFeatures",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_physical_device_features,
            )
        },
        First::PhysicalDevice,
        0,
        &[],
    ),
    (
        "vkGetPhysicalDeviceFormatProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_format_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &[],
    ),
    (
        "vkGetPhysicalDeviceImageFormatProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::get_physical_device_image_format_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &[],
    ),
    (
        "vkGetPhysicalDeviceProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_physical_device_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &[],
    ),
    (
        "vkGetPhysicalDeviceQueueFamilyProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_queue_family_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &[],
    ),
    (
        "vkGetPhysicalDeviceMemoryProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_physical_device_memory_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &[],
    ),
    (
        "vkGetInstanceProcAddr",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_instance_proc_addr,
            )
        },
        First::Instance,
        0,
        &[],
    ),
    (
        "vkGetDeviceProcAddr",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::get_device_proc_addr)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateDevice",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(entry::create_device)
        },
        First::PhysicalDevice,
        0,
        &[],
    ),
    (
        "vkDestroyDevice",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::destroy_device)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkEnumerateInstanceExtensionProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::enumerate_instance_extension_properties,
            )
        },
        First::Nothing,
        0,
        &[],
    ),
    (
        "vkEnumerateDeviceExtensionProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::enumerate_device_extension_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &[],
    ),
    (
        "vkEnumerateInstanceLayerProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::enumerate_instance_layer_properties,
            )
        },
        First::Nothing,
        0,
        &[],
    ),
    (
        "vkEnumerateDeviceLayerProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::enumerate_device_layer_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &[],
    ),
    (
        "vkGetDeviceQueue",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_device_queue,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkQueueSubmit",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(entry::queue_submit)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkQueueWaitIdle",
        unsafe { std::mem::transmute::<unsafe extern "system" fn(_) -> _, Function>(entry::queue_wait_idle) },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDeviceWaitIdle",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_) -> _, Function>(entry::device_wait_idle)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkAllocateMemory",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::allocate_memory,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkFreeMemory",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::free_memory)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkMapMemory",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::map_memory,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkUnmapMemory",
        unsafe { std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::unmap_memory) },
        First::Device,
        0,
        &[],
    ),
    (
        "vkFlushMappedMemoryRanges",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::flush_mapped_memory_ranges,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkInvalidateMappedMemoryRanges",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::invalidate_mapped_memory_ranges,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkGetDeviceMemoryCommitment",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_device_memory_commitment,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkBindBufferMemory",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::bind_buffer_memory,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkBindImageMemory",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::bind_image_memory,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkGetBufferMemoryRequirements",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_buffer_memory_requirements,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkGetImageMemoryRequirements",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_image_memory_requirements,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkGetImageSparseMemoryRequirements",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_image_sparse_memory_requirements,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkGetPhysicalDeviceSparseImageFormatProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _, _) -> _, Function>(
                entry::get_physical_device_sparse_image_format_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &[],
    ),
    (
        "vkQueueBindSparse",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::queue_bind_sparse,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateFence",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(entry::create_fence)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyFence",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::destroy_fence)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkResetFences",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::reset_fences)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkGetFenceStatus",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::get_fence_status)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkWaitForFences",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::wait_for_fences,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateSemaphore",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_semaphore,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroySemaphore",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::destroy_semaphore)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateQueryPool",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_query_pool,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyQueryPool",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_query_pool,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkGetQueryPoolResults",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _, _) -> _, Function>(
                entry::get_query_pool_results,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateBuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(entry::create_buffer)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyBuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::destroy_buffer)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateImage",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(entry::create_image)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyImage",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::destroy_image)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkGetImageSubresourceLayout",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_image_subresource_layout,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateImageView",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_image_view,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyImageView",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_image_view,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateCommandPool",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_command_pool,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyCommandPool",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_command_pool,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkResetCommandPool",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::reset_command_pool,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkAllocateCommandBuffers",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::allocate_command_buffers,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkFreeCommandBuffers",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::free_command_buffers,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkBeginCommandBuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::begin_command_buffer)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkEndCommandBuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_) -> _, Function>(entry::end_command_buffer)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkResetCommandBuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::reset_command_buffer)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdCopyBuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_copy_buffer,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdCopyImage",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_copy_image,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdCopyBufferToImage",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_copy_buffer_to_image,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdCopyImageToBuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_copy_image_to_buffer,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdUpdateBuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_update_buffer,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdFillBuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_fill_buffer,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdPipelineBarrier",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_pipeline_barrier,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdBeginQuery",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_begin_query,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdEndQuery",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::cmd_end_query)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdResetQueryPool",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_reset_query_pool,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdWriteTimestamp",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_write_timestamp,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdCopyQueryPoolResults",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_copy_query_pool_results,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdExecuteCommands",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_execute_commands,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateEvent",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(entry::create_event)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyEvent",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::destroy_event)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkGetEventStatus",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::get_event_status)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkSetEvent",
        unsafe { std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::set_event) },
        First::Device,
        0,
        &[],
    ),
    (
        "vkResetEvent",
        unsafe { std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::reset_event) },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateBufferView",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_buffer_view,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyBufferView",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_buffer_view,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateShaderModule",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_shader_module,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyShaderModule",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_shader_module,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreatePipelineCache",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_pipeline_cache,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyPipelineCache",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_pipeline_cache,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkGetPipelineCacheData",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_pipeline_cache_data,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkMergePipelineCaches",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::merge_pipeline_caches,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateComputePipelines",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::create_compute_pipelines,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyPipeline",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::destroy_pipeline)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreatePipelineLayout",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_pipeline_layout,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyPipelineLayout",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_pipeline_layout,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateSampler",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(entry::create_sampler)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroySampler",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::destroy_sampler)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateDescriptorSetLayout",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_descriptor_set_layout,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyDescriptorSetLayout",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_descriptor_set_layout,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateDescriptorPool",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_descriptor_pool,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyDescriptorPool",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_descriptor_pool,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkResetDescriptorPool",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::reset_descriptor_pool,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkAllocateDescriptorSets",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::allocate_descriptor_sets,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkFreeDescriptorSets",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::free_descriptor_sets,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkUpdateDescriptorSets",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::update_descriptor_sets,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdBindPipeline",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::cmd_bind_pipeline)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdBindDescriptorSets",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_bind_descriptor_sets,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdClearColorImage",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_clear_color_image,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdDispatch",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(entry::cmd_dispatch)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdDispatchIndirect",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_dispatch_indirect,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdSetEvent",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::cmd_set_event)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdResetEvent",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::cmd_reset_event)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdWaitEvents",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_wait_events,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdPushConstants",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_push_constants,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateGraphicsPipelines",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::create_graphics_pipelines,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateFramebuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_framebuffer,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyFramebuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_framebuffer,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCreateRenderPass",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_render_pass,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkDestroyRenderPass",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_render_pass,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkGetRenderAreaGranularity",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_render_area_granularity,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdSetViewport",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_set_viewport,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdSetScissor",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_set_scissor,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdSetLineWidth",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_set_line_width)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdSetDepthBias",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_set_depth_bias,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdSetBlendConstants",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_blend_constants,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdSetDepthBounds",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_depth_bounds,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdSetStencilCompareMask",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_stencil_compare_mask,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdSetStencilWriteMask",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_stencil_write_mask,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdSetStencilReference",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_stencil_reference,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdBindIndexBuffer",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_bind_index_buffer,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdBindVertexBuffers",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_bind_vertex_buffers,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdDraw",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(entry::cmd_draw)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdDrawIndexed",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_draw_indexed,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdDrawIndirect",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_draw_indirect,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdDrawIndexedIndirect",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_draw_indexed_indirect,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdBlitImage",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_blit_image,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdClearDepthStencilImage",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_clear_depth_stencil_image,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdClearAttachments",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_clear_attachments,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdResolveImage",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_resolve_image,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdBeginRenderPass",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_begin_render_pass,
            )
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdNextSubpass",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_next_subpass)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkCmdEndRenderPass",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_) -> _, Function>(entry::cmd_end_render_pass)
        },
        First::Device,
        0,
        &[],
    ),
    (
        "vkEnumerateInstanceVersion",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_) -> _, Function>(
                entry::enumerate_instance_version,
            )
        },
        First::Nothing,
        1,
        &[],
    ),
    (
        "vkBindBufferMemory2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::bind_buffer_memory2,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkBindImageMemory2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::bind_image_memory2,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkGetDeviceGroupPeerMemoryFeatures",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::get_device_group_peer_memory_features,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkCmdSetDeviceMask",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_set_device_mask)
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkEnumeratePhysicalDeviceGroups",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::enumerate_physical_device_groups,
            )
        },
        First::Instance,
        1,
        &[],
    ),
    (
        "vkGetImageMemoryRequirements2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_image_memory_requirements2,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkGetBufferMemoryRequirements2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_buffer_memory_requirements2,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkGetImageSparseMemoryRequirements2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_image_sparse_memory_requirements2,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkGetPhysicalDeviceFeatures2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_physical_device_features2,
            )
        },
        First::PhysicalDevice,
        1,
        &[],
    ),
    (
        "vkGetPhysicalDeviceProperties2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_physical_device_properties2,
            )
        },
        First::PhysicalDevice,
        1,
        &[],
    ),
    (
        "vkGetPhysicalDeviceFormatProperties2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_format_properties2,
            )
        },
        First::PhysicalDevice,
        1,
        &[],
    ),
    (
        "vkGetPhysicalDeviceImageFormatProperties2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_image_format_properties2,
            )
        },
        First::PhysicalDevice,
        1,
        &[],
    ),
    (
        "vkGetPhysicalDeviceQueueFamilyProperties2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_queue_family_properties2,
            )
        },
        First::PhysicalDevice,
        1,
        &[],
    ),
    (
        "vkGetPhysicalDeviceMemoryProperties2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_physical_device_memory_properties2,
            )
        },
        First::PhysicalDevice,
        1,
        &[],
    ),
    (
        "vkGetPhysicalDeviceSparseImageFormatProperties2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_physical_device_sparse_image_format_properties2,
            )
        },
        First::PhysicalDevice,
        1,
        &[],
    ),
    (
        "vkTrimCommandPool",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::trim_command_pool)
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkGetDeviceQueue2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::get_device_queue2)
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkGetPhysicalDeviceExternalBufferProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_external_buffer_properties,
            )
        },
        First::PhysicalDevice,
        1,
        &[],
    ),
    (
        "vkGetPhysicalDeviceExternalFenceProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_external_fence_properties,
            )
        },
        First::PhysicalDevice,
        1,
        &[],
    ),
    (
        "vkGetPhysicalDeviceExternalSemaphoreProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_external_semaphore_properties,
            )
        },
        First::PhysicalDevice,
        1,
        &[],
    ),
    (
        "vkCmdDispatchBase",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_dispatch_base,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkCreateDescriptorUpdateTemplate",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_descriptor_update_template,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkDestroyDescriptorUpdateTemplate",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_descriptor_update_template,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkUpdateDescriptorSetWithTemplate",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::update_descriptor_set_with_template,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkGetDescriptorSetLayoutSupport",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_descriptor_set_layout_support,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkCreateSamplerYcbcrConversion",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_sampler_ycbcr_conversion,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkDestroySamplerYcbcrConversion",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_sampler_ycbcr_conversion,
            )
        },
        First::Device,
        1,
        &[],
    ),
    (
        "vkResetQueryPool",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::reset_query_pool,
            )
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkGetSemaphoreCounterValue",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_semaphore_counter_value,
            )
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkWaitSemaphores",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::wait_semaphores)
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkSignalSemaphore",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::signal_semaphore)
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkGetBufferDeviceAddress",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_buffer_device_address,
            )
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkGetBufferOpaqueCaptureAddress",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_buffer_opaque_capture_address,
            )
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkGetDeviceMemoryOpaqueCaptureAddress",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_device_memory_opaque_capture_address,
            )
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkCmdDrawIndirectCount",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_draw_indirect_count,
            )
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkCmdDrawIndexedIndirectCount",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_draw_indexed_indirect_count,
            )
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkCreateRenderPass2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_render_pass2,
            )
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkCmdBeginRenderPass2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_begin_render_pass2,
            )
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkCmdNextSubpass2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::cmd_next_subpass2)
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkCmdEndRenderPass2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_end_render_pass2)
        },
        First::Device,
        2,
        &[],
    ),
    (
        "vkGetPhysicalDeviceToolProperties",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_tool_properties,
            )
        },
        First::PhysicalDevice,
        3,
        &[],
    ),
    (
        "vkCreatePrivateDataSlot",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_private_data_slot,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkDestroyPrivateDataSlot",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_private_data_slot,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkSetPrivateData",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::set_private_data,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkGetPrivateData",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::get_private_data,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdPipelineBarrier2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_pipeline_barrier2,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdWriteTimestamp2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_write_timestamp2,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkQueueSubmit2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(entry::queue_submit2)
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdCopyBuffer2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_copy_buffer2)
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdCopyImage2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_copy_image2)
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdCopyBufferToImage2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_copy_buffer_to_image2,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdCopyImageToBuffer2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_copy_image_to_buffer2,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkGetDeviceBufferMemoryRequirements",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_device_buffer_memory_requirements,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkGetDeviceImageMemoryRequirements",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_device_image_memory_requirements,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkGetDeviceImageSparseMemoryRequirements",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_device_image_sparse_memory_requirements,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetEvent2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::cmd_set_event2)
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdResetEvent2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::cmd_reset_event2)
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdWaitEvents2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_wait_events2,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdBlitImage2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_blit_image2)
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdResolveImage2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_resolve_image2)
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdBeginRendering",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_begin_rendering)
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdEndRendering",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_) -> _, Function>(entry::cmd_end_rendering)
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetCullMode",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_set_cull_mode)
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetFrontFace",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_set_front_face)
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetPrimitiveTopology",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_primitive_topology,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetViewportWithCount",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_viewport_with_count,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetScissorWithCount",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_scissor_with_count,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdBindVertexBuffers2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_bind_vertex_buffers2,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetDepthTestEnable",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_test_enable,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetDepthWriteEnable",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_write_enable,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetDepthCompareOp",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_compare_op,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetDepthBoundsTestEnable",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_bounds_test_enable,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetStencilTestEnable",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_stencil_test_enable,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetStencilOp",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_set_stencil_op,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetRasterizerDiscardEnable",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_rasterizer_discard_enable,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetDepthBiasEnable",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_bias_enable,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkCmdSetPrimitiveRestartEnable",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_primitive_restart_enable,
            )
        },
        First::Device,
        3,
        &[],
    ),
    (
        "vkMapMemory2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::map_memory2)
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkUnmapMemory2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::unmap_memory2)
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkGetDeviceImageSubresourceLayout",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_device_image_subresource_layout,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkGetImageSubresourceLayout2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_image_subresource_layout2,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCopyMemoryToImage",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::copy_memory_to_image)
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCopyImageToMemory",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::copy_image_to_memory)
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCopyImageToImage",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::copy_image_to_image)
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkTransitionImageLayout",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::transition_image_layout,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCmdPushDescriptorSet",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_push_descriptor_set,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCmdPushDescriptorSetWithTemplate",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_push_descriptor_set_with_template,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCmdBindDescriptorSets2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_bind_descriptor_sets2,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCmdPushConstants2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_push_constants2)
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCmdPushDescriptorSet2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_push_descriptor_set2,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCmdPushDescriptorSetWithTemplate2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_push_descriptor_set_with_template2,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCmdSetLineStipple",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_line_stipple,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCmdBindIndexBuffer2",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_bind_index_buffer2,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkGetRenderingAreaGranularity",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_rendering_area_granularity,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCmdSetRenderingAttachmentLocations",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_rendering_attachment_locations,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkCmdSetRenderingInputAttachmentIndices",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_rendering_input_attachment_indices,
            )
        },
        First::Device,
        4,
        &[],
    ),
    (
        "vkDestroySurfaceKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_surface_khr,
            )
        },
        First::Instance,
        0,
        &["VK_KHR_surface"],
    ),
    (
        "vkGetPhysicalDeviceSurfaceSupportKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_physical_device_surface_support_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_surface"],
    ),
    (
        "vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_surface_capabilities_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_surface", "VK_KHR_get_surface_capabilities2"],
    ),
    (
        "vkGetPhysicalDeviceSurfaceFormatsKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_physical_device_surface_formats_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_surface", "VK_KHR_get_surface_capabilities2"],
    ),
    (
        "vkGetPhysicalDeviceSurfacePresentModesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_physical_device_surface_present_modes_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_surface"],
    ),
    (
        "vkCreateSwapchainKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_swapchain_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_swapchain"],
    ),
    (
        "vkDestroySwapchainKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_swapchain_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_swapchain"],
    ),
    (
        "vkGetSwapchainImagesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_swapchain_images_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_swapchain"],
    ),
    (
        "vkAcquireNextImageKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::acquire_next_image_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_swapchain"],
    ),
    (
        "vkQueuePresentKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::queue_present_khr)
        },
        First::Device,
        0,
        &["VK_KHR_swapchain"],
    ),
    (
        "vkGetDeviceGroupPresentCapabilitiesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_device_group_present_capabilities_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_swapchain", "VK_KHR_device_group"],
    ),
    (
        "vkGetDeviceGroupSurfacePresentModesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_device_group_surface_present_modes_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_swapchain", "VK_KHR_device_group"],
    ),
    (
        "vkGetPhysicalDevicePresentRectanglesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_physical_device_present_rectangles_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_swapchain", "VK_KHR_device_group"],
    ),
    (
        "vkAcquireNextImage2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::acquire_next_image2_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_swapchain", "VK_KHR_device_group"],
    ),
    (
        "vkCreateXlibSurfaceKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_xlib_surface_khr,
            )
        },
        First::Instance,
        0,
        &["VK_KHR_xlib_surface"],
    ),
    (
        "vkGetPhysicalDeviceXlibPresentationSupportKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_physical_device_xlib_presentation_support_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_xlib_surface"],
    ),
    (
        "vkCreateXcbSurfaceKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_xcb_surface_khr,
            )
        },
        First::Instance,
        0,
        &["VK_KHR_xcb_surface"],
    ),
    (
        "vkGetPhysicalDeviceXcbPresentationSupportKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_physical_device_xcb_presentation_support_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_xcb_surface"],
    ),
    (
        "vkCreateWaylandSurfaceKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_wayland_surface_khr,
            )
        },
        First::Instance,
        0,
        &["VK_KHR_wayland_surface"],
    ),
    (
        "vkGetPhysicalDeviceWaylandPresentationSupportKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_wayland_presentation_support_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_wayland_surface"],
    ),
    (
        "vkCmdBindTransformFeedbackBuffersEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_bind_transform_feedback_buffers_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_transform_feedback", "VK_KHR_device_address_commands"],
    ),
    (
        "vkCmdBeginTransformFeedbackEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_begin_transform_feedback_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_transform_feedback", "VK_KHR_device_address_commands"],
    ),
    (
        "vkCmdEndTransformFeedbackEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_end_transform_feedback_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_transform_feedback", "VK_KHR_device_address_commands"],
    ),
    (
        "vkCmdBeginQueryIndexedEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_begin_query_indexed_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_transform_feedback"],
    ),
    (
        "vkCmdEndQueryIndexedEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_end_query_indexed_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_transform_feedback"],
    ),
    (
        "vkCmdDrawIndirectByteCountEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_draw_indirect_byte_count_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_transform_feedback", "VK_KHR_device_address_commands"],
    ),
    (
        "vkCmdDrawIndirectCountAMD",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_draw_indirect_count,
            )
        },
        First::Device,
        0,
        &["VK_AMD_draw_indirect_count"],
    ),
    (
        "vkCmdDrawIndexedIndirectCountAMD",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_draw_indexed_indirect_count,
            )
        },
        First::Device,
        0,
        &["VK_AMD_draw_indirect_count"],
    ),
    (
        "vkCmdBeginRenderingKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_begin_rendering)
        },
        First::Device,
        0,
        &["VK_KHR_dynamic_rendering"],
    ),
    (
        "vkCmdEndRenderingKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_) -> _, Function>(entry::cmd_end_rendering)
        },
        First::Device,
        0,
        &["VK_KHR_dynamic_rendering"],
    ),
    (
        "vkGetPhysicalDeviceFeatures2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_physical_device_features2,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_get_physical_device_properties2"],
    ),
    (
        "vkGetPhysicalDeviceProperties2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_physical_device_properties2,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_get_physical_device_properties2"],
    ),
    (
        "vkGetPhysicalDeviceFormatProperties2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_format_properties2,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_get_physical_device_properties2"],
    ),
    (
        "vkGetPhysicalDeviceImageFormatProperties2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_image_format_properties2,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_get_physical_device_properties2"],
    ),
    (
        "vkGetPhysicalDeviceQueueFamilyProperties2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_queue_family_properties2,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_get_physical_device_properties2"],
    ),
    (
        "vkGetPhysicalDeviceMemoryProperties2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_physical_device_memory_properties2,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_get_physical_device_properties2"],
    ),
    (
        "vkGetPhysicalDeviceSparseImageFormatProperties2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_physical_device_sparse_image_format_properties2,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_get_physical_device_properties2"],
    ),
    (
        "vkGetDeviceGroupPeerMemoryFeaturesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::get_device_group_peer_memory_features,
            )
        },
        First::Device,
        0,
        &["VK_KHR_device_group"],
    ),
    (
        "vkCmdSetDeviceMaskKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_set_device_mask)
        },
        First::Device,
        0,
        &["VK_KHR_device_group"],
    ),
    (
        "vkCmdDispatchBaseKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_dispatch_base,
            )
        },
        First::Device,
        0,
        &["VK_KHR_device_group"],
    ),
    (
        "vkTrimCommandPoolKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::trim_command_pool)
        },
        First::Device,
        0,
        &["VK_KHR_maintenance1"],
    ),
    (
        "vkEnumeratePhysicalDeviceGroupsKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::enumerate_physical_device_groups,
            )
        },
        First::Instance,
        0,
        &["VK_KHR_device_group_creation"],
    ),
    (
        "vkGetPhysicalDeviceExternalBufferPropertiesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_external_buffer_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_external_memory_capabilities"],
    ),
    (
        "vkGetMemoryFdKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::get_memory_fd_khr)
        },
        First::Device,
        0,
        &["VK_KHR_external_memory_fd"],
    ),
    (
        "vkGetMemoryFdPropertiesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_memory_fd_properties_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_external_memory_fd"],
    ),
    (
        "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_external_semaphore_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_external_semaphore_capabilities"],
    ),
    (
        "vkImportSemaphoreFdKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::import_semaphore_fd_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_external_semaphore_fd"],
    ),
    (
        "vkGetSemaphoreFdKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_semaphore_fd_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_external_semaphore_fd"],
    ),
    (
        "vkCmdPushDescriptorSetKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_push_descriptor_set,
            )
        },
        First::Device,
        0,
        &["VK_KHR_push_descriptor"],
    ),
    (
        "vkCmdPushDescriptorSetWithTemplateKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_push_descriptor_set_with_template,
            )
        },
        First::Device,
        0,
        &["VK_KHR_push_descriptor", "VK_KHR_descriptor_update_template"],
    ),
    (
        "vkCmdBeginConditionalRenderingEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_begin_conditional_rendering_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_conditional_rendering", "VK_KHR_device_address_commands"],
    ),
    (
        "vkCmdEndConditionalRenderingEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_) -> _, Function>(
                entry::cmd_end_conditional_rendering_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_conditional_rendering"],
    ),
    (
        "vkCreateDescriptorUpdateTemplateKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_descriptor_update_template,
            )
        },
        First::Device,
        0,
        &["VK_KHR_descriptor_update_template"],
    ),
    (
        "vkDestroyDescriptorUpdateTemplateKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_descriptor_update_template,
            )
        },
        First::Device,
        0,
        &["VK_KHR_descriptor_update_template"],
    ),
    (
        "vkUpdateDescriptorSetWithTemplateKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::update_descriptor_set_with_template,
            )
        },
        First::Device,
        0,
        &["VK_KHR_descriptor_update_template"],
    ),
    (
        "vkCreateRenderPass2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_render_pass2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_create_renderpass2"],
    ),
    (
        "vkCmdBeginRenderPass2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_begin_render_pass2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_create_renderpass2"],
    ),
    (
        "vkCmdNextSubpass2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::cmd_next_subpass2)
        },
        First::Device,
        0,
        &["VK_KHR_create_renderpass2"],
    ),
    (
        "vkCmdEndRenderPass2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_end_render_pass2)
        },
        First::Device,
        0,
        &["VK_KHR_create_renderpass2"],
    ),
    (
        "vkGetPhysicalDeviceExternalFencePropertiesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_external_fence_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_external_fence_capabilities"],
    ),
    (
        "vkImportFenceFdKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::import_fence_fd_khr)
        },
        First::Device,
        0,
        &["VK_KHR_external_fence_fd"],
    ),
    (
        "vkGetFenceFdKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::get_fence_fd_khr)
        },
        First::Device,
        0,
        &["VK_KHR_external_fence_fd"],
    ),
    (
        "vkGetPhysicalDeviceSurfaceCapabilities2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_surface_capabilities2_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_get_surface_capabilities2"],
    ),
    (
        "vkGetPhysicalDeviceSurfaceFormats2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_physical_device_surface_formats2_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_get_surface_capabilities2"],
    ),
    (
        "vkCmdSetSampleLocationsEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_sample_locations_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_sample_locations"],
    ),
    (
        "vkGetPhysicalDeviceMultisamplePropertiesEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_multisample_properties_ext,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_EXT_sample_locations"],
    ),
    (
        "vkGetImageMemoryRequirements2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_image_memory_requirements2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_get_memory_requirements2"],
    ),
    (
        "vkGetBufferMemoryRequirements2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_buffer_memory_requirements2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_get_memory_requirements2"],
    ),
    (
        "vkGetImageSparseMemoryRequirements2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_image_sparse_memory_requirements2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_get_memory_requirements2"],
    ),
    (
        "vkCreateAccelerationStructureKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_acceleration_structure_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure", "VK_KHR_device_address_commands"],
    ),
    (
        "vkDestroyAccelerationStructureKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_acceleration_structure_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkCmdBuildAccelerationStructuresKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_build_acceleration_structures_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkCmdBuildAccelerationStructuresIndirectKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_build_acceleration_structures_indirect_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkBuildAccelerationStructuresKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::build_acceleration_structures_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkCopyAccelerationStructureKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::copy_acceleration_structure_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkCopyAccelerationStructureToMemoryKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::copy_acceleration_structure_to_memory_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkCopyMemoryToAccelerationStructureKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::copy_memory_to_acceleration_structure_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkWriteAccelerationStructuresPropertiesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::write_acceleration_structures_properties_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkCmdCopyAccelerationStructureKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_copy_acceleration_structure_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkCmdCopyAccelerationStructureToMemoryKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_copy_acceleration_structure_to_memory_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkCmdCopyMemoryToAccelerationStructureKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_copy_memory_to_acceleration_structure_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkGetAccelerationStructureDeviceAddressKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_acceleration_structure_device_address_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkCmdWriteAccelerationStructuresPropertiesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_write_acceleration_structures_properties_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkGetDeviceAccelerationStructureCompatibilityKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_device_acceleration_structure_compatibility_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkGetAccelerationStructureBuildSizesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::get_acceleration_structure_build_sizes_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_acceleration_structure"],
    ),
    (
        "vkCreateSamplerYcbcrConversionKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_sampler_ycbcr_conversion,
            )
        },
        First::Device,
        0,
        &["VK_KHR_sampler_ycbcr_conversion"],
    ),
    (
        "vkDestroySamplerYcbcrConversionKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_sampler_ycbcr_conversion,
            )
        },
        First::Device,
        0,
        &["VK_KHR_sampler_ycbcr_conversion"],
    ),
    (
        "vkBindBufferMemory2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::bind_buffer_memory2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_bind_memory2"],
    ),
    (
        "vkBindImageMemory2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::bind_image_memory2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_bind_memory2"],
    ),
    (
        "vkGetImageDrmFormatModifierPropertiesEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_image_drm_format_modifier_properties_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_image_drm_format_modifier"],
    ),
    (
        "vkGetDescriptorSetLayoutSupportKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_descriptor_set_layout_support,
            )
        },
        First::Device,
        0,
        &["VK_KHR_maintenance3"],
    ),
    (
        "vkCmdDrawIndirectCountKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_draw_indirect_count,
            )
        },
        First::Device,
        0,
        &["VK_KHR_draw_indirect_count"],
    ),
    (
        "vkCmdDrawIndexedIndirectCountKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_draw_indexed_indirect_count,
            )
        },
        First::Device,
        0,
        &["VK_KHR_draw_indirect_count"],
    ),
    (
        "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_calibrateable_time_domains_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_EXT_calibrated_timestamps"],
    ),
    (
        "vkGetCalibratedTimestampsEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::get_calibrated_timestamps_khr,
            )
        },
        First::Device,
        0,
        &["VK_EXT_calibrated_timestamps"],
    ),
    (
        "vkGetSemaphoreCounterValueKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_semaphore_counter_value,
            )
        },
        First::Device,
        0,
        &["VK_KHR_timeline_semaphore"],
    ),
    (
        "vkWaitSemaphoresKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::wait_semaphores)
        },
        First::Device,
        0,
        &["VK_KHR_timeline_semaphore"],
    ),
    (
        "vkSignalSemaphoreKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::signal_semaphore)
        },
        First::Device,
        0,
        &["VK_KHR_timeline_semaphore"],
    ),
    (
        "vkSetSwapchainPresentTimingQueueSizeEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::set_swapchain_present_timing_queue_size_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_present_timing"],
    ),
    (
        "vkGetSwapchainTimingPropertiesEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_swapchain_timing_properties_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_present_timing"],
    ),
    (
        "vkGetSwapchainTimeDomainPropertiesEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_swapchain_time_domain_properties_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_present_timing"],
    ),
    (
        "vkGetPastPresentationTimingEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_past_presentation_timing_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_present_timing"],
    ),
    (
        "vkCmdSetRenderingAttachmentLocationsKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_rendering_attachment_locations,
            )
        },
        First::Device,
        0,
        &["VK_KHR_dynamic_rendering_local_read"],
    ),
    (
        "vkCmdSetRenderingInputAttachmentIndicesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_rendering_input_attachment_indices,
            )
        },
        First::Device,
        0,
        &["VK_KHR_dynamic_rendering_local_read"],
    ),
    (
        "vkGetBufferDeviceAddressEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_buffer_device_address,
            )
        },
        First::Device,
        0,
        &["VK_EXT_buffer_device_address"],
    ),
    (
        "vkGetPhysicalDeviceToolPropertiesEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_tool_properties,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_EXT_tooling_info"],
    ),
    (
        "vkWaitForPresentKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::wait_for_present_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_present_wait"],
    ),
    (
        "vkCreateHeadlessSurfaceEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_headless_surface_ext,
            )
        },
        First::Instance,
        0,
        &["VK_EXT_headless_surface"],
    ),
    (
        "vkGetBufferDeviceAddressKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_buffer_device_address,
            )
        },
        First::Device,
        0,
        &["VK_KHR_buffer_device_address"],
    ),
    (
        "vkGetBufferOpaqueCaptureAddressKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_buffer_opaque_capture_address,
            )
        },
        First::Device,
        0,
        &["VK_KHR_buffer_device_address"],
    ),
    (
        "vkGetDeviceMemoryOpaqueCaptureAddressKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_device_memory_opaque_capture_address,
            )
        },
        First::Device,
        0,
        &["VK_KHR_buffer_device_address"],
    ),
    (
        "vkCmdSetLineStippleEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_line_stipple,
            )
        },
        First::Device,
        0,
        &["VK_EXT_line_rasterization"],
    ),
    (
        "vkResetQueryPoolEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::reset_query_pool,
            )
        },
        First::Device,
        0,
        &["VK_EXT_host_query_reset"],
    ),
    (
        "vkCmdSetCullModeEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_set_cull_mode)
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetFrontFaceEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_set_front_face)
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetPrimitiveTopologyEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_primitive_topology,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetViewportWithCountEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_viewport_with_count,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetScissorWithCountEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_scissor_with_count,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdBindVertexBuffers2EXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_bind_vertex_buffers2,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_KHR_device_address_commands", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetDepthTestEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_test_enable,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetDepthWriteEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_write_enable,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetDepthCompareOpEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_compare_op,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetDepthBoundsTestEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_bounds_test_enable,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetStencilTestEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_stencil_test_enable,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetStencilOpEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_set_stencil_op,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCreateDeferredOperationKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::create_deferred_operation_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_deferred_host_operations"],
    ),
    (
        "vkDestroyDeferredOperationKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_deferred_operation_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_deferred_host_operations"],
    ),
    (
        "vkGetDeferredOperationMaxConcurrencyKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_deferred_operation_max_concurrency_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_deferred_host_operations"],
    ),
    (
        "vkGetDeferredOperationResultKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::get_deferred_operation_result_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_deferred_host_operations"],
    ),
    (
        "vkDeferredOperationJoinKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::deferred_operation_join_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_deferred_host_operations"],
    ),
    (
        "vkGetPipelineExecutablePropertiesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_pipeline_executable_properties_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_pipeline_executable_properties"],
    ),
    (
        "vkGetPipelineExecutableStatisticsKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_pipeline_executable_statistics_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_pipeline_executable_properties"],
    ),
    (
        "vkGetPipelineExecutableInternalRepresentationsKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_pipeline_executable_internal_representations_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_pipeline_executable_properties"],
    ),
    (
        "vkCopyMemoryToImageEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::copy_memory_to_image)
        },
        First::Device,
        0,
        &["VK_EXT_host_image_copy"],
    ),
    (
        "vkCopyImageToMemoryEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::copy_image_to_memory)
        },
        First::Device,
        0,
        &["VK_EXT_host_image_copy"],
    ),
    (
        "vkCopyImageToImageEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::copy_image_to_image)
        },
        First::Device,
        0,
        &["VK_EXT_host_image_copy"],
    ),
    (
        "vkTransitionImageLayoutEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::transition_image_layout,
            )
        },
        First::Device,
        0,
        &["VK_EXT_host_image_copy"],
    ),
    (
        "vkGetImageSubresourceLayout2EXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_image_subresource_layout2,
            )
        },
        First::Device,
        0,
        &["VK_EXT_host_image_copy", "VK_EXT_image_compression_control"],
    ),
    (
        "vkMapMemory2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::map_memory2)
        },
        First::Device,
        0,
        &["VK_KHR_map_memory2"],
    ),
    (
        "vkUnmapMemory2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::unmap_memory2)
        },
        First::Device,
        0,
        &["VK_KHR_map_memory2"],
    ),
    (
        "vkReleaseSwapchainImagesEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::release_swapchain_images_khr,
            )
        },
        First::Device,
        0,
        &["VK_EXT_swapchain_maintenance1"],
    ),
    (
        "vkCmdSetDepthBias2EXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_bias2_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_depth_bias_control"],
    ),
    (
        "vkCreatePrivateDataSlotEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_private_data_slot,
            )
        },
        First::Device,
        0,
        &["VK_EXT_private_data"],
    ),
    (
        "vkDestroyPrivateDataSlotEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_private_data_slot,
            )
        },
        First::Device,
        0,
        &["VK_EXT_private_data"],
    ),
    (
        "vkSetPrivateDataEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::set_private_data,
            )
        },
        First::Device,
        0,
        &["VK_EXT_private_data"],
    ),
    (
        "vkGetPrivateDataEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::get_private_data,
            )
        },
        First::Device,
        0,
        &["VK_EXT_private_data"],
    ),
    (
        "vkCmdSetEvent2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::cmd_set_event2)
        },
        First::Device,
        0,
        &["VK_KHR_synchronization2"],
    ),
    (
        "vkCmdResetEvent2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(entry::cmd_reset_event2)
        },
        First::Device,
        0,
        &["VK_KHR_synchronization2"],
    ),
    (
        "vkCmdWaitEvents2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_wait_events2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_synchronization2"],
    ),
    (
        "vkCmdPipelineBarrier2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_pipeline_barrier2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_synchronization2"],
    ),
    (
        "vkCmdWriteTimestamp2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_write_timestamp2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_synchronization2"],
    ),
    (
        "vkQueueSubmit2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(entry::queue_submit2)
        },
        First::Device,
        0,
        &["VK_KHR_synchronization2"],
    ),
    (
        "vkCmdDrawMeshTasksEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_draw_mesh_tasks_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_mesh_shader"],
    ),
    (
        "vkCmdDrawMeshTasksIndirectEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_draw_mesh_tasks_indirect_ext,
            )
        },
        First::Device,
        0,
        &["VK_KHR_device_address_commands", "VK_EXT_mesh_shader"],
    ),
    (
        "vkCmdDrawMeshTasksIndirectCountEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_draw_mesh_tasks_indirect_count_ext,
            )
        },
        First::Device,
        0,
        &["VK_KHR_device_address_commands", "VK_EXT_mesh_shader"],
    ),
    (
        "vkCmdCopyBuffer2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_copy_buffer2)
        },
        First::Device,
        0,
        &["VK_KHR_copy_commands2"],
    ),
    (
        "vkCmdCopyImage2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_copy_image2)
        },
        First::Device,
        0,
        &["VK_KHR_copy_commands2"],
    ),
    (
        "vkCmdCopyBufferToImage2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_copy_buffer_to_image2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_copy_commands2"],
    ),
    (
        "vkCmdCopyImageToBuffer2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_copy_image_to_buffer2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_copy_commands2"],
    ),
    (
        "vkCmdBlitImage2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_blit_image2)
        },
        First::Device,
        0,
        &["VK_KHR_copy_commands2"],
    ),
    (
        "vkCmdResolveImage2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_resolve_image2)
        },
        First::Device,
        0,
        &["VK_KHR_copy_commands2"],
    ),
    (
        "vkCmdSetVertexInputEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_set_vertex_input_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_vertex_input_dynamic_state", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetPatchControlPointsEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_patch_control_points_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state2", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetRasterizerDiscardEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_rasterizer_discard_enable,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state2", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetDepthBiasEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_bias_enable,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state2", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetLogicOpEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_set_logic_op_ext)
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state2", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetPrimitiveRestartEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_primitive_restart_enable,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state2", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetColorWriteEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_color_write_enable_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_color_write_enable"],
    ),
    (
        "vkCmdDrawMultiEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Function>(
                entry::cmd_draw_multi_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_multi_draw"],
    ),
    (
        "vkCmdDrawMultiIndexedEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _, _, _) -> _, Function>(
                entry::cmd_draw_multi_indexed_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_multi_draw"],
    ),
    (
        "vkGetDeviceBufferMemoryRequirementsKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_device_buffer_memory_requirements,
            )
        },
        First::Device,
        0,
        &["VK_KHR_maintenance4"],
    ),
    (
        "vkGetDeviceImageMemoryRequirementsKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_device_image_memory_requirements,
            )
        },
        First::Device,
        0,
        &["VK_KHR_maintenance4"],
    ),
    (
        "vkGetDeviceImageSparseMemoryRequirementsKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_device_image_sparse_memory_requirements,
            )
        },
        First::Device,
        0,
        &["VK_KHR_maintenance4"],
    ),
    (
        "vkCmdSetDepthClampEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_clamp_enable_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetPolygonModeEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_polygon_mode_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetRasterizationSamplesEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_rasterization_samples_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetSampleMaskEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_sample_mask_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetAlphaToCoverageEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_alpha_to_coverage_enable_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetAlphaToOneEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_alpha_to_one_enable_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetLogicOpEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_logic_op_enable_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetColorBlendEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_set_color_blend_enable_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetColorBlendEquationEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_set_color_blend_equation_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetColorWriteMaskEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_set_color_write_mask_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetTessellationDomainOriginEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_tessellation_domain_origin_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetRasterizationStreamEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_rasterization_stream_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetDepthClipEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_depth_clip_enable_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetSampleLocationsEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_sample_locations_enable_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetColorBlendAdvancedEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_set_color_blend_advanced_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetProvokingVertexModeEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_provoking_vertex_mode_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetLineRasterizationModeEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_line_rasterization_mode_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkCmdSetLineStippleEnableEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_set_line_stipple_enable_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_extended_dynamic_state3", "VK_EXT_shader_object"],
    ),
    (
        "vkGetShaderModuleIdentifierEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_shader_module_identifier_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_shader_module_identifier"],
    ),
    (
        "vkGetShaderModuleCreateInfoIdentifierEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_shader_module_create_info_identifier_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_shader_module_identifier"],
    ),
    (
        "vkCmdBindIndexBuffer2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::cmd_bind_index_buffer2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_maintenance5"],
    ),
    (
        "vkGetRenderingAreaGranularityKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_rendering_area_granularity,
            )
        },
        First::Device,
        0,
        &["VK_KHR_maintenance5"],
    ),
    (
        "vkGetDeviceImageSubresourceLayoutKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_device_image_subresource_layout,
            )
        },
        First::Device,
        0,
        &["VK_KHR_maintenance5"],
    ),
    (
        "vkGetImageSubresourceLayout2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_image_subresource_layout2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_maintenance5"],
    ),
    (
        "vkWaitForPresent2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::wait_for_present2_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_present_wait2"],
    ),
    (
        "vkCreateShadersEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::create_shaders_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_shader_object"],
    ),
    (
        "vkDestroyShaderEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_shader_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_shader_object"],
    ),
    (
        "vkGetShaderBinaryDataEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::get_shader_binary_data_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_shader_object"],
    ),
    (
        "vkCmdBindShadersEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::cmd_bind_shaders_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_shader_object"],
    ),
    (
        "vkCreatePipelineBinariesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_pipeline_binaries_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_pipeline_binary"],
    ),
    (
        "vkDestroyPipelineBinaryKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_pipeline_binary_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_pipeline_binary"],
    ),
    (
        "vkGetPipelineKeyKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_pipeline_key_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_pipeline_binary"],
    ),
    (
        "vkGetPipelineBinaryDataKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::get_pipeline_binary_data_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_pipeline_binary"],
    ),
    (
        "vkReleaseCapturedPipelineDataKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::release_captured_pipeline_data_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_pipeline_binary"],
    ),
    (
        "vkReleaseSwapchainImagesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::release_swapchain_images_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_swapchain_maintenance1"],
    ),
    (
        "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_cooperative_matrix_properties_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_cooperative_matrix"],
    ),
    (
        "vkCmdSetLineStippleKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_set_line_stipple,
            )
        },
        First::Device,
        0,
        &["VK_KHR_line_rasterization"],
    ),
    (
        "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_physical_device_calibrateable_time_domains_khr,
            )
        },
        First::PhysicalDevice,
        0,
        &["VK_KHR_calibrated_timestamps"],
    ),
    (
        "vkGetCalibratedTimestampsKHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Function>(
                entry::get_calibrated_timestamps_khr,
            )
        },
        First::Device,
        0,
        &["VK_KHR_calibrated_timestamps"],
    ),
    (
        "vkCmdBindDescriptorSets2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_bind_descriptor_sets2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_maintenance6"],
    ),
    (
        "vkCmdPushConstants2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(entry::cmd_push_constants2)
        },
        First::Device,
        0,
        &["VK_KHR_maintenance6"],
    ),
    (
        "vkCmdPushDescriptorSet2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_push_descriptor_set2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_maintenance6"],
    ),
    (
        "vkCmdPushDescriptorSetWithTemplate2KHR",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _) -> _, Function>(
                entry::cmd_push_descriptor_set_with_template2,
            )
        },
        First::Device,
        0,
        &["VK_KHR_maintenance6"],
    ),
    (
        "vkGetGeneratedCommandsMemoryRequirementsEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::get_generated_commands_memory_requirements_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_device_generated_commands"],
    ),
    (
        "vkCmdPreprocessGeneratedCommandsEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_preprocess_generated_commands_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_device_generated_commands"],
    ),
    (
        "vkCmdExecuteGeneratedCommandsEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::cmd_execute_generated_commands_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_device_generated_commands"],
    ),
    (
        "vkCreateIndirectCommandsLayoutEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_indirect_commands_layout_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_device_generated_commands"],
    ),
    (
        "vkDestroyIndirectCommandsLayoutEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_indirect_commands_layout_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_device_generated_commands"],
    ),
    (
        "vkCreateIndirectExecutionSetEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::create_indirect_execution_set_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_device_generated_commands"],
    ),
    (
        "vkDestroyIndirectExecutionSetEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _) -> _, Function>(
                entry::destroy_indirect_execution_set_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_device_generated_commands"],
    ),
    (
        "vkUpdateIndirectExecutionSetPipelineEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::update_indirect_execution_set_pipeline_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_device_generated_commands"],
    ),
    (
        "vkUpdateIndirectExecutionSetShaderEXT",
        unsafe {
            std::mem::transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Function>(
                entry::update_indirect_execution_set_shader_ext,
            )
        },
        First::Device,
        0,
        &["VK_EXT_device_generated_commands"],
    ),
];

/// Entry points.
mod entry {
    use std::ffi::{c_char, c_void};

    use ash::vk;

    use crate::calls;
    use crate::newer;
    use crate::pointers::*;

    pub(super) unsafe extern "system" fn create_instance(
        p_create_info: *const vk::InstanceCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_instance: *mut vk::Instance,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateInstance`.
        unsafe { outcome(calls::create_instance(reference(p_create_info), out(p_instance))) }
    }

    pub(super) unsafe extern "system" fn destroy_instance(
        instance: vk::Instance,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyInstance`.
        unsafe {
            calls::destroy_instance(dispatched(instance));
        }
    }

    pub(super) unsafe extern "system" fn enumerate_physical_devices(
        instance: vk::Instance,
        p_physical_device_count: *mut u32,
        p_physical_devices: *mut vk::PhysicalDevice,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkEnumeratePhysicalDevices`.
        unsafe {
            outcome(calls::enumerate_physical_devices(
                dispatched(instance),
                Fill::new(p_physical_device_count, p_physical_devices),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_features(
        physical_device: vk::PhysicalDevice,
        p_features: *mut vk::PhysicalDeviceFeatures,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceFeatures`.
        unsafe {
            calls::get_physical_device_features(dispatched(physical_device), out(p_features));
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_format_properties(
        physical_device: vk::PhysicalDevice,
        format: vk::Format,
        p_format_properties: *mut vk::FormatProperties,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceFormatProperties`.
        unsafe {
            calls::get_physical_device_format_properties(
                dispatched(physical_device),
                format,
                out(p_format_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_image_format_properties(
        physical_device: vk::PhysicalDevice,
        format: vk::Format,
        ty: vk::ImageType,
        tiling: vk::ImageTiling,
        usage: vk::ImageUsageFlags,
        flags: vk::ImageCreateFlags,
        p_image_format_properties: *mut vk::ImageFormatProperties,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDeviceImageFormatProperties`.
        unsafe {
            outcome(calls::get_physical_device_image_format_properties(
                dispatched(physical_device),
                format,
                ty,
                tiling,
                usage,
                flags,
                out(p_image_format_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_properties(
        physical_device: vk::PhysicalDevice,
        p_properties: *mut vk::PhysicalDeviceProperties,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceProperties`.
        unsafe {
            calls::get_physical_device_properties(dispatched(physical_device), out(p_properties));
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_queue_family_properties(
        physical_device: vk::PhysicalDevice,
        p_queue_family_property_count: *mut u32,
        p_queue_family_properties: *mut vk::QueueFamilyProperties,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceQueueFamilyProperties`.
        unsafe {
            calls::get_physical_device_queue_family_properties(
                dispatched(physical_device),
                Fill::new(p_queue_family_property_count, p_queue_family_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_memory_properties(
        physical_device: vk::PhysicalDevice,
        p_memory_properties: *mut vk::PhysicalDeviceMemoryProperties,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceMemoryProperties`.
        unsafe {
            calls::get_physical_device_memory_properties(
                dispatched(physical_device),
                out(p_memory_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_instance_proc_addr(
        instance: vk::Instance,
        p_name: *const c_char,
    ) -> vk::PFN_vkVoidFunction {
        // SAFETY: valid usage of `vkGetInstanceProcAddr`.
        unsafe { calls::get_instance_proc_addr(dispatched(instance), text(p_name)) }
    }

    pub(super) unsafe extern "system" fn get_device_proc_addr(
        device: vk::Device,
        p_name: *const c_char,
    ) -> vk::PFN_vkVoidFunction {
        // SAFETY: valid usage of `vkGetDeviceProcAddr`.
        unsafe { calls::get_device_proc_addr(dispatched(device), text(p_name)) }
    }

    pub(super) unsafe extern "system" fn create_device(
        physical_device: vk::PhysicalDevice,
        p_create_info: *const vk::DeviceCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_device: *mut vk::Device,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateDevice`.
        unsafe {
            outcome(calls::create_device(
                dispatched(physical_device),
                reference(p_create_info),
                out(p_device),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_device(
        device: vk::Device,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyDevice`.
        unsafe {
            calls::destroy_device(dispatched(device));
        }
    }

    pub(super) unsafe extern "system" fn enumerate_instance_extension_properties(
        p_layer_name: *const c_char,
        p_property_count: *mut u32,
        p_properties: *mut vk::ExtensionProperties,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkEnumerateInstanceExtensionProperties`.
        unsafe {
            outcome(calls::enumerate_instance_extension_properties(
                text(p_layer_name),
                Fill::new(p_property_count, p_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn enumerate_device_extension_properties(
        physical_device: vk::PhysicalDevice,
        p_layer_name: *const c_char,
        p_property_count: *mut u32,
        p_properties: *mut vk::ExtensionProperties,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkEnumerateDeviceExtensionProperties`.
        unsafe {
            outcome(calls::enumerate_device_extension_properties(
                dispatched(physical_device),
                text(p_layer_name),
                Fill::new(p_property_count, p_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn enumerate_instance_layer_properties(
        p_property_count: *mut u32,
        p_properties: *mut vk::LayerProperties,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkEnumerateInstanceLayerProperties`.
        unsafe {
            outcome(calls::enumerate_instance_layer_properties(Fill::new(p_property_count, p_properties)))
        }
    }

    pub(super) unsafe extern "system" fn enumerate_device_layer_properties(
        physical_device: vk::PhysicalDevice,
        p_property_count: *mut u32,
        p_properties: *mut vk::LayerProperties,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkEnumerateDeviceLayerProperties`.
        unsafe {
            outcome(calls::enumerate_device_layer_properties(
                dispatched(physical_device),
                Fill::new(p_property_count, p_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_device_queue(
        device: vk::Device,
        queue_family_index: u32,
        queue_index: u32,
        p_queue: *mut vk::Queue,
    ) {
        // SAFETY: valid usage of `vkGetDeviceQueue`.
        unsafe {
            calls::get_device_queue(dispatched(device), queue_family_index, queue_index, out(p_queue));
        }
    }

    pub(super) unsafe extern "system" fn queue_submit(
        queue: vk::Queue,
        submit_count: u32,
        p_submits: *const vk::SubmitInfo<'_>,
        fence: vk::Fence,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkQueueSubmit`.
        unsafe {
            outcome(calls::queue_submit(dispatched(queue), slice(p_submits, submit_count as usize), fence))
        }
    }

    pub(super) unsafe extern "system" fn queue_wait_idle(queue: vk::Queue) -> vk::Result {
        // SAFETY: valid usage of `vkQueueWaitIdle`.
        unsafe { outcome(calls::queue_wait_idle(dispatched(queue))) }
    }

    pub(super) unsafe extern "system" fn device_wait_idle(device: vk::Device) -> vk::Result {
        // SAFETY: valid usage of `vkDeviceWaitIdle`.
        unsafe { outcome(calls::device_wait_idle(dispatched(device))) }
    }

    pub(super) unsafe extern "system" fn allocate_memory(
        device: vk::Device,
        p_allocate_info: *const vk::MemoryAllocateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_memory: *mut vk::DeviceMemory,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkAllocateMemory`.
        unsafe {
            outcome(calls::allocate_memory(dispatched(device), reference(p_allocate_info), out(p_memory)))
        }
    }

    pub(super) unsafe extern "system" fn free_memory(
        device: vk::Device,
        memory: vk::DeviceMemory,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkFreeMemory`.
        unsafe {
            calls::free_memory(dispatched(device), memory);
        }
    }

    pub(super) unsafe extern "system" fn map_memory(
        device: vk::Device,
        memory: vk::DeviceMemory,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        flags: vk::MemoryMapFlags,
        pp_data: *mut *const c_void,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkMapMemory`.
        unsafe { outcome(calls::map_memory(dispatched(device), memory, offset, size, flags, pp_data)) }
    }

    pub(super) unsafe extern "system" fn unmap_memory(device: vk::Device, memory: vk::DeviceMemory) {
        // SAFETY: valid usage of `vkUnmapMemory`.
        unsafe {
            calls::unmap_memory(dispatched(device), memory);
        }
    }

    pub(super) unsafe extern "system" fn flush_mapped_memory_ranges(
        device: vk::Device,
        memory_range_count: u32,
        p_memory_ranges: *const vk::MappedMemoryRange<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkFlushMappedMemoryRanges`.
        unsafe {
            outcome(calls::flush_mapped_memory_ranges(
                dispatched(device),
                slice(p_memory_ranges, memory_range_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn invalidate_mapped_memory_ranges(
        device: vk::Device,
        memory_range_count: u32,
        p_memory_ranges: *const vk::MappedMemoryRange<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkInvalidateMappedMemoryRanges`.
        unsafe {
            outcome(calls::invalidate_mapped_memory_ranges(
                dispatched(device),
                slice(p_memory_ranges, memory_range_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_device_memory_commitment(
        device: vk::Device,
        memory: vk::DeviceMemory,
        p_committed_memory_in_bytes: *mut vk::DeviceSize,
    ) {
        // SAFETY: valid usage of `vkGetDeviceMemoryCommitment`.
        unsafe {
            calls::get_device_memory_commitment(dispatched(device), memory, out(p_committed_memory_in_bytes));
        }
    }

    pub(super) unsafe extern "system" fn bind_buffer_memory(
        device: vk::Device,
        buffer: vk::Buffer,
        memory: vk::DeviceMemory,
        memory_offset: vk::DeviceSize,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkBindBufferMemory`.
        unsafe { outcome(calls::bind_buffer_memory(dispatched(device), buffer, memory, memory_offset)) }
    }

    pub(super) unsafe extern "system" fn bind_image_memory(
        device: vk::Device,
        image: vk::Image,
        memory: vk::DeviceMemory,
        memory_offset: vk::DeviceSize,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkBindImageMemory`.
        unsafe { outcome(calls::bind_image_memory(dispatched(device), image, memory, memory_offset)) }
    }

    pub(super) unsafe extern "system" fn get_buffer_memory_requirements(
        device: vk::Device,
        buffer: vk::Buffer,
        p_memory_requirements: *mut vk::MemoryRequirements,
    ) {
        // SAFETY: valid usage of `vkGetBufferMemoryRequirements`.
        unsafe {
            calls::get_buffer_memory_requirements(dispatched(device), buffer, out(p_memory_requirements));
        }
    }

    pub(super) unsafe extern "system" fn get_image_memory_requirements(
        device: vk::Device,
        image: vk::Image,
        p_memory_requirements: *mut vk::MemoryRequirements,
    ) {
        // SAFETY: valid usage of `vkGetImageMemoryRequirements`.
        unsafe {
            calls::get_image_memory_requirements(dispatched(device), image, out(p_memory_requirements));
        }
    }

    pub(super) unsafe extern "system" fn get_image_sparse_memory_requirements(
        device: vk::Device,
        image: vk::Image,
        p_sparse_memory_requirement_count: *mut u32,
        p_sparse_memory_requirements: *mut vk::SparseImageMemoryRequirements,
    ) {
        // SAFETY: valid usage of `vkGetImageSparseMemoryRequirements`.
        unsafe {
            calls::get_image_sparse_memory_requirements(
                dispatched(device),
                image,
                Fill::new(p_sparse_memory_requirement_count, p_sparse_memory_requirements),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_sparse_image_format_properties(
        physical_device: vk::PhysicalDevice,
        format: vk::Format,
        ty: vk::ImageType,
        samples: vk::SampleCountFlags,
        usage: vk::ImageUsageFlags,
        tiling: vk::ImageTiling,
        p_property_count: *mut u32,
        p_properties: *mut vk::SparseImageFormatProperties,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceSparseImageFormatProperties`.
        unsafe {
            calls::get_physical_device_sparse_image_format_properties(
                dispatched(physical_device),
                format,
                ty,
                samples,
                usage,
                tiling,
                Fill::new(p_property_count, p_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn queue_bind_sparse(
        queue: vk::Queue,
        bind_info_count: u32,
        p_bind_info: *const vk::BindSparseInfo<'_>,
        fence: vk::Fence,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkQueueBindSparse`.
        unsafe {
            outcome(calls::queue_bind_sparse(
                dispatched(queue),
                slice(p_bind_info, bind_info_count as usize),
                fence,
            ))
        }
    }

    pub(super) unsafe extern "system" fn create_fence(
        device: vk::Device,
        p_create_info: *const vk::FenceCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_fence: *mut vk::Fence,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateFence`.
        unsafe { outcome(calls::create_fence(dispatched(device), reference(p_create_info), out(p_fence))) }
    }

    pub(super) unsafe extern "system" fn destroy_fence(
        device: vk::Device,
        fence: vk::Fence,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyFence`.
        unsafe {
            calls::destroy_fence(dispatched(device), fence);
        }
    }

    pub(super) unsafe extern "system" fn reset_fences(
        device: vk::Device,
        fence_count: u32,
        p_fences: *const vk::Fence,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkResetFences`.
        unsafe { outcome(calls::reset_fences(dispatched(device), slice(p_fences, fence_count as usize))) }
    }

    pub(super) unsafe extern "system" fn get_fence_status(
        device: vk::Device,
        fence: vk::Fence,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetFenceStatus`.
        unsafe { outcome(calls::get_fence_status(dispatched(device), fence)) }
    }

    pub(super) unsafe extern "system" fn wait_for_fences(
        device: vk::Device,
        fence_count: u32,
        p_fences: *const vk::Fence,
        wait_all: vk::Bool32,
        timeout: u64,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkWaitForFences`.
        unsafe {
            outcome(calls::wait_for_fences(
                dispatched(device),
                slice(p_fences, fence_count as usize),
                wait_all,
                timeout,
            ))
        }
    }

    pub(super) unsafe extern "system" fn create_semaphore(
        device: vk::Device,
        p_create_info: *const vk::SemaphoreCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_semaphore: *mut vk::Semaphore,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateSemaphore`.
        unsafe {
            outcome(calls::create_semaphore(dispatched(device), reference(p_create_info), out(p_semaphore)))
        }
    }

    pub(super) unsafe extern "system" fn destroy_semaphore(
        device: vk::Device,
        semaphore: vk::Semaphore,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroySemaphore`.
        unsafe {
            calls::destroy_semaphore(dispatched(device), semaphore);
        }
    }

    pub(super) unsafe extern "system" fn create_query_pool(
        device: vk::Device,
        p_create_info: *const vk::QueryPoolCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_query_pool: *mut vk::QueryPool,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateQueryPool`.
        unsafe {
            outcome(calls::create_query_pool(dispatched(device), reference(p_create_info), out(p_query_pool)))
        }
    }

    pub(super) unsafe extern "system" fn destroy_query_pool(
        device: vk::Device,
        query_pool: vk::QueryPool,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyQueryPool`.
        unsafe {
            calls::destroy_query_pool(dispatched(device), query_pool);
        }
    }

    pub(super) unsafe extern "system" fn get_query_pool_results(
        device: vk::Device,
        query_pool: vk::QueryPool,
        first_query: u32,
        query_count: u32,
        data_size: usize,
        p_data: *mut c_void,
        stride: vk::DeviceSize,
        flags: vk::QueryResultFlags,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetQueryPoolResults`.
        unsafe {
            outcome(calls::get_query_pool_results(
                dispatched(device),
                query_pool,
                first_query,
                query_count,
                data_size,
                slice_mut(p_data.cast::<u8>(), data_size as usize),
                stride,
                flags,
            ))
        }
    }

    pub(super) unsafe extern "system" fn create_buffer(
        device: vk::Device,
        p_create_info: *const vk::BufferCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_buffer: *mut vk::Buffer,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateBuffer`.
        unsafe { outcome(calls::create_buffer(dispatched(device), reference(p_create_info), out(p_buffer))) }
    }

    pub(super) unsafe extern "system" fn destroy_buffer(
        device: vk::Device,
        buffer: vk::Buffer,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyBuffer`.
        unsafe {
            calls::destroy_buffer(dispatched(device), buffer);
        }
    }

    pub(super) unsafe extern "system" fn create_image(
        device: vk::Device,
        p_create_info: *const vk::ImageCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_image: *mut vk::Image,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateImage`.
        unsafe { outcome(calls::create_image(dispatched(device), reference(p_create_info), out(p_image))) }
    }

    pub(super) unsafe extern "system" fn destroy_image(
        device: vk::Device,
        image: vk::Image,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyImage`.
        unsafe {
            calls::destroy_image(dispatched(device), image);
        }
    }

    pub(super) unsafe extern "system" fn get_image_subresource_layout(
        device: vk::Device,
        image: vk::Image,
        p_subresource: *const vk::ImageSubresource,
        p_layout: *mut vk::SubresourceLayout,
    ) {
        // SAFETY: valid usage of `vkGetImageSubresourceLayout`.
        unsafe {
            calls::get_image_subresource_layout(
                dispatched(device),
                image,
                reference(p_subresource),
                out(p_layout),
            );
        }
    }

    pub(super) unsafe extern "system" fn create_image_view(
        device: vk::Device,
        p_create_info: *const vk::ImageViewCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_view: *mut vk::ImageView,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateImageView`.
        unsafe {
            outcome(calls::create_image_view(dispatched(device), reference(p_create_info), out(p_view)))
        }
    }

    pub(super) unsafe extern "system" fn destroy_image_view(
        device: vk::Device,
        image_view: vk::ImageView,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyImageView`.
        unsafe {
            calls::destroy_image_view(dispatched(device), image_view);
        }
    }

    pub(super) unsafe extern "system" fn create_command_pool(
        device: vk::Device,
        p_create_info: *const vk::CommandPoolCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_command_pool: *mut vk::CommandPool,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateCommandPool`.
        unsafe {
            outcome(calls::create_command_pool(
                dispatched(device),
                reference(p_create_info),
                out(p_command_pool),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_command_pool(
        device: vk::Device,
        command_pool: vk::CommandPool,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyCommandPool`.
        unsafe {
            calls::destroy_command_pool(dispatched(device), command_pool);
        }
    }

    pub(super) unsafe extern "system" fn reset_command_pool(
        device: vk::Device,
        command_pool: vk::CommandPool,
        flags: vk::CommandPoolResetFlags,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkResetCommandPool`.
        unsafe { outcome(calls::reset_command_pool(dispatched(device), command_pool, flags)) }
    }

    pub(super) unsafe extern "system" fn allocate_command_buffers(
        device: vk::Device,
        p_allocate_info: *const vk::CommandBufferAllocateInfo<'_>,
        p_command_buffers: *mut vk::CommandBuffer,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkAllocateCommandBuffers`.
        unsafe {
            outcome(calls::allocate_command_buffers(
                dispatched(device),
                reference(p_allocate_info),
                slice_mut(p_command_buffers, reference(p_allocate_info).command_buffer_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn free_command_buffers(
        device: vk::Device,
        command_pool: vk::CommandPool,
        command_buffer_count: u32,
        p_command_buffers: *const vk::CommandBuffer,
    ) {
        // SAFETY: valid usage of `vkFreeCommandBuffers`.
        unsafe {
            calls::free_command_buffers(
                dispatched(device),
                command_pool,
                slice(p_command_buffers, command_buffer_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn begin_command_buffer(
        command_buffer: vk::CommandBuffer,
        p_begin_info: *const vk::CommandBufferBeginInfo<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkBeginCommandBuffer`.
        unsafe { outcome(calls::begin_command_buffer(dispatched(command_buffer), reference(p_begin_info))) }
    }

    pub(super) unsafe extern "system" fn end_command_buffer(command_buffer: vk::CommandBuffer) -> vk::Result {
        // SAFETY: valid usage of `vkEndCommandBuffer`.
        unsafe { outcome(calls::end_command_buffer(dispatched(command_buffer))) }
    }

    pub(super) unsafe extern "system" fn reset_command_buffer(
        command_buffer: vk::CommandBuffer,
        flags: vk::CommandBufferResetFlags,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkResetCommandBuffer`.
        unsafe { outcome(calls::reset_command_buffer(dispatched(command_buffer), flags)) }
    }

    pub(super) unsafe extern "system" fn cmd_copy_buffer(
        command_buffer: vk::CommandBuffer,
        src_buffer: vk::Buffer,
        dst_buffer: vk::Buffer,
        region_count: u32,
        p_regions: *const vk::BufferCopy,
    ) {
        // SAFETY: valid usage of `vkCmdCopyBuffer`.
        unsafe {
            calls::cmd_copy_buffer(
                dispatched(command_buffer),
                src_buffer,
                dst_buffer,
                slice(p_regions, region_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_copy_image(
        command_buffer: vk::CommandBuffer,
        src_image: vk::Image,
        src_image_layout: vk::ImageLayout,
        dst_image: vk::Image,
        dst_image_layout: vk::ImageLayout,
        region_count: u32,
        p_regions: *const vk::ImageCopy,
    ) {
        // SAFETY: valid usage of `vkCmdCopyImage`.
        unsafe {
            calls::cmd_copy_image(
                dispatched(command_buffer),
                src_image,
                src_image_layout,
                dst_image,
                dst_image_layout,
                slice(p_regions, region_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_copy_buffer_to_image(
        command_buffer: vk::CommandBuffer,
        src_buffer: vk::Buffer,
        dst_image: vk::Image,
        dst_image_layout: vk::ImageLayout,
        region_count: u32,
        p_regions: *const vk::BufferImageCopy,
    ) {
        // SAFETY: valid usage of `vkCmdCopyBufferToImage`.
        unsafe {
            calls::cmd_copy_buffer_to_image(
                dispatched(command_buffer),
                src_buffer,
                dst_image,
                dst_image_layout,
                slice(p_regions, region_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_copy_image_to_buffer(
        command_buffer: vk::CommandBuffer,
        src_image: vk::Image,
        src_image_layout: vk::ImageLayout,
        dst_buffer: vk::Buffer,
        region_count: u32,
        p_regions: *const vk::BufferImageCopy,
    ) {
        // SAFETY: valid usage of `vkCmdCopyImageToBuffer`.
        unsafe {
            calls::cmd_copy_image_to_buffer(
                dispatched(command_buffer),
                src_image,
                src_image_layout,
                dst_buffer,
                slice(p_regions, region_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_update_buffer(
        command_buffer: vk::CommandBuffer,
        dst_buffer: vk::Buffer,
        dst_offset: vk::DeviceSize,
        data_size: vk::DeviceSize,
        p_data: *const c_void,
    ) {
        // SAFETY: valid usage of `vkCmdUpdateBuffer`.
        unsafe {
            calls::cmd_update_buffer(
                dispatched(command_buffer),
                dst_buffer,
                dst_offset,
                data_size,
                slice(p_data.cast::<u8>(), data_size as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_fill_buffer(
        command_buffer: vk::CommandBuffer,
        dst_buffer: vk::Buffer,
        dst_offset: vk::DeviceSize,
        size: vk::DeviceSize,
        data: u32,
    ) {
        // SAFETY: valid usage of `vkCmdFillBuffer`.
        unsafe {
            calls::cmd_fill_buffer(dispatched(command_buffer), dst_buffer, dst_offset, size, data);
        }
    }

    pub(super) unsafe extern "system" fn cmd_pipeline_barrier(
        command_buffer: vk::CommandBuffer,
        src_stage_mask: vk::PipelineStageFlags,
        dst_stage_mask: vk::PipelineStageFlags,
        dependency_flags: vk::DependencyFlags,
        memory_barrier_count: u32,
        p_memory_barriers: *const vk::MemoryBarrier<'_>,
        buffer_memory_barrier_count: u32,
        p_buffer_memory_barriers: *const vk::BufferMemoryBarrier<'_>,
        image_memory_barrier_count: u32,
        p_image_memory_barriers: *const vk::ImageMemoryBarrier<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdPipelineBarrier`.
        unsafe {
            calls::cmd_pipeline_barrier(
                dispatched(command_buffer),
                src_stage_mask,
                dst_stage_mask,
                dependency_flags,
                slice(p_memory_barriers, memory_barrier_count as usize),
                slice(p_buffer_memory_barriers, buffer_memory_barrier_count as usize),
                slice(p_image_memory_barriers, image_memory_barrier_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_begin_query(
        command_buffer: vk::CommandBuffer,
        query_pool: vk::QueryPool,
        query: u32,
        flags: vk::QueryControlFlags,
    ) {
        // SAFETY: valid usage of `vkCmdBeginQuery`.
        unsafe {
            calls::cmd_begin_query(dispatched(command_buffer), query_pool, query, flags);
        }
    }

    pub(super) unsafe extern "system" fn cmd_end_query(
        command_buffer: vk::CommandBuffer,
        query_pool: vk::QueryPool,
        query: u32,
    ) {
        // SAFETY: valid usage of `vkCmdEndQuery`.
        unsafe {
            calls::cmd_end_query(dispatched(command_buffer), query_pool, query);
        }
    }

    pub(super) unsafe extern "system" fn cmd_reset_query_pool(
        command_buffer: vk::CommandBuffer,
        query_pool: vk::QueryPool,
        first_query: u32,
        query_count: u32,
    ) {
        // SAFETY: valid usage of `vkCmdResetQueryPool`.
        unsafe {
            calls::cmd_reset_query_pool(dispatched(command_buffer), query_pool, first_query, query_count);
        }
    }

    pub(super) unsafe extern "system" fn cmd_write_timestamp(
        command_buffer: vk::CommandBuffer,
        pipeline_stage: vk::PipelineStageFlags,
        query_pool: vk::QueryPool,
        query: u32,
    ) {
        // SAFETY: valid usage of `vkCmdWriteTimestamp`.
        unsafe {
            calls::cmd_write_timestamp(dispatched(command_buffer), pipeline_stage, query_pool, query);
        }
    }

    pub(super) unsafe extern "system" fn cmd_copy_query_pool_results(
        command_buffer: vk::CommandBuffer,
        query_pool: vk::QueryPool,
        first_query: u32,
        query_count: u32,
        dst_buffer: vk::Buffer,
        dst_offset: vk::DeviceSize,
        stride: vk::DeviceSize,
        flags: vk::QueryResultFlags,
    ) {
        // SAFETY: valid usage of `vkCmdCopyQueryPoolResults`.
        unsafe {
            calls::cmd_copy_query_pool_results(
                dispatched(command_buffer),
                query_pool,
                first_query,
                query_count,
                dst_buffer,
                dst_offset,
                stride,
                flags,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_execute_commands(
        command_buffer: vk::CommandBuffer,
        command_buffer_count: u32,
        p_command_buffers: *const vk::CommandBuffer,
    ) {
        // SAFETY: valid usage of `vkCmdExecuteCommands`.
        unsafe {
            calls::cmd_execute_commands(
                dispatched(command_buffer),
                slice(p_command_buffers, command_buffer_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn create_event(
        device: vk::Device,
        p_create_info: *const vk::EventCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_event: *mut vk::Event,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateEvent`.
        unsafe { outcome(calls::create_event(dispatched(device), reference(p_create_info), out(p_event))) }
    }

    pub(super) unsafe extern "system" fn destroy_event(
        device: vk::Device,
        event: vk::Event,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyEvent`.
        unsafe {
            calls::destroy_event(dispatched(device), event);
        }
    }

    pub(super) unsafe extern "system" fn get_event_status(
        device: vk::Device,
        event: vk::Event,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetEventStatus`.
        unsafe { outcome(calls::get_event_status(dispatched(device), event)) }
    }

    pub(super) unsafe extern "system" fn set_event(device: vk::Device, event: vk::Event) -> vk::Result {
        // SAFETY: valid usage of `vkSetEvent`.
        unsafe { outcome(calls::set_event(dispatched(device), event)) }
    }

    pub(super) unsafe extern "system" fn reset_event(device: vk::Device, event: vk::Event) -> vk::Result {
        // SAFETY: valid usage of `vkResetEvent`.
        unsafe { outcome(calls::reset_event(dispatched(device), event)) }
    }

    pub(super) unsafe extern "system" fn create_buffer_view(
        device: vk::Device,
        p_create_info: *const vk::BufferViewCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_view: *mut vk::BufferView,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateBufferView`.
        unsafe {
            outcome(calls::create_buffer_view(dispatched(device), reference(p_create_info), out(p_view)))
        }
    }

    pub(super) unsafe extern "system" fn destroy_buffer_view(
        device: vk::Device,
        buffer_view: vk::BufferView,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyBufferView`.
        unsafe {
            calls::destroy_buffer_view(dispatched(device), buffer_view);
        }
    }

    pub(super) unsafe extern "system" fn create_shader_module(
        device: vk::Device,
        p_create_info: *const vk::ShaderModuleCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_shader_module: *mut vk::ShaderModule,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateShaderModule`.
        unsafe {
            outcome(calls::create_shader_module(
                dispatched(device),
                reference(p_create_info),
                out(p_shader_module),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_shader_module(
        device: vk::Device,
        shader_module: vk::ShaderModule,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyShaderModule`.
        unsafe {
            calls::destroy_shader_module(dispatched(device), shader_module);
        }
    }

    pub(super) unsafe extern "system" fn create_pipeline_cache(
        device: vk::Device,
        p_create_info: *const vk::PipelineCacheCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_pipeline_cache: *mut vk::PipelineCache,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreatePipelineCache`.
        unsafe {
            outcome(calls::create_pipeline_cache(
                dispatched(device),
                reference(p_create_info),
                out(p_pipeline_cache),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_pipeline_cache(
        device: vk::Device,
        pipeline_cache: vk::PipelineCache,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyPipelineCache`.
        unsafe {
            calls::destroy_pipeline_cache(dispatched(device), pipeline_cache);
        }
    }

    pub(super) unsafe extern "system" fn get_pipeline_cache_data(
        device: vk::Device,
        pipeline_cache: vk::PipelineCache,
        p_data_size: *mut usize,
        p_data: *mut c_void,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPipelineCacheData`.
        unsafe {
            outcome(calls::get_pipeline_cache_data(
                dispatched(device),
                pipeline_cache,
                Fill::new(p_data_size, p_data),
            ))
        }
    }

    pub(super) unsafe extern "system" fn merge_pipeline_caches(
        device: vk::Device,
        dst_cache: vk::PipelineCache,
        src_cache_count: u32,
        p_src_caches: *const vk::PipelineCache,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkMergePipelineCaches`.
        unsafe {
            outcome(calls::merge_pipeline_caches(
                dispatched(device),
                dst_cache,
                slice(p_src_caches, src_cache_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn create_compute_pipelines(
        device: vk::Device,
        pipeline_cache: vk::PipelineCache,
        create_info_count: u32,
        p_create_infos: *const vk::ComputePipelineCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_pipelines: *mut vk::Pipeline,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateComputePipelines`.
        unsafe {
            outcome(calls::create_compute_pipelines(
                dispatched(device),
                pipeline_cache,
                slice(p_create_infos, create_info_count as usize),
                slice_mut(p_pipelines, create_info_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_pipeline(
        device: vk::Device,
        pipeline: vk::Pipeline,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyPipeline`.
        unsafe {
            calls::destroy_pipeline(dispatched(device), pipeline);
        }
    }

    pub(super) unsafe extern "system" fn create_pipeline_layout(
        device: vk::Device,
        p_create_info: *const vk::PipelineLayoutCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_pipeline_layout: *mut vk::PipelineLayout,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreatePipelineLayout`.
        unsafe {
            outcome(calls::create_pipeline_layout(
                dispatched(device),
                reference(p_create_info),
                out(p_pipeline_layout),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_pipeline_layout(
        device: vk::Device,
        pipeline_layout: vk::PipelineLayout,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyPipelineLayout`.
        unsafe {
            calls::destroy_pipeline_layout(dispatched(device), pipeline_layout);
        }
    }

    pub(super) unsafe extern "system" fn create_sampler(
        device: vk::Device,
        p_create_info: *const vk::SamplerCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_sampler: *mut vk::Sampler,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateSampler`.
        unsafe {
            outcome(calls::create_sampler(dispatched(device), reference(p_create_info), out(p_sampler)))
        }
    }

    pub(super) unsafe extern "system" fn destroy_sampler(
        device: vk::Device,
        sampler: vk::Sampler,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroySampler`.
        unsafe {
            calls::destroy_sampler(dispatched(device), sampler);
        }
    }

    pub(super) unsafe extern "system" fn create_descriptor_set_layout(
        device: vk::Device,
        p_create_info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_set_layout: *mut vk::DescriptorSetLayout,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateDescriptorSetLayout`.
        unsafe {
            outcome(calls::create_descriptor_set_layout(
                dispatched(device),
                reference(p_create_info),
                out(p_set_layout),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_descriptor_set_layout(
        device: vk::Device,
        descriptor_set_layout: vk::DescriptorSetLayout,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyDescriptorSetLayout`.
        unsafe {
            calls::destroy_descriptor_set_layout(dispatched(device), descriptor_set_layout);
        }
    }

    pub(super) unsafe extern "system" fn create_descriptor_pool(
        device: vk::Device,
        p_create_info: *const vk::DescriptorPoolCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_descriptor_pool: *mut vk::DescriptorPool,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateDescriptorPool`.
        unsafe {
            outcome(calls::create_descriptor_pool(
                dispatched(device),
                reference(p_create_info),
                out(p_descriptor_pool),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_descriptor_pool(
        device: vk::Device,
        descriptor_pool: vk::DescriptorPool,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyDescriptorPool`.
        unsafe {
            calls::destroy_descriptor_pool(dispatched(device), descriptor_pool);
        }
    }

    pub(super) unsafe extern "system" fn reset_descriptor_pool(
        device: vk::Device,
        descriptor_pool: vk::DescriptorPool,
        flags: vk::DescriptorPoolResetFlags,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkResetDescriptorPool`.
        unsafe { outcome(calls::reset_descriptor_pool(dispatched(device), descriptor_pool, flags)) }
    }

    pub(super) unsafe extern "system" fn allocate_descriptor_sets(
        device: vk::Device,
        p_allocate_info: *const vk::DescriptorSetAllocateInfo<'_>,
        p_descriptor_sets: *mut vk::DescriptorSet,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkAllocateDescriptorSets`.
        unsafe {
            outcome(calls::allocate_descriptor_sets(
                dispatched(device),
                reference(p_allocate_info),
                slice_mut(p_descriptor_sets, reference(p_allocate_info).descriptor_set_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn free_descriptor_sets(
        device: vk::Device,
        descriptor_pool: vk::DescriptorPool,
        descriptor_set_count: u32,
        p_descriptor_sets: *const vk::DescriptorSet,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkFreeDescriptorSets`.
        unsafe {
            outcome(calls::free_descriptor_sets(
                dispatched(device),
                descriptor_pool,
                slice(p_descriptor_sets, descriptor_set_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn update_descriptor_sets(
        device: vk::Device,
        descriptor_write_count: u32,
        p_descriptor_writes: *const vk::WriteDescriptorSet<'_>,
        descriptor_copy_count: u32,
        p_descriptor_copies: *const vk::CopyDescriptorSet<'_>,
    ) {
        // SAFETY: valid usage of `vkUpdateDescriptorSets`.
        unsafe {
            calls::update_descriptor_sets(
                dispatched(device),
                slice(p_descriptor_writes, descriptor_write_count as usize),
                slice(p_descriptor_copies, descriptor_copy_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_bind_pipeline(
        command_buffer: vk::CommandBuffer,
        pipeline_bind_point: vk::PipelineBindPoint,
        pipeline: vk::Pipeline,
    ) {
        // SAFETY: valid usage of `vkCmdBindPipeline`.
        unsafe {
            calls::cmd_bind_pipeline(dispatched(command_buffer), pipeline_bind_point, pipeline);
        }
    }

    pub(super) unsafe extern "system" fn cmd_bind_descriptor_sets(
        command_buffer: vk::CommandBuffer,
        pipeline_bind_point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first_set: u32,
        descriptor_set_count: u32,
        p_descriptor_sets: *const vk::DescriptorSet,
        dynamic_offset_count: u32,
        p_dynamic_offsets: *const u32,
    ) {
        // SAFETY: valid usage of `vkCmdBindDescriptorSets`.
        unsafe {
            calls::cmd_bind_descriptor_sets(
                dispatched(command_buffer),
                pipeline_bind_point,
                layout,
                first_set,
                slice(p_descriptor_sets, descriptor_set_count as usize),
                slice(p_dynamic_offsets, dynamic_offset_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_clear_color_image(
        command_buffer: vk::CommandBuffer,
        image: vk::Image,
        image_layout: vk::ImageLayout,
        p_color: *const vk::ClearColorValue,
        range_count: u32,
        p_ranges: *const vk::ImageSubresourceRange,
    ) {
        // SAFETY: valid usage of `vkCmdClearColorImage`.
        unsafe {
            calls::cmd_clear_color_image(
                dispatched(command_buffer),
                image,
                image_layout,
                reference(p_color),
                slice(p_ranges, range_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_dispatch(
        command_buffer: vk::CommandBuffer,
        group_count_x: u32,
        group_count_y: u32,
        group_count_z: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDispatch`.
        unsafe {
            calls::cmd_dispatch(dispatched(command_buffer), group_count_x, group_count_y, group_count_z);
        }
    }

    pub(super) unsafe extern "system" fn cmd_dispatch_indirect(
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
    ) {
        // SAFETY: valid usage of `vkCmdDispatchIndirect`.
        unsafe {
            calls::cmd_dispatch_indirect(dispatched(command_buffer), buffer, offset);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_event(
        command_buffer: vk::CommandBuffer,
        event: vk::Event,
        stage_mask: vk::PipelineStageFlags,
    ) {
        // SAFETY: valid usage of `vkCmdSetEvent`.
        unsafe {
            calls::cmd_set_event(dispatched(command_buffer), event, stage_mask);
        }
    }

    pub(super) unsafe extern "system" fn cmd_reset_event(
        command_buffer: vk::CommandBuffer,
        event: vk::Event,
        stage_mask: vk::PipelineStageFlags,
    ) {
        // SAFETY: valid usage of `vkCmdResetEvent`.
        unsafe {
            calls::cmd_reset_event(dispatched(command_buffer), event, stage_mask);
        }
    }

    pub(super) unsafe extern "system" fn cmd_wait_events(
        command_buffer: vk::CommandBuffer,
        event_count: u32,
        p_events: *const vk::Event,
        src_stage_mask: vk::PipelineStageFlags,
        dst_stage_mask: vk::PipelineStageFlags,
        memory_barrier_count: u32,
        p_memory_barriers: *const vk::MemoryBarrier<'_>,
        buffer_memory_barrier_count: u32,
        p_buffer_memory_barriers: *const vk::BufferMemoryBarrier<'_>,
        image_memory_barrier_count: u32,
        p_image_memory_barriers: *const vk::ImageMemoryBarrier<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdWaitEvents`.
        unsafe {
            calls::cmd_wait_events(
                dispatched(command_buffer),
                slice(p_events, event_count as usize),
                src_stage_mask,
                dst_stage_mask,
                slice(p_memory_barriers, memory_barrier_count as usize),
                slice(p_buffer_memory_barriers, buffer_memory_barrier_count as usize),
                slice(p_image_memory_barriers, image_memory_barrier_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_push_constants(
        command_buffer: vk::CommandBuffer,
        layout: vk::PipelineLayout,
        stage_flags: vk::ShaderStageFlags,
        offset: u32,
        size: u32,
        p_values: *const c_void,
    ) {
        // SAFETY: valid usage of `vkCmdPushConstants`.
        unsafe {
            calls::cmd_push_constants(
                dispatched(command_buffer),
                layout,
                stage_flags,
                offset,
                slice(p_values.cast::<u8>(), size as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn create_graphics_pipelines(
        device: vk::Device,
        pipeline_cache: vk::PipelineCache,
        create_info_count: u32,
        p_create_infos: *const vk::GraphicsPipelineCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_pipelines: *mut vk::Pipeline,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateGraphicsPipelines`.
        unsafe {
            outcome(calls::create_graphics_pipelines(
                dispatched(device),
                pipeline_cache,
                slice(p_create_infos, create_info_count as usize),
                slice_mut(p_pipelines, create_info_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn create_framebuffer(
        device: vk::Device,
        p_create_info: *const vk::FramebufferCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_framebuffer: *mut vk::Framebuffer,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateFramebuffer`.
        unsafe {
            outcome(calls::create_framebuffer(
                dispatched(device),
                reference(p_create_info),
                out(p_framebuffer),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_framebuffer(
        device: vk::Device,
        framebuffer: vk::Framebuffer,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyFramebuffer`.
        unsafe {
            calls::destroy_framebuffer(dispatched(device), framebuffer);
        }
    }

    pub(super) unsafe extern "system" fn create_render_pass(
        device: vk::Device,
        p_create_info: *const vk::RenderPassCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_render_pass: *mut vk::RenderPass,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateRenderPass`.
        unsafe {
            outcome(calls::create_render_pass(
                dispatched(device),
                reference(p_create_info),
                out(p_render_pass),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_render_pass(
        device: vk::Device,
        render_pass: vk::RenderPass,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyRenderPass`.
        unsafe {
            calls::destroy_render_pass(dispatched(device), render_pass);
        }
    }

    pub(super) unsafe extern "system" fn get_render_area_granularity(
        device: vk::Device,
        render_pass: vk::RenderPass,
        p_granularity: *mut vk::Extent2D,
    ) {
        // SAFETY: valid usage of `vkGetRenderAreaGranularity`.
        unsafe {
            calls::get_render_area_granularity(dispatched(device), render_pass, out(p_granularity));
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_viewport(
        command_buffer: vk::CommandBuffer,
        first_viewport: u32,
        viewport_count: u32,
        p_viewports: *const vk::Viewport,
    ) {
        // SAFETY: valid usage of `vkCmdSetViewport`.
        unsafe {
            calls::cmd_set_viewport(
                dispatched(command_buffer),
                first_viewport,
                slice(p_viewports, viewport_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_scissor(
        command_buffer: vk::CommandBuffer,
        first_scissor: u32,
        scissor_count: u32,
        p_scissors: *const vk::Rect2D,
    ) {
        // SAFETY: valid usage of `vkCmdSetScissor`.
        unsafe {
            calls::cmd_set_scissor(
                dispatched(command_buffer),
                first_scissor,
                slice(p_scissors, scissor_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_line_width(
        command_buffer: vk::CommandBuffer,
        line_width: f32,
    ) {
        // SAFETY: valid usage of `vkCmdSetLineWidth`.
        unsafe {
            calls::cmd_set_line_width(dispatched(command_buffer), line_width);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_depth_bias(
        command_buffer: vk::CommandBuffer,
        depth_bias_constant_factor: f32,
        depth_bias_clamp: f32,
        depth_bias_slope_factor: f32,
    ) {
        // SAFETY: valid usage of `vkCmdSetDepthBias`.
        unsafe {
            calls::cmd_set_depth_bias(
                dispatched(command_buffer),
                depth_bias_constant_factor,
                depth_bias_clamp,
                depth_bias_slope_factor,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_blend_constants(
        command_buffer: vk::CommandBuffer,
        blend_constants: *const [f32; 4],
    ) {
        // SAFETY: valid usage of `vkCmdSetBlendConstants`.
        unsafe {
            calls::cmd_set_blend_constants(dispatched(command_buffer), *reference(blend_constants));
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_depth_bounds(
        command_buffer: vk::CommandBuffer,
        min_depth_bounds: f32,
        max_depth_bounds: f32,
    ) {
        // SAFETY: valid usage of `vkCmdSetDepthBounds`.
        unsafe {
            calls::cmd_set_depth_bounds(dispatched(command_buffer), min_depth_bounds, max_depth_bounds);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_stencil_compare_mask(
        command_buffer: vk::CommandBuffer,
        face_mask: vk::StencilFaceFlags,
        compare_mask: u32,
    ) {
        // SAFETY: valid usage of `vkCmdSetStencilCompareMask`.
        unsafe {
            calls::cmd_set_stencil_compare_mask(dispatched(command_buffer), face_mask, compare_mask);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_stencil_write_mask(
        command_buffer: vk::CommandBuffer,
        face_mask: vk::StencilFaceFlags,
        write_mask: u32,
    ) {
        // SAFETY: valid usage of `vkCmdSetStencilWriteMask`.
        unsafe {
            calls::cmd_set_stencil_write_mask(dispatched(command_buffer), face_mask, write_mask);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_stencil_reference(
        command_buffer: vk::CommandBuffer,
        face_mask: vk::StencilFaceFlags,
        reference: u32,
    ) {
        // SAFETY: valid usage of `vkCmdSetStencilReference`.
        unsafe {
            calls::cmd_set_stencil_reference(dispatched(command_buffer), face_mask, reference);
        }
    }

    pub(super) unsafe extern "system" fn cmd_bind_index_buffer(
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        index_type: vk::IndexType,
    ) {
        // SAFETY: valid usage of `vkCmdBindIndexBuffer`.
        unsafe {
            calls::cmd_bind_index_buffer(dispatched(command_buffer), buffer, offset, index_type);
        }
    }

    pub(super) unsafe extern "system" fn cmd_bind_vertex_buffers(
        command_buffer: vk::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        p_buffers: *const vk::Buffer,
        p_offsets: *const vk::DeviceSize,
    ) {
        // SAFETY: valid usage of `vkCmdBindVertexBuffers`.
        unsafe {
            calls::cmd_bind_vertex_buffers(
                dispatched(command_buffer),
                first_binding,
                slice(p_buffers, binding_count as usize),
                slice(p_offsets, binding_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_draw(
        command_buffer: vk::CommandBuffer,
        vertex_count: u32,
        instance_count: u32,
        first_vertex: u32,
        first_instance: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDraw`.
        unsafe {
            calls::cmd_draw(
                dispatched(command_buffer),
                vertex_count,
                instance_count,
                first_vertex,
                first_instance,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_draw_indexed(
        command_buffer: vk::CommandBuffer,
        index_count: u32,
        instance_count: u32,
        first_index: u32,
        vertex_offset: i32,
        first_instance: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDrawIndexed`.
        unsafe {
            calls::cmd_draw_indexed(
                dispatched(command_buffer),
                index_count,
                instance_count,
                first_index,
                vertex_offset,
                first_instance,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_draw_indirect(
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        draw_count: u32,
        stride: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDrawIndirect`.
        unsafe {
            calls::cmd_draw_indirect(dispatched(command_buffer), buffer, offset, draw_count, stride);
        }
    }

    pub(super) unsafe extern "system" fn cmd_draw_indexed_indirect(
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        draw_count: u32,
        stride: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDrawIndexedIndirect`.
        unsafe {
            calls::cmd_draw_indexed_indirect(dispatched(command_buffer), buffer, offset, draw_count, stride);
        }
    }

    pub(super) unsafe extern "system" fn cmd_blit_image(
        command_buffer: vk::CommandBuffer,
        src_image: vk::Image,
        src_image_layout: vk::ImageLayout,
        dst_image: vk::Image,
        dst_image_layout: vk::ImageLayout,
        region_count: u32,
        p_regions: *const vk::ImageBlit,
        filter: vk::Filter,
    ) {
        // SAFETY: valid usage of `vkCmdBlitImage`.
        unsafe {
            calls::cmd_blit_image(
                dispatched(command_buffer),
                src_image,
                src_image_layout,
                dst_image,
                dst_image_layout,
                slice(p_regions, region_count as usize),
                filter,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_clear_depth_stencil_image(
        command_buffer: vk::CommandBuffer,
        image: vk::Image,
        image_layout: vk::ImageLayout,
        p_depth_stencil: *const vk::ClearDepthStencilValue,
        range_count: u32,
        p_ranges: *const vk::ImageSubresourceRange,
    ) {
        // SAFETY: valid usage of `vkCmdClearDepthStencilImage`.
        unsafe {
            calls::cmd_clear_depth_stencil_image(
                dispatched(command_buffer),
                image,
                image_layout,
                reference(p_depth_stencil),
                slice(p_ranges, range_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_clear_attachments(
        command_buffer: vk::CommandBuffer,
        attachment_count: u32,
        p_attachments: *const vk::ClearAttachment,
        rect_count: u32,
        p_rects: *const vk::ClearRect,
    ) {
        // SAFETY: valid usage of `vkCmdClearAttachments`.
        unsafe {
            calls::cmd_clear_attachments(
                dispatched(command_buffer),
                slice(p_attachments, attachment_count as usize),
                slice(p_rects, rect_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_resolve_image(
        command_buffer: vk::CommandBuffer,
        src_image: vk::Image,
        src_image_layout: vk::ImageLayout,
        dst_image: vk::Image,
        dst_image_layout: vk::ImageLayout,
        region_count: u32,
        p_regions: *const vk::ImageResolve,
    ) {
        // SAFETY: valid usage of `vkCmdResolveImage`.
        unsafe {
            calls::cmd_resolve_image(
                dispatched(command_buffer),
                src_image,
                src_image_layout,
                dst_image,
                dst_image_layout,
                slice(p_regions, region_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_begin_render_pass(
        command_buffer: vk::CommandBuffer,
        p_render_pass_begin: *const vk::RenderPassBeginInfo<'_>,
        contents: vk::SubpassContents,
    ) {
        // SAFETY: valid usage of `vkCmdBeginRenderPass`.
        unsafe {
            calls::cmd_begin_render_pass(
                dispatched(command_buffer),
                reference(p_render_pass_begin),
                contents,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_next_subpass(
        command_buffer: vk::CommandBuffer,
        contents: vk::SubpassContents,
    ) {
        // SAFETY: valid usage of `vkCmdNextSubpass`.
        unsafe {
            calls::cmd_next_subpass(dispatched(command_buffer), contents);
        }
    }

    pub(super) unsafe extern "system" fn cmd_end_render_pass(command_buffer: vk::CommandBuffer) {
        // SAFETY: valid usage of `vkCmdEndRenderPass`.
        unsafe {
            calls::cmd_end_render_pass(dispatched(command_buffer));
        }
    }

    pub(super) unsafe extern "system" fn enumerate_instance_version(p_api_version: *mut u32) -> vk::Result {
        // SAFETY: valid usage of `vkEnumerateInstanceVersion`.
        unsafe { outcome(calls::enumerate_instance_version(out(p_api_version))) }
    }

    pub(super) unsafe extern "system" fn bind_buffer_memory2(
        device: vk::Device,
        bind_info_count: u32,
        p_bind_infos: *const vk::BindBufferMemoryInfo<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkBindBufferMemory2`.
        unsafe {
            outcome(calls::bind_buffer_memory2(
                dispatched(device),
                slice(p_bind_infos, bind_info_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn bind_image_memory2(
        device: vk::Device,
        bind_info_count: u32,
        p_bind_infos: *const vk::BindImageMemoryInfo<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkBindImageMemory2`.
        unsafe {
            outcome(calls::bind_image_memory2(
                dispatched(device),
                slice(p_bind_infos, bind_info_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_device_group_peer_memory_features(
        device: vk::Device,
        heap_index: u32,
        local_device_index: u32,
        remote_device_index: u32,
        p_peer_memory_features: *mut vk::PeerMemoryFeatureFlags,
    ) {
        // SAFETY: valid usage of `vkGetDeviceGroupPeerMemoryFeatures`.
        unsafe {
            calls::get_device_group_peer_memory_features(
                dispatched(device),
                heap_index,
                local_device_index,
                remote_device_index,
                out(p_peer_memory_features),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_device_mask(
        command_buffer: vk::CommandBuffer,
        device_mask: u32,
    ) {
        // SAFETY: valid usage of `vkCmdSetDeviceMask`.
        unsafe {
            calls::cmd_set_device_mask(dispatched(command_buffer), device_mask);
        }
    }

    pub(super) unsafe extern "system" fn enumerate_physical_device_groups(
        instance: vk::Instance,
        p_physical_device_group_count: *mut u32,
        p_physical_device_group_properties: *mut vk::PhysicalDeviceGroupProperties<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkEnumeratePhysicalDeviceGroups`.
        unsafe {
            outcome(calls::enumerate_physical_device_groups(
                dispatched(instance),
                Fill::new(p_physical_device_group_count, p_physical_device_group_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_image_memory_requirements2(
        device: vk::Device,
        p_info: *const vk::ImageMemoryRequirementsInfo2<'_>,
        p_memory_requirements: *mut vk::MemoryRequirements2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetImageMemoryRequirements2`.
        unsafe {
            calls::get_image_memory_requirements2(
                dispatched(device),
                reference(p_info),
                out(p_memory_requirements),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_buffer_memory_requirements2(
        device: vk::Device,
        p_info: *const vk::BufferMemoryRequirementsInfo2<'_>,
        p_memory_requirements: *mut vk::MemoryRequirements2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetBufferMemoryRequirements2`.
        unsafe {
            calls::get_buffer_memory_requirements2(
                dispatched(device),
                reference(p_info),
                out(p_memory_requirements),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_image_sparse_memory_requirements2(
        device: vk::Device,
        p_info: *const vk::ImageSparseMemoryRequirementsInfo2<'_>,
        p_sparse_memory_requirement_count: *mut u32,
        p_sparse_memory_requirements: *mut vk::SparseImageMemoryRequirements2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetImageSparseMemoryRequirements2`.
        unsafe {
            calls::get_image_sparse_memory_requirements2(
                dispatched(device),
                reference(p_info),
                Fill::new(p_sparse_memory_requirement_count, p_sparse_memory_requirements),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_features2(
        physical_device: vk::PhysicalDevice,
        p_features: *mut vk::PhysicalDeviceFeatures2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceFeatures2`.
        unsafe {
            calls::get_physical_device_features2(dispatched(physical_device), out(p_features));
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_properties2(
        physical_device: vk::PhysicalDevice,
        p_properties: *mut vk::PhysicalDeviceProperties2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceProperties2`.
        unsafe {
            calls::get_physical_device_properties2(dispatched(physical_device), out(p_properties));
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_format_properties2(
        physical_device: vk::PhysicalDevice,
        format: vk::Format,
        p_format_properties: *mut vk::FormatProperties2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceFormatProperties2`.
        unsafe {
            calls::get_physical_device_format_properties2(
                dispatched(physical_device),
                format,
                out(p_format_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_image_format_properties2(
        physical_device: vk::PhysicalDevice,
        p_image_format_info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
        p_image_format_properties: *mut vk::ImageFormatProperties2<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDeviceImageFormatProperties2`.
        unsafe {
            outcome(calls::get_physical_device_image_format_properties2(
                dispatched(physical_device),
                reference(p_image_format_info),
                out(p_image_format_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_queue_family_properties2(
        physical_device: vk::PhysicalDevice,
        p_queue_family_property_count: *mut u32,
        p_queue_family_properties: *mut vk::QueueFamilyProperties2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceQueueFamilyProperties2`.
        unsafe {
            calls::get_physical_device_queue_family_properties2(
                dispatched(physical_device),
                Fill::new(p_queue_family_property_count, p_queue_family_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_memory_properties2(
        physical_device: vk::PhysicalDevice,
        p_memory_properties: *mut vk::PhysicalDeviceMemoryProperties2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceMemoryProperties2`.
        unsafe {
            calls::get_physical_device_memory_properties2(
                dispatched(physical_device),
                out(p_memory_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_sparse_image_format_properties2(
        physical_device: vk::PhysicalDevice,
        p_format_info: *const vk::PhysicalDeviceSparseImageFormatInfo2<'_>,
        p_property_count: *mut u32,
        p_properties: *mut vk::SparseImageFormatProperties2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceSparseImageFormatProperties2`.
        unsafe {
            calls::get_physical_device_sparse_image_format_properties2(
                dispatched(physical_device),
                reference(p_format_info),
                Fill::new(p_property_count, p_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn trim_command_pool(
        device: vk::Device,
        command_pool: vk::CommandPool,
        flags: vk::CommandPoolTrimFlags,
    ) {
        // SAFETY: valid usage of `vkTrimCommandPool`.
        unsafe {
            calls::trim_command_pool(dispatched(device), command_pool, flags);
        }
    }

    pub(super) unsafe extern "system" fn get_device_queue2(
        device: vk::Device,
        p_queue_info: *const vk::DeviceQueueInfo2<'_>,
        p_queue: *mut vk::Queue,
    ) {
        // SAFETY: valid usage of `vkGetDeviceQueue2`.
        unsafe {
            calls::get_device_queue2(dispatched(device), reference(p_queue_info), out(p_queue));
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_external_buffer_properties(
        physical_device: vk::PhysicalDevice,
        p_external_buffer_info: *const vk::PhysicalDeviceExternalBufferInfo<'_>,
        p_external_buffer_properties: *mut vk::ExternalBufferProperties<'_>,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceExternalBufferProperties`.
        unsafe {
            calls::get_physical_device_external_buffer_properties(
                dispatched(physical_device),
                reference(p_external_buffer_info),
                out(p_external_buffer_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_external_fence_properties(
        physical_device: vk::PhysicalDevice,
        p_external_fence_info: *const vk::PhysicalDeviceExternalFenceInfo<'_>,
        p_external_fence_properties: *mut vk::ExternalFenceProperties<'_>,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceExternalFenceProperties`.
        unsafe {
            calls::get_physical_device_external_fence_properties(
                dispatched(physical_device),
                reference(p_external_fence_info),
                out(p_external_fence_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_external_semaphore_properties(
        physical_device: vk::PhysicalDevice,
        p_external_semaphore_info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
        p_external_semaphore_properties: *mut vk::ExternalSemaphoreProperties<'_>,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceExternalSemaphoreProperties`.
        unsafe {
            calls::get_physical_device_external_semaphore_properties(
                dispatched(physical_device),
                reference(p_external_semaphore_info),
                out(p_external_semaphore_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_dispatch_base(
        command_buffer: vk::CommandBuffer,
        base_group_x: u32,
        base_group_y: u32,
        base_group_z: u32,
        group_count_x: u32,
        group_count_y: u32,
        group_count_z: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDispatchBase`.
        unsafe {
            calls::cmd_dispatch_base(
                dispatched(command_buffer),
                base_group_x,
                base_group_y,
                base_group_z,
                group_count_x,
                group_count_y,
                group_count_z,
            );
        }
    }

    pub(super) unsafe extern "system" fn create_descriptor_update_template(
        device: vk::Device,
        p_create_info: *const vk::DescriptorUpdateTemplateCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_descriptor_update_template: *mut vk::DescriptorUpdateTemplate,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateDescriptorUpdateTemplate`.
        unsafe {
            outcome(calls::create_descriptor_update_template(
                dispatched(device),
                reference(p_create_info),
                out(p_descriptor_update_template),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_descriptor_update_template(
        device: vk::Device,
        descriptor_update_template: vk::DescriptorUpdateTemplate,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyDescriptorUpdateTemplate`.
        unsafe {
            calls::destroy_descriptor_update_template(dispatched(device), descriptor_update_template);
        }
    }

    pub(super) unsafe extern "system" fn update_descriptor_set_with_template(
        device: vk::Device,
        descriptor_set: vk::DescriptorSet,
        descriptor_update_template: vk::DescriptorUpdateTemplate,
        p_data: *const c_void,
    ) {
        // SAFETY: valid usage of `vkUpdateDescriptorSetWithTemplate`.
        unsafe {
            calls::update_descriptor_set_with_template(
                dispatched(device),
                descriptor_set,
                descriptor_update_template,
                p_data,
            );
        }
    }

    pub(super) unsafe extern "system" fn get_descriptor_set_layout_support(
        device: vk::Device,
        p_create_info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
        p_support: *mut vk::DescriptorSetLayoutSupport<'_>,
    ) {
        // SAFETY: valid usage of `vkGetDescriptorSetLayoutSupport`.
        unsafe {
            calls::get_descriptor_set_layout_support(
                dispatched(device),
                reference(p_create_info),
                out(p_support),
            );
        }
    }

    pub(super) unsafe extern "system" fn create_sampler_ycbcr_conversion(
        device: vk::Device,
        p_create_info: *const vk::SamplerYcbcrConversionCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_ycbcr_conversion: *mut vk::SamplerYcbcrConversion,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateSamplerYcbcrConversion`.
        unsafe {
            outcome(calls::create_sampler_ycbcr_conversion(
                dispatched(device),
                reference(p_create_info),
                out(p_ycbcr_conversion),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_sampler_ycbcr_conversion(
        device: vk::Device,
        ycbcr_conversion: vk::SamplerYcbcrConversion,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroySamplerYcbcrConversion`.
        unsafe {
            calls::destroy_sampler_ycbcr_conversion(dispatched(device), ycbcr_conversion);
        }
    }

    pub(super) unsafe extern "system" fn reset_query_pool(
        device: vk::Device,
        query_pool: vk::QueryPool,
        first_query: u32,
        query_count: u32,
    ) {
        // SAFETY: valid usage of `vkResetQueryPool`.
        unsafe {
            calls::reset_query_pool(dispatched(device), query_pool, first_query, query_count);
        }
    }

    pub(super) unsafe extern "system" fn get_semaphore_counter_value(
        device: vk::Device,
        semaphore: vk::Semaphore,
        p_value: *mut u64,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetSemaphoreCounterValue`.
        unsafe { outcome(calls::get_semaphore_counter_value(dispatched(device), semaphore, out(p_value))) }
    }

    pub(super) unsafe extern "system" fn wait_semaphores(
        device: vk::Device,
        p_wait_info: *const vk::SemaphoreWaitInfo<'_>,
        timeout: u64,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkWaitSemaphores`.
        unsafe { outcome(calls::wait_semaphores(dispatched(device), reference(p_wait_info), timeout)) }
    }

    pub(super) unsafe extern "system" fn signal_semaphore(
        device: vk::Device,
        p_signal_info: *const vk::SemaphoreSignalInfo<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkSignalSemaphore`.
        unsafe { outcome(calls::signal_semaphore(dispatched(device), reference(p_signal_info))) }
    }

    pub(super) unsafe extern "system" fn get_buffer_device_address(
        device: vk::Device,
        p_info: *const vk::BufferDeviceAddressInfo<'_>,
    ) -> vk::DeviceAddress {
        // SAFETY: valid usage of `vkGetBufferDeviceAddress`.
        unsafe { calls::get_buffer_device_address(dispatched(device), reference(p_info)) }
    }

    pub(super) unsafe extern "system" fn get_buffer_opaque_capture_address(
        device: vk::Device,
        p_info: *const vk::BufferDeviceAddressInfo<'_>,
    ) -> u64 {
        // SAFETY: valid usage of `vkGetBufferOpaqueCaptureAddress`.
        unsafe { calls::get_buffer_opaque_capture_address(dispatched(device), reference(p_info)) }
    }

    pub(super) unsafe extern "system" fn get_device_memory_opaque_capture_address(
        device: vk::Device,
        p_info: *const vk::DeviceMemoryOpaqueCaptureAddressInfo<'_>,
    ) -> u64 {
        // SAFETY: valid usage of `vkGetDeviceMemoryOpaqueCaptureAddress`.
        unsafe { calls::get_device_memory_opaque_capture_address(dispatched(device), reference(p_info)) }
    }

    pub(super) unsafe extern "system" fn cmd_draw_indirect_count(
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count_buffer: vk::Buffer,
        count_buffer_offset: vk::DeviceSize,
        max_draw_count: u32,
        stride: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDrawIndirectCount`.
        unsafe {
            calls::cmd_draw_indirect_count(
                dispatched(command_buffer),
                buffer,
                offset,
                count_buffer,
                count_buffer_offset,
                max_draw_count,
                stride,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_draw_indexed_indirect_count(
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count_buffer: vk::Buffer,
        count_buffer_offset: vk::DeviceSize,
        max_draw_count: u32,
        stride: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDrawIndexedIndirectCount`.
        unsafe {
            calls::cmd_draw_indexed_indirect_count(
                dispatched(command_buffer),
                buffer,
                offset,
                count_buffer,
                count_buffer_offset,
                max_draw_count,
                stride,
            );
        }
    }

    pub(super) unsafe extern "system" fn create_render_pass2(
        device: vk::Device,
        p_create_info: *const vk::RenderPassCreateInfo2<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_render_pass: *mut vk::RenderPass,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateRenderPass2`.
        unsafe {
            outcome(calls::create_render_pass2(
                dispatched(device),
                reference(p_create_info),
                out(p_render_pass),
            ))
        }
    }

    pub(super) unsafe extern "system" fn cmd_begin_render_pass2(
        command_buffer: vk::CommandBuffer,
        p_render_pass_begin: *const vk::RenderPassBeginInfo<'_>,
        p_subpass_begin_info: *const vk::SubpassBeginInfo<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdBeginRenderPass2`.
        unsafe {
            calls::cmd_begin_render_pass2(
                dispatched(command_buffer),
                reference(p_render_pass_begin),
                reference(p_subpass_begin_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_next_subpass2(
        command_buffer: vk::CommandBuffer,
        p_subpass_begin_info: *const vk::SubpassBeginInfo<'_>,
        p_subpass_end_info: *const vk::SubpassEndInfo<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdNextSubpass2`.
        unsafe {
            calls::cmd_next_subpass2(
                dispatched(command_buffer),
                reference(p_subpass_begin_info),
                reference(p_subpass_end_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_end_render_pass2(
        command_buffer: vk::CommandBuffer,
        p_subpass_end_info: *const vk::SubpassEndInfo<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdEndRenderPass2`.
        unsafe {
            calls::cmd_end_render_pass2(dispatched(command_buffer), reference(p_subpass_end_info));
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_tool_properties(
        physical_device: vk::PhysicalDevice,
        p_tool_count: *mut u32,
        p_tool_properties: *mut vk::PhysicalDeviceToolProperties<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDeviceToolProperties`.
        unsafe {
            outcome(calls::get_physical_device_tool_properties(
                dispatched(physical_device),
                Fill::new(p_tool_count, p_tool_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn create_private_data_slot(
        device: vk::Device,
        p_create_info: *const vk::PrivateDataSlotCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_private_data_slot: *mut vk::PrivateDataSlot,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreatePrivateDataSlot`.
        unsafe {
            outcome(calls::create_private_data_slot(
                dispatched(device),
                reference(p_create_info),
                out(p_private_data_slot),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_private_data_slot(
        device: vk::Device,
        private_data_slot: vk::PrivateDataSlot,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyPrivateDataSlot`.
        unsafe {
            calls::destroy_private_data_slot(dispatched(device), private_data_slot);
        }
    }

    pub(super) unsafe extern "system" fn set_private_data(
        device: vk::Device,
        object_type: vk::ObjectType,
        object_handle: u64,
        private_data_slot: vk::PrivateDataSlot,
        data: u64,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkSetPrivateData`.
        unsafe {
            outcome(calls::set_private_data(
                dispatched(device),
                object_type,
                object_handle,
                private_data_slot,
                data,
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_private_data(
        device: vk::Device,
        object_type: vk::ObjectType,
        object_handle: u64,
        private_data_slot: vk::PrivateDataSlot,
        p_data: *mut u64,
    ) {
        // SAFETY: valid usage of `vkGetPrivateData`.
        unsafe {
            calls::get_private_data(
                dispatched(device),
                object_type,
                object_handle,
                private_data_slot,
                out(p_data),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_pipeline_barrier2(
        command_buffer: vk::CommandBuffer,
        p_dependency_info: *const vk::DependencyInfo<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdPipelineBarrier2`.
        unsafe {
            calls::cmd_pipeline_barrier2(dispatched(command_buffer), reference(p_dependency_info));
        }
    }

    pub(super) unsafe extern "system" fn cmd_write_timestamp2(
        command_buffer: vk::CommandBuffer,
        stage: vk::PipelineStageFlags2,
        query_pool: vk::QueryPool,
        query: u32,
    ) {
        // SAFETY: valid usage of `vkCmdWriteTimestamp2`.
        unsafe {
            calls::cmd_write_timestamp2(dispatched(command_buffer), stage, query_pool, query);
        }
    }

    pub(super) unsafe extern "system" fn queue_submit2(
        queue: vk::Queue,
        submit_count: u32,
        p_submits: *const vk::SubmitInfo2<'_>,
        fence: vk::Fence,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkQueueSubmit2`.
        unsafe {
            outcome(calls::queue_submit2(dispatched(queue), slice(p_submits, submit_count as usize), fence))
        }
    }

    pub(super) unsafe extern "system" fn cmd_copy_buffer2(
        command_buffer: vk::CommandBuffer,
        p_copy_buffer_info: *const vk::CopyBufferInfo2<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdCopyBuffer2`.
        unsafe {
            calls::cmd_copy_buffer2(dispatched(command_buffer), reference(p_copy_buffer_info));
        }
    }

    pub(super) unsafe extern "system" fn cmd_copy_image2(
        command_buffer: vk::CommandBuffer,
        p_copy_image_info: *const vk::CopyImageInfo2<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdCopyImage2`.
        unsafe {
            calls::cmd_copy_image2(dispatched(command_buffer), reference(p_copy_image_info));
        }
    }

    pub(super) unsafe extern "system" fn cmd_copy_buffer_to_image2(
        command_buffer: vk::CommandBuffer,
        p_copy_buffer_to_image_info: *const vk::CopyBufferToImageInfo2<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdCopyBufferToImage2`.
        unsafe {
            calls::cmd_copy_buffer_to_image2(
                dispatched(command_buffer),
                reference(p_copy_buffer_to_image_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_copy_image_to_buffer2(
        command_buffer: vk::CommandBuffer,
        p_copy_image_to_buffer_info: *const vk::CopyImageToBufferInfo2<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdCopyImageToBuffer2`.
        unsafe {
            calls::cmd_copy_image_to_buffer2(
                dispatched(command_buffer),
                reference(p_copy_image_to_buffer_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_device_buffer_memory_requirements(
        device: vk::Device,
        p_info: *const vk::DeviceBufferMemoryRequirements<'_>,
        p_memory_requirements: *mut vk::MemoryRequirements2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetDeviceBufferMemoryRequirements`.
        unsafe {
            calls::get_device_buffer_memory_requirements(
                dispatched(device),
                reference(p_info),
                out(p_memory_requirements),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_device_image_memory_requirements(
        device: vk::Device,
        p_info: *const vk::DeviceImageMemoryRequirements<'_>,
        p_memory_requirements: *mut vk::MemoryRequirements2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetDeviceImageMemoryRequirements`.
        unsafe {
            calls::get_device_image_memory_requirements(
                dispatched(device),
                reference(p_info),
                out(p_memory_requirements),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_device_image_sparse_memory_requirements(
        device: vk::Device,
        p_info: *const vk::DeviceImageMemoryRequirements<'_>,
        p_sparse_memory_requirement_count: *mut u32,
        p_sparse_memory_requirements: *mut vk::SparseImageMemoryRequirements2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetDeviceImageSparseMemoryRequirements`.
        unsafe {
            calls::get_device_image_sparse_memory_requirements(
                dispatched(device),
                reference(p_info),
                Fill::new(p_sparse_memory_requirement_count, p_sparse_memory_requirements),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_event2(
        command_buffer: vk::CommandBuffer,
        event: vk::Event,
        p_dependency_info: *const vk::DependencyInfo<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdSetEvent2`.
        unsafe {
            calls::cmd_set_event2(dispatched(command_buffer), event, reference(p_dependency_info));
        }
    }

    pub(super) unsafe extern "system" fn cmd_reset_event2(
        command_buffer: vk::CommandBuffer,
        event: vk::Event,
        stage_mask: vk::PipelineStageFlags2,
    ) {
        // SAFETY: valid usage of `vkCmdResetEvent2`.
        unsafe {
            calls::cmd_reset_event2(dispatched(command_buffer), event, stage_mask);
        }
    }

    pub(super) unsafe extern "system" fn cmd_wait_events2(
        command_buffer: vk::CommandBuffer,
        event_count: u32,
        p_events: *const vk::Event,
        p_dependency_infos: *const vk::DependencyInfo<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdWaitEvents2`.
        unsafe {
            calls::cmd_wait_events2(
                dispatched(command_buffer),
                slice(p_events, event_count as usize),
                slice(p_dependency_infos, event_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_blit_image2(
        command_buffer: vk::CommandBuffer,
        p_blit_image_info: *const vk::BlitImageInfo2<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdBlitImage2`.
        unsafe {
            calls::cmd_blit_image2(dispatched(command_buffer), reference(p_blit_image_info));
        }
    }

    pub(super) unsafe extern "system" fn cmd_resolve_image2(
        command_buffer: vk::CommandBuffer,
        p_resolve_image_info: *const vk::ResolveImageInfo2<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdResolveImage2`.
        unsafe {
            calls::cmd_resolve_image2(dispatched(command_buffer), reference(p_resolve_image_info));
        }
    }

    pub(super) unsafe extern "system" fn cmd_begin_rendering(
        command_buffer: vk::CommandBuffer,
        p_rendering_info: *const vk::RenderingInfo<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdBeginRendering`.
        unsafe {
            calls::cmd_begin_rendering(dispatched(command_buffer), reference(p_rendering_info));
        }
    }

    pub(super) unsafe extern "system" fn cmd_end_rendering(command_buffer: vk::CommandBuffer) {
        // SAFETY: valid usage of `vkCmdEndRendering`.
        unsafe {
            calls::cmd_end_rendering(dispatched(command_buffer));
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_cull_mode(
        command_buffer: vk::CommandBuffer,
        cull_mode: vk::CullModeFlags,
    ) {
        // SAFETY: valid usage of `vkCmdSetCullMode`.
        unsafe {
            calls::cmd_set_cull_mode(dispatched(command_buffer), cull_mode);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_front_face(
        command_buffer: vk::CommandBuffer,
        front_face: vk::FrontFace,
    ) {
        // SAFETY: valid usage of `vkCmdSetFrontFace`.
        unsafe {
            calls::cmd_set_front_face(dispatched(command_buffer), front_face);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_primitive_topology(
        command_buffer: vk::CommandBuffer,
        primitive_topology: vk::PrimitiveTopology,
    ) {
        // SAFETY: valid usage of `vkCmdSetPrimitiveTopology`.
        unsafe {
            calls::cmd_set_primitive_topology(dispatched(command_buffer), primitive_topology);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_viewport_with_count(
        command_buffer: vk::CommandBuffer,
        viewport_count: u32,
        p_viewports: *const vk::Viewport,
    ) {
        // SAFETY: valid usage of `vkCmdSetViewportWithCount`.
        unsafe {
            calls::cmd_set_viewport_with_count(
                dispatched(command_buffer),
                slice(p_viewports, viewport_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_scissor_with_count(
        command_buffer: vk::CommandBuffer,
        scissor_count: u32,
        p_scissors: *const vk::Rect2D,
    ) {
        // SAFETY: valid usage of `vkCmdSetScissorWithCount`.
        unsafe {
            calls::cmd_set_scissor_with_count(
                dispatched(command_buffer),
                slice(p_scissors, scissor_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_bind_vertex_buffers2(
        command_buffer: vk::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        p_buffers: *const vk::Buffer,
        p_offsets: *const vk::DeviceSize,
        p_sizes: *const vk::DeviceSize,
        p_strides: *const vk::DeviceSize,
    ) {
        // SAFETY: valid usage of `vkCmdBindVertexBuffers2`.
        unsafe {
            calls::cmd_bind_vertex_buffers2(
                dispatched(command_buffer),
                first_binding,
                slice(p_buffers, binding_count as usize),
                slice(p_offsets, binding_count as usize),
                slice(p_sizes, binding_count as usize),
                slice(p_strides, binding_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_depth_test_enable(
        command_buffer: vk::CommandBuffer,
        depth_test_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetDepthTestEnable`.
        unsafe {
            calls::cmd_set_depth_test_enable(dispatched(command_buffer), depth_test_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_depth_write_enable(
        command_buffer: vk::CommandBuffer,
        depth_write_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetDepthWriteEnable`.
        unsafe {
            calls::cmd_set_depth_write_enable(dispatched(command_buffer), depth_write_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_depth_compare_op(
        command_buffer: vk::CommandBuffer,
        depth_compare_op: vk::CompareOp,
    ) {
        // SAFETY: valid usage of `vkCmdSetDepthCompareOp`.
        unsafe {
            calls::cmd_set_depth_compare_op(dispatched(command_buffer), depth_compare_op);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_depth_bounds_test_enable(
        command_buffer: vk::CommandBuffer,
        depth_bounds_test_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetDepthBoundsTestEnable`.
        unsafe {
            calls::cmd_set_depth_bounds_test_enable(dispatched(command_buffer), depth_bounds_test_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_stencil_test_enable(
        command_buffer: vk::CommandBuffer,
        stencil_test_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetStencilTestEnable`.
        unsafe {
            calls::cmd_set_stencil_test_enable(dispatched(command_buffer), stencil_test_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_stencil_op(
        command_buffer: vk::CommandBuffer,
        face_mask: vk::StencilFaceFlags,
        fail_op: vk::StencilOp,
        pass_op: vk::StencilOp,
        depth_fail_op: vk::StencilOp,
        compare_op: vk::CompareOp,
    ) {
        // SAFETY: valid usage of `vkCmdSetStencilOp`.
        unsafe {
            calls::cmd_set_stencil_op(
                dispatched(command_buffer),
                face_mask,
                fail_op,
                pass_op,
                depth_fail_op,
                compare_op,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_rasterizer_discard_enable(
        command_buffer: vk::CommandBuffer,
        rasterizer_discard_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetRasterizerDiscardEnable`.
        unsafe {
            calls::cmd_set_rasterizer_discard_enable(dispatched(command_buffer), rasterizer_discard_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_depth_bias_enable(
        command_buffer: vk::CommandBuffer,
        depth_bias_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetDepthBiasEnable`.
        unsafe {
            calls::cmd_set_depth_bias_enable(dispatched(command_buffer), depth_bias_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_primitive_restart_enable(
        command_buffer: vk::CommandBuffer,
        primitive_restart_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetPrimitiveRestartEnable`.
        unsafe {
            calls::cmd_set_primitive_restart_enable(dispatched(command_buffer), primitive_restart_enable);
        }
    }

    pub(super) unsafe extern "system" fn map_memory2(
        device: vk::Device,
        p_memory_map_info: *const vk::MemoryMapInfoKHR<'_>,
        pp_data: *mut *const c_void,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkMapMemory2`.
        unsafe { outcome(calls::map_memory2(dispatched(device), reference(p_memory_map_info), pp_data)) }
    }

    pub(super) unsafe extern "system" fn unmap_memory2(
        device: vk::Device,
        p_memory_unmap_info: *const vk::MemoryUnmapInfoKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkUnmapMemory2`.
        unsafe { outcome(calls::unmap_memory2(dispatched(device), reference(p_memory_unmap_info))) }
    }

    pub(super) unsafe extern "system" fn get_device_image_subresource_layout(
        device: vk::Device,
        p_info: *const vk::DeviceImageSubresourceInfoKHR<'_>,
        p_layout: *mut vk::SubresourceLayout2KHR<'_>,
    ) {
        // SAFETY: valid usage of `vkGetDeviceImageSubresourceLayout`.
        unsafe {
            calls::get_device_image_subresource_layout(dispatched(device), reference(p_info), out(p_layout));
        }
    }

    pub(super) unsafe extern "system" fn get_image_subresource_layout2(
        device: vk::Device,
        image: vk::Image,
        p_subresource: *const vk::ImageSubresource2KHR<'_>,
        p_layout: *mut vk::SubresourceLayout2KHR<'_>,
    ) {
        // SAFETY: valid usage of `vkGetImageSubresourceLayout2`.
        unsafe {
            calls::get_image_subresource_layout2(
                dispatched(device),
                image,
                reference(p_subresource),
                out(p_layout),
            );
        }
    }

    pub(super) unsafe extern "system" fn copy_memory_to_image(
        device: vk::Device,
        p_copy_memory_to_image_info: *const vk::CopyMemoryToImageInfoEXT<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCopyMemoryToImage`.
        unsafe {
            outcome(calls::copy_memory_to_image(dispatched(device), reference(p_copy_memory_to_image_info)))
        }
    }

    pub(super) unsafe extern "system" fn copy_image_to_memory(
        device: vk::Device,
        p_copy_image_to_memory_info: *const vk::CopyImageToMemoryInfoEXT<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCopyImageToMemory`.
        unsafe {
            outcome(calls::copy_image_to_memory(dispatched(device), reference(p_copy_image_to_memory_info)))
        }
    }

    pub(super) unsafe extern "system" fn copy_image_to_image(
        device: vk::Device,
        p_copy_image_to_image_info: *const vk::CopyImageToImageInfoEXT<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCopyImageToImage`.
        unsafe {
            outcome(calls::copy_image_to_image(dispatched(device), reference(p_copy_image_to_image_info)))
        }
    }

    pub(super) unsafe extern "system" fn transition_image_layout(
        device: vk::Device,
        transition_count: u32,
        p_transitions: *const vk::HostImageLayoutTransitionInfoEXT<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkTransitionImageLayout`.
        unsafe {
            outcome(calls::transition_image_layout(
                dispatched(device),
                slice(p_transitions, transition_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn cmd_push_descriptor_set(
        command_buffer: vk::CommandBuffer,
        pipeline_bind_point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
        descriptor_write_count: u32,
        p_descriptor_writes: *const vk::WriteDescriptorSet<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdPushDescriptorSet`.
        unsafe {
            calls::cmd_push_descriptor_set(
                dispatched(command_buffer),
                pipeline_bind_point,
                layout,
                set,
                slice(p_descriptor_writes, descriptor_write_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_push_descriptor_set_with_template(
        command_buffer: vk::CommandBuffer,
        descriptor_update_template: vk::DescriptorUpdateTemplate,
        layout: vk::PipelineLayout,
        set: u32,
        p_data: *const c_void,
    ) {
        // SAFETY: valid usage of `vkCmdPushDescriptorSetWithTemplate`.
        unsafe {
            calls::cmd_push_descriptor_set_with_template(
                dispatched(command_buffer),
                descriptor_update_template,
                layout,
                set,
                p_data,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_bind_descriptor_sets2(
        command_buffer: vk::CommandBuffer,
        p_bind_descriptor_sets_info: *const vk::BindDescriptorSetsInfoKHR<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdBindDescriptorSets2`.
        unsafe {
            calls::cmd_bind_descriptor_sets2(
                dispatched(command_buffer),
                reference(p_bind_descriptor_sets_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_push_constants2(
        command_buffer: vk::CommandBuffer,
        p_push_constants_info: *const vk::PushConstantsInfoKHR<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdPushConstants2`.
        unsafe {
            calls::cmd_push_constants2(dispatched(command_buffer), reference(p_push_constants_info));
        }
    }

    pub(super) unsafe extern "system" fn cmd_push_descriptor_set2(
        command_buffer: vk::CommandBuffer,
        p_push_descriptor_set_info: *const vk::PushDescriptorSetInfoKHR<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdPushDescriptorSet2`.
        unsafe {
            calls::cmd_push_descriptor_set2(
                dispatched(command_buffer),
                reference(p_push_descriptor_set_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_push_descriptor_set_with_template2(
        command_buffer: vk::CommandBuffer,
        p_push_descriptor_set_with_template_info: *const vk::PushDescriptorSetWithTemplateInfoKHR<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdPushDescriptorSetWithTemplate2`.
        unsafe {
            calls::cmd_push_descriptor_set_with_template2(
                dispatched(command_buffer),
                reference(p_push_descriptor_set_with_template_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_line_stipple(
        command_buffer: vk::CommandBuffer,
        line_stipple_factor: u32,
        line_stipple_pattern: u16,
    ) {
        // SAFETY: valid usage of `vkCmdSetLineStipple`.
        unsafe {
            calls::cmd_set_line_stipple(
                dispatched(command_buffer),
                line_stipple_factor,
                line_stipple_pattern,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_bind_index_buffer2(
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        index_type: vk::IndexType,
    ) {
        // SAFETY: valid usage of `vkCmdBindIndexBuffer2`.
        unsafe {
            calls::cmd_bind_index_buffer2(dispatched(command_buffer), buffer, offset, size, index_type);
        }
    }

    pub(super) unsafe extern "system" fn get_rendering_area_granularity(
        device: vk::Device,
        p_rendering_area_info: *const vk::RenderingAreaInfoKHR<'_>,
        p_granularity: *mut vk::Extent2D,
    ) {
        // SAFETY: valid usage of `vkGetRenderingAreaGranularity`.
        unsafe {
            calls::get_rendering_area_granularity(
                dispatched(device),
                reference(p_rendering_area_info),
                out(p_granularity),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_rendering_attachment_locations(
        command_buffer: vk::CommandBuffer,
        p_location_info: *const vk::RenderingAttachmentLocationInfoKHR<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdSetRenderingAttachmentLocations`.
        unsafe {
            calls::cmd_set_rendering_attachment_locations(
                dispatched(command_buffer),
                reference(p_location_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_rendering_input_attachment_indices(
        command_buffer: vk::CommandBuffer,
        p_input_attachment_index_info: *const vk::RenderingInputAttachmentIndexInfoKHR<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdSetRenderingInputAttachmentIndices`.
        unsafe {
            calls::cmd_set_rendering_input_attachment_indices(
                dispatched(command_buffer),
                reference(p_input_attachment_index_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn destroy_surface_khr(
        instance: vk::Instance,
        surface: vk::SurfaceKHR,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroySurfaceKHR`.
        unsafe {
            calls::destroy_surface_khr(dispatched(instance), surface);
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_surface_support_khr(
        physical_device: vk::PhysicalDevice,
        queue_family_index: u32,
        surface: vk::SurfaceKHR,
        p_supported: *mut vk::Bool32,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDeviceSurfaceSupportKHR`.
        unsafe {
            outcome(calls::get_physical_device_surface_support_khr(
                dispatched(physical_device),
                queue_family_index,
                surface,
                out(p_supported),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_surface_capabilities_khr(
        physical_device: vk::PhysicalDevice,
        surface: vk::SurfaceKHR,
        p_surface_capabilities: *mut vk::SurfaceCapabilitiesKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDeviceSurfaceCapabilitiesKHR`.
        unsafe {
            outcome(calls::get_physical_device_surface_capabilities_khr(
                dispatched(physical_device),
                surface,
                out(p_surface_capabilities),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_surface_formats_khr(
        physical_device: vk::PhysicalDevice,
        surface: vk::SurfaceKHR,
        p_surface_format_count: *mut u32,
        p_surface_formats: *mut vk::SurfaceFormatKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDeviceSurfaceFormatsKHR`.
        unsafe {
            outcome(calls::get_physical_device_surface_formats_khr(
                dispatched(physical_device),
                surface,
                Fill::new(p_surface_format_count, p_surface_formats),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_surface_present_modes_khr(
        physical_device: vk::PhysicalDevice,
        surface: vk::SurfaceKHR,
        p_present_mode_count: *mut u32,
        p_present_modes: *mut vk::PresentModeKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDeviceSurfacePresentModesKHR`.
        unsafe {
            outcome(calls::get_physical_device_surface_present_modes_khr(
                dispatched(physical_device),
                surface,
                Fill::new(p_present_mode_count, p_present_modes),
            ))
        }
    }

    pub(super) unsafe extern "system" fn create_swapchain_khr(
        device: vk::Device,
        p_create_info: *const vk::SwapchainCreateInfoKHR<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_swapchain: *mut vk::SwapchainKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateSwapchainKHR`.
        unsafe {
            outcome(calls::create_swapchain_khr(
                dispatched(device),
                reference(p_create_info),
                out(p_swapchain),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_swapchain_khr(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroySwapchainKHR`.
        unsafe {
            calls::destroy_swapchain_khr(dispatched(device), swapchain);
        }
    }

    pub(super) unsafe extern "system" fn get_swapchain_images_khr(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        p_swapchain_image_count: *mut u32,
        p_swapchain_images: *mut vk::Image,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetSwapchainImagesKHR`.
        unsafe {
            outcome(calls::get_swapchain_images_khr(
                dispatched(device),
                swapchain,
                Fill::new(p_swapchain_image_count, p_swapchain_images),
            ))
        }
    }

    pub(super) unsafe extern "system" fn acquire_next_image_khr(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        timeout: u64,
        semaphore: vk::Semaphore,
        fence: vk::Fence,
        p_image_index: *mut u32,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkAcquireNextImageKHR`.
        unsafe {
            outcome(calls::acquire_next_image_khr(
                dispatched(device),
                swapchain,
                timeout,
                semaphore,
                fence,
                out(p_image_index),
            ))
        }
    }

    pub(super) unsafe extern "system" fn queue_present_khr(
        queue: vk::Queue,
        p_present_info: *const vk::PresentInfoKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkQueuePresentKHR`.
        unsafe { outcome(calls::queue_present_khr(dispatched(queue), reference(p_present_info))) }
    }

    pub(super) unsafe extern "system" fn get_device_group_present_capabilities_khr(
        device: vk::Device,
        p_device_group_present_capabilities: *mut vk::DeviceGroupPresentCapabilitiesKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetDeviceGroupPresentCapabilitiesKHR`.
        unsafe {
            outcome(calls::get_device_group_present_capabilities_khr(
                dispatched(device),
                out(p_device_group_present_capabilities),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_device_group_surface_present_modes_khr(
        device: vk::Device,
        surface: vk::SurfaceKHR,
        p_modes: *mut vk::DeviceGroupPresentModeFlagsKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetDeviceGroupSurfacePresentModesKHR`.
        unsafe {
            outcome(calls::get_device_group_surface_present_modes_khr(
                dispatched(device),
                surface,
                out(p_modes),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_present_rectangles_khr(
        physical_device: vk::PhysicalDevice,
        surface: vk::SurfaceKHR,
        p_rect_count: *mut u32,
        p_rects: *mut vk::Rect2D,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDevicePresentRectanglesKHR`.
        unsafe {
            outcome(calls::get_physical_device_present_rectangles_khr(
                dispatched(physical_device),
                surface,
                Fill::new(p_rect_count, p_rects),
            ))
        }
    }

    pub(super) unsafe extern "system" fn acquire_next_image2_khr(
        device: vk::Device,
        p_acquire_info: *const vk::AcquireNextImageInfoKHR<'_>,
        p_image_index: *mut u32,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkAcquireNextImage2KHR`.
        unsafe {
            outcome(calls::acquire_next_image2_khr(
                dispatched(device),
                reference(p_acquire_info),
                out(p_image_index),
            ))
        }
    }

    pub(super) unsafe extern "system" fn create_xlib_surface_khr(
        instance: vk::Instance,
        p_create_info: *const vk::XlibSurfaceCreateInfoKHR<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_surface: *mut vk::SurfaceKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateXlibSurfaceKHR`.
        unsafe {
            outcome(calls::create_xlib_surface_khr(
                dispatched(instance),
                reference(p_create_info),
                out(p_surface),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_xlib_presentation_support_khr(
        physical_device: vk::PhysicalDevice,
        queue_family_index: u32,
        dpy: *mut vk::Display,
        visual_id: vk::VisualID,
    ) -> vk::Bool32 {
        // SAFETY: valid usage of `vkGetPhysicalDeviceXlibPresentationSupportKHR`.
        unsafe {
            calls::get_physical_device_xlib_presentation_support_khr(
                dispatched(physical_device),
                queue_family_index,
                dpy,
                visual_id,
            )
        }
    }

    pub(super) unsafe extern "system" fn create_xcb_surface_khr(
        instance: vk::Instance,
        p_create_info: *const vk::XcbSurfaceCreateInfoKHR<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_surface: *mut vk::SurfaceKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateXcbSurfaceKHR`.
        unsafe {
            outcome(calls::create_xcb_surface_khr(
                dispatched(instance),
                reference(p_create_info),
                out(p_surface),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_xcb_presentation_support_khr(
        physical_device: vk::PhysicalDevice,
        queue_family_index: u32,
        connection: *mut vk::xcb_connection_t,
        visual_id: vk::xcb_visualid_t,
    ) -> vk::Bool32 {
        // SAFETY: valid usage of `vkGetPhysicalDeviceXcbPresentationSupportKHR`.
        unsafe {
            calls::get_physical_device_xcb_presentation_support_khr(
                dispatched(physical_device),
                queue_family_index,
                connection,
                visual_id,
            )
        }
    }

    pub(super) unsafe extern "system" fn create_wayland_surface_khr(
        instance: vk::Instance,
        p_create_info: *const vk::WaylandSurfaceCreateInfoKHR<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_surface: *mut vk::SurfaceKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateWaylandSurfaceKHR`.
        unsafe {
            outcome(calls::create_wayland_surface_khr(
                dispatched(instance),
                reference(p_create_info),
                out(p_surface),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_wayland_presentation_support_khr(
        physical_device: vk::PhysicalDevice,
        queue_family_index: u32,
        display: *mut vk::wl_display,
    ) -> vk::Bool32 {
        // SAFETY: valid usage of `vkGetPhysicalDeviceWaylandPresentationSupportKHR`.
        unsafe {
            calls::get_physical_device_wayland_presentation_support_khr(
                dispatched(physical_device),
                queue_family_index,
                display,
            )
        }
    }

    pub(super) unsafe extern "system" fn cmd_bind_transform_feedback_buffers_ext(
        command_buffer: vk::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        p_buffers: *const vk::Buffer,
        p_offsets: *const vk::DeviceSize,
        p_sizes: *const vk::DeviceSize,
    ) {
        // SAFETY: valid usage of `vkCmdBindTransformFeedbackBuffersEXT`.
        unsafe {
            calls::cmd_bind_transform_feedback_buffers_ext(
                dispatched(command_buffer),
                first_binding,
                slice(p_buffers, binding_count as usize),
                slice(p_offsets, binding_count as usize),
                slice(p_sizes, binding_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_begin_transform_feedback_ext(
        command_buffer: vk::CommandBuffer,
        first_counter_buffer: u32,
        counter_buffer_count: u32,
        p_counter_buffers: *const vk::Buffer,
        p_counter_buffer_offsets: *const vk::DeviceSize,
    ) {
        // SAFETY: valid usage of `vkCmdBeginTransformFeedbackEXT`.
        unsafe {
            calls::cmd_begin_transform_feedback_ext(
                dispatched(command_buffer),
                first_counter_buffer,
                slice(p_counter_buffers, counter_buffer_count as usize),
                slice(p_counter_buffer_offsets, counter_buffer_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_end_transform_feedback_ext(
        command_buffer: vk::CommandBuffer,
        first_counter_buffer: u32,
        counter_buffer_count: u32,
        p_counter_buffers: *const vk::Buffer,
        p_counter_buffer_offsets: *const vk::DeviceSize,
    ) {
        // SAFETY: valid usage of `vkCmdEndTransformFeedbackEXT`.
        unsafe {
            calls::cmd_end_transform_feedback_ext(
                dispatched(command_buffer),
                first_counter_buffer,
                slice(p_counter_buffers, counter_buffer_count as usize),
                slice(p_counter_buffer_offsets, counter_buffer_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_begin_query_indexed_ext(
        command_buffer: vk::CommandBuffer,
        query_pool: vk::QueryPool,
        query: u32,
        flags: vk::QueryControlFlags,
        index: u32,
    ) {
        // SAFETY: valid usage of `vkCmdBeginQueryIndexedEXT`.
        unsafe {
            calls::cmd_begin_query_indexed_ext(dispatched(command_buffer), query_pool, query, flags, index);
        }
    }

    pub(super) unsafe extern "system" fn cmd_end_query_indexed_ext(
        command_buffer: vk::CommandBuffer,
        query_pool: vk::QueryPool,
        query: u32,
        index: u32,
    ) {
        // SAFETY: valid usage of `vkCmdEndQueryIndexedEXT`.
        unsafe {
            calls::cmd_end_query_indexed_ext(dispatched(command_buffer), query_pool, query, index);
        }
    }

    pub(super) unsafe extern "system" fn cmd_draw_indirect_byte_count_ext(
        command_buffer: vk::CommandBuffer,
        instance_count: u32,
        first_instance: u32,
        counter_buffer: vk::Buffer,
        counter_buffer_offset: vk::DeviceSize,
        counter_offset: u32,
        vertex_stride: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDrawIndirectByteCountEXT`.
        unsafe {
            calls::cmd_draw_indirect_byte_count_ext(
                dispatched(command_buffer),
                instance_count,
                first_instance,
                counter_buffer,
                counter_buffer_offset,
                counter_offset,
                vertex_stride,
            );
        }
    }

    pub(super) unsafe extern "system" fn get_memory_fd_khr(
        device: vk::Device,
        p_get_fd_info: *const vk::MemoryGetFdInfoKHR<'_>,
        p_fd: *mut i32,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetMemoryFdKHR`.
        unsafe { outcome(calls::get_memory_fd_khr(dispatched(device), reference(p_get_fd_info), out(p_fd))) }
    }

    pub(super) unsafe extern "system" fn get_memory_fd_properties_khr(
        device: vk::Device,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
        fd: i32,
        p_memory_fd_properties: *mut vk::MemoryFdPropertiesKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetMemoryFdPropertiesKHR`.
        unsafe {
            outcome(calls::get_memory_fd_properties_khr(
                dispatched(device),
                handle_type,
                fd,
                out(p_memory_fd_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn import_semaphore_fd_khr(
        device: vk::Device,
        p_import_semaphore_fd_info: *const vk::ImportSemaphoreFdInfoKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkImportSemaphoreFdKHR`.
        unsafe {
            outcome(calls::import_semaphore_fd_khr(dispatched(device), reference(p_import_semaphore_fd_info)))
        }
    }

    pub(super) unsafe extern "system" fn get_semaphore_fd_khr(
        device: vk::Device,
        p_get_fd_info: *const vk::SemaphoreGetFdInfoKHR<'_>,
        p_fd: *mut i32,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetSemaphoreFdKHR`.
        unsafe {
            outcome(calls::get_semaphore_fd_khr(dispatched(device), reference(p_get_fd_info), out(p_fd)))
        }
    }

    pub(super) unsafe extern "system" fn cmd_begin_conditional_rendering_ext(
        command_buffer: vk::CommandBuffer,
        p_conditional_rendering_begin: *const vk::ConditionalRenderingBeginInfoEXT<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdBeginConditionalRenderingEXT`.
        unsafe {
            calls::cmd_begin_conditional_rendering_ext(
                dispatched(command_buffer),
                reference(p_conditional_rendering_begin),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_end_conditional_rendering_ext(
        command_buffer: vk::CommandBuffer,
    ) {
        // SAFETY: valid usage of `vkCmdEndConditionalRenderingEXT`.
        unsafe {
            calls::cmd_end_conditional_rendering_ext(dispatched(command_buffer));
        }
    }

    pub(super) unsafe extern "system" fn import_fence_fd_khr(
        device: vk::Device,
        p_import_fence_fd_info: *const vk::ImportFenceFdInfoKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkImportFenceFdKHR`.
        unsafe { outcome(calls::import_fence_fd_khr(dispatched(device), reference(p_import_fence_fd_info))) }
    }

    pub(super) unsafe extern "system" fn get_fence_fd_khr(
        device: vk::Device,
        p_get_fd_info: *const vk::FenceGetFdInfoKHR<'_>,
        p_fd: *mut i32,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetFenceFdKHR`.
        unsafe { outcome(calls::get_fence_fd_khr(dispatched(device), reference(p_get_fd_info), out(p_fd))) }
    }

    pub(super) unsafe extern "system" fn get_physical_device_surface_capabilities2_khr(
        physical_device: vk::PhysicalDevice,
        p_surface_info: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
        p_surface_capabilities: *mut vk::SurfaceCapabilities2KHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDeviceSurfaceCapabilities2KHR`.
        unsafe {
            outcome(calls::get_physical_device_surface_capabilities2_khr(
                dispatched(physical_device),
                reference(p_surface_info),
                out(p_surface_capabilities),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_surface_formats2_khr(
        physical_device: vk::PhysicalDevice,
        p_surface_info: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
        p_surface_format_count: *mut u32,
        p_surface_formats: *mut vk::SurfaceFormat2KHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDeviceSurfaceFormats2KHR`.
        unsafe {
            outcome(calls::get_physical_device_surface_formats2_khr(
                dispatched(physical_device),
                reference(p_surface_info),
                Fill::new(p_surface_format_count, p_surface_formats),
            ))
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_sample_locations_ext(
        command_buffer: vk::CommandBuffer,
        p_sample_locations_info: *const vk::SampleLocationsInfoEXT<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdSetSampleLocationsEXT`.
        unsafe {
            calls::cmd_set_sample_locations_ext(
                dispatched(command_buffer),
                reference(p_sample_locations_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_multisample_properties_ext(
        physical_device: vk::PhysicalDevice,
        samples: vk::SampleCountFlags,
        p_multisample_properties: *mut vk::MultisamplePropertiesEXT<'_>,
    ) {
        // SAFETY: valid usage of `vkGetPhysicalDeviceMultisamplePropertiesEXT`.
        unsafe {
            calls::get_physical_device_multisample_properties_ext(
                dispatched(physical_device),
                samples,
                out(p_multisample_properties),
            );
        }
    }

    pub(super) unsafe extern "system" fn create_acceleration_structure_khr(
        device: vk::Device,
        p_create_info: *const vk::AccelerationStructureCreateInfoKHR<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_acceleration_structure: *mut vk::AccelerationStructureKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateAccelerationStructureKHR`.
        unsafe {
            outcome(calls::create_acceleration_structure_khr(
                dispatched(device),
                reference(p_create_info),
                out(p_acceleration_structure),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_acceleration_structure_khr(
        device: vk::Device,
        acceleration_structure: vk::AccelerationStructureKHR,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyAccelerationStructureKHR`.
        unsafe {
            calls::destroy_acceleration_structure_khr(dispatched(device), acceleration_structure);
        }
    }

    pub(super) unsafe extern "system" fn cmd_build_acceleration_structures_khr(
        command_buffer: vk::CommandBuffer,
        info_count: u32,
        p_infos: *const vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
        pp_build_range_infos: *const *const vk::AccelerationStructureBuildRangeInfoKHR,
    ) {
        // SAFETY: valid usage of `vkCmdBuildAccelerationStructuresKHR`.
        unsafe {
            calls::cmd_build_acceleration_structures_khr(
                dispatched(command_buffer),
                slice(p_infos, info_count as usize),
                slice(pp_build_range_infos, info_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_build_acceleration_structures_indirect_khr(
        command_buffer: vk::CommandBuffer,
        info_count: u32,
        p_infos: *const vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
        p_indirect_device_addresses: *const vk::DeviceAddress,
        p_indirect_strides: *const u32,
        pp_max_primitive_counts: *const *const u32,
    ) {
        // SAFETY: valid usage of `vkCmdBuildAccelerationStructuresIndirectKHR`.
        unsafe {
            calls::cmd_build_acceleration_structures_indirect_khr(
                dispatched(command_buffer),
                slice(p_infos, info_count as usize),
                slice(p_indirect_device_addresses, info_count as usize),
                slice(p_indirect_strides, info_count as usize),
                slice(pp_max_primitive_counts, info_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn build_acceleration_structures_khr(
        device: vk::Device,
        deferred_operation: vk::DeferredOperationKHR,
        info_count: u32,
        p_infos: *const vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
        pp_build_range_infos: *const *const vk::AccelerationStructureBuildRangeInfoKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkBuildAccelerationStructuresKHR`.
        unsafe {
            outcome(calls::build_acceleration_structures_khr(
                dispatched(device),
                deferred_operation,
                slice(p_infos, info_count as usize),
                slice(pp_build_range_infos, info_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn copy_acceleration_structure_khr(
        device: vk::Device,
        deferred_operation: vk::DeferredOperationKHR,
        p_info: *const vk::CopyAccelerationStructureInfoKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCopyAccelerationStructureKHR`.
        unsafe {
            outcome(calls::copy_acceleration_structure_khr(
                dispatched(device),
                deferred_operation,
                reference(p_info),
            ))
        }
    }

    pub(super) unsafe extern "system" fn copy_acceleration_structure_to_memory_khr(
        device: vk::Device,
        deferred_operation: vk::DeferredOperationKHR,
        p_info: *const vk::CopyAccelerationStructureToMemoryInfoKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCopyAccelerationStructureToMemoryKHR`.
        unsafe {
            outcome(calls::copy_acceleration_structure_to_memory_khr(
                dispatched(device),
                deferred_operation,
                reference(p_info),
            ))
        }
    }

    pub(super) unsafe extern "system" fn copy_memory_to_acceleration_structure_khr(
        device: vk::Device,
        deferred_operation: vk::DeferredOperationKHR,
        p_info: *const vk::CopyMemoryToAccelerationStructureInfoKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCopyMemoryToAccelerationStructureKHR`.
        unsafe {
            outcome(calls::copy_memory_to_acceleration_structure_khr(
                dispatched(device),
                deferred_operation,
                reference(p_info),
            ))
        }
    }

    pub(super) unsafe extern "system" fn write_acceleration_structures_properties_khr(
        device: vk::Device,
        acceleration_structure_count: u32,
        p_acceleration_structures: *const vk::AccelerationStructureKHR,
        query_type: vk::QueryType,
        data_size: usize,
        p_data: *mut c_void,
        stride: usize,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkWriteAccelerationStructuresPropertiesKHR`.
        unsafe {
            outcome(calls::write_acceleration_structures_properties_khr(
                dispatched(device),
                slice(p_acceleration_structures, acceleration_structure_count as usize),
                query_type,
                data_size,
                slice_mut(p_data.cast::<u8>(), data_size as usize),
                stride,
            ))
        }
    }

    pub(super) unsafe extern "system" fn cmd_copy_acceleration_structure_khr(
        command_buffer: vk::CommandBuffer,
        p_info: *const vk::CopyAccelerationStructureInfoKHR<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdCopyAccelerationStructureKHR`.
        unsafe {
            calls::cmd_copy_acceleration_structure_khr(dispatched(command_buffer), reference(p_info));
        }
    }

    pub(super) unsafe extern "system" fn cmd_copy_acceleration_structure_to_memory_khr(
        command_buffer: vk::CommandBuffer,
        p_info: *const vk::CopyAccelerationStructureToMemoryInfoKHR<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdCopyAccelerationStructureToMemoryKHR`.
        unsafe {
            calls::cmd_copy_acceleration_structure_to_memory_khr(
                dispatched(command_buffer),
                reference(p_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_copy_memory_to_acceleration_structure_khr(
        command_buffer: vk::CommandBuffer,
        p_info: *const vk::CopyMemoryToAccelerationStructureInfoKHR<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdCopyMemoryToAccelerationStructureKHR`.
        unsafe {
            calls::cmd_copy_memory_to_acceleration_structure_khr(
                dispatched(command_buffer),
                reference(p_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_acceleration_structure_device_address_khr(
        device: vk::Device,
        p_info: *const vk::AccelerationStructureDeviceAddressInfoKHR<'_>,
    ) -> vk::DeviceAddress {
        // SAFETY: valid usage of `vkGetAccelerationStructureDeviceAddressKHR`.
        unsafe { calls::get_acceleration_structure_device_address_khr(dispatched(device), reference(p_info)) }
    }

    pub(super) unsafe extern "system" fn cmd_write_acceleration_structures_properties_khr(
        command_buffer: vk::CommandBuffer,
        acceleration_structure_count: u32,
        p_acceleration_structures: *const vk::AccelerationStructureKHR,
        query_type: vk::QueryType,
        query_pool: vk::QueryPool,
        first_query: u32,
    ) {
        // SAFETY: valid usage of `vkCmdWriteAccelerationStructuresPropertiesKHR`.
        unsafe {
            calls::cmd_write_acceleration_structures_properties_khr(
                dispatched(command_buffer),
                slice(p_acceleration_structures, acceleration_structure_count as usize),
                query_type,
                query_pool,
                first_query,
            );
        }
    }

    pub(super) unsafe extern "system" fn get_device_acceleration_structure_compatibility_khr(
        device: vk::Device,
        p_version_info: *const vk::AccelerationStructureVersionInfoKHR<'_>,
        p_compatibility: *mut vk::AccelerationStructureCompatibilityKHR,
    ) {
        // SAFETY: valid usage of `vkGetDeviceAccelerationStructureCompatibilityKHR`.
        unsafe {
            calls::get_device_acceleration_structure_compatibility_khr(
                dispatched(device),
                reference(p_version_info),
                out(p_compatibility),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_acceleration_structure_build_sizes_khr(
        device: vk::Device,
        build_type: vk::AccelerationStructureBuildTypeKHR,
        p_build_info: *const vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
        p_max_primitive_counts: *const u32,
        p_size_info: *mut vk::AccelerationStructureBuildSizesInfoKHR<'_>,
    ) {
        // SAFETY: valid usage of `vkGetAccelerationStructureBuildSizesKHR`.
        unsafe {
            calls::get_acceleration_structure_build_sizes_khr(
                dispatched(device),
                build_type,
                reference(p_build_info),
                slice(p_max_primitive_counts, reference(p_build_info).geometry_count as usize),
                out(p_size_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn get_image_drm_format_modifier_properties_ext(
        device: vk::Device,
        image: vk::Image,
        p_properties: *mut vk::ImageDrmFormatModifierPropertiesEXT<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetImageDrmFormatModifierPropertiesEXT`.
        unsafe {
            outcome(calls::get_image_drm_format_modifier_properties_ext(
                dispatched(device),
                image,
                out(p_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn set_swapchain_present_timing_queue_size_ext(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        size: u32,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkSetSwapchainPresentTimingQueueSizeEXT`.
        unsafe {
            outcome(calls::set_swapchain_present_timing_queue_size_ext(dispatched(device), swapchain, size))
        }
    }

    pub(super) unsafe extern "system" fn get_swapchain_timing_properties_ext(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        p_swapchain_timing_properties: *mut newer::SwapchainTimingProperties,
        p_swapchain_timing_properties_counter: *mut u64,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetSwapchainTimingPropertiesEXT`.
        unsafe {
            outcome(calls::get_swapchain_timing_properties_ext(
                dispatched(device),
                swapchain,
                out(p_swapchain_timing_properties),
                p_swapchain_timing_properties_counter.as_mut(),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_swapchain_time_domain_properties_ext(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        p_swapchain_time_domain_properties: *mut newer::SwapchainTimeDomainProperties,
        p_time_domains_counter: *mut u64,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetSwapchainTimeDomainPropertiesEXT`.
        unsafe {
            outcome(calls::get_swapchain_time_domain_properties_ext(
                dispatched(device),
                swapchain,
                out(p_swapchain_time_domain_properties),
                p_time_domains_counter.as_mut(),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_past_presentation_timing_ext(
        device: vk::Device,
        p_past_presentation_timing_info: *const newer::PastPresentationTimingInfo,
        p_past_presentation_timing_properties: *mut newer::PastPresentationTimingProperties,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPastPresentationTimingEXT`.
        unsafe {
            outcome(calls::get_past_presentation_timing_ext(
                dispatched(device),
                reference(p_past_presentation_timing_info),
                out(p_past_presentation_timing_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn wait_for_present_khr(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        present_id: u64,
        timeout: u64,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkWaitForPresentKHR`.
        unsafe { outcome(calls::wait_for_present_khr(dispatched(device), swapchain, present_id, timeout)) }
    }

    pub(super) unsafe extern "system" fn create_headless_surface_ext(
        instance: vk::Instance,
        p_create_info: *const vk::HeadlessSurfaceCreateInfoEXT<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_surface: *mut vk::SurfaceKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateHeadlessSurfaceEXT`.
        unsafe {
            outcome(calls::create_headless_surface_ext(
                dispatched(instance),
                reference(p_create_info),
                out(p_surface),
            ))
        }
    }

    pub(super) unsafe extern "system" fn create_deferred_operation_khr(
        device: vk::Device,
        _: *const vk::AllocationCallbacks<'_>,
        p_deferred_operation: *mut vk::DeferredOperationKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateDeferredOperationKHR`.
        unsafe {
            outcome(calls::create_deferred_operation_khr(dispatched(device), out(p_deferred_operation)))
        }
    }

    pub(super) unsafe extern "system" fn destroy_deferred_operation_khr(
        device: vk::Device,
        operation: vk::DeferredOperationKHR,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyDeferredOperationKHR`.
        unsafe {
            calls::destroy_deferred_operation_khr(dispatched(device), operation);
        }
    }

    pub(super) unsafe extern "system" fn get_deferred_operation_max_concurrency_khr(
        device: vk::Device,
        operation: vk::DeferredOperationKHR,
    ) -> u32 {
        // SAFETY: valid usage of `vkGetDeferredOperationMaxConcurrencyKHR`.
        unsafe { calls::get_deferred_operation_max_concurrency_khr(dispatched(device), operation) }
    }

    pub(super) unsafe extern "system" fn get_deferred_operation_result_khr(
        device: vk::Device,
        operation: vk::DeferredOperationKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetDeferredOperationResultKHR`.
        unsafe { outcome(calls::get_deferred_operation_result_khr(dispatched(device), operation)) }
    }

    pub(super) unsafe extern "system" fn deferred_operation_join_khr(
        device: vk::Device,
        operation: vk::DeferredOperationKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkDeferredOperationJoinKHR`.
        unsafe { outcome(calls::deferred_operation_join_khr(dispatched(device), operation)) }
    }

    pub(super) unsafe extern "system" fn get_pipeline_executable_properties_khr(
        device: vk::Device,
        p_pipeline_info: *const vk::PipelineInfoKHR<'_>,
        p_executable_count: *mut u32,
        p_properties: *mut vk::PipelineExecutablePropertiesKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPipelineExecutablePropertiesKHR`.
        unsafe {
            outcome(calls::get_pipeline_executable_properties_khr(
                dispatched(device),
                reference(p_pipeline_info),
                Fill::new(p_executable_count, p_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_pipeline_executable_statistics_khr(
        device: vk::Device,
        p_executable_info: *const vk::PipelineExecutableInfoKHR<'_>,
        p_statistic_count: *mut u32,
        p_statistics: *mut vk::PipelineExecutableStatisticKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPipelineExecutableStatisticsKHR`.
        unsafe {
            outcome(calls::get_pipeline_executable_statistics_khr(
                dispatched(device),
                reference(p_executable_info),
                Fill::new(p_statistic_count, p_statistics),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_pipeline_executable_internal_representations_khr(
        device: vk::Device,
        p_executable_info: *const vk::PipelineExecutableInfoKHR<'_>,
        p_internal_representation_count: *mut u32,
        p_internal_representations: *mut vk::PipelineExecutableInternalRepresentationKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPipelineExecutableInternalRepresentationsKHR`.
        unsafe {
            outcome(calls::get_pipeline_executable_internal_representations_khr(
                dispatched(device),
                reference(p_executable_info),
                Fill::new(p_internal_representation_count, p_internal_representations),
            ))
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_depth_bias2_ext(
        command_buffer: vk::CommandBuffer,
        p_depth_bias_info: *const vk::DepthBiasInfoEXT<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdSetDepthBias2EXT`.
        unsafe {
            calls::cmd_set_depth_bias2_ext(dispatched(command_buffer), reference(p_depth_bias_info));
        }
    }

    pub(super) unsafe extern "system" fn cmd_draw_mesh_tasks_ext(
        command_buffer: vk::CommandBuffer,
        group_count_x: u32,
        group_count_y: u32,
        group_count_z: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDrawMeshTasksEXT`.
        unsafe {
            calls::cmd_draw_mesh_tasks_ext(
                dispatched(command_buffer),
                group_count_x,
                group_count_y,
                group_count_z,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_draw_mesh_tasks_indirect_ext(
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        draw_count: u32,
        stride: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDrawMeshTasksIndirectEXT`.
        unsafe {
            calls::cmd_draw_mesh_tasks_indirect_ext(
                dispatched(command_buffer),
                buffer,
                offset,
                draw_count,
                stride,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_draw_mesh_tasks_indirect_count_ext(
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count_buffer: vk::Buffer,
        count_buffer_offset: vk::DeviceSize,
        max_draw_count: u32,
        stride: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDrawMeshTasksIndirectCountEXT`.
        unsafe {
            calls::cmd_draw_mesh_tasks_indirect_count_ext(
                dispatched(command_buffer),
                buffer,
                offset,
                count_buffer,
                count_buffer_offset,
                max_draw_count,
                stride,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_vertex_input_ext(
        command_buffer: vk::CommandBuffer,
        vertex_binding_description_count: u32,
        p_vertex_binding_descriptions: *const vk::VertexInputBindingDescription2EXT<'_>,
        vertex_attribute_description_count: u32,
        p_vertex_attribute_descriptions: *const vk::VertexInputAttributeDescription2EXT<'_>,
    ) {
        // SAFETY: valid usage of `vkCmdSetVertexInputEXT`.
        unsafe {
            calls::cmd_set_vertex_input_ext(
                dispatched(command_buffer),
                slice(p_vertex_binding_descriptions, vertex_binding_description_count as usize),
                slice(p_vertex_attribute_descriptions, vertex_attribute_description_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_patch_control_points_ext(
        command_buffer: vk::CommandBuffer,
        patch_control_points: u32,
    ) {
        // SAFETY: valid usage of `vkCmdSetPatchControlPointsEXT`.
        unsafe {
            calls::cmd_set_patch_control_points_ext(dispatched(command_buffer), patch_control_points);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_logic_op_ext(
        command_buffer: vk::CommandBuffer,
        logic_op: vk::LogicOp,
    ) {
        // SAFETY: valid usage of `vkCmdSetLogicOpEXT`.
        unsafe {
            calls::cmd_set_logic_op_ext(dispatched(command_buffer), logic_op);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_color_write_enable_ext(
        command_buffer: vk::CommandBuffer,
        attachment_count: u32,
        p_color_write_enables: *const vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetColorWriteEnableEXT`.
        unsafe {
            calls::cmd_set_color_write_enable_ext(
                dispatched(command_buffer),
                slice(p_color_write_enables, attachment_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_draw_multi_ext(
        command_buffer: vk::CommandBuffer,
        draw_count: u32,
        p_vertex_info: *const vk::MultiDrawInfoEXT,
        instance_count: u32,
        first_instance: u32,
        stride: u32,
    ) {
        // SAFETY: valid usage of `vkCmdDrawMultiEXT`.
        unsafe {
            calls::cmd_draw_multi_ext(
                dispatched(command_buffer),
                strided(p_vertex_info, draw_count as usize, stride as usize),
                instance_count,
                first_instance,
                stride,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_draw_multi_indexed_ext(
        command_buffer: vk::CommandBuffer,
        draw_count: u32,
        p_index_info: *const vk::MultiDrawIndexedInfoEXT,
        instance_count: u32,
        first_instance: u32,
        stride: u32,
        p_vertex_offset: *const i32,
    ) {
        // SAFETY: valid usage of `vkCmdDrawMultiIndexedEXT`.
        unsafe {
            calls::cmd_draw_multi_indexed_ext(
                dispatched(command_buffer),
                strided(p_index_info, draw_count as usize, stride as usize),
                instance_count,
                first_instance,
                stride,
                p_vertex_offset.as_ref(),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_depth_clamp_enable_ext(
        command_buffer: vk::CommandBuffer,
        depth_clamp_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetDepthClampEnableEXT`.
        unsafe {
            calls::cmd_set_depth_clamp_enable_ext(dispatched(command_buffer), depth_clamp_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_polygon_mode_ext(
        command_buffer: vk::CommandBuffer,
        polygon_mode: vk::PolygonMode,
    ) {
        // SAFETY: valid usage of `vkCmdSetPolygonModeEXT`.
        unsafe {
            calls::cmd_set_polygon_mode_ext(dispatched(command_buffer), polygon_mode);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_rasterization_samples_ext(
        command_buffer: vk::CommandBuffer,
        rasterization_samples: vk::SampleCountFlags,
    ) {
        // SAFETY: valid usage of `vkCmdSetRasterizationSamplesEXT`.
        unsafe {
            calls::cmd_set_rasterization_samples_ext(dispatched(command_buffer), rasterization_samples);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_sample_mask_ext(
        command_buffer: vk::CommandBuffer,
        samples: vk::SampleCountFlags,
        p_sample_mask: *const vk::SampleMask,
    ) {
        // SAFETY: valid usage of `vkCmdSetSampleMaskEXT`.
        unsafe {
            calls::cmd_set_sample_mask_ext(dispatched(command_buffer), samples, p_sample_mask);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_alpha_to_coverage_enable_ext(
        command_buffer: vk::CommandBuffer,
        alpha_to_coverage_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetAlphaToCoverageEnableEXT`.
        unsafe {
            calls::cmd_set_alpha_to_coverage_enable_ext(dispatched(command_buffer), alpha_to_coverage_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_alpha_to_one_enable_ext(
        command_buffer: vk::CommandBuffer,
        alpha_to_one_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetAlphaToOneEnableEXT`.
        unsafe {
            calls::cmd_set_alpha_to_one_enable_ext(dispatched(command_buffer), alpha_to_one_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_logic_op_enable_ext(
        command_buffer: vk::CommandBuffer,
        logic_op_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetLogicOpEnableEXT`.
        unsafe {
            calls::cmd_set_logic_op_enable_ext(dispatched(command_buffer), logic_op_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_color_blend_enable_ext(
        command_buffer: vk::CommandBuffer,
        first_attachment: u32,
        attachment_count: u32,
        p_color_blend_enables: *const vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetColorBlendEnableEXT`.
        unsafe {
            calls::cmd_set_color_blend_enable_ext(
                dispatched(command_buffer),
                first_attachment,
                slice(p_color_blend_enables, attachment_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_color_blend_equation_ext(
        command_buffer: vk::CommandBuffer,
        first_attachment: u32,
        attachment_count: u32,
        p_color_blend_equations: *const vk::ColorBlendEquationEXT,
    ) {
        // SAFETY: valid usage of `vkCmdSetColorBlendEquationEXT`.
        unsafe {
            calls::cmd_set_color_blend_equation_ext(
                dispatched(command_buffer),
                first_attachment,
                slice(p_color_blend_equations, attachment_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_color_write_mask_ext(
        command_buffer: vk::CommandBuffer,
        first_attachment: u32,
        attachment_count: u32,
        p_color_write_masks: *const vk::ColorComponentFlags,
    ) {
        // SAFETY: valid usage of `vkCmdSetColorWriteMaskEXT`.
        unsafe {
            calls::cmd_set_color_write_mask_ext(
                dispatched(command_buffer),
                first_attachment,
                slice(p_color_write_masks, attachment_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_tessellation_domain_origin_ext(
        command_buffer: vk::CommandBuffer,
        domain_origin: vk::TessellationDomainOrigin,
    ) {
        // SAFETY: valid usage of `vkCmdSetTessellationDomainOriginEXT`.
        unsafe {
            calls::cmd_set_tessellation_domain_origin_ext(dispatched(command_buffer), domain_origin);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_rasterization_stream_ext(
        command_buffer: vk::CommandBuffer,
        rasterization_stream: u32,
    ) {
        // SAFETY: valid usage of `vkCmdSetRasterizationStreamEXT`.
        unsafe {
            calls::cmd_set_rasterization_stream_ext(dispatched(command_buffer), rasterization_stream);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_depth_clip_enable_ext(
        command_buffer: vk::CommandBuffer,
        depth_clip_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetDepthClipEnableEXT`.
        unsafe {
            calls::cmd_set_depth_clip_enable_ext(dispatched(command_buffer), depth_clip_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_sample_locations_enable_ext(
        command_buffer: vk::CommandBuffer,
        sample_locations_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetSampleLocationsEnableEXT`.
        unsafe {
            calls::cmd_set_sample_locations_enable_ext(dispatched(command_buffer), sample_locations_enable);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_color_blend_advanced_ext(
        command_buffer: vk::CommandBuffer,
        first_attachment: u32,
        attachment_count: u32,
        p_color_blend_advanced: *const vk::ColorBlendAdvancedEXT,
    ) {
        // SAFETY: valid usage of `vkCmdSetColorBlendAdvancedEXT`.
        unsafe {
            calls::cmd_set_color_blend_advanced_ext(
                dispatched(command_buffer),
                first_attachment,
                slice(p_color_blend_advanced, attachment_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_provoking_vertex_mode_ext(
        command_buffer: vk::CommandBuffer,
        provoking_vertex_mode: vk::ProvokingVertexModeEXT,
    ) {
        // SAFETY: valid usage of `vkCmdSetProvokingVertexModeEXT`.
        unsafe {
            calls::cmd_set_provoking_vertex_mode_ext(dispatched(command_buffer), provoking_vertex_mode);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_line_rasterization_mode_ext(
        command_buffer: vk::CommandBuffer,
        line_rasterization_mode: vk::LineRasterizationModeKHR,
    ) {
        // SAFETY: valid usage of `vkCmdSetLineRasterizationModeEXT`.
        unsafe {
            calls::cmd_set_line_rasterization_mode_ext(dispatched(command_buffer), line_rasterization_mode);
        }
    }

    pub(super) unsafe extern "system" fn cmd_set_line_stipple_enable_ext(
        command_buffer: vk::CommandBuffer,
        stippled_line_enable: vk::Bool32,
    ) {
        // SAFETY: valid usage of `vkCmdSetLineStippleEnableEXT`.
        unsafe {
            calls::cmd_set_line_stipple_enable_ext(dispatched(command_buffer), stippled_line_enable);
        }
    }

    pub(super) unsafe extern "system" fn get_shader_module_identifier_ext(
        device: vk::Device,
        shader_module: vk::ShaderModule,
        p_identifier: *mut vk::ShaderModuleIdentifierEXT<'_>,
    ) {
        // SAFETY: valid usage of `vkGetShaderModuleIdentifierEXT`.
        unsafe {
            calls::get_shader_module_identifier_ext(dispatched(device), shader_module, out(p_identifier));
        }
    }

    pub(super) unsafe extern "system" fn get_shader_module_create_info_identifier_ext(
        device: vk::Device,
        p_create_info: *const vk::ShaderModuleCreateInfo<'_>,
        p_identifier: *mut vk::ShaderModuleIdentifierEXT<'_>,
    ) {
        // SAFETY: valid usage of `vkGetShaderModuleCreateInfoIdentifierEXT`.
        unsafe {
            calls::get_shader_module_create_info_identifier_ext(
                dispatched(device),
                reference(p_create_info),
                out(p_identifier),
            );
        }
    }

    pub(super) unsafe extern "system" fn wait_for_present2_khr(
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        p_present_wait2_info: *const newer::PresentWait2Info,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkWaitForPresent2KHR`.
        unsafe {
            outcome(calls::wait_for_present2_khr(
                dispatched(device),
                swapchain,
                reference(p_present_wait2_info),
            ))
        }
    }

    pub(super) unsafe extern "system" fn create_shaders_ext(
        device: vk::Device,
        create_info_count: u32,
        p_create_infos: *const vk::ShaderCreateInfoEXT<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        p_shaders: *mut vk::ShaderEXT,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateShadersEXT`.
        unsafe {
            outcome(calls::create_shaders_ext(
                dispatched(device),
                slice(p_create_infos, create_info_count as usize),
                slice_mut(p_shaders, create_info_count as usize),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_shader_ext(
        device: vk::Device,
        shader: vk::ShaderEXT,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyShaderEXT`.
        unsafe {
            calls::destroy_shader_ext(dispatched(device), shader);
        }
    }

    pub(super) unsafe extern "system" fn get_shader_binary_data_ext(
        device: vk::Device,
        shader: vk::ShaderEXT,
        p_data_size: *mut usize,
        p_data: *mut c_void,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetShaderBinaryDataEXT`.
        unsafe {
            outcome(calls::get_shader_binary_data_ext(
                dispatched(device),
                shader,
                Fill::new(p_data_size, p_data),
            ))
        }
    }

    pub(super) unsafe extern "system" fn cmd_bind_shaders_ext(
        command_buffer: vk::CommandBuffer,
        stage_count: u32,
        p_stages: *const vk::ShaderStageFlags,
        p_shaders: *const vk::ShaderEXT,
    ) {
        // SAFETY: valid usage of `vkCmdBindShadersEXT`.
        unsafe {
            calls::cmd_bind_shaders_ext(
                dispatched(command_buffer),
                slice(p_stages, stage_count as usize),
                slice(p_shaders, stage_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn create_pipeline_binaries_khr(
        device: vk::Device,
        p_create_info: *const newer::PipelineBinaryCreateInfo,
        _: *const vk::AllocationCallbacks<'_>,
        p_binaries: *mut newer::PipelineBinaryHandlesInfo,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreatePipelineBinariesKHR`.
        unsafe {
            outcome(calls::create_pipeline_binaries_khr(
                dispatched(device),
                reference(p_create_info),
                out(p_binaries),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_pipeline_binary_khr(
        device: vk::Device,
        pipeline_binary: newer::PipelineBinaryHandle,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyPipelineBinaryKHR`.
        unsafe {
            calls::destroy_pipeline_binary_khr(dispatched(device), pipeline_binary);
        }
    }

    pub(super) unsafe extern "system" fn get_pipeline_key_khr(
        device: vk::Device,
        p_pipeline_create_info: *const newer::PipelineCreateInfo,
        p_pipeline_key: *mut newer::PipelineBinaryKey,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPipelineKeyKHR`.
        unsafe {
            outcome(calls::get_pipeline_key_khr(
                dispatched(device),
                p_pipeline_create_info.as_ref(),
                out(p_pipeline_key),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_pipeline_binary_data_khr(
        device: vk::Device,
        p_info: *const newer::PipelineBinaryDataInfo,
        p_pipeline_binary_key: *mut newer::PipelineBinaryKey,
        p_pipeline_binary_data_size: *mut usize,
        p_pipeline_binary_data: *mut c_void,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPipelineBinaryDataKHR`.
        unsafe {
            outcome(calls::get_pipeline_binary_data_khr(
                dispatched(device),
                reference(p_info),
                out(p_pipeline_binary_key),
                Fill::new(p_pipeline_binary_data_size, p_pipeline_binary_data),
            ))
        }
    }

    pub(super) unsafe extern "system" fn release_captured_pipeline_data_khr(
        device: vk::Device,
        p_info: *const newer::ReleaseCapturedPipelineDataInfo,
        _: *const vk::AllocationCallbacks<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkReleaseCapturedPipelineDataKHR`.
        unsafe { outcome(calls::release_captured_pipeline_data_khr(dispatched(device), reference(p_info))) }
    }

    pub(super) unsafe extern "system" fn release_swapchain_images_khr(
        device: vk::Device,
        p_release_info: *const vk::ReleaseSwapchainImagesInfoEXT<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkReleaseSwapchainImagesKHR`.
        unsafe { outcome(calls::release_swapchain_images_khr(dispatched(device), reference(p_release_info))) }
    }

    pub(super) unsafe extern "system" fn get_physical_device_cooperative_matrix_properties_khr(
        physical_device: vk::PhysicalDevice,
        p_property_count: *mut u32,
        p_properties: *mut vk::CooperativeMatrixPropertiesKHR<'_>,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR`.
        unsafe {
            outcome(calls::get_physical_device_cooperative_matrix_properties_khr(
                dispatched(physical_device),
                Fill::new(p_property_count, p_properties),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_physical_device_calibrateable_time_domains_khr(
        physical_device: vk::PhysicalDevice,
        p_time_domain_count: *mut u32,
        p_time_domains: *mut vk::TimeDomainKHR,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetPhysicalDeviceCalibrateableTimeDomainsKHR`.
        unsafe {
            outcome(calls::get_physical_device_calibrateable_time_domains_khr(
                dispatched(physical_device),
                Fill::new(p_time_domain_count, p_time_domains),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_calibrated_timestamps_khr(
        device: vk::Device,
        timestamp_count: u32,
        p_timestamp_infos: *const vk::CalibratedTimestampInfoKHR<'_>,
        p_timestamps: *mut u64,
        p_max_deviation: *mut u64,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkGetCalibratedTimestampsKHR`.
        unsafe {
            outcome(calls::get_calibrated_timestamps_khr(
                dispatched(device),
                slice(p_timestamp_infos, timestamp_count as usize),
                slice_mut(p_timestamps, timestamp_count as usize),
                out(p_max_deviation),
            ))
        }
    }

    pub(super) unsafe extern "system" fn get_generated_commands_memory_requirements_ext(
        device: vk::Device,
        p_info: *const newer::GeneratedCommandsMemoryRequirementsInfo,
        p_memory_requirements: *mut vk::MemoryRequirements2<'_>,
    ) {
        // SAFETY: valid usage of `vkGetGeneratedCommandsMemoryRequirementsEXT`.
        unsafe {
            calls::get_generated_commands_memory_requirements_ext(
                dispatched(device),
                reference(p_info),
                out(p_memory_requirements),
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_preprocess_generated_commands_ext(
        command_buffer: vk::CommandBuffer,
        p_generated_commands_info: *const newer::GeneratedCommandsInfo,
        state_command_buffer: vk::CommandBuffer,
    ) {
        // SAFETY: valid usage of `vkCmdPreprocessGeneratedCommandsEXT`.
        unsafe {
            calls::cmd_preprocess_generated_commands_ext(
                dispatched(command_buffer),
                reference(p_generated_commands_info),
                state_command_buffer,
            );
        }
    }

    pub(super) unsafe extern "system" fn cmd_execute_generated_commands_ext(
        command_buffer: vk::CommandBuffer,
        is_preprocessed: vk::Bool32,
        p_generated_commands_info: *const newer::GeneratedCommandsInfo,
    ) {
        // SAFETY: valid usage of `vkCmdExecuteGeneratedCommandsEXT`.
        unsafe {
            calls::cmd_execute_generated_commands_ext(
                dispatched(command_buffer),
                is_preprocessed,
                reference(p_generated_commands_info),
            );
        }
    }

    pub(super) unsafe extern "system" fn create_indirect_commands_layout_ext(
        device: vk::Device,
        p_create_info: *const newer::IndirectCommandsLayoutCreateInfo,
        _: *const vk::AllocationCallbacks<'_>,
        p_indirect_commands_layout: *mut newer::IndirectCommandsLayoutHandle,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateIndirectCommandsLayoutEXT`.
        unsafe {
            outcome(calls::create_indirect_commands_layout_ext(
                dispatched(device),
                reference(p_create_info),
                out(p_indirect_commands_layout),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_indirect_commands_layout_ext(
        device: vk::Device,
        indirect_commands_layout: newer::IndirectCommandsLayoutHandle,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyIndirectCommandsLayoutEXT`.
        unsafe {
            calls::destroy_indirect_commands_layout_ext(dispatched(device), indirect_commands_layout);
        }
    }

    pub(super) unsafe extern "system" fn create_indirect_execution_set_ext(
        device: vk::Device,
        p_create_info: *const newer::IndirectExecutionSetCreateInfo,
        _: *const vk::AllocationCallbacks<'_>,
        p_indirect_execution_set: *mut newer::IndirectExecutionSetHandle,
    ) -> vk::Result {
        // SAFETY: valid usage of `vkCreateIndirectExecutionSetEXT`.
        unsafe {
            outcome(calls::create_indirect_execution_set_ext(
                dispatched(device),
                reference(p_create_info),
                out(p_indirect_execution_set),
            ))
        }
    }

    pub(super) unsafe extern "system" fn destroy_indirect_execution_set_ext(
        device: vk::Device,
        indirect_execution_set: newer::IndirectExecutionSetHandle,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        // SAFETY: valid usage of `vkDestroyIndirectExecutionSetEXT`.
        unsafe {
            calls::destroy_indirect_execution_set_ext(dispatched(device), indirect_execution_set);
        }
    }

    pub(super) unsafe extern "system" fn update_indirect_execution_set_pipeline_ext(
        device: vk::Device,
        indirect_execution_set: newer::IndirectExecutionSetHandle,
        execution_set_write_count: u32,
        p_execution_set_writes: *const newer::WriteIndirectExecutionSetPipeline,
    ) {
        // SAFETY: valid usage of `vkUpdateIndirectExecutionSetPipelineEXT`.
        unsafe {
            calls::update_indirect_execution_set_pipeline_ext(
                dispatched(device),
                indirect_execution_set,
                slice(p_execution_set_writes, execution_set_write_count as usize),
            );
        }
    }

    pub(super) unsafe extern "system" fn update_indirect_execution_set_shader_ext(
        device: vk::Device,
        indirect_execution_set: newer::IndirectExecutionSetHandle,
        execution_set_write_count: u32,
        p_execution_set_writes: *const newer::WriteIndirectExecutionSetShader,
    ) {
        // SAFETY: valid usage of `vkUpdateIndirectExecutionSetShaderEXT`.
        unsafe {
            calls::update_indirect_execution_set_shader_ext(
                dispatched(device),
                indirect_execution_set,
                slice(p_execution_set_writes, execution_set_write_count as usize),
            );
        }
    }
}

/// Accessors for pointer members of structures.
#[allow(dead_code, reason = "generated for all structures")]
pub(crate) mod members {
    use std::ffi::CStr;

    use ash::vk;

    use crate::newer;
    use crate::pointers::*;

    pub(crate) fn acceleration_structure_build_geometry_info_khr_geometries<'s>(
        of: &'s vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
    ) -> &'s [vk::AccelerationStructureGeometryKHR<'s>] {
        // SAFETY: valid usage of `VkAccelerationStructureBuildGeometryInfoKHR`.
        unsafe { slice(of.p_geometries, of.geometry_count as usize) }
    }

    pub(crate) fn application_info_application_name<'s>(of: &'s vk::ApplicationInfo<'_>) -> Option<&'s CStr> {
        // SAFETY: valid usage of `VkApplicationInfo`.
        unsafe { text_of(of.p_application_name) }
    }

    pub(crate) fn application_info_engine_name<'s>(of: &'s vk::ApplicationInfo<'_>) -> Option<&'s CStr> {
        // SAFETY: valid usage of `VkApplicationInfo`.
        unsafe { text_of(of.p_engine_name) }
    }

    pub(crate) fn bind_buffer_memory_device_group_info_device_indices<'s>(
        of: &'s vk::BindBufferMemoryDeviceGroupInfo<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkBindBufferMemoryDeviceGroupInfo`.
        unsafe { slice(of.p_device_indices, of.device_index_count as usize) }
    }

    pub(crate) fn bind_descriptor_sets_info_descriptor_sets<'s>(
        of: &'s vk::BindDescriptorSetsInfoKHR<'_>,
    ) -> &'s [vk::DescriptorSet] {
        // SAFETY: valid usage of `VkBindDescriptorSetsInfo`.
        unsafe { slice(of.p_descriptor_sets, of.descriptor_set_count as usize) }
    }

    pub(crate) fn bind_descriptor_sets_info_dynamic_offsets<'s>(
        of: &'s vk::BindDescriptorSetsInfoKHR<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkBindDescriptorSetsInfo`.
        unsafe { slice(of.p_dynamic_offsets, of.dynamic_offset_count as usize) }
    }

    pub(crate) fn bind_image_memory_device_group_info_device_indices<'s>(
        of: &'s vk::BindImageMemoryDeviceGroupInfo<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkBindImageMemoryDeviceGroupInfo`.
        unsafe { slice(of.p_device_indices, of.device_index_count as usize) }
    }

    pub(crate) fn bind_image_memory_device_group_info_split_instance_bind_regions<'s>(
        of: &'s vk::BindImageMemoryDeviceGroupInfo<'_>,
    ) -> &'s [vk::Rect2D] {
        // SAFETY: valid usage of `VkBindImageMemoryDeviceGroupInfo`.
        unsafe { slice(of.p_split_instance_bind_regions, of.split_instance_bind_region_count as usize) }
    }

    pub(crate) fn bind_sparse_info_wait_semaphores<'s>(
        of: &'s vk::BindSparseInfo<'_>,
    ) -> &'s [vk::Semaphore] {
        // SAFETY: valid usage of `VkBindSparseInfo`.
        unsafe { slice(of.p_wait_semaphores, of.wait_semaphore_count as usize) }
    }

    pub(crate) fn bind_sparse_info_buffer_binds<'s>(
        of: &'s vk::BindSparseInfo<'_>,
    ) -> &'s [vk::SparseBufferMemoryBindInfo<'s>] {
        // SAFETY: valid usage of `VkBindSparseInfo`.
        unsafe { slice(of.p_buffer_binds, of.buffer_bind_count as usize) }
    }

    pub(crate) fn bind_sparse_info_image_opaque_binds<'s>(
        of: &'s vk::BindSparseInfo<'_>,
    ) -> &'s [vk::SparseImageOpaqueMemoryBindInfo<'s>] {
        // SAFETY: valid usage of `VkBindSparseInfo`.
        unsafe { slice(of.p_image_opaque_binds, of.image_opaque_bind_count as usize) }
    }

    pub(crate) fn bind_sparse_info_image_binds<'s>(
        of: &'s vk::BindSparseInfo<'_>,
    ) -> &'s [vk::SparseImageMemoryBindInfo<'s>] {
        // SAFETY: valid usage of `VkBindSparseInfo`.
        unsafe { slice(of.p_image_binds, of.image_bind_count as usize) }
    }

    pub(crate) fn bind_sparse_info_signal_semaphores<'s>(
        of: &'s vk::BindSparseInfo<'_>,
    ) -> &'s [vk::Semaphore] {
        // SAFETY: valid usage of `VkBindSparseInfo`.
        unsafe { slice(of.p_signal_semaphores, of.signal_semaphore_count as usize) }
    }

    pub(crate) fn blit_image_info2_regions<'s>(of: &'s vk::BlitImageInfo2<'_>) -> &'s [vk::ImageBlit2<'s>] {
        // SAFETY: valid usage of `VkBlitImageInfo2`.
        unsafe { slice(of.p_regions, of.region_count as usize) }
    }

    pub(crate) fn buffer_create_info_queue_family_indices<'s>(of: &'s vk::BufferCreateInfo<'_>) -> &'s [u32] {
        // SAFETY: valid usage of `VkBufferCreateInfo`.
        unsafe { slice(of.p_queue_family_indices, of.queue_family_index_count as usize) }
    }

    pub(crate) fn command_buffer_begin_info_inheritance_info<'s>(
        of: &'s vk::CommandBufferBeginInfo<'_>,
    ) -> Option<&'s vk::CommandBufferInheritanceInfo<'s>> {
        // SAFETY: valid usage of `VkCommandBufferBeginInfo`.
        unsafe { of.p_inheritance_info.as_ref() }
    }

    pub(crate) fn command_buffer_inheritance_rendering_info_color_attachment_formats<'s>(
        of: &'s vk::CommandBufferInheritanceRenderingInfo<'_>,
    ) -> &'s [vk::Format] {
        // SAFETY: valid usage of `VkCommandBufferInheritanceRenderingInfo`.
        unsafe { slice(of.p_color_attachment_formats, of.color_attachment_count as usize) }
    }

    pub(crate) fn copy_buffer_info2_regions<'s>(
        of: &'s vk::CopyBufferInfo2<'_>,
    ) -> &'s [vk::BufferCopy2<'s>] {
        // SAFETY: valid usage of `VkCopyBufferInfo2`.
        unsafe { slice(of.p_regions, of.region_count as usize) }
    }

    pub(crate) fn copy_buffer_to_image_info2_regions<'s>(
        of: &'s vk::CopyBufferToImageInfo2<'_>,
    ) -> &'s [vk::BufferImageCopy2<'s>] {
        // SAFETY: valid usage of `VkCopyBufferToImageInfo2`.
        unsafe { slice(of.p_regions, of.region_count as usize) }
    }

    pub(crate) fn copy_image_info2_regions<'s>(of: &'s vk::CopyImageInfo2<'_>) -> &'s [vk::ImageCopy2<'s>] {
        // SAFETY: valid usage of `VkCopyImageInfo2`.
        unsafe { slice(of.p_regions, of.region_count as usize) }
    }

    pub(crate) fn copy_image_to_buffer_info2_regions<'s>(
        of: &'s vk::CopyImageToBufferInfo2<'_>,
    ) -> &'s [vk::BufferImageCopy2<'s>] {
        // SAFETY: valid usage of `VkCopyImageToBufferInfo2`.
        unsafe { slice(of.p_regions, of.region_count as usize) }
    }

    pub(crate) fn copy_image_to_image_info_regions<'s>(
        of: &'s vk::CopyImageToImageInfoEXT<'_>,
    ) -> &'s [vk::ImageCopy2<'s>] {
        // SAFETY: valid usage of `VkCopyImageToImageInfo`.
        unsafe { slice(of.p_regions, of.region_count as usize) }
    }

    pub(crate) fn copy_image_to_memory_info_regions<'s>(
        of: &'s vk::CopyImageToMemoryInfoEXT<'_>,
    ) -> &'s [vk::ImageToMemoryCopyEXT<'s>] {
        // SAFETY: valid usage of `VkCopyImageToMemoryInfo`.
        unsafe { slice(of.p_regions, of.region_count as usize) }
    }

    pub(crate) fn copy_memory_to_image_info_regions<'s>(
        of: &'s vk::CopyMemoryToImageInfoEXT<'_>,
    ) -> &'s [vk::MemoryToImageCopyEXT<'s>] {
        // SAFETY: valid usage of `VkCopyMemoryToImageInfo`.
        unsafe { slice(of.p_regions, of.region_count as usize) }
    }

    pub(crate) fn dependency_info_memory_barriers<'s>(
        of: &'s vk::DependencyInfo<'_>,
    ) -> &'s [vk::MemoryBarrier2<'s>] {
        // SAFETY: valid usage of `VkDependencyInfo`.
        unsafe { slice(of.p_memory_barriers, of.memory_barrier_count as usize) }
    }

    pub(crate) fn dependency_info_buffer_memory_barriers<'s>(
        of: &'s vk::DependencyInfo<'_>,
    ) -> &'s [vk::BufferMemoryBarrier2<'s>] {
        // SAFETY: valid usage of `VkDependencyInfo`.
        unsafe { slice(of.p_buffer_memory_barriers, of.buffer_memory_barrier_count as usize) }
    }

    pub(crate) fn dependency_info_image_memory_barriers<'s>(
        of: &'s vk::DependencyInfo<'_>,
    ) -> &'s [vk::ImageMemoryBarrier2<'s>] {
        // SAFETY: valid usage of `VkDependencyInfo`.
        unsafe { slice(of.p_image_memory_barriers, of.image_memory_barrier_count as usize) }
    }

    pub(crate) fn descriptor_pool_create_info_pool_sizes<'s>(
        of: &'s vk::DescriptorPoolCreateInfo<'_>,
    ) -> &'s [vk::DescriptorPoolSize] {
        // SAFETY: valid usage of `VkDescriptorPoolCreateInfo`.
        unsafe { slice(of.p_pool_sizes, of.pool_size_count as usize) }
    }

    pub(crate) fn descriptor_set_allocate_info_set_layouts<'s>(
        of: &'s vk::DescriptorSetAllocateInfo<'_>,
    ) -> &'s [vk::DescriptorSetLayout] {
        // SAFETY: valid usage of `VkDescriptorSetAllocateInfo`.
        unsafe { slice(of.p_set_layouts, of.descriptor_set_count as usize) }
    }

    pub(crate) fn descriptor_set_layout_binding_immutable_samplers<'s>(
        of: &'s vk::DescriptorSetLayoutBinding<'_>,
    ) -> &'s [vk::Sampler] {
        // SAFETY: valid usage of `VkDescriptorSetLayoutBinding`.
        unsafe { slice(of.p_immutable_samplers, of.descriptor_count as usize) }
    }

    pub(crate) fn descriptor_set_layout_binding_flags_create_info_binding_flags<'s>(
        of: &'s vk::DescriptorSetLayoutBindingFlagsCreateInfo<'_>,
    ) -> &'s [vk::DescriptorBindingFlags] {
        // SAFETY: valid usage of `VkDescriptorSetLayoutBindingFlagsCreateInfo`.
        unsafe { slice(of.p_binding_flags, of.binding_count as usize) }
    }

    pub(crate) fn descriptor_set_layout_create_info_bindings<'s>(
        of: &'s vk::DescriptorSetLayoutCreateInfo<'_>,
    ) -> &'s [vk::DescriptorSetLayoutBinding<'s>] {
        // SAFETY: valid usage of `VkDescriptorSetLayoutCreateInfo`.
        unsafe { slice(of.p_bindings, of.binding_count as usize) }
    }

    pub(crate) fn descriptor_set_variable_descriptor_count_allocate_info_descriptor_counts<'s>(
        of: &'s vk::DescriptorSetVariableDescriptorCountAllocateInfo<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkDescriptorSetVariableDescriptorCountAllocateInfo`.
        unsafe { slice(of.p_descriptor_counts, of.descriptor_set_count as usize) }
    }

    pub(crate) fn descriptor_update_template_create_info_descriptor_update_entries<'s>(
        of: &'s vk::DescriptorUpdateTemplateCreateInfo<'_>,
    ) -> &'s [vk::DescriptorUpdateTemplateEntry] {
        // SAFETY: valid usage of `VkDescriptorUpdateTemplateCreateInfo`.
        unsafe { slice(of.p_descriptor_update_entries, of.descriptor_update_entry_count as usize) }
    }

    pub(crate) fn device_buffer_memory_requirements_create_info<'s>(
        of: &'s vk::DeviceBufferMemoryRequirements<'_>,
    ) -> Option<&'s vk::BufferCreateInfo<'s>> {
        // SAFETY: valid usage of `VkDeviceBufferMemoryRequirements`.
        unsafe { of.p_create_info.as_ref() }
    }

    pub(crate) fn device_create_info_queue_create_infos<'s>(
        of: &'s vk::DeviceCreateInfo<'_>,
    ) -> &'s [vk::DeviceQueueCreateInfo<'s>] {
        // SAFETY: valid usage of `VkDeviceCreateInfo`.
        unsafe { slice(of.p_queue_create_infos, of.queue_create_info_count as usize) }
    }

    pub(crate) fn device_create_info_enabled_layer_names<'s>(
        of: &'s vk::DeviceCreateInfo<'_>,
    ) -> Vec<&'s CStr> {
        // SAFETY: valid usage of `VkDeviceCreateInfo`.
        unsafe { texts(of.pp_enabled_layer_names, of.enabled_layer_count as usize) }
    }

    pub(crate) fn device_create_info_enabled_extension_names<'s>(
        of: &'s vk::DeviceCreateInfo<'_>,
    ) -> Vec<&'s CStr> {
        // SAFETY: valid usage of `VkDeviceCreateInfo`.
        unsafe { texts(of.pp_enabled_extension_names, of.enabled_extension_count as usize) }
    }

    pub(crate) fn device_create_info_enabled_features<'s>(
        of: &'s vk::DeviceCreateInfo<'_>,
    ) -> Option<&'s vk::PhysicalDeviceFeatures> {
        // SAFETY: valid usage of `VkDeviceCreateInfo`.
        unsafe { of.p_enabled_features.as_ref() }
    }

    pub(crate) fn device_group_device_create_info_physical_devices<'s>(
        of: &'s vk::DeviceGroupDeviceCreateInfo<'_>,
    ) -> &'s [vk::PhysicalDevice] {
        // SAFETY: valid usage of `VkDeviceGroupDeviceCreateInfo`.
        unsafe { slice(of.p_physical_devices, of.physical_device_count as usize) }
    }

    pub(crate) fn device_group_present_info_khr_device_masks<'s>(
        of: &'s vk::DeviceGroupPresentInfoKHR<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkDeviceGroupPresentInfoKHR`.
        unsafe { slice(of.p_device_masks, of.swapchain_count as usize) }
    }

    pub(crate) fn device_group_render_pass_begin_info_device_render_areas<'s>(
        of: &'s vk::DeviceGroupRenderPassBeginInfo<'_>,
    ) -> &'s [vk::Rect2D] {
        // SAFETY: valid usage of `VkDeviceGroupRenderPassBeginInfo`.
        unsafe { slice(of.p_device_render_areas, of.device_render_area_count as usize) }
    }

    pub(crate) fn device_group_submit_info_wait_semaphore_device_indices<'s>(
        of: &'s vk::DeviceGroupSubmitInfo<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkDeviceGroupSubmitInfo`.
        unsafe { slice(of.p_wait_semaphore_device_indices, of.wait_semaphore_count as usize) }
    }

    pub(crate) fn device_group_submit_info_command_buffer_device_masks<'s>(
        of: &'s vk::DeviceGroupSubmitInfo<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkDeviceGroupSubmitInfo`.
        unsafe { slice(of.p_command_buffer_device_masks, of.command_buffer_count as usize) }
    }

    pub(crate) fn device_group_submit_info_signal_semaphore_device_indices<'s>(
        of: &'s vk::DeviceGroupSubmitInfo<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkDeviceGroupSubmitInfo`.
        unsafe { slice(of.p_signal_semaphore_device_indices, of.signal_semaphore_count as usize) }
    }

    pub(crate) fn device_image_memory_requirements_create_info<'s>(
        of: &'s vk::DeviceImageMemoryRequirements<'_>,
    ) -> Option<&'s vk::ImageCreateInfo<'s>> {
        // SAFETY: valid usage of `VkDeviceImageMemoryRequirements`.
        unsafe { of.p_create_info.as_ref() }
    }

    pub(crate) fn device_image_subresource_info_create_info<'s>(
        of: &'s vk::DeviceImageSubresourceInfoKHR<'_>,
    ) -> Option<&'s vk::ImageCreateInfo<'s>> {
        // SAFETY: valid usage of `VkDeviceImageSubresourceInfo`.
        unsafe { of.p_create_info.as_ref() }
    }

    pub(crate) fn device_image_subresource_info_subresource<'s>(
        of: &'s vk::DeviceImageSubresourceInfoKHR<'_>,
    ) -> Option<&'s vk::ImageSubresource2KHR<'s>> {
        // SAFETY: valid usage of `VkDeviceImageSubresourceInfo`.
        unsafe { of.p_subresource.as_ref() }
    }

    pub(crate) fn device_queue_create_info_queue_priorities<'s>(
        of: &'s vk::DeviceQueueCreateInfo<'_>,
    ) -> &'s [f32] {
        // SAFETY: valid usage of `VkDeviceQueueCreateInfo`.
        unsafe { slice(of.p_queue_priorities, of.queue_count as usize) }
    }

    pub(crate) fn fragment_shading_rate_attachment_info_khr_fragment_shading_rate_attachment<'s>(
        of: &'s vk::FragmentShadingRateAttachmentInfoKHR<'_>,
    ) -> Option<&'s vk::AttachmentReference2<'s>> {
        // SAFETY: valid usage of `VkFragmentShadingRateAttachmentInfoKHR`.
        unsafe { of.p_fragment_shading_rate_attachment.as_ref() }
    }

    pub(crate) fn framebuffer_attachment_image_info_view_formats<'s>(
        of: &'s vk::FramebufferAttachmentImageInfo<'_>,
    ) -> &'s [vk::Format] {
        // SAFETY: valid usage of `VkFramebufferAttachmentImageInfo`.
        unsafe { slice(of.p_view_formats, of.view_format_count as usize) }
    }

    pub(crate) fn framebuffer_attachments_create_info_attachment_image_infos<'s>(
        of: &'s vk::FramebufferAttachmentsCreateInfo<'_>,
    ) -> &'s [vk::FramebufferAttachmentImageInfo<'s>] {
        // SAFETY: valid usage of `VkFramebufferAttachmentsCreateInfo`.
        unsafe { slice(of.p_attachment_image_infos, of.attachment_image_info_count as usize) }
    }

    pub(crate) fn framebuffer_create_info_attachments<'s>(
        of: &'s vk::FramebufferCreateInfo<'_>,
    ) -> &'s [vk::ImageView] {
        // SAFETY: valid usage of `VkFramebufferCreateInfo`.
        unsafe { slice(of.p_attachments, of.attachment_count as usize) }
    }

    pub(crate) fn generated_commands_shader_info_ext_shaders<'s>(
        of: &'s newer::GeneratedCommandsShaderInfo,
    ) -> &'s [vk::ShaderEXT] {
        // SAFETY: valid usage of `VkGeneratedCommandsShaderInfoEXT`.
        unsafe { slice(of.p_shaders, of.shader_count as usize) }
    }

    pub(crate) fn graphics_pipeline_create_info_stages<'s>(
        of: &'s vk::GraphicsPipelineCreateInfo<'_>,
    ) -> &'s [vk::PipelineShaderStageCreateInfo<'s>] {
        // SAFETY: valid usage of `VkGraphicsPipelineCreateInfo`.
        unsafe { slice(of.p_stages, of.stage_count as usize) }
    }

    pub(crate) fn graphics_pipeline_create_info_vertex_input_state<'s>(
        of: &'s vk::GraphicsPipelineCreateInfo<'_>,
    ) -> Option<&'s vk::PipelineVertexInputStateCreateInfo<'s>> {
        // SAFETY: valid usage of `VkGraphicsPipelineCreateInfo`.
        unsafe { of.p_vertex_input_state.as_ref() }
    }

    pub(crate) fn graphics_pipeline_create_info_input_assembly_state<'s>(
        of: &'s vk::GraphicsPipelineCreateInfo<'_>,
    ) -> Option<&'s vk::PipelineInputAssemblyStateCreateInfo<'s>> {
        // SAFETY: valid usage of `VkGraphicsPipelineCreateInfo`.
        unsafe { of.p_input_assembly_state.as_ref() }
    }

    pub(crate) fn graphics_pipeline_create_info_tessellation_state<'s>(
        of: &'s vk::GraphicsPipelineCreateInfo<'_>,
    ) -> Option<&'s vk::PipelineTessellationStateCreateInfo<'s>> {
        // SAFETY: valid usage of `VkGraphicsPipelineCreateInfo`.
        unsafe { of.p_tessellation_state.as_ref() }
    }

    pub(crate) fn graphics_pipeline_create_info_viewport_state<'s>(
        of: &'s vk::GraphicsPipelineCreateInfo<'_>,
    ) -> Option<&'s vk::PipelineViewportStateCreateInfo<'s>> {
        // SAFETY: valid usage of `VkGraphicsPipelineCreateInfo`.
        unsafe { of.p_viewport_state.as_ref() }
    }

    pub(crate) fn graphics_pipeline_create_info_rasterization_state<'s>(
        of: &'s vk::GraphicsPipelineCreateInfo<'_>,
    ) -> Option<&'s vk::PipelineRasterizationStateCreateInfo<'s>> {
        // SAFETY: valid usage of `VkGraphicsPipelineCreateInfo`.
        unsafe { of.p_rasterization_state.as_ref() }
    }

    pub(crate) fn graphics_pipeline_create_info_multisample_state<'s>(
        of: &'s vk::GraphicsPipelineCreateInfo<'_>,
    ) -> Option<&'s vk::PipelineMultisampleStateCreateInfo<'s>> {
        // SAFETY: valid usage of `VkGraphicsPipelineCreateInfo`.
        unsafe { of.p_multisample_state.as_ref() }
    }

    pub(crate) fn graphics_pipeline_create_info_depth_stencil_state<'s>(
        of: &'s vk::GraphicsPipelineCreateInfo<'_>,
    ) -> Option<&'s vk::PipelineDepthStencilStateCreateInfo<'s>> {
        // SAFETY: valid usage of `VkGraphicsPipelineCreateInfo`.
        unsafe { of.p_depth_stencil_state.as_ref() }
    }

    pub(crate) fn graphics_pipeline_create_info_color_blend_state<'s>(
        of: &'s vk::GraphicsPipelineCreateInfo<'_>,
    ) -> Option<&'s vk::PipelineColorBlendStateCreateInfo<'s>> {
        // SAFETY: valid usage of `VkGraphicsPipelineCreateInfo`.
        unsafe { of.p_color_blend_state.as_ref() }
    }

    pub(crate) fn graphics_pipeline_create_info_dynamic_state<'s>(
        of: &'s vk::GraphicsPipelineCreateInfo<'_>,
    ) -> Option<&'s vk::PipelineDynamicStateCreateInfo<'s>> {
        // SAFETY: valid usage of `VkGraphicsPipelineCreateInfo`.
        unsafe { of.p_dynamic_state.as_ref() }
    }

    pub(crate) fn image_create_info_queue_family_indices<'s>(of: &'s vk::ImageCreateInfo<'_>) -> &'s [u32] {
        // SAFETY: valid usage of `VkImageCreateInfo`.
        unsafe { slice(of.p_queue_family_indices, of.queue_family_index_count as usize) }
    }

    pub(crate) fn image_drm_format_modifier_explicit_create_info_ext_plane_layouts<'s>(
        of: &'s vk::ImageDrmFormatModifierExplicitCreateInfoEXT<'_>,
    ) -> &'s [vk::SubresourceLayout] {
        // SAFETY: valid usage of `VkImageDrmFormatModifierExplicitCreateInfoEXT`.
        unsafe { slice(of.p_plane_layouts, of.drm_format_modifier_plane_count as usize) }
    }

    pub(crate) fn image_drm_format_modifier_list_create_info_ext_drm_format_modifiers<'s>(
        of: &'s vk::ImageDrmFormatModifierListCreateInfoEXT<'_>,
    ) -> &'s [u64] {
        // SAFETY: valid usage of `VkImageDrmFormatModifierListCreateInfoEXT`.
        unsafe { slice(of.p_drm_format_modifiers, of.drm_format_modifier_count as usize) }
    }

    pub(crate) fn image_format_list_create_info_view_formats<'s>(
        of: &'s vk::ImageFormatListCreateInfo<'_>,
    ) -> &'s [vk::Format] {
        // SAFETY: valid usage of `VkImageFormatListCreateInfo`.
        unsafe { slice(of.p_view_formats, of.view_format_count as usize) }
    }

    pub(crate) fn indirect_commands_layout_create_info_ext_tokens<'s>(
        of: &'s newer::IndirectCommandsLayoutCreateInfo,
    ) -> &'s [newer::IndirectCommandsLayoutToken] {
        // SAFETY: valid usage of `VkIndirectCommandsLayoutCreateInfoEXT`.
        unsafe { slice(of.p_tokens, of.token_count as usize) }
    }

    pub(crate) fn indirect_commands_token_data_ext_push_constant<'s>(
        of: &'s newer::IndirectCommandsTokenData,
    ) -> Option<&'s newer::IndirectCommandsPushConstantToken> {
        // SAFETY: valid usage of `VkIndirectCommandsTokenDataEXT`.
        unsafe { of.p_push_constant.as_ref() }
    }

    pub(crate) fn indirect_commands_token_data_ext_vertex_buffer<'s>(
        of: &'s newer::IndirectCommandsTokenData,
    ) -> Option<&'s newer::IndirectCommandsVertexBufferToken> {
        // SAFETY: valid usage of `VkIndirectCommandsTokenDataEXT`.
        unsafe { of.p_vertex_buffer.as_ref() }
    }

    pub(crate) fn indirect_commands_token_data_ext_index_buffer<'s>(
        of: &'s newer::IndirectCommandsTokenData,
    ) -> Option<&'s newer::IndirectCommandsIndexBufferToken> {
        // SAFETY: valid usage of `VkIndirectCommandsTokenDataEXT`.
        unsafe { of.p_index_buffer.as_ref() }
    }

    pub(crate) fn indirect_commands_token_data_ext_execution_set<'s>(
        of: &'s newer::IndirectCommandsTokenData,
    ) -> Option<&'s newer::IndirectCommandsExecutionSetToken> {
        // SAFETY: valid usage of `VkIndirectCommandsTokenDataEXT`.
        unsafe { of.p_execution_set.as_ref() }
    }

    pub(crate) fn indirect_execution_set_info_ext_pipeline_info<'s>(
        of: &'s newer::IndirectExecutionSetInfo,
    ) -> Option<&'s newer::IndirectExecutionSetPipelineInfo> {
        // SAFETY: valid usage of `VkIndirectExecutionSetInfoEXT`.
        unsafe { of.p_pipeline_info.as_ref() }
    }

    pub(crate) fn indirect_execution_set_info_ext_shader_info<'s>(
        of: &'s newer::IndirectExecutionSetInfo,
    ) -> Option<&'s newer::IndirectExecutionSetShaderInfo> {
        // SAFETY: valid usage of `VkIndirectExecutionSetInfoEXT`.
        unsafe { of.p_shader_info.as_ref() }
    }

    pub(crate) fn indirect_execution_set_shader_info_ext_initial_shaders<'s>(
        of: &'s newer::IndirectExecutionSetShaderInfo,
    ) -> &'s [vk::ShaderEXT] {
        // SAFETY: valid usage of `VkIndirectExecutionSetShaderInfoEXT`.
        unsafe { slice(of.p_initial_shaders, of.shader_count as usize) }
    }

    pub(crate) fn indirect_execution_set_shader_info_ext_set_layout_infos<'s>(
        of: &'s newer::IndirectExecutionSetShaderInfo,
    ) -> &'s [newer::IndirectExecutionSetShaderLayoutInfo] {
        // SAFETY: valid usage of `VkIndirectExecutionSetShaderInfoEXT`.
        unsafe { slice(of.p_set_layout_infos, of.shader_count as usize) }
    }

    pub(crate) fn indirect_execution_set_shader_info_ext_push_constant_ranges<'s>(
        of: &'s newer::IndirectExecutionSetShaderInfo,
    ) -> &'s [vk::PushConstantRange] {
        // SAFETY: valid usage of `VkIndirectExecutionSetShaderInfoEXT`.
        unsafe { slice(of.p_push_constant_ranges, of.push_constant_range_count as usize) }
    }

    pub(crate) fn indirect_execution_set_shader_layout_info_ext_set_layouts<'s>(
        of: &'s newer::IndirectExecutionSetShaderLayoutInfo,
    ) -> &'s [vk::DescriptorSetLayout] {
        // SAFETY: valid usage of `VkIndirectExecutionSetShaderLayoutInfoEXT`.
        unsafe { slice(of.p_set_layouts, of.set_layout_count as usize) }
    }

    pub(crate) fn instance_create_info_application_info<'s>(
        of: &'s vk::InstanceCreateInfo<'_>,
    ) -> Option<&'s vk::ApplicationInfo<'s>> {
        // SAFETY: valid usage of `VkInstanceCreateInfo`.
        unsafe { of.p_application_info.as_ref() }
    }

    pub(crate) fn instance_create_info_enabled_layer_names<'s>(
        of: &'s vk::InstanceCreateInfo<'_>,
    ) -> Vec<&'s CStr> {
        // SAFETY: valid usage of `VkInstanceCreateInfo`.
        unsafe { texts(of.pp_enabled_layer_names, of.enabled_layer_count as usize) }
    }

    pub(crate) fn instance_create_info_enabled_extension_names<'s>(
        of: &'s vk::InstanceCreateInfo<'_>,
    ) -> Vec<&'s CStr> {
        // SAFETY: valid usage of `VkInstanceCreateInfo`.
        unsafe { texts(of.pp_enabled_extension_names, of.enabled_extension_count as usize) }
    }

    pub(crate) fn physical_device_image_drm_format_modifier_info_ext_queue_family_indices<'s>(
        of: &'s vk::PhysicalDeviceImageDrmFormatModifierInfoEXT<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkPhysicalDeviceImageDrmFormatModifierInfoEXT`.
        unsafe { slice(of.p_queue_family_indices, of.queue_family_index_count as usize) }
    }

    pub(crate) fn pipeline_binary_create_info_khr_keys_and_data_info<'s>(
        of: &'s newer::PipelineBinaryCreateInfo,
    ) -> Option<&'s newer::PipelineBinaryKeysAndData> {
        // SAFETY: valid usage of `VkPipelineBinaryCreateInfoKHR`.
        unsafe { of.p_keys_and_data_info.as_ref() }
    }

    pub(crate) fn pipeline_binary_create_info_khr_pipeline_create_info<'s>(
        of: &'s newer::PipelineBinaryCreateInfo,
    ) -> Option<&'s newer::PipelineCreateInfo> {
        // SAFETY: valid usage of `VkPipelineBinaryCreateInfoKHR`.
        unsafe { of.p_pipeline_create_info.as_ref() }
    }

    pub(crate) fn pipeline_binary_data_khr_data<'s>(of: &'s newer::PipelineBinaryData) -> &'s [u8] {
        // SAFETY: valid usage of `VkPipelineBinaryDataKHR`.
        unsafe { slice(of.p_data.cast::<u8>(), of.data_size as usize) }
    }

    pub(crate) fn pipeline_binary_info_khr_pipeline_binaries<'s>(
        of: &'s newer::PipelineBinaryInfo,
    ) -> &'s [newer::PipelineBinaryHandle] {
        // SAFETY: valid usage of `VkPipelineBinaryInfoKHR`.
        unsafe { slice(of.p_pipeline_binaries, of.binary_count as usize) }
    }

    pub(crate) fn pipeline_binary_keys_and_data_khr_pipeline_binary_keys<'s>(
        of: &'s newer::PipelineBinaryKeysAndData,
    ) -> &'s [newer::PipelineBinaryKey] {
        // SAFETY: valid usage of `VkPipelineBinaryKeysAndDataKHR`.
        unsafe { slice(of.p_pipeline_binary_keys, of.binary_count as usize) }
    }

    pub(crate) fn pipeline_binary_keys_and_data_khr_pipeline_binary_data<'s>(
        of: &'s newer::PipelineBinaryKeysAndData,
    ) -> &'s [newer::PipelineBinaryData] {
        // SAFETY: valid usage of `VkPipelineBinaryKeysAndDataKHR`.
        unsafe { slice(of.p_pipeline_binary_data, of.binary_count as usize) }
    }

    pub(crate) fn pipeline_cache_create_info_initial_data<'s>(
        of: &'s vk::PipelineCacheCreateInfo<'_>,
    ) -> &'s [u8] {
        // SAFETY: valid usage of `VkPipelineCacheCreateInfo`.
        unsafe { slice(of.p_initial_data.cast::<u8>(), of.initial_data_size as usize) }
    }

    pub(crate) fn pipeline_color_blend_state_create_info_attachments<'s>(
        of: &'s vk::PipelineColorBlendStateCreateInfo<'_>,
    ) -> &'s [vk::PipelineColorBlendAttachmentState] {
        // SAFETY: valid usage of `VkPipelineColorBlendStateCreateInfo`.
        unsafe { slice(of.p_attachments, of.attachment_count as usize) }
    }

    pub(crate) fn pipeline_color_write_create_info_ext_color_write_enables<'s>(
        of: &'s vk::PipelineColorWriteCreateInfoEXT<'_>,
    ) -> &'s [vk::Bool32] {
        // SAFETY: valid usage of `VkPipelineColorWriteCreateInfoEXT`.
        unsafe { slice(of.p_color_write_enables, of.attachment_count as usize) }
    }

    pub(crate) fn pipeline_dynamic_state_create_info_dynamic_states<'s>(
        of: &'s vk::PipelineDynamicStateCreateInfo<'_>,
    ) -> &'s [vk::DynamicState] {
        // SAFETY: valid usage of `VkPipelineDynamicStateCreateInfo`.
        unsafe { slice(of.p_dynamic_states, of.dynamic_state_count as usize) }
    }

    pub(crate) fn pipeline_executable_internal_representation_khr_data<'s>(
        of: &'s vk::PipelineExecutableInternalRepresentationKHR<'_>,
    ) -> &'s [u8] {
        // SAFETY: valid usage of `VkPipelineExecutableInternalRepresentationKHR`.
        unsafe { slice(of.p_data.cast::<u8>(), of.data_size as usize) }
    }

    pub(crate) fn pipeline_layout_create_info_set_layouts<'s>(
        of: &'s vk::PipelineLayoutCreateInfo<'_>,
    ) -> &'s [vk::DescriptorSetLayout] {
        // SAFETY: valid usage of `VkPipelineLayoutCreateInfo`.
        unsafe { slice(of.p_set_layouts, of.set_layout_count as usize) }
    }

    pub(crate) fn pipeline_layout_create_info_push_constant_ranges<'s>(
        of: &'s vk::PipelineLayoutCreateInfo<'_>,
    ) -> &'s [vk::PushConstantRange] {
        // SAFETY: valid usage of `VkPipelineLayoutCreateInfo`.
        unsafe { slice(of.p_push_constant_ranges, of.push_constant_range_count as usize) }
    }

    pub(crate) fn pipeline_library_create_info_khr_libraries<'s>(
        of: &'s vk::PipelineLibraryCreateInfoKHR<'_>,
    ) -> &'s [vk::Pipeline] {
        // SAFETY: valid usage of `VkPipelineLibraryCreateInfoKHR`.
        unsafe { slice(of.p_libraries, of.library_count as usize) }
    }

    pub(crate) fn pipeline_rendering_create_info_color_attachment_formats<'s>(
        of: &'s vk::PipelineRenderingCreateInfo<'_>,
    ) -> &'s [vk::Format] {
        // SAFETY: valid usage of `VkPipelineRenderingCreateInfo`.
        unsafe { slice(of.p_color_attachment_formats, of.color_attachment_count as usize) }
    }

    pub(crate) fn pipeline_shader_stage_create_info_name<'s>(
        of: &'s vk::PipelineShaderStageCreateInfo<'_>,
    ) -> Option<&'s CStr> {
        // SAFETY: valid usage of `VkPipelineShaderStageCreateInfo`.
        unsafe { text_of(of.p_name) }
    }

    pub(crate) fn pipeline_shader_stage_create_info_specialization_info<'s>(
        of: &'s vk::PipelineShaderStageCreateInfo<'_>,
    ) -> Option<&'s vk::SpecializationInfo<'s>> {
        // SAFETY: valid usage of `VkPipelineShaderStageCreateInfo`.
        unsafe { of.p_specialization_info.as_ref() }
    }

    pub(crate) fn pipeline_shader_stage_module_identifier_create_info_ext_identifier<'s>(
        of: &'s vk::PipelineShaderStageModuleIdentifierCreateInfoEXT<'_>,
    ) -> &'s [u8] {
        // SAFETY: valid usage of `VkPipelineShaderStageModuleIdentifierCreateInfoEXT`.
        unsafe { slice(of.p_identifier, of.identifier_size as usize) }
    }

    pub(crate) fn pipeline_vertex_input_divisor_state_create_info_vertex_binding_divisors<'s>(
        of: &'s vk::PipelineVertexInputDivisorStateCreateInfoKHR<'_>,
    ) -> &'s [vk::VertexInputBindingDivisorDescriptionKHR] {
        // SAFETY: valid usage of `VkPipelineVertexInputDivisorStateCreateInfo`.
        unsafe { slice(of.p_vertex_binding_divisors, of.vertex_binding_divisor_count as usize) }
    }

    pub(crate) fn pipeline_vertex_input_state_create_info_vertex_binding_descriptions<'s>(
        of: &'s vk::PipelineVertexInputStateCreateInfo<'_>,
    ) -> &'s [vk::VertexInputBindingDescription] {
        // SAFETY: valid usage of `VkPipelineVertexInputStateCreateInfo`.
        unsafe { slice(of.p_vertex_binding_descriptions, of.vertex_binding_description_count as usize) }
    }

    pub(crate) fn pipeline_vertex_input_state_create_info_vertex_attribute_descriptions<'s>(
        of: &'s vk::PipelineVertexInputStateCreateInfo<'_>,
    ) -> &'s [vk::VertexInputAttributeDescription] {
        // SAFETY: valid usage of `VkPipelineVertexInputStateCreateInfo`.
        unsafe { slice(of.p_vertex_attribute_descriptions, of.vertex_attribute_description_count as usize) }
    }

    pub(crate) fn pipeline_viewport_state_create_info_viewports<'s>(
        of: &'s vk::PipelineViewportStateCreateInfo<'_>,
    ) -> &'s [vk::Viewport] {
        // SAFETY: valid usage of `VkPipelineViewportStateCreateInfo`.
        unsafe { slice(of.p_viewports, of.viewport_count as usize) }
    }

    pub(crate) fn pipeline_viewport_state_create_info_scissors<'s>(
        of: &'s vk::PipelineViewportStateCreateInfo<'_>,
    ) -> &'s [vk::Rect2D] {
        // SAFETY: valid usage of `VkPipelineViewportStateCreateInfo`.
        unsafe { slice(of.p_scissors, of.scissor_count as usize) }
    }

    pub(crate) fn present_id2_khr_present_ids<'s>(of: &'s newer::PresentId2) -> &'s [u64] {
        // SAFETY: valid usage of `VkPresentId2KHR`.
        unsafe { slice(of.p_present_ids, of.swapchain_count as usize) }
    }

    pub(crate) fn present_id_khr_present_ids<'s>(of: &'s vk::PresentIdKHR<'_>) -> &'s [u64] {
        // SAFETY: valid usage of `VkPresentIdKHR`.
        unsafe { slice(of.p_present_ids, of.swapchain_count as usize) }
    }

    pub(crate) fn present_info_khr_wait_semaphores<'s>(
        of: &'s vk::PresentInfoKHR<'_>,
    ) -> &'s [vk::Semaphore] {
        // SAFETY: valid usage of `VkPresentInfoKHR`.
        unsafe { slice(of.p_wait_semaphores, of.wait_semaphore_count as usize) }
    }

    pub(crate) fn present_info_khr_swapchains<'s>(of: &'s vk::PresentInfoKHR<'_>) -> &'s [vk::SwapchainKHR] {
        // SAFETY: valid usage of `VkPresentInfoKHR`.
        unsafe { slice(of.p_swapchains, of.swapchain_count as usize) }
    }

    pub(crate) fn present_info_khr_image_indices<'s>(of: &'s vk::PresentInfoKHR<'_>) -> &'s [u32] {
        // SAFETY: valid usage of `VkPresentInfoKHR`.
        unsafe { slice(of.p_image_indices, of.swapchain_count as usize) }
    }

    pub(crate) fn present_timings_info_ext_timing_infos<'s>(
        of: &'s newer::PresentTimingsInfo,
    ) -> &'s [newer::PresentTimingInfo] {
        // SAFETY: valid usage of `VkPresentTimingsInfoEXT`.
        unsafe { slice(of.p_timing_infos, of.swapchain_count as usize) }
    }

    pub(crate) fn push_constants_info_values<'s>(of: &'s vk::PushConstantsInfoKHR<'_>) -> &'s [u8] {
        // SAFETY: valid usage of `VkPushConstantsInfo`.
        unsafe { slice(of.p_values.cast::<u8>(), of.size as usize) }
    }

    pub(crate) fn push_descriptor_set_info_descriptor_writes<'s>(
        of: &'s vk::PushDescriptorSetInfoKHR<'_>,
    ) -> &'s [vk::WriteDescriptorSet<'s>] {
        // SAFETY: valid usage of `VkPushDescriptorSetInfo`.
        unsafe { slice(of.p_descriptor_writes, of.descriptor_write_count as usize) }
    }

    pub(crate) fn release_swapchain_images_info_khr_image_indices<'s>(
        of: &'s vk::ReleaseSwapchainImagesInfoEXT<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkReleaseSwapchainImagesInfoKHR`.
        unsafe { slice(of.p_image_indices, of.image_index_count as usize) }
    }

    pub(crate) fn render_pass_attachment_begin_info_attachments<'s>(
        of: &'s vk::RenderPassAttachmentBeginInfo<'_>,
    ) -> &'s [vk::ImageView] {
        // SAFETY: valid usage of `VkRenderPassAttachmentBeginInfo`.
        unsafe { slice(of.p_attachments, of.attachment_count as usize) }
    }

    pub(crate) fn render_pass_begin_info_clear_values<'s>(
        of: &'s vk::RenderPassBeginInfo<'_>,
    ) -> &'s [vk::ClearValue] {
        // SAFETY: valid usage of `VkRenderPassBeginInfo`.
        unsafe { slice(of.p_clear_values, of.clear_value_count as usize) }
    }

    pub(crate) fn render_pass_create_info_attachments<'s>(
        of: &'s vk::RenderPassCreateInfo<'_>,
    ) -> &'s [vk::AttachmentDescription] {
        // SAFETY: valid usage of `VkRenderPassCreateInfo`.
        unsafe { slice(of.p_attachments, of.attachment_count as usize) }
    }

    pub(crate) fn render_pass_create_info_subpasses<'s>(
        of: &'s vk::RenderPassCreateInfo<'_>,
    ) -> &'s [vk::SubpassDescription<'s>] {
        // SAFETY: valid usage of `VkRenderPassCreateInfo`.
        unsafe { slice(of.p_subpasses, of.subpass_count as usize) }
    }

    pub(crate) fn render_pass_create_info_dependencies<'s>(
        of: &'s vk::RenderPassCreateInfo<'_>,
    ) -> &'s [vk::SubpassDependency] {
        // SAFETY: valid usage of `VkRenderPassCreateInfo`.
        unsafe { slice(of.p_dependencies, of.dependency_count as usize) }
    }

    pub(crate) fn render_pass_create_info2_attachments<'s>(
        of: &'s vk::RenderPassCreateInfo2<'_>,
    ) -> &'s [vk::AttachmentDescription2<'s>] {
        // SAFETY: valid usage of `VkRenderPassCreateInfo2`.
        unsafe { slice(of.p_attachments, of.attachment_count as usize) }
    }

    pub(crate) fn render_pass_create_info2_subpasses<'s>(
        of: &'s vk::RenderPassCreateInfo2<'_>,
    ) -> &'s [vk::SubpassDescription2<'s>] {
        // SAFETY: valid usage of `VkRenderPassCreateInfo2`.
        unsafe { slice(of.p_subpasses, of.subpass_count as usize) }
    }

    pub(crate) fn render_pass_create_info2_dependencies<'s>(
        of: &'s vk::RenderPassCreateInfo2<'_>,
    ) -> &'s [vk::SubpassDependency2<'s>] {
        // SAFETY: valid usage of `VkRenderPassCreateInfo2`.
        unsafe { slice(of.p_dependencies, of.dependency_count as usize) }
    }

    pub(crate) fn render_pass_create_info2_correlated_view_masks<'s>(
        of: &'s vk::RenderPassCreateInfo2<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkRenderPassCreateInfo2`.
        unsafe { slice(of.p_correlated_view_masks, of.correlated_view_mask_count as usize) }
    }

    pub(crate) fn render_pass_input_attachment_aspect_create_info_aspect_references<'s>(
        of: &'s vk::RenderPassInputAttachmentAspectCreateInfo<'_>,
    ) -> &'s [vk::InputAttachmentAspectReference] {
        // SAFETY: valid usage of `VkRenderPassInputAttachmentAspectCreateInfo`.
        unsafe { slice(of.p_aspect_references, of.aspect_reference_count as usize) }
    }

    pub(crate) fn render_pass_multiview_create_info_view_masks<'s>(
        of: &'s vk::RenderPassMultiviewCreateInfo<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkRenderPassMultiviewCreateInfo`.
        unsafe { slice(of.p_view_masks, of.subpass_count as usize) }
    }

    pub(crate) fn render_pass_multiview_create_info_view_offsets<'s>(
        of: &'s vk::RenderPassMultiviewCreateInfo<'_>,
    ) -> &'s [i32] {
        // SAFETY: valid usage of `VkRenderPassMultiviewCreateInfo`.
        unsafe { slice(of.p_view_offsets, of.dependency_count as usize) }
    }

    pub(crate) fn render_pass_multiview_create_info_correlation_masks<'s>(
        of: &'s vk::RenderPassMultiviewCreateInfo<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkRenderPassMultiviewCreateInfo`.
        unsafe { slice(of.p_correlation_masks, of.correlation_mask_count as usize) }
    }

    pub(crate) fn render_pass_sample_locations_begin_info_ext_attachment_initial_sample_locations<'s>(
        of: &'s vk::RenderPassSampleLocationsBeginInfoEXT<'_>,
    ) -> &'s [vk::AttachmentSampleLocationsEXT<'s>] {
        // SAFETY: valid usage of `VkRenderPassSampleLocationsBeginInfoEXT`.
        unsafe {
            slice(
                of.p_attachment_initial_sample_locations,
                of.attachment_initial_sample_locations_count as usize,
            )
        }
    }

    pub(crate) fn render_pass_sample_locations_begin_info_ext_post_subpass_sample_locations<'s>(
        of: &'s vk::RenderPassSampleLocationsBeginInfoEXT<'_>,
    ) -> &'s [vk::SubpassSampleLocationsEXT<'s>] {
        // SAFETY: valid usage of `VkRenderPassSampleLocationsBeginInfoEXT`.
        unsafe { slice(of.p_post_subpass_sample_locations, of.post_subpass_sample_locations_count as usize) }
    }

    pub(crate) fn rendering_area_info_color_attachment_formats<'s>(
        of: &'s vk::RenderingAreaInfoKHR<'_>,
    ) -> &'s [vk::Format] {
        // SAFETY: valid usage of `VkRenderingAreaInfo`.
        unsafe { slice(of.p_color_attachment_formats, of.color_attachment_count as usize) }
    }

    pub(crate) fn rendering_attachment_location_info_color_attachment_locations<'s>(
        of: &'s vk::RenderingAttachmentLocationInfoKHR<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkRenderingAttachmentLocationInfo`.
        unsafe { slice(of.p_color_attachment_locations, of.color_attachment_count as usize) }
    }

    pub(crate) fn rendering_info_color_attachments<'s>(
        of: &'s vk::RenderingInfo<'_>,
    ) -> &'s [vk::RenderingAttachmentInfo<'s>] {
        // SAFETY: valid usage of `VkRenderingInfo`.
        unsafe { slice(of.p_color_attachments, of.color_attachment_count as usize) }
    }

    pub(crate) fn rendering_info_depth_attachment<'s>(
        of: &'s vk::RenderingInfo<'_>,
    ) -> Option<&'s vk::RenderingAttachmentInfo<'s>> {
        // SAFETY: valid usage of `VkRenderingInfo`.
        unsafe { of.p_depth_attachment.as_ref() }
    }

    pub(crate) fn rendering_info_stencil_attachment<'s>(
        of: &'s vk::RenderingInfo<'_>,
    ) -> Option<&'s vk::RenderingAttachmentInfo<'s>> {
        // SAFETY: valid usage of `VkRenderingInfo`.
        unsafe { of.p_stencil_attachment.as_ref() }
    }

    pub(crate) fn rendering_input_attachment_index_info_color_attachment_input_indices<'s>(
        of: &'s vk::RenderingInputAttachmentIndexInfoKHR<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkRenderingInputAttachmentIndexInfo`.
        unsafe { slice(of.p_color_attachment_input_indices, of.color_attachment_count as usize) }
    }

    pub(crate) fn rendering_input_attachment_index_info_depth_input_attachment_index<'s>(
        of: &'s vk::RenderingInputAttachmentIndexInfoKHR<'_>,
    ) -> Option<&'s u32> {
        // SAFETY: valid usage of `VkRenderingInputAttachmentIndexInfo`.
        unsafe { of.p_depth_input_attachment_index.as_ref() }
    }

    pub(crate) fn rendering_input_attachment_index_info_stencil_input_attachment_index<'s>(
        of: &'s vk::RenderingInputAttachmentIndexInfoKHR<'_>,
    ) -> Option<&'s u32> {
        // SAFETY: valid usage of `VkRenderingInputAttachmentIndexInfo`.
        unsafe { of.p_stencil_input_attachment_index.as_ref() }
    }

    pub(crate) fn resolve_image_info2_regions<'s>(
        of: &'s vk::ResolveImageInfo2<'_>,
    ) -> &'s [vk::ImageResolve2<'s>] {
        // SAFETY: valid usage of `VkResolveImageInfo2`.
        unsafe { slice(of.p_regions, of.region_count as usize) }
    }

    pub(crate) fn sample_locations_info_ext_sample_locations<'s>(
        of: &'s vk::SampleLocationsInfoEXT<'_>,
    ) -> &'s [vk::SampleLocationEXT] {
        // SAFETY: valid usage of `VkSampleLocationsInfoEXT`.
        unsafe { slice(of.p_sample_locations, of.sample_locations_count as usize) }
    }

    pub(crate) fn semaphore_wait_info_semaphores<'s>(
        of: &'s vk::SemaphoreWaitInfo<'_>,
    ) -> &'s [vk::Semaphore] {
        // SAFETY: valid usage of `VkSemaphoreWaitInfo`.
        unsafe { slice(of.p_semaphores, of.semaphore_count as usize) }
    }

    pub(crate) fn semaphore_wait_info_values<'s>(of: &'s vk::SemaphoreWaitInfo<'_>) -> &'s [u64] {
        // SAFETY: valid usage of `VkSemaphoreWaitInfo`.
        unsafe { slice(of.p_values, of.semaphore_count as usize) }
    }

    pub(crate) fn set_descriptor_buffer_offsets_info_ext_buffer_indices<'s>(
        of: &'s vk::SetDescriptorBufferOffsetsInfoEXT<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkSetDescriptorBufferOffsetsInfoEXT`.
        unsafe { slice(of.p_buffer_indices, of.set_count as usize) }
    }

    pub(crate) fn set_descriptor_buffer_offsets_info_ext_offsets<'s>(
        of: &'s vk::SetDescriptorBufferOffsetsInfoEXT<'_>,
    ) -> &'s [vk::DeviceSize] {
        // SAFETY: valid usage of `VkSetDescriptorBufferOffsetsInfoEXT`.
        unsafe { slice(of.p_offsets, of.set_count as usize) }
    }

    pub(crate) fn shader_create_info_ext_code<'s>(of: &'s vk::ShaderCreateInfoEXT<'_>) -> &'s [u8] {
        // SAFETY: valid usage of `VkShaderCreateInfoEXT`.
        unsafe { slice(of.p_code.cast::<u8>(), of.code_size as usize) }
    }

    pub(crate) fn shader_create_info_ext_name<'s>(of: &'s vk::ShaderCreateInfoEXT<'_>) -> Option<&'s CStr> {
        // SAFETY: valid usage of `VkShaderCreateInfoEXT`.
        unsafe { text_of(of.p_name) }
    }

    pub(crate) fn shader_create_info_ext_set_layouts<'s>(
        of: &'s vk::ShaderCreateInfoEXT<'_>,
    ) -> &'s [vk::DescriptorSetLayout] {
        // SAFETY: valid usage of `VkShaderCreateInfoEXT`.
        unsafe { slice(of.p_set_layouts, of.set_layout_count as usize) }
    }

    pub(crate) fn shader_create_info_ext_push_constant_ranges<'s>(
        of: &'s vk::ShaderCreateInfoEXT<'_>,
    ) -> &'s [vk::PushConstantRange] {
        // SAFETY: valid usage of `VkShaderCreateInfoEXT`.
        unsafe { slice(of.p_push_constant_ranges, of.push_constant_range_count as usize) }
    }

    pub(crate) fn shader_create_info_ext_specialization_info<'s>(
        of: &'s vk::ShaderCreateInfoEXT<'_>,
    ) -> Option<&'s vk::SpecializationInfo<'s>> {
        // SAFETY: valid usage of `VkShaderCreateInfoEXT`.
        unsafe { of.p_specialization_info.as_ref() }
    }

    pub(crate) fn sparse_buffer_memory_bind_info_binds<'s>(
        of: &'s vk::SparseBufferMemoryBindInfo<'_>,
    ) -> &'s [vk::SparseMemoryBind] {
        // SAFETY: valid usage of `VkSparseBufferMemoryBindInfo`.
        unsafe { slice(of.p_binds, of.bind_count as usize) }
    }

    pub(crate) fn sparse_image_memory_bind_info_binds<'s>(
        of: &'s vk::SparseImageMemoryBindInfo<'_>,
    ) -> &'s [vk::SparseImageMemoryBind] {
        // SAFETY: valid usage of `VkSparseImageMemoryBindInfo`.
        unsafe { slice(of.p_binds, of.bind_count as usize) }
    }

    pub(crate) fn sparse_image_opaque_memory_bind_info_binds<'s>(
        of: &'s vk::SparseImageOpaqueMemoryBindInfo<'_>,
    ) -> &'s [vk::SparseMemoryBind] {
        // SAFETY: valid usage of `VkSparseImageOpaqueMemoryBindInfo`.
        unsafe { slice(of.p_binds, of.bind_count as usize) }
    }

    pub(crate) fn specialization_info_map_entries<'s>(
        of: &'s vk::SpecializationInfo<'_>,
    ) -> &'s [vk::SpecializationMapEntry] {
        // SAFETY: valid usage of `VkSpecializationInfo`.
        unsafe { slice(of.p_map_entries, of.map_entry_count as usize) }
    }

    pub(crate) fn specialization_info_data<'s>(of: &'s vk::SpecializationInfo<'_>) -> &'s [u8] {
        // SAFETY: valid usage of `VkSpecializationInfo`.
        unsafe { slice(of.p_data.cast::<u8>(), of.data_size as usize) }
    }

    pub(crate) fn submit_info_wait_semaphores<'s>(of: &'s vk::SubmitInfo<'_>) -> &'s [vk::Semaphore] {
        // SAFETY: valid usage of `VkSubmitInfo`.
        unsafe { slice(of.p_wait_semaphores, of.wait_semaphore_count as usize) }
    }

    pub(crate) fn submit_info_wait_dst_stage_mask<'s>(
        of: &'s vk::SubmitInfo<'_>,
    ) -> &'s [vk::PipelineStageFlags] {
        // SAFETY: valid usage of `VkSubmitInfo`.
        unsafe { slice(of.p_wait_dst_stage_mask, of.wait_semaphore_count as usize) }
    }

    pub(crate) fn submit_info_command_buffers<'s>(of: &'s vk::SubmitInfo<'_>) -> &'s [vk::CommandBuffer] {
        // SAFETY: valid usage of `VkSubmitInfo`.
        unsafe { slice(of.p_command_buffers, of.command_buffer_count as usize) }
    }

    pub(crate) fn submit_info_signal_semaphores<'s>(of: &'s vk::SubmitInfo<'_>) -> &'s [vk::Semaphore] {
        // SAFETY: valid usage of `VkSubmitInfo`.
        unsafe { slice(of.p_signal_semaphores, of.signal_semaphore_count as usize) }
    }

    pub(crate) fn submit_info2_wait_semaphore_infos<'s>(
        of: &'s vk::SubmitInfo2<'_>,
    ) -> &'s [vk::SemaphoreSubmitInfo<'s>] {
        // SAFETY: valid usage of `VkSubmitInfo2`.
        unsafe { slice(of.p_wait_semaphore_infos, of.wait_semaphore_info_count as usize) }
    }

    pub(crate) fn submit_info2_command_buffer_infos<'s>(
        of: &'s vk::SubmitInfo2<'_>,
    ) -> &'s [vk::CommandBufferSubmitInfo<'s>] {
        // SAFETY: valid usage of `VkSubmitInfo2`.
        unsafe { slice(of.p_command_buffer_infos, of.command_buffer_info_count as usize) }
    }

    pub(crate) fn submit_info2_signal_semaphore_infos<'s>(
        of: &'s vk::SubmitInfo2<'_>,
    ) -> &'s [vk::SemaphoreSubmitInfo<'s>] {
        // SAFETY: valid usage of `VkSubmitInfo2`.
        unsafe { slice(of.p_signal_semaphore_infos, of.signal_semaphore_info_count as usize) }
    }

    pub(crate) fn subpass_description_input_attachments<'s>(
        of: &'s vk::SubpassDescription<'_>,
    ) -> &'s [vk::AttachmentReference] {
        // SAFETY: valid usage of `VkSubpassDescription`.
        unsafe { slice(of.p_input_attachments, of.input_attachment_count as usize) }
    }

    pub(crate) fn subpass_description_color_attachments<'s>(
        of: &'s vk::SubpassDescription<'_>,
    ) -> &'s [vk::AttachmentReference] {
        // SAFETY: valid usage of `VkSubpassDescription`.
        unsafe { slice(of.p_color_attachments, of.color_attachment_count as usize) }
    }

    pub(crate) fn subpass_description_resolve_attachments<'s>(
        of: &'s vk::SubpassDescription<'_>,
    ) -> &'s [vk::AttachmentReference] {
        // SAFETY: valid usage of `VkSubpassDescription`.
        unsafe { slice(of.p_resolve_attachments, of.color_attachment_count as usize) }
    }

    pub(crate) fn subpass_description_depth_stencil_attachment<'s>(
        of: &'s vk::SubpassDescription<'_>,
    ) -> Option<&'s vk::AttachmentReference> {
        // SAFETY: valid usage of `VkSubpassDescription`.
        unsafe { of.p_depth_stencil_attachment.as_ref() }
    }

    pub(crate) fn subpass_description_preserve_attachments<'s>(
        of: &'s vk::SubpassDescription<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkSubpassDescription`.
        unsafe { slice(of.p_preserve_attachments, of.preserve_attachment_count as usize) }
    }

    pub(crate) fn subpass_description2_input_attachments<'s>(
        of: &'s vk::SubpassDescription2<'_>,
    ) -> &'s [vk::AttachmentReference2<'s>] {
        // SAFETY: valid usage of `VkSubpassDescription2`.
        unsafe { slice(of.p_input_attachments, of.input_attachment_count as usize) }
    }

    pub(crate) fn subpass_description2_color_attachments<'s>(
        of: &'s vk::SubpassDescription2<'_>,
    ) -> &'s [vk::AttachmentReference2<'s>] {
        // SAFETY: valid usage of `VkSubpassDescription2`.
        unsafe { slice(of.p_color_attachments, of.color_attachment_count as usize) }
    }

    pub(crate) fn subpass_description2_resolve_attachments<'s>(
        of: &'s vk::SubpassDescription2<'_>,
    ) -> &'s [vk::AttachmentReference2<'s>] {
        // SAFETY: valid usage of `VkSubpassDescription2`.
        unsafe { slice(of.p_resolve_attachments, of.color_attachment_count as usize) }
    }

    pub(crate) fn subpass_description2_depth_stencil_attachment<'s>(
        of: &'s vk::SubpassDescription2<'_>,
    ) -> Option<&'s vk::AttachmentReference2<'s>> {
        // SAFETY: valid usage of `VkSubpassDescription2`.
        unsafe { of.p_depth_stencil_attachment.as_ref() }
    }

    pub(crate) fn subpass_description2_preserve_attachments<'s>(
        of: &'s vk::SubpassDescription2<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkSubpassDescription2`.
        unsafe { slice(of.p_preserve_attachments, of.preserve_attachment_count as usize) }
    }

    pub(crate) fn subpass_description_depth_stencil_resolve_depth_stencil_resolve_attachment<'s>(
        of: &'s vk::SubpassDescriptionDepthStencilResolve<'_>,
    ) -> Option<&'s vk::AttachmentReference2<'s>> {
        // SAFETY: valid usage of `VkSubpassDescriptionDepthStencilResolve`.
        unsafe { of.p_depth_stencil_resolve_attachment.as_ref() }
    }

    pub(crate) fn swapchain_create_info_khr_queue_family_indices<'s>(
        of: &'s vk::SwapchainCreateInfoKHR<'_>,
    ) -> &'s [u32] {
        // SAFETY: valid usage of `VkSwapchainCreateInfoKHR`.
        unsafe { slice(of.p_queue_family_indices, of.queue_family_index_count as usize) }
    }

    pub(crate) fn swapchain_present_fence_info_khr_fences<'s>(
        of: &'s vk::SwapchainPresentFenceInfoEXT<'_>,
    ) -> &'s [vk::Fence] {
        // SAFETY: valid usage of `VkSwapchainPresentFenceInfoKHR`.
        unsafe { slice(of.p_fences, of.swapchain_count as usize) }
    }

    pub(crate) fn swapchain_present_mode_info_khr_present_modes<'s>(
        of: &'s vk::SwapchainPresentModeInfoEXT<'_>,
    ) -> &'s [vk::PresentModeKHR] {
        // SAFETY: valid usage of `VkSwapchainPresentModeInfoKHR`.
        unsafe { slice(of.p_present_modes, of.swapchain_count as usize) }
    }

    pub(crate) fn swapchain_present_modes_create_info_khr_present_modes<'s>(
        of: &'s vk::SwapchainPresentModesCreateInfoEXT<'_>,
    ) -> &'s [vk::PresentModeKHR] {
        // SAFETY: valid usage of `VkSwapchainPresentModesCreateInfoKHR`.
        unsafe { slice(of.p_present_modes, of.present_mode_count as usize) }
    }

    pub(crate) fn timeline_semaphore_submit_info_wait_semaphore_values<'s>(
        of: &'s vk::TimelineSemaphoreSubmitInfo<'_>,
    ) -> &'s [u64] {
        // SAFETY: valid usage of `VkTimelineSemaphoreSubmitInfo`.
        unsafe { slice(of.p_wait_semaphore_values, of.wait_semaphore_value_count as usize) }
    }

    pub(crate) fn timeline_semaphore_submit_info_signal_semaphore_values<'s>(
        of: &'s vk::TimelineSemaphoreSubmitInfo<'_>,
    ) -> &'s [u64] {
        // SAFETY: valid usage of `VkTimelineSemaphoreSubmitInfo`.
        unsafe { slice(of.p_signal_semaphore_values, of.signal_semaphore_value_count as usize) }
    }

    pub(crate) fn write_descriptor_set_image_info<'s>(
        of: &'s vk::WriteDescriptorSet<'_>,
    ) -> &'s [vk::DescriptorImageInfo] {
        // SAFETY: valid usage of `VkWriteDescriptorSet`.
        unsafe { slice(of.p_image_info, of.descriptor_count as usize) }
    }

    pub(crate) fn write_descriptor_set_buffer_info<'s>(
        of: &'s vk::WriteDescriptorSet<'_>,
    ) -> &'s [vk::DescriptorBufferInfo] {
        // SAFETY: valid usage of `VkWriteDescriptorSet`.
        unsafe { slice(of.p_buffer_info, of.descriptor_count as usize) }
    }

    pub(crate) fn write_descriptor_set_texel_buffer_view<'s>(
        of: &'s vk::WriteDescriptorSet<'_>,
    ) -> &'s [vk::BufferView] {
        // SAFETY: valid usage of `VkWriteDescriptorSet`.
        unsafe { slice(of.p_texel_buffer_view, of.descriptor_count as usize) }
    }

    pub(crate) fn write_descriptor_set_acceleration_structure_khr_acceleration_structures<'s>(
        of: &'s vk::WriteDescriptorSetAccelerationStructureKHR<'_>,
    ) -> &'s [vk::AccelerationStructureKHR] {
        // SAFETY: valid usage of `VkWriteDescriptorSetAccelerationStructureKHR`.
        unsafe { slice(of.p_acceleration_structures, of.acceleration_structure_count as usize) }
    }

    pub(crate) fn write_descriptor_set_inline_uniform_block_data<'s>(
        of: &'s vk::WriteDescriptorSetInlineUniformBlock<'_>,
    ) -> &'s [u8] {
        // SAFETY: valid usage of `VkWriteDescriptorSetInlineUniformBlock`.
        unsafe { slice(of.p_data.cast::<u8>(), of.data_size as usize) }
    }
}
