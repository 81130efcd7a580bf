//! Derivatives in compute shaders, with quads of two by two or of four consecutive invocations.

use agx_compiler::{CompileKey, Input};
use agx_emulator::launch::textures::{
    Dimension, Format, SamplerResource, SamplerState, Shape, TextureResource,
};
use agx_tests::driver::{Resources, compile, launch_with, storage_buffer};

use super::spirv;

/// The workgroup: three SIMD-groups, the last with eight invocations.
const SIZE: [u32; 3] = [6, 4, 3];

/// Workgroups along x.
const GROUPS: u32 = 2;

const WORDS: usize = 8;

fn levels() -> (TextureResource, SamplerResource) {
    // All texels of level n are 10 n.
    let texels = (0..4).flat_map(|level| vec![10.0 * level as f32; (64 * 64) >> (2 * level)]);
    let shape = Shape { levels: 4, ..Shape::new(Dimension::Plane, Format::R32F, [64, 64, 1]) };
    let bytes = texels.flat_map(f32::to_le_bytes).collect();
    let texture = TextureResource { buffer: storage_buffer(0, 1, bytes, false), shape, storage: false };
    let state = SamplerState { linear: [true; 2], linear_levels: Some(true), ..SamplerState::default() };
    (texture, SamplerResource { set: 0, binding: 1, element: 0, state })
}

fn value([x, y, z]: [u32; 3]) -> f32 {
    let i = index([x, y, z]) as f32;
    let [x, y, z] = [x, y, z].map(|at| at as f32);
    3.0 * x * x + 5.0 * x * y + 7.0 * y * y + z + i * i
}

fn index([x, y, z]: [u32; 3]) -> u32 {
    x + SIZE[0] * (y + SIZE[1] * z)
}

/// The position of the invocation with a number.
fn place(index: u32) -> [u32; 3] {
    [index % SIZE[0], index / SIZE[0] % SIZE[1], index / SIZE[0] / SIZE[1]]
}

/// An invocation's quad with `bit` (0 to the right, 1 down) clear and set.
fn pair(at: [u32; 3], bit: u32, linear: bool) -> [[u32; 3]; 2] {
    if linear {
        let number = index(at);
        return [number & !(1 << bit), number | 1 << bit].map(place);
    }
    let mut pair = [at; 2];
    let axis = bit as usize;
    (pair[0][axis], pair[1][axis]) = (at[axis] & !1, at[axis] | 1);
    pair
}

#[test]
fn quads_of_compute_shaders_have_derivatives_and_levels() {
    for (shader, linear) in [("derivatives_quads", false), ("derivatives_linear", true)] {
        let mut key = CompileKey::default();
        key.validate = true;
        let module = spirv(&format!("{shader}.comp"));
        let compiled = compile(Input::spirv(&module), &key).unwrap_or_else(|outcome| panic!("{outcome:?}"));
        let count = SIZE.iter().product::<u32>() * GROUPS;
        let mut buffers = [storage_buffer(0, 0, vec![0; 4 * WORDS * count as usize], true)];
        let (texture, sampler) = levels();
        let resources = Resources {
            buffers: &mut buffers,
            textures: &mut [texture],
            samplers: &[sampler],
            push_constants: &[],
        };
        launch_with(&compiled, resources, [GROUPS, 1, 1], 1).unwrap_or_else(|outcome| panic!("{outcome:?}"));
        let word = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("four"));
        for (number, words) in (0..).zip(buffers[0].bytes.chunks(4 * WORDS)) {
            let found: Vec<f32> = words.chunks(4).map(word).collect();
            let global = [number % 12, number / 12 % 4, number / 48];
            let at = [global[0] % SIZE[0], global[1], global[2]];
            let slope = |bit| {
                let [first, second] = pair(at, bit, linear);
                (value(second) - value(first), index(second) - index(first))
            };
            let ((dx, across), (dy, down)) = (slope(0), slope(1));
            assert_eq!(found[..4], [dx, dy, dx.abs() + dy.abs(), value(at)], "{shader}, {at:?}");
            // Both steps, in texels of the first level.
            let level = (2.0 * across.max(down) as f32).log2();
            let wanted = [level, level + 1.0].map(|level| 10.0 * level.min(3.0));
            assert_eq!(found[6], index(at) as f32, "{shader}, {at:?}");
            for (found, wanted) in found[4..6].iter().zip(wanted) {
                assert!((found - wanted).abs() < 0.2, "{shader}, {at:?}: {found}, not {wanted}");
            }
        }
    }
}
