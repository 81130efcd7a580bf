//! Ways of a draw: by pipelines whose state is their own, by one whose state commands set, by shader objects.

use ash::vk;

use super::state::{State, pipeline, target_formats};
use crate::Error;
use crate::device::Device;
use crate::generated::Programs;
use crate::objects::{self, states};
use crate::pipeline::{Bound, Shader};
use crate::request::Request;

/// Everything that commands can set.
const DYNAMIC: &[vk::DynamicState] = {
    use vk::DynamicState as D;
    &[
        D::VERTEX_INPUT_EXT,
        D::PRIMITIVE_TOPOLOGY,
        D::PRIMITIVE_RESTART_ENABLE,
        D::VIEWPORT_WITH_COUNT,
        D::SCISSOR_WITH_COUNT,
        D::RASTERIZER_DISCARD_ENABLE,
        D::DEPTH_CLAMP_ENABLE_EXT,
        D::DEPTH_CLIP_ENABLE_EXT,
        D::POLYGON_MODE_EXT,
        D::CULL_MODE,
        D::FRONT_FACE,
        D::DEPTH_BIAS_ENABLE,
        D::DEPTH_BIAS,
        D::PROVOKING_VERTEX_MODE_EXT,
        D::LINE_WIDTH,
        D::LINE_RASTERIZATION_MODE_EXT,
        D::DEPTH_TEST_ENABLE,
        D::DEPTH_COMPARE_OP,
        D::DEPTH_WRITE_ENABLE,
        D::STENCIL_TEST_ENABLE,
        D::STENCIL_OP,
        D::STENCIL_COMPARE_MASK,
        D::STENCIL_WRITE_MASK,
        D::STENCIL_REFERENCE,
        D::RASTERIZATION_SAMPLES_EXT,
        D::SAMPLE_MASK_EXT,
        D::ALPHA_TO_COVERAGE_ENABLE_EXT,
        D::ALPHA_TO_ONE_ENABLE_EXT,
        D::LOGIC_OP_ENABLE_EXT,
        D::LOGIC_OP_EXT,
        D::COLOR_WRITE_ENABLE_EXT,
        D::COLOR_BLEND_ENABLE_EXT,
        D::COLOR_WRITE_MASK_EXT,
        D::COLOR_BLEND_EQUATION_EXT,
        D::BLEND_CONSTANTS,
    ]
};

/// What meshes do not have.
const OF_VERTICES: &[vk::DynamicState] = &[
    vk::DynamicState::VERTEX_INPUT_EXT,
    vk::DynamicState::PRIMITIVE_TOPOLOGY,
    vk::DynamicState::PRIMITIVE_RESTART_ENABLE,
];

/// Everything about patches that commands can set.
const OF_PATCHES: &[vk::DynamicState] =
    &[vk::DynamicState::PATCH_CONTROL_POINTS_EXT, vk::DynamicState::TESSELLATION_DOMAIN_ORIGIN_EXT];

/// Whether draws are of patches.
fn is_patched(made: &[State]) -> bool {
    made.iter().any(|state| state.topology == vk::PrimitiveTopology::PATCH_LIST)
}

/// How draws are drawn.
pub enum Way {
    /// Each by a pipeline of its own.
    Pipelines(Vec<vk::Pipeline>),
    /// All with the same shaders, each with a state that commands set.
    Commands {
        /// The pipeline; without, there are shader objects.
        pipeline: Option<vk::Pipeline>,
        /// The shader objects.
        shaders: Vec<(vk::ShaderEXT, vk::ShaderStageFlags)>,
        /// State of each draw.
        states: Vec<State>,
        /// Targets.
        targets: usize,
    },
}

impl Way {
    /// The way of a request.
    ///
    /// # Errors
    /// Vulkan's error, or unknown words.
    pub fn new(device: &Device, request: &Request, shaders: &[Shader], bound: &Bound) -> Result<Way, Error> {
        let then = request.then();
        let requests: Vec<&Request> = std::iter::once(request).chain(&then).collect();
        let made: Vec<State> =
            requests.iter().map(|request| State::new(request)).collect::<Result<_, _>>()?;
        let Ok(way) = request.word("way") else {
            let one = |state| pipeline(device, request, (state, &[]), shaders, bound.layout);
            return Ok(Way::Pipelines(made.iter().map(one).collect::<Result<_, _>>()?));
        };
        let (mut whole, mut objects) = (None, Vec::new());
        match way {
            "dynamic" => {
                states(device)?;
                let mut dynamic = [DYNAMIC, if is_patched(&made) { OF_PATCHES } else { &[] }].concat();
                if request.has("meshes") {
                    dynamic.retain(|state| !OF_VERTICES.contains(state));
                }
                let state = (&other(&made)?, dynamic.as_slice());
                whole = Some(pipeline(device, request, state, shaders, bound.layout)?);
            }
            _ => {
                let stages = shaders.iter().map(|shader| shader.stage);
                objects = objects::create(device, way, shaders, bound, vk::ShaderCreateFlagsEXT::empty())?
                    .into_iter()
                    .zip(stages)
                    .collect();
            }
        }
        Ok(Way::Commands {
            pipeline: whole,
            shaders: objects,
            states: made,
            targets: target_formats(request)?.len(),
        })
    }

    /// How many draws there are.
    pub fn draws(&self) -> usize {
        match self {
            Way::Pipelines(pipelines) => pipelines.len(),
            Way::Commands { states, .. } => states.len(),
        }
    }

    /// The programs of the first draw.
    pub fn programs(&self) -> Programs {
        match self {
            Way::Pipelines(pipelines) => Programs::Pipelines(pipelines.clone()),
            Way::Commands { pipeline: Some(pipeline), .. } => Programs::Pipelines(vec![*pipeline]),
            Way::Commands { shaders, .. } => {
                Programs::Shaders(shaders.iter().map(|(shader, _)| *shader).collect())
            }
        }
    }

    /// Binds what a draw is drawn with.
    ///
    /// # Errors
    /// The driver lacks functions.
    pub fn bind(&self, device: &Device, commands: vk::CommandBuffer, draw: usize) -> Result<(), Error> {
        let point = vk::PipelineBindPoint::GRAPHICS;
        match self {
            Way::Pipelines(pipelines) => {
                let Some(pipeline) = pipelines.get(draw) else { return Ok(()) };
                // SAFETY: the command buffer is being recorded.
                unsafe { device.functions.cmd_bind_pipeline(commands, point, *pipeline) };
            }
            Way::Commands { pipeline, shaders, states: made, targets } => {
                match pipeline.filter(|_| draw == 0) {
                    // SAFETY: as above.
                    Some(pipeline) => unsafe {
                        device.functions.cmd_bind_pipeline(commands, point, pipeline);
                    },
                    None if draw == 0 => objects::bind(device, commands, shaders)?,
                    None => {}
                }
                let Some(state) = made.get(draw) else { return Ok(()) };
                set_vertices(device, commands, state)?;
                set_raster(device, commands, state)?;
                set_depth(device, commands, state);
                set_samples(device, commands, state)?;
                set_blending(device, commands, state, *targets)?;
            }
        }
        Ok(())
    }
}

/// A state that differs from those of draws wherever commands set it.
fn other(made: &[State]) -> Result<State, Error> {
    let first = made.first().ok_or("no state")?;
    Ok(State {
        bindings: Vec::new(),
        attributes: Vec::new(),
        topology: first.topology,
        restart: !first.restart,
        patch: (first.patch.0 % 32 + 1, !first.patch.1),
        view: Default::default(),
        raster: vk::PipelineRasterizationStateCreateInfo::default()
            .cull_mode(vk::CullModeFlags::FRONT_AND_BACK)
            .depth_bias_enable(true)
            .depth_bias_slope_factor(3.0)
            .line_width(2.0),
        provoking_last: !first.provoking_last,
        clip: None,
        samples: [1, 0],
        alpha: [false, false, first.alpha[2]],
        depth: vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_compare_op(vk::CompareOp::NEVER)
            .stencil_test_enable(true),
        blend: vk::PipelineColorBlendAttachmentState::default().blend_enable(true),
        constants: [0.125; 4],
        logic: None,
        bresenham: false,
        writes: Some(0),
    })
}

fn set_vertices(device: &Device, commands: vk::CommandBuffer, state: &State) -> Result<(), Error> {
    let bindings: Vec<_> = state
        .bindings
        .iter()
        .map(|known| {
            vk::VertexInputBindingDescription2EXT::default()
                .binding(known.binding)
                .stride(known.stride)
                .input_rate(known.input_rate)
                .divisor(1)
        })
        .collect();
    let attributes: Vec<_> = state
        .attributes
        .iter()
        .map(|known| {
            vk::VertexInputAttributeDescription2EXT::default()
                .location(known.location)
                .binding(known.binding)
                .format(known.format)
                .offset(known.offset)
        })
        .collect();
    let functions = &device.functions;
    // SAFETY: the command buffer is being recorded.
    unsafe {
        states(device)?.input.cmd_set_vertex_input(commands, &bindings, &attributes);
        functions.cmd_set_primitive_topology(commands, state.topology);
        functions.cmd_set_primitive_restart_enable(commands, state.restart);
        if state.topology == vk::PrimitiveTopology::PATCH_LIST {
            let (vertices, lower_left) = state.patch;
            let origin = match lower_left {
                true => vk::TessellationDomainOrigin::LOWER_LEFT,
                false => vk::TessellationDomainOrigin::UPPER_LEFT,
            };
            states(device)?.second.cmd_set_patch_control_points(commands, vertices);
            states(device)?.third.cmd_set_tessellation_domain_origin(commands, origin);
        }
        functions.cmd_set_viewport_with_count(commands, &[state.view.0]);
        functions.cmd_set_scissor_with_count(commands, &[state.view.1]);
    }
    Ok(())
}

fn set_raster(device: &Device, commands: vk::CommandBuffer, state: &State) -> Result<(), Error> {
    let (functions, third, raster) = (&device.functions, &states(device)?.third, &state.raster);
    let provoking = match state.provoking_last {
        true => vk::ProvokingVertexModeEXT::LAST_VERTEX,
        false => vk::ProvokingVertexModeEXT::FIRST_VERTEX,
    };
    let lines = match state.bresenham {
        true => vk::LineRasterizationModeEXT::BRESENHAM,
        false => vk::LineRasterizationModeEXT::DEFAULT,
    };
    let clamps = raster.depth_clamp_enable == vk::TRUE;
    // SAFETY: the command buffer is being recorded.
    unsafe {
        functions.cmd_set_rasterizer_discard_enable(commands, raster.rasterizer_discard_enable == vk::TRUE);
        functions.cmd_set_cull_mode(commands, raster.cull_mode);
        functions.cmd_set_front_face(commands, raster.front_face);
        functions.cmd_set_depth_bias_enable(commands, raster.depth_bias_enable == vk::TRUE);
        set_bias(device, commands, raster);
        functions.cmd_set_line_width(commands, raster.line_width);
        third.cmd_set_depth_clamp_enable(commands, clamps);
        third.cmd_set_depth_clip_enable(commands, state.clip.unwrap_or(!clamps));
        third.cmd_set_polygon_mode(commands, raster.polygon_mode);
        third.cmd_set_provoking_vertex_mode(commands, provoking);
        third.cmd_set_line_rasterization_mode(commands, lines);
    }
    Ok(())
}

fn set_depth(device: &Device, commands: vk::CommandBuffer, state: &State) {
    let (functions, depth) = (&device.functions, &state.depth);
    let faces = [(vk::StencilFaceFlags::FRONT, depth.front), (vk::StencilFaceFlags::BACK, depth.back)];
    // SAFETY: the command buffer is being recorded.
    unsafe {
        functions.cmd_set_depth_test_enable(commands, depth.depth_test_enable == vk::TRUE);
        functions.cmd_set_depth_compare_op(commands, depth.depth_compare_op);
        functions.cmd_set_depth_write_enable(commands, depth.depth_write_enable == vk::TRUE);
        functions.cmd_set_depth_bounds_test_enable(commands, false);
        functions.cmd_set_stencil_test_enable(commands, depth.stencil_test_enable == vk::TRUE);
        for (side, face) in faces {
            functions.cmd_set_stencil_op(
                commands,
                side,
                face.fail_op,
                face.pass_op,
                face.depth_fail_op,
                face.compare_op,
            );
            functions.cmd_set_stencil_compare_mask(commands, side, face.compare_mask);
            functions.cmd_set_stencil_write_mask(commands, side, face.write_mask);
            functions.cmd_set_stencil_reference(commands, side, face.reference);
        }
    }
}

fn set_samples(device: &Device, commands: vk::CommandBuffer, state: &State) -> Result<(), Error> {
    let third = &states(device)?.third;
    let ([samples, mask], [to_coverage, to_one, _]) = (state.samples, state.alpha);
    let count = vk::SampleCountFlags::from_raw(samples);
    // SAFETY: the command buffer is being recorded.
    unsafe {
        third.cmd_set_rasterization_samples(commands, count);
        third.cmd_set_sample_mask(commands, count, &[mask]);
        third.cmd_set_alpha_to_coverage_enable(commands, to_coverage);
        third.cmd_set_alpha_to_one_enable(commands, to_one);
    }
    Ok(())
}

fn set_blending(
    device: &Device,
    commands: vk::CommandBuffer,
    state: &State,
    targets: usize,
) -> Result<(), Error> {
    let known = states(device)?;
    let blend = state.blend;
    let equation = vk::ColorBlendEquationEXT::default()
        .src_color_blend_factor(blend.src_color_blend_factor)
        .dst_color_blend_factor(blend.dst_color_blend_factor)
        .color_blend_op(blend.color_blend_op)
        .src_alpha_blend_factor(blend.src_alpha_blend_factor)
        .dst_alpha_blend_factor(blend.dst_alpha_blend_factor)
        .alpha_blend_op(blend.alpha_blend_op);
    // SAFETY: the command buffer is being recorded.
    unsafe {
        device.functions.cmd_set_blend_constants(commands, &state.constants);
        known.third.cmd_set_logic_op_enable(commands, state.logic.is_some());
        known.second.cmd_set_logic_op(commands, state.logic.unwrap_or(vk::LogicOp::COPY));
        if targets > 0 {
            known.third.cmd_set_color_blend_enable(commands, 0, &vec![blend.blend_enable; targets]);
            known.third.cmd_set_color_blend_equation(commands, 0, &vec![equation; targets]);
            known.third.cmd_set_color_write_mask(commands, 0, &vec![blend.color_write_mask; targets]);
            let written = state.written(targets);
            let set = known.writes.fp().cmd_set_color_write_enable_ext;
            set(commands, targets as u32, written.as_ptr());
        }
    }
    Ok(())
}

/// Sets the depth bias, by a structure where the driver takes one.
///
/// # Safety
/// The command buffer is being recorded.
unsafe fn set_bias(
    device: &Device,
    commands: vk::CommandBuffer,
    raster: &vk::PipelineRasterizationStateCreateInfo<'_>,
) {
    let vk::PipelineRasterizationStateCreateInfo {
        depth_bias_constant_factor: constant,
        depth_bias_clamp: clamp,
        depth_bias_slope_factor: slope,
        ..
    } = *raster;
    let info = vk::DepthBiasInfoEXT::default()
        .depth_bias_constant_factor(constant)
        .depth_bias_clamp(clamp)
        .depth_bias_slope_factor(slope);
    // SAFETY: the caller's promise.
    unsafe {
        match &device.bias {
            Some(bias) => (bias.fp().cmd_set_depth_bias2_ext)(commands, &info),
            None => device.functions.cmd_set_depth_bias(commands, constant, clamp, slope),
        }
    }
}
