//! The translation of small programs, and errors.

use bumpalo::Bump;

use super::read;
use crate::CompileKey;
use crate::error::{CompileError, ErrorKind, Location};

fn ir(text: &str) -> Result<String, CompileError> {
    read(&Bump::new(), text, &CompileKey::default()).map(|(function, _)| function.to_string())
}

#[test]
fn errors_have_line_and_column() {
    let cases = [
        ("FRAG\nMOV OUT[0], IN[0]\nEND", ErrorKind::Invalid, (2, 5), "OUT[0] is not declared"),
        (
            "FRAG\nFOO",
            ErrorKind::Invalid,
            (2, 1),
            "expected `DCL`, `IMM`, `PROPERTY`, a label or an opcode, found `FOO`",
        ),
        (
            "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nFBFETCH TEMP[0], OUT[0]\nEND",
            ErrorKind::Unsupported,
            (4, 1),
            "render target 0",
        ),
    ];
    for (text, kind, (line, column), message) in cases {
        let error = ir(text).expect_err(text);
        assert_eq!((error.kind(), &error.location), (kind, &Location::Text { line, column }), "{error}");
        assert!(error.message().contains(message), "{error}");
    }
}

#[test]
fn geometry_and_tessellation_are_unsupported() {
    for processor in ["GEOM", "TESS_CTRL", "TESS_EVAL"] {
        let error = ir(&format!("{processor}\nEND")).expect_err(processor);
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().starts_with(processor), "{error}");
    }
}

#[test]
fn outputs_and_inputs_of_a_semantic_meet_in_a_location() {
    let vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[7]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND";
    let bump = Bump::new();
    let (_, info) = read(&bump, vertex, &CompileKey::default()).expect("compiles");
    let locations: Vec<_> = info.varyings.iter().map(|varying| varying.output).collect();
    let wanted = agx_abi::vertex::Output::User { location: 7, component: 2 };
    assert!(locations.contains(&wanted), "{locations:?}");
    let fragment = "FRAG\nDCL IN[0], GENERIC[7], LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND";
    let text = ir(fragment).expect("compiles");
    assert!(text.contains("interpolate"), "{text}");
}

#[test]
fn unindexed_registers_are_values() {
    let text = "FRAG\nDCL TEMP[0..3]\nDCL OUT[0], COLOR\nIMM FLT32 {1, 2, 3, 4}\nMOV TEMP[3], IMM[0]\nADD TEMP[3], TEMP[3], TEMP[3]\nMOV OUT[0], TEMP[3]\nEND";
    let text = ir(text).expect("compiles");
    assert!(!text.contains("scratch"), "{text}");
}

#[test]
fn indexed_registers_are_on_the_stack() {
    let text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..3], ARRAY(1)\nDCL TEMP[4]\nDCL ADDR[0]\n\
        ARL ADDR[0].x, IN[0].xxxx\nMOV TEMP[ADDR[0].x](1), IN[0]\nMOV TEMP[4], IN[0]\nADD OUT[0], TEMP[2], TEMP[4]\nEND";
    let bump = Bump::new();
    let (_, info) = read(&bump, text, &CompileKey::default()).expect("compiles");
    assert_eq!(info.scratch_bytes, 64);
}

#[test]
fn invariant_outputs_are_marked() {
    let is_marked = |attribute: &str| {
        let text = format!("VERT\nDCL IN[0]\nDCL OUT[0], POSITION{attribute}\nADD OUT[0], IN[0], IN[0]\nEND");
        ir(&text).expect("compiles").contains("= invariant ")
    };
    assert!(is_marked(", INVARIANT") && !is_marked(""));
}
