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
    /// Components written, bit 0 for x; 0 when the instruction writes nothing.
    pub mask: u8,
}

impl Write {
    /// Writes nothing.
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
    /// Register number, which is added to the index if there is one.
    pub register: u16,
    /// The component of the register that each component of the source reads.
    pub swizzle: [u8; 4],
    /// The index of a relative source. Its integral part counts; a register outside the constants reads as zeros.
    pub index: Option<Index>,
}

impl Read {
    /// Stands where an instruction has no source.
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
    /// Stands where an instruction samples no texture.
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

/// An instruction. Which operands mean something is in the opcode's row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Number of the token.
    pub token: usize,
    /// What it does.
    pub opcode: Opcode,
    /// What it writes.
    pub write: Write,
    /// What it reads.
    pub sources: [Read; 2],
    /// What it samples.
    pub texture: TextureUse,
}

/// What a shader reads and writes, for whoever runs it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Interface {
    /// Components of each attribute that are read.
    pub attributes: [u8; 16],
    /// Constant registers that it may read: the last one named, plus one, or all of the version if a source is relative.
    pub constants: u16,
    /// Temporaries used: the last one named, plus one.
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

/// A checked shader: blocks nest and are closed, every operand names a register that exists and suits its instruction.
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
    /// The rules it breaks that the tolerant mode lets it break.
    pub violations: Vec<Violation>,
}
