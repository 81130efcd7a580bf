//! Textures, images and samplers: shaders compiled and run on the strict machine, with expected values computed here.

mod fragments;

use agx_abi::SamplerBinding;
use agx_abi::pipeline::BindingAccess;
use agx_compiler::{Bounds, CompileKey, Input};
use agx_emulator::launch::textures::{
    Dimension, Format, SamplerResource, SamplerState, Shape, TextureResource, Wrap,
};
use agx_tests::driver::{Resources, compile, launch_with, layout_of_all, storage_buffer};

/// A texture at (0, binding).
fn texture(binding: u32, shape: Shape, bytes: Vec<u8>) -> TextureResource {
    TextureResource { buffer: storage_buffer(0, binding, bytes, false), shape, storage: false }
}

/// A storage image at (0, binding).
fn image(binding: u32, shape: Shape, bytes: Vec<u8>) -> TextureResource {
    TextureResource { buffer: storage_buffer(0, binding, bytes, true), shape, storage: true }
}

fn sampler(binding: u32, state: SamplerState) -> SamplerResource {
    SamplerResource { set: 0, binding, element: 0, state }
}

fn bytes(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// Runs one invocation of `main` over `out`, a storage buffer of `words` words at (0, 0).
fn run(text: &str, words: usize, textures: &mut [TextureResource], samplers: &[SamplerResource]) -> Vec<u32> {
    run_input(Input::wgsl(text), words, textures, samplers)
}

/// The same for any input.
fn run_input(
    input: Input<'_>,
    words: usize,
    textures: &mut [TextureResource],
    samplers: &[SamplerResource],
) -> Vec<u32> {
    run_for(input, &CompileKey::default(), words, textures, samplers)
}

/// The same for any key, with descriptors that the driver binds. Descriptors that the program reads from memory must give
/// the same results.
fn run_for(
    input: Input<'_>,
    key: &CompileKey,
    words: usize,
    textures: &mut [TextureResource],
    samplers: &[SamplerResource],
) -> Vec<u32> {
    let before = textures.to_vec();
    let bound = run_with(input, key.clone(), words, textures, samplers);
    // Layouts do not support samplers with a bias.
    let accesses = [BindingAccess::Memory, BindingAccess::PartiallyBound];
    for access in accesses.into_iter().filter(|_| !has_bias(samplers)) {
        let mut again = before.clone();
        let mut key = key.clone();
        key.layout = Some(layout_of_all(access));
        let read = run_with(input, key, words, &mut again, samplers);
        assert_eq!(read, bound, "{access:?}");
        for (read, bound) in again.iter().zip(&*textures) {
            assert_eq!(read.buffer.bytes, bound.buffer.bytes, "{access:?}");
        }
    }
    bound
}

fn has_bias(samplers: &[SamplerResource]) -> bool {
    samplers.iter().any(|sampler| sampler.state.bias != 0.0)
}

fn run_with(
    input: Input<'_>,
    mut key: CompileKey,
    words: usize,
    textures: &mut [TextureResource],
    samplers: &[SamplerResource],
) -> Vec<u32> {
    (key.validate, key.sampler_bias) = (true, has_bias(samplers));
    let shader = compile(input, &key).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    // Only the sampler of loads is then in a state register.
    assert!(key.layout.is_none() || shader.info.textures.is_empty(), "{:?}", shader.info.textures);
    let mut buffers = [storage_buffer(0, 0, vec![0; words * 4], true)];
    let resources = Resources { buffers: &mut buffers, textures, samplers, ..Resources::default() };
    launch_with(&shader, resources, [1; 3], 1).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    buffers[0].bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|word| f32::from_bits(*word)).collect()
}

/// A shader with one invocation and the statements `body`, which write `out`.
fn shader(declarations: &str, body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<f32>;\n{declarations}\n\
         @compute @workgroup_size(1) fn main() {{ {body} }}"
    )
}

/// A 4×2 texture with one channel: 10 y + x.
fn small(binding: u32) -> TextureResource {
    let texels = (0..8).map(|at| (10 * (at / 4) + at % 4) as f32);
    texture(binding, Shape::new(Dimension::Plane, Format::R32F, [4, 2, 1]), bytes(texels))
}

const DECLARATIONS: &str =
    "@group(0) @binding(1) var t: texture_2d<f32>; @group(0) @binding(2) var s: sampler;";

#[test]
fn filters_and_wraps() {
    // The middle of four texels; the nearest; outside, repeated.
    let body = "out[0] = textureSampleLevel(t, s, vec2f(0.5, 0.5), 0.0).x;
        out[1] = textureSampleLevel(t, s, vec2f(0.25, 0.25), 0.0).x;
        out[2] = textureSampleLevel(t, s, vec2f(1.125, 0.25), 0.0).x;
        out[3] = textureSampleLevel(t, s, vec2f(0.125, 0.25), 0.0, vec2i(2, 1)).x;";
    let state = SamplerState { linear: [true; 2], wrap: [Wrap::Repeat; 3], ..SamplerState::default() };
    let out = run(&shader(DECLARATIONS, body), 4, &mut [small(1)], &[sampler(2, state)]);
    let average = (1.0 + 2.0 + 11.0 + 12.0) / 4.0;
    assert_eq!(floats(&out), [average, 0.5, 0.0, 12.0]);
}

#[test]
fn levels_and_gradients() {
    // Level 0 is all 1, level 1 all 3, level 2 all 7; levels begin at multiples of 16 bytes.
    let shape = Shape { levels: 3, ..Shape::new(Dimension::Plane, Format::R32F, [4, 2, 1]) };
    let texels = bytes([1.0; 8].into_iter().chain([3.0, 3.0, 0.0, 0.0]).chain([7.0]));
    // A step of two texels is level 1; a limit of 14 levels does not matter.
    let body = "out[0] = textureSampleLevel(t, s, vec2f(0.5), 0.5).x;
        out[1] = textureSampleGrad(t, s, vec2f(0.5), vec2f(0.5, 0.0), vec2f(0.0, 0.0)).x;
        out[2] = textureSampleLevel(t, s, vec2f(0.5), 9.0).x;
        out[3] = textureLoad(t, vec2i(1, 0), 1).x;
        out[4] = f32(textureNumLevels(t));
        out[5] = f32(textureDimensions(t, 1).x);
        out[6] = f32(textureDimensions(t, 2).y);";
    let state = SamplerState { linear: [true; 2], linear_levels: Some(true), ..SamplerState::default() };
    let mut textures = [texture(1, shape, texels)];
    let out = run(&shader(DECLARATIONS, body), 7, &mut textures, &[sampler(2, state)]);
    assert_eq!(floats(&out), [2.0, 3.0, 7.0, 3.0, 3.0, 2.0, 1.0]);
}

#[test]
fn biases_of_samplers_are_added_to_levels_but_not_to_gathers() {
    // Levels are all 1, all 3, all 7.
    let shape = Shape { levels: 3, ..Shape::new(Dimension::Plane, Format::R32F, [4, 2, 1]) };
    let texels = bytes([1.0; 8].into_iter().chain([3.0, 3.0, 0.0, 0.0]).chain([7.0]));
    let body = "out[0] = textureSampleLevel(t, s, vec2f(0.5), 0.25).x;
        out[1] = textureSampleGrad(t, s, vec2f(0.5), vec2f(0.5, 0.0), vec2f(0.0, 0.0)).x;
        out[2] = textureGather(0, t, s, vec2f(0.5)).x;
        out[3] = textureSampleLevel(t, s, vec2f(0.5), -7.0).x;";
    let state =
        SamplerState { linear: [true; 2], linear_levels: Some(true), bias: 0.5, ..SamplerState::default() };
    let mut textures = [texture(1, shape, texels)];
    let out = run(&shader(DECLARATIONS, body), 4, &mut textures, &[sampler(2, state)]);
    assert_eq!(floats(&out), [2.5, 5.0, 1.0, 1.0]);
}

#[test]
fn layers_are_rounded_and_clamped() {
    let declarations =
        "@group(0) @binding(1) var t: texture_2d_array<f32>; @group(0) @binding(2) var s: sampler;";
    let shape = Shape::new(Dimension::PlaneArray, Format::R32F, [1, 1, 3]);
    let body = "out[0] = textureSampleLevel(t, s, vec2f(0.5), 1, 0.0).x;
        out[1] = textureSampleLevel(t, s, vec2f(0.5), 17, 0.0).x;
        out[2] = textureSampleLevel(t, s, vec2f(0.5), -3, 0.0).x;
        out[3] = textureLoad(t, vec2i(0, 0), 2, 0).x;
        out[4] = f32(textureNumLayers(t));";
    let mut textures = [texture(1, shape, bytes([5.0, 6.0, 7.0]))];
    let out = run(&shader(declarations, body), 5, &mut textures, &[sampler(2, SamplerState::default())]);
    assert_eq!(floats(&out), [6.0, 7.0, 5.0, 7.0, 3.0]);
}

#[test]
fn cubes_and_volumes() {
    let declarations = "@group(0) @binding(1) var c: texture_cube<f32>; @group(0) @binding(2) var s: sampler;
        @group(0) @binding(3) var v: texture_3d<f32>; @group(0) @binding(4) var a: texture_cube_array<f32>;";
    let body = "out[0] = textureSampleLevel(c, s, vec3f(1.0, 0.1, 0.2), 0.0).x;
        out[1] = textureSampleLevel(c, s, vec3f(0.1, -1.0, 0.2), 0.0).x;
        out[2] = textureSampleLevel(v, s, vec3f(0.5, 0.5, 0.8), 0.0).x;
        out[3] = textureSampleLevel(a, s, vec3f(0.0, 0.0, -1.0), 1, 0.0).x;";
    let faces = |first: i32, count: i32| bytes((first..first + count).map(|face| face as f32));
    let mut textures = [
        texture(1, Shape::new(Dimension::Cube, Format::R32F, [1, 1, 1]), faces(0, 6)),
        texture(3, Shape::new(Dimension::Volume, Format::R32F, [1, 1, 2]), faces(20, 2)),
        texture(4, Shape::new(Dimension::CubeArray, Format::R32F, [1, 1, 2]), faces(40, 12)),
    ];
    let out = run(&shader(declarations, body), 4, &mut textures, &[sampler(2, SamplerState::default())]);
    // Faces +x, -y, +z and so on are 0, 3, 4; the second cube begins at 46.
    assert_eq!(floats(&out), [0.0, 3.0, 21.0, 51.0]);
}

#[test]
fn gathers_and_shadows() {
    let declarations = "@group(0) @binding(1) var t: texture_2d<f32>; @group(0) @binding(2) var s: sampler;
        @group(0) @binding(3) var d: texture_depth_2d; @group(0) @binding(4) var c: sampler_comparison;";
    let body = "let g = textureGather(0, t, s, vec2f(0.5, 0.5));
        out[0] = g.x; out[1] = g.y; out[2] = g.z; out[3] = g.w;
        out[4] = textureSampleCompareLevel(d, c, vec2f(0.5, 0.5), 0.5);
        out[5] = textureSampleCompareLevel(d, c, vec2f(0.25, 0.5), 0.5, vec2i(1, 0));
        let h = textureGatherCompare(d, c, vec2f(0.5, 0.5), 0.5);
        out[6] = h.x + 10.0 * h.y;";
    let depth = Shape::new(Dimension::Plane, Format::R32F, [2, 1, 1]);
    let mut textures = [small(1), texture(3, depth, bytes([0.25, 0.75]))];
    let linear = SamplerState { linear: [true; 2], compare: 0, ..SamplerState::default() };
    let out = run(
        &shader(declarations, body),
        7,
        &mut textures,
        &[sampler(2, SamplerState::default()), sampler(4, linear)],
    );
    // 0.5 is at most 0.75 only; the texels of a gather are counter-clockwise from the lower left.
    assert_eq!(floats(&out), [11.0, 12.0, 2.0, 1.0, 0.5, 1.0, 10.0]);
}

#[test]
fn storage_images_are_read_and_written() {
    let declarations = "@group(0) @binding(1) var w: texture_storage_2d<rgba32float, write>;
        @group(0) @binding(2) var r: texture_storage_2d<r32float, read_write>;
        @group(0) @binding(3) var a: texture_storage_2d_array<rgba8unorm, write>;";
    let body = "textureStore(w, vec2i(1, 0), vec4f(1.0, 2.0, 3.0, 4.0));
        textureStore(w, vec2i(9, 9), vec4f(9.0));
        textureStore(r, vec2i(0, 1), vec4f(textureLoad(r, vec2i(1, 1)).x + 0.5));
        textureStore(a, vec2i(0, 0), 1, vec4f(1.0, 0.2, 0.0, 1.0));
        out[0] = textureLoad(r, vec2i(0, 1)).x;
        out[1] = f32(textureDimensions(w).x);";
    let mut textures = [
        image(1, Shape::new(Dimension::Plane, Format::RGBA32F, [2, 1, 1]), vec![0; 32]),
        image(2, Shape::new(Dimension::Plane, Format::R32F, [2, 2, 1]), bytes([1.0, 2.0, 3.0, 4.0])),
        image(3, Shape::new(Dimension::PlaneArray, Format::RGBA8, [1, 1, 2]), vec![0; 8]),
    ];
    let out = run(&shader(declarations, body), 2, &mut textures, &[]);
    assert_eq!(floats(&out), [4.5, 2.0]);
    assert_eq!(textures[0].buffer.bytes, bytes([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]));
    assert_eq!(textures[1].buffer.bytes, bytes([1.0, 2.0, 4.5, 4.0]));
    assert_eq!(textures[2].buffer.bytes, [0, 0, 0, 0, 255, 51, 0, 255]);
}

#[test]
fn components_that_a_format_lacks_are_zero_and_one() {
    let declarations = "@group(0) @binding(1) var f: texture_storage_2d<rg32float, read_write>;
        @group(0) @binding(2) var u: texture_storage_2d<r32uint, read_write>;";
    let body = "let a = textureLoad(f, vec2i(0, 0)); let b = textureLoad(u, vec2i(1, 0));
        out[0] = a.x; out[1] = a.y; out[2] = a.z; out[3] = a.w;
        out[4] = f32(b.x); out[5] = f32(b.y); out[6] = f32(b.z); out[7] = f32(b.w);
        textureStore(f, vec2i(0, 0), a.yxwz * 2.0);
        textureStore(u, vec2i(0, 0), b.wwww + b);";
    let line = |format: Format, width: u32| Shape::new(Dimension::Plane, format, [width, 1, 1]);
    let mut textures = [
        image(1, line(Format { channels: 0x31, ..Format::R32F }, 1), bytes([5.0, 6.0])),
        image(2, line(Format::R32UI, 2), [7, 8].into_iter().flat_map(u32::to_le_bytes).collect()),
    ];
    let out = run(&shader(declarations, body), 8, &mut textures, &[]);
    assert_eq!(floats(&out), [5.0, 6.0, 0.0, 1.0, 8.0, 0.0, 0.0, 1.0]);
    assert_eq!(textures[0].buffer.bytes, bytes([12.0, 10.0]));
    assert_eq!(textures[1].buffer.bytes, [9, 0, 0, 0, 8, 0, 0, 0]);
}

#[test]
fn more_textures_than_registers_lie_in_tables() {
    let mut declarations = String::from("@group(0) @binding(61) var s: sampler;\n");
    let mut body = String::new();
    // The addresses of so many tables do not fit into the uniforms that texture operands can name.
    for at in 0..60 {
        declarations.push_str(&format!("@group(0) @binding({}) var t{at}: texture_2d<f32>;\n", at + 1));
        body.push_str(&format!("out[{at}] = textureSampleLevel(t{at}, s, vec2f(0.5), 0.0).x;\n"));
    }
    let shape = Shape::new(Dimension::Plane, Format::R32F, [1, 1, 1]);
    let mut textures: Vec<TextureResource> =
        (0..60).map(|at| texture(at + 1, shape, bytes([at as f32]))).collect();
    let out = run(&shader(&declarations, &body), 60, &mut textures, &[sampler(61, SamplerState::default())]);
    assert_eq!(floats(&out), (0..60).map(|at| at as f32).collect::<Vec<_>>());
}

/// The modules in this folder are compiled from the shaders of the same name: `glslangValidator -V --target-env
/// vulkan1.2 -o NAME.spv NAME.comp`.
#[test]
fn arrays_are_indexed_by_what_differs_from_lane_to_lane() {
    let place = |mut texture: TextureResource, element: u32| {
        texture.buffer.element = element;
        texture
    };
    let line = |width: u32| Shape::new(Dimension::Plane, Format::R32F, [width, 1, 1]);
    let mut textures = Vec::new();
    // Texture n of (0, 1) has n + 1 texels with alternating values n and 10 + n; texture n of (0, 3) has the value 1000
    // n.
    for at in 0..4 {
        let texels = (0..=at).map(|x| (10 * (x % 2) + at) as f32);
        textures.push(place(texture(1, line(at + 1), bytes(texels)), at));
    }
    for at in 0..3 {
        textures.push(place(texture(3, line(1), bytes([1000.0 * at as f32])), at));
    }
    for at in 0..2 {
        textures.push(place(image(4, line(4), bytes((0..4).map(|x| (4 * at + x) as f32))), at));
    }
    let state = |linear: bool| SamplerState { linear: [linear; 2], ..SamplerState::default() };
    let mut samplers = Vec::new();
    for (element, linear) in [(0, false), (1, true)] {
        samplers.push(SamplerResource { element, ..sampler(2, state(linear)) });
    }
    samplers.extend((0..3).map(|element| SamplerResource { element, ..sampler(3, state(false)) }));
    let out = run_input(Input::spirv(include_bytes!("tables.spv")), 8, &mut textures, &samplers);
    let sampled = |texture: u32, linear: bool| {
        // The middle of 1 to 4 texels; the nearest of two is the right one.
        match (texture, linear) {
            (0, _) => 0.0,
            (1, false) => 11.0,
            (1, true) => 6.0,
            (2, _) => 12.0,
            (_, false) => 3.0,
            (_, true) => 8.0,
        }
    };
    let expected = (0..8_u32).map(|i| {
        let (one, other) = (i & 3, i >> 2);
        sampled(one, other == 1) + 1000.0 * (i % 3) as f32 + (one + 1) as f32
    });
    assert_eq!(floats(&out), expected.collect::<Vec<_>>());
    // All lanes load before any of them stores.
    assert_eq!(textures[7].buffer.bytes, bytes([104.0, 105.0, 106.0, 107.0]));
    assert_eq!(textures[8].buffer.bytes, bytes([100.0, 101.0, 102.0, 103.0]));
}

#[test]
fn samples_are_fetched_by_number() {
    let plane = Shape { samples: 4, ..Shape::new(Dimension::PlaneSamples, Format::R32F, [2, 1, 1]) };
    let layers = Shape { samples: 2, ..Shape::new(Dimension::PlaneSamplesArray, Format::R32F, [1, 1, 2]) };
    let mut textures = [
        texture(1, plane, bytes((0..8).map(|at| at as f32))),
        texture(2, layers, bytes((0..4).map(|at| 10.0 + at as f32))),
    ];
    let out = run_input(Input::spirv(include_bytes!("samples.spv")), 6, &mut textures, &[]);
    // There is no third layer.
    assert_eq!(floats(&out), [7.0, 13.0, 4.0, 2.0, 2.0, 0.0]);
}

#[test]
fn samples_are_stored_by_number() {
    let plane = Shape { samples: 4, ..Shape::new(Dimension::PlaneSamples, Format::R32F, [2, 1, 1]) };
    let layers = Shape { samples: 2, ..Shape::new(Dimension::PlaneSamplesArray, Format::R32F, [1, 1, 2]) };
    let mut textures = [
        image(1, plane, bytes((0..8).map(|at| at as f32))),
        image(2, layers, bytes((0..4).map(|at| 10.0 + at as f32))),
    ];
    let out = run_input(Input::spirv(include_bytes!("store_samples.spv")), 6, &mut textures, &[]);
    assert_eq!(floats(&out), [50.0, 6.0, 60.0, 13.0, 4.0, 2.0]);
    assert_eq!(textures[0].buffer.bytes, bytes([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 50.0]));
    assert_eq!(textures[1].buffer.bytes, bytes([10.0, 11.0, 60.0, 13.0]));
}

#[test]
fn atomics_change_samples() {
    let plane = Shape { samples: 4, ..Shape::new(Dimension::PlaneSamples, Format::R32UI, [2, 1, 1]) };
    let layers = Shape { samples: 2, ..Shape::new(Dimension::PlaneSamplesArray, Format::R32UI, [1, 1, 2]) };
    let words = |values: std::ops::Range<u32>| values.flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
    let mut textures = [image(1, plane, words(0..8)), image(2, layers, words(10..14))];
    let mut key = CompileKey::default();
    key.robustness.image = Bounds::Exact;
    let module = Input::spirv(include_bytes!("atomic_samples.spv"));
    let out = run_for(module, &key, 4, &mut textures, &[]);
    assert_eq!(out[..2], [7, 13]);
    let changed = |from: u32, to: u32| move |word: u32| if word == from { to } else { word }.to_le_bytes();
    assert_eq!(textures[0].buffer.bytes, (0..8).flat_map(changed(7, 57)).collect::<Vec<u8>>());
    assert_eq!(textures[1].buffer.bytes, (10..14).flat_map(changed(13, 60)).collect::<Vec<u8>>());
}

#[test]
fn faces_of_all_cubes_are_layers_of_images() {
    let faces = |count: u32| (0..count).flat_map(|face| (0..4).map(move |texel| 10 * face + texel));
    let floats_of = |count: u32| bytes(faces(count).map(|number| number as f32));
    // A layer of a linear image takes 128 bytes.
    let counts: Vec<u8> = (0..12_u32).flat_map(|face| [face; 32]).flat_map(u32::to_le_bytes).collect();
    let linear = Shape { linear: true, ..Shape::new(Dimension::CubeArray, Format::R32UI, [1, 1, 2]) };
    let mut textures = [
        image(1, Shape::new(Dimension::CubeArray, Format::R32F, [2, 2, 2]), floats_of(12)),
        image(2, linear, counts),
        image(3, Shape::new(Dimension::Cube, Format::R32F, [2, 2, 1]), floats_of(6)),
    ];
    let out = run_input(Input::spirv(include_bytes!("cubes.spv")), 5, &mut textures, &[]);
    assert_eq!(floats(&out), [71.0, 8.0, 53.0, 2.0, 0.0]);
    assert_eq!(textures[0].buffer.bytes[4 * 46..4 * 47], bytes([99.0]));
    assert_eq!(textures[1].buffer.bytes[128 * 8..][..4], 13_u32.to_le_bytes());
}

#[test]
fn a_sampler_has_a_register_for_each_texture() {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
        @group(0) @binding(1) var a: texture_2d<f32>;
        @group(0) @binding(2) var b: texture_2d<f32>;
        @group(0) @binding(3) var s: sampler;
        @compute @workgroup_size(1) fn main() {
            out[0] = textureSampleLevel(a, s, vec2f(0.5), 0.0) + textureSampleLevel(b, s, vec2f(0.5), 0.0)
                + textureSampleLevel(a, s, vec2f(0.25), 0.0);
        }";
    let registers = |pairs_samplers| {
        let mut key = CompileKey::default();
        (key.validate, key.pairs_samplers) = (true, pairs_samplers);
        compile(Input::wgsl(text), &key).unwrap_or_else(|outcome| panic!("{outcome:?}")).info.samplers
    };
    let paired = |texture_binding| SamplerBinding::Paired {
        set: 0,
        binding: 3,
        element: 0,
        texture_set: 0,
        texture_binding,
        texture_element: 0,
    };
    assert_eq!(registers(false), [SamplerBinding::Bound { set: 0, binding: 3, element: 0 }]);
    assert_eq!(registers(true), [paired(1), paired(2)]);
}

#[test]
fn texels_of_three_components_are_loaded_from_memory() {
    let words = |words: std::ops::Range<u32>| words.flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
    let size = [3, 1, 1];
    let mut textures = [
        texture(1, Shape::new(Dimension::Buffer, Format::RGB32UI, size), words(10..19)),
        texture(2, Shape::new(Dimension::Buffer, Format::RGBA32UI, size), words(50..62)),
    ];
    let mut key = CompileKey::default();
    key.texel_triples = true;
    let found = run_for(Input::spirv(include_bytes!("triples.spv")), &key, 34, &mut textures, &[]);
    let rows = [
        [10, 11, 12, 1, 50, 51, 52, 53],
        [13, 14, 15, 1, 54, 55, 56, 57],
        [16, 17, 18, 1, 58, 59, 60, 61],
        [0; 8],
    ];
    assert_eq!(found[..32], *rows.as_flattened());
    assert_eq!(found[32..], [3, 3]);
}
