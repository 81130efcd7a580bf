//! Checks that the SPIR-V examples of error codes cause their errors.

use std::fmt::Write as _;
use std::str::FromStr as _;

use super::{assemble, run};
use crate::error::{CODES, Example};

/// Ids that examples use in addition to those of the prelude.
const DECLARATIONS: &str = "
    TypeVector %vec4 %float 4
    ConstantTrue %bool %true
    Constant %float %number 1.5
    ConstantComposite %vec2 %vector2 %number %number
    ConstantComposite %vec3 %vector3 %number %number %number
    ConstantComposite %vec4 %vector4 %number %number %number %number
";

/// A line of SPIR-V assembly in the order of its words.
fn in_word_order(line: &str) -> String {
    let (result, instruction) = match line.split_once(" = ") {
        Some((result, instruction)) => (Some(result.trim()), instruction),
        None => (None, line),
    };
    let mut tokens = instruction.split_whitespace();
    let opcode = tokens.next().expect("an opcode").strip_prefix("Op").expect("opcodes begin with Op");
    let mut words: Vec<String> = tokens.map(token).collect();
    let is_typed = !opcode.starts_with("Type") && !matches!(opcode, "Label" | "ExtInstImport");
    if let Some(result) = result {
        words.insert(usize::from(is_typed).min(words.len()), result.to_owned());
    }
    [vec![opcode.to_owned()], words].concat().join(" ")
}

/// An operand: `%uint_7` is a constant of the prelude; the name of an enumerant is its number.
fn token(text: &str) -> String {
    let number = spirv::ExecutionMode::from_str(text).map(|found| found as u32);
    let number = number.or_else(|()| spirv::Capability::from_str(text).map(|found| found as u32));
    let number = number.or_else(|()| spirv::AddressingModel::from_str(text).map(|found| found as u32));
    let number = number.or_else(|()| spirv::MemoryModel::from_str(text).map(|found| found as u32));
    let number = number.or_else(|()| spirv::StorageClass::from_str(text).map(|found| found as u32));
    match (number, text.strip_prefix("%uint_")) {
        (_, Some(constant)) => format!("#{constant}"),
        (Ok(number), _) => number.to_string(),
        _ => text.to_owned(),
    }
}

/// The module around an example.
fn module(declarations: &str, body: &str) -> String {
    let lines = |text: &str| text.lines().map(in_word_order).collect::<Vec<_>>().join("\n");
    let body = lines(body);
    format!(
        "{DECLARATIONS}{}\nFunction %void %main 0 %thunk\nLabel %entry\n{body}\nFunctionEnd",
        lines(declarations)
    )
}

#[test]
fn examples_lead_to_their_errors() {
    let mut wrong = String::new();
    let mut count = 0;
    for row in CODES.iter().flat_map(|rows| rows.iter()) {
        let Example::Spirv { declarations, body } = row.example else { continue };
        count += 1;
        let text = module(declarations, body);
        assert!(!assemble(&text).is_empty());
        let found = match run(&text, &[0; 4]) {
            Ok(_) => "no error".to_owned(),
            Err(error) if error.code() == row.code => continue,
            Err(error) => format!("AGX{}: {error}", error.code()),
        };
        writeln!(wrong, "AGX{}: {declarations}{body}\n    gives {found}", row.code).expect("a string");
    }
    assert!(count > 60 && wrong.is_empty(), "{count} examples\n{wrong}");
}
