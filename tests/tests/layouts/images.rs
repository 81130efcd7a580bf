//! Images and texel buffers: accesses outside, at each level of robustness, with descriptors in registers and in
//! memory.

use agx_abi::pipeline::{PipelineLayout, SetLayout};
use agx_abi::{Stage, Target};
use agx_compiler::{Bounds, CompileKey, CompiledShader, Compiler, Input, Robustness, Scratch};
use agx_emulator::launch::BufferBinding;
use agx_emulator::launch::textures::{Dimension, Format, Shape, TextureResource};
use agx_tests::driver::{Resources, launch_with, storage_buffer};
use agx_tests::outcome::Outcome;

/// `images.comp`, compiled by `glslangValidator -V --target-env vulkan1.1`.
const ACCESSES: &[u8] = include_bytes!("images.spv");

/// Texels of an image along each axis, and of texel buffers.
const SIDE: u32 = 4;
const TEXELS: u32 = 6;

/// Column and row for each lane. The texel buffers have texels for columns 0 to 5.
const INSIDE: [[i32; 2]; 8] = [[0, 0], [1, 3], [2, 1], [3, 3], [0, 2], [1, 1], [2, 0], [3, 2]];
/// The same with some outside: on each side, close and far.
const PLACES: [[i32; 2]; 8] = [[0, 0], [4, 0], [2, 1], [0, 4], [-1, 2], [3, -1], [1000, 1], [1, i32::MAX]];

fn compiled(image: Bounds, in_memory: bool) -> CompiledShader {
    let mut key = CompileKey::default();
    (key.validate, key.stage) = (true, Some(Stage::Compute));
    key.robustness = Robustness { image, ..Robustness::default() };
    let bindings = [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 2), (7, 1), (8, 1)];
    key.layout = in_memory.then(|| PipelineLayout { sets: vec![SetLayout::of_descriptors(0, bindings)] });
    let compiler = Compiler::new(Target::default());
    compiler.compile(&mut Scratch::default(), Input::spirv(ACCESSES), &key).expect("compiles")
}

fn words(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// An image or texture whose texels are consecutive numbers from `first`; those with atomics are linear.
fn texture(binding: u32, element: u32, dimension: Dimension, first: u32, storage: bool) -> TextureResource {
    let size = if dimension == Dimension::Buffer { [TEXELS, 1, 1] } else { [SIDE, SIDE, 1] };
    let mut shape = Shape::new(dimension, Format::R32UI, size);
    shape.linear |= binding == 4;
    let texels = size[0] * size[1];
    let bytes = words((0..texels).map(|at| first + at));
    let buffer = BufferBinding { element, ..storage_buffer(0, binding, bytes, storage) };
    TextureResource { buffer, shape, storage }
}

/// The results of the shader: loads, then stored texels, counted ones and words.
fn run(shader: &CompiledShader, places: [[i32; 2]; 8]) -> Result<[Vec<u32>; 4], Outcome> {
    let places = places.iter().flatten().map(|place| *place as u32);
    let mut buffers =
        vec![storage_buffer(0, 0, words(places), false), storage_buffer(0, 1, vec![0xee; 256], true)];
    let mut textures = vec![
        texture(2, 0, Dimension::Plane, 10, true),
        texture(3, 0, Dimension::Plane, 30, true),
        texture(4, 0, Dimension::Plane, 50, true),
        texture(5, 0, Dimension::Buffer, 70, false),
        texture(5, 1, Dimension::Buffer, 80, false),
        texture(7, 0, Dimension::Buffer, 90, true),
        texture(8, 0, Dimension::Plane, 110, false),
    ];
    let resources =
        Resources { buffers: &mut buffers, textures: &mut textures, samplers: &[], push_constants: &[] };
    launch_with(shader, resources, [1; 3], 5)?;
    let texels = |at: usize| numbers(&textures[at].buffer.bytes);
    Ok([numbers(&buffers[1].bytes), texels(1), texels(2), texels(5)])
}

/// The expected results by Vulkan's definition: outside, loads give zeros, stores and atomics do nothing.
fn expected(places: [[i32; 2]; 8]) -> [Vec<u32>; 4] {
    let mut result = Vec::new();
    let counted_up = |first: u32, count: u32| (0..count).map(|at| first + at).collect::<Vec<u32>>();
    let mut stored = counted_up(30, SIDE * SIDE);
    let mut counted = counted_up(50, SIDE * SIDE);
    let mut held = counted_up(90, TEXELS);
    for (lane, [x, y]) in (0..).zip(places) {
        let side = 0..SIDE as i32;
        let texel = (side.contains(&x) && side.contains(&y)).then(|| (y * SIDE as i32 + x) as u32);
        let element = u32::try_from(x).ok().filter(|at| *at < TEXELS);
        let mut four = [0; 4];
        if let Some(at) = texel {
            four[..3].copy_from_slice(&[10 + at, 110 + at, counted[at as usize]]);
            stored[at as usize] = 200 + lane;
            counted[at as usize] += 100 + lane;
        }
        if let Some(at) = element {
            four[3] = std::mem::replace(&mut held[at as usize], 300 + lane);
        }
        result.extend(four);
        result.extend([element.map_or(0, |at| 70 + 10 * (lane & 1) + at), 0, 7, 7]);
    }
    [result, stored, counted, held]
}

/// Zeroes the words of a texel buffer that several lanes exchange, because each lane's result depends on the order.
fn without_order(mut found: [Vec<u32>; 4]) -> [Vec<u32>; 4] {
    found[0].chunks_mut(8).for_each(|lane| lane[3] = u32::from(lane[3] >= 90));
    found[3].iter_mut().for_each(|word| *word = u32::from(*word >= 300));
    found
}

#[test]
fn nothing_outside_of_images_is_reached() {
    for in_memory in [false, true] {
        for image in [Bounds::Clamped, Bounds::Exact] {
            let shader = compiled(image, in_memory);
            let found = run(&shader, PLACES).unwrap_or_else(|outcome| panic!("{image:?}: {outcome:?}"));
            assert_eq!(without_order(found), without_order(expected(PLACES)), "{image:?}, {in_memory}");
        }
    }
}

#[test]
fn what_is_inside_is_the_same_at_each_level() {
    for in_memory in [false, true] {
        for image in [Bounds::Unchecked, Bounds::Clamped, Bounds::Exact] {
            let found =
                run(&compiled(image, in_memory), INSIDE).unwrap_or_else(|outcome| panic!("{outcome:?}"));
            assert_eq!(without_order(found), without_order(expected(INSIDE)), "{image:?}, {in_memory}");
        }
    }
}

#[test]
fn unchecked_atomics_outside_reach_other_memory() {
    // The machine reports the accesses, so the checks of the other levels are necessary.
    assert!(run(&compiled(Bounds::Unchecked, false), PLACES).is_err());
}
