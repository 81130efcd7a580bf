//! Checked shaders: instructions with typed operands.

use crate::opcode::Opcode;
use crate::program::{Stage, Version};
use crate::register::RegisterFile;
use crate::rule::Violation;
use crate::sampler::{Dimension, Filter, Mip, SamplerSettings, Wrap};

/// The register that an instruction writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    /// Temporary, output, varying or depth.
    pub file: RegisterFile,
    /// Register number.
    pub register: u16,
    /// Components written, bit 0 for x; 0 if the instruction writes nothing.
    pub mask: u8,
}

impl Write {
    /// Placeholder of an instruction without a destination.
    pub const NOTHING: Write = Write { file: RegisterFile::Temporary, register: 0, mask: 0 };

    /// Whether a component is written.
    pub fn has(&self, component: usize) -> bool {
        self.mask >> component & 1 == 1
    }
}

/// Where the index of a relative source is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Index {
    /// Attribute, constant, temporary or varying.
    pub file: RegisterFile,
    /// Register number.
    pub register: u16,
    /// Component.
    pub component: u8,
}

/// A source: a register and a swizzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Read {
    /// Attribute, constant, temporary, varying or instance; constant if there is an index.
    pub file: RegisterFile,
    /// Register number; added to the index if there is one.
    pub register: u16,
    /// The component of the register that each component of the source reads.
    pub swizzle: [u8; 4],
    /// The index of a relative source, which is truncated. A register outside the constants reads as zeros.
    pub index: Option<Index>,
}

impl Read {
    /// Placeholder of an instruction without the source.
    pub const NONE: Read =
        Read { file: RegisterFile::Temporary, register: 0, swizzle: [0, 1, 2, 3], index: None };

    /// The source `rows` registers further on, for the rows of a matrix.
    pub fn row(self, rows: u16) -> Read {
        Read { register: self.register + rows, ..self }
    }
}

/// The texture that an instruction samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureUse {
    /// Sampler register.
    pub register: u16,
    /// Settings of the token.
    pub settings: SamplerSettings,
}

impl TextureUse {
    /// Placeholder of an instruction without a texture.
    pub const NONE: TextureUse = TextureUse {
        register: 0,
        settings: SamplerSettings {
            dimension: Dimension::D2,
            filter: Filter::Nearest,
            mip: Mip::None,
            wrap: Wrap::Clamp,
            bias_eighths: 0,
            ignored: false,
            format: 0,
        },
    };
}

/// An instruction. The opcode's row says which operands are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Index of the token.
    pub token: usize,
    /// Its opcode.
    pub opcode: Opcode,
    /// Its destination.
    pub write: Write,
    /// Its sources.
    pub sources: [Read; 2],
    /// Its texture.
    pub texture: TextureUse,
}

/// Inputs and outputs of a shader.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Interface {
    /// Components of each attribute that are read.
    pub attributes: [u8; 16],
    /// Number of constant registers that it may read: the last one named, plus one, or all of the version if
    /// a source is relative.
    pub constants: u16,
    /// Number of temporaries: the last one named, plus one.
    pub temporaries: u16,
    /// Components of each varying that are read.
    pub varyings_read: [u8; 16],
    /// Components of each varying that are written.
    pub varyings_written: [u8; 16],
    /// Components of each output that are written.
    pub outputs: [u8; 4],
    /// The depth is written.
    pub depth: bool,
    /// The instance's number is read.
    pub instance: bool,
    /// Fragments may be discarded.
    pub kills: bool,
    /// A source is relative.
    pub relative: bool,
    /// Each sampler register used, ascending, with the settings of its first use.
    pub textures: Vec<TextureUse>,
}

/// A checked shader: blocks are balanced, and every operand names an existing register that fits its
/// instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shader {
    /// Version of the byte code.
    pub version: Version,
    /// Kind of the program.
    pub stage: Stage,
    /// Its instructions in order.
    pub instructions: Vec<Instruction>,
    /// What it reads and writes.
    pub interface: Interface,
    /// Its violations that the tolerant mode accepts.
    pub violations: Vec<Violation>,
}
