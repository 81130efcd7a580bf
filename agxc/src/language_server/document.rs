//! The text of a document as the editor has it, and the places in it: the protocol counts lines and UTF-16 units from 0,
//! diagnostics and line tables count lines and bytes from 1.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

/// A text with the places of its lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    text: String,
    /// Offsets of the lines in bytes. Lines end with a line feed, a carriage return, or both.
    lines: Vec<usize>,
}

impl Text {
    /// The places in `text`.
    pub fn new(text: String) -> Text {
        let mut lines = vec![0];
        let mut letters = text.char_indices().peekable();
        while let Some((_, letter)) = letters.next() {
            let ends =
                letter == '\n' || letter == '\r' && letters.peek().is_none_or(|(_, next)| *next != '\n');
            if ends {
                lines.push(letters.peek().map_or(text.len(), |(at, _)| *at));
            }
        }
        Text { text, lines }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces a range, or everything.
    pub fn change(&mut self, change: TextDocumentContentChangeEvent) {
        let Some(range) = change.range else {
            *self = Text::new(change.text);
            return;
        };
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        let mut text = std::mem::take(&mut self.text);
        text.replace_range(start..end.max(start), &change.text);
        *self = Text::new(text);
    }

    /// A line with what ends it; empty beyond the end.
    fn line(&self, line: usize) -> &str {
        let start = self.lines.get(line).copied().unwrap_or(self.text.len());
        let end = self.lines.get(line.saturating_add(1)).copied().unwrap_or(self.text.len());
        self.text.get(start..end).unwrap_or_default()
    }

    /// The offset of a position in bytes. A column beyond the end of a line is its end, and one within a letter is before
    /// the letter.
    pub fn offset(&self, position: Position) -> usize {
        let (line, wanted) = (position.line as usize, position.character as usize);
        let Some(start) = self.lines.get(line) else { return self.text.len() };
        let mut units = 0_usize;
        let content = self.line(line).trim_end_matches(['\n', '\r']);
        let bytes = content.chars().map_while(|letter| {
            units = units.saturating_add(letter.len_utf16());
            (units <= wanted).then(|| letter.len_utf8())
        });
        start.saturating_add(bytes.sum::<usize>())
    }

    /// The position of an offset in bytes.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.lines.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.lines.get(line).copied().unwrap_or(0);
        let before = self.line(line).char_indices().take_while(|(at, _)| start.saturating_add(*at) < offset);
        let units: usize = before.map(|(_, letter)| letter.len_utf16()).sum();
        Position { line: line as u32, character: units as u32 }
    }

    /// The range between two offsets in bytes.
    pub fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// The length of the byte order mark, which is not part of what is compiled.
    fn mark(&self) -> usize {
        if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
    }

    /// The bytes of a line as diagnostics count them, from 1 and by line feeds alone, without what ends it; `None` beyond
    /// the end.
    pub fn source_line(&self, line: u32) -> Option<std::ops::Range<usize>> {
        let content = self.text.get(self.mark()..)?;
        let line = content.split('\n').nth((line as usize).checked_sub(1)?)?;
        let start = (line.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        Some(start..start.checked_add(line.trim_end().len())?)
    }

    /// The line at an offset as diagnostics count them.
    pub fn source_line_at(&self, offset: usize) -> u32 {
        let before = self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count();
        before.saturating_add(1) as u32
    }

    /// The bytes that a diagnostic at this line and column concerns: the word there, or the line if the column is 1, which tools that
    /// know only lines give, or nothing or a blank is there.
    pub fn concerned(&self, line: u32, column: u32) -> std::ops::Range<usize> {
        let Some(line) = self.source_line(line) else { return self.text.len()..self.text.len() };
        let wanted = line.start.saturating_add((column as usize).saturating_sub(1)).min(line.end);
        let start = (0..=wanted).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let rest = self.text.get(start..line.end).unwrap_or_default();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = match rest.chars().next().filter(|_| column > 1) {
            Some(letter) if is_part(letter) => rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()),
            Some(letter) if !letter.is_whitespace() => letter.len_utf8(),
            _ => return self.without_indentation(line),
        };
        start..start.saturating_add(length)
    }

    fn without_indentation(&self, line: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let content = self.text.get(line.clone()).unwrap_or_default();
        let indentation = content.len().saturating_sub(content.trim_start().len());
        line.start.saturating_add(indentation)..line.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn positions_count_utf16_units() {
        let text = Text::new("a🦀é\r\nb\rc\n".to_owned());
        let places = [
            (0, at(0, 0)),
            (1, at(0, 1)),
            (5, at(0, 3)),
            (7, at(0, 4)),
            (9, at(1, 0)),
            (11, at(2, 0)),
            (13, at(3, 0)),
        ];
        for (offset, position) in places {
            assert_eq!((text.position(offset), text.offset(position)), (position, offset));
        }
        assert_eq!(text.offset(at(0, 2)), 1, "within a pair of surrogates");
        assert_eq!([text.offset(at(0, 99)), text.offset(at(9, 0))], [7, 13], "beyond the end");
    }

    #[test]
    fn changes_replace_ranges() {
        let mut text = Text::new("one\ntwo\n".to_owned());
        let mut change = |range: Option<(Position, Position)>, with: &str| {
            let range = range.map(|(start, end)| Range { start, end });
            text.change(TextDocumentContentChangeEvent { range, range_length: None, text: with.to_owned() });
            text.text().to_owned()
        };
        assert_eq!(change(Some((at(0, 1), at(1, 1))), "é\n"), "oé\nwo\n");
        assert_eq!(change(Some((at(1, 2), at(0, 9))), "!"), "oé\nwo!\n", "the end is before the start");
        assert_eq!(change(Some((at(7, 0), at(8, 0))), "end"), "oé\nwo!\nend");
        assert_eq!(change(None, ""), "");
        assert_eq!(change(Some((at(0, 0), at(0, 0))), "x"), "x");
    }

    #[test]
    fn a_diagnostic_concerns_a_word_or_a_line() {
        let text = Text::new("\u{feff}  let aé_1 = +;\n\n\tx\r\n".to_owned());
        let concerned = |line, column| text.text().get(text.concerned(line, column)).unwrap();
        assert_eq!(concerned(1, 7), "aé_1");
        assert_eq!(concerned(1, 9), "é_1", "within a letter");
        assert_eq!(concerned(1, 15), "+");
        assert_eq!(concerned(1, 1), "let aé_1 = +;");
        assert_eq!(concerned(1, 99), "let aé_1 = +;");
        assert_eq!([concerned(2, 1), concerned(3, 2), concerned(9, 1)], ["", "x", ""]);
        assert_eq!(text.source_line_at(text.concerned(3, 2).start), 3);
    }
}
