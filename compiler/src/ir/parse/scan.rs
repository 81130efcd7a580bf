//! Moves through the text: spaces, comments, words, numbers, and where errors are.

use crate::error::{CompileError, Location, TextError};

/// A position in the text.
pub(super) struct Scanner<'t> {
    /// The text.
    pub text: &'t str,
    /// Offset in bytes.
    pub at: usize,
}

impl<'t> Scanner<'t> {
    /// What is left of the text.
    pub fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next character.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips spaces, not the end of the line.
    pub fn skip_space(&mut self) {
        self.at += self.rest().bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    }

    /// Skips spaces, lines and comments; `false` at the end of the text.
    pub fn skip_blank(&mut self) -> bool {
        loop {
            self.at += self.rest().bytes().take_while(u8::is_ascii_whitespace).count();
            if !self.rest().starts_with(';') {
                return !self.rest().is_empty();
            }
            self.at += self.rest().bytes().take_while(|byte| *byte != b'\n').count();
        }
    }

    /// Whether nothing more of a statement follows on this line.
    pub fn at_statement_end(&mut self) -> bool {
        self.skip_space();
        matches!(self.peek(), None | Some('\n' | '\r' | ';' | '{' | '}'))
    }

    /// Takes characters as long as they are wanted.
    pub fn take_while(&mut self, mut wanted: impl FnMut(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|letter| !wanted(letter)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Digits with at most a fraction and an exponent; a point belongs to them when a digit follows.
    pub fn digits(&mut self) -> &'t str {
        let rest = self.rest().as_bytes();
        let mut end = 0;
        while let Some(byte) = rest.get(end) {
            let before = end.checked_sub(1).map_or(b' ', |before| rest[before]);
            let is_point = *byte == b'.' && rest.get(end + 1).is_some_and(u8::is_ascii_digit);
            let is_exponent_sign = matches!(byte, b'-' | b'+') && matches!(before, b'e' | b'E');
            if !byte.is_ascii_alphanumeric() && !is_point && !is_exponent_sign {
                break;
            }
            end += 1;
        }
        let digits = self.rest().get(..end).unwrap_or("");
        self.at += digits.len();
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
            self.at += text.len();
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

    /// Something else than `what` is at this position.
    pub fn expected(&self, what: impl Into<String>) -> CompileError {
        self.error(TextError::Expected { what: what.into() })
    }

    /// An error at this position.
    pub fn error(&self, error: TextError) -> CompileError {
        self.error_at(self.at, error)
    }

    /// An error at offset `at`.
    pub fn error_at(&self, at: usize, error: TextError) -> CompileError {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
        CompileError::from(error).at(Location::Text { line, column: (before.len() - line_start) as u32 + 1 })
    }
}
