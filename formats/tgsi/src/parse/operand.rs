//! Registers in instructions: `TEMP[ADDR[0].x+2](1).xy`, `-|CONST[1][3].wzyx|`.

use super::cursor::Cursor;
use crate::error::ParseError;
use crate::model::{ALL_COMPONENTS, Dst, IDENTITY, Index, Indirect, Offset, Predicate, Src};
use crate::names::File;

/// The letters of components, in both naming schemes.
const LETTERS: [&[u8]; 2] = [b"xyzw", b"rgba"];

/// Parses a destination.
pub(super) fn destination(cursor: &mut Cursor<'_>) -> Result<Dst, ParseError> {
    cursor.skip();
    let place = cursor.place();
    let file = file(cursor)?;
    let (dimension, index) = indices(cursor)?;
    Ok(Dst { file, dimension, index, mask: mask(cursor)?, place })
}

/// Parses a source.
pub(super) fn source(cursor: &mut Cursor<'_>) -> Result<Src, ParseError> {
    cursor.skip();
    let place = cursor.place();
    let negate = sign(cursor);
    let absolute = cursor.eat(b'|');
    if absolute {
        // A sign inside the bars has no effect.
        sign(cursor);
    }
    let file = file(cursor)?;
    let (dimension, index) = indices(cursor)?;
    let mut components = swizzle(cursor)?;
    if absolute {
        cursor.expect(b'|')?;
        if components.is_none() {
            components = swizzle(cursor)?;
        }
    }
    Ok(Src { file, dimension, index, swizzle: components.unwrap_or(IDENTITY), negate, absolute, place })
}

/// Whether a source follows.
pub(super) fn is_source(cursor: &Cursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    ahead.eat(b'-');
    ahead.eat(b'|');
    ahead.word_as(File::from_name).is_some() && ahead.eat(b'[')
}

/// Parses an offset of a texture coordinate.
pub(super) fn offset(cursor: &mut Cursor<'_>) -> Result<Offset, ParseError> {
    let Src { file, index, swizzle: [x, y, z, _], .. } = source(cursor)?;
    Ok(Offset { file, index: index.offset, swizzle: [x, y, z] })
}

/// Parses the contents of a predicate's parentheses: `!PRED[0].xxxx`.
pub(super) fn predicate(cursor: &mut Cursor<'_>) -> Result<Predicate, ParseError> {
    let negate = cursor.eat(b'!');
    let error = cursor.unexpected("`PRED`");
    let register = source(cursor)?;
    if register.file != File::Predicate {
        return Err(error);
    }
    cursor.expect(b')')?;
    Ok(Predicate { index: register.index.offset.unsigned_abs(), swizzle: register.swizzle, negate })
}

/// Parses a write mask; all components if there is none.
pub(super) fn mask(cursor: &mut Cursor<'_>) -> Result<u8, ParseError> {
    let Some(letters) = letters(cursor)? else { return Ok(ALL_COMPONENTS) };
    Ok(letters.iter().fold(0, |mask, component| mask | 1 << component))
}

/// Parses the name of a register file.
pub(super) fn file(cursor: &mut Cursor<'_>) -> Result<File, ParseError> {
    let found = cursor.word_as(File::from_name);
    found.ok_or_else(|| cursor.unexpected("a register file (`IN`, `OUT`, `TEMP`, `CONST`, `IMM`, …)"))
}

fn sign(cursor: &mut Cursor<'_>) -> bool {
    let negative = cursor.eat(b'-');
    if !negative {
        cursor.eat(b'+');
    }
    negative
}

/// One or two indices in brackets; the first of two is the dimension.
fn indices(cursor: &mut Cursor<'_>) -> Result<(Option<Index>, Index), ParseError> {
    let first = index(cursor)?;
    if cursor.clone().eat(b'[') {
        return Ok((Some(first), index(cursor)?));
    }
    Ok((None, first))
}

/// `[2]`, `[ADDR[0].x]`, `[ADDR[0].x+2](1)`.
fn index(cursor: &mut Cursor<'_>) -> Result<Index, ParseError> {
    cursor.expect(b'[')?;
    let mut index = Index::fixed(0);
    if cursor.clone().word_as(File::from_name).is_some() {
        index.indirect = Some(indirect(cursor)?);
        if cursor.clone().eat(b'+') || cursor.clone().eat(b'-') {
            index.offset = integer(cursor)?;
        }
    } else {
        index.offset = integer(cursor)?;
        if cursor.eat(b'+') {
            index.indirect = Some(indirect(cursor)?);
        }
    }
    cursor.expect(b']')?;
    if cursor.peek() == Some(b'(') {
        cursor.expect(b'(')?;
        index.array = cursor.unsigned("the number of an array")?;
        cursor.expect(b')')?;
    }
    Ok(index)
}

fn indirect(cursor: &mut Cursor<'_>) -> Result<Indirect, ParseError> {
    let file = file(cursor)?;
    cursor.expect(b'[')?;
    let index = integer(cursor)?;
    cursor.expect(b']')?;
    let before = cursor.clone();
    let component = match letters(cursor)?.as_deref() {
        None => 0,
        Some([component]) => *component,
        // Some writers repeat the component.
        Some([component, rest @ ..]) if rest.iter().all(|other| other == component) => *component,
        Some(_) => return Err(before.unexpected("a component (`x`, `y`, `z` or `w`)")),
    };
    Ok(Indirect { file, index, component })
}

/// A signed number of 16 bits, as in the binary form.
fn integer(cursor: &mut Cursor<'_>) -> Result<i32, ParseError> {
    let before = cursor.clone();
    let negative = sign(cursor);
    let number = cursor.unsigned("a register number")?;
    let number = i32::try_from(number).ok().filter(|number| *number < 1 << 15);
    let signed = number.and_then(|number| if negative { number.checked_neg() } else { Some(number) });
    signed.ok_or_else(|| before.unexpected("a register number below 32768"))
}

fn swizzle(cursor: &mut Cursor<'_>) -> Result<Option<[u8; 4]>, ParseError> {
    let Some(letters) = letters(cursor)? else { return Ok(None) };
    let last = letters.last().copied().unwrap_or(0);
    let mut swizzle = [last; 4];
    for (component, letter) in swizzle.iter_mut().zip(letters) {
        *component = letter;
    }
    Ok(Some(swizzle))
}

/// A point followed by one to four component letters.
fn letters(cursor: &mut Cursor<'_>) -> Result<Option<Vec<u8>>, ParseError> {
    if !cursor.eat(b'.') {
        return Ok(None);
    }
    let before = cursor.clone();
    let word = cursor.word();
    let find = |set: &[u8]| -> Option<Vec<u8>> {
        let position = |byte: u8| set.iter().position(|letter| *letter == byte.to_ascii_lowercase());
        word.bytes().map(|byte| position(byte).map(|at| at as u8)).collect()
    };
    let found = LETTERS.iter().find_map(|set| find(set)).filter(|found| (1..=4).contains(&found.len()));
    found.map(Some).ok_or_else(|| before.unexpected("one to four components of `xyzw`"))
}
