//! Numbers of `run:` lines: parsing literals, and comparing bits with them.
//!
//! A literal with a point, an exponent, `inf` or `nan` is a float of 32 bits, any other an integer of 32 bits; the
//! suffixes `f16`, `f64`, `i8`, `i16` and `i64` name other types. `0x` is hexadecimal, `true` and `false` are 1 and 0.

use half::f16;

/// The bits of `literal`, zero-extended; `None` if it is invalid.
pub fn bits(literal: &str) -> Option<u64> {
    let (number, width) = split_suffix(literal);
    match (number, width) {
        ("true", _) => Some(1),
        ("false", _) => Some(0),
        (number, Width::Float(bits)) => {
            let value: f64 = number.parse().ok()?;
            Some(match bits {
                16 => u64::from(f16::from_f64(value).to_bits()),
                32 => u64::from(number.parse::<f32>().ok()?.to_bits()),
                _ => value.to_bits(),
            })
        }
        (number, Width::Integer(bits)) => {
            let magnitude = number.strip_prefix('-').unwrap_or(number);
            let value = match magnitude.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok()?,
                None => magnitude.parse::<u64>().ok()?,
            };
            let value = if number.starts_with('-') { value.wrapping_neg() } else { value };
            Some(value & (u64::MAX >> (64 - bits)))
        }
    }
}

/// Whether `got` equals `literal`; all NaNs are equal.
pub fn matches(literal: &str, got: u64) -> bool {
    let (number, width) = split_suffix(literal);
    if !number.ends_with("nan") {
        return bits(literal) == Some(got);
    }
    match width {
        Width::Float(16) => f16::from_bits(got as u16).is_nan(),
        Width::Float(64) => f64::from_bits(got).is_nan(),
        _ => f32::from_bits(got as u32).is_nan(),
    }
}

/// Type of a literal, with its number of bits.
enum Width {
    Float(u32),
    Integer(u32),
}

fn split_suffix(literal: &str) -> (&str, Width) {
    let is_hexadecimal = literal.trim_start_matches('-').starts_with("0x");
    let suffixes = [
        ("f16", Width::Float(16)),
        ("f64", Width::Float(64)),
        ("i8", Width::Integer(8)),
        ("i16", Width::Integer(16)),
        ("i64", Width::Integer(64)),
    ];
    for (suffix, width) in suffixes {
        if let Some(number) = literal.strip_suffix(suffix)
            && !(is_hexadecimal && matches!(width, Width::Float(_)))
        {
            return (number, width);
        }
    }
    let is_float = !is_hexadecimal
        && (literal.contains(['.', 'e']) || literal.ends_with("inf") || literal.ends_with("nan"));
    let is_float = is_float && !matches!(literal, "true" | "false");
    (literal, if is_float { Width::Float(32) } else { Width::Integer(32) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_every_type() {
        let table: [(&str, Option<u64>); 18] = [
            ("1.0", Some(0x3f80_0000)),
            ("-0.0", Some(0x8000_0000)),
            ("1e3", Some(0x447a_0000)),
            ("inf", Some(0x7f80_0000)),
            ("1.5f16", Some(0x3e00)),
            ("1f64", Some(0x3ff0_0000_0000_0000)),
            ("7", Some(7)),
            ("-1", Some(0xffff_ffff)),
            ("-1i8", Some(0xff)),
            ("-1i16", Some(0xffff)),
            ("-1i64", Some(u64::MAX)),
            ("0xff", Some(0xff)),
            ("0x1f16", Some(0x1f16)),
            ("0xe0", Some(0xe0)),
            ("true", Some(1)),
            ("false", Some(0)),
            ("x", None),
            ("", None),
        ];
        for (literal, expected) in table {
            assert_eq!(bits(literal), expected, "{literal}");
        }
    }

    #[test]
    fn nans_match_nans_only() {
        assert!(matches("nan", 0x7fc0_0001) && !matches("nan", 0x7f80_0000));
        assert!(matches("nanf16", 0x7e00) && !matches("nanf16", 0x7c00));
        assert!(matches("1.0", 0x3f80_0000) && !matches("1.0", 0x3f80_0001));
    }
}
