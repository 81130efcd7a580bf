//! Draws, and the state that commands set.

use std::sync::Arc;

use agx_driver::Error;
use agx_driver::command::{CommandBuffer, Recorder};
use agx_driver::graphics::Dynamic;
use agx_driver::render::{DrawNumbers, IndexBuffer};
use ash::vk;

use crate::handles::object;

/// Changes state.
fn set(buffer: &CommandBuffer, change: impl Fn(&mut Dynamic) + Send + Sync + 'static) {
    buffer.record(move |recorder| {
        change(&mut recorder.graphics.dynamic);
        Ok(())
    });
}

/// Puts values into a list from `first` on.
fn put<T: Copy + Default>(list: &mut Vec<T>, first: u32, values: &[T]) {
    let end = first as usize + values.len();
    if list.len() < end {
        list.resize(end, T::default());
    }
    if let Some(room) = list.get_mut(first as usize..end) {
        room.copy_from_slice(values);
    }
}

pub(crate) fn cmd_set_viewport(buffer: &Arc<CommandBuffer>, first: u32, values: &[vk::Viewport]) {
    let values = values.to_vec();
    set(buffer, move |state| put(&mut state.viewports, first, &values));
}

pub(crate) fn cmd_set_viewport_with_count(buffer: &Arc<CommandBuffer>, values: &[vk::Viewport]) {
    let values = values.to_vec();
    set(buffer, move |state| state.viewports.clone_from(&values));
}

pub(crate) fn cmd_set_scissor(buffer: &Arc<CommandBuffer>, first: u32, values: &[vk::Rect2D]) {
    let values = values.to_vec();
    set(buffer, move |state| put(&mut state.scissors, first, &values));
}

pub(crate) fn cmd_set_scissor_with_count(buffer: &Arc<CommandBuffer>, values: &[vk::Rect2D]) {
    let values = values.to_vec();
    set(buffer, move |state| state.scissors.clone_from(&values));
}

pub(crate) fn cmd_set_line_width(buffer: &Arc<CommandBuffer>, width: f32) {
    set(buffer, move |state| state.raster.line_width = width);
}

pub(crate) fn cmd_set_depth_bias(buffer: &Arc<CommandBuffer>, constant: f32, clamp: f32, slope: f32) {
    buffer.record(move |recorder| {
        let pipeline = recorder.graphics.pipeline.as_ref();
        // Whether the values are used is the pipeline's, or another command's.
        let used = pipeline.is_none_or(|pipeline| {
            pipeline.info.state.raster.bias.is_some()
                || pipeline.is_dynamic(vk::DynamicState::DEPTH_BIAS_ENABLE)
        });
        recorder.graphics.dynamic.raster.bias = used.then_some([constant, clamp, slope]);
        Ok(())
    });
}

pub(crate) fn cmd_set_depth_bias_enable(buffer: &Arc<CommandBuffer>, enable: vk::Bool32) {
    set(buffer, move |state| {
        let bias = state.raster.bias;
        state.raster.bias = (enable == vk::TRUE).then(|| bias.unwrap_or_default());
    });
}

pub(crate) fn cmd_set_blend_constants(buffer: &Arc<CommandBuffer>, values: [f32; 4]) {
    set(buffer, move |state| state.blend = values);
}

pub(crate) fn cmd_set_depth_bounds(_: &Arc<CommandBuffer>, _: f32, _: f32) {}

pub(crate) fn cmd_set_depth_bounds_test_enable(buffer: &Arc<CommandBuffer>, enable: vk::Bool32) {
    if enable == vk::TRUE {
        buffer.record(|_: &mut Recorder| Err(Error::Unsupported { what: "the test of depth bounds" }));
    }
}

/// Changes the faces of a mask.
fn faces(
    buffer: &CommandBuffer,
    mask: vk::StencilFaceFlags,
    change: impl Fn(&mut vk::StencilOpState) + Send + Sync + 'static,
) {
    set(buffer, move |state| {
        let sides = [vk::StencilFaceFlags::FRONT, vk::StencilFaceFlags::BACK];
        for (face, side) in state.depth.faces.iter_mut().zip(sides) {
            if mask.contains(side) {
                change(face);
            }
        }
    });
}

pub(crate) fn cmd_set_stencil_compare_mask(
    buffer: &Arc<CommandBuffer>,
    mask: vk::StencilFaceFlags,
    value: u32,
) {
    faces(buffer, mask, move |face| face.compare_mask = value);
}

pub(crate) fn cmd_set_stencil_write_mask(
    buffer: &Arc<CommandBuffer>,
    mask: vk::StencilFaceFlags,
    value: u32,
) {
    faces(buffer, mask, move |face| face.write_mask = value);
}

pub(crate) fn cmd_set_stencil_reference(buffer: &Arc<CommandBuffer>, mask: vk::StencilFaceFlags, value: u32) {
    faces(buffer, mask, move |face| face.reference = value);
}

pub(crate) fn cmd_set_stencil_op(
    buffer: &Arc<CommandBuffer>,
    mask: vk::StencilFaceFlags,
    fail: vk::StencilOp,
    pass: vk::StencilOp,
    depth_fail: vk::StencilOp,
    compare: vk::CompareOp,
) {
    faces(buffer, mask, move |face| {
        (face.fail_op, face.pass_op) = (fail, pass);
        (face.depth_fail_op, face.compare_op) = (depth_fail, compare);
    });
}

pub(crate) fn cmd_set_stencil_test_enable(buffer: &Arc<CommandBuffer>, enable: vk::Bool32) {
    set(buffer, move |state| state.depth.stencil = enable == vk::TRUE);
}

pub(crate) fn cmd_set_cull_mode(buffer: &Arc<CommandBuffer>, mode: vk::CullModeFlags) {
    set(buffer, move |state| state.raster.cull = mode);
}

pub(crate) fn cmd_set_front_face(buffer: &Arc<CommandBuffer>, face: vk::FrontFace) {
    set(buffer, move |state| state.raster.clockwise = face == vk::FrontFace::CLOCKWISE);
}

pub(crate) fn cmd_set_primitive_topology(buffer: &Arc<CommandBuffer>, topology: vk::PrimitiveTopology) {
    set(buffer, move |state| state.topology = topology);
}

pub(crate) fn cmd_set_primitive_restart_enable(buffer: &Arc<CommandBuffer>, enable: vk::Bool32) {
    set(buffer, move |state| state.restart = enable == vk::TRUE);
}

pub(crate) fn cmd_set_rasterizer_discard_enable(buffer: &Arc<CommandBuffer>, enable: vk::Bool32) {
    set(buffer, move |state| state.raster.discard = enable == vk::TRUE);
}

pub(crate) fn cmd_set_depth_test_enable(buffer: &Arc<CommandBuffer>, enable: vk::Bool32) {
    set(buffer, move |state| {
        let compare = state.depth.compare;
        state.depth.test = (enable == vk::TRUE).then_some(compare);
    });
}

pub(crate) fn cmd_set_depth_write_enable(buffer: &Arc<CommandBuffer>, enable: vk::Bool32) {
    set(buffer, move |state| state.depth.write = enable == vk::TRUE);
}

pub(crate) fn cmd_set_depth_compare_op(buffer: &Arc<CommandBuffer>, compare: vk::CompareOp) {
    set(buffer, move |state| {
        state.depth.compare = compare;
        state.depth.test = state.depth.test.map(|_| compare);
    });
}

pub(crate) fn cmd_bind_vertex_buffers(
    buffer: &Arc<CommandBuffer>,
    first: u32,
    buffers: &[vk::Buffer],
    offsets: &[u64],
) {
    cmd_bind_vertex_buffers2(buffer, first, buffers, offsets, &[], &[]);
}

pub(crate) fn cmd_bind_vertex_buffers2(
    buffer: &Arc<CommandBuffer>,
    first: u32,
    buffers: &[vk::Buffer],
    offsets: &[u64],
    sizes: &[u64],
    strides: &[u64],
) {
    let of = |(at, (handle, offset)): (usize, (&vk::Buffer, &u64))| {
        let size = sizes.get(at).copied().unwrap_or(vk::WHOLE_SIZE);
        object(*handle).map_or((0, 0), |buffer| buffer.range(*offset, size))
    };
    let places: Vec<(u64, u64)> = buffers.iter().zip(offsets).enumerate().map(of).collect();
    let strides = strides.to_vec();
    buffer.record(move |recorder| {
        let graphics = &mut recorder.graphics;
        graphics.buffers.extend((first..).zip(places.iter().copied()));
        graphics.strides.extend((first..).zip(strides.iter().map(|stride| *stride as u32)));
        Ok(())
    });
}

pub(crate) fn cmd_bind_index_buffer(
    buffer: &Arc<CommandBuffer>,
    indices: vk::Buffer,
    offset: u64,
    kind: vk::IndexType,
) {
    cmd_bind_index_buffer2_khr(buffer, indices, offset, vk::WHOLE_SIZE, kind);
}

pub(crate) fn cmd_bind_index_buffer2_khr(
    buffer: &Arc<CommandBuffer>,
    indices: vk::Buffer,
    offset: u64,
    size: u64,
    kind: vk::IndexType,
) {
    let Some(indices) = object(indices) else { return };
    let (address, bytes) = indices.range(offset, size);
    buffer.record(move |recorder| {
        recorder.graphics.indices = Some(IndexBuffer { address, bytes, kind });
        Ok(())
    });
}

pub(crate) fn cmd_draw(
    buffer: &Arc<CommandBuffer>,
    count: u32,
    instances: u32,
    first: u32,
    first_instance: u32,
) {
    let numbers = DrawNumbers::Direct { count, instances, first, base: 0, first_instance };
    buffer.record(move |recorder| recorder.draw(numbers, false, 0));
}

pub(crate) fn cmd_draw_indexed(
    buffer: &Arc<CommandBuffer>,
    count: u32,
    instances: u32,
    first: u32,
    base: i32,
    first_instance: u32,
) {
    let numbers = DrawNumbers::Direct { count, instances, first, base, first_instance };
    buffer.record(move |recorder| recorder.draw(numbers, true, 0));
}

fn indirect(
    buffer: &CommandBuffer,
    numbers: vk::Buffer,
    offset: u64,
    [count, stride]: [u32; 2],
    indexed: bool,
) {
    let Some(numbers) = object(numbers).cloned() else { return };
    buffer.record(move |recorder| {
        (0..count).try_for_each(|at| {
            let address = numbers.address() + offset + u64::from(at) * u64::from(stride);
            recorder.draw(DrawNumbers::Indirect(address), indexed, at)
        })
    });
}

pub(crate) fn cmd_draw_indirect(
    buffer: &Arc<CommandBuffer>,
    numbers: vk::Buffer,
    offset: u64,
    count: u32,
    stride: u32,
) {
    indirect(buffer, numbers, offset, [count, stride], false);
}

pub(crate) fn cmd_draw_indexed_indirect(
    buffer: &Arc<CommandBuffer>,
    numbers: vk::Buffer,
    offset: u64,
    count: u32,
    stride: u32,
) {
    indirect(buffer, numbers, offset, [count, stride], true);
}

fn indirect_count(
    buffer: &CommandBuffer,
    places: [(vk::Buffer, u64); 2],
    [most, stride]: [u32; 2],
    indexed: bool,
) {
    let [Some(first), Some(count)] = places.map(|(buffer, offset)| Some(object(buffer)?.address() + offset))
    else {
        return;
    };
    buffer.record(move |recorder| recorder.draw_count([first, count], [most, stride], indexed));
}

pub(crate) fn cmd_draw_indirect_count(
    buffer: &Arc<CommandBuffer>,
    numbers: vk::Buffer,
    offset: u64,
    count: vk::Buffer,
    count_offset: u64,
    most: u32,
    stride: u32,
) {
    indirect_count(buffer, [(numbers, offset), (count, count_offset)], [most, stride], false);
}

pub(crate) fn cmd_draw_indexed_indirect_count(
    buffer: &Arc<CommandBuffer>,
    numbers: vk::Buffer,
    offset: u64,
    count: vk::Buffer,
    count_offset: u64,
    most: u32,
    stride: u32,
) {
    indirect_count(buffer, [(numbers, offset), (count, count_offset)], [most, stride], true);
}
