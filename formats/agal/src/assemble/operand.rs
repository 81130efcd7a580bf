//! Operands of assembler text.

use super::AssembleError;
use super::line::Line;
use crate::program::Stage;
use crate::register::{FILES, RegisterFile};
use crate::sampler::{FLAGS, SAMPLER_WORDS};
use crate::token::{DestinationWord, IDENTITY, SamplerField, SourceWord};

/// A parsed register name.
struct Register<'t> {
    file: RegisterFile,
    number: u16,
    /// The text after the name, from `[` or `.` on.
    rest: &'t str,
}

fn register<'t>(line: &Line<'_>, text: &'t str, stage: Stage) -> Result<Register<'t>, AssembleError> {
    let letters = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(letters).unwrap_or((text, ""));
    let lower = name.to_ascii_lowercase();
    let file = file(&lower, stage).ok_or_else(|| line.error_at(text, unknown(name, &lower, stage)))?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, rest) = rest.split_at_checked(digits).unwrap_or((rest, ""));
    let number = if number.is_empty() { Ok(0) } else { number.parse() };
    let number = number.map_err(|_| line.error_at(text, "register numbers end at 65535"))?;
    Ok(Register { file, number, rest })
}

fn file(name: &str, stage: Stage) -> Option<RegisterFile> {
    let row = FILES.iter().find(|row| {
        let prefix = row.file.prefix(stage);
        let alias = row.aliases.contains(&name) && alias_fits(name, stage);
        !prefix.is_empty() && (prefix == name || alias)
    });
    row.map(|row| row.file)
}

/// Whether an alias is allowed in `stage`: aliases that begin like registers of the other stage belong to
/// that stage.
fn alias_fits(name: &str, stage: Stage) -> bool {
    match stage {
        Stage::Vertex => !matches!(name, "fo" | "fi"),
        Stage::Fragment => name != "vo",
    }
}

fn unknown(name: &str, lower: &str, stage: Stage) -> String {
    let other = if stage == Stage::Vertex { Stage::Fragment } else { Stage::Vertex };
    match file(lower, other) {
        Some(file) => {
            let file = file.row().name;
            format!(
                "`{name}` is the {file} file of {} programs; this is a {} program",
                other.name(),
                stage.name()
            )
        }
        None => format!("unknown register `{name}`"),
    }
}

/// Component of a letter.
fn component(letter: char) -> Option<u8> {
    let places = ["xr", "yg", "zb", "wa"];
    places.iter().position(|place| place.contains(letter.to_ascii_lowercase())).map(|place| place as u8)
}

/// The one to four components after a point. As in Adobe's assembler, the first other letter ends them, as
/// does the fourth component, and the letters after them are skipped: real shaders have `.xytz`, `.wwwww`
/// and the like. A letter with which a register's name begins is not skipped, because there Adobe's assembler
/// finds another operand.
fn components(line: &Line<'_>, text: &str) -> Result<Vec<u8>, AssembleError> {
    let letters = text.strip_prefix('.').unwrap_or("");
    let found: Vec<u8> = letters.chars().map_while(component).take(4).collect();
    let mut rest = letters.chars().skip(found.len());
    let skipped = rest.all(|letter| letter.is_ascii_alphabetic() && !begins_register(letter));
    let found = Some(found).filter(|found| skipped && !found.is_empty());
    found.ok_or_else(|| line.error_at(text, "expected `.` and one to four of `x`, `y`, `z`, `w`"))
}

/// Whether names of registers begin with a letter.
fn begins_register(letter: char) -> bool {
    "vofi".contains(letter.to_ascii_lowercase())
}

/// Whether an operand is only component names without a register (`ft1,xy`). Adobe's assembler skips these.
pub(super) fn is_stray(text: &str) -> bool {
    text.chars().all(|letter| component(letter).is_some())
}

/// A destination: a register and its write mask.
pub(super) fn destination(
    line: &Line<'_>,
    text: &str,
    stage: Stage,
) -> Result<DestinationWord, AssembleError> {
    let Register { file, number, rest } = register(line, text, stage)?;
    if rest.starts_with('[') {
        return Err(line.error_at(rest, "a destination cannot be relative"));
    }
    let mask = match rest {
        "" => 15,
        _ => components(line, rest)?.into_iter().fold(0, |mask, component| mask | 1 << component),
    };
    Ok(DestinationWord::new(file.number(), number, mask))
}

fn swizzle(line: &Line<'_>, text: &str) -> Result<u8, AssembleError> {
    if text.is_empty() {
        return Ok(IDENTITY);
    }
    let found = components(line, text)?;
    let last = found.last().copied().unwrap_or(0);
    let places = found.into_iter().chain([last; 4]).take(4).zip([0, 2, 4, 6]);
    Ok(places.fold(0, |bits, (component, shift)| bits | component << shift))
}

/// A source: a register, an optional index, and a swizzle.
pub(super) fn source(line: &Line<'_>, text: &str, stage: Stage) -> Result<SourceWord, AssembleError> {
    let Register { file, number, rest } = register(line, text, stage)?;
    let Some(inside) = rest.strip_prefix('[') else {
        return Ok(SourceWord::direct(file.number(), number, swizzle(line, rest)?));
    };
    let Some((inside, rest)) = inside.split_once(']') else {
        return Err(line.error_at(rest, "expected `]` after the index"));
    };
    let (place, offset) = inside.split_once('+').unwrap_or((inside, "0"));
    let index = register(line, place.trim(), stage)?;
    let index_component = match components(line, index.rest)?.as_slice() {
        [component] => *component,
        _ => return Err(line.error_at(index.rest, "an index is one component")),
    };
    let message = || line.error_at(offset, "an offset is a number from 0 to 255");
    let offset = offset.trim().parse::<u8>().map_err(|_| message())?;
    let index = (index.file.number(), index.number, index_component);
    Ok(SourceWord::relative(file.number(), index, offset, swizzle(line, rest)?))
}

/// A sampler with its settings.
pub(super) fn sampler(
    line: &Line<'_>,
    text: &str,
    settings: &str,
    stage: Stage,
) -> Result<SamplerField, AssembleError> {
    let Register { file, number, rest } = register(line, text, stage)?;
    if file != RegisterFile::Sampler || !rest.is_empty() {
        return Err(line.error_at(text, format!("expected a sampler register, found `{text}`")));
    }
    let mut bits = u64::from(number) | u64::from(file.number()) << 32;
    for word in settings.split([' ', ',', '\t', ';']).filter(|word| !word.is_empty()) {
        let lower = word.to_ascii_lowercase();
        match SAMPLER_WORDS.iter().find(|row| row.word == lower) {
            Some(row) => {
                let kept = if row.shift == FLAGS { bits } else { bits & !(15 << row.shift) };
                bits = kept | u64::from(row.value) << row.shift;
            }
            None => bits = bits & !(255 << 16) | u64::from(bias(line, word)?) << 16,
        }
    }
    Ok(SamplerField(bits))
}

/// A bias in eighths, as in the byte code, truncated as in Adobe's assembler.
fn bias(line: &Line<'_>, word: &str) -> Result<u8, AssembleError> {
    let number = word.parse::<f32>().ok().filter(|number| number.is_finite());
    let number = number.ok_or_else(|| line.error_at(word, unknown_setting(word)))?;
    let eighths = (number * 8.0).trunc();
    if !(-128.0..=127.0).contains(&eighths) {
        return Err(line.error_at(word, format!("bias {word} is outside −16 to 15.875")));
    }
    Ok(eighths as i8 as u8)
}

fn unknown_setting(word: &str) -> String {
    let words: Vec<&str> = SAMPLER_WORDS.iter().map(|row| row.word).collect();
    format!("unknown sampler setting `{word}`; expected a bias or one of {}", words.join(", "))
}
