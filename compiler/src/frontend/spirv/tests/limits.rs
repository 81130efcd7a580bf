//! Limits: exceeding one gives an error that names it; reaching it gives none.

use std::fmt::Write;

use agx_abi::mesh;
use agx_abi::tessellation::MAX_PATCH_VERTICES;
use bumpalo::Bump;

use super::super::geometry_modes::MAX_VERTICES;
use super::super::memory::MAX_SELECTED;
use super::super::types::{MAX_LEAVES, MAX_TYPE_DEPTH};
use super::super::words::{MAX_ID_BOUND, MAX_MODULE_WORDS};
use super::super::{Dialect, read};
use super::{PRELUDE, assemble, assemble_with, with_body};
use crate::CompileKey;
use crate::error::{CompileError, ErrorKind};
use crate::frontend::kit::limits::{
    MAX_CALL_DEPTH, MAX_CONSTANT_BYTES, MAX_INSTRUCTIONS, MAX_INVOCATIONS, MAX_LOCAL_BYTES, MAX_NESTING,
    MAX_PUSH_CONSTANT_BYTES, MAX_SCRATCH_BYTES,
};

const DOCUMENT: &str = include_str!("../../../../../docs/spirv.md");

/// A documented limit: its row, and a module that needs a given amount.
struct Limit {
    row: &'static str,
    most: u64,
    module: fn(u64) -> Vec<u8>,
    /// The increment to the next larger amount that a module can need.
    step: u64,
}

const fn limit(row: &'static str, most: u64, module: fn(u64) -> Vec<u8>) -> Limit {
    Limit { row, most, module, step: 1 }
}

#[rustfmt::skip]
const LIMITS: &[Limit] = &[
    limit("words of a module", MAX_MODULE_WORDS as u64, words),
    limit("id bound", MAX_ID_BOUND as u64, ids),
    limit("nesting of types", MAX_TYPE_DEPTH as u64, nested_types),
    limit("scalars of a value", MAX_LEAVES as u64, loaded),
    limit("scalars of a value", MAX_LEAVES as u64, constructed),
    limit("nested calls", MAX_CALL_DEPTH as u64, calls),
    limit("instructions after inlining", MAX_INSTRUCTIONS as u64, inlined),
    limit("nested constructs", MAX_NESTING as u64, cases),
    Limit { step: 256, ..limit("combinations of indices", MAX_SELECTED as u64, combinations) },
    Limit { step: 4, ..limit("bytes of stack memory", MAX_SCRATCH_BYTES as u64, stack) },
    Limit { step: 128, ..limit("bytes of constant arrays", MAX_CONSTANT_BYTES as u64, constants) },
    Limit { step: 4, ..limit("bytes of workgroup memory", MAX_LOCAL_BYTES as u64, shared) },
    Limit { step: 4, ..limit("bytes of push constants", MAX_PUSH_CONSTANT_BYTES as u64, push_constants) },
    limit("invocations of a workgroup", MAX_INVOCATIONS, invocations),
    limit("vertices of a patch", MAX_PATCH_VERTICES as u64, patch_vertices),
    limit("vertices of a geometry shader", MAX_VERTICES as u64, emitted),
    limit("vertices of a mesh shader", mesh::MAX_VERTICES as u64, |count| mesh_shader(count, 1, 0)),
    limit("primitives of a mesh shader", mesh::MAX_PRIMITIVES as u64, |count| mesh_shader(1, count, 0)),
    Limit { step: 4, ..limit("bytes of a payload", mesh::MAX_PAYLOAD_BYTES as u64, |bytes| mesh_shader(1, 1, bytes)) },
    limit("scalars of a value", MAX_LEAVES as u64, inputs),
];

fn compile(module: &[u8]) -> Result<(), CompileError> {
    read(&Bump::new(), module, &CompileKey::default(), Dialect::default()).map(|_| ())
}

#[test]
fn modules_at_a_limit_compile_and_modules_beyond_it_are_rejected() {
    for Limit { row, most, module, step } in LIMITS {
        if let Err(error) = compile(&module(*most)) {
            panic!("{row}, {most}: {error}");
        }
        let error = compile(&module(most + step)).expect_err(row);
        assert_eq!(error.kind(), ErrorKind::Limit, "{row}: {error}");
        assert!(error.message().contains(&most.to_string()), "{row}: {error}");
    }
}

#[test]
fn the_document_and_the_table_have_the_same_limits() {
    let table = DOCUMENT.split_once("| what | limit | |\n|---|---|---|\n").expect("the table of limits").1;
    let rows: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
    for Limit { row, most, .. } in LIMITS {
        let wanted = format!("| {row} | {most} |");
        assert!(rows.iter().any(|row| row.starts_with(&wanted)), "docs/spirv.md has no row {wanted}");
    }
    for row in rows {
        assert!(
            LIMITS.iter().any(|limit| row.starts_with(&format!("| {} |", limit.row))),
            "{row} is not tried"
        );
    }
}

fn module(declarations: &str, body: &str) -> Vec<u8> {
    assemble(&with_body(declarations, &format!("{body}\nReturn")))
}

/// Declares an array type of words, with pointers to it.
fn array(name: &str, count: u64) -> String {
    format!("TypeArray %{name} %uint #{count}\nTypePointer %{name}_p 7 %{name}\n")
}

/// Loads an unknown number, %i.
const INDEX: &str = "AccessChain %ptr %p %data #0 #0\nLoad %uint %i %p\n";

/// Writes at a computed position of the variable %name_v.
fn indexed(name: &str) -> String {
    format!("AccessChain %local %at_{name} %{name}_v %i\nStore %at_{name} %i\n")
}

/// Extends the module by instructions without effect.
fn words(count: u64) -> Vec<u8> {
    let mut module = module("", "Nop");
    let nop = (1_u32 << 16).to_le_bytes();
    let at = module.chunks(4).position(|word| word == nop).expect("an instruction that does nothing");
    let more = count as usize - module.len() / 4;
    module.splice(4 * at..4 * at, nop.repeat(more));
    module
}

fn ids(bound: u64) -> Vec<u8> {
    let mut module = module("", "");
    module[12..16].copy_from_slice(&(bound as u32).to_le_bytes());
    module
}

fn nested_types(levels: u64) -> Vec<u8> {
    let mut nested = String::from("TypeStruct %t1 %uint\n");
    for level in 2..=levels {
        writeln!(nested, "TypeStruct %t{level} %t{}", level - 1).expect("written");
    }
    module(&nested, "")
}

fn loaded(scalars: u64) -> Vec<u8> {
    module(&array("big", scalars), "Variable %big_p %v 7\nLoad %big %all %v")
}

/// A structure of a long array and single words.
fn constructed(scalars: u64) -> Vec<u8> {
    let declarations =
        format!("{}TypeStruct %s %uint %long %uint\nConstantNull %long %zeros\n", array("long", scalars - 2));
    module(&declarations, "CompositeConstruct %s %v #1 %zeros #2")
}

/// A chain of calls, including the entry point.
fn calls(depth: u64) -> Vec<u8> {
    let mut functions = String::new();
    for number in 1..depth {
        let call = match number {
            1 => String::new(),
            _ => format!("FunctionCall %void %r{number} %f{}\n", number - 1),
        };
        let text =
            format!("Function %void %f{number} 0 %thunk\nLabel %l{number}\n{call}Return\nFunctionEnd\n");
        functions += &text;
    }
    module(&functions, &format!("FunctionCall %void %r %f{}", depth - 1))
}

/// A function of 4095 instructions and its call make 4096; the remaining instructions are in the entry point.
fn inlined(instructions: u64) -> Vec<u8> {
    let function =
        format!("Function %void %f 0 %thunk\nLabel %l\n{}Return\nFunctionEnd\n", "Nop\n".repeat(4095));
    let mut body = String::new();
    for number in 0..instructions / 4096 {
        writeln!(body, "FunctionCall %void %r{number} %f").expect("written");
    }
    body += &"Nop\n".repeat((instructions % 4096) as usize);
    module(&function, &body)
}

/// Every case of a switch is a construct nested in the one before, and the switch is one around them.
fn cases(constructs: u64) -> Vec<u8> {
    let mut body = format!("{INDEX}SelectionMerge %end 0\nSwitch %i %end");
    let mut cases = String::new();
    for case in 1..constructs {
        write!(body, " {case} %c{case}").expect("written");
        write!(cases, "Label %c{case}\nStore %p #7\nBranch %end\n").expect("written");
    }
    module("", &format!("{body}\n{cases}Label %end"))
}

/// An array of three dimensions, two of them 16 elements long.
fn combinations(count: u64) -> Vec<u8> {
    let declarations = format!(
        "TypeArray %line %uint #16\nTypeArray %plane %line #16\nTypeArray %cube %plane #{}\nTypePointer %cubes 7 %cube",
        count / 256
    );
    let body = format!("Variable %cubes %v 7\n{INDEX}AccessChain %local %q %v %i %i %i\nStore %q %i");
    module(&declarations, &body)
}

fn stack(bytes: u64) -> Vec<u8> {
    let (first, rest) = (bytes / 8, bytes / 4 - bytes / 8);
    let body = format!("Variable %a_p %a_v 7\nVariable %b_p %b_v 7\n{INDEX}{}{}", indexed("a"), indexed("b"));
    module(&(array("a", first) + &array("b", rest)), &body)
}

/// Arrays of 65536 bytes each with different contents, and one with the remainder; short ones are not stored.
fn constants(bytes: u64) -> Vec<u8> {
    let largest = 4 * u64::from(MAX_LEAVES);
    let (mut declarations, mut variables, mut uses) = (String::new(), String::new(), String::new());
    for number in 0..bytes.div_ceil(largest) {
        let count = (bytes - number * largest).min(largest) / 4;
        let name = format!("c{number}");
        declarations += &array(&name, count);
        let mut words = vec!["#0"; count as usize].join(" ");
        words.replace_range(0..2, &format!("#{number}"));
        writeln!(declarations, "ConstantComposite %{name} %{name}_0 {words}").expect("written");
        writeln!(variables, "Variable %{name}_p %{name}_v 7 %{name}_0").expect("written");
        writeln!(uses, "AccessChain %local %at_{name} %{name}_v %i\nLoad %uint %l_{name} %at_{name}")
            .expect("written");
    }
    module(&declarations, &format!("{variables}{INDEX}{uses}"))
}

fn shared(bytes: u64) -> Vec<u8> {
    let declarations = format!(
        "TypeArray %s %uint #{}\nTypePointer %s_p 4 %s\nTypePointer %word 4 %uint\nVariable %s_p %shared 4",
        bytes / 4
    );
    module(&declarations, "AccessChain %word %w %shared #0\nStore %w #1")
}

/// The last word of an array of push constants.
fn push_constants(bytes: u64) -> Vec<u8> {
    let declarations = format!(
        "Decorate %pushed 6 4\nDecorate %push 2\nMemberDecorate %push 0 35 0\n\
         TypeArray %pushed %uint #{}\nTypeStruct %push %pushed\nTypePointer %push_p 9 %push\n\
         TypePointer %word 9 %uint\nVariable %push_p %constants 9",
        bytes / 4
    );
    module(&declarations, &format!("AccessChain %word %w %constants #0 #{}\nLoad %uint %x %w", bytes / 4 - 1))
}

/// A geometry shader that emits this number of vertices.
fn geometry(count: u64, interface: &str, declarations: &str) -> Vec<u8> {
    let modes = format!("ExecutionMode %main 22\nExecutionMode %main 29\nExecutionMode %main 26 {count}");
    let prelude = PRELUDE
        .replace("EntryPoint 5 %main 'main'", &format!("EntryPoint 3 %main 'main' {interface}"))
        .replace("ExecutionMode %main 17 1 1 1", &modes);
    assemble_with(&prelude, &with_body(declarations, "EmitVertex\nReturn"))
}

/// A tessellation control shader with this number of output vertices.
fn patch_vertices(count: u64) -> Vec<u8> {
    let prelude = PRELUDE
        .replace("EntryPoint 5 %main 'main'", "EntryPoint 1 %main 'main'")
        .replace("ExecutionMode %main 17 1 1 1", &format!("ExecutionMode %main 26 {count}"));
    assemble_with(&prelude, &with_body("", "Return"))
}

fn emitted(count: u64) -> Vec<u8> {
    geometry(count, "", "")
}

/// A geometry shader with this number of scalars in an input.
fn inputs(count: u64) -> Vec<u8> {
    let array = format!("TypeArray %ins %float #{count}\nTypePointer %ins_p 1 %ins\n");
    geometry(3, "%in", &format!("Decorate %in 30 0\n{array}Variable %ins_p %in 1"))
}

/// A mesh shader with these maximum numbers of vertices and primitives, and this number of bytes of a payload.
fn mesh_shader(vertices: u64, primitives: u64, payload: u64) -> Vec<u8> {
    let modes = format!(
        "ExecutionMode %main 17 1 1 1\nExecutionMode %main 26 {vertices}\nExecutionMode %main 5270 {primitives}\n\
         ExecutionMode %main 5298"
    );
    let prelude = PRELUDE
        .replace("EntryPoint 5 %main 'main'", "EntryPoint 5365 %main 'main' %sent")
        .replace("ExecutionMode %main 17 1 1 1", &modes);
    let declarations = format!(
        "TypeArray %sent_words %uint #{}\nTypePointer %sent_p 5402 %sent_words\nVariable %sent_p %sent 5402",
        (payload / 4).max(1)
    );
    assemble_with(&prelude, &with_body(&declarations, "SetMeshOutputsEXT #1 #1\nReturn"))
}

fn invocations(count: u64) -> Vec<u8> {
    module(&format!("ExecutionMode %main 17 {count} 1 1"), "")
}
