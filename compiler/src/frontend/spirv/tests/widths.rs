//! Every component-wise operation for all widths of its operands, through the whole compiler.

use std::fmt::Write;

use bumpalo::Bump;
use spirv::GlslStd450Op;

use super::super::arith::{self, Domain, Row};
use super::super::glsl;
use super::{assemble, check, with_body};
use crate::error::ErrorKind;
use crate::{CompileKey, Compiler, Input, Scratch};

const TYPES: &str =
    "TypeInt %u8 8 0\nTypeInt %u16 16 0\nTypeInt %u64 64 0\nTypeFloat %f16 16\nTypeFloat %f64 64\n";

const INTEGERS: [&str; 4] = ["u8", "u16", "uint", "u64"];
const FLOATS: [&str; 3] = ["f16", "float", "f64"];

/// Instructions that convert the word `from` to a value `to` of a type.
fn make(ty: &str, to: &str, from: &str) -> String {
    match ty {
        "bool" => format!("INotEqual %bool %{to} %{from} #0"),
        "uint" => format!("IAdd %uint %{to} %{from} #0"),
        ty if FLOATS.contains(&ty) => format!("ConvertUToF %{ty} %{to} %{from}"),
        ty => format!("UConvert %{ty} %{to} %{from}"),
    }
}

/// Instructions that convert the value %r of a type to the word %o.
fn word(ty: &str) -> &'static str {
    match ty {
        "bool" => "Select %uint %o %r #1 #2",
        "uint" => "IAdd %uint %o %r #0",
        "float" => "Bitcast %uint %o %r",
        "f16" | "f64" => "FConvert %float %f %r\nBitcast %uint %o %f",
        _ => "UConvert %uint %o %r",
    }
}

/// A module; `instruction` gives an instruction with the type %result, the result %r and operands.
fn module(instruction: &str, arity: usize, operand: &str, result: &str) -> Vec<u8> {
    let (mut body, mut operands) = (String::new(), String::new());
    for number in 0..arity {
        let made = make(operand, &format!("a{number}"), &format!("w{number}"));
        write!(
            body,
            "AccessChain %ptr %p{number} %data #0 #{number}\nLoad %uint %w{number} %p{number}\n{made}\n"
        )
        .expect("written");
        write!(operands, " %a{number}").expect("written");
    }
    let instruction = instruction.replace("RESULT", result);
    write!(body, "{instruction}{operands}\n{}\nStore %p0 %o\nReturn", word(result)).expect("written");
    assemble(&with_body(TYPES, &body))
}

/// Compiles an operation for every width of its operands and every result type that the front end accepts.
fn compile_all(instruction: &str, row: &Row) {
    let key = CompileKey::default();
    let (compiler, mut scratch) = (Compiler::default(), Scratch::default());
    let operands: &[&str] = match row.domain {
        Domain::Bool => &["bool"],
        Domain::Float => &FLOATS,
        Domain::Signed | Domain::Unsigned => &INTEGERS,
    };
    let mut compiled = 0;
    for operand in operands {
        for result in ["bool"].iter().chain(&INTEGERS).chain(&FLOATS) {
            let bytes = module(instruction, row.arity, operand, result);
            // Most result types are invalid, which the front end reports.
            if super::read(&Bump::new(), &bytes, &key, super::SPIRV).is_err() {
                continue;
            }
            match compiler.compile(&mut scratch, Input::spirv(&bytes), &key) {
                Ok(_) => compiled += 1,
                Err(error) => {
                    let what = format!("{instruction} of {operand} to {result}: {error}");
                    assert_ne!(error.kind(), ErrorKind::Internal, "{what}");
                }
            }
        }
    }
    assert!(compiled > 0, "{instruction} compiles for no type");
}

#[test]
fn component_wise_operations_compile_at_every_width_of_their_operands() {
    for op in arith::OPS {
        compile_all(&format!("{op:?} %RESULT %r"), arith::row(*op).expect("it has a row"));
    }
}

#[test]
fn component_wise_operations_of_glsl_compile_at_every_width_of_their_operands() {
    // The exponent of Ldexp is an integer while the other operands are floats.
    for op in glsl::OPS.iter().filter(|op| **op != GlslStd450Op::Ldexp) {
        compile_all(
            &format!("ExtInst %RESULT %r %glsl {}", *op as u32),
            glsl::row(*op).expect("it has a row"),
        );
    }
}

#[test]
fn pointers_are_compared_and_subtracted() {
    let body = "
        AccessChain %ptr %p %data #0 #0
        Load %uint %i %p
        AccessChain %ptr %q %data #0 %i
        AccessChain %ptr %s %data #0 #1
        PtrEqual %bool %same %q %s
        PtrNotEqual %bool %other %q %s
        PtrDiff %uint %far %q %s
        Select %uint %x %same #1 #0
        Select %uint %y %other #1 #0
        AccessChain %ptr %p1 %data #0 #1
        AccessChain %ptr %p2 %data #0 #2
        Store %p %x
        Store %p1 %y
        Store %p2 %far
        Return";
    check("", body, &[3, 0, 0, 0], &[0, 1, 2, 0]);
    check("", body, &[1, 0, 0, 0], &[1, 0, 0, 0]);
}

/// No value has 64 bits here, only operands: the addresses are uniforms.
#[test]
fn a_comparison_of_addresses_alone_compiles() {
    let declarations = "Decorate %more 34 0\nDecorate %more 33 1\nVariable %blocks %more 12";
    let body = "
        AccessChain %ptr %p %data #0 #0
        AccessChain %ptr %q %more #0 #0
        PtrEqual %bool %same %p %q
        Select %uint %x %same #1 #2
        Store %p %x
        Return";
    let key = CompileKey { validate: true, ..CompileKey::default() };
    let bytes = assemble(&with_body(declarations, body));
    let result = Compiler::default().compile(&mut Scratch::default(), Input::spirv(&bytes), &key);
    assert!(result.is_ok(), "{:?}", result.err());
}

#[test]
fn bytes_have_extended_sums_and_products() {
    let body = |op: &str| {
        format!(
            "AccessChain %ptr %p %data #0 #0\nAccessChain %ptr %q %data #0 #1\nLoad %uint %a %p\nLoad %uint %b %q\n\
             UConvert %u8 %x %a\nUConvert %u8 %y %b\n{op} %pair %r %x %y\n\
             CompositeExtract %u8 %low %r 0\nCompositeExtract %u8 %high %r 1\n\
             UConvert %uint %l %low\nUConvert %uint %h %high\nStore %p %l\nStore %q %h\nReturn"
        )
    };
    let declarations = format!("{TYPES}TypeStruct %pair %u8 %u8");
    let cases = [
        ("IAddCarry", [0xff, 2], [1, 1]),
        ("IAddCarry", [0x7f, 2], [0x81, 0]),
        ("ISubBorrow", [1, 2], [0xff, 1]),
        ("ISubBorrow", [2, 1], [1, 0]),
        ("UMulExtended", [0xff, 0xfe], [0x02, 0xfd]),
        ("SMulExtended", [0xff, 0x02], [0xfe, 0xff]),
    ];
    for (op, data, expected) in cases {
        check(&declarations, &body(op), &data, &expected);
    }
}
