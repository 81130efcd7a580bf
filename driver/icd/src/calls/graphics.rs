//! Graphics pipelines.

use std::ffi::c_void;
use std::sync::Arc;

use agx_driver::Error;
use agx_driver::cache::Known;
use agx_driver::draw_state::{
    AttributeInfo, BindingInfo, BlendInfo, ColourSource, DepthInfo, DrawState, PatchInfo, RasterInfo,
    VertexInput, advanced_blend, sample_positions,
};
use agx_driver::graphics::{GraphicsInfo, GraphicsPipeline, LibraryStages};
use agx_driver::physical::MAX_TARGETS;
use ash::vk;
use ash::vk::GraphicsPipelineLibraryFlagsEXT as Parts;

use super::dynamic::depth_bias;
use super::identifier::Modules;
use super::library::Libraries;
use super::pipeline::{Makes, all_flags, robustness, source};
use crate::generated::members;
use crate::handles::object;
use crate::objects::{Device, Library, PipelineKind};
use crate::pointers::{find, slice};

pub(crate) use super::pipeline::create_pipelines as create_graphics_pipelines;

impl Makes for vk::GraphicsPipelineCreateInfo<'_> {
    fn about(&self) -> (vk::PipelineCreateFlags, *const c_void) {
        (self.flags, self.p_next)
    }

    fn make(&self, device: &Device, known: Known<'_>) -> Result<PipelineKind, Error> {
        let flags = all_flags(self.flags, self.p_next);
        let libraries = Libraries::of(self, flags);
        let (info, parts) = libraries.whole(self, Modules::new(device, known))?;
        if flags.contains(vk::PipelineCreateFlags::LIBRARY_KHR) {
            let mut stages = libraries.stages();
            stages.add(&LibraryStages::new(device, &info, libraries.own, known)?);
            return Ok(PipelineKind::Library(Box::new(Library { parts, info, stages })));
        }
        let is_linked = !libraries.is_empty();
        let pipeline = match is_linked && !flags.contains(vk::PipelineCreateFlags::LINK_TIME_OPTIMIZATION_EXT)
        {
            true => GraphicsPipeline::linked(device, info, &libraries.stages(), known)?,
            false => GraphicsPipeline::new(device, info, known)?,
        };
        Ok(PipelineKind::Graphics(Arc::new(pipeline)))
    }
}

/// The contents of a structure for some parts. Pointers for other parts are ignored, since they need not be valid.
///
/// # Errors
/// An unsupported stage.
pub(super) fn graphics_info(
    create: &vk::GraphicsPipelineCreateInfo<'_>,
    parts: Parts,
    modules: Modules<'_>,
) -> Result<GraphicsInfo, Error> {
    let mut info = GraphicsInfo::default();
    let robust = robustness(create.p_next);
    let shaded = parts.intersects(Parts::PRE_RASTERIZATION_SHADERS | Parts::FRAGMENT_SHADER);
    for stage in members::graphics_pipeline_create_info_stages(create).iter().filter(|_| shaded) {
        match stage.stage {
            vk::ShaderStageFlags::VERTEX => info.vertex = source(stage, create.layout, modules)?.or(robust),
            vk::ShaderStageFlags::TESSELLATION_CONTROL => {
                info.control = Some(source(stage, create.layout, modules)?.or(robust));
            }
            vk::ShaderStageFlags::TESSELLATION_EVALUATION => {
                info.evaluation = Some(source(stage, create.layout, modules)?.or(robust));
            }
            vk::ShaderStageFlags::GEOMETRY => {
                info.geometry = Some(source(stage, create.layout, modules)?.or(robust))
            }
            vk::ShaderStageFlags::FRAGMENT => {
                info.fragment = Some(source(stage, create.layout, modules)?.or(robust))
            }
            vk::ShaderStageFlags::TASK_EXT => {
                info.task = Some(source(stage, create.layout, modules)?.or(robust));
            }
            vk::ShaderStageFlags::MESH_EXT => {
                info.mesh = Some(source(stage, create.layout, modules)?.or(robust));
            }
            _ => return Err(Error::Unsupported { what: "a shader stage of rays" }),
        }
    }
    if let Some(dynamic) = members::graphics_pipeline_create_info_dynamic_state(create) {
        info.dynamic = members::pipeline_dynamic_state_create_info_dynamic_states(dynamic).to_vec();
    }
    // Meshes have no vertex input.
    let described = if info.mesh.is_some() { parts & !Parts::VERTEX_INPUT_INTERFACE } else { parts };
    info.state = state(create, &info.dynamic, described);
    if parts.intersects(Parts::FRAGMENT_SHADER | Parts::FRAGMENT_OUTPUT_INTERFACE) {
        multisample(create, &mut info);
    }
    if !parts.contains(Parts::FRAGMENT_OUTPUT_INTERFACE) {
        return Ok(info);
    }
    formats(create, &mut info);
    if let Some(given) = find::<vk::RenderingAttachmentLocationInfoKHR<'_>>(create.p_next) {
        info.state.blending.sources = sources(given);
    }
    let drawn = !info.state.raster.discard;
    if let Some(blend) = members::graphics_pipeline_create_info_color_blend_state(create).filter(|_| drawn) {
        blending(blend, &info.dynamic, &mut info.state.blending);
    }
    Ok(info)
}

fn blending(
    blend: &vk::PipelineColorBlendStateCreateInfo<'_>,
    dynamic: &[vk::DynamicState],
    state: &mut BlendInfo,
) {
    use vk::DynamicState as D;
    // If all of these states are dynamic, the list may be absent.
    let parts = [D::COLOR_BLEND_ENABLE_EXT, D::COLOR_BLEND_EQUATION_EXT, D::COLOR_WRITE_MASK_EXT];
    if !parts.iter().all(|part| dynamic.contains(part)) {
        let targets = members::pipeline_color_blend_state_create_info_attachments(blend);
        state.targets.iter_mut().zip(targets).for_each(|(to, from)| *to = *from);
        let given = find::<vk::PipelineColorBlendAdvancedStateCreateInfoEXT<'_>>(blend.p_next);
        let premultiplied = |given: &vk::PipelineColorBlendAdvancedStateCreateInfoEXT<'_>| {
            [given.src_premultiplied, given.dst_premultiplied].map(|flag| flag == vk::TRUE)
        };
        let premultiplied = given.map_or([true; 2], premultiplied);
        let overlap = given.map_or(vk::BlendOverlapEXT::UNCORRELATED, |given| given.blend_overlap);
        for (advanced, target) in state.advanced.iter_mut().zip(targets) {
            *advanced = advanced_blend(target.color_blend_op, premultiplied, overlap);
        }
    }
    (state.logic, state.logic_op) = (blend.logic_op_enable == vk::TRUE, blend.logic_op);
    state.constants = blend.blend_constants;
    if let Some(writes) = find::<vk::PipelineColorWriteCreateInfoEXT<'_>>(blend.p_next) {
        state.closed = closed(members::pipeline_color_write_create_info_ext_color_write_enables(writes));
    }
}

/// The colour that each target takes.
pub(super) fn sources(
    info: &vk::RenderingAttachmentLocationInfoKHR<'_>,
) -> [ColourSource; MAX_TARGETS as usize] {
    let mut sources = [ColourSource::Own; MAX_TARGETS as usize];
    let given = members::rendering_attachment_location_info_color_attachment_locations(info);
    for (slot, location) in sources.iter_mut().zip(given) {
        *slot = u8::try_from(*location).map_or(ColourSource::None, ColourSource::Location);
    }
    sources
}

/// The targets with disabled writes, bit 0 the first.
pub(super) fn closed(writes: &[vk::Bool32]) -> u32 {
    let of = |(at, write): (usize, &vk::Bool32)| u32::from(*write == vk::FALSE) << at;
    writes.iter().take(32).enumerate().map(of).sum()
}

fn vertex_input(create: &vk::GraphicsPipelineCreateInfo<'_>) -> VertexInput {
    let Some(input) = members::graphics_pipeline_create_info_vertex_input_state(create) else {
        return VertexInput::default();
    };
    let bindings = members::pipeline_vertex_input_state_create_info_vertex_binding_descriptions(input).iter();
    let divisors = find::<vk::PipelineVertexInputDivisorStateCreateInfoKHR<'_>>(input.p_next)
        // SAFETY: valid usage of `VkPipelineVertexInputDivisorStateCreateInfo`.
        .map(|list| unsafe {
            slice(list.p_vertex_binding_divisors, list.vertex_binding_divisor_count as usize)
        })
        .unwrap_or_default();
    let divisor = |binding: u32| divisors.iter().find(|d| d.binding == binding).map_or(1, |d| d.divisor);
    let bindings = bindings
        .map(|b| BindingInfo {
            binding: b.binding,
            stride: b.stride,
            divisor: (b.input_rate == vk::VertexInputRate::INSTANCE).then(|| divisor(b.binding)),
        })
        .collect();
    let attributes =
        members::pipeline_vertex_input_state_create_info_vertex_attribute_descriptions(input).iter();
    let attributes = attributes
        .map(|a| AttributeInfo {
            location: a.location,
            binding: a.binding,
            format: a.format,
            offset: a.offset,
        })
        .collect();
    VertexInput { attributes, bindings }
}

fn state(
    create: &vk::GraphicsPipelineCreateInfo<'_>,
    dynamic: &[vk::DynamicState],
    parts: Parts,
) -> DrawState {
    let mut state = DrawState::default();
    if parts.contains(Parts::VERTEX_INPUT_INTERFACE) && !dynamic.contains(&vk::DynamicState::VERTEX_INPUT_EXT)
    {
        state.input = Arc::new(vertex_input(create));
    }
    if parts.contains(Parts::VERTEX_INPUT_INTERFACE)
        && let Some(assembly) = members::graphics_pipeline_create_info_input_assembly_state(create)
    {
        state.topology = assembly.topology;
        state.restart = assembly.primitive_restart_enable == vk::TRUE;
    }
    if parts.contains(Parts::PRE_RASTERIZATION_SHADERS) {
        rasteriser(create, dynamic, &mut state);
        state.patch = patch(create);
    }
    if !parts.contains(Parts::FRAGMENT_SHADER) || state.raster.discard {
        return state;
    }
    if let Some(depth) = members::graphics_pipeline_create_info_depth_stencil_state(create) {
        state.depth = DepthInfo {
            test: depth.depth_test_enable == vk::TRUE,
            compare: depth.depth_compare_op,
            write: depth.depth_write_enable == vk::TRUE,
            stencil: depth.stencil_test_enable == vk::TRUE,
            faces: [depth.front, depth.back],
        };
    }
    state
}

/// State of patches; pipelines without tessellation shaders may have none.
fn patch(create: &vk::GraphicsPipelineCreateInfo<'_>) -> PatchInfo {
    let stages = members::graphics_pipeline_create_info_stages(create);
    let is_tessellated = stages.iter().any(|stage| stage.stage == vk::ShaderStageFlags::TESSELLATION_CONTROL);
    let state = members::graphics_pipeline_create_info_tessellation_state(create);
    state.filter(|_| is_tessellated).map_or(PatchInfo::default(), |state| {
        let origin = find::<vk::PipelineTessellationDomainOriginStateCreateInfo<'_>>(state.p_next);
        PatchInfo {
            vertices: state.patch_control_points,
            points_up: origin
                .is_some_and(|origin| origin.domain_origin == vk::TessellationDomainOrigin::LOWER_LEFT),
        }
    })
}

/// State of the rasteriser, viewports and scissors.
fn rasteriser(
    create: &vk::GraphicsPipelineCreateInfo<'_>,
    dynamic: &[vk::DynamicState],
    state: &mut DrawState,
) {
    if let Some(raster) = members::graphics_pipeline_create_info_rasterization_state(create) {
        let factors =
            [raster.depth_bias_constant_factor, raster.depth_bias_clamp, raster.depth_bias_slope_factor];
        let bias = depth_bias(factors, raster.p_next);
        let clip = find::<vk::PipelineRasterizationDepthClipStateCreateInfoEXT<'_>>(raster.p_next);
        let provoking = find::<vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'_>>(raster.p_next);
        let stream = find::<vk::PipelineRasterizationStateStreamCreateInfoEXT<'_>>(raster.p_next);
        let lines = find::<vk::PipelineRasterizationLineStateCreateInfoKHR<'_>>(raster.p_next);
        let discards = !dynamic.contains(&vk::DynamicState::RASTERIZER_DISCARD_ENABLE);
        state.raster = RasterInfo {
            discard: discards && raster.rasterizer_discard_enable == vk::TRUE,
            clamp: raster.depth_clamp_enable == vk::TRUE,
            clip: clip.map(|clip| clip.depth_clip_enable == vk::TRUE),
            polygon: raster.polygon_mode,
            cull: raster.cull_mode,
            clockwise: raster.front_face == vk::FrontFace::CLOCKWISE,
            biased: raster.depth_bias_enable == vk::TRUE,
            bias,
            provoking_last: provoking
                .is_some_and(|mode| mode.provoking_vertex_mode == vk::ProvokingVertexModeEXT::LAST_VERTEX),
            stream: stream.map_or(0, |stream| stream.rasterization_stream),
            line_width: raster.line_width,
            bresenham: lines.is_some_and(|lines| {
                lines.line_rasterization_mode == vk::LineRasterizationModeKHR::BRESENHAM
            }),
        };
    }
    let views = members::graphics_pipeline_create_info_viewport_state(create);
    if let Some(views) = views.filter(|_| !state.raster.discard) {
        if !dynamic.contains(&vk::DynamicState::VIEWPORT) {
            state.viewports = members::pipeline_viewport_state_create_info_viewports(views).to_vec();
        }
        if !dynamic.contains(&vk::DynamicState::SCISSOR) {
            state.scissors = members::pipeline_viewport_state_create_info_scissors(views).to_vec();
        }
    }
}

fn multisample(create: &vk::GraphicsPipelineCreateInfo<'_>, info: &mut GraphicsInfo) {
    let state = members::graphics_pipeline_create_info_multisample_state(create);
    let Some(state) = state.filter(|_| !info.state.raster.discard) else { return };
    info.shading = state.sample_shading_enable == vk::TRUE;
    let samples = &mut info.state.samples;
    samples.count = state.rasterization_samples.as_raw();
    // SAFETY: valid usage of `VkPipelineMultisampleStateCreateInfo`: there is at least one word.
    if let Some(mask) = unsafe { state.p_sample_mask.as_ref() } {
        samples.mask = *mask;
    }
    let places = find::<vk::PipelineSampleLocationsStateCreateInfoEXT<'_>>(state.p_next);
    if let Some(places) = places {
        samples.is_placed = places.sample_locations_enable == vk::TRUE;
        samples.places = sample_places(&places.sample_locations_info);
    }
    samples.alpha_to_coverage = state.alpha_to_coverage_enable == vk::TRUE;
    samples.alpha_to_one = state.alpha_to_one_enable == vk::TRUE;
}

/// The positions of the samples of a pixel.
pub(super) fn sample_places(info: &vk::SampleLocationsInfoEXT<'_>) -> u32 {
    let places = members::sample_locations_info_ext_sample_locations(info);
    sample_positions(places.iter().map(|place| [place.x, place.y]))
}

/// Formats of the targets, from dynamic rendering or from a subpass.
fn formats(create: &vk::GraphicsPipelineCreateInfo<'_>, info: &mut GraphicsInfo) {
    match object(create.render_pass) {
        Some(pass) => {
            let subpass = pass.subpasses.get(create.subpass as usize);
            let colours = subpass.map(|subpass| subpass.colours.as_slice()).unwrap_or_default();
            let of = |number: &Option<u32>| {
                let attachment = number.and_then(|number| pass.attachments.get(number as usize));
                attachment.map_or(vk::Format::UNDEFINED, |attachment| attachment.format)
            };
            info.formats = colours.iter().map(of).collect();
        }
        None => {
            if let Some(rendering) = find::<vk::PipelineRenderingCreateInfo<'_>>(create.p_next) {
                let list = members::pipeline_rendering_create_info_color_attachment_formats(rendering);
                info.formats = list.to_vec();
            }
        }
    }
}
