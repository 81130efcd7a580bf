//! Modules written as text, one instruction per line in word order, compiled and run by the IR interpreter.

mod control;
mod conversions;
mod errors;
mod examples;
mod float_controls;
mod fragment;
mod kernels;
mod limits;
mod lines;
mod memory;
mod mesh;
mod mismatched;
mod relaxed;
mod values;
mod widths;

use agx_abi::UniformSource;
use bumpalo::Bump;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use spirv::Op;

use super::{SPIRV, read, words};
use crate::CompileKey;
use crate::error::CompileError;
use crate::ir::interpret::{FlatMemory, Limits, interpret};

/// Address of the data buffer.
const BASE: u64 = 0x1_0000_0000;

/// The prelude of modules: buffer %data of words at (0, 0), pointers into it of type %ptr, and common types.
const PRELUDE: &str = "
    Capability 1
    ExtInstImport %glsl 'GLSL.std.450'
    MemoryModel 0 1
    EntryPoint 5 %main 'main'
    ExecutionMode %main 17 1 1 1
    Decorate %words 6 4
    Decorate %block 2
    MemberDecorate %block 0 35 0
    Decorate %data 34 0
    Decorate %data 33 0
    TypeVoid %void
    TypeBool %bool
    TypeInt %uint 32 0
    TypeFloat %float 32
    TypeVector %uvec2 %uint 2
    TypeVector %vec2 %float 2
    TypeVector %vec3 %float 3
    TypeFunction %thunk %void
    TypeRuntimeArray %words %uint
    TypeStruct %block %words
    TypePointer %blocks 12 %block
    TypePointer %ptr 12 %uint
    TypePointer %local 7 %uint
    Variable %blocks %data 12
";

/// Assembles a module. Tokens are ids (`%name`), strings in single quotes, numbers, floats with a point; `#n`
/// is the constant n, declared after the prelude.
pub(super) fn assemble(text: &str) -> Vec<u8> {
    assemble_with(PRELUDE, text)
}

/// The same with another prelude, which must declare %uint.
pub(super) fn assemble_with(prelude: &str, text: &str) -> Vec<u8> {
    let ops = (0..7000).filter_map(Op::from_u32).map(|op| (words::name(op), op)).collect();
    let mut assembler = Assembler { ops, ..Assembler::default() };
    let constants: Vec<u32> = {
        let mut list: Vec<u32> =
            text.split_whitespace().filter_map(|token| token.strip_prefix('#')?.parse().ok()).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    assembler.lines(prelude);
    for constant in constants {
        assembler.line(&format!("Constant %uint #{constant} {constant}"));
    }
    assembler.lines(text);
    assembler.finish()
}

#[derive(Default)]
struct Assembler {
    ops: HashMap<String, Op, FxBuildHasher>,
    words: Vec<u32>,
    ids: HashMap<String, u32, FxBuildHasher>,
}

impl Assembler {
    fn lines(&mut self, text: &str) {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).for_each(|line| self.line(line));
    }

    fn line(&mut self, line: &str) {
        let mut tokens = line.split_whitespace();
        let name = format!("Op{}", tokens.next().expect("a line has an opcode"));
        let op = *self.ops.get(name.as_str()).unwrap_or_else(|| panic!("there is no {name}"));
        let mut operands = Vec::new();
        for token in tokens {
            self.token(token, &mut operands);
        }
        self.words.push((operands.len() as u32 + 1) << 16 | op as u32);
        self.words.extend(operands);
    }

    fn token(&mut self, token: &str, operands: &mut Vec<u32>) {
        if token.starts_with(['%', '#']) {
            let next = self.ids.len() as u32 + 1;
            operands.push(*self.ids.entry(token.to_string()).or_insert(next));
        } else if let Some(text) = token.strip_prefix('\'') {
            let mut bytes = text.trim_end_matches('\'').as_bytes().to_vec();
            bytes.resize(bytes.len() / 4 * 4 + 4, 0);
            operands
                .extend(bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))));
        } else if token.contains('.') {
            operands.push(token.parse::<f32>().expect("a float").to_bits());
        } else {
            operands.push(token.parse::<i64>().expect("a number") as u32);
        }
    }

    fn finish(self) -> Vec<u8> {
        let header = [spirv::MAGIC_NUMBER, 0x0001_0500, 0, self.ids.len() as u32 + 1, 0];
        header.iter().chain(&self.words).flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// The text of a module whose entry point has this body; declarations come before it.
fn with_body(declarations: &str, body: &str) -> String {
    format!("{declarations}\nFunction %void %main 0 %thunk\nLabel %entry\n{body}\nFunctionEnd")
}

/// Runs a module on a buffer of words and returns the words afterwards.
fn run(text: &str, data: &[u32]) -> Result<Vec<u32>, CompileError> {
    run_with(text, data, &CompileKey::default())
}

/// The same with a key.
fn run_with(text: &str, data: &[u32], key: &CompileKey) -> Result<Vec<u32>, CompileError> {
    let bump = Bump::new();
    let (f, info) = read(&bump, &assemble(text), key, SPIRV)?;
    let problems = crate::ir::validate(&f, crate::ir::Stage::Source);
    assert!(problems.is_ok(), "{problems:?}\n{f}");
    let mut uniforms = vec![0u16; 512];
    for range in &info.uniforms {
        let value = match range.source {
            UniformSource::BufferAddress { .. } => BASE,
            UniformSource::BufferSize { .. } => data.len() as u64 * 4,
            _ => 0,
        };
        for half in 0..range.halves.min(4) {
            uniforms[usize::from(range.start + half)] = (value >> (16 * half)) as u16;
        }
    }
    let device = data.iter().flat_map(|word| word.to_le_bytes()).collect();
    let scratch = vec![0; info.scratch_bytes as usize];
    let local = vec![0; info.local_bytes as usize];
    let mut memory = FlatMemory { base: BASE, device, local, scratch, special: Vec::new() };
    let outcome = interpret(&f, &[], &uniforms, &mut memory, Limits::default());
    assert!(outcome.is_ok(), "{outcome:?}\n{f}");
    Ok(memory.device.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect())
}

/// Runs the body of an entry point and checks the buffer afterwards.
#[track_caller]
fn check(declarations: &str, body: &str, data: &[u32], expected: &[u32]) {
    let result = run(&with_body(declarations, body), data);
    assert_eq!(result.as_deref(), Ok(expected), "{body}");
}
