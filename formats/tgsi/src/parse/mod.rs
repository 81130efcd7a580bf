//! Parser.
//!
//! The parser accepts the dumps of all versions of Gallium, and edited ones: any white space and line breaks,
//! comments (`#`, `;`, `//`, `/* */`), keywords in any case, instructions with or without numbers, immediates
//! with or without indices, attributes of declarations in any order, hexadecimal floats.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

mod cursor;
mod declaration;
mod immediate;
mod instruction;
mod operand;

use crate::error::ParseError;
use crate::model::{Property, Shader};
use crate::names::{Processor, PropertyName};
use cursor::Cursor;

/// Parses a shader.
///
/// # Errors
///
/// The first syntax error, with the expected text.
pub fn parse(text: &str) -> Result<Shader, ParseError> {
    let mut cursor = Cursor::new(text);
    let processor = header(&mut cursor)?;
    let mut shader = Shader {
        processor,
        properties: Vec::new(),
        declarations: Vec::new(),
        immediates: Vec::new(),
        instructions: Vec::new(),
    };
    loop {
        cursor.skip();
        if cursor.is_done() {
            return Ok(shader);
        }
        statement(&mut cursor, &mut shader)?;
    }
}

/// Whether a text looks like a shader: it begins with the name of a processor, followed by a statement or the
/// end.
pub fn is_tgsi(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    if header(&mut cursor).is_err() {
        return false;
    }
    cursor.skip();
    let word = cursor.peek_word();
    cursor.is_done()
        || ["DCL", "IMM", "PROPERTY"].iter().any(|name| word.eq_ignore_ascii_case(name))
        || instruction::begins(&cursor)
}

fn header(cursor: &mut Cursor<'_>) -> Result<Processor, ParseError> {
    let expected = "`VERT`, `FRAG`, `GEOM`, `TESS_CTRL`, `TESS_EVAL` or `COMP`";
    let read = |word: &str| {
        // Dumps of 2008 have a version after the name: `FRAG1.1`.
        Processor::from_name(word.trim_end_matches(|c: char| c.is_ascii_digit()))
    };
    let processor = cursor.word_as(read);
    let processor = processor.ok_or_else(|| cursor.unexpected(expected))?;
    if cursor.peek() == Some(b'.') {
        cursor.expect(b'.')?;
        cursor.unsigned("a version")?;
    }
    Ok(processor)
}

fn statement(cursor: &mut Cursor<'_>, shader: &mut Shader) -> Result<(), ParseError> {
    let word = cursor.peek_word();
    if word.eq_ignore_ascii_case("DCL") {
        let place = cursor.place();
        cursor.word();
        shader.declarations.push(declaration::read(cursor, shader.processor, place)?);
    } else if word.eq_ignore_ascii_case("IMM") {
        let place = cursor.place();
        cursor.word();
        shader.immediates.push(immediate::read(cursor, shader.immediates.len(), place)?);
    } else if word.eq_ignore_ascii_case("PROPERTY") {
        cursor.word();
        shader.properties.push(property(cursor)?);
    } else {
        shader.instructions.push(instruction::read(cursor)?);
    }
    Ok(())
}

fn property(cursor: &mut Cursor<'_>) -> Result<Property, ParseError> {
    cursor.skip();
    let place = cursor.place();
    let Some(name) = cursor.word_as(PropertyName::from_name) else {
        return Err(cursor.unexpected("the name of a property"));
    };
    let mut values = vec![property_value(cursor, name)?];
    while cursor.eat(b',') {
        values.push(property_value(cursor, name)?);
    }
    Ok(Property { name, values, place })
}

fn property_value(cursor: &mut Cursor<'_>, property: PropertyName) -> Result<u32, ParseError> {
    let names = property.value_names().unwrap_or_default();
    let named =
        |word: &str| names.iter().position(|name| name.eq_ignore_ascii_case(word)).map(|at| at as u32);
    if let Some(value) = cursor.word_as(named) {
        return Ok(value);
    }
    let expected = match names.is_empty() {
        true => "a number".to_owned(),
        false => format!("`{}`", names.join("`, `")),
    };
    if cursor.eat(b'-') {
        return Ok(cursor.unsigned("a number")?.wrapping_neg());
    }
    cursor.unsigned(&expected)
}
