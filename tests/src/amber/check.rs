//! Compares buffers with the expectations of Amber tests.

use half::f16;
use serde_json::Number;

use super::model::{Expect, ExpectedNumber};

/// Default tolerance of floats (Amber's own rule).
const DEFAULT_TOLERANCE: f64 = 1e-6;

/// A number read from a buffer.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Found {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

/// Checks an `EQ` or `EQ_BUFFER` expectation. `other` is the second buffer of a comparison.
///
/// # Errors
/// The first difference, or an error in the expectation.
pub fn check(expect: &Expect, got: &[u8], other: Option<&[u8]>) -> Result<(), String> {
    match expect.cmp.as_str() {
        "EQ" if expect.values.is_empty() => Err("the test expects nothing".into()),
        "EQ" => expect.values.iter().enumerate().try_for_each(|(index, expected)| {
            let tolerance = expect.tolerance.get(index % expect.tolerance.len().max(1));
            check_number(&expect.buffer, expected, got, tolerance.map(String::as_str))
        }),
        "EQ_BUFFER" => check_buffer(expect, got, other.ok_or("no buffer to compare with")?),
        other => Err(format!("comparison {other} does not apply to a buffer")),
    }
}

fn check_buffer(expect: &Expect, got: &[u8], want: &[u8]) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!(
            "wrong: {} has {} bytes, {} has {}",
            expect.buffer,
            got.len(),
            expect.other,
            want.len()
        ));
    }
    match got.iter().zip(want).position(|(got, want)| got != want) {
        None => Ok(()),
        Some(at) => {
            let word = |bytes: &[u8]| crate::shared::to_hex(bytes.chunks(4).nth(at / 4).unwrap_or_default());
            Err(format!("wrong: {} byte {at}: got {}, want {}", expect.buffer, word(got), word(want)))
        }
    }
}

fn check_number(
    buffer: &str,
    expected: &ExpectedNumber,
    bytes: &[u8],
    tolerance: Option<&str>,
) -> Result<(), String> {
    let found = bytes
        .get(expected.offset..)
        .and_then(|rest| read(expected.fmt, rest))
        .ok_or_else(|| format!("{buffer} has no {} at byte {}", expected.fmt, expected.offset))?;
    let equal = match found {
        Found::Signed(found) => integer(&expected.value) == Some(i128::from(found)),
        Found::Unsigned(found) => integer(&expected.value) == Some(i128::from(found)),
        Found::Float(found) => float_matches(found, &expected.value, tolerance)?,
    };
    if equal {
        return Ok(());
    }
    let found = match found {
        Found::Signed(found) => found.to_string(),
        Found::Unsigned(found) => found.to_string(),
        Found::Float(found) => format!("{found:?}"),
    };
    Err(format!("wrong: {buffer} byte {}: got {found}, want {}", expected.offset, expected.value))
}

fn integer(number: &Number) -> Option<i128> {
    let whole = |float: f64| (float.fract() == 0.0).then_some(float as i128);
    number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from))
        .or_else(|| number.as_f64().and_then(whole))
}

fn float_matches(found: f64, expected: &Number, tolerance: Option<&str>) -> Result<bool, String> {
    let expected = expected.as_f64().ok_or("the expected value is not a number")?;
    let allowed = match tolerance {
        None => DEFAULT_TOLERANCE,
        Some(text) => {
            let number =
                |text: &str| text.parse::<f64>().map_err(|_| format!("expected a tolerance, found {text}"));
            match text.strip_suffix('%') {
                Some(percent) => number(percent)? / 100.0 * expected.abs(),
                None => number(text)?,
            }
        }
    };
    Ok(found == expected || (found - expected).abs() <= allowed)
}

/// Reads a number of the format letter `fmt`.
fn read(fmt: char, bytes: &[u8]) -> Option<Found> {
    Some(match fmt {
        'b' => Found::Signed(i8::from_le_bytes(*bytes.first_chunk()?).into()),
        'h' => Found::Signed(i16::from_le_bytes(*bytes.first_chunk()?).into()),
        'i' => Found::Signed(i32::from_le_bytes(*bytes.first_chunk()?).into()),
        'q' => Found::Signed(i64::from_le_bytes(*bytes.first_chunk()?)),
        'B' => Found::Unsigned(u8::from_le_bytes(*bytes.first_chunk()?).into()),
        'H' => Found::Unsigned(u16::from_le_bytes(*bytes.first_chunk()?).into()),
        'I' => Found::Unsigned(u32::from_le_bytes(*bytes.first_chunk()?).into()),
        'Q' => Found::Unsigned(u64::from_le_bytes(*bytes.first_chunk()?)),
        'e' => Found::Float(f16::from_le_bytes(*bytes.first_chunk()?).to_f64()),
        'f' => Found::Float(f32::from_le_bytes(*bytes.first_chunk()?).into()),
        'd' => Found::Float(f64::from_le_bytes(*bytes.first_chunk()?)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expect(json: &str) -> Expect {
        serde_json::from_str(json).expect("an expectation")
    }

    #[test]
    fn integers_are_exact() {
        let expectation = expect(
            r#"{"buffer":"b","cmp":"EQ","values":[{"offset":1,"fmt":"b","value":-1},
                {"offset":2,"fmt":"H","value":65535}]}"#,
        );
        assert_eq!(check(&expectation, &[0, 255, 255, 255], None), Ok(()));
        let error = check(&expectation, &[0, 254, 255, 255], None).expect_err("differs");
        assert_eq!(error, "wrong: b byte 1: got -2, want -1");
        assert!(check(&expectation, &[0, 255, 255], None).is_err(), "short buffer");
        let wide = expect(
            r#"{"buffer":"b","cmp":"EQ","values":[{"offset":0,"fmt":"Q","value":18446744073709551615}]}"#,
        );
        assert_eq!(check(&wide, &[255; 8], None), Ok(()));
        assert!(check(&wide, &[255, 255, 255, 255, 255, 255, 255, 127], None).is_err());
    }

    #[test]
    fn floats_have_tolerances() {
        let with = |tolerance: &str| {
            expect(&format!(
                r#"{{"buffer":"b","cmp":"EQ","tolerance":{tolerance},"values":[{{"offset":0,"fmt":"f","value":2.0}}]}}"#
            ))
        };
        let bytes = |value: f32| value.to_le_bytes();
        assert!(check(&with("[]"), &bytes(2.000_000_5), None).is_ok());
        assert!(check(&with("[]"), &bytes(2.000_1), None).is_err());
        assert!(check(&with(r#"[".5"]"#), &bytes(2.4), None).is_ok());
        assert!(check(&with(r#"["10%"]"#), &bytes(2.19), None).is_ok());
        assert!(check(&with(r#"["10%"]"#), &bytes(2.21), None).is_err());
        assert!(check(&with(r#"["9"]"#), &bytes(f32::NAN), None).is_err());
        assert!(check(&with(r#"["?"]"#), &bytes(3.0), None).is_err());
    }

    #[test]
    fn buffers_are_compared_whole() {
        let expectation = expect(r#"{"buffer":"a","cmp":"EQ_BUFFER","other":"b"}"#);
        assert!(check(&expectation, &[1, 2], Some(&[1, 2])).is_ok());
        assert!(check(&expectation, &[1, 2], Some(&[1, 3])).is_err());
        assert!(check(&expectation, &[1, 2], Some(&[1])).is_err());
        assert!(check(&expectation, &[1, 2], None).is_err());
        assert!(check(&expect(r#"{"buffer":"a","cmp":"EQ"}"#), &[1], None).is_err(), "expects nothing");
        assert!(check(&expect(r#"{"buffer":"a","cmp":"EQ_RGBA"}"#), &[1], None).is_err());
    }
}
