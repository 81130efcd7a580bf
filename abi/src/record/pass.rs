//! Arrays and registers that belong to a render pass.

use super::{Field, Given, records};

/// A number of the pass.
fn number(given: &Given<'_>, field: &Field) -> u64 {
    field.get(given.scope.command)
}

/// Whether a field of the pass is set.
fn has(given: &Given<'_>, field: &Field) -> u64 {
    field.is_set(given.scope.command).into()
}

records! {
"genxml of Mesa 25.0 and later, submissions of Mesa 26.1";

cf_header "coefficient header" 4 "Stands before coefficient bindings." {
    SLOTS 0 8 Number, "Words of a vertex that can be bound: w, depth if selected, user varyings.";
    REGISTERS 8 8 Number, "Coefficient registers.";
}
cf_binding "coefficient binding" 4 "Puts words of vertices into coefficient registers." {
    COMPONENTS 0 2 MinusOne, "Words.";
    SHADE 2 3 Choice(&[(0, "flat-0"), (2, "flat-2"), (3, "linear"), (6, "flat-1"), (7, "perspective")]), "How they are interpolated, or which vertex they come from.";
    SOURCE 5 3 Choice(&[(0, "varying"), (1, "depth"), (2, "point-coordinate"), (3, "primitive-id"), (5, "barycentric")]), "Where they come from.";
    SLOT 8 8 Number, "First word.";
    REGISTER 16 8 Number, "First coefficient register.";
}
scissor "scissor" 16 "A scissor and its range of depth." {
    MAX_X 0 16 Number, "Right edge, exclusive.";
    MIN_X 16 16 Number, "Left edge.";
    MAX_Y 32 16 Number, "Bottom edge, exclusive.";
    MIN_Y 48 16 Number, "Top edge.";
    MIN_Z 64 32 Float, "Least depth.";
    MAX_Z 96 32 Float, "Greatest depth.";
}
depth_bias "depth bias" 12 "A depth bias." {
    CONSTANT 0 32 Float, "Units added.";
    SLOPE 32 32 Float, "Factor of the slope.";
    CLAMP 64 32 Float, "Limit.";
}
zls_control "depth load and store" 8 "How depth and stencil are loaded and stored." {
    BIT_0 0 1 Unknown, must Only(0), "Set when depth or stencil is loaded or stored.";
    Z_LOAD_TWIDDLED 1 1 Flag, must Only(0), "Depth is loaded from a twiddled layout.";
    Z_LOAD_COMPRESSED 2 1 Flag, must Equals("whether there is metadata", |given| super::has(given, &crate::record::render_command::DEPTH_METADATA)), "Depth is loaded compressed.";
    S_LOAD_TWIDDLED 3 1 Flag, must Only(0), "Stencil is loaded from a twiddled layout.";
    S_LOAD_COMPRESSED 4 1 Flag, must Equals("whether there is metadata", |given| super::has(given, &crate::record::render_command::STENCIL_METADATA)), "Stencil is loaded compressed.";
    Z_STORE_TWIDDLED 5 1 Flag, must Only(0), "Depth is stored to a twiddled layout.";
    Z_STORE_COMPRESSED 6 1 Flag, must Equals("whether there is metadata", |given| super::has(given, &crate::record::render_command::DEPTH_METADATA)), "Depth is stored compressed.";
    S_STORE_TWIDDLED 7 1 Flag, must Only(0), "Stencil is stored to a twiddled layout.";
    S_STORE_COMPRESSED 8 1 Flag, must Equals("whether there is metadata", |given| super::has(given, &crate::record::render_command::STENCIL_METADATA)), "Stencil is stored compressed.";
    S_LOAD 14 1 Flag, "Loads stencil.";
    Z_LOAD 15 1 Flag, "Loads depth.";
    S_STORE 18 1 Flag, must Equals("set with stencil: interrupted passes use it too", |given| super::has(given, &crate::record::render_command::STENCIL_BASE)), "Stores stencil.";
    Z_STORE 19 1 Flag, must Equals("set with depth: interrupted passes use it too", |given| super::has(given, &crate::record::render_command::DEPTH_BASE)), "Stores depth.";
    Z_FORMAT 25 2 Choice(&[(0, "float32"), (2, "unorm16")]), "Format of depth.";
    Z_RESOLVE 56 1 Flag, must Only(0), "Stores one sample of depth.";
    S_RESOLVE 58 1 Flag, must Only(0), "Stores one sample of stencil.";
}
zls_pixels "depth size" 4 "Size of depth and stencil buffers." {
    WIDTH 0 15 MinusOne, must Equals("the width of the pass", |given| super::number(given, &crate::record::render_command::WIDTH)), "Pixels along x.";
    HEIGHT 15 15 MinusOne, must Equals("the height of the pass", |given| super::number(given, &crate::record::render_command::HEIGHT)), "Pixels along y.";
}
ppp_control "rasteriser control" 4 "Rules of a render pass." {
    OPENGL 0 1 Flag, must Only(0), "Clip space has depth from -w to w.";
    W_CLAMP 1 1 Flag, must Only(1), "Clamps w.";
    DEFAULT_POINT_SIZE 8 1 Flag, must Only(0), "Points without a size have size 1.";
    FIXED_POINT 9 1 Flag, must Only(1), "Finer fixed-point positions.";
}
multisample_control "sample positions" 8 "Where samples lie in a pixel, in 16ths." {
    X0 0 4 Number, "Sample 0 along x.";
    Y0 4 4 Number, "Sample 0 along y.";
    X1 8 4 Number, "Sample 1 along x.";
    Y1 12 4 Number, "Sample 1 along y.";
    X2 16 4 Number, "Sample 2 along x.";
    Y2 20 4 Number, "Sample 2 along y.";
    X3 24 4 Number, "Sample 3 along x.";
    Y3 28 4 Number, "Sample 3 along y.";
    BITS_32_63 32 32 Unknown, must Only(0), "Not known.";
}
}
