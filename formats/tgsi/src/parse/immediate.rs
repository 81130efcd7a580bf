//! `IMM[0] FLT32 {0.0, 1.0, 2.0, 3.0}`.

use super::cursor::Cursor;
use crate::error::ParseError;
use crate::model::{Immediate, Place};
use crate::names::ImmediateType;

/// Parses an immediate after `IMM`; `number` is its expected index.
pub(super) fn read(cursor: &mut Cursor<'_>, number: usize, place: Place) -> Result<Immediate, ParseError> {
    if cursor.eat(b'[') {
        let expected = format!("{number}, as immediates are numbered in order");
        let before = cursor.clone();
        if cursor.unsigned(&expected)? as usize != number {
            return Err(before.unexpected(&expected));
        }
        cursor.expect(b']')?;
    }
    let kind = match cursor.word_as(ImmediateType::from_name) {
        Some(kind) => kind,
        None => {
            let ahead = cursor.clone().eat(b'{');
            if !ahead {
                return Err(cursor.unexpected("`FLT32`, `UINT32`, `INT32`, `FLT64`, `UINT64` or `INT64`"));
            }
            ImmediateType::Float32
        }
    };
    Ok(Immediate { kind, words: vector(cursor, kind)?, place })
}

/// Reads one to four words of numbers in braces.
pub(super) fn vector(cursor: &mut Cursor<'_>, kind: ImmediateType) -> Result<[u32; 4], ParseError> {
    cursor.expect(b'{')?;
    let mut words = [0; 4];
    let mut free = words.iter_mut();
    loop {
        let (low, high) = number(cursor, kind)?;
        for (part, word) in std::iter::once(low).chain(high).zip(free.by_ref()) {
            *word = part;
        }
        if free.len() > 0 && cursor.eat(b',') {
            continue;
        }
        cursor.expect(b'}')?;
        return Ok(words);
    }
}

/// Reads a number; 64-bit ones have a high word.
fn number(cursor: &mut Cursor<'_>, kind: ImmediateType) -> Result<(u32, Option<u32>), ParseError> {
    let wide = |bits: u64| (bits as u32, Some((bits >> 32) as u32));
    let mut ahead = cursor.clone();
    let text = ahead.numeral();
    let (found, expected) = match kind {
        ImmediateType::Float32 => (float32(text).map(|bits| (bits, None)), "a float"),
        ImmediateType::Uint32 | ImmediateType::Int32 => {
            let fits = |value: i128| (i128::from(i32::MIN)..=i128::from(u32::MAX)).contains(&value);
            (integer(text).filter(|value| fits(*value)).map(|value| (value as u32, None)), "a 32-bit integer")
        }
        ImmediateType::Float64 => (float64(text).map(wide), "a float"),
        ImmediateType::Uint64 | ImmediateType::Int64 => {
            let fits = |value: i128| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value);
            (integer(text).filter(|value| fits(*value)).map(|value| wide(value as u64)), "a 64-bit integer")
        }
    };
    let found = found.ok_or_else(|| cursor.unexpected(expected))?;
    *cursor = ahead;
    Ok(found)
}

/// An integer in decimal or hexadecimal digits.
fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = match hexadecimal(digits) {
        Some(bits) => i128::from(bits),
        None => i128::from(digits.parse::<u64>().ok()?),
    };
    if negative { value.checked_neg() } else { Some(value) }
}

fn hexadecimal(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    u64::from_str_radix(digits, 16).ok()
}

/// The bits of a 32-bit float; hexadecimal digits are the bits themselves.
fn float32(text: &str) -> Option<u32> {
    if let Some(bits) = hexadecimal(text) {
        return u32::try_from(bits).ok();
    }
    match special(text) {
        Some(value) => Some((value as f32).to_bits()),
        None => decimal(text)?.parse::<f32>().ok().map(f32::to_bits),
    }
}

/// The bits of a 64-bit float.
fn float64(text: &str) -> Option<u64> {
    if let Some(bits) = hexadecimal(text) {
        return Some(bits);
    }
    match special(text) {
        Some(value) => Some(value.to_bits()),
        None => decimal(text)?.parse::<f64>().ok().map(f64::to_bits),
    }
}

/// The text without an `f` at its end, if it has the form of a decimal number.
fn decimal(text: &str) -> Option<&str> {
    let text = text.strip_suffix(['f', 'F']).unwrap_or(text);
    let is_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let is_known = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    (is_digit && text.bytes().all(is_known)).then_some(text)
}

/// Infinities and NaNs as the C libraries of different systems print them.
fn special(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let (sign, name) = match lower.strip_prefix('-') {
        Some(name) => (-1.0, name),
        None => (1.0, lower.strip_prefix('+').unwrap_or(&lower)),
    };
    let windows = name.strip_prefix("1.#").map(|name| name.trim_end_matches('0'));
    match windows.unwrap_or(name) {
        "inf" | "infinity" => Some(f64::INFINITY * sign),
        "nan" | "qnan" | "ind" | "snan" => Some(f64::NAN.copysign(sign)),
        _ => None,
    }
}
