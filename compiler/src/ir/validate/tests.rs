//! A function for each rule that breaks only this rule.

use bumpalo::Bump;

use super::validate;
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::function::{Function, Seam, Segment};
use crate::ir::types::Stage;
use crate::ir::{InstData, parse};

/// The violations of `text`, a function; a default head is added if `text` does not begin with `kernel`.
fn violations(text: &str) -> Vec<String> {
    let bump = Bump::new();
    let text =
        if text.starts_with("kernel") { text.to_string() } else { format!("kernel @f() {{\n{text}\n}}") };
    let f = &parse(&bump, &text).expect("the text parses")[0];
    report(f, f.stage)
}

fn report(f: &Function<'_>, stage: Stage) -> Vec<String> {
    validate(f, stage).err().unwrap_or_default().iter().map(|violation| violation.to_string()).collect()
}

/// Checks that there is exactly one violation, with the message `expected`.
fn check(text: &str, expected: &str) {
    assert_eq!(violations(text), [expected], "{text}");
}

const VALID: &str = "kernel @f(%0:32, %1:16) {
b0:
    %2:1 = icmp %0, #7 cond=ult
    if %2 {
    b1:
        %3:32 = iadd %0, u4
    } else {
    b2:
        %4:32 = fadd -%0.abs, %1
    }
b3:
    %5:32 = phi b1: %3, b2: %4
    loop {
    b4:
        %6:32 = phi b3: %5, b7: %8
        scope {
        b5:
            %7:1 = fcmp %6, #1.5 cond=gt
            if %7 {
            b9:
                jump b8
            } else {
            b10:
                jump b6
            }
        b11:
            halt
        }
    b6:
        %8:32 = iadd %6, #1
        scope {
        b12:
        }
    b7:
    }
b8:
    %9:64x2 = load_global u0_u1, %6 access=readonly align=16
    %10:32, %11:32, %12:64 = split %9
    %13:32x2 = collect %10, %11
    store_global %13, %12, #0
    keep %6, %13
    halt
}";

#[test]
fn a_valid_function_has_no_violation() {
    assert_eq!(violations(VALID), [""; 0]);
}

#[test]
fn blocks_end_as_their_seams_require() {
    check("b0:\nhalt\nkeep\n", "b0: `halt`: a terminator must be last in its block");
    check("b0:\nif true\n", "b0: `if true`: expected an if construct after this");
    check("b0:\n{\nb1:\n} else {\nb2:\n}\nb3:", "b0: the block before an if construct must end with `if`");
    check(
        "b0:\nhalt\n{\nb1:\n} else {\nb2:\n}\nb3:",
        "b0: the block before an if construct must end with `if`",
    );
}

#[test]
fn ifs_have_two_arms() {
    check("b0:\nif true {\nb1:\n}\nb2:", "b1: a bracket closes another construct, or an if without else");
    check("b0:\nif true {\nb1:\n} else {\nb2:\n} else {\nb3:\n}\nb4:", "b2: `else` without a matching if");
}

#[test]
fn jumps_leave_loops_and_scopes() {
    let message = "is neither the header of an enclosing loop nor the block after an enclosing loop or scope";
    check("b0:\njump b0", &format!("b0: `jump b0`: b0 {message}"));
    check("b0:\nloop {\nb1:\n}\nb2:\njump b1", &format!("b2: `jump b1`: b1 {message}"));
    check("b0:\nif true {\nb1:\njump b3\n} else {\nb2:\n}\nb3:", &format!("b1: `jump b3`: b3 {message}"));
    check("b0:\nscope {\nb1:\njump b1\n}\nb2:", &format!("b1: `jump b1`: b1 {message}"));
    assert_eq!(violations("b0:\nloop {\nb1:\nscope {\nb2:\njump b4\n}\nb3:\n}\nb4:"), [""; 0]);
}

#[test]
fn phis_and_preloads_come_first() {
    check(
        "b0:\nscope {\nb1:\nkeep\n%0:32 = phi b0: #1\n}\nb2:",
        "b1: `%0:32 = phi b0: #1`: phis must be first in their block",
    );
    check(
        "b0:\nkeep\n%0:32 = preload reg=10",
        "b0: `%0:32 = preload reg=10`: preloads must be first in the entry block",
    );
    check(
        "b0:\nscope {\nb1:\n%0:32 = preload reg=10\n}\nb2:",
        "b1: `%0:32 = preload reg=10`: preloads must be first in the entry block",
    );
}

#[test]
fn phis_name_every_predecessor_once() {
    let message = "a phi must have one source from each predecessor: b0";
    for inst in ["%0:32 = phi", "%0:32 = phi b0: #1, b0: #2", "%0:32 = phi b1: #1"] {
        check(&format!("b0:\nscope {{\nb1:\n{inst}\n}}\nb2:"), &format!("b1: `{inst}`: {message}"));
    }
}

#[test]
fn values_are_defined_once_and_before_their_uses() {
    check("b0:\nkeep %0", "b0: `keep %0`: %0 is never defined");
    check("b0:\n%0:32 = mov #1\n%0:32 = mov #2", "b0: `%0:32 = mov #2`: %0 is defined twice");
    check("kernel @f(%0:32, %0:32) {\nb0:\n}", "%0 is a parameter twice");
    check("b0:\nkeep %0\n%0:32 = mov #1", "b0: `keep %0`: the definition of %0 does not dominate this use");
    check(
        "b0:\nif true {\nb1:\n%0:32 = mov #1\n} else {\nb2:\n}\nb3:\nkeep %0",
        "b3: `keep %0`: the definition of %0 does not dominate this use",
    );
    check(
        "b0:\nif true {\nb1:\n%0:32 = mov #1\n} else {\nb2:\n}\nb3:\n%1:32 = phi b1: #0, b2: %0",
        "b3: `%1:32 = phi b1: #0, b2: %0`: the definition of %0 does not dominate this use",
    );
    // Unreachable code may use any value that is defined.
    assert_eq!(violations("b0:\nloop {\nb1:\n}\nb2:\nkeep %0\n%0:32 = mov #1"), [""; 0]);
}

#[test]
fn operations_keep_to_their_stages() {
    check(
        "kernel @f() stage lowered {\nb0:\n%0:32 = fdiv #1.0, #2.0\n}",
        "b0: `%0:32 = fdiv #1.0, #2.0`: `fdiv` may not appear after stage source",
    );
    check("b0:\npop_exec nest=1", "b0: `pop_exec nest=1`: `pop_exec` may not appear before stage allocated");
    check(
        "b0:\nif_icmp #1, #2 {\nb1:\n} else {\nb2:\n}\nb3:",
        "b0: `if_icmp #1, #2`: `if_icmp` may not appear before stage selected",
    );
}

#[test]
fn operations_have_their_operands() {
    check("b0:\n%0:32 = iadd #1", "b0: `%0:32 = iadd #1`: `iadd` has 2 sources, not 1");
    check("b0:\nkeep #1\niadd #1, #2", "b0: `iadd #1, #2`: `iadd` has 1 results, not 0");
    check("b0:\n%0:32 = icmp #1", "b0: `%0:32 = icmp #1`: `icmp` has 2 sources, not 1");
    check(
        "b0:\natomic_global u0_u1, #0",
        "b0: `atomic_global u0_u1, #0`: `atomic_global` has 3 sources, not 2",
    );
    check("b0:\n%0:32 = fadd _, #1.0", "b0: `%0:32 = fadd _, #1.0`: operand `a` is missing");
    check("b0:\n%0:32 = fmin _, #1.0", "b0: `%0:32 = fmin _, #1.0`: a source is missing");
}

#[test]
fn operands_have_the_types_of_their_operation() {
    let rows = [
        ("%0:32 = icmp #1, #2", "result has type 32, but must be a boolean"),
        ("%0:1 = icmp #1, #2:16", "source has type 16, but must agree with 32"),
        ("%0:32 = select #1, #2, #3", "cond has type 32, but must be a boolean"),
        ("%0:8 = fneg #1:8", "result has type 8, but must be a float of one width for all F"),
        ("%0:32 = load_scratch u0_u1", "offset has type 64, but must be a 32-bit scalar"),
        ("%0:32x2 = collect #1, #2:16", "the sources have 48 bits in total, the results 64"),
        ("%0:32, %1:16 = copy #1:16, #2", "results and sources differ in type"),
        ("atomic_global u0_u1, #0, #1 op=cmpxchg", "data has type 32, but must have type 32x2"),
        ("%0:32 = atomic_local #0, #1:16", "data has type 16, but must have type 32"),
        ("%0:32 = load_local #0 align=3", "an alignment of 3 is not a power of two"),
        ("%0:32x2 = fadd #1.0, #2.0", "operand `dst` has type 32x2, but must be a scalar"),
        ("%0:16 = hadd #1.0:16, #2.0", "operand `b` may not be 32 bits wide"),
        ("%0:64 = ffma #1.0, #2.0, u0_u1", "operand `c` may not be 64 bits wide"),
        (
            "%0:32 = mov #1\n%1:16 = bitop %0, #2:16 table=8",
            "operands of a bitwise operation must have the same width",
        ),
        ("%0:32 = fmin -#1.0, #2.0", "source may not have a modifier: only hardware operations take them"),
        ("%0:32 = iadd #1.abs, #2", "operand `a` may not have this modifier"),
        ("%0:32 = iadd u[3]:32, #2", "this uniform register does not exist"),
        ("%0:32 = mov u[511]:32", "this uniform register does not exist"),
        ("%0:32 = iadd #1, #2 sat=2", "`sat` may not be 2"),
        ("%0:1 = icmp #1, #2 cond=9", "`cond` may not be 9"),
        ("%0:32 = load_global u0_u1, #0 access=128", "`access` may not be 128"),
    ];
    for (inst, message) in rows {
        let found = violations(&format!("b0:\n{inst}"));
        assert!(found.iter().any(|found| found.ends_with(message)), "{inst}: {found:?}");
    }
    assert_eq!(violations("b0:\n%0:1 = bitop true, false table=8\n%1:64 = iadd #1:64, #2"), [""; 0]);
}

#[test]
fn machine_operands_are_legal_for_their_row() {
    let machine = |inst: &str| {
        violations(&format!("kernel @f(%0:32, %1:16, %2:64, %3:32x2) stage machine {{\nb0:\n{inst}\n}}"))
    };
    let rows = [
        ("%4:32 = iadd %0, #256", "the number is out of range"),
        ("%4:32 = fadd %0, #1.1", "the constant has no 8-bit float encoding"),
        ("%4:32 = bitop %2, #0 table=10", "this size is not allowed here"),
        ("%4:32 = hadd %1, %0", "this size is not allowed here"),
        ("%4:32 = icsel %0, #1, %1, %0", "it does not agree with the other operands of the instruction"),
        ("%4:32 = load u[252]:64, #0", ""),
        ("%4:32 = load u[256]:64, #0", "operand `base` cannot address this uniform register"),
        ("%4:32 = load u0_u1, #0 mask=xy", "operand `dst`: expected 2 registers, found 1"),
        ("store %3, %2, #0 mask=x", "operand `data`: expected 1 registers, found 2"),
        ("%4:32 = icmp_ballot u0, #1", "operand `a` cannot address this uniform register"),
        ("%4:32 = dfdx %0, %0", "`dfdx` has 1 sources, not 2"),
        ("%4:1 = bitop %0, #0", "%4 is a boolean, which is not allowed at this stage"),
    ];
    for (inst, message) in rows {
        let found = machine(inst);
        let matches = if message.is_empty() {
            found.is_empty()
        } else {
            found.iter().any(|text| text.ends_with(message))
        };
        assert!(matches, "{inst}: {found:?}");
    }
    let legal = "%4:32 = fadd -%0.abs, #1.5\n%5:64 = iadd %2, %0.sx shift=2\n%6:16 = bitop %1, #255 table=and\n\
        %7:32x2 = load %2, %0.sx mask=xy\nstore %7, u4_u5, #-4 mask=xy\n%8:32 = ldimm32 #0x12345678\n%9:16 = mfsr sr=80";
    assert_eq!(machine(&legal.replace("and", "8")), [""; 0]);
}

/// Parses [`VALID`] and mutates the function.
fn mutated(mutate: impl FnOnce(&mut Function<'_>)) -> Vec<String> {
    let bump = Bump::new();
    let mut f = parse(&bump, VALID).expect("parses").remove(0);
    mutate(&mut f);
    report(&f, Stage::Source)
}

/// Parses [`VALID`] and mutates its layout.
fn relaid(mutate: impl FnOnce(&mut Vec<Segment>)) -> Vec<String> {
    mutated(|f| {
        let mut layout = f.layout.to_vec();
        mutate(&mut layout);
        f.set_layout(&layout);
    })
}

#[test]
fn broken_tables_are_reported() {
    let contains = |found: Vec<String>, message: &str| {
        assert!(found.iter().any(|text| text.contains(message)), "{message}: {found:?}");
    };
    contains(relaid(|layout| layout.clear()), "the layout has no block");
    contains(relaid(|layout| layout[1].block = Block(99)), "the layout names b99, which does not exist");
    contains(relaid(|layout| layout[1].block = Block(0)), "b0: the block occurs twice in the layout");
    contains(relaid(|layout| layout[2].seam = Seam::EndLoop), "a bracket closes another construct");
    contains(
        relaid(|layout| layout[3].seam = Seam::EndScope),
        "a closing bracket without a matching opening one",
    );
    contains(relaid(|layout| layout[3].seam = Seam::End), "the layout ends too early");
    contains(relaid(|layout| layout.truncate(2)), "a bracket is never closed");
    contains(relaid(|layout| layout.truncate(2)), "the layout does not end");
    contains(
        mutated(|f| f.blocks[0].insts.push(Inst(999))),
        "b0: the block holds i999, which does not exist",
    );
    contains(
        mutated(|f| {
            let inst = f.blocks[1].insts[0];
            f.blocks[2].insts.push(inst);
        }),
        "the instruction occurs twice",
    );
    contains(mutated(|f| f.blocks[0].succs.reverse()), "b0: the successors are stale");
    contains(mutated(|f| f.blocks[3].preds.clear()), "b3: the predecessors are stale");
    contains(
        mutated(|f| f.values[Value(3)].def = None),
        "the definition recorded for %3 is another instruction",
    );
    contains(mutated(|f| f.values[Value(3)].ty.bits = 7), "%3 has type 7, which does not exist");
    contains(mutated(|f| f.params.push(Value(99))), "a parameter does not exist");
    contains(
        mutated(|f| {
            let inst = f.blocks[1].insts[0];
            f.insts[inst] = InstData { dsts: &[Value(99)], ..f.insts[inst] };
        }),
        "%99 does not exist",
    );
}

#[test]
fn check_names_the_pass() {
    let bump = Bump::new();
    let f = &parse(&bump, "kernel @f() {\nb0:\nkeep %0\n}").expect("parses")[0];
    let error = f.check("opt_x").expect_err("invalid");
    assert_eq!(
        error.to_string(),
        "input: internal error: opt_x left `f` with 1 violations of the rules of stage source: \
         b0: `keep %0`: %0 is never defined"
    );
}
