//! The Vulkan device, buffers and commands. The process ends after the list, so nothing is destroyed.

use std::ffi::CStr;

use ash::{ext, khr, vk};

use crate::Error;
use crate::{binaries, condition, generated};

/// Extensions that are enabled where they are.
const EXTENSIONS: [&CStr; 36] = [
    condition::NAME,
    generated::NAME,
    ash::khr::acceleration_structure::NAME,
    ash::khr::deferred_host_operations::NAME,
    ash::khr::ray_query::NAME,
    ash::ext::robustness2::NAME,
    ash::ext::transform_feedback::NAME,
    ash::ext::custom_border_color::NAME,
    ash::ext::border_color_swizzle::NAME,
    ash::ext::provoking_vertex::NAME,
    ash::ext::graphics_pipeline_library::NAME,
    ash::khr::pipeline_library::NAME,
    ash::khr::push_descriptor::NAME,
    ash::ext::extended_dynamic_state2::NAME,
    ash::ext::extended_dynamic_state3::NAME,
    ash::ext::vertex_input_dynamic_state::NAME,
    ash::ext::color_write_enable::NAME,
    ash::ext::depth_clip_enable::NAME,
    ash::ext::line_rasterization::NAME,
    ash::ext::shader_object::NAME,
    ash::ext::primitive_topology_list_restart::NAME,
    ash::ext::non_seamless_cube_map::NAME,
    ash::ext::image_2d_view_of_3d::NAME,
    ash::ext::multi_draw::NAME,
    ash::ext::shader_stencil_export::NAME,
    ash::khr::shader_subgroup_rotate::NAME,
    ash::ext::primitives_generated_query::NAME,
    ash::ext::dynamic_rendering_unused_attachments::NAME,
    ash::khr::workgroup_memory_explicit_layout::NAME,
    ash::khr::maintenance6::NAME,
    ash::ext::depth_bias_control::NAME,
    ash::ext::mutable_descriptor_type::NAME,
    ash::ext::nested_command_buffer::NAME,
    ash::ext::mesh_shader::NAME,
    ash::khr::maintenance5::NAME,
    binaries::NAME,
];

/// A device with everything enabled that it has.
pub struct Device {
    /// Functions of the device.
    pub functions: ash::Device,
    /// Its queue.
    pub queue: vk::Queue,
    memory: vk::PhysicalDeviceMemoryProperties,
    pool: vk::CommandPool,
    /// Shaders may compute with 64-bit floats.
    pub has_doubles: bool,
    /// Functions of transform feedback.
    pub feedback: Option<ash::ext::transform_feedback::Device>,
    /// Functions of descriptors that commands hold.
    pub push: ash::khr::push_descriptor::Device,
    /// Functions that set state, and shader objects.
    pub states: Option<States>,
    /// Functions that take structures in place of parameters.
    pub structures: ash::khr::maintenance6::Device,
    /// Functions of representations of depth bias.
    pub bias: Option<ash::ext::depth_bias_control::Device>,
    /// Functions of meshes.
    pub meshes: Option<ash::ext::mesh_shader::Device>,
    /// Functions of acceleration structures.
    pub structures_of_rays: Option<ash::khr::acceleration_structure::Device>,
    /// Functions of pipeline binaries.
    pub binaries: Option<binaries::Functions>,
    /// Functions of generated commands.
    pub generated: Option<generated::Functions>,
    /// Functions of commands that depend on a condition.
    pub conditions: Option<ash::ext::conditional_rendering::Device>,
    /// Functions of several draws at once.
    pub draws: Option<ash::ext::multi_draw::Device>,
    _entry: ash::Entry,
    _instance: ash::Instance,
}

/// Functions that set state, and shader objects.
pub struct States {
    /// Shader objects, and most state.
    pub objects: ash::ext::shader_object::Device,
    /// The logic operation.
    pub second: ash::ext::extended_dynamic_state2::Device,
    /// Extended dynamic state 3.
    pub third: ash::ext::extended_dynamic_state3::Device,
    /// Vertex input.
    pub input: ash::ext::vertex_input_dynamic_state::Device,
    /// Which targets are written.
    pub writes: ash::ext::color_write_enable::Device,
}

impl States {
    fn new(instance: &ash::Instance, device: &ash::Device) -> States {
        States {
            objects: ash::ext::shader_object::Device::new(instance, device),
            second: ash::ext::extended_dynamic_state2::Device::new(instance, device),
            third: ash::ext::extended_dynamic_state3::Device::new(instance, device),
            input: ash::ext::vertex_input_dynamic_state::Device::new(instance, device),
            writes: ash::ext::color_write_enable::Device::new(instance, device),
        }
    }
}

/// A buffer that the host sees.
pub struct Buffer {
    /// The buffer.
    pub buffer: vk::Buffer,
    pointer: *mut u8,
    bytes: usize,
}

impl Buffer {
    /// Its contents.
    pub fn read(&self) -> Vec<u8> {
        // SAFETY: the mapping is coherent, has a given number of bytes and lasts until the process ends.
        unsafe { std::slice::from_raw_parts(self.pointer, self.bytes).to_vec() }
    }
}

fn instance(entry: &ash::Entry) -> Result<ash::Instance, Error> {
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let create = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: structures live through the call.
    Ok(unsafe { entry.create_instance(&create, None)? })
}

/// Features of extensions: those that the driver has are enabled.
#[derive(Default)]
struct Wanted {
    versions: Versions,
    feedback: vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'static>,
    provoking: vk::PhysicalDeviceProvokingVertexFeaturesEXT<'static>,
    borders: vk::PhysicalDeviceCustomBorderColorFeaturesEXT<'static>,
    swizzles: vk::PhysicalDeviceBorderColorSwizzleFeaturesEXT<'static>,
    libraries: vk::PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT<'static>,
    states: SetStates,
    nulls: vk::PhysicalDeviceRobustness2FeaturesEXT<'static>,
    more: More,
}

/// Features that change how drivers compile all shaders.
#[derive(Clone, Copy, Default)]
pub struct Special {
    /// Custom border colours.
    pub borders: bool,
    /// Null descriptors, and accesses outside resources.
    pub nulls: bool,
}

/// Features of which each is one of an extension.
#[derive(Default)]
struct More {
    restarts: vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT<'static>,
    seams: vk::PhysicalDeviceNonSeamlessCubeMapFeaturesEXT<'static>,
    slices: vk::PhysicalDeviceImage2DViewOf3DFeaturesEXT<'static>,
    draws: vk::PhysicalDeviceMultiDrawFeaturesEXT<'static>,
    rotations: vk::PhysicalDeviceShaderSubgroupRotateFeaturesKHR<'static>,
    counts: vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT<'static>,
    unused: vk::PhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT<'static>,
    shared: vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'static>,
    structures: vk::PhysicalDeviceMaintenance6FeaturesKHR<'static>,
    bias: vk::PhysicalDeviceDepthBiasControlFeaturesEXT<'static>,
    mutable: vk::PhysicalDeviceMutableDescriptorTypeFeaturesEXT<'static>,
    meshes: vk::PhysicalDeviceMeshShaderFeaturesEXT<'static>,
    structures_of_rays: vk::PhysicalDeviceAccelerationStructureFeaturesKHR<'static>,
    rays: vk::PhysicalDeviceRayQueryFeaturesKHR<'static>,
    binaries: binaries::Features,
    generated: generated::Features,
    conditions: vk::PhysicalDeviceConditionalRenderingFeaturesEXT<'static>,
    nested: vk::PhysicalDeviceNestedCommandBufferFeaturesEXT<'static>,
}

impl More {
    /// Those that the driver knows, at a chain.
    fn chain<'s>(
        &'s mut self,
        knows: impl Fn(&CStr) -> bool,
        mut features: vk::PhysicalDeviceFeatures2<'s>,
    ) -> vk::PhysicalDeviceFeatures2<'s> {
        /// Adds the structures of the extensions that the driver knows.
        macro_rules! add {
            ($($name:expr => $field:ident;)*) => {
                $(if knows($name) {
                    features = features.push_next(&mut self.$field);
                })*
            };
        }
        add! {
            ash::ext::primitive_topology_list_restart::NAME => restarts;
            ash::ext::non_seamless_cube_map::NAME => seams;
            ash::ext::image_2d_view_of_3d::NAME => slices;
            ash::ext::multi_draw::NAME => draws;
            ash::khr::shader_subgroup_rotate::NAME => rotations;
            ash::ext::primitives_generated_query::NAME => counts;
            ash::ext::dynamic_rendering_unused_attachments::NAME => unused;
            ash::khr::workgroup_memory_explicit_layout::NAME => shared;
            ash::khr::maintenance6::NAME => structures;
            ash::ext::depth_bias_control::NAME => bias;
            ash::ext::mutable_descriptor_type::NAME => mutable;
            ash::ext::mesh_shader::NAME => meshes;
            ash::khr::acceleration_structure::NAME => structures_of_rays;
            ash::khr::ray_query::NAME => rays;
            binaries::NAME => binaries;
            generated::NAME => generated;
            condition::NAME => conditions;
            ash::ext::nested_command_buffer::NAME => nested;
        }
        features
    }
}

/// Features of versions.
#[derive(Default)]
struct Versions {
    f11: vk::PhysicalDeviceVulkan11Features<'static>,
    f12: vk::PhysicalDeviceVulkan12Features<'static>,
    f13: vk::PhysicalDeviceVulkan13Features<'static>,
}

/// Features of state that commands set, and of shader objects.
#[derive(Default)]
struct SetStates {
    second: vk::PhysicalDeviceExtendedDynamicState2FeaturesEXT<'static>,
    third: vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT<'static>,
    input: vk::PhysicalDeviceVertexInputDynamicStateFeaturesEXT<'static>,
    writes: vk::PhysicalDeviceColorWriteEnableFeaturesEXT<'static>,
    clips: vk::PhysicalDeviceDepthClipEnableFeaturesEXT<'static>,
    lines: vk::PhysicalDeviceLineRasterizationFeaturesKHR<'static>,
    objects: vk::PhysicalDeviceShaderObjectFeaturesEXT<'static>,
}

impl Wanted {
    /// A chain to ask the driver with.
    fn chain(
        &mut self,
        knows: impl Fn(&CStr) -> bool,
        Special { borders: custom_borders, nulls }: Special,
    ) -> vk::PhysicalDeviceFeatures2<'_> {
        let mut features = vk::PhysicalDeviceFeatures2::default();
        if knows(ash::ext::transform_feedback::NAME) {
            features = features.push_next(&mut self.feedback);
        }
        if knows(ash::ext::provoking_vertex::NAME) {
            features = features.push_next(&mut self.provoking);
        }
        if custom_borders && knows(ash::ext::custom_border_color::NAME) {
            features = features.push_next(&mut self.borders);
        }
        if custom_borders && knows(ash::ext::border_color_swizzle::NAME) {
            features = features.push_next(&mut self.swizzles);
        }
        if knows(ash::ext::graphics_pipeline_library::NAME) {
            features = features.push_next(&mut self.libraries);
        }
        if knows(ash::ext::shader_object::NAME) {
            let SetStates { second, third, input, writes, clips, lines, objects } = &mut self.states;
            features = features.push_next(second).push_next(third).push_next(input).push_next(writes);
            features = features.push_next(clips).push_next(lines).push_next(objects);
        }
        if nulls && knows(ash::ext::robustness2::NAME) {
            features = features.push_next(&mut self.nulls);
        }
        let Versions { f11, f12, f13 } = &mut self.versions;
        let features = self.more.chain(knows, features);
        features.push_next(f13).push_next(f12).push_next(f11)
    }
}

impl Device {
    /// Opens the first device of the Vulkan loader.
    ///
    /// # Errors
    /// No Vulkan library, no driver, or no device.
    #[cfg(feature = "loaded")]
    pub fn open(special: Special) -> Result<Device, Error> {
        // SAFETY: the Vulkan loader is what its name says.
        Device::of(unsafe { ash::Entry::load()? }, special)
    }

    /// Opens the first device of a driver.
    ///
    /// # Errors
    /// No device, or Vulkan's error.
    pub fn of(entry: ash::Entry, special: Special) -> Result<Device, Error> {
        // SAFETY: structures live through the calls.
        unsafe {
            let instance = instance(&entry)?;
            let physical = *instance.enumerate_physical_devices()?.first().ok_or("there is no device")?;
            let queues =
                [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
            let has = instance.enumerate_device_extension_properties(physical)?;
            let knows = |name: &CStr| has.iter().any(|found| found.extension_name_as_c_str() == Ok(name));
            let names: Vec<_> =
                EXTENSIONS.iter().filter(|name| knows(name)).map(|name| name.as_ptr()).collect();
            let mut wanted = Wanted::default();
            let mut features = wanted.chain(knows, special);
            instance.get_physical_device_features2(physical, &mut features);
            features.features.robust_buffer_access = special.nulls.into();
            let has_doubles = features.features.shader_float64 != 0;
            let create = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names)
                .push_next(&mut features);
            let functions = instance.create_device(physical, &create, None)?;
            let pool = functions.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
            let feedback = knows(ext::transform_feedback::NAME)
                .then(|| ext::transform_feedback::Device::new(&instance, &functions));
            let states = knows(ash::ext::shader_object::NAME).then(|| States::new(&instance, &functions));
            let draws =
                knows(ext::multi_draw::NAME).then(|| ext::multi_draw::Device::new(&instance, &functions));
            let structures_of_rays = knows(khr::acceleration_structure::NAME)
                .then(|| khr::acceleration_structure::Device::new(&instance, &functions));
            let bias = knows(ext::depth_bias_control::NAME)
                .then(|| ext::depth_bias_control::Device::new(&instance, &functions));
            let binaries =
                knows(binaries::NAME).then(|| binaries::Functions::new(&instance, &functions)).flatten();
            let meshes =
                knows(ext::mesh_shader::NAME).then(|| ext::mesh_shader::Device::new(&instance, &functions));
            let conditions = knows(condition::NAME)
                .then(|| ext::conditional_rendering::Device::new(&instance, &functions));
            Ok(Device {
                queue: functions.get_device_queue(0, 0),
                memory: instance.get_physical_device_memory_properties(physical),
                push: khr::push_descriptor::Device::new(&instance, &functions),
                structures: khr::maintenance6::Device::new(&instance, &functions),
                binaries,
                conditions,
                generated: generated::Functions::new(&instance, &functions),
                meshes,
                structures_of_rays,
                bias,
                functions,
                draws,
                pool,
                has_doubles,
                feedback,
                states,
                _entry: entry,
                _instance: instance,
            })
        }
    }

    /// Memory for something.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn allocate(
        &self,
        needs: vk::MemoryRequirements,
        flags: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, Error> {
        self.allocate_as(needs, flags, vk::MemoryAllocateInfo::default())
    }

    /// Memory for something, with more in its structure than size and type.
    fn allocate_as(
        &self,
        needs: vk::MemoryRequirements,
        flags: vk::MemoryPropertyFlags,
        info: vk::MemoryAllocateInfo<'_>,
    ) -> Result<vk::DeviceMemory, Error> {
        let types = &self.memory.memory_types[..self.memory.memory_type_count as usize];
        let fits = |(at, kind): &(usize, &vk::MemoryType)| {
            needs.memory_type_bits >> at & 1 != 0 && kind.property_flags.contains(flags)
        };
        let (index, _) = types.iter().enumerate().find(fits).ok_or("no such memory")?;
        let info = info.allocation_size(needs.size).memory_type_index(index as u32);
        // SAFETY: the structure lives through the call.
        Ok(unsafe { self.functions.allocate_memory(&info, None)? })
    }

    /// Memory that the processor sees and that has an address.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn allocate_addressed(&self, needs: vk::MemoryRequirements) -> Result<vk::DeviceMemory, Error> {
        let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let mut addressed =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        self.allocate_as(needs, flags, vk::MemoryAllocateInfo::default().push_next(&mut addressed))
    }

    /// A buffer with these bytes in it, for any use.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn buffer(&self, content: &[u8]) -> Result<Buffer, Error> {
        use vk::BufferUsageFlags as U;
        let usage = U::STORAGE_BUFFER
            | U::UNIFORM_BUFFER
            | U::TRANSFER_SRC
            | U::TRANSFER_DST
            | U::INDIRECT_BUFFER
            | U::INDEX_BUFFER
            | U::VERTEX_BUFFER
            | U::UNIFORM_TEXEL_BUFFER
            | U::STORAGE_TEXEL_BUFFER;
        let usage = if self.feedback.is_some() { usage | U::TRANSFORM_FEEDBACK_BUFFER_EXT } else { usage };
        let usage = if self.conditions.is_some() { usage | U::CONDITIONAL_RENDERING_EXT } else { usage };
        let size = content.len().max(4) as u64;
        let create = vk::BufferCreateInfo::default().size(size).usage(usage);
        let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: handles are this device's; the mapping has at least `size` bytes.
        unsafe {
            let buffer = self.functions.create_buffer(&create, None)?;
            let memory = self.allocate(self.functions.get_buffer_memory_requirements(buffer), flags)?;
            self.functions.bind_buffer_memory(buffer, memory, 0)?;
            let pointer = self.functions.map_memory(memory, 0, size, vk::MemoryMapFlags::empty())?;
            std::ptr::copy_nonoverlapping(content.as_ptr(), pointer.cast(), content.len());
            Ok(Buffer { buffer, pointer: pointer.cast(), bytes: content.len() })
        }
    }

    /// Records commands, submits them and waits.
    ///
    /// # Errors
    /// The error of Vulkan or of the recording.
    pub fn submit(&self, record: impl FnOnce(vk::CommandBuffer) -> Result<(), Error>) -> Result<(), Error> {
        self.submit_recorded(self.recorded(record)?)
    }

    /// Submits commands and waits.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn submit_recorded(&self, commands: vk::CommandBuffer) -> Result<(), Error> {
        let commands = [commands];
        // SAFETY: handles are this device's; the queue is idle before anything is used again.
        unsafe {
            let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
            let fence = self.functions.create_fence(&vk::FenceCreateInfo::default(), None)?;
            self.functions.queue_submit(self.queue, &submit, fence)?;
            self.functions.wait_for_fences(&[fence], true, u64::MAX)?;
        }
        Ok(())
    }

    /// A command buffer with a barrier at its end.
    ///
    /// # Errors
    /// The error of Vulkan or of the recording.
    pub fn recorded(
        &self,
        record: impl FnOnce(vk::CommandBuffer) -> Result<(), Error>,
    ) -> Result<vk::CommandBuffer, Error> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: handles are this device's.
        unsafe {
            let commands = self.functions.allocate_command_buffers(&info)?[0];
            self.functions.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            record(commands)?;
            self.barrier(commands);
            self.functions.end_command_buffer(commands)?;
            Ok(commands)
        }
    }

    /// Records commands into a secondary command buffer and executes it, in others of more levels.
    ///
    /// # Errors
    /// The error of Vulkan or of the recording.
    pub fn secondary(
        &self,
        primary: vk::CommandBuffer,
        (inheritance, flags): (&vk::CommandBufferInheritanceInfo<'_>, vk::CommandBufferUsageFlags),
        levels: u32,
        record: impl FnOnce(vk::CommandBuffer) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let info = vk::CommandBufferAllocateInfo::default()
            .level(vk::CommandBufferLevel::SECONDARY)
            .command_pool(self.pool)
            .command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default().inheritance_info(inheritance).flags(flags);
        // SAFETY: handles are this device's.
        unsafe {
            let commands = self.functions.allocate_command_buffers(&info)?;
            self.functions.begin_command_buffer(commands[0], &begin)?;
            record(commands[0])?;
            self.functions.end_command_buffer(commands[0])?;
            let mut executed = commands;
            for _ in 1..levels {
                let outer = self.functions.allocate_command_buffers(&info)?;
                self.functions.begin_command_buffer(outer[0], &begin)?;
                self.functions.cmd_execute_commands(outer[0], &executed);
                self.functions.end_command_buffer(outer[0])?;
                executed = outer;
            }
            self.functions.cmd_execute_commands(primary, &executed);
        }
        Ok(())
    }

    /// Submits commands that wait for a number of a semaphore, which is reached once they are submitted, and signal the next;
    /// waits for that.
    ///
    /// # Errors
    /// Vulkan's error, or commands that have already run.
    pub fn submit_numbered(&self, commands: vk::CommandBuffer) -> Result<(), Error> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(3);
        let create = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let stages = vk::PipelineStageFlags2::ALL_COMMANDS;
        // SAFETY: handles are this device's; the commands have ended before the function does.
        unsafe {
            let semaphore = self.functions.create_semaphore(&create, None)?;
            let point = vk::SemaphoreSubmitInfo::default().semaphore(semaphore).stage_mask(stages);
            let (waits, signals) = ([point.value(5)], [point.value(9)]);
            let list = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
            let submit = [vk::SubmitInfo2::default()
                .wait_semaphore_infos(&waits)
                .command_buffer_infos(&list)
                .signal_semaphore_infos(&signals)];
            self.functions.queue_submit2(self.queue, &submit, vk::Fence::null())?;
            if self.functions.get_semaphore_counter_value(semaphore)? != 3 {
                return Err("commands ran before what they wait for".into());
            }
            let reached = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(5);
            self.functions.signal_semaphore(&reached)?;
            let (semaphores, values) = ([semaphore], [9]);
            let wait = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
            self.functions.wait_semaphores(&wait, u64::MAX)?;
        }
        Ok(())
    }

    /// As [`Device::barrier`], by an event.
    ///
    /// # Errors
    /// Vulkan's error.
    pub fn event(&self, commands: vk::CommandBuffer) -> Result<(), Error> {
        let create = vk::EventCreateInfo::default().flags(vk::EventCreateFlags::DEVICE_ONLY);
        let (stages, all) = (
            vk::PipelineStageFlags2::ALL_COMMANDS,
            vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE,
        );
        let barriers = [vk::MemoryBarrier2::default()
            .src_stage_mask(stages)
            .src_access_mask(all)
            .dst_stage_mask(stages)
            .dst_access_mask(all)];
        let dependency = vk::DependencyInfo::default().memory_barriers(&barriers);
        // SAFETY: the command buffer is being recorded.
        unsafe {
            let event = self.functions.create_event(&create, None)?;
            self.functions.cmd_set_event2(commands, event, &dependency);
            self.functions.cmd_wait_events2(commands, &[event], &[dependency]);
            self.functions.cmd_reset_event2(commands, event, stages);
        }
        Ok(())
    }

    /// Everything before is seen by everything after.
    pub fn barrier(&self, commands: vk::CommandBuffer) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = [vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all)];
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is being recorded.
        unsafe {
            self.functions.cmd_pipeline_barrier(commands, stages, stages, none, &barrier, &[], &[]);
        }
    }
}
