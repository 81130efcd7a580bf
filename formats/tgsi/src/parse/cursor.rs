//! A position in a text: skips white space and comments, and reads words and numbers.

use crate::error::ParseError;
use crate::model::Place;

/// A position in a text.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    /// The remaining text.
    rest: &'a str,
    place: Place,
}

/// Maximum length of unexpected text in a message, in characters.
const SHOWN: usize = 24;

impl<'a> Cursor<'a> {
    /// The beginning of a text.
    pub fn new(text: &'a str) -> Cursor<'a> {
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        Cursor { rest, place: Place { line: 1, column: 1 } }
    }

    /// The next byte.
    pub fn peek(&self) -> Option<u8> {
        self.rest.as_bytes().first().copied()
    }

    /// Whether the text is at its end.
    pub fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// The current place.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Consumes `bytes` bytes, which must be whole characters; consumes the whole text if it is shorter.
    /// Lines and columns saturate at the limits of [`Place`].
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        for letter in taken.chars() {
            self.place = match letter {
                '\n' => Place { line: self.place.line.saturating_add(1), column: 1 },
                _ => Place { column: self.place.column.saturating_add(1), ..self.place },
            };
        }
        self.rest = rest;
        taken
    }

    /// Skips white space and comments: `#`, `;` and `//` to the end of the line, and `/* … */`.
    pub fn skip(&mut self) {
        loop {
            let rest = self.rest;
            let is_blank = |c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\0' | '\x0b' | '\x0c');
            let blank = rest.find(|c| !is_blank(c)).unwrap_or(rest.len());
            if blank > 0 {
                self.advance(blank);
            } else if rest.starts_with(['#', ';']) || rest.starts_with("//") {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                self.advance(rest.find("*/").and_then(|end| end.checked_add(2)).unwrap_or(rest.len()));
            } else {
                return;
            }
        }
    }

    /// Consumes white space, and `byte` if it follows.
    pub fn eat(&mut self, byte: u8) -> bool {
        let mut ahead = self.clone();
        ahead.skip();
        let found = ahead.peek() == Some(byte);
        if found {
            ahead.advance(1);
            *self = ahead;
        }
        found
    }

    /// Consumes white space and `byte`.
    pub fn expect(&mut self, byte: u8) -> Result<(), ParseError> {
        if self.eat(byte) { Ok(()) } else { Err(self.unexpected(&format!("`{}`", byte as char))) }
    }

    /// Consumes white space and a word of letters, digits and underscores; the word is empty if another
    /// character follows.
    pub fn word(&mut self) -> &'a str {
        self.skip();
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        self.advance(end.unwrap_or(self.rest.len()))
    }

    /// The word that [`Cursor::word`] would take.
    pub fn peek_word(&self) -> &'a str {
        self.clone().word()
    }

    /// Consumes a word if `read` accepts it.
    pub fn word_as<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let mut ahead = self.clone();
        let found = read(ahead.word())?;
        *self = ahead;
        Some(found)
    }

    /// Consumes a decimal or hexadecimal number.
    pub fn unsigned(&mut self, what: &str) -> Result<u32, ParseError> {
        let mut ahead = self.clone();
        let word = ahead.word();
        let number = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => word.parse().ok(),
        };
        let number = number.ok_or_else(|| self.unexpected(what))?;
        *self = ahead;
        Ok(number)
    }

    /// Consumes the characters of a number in an immediate.
    pub fn numeral(&mut self) -> &'a str {
        self.skip();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '#' | '_');
        let end = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        self.advance(end)
    }

    /// An error about the text at the current position.
    pub fn unexpected(&self, expected: &str) -> ParseError {
        let mut ahead = self.clone();
        ahead.skip();
        let rest = ahead.rest;
        let line = rest.lines().next().unwrap_or("");
        let shown: String = line.trim_end().chars().take(SHOWN).collect();
        let found = if rest.is_empty() { "the end of the text".to_owned() } else { format!("`{shown}`") };
        ParseError { place: ahead.place(), expected: expected.to_owned(), found }
    }
}
