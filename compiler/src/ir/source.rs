//! Source positions of instructions, by number. An instruction's `line` is such a number.

use agx_abi::stored::{Reader, Stored, StoredError};
use agx_abi::stored_structs;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::error::{CompileError, Location};

/// A position in a source file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Index of the file in [`Sources::files`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
}

/// Source files, and the positions in them that instructions refer to.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Names of the files, as given in the module.
    pub files: Vec<String>,
    positions: Vec<Position>,
    numbers: HashMap<Position, u32, FxBuildHasher>,
}

stored_structs! { Position { file line column } }

impl Stored for Sources {
    fn write(&self, to: &mut Vec<u8>) {
        self.files.write(to);
        self.positions.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, StoredError> {
        let (files, positions) = (Vec::read(from)?, Vec::<Position>::read(from)?);
        let numbers = (1..).zip(&positions).map(|(number, position)| (*position, number)).collect();
        Ok(Sources { files, positions, numbers })
    }
}

impl PartialEq for Sources {
    fn eq(&self, other: &Sources) -> bool {
        self.files == other.files && self.positions == other.positions
    }
}

impl Eq for Sources {}

impl Sources {
    /// The number of a position, from 1.
    pub fn number(&mut self, file: &str, line: u32, column: u32) -> u32 {
        let index = self.files.iter().position(|known| known == file).unwrap_or_else(|| {
            self.files.push(file.to_owned());
            self.files.len() - 1
        });
        let position = Position { file: index as u32, line, column };
        *self.numbers.entry(position).or_insert_with(|| {
            self.positions.push(position);
            self.positions.len() as u32
        })
    }

    /// The position with a number; `None` for 0 and for unknown numbers.
    pub fn get(&self, number: u32) -> Option<Position> {
        self.positions.get((number as usize).checked_sub(1)?).copied()
    }

    /// Attaches the position with a number to `error`, unless the error has one or the number is unknown.
    pub fn locate(&self, number: u32, error: CompileError) -> CompileError {
        match self.get(number) {
            Some(position) => error.at(Location::Source {
                file: self.file(position).to_owned(),
                line: position.line,
                column: position.column,
            }),
            None => error,
        }
    }

    /// Name of a position's file.
    pub fn file(&self, position: Position) -> &str {
        self.files.get(position.file as usize).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_positions_have_one_number() {
        let mut sources = Sources::default();
        let first = sources.number("a", 3, 0);
        let second = sources.number("b", 3, 0);
        assert_eq!((first, second, sources.number("a", 3, 0)), (1, 2, 1));
        assert_eq!(sources.get(second), Some(Position { file: 1, line: 3, column: 0 }));
        assert_eq!(sources.get(0), None);
        assert_eq!(sources.files, ["a", "b"]);
    }
}
