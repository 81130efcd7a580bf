//! The values that `RelaxedPrecision` marks.

use super::*;

/// The marks of a module's floats in definition order, with their operations.
fn marks(declarations: &str, body: &str) -> Vec<(&'static str, bool)> {
    let bump = Bump::new();
    let module = assemble(&with_body(declarations, body));
    let (f, _) = read(&bump, &module, &CompileKey::default(), SPIRV).expect("reads");
    let insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts).map(|inst| f.insts[*inst]);
    let is_float = |name: &str| matches!(name, "fmul" | "fadd" | "phi" | "exact" | "fneg" | "fmin" | "fmax");
    insts
        .filter(|data| is_float(data.op.name()))
        .filter_map(|data| Some((data.op.name(), f.values[data.dst()?].relaxed)))
        .collect()
}

/// %x and %y, two floats of the buffer.
const LOADS: &str = "
    AccessChain %ptr %p #0 #0
    Load %uint %a %p
    Bitcast %float %x %a
    AccessChain %ptr %q #0 #1
    Load %uint %c %q
    Bitcast %float %y %c
";

fn body(rest: &str) -> String {
    let loads = LOADS.replace("%p #0", "%p %data #0").replace("%q #0", "%q %data #0");
    format!("{loads}{rest}Bitcast %uint %word %r\nStore %p %word\nReturn")
}

#[test]
fn results_of_decorated_instructions_are_marked() {
    let text = body("FMul %float %s %x %y\nFAdd %float %r %s %x\n");
    assert_eq!(marks("Decorate %s 0", &text), [("fmul", true), ("fadd", false)]);
    assert_eq!(marks("Decorate %r 0", &text), [("fmul", false), ("fadd", true)]);
    assert_eq!(marks("", &text), [("fmul", false), ("fadd", false)]);
}

#[test]
fn a_copied_value_is_not_marked() {
    let text = body(
        "FMul %float %s %x %y\nCompositeConstruct %vec2 %v %s %s\nCompositeExtract %float %e %v 0\nFAdd %float %r %e %s\n",
    );
    assert_eq!(marks("Decorate %v 0\nDecorate %e 0", &text), [("fmul", false), ("fadd", false)]);
}

#[test]
fn a_product_that_is_kept_apart_is_marked_too() {
    let text = body("FMul %float %s %x %y\nFAdd %float %r %s %x\n");
    let found = marks("Decorate %s 0\nDecorate %s 42", &text);
    assert_eq!(found, [("fmul", true), ("exact", true), ("fadd", false)]);
}

#[test]
fn both_bounds_of_a_clamp_are_marked() {
    let text = body("FMul %float %s %x %y\nExtInst %float %r %glsl 43 %s %x %y\n");
    assert_eq!(marks("Decorate %r 0", &text), [("fmul", false), ("fmax", true), ("fmin", true)]);
}

#[test]
fn values_that_meet_in_a_decorated_variable_or_phi_are_marked() {
    let text = body(
        "FOrdLessThan %bool %less %x %y
        SelectionMerge %join 0
        BranchConditional %less %then %else
        Label %then
        FMul %float %s %x %y
        Branch %join
        Label %else
        FAdd %float %t %x %y
        Branch %join
        Label %join
        Phi %float %f %s %then %t %else
        FMul %float %r %f %f
        ",
    );
    assert_eq!(
        marks("Decorate %f 0", &text),
        [("fmul", false), ("fadd", false), ("phi", true), ("fmul", false)]
    );
}
