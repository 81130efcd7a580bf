//! Errors for invalid modules.

use super::{run, with_body};
use crate::error::{CompileError, ErrorKind, Location};

fn refuse(text: &str) -> CompileError {
    run(text, &[0; 4]).expect_err("the module is rejected")
}

#[test]
fn messages_have_the_kind_the_instruction_and_the_operand() {
    let table = [
        ("IAdd %uint %r #1 %nowhere\nReturn", ErrorKind::Invalid, "OpIAdd", "is not a value"),
        ("IAdd %uint %r #1\nReturn", ErrorKind::Invalid, "OpIAdd", "expected 2 operands"),
        ("FAdd %float %r #1 #2\nReturn", ErrorKind::Invalid, "OpFAdd", "not a float"),
        ("Load %float %r %data\nReturn", ErrorKind::Invalid, "OpLoad", "runtime array"),
        ("AccessChain %ptr %p %data #1\nReturn", ErrorKind::Invalid, "OpAccessChain", "no member 1"),
        ("FunctionCall %void %r %main\nReturn", ErrorKind::Invalid, "OpFunctionCall", "calls itself"),
        ("Branch %missing", ErrorKind::Invalid, "OpBranch", "is not a block"),
        ("EmitVertex\nReturn", ErrorKind::Invalid, "OpEmitVertex", "outside geometry shaders"),
        (
            "SetMeshOutputsEXT #1 #1\nReturn",
            ErrorKind::Invalid,
            "OpSetMeshOutputsEXT",
            "outside mesh shaders",
        ),
        ("EmitMeshTasksEXT #1 #1 #1", ErrorKind::Invalid, "OpEmitMeshTasksEXT", "outside task shaders"),
        (
            "IgnoreIntersectionNV\nReturn",
            ErrorKind::Unsupported,
            "OpIgnoreIntersectionNV",
            "the instruction OpIgnoreIntersectionNV",
        ),
        ("Kill", ErrorKind::Unsupported, "OpKill", "terminator"),
    ];
    for (body, kind, opcode, message) in table {
        let error = refuse(&with_body("", body));
        assert_eq!(error.kind(), kind, "{body}: {error}");
        assert!(error.message().contains(message), "{body}: {error}");
        let Location::Word { opcode: Some(found), .. } = error.location else { panic!("{body}: {error}") };
        assert_eq!(found, opcode, "{body}");
    }
}

#[test]
fn phis_of_two_types_cannot_be_one_id() {
    let body = "
        Branch %next
        Label %next
        Phi %uint %x #1 %entry
        Phi %vec3 %x %zero %entry
        Return";
    let error = refuse(&with_body("ConstantNull %vec3 %zero", body));
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.message().contains("phis of two types"), "{error}");
}

#[test]
fn a_definition_must_reach_its_use() {
    let body = "
        IEqual %bool %c #1 #1
        AccessChain %ptr %p %data #0 #0
        Load %uint %x %p
        IEqual %bool %d %x #1
        BranchConditional %d %then %join
        Label %then
        IAdd %uint %y %x #1
        Branch %join
        Label %join
        Store %p %y
        Return";
    let error = refuse(&with_body("", body));
    assert!(error.message().contains("not defined on every path"), "{error}");
}

#[test]
fn a_loop_with_two_entries_is_rejected() {
    let body = "
        AccessChain %ptr %p %data #0 #0
        Load %uint %x %p
        IEqual %bool %d %x #1
        BranchConditional %d %a %b
        Label %a
        BranchConditional %d %b %out
        Label %b
        BranchConditional %d %a %out
        Label %out
        Return";
    let error = refuse(&with_body("", body));
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("several entries"), "{error}");
}
