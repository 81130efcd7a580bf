//! A position in a text: white space, comments, words, numbers, and where the position is.

use crate::error::ParseError;
use crate::model::Place;

/// A position in a text.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
}

/// How much of unexpected text a message shows, in characters.
const SHOWN: usize = 24;

impl<'a> Cursor<'a> {
    /// The beginning of a text.
    pub fn new(text: &'a str) -> Cursor<'a> {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Cursor { text, at, line: 1, line_start: at }
    }

    /// What is left of the text.
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next byte.
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Whether the text is over.
    pub fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Where the position is.
    pub fn place(&self) -> Place {
        let before = self.text.get(self.line_start..self.at).unwrap_or("");
        Place { line: self.line, column: before.chars().count() as u32 + 1 }
    }

    /// Moves past `bytes` bytes that contain whole characters.
    fn advance(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.text.len());
        for (offset, byte) in self.text.as_bytes()[self.at..end].iter().enumerate() {
            if *byte == b'\n' {
                self.line += 1;
                self.line_start = self.at + offset + 1;
            }
        }
        self.at = end;
    }

    /// Moves past white space and comments: `#`, `;` and `//` to the end of the line, and `/* … */`.
    pub fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank =
                rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', '\0', '\x0b', '\x0c']).len();
            if blank > 0 {
                self.advance(blank);
            } else if rest.starts_with(['#', ';']) || rest.starts_with("//") {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                self.advance(rest.find("*/").map_or(rest.len(), |end| end + 2));
            } else {
                return;
            }
        }
    }

    /// Takes a byte if it comes next, after white space.
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

    /// Takes a byte, after white space.
    pub fn expect(&mut self, byte: u8) -> Result<(), ParseError> {
        if self.eat(byte) { Ok(()) } else { Err(self.unexpected(&format!("`{}`", byte as char))) }
    }

    /// Takes letters, digits and underscores, after white space. Empty if something else comes.
    pub fn word(&mut self) -> &'a str {
        self.skip();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.advance(end);
        rest.get(..end).unwrap_or("")
    }

    /// The word that [`Cursor::word`] would take.
    pub fn peek_word(&self) -> &'a str {
        self.clone().word()
    }

    /// Takes a word if `read` knows it.
    pub fn word_as<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let mut ahead = self.clone();
        let found = read(ahead.word())?;
        *self = ahead;
        Some(found)
    }

    /// Takes a decimal or hexadecimal number.
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

    /// Takes the characters that a number in an immediate may have.
    pub fn numeral(&mut self) -> &'a str {
        self.skip();
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '#' | '_');
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        self.advance(end);
        rest.get(..end).unwrap_or("")
    }

    /// An error: what comes next is not what is expected.
    pub fn unexpected(&self, expected: &str) -> ParseError {
        let mut ahead = self.clone();
        ahead.skip();
        let rest = ahead.rest();
        let line = rest.lines().next().unwrap_or("");
        let shown: String = line.trim_end().chars().take(SHOWN).collect();
        let found = if rest.is_empty() { "the end of the text".to_owned() } else { format!("`{shown}`") };
        ParseError { place: ahead.place(), expected: expected.to_owned(), found }
    }
}
