//! Fragment shaders: what is left in registers, and what the driver is told of it.

use super::assemble_with;
use crate::{CompileError, CompileKey, CompiledShader, Compiler, Input, Scratch};

/// What modules begin with: a fragment shader with the output %colour of four floats.
const PRELUDE: &str = "
    Capability 1
    MemoryModel 0 1
    EntryPoint 4 %main 'main' %colour %input
    ExecutionMode %main 7
    Decorate %colour 30 0
    Decorate %input 30 0
    TypeVoid %void
    TypeBool %bool
    TypeFloat %float 32
    TypeInt %uint 32 0
    TypeVector %vec2 %float 2
    TypeVector %vec4 %float 4
    TypeFunction %thunk %void
    TypePointer %out 3 %vec4
    TypePointer %outs 3 %float
    TypePointer %in 1 %vec2
    Variable %out %colour 3
    Variable %in %input 1
";

fn compile(declarations: &str, body: &str) -> Result<CompiledShader, CompileError> {
    let text = format!(
        "{declarations}\nFunction %void %main 0 %thunk\nLabel %entry\nLoad %vec2 %in0 %input\n{body}\nFunctionEnd"
    );
    let module = assemble_with(PRELUDE, &text);
    let key = CompileKey { validate: true, ..CompileKey::default() };
    Compiler::default().compile(&mut Scratch::default(), Input::spirv(&module), &key)
}

/// Components of target 0 in registers, and whether its alpha is known to be 1.
fn colour(body: &str) -> (u8, bool) {
    let shader = compile("Constant %float %one 1.0\nConstant %float %half 0.5", body).expect("compiles");
    (shader.info.fragment.components[0], shader.info.fragment.opaque)
}

const X: &str = "CompositeExtract %float %x %in0 0\n";

#[test]
fn components_that_nothing_writes_stay_where_they_are() {
    let store_x = "AccessChain %outs %px %colour #0\nStore %px %x\nReturn";
    assert_eq!(colour(&format!("{X}{store_x}")), (0b0001, false));
    let insert = "Load %vec4 %old %colour\nCompositeInsert %vec4 %new %x %old 1\nStore %colour %new\nReturn";
    assert_eq!(colour(&format!("{X}{insert}")), (0b0010, false));
    assert_eq!(colour("Return"), (0, false));
}

#[test]
fn a_component_written_on_one_way_only_is_there() {
    let body = format!(
        "{X}AccessChain %outs %px %colour #2\nFOrdLessThan %bool %c %x %half\nSelectionMerge %end 0\n\
         BranchConditional %c %then %end\nLabel %then\nStore %px %x\nBranch %end\nLabel %end\nReturn"
    );
    assert_eq!(colour(&body), (0b0100, false));
}

#[test]
fn an_alpha_of_one_is_left_to_the_next_part() {
    let construct =
        |alpha: &str| format!("{X}CompositeConstruct %vec4 %v %x %x %x {alpha}\nStore %colour %v\nReturn");
    assert_eq!(colour(&construct("%one")), (0b0111, true));
    assert_eq!(colour(&construct("%half")), (0b1111, false));
}

#[test]
fn inputs_are_no_booleans() {
    let prelude = PRELUDE.replace("TypePointer %in 1 %vec2", "TypePointer %in 1 %bool");
    let module = assemble_with(&prelude, "Function %void %main 0 %thunk\nLabel %entry\nReturn\nFunctionEnd");
    let compiled =
        Compiler::default().compile(&mut Scratch::default(), Input::spirv(&module), &CompileKey::default());
    let error = compiled.map(|_| ()).expect_err("a boolean at a location");
    assert!(error.message().contains("a boolean input"), "{error}");
}
