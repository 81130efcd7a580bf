//! The scanner: spaces, comments, words, numbers, and error positions.

use crate::error::{CompileError, Location, TextError};

/// A position in the text.
pub(super) struct Scanner<'t> {
    /// The text.
    pub text: &'t str,
    /// Offset in bytes.
    pub at: usize,
}

impl<'t> Scanner<'t> {
    /// The remaining text.
    pub fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Advances by a number of bytes.
    pub fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    /// The next character.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips spaces, but not line ends.
    pub fn skip_space(&mut self) {
        self.skip(self.rest().bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count());
    }

    /// Skips spaces, lines and comments; `false` at the end of the text.
    pub fn skip_blank(&mut self) -> bool {
        loop {
            self.skip(self.rest().bytes().take_while(u8::is_ascii_whitespace).count());
            if !self.rest().starts_with(';') {
                return !self.rest().is_empty();
            }
            self.skip(self.rest().bytes().take_while(|byte| *byte != b'\n').count());
        }
    }

    /// Whether the statement ends here: nothing but spaces or a comment remains on the line.
    pub fn at_statement_end(&mut self) -> bool {
        self.skip_space();
        matches!(self.peek(), None | Some('\n' | '\r' | ';' | '{' | '}'))
    }

    /// Takes characters while `wanted` holds.
    pub fn take_while(&mut self, mut wanted: impl FnMut(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|letter| !wanted(letter)).unwrap_or(rest.len());
        self.skip(end);
        rest.get(..end).unwrap_or(rest)
    }

    /// Digits with an optional fraction and exponent; a point belongs to the number if a digit follows.
    pub fn digits(&mut self) -> &'t str {
        let rest = self.rest().as_bytes();
        let mut end = 0usize;
        let mut before = b' ';
        while let Some(byte) = rest.get(end) {
            let next = end.saturating_add(1);
            let is_point = *byte == b'.' && rest.get(next).is_some_and(u8::is_ascii_digit);
            let is_exponent_sign = matches!(byte, b'-' | b'+') && matches!(before, b'e' | b'E');
            if !byte.is_ascii_alphanumeric() && !is_point && !is_exponent_sign {
                break;
            }
            (before, end) = (*byte, next);
        }
        let digits = self.rest().get(..end).unwrap_or("");
        self.skip(digits.len());
        digits
    }

    /// Takes letters, digits and underscores.
    pub fn word(&mut self) -> &'t str {
        self.take_while(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    }

    /// Takes `text` if it comes next.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.skip(text.len());
        }
        found
    }

    /// Skips spaces and takes `text`, or fails.
    pub fn expect(&mut self, text: &str) -> Result<(), CompileError> {
        self.skip_space();
        if self.eat(text) { Ok(()) } else { Err(self.expected(format!("`{text}`"))) }
    }

    /// Takes a decimal number below `limit`; `what` names it in errors.
    pub fn number(&mut self, what: &str, limit: u64) -> Result<u64, CompileError> {
        let start = self.at;
        let digits = self.take_while(|letter| letter.is_ascii_digit());
        match digits.parse::<u64>() {
            Ok(number) if number < limit => Ok(number),
            Ok(_) => Err(self.error_at(start, TextError::OutOfRange { what: what.to_owned(), limit })),
            Err(_) if digits.is_empty() => {
                Err(self.error_at(start, TextError::Expected { what: what.to_owned() }))
            }
            Err(_) => Err(self.error_at(start, TextError::OutOfRange { what: what.to_owned(), limit })),
        }
    }

    /// The error that `what` was expected at this position.
    pub fn expected(&self, what: impl Into<String>) -> CompileError {
        self.error(TextError::Expected { what: what.into() })
    }

    /// An error at this position.
    pub fn error(&self, error: TextError) -> CompileError {
        self.error_at(self.at, error)
    }

    /// An error at offset `at`.
    pub fn error_at(&self, at: usize, error: TextError) -> CompileError {
        let before = self.text.as_bytes();
        let before = before.get(..at).unwrap_or(before);
        let line_start =
            before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end.saturating_add(1));
        let ends = before.iter().filter(|byte| **byte == b'\n').count() as u32;
        let column = before.len().saturating_sub(line_start) as u32;
        CompileError::from(error)
            .at(Location::Text { line: ends.saturating_add(1), column: column.saturating_add(1) })
    }
}
