//! Kernels with known results, memory of every space, and every reason to stop early.

use bumpalo::Bump;

use super::{FlatMemory, InterpretError, Limits, interpret};
use crate::ir::{parse, validate};

fn run_with(
    text: &str,
    args: &[u64],
    uniforms: &[u16],
    memory: &mut FlatMemory,
) -> Result<Vec<u64>, InterpretError> {
    let bump = Bump::new();
    let f = &parse(&bump, text).expect("parses")[0];
    assert_eq!(validate(f, f.stage), Ok(()));
    interpret(f, args, uniforms, memory, Limits { steps: 1000 }).map(|outcome| outcome.kept)
}

fn run(text: &str, args: &[u64]) -> Vec<u64> {
    run_with(text, args, &[], &mut FlatMemory::default()).expect("runs")
}

#[test]
fn arithmetic_uses_the_shared_semantics() {
    let text = "kernel @f(%0:32, %1:64) {
        b0:
            %2:32 = fadd -%0.abs, #1.5
            %3:64 = iadd %1, #-1.sx shift=2
            %4:1 = icmp %0, #0 cond=seq inv=1
            %5:16 = select %4, #7:16, #8:16
            keep %2, %3, %4, %5
        }";
    assert_eq!(
        run(text, &[(-4.0f32).to_bits().into(), 1 << 40]),
        [(-2.5f32).to_bits().into(), (1 << 40) - 4, 1, 7]
    );
}

#[test]
fn loops_and_phis_follow_the_edges() {
    let text = "kernel @fibonacci(%0:32) {
        b0:
            loop {
            b1:
                %1:32 = phi b0: #0, b4: %2
                %2:32 = phi b0: #1, b4: %5
                %3:32 = phi b0: %0, b4: %6
                %4:1 = icmp %3, #0
                if %4 {
                b2:
                    jump b5
                } else {
                b3:
                }
            b4:
                %5:32 = iadd %1, %2
                %6:32 = isub %3, #1
            }
        b5:
            keep %1
            scope {
            b6:
                if true {
                b7:
                    jump b10
                } else {
                b8:
                }
            b9:
                keep #1
            }
        b10:
            halt
        }";
    assert_eq!(run(text, &[10]), [55]);
}

#[test]
fn machine_ifs_choose_an_arm() {
    let text = "kernel @f(%0:32) stage machine {
        b0:
            if_icmp %0, #5 cond=ult inv=1 {
            b1:
                %1:32 = ldimm32 #70000
            } else {
            b2:
                %2:32 = iadd %0, #100
            }
        b3:
            %3:32 = phi b1: %1, b2: %2
            store %3, u0_u1, #1
        }";
    for (arg, expected) in [(5, 70000), (4, 104)] {
        let mut memory = FlatMemory { base: 0x1000, device: vec![0; 8], ..FlatMemory::default() };
        run_with(text, &[arg], &[0x1000, 0, 0, 0], &mut memory).expect("runs");
        assert_eq!(memory.device[4..], u32::to_le_bytes(expected));
    }
}

#[test]
fn collect_and_split_move_bits() {
    let text = "kernel @f(%0:64) {
        b0:
            %1:32, %2:16, %3:8, %4:8 = split %0
            %5:16x4 = collect %2, %1, %4, %3
            %6:64 = collect %5
            %7:32, %8:32 = copy %1, #9
            keep %5, %6, %7, %8
        }";
    let expected = [0x3344, 0x7788, 0x5566, 0x2211, 0x2211_5566_7788_3344, 0x5566_7788, 9];
    assert_eq!(run(text, &[0x1122_3344_5566_7788]), expected);
}

#[test]
fn memory_of_the_ir() {
    let text = "kernel @f(%0:32) {
        b0:
            %1:16x2 = load_global u0_u1, %0
            store_global %1, u0_u1, #0
            store_local #0x11223344, #4
            %2:8x2 = load_local #5
            store_scratch %2, #2
            %3:32 = load_scratch #0
            %4:32 = atomic_global u0_u1, #0, #1 op=add
            %5:32x2 = collect #9, #0xbbaa9990
            %6:32 = atomic_global u0_u1, #0, %5 op=cmpxchg
            atomic_local #4, #0x11223345 op=imin
            %7:32 = load_local #4
            control_barrier memory=device|local
            keep %1, %2, %3, %4, %6, %7
        }";
    let device = vec![0, 1, 2, 3, 0x8f, 0x99, 0xaa, 0xbb];
    let mut memory =
        FlatMemory { base: 64, device, local: vec![0; 8], scratch: vec![0; 4], ..FlatMemory::default() };
    let kept = run_with(text, &[4], &[64, 0, 0, 0], &mut memory).expect("runs");
    let expected = [0x998f, 0xbbaa, 0x33, 0x22, 0x2233_0000, 0xbbaa_998f, 0xbbaa_9990, 0x1122_3344];
    assert_eq!(kept, expected);
    assert_eq!(memory.device[..4], [9, 0, 0, 0]);
}

#[test]
fn memory_of_the_hardware() {
    let text = "kernel @f(%0:32) stage lowered {
        b0:
            %1:16x2 = load u0_u1, %0.sx format=i8 mask=yw shift=1
            %2:32 = load u0_u1, #1 format=f16
            stack_store %2, #4
            %3:16x2 = stack_load #4 format=i16 mask=xy
            %4:16 = iadd #4:16, #0
            lstore %3, %4, #0 format=i16 mask=xy
            %5:32 = lload %4, #0
            %6:32 = atomic %0, u0_u1, #1 op=sub
            %7:32 = latomic %0, %4, #0 op=or
            %8:32 = mfsr sr=80
            wait group=0
            keep %1, %2, %3, %5, %8
        }";
    let device = vec![1, 2, 3, 4, 0x00, 0xc4, 7, 8];
    let mut memory =
        FlatMemory { base: 0x100, device, local: vec![0; 8], scratch: vec![0; 8], special: vec![(80, 5)] };
    // The index is -1, shifted by one: two bytes before the base. The components at 1 and 3 are read.
    let kept = run_with(text, &[u64::from(u32::MAX)], &[0x102, 0, 0, 0], &mut memory).expect("runs");
    let four = u64::from((-4.0f32).to_bits());
    assert_eq!(kept, [2, 4, four, 0, four >> 16, four, 5]);
    // The atomics have subtracted -1 from the last word and set every bit of the last word of local memory.
    assert_eq!(memory.device[4..], [0x01, 0xc4, 7, 8]);
    assert_eq!(memory.local[4..], [0xff; 4]);
}

#[test]
fn stopped_runs_return_the_reason() {
    let rows = [
        ("() { b0: loop { b1: } b2: }", "stopped after 1000 instructions"),
        ("(%0:32) { b0: }", "expected 1 arguments, found 0"),
        ("() { b0: keep u4 \n}", "`keep u4` reads a uniform register that has no value"),
        ("() { b0: %0:32 = load_local #4 \n}", "`%0:32 = load_local #4`: no threadgroup memory at 0x4"),
        (
            "() { b0: store_global #1, #16:64, #1 \n}",
            "`store_global #1, #16:64, #1`: no device memory at 0x11",
        ),
        ("() { b0: %0:32 = mfsr sr=80 \n}", "`%0:32 = mfsr sr=80` cannot be interpreted"),
        ("() { b0: %0:32 = dfdx #1.0 \n}", "`%0:32 = dfdx #1.0` cannot be interpreted"),
        ("() { b0: %0:32 = preload reg=10 \n}", "`%0:32 = preload reg=10` cannot be interpreted"),
        (
            "() stage final { b0: }",
            "a function of stage final cannot be interpreted: its values are in registers",
        ),
    ];
    for (body, message) in rows {
        let error =
            run_with(&format!("kernel @f{body}"), &[], &[], &mut FlatMemory::default()).expect_err(body);
        assert_eq!(error.to_string(), message);
    }
}
