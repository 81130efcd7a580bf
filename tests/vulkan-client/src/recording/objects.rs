//! Calls outside command buffers.

use ash::vk;

use super::scene::{Scene, Template};
use crate::Error;

/// A command buffer that is reset and recorded again, with a dispatch.
pub fn command_buffer(scene: &Scene, number: u32) -> Result<(), Error> {
    scene.record(|commands| {
        if number == 0 {
            scene.bind_dispatches(commands);
        }
        Ok(())
    })
}

/// A submission with a fence, and a wait for it.
pub fn submit(scene: &Scene, _: u32) -> Result<(), Error> {
    let buffers = [scene.recorded];
    let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
    let fences = [scene.fence];
    // SAFETY: the command buffer is complete, and the fence is not in use.
    unsafe {
        scene.device.functions.queue_submit(scene.device.queue, &submit, scene.fence)?;
        scene.device.functions.wait_for_fences(&fences, true, u64::MAX)?;
        scene.device.functions.reset_fences(&fences)?;
    }
    Ok(())
}

/// A fence.
pub fn fence(scene: &Scene, _: u32) -> Result<(), Error> {
    // SAFETY: the fence is not used.
    unsafe {
        let fence = scene.device.functions.create_fence(&vk::FenceCreateInfo::default(), None)?;
        scene.device.functions.destroy_fence(fence, None);
    }
    Ok(())
}

/// An update of a buffer and of a combined image sampler.
pub fn descriptor_update(scene: &Scene, number: u32) -> Result<(), Error> {
    let buffers = [scene.range(256 * u64::from(number % 4))];
    let images = [scene.texture];
    let kind = vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC;
    let writes = scene.writes(scene.spare, &buffers, &images, kind);
    // SAFETY: no pending commands use the set.
    unsafe { scene.device.functions.update_descriptor_sets(&writes, &[]) };
    Ok(())
}

/// The same through a template.
pub fn descriptor_template(scene: &Scene, number: u32) -> Result<(), Error> {
    let data = Template { buffer: scene.range(256 * u64::from(number % 4)), image: scene.texture };
    let (set, template) = (scene.spare, scene.template);
    // SAFETY: as above; the template's offsets are those of `Template`.
    unsafe {
        scene.device.functions.update_descriptor_set_with_template(set, template, (&raw const data).cast());
    }
    Ok(())
}

/// A descriptor set: allocated, and returned with its pool's others.
pub fn descriptor_sets(scene: &Scene, number: u32) -> Result<(), Error> {
    let layouts = [scene.set_layout];
    let info =
        vk::DescriptorSetAllocateInfo::default().descriptor_pool(scene.scratch_pool).set_layouts(&layouts);
    let none = vk::DescriptorPoolResetFlags::empty();
    // SAFETY: the sets are not used.
    unsafe {
        if number.is_multiple_of(16) {
            scene.device.functions.reset_descriptor_pool(scene.scratch_pool, none)?;
        }
        scene.device.functions.allocate_descriptor_sets(&info)?;
    }
    Ok(())
}

/// A graphics pipeline that is in the cache.
pub fn graphics_pipeline(scene: &Scene, _: u32) -> Result<(), Error> {
    let pipeline = scene.graphics_pipeline(1, scene.layout)?;
    // SAFETY: the pipeline is not used.
    unsafe { scene.device.functions.destroy_pipeline(pipeline, None) };
    Ok(())
}

/// A compute pipeline that is in the cache.
pub fn compute_pipeline(scene: &Scene, _: u32) -> Result<(), Error> {
    let pipeline = scene.compute_pipeline()?;
    // SAFETY: the pipeline is not used.
    unsafe { scene.device.functions.destroy_pipeline(pipeline, None) };
    Ok(())
}

/// Memory: allocated, and freed.
pub fn memory(scene: &Scene, _: u32) -> Result<(), Error> {
    let flags = vk::MemoryPropertyFlags::HOST_VISIBLE;
    let needs = vk::MemoryRequirements { size: 0x1_0000, alignment: 256, memory_type_bits: u32::MAX };
    let memory = scene.device.allocate(needs, flags)?;
    // SAFETY: the memory is not used.
    unsafe { scene.device.functions.free_memory(memory, None) };
    Ok(())
}

/// Memory that is mapped and unmapped.
pub fn map(scene: &Scene, _: u32) -> Result<(), Error> {
    let none = vk::MemoryMapFlags::empty();
    // SAFETY: the memory is not mapped.
    unsafe {
        scene.device.functions.map_memory(scene.spare_memory, 0, vk::WHOLE_SIZE, none)?;
        scene.device.functions.unmap_memory(scene.spare_memory);
    }
    Ok(())
}

/// A buffer in memory that exists.
pub fn buffer(scene: &Scene, _: u32) -> Result<(), Error> {
    let create = vk::BufferCreateInfo::default().size(4096).usage(vk::BufferUsageFlags::UNIFORM_BUFFER);
    let functions = &scene.device.functions;
    // SAFETY: the buffer is not used.
    unsafe {
        let buffer = functions.create_buffer(&create, None)?;
        let needs = functions.get_buffer_memory_requirements(buffer);
        let _ = std::hint::black_box(needs);
        functions.bind_buffer_memory(buffer, scene.spare_memory, 0)?;
        functions.destroy_buffer(buffer, None);
    }
    Ok(())
}

/// A view of an image.
pub fn image_view(scene: &Scene, _: u32) -> Result<(), Error> {
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(1)
        .layer_count(1);
    let create = vk::ImageViewCreateInfo::default()
        .image(scene.image.image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(scene.format)
        .subresource_range(range);
    // SAFETY: the view is not used.
    unsafe {
        let view = scene.device.functions.create_image_view(&create, None)?;
        scene.device.functions.destroy_image_view(view, None);
    }
    Ok(())
}

/// A sampler.
pub fn sampler(scene: &Scene, _: u32) -> Result<(), Error> {
    let create = vk::SamplerCreateInfo::default().mag_filter(vk::Filter::LINEAR);
    // SAFETY: the sampler is not used.
    unsafe {
        let sampler = scene.device.functions.create_sampler(&create, None)?;
        scene.device.functions.destroy_sampler(sampler, None);
    }
    Ok(())
}
