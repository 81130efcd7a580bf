//! A line of `conformance/shaderlib.jsonl`: GLSL source, rows of input words, rows of expected words.

use serde::Deserialize;

/// The suite's tolerance for floats, relative and absolute.
pub const UPSTREAM_TOLERANCE: f32 = 0.05;

/// The tolerance that a precise 32-bit implementation meets, relative and absolute.
pub const TIGHT_TOLERANCE: f32 = 1e-5;

/// A test in the file's form.
#[derive(Clone, Debug, Deserialize)]
pub struct Test {
    /// Name, unique in the file.
    pub name: String,
    /// Source: an ES 3.1 compute shader.
    pub glsl: String,
    /// Number of rows, each a workgroup.
    pub rows: u32,
    /// Words of output in a row.
    pub out_words: usize,
    /// Kind of each word of output: `f`, `i`, `u` or `b`.
    pub out_kinds: String,
    /// Input words by row.
    pub inw: Vec<Vec<u32>>,
    /// Expected output words by row.
    pub expected_words: Vec<Vec<u32>>,
}

impl Test {
    /// The input buffer (set 0, binding 0). At least one word: an empty buffer cannot be bound.
    pub fn input(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.inw.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        bytes.resize(bytes.len().max(4), 0);
        bytes
    }

    /// The output buffer before the run (set 0, binding 1). It is filled with a pattern, so that a shader that writes
    /// nothing does not pass if zero is expected.
    pub fn output(&self) -> Vec<u8> {
        vec![0xcd; self.rows as usize * self.out_words * 4]
    }

    /// Checks the output buffer; floats may be off by `tolerance·|expected| + tolerance`.
    ///
    /// # Errors
    /// The first wrong word.
    pub fn check(&self, output: &[u8], tolerance: f32) -> Result<(), String> {
        let expected = self.expected_words.iter().flatten();
        if self.out_kinds.len() != self.out_words || expected.clone().count() * 4 != output.len() {
            return Err("the test's expectations do not fit its output".into());
        }
        let kinds = self.out_kinds.chars().cycle();
        let got = output.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        for (index, ((expected, got), kind)) in expected.zip(got).zip(kinds).enumerate() {
            if !word_matches(kind, got, *expected, tolerance) {
                let (row, word) = (index / self.out_words, index % self.out_words);
                let (got, want) = (word_text(kind, got), word_text(kind, *expected));
                return Err(format!("wrong: row {row}, word {word}: got {got}, want {want}"));
            }
        }
        Ok(())
    }
}

fn word_matches(kind: char, got: u32, expected: u32, tolerance: f32) -> bool {
    if got == expected {
        return true;
    }
    let (got, expected) = (f64::from(f32::from_bits(got)), f64::from(f32::from_bits(expected)));
    let tolerance = f64::from(tolerance);
    let close = expected.is_finite() && (got - expected).abs() <= tolerance * expected.abs() + tolerance;
    kind == 'f' && (got == expected || close)
}

fn word_text(kind: char, word: u32) -> String {
    match kind {
        'f' => format!("{:?}", f32::from_bits(word)),
        'i' => word.cast_signed().to_string(),
        _ => word.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn test() -> Test {
        serde_json::from_str(
            r#"{"name":"n","glsl":"","rows":2,"in_words":1,"out_words":2,"out_kinds":"fi","inw":[[1],[2]],
                "expected_words":[[1065353216,5],[0,4294967295]]}"#,
        )
        .expect("a test")
    }

    #[test]
    fn both_tolerances() {
        let test = test();
        let close = |value: f32| words(&[value.to_bits(), 5, 0, u32::MAX]);
        assert_eq!(test.input(), [1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(test.check(&close(1.0), TIGHT_TOLERANCE), Ok(()));
        assert_eq!(test.check(&close(1.09), UPSTREAM_TOLERANCE), Ok(()));
        assert!(test.check(&close(1.09), TIGHT_TOLERANCE).is_err());
        let error = test.check(&close(1.2), UPSTREAM_TOLERANCE).expect_err("too far off");
        assert_eq!(error, "wrong: row 0, word 0: got 1.2, want 1.0");
    }

    #[test]
    fn wrong_words_fail() {
        let test = test();
        let nan = words(&[f32::NAN.to_bits(), 5, 0, u32::MAX]);
        assert!(test.check(&nan, UPSTREAM_TOLERANCE).is_err());
        let off_by_one = words(&[1f32.to_bits(), 6, 0, u32::MAX]);
        assert!(test.check(&off_by_one, UPSTREAM_TOLERANCE).is_err(), "integers have no tolerance");
        assert!(test.check(&test.output(), UPSTREAM_TOLERANCE).is_err(), "nothing written");
        assert!(test.check(&[], UPSTREAM_TOLERANCE).is_err(), "short output");
        let (one, infinity) = (1f32.to_bits(), f32::INFINITY.to_bits());
        assert!(!word_matches('f', one, infinity, UPSTREAM_TOLERANCE), "nothing finite is near infinity");
        assert!(word_matches('f', 0x8000_0000, 0, TIGHT_TOLERANCE), "zeros are equal");
    }
}
