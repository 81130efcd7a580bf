//! What a compiler knows about machine code: source lines, and when source variables get which values.

pub use agx_abi::variables::{Change, Content, Definition, Moment};

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
    /// Where registers get values that variables have.
    pub definitions: Vec<Definition>,
    /// Where variables get values, those of one moment in order.
    pub changes: Vec<Change>,
}

/// The code from a byte offset on comes from a source position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineRow {
    /// First byte of an instruction.
    pub offset: u32,
    /// Index of the file.
    pub file: u32,
    /// Line, from 1; 0 if the code has no source.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
}

impl LineRow {
    /// Its file and line.
    pub fn place(&self) -> (u32, u32) {
        (self.file, self.line)
    }
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
}

impl PartSymbols {
    /// The source position of the instruction at `offset`.
    pub fn line(&self, offset: u32) -> Option<&LineRow> {
        let after = self.lines.partition_point(|row| row.offset <= offset);
        let row = after.checked_sub(1).and_then(|at| self.lines.get(at));
        row.filter(|row| row.line != 0)
    }
}

impl Symbols {
    /// The symbols of a program in which the main part, of this length, begins at byte `start`.
    pub fn moved(mut self, start: u32, len: usize) -> Symbols {
        let main = &mut self.main;
        main.lines.iter_mut().for_each(|row| row.offset = row.offset.saturating_add(start));
        // What follows has no lines.
        let end = start.saturating_add(u32::try_from(len).unwrap_or(u32::MAX));
        main.lines.push(LineRow { offset: end, file: 0, line: 0, column: 0 });
        main.definitions.iter_mut().for_each(|one| one.at = one.at.moved(start));
        main.changes.iter_mut().for_each(|one| one.at = one.at.moved(start));
        self
    }

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
