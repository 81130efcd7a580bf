//! Places in texts, and the statement that is assembled.

use std::fmt;

use super::operand::Register;

/// A place in the texts of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Place {
    /// Index of the text.
    pub source_index: usize,
    /// The line, counted from 1; 0 for the whole text.
    pub line: usize,
    /// The column in characters, counted from 1; 0 for the whole text.
    pub column: usize,
}

impl fmt::Display for Place {
    /// What precedes a message about the place; nothing for the whole text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => Ok(()),
            line => write!(f, "line {line}, column {}: ", self.column),
        }
    }
}

/// Something in a text that may be a mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AsmWarning {
    /// Its place.
    pub place: Place,
    /// A sentence about it.
    pub message: String,
}

/// The name of a procedure or label, or an address, with its place.
pub(super) struct Name {
    pub text: String,
    pub place: Place,
}

/// The statement that is assembled, and the warnings so far.
#[derive(Default)]
pub(super) struct Statement<'t> {
    /// Its line.
    line: &'t str,
    pub place: Place,
    pub warnings: Vec<AsmWarning>,
}

impl<'t> Statement<'t> {
    /// Goes to the statement in `line` that begins at `part`.
    pub fn go_to(&mut self, line: &'t str, part: &str) {
        self.line = line;
        self.place = self.place_of(part);
    }

    /// The place of a part of the line.
    pub fn place_of(&self, part: &str) -> Place {
        let column = column(self.line, part.as_ptr() as usize).unwrap_or(self.place.column);
        Place { column, ..self.place }
    }

    /// A name in the line.
    pub fn name(&self, text: &str) -> Name {
        Name { text: text.to_owned(), place: self.place_of(text) }
    }

    /// Warns of a part of the line.
    pub fn warn(&mut self, part: &str, message: String) {
        self.warnings.push(AsmWarning { place: self.place_of(part), message });
    }

    /// Warns of components of a destination in another order than that of the register.
    pub fn check_order(&mut self, text: &str, register: Register) {
        if !register.names_in_order() {
            let message =
                format!("the order of components in a destination has no effect: `{text}` names a mask");
            self.warn(text, message);
        }
    }
}

/// The column of the part of `line` that begins at an address; `None` if it is not in the line.
pub(super) fn column(line: &str, address: usize) -> Option<usize> {
    let offset = address.checked_sub(line.as_ptr() as usize)?;
    line.get(..offset)?.chars().count().checked_add(1)
}
