//! Where a text declares its entry points.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use std::ops::Range;

/// The bytes of the name where `text`, in WGSL or GLSL, defines the function `name`: the first place where it follows `fn` or a
/// type and precedes a parenthesis.
pub fn definition(text: &str, name: &str) -> Option<Range<usize>> {
    let mut before = Word::Other;
    let mut words = Words { text, at: 0 }.peekable();
    while let Some(word) = words.next() {
        if let Word::Name(found) = &word
            && text.get(found.clone()) == Some(name)
            && matches!(before, Word::Name(_))
            && words.peek() == Some(&Word::Parenthesis)
        {
            return Some(found.clone());
        }
        before = word;
    }
    None
}

/// A part of a text other than blanks and comments.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Word {
    Name(Range<usize>),
    /// `(`.
    Parenthesis,
    /// Any other letter.
    Other,
}

struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl Words<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    /// Skips a block comment, which may contain others, as in WGSL.
    fn skip_comment(&mut self) {
        let mut open = 0_u32;
        loop {
            let rest = self.rest();
            let step = if rest.starts_with("/*") {
                open = open.saturating_add(1);
                2
            } else if rest.starts_with("*/") {
                open = open.saturating_sub(1);
                2
            } else {
                rest.chars().next().map_or(0, char::len_utf8)
            };
            self.skip(step);
            if open == 0 || step == 0 {
                return;
            }
        }
    }
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
            if first.is_whitespace() {
                self.skip(first.len_utf8());
            } else if rest.starts_with("//") {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.skip(length);
            } else if rest.starts_with("/*") {
                self.skip_comment();
            } else if is_part(first) {
                let (start, length) = (self.at, rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()));
                self.skip(length);
                return Some(Word::Name(start..self.at));
            } else {
                self.skip(first.len_utf8());
                return Some(if first == '(' { Word::Parenthesis } else { Word::Other });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_outside_of_comments() {
        let place = |text: &str, name: &str| definition(text, name).map(|bytes| bytes.start);
        assert_eq!(
            place("// fn main()\n/* fn main() /* */ fn main() */ fn\tmain /**/ () {}", "main"),
            Some(48)
        );
        assert_eq!(place("void helper() { main (); }\nvoid main(void) {}", "main"), Some(32));
        assert_eq!(place("fn mainly() {} @fragment fn fs_é() {}", "fs_é"), Some(28));
        assert_eq!(place("fn main", "main"), None);
        assert_eq!(place("/* fn main()", "main"), None);
        assert_eq!(place("(main()", "main"), None);
    }
}
