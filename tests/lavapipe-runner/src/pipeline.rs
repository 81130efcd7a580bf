//! From a request to what the shader left in the buffers.

use ash::vk;

use crate::Error;
use crate::device::Device;
use crate::request::{Buffer, BufferKind, Request};

/// A buffer of the device and where the host sees it.
struct Mapped {
    buffer: vk::Buffer,
    address: *mut u8,
    length: usize,
}

/// Runs the request and gives the buffers' contents afterwards.
///
/// # Errors
/// What Vulkan says.
pub fn run(device: &Device, request: &Request<'_>) -> Result<Vec<Vec<u8>>, Error> {
    let buffers =
        request.buffers.iter().map(|buffer| upload(device, buffer)).collect::<Result<Vec<_>, Error>>()?;
    let set_layout = set_layout(device, request)?;
    let set = descriptor_set(device, request, set_layout, &buffers)?;
    let layout = pipeline_layout(device, request, set_layout)?;
    let pipeline = pipeline(device, request, layout)?;
    dispatch(device, request, layout, pipeline, set)?;
    let contents = buffers.iter().map(|mapped| {
        // SAFETY: the memory stays mapped with this length, and the device has finished.
        unsafe { std::slice::from_raw_parts(mapped.address, mapped.length) }.to_vec()
    });
    Ok(contents.collect())
}

fn descriptor_type(kind: BufferKind) -> vk::DescriptorType {
    match kind {
        BufferKind::Storage => vk::DescriptorType::STORAGE_BUFFER,
        BufferKind::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
    }
}

fn upload(device: &Device, buffer: &Buffer<'_>) -> Result<Mapped, Error> {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::UNIFORM_BUFFER;
    let create = vk::BufferCreateInfo::default().size(buffer.bytes.len().max(4) as u64).usage(usage);
    // SAFETY: all handles are this device's, and the allocation is at least as long as the buffer, which is at least
    // as long as what is copied.
    unsafe {
        let handle = device.functions.create_buffer(&create, None)?;
        let needs = device.functions.get_buffer_memory_requirements(handle);
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(device.memory_type);
        let memory = device.functions.allocate_memory(&allocate, None)?;
        device.functions.bind_buffer_memory(handle, memory, 0)?;
        let flags = vk::MemoryMapFlags::empty();
        let address = device.functions.map_memory(memory, 0, vk::WHOLE_SIZE, flags)?.cast::<u8>();
        address.copy_from_nonoverlapping(buffer.bytes.as_ptr(), buffer.bytes.len());
        Ok(Mapped { buffer: handle, address, length: buffer.bytes.len() })
    }
}

fn set_layout(device: &Device, request: &Request<'_>) -> Result<vk::DescriptorSetLayout, Error> {
    let bindings: Vec<_> = request
        .buffers
        .iter()
        .map(|buffer| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(buffer.binding)
                .descriptor_type(descriptor_type(buffer.kind))
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        })
        .collect();
    let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: the structures live through the call.
    Ok(unsafe { device.functions.create_descriptor_set_layout(&create, None) }?)
}

fn descriptor_set(
    device: &Device,
    request: &Request<'_>,
    layout: vk::DescriptorSetLayout,
    buffers: &[Mapped],
) -> Result<vk::DescriptorSet, Error> {
    let count = request.buffers.len().max(1) as u32;
    let sizes = [
        vk::DescriptorPoolSize::default().ty(vk::DescriptorType::STORAGE_BUFFER).descriptor_count(count),
        vk::DescriptorPoolSize::default().ty(vk::DescriptorType::UNIFORM_BUFFER).descriptor_count(count),
    ];
    let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
    let layouts = [layout];
    // SAFETY: all handles are this device's, and the structures live through the calls.
    let set = unsafe {
        let pool = device.functions.create_descriptor_pool(&create, None)?;
        let allocate = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        device.functions.allocate_descriptor_sets(&allocate)?.first().copied().ok_or("no descriptor set")?
    };
    for (buffer, mapped) in request.buffers.iter().zip(buffers) {
        let range = [vk::DescriptorBufferInfo::default().buffer(mapped.buffer).range(vk::WHOLE_SIZE)];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(buffer.binding)
            .descriptor_type(descriptor_type(buffer.kind))
            .buffer_info(&range);
        // SAFETY: the binding is in the set's layout with this type.
        unsafe { device.functions.update_descriptor_sets(&[write], &[]) };
    }
    Ok(set)
}

fn pipeline_layout(
    device: &Device,
    request: &Request<'_>,
    set_layout: vk::DescriptorSetLayout,
) -> Result<vk::PipelineLayout, Error> {
    let range = [vk::PushConstantRange::default()
        .stage_flags(vk::ShaderStageFlags::COMPUTE)
        .size(request.push_constants.len() as u32)];
    let layouts = [set_layout];
    let mut create = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
    if !request.push_constants.is_empty() {
        create = create.push_constant_ranges(&range);
    }
    // SAFETY: the structures live through the call.
    Ok(unsafe { device.functions.create_pipeline_layout(&create, None) }?)
}

fn pipeline(
    device: &Device,
    request: &Request<'_>,
    layout: vk::PipelineLayout,
) -> Result<vk::Pipeline, Error> {
    let create = vk::ShaderModuleCreateInfo::default().code(&request.spirv);
    // SAFETY: the module is valid SPIR-V, which whoever asks has to see to.
    let module = unsafe { device.functions.create_shader_module(&create, None) }?;
    let data: Vec<u8> = request.constants.iter().flat_map(|(_, value)| value.to_le_bytes()).collect();
    let entries: Vec<_> = request
        .constants
        .iter()
        .zip(0..)
        .map(|((id, _), index)| vk::SpecializationMapEntry { constant_id: *id, offset: index * 4, size: 4 })
        .collect();
    let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
    let stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(c"main")
        .specialization_info(&constants);
    let create = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
    // SAFETY: all handles are this device's, and the structures live through the call.
    let made =
        unsafe { device.functions.create_compute_pipelines(vk::PipelineCache::null(), &[create], None) };
    made.map_err(|(_, error)| error)?.first().copied().ok_or_else(|| "no pipeline".into())
}

fn dispatch(
    device: &Device,
    request: &Request<'_>,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    set: vk::DescriptorSet,
) -> Result<(), Error> {
    let functions = &device.functions;
    let pool = vk::CommandPoolCreateInfo::default().queue_family_index(device.family);
    let point = vk::PipelineBindPoint::COMPUTE;
    let [x, y, z] = request.groups;
    // SAFETY: all handles are this device's, and it is idle before the process looks at the buffers.
    unsafe {
        let pool = functions.create_command_pool(&pool, None)?;
        let allocate = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = functions.allocate_command_buffers(&allocate)?;
        let command = *commands.first().ok_or("no command buffer")?;
        functions.begin_command_buffer(command, &vk::CommandBufferBeginInfo::default())?;
        functions.cmd_bind_pipeline(command, point, pipeline);
        functions.cmd_bind_descriptor_sets(command, point, layout, 0, &[set], &[]);
        if !request.push_constants.is_empty() {
            let stage = vk::ShaderStageFlags::COMPUTE;
            functions.cmd_push_constants(command, layout, stage, 0, request.push_constants);
        }
        functions.cmd_dispatch(command, x, y, z);
        functions.end_command_buffer(command)?;
        let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
        functions.queue_submit(device.queue, &submits, vk::Fence::null())?;
        functions.queue_wait_idle(device.queue)?;
    }
    Ok(())
}
