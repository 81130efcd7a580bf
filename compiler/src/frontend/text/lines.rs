//! Source lines of translated texts.
//!
//! naga counts the lines up to each statement from the start of the text, which takes quadratic time, and copies the
//! text into the module. Here the statements get numbers instead of positions in the text: their spans index a short
//! text of one line, so that the column of a line instruction is the number. A number that exceeds the short text has
//! two digits: an empty statement in front carries the high one, in a second line. Afterwards the numbers in the module
//! are replaced by lines and columns, which one walk over the text finds.

use naga::{Block, Function, Module, Range, Span, Statement};

use super::blocks;

/// Values of a digit.
const BASE: u32 = 4096;

const OP_LINE: u32 = 8;
/// Words of a line instruction: opcode, file, line, column.
const LINE_WORDS: usize = 4;
/// Words before the first instruction.
const HEADER_WORDS: usize = 5;

/// The text whose positions are the digits: low ones in the first line, high ones in the second.
pub fn digits() -> String {
    let line = " ".repeat(BASE as usize);
    format!("{line}\n{line}")
}

/// The span of a low digit.
fn low(digit: u32) -> Span {
    Span::new(digit, digit)
}

/// The span of a high digit.
fn high(digit: u32) -> Span {
    let start = (BASE + 1).saturating_add(digit);
    Span::new(start, start)
}

/// The positions in a text at which the statements of a module begin.
pub struct Positions {
    /// Byte offsets, ascending, each once.
    offsets: Vec<u32>,
}

impl Positions {
    /// Takes the positions of the statements of `module` and replaces them by digits.
    pub fn take(module: &mut Module) -> Positions {
        let mut offsets = Vec::new();
        for function in blocks::functions(module) {
            blocks::each(&mut function.body, |block| {
                offsets.extend(block.span_iter().map(|(_, span)| start(*span)))
            });
        }
        offsets.sort_unstable();
        offsets.dedup();
        let positions = Positions { offsets };
        for function in blocks::functions(module) {
            positions.replace(function);
        }
        positions
    }

    fn replace(&self, function: &mut Function) {
        let nothing = Statement::Emit(Range::from_index_range(0..0, &function.expressions));
        blocks::each(&mut function.body, |block| {
            let mut replaced = Block::with_capacity(block.len());
            for (statement, span) in std::mem::take(block).span_into_iter() {
                let number = self.offsets.binary_search(&start(span)).unwrap_or_default() as u32;
                if number >= BASE && has_line(&statement) {
                    replaced.push(nothing.clone(), high(number / BASE));
                }
                replaced.push(statement, low(number % BASE));
            }
            *block = replaced;
        });
    }

    /// Replaces the digits in the line instructions of a module by lines and columns of `text`.
    pub fn restore(&self, words: &mut Vec<u32>, text: &str) {
        let places = places(text, &self.offsets);
        let (mut at, mut end, mut above) = (HEADER_WORDS, HEADER_WORDS, 0_u32);
        while let Some(first) = words.get(at).copied() {
            let length = ((first >> 16) as usize).max(1);
            let mut kept = true;
            if first & 0xffff == OP_LINE
                && let Some([_, _, line, column]) = words.get_mut(at..at.saturating_add(LINE_WORDS))
            {
                let digit = column.saturating_sub(1);
                if *line == 1 {
                    let number = std::mem::take(&mut above).saturating_mul(BASE).saturating_add(digit);
                    (*line, *column) = places.get(number as usize).copied().unwrap_or((1, 1));
                } else {
                    above = digit;
                    kept = false;
                }
            }
            let next = at.saturating_add(length).min(words.len());
            if kept {
                words.copy_within(at..next, end);
                end = end.saturating_add(next.saturating_sub(at));
            }
            at = next;
        }
        words.truncate(end.max(HEADER_WORDS));
    }
}

/// Byte offset of a span; 0 if it is unknown.
fn start(span: Span) -> u32 {
    span.to_range().map_or(0, |range| range.start as u32)
}

/// Whether naga writes the position of a statement.
fn has_line(statement: &Statement) -> bool {
    let without = matches!(
        statement,
        Statement::Block(_)
            | Statement::Break
            | Statement::Continue
            | Statement::Kill
            | Statement::Return { .. }
    );
    !without
}

/// Line and column, from 1, of each of the ascending `offsets`.
fn places(text: &str, offsets: &[u32]) -> Vec<(u32, u32)> {
    let (mut places, mut line, mut line_start, mut read) =
        (Vec::with_capacity(offsets.len()), 1_u32, 0_usize, 0_usize);
    for offset in offsets.iter().map(|offset| *offset as usize) {
        let passed = text.as_bytes().get(read..offset).unwrap_or_default();
        for (at, _) in passed.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            line = line.saturating_add(1);
            line_start = read.saturating_add(at).saturating_add(1);
        }
        read = offset;
        places.push((line, (offset.saturating_sub(line_start) as u32).saturating_add(1)));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_one_walk() {
        assert_eq!(places("ab\ncd\n\ne", &[0, 1, 3, 4, 7]), [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]);
        assert_eq!(places("", &[0]), [(1, 1)]);
    }

    /// A line instruction as naga writes it for a span.
    fn line(span: Span) -> Vec<u32> {
        let at = span.location(&digits());
        vec![(LINE_WORDS as u32) << 16 | OP_LINE, 9, at.line_number, at.line_position]
    }

    #[test]
    fn digits_are_replaced_by_lines() {
        let text = "x\n".repeat(BASE as usize + 10);
        let positions = Positions { offsets: (0..BASE + 10).map(|at| 2 * at).collect() };
        let header = vec![0_u32; HEADER_WORDS];
        let other = vec![0x0002_0011, 1];
        let numbered = BASE + 7;
        let parts = [
            header.clone(),
            line(low(5)),
            other.clone(),
            line(high(numbered / BASE)),
            other.clone(),
            line(low(numbered % BASE)),
            line(low(6)),
        ];
        let mut words = parts.concat();
        positions.restore(&mut words, &text);
        let op = (LINE_WORDS as u32) << 16 | OP_LINE;
        let expected = [
            header,
            vec![op, 9, 6, 1],
            other.clone(),
            other,
            vec![op, 9, numbered + 1, 1],
            vec![op, 9, 7, 1],
        ];
        assert_eq!(words, expected.concat());
    }
}
