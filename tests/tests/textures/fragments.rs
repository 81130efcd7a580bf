//! Fragment shaders: levels of detail from quads, input attachments.

use agx_abi::Stage;
use agx_abi::pipeline::{BindingAccess, PipelineLayout};
use agx_abi::tile::ColourFormat;
use agx_compiler::link::{FragmentState, Target};
use agx_compiler::{CompileKey, Compiler, Input, Scratch};
use agx_emulator::launch::ShadeLaunch;
use agx_emulator::launch::textures::{
    Dimension, Format, SamplerResource, SamplerState, Shape, TextureResource,
};
use agx_emulator::{Framebuffer, Options, Tests};
use agx_tests::driver::{compile, layout_of_all, stage};

use super::{bytes, floats, has_bias, sampler, texture};

/// Pixels along a side.
const SIDE: u32 = 8;

/// Shades a square of pixels and returns the four floats of each. Descriptors in memory must give the same results as
/// bound ones.
fn shade(module: &[u8], textures: &mut [TextureResource], samplers: &[SamplerResource]) -> Vec<[f32; 4]> {
    let bound = shade_with(module, None, textures, samplers);
    // Layouts do not support samplers with a bias.
    if !has_bias(samplers) {
        let layout = Some(layout_of_all(BindingAccess::Memory));
        assert_eq!(shade_with(module, layout, textures, samplers), bound);
    }
    bound
}

fn shade_with(
    module: &[u8],
    layout: Option<PipelineLayout>,
    textures: &mut [TextureResource],
    samplers: &[SamplerResource],
) -> Vec<[f32; 4]> {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.layout) = (true, Some(Stage::Fragment), layout);
    key.sampler_bias = has_bias(samplers);
    let mut shader = compile(Input::spirv(module), &key).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    let mut state = FragmentState::default();
    state.targets[0] = Some(Target::new(ColourFormat::Rgba32Sfloat));
    let program = Compiler::default()
        .fragment_program(&mut Scratch::default(), &shader, &state, &key)
        .unwrap_or_else(|error| panic!("{error}"));
    shader.info = program.info(&shader.info);
    let mut framebuffer = Framebuffer::new(SIDE, SIDE, 1, 16);
    let launch = ShadeLaunch {
        fragment: stage(&shader, &program, &[]),
        buffers: &mut [],
        textures,
        samplers,
        targets: &mut [],
        blend_constant: [0.0; 4],
        stipple: None,
        rectangle: [0, 0, SIDE, SIDE],
        depth: 0.0,
        tests: Tests::default(),
        late_tests: program.late_tests,
        options: Options::default(),
    };
    let report = launch.run(&mut framebuffer).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.findings, []);
    let pixels = (0..SIDE * SIDE).map(|at| framebuffer.colour(at % SIDE, at / SIDE, 0).expect("inside"));
    let words = |pixel: &[u8]| {
        floats(&pixel.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<_>>())
    };
    pixels.map(|pixel| words(pixel).try_into().expect("four")).collect()
}

#[test]
fn levels_come_from_quads_with_helpers() {
    let texels =
        [64, 16, 4, 1].iter().zip([0.0, 10.0, 20.0, 30.0]).flat_map(|(count, value)| vec![value; *count]);
    let shape = Shape { levels: 4, ..Shape::new(Dimension::Plane, Format::R32F, [8, 8, 1]) };
    // All texels of level n are 10 n; the shader's own bias is 1.
    for (bias, expected) in [(0.0, [15.0, 25.0, 1.5, 1.5]), (0.25, [17.5, 27.5, 1.75, 1.75])] {
        let state =
            SamplerState { linear: [true; 2], linear_levels: Some(true), bias, ..SamplerState::default() };
        let mut textures = [texture(1, shape, bytes(texels.clone()))];
        let pixels = shade(include_bytes!("levels.spv"), &mut textures, &[sampler(1, state)]);
        for (at, pixel) in pixels.iter().enumerate() {
            // The first column is discarded; its lanes still contribute to the derivatives of their neighbours.
            let expected = if at % 8 == 0 { [0.0; 4] } else { expected };
            let close = pixel.iter().zip(expected).all(|(found, wanted)| (found - wanted).abs() < 0.01);
            assert!(close, "bias {bias}, pixel {at}: {pixel:?} instead of {expected:?}");
        }
    }
}

#[test]
fn attachments_are_read_at_the_pixel() {
    let texels: Vec<f32> = (0..SIDE * SIDE * 4).map(|at| at as f32).collect();
    let shape = Shape::new(Dimension::PlaneArray, Format::RGBA32F, [SIDE, SIDE, 1]);
    let mut textures = [texture(1, shape, bytes(texels.iter().copied()))];
    let pixels = shade(include_bytes!("attachment.spv"), &mut textures, &[]);
    let expected: Vec<f32> = texels.iter().map(|texel| 2.0 * texel).collect();
    assert_eq!(pixels.concat(), expected);
}
