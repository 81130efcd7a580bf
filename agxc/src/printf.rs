//! The records that `printf` of a kernel left in its buffer, as text.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_abi::KernelInfo;
use agx_abi::kernel::{PRINTF_HEADER_BYTES, PrintfFormat};

/// Maximum width and precision: more is a mistake of the program.
const MOST_DIGITS: usize = 4096;

/// A conversion of a format.
#[derive(Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    /// Number of components of a vector.
    components: usize,
    /// Bits of an integer, as the length says.
    bits: u32,
    letter: u8,
}

/// The text of all records, in the order in which they took room.
pub fn text(kernel: &KernelInfo, constants: &[u8], buffer: &[u8]) -> Vec<u8> {
    let word = |at: usize| {
        let bytes = buffer.get(at..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let used = word(0).unwrap_or(0) as usize;
    let end = used.saturating_add(PRINTF_HEADER_BYTES as usize).min(buffer.len());
    let mut at = PRINTF_HEADER_BYTES as usize;
    let mut out = Vec::new();
    while at < end {
        let Some(format) = word(at).and_then(|number| kernel.formats.get(number as usize)) else { break };
        let bytes: usize = format.sizes.iter().map(|size| usize::from(*size)).sum();
        let start = at.saturating_add(4);
        at = start.saturating_add(bytes);
        let Some(values) = buffer.get(start..at).filter(|_| at <= end) else { break };
        record(format, constants, values, &mut out);
    }
    if used > buffer.len().saturating_sub(PRINTF_HEADER_BYTES as usize) {
        out.extend_from_slice(b"\n(the buffer of printf is full: the rest is missing)\n");
    }
    out
}

/// The values of a record.
struct Values<'v> {
    sizes: std::slice::Iter<'v, u8>,
    bytes: &'v [u8],
}

impl Values<'_> {
    /// The next value and its bytes; zeros after the last one.
    fn next(&mut self) -> (u64, usize) {
        let size = self.sizes.next().map_or(4, |size| usize::from(*size)).min(8);
        let (now, later) = self.bytes.split_at_checked(size).unwrap_or((&[], &[]));
        self.bytes = later;
        let value = now.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        (value, size)
    }
}

fn record(format: &PrintfFormat, constants: &[u8], bytes: &[u8], out: &mut Vec<u8>) {
    let mut values = Values { sizes: format.sizes.iter(), bytes };
    let mut rest = format.text.as_slice();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            out.push(*first);
            continue;
        }
        let (conversion, after) = conversion(rest);
        rest = after;
        if conversion.letter == b'%' {
            out.push(b'%');
            continue;
        }
        for component in 0..conversion.components.max(1) {
            if component > 0 {
                out.push(b',');
            }
            let (value, size) = values.next();
            let text = converted(&conversion, (value, size), constants);
            pad(&conversion, text, out);
        }
    }
}

/// Reads digits.
fn number(text: &[u8]) -> (Option<usize>, &[u8]) {
    let digits = text.iter().take_while(|letter| letter.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(digits).unwrap_or((&[], text));
    let number = digits.iter().fold(0usize, |number, digit| {
        number.saturating_mul(10).saturating_add(usize::from(digit.saturating_sub(b'0')))
    });
    ((!digits.is_empty()).then_some(number.min(MOST_DIGITS)), rest)
}

/// Reads a conversion after its percent sign.
fn conversion(text: &[u8]) -> (Conversion, &[u8]) {
    let mut result = Conversion { bits: 32, ..Conversion::default() };
    let mut rest = text;
    while let [flag @ (b'-' | b'+' | b' ' | b'#' | b'0'), after @ ..] = rest {
        match flag {
            b'-' => result.left = true,
            b'+' => result.plus = true,
            b' ' => result.space = true,
            b'#' => result.alternate = true,
            _ => result.zeros = true,
        }
        rest = after;
    }
    let width;
    (width, rest) = number(rest);
    result.width = width.unwrap_or(0);
    if let [b'.', after @ ..] = rest {
        let precision;
        (precision, rest) = number(after);
        result.precision = Some(precision.unwrap_or(0));
    }
    if let [b'v', after @ ..] = rest {
        let components;
        (components, rest) = number(after);
        result.components = components.unwrap_or(1).min(16);
    }
    (result.bits, rest) = match rest {
        [b'h', b'h', after @ ..] => (8, after),
        [b'h', b'l', after @ ..] => (32, after),
        [b'h', after @ ..] => (16, after),
        [b'l', b'l', after @ ..] | [b'l' | b'j' | b'z' | b't', after @ ..] => (64, after),
        _ => (32, rest),
    };
    if let [letter, after @ ..] = rest {
        result.letter = *letter;
        rest = after;
    }
    (result, rest)
}

/// A value as text without padding: sign or prefix, and digits.
fn converted(conversion: &Conversion, (value, size): (u64, usize), constants: &[u8]) -> (String, Vec<u8>) {
    // A vector's components have the size that their length says; a scalar may be wider than its length.
    let bits = if size == 8 { 64 } else { conversion.bits.min(32) };
    match conversion.letter {
        b'd' | b'i' => {
            let shift = 64u32.saturating_sub(bits);
            let signed = ((value << shift) as i64) >> shift;
            (sign(conversion, signed < 0), digits(conversion, signed.unsigned_abs().to_string()))
        }
        b'u' => (String::new(), digits(conversion, masked(value, bits).to_string())),
        b'o' => (String::new(), digits(conversion, format!("{:o}", masked(value, bits)))),
        b'x' => (prefix(conversion, "0x"), digits(conversion, format!("{:x}", masked(value, bits)))),
        b'X' => (prefix(conversion, "0X"), digits(conversion, format!("{:X}", masked(value, bits)))),
        b'p' => ("0x".to_owned(), format!("{value:x}").into_bytes()),
        b'c' => (String::new(), vec![value as u8]),
        b's' => {
            let text = constants.get(value as usize..).unwrap_or(&[]).iter().copied();
            let text = text.take_while(|byte| *byte != 0);
            (String::new(), text.take(conversion.precision.unwrap_or(usize::MAX)).collect())
        }
        _ => float(
            conversion,
            if size == 8 { f64::from_bits(value) } else { f32::from_bits(value as u32).into() },
        ),
    }
}

fn masked(value: u64, bits: u32) -> u64 {
    value & (u64::MAX >> 64u32.saturating_sub(bits))
}

fn prefix(conversion: &Conversion, text: &str) -> String {
    if conversion.alternate { text.to_owned() } else { String::new() }
}

fn sign(conversion: &Conversion, is_negative: bool) -> String {
    let sign = match (is_negative, conversion.plus, conversion.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (.., true) => " ",
        _ => "",
    };
    sign.to_owned()
}

/// The digits of an integer, at least as many as the precision says.
fn digits(conversion: &Conversion, text: String) -> Vec<u8> {
    let least = conversion.precision.unwrap_or(1);
    format!("{text:0>least$}").into_bytes()
}

fn float(conversion: &Conversion, value: f64) -> (String, Vec<u8>) {
    let sign = sign(conversion, value.is_sign_negative() && !value.is_nan());
    let value = value.abs();
    let precision = conversion.precision.unwrap_or(6);
    let lower = conversion.letter.to_ascii_lowercase();
    let text = if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        "inf".to_owned()
    } else {
        match lower {
            b'e' => exponential(value, precision),
            b'g' => general(value, precision.max(1), conversion.alternate),
            b'a' => hexadecimal(value),
            _ => format!("{value:.precision$}"),
        }
    };
    let text = if conversion.letter.is_ascii_uppercase() { text.to_uppercase() } else { text };
    (sign, text.into_bytes())
}

/// A float with an exponent of at least two digits.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{mantissa}e{sign}{exponent:0>2}")
}

/// The shorter one of both forms, without zeros at the end.
fn general(value: f64, precision: usize, keeps: bool) -> String {
    let text = exponential(value, precision.saturating_sub(1));
    let exponent: i64 = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') && !keeps {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= precision as i64 {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let after = usize::try_from((precision as i64).saturating_sub(1).saturating_sub(exponent)).unwrap_or(0);
    trimmed(&format!("{value:.after$}"))
}

/// A float by its hexadecimal digits.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (exponent, mantissa) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
    let digits = format!("{mantissa:013x}");
    let digits = digits.trim_end_matches('0');
    let (first, exponent) = match exponent {
        0 if mantissa == 0 => (0, 0),
        0 => (0, -1022),
        exponent => (1, exponent.saturating_sub(1023)),
    };
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{first}{point}{digits}p{exponent:+}")
}

/// Appends a value with spaces or zeros to its width.
fn pad(conversion: &Conversion, (prefix, digits): (String, Vec<u8>), out: &mut Vec<u8>) {
    let missing = conversion.width.saturating_sub(prefix.len().saturating_add(digits.len()));
    let is_number = !matches!(conversion.letter, b's' | b'c' | b'p');
    let is_finite = digits.last().is_some_and(u8::is_ascii_hexdigit);
    let is_integer = matches!(conversion.letter, b'd' | b'i' | b'u' | b'o' | b'x' | b'X');
    let is_exact = is_integer && conversion.precision.is_some();
    let zeros = conversion.zeros && !conversion.left && is_number && is_finite && !is_exact;
    let fill = |out: &mut Vec<u8>, byte: u8| out.extend(std::iter::repeat_n(byte, missing));
    if !conversion.left && !zeros {
        fill(out, b' ');
    }
    out.extend_from_slice(prefix.as_bytes());
    if zeros {
        fill(out, b'0');
    }
    out.extend_from_slice(&digits);
    if conversion.left {
        fill(out, b' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a format prints of values with their sizes.
    fn print(format: &str, values: &[(u64, u8)]) -> String {
        let sizes = values.iter().map(|(_, size)| *size).collect();
        let format = PrintfFormat { text: format.as_bytes().to_vec(), sizes };
        let mut record = vec![0, 0, 0, 0];
        for (value, size) in values {
            record.extend_from_slice(&value.to_le_bytes()[..usize::from(*size)]);
        }
        let mut buffer = (record.len() as u32).to_le_bytes().to_vec();
        buffer.extend_from_slice(&64u32.to_le_bytes());
        buffer.extend_from_slice(&record);
        let kernel = KernelInfo { formats: vec![format], ..KernelInfo::default() };
        String::from_utf8(text(&kernel, b"one\0two\0", &buffer)).expect("a text")
    }

    #[test]
    fn conversions_are_those_of_c() {
        let float = |x: f64| (x.to_bits(), 8);
        let word = |x: i32| (u64::from(x as u32), 4);
        assert_eq!(
            print("%d %5d|%-5d|%05d %+d", &[word(-7), word(7), word(7), word(-7), word(7)]),
            "-7     7|7    |-0007 +7"
        );
        assert_eq!(
            print("%u %x %#X %o", &[word(-1), word(255), word(255), word(8)]),
            "4294967295 ff 0XFF 10"
        );
        assert_eq!(print("%ld %hhd", &[(u64::MAX, 8), word(0x1ff)]), "-1 -1");
        assert_eq!(print("%f %.2f %8.3f", &[float(1.5), float(-2.0), float(0.1)]), "1.500000 -2.00    0.100");
        assert_eq!(
            print("%e %g %g %g", &[float(12345.678), float(0.0001), float(1e10), float(100.0)]),
            "1.234568e+04 0.0001 1e+10 100"
        );
        assert_eq!(print("%s=%c%%", &[word(4), word(65)]), "two=A%");
        assert_eq!(print("%v4d", &[word(1), word(-2), word(3), word(4)]), "1,-2,3,4");
        assert_eq!(print("%v2hlf %a", &[float(0.5), float(1.0), float(0.5)]), "0.500000,1.000000 0x1p-1");
        assert_eq!(print("%f %F", &[float(f64::NAN), float(f64::INFINITY)]), "nan INF");
    }

    #[test]
    fn broken_buffers_end_the_text() {
        let kernel = KernelInfo::default();
        assert!(
            text(&kernel, &[], &[]).is_empty()
                && text(&kernel, &[], &[9, 0, 0, 0, 0, 0, 0, 0, 1, 0]).len() < 80
        );
    }
}
