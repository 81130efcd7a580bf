//! What a compiler knows about machine code: source lines, and when source variables get which values.

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

/// When something happens in a lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Moment {
    /// Before it executes the instruction at this offset.
    Before(u32),
    /// When it executes the instruction at this offset.
    With(u32),
}

/// A register gets a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Definition {
    /// When.
    pub at: Moment,
    /// The value's number.
    pub value: u32,
    /// The first half register.
    pub half: u8,
    /// Half registers, at most four.
    pub halves: u8,
}

/// What a scalar has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A value, by number.
    Value(u32),
    /// A constant.
    Constant(u64),
    /// Uniform registers from this half-word on.
    Uniform(u16),
    /// Bytes of the lane's stack, from the base of the frame on.
    Stack(u32),
    /// A value that the code does not compute.
    Lost,
}

/// A scalar of a variable gets another content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// When.
    pub at: Moment,
    /// Number of the variable.
    pub variable: u32,
    /// Number of its scalar.
    pub leaf: u32,
    /// The content.
    pub content: Content,
}

impl PartSymbols {
    /// The source position of the instruction at `offset`.
    pub fn line(&self, offset: u32) -> Option<&LineRow> {
        let after = self.lines.partition_point(|row| row.offset <= offset);
        let row = after.checked_sub(1).and_then(|at| self.lines.get(at));
        row.filter(|row| row.line != 0)
    }
}

impl Moment {
    fn moved(self, bytes: u32) -> Moment {
        match self {
            Moment::Before(offset) => Moment::Before(offset.saturating_add(bytes)),
            Moment::With(offset) => Moment::With(offset.saturating_add(bytes)),
        }
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
