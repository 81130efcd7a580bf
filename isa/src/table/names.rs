//! Values of modifiers: a type for each kind, and the names of its values in code order. A value with an
//! empty name is not written; values past the end are written as numbers. Codes without a constant are
//! unknown.

/// A value of a modifier: a code in the encoding.
pub trait Value: Copy {
    /// The code.
    fn code(self) -> u32;

    /// The value with this code.
    fn from_code(code: u32) -> Self;
}

impl Value for u32 {
    fn code(self) -> u32 {
        self
    }

    fn from_code(code: u32) -> u32 {
        code
    }
}

impl Value for bool {
    fn code(self) -> u32 {
        self.into()
    }

    fn from_code(code: u32) -> bool {
        code != 0
    }
}

macro_rules! values {
    ($($(#[$doc:meta])* $type:ident $names:ident [$($name:literal $($id:ident)?),* $(,)?];)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $type(u32);

        #[doc = concat!("Names of [`", stringify!($type), "`] values.")]
        pub const $names: &[&str] = &[$($name),*];

        values!(@constants $type 0; $($name $($id)?,)*);

        impl $type {
            /// The value with this code.
            pub const fn new(code: u32) -> $type {
                $type(code)
            }

            /// The code, in constants.
            pub const fn get(self) -> u32 {
                self.0
            }
        }

        impl Value for $type {
            fn code(self) -> u32 {
                self.0
            }

            fn from_code(code: u32) -> $type {
                $type(code)
            }
        }
    )*};
    (@constants $type:ident $code:expr;) => {};
    (@constants $type:ident $code:expr; $name:literal $id:ident, $($rest:tt)*) => {
        impl $type {
            #[doc = concat!("`", $name, "`.")]
            pub const $id: $type = $type($code);
        }
        values!(@constants $type $code + 1; $($rest)*);
    };
    (@constants $type:ident $code:expr; $name:literal, $($rest:tt)*) => {
        values!(@constants $type $code + 1; $($rest)*);
    };
}

#[rustfmt::skip]
values! {
    /// A truth table of `bitop`: bit 0 is the result if both sources are 0, bit 1 if only the first is 1, bit
    /// 2 if only the second is, bit 3 if both are. Tables 3 and 12 behave differently.
    Truth TRUTHS [
        "zero" ZERO, "nor" NOR, "andn2" AND_NOT, "mov_a", "andn1" NOT_AND, "not" NOT, "xor" XOR, "nand" NAND,
        "and" AND, "xnor" XNOR, "mov" FIRST, "orn2" OR_NOT, "not_a", "orn1" NOT_OR, "or" OR, "one" ONES,
    ];
    /// Integer conditions: bit 2 selects signed comparison. 3 and 7 are unknown.
    IntCondition INT_CONDITIONS [
        "ueq" EQUAL, "ult" UNSIGNED_LESS, "ugt" UNSIGNED_GREATER, "cond3", "seq" SIGNED_EQUAL, "slt" SIGNED_LESS,
        "sgt" SIGNED_GREATER, "cond7",
    ];
    /// Float conditions. `ltn` and `gtn` also hold if the second operand is NaN; 4 is unknown.
    FloatCondition FLOAT_CONDITIONS [
        "eq" EQUAL, "lt" LESS, "gt" GREATER, "ltn" LESS_OR_NAN, "cond4", "ge" GREATER_OR_EQUAL, "le" LESS_OR_EQUAL,
        "gtn" GREATER_OR_NAN,
    ];
    /// Element formats of memory and tile operations; 9 and 11 are unknown.
    Format FORMATS [
        "i8" I8, "i16" I16, "i32" I32, "f16" F16, "u8norm" U8_NORM, "s8norm" S8_NORM, "u16norm" U16_NORM,
        "s16norm" S16_NORM, "rgb10a2" RGB10_A2, "format9", "srgba8" SRGBA8, "format11", "rg11b10f" RG11_B10_F,
        "rgb9e5" RGB9_E5, "rg11b10f_rtz" RG11_B10_F_RTZ, "rgb9e5_rtz" RGB9_E5_RTZ,
    ];
    /// Memory coherency.
    Coherency COHERENCY ["" NONE, "coherent1" DIE, "coherent2", "coherent" ALL];
    /// Atomic operations.
    Atomic ATOMICS [
        "add" ADD, "sub" SUB, "xchg" EXCHANGE, "cmpxchg" COMPARE_EXCHANGE, "umin" UMIN, "imin" IMIN, "umax" UMAX,
        "imax" IMAX, "and" AND, "or" OR, "xor" XOR,
    ];
    /// Rounding of conversions; 2 and 3 have never been observed.
    Rounding ROUNDING ["rtz" TOWARD_ZERO, "rte" NEAREST_EVEN, "round2", "round3"];
    /// Image dimensions.
    Dimension DIMENSIONS [
        "1d" D1, "1d_array" D1_ARRAY, "2d" D2, "2d_array" D2_ARRAY, "2d_ms" D2_MULTISAMPLED, "3d" D3, "cube" CUBE,
        "cube_array" CUBE_ARRAY, "2d_ms_array" D2_MULTISAMPLED_ARRAY,
    ];
    /// Level-of-detail modes. `_u` reads uniforms, others registers.
    LodMode LOD_MODES [
        "auto_lod" AUTO, "bias_u", "lod_u", "lodmode3", "grad" GRADIENTS, "bias" BIAS, "lod" EXPLICIT, "lodmode7",
        "lodmode8", "bias_min_u", "lodmode10", "lodmode11", "grad_min" GRADIENTS_MIN, "bias_min" BIAS_MIN,
        "lodmode14", "lodmode15",
    ];
    /// Gathered components.
    Gather GATHERS [
        "" NONE, "gather_r" RED, "gather2", "gather_g" GREEN, "gather4", "gather_b" BLUE, "gather6", "gather_a" ALPHA,
    ];
    /// Interpolation modes.
    InterpolationPlace INTERPOLATION ["center" CENTRE, "sample" SAMPLE, "centroid" CENTROID, "sample_reg" SAMPLE_REGISTER];
    /// Shuffle operations.
    Shuffle SHUFFLES ["" INDEX, "xor" XOR, "up" UP, "down" DOWN];
    /// The lanes that an operation spans.
    Span SPANS ["quad" QUAD, "simd" SIMD];
    /// Operators of reductions and scans; the others are unknown.
    Reduction REDUCTIONS [
        "and" AND, "fadd" FADD, "or" OR, "fmul" FMUL, "xor" XOR, "fmin" FMIN, "red6", "fmax" FMAX, "red8", "red9",
        "red10", "red11", "red12", "red13", "red14", "red15", "iadd" IADD, "red17", "red18", "red19", "smin" SMIN,
        "red21", "smax" SMAX, "red23", "red24", "red25", "red26", "red27", "umin" UMIN, "red29", "umax" UMAX, "red31",
    ];
}

impl IntCondition {
    /// The same comparison of unsigned numbers.
    pub fn unsigned(self) -> IntCondition {
        IntCondition(self.0 & !crate::desc::SIGNED_CONDITION)
    }

    /// Whether it compares signed numbers.
    pub fn is_signed(self) -> bool {
        self.0 & crate::desc::SIGNED_CONDITION != 0
    }

    /// The condition that holds for (b, a) where this one holds for (a, b).
    pub fn exchanged(self) -> IntCondition {
        match self.unsigned() {
            IntCondition::UNSIGNED_LESS => IntCondition(self.0 + 1),
            IntCondition::UNSIGNED_GREATER => IntCondition(self.0 - 1),
            _ => self,
        }
    }
}

impl FloatCondition {
    /// The condition that holds for (b, a) where this one holds for (a, b). The two conditions that hold for
    /// a NaN second source have no counterpart.
    pub fn exchanged(self) -> Option<FloatCondition> {
        match self {
            FloatCondition::EQUAL => Some(self),
            FloatCondition::LESS => Some(FloatCondition::GREATER),
            FloatCondition::GREATER => Some(FloatCondition::LESS),
            FloatCondition::GREATER_OR_EQUAL => Some(FloatCondition::LESS_OR_EQUAL),
            FloatCondition::LESS_OR_EQUAL => Some(FloatCondition::GREATER_OR_EQUAL),
            _ => None,
        }
    }
}

impl Truth {
    /// The table of the function that complements the result.
    pub fn complement(self) -> Truth {
        Truth(self.0 ^ Truth::ONES.0)
    }

    /// The table with the sources exchanged.
    pub fn exchanged(self) -> Truth {
        Truth(self.0 & 0b1001 | (self.0 & 0b0010) << 1 | (self.0 & 0b0100) >> 1)
    }

    /// Whether the hardware implements the table.
    pub fn is_sound(self) -> bool {
        !matches!(self.0, 0b0011 | 0b1100)
    }
}
