//! Forms of directives that picasso accepts, places of errors, and warnings.

use agx_pica200::program::Constant;
use agx_pica200::{AsmWarning, Container, assemble, assemble_with_places};

const BODY: &str = ".proc main\n mov o0, v0\n end\n.end\n";

/// The container of a directive and a program.
fn with(directive: &str) -> Container {
    assemble(&format!("{directive}\n{BODY}")).unwrap_or_else(|error| panic!("{directive}: {error}"))
}

#[test]
fn a_comma_may_follow_a_register() {
    let same = [
        (".setb b3, true", ".setb b3 true"),
        (".setb b3,  off", ".setb b3 off"),
        (".in a v3,", ".in a v3"),
        (".alias a v3,", ".alias a v3"),
        (".out a position o1,", ".out a position o1"),
        (".gsh point c4,", ".gsh point c4"),
        (".gsh variable c48, 3", ".gsh variable c48 3"),
        (".gsh fixed c48, c0, 4", ".gsh fixed c48 c0 4"),
        (".fvec a, b,", ".fvec a, b"),
        (".fvec a[ 4 ], b", ".fvec a[4], b"),
        ("# 1 \"file.pica\"", ""),
    ];
    for (one, other) in same {
        assert_eq!(with(one), with(other), "{one}");
    }
    let truth = Constant::Bool { register: 3, value: true };
    assert_eq!(with(".setb b3, true").shaders[0].constants, [truth]);
}

#[test]
fn numbers_are_those_of_c() {
    let constants = |directive: &str| with(directive).shaders[0].constants.clone();
    assert_eq!(constants(".setf c1(1.0f, 2.F, -.5f, 1e1)"), constants(".setf c1(1, 2, -0.5, 10)"));
    assert_eq!(
        constants(".seti i0(300, -3, 255, 256)"),
        [Constant::Int { register: 0, value: [44, 253, 255, 0] }]
    );
    for wrong in ["inff", "f", "1.0g", "0x10"] {
        assert!(assemble(&format!(".setf c1({wrong}, 0, 0, 0)\n{BODY}")).is_err(), "{wrong}");
    }
}

/// The warnings of a text: line, column, message.
fn warnings(text: &str) -> Vec<(usize, usize, String)> {
    let assembled = assemble_with_places(&[text]).unwrap_or_else(|error| panic!("{text}: {error}"));
    let each = |AsmWarning { place, message }: AsmWarning| (place.line, place.column, message);
    assembled.warnings.into_iter().map(each).collect()
}

#[test]
fn components_of_a_destination_in_another_order_are_worth_a_warning() {
    let message =
        |name: &str| format!("the order of components in a destination has no effect: `{name}` names a mask");
    assert_eq!(warnings("nop\n  mov r0.yx, v0\nend\n"), [(2, 7, message("r0.yx"))]);
    assert_eq!(warnings(".out a texcoord0.yx\nend\n"), [(1, 8, message("texcoord0.yx"))]);
    assert_eq!(warnings(".alias a r1.zyx\nadd a.xz, v0, v0\nend\n"), [(2, 5, message("a.xz"))]);
    for fine in ["mov r0.xz, v0", "mov r0.xxyw, v0", "mov r0.y, v0", "mov r0, v0.wzyx", "mova a0.x, v0.y"] {
        assert_eq!(warnings(&format!("{fine}\nend\n")), [], "{fine}");
    }
    let wide = "only the low eight bits of `300` count: 44".to_owned();
    assert_eq!(warnings(".seti i0(1, 300, 2, 3)\nend\n"), [(1, 13, wide)]);
}

#[test]
fn errors_have_a_place() {
    let cases = [
        ("foo r0, v0", "line 1, column 1: unknown instruction `foo`; expected an instruction of the PICA200"),
        ("nop\n  mov r0, v99", "line 2, column 11: unknown register `v99`; expected "),
        (
            "lab: mov v0, v0",
            "line 1, column 10: `v0` cannot be a destination; expected an output or a temporary",
        ),
        ("mul r0, c0, v0 ; é\nmul r0, c1, c2", "line 2, column 13: `c2` cannot be a narrow source"),
        ("\tadd r0, v0", "line 1, column 2: `add` takes three operands, not 2"),
        ("mov r0.xq7, v0", "line 1, column 8: unknown selector `xq7`; expected one to four of `xyzw`"),
        ("cmp v0, gt, no, v0", "line 1, column 13: unknown comparison `no`"),
        ("nop\ncall nowhere", "line 2, column 6: unknown procedure `nowhere`"),
        ("jmpc cmp.x,  nowhere\nend", "line 1, column 14: unknown procedure or label `nowhere`"),
        (".entry  gone\nnop", "line 1, column 9: unknown procedure or label `gone`"),
        (".out a colour", "line 1, column 8: unknown output `colour`"),
        (".setb b0 maybe", "line 1, column 10: unknown value `maybe`; expected `true` or `false`"),
        (".setf c0(1, x, 3, 4)", "line 1, column 13: unknown number `x`; expected a float"),
        ("  .proc main\n mov r0, v0", "line 1, column 3: a block is not closed by `.end`"),
        ("nop\n .else", "line 2, column 2: `.else` outside of a block that allows it"),
        ("setemit 0, prim, inv", "line 1, column 1: `setemit` takes one or two operands, not 3"),
        ("", "expected instructions, found none"),
        ("; nothing\n.alias a v0\n", "expected instructions, found none"),
    ];
    for (text, message) in cases {
        let error = assemble(text).expect_err(text).to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
}

#[test]
fn words_have_places() {
    let text = "nop\n.proc main\n  ifc cmp.x\n nop\n  .end\n  end\n.end\n";
    let assembled = assemble_with_places(&[text]).expect("assembles");
    let places: Vec<(usize, usize)> =
        assembled.places.iter().map(|place| (place.line, place.column)).collect();
    assert_eq!(places, [(1, 1), (3, 3), (4, 2), (6, 3)]);
    assert_eq!(places.len(), assembled.container.program.code.len());
}
