//! Calls in a command buffer outside render passes.

use ash::vk;

use super::scene::{SIDE, Scene};
use crate::Error;

/// A dispatch after which nothing else changed.
pub fn plain(scene: &Scene, commands: vk::CommandBuffer, _: u32) -> Result<(), Error> {
    // SAFETY: the command buffer is being recorded.
    unsafe { scene.device.functions.cmd_dispatch(commands, 1, 1, 1) };
    Ok(())
}

/// Another push constant.
pub fn push(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let stages = vk::ShaderStageFlags::ALL;
    // SAFETY: as above.
    unsafe {
        scene.device.functions.cmd_push_constants(commands, scene.layout, stages, 0, &number.to_le_bytes());
    }
    plain(scene, commands, number)
}

/// Another descriptor set too.
pub fn set(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let sets = [scene.sets[(number % 2) as usize]];
    let point = vk::PipelineBindPoint::COMPUTE;
    // SAFETY: as above.
    unsafe {
        scene.device.functions.cmd_bind_descriptor_sets(commands, point, scene.layout, 0, &sets, &[0]);
    }
    push(scene, commands, number)
}

/// An indirect dispatch.
pub fn indirect(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let offset = 16 * u64::from(number % 4);
    // SAFETY: as above.
    unsafe { scene.device.functions.cmd_dispatch_indirect(commands, scene.buffer, offset) };
    Ok(())
}

/// A barrier, and a dispatch.
pub fn barrier(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    scene.device.barrier(commands);
    plain(scene, commands, number)
}

/// A render pass with a draw.
pub fn pass(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    scene.begin_pass(commands);
    if number == 0 {
        scene.bind_draws(commands);
    }
    super::draws::plain(scene, commands, number)?;
    scene.end_pass(commands);
    Ok(())
}

/// A secondary command buffer with a draw, recorded and executed in a pass.
pub fn secondary(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let secondary = scene.secondaries[(number as usize) % scene.secondaries.len()];
    let formats = [scene.format];
    let mut rendering = vk::CommandBufferInheritanceRenderingInfo::default()
        .color_attachment_formats(&formats)
        .rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let inheritance = vk::CommandBufferInheritanceInfo::default().push_next(&mut rendering);
    let begin = vk::CommandBufferBeginInfo::default()
        .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
        .inheritance_info(&inheritance);
    // SAFETY: as above; every buffer is recorded once before it is reset.
    unsafe {
        let functions = &scene.device.functions;
        functions.begin_command_buffer(secondary, &begin)?;
        scene.bind_draws(secondary);
        super::draws::plain(scene, secondary, number)?;
        functions.end_command_buffer(secondary)?;
        scene.begin_pass_with(commands, vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS);
        functions.cmd_execute_commands(commands, &[secondary]);
        scene.end_pass(commands);
    }
    Ok(())
}

/// A copy between buffers.
pub fn copy_buffer(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let region = vk::BufferCopy { src_offset: 0, dst_offset: 256 * u64::from(number % 4), size: 256 };
    // SAFETY: as above.
    unsafe { scene.device.functions.cmd_copy_buffer(commands, scene.buffer, scene.other, &[region]) };
    Ok(())
}

/// An update of a buffer.
pub fn update_buffer(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let bytes = [number.to_le_bytes(); 16];
    // SAFETY: as above.
    unsafe { scene.device.functions.cmd_update_buffer(commands, scene.other, 0, bytes.as_flattened()) };
    Ok(())
}

/// A fill of a buffer.
pub fn fill_buffer(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    // SAFETY: as above.
    unsafe { scene.device.functions.cmd_fill_buffer(commands, scene.other, 0, 256, number) };
    Ok(())
}

/// A copy of a buffer to an image.
pub fn copy_to_image(scene: &Scene, commands: vk::CommandBuffer, _: u32) -> Result<(), Error> {
    let region = vk::BufferImageCopy::default()
        .image_subresource(scene.image.layers(0, 1))
        .image_extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 });
    let layout = vk::ImageLayout::GENERAL;
    // SAFETY: as above.
    unsafe {
        scene.device.functions.cmd_copy_buffer_to_image(
            commands,
            scene.buffer,
            scene.image.image,
            layout,
            &[region],
        );
    }
    Ok(())
}

/// A clear of an image.
pub fn clear_image(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let colour = vk::ClearColorValue { uint32: [number; 4] };
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(1)
        .layer_count(1);
    let layout = vk::ImageLayout::GENERAL;
    // SAFETY: as above.
    unsafe {
        scene.device.functions.cmd_clear_color_image(commands, scene.image.image, layout, &colour, &[range]);
    }
    Ok(())
}
