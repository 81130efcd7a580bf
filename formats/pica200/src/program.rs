//! Programs, and a container's information about their shaders.

use crate::descriptor::Descriptor;
use crate::inst::Inst;
use crate::register::Source;

/// Maximum number of instructions of a program: targets have 12 bits.
pub const MAX_CODE: usize = 4096;
/// Maximum number of operand descriptors.
pub const MAX_DESCRIPTORS: usize = 128;

/// Instruction words and operand descriptors, as an emulator finds them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Program {
    /// Instruction words.
    pub code: Vec<u32>,
    /// Operand descriptors. Missing ones are 0, which writes nothing.
    pub descriptors: Vec<Descriptor>,
}

impl Program {
    /// A program from plain words.
    pub fn from_words(code: &[u32], descriptors: &[u32]) -> Program {
        Program { code: code.to_vec(), descriptors: descriptors.iter().copied().map(Descriptor).collect() }
    }

    /// The instruction at an address; `None` past the end and for unknown opcodes.
    pub fn inst(&self, address: u32) -> Option<Inst> {
        self.code.get(address as usize).and_then(|word| Inst::decode(*word))
    }

    /// The descriptor of an instruction.
    pub fn descriptor(&self, inst: &Inst) -> Descriptor {
        inst.descriptor().and_then(|index| self.descriptors.get(index)).copied().unwrap_or_default()
    }
}

/// The stage of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Stage {
    /// Runs for each vertex.
    #[default]
    Vertex,
    /// Runs for each primitive and emits vertices.
    Geometry,
}

impl Stage {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::Geometry => "geometry",
        }
    }
}

/// Input mode of a geometry program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum GeometryMode {
    /// Inputs from v0 on are the outputs of the vertices.
    #[default]
    Point,
    /// c0 holds the number of vertices; their outputs follow from c1 on.
    Variable,
    /// The outputs of a fixed number of vertices are in float uniforms.
    Fixed,
}

impl GeometryMode {
    /// Every mode, by number.
    pub const ALL: [(GeometryMode, &'static str); 3] = [
        (GeometryMode::Point, "point"),
        (GeometryMode::Variable, "variable"),
        (GeometryMode::Fixed, "fixed"),
    ];

    /// Its name in assembly.
    pub const fn name(self) -> &'static str {
        GeometryMode::ALL[self as usize].1
    }
}

/// A container's description of a geometry program's input.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Geometry {
    /// The mode.
    pub mode: GeometryMode,
    /// The first uniform with input, in mode fixed.
    pub fixed_start: u8,
    /// The number of vertices with all attributes, in mode variable.
    pub variable_vertices: u8,
    /// The number of vertices, in mode fixed.
    pub fixed_vertices: u8,
}

/// The use of an output by fixed-function units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Semantic {
    /// Position in clip space.
    Position,
    /// Quaternion of the normal.
    NormalQuaternion,
    /// Colour.
    Color,
    /// Texture coordinates of unit 0.
    TexCoord0,
    /// Third texture coordinate of unit 0.
    TexCoord0W,
    /// Texture coordinates of unit 1.
    TexCoord1,
    /// Texture coordinates of unit 2.
    TexCoord2,
    /// View vector.
    View,
    /// Used by the geometry program only.
    Dummy,
    /// An unknown number.
    Other(u16),
}

impl Semantic {
    /// Semantics with number, name in assembly, and short name.
    pub const ALL: [(Semantic, u16, &'static str, &'static str); 9] = [
        (Semantic::Position, 0, "position", "pos"),
        (Semantic::NormalQuaternion, 1, "normalquat", "nquat"),
        (Semantic::Color, 2, "color", "clr"),
        (Semantic::TexCoord0, 3, "texcoord0", "tcoord0"),
        (Semantic::TexCoord0W, 4, "texcoord0w", "tcoord0w"),
        (Semantic::TexCoord1, 5, "texcoord1", "tcoord1"),
        (Semantic::TexCoord2, 6, "texcoord2", "tcoord2"),
        (Semantic::View, 8, "view", "view"),
        (Semantic::Dummy, 9, "dummy", "dummy"),
    ];

    /// The semantic of a number.
    pub fn from_number(number: u16) -> Semantic {
        let known = Semantic::ALL.iter().find(|row| row.1 == number);
        known.map_or(Semantic::Other(number), |row| row.0)
    }

    /// Its number in containers.
    pub fn number(self) -> u16 {
        match self {
            Semantic::Other(number) => number,
            known => Semantic::ALL.iter().find(|row| row.0 == known).map_or(u16::MAX, |row| row.1),
        }
    }

    /// The semantic that assembly calls `name`.
    pub fn by_name(name: &str) -> Option<Semantic> {
        let row = Semantic::ALL
            .iter()
            .find(|row| row.2.eq_ignore_ascii_case(name) || row.3.eq_ignore_ascii_case(name));
        row.map(|row| row.0).or_else(|| name.parse().ok().map(Semantic::from_number))
    }

    /// Its name in assembly.
    pub fn name(self) -> String {
        match self {
            Semantic::Other(number) => number.to_string(),
            known => {
                Semantic::ALL.iter().find(|row| row.0 == known).map_or(String::new(), |row| row.2.to_owned())
            }
        }
    }
}

/// An output register and its use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its use.
    pub semantic: Semantic,
    /// Number of the register, 0 to 15.
    pub register: u8,
    /// Components in use: bit 0 for x.
    pub mask: u8,
}

/// The value of a uniform that is part of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constant {
    /// A boolean uniform.
    Bool {
        /// Number of the uniform.
        register: u8,
        /// Its value.
        value: bool,
    },
    /// An integer uniform.
    Int {
        /// Number of the uniform.
        register: u8,
        /// x, y, z, w.
        value: [u8; 4],
    },
    /// A float uniform, each component a pattern of 24 bits.
    Float {
        /// Number of the uniform.
        register: u8,
        /// x, y, z, w as [`crate::f24`].
        value: [u32; 4],
    },
}

/// A named range of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Its number.
    pub id: u8,
    /// First instruction.
    pub start: u32,
    /// Number of instructions.
    pub size: u32,
    /// Its name.
    pub name: String,
}

/// A named range of input registers or uniforms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uniform {
    /// Its name.
    pub name: String,
    /// First register: inputs from 0x00 on, float uniforms from 0x10, integer uniforms from 0x70, boolean
    /// uniforms from 0x78.
    pub first: u16,
    /// Last register.
    pub last: u16,
}

/// First number of integer uniforms in tables of uniforms.
pub const INT_BASE: u16 = 0x70;
/// First number of boolean uniforms in tables of uniforms.
pub const BOOL_BASE: u16 = 0x78;
/// First number of float uniforms in tables of uniforms.
pub const FLOAT_BASE: u16 = 0x10;

/// A shader of a program: its entry, inputs and outputs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Shader {
    /// The stage.
    pub stage: Stage,
    /// The first instruction, in words.
    pub entry: u32,
    /// The address after its main procedure, in words. Execution does not stop there.
    pub end: u32,
    /// Whether the output map is merged with that of the vertex shader.
    pub merges_outputs: bool,
    /// Inputs that are read: bit 0 for v0.
    pub input_mask: u16,
    /// Outputs that are written: bit 0 for o0.
    pub output_mask: u16,
    /// Input of a geometry program.
    pub geometry: Geometry,
    /// Values of uniforms.
    pub constants: Vec<Constant>,
    /// Named ranges.
    pub labels: Vec<Label>,
    /// Uses of the outputs.
    pub outputs: Vec<Output>,
    /// Names of inputs and uniforms.
    pub uniforms: Vec<Uniform>,
}

impl Shader {
    /// A shader with a stage and a first instruction only, for programs without a container.
    pub fn bare(stage: Stage, entry: u32) -> Shader {
        Shader { stage, entry, ..Shader::default() }
    }
}

/// The name of a register in a table of uniforms, such as `c4`.
pub fn uniform_name(number: u16) -> String {
    match number {
        0..FLOAT_BASE => Source::Input(number as u8).to_string(),
        FLOAT_BASE..INT_BASE => format!("c{}", number - FLOAT_BASE),
        INT_BASE..BOOL_BASE => format!("i{}", number - INT_BASE),
        _ => format!("b{}", number - BOOL_BASE),
    }
}
