//! Records of the rasteriser's state. An update is a header and the records it names, in the order of its bits.

use super::records;

/// Comparisons of depths or stencil values.
pub const COMPARE: &[(u64, &str)] = &[
    (0, "never"),
    (1, "less"),
    (2, "equal"),
    (3, "less-equal"),
    (4, "greater"),
    (5, "not-equal"),
    (6, "greater-equal"),
    (7, "always"),
];

/// Operations on stencil values.
pub const STENCIL_OPS: &[(u64, &str)] = &[
    (0, "keep"),
    (1, "zero"),
    (2, "replace"),
    (3, "increment-clamp"),
    (4, "decrement-clamp"),
    (5, "invert"),
    (6, "increment-wrap"),
    (7, "decrement-wrap"),
];

records! {
"genxml of Mesa 25.0 and later, submissions of Mesa 26.1";

ppp_header "rasteriser header" 4 "Says which records follow." {
    CONTROL 0 1 Flag, "Fragment control.";
    CONTROL_2 1 1 Flag, "Fragment control again, for other objects.";
    FRONT_FACE 2 1 Flag, "Face of front faces.";
    FRONT_FACE_2 3 1 Flag, "Second word of front faces.";
    FRONT_STENCIL 4 1 Flag, "Stencil of front faces.";
    BACK_FACE 5 1 Flag, "Face of back faces.";
    BACK_FACE_2 6 1 Flag, "Second word of back faces.";
    BACK_STENCIL 7 1 Flag, "Stencil of back faces.";
    SCISSOR 8 1 Flag, "Indices of scissor and depth bias.";
    REGION_CLIP 10 1 Flag, "A region for each viewport.";
    VIEWPORT 11 1 Flag, "A control word and the viewports.";
    VIEWPORTS 12 4 MinusOne, "Number of viewports.";
    W_CLAMP 16 1 Flag, "Least w.";
    OUTPUT_SELECT 17 1 Flag, "Which outputs vertices have.";
    VARYINGS_32 18 1 Flag, "Counts of 32-bit varyings.";
    VARYINGS_16 19 1 Flag, "Counts of 16-bit varyings.";
    CULL 21 1 Flag, "Culling.";
    CULL_2 22 1 Flag, "Culling, second word.";
    SHADER 23 1 Flag, "Four words of the fragment shader.";
    OCCLUSION 24 1 Flag, "Index of the occlusion counter.";
    OCCLUSION_2 25 1 Flag, "Occlusion, second word.";
    OUTPUT_UNKNOWN 26 1 Flag, "A word that was always 0.";
    OUTPUT_SIZE 27 1 Flag, "Words of vertex output.";
    VARYING_2 28 1 Flag, "Two words without a known meaning.";
}
region_clip "region clip" 8 "A scissor in tiles of 32 by 32 pixels." {
    MAX_X 0 9 MinusOne, "Last tile along x and one.";
    MIN_X 16 9 Number, "First tile along x.";
    ENABLE 31 1 Flag, must Only(1), "Applies.";
    MAX_Y 32 9 MinusOne, "Last tile along y and one.";
    MIN_Y 48 9 Number, "First tile along y.";
}
viewport_control "viewport control" 4 "Stands before viewports; always 0." {
}
viewport "viewport" 24 "Where clip space goes on the screen; does not clip." {
    TRANSLATE_X 0 32 Float, "Centre along x.";
    SCALE_X 32 32 Float, "Half the width.";
    TRANSLATE_Y 64 32 Float, "Centre along y.";
    SCALE_Y 96 32 Float, "Half the height.";
    TRANSLATE_Z 128 32 Float, "Depth of 0.";
    SCALE_Z 160 32 Float, "Depth of 1 less that of 0.";
}
fragment_face "fragment face" 4 "Depth test of a face." {
    STENCIL_REFERENCE 0 8 Number, "Stencil reference.";
    LINE_WIDTH 8 8 MinusOne, "Width of lines in 16ths of a pixel.";
    POLYGON_MODE 18 2 Choice(&[(0, "fill"), (1, "line"), (2, "point")]), "What is drawn of a triangle.";
    NO_DEPTH_WRITE 21 1 Flag, "Keeps depth.";
    BITS_22_23 22 2 Unknown, must Only(0), "Seen set with visibility tests.";
    DEPTH_COMPARE 24 3 Choice(super::COMPARE), "Depth test.";
}
fragment_face_2 "fragment face 2" 4 "Depth test of a face, of the shader; both apply." {
    NO_DEPTH_WRITE 21 1 Flag, must Only(1), "Keeps depth, together with the other word.";
    CONSERVATIVE 22 2 Choice(&[(0, "any"), (1, "greater"), (2, "less"), (3, "unchanged")]), "How the shader changes depth.";
    DEPTH_COMPARE 24 3 Choice(super::COMPARE), must Only(7), "Depth test.";
    OBJECT 28 4 Choice(&[(0, "triangle"), (1, "line"), (2, "point-10"), (4, "point-01")]), must OneOf(&[0, 1, 4]), "What is drawn; points have their y axis down or up.";
}
fragment_stencil "fragment stencil" 4 "Stencil test of a face." {
    WRITE_MASK 0 8 Unknown, "Bits written.";
    READ_MASK 8 8 Unknown, "Bits compared.";
    PASS 16 3 Choice(super::STENCIL_OPS), "When both tests pass.";
    DEPTH_FAIL 19 3 Choice(super::STENCIL_OPS), "When the depth test fails.";
    FAIL 22 3 Choice(super::STENCIL_OPS), "When the stencil test fails.";
    COMPARE 25 3 Choice(super::COMPARE), "Stencil test.";
}
fragment_control "fragment control" 4 "What tests apply, and how objects pass." {
    BIT_9 9 1 Unknown, must Only(1), "Set.";
    VISIBILITY 14 2 Choice(&[(0, "none"), (2, "counting"), (3, "boolean")]), "Occlusion counter.";
    SCISSOR 16 1 Flag, "Scissor test.";
    DEPTH_BIAS 17 1 Flag, "Depth bias.";
    STENCIL 18 1 Flag, "Stencil test.";
    TWO_SIDED_STENCIL 19 1 Flag, must Equals("STENCIL", |given| STENCIL.get(given.record)), "Back faces have a stencil test of their own.";
    NO_TAG_WRITE 21 1 Flag, "Draws nothing; depth, stencil and counters only.";
    MASK_AFTER_TESTS 25 1 Flag, must Only(0), "The sample mask applies after depth and stencil.";
    NO_MERGING 26 1 Flag, "Does not shade neighbouring triangles together.";
    PASS 29 3 Choice(&[(0, "opaque"), (1, "translucent"), (2, "punch-through"), (3, "translucent-punch-through")]), "Whether and where the shader decides about samples.";
}
occlusion "occlusion" 4 "Occlusion counter of the following draws." {
    INDEX 17 15 Number, "Index of a 64-bit counter.";
}
occlusion_2 "occlusion 2" 4 "Second word of occlusion." {
    BITS_0_16 0 17 Unknown, must Only(0), "Seen 0.";
}
w_clamp "w clamp" 4 "Least w." {
    W 0 32 Float, must Only(crate::render::LEAST_W.to_bits() as u64), "Least w.";
}
cull "cull" 4 "Culling and clipping." {
    FRONT 0 1 Flag, "Drops front faces.";
    BACK 1 1 Flag, "Drops back faces.";
    PROVOKING 7 2 Choice(&[(0, "unset"), (1, "first"), (2, "second"), (3, "third")]), must OneOf(&[1, 2, 3]), "Vertex that flat values come from.";
    DEPTH_CLIP 10 1 Flag, "Clips at near and far.";
    DEPTH_CLAMP 11 1 Flag, must Equals("not DEPTH_CLIP", |given| DEPTH_CLIP.get(given.record) ^ 1), "Clamps depth to the scissor's range.";
    MULTISAMPLED 15 1 Flag, "Samples primitives at the sample positions.";
    FRONT_CCW 16 1 Flag, "Front faces run counter-clockwise.";
    DISCARD 17 1 Flag, "Rasterises nothing.";
}
cull_2 "cull 2" 4 "Culling, second word." {
    CLAMP_W 5 1 Flag, must Only(1), "Clamps w.";
    CLIPPED_EDGES 9 1 Flag, must Only(0), "Draws edges made by clipping.";
    PRIMITIVE_ID 12 1 Flag, "Primitives have numbers.";
    DISCARD 17 1 Flag, must Only(0), "Rasterises nothing.";
}
varying_counts "varying counts" 4 "How many user varyings of each kind vertices have, in this order." {
    SMOOTH 0 8 Number, "Perspective.";
    FLAT 8 8 Number, "Flat.";
    LINEAR 16 8 Number, "Linear on the screen.";
}
varying_2 "varying 2" 8 "Two words without a known meaning." {
}
output_select "output select" 4 "Which outputs vertices have beside position and user varyings." {
    CLIP_PLANES 0 16 Unknown, "A bit for each clip distance.";
    VARYINGS 16 1 Flag, "User varyings.";
    POINT_SIZE 18 1 Flag, "Point size.";
    VIEWPORT_TARGET 19 1 Flag, "Viewport.";
    RENDER_TARGET 20 1 Flag, must Equals("VIEWPORT_TARGET", |given| VIEWPORT_TARGET.get(given.record)), "Layer.";
    FRAG_COORD_Z 21 1 Flag, "The fragment shader reads depth.";
    BARYCENTRIC 22 1 Flag, "The fragment shader reads barycentric coordinates.";
}
output_unknown "output unknown" 4 "A word that was always 0." {
}
output_size "output size" 4 "Words of vertex output." {
    COUNT 0 32 Number, "Words.";
}
scissor_index "scissor index" 4 "Indices of scissor and depth bias." {
    SCISSOR 0 16 Number, "Into the scissor array.";
    DEPTH_BIAS 16 16 Number, "Into the depth bias array.";
}
fragment_shader "fragment shader" 16 "Resources and pipeline of the fragment shader." {
    BIT_0 0 1 Unknown, must Only(0), "Never seen set.";
    UNIFORMS 1 3 Groups(64), "Uniform half-words that words or the preamble set.";
    TEXTURES 4 5 Groups(8), "Texture state registers.";
    SAMPLERS 9 3 Choice(crate::record::SAMPLER_STATES), "Sampler state registers.";
    PREAMBLE_REGISTERS 12 4 Groups(16), "Half registers of the preamble.";
    BINDINGS 16 7 Number, "Number of coefficient bindings.";
    BITS_32_33 32 2 Unknown, must Only(0), "Never seen set.";
    PIPELINE 38 26 Shifted(6), "Words of the shader, relative to the base of shaders.";
    COEFFICIENTS 66 30 Shifted(2), "Coefficient bindings, relative to the base of shaders.";
    BITS_96_99 96 4 Unknown, must Only(0), "Small numbers.";
}
}
