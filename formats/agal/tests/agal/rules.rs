//! Every rule: strict mode rejects a program that breaks it; tolerant mode rejects it or runs it.

use crate::support::program;
use agx_agal::Rule::*;
use agx_agal::{AssembleOptions, Mode, Program, RULES, ReadError, Rule, Stage, Token, assemble, link};

/// Texts with the rule that they break in strict mode. They are fragment programs unless they name vertex
/// registers.
const TEXTS: &[(Rule, &str)] = &[
    (EmptyProgram, ".agal 1 fragment"),
    (OpcodeStage, ".agal 4 fragment\n.token 2e00000000000f03000000e4040000000000000005000000"),
    (OpcodeVersion, ".agal 3 vertex\ntld vt0, va0, vs0 <2d>\nmov op, vt0"),
    (RegisterBounds, ".agal 4 vertex\ntld vt0, va0, vs4 <2d>\nmov op, vt0"),
    (OpcodeStage, ".agal 2 vertex\n.token 280000000000000000000000000000000000000000000000"),
    (OpcodeVersion, ".agal 1 vertex\nife va0.x, vc0.x\nmov v0, va0\neif\nmov op, va0"),
    (EndIfWithoutIf, ".agal 2 vertex\neif"),
    (ElseWithoutIf, ".agal 2 vertex\nels"),
    (ElseWithoutIf, ".agal 2 vertex\nifl va0.x, vc0.x\nmov v0, va0\nels\nmov v0, va1\nels\nmov v0, va2\neif"),
    (OpenBlock, ".agal 2 vertex\nifl va0.x, vc0.x\nmov v0, va0"),
    (EmptyBlock, ".agal 2 vertex\nifl va0.x, vc0.x\neif\nmov op, va0"),
    (EmptyBlock, ".agal 2 vertex\nifl va0.x, vc0.x\nels\nmov v0, va0\neif\nmov op, va0"),
    (EmptyBlock, ".agal 2 vertex\nifl va0.x, vc0.x\nmov v0, va0\nels\neif\nmov op, va0"),
    (ConstantCondition, ".agal 2 vertex\nifl va0.x, va0.x\nmov v0, va0\neif\nmov op, va0"),
    (BothConstants, "add op, vc0, vc1"),
    (BothRelative, "add op, vc[va0.x], vc[va0.y]"),
    (DestinationNotZero, ".agal 1 fragment\n.token 270000000000010200000000040000000000000000000000"),
    (UnusedSource, ".agal 1 fragment\n.token 0000000000000f03000000e404000000010000e400000000"),
    (MaskHasW, "mov vt0, va0\nnrm vt0, va0"),
    (MaskHasW, "mov vt0, va0\nm34 vt0.w, va0, vc0"),
    (MaskZero, ".agal 1 fragment\n.token 0000000000000003000000e4040000000000000000000000"),
    (ReservedBits, ".agal 1 fragment\n.token 0000000000001f03000000e4040000000000000000000000"),
    (ReservedBits, ".agal 1 fragment\n.token 0000000000000f03000000e4140000000000000000000000"),
    (ReservedBits, "tex oc, v0, fs0 <dxt1>"),
    (UnknownFile, ".agal 1 fragment\n.token 0000000000000f09000000e4040000000000000000000000"),
    (UnknownFile, ".agal 1 fragment\n.token 0000000000000f03000000e4080000000000000000000000"),
    (RegisterBounds, ".agal 1 vertex\nmov vt8, va0"),
    (RegisterBounds, ".agal 1 vertex\nmov vt0, vc128"),
    (RegisterBounds, ".agal 1 vertex\nm44 op, va0, vc125"),
    (RegisterBounds, ".agal 1 fragment\nmov ft0, v8"),
    (RegisterBounds, ".agal 1 fragment\nmov oc1, v0"),
    (RegisterBounds, ".agal 1 fragment\ntex oc, v0, fs8 <2d>"),
    (RegisterBounds, ".agal 1 fragment\nmov od.x, v0"),
    (RegisterBounds, ".agal 2 vertex\nmov op, iid"),
    (RegisterLimit, "mov op, va16"),
    (RegisterLimit, "mov op, vc1024"),
    (RegisterLimit, "m44 op, va0, vc65535"),
    (RegisterLimit, ".agal 2 fragment\nmov oc4, v0"),
    (SwizzleNotScalar, ".agal 2 fragment\nkil v0"),
    (SwizzleNotScalar, ".agal 2 vertex\nifl va0.x, vc0.xy\nmov v0, va0\neif\nmov op, va0"),
    (MatrixSwizzle, "m44 op, va0, vc0.wzyx"),
    (SamplerAsSource, "mov oc, fs0"),
    (SamplerExpected, ".agal 1 fragment\n.token 2800000000000f03000000e4040000000000000000000000"),
    (OutputRead, "mov vt0, op"),
    (OutputRead, ".agal 2 fragment\nmov ft0, od"),
    (VaryingReadInVertex, "mov v0, va0\nmov op, v0"),
    (AttributeInFragment, ".agal 1 fragment\n.token 0000000000000f03000000e4000000000000000000000000"),
    (InstanceInFragment, ".agal 3 fragment\n.token 0000000000000f03000000e4070000000000000000000000"),
    (TemporaryUnwritten, "mov oc, ft0"),
    (ComponentUnwritten, "mov ft0.x, v0.x\nmov oc, ft0"),
    (SamplerWritten, "mov fs0, v0"),
    (VaryingInFragment, "mov v0, fc0"),
    (AttributeWritten, "mov va0, vc0"),
    (ConstantWritten, "mov vc0, va0"),
    (InstanceWritten, "mov iid, va0"),
    (DepthInVertex, ".agal 2 vertex\n.token 0000000000000106000000e4000000000000000000000000"),
    (RelativeInFragment, "mov oc, fc[fc0.x]"),
    (RelativeFile, "mov op, va[va0.x]"),
    (IndexFile, "mov op, vc[op.x]"),
    (IndexFile, "mov op, vc[v0.x]"),
    (DirectWithIndex, ".agal 1 fragment\n.token 0000000000000f03000001e4040000000000000000000000"),
    (DimensionUnknown, ".agal 1 fragment\n.token 2800000000000f03000000e4040000000000000005300000"),
    (DimensionUnknown, "tex oc, v0, fs0 <3d>"),
    (FilterUnknown, ".agal 1 fragment\n.token 2800000000000f03000000e4040000000000000005000060"),
    (FilterUnknown, "tex oc, v0, fs0 <anisotropic2x>"),
    (MipUnknown, ".agal 1 fragment\n.token 2800000000000f03000000e4040000000000000005000003"),
    (WrapUnknown, ".agal 1 fragment\n.token 2800000000000f03000000e4040000000000000005004000"),
    (WrapUnknown, "tex oc, v0, fs0 <repeat_u_clamp_v>"),
    (SpecialFlags, "tex oc, v0, fs0 <ignoresampler>"),
    (CubeNotClamped, "tex oc, v0, fs0 <cube, repeat, miplinear>"),
    (CubeWithoutMips, "tex oc, v0, fs0 <cube, clamp>"),
    (SamplerDiffers, "tex ft0, v0, fs0 <linear>\ntex oc, v0, fs0 <nearest>"),
    (TedBias, "ted oc, v0, fs0 <miplinear, 1>"),
    (TedWithoutMips, "ted oc, v0, fs0 <2d>"),
    (ComputedTexInBlock, "mov ft0, v0\nifl v0.x, fc0.x\ntex ft0, ft0, fs0 <2d>\neif\nmov oc, ft0"),
    (DerivativeInBlock, "mov ft0, v0\nifl v0.x, fc0.x\nddx ft0, ft0\neif\nmov oc, ft0"),
    (OutputInBlock, "ifl v0.x, fc0.x\nmov oc, v0\neif"),
    (ColourTwice, "mov oc, v0\nmov oc, v1"),
    (ColourMask, "mov oc.x, v0"),
    (DepthMask, "mov od, v0\nmov oc, v0"),
    (FragmentOutputIncomplete, "mov ft0, v0"),
    (VertexOutputIncomplete, "mov v0, va0"),
    (VertexOutputIncomplete, "mov op.xyz, va0"),
];

fn read(text: &str) -> Program {
    let first = text.split_whitespace().next();
    let vertex = ["va", "vc", "vt", "op", "iid"].iter().any(|name| text.contains(&format!(" {name}")));
    let stage = if vertex { Stage::Vertex } else { Stage::Fragment };
    let directive = first == Some(".agal");
    let options = AssembleOptions { version: None, stage: Some(stage).filter(|_| !directive) };
    assemble(text, options).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn strict_mode_rejects_violations() {
    for (rule, text) in TEXTS {
        let violation = read(text).check(Mode::Strict).expect_err(text);
        assert_eq!(violation.rule, *rule, "{text}: {violation}");
        let row = rule.row();
        assert!(row.adobe.is_none() || violation.adobe == row.adobe, "{text}: {violation}");
    }
}

#[test]
fn tolerant_mode_accepts_the_tolerated_violations() {
    for (rule, text) in TEXTS {
        match read(text).check(Mode::Tolerant) {
            Ok(shader) => {
                let noted = shader.violations.iter().any(|violation| violation.rule == *rule);
                let unknown = [DimensionUnknown, FilterUnknown, WrapUnknown, IndexFile].contains(rule);
                assert!(noted || unknown, "{text}: {:?}", shader.violations);
                assert!(!rule.row().tolerance.is_empty(), "{text}");
            }
            Err(violation) => {
                let partly = [DimensionUnknown, FilterUnknown, WrapUnknown, IndexFile].contains(rule);
                assert!(partly || rule.row().tolerance.is_empty(), "{text}: {violation}");
            }
        }
    }
}

#[test]
fn every_rule_has_a_case() {
    let elsewhere = [
        TooManyTokens,
        TokenLimit,
        NestingTooDeep,
        NotVertex,
        NotFragment,
        VersionsDiffer,
        VaryingUnwritten,
        VaryingIncomplete,
    ];
    for row in RULES {
        let here = TEXTS.iter().any(|(rule, _)| *rule == row.rule);
        assert!(here != elsewhere.contains(&row.rule), "{:?}", row.rule);
    }
}

#[test]
fn sizes_and_depths_are_limited() {
    let long = |count: usize| {
        let mut program = program("mov ft0, v0\nmov oc, ft0");
        let token: Token = program.tokens[0];
        program.tokens.splice(0..0, std::iter::repeat_n(token, count - 2));
        program
    };
    assert!(long(200).check(Mode::Strict).is_ok());
    assert_eq!(long(201).check(Mode::Strict).expect_err("too long").rule, TooManyTokens);
    assert_eq!(long(4096).check(Mode::Tolerant).expect("long").violations[0].rule, TooManyTokens);
    assert_eq!(long(4097).check(Mode::Tolerant).expect_err("too long").rule, TokenLimit);
    let deep = |depth: usize| {
        let open = "ifl v0.x, fc0.x\n".repeat(depth);
        let text = format!(".agal 2 fragment\n{open}mov ft0, v0\n{}mov oc, v0", "eif\n".repeat(depth));
        program(&text).check(Mode::Strict)
    };
    assert!(deep(16).is_ok());
    assert_eq!(deep(17).expect_err("too deep").rule, NestingTooDeep);
}

#[test]
fn pairs_must_fit() {
    let check = |text: &str| read(text).check(Mode::Tolerant).expect(text);
    let vertex = check(".agal 1 vertex\nmov op, va0\nmov v0, va1\nmov v1.xy, va1");
    let rule = |fragment: &str, mode| link(&vertex, &check(fragment), mode).map_err(|found| found.rule);
    assert_eq!(rule(".agal 1 fragment\nmov oc, v0", Mode::Strict), Ok(vec![]));
    assert_eq!(rule(".agal 1 fragment\nmov oc, v2", Mode::Tolerant), Err(VaryingUnwritten));
    assert_eq!(rule(".agal 1 fragment\nmov oc, v1", Mode::Strict), Err(VaryingIncomplete));
    assert_eq!(rule(".agal 1 fragment\nmov oc, v1", Mode::Tolerant).expect("tolerated").len(), 1);
    assert_eq!(rule(".agal 2 fragment\nmov oc, v0", Mode::Strict), Err(VersionsDiffer));
    assert_eq!(link(&vertex, &vertex, Mode::Tolerant).expect_err("no fragment program").rule, NotFragment);
    let fragment = check(".agal 1 fragment\nmov oc, v0");
    assert_eq!(link(&fragment, &fragment, Mode::Tolerant).expect_err("no vertex program").rule, NotVertex);
    let unwritten =
        link(&vertex, &check(".agal 1 fragment\nmov oc, v2"), Mode::Strict).expect_err("unwritten");
    assert_eq!(unwritten.adobe, Some(3632));
}

#[test]
fn headers_must_be_right() {
    let bytes = program("mov oc, v0").write();
    let with = |at: usize, byte: u8| {
        let mut changed = bytes.clone();
        changed[at] = byte;
        Program::read(&changed)
    };
    assert_eq!(Program::read(&bytes[..6]), Err(ReadError::TooShort(6)));
    assert_eq!(with(0, 0xa1), Err(ReadError::Magic(0xa1)));
    assert_eq!(with(1, 5), Err(ReadError::Version(5)));
    assert_eq!(with(5, 0), Err(ReadError::StageMagic(0)));
    assert_eq!(with(6, 2), Err(ReadError::Stage(2)));
    assert_eq!(with(7, 0x22), Err(ReadError::Opcode { token: 0, code: 0x22 }));
    assert_eq!(with(7, 0x7f).expect_err("unknown").adobe(), Some(3620));
    assert_eq!(Program::read(&bytes[..20]), Err(ReadError::Truncated { token: 0, found: 13 }));
    let swapped = [0xa0, 0, 0, 0, 1, 0xa1, 0];
    assert_eq!(Program::read(&swapped), Err(ReadError::BigEndian));
}

#[test]
fn messages_say_what_was_found_if_something_was() {
    let message = |text: &str| read(text).check(Mode::Strict).expect_err(text).to_string();
    let cases = [
        (".agal 2 vertex\neif", "token 0, opcode: `eif` without an open block (Adobe error 3623)"),
        (
            ".agal 1 vertex\nmov v0, va0",
            "program: a vertex program must write all components of its position (Adobe error 3635)",
        ),
        (
            "mov op.xz, va0",
            "program: a vertex program must write all components of its position (found .xz; Adobe error 3635)",
        ),
        ("mov vc7, va0", "token 0, destination: a constant is written (register 7; Adobe error 3652)"),
        (
            "m44 op, va0, vc0.wzyx",
            "token 0, source 2: the second source of a matrix opcode has a swizzle (found .wzyx; Adobe error 3689)",
        ),
        (
            "mov op, vc[op.x]",
            "token 0, source 1: the index is not an attribute, constant or temporary (found the output file; \
             Adobe error 3642)",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(message(text), expected, "{text}");
    }
}
