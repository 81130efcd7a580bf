//! Level 2: render passes, tiles, rasterisation.

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
        number: 17,
        name: "clear",
        level: 2,
        asks: "Does a pass without visible draws clear and store its target?",
        does: "runs a render pass whose triangle is outside",
        decides: &[
            "the background object has a program (`isp_bgobjvals` with its tag)",
            "tiles without primitives are left out unless `EMPTY_TILES` is set",
        ],
        run: Run::Programs(&[
            exact(
                "outside",
                OUTSIDE,
                "kind draw\nsize 64 64\ntarget rgba8\nclear 0.25 0.5 0.75 1.0\nvertices 3",
            ),
            exact(
                "uneven",
                OUTSIDE,
                "kind draw\nsize 77 33\ntarget rgba16f\nclear 0.1 0.2 0.3 0.4\nvertices 3",
            ),
        ]),
    },
    Row {
        number: 18,
        name: "triangle",
        level: 2,
        asks: "Does one triangle cover the right pixels, with depth tests, discards and depths from shaders?",
        does: "draws a few triangles",
        decides: &["tests by `sample_mask` and `zs_emit`", "the kinds of programs in shader words"],
        run: Run::Programs(&[
            exact("flat", TRIANGLES, "kind draw\nsize 64 64\ntarget rgba8\nvertices 3"),
            exact(
                "depth",
                TRIANGLES,
                "kind draw\nsize 64 64\ntarget rgba8\ndepth d32 less write\nvertices 24",
            ),
            exact(
                "discard",
                DISCARD,
                "kind draw\nsize 64 64\ntarget rgba8\ndepth d32 less write\nvertices 24",
            ),
            exact(
                "shader-depth",
                DEPTH,
                "kind draw\nsize 64 64\ntarget rgba8\ndepth d32 less write\nvertices 24",
            ),
        ]),
    },
    Row {
        number: 19,
        name: "blend",
        level: 2,
        asks: "Are fragments that overlap blended in order?",
        does: "draws a thousand triangles over each other",
        decides: &[
            "pixel waits order overlapping fragments",
            "background programs load with coordinates of 16 bits",
        ],
        run: Run::Programs(&[
            exact(
                "many",
                OVERLAP,
                "kind draw\nsize 64 64\ntarget rgba8\nblend alpha\nvertices 3\ninstances 1000",
            ),
            exact(
                "loaded",
                OVERLAP,
                "kind draw\nsize 48 48\ntarget rgba16f\nblend add\nload\nvertices 3\ninstances 20",
            ),
        ]),
    },
    Row {
        number: 20,
        name: "interpolation",
        level: 2,
        asks: "Are outputs of vertices interpolated as documented, and what are derivatives at edges?",
        does: "draws triangles, lines and points with varying values",
        decides: &[
            "interpolation, provoking vertices, coefficient slots",
            "the second element of the coefficients of a flat value is the value of the second vertex",
            "a binding selects division by w for positions on points",
        ],
        run: Run::Programs(&[
            exact("triangles", VARYINGS, "kind draw\nsize 48 40\ntarget rgba32f\nvertices 24"),
            exact(
                "fan",
                VARYINGS,
                "kind draw\nsize 48 40\ntarget rgba32f\ntopology triangle-fan\nvertices 12",
            ),
            exact(
                "lines",
                VARYINGS,
                "kind draw\nsize 48 40\ntarget rgba32f\ntopology lines\nbresenham\nvertices 12",
            ),
            exact("derivatives", DERIVATIVES, "kind draw\nsize 48 40\ntarget rgba32f\nvertices 24"),
        ]),
    },
    Row {
        number: 22,
        name: "tiles",
        level: 2,
        asks: "Are tiles of every size right, from 1 to 64 bytes a pixel?",
        does: "draws to targets of several sizes and samples",
        decides: &[
            "tile sizes by bytes of a pixel, and their layout in tile memory",
            "tiles are independent, their memory undefined at the start, their order any",
        ],
        run: Run::Programs(&[
            exact("1-byte", TRIANGLES, "kind draw\nsize 100 70\ntarget r8\nvertices 24"),
            exact("4-bytes", TRIANGLES, "kind draw\nsize 100 70\ntarget rgb10a2\nvertices 24"),
            exact("16-bytes", TRIANGLES, "kind draw\nsize 100 70\ntarget rgba32f\nvertices 24"),
            exact(
                "32-bytes",
                TWO_TARGETS,
                "kind draw\nsize 100 70\ntarget rgba32f\ntarget rgba32f\nvertices 24",
            ),
            exact(
                "33-bytes",
                THREE_TARGETS,
                "kind draw\nsize 100 70\ntarget rgba32f\ntarget rgba32f\ntarget r8\nvertices 24",
            ),
            exact(
                "64-bytes",
                FOUR_TARGETS,
                "kind draw\nsize 100 70\ntarget rgba32f\ntarget rgba32f\ntarget rgba32f\ntarget rgba32f\nvertices 24",
            ),
            exact(
                "32-bytes-2-samples",
                TWO_TARGETS,
                "kind draw\nsize 100 70\ntarget rgba32f\ntarget rgba32f\nsamples 2\nvertices 24",
            ),
            exact(
                "4-bytes-4-samples",
                TRIANGLES,
                "kind draw\nsize 100 70\ntarget rgba8\nsamples 4\nvertices 24",
            ),
            exact(
                "16-bytes-4-samples",
                TRIANGLES,
                "kind draw\nsize 100 70\ntarget rgba32f\nsamples 4\nvertices 24",
            ),
        ]),
    },
    Row {
        number: 23,
        name: "samples",
        level: 2,
        asks: "Which samples do triangles cover?",
        does: "draws triangles with 2 and 4 samples",
        decides: &["sample masks of `st_tile`, 4 samples", "`MULTISAMPLED` is for lines only"],
        run: Run::Programs(&[
            exact("two", TRIANGLES, "kind draw\nsize 40 40\ntarget rgba8\nsamples 2\nvertices 24"),
            exact("four", TRIANGLES, "kind draw\nsize 40 40\ntarget rgba8\nsamples 4\nvertices 24"),
            exact(
                "mask",
                TRIANGLES,
                "kind draw\nsize 40 40\ntarget rgba8\nsamples 4\nsample_mask 5\nvertices 24",
            ),
        ]),
    },
    Row {
        number: 24,
        name: "many-primitives",
        level: 2,
        asks: "Are colours and depths kept when a pass is interrupted because it has too many primitives?",
        does: "draws many triangles in one pass",
        decides: &[
            "a resumed pass loads depth and stencil if the word of the pass stores them, regardless of its load bits",
            "partial background and end-of-tile programs, depth and stencil across an interruption",
        ],
        run: Run::Programs(&[
            exact(
                "colours",
                SMALL,
                "kind draw\nsize 64 64\ntarget rgba8\nblend add\nvertices 3\ninstances 20000",
            ),
            exact(
                "depths",
                SMALL,
                "kind draw\nsize 64 64\ntarget rgba8\ndepth d32 less write\nvertices 3\ninstances 20000",
            ),
        ]),
    },
    Row {
        number: 25,
        name: "viewports",
        level: 2,
        asks: "How are primitives clipped by viewports, scissors and depth ranges?",
        does: "draws triangles with several viewports",
        decides: &[
            "scissors are inside viewport and framebuffer, and regions are their tiles",
            "depth is clamped or clipped by `DEPTH_CLIP`",
        ],
        run: Run::Programs(&[
            exact(
                "smaller",
                TRIANGLES,
                "kind draw\nsize 64 64\ntarget rgba8\nviewport 10 12 30 20 0 1\nvertices 24",
            ),
            exact(
                "flipped",
                TRIANGLES,
                "kind draw\nsize 64 64\ntarget rgba8\nviewport 0 64 64 -64 0 1\nvertices 24",
            ),
            exact(
                "scissor",
                TRIANGLES,
                "kind draw\nsize 64 64\ntarget rgba8\nviewport -20 -20 90 90 0.2 0.8\nscissor 5 6 40 41\ndepth d32 less write\nvertices 24",
            ),
            exact(
                "clamped",
                TRIANGLES,
                "kind draw\nsize 64 64\ntarget rgba8\nclamp\ndepth d32 less write\nvertices 24",
            ),
        ]),
    },
];

const OUTSIDE: &str = "
@vertex fn corner(@builtin(vertex_index) at: u32) -> @builtin(position) vec4f {
    return vec4f(3.0 + f32(at), 3.0 + f32(at * at), 0.5, 1.0);
}
@fragment fn colour() -> @location(0) vec4f { return vec4f(1.0); }";

/// Eight triangles of several sizes, depths and colours.
const TRIANGLES: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) colour: vec4f }
@vertex fn corner(@builtin(vertex_index) at: u32) -> Corner {
    let number = f32(at / 3u);
    let angle = f32(at % 3u) * 2.1 + number * 0.7;
    let size = 0.9 - number * 0.08;
    let place = vec2f(sin(angle), cos(angle)) * size + vec2f(number * 0.05 - 0.1, 0.13);
    return Corner(vec4f(place, 0.1 + fract(number * 0.37) * 0.8, 1.0),
        vec4f(fract(number * 0.3), fract(f32(at) * 0.21), 0.5, 0.6));
}
@fragment fn colour(corner: Corner) -> @location(0) vec4f { return corner.colour; }";

const DISCARD: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) colour: vec4f }
@vertex fn corner(@builtin(vertex_index) at: u32) -> Corner {
    let number = f32(at / 3u);
    let angle = f32(at % 3u) * 2.1 + number * 0.7;
    let place = vec2f(sin(angle), cos(angle)) * (0.9 - number * 0.08);
    return Corner(vec4f(place, 0.1 + fract(number * 0.37) * 0.8, 1.0), vec4f(fract(number * 0.3), 0.2, 0.5, 1.0));
}
@fragment fn colour(corner: Corner) -> @location(0) vec4f {
    let at = vec2u(corner.place.xy);
    if ((at.x + at.y) % 3u == 0u) { discard; }
    return corner.colour;
}";

const DEPTH: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) colour: vec4f }
struct Pixel { @location(0) colour: vec4f, @builtin(frag_depth) depth: f32 }
@vertex fn corner(@builtin(vertex_index) at: u32) -> Corner {
    let number = f32(at / 3u);
    let angle = f32(at % 3u) * 2.1 + number * 0.7;
    let place = vec2f(sin(angle), cos(angle)) * (0.9 - number * 0.08);
    return Corner(vec4f(place, 0.5, 1.0), vec4f(fract(number * 0.3), number * 0.1, 0.5, 1.0));
}
@fragment fn colour(corner: Corner) -> Pixel {
    let at = vec2u(corner.place.xy);
    return Pixel(corner.colour, f32((at.x * 7u + at.y * 5u + u32(corner.colour.y * 100.0)) % 16u) / 16.0);
}";

const OVERLAP: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) colour: vec4f }
@vertex fn corner(@builtin(vertex_index) at: u32, @builtin(instance_index) number: u32) -> Corner {
    let angle = f32(at) * 2.1 + f32(number) * 0.11;
    let place = vec2f(sin(angle), cos(angle)) * 0.95;
    let hash = number * 0x9e3779b9u;
    let colour = vec4f(f32(hash & 255u), f32((hash >> 8u) & 255u), f32((hash >> 16u) & 255u), 60.0) / 255.0;
    return Corner(vec4f(place, 0.5, 1.0), colour);
}
@fragment fn colour(corner: Corner) -> @location(0) vec4f { return corner.colour; }";

const VARYINGS: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) a: f32, @location(1) @interpolate(linear) b: f32,
    @location(2) @interpolate(flat) c: u32, @location(3) @interpolate(perspective, centroid) d: f32 }
@vertex fn corner(@builtin(vertex_index) at: u32) -> Corner {
    let number = f32(at / 3u);
    let angle = f32(at % 3u) * 2.1 + number * 0.7;
    let w = 1.0 + f32(at % 4u) * 0.5;
    let place = vec2f(sin(angle), cos(angle)) * (0.9 - number * 0.08);
    return Corner(vec4f(place * w, 0.5 * w, w), f32(at), f32(at) * 1.5, at * 3u, number + f32(at % 3u));
}
@fragment fn colour(corner: Corner) -> @location(0) vec4f {
    return vec4f(corner.a, corner.b, f32(corner.c), corner.d);
}";

const DERIVATIVES: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) a: vec2f }
@vertex fn corner(@builtin(vertex_index) at: u32) -> Corner {
    let number = f32(at / 3u);
    let angle = f32(at % 3u) * 2.1 + number * 0.7;
    let place = vec2f(sin(angle), cos(angle)) * (0.9 - number * 0.08);
    return Corner(vec4f(place, 0.5, 1.0), vec2f(f32(at) * 3.0, number));
}
@fragment fn colour(corner: Corner) -> @location(0) vec4f {
    let square = corner.a.x * corner.a.x;
    return vec4f(dpdx(square), dpdy(square), dpdxFine(corner.a.y), fwidth(square));
}";

const TWO_TARGETS: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) colour: vec4f }
struct Pixel { @location(0) first: vec4f, @location(1) second: vec4f }
@vertex fn corner(@builtin(vertex_index) at: u32) -> Corner {
    let number = f32(at / 3u);
    let angle = f32(at % 3u) * 2.1 + number * 0.7;
    let place = vec2f(sin(angle), cos(angle)) * (0.9 - number * 0.08);
    return Corner(vec4f(place, 0.5, 1.0), vec4f(fract(number * 0.3), f32(at) * 0.21, 0.5, 1.0));
}
@fragment fn colour(corner: Corner) -> Pixel { return Pixel(corner.colour, corner.colour.wzyx * 2.0); }";

const THREE_TARGETS: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) colour: vec4f }
struct Pixel { @location(0) first: vec4f, @location(1) second: vec4f, @location(2) third: f32 }
@vertex fn corner(@builtin(vertex_index) at: u32) -> Corner {
    let number = f32(at / 3u);
    let angle = f32(at % 3u) * 2.1 + number * 0.7;
    let place = vec2f(sin(angle), cos(angle)) * (0.9 - number * 0.08);
    return Corner(vec4f(place, 0.5, 1.0), vec4f(fract(number * 0.3), f32(at) * 0.21, 0.5, 1.0));
}
@fragment fn colour(corner: Corner) -> Pixel {
    return Pixel(corner.colour, corner.colour.wzyx * 2.0, corner.colour.x);
}";

const FOUR_TARGETS: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) colour: vec4f }
struct Pixel { @location(0) first: vec4f, @location(1) second: vec4f, @location(2) third: vec4f, @location(3) fourth: vec4f }
@vertex fn corner(@builtin(vertex_index) at: u32) -> Corner {
    let number = f32(at / 3u);
    let angle = f32(at % 3u) * 2.1 + number * 0.7;
    let place = vec2f(sin(angle), cos(angle)) * (0.9 - number * 0.08);
    return Corner(vec4f(place, 0.5, 1.0), vec4f(fract(number * 0.3), f32(at) * 0.21, 0.5, 1.0));
}
@fragment fn colour(corner: Corner) -> Pixel {
    let c = corner.colour;
    return Pixel(c, c.wzyx * 2.0, c.yxwz + 0.25, c.zwxy * -1.0);
}";

const SMALL: &str = "
struct Corner { @builtin(position) place: vec4f, @location(0) colour: vec4f }
@vertex fn corner(@builtin(vertex_index) at: u32, @builtin(instance_index) number: u32) -> Corner {
    let hash = number * 0x9e3779b9u;
    let middle = vec2f(f32(hash & 0xffu), f32((hash >> 8u) & 0xffu)) / 128.0 - 1.0;
    let angle = f32(at) * 2.1 + f32(number);
    let place = middle + vec2f(sin(angle), cos(angle)) * 0.06;
    return Corner(vec4f(place, f32((hash >> 16u) & 0xffffu) / 65536.0, 1.0), vec4f(f32(number % 7u), f32(number % 5u), 1.0, 8.0) / 255.0);
}
@fragment fn colour(corner: Corner) -> @location(0) vec4f { return corner.colour; }";
