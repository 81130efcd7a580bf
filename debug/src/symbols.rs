//! What a compiler knows about machine code: source lines, and the places of source variables.

use std::ops::Range;

use crate::code::Part;
use crate::expression::Kind;

/// The source of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Symbols {
    /// Names of the source files.
    pub files: Vec<String>,
    /// The main part.
    pub main: PartSymbols,
    /// The preamble.
    pub preamble: PartSymbols,
}

/// The source of a part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PartSymbols {
    /// Where source positions begin, by ascending offset.
    pub lines: Vec<LineRow>,
    /// Source variables.
    pub variables: Vec<Variable>,
}

/// The code from a byte offset on comes from a source position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineRow {
    /// First byte of an instruction.
    pub offset: u32,
    /// Index of the file.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
}

/// A source variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its scalars.
    pub leaves: Vec<Leaf>,
}

/// A scalar of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// How the variable's scalar is reached: `.x`, `[2]`, `.field.y`; empty if the variable is a scalar.
    pub path: String,
    /// Its type.
    pub kind: Kind,
    /// Where it is; it has no place at other offsets.
    pub places: Vec<Located>,
}

/// The place of a scalar in a range of offsets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    /// Offsets of the instructions before which the scalar is there.
    pub bytes: Range<u32>,
    /// The place.
    pub place: Place,
}

/// A place of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Registers from this half register on.
    Register(u8),
    /// Uniform registers from this half-word on.
    Uniform(u16),
    /// The scalar is known.
    Constant(u64),
    /// Bytes of the lane's stack, from the base of the frame on.
    Stack(u32),
}

impl Leaf {
    /// Its place before the instruction at `offset`.
    pub fn place(&self, offset: u32) -> Option<Place> {
        self.places.iter().find(|located| located.bytes.contains(&offset)).map(|located| located.place)
    }
}

impl PartSymbols {
    /// The source position of the instruction at `offset`.
    pub fn line(&self, offset: u32) -> Option<&LineRow> {
        let after = self.lines.partition_point(|row| row.offset <= offset);
        after.checked_sub(1).and_then(|at| self.lines.get(at))
    }
}

impl Symbols {
    /// The symbols of a part.
    pub fn part(&self, part: Part) -> &PartSymbols {
        match part {
            Part::Main => &self.main,
            Part::Preamble => &self.preamble,
        }
    }

    /// Number of the file called `name`, or whose path ends with it.
    pub fn file(&self, name: &str) -> Option<u32> {
        let ends = |file: &String| {
            file == name || file.ends_with(&format!("/{name}")) || name.ends_with(&format!("/{file}"))
        };
        let exact = self.files.iter().position(|file| file == name);
        exact.or_else(|| self.files.iter().position(ends)).map(|index| index as u32)
    }
}
