//! Runs a request and returns the resulting contents of the buffers.

use ash::vk;

use crate::Error;
use crate::device::Device;
use crate::images::{Uploaded, sampler, texel_buffer, upload};
use crate::request::{BufferKind, Request};

/// A buffer of the device and its mapping on the host.
pub struct Mapped {
    /// The buffer.
    pub buffer: vk::Buffer,
    address: *mut u8,
    length: usize,
}

impl Mapped {
    /// Contents of the buffer after the device has finished.
    pub fn contents(&self) -> Vec<u8> {
        // SAFETY: the memory stays mapped with this length.
        unsafe { std::slice::from_raw_parts(self.address, self.length) }.to_vec()
    }
}

/// A descriptor: its binding and type.
struct Descriptor {
    binding: u32,
    ty: vk::DescriptorType,
    buffer: vk::DescriptorBufferInfo,
    image: vk::DescriptorImageInfo,
    view: vk::BufferView,
}

/// Runs the request and returns the resulting contents of buffers, images and texel buffers.
///
/// # Errors
/// Vulkan's error.
pub fn run(device: &Device, request: &Request<'_>) -> Result<Vec<Vec<u8>>, Error> {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::UNIFORM_BUFFER;
    let buffers: Vec<Mapped> = request
        .buffers
        .iter()
        .map(|buffer| allocate(device, buffer.bytes, usage))
        .collect::<Result<_, _>>()?;
    let images: Vec<Uploaded> =
        request.images.iter().map(|image| upload(device, image)).collect::<Result<_, _>>()?;
    let texels: Vec<(Mapped, vk::BufferView)> =
        request.texel_buffers.iter().map(|texels| texel_buffer(device, texels)).collect::<Result<_, _>>()?;
    let samplers: Vec<vk::Sampler> =
        request.samplers.iter().map(|request| sampler(device, request)).collect::<Result<_, _>>()?;
    let descriptors = descriptors(request, &buffers, &images, &texels, &samplers);
    let set_layout = set_layout(device, &descriptors)?;
    let set = descriptor_set(device, &descriptors, set_layout)?;
    let layout = pipeline_layout(device, request, set_layout)?;
    let pipeline = pipeline(device, request, layout)?;
    dispatch(device, request, &images, layout, pipeline, set)?;
    let images = images.iter().map(|image| &image.staging);
    let contents = buffers.iter().chain(images).chain(texels.iter().map(|(mapped, _)| mapped));
    Ok(contents.map(Mapped::contents).collect())
}

/// The descriptors; an image and a sampler of one binding are one descriptor.
fn descriptors(
    request: &Request<'_>,
    buffers: &[Mapped],
    images: &[Uploaded],
    texels: &[(Mapped, vk::BufferView)],
    samplers: &[vk::Sampler],
) -> Vec<Descriptor> {
    let plain = Descriptor {
        binding: 0,
        ty: vk::DescriptorType::SAMPLER,
        buffer: vk::DescriptorBufferInfo::default(),
        image: vk::DescriptorImageInfo::default(),
        view: vk::BufferView::null(),
    };
    let mut all = Vec::new();
    for (asked, mapped) in request.buffers.iter().zip(buffers) {
        let ty = match asked.kind {
            BufferKind::Storage => vk::DescriptorType::STORAGE_BUFFER,
            BufferKind::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
        };
        let buffer = vk::DescriptorBufferInfo::default().buffer(mapped.buffer).range(vk::WHOLE_SIZE);
        all.push(Descriptor { binding: asked.binding, ty, buffer, ..plain });
    }
    for (asked, uploaded) in request.images.iter().zip(images) {
        let partner = request.samplers.iter().position(|sampler| sampler.binding == asked.binding);
        let ty = match (asked.storage, partner) {
            (true, _) => vk::DescriptorType::STORAGE_IMAGE,
            (false, Some(_)) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            (false, None) => vk::DescriptorType::SAMPLED_IMAGE,
        };
        let image = vk::DescriptorImageInfo::default()
            .image_view(uploaded.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .sampler(partner.map_or(vk::Sampler::null(), |at| samplers[at]));
        all.push(Descriptor { binding: asked.binding, ty, image, ..plain });
    }
    for (asked, (_, view)) in request.texel_buffers.iter().zip(texels) {
        let ty = match asked.storage {
            true => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            false => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        };
        all.push(Descriptor { binding: asked.binding, ty, view: *view, ..plain });
    }
    for (asked, sampler) in request.samplers.iter().zip(samplers) {
        if request.images.iter().all(|image| image.binding != asked.binding) {
            let image = vk::DescriptorImageInfo::default().sampler(*sampler);
            all.push(Descriptor { binding: asked.binding, image, ..plain });
        }
    }
    all
}

/// Creates a buffer with `bytes` that stays mapped.
///
/// # Errors
/// Vulkan's error.
pub fn allocate(device: &Device, bytes: &[u8], usage: vk::BufferUsageFlags) -> Result<Mapped, Error> {
    let usage = usage | vk::BufferUsageFlags::TRANSFER_DST;
    let create = vk::BufferCreateInfo::default().size(bytes.len().max(4) as u64).usage(usage);
    // SAFETY: all handles are this device's, and the allocation is at least as long as the buffer, which is at least as
    // long as the copied data.
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
        address.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        Ok(Mapped { buffer: handle, address, length: bytes.len() })
    }
}

fn set_layout(device: &Device, descriptors: &[Descriptor]) -> Result<vk::DescriptorSetLayout, Error> {
    let bindings: Vec<_> = descriptors
        .iter()
        .map(|descriptor| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(descriptor.binding)
                .descriptor_type(descriptor.ty)
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
    descriptors: &[Descriptor],
    layout: vk::DescriptorSetLayout,
) -> Result<vk::DescriptorSet, Error> {
    let mut sizes: Vec<_> = descriptors
        .iter()
        .map(|descriptor| vk::DescriptorPoolSize::default().ty(descriptor.ty).descriptor_count(1))
        .collect();
    if sizes.is_empty() {
        sizes.push(vk::DescriptorPoolSize::default().ty(vk::DescriptorType::SAMPLER).descriptor_count(1));
    }
    let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
    let layouts = [layout];
    // SAFETY: all handles are this device's, and the structures live through the calls.
    let set = unsafe {
        let pool = device.functions.create_descriptor_pool(&create, None)?;
        let allocate = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        device.functions.allocate_descriptor_sets(&allocate)?.first().copied().ok_or("no descriptor set")?
    };
    for descriptor in descriptors {
        let (buffers, images, views) = ([descriptor.buffer], [descriptor.image], [descriptor.view]);
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(descriptor.binding)
            .descriptor_type(descriptor.ty)
            .buffer_info(&buffers)
            .image_info(&images)
            .texel_buffer_view(&views);
        // SAFETY: the binding is in the set's layout with this type, which determines the list that is read.
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
    // SAFETY: the module is valid SPIR-V, which the caller guarantees.
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
    images: &[Uploaded],
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    set: vk::DescriptorSet,
) -> Result<(), Error> {
    let functions = &device.functions;
    let point = vk::PipelineBindPoint::COMPUTE;
    let [x, y, z] = request.groups;
    device.execute(|command| {
        images.iter().for_each(|image| image.fill(device, command));
        barrier(device, command);
        // SAFETY: all handles are this device's, and the command buffer is being recorded.
        unsafe {
            functions.cmd_bind_pipeline(command, point, pipeline);
            functions.cmd_bind_descriptor_sets(command, point, layout, 0, &[set], &[]);
            if !request.push_constants.is_empty() {
                let stage = vk::ShaderStageFlags::COMPUTE;
                functions.cmd_push_constants(command, layout, stage, 0, request.push_constants);
            }
            functions.cmd_dispatch(command, x, y, z);
        }
        barrier(device, command);
        images.iter().for_each(|image| image.read_back(device, command));
    })
}

/// Makes earlier commands complete and visible to later ones.
pub fn barrier(device: &Device, command: vk::CommandBuffer) {
    let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    let memory = [vk::MemoryBarrier::default().src_access_mask(access).dst_access_mask(access)];
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    let none = vk::DependencyFlags::empty();
    // SAFETY: the command buffer is this device's and being recorded.
    unsafe { device.functions.cmd_pipeline_barrier(command, all, all, none, &memory, &[], &[]) };
}
