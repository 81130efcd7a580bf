//! Calls in a render pass: each ends with a draw.

use ash::vk;

use super::scene::Scene;
use crate::Error;

/// A draw after which nothing else changed.
pub fn plain(scene: &Scene, commands: vk::CommandBuffer, _: u32) -> Result<(), Error> {
    // SAFETY: the command buffer is being recorded.
    unsafe { scene.device.functions.cmd_draw(commands, 3, 1, 0, 0) };
    Ok(())
}

/// Other push constants.
pub fn push(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let bytes = [number.to_le_bytes(); 16];
    let stages = vk::ShaderStageFlags::ALL;
    // SAFETY: as above; the layout is the scene's.
    unsafe {
        scene.device.functions.cmd_push_constants(commands, scene.layout, stages, 0, bytes.as_flattened());
    }
    plain(scene, commands, number)
}

/// Another descriptor set.
pub fn set(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let sets = [scene.sets[(number % 2) as usize]];
    let point = vk::PipelineBindPoint::GRAPHICS;
    // SAFETY: as above.
    unsafe {
        scene.device.functions.cmd_bind_descriptor_sets(commands, point, scene.layout, 0, &sets, &[0]);
    }
    plain(scene, commands, number)
}

/// The same set with another dynamic offset.
pub fn dynamic_offset(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let offsets = [256 * (number % 4)];
    let point = vk::PipelineBindPoint::GRAPHICS;
    let sets = [scene.sets[0]];
    // SAFETY: as above.
    unsafe {
        scene.device.functions.cmd_bind_descriptor_sets(commands, point, scene.layout, 0, &sets, &offsets);
    }
    plain(scene, commands, number)
}

/// Other vertex buffers.
pub fn vertex_buffers(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let offset = 256 * u64::from(number % 4);
    let buffers = [scene.buffer, scene.buffer];
    // SAFETY: as above.
    unsafe {
        scene.device.functions.cmd_bind_vertex_buffers(commands, 0, &buffers, &[offset, offset + 1024]);
    }
    plain(scene, commands, number)
}

/// Another pipeline.
pub fn pipeline(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let pipeline = scene.pipelines[(number % 2) as usize];
    // SAFETY: as above.
    unsafe {
        scene.device.functions.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
    }
    plain(scene, commands, number)
}

/// Another scissor.
pub fn scissor(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let extent = vk::Extent2D { width: 32 + number % 16, height: 64 };
    // SAFETY: as above.
    unsafe {
        scene.device.functions.cmd_set_scissor(
            commands,
            0,
            &[vk::Rect2D { extent, ..vk::Rect2D::default() }],
        );
    }
    plain(scene, commands, number)
}

/// Another viewport.
pub fn viewport(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let width = 32.0 + (number % 16) as f32;
    let viewport = vk::Viewport { width, height: 64.0, max_depth: 1.0, ..vk::Viewport::default() };
    // SAFETY: as above.
    unsafe { scene.device.functions.cmd_set_viewport(commands, 0, &[viewport]) };
    plain(scene, commands, number)
}

/// Several dynamic states that differ from those of the draw before.
pub fn states(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let odd = number % 2 == 1;
    let cull = if odd { vk::CullModeFlags::BACK } else { vk::CullModeFlags::NONE };
    set_states(scene, commands, cull, number);
    plain(scene, commands, number)
}

/// Several dynamic states, which are those of the draw before.
pub fn same_state(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    set_states(scene, commands, vk::CullModeFlags::NONE, 0);
    plain(scene, commands, number)
}

fn set_states(scene: &Scene, commands: vk::CommandBuffer, cull: vk::CullModeFlags, number: u32) {
    let compare = if number % 2 == 1 { vk::CompareOp::LESS } else { vk::CompareOp::ALWAYS };
    let functions = &scene.device.functions;
    // SAFETY: as above.
    unsafe {
        functions.cmd_set_cull_mode(commands, cull);
        functions.cmd_set_front_face(commands, vk::FrontFace::CLOCKWISE);
        functions.cmd_set_depth_compare_op(commands, compare);
        functions.cmd_set_depth_write_enable(commands, number % 2 == 1);
        functions.cmd_set_stencil_reference(commands, vk::StencilFaceFlags::FRONT_AND_BACK, number & 0xff);
        functions.cmd_set_blend_constants(commands, &[0.5; 4]);
    }
}

/// Other indices.
pub fn indexed(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let offset = 64 * u64::from(number % 4);
    let functions = &scene.device.functions;
    // SAFETY: as above.
    unsafe {
        functions.cmd_bind_index_buffer(commands, scene.buffer, offset, vk::IndexType::UINT16);
        functions.cmd_draw_indexed(commands, 3, 1, 0, 0, 0);
    }
    Ok(())
}

/// An indirect draw.
pub fn indirect(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let offset = 16 * u64::from(number % 4);
    // SAFETY: as above.
    unsafe { scene.device.functions.cmd_draw_indirect(commands, scene.buffer, offset, 1, 16) };
    Ok(())
}

/// Pushed descriptors.
pub fn push_descriptors(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    if number == 0 {
        // SAFETY: as above.
        unsafe {
            scene.device.functions.cmd_bind_pipeline(
                commands,
                vk::PipelineBindPoint::GRAPHICS,
                scene.pushed.pipeline,
            );
        }
    }
    let buffers = [scene.range(256 * u64::from(number % 4))];
    let images = [scene.texture];
    let writes =
        scene.writes(vk::DescriptorSet::null(), &buffers, &images, vk::DescriptorType::UNIFORM_BUFFER);
    let point = vk::PipelineBindPoint::GRAPHICS;
    // SAFETY: as above.
    unsafe {
        scene.device.push.cmd_push_descriptor_set(commands, point, scene.pushed.layout, 0, &writes);
    }
    plain(scene, commands, number)
}

/// Everything that games change between draws.
pub fn all_changed(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let point = vk::PipelineBindPoint::GRAPHICS;
    let pipeline = scene.pipelines[(number % 2) as usize];
    let sets = [scene.sets[(number % 2) as usize]];
    let offset = 256 * u64::from(number % 4);
    let buffers = [scene.buffer, scene.buffer];
    let bytes = [number.to_le_bytes(); 16];
    let functions = &scene.device.functions;
    // SAFETY: as above.
    unsafe {
        functions.cmd_bind_pipeline(commands, point, pipeline);
        functions.cmd_bind_descriptor_sets(commands, point, scene.layout, 0, &sets, &[0]);
        functions.cmd_bind_vertex_buffers(commands, 0, &buffers, &[offset, offset + 1024]);
        let stages = vk::ShaderStageFlags::ALL;
        functions.cmd_push_constants(commands, scene.layout, stages, 0, bytes.as_flattened());
    }
    indexed(scene, commands, number)
}

/// A clear of the pass's target, and a draw.
pub fn clear_attachments(scene: &Scene, commands: vk::CommandBuffer, number: u32) -> Result<(), Error> {
    let clear = vk::ClearAttachment::default().aspect_mask(vk::ImageAspectFlags::COLOR);
    let extent = vk::Extent2D { width: 16, height: 16 };
    let rect = vk::ClearRect::default().rect(vk::Rect2D { extent, ..vk::Rect2D::default() }).layer_count(1);
    // SAFETY: as above.
    unsafe { scene.device.functions.cmd_clear_attachments(commands, &[clear], &[rect]) };
    plain(scene, commands, number)
}
