//! `DCL IN[0].xy, GENERIC[3], PERSPECTIVE, CENTROID`.

use super::cursor::Cursor;
use super::immediate;
use super::instruction::format_name;
use super::operand;
use crate::error::ParseError;
use crate::model::{Declaration, Detail, Interpolate, Place, Range, Semantic};
use crate::names::{
    File, ImmediateType, Interpolation, Location, MemoryKind, Processor, ReturnType, SemanticName, Target,
};

/// Maximum length of an immediate array.
const MAX_VALUES: u32 = 1 << 16;

/// Parses a declaration after `DCL`.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    processor: Processor,
    place: Place,
) -> Result<Declaration, ParseError> {
    let file = operand::file(cursor)?;
    let mut declaration = Declaration::plain(file, 0, 0);
    declaration.place = place;
    brackets(cursor, processor, &mut declaration)?;
    declaration.mask = operand::mask(cursor)?;
    declaration.detail = detail(file);
    while cursor.eat(b',') {
        if !attribute(cursor, &mut declaration)? {
            return Err(cursor.unexpected(expected(file)));
        }
    }
    if file == File::ImmediateArray {
        declaration.detail = Detail::Values(values(cursor, declaration.range)?);
    }
    Ok(declaration)
}

/// The default attributes of a file.
fn detail(file: File) -> Detail {
    match file {
        File::Image | File::Resource => Detail::Image {
            target: Target::Unknown,
            format: String::new(),
            is_writable: false,
            is_raw: false,
        },
        File::SamplerView => Detail::View { target: Target::Unknown, returns: [ReturnType::Float; 4] },
        File::Buffer => Detail::Buffer { is_atomic: false },
        File::Memory => Detail::Memory(MemoryKind::Global),
        _ => Detail::None,
    }
}

fn expected(file: File) -> &'static str {
    match file {
        File::Image | File::Resource => "a texture target, a format, `WR` or `RAW`",
        File::SamplerView => "a texture target or a return type",
        File::Buffer => "`ATOMIC`",
        File::Memory => "`GLOBAL`, `SHARED`, `PRIVATE` or `INPUT`",
        _ => "`ARRAY`, `LOCAL`, a semantic, an interpolation or `INVARIANT`",
    }
}

/// `[0]`, `[0..3]`, `[][0]`, `[1][0..31]`.
fn brackets(
    cursor: &mut Cursor<'_>,
    processor: Processor,
    declaration: &mut Declaration,
) -> Result<(), ParseError> {
    let first = bracket(cursor)?;
    if !cursor.clone().eat(b'[') {
        declaration.per_vertex = false;
        declaration.range = first.ok_or_else(|| cursor.unexpected("a second `[`"))?;
        return Ok(());
    }
    let before = cursor.clone();
    declaration.range = bracket(cursor)?.ok_or_else(|| before.unexpected("a range of registers"))?;
    let is_arrayed = match processor {
        Processor::Geometry | Processor::TessEval => declaration.file == File::Input,
        Processor::TessControl => matches!(declaration.file, File::Input | File::Output),
        _ => false,
    };
    declaration.per_vertex = first.is_none() || is_arrayed;
    if !declaration.per_vertex {
        declaration.dimension = first.map(|range| range.first);
    }
    Ok(())
}

/// A range in brackets; none if they are empty.
fn bracket(cursor: &mut Cursor<'_>) -> Result<Option<Range>, ParseError> {
    cursor.expect(b'[')?;
    if cursor.eat(b']') {
        return Ok(None);
    }
    let first = cursor.unsigned("a register number")?;
    let mut range = Range { first, last: first };
    if cursor.eat(b'.') {
        cursor.expect(b'.')?;
        range.last = cursor.unsigned("the last register number")?;
    }
    cursor.expect(b']')?;
    Ok(Some(range))
}

/// Parses one attribute; returns false if the file does not have the attribute that follows.
fn attribute(cursor: &mut Cursor<'_>, declaration: &mut Declaration) -> Result<bool, ParseError> {
    if is_word(cursor, "ARRAY") {
        cursor.expect(b'(')?;
        declaration.array = Some(cursor.unsigned("the number of an array")?);
        cursor.expect(b')')?;
        return Ok(true);
    }
    let known = match &mut declaration.detail {
        Detail::Image { target, format, is_writable, is_raw } => {
            image_attribute(cursor, (target, format, is_writable, is_raw))
        }
        Detail::View { target, returns } => view_attribute(cursor, target, returns)?,
        Detail::Buffer { is_atomic } => {
            let known = is_word(cursor, "ATOMIC");
            *is_atomic |= known;
            known
        }
        Detail::Memory(kind) => match cursor.word_as(MemoryKind::from_name) {
            Some(found) => {
                *kind = found;
                true
            }
            None => false,
        },
        Detail::None | Detail::Values(_) => return register_attribute(cursor, declaration),
    };
    Ok(known)
}

fn is_word(cursor: &mut Cursor<'_>, word: &str) -> bool {
    cursor.word_as(|found| found.eq_ignore_ascii_case(word).then_some(())).is_some()
}

fn image_attribute(
    cursor: &mut Cursor<'_>,
    (target, format, is_writable, is_raw): (&mut Target, &mut String, &mut bool, &mut bool),
) -> bool {
    if is_word(cursor, "WR") {
        *is_writable = true;
    } else if is_word(cursor, "RAW") {
        *is_raw = true;
    } else if let Some(found) = cursor.word_as(Target::from_name) {
        *target = found;
    } else if let Some(found) = cursor.word_as(format_name) {
        *format = found;
    } else {
        // The resources of 2012 have return types like views.
        return cursor.word_as(ReturnType::from_name).is_some();
    }
    true
}

fn view_attribute(
    cursor: &mut Cursor<'_>,
    target: &mut Target,
    returns: &mut [ReturnType; 4],
) -> Result<bool, ParseError> {
    if let Some(found) = cursor.word_as(Target::from_name) {
        *target = found;
        return Ok(true);
    }
    let Some(first) = cursor.word_as(ReturnType::from_name) else { return Ok(false) };
    *returns = [first; 4];
    for component in returns.iter_mut().skip(1) {
        let mut ahead = cursor.clone();
        if !ahead.eat(b',') {
            return Ok(true);
        }
        let found = ahead.word_as(ReturnType::from_name);
        *component = found.ok_or_else(|| ahead.unexpected("a return type"))?;
        *cursor = ahead;
    }
    Ok(true)
}

/// An attribute of inputs, outputs, system values, temporaries and the like.
fn register_attribute(cursor: &mut Cursor<'_>, declaration: &mut Declaration) -> Result<bool, ParseError> {
    let mut interpolate = declaration.interpolate.unwrap_or(Interpolate {
        mode: Interpolation::Constant,
        location: Location::Center,
        cylindrical_wrap: 0,
    });
    if is_word(cursor, "LOCAL") {
        declaration.is_local = true;
    } else if is_word(cursor, "INVARIANT") {
        declaration.is_invariant = true;
    } else if is_word(cursor, "STREAM") {
        return streams(cursor, declaration);
    } else if let Some(name) = semantic(cursor, declaration) {
        let index = subscript(cursor)?;
        declaration.semantic = Some(Semantic { name, index, streams: [0; 4] });
    } else if let Some(mode) = cursor.word_as(Interpolation::from_name) {
        interpolate.mode = mode;
        declaration.interpolate = Some(interpolate);
    } else if let Some(location) = cursor.word_as(Location::from_name) {
        interpolate.location = location;
        declaration.interpolate = Some(interpolate);
    } else if let Some(wrap) = cursor.word_as(cylindrical) {
        interpolate.cylindrical_wrap = wrap;
        declaration.interpolate = Some(interpolate);
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// A semantic, unless the declaration already has one: `COLOR` is also an interpolation.
fn semantic(cursor: &mut Cursor<'_>, declaration: &Declaration) -> Option<SemanticName> {
    if declaration.semantic.is_some() { None } else { cursor.word_as(SemanticName::from_name) }
}

fn subscript(cursor: &mut Cursor<'_>) -> Result<u32, ParseError> {
    if !cursor.eat(b'[') {
        return Ok(0);
    }
    let index = cursor.unsigned("the index of a semantic")?;
    cursor.expect(b']')?;
    Ok(index)
}

/// `CYLWRAP_XY`.
fn cylindrical(word: &str) -> Option<u8> {
    let upper = word.to_ascii_uppercase();
    let letters = upper.strip_prefix("CYLWRAP_")?;
    letters.bytes().try_fold(0, |mask, letter| {
        let component = b"XYZW".iter().position(|known| *known == letter)?;
        Some(mask | 1 << component)
    })
}

/// `STREAM(0, 0, 0, 0)`.
fn streams(cursor: &mut Cursor<'_>, declaration: &mut Declaration) -> Result<bool, ParseError> {
    cursor.expect(b'(')?;
    let mut streams = [0; 4];
    for (number, stream) in streams.iter_mut().enumerate() {
        if number > 0 {
            cursor.expect(b',')?;
        }
        let before = cursor.clone();
        let value = cursor.unsigned("a vertex stream from 0 to 3")?;
        let value = u8::try_from(value).ok().filter(|stream| *stream < 4);
        *stream = value.ok_or_else(|| before.unexpected("a vertex stream from 0 to 3"))?;
    }
    cursor.expect(b')')?;
    if let Some(semantic) = &mut declaration.semantic {
        semantic.streams = streams;
    }
    Ok(declaration.semantic.is_some())
}

/// The vectors of an immediate array: one vector in braces per register, all inside braces.
fn values(cursor: &mut Cursor<'_>, range: Range) -> Result<Vec<[u32; 4]>, ParseError> {
    let count = range.last.checked_sub(range.first).filter(|count| *count < MAX_VALUES);
    let count = count.ok_or_else(|| cursor.unexpected("a range of at most 65536 registers"))?;
    cursor.expect(b'{')?;
    let mut values = Vec::new();
    for number in 0..=count {
        if number > 0 {
            cursor.eat(b',');
        }
        values.push(immediate::vector(cursor, ImmediateType::Float32)?);
    }
    cursor.expect(b'}')?;
    Ok(values)
}
