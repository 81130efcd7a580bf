//! Clears of the images of a pass under way: draws of rectangles.
//!
//! Stages of pipelines take SPIR-V, so their shaders are instructions here and not texts like the kernels.

use std::sync::Arc;

use ash::vk;

use super::{DrawNumbers, Shaders};
use crate::Error;
use crate::cache::Known;
use crate::command::Recorder;
use crate::device::Device;
use crate::dirty::Dirty;
use crate::draw_state::{DepthInfo, DrawState, RasterInfo, SampleInfo};
use crate::format::FormatDesc;
use crate::pipeline::{Module, ShaderSource};
use crate::stages::{FragmentStage, Made, VertexStage, found};
use crate::transfer::typed;

/// What a draw clears: an aspect, and the number of its colour target.
type Cleared = (vk::ImageAspectFlags, u32);

/// Types of the components of colour targets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Scalar {
    Float,
    Uint,
    Sint,
}

/// The shaders of clears: by the number and type of the colour target, if there is one, and by whether they draw to several layers.
#[derive(Default)]
pub(crate) struct ClearShaders {
    made: Made<(Option<(u32, Scalar)>, bool), Shaders>,
}

/// Words of the push constants: four of the colour, the depth, the first layer.
const DEPTH: usize = 4;
const LAYER: usize = 5;

/// Instructions of SPIR-V: operation and operands.
type Rows = &'static [&'static [u32]];

/// What both shaders begin with: types, and the push constants as variable %9.
const TYPES: Rows = &[
    &[19, 1],          // %1 = OpTypeVoid
    &[33, 2, 1],       // %2 = OpTypeFunction %1
    &[22, 3, 32],      // %3 = OpTypeFloat 32
    &[23, 4, 3, 4],    // %4 = OpTypeVector %3 4
    &[21, 5, 32, 0],   // %5 = OpTypeInt 32 0
    &[23, 6, 5, 4],    // %6 = OpTypeVector %5 4
    &[30, 7, 6, 3, 5], // %7 = OpTypeStruct %6 %3 %5
    &[32, 8, 9, 7],    // %8 = OpTypePointer PushConstant %7
    &[59, 8, 9, 9],    // %9 = OpVariable %8 PushConstant
    &[43, 5, 10, 0],   // %10 = OpConstant %5 0
    &[43, 5, 11, 1],   // %11 = OpConstant %5 1
    &[43, 5, 12, 2],   // %12 = OpConstant %5 2
];

/// The decorations of the push constants.
const PUSHED: Rows = &[
    &[71, 7, 2],         // OpDecorate %7 Block
    &[72, 7, 0, 35, 0],  // OpMemberDecorate %7 0 Offset 0
    &[72, 7, 1, 35, 16], // OpMemberDecorate %7 1 Offset 16
    &[72, 7, 2, 35, 20], // OpMemberDecorate %7 2 Offset 20
];

/// A vertex shader of a triangle around the viewport.
const VERTEX: [Rows; 3] = [
    &[
        &[17, 1],                                // OpCapability Shader
        &[14, 0, 1],                             // OpMemoryModel Logical GLSL450
        &[15, 0, 40, 0x6e69_616d, 0, 9, 20, 21], // OpEntryPoint Vertex %40 "main" %9 %20 %21
        &[71, 20, 11, 0],                        // OpDecorate %20 BuiltIn Position
        &[71, 21, 11, 42],                       // OpDecorate %21 BuiltIn VertexIndex
    ],
    &[
        &[20, 13],                 // %13 = OpTypeBool
        &[43, 3, 14, 0xbf80_0000], // %14 = OpConstant %3 -1
        &[43, 3, 15, 0x4040_0000], // %15 = OpConstant %3 3
        &[43, 3, 16, 0x3f80_0000], // %16 = OpConstant %3 1
        &[32, 17, 3, 4],           // %17 = OpTypePointer Output %4
        &[32, 18, 1, 5],           // %18 = OpTypePointer Input %5
        &[32, 19, 9, 3],           // %19 = OpTypePointer PushConstant %3
        &[59, 17, 20, 3],          // %20 = OpVariable %17 Output
        &[59, 18, 21, 1],          // %21 = OpVariable %18 Input
    ],
    &[
        &[54, 1, 40, 0, 2],           // %40 = OpFunction %1 None %2
        &[248, 41],                   // %41 = OpLabel
        &[61, 5, 42, 21],             // %42 = OpLoad %5 %21
        &[170, 13, 43, 42, 11],       // %43 = OpIEqual %13 %42 %11
        &[169, 3, 44, 43, 15, 14],    // %44 = OpSelect %3 %43 %15 %14
        &[170, 13, 45, 42, 12],       // %45 = OpIEqual %13 %42 %12
        &[169, 3, 46, 45, 15, 14],    // %46 = OpSelect %3 %45 %15 %14
        &[65, 19, 47, 9, 11],         // %47 = OpAccessChain %19 %9 %11
        &[61, 3, 48, 47],             // %48 = OpLoad %3 %47
        &[80, 4, 49, 44, 46, 48, 16], // %49 = OpCompositeConstruct %4 %44 %46 %48 %16
        &[62, 20, 49],                // OpStore %20 %49
    ],
];

/// The same parts for a shader whose instances draw to layers from a first one on.
const LAYERED: [Rows; 3] = [
    &[
        &[17, 1],                                        // OpCapability Shader
        &[17, 69],                                       // OpCapability ShaderLayer
        &[14, 0, 1],                                     // OpMemoryModel Logical GLSL450
        &[15, 0, 40, 0x6e69_616d, 0, 9, 20, 21, 22, 23], // OpEntryPoint Vertex %40 "main" %9 %20 %21 %22 %23
        &[71, 20, 11, 0],                                // OpDecorate %20 BuiltIn Position
        &[71, 21, 11, 42],                               // OpDecorate %21 BuiltIn VertexIndex
        &[71, 22, 11, 43],                               // OpDecorate %22 BuiltIn InstanceIndex
        &[71, 23, 11, 9],                                // OpDecorate %23 BuiltIn Layer
    ],
    &[
        &[32, 24, 3, 5],  // %24 = OpTypePointer Output %5
        &[32, 25, 9, 5],  // %25 = OpTypePointer PushConstant %5
        &[59, 18, 22, 1], // %22 = OpVariable %18 Input
        &[59, 24, 23, 3], // %23 = OpVariable %24 Output
    ],
    &[
        &[65, 25, 50, 9, 12],  // %50 = OpAccessChain %25 %9 %12
        &[61, 5, 51, 50],      // %51 = OpLoad %5 %50
        &[61, 5, 52, 22],      // %52 = OpLoad %5 %22
        &[128, 5, 53, 51, 52], // %53 = OpIAdd %5 %51 %52
        &[62, 23, 53],         // OpStore %23 %53
    ],
];

/// What a fragment shader begins with.
const FRAGMENT: Rows = &[
    &[17, 1],                            // OpCapability Shader
    &[14, 0, 1],                         // OpMemoryModel Logical GLSL450
    &[15, 4, 40, 0x6e69_616d, 0, 9, 20], // OpEntryPoint Fragment %40 "main" %9 %20
    &[16, 40, 7],                        // OpExecutionMode %40 OriginUpperLeft
];

/// Types of a fragment shader.
const FRAGMENT_TYPES: Rows = &[
    &[21, 26, 32, 1], // %26 = OpTypeInt 32 1
    &[23, 27, 26, 4], // %27 = OpTypeVector %26 4
    &[32, 28, 9, 6],  // %28 = OpTypePointer PushConstant %6
];

/// A fragment shader up to the colour as unsigned integers, %44.
const COLOUR: Rows = &[
    &[54, 1, 40, 0, 2],   // %40 = OpFunction %1 None %2
    &[248, 41],           // %41 = OpLabel
    &[65, 28, 43, 9, 10], // %43 = OpAccessChain %28 %9 %10
    &[61, 6, 44, 43],     // %44 = OpLoad %6 %43
];

/// The end of a function.
const END: Rows = &[
    &[253], // OpReturn
    &[56],  // OpFunctionEnd
];

/// A module of instructions.
fn module(parts: &[&[&[u32]]]) -> Arc<Module> {
    let mut words = vec![0x0723_0203, 0x0001_0300, 0, 64, 0];
    for row in parts.iter().copied().flatten() {
        if let Some((operation, operands)) = row.split_first() {
            words.push(((row.len() as u32) << 16) | operation);
            words.extend_from_slice(operands);
        }
    }
    Module::new(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn source(code: Arc<Module>) -> ShaderSource {
    ShaderSource { code, entry_point: "main".into(), ..ShaderSource::default() }
}

fn vertex(layered: bool) -> ShaderSource {
    let [head, types, body] = VERTEX;
    let code = match layered {
        true => {
            let [layered, more, layer] = LAYERED;
            module(&[layered, PUSHED, TYPES, types, more, body, layer, END])
        }
        false => module(&[head, PUSHED, TYPES, types, body, END]),
    };
    source(code)
}

fn fragment(number: u32, scalar: Scalar) -> ShaderSource {
    // The type of the output, and OpBitcast or OpCopyObject.
    let (kind, operation) = match scalar {
        Scalar::Float => (4, 124),
        Scalar::Uint => (6, 83),
        Scalar::Sint => (27, 124),
    };
    let located = [71, 20, 30, number]; // OpDecorate %20 Location
    let pointer = [32, 29, 3, kind]; // %29 = OpTypePointer Output
    let output = [59, 29, 20, 3]; // %20 = OpVariable %29 Output
    let value = [operation, kind, 45, 44]; // %45
    let store = [62, 20, 45]; // OpStore %20 %45
    let types: &[&[u32]] = &[&pointer, &output];
    source(module(&[
        FRAGMENT,
        &[&located],
        PUSHED,
        TYPES,
        FRAGMENT_TYPES,
        types,
        COLOUR,
        &[&value, &store],
        END,
    ]))
}

impl ClearShaders {
    fn shaders(
        &self,
        device: &Device,
        colour: Option<(u32, Scalar)>,
        layered: bool,
    ) -> Result<Arc<Shaders>, Error> {
        found(&self.made, (colour, layered), |_| {
            let known = Known::default();
            let stage = |(number, scalar)| {
                let source = Some(fragment(number, scalar));
                FragmentStage::new(device, source, None, [false, true], known).map(Arc::new)
            };
            let vertex = VertexStage::new(device, vertex(layered), false, None, known)?;
            let fragment = colour.map(stage).transpose()?;
            Ok(Shaders { vertex: Some(Arc::new(vertex)), fragment, ..Shaders::default() })
        })
    }
}

/// The type of the components of a format.
fn scalar(format: &FormatDesc) -> Scalar {
    typed(format, [Scalar::Float, Scalar::Uint, Scalar::Sint])
}

/// Sets the state of a draw that clears, in one that is unset or that of another clear; samples are where those of the pass are.
fn take_state(state: &mut DrawState, (aspect, number): Cleared, value: [u32; 4], samples: SampleInfo) {
    use vk::ImageAspectFlags as A;
    let replace = vk::StencilOp::REPLACE;
    state.topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    state.raster = RasterInfo { clip: Some(false), line_width: 1.0, ..RasterInfo::default() };
    state.samples = SampleInfo { alpha_to_coverage: false, alpha_to_one: false, mask: u32::MAX, ..samples };
    let face = vk::StencilOpState {
        fail_op: replace,
        pass_op: replace,
        depth_fail_op: replace,
        compare_op: vk::CompareOp::ALWAYS,
        compare_mask: u32::MAX,
        write_mask: u32::MAX,
        reference: value[0],
    };
    let (depth, stencil) = (aspect == A::DEPTH, aspect == A::STENCIL);
    let compare = vk::CompareOp::ALWAYS;
    state.depth = DepthInfo { test: depth, compare, write: depth, stencil, faces: [face; 2] };
    for (at, target) in (0..).zip(&mut state.blending.targets) {
        let is_written = !depth && !stencil && at == number;
        let all = vk::ColorComponentFlags::RGBA;
        target.color_write_mask = if is_written { all } else { vk::ColorComponentFlags::empty() };
    }
}

impl Recorder {
    /// Clears boxes of the pass's images while it is under way: aspect, number of the colour target and value of each clear; left,
    /// top, width, height, first layer and layers of each box.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn clear_attachments(
        &mut self,
        clears: &[(vk::ImageAspectFlags, u32, [u32; 4])],
        boxes: &[[u32; 6]],
    ) -> Result<(), Error> {
        let Some(pass) = &mut self.pass else { return Ok(()) };
        // Clears are not counted.
        let query = pass.shown.query.take();
        let graphics = &mut self.graphics;
        let (shaders, dynamic) =
            (std::mem::take(&mut graphics.shaders), std::mem::take(&mut graphics.dynamic));
        let (feedback, push) = (std::mem::take(&mut graphics.feedback), graphics.state.push);
        let result = clears.iter().try_for_each(|(aspect, number, value)| {
            self.clear_target((*aspect, *number), *value, boxes, dynamic.samples)
        });
        let graphics = &mut self.graphics;
        (graphics.shaders, graphics.dynamic, graphics.feedback) = (shaders, dynamic, feedback);
        (graphics.state.push, graphics.state.dirty) = (push, Dirty::ALL);
        if let Some(pass) = &mut self.pass {
            pass.shown.query = query;
        }
        result
    }

    fn clear_target(
        &mut self,
        cleared: Cleared,
        value: [u32; 4],
        boxes: &[[u32; 6]],
        samples: SampleInfo,
    ) -> Result<(), Error> {
        use vk::ImageAspectFlags as A;
        let Some(pass) = &self.pass else { return Ok(()) };
        let (info, (aspect, number)) = (&pass.shown.info, cleared);
        let colour = info.colours.get(number as usize).and_then(Option::as_ref);
        let colour = match aspect {
            A::DEPTH => info.depth.as_ref().map(|_| None),
            A::STENCIL => info.stencil.as_ref().map(|_| None),
            _ => colour.map(|target| Some((number, scalar(target.view.format)))),
        };
        let Some(colour) = colour else { return Ok(()) };
        // Views draw to their own layers.
        let layered = info.views == 0 && info.layers > 1;
        let samples = SampleInfo { count: pass.shown.samples, ..samples };
        let shaders = self.device.clears().shaders(&self.device, colour, layered)?;
        let graphics = &mut self.graphics;
        graphics.shaders = shaders;
        take_state(&mut graphics.dynamic, cleared, value, samples);
        let push = &mut graphics.state.push;
        push[..DEPTH].copy_from_slice(&value);
        push[DEPTH] = if aspect == A::DEPTH { value[0] } else { 0 };
        for [left, top, width, height, first, layers] in boxes {
            let [x, y, w, h] = [left, top, width, height].map(|number| *number as f32);
            let viewport = vk::Viewport { x, y, width: w, height: h, min_depth: 0.0, max_depth: 1.0 };
            let scissor = vk::Rect2D {
                offset: vk::Offset2D { x: *left as i32, y: *top as i32 },
                extent: vk::Extent2D { width: *width, height: *height },
            };
            let graphics = &mut self.graphics;
            let DrawState { viewports, scissors, .. } = &mut graphics.dynamic;
            viewports.clear();
            viewports.push(viewport);
            scissors.clear();
            scissors.push(scissor);
            graphics.state.push[LAYER] = *first;
            graphics.state.dirty = Dirty::ALL;
            let instances = if layered { *layers } else { 1 };
            let numbers = DrawNumbers::Direct { count: 3, instances, first: 0, base: 0, first_instance: 0 };
            self.draw(numbers, false, 0)?;
        }
        Ok(())
    }
}
