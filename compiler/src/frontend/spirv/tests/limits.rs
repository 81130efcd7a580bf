//! Beyond the documented limits: a clean error that names the limit.

use std::fmt::Write;

use bumpalo::Bump;

use super::super::globals::MAX_LOCAL_BYTES;
use super::super::memory::MAX_SELECTED;
use super::super::translate::{MAX_CALL_DEPTH, MAX_INSTRUCTIONS, MAX_NESTING};
use super::super::types::{MAX_LEAVES, MAX_TYPE_DEPTH};
use super::super::variables::MAX_CONSTANT_BYTES;
use super::super::words::{MAX_ID_BOUND, MAX_MODULE_WORDS};
use super::super::{Dialect, MAX_PUSH_CONSTANT_BYTES, MAX_SCRATCH_BYTES, read};
use super::{assemble, with_body};
use crate::CompileKey;
use crate::error::{CompileError, ErrorKind};

const DOCUMENT: &str = include_str!("../../../../../docs/spirv.md");

fn compile(module: &[u8]) -> Result<(), CompileError> {
    read(&Bump::new(), module, &CompileKey::default(), Dialect::default()).map(|_| ())
}

/// The module is refused for a limit, and says which.
fn exceeds(module: &[u8], limit: u64) {
    let error = compile(module).expect_err("too large");
    assert_eq!(error.kind, ErrorKind::Limit, "{error}");
    assert!(error.message.contains(&limit.to_string()), "{error}");
}

fn body_exceeds(declarations: &str, body: &str, limit: u64) {
    exceeds(&assemble(&with_body(declarations, &format!("{body}\nReturn"))), limit);
}

/// Declares an array type of words, with pointers to it.
fn array(name: &str, count: u32) -> String {
    format!("TypeArray %{name} %uint #{count}\nTypePointer %{name}_p 7 %{name}\n")
}

#[test]
fn the_document_has_every_limit() {
    let limits: [(&str, u64); 12] = [
        ("words of a module", MAX_MODULE_WORDS as u64),
        ("id bound", MAX_ID_BOUND.into()),
        ("levels of types", MAX_TYPE_DEPTH.into()),
        ("scalars of a value", MAX_LEAVES.into()),
        ("nested calls", MAX_CALL_DEPTH as u64),
        ("instructions after inlining", MAX_INSTRUCTIONS as u64),
        ("nested constructs", MAX_NESTING.into()),
        ("combinations of indices", MAX_SELECTED.into()),
        ("bytes of stack memory", MAX_SCRATCH_BYTES.into()),
        ("bytes of constant arrays", MAX_CONSTANT_BYTES.into()),
        ("bytes of workgroup memory", MAX_LOCAL_BYTES.into()),
        ("bytes of push constants", MAX_PUSH_CONSTANT_BYTES.into()),
    ];
    for (name, limit) in limits {
        let row = format!("| {name} | {limit} |");
        assert!(DOCUMENT.contains(&row), "docs/spirv.md has no row {row}");
    }
}

#[test]
fn modules_and_ids() {
    let mut module = assemble(&with_body("", "Return"));
    assert!(compile(&module).is_ok());
    module[12..16].copy_from_slice(&(MAX_ID_BOUND + 1).to_le_bytes());
    exceeds(&module, MAX_ID_BOUND.into());
    module.resize(4 * (MAX_MODULE_WORDS + 1), 0);
    exceeds(&module, MAX_MODULE_WORDS as u64);
}

#[test]
fn types_and_values() {
    let mut nested = String::from("TypeStruct %t0 %uint\n");
    for level in 1..=MAX_TYPE_DEPTH {
        writeln!(nested, "TypeStruct %t{level} %t{}", level - 1).expect("written");
    }
    body_exceeds(&nested, "", MAX_TYPE_DEPTH.into());
    let whole = "Variable %big_p %v 7\nLoad %big %all %v";
    body_exceeds(&array("big", MAX_LEAVES + 1), whole, MAX_LEAVES.into());
}

#[test]
fn memory() {
    let index = "AccessChain %ptr %p %data #0 #0\nLoad %uint %i %p\n";
    let used =
        |name: &str| format!("AccessChain %local %at_{name} %{name}_v %i\nLoad %uint %l_{name} %at_{name}\n");
    let stack = format!(
        "Variable %a_p %a_v 7\nVariable %b_p %b_v 7\n{index}{}Store %at_a %i\n{}Store %at_b %i",
        used("a"),
        used("b")
    );
    let half = MAX_SCRATCH_BYTES / 8;
    body_exceeds(&(array("a", half) + &array("b", half + 1)), &stack, MAX_SCRATCH_BYTES.into());
    let (mut declarations, mut variables, mut uses) = (String::new(), String::new(), String::new());
    for number in 0..=MAX_CONSTANT_BYTES / 4 / MAX_LEAVES {
        let name = format!("c{number}");
        declarations += &array(&name, MAX_LEAVES - number);
        writeln!(declarations, "ConstantNull %{name} %{name}_0").expect("written");
        writeln!(variables, "Variable %{name}_p %{name}_v 7 %{name}_0").expect("written");
        uses += &used(&name);
    }
    // Sixteen fit: they are all a little smaller than the largest.
    body_exceeds(
        &(declarations + &array("d", 64)),
        &format!("{variables}{index}{uses}"),
        MAX_CONSTANT_BYTES.into(),
    );
    let shared = format!(
        "TypeArray %s %uint #{}\nTypePointer %s_p 4 %s\nTypePointer %word 4 %uint\nVariable %s_p %shared 4",
        MAX_LOCAL_BYTES / 4 + 1
    );
    body_exceeds(&shared, "AccessChain %word %w %shared #0\nStore %w #1", MAX_LOCAL_BYTES.into());
    let cube = "TypeArray %line %uint #16\nTypeArray %plane %line #16\nTypeArray %cube %plane #16\nTypePointer %cubes 7 %cube";
    let body = format!("Variable %cubes %v 7\n{index}AccessChain %local %q %v %i %i %i\nStore %q %i");
    body_exceeds(cube, &body, MAX_SELECTED.into());
}

#[test]
fn workgroups() {
    body_exceeds("ExecutionMode %main 17 64 32 1", "", 1024);
}

#[test]
fn calls() {
    let mut functions = String::new();
    for number in 0..=MAX_CALL_DEPTH {
        let call = match number {
            0 => String::new(),
            _ => format!("FunctionCall %void %r{number} %f{}\n", number - 1),
        };
        write!(
            functions,
            "Function %void %f{number} 0 %thunk\nLabel %l{number}\n{call}Return\nFunctionEnd\n"
        )
        .expect("written");
    }
    body_exceeds(&functions, &format!("FunctionCall %void %r %f{MAX_CALL_DEPTH}"), MAX_CALL_DEPTH as u64);
}

#[test]
fn constructs() {
    let mut body = String::from(
        "AccessChain %ptr %p %data #0 #0\nLoad %uint %i %p\nSelectionMerge %end 0\nSwitch %i %end",
    );
    let mut cases = String::new();
    for case in 0..=MAX_NESTING {
        write!(body, " {case} %c{case}").expect("written");
        write!(cases, "Label %c{case}\nStore %p #7\nBranch %end\n").expect("written");
    }
    body_exceeds("", &format!("{body}\n{cases}Label %end"), MAX_NESTING.into());
}
