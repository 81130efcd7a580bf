//! Round trips, places of errors, and invalid text.

use bumpalo::Bump;

use super::{parse, parse_with_registers};
use crate::ir::Function;

/// Parses `text` and prints it.
fn reprint(text: &str) -> String {
    let bump = Bump::new();
    let functions = parse_with_registers(&bump, text).expect("parses");
    functions.iter().map(|(f, registers)| f.with_registers(registers).to_string()).collect()
}

/// Checks that `body` is printed unchanged.
fn identity(body: &str) {
    let text = format!("kernel @f() stage source {{\nb0:\n    {body}\n}}\n");
    assert_eq!(reprint(&text), text);
}

#[test]
fn instructions_print_as_they_are_written() {
    let rows = [
        "halt",
        "keep",
        "keep %0, #5, #5:16, #5:8, #5:64, true, false, u4, u4l, u4h, u4_u5, u[511]:32",
        "keep #9999, #0x2710, #-1, #-9999, #0xffffd8f0, #255:16, #-1:64, #0x8000000000000000:64",
        "%2:32 = fadd -%0.abs, #1.5",
        "%2:32 = fadd #-0.0, #1e-7",
        "%2:32 = fadd -#3.4028235e38, #0x7f800000",
        "%2:16 = hadd #0.099975586:16, #0x7e00:16",
        "%2:64 = fmin #0.1:64, #1e300:64",
        "%2:32 = iadd %0.sx, %1 shift=2 sat=1",
        "%2:1 = icmp %0, #7 cond=ult inv=1",
        "%2:1 = fcmp %0, #7.0 cond=gtn",
        "%2:1 = icmp %0, #7 cond=cond3",
        "%2:32x4 = load %1, %0 format=i16 mask=xyzw coherency=coherent",
        "store %2, u0_u1, #0 mask=xz",
        "%2:32 = load_global u0_u1, %0 access=readonly|speculatable align=4",
        "atomic_global u0_u1, #0, #1 op=xor",
        "%2:32 = reduce %1 op=smin cluster=32",
        "%2:32 = scan %1 op=imul inclusive=1",
        "%1:32, %2:16 = copy %3, %4",
        "%2:32 = preload reg=10",
        "%2:32@r5, %3:16@r7h, %4:64@r8, %5:16x2@r0l = copy _, _, _, _",
        "%2:32 = fadd %0.cache, %1.discard",
        "jump b0",
        "%2:32 = and %0, -%1",
        "%2:1 = not %0",
        "%2:64 = not %0",
        "%2:16 = zero %0, %1",
        "push_exec nest=1",
        // The constant of the alias has another width, or the name is that of an IR operation.
        "%2:32 = bitop %0, #0:16 table=5",
        "%2:32 = bitop %0, #0 table=10",
        "%2:32 = bfi #0, %0, #3",
        "%2:32 = mov %0",
        "%2:32 = shl %0, #3",
    ];
    for row in rows {
        identity(row);
    }
}

#[test]
fn aliases_are_read_as_the_operations_they_name() {
    let kernel = |body: &str| format!("kernel @f() stage source {{\nb0:\n    {body}\n}}\n");
    let pairs = [
        ("%2:32 = bitop %0, %1 table=8", "%2:32 = and %0, %1"),
        ("%2:1 = bitop %0, false table=5", "%2:1 = not %0"),
        ("if_fcmp #0.0, #0.0 nest=1", "push_exec nest=1"),
    ];
    for (full, short) in pairs {
        assert_eq!(reprint(&kernel(full)), kernel(short));
    }
}

#[test]
fn structure_prints_as_it_is_written() {
    let text = "kernel @\"a b\\n\"(%0:32, %1:16@r2l) stage lowered no_contract signed_zeros special_values {
b0:
    if true {
    b1:
        loop {
        b2:
            jump b4
        }
    b4:
        {
        b8:
        }
    b9:
    } else {
    b3:
        scope {
        b5:
        }
    b6:
    }
b7:
    %2:32 = phi b4: %0, b6: #0
    halt
}
";
    assert_eq!(reprint(text), text);
}

#[test]
fn spacing_and_comments_do_not_matter() {
    let text =
        "; nothing\nkernel @f ( %0:32,%1:1 ) {b0: if %1{ b1: halt}else{ b2: ; comment }\n}\tb3:keep %0}";
    let expected = "kernel @f(%0:32, %1:1) stage source {\nb0:\n    if %1 {\n    b1:\n        halt\n    } else {\n    \
        b2:\n    }\nb3:\n    keep %0\n}\n";
    assert_eq!(reprint(text), expected);
    assert_eq!(reprint(""), "");
}

#[test]
fn errors_have_a_place() {
    let rows = [
        ("kernal", "1:1: invalid: expected `kernel`"),
        ("kernel @f() {\nb0:\n", "3:1: invalid: expected `}` before the end of the text"),
        ("kernel @f() {\n}", "2:1: invalid: expected a block before this bracket"),
        ("kernel @f() stage soon {", "1:19: invalid: unknown stage `soon`"),
        ("kernel @f() {\nb0:\n nop\n}", "3:2: invalid: unknown operation `nop`"),
        ("kernel @f() {\nb0:\nb1:\n}", "3:1: invalid: expected a bracket between b0 and b1"),
        ("kernel @f() {\nb0:\nscope {\nb0:\n}", "4:1: invalid: b0 is defined twice"),
        ("kernel @f() {\nhalt\n}", "2:1: invalid: expected a block before this instruction"),
        ("kernel @f() {\nb0:\nloop {\nb1:\n} else {\n", "5:1: invalid: `else` without an if"),
        ("kernel @f() {\nb0:\nkeep %99999999\n}", "3:7: invalid: a value's number must be below 4232"),
        ("kernel @f() {\nb0:\nkeep #256:8\n}", "3:6: invalid: `256` is not a number of 8 bits"),
        ("kernel @f() {\nb0:\nkeep #5:7\n}", "3:9: invalid: a width must be 1, 8, 16, 32 or 64"),
        ("kernel @f() {\nb0:\nkeep %0.neg\n}", "3:9: invalid: unknown suffix `neg`"),
        ("kernel @f() {\nb0:\nkeep u4_u6\n}", "3:10: invalid: the registers of a pair must be consecutive"),
        ("kernel @f() {\nb0:\n%0:32 = fmul %0, %0 sot=1\n}", "3:21: invalid: `fmul` has no modifier `sot`"),
        ("kernel @f() {\nb0:\n%0:1 = icmp %0, %0 cond=x\n}", "3:25: invalid: `cond` has no value `x`"),
        ("kernel @f() {\nb0:\nhalt halt\n}", "3:6: invalid: expected a source"),
        ("kernel @\"f\\q\"() {", "1:11: invalid: unknown escape `q`"),
    ];
    let bump = Bump::new();
    for (text, message) in rows {
        let error = parse(&bump, text).map(|_| ()).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
}

/// Every prefix and every single-byte change of a text with all syntax gives a function or an error.
#[test]
fn damaged_text_does_not_panic() {
    let text = "kernel @\"f\\u{41}\"(%0:32@r5) stage source {\nb0: ; c\n%1:32x2 = load_global u0_u1, -%0.abs access=readonly\n\
        if true {\nb1: jump b5\n} else {\nb2: %2:32 = phi b0: #1.5e-3:16, b1: #0x1f\n}\nb3:\nloop {\nb4:\n}\nb5:\n}";
    for end in 0..text.len() {
        let bump = Bump::new();
        let _ = parse(&bump, &text[..end]).map(|functions| functions.iter().map(Function::to_string).count());
    }
    let mut parsed = 0;
    for at in 0..text.len() {
        for byte in [b' ', b'\n', b'0', b'9', b'b', b'%', b'{', b'}', b':', b'.', b'-', b'"', 0xc3] {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = byte;
            let bump = Bump::new();
            let text = String::from_utf8_lossy(&bytes);
            if let Ok(functions) = parse(&bump, &text) {
                parsed += 1;
                for f in &functions {
                    let _ = crate::ir::validate(f, f.stage);
                    assert!(!f.to_string().is_empty());
                }
            }
        }
    }
    assert!(parsed > 100, "{parsed} changed texts parse");
}
