//! Assembler and disassembler: known bytes, forms of operands, and errors with their place.

use crate::support::program;
use agx_agal::{AssembleOptions, Program, Stage, assemble, disassemble};

fn options(stage: Stage) -> AssembleOptions {
    AssembleOptions { version: None, stage: Some(stage) }
}

/// Hexadecimal digits of the only token of a text.
fn token(text: &str) -> String {
    let bytes = program(text).write();
    bytes[agx_agal::HEADER_BYTES..].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Output of Adobe's assembler, as published with other readers and computed from its source.
const KNOWN: &[(&str, &str)] = &[
    ("m44 op, va0, vc0", "18000000 00000f03 000000e400000000 000000e401000000"),
    ("mov v0, va1", "00000000 00000f04 010000e400000000 0000000000000000"),
    ("mov vt0, vc[va0.x+5]", "00000000 00000f02 000005e401000080 0000000000000000"),
    ("mov vt1, vc[va1.y+6]", "00000000 01000f02 010006e401000180 0000000000000000"),
    ("add op, vt0, vt1", "01000000 00000f03 000000e402000000 010000e402000000"),
    ("mov ft3.w, fc16.y", "00000000 03000802 1000005501000000 0000000000000000"),
    ("sub ft3.xyz, ft4.xyz, ft2.xyz", "02000000 03000702 040000a402000000 020000a402000000"),
    ("kil ft1.x", "27000000 00000000 0100000002000000 0000000000000000"),
    ("ine ft11.x, fc16.x", "1d000000 00000000 0b00000002000000 1000000001000000"),
    ("tex ft0, v0, fs0 <2d,linear,nomip>", "28000000 00000f02 000000e404000000 0000000005000010"),
    ("tex ft0, v1, fs7<cube,clamp,miplinear,-2.5>", "28000000 00000f02 010000e404000000 0700ec0005100002"),
    ("tex oc v0 fs1 <ignoresampler centroid wrap>", "28000000 00000f03 000000e404000000 0100000005001500"),
];

#[test]
fn texts_assemble_to_known_bytes() {
    for (text, bytes) in KNOWN {
        assert_eq!(token(text), bytes.replace(' ', ""), "{text}");
    }
}

#[test]
fn spellings_mean_the_same() {
    let same = [
        ("mov op, vt0.xxxx", "MOV OP,VT0.X // with a comment"),
        ("add ft0, ft1, ft2", "add ft0 ft1 ft2"),
        ("mov oc, v0.xyzw", "mov fo, vi0.rgba"),
        ("tex ft0, v0, fs0 <2d, repeat, linear>", "tex ft0, v0, fs0<2D;WRAP;linear;nearest;linear>"),
        ("mov vt0, vc[va0.x]", "mov vt0, vc[ va0.x + 0 ]"),
        ("mov vt0.xz, va0.yyyy", "mov vt0.zx, va0.y"),
        ("mov od.x, ft0.x", "mov fd.x ft0.x"),
        ("mov ft1, ft2.w", "mov ft1, ft2.wwwww"),
        ("mov ft1, ft2.xyzw", "mov ft1.xyzwxyz, ft2.xyzwqq"),
        ("mov ft1.xy, ft2.yz", "mov ft1.xyt, ft2.yztttt"),
        ("mov ft1.x, ft2", "mov ft1.xxxxw, ft2"),
        ("add ft0.xy, ft1, fc1.zw", "add ft0.xy, ft1,xyzwxyzw, fc1.zw"),
    ];
    for (one, other) in same {
        assert_eq!(token(one), token(other), "{one} and {other}");
    }
}

#[test]
fn errors_have_line_column_and_operand() {
    let cases = [
        ("foo ft0, ft1", "line 1, column 1: unknown opcode `foo`"),
        ("mov oc, v0\n  add ft0, ft1", "line 2, column 15: expected an operand"),
        ("mov ft0, ft1, ft2", "line 1, column 15: expected the end of the line"),
        (
            "mov ft0, va1",
            "line 1, column 10: `va` is the attribute file of vertex programs; this is a fragment program",
        ),
        ("mov ft0, xy1", "line 1, column 10: unknown register `xy`"),
        ("mov ft0.q, v1", "line 1, column 8: expected `.` and one to four of `x`, `y`, `z`, `w`"),
        ("mov ft0, v70000", "line 1, column 10: register numbers end at 65535"),
        ("mov fc[ft0.x], v0", "line 1, column 7: a destination cannot be relative"),
        ("mov ft0, fc[ft0]", "line 1, column 16: expected `.` and one to four of `x`, `y`, `z`, `w`"),
        ("mov ft0, fc[ft0.xy]", "line 1, column 16: an index is one component"),
        ("mov ft0, fc[ft0.x+256]", "line 1, column 19: an offset is a number from 0 to 255"),
        ("mov ft0, fc[ft0.x", "line 1, column 12: expected `]` after the index"),
        ("tex ft0, v0, ft1", "line 1, column 14: expected a sampler register, found `ft1`"),
        ("tex ft0, v0, fs0 <2d", "line 1, column 18: expected `>` after the settings of the sampler"),
        ("tex ft0, v0, fs0 <16>", "line 1, column 19: bias 16 is outside −16 to 15.875"),
        (".agal 5 vertex", "line 1, column 7: unknown version `5`; expected 1 to 4"),
        ("", "line 1, column 1: expected instructions, found none"),
        ("\n// a comment\n", "line 1, column 1: expected instructions, found none"),
        ("mov ft0.xo, v1", "line 1, column 8: expected `.` and one to four of `x`, `y`, `z`, `w`"),
        (".agal 2 pixel", "line 1, column 9: unknown stage `pixel`; expected `vertex` or `fragment`"),
        (".token 00", "line 1, column 8: expected 48 hexadecimal digits"),
    ];
    for (text, message) in cases {
        let error = assemble(text, options(Stage::Fragment)).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    let error = assemble("tex ft0, v0, fs0 <nearst>", options(Stage::Fragment)).expect_err("a misspelt word");
    assert!(
        error.message.starts_with("unknown sampler setting `nearst`; expected a bias or one of 2d, cube,")
    );
}

#[test]
fn the_disassembler_writes_short_forms() {
    let text = ".agal 2 fragment\nmov ft0.xz, v1.xy\nsge ft1, ft0.w, fc[ft0.x+3].wzyx\nkil ft1.x\n\
                tex ft2, v0, fs3 <2d, clamp_u_repeat_v, anisotropic4x, mipnone, dxt5, ignoresampler, -1.5>\n\
                ife ft0.x, fc0.y\nmov od.x, ft0.x\nels\nmov oc1, ft2\neif\nmov oc, ft2\n";
    assert_eq!(disassemble(&program(text)), text);
}

#[test]
fn tokens_beyond_the_syntax_keep_their_bytes() {
    let program = program("mov oc, v0");
    let mut bytes = program.write();
    // A mask of zero, and a second source that the opcode does not have.
    bytes[13] = 0;
    bytes[24] = 9;
    let sloppy = Program::read(&bytes).expect("every opcode exists");
    let text = disassemble(&sloppy);
    assert!(text.contains(".token 0000000000000003"), "{text}");
    assert_eq!(assemble(&text, AssembleOptions::default()).expect("its own text").write(), bytes);
}

#[test]
fn the_stage_follows_from_registers_and_from_varyings_that_are_written() {
    let stage = |text: &str| program(text).stage;
    for text in ["mov v0, v1", "MOV V3.xy, v1 // fc0", "mul vi0, i1, i2"] {
        assert_eq!(stage(text), Stage::Vertex, "{text}");
    }
    for text in ["mov oc, v0", "kil v0.x", "mov v0, fc1", "mov ft0, v0", "ife v0.x, v1.x\neif"] {
        assert_eq!(stage(text), Stage::Fragment, "{text}");
    }
    assert_eq!(stage("tld vt0, va0, vs0 <2d>\nmov op, vt0"), Stage::Vertex);
}

#[test]
fn tokens_have_places() {
    let text = "// a comment\nmov v0, va1\n\n  tld vt0.x , va0.xy,vs2<2d>\neif";
    let assembled = agx_agal::assemble_with_places(text, options(Stage::Vertex)).expect("assembles");
    let places = |at: usize| {
        let places = assembled.places[at];
        (places.opcode.line, [places.opcode, places.operands[0], places.operands[1], places.operands[2]])
    };
    let columns = |at: usize| (places(at).0, places(at).1.map(|place| place.column));
    assert_eq!(columns(0), (2, [1, 5, 9, 1]));
    assert_eq!(columns(1), (4, [3, 7, 15, 22]));
    assert_eq!(columns(2), (5, [1, 1, 1, 1]));
}
