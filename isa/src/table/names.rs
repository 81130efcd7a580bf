//! Names of modifier values. An empty name stands for "nothing is written"; values past the end are written as numbers.

/// Integer conditions: bit 2 compares signed. 3 and 7 are unknown.
pub const INT_CONDITIONS: &[&str] = &["ueq", "ult", "ugt", "cond3", "seq", "slt", "sgt", "cond7"];
/// Float conditions. `ltn` and `gtn` are also true when the second operand is NaN; 4 is unknown.
pub const FLOAT_CONDITIONS: &[&str] = &["eq", "lt", "gt", "ltn", "cond4", "ge", "le", "gtn"];
/// Element formats of memory and tile operations; 9 and 11 are unknown.
pub const FORMATS: &[&str] = &[
    "i8",
    "i16",
    "i32",
    "f16",
    "u8norm",
    "s8norm",
    "u16norm",
    "s16norm",
    "rgb10a2",
    "format9",
    "srgba8",
    "format11",
    "rg11b10f",
    "rgb9e5",
    "rg11b10f_rtz",
    "rgb9e5_rtz",
];
/// Memory coherency.
pub const COHERENCY: &[&str] = &["", "coherent1", "coherent2", "coherent"];
/// Atomic operations.
pub const ATOMICS: &[&str] =
    &["add", "sub", "xchg", "cmpxchg", "umin", "imin", "umax", "imax", "and", "or", "xor"];
/// Rounding of conversions; 2 and 3 have never been seen.
pub const ROUNDING: &[&str] = &["rtz", "rte", "round2", "round3"];
/// Image dimensions.
pub const DIMENSIONS: &[&str] =
    &["1d", "1d_array", "2d", "2d_array", "2d_ms", "3d", "cube", "cube_array", "2d_ms_array"];
/// Level-of-detail modes. `_u` reads uniforms, otherwise registers.
pub const LOD_MODES: &[&str] = &[
    "auto_lod",
    "bias_u",
    "lod_u",
    "lodmode3",
    "grad",
    "bias",
    "lod",
    "lodmode7",
    "lodmode8",
    "bias_min_u",
    "lodmode10",
    "lodmode11",
    "grad_min",
    "bias_min",
    "lodmode14",
    "lodmode15",
];
/// Gathered components.
pub const GATHERS: &[&str] =
    &["", "gather_r", "gather2", "gather_g", "gather4", "gather_b", "gather6", "gather_a"];
/// Interpolation modes.
pub const INTERPOLATION: &[&str] = &["center", "sample", "centroid", "sample_reg"];
/// Shuffle operations.
pub const SHUFFLES: &[&str] = &["", "xor", "up", "down"];
/// Which lanes an operation spans.
pub const SPANS: &[&str] = &["quad", "simd"];
/// Operators of reductions and scans; the others are unknown.
pub const REDUCTIONS: &[&str] = &[
    "and", "fadd", "or", "fmul", "xor", "fmin", "red6", "fmax", "red8", "red9", "red10", "red11", "red12",
    "red13", "red14", "red15", "iadd", "red17", "red18", "red19", "smin", "red21", "smax", "red23", "red24",
    "red25", "red26", "red27", "umin", "red29", "umax", "red31",
];
