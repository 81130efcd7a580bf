//! Level 2: textures, indices, counters.

use super::{Row, Run};
use crate::lab::Program;
use crate::outputs::Kind;

/// A program whose result must be the same.
const fn exact(name: &'static str, source: &'static str, request: &'static str) -> Program {
    Program { name, source, request, kind: Kind::Exact }
}

/// The experiments.
pub(super) const ROWS: &[Row] = &[
    Row {
        number: 21,
        name: "textures",
        level: 2,
        asks: "Are texels of every format and level where they are expected, also if lanes differ in what they read?",
        does: "runs compute programs that load and sample textures",
        decides: &[
            "texture descriptors, samplers, levels, layers, gather",
            "tiled layout of levels and layers",
            "a gather reads the base level",
        ],
        run: Run::Programs(&[
            exact(
                "loads",
                LOADS,
                "kind compute\ntexture 0 rgba8 37 21 1 5 2d\nbuffer 1 16384 zero\ngroups 4 4 1",
            ),
            exact(
                "layers",
                LAYERS,
                "kind compute\ntexture 0 rgba16f 20 20 4 3 2d-array\nbuffer 1 16384 zero\ngroups 4 4 1",
            ),
            exact(
                "sampled",
                SAMPLED,
                "kind compute\ntexture 0 rgba8srgb 32 32 1 6 2d\nsampler 2 linear mip-linear repeat\nbuffer 1 16384 zero\ngroups 4 4 1",
            ),
            exact(
                "gathered",
                GATHERED,
                "kind compute\ntexture 0 r32f 16 16 1 4 2d\nsampler 2 linear mip-nearest mirror\nbuffer 1 16384 zero\ngroups 4 4 1",
            ),
        ]),
    },
    Row {
        number: 26,
        name: "filters",
        level: 2,
        asks: "How do borders, biases, anisotropy and seams of cubes filter?",
        does: "runs compute programs that sample with several samplers",
        decides: &[
            "filters cross the edges of cubes",
            "fixed border colours pass through the texture's swizzle",
            "an anisotropic filter averages evenly spaced samples along the longer axis",
        ],
        run: Run::Programs(&[
            exact(
                "border",
                SAMPLED,
                "kind compute\ntexture 0 rgba8 8 8 1 4 2d\nsampler 2 linear mip-linear border white\nbuffer 1 16384 zero\ngroups 4 4 1",
            ),
            exact(
                "bias",
                SAMPLED,
                "kind compute\ntexture 0 rgba8 32 32 1 6 2d\nsampler 2 linear mip-linear repeat bias:0.7 lod:0.5,3.3\nbuffer 1 16384 zero\ngroups 4 4 1",
            ),
            exact(
                "anisotropic",
                GRADIENTS,
                "kind compute\ntexture 0 rgba8 32 32 1 6 2d\nsampler 2 linear mip-linear repeat aniso:8\nbuffer 1 16384 zero\ngroups 4 4 1",
            ),
            exact(
                "cube",
                CUBE,
                "kind compute\ntexture 0 rgba8 8 8 6 4 cube\nsampler 2 linear mip-linear\nbuffer 1 16384 zero\ngroups 4 4 1",
            ),
        ]),
    },
    Row {
        number: 27,
        name: "indices",
        level: 2,
        asks: "Do indices restart strips, and do draws read their numbers from memory?",
        does: "draws strips with indices, and draws of which the numbers are in buffers",
        decides: &["the restart index is the largest index", "index formats, and draws without vertices"],
        run: Run::Programs(&[
            exact(
                "restart-16",
                NUMBERED,
                "kind draw\nsize 48 48\ntarget rgba8\ntopology triangle-strip\nrestart\nindices u16 0 1 2 3 65535 4 5 6 7 65535 8 9 10",
            ),
            exact(
                "restart-32",
                NUMBERED,
                "kind draw\nsize 48 48\ntarget rgba8\ntopology triangle-strip\nrestart\nindices u32 0 1 2 3 4294967295 4 5 6 7 65535",
            ),
            exact(
                "indirect",
                NUMBERED,
                "kind draw\nsize 48 48\ntarget rgba8\nvertices 12\ninstances 3\nindirect",
            ),
            exact("no-vertices", NUMBERED, "kind draw\nsize 48 48\ntarget rgba8\nvertices 0"),
        ]),
    },
    Row {
        number: 28,
        name: "queries",
        level: 2,
        asks: "Do counters count the samples that pass?",
        does: "draws with occlusion queries",
        decides: &["occlusion counters are added up per visit, not per tile"],
        run: Run::Programs(&[
            exact(
                "precise",
                NUMBERED,
                "kind draw\nsize 100 70\ntarget rgba8\ndepth d32 less write\nvertices 12\nquery precise",
            ),
            exact("boolean", NUMBERED, "kind draw\nsize 100 70\ntarget rgba8\nvertices 12\nquery boolean"),
        ]),
    },
    Row {
        number: 29,
        name: "together",
        level: 2,
        asks: "Is everything still right when eight processes use the GPU at once?",
        does: "runs the programs of `triangle` in eight processes",
        decides: &["each stage has a scratch list of its own", "processes do not disturb each other"],
        run: Run::Together("triangle", 8),
    },
];

const LOADS: &str = "
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> found: array<vec4f>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
    let level = (id.x + id.y) % 5u;
    let size = textureDimensions(picture, level);
    found[id.y * 32u + id.x] = textureLoad(picture, id.xy % size, level);
}";

const LAYERS: &str = "
@group(0) @binding(0) var picture: texture_2d_array<f32>;
@group(0) @binding(1) var<storage, read_write> found: array<vec4f>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
    let level = id.x % 3u;
    let size = textureDimensions(picture, level);
    found[id.y * 32u + id.x] = textureLoad(picture, id.xy % size, id.y % 4u, level);
}";

const SAMPLED: &str = "
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(2) var filtered: sampler;
@group(0) @binding(1) var<storage, read_write> found: array<vec4f>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
    let place = vec2f(id.xy) * 0.0571 - 0.4;
    found[id.y * 32u + id.x] = textureSampleLevel(picture, filtered, place, f32(id.x) * 0.17);
}";

const GATHERED: &str = "
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(2) var filtered: sampler;
@group(0) @binding(1) var<storage, read_write> found: array<vec4f>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
    let place = vec2f(id.xy) * 0.0571 - 0.4;
    found[id.y * 32u + id.x] = textureGather(0, picture, filtered, place);
}";

const GRADIENTS: &str = "
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(2) var filtered: sampler;
@group(0) @binding(1) var<storage, read_write> found: array<vec4f>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
    let place = vec2f(id.xy) * 0.0571;
    let along = vec2f(f32(id.x) * 0.01, 0.003);
    found[id.y * 32u + id.x] = textureSampleGrad(picture, filtered, place, along, vec2f(0.002, f32(id.y) * 0.004));
}";

const CUBE: &str = "
@group(0) @binding(0) var picture: texture_cube<f32>;
@group(0) @binding(2) var filtered: sampler;
@group(0) @binding(1) var<storage, read_write> found: array<vec4f>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
    let angle = f32(id.x) * 0.2;
    let ray = vec3f(sin(angle), f32(id.y) * 0.13 - 2.0, cos(angle));
    found[id.y * 32u + id.x] = textureSampleLevel(picture, filtered, ray, f32(id.y) * 0.09);
}";

const NUMBERED: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) @interpolate(flat) number: u32 }
@vertex fn corner(@builtin(vertex_index) at: u32, @builtin(instance_index) instance: u32) -> Corner {
    let x = f32(at % 4u) * 0.5 - 0.8 + f32(instance) * 0.1;
    let y = f32(at / 4u) * 0.5 - 0.8 + f32(at & 1u) * 0.3;
    return Corner(vec4f(x, y, f32(at) * 0.05 + 0.1, 1.0), at + instance * 16u);
}
@fragment fn colour(corner: Corner) -> @location(0) vec4f {
    return vec4f(f32(corner.number) / 64.0, fract(f32(corner.number) * 0.37), 0.5, 1.0);
}";
