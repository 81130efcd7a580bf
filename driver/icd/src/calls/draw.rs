//! Draws.

use agx_driver::Error;
use agx_driver::command::{CommandBuffer, Groups, Recorder};
use agx_driver::render::{DrawNumbers, IndexBuffer};
use ash::vk;

use crate::few::Few;
use crate::handles::{object, owned};

pub(crate) fn cmd_bind_vertex_buffers(
    buffer: &mut CommandBuffer,
    first: u32,
    buffers: &[vk::Buffer],
    offsets: &[u64],
) {
    cmd_bind_vertex_buffers2(buffer, first, buffers, offsets, &[], &[]);
}

pub(crate) fn cmd_bind_vertex_buffers2(
    buffer: &mut CommandBuffer,
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
    let places = buffers.iter().zip(offsets).enumerate().map(of);
    buffer.record_borrowed(
        |recorder| {
            recorder.graphics.bind_vertex_buffers(first, places.clone(), strides);
            Ok(())
        },
        || {
            let places: Few<(u64, u64), 4> = places.clone().collect();
            let strides: Few<u64, 4> = strides.iter().copied().collect();
            move |recorder: &mut Recorder| {
                recorder.graphics.bind_vertex_buffers(first, places.iter().copied(), &strides);
                Ok(())
            }
        },
    );
}

pub(crate) fn cmd_bind_index_buffer(
    buffer: &mut CommandBuffer,
    indices: vk::Buffer,
    offset: u64,
    kind: vk::IndexType,
) {
    cmd_bind_index_buffer2(buffer, indices, offset, vk::WHOLE_SIZE, kind);
}

pub(crate) fn cmd_bind_index_buffer2(
    buffer: &mut CommandBuffer,
    indices: vk::Buffer,
    offset: u64,
    size: u64,
    kind: vk::IndexType,
) {
    // Without a buffer, all indices are out of bounds and read as zero.
    let known = object(indices).map(|indices| indices.range(offset, size));
    buffer.record(move |recorder| {
        let (address, bytes) = known.unwrap_or((recorder.device.zeros.address, 0));
        recorder.graphics.indices = Some(IndexBuffer { address, bytes, kind });
        Ok(())
    });
}

pub(crate) fn cmd_draw(
    buffer: &mut CommandBuffer,
    count: u32,
    instances: u32,
    first: u32,
    first_instance: u32,
) {
    let numbers = DrawNumbers::Direct { count, instances, first, base: 0, first_instance };
    buffer.draw(numbers, false);
}

pub(crate) fn cmd_draw_indexed(
    buffer: &mut CommandBuffer,
    count: u32,
    instances: u32,
    first: u32,
    base: i32,
    first_instance: u32,
) {
    let numbers = DrawNumbers::Direct { count, instances, first, base, first_instance };
    buffer.draw(numbers, true);
}

pub(crate) fn cmd_draw_multi_ext(
    buffer: &mut CommandBuffer,
    draws: Vec<vk::MultiDrawInfoEXT>,
    instances: u32,
    first_instance: u32,
    _: u32,
) {
    buffer.record(move |recorder| {
        (0..).zip(&draws).try_for_each(|(at, draw)| {
            let (first, count) = (draw.first_vertex, draw.vertex_count);
            recorder.draw(DrawNumbers::Direct { count, instances, first, base: 0, first_instance }, false, at)
        })
    });
}

pub(crate) fn cmd_draw_multi_indexed_ext(
    buffer: &mut CommandBuffer,
    draws: Vec<vk::MultiDrawIndexedInfoEXT>,
    instances: u32,
    first_instance: u32,
    _: u32,
    offset: Option<&i32>,
) {
    let offset = offset.copied();
    buffer.record(move |recorder| {
        (0..).zip(&draws).try_for_each(|(at, draw)| {
            let (first, count, base) =
                (draw.first_index, draw.index_count, offset.unwrap_or(draw.vertex_offset));
            recorder.draw(DrawNumbers::Direct { count, instances, first, base, first_instance }, true, at)
        })
    });
}

fn indirect(
    buffer: &mut CommandBuffer,
    numbers: vk::Buffer,
    offset: u64,
    [count, stride]: [u32; 2],
    draw: impl Fn(&mut Recorder, u64, u32) -> Result<(), Error> + Send + Sync + 'static,
) {
    let Some(numbers) = owned(numbers) else { return };
    buffer.record(move |recorder| {
        (0..count).try_for_each(|at| {
            let address = numbers.address() + offset + u64::from(at) * u64::from(stride);
            draw(recorder, address, at)
        })
    });
}

pub(crate) fn cmd_draw_indirect(
    buffer: &mut CommandBuffer,
    numbers: vk::Buffer,
    offset: u64,
    count: u32,
    stride: u32,
) {
    indirect(buffer, numbers, offset, [count, stride], |recorder, address, at| {
        recorder.draw(DrawNumbers::Indirect(address), false, at)
    });
}

pub(crate) fn cmd_draw_indexed_indirect(
    buffer: &mut CommandBuffer,
    numbers: vk::Buffer,
    offset: u64,
    count: u32,
    stride: u32,
) {
    indirect(buffer, numbers, offset, [count, stride], |recorder, address, at| {
        recorder.draw(DrawNumbers::Indirect(address), true, at)
    });
}

fn indirect_count(
    buffer: &mut CommandBuffer,
    places: [(vk::Buffer, u64); 2],
    draw: impl Fn(&mut Recorder, [u64; 2]) -> Result<(), Error> + Send + Sync + 'static,
) {
    let [Some(first), Some(count)] = places.map(|(buffer, offset)| Some(object(buffer)?.address() + offset))
    else {
        return;
    };
    buffer.record(move |recorder| draw(recorder, [first, count]));
}

pub(crate) fn cmd_draw_indirect_count(
    buffer: &mut CommandBuffer,
    numbers: vk::Buffer,
    offset: u64,
    count: vk::Buffer,
    count_offset: u64,
    most: u32,
    stride: u32,
) {
    indirect_count(buffer, [(numbers, offset), (count, count_offset)], move |recorder, places| {
        recorder.draw_count(places, [most, stride], false)
    });
}

pub(crate) fn cmd_draw_indexed_indirect_count(
    buffer: &mut CommandBuffer,
    numbers: vk::Buffer,
    offset: u64,
    count: vk::Buffer,
    count_offset: u64,
    most: u32,
    stride: u32,
) {
    indirect_count(buffer, [(numbers, offset), (count, count_offset)], move |recorder, places| {
        recorder.draw_count(places, [most, stride], true)
    });
}

pub(crate) fn cmd_draw_mesh_tasks_ext(buffer: &mut CommandBuffer, x: u32, y: u32, z: u32) {
    buffer.record(move |recorder| recorder.draw_meshes(Groups::Direct([x, y, z]), 0));
}

pub(crate) fn cmd_draw_mesh_tasks_indirect_ext(
    buffer: &mut CommandBuffer,
    numbers: vk::Buffer,
    offset: u64,
    count: u32,
    stride: u32,
) {
    indirect(buffer, numbers, offset, [count, stride], |recorder, address, at| {
        recorder.draw_meshes(Groups::Indirect(address), at)
    });
}

pub(crate) fn cmd_draw_mesh_tasks_indirect_count_ext(
    buffer: &mut CommandBuffer,
    numbers: vk::Buffer,
    offset: u64,
    count: vk::Buffer,
    count_offset: u64,
    most: u32,
    stride: u32,
) {
    indirect_count(buffer, [(numbers, offset), (count, count_offset)], move |recorder, places| {
        recorder.draw_meshes_count(places, [most, stride])
    });
}
