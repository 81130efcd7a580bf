//! Commands that set dynamic state.

use std::ffi::c_void;
use std::sync::Arc;

use agx_driver::Error;
use agx_driver::command::{CommandBuffer, Recorder};
use agx_driver::dirty::Dirty;
use agx_driver::draw_state::{
    AdvancedBlend, AttributeInfo, BindingInfo, BlendInfo, DepthBias, DrawState, VertexInput, advanced_blend,
};
use agx_driver::setting::{AnySetting, Setting};
use ash::vk;

use super::graphics::{closed, sample_places, sources};
use crate::few::Few;
use crate::pointers::find;

/// Sets a part of the state.
#[inline(always)]
fn set<T: PartialEq + Copy>(
    buffer: &mut CommandBuffer,
    dirty: Dirty,
    place: fn(&mut DrawState) -> &mut T,
    value: T,
) where
    AnySetting: From<Setting<T>>,
{
    buffer.set(Setting { dirty, place, value });
}

/// Changes a list.
fn change<T: Copy + Default + Send + Sync + 'static>(
    buffer: &mut CommandBuffer,
    dirty: Dirty,
    values: &[T],
    change: impl Fn(&mut DrawState, &[T]) + Copy + Send + Sync + 'static,
) {
    let now = move |recorder: &mut Recorder, values: &[T]| {
        recorder.graphics.state.dirty |= dirty;
        change(&mut recorder.graphics.dynamic, values);
        Ok(())
    };
    buffer.record_borrowed(
        |recorder| now(recorder, values),
        || {
            let values: Few<T, 2> = values.iter().copied().collect();
            move |recorder: &mut Recorder| now(recorder, &values)
        },
    );
}

/// Writes values to a list from `first` on.
fn put<T: Copy + Default>(list: &mut Vec<T>, first: u32, values: &[T]) {
    let end = first as usize + values.len();
    if list.len() < end {
        list.resize(end, T::default());
    }
    if let Some(room) = list.get_mut(first as usize..end) {
        room.copy_from_slice(values);
    }
}

pub(crate) fn cmd_set_viewport(buffer: &mut CommandBuffer, first: u32, values: &[vk::Viewport]) {
    change(buffer, Dirty::VIEWS, values, move |state, values| put(&mut state.viewports, first, values));
}

pub(crate) fn cmd_set_viewport_with_count(buffer: &mut CommandBuffer, values: &[vk::Viewport]) {
    change(buffer, Dirty::VIEWS, values, |state, values| {
        state.viewports.clear();
        state.viewports.extend_from_slice(values);
    });
}

pub(crate) fn cmd_set_scissor(buffer: &mut CommandBuffer, first: u32, values: &[vk::Rect2D]) {
    change(buffer, Dirty::VIEWS, values, move |state, values| put(&mut state.scissors, first, values));
}

pub(crate) fn cmd_set_scissor_with_count(buffer: &mut CommandBuffer, values: &[vk::Rect2D]) {
    change(buffer, Dirty::VIEWS, values, |state, values| {
        state.scissors.clear();
        state.scissors.extend_from_slice(values);
    });
}

pub(crate) fn cmd_set_line_width(buffer: &mut CommandBuffer, width: f32) {
    set(buffer, Dirty::RASTER, |state| &mut state.raster.line_width, width);
}

pub(crate) fn cmd_set_depth_bias(buffer: &mut CommandBuffer, constant: f32, clamp: f32, slope: f32) {
    let bias = DepthBias { factors: [constant, clamp, slope], ..DepthBias::default() };
    set(buffer, Dirty::BIAS, |state| &mut state.raster.bias, bias);
}

pub(crate) fn cmd_set_depth_bias2_ext(buffer: &mut CommandBuffer, info: &vk::DepthBiasInfoEXT<'_>) {
    let factors = [info.depth_bias_constant_factor, info.depth_bias_clamp, info.depth_bias_slope_factor];
    set(buffer, Dirty::BIAS, |state| &mut state.raster.bias, depth_bias(factors, info.p_next));
}

/// A depth bias in the representation that a chain asks for.
pub(super) fn depth_bias(factors: [f32; 3], next: *const c_void) -> DepthBias {
    let Some(wanted) = find::<vk::DepthBiasRepresentationInfoEXT<'_>>(next) else {
        return DepthBias { factors, ..DepthBias::default() };
    };
    let normalised = vk::DepthBiasRepresentationEXT::LEAST_REPRESENTABLE_VALUE_FORCE_UNORM;
    DepthBias {
        factors,
        normalised: wanted.depth_bias_representation == normalised,
        exact: wanted.depth_bias_exact == vk::TRUE,
    }
}

pub(crate) fn cmd_set_depth_bias_enable(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::BIAS, |state| &mut state.raster.biased, enable == vk::TRUE);
}

pub(crate) fn cmd_set_blend_constants(buffer: &mut CommandBuffer, values: [f32; 4]) {
    set(buffer, Dirty::CONSTANTS, |state| &mut state.blending.constants, values);
}

pub(crate) fn cmd_set_depth_bounds(_: &mut CommandBuffer, _: f32, _: f32) {}

pub(crate) fn cmd_set_depth_bounds_test_enable(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    if enable == vk::TRUE {
        buffer.record(|_: &mut Recorder| Err(Error::Unsupported { what: "the test of depth bounds" }));
    }
}

/// Sets a part of the faces of a mask.
fn faces<T: PartialEq + Copy + Send + Sync + 'static>(
    buffer: &mut CommandBuffer,
    mask: vk::StencilFaceFlags,
    place: impl Fn(&mut vk::StencilOpState) -> &mut T + Copy + Send + Sync + 'static,
    value: T,
) {
    buffer.record(move |recorder| {
        for (side, flag) in [vk::StencilFaceFlags::FRONT, vk::StencilFaceFlags::BACK].into_iter().enumerate()
        {
            if mask.contains(flag) {
                recorder.graphics.set(Dirty::DEPTH, |state| place(&mut state.depth.faces[side]), value);
            }
        }
        Ok(())
    });
}

pub(crate) fn cmd_set_stencil_compare_mask(
    buffer: &mut CommandBuffer,
    mask: vk::StencilFaceFlags,
    value: u32,
) {
    faces(buffer, mask, |face| &mut face.compare_mask, value);
}

pub(crate) fn cmd_set_stencil_write_mask(buffer: &mut CommandBuffer, mask: vk::StencilFaceFlags, value: u32) {
    faces(buffer, mask, |face| &mut face.write_mask, value);
}

pub(crate) fn cmd_set_stencil_reference(buffer: &mut CommandBuffer, mask: vk::StencilFaceFlags, value: u32) {
    faces(buffer, mask, |face| &mut face.reference, value);
}

pub(crate) fn cmd_set_stencil_op(
    buffer: &mut CommandBuffer,
    mask: vk::StencilFaceFlags,
    fail: vk::StencilOp,
    pass: vk::StencilOp,
    depth_fail: vk::StencilOp,
    compare: vk::CompareOp,
) {
    faces(buffer, mask, |face| &mut face.fail_op, fail);
    faces(buffer, mask, |face| &mut face.pass_op, pass);
    faces(buffer, mask, |face| &mut face.depth_fail_op, depth_fail);
    faces(buffer, mask, |face| &mut face.compare_op, compare);
}

pub(crate) fn cmd_set_stencil_test_enable(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::DEPTH, |state| &mut state.depth.stencil, enable == vk::TRUE);
}

pub(crate) fn cmd_set_cull_mode(buffer: &mut CommandBuffer, mode: vk::CullModeFlags) {
    set(buffer, Dirty::RASTER, |state| &mut state.raster.cull, mode);
}

pub(crate) fn cmd_set_front_face(buffer: &mut CommandBuffer, face: vk::FrontFace) {
    set(buffer, Dirty::RASTER, |state| &mut state.raster.clockwise, face == vk::FrontFace::CLOCKWISE);
}

pub(crate) fn cmd_set_primitive_topology(buffer: &mut CommandBuffer, topology: vk::PrimitiveTopology) {
    set(buffer, Dirty::RASTER, |state| &mut state.topology, topology);
}

pub(crate) fn cmd_set_primitive_restart_enable(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::RASTER, |state| &mut state.restart, enable == vk::TRUE);
}

pub(crate) fn cmd_set_patch_control_points_ext(buffer: &mut CommandBuffer, vertices: u32) {
    set(buffer, Dirty::RASTER, |state| &mut state.patch.vertices, vertices);
}

pub(crate) fn cmd_set_tessellation_domain_origin_ext(
    buffer: &mut CommandBuffer,
    origin: vk::TessellationDomainOrigin,
) {
    set(
        buffer,
        Dirty::RASTER,
        |state| &mut state.patch.points_up,
        origin == vk::TessellationDomainOrigin::LOWER_LEFT,
    );
}

pub(crate) fn cmd_set_rasterizer_discard_enable(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::RASTER, |state| &mut state.raster.discard, enable == vk::TRUE);
}

pub(crate) fn cmd_set_depth_test_enable(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::DEPTH, |state| &mut state.depth.test, enable == vk::TRUE);
}

pub(crate) fn cmd_set_depth_write_enable(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::DEPTH, |state| &mut state.depth.write, enable == vk::TRUE);
}

pub(crate) fn cmd_set_depth_compare_op(buffer: &mut CommandBuffer, compare: vk::CompareOp) {
    set(buffer, Dirty::DEPTH, |state| &mut state.depth.compare, compare);
}

pub(crate) fn cmd_set_vertex_input_ext(
    buffer: &mut CommandBuffer,
    bindings: &[vk::VertexInputBindingDescription2EXT<'_>],
    attributes: &[vk::VertexInputAttributeDescription2EXT<'_>],
) {
    let strides: Vec<(u32, u32)> = bindings.iter().map(|binding| (binding.binding, binding.stride)).collect();
    let bindings = bindings
        .iter()
        .map(|b| BindingInfo {
            binding: b.binding,
            stride: b.stride,
            divisor: (b.input_rate == vk::VertexInputRate::INSTANCE).then_some(b.divisor),
        })
        .collect();
    let attributes = attributes
        .iter()
        .map(|a| AttributeInfo {
            location: a.location,
            binding: a.binding,
            format: a.format,
            offset: a.offset,
        })
        .collect();
    let input = Arc::new(VertexInput { attributes, bindings });
    buffer.record(move |recorder| {
        recorder.graphics.dynamic.input.clone_from(&input);
        recorder.graphics.state.dirty |= Dirty::PROGRAMS;
        // The latest command takes effect: commands that bind vertex buffers set strides too.
        recorder.graphics.set_strides(strides.iter().copied());
        Ok(())
    });
}

pub(crate) fn cmd_set_depth_clamp_enable_ext(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::VIEWS | Dirty::RASTER, |state| &mut state.raster.clamp, enable == vk::TRUE);
}

pub(crate) fn cmd_set_depth_clip_enable_ext(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::RASTER, |state| &mut state.raster.clip, Some(enable == vk::TRUE));
}

pub(crate) fn cmd_set_polygon_mode_ext(buffer: &mut CommandBuffer, mode: vk::PolygonMode) {
    set(buffer, Dirty::RASTER, |state| &mut state.raster.polygon, mode);
}

pub(crate) fn cmd_set_provoking_vertex_mode_ext(
    buffer: &mut CommandBuffer,
    mode: vk::ProvokingVertexModeEXT,
) {
    let last = mode == vk::ProvokingVertexModeEXT::LAST_VERTEX;
    set(buffer, Dirty::RASTER, |state| &mut state.raster.provoking_last, last);
}

pub(crate) fn cmd_set_rasterization_samples_ext(buffer: &mut CommandBuffer, samples: vk::SampleCountFlags) {
    set(buffer, Dirty::PROGRAMS, |state| &mut state.samples.count, samples.as_raw());
}

pub(crate) fn cmd_set_sample_locations_ext(
    buffer: &mut CommandBuffer,
    info: &vk::SampleLocationsInfoEXT<'_>,
) {
    set(buffer, Dirty::PROGRAMS, |state| &mut state.samples.places, sample_places(info));
}

pub(crate) fn cmd_set_sample_locations_enable_ext(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::PROGRAMS, |state| &mut state.samples.is_placed, enable == vk::TRUE);
}

pub(crate) fn cmd_set_sample_mask_ext(
    buffer: &mut CommandBuffer,
    _: vk::SampleCountFlags,
    mask: *const vk::SampleMask,
) {
    // SAFETY: valid usage of `vkCmdSetSampleMaskEXT`: there is at least one word.
    let mask = unsafe { mask.as_ref() }.copied().unwrap_or(u32::MAX);
    set(buffer, Dirty::PROGRAMS, |state| &mut state.samples.mask, mask);
}

pub(crate) fn cmd_set_alpha_to_coverage_enable_ext(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::PROGRAMS, |state| &mut state.samples.alpha_to_coverage, enable == vk::TRUE);
}

pub(crate) fn cmd_set_alpha_to_one_enable_ext(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::PROGRAMS, |state| &mut state.samples.alpha_to_one, enable == vk::TRUE);
}

pub(crate) fn cmd_set_logic_op_enable_ext(buffer: &mut CommandBuffer, enable: vk::Bool32) {
    set(buffer, Dirty::PROGRAMS, |state| &mut state.blending.logic, enable == vk::TRUE);
}

pub(crate) fn cmd_set_logic_op_ext(buffer: &mut CommandBuffer, op: vk::LogicOp) {
    set(buffer, Dirty::PROGRAMS, |state| &mut state.blending.logic_op, op);
}

pub(crate) fn cmd_set_color_write_enable_ext(buffer: &mut CommandBuffer, writes: &[vk::Bool32]) {
    let closed = closed(writes);
    set(buffer, Dirty::PROGRAMS, |state| &mut state.blending.closed, closed);
}

/// Blending of a target: its state, and its advanced operation.
type Blended<'s> = (&'s mut vk::PipelineColorBlendAttachmentState, &'s mut Option<AdvancedBlend>);

/// Changes the blending of targets from `first` on.
fn targets<T: Copy + Default + Send + Sync + 'static>(
    buffer: &mut CommandBuffer,
    first: u32,
    values: &[T],
    set_one: impl Fn(Blended<'_>, T) + Copy + Send + Sync + 'static,
) {
    change(buffer, Dirty::PROGRAMS, values, move |state, values| {
        let BlendInfo { targets, advanced, .. } = &mut state.blending;
        let targets = targets.iter_mut().zip(advanced).skip(first as usize);
        targets.zip(values).for_each(|(target, value)| set_one(target, *value));
    });
}

pub(crate) fn cmd_set_color_blend_enable_ext(buffer: &mut CommandBuffer, first: u32, enables: &[vk::Bool32]) {
    targets(buffer, first, enables, |(target, _), enable| target.blend_enable = enable);
}

pub(crate) fn cmd_set_color_write_mask_ext(
    buffer: &mut CommandBuffer,
    first: u32,
    masks: &[vk::ColorComponentFlags],
) {
    targets(buffer, first, masks, |(target, _), mask| target.color_write_mask = mask);
}

pub(crate) fn cmd_set_color_blend_equation_ext(
    buffer: &mut CommandBuffer,
    first: u32,
    equations: &[vk::ColorBlendEquationEXT],
) {
    targets(buffer, first, equations, |(target, advanced), equation| {
        *advanced = None;
        *target = vk::PipelineColorBlendAttachmentState {
            blend_enable: target.blend_enable,
            src_color_blend_factor: equation.src_color_blend_factor,
            dst_color_blend_factor: equation.dst_color_blend_factor,
            color_blend_op: equation.color_blend_op,
            src_alpha_blend_factor: equation.src_alpha_blend_factor,
            dst_alpha_blend_factor: equation.dst_alpha_blend_factor,
            alpha_blend_op: equation.alpha_blend_op,
            color_write_mask: target.color_write_mask,
        };
    });
}

pub(crate) fn cmd_set_color_blend_advanced_ext(
    buffer: &mut CommandBuffer,
    first: u32,
    operations: &[vk::ColorBlendAdvancedEXT],
) {
    targets(buffer, first, operations, |(_, advanced), given| {
        let premultiplied = [given.src_premultiplied, given.dst_premultiplied].map(|flag| flag == vk::TRUE);
        let blend = advanced_blend(given.advanced_blend_op, premultiplied, given.blend_overlap);
        let clamp_results = given.clamp_results == vk::TRUE;
        *advanced = blend.map(|blend| AdvancedBlend { clamp_results, ..blend });
    });
}

pub(crate) fn cmd_set_rendering_attachment_locations(
    buffer: &mut CommandBuffer,
    info: &vk::RenderingAttachmentLocationInfoKHR<'_>,
) {
    set(buffer, Dirty::PROGRAMS, |state| &mut state.blending.sources, sources(info));
}

/// Input attachments are read by their descriptors, whatever their index.
pub(crate) fn cmd_set_rendering_input_attachment_indices(
    _: &mut CommandBuffer,
    _: &vk::RenderingInputAttachmentIndexInfoKHR<'_>,
) {
}

// State that has only one value, because the features for others are not supported.

pub(crate) fn cmd_set_rasterization_stream_ext(buffer: &mut CommandBuffer, stream: u32) {
    set(buffer, Dirty::RASTER, |state| &mut state.raster.stream, stream);
}

/// Lines are always solid Bresenham lines; the hardware is told whether they were requested.
pub(crate) fn cmd_set_line_rasterization_mode_ext(
    buffer: &mut CommandBuffer,
    mode: vk::LineRasterizationModeEXT,
) {
    set(
        buffer,
        Dirty::RASTER,
        |state| &mut state.raster.bresenham,
        mode == vk::LineRasterizationModeEXT::BRESENHAM,
    );
}

pub(crate) fn cmd_set_line_stipple_enable_ext(_: &mut CommandBuffer, _: vk::Bool32) {}

/// No line is stippled: the features are not offered.
pub(crate) fn cmd_set_line_stipple(_: &mut CommandBuffer, _: u32, _: u16) {}
