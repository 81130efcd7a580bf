//! The state of a graphics pipeline, from the words of a request.

use ash::vk;

use crate::Error;
use crate::binaries;
use crate::condition;
use crate::device::Device;
use crate::image::{aspect, format};
use crate::pipeline::Shader;
use crate::request::Request;

/// One of these by its name.
fn named<T: Copy>(table: &[(&str, T)], name: &str, what: &str) -> Result<T, Error> {
    let found = table.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| format!("unknown {what} `{name}`").into())
}

const TOPOLOGIES: &[(&str, vk::PrimitiveTopology)] = &[
    ("points", vk::PrimitiveTopology::POINT_LIST),
    ("lines", vk::PrimitiveTopology::LINE_LIST),
    ("line-strip", vk::PrimitiveTopology::LINE_STRIP),
    ("triangles", vk::PrimitiveTopology::TRIANGLE_LIST),
    ("triangle-strip", vk::PrimitiveTopology::TRIANGLE_STRIP),
    ("triangle-fan", vk::PrimitiveTopology::TRIANGLE_FAN),
    ("lines-adjacency", vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY),
    ("line-strip-adjacency", vk::PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY),
    ("triangles-adjacency", vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY),
    ("triangle-strip-adjacency", vk::PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY),
    ("patches", vk::PrimitiveTopology::PATCH_LIST),
];

const COMPARE: &[(&str, vk::CompareOp)] = &[
    ("never", vk::CompareOp::NEVER),
    ("less", vk::CompareOp::LESS),
    ("equal", vk::CompareOp::EQUAL),
    ("less-equal", vk::CompareOp::LESS_OR_EQUAL),
    ("greater", vk::CompareOp::GREATER),
    ("not-equal", vk::CompareOp::NOT_EQUAL),
    ("greater-equal", vk::CompareOp::GREATER_OR_EQUAL),
    ("always", vk::CompareOp::ALWAYS),
];

const STENCIL: &[(&str, vk::StencilOp)] = &[
    ("keep", vk::StencilOp::KEEP),
    ("zero", vk::StencilOp::ZERO),
    ("replace", vk::StencilOp::REPLACE),
    ("increment-clamp", vk::StencilOp::INCREMENT_AND_CLAMP),
    ("decrement-clamp", vk::StencilOp::DECREMENT_AND_CLAMP),
    ("invert", vk::StencilOp::INVERT),
    ("increment-wrap", vk::StencilOp::INCREMENT_AND_WRAP),
    ("decrement-wrap", vk::StencilOp::DECREMENT_AND_WRAP),
];

const VERTEX_FORMATS: &[(&str, vk::Format)] = &[
    ("r32f", vk::Format::R32_SFLOAT),
    ("rg32f", vk::Format::R32G32_SFLOAT),
    ("rgb32f", vk::Format::R32G32B32_SFLOAT),
    ("rgba32f", vk::Format::R32G32B32A32_SFLOAT),
    ("rgba8", vk::Format::R8G8B8A8_UNORM),
    ("rgba8ui", vk::Format::R8G8B8A8_UINT),
    ("rgba8snorm", vk::Format::R8G8B8A8_SNORM),
    ("bgra8", vk::Format::B8G8R8A8_UNORM),
    ("rg16", vk::Format::R16G16_UNORM),
    ("rg16f", vk::Format::R16G16_SFLOAT),
    ("rg16i", vk::Format::R16G16_SINT),
    ("rgb10a2", vk::Format::A2B10G10R10_UNORM_PACK32),
    ("rgb10a2-uscaled", vk::Format::A2B10G10R10_USCALED_PACK32),
    ("bgr10a2", vk::Format::A2R10G10B10_UNORM_PACK32),
    ("bgr10a2-snorm", vk::Format::A2R10G10B10_SNORM_PACK32),
    ("bgr10a2-uscaled", vk::Format::A2R10G10B10_USCALED_PACK32),
    ("bgr10a2-sscaled", vk::Format::A2R10G10B10_SSCALED_PACK32),
    ("r32ui", vk::Format::R32_UINT),
    ("rg32ui", vk::Format::R32G32_UINT),
    ("r32i", vk::Format::R32_SINT),
    ("rg32i", vk::Format::R32G32_SINT),
    ("rgba32i", vk::Format::R32G32B32A32_SINT),
];

/// Source and destination factors, operation; the same for colour and alpha.
const BLENDS: &[(&str, (vk::BlendFactor, vk::BlendFactor, vk::BlendOp))] = &[
    ("alpha", (vk::BlendFactor::SRC_ALPHA, vk::BlendFactor::ONE_MINUS_SRC_ALPHA, vk::BlendOp::ADD)),
    ("add", (vk::BlendFactor::ONE, vk::BlendFactor::ONE, vk::BlendOp::ADD)),
    ("multiply", (vk::BlendFactor::DST_COLOR, vk::BlendFactor::ZERO, vk::BlendOp::ADD)),
    ("subtract", (vk::BlendFactor::ONE, vk::BlendFactor::ONE, vk::BlendOp::SUBTRACT)),
    ("reverse", (vk::BlendFactor::ONE, vk::BlendFactor::ONE, vk::BlendOp::REVERSE_SUBTRACT)),
    ("min", (vk::BlendFactor::ONE, vk::BlendFactor::ONE, vk::BlendOp::MIN)),
    ("max", (vk::BlendFactor::ONE, vk::BlendFactor::ONE, vk::BlendOp::MAX)),
    ("constant", (vk::BlendFactor::CONSTANT_COLOR, vk::BlendFactor::CONSTANT_ALPHA, vk::BlendOp::ADD)),
    ("destination", (vk::BlendFactor::DST_ALPHA, vk::BlendFactor::ONE_MINUS_DST_ALPHA, vk::BlendOp::ADD)),
];

fn blend(request: &Request) -> Result<vk::PipelineColorBlendAttachmentState, Error> {
    let [mask] = request.numbers("write_mask", [15])?;
    let state = vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::from_raw(mask));
    if !request.has("blend") {
        return Ok(state);
    }
    let (src, dst, op) = named(BLENDS, request.word("blend")?, "blend")?;
    Ok(state
        .blend_enable(true)
        .src_color_blend_factor(src)
        .dst_color_blend_factor(dst)
        .color_blend_op(op)
        .src_alpha_blend_factor(src)
        .dst_alpha_blend_factor(dst)
        .alpha_blend_op(op))
}

fn depth_stencil(request: &Request) -> Result<vk::PipelineDepthStencilStateCreateInfo<'static>, Error> {
    let mut state = vk::PipelineDepthStencilStateCreateInfo::default();
    if let Some([_, compare, write, ..]) = request.words("depth") {
        state = state
            .depth_test_enable(true)
            .depth_compare_op(named(COMPARE, compare, "comparison")?)
            .depth_write_enable(write == "write");
    }
    let face = |words: &[String]| {
        let [compare, fail, depth_fail, pass, reference, read, write, ..] = words else {
            return Err(Error::from("`stencil` wants seven words"));
        };
        let op = |name: &str| named(STENCIL, name, "stencil operation");
        Ok(vk::StencilOpState {
            fail_op: op(fail)?,
            pass_op: op(pass)?,
            depth_fail_op: op(depth_fail)?,
            compare_op: named(COMPARE, compare, "comparison")?,
            compare_mask: crate::request::number(read)?,
            write_mask: crate::request::number(write)?,
            reference: crate::request::number(reference)?,
        })
    };
    if let Some(words) = request.words("stencil") {
        let front = face(words)?;
        let back = request.words("stencil_back").map_or(Ok(front), face)?;
        state = state.stencil_test_enable(true).front(front).back(back);
    }
    Ok(state)
}

fn raster(request: &Request) -> Result<vk::PipelineRasterizationStateCreateInfo<'static>, Error> {
    let cull = match request.word("cull").unwrap_or("none") {
        "front" => vk::CullModeFlags::FRONT,
        "back" => vk::CullModeFlags::BACK,
        "both" => vk::CullModeFlags::FRONT_AND_BACK,
        _ => vk::CullModeFlags::NONE,
    };
    let front = match request.word("front").unwrap_or("ccw") {
        "cw" => vk::FrontFace::CLOCKWISE,
        _ => vk::FrontFace::COUNTER_CLOCKWISE,
    };
    let polygon = match request.word("polygon").unwrap_or("fill") {
        "line" => vk::PolygonMode::LINE,
        "point" => vk::PolygonMode::POINT,
        _ => vk::PolygonMode::FILL,
    };
    let [constant, clamp, slope] = request.floats("bias", [0.0; 3])?;
    let [width] = request.floats("line_width", [1.0])?;
    Ok(vk::PipelineRasterizationStateCreateInfo::default()
        .cull_mode(cull)
        .front_face(front)
        .polygon_mode(polygon)
        .line_width(width)
        .depth_clamp_enable(request.has("clamp"))
        .rasterizer_discard_enable(request.has("discard"))
        .depth_bias_enable(request.has("bias"))
        .depth_bias_constant_factor(constant)
        .depth_bias_clamp(clamp)
        .depth_bias_slope_factor(slope))
}

type VertexInput = (Vec<vk::VertexInputBindingDescription>, Vec<vk::VertexInputAttributeDescription>);

fn vertex_input(request: &Request) -> Result<VertexInput, Error> {
    let mut bindings = Vec::new();
    for (at, words) in request.all("vertex_data").enumerate() {
        let rate = match words.get(1).map(String::as_str) {
            Some("instance") => vk::VertexInputRate::INSTANCE,
            _ => vk::VertexInputRate::VERTEX,
        };
        let stride = words.first().ok_or("`vertex_data` wants a stride")?.parse()?;
        bindings.push(vk::VertexInputBindingDescription { binding: at as u32, stride, input_rate: rate });
    }
    let mut attributes = Vec::new();
    for words in request.all("attribute") {
        let [location, name, offset, rest @ ..] = words else {
            return Err("`attribute` wants three words".into());
        };
        attributes.push(vk::VertexInputAttributeDescription {
            location: location.parse()?,
            binding: rest.first().map_or(Ok(0), |word| word.parse())?,
            format: named(VERTEX_FORMATS, name, "vertex format")?,
            offset: offset.parse()?,
        });
    }
    Ok((bindings, attributes))
}

fn viewport(request: &Request) -> Result<(vk::Viewport, vk::Rect2D), Error> {
    let [width, height] = request.numbers("size", [32, 32])?;
    let whole = [0.0, 0.0, width as f32, height as f32, 0.0, 1.0];
    let [x, y, w, h, min_depth, max_depth] = request.floats("viewport", whole)?;
    let [left, top, across, down] = request.numbers("scissor", [0, 0, width, height])?;
    let scissor = vk::Rect2D {
        offset: vk::Offset2D { x: left as i32, y: top as i32 },
        extent: vk::Extent2D { width: across, height: down },
    };
    Ok((vk::Viewport { x, y, width: w, height: h, min_depth, max_depth }, scissor))
}

/// The formats of the targets.
pub fn target_formats(request: &Request) -> Result<Vec<vk::Format>, Error> {
    let names = request.all("target").filter_map(|words| words.first());
    names.map(|name| format(name).map(|found| found.format)).collect()
}

/// The formats of a pass; the first two words of depth and stencil are the same.
fn rendering<'f>(
    request: &Request,
    formats: &'f [vk::Format],
) -> Result<vk::PipelineRenderingCreateInfo<'f>, Error> {
    let [view_mask] = request.numbers("views", [0])?;
    let mut rendering =
        vk::PipelineRenderingCreateInfo::default().color_attachment_formats(formats).view_mask(view_mask);
    if let Some(words) = request.words("depth").or(request.words("stencil_only")) {
        let found = format(words.first().ok_or("`depth` wants a format")?)?.format;
        if aspect(found).contains(vk::ImageAspectFlags::DEPTH) {
            rendering = rendering.depth_attachment_format(found);
        }
        if aspect(found).contains(vk::ImageAspectFlags::STENCIL) {
            rendering = rendering.stencil_attachment_format(found);
        }
    }
    Ok(rendering)
}

/// Calls `with` with what a secondary command buffer inherits from the pass.
pub fn inherited<R>(
    request: &Request,
    with: impl FnOnce((&vk::CommandBufferInheritanceInfo<'_>, vk::CommandBufferUsageFlags)) -> Result<R, Error>,
) -> Result<R, Error> {
    let formats = target_formats(request)?;
    let [samples] = request.numbers("samples", [1])?;
    let pass = rendering(request, &formats)?;
    let mut rendering = vk::CommandBufferInheritanceRenderingInfo::default()
        .color_attachment_formats(&formats)
        .depth_attachment_format(pass.depth_attachment_format)
        .stencil_attachment_format(pass.stencil_attachment_format)
        .view_mask(pass.view_mask)
        .rasterization_samples(vk::SampleCountFlags::from_raw(samples));
    let inheritance = vk::CommandBufferInheritanceInfo::default().push_next(&mut rendering);
    condition::inherited(request, inheritance, |inheritance| {
        with((inheritance, vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE))
    })
}

const LOGIC: &[(&str, vk::LogicOp)] = &[
    ("and", vk::LogicOp::AND),
    ("xor", vk::LogicOp::XOR),
    ("or-inverted", vk::LogicOp::OR_INVERTED),
    ("set", vk::LogicOp::SET),
];

/// Everything that a pipeline says beside its shaders.
pub struct State {
    /// Vertex buffers.
    pub bindings: Vec<vk::VertexInputBindingDescription>,
    /// Attributes.
    pub attributes: Vec<vk::VertexInputAttributeDescription>,
    /// The primitives that vertices form.
    pub topology: vk::PrimitiveTopology,
    /// The greatest index starts a new strip.
    pub restart: bool,
    /// Vertices of a patch, and whether the origin of its domain is at the lower left.
    pub patch: (u32, bool),
    /// The viewport and the scissor.
    pub view: (vk::Viewport, vk::Rect2D),
    /// The rasteriser.
    pub raster: vk::PipelineRasterizationStateCreateInfo<'static>,
    /// Flat values come from the last vertex.
    pub provoking_last: bool,
    /// Whether depth is clipped, where the request says so.
    pub clip: Option<bool>,
    /// Samples of a pixel, and those that are let through.
    pub samples: [u32; 2],
    /// Alpha becomes coverage; it becomes one; every sample is shaded.
    pub alpha: [bool; 3],
    /// Depth and stencil.
    pub depth: vk::PipelineDepthStencilStateCreateInfo<'static>,
    /// Blending of every target.
    pub blend: vk::PipelineColorBlendAttachmentState,
    /// Blend constants.
    pub constants: [f32; 4],
    /// Lines are Bresenham's.
    pub bresenham: bool,
    /// The logic operation.
    pub logic: Option<vk::LogicOp>,
    /// Targets that colours are written to, bit 0 the first.
    pub writes: Option<u32>,
}

impl State {
    /// The state that a request describes.
    ///
    /// # Errors
    /// Words that are not known.
    pub fn new(request: &Request) -> Result<State, Error> {
        let (bindings, attributes) = vertex_input(request)?;
        let [samples] = request.numbers("samples", [1])?;
        let [mask] = request.numbers("sample_mask", [u32::MAX])?;
        let [writes] = request.numbers("color_writes", [u32::MAX])?;
        let [patch] = request.numbers("patch", [3])?;
        Ok(State {
            bindings,
            attributes,
            topology: named(TOPOLOGIES, request.word("topology").unwrap_or("triangles"), "topology")?,
            restart: request.has("restart"),
            patch: (patch, request.has("lower_left")),
            view: viewport(request)?,
            raster: raster(request)?,
            provoking_last: request.has("provoking_last"),
            clip: request.word("clip").ok().map(|word| word == "on"),
            samples: [samples, mask],
            alpha: ["alpha_to_coverage", "alpha_to_one", "sample_shading"].map(|key| request.has(key)),
            depth: depth_stencil(request)?,
            blend: blend(request)?,
            constants: request.floats("constants", [0.0; 4])?,
            bresenham: request.has("bresenham"),
            logic: request
                .word("logic")
                .ok()
                .map(|word| named(LOGIC, word, "logic operation"))
                .transpose()?,
            writes: request.has("color_writes").then_some(writes),
        })
    }

    fn multisample<'s>(&self, masks: &'s [u32; 1]) -> vk::PipelineMultisampleStateCreateInfo<'s> {
        let [to_coverage, to_one, shading] = self.alpha;
        vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::from_raw(self.samples[0]))
            .sample_mask(masks)
            .alpha_to_coverage_enable(to_coverage)
            .alpha_to_one_enable(to_one)
            .sample_shading_enable(shading)
            .min_sample_shading(1.0)
    }

    fn blending<'s>(
        &self,
        blends: &'s [vk::PipelineColorBlendAttachmentState],
    ) -> vk::PipelineColorBlendStateCreateInfo<'s> {
        vk::PipelineColorBlendStateCreateInfo::default()
            .attachments(blends)
            .blend_constants(self.constants)
            .logic_op_enable(self.logic.is_some())
            .logic_op(self.logic.unwrap_or(vk::LogicOp::COPY))
    }

    /// Whether each of so many targets is written to.
    pub fn written(&self, targets: usize) -> Vec<vk::Bool32> {
        (0..targets).map(|at| self.writes.unwrap_or(u32::MAX) >> at & 1).collect()
    }
}

/// Rules of the rasteriser that extensions add.
#[derive(Default)]
struct Rules {
    provoking: vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'static>,
    clip: vk::PipelineRasterizationDepthClipStateCreateInfoEXT<'static>,
    lines: vk::PipelineRasterizationLineStateCreateInfoKHR<'static>,
}

impl Rules {
    /// The state of the rasteriser, with those that a state asks for.
    fn chain(&mut self, state: &State) -> vk::PipelineRasterizationStateCreateInfo<'_> {
        let mut raster = state.raster;
        if state.provoking_last {
            self.provoking.provoking_vertex_mode = vk::ProvokingVertexModeEXT::LAST_VERTEX;
            raster = raster.push_next(&mut self.provoking);
        }
        if let Some(clips) = state.clip {
            self.clip.depth_clip_enable = clips.into();
            raster = raster.push_next(&mut self.clip);
        }
        if state.bresenham {
            self.lines.line_rasterization_mode = vk::LineRasterizationModeKHR::BRESENHAM;
            raster = raster.push_next(&mut self.lines);
        }
        raster
    }
}

/// The pipeline of a request and a state, of which commands set `dynamic`.
///
/// # Errors
/// Vulkan's error, or unknown words.
pub fn pipeline(
    device: &Device,
    request: &Request,
    (state, dynamic): (&State, &[vk::DynamicState]),
    shaders: &[Shader],
    layout: vk::PipelineLayout,
) -> Result<vk::Pipeline, Error> {
    let constants: Vec<_> = shaders.iter().map(Shader::specialization).collect();
    let stages: Vec<_> = shaders.iter().zip(&constants).map(|(shader, data)| shader.create(data)).collect();
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&state.bindings)
        .vertex_attribute_descriptions(&state.attributes);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(state.topology)
        .primitive_restart_enable(state.restart);
    let mut origin = vk::PipelineTessellationDomainOriginStateCreateInfo::default();
    let patches = patches(state, &mut origin);
    let [columns] = request.numbers("viewports", [1])?;
    let (views, scissors) = (viewports(state.view.0, columns), vec![state.view.1; columns as usize]);
    let mut viewport = vk::PipelineViewportStateCreateInfo::default();
    if !dynamic.contains(&vk::DynamicState::VIEWPORT_WITH_COUNT) {
        viewport = viewport.viewports(&views).scissors(&scissors);
    }
    let mut rules = Rules::default();
    let raster = rules.chain(state);
    let masks = [state.samples[1]];
    let multisample = state.multisample(&masks);
    let formats = target_formats(request)?;
    let blends = vec![state.blend; formats.len()];
    let written = state.written(formats.len());
    let mut writes = vk::PipelineColorWriteCreateInfoEXT::default().color_write_enables(&written);
    let mut blend = state.blending(&blends);
    if state.writes.is_some() {
        blend = blend.push_next(&mut writes);
    }
    let mut rendering = rendering(request, &formats)?;
    let set = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(dynamic);
    let create = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .tessellation_state(&patches)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&multisample)
        .depth_stencil_state(&state.depth)
        .color_blend_state(&blend)
        .dynamic_state(&set)
        .layout(layout)
        .push_next(&mut rendering);
    let create = match request.has("meshes") {
        true => without_vertices(create),
        false => create.vertex_input_state(&input).input_assembly_state(&assembly),
    };
    if request.has("libraries") {
        return linked(device, &create, &stages);
    }
    if request.has("binaries") {
        return remade(device, create, &stages);
    }
    made(device, create)
}

/// A pipeline that is made again from its binaries.
fn remade(
    device: &Device,
    create: vk::GraphicsPipelineCreateInfo<'_>,
    stages: &[vk::PipelineShaderStageCreateInfo<'_>],
) -> Result<vk::Pipeline, Error> {
    binaries::remade(device, |chain, has_modules| {
        let mut stages = stages.to_vec();
        if !has_modules {
            stages.iter_mut().for_each(|stage| stage.module = vk::ShaderModule::null());
        }
        // The flags or binaries follow the formats of the targets.
        let mut create = create;
        // SAFETY: the chain of a graphics pipeline begins with this structure here.
        let mut rendering = unsafe { *create.p_next.cast::<vk::PipelineRenderingCreateInfo<'_>>() };
        rendering.p_next = chain;
        create.p_next = (&raw const rendering).cast();
        made(device, create.stages(&stages))
    })
}

/// Drivers ignore pointers to state of vertices if there are meshes.
fn without_vertices(create: vk::GraphicsPipelineCreateInfo<'_>) -> vk::GraphicsPipelineCreateInfo<'_> {
    vk::GraphicsPipelineCreateInfo {
        p_vertex_input_state: std::ptr::without_provenance(8),
        p_input_assembly_state: std::ptr::without_provenance(8),
        ..create
    }
}

/// As many viewports, side by side.
fn viewports(whole: vk::Viewport, columns: u32) -> Vec<vk::Viewport> {
    let width = whole.width / columns as f32;
    (0..columns).map(|at| vk::Viewport { x: whole.x + width * at as f32, width, ..whole }).collect()
}

/// The state of patches.
fn patches<'s>(
    state: &State,
    origin: &'s mut vk::PipelineTessellationDomainOriginStateCreateInfo<'_>,
) -> vk::PipelineTessellationStateCreateInfo<'s> {
    let (vertices, lower_left) = state.patch;
    let patches = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(vertices);
    match lower_left {
        true => {
            origin.domain_origin = vk::TessellationDomainOrigin::LOWER_LEFT;
            patches.push_next(origin)
        }
        false => patches,
    }
}

fn made(device: &Device, create: vk::GraphicsPipelineCreateInfo<'_>) -> Result<vk::Pipeline, Error> {
    // SAFETY: handles are this device's; structures live through the call.
    let made =
        unsafe { device.functions.create_graphics_pipelines(vk::PipelineCache::null(), &[create], None) };
    Ok(*made.map_err(|(_, error)| error)?.first().ok_or("no pipeline")?)
}

/// The shaders before the rasteriser.
const PRE_RASTERIZATION: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    (vk::ShaderStageFlags::ALL_GRAPHICS.as_raw()
        | vk::ShaderStageFlags::TASK_EXT.as_raw()
        | vk::ShaderStageFlags::MESH_EXT.as_raw())
        & !vk::ShaderStageFlags::FRAGMENT.as_raw(),
);

/// The parts of a pipeline, and the shaders that each has.
const PARTS: [(vk::GraphicsPipelineLibraryFlagsEXT, vk::ShaderStageFlags); 4] = [
    (vk::GraphicsPipelineLibraryFlagsEXT::VERTEX_INPUT_INTERFACE, vk::ShaderStageFlags::empty()),
    (vk::GraphicsPipelineLibraryFlagsEXT::PRE_RASTERIZATION_SHADERS, PRE_RASTERIZATION),
    (vk::GraphicsPipelineLibraryFlagsEXT::FRAGMENT_SHADER, vk::ShaderStageFlags::FRAGMENT),
    (vk::GraphicsPipelineLibraryFlagsEXT::FRAGMENT_OUTPUT_INTERFACE, vk::ShaderStageFlags::empty()),
];

/// The pipeline of a structure, linked from a library for each of its parts.
fn linked(
    device: &Device,
    create: &vk::GraphicsPipelineCreateInfo<'_>,
    stages: &[vk::PipelineShaderStageCreateInfo<'_>],
) -> Result<vk::Pipeline, Error> {
    let mut libraries = Vec::new();
    let has_vertices = stages.iter().any(|known| known.stage == vk::ShaderStageFlags::VERTEX);
    let of_vertices = vk::GraphicsPipelineLibraryFlagsEXT::VERTEX_INPUT_INTERFACE;
    for (flags, own) in PARTS.into_iter().filter(|(flags, _)| has_vertices || *flags != of_vertices) {
        let stages: Vec<_> = stages.iter().filter(|known| own.contains(known.stage)).copied().collect();
        let part = vk::GraphicsPipelineLibraryCreateInfoEXT {
            flags,
            p_next: create.p_next.cast_mut(),
            ..Default::default()
        };
        let mut library = create.flags(vk::PipelineCreateFlags::LIBRARY_KHR).stages(&stages);
        library.p_next = std::ptr::from_ref(&part).cast();
        libraries.push(made(device, library)?);
    }
    let mut list = vk::PipelineLibraryCreateInfoKHR::default().libraries(&libraries);
    made(device, vk::GraphicsPipelineCreateInfo::default().layout(create.layout).push_next(&mut list))
}
