//! Operations on operands of types that do not fit: every module gives valid IR or an error.

use std::fmt::Write;

use agx_random::Random;
use bumpalo::Bump;
use spirv::Op;

use super::super::pure;
use super::{PRELUDE, assemble, assemble_with, with_body};
use crate::CompileKey;
use crate::error::ErrorKind;

const TYPES: &str = "
    TypeInt %u8 8 0\nTypeInt %u16 16 0\nTypeInt %u64 64 0\nTypeFloat %f16 16\nTypeFloat %f64 64
    TypeVector %v2f16 %f16 2\nTypeVector %v3f16 %f16 3\nTypeVector %v4f16 %f16 4\nTypeVector %vec4 %float 4\nTypeVector %v2f64 %f64 2
    TypeVector %v4u8 %u8 4\nTypeVector %v2u16 %u16 2\nTypeVector %uvec3 %uint 3\nTypeVector %v2bool %bool 2
    TypeMatrix %mat2 %vec2 2\nTypeMatrix %mat2h %v2f16 2\nTypeStruct %pair %uint %uint\nTypeStruct %floats %float %uint";

/// Each type with the types of its parts.
const COMPOSITES: &[(&str, &[&str])] = &[
    ("vec2", &["float"; 2]),
    ("vec3", &["float"; 3]),
    ("vec4", &["float"; 4]),
    ("uvec2", &["uint"; 2]),
    ("uvec3", &["uint"; 3]),
    ("v2f16", &["f16"; 2]),
    ("v3f16", &["f16"; 3]),
    ("v4f16", &["f16"; 4]),
    ("v2f64", &["f64"; 2]),
    ("v4u8", &["u8"; 4]),
    ("v2u16", &["u16"; 2]),
    ("v2bool", &["bool"; 2]),
    ("mat2", &["vec2"; 2]),
    ("mat2h", &["v2f16"; 2]),
    ("pair", &["uint"; 2]),
    ("floats", &["float", "uint"]),
];

const SCALARS: &[&str] = &["u8", "u16", "uint", "u64", "f16", "float", "f64", "bool"];

/// Instructions that define a value %v_TYPE of each type.
fn values() -> String {
    let mut body = String::from("AccessChain %ptr %p %data #0 #0\nLoad %uint %v_uint %p\n");
    for ty in SCALARS.iter().filter(|ty| **ty != "uint") {
        let op = match *ty {
            "bool" => "INotEqual %bool %v_bool %v_uint #0".to_owned(),
            ty if ty.starts_with('f') => format!("ConvertUToF %{ty} %v_{ty} %v_uint"),
            ty => format!("UConvert %{ty} %v_{ty} %v_uint"),
        };
        writeln!(body, "{op}").expect("written");
    }
    for (ty, parts) in COMPOSITES {
        let parts: Vec<String> = parts.iter().map(|part| format!("%v_{part}")).collect();
        writeln!(body, "CompositeConstruct %{ty} %v_{ty} {}", parts.join(" ")).expect("written");
    }
    body
}

/// Operations whose operands are values or literals, without the others: control flow, variables, resources.
fn operations() -> Vec<Op> {
    (0..=u32::from(u16::MAX)).filter_map(Op::from_u32).filter(|op| pure::find(*op).is_some()).collect()
}

/// An instruction with random operands.
fn instruction(random: &mut Random, operations: &[Op]) -> String {
    let types: Vec<&str> = SCALARS.iter().copied().chain(COMPOSITES.iter().map(|row| row.0)).collect();
    let mut ty = || types[random.below(types.len())];
    let (other, operands) = (ty(), [ty(), ty(), ty(), ty()]);
    let result = if random.flip() { operands[0] } else { other };
    let mut text = match random.below(2) {
        0 => format!("{:?} %{result} %r", operations[random.below(operations.len())]),
        _ => format!("ExtInst %{result} %r %glsl {}", 1 + random.below(81)),
    };
    let alike = random.flip();
    for operand in operands.iter().take(random.below(5)) {
        let operand = if alike { operands[0] } else { operand };
        match random.below(8) {
            0 => write!(text, " {}", random.below(5)).expect("written"),
            _ => write!(text, " %v_{operand}").expect("written"),
        }
    }
    text
}

/// Whether an instruction is accepted, after checks of the result.
fn is_accepted(values: &str, text: &str) -> bool {
    let module = assemble(&with_body(TYPES, &format!("{values}{text}\nReturn")));
    let bump = Bump::new();
    match super::read(&bump, &module, &CompileKey::default(), super::SPIRV) {
        Ok((f, _)) => {
            let problems = crate::ir::validate(&f, crate::ir::Stage::Source);
            assert!(problems.is_ok(), "{text}: {problems:?}");
            true
        }
        Err(error) => {
            assert_ne!(error.kind(), ErrorKind::Internal, "{text}: {error}");
            false
        }
    }
}

/// Instructions whose operands differ in width, or are booleans instead of integers.
const MISMATCHED: &[&str] = &[
    "ConvertPtrToU %bool %r %v_u64",
    "ConvertUToPtr %u64 %r %v_bool",
    "Dot %f16 %r %v_v2f16 %v_vec2",
    "ISubBorrow %pair %r %v_uint %v_u64",
    "SMulExtended %pair %r %v_uint %v_u16",
    "MatrixTimesMatrix %mat2h %r %v_mat2h %v_mat2",
    "MatrixTimesVector %v2f16 %r %v_mat2h %v_v2f64",
    "VectorTimesMatrix %v2f64 %r %v_v2f64 %v_mat2",
    "VectorTimesScalar %v2f64 %r %v_v2f64 %v_f16",
    "OuterProduct %mat2 %r %v_vec2 %v_v2f64",
    "PtrEqual %bool %r %v_u64 %v_uint",
    "PtrNotEqual %bool %r %v_bool %v_bool",
    "VectorExtractDynamic %float %r %v_vec3 %v_bool",
    "VectorInsertDynamic %vec3 %r %v_vec3 %v_f16 %v_uint",
    "ExtInst %uint %r %glsl 55 %v_v4f16",
    "ExtInst %vec4 %r %glsl 64 %v_u16",
    "ExtInst %float %r %glsl 67 %v_vec2 %v_v2f16",
    "ExtInst %vec3 %r %glsl 68 %v_vec3 %v_v3f16",
    "ExtInst %vec2 %r %glsl 70 %v_vec2 %v_vec2 %v_v2f16",
];

#[test]
fn operands_that_do_not_fit_are_errors() {
    let values = values();
    for text in MISMATCHED {
        assert!(!is_accepted(&values, text), "{text}");
    }
}

#[test]
fn operations_on_any_operands_give_valid_code_or_an_error() {
    let (values, operations) = (values(), operations());
    let texts = (0..1000).map(|seed| instruction(&mut Random::new(seed), &operations));
    let accepted = texts.filter(|text| is_accepted(&values, text)).count();
    assert!(accepted > 20, "{accepted} modules were accepted");
}

/// The execution models with the modes that they require.
const MODELS: &[(u32, &str)] = &[
    (0, ""),
    (1, "ExecutionMode %main 26 3"),
    (2, "ExecutionMode %main 22"),
    (3, "ExecutionMode %main 22\nExecutionMode %main 29\nExecutionMode %main 26 3"),
    (4, "ExecutionMode %main 7"),
    (5, "ExecutionMode %main 17 1 1 1"),
];

#[test]
fn built_in_inputs_of_any_type_give_valid_code_or_an_error() {
    let arrays = "TypeArray %bools %bool #3\nTypeArray %words3 %uint #3\nTypeArray %halves %f16 #3\n";
    let types = SCALARS.iter().copied().chain(COMPOSITES.iter().map(|row| row.0));
    let mut accepted = 0;
    for ty in types.chain(["bools", "words3", "halves"]) {
        for (model, modes) in MODELS {
            for built_in in (0..=45).chain([4416, 4440]) {
                let prelude = PRELUDE
                    .replace("EntryPoint 5 %main 'main'", &format!("EntryPoint {model} %main 'main' %in"))
                    .replace("ExecutionMode %main 17 1 1 1", modes);
                let declarations = format!(
                    "Decorate %in 11 {built_in}\n{TYPES}\n{arrays}TypePointer %in_p 1 %{ty}\nVariable %in_p %in 1"
                );
                let text = with_body(&declarations, &format!("Load %{ty} %x %in\nReturn"));
                let (bump, what) = (Bump::new(), format!("built-in {built_in} as {ty} in model {model}"));
                match super::read(
                    &bump,
                    &assemble_with(&prelude, &text),
                    &CompileKey::default(),
                    super::SPIRV,
                ) {
                    Ok((f, _)) => {
                        let problems = crate::ir::validate(&f, crate::ir::Stage::Source);
                        assert!(problems.is_ok(), "{what}: {problems:?}");
                        accepted += 1;
                    }
                    Err(error) => assert_ne!(error.kind(), ErrorKind::Internal, "{what}: {error}"),
                }
            }
        }
    }
    assert!(accepted > 100, "{accepted} modules were accepted");
}
