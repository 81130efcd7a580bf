//! The table of opcodes, used by the reader, assembler, validator, interpreter and the compiler's front end.

use crate::arithmetic as a;
use crate::program::{Stage, Version};

/// Direction of a derivative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    /// Along the screen's x.
    X,
    /// Along the screen's y.
    Y,
}

/// The effect of an instruction.
#[derive(Clone, Copy, Debug)]
pub enum Semantics {
    /// A function of each component.
    Map(fn(f32) -> f32),
    /// A function of corresponding components of two sources.
    Zip(fn(f32, f32) -> f32),
    /// Dot product of that many components, in every component of the result.
    Dot(u8),
    /// Cross product of three components.
    Cross,
    /// Three components divided by their length.
    Normalize,
    /// Product of a vector and the matrix in consecutive registers.
    Matrix {
        /// Rows: components of the result.
        rows: u8,
        /// Components of a row.
        columns: u8,
    },
    /// Difference to the neighbouring fragment.
    Derivative(Axis),
    /// Opens a block that runs if the comparison is true.
    If(fn(f32, f32) -> bool),
    /// Opens the alternative of a block.
    Else,
    /// Closes a block.
    EndIf,
    /// Discards the fragment if the source is below zero.
    Kill,
    /// Samples a texture.
    Texture,
}

/// The operands of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operands {
    /// It writes a register.
    pub destination: bool,
    /// Number of sources: 0, 1 or 2. The second source of a texture instruction is a sampler.
    pub sources: u8,
}

/// The stages that may use an opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stages {
    /// Vertex and fragment programs.
    Both,
    /// Vertex programs only.
    Vertex,
    /// Fragment programs only.
    Fragment,
}

impl Stages {
    /// Whether `stage` may use the opcode.
    pub fn contains(self, stage: Stage) -> bool {
        match self {
            Stages::Both => true,
            Stages::Vertex => stage == Stage::Vertex,
            Stages::Fragment => stage == Stage::Fragment,
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeRow {
    /// The opcode.
    pub opcode: Opcode,
    /// Its code in a token.
    pub code: u32,
    /// Its mnemonic: three letters.
    pub name: &'static str,
    /// The first version of the byte code with the opcode.
    pub since: Version,
    /// The stages that may use it.
    pub stages: Stages,
    /// Its effect.
    pub semantics: Semantics,
    /// The operation, for documentation.
    pub text: &'static str,
}

impl OpcodeRow {
    /// Its operands.
    pub fn operands(&self) -> Operands {
        let (destination, sources) = match self.semantics {
            Semantics::Map(_) | Semantics::Normalize | Semantics::Derivative(_) => (true, 1),
            Semantics::Zip(_) | Semantics::Dot(_) | Semantics::Cross => (true, 2),
            Semantics::Matrix { .. } | Semantics::Texture => (true, 2),
            Semantics::If(_) => (false, 2),
            Semantics::Else | Semantics::EndIf => (false, 0),
            Semantics::Kill => (false, 1),
        };
        Operands { destination, sources }
    }

    /// The components of a result, as a write mask: instructions with three results leave `w` unchanged.
    pub fn result_mask(&self) -> u8 {
        match self.semantics {
            Semantics::Cross | Semantics::Normalize | Semantics::Matrix { rows: 3, .. } => 0b0111,
            _ => 0b1111,
        }
    }

    /// Whether sources are scalars: every component reads the same component of the register.
    pub fn scalar_sources(&self) -> bool {
        matches!(self.semantics, Semantics::If(_) | Semantics::Kill)
    }
}

macro_rules! opcodes {
    ($($variant:ident $code:literal $name:literal $since:ident $stages:ident $semantics:expr, $text:literal;)*) => {
        /// An opcode.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Opcode {
            $(#[doc = $text] $variant,)*
        }

        /// Every opcode, in the order of [`Opcode`].
        pub static OPCODES: &[OpcodeRow] = &[$(OpcodeRow {
            opcode: Opcode::$variant,
            code: $code,
            name: $name,
            since: Version::$since,
            stages: Stages::$stages,
            semantics: {
                use Semantics::*;
                $semantics
            },
            text: $text,
        },)*];
    };
}

opcodes! {
    Mov 0x00 "mov" V1 Both Map(|s| s), "source1";
    Add 0x01 "add" V1 Both Zip(|s, t| s + t), "source1 + source2";
    Sub 0x02 "sub" V1 Both Zip(|s, t| s - t), "source1 − source2";
    Mul 0x03 "mul" V1 Both Zip(|s, t| s * t), "source1 · source2";
    Div 0x04 "div" V1 Both Zip(|s, t| s / t), "source1 / source2";
    Rcp 0x05 "rcp" V1 Both Map(|s| 1.0 / s), "1 / source1";
    Min 0x06 "min" V1 Both Zip(a::min), "the smaller";
    Max 0x07 "max" V1 Both Zip(a::max), "the larger";
    Frc 0x08 "frc" V1 Both Map(a::fraction), "source1 − floor(source1)";
    Sqt 0x09 "sqt" V1 Both Map(a::square_root), "√source1";
    Rsq 0x0a "rsq" V1 Both Map(a::reciprocal_root), "1 / √source1";
    Pow 0x0b "pow" V1 Both Zip(a::power), "source1 to the power of source2";
    Log 0x0c "log" V1 Both Map(a::logarithm), "binary logarithm";
    Exp 0x0d "exp" V1 Both Map(a::exponential), "2 to the power of source1";
    Nrm 0x0e "nrm" V1 Both Normalize, "source1.xyz / its length";
    Sin 0x0f "sin" V1 Both Map(a::sine), "sine of radians";
    Cos 0x10 "cos" V1 Both Map(a::cosine), "cosine of radians";
    Crs 0x11 "crs" V1 Both Cross, "source1.xyz × source2.xyz";
    Dp3 0x12 "dp3" V1 Both Dot(3), "dot product of xyz";
    Dp4 0x13 "dp4" V1 Both Dot(4), "dot product of xyzw";
    Abs 0x14 "abs" V1 Both Map(f32::abs), "magnitude";
    Neg 0x15 "neg" V1 Both Map(|s| -s), "−source1";
    Sat 0x16 "sat" V1 Both Map(a::saturate), "source1 between 0 and 1";
    M33 0x17 "m33" V1 Both Matrix { rows: 3, columns: 3 }, "3 rows of 3 components at source2, times source1";
    M44 0x18 "m44" V1 Both Matrix { rows: 4, columns: 4 }, "4 rows of 4 components at source2, times source1";
    M34 0x19 "m34" V1 Both Matrix { rows: 3, columns: 4 }, "3 rows of 4 components at source2, times source1";
    Ddx 0x1a "ddx" V2 Fragment Derivative(Axis::X), "derivative of source1 along x";
    Ddy 0x1b "ddy" V2 Fragment Derivative(Axis::Y), "derivative of source1 along y";
    Ife 0x1c "ife" V2 Both If(|s, t| s == t), "if source1 = source2";
    Ine 0x1d "ine" V2 Both If(|s, t| s != t), "if source1 ≠ source2";
    Ifg 0x1e "ifg" V2 Both If(|s, t| s >= t), "if source1 ≥ source2";
    Ifl 0x1f "ifl" V2 Both If(|s, t| s < t), "if source1 < source2";
    Els 0x20 "els" V2 Both Else, "otherwise";
    Eif 0x21 "eif" V2 Both EndIf, "end of a block";
    Ted 0x26 "ted" V2 Fragment Texture, "texel at source1, also in blocks";
    Kil 0x27 "kil" V1 Fragment Kill, "discard where source1 < 0";
    Tex 0x28 "tex" V1 Fragment Texture, "texel at source1";
    Sge 0x29 "sge" V1 Both Zip(|s, t| f32::from(u8::from(s >= t))), "1 where source1 ≥ source2, or 0";
    Slt 0x2a "slt" V1 Both Zip(|s, t| f32::from(u8::from(s < t))), "1 where source1 < source2, or 0";
    Sgn 0x2b "sgn" V1 Both Map(a::sign), "−1, 0 or 1";
    Seq 0x2c "seq" V1 Both Zip(|s, t| f32::from(u8::from(s == t))), "1 where source1 = source2, or 0";
    Sne 0x2d "sne" V1 Both Zip(|s, t| f32::from(u8::from(s != t))), "1 where source1 ≠ source2, or 0";
    Tld 0x2e "tld" V4 Vertex Texture, "texel at source1, of the first level plus the bias";
}

/// The largest code in any version of the byte code.
pub(crate) const LAST_CODE: u32 = 0x2e;

impl Opcode {
    /// Its row.
    pub fn row(self) -> &'static OpcodeRow {
        &OPCODES[self as usize]
    }

    /// The opcode for a code.
    pub fn from_code(code: u32) -> Option<Opcode> {
        OPCODES.iter().find(|row| row.code == code).map(|row| row.opcode)
    }

    /// The opcode for a mnemonic in lower case.
    pub fn from_name(name: &str) -> Option<Opcode> {
        OPCODES.iter().find(|row| row.name == name).map(|row| row.opcode)
    }
}
