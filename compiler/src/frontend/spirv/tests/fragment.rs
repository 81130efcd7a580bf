//! Fragment shaders: exported registers, and the driver information.

use bumpalo::Bump;

use super::super::{SPIRV, read};
use super::assemble_with;
use crate::{CompileError, CompileKey, CompiledShader, Compiler, Input, Scratch};

/// The prelude of modules: a fragment shader with an output %colour of four floats.
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

fn module(declarations: &str, body: &str) -> Vec<u8> {
    let text = format!(
        "{declarations}\nFunction %void %main 0 %thunk\nLabel %entry\nLoad %vec2 %in0 %input\n{body}\nFunctionEnd"
    );
    assemble_with(PRELUDE, &text)
}

fn compile(declarations: &str, body: &str) -> Result<CompiledShader, CompileError> {
    let module = module(declarations, body);
    let key = CompileKey { validate: true, ..CompileKey::default() };
    Compiler::default().compile(&mut Scratch::default(), Input::spirv(&module), &key)
}

/// Number of exported components of target 0, and whether its alpha is known to be 1.
fn colour(body: &str) -> (u8, bool) {
    let shader = compile("Constant %float %one 1.0\nConstant %float %half 0.5", body).expect("compiles");
    (shader.info.fragment.components[0], shader.info.fragment.opaque)
}

/// In a shader that runs per sample, the centroid is the sample, for inputs and for `interpolateAtCentroid` alike.
#[test]
fn the_centroid_of_a_sample_is_the_sample() {
    let body = |decoration: &str| {
        let declarations = format!(
            "ExtInstImport %glsl 'GLSL.std.450'\nDecorate %input {decoration}\nConstant %float %one 1.0"
        );
        let text = "ExtInst %vec2 %at %glsl 76 %input\nVectorShuffle %vec4 %c %at %in0 0 1 2 3\nStore %colour %c\nReturn";
        let bump = Bump::new();
        let module = module(&declarations, text);
        let (f, _) = read(&bump, &module, &CompileKey::default(), SPIRV).expect("valid");
        f.to_string()
            .lines()
            .filter(|line| line.contains("= interpolate"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let centroids = |lines: &[String]| lines.iter().filter(|line| line.contains("place=1")).count();
    // Place 1 is the centroid. Decorated with Centroid, with Sample.
    let (centroid, sample) = (body("16"), body("17"));
    assert_eq!((centroids(&centroid), centroids(&sample)), (centroid.len(), 0), "{centroid:?} {sample:?}");
    assert!(!centroid.is_empty() && !sample.is_empty());
}

const X: &str = "CompositeExtract %float %x %in0 0\n";

#[test]
fn unwritten_components_keep_their_registers() {
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
fn inputs_with_other_meanings_and_other_windows_are_refused() {
    let code = |declarations: &str| compile(declarations, "Return").map_err(|error| error.code()).err();
    assert_eq!(code(""), None);
    // `ExplicitInterpAMD`, and `PerVertexKHR` of something that is not an array.
    assert_eq!(code("Decorate %input 4999"), Some(1619));
    assert_eq!(code("Decorate %input 5285"), Some(1601));
    // The lower left origin, integer centres, and masks after the depth test.
    for mode in [8, 6, 4446] {
        assert_eq!(code(&format!("ExecutionMode %main {mode}")), Some(1032));
    }
    assert_eq!(code("ExecutionMode %main 65000"), Some(1033));
}

#[test]
fn inputs_cannot_be_booleans() {
    let prelude = PRELUDE.replace("TypePointer %in 1 %vec2", "TypePointer %in 1 %bool");
    let module = assemble_with(&prelude, "Function %void %main 0 %thunk\nLabel %entry\nReturn\nFunctionEnd");
    let compiled =
        Compiler::default().compile(&mut Scratch::default(), Input::spirv(&module), &CompileKey::default());
    let error = compiled.map(|_| ()).expect_err("a boolean at a location");
    assert!(error.message().contains("a boolean input"), "{error}");
}

/// The front end's result for a body, which is valid.
fn front(body: &str) -> String {
    let module = module("Constant %float %one 1.0\nConstant %float %half 0.5", body);
    let (bump, key) = (Bump::new(), CompileKey::default());
    let (f, _) = read(&bump, &module, &key, SPIRV).expect("reads");
    let problems = crate::ir::validate(&f, crate::ir::Stage::Source);
    assert!(problems.is_ok(), "{problems:?}\n{f}");
    f.to_string()
}

/// The front end's result for a body that kills if x is below a half, continues with `rest` and stores the
/// value of %new.
fn killing(kill: &str, rest: &str) -> String {
    front(&format!(
        "{X}FOrdLessThan %bool %c %x %half\nSelectionMerge %end 0\nBranchConditional %c %then %end\n\
         Label %then\nAccessChain %outs %old %colour #1\nStore %old %x\n{kill}\nLabel %end\n{rest}\n\
         AccessChain %outs %px %colour #0\nStore %px %new\nReturn"
    ))
}

#[test]
fn code_after_a_kill_has_no_separate_arm() {
    let rest = "FAdd %float %new %x %one";
    for kill in ["Kill", "TerminateInvocation"] {
        let text = killing(kill, rest);
        assert!(text.contains("discard") && !text.contains("phi"), "{text}");
    }
    // A demoted invocation continues and sees what it wrote.
    let text = killing("DemoteToHelperInvocation\nBranch %end", rest);
    assert!(text.contains("discard") && text.contains("phi"), "{text}");
}

#[test]
fn a_killed_invocation_goes_on_through_loops() {
    let rest = "Branch %head\nLabel %head\nLoopMerge %after %next 0\nBranch %test\nLabel %test\n\
                FOrdLessThan %bool %d %x %half\nBranchConditional %d %next %after\nLabel %next\nBranch %head\n\
                Label %after\nFAdd %float %new %x %one";
    for kill in ["Kill", "TerminateInvocation"] {
        let text = killing(kill, rest);
        assert!(text.contains("retire") && !text.contains("phi"), "{text}");
    }
    assert!(!killing("DemoteToHelperInvocation\nBranch %end", rest).contains("retire"));
    // Without loops there is nothing to leave.
    assert!(!killing("Kill", "FAdd %float %new %x %one").contains("retire"));
}

#[test]
fn a_killed_invocation_lacks_the_results_of_others() {
    // The merge block of the inner if reads what only the other invocations compute.
    let text = front(&format!(
        "{X}FOrdLessThan %bool %c %x %half\nFOrdLessThan %bool %d %x %one\nSelectionMerge %end 0\n\
         BranchConditional %d %then %right\nLabel %right\nBranch %end\nLabel %then\nSelectionMerge %inner 0\n\
         BranchConditional %c %kill %left\nLabel %kill\nKill\nLabel %left\nFAdd %float %y %x %one\nBranch %inner\n\
         Label %inner\nFMul %float %z %y %y\nBranch %end\nLabel %end\nPhi %float %new %x %right %z %inner\n\
         AccessChain %outs %px %colour #0\nStore %px %new\nReturn"
    ));
    // One phi for the sum, 0 after the kill, and one for the result.
    assert_eq!(text.matches("= phi ").count(), 2, "{text}");
}

#[test]
fn a_kill_after_a_loop_stays_after_it() {
    // The way out of the loop is an arm of a selection, whose header therefore dominates the kill.
    let ending = "Branch %head\nLabel %head\nLoopMerge %after %next 0\nBranch %body\nLabel %body\n\
                  FOrdLessThan %bool %d %x %one\nSelectionMerge %go 0\nBranchConditional %d %go %exit\n\
                  Label %exit\nBranch %after\nLabel %go\nBranch %next\nLabel %next\nBranch %head\n\
                  Label %after\nKill";
    let text = killing(ending, "FAdd %float %new %x %one");
    // At the depth of the arm of the outer if.
    assert!(text.lines().any(|line| line == "        discard true"), "{text}");
    // With another kill in the selection, the two would enclose a loop with two entries.
    let text =
        killing(&ending.replace("Label %go\nBranch %next", "Label %go\nKill"), "FAdd %float %new %x %one");
    assert!(!text.contains("loop {") && text.matches("discard true").count() == 2, "{text}");
}

#[test]
fn a_kill_leaves_a_loop_that_nothing_else_leaves() {
    let rest = "SelectionMerge %past 0\nBranchConditional %c %head %past\nLabel %head\nLoopMerge %never %next 0\n\
                Branch %test\nLabel %test\nFOrdLessThan %bool %d %x %one\nSelectionMerge %next 0\n\
                BranchConditional %d %kill %next\nLabel %kill\nKill\nLabel %next\nBranch %head\nLabel %never\n\
                Unreachable\nLabel %past\nFAdd %float %new %x %one";
    let text = front(&format!(
        "{X}FOrdLessThan %bool %c %x %half\n{rest}\nAccessChain %outs %px %colour #0\nStore %px %new\nReturn"
    ));
    // The kill is after the loop, which the lane leaves by a jump.
    let places = [text.find("jump b"), text.find("discard true")];
    assert!(matches!(places, [Some(jump), Some(discard)] if jump < discard), "{text}");
}
