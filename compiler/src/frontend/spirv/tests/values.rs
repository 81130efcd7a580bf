//! Arithmetic and composites, evaluated on run-time operands and on constants.

use super::{check, run, with_body};

/// Runs `instructions`, which define %r from the words %a and %b, and returns %r.
fn binary(instructions: &str, a: u32, b: u32) -> u32 {
    binary_with("", instructions, a, b)
}

/// The same with additional declarations.
fn binary_with(declarations: &str, instructions: &str, a: u32, b: u32) -> u32 {
    let body = format!(
        "AccessChain %ptr %pa %data #0 #0\nAccessChain %ptr %pb %data #0 #1\nLoad %uint %a %pa\nLoad %uint %b %pb\n\
         {instructions}\nStore %pa %r\nReturn"
    );
    run(&with_body(declarations, &body), &[a, b]).expect("the module compiles")[0]
}

#[test]
fn integer_operations() {
    let table: &[(&str, u32, u32, u32)] = &[
        ("SMod %uint %r %a %b", -7i32 as u32, 3, 2),
        ("SMod %uint %r %a %b", 7, -3i32 as u32, -2i32 as u32),
        ("SMod %uint %r %a #8", -7i32 as u32, 0, 1),
        ("SRem %uint %r %a %b", -7i32 as u32, 3, -1i32 as u32),
        ("BitFieldUExtract %uint %r %a #4 #8", 0xabcd, 0, 0xbc),
        ("BitFieldSExtract %uint %r %a #4 #8", 0xabcd, 0, 0xffff_ffbc),
        ("BitFieldSExtract %uint %r %a #5 #0", 0xffff_ffff, 0, 0),
        ("BitFieldInsert %uint %r %a %b #8 #16", 0x1111_1111, 0xabcd, 0x11ab_cd11),
        ("BitFieldInsert %uint %r %a %b #0 #32", 0x1111_1111, 0xabcd, 0xabcd),
        ("ExtInst %uint %r %glsl 73 %a", 0x50, 0, 4),
        ("ExtInst %uint %r %glsl 73 %a", 0, 0, 0xffff_ffff),
        ("ExtInst %uint %r %glsl 74 %a", 0xffff_fff0, 0, 3),
        ("ExtInst %uint %r %glsl 75 %a", 0x50, 0, 6),
        ("BitReverse %uint %r %a", 1, 0, 0x8000_0000),
        ("BitCount %uint %r %a", 0xf0f0, 0, 8),
        ("ShiftLeftLogical %uint %r %a %b", 3, 33, 6),
        ("ShiftRightLogical %uint %r %a %b", 0x8000_0000, 63, 1),
        ("ShiftRightArithmetic %uint %r %a %b", 0x8000_0000, 32, 0x8000_0000),
        ("AbsUSubINTEL %uint %r %a %b", 3, 0xffff_fff0, 0xffff_ffed),
        ("AbsISubINTEL %uint %r %a %b", -3i32 as u32, 4, 7),
    ];
    for (instruction, a, b, expected) in table {
        assert_eq!(binary(instruction, *a, *b), *expected, "{instruction} of {a:#x}, {b:#x}");
    }
}

/// With signs of zeros kept, -0 is below 0, whatever the order of the operands.
#[test]
fn zeros_are_ordered_by_sign() {
    const MINUS: u32 = 1 << 31;
    // FMin, FMax, NMin, NMax of -0 and 0.
    for (function, expected) in [(37, MINUS), (40, 0), (79, MINUS), (80, 0)] {
        let text = format!(
            "Bitcast %float %x %a\nBitcast %float %y %b\nExtInst %float %f %glsl {function} %x %y\nBitcast %uint %r %f"
        );
        for (a, b) in [(MINUS, 0), (0, MINUS)] {
            let found = binary_with("Decorate %f 40 0", &text, a, b);
            assert_eq!(found, expected, "function {function} of {a:#x}, {b:#x}");
        }
        let numbers = [1.5_f32, -2.5].map(f32::to_bits);
        let found = binary_with("Decorate %f 40 0", &text, numbers[0], numbers[1]);
        assert_eq!(found, numbers[usize::from(expected == MINUS)], "function {function}");
    }
}

#[test]
fn replicated_parts_and_forward_references() {
    let declarations = "TypeArray %pairs %uvec2 #2\nConstantCompositeReplicateEXT %uvec2 %sevens #7";
    // (7 + a, 7 + a) twice; the second of the second.
    let text = "CompositeConstructReplicateEXT %uvec2 %as %a\nIAdd %uvec2 %sum %sevens %as\n\
                CompositeConstructReplicateEXT %pairs %twice %sum\nCompositeExtract %uint %r %twice 1 1";
    assert_eq!(binary_with(declarations, text, 35, 0), 42);
    let missing = run(&with_body("", "CompositeConstructReplicateEXT %uvec2 %none\nReturn"), &[]);
    assert!(missing.is_err());
}

#[test]
fn float_functions_are_close() {
    let table: &[(u32, f32, f64)] = &[
        (16, 0.3, 0.3f64.asin()),
        (16, -0.9, (-0.9f64).asin()),
        (17, 0.7, 0.7f64.acos()),
        (17, -0.7, (-0.7f64).acos()),
        (18, 0.2, 0.2f64.atan()),
        (18, -5.0, (-5.0f64).atan()),
        (19, 0.8, 0.8f64.sinh()),
        (20, 0.8, 0.8f64.cosh()),
        (21, 0.01, 0.01f64.tanh()),
        (21, -2.0, (-2.0f64).tanh()),
        (22, -3.0, (-3.0f64).asinh()),
        (23, 3.0, 3.0f64.acosh()),
        (24, 0.5, 0.5f64.atanh()),
        (27, 3.5, 3.5f64.exp()),
        (28, 3.5, 3.5f64.ln()),
    ];
    for (function, x, expected) in table {
        let text =
            format!("Bitcast %float %x %a\nExtInst %float %y %glsl {function} %x\nBitcast %uint %r %y");
        let result = f64::from(f32::from_bits(binary(&text, x.to_bits(), 0)));
        let error = ((result - expected) / expected).abs();
        assert!(error < 1e-6, "function {function} of {x}: {result}, not {expected}");
    }
}

#[test]
fn packing_rounds_and_clamps() {
    let floats = "Bitcast %float %x %a\nBitcast %float %y %b\nCompositeConstruct %vec2 %v %x %y\n";
    let pack = |function: u32, x: f32, y: f32| {
        binary(&format!("{floats}ExtInst %uint %r %glsl {function} %v"), x.to_bits(), y.to_bits())
    };
    assert_eq!(pack(56, 1.0, -2.0), 0x8001_7fff);
    assert_eq!(pack(57, 0.5, 1.0), 0xffff_8000);
    assert_eq!(pack(58, 1.0, -2.0), 0xc000_3c00);
}

#[test]
fn composites_are_extracted_and_inserted() {
    let body = "
        AccessChain %ptr %p0 %data #0 #0
        AccessChain %ptr %p1 %data #0 #1
        Load %uint %a %p0
        Load %uint %b %p1
        CompositeConstruct %uvec2 %u %a %b
        VectorShuffle %uvec2 %swapped %u %u 1 2
        CompositeConstruct %pair %s %u %swapped
        CompositeInsert %pair %t %b %s 1 1
        CompositeExtract %uint %x %t 1 0
        CompositeExtract %uint %y %t 1 1
        VectorExtractDynamic %uint %z %u %a
        Store %p0 %x
        Store %p1 %y
        AccessChain %ptr %p2 %data #0 #2
        Store %p2 %z
        Return";
    check("TypeStruct %pair %uvec2 %uvec2", body, &[1, 8, 0], &[8, 8, 8]);
}

#[test]
fn operations_on_specialization_constants_fold() {
    let declarations = "
        SpecConstant %uint %size 3
        SpecConstantOp %uint %area 132 %size %size
        SpecConstantOp %uint %more 128 %area #2
        TypeArray %array_t %uint %more
        TypePointer %arrays 7 %array_t";
    let body = "
        Variable %arrays %array 7
        AccessChain %local %last %array #10
        Store %last %more
        Load %uint %x %last
        AccessChain %ptr %p %data #0 #0
        Store %p %x
        Return";
    check(declarations, body, &[0], &[11]);
}

#[test]
fn dot_products_of_packed_bytes() {
    let (a, b) = (0x80ff_7f03u32, 0x7f02_8105u32);
    let dot = |x: fn(u8) -> i64, y: fn(u8) -> i64| -> i64 {
        a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(|(p, q)| x(p) * y(q)).sum()
    };
    let signed: fn(u8) -> i64 = |x| (x as i8).into();
    let unsigned: fn(u8) -> i64 = |x| x.into();
    assert_eq!(binary("SDot %uint %r %a %b 0", a, b) as i32, dot(signed, signed) as i32);
    assert_eq!(binary("UDot %uint %r %a %b 0", a, b), dot(unsigned, unsigned) as u32);
    assert_eq!(binary("SUDot %uint %r %a %b 0", a, b) as i32, dot(signed, unsigned) as i32);
    assert_eq!(binary("UDotAccSat %uint %r %a %b #4294967290 0", a, b), u32::MAX);
    let sum = (i64::from(2_147_483_650u32 as i32) + dot(signed, signed)).max(i32::MIN.into());
    assert_eq!(i64::from(binary("SDotAccSat %uint %r %a %b #2147483650 0", a, b) as i32), sum);
}

#[test]
fn expectations_return_the_value_and_assumptions_are_dropped() {
    let body = "IEqual %bool %c %a %b\nAssumeTrueKHR %c\nExpectKHR %uint %r %a %b";
    assert_eq!(binary(body, 7, 9), 7);
}

#[test]
fn carries_borrows_and_high_halves() {
    let second = |instruction: &str, a, b| {
        let body = format!("{instruction} %uvec2_t %both %a %b\nCompositeExtract %uint %r %both 1");
        binary_with("TypeStruct %uvec2_t %uint %uint", &body, a, b)
    };
    assert_eq!((second("IAddCarry", u32::MAX, 1), second("IAddCarry", 5, 6)), (1, 0));
    assert_eq!((second("ISubBorrow", 3, 4), second("ISubBorrow", 4, 4)), (1, 0));
    let (a, b) = (0xfedc_ba98u32, 0x7654_3210u32);
    assert_eq!(second("UMulExtended", a, b), ((u64::from(a) * u64::from(b)) >> 32) as u32);
    assert_eq!(second("SMulExtended", a, b), ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32);
}

#[test]
fn quantizing_rounds_to_half_floats_without_denormals() {
    let quantize = |x: f32| {
        f32::from_bits(binary(
            "Bitcast %float %x %a\nQuantizeToF16 %float %q %x\nBitcast %uint %r %q",
            x.to_bits(),
            0,
        ))
    };
    for x in [0.1f32, -3.3, 1e6, -1e6, 65519.0, 65520.0, 6.2e-5] {
        assert_eq!(quantize(x), half::f16::from_f32(x).to_f32(), "{x}");
    }
    assert_eq!(quantize(-3e-5).to_bits(), (-0.0f32).to_bits());
    assert!(quantize(f32::NAN).is_nan());
}
