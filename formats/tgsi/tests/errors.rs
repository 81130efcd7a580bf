//! Messages and places of errors.

use agx_tgsi::{parse, validate};

/// The message for an invalid text.
fn message(text: &str) -> String {
    match parse(text) {
        Err(error) => error.to_string(),
        Ok(shader) => match validate(&shader) {
            Err(error) => error.to_string(),
            Ok(_) => "no error".to_owned(),
        },
    }
}

/// Checks the messages for texts.
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(message(text), *expected, "{text}");
    }
}

#[test]
fn errors_have_place_expected_and_found_text() {
    let cases = [
        (
            "",
            "1:1: expected `VERT`, `FRAG`, `GEOM`, `TESS_CTRL`, `TESS_EVAL` or `COMP`, found the end of the text",
        ),
        (
            "FRAG\nDCL XX[0]",
            "2:5: expected a register file (`IN`, `OUT`, `TEMP`, `CONST`, `IMM`, …), found `XX[0]`",
        ),
        ("FRAG\n  0: FOO", "2:6: expected an opcode, found `FOO`"),
        ("FRAG\nMOV OUT[0].q, IN[0]", "2:12: expected one to four components of `xyzw`, found `q, IN[0]`"),
        ("FRAG\nMOV OUT[0] IN[0]", "2:12: expected `,`, found `IN[0]`"),
        ("FRAG\nTEX OUT[0], IN[0], SAMP[0]", "2:27: expected `,`, found the end of the text"),
        (
            "FRAG\nTEX OUT[0], IN[0], SAMP[0], 4D",
            "2:29: expected a texture target (`2D`, `CUBE`, `SHADOW2D`, …), found `4D`",
        ),
        (
            "FRAG\nIMM[1] FLT32 {0}",
            "2:5: expected 0, as immediates are numbered in order, found `1] FLT32 {0}`",
        ),
        ("FRAG\nIMM FLT32 {x}", "2:12: expected a float, found `x}`"),
        (
            "FRAG\nPROPERTY FS_COORD_ORIGIN MIDDLE",
            "2:26: expected `UPPER_LEFT`, `LOWER_LEFT`, found `MIDDLE`",
        ),
        (
            "FRAG\nDCL IN[0], GENERIC[0], WARPED",
            "2:24: expected `ARRAY`, `LOCAL`, a semantic, an interpolation or `INVARIANT`, found `WARPED`",
        ),
    ];
    check(&cases);
}

#[test]
fn rules_are_checked() {
    let cases = [
        ("FRAG\nEND", "no error"),
        ("FRAG", "0:0: END is missing"),
        ("FRAG\nMOV TEMP[0], IMM[0]\nEND", "2:5: TEMP[0] is not declared"),
        ("FRAG\nDCL TEMP[3..1]\nEND", "2:1: TEMP[3..1] is not a range of registers"),
        ("FRAG\nDCL TEMP[0..2]\nDCL TEMP[2]\nEND", "3:1: TEMP[2] is declared twice"),
        (
            "VERT\nDCL IN[0]\nMOV IN[0], IN[0]\nEND",
            "3:5: MOV cannot write IN; expected OUT, TEMP, ADDR or PRED",
        ),
        ("FRAG\nIMM FLT32 {1}\nIF IMM[0]\nEND", "3:1: IF without ENDIF"),
        ("FRAG\nENDLOOP\nEND", "2:1: ENDLOOP without a BGNLOOP"),
        ("FRAG\nBRK\nEND", "2:1: BRK without a BGNLOOP or SWITCH"),
        ("FRAG\nCAL :1\nEND", "2:1: CAL goes to 1, which is END; expected BGNSUB"),
        ("FRAG\nCAL :2\nEND\nBGNSUB\nCAL :2\nENDSUB", "4:1: the subroutine at 2 calls itself"),
        (
            "FRAG\nCAL :2\nEND\nBGNSUB\nCAL :5\nENDSUB\nBGNSUB\nCAL :2\nENDSUB",
            "4:1: the subroutine at 2 calls itself",
        ),
        ("VERT\nKILL\nEND", "2:1: KILL in a VERT program"),
        ("FRAG\nDCL MEMORY[0], SHARED\nEND", "2:1: shared memory in a FRAG program"),
        (
            "FRAG\nDCL TEMP[0]\nUADD TEMP[0], |TEMP[0]|, TEMP[0]\nEND",
            "3:15: |…| on UADD, whose source is not a float",
        ),
        (
            "FRAG\nDCL TEMP[0]\nUADD_SAT TEMP[0], TEMP[0], TEMP[0]\nEND",
            "3:1: _SAT on UADD, whose result is not a float",
        ),
        (
            "FRAG\nPROPERTY FS_COORD_ORIGIN 7\nEND",
            "2:10: FS_COORD_ORIGIN is 7; expected UPPER_LEFT or LOWER_LEFT",
        ),
    ];
    check(&cases);
}

#[test]
fn cubes_have_no_texels() {
    let cases = [
        (
            "FRAG\nDCL TEMP[0]\nDCL SAMP[0]\nTXF TEMP[0], TEMP[0], SAMP[0], CUBE\nEND",
            "4:1: TXF of the target CUBE is undefined: texels of a cube have no integer coordinates",
        ),
        (
            "FRAG\nDCL TEMP[0]\nDCL SAMP[0]\nTXF_LZ TEMP[0], TEMP[0], SAMP[0], CUBEARRAY\nEND",
            "4:1: TXF_LZ of the target CUBEARRAY is undefined: texels of a cube have no integer coordinates",
        ),
        (
            "FRAG\nDCL TEMP[0]\nDCL SAMP[0]\nTXF TEMP[0], TEMP[0], SAMP[0], SHADOW2D\nEND",
            "4:1: TXF cannot use the target SHADOW2D",
        ),
    ];
    check(&cases);
}

#[test]
fn declarations_may_repeat_as_in_dumps() {
    let cases = [
        ("VERT\nDCL OUT[1].xy, GENERIC[3]\nDCL OUT[1].yz, GENERIC[3]\nEND", "no error"),
        ("VERT\nDCL OUT[1..2], GENERIC[3]\nDCL OUT[2].x, GENERIC[4], INVARIANT\nEND", "no error"),
        ("FRAG\nDCL IN[0].xy, GENERIC[3]\nDCL IN[0].xyz, GENERIC[3], CONSTANT\nEND", "no error"),
        ("VERT\nDCL OUT[1].xy, GENERIC[3]\nDCL OUT[1].y, GENERIC[4]\nEND", "3:1: OUT[1] is declared twice"),
        ("VERT\nDCL OUT[1..2], GENERIC[3]\nDCL OUT[2], GENERIC[3]\nEND", "3:1: OUT[2] is declared twice"),
        ("COMP\nDCL MEMORY[1], SHARED\nDCL TEMP[0]\nLOAD TEMP[0], MEMORY[0], TEMP[0].xxxx\nEND", "no error"),
        (
            "COMP\nDCL MEMORY[1], SHARED\nDCL MEMORY[3], INPUT\nDCL TEMP[0]\nLOAD TEMP[0], MEMORY[0], TEMP[0].xxxx\nEND",
            "5:15: MEMORY[0] is not declared",
        ),
        ("COMP\nDCL TEMP[0]\nLOAD TEMP[0], MEMORY[0], TEMP[0].xxxx\nEND", "3:15: MEMORY[0] is not declared"),
    ];
    check(&cases);
}

#[test]
fn sloppy_text_reads_as_tidy_text() {
    let tidy = parse(
        "FRAG\nDCL IN[0].xy, GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n  0: MOV_SAT OUT[0].xyw, -|IN[0].xxxx|\n  1: END",
    );
    let sloppy = parse(
        "\u{feff}\r\n frag dcl in [ 0 ] . xy ,generic[0],Perspective /* an\ninput */ DCL OUT[ 0 ],color # target\n0 :mov_sat out[0].wyx , - | in[0].x |;\n\t1: end\0",
    );
    assert!(tidy.is_ok(), "{tidy:?}");
    assert_eq!(sloppy, tidy);
}

#[test]
fn floats_read_in_all_the_ways_they_are_printed() {
    let read = |number: &str| {
        let shader =
            parse(&format!("FRAG IMM[0] FLT32 {{{number}, 0}} END")).map_err(|error| error.to_string())?;
        Ok::<u32, String>(shader.immediates.first().map_or(0, |immediate| immediate.words[0]))
    };
    for (text, value) in [
        ("1", 1.0),
        ("-2.5", -2.5),
        ("1.5e+003", 1500.0),
        ("    0.2500", 0.25),
        ("1.#INF", f32::INFINITY),
        ("-inf", f32::NEG_INFINITY),
        ("3f", 3.0),
    ] {
        assert_eq!(read(text), Ok(value.to_bits()), "{text}");
    }
    assert_eq!(read("0x40490fdb"), Ok(0x4049_0fdb));
    assert!(
        f32::from_bits(read("-nan").unwrap_or(0)).is_nan()
            && f32::from_bits(read("1.#QNAN").unwrap_or(0)).is_nan()
    );
    assert!(read("1.2.3").is_err());
}

#[test]
fn places_count_characters_and_lines_of_comments() {
    let text = "\u{feff}FRAG /* ä\nö */ MOV OUT[0] IN[0]";
    assert_eq!(message(text), "2:17: expected `,`, found `IN[0]`");
}

#[test]
fn a_backward_range_has_no_registers() {
    let shader = parse("FRAG\nDCL TEMP[3..1]\nEND").expect("text whose rules are not checked");
    assert_eq!(shader.declarations[0].count(), 0);
}

#[test]
fn subroutines_may_share_a_callee() {
    let text = "FRAG\nCAL :2\nEND\nBGNSUB\nCAL :6\nCAL :9\nENDSUB\nBGNSUB\nCAL :9\nENDSUB\nBGNSUB\nENDSUB";
    assert_eq!(message(text), "no error");
}
