//! Shaders: declarations, immediates, properties and instructions.

use crate::names::{
    File, ImmediateType, Interpolation, Location, MemoryKind, Processor, PropertyName, Qualifier, ReturnType,
    SemanticName, Target,
};
use crate::opcode::Opcode;

/// A place in a text: line and column, both counted from 1; zero if the shader does not come from text.
/// Comparisons ignore places, so a shader is equal to one that is parsed from its printed form.
#[derive(Clone, Copy, Default, Debug)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

impl Eq for Place {}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A shader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shader {
    /// The kind of program.
    pub processor: Processor,
    /// Its properties.
    pub properties: Vec<Property>,
    /// Declared registers.
    pub declarations: Vec<Declaration>,
    /// Constants in the program; entry `n` is `IMM[n]`.
    pub immediates: Vec<Immediate>,
    /// Instructions.
    pub instructions: Vec<Instruction>,
}

/// A property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The property.
    pub name: PropertyName,
    /// Its values. Names are represented by their numbers.
    pub values: Vec<u32>,
    /// Its place.
    pub place: Place,
}

/// Registers from `first` to `last`, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The first register.
    pub first: u32,
    /// The last register.
    pub last: u32,
}

/// Declared registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// Their file.
    pub file: File,
    /// `[]` before the range: one register for each vertex of a primitive.
    pub per_vertex: bool,
    /// The first index of a two-dimensional file.
    pub dimension: Option<u32>,
    /// Their numbers.
    pub range: Range,
    /// Components in use, x as bit 0.
    pub mask: u8,
    /// Number of the array for indirect accesses.
    pub array: Option<u32>,
    /// Their semantic.
    pub semantic: Option<Semantic>,
    /// How they are interpolated.
    pub interpolate: Option<Interpolate>,
    /// Registers that subroutines need not preserve.
    pub is_local: bool,
    /// Results that must not depend on optimisation.
    pub is_invariant: bool,
    /// File-specific attributes.
    pub detail: Detail,
    /// Its place.
    pub place: Place,
}

/// The semantic of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Semantic {
    /// The semantic's name.
    pub name: SemanticName,
    /// Index among semantics with this name.
    pub index: u32,
    /// Vertex streams of the components, for geometry outputs.
    pub streams: [u8; 4],
}

/// How an input is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interpolate {
    /// The interpolation.
    pub mode: Interpolation,
    /// The location in the pixel.
    pub location: Location,
    /// Components that wrap around, x as bit 0.
    pub cylindrical_wrap: u8,
}

/// File-specific attributes of a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Detail {
    /// Nothing.
    None,
    /// An image.
    Image {
        /// Its kind.
        target: Target,
        /// Name of the format, as `PIPE_FORMAT_R32_UINT` or empty.
        format: String,
        /// Stores are allowed.
        is_writable: bool,
        /// Addresses are in bytes.
        is_raw: bool,
    },
    /// A sampler view.
    View {
        /// Its kind.
        target: Target,
        /// Return types of its components.
        returns: [ReturnType; 4],
    },
    /// A buffer.
    Buffer {
        /// It contains atomic counters.
        is_atomic: bool,
    },
    /// A memory.
    Memory(MemoryKind),
    /// The vectors of an immediate array, as bits.
    Values(Vec<[u32; 4]>),
}

/// A constant vector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Immediate {
    /// The type of its numbers.
    pub kind: ImmediateType,
    /// Its bits; a 64-bit number is its low word and its high word.
    pub words: [u32; 4],
    /// Its place.
    pub place: Place,
}

/// Saturation of a result.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Saturate {
    /// No saturation.
    #[default]
    No,
    /// Clamp to 0 … 1: `_SAT`.
    ZeroOne,
    /// Clamp to -1 … 1: `_SATNV`, in the first edition.
    MinusOneOne,
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// The opcode.
    pub opcode: Opcode,
    /// The number before the instruction.
    pub label: Option<u32>,
    /// The condition for its writes, in the first edition.
    pub predicate: Option<Predicate>,
    /// Saturation of its result.
    pub saturate: Saturate,
    /// `_PRECISE`: optimisations must not change its rounding.
    pub is_precise: bool,
    /// Destinations.
    pub dsts: Vec<Dst>,
    /// Sources.
    pub srcs: Vec<Src>,
    /// Texture target and offsets.
    pub texture: Option<Texture>,
    /// Qualifiers of a memory access.
    pub memory: Option<Access>,
    /// The target of a call or branch.
    pub target: Option<u32>,
    /// Its place.
    pub place: Place,
}

/// A condition: `(PRED[0].xxxx)` or `(!PRED[0])`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Predicate {
    /// Number of the register.
    pub index: u32,
    /// The component that decides for each component.
    pub swizzle: [u8; 4],
    /// Whether it is inverted.
    pub negate: bool,
}

/// An address: a number, or a register plus a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Index {
    /// The number.
    pub offset: i32,
    /// The register.
    pub indirect: Option<Indirect>,
    /// Number of the array; 0 if any register may be accessed.
    pub array: u32,
}

/// A component of an address register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indirect {
    /// File of the register.
    pub file: File,
    /// Its number.
    pub index: i32,
    /// The component, 0 to 3.
    pub component: u8,
}

/// A destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dst {
    /// The file.
    pub file: File,
    /// First index of a two-dimensional file.
    pub dimension: Option<Index>,
    /// The register.
    pub index: Index,
    /// Written components, x as bit 0.
    pub mask: u8,
    /// Its place.
    pub place: Place,
}

/// A source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Src {
    /// The file.
    pub file: File,
    /// First index of a two-dimensional file.
    pub dimension: Option<Index>,
    /// The register.
    pub index: Index,
    /// The component of the register for each component.
    pub swizzle: [u8; 4],
    /// `-`, after `|…|`.
    pub negate: bool,
    /// `|…|`.
    pub absolute: bool,
    /// Its place.
    pub place: Place,
}

/// Target and offsets of a texture operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Texture {
    /// The target.
    pub target: Target,
    /// Offsets of the coordinates in texels.
    pub offsets: Vec<Offset>,
}

/// An offset in texels: x, y and z of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offset {
    /// File of the register.
    pub file: File,
    /// Its number.
    pub index: i32,
    /// The component for each coordinate.
    pub swizzle: [u8; 3],
}

/// Attributes of a memory access.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Access {
    /// Qualifiers, [`Qualifier::ALL`]`[n]` as bit n.
    pub qualifiers: u8,
    /// Kind of the image.
    pub target: Option<Target>,
    /// Name of the format.
    pub format: Option<String>,
}

/// The identity swizzle.
pub const IDENTITY: [u8; 4] = [0, 1, 2, 3];

/// The mask of all components.
pub const ALL_COMPONENTS: u8 = 0xf;

impl Access {
    /// Whether the access has a qualifier.
    pub fn has(&self, qualifier: Qualifier) -> bool {
        self.qualifiers & 1 << qualifier as u8 != 0
    }
}

impl Index {
    /// An index without a register.
    pub fn fixed(offset: i32) -> Index {
        Index { offset, indirect: None, array: 0 }
    }
}

impl Declaration {
    /// A declaration with file and range only.
    pub fn plain(file: File, first: u32, last: u32) -> Declaration {
        Declaration {
            file,
            per_vertex: false,
            dimension: None,
            range: Range { first, last },
            mask: ALL_COMPONENTS,
            array: None,
            semantic: None,
            interpolate: None,
            is_local: false,
            is_invariant: false,
            detail: Detail::None,
            place: Place::default(),
        }
    }

    /// Number of registers; 0 if the range ends before it begins, which is possible before validation.
    pub fn count(&self) -> u32 {
        self.range.last.checked_sub(self.range.first).map_or(0, |more| more.saturating_add(1))
    }

    /// Whether it declares a register of its file.
    pub fn has_register(&self, number: u32) -> bool {
        (self.range.first..=self.range.last).contains(&number)
    }

    /// Name and index of the semantic of a register: indices count up from the first register.
    pub fn semantic_of(&self, number: u32) -> Option<(SemanticName, u32)> {
        let semantic = self.semantic?;
        let index = semantic.index.wrapping_add(number.wrapping_sub(self.range.first));
        Some((semantic.name, index))
    }
}

impl Shader {
    /// A property's first value.
    pub fn property(&self, name: PropertyName) -> Option<u32> {
        let property = self.properties.iter().rev().find(|property| property.name == name)?;
        property.values.first().copied()
    }

    /// The declarations of a file.
    pub fn of_file(&self, file: File) -> impl Iterator<Item = &Declaration> + Clone {
        self.declarations.iter().filter(move |declaration| declaration.file == file)
    }

    /// Number of registers of a one-dimensional file: one more than the last declared register.
    pub fn size_of(&self, file: File) -> u32 {
        let sizes = self.of_file(file).map(|declaration| declaration.range.last.saturating_add(1));
        sizes.max().unwrap_or(0)
    }

    /// The declaration of a register.
    pub fn declaration(&self, file: File, dimension: Option<u32>, index: u32) -> Option<&Declaration> {
        self.of_file(file).find(|declaration| {
            declaration.dimension.unwrap_or(0) == dimension.unwrap_or(0)
                && (declaration.range.first..=declaration.range.last).contains(&index)
        })
    }

    /// Whether it is `declaration` that declares a component of an input or output, and not another one of the
    /// register, which dumps declare again for some of its components. The first whose mask has the component
    /// does, or else the first of the register.
    pub fn declares(&self, declaration: &Declaration, number: u32, component: u8) -> bool {
        let of_file = self.of_file(declaration.file);
        let mut of_register = of_file.filter(|declaration| declaration.has_register(number));
        let with_component = of_register.clone().find(|declaration| declaration.mask & 1 << component != 0);
        with_component.or_else(|| of_register.next()).is_some_and(|found| std::ptr::eq(found, declaration))
    }

    /// The declaration of a memory. Mesa's dumps declare `MEMORY[1], SHARED`, numbered by its kind, and use
    /// it as `MEMORY[0]`: a number that is not declared denotes the only declared memory.
    pub fn memory(&self, number: u32) -> Option<&Declaration> {
        let mut declared = self.of_file(File::Memory);
        self.declaration(File::Memory, None, number).or_else(|| {
            declared.next().filter(|only| only.count() == 1).filter(|_| declared.next().is_none())
        })
    }

    /// Whether 0 times any number is 0.
    pub fn zero_wins(&self) -> bool {
        let is_set = |name| self.property(name).is_some_and(|value| value != 0);
        is_set(PropertyName::MulZeroWins) || is_set(PropertyName::LegacyMathRules)
    }
}
