//! A line of `conformance/webgpu.jsonl`: WGSL source, buffers, expectations.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use super::expectation::Expectation;
use super::value::ValueType;
use crate::shared::from_hex;

/// Byte with which output buffers are filled before the run, so that a result that was never stored is not mistaken for
/// 0.
const UNWRITTEN: u8 = 0xcd;

/// A test in the file's form.
#[derive(Clone, Debug, Deserialize)]
pub struct Test {
    /// Name, unique in the file.
    pub name: String,
    /// Source.
    pub wgsl: String,
    /// Inputs and expected outputs.
    #[serde(flatten)]
    pub body: Body,
}

/// The two forms of tests.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Body {
    /// One expression over many cases: inputs at binding 1, outputs at binding 0.
    Cases(Cases),
    /// Statements: buffers by binding.
    Raw(Raw),
}

/// One expression over many cases.
#[derive(Clone, Debug, Deserialize)]
pub struct Cases {
    /// Type of a result.
    pub result_type: String,
    /// `storage_r` if the shader reads the inputs from a buffer.
    pub input_source: String,
    /// Bytes from one result to the next.
    pub output_stride: usize,
    /// Number of cases.
    pub cases: usize,
    /// The input buffer.
    pub input_hex: String,
    /// Accepted results, one per case.
    pub expected: Vec<Json>,
}

/// Buffers before and after the run; all keys are bindings of group 0.
#[derive(Clone, Debug, Deserialize)]
pub struct Raw {
    /// Words of the buffers before the run.
    pub buffers: BTreeMap<String, Vec<u32>>,
    /// First words of buffers after the run.
    #[serde(default)]
    pub expect: BTreeMap<String, Vec<i64>>,
    /// First bytes of buffers after the run.
    #[serde(default)]
    pub expect_hex: BTreeMap<String, String>,
}

impl Cases {
    /// The buffers by binding: outputs, and inputs if the shader reads them from a buffer.
    ///
    /// # Errors
    /// A sentence about an error in the test data.
    pub fn buffers(&self) -> Result<Vec<(u32, Vec<u8>, bool)>, String> {
        let mut buffers = vec![(0, vec![UNWRITTEN; self.output_stride * self.cases], true)];
        if self.input_source != "const" {
            let input = from_hex(&self.input_hex).ok_or("input_hex is not hexadecimal text")?;
            buffers.push((1, input, false));
        }
        Ok(buffers)
    }

    /// Checks the output buffer.
    ///
    /// # Errors
    /// The first case whose result is not accepted, and the number of such cases.
    pub fn check(&self, output: &[u8]) -> Result<(), String> {
        let result_type = ValueType::parse(&self.result_type)
            .ok_or_else(|| format!("result type {} is of unknown form", self.result_type))?;
        if self.expected.len() != self.cases {
            return Err(format!("{} cases, but {} expectations", self.cases, self.expected.len()));
        }
        let mut wrong = 0;
        let mut first = None;
        for (case, expected) in self.expected.iter().enumerate() {
            let accepted = Expectation::parse(expected)?;
            let bytes = output.get(case * self.output_stride..).unwrap_or_default();
            let got = result_type.decode(bytes).ok_or("the output buffer is too short")?;
            if !accepted.accepts(&got) {
                wrong += 1;
                first.get_or_insert_with(|| format!("case {case}: got {got}, want {expected}"));
            }
        }
        first.map_or(Ok(()), |first| Err(format!("wrong: {wrong} of {} cases; {first}", self.cases)))
    }
}

impl Raw {
    /// The buffers by binding.
    ///
    /// # Errors
    /// A sentence about an error in the test data.
    pub fn buffers(&self) -> Result<Vec<(u32, Vec<u8>, bool)>, String> {
        let buffer = |(binding, words): (&String, &Vec<u32>)| {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            Ok((binding.parse().map_err(|_| format!("expected a binding, found {binding}"))?, bytes, true))
        };
        self.buffers.iter().map(buffer).collect()
    }

    /// Checks the buffers after the run.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, buffers: &[(u32, Vec<u8>)]) -> Result<(), String> {
        let mut expectations = Vec::new();
        for (binding, words) in &self.expect {
            // Negative words are i32 values; the low half of the i64 is the word in both cases.
            let bytes: Vec<u8> = words.iter().flat_map(|word| (*word as u32).to_le_bytes()).collect();
            expectations.push((binding, bytes));
        }
        for (binding, text) in &self.expect_hex {
            expectations.push((binding, from_hex(text).ok_or("expect_hex is not hexadecimal text")?));
        }
        if expectations.is_empty() {
            return Err("the test expects nothing".into());
        }
        for (binding, expected) in expectations {
            let (_, got) = buffers
                .iter()
                .find(|(number, _)| number.to_string() == *binding)
                .ok_or_else(|| format!("no buffer at binding {binding}"))?;
            if let Some(at) = (0..expected.len()).find(|at| got.get(*at) != expected.get(*at)) {
                let word = |bytes: &[u8]| {
                    bytes
                        .get(at / 4 * 4..)
                        .and_then(|rest| rest.first_chunk())
                        .map(|w| u32::from_le_bytes(*w))
                };
                let (got, want) = (word(got), word(&expected));
                return Err(format!("wrong: binding {binding}, word {}: got {got:?}, want {want:?}", at / 4));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Test {
        serde_json::from_str(json).expect("a test")
    }

    #[test]
    fn cases_are_checked_one_by_one() {
        let test = parse(
            r#"{"name":"n","wgsl":"","result_type":"u32","input_source":"storage_r","output_stride":4,"cases":2,
                "input_hex":"0001","expected":[{"t":"u32","v":[1]},{"t":"u32","v":[2]}]}"#,
        );
        let Body::Cases(cases) = test.body else { panic!("cases expected") };
        assert_eq!(cases.buffers(), Ok(vec![(0, vec![UNWRITTEN; 8], true), (1, vec![0, 1], false)]));
        assert_eq!(cases.check(&[1, 0, 0, 0, 2, 0, 0, 0]), Ok(()));
        let error = cases.check(&[1, 0, 0, 0, 3, 0, 0, 0]).expect_err("the second is wrong");
        assert!(error.starts_with("wrong: 1 of 2 cases; case 1: got 3.0"), "{error}");
        assert!(cases.check(&[1, 0, 0, 0]).is_err(), "short output");
    }

    #[test]
    fn raw_buffers_are_compared_as_prefixes() {
        let test = parse(
            r#"{"name":"n","wgsl":"","kind":"raw","buffers":{"0":[5],"1":[0,0,0]},"expect":{"1":[4294967295]},
                "expect_hex":{"0":"0500"}}"#,
        );
        let Body::Raw(raw) = test.body else { panic!("raw expected") };
        assert_eq!(raw.buffers().expect("well-formed").len(), 2);
        let after = |first: u8| [(0, vec![5, 0, 0, 0]), (1, vec![first, 255, 255, 255, 9])];
        assert_eq!(raw.check(&after(255)), Ok(()));
        let error = raw.check(&after(254)).expect_err("a word differs");
        assert_eq!(error, "wrong: binding 1, word 0: got Some(4294967294), want Some(4294967295)");
        assert!(raw.check(&[(0, vec![5, 0])]).is_err(), "no buffer at binding 1");
        let nothing = Raw { buffers: BTreeMap::new(), expect: BTreeMap::new(), expect_hex: BTreeMap::new() };
        assert!(nothing.check(&[]).is_err(), "a test that expects nothing cannot pass");
    }
}
