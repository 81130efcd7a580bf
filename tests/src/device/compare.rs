//! Comparison of results as bytes, floats, pixels of a format, depth.

use super::cases::Case;

/// The elements of a result: type, and tolerance relative to the larger of 1 and the value.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Element {
    U8,
    U16,
    F16,
    F32,
    /// Fields of a 32-bit word, lowest first, in bits.
    Packed(&'static [u32]),
    /// Fields of a 16-bit word.
    Packed16(&'static [u32]),
}

impl Element {
    fn bytes(self) -> usize {
        match self {
            Element::U8 => 1,
            Element::U16 | Element::F16 | Element::Packed16(_) => 2,
            Element::F32 | Element::Packed(_) => 4,
        }
    }

    /// The values of an element.
    fn values(self, bytes: &[u8]) -> Vec<f64> {
        let word = bytes.iter().rev().fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
        let parts = |bits: &[u32]| {
            let mut shift = 0;
            let mut values = Vec::new();
            for count in bits {
                values.push(f64::from(word >> shift & ((1 << count) - 1)));
                shift += count;
            }
            values
        };
        match self {
            Element::U8 | Element::U16 => vec![f64::from(word)],
            Element::F16 => vec![half::f16::from_bits(word as u16).to_f64()],
            Element::F32 => vec![f64::from(f32::from_bits(word))],
            Element::Packed(bits) | Element::Packed16(bits) => parts(bits),
        }
    }
}

/// Tolerance of values, and the percentage of elements that may exceed it: edges of primitives may be rasterised
/// differently.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Rule {
    element: Element,
    tolerance: f64,
    percent: f64,
}

/// Pixels of a format.
fn pixels(format: &str) -> Rule {
    let rule = |element, tolerance| Rule { element, tolerance, percent: 1.0 };
    match format {
        "r16" | "rg16" | "rgba16" | "r16snorm" | "rg16snorm" | "rgba16snorm" => rule(Element::U16, 260.0),
        "r16f" | "rg16f" | "rgba16f" => rule(Element::F16, 4e-3),
        "r32f" | "rg32f" | "rgba32f" | "d32" => rule(Element::F32, 2e-3),
        "rgb10a2" => rule(Element::Packed(&[10, 10, 10, 2]), 4.0),
        "rg11b10f" => rule(Element::Packed(&[11, 11, 10]), 2.0),
        "r5g6b5" => rule(Element::Packed16(&[5, 6, 5]), 1.0),
        "a1r5g5b5" => rule(Element::Packed16(&[5, 5, 5, 1]), 1.0),
        _ => rule(Element::U8, 1.0),
    }
}

/// The rules of a case for the parts of its result: length in bytes and rule.
fn rules(case: &Case, len: usize) -> Vec<(usize, Rule)> {
    let words: Vec<&str> = case.compare.iter().map(String::as_str).collect();
    let number = |at: usize| words.get(at).and_then(|word: &&str| word.parse::<f64>().ok()).unwrap_or(0.0);
    let [width, height] = case.numbers("size", [32, 32]);
    let colour = 4 * width * height;
    let target = case.words("target").and_then(|words| words.first().map(|word| (*word).to_owned()));
    let all = |rule: Rule| vec![(len, rule)];
    match words.first().copied() {
        Some("bytes") => all(Rule { element: Element::U8, tolerance: number(1), percent: 0.0 }),
        Some("f32") => all(Rule { element: Element::F32, tolerance: number(1), percent: 0.0 }),
        Some("pixels") => {
            let percent = 100.0 * number(2) / len.max(1) as f64;
            all(Rule { element: Element::U8, tolerance: number(1), percent })
        }
        Some("half-pixels") => {
            let percent = 200.0 * number(1) / len.max(1) as f64;
            all(Rule { element: Element::F16, tolerance: 1e-2, percent })
        }
        Some("texels") => {
            let format = words.get(1).copied().unwrap_or_default();
            all(Rule { tolerance: number(2), percent: 0.0, ..pixels(format) })
        }
        Some("target") => all(pixels(&target.unwrap_or_default())),
        Some("depth") => {
            let format = case.words("depth").and_then(|words| words.first().map(|word| (*word).to_owned()));
            let depth = match format.as_deref() {
                Some("d16") => {
                    (2 * width * height, Rule { element: Element::U16, tolerance: 2.0, percent: 2.0 })
                }
                _ => (colour, Rule { element: Element::F32, tolerance: 1e-5, percent: 2.0 }),
            };
            let rest = len.saturating_sub(colour + depth.0);
            let colours = Rule { percent: 2.0, ..pixels("rgba8") };
            vec![(colour, colours), depth, (rest, Rule { tolerance: 0.0, percent: 2.0, ..pixels("s8") })]
        }
        Some("query") => {
            let colours = Rule { percent: 2.0, tolerance: 3.0, ..pixels("rgba8") };
            vec![(len.saturating_sub(16), colours), (16, Rule { tolerance: 12.0, ..pixels("s8") })]
        }
        Some("captured") => {
            let exact = Rule { element: Element::U8, tolerance: 0.0, percent: 0.0 };
            vec![(colour, pixels("rgba8")), (len.saturating_sub(colour), exact)]
        }
        _ if case.words("kind") == Some(vec!["draw"]) => all(pixels("rgba8")),
        _ => all(Rule { element: Element::U8, tolerance: 0.0, percent: 0.0 }),
    }
}

/// Compares two results; the error describes the difference.
///
/// # Errors
/// One sentence: the lengths differ, or the first element that exceeds the tolerance and the number of such elements.
pub fn compare(case: &Case, expected: &[u8], found: &[u8]) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!("{} bytes; expected {}", found.len(), expected.len()));
    }
    let mut start = 0;
    for (len, rule) in rules(case, expected.len()) {
        let end = (start + len).min(expected.len());
        check(rule, start, &expected[start..end], &found[start..end])?;
        start = end;
    }
    Ok(())
}

fn check(rule: Rule, start: usize, expected: &[u8], found: &[u8]) -> Result<(), String> {
    let size = rule.element.bytes();
    let mut wrong = Vec::new();
    for (at, (expected, found)) in expected.chunks(size).zip(found.chunks(size)).enumerate() {
        let (a, b) = (rule.element.values(expected), rule.element.values(found));
        let near = |(a, b): (&f64, &f64)| {
            let scale =
                if matches!(rule.element, Element::F16 | Element::F32) { a.abs().max(1.0) } else { 1.0 };
            (a - b).abs() <= rule.tolerance * scale || (a.is_nan() && b.is_nan()) || a == b
        };
        if !a.iter().zip(&b).all(near) {
            wrong.push((at, a, b));
        }
    }
    let count = expected.len() / size;
    if (wrong.len() as f64) <= rule.percent / 100.0 * count as f64 {
        return Ok(());
    }
    let Some((at, expected, found)) = wrong.first() else { return Ok(()) };
    let place = start + at * size;
    Err(format!(
        "{} of {count} elements differ, first at byte {place}: {found:?}; expected {expected:?}",
        wrong.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(lines: &[&str], compare: &[&str]) -> Case {
        let strings = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Case { name: "a".into(), lines: strings(lines), shaders: Vec::new(), compare: strings(compare) }
    }

    #[test]
    fn compute_is_exact_and_draws_may_differ_by_one() {
        let (compute, draw) = (case(&["kind compute"], &[]), case(&["kind draw"], &[]));
        assert_eq!(compare(&compute, &[1, 2], &[1, 2]), Ok(()));
        assert!(compare(&compute, &[1, 2], &[1, 3]).is_err());
        assert_eq!(compare(&draw, &[1, 2], &[1, 3]), Ok(()));
        assert!(compare(&draw, &[1, 2], &[1, 4]).is_err());
        assert!(compare(&draw, &[1], &[1, 4]).is_err());
    }

    #[test]
    fn what_is_captured_is_exact_after_the_target() {
        let captured = case(&["kind draw", "size 1 1"], &["captured"]);
        assert_eq!(compare(&captured, &[1, 2, 3, 4, 9], &[1, 2, 3, 5, 9]), Ok(()));
        assert!(compare(&captured, &[1, 2, 3, 4, 9], &[1, 2, 3, 4, 8]).is_err());
    }

    #[test]
    fn floats_and_depth_have_rules_of_their_own() {
        let float = case(&[], &["f32", "1e-3"]);
        let bytes = |value: f32| value.to_le_bytes();
        assert_eq!(compare(&float, &bytes(2.0), &bytes(2.001)), Ok(()));
        assert!(compare(&float, &bytes(2.0), &bytes(2.01)).is_err());
        assert_eq!(compare(&float, &bytes(f32::NAN), &bytes(f32::NAN)), Ok(()));
        let depth = case(&["kind draw", "size 1 1", "depth d32 less write"], &["depth"]);
        let result = |value: f32| [vec![9; 4], bytes(value).to_vec()].concat();
        assert_eq!(compare(&depth, &result(0.5), &result(0.500_001)), Ok(()));
        assert!(compare(&depth, &result(0.5), &result(0.6)).is_err());
    }
}
