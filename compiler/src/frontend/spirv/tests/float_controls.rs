//! Fast-math flags of modules and operations.

use super::*;

/// Whether signed zeros are significant, and infinities and NaNs, with these flags on the one operation.
fn significant(flags: Option<u32>) -> [bool; 2] {
    let bump = Bump::new();
    let body = "AccessChain %ptr %p %data #0 #0
        Load %uint %a %p
        Bitcast %float %x %a
        FAdd %float %r %x %x
        Bitcast %uint %word %r
        Store %p %word
        Return";
    let declarations = flags.map_or(String::new(), |flags| format!("Decorate %r 40 {flags}"));
    let module = assemble(&with_body(&declarations, body));
    let (f, _) = read(&bump, &module, &CompileKey::default(), SPIRV).expect("reads");
    [f.signed_zeros, f.special_values]
}

#[test]
fn what_an_operation_does_not_promise_is_significant() {
    const NOT_NAN: u32 = 1;
    const NOT_INF: u32 = 2;
    const NSZ: u32 = 4;
    const FAST: u32 = 16;
    assert_eq!(significant(None), [false, false]);
    assert_eq!(significant(Some(0)), [true, true]);
    assert_eq!(significant(Some(NSZ)), [false, true]);
    assert_eq!(significant(Some(NSZ | NOT_NAN)), [false, true]);
    assert_eq!(significant(Some(NOT_NAN | NOT_INF)), [true, false]);
    assert_eq!(significant(Some(NOT_NAN | NOT_INF | NSZ)), [false, false]);
    assert_eq!(significant(Some(FAST)), [false, false]);
}
