//! A line of `conformance/pica-unit.jsonl`: a PICA200 vertex program, its inputs and its first output.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A test as the file has it. Words are hexadecimal text.
#[derive(Clone, Debug, Deserialize)]
pub struct Test {
    /// What is tested; not unique.
    pub case: String,
    /// Program words.
    pub code: Vec<String>,
    /// Operand descriptors.
    pub opdesc: Vec<String>,
    /// Float uniforms by number, as f32 bits.
    pub uniforms: BTreeMap<String, Vec<String>>,
    /// Boolean uniforms.
    pub bools: Vec<u8>,
    /// Integer uniforms.
    pub ints: Vec<[u8; 4]>,
    /// Vertex inputs, as f32 bits.
    pub v: Vec<Vec<String>>,
    /// Expected first output, as f32 bits.
    pub o0: Vec<String>,
    /// Expected address registers and loop counter.
    pub a: Vec<i32>,
    /// Expected condition codes.
    pub cc: Vec<u8>,
}
