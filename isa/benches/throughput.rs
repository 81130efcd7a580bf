//! Decoding and encoding speed: `cargo bench -p agx-isa`. Prints millions of instructions per second.

use std::hint::black_box;
use std::time::Instant;

use agx_isa::{Opcode, decode, encode};

fn main() {
    let code = program();
    let insts: Vec<_> = code.iter().filter_map(|bytes| decode(bytes).ok()).map(|(inst, _)| inst).collect();
    let rate = |name: &str, mut run: Box<dyn FnMut() + '_>| {
        let best = (0..20)
            .map(|_| {
                let start = Instant::now();
                (0..200).for_each(|_| run());
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min);
        let rate = insts.len() as f64 * 200.0 / best / 1e6;
        #[expect(clippy::print_stdout, reason = "a benchmark prints its result")]
        {
            println!("{name}: {rate:.1} M instructions/s");
        }
    };
    rate(
        "decode",
        Box::new(|| {
            code.iter().for_each(|bytes| {
                let _ = black_box(decode(black_box(bytes)));
            })
        }),
    );
    rate(
        "encode",
        Box::new(|| {
            insts.iter().for_each(|inst| {
                let _ = black_box(encode(black_box(inst)));
            })
        }),
    );
}

/// A typical instruction mix of compilers, from text.
fn program() -> Vec<Vec<u8>> {
    let text = "
        mfsr r0, thread_position_in_grid.x
        ldimm32 r1, 0x3f800000
        iadd r2, r0.sx, u4.sx
        shl r3, r2, 2
        load.i32.xyzw r4_r5_r6_r7, u0_u1, r2, shift 2
        wait 0
        ffma r8, r4, r5, r6
        ffma r9, r8.discard, r7, r1
        fadd r10, r9, -0.0
        fmul r11, r10, 0.5
        icsel.slt r12, r11, 0, r10, r9
        fcsel.gt r12, r11, 0.0, r10, r9
        and r13, r12, 7
        mov r14, r13
        if_icmp.ult r14, u5, nest 1
        jmp_none +24
        imadd r15, r14.sx, r13.sx, r12.sx
        hfma r16l, r15h, r15l, 1.0
        rcp r17, r16h
        pop_exec nest 1
        store.i32.xy r8_r9, u2_u3, r2, shift 1
        stop";
    let code = agx_isa::asm::assemble(text).expect("invariant: the program assembles");
    let mut at = 0;
    let mut insts = Vec::new();
    while let Ok((_, len)) = decode(&code[at..]) {
        insts.push(code[at..at + len].to_vec());
        at += len;
    }
    assert!(insts.len() > 20 && insts.len() < Opcode::ALL.len());
    insts
}
