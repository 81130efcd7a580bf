//! Measures the machine: lane instructions a second in an ALU loop of 64 SIMD-groups.

#![expect(clippy::print_stdout, reason = "a measurement is for the terminal")]

use std::time::Instant;

use agx_emulator::{Dispatch, Memory, Options, Program, dispatch};
use agx_isa::encode;
use agx_isa::inst::{Inst, Operand, Size};
use agx_isa::table::Opcode;

fn main() {
    let register = |number: u8| Operand::reg(number * 2, Size::B32);
    let float = [("dst", register(1)), ("a", register(1)), ("b", register(2)), ("c", register(3))];
    let integer = [("dst", register(4)), ("a", register(4)), ("b", Operand::imm(1))];
    let logic = [("dst", register(5)), ("a", register(5)), ("b", register(4)), ("table", Operand::imm(6))];
    let mut code = Vec::new();
    let mut push = |op: Opcode, operands: &[(&str, Operand)]| {
        let mut inst = Inst::new(op);
        operands.iter().for_each(|(name, operand)| inst.set(name, *operand));
        code.extend_from_slice(&encode(&inst).expect("encodable"));
        code.len()
    };
    push(Opcode::Ldimm16, &[("dst", Operand::reg(0, Size::B16)), ("a", Operand::imm(0))]);
    for number in 1..6 {
        push(
            Opcode::Ldimm32,
            &[("dst", register(number)), ("a", Operand::imm(0x3f80_0000 + u32::from(number)))],
        );
    }
    let start = push(Opcode::Ldimm32, &[("dst", register(4)), ("a", Operand::imm(0))]);
    for _ in 0..8 {
        push(Opcode::Ffma, &float);
        push(Opcode::Fadd, &float[..3]);
        push(Opcode::Iadd, &integer);
        push(Opcode::Bitop, &logic);
    }
    let limit =
        [("a", register(4)), ("b", register(6)), ("cond", Operand::imm(1)), ("nest", Operand::imm(1))];
    let here = push(Opcode::Ldimm32, &[("dst", register(6)), ("a", Operand::imm(40_000))]);
    let here = push(Opcode::WhileIcmp, &limit).max(here);
    push(Opcode::JmpAny, &[("target", Operand::imm((start as i32 - here as i32) as u32))]);
    push(Opcode::PopExec, &[("nest", Operand::imm(1))]);
    push(Opcode::Stop, &[]);

    let program = Program::new(&code);
    for strict in [true, false] {
        let options = Options { strict, ..Options::default() };
        let grid = Dispatch {
            program: &program,
            preamble: None,
            uniforms: &[],
            states: agx_emulator::States::default(),
            workgroups: [8, 1, 1],
            workgroup_size: [64, 1, 1],
            threads: None,
            tile: None,
            local_bytes: 0,
            scratch_bytes: 0,
            options,
        };
        let start = Instant::now();
        let report = dispatch(&mut Memory::new(), &grid).expect("runs");
        let seconds = start.elapsed().as_secs_f64();
        let rate = report.lane_instructions as f64 / seconds / 1e6;
        println!(
            "strict {strict}: {} lane instructions in {seconds:.2} s, {rate:.0} million a second",
            report.lane_instructions
        );
        report.findings.iter().for_each(|finding| println!("  {finding}"));
    }
}
