//! Indented lines.

use std::fmt::Write;

/// A text under construction.
#[derive(Default)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) depth: usize,
}

impl Text {
    pub(super) fn line(&mut self, line: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{:1$}{line}", "", 4 * self.depth);
    }
}
