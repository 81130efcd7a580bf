//! One line of assembler text.

use super::operand::{destination, is_stray, sampler, source};
use super::{AssembleError, Place, TokenPlaces};
use crate::opcode::{Opcode, Semantics};
use crate::program::{Stage, Version};
use crate::token::{DestinationWord, SourceWord, TOKEN_BYTES, Token};

/// The line without its comment and surrounding blanks.
pub(super) fn content(line: &str) -> &str {
    line.split_once("//").map_or(line, |(before, _)| before).trim()
}

/// A line that is being parsed.
pub(super) struct Line<'t> {
    /// The whole line, for columns.
    text: &'t str,
    /// The text that is still to be parsed.
    rest: &'t str,
    number: usize,
}

impl<'t> Line<'t> {
    pub(super) fn new(text: &'t str, number: usize) -> Self {
        Line { text, rest: content(text), number }
    }

    /// An error at the current position.
    pub(super) fn error(&self, message: impl Into<String>) -> AssembleError {
        self.error_at(self.rest, message)
    }

    /// An error at `place`, a part of the line.
    pub(super) fn error_at(&self, place: &str, message: impl Into<String>) -> AssembleError {
        let Place { line, column } = self.place(place);
        AssembleError { line, column, message: message.into() }
    }

    /// Version and stage, if the line is the `.agal` directive.
    pub(super) fn directive(mut self) -> Result<Option<(Version, Stage)>, AssembleError> {
        if !self.next_word().eq_ignore_ascii_case(".agal") {
            return Ok(None);
        }
        let word = self.next_word();
        let version = word.parse().ok().and_then(Version::from_number);
        let version = version
            .ok_or_else(|| self.error_at(word, format!("unknown version `{word}`; expected 1 to 4")))?;
        let word = self.next_word();
        let stages = [Stage::Vertex, Stage::Fragment];
        let stage = stages.into_iter().find(|stage| word.eq_ignore_ascii_case(stage.name()));
        let message = || format!("unknown stage `{word}`; expected `vertex` or `fragment`");
        let stage = stage.ok_or_else(|| self.error_at(word, message()))?;
        self.end()?;
        Ok(Some((version, stage)))
    }

    /// The place of a part of the line.
    fn place(&self, part: &str) -> Place {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..offset).unwrap_or("");
        Place { line: self.number, column: before.chars().count().saturating_add(1) }
    }

    /// The token of the line with the places of its parts; `None` for an empty line.
    pub(super) fn token(mut self, stage: Stage) -> Result<Option<(Token, TokenPlaces)>, AssembleError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let word = self.next_word();
        let opcode = self.place(word);
        let mut places = TokenPlaces { opcode, operands: [opcode; 3] };
        if word.eq_ignore_ascii_case(".token") {
            return self.raw().map(|token| Some((token, places)));
        }
        let opcode = Opcode::from_name(&word.to_ascii_lowercase());
        let opcode = opcode.ok_or_else(|| self.error_at(word, format!("unknown opcode `{word}`")))?;
        let row = opcode.row();
        let operands = row.operands();
        let mut token = Token {
            opcode,
            destination: DestinationWord::default(),
            source1: SourceWord::default(),
            source2: SourceWord::default(),
        };
        let [destination_place, place1, place2] = &mut places.operands;
        if operands.destination {
            let operand = self.next_operand()?;
            *destination_place = self.place(operand);
            token.destination = destination(&self, operand, stage)?;
        }
        if operands.sources > 0 {
            let operand = self.next_operand()?;
            *place1 = self.place(operand);
            token.source1 = source(&self, operand, stage)?;
        }
        if operands.sources > 1 {
            let operand = self.next_operand()?;
            *place2 = self.place(operand);
            token.source2 = match row.semantics {
                Semantics::Texture => {
                    let settings = self.settings()?;
                    SourceWord(sampler(&self, operand, settings, stage)?.0)
                }
                _ => source(&self, operand, stage)?,
            };
        }
        self.pass_over_strays();
        self.end()?;
        Ok(Some((token, places)))
    }

    /// The token after `.token`.
    fn raw(mut self) -> Result<Token, AssembleError> {
        let word = self.next_word();
        self.end()?;
        let (pairs, odd) = word.as_bytes().as_chunks::<2>();
        let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let fits = pairs.len() == TOKEN_BYTES && odd.is_empty();
        let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
        let bytes = bytes.filter(|_| fits);
        let bytes = bytes.ok_or_else(|| self.error_at(word, "expected 48 hexadecimal digits"))?;
        let wide = |from: usize, count: usize| {
            bytes.iter().skip(from).take(count).rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte))
        };
        let code = wide(0, 4) as u32;
        let opcode = Opcode::from_code(code);
        let opcode = opcode.ok_or_else(|| self.error_at(word, format!("unknown opcode {code:#x}")))?;
        Ok(Token {
            opcode,
            destination: DestinationWord(wide(4, 4) as u32),
            source1: SourceWord(wide(8, 8)),
            source2: SourceWord(wide(16, 8)),
        })
    }

    /// Checks that the line ends here.
    fn end(&mut self) -> Result<(), AssembleError> {
        self.skip();
        if self.rest.is_empty() { Ok(()) } else { Err(self.error("expected the end of the line")) }
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', ',', ';']);
    }

    /// Splits off `length` bytes.
    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn next_word(&mut self) -> &'t str {
        self.skip();
        let end = self.rest.find([' ', '\t', ',', ';']).unwrap_or(self.rest.len());
        self.take(end)
    }

    /// Skips component names in place of an operand.
    fn pass_over_strays(&mut self) {
        self.skip();
        let end = self.rest.find([' ', '\t', ',', ';', '<']).unwrap_or(self.rest.len());
        if end > 0 && self.rest.get(..end).is_some_and(is_stray) {
            self.take(end);
        }
    }

    /// The next operand: the text up to a blank, comma or `<` outside brackets.
    fn next_operand(&mut self) -> Result<&'t str, AssembleError> {
        self.pass_over_strays();
        self.skip();
        let mut depth = 0usize;
        let ends = |c: char| {
            match c {
                '[' => depth = depth.saturating_add(1),
                ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && matches!(c, ' ' | '\t' | ',' | ';' | '<')
        };
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.error("expected an operand"));
        }
        Ok(self.take(end))
    }

    /// The settings between `<` and `>`; empty if there are none.
    fn settings(&mut self) -> Result<&'t str, AssembleError> {
        self.skip();
        let Some(inside) = self.rest.strip_prefix('<') else { return Ok("") };
        let Some((settings, rest)) = inside.split_once('>') else {
            return Err(self.error("expected `>` after the settings of the sampler"));
        };
        self.rest = rest;
        Ok(settings)
    }
}
